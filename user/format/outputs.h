/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Writes several output files of one recording, chooses their formats and compression
 * by name, and keeps the state of each.
 *
 * Each output is locked, and has a queue in memory and a thread that writes it: one that
 * is slow, stalls or fails does not disturb the others, and nothing waits for it.  An
 * output whose queue is full loses events, and records that like any other loss.
 */
#ifndef ETRACE_OUTPUTS_H
#define ETRACE_OUTPUTS_H

#include "io/formats.h"

struct outputs;

/*
 * Called immediately, and once for each output, when nothing more will be written to it.
 * @fault: the reason, as text for users
 */
typedef void outputs_failed_fn(void *ctx, const char *path, const char *fault);

/**
 * outputs_new - make a set of outputs, which is empty
 * @limit: bytes that may wait in memory to be written, for all outputs together; each
 *	gets an equal share
 */
struct outputs *outputs_new(uint64_t limit, outputs_failed_fn *failed, void *ctx);

/**
 * outputs_add - open and lock one more file (out_place.h)
 * @path: its name; the suffix gives the format (.fxt, .etrace, .json), and a second one
 *	after it the compression (.gz, .zst)
 * @to: the format, regardless of the name; NULL to use the name
 * @why: on failure, gets the reason, as text for users
 *
 * The output may be anything that can be written to, also a pipe or a device, but not a
 * file or pipe that is already an output of this or another recording.
 */
bool outputs_add(struct outputs *o, const char *path, const char *to, char *why,
		 size_t size);

/**
 * outputs_empty - truncate the existing files that cannot be replaced; call it after
 *	the last outputs_add(), before outputs_sink()
 * @why: on failure, gets the reason, as text for users
 */
bool outputs_empty(struct outputs *o, char *why, size_t size);

/**
 * outputs_appear - give the files their names, when the recording is worth keeping; an
 *	existing file is renamed to NAME.old
 *
 * Until then the new files are not visible.  Failures are reported at the end.
 */
void outputs_appear(struct outputs *o);

/** outputs_sink - open all sinks
 *
 * Return: a sink for struct et_event, owned by the outputs; it never fails.
 */
struct sink *outputs_sink(struct outputs *o, const struct opts *opts, const char *source);

/** outputs_sync - make what was written so far readable soon; does not wait */
void outputs_sync(struct outputs *o);

/** outputs_settle - wait until outputs_sync() is done, up to @ms milliseconds for each output */
void outputs_settle(struct outputs *o, unsigned int ms);

/** outputs_bytes - bytes written so far, before compression */
uint64_t outputs_bytes(const struct outputs *o);

/** outputs_waiting - bytes in memory that are not written yet */
uint64_t outputs_waiting(const struct outputs *o);

/* ---- the end ---- */

/* Diagnostics of the i-th output; counts up to outputs_end() are written to the output. */
struct diag *outputs_diag(struct outputs *o, unsigned int i);
/** outputs_lost - number of events that the i-th output lost because its queue was full */
uint64_t outputs_lost(const struct outputs *o, unsigned int i);
/** outputs_last - write a last event, on how it ended, even if the output's queue is full */
void outputs_last(struct outputs *o, unsigned int i, const void *item);

/** outputs_end - end all outputs; does not wait until they are written */
void outputs_end(struct outputs *o);

/** outputs_fd - file descriptor that is readable when another output has ended */
int outputs_fd(const struct outputs *o);

/** outputs_ended - whether all outputs are written, and on the disk */
bool outputs_ended(struct outputs *o);

/** outputs_stalled - path of an output that has not ended, NULL if all have */
const char *outputs_stalled(const struct outputs *o);

/**
 * outputs_close - give up the outputs that do not end promptly, and check the others
 *
 * Afterwards, the threads of ended outputs have exited.  This matters for fork(): in a
 * child forked while a thread ends, locks may never be released, such as those of
 * AddressSanitizer's malloc().
 *
 * Return: number of incomplete outputs.
 */
unsigned int outputs_close(struct outputs *o);

unsigned int outputs_count(const struct outputs *o);
const char *outputs_path(const struct outputs *o, unsigned int i);
/** outputs_fault - why the i-th is incomplete, as text for users; NULL if it is complete */
const char *outputs_fault(const struct outputs *o, unsigned int i);

/** outputs_free - free everything; files of outputs that were not ended stay incomplete */
void outputs_free(struct outputs *o);

#endif
