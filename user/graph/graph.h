/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Finds out from a build's events what the build did: which program read and wrote
 * which content of which file, through whatever descriptors, pipes and names
 * (etrace-db(5), "Rules").  It gets the events in the order of time, and passes rows to
 * its owner (struct graph_ops), each once, as soon as it is known.
 * This code does not know what the owner does with them.
 *
 * Words: an exec is one program run by one process, from its execve to its next
 * execve or its end; what a process does between its fork and an execve is an
 * exec of its own, if it does anything (forked).  A version is one content of a
 * file: a new one begins when it is opened for writing.  A version outlives the
 * name that it began under, if it is renamed or linked.
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

/* What a version is, and how it began.  Numbers are in databases: they never change. */
enum graph_made {
	GRAPH_EXISTED,		/* it existed before any traced program wrote it */
	GRAPH_WRITTEN,		/* created or emptied: no earlier content is left */
	GRAPH_CHANGED,		/* opened for writing, earlier content (base) stays */
	GRAPH_PIPE,		/* what went through a pipe, or one way through a socket; no name */
	GRAPH_FIFO,		/* what went through a named pipe */
	GRAPH_MEMORY,		/* a file in memory (memfd); no name */
	GRAPH_SPECIAL,		/* a device, a file of /proc or /sys: passes no data on */
	GRAPH_DIR,		/* a directory */
	GRAPH_IS_SYMLINK,		/* a symbolic link that the build made: target */
	GRAPH_NMADE
};

/* What an exec did with a version. */
enum graph_how {
	GRAPH_OPEN,		/* opened it, and neither read nor wrote */
	GRAPH_READ,
	GRAPH_WRITE,
	GRAPH_RUN,		/* ran it: as program, interpreter or script */
	GRAPH_LOOK,		/* asked for it by name: stat, access, readlink */
	GRAPH_MISS,		/* did not find it, or could not open it; no version */
	GRAPH_LIST,		/* listed the directory */
};

/* What for: etrace-db(5), rule 7. */
enum graph_class {
	GRAPH_DATA, GRAPH_IS_PIPE, GRAPH_PROGRAM, GRAPH_LOADER, GRAPH_CONFIG, GRAPH_PROBE,
	GRAPH_IS_DIR, GRAPH_NCLASSES
};
extern const char *const graph_class_names[GRAPH_NCLASSES];

/* Inputs and outputs of an exec that the trace cannot show.  Bits. */
enum graph_unseen {
	GRAPH_UNSEEN_FD = 1,		/* it read a descriptor of unknown origin */
	GRAPH_UNSEEN_SOCKET = 2,	/* it read from a socket that leads out of the trace */
	GRAPH_UNSEEN_URING = 4,		/* it set up an io_uring */
	GRAPH_UNSEEN_SENT = 8,		/* it wrote to a socket that leads out of the trace */
};

/* Changes to the file tree. */
enum graph_what {
	GRAPH_RENAME, GRAPH_EXCHANGE, GRAPH_LINK, GRAPH_SYMLINK, GRAPH_UNLINK, GRAPH_RMDIR,
	GRAPH_MKDIR, GRAPH_MKNOD, GRAPH_TRUNCATE, GRAPH_CHMOD, GRAPH_UTIMENS, GRAPH_MOUNT,
	GRAPH_UMOUNT, GRAPH_CHROOT, GRAPH_CHOWN,
	GRAPH_NWHATS
};

struct graph_version {
	uint32_t id, file;	/* the name that it began under */
	uint8_t made;		/* enum graph_made */
	uint32_t exec, base;	/* exec that began it; the version before */
	int64_t at;
	uint32_t target;	/* of GRAPH_IS_SYMLINK, the file that it leads to */
	bool identified;	/* type, dev and ino are known */
	bool sized;		/* size and mtime are known, too */
	uint32_t type, dev;	/* S_IFMT bits; as in the kernel */
	uint64_t ino, size;	/* bytes */
	int64_t mtime;		/* ns since 1970 */
};

struct graph_exec {
	uint32_t id, process;
	uint32_t parent;	/* exec that forked the process */
	uint32_t before;	/* exec that it replaced in its process */
	bool forked;		/* no execve yet: its parent's program */
	bool begun;		/* its beginning is in the trace */
	uint32_t program, interp, cwd;	/* files */
	const uint32_t *args;	/* strings */
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
	bool copied;		/* of a write: all of it came by copies, see graph_ops.copy */
	uint64_t bytes;		/* read or written */
	int32_t error;		/* of GRAPH_MISS */
	int64_t at;		/* when the exec got the descriptor */
	int64_t until;		/* until when it had the descriptor */
	int64_t since;		/* of a read: nothing was read before this; 0 if unknown */
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

/* What a program asks: the numbers of the event's value "call". */
enum graph_call {
	GRAPH_GETRANDOM, GRAPH_UNAME, GRAPH_AFFINITY, GRAPH_SYSINFO, GRAPH_NCALLS
};

/* A program asked for random bytes, or about the machine. */
struct graph_ask {
	uint32_t exec, name;	/* of GRAPH_UNAME: a string, the name of the machine; else 0 */
	uint8_t call;		/* enum graph_call */
	/* of GRAPH_GETRANDOM: bytes; of GRAPH_AFFINITY: CPUs that it may use, -1 if unknown; else 0 */
	int64_t value;
	int64_t flags;		/* of GRAPH_GETRANDOM: GRND_NONBLOCK and so on; else 0 */
	int64_t at;
};

/* A path that the owner knows: @rest is what follows the directory's path, "/x.c" */
typedef void graph_below_fn(void *ctx, uint32_t file, const char *rest, size_t len);

/* What a process wrote to a descriptor before it ended. */
struct graph_printed {
	uint32_t exec;		/* the last program that it ran */
	int32_t fd;
	uint64_t bytes;		/* all that it wrote */
	const char *text;	/* the last part of it, NULL if unknown */
	size_t len;
	int64_t at;
};

/* What a version held, as the recorder found out; or why that is not known. */
struct graph_content {
	uint32_t version;
	int64_t at;		/* when the recorder had read the file */
	const char *sha256, *gitoid;	/* hexadecimal digits, NULL if not known */
	const char *why_not;	/* NULL if they are known */
	size_t sha256_len, gitoid_len, why_len;
};

/* A reason why not: the file is not as the last program in the trace left it. */
#define GRAPH_WHY_FOREIGN "changed by something that is not recorded"

#define GRAPH_MAPPERS 8u

/*
 * A version that no traced program can change any more unless it opens the file again, or has it
 * mapped.
 */
struct graph_settled {
	uint32_t object, version;	/* for graph_is_settled() */
	uint32_t file;		/* a name that leads to it, 0 if none */
	uint64_t upid;		/* a task that has the file open as descriptor @fd; @fd -1 if none */
	int32_t fd;
	bool existed;		/* no program in the trace made this content */
	bool identified;	/* dev, ino, size and mtime were recorded */
	bool sized;		/* @size is that after the last change in the trace */
	const char *unsure;	/* why programs saw more than one content of it; a constant, or NULL */
	bool unwritten;		/* it was made empty at @made, and no write is recorded since */
	uint32_t dev;
	uint64_t ino, size;
	int64_t mtime;
	/* CLOCK_MONOTONIC, ns: */
	int64_t since;		/* when the trace first showed this version settled */
	int64_t changed;	/* last change of the file or its inode in the trace, 0 if none */
	int64_t made;
	/* pids of processes that may have it mapped for writing; more than GRAPH_MAPPERS: not all */
	size_t nmappers;
	uint32_t mappers[GRAPH_MAPPERS];
};

/* What the owner does not want is NULL; below() must be there. */
struct graph_ops {
	/* call @fn for each known path below @dir */
	void (*below)(void *ctx, uint32_t dir, graph_below_fn *fn, void *fn_ctx);
	void (*file)(void *ctx, uint32_t id, const char *path, size_t len);
	void (*string)(void *ctx, uint32_t id, const char *s, size_t len);
	void (*version)(void *ctx, const struct graph_version *v);
	/* type, dev, ino, and perhaps size and mtime, of a version first reported without them */
	void (*identified)(void *ctx, const struct graph_version *v);
	/* its size and mtime after the last known write */
	void (*grown)(void *ctx, uint32_t version, uint64_t size, int64_t mtime);
	/* it was written, and what its size and mtime are since then is not recorded */
	void (*unsized)(void *ctx, uint32_t version);
	/* an empty file, first reported as existing, was made by an exec */
	void (*created)(void *ctx, uint32_t version, uint32_t exec);
	/*
	 * From now on a name stands for another version, or for none (0).  Not called
	 * for the name under which a version begins.  @exec: gave or removed the name; 0 if
	 * none in the trace: the name was there before, and its inode number shows it.
	 */
	void (*name)(void *ctx, uint32_t file, uint32_t version, uint32_t exec, int64_t at);
	/*
	 * A file was read by a path (string @path) that leads to it through links.  GRAPH_PROBE: it
	 * was written by it.  GRAPH_IS_DIR: a directory, or names in it, were used by it.  Once for each.
	 */
	void (*asked)(void *ctx, uint32_t file, uint32_t path, enum graph_class class);
	void (*process)(void *ctx, uint32_t id, uint32_t parent, uint64_t upid, uint64_t pid,
			int64_t at);
	void (*exec)(void *ctx, const struct graph_exec *e);
	void (*exec_end)(void *ctx, const struct graph_exec_end *e);
	void (*task)(void *ctx, const struct graph_task *t);
	void (*access)(void *ctx, const struct graph_access *a);
	/* a version's content was copied straight into another; @input: 0 if unknown */
	void (*copy)(void *ctx, uint32_t exec, uint32_t input, uint32_t output, int64_t at);
	void (*change)(void *ctx, const struct graph_change *c);
	void (*net)(void *ctx, const struct graph_net *n);
	void (*ask)(void *ctx, const struct graph_ask *a);
	void (*env)(void *ctx, uint32_t exec, uint32_t name, uint32_t value, bool hidden);
	void (*printed)(void *ctx, const struct graph_printed *p);
	void (*content)(void *ctx, const struct graph_content *c);
	/*
	 * A file is opened to read, is run, or is closed by its last writer.  Called once for each
	 * content.  If NULL, the graph does not keep track of writers.
	 */
	void (*settled)(void *ctx, const struct graph_settled *s);
	/*
	 * Programs did not all see one content of a version, or not what its name leads to here:
	 * s->unsure.  Called once for a version, which ops->settled() may have got before.
	 */
	void (*unsure)(void *ctx, const struct graph_settled *s);
	/* a file that the trace made is opened to be written, and nobody else can write to it */
	void (*written)(void *ctx, const struct graph_settled *s);
	void (*loss)(void *ctx, int64_t at, uint64_t upid, bool counted, uint64_t count);
};

struct graph;

/** graph_new - the graph of an empty trace; @pid_bits as the module's bits_of_real_pid */
struct graph *graph_new(unsigned int pid_bits, const struct graph_ops *ops, void *ctx);
void graph_free(struct graph *g);

/** graph_event - the next event, in the order of time */
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
 * For a version that ops->settled() got: it is still what its name leads to, nobody has it open
 * for writing, and nobody who had may have it mapped.
 */
bool graph_is_settled(const struct graph *g, const struct graph_settled *s, uint64_t time);

/**
 * graph_unchanged - the last change of a settled version's file or inode in the trace
 *
 * Return: CLOCK_MONOTONIC, ns; 0 if there was none; -1 if the file may have another content now.
 */
int64_t graph_unchanged(const struct graph *g, const struct graph_settled *s);

/**
 * graph_settle_again - call ops->settled() again for a version, later
 *
 * Return: false if the file holds another version now, or somebody may write to it; then
 * it is called by itself when that has ended, if ever.
 */
bool graph_settle_again(struct graph *g, const struct graph_settled *s);

/**
 * graph_is_mapped - the owner says that one of s->mappers has the file mapped, or may have
 * @seen: one has
 *
 * ops->settled() is called again when none of them can have it mapped any more.
 */
void graph_is_mapped(struct graph *g, const struct graph_settled *s, bool seen);

/**
 * graph_keep - the owner has the file of a version open, so its inode number is not used again
 *
 * What the trace shows up to now must not be later than the open.  graph_is_settled() then also
 * holds for a file that has been removed, until graph_drop().
 *
 * Return: false, and nothing is kept, if another file may have been opened.
 */
bool graph_keep(struct graph *g, const struct graph_settled *s);

/** graph_drop - end what graph_keep() has begun */
void graph_drop(struct graph *g, uint32_t object);

/** graph_may_change - whether a process of the trace can write to a file */
bool graph_may_change(const struct graph *g, uint32_t object);

/** graph_is_proven - the owner knows the content of a version: no process had it mapped */
void graph_is_proven(struct graph *g, const struct graph_settled *s);

/**
 * graph_was_mapped - the owner could not look what one of s->mappers had mapped: it has ended
 *
 * What others have read before that has no certain content.
 */
void graph_was_mapped(struct graph *g, const struct graph_settled *s);

/** graph_was_changed - the owner has seen two contents of a version: it has no certain one */
void graph_was_changed(struct graph *g, const struct graph_settled *s);

/**
 * graph_settle_mapped - at the end: call ops->settled() for all that waits because of
 *	graph_is_mapped(), and ops->unsure() for all that it was not called for
 */
void graph_settle_mapped(struct graph *g);

/** graph_has_name - whether a name leads to a file */
bool graph_has_name(const struct graph *g, uint32_t object);

/** graph_tells_uses - whether the trace records reads and writes */
bool graph_tells_uses(const struct graph *g);

#endif
