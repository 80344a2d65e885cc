/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Derives from a build's events what the build did: which program read and wrote which
 * content of which file, by any descriptors, pipes and names (etrace-db(5), "Rules").
 * It gets the events in time order, and passes each row to its owner (struct graph_ops)
 * once, as soon as it is known. It does not know what the owner does with the rows.
 *
 * Words: an exec is one program run by one process, from its execve to its next execve
 * or its end; a process that does anything between its fork and an execve has a
 * separate exec for that (forked). A version is one content of a file: a new one begins
 * when the file is opened for writing. Renaming or linking the file does not end the
 * version.
 *
 * Ids count from 1 in each table; 0 if none.  Times are nanoseconds since the
 * first event of the trace.
 *
 * Memory: 100 bytes for each different path, 16 for each different string, and the
 * state of the live processes.
 */
#ifndef ETRACE_GRAPH_H
#define ETRACE_GRAPH_H

#include "event/event.h"

/* What a version is, and how it began. Databases contain these numbers, so they never change. */
enum graph_made {
	GRAPH_EXISTED,		/* it existed before any traced program wrote it */
	GRAPH_WRITTEN,		/* created or truncated: no earlier content is left */
	GRAPH_CHANGED,		/* opened for writing, earlier content (base) stays */
	GRAPH_PIPE,		/* data in a pipe, or in one direction of a socket; no name */
	GRAPH_FIFO,		/* data in a named pipe */
	GRAPH_MEMORY,		/* a file in memory (memfd); no name */
	GRAPH_SPECIAL,		/* a device, a file of /proc or /sys: passes no data on */
	GRAPH_DIR,		/* a directory */
	GRAPH_IS_SYMLINK,		/* a symbolic link that the build made */
	GRAPH_NMADE
};

/* What an exec did with a version. */
enum graph_how {
	GRAPH_OPEN,		/* opened it, but neither read nor wrote */
	GRAPH_READ,
	GRAPH_WRITE,
	GRAPH_RUN,		/* ran it: as program, interpreter or script */
	GRAPH_LOOK,		/* asked for it by name: stat, access, readlink */
	GRAPH_MISS,		/* did not find it, or could not open it; no version */
	GRAPH_LIST,		/* listed the directory */
};

/* The purpose of an access: etrace-db(5), rule 7. */
enum graph_class {
	GRAPH_DATA, GRAPH_IS_PIPE, GRAPH_PROGRAM, GRAPH_LOADER, GRAPH_CONFIG, GRAPH_PROBE,
	GRAPH_IS_DIR, GRAPH_NCLASSES
};
extern const char *const graph_class_names[GRAPH_NCLASSES];

/* Inputs and outputs of an exec that the trace cannot show.  Bits. */
enum graph_unseen {
	GRAPH_UNSEEN_FD = 1,		/* it read a descriptor of unknown origin, or a device */
	GRAPH_UNSEEN_SOCKET = 2,	/* it read from a socket that leads out of the trace */
	GRAPH_UNSEEN_URING = 4,		/* it set up an io_uring */
	GRAPH_UNSEEN_SENT = 8,		/* it wrote to a socket that leads out of the trace */
	/* it used files in another mount namespace, whose names outside of it are not known */
	GRAPH_UNSEEN_NAMES = 16,
};

/* Changes to the file tree. */
enum graph_what {
	GRAPH_RENAME, GRAPH_EXCHANGE, GRAPH_LINK, GRAPH_SYMLINK, GRAPH_UNLINK, GRAPH_RMDIR,
	GRAPH_MKDIR, GRAPH_MKNOD, GRAPH_TRUNCATE, GRAPH_CHMOD, GRAPH_UTIMENS, GRAPH_MOUNT,
	GRAPH_UMOUNT, GRAPH_CHROOT, GRAPH_CHOWN,
	GRAPH_NWHATS
};

struct graph_version {
	uint32_t id, file;	/* the file's name when the version began */
	uint8_t made;		/* enum graph_made */
	uint32_t exec, base;	/* exec that began it; the version that it changed, 0 if none */
	int64_t at;
	uint32_t target;	/* GRAPH_IS_SYMLINK: the file that it leads to */
	bool identified;	/* type, dev and ino are known */
	bool sized;		/* size and mtime are known, too */
	uint32_t type, dev;	/* S_IFMT bits; the kernel's dev_t */
	uint64_t ino, size;	/* bytes */
	int64_t mtime;		/* ns since 1970 */
};

struct graph_exec {
	uint32_t id, process;
	uint32_t parent;	/* exec that forked the process */
	uint32_t before;	/* the process's previous exec */
	bool forked;		/* it runs its parent's program, before an execve */
	bool begun;		/* its beginning is in the trace */
	uint32_t program, interp, cwd;	/* ids of files */
	const uint32_t *args;	/* ids of strings */
	uint32_t nargs;
	bool has_args;
	uint64_t upid;
	int64_t at;
};

/* How an exec ended. */
enum graph_ended {
	GRAPH_ENDED_EXIT, GRAPH_ENDED_EXEC, GRAPH_ENDED_LOST, GRAPH_ENDED_OPEN,
};

#define GRAPH_NCOSTS 9	/* utime to wbytes of an EXIT event */

struct graph_exec_end {
	uint32_t id;
	int64_t until;
	uint8_t ended;		/* enum graph_ended */
	uint8_t unseen;		/* enum graph_unseen */
	bool has_status;
	int64_t status, signal, core;
	uint16_t costs;		/* bit i: cost[i] is known */
	int64_t cost[GRAPH_NCOSTS];
};

struct graph_access {
	uint32_t exec, version;
	uint32_t file;		/* the name that it used, 0 for a pipe */
	uint8_t how, class;
	int32_t fd;		/* -1 if none */
	bool counted;		/* bytes are known */
	bool copied;		/* for a write: all data came from graph_ops.copy */
	uint64_t bytes;		/* read or written */
	int32_t error;		/* errno of GRAPH_MISS */
	int64_t at;		/* when the exec got the descriptor */
	int64_t until;		/* when it no longer had the descriptor */
	int64_t since;		/* for a read: nothing was read before this; 0 if unknown */
};

struct graph_change {
	uint32_t exec, file, to;
	uint32_t version;	/* version at that path, 0 if unknown */
	uint8_t what;
	int32_t error;		/* 0 on success */
	int64_t at, value;	/* value: mode, size, or mtime */
};

struct graph_task {
	uint32_t id, process;
	uint64_t upid;
	bool thread;
	int64_t at, until;
	const char *name;	/* its last name */
	size_t len;
};

struct graph_net {
	uint32_t exec, address;	/* a string */
	uint8_t kind;		/* enum et_kind: CONNECT, BIND, ACCEPT */
	int32_t family, error;
	int64_t at;
};

/* What a program asks the kernel: the numbers of the event's value "call". */
enum graph_call {
	GRAPH_GETRANDOM, GRAPH_UNAME, GRAPH_AFFINITY, GRAPH_SYSINFO, GRAPH_NCALLS
};

/* A call that asked for random bytes, or about the machine. */
struct graph_ask {
	uint32_t exec, name;	/* GRAPH_UNAME: a string, the name of the machine; else 0 */
	uint8_t call;		/* enum graph_call */
	/* GRAPH_GETRANDOM: bytes; GRAPH_AFFINITY: CPUs that it may use, -1 if unknown; else 0 */
	int64_t value;
	int64_t flags;		/* GRAPH_GETRANDOM: GRND_NONBLOCK and so on; else 0 */
	int64_t at;
};

/* Called for a path that the owner knows; @rest is the part after the directory's path, "/x.c". */
typedef void graph_below_fn(void *ctx, uint32_t file, const char *rest, size_t len);

/* What a process wrote to a descriptor before it ended. */
struct graph_printed {
	uint32_t exec;		/* the last program that it ran */
	int32_t fd;
	uint64_t bytes;		/* total that it wrote */
	const char *text;	/* the end of its output, NULL if unknown */
	size_t len;
	int64_t at;
};

/* What the recorder found out about the content of a version, or why it is unknown. */
struct graph_content {
	uint32_t version;
	int64_t at;		/* when the recorder finished reading the file */
	const char *sha256, *gitoid;	/* hexadecimal digits, NULL if not known */
	const char *why_not;	/* NULL if they are known */
	size_t sha256_len, gitoid_len, why_len;
};

/* A value of why_not: the file is not as the last program in the trace left it. */
#define GRAPH_WHY_FOREIGN "changed by something that is not recorded"

#define GRAPH_MAPPERS 8u

/*
 * A version that no traced program can change any more without opening the file again, unless the
 * file is mapped.
 */
struct graph_settled {
	uint32_t object, version;	/* used by graph_is_settled() */
	uint32_t file;		/* a name that leads to it, 0 if none */
	uint64_t upid;		/* a task that has the file open as descriptor @fd; @fd -1 if none */
	int32_t fd;
	bool existed;		/* no program in the trace made this content */
	bool identified;	/* dev, ino, size and mtime were recorded */
	bool sized;		/* @size is from after the last change in the trace */
	const char *unsure;	/* why programs may have seen other contents; or NULL */
	bool unwritten;		/* it was truncated at @made, and no write is recorded since */
	uint32_t dev;
	uint64_t ino, size;
	int64_t mtime;
	/* CLOCK_MONOTONIC, ns: */
	int64_t since;		/* when the trace first showed this version settled */
	int64_t changed;	/* last change of the file or its inode in the trace, 0 if none */
	int64_t made;
	/*
	 * pids of processes that may have it mapped for writing; incomplete if @nmappers is above
	 * GRAPH_MAPPERS
	 */
	size_t nmappers;
	uint32_t mappers[GRAPH_MAPPERS];
};

/* The owner's callbacks. All but below() may be NULL. */
struct graph_ops {
	/* call @fn for each known path below @dir */
	void (*below)(void *ctx, uint32_t dir, graph_below_fn *fn, void *fn_ctx);
	void (*file)(void *ctx, uint32_t id, const char *path, size_t len);
	void (*string)(void *ctx, uint32_t id, const char *s, size_t len);
	void (*version)(void *ctx, const struct graph_version *v);
	/* now known of a reported version: type, dev, ino, and perhaps size and mtime */
	void (*identified)(void *ctx, const struct graph_version *v);
	/* size and mtime of a version after the last known write */
	void (*grown)(void *ctx, uint32_t version, uint64_t size, int64_t mtime);
	/* a version was written, and its new size and mtime are not recorded */
	void (*unsized)(void *ctx, uint32_t version);
	/* an empty file that was reported as existing turns out to be made by an exec */
	void (*created)(void *ctx, uint32_t version, uint32_t exec);
	/*
	 * From now on a name leads to another version, or to none (0). Not called for the
	 * name under which a version begins. @exec: added or removed the name; 0 if the
	 * name existed before the trace, and its inode number has revealed it.
	 */
	void (*name)(void *ctx, uint32_t file, uint32_t version, uint32_t exec, int64_t at);
	/*
	 * A file was used by a path (string @path) that leads to it through links. @class says
	 * how: GRAPH_PROBE: it was written. GRAPH_IS_DIR: a directory, or names in it, were used.
	 * Else it was read. Called once for each combination.
	 */
	void (*asked)(void *ctx, uint32_t file, uint32_t path, enum graph_class class);
	void (*process)(void *ctx, uint32_t id, uint32_t parent, uint64_t upid, uint64_t pid,
			int64_t at);
	void (*exec)(void *ctx, const struct graph_exec *e);
	void (*exec_end)(void *ctx, const struct graph_exec_end *e);
	void (*task)(void *ctx, const struct graph_task *t);
	void (*access)(void *ctx, const struct graph_access *a);
	/* the kernel copied one version's content into another; @input: 0 if unknown */
	void (*copy)(void *ctx, uint32_t exec, uint32_t input, uint32_t output, int64_t at);
	void (*change)(void *ctx, const struct graph_change *c);
	void (*net)(void *ctx, const struct graph_net *n);
	void (*ask)(void *ctx, const struct graph_ask *a);
	void (*env)(void *ctx, uint32_t exec, uint32_t name, uint32_t value, bool hidden);
	void (*printed)(void *ctx, const struct graph_printed *p);
	void (*content)(void *ctx, const struct graph_content *c);
	/*
	 * A file was opened for reading, was run, or its last writer closed it. Called once for
	 * each content. If NULL, the graph does not track writers.
	 */
	void (*settled)(void *ctx, const struct graph_settled *s);
	/*
	 * The content of a version is not certain: programs may have seen different contents, or
	 * in their mount namespace the name may have led to another file. s->unsure says why.
	 * Called once for a version, perhaps after ops->settled().
	 */
	void (*unsure)(void *ctx, const struct graph_settled *s);
	/* a file that the trace made was opened for writing, and nothing else can write to it */
	void (*written)(void *ctx, const struct graph_settled *s);
	void (*loss)(void *ctx, int64_t at, uint64_t upid, bool counted, uint64_t count);
};

struct graph;

/** graph_new - make a graph without events; @pid_bits: as the module's bits_of_real_pid */
struct graph *graph_new(unsigned int pid_bits, const struct graph_ops *ops, void *ctx);
void graph_free(struct graph *g);

/** graph_event - add the next event, in time order */
void graph_event(struct graph *g, const struct et_event *ev);

/** graph_end - the trace is over: end everything that is still open */
void graph_end(struct graph *g);

/** graph_begin - CLOCK_MONOTONIC of the first event, ns; graph_last - ns from it to the last */
uint64_t graph_begin(const struct graph *g);
int64_t graph_last(const struct graph *g);

/**
 * graph_is_settled - whether nothing in the trace can have changed a version's file since @time
 * @time: CLOCK_MONOTONIC, ns
 *
 * For a version that ops->settled() got: its name still leads to it, no process has it open for
 * writing, and no earlier writer may have it mapped.
 */
bool graph_is_settled(const struct graph *g, const struct graph_settled *s, uint64_t time);

/**
 * graph_unchanged - when a settled version's file or inode last changed, by the trace
 *
 * Return: CLOCK_MONOTONIC, ns; 0 if there was none; -1 if the file may have another content now.
 */
int64_t graph_unchanged(const struct graph *g, const struct graph_settled *s);

/**
 * graph_settle_again - call ops->settled() again for a version, later
 *
 * Return: false if the file has another version now, or a process may write to it; the
 * graph then calls ops->settled() when no process can any more.
 */
bool graph_settle_again(struct graph *g, const struct graph_settled *s);

/**
 * graph_is_mapped - the owner reports that one of s->mappers has the file mapped, or may have
 * @seen: it is certain
 *
 * ops->settled() is called again when none of them can have it mapped any more.
 */
void graph_is_mapped(struct graph *g, const struct graph_settled *s, bool seen);

/**
 * graph_keep - the owner has the file of a version open, so its inode number is not reused
 *
 * The open must not be earlier than the events up to now. Until graph_drop(), graph_is_settled()
 * then also works for a removed file.
 *
 * Return: false, and nothing is kept, if another file may have been opened.
 */
bool graph_keep(struct graph *g, const struct graph_settled *s);

/** graph_drop - undo graph_keep() */
void graph_drop(struct graph *g, uint32_t object);

/** graph_may_change - whether a traced process can write to a file */
bool graph_may_change(const struct graph *g, uint32_t object);

/**
 * graph_is_proven - the owner reports that no process had a version mapped, so that its content is
 * certain
 */
void graph_is_proven(struct graph *g, const struct graph_settled *s);

/**
 * graph_was_mapped - the owner reports that one of s->mappers ended before its mappings could be
 * read
 *
 * The content that others read before that is then uncertain.
 */
void graph_was_mapped(struct graph *g, const struct graph_settled *s);

/**
 * graph_was_changed - the owner reports two different contents of a version: its content is
 * uncertain
 */
void graph_was_changed(struct graph *g, const struct graph_settled *s);

/**
 * graph_settle_mapped - at the end: call ops->settled() for all versions that wait
 * because of graph_is_mapped(), and ops->unsure() for all that have not been reported
 */
void graph_settle_mapped(struct graph *g);

/** graph_has_name - whether a file has a name */
bool graph_has_name(const struct graph *g, uint32_t object);

/** graph_tells_uses - whether the trace records reads and writes */
bool graph_tells_uses(const struct graph *g);

#endif
