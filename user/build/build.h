/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * One build in memory: the contents of its database (etrace-db(5)), and the rules for answers, one
 * function for each rule. Answers use these functions instead of their own SQL.
 *
 * Ids are those of the database: 1 and up, 0 if none.  Times are nanoseconds since the first
 * event of the trace.
 *
 * Memory in bytes: 32 per access, 72 per version, 56 per exec, 20 per path and the path.
 * Loaded on first use: 12 per failed lookup of a name, 4 per argument, and the strings
 * (args.c); 4 per list and 4 per id in a list (lists.c).
 */
#ifndef ETRACE_MODEL_BUILD_H
#define ETRACE_MODEL_BUILD_H

#include "base/buf.h"
#include "base/map64.h"
#include "db/db.h"
#include "graph/graph.h"
#include "build/args.h"

struct build_file {
	uint32_t final;		/* version that has this name at the end of the build, 0 if none */
	uint32_t last;		/* last version that had this name at any time */
	uint32_t named;		/* exec that gave @final this name, 0 if @final began under it */
};

struct build_version {
	uint32_t file, exec, base;	/* see table version in etrace-db(5) */
	uint32_t target;	/* file that a symbolic link leads to; 0 if it is not a link */
	/* version that has this content: itself; if nothing was written, @holds of @base */
	uint32_t holds;
	uint32_t first;		/* first of its accesses in build.by_version */
	uint32_t uses, writes;	/* number of accesses, of which the first @writes are writes */
	uint8_t made;		/* enum graph_made */
	bool identified;	/* size and mtime are known; dev and ino are 0 if unknown */
	bool token;		/* a pipe through which only job tokens passed: see queue.c */
	bool counted;		/* a pipe for which the bytes of each access are known */
	uint32_t dev;
	uint64_t ino, size;
	int64_t mtime, at;
};

struct build_exec {
	uint32_t process, parent, before;
	uint32_t program, interp, cwd;	/* ids of files */
	uint32_t first, uses;	/* first of its accesses in build.accesses, and their number */
	int32_t status;		/* exit status, -1 if unknown */
	int8_t signal;		/* signal that ended it, -1 if unknown */
	bool forked : 1, begun : 1;
	bool copies : 1;	/* at least one of its accesses is @copied */
	uint8_t ended, unseen;	/* enum graph_ended, graph_unseen */
	int64_t at, until;
};

/* By far the most frequent record, so it is packed: 56 bits of nanoseconds last for two years. */
struct build_access {
	uint32_t exec, version;
	uint32_t file;		/* the name that was used, else the version's name; 0 if none */
	int64_t at : 56;	/* when the exec got the descriptor */
	uint8_t how;		/* enum graph_how */
	int64_t until : 56;	/* when the exec no longer had the descriptor */
	uint8_t class : 6;	/* enum graph_class */
	bool standard : 1;	/* through descriptor 1 or 2 */
	bool copied : 1;	/* a write for which the kernel copied everything: build_copy */
} __attribute__((packed, aligned(4)));
_Static_assert(sizeof(struct build_access) == 28, "28 bytes");


/* @exec gave @version the name @file at time @at; @version is 0 if it removed the name. */
struct build_name {
	uint32_t file, version, exec;
	int64_t at;
};

/* A name that an exec failed to find. */
struct build_miss {
	uint32_t file;
	int64_t at : 56;
	uint8_t error;		/* errno, at most UINT8_MAX; no lookup returns larger ones */
} __attribute__((packed, aligned(4)));

/* A timestamp that a program gave to a file. */
struct build_time {
	uint32_t file, version;
	int64_t value;		/* ns since 1970; 0 for the time of the call */
	int64_t at;
};

/* A copy by the kernel from one version directly into another, asked for by an exec. */
struct build_copy {
	uint32_t exec, input, output;	/* input: 0 if unknown */
};

enum build_hides { HIDES_UNKNOWN, HIDES_NOTHING, HIDES_SECRETS } __attribute__((packed));

/* Lists of ids, one for each of 0 to n: list @i is ids[at[i]] to ids[at[i + 1] - 1]. */
struct build_lists {
	uint32_t *at, *ids;
};

enum build_list_kind {
	BUILD_COPIED_TO,	/* by version: 1 + indices of copies into it */
	BUILD_COPIED_FROM,	/* by version: 1 + indices of copies out of it */
	BUILD_NAMES_OF,		/* by version: files that lead to it at the end of the build */
	BUILD_BEGAN,		/* by file: versions that began under that name */
	BUILD_TOOK,		/* by file: 1 + indices of names by which it got a version */
	BUILD_GIVEN,		/* by version: 1 + indices of names that it got */
	BUILD_FORKS,		/* by exec: its forked children, before any execve */
	BUILD_MADE_BY,		/* by exec: versions that it began and no exec wrote to */
	BUILD_LINKS,		/* by file: versions that are symbolic links to it */
	BUILD_BASED,		/* by version: versions that were derived from it */
	BUILD_TIMES_BY_FILE,	/* by file: 1 + indices of times */
	BUILD_TIMES_BY_VERSION,	/* by version: 1 + indices of times */
	BUILD_NLISTS
};

#define BUILD_HASH 32	/* bytes of SHA-256 */

/* The content of a version, as found by the recorder. */
struct build_content {
	uint8_t sha256[BUILD_HASH];	/* hash of the content */
	uint8_t gitoid[BUILD_HASH];	/* hash of git's blob: "blob LENGTH", NUL, content */
	int64_t at;		/* when the recorder finished reading it, ns */
	bool known;
	uint32_t why;		/* if not @known: offset of the reason in contents.text */
	uint32_t before;	/* 1 + index of the row with the previous content, 0 if none */
};

/* All rows of the table content: contents.c. */
struct contents {
	bool loaded;
	uint32_t *of;		/* by version: 1 + index of @rows, 0 if none; NULL if no rows */
	struct build_content *rows;
	uint32_t n;
	size_t cap;
	struct map64 held;	/* version to number of its last row with a hash */
	/* version with differing hashes to time of the last row before the change, ns */
	struct map64 changed;
	/* version with a foreign change to time of the row that noticed it, ns */
	struct map64 foreign;
	struct buf text;	/* reasons, each ended by a NUL */
};

/* An exec asked for random bytes, or about the machine. */
struct build_ask {
	uint32_t exec;
	uint8_t call;		/* enum graph_call */
	int64_t at;		/* time of the call, ns */
	int64_t value, flags;	/* as in struct graph_ask */
	uint32_t name;		/* offset in asks.text, NUL-terminated; 0 if none */
};

/* All rows of the table ask: asks.c. */
struct asks {
	bool loaded;
	struct build_ask *rows;	/* sorted by exec, then by time */
	uint32_t *at;		/* by exec: index of its first row; NULL if there are no rows */
	size_t n, cap;
	struct buf text;
};

struct build {
	struct db *db;		/* owned by the caller */
	bool uses;		/* the trace records reads and writes */
	int64_t end;		/* time of the last event */
	uint32_t nfiles, nversions, nexecs;	/* the highest id of each kind */
	struct build_file *files;
	struct build_version *versions;
	struct build_exec *execs;
	struct build_name *names;	/* in the order of the database */
	uint32_t nnames;
	size_t names_cap;
	struct build_access *accesses;	/* sorted by exec; within it in the database's order */
	size_t naccesses;
	uint32_t *by_version;	/* indices of @accesses, sorted by version */
	struct map64 moved;	/* by index of an access of a pipe: bytes that it moved */
	struct map64 since;	/* by index of a read of a pipe: when the read began, if known */
	struct map64 ranges_from, ranges_to;	/* cache of find_ranges(): queue.c */
	struct build_copy *copies;
	uint32_t ncopies;
	size_t copies_cap;
	struct build_lists lists[BUILD_NLISTS];	/* by kind; each empty until it is used */
	struct buf text;	/* all paths */
	uint32_t npaths;
	uint64_t *paths;	/* by file: offset of its path in @text; [file + 1]: its end */
	struct buf roots;	/* paths of other root directories, each ended by a NUL */
	/* loaded on first use: args.c */
	uint32_t *misses_at;	/* by exec: index of its first miss */
	struct build_miss *misses;
	struct args args;
	uint32_t args_asked;	/* calls of build_args_add() before all arguments were loaded */
	struct contents contents;
	struct asks asks;
	enum build_hides *hides;	/* by exec: cache of build_hides() */
	struct build_time *times;
	uint32_t ntimes;
	size_t times_cap;
};

/**
 * build_of - the build that a database describes, loaded on first use
 *
 * The database owns it.  If the database is damaged, db->failed is set, and the build holds
 * what could be read.
 */
const struct build *build_of(struct db *db);

/** build_args - the arguments of all programs, loaded on first use */
const struct args *build_args(const struct build *b);

/**
 * build_args_add - append the arguments of an exec, each ended by a NUL
 *
 * The first calls query the database, so that a few calls need not load all arguments.
 * Return: number of arguments.
 */
size_t build_args_add(const struct build *b, uint32_t exec, struct buf *to);

/** build_hides - a cache for callers: whether the arguments of an exec contain a secret */
enum build_hides *build_hides(const struct build *b, uint32_t exec);

/** build_misses - number of failed lookups of an exec; build_miss_of() gives each, from 0 */
uint32_t build_misses(const struct build *b, uint32_t exec);
const struct build_miss *build_miss_of(const struct build *b, uint32_t exec, uint32_t i);

/**
 * build_forget_args - free what build_args() has loaded; the next use loads it again
 * build_forget_misses - free what build_misses() has loaded; the next use loads it again
 */
void build_forget_args(const struct build *b);
void build_forget_misses(const struct build *b);

/** build_time_of - the last timestamp given to a version or to a name.  Return: NULL if none */
const struct build_time *build_time_of(const struct build *b, uint32_t version, uint32_t file);

/** build_make_lists - build all lists of a kind, for build_list() */
void build_make_lists(struct build *b, enum build_list_kind kind);

/** build_list - list @i of a kind.  Return: its first id; @n is set to their number */
static inline const uint32_t *build_list(const struct build *b, enum build_list_kind kind,
					 uint32_t i, size_t *n)
{
	const struct build_lists *l = &b->lists[kind];

	if (!l->at)
		build_make_lists((struct build *)(uintptr_t)b, kind);
	*n = l->at[i + 1] - l->at[i];
	return l->ids + l->at[i];
}

/** build_use - access @i of a version */
static inline const struct build_access *build_use(const struct build *b, uint32_t version,
						   uint32_t i)
{
	return &b->accesses[b->by_version[b->versions[version].first + i]];
}

/* ---- versions and names: names.c ---- */

/** build_path - the path of a file, not NUL-terminated; "" for file 0 */
const char *build_path(const struct build *b, uint32_t file, size_t *len);

/** build_next_root - the root directory after @root, the first one for NULL. Return: NULL if none */
const char *build_next_root(const struct build *b, const char *root);

/** build_is_within - path_within() for the path of a file */
bool build_is_within(const struct build *b, uint32_t file, const char *dir);

/**
 * build_inner - the part of a path that is below another root directory
 * @len: length of @path; set to the length of the result
 *
 * "/srv/trixie/usr/bin/cc" is "/usr/bin/cc" if the trace has programs with the root /srv/trixie.
 * The root itself is "".
 */
const char *build_inner(const struct build *b, const char *path, size_t *len);

/** build_find - the file of a path.  Return: 0 if the build did not touch it */
uint32_t build_find(const struct build *b, const char *path, size_t len);

/** build_present - the version with a file's content at the end. Return: 0 if the file is gone */
static inline uint32_t build_present(const struct build *b, uint32_t file)
{
	return b->versions[b->files[file].final].holds;
}

/** build_final - as build_present(), but for a removed file its last version */
uint32_t build_final(const struct build *b, uint32_t file);

/** build_name - a name of a version at the end, preferably @file. Return: 0 if none */
uint32_t build_name(const struct build *b, uint32_t version, uint32_t file);

/** build_namer - the exec that gave a version this name. Return: 0 if it began under that name */
uint32_t build_namer(const struct build *b, uint32_t version, uint32_t file);

/** build_is_output - whether the build made a file's final content, or gave it the name */
bool build_is_output(const struct build *b, uint32_t file);

/**
 * build_makers - the execs that wrote a version, or the versions that it was derived from
 *
 * If no exec wrote it, the exec that began it. Return: an array of @n execs, the last writer at
 * the end, freed by the caller.
 */
uint32_t *build_makers(const struct build *b, uint32_t version, size_t *n);

/** build_writer - the exec that wrote a version last; if none wrote, the exec that truncated it */
uint32_t build_writer(const struct build *b, uint32_t version);

/** build_is_use - whether an access read or ran a version of a file */
bool build_is_use(const struct build_access *a);

/** build_is_input - whether an access read or ran a file that existed before the build */
bool build_is_input(const struct build *b, const struct build_access *a);

/** build_is_made - whether the build made a version's content */
bool build_is_made(const struct build_version *v);

/** build_is_kept - whether the build made a file's content, and a name leads to it at the end */
bool build_is_kept(const struct build *b, uint32_t version);

/** build_is_file - whether a version is or was the content of a regular file with a name */
bool build_is_file(const struct build_version *v);

/** build_is_from - whether a write may contain data that its exec read from version @input */
bool build_is_from(const struct build *b, const struct build_access *write, uint32_t input);

/** build_is_whole - whether beginning a version makes it, even if nothing is written */
static inline bool build_is_whole(const struct build_version *v)
{
	return v->made == GRAPH_WRITTEN || v->made == GRAPH_IS_SYMLINK;
}

/** build_is_written - whether a version of a file began when it was opened for writing */
static inline bool build_is_written(const struct build_version *v)
{
	return v->made == GRAPH_WRITTEN || v->made == GRAPH_CHANGED;
}

/** build_is_queue - whether a version is a queue, such as a pipe: data can be read only once */
static inline bool build_is_queue(const struct build_version *v)
{
	return v->made == GRAPH_PIPE || v->made == GRAPH_FIFO;
}

/**
 * build_with_command - the exec with the command line of an exec: itself, or an ancestor if it is
 * forked
 */
uint32_t build_with_command(const struct build *b, uint32_t exec);

/* ---- contents of versions: contents.c ---- */

/** build_hashed - whether the recorder hashed files (etrace run --hash) */
bool build_hashed(const struct build *b);

/**
 * build_content - the hashes of a version's content
 *
 * Return: NULL if unknown; build_content_why() says why. Valid as long as the build.
 */
const struct build_content *build_content(const struct build *b, uint32_t version);

/** build_content_before - the previous content of the version; NULL if none */
const struct build_content *build_content_before(const struct build *b,
						 const struct build_content *c);
const char *build_content_why(const struct build *b, uint32_t version);

/**
 * build_changed - whether the content of a version from before the build changed during the build
 * @since: set to the last time at which it was seen with the first content, ns
 *
 * An untraced program then wrote to the file.  build_content() is the last content.
 */
bool build_changed(const struct build *b, uint32_t version, int64_t *since);

/**
 * build_foreign - whether an untraced program wrote to a version that the build made
 * @until: set to when that was noticed, ns: the last read before that saw the change
 */
bool build_foreign(const struct build *b, uint32_t version, int64_t *until);

enum build_same { BUILD_SAME_UNKNOWN, BUILD_SAME, BUILD_DIFFERENT };

/**
 * build_same_content - whether two versions, of the same or different builds, have the same
 * content
 */
enum build_same build_same_content(const struct build *a, uint32_t version,
				   const struct build *b, uint32_t other);

void build_free_contents(struct build *b);

/* ---- what programs asked: asks.c ---- */

/**
 * build_asks - what an exec asked, in time order, loaded on first use
 * @n: set to the number of elements
 *
 * Return: the first one, valid as long as the build.
 */
const struct build_ask *build_asks(const struct build *b, uint32_t exec, size_t *n);

/** build_ask_name - the name of the machine that uname returned.  Return: NULL if none */
const char *build_ask_name(const struct build *b, const struct build_ask *a);

void build_free_asks(struct build *b);

/* ---- data in pipes: queue.c ---- */

/** build_moved - number of bytes that an access of a pipe moved, 0 if unknown */
uint64_t build_moved(const struct build *b, const struct build_access *a);

/** build_flows - whether read @r of a pipe may have received a byte from write @w */
bool build_flows(const struct build *b, const struct build_access *w,
		 const struct build_access *r);

/** build_began - earliest time at which the data that @a read from a pipe can have been written */
int64_t build_began(const struct build *b, const struct build_access *a);

/* ---- shared by the files of this folder ---- */

void build_free_lists(struct build *b);
void build_index_names(struct build *b);
void build_find_tokens(struct build *b);

#endif
