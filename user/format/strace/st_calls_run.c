// SPDX-License-Identifier: LGPL-2.1
/* Calls that run programs, and how tasks begin and end.  See st_call.h and st_state.h. */
#include "format/strace/st_call.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/net.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/etrace_rules.h"
#include "kernel/etrace_secrets.h"

const struct diag_kind st_never_born = {
	"tasks in pid namespaces that are not recorded: strace does not tell their numbers (--decode-pids=pidns)",
	DIAG_DAMAGE };
static const struct diag_kind untraced = {
	"tasks that asked not to be traced (CLONE_UNTRACED): unrecorded, with all descendants",
	DIAG_DAMAGE };
static const struct diag_kind no_exit = {
	"tasks whose end is missing: another one got their number", DIAG_DAMAGE };
static const struct diag_kind refused = {
	"requests to trace a task that strace traces: the program (a debugger, strace, proot) does not work as alone",
	DIAG_DAMAGE };

/* Is it the "..." that ends a list which strace cut? */
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
		call_cut(c, ET_MARKED_ARGS);
}

#define SCRIPTS_MAX 5	/* nested interpreters; with more execve fails: ELOOP, fs/exec.c */

/* The first line of a script: its interpreter, and one argument for that, or "". */
struct script {
	char interp[PATH_MAX];
	char arg[PATH_MAX];
};

/*
 * Find the interpreter of the script @name, the interpreter's interpreter if that is a
 * script, too, and so on.  @path: set to the path of @name, "" if not found; @last: set to
 * the path of the last interpreter, or of @name.  @s: SCRIPTS_MAX + 1 entries, the last
 * used one has no interpreter.  Return: number of interpreters, 0 if @name is not a script.
 */
static size_t find_scripts(const struct st_asks *asks, const char *name, char *path,
			   char *last, struct script *s)
{
	size_t n;

	if (!asks->program(asks->ctx, name, path, s->interp, s->arg, PATH_MAX)) {
		*path = 0;
		return 0;
	}
	memcpy(last, path, strlen(path) + 1);
	for (n = 0; n < SCRIPTS_MAX && *s[n].interp; n++) {
		/* the kernel records an interpreter's path without links, too */
		if (asks->program(asks->ctx, s[n].interp, last, s[n + 1].interp, s[n + 1].arg, PATH_MAX))
			continue;
		memcpy(last, s[n].interp, strlen(s[n].interp) + 1);
		*s[n + 1].interp = 0;
	}
	return n;
}

/* Add the script's name as its interpreter gets it: /dev/fd/N/NAME if relative to a descriptor. */
static void add_script_name(const struct call *c)
{
	struct st_text dir = call_arg(c, ROLE_DIRFD);
	int64_t fd = dir.len ? call_fd(c, dir) : -1;
	struct buf name = { 0 }, *b = &c->log->text;
	char by[32];
	bool cut = false;

	if (!st_string(call_arg(c, ROLE_PATH), &name, &cut))
		return;
	b->len = 0;
	if (fd >= 0 && (!name.len || *name.s != '/')) {
		snprintf(by, sizeof(by), "/dev/fd/%lld%s", (long long)fd, name.len ? "/" : "");
		buf_adds(b, by);
	}
	buf_add(b, name.s, name.len);
	et_add_arg(&c->log->ev, b->s ? b->s : "", b->len);
	free(name.s);
}

/* Add cwd and arguments; for a script, its interpreters, their arguments and its name first. */
static void add_program(const struct call *c, const struct script *s, size_t n)
{
	struct st_log *log = c->log;
	struct et_event *ev = &log->ev;
	const char *cwd = c->task->process->dirs->cwd;
	int list = call_where(c, ROLE_PATH) + 1;

	if (cwd) {
		et_add_string(ev, ET_S_EXEC_cwd, cwd, strlen(cwd));
	} else {
		et_announce(ev, ET_S_EXEC_cwd, -1);
		ev->marks[ET_UNREAD] |= 1u << ET_S_EXEC_cwd;
	}
	for (size_t i = n; i-- > 0;) {
		et_add_arg(ev, s[i].interp, strlen(s[i].interp));
		if (*s[i].arg)
			et_add_arg(ev, s[i].arg, strlen(s[i].arg));
	}
	if (n)
		add_script_name(c);
	add_args(c, c->args.arg[list], n);
}

/* Emit a variable of the environment; hide a value that looks secret. */
static void add_variable(const struct call *c, struct st_text t)
{
	const char *keep = c->log->opt.keep_env ? c->log->opt.keep_env : "", *eq;
	bool only = c->log->opt.record & ET_ENV_LISTED, listed;
	struct buf *b = &c->log->text;
	struct etrace_value v = { 0 };
	struct et_event *ev;
	bool cut = false;
	size_t len;

	b->len = 0;
	if (!st_string(t, b, &cut)) {
		c->log->lacks_env = true;
		return;
	}
	eq = b->len ? memchr(b->s, '=', b->len) : NULL;
	c->log->lacks_env |= cut && !eq;
	len = eq ? (size_t)(eq - b->s) : b->len;
	listed = len && etrace_listed(keep, b->s, (unsigned int)len);
	if (!b->len || (only && !listed))
		return;
	ev = st_event(c->log, c->task, ET_K_ENV);
	et_add_string(ev, ET_S_ENV_name, b->s, len);
	if (eq) {
		v = (struct etrace_value){ b->s + len + 1, (unsigned int)(b->len - len - 1), false };
		if (only || !listed)
			etrace_hide(b->s, (unsigned int)len, &v);
		et_add_string(ev, ET_S_ENV_value, v.s, v.len);
	}
	if (v.hidden)
		et_set_value(ev, ET_V_ENV_hidden, 1);
	if (cut)
		call_cut(c, 1u << ET_S_ENV_value);
	st_put(c->log);
}

static void add_environment(const struct call *c)
{
	struct st_text env = c->args.arg[call_where(c, ROLE_PATH) + 2], rest, one;

	if (!(c->log->opt.record >> ET_ENV & 1) || (env.len == 4 && !memcmp(env.s, "NULL", 4)))
		return;
	if (!st_inner(env, &rest)) {
		c->log->lacks_env = true;
		return;
	}
	c->log->has_env = true;
	while (st_next(&rest, &one))
		add_variable(c, one);
}

/* Set log->path to the program's name, or its descriptor's path (execveat with AT_EMPTY_PATH). */
static bool take_program(const struct call *c)
{
	const struct st_fd *fd;
	bool cut;

	if (!call_meant(c, ROLE_DIRFD, ROLE_PATH, &cut))
		return false;
	if (c->log->text.len)
		return true;
	fd = st_fd_known(c->task->process, call_fd(c, call_arg(c, ROLE_DIRFD)));
	c->log->path.len = 0;
	if (fd && fd->path)
		buf_adds(&c->log->path, fd->path);
	return fd && fd->path;
}

/* Add the identity of the file that runs, if it is certain. */
static void add_file(const struct call *c, const struct st_asks *asks, const char *path)
{
	struct et_event *ev = &c->log->ev;
	const struct st_opened file = { .path = path, .when = call_span(c), .fd = -1 };
	struct st_identity id;

	if (!asks->opened(asks->ctx, &file, &id))
		return;
	et_set_value(ev, ET_V_EXEC_dev, id.dev);
	et_set_value(ev, ET_V_EXEC_ino, (int64_t)id.ino);
	et_set_value(ev, ET_V_EXEC_size, (int64_t)id.size);
	et_set_value(ev, ET_V_EXEC_mtime, id.mtime);
}

void st_do_exec(struct call *c)
{
	char path[PATH_MAX] = "", last[PATH_MAX], name[PATH_MAX] = "";
	struct script scripts[SCRIPTS_MAX + 1];
	const struct st_asks *asks = call_asks(c->log, c->task);
	struct st_log *log = c->log;
	struct et_event *ev;
	size_t n = 0;
	bool known;

	if (c->task->upid == log->first && (!log->has_run || !c->line->error)) {
		log->run_error = c->line->error;
		log->has_run |= !c->line->error;
	}
	if (c->line->error) {
		call_begin_apart(c, ET_K_EXEC_FAILED, ET_S_EXEC_FAILED_path);
		st_put(log);
		return;
	}
	st_fds_unshare(c->task->process);
	st_uses(log, c->task, true);
	known = take_program(c);
	if (known) {
		call_settle_self(c);
		if (log->path.len && *log->path.s == '/')
			path_clean(&log->path);
		if (log->path.len < sizeof(name))
			memcpy(name, log->path.s, log->path.len);
		if (asks && *name)
			n = find_scripts(asks, name, path, last, scripts);
	}
	ev = call_begin(c, ET_K_EXEC);
	if (*path) {
		et_add_string(ev, ET_S_EXEC_interp, last, strlen(last));
		et_add_string(ev, ET_S_EXEC_path, path, strlen(path));
		add_file(c, asks, last);
	} else if (known) {
		et_add_string(ev, ET_S_EXEC_interp, log->path.s, log->path.len);
		et_add_string(ev, ET_S_EXEC_path, log->path.s, log->path.len);
		ev->marks[ET_JOINED] |= 1u << ET_S_EXEC_interp | 1u << ET_S_EXEC_path;
	}
	add_program(c, scripts, n);
	st_put(log);
	add_environment(c);
}

bool st_makes_task(struct st_text name)
{
	const struct st_row *row = call_row(name);

	return row && (row->record == REC_CLONE || row->record == REC_FORK ||
		       row->record == REC_VFORK);
}

bool st_is_making(const struct st_task *task)
{
	return task->in_call && !task->child_emitted &&
	       st_makes_task((struct st_text){ task->call.s, task->call.len });
}

/* Get the flags of clone(flags=...) or clone3({flags=...}).  Return: whether they are known. */
static bool clone_flags(const struct call *c, uint64_t *flags)
{
	struct st_text t;

	/* the parent's call may be damaged */
	if (!c->row || c->row->record != REC_CLONE)
		return false;
	if (!st_args_named(&c->args, "flags", &t) && !st_field(c->args.arg[0], "flags", &t))
		return false;
	*flags = call_number(c, t);
	return true;
}

/* Emit the creation of a task; @flags_known: @flags, of the call that created it, are known. */
static void put_clone(struct st_log *log, const struct st_task *maker, const struct st_task *child,
		      bool flags_known, uint64_t flags)
{
	struct et_event *ev = st_event(log, maker, ET_K_CLONE);

	if (flags_known)
		et_set_unsigned(ev, ET_V_CLONE_flags, flags);
	et_set_value(ev, ET_V_CLONE_child, (int64_t)child->upid);
	st_put(log);
}

struct st_task *st_child(struct st_log *log, struct st_task *parent, int64_t pid,
			 struct st_text name, struct st_text args)
{
	const struct st_line line = { .class = ST_CALL };
	struct call c = { log, parent, call_row(name), &line, { 0 } };
	struct st_task *old = st_tasks_find(&log->tasks, pid), *child;
	uint64_t flags = 0;
	bool flags_known;

	/* the pid was reused */
	if (old)
		st_task_lost(log, old, &no_exit);
	st_args_split(&c.args, args);
	flags_known = clone_flags(&c, &flags);
	child = st_tasks_begin(&log->tasks, pid, parent, flags);
	log->namespaces |= child->process->inside;
	put_clone(log, parent, child, flags_known, flags);
	return child;
}

void st_born(struct st_log *log, struct st_task *child, int64_t pid)
{
	if (!child->upid)
		st_tasks_name(&log->tasks, child, pid);
	if (child->maker)
		put_clone(log, child->maker, child, child->flags_known, child->flags);
	child->maker = NULL;
	st_tasks_bear(&log->tasks, child, pid);
}

void st_made(struct st_log *log, const struct st_task *maker)
{
	for (struct st_task *child = log->tasks.unborn; child; child = child->next) {
		if (child->maker != maker)
			continue;
		/* use the pid that the parent sees: strace has not shown another one yet */
		st_tasks_name(&log->tasks, child, child->local_pid);
		put_clone(log, maker, child, child->flags_known, child->flags);
		child->maker = NULL;
	}
}

/* Expect a child whose lines have another pid than the result: it is in a pid namespace. */
static void expect_child(struct call *c)
{
	struct st_log *log = c->log;
	struct st_task *child;
	uint64_t flags = 0;
	bool flags_known = clone_flags(c, &flags);

	if (log->tasks.nunborn == ST_UNBORN_MAX) {
		st_damage(log, &st_never_born);
		st_tasks_forget(&log->tasks, log->tasks.unborn);
	}
	child = st_tasks_expect(&log->tasks, c->task, flags, c->line->value);
	child->flags_known = flags_known;
	child->flags = flags;
}

/* Is a child hidden from strace?  Not with CLONE_PTRACE: then strace traces it, too. */
static bool is_untraced(const struct call *c)
{
	uint64_t flags = 0;

	return clone_flags(c, &flags) && flags & CLONE_UNTRACED && !(flags & CLONE_PTRACE);
}

void st_do_clone(struct call *c)
{
	uint64_t flags = c->row->record == REC_VFORK ? ETRACE_VFORK_FLAGS : ETRACE_FORK_FLAGS;
	struct et_event *ev;

	if (!c->line->error) {
		if (c->task->child_emitted || c->line->value <= 0)
			return;
		if (is_untraced(c))
			st_damage(c->log, &untraced);
		/* only in a pid namespace can a child have its parent's number */
		else if ((c->task->process->inside && !c->line->translated) ||
			 c->line->value == c->task->pid)
			expect_child(c);
		else
			st_child(c->log, c->task, c->line->value, c->line->name, c->line->args);
		return;
	}
	clone_flags(c, &flags);
	ev = call_begin(c, ET_K_CLONE);
	et_set_unsigned(ev, ET_V_CLONE_flags, flags);
	st_put(c->log);
}

void st_do_fork(struct call *c)
{
	st_do_clone(c);
}

void st_do_vfork(struct call *c)
{
	st_do_clone(c);
}

void st_ends(struct st_task *task, struct st_text name, struct st_text args)
{
	const struct st_row *row = call_row(name);
	struct st_args a;
	uint64_t status;

	if (!row || row->record != REC_ENDS)
		return;
	st_args_split(&a, args);
	st_number(a.arg[0], &status);
	task->ending = true;
	if (name.len == 4)
		return;
	task->process->ending = true;
	task->process->status = status & 0xff;
}

/* exit does not return: see st_ends(). */
void st_do_ends(struct call *c)
{
	(void)c;
}

/* Report that a program may not trace: a task of strace can have no second tracer. */
void st_do_ptrace(struct call *c)
{
	static const char *const asks[] = { "PTRACE_TRACEME", "PTRACE_ATTACH", "PTRACE_SEIZE" };
	struct st_text what = call_arg(c, ROLE_FLAGS);

	for (size_t i = 0; c->line->error == EPERM && i < sizeof(asks) / sizeof(asks[0]); i++)
		if (what.len == strlen(asks[i]) && !memcmp(what.s, asks[i], what.len))
			st_damage(c->log, &refused);
}

void st_task_ends(struct st_log *log, struct st_task *task, const struct st_line *line)
{
	bool killed = line->class == ST_KILLED;
	struct et_event *ev;

	st_made(log, task);
	if (task->process->tasks == 1) {
		st_uses(log, task, false);
		st_printed(log, task, killed || line->end);
	}
	ev = st_event(log, task, ET_K_EXIT);
	et_set_value(ev, ET_V_EXIT_status, killed ? 0 : line->end);
	if (killed) {
		et_set_value(ev, ET_V_EXIT_signal, line->end);
		et_set_value(ev, ET_V_EXIT_core, line->core);
	}
	st_put(log);
	log->cloning -= st_is_making(task);
	st_tasks_end(&log->tasks, task);
}

bool st_task_end_unreported(struct st_log *log, struct st_task *task)
{
	const struct st_line line = { .class = ST_EXITED, .end = task->process->status };

	if (task->in_call)
		st_ends(task, (struct st_text){ task->call.s, task->call.len },
			(struct st_text){ task->args.s, task->args.len });
	if (!task->ending && !task->process->ending)
		return false;
	st_task_ends(log, task, &line);
	return true;
}

void st_task_lost(struct st_log *log, struct st_task *task, const struct diag_kind *kind)
{
	if (st_task_end_unreported(log, task))
		return;
	diag_count(log->diag, kind, 1);
	st_made(log, task);
	if (task->process->tasks == 1)
		st_uses(log, task, false);
	log->cloning -= st_is_making(task);
	st_tasks_end(&log->tasks, task);
}
