// SPDX-License-Identifier: LGPL-2.1
/* Finds the task of each line, and the order in which lines become events.  See st_log.h. */
#include "format/strace/st_state.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

static const struct diag_kind no_begin = {
	"calls whose beginning is missing, passed over", DIAG_DAMAGE };
static const struct diag_kind no_end = {
	"calls cut, passed over", DIAG_DAMAGE };
static const struct diag_kind unfinished = {
	"calls not finished when the log ends", DIAG_NOTE };
static const struct diag_kind foreign = {
	"lines not from strace, passed over", DIAG_NOTE };
static const struct diag_kind guessed = {
	"tasks whose parent is a guess", DIAG_DAMAGE };
static const struct diag_kind detached = {
	"tasks that strace let go, unrecorded from then on", DIAG_NOTE };
struct st_held {
	struct st_held *next;
	uint64_t at;
	struct st_place place;
	bool continued;		/* it is the rest of a broken line of @pid */
	int64_t pid;
	size_t len;
	char s[];
};

struct st_log *st_log_new(const struct st_log_options *opt, struct sink *sink, struct diag *diag)
{
	struct st_log *log = xcalloc(1, sizeof(*log));

	log->opt = *opt;
	log->sink = sink;
	log->diag = diag;
	log->held_end = &log->held;
	et_init(&log->ev);
	return log;
}

/* ---- tasks ---- */

/* Find a task in an unfinished clone: the only one, or the one with the lowest pid. */
static struct st_task *some_maker(struct st_log *log)
{
	struct map64_slot *all = map64_sorted(&log->tasks.by_pid, map64_by_key);
	struct st_task *found = NULL;

	for (size_t i = 0; i < log->tasks.by_pid.n && !found; i++) {
		struct st_task *task = (struct st_task *)(uintptr_t)all[i].value;

		if (st_is_making(task))
			found = task;
	}
	free(all);
	if (!found && log->tasks.nameless && st_is_making(log->tasks.nameless))
		found = log->tasks.nameless;
	return found;
}

/* Find the expected child of another pid namespace that has this pid, by a guess if needed. */
static struct st_task *expected_child(struct st_log *log, int64_t pid)
{
	struct st_task *found = log->tasks.unborn;

	if (!found || pid < 0)
		return NULL;
	/* its parent may see it with the same pid */
	while (found && found->local_pid != pid)
		found = found->next;
	if (!found && log->tasks.unborn->next)
		diag_count(log->diag, &guessed, 1);
	return found ? found : log->tasks.unborn;
}

static struct st_task *begin_unknown(struct st_log *log, int64_t pid)
{
	const uint64_t *parent_pid = map64_get(&log->born, (uint64_t)pid);
	struct st_task *parent = NULL, *task;

	if (pid >= 0 && parent_pid)
		parent = st_tasks_find(&log->tasks, (int64_t)*parent_pid - 1);
	task = parent ? NULL : expected_child(log, pid);
	if (task) {
		st_born(log, task, pid);
		return task;
	}
	if (!parent && log->cloning) {
		parent = some_maker(log);
		if (parent && log->cloning > 1)
			diag_count(log->diag, &guessed, 1);
	}
	/* the first task, whose lines had no pid so far */
	if (!parent && pid >= 0 && log->tasks.nameless && log->tasks.nameless->pid < 0) {
		task = log->tasks.nameless;
		st_tasks_move(&log->tasks, task, pid);
		return task;
	}
	if (!parent) {
		task = st_tasks_begin(&log->tasks, pid, NULL, 0);
		if (log->opt.cwd)
			st_cwd_set(task->process, log->opt.cwd, strlen(log->opt.cwd));
		log->first = log->first ? log->first : task->upid;
		return task;
	}
	map64_remove(&log->born, (uint64_t)pid);
	log->cloning -= st_is_making(parent);
	parent->child_emitted = true;
	return st_child(log, parent, pid, (struct st_text){ parent->call.s, parent->call.len },
			(struct st_text){ parent->args.s, parent->args.len });
}

/* Task of a line.  strace leaves the pid out if only one task lives. */
static struct st_task *task_of(struct st_log *log, const struct st_line *line)
{
	int64_t pid = line->pid >= 0 ? line->pid : log->place.pid;
	struct st_task *task = st_tasks_find(&log->tasks, pid);
	size_t i = 0;

	if (!task && pid < 0 && log->tasks.by_pid.n == 1)
		task = (struct st_task *)(uintptr_t)map64_each(&log->tasks.by_pid, &i)->value;
	return task ? task : begin_unknown(log, pid);
}

/* A thread called execve: the process's first thread ends, and this one takes its pid. */
static void supersede_leader(struct st_log *log, struct st_task *leader, const struct st_line *line)
{
	struct st_task *task = st_tasks_find(&log->tasks, line->end);
	static const struct st_line ended = { .class = ST_EXITED };
	int64_t pid = leader->pid;

	if (!task || task == leader || pid < 0)
		return;
	st_task_ends(log, leader, &ended);
	st_tasks_move(&log->tasks, task, pid);
	task->took_place = task->in_call;
}

/* ---- lines ---- */

static void begin_call(struct st_log *log, struct st_task *task, const struct st_line *line)
{
	log->cloning -= st_is_making(task);
	task->call.len = task->args.len = 0;
	buf_add(&task->call, line->name.s, line->name.len);
	buf_add(&task->args, line->args.s, line->args.len);
	task->in_call = true;
	task->closed = st_close_begins(log, task, line);
	task->child_emitted = task->took_place = false;
	if (line->broken) {
		log->is_broken = true;
		log->broken = line->pid;
	}
	log->cloning += st_is_making(task);
}

static void end_call(struct st_log *log, struct st_task *task, const struct st_line *line)
{
	struct st_line whole = *line;

	whole.name = (struct st_text){ task->call.s, task->call.len };
	if (!task->in_call || (line->class == ST_RESUMED &&
			       (task->call.len != line->name.len ||
				memcmp(task->call.s, line->name.s, line->name.len)))) {
		st_damage(log, &no_begin);
		return;
	}
	log->cloning -= st_is_making(task);
	log->is_broken = false;
	buf_add(&task->args, line->args.s, line->args.len);
	if (st_line_result(&whole, task->args.s, task->args.len)) {
		/* with --seccomp-bpf strace prints "= ?" for such an execve: it succeeded */
		whole.has_value |= task->took_place;
		if (!task->closed)
			st_call(log, task, &whole);
	} else {
		st_damage(log, &no_end);
	}
	task->in_call = task->child_emitted = task->took_place = false;
}

static void process_line(struct st_log *log, const struct st_line *line)
{
	struct st_task *task;

	if (line->class == ST_DUMP) {
		st_dumped(log, line);
		return;
	}
	st_undumped(log);
	/* strace before 4.9 also prints this for a task that has ended */
	if (line->class == ST_DETACHED && !st_tasks_find(&log->tasks, line->pid))
		return;
	task = task_of(log, line);

	switch (line->class) {
	case ST_CALL:
		log->cloning -= st_is_making(task);
		task->in_call = task->child_emitted = task->took_place = false;
		st_call(log, task, line);
		break;
	case ST_UNFINISHED:
		begin_call(log, task, line);
		break;
	case ST_RESUMED:
	case ST_CONTINUED:
		end_call(log, task, line);
		break;
	case ST_EXITED:
	case ST_KILLED:
		st_task_ends(log, task, line);
		break;
	case ST_SUPERSEDED:
		supersede_leader(log, task, line);
		break;
	case ST_DETACHED:
		st_task_lost(log, task, &detached);
		break;
	case ST_CUT:
	case ST_DUMP:
	case ST_NOTHING:
	case ST_FOREIGN:
		break;
	}
}

/* ---- lines that wait ---- */

/* Is it a child's line while clones are unfinished?  Their ends show whose child it is. */
static bool must_wait(const struct st_log *log, int64_t pid)
{
	return log->cloning && !log->unnamed && pid >= 0 &&
	       !map64_get(&log->tasks.by_pid, (uint64_t)pid + 1) &&
	       !map64_get(&log->born, (uint64_t)pid);
}

/* Note the child whose pid a clone's end shows, for the held lines before it. */
static void note_born(struct st_log *log, const struct st_line *line, int64_t pid)
{
	struct st_line end = *line;
	const struct st_task *maker = st_tasks_find(&log->tasks, pid);
	bool inside = maker ? maker->process->inside : log->namespaces;
	bool makes = line->class == ST_RESUMED ? st_makes_task(line->name) :
		     line->class == ST_CONTINUED && maker && st_is_making(maker);

	if (!makes || pid < 0 || !st_line_result(&end, line->args.s, line->args.len) ||
	    end.value <= 0)
		return;
	if (inside && !end.translated)
		log->unnamed = true;
	else
		map64_put(&log->born, (uint64_t)end.value, (uint64_t)pid + 1);
}

/* Treat a line as the rest of one that a message broke. */
static void continue_line(struct st_line *line, int64_t pid)
{
	line->class = ST_CONTINUED;
	line->args = line->whole;
	line->pid = pid;
}

static void hold_line(struct st_log *log, const struct st_line *line)
{
	struct st_held *h = xmalloc(sizeof(*h) + line->whole.len);

	*h = (struct st_held){ .at = log->at, .place = log->place, .len = line->whole.len,
			       .continued = line->class == ST_CONTINUED, .pid = line->pid };
	memcpy(h->s, line->whole.s, h->len);
	*log->held_end = h;
	log->held_end = &h->next;
	log->nheld++;
	log->held_bytes += h->len;
}

/* Process the held lines that no longer need to wait; @all: all held lines. */
static void let_go(struct st_log *log, bool all)
{
	const struct st_place place = log->place;
	const uint64_t at = log->at;

	while (log->held) {
		struct st_held *h = log->held;
		bool full = all || log->nheld > ST_HELD_LINES || log->held_bytes > ST_HELD_BYTES;
		struct st_line line;

		st_line_parse(&line, h->s, h->len);
		if (h->continued)
			continue_line(&line, h->pid);
		if (!full && must_wait(log, line.pid >= 0 ? line.pid : h->place.pid))
			break;
		log->held = h->next;
		if (!log->held)
			log->held_end = &log->held;
		log->nheld--;
		log->held_bytes -= h->len;
		log->at = h->at;
		log->place = h->place;
		process_line(log, &line);
		free(h);
	}
	log->at = at;
	log->place = place;
	if (log->held)
		return;
	map64_clear(&log->born);
	log->unnamed = false;
}

/* Is it the rest of a line that a message broke?  It can look like anything, but ends as a call. */
static bool continues_line(const struct st_log *log, const struct st_line *line)
{
	struct st_line end = { 0 };

	return log->is_broken && line->pid < 0 && line->clock == ST_UNTIMED &&
	       (line->class == ST_FOREIGN || line->class == ST_CUT || line->class == ST_CONTINUED) &&
	       st_line_result(&end, line->whole.s, line->whole.len);
}

/* Is it the beginning of a call, and not a program's output? */
static bool is_cut_call(const struct st_line *line)
{
	return line->class == ST_CUT &&
	       (line->pid >= 0 || line->clock != ST_UNTIMED || st_log_knows(line->name));
}

int st_log_line(struct st_log *log, const struct st_line *given, uint64_t at,
		const struct st_place *place)
{
	struct st_line line = *given;
	int64_t pid;

	log->at = at;
	log->place = *place;
	if (continues_line(log, &line))
		continue_line(&line, log->broken);
	pid = line.pid >= 0 ? line.pid : place->pid;
	if (is_cut_call(&line))
		st_damage(log, &no_end);
	else if (line.class == ST_FOREIGN || line.class == ST_CUT)
		st_damage(log, &foreign);
	if (line.class == ST_FOREIGN || line.class == ST_CUT || line.class == ST_NOTHING)
		return log->err;
	if (!log->held && !must_wait(log, pid)) {
		process_line(log, &line);
		return log->err;
	}
	note_born(log, &line, pid);
	hold_line(log, &line);
	let_go(log, false);
	return log->err;
}

static void count_unfinished(struct st_log *log)
{
	const struct map64_slot *slot;
	size_t i = 0;

	while ((slot = map64_each(&log->tasks.by_pid, &i)))
		if (((const struct st_task *)(uintptr_t)slot->value)->in_call)
			diag_count(log->diag, &unfinished, 1);
}

/* Emit what the remaining tasks have done with their descriptors. */
static void emit_living(struct st_log *log)
{
	struct map64_slot *all = map64_sorted(&log->tasks.by_pid, map64_by_key);

	for (size_t i = 0; i < log->tasks.by_pid.n; i++)
		st_uses(log, (struct st_task *)(uintptr_t)all[i].value, false);
	free(all);
	if (log->tasks.nameless)
		st_uses(log, log->tasks.nameless, false);
}

/* End the tasks that called exit, but have no exit line. */
static void end_ending(struct st_log *log)
{
	struct map64_slot *all = map64_sorted(&log->tasks.by_pid, map64_by_key);
	size_t n = log->tasks.by_pid.n;

	for (size_t i = 0; i < n; i++)
		st_task_end_unreported(log, (struct st_task *)(uintptr_t)all[i].value);
	free(all);
	if (log->tasks.nameless)
		st_task_end_unreported(log, log->tasks.nameless);
}

int st_log_end(struct st_log *log)
{
	let_go(log, true);
	end_ending(log);
	count_unfinished(log);
	emit_living(log);
	if (log->tasks.nunborn)
		diag_count(log->diag, &st_never_born, log->tasks.nunborn);
	return log->err;
}

uint64_t st_log_events(const struct st_log *log)
{
	return log->events;
}

int st_log_run_error(const struct st_log *log)
{
	return log->run_error;
}

const char *st_log_env(const struct st_log *log)
{
	if (!log->has_env || log->lacks_env)
		return "";
	return et_env_recorded(log->opt.record, log->opt.keep_env);
}

bool st_log_first_lives(const struct st_log *log)
{
	const struct map64_slot *slot;
	size_t i = 0;

	while ((slot = map64_each(&log->tasks.by_pid, &i)))
		if (((const struct st_task *)(uintptr_t)slot->value)->upid == log->first)
			return true;
	return log->tasks.nameless && log->tasks.nameless->upid == log->first;
}

size_t st_log_living(const struct st_log *log, uint64_t *upids, size_t max)
{
	struct map64_slot *all = map64_sorted(&log->tasks.by_pid, map64_by_key);
	size_t n = 0;

	for (; n < log->tasks.by_pid.n && n < max; n++)
		upids[n] = ((const struct st_task *)(uintptr_t)all[n].value)->upid;
	free(all);
	return n;
}

uint64_t st_log_joined(const struct st_log *log)
{
	return log->joined;
}

uint64_t st_log_incomplete(const struct st_log *log)
{
	return log->incomplete;
}

size_t st_log_alive(const struct st_log *log)
{
	return log->tasks.n;
}

void st_log_free(struct st_log *log)
{
	if (!log)
		return;
	while (log->held) {
		struct st_held *h = log->held;

		log->held = h->next;
		free(h);
	}
	st_tasks_free(&log->tasks);
	map64_clear(&log->born);
	et_fini(&log->ev);
	buf_free(&log->path);
	buf_free(&log->text);
	free(log);
}
