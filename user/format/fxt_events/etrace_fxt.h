/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Definitions shared by the writer and the reader of etrace's FXT files: the names that
 * are not in kernel/etrace_events.def.  See Documentation/fxt-mapping.md.
 */
#ifndef ETRACE_ETRACE_FXT_H
#define ETRACE_ETRACE_FXT_H

#include "event/event.h"
#include "event/proctab.h"

#define ETRACE_FXT_PROVIDER_ID	1u
#define ETRACE_FXT_PROVIDER	"etrace"
/* Raised when a reader of the older mapping would misread the file. */
/* 1: signals were numbers; errors and marks were lines outside the format. */
/* 2: all values were written, also those that rarely change. */
#define ETRACE_FXT_VERSION	3u
/* Version of a view, from which the events cannot be restored. */
#define ETRACE_FXT_VIEW_VERSION	4u

/* The process "build", for what no single event shows, and its maximum lanes and waits. */
#define ETRACE_FXT_BUILD_KOID	PROCTAB_FIRST_OWN_KOID
#define ETRACE_FXT_MAX_LANES	4096u
#define ETRACE_FXT_MAX_WAITS	64u
/* First koid for threads of compilers that appear only in the compilers' own time traces. */
#define ETRACE_FXT_INSIDE_KOID	(ETRACE_FXT_BUILD_KOID + ETRACE_FXT_MAX_LANES + ETRACE_FXT_MAX_WAITS + 1)

/* Categories in addition to those of et_kinds. */
#define ETRACE_FXT_CAT_FORK	"fork"	/* slice of a program that was forked */
#define ETRACE_FXT_CAT_META	"etrace"

/* Records that are not events of the trace, in ETRACE_FXT_CAT_META. */
#define ETRACE_FXT_HEAD		"trace"		/* at the beginning */
#define ETRACE_FXT_VERDICT	"verdict"	/* at the end */
#define ETRACE_FXT_MORE		"more"		/* more arguments of the event
						 * right before
						 */

/* Arguments in addition to those of et_kinds and et_marking_names. */
#define ETRACE_FXT_CPU		"cpu"
#define ETRACE_FXT_FAILED	"failed"
#define ETRACE_FXT_ERROR	"error"		/* "ENOENT" */
#define ETRACE_FXT_INCOMPLETE	"incomplete"	/* description for users */
#define ETRACE_FXT_LINES	"lines"		/* the lines, if the other
						 * arguments are not enough
						 */
#define ETRACE_FXT_STAMPS	"stamps"	/* "item,byte,cpu,ns;..." */
#define ETRACE_FXT_LATE		"late"
#define ETRACE_FXT_UPID		"upid"
#define ETRACE_FXT_COUNT	"count"		/* number of lost events */
#define ETRACE_FXT_VIEW		"view"		/* in ETRACE_FXT_HEAD: events were left out */

/* Suffix of the argument that has the bytes, in hex, of a string that is not UTF-8. */
#define ETRACE_FXT_HEX		"_hex"

/*
 * Steady values: those that rarely change between two events of one path, such as
 * device and inode.  All of them are left out if the last event of that path and kind
 * had equal ones.  What was written for a path holds until it is written again, or until
 * the path gets a new String record.  A bit for each value of a kind; the path is
 * string 0 of the kind.
 */
extern const uint16_t etrace_fxt_steady[ET_K_COUNT];
#define ETRACE_FXT_MAX_STEADY	6

/* The steady values last written for a path. */
struct etrace_fxt_values {
	uint8_t kind;		/* kind of that event */
	int64_t val[ETRACE_FXT_MAX_STEADY];
};

/** etrace_fxt_has_values - whether an event has all steady values of its kind, and there are any */
static inline bool etrace_fxt_has_values(const struct et_event *ev)
{
	uint16_t steady = etrace_fxt_steady[ev->kind];

	return steady && (ev->given & steady) == steady && !(ev->big & steady);
}

/** etrace_fxt_values_match - whether an event with etrace_fxt_has_values() has these values */
bool etrace_fxt_values_match(const struct etrace_fxt_values *v, const struct et_event *ev);
/** etrace_fxt_values_set - remember the steady values of such an event */
void etrace_fxt_values_set(struct etrace_fxt_values *v, const struct et_event *ev);
/** etrace_fxt_values_give - add the values to an event that lacks them, if its kind is equal */
void etrace_fxt_values_give(const struct etrace_fxt_values *v, struct et_event *ev);

#endif
