// SPDX-License-Identifier: GPL-2.0
/* etrace attach: record a running process and its descendants from now on. */
#include "cli/command_line.h"
#include "cli/etrace.h"
#include "cli/inherit.h"
#include "cli/open_page.h"
#include "cli/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct command_line command_line = {
	.name = "attach", .synopsis = "PID\n--cgroup PATH [PID]",
	.about = "Record what process PID, its threads and all processes below it do from now on, until\n"
		 "the last of them ends or you press Ctrl-C; or, with --cgroup, what the processes of a\n"
		 "cgroup do until it is removed.",
	.example = PROG " attach -o server.fxt 4711\n",
	.options = { record_rows },
	.status = "0 success; 123 with --strict if the trace is incomplete; 125 if recording could not\n"
		  "start",
	.failed = EXIT_FAILED,
};

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

int record_attach(const struct record_options *o, const struct user *sudo, char **argv, pid_t pid)
{
	struct inherited kept;
	struct recording *r;
	sigset_t mask;
	bool complete;
	int err;

	/* checked first, so that the user gets this message even if no session can be opened */
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
		say("recording process %d and all below it%s; press Ctrl-C to stop", pid,
		    o->ncgroups ? ", and all processes of the cgroup" : "");
	else if (!o->quiet)
		say("recording all processes of the cgroup, now and later; press Ctrl-C to stop");
	record_loop(r, on_signal, r, true);
	if (o->no_output)
		record_keep_view(r);
	complete = record_end(r, -1);
	record_free(r);
	if (o->page && !access(o->page, F_OK))
		open_page(o->page, sudo, &mask, &kept);
	return o->strict && !complete ? EXIT_INCOMPLETE : 0;
}

bool is_pid(const char *s, pid_t *pid)
{
	char *end;
	long n = strtol(s, &end, 10);

	*pid = (pid_t)n;
	return !*end && n > 0 && n <= 1 << 30;
}

int cmd_attach(int argc, char **argv)
{
	struct record_options o = { 0 };
	struct user *sudo = NULL;
	struct opts opts;
	pid_t pid = 0;
	int ret;

	opts_init(&opts);
	ret = command_line_parse(&command_line, argc, argv, &opts);
	if (ret >= 0)
		goto out;
	ret = EXIT_FAILED;
	if (!record_options_take(&o, &opts))
		goto out;
	if (optind < argc - 1 || (optind == argc && !o.ncgroups)) {
		command_line_wrong(&command_line, "give the PID of one process, or a --cgroup");
		goto out;
	}
	if (optind < argc && !is_pid(argv[optind], &pid)) {
		say("attach: %s is not a PID", argv[optind]);
		goto out;
	}
	sudo = user_of_sudo();
	ret = record_attach(&o, sudo, argv, pid);
out:
	user_free(sudo);
	record_options_free(&o);
	opts_free(&opts);
	return ret;
}
