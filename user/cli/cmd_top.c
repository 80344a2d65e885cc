// SPDX-License-Identifier: GPL-2.0
/* etrace top: watch a build while it runs. */
#include "cli/command_line.h"
#include "cli/etrace.h"
#include "cli/record.h"
#include "cli/top.h"
#include "base/container.h"
#include "format/choose.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Number of reading steps between two checks of keys and clock. */
#define STEPS		256u
/* How often to check whether a recorder still writes the file, in ns. */
#define LOOK_NS		1000000000u

/* A file that is watched. */
struct watch {
	struct sink sink;
	struct top *top;
	struct in *in;
	bool quit;
	uint64_t looked;
};

static const struct opt_row options[] = {
	{ "before", "FILE", "an earlier recording of the build, to estimate the time remaining from" },
	{ 0 }
};

static const struct command_line command_line = {
	.name = "top", .synopsis = "[FILE|PID]",
	.about = "Watch a build while it runs: what failed, what runs, what was finished, and how long\n"
		 "it will take. FILE is what " PROG " run is writing (default: " TRACE_FILE "); PID is that of\n"
		 "an " PROG " run, or of a process to record for this view alone.",
	.example = PROG " top\n" PROG " top --before yesterday.fxt etrace.fxt\n",
	.options = { options },
	.status = "0 success; 125 nothing to watch, or no terminal",
	.failed = EXIT_FAILED,
};

/* ---- a file ---- */

static int take_item(struct sink *s, const void *item)
{
	top_model_event(top_model(container_of(s, struct watch, sink)->top), item);
	return 0;
}

/* Whether a recorder holds the lock on a file (out_place.h). */
static bool is_written(int fd)
{
	if (!flock(fd, LOCK_SH | LOCK_NB)) {
		flock(fd, LOCK_UN);
		return false;
	}
	return errno == EWOULDBLOCK;
}

/*
 * Called at the end of the file.  A recorder that has ended may have written more after
 * our last read, so the file is read once more before the view considers it complete.
 */
static bool wait_for_more(void *ctx)
{
	struct watch *w = ctx;
	struct top_model *m = top_model(w->top);
	uint64_t now = now_ns();
	bool gone = m->cut;

	if (m->over && !m->cut)
		return false;
	if (now >= w->looked + LOOK_NS) {
		w->looked = now;
		m->cut = !is_written(in_fd(w->in));
		top_live(w->top, !m->cut);
	}
	if (gone) {
		m->over = true;
		return false;
	}
	if (m->cut)
		return true;
	w->quit = !top_wait(w->top);
	return !w->quit;
}

static void read_on(struct watch *w, struct source *source)
{
	struct top_model *m = top_model(w->top);
	int more = 1;

	while (more > 0 && !w->quit && !m->over) {
		for (unsigned int i = 0; more > 0 && i < STEPS && !m->over; i++)
			more = source->ops->step(source, &w->sink);
		w->quit |= !top_keys(w->top);
		top_show(w->top);
	}
	/* it was not cut off if its regular end has been read since then */
	m->cut = m->over && m->cut && m->status < 0 && !m->complete;
}

/* Return: false after a message. */
static bool watch_input(struct top *top, struct in *in, const char *name)
{
	static const struct sink_ops ops = { .item = take_item };
	struct watch w = { { &ops }, top, in, false, 0 };
	struct opts opts;
	struct diag *diag = diag_new(NULL, PROG);
	struct source_args args = { .in = &in, .nin = 1, .opts = &opts, .diag = diag };
	const struct source_format *format = choose_events(in);
	struct source *source = NULL;

	opts_init(&opts);
	if (format)
		source = format->open(&args);
	if (source) {
		top_source(top, name);
		top_live(top, is_written(in_fd(in)));
		in_follow(in, wait_for_more, &w);
		read_on(&w, source);
		source->ops->free(source);
		top_live(top, false);
		while (!w.quit)
			w.quit = !top_wait(top);
	} else {
		say("top: %s: not a trace that etrace wrote: give the file of an etrace run", name);
	}
	opts_free(&opts);
	diag_free(diag);
	return source;
}

static int watch_file(const char *path, const char *name, const char *before)
{
	struct in *in;
	struct top *top;
	bool good;
	int err = 0;

	in = in_open(path, &err);
	if (!in) {
		say("top: %s: %s", name, strerror(-err));
		return EXIT_FAILED;
	}
	top = top_open(ET_DEFAULT_PID_BITS, before, "end the view; the build goes on");
	good = top && watch_input(top, in, name);
	top_close(top);
	in_close(in);
	return good ? 0 : EXIT_FAILED;
}

/* ---- a process ---- */

/* Whether a descriptor of a process is a trace that it writes. */
static bool is_trace(const char *path)
{
	const struct source_format *format;
	struct stat st;
	struct in *in;
	int err;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	in = in_open(path, &err);
	if (!in)
		return false;
	format = is_written(in_fd(in)) ? choose_events(in) : NULL;
	in_close(in);
	return format;
}

/* Find the trace that a process writes.  Return: false if there is none. */
static bool find_trace(pid_t pid, char *path, size_t size)
{
	char dir[64];
	struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(dir, sizeof(dir), "/proc/%d/fd", (int)pid);
	d = opendir(dir);
	while (d && !found && (e = readdir(d))) {
		if (*e->d_name == '.')
			continue;
		snprintf(path, size, "%s/%.20s", dir, e->d_name);
		found = is_trace(path);
	}
	if (d)
		closedir(d);
	return found;
}

static int watch_process(pid_t pid, const char *name, const char *before)
{
	struct record_options o = { .top = true, .before = before, .no_output = true, .quiet = true };
	char word[] = "top", *argv[] = { word, (char *)(uintptr_t)name, NULL }, path[128];
	struct user *sudo;
	int ret;

	if (kill(pid, 0) && errno == ESRCH) {
		say("top %s: no such process", name);
		return EXIT_FAILED;
	}
	if (find_trace(pid, path, sizeof(path)))
		return watch_file(path, name, before);
	sudo = user_of_sudo();
	ret = record_attach(&o, sudo, argv, pid);
	user_free(sudo);
	return ret;
}

int cmd_top(int argc, char **argv)
{
	const char *before, *name;
	struct opts opts;
	pid_t pid;
	int ret;

	opts_init(&opts);
	ret = command_line_parse(&command_line, argc, argv, &opts);
	before = opt_value(&opts, "before");
	opts_free(&opts);
	if (ret >= 0)
		return ret;
	if (optind < argc - 1)
		return command_line_wrong(&command_line, "give one FILE or PID");
	name = optind < argc ? argv[optind] : TRACE_FILE;
	/* a file may have a number as its name, too */
	if (is_pid(name, &pid) && access(name, F_OK))
		return watch_process(pid, name, before);
	return watch_file(name, name, before);
}
