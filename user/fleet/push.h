/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Pushes builds into a server, each once: etrace-push(1).
 *
 * A build exists once its row is in the table of builds.  That row is written last, and lists the
 * parts that count (rows.h).  So an interrupted push leaves only rows that no query sees, and can
 * be repeated.  If it is unknown whether rows have arrived, they are sent again as other parts.
 *
 * Rows of several builds are sent together.  Memory: the facts (facts.h) of one build, and up
 * to PUSH_BYTES for each of 3 tables.
 */
#ifndef ETRACE_FLEET_PUSH_H
#define ETRACE_FLEET_PUSH_H

#include "db/db.h"
#include "fleet/server.h"

/* Waiting rows of a table are sent when they reach this many bytes or rows. */
#define PUSH_BYTES	(8u << 20)
#define PUSH_ROWS	200000u
/* Maximum days of builds sent together: a server refuses rows for too many partitions. */
#define PUSH_DAYS	32u
/* Seconds after which waiting rows are sent, however few they are. */
#define PUSH_SECONDS	10
/* Seconds after which a push fails: tables_sweep() removes its rows after a day. */
#define PUSH_OLDEST	(12 * 3600)

struct push_options {
	const char *host;	/* NULL for the recording's host */
	const char *project;	/* NULL for the base name of the directory */
	const char *const *tags;	/* "KEY=VALUE" */
	size_t ntags;
	bool has_begin;
	int64_t begin;		/* ns since 1970 if has_begin, else answers_realtime() is used */
	const char *tree;	/* directory that is written as "."; NULL for the first program's */
	/*
	 * Root of the file system to look up packages and files in.  NULL for "/" if the
	 * recording is from this host, else for no lookups.
	 */
	const char *root;
	bool by_name;		/* identify unidentified programs by name */
	bool packages;		/* look up which package each file is from */
	bool hash;		/* compute SHA-256 of files that have not changed */
	/* called when a build is stored; @id: text; @was: it was already stored before */
	void (*there)(void *ctx, const char *name, const char *id, bool was);
	void *ctx;
};

struct push;

/**
 * push_new - prepare pushes, after tables_check()
 * @o: not copied; must live as long as the result
 * @now: time of the server's clock in s since 1970
 */
struct push *push_new(struct server *s, const struct push_options *o, int64_t now,
		      struct diag *diag);
void push_free(struct push *p);

/**
 * push_build - push the build of a database, perhaps later, together with others
 * @name: for messages, and the column name
 *
 * Return: false after diag_fatal(), if it will not be stored.
 */
bool push_build(struct push *p, struct db *db, const char *name);

/** push_end - push what still waits.  Return: false after diag_fatal(). */
bool push_end(struct push *p);

/** push_failed - whether the server refused something after all retries; nothing more is sent */
bool push_failed(const struct push *p);

#endif
