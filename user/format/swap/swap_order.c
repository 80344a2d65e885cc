// SPDX-License-Identifier: LGPL-2.1
/*
 * Sorts SWAP messages by sequence number and finds gaps, without looking at their
 * contents.
 */
#include "format/swap/swap_order.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* A number this far ahead is wrong if later messages were in order without it. */
#define FAR_AHEAD	65536
/* This many late messages in a row with consecutive numbers mean a restart. */
#define RESTART_RUN	3

struct waiting {
	struct swap_message *m;
	uint64_t arrival;	/* number of messages that had arrived, with this one */
	uint32_t expected;	/* sequence number expected on arrival */
};

struct swap_order {
	const struct swap_order_ops *ops;
	void *ctx;
	bool started;
	uint32_t expected;
	uint64_t arrivals;
	uint32_t late_next;
	unsigned int late_run;
	struct waiting wait[SWAP_ORDER_MESSAGES + 1];	/* by sequence number */
	size_t n;
	size_t bytes;
};

struct swap_order *swap_order_new(const struct swap_order_ops *ops, void *ctx)
{
	struct swap_order *o = xcalloc(1, sizeof(*o));

	o->ops = ops;
	o->ctx = ctx;
	return o;
}

void swap_order_free(struct swap_order *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->n; i++)
		free(o->wait[i].m);
	free(o);
}

/* How far @seq is ahead of the expected number; negative if it is late. */
static int32_t order_ahead(const struct swap_order *o, uint32_t seq)
{
	return (int32_t)(seq - o->expected);
}

static void put_message(struct swap_order *o, const struct swap_message *m)
{
	size_t i = o->n++;

	while (i && order_ahead(o, o->wait[i - 1].m->header.seq) > order_ahead(o, m->header.seq)) {
		o->wait[i] = o->wait[i - 1];
		i--;
	}
	o->wait[i] = (struct waiting){ swap_message_copy(m), o->arrivals, o->expected };
	o->bytes += m->len;
}

static struct swap_message *pull_message(struct swap_order *o, size_t i)
{
	struct swap_message *m = o->wait[i].m;

	o->bytes -= m->len;
	o->n--;
	memmove(&o->wait[i], &o->wait[i + 1], (o->n - i) * sizeof(o->wait[0]));
	return m;
}

/* Emit the waiting messages that are in order now. */
static int drain_messages(struct swap_order *o)
{
	int ret = 0;

	while (!ret && o->n && order_ahead(o, o->wait[0].m->header.seq) <= 0) {
		struct swap_message *m = pull_message(o, 0);

		if (m->header.seq == o->expected)
			o->expected++;
		else
			o->ops->odd(o->ctx, SWAP_AGAIN, m);
		ret = o->ops->message(o->ctx, m);
		free(m);
	}
	return ret;
}

/* Report the gap before the first waiting message as a loss, or that message as misplaced. */
static int give_up(struct swap_order *o)
{
	const struct waiting *w = &o->wait[0];
	int32_t gap = order_ahead(o, w->m->header.seq);
	struct swap_message *m;
	int ret;

	if (gap > FAR_AHEAD && w->expected != o->expected) {
		m = pull_message(o, 0);
		o->ops->odd(o->ctx, SWAP_MISPLACED, m);
		ret = o->ops->message(o->ctx, m);
		free(m);
		return ret;
	}
	ret = o->ops->lost(o->ctx, o->expected, (uint32_t)gap, w->m);
	o->expected += (uint32_t)gap;
	return ret ? ret : drain_messages(o);
}

static bool waited_enough(const struct swap_order *o)
{
	if (o->n > SWAP_ORDER_MESSAGES || o->bytes > SWAP_ORDER_BYTES)
		return true;
	for (size_t i = 0; i < o->n; i++)
		if (o->arrivals - o->wait[i].arrival >= SWAP_ORDER_MESSAGES)
			return true;
	return false;
}

/* Process a message with a number below the expected one. */
static int add_late(struct swap_order *o, const struct swap_message *m)
{
	int ret;

	o->late_run = m->header.seq == o->late_next ? o->late_run + 1 : 1;
	o->late_next = m->header.seq + 1;
	if (o->late_run < RESTART_RUN) {
		o->ops->odd(o->ctx, SWAP_AGAIN, m);
		return o->ops->message(o->ctx, m);
	}
	/* The waiting messages belong to the numbers before the restart. */
	ret = swap_order_end(o);
	if (ret)
		return ret;
	o->ops->odd(o->ctx, SWAP_RESTART, m);
	o->expected = m->header.seq + 1;
	o->late_run = 0;
	return o->ops->message(o->ctx, m);
}

int swap_order_add(struct swap_order *o, const struct swap_message *m)
{
	int ret;

	o->arrivals++;
	if (!o->started) {
		o->started = true;
		o->expected = m->header.seq;
	}
	if (order_ahead(o, m->header.seq) < 0)
		return add_late(o, m);
	o->late_run = 0;
	if (m->header.seq == o->expected) {
		o->expected++;
		ret = o->ops->message(o->ctx, m);
		if (!ret)
			ret = drain_messages(o);
	} else {
		put_message(o, m);
		ret = 0;
	}
	while (!ret && o->n && waited_enough(o))
		ret = give_up(o);
	return ret;
}

int swap_order_end(struct swap_order *o)
{
	int ret = 0;

	while (!ret && o->n)
		ret = give_up(o);
	return ret;
}
