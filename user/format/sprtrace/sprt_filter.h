/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The filters of sp-rtrace's post-processor, as options of every sink of
 * MODEL_SPRTRACE.
 */
#ifndef SPRT_FILTER_H
#define SPRT_FILTER_H

#include "base/map64.h"
#include "io/formats.h"
#include "format/sprtrace/sprt_log.h"
#include "format/sprtrace/sprt_model.h"

enum sprt_sort { SPRT_SIZE_ASC, SPRT_SIZE, SPRT_COUNT_ASC, SPRT_COUNT };

/* Parsed options.  A resource has bit id - 1 in masks; the id of a context is its bit. */
struct sprt_options {
	bool leaks, compress, resolve;
	enum sprt_sort sort;
	const char *sysroot;	/* NULL if not given */
	bool has_depth, has_contexts, has_resources, has_range;
	uint32_t depth, contexts, resources;
	bool has_include;
	struct map64 include, exclude;	/* call numbers */
	char *target;		/* part of a mapped file's path, from --call-address */
	uint64_t start, size;	/* bytes, from --call-address */
};

/*
 * A sink that keeps each log until it is complete, applies the options to it
 * (removes items, shortens backtraces, adds names), and passes it on.  Items that
 * describe the log are updated: the filters of the log item, the depth of the process
 * item, and sprt_log.lowest and highest.
 */
struct sprt_whole {
	struct sink sink;
	struct sprt_log log;
	struct sprt_options options;
	struct diag *diag;
	struct out *out;
	/* Process the complete log.  Return: 0 or negative errno. */
	int (*take)(struct sprt_whole *w);
	struct sink *to;	/* NULL if take() writes to @out itself */
};

/**
 * sprt_whole_open - create the sink
 * @to: owned by the result
 *
 * Return: the sink, or NULL after diag_fatal() if the value of an option is invalid.
 */
struct sink *sprt_whole_open(const struct sink_args *args, int (*take)(struct sprt_whole *w),
			     struct sink *to);

/**
 * sprt_filter_sink - put filters in front of a sink that processes items one by one
 * @to: the sink, which the result owns
 *
 * Return: @to itself if no filter is given, else a sink that keeps each log in
 * memory until it is complete; NULL after diag_fatal() (@to is freed).
 */
struct sink *sprt_filter_sink(struct sink *to, const struct sink_args *args);

#endif
