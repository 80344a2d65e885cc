/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * State shared by the parts of the SWAP to FXT converter.  Only swap_fxt*.c include
 * this: swap_fxt.c has the sink, swap_fxt_messages.c writes messages, swap_fxt_system.c writes
 * the system's state, and swap_fxt_event.c has what these use.
 */
#ifndef ETRACE_SWAP_FXT_STATE_H
#define ETRACE_SWAP_FXT_STATE_H

#include "base/buf.h"
#include "io/formats.h"
#include "format/fxt/fxt_args.h"
#include "format/swap/swap_frame.h"
#include "format/swap/swap_process.h"

/* Maximum bytes in the name of an event or track. */
#define SWAP_NAME_BYTES	240u

/* Nanoseconds in a second. */
#define SWAP_SECOND	1000000000u

/* FXT has only 8 bits for the processor. */
#define SWAP_FXT_CPUS	256u

/* A thread that has left a processor on which no other thread has been seen since. */
struct swap_leaving {
	uint64_t time;		/* ns since swap_fxt.zero */
	uint64_t process, thread;	/* koids, 0 if there is none */
};

struct swap_fxt {
	struct sink base;
	struct out *out;
	struct diag *diag;
	struct fxt_writer *w;	/* NULL before the trace begins */
	struct swap_processes *ps;
	uint64_t system_process, system_thread;	/* koids for events without a pid */
	uint64_t next_span;
	uint64_t zero;		/* wall clock where the trace begins, ns since 1970 */
	uint64_t last_time;	/* latest time so far, ns since @zero */
	struct swap_leaving leaving[SWAP_FXT_CPUS];	/* by processor */

	struct swap_queue waiting;	/* first messages, kept until @zero is known */

	/* For the message that is being written: */
	const struct swap_item *item;
	const struct swap_message *m;
	uint64_t time;		/* ns since @zero */
	struct swap_fields f;
	struct fxt_args args;
	bool starting;		/* start of a call: result and errno are not arguments */
	struct buf text;	/* the arguments of a call */
};

/* Convert wall clock time to trace time, both ns; 0 if before the trace begins. */
static inline uint64_t swap_fxt_time(const struct swap_fxt *s, uint64_t wall)
{
	return wall > s->zero ? wall - s->zero : 0;
}

/* ---- swap_fxt_event.c ---- */

/**
 * swap_fxt_make_name - turn text into a name: valid UTF-8, not too long
 * @buf: room for SWAP_NAME_BYTES and a NUL
 */
void swap_fxt_make_name(char *buf, const char *s, size_t len);

/**
 * swap_fxt_location - format an address as LIBRARY+OFFSET, or in hexadecimal if not mapped
 * @buf: room for SWAP_NAME_BYTES and a NUL
 * @p: process with the mappings; may be NULL
 *
 * Return: whether it is mapped.
 */
bool swap_fxt_location(char *buf, const struct swap_process *p, uint64_t addr);

/** swap_fxt_name_track - write the name of a track: of a thread, or of the process if @t is NULL */
void swap_fxt_name_track(struct swap_fxt *s, const struct swap_process *p,
			 const struct swap_thread *t, const char *text, size_t len);

/* The last two add the process or thread if they do not find it. */
struct swap_process *swap_fxt_add_process(struct swap_fxt *s, uint32_t pid);
struct swap_process *swap_fxt_get_process(struct swap_fxt *s, uint32_t pid);
struct swap_thread *swap_fxt_get_thread(struct swap_fxt *s, struct swap_process *p, uint32_t tid);

/** swap_fxt_process - find or add the process of the message; NULL if it names none */
struct swap_process *swap_fxt_process(struct swap_fxt *s);

/** swap_fxt_thread - find or add the thread of the message, by tid, else by pid; or NULL */
struct swap_thread *swap_fxt_thread(struct swap_fxt *s);

/** swap_fxt_event - write an event with @s->args; @t: NULL for the system's track */
void swap_fxt_event(struct swap_fxt *s, enum fxt_event_type type, uint64_t time,
		    const struct swap_thread *t, const char *category, const char *name,
		    uint64_t value);

/** swap_fxt_instant - write an instant on the message's thread, at the message's time */
void swap_fxt_instant(struct swap_fxt *s, const char *category, const char *name);

/** swap_fxt_counter - write a counter with @s->args; @p: NULL for the system */
void swap_fxt_counter(struct swap_fxt *s, struct swap_process *p, const char *name, uint64_t id);

/**
 * swap_fxt_collect - collect the message's fields into @s->f and as arguments
 * @prefix: for the arguments' names, or NULL; not used for result and errno
 */
void swap_fxt_collect(struct swap_fxt *s, const char *prefix);

/** swap_fxt_element - write an element of a list as an instant; for swap_each() with @ctx */
void swap_fxt_element(void *ctx, const struct swap_fields *e);

/**
 * swap_fxt_not_before - keep times from going back
 * @last: the previous time; set to the result
 *
 * Return: the later of @time and @last.  If that is @last, adds the difference to @s->args.
 */
uint64_t swap_fxt_not_before(struct swap_fxt *s, uint64_t *last, uint64_t time);

/** swap_fxt_begin - begin a slice on the message's thread, with @s->args */
void swap_fxt_begin(struct swap_fxt *s, const char *category, uint64_t key,
		    const char *name);

/** swap_fxt_finish - end a slice; @name: used only if its begin is missing */
void swap_fxt_finish(struct swap_fxt *s, const char *category, uint64_t key,
		     const char *name);

/** swap_fxt_end_unfinished - end all slices above @depth; @why: reason, added as argument */
void swap_fxt_end_unfinished(struct swap_fxt *s, struct swap_thread *t, uint64_t time,
			     size_t depth, const char *why);

/* ---- swap_fxt_messages.c ---- */

/** swap_fxt_message - write the message */
void swap_fxt_message(struct swap_fxt *s);

/** swap_fxt_end_process - end all open slices and spans of a process, but keep it */
void swap_fxt_end_process(struct swap_fxt *s, struct swap_process *p, uint64_t time,
			  const char *why);

/* ---- swap_fxt_system.c ---- */

/** swap_fxt_flush_leaving - write a thread's pending departure from @cpu, which is then idle */
void swap_fxt_flush_leaving(struct swap_fxt *s, uint32_t cpu);

void swap_fxt_on_switch(struct swap_fxt *s);
void swap_fxt_on_system(struct swap_fxt *s);

#endif
