// SPDX-License-Identifier: GPL-2.0
/*
 * A traced workload writes every line that it wants in the trace to memory that all its tasks
 * share. Then the trace is read and compared, task by task and line by line; no other line may be
 * in it.
 *
 * The functions that the traced child calls make no system calls that etrace records.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "etrace_test.h"

#define SHARED_SIZE	(8 << 20)

char et_dir[PATH_MAX];
const char *et_facts = "";
void (*et_trace_watch)(struct et_task *t, const struct et_line *l);

/* A wanted line or, with @any, a task whose lines are not compared. */
struct wanted {
	pid_t pid;
	uint32_t size;
	uint32_t len;
	bool any;
	bool done;
	char text[];
};

/* What a task of the workload asks et_run() to wait for. */
enum request { REQUEST_NONE, REQUEST_ENDED, REQUEST_LINKS };

struct shared {
	atomic_uint used;
	atomic_int ready;
	atomic_int go;
	atomic_int request;
	atomic_int request_pid;
	atomic_int root_gone;
	atomic_int failures;
	atomic_int counts[16];
	char data[SHARED_SIZE];
};

static struct shared *shared;

static const char * const losses[] = {
	"lost_records", "lost_disabled", "lost_tasks", "lost_fds", "rings_unseen",
	"strings_joined", "strings_unread", "strings_cut", "strings_untold",
	"overwritten", "hooks_missed", "hooks_missing",
};

/* ---- called by the child --------------------------------------------------- */

static pid_t own_tid(void)
{
	return syscall(SYS_gettid);
}

static void want_add(pid_t pid, bool any, const char *text, size_t len)
{
	size_t size = (sizeof(struct wanted) + len + 1 + 7) & ~7UL;
	size_t at = atomic_fetch_add(&shared->used, size);
	struct wanted *w = (void *)(shared->data + at);

	if (at + size > SHARED_SIZE) {
		CHILD_FAIL("too many lines are expected");
		_exit(1);
	}
	w->pid = pid;
	w->size = size;
	w->len = len;
	w->any = any;
	w->done = false;
	memcpy(w->text, text, len);
	w->text[len] = '\0';
}

static void want_va(pid_t pid, const char *fmt, va_list args)
{
	char text[2 * PATH_MAX];

	want_add(pid, false, text, vsnprintf(text, sizeof(text), fmt, args));
}

#define WANT_VA(_pid)					\
	do {						\
		va_list args;				\
							\
		va_start(args, fmt);			\
		want_va(_pid, fmt, args);		\
		va_end(args);				\
	} while (0)

void want(const char *fmt, ...)
{
	WANT_VA(own_tid());
}

void want_of(pid_t pid, const char *fmt, ...)
{
	WANT_VA(pid);
}

void want_extended(const char *fmt, ...)
{
	if (et_extended)
		WANT_VA(own_tid());
}

void want_extended_of(pid_t pid, const char *fmt, ...)
{
	if (et_extended)
		WANT_VA(pid);
}

void want_unlink(const char *path, int dir)
{
	want_extended("Unlink|fnamesize=%zu,dir=%d", strlen(path), dir);
	want_extended("UN|%s", path);
}

void want_named(const char *line, const char *tag, const char *path, const char *fmt, ...)
{
	char fields[256], size[32] = "";
	va_list args;

	va_start(args, fmt);
	vsnprintf(fields, sizeof(fields), fmt, args);
	va_end(args);
	if (path)
		snprintf(size, sizeof(size), "fnamesize=%zu%s", strlen(path),
			 fields[0] ? "," : "");
	want_extended("%s|%s%s", line, size, fields);
	if (path)
		want_extended("%s|%s", tag, path);
}

void want_named_joined(const char *joined)
{
	want_extended("Marks|joined=%s,unread=,cut=", joined);
	/* BPF always records it; only its reader leaves it out. */
	if (et_extended || et_bpf())
		want_joined(1);
}

void want_named_failed(const char *line, const char *joined, int err)
{
	want_extended("%sFailed|", line);
	want_extended("Failed|error=%d", err);
	if (joined)
		want_named_joined(joined);
}

/* Upids are known only from the trace: "@PID" is replaced with the upid of a task. */
void want_fork_of(pid_t parent, pid_t child)
{
	want_of(parent, "SchedFork|pid=@%d", child);
}

void want_fork(pid_t child)
{
	want_fork_of(own_tid(), child);
}

void want_forked(pid_t child)
{
	if (ET_BY_NEW)
		want("SysClone|flags=%d", SIGCHLD);
	want_fork(child);
}

void want_count(const char *counter, int n)
{
	size_t i;

	for (i = 0; i < ET_NELEMS(losses); i++)
		if (!strcmp(losses[i], counter))
			atomic_fetch_add(&shared->counts[i], n);
}

void want_joined(int n)
{
	want_count("strings_joined", n);
}

void want_any(pid_t pid)
{
	want_add(pid, true, "", 0);
}

void et_child_fail(const char *file, int line, const char *fmt, ...)
{
	int err = errno;
	char text[1024];
	va_list args;
	int n;

	n = snprintf(text, sizeof(text), "# %s:%d: in the child: ", file, line);
	errno = err;
	va_start(args, fmt);
	n += vsnprintf(text + n, sizeof(text) - n - 1, fmt, args);
	va_end(args);
	if (n > (int)sizeof(text) - 2)
		n = sizeof(text) - 2;
	text[n++] = '\n';
	if (write(STDOUT_FILENO, text, n) < 0)
		_exit(1);
	atomic_fetch_add(&shared->failures, 1);
}

/* Makes no recorded calls and opens no descriptors. */
static void request(enum request what, pid_t pid)
{
	atomic_store(&shared->request_pid, pid);
	atomic_store(&shared->request, what);
	while (atomic_load(&shared->request))
		usleep(1000);
}

void et_until_ended(pid_t pid)
{
	request(REQUEST_ENDED, pid);
}

void et_until_links_read(void)
{
	if (et_bpf())
		request(REQUEST_LINKS, 0);
}

void et_until_root_gone(void)
{
	while (!atomic_load(&shared->root_gone))
		usleep(1000);
}

const char *et_fd_path(int fd)
{
	static char bufs[4][PATH_MAX];
	static unsigned int next;
	char *buf = bufs[next++ % ET_NELEMS(bufs)];
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, buf, sizeof(bufs[0]) - 1);
	if (n < 0) {
		CHILD_FAIL("%s: %m", link);
		n = 0;
	}
	buf[n] = '\0';
	return buf;
}

/* ---- files ----------------------------------------------------------------- */

const char *et_path(const char *name)
{
	static char bufs[8][PATH_MAX * 2];
	static unsigned int next;
	char *buf = bufs[next++ % ET_NELEMS(bufs)];

	snprintf(buf, sizeof(bufs[0]), "%s/%s", et_dir, name);
	return buf;
}

void et_file(const char *name)
{
	MUST(close(MUST(open(et_path(name), O_CREAT | O_WRONLY, 0666))));
}

void et_mkdir(const char *name)
{
	MUST(mkdir(et_path(name), 0777));
}

/* Empty a directory step by step, because tests may leave trees deeper than PATH_MAX. */
static void dir_empty(int fd)
{
	DIR *dir = fdopendir(fd);
	struct dirent *e;
	int sub;

	if (!dir)
		return;
	while ((e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (!unlinkat(dirfd(dir), e->d_name, 0))
			continue;
		sub = openat(dirfd(dir), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
		if (sub >= 0)
			dir_empty(sub);
		if (unlinkat(dirfd(dir), e->d_name, AT_REMOVEDIR))
			et_note("cannot remove %s: %m",
				et_escape(e->d_name, strlen(e->d_name)));
	}
	closedir(dir);
}

static void dir_remove(void)
{
	int fd = et_dir[0] ? open(et_dir, O_RDONLY | O_DIRECTORY) : -1;

	if (fd < 0)
		return;
	dir_empty(fd);
	if (rmdir(et_dir))
		et_note("cannot remove %s: %m", et_dir);
	et_dir[0] = '\0';
}

/* Each case has a new directory, so that it cannot see the previous case's. */
__attribute__((constructor)) static void dir_forget(void)
{
	atexit(dir_remove);
}

void et_dir_new(void)
{
	dir_remove();
	strcpy(et_dir, "/tmp/etrace.XXXXXX");
	if (!mkdtemp(et_dir))
		DIE("mkdtemp: %m");
}

/* ---- lines that only some programs check ------------------------------------ */

/* Events and lines of the parameter "extended" that every program checks. */
static const char all_look_at[] = "UNLINK URING JOIN ExitSignal CommOf";

enum line_role { ROLE_BEGIN, ROLE_MIDDLE, ROLE_LAST, ROLE_FAILED, ROLE_MORE };
enum where {
	WHERE_ALWAYS, WHERE_EXTENDED, WHERE_PROBES, WHERE_DIRS, WHERE_ENV, WHERE_OUTPUT
};

/* Events, each followed by its lines. */
static const struct fact {
	const char *name;	/* as in et_facts */
	bool event;
	bool extra;		/* hidden unless the program checks it */
} facts[] = {
#define EVENT(ID, id, name, category, where, doc) { #ID, true, WHERE_##where != WHERE_ALWAYS },
#define LINE(ID, tag, role, when) { #tag, false, ROLE_##role == ROLE_MORE },
#include "../../../../../kernel/etrace_events.def"
};

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);
	const char *at = list;

	while ((at = strstr(at, word))) {
		if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ' '))
			return true;
		at += n;
	}
	return false;
}

static bool is_extra(const struct fact *f)
{
	return f->extra && !has_word(all_look_at, f->name) && !has_word(et_facts, f->name);
}

/* Whether nobody checks this line. @event: set to whether its event is hidden. */
static bool is_hidden(const struct et_line *l, bool *event)
{
	const struct fact *of = NULL;
	size_t i, n = strcspn(l->text, "|");

	for (i = 0; i < ET_NELEMS(facts); i++) {
		if (facts[i].event) {
			of = &facts[i];
		} else if (strlen(facts[i].name) == n && !strncmp(facts[i].name, l->text, n)) {
			*event = is_extra(of);
			return *event || is_extra(&facts[i]);
		}
	}
	/* Lines of a string, and lines that can follow every event. */
	return *event;
}

static void hide(struct et_task *t)
{
	bool event = false;
	size_t i, n = 0;

	for (i = 0; i < t->nr; i++) {
		if (is_hidden(&t->line[i], &event))
			free(t->line[i].text);
		else
			t->line[n++] = t->line[i];
	}
	t->nr = n;
}

/* ---- comparing -------------------------------------------------------------- */

static struct wanted *want_next(struct wanted *w)
{
	char *next = w ? (char *)w + w->size : shared->data;

	return next < shared->data + atomic_load(&shared->used) ?
		(struct wanted *)next : NULL;
}

static struct wanted *want_next_of(struct wanted *w, pid_t pid)
{
	do
		w = want_next(w);
	while (w && w->pid != pid);
	return w;
}

/* The wanted text, with the upid in place of "@PID". */
static const char *want_text(struct et_trace *tr, const struct wanted *w,
			     char *buf, size_t size)
{
	static const char * const heads[] = { "SchedFork|pid=@", "CommOf|upid=@" };
	struct et_task *t;
	size_t i, n;

	for (i = 0; i < ET_NELEMS(heads); i++) {
		n = strlen(heads[i]);
		if (strncmp(w->text, heads[i], n))
			continue;
		t = et_trace_pid(tr, atoi(w->text + n));
		if (!t)
			break;
		snprintf(buf, size, "%.*s%llu", (int)n - 1, heads[i],
			 (unsigned long long)t->upid);
		return buf;
	}
	return w->text;
}

static void compare_task(struct et_trace *tr, pid_t pid)
{
	struct et_task *t = et_trace_pid(tr, pid);
	struct wanted *w, *v;
	char buf[64];
	size_t i, n = 0;
	bool any = false;

	for (w = want_next_of(NULL, pid); w; w = want_next_of(w, pid)) {
		any |= w->any;
		w->done = true;
	}
	if (any)
		return;
	for (w = want_next_of(NULL, pid); w; w = want_next_of(w, pid), n++) {
		const char *text = want_text(tr, w, buf, sizeof(buf));

		if (t && n < t->nr && t->line[n].len == strlen(text) &&
		    !strcmp(t->line[n].text, text))
			continue;
		break;
	}
	if (!w && n == (t ? t->nr : 0))
		return;

	FAIL("the lines of task %d differ from line %zu on", pid, n + 1);
	for (v = w, i = 0; i < 4; i++) {
		et_note("  wanted: %s", v ? et_escape(v->text, v->len) : "(no more)");
		if (!v)
			break;
		v = want_next_of(v, pid);
	}
	for (i = n; i < n + 4; i++) {
		et_note("  printed: %s", t && i < t->nr ?
			et_escape(t->line[i].text, t->line[i].len) : "(no more)");
		if (!t || i >= t->nr)
			break;
	}
}

static void compare(struct et_trace *tr)
{
	struct wanted *w;
	size_t i;

	for (w = want_next(NULL); w; w = want_next(w))
		if (!w->done)
			compare_task(tr, w->pid);
	for (i = 0; i < tr->nr; i++) {
		pid_t pid = tr->task[i].upid & ((1 << ET_PID_BITS) - 1);

		if (tr->task[i].nr && !want_next_of(NULL, pid))
			FAIL("a task that nobody wants, %d, first line: %s", pid,
			     et_escape(tr->task[i].line[0].text,
				       tr->task[i].line[0].len));
	}
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void check_times(struct et_trace *tr, uint64_t from, uint64_t to)
{
	size_t i, j;

	for (i = 0; i < tr->nr; i++)
		for (j = 0; j < tr->task[i].nr; j++)
			if (tr->task[i].line[j].time < from ||
			    tr->task[i].line[j].time > to) {
				FAIL("time %llu lies outside of the run, %llu to %llu",
				     (unsigned long long)tr->task[i].line[j].time,
				     (unsigned long long)from,
				     (unsigned long long)to);
				return;
			}
}

/* The child: runs @fn and exits. */
static void child(void (*fn)(void))
{
	atomic_store(&shared->ready, 1);
	/* Makes no recorded calls and opens no descriptors. */
	while (!atomic_load(&shared->go))
		usleep(1000);
	fn();
	want("Exit|status=0");
	_exit(0);
}

static void shared_reset(void)
{
	size_t i;

	if (!shared) {
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (shared == MAP_FAILED)
			DIE("mmap: %m");
	}
	atomic_store(&shared->used, 0);
	atomic_store(&shared->ready, 0);
	atomic_store(&shared->go, 0);
	atomic_store(&shared->request, REQUEST_NONE);
	atomic_store(&shared->root_gone, 0);
	atomic_store(&shared->failures, 0);
	for (i = 0; i < ET_NELEMS(losses); i++)
		atomic_store(&shared->counts[i], 0);
}

/* ---- waiting ---------------------------------------------------------------- */

double et_seconds(void)
{
	return now() / 1e9;
}

/* The state of a task, 0 if there is no such task. */
static char state_of(pid_t pid)
{
	char path[32], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	/* names of our programs contain no parenthesis */
	if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (f)
		fclose(f);
	return state;
}

void et_until_state(pid_t pid, char state)
{
	if (!ET_UNTIL(state_of(pid) == state))
		FAIL("the state of task %d is '%c', must be '%c'", pid, state_of(pid), state);
}

void et_children(struct et_children *list)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", own_tid());
	f = fopen(path, "re");
	if (!f)
		DIE("%s: %m", path);
	for (list->nr = 0; list->nr < ET_NELEMS(list->pid); list->nr++)
		if (fscanf(f, "%d", &list->pid[list->nr]) != 1)
			break;
	fclose(f);
}

static bool is_listed(const struct et_children *list, pid_t pid)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (list->pid[i] == pid)
			return true;
	return false;
}

/* When a child ends, its children become ours, so list them again. */
void et_reap_orphans(const struct et_children *own)
{
	struct et_children now;
	size_t i;

	et_children(&now);
	for (i = 0; i < now.nr; ) {
		pid_t pid = now.pid[i];

		if (is_listed(own, pid)) {
			i++;
			continue;
		}
		if (!ET_UNTIL(waitpid(pid, NULL, WNOHANG | __WALL) == pid)) {
			FAIL("process %d does not end", pid);
			kill(pid, SIGKILL);
			MUST(waitpid(pid, NULL, __WALL));
		}
		et_children(&now);
		i = 0;
	}
}

/* The number of wanted links, and of links that the reader has printed. */
static size_t links_wanted(void)
{
	struct wanted *w;
	size_t n = 0;

	for (w = want_next(NULL); w; w = want_next(w))
		n += !strncmp(w->text, "SL|", 3);
	return n;
}

static size_t links_read(void)
{
	FILE *f;
	char *line = NULL;
	size_t size = 0, n = 0;

	et_param_write("flush", "lines");
	f = fopen(et_bpf_lines(), "re");
	if (!f)
		DIE("%s: %m", et_bpf_lines());
	while (getline(&line, &size, f) > 0)
		n += !!strstr(line, "!SL|");
	free(line);
	fclose(f);
	return n;
}

/* Wait for what a task of the workload asked for. */
static void serve_request(void)
{
	switch (atomic_load(&shared->request)) {
	case REQUEST_ENDED:
		et_until_state(atomic_load(&shared->request_pid), 'Z');
		break;
	case REQUEST_LINKS:
		if (!ET_UNTIL(links_read() >= links_wanted()))
			FAIL("the reader has not reported %zu links", links_wanted());
		break;
	}
	atomic_store(&shared->request, REQUEST_NONE);
}

pid_t et_sleeper(void)
{
	pid_t pid, parent = getpid();

	fflush(stdout);
	pid = MUST(fork());
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* a parent that has ended before prctl() sends no signal */
		if (getppid() != parent)
			_exit(0);
		for (;;)
			pause();
	}
	MUST(setpgid(pid, pid));
	return pid;
}

pid_t et_run(void (*fn)(void), struct et_trace *tr)
{
	long long before[ET_NELEMS(losses)], got, due;
	struct et_children own;
	uint64_t from;
	int fd, status, err;
	pid_t pid;
	size_t i;

	shared_reset();
	for (i = 0; i < ET_NELEMS(losses); i++)
		before[i] = et_counter(losses[i]);
	et_children(&own);

	fflush(stdout);
	pid = MUST(fork());
	if (!pid) {
		MUST(chdir(et_dir));
		child(fn);
	}
	while (!atomic_load(&shared->ready))
		usleep(1000);
	from = now();
	err = et_param_write_int("root_pid", pid);
	if (err)
		DIE("root_pid=%d: %s", pid, strerror(-err));
	atomic_store(&shared->go, 1);
	while (!MUST(waitpid(pid, &status, WNOHANG))) {
		serve_request();
		usleep(1000);
	}
	atomic_store(&shared->root_gone, 1);
	et_reap_orphans(&own);
	err = et_param_write("root_pid", "0");
	if (err)
		DIE("root_pid=0: %s", strerror(-err));

	et_trace_init(tr);
	tr->line = et_trace_watch;
	fd = et_trace_open();
	et_trace_read(tr, fd);
	close(fd);
	for (i = 0; i < tr->nr; i++)
		hide(&tr->task[i]);

	if (atomic_load(&shared->failures))
		FAIL("the workload failed");
	if (tr->bad)
		FAIL("%s", tr->bad);
	EXPECT_EQ(tr->lost, 0);
	check_times(tr, from, now());
	for (i = 0; i < ET_NELEMS(losses); i++) {
		got = et_counter(losses[i]) - before[i];
		due = atomic_load(&shared->counts[i]);
		if (due != ET_ANY && got != due)
			FAIL("counter %s grew by %lld, must be %lld", losses[i],
			     got, due);
	}
	return pid;
}

void et_traced(void (*fn)(void))
{
	struct et_trace tr;

	et_run(fn, &tr);
	et_trace_fold(&tr);
	compare(&tr);
	et_trace_free(&tr);
}

static void make_ring(void)
{
	struct { unsigned int word[30]; } params = { 0 };

	want_extended("IoUring|fd=%ld", CHILD_MUST(syscall(SYS_io_uring_setup, 1, &params)));
}

void et_see_rings(void)
{
	static bool seen;

	/* Before 6.1, BPF does not see them at all. */
	if (seen || !et_bpf() || !et_kernel_at_least(6, 1))
		return;
	et_traced(make_ring);
	seen = ET_UNTIL(et_counter("rings_hooked"));
	if (!seen)
		FAIL("what rings do is not recorded");
}
