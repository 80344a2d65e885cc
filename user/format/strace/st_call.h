/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A finished call: the row that says what its arguments mean, and what the handlers of
 * all calls share.  A handler belongs to a kind of record of kernel/etrace_syscalls.def,
 * and finds the call's arguments by their roles; so variants of a call share it.  Only
 * st_call*.c include this.
 */
#ifndef ETRACE_ST_CALL_H
#define ETRACE_ST_CALL_H

#include "format/strace/st_state.h"

enum st_record {
	REC_NONE,
#define ETRACE_RECORD(ID, id, recorded, where) REC_##ID,
#include "kernel/etrace_syscalls.def"
	/* calls that are not in the table, but show what handlers of others need */
	REC_PRCTL, REC_GETCWD, REC_SOCKET, REC_SECCOMP, REC_PTRACE, REC_ENDS,
	NR_RECORDS
};

enum st_role {
#define ETRACE_ROLE(id) ROLE_##id,
#include "kernel/etrace_syscalls.def"
};

struct st_row {
	const char *name;	/* of the call */
	uint8_t len;		/* of its name */
	uint8_t record;		/* enum st_record */
	uint8_t recorded;		/* enum etrace_recorded_if */
	uint8_t where;		/* enum et_where */
	uint8_t roles[6];	/* enum st_role, of each argument */
};

/* The current call. */
struct call {
	struct st_log *log;
	struct st_task *task;
	const struct st_row *row;
	const struct st_line *line;
	struct st_args args;
};

/** call_row - the row of a call by its name, NULL if none */
const struct st_row *call_row(struct st_text name);

/* ---- arguments ---- */

/** call_where - index of the argument with a role, -1 if none */
int call_where(const struct call *c, enum st_role role);
/** call_arg - the argument with a role, empty if none */
struct st_text call_arg(const struct call *c, enum st_role role);
/** call_number - a number; one whose names are not known is counted, and what is known taken */
uint64_t call_number(const struct call *c, struct st_text t);
/** call_fd - a descriptor, of which is learned what strace says that it is open on.  Return: -1: none. */
int64_t call_fd(const struct call *c, struct st_text t);
/** call_learn - what strace says of a descriptor: it may be more than was known */
void call_learn(const struct call *c, const struct st_fd_arg *fd);

/* ---- the event ---- */

/** call_begin - begin the call's event; that it failed is set */
struct et_event *call_begin(const struct call *c, enum et_kind kind);
/** call_begin_apart - the same of a call whose failure is a kind of event of its own, with a name
 * @path: number of the string that the name is, as the caller meant it
 */
struct et_event *call_begin_apart(const struct call *c, enum et_kind kind, unsigned int path);
/** call_cut - mark a string of the event, bit @bit, as cut */
void call_cut(const struct call *c, unsigned int bit);

/** call_meant - a name as the caller meant it, in log->path
 *
 * A relative name gets the path of its directory in front.  Return: false if the name is
 * missing.
 */
bool call_meant(const struct call *c, enum st_role dirfd, enum st_role path, bool *cut);
/** call_settle - log->path without ".", "..", and where somebody can look, links to directories */
void call_settle(const struct call *c);
/** call_settle_whole - the same, and if it is itself a link, where that leads */
void call_settle_whole(const struct call *c);

/* Strings of the event, by number. */
/** call_add_name - a name that the kernel resolved, as far as it is known how, by @settle */
void call_add_name(const struct call *c, unsigned int i, enum st_role dirfd, enum st_role path,
		   void (*settle)(const struct call *c));
/** call_add_settled - the same of what lies there, be it a link */
void call_add_settled(const struct call *c, unsigned int i, enum st_role dirfd,
		      enum st_role path);
/** call_add_meant - add a name as the caller meant it, see call_meant() */
void call_add_meant(const struct call *c, unsigned int i, enum st_role dirfd, enum st_role path);
/** call_add_passed - add a string as it was passed */
void call_add_passed(const struct call *c, unsigned int i, enum st_role role);
/** call_add_path_of - add the path that a descriptor is open on.  Return: false if unknown. */
bool call_add_path_of(const struct call *c, unsigned int i, int64_t fd);

/* ---- looking at files ---- */

/** call_asks - callbacks that can look at a task's files, NULL if none */
const struct st_asks *call_asks(const struct st_log *log, const struct st_task *task);
/** call_span - when the call began and ended */
struct st_span call_span(const struct call *c);

/* ---- descriptors: st_calls_fd.c ---- */

/** call_opened - a descriptor is open from now on; @path may be NULL */
void call_opened(const struct call *c, int64_t number, bool cloexec, const char *path,
		 size_t len);
/** call_is_socket - what a descriptor is, where strace does not say what it is open on (-y) */
void call_is_socket(const struct call *c, int64_t number);

/* ---- use of descriptors: st_calls_use.c ---- */

/** call_has_read, call_has_written - so many bytes, by a descriptor; @copied: from another one */
void call_has_read(const struct call *c, int64_t number, int64_t bytes);
void call_has_written(const struct call *c, int64_t number, int64_t bytes, bool copied);
/** call_has_copied - from one descriptor straight to another: recorded once while both stay */
void call_has_copied(const struct call *c, int64_t in, int64_t out, int64_t bytes);
/** call_replaced - emit what was done with a descriptor before it refers to another file */
void call_replaced(struct st_log *log, const struct st_task *task, int64_t number,
		   struct st_fd *fd);
/** call_closed - emit the event of a close; @fd is NULL if nothing is known of it */
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
