// SPDX-License-Identifier: LGPL-2.1
/*
 * Inside the compilers: finds the programs of a trace that wrote time traces of themselves,
 * and writes the contents of those as slices within the program's slice.  See
 * Documentation/fxt-mapping.md.
 *
 * Memory: an entry for each file with such a name, a byte for each program, and one time
 * trace at a time.
 */
#include "format/fxt_events/etrace_fxt_event.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/xalloc.h"
#include "timeline/traced.h"
#include "format/json/chrome.h"

#include <stdlib.h>

/* maximum lag of file times behind the clock, ns */
#define COARSE		10000000
/* maximum clock value, ns: in 2065; the sum of two fits into 64 bits */
#define MAX_CLOCK	3000000000000000000ll
/* Maximum number of writes used to compute the difference of the clocks. */
#define MAX_DATES	65536u

struct file {
	char *path;		/* NULL if another file took its place */
	size_t len;
	uint32_t exec, koid;	/* the program that wrote it, and the koid of its process */
	bool profile;		/* TRACED_PROFILE */
	bool known;		/* last recorded size and mtime are known */
	int64_t size, mtime;
};

struct fxt_inside {
	const char *below;
	struct file *files;
	size_t n, cap;
	/* 1 + index of a file: by hash of path; by hash of process and descriptor */
	struct map64 by_path, by_fd;
	struct map64 reads;	/* by exec: 1 + index of the profile that it reads */
	uint8_t *execs;		/* TRACED_* */
	size_t execs_cap, nexecs;
	int64_t *dates;		/* CLOCK_REALTIME minus the clock of the trace, ns */
	size_t ndates, dates_cap;
	uint32_t koids;		/* number of koids given to threads so far */
	struct traced_faults faults;
};

struct fxt_inside *fxt_inside_new(const char *below)
{
	struct fxt_inside *s = xcalloc(1, sizeof(*s));

	s->below = below;
	return s;
}

void fxt_inside_free(struct fxt_inside *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->files[i].path);
	free(s->files);
	free(s->execs);
	free(s->dates);
	map64_clear(&s->by_path);
	map64_clear(&s->by_fd);
	map64_clear(&s->reads);
	buf_free(&s->faults.text);
	free(s);
}

/* ---- which program writes which file ---- */

static void mark_exec(struct fxt_inside *s, uint32_t exec, uint8_t bits)
{
	if (exec >= s->nexecs) {
		s->execs = xgrow(s->execs, &s->execs_cap, exec + 1, 1);
		memset(s->execs + s->nexecs, 0, exec + 1 - s->nexecs);
		s->nexecs = exec + 1;
	}
	s->execs[exec] |= bits;
}

void fxt_inside_exec(struct fxt_out *f, const struct et_event *ev)
{
	uint32_t exec = (uint32_t)f->timeline.t.nexecs;
	size_t n = ev->kind == ET_K_EXEC ? ev->nargs : 0;
	struct work_arg *args = xcalloc(n + 1, sizeof(*args));

	work_args(args, ev, n);
	mark_exec(f->inside, exec,
		  traced_asked((enum work_class)f->timeline.works[exec].class, args, n) ?
		  TRACED_ASKED : 0);
	free(args);
}

static struct file *file_of(const struct fxt_inside *s, const struct map64 *map, uint64_t key)
{
	const uint64_t *there = map64_get(map, key);

	return there && s->files[*there - 1].path ? &s->files[*there - 1] : NULL;
}

static uint64_t fd_key(const struct task *t, int64_t fd)
{
	return hash_two(t->process, (uint64_t)fd);
}

/* Makes this task the writer of a file. */
static void is_writer(struct fxt_out *f, struct file *file, const struct task *t)
{
	file->exec = timeline_events_exec(&f->timeline, t);
	file->koid = t->process;
}

static void on_open(struct fxt_out *f, const struct task *t, const struct et_event *ev)
{
	struct fxt_inside *s = f->inside;
	uint64_t fd = fd_key(t, et_value(ev, ET_V_OPEN_fd, -1)), key;
	bool writes = (et_value(ev, ET_V_OPEN_flags, 0) & O_ACCMODE) != O_RDONLY;
	enum traced_name what;
	struct file *file;
	const char *path;
	size_t len;

	map64_remove(&s->by_fd, fd);
	path = et_get_string(ev, ET_S_OPEN_name, &len);
	what = path ? traced_name_of(path, len) : TRACED_NONE;
	if (what == TRACED_NONE)
		return;
	key = hash_bytes(path, len);
	file = file_of(s, &s->by_path, key);
	if (!writes) {
		if (file && file->profile)
			map64_put(&s->reads, timeline_events_exec(&f->timeline, t),
				  (uint64_t)(file - s->files) + 1);
		return;
	}
	if (!file) {
		s->files = xgrow(s->files, &s->cap, s->n + 1, sizeof(*s->files));
		file = &s->files[s->n++];
		*file = (struct file){ .path = xstrndup(path, len), .len = len };
		file->profile = what == TRACED_PROFILE;
		map64_put(&s->by_path, key, s->n);
	}
	is_writer(f, file, t);
	file->known = false;
	map64_put(&s->by_fd, fd, (uint64_t)(file - s->files) + 1);
}

/* Notes size and mtime after a write, at a close or while the file stays open. */
static void on_written(struct fxt_out *f, const struct task *t, const struct et_event *ev,
		       int64_t fd, unsigned int wrote, unsigned int size, unsigned int mtime)
{
	struct fxt_inside *s = f->inside;
	struct file *file = file_of(s, &s->by_fd, fd_key(t, fd));

	if (!et_has(ev, size) || !et_has(ev, mtime))
		return;
	if (et_value(ev, wrote, 0) && s->ndates < MAX_DATES) {
		s->dates = xgrow(s->dates, &s->dates_cap, s->ndates + 1, sizeof(*s->dates));
		s->dates[s->ndates++] = (int64_t)((uint64_t)ev->val[mtime] - ev->time);
	}
	if (!file)
		return;
	if (et_value(ev, wrote, 0))
		is_writer(f, file, t);
	file->known = true;
	file->size = ev->val[size];
	file->mtime = ev->val[mtime];
}

static void on_rename(struct fxt_inside *s, const struct et_event *ev)
{
	size_t from_len, to_len;
	const char *from = et_get_string(ev, ET_S_RENAME_from, &from_len);
	const char *to = et_get_string(ev, ET_S_RENAME_to, &to_len);
	struct file *file, *other;
	uint64_t key;

	if (!from || !to || ev->flags & ET_F_FAILED)
		return;
	file = file_of(s, &s->by_path, hash_bytes(from, from_len));
	key = hash_bytes(to, to_len);
	other = file_of(s, &s->by_path, key);
	if (file == other)
		return;
	if (other) {
		free(other->path);
		other->path = NULL;
		map64_remove(&s->by_path, key);
	}
	if (!file)
		return;
	map64_remove(&s->by_path, hash_bytes(from, from_len));
	free(file->path);
	file->path = xstrndup(to, to_len);
	file->len = to_len;
	map64_put(&s->by_path, key, (uint64_t)(file - s->files) + 1);
}

static void on_dup(struct fxt_inside *s, const struct task *t, const struct et_event *ev)
{
	const uint64_t *there = map64_get(&s->by_fd, fd_key(t, et_value(ev, ET_V_DUP_oldfd, -1)));
	uint64_t key = fd_key(t, et_value(ev, ET_V_DUP_newfd, -1));

	if (there)
		map64_put(&s->by_fd, key, *there);
	else
		map64_remove(&s->by_fd, key);
}

void fxt_inside_event(struct fxt_out *f, const struct task *t, const struct et_event *ev)
{
	struct fxt_inside *s = f->inside;
	int64_t fd;

	switch (ev->kind) {
	case ET_K_OPEN:
		on_open(f, t, ev);
		break;
	case ET_K_CLOSE:
		fd = et_value(ev, ET_V_CLOSE_fd, -1);
		on_written(f, t, ev, fd, ET_V_CLOSE_wrote, ET_V_CLOSE_size, ET_V_CLOSE_mtime);
		map64_remove(&s->by_fd, fd_key(t, fd));
		break;
	case ET_K_USE:
		fd = et_value(ev, ET_V_USE_fd, -1);
		on_written(f, t, ev, fd, ET_V_USE_wrote, ET_V_USE_size, ET_V_USE_mtime);
		break;
	case ET_K_DUP:
		on_dup(s, t, ev);
		break;
	case ET_K_RENAME:
		on_rename(s, ev);
		break;
	}
}

/* ---- time traces that cannot be shown ---- */

static struct fxt_str as_text(struct fxt_out *f, const char *s, size_t len)
{
	if (utf8_valid(s, len))
		return fxt_str(s, utf8_cut(s, len, FXT_MAX_STRING));
	free(f->program);
	f->program = utf8_replace(s, len, &len);
	return fxt_str(f->program, utf8_cut(f->program, len, FXT_MAX_STRING));
}

/* Writes why a program's time trace is not shown; @file: NULL if unknown */
static void put_fault(struct fxt_out *f, uint32_t exec, const struct file *file, const char *fault)
{
	const char *label = timeline_events_label(&f->timeline, exec);
	const struct timeline_exec *e = &f->timeline.t.execs[exec];
	struct fxt_str text;

	begin_event(f, FXT_EV_INSTANT, f->timeline.begin + (uint64_t)e->until, NULL,
		    used_name(f, &f->name[N_INSIDE]), used_name(f, &f->name[N_NO_TRACE]));
	text = as_text(f, label, strlen(label));
	add_text(f, &f->name[N_PROGRAM], text.s, text.len);
	add_count(f, &f->name[N_PID], f->timeline.pids[e->process]);
	if (file) {
		text = as_text(f, file->path, file->len);
		add_text(f, &f->name[N_PATH], text.s, text.len);
	}
	add_text(f, &f->name[N_FAULT], fault, strlen(fault));
	end_event(f);
	traced_fault(&f->inside->faults, file ? file->path : label, file ? file->len : strlen(label),
		     fault);
}

static void on_missing(void *ctx, uint32_t exec)
{
	put_fault(ctx, exec, NULL, "should have written a time trace, but left none");
}

static void report_faults(struct fxt_out *f)
{
	struct fxt_inside *s = f->inside;

	for (uint32_t i = 1; i <= f->timeline.t.nexecs; i++)
		if (f->timeline.works[i].failed)
			mark_exec(s, i, TRACED_FAILED);
	mark_exec(s, (uint32_t)f->timeline.t.nexecs, 0);
	traced_missing(&f->timeline.t, s->execs, on_missing, f);
	traced_faults_end(&s->faults, f->diag);
}

/* ---- slices ---- */

static int by_date(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Uses the median of the dates, because some files have times that were set. */
static bool date_of_clock(struct fxt_inside *s, uint64_t now, int64_t *date)
{
	if (!s->ndates || now > MAX_CLOCK)
		return false;
	qsort(s->dates, s->ndates, sizeof(*s->dates), by_date);
	*date = s->dates[s->ndates / 2];
	return *date > -MAX_CLOCK && *date < MAX_CLOCK;
}

/* Threads other than the busiest get their own track, in the program's process. */
static uint32_t track_of(struct fxt_out *f, const struct chrome_trace *t, uint32_t thread,
			 uint32_t process)
{
	const char *name = chrome_text(t, t->threads[thread].name);
	uint32_t koid = ETRACE_FXT_INSIDE_KOID + f->inside->koids;

	if (koid >= PROCTAB_OWN_KOID)
		return 0;
	f->inside->koids++;
	if (!*name)
		name = "inside";
	fxt_thread_name(f->w, process, koid, fxt_str(name, utf8_cut(name, strlen(name), 255)));
	return koid;
}

static void put_slice(struct fxt_out *f, const struct chrome_trace *t, const struct chrome_slice *s,
		      const struct task *on)
{
	const char *name = chrome_text(t, s->name), *detail = chrome_text(t, s->detail);
	size_t len = strlen(name);

	begin_event(f, FXT_EV_DURATION_COMPLETE, (uint64_t)s->from, on,
		    used_name(f, &f->name[N_INSIDE]),
		    passing_name(f, len ? name : "?",
				 len ? utf8_cut(name, len, FXT_MAX_STRING) : 1));
	f->event.value = (uint64_t)s->to;
	if (*detail)
		add_text(f, &f->name[N_DETAIL], detail, strlen(detail));
	end_event(f);
}

static void put_trace(struct fxt_out *f, const struct chrome_trace *t, uint32_t koid)
{
	struct task on = { .koid = koid, .process = koid };
	uint32_t thread = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (t->slices[i].thread != thread) {
			thread = t->slices[i].thread;
			on.koid = track_of(f, t, thread, koid);
		}
		if (on.koid)
			put_slice(f, t, &t->slices[i], &on);
	}
}

/* The program that a trace is about: its writer, or the rustc whose profile the writer read. */
static const struct file *subject_file(const struct fxt_inside *s, const struct file *file)
{
	const uint64_t *profile = map64_get(&s->reads, file->exec);

	return profile && s->files[*profile - 1].exec ? &s->files[*profile - 1] : file;
}

static bool is_worth_reporting(const struct fxt_inside *s, const struct file *file, uint32_t exec,
			  enum chrome_fault fault)
{
	if (fault == CHROME_FOREIGN)
		return false;
	return fault == CHROME_DAMAGED || s->execs[exec] & TRACED_ASKED ||
	       traced_is_certain(file->path, file->len);
}

static void put_file(struct fxt_out *f, const struct file *file, const int64_t *date)
{
	struct fxt_inside *s = f->inside;
	const struct file *of = subject_file(s, file);
	const struct timeline_exec *e = &f->timeline.t.execs[of->exec],
		*w = &f->timeline.t.execs[file->exec];
	int64_t zero = (int64_t)f->timeline.begin, begin;
	struct chrome_was was = { file->known, file->size, file->mtime, 0, 0 };
	struct chrome_trace t = { 0 };
	enum chrome_fault fault;

	if (date) {
		was.from = zero + w->at + *date - COARSE;
		was.to = zero + w->until + *date + COARSE;
	}
	fault = chrome_read(&t, s->below, file->path, &was);
	if (fault == CHROME_OK) {
		begin = t.begin && date ? t.begin - *date : zero + e->at;
		chrome_place(&t, zero + e->at, zero + e->until, &begin);
		put_trace(f, &t, of->koid);
		mark_exec(s, of->exec, TRACED_REPORTED);
	} else if (is_worth_reporting(s, file, of->exec, fault)) {
		put_fault(f, of->exec, file, chrome_faults[fault]);
		mark_exec(s, of->exec, TRACED_REPORTED);
	}
	chrome_free(&t);
}

void fxt_out_put_inside(struct fxt_out *f)
{
	struct fxt_inside *s = f->inside;
	int64_t date;
	bool dated = date_of_clock(s, f->last_time, &date);

	mark_exec(s, (uint32_t)f->timeline.t.nexecs, 0);
	for (size_t i = 0; i < s->n; i++)
		if (s->files[i].path && !s->files[i].profile && s->files[i].exec)
			put_file(f, &s->files[i], dated ? &date : NULL);
	report_faults(f);
}
