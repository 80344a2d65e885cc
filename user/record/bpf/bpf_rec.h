/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * From the records of the BPF programs (bpf_abi.h) to events of the model:
 * strings put together, names that a hook showed joined to the call that they
 * belong to, events in the order of time.  The events are those that the
 * module's records become (rec_events.c).
 *
 * Memory: the parts and held names of calls in progress, and a window of whole
 * events.
 */
#ifndef ETRACE_BPF_REC_H
#define ETRACE_BPF_REC_H

#include "event/event.h"
#include "io/formats.h"
#include "record/rec_tally.h"

struct buf;
struct eb_maker;

/* What has come so far. */
struct bpf_rec_tally {
	/* as of the module; records are what the programs count as events */
	struct rec_tally t;
	uint64_t damaged;	/* records that make no sense, passed over */
	uint64_t resolved;	/* targets of symbolic links looked up afterwards */
	uint64_t unresolved;	/* of them, those of which nobody can tell any more */
	uint64_t untold;	/* of them, those of which nobody can without asking */
	uint64_t bytes;		/* of all records */
};

/* What is known of the target of a symbolic link. */
enum eb_target {
	EB_TARGET_UNTOLD = -2,	/* nothing without asking a file system */
	EB_TARGET_UNKNOWN = -1,	/* nobody can tell any more */
	EB_TARGET_NONE = 0,	/* it leads nowhere */
	EB_TARGET_FOUND = 1,
};

struct bpf_rec_ops {
	/*
	 * Does the target of a symbolic link exist, as its maker sees it?
	 * @maker: with @groups, which is NULL where they are not known
	 * Return: enum eb_target; if found, @to is filled with the path that it
	 * leads to.
	 */
	int (*resolve)(void *arg, const struct eb_maker *maker, const uint32_t *groups,
			const struct buf *target, const struct buf *link, struct buf *to);
	void *arg;
	const char *keep_env;	/* of et_keep_env(), copied; NULL: none */
	bool env_listed;	/* only those are recorded, and they are hidden as any other */
};

struct bpf_rec;

/**
 * bpf_rec_new - nothing has come yet
 * @sink: takes struct et_event; stays the caller's
 * @ops: copied; resolve may be NULL, then targets count as unread
 */
struct bpf_rec *bpf_rec_new(struct sink *sink, const struct bpf_rec_ops *ops);
void bpf_rec_free(struct bpf_rec *b);

/**
 * bpf_rec_take - one record
 * @data, @size: its bytes; may be anything
 *
 * Return: 0 or the sink's negative errno.
 */
int bpf_rec_take(struct bpf_rec *b, const void *data, size_t size);

/** bpf_rec_seen - no record from before @time will come any more (ns) */
int bpf_rec_seen(struct bpf_rec *b, uint64_t time);

/** bpf_rec_end - nothing more will come: let everything out */
int bpf_rec_end(struct bpf_rec *b);

const struct bpf_rec_tally *bpf_rec_tally(const struct bpf_rec *b);

#endif
