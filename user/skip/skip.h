/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An experiment: steps of a build that need not run (Documentation/experimental-skip.md).
 *
 * A step is everything that a process and its descendants do from an execve on. Its key is the
 * state in which its program begins. Its entry lists the facts about files that must hold, each as
 * text that is computed again and compared, and the files that the step makes.
 *
 * A store is a directory:
 *
 *	steps/KEY/ID	entries; KEY and ID are SHA-256 in hexadecimal digits
 *	objects/ID	contents of files that steps made
 *	hashes		a content_cache: hashes of files of this machine
 *	log		one line for each program that etrace asked about
 *
 * Any number of processes may use one store at the same time: every file is complete, with its
 * checksum, before it gets its name.
 */
#ifndef ETRACE_SKIP_H
#define ETRACE_SKIP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "content/content_cache.h"
#include "db/db.h"
#include "io/out.h"

#define SKIP_HEX	64		/* digits of a SHA-256 */
#define SKIP_VARIABLE	"ETRACE_SKIP"	/* environment: the store's directory */

struct skip_store {
	char dir[PATH_MAX];		/* absolute */
	struct content_cache *cache;	/* NULL if every file is to be read each time */
};

/**
 * skip_open - open a store, and create it if necessary
 * @why: filled on error: the file, the reason, and what to do
 *
 * Return: false on error.
 */
bool skip_open(struct skip_store *s, const char *dir, char *why, size_t size);
void skip_close(struct skip_store *s);

/** skip_path - the path of something in a store, in @to of PATH_MAX bytes.  Return: @to */
char *skip_path(const struct skip_store *s, char *to, const char *kind, const char *a,
		const char *b);

/** skip_say - add a line to the log of a store */
void skip_say(const struct skip_store *s, const char *what, const char *which);

/* ---- hashes: store.c ---- */

/** skip_hash - SHA-256 of bytes, as SKIP_HEX digits and a NUL */
void skip_hash(const void *data, size_t n, char hex[SKIP_HEX + 1]);

/** skip_hash_file - SHA-256 of a file's present content. @fd is read from the beginning */
bool skip_hash_file(const struct skip_store *s, int fd, char hex[SKIP_HEX + 1]);

/**
 * skip_copy - copy all of @from to @to, and hash what was copied
 *
 * Return: false with errno.
 */
bool skip_copy(int from, int to, char hex[SKIP_HEX + 1]);

/** skip_keep - put the content of a file into the store, if it still has this hash */
bool skip_keep(const struct skip_store *s, const char *path, const char *hex);

/** skip_write - write a file of a store: complete, or not at all.  Return: false with errno */
bool skip_write(const struct skip_store *s, const char *path, const void *data, size_t n);

/** skip_read - read a file of up to 64 MiB, appended to @to.  Return: false with errno */
bool skip_read(const char *path, struct buf *to);

/**
 * skip_shrink - remove the least recently used files until the objects fit
 * @max: bytes
 */
void skip_shrink(const struct skip_store *s, uint64_t max);

/* ---- the state in which a program begins: state.c ---- */

/**
 * skip_state - describe the state of this process that a new program can see
 * @path, @argv, @envp: of the program to be run
 * @why: set to why it has no key, if so
 */
bool skip_state(const char *path, char **argv, char **envp, struct buf *to, const char **why);

/* ---- facts about files: fact.c ---- */

enum skip_fact {
	FACT_CONTENT = 'c',	/* type, owner, mode and content */
	FACT_LOOK = 's',	/* what stat and readlink say; no times of a directory */
	FACT_BLIND = 'o',	/* FACT_LOOK without any times */
	FACT_LIST = 'l',	/* the names in a directory */
	FACT_MISS = 'm',	/* absence of a file */
	FACT_READ = 'p',	/* content of a file that has no size, such as in /proc */
	FACT_WAY = 'w',		/* which directory a path leads to */
};

/**
 * skip_fact - append a fact about the present state, as text
 *
 * Return: false if it cannot be determined.
 */
bool skip_fact(const struct skip_store *s, enum skip_fact kind, const char *path, struct buf *to);

/* ---- entries: entry.c ---- */

/*
 * An entry is rows of strings, each ended by a NUL:
 *
 *	KIND path fact			for KIND of enum skip_fact
 *	"f" path mode SHA-256		a regular file
 *	"d" path mode			a directory
 *	"h" path target			a symbolic link
 *	"=" SHA-256			of all before it
 */

/** skip_add - store an entry.  Return: false with errno */
bool skip_add(const struct skip_store *s, const char *key, struct buf *entry);

/**
 * skip_replay - if an entry of a key fits, make the outputs of its step
 * @which: set to the path that did not fit, of PATH_MAX bytes; "" if none
 *
 * Return: NULL on success; else a constant reason, and nothing was changed.
 */
const char *skip_replay(const struct skip_store *s, const char *key, char *which);

/* ---- learning: learn.c, and learning.h for its parts ---- */

struct skip_learn {
	const struct skip_store *store;
	const char *program;	/* path of the etrace binary that asks, with links resolved */
	const char *allow;	/* more names of programs that may be skipped, comma-separated */
};

/**
 * skip_learn - add the steps of a recording to a store; print their number, and why others were
 * refused
 *
 * Return: false after diag_fatal().
 */
bool skip_learn(const struct skip_learn *l, struct db *db, struct out *out);

#endif
