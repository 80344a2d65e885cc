/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What the parts of the sp-rtrace to FXT converter share.  Only sprt_fxt*.c
 * include this: sprt_fxt_event.c has names, arguments and events,
 * sprt_fxt_block.c the blocks that live and their counters, sprt_fxt.c the sink
 * and what becomes of each item.
 */
#ifndef SPRT_FXT_STATE_H
#define SPRT_FXT_STATE_H

#include <string.h>

#include "format/fxt/fxt_write.h"
#include "format/sprtrace/sprt_live.h"
#include "format/sprtrace/sprt_log.h"
#include "format/sprtrace/sprt_model.h"

/* What is said of a resource, again and again. */
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
	struct sprt_arena scratch;	/* for one item */
	struct fxt_arg *args;		/* of one item */
	size_t nargs, args_cap;

	/* Items before the one that tells the process. */
	struct sprt_log *waiting;
	uint64_t koid;		/* process and thread; 0: not known yet */
	uint32_t pid;
	const char *process;	/* its name */
	struct sprt_live pids;	/* those that were used, as blocks */
	uint64_t made;		/* koids made so far */

	/* From the log's clock to that of the trace. */
	uint64_t start;		/* ns, of the log's first call */
	bool timed;		/* a call has had a time */
	bool untimed;		/* the first call had none */
	uint64_t first_us, last_us, days_us;
	uint64_t now;		/* ns, of the item before */

	struct sprt_fxt_kind kinds[SPRT_RESOURCE_MAX + 1];	/* 0: not described */
	const char *contexts[32];	/* names by bit */
	struct sprt_live live;
	uint64_t spans;		/* async ids given so far */
};

/* ---- sprt_fxt_event.c: texts that live as long as the item ---- */

static inline struct fxt_str sprt_fxt_str(const char *s)
{
	return fxt_str(s, strlen(s));
}

/** sprt_fxt_format - a text, as by printf() */
__attribute__((format(printf, 2, 3)))
const char *sprt_fxt_format(struct sprt_fxt *f, const char *fmt, ...);

/**
 * sprt_fxt_name - a text as a name: UTF-8 and not too long
 * @whole: set to whether it is all there
 */
const char *sprt_fxt_name(struct sprt_fxt *f, const char *s, bool *whole);

/**
 * sprt_fxt_instant_name - the same for an instant: a viewer takes those with
 * "frame" in their names for something else, so it is spelled with a capital
 * letter
 */
const char *sprt_fxt_instant_name(struct sprt_fxt *f, const char *s, bool *whole);

/* ---- sprt_fxt_event.c: arguments of the next instant ---- */

void sprt_fxt_arg(struct sprt_fxt *f, struct fxt_arg arg);
void sprt_fxt_number(struct sprt_fxt *f, const char *name, uint64_t v);
void sprt_fxt_pointer(struct sprt_fxt *f, const char *name, uint64_t v);

/**
 * sprt_fxt_text - text of any bytes and length
 *
 * What is not UTF-8 is shown as far as it can be, and NAME_hex has all of it;
 * what does not fit goes on in NAME[2], NAME[3] ...
 */
void sprt_fxt_text(struct sprt_fxt *f, const char *name, const char *s);

/* ---- sprt_fxt_event.c: events ---- */

/** sprt_fxt_event - an event with arguments of its own, which may be renamed */
void sprt_fxt_event(struct sprt_fxt *f, enum fxt_event_type type, const char *category,
		    const char *name, uint64_t value, struct fxt_arg *args, size_t n);

/**
 * sprt_fxt_instant - an instant with the arguments that were added
 *
 * More than fit into one event go into further ones behind it, all of which
 * begin with the same first argument.
 */
void sprt_fxt_instant(struct sprt_fxt *f, const char *category, const char *name);

/* ---- sprt_fxt_block.c ---- */

/** sprt_fxt_kind - what is known of a resource */
struct sprt_fxt_kind *sprt_fxt_kind(struct sprt_fxt *f, uint32_t resource);

/** sprt_fxt_set_kind - a resource is described */
void sprt_fxt_set_kind(struct sprt_fxt *f, uint32_t id, const char *type, bool refcounted);

/**
 * sprt_fxt_track - a block begins or ends with a call
 * @backtrace: argument that tells who allocated, or of type null
 */
void sprt_fxt_track(struct sprt_fxt *f, const struct sprt_call *call, struct fxt_arg backtrace);

/** sprt_fxt_end_blocks - tell what lives when a log ends: it has leaked, or was in use */
void sprt_fxt_end_blocks(struct sprt_fxt *f);

#endif
