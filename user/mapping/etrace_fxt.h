/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What the FXT files of etrace have in common between writer and reader: the
 * names that are not in kernel/etrace_events.def.  Documentation/fxt-mapping.md.
 */
#ifndef ETRACE_ETRACE_FXT_H
#define ETRACE_ETRACE_FXT_H

#define ETRACE_FXT_PROVIDER_ID	1u
#define ETRACE_FXT_PROVIDER	"etrace"
/* Raised when a reader of the older mapping would read wrongly. */
/* 1: signals were numbers; errors and marks were lines outside the format. */
#define ETRACE_FXT_VERSION	2u

/* Categories beside those of et_kinds. */
#define ETRACE_FXT_CAT_FORK	"fork"	/* slice of a program that was forked */
#define ETRACE_FXT_CAT_META	"etrace"

/* Records that are no events of the trace, in ETRACE_FXT_CAT_META. */
#define ETRACE_FXT_HEAD		"trace"		/* at the beginning */
#define ETRACE_FXT_VERDICT	"verdict"	/* at the end */
#define ETRACE_FXT_MORE		"more"		/* more arguments of the event
						 * right before
						 */

/* Arguments beside those of et_kinds and et_marking_names. */
#define ETRACE_FXT_CPU		"cpu"
#define ETRACE_FXT_FAILED	"failed"
#define ETRACE_FXT_ERROR	"error"		/* "ENOENT" */
#define ETRACE_FXT_INCOMPLETE	"incomplete"	/* in words, for people */
#define ETRACE_FXT_LINES	"lines"		/* the lines, where the other
						 * arguments cannot tell all
						 */
#define ETRACE_FXT_STAMPS	"stamps"	/* "item,byte,cpu,ns;..." */
#define ETRACE_FXT_LATE		"late"
#define ETRACE_FXT_UPID		"upid"
#define ETRACE_FXT_COUNT	"count"		/* of lost events */

/* Suffix of the argument with the bytes of one that is not UTF-8. */
#define ETRACE_FXT_HEX		"_hex"

#endif
