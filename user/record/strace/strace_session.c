// SPDX-License-Identifier: LGPL-2.1
/* Runs strace, and reads its log.  See strace_session.h. */
#include "record/strace/strace_session.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/container.h"
#include "base/xalloc.h"
#include "event/event.h"
#include "format/strace/st_log.h"
#include "format/strace/st_times.h"
#include "record/strace/guard.h"
#include "record/strace/look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Bytes of a string that strace prints; no program argument is longer (MAX_ARG_STRLEN). */
#define STRING_BYTES	"131072"
/* Number of bytes read at once, and by one pump(). */
#define READ_BYTES	65536u
#define PUMP_BYTES	(1u << 20)
/* Longest line in bytes: the arguments of a program, 6 MiB, with up to 4 bytes for each. */
#define LINE_MAX	(48u << 20)
/* After the command has ended: how long the log must be quiet, and longest wait, in ms. */
#define GRACE_MS	100
#define GONE_MS		2000

static const char place_name[] = "strace";

const char strace_session_costs[] =
	"slower and less detailed (and LeakSanitizer is off), because neither the module nor BPF can be used here";

static const struct diag_kind cut_lines = {
	"lines of strace, cut", DIAG_DAMAGE };
static const struct diag_kind strace_gone = {
	"tasks that went on unrecorded after strace had ended", DIAG_DAMAGE };

struct strace_session {
	struct session base;
	struct diag *diag;
	struct st_log *log;
	struct st_log_options options;
	struct st_times times;
	struct rec_tally tally;
	int64_t realtime;	/* CLOCK_REALTIME - CLOCK_MONOTONIC at the beginning, ns */
	struct look look;
	struct st_asks asks;
	const char *pidns;	/* strace's option for pids of pid namespaces, NULL if none */
	char *lsan;		/* "LSAN_OPTIONS=...", which turns leak checks off */
	int guard;		/* see guard_start(); -1 if none */
	char dir[64], fifo[80];	/* "" if removed */
	int fd;			/* descriptor of the log */
	struct buf text;	/* the part of the log that was read but not parsed */
	uint64_t bytes, number;
	bool began, ended;	/* strace has begun the log; has closed it */
	bool stopped;
	int err;
	char *cwd;
	char *command;		/* strace's option -e trace= */
	char **argv;		/* the command that wrap() returned */
};

static struct strace_session *session_of(const struct session *base)
{
	return container_of((struct session *)(uintptr_t)base, struct strace_session, base);
}

static void remove_fifo(struct strace_session *s)
{
	if (!*s->fifo)
		return;
	unlink(s->fifo);
	rmdir(s->dir);
	*s->fifo = 0;
}

/* ---- the log ---- */

static void take_line(struct strace_session *s, const char *line, size_t len)
{
	struct st_place place = { .file = place_name, .number = ++s->number, .pid = -1 };
	struct st_line l;
	uint64_t at;
	int err;

	st_line_parse(&l, line, len);
	if (l.class == ST_NOTHING)
		return;
	at = st_time(&s->times, &l);
	/* strace uses CLOCK_REALTIME, which can be set meanwhile; traces use CLOCK_MONOTONIC */
	s->look.realtime = s->realtime + s->times.ahead;
	at = at > (uint64_t)s->realtime ? at - (uint64_t)s->realtime : 0;
	s->tally.records++;
	s->tally.last_time = at;
	err = st_log_line(s->log, &l, at, &place);
	s->tally.events = st_log_events(s->log);
	s->tally.incomplete = st_log_incomplete(s->log);
	if (err && !s->err)
		s->err = err;
}

/* Parse all complete lines that were read. */
static void take_lines(struct strace_session *s)
{
	const char *at = s->text.s, *end = at + s->text.len, *nl;

	s->times.now = (uint64_t)(clock_ns(CLOCK_MONOTONIC) + s->realtime);
	while (at < end && (nl = memchr(at, '\n', (size_t)(end - at)))) {
		take_line(s, at, (size_t)(nl - at));
		at = nl + 1;
	}
	s->text.len = (size_t)(end - at);
	if (s->text.len && at > s->text.s)
		memmove(s->text.s, at, s->text.len);
}

/* Return: the number of bytes read, 0 if there are none now. */
static size_t read_some(struct strace_session *s)
{
	ssize_t n = read(s->fd, buf_room(&s->text, READ_BYTES), READ_BYTES);

	if (n > 0) {
		s->text.len += (size_t)n;
		s->bytes += (size_t)n;
		s->began = true;
		take_lines(s);
		if (s->text.len > LINE_MAX) {
			s->text.len = 0;	/* too long to be a line of strace */
			diag_count(s->diag, &cut_lines, 1);
		}
		return (size_t)n;
	}
	if (!n)
		s->ended = s->began;
	else if (errno != EAGAIN && errno != EINTR && !s->err)
		s->err = -errno;
	return 0;
}

static int strace_pump(struct session *base)
{
	struct strace_session *s = session_of(base);
	size_t n, all = 0;

	do {
		n = read_some(s);
		all += n;
	} while (n && all < PUMP_BYTES && !s->err);
	/* once strace has opened the FIFO, its name is no longer needed */
	if (s->began)
		remove_fifo(s);
	return s->err ? s->err : n > 0;
}

static void strace_poll(struct session *base, struct pollfd *fds)
{
	fds[0] = (struct pollfd){ .fd = session_of(base)->fd, .events = POLLIN };
}

static bool strace_idle(struct session *base)
{
	return session_of(base)->ended;
}

/* ---- the command ---- */

/*
 * The last option prints seccomp filters of programs in full.
 *
 * Not --seccomp-bpf: the system calls of a task that strace does not trace (CLONE_UNTRACED)
 * would fail, and set-user-ID programs would not get their privileges (no_new_privs).
 */
static char *const options[] = {
	"strace", "-D", "-f", "-q", "-ttt", "-T", "-yy", "-s", STRING_BYTES, "-e", "signal=!chld",
	"-e", (ST_RAW), "-e", "abbrev=!seccomp,prctl",
};
#define NOPTIONS (sizeof(options) / sizeof(options[0]))

/* Options to see all data written to descriptors 1 and 2, and to no others. */
static char *const show_output[] = { "-e", ST_RAW_OUTPUT, "-e", "write=1,2" };
#define NSHOW (sizeof(show_output) / sizeof(show_output[0]))

/* LeakSanitizer does not work in a traced process: programs built with it would fail at exit. */
static char *without_leaks(void)
{
	static const char name[] = "LSAN_OPTIONS", off[] = "detect_leaks=0";
	const char *old = getenv(name);
	struct buf b = { 0 };

	buf_adds(&b, name);
	buf_addc(&b, '=');
	if (old && *old) {
		buf_adds(&b, old);
		buf_addc(&b, ':');
	}
	buf_add(&b, off, sizeof(off));
	return b.s;
}

static char **strace_wrap(struct session *base, char **argv, uid_t uid)
{
	struct strace_session *s = session_of(base);
	size_t argc = 0, at = 0;

	if (chown(s->fifo, uid, (gid_t)-1) || chmod(s->dir, 0711))
		return NULL;
	if (s->guard < 0)
		s->guard = guard_start(s->dir, s->fifo);
	if (s->guard < 0) {
		errno = -s->guard;
		return NULL;
	}
	while (argv[argc])
		argc++;
	free(s->argv);
	s->argv = xcalloc(NOPTIONS + NSHOW + argc + 10, sizeof(*s->argv));
	for (size_t i = 0; i < NOPTIONS; i++)
		s->argv[at++] = options[i];
	if (s->pidns)
		s->argv[at++] = (char *)(uintptr_t)s->pidns;
	s->argv[at++] = "-E";
	s->argv[at++] = s->lsan;
	s->argv[at++] = "-o";
	s->argv[at++] = s->fifo;
	s->argv[at++] = "-e";
	s->argv[at++] = s->command;
	if (s->options.record >> ET_ENV & 1)
		s->argv[at++] = "-v";
	if (s->options.record >> ET_OUTPUT & 1)
		for (size_t i = 0; i < NSHOW; i++)
			s->argv[at++] = show_output[i];
	s->argv[at++] = "--";
	memcpy(s->argv + at, argv, argc * sizeof(*argv));
	return s->argv;
}

/* Does nothing: strace traces only what it starts. */
static int strace_add(struct session *base, pid_t pid)
{
	(void)base;
	(void)pid;
	return 0;
}

static void strace_forget(struct session *base)
{
	(void)base;
}

static int strace_tasks(struct session *base, struct session_task **list)
{
	const struct strace_session *s = session_of(base);
	size_t n = st_log_alive(s->log);
	uint64_t *upids = xcalloc(n + 1, sizeof(*upids));

	*list = xcalloc(n + 1, sizeof(**list));
	n = st_log_living(s->log, upids, n);
	for (size_t i = 0; i < n; i++) {
		(*list)[i].upid = upids[i];
		(*list)[i].pid = (int32_t)et_pid(upids[i], s->base.pid_bits);
	}
	free(upids);
	return (int)n;
}

/* ---- the end ---- */

/* Read the log up to the end of the command and the lines that follow it directly. */
static void read_end(struct strace_session *s)
{
	struct pollfd fd = { .fd = s->fd, .events = POLLIN };
	int64_t until = clock_ns(CLOCK_MONOTONIC) + GONE_MS * 1000000ll;

	while (!s->ended && !s->err) {
		bool first = st_log_first_lives(s->log) || !s->began;

		if (read_some(s))
			continue;
		if (s->ended || (poll(&fd, 1, GRACE_MS) <= 0 && !first) ||
		    clock_ns(CLOCK_MONOTONIC) > until)
			break;
	}
}

/* Make strace detach from programs that outlive the command. */
static void release_outliving(struct strace_session *s)
{
	struct session_task *list;
	bool done = false;
	int n = s->base.ops->tasks(&s->base, &list);

	for (int i = 0; i < n && !done; i++)
		done = guard_release(list[i].pid, s->dir);
	free(list);
}

static int strace_stop(struct session *base)
{
	struct strace_session *s = session_of(base);
	int err;

	if (s->stopped)
		return s->err;
	s->stopped = true;
	read_end(s);
	if (!s->ended && s->began)
		release_outliving(s);
	err = st_log_end(s->log);
	base->env = st_log_env(s->log);
	if (s->ended && st_log_alive(s->log))
		diag_count(s->diag, &strace_gone, st_log_alive(s->log));
	if (s->ended && s->text.len)
		diag_count(s->diag, &cut_lines, 1);
	s->tally.events = st_log_events(s->log);
	if (!s->err)
		s->err = err;
	return 0;
}

static int strace_run_error(struct session *base)
{
	struct strace_session *s = session_of(base);

	read_end(s);
	return st_log_run_error(s->log);
}

static int strace_account(struct session *base, struct rec_account *a)
{
	const struct strace_session *s = session_of(base);

	*a = (struct rec_account){
		.module = {
			.records = s->tally.records,
			.strings_joined = st_log_joined(s->log),
		},
		.tally = &s->tally,
		.found = s->diag,
		.bytes = s->bytes,
		.buffer = READ_BYTES,
		.read_error = s->err < 0 ? -s->err : 0,
	};
	return 0;
}

static void strace_close(struct session *base)
{
	struct strace_session *s = session_of(base);

	remove_fifo(s);
	if (s->guard >= 0)
		close(s->guard);
	if (s->fd >= 0)
		close(s->fd);
	st_log_free(s->log);
	diag_free(s->diag);
	buf_free(&s->text);
	free(s->argv);
	free(s->command);
	free(s->lsan);
	free(s->cwd);
	free(s);
}

/* ---- the session ---- */

static const struct session_ops ops = {
	.name = "strace",
	.wakes_for_a_reason = true,
	.close = strace_close,
	.wrap = strace_wrap,
	.add = strace_add,
	.forget = strace_forget,
	.idle = strace_idle,
	.tasks = strace_tasks,
	.run_error = strace_run_error,
	.poll = strace_poll,
	.pump = strace_pump,
	.stop = strace_stop,
	.account = strace_account,
};

/*
 * Run strace once, with an option, or none if NULL.  @said: set to the first line of its
 * output.  Return: its exit status, -1 if it has none.
 */
static int try_option(const char *option, char *said, size_t size)
{
	/* let strace trace a short command that certainly exists: strace itself */
	char *const end[] = { "-e", "trace=none", "-o", "/dev/null", "strace", "-V", NULL };
	char *argv[NOPTIONS + sizeof(end) / sizeof(end[0]) + 1];
	int out[2], status = 0;
	size_t at = 0;
	ssize_t n;
	pid_t pid;

	for (size_t i = 0; i < NOPTIONS; i++)
		if (strcmp(options[i], "-D") != 0)
			argv[at++] = options[i];
	if (option)
		argv[at++] = (char *)(uintptr_t)option;
	memcpy(argv + at, end, sizeof(end));
	*said = 0;
	if (pipe2(out, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		dup2(out[1], 1);
		dup2(out[1], 2);
		execvp(argv[0], argv);
		_exit(errno == ENOENT ? 127 : 126);
	}
	close(out[1]);
	n = read(out[0], said, size - 1);
	close(out[0]);
	waitpid(pid, &status, 0);
	said[n > 0 ? n : 0] = 0;
	said[strcspn(said, "\n")] = 0;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Test whether strace can trace, and which option it has.  Return: false with @why set. */
static bool try_strace(struct strace_session *s, char *why, size_t size)
{
	/* options of strace from 5.15 on, from 5.9 on, and before */
	static const char *const pidns[] = { "--decode-pids=pidns", "--pidns-translation", NULL };
	pid_t tracer = guard_tracer(0);
	char said[256];
	int status = -1;

	if (tracer > 0) {
		snprintf(why, size, "etrace is itself traced by process %d (strace, gdb or another recording by strace): a process can have only one tracer",
			 (int)tracer);
		return false;
	}
	for (size_t i = 0; i < sizeof(pidns) / sizeof(pidns[0]) && status && status != 127; i++) {
		s->pidns = pidns[i];
		status = try_option(pidns[i], said, sizeof(said));
	}
	if (status == 127)
		snprintf(why, size, "strace is not installed: apt-get install strace");
	else if (status)
		snprintf(why, size, "strace cannot trace here; in a container it needs the capability SYS_PTRACE or a seccomp profile that allows ptrace (%s)",
			 said);
	return !status;
}

static bool make_fifo(struct strace_session *s, char *why, size_t size)
{
	const char *tmp = getenv("TMPDIR");

	if (!tmp || *tmp != '/' || strlen(tmp) > 40)
		tmp = "/tmp";
	snprintf(s->dir, sizeof(s->dir), "%s/etrace.XXXXXX", tmp);
	if (!mkdtemp(s->dir)) {
		snprintf(why, size, "cannot make a directory in %s: %s", tmp, strerror(errno));
		return false;
	}
	snprintf(s->fifo, sizeof(s->fifo), "%s/log", s->dir);
	if (!mkfifo(s->fifo, 0600))
		s->fd = open(s->fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (s->fd >= 0)
		return true;
	snprintf(why, size, "cannot make %s: %s", s->fifo, strerror(errno));
	remove_fifo(s);
	return false;
}

struct session *strace_session_open(const struct strace_options *opt, struct sink *sink,
				    char *why, size_t size)
{
	struct strace_session *s;

	s = xcalloc(1, sizeof(*s));
	s->fd = s->guard = -1;
	if (!try_strace(s, why, size) || !make_fifo(s, why, size)) {
		free(s);
		return NULL;
	}
	s->diag = diag_new(NULL, place_name);
	s->cwd = getcwd(NULL, 0);
	s->lsan = without_leaks();
	s->realtime = s->look.realtime = clock_to_real();
	s->asks = look_asks(&s->look);
	s->options = (struct st_log_options){
		.cwd = s->cwd, .asks = &s->asks, .record = opt->record,
		.keep_env = opt->keep_env, .no_comm = !opt->comm,
	};
	s->log = st_log_new(&s->options, sink, s->diag);
	s->command = st_log_calls(opt->record);
	s->base.ops = &ops;
	s->base.pid_bits = ET_DEFAULT_PID_BITS;
	s->base.nfds = 1;
	s->base.idle_fd = s->fd;
	s->base.tally = &s->tally;
	s->base.env = "";
	snprintf(s->base.about, sizeof(s->base.about), "strace%s", s->pidns ? "" :
		 " before 5.9: in pid namespaces, the parent of a task may be a guess");
	return &s->base;
}
