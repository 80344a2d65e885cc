// SPDX-License-Identifier: LGPL-2.1
/* Sink of the etrace model: prints events in the line format. */
#include <stdlib.h>

#include "format/lines/lines_format.h"
#include "format/lines/event_lines.h"
#include "format/lines/plain_lines.h"
#include "base/map64.h"

struct lines_out {
	struct sink sink;
	struct out *out;
	struct buf text;
	struct plain_lines plain;
	/* by upid: earliest time of the task's next event, ns, from et_print_lines() */
	struct map64 earliest;
	uint64_t upid;		/* upid of the previous event */
	uint64_t *known;	/* where @earliest has the value of @upid; NULL: look it up */
	size_t forget_at;	/* entries of @earliest above which forget_events() is called */
};

#define FORGET_MIN 4096u

/* Drops entries up to @time, which matter only for late events. */
static void forget_events(struct lines_out *l, uint64_t time)
{
	struct map64 keep = { 0 };
	const struct map64_slot *slot;
	size_t i = 0;

	while ((slot = map64_each(&l->earliest, &i)))
		if (slot->value > time)
			map64_put(&keep, slot->key, slot->value);
	map64_clear(&l->earliest);
	l->earliest = keep;
	l->forget_at = 2 * keep.n + FORGET_MIN;
}

/* Prints an event.  Return: the earliest time of the task's next event, ns. */
static uint64_t put_event(struct lines_out *l, const struct et_event *ev, uint64_t earliest)
{
	size_t room = plain_lines_room(ev);
	char *to = room <= OUT_RESERVE_MAX ? out_reserve(l->out, room) : NULL;
	char *end = to ? plain_lines_put(&l->plain, ev, &earliest, to) : NULL;

	if (end) {
		out_commit(l->out, (size_t)(end - to));
		return earliest;
	}
	l->text.len = 0;
	earliest = et_print_lines(ev, earliest, &l->text);
	out_write(l->out, l->text.s, l->text.len);
	return earliest;
}

static int lines_item(struct sink *s, const void *item)
{
	struct lines_out *l = (struct lines_out *)s;
	const struct et_event *ev = item;
	uint64_t earliest;

	if (!l->known || l->upid != ev->upid)
		l->known = map64_get(&l->earliest, ev->upid);
	l->upid = ev->upid;
	earliest = put_event(l, ev, l->known ? *l->known : 0);
	if (l->known) {
		*l->known = earliest;
	} else {
		map64_put(&l->earliest, ev->upid, earliest);
		if (l->earliest.n > l->forget_at)
			forget_events(l, ev->time);
	}
	return out_error(l->out);
}

static int lines_end(struct sink *s)
{
	return out_flush(((struct lines_out *)s)->out);
}

static void lines_free(struct sink *s)
{
	struct lines_out *l = (struct lines_out *)s;

	plain_lines_free(&l->plain);
	buf_free(&l->text);
	map64_clear(&l->earliest);
	free(l);
}

struct sink *etrace_lines_open(const struct sink_args *args)
{
	static const struct sink_ops ops = { lines_item, lines_end, lines_free };
	struct lines_out *l = xcalloc(1, sizeof(*l));

	l->sink.ops = &ops;
	l->out = args->out;
	l->forget_at = FORGET_MIN;
	return &l->sink;
}
