// SPDX-License-Identifier: GPL-2.0
/* etrace attach: record what a process and all below it do from now on. */
#include "cli/etrace.h"
#include "cli/inherit.h"
#include "cli/open_page.h"
#include "cli/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void usage(FILE *to)
{
	fputs("Usage: " PROG " attach [OPTION]... PID\n"
	      "       " PROG " attach [OPTION]... --cgroup PATH [PID]\n"
	      "Record what the process PID, its threads and all processes below it do from now\n"
	      "on, until none of them lives or until Ctrl-C; or those in a cgroup, until it is\n"
	      "removed or until Ctrl-C.\n\n", to);
}

static void help(void)
{
	usage(stdout);
	record_help();
	fputs("\nExit status: 0; 123 with --strict if the trace is not complete; 125 if tracing\n"
	      "could not start.\n", stdout);
}

static bool on_signal(void *ctx, const struct signalfd_siginfo *info)
{
	struct recording *r = ctx;

	switch (info->ssi_signo) {
	case SIGINT:
	case SIGTERM:
	case SIGHUP:
	case SIGQUIT:
		return false;
	case SIGTSTP:
		record_pause(r);
		kill(getpid(), SIGSTOP);
		return true;
	default:
		return true;
	}
}

static int attach(const struct record_options *o, const struct user *sudo, char **argv,
		  pid_t pid)
{
	struct inherited kept;
	struct recording *r;
	sigset_t mask;
	bool complete;
	int err;

	/* before all that may be in the way of a session */
	if (pid && kill(pid, 0) && errno == ESRCH) {
		say("attach %d: no such process", pid);
		return EXIT_FAILED;
	}
	inherit_own(&kept);
	r = record_new(o, sudo);
	if (!r)
		return EXIT_FAILED;
	record_command(r, argv);
	record_signals(r, &mask);
	err = pid ? record_session(r)->ops->add(record_session(r), pid) : 0;
	if (err) {
		say("attach %d: %s", pid, err == -ESRCH ? "no such process" : strerror(-err));
		record_free(r);
		return EXIT_FAILED;
	}
	record_begun(r);
	record_present(r);
	if (!o->quiet && pid)
		say("recording process %d and all below it%s; Ctrl-C ends it", pid,
		    o->ncgroups ? ", and who is in the cgroup" : "");
	else if (!o->quiet)
		say("recording who is in the cgroup, now and later; Ctrl-C ends it");
	record_loop(r, on_signal, r, true);
	complete = record_end(r, -1);
	record_free(r);
	if (o->page && !access(o->page, F_OK))
		open_page(o->page, sudo, &mask, &kept);
	return o->strict && !complete ? EXIT_INCOMPLETE : 0;
}

int cmd_attach(int argc, char **argv)
{
	static const struct option table[] = { RECORD_LONG, { 0 } };
	static const struct record_texts texts = { usage, help };
	struct record_options o = { 0 };
	struct user *sudo = NULL;
	int opt, ret = EXIT_FAILED;
	char *end;
	long pid = 0;

	while ((opt = getopt_long(argc, argv, RECORD_SHORT, table, NULL)) != -1)
		if (!record_option(&o, opt, optarg, &texts, &ret))
			goto out;
	if (!record_options_end(&o))
		goto out;
	if (optind < argc - 1 || (optind == argc && !o.ncgroups)) {
		say("attach: say the PID of one process, or a --cgroup");
		usage(stderr);
		goto out;
	}
	if (optind < argc) {
		errno = 0;
		pid = strtol(argv[optind], &end, 10);
		if (errno || *end || pid <= 0 || pid > 1 << 30) {
			say("attach: %s is no PID", argv[optind]);
			goto out;
		}
	}
	sudo = user_of_sudo();
	ret = attach(&o, sudo, argv, (pid_t)pid);
out:
	user_free(sudo);
	record_options_free(&o);
	return ret;
}
