// SPDX-License-Identifier: LGPL-2.1
/* The table of calls, and functions that their handlers share.  See st_call.h. */
#include "format/strace/st_call.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/net.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/etrace_rules.h"

const struct diag_kind st_cut_strings = {
	"strings that strace cut (its option -s)", DIAG_DAMAGE };
static const struct diag_kind relative = {
	"names below a directory that the log does not tell", DIAG_NOTE };
static const struct diag_kind unknown_numbers = {
	"values of flags or modes without a known name", DIAG_NOTE };

/* ---- the table ---- */

enum {
#define ETRACE_RECORD(ID, id, recorded, where) RECORDED_##ID = ETRACE_RECORDED_##recorded,
#include "kernel/etrace_syscalls.def"
	RECORDED_PRCTL = ETRACE_RECORDED_MADE, RECORDED_GETCWD = ETRACE_RECORDED_MADE,
	RECORDED_SOCKET = ETRACE_RECORDED_MADE, RECORDED_SECCOMP = ETRACE_RECORDED_MADE,
	RECORDED_PTRACE = ETRACE_RECORDED_BOTH, RECORDED_ENDS = ETRACE_RECORDED_MADE,
};

enum {
#define ETRACE_RECORD(ID, id, recorded, where) WHERE_##ID = ET_##where,
#include "kernel/etrace_syscalls.def"
	WHERE_PRCTL = ET_ALWAYS, WHERE_GETCWD = ET_ALWAYS, WHERE_SOCKET = ET_ALWAYS,
	WHERE_SECCOMP = ET_ALWAYS, WHERE_PTRACE = ET_ALWAYS, WHERE_ENDS = ET_ALWAYS,
};

static const struct st_row rows[] = {
#define ROW(name, record, ...) \
	{ #name, sizeof(#name) - 1, REC_##record, RECORDED_##record, WHERE_##record, { ETRACE_ROLES(ROLE_, __VA_ARGS__) } },
#define ETRACE_SYSCALL(name, record, hook, ...) ROW(name, record, __VA_ARGS__)
#include "kernel/etrace_syscalls.def"
	ROW(prctl, PRCTL, FLAGS, PATH)
	ROW(getcwd, GETCWD, PATH)
	ROW(socket, SOCKET, SKIP, FLAGS)
	ROW(eventfd2, SOCKET, SKIP, FLAGS)
	ROW(epoll_create1, SOCKET, FLAGS)
	ROW(seccomp, SECCOMP, FLAGS, SKIP, STRUCT)
	ROW(ptrace, PTRACE, FLAGS, SKIP)
	ROW(exit, ENDS, SKIP)
	ROW(exit_group, ENDS, SKIP)
};
#define NROWS (sizeof(rows) / sizeof(rows[0]))

/* Linear search: names are few, and most differ in length or in their first bytes. */
const struct st_row *call_row(struct st_text name)
{
	for (size_t i = 0; i < NROWS; i++)
		if (rows[i].len == name.len && !memcmp(rows[i].name, name.s, name.len))
			return &rows[i];
	return NULL;
}

/* Some calls are recorded only on request. */
bool call_row_wanted(const struct st_row *row, uint32_t record)
{
	return !(1u << row->where & (1u << ET_PROBES | 1u << ET_DIRS) & ~record);
}

char *st_log_calls(uint32_t record)
{
	struct buf b = { 0 };

	buf_adds(&b, "trace=");
	for (size_t i = 0; i < NROWS; i++) {
		/* strace prints how a task ends anyway */
		if (!call_row_wanted(&rows[i], record) || rows[i].record == REC_ENDS)
			continue;
		buf_adds(&b, i ? ",?" : "?");
		buf_adds(&b, rows[i].name);
	}
	buf_addc(&b, 0);
	return b.s;
}

bool st_log_knows(struct st_text name)
{
	return call_row(name);
}

/* ---- arguments ---- */

int call_where(const struct call *c, enum st_role role)
{
	for (int i = 0; i < 6; i++)
		if (c->row->roles[i] == role)
			return i;
	return -1;
}

struct st_text call_arg(const struct call *c, enum st_role role)
{
	static const struct st_text none = { "", 0 };
	int i = call_where(c, role);

	return i < 0 ? none : c->args.arg[i];
}

uint64_t call_number(const struct call *c, struct st_text t)
{
	uint64_t v = 0;

	if (t.len && !st_number(t, &v))
		diag_report(c->log->diag, &unknown_numbers, c->log->place.file, DIAG_LINE,
			    c->log->place.number, "%.*s", t.len > 80 ? 80 : (int)t.len, t.s);
	return v;
}

void call_learn(const struct call *c, const struct st_fd_arg *fd)
{
	struct st_process *p = c->task->process;
	struct buf path = { 0 };
	struct st_fd *known;

	if (!fd->has_path)
		return;
	st_fd_path(fd, &path);
	if (fd->fd == AT_FDCWD) {
		st_cwd_set(p, path.s ? path.s : "", path.len);
	} else {
		known = st_fd(p, fd->fd);
		if (known && !known->path) {
			known->path = xstrndup(path.s ? path.s : "", path.len);
			known->open = true;
		}
	}
	buf_free(&path);
}

int64_t call_fd(const struct call *c, struct st_text t)
{
	struct st_fd_arg fd;

	if (!st_fd_arg(t, &fd))
		return -1;
	call_learn(c, &fd);
	return fd.fd;
}

void call_cut(const struct call *c, unsigned int bit)
{
	diag_report(c->log->diag, &st_cut_strings, c->log->place.file, DIAG_LINE,
		    c->log->place.number, NULL);
	c->log->ev.marks[ET_CUT] |= (uint8_t)bit;
}

/* ---- names ---- */

const struct st_asks *call_asks(const struct st_log *log, const struct st_task *task)
{
	return task->process->dirs->elsewhere ? NULL : log->opt.asks;
}

struct st_span call_span(const struct call *c)
{
	uint64_t took = c->line->has_took ? c->line->took : 0, at = c->log->at;

	return (struct st_span){ at > took ? at - took : 0, at };
}

/* The directory of a relative name.  Return: NULL if unknown. */
static const char *call_directory(const struct call *c, enum st_role dirfd)
{
	const struct st_process *p = c->task->process;
	int64_t fd = call_where(c, dirfd) < 0 ? AT_FDCWD : call_fd(c, call_arg(c, dirfd));
	const struct st_fd *known;

	if (fd == AT_FDCWD)
		return p->dirs->cwd;
	known = st_fd_known(p, fd);
	return known ? known->path : NULL;
}

bool call_meant(const struct call *c, enum st_role dirfd, enum st_role path, bool *cut)
{
	struct st_log *log = c->log;
	const char *dir;

	log->text.len = log->path.len = 0;
	*cut = false;
	if (!st_string(call_arg(c, path), &log->text, cut))
		return false;
	dir = call_directory(c, dirfd);
	if (log->text.len && *log->text.s == '/') {
		/* events have paths as the first task sees them; so does strace -y */
		if (c->task->process->dirs->root)
			buf_adds(&log->path, c->task->process->dirs->root);
	} else if (log->text.len) {
		if (dir && *dir == '/') {
			buf_adds(&log->path, dir);
			if (dir[1])
				buf_addc(&log->path, '/');
		} else {
			diag_report(log->diag, &relative, log->place.file, DIAG_LINE,
				    log->place.number, "'%.*s': etrace-read --cwd says where it was made",
				    (int)log->text.len, log->text.s);
		}
	}
	buf_add(&log->path, log->text.s, log->text.len);
	return true;
}

/* Whether a path leads elsewhere for the process that resolves it. */
static bool is_of_caller(const char *path)
{
	static const char *const of[] = { "/proc/self", "/proc/thread-self", NULL };

	return path_in(path, strlen(path), of);
}

/* Where the directory in the first @len bytes of log->path leads now. Return: false if unknown. */
static bool ask_directory(const struct call *c, size_t len, char dir[PATH_MAX])
{
	const struct st_asks *asks = call_asks(c->log, c->task);
	char name[PATH_MAX];

	if (!asks || !len || len >= sizeof(name))
		return false;
	memcpy(name, c->log->path.s, len);
	name[len] = 0;
	if (is_of_caller(name))
		return false;
	return asks->directory(asks->ctx, name, dir, PATH_MAX);
}

/* Replace the first @len bytes of log->path with directory @dir. */
static void move_path(const struct call *c, const char *dir, size_t len)
{
	struct st_log *log = c->log;

	log->text.len = 0;
	buf_add(&log->text, log->path.s + len, log->path.len - len);
	log->path.len = 0;
	if (dir[1])
		buf_adds(&log->path, dir);
	buf_add(&log->path, log->text.s, log->text.len);
}

/* Length of the directory part of log->path, which is not clean; 0 if it ends in "." or "..". */
static size_t raw_directory(const struct st_log *log)
{
	const char *end = log->path.s + log->path.len, *slash;

	while (end > log->path.s && end[-1] == '/')
		end--;
	slash = memrchr(log->path.s, '/', (size_t)(end - log->path.s));
	if (!slash || (end - slash == 2 && slash[1] == '.') ||
	    (end - slash == 3 && slash[1] == '.' && slash[2] == '.'))
		return 0;
	return (size_t)(slash - log->path.s);
}

void call_settle_self(const struct call *c)
{
	static const char self[] = "/proc/self/";
	const size_t n = sizeof(self) - 1;
	struct st_log *log = c->log;
	char dir[32];

	if (!call_asks(log, c->task) || c->task->pid <= 0 || log->path.len <= n ||
	    memcmp(log->path.s, self, n) != 0)
		return;
	snprintf(dir, sizeof(dir), "/proc/%" PRId64, c->task->pid);
	move_path(c, dir, n - 1);
}

void call_settle(const struct call *c)
{
	struct st_log *log = c->log;
	char dir[PATH_MAX];
	size_t n;

	if (!log->path.len || *log->path.s != '/')
		return;
	call_settle_self(c);
	/* do not clean a path before asking: the kernel follows links before any ".." */
	n = path_is_clean(log->path.s, log->path.len) ? 0 : raw_directory(log);
	if (n && ask_directory(c, n, dir)) {
		move_path(c, dir, n);
		path_clean(&log->path);
		return;
	}
	path_clean(&log->path);
	n = (size_t)((const char *)memrchr(log->path.s, '/', log->path.len) - log->path.s);
	if (ask_directory(c, n, dir))
		move_path(c, dir, n);
}

static const char own_fds[] = "/proc/self/fd/";

bool call_names_fd(const struct call *c)
{
	const struct buf *path = &c->log->path;

	return path->len >= sizeof(own_fds) && !memcmp(path->s, own_fds, sizeof(own_fds) - 1);
}

/*
 * Set log->path to the file of descriptor N, if it is "/proc/self/fd/N".
 *
 * Return: false if it is not
 */
static bool settle_fd(const struct call *c)
{
	const size_t n = sizeof(own_fds) - 1;
	struct buf *path = &c->log->path;
	const struct st_fd *known;
	uint64_t fd;

	if (!call_names_fd(c) ||
	    !st_number((struct st_text){ path->s + n, path->len - n }, &fd) || fd > INT_MAX)
		return false;
	known = st_fd_known(c->task->process, (int64_t)fd);
	if (!known || !known->path)
		return false;
	path->len = 0;
	buf_adds(path, known->path);
	return true;
}

void call_settle_whole(const struct call *c)
{
	struct st_log *log = c->log;
	char dir[PATH_MAX];

	if (!log->path.len || *log->path.s != '/' || settle_fd(c))
		return;
	call_settle_self(c);
	if (!ask_directory(c, log->path.len, dir)) {
		path_clean(&log->path);
		if (!ask_directory(c, log->path.len, dir))
			return;
	}
	log->path.len = 0;
	buf_adds(&log->path, dir);
}

void call_add_name(const struct call *c, unsigned int i, enum st_role dirfd, enum st_role path,
		     void (*settle)(const struct call *c))
{
	struct et_event *ev = &c->log->ev;
	bool cut;

	/* the kernel could not resolve it */
	if (c->line->error && etrace_failed_look_up(-c->line->error))
		return;
	if (!call_meant(c, dirfd, path, &cut))
		return;
	settle(c);
	et_add_string(ev, i, c->log->path.s, c->log->path.len);
	ev->marks[ET_JOINED] |= (uint8_t)(1u << i);
	if (cut)
		call_cut(c, 1u << i);
}

void call_add_settled(const struct call *c, unsigned int i, enum st_role dirfd, enum st_role path)
{
	call_add_name(c, i, dirfd, path, call_settle);
}

void call_add_meant(const struct call *c, unsigned int i, enum st_role dirfd, enum st_role path)
{
	bool cut;

	if (!call_meant(c, dirfd, path, &cut))
		return;
	et_add_string(&c->log->ev, i, c->log->path.s, c->log->path.len);
	if (cut)
		call_cut(c, 1u << i);
}

void call_add_passed(const struct call *c, unsigned int i, enum st_role role)
{
	struct buf *b = &c->log->text;
	bool cut = false;

	b->len = 0;
	if (!st_string(call_arg(c, role), b, &cut))
		return;
	et_add_string(&c->log->ev, i, b->s ? b->s : "", b->len);
	if (cut)
		call_cut(c, 1u << i);
}

bool call_add_path_of(const struct call *c, unsigned int i, int64_t fd)
{
	const struct st_fd *known = st_fd_known(c->task->process, fd);

	if (!known || !known->path)
		return false;
	et_add_string(&c->log->ev, i, known->path, strlen(known->path));
	return true;
}

struct et_event *call_begin(const struct call *c, enum et_kind kind)
{
	struct et_event *ev = st_event(c->log, c->task, kind);

	if (c->line->error) {
		ev->flags |= ET_F_FAILED;
		if (c->line->error > 0)
			et_set_error(ev, c->line->error);
	}
	return ev;
}

struct et_event *call_begin_apart(const struct call *c, enum et_kind kind, unsigned int path)
{
	struct et_event *ev = call_begin(c, kind);

	ev->flags &= (uint8_t)~ET_F_FAILED;
	call_add_meant(c, path, ROLE_DIRFD, ROLE_PATH);
	return ev;
}
