// SPDX-License-Identifier: GPL-2.0
/* etrace experimental-skip: skip build steps that need not run. */
#include "answers/answers.h"
#include "cli/command_line.h"
#include "cli/etrace.h"
#include "skip/skip.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME "experimental-skip"
#define LIBRARY "libetrace-skip.so"
#define MAX_DEFAULT (1ull << 30)

static const struct opt_row options[] = {
	{ "store", "DIR", "where steps are kept; must be given" },
	{ "allow", "LIST", "learn: programs, separated by commas, that may be skipped, too: they make\n"
	  "the same output from the same files, arguments and environment at any time" },
	{ "max", "BYTES", "learn: bytes of outputs to keep, the most recently used ones; default:\n"
	  "1073741824" },
	{ 0 }
};

static const struct command_line command_line = {
	.name = NAME, .synopsis = "--store=DIR learn TRACE\n--store=DIR run -- COMMAND...",
	.about = "An experiment: run a build, and restore what its steps would make, instead of running\n"
		 "them, if a recording proves that they would make the same. experimental-skip.md says what\n"
		 "that takes and what it cannot know.",
	.example = PROG " run --hash --record=probes,dirs,output=all -- \\\n"
		   "  " PROG " " NAME " --store=/var/tmp/store run -- make\n"
		   PROG " " NAME " --store=/var/tmp/store learn etrace.fxt\n"
		   PROG " " NAME " --store=/var/tmp/store run -- make\n",
	.options = { options },
	.status = "that of COMMAND; 1 the trace is incomplete; 2 nothing was learned; 125 COMMAND was not run",
	.failed = EXIT_FAILED, .runs = true,
};

/* ---- ask: the command that the library runs instead of a program ---- */

/* Whether the program need not run. */
static bool ask_store(const char *path, char **argv)
{
	char why[PATH_MAX + 256], key[SKIP_HEX + 1], place[PATH_MAX], which[PATH_MAX] = "";
	const char *dir = getenv(SKIP_VARIABLE), *not = NULL;
	struct buf state = { 0 };
	struct skip_store s;
	DIR *empty;

	/* learn.c recognizes the calls from here to the look-up of the key */
	if (access(path, X_OK) || !dir || !skip_open(&s, dir, why, sizeof(why)))
		return false;
	if (skip_state(path, argv, environ, &state, &not)) {
		skip_hash(state.s, state.len, key);
		open(skip_path(&s, place, "is", key, ""), O_RDONLY | O_CLOEXEC);
		/* shows learn.c that directory listings are recorded */
		empty = opendir(skip_path(&s, place, "is", "", ""));
		while (empty && readdir(empty))
			;
		if (empty)
			closedir(empty);
		not = skip_replay(&s, key, which);
	}
	skip_say(&s, not ? not : "skipped", which);
	skip_close(&s);
	buf_free(&state);
	return !not;
}

static int ask_and_run(int argc, char **argv)
{
	if (argc < 2)
		return EXIT_FAILED;
	if (ask_store(argv[0], argv + 1))
		_exit(0);
	/* not execve(): the library would call this program again */
	syscall(SYS_execve, argv[0], argv + 1, environ);
	fprintf(stderr, "%s: %s: %s\n", PROG " " NAME, argv[0], strerror(errno));
	_exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN);
}

/* ---- run ---- */

static off_t log_size(const struct skip_store *s)
{
	char path[PATH_MAX];
	struct stat st;

	return stat(skip_path(s, path, "log", "", ""), &st) ? 0 : st.st_size;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Print the new reasons in the log, each once. */
static void put_summary(const struct skip_store *s, off_t since)
{
	char path[PATH_MAX], **lines = NULL, *save, *line;
	size_t n = 0, cap = 0, skipped = 0, same = 0;
	struct buf log = { 0 };

	if (!skip_read(skip_path(s, path, "log", "", ""), &log) || log.len < (size_t)since) {
		buf_free(&log);
		return;
	}
	buf_addc(&log, '\0');
	for (line = strtok_r(log.s + since, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		lines = xgrow(lines, &cap, n + 1, sizeof(*lines));
		lines[n++] = line;
		skipped += !strcmp(line, "skipped");
	}
	if (n)
		qsort(lines, n, sizeof(*lines), compare_lines);
	say("%zu programs asked, %zu skipped, %zu run", n, skipped, n - skipped);
	for (size_t i = 0; i < n; i++) {
		same++;
		if (i + 1 < n && !strcmp(lines[i], lines[i + 1]))
			continue;
		if (strcmp(lines[i], "skipped"))
			fprintf(stderr, "%6zu  %s\n", same, lines[i]);
		same = 0;
	}
	free(lines);
	buf_free(&log);
}

/* Path of a file in this program's directory.  Return: @to, of PATH_MAX bytes; NULL if none */
static char *path_beside(const char *name, char *to)
{
	char self[PATH_MAX], *slash;

	if (!realpath("/proc/self/exe", self))
		return NULL;
	slash = strrchr(self, '/');
	snprintf(to, PATH_MAX, "%.*s/%.200s", (int)(slash - self), self, name);
	return access(to, R_OK) ? NULL : to;
}

static int run_command(const struct skip_store *s, char **argv)
{
	char library[PATH_MAX], preload[2 * PATH_MAX];
	const char *others = getenv("LD_PRELOAD");
	off_t since = log_size(s);
	int status = 0;
	pid_t pid;

	if (!path_beside(LIBRARY, library)) {
		say("%s: not found beside " PROG "; build it with make user", LIBRARY);
		return EXIT_FAILED;
	}
	snprintf(preload, sizeof(preload), "%s%s%.4000s", library, others ? ":" : "",
		 others ? others : "");
	setenv("LD_PRELOAD", preload, 1);
	setenv(SKIP_VARIABLE, s->dir, 1);
	/* if a recording has this line, it records the output of programs */
	say("steps are in %s", s->dir);
	pid = fork();
	if (!pid) {
		execvp(argv[0], argv);
		say("%s: %s", argv[0], strerror(errno));
		_exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN);
	}
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	if (pid < 0) {
		say("fork: %s", strerror(errno));
		return EXIT_FAILED;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	put_summary(s, since);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- learn ---- */

static int learn_trace(const struct skip_store *s, const struct opts *opts, char **trace)
{
	struct diag *diag = diag_new(stderr, PROG " " NAME);
	struct skip_learn l = { .store = s, .allow = opt_value(opts, "allow") };
	uint64_t max = MAX_DEFAULT;
	struct db *db = NULL;
	char self[PATH_MAX];
	struct out *out;
	int ret = 2;

	l.program = realpath("/proc/self/exe", self);
	if (!opt_number(opts, "max", 0, UINT64_MAX, &max))
		diag_fatal(diag, "--max %s: must be a number of bytes", opt_value(opts, "max"));
	else if (!l.program)
		diag_fatal(diag, "/proc/self/exe: %s; mount /proc", strerror(errno));
	else
		db = answers_open(trace, 1, NULL, opts, diag);
	if (db) {
		out = out_fd(STDOUT_FILENO, 0);
		ret = skip_learn(&l, db, out) ? answers_end(db, diag, PROG) : 2;
		out_close(out);
		db_close(db);
		skip_shrink(s, max);
	}
	diag_free(diag);
	return ret;
}

int cmd_skip(int argc, char **argv)
{
	char why[PATH_MAX + 256];
	struct skip_store s;
	struct opts opts;
	const char *dir;
	int ret;

	if (argc > 2 && !strcmp(argv[1], "ask"))
		return ask_and_run(argc - 2, argv + 2);
	opts_init(&opts);
	ret = command_line_parse(&command_line, argc, argv, &opts);
	argc -= optind;
	argv += optind;
	dir = opt_value(&opts, "store");
	if (ret >= 0) {
		opts_free(&opts);
		return ret;
	}
	/* run is a command, and its arguments may begin with -- */
	if (argc > 1 && !strcmp(argv[0], "run") && !strcmp(argv[1], "--")) {
		argv[1] = argv[0];
		argv++;
		argc--;
	}
	if (!dir)
		ret = command_line_wrong(&command_line, "no --store given");
	else if (argc < 2 || (strcmp(argv[0], "run") && (strcmp(argv[0], "learn") || argc > 2)))
		ret = command_line_wrong(&command_line, "say learn TRACE, or run -- COMMAND");
	else if (!skip_open(&s, dir, why, sizeof(why)))
		say("%s", why);
	else {
		ret = *argv[0] == 'r' ? run_command(&s, argv + 1) :
		      learn_trace(&s, &opts, argv + 1);
		skip_close(&s);
	}
	opts_free(&opts);
	return ret < 0 ? EXIT_FAILED : ret;
}
