// SPDX-License-Identifier: LGPL-2.1
/* The model of a running build.  See top_model.h. */
#include "show/top_model.h"
#include "base/container.h"
#include "base/path.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Number of arguments used to make a label; the first ones of a long command are enough. */
#define LABEL_ARGS	512u
#define SECOND		1000000000ull
#define SLOT_NS		(TOP_SLOT_S * SECOND)

/* Find a program that is alive.  Return: NULL if none. */
static struct top_program *find_live(const struct top_model *m, uint64_t upid)
{
	struct top_program *p = top_find(m, upid);

	return p && !p->ended ? p : NULL;
}

static struct top_program *of_task(const struct task *t)
{
	return t ? (struct top_program *)(uintptr_t)t->owners : NULL;
}

/* ---- making and forgetting ---- */

static struct top_program *new_program(struct top_model *m, const struct task *t, uint64_t time)
{
	struct top_program *p = xcalloc(1, sizeof(*p));

	p->upid = t->upid;
	p->pid = t->pid;
	p->begun = p->since = time;
	p->status = p->signal = -1;
	p->class = WORK_OTHER;
	top_list_init(&p->pending);
	top_list_init(&p->failed);
	top_list_init(&p->by_search);
	top_list_init(&p->by_failure);
	top_list_add(&p->by_state, &m->running);
	m->nrunning++;
	m->running_of[p->class]++;
	map64_put(&m->programs, p->upid, (uintptr_t)p);
	return p;
}

static void forget_files(struct top_program *p)
{
	for (unsigned int i = 0; i < TOP_FILES; i++)
		free(p->file[i].name);
	memset(p->file, 0, sizeof(p->file));
	p->nfiles = 0;
	free(p->output);
	p->output = NULL;
}

static void free_program(struct top_program *p)
{
	forget_files(p);
	buf_free(&p->label);
	buf_free(&p->args);
	buf_free(&p->cwd);
	buf_free(&p->driver_args);
	buf_free(&p->driver_cwd);
	free(p);
}

static void forget_program(struct top_model *m, struct top_program *p)
{
	top_list_del(&p->by_state);
	top_list_del(&p->by_search);
	top_list_del(&p->by_failure);
	top_list_del(&p->pending);
	m->nfound -= p->matches;
	/* another program with this upid exists only in a damaged trace */
	if (top_find(m, p->upid) == p)
		map64_remove(&m->programs, p->upid);
	free_program(p);
}

/* Forget the oldest programs that ended, except failures. */
static void forget_oldest(struct top_model *m)
{
	struct top_link *l = m->ended.next;

	while (m->nkept > TOP_ENDED + m->nfailures && l != &m->ended) {
		struct top_program *p = container_of(l, struct top_program, by_state);

		l = l->next;
		if (p->fate != TOP_NO_FAILURE) {
			/* keep a failure, but at the end, so that it is not visited each time */
			top_list_del(&p->by_state);
			top_list_add(&p->by_state, &m->ended);
			continue;
		}
		forget_program(m, p);
		m->nkept--;
		m->nforgotten++;
	}
}

/* ---- lists of the live ---- */

static void program_runs(struct top_model *m, struct top_program *p, uint64_t time)
{
	top_list_del(&p->by_state);
	top_list_add(&p->by_state, &m->running);
	p->since = time;
	m->nrunning++;
	m->nwaiting--;
	m->running_of[p->class]++;
}

static void program_waits(struct top_model *m, struct top_program *p)
{
	top_list_del(&p->by_state);
	top_list_add(&p->by_state, &m->waiting);
	m->nrunning--;
	m->nwaiting++;
	m->running_of[p->class]--;
}

/* ---- the search ---- */

static void match_program(struct top_model *m, struct top_program *p)
{
	bool matches = m->search.len && memmem(p->label.s, p->label.len, m->search.s, m->search.len);

	if (matches == p->matches)
		return;
	p->matches = matches;
	m->nfound += matches ? 1 : (uint64_t)-1;
	if (matches)
		top_list_add(&p->by_search, &m->found);
	else
		top_list_del(&p->by_search);
}

static void match_all(struct top_model *m, struct top_link *list)
{
	for (struct top_link *l = list->next; l != list; l = l->next)
		match_program(m, container_of(l, struct top_program, by_state));
}

void top_search(struct top_model *m, const char *text, size_t len)
{
	m->search.len = 0;
	buf_add(&m->search, text, len);
	match_all(m, &m->running);
	match_all(m, &m->waiting);
	match_all(m, &m->ended);
}

/* ---- beginnings ---- */

static void set_class(struct top_model *m, struct top_program *p, enum work_class class)
{
	if (!p->live_children) {
		m->running_of[p->class]--;
		m->running_of[class]++;
	}
	p->class = class;
}

static bool is_word(const struct work_arg *a, const char *word)
{
	return a->len == strlen(word) && !memcmp(a->s, word, a->len);
}

/* Whether a program is a build tool with an option to keep going after failures. */
static bool keeps_going(const struct task *t, const struct work_arg *args, size_t n)
{
	static const char *const tools[] = { "make", "gmake", "ninja", "samu" };
	bool tool = false;

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		tool |= !strcmp(t->program, tools[i]);
	for (size_t i = 1; tool && i < n; i++) {
		if (is_word(&args[i], "--keep-going"))
			return true;
		if (args[i].len < 2 || args[i].s[0] != '-' || args[i].s[1] == '-')
			continue;
		/* the option may be in a cluster: "-k", "-j4k", "-kj4"; ninja has "-k 0" */
		if (memchr(args[i].s, 'k', args[i].len))
			return true;
	}
	return false;
}

static void set_args(struct top_program *p, const struct et_event *ev)
{
	p->args.len = 0;
	for (size_t i = 0; i < ev->nargs; i++) {
		if (p->args.len + ev->args[i].len >= TOP_ARGS_MAX)
			break;
		buf_add(&p->args, et_text(ev, &ev->args[i]), ev->args[i].len);
		buf_addc(&p->args, '\0');
	}
}

static void set_string(struct buf *to, const struct et_event *ev, unsigned int i)
{
	size_t len;
	const char *s = et_get_string(ev, i, &len);

	to->len = 0;
	if (s)
		buf_add(to, s, len);
}

/* Record that a process has executed a program. */
static void set_program(struct top_model *m, struct top_program *p, const struct task *t,
			const struct et_event *ev)
{
	struct work_arg args[LABEL_ARGS];
	size_t n = ev->nargs < LABEL_ARGS ? ev->nargs : LABEL_ARGS;

	work_args(args, ev, n);
	p->label.len = 0;
	set_class(m, p, work_of(t->program, t->program_len, args, n, &p->label));
	p->keeps_going = keeps_going(t, args, n);
	p->begun = p->since = ev->time;
	p->led = false;
	p->execed = true;
	if (!et_is_present(ev)) {
		set_args(p, ev);
		set_string(&p->cwd, ev, ET_S_EXEC_cwd);
	} else {
		set_string(&p->cwd, ev, et_present_path(ev) + 1);
	}
	/* its program has just begun, so it is the last one in @running */
	if (!p->live_children) {
		top_list_del(&p->by_state);
		top_list_add(&p->by_state, &m->running);
	}
	if (!m->command.len)
		buf_add(&m->command, p->label.s, p->label.len);
	match_program(m, p);
}

static void has_child(struct top_model *m, struct top_program *p, uint64_t child)
{
	p->child[p->nchildren++ % TOP_CHILDREN] = child;
	p->led = true;
	top_goes_on(m, p);
	if (!p->live_children++)
		program_waits(m, p);
}

static uint64_t parent_of(const struct top_model *m, const struct task *t,
			  const struct task *parent, const struct et_event *ev)
{
	const struct top_program *process;

	if (parent)
		return parent->process_upid;
	if (et_is_present(ev))
		return t->parent;
	/* a thread that executes a program takes the place of its process */
	process = t->process_upid != t->upid ? top_find(m, t->process_upid) : NULL;
	return process ? process->parent : 0;
}

static void on_begin(void *ctx, struct task *t, const struct task *parent,
		     const struct et_event *ev)
{
	struct top_model *m = ctx;
	struct top_program *p = of_task(t), *caller;

	if (t->thread)
		return;
	if (!p) {
		p = new_program(m, t, ev->time);
		t->owners = (uintptr_t)p;
		p->parent = parent_of(m, t, parent, ev);
		caller = find_live(m, p->parent);
		if (caller)
			has_child(m, caller, p->upid);
		else
			p->parent = 0;
		if (!t->execed) {
			buf_add(&p->label, t->program, t->program_len);
			match_program(m, p);
		}
	}
	if (t->execed || et_is_present(ev))
		set_program(m, p, t, ev);
}

/* ---- ends ---- */

static struct top_slot *slot_at(struct top_model *m, uint64_t time)
{
	uint64_t number = time / SLOT_NS;
	struct top_slot *s = &m->slot[number % TOP_SLOTS];

	if (s->number != number)
		*s = (struct top_slot){ .number = number };
	return s;
}

/* Spread the CPU time of a program evenly over the slots in which it ran. */
static void spread_cpu(struct top_model *m, const struct top_program *p)
{
	uint64_t last = p->ended / SLOT_NS, first = p->begun / SLOT_NS, n;

	if (!p->cpu)
		return;
	n = last - first + 1;
	if (n > TOP_SLOTS)
		first = last - TOP_SLOTS + 1;
	for (uint64_t i = first; i <= last; i++)
		slot_at(m, i * SLOT_NS)->cpu += p->cpu / n;
}

/* Whether a file is a device, in /proc, or directly in a directory for temporary files. */
static bool is_temporary(const struct top_file *f)
{
	static const char *const devices[] = { "/dev", "/proc", NULL };
	size_t n = path_in(f->name, f->len, path_temporary);

	return path_in(f->name, f->len, devices) || (n && memrchr(f->name, '/', f->len) == f->name + n);
}

/* Add the files that a program wrote, after it has ended. */
static void add_outputs(struct top_model *m, const struct top_program *p)
{
	for (unsigned int i = 0; i < TOP_FILES; i++) {
		struct top_output *o;

		if (!p->file[i].name || !p->file[i].written || is_temporary(&p->file[i]))
			continue;
		o = &m->output[m->noutputs++ % TOP_OUTPUTS];
		free(o->name);
		o->name = xstrndup(p->file[i].name, p->file[i].len);
		o->by.len = 0;
		buf_add(&o->by, p->label.s, p->label.len);
		o->time = p->ended;
	}
}

static void take_end(struct top_model *m, struct top_program *p, const struct et_event *ev)
{
	p->status = et_value(ev, ET_V_EXIT_status, 0);
	p->signal = et_value(ev, ET_V_EXIT_signal, 0);
	p->cpu = (uint64_t)et_value(ev, ET_V_EXIT_utime, 0) +
		 (uint64_t)et_value(ev, ET_V_EXIT_stime, 0);
	p->memory = (uint64_t)et_value(ev, ET_V_EXIT_maxrss, 0);
	m->cpu += p->cpu;
	if (p->memory > m->largest) {
		m->largest = p->memory;
		m->largest_by.len = 0;
		buf_add(&m->largest_by, p->label.s, p->label.len);
	}
}

static void count_end(struct top_model *m, struct top_program *p)
{
	m->ended_of[p->class]++;
	m->nended++;
	slot_at(m, p->ended)->ended[p->class]++;
	spread_cpu(m, p);
	if (p->led || !p->execed || !p->label.len)
		return;
	if (m->collect)
		top_past_add(m->collect, p->label.s, p->label.len, p->begun, p->ended);
	if (m->past)
		top_past_take(m->past, &m->progress, p->label.s, p->label.len, p->ended);
}

static void on_end(void *ctx, struct task *t, enum task_end why, uint64_t time,
		   const struct et_event *ev)
{
	struct top_model *m = ctx;
	struct top_program *p = of_task(t), *parent;

	if (!p || why == TASK_EXEC)
		return;
	t->owners = 0;
	if (why == TASK_OPEN)
		return;
	p->ended = time;
	top_list_del(&p->by_state);
	top_list_add(&p->by_state, &m->ended);
	if (p->live_children)
		m->nwaiting--;
	else
		m->nrunning--;
	if (!p->live_children)
		m->running_of[p->class]--;
	m->nkept++;
	parent = find_live(m, p->parent);
	if (why == TASK_EXIT && ev) {
		take_end(m, p, ev);
		count_end(m, p);
	}
	/* a failure matters only if its caller still lives and can see the status */
	if ((p->status > 0 || p->signal > 0) && (parent || !p->parent))
		top_failed(m, p, parent);
	else
		top_succeeded(m, p);
	if (p->status == 0 && p->signal == 0)
		add_outputs(m, p);
	if (parent && !--parent->live_children)
		program_runs(m, parent, time);
	forget_oldest(m);
}

/* ---- files ---- */

static void add_file(struct top_program *p, const char *name, size_t len, bool written)
{
	struct top_file *f = &p->file[(p->nfiles + TOP_FILES - 1) % TOP_FILES];
	size_t base_len = len;

	if (!len)
		return;
	if (written) {
		const char *base = path_base_of(name, &base_len);

		free(p->output);
		p->output = xstrndup(base, base_len);
	}
	/* a file that is opened twice in a row counts once */
	if (f->name && f->len == len && !memcmp(f->name, name, len)) {
		f->written |= written;
		return;
	}
	f = &p->file[p->nfiles++ % TOP_FILES];
	free(f->name);
	*f = (struct top_file){ xstrndup(name, len), (uint32_t)len, written };
}

static void take_file(struct top_model *m, const struct et_event *ev)
{
	const struct task *t = proctab_find(m->tab, ev->upid);
	struct top_program *p = t ? find_live(m, t->process_upid) : NULL;
	bool rename = ev->kind == ET_K_RENAME;
	const char *name;
	size_t len;

	if (!p || ev->flags & ET_F_FAILED)
		return;
	name = et_get_string(ev, rename ? (unsigned int)ET_S_RENAME_to :
				 (unsigned int)ET_S_OPEN_name, &len);
	if (name)
		add_file(p, name, len, rename ||
			 (et_value(ev, ET_V_OPEN_flags, 0) & O_ACCMODE) != O_RDONLY);
}

/* ---- events ---- */

static void take_session(struct top_model *m, const struct et_event *ev)
{
	m->over = true;
	m->status = et_value(ev, ET_V_SESSION_status, -1);
	m->complete = et_value(ev, ET_V_SESSION_complete, 0);
	m->lost = (uint64_t)et_value(ev, ET_V_SESSION_lost, (int64_t)m->lost);
}

void top_model_event(struct top_model *m, const struct et_event *ev)
{
	m->events++;
	if (ev->time > m->now)
		m->now = ev->time;
	if (!m->begun)
		m->begun = ev->time;
	switch (ev->kind) {
	case ET_K_LOST:
		m->lost += (uint64_t)et_value(ev, ET_V_LOST_count, 0);
		break;
	case ET_K_SESSION:
		take_session(m, ev);
		break;
	case ET_K_OPEN:
	case ET_K_RENAME:
		proctab_actor(m->tab, ev);
		take_file(m, ev);
		break;
	case ET_K_EXEC:
	case ET_K_CLONE:
	case ET_K_EXIT:
	case ET_K_PRESENT:
	case ET_K_JOIN:
		proctab_apply(m->tab, proctab_actor(m->tab, ev), ev);
		break;
	default:
		break;
	}
}

void top_rate(const struct top_model *m, uint64_t now, unsigned int seconds, struct top_rate *to)
{
	uint64_t last = now / SLOT_NS, n = seconds / TOP_SLOT_S, first;

	*to = (struct top_rate){ 0 };
	if (n > TOP_SLOTS)
		n = TOP_SLOTS;
	first = last >= n ? last - n + 1 : 0;
	if (first < m->begun / SLOT_NS)
		first = m->begun / SLOT_NS;
	for (uint64_t i = first; i <= last; i++) {
		const struct top_slot *s = &m->slot[i % TOP_SLOTS];

		if (s->number != i)
			continue;
		for (unsigned int c = 0; c < WORK_CLASSES; c++)
			to->ended[c] += s->ended[c];
		to->cpu += s->cpu;
	}
	first = first * SLOT_NS > m->begun ? first * SLOT_NS : m->begun;
	to->ns = now > first ? now - first : 0;
}

/* ---- beginning and end ---- */

struct top_model *top_model_new(unsigned int pid_bits)
{
	static const struct proctab_ops ops = { on_begin, on_end };
	struct top_model *m = xcalloc(1, sizeof(*m));

	m->tab = proctab_new(pid_bits, &ops, m);
	m->status = -1;
	top_list_init(&m->running);
	top_list_init(&m->waiting);
	top_list_init(&m->ended);
	top_list_init(&m->failures);
	top_list_init(&m->failed);
	top_list_init(&m->found);
	return m;
}

static void free_list(struct top_link *list)
{
	struct top_link *next;

	for (struct top_link *l = list->next; l != list; l = next) {
		next = l->next;
		free_program(container_of(l, struct top_program, by_state));
	}
}

void top_model_free(struct top_model *m)
{
	if (!m)
		return;
	proctab_end(m->tab, m->now);
	proctab_free(m->tab);
	free_list(&m->running);
	free_list(&m->waiting);
	free_list(&m->ended);
	map64_clear(&m->programs);
	for (unsigned int i = 0; i < TOP_OUTPUTS; i++) {
		free(m->output[i].name);
		buf_free(&m->output[i].by);
	}
	buf_free(&m->search);
	buf_free(&m->largest_by);
	buf_free(&m->command);
	free(m);
}
