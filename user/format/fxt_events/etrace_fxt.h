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
/* Version of the mapping, raised when older readers would misread the file. */
/* In version 1, signals were numbers; errors and marks were lines outside the format. */
/* In version 2, all values were written, even those that rarely change. */
#define ETRACE_FXT_VERSION	3u
/* Version of a view, from which the events cannot be restored. */
#define ETRACE_FXT_VIEW_VERSION	4u

/* The process "build" shows what no single event does. Its koid, maximum lanes and waits. */
#define ETRACE_FXT_BUILD_KOID	PROCTAB_FIRST_OWN_KOID
#define ETRACE_FXT_MAX_LANES	4096u
#define ETRACE_FXT_MAX_WAITS	64u
/* First koid for threads of compilers that appear only in the compilers' own time traces. */
#define ETRACE_FXT_INSIDE_KOID	(ETRACE_FXT_BUILD_KOID + ETRACE_FXT_MAX_LANES + ETRACE_FXT_MAX_WAITS + 1)

/* Categories in addition to those of et_kinds. */
#define ETRACE_FXT_CAT_FORK	"fork"	/* slice of a program that was forked */
#define ETRACE_FXT_CAT_META	"etrace"

/* Records that are not events of the trace, in ETRACE_FXT_CAT_META. */
#define ETRACE_FXT_HEAD		"trace"		/* event at the beginning */
#define ETRACE_FXT_VERDICT	"verdict"	/* event at the end */
#define ETRACE_FXT_MORE		"more"		/* more arguments of the event
						 * right before
						 */

/* Argument names in addition to those in et_kinds and et_marking_names. */
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
 * Steady values: those that rarely change between two events of one path, such as device
 * and inode.  An event omits all of them if they equal those of the last event of the
 * same path and kind. The values written for a path apply until others are written, or
 * until the path gets a new String record. Each kind has a bit for each steady value;
 * the path is string 0 of the kind.
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

/**
 * etrace_fxt_values_match - whether an event has these values; call only if
 * etrace_fxt_has_values()
 */
bool etrace_fxt_values_match(const struct etrace_fxt_values *v, const struct et_event *ev);
/** etrace_fxt_values_set - remember the steady values of an event with etrace_fxt_has_values() */
void etrace_fxt_values_set(struct etrace_fxt_values *v, const struct et_event *ev);
/** etrace_fxt_values_give - add the values to an event of the same kind that lacks them */
void etrace_fxt_values_give(const struct etrace_fxt_values *v, struct et_event *ev);

#endif
