// SPDX-License-Identifier: GPL-2.0
/*
 * Records a command with the BPF programs, as etrace lines: the minimum that a
 * test needs. Prints every counter on standard error.
 *
 *	record [-o FILE] [-b BYTES] [-c] [--] COMMAND [ARG]...
 *	record --check			load and attach only
 *
 * Exit status: that of the command; 125 if it could not be recorded, 123 if
 * something is missing.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/bpf/bpf_session.h"
#include "format/lines/lines_format.h"

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "record: %s: %s\n", what, why);
	return 125;
}

static bool tell(struct session *s)
{
	struct bpf_account a;

	bpf_session_account(s, &a);
#define X(name) fprintf(stderr, "%s %" PRIu64 "\n", #name, (uint64_t)a.programs.name);
	EB_COUNTERS(X)
#undef X
	fprintf(stderr, "missed %" PRIu64 "\nhooks_missing %u\nlimited %d\n", a.missed,
		a.hooks_missing, a.limited);
	fprintf(stderr, "received %" PRIu64 "\ndamaged %" PRIu64 "\nlate %" PRIu64
		"\nresolved_later %" PRIu64 "\nunresolved %" PRIu64 "\nuntold %" PRIu64 "\n",
		a.tally->records, a.damaged, a.tally->late, a.resolved, a.unresolved, a.untold);
	return a.tally->records == a.programs.events && !a.programs.lost_records &&
	       !a.programs.lost_tasks && !a.missed && !a.damaged;
}

int main(int argc, char **argv)
{
	struct bpf_options opt = { 0 };
	const char *file = "/dev/stdout";
	struct session *s;
	struct sink *sink;
	struct out *out;
	bool check = false, whole;
	int go[2], status = 0, err, c;
	char why[512];
	pid_t pid;

	if (argc > 1 && !strcmp(argv[1], "--check")) {
		check = true;
		file = "/dev/null";
		argc = optind = 1;
	}
	while (!check && (c = getopt(argc, argv, "+o:b:c")) != -1) {
		if (c == 'o')
			file = optarg;
		else if (c == 'b')
			opt.buffer = strtoull(optarg, NULL, 0);
		else if (c == 'c')
			opt.comm = true;
		else
			return 125;
	}
	if (!check && optind == argc)
		return fail("usage", "record [-o FILE] [-b BYTES] [-c] COMMAND [ARG]...");
	out = out_create(file, &err);
	if (!out)
		return fail(file, strerror(-err));
	sink = etrace_lines_open(&(struct sink_args){ .out = out, .source = "bpf" });
	s = bpf_session_open(&opt, sink, why, sizeof(why));
	if (!s)
		return fail("session", why);
	if (check)
		return 0;

	if (pipe2(go, O_CLOEXEC))
		return fail("pipe", strerror(errno));
	pid = fork();
	if (!pid) {
		char byte;

		close(go[1]);
		if (read(go[0], &byte, 1) < 0)
			_exit(125);
		/* do not close the pipe: traced closes would be recorded */
		execvp(argv[optind], argv + optind);
		_exit(127);
	}
	err = s->ops->add(s, pid);
	if (err) {
		kill(pid, SIGKILL);
		return fail("cannot trace", strerror(-err));
	}
	close(go[1]);
	while (!waitpid(pid, &status, WNOHANG) || !s->ops->idle(s)) {
		struct pollfd p;

		s->ops->poll(s, &p);
		poll(&p, 1, 20);
		s->ops->pump(s);
		if (waitpid(pid, NULL, WNOHANG) < 0 && s->ops->idle(s))
			break;
	}
	s->ops->stop(s);
	sink_end(sink);
	whole = tell(s);
	session_close(s);
	sink_free(sink);
	out_close(out);
	if (!whole)
		return 123;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
