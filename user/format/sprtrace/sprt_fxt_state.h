/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * State shared by the parts of the sp-rtrace to FXT converter.  Only sprt_fxt*.c
 * include this: sprt_fxt_event.c writes names and events,
 * sprt_fxt_block.c tracks live blocks and their counters, sprt_fxt.c has the sink
 * and converts each item.
 */
#ifndef SPRT_FXT_STATE_H
#define SPRT_FXT_STATE_H

#include "format/fxt/fxt_args.h"
#include "format/sprtrace/sprt_live.h"
#include "format/sprtrace/sprt_log.h"
#include "format/sprtrace/sprt_model.h"

/* Names and totals of one resource. */
struct sprt_fxt_kind {
	const char *type;	/* category of its events */
	const char *counter, *bytes, *blocks;	/* names of its counter */
	bool refcounted;
	uint64_t live_bytes, live_blocks;
	bool any;		/* the counter has been written */
};

struct sprt_fxt {
	struct sink sink;
	struct diag *diag;
	struct out *out;
	struct fxt_writer *w;
	int err;

	struct sprt_intern names;	/* for as long as the sink lives */
	struct fxt_args args;		/* of one item; also owns its strings */

	/* The log's items before the one with its process; NULL after that. */
	struct sprt_log *waiting;
	uint64_t koid;		/* of process and thread, 0 if not known yet */
	uint32_t pid;
	const char *process;	/* its name */
	struct sprt_live pids;	/* pids already used as koids, stored as blocks */
	uint64_t made;		/* number of koids invented so far */

	/* To convert times of the log to times of the trace: */
	uint64_t start;		/* ns, of the log's first call */
	bool timed;		/* a call had a time */
	bool untimed;		/* the first call had no time */
	uint64_t first_us, last_us, days_us;
	uint64_t now;		/* ns, current trace time */

	struct sprt_fxt_kind kinds[SPRT_RESOURCE_MAX + 1];	/* [0]: not described */
	const char *contexts[32];	/* names by bit */
	struct sprt_live live;
	uint64_t spans;		/* async ids given so far */
};

/* ---- sprt_fxt_event.c: strings that are valid as long as the item ---- */

/**
 * sprt_fxt_name - turn a string into a name: valid UTF-8 and not too long
 * @whole: set to true if the name is the unchanged string
 */
const char *sprt_fxt_name(struct sprt_fxt *f, const char *s, bool *whole);

/**
 * sprt_fxt_instant_name - make a name for an instant, like sprt_fxt_name()
 *
 * A viewer treats instants with "frame" in their names specially, so the word
 * is written with a capital letter.
 */
const char *sprt_fxt_instant_name(struct sprt_fxt *f, const char *s, bool *whole);

/* ---- sprt_fxt_event.c: events ---- */

/** sprt_fxt_event - write an event with arguments of its own */
void sprt_fxt_event(struct sprt_fxt *f, enum fxt_event_type type, const char *category,
		    const char *name, uint64_t value, const struct fxt_arg *args, size_t n);

/** sprt_fxt_instant - write an instant with the arguments, and remove them */
void sprt_fxt_instant(struct sprt_fxt *f, const char *category, const char *name);

/* ---- sprt_fxt_block.c ---- */

/** sprt_fxt_kind - find the strings and counters of a resource */
struct sprt_fxt_kind *sprt_fxt_kind(struct sprt_fxt *f, uint32_t resource);

/** sprt_fxt_set_kind - set the type of a resource that the log describes */
void sprt_fxt_set_kind(struct sprt_fxt *f, uint32_t id, const char *type, bool refcounted);

/**
 * sprt_fxt_track - begin or end the block that a call allocates or frees
 * @backtrace: argument with the allocating backtrace, or of type null
 */
void sprt_fxt_track(struct sprt_fxt *f, const struct sprt_call *call, struct fxt_arg backtrace);

/** sprt_fxt_end_blocks - report blocks live at the end of a log: leaked, or still in use */
void sprt_fxt_end_blocks(struct sprt_fxt *f);

#endif
