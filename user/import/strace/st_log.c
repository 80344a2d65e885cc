// SPDX-License-Identifier: LGPL-2.1
/* Whose lines they are, and in which order they become events.  See st_log.h. */
#include "import/strace/st_state.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

static const struct diag_kind no_begin = {
	"calls whose beginning is missing, passed over", DIAG_DAMAGE };
static const struct diag_kind no_end = {
	"calls that do not end as calls do, passed over", DIAG_DAMAGE };
static const struct diag_kind incomplete = {
	"events with something missing", DIAG_DAMAGE };
static const struct diag_kind unfinished = {
	"calls that were not finished when the log ends", DIAG_NOTE };
static const struct diag_kind foreign = {
	"lines that are not strace's, passed over", DIAG_NOTE };
static const struct diag_kind guessed = {
	"tasks whose parent is a guess", DIAG_NOTE };

struct st_held {
	struct st_held *next;
	uint64_t at;
	struct st_place place;
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
	log->broken = -1;
	et_init(&log->ev);
	return log;
}

struct et_event *st_event(struct st_log *log, const struct st_task *task, enum et_kind kind)
{
	et_reset(&log->ev, kind, task->upid, 0, log->at);
	log->ev.place = log->place.number;
	return &log->ev;
}

void st_put(struct st_log *log)
{
	et_end(&log->ev);
	if (et_check(&log->ev)) {
		log->incomplete++;
		diag_report(log->diag, &incomplete, log->place.file, DIAG_LINE,
			    log->place.number, NULL);
	}
	log->events++;
	log->joined += (unsigned int)__builtin_popcount(log->ev.marks[ET_JOINED]);
	if (!log->err)
		log->err = sink_item(log->sink, &log->ev);
}

/* ---- tasks ---- */

static bool is_making(const struct st_task *task)
{
	return task->in_call && !task->child_told &&
	       st_makes_task((struct st_text){ task->call.s, task->call.len });
}

/* The only one that may have made a task, or the first that was found. */
static struct st_task *some_maker(struct st_log *log)
{
	struct map64_slot *all = map64_sorted(&log->tasks.by_pid, map64_by_key);
	struct st_task *found = NULL;

	for (size_t i = 0; i < log->tasks.by_pid.n && !found; i++) {
		struct st_task *task = (struct st_task *)(uintptr_t)all[i].value;

		if (is_making(task))
			found = task;
	}
	free(all);
	if (!found && log->tasks.nameless && is_making(log->tasks.nameless))
		found = log->tasks.nameless;
	return found;
}

static struct st_task *begin_unknown(struct st_log *log, int64_t pid)
{
	const uint64_t *parent_pid = map64_get(&log->born, (uint64_t)pid);
	struct st_task *parent = NULL, *task;

	if (pid >= 0 && parent_pid)
		parent = st_tasks_find(&log->tasks, (int64_t)*parent_pid - 1);
	if (!parent && log->cloning) {
		parent = some_maker(log);
		if (parent)
			diag_count(log->diag, &guessed, 1);
	}
	/* the first task, of which lines without a pid have told */
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
	log->cloning -= is_making(parent);
	parent->child_told = true;
	return st_child(log, parent, pid, (struct st_text){ parent->call.s, parent->call.len },
			(struct st_text){ parent->args.s, parent->args.len });
}

/* Without a pid: strace leaves it out where only one task lives. */
static struct st_task *task_of(struct st_log *log, const struct st_line *line)
{
	int64_t pid = line->class == ST_CONTINUED ? log->broken :
		      line->pid >= 0 ? line->pid : log->place.pid;
	struct st_task *task = st_tasks_find(&log->tasks, pid);
	size_t i = 0;

	if (!task && pid < 0 && log->tasks.by_pid.n == 1)
		task = (struct st_task *)(uintptr_t)map64_each(&log->tasks.by_pid, &i)->value;
	return task ? task : begin_unknown(log, pid);
}

static void end_task(struct st_log *log, struct st_task *task, const struct st_line *line)
{
	bool killed = line->class == ST_KILLED;
	struct et_event *ev;

	if (task->process->tasks == 1)
		st_uses(log, task, false);
	ev = st_event(log, task, ET_K_EXIT);
	et_set_value(ev, ET_V_EXIT_status, killed ? 0 : line->end);
	if (killed) {
		et_set_value(ev, ET_V_EXIT_signal, line->end);
		et_set_value(ev, ET_V_EXIT_core, line->core);
	}
	st_put(log);
	log->cloning -= is_making(task);
	st_tasks_end(&log->tasks, task);
}

/* A thread called execve: the first thread is gone, and it takes its place. */
static void supersede(struct st_log *log, struct st_task *leader, const struct st_line *line)
{
	struct st_task *task = st_tasks_find(&log->tasks, line->end);
	static const struct st_line ended = { .class = ST_EXITED };
	int64_t pid = leader->pid;

	if (!task || task == leader || pid < 0)
		return;
	end_task(log, leader, &ended);
	st_tasks_move(&log->tasks, task, pid);
	task->took_place = task->in_call;
}

/* ---- lines ---- */

static void begin_call(struct st_log *log, struct st_task *task, const struct st_line *line)
{
	log->cloning -= is_making(task);
	task->call.len = task->args.len = 0;
	buf_add(&task->call, line->name.s, line->name.len);
	buf_add(&task->args, line->args.s, line->args.len);
	task->in_call = true;
	task->child_told = task->took_place = false;
	if (line->broken)
		log->broken = line->pid;
	log->cloning += is_making(task);
}

static void end_call(struct st_log *log, struct st_task *task, const struct st_line *line)
{
	struct st_line whole = *line;

	whole.name = (struct st_text){ task->call.s, task->call.len };
	if (!task->in_call || (line->class == ST_RESUMED &&
			       (task->call.len != line->name.len ||
				memcmp(task->call.s, line->name.s, line->name.len)))) {
		diag_report(log->diag, &no_begin, log->place.file, DIAG_LINE, log->place.number,
			    NULL);
		return;
	}
	log->cloning -= is_making(task);
	buf_add(&task->args, line->args.s, line->args.len);
	if (st_line_result(&whole, task->args.s, task->args.len)) {
		/* with --seccomp-bpf strace does not see its end: "= ?"; it was one */
		whole.has_value |= task->took_place;
		st_call(log, task, &whole);
	} else {
		diag_report(log->diag, &no_end, log->place.file, DIAG_LINE, log->place.number,
			    NULL);
	}
	task->in_call = task->child_told = task->took_place = false;
}

static void process(struct st_log *log, const struct st_line *line)
{
	struct st_task *task = task_of(log, line);

	switch (line->class) {
	case ST_CALL:
		log->cloning -= is_making(task);
		task->in_call = task->child_told = task->took_place = false;
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
		end_task(log, task, line);
		break;
	case ST_SUPERSEDED:
		supersede(log, task, line);
		break;
	case ST_NOTHING:
	case ST_FOREIGN:
		break;
	}
}

/* ---- lines that wait ---- */

/* A child's line, and the call that made it is not finished: whose child, that will tell. */
static bool must_wait(const struct st_log *log, int64_t pid)
{
	return log->cloning && pid >= 0 && !map64_get(&log->tasks.by_pid, (uint64_t)pid + 1) &&
	       !map64_get(&log->born, (uint64_t)pid);
}

/* What a line tells those that wait before it. */
static void note_born(struct st_log *log, const struct st_line *line, int64_t pid)
{
	struct st_line end = *line;

	if (line->class == ST_RESUMED && pid >= 0 && st_makes_task(line->name) &&
	    st_line_result(&end, line->args.s, line->args.len) && end.value > 0)
		map64_put(&log->born, (uint64_t)end.value, (uint64_t)pid + 1);
}

static void hold(struct st_log *log, const struct st_line *line)
{
	struct st_held *h = xmalloc(sizeof(*h) + line->whole.len);

	*h = (struct st_held){ .at = log->at, .place = log->place, .len = line->whole.len };
	memcpy(h->s, line->whole.s, h->len);
	*log->held_end = h;
	log->held_end = &h->next;
	log->nheld++;
	log->held_bytes += h->len;
}

/* Let go of what need not wait any more; @all: of everything. */
static void let_go(struct st_log *log, bool all)
{
	const struct st_place place = log->place;
	const uint64_t at = log->at;

	while (log->held) {
		struct st_held *h = log->held;
		bool full = all || log->nheld > ST_HELD_LINES || log->held_bytes > ST_HELD_BYTES;
		struct st_line line;

		st_line_parse(&line, h->s, h->len);
		if (!full && must_wait(log, line.pid >= 0 ? line.pid : h->place.pid))
			break;
		log->held = h->next;
		if (!log->held)
			log->held_end = &log->held;
		log->nheld--;
		log->held_bytes -= h->len;
		log->at = h->at;
		log->place = h->place;
		process(log, &line);
		free(h);
	}
	log->at = at;
	log->place = place;
	if (!log->held)
		map64_clear(&log->born);
}

int st_log_line(struct st_log *log, const struct st_line *line, uint64_t at,
		const struct st_place *place)
{
	int64_t pid = line->pid >= 0 ? line->pid : place->pid;

	log->at = at;
	log->place = *place;
	if (line->class == ST_FOREIGN)
		diag_report(log->diag, &foreign, place->file, DIAG_LINE, place->number, NULL);
	if (line->class == ST_FOREIGN || line->class == ST_NOTHING)
		return log->err;
	if (!log->held && !must_wait(log, pid)) {
		process(log, line);
		return log->err;
	}
	note_born(log, line, pid);
	hold(log, line);
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

/* What tasks that live on have done by their descriptors. */
static void tell_living(struct st_log *log)
{
	struct map64_slot *all = map64_sorted(&log->tasks.by_pid, map64_by_key);

	for (size_t i = 0; i < log->tasks.by_pid.n; i++)
		st_uses(log, (struct st_task *)(uintptr_t)all[i].value, false);
	free(all);
	if (log->tasks.nameless)
		st_uses(log, log->tasks.nameless, false);
}

int st_log_end(struct st_log *log)
{
	let_go(log, true);
	count_unfinished(log);
	tell_living(log);
	return log->err;
}

uint64_t st_log_events(const struct st_log *log)
{
	return log->events;
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

/* ---- times ---- */

#define DAY_NS 86400000000000ull
/* A line without a time is so much later than the one before it. */
#define UNTIMED_NS 1000u

uint64_t st_time(struct st_times *t, const struct st_line *line)
{
	uint64_t at = line->time;

	switch (line->clock) {
	case ST_UNTIMED:
		at = t->last + UNTIMED_NS;
		break;
	case ST_RELATIVE:
		at += t->last;
		break;
	case ST_DAY:
		/* midnight, unless somebody has only set the clock */
		if (at + DAY_NS / 2 < t->day)
			t->days += DAY_NS;
		t->day = at;
		at += t->days;
		break;
	case ST_EPOCH:
		break;
	}
	/* a call that took a while is told when it ends */
	if (line->class == ST_CALL && line->has_took && !t->apart && line->clock != ST_RELATIVE &&
	    line->clock != ST_UNTIMED)
		at += line->took;
	if (at < t->last)
		at = t->last;
	t->last = at;
	return at;
}
