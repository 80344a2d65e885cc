/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several output files of one recording: their formats by name, their
 * compression, and what happens when one of them cannot be written any more.
 */
#ifndef ETRACE_OUTPUTS_H
#define ETRACE_OUTPUTS_H

#include "formats.h"

struct outputs;

/* Told at once, and once for each output: it cannot be written any more. */
typedef void outputs_failed_fn(void *ctx, const char *path, int err);

struct outputs *outputs_new(enum model model, outputs_failed_fn *failed, void *ctx);

/**
 * outputs_add - create one more file, mode 0600
 * @path: its name; its end says the format (.fxt, .etrace, .json) and the
 *	compression behind that (.gz, .zst)
 * @to: the format, whatever the name; NULL: by the name
 * @why: on failure, what is wrong, for a person
 *
 * An existing file is emptied and its mode set; anything else that can be
 * written to (a pipe, a device) is left as it is.
 */
bool outputs_add(struct outputs *o, const char *path, const char *to, char *why,
		 size_t size);

/** outputs_sink - open all sinks; after the last outputs_add()
 *
 * Return: a sink, owned by the outputs; it never fails.
 */
struct sink *outputs_sink(struct outputs *o, const struct opts *opts,
			  struct diag *diag, const char *source);

/** outputs_sync - what was written so far becomes readable */
void outputs_sync(struct outputs *o);

/** outputs_bytes - written so far, before compression */
uint64_t outputs_bytes(const struct outputs *o);

/** outputs_end - end and close all. Return: how many could not be written whole. */
unsigned int outputs_end(struct outputs *o);

unsigned int outputs_count(const struct outputs *o);
/** outputs_path - of the i-th; @err: set to 0 or the errno that ended it */
const char *outputs_path(const struct outputs *o, unsigned int i, int *err);

/** outputs_free - free; files that were not ended stay as far as they are */
void outputs_free(struct outputs *o);

#endif
