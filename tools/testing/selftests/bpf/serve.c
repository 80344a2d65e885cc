// SPDX-License-Identifier: GPL-2.0
/*
 * The BPF backend instead of the module, for the module's selftests: commands
 * arrive on a socket as they would be written to the module's files, and lines
 * go to a file.
 *
 *	serve SOCKET LINES RECORD KEEP [-c]
 *					-c: with changes of thread names; RECORD: events
 *					to record on request, as in etrace's --record, ""
 *					for none; KEEP: as in --keep-env
 *	serve --ask SOCKET COMMAND	send a command to a server; prints the answer
 *
 * ETRACE_REFUSE_STORAGE, in the environment: refuse_storage of struct bpf_options.
 *
 * Commands, one per connection: "root_pid N", "extended Y|N", "counter NAME",
 * "flush lines", "value root_pid|trace_thread_names", "quit". The answer is a number; -errno on
 * error.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "record/bpf/bpf_session.h"
#include "format/lines/lines_format.h"

struct filter {
	struct sink sink;
	struct sink *to;
	bool extended, comm;
};

/* The line format without "extended" has no lines for closes by execve. */
static bool is_execve_close(const struct et_event *ev)
{
	return ev->kind == ET_K_CLOSE && ev->given >> ET_V_CLOSE_execve & 1;
}

/* Without "extended", remove everything that the format document does not have. */
static int filter_item(struct sink *s, const void *item)
{
	struct filter *f = (struct filter *)s;
	struct et_event ev = *(const struct et_event *)item;
	const struct et_kind_row *kind = &et_kinds[ev.kind];

	if (f->extended)
		return sink_item(f->to, &ev);
	if (kind->where != ET_ALWAYS || is_execve_close(&ev))
		return 0;
	for (unsigned int i = kind->row; i < kind->end; i++)
		if (et_rows[i].when == ET_EXTRA)
			ev.given &= (uint16_t)~et_rows[i].values;
	ev.error = 0;
	memset(ev.marks, 0, sizeof(ev.marks));
	return sink_item(f->to, &ev);
}

static long counter(struct session *s, const char *name)
{
	struct bpf_account a;

	bpf_session_account(s, &a);
	if (!strcmp(name, "strings_unread"))
		return (long)(a.programs.strings_unread + a.unresolved);
	if (!strcmp(name, "strings_untold"))
		return (long)a.untold;
	if (!strcmp(name, "records"))
		return (long)a.programs.events;
	if (!strcmp(name, "hooks_missed"))
		return (long)a.missed;
	if (!strcmp(name, "hooks_missing"))
		return a.hooks_missing;
	if (!strcmp(name, "storage_refused"))
		return (long)a.storage_refused;
	if (!strcmp(name, "rings_hooked"))
		return a.rings_hooked;
#define X(_name) if (!strcmp(name, #_name)) return (long)a.programs._name;
	EB_COUNTERS(X)
#undef X
	return 0;	/* a counter that only the module has */
}

static long obey(struct session *s, struct filter *f, struct out *out, int lines,
		 char *command)
{
	static pid_t root;
	char *value = strchr(command, ' '), *end;
	long err, pid;

	if (!value)
		return -EINVAL;
	*value++ = 0;
	if (!strcmp(command, "extended")) {
		f->extended = *value == 'Y';
		return 0;
	}
	if (!strcmp(command, "counter"))
		return counter(s, value);
	if (!strcmp(command, "flush")) {
		/*
		 * The newest events wait some ms by the clock, for others that may come before
		 * them.
		 */
		usleep(50000);
		err = s->ops->pump(s);
		return err ? err : out_flush(out);
	}
	if (!strcmp(command, "value"))
		return !strcmp(value, "root_pid") ? root : f->comm;
	pid = strtol(value, &end, 10);
	if (strcmp(command, "root_pid") || !*value || *end)
		return -EINVAL;
	if (!pid) {
		root = 0;
		err = bpf_session_release(s);
		return err ? err : out_flush(out);
	}
	if (s->ops->idle(s) && (ftruncate(lines, 0) || lseek(lines, 0, SEEK_SET)))
		return -errno;
	err = s->ops->add(s, (pid_t)pid);
	if (!err)
		root = (pid_t)pid;
	return err;
}

static int ask(const char *path, const char *command)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char text[64];
	ssize_t n;

	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    write(fd, command, strlen(command)) < 0)
		return 1;
	n = read(fd, text, sizeof(text));
	if (n <= 0)
		return 1;
	printf("%.*s\n", (int)n, text);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct sink_ops ops = { .item = filter_item };
	struct bpf_options opt = { .buffer = 64 << 20, .comm = argc > 5 };
	char keep[ET_KEEP_ENV_MAX] = "";
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct filter f = { .sink = { &ops }, .comm = argc > 5 };
	char why[512], command[256];
	struct session *s;
	struct out *out;
	int sock, lines;

	if (argc == 4 && !strcmp(argv[1], "--ask"))
		return ask(argv[2], argv[3]);
	if (argc < 5 || (*argv[3] && !et_on_request(argv[3], &opt.record)) ||
	    (*argv[4] && !et_keep_env(keep, argv[4])))
		return 2;
	opt.keep_env = keep;
	if (getenv("ETRACE_REFUSE_STORAGE"))
		opt.refuse_storage = (uint32_t)atoi(getenv("ETRACE_REFUSE_STORAGE"));
	lines = open(argv[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (lines < 0)
		return 1;
	out = out_fd(lines, 0);
	f.to = etrace_lines_open(&(struct sink_args){ .out = out, .source = "bpf" });
	s = bpf_session_open(&opt, &f.sink, why, sizeof(why));
	if (!s) {
		fprintf(stderr, "serve: %s\n", why);
		return 1;
	}
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", argv[1]);
	unlink(at.sun_path);
	sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(sock, (struct sockaddr *)&at, sizeof(at)) || listen(sock, 8))
		return 1;
	for (;;) {
		struct pollfd p = { sock, POLLIN, 0 };
		int fd;
		ssize_t n;

		s->ops->pump(s);
		if (poll(&p, 1, 5) <= 0)
			continue;
		fd = accept4(sock, NULL, NULL, SOCK_CLOEXEC);
		n = read(fd, command, sizeof(command) - 1);
		if (n > 0) {
			command[n] = 0;
			dprintf(fd, "%ld", obey(s, &f, out, lines, command));
		}
		close(fd);
		if (n > 0 && !strcmp(command, "quit"))
			break;
	}
	session_close(s);
	return 0;
}
