// SPDX-License-Identifier: LGPL-2.1
/*
 * Turns events into processes and execs, and passes other events to the graph's other parts:
 * state.h.
 */
#include "graph/graph.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/xalloc.h"
#include "graph/classes.h"
#include "graph/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CLONE_FILES	0x00000400
#define CLONE_NEWNS	0x00020000

/* A live task; its task.owners points here. */
struct who {
	struct process *process;
	uint32_t id;
	int64_t at;
	struct buf name;
};

static struct who *who_of(const struct task *t)
{
	return (struct who *)(uintptr_t)t->owners;
}

static int64_t since_begin(const struct graph *g, uint64_t time)
{
	return (int64_t)(time - g->begin);
}

/* ---- execs ---- */

/* Whether an option of shells, Python, Perl, Ruby or node has its value in the next word. */
static bool takes_word(const char *s, size_t len)
{
	static const char *const options[] = {
		"-o", "+o", "-O", "+O", "-W", "-X", "-I", "-r", "--require", "--import", "--rcfile",
		"--init-file",
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strlen(options[i]) == len && !memcmp(options[i], s, len))
			return true;
	return false;
}

/*
 * Hash of the path that an interpreter's arguments name as its script, 0 if none.
 * @applet: index of the argument that names the interpreter. If the program text is an argument
 * (sh -c TEXT), the result is the hash of a path that no file has. If the text is part of the
 * option, as in "perl -eprint", the result is 0.
 */
static uint64_t script_hash(struct graph *g, const struct et_event *ev, uint32_t applet, bool shell)
{
	const struct et_string *s = NULL;
	size_t len;
	const char *cwd = et_get_string(ev, ET_S_EXEC_cwd, &len), *text;

	for (uint32_t i = applet + 1; i < ev->nargs && !s; i++) {
		text = et_text(ev, &ev->args[i]);
		if (!shell && ev->args[i].len > 2 && *text == '-' && strchr("ceEm", text[1]))
			return 0;
		if (takes_word(text, ev->args[i].len))
			i++;
		else if (ev->args[i].len && *text != '-' && *text != '+')
			s = &ev->args[i];
	}
	if (!s)
		return 0;
	text = et_text(ev, s);
	g->path.len = 0;
	if (*text != '/') {
		buf_add(&g->path, cwd, len);
		buf_addc(&g->path, '/');
	}
	buf_add(&g->path, text, s->len);
	path_clean(&g->path);
	return hash_bytes(g->path.s, g->path.len);
}

/*
 * busybox contains several programs: argv[0] says which one runs or, if that is busybox,
 * argv[1].  Return: the index of that argument.
 */
static uint32_t find_applet(const struct et_event *ev, const char **name, size_t *len)
{
	static const char many[] = "busybox";
	uint32_t i = 0;

	for (; i < 2 && i < ev->nargs && *len == strlen(many) && !memcmp(*name, many, *len); i++) {
		*len = ev->args[i].len;
		*name = path_base_of(et_text(ev, &ev->args[i]), len);
	}
	return i ? i - 1 : 0;
}

/* If a script names its interpreter, the interpreter is the program that runs. */
static void name_interpreter(struct graph *g, struct execution *e, const struct task *t,
			     const struct et_event *ev)
{
	size_t len;
	const char *s = et_get_string(ev, ET_S_EXEC_interp, &len);
	const char *slash = s ? memrchr(s, '/', len) : NULL;
	const char *name = slash ? slash + 1 : t->program;
	size_t n = slash ? (size_t)(s + len - name) : t->program_len;
	uint32_t applet = find_applet(ev, &name, &n);

	e->lends = classes_lends(name, n);
	e->interpreter = classes_interpreter(name, n);
	if (e->interpreter && e->interpreter->scripts && e->interp == e->program)
		e->script_hash = script_hash(g, ev, applet, e->lends);
}

static void run_program(struct graph *g, struct process *p, const struct task *t,
			const struct et_event *ev, int64_t at)
{
	struct execution *e = &p->exec;
	/* a fork that has done nothing has no id, only a parent */
	uint32_t before = e->id, parent = e->parent;

	use_before_exec(g, p, at);
	settled_unmap(g, p);
	before = before ? before : e->id;
	exec_end(g, p, GRAPH_ENDED_EXEC, at);
	cmdline_drop(e->cmd);
	free(p->cwd);
	p->cwd = NULL;
	*e = (struct execution){
		.id = ++g->execs, .before = before, .parent = parent, .begun = true, .at = at,
		.program = graph_path(g, ev, ET_S_EXEC_path),
		.interp = graph_path(g, ev, ET_S_EXEC_interp),
		.cwd = graph_path(g, ev, ET_S_EXEC_cwd),
		.starting = true, .cmd = cmdline_new(g, ev),
	};
	name_interpreter(g, e, t, ev);
	exec_run(g, p, ev);
	use_after_exec(g, p, at);
	use_run(g, p, ev, at);
}

/* ---- tasks ---- */

static struct process *new_process(struct graph *g, const struct task *t,
				   struct process *parent, int64_t at)
{
	struct process *p = xcalloc(1, sizeof(*p));

	p->id = ++g->processes;
	p->upid = t->upid;
	GRAPH_EMIT(g, process, p->id, parent ? parent->id : 0, t->upid, t->pid, at);
	p->exec.at = at;
	p->exec.begun = parent != NULL;
	if (parent) {
		p->root = parent->root;
		p->apart = parent->apart || parent->bears_apart;
		p->cwd = parent->cwd ? xstrdup(parent->cwd) : NULL;
		p->exec.forked = true;
		p->exec.parent = exec_id(g, parent);
		p->exec.program = parent->exec.program;
		p->exec.interp = parent->exec.interp;
		p->exec.script = parent->exec.script;
		p->exec.script_hash = parent->exec.script_hash;
		p->exec.cwd = parent->exec.cwd;
		p->exec.lends = parent->exec.lends;
		p->exec.lowest = parent->exec.lowest;
		p->exec.interpreter = parent->exec.interpreter;
		p->exec.cmd = cmdline_get(parent->exec.cmd);
	} else {
		p->fds = fdtab_new();
	}
	return p;
}

/* Pass the root that a process already had to the owner, as if by chroot(), if it is known. */
static void report_root(struct graph *g, struct process *p, int64_t at)
{
	if (p->root && *p->root->path == '/')
		GRAPH_EMIT(g, change, &(struct graph_change){
			.what = GRAPH_CHROOT, .exec = exec_id(g, p), .at = at,
			.file = files_number(g, p->root->path, p->root->len) });
}

static void add_present(struct graph *g, struct process *p, const struct et_event *ev)
{
	const struct task *parent = proctab_find(g->tab, (uint64_t)et_value(ev, ET_V_PRESENT_parent,
									    0));
	/* in a damaged trace a process may be its own parent */
	if (parent && who_of(parent) && who_of(parent)->process != p)
		p->exec.parent = exec_id(g, who_of(parent)->process);
	roots_present(g, p, ev);
	p->exec.program = graph_path(g, ev, et_present_path(ev));
	p->exec.cwd = graph_path(g, ev, et_present_path(ev) + 1);
	exec_id(g, p);
	report_root(g, p, since_begin(g, ev->time));
}

static void on_begin(void *ctx, struct task *t, const struct task *parent,
		     const struct et_event *ev)
{
	struct graph *g = ctx;
	struct process *from = parent && who_of(parent) ? who_of(parent)->process : NULL;
	int64_t at = since_begin(g, ev->time);
	const struct task *leader;
	struct who *w;

	if (who_of(t))
		return;		/* an execve: run_program() handles it */
	w = xcalloc(1, sizeof(*w));
	w->id = ++g->tasks;
	w->at = at;
	t->owners = (uint64_t)(uintptr_t)w;
	leader = t->thread ? proctab_find(g->tab, t->process_upid) : NULL;
	if (t->thread && (from || (leader && who_of(leader)))) {
		w->process = from ? from : who_of(leader)->process;
	} else {
		w->process = new_process(g, t, from, at);
		if (from)
			use_fork(g, from, w->process,
				 et_value(ev, ET_V_CLONE_flags, 0) & CLONE_FILES, at);
		if (et_is_present(ev))
			add_present(g, w->process, ev);
	}
	w->process->tasks++;
}

static void end_process(struct graph *g, struct process *p, enum graph_ended how, int64_t at)
{
	use_end(g, p, at);
	settled_unmap(g, p);
	exec_end(g, p, how, at);
	cmdline_drop(p->exec.cmd);
	free(p->cwd);
	free(p);
}

/*
 * Note what a thread's end says about its process: the leader has the status, the last thread
 * the costs.
 */
static void note_end(struct process *p, const struct task *t, const struct et_event *ev)
{
	struct graph_exec_end *end = &p->end;

	if (t->upid == p->upid || !end->has_status) {
		end->has_status = true;
		end->status = et_value(ev, ET_V_EXIT_status, 0);
		end->signal = et_value(ev, ET_V_EXIT_signal, 0);
		end->core = et_value(ev, ET_V_EXIT_core, 0);
	}
	for (unsigned int i = 0; i < GRAPH_NCOSTS; i++)
		if (et_has(ev, ET_V_EXIT_utime + i)) {
			end->costs |= (uint16_t)(1u << i);
			end->cost[i] = ev->val[ET_V_EXIT_utime + i];
		}
}

static void on_end(void *ctx, struct task *t, enum task_end why, uint64_t time,
		   const struct et_event *ev)
{
	static const enum graph_ended ended[] = {
		[TASK_EXIT] = GRAPH_ENDED_EXIT, [TASK_LOST] = GRAPH_ENDED_LOST,
		[TASK_OPEN] = GRAPH_ENDED_OPEN,
	};
	struct graph *g = ctx;
	struct who *w = who_of(t);
	int64_t at = since_begin(g, time);
	struct graph_task row;

	if (why == TASK_EXEC)
		return;
	row = (struct graph_task){
		.id = w->id, .process = w->process->id, .upid = t->upid, .thread = t->thread,
		.at = w->at, .until = at, .name = w->name.len ? w->name.s : t->program,
		.len = w->name.len ? w->name.len : t->program_len,
	};
	GRAPH_EMIT(g, task, &row);
	if (why == TASK_EXIT)
		note_end(w->process, t, ev);
	if (!--w->process->tasks)
		end_process(g, w->process, ended[why], at);
	buf_free(&w->name);
	free(w);
	t->owners = 0;
}

static void name_task(struct graph *g, struct task *actor, const struct et_event *ev)
{
	const struct task *t = et_has(ev, ET_V_COMM_target) ?
		proctab_find(g->tab, (uint64_t)ev->val[ET_V_COMM_target]) : actor;
	size_t len;
	const char *s = et_get_string(ev, ET_S_COMM_comm, &len);

	if (!t || !who_of(t))
		return;
	who_of(t)->name.len = 0;
	buf_add(&who_of(t)->name, s, len);
}

/* ---- sockets, losses ---- */

static void add_connected(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	struct graph_net n = { .kind = ev->kind, .error = ev->error, .at = at };
	unsigned int family = ev->kind == ET_K_CONNECT ? ET_V_CONNECT_family :
			      ev->kind == ET_K_BIND ? ET_V_BIND_family : ET_V_ACCEPT_family;
	size_t len;
	const char *s = et_get_string(ev, 0, &len);

	if (s)
		n.address = graph_string(g, s, len);
	n.family = (int32_t)et_value(ev, family, 0);
	n.exec = exec_id(g, p);
	GRAPH_EMIT(g, net, &n);
	if (ev->kind != ET_K_BIND && (!(ev->flags & ET_F_FAILED) || ev->error == EINPROGRESS))
		socket_connected(g, p, ev, at);
	if (ev->kind == ET_K_BIND && !(ev->flags & ET_F_FAILED))
		socket_bound(g, p, ev, at);
}

static void go_to(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	size_t len;
	const char *path = et_get_string(ev, ET_S_CHDIR_path, &len);

	(void)g;
	(void)at;
	if (ev->flags & ET_F_FAILED)
		return;
	free(p->cwd);
	p->cwd = xstrndup(path ? path : "", len);
}

static void add_lost(struct graph *g, const struct et_event *ev)
{
	GRAPH_EMIT(g, loss, since_begin(g, ev->time), ev->upid, et_has(ev, ET_V_LOST_count),
		     (uint64_t)et_value(ev, ET_V_LOST_count, 0));
}

/* ---- events ---- */

typedef void handler(struct graph *g, struct process *p, const struct et_event *ev, int64_t at);

/* Kinds that concern one process and its descriptors. */
static handler *const handlers[ET_K_COUNT] = {
	[ET_K_OPEN] = use_open,
	[ET_K_CLOSE] = use_close,
	[ET_K_USE] = use_use,
	[ET_K_DUP] = use_dup,
	[ET_K_PIPE] = use_pipe,
	[ET_K_MEMFD] = use_memfd,
	[ET_K_COPY] = use_copy,
	[ET_K_SOCKETPAIR] = socket_pair,
	[ET_K_RECEIVED] = use_received,
	[ET_K_CLOEXEC] = use_cloexec,
	[ET_K_CHDIR] = go_to,
	[ET_K_GETDENTS] = use_list,
	[ET_K_OPEN_FAILED] = use_name,
	[ET_K_EXEC_FAILED] = use_name,
	[ET_K_STAT] = use_name,
	[ET_K_ACCESS] = use_name,
	[ET_K_READLINK] = use_name,
	[ET_K_CONNECT] = add_connected,
	[ET_K_BIND] = add_connected,
	[ET_K_ACCEPT] = add_connected,
	[ET_K_ENV] = add_variable,
	[ET_K_OUTPUT] = add_printed,
	[ET_K_ASK] = add_ask,
};

/* Note a process that gets its own mount namespace. */
static void note_apart(struct process *p, const struct et_event *ev)
{
	int64_t flags;

	if (ev->flags & ET_F_FAILED)
		return;
	if (ev->kind == ET_K_CLONE)
		p->bears_apart = et_value(ev, ET_V_CLONE_flags, 0) & CLONE_NEWNS;
	if (ev->kind == ET_K_UNSHARE)
		p->apart |= et_value(ev, ET_V_UNSHARE_flags, 0) & CLONE_NEWNS;
	if (ev->kind != ET_K_SETNS)
		return;
	flags = et_value(ev, ET_V_SETNS_flags, 0);
	/* with flags of 0, setns joins a namespace of any kind */
	p->apart |= !flags || flags & CLONE_NEWNS;
}

static void unshare_files(struct graph *g, struct process *p, const struct et_event *ev)
{
	struct fdtab *old = p->fds;

	if (!(et_value(ev, ET_V_UNSHARE_flags, 0) & CLONE_FILES) || old->refs == 1)
		return;
	p->fds = fdtab_copy(old);
	fdtab_drop(g, old);
}

static void apply_event(struct graph *g, struct task *actor, const struct et_event *ev, int64_t at)
{
	struct process *p = who_of(actor)->process;

	g->root = p->root;
	if (handlers[ev->kind]) {
		handlers[ev->kind](g, p, ev, at);
		return;
	}
	switch (ev->kind) {
	case ET_K_EXEC:
		proctab_apply(g->tab, actor, ev);
		run_program(g, p, actor, ev, at);
		return;
	case ET_K_CLONE:
		note_apart(p, ev);
		proctab_apply(g->tab, actor, ev);
		p->bears_apart = false;
		return;
	case ET_K_EXIT:
		proctab_apply(g->tab, actor, ev);
		return;
	case ET_K_COMM:
		name_task(g, actor, ev);
		return;
	case ET_K_URING:
		p->exec.unseen |= GRAPH_UNSEEN_URING;
		return;
	case ET_K_UNSHARE:
		unshare_files(g, p, ev);
		note_apart(p, ev);
		return;
	default:
		break;
	}
	note_apart(p, ev);
	change_event(g, p, ev, at);
	if (ev->kind == ET_K_CHROOT || ev->kind == ET_K_PIVOT || ev->kind == ET_K_SETNS)
		roots_change(g, p, ev);
}

void graph_event(struct graph *g, const struct et_event *ev)
{
	struct task *actor;
	int64_t at;

	if (ev->kind == ET_K_SESSION) {
		g->realtime = et_value(ev, ET_V_SESSION_realtime, 0);
		return;
	}
	if (!g->begun)
		g->begin = ev->time;
	g->begun = true;
	at = since_begin(g, ev->time);
	if (at > g->last)
		g->last = at;
	if (ev->kind == ET_K_LOST)
		add_lost(g, ev);
	if (ev->kind == ET_K_CONTENT)
		settled_content(g, ev, at);
	actor = proctab_actor(g->tab, ev);
	if (actor && !et_is_present(ev))
		apply_event(g, actor, ev, at);
}

struct graph *graph_new(unsigned int pid_bits, const struct graph_ops *ops, void *ctx)
{
	static const struct proctab_ops tasks = { on_begin, on_end };
	struct graph *g = xcalloc(1, sizeof(*g));

	g->ops = ops;
	g->ctx = ctx;
	g->pid_bits = pid_bits;
	g->tab = proctab_new(pid_bits, &tasks, g);
	return g;
}

void graph_end(struct graph *g)
{
	int64_t begin = g->realtime + (int64_t)g->begin;

	proctab_end(g->tab, g->begin + (uint64_t)g->last);
	for (size_t i = 0; g->realtime && i < g->nmaybe; i++)
		if (g->maybe[i].mtime >= begin)
			GRAPH_EMIT(g, created, g->maybe[i].version, g->maybe[i].exec);
}

/* Free the tasks of a trace without graph_end(). */
static void drop_tasks(struct graph *g)
{
	for (const struct task *t = proctab_first(g->tab); t; t = t->next) {
		struct who *w = who_of(t);

		if (!--w->process->tasks) {
			fdtab_drop(g, w->process->fds);
			free(w->process->mapped);
			cmdline_drop(w->process->exec.cmd);
			free(w->process->cwd);
			free(w->process);
		}
		buf_free(&w->name);
		free(w);
	}
}

void graph_free(struct graph *g)
{
	static const struct graph_ops none;

	if (!g)
		return;
	/* report nothing more: these tasks did not end, and the owner may be partly freed */
	g->ops = &none;
	drop_tasks(g);
	descriptions_free(g);
	meetings_free(g);
	proctab_free(g->tab);
	files_free(&g->files);
	moved_free(&g->moved);
	map64_clear(&g->early);
	map64_clear(&g->strings);
	roots_free(g);
	map64_clear(&g->asked);
	map64_clear(&g->link_targets);
	buf_free(&g->targets);
	buf_free(&g->resolved);
	buf_free(&g->path);
	free(g->args);
	free(g->maybe);
	free(g->settling);
	free(g);
}

uint64_t graph_begin(const struct graph *g)
{
	return g->begin;
}

int64_t graph_last(const struct graph *g)
{
	return g->last;
}

bool graph_tells_uses(const struct graph *g)
{
	return g->uses;
}
