// SPDX-License-Identifier: LGPL-2.1
/* libetrace: the parts of an event.  See etrace.h. */
#include "api/event.h"
#include "api/schema.h"
#include "base/xalloc.h"

#include <errno.h>
#include <string.h>

/* ---- copies ---- */

/* Appends a string and a NUL.  copy_strings() has made room for all of them. */
static struct et_string append_string(struct et_event *to, const struct et_event *from,
				      const struct et_string *s)
{
	struct et_string copy = { (uint32_t)to->nbytes, s->len };

	memcpy(to->bytes + to->nbytes, et_text(from, s), s->len);
	to->bytes[to->nbytes + s->len] = 0;
	to->nbytes += s->len + (size_t)1;
	return copy;
}

static void copy_strings(struct et_event *to, const struct et_event *from)
{
	size_t n = from->nargs;

	for (unsigned int i = 0; i < ET_MAX_STRINGS; i++)
		n += et_has_string(from, i) ? from->str[i].len + (size_t)1 : 0;
	for (uint32_t a = 0; a < from->nargs; a++)
		n += from->args[a].len;
	if (n)
		to->bytes = xgrow(to->bytes, &to->bytes_cap, n, 1);
	if (from->nargs)
		to->args = xgrow(to->args, &to->args_cap, from->nargs, sizeof(*to->args));
	for (unsigned int i = 0; i < ET_MAX_STRINGS; i++)
		if (et_has_string(from, i))
			to->str[i] = append_string(to, from, &from->str[i]);
	for (uint32_t a = 0; a < from->nargs; a++)
		to->args[a] = append_string(to, from, &from->args[a]);
	to->nargs = from->nargs;
}

void api_event_copy(struct etrace_event *copy, const struct et_event *from)
{
	struct et_event *to = &copy->ev;

	et_reset(to, from->kind, from->upid, from->cpu, from->time);
	to->flags = from->flags;
	to->given = from->given;
	to->strings = from->strings;
	to->error = from->error;
	to->nfindings = from->nfindings;
	memcpy(to->marks, from->marks, sizeof(to->marks));
	memcpy(to->val, from->val, sizeof(to->val));
	if (from->nfindings)
		memcpy(to->findings, from->findings, sizeof(to->findings));
	copy_strings(to, from);
}

/* ---- access ---- */

unsigned int etrace_event_kind(const struct etrace_event *event)
{
	return api_number(event->ev.kind);
}

uint64_t etrace_event_upid(const struct etrace_event *event)
{
	return event->ev.upid;
}

uint64_t etrace_event_pid(const struct etrace_event *event)
{
	return event->pid;
}

uint32_t etrace_event_cpu(const struct etrace_event *event)
{
	return event->ev.cpu;
}

uint64_t etrace_event_time(const struct etrace_event *event)
{
	return event->ev.time;
}

int etrace_event_value(const struct etrace_event *event, unsigned int i, int64_t *v)
{
	if (i >= et_kinds[event->ev.kind].nvalues || !et_has(&event->ev, i))
		return 0;
	*v = event->ev.val[i];
	return 1;
}

int etrace_event_value_named(const struct etrace_event *event, const char *name, int64_t *v)
{
	const struct et_kind_row *kind = &et_kinds[event->ev.kind];

	for (unsigned int i = 0; i < kind->nvalues; i++)
		if (!strcmp(kind->values[i].name, name))
			return etrace_event_value(event, i, v);
	return 0;
}

/* @s: NULL if the event does not have the string. */
static const char *give_string(const struct et_event *ev, const struct et_string *s, size_t *len)
{
	if (len)
		*len = s ? s->len : 0;
	return s ? et_text(ev, s) : NULL;
}

const char *etrace_event_string(const struct etrace_event *event, unsigned int i, size_t *len)
{
	const struct et_event *ev = &event->ev;
	bool there = i < et_kinds[ev->kind].nstrings && et_has_string(ev, i);

	return give_string(ev, there ? &ev->str[i] : NULL, len);
}

const char *etrace_event_string_named(const struct etrace_event *event, const char *name,
				      size_t *len)
{
	const struct et_kind_row *kind = &et_kinds[event->ev.kind];
	unsigned int i = 0;

	while (i < kind->nstrings && strcmp(kind->strings[i].name, name))
		i++;
	return etrace_event_string(event, i, len);
}

size_t etrace_event_argc(const struct etrace_event *event)
{
	return event->ev.nargs;
}

const char *etrace_event_arg(const struct etrace_event *event, size_t i, size_t *len)
{
	const struct et_event *ev = &event->ev;

	return give_string(ev, i < ev->nargs ? &ev->args[i] : NULL, len);
}

int etrace_event_failed(const struct etrace_event *event)
{
	return event->ev.flags & ET_F_FAILED || event->ev.error;
}

int etrace_event_errno(const struct etrace_event *event)
{
	return event->ev.error;
}

int etrace_event_signal(const struct etrace_event *event)
{
	return event->ev.kind == ET_K_EXIT ? (int)et_value(&event->ev, ET_V_EXIT_signal, 0) : 0;
}

unsigned int etrace_event_markings(const struct etrace_event *event, unsigned int i)
{
	unsigned int bit = i == ET_ARGS ? ET_MARKED_ARGS : i < ET_MAX_STRINGS ? 1u << i : 0;
	unsigned int is = 0;

	for (unsigned int m = 0; m < ET_NR_MARKINGS; m++)
		is |= event->ev.marks[m] & bit ? 1u << m : 0;
	return is;
}

int etrace_event_incomplete(const struct etrace_event *event)
{
	return (event->ev.flags & ET_F_INCOMPLETE) != 0;
}

int etrace_event_finding(const struct etrace_event *event, unsigned int i, char *buf, size_t size)
{
	if (size)
		*buf = 0;
	if (i >= event->ev.nfindings || i >= ET_MAX_FINDINGS)
		return -ENOENT;
	et_finding_text(&event->ev.findings[i], buf, size);
	return 0;
}

int etrace_event_late(const struct etrace_event *event)
{
	return (event->ev.flags & ET_F_LATE) != 0;
}
