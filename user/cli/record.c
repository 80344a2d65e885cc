// SPDX-License-Identifier: GPL-2.0
/* Begins a recording, and frees it.  See record.h. */
#include "cli/record_state.h"
#include "base/container.h"
#include "base/shquote.h"
#include "base/xalloc.h"
#include "cli/cgroups.h"
#include "cli/device.h"
#include "cli/etrace.h"
#include "cli/present.h"
#include "cli/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limit of the outputs' queue: 1 / QUEUE_PART of free memory, at least QUEUE_MIN bytes. */
#define QUEUE_PART	8u
#define QUEUE_MIN	(16u << 20)

/* Number of files whose hashes are kept: 32 MiB. */
#define HASHES		(1u << 18)

static void output_failed(void *ctx, const char *path, const char *fault)
{
	(void)ctx;
	say("%s: %s: nothing more is written to it", path, fault);
}

static uint64_t queue_limit(void)
{
	long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	uint64_t limit = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / QUEUE_PART : 0;

	return limit < QUEUE_MIN ? QUEUE_MIN : limit;
}

static bool add_output(struct recording *r, const char *file, char *why, size_t size)
{
	const struct record_kind *kind = record_made_kind(&r->opt, file);

	if (kind)
		return record_made_add(r, kind, file, why, size);
	return outputs_add(r->outputs, file, r->opt.to, why, size);
}

static bool open_outputs(struct recording *r)
{
	static const char *const standard = TRACE_FILE;
	const char *const *files = r->opt.nfiles ? r->opt.files : &standard;
	size_t n = r->opt.no_output ? 0 : r->opt.nfiles ? r->opt.nfiles : 1;
	const struct user *u = r->user;
	bool good = true;
	char why[512];
	int err;

	r->outputs = outputs_new(queue_limit(), output_failed, r);
	err = user_enter(u);
	if (err) {
		say("cannot act as user %u: %s", (unsigned int)u->uid, strerror(-err));
		return false;
	}
	for (size_t i = 0; i < n && good; i++)
		good = add_output(r, files[i], why, sizeof(why));
	/* all could be opened: now truncate those that cannot be replaced */
	good = good && outputs_empty(r->outputs, why, sizeof(why));
	user_leave(u);
	if (!good && *why)
		say("%s", why);
	return good;
}

void record_begun(struct recording *r)
{
	int err = user_enter(r->user);

	if (err) {
		say("cannot act as user %u: %s", (unsigned int)r->user->uid, strerror(-err));
		return;
	}
	outputs_appear(r->outputs);
	record_made_begun(r);
	user_leave(r->user);
}

/* Passes events on to the outputs, because the session is opened before them. */
static int pass_event(struct sink *s, const void *item)
{
	struct recording *r = container_of(s, struct recording, events);

	if (r->contents)
		contents_event(r->contents, item);
	notable_event(r->notable, item);
	if (r->top)
		top_model_event(top_model(r->top), item);
	return sink_item(r->sink, item);
}

static const struct sink_ops events_ops = { .item = pass_event };

/* The inode number of the first pid namespace: PROC_PID_INIT_INO. */
#define FIRST_PID_NS	0xEFFFFFFCu

/* Whether pids from the kernel, as recorded by the module and BPF, are valid in our /proc. */
static bool is_first_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == FIRST_PID_NS;
}

/* Open the cache of hashes.  If that fails, every file is read. */
static void open_hashes(struct recording *r)
{
	struct buf path = { 0 };
	char why[512];
	int err = 0;

	if (r->opt.hash_cache)
		buf_add(&path, r->opt.hash_cache, strlen(r->opt.hash_cache) + 1);
	else
		err = content_cache_path(&path);
	if (err)
		snprintf(why, sizeof(why), "%s: %s", path.len ? path.s : "HOME is not set", strerror(-err));
	else if (*path.s)
		r->hashes = content_cache_open(path.s, HASHES, why, sizeof(why));
	if ((err || *path.s) && !r->hashes)
		say("%s; hashes are not kept for the next recording", why);
	buf_free(&path);
}

/* Begin to hash the files that are read and written. Return: false after a message. */
static bool begin_contents(struct recording *r)
{
	struct contents_options o = {
		.pid_bits = r->session->pid_bits, .max = r->opt.hash_max,
		/* strace logs the time when a call began */
		.early = r->session->ops->wrap != NULL,
		/* other users could redirect a name */
		.identified = r->user && r->user->uid != geteuid(),
		.pids = r->session->ops->wrap || is_first_namespace(),
	};
	char why[256];

	if (!r->opt.hash)
		return true;
	open_hashes(r);
	o.cache = r->hashes;
	r->contents = contents_new(&o, r->sink, why, sizeof(why));
	if (!r->contents)
		say("%s", why);
	return r->contents;
}

/* Begin the view or the progress line.  Return: false after a message. */
static bool begin_view(struct recording *r)
{
	if (r->opt.top) {
		r->top = top_open(r->session->pid_bits, r->opt.before,
				  "end the view; the recording goes on");
		r->aside = r->top && r->opt.runs ? aside_new() : NULL;
		if (!r->top)
			return false;
		top_live(r->top, true);
	} else if (!r->opt.quiet) {
		progress_begin(r->opt.progress);
	}
	if (r->opt.top || progress_on()) {
		notable_follow(r->notable);
		r->utf8 = term_utf8();
	}
	return true;
}

struct recording *record_new(const struct record_options *o, const struct user *u)
{
	struct recording *r = xcalloc(1, sizeof(*r));
	struct session_options so = { .buffer = o->buffer, .record = o->record,
				      .keep_env = o->keep_env, .runs = o->runs,
				      .cgroups = o->ncgroups,
				      .quiet = o->quiet };
	char why[1200];

	if (!o->no_env && !(o->record >> ET_ENV & 1)) {
		so.record |= 1u << ET_ENV | ET_ENV_LISTED;
		/* r->listed has room for both lists: see schema.c */
		et_keep_env(r->listed, et_env_listed);
		if (o->hash)
			et_keep_env(r->listed, et_env_hashed);
		so.keep_env = r->listed;
	}
	r->opt = *o;
	r->user = u;
	r->signals = -1;
	r->poll_cpus = true;
	r->tick = RECORD_TICK_MAX;
	opts_init(&r->opts);
	r->diag = diag_new(NULL, PROG);

	/* open the session first: a run that cannot begin must not replace an earlier trace */
	r->events.ops = &events_ops;
	r->session = session_open(o->backend, &so, o->verbose, &r->events, why, sizeof(why));
	if (!r->session) {
		say("%s", why);
		goto fail;
	}
	r->notable = notable_new(r->session->pid_bits);
	if (!begin_view(r))
		goto fail;
	if (!open_outputs(r))
		goto fail;
	r->sink = outputs_sink(r->outputs, &r->opts, "session");
	if (!r->sink || !begin_contents(r))
		goto fail;
	r->fds = xcalloc(r->session->nfds + RECORD_FDS, sizeof(*r->fds));
	r->begun = r->synced = r->shown = now_ns();
	r->realtime = clock_to_real();
	/* last, because tracing begins here */
	r->cgroups = cgroups_add(r->session, o->cgroups, o->ncgroups, why, sizeof(why));
	if (r->cgroups)
		return r;
	say("%s", why);
fail:
	record_free(r);
	return NULL;
}

void record_free(struct recording *r)
{
	char why[256];
	bool entered;

	if (!r)
		return;
	top_close(r->top);
	aside_free(r->aside);
	session_close(r->session);
	cgroups_free(r->cgroups);
	if (!r->opt.keep_module && !device_unload(why, sizeof(why)) && !r->opt.quiet)
		say("%s", why);
	if (contents_free(r->contents))
		content_cache_close(r->hashes);
	notable_free(r->notable);
	/* remove unfinished outputs with the rights of their owner */
	entered = !user_enter(r->user);
	outputs_free(r->outputs);
	if (entered)
		user_leave(r->user);
	record_made_free(r);
	if (r->signals >= 0)
		close(r->signals);
	opts_free(&r->opts);
	diag_free(r->diag);
	buf_free(&r->command);
	free(r->fds);
	free(r);
}

/* ---- what is recorded ---- */

void record_command(struct recording *r, char **argv)
{
	r->command.len = 0;
	for (; *argv; argv++) {
		if (r->command.len)
			buf_addc(&r->command, ' ');
		sh_quote(&r->command, *argv, strlen(*argv));
	}
}

void record_child(const struct recording *r)
{
	aside_take(r->aside);
}

struct session *record_session(struct recording *r)
{
	return r->session;
}

bool record_program(struct recording *r, uint64_t upid, char *buf, size_t size)
{
	return notable_program(r->notable, upid, buf, size);
}

void record_signals(struct recording *r, sigset_t *before)
{
	static const int taken[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGCHLD,
		SIGUSR1, SIGUSR2, SIGWINCH,
	};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		sigaddset(&set, taken[i]);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	/* writing the progress line from the background must not stop us */
	sigaddset(&set, SIGTTOU);
	sigprocmask(SIG_BLOCK, &set, before);
}

/* ---- tasks that are already running ---- */

void record_present(struct recording *r)
{
	struct present_gaps gaps;
	int err = present_emit(r->session, r->begun, &r->events, &gaps);

	if (r->opt.quiet)
		return;
	if (err)
		say("cannot list the tasks that already run: %s; the trace lacks their names",
		    strerror(-err));
	else if (gaps.unknown)
		say("the trace lacks the names of %u of %u tasks: %s", gaps.unknown,
		    gaps.tasks, gaps.other_proc ?
		    "/proc is not that of this pid namespace (mount -t proc proc /proc)" :
		    "they have ended, or cannot be seen from this pid namespace");
}
