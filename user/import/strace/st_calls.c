// SPDX-License-Identifier: LGPL-2.1
/*
 * What a finished call was: one handler for each kind of record, which finds the
 * call's arguments by their roles in kernel/etrace_syscalls.def.  See st_log.h.
 */
#include "import/strace/st_state.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/net.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "kernel/etrace_rules.h"
#include "kernel/etrace_secrets.h"

const struct diag_kind st_cut_strings = {
	"strings that strace cut (its option -s)", DIAG_DAMAGE };
static const struct diag_kind relative = {
	"names below a directory that the log does not tell", DIAG_NOTE };
static const struct diag_kind unknown_numbers = {
	"flags or modes that are not known by their names", DIAG_DAMAGE };
static const struct diag_kind rings = {
	"io_urings: what was done through them is not in a log of strace", DIAG_DAMAGE };

enum record {
	REC_NONE,
#define ETRACE_RECORD(ID, id, told, where) REC_##ID,
#include "kernel/etrace_syscalls.def"
	/* of strace's alone: no call of the table tells that */
	REC_PRCTL, REC_GETCWD, REC_SOCKET,
	NR_RECORDS
};

enum {
#define ETRACE_RECORD(ID, id, told, where) TOLD_##ID = ETRACE_TOLD_##told,
#include "kernel/etrace_syscalls.def"
	TOLD_PRCTL = ETRACE_TOLD_MADE, TOLD_GETCWD = ETRACE_TOLD_MADE,
	TOLD_SOCKET = ETRACE_TOLD_MADE,
};

enum {
#define ETRACE_RECORD(ID, id, told, where) WHERE_##ID = ET_##where,
#include "kernel/etrace_syscalls.def"
	WHERE_PRCTL = ET_ALWAYS, WHERE_GETCWD = ET_ALWAYS, WHERE_SOCKET = ET_ALWAYS,
};

enum role {
#define ETRACE_ROLE(id) ROLE_##id,
#include "kernel/etrace_syscalls.def"
};

struct row {
	const char *name;
	uint8_t record, told, where;
	uint8_t roles[6];
};

static const struct row rows[] = {
#define ROW(name, record, ...) \
	{ #name, REC_##record, TOLD_##record, WHERE_##record, { ETRACE_ROLES(ROLE_, __VA_ARGS__) } },
#define ETRACE_SYSCALL(name, record, hook, ...) ROW(name, record, __VA_ARGS__)
#include "kernel/etrace_syscalls.def"
	ROW(prctl, PRCTL, FLAGS, PATH)
	ROW(getcwd, GETCWD, PATH)
	ROW(socket, SOCKET, SKIP, FLAGS)
	ROW(eventfd2, SOCKET, SKIP, FLAGS)
	ROW(epoll_create1, SOCKET, FLAGS)
};
#define NROWS (sizeof(rows) / sizeof(rows[0]))

/* The call at hand. */
struct call {
	struct st_log *log;
	struct st_task *task;
	const struct row *row;
	const struct st_line *line;
	struct st_args args;
};

static int compare_rows(const void *a, const void *b)
{
	return strcmp((*(const struct row *const *)a)->name, (*(const struct row *const *)b)->name);
}

static int compare_name(const void *key, const void *row)
{
	const struct st_text *t = key;
	const char *name = (*(const struct row *const *)row)->name;
	int order = strncmp(t->s, name, t->len);

	return order ? order : name[t->len] ? -1 : 0;
}

static const struct row *row_of(struct st_text name)
{
	static const struct row *sorted[NROWS];
	static bool ready;
	const struct row *const *found;

	if (!ready) {
		for (size_t i = 0; i < NROWS; i++)
			sorted[i] = &rows[i];
		qsort(sorted, NROWS, sizeof(sorted[0]), compare_rows);
		ready = true;
	}
	found = bsearch(&name, sorted, NROWS, sizeof(sorted[0]), compare_name);
	return found ? *found : NULL;
}

/* Whether a row is told of only on request, and nobody has asked. */
static bool unasked(const struct row *row, uint32_t record)
{
	return 1u << row->where & (1u << ET_PROBES | 1u << ET_DIRS) & ~record;
}

char *st_log_calls(uint32_t record)
{
	struct buf b = { 0 };

	buf_adds(&b, "trace=");
	for (size_t i = 0; i < NROWS; i++) {
		if (unasked(&rows[i], record))
			continue;
		buf_adds(&b, i ? ",?" : "?");
		buf_adds(&b, rows[i].name);
	}
	buf_addc(&b, 0);
	return b.s;
}

bool st_log_knows(struct st_text name)
{
	return row_of(name);
}

/* ---- arguments ---- */

/* Which argument has a role.  Return: -1: none. */
static int where(const struct call *c, enum role role)
{
	for (int i = 0; i < 6; i++)
		if (c->row->roles[i] == role)
			return i;
	return -1;
}

static struct st_text arg(const struct call *c, enum role role)
{
	static const struct st_text none = { "", 0 };
	int i = where(c, role);

	return i < 0 || !c->args.arg[i].s ? none : c->args.arg[i];
}

/* A number; one whose names are not known is counted, and what is known of it taken. */
static uint64_t number(const struct call *c, struct st_text t)
{
	uint64_t v = 0;

	if (t.len && !st_number(t, &v))
		diag_report(c->log->diag, &unknown_numbers, c->log->place.file, DIAG_LINE,
			    c->log->place.number, "%.*s", t.len > 80 ? 80 : (int)t.len, t.s);
	return v;
}

/* What strace says a descriptor is open on: it may be more than the log told before. */
static void learn(const struct call *c, const struct st_fd_arg *fd)
{
	struct st_process *p = c->task->process;
	struct buf path = { 0 };
	struct st_fd *known;

	if (!fd->has_path)
		return;
	st_unescape(&path, fd->path.s, fd->path.len);
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

static int64_t fd_number(const struct call *c, struct st_text t)
{
	struct st_fd_arg fd;

	if (!st_fd_arg(t, &fd))
		return -1;
	learn(c, &fd);
	return fd.fd;
}

static void note_cut(const struct call *c, unsigned int bit)
{
	diag_report(c->log->diag, &st_cut_strings, c->log->place.file, DIAG_LINE,
		    c->log->place.number, NULL);
	c->log->ev.marks[ET_CUT] |= (uint8_t)bit;
}

/* ---- names ---- */

/* Who can look where a task's files lie.  Return: NULL: nobody. */
static const struct st_asks *asks_of(const struct st_log *log, const struct st_task *task)
{
	return task->process->dirs->elsewhere ? NULL : log->opt.asks;
}

static struct st_span span_of(const struct call *c)
{
	uint64_t took = c->line->has_took ? c->line->took : 0, at = c->log->at;

	return (struct st_span){ at > took ? at - took : 0, at };
}

/* The directory before a relative name.  Return: NULL: not known. */
static const char *directory(const struct call *c, enum role dirfd)
{
	const struct st_process *p = c->task->process;
	int64_t fd = where(c, dirfd) < 0 ? AT_FDCWD : fd_number(c, arg(c, dirfd));
	const struct st_fd *known;

	if (fd == AT_FDCWD)
		return p->dirs->cwd;
	known = st_fd_known(p, fd);
	return known ? known->path : NULL;
}

/*
 * A name as the caller meant it, in log->path: as it was passed, behind the path of its
 * directory unless it is absolute.  Return: false: it is not there.
 */
static bool meant(const struct call *c, enum role dirfd, enum role path, bool *cut)
{
	struct st_log *log = c->log;
	const char *dir;

	log->text.len = log->path.len = 0;
	*cut = false;
	if (!st_string(arg(c, path), &log->text, cut))
		return false;
	dir = directory(c, dirfd);
	if (log->text.len && *log->text.s == '/') {
		/* all paths are told as the first task sees them: strace's own are so, too */
		if (c->task->process->dirs->root)
			buf_adds(&log->path, c->task->process->dirs->root);
	} else if (log->text.len) {
		if (dir && *dir == '/') {
			buf_adds(&log->path, dir);
			if (dir[1])
				buf_addc(&log->path, '/');
		} else {
			diag_report(log->diag, &relative, log->place.file, DIAG_LINE,
				    log->place.number, "'%.*s': --cwd says where it was made",
				    (int)log->text.len, log->text.s);
		}
	}
	buf_add(&log->path, log->text.s, log->text.len);
	return true;
}

/* Without "." and "..", and where somebody can look, without links to directories. */
static void settle(const struct call *c)
{
	const struct st_asks *asks = asks_of(c->log, c->task);
	struct st_log *log = c->log;
	char dir[PATH_MAX], name[PATH_MAX];
	const char *slash;
	size_t n;

	if (!log->path.len || *log->path.s != '/')
		return;
	path_clean(&log->path);
	slash = memrchr(log->path.s, '/', log->path.len);
	n = (size_t)(slash - log->path.s);
	if (!asks || !n || n >= sizeof(name))
		return;
	memcpy(name, log->path.s, n);
	name[n] = 0;
	if (!asks->directory(asks->ctx, name, dir, sizeof(dir)) || !strcmp(dir, name))
		return;
	log->text.len = 0;
	buf_add(&log->text, slash, log->path.len - n);
	log->path.len = 0;
	if (dir[1])
		buf_adds(&log->path, dir);
	buf_add(&log->path, log->text.s, log->text.len);
}

/* Where a name leads through all links, if somebody can look. */
static void settle_whole(const struct call *c)
{
	const struct st_asks *asks = asks_of(c->log, c->task);
	struct st_log *log = c->log;
	char name[PATH_MAX], dir[PATH_MAX];

	if (!log->path.len || *log->path.s != '/')
		return;
	path_clean(&log->path);
	if (!asks || log->path.len >= sizeof(name))
		return;
	memcpy(name, log->path.s, log->path.len);
	name[log->path.len] = 0;
	if (!asks->directory(asks->ctx, name, dir, sizeof(dir)))
		return;
	log->path.len = 0;
	buf_adds(&log->path, dir);
}

/* A name that the kernel resolved, as string @i: what is known of where it leads. */
static void add_name(const struct call *c, unsigned int i, enum role dirfd, enum role path,
		     void (*settle_it)(const struct call *c))
{
	struct et_event *ev = &c->log->ev;
	bool cut;

	/* looking it up is what failed */
	if (c->line->error && etrace_failed_look_up(-c->line->error))
		return;
	if (!meant(c, dirfd, path, &cut))
		return;
	settle_it(c);
	et_add_string(ev, i, c->log->path.s, c->log->path.len);
	ev->marks[ET_JOINED] |= (uint8_t)(1u << i);
	if (cut)
		note_cut(c, 1u << i);
}

/* The same of a call that changes the tree of files: what lies there, be it a link. */
static void add_settled(const struct call *c, unsigned int i, enum role dirfd, enum role path)
{
	add_name(c, i, dirfd, path, settle);
}

/* A name that is told as the caller meant it. */
static void add_meant(const struct call *c, unsigned int i, enum role dirfd, enum role path)
{
	bool cut;

	if (!meant(c, dirfd, path, &cut))
		return;
	et_add_string(&c->log->ev, i, c->log->path.s, c->log->path.len);
	if (cut)
		note_cut(c, 1u << i);
}

/* A string as it was passed. */
static void add_passed(const struct call *c, unsigned int i, enum role role)
{
	struct buf *b = &c->log->text;
	bool cut = false;

	b->len = 0;
	if (!st_string(arg(c, role), b, &cut))
		return;
	et_add_string(&c->log->ev, i, b->s ? b->s : "", b->len);
	if (cut)
		note_cut(c, 1u << i);
}

/* The path that a descriptor is open on. */
static bool add_path_of(const struct call *c, unsigned int i, int64_t fd)
{
	const struct st_fd *known = st_fd_known(c->task->process, fd);

	if (!known || !known->path)
		return false;
	et_add_string(&c->log->ev, i, known->path, strlen(known->path));
	return true;
}

static struct et_event *begin(const struct call *c, enum et_kind kind)
{
	struct et_event *ev = st_event(c->log, c->task, kind);

	if (c->line->error) {
		ev->flags |= ET_F_FAILED;
		if (c->line->error > 0)
			et_set_error(ev, c->line->error);
	}
	return ev;
}

/* ---- descriptors ---- */

static void opened(const struct call *c, int64_t number, bool cloexec, const char *path, size_t len)
{
	struct st_fd *fd = st_fd(c->task->process, number);

	if (!fd)
		return;
	st_fd_close(fd);
	fd->open = true;
	fd->cloexec = cloexec;
	fd->path = path ? xstrndup(path, len) : NULL;
}

static void used(const struct call *c, int64_t number, bool write, int64_t bytes)
{
	struct st_fd *fd = st_fd(c->task->process, number);

	if (!fd)
		return;
	if (write) {
		fd->wrote = true;
		fd->nwrote += bytes > 0 ? (uint64_t)bytes : 0;
	} else {
		fd->read = true;
		fd->nread += bytes > 0 ? (uint64_t)bytes : 0;
	}
}

/* What a file was like behind the last write to it: two values from @size on. */
static void add_written(struct st_log *log, const struct st_task *task, const struct st_fd *fd,
			unsigned int size)
{
	const struct st_asks *asks = asks_of(log, task);
	const struct st_span now = { log->at, log->at };
	struct st_identity id;

	if (!asks || !fd->path || !asks->written(asks->ctx, fd->path, now, &id))
		return;
	et_set_value(&log->ev, size, (int64_t)id.size);
	et_set_value(&log->ev, size + 1, id.mtime);
}

_Static_assert(ET_V_USE_mtime == ET_V_USE_size + 1 && ET_V_CLOSE_mtime == ET_V_CLOSE_size + 1,
	       "as add_written() has it");

static void tell_use(struct st_log *log, const struct st_task *task, int64_t number,
		     struct st_fd *fd)
{
	struct et_event *ev;

	if (!fd->read && !fd->wrote)
		return;
	ev = st_event(log, task, ET_K_USE);
	et_set_value(ev, ET_V_USE_fd, number);
	if (fd->read)
		et_set_value(ev, ET_V_USE_read, (int64_t)fd->nread);
	if (fd->wrote)
		et_set_value(ev, ET_V_USE_wrote, (int64_t)fd->nwrote);
	if (fd->wrote)
		add_written(log, task, fd, ET_V_USE_size);
	fd->read = fd->wrote = false;
	fd->nread = fd->nwrote = 0;
	st_put(log);
}

static void tell_close(struct st_log *log, const struct st_task *task, int64_t number,
		       struct st_fd *fd, bool exec)
{
	struct et_event *ev = st_event(log, task, ET_K_CLOSE);

	et_set_value(ev, ET_V_CLOSE_fd, number);
	if (fd && fd->read)
		et_set_value(ev, ET_V_CLOSE_read, (int64_t)fd->nread);
	if (fd && fd->wrote)
		et_set_value(ev, ET_V_CLOSE_wrote, (int64_t)fd->nwrote);
	if (fd && fd->wrote)
		add_written(log, task, fd, ET_V_CLOSE_size);
	if (exec)
		et_set_value(ev, ET_V_CLOSE_execve, 1);
	if (fd)
		st_fd_close(fd);
	st_put(log);
}

void st_uses(struct st_log *log, struct st_task *task, bool exec)
{
	const struct st_fds *fds = task->process->fds;

	for (size_t i = 0; i < fds->cap; i++) {
		struct st_fd *fd = &fds->fd[i];

		if (exec && fd->open && fd->cloexec)
			tell_close(log, task, (int64_t)i, fd, true);
		else
			tell_use(log, task, (int64_t)i, fd);
	}
}

/* ---- programs ---- */

/* A "..." among the elements of an argument list. */
static bool is_more(struct st_text t)
{
	return t.len == 3 && !memcmp(t.s, "...", 3);
}

static void add_args(const struct call *c, struct st_text list, bool skip_first)
{
	struct buf *b = &c->log->text;
	struct st_text rest, one;
	bool cut = false;

	if (!st_inner(list, &rest))
		return;
	c->log->ev.strings |= 1u << ET_ARGS;
	while (st_next(&rest, &one)) {
		b->len = 0;
		if (is_more(one))
			cut = true;
		else if (st_string(one, b, &cut) && !skip_first)
			et_add_arg(&c->log->ev, b->s ? b->s : "", b->len);
		skip_first = false;
	}
	if (cut)
		note_cut(c, ET_MARKED_ARGS);
}

/* Of a script, its interpreter's arguments come first, and the script's name as it was passed. */
static void add_program(const struct call *c, const char *interp, const char *one)
{
	struct st_log *log = c->log;
	struct et_event *ev = &log->ev;
	const char *cwd = c->task->process->dirs->cwd;
	int list = where(c, ROLE_PATH) + 1;
	bool cut = false;

	if (cwd)
		et_add_string(ev, ET_S_EXEC_cwd, cwd, strlen(cwd));
	if (*interp) {
		et_add_arg(ev, interp, strlen(interp));
		if (*one)
			et_add_arg(ev, one, strlen(one));
		log->text.len = 0;
		if (st_string(arg(c, ROLE_PATH), &log->text, &cut))
			et_add_arg(ev, log->text.s ? log->text.s : "", log->text.len);
	}
	add_args(c, c->args.arg[list], *interp);
}

/* A variable of the environment, what looks secret hidden. */
static void add_variable(const struct call *c, struct st_text t)
{
	const char *keep = c->log->opt.keep_env ? c->log->opt.keep_env : "", *eq;
	struct buf *b = &c->log->text;
	struct etrace_value v = { 0 };
	struct et_event *ev;
	bool cut = false;
	size_t len;

	b->len = 0;
	if (!st_string(t, b, &cut) || !b->len)
		return;
	eq = memchr(b->s, '=', b->len);
	len = eq ? (size_t)(eq - b->s) : b->len;
	ev = st_event(c->log, c->task, ET_K_ENV);
	et_add_string(ev, ET_S_ENV_name, b->s, len);
	if (eq) {
		v = (struct etrace_value){ b->s + len + 1, (unsigned int)(b->len - len - 1), false };
		if (!etrace_listed(keep, b->s, (unsigned int)len))
			etrace_hide(b->s, (unsigned int)len, &v);
		et_add_string(ev, ET_S_ENV_value, v.s, v.len);
	}
	if (v.hidden)
		et_set_value(ev, ET_V_ENV_hidden, 1);
	if (cut)
		note_cut(c, 1u << ET_S_ENV_value);
	st_put(c->log);
}

static void add_environment(const struct call *c)
{
	struct st_text rest, one;

	if (!(c->log->opt.record >> ET_ENV & 1) ||
	    !st_inner(c->args.arg[where(c, ROLE_PATH) + 2], &rest))
		return;
	while (st_next(&rest, &one))
		add_variable(c, one);
}

static void exec_failed(const struct call *c)
{
	struct et_event *ev = begin(c, ET_K_EXEC_FAILED);

	ev->flags &= (uint8_t)~ET_F_FAILED;
	add_meant(c, ET_S_EXEC_FAILED_path, ROLE_DIRFD, ROLE_PATH);
	st_put(c->log);
}

/* The program by its name, or by its descriptor (execveat with AT_EMPTY_PATH). */
static bool program(const struct call *c)
{
	const struct st_fd *fd;
	bool cut;

	if (!meant(c, ROLE_DIRFD, ROLE_PATH, &cut))
		return false;
	if (c->log->text.len)
		return true;
	fd = st_fd_known(c->task->process, fd_number(c, arg(c, ROLE_DIRFD)));
	c->log->path.len = 0;
	if (fd && fd->path)
		buf_adds(&c->log->path, fd->path);
	return fd && fd->path;
}

static void do_exec(struct call *c)
{
	char path[PATH_MAX], interp[PATH_MAX], one[PATH_MAX], name[PATH_MAX] = "";
	const struct st_asks *asks = asks_of(c->log, c->task);
	struct st_log *log = c->log;
	bool found = false, known;
	struct et_event *ev;

	if (c->line->error) {
		exec_failed(c);
		return;
	}
	st_fds_unshare(c->task->process);
	st_uses(log, c->task, true);
	*interp = *one = 0;
	known = program(c);
	if (known) {
		path_clean(&log->path);
		if (log->path.len < sizeof(name))
			memcpy(name, log->path.s, log->path.len);
		if (asks && *name)
			found = asks->program(asks->ctx, name, path, interp, one, sizeof(path));
	}
	ev = begin(c, ET_K_EXEC);
	if (found) {
		char real[PATH_MAX], rest[PATH_MAX], none[PATH_MAX];

		/* what the kernel has of an interpreter is its path without links, too */
		if (!*interp || !asks->program(asks->ctx, interp, real, rest, none, sizeof(real)))
			snprintf(real, sizeof(real), "%s", *interp ? interp : path);
		et_add_string(ev, ET_S_EXEC_interp, real, strlen(real));
		et_add_string(ev, ET_S_EXEC_path, path, strlen(path));
	} else if (known) {
		et_add_string(ev, ET_S_EXEC_interp, log->path.s, log->path.len);
		et_add_string(ev, ET_S_EXEC_path, log->path.s, log->path.len);
		ev->marks[ET_JOINED] |= 1u << ET_S_EXEC_interp | 1u << ET_S_EXEC_path;
	}
	add_program(c, found ? interp : "", one);
	st_put(log);
	add_environment(c);
}

bool st_makes_task(struct st_text name)
{
	const struct row *row = row_of(name);

	return row && (row->record == REC_CLONE || row->record == REC_FORK ||
		       row->record == REC_VFORK);
}

/* clone(flags=...), clone3({flags=...}) */
static bool clone_flags(const struct call *c, uint64_t *flags)
{
	struct st_text t;

	if (c->row->record != REC_CLONE)
		return false;
	if (!st_args_named(&c->args, "flags", &t) && !st_field(c->args.arg[0], "flags", &t))
		return false;
	*flags = number(c, t);
	return true;
}

struct st_task *st_child(struct st_log *log, struct st_task *parent, int64_t pid,
			 struct st_text name, struct st_text args)
{
	const struct st_line line = { .class = ST_CALL };
	struct call c = { log, parent, row_of(name), &line, { 0 } };
	struct st_task *old = st_tasks_find(&log->tasks, pid), *child;
	struct et_event *ev;
	uint64_t flags = 0;
	bool told;

	/* its end is not in the log */
	if (old)
		st_tasks_end(&log->tasks, old);
	st_args_split(&c.args, args);
	told = clone_flags(&c, &flags);
	child = st_tasks_begin(&log->tasks, pid, parent, flags);
	ev = st_event(log, parent, ET_K_CLONE);
	if (told)
		et_set_unsigned(ev, ET_V_CLONE_flags, flags);
	et_set_value(ev, ET_V_CLONE_child, (int64_t)child->upid);
	st_put(log);
	return child;
}

static void do_clone(struct call *c)
{
	uint64_t flags = c->row->record == REC_VFORK ? ETRACE_VFORK_FLAGS : ETRACE_FORK_FLAGS;
	struct et_event *ev;

	if (!c->line->error) {
		if (!c->task->child_told && c->line->value > 0)
			st_child(c->log, c->task, c->line->value, c->line->name, c->line->args);
		return;
	}
	clone_flags(c, &flags);
	ev = begin(c, ET_K_CLONE);
	et_set_unsigned(ev, ET_V_CLONE_flags, flags);
	st_put(c->log);
}

/* ---- opening and closing ---- */

static void open_failed(const struct call *c, uint64_t flags)
{
	struct et_event *ev = begin(c, ET_K_OPEN_FAILED);

	ev->flags &= (uint8_t)~ET_F_FAILED;
	add_meant(c, ET_S_OPEN_FAILED_path, ROLE_DIRFD, ROLE_PATH);
	et_set_value(ev, ET_V_OPEN_FAILED_flags, (int64_t)flags);
	st_put(c->log);
}

/* The file that was opened: as strace read it of /proc, or the name that was asked for. */
static void add_opened(const struct call *c, const struct buf *orig, bool named)
{
	struct et_event *ev = &c->log->ev;
	struct buf *path = &c->log->path;
	struct st_fd_arg fd;

	if (st_fd_arg(c->line->ret, &fd) && fd.has_path) {
		path->len = 0;
		st_unescape(path, fd.path.s, fd.path.len);
		if (fd.deleted)
			buf_adds(path, " (deleted)");
	} else if (named) {
		path->len = 0;
		buf_add(path, orig->s, orig->len);
		settle(c);
		ev->marks[ET_JOINED] |= 1u << ET_S_OPEN_name;
	}
	buf_room(path, 1);
	et_add_string(ev, ET_S_OPEN_name, path->s, path->len);
}

/* Which file it is, if somebody can look. */
static void add_identity(const struct call *c, uint64_t flags)
{
	const struct st_asks *asks = asks_of(c->log, c->task);
	const struct st_fd *fd = st_fd_known(c->task->process, c->line->value);
	struct et_event *ev = &c->log->ev;
	struct st_identity id;

	if (!asks || !fd || !fd->path ||
	    !asks->opened(asks->ctx, fd->path, span_of(c), flags & O_CREAT, &id))
		return;
	et_set_value(ev, ET_V_OPEN_dev, id.dev);
	et_set_value(ev, ET_V_OPEN_ino, (int64_t)id.ino);
	et_set_value(ev, ET_V_OPEN_size, (int64_t)id.size);
	et_set_value(ev, ET_V_OPEN_mtime, id.mtime);
	et_set_value(ev, ET_V_OPEN_type, id.type);
}

static void do_open(struct call *c)
{
	uint64_t flags = number(c, arg(c, ROLE_FLAGS)), mode = number(c, arg(c, ROLE_MODE));
	struct st_log *log = c->log;
	struct buf orig = { 0 };
	struct et_event *ev;
	struct st_text t;
	bool named, cut;

	if (where(c, ROLE_STRUCT) >= 0) {
		flags = st_field(arg(c, ROLE_STRUCT), "flags", &t) ? number(c, t) : 0;
		mode = st_field(arg(c, ROLE_STRUCT), "mode", &t) ? number(c, t) : 0;
	} else if (where(c, ROLE_FLAGS) < 0) {
		flags = ETRACE_CREAT_FLAGS;
	}
	if (c->line->error) {
		open_failed(c, flags);
		return;
	}
	ev = begin(c, ET_K_OPEN);
	named = meant(c, ROLE_DIRFD, ROLE_PATH, &cut);
	if (named)
		buf_add(&orig, log->path.s, log->path.len);
	buf_room(&orig, 1);
	log->path.len = 0;
	add_opened(c, &orig, named);
	et_add_string(ev, ET_S_OPEN_orig, orig.s, orig.len);
	if (named && cut)
		note_cut(c, 1u << ET_S_OPEN_orig);
	buf_free(&orig);
	et_set_value(ev, ET_V_OPEN_flags, (int64_t)flags);
	et_set_value(ev, ET_V_OPEN_mode, etrace_open_mode(flags, mode));
	et_set_value(ev, ET_V_OPEN_fd, c->line->value);
	opened(c, c->line->value, flags & O_CLOEXEC, log->path.s, log->path.len);
	add_identity(c, flags);
	st_put(log);
}

/* open_by_handle_at: the file has no name that anybody asked for */
static void do_open_handle(struct call *c)
{
	uint64_t flags = number(c, arg(c, ROLE_FLAGS));
	const struct buf none = { 0 };
	struct et_event *ev = begin(c, ET_K_OPEN);

	c->log->path.len = 0;
	add_opened(c, &none, false);
	et_add_string(ev, ET_S_OPEN_orig, "", 0);
	et_set_value(ev, ET_V_OPEN_flags, (int64_t)flags);
	et_set_value(ev, ET_V_OPEN_mode, 0);
	et_set_value(ev, ET_V_OPEN_fd, c->line->value);
	opened(c, c->line->value, flags & O_CLOEXEC, c->log->path.s, c->log->path.len);
	st_put(c->log);
}

static void do_close(struct call *c)
{
	int64_t fd = fd_number(c, arg(c, ROLE_FD));

	tell_close(c->log, c->task, fd, st_fd_known(c->task->process, fd), false);
}

static void do_close_range(struct call *c)
{
	uint64_t first = number(c, arg(c, ROLE_FD)), last = number(c, arg(c, ROLE_FD2));
	uint64_t flags = number(c, arg(c, ROLE_FLAGS));
	const bool cloexec = flags & 4, unshare = flags & 2;
	struct st_process *p = c->task->process;
	struct et_event *ev;

	if (unshare)
		st_fds_unshare(p);
	if (cloexec) {
		ev = begin(c, ET_K_CLOEXEC);
		et_set_value(ev, ET_V_CLOEXEC_first, (int64_t)first);
		et_set_value(ev, ET_V_CLOEXEC_last, (int64_t)last);
		et_set_value(ev, ET_V_CLOEXEC_on, 1);
		st_put(c->log);
	}
	for (; first <= last && first < p->fds->cap; first++) {
		struct st_fd *fd = &p->fds->fd[first];

		if (fd->open && cloexec)
			fd->cloexec = true;
		else if (fd->open)
			tell_close(c->log, c->task, (int64_t)first, fd, false);
	}
}

static void doubled(const struct call *c, int64_t from, int64_t to, uint64_t flags)
{
	struct st_process *p = c->task->process;
	const struct st_fd *old = st_fd_known(p, from);
	struct st_fd *there = st_fd_known(p, to);
	char *path = old && old->path ? xstrdup(old->path) : NULL;
	struct et_event *ev;

	if (there && from != to)
		tell_use(c->log, c->task, to, there);
	ev = begin(c, ET_K_DUP);
	et_set_value(ev, ET_V_DUP_oldfd, from);
	et_set_value(ev, ET_V_DUP_newfd, to);
	et_set_value(ev, ET_V_DUP_flags, (int64_t)flags);
	if (from != to)
		opened(c, to, flags & O_CLOEXEC, path, path ? strlen(path) : 0);
	free(path);
	st_put(c->log);
}

static void do_dup(struct call *c)
{
	struct st_fd_arg to;

	/* strace says of it what it was open on before */
	fd_number(c, arg(c, ROLE_FD2));
	doubled(c, fd_number(c, arg(c, ROLE_FD)), c->line->value,
		number(c, arg(c, ROLE_FLAGS)));
	if (st_fd_arg(c->line->ret, &to))
		learn(c, &to);
}

static void cloexec(const struct call *c, int64_t number, bool on)
{
	struct st_fd *fd = st_fd(c->task->process, number);
	struct et_event *ev = begin(c, ET_K_CLOEXEC);

	if (fd) {
		fd->open = true;
		fd->cloexec = on;
	}
	et_set_value(ev, ET_V_CLOEXEC_first, number);
	et_set_value(ev, ET_V_CLOEXEC_last, number);
	et_set_value(ev, ET_V_CLOEXEC_on, on);
	st_put(c->log);
}

static void do_fcntl(struct call *c)
{
	struct st_text command = arg(c, ROLE_FLAGS);
	uint64_t cmd;
	int64_t fd = fd_number(c, arg(c, ROLE_FD));
	long dup;

	/* most of them are of no interest, and their names of none */
	if (!st_number(command, &cmd))
		return;
	dup = etrace_fcntl_dup((unsigned int)cmd);
	if (dup >= 0)
		doubled(c, fd, c->line->value, (uint64_t)dup);
	else if (cmd == F_SETFD)
		cloexec(c, fd, number(c, arg(c, ROLE_ARG)) & FD_CLOEXEC);
}

static void do_pipe(struct call *c)
{
	uint64_t flags = number(c, arg(c, ROLE_FLAGS));
	struct st_text rest, one;
	int64_t ends[2] = { -1, -1 };
	struct et_event *ev;

	if (!st_inner(arg(c, ROLE_STRUCT), &rest))
		return;
	for (int i = 0; i < 2 && st_next(&rest, &one); i++) {
		struct st_fd_arg fd;

		if (st_fd_arg(one, &fd))
			ends[i] = fd.fd;
		opened(c, ends[i], flags & O_CLOEXEC, NULL, 0);
	}
	ev = begin(c, ET_K_PIPE);
	et_set_value(ev, ET_V_PIPE_fd1, ends[0]);
	et_set_value(ev, ET_V_PIPE_fd2, ends[1]);
	et_set_value(ev, ET_V_PIPE_flags, (int64_t)flags);
	st_put(c->log);
}

static void do_memfd(struct call *c)
{
	uint64_t flags = number(c, arg(c, ROLE_FLAGS));
	struct et_event *ev = begin(c, ET_K_MEMFD);

	add_passed(c, ET_S_MEMFD_name, ROLE_PATH);
	et_set_value(ev, ET_V_MEMFD_flags, (int64_t)flags);
	et_set_value(ev, ET_V_MEMFD_fd, c->line->value);
	opened(c, c->line->value, flags & 1, NULL, 0);
	st_put(c->log);
}

static void received(const struct call *c, struct st_text t, bool on)
{
	struct st_fd_arg fd;
	struct et_event *ev;

	if (!st_fd_arg(t, &fd))
		return;
	ev = begin(c, ET_K_RECEIVED);
	c->log->path.len = 0;
	buf_room(&c->log->path, 1);
	st_unescape(&c->log->path, fd.path.s ? fd.path.s : "", fd.path.len);
	et_add_string(ev, ET_S_RECEIVED_path, c->log->path.s, c->log->path.len);
	et_set_value(ev, ET_V_RECEIVED_fd, fd.fd);
	et_set_value(ev, ET_V_RECEIVED_cloexec, on);
	opened(c, fd.fd, on, fd.has_path ? c->log->path.s : NULL, c->log->path.len);
	st_put(c->log);
}

static void do_pidfd_getfd(struct call *c)
{
	received(c, c->line->ret, true);
}

/* Descriptors that came with messages, whichever structure they stand in. */
static void do_recvmsg(struct call *c)
{
	static const char rights[] = "cmsg_type=SCM_RIGHTS, cmsg_data=";
	const char *end = c->line->args.s + c->line->args.len, *s = c->line->args.s;
	bool on = memmem(s, c->line->args.len, "MSG_CMSG_CLOEXEC", 16);
	struct st_text rest, one;

	used(c, fd_number(c, arg(c, ROLE_FD)), false, c->line->value);
	while ((s = memmem(s, (size_t)(end - s), rights, sizeof(rights) - 1))) {
		s += sizeof(rights) - 1;
		if (!st_inner((struct st_text){ s, (size_t)(end - s) }, &rest))
			return;
		while (st_next(&rest, &one))
			received(c, one, on);
	}
}

/* ---- reading and writing ---- */

static void do_read(struct call *c)
{
	used(c, fd_number(c, arg(c, ROLE_FD)), false, c->line->value);
}

static void do_write(struct call *c)
{
	used(c, fd_number(c, arg(c, ROLE_FD)), true, c->line->value);
}

/* Nothing tells how much it was: that of a number of messages, or of what was reserved. */
static void do_write_some(struct call *c)
{
	used(c, fd_number(c, arg(c, ROLE_FD)), true, 0);
}

static void do_copy(struct call *c)
{
	used(c, fd_number(c, arg(c, ROLE_FD)), false, c->line->value);
	used(c, fd_number(c, arg(c, ROLE_FD2)), true, c->line->value);
}

static void do_mmap(struct call *c)
{
	int64_t fd = fd_number(c, c->args.arg[4]);
	uint64_t prot, flags;

	if (fd < 0)
		return;
	st_number(c->args.arg[2], &prot);
	st_number(c->args.arg[3], &flags);
	if (flags & MAP_ANONYMOUS)
		return;
	used(c, fd, false, 0);
	if (flags & MAP_SHARED && prot & PROT_WRITE)
		used(c, fd, true, 0);
}

/* What is asked for by a structure each: {..., aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=3, ...} */
static void do_aio(struct call *c)
{
	struct st_text rest, one, fd, what;

	if (!st_inner(arg(c, ROLE_STRUCT), &rest))
		return;
	while (st_next(&rest, &one)) {
		if (!st_field(one, "aio_fildes", &fd) || !st_field(one, "aio_lio_opcode", &what))
			continue;
		if (memmem(what.s, what.len, "WRITE", 5))
			used(c, fd_number(c, fd), true, 0);
		else if (memmem(what.s, what.len, "READ", 4))
			used(c, fd_number(c, fd), false, 0);
	}
}

static void do_ioctl(struct call *c)
{
	struct st_text request = arg(c, ROLE_FLAGS), from;
	int64_t fd = fd_number(c, arg(c, ROLE_FD));
	uint64_t v, ficlone = 0, range = 0, set = 0, clear = 0;

	if (!st_number(request, &v))
		return;
	st_name_value("FICLONE", 7, &ficlone);
	st_name_value("FICLONERANGE", 12, &range);
	st_name_value("FIOCLEX", 7, &set);
	st_name_value("FIONCLEX", 8, &clear);
	if (v == set || v == clear) {
		cloexec(c, fd, v == set);
		return;
	}
	if (v != ficlone && v != range)
		return;
	from = arg(c, ROLE_ARG);
	if (v == range)
		st_field(arg(c, ROLE_ARG), "src_fd", &from);
	used(c, fd_number(c, from), false, 0);
	used(c, fd, true, 0);
}

static void do_getdents(struct call *c)
{
	int64_t fd = fd_number(c, arg(c, ROLE_FD));
	struct et_event *ev = begin(c, ET_K_GETDENTS);

	if (!add_path_of(c, ET_S_GETDENTS_path, fd))
		return;
	et_set_value(ev, ET_V_GETDENTS_fd, fd);
	et_set_value(ev, ET_V_GETDENTS_bytes, c->line->value);
	st_put(c->log);
}

static void do_uring(struct call *c)
{
	struct et_event *ev = begin(c, ET_K_URING);

	diag_report(c->log->diag, &rings, c->log->place.file, DIAG_LINE, c->log->place.number,
		    NULL);
	et_set_value(ev, ET_V_URING_fd, c->line->value);
	opened(c, c->line->value, true, NULL, 0);
	st_put(c->log);
}

/* ---- the tree of files ---- */

static void set_flags(const struct call *c, unsigned int i)
{
	if (where(c, ROLE_FLAGS) >= 0)
		et_set_unsigned(&c->log->ev, i, number(c, arg(c, ROLE_FLAGS)));
}

static void do_rename(struct call *c)
{
	begin(c, ET_K_RENAME);
	add_settled(c, ET_S_RENAME_from, ROLE_DIRFD, ROLE_PATH);
	if (!c->line->error)
		add_settled(c, ET_S_RENAME_to, ROLE_DIRFD2, ROLE_PATH2);
	set_flags(c, ET_V_RENAME_flags);
	st_put(c->log);
}

static void do_link(struct call *c)
{
	bool follow = where(c, ROLE_FLAGS) >= 0 &&
		      number(c, arg(c, ROLE_FLAGS)) & AT_SYMLINK_FOLLOW;

	begin(c, ET_K_LINK);
	add_name(c, ET_S_LINK_from, ROLE_DIRFD, ROLE_PATH, follow ? settle_whole : settle);
	if (!c->line->error)
		add_settled(c, ET_S_LINK_to, ROLE_DIRFD2, ROLE_PATH2);
	set_flags(c, ET_V_LINK_flags);
	st_put(c->log);
}

/* Where a new link leads, if there is something. */
static void add_target(const struct call *c, struct et_event *ev)
{
	const struct st_asks *asks = asks_of(c->log, c->task);
	const struct buf *link = &c->log->path;
	char path[PATH_MAX];
	struct buf name = { 0 };
	bool cut = false;

	if (!asks || !link->len || !st_string(arg(c, ROLE_TARGET), &name, &cut)) {
		ev->marks[ET_UNTOLD] |= 1u << ET_S_SYMLINK_resolved;
		buf_free(&name);
		return;
	}
	if (name.len && *name.s != '/') {
		struct buf target = name;
		const char *slash = memrchr(link->s, '/', link->len);

		name = (struct buf){ 0 };
		buf_add(&name, link->s, slash ? (size_t)(slash + 1 - link->s) : 0);
		buf_add(&name, target.s, target.len);
		buf_free(&target);
	}
	buf_addc(&name, 0);
	if (asks->directory(asks->ctx, name.s, path, sizeof(path)))
		et_add_string(ev, ET_S_SYMLINK_resolved, path, strlen(path));
	buf_free(&name);
}

static void do_symlink(struct call *c)
{
	struct et_event *ev = begin(c, ET_K_SYMLINK);

	add_passed(c, ET_S_SYMLINK_target, ROLE_TARGET);
	add_settled(c, ET_S_SYMLINK_link, ROLE_DIRFD, ROLE_PATH);
	add_target(c, ev);
	st_put(c->log);
}

static void do_mount(struct call *c)
{
	struct et_event *ev = begin(c, ET_K_MOUNT);

	add_passed(c, ET_S_MOUNT_source, ROLE_SOURCE);
	add_settled(c, ET_S_MOUNT_target, ROLE_DIRFD, ROLE_PATH);
	add_passed(c, ET_S_MOUNT_type, ROLE_TYPE);
	et_set_unsigned(ev, ET_V_MOUNT_flags, number(c, arg(c, ROLE_FLAGS)));
	st_put(c->log);
}

static void do_umount(struct call *c)
{
	struct et_event *ev = begin(c, ET_K_UMOUNT);

	add_settled(c, ET_S_UMOUNT_target, ROLE_DIRFD, ROLE_PATH);
	et_set_unsigned(ev, ET_V_UMOUNT_flags, number(c, arg(c, ROLE_FLAGS)));
	st_put(c->log);
}

static void unlink_one(struct call *c, bool dir)
{
	struct et_event *ev = begin(c, ET_K_UNLINK);

	add_settled(c, ET_S_UNLINK_path, ROLE_DIRFD, ROLE_PATH);
	et_set_value(ev, ET_V_UNLINK_dir, dir);
	st_put(c->log);
}

static void do_unlink(struct call *c)
{
	unlink_one(c, number(c, arg(c, ROLE_FLAGS)) & AT_REMOVEDIR);
}

static void do_rmdir(struct call *c)
{
	unlink_one(c, true);
}

static void do_mkdir(struct call *c)
{
	struct et_event *ev = begin(c, ET_K_MKDIR);

	add_settled(c, ET_S_MKDIR_path, ROLE_DIRFD, ROLE_PATH);
	et_set_value(ev, ET_V_MKDIR_mode, (int64_t)number(c, arg(c, ROLE_MODE)));
	st_put(c->log);
}

static void do_mknod(struct call *c)
{
	struct et_event *ev = begin(c, ET_K_MKNOD);

	add_settled(c, ET_S_MKNOD_path, ROLE_DIRFD, ROLE_PATH);
	et_set_value(ev, ET_V_MKNOD_mode, (int64_t)number(c, arg(c, ROLE_MODE)));
	et_set_value(ev, ET_V_MKNOD_dev, (int64_t)number(c, arg(c, ROLE_DEV)));
	st_put(c->log);
}

/* The name that was passed, or the descriptor and its path. */
static void add_file(struct call *c, unsigned int path, unsigned int fd_value)
{
	int64_t fd;

	if (where(c, ROLE_PATH) >= 0 && arg(c, ROLE_PATH).len && *arg(c, ROLE_PATH).s == '"') {
		add_settled(c, path, ROLE_DIRFD, ROLE_PATH);
		return;
	}
	fd = fd_number(c, arg(c, where(c, ROLE_FD) >= 0 ? ROLE_FD : ROLE_DIRFD));
	if (fd != AT_FDCWD)
		et_set_value(&c->log->ev, fd_value, fd);
	if (!c->line->error)
		add_path_of(c, path, fd);
}

static void do_truncate(struct call *c)
{
	struct et_event *ev = begin(c, ET_K_TRUNCATE);

	add_file(c, ET_S_TRUNCATE_path, ET_V_TRUNCATE_fd);
	et_set_value(ev, ET_V_TRUNCATE_size, (int64_t)number(c, arg(c, ROLE_SIZE)));
	st_put(c->log);
}

static void do_chmod(struct call *c)
{
	struct et_event *ev = begin(c, ET_K_CHMOD);

	add_file(c, ET_S_CHMOD_path, ET_V_CHMOD_fd);
	et_set_value(ev, ET_V_CHMOD_mode, (int64_t)number(c, arg(c, ROLE_MODE)));
	st_put(c->log);
}

/* One of the two times: what becomes of it. */
static void add_time(struct et_event *ev, struct st_text t, unsigned int value, uint64_t now,
		     uint64_t *nows)
{
	struct st_text part;
	uint64_t sec = 0, sub = 0;
	unsigned int unit = 1;
	long long ns = 0;

	if (st_field(t, "tv_nsec", &part) || st_field(t, "tv_usec", &part)) {
		unit = memmem(t.s, t.len, "tv_usec", 7) ? 1000000 : 1000000000;
		st_number(part, &sub);
		if (st_field(t, "tv_sec", &part))
			st_number(part, &sec);
	} else {
		/* UTIME_NOW, UTIME_OMIT; else seconds alone */
		st_number(t, &sec);
		if (t.len && *t.s == 'U') {
			sub = sec;
			unit = 1000000000;
		}
	}
	switch (etrace_time((long long)sec, (long long)sub, unit, &ns)) {
	case ETRACE_TIME_NOW:
		*nows |= now;
		break;
	case ETRACE_TIME_SET:
		et_set_value(ev, value, ns);
		break;
	case ETRACE_TIME_KEPT:
		break;
	}
}

/* "[{...}, {...}]"; of utime "{actime=..., modtime=...}" */
static void add_times(struct et_event *ev, struct st_text list)
{
	struct st_text rest, atime, mtime;
	uint64_t nows = 0;
	bool both;

	both = st_field(list, "actime", &atime) && st_field(list, "modtime", &mtime);
	if (!both && st_inner(list, &rest))
		both = st_next(&rest, &atime) && st_next(&rest, &mtime);
	if (both) {
		add_time(ev, atime, ET_V_UTIMENS_atime, ETRACE_NOW_ATIME, &nows);
		add_time(ev, mtime, ET_V_UTIMENS_mtime, ETRACE_NOW_MTIME, &nows);
	} else {
		nows = ETRACE_NOW_ATIME | ETRACE_NOW_MTIME;
	}
	et_set_value(ev, ET_V_UTIMENS_now, (int64_t)nows);
}

static void do_utimens(struct call *c)
{
	static const enum role times[] = {
		ROLE_SECONDS, ROLE_TIMEVALS, ROLE_TIMESPECS, ROLE_TIMESPECS64
	};
	struct et_event *ev = begin(c, ET_K_UTIMENS);

	add_file(c, ET_S_UTIMENS_path, ET_V_UTIMENS_fd);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (where(c, times[i]) >= 0)
			add_times(ev, arg(c, times[i]));
	st_put(c->log);
}

/* ---- where a process is ---- */

static void do_chdir(struct call *c)
{
	struct et_event *ev = begin(c, ET_K_CHDIR);
	struct st_log *log = c->log;
	const struct st_fd *known;
	int64_t fd;
	bool cut;

	if (c->line->error) {
		add_file(c, ET_S_CHDIR_path, ET_V_CHDIR_fd);
		st_put(log);
		return;
	}
	if (where(c, ROLE_FD) >= 0) {
		fd = fd_number(c, arg(c, ROLE_FD));
		known = st_fd_known(c->task->process, fd);
		et_set_value(ev, ET_V_CHDIR_fd, fd);
		log->path.len = 0;
		if (known && known->path)
			buf_adds(&log->path, known->path);
	} else if (meant(c, ROLE_DIRFD, ROLE_PATH, &cut)) {
		settle_whole(c);
		ev->marks[ET_JOINED] |= 1u << ET_S_CHDIR_path;
	} else {
		log->path.len = 0;
	}
	if (log->path.len) {
		et_add_string(ev, ET_S_CHDIR_path, log->path.s, log->path.len);
		st_cwd_set(c->task->process, log->path.s, log->path.len);
	}
	st_put(log);
}

static void do_getcwd(struct call *c)
{
	struct buf *b = &c->log->text;
	bool cut = false;

	b->len = 0;
	if (st_string(arg(c, ROLE_PATH), b, &cut) && !cut && b->len)
		st_cwd_set(c->task->process, b->s, b->len);
}

static void do_chroot(struct call *c)
{
	struct st_dirs *dirs = c->task->process->dirs;
	struct st_log *log = c->log;
	struct et_event *ev = begin(c, ET_K_CHROOT);

	add_settled(c, ET_S_CHROOT_path, ROLE_DIRFD, ROLE_PATH);
	if (!c->line->error && et_has_string(ev, ET_S_CHROOT_path)) {
		dirs->elsewhere = true;
		free(dirs->root);
		dirs->root = log->path.len > 1 ? xstrndup(log->path.s, log->path.len) : NULL;
	}
	st_put(log);
}

static void do_pivot(struct call *c)
{
	begin(c, ET_K_PIVOT);
	c->task->process->dirs->elsewhere |= !c->line->error;
	add_settled(c, ET_S_PIVOT_new_root, ROLE_DIRFD, ROLE_PATH);
	add_settled(c, ET_S_PIVOT_put_old, ROLE_DIRFD, ROLE_PATH2);
	st_put(c->log);
}

static void do_unshare(struct call *c)
{
	uint64_t flags = number(c, arg(c, ROLE_FLAGS));
	struct et_event *ev = begin(c, ET_K_UNSHARE);

	et_set_unsigned(ev, ET_V_UNSHARE_flags, flags);
	if (!c->line->error && flags & CLONE_FILES)
		st_fds_unshare(c->task->process);
	c->task->process->dirs->elsewhere |= !c->line->error && flags & CLONE_NEWNS;
	st_put(c->log);
}

static void do_setns(struct call *c)
{
	int64_t fd = fd_number(c, arg(c, ROLE_FD));
	struct et_event *ev = begin(c, ET_K_SETNS);

	c->task->process->dirs->elsewhere |= !c->line->error;
	add_path_of(c, ET_S_SETNS_path, fd);
	et_set_value(ev, ET_V_SETNS_fd, fd);
	et_set_value(ev, ET_V_SETNS_flags, (int64_t)number(c, arg(c, ROLE_FLAGS)));
	st_put(c->log);
}

/* Of a thread's name, as long as the kernel lets it be (TASK_COMM_LEN). */
#define COMM_BYTES 15

static void do_prctl(struct call *c)
{
	static const char set_name[] = "PR_SET_NAME";
	struct st_text what = arg(c, ROLE_FLAGS);
	struct buf *b = &c->log->text;
	bool cut;

	if (what.len != sizeof(set_name) - 1 || memcmp(what.s, set_name, what.len))
		return;
	begin(c, ET_K_COMM);
	b->len = 0;
	/* strace reads as much of it as the kernel does, and then says that there is more */
	if (!st_string(arg(c, ROLE_PATH), b, &cut))
		return;
	et_add_string(&c->log->ev, ET_S_COMM_comm, b->s ? b->s : "",
		      b->len < COMM_BYTES ? b->len : COMM_BYTES);
	st_put(c->log);
}

/* ---- what was asked for by name ---- */

static void do_stat(struct call *c)
{
	uint64_t flags = number(c, arg(c, ROLE_FLAGS));
	struct et_event *ev = begin(c, ET_K_STAT);

	/* of an open descriptor */
	if (!arg(c, ROLE_PATH).len || (arg(c, ROLE_PATH).len == 2 && flags & AT_EMPTY_PATH))
		return;
	add_meant(c, ET_S_STAT_path, ROLE_DIRFD, ROLE_PATH);
	et_set_value(ev, ET_V_STAT_flags,
		     (int64_t)(c->row->record == REC_LSTAT ? AT_SYMLINK_NOFOLLOW : flags));
	st_put(c->log);
}

static void do_access(struct call *c)
{
	struct et_event *ev = begin(c, ET_K_ACCESS);

	add_meant(c, ET_S_ACCESS_path, ROLE_DIRFD, ROLE_PATH);
	et_set_value(ev, ET_V_ACCESS_mode, (int64_t)number(c, arg(c, ROLE_MODE)));
	et_set_value(ev, ET_V_ACCESS_flags, (int64_t)number(c, arg(c, ROLE_FLAGS)));
	st_put(c->log);
}

static void do_readlink(struct call *c)
{
	begin(c, ET_K_READLINK);
	add_meant(c, ET_S_READLINK_path, ROLE_DIRFD, ROLE_PATH);
	if (!c->line->error)
		add_passed(c, ET_S_READLINK_target, ROLE_STRUCT);
	st_put(c->log);
}

/* ---- sockets ---- */

/* "htons(80)" */
static bool port_of(struct st_text t, uint64_t *port)
{
	static const char htons[] = "htons(";

	return t.len > sizeof(htons) && !memcmp(t.s, htons, sizeof(htons) - 1) &&
	       st_number((struct st_text){ t.s + sizeof(htons) - 1, t.len - sizeof(htons) }, port);
}

/* The text between the first quotes of an address. */
static bool quoted(struct st_text t, struct buf *to)
{
	const char *quote = memchr(t.s, '"', t.len);
	bool cut = false;

	return quote && st_string((struct st_text){ quote, t.len - (size_t)(quote - t.s) }, to, &cut);
}

/* An address as text, as kernel/etrace_address.h writes it.  Return: its family, 0: none. */
static uint64_t address(struct st_text t, struct buf *to)
{
	uint64_t family = 0, port = 0;
	struct st_text part;

	to->len = 0;
	if (!st_field(t, "sa_family", &part) || !st_number(part, &family))
		return 0;
	if (family == AF_UNIX) {
		if (!st_field(t, "sun_path", &part))
			return family;
		if (*part.s == '@')
			buf_addc(to, '@');
		quoted(part, to);
		for (size_t i = 0; i < to->len; i++)
			if (!to->s[i])
				to->s[i] = '@';
		return family;
	}
	if (family == AF_INET && st_field(t, "sin_port", &part) && port_of(part, &port) &&
	    st_field(t, "sin_addr", &part)) {
		quoted(part, to);
	} else if (family == AF_INET6 && st_field(t, "sin6_port", &part) && port_of(part, &port)) {
		const char *pton = memmem(t.s, t.len, "inet_pton(", 10);

		buf_addc(to, '[');
		if (pton)
			quoted((struct st_text){ pton, t.len - (size_t)(pton - t.s) }, to);
		buf_addc(to, ']');
	} else {
		buf_adds(to, "family ");
		buf_addu(to, family);
		return family;
	}
	buf_addc(to, ':');
	buf_addu(to, port);
	return family;
}

static void add_address(const struct call *c, struct st_text t, unsigned int value)
{
	struct buf *b = &c->log->text;
	uint64_t family = address(t, b);

	if (family)
		et_add_string(&c->log->ev, 0, b->s ? b->s : "", b->len);
	et_set_value(&c->log->ev, value, (int64_t)family);
}

static void do_connect(struct call *c)
{
	int64_t fd = fd_number(c, arg(c, ROLE_FD));
	struct et_event *ev = begin(c, ET_K_CONNECT);

	et_set_value(ev, ET_V_CONNECT_fd, fd);
	add_address(c, arg(c, ROLE_STRUCT), ET_V_CONNECT_family);
	st_put(c->log);
}

static void do_bind(struct call *c)
{
	int64_t fd = fd_number(c, arg(c, ROLE_FD));
	struct et_event *ev = begin(c, ET_K_BIND);

	et_set_value(ev, ET_V_BIND_fd, fd);
	add_address(c, arg(c, ROLE_STRUCT), ET_V_BIND_family);
	st_put(c->log);
}

static void do_accept(struct call *c)
{
	int64_t socket = fd_number(c, arg(c, ROLE_FD));
	bool on = c->args.n > 3 && number(c, c->args.arg[3]) & O_CLOEXEC;
	struct et_event *ev = begin(c, ET_K_ACCEPT);

	et_set_value(ev, ET_V_ACCEPT_fd, c->line->value);
	et_set_value(ev, ET_V_ACCEPT_socket, socket);
	add_address(c, c->args.arg[1], ET_V_ACCEPT_family);
	if (!et_has_string(ev, ET_S_ACCEPT_address))
		et_add_string(ev, ET_S_ACCEPT_address, "", 0);
	opened(c, c->line->value, on, NULL, 0);
	st_put(c->log);
}

/* What is no event, but closed by execve if it was asked for so. */
static void do_socket(struct call *c)
{
	opened(c, c->line->value, number(c, arg(c, ROLE_FLAGS)) & O_CLOEXEC, NULL, 0);
}

/* ---- all of them ---- */

static void (*const handlers[NR_RECORDS])(struct call *c) = {
	[REC_EXEC] = do_exec, [REC_FORK] = do_clone, [REC_VFORK] = do_clone,
	[REC_CLONE] = do_clone, [REC_OPEN] = do_open, [REC_CLOSE] = do_close,
	[REC_CLOSE_RANGE] = do_close_range, [REC_DUP] = do_dup, [REC_FCNTL] = do_fcntl,
	[REC_PIPE] = do_pipe, [REC_RENAME] = do_rename, [REC_LINK] = do_link,
	[REC_SYMLINK] = do_symlink, [REC_MOUNT] = do_mount, [REC_UMOUNT] = do_umount,
	[REC_URING] = do_uring, [REC_UNLINK] = do_unlink, [REC_RMDIR] = do_rmdir,
	[REC_READ] = do_read, [REC_WRITE] = do_write, [REC_WRITE_SOME] = do_write_some,
	[REC_COPY] = do_copy, [REC_VMSPLICE] = do_write_some, [REC_MMAP] = do_mmap,
	[REC_AIO] = do_aio, [REC_MKDIR] = do_mkdir, [REC_MKNOD] = do_mknod,
	[REC_TRUNCATE] = do_truncate, [REC_CHMOD] = do_chmod, [REC_UTIMENS] = do_utimens,
	[REC_CHDIR] = do_chdir, [REC_CHROOT] = do_chroot, [REC_PIVOT] = do_pivot,
	[REC_UNSHARE] = do_unshare, [REC_SETNS] = do_setns, [REC_STAT] = do_stat,
	[REC_LSTAT] = do_stat, [REC_ACCESS] = do_access, [REC_READLINK] = do_readlink,
	[REC_GETDENTS] = do_getdents, [REC_IOCTL] = do_ioctl, [REC_MEMFD] = do_memfd,
	[REC_OPEN_HANDLE] = do_open_handle, [REC_PIDFD_GETFD] = do_pidfd_getfd,
	[REC_RECVMSG] = do_recvmsg, [REC_RECVMMSG] = do_recvmsg, [REC_CONNECT] = do_connect,
	[REC_BIND] = do_bind, [REC_ACCEPT] = do_accept,
	[REC_PRCTL] = do_prctl, [REC_GETCWD] = do_getcwd, [REC_SOCKET] = do_socket,
};

/* Whether a call that ended so is an event: as the module decides it. */
static bool is_told(const struct row *row, const struct st_line *line)
{
	long ret = line->error > 0 ? -line->error : line->error ? -EPERM : 0;

	switch (row->record) {
	case REC_EXEC:
	case REC_CLONE:
	case REC_FORK:
	case REC_VFORK:
		/* what succeeded is told by other tracepoints there */
		return true;
	}
	if (row->told == ETRACE_TOLD_USED)
		return !ret;
	return etrace_is_told(row->told, ret);
}

void st_call(struct st_log *log, struct st_task *task, const struct st_line *line)
{
	struct call c = { log, task, row_of(line->name), line, { 0 } };

	if (!c.row || !handlers[c.row->record])
		return;
	/* interrupted: it is made again, or the program is told; "?": it never ended */
	if (line->restarts || !line->has_value)
		return;
	if (!is_told(c.row, line) || unasked(c.row, log->opt.record))
		return;
	st_args_split(&c.args, line->args);
	handlers[c.row->record](&c);
}
