/* SPDX-License-Identifier: LGPL-2.1 */
/* The state that the parts of a graph share, and the functions of each part. */
#ifndef ETRACE_GRAPH_STATE_H
#define ETRACE_GRAPH_STATE_H

#include "base/buf.h"
#include "base/map64.h"
#include "event/proctab.h"
#include "graph/classes.h"
#include "graph/graph.h"
#include "graph/renewals.h"
#include "graph/settled.h"

/* ---- files: names.c, files.c, moved.c ---- */

/* A file on the disk: names lead to it, descriptors are open on it. */
struct object {
	uint32_t version;	/* its current content; 0 if this object is free */
	uint32_t refs;		/* number of its names and descriptions */
	uint32_t dev;
	uint32_t free;		/* the next free object */
	uint32_t opens;		/* number of its open file descriptions */
	uint64_t ino;
	uint64_t size;		/* bytes, when it was last recorded */
	int64_t mtime;
	int64_t at;		/* time of the last row about it: never goes back */
	uint8_t made;		/* enum graph_made, of its versions */
	bool identified;	/* dev, ino, size and mtime are known */
	bool unsized;		/* size and mtime may have changed since they were recorded */
	bool reported;		/* the identity was reported with @version */
	bool linked;		/* it has had several names: see files_renew() */
	bool met;		/* for a socket: the other end is known, too */
	bool drained;		/* a FIFO that everyone has closed: it is empty */
	uint32_t file;		/* its newest name, 0 if none */
	uint32_t renewal;	/* last row in files.renewals, 0 if none */
};

/* What is known about a path. */
struct name {
	uint32_t object;	/* 0 if unknown, or if nothing is at that path */
	struct name_class class;
	uint32_t roots;		/* graph.nroots when @class was set */
	bool gone;		/* the trace shows that nothing is at that path */
	bool used;		/* the trace uses it: moved_name() was called */
};

struct files {
	struct map64 paths;	/* hash of a path to its number, from 1 on */
	struct name *names;	/* by number of the path */
	size_t names_cap;
	struct object *objects;	/* from 1 on */
	size_t nobjects, objects_cap;
	uint32_t spare;		/* first free object */
	struct map64 by_ino;	/* hash of dev and ino to object */
	struct map64 gone;	/* hash of dev and ino to the last version of a removed file */
	struct map64 links;	/* object to its first struct link */
	struct link {
		uint32_t file, next;
	} *link_rows;
	size_t nlinks, links_cap;
	struct renewals renewals;
	uint32_t versions;	/* last id of a version */
};

/* Directories that were renamed, and the paths below them: moved.c */
struct moved {
	struct map64 by_name;	/* hash of a directory's new path to its last row in @dirs */
	struct map64 first;	/* path to (last exec that renamed it << 32 | its first path) */
	struct moved_dir *dirs;
	size_t n, cap;
	struct buf text;
};

/* Paths below a directory, collected first: the owner must not get rows while ops->below() runs. */
struct below {
	struct graph *g;
	bool known;		/* collect paths at which an object is known, else the others */
	uint32_t *files;
	size_t *at;		/* offset in @rests of the rest of each path */
	size_t n, files_cap, at_cap;
	struct buf rests;	/* "/x.c" */
};

/* What the trace recorded about a file when it was opened. */
struct identity {
	bool known;
	bool emptied;		/* size and mtime are from after O_TRUNC */
	uint32_t dev, type;
	uint64_t ino, size;
	int64_t mtime;
};

struct graph;
struct process;

/**
 * files_clean - remove "." and ".." from a path, by its text alone
 *
 * Names that were not found are recorded as the program wrote them: "/w/src/../include/x.h".
 * Return: @path, or g->path.s if it had to be changed.
 */
const char *files_clean(struct graph *g, const char *path, size_t *len);

/** files_name - the number of a path in g->root, see files_number() */
uint32_t files_name(struct graph *g, const char *path, size_t len);

/** files_number - the number of a path from the machine's root; a new path is passed to the owner */
uint32_t files_number(struct graph *g, const char *path, size_t len);

/** files_may_be_dir - whether a path may be a directory, with names below it */
bool files_may_be_dir(const struct graph *g, uint32_t file);

/** files_class - NAME_* of a path */
unsigned int files_class(const struct graph *g, uint32_t file);

/**
 * files_at - the object at a path; allocated if none is known
 * @id: its identity in the trace, or NULL
 */
uint32_t files_at(struct graph *g, uint32_t file, const struct identity *id);

/** files_by_ino - the object with that identity, whatever its name.  Return: 0 if unknown */
uint32_t files_by_ino(const struct graph *g, const struct identity *id);

/** files_gone - the last version of a removed regular file with that identity, 0 if none */
uint32_t files_gone(const struct graph *g, const struct identity *id);

/** files_name_of - one of an object's names, preferably @file.  Return: 0 if it has none */
uint32_t files_name_of(const struct graph *g, uint32_t object, uint32_t file);

/** files_known - the object at a path.  Return: 0 if unknown, or if nothing is there */
uint32_t files_known(const struct graph *g, uint32_t file);

/** files_anonymous - make an object without a name, and its first version; @id may be NULL */
uint32_t files_anonymous(struct graph *g, enum graph_made made, uint32_t exec, int64_t at,
			 const struct identity *id);

/**
 * files_renew - begin a new version of an object
 * @file: the name by which it was opened; the version gets this name if the object still has it,
 *	else another name of the object, else none
 * @made: GRAPH_WRITTEN, GRAPH_CHANGED or GRAPH_FIFO
 * @at: when it began; its row gets a later time if the object already has a row at or after it
 */
void files_renew(struct graph *g, uint32_t object, uint32_t file, enum graph_made made,
		 uint32_t exec, int64_t at, const struct identity *id);

/** files_create - make a new object at a path, replacing any old one */
uint32_t files_create(struct graph *g, uint32_t file, uint32_t exec, int64_t at,
		      const struct identity *id);

/** files_make - note that mkdir or mknod made a file at a path; @type: S_IFMT bits */
void files_make(struct graph *g, uint32_t file, uint32_t type, uint32_t exec, int64_t at);

/** files_symlink - note that a symbolic link was made at a path; @target: the file it leads to */
void files_symlink(struct graph *g, uint32_t file, uint32_t target, uint32_t exec, int64_t at);

/* A rename: @from and @to as they were recorded, and @file, the number of @from. */
struct graph_rename {
	uint32_t file, exec;
	int64_t at;
	const char *from, *to;
	size_t from_len, to_len;
	bool exchange;
};

/* Remove, move, or add a name, and report that to the owner. */
void files_unlink(struct graph *g, uint32_t file, uint32_t exec, int64_t at);
void files_rename(struct graph *g, const struct graph_rename *r);
void files_link(struct graph *g, uint32_t object, uint32_t to, uint32_t exec, int64_t at);

/**
 * moved_dir - the trace renames a path that may be a directory
 *
 * Files below it that the trace does not know yet began under its old name.
 */
void moved_dir(struct graph *g, const struct graph_rename *r);

/** moved_unknown - like moved_dir(), for names looked up before; call after files_rename() */
void moved_unknown(struct graph *g, const struct graph_rename *r);

/** moved_name - note what a path was before directories above it were renamed */
void moved_name(struct graph *g, uint32_t file, const char *path, size_t len);

/**
 * moved_from - the first path of a file that is now found at @file and was unknown there
 * @exec: set to the exec that renamed the directory
 *
 * Return: 0 if it is @file.
 */
uint32_t moved_from(const struct graph *g, uint32_t file, uint32_t *exec);
void moved_free(struct moved *m);

/* The result of below_path() is valid until its next call. */
void below_collect(struct below *b, uint32_t dir);
const char *below_path(const struct below *b, size_t i, const char *dir, size_t dir_len,
		       size_t *len);
void below_free(struct below *b);

void files_hold(struct graph *g, uint32_t object);
void files_release(struct graph *g, uint32_t object);
void files_free(struct files *f);

/* ---- descriptors: fds.c ---- */

/* An open file description: a descriptor and all its copies refer to it. */
struct description {
	unsigned int refs;	/* 0 if spare: then @other is the next spare one */
	uint32_t object;
	uint32_t file;		/* the name by which it was opened, 0 if none */
	uint32_t asked;		/* string: the path it was opened by; 0 if that of @file */
	uint32_t reads;		/* version that is read by it, 0 if none */
	uint32_t writes;	/* version that is written by it, 0 if none */
	uint32_t writer;	/* last exec recorded as writing */
	bool placed;		/* it was descriptor 0, 1 or 2 of some process */
	uint32_t place;		/* for a socket: its name (struct place), 0 if none */
	bool socket;		/* a socket: reads come from another object than @object */
	bool within;		/* for a socket: connected to a name that was bound in the trace */
	bool was_read;
	bool many_heirs;	/* several programs began with it: see inherit_fd() */
	uint32_t heir;		/* last program that got it from its parent as input, 0 if none */
	int64_t heir_at;
	bool named;		/* the program was asked to open it: see meaning_note() */
	bool loads;		/* the loader opened it, as it does ld.so.cache */
	bool library;		/* part of the library of the interpreter that opened it */
	bool writable;		/* counted in settling.writers */
	bool readable;		/* counted in settling.readers */
	unsigned int here;	/* used by count_own(): descriptors of one process; else 0 */
	bool mappable;		/* it can be mapped for writing: O_RDWR */
	struct description *other;	/* the other end of a pipe */
};

struct fd {
	struct description *d;	/* NULL if closed, or of unknown origin */
	int64_t at;		/* since when this exec has had it */
	/*
	 * For a socket: times of its last two use events; times below @at are not from this exec
	 */
	int64_t last, before;
	uint64_t last_task;	/* task of its last event, 0 if none */
	bool several;		/* several tasks have events about it, so uses may overlap */
	bool cloexec;
	bool lent;		/* it was set up for a child: see use_fork() */
	bool own;		/* this exec opened it */
	bool used;		/* its use was reported, or continues under another number */
	bool placed;		/* this process opened it, or duplicated it to this number */
	bool given;		/* this process set it up as descriptor 0 of this program */
};

struct fdtab {
	unsigned int refs;
	struct fd *fds;
	size_t cap;		/* room in @fds; no higher descriptor is open */
};

struct fdtab *fdtab_new(void);
struct fdtab *fdtab_copy(const struct fdtab *t);
void fdtab_drop(struct graph *g, struct fdtab *t);

/** fd_get - an open descriptor.  Return: NULL if it is closed or unknown. */
struct fd *fd_get(const struct fdtab *t, int64_t fd);
/** fd_put - set a descriptor's description, taking over the reference */
struct fd *fd_put(struct graph *g, struct fdtab *t, int64_t fd, struct description *d);
/** fd_open - open a descriptor. Return: NULL if @number cannot be a descriptor */
struct fd *fd_open(struct graph *g, struct process *p, int64_t number, struct description *d,
		   int64_t at, bool cloexec);
/** fd_close - forget a descriptor */
void fd_close(struct graph *g, struct fdtab *t, int64_t fd);
/** description_new - make a description of an object; takes a reference to the object */
struct description *description_new(struct graph *g, uint32_t object, uint32_t file);
void description_drop(struct graph *g, struct description *d);
/** descriptions_free - free the descriptions that are kept for reuse */
void descriptions_free(struct graph *g);

/* Above any real descriptor; only a damaged trace has higher numbers. */
#define FD_MAX (1 << 20)

/* ---- processes and what they run: graph.c ---- */

struct execution {
	uint32_t id;		/* 0 for a fork that has not done anything yet */
	uint32_t parent, before;
	uint32_t program, interp, cwd;
	uint32_t script;	/* file that it interprets; 0 until it has opened it */
	struct cmdline *cmd;	/* NULL if unknown */
	const struct interpreter *interpreter;	/* NULL if none */
	uint64_t script_hash;	/* hash of @script's path in its arguments, 0 if none */
	bool forked, begun;
	uint8_t unseen;
	int64_t lowest;		/* lowest descriptor that an open returned, 0 if none yet */
	bool starting;		/* it has opened only what the loader would open */
	bool loaded;		/* the loader has opened ld.so.cache */
	bool lends;		/* it sets up descriptors 0 to 2 for its children */
	int64_t at;
};

/* Paths that arguments may name: absolute and clean, one after the other. */
struct named_paths {
	bool found;
	struct buf text;
	uint32_t *ends, n;	/* end of each path in @text */
	size_t cap;
};

/* Arguments of a program.  Each string ends with a NUL. */
struct cmdline {
	unsigned int refs;
	uint32_t nargs;		/* not counting the first, the program's own name */
	const char *cwd, *interp, *args;	/* these are in @text */
	struct named_paths below;	/* @cwd and paths below it; found on demand */
	struct named_paths others;	/* other paths, maybe also below @cwd; found on demand */
	char text[];
};

/* A root directory other than the machine's; see roots.c. */
struct root {
	struct root *next;
	size_t len;
	char path[];		/* as recorded, without a slash at its end */
};

struct process {
	uint32_t id;
	const struct root *root;	/* NULL for the machine's */
	char *cwd;		/* NULL if it is still exec.cwd, as at the execve */
	uint64_t upid;
	unsigned int tasks;	/* live ones */
	struct fdtab *fds;
	uint32_t *mapped;	/* objects that it may have mapped for writing, each held */
	size_t nmapped, mapped_cap;
	bool apart;		/* it has its own mount namespace: a name may lead elsewhere */
	bool bears_apart;	/* the child that it is creating will be @apart */
	struct process *mapping_next, *mapping_before;	/* in graph.mapping, if @nmapped */
	struct execution exec;
	struct graph_exec_end end;	/* what is known about its end so far */
};

struct graph {
	const struct graph_ops *ops;
	void *ctx;
	struct proctab *tab;
	unsigned int pid_bits;
	struct files files;
	struct moved moved;
	struct map64 early;	/* name of an unknown file to its last change, ns (settled.c) */
	struct map64 strings;	/* hash of a string to its number, from 1 on */
	struct description *spare;	/* list of free descriptions */
	bool begun, uses;
	uint64_t begin;
	int64_t last;
	uint32_t processes, execs, tasks;
	struct map64 asked;	/* hash of path, file and class to 1 if reported */
	struct map64 link_targets;	/* version of a link to its target's offset in @targets */
	struct buf targets;	/* paths, each ended by a NUL */
	struct buf resolved;	/* used by ways.c */
	struct buf path;	/* buffer for joining paths */
	struct root *roots;	/* list of all roots */
	uint32_t nroots;	/* number of @roots so far */
	const struct root *root;	/* root of the process whose event is handled */
	struct buf rooted;	/* used by roots_path() */
	struct meeting *meetings;	/* see meetings.c */
	struct map64 meetings_by_ino;
	size_t nmeetings, meetings_cap;
	uint32_t spare_meeting;
	struct place *places;
	struct map64 place_names;	/* hash of a name to the number of its place */
	size_t nplaces, places_cap;
	int64_t realtime;	/* CLOCK_REALTIME minus CLOCK_MONOTONIC, ns; 0 if unknown */
	struct maybe {		/* files that an open may have made: see open.c */
		uint32_t version, exec;
		int64_t mtime;
	} *maybe;
	size_t nmaybe, maybe_cap;
	struct settling *settling;	/* by object; only if ops->settled is there */
	size_t nsettling, settling_cap;
	struct process *mapping;	/* processes with @mapped objects */
	uint32_t *args;		/* arguments of the exec that is being reported */
	size_t args_cap;
};

/* Calls one of the owner's callbacks, unless it is NULL. */
#define GRAPH_EMIT(g, op, ...) do {					\
	if ((g)->ops->op)						\
		(g)->ops->op((g)->ctx, __VA_ARGS__);			\
} while (0)

static inline struct object *object_of(const struct graph *g, const struct description *d)
{
	return &g->files.objects[d->object];
}

/* ---- execs.c: their rows, and strings ---- */

/** exec_id - the id of a process's current exec; a new one is passed to the owner */
uint32_t exec_id(struct graph *g, struct process *p);

/** graph_string - the number of a string; a new one is passed to the owner */
uint32_t graph_string(struct graph *g, const char *s, size_t len);

/** graph_path - the file that string @i of an event names.  Return: 0 if none */
uint32_t graph_path(struct graph *g, const struct et_event *ev, unsigned int i);

/** exec_run - report the exec of an EXEC event, with its arguments */
void exec_run(struct graph *g, const struct process *p, const struct et_event *ev);

/** exec_end - report the end of a process's current exec */
void exec_end(struct graph *g, struct process *p, enum graph_ended how, int64_t at);

/* ---- facts.c: ENV, OUTPUT, ASK ---- */

void add_variable(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
void add_printed(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
void add_ask(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);

/* ---- meetings.c: names of sockets, and ends of connections that wait ---- */

/* A connection that waits for its other end, or several indistinguishable ones at one name. */
struct meeting {
	uint32_t there, back;	/* objects: data from the connecting end, and to it */
	uint32_t place;		/* number of the place where it waits, 0 if none */
	uint32_t next;		/* previous row at @place; in a free row, the next free one */
	uint64_t ino;		/* inode of the connecting socket, 0 if unknown */
	int32_t n;		/* connecting ends minus accepting ends so far */
};

/* A socket with a name. */
struct place {
	uint64_t name;		/* hash of the name */
	uint32_t last;		/* row of the last connection that waits here, 0 if none */
};

/**
 * place_hash - hash of a unix socket's name, with a path made absolute.
 *
 * Return: 0 if it has no name
 */
uint64_t place_hash(struct graph *g, const struct process *p, const char *name, size_t len);
/**
 * place_of - the place of a name; @name: from place_hash().
 *
 * Return: 0 if no traced socket has the name
 */
uint32_t place_of(struct graph *g, uint64_t name);
/** place_new - give a socket a name; a socket that had it loses it */
uint32_t place_new(struct graph *g, uint64_t name);
/** place_moved - note that a socket's file was renamed; @to: NULL if it was removed */
void place_moved(struct graph *g, const char *from, size_t from_len, const char *to,
		 size_t to_len);
/** place_closed - the socket of a name is closed: connections that wait for it end unaccepted */
void place_closed(struct graph *g, uint32_t place);
/** meeting_new - make a row for an end that waits; takes over the references to @there and @back */
uint32_t meeting_new(struct graph *g, uint32_t there, uint32_t back, uint32_t place, uint64_t ino);
void meeting_end(struct graph *g, uint32_t row);
/** meeting_at - a place's first row that may match an end of unknown inode number; 0 if none */
uint32_t meeting_at(const struct graph *g, uint32_t place, bool accepts);
void meetings_free(struct graph *g);

/* ---- sockets.c ---- */

void socket_pair(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
/** socket_connected - handle CONNECT or ACCEPT: one end of a connection */
void socket_connected(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
/**
 * socket_bound - handle BIND: a socket gets a name
 *
 * The trace does not show which process sends messages to it: until it connects, its other end
 * counts as outside the trace.
 */
void socket_bound(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
/** socket_read - a socket with a name was read: the data comes from all sockets connected to it */
void socket_read(struct graph *g, struct process *p, const struct fd *fd, int64_t number,
		 int64_t at);
/*
 * Sockets have an event for each change between reading and writing (line-format.md, "Sockets"),
 * so each use has a time. For other descriptors the functions below return @fd->at, or 0 if
 * unknown.
 */
/** socket_event_of - before handling an event about a descriptor: note its task */
void socket_event_of(struct fd *fd, uint64_t task);
/** socket_event_done - after handling the event: note its time */
void socket_event_done(struct fd *fd, int64_t at);
/** socket_since - the time after which the recorded bytes were read.  Return: 0 if unknown */
int64_t socket_since(const struct fd *fd);
/** socket_read_began, socket_write_began - the time after which the recorded use began */
int64_t socket_read_began(const struct fd *fd);
int64_t socket_write_began(const struct fd *fd);

/* ---- cmdline.c ---- */

/** cmdline_new - arguments of an EXEC event; cmdline_get, cmdline_drop: @c may be NULL */
struct cmdline *cmdline_new(const struct graph *g, const struct et_event *ev);
struct cmdline *cmdline_get(struct cmdline *c);
void cmdline_drop(struct cmdline *c);
/**
 * cmdline_names - whether arguments name a file, or a directory above it
 * @place: minimum length in bytes of such a directory's path; if @len, no directory counts
 *
 * The values of options count, too: -C/etc, --directory=/etc, if=/etc/hosts, @list.
 */
bool cmdline_names(struct cmdline *c, const char *path, size_t len, size_t place);

/* ---- changes.c ---- */

/** change_event - apply and report a change to the file tree, if the event is one */
void change_event(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);

/* ---- roots.c ---- */

/**
 * roots_path - a path with its root directory, g->root, in front
 * @len: length of @path; set to the length of the result
 *
 * Return: @path, or a text that is valid until the next call.
 */
const char *roots_path(struct graph *g, const char *path, size_t *len);
const char *roots_below(const struct graph *g, const char *path, size_t *len);
/**
 * roots_inner - the part of a path from the machine's root that is below another root
 * @len: length of @path; set to the length of the result
 *
 * "/srv/trixie/usr/bin/cc" is "/usr/bin/cc" if a process has the root /srv/trixie.
 * The root itself is "".
 */
static inline const char *roots_inner(const struct graph *g, const char *path, size_t *len)
{
	/* most builds have no other root */
	return g->roots ? roots_below(g, path, len) : path;
}
/** roots_present - set the root of a process that already ran when the trace began */
void roots_present(struct graph *g, struct process *p, const struct et_event *ev);
/** roots_change - handle CHROOT, PIVOT, SETNS: the process may have another root from now on */
void roots_change(struct graph *g, struct process *p, const struct et_event *ev);
void roots_free(struct graph *g);

/* ---- ways.c: paths through links ---- */

/** ways_report - report, once, that a file was used by another path (string @path) */
void ways_report(struct graph *g, uint32_t file, uint32_t path, enum graph_class class);
/** ways_asked - note that a program looked up a path, which need not be clean. Return: its file */
uint32_t ways_asked(struct graph *g, const char *path, size_t len);
/** ways_link - note that a symbolic link was made; @target: where it leads */
void ways_link(struct graph *g, uint32_t file, const char *target, size_t len);
/**
 * ways_opened - note that a file is opened, perhaps by a path through links
 * @writes: it may be made or changed; @dir: it is a directory
 *
 * Return: the string of that path, to report when the file is read; 0 if it is the file's name.
 */
uint32_t ways_opened(struct graph *g, const struct et_event *ev, uint32_t file, bool writes, bool dir);

/* ---- open.c ---- */

/**
 * open_by_path - the descriptor that a path like "/proc/self/fd/3" names.
 *
 * Return: NULL if none
 */
struct fd *open_by_path(const struct graph *g, const struct process *p, const char *path,
			size_t len);
/** open_linked - the nameless object that a link call gives a name.  Return: 0 if unknown */
uint32_t open_linked(const struct graph *g, const struct process *p, const char *path, size_t len);

/* ---- meaning.c ---- */

/** meaning_note - note in @d the purpose that an open shows */
void meaning_note(struct graph *g, struct process *p, struct description *d,
		  const struct et_event *ev, int64_t flags);
/** meaning_class - why @bytes bytes were read through a descriptor */
enum graph_class meaning_class(const struct graph *g, const struct process *p,
			       const struct fd *fd, bool counted, uint64_t bytes);

/* ---- fd_uses.c: uses of descriptors ---- */

void use_open(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
void use_close(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
void use_use(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
void use_dup(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
void use_pipe(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
void use_copy(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
void use_memfd(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
void use_received(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
void use_cloexec(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
void use_truncate(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
void use_list(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
/** use_name - report a looked-up name: OPEN_FAILED, EXEC_FAILED, STAT, ACCESS, READLINK */
void use_name(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
/** use_run - report the program and the interpreter that a new exec runs */
void use_run(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);
/** use_fork - let a child inherit its parent's descriptors */
void use_fork(struct graph *g, struct process *parent, struct process *child, bool shared,
	      int64_t at);
/** use_before_exec, use_after_exec - the two halves of an execve's effect on descriptors */
void use_before_exec(struct graph *g, struct process *p, int64_t at);
void use_after_exec(struct graph *g, struct process *p, int64_t at);
/** use_end - note that a process ends */
void use_end(struct graph *g, struct process *p, int64_t at);

#endif
