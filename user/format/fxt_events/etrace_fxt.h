/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What the FXT files of etrace have in common between writer and reader: the
 * names that are not in kernel/etrace_events.def.  Documentation/fxt-mapping.md.
 */
#ifndef ETRACE_ETRACE_FXT_H
#define ETRACE_ETRACE_FXT_H

#include "event/event.h"
#include "event/proctab.h"

#define ETRACE_FXT_PROVIDER_ID	1u
#define ETRACE_FXT_PROVIDER	"etrace"
/* Raised when a reader of the older mapping would read wrongly. */
/* 1: signals were numbers; errors and marks were lines outside the format. */
/* 2: nothing was left out. */
#define ETRACE_FXT_VERSION	3u
/* Of a view: no events can be made of it again. */
#define ETRACE_FXT_VIEW_VERSION	4u

/* The process "build", which shows what no event tells, and how many lanes it has at most. */
#define ETRACE_FXT_BUILD_KOID	PROCTAB_FIRST_OWN_KOID
#define ETRACE_FXT_MAX_LANES	4096u
#define ETRACE_FXT_MAX_WAITS	64u
/* Threads of compilers that the trace does not have, but their own time traces do. */
#define ETRACE_FXT_INSIDE_KOID	(ETRACE_FXT_BUILD_KOID + ETRACE_FXT_MAX_LANES + ETRACE_FXT_MAX_WAITS + 1)

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
#define ETRACE_FXT_VIEW		"view"		/* of ETRACE_FXT_HEAD: events were left out */

/* Suffix of the argument with the bytes of one that is not UTF-8. */
#define ETRACE_FXT_HEX		"_hex"

/*
 * Values that stay what they are from call to call.  They are left out, all of a
 * kind, where the event of that path before, which is of the same kind, had the
 * same: what is told of a path holds until it is told anew, or its String record
 * is written again.  A bit each; the path is string 0 of the kind.
 */
extern const uint16_t etrace_fxt_steady[ET_K_COUNT];
#define ETRACE_FXT_MAX_STEADY	6

struct etrace_fxt_told {
	uint8_t kind;		/* of the event that told it */
	int64_t val[ETRACE_FXT_MAX_STEADY];
};

/** etrace_fxt_tells - whether an event has all steady values of its kind, which has some */
static inline bool etrace_fxt_tells(const struct et_event *ev)
{
	uint16_t steady = etrace_fxt_steady[ev->kind];

	return steady && (ev->given & steady) == steady && !(ev->big & steady);
}

/** etrace_fxt_is_told - whether an event that etrace_fxt_tells() has what was told */
bool etrace_fxt_is_told(const struct etrace_fxt_told *told, const struct et_event *ev);
/** etrace_fxt_tell - take note of what such an event has */
void etrace_fxt_tell(struct etrace_fxt_told *told, const struct et_event *ev);
/** etrace_fxt_take - give an event without them the values that were told, of its kind */
void etrace_fxt_take(const struct etrace_fxt_told *told, struct et_event *ev);

#endif
