/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Events that wait to be sent to a sink in time order, whether they are made from lines, from the
 * module's records or from BPF records.
 *
 * An event is open until evq_close(): more may be added to it, and it holds back all later events.
 * If it holds back too many, its owner takes it out of the queue; evq_close() then puts it back,
 * and it is sent late.
 *
 * The queue allocates the owner's struct for an event, which begins with struct et_event, and
 * reuses its memory for later events.
 */
#ifndef ETRACE_EVENT_QUEUE_H
#define ETRACE_EVENT_QUEUE_H

#include "base/xalloc.h"
#include "event/event.h"
#include "event/order.h"
#include "io/formats.h"

/* Maximum number of events whose memory is kept for reuse. */
#define EVQ_SPARE	256u
/* Maximum number of events, and bytes of their strings, that one open event may hold back. */
#define EVQ_EVENTS	4096u
#define EVQ_BYTES	(16u << 20)

/* The owner sets @sink, @size and @fini; all else begins as 0.  evq_free() releases it. */
struct event_queue {
	struct order order;
	size_t bytes;		/* size of the strings of all events in the queue */
	uint64_t passed;	/* time of the last event sent in order, ns */
	struct sink *sink;
	int err;		/* first negative errno of @sink */
	size_t size;		/* size of the owner's struct in bytes */
	void (*fini)(void *event);	/* frees the rest of the owner's struct; may be NULL */
	void *spare[EVQ_SPARE];
	size_t nspare;
};

/** evq_free - free the events in the queue and the spare ones; evq_close() the others first */
void evq_free(struct event_queue *q);

/** evq_free_event - free an event that is not in the queue */
void evq_free_event(struct event_queue *q, void *event);

/** evq_new - get an event that is not in the queue yet: zeroed, or used before */
static inline void *evq_new(struct event_queue *q)
{
	return q->nspare ? q->spare[--q->nspare] : xcalloc(1, q->size);
}

/** evq_drop - free an event that is not in the queue, or keep it for evq_new() */
static inline void evq_drop(struct event_queue *q, void *event)
{
	if (q->nspare == EVQ_SPARE)
		evq_free_event(q, event);
	else
		q->spare[q->nspare++] = event;
}

/** evq_put - add an event at the place of its time */
static inline void evq_put(struct event_queue *q, void *event)
{
	struct et_event *ev = event;

	order_put(&q->order, ev->time, order_arrives(&q->order), event);
	ev->queued = true;
	ev->counted = ev->nbytes;
	q->bytes += ev->nbytes;
}

/** evq_close - note that an event gets nothing more; puts it into the queue if necessary */
static inline void evq_close(struct event_queue *q, void *event)
{
	struct et_event *ev = event;

	ev->closed = true;
	if (!ev->queued)
		evq_put(q, event);
}

/** evq_grown - count bytes that were added to an event, in the queue or not */
static inline void evq_grown(struct event_queue *q, struct et_event *ev)
{
	if (!ev->queued)
		return;
	q->bytes += ev->nbytes - ev->counted;
	ev->counted = ev->nbytes;
}

/** evq_first - the earliest event, which stays in the queue; NULL if that is empty */
static inline void *evq_first(const struct event_queue *q)
{
	return order_first(&q->order);
}

/** evq_take - remove the earliest event from the queue, which must not be empty */
static inline void *evq_take(struct event_queue *q)
{
	struct et_event *ev = order_take(&q->order);

	ev->queued = false;
	q->bytes -= ev->counted;
	return ev;
}

/** evq_is_full - whether the first event is open and holds back too many others */
static inline bool evq_is_full(const struct event_queue *q)
{
	return q->order.n > EVQ_EVENTS || (q->order.n > 1 && q->bytes > EVQ_BYTES);
}

/** evq_is_late - whether an event with a later time has been sent */
static inline bool evq_is_late(const struct event_queue *q, const struct et_event *ev)
{
	return ev->time < q->passed;
}

/** evq_send - send an event that is not in the queue, and drop it */
static inline void evq_send(struct event_queue *q, void *event)
{
	struct et_event *ev = event;
	int err;

	if (evq_is_late(q, ev))
		ev->flags |= ET_F_LATE;
	else
		q->passed = ev->time;
	err = sink_item(q->sink, ev);
	if (err && !q->err)
		q->err = err;
	evq_drop(q, event);
}

#endif
