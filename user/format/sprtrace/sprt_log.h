/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * One sp-rtrace log held in memory, for reports, filters, sorting calls and
 * resolving addresses, which all need the whole log.  Equal strings and equal backtraces
 * are stored once.
 */
#ifndef SPRT_LOG_H
#define SPRT_LOG_H

#include "base/map64.h"
#include "base/pool.h"
#include "io/formats.h"
#include "format/sprtrace/sprt_model.h"

/* ---- memory of items ---- */

/* Buffers for what the pointers of an item point to.  Initialize with zeros. */
struct sprt_room {
	struct pool strings;
	struct sprt_arg *arg;
	size_t arg_cap;
	uint64_t *frame;
	size_t frame_cap;
};

void sprt_room_free(struct sprt_room *room);

/* Set of byte strings, each stored once with a NUL after it.  Initialize with zeros. */
struct sprt_intern {
	struct pool pool;
	struct map64 copies;	/* hash to copy: const void * */
};

/**
 * sprt_intern - get the only copy of a byte string
 * @data: @len bytes of any value
 *
 * Return: the copy, aligned as by malloc() and followed by a NUL, which @in owns.  Equal
 * strings have the same copy.
 */
const void *sprt_intern(struct sprt_intern *in, const void *data, size_t len);
const char *sprt_intern_str(struct sprt_intern *in, const char *s);
void sprt_intern_free(struct sprt_intern *in);

/**
 * sprt_shown - make text of a log printable: cut it to fit, replace control characters by '?'
 * @buf: @size bytes for the result
 *
 * Return: @buf.
 */
const char *sprt_shown(char *buf, size_t size, const char *text);

/* ---- a log ---- */

/* A stored item.  Its pointers can be compared: equal strings or backtraces are stored once. */
struct sprt_kept {
	struct sprt_kept *next;
	/* Allocated only up to item.comment if it is a comment: a log can have many. */
	struct sprt_item item;
};

/* Initialize with zeros; sprt_log_clear() frees its memory. */
struct sprt_log {
	struct sprt_kept *first, *last;	/* in order of arrival, SPRT_LOG first; NULL if none */
	struct sprt_kept **calls;	/* the calls, in order of arrival until sprt_log_sort() */
	size_t ncalls, calls_cap;
	/* The last resource with each id, even if a filter has removed it; NULL if none. */
	const struct sprt_resource *resources[SPRT_RESOURCE_MAX + 1];

	/* Lowest and highest id of an allocated block, before --leaks removes blocks. */
	uint64_t lowest, highest;

	struct sprt_intern strings;	/* strings; also backtraces and arguments, as bytes */
};

/** sprt_log_clear - forget everything, for the next log */
void sprt_log_clear(struct sprt_log *log);

/** sprt_log_add - keep a copy of an item */
void sprt_log_add(struct sprt_log *log, const struct sprt_item *item);

/** sprt_resource_of - find the resource of a call; NULL if the log does not describe it */
const struct sprt_resource *sprt_resource_of(const struct sprt_log *log,
					     const struct sprt_call *call);

/** sprt_by_number - compare two calls for qsort() */
int sprt_by_number(const struct sprt_item *x, const struct sprt_item *y);

/** sprt_log_sort - sort the calls by number */
void sprt_log_sort(struct sprt_log *log);

/**
 * sprt_log_set_trace - replace the backtrace of a call
 * @n: number of frames
 * @resolved: @n texts, each of which can be NULL; or NULL if none
 */
void sprt_log_set_trace(struct sprt_log *log, struct sprt_call *call,
			const uint64_t *frames, const char *const *resolved,
			uint32_t n);

/**
 * sprt_log_find - find the next item of a kind that no filter has removed; not for calls
 * @at: the item before it, NULL for the first; set to the item
 *
 * Return: the item, or NULL after the last.
 */
struct sprt_item *sprt_log_find(const struct sprt_log *log, enum sprt_kind kind,
				struct sprt_kept **at);

/**
 * sprt_log_replay - pass everything that is not removed to a sink, in order of
 * arrival (comments directly before the call that they precede)
 *
 * Return: 0 or the sink's negative errno.
 */
int sprt_log_replay(const struct sprt_log *log, struct sink *to);

/**
 * sprt_resolve - find a text for every frame of a log: sprt_resolve.c
 * @sysroot: directory that holds the traced machine's files, or NULL for /
 *
 * The texts are those of sp-rtrace-resolve: "name() at file:line",
 * "name() from path", "from path", "in ??"; a C++ name is demangled and brings
 * its own parentheses.  A frame that already has a text keeps it if neither a
 * symbol nor a source line is found for it.
 */
void sprt_resolve(struct sprt_log *log, const char *sysroot, struct diag *diag);

#endif
