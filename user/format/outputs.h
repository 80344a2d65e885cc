/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Several output files of one recording: their formats by name, their
 * compression, and what becomes of each of them.
 *
 * Each is locked, has a queue in memory and a thread that writes it: one that
 * is slow, stalls or fails takes nothing from the others, and nobody waits for
 * it.  One whose queue is full loses events, which stands in it like any other
 * loss.
 */
#ifndef ETRACE_OUTPUTS_H
#define ETRACE_OUTPUTS_H

#include "io/formats.h"

struct outputs;

/*
 * Told at once, and once for each output: nothing more is written to it.
 * @fault: why, for a person
 */
typedef void outputs_failed_fn(void *ctx, const char *path, const char *fault);

/**
 * outputs_new - none yet
 * @limit: bytes that may wait in memory to be written, in all; the outputs get
 *	equal parts
 */
struct outputs *outputs_new(uint64_t limit, outputs_failed_fn *failed, void *ctx);

/**
 * outputs_add - open and lock one more file (out_place.h)
 * @path: its name; its end says the format (.fxt, .etrace, .json) and the
 *	compression behind that (.gz, .zst)
 * @to: the format, whatever the name; NULL: by the name
 * @why: on failure, what is wrong, for a person
 *
 * Anything that can be written to will do (a pipe, a device), but not a file
 * or pipe that is an output already, of this recording or another.
 */
bool outputs_add(struct outputs *o, const char *path, const char *to, char *why,
		 size_t size);

/**
 * outputs_empty - make what is there go in those files that cannot be replaced; after
 *	the last outputs_add(), before outputs_sink()
 * @why: on failure, what is wrong, for a person
 */
bool outputs_empty(struct outputs *o, char *why, size_t size);

/**
 * outputs_appear - what is recorded is worth keeping: files get their names, and what was
 *	there goes on as NAME.old
 *
 * Until then nobody sees anything of them.  What fails is told at the end.
 */
void outputs_appear(struct outputs *o);

/** outputs_sink - open all sinks
 *
 * Return: a sink for struct et_event, owned by the outputs; it never fails.
 */
struct sink *outputs_sink(struct outputs *o, const struct opts *opts, const char *source);

/** outputs_sync - what was written so far becomes readable, soon */
void outputs_sync(struct outputs *o);

/** outputs_settle - wait until that is so, but no longer than @ms for each */
void outputs_settle(struct outputs *o, unsigned int ms);

/** outputs_bytes - written so far, before compression */
uint64_t outputs_bytes(const struct outputs *o);

/** outputs_waiting - bytes of memory that hold what is not written yet */
uint64_t outputs_waiting(const struct outputs *o);

/* ---- the end ---- */

/* To be counted in before outputs_end(): stands in the output then. */
struct diag *outputs_diag(struct outputs *o, unsigned int i);
/** outputs_lost - events that the i-th did not take in time */
uint64_t outputs_lost(const struct outputs *o, unsigned int i);
/** outputs_last - to one of them, whatever waits: what tells how it ended */
void outputs_last(struct outputs *o, unsigned int i, const void *item);

/** outputs_end - end all; does not wait until they are written */
void outputs_end(struct outputs *o);

/** outputs_fd - readable when one more of them has ended */
int outputs_fd(const struct outputs *o);

/** outputs_ended - whether all are written, and on the disk */
bool outputs_ended(struct outputs *o);

/** outputs_stalled - one that has not ended, NULL if all have */
const char *outputs_stalled(const struct outputs *o);

/**
 * outputs_close - give up what does not end at once, and see what is there
 *
 * The threads of those that have ended are gone then.  A fork() while a thread ends can leave
 * the child with locks that nobody releases: those of AddressSanitizer's malloc() for one.
 *
 * Return: how many are not whole.
 */
unsigned int outputs_close(struct outputs *o);

unsigned int outputs_count(const struct outputs *o);
const char *outputs_path(const struct outputs *o, unsigned int i);
/** outputs_fault - why the i-th is not whole, for a person; NULL: it is */
const char *outputs_fault(const struct outputs *o, unsigned int i);

/** outputs_free - free; files that were not ended stay as far as they are */
void outputs_free(struct outputs *o);

#endif
