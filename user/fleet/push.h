/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Builds into a server, each once: etrace-push(1).
 *
 * A build counts from when its row is there, which is written last and names the parts
 * that count (rows.h).  So whoever ends in the middle leaves rows that nobody sees, and
 * may push again; and rows of which nobody knows whether they came are sent again as
 * other parts.
 *
 * Rows of several builds go together.  Memory: those of one build while it is read
 * (facts.h), and up to PUSH_BYTES for each of three tables.
 */
#ifndef ETRACE_FLEET_PUSH_H
#define ETRACE_FLEET_PUSH_H

#include "db/db.h"
#include "fleet/server.h"

/* A table's rows are sent when there are so many of them, or bytes. */
#define PUSH_BYTES	(8u << 20)
#define PUSH_ROWS	200000u
/* Days of builds that go together: a server refuses rows for too many partitions. */
#define PUSH_DAYS	32u
/* s after which what waits is sent, be it ever so little */
#define PUSH_SECONDS	10
/* s after which a build is not finished any more: tables_sweep() takes what is a day old */
#define PUSH_OLDEST	(12 * 3600)

struct push_options {
	const char *host;	/* NULL: that of the recording */
	const char *project;	/* NULL: the base name of the directory */
	const char *const *tags;	/* "KEY=VALUE" */
	size_t ntags;
	bool has_begin;
	int64_t begin;		/* ns since 1970; else as answers_realtime() */
	const char *tree;	/* directory that is written as "."; NULL: the first program's */
	/*
	 * Of the file system whose packages and files are asked.  NULL: "/", if the recording
	 * says that it was made on this host; else none is.
	 */
	const char *root;
	bool by_name;		/* programs of which nothing else is known are what they are called */
	bool packages;		/* say whose files are whose */
	bool hash;		/* SHA-256 of files that are still what they were */
	/* a build is there; @id as text; @was: it was before */
	void (*there)(void *ctx, const char *name, const char *id, bool was);
	void *ctx;
};

struct push;

/**
 * push_new - ready to push; the tables were checked
 * @o: stays the caller's, and stays
 * @now: what the server's clock says, s since 1970
 */
struct push *push_new(struct server *s, const struct push_options *o, int64_t now,
		      struct diag *diag);
void push_free(struct push *p);

/**
 * push_build - push that of a database, as soon as it is worth it
 * @name: for messages, and the column name
 *
 * Return: false after diag_fatal(): it will not be there.
 */
bool push_build(struct push *p, struct db *db, const char *name);

/** push_end - push what waits.  Return: false after diag_fatal(). */
bool push_end(struct push *p);

/** push_failed - the server took something not, even after all retries: nothing more is sent */
bool push_failed(const struct push *p);

#endif
