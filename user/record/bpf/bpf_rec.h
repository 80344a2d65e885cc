/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Turns records of the BPF programs (bpf_abi.h) into events: assembles strings, joins
 * the names that a hook saw to their call, and sorts events by time.  The events are the
 * same as those made of the module's records (rec_events.c).
 *
 * It keeps in memory the parts and held names of calls in progress, and a window of
 * complete events.
 */
#ifndef ETRACE_BPF_REC_H
#define ETRACE_BPF_REC_H

#include "event/event.h"
#include "io/formats.h"
#include "record/rec_tally.h"

struct buf;
struct eb_maker;

/* Counts of what has been received so far. */
struct bpf_rec_tally {
	/* as with the module; @records counts what the programs count as events */
	struct rec_tally t;
	uint64_t damaged;	/* records that make no sense and were skipped */
	uint64_t resolved;	/* targets of symbolic links that were looked up */
	uint64_t unresolved;	/* number of @resolved: EB_TARGET_UNKNOWN */
	uint64_t untold;	/* number of @resolved: EB_TARGET_UNTOLD */
	uint64_t bytes;		/* total size of the records */
};

/* What is known about the target of a symbolic link. */
enum eb_target {
	EB_TARGET_UNTOLD = -2,	/* unknown without asking another process or machine */
	EB_TARGET_UNKNOWN = -1,	/* can no longer be known */
	EB_TARGET_NONE = 0,	/* does not exist */
	EB_TARGET_FOUND = 1,
};

struct bpf_rec_ops {
	/*
	 * Does the target of a symbolic link exist, as its maker sees it?
	 * @groups: group ids of @maker, NULL if unknown
	 * Return: enum eb_target; if found, @to is filled with the target's path.
	 */
	int (*resolve)(void *arg, const struct eb_maker *maker, const uint32_t *groups,
			const struct buf *target, const struct buf *link, struct buf *to);
	void *arg;
	const char *keep_env;	/* list for et_keep_env(), copied; NULL if none */
	bool env_listed;	/* record only those variables; secret ones are still hidden */
};

struct bpf_rec;

/**
 * bpf_rec_new - make a converter
 * @sink: gets each struct et_event; the caller frees it
 * @ops: copied; resolve may be NULL, then targets count as unread
 */
struct bpf_rec *bpf_rec_new(struct sink *sink, const struct bpf_rec_ops *ops);
void bpf_rec_free(struct bpf_rec *b);

/**
 * bpf_rec_take - take one record
 * @data, @size: its bytes, which need not be valid
 *
 * Return: 0 or the sink's negative errno.
 */
int bpf_rec_take(struct bpf_rec *b, const void *data, size_t size);

/** bpf_rec_seen - send events; all records with times before @time (ns) have been taken */
int bpf_rec_seen(struct bpf_rec *b, uint64_t time);

/** bpf_rec_end - send the remaining events, after all records have been taken */
int bpf_rec_end(struct bpf_rec *b);

const struct bpf_rec_tally *bpf_rec_tally(const struct bpf_rec *b);

#endif
