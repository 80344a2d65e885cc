// SPDX-License-Identifier: LGPL-2.1
/* Runs strace, and reads its log.  See strace_session.h. */
#include "strace/strace_session.h"
#include "base/buf.h"
#include "base/container.h"
#include "base/xalloc.h"
#include "build/event.h"
#include "import/strace/st_log.h"
#include "strace/look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What strace reads of a string: no argument of a program is longer (MAX_ARG_STRLEN). */
#define STRING_BYTES	"131072"
/* Read at once, and by one pump(). */
#define READ_BYTES	65536u
#define PUMP_BYTES	(1u << 20)
/* A line holds the arguments of a program, 6 MiB, each byte as 4. */
#define LINE_MAX	(48u << 20)
/* When the command has ended, what it was the last to do is waited for so long, in ms. */
#define GRACE_MS	100
#define GONE_MS		2000

static const char place_name[] = "strace";

const char strace_session_costs[] =
	"each call that is recorded stops the program twice, and what file was opened is not known by its number";

struct strace_session {
	struct session base;
	struct diag *diag;
	struct st_log *log;
	struct st_log_options options;
	struct st_times times;
	struct rec_tally tally;
	struct look look;
	struct st_asks asks;
	char dir[64], fifo[80];	/* "": gone */
	int fd;			/* the log */
	struct buf text;	/* of it, not taken apart yet */
	uint64_t bytes, number;
	bool began, ended;	/* strace has written; has closed it */
	bool stopped;
	int err;
	char *cwd;
	char *command;		/* strace's option -e trace= */
	char **argv;		/* that wrap() made */
};

static struct strace_session *of(const struct session *base)
{
	return container_of((struct session *)(uintptr_t)base, struct strace_session, base);
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
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
	/* strace's clock is CLOCK_REALTIME, that of traces CLOCK_MONOTONIC */
	at = at > (uint64_t)s->look.realtime ? at - (uint64_t)s->look.realtime : 0;
	s->tally.records++;
	s->tally.last_time = at;
	err = st_log_line(s->log, &l, at, &place);
	s->tally.events = st_log_events(s->log);
	s->tally.incomplete = st_log_incomplete(s->log);
	if (err && !s->err)
		s->err = err;
}

/* All whole lines that were read. */
static void take_lines(struct strace_session *s)
{
	const char *at = s->text.s, *end = at + s->text.len, *nl;

	while (at < end && (nl = memchr(at, '\n', (size_t)(end - at)))) {
		take_line(s, at, (size_t)(nl - at));
		at = nl + 1;
	}
	s->text.len = (size_t)(end - at);
	if (s->text.len && at > s->text.s)
		memmove(s->text.s, at, s->text.len);
}

/* Return: bytes that were read, 0: there are none now. */
static size_t read_some(struct strace_session *s)
{
	ssize_t n = read(s->fd, buf_room(&s->text, READ_BYTES), READ_BYTES);

	if (n > 0) {
		s->text.len += (size_t)n;
		s->bytes += (size_t)n;
		s->began = true;
		take_lines(s);
		if (s->text.len > LINE_MAX)
			s->text.len = 0;	/* no line is so long */
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
	struct strace_session *s = of(base);
	size_t n, all = 0;

	do {
		n = read_some(s);
		all += n;
	} while (n && all < PUMP_BYTES && !s->err);
	/* once strace has opened it nobody else has to */
	if (s->began)
		remove_fifo(s);
	return s->err ? s->err : n > 0;
}

static void strace_poll(struct session *base, struct pollfd *fds)
{
	fds[0] = (struct pollfd){ .fd = of(base)->fd, .events = POLLIN };
}

static bool strace_idle(struct session *base)
{
	return of(base)->ended;
}

/* ---- the command ---- */

static char **strace_wrap(struct session *base, char **argv, uid_t uid)
{
	static char *const options[] = {
		"strace", "-D", "-f", "--seccomp-bpf", "-q", "-ttt", "-T", "-y",
		"-s", STRING_BYTES, "-e", "signal=!chld", "-e", ST_RAW, "-o",
	};
	const size_t n = sizeof(options) / sizeof(options[0]);
	struct strace_session *s = of(base);
	size_t argc = 0, at = 0;

	if (chown(s->fifo, uid, (gid_t)-1) || chmod(s->dir, 0711))
		return NULL;
	while (argv[argc])
		argc++;
	free(s->argv);
	s->argv = xcalloc(n + argc + 7, sizeof(*s->argv));
	for (size_t i = 0; i < n; i++)
		s->argv[at++] = options[i];
	s->argv[at++] = s->fifo;
	s->argv[at++] = "-e";
	s->argv[at++] = s->command;
	if (s->options.record >> ET_ENV & 1)
		s->argv[at++] = "-v";
	s->argv[at++] = "--";
	memcpy(s->argv + at, argv, argc * sizeof(*argv));
	return s->argv;
}

/* strace traces only what it starts. */
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
	const struct strace_session *s = of(base);
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

/* Read to the end of what the command did: its own end, and what came with it. */
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

/*
 * Somebody has to read what strace goes on to write: it cannot let go of programs with a
 * seccomp filter, and they stand still when it does.
 */
static void read_on_behind(const struct strace_session *s)
{
	char bytes[READ_BYTES];
	pid_t pid = fork();
	int null;

	if (pid) {
		if (pid > 0)
			waitpid(pid, NULL, 0);
		return;
	}
	/* nobody waits for it, and it keeps nothing of its parent's open */
	if (setsid() < 0 || fork())
		_exit(0);
	null = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	if (dup2(s->fd, 3) < 0 || fcntl(3, F_SETFL, 0) || chdir("/"))
		_exit(0);
	close_range(4, ~0u, 0);
	while (read(3, bytes, sizeof(bytes)) > 0)
		;
	_exit(0);
}

static int strace_stop(struct session *base)
{
	struct strace_session *s = of(base);
	int err;

	if (s->stopped)
		return s->err;
	s->stopped = true;
	read_end(s);
	if (!s->ended && s->began)
		read_on_behind(s);
	err = st_log_end(s->log);
	s->tally.events = st_log_events(s->log);
	if (!s->err)
		s->err = err;
	return 0;
}

static int strace_account(struct session *base, struct rec_account *a)
{
	const struct strace_session *s = of(base);

	*a = (struct rec_account){
		.module = {
			.records = s->tally.records,
			/* strace is gone, and they are not */
			.lost_tasks = s->ended || !s->began ? st_log_alive(s->log) : 0,
			.strings_joined = st_log_joined(s->log),
			.strings_cut = diag_total(s->diag, &st_cut_strings),
		},
		.tally = &s->tally,
		.bytes = s->bytes,
		.buffer = READ_BYTES,
		.read_error = s->err < 0 ? -s->err : s->text.len ? EBADMSG : 0,
	};
	return 0;
}

static void strace_close(struct session *base)
{
	struct strace_session *s = of(base);

	remove_fifo(s);
	if (s->fd >= 0)
		close(s->fd);
	st_log_free(s->log);
	diag_free(s->diag);
	buf_free(&s->text);
	free(s->argv);
	free(s->command);
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
	.poll = strace_poll,
	.pump = strace_pump,
	.stop = strace_stop,
	.account = strace_account,
};

/* Run strace once, to see whether it can.  Return: false with what it says. */
static bool try_strace(char *why, size_t size)
{
	static const char failed[] =
		"strace cannot trace here; in a container it needs the capability SYS_PTRACE or a seccomp profile that allows ptrace";
	char said[256] = "";
	int out[2], status = 0;
	ssize_t n;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC))
		return false;
	pid = fork();
	if (!pid) {
		dup2(out[1], 1);
		dup2(out[1], 2);
		execlp("strace", "strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=none",
		       "-e", ST_RAW, "-o", "/dev/null", "/proc/self/exe", "--version", NULL);
		_exit(errno == ENOENT ? 127 : 126);
	}
	close(out[1]);
	n = read(out[0], said, sizeof(said) - 1);
	close(out[0]);
	waitpid(pid, &status, 0);
	if (pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	said[n > 0 ? n : 0] = 0;
	said[strcspn(said, "\n")] = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		snprintf(why, size, "there is no strace: apt-get install strace");
	else
		snprintf(why, size, "%s (%s)", failed, said);
	return false;
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

	if (!try_strace(why, size))
		return NULL;
	s = xcalloc(1, sizeof(*s));
	s->fd = -1;
	if (!make_fifo(s, why, size)) {
		free(s);
		return NULL;
	}
	s->diag = diag_new(NULL, place_name);
	s->cwd = getcwd(NULL, 0);
	s->look.realtime = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
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
	snprintf(s->base.about, sizeof(s->base.about), "strace");
	return &s->base;
}
