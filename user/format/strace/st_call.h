/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Finished calls: the table of the roles of their arguments, and functions shared by the
 * handlers.  Each kind of record in kernel/etrace_syscalls.def has a handler, which finds
 * a call's arguments by their roles, so that variants of a call share a handler. Only
 * st_call*.c include this.
 */
#ifndef ETRACE_ST_CALL_H
#define ETRACE_ST_CALL_H

#include "format/strace/st_state.h"

enum st_record {
	REC_NONE,
#define ETRACE_RECORD(ID, id, recorded, where) REC_##ID,
#include "kernel/etrace_syscalls.def"
	/* calls that are not in that table, but show what other handlers need */
	REC_PRCTL, REC_GETCWD, REC_SOCKET, REC_SECCOMP, REC_PTRACE, REC_ENDS,
	NR_RECORDS
};

enum st_role {
#define ETRACE_ROLE(id) ROLE_##id,
#include "kernel/etrace_syscalls.def"
};

struct st_row {
	const char *name;	/* name of the call */
	uint8_t len;		/* length of @name */
	uint8_t record;		/* enum st_record */
	uint8_t recorded;		/* enum etrace_recorded_if */
	uint8_t where;		/* enum et_where */
	uint8_t roles[6];	/* enum st_role of each argument */
};

/* The current call. */
struct call {
	struct st_log *log;
	struct st_task *task;
	const struct st_row *row;
	const struct st_line *line;
	struct st_args args;
};

/** call_row - find the row of a call by its name, NULL if none */
const struct st_row *call_row(struct st_text name);

/**
 * call_row_wanted - whether calls of a row are recorded
 * @record: events on request, bit by bit, enum et_where
 */
bool call_row_wanted(const struct st_row *row, uint32_t record);

/* ---- arguments ---- */

/** call_where - index of the argument with a role, -1 if none */
int call_where(const struct call *c, enum st_role role);
/** call_arg - the argument with a role, empty if none */
struct st_text call_arg(const struct call *c, enum st_role role);
/** call_number - value of an argument like "O_RDONLY|0x10"; unknown names are counted, and are 0 */
uint64_t call_number(const struct call *c, struct st_text t);
/** call_fd - number of a descriptor, -1 if none; also passes it to call_learn() */
int64_t call_fd(const struct call *c, struct st_text t);
/** call_learn - keep the path that strace prints for a descriptor or AT_FDCWD (-y), if any */
void call_learn(const struct call *c, const struct st_fd_arg *fd);

/* ---- the event ---- */

/** call_begin - begin the call's event, with its error if the call failed */
struct et_event *call_begin(const struct call *c, enum et_kind kind);
/** call_begin_apart - begin the event of a failed call whose failures are a separate kind
 * @path: number of the string for the name, see call_meant()
 */
struct et_event *call_begin_apart(const struct call *c, enum et_kind kind, unsigned int path);
/** call_cut - mark a string of the event, bit @bit, as cut */
void call_cut(const struct call *c, unsigned int bit);

/** call_meant - set log->path to a name as the caller meant it
 *
 * A relative name is appended to the path of its directory, if known.  Return: false if
 * the name is missing.
 */
bool call_meant(const struct call *c, enum st_role dirfd, enum st_role path, bool *cut);
/** call_settle - clean log->path; also follow links to directories, if st_asks can find them */
void call_settle(const struct call *c);
/** call_names_fd - whether log->path is "/proc/self/fd/N" */
bool call_names_fd(const struct call *c);
/** call_settle_self - replace "/proc/self" in log->path with "/proc/PID", which etrace can resolve */
void call_settle_self(const struct call *c);

/** call_settle_whole - like call_settle(), but follow a link at the end of log->path, too */
void call_settle_whole(const struct call *c);

/* Strings of the event, by number. */
/** call_add_name - add a name as the kernel resolved it, as far as @settle can */
void call_add_name(const struct call *c, unsigned int i, enum st_role dirfd, enum st_role path,
		   void (*settle)(const struct call *c));
/** call_add_settled - call_add_name() for a call that does not follow a link at the end */
void call_add_settled(const struct call *c, unsigned int i, enum st_role dirfd,
		      enum st_role path);
/** call_add_meant - add a name as the caller meant it, see call_meant() */
void call_add_meant(const struct call *c, unsigned int i, enum st_role dirfd, enum st_role path);
/** call_add_passed - add a string argument unchanged */
void call_add_passed(const struct call *c, unsigned int i, enum st_role role);
/** call_add_path_of - add the path that a descriptor is open on.  Return: false if unknown. */
bool call_add_path_of(const struct call *c, unsigned int i, int64_t fd);

/* ---- looking at files ---- */

/** call_asks - callbacks that can look at a task's files, NULL if that is impossible */
const struct st_asks *call_asks(const struct st_log *log, const struct st_task *task);
/** call_span - when the call began and ended */
struct st_span call_span(const struct call *c);

/* ---- descriptors: st_calls_fd.c ---- */

/** call_opened - note a descriptor that was opened; @path: NULL if unknown */
void call_opened(const struct call *c, int64_t number, bool cloexec, const char *path,
		 size_t len);
/** call_is_socket - note that a descriptor is a socket: without -y strace does not print it */
void call_is_socket(const struct call *c, int64_t number);

/* ---- use of descriptors: st_calls_use.c ---- */

/** call_has_read, call_has_written - note use of a descriptor; @copied: see call_has_copied() */
void call_has_read(const struct call *c, int64_t number, int64_t bytes);
void call_has_written(const struct call *c, int64_t number, int64_t bytes, bool copied);
/** call_has_copied - note a copy between descriptors; repeated copies emit one event */
void call_has_copied(const struct call *c, int64_t in, int64_t out, int64_t bytes);
/** call_replaced - emit what was done with a descriptor before it refers to another file */
void call_replaced(struct st_log *log, const struct st_task *task, int64_t number,
		   struct st_fd *fd);
/** call_closed - emit the event of a close; @fd: NULL if nothing is known of it */
void call_closed(struct st_log *log, const struct st_task *task, int64_t number,
		 struct st_fd *fd, bool exec);

/* ---- the handlers: st_calls_*.c ---- */

#define ETRACE_RECORD(ID, id, recorded, where) void st_do_##id(struct call *c);
#include "kernel/etrace_syscalls.def"
void st_do_prctl(struct call *c);
void st_do_getcwd(struct call *c);
void st_do_socket(struct call *c);
void st_do_seccomp(struct call *c);
void st_do_ptrace(struct call *c);
void st_do_ends(struct call *c);

#endif
