/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The typed trace events, events/etrace/ in tracefs. Their printed form is
 * the etrace line format (Documentation/line-format.md), made by print.c when
 * the trace is read.
 *
 * Fields of all events: upid, the task that made the call; time, nanoseconds
 * of CLOCK_MONOTONIC. Fields of events with strings: NAME_len, the string's
 * length, -1 if the event has none; NAME, the string, if it is in this record
 * (the first @inl strings are); more: records of the kind string or args
 * follow with the rest; joined, unread, cut, untold, outside: bit i is about string i,
 * as in struct etrace_rec; bit 3 of unread: a structure or the arguments.
 * error: errno of a call that failed, else 0. have: bit i: value i of the event,
 * an optional one (MAY), is present.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM etrace

#if !defined(ETRACE_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define ETRACE_EVENTS_H

#include <linux/string.h>
#include <linux/tracepoint.h>

#include "etrace.h"
#include "print.h"

#ifndef ETRACE_EVENTS_HELPERS
#define ETRACE_EVENTS_HELPERS
/* Bytes for string @i in the record, including its NUL. */
static inline u32 etrace_room(const struct etrace_rec *r, u32 i)
{
	return i < r->inl ? r->str[i].len + 1 : 1;
}

static inline s32 etrace_len(const struct etrace_rec *r, u32 i)
{
	return i < r->nr_str && r->str[i].s ? (s32)r->str[i].len : -1;
}

/* Writes @n bytes and a NUL. */
static inline void etrace_put(char *dst, const char *s, u32 n)
{
	if (likely(n))
		etrace_copy(dst, s, n);
	dst[n] = '\0';
}

/* Notes that a record has arrived. @where: the event file, or the data of another probe. */
static inline void etrace_arrived(struct etrace_rec *r, const void *where)
{
	if (where == r->file)
		r->written = true;
}
#endif

#define ETRACE_HEAD_FIELDS			\
	__field(u64, upid)			\
	__field(u64, time)

#define ETRACE_HEAD_ASSIGN			\
	do {					\
		__entry->upid = r->upid;	\
		__entry->time = r->time;	\
		etrace_arrived(r, __data);	\
	} while (0)

#define ETRACE_HEAD							\
	(&(struct etrace_head) {					\
		p, iter->cpu, __entry->upid, __entry->time })

/* error: before the narrower values; the others: after these. So a record has no holes. */
#define ETRACE_ERROR_FIELD			\
	__field(s32, error)

#define ETRACE_TAIL_FIELDS			\
	__field(u8, inl)			\
	__field(u8, more)			\
	__field(u8, joined)			\
	__field(u8, unread)			\
	__field(u8, cut)			\
	__field(u8, untold)			\
	__field(u8, outside)

/* All reads before all writes, so that the compiler can merge the copies. */
#define ETRACE_TAIL_ASSIGN						\
	do {								\
		u8 inl = r->inl, more = r->more, joined = r->joined;	\
		u8 unread = r->unread, cut = r->cut;			\
		u8 untold = r->untold, outside = r->outside;		\
									\
		__entry->error = r->error;				\
		__entry->inl = inl;					\
		__entry->more = more;					\
		__entry->joined = joined;				\
		__entry->unread = unread;				\
		__entry->cut = cut;					\
		__entry->untold = untold;				\
		__entry->outside = outside;				\
	} while (0)

#define ETRACE_TAIL							\
	.tail = {							\
		__entry->error, __entry->inl, __entry->more,		\
		__entry->joined, __entry->unread, __entry->cut,		\
		__entry->untold, __entry->outside }

#define ETRACE_STR_FIELDS(name, i)		\
	__field(s32, name##_len)		\
	__dynamic_array(char, name, etrace_room(r, i))

#define ETRACE_STR_ASSIGN(name, i)				\
	do {							\
		__entry->name##_len = etrace_len(r, i);		\
		etrace_put(__get_dynamic_array(name), r->str[i].s,	\
			   __get_dynamic_array_len(name) - 1);	\
	} while (0)

/* The parts of a record that are passed to the printer: strings, values and tail. */
#define ETRACE_CONTENT(ID, ...)						\
	(&(struct etrace_content) { .ev = ETRACE_EV_##ID, ##__VA_ARGS__ })

#define ETRACE_STR(ID, id)						\
	.str[ETRACE_STR_##ID##_##id] = {				\
		__entry->id##_len, __get_dynamic_array(id) }

#define ETRACE_ARGS(ID, id)						\
	ETRACE_STR(ID, id), .args_room = __get_dynamic_array_len(id)

#define ETRACE_VAL(ID, id)		ETRACE_VAL_IF(ID, id, true)

/* A value that MAY be present: the field "have" says whether it is. */
#define ETRACE_VAL_MAY(ID, id)						\
	ETRACE_VAL_IF(ID, id, __entry->have >> ETRACE_VAL_##ID##_##id & 1)

#define ETRACE_VAL_IF(ID, id, there)					\
	.val[ETRACE_VAL_##ID##_##id] = { __entry->id, there }

#define ETRACE_PRINT(ID, ...)						\
	etrace_print(ETRACE_HEAD, ETRACE_CONTENT(ID, ##__VA_ARGS__))

#define ETRACE_ARGS_FIELDS(event, name)		\
	__field(u32, name##_len)		\
	__dynamic_array(char, name, r->event.name.len)

#define ETRACE_ARGS_ASSIGN(event, name)					\
	do {								\
		__entry->name##_len = r->event.name##_len;		\
		memcpy(__get_dynamic_array(name), r->event.name.s, r->event.name.len); \
	} while (0)

/* The events of etrace_events.def. */
#include "events_made.h"

/*
 * A piece of a string that did not fit into its event's record. event: kind of
 * that record, ETRACE_EV_*; tag: which string, ETRACE_TAG_*; part: number of
 * the part, -1 if the string is shorter than 900 bytes; state:
 * ETRACE_PIECE_*; total: bytes of the whole string.
 */
TRACE_EVENT(etrace_string,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(s32, part)
		__field(u32, total)
		__dynamic_array(char, piece, r->string.piece.len)
		ETRACE_ERROR_FIELD
		__field(u8, event)
		__field(u8, tag)
		__field(u8, state)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->event = r->string.ev;
		__entry->tag = r->string.tag;
		__entry->state = r->string.state;
		__entry->part = r->string.part;
		__entry->total = r->string.total;
		memcpy(__get_dynamic_array(piece), r->string.piece.s,
		       r->string.piece.len);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", etrace_print_string(ETRACE_HEAD,
		  &(struct etrace_content) { .ev = __entry->event, ETRACE_TAIL },
		  __entry->tag, __entry->state, __entry->part, __entry->total,
		  __get_dynamic_array(piece), __get_dynamic_array_len(piece)))
);

/*
 * A piece of an argument list that did not fit into its event's record. event: kind of
 * that record, ETRACE_EV_*; first: number of the argument that the piece begins with,
 * or continues.
 */
TRACE_EVENT(etrace_args,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u32, first)
		__dynamic_array(char, piece, r->args.piece.len)
		ETRACE_ERROR_FIELD
		__field(u8, event)
		ETRACE_TAIL_FIELDS
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->first = r->args.first;
		__entry->event = r->args.ev;
		memcpy(__get_dynamic_array(piece), r->args.piece.s,
		       r->args.piece.len);
		ETRACE_TAIL_ASSIGN;
	),
	TP_printk("%s", etrace_print_args(ETRACE_HEAD,
		  (&(struct etrace_content) { .ev = __entry->event, ETRACE_TAIL }), __entry->first,
		  __get_dynamic_array(piece), __get_dynamic_array_len(piece)))
);

/*
 * Records of this task did not reach the ring buffer, in sessions only. count:
 * how many; since: time of the first of them.
 */
TRACE_EVENT(etrace_lost,
	TP_PROTO(struct etrace_rec *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		ETRACE_HEAD_FIELDS
		__field(u64, count)
		__field(u64, since)
	),
	TP_fast_assign(
		ETRACE_HEAD_ASSIGN;
		__entry->count = r->lost.count;
		__entry->since = r->lost.since;
	),
	TP_printk("%s", etrace_print_lost(ETRACE_HEAD, __entry->count,
		  __entry->since))
);

#endif /* ETRACE_EVENTS_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE events
#include <trace/define_trace.h>
