// SPDX-License-Identifier: GPL-2.0
/* etrace run: run a command, and record it and everything that it starts. */
#include "cli/command_line.h"
#include "cli/etrace.h"
#include "cli/inherit.h"
#include "cli/open_page.h"
#include "cli/record.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Grace period in ms for processes that end together with the command. */
#define GRACE_MS 100

struct run {
	struct recording *rec;
	pid_t pid;
	int status;		/* status from wait() */
	bool stopped;		/* the command is stopped */
	bool stopping;		/* stop ourselves once the command is stopped */
};

static const struct opt_row run_rows[] = {
	{ "u|user", "USER", "run COMMAND as this user instead of the one who called sudo" },
	{ 0 }
};

static const struct command_line command_line = {
	.name = "run", .synopsis = "[--] COMMAND [ARG]...",
	.about = "Run COMMAND and record everything that it and its descendants do.",
	.example = PROG " run make -j8\n" PROG " run -o build.fxt.zst -o build.html ninja\n",
	.options = { run_rows, record_rows },
	.status = "that of COMMAND; 128+N if signal N ended it; 123 with --strict if the trace is\n"
		  "incomplete; 125 if recording could not start, so COMMAND was not run; 126 if COMMAND\n"
		  "cannot be run; 127 if it was not found",
	.failed = EXIT_FAILED, .runs = true,
};

/* ---- the command's process ---- */

/* Whether a file can be run, as far as one can tell without running it.  Return: 0 or errno. */
static int can_run(const char *file)
{
	struct stat st;

	if (access(file, X_OK) || stat(file, &st))
		return errno;
	return S_ISREG(st.st_mode) ? 0 : EACCES;
}

/*
 * Find the program that execvp() would run.  Needed if another program (strace) runs it,
 * whose own messages would be confusing.  Return: 0 or errno.
 */
static int find_command(const char *name, char *file, size_t size)
{
	const char *path = getenv("PATH"), *end;
	int err = ENOENT, one;

	if (strchr(name, '/')) {
		snprintf(file, size, "%s", name);
		return can_run(name);
	}
	for (path = path ? path : "/bin:/usr/bin"; path; path = *end ? end + 1 : NULL) {
		end = strchrnul(path, ':');
		snprintf(file, size, "%.*s%s%s", (int)(end - path), path,
			 end > path ? "/" : "", name);
		one = can_run(file);
		if (!one)
			return 0;
		if (one != ENOENT && one != ENOTDIR)
			err = one;
	}
	return err;
}

/*
 * Whether a file is a script without "#!": execvp() runs it with sh, as all shells do.
 * @err: errno if it has a "#!" line whose interpreter cannot be run, else 0
 */
static bool is_for_shell(const char *file, int *err)
{
	char text[257];
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	char *by;

	if (fd >= 0)
		close(fd);
	*err = 0;
	if (n < 0 || memchr(text, 0, (size_t)n))
		return false;
	text[n] = '\0';
	if (strncmp(text, "#!", 2))
		return true;
	by = text + 2 + strspn(text + 2, " \t");
	by[strcspn(by, " \t\n")] = '\0';
	*err = *by ? can_run(by) : 0;
	return false;
}

/* Change @words, which end with @argv, so that a shell runs @file instead of argv[0]. */
static char **with_shell(char **words, char **argv, char *file)
{
	static char shell[] = "/bin/sh";
	size_t n = 0, argc = 0;
	char **all;

	while (words[n])
		n++;
	while (argv[argc])
		argc++;
	all = xcalloc(n + 2, sizeof(*all));
	memcpy(all, words, (n - argc) * sizeof(*all));
	all[n - argc] = shell;
	all[n - argc + 1] = file;
	memcpy(all + n - argc + 2, argv + 1, (argc - 1) * sizeof(*all));
	return all;
}

/* Report that a command was not run; @what ends the message.  Return: the exit status. */
static int say_not_run(const char *name, int err, const char *what)
{
	say("%s: %s%s", name, strerror(err), what);
	return err == ENOENT || err == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
}

/*
 * Runs in the child, and never returns. Runs @words: @argv, perhaps changed by the session. Writes
 * a byte to @ready when tracing may begin, and waits for a byte from @go when it has begun. If
 * nothing can be run, writes another byte to @ready; otherwise the execve closes @ready.
 */
static void run_child(const struct recording *rec, char **argv, char **words, const struct user *u,
		      int ready, int go, const sigset_t *mask, const struct inherited *kept)
{
	char byte = 0, file[PATH_MAX];
	int err = 0, status = EXIT_FAILED;

	if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 1)
		_exit(EXIT_FAILED);	/* the recorder has ended */
	record_child(rec);
	err = u ? user_become(u) : 0;
	if (err) {
		say("cannot become user %u: %s", (unsigned int)u->uid, strerror(-err));
		goto fail;
	}
	inherit_restore(kept);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (words != argv) {
		err = find_command(argv[0], file, sizeof(file));
		if (!err && is_for_shell(file, &err))
			words = with_shell(words, argv, file);
	}
	if (!err) {
		execvp(words[0], words);
		err = errno;
	}
	status = say_not_run(argv[0], err, ": nothing is recorded");
fail:
	/* if this fails, the recorder still sees the exit status */
	if (write(ready, &byte, 1) != 1)
		status = EXIT_FAILED;
	_exit(status);
}

/* Let the child continue as a traced task.  Return: 0 or -errno. */
static int let_go(struct run *run, int ready, int go)
{
	struct session *s = record_session(run->rec);
	char byte = 0;
	int err;

	if (read(ready, &byte, 1) != 1)
		return -ECHILD;
	err = s->ops->add(s, run->pid);
	if (!err && write(go, &byte, 1) != 1)
		err = -errno;
	return err;
}

/*
 * Start the command.  Return: 0 if it runs, as @run->pid; else, after a message, the
 * exit status: nothing was run.
 */
static int start_command(struct run *run, char **argv, const struct user *u,
			 const sigset_t *mask, const struct inherited *kept)
{
	struct session *s = record_session(run->rec);
	char **words = argv, byte;
	int ready[2], go[2], err, ret = 0;

	if (s->ops->wrap)
		words = s->ops->wrap(s, argv, u ? u->uid : geteuid());
	if (!words) {
		say("cannot prepare the command: %s", strerror(errno));
		return EXIT_FAILED;
	}
	if (pipe2(ready, O_CLOEXEC) || pipe2(go, O_CLOEXEC)) {
		say("cannot make a pipe: %s", strerror(errno));
		return EXIT_FAILED;
	}
	fflush(NULL);
	run->pid = fork();
	if (!run->pid) {
		close(ready[0]);
		close(go[1]);
		/* otherwise the session would outlive its owner while this process waits */
		s->ops->forget(s);
		run_child(run->rec, argv, words, u, ready[1], go[0], mask, kept);
	}
	err = run->pid < 0 ? -errno : 0;
	close(ready[1]);
	close(go[0]);
	if (!err)
		err = let_go(run, ready[0], go[1]);
	close(go[1]);
	if (err) {
		say("cannot start or trace the command: %s", strerror(-err));
		ret = EXIT_FAILED;
	} else if (read(ready[0], &byte, 1) == 1) {
		ret = EXIT_NOT_RUN;
	}
	close(ready[0]);
	if (ret && run->pid > 0) {
		waitpid(run->pid, &run->status, 0);
		run->pid = -1;
		if (!err && WIFEXITED(run->status))
			ret = WEXITSTATUS(run->status);
	}
	return ret;
}

/* ---- signals and job control ---- */

/*
 * The command is in our process group, so it gets signals from the terminal anyway;
 * only signals that a process sends to us are passed on.
 */
static void pass_on(const struct run *run, const struct signalfd_siginfo *info)
{
	if (info->ssi_code == SI_KERNEL && getpgid(run->pid) == getpgrp())
		return;
	kill(run->pid, (int)info->ssi_signo);
}

/*
 * If both we and the command were asked to stop, stop, so that our parent sees it.  If only
 * the command was stopped, we continue: the process that continues it need not know about
 * us.
 */
static void stop_too(struct run *run)
{
	if (!run->stopping || !run->stopped)
		return;
	run->stopping = false;
	record_pause(run->rec);
	kill(getpid(), SIGSTOP);
	/* the command may still be stopped */
	kill(run->pid, SIGCONT);
}

static bool on_signal(void *ctx, const struct signalfd_siginfo *info)
{
	struct run *run = ctx;
	int status;

	switch (info->ssi_signo) {
	case SIGCHLD:
		while (waitpid(run->pid, &status, WNOHANG | WUNTRACED | WCONTINUED) == run->pid) {
			run->status = status;
			run->stopped = WIFSTOPPED(status);
			if (!run->stopped && !WIFCONTINUED(status))
				return false;
			stop_too(run);
		}
		return true;
	case SIGWINCH:
		return true;
	case SIGCONT:
		run->stopping = false;
		return true;
	case SIGTSTP:
		run->stopping = true;
		pass_on(run, info);
		stop_too(run);
		return true;
	default:
		pass_on(run, info);
		return true;
	}
}

/* ---- tasks that outlive the command ---- */

static void wait_for_others(struct session *s)
{
	struct pollfd fd = { .fd = s->idle_fd };

	if (!s->ops->idle(s))
		poll(&fd, 1, GRACE_MS);
}

static int list_left(struct session *s, struct session_task **list)
{
	*list = NULL;
	return s->ops->tasks(s, list);
}

/*
 * Print the tasks of @list that are still alive, judged by the events since the list was made.
 * A pid is known only if the task is visible in our pid namespace.
 */
static void print_outliving(struct recording *r, const struct session_task *list, int n)
{
	char program[64], pid[16];
	int printed = 0;

	for (int i = 0; i < n; i++) {
		if (!record_program(r, list[i].upid, program, sizeof(program)))
			continue;
		if (printed++ == 20) {
			say("and others");
			break;
		}
		snprintf(pid, sizeof(pid), "%d", list[i].pid);
		say("%s [%s] outlives the command and is no longer traced", program,
		    list[i].pid ? pid : "not visible in this pid namespace");
	}
}

/* ---- the run ---- */

/* The exit status of a command that has ended. */
static int exit_status(const struct run *run, char **argv)
{
	struct session *s = record_session(run->rec);
	int err = 0;

	if (WIFSIGNALED(run->status))
		return 128 + WTERMSIG(run->status);
	/* the program that runs the command for us (strace) may have failed to do so */
	if (WEXITSTATUS(run->status) == 1 && s->ops->run_error)
		err = s->ops->run_error(s);
	return err ? say_not_run(argv[0], err, "") : WEXITSTATUS(run->status);
}

static int run_command(const struct record_options *o, const struct user *sudo,
		       const struct user *u, char **argv)
{
	struct inherited kept;
	struct run run = { .pid = -1 };
	struct session_task *list;
	int ret, left;
	sigset_t mask;
	bool complete;

	inherit_own(&kept);
	run.rec = record_new(o, sudo);
	if (!run.rec)
		return EXIT_FAILED;
	record_command(run.rec, argv);
	record_signals(run.rec, &mask);
	if (o->ncgroups)
		record_present(run.rec);
	ret = start_command(&run, argv, u, &mask, &kept);
	if (!ret) {
		record_begun(run.rec);
		record_loop(run.rec, on_signal, &run, false);
		wait_for_others(record_session(run.rec));
		left = list_left(record_session(run.rec), &list);
		ret = exit_status(&run, argv);
		complete = record_end(run.rec, ret);
		/* processes in the cgroups were perhaps not started by the command */
		if (!o->quiet && !o->ncgroups)
			print_outliving(run.rec, list, left);
		free(list);
		if (o->strict && !complete)
			ret = EXIT_INCOMPLETE;
	}
	record_free(run.rec);
	if (run.pid > 0 && o->page && !access(o->page, F_OK))
		open_page(o->page, sudo, &mask, &kept);
	return ret;
}

/* Return: 0, or the exit status after a message. */
static int take_user(const char *name, struct user **user)
{
	if (!name)
		return 0;
	*user = user_by_name(name);
	if (!*user)
		say("-u %s: there is no such user", name);
	else if (geteuid())
		say("-u: only root can run commands as another user; use sudo");
	else
		return 0;
	return EXIT_FAILED;
}

int cmd_run(int argc, char **argv)
{
	struct user *sudo = NULL, *named = NULL;
	struct record_options o = { .runs = true };
	struct opts opts;
	int ret;

	opts_init(&opts);
	ret = command_line_parse(&command_line, argc, argv, &opts);
	if (ret >= 0)
		goto out;
	ret = EXIT_FAILED;
	if (!record_options_take(&o, &opts))
		goto out;
	if (optind == argc) {
		command_line_wrong(&command_line, "no command to run");
		goto out;
	}
	ret = take_user(opt_value(&opts, "user"), &named);
	if (ret)
		goto out;
	sudo = user_of_sudo();
	ret = run_command(&o, sudo, named ? named : sudo, argv + optind);
out:
	user_free(sudo);
	user_free(named);
	record_options_free(&o);
	opts_free(&opts);
	return ret;
}
