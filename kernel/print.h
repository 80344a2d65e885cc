/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Called by the trace events when they are read as text: each function writes
 * the lines of one record to @p and returns their beginning. There is no newline
 * at the end; ftrace adds it.
 */
#ifndef ETRACE_PRINT_H
#define ETRACE_PRINT_H

#include <linux/trace_seq.h>
#include <linux/types.h>

#include "schema.h"

/* Where the lines go, and the prefix of each. */
struct etrace_head {
	struct trace_seq *p;
	int cpu;
	u64 upid;
	u64 time;
};

/* A string of a record; len is -1 if the event has none. */
struct etrace_shown {
	s32 len;
	const char *s;
};

/* A value of a record, sign-extended. */
struct etrace_value {
	u64 v;
	bool there;
};

/* The tail of a record; fields as in struct etrace_rec. */
struct etrace_tail {
	s32 error;
	u8 inl;
	u8 more;
	u8 joined;
	u8 unread;
	u8 cut;
	u8 untold;
	u8 outside;
};

/**
 * struct etrace_content - the content of a record
 * @ev: kind of event, ETRACE_EV_*
 * @str: its strings, then its argument list, with the whole list's length
 * @args_room: bytes of the argument list in this record
 * @val: its values
 * @tail: its tail
 */
struct etrace_content {
	u8 ev;
	struct etrace_shown str[ETRACE_NR_STR + 1];
	u32 args_room;
	struct etrace_value val[ETRACE_NR_VAL];
	struct etrace_tail tail;
};

const char *etrace_print(const struct etrace_head *h, const struct etrace_content *content);
const char *etrace_print_string(const struct etrace_head *h, const struct etrace_content *content,
				u8 tag, u8 state, s32 part, u32 total, const char *piece,
				u32 len);
const char *etrace_print_args(const struct etrace_head *h, const struct etrace_content *content,
			      u32 first, const char *piece, u32 len);
const char *etrace_print_lost(const struct etrace_head *h, u64 count, u64 since);

#endif /* ETRACE_PRINT_H */
