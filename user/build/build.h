/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * One build in memory: what a database (etrace-db(5)) says of it, and the rules by which
 * answers are found, each of them one function.  Whoever answers a question asks here, and
 * has no SQL of its own for it.
 *
 * Ids are those of the database: from 1 on, 0: none.  Times are nanoseconds since the first
 * event of the trace.
 *
 * Memory: 28 bytes for each access, 4 more to find it by its version; 72 for each version;
 * 56 for each exec; the paths, and 20 bytes for each.  What is loaded when it is asked for:
 * 12 bytes for each name looked for in vain, 4 for each argument, and the strings (args.c);
 * 4 for each list and each id in it (lists.c).
 */
#ifndef ETRACE_MODEL_BUILD_H
#define ETRACE_MODEL_BUILD_H

#include "base/buf.h"
#include "base/map64.h"
#include "db/db.h"
#include "graph/graph.h"
#include "build/args.h"

struct build_file {
	uint32_t final;		/* version that the name stands for in the end; 0: none */
	uint32_t last;		/* the last one that it stood for at any time */
	uint32_t named;		/* exec that gave @final this name; 0: it began so */
};

struct build_version {
	uint32_t file, exec, base;	/* as in the database */
	uint32_t target;	/* of a symbolic link: the file that it leads to */
	uint32_t holds;		/* whose content this is: @base's if nobody wrote */
	uint32_t first;		/* its accesses: build.by_version */
	uint32_t uses, writes;	/* how many there are; and of these, at the front, writes */
	uint8_t made;		/* enum graph_made */
	bool identified;	/* size and mtime are known; dev and ino perhaps: 0: not */
	bool token;		/* only job tokens passed through it: see queue.c */
	bool counted;		/* of a pipe: it is known how many bytes each access moved */
	uint32_t dev;
	uint64_t ino, size;
	int64_t mtime, at;
};

struct build_exec {
	uint32_t process, parent, before;
	uint32_t program, interp, cwd;	/* files */
	uint32_t first, uses;	/* its accesses: build.accesses */
	int32_t status;		/* -1: not known */
	int8_t signal;		/* the same */
	bool forked : 1, begun : 1;
	bool copies : 1;	/* all of something that it wrote came by copies */
	uint8_t ended, unseen;	/* enum graph_ended, graph_unseen */
	int64_t at, until;
};

/* There are more of these than of anything else: times of 56 bits reach for two years. */
struct build_access {
	uint32_t exec, version;
	uint32_t file;		/* the name it used, or the version's; 0: it has none */
	int64_t at : 56;	/* it had the descriptor from then */
	uint8_t how;		/* enum graph_how */
	int64_t until : 56;	/* to then */
	uint8_t class : 6;	/* enum graph_class */
	bool standard : 1;	/* by descriptor 1 or 2 */
	bool copied : 1;	/* of a write: all of it came by copies */
} __attribute__((packed, aligned(4)));
_Static_assert(sizeof(struct build_access) == 28, "28 bytes");


/* From @at on, @file stands for @version, or for none (0). */
struct build_name {
	uint32_t file, version, exec;
	int64_t at;
};

/* A name that an exec looked for in vain. */
struct build_miss {
	uint32_t file;
	int64_t at : 56;
	uint8_t error;		/* errno; UINT8_MAX: one above it, which no lookup gives */
} __attribute__((packed, aligned(4)));

/* A file was given a time. */
struct build_time {
	uint32_t file, version;
	int64_t value;		/* 0: the time when that was done */
	int64_t at;
};

/* An exec had the kernel copy from one version straight into another. */
struct build_copy {
	uint32_t exec, input, output;	/* input 0: not known which */
};

enum build_hides { HIDES_UNKNOWN, HIDES_NOTHING, HIDES_SECRETS } __attribute__((packed));

/* Lists of ids, one for each of 0 to n: list @i is ids[at[i]] to ids[at[i + 1] - 1]. */
struct build_lists {
	uint32_t *at, *ids;
};

enum build_list_kind {
	BUILD_COPIED_TO,	/* by version: rows of copies into it, + 1 */
	BUILD_COPIED_FROM,	/* by version: rows of copies out of it, + 1 */
	BUILD_NAMES_OF,		/* by version: files that hold it in the end */
	BUILD_BEGAN,		/* by file: versions that began under that name */
	BUILD_TOOK,		/* by file: rows of names that gave it a version, + 1 */
	BUILD_GIVEN,		/* by version: rows of names that it got, + 1 */
	BUILD_FORKS,		/* by exec: those it forked that ran nothing new */
	BUILD_MADE_BY,		/* by exec: versions that it began and nobody wrote */
	BUILD_LINKS,		/* by file: versions that are symbolic links to it */
	BUILD_BASED,		/* by version: those that went on from it */
	BUILD_TIMES_BY_FILE,	/* rows of times, + 1 */
	BUILD_TIMES_BY_VERSION,
	BUILD_NLISTS
};

struct build {
	struct db *db;		/* stays the caller's */
	bool uses;		/* the trace tells who read and wrote */
	int64_t end;		/* time of the last event */
	uint32_t nfiles, nversions, nexecs;	/* the highest ids */
	struct build_file *files;
	struct build_version *versions;
	struct build_exec *execs;
	struct build_name *names;	/* in the order in which they were told */
	uint32_t nnames;
	size_t names_cap;
	struct build_access *accesses;	/* by exec, in the order in which they were told */
	size_t naccesses;
	uint32_t *by_version;	/* indices of accesses */
	struct map64 moved;	/* by index of an access of a pipe: its bytes */
	struct map64 since;	/* of a socket: when it began to read, if that is known */
	struct map64 ranges_from, ranges_to;	/* of those of pipes that were asked for: queue.c */
	struct build_copy *copies;
	uint32_t ncopies;
	size_t copies_cap;
	struct build_lists lists[BUILD_NLISTS];	/* by kind; what was not asked for is empty */
	struct buf text;	/* paths */
	uint32_t npaths;
	uint64_t *paths;	/* by file: where its path begins; the next one's: where it ends */
	/* what is loaded when it is asked for: args.c */
	uint32_t *misses_at;	/* by exec: its first of misses */
	struct build_miss *misses;
	struct args args;
	uint32_t args_asked;	/* how often build_args_add() was, before they were loaded */
	enum build_hides *hides;	/* by exec */
	struct build_time *times;
	uint32_t ntimes;
	size_t times_cap;
};

/**
 * build_of - the build that a database is of, loaded when it is asked for first
 *
 * It stays with the database, and goes with it.  If that is damaged, db->failed is set and
 * what could be read is there.
 */
const struct build *build_of(struct db *db);

/** build_path - the path of a file, not terminated; "" of 0 */
const char *build_path(const struct build *b, uint32_t file, size_t *len);

/** build_find - the file of a path.  Return: 0: the build has not touched it */
uint32_t build_find(const struct build *b, const char *path, size_t len);

/** build_args - what programs were called with */
const struct args *build_args(const struct build *b);

/**
 * build_args_add - the arguments of an exec, appended, each with a NUL behind it
 *
 * Who asks for those of a few need not wait until all are loaded.  Return: how many.
 */
size_t build_args_add(const struct build *b, uint32_t exec, struct buf *to);

/** build_hides - where the one who looks notes whether an exec's arguments hold a secret */
enum build_hides *build_hides(const struct build *b, uint32_t exec);

/** build_misses - how often an exec looked for a name in vain; build_miss_of(): each, from 0 on */
uint32_t build_misses(const struct build *b, uint32_t exec);
const struct build_miss *build_miss_of(const struct build *b, uint32_t exec, uint32_t i);

/**
 * build_forget_args - make room: what build_args() and build_misses() have loaded
 * build_forget_misses
 *
 * It is loaded again if somebody asks for it.
 */
void build_forget_args(const struct build *b);
void build_forget_misses(const struct build *b);

/** build_time_of - the last time that a version, or what had a name, was given.  Return: NULL: none */
const struct build_time *build_time_of(const struct build *b, uint32_t version, uint32_t file);

/** build_make_lists - all lists of a kind, for build_list() */
void build_make_lists(struct build *b, enum build_list_kind kind);

/** build_list - a list of a kind.  Return: the first; @n: how many */
static inline const uint32_t *build_list(const struct build *b, enum build_list_kind kind,
					 uint32_t i, size_t *n)
{
	const struct build_lists *l = &b->lists[kind];

	if (!l->at)
		build_make_lists((struct build *)(uintptr_t)b, kind);
	*n = l->at[i + 1] - l->at[i];
	return l->ids + l->at[i];
}

/** build_use - access @i of those of a version */
static inline const struct build_access *build_use(const struct build *b, uint32_t version,
						   uint32_t i)
{
	return &b->accesses[b->by_version[b->versions[version].first + i]];
}

/* ---- versions and names: names.c ---- */

/** build_present - the version whose content a name has in the end.  Return: 0: nothing is there */
uint32_t build_present(const struct build *b, uint32_t file);

/** build_final - the same; of a name that is gone, what it stood for last */
uint32_t build_final(const struct build *b, uint32_t file);

/** build_name - a name that a version has in the end, @file if that is one.  Return: 0: none */
uint32_t build_name(const struct build *b, uint32_t version, uint32_t file);

/** build_namer - who gave a version this name.  Return: 0: nobody, it began under it */
uint32_t build_namer(const struct build *b, uint32_t version, uint32_t file);

/** build_is_output - whether the build made what a name stands for in the end, or named it so */
bool build_is_output(const struct build *b, uint32_t file);

/**
 * build_makers - who wrote what a version holds, and what it went on from
 *
 * If nobody wrote, who began it.  Return: @n execs, who wrote last at the end; to be freed.
 */
uint32_t *build_makers(const struct build *b, uint32_t version, size_t *n);

/** build_writer - who wrote a version last, or emptied it, if nobody wrote */
uint32_t build_writer(const struct build *b, uint32_t version);

/** build_is_input - whether an access read or ran a file that was there before the build */
bool build_is_input(const struct build *b, const struct build_access *a);

/** build_is_made - whether a version's content is the build's */
bool build_is_made(const struct build_version *v);

/** build_is_file - whether a version is what a regular file with a name holds, or held */
bool build_is_file(const struct build_version *v);

/** build_is_from - whether what a write put somewhere may be what its exec read of @input */
bool build_is_from(const struct build *b, const struct build_access *write, uint32_t input);

/** build_is_whole - whether who began a version has made it, if nobody wrote to it */
static inline bool build_is_whole(const struct build_version *v)
{
	return v->made == GRAPH_WRITTEN || v->made == GRAPH_IS_SYMLINK;
}

/** build_is_written - whether a version of a file began when it was opened for writing */
static inline bool build_is_written(const struct build_version *v)
{
	return v->made == GRAPH_WRITTEN || v->made == GRAPH_CHANGED;
}

/** build_is_queue - whether what is read of a version is gone for others: a pipe */
static inline bool build_is_queue(const struct build_version *v)
{
	return v->made == GRAPH_PIPE || v->made == GRAPH_FIFO;
}

/** build_with_command - whose arguments an exec runs by: what was forked has its parent's */
uint32_t build_with_command(const struct build *b, uint32_t exec);

/* ---- what goes through pipes: queue.c ---- */

/** build_moved - bytes of an access of a pipe */
uint64_t build_moved(const struct build *b, const struct build_access *a);

/** build_flows - whether any byte that write @w put into a pipe can be what read @r got */
bool build_flows(const struct build *b, const struct build_access *w,
		 const struct build_access *r);

/** build_began - from when on what was read by an access can be in what its exec wrote */
int64_t build_began(const struct build *b, const struct build_access *a);

/* ---- between the files of the model ---- */

void build_free_lists(struct build *b);
void build_index_names(struct build *b);
void build_find_tokens(struct build *b);

#endif
