// SPDX-License-Identifier: GPL-2.0
/* A recording.  See record.h. */
#include "cli/record.h"
#include "cli/device.h"
#include "cli/etrace.h"
#include "build/notable.h"
#include "convert/outputs.h"
#include "cli/present.h"
#include "base/shquote.h"
#include "base/signame.h"
#include "base/text_num.h"
#include "module/verdict.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_OUTPUT	"etrace.fxt"
/* What the outputs do not take in time waits in this part of what is free, or more. */
#define QUEUE_PART	8u
#define QUEUE_MIN	(16u << 20)
#define MS		1000000u	/* in ns */
/* The files hold all but so much of what happened. */
#define SYNC_NS		(400 * MS)
#define PROGRESS_NS	(500 * MS)
/* The reader looks at the buffers at least so often, in ms. */
#define TICK_MAX	250
#define TICK_MIN	4
/*
 * Kernels that wake a reader long before its buffer is as full as it asked for
 * are not asked any more after so many times.
 */
#define STRIKES		8
/* Before those that it reads for: they fill the buffers faster than it may run. */
#define NICE		(-10)
/* Before the program is stopped it waits so long for the outputs, in ms. */
#define PAUSE_MS	200
/*
 * At the end the outputs are waited for, as long as it takes; after a signal
 * that ends programs only while at least one of them takes something in such a
 * time; after another one, no longer.
 */
#define STALL_NS	(5000u * (uint64_t)MS)
/* After that who waits is told what for. */
#define TELL_NS		(1000u * (uint64_t)MS)

struct recording {
	struct record_options opt;
	struct outputs *outputs;
	struct sink *sink;
	struct sink events;	/* what the session fills: passes on to @sink */
	struct opts opts;
	struct diag *diag;
	struct buf command;	/* for a shell */
	struct session *session;
	struct notable *notable;
	int signals;		/* signalfd */
	bool hurried;		/* a signal came that ends programs */
	struct pollfd *fds;
	bool poll_cpus;
	unsigned int strikes;
	int tick;		/* ms */
	uint64_t begun, synced, shown;	/* CLOCK_MONOTONIC, ns */
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* ---- options ---- */

static bool parse_size(const char *s, uint64_t *v)
{
	static const struct {
		const char *unit;
		unsigned int shift;
	} units[] = { { "", 0 }, { "k", 10 }, { "K", 10 }, { "M", 20 }, { "G", 30 } };
	unsigned long long n;
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	n = strtoull(s, &end, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].unit) && !errno && n && n < 1ull << 40) {
			*v = (uint64_t)n << units[i].shift;
			return *v >= 4096 && *v < 1ull << 42;
		}
	return false;
}

bool record_option(struct record_options *o, int opt, const char *value)
{
	switch (opt) {
	case 'o':
		if (!strcmp(value, "-")) {
			say("-o -: standard output belongs to the command; name a file");
			return false;
		}
		o->files = xgrow(o->files, &o->files_cap, o->nfiles + 1, sizeof(value));
		o->files[o->nfiles++] = value;
		return true;
	case 'b':
		if (parse_size(value, &o->buffer))
			return true;
		say("-b %s: a size is a number of bytes, at least 4096, or one with k, M or G behind it",
		    value);
		return false;
	case 'q':
		o->quiet = true;
		return true;
	case 'v':
		o->verbose = true;
		return true;
	case RECORD_OPT_TO:
		o->to = value;
		return true;
	case RECORD_OPT_BACKEND:
		o->backend = value;
		if (backend_known(value))
			return true;
		say("--backend=%s: must be auto, module or bpf", value);
		return false;
	case RECORD_OPT_KEEP_MODULE:
		o->keep_module = true;
		return true;
	case RECORD_OPT_STRICT:
		o->strict = true;
		return true;
	case RECORD_OPT_PROGRESS:
		if (!strcmp(value, "auto"))
			o->progress = TERM_AUTO;
		else if (!strcmp(value, "always"))
			o->progress = TERM_ALWAYS;
		else if (!strcmp(value, "never"))
			o->progress = TERM_NEVER;
		else {
			say("--progress=%s: must be auto, always or never", value);
			return false;
		}
		return true;
	default:
		return false;
	}
}

void record_help(void)
{
	fputs("  -o, --output FILE   write the trace there (" DEFAULT_OUTPUT "); may be repeated.  The\n"
	      "                      name tells the format: .fxt, .etrace (plain lines) or .json,\n"
	      "                      and .gz or .zst behind it compress\n"
	      "      --to FORMAT     the format, whatever the names\n"
	      "      --backend NAME  what records in the kernel: module, bpf, or auto: the module\n"
	      "                      where it can be had, else BPF\n"
	      "  -b, --buffer SIZE   size of each processor's buffer (1 to 8 MiB); with k, M\n"
	      "                      or G behind it\n"
	      "      --keep-module   do not unload the module, if it was loaded for this\n"
	      "      --strict        exit status 123 if anything is missing in the trace\n"
	      "  -q, --quiet         no summary at the end, and no progress line\n"
	      "  -v, --verbose       tell more\n"
	      "      --progress WHEN\n"
	      "                      a line that tells how it goes: auto (on a terminal), always,\n"
	      "                      never\n"
	      "  -h, --help          show this and exit\n"
	      "      --version       show the version and exit\n", stdout);
}

/* ---- beginning ---- */

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

static bool open_outputs(struct recording *r, const struct user *u)
{
	static const char *const standard = DEFAULT_OUTPUT;
	const char *const *files = r->opt.nfiles ? r->opt.files : &standard;
	size_t n = r->opt.nfiles ? r->opt.nfiles : 1;
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
		good = outputs_add(r->outputs, files[i], r->opt.to, why, sizeof(why));
	/* all of them can be had: what was in them may go */
	good = good && outputs_empty(r->outputs, why, sizeof(why));
	user_leave(u);
	if (!good)
		say("%s", why);
	return good;
}

/* The session is there before the outputs: its events find them here. */
static int pass_event(struct sink *s, const void *item)
{
	struct recording *r = (struct recording *)((char *)s - offsetof(struct recording, events));

	notable_event(r->notable, item);
	return sink_item(r->sink, item);
}

static const struct sink_ops events_ops = { .item = pass_event };

struct recording *record_new(const struct record_options *o, const struct user *u)
{
	struct recording *r = xcalloc(1, sizeof(*r));
	struct session_options so = { .buffer = o->buffer };
	char why[1200];

	r->opt = *o;
	r->signals = -1;
	r->poll_cpus = true;
	r->tick = TICK_MAX;
	opts_init(&r->opts);
	r->diag = diag_new(NULL, PROG);

	/* the session first: an earlier trace is not lost to a run that cannot be */
	r->events.ops = &events_ops;
	r->session = session_open(o->backend, &so, o->verbose, &r->events, why, sizeof(why));
	if (!r->session) {
		say("%s", why);
		goto fail;
	}
	r->notable = notable_new(r->session->pid_bits);
	if (!open_outputs(r, u))
		goto fail;
	r->sink = outputs_sink(r->outputs, &r->opts, "session");
	if (!r->sink)
		goto fail;
	r->fds = xcalloc(r->session->nfds + 2, sizeof(*r->fds));
	r->begun = r->synced = r->shown = now_ns();
	return r;
fail:
	record_free(r);
	return NULL;
}

void record_command(struct recording *r, char **argv)
{
	r->command.len = 0;
	for (; *argv; argv++) {
		if (r->command.len)
			buf_addc(&r->command, ' ');
		sh_quote(&r->command, *argv, strlen(*argv));
	}
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

/* ---- tasks that are there already ---- */

void record_present(struct recording *r)
{
	struct present_gaps gaps;
	int err = present_tell(r->session, r->begun, &r->events, &gaps);

	if (r->opt.quiet)
		return;
	if (err)
		say("the tasks that are there cannot be listed: %s; they have no names in the trace",
		    strerror(-err));
	else if (gaps.unknown)
		say("%u of the %u tasks that are there have no names in the trace: %s", gaps.unknown,
		    gaps.tasks, gaps.other_proc ?
		    "/proc is not that of this pid namespace (mount -t proc proc /proc)" :
		    "they have ended, or cannot be seen from this pid namespace");
}

/* ---- the loop ---- */

static void show(struct recording *r, uint64_t now)
{
	const struct rec_tally *t = r->session->tally;
	uint64_t s = (now - r->begun) / 1000000000u;
	char text[256];

	snprintf(text, sizeof(text),
		 PROG ": %" PRIu64 ":%02" PRIu64 "  processes %s now, %s in all  events %s  %s  lost %s",
		 s / 60, s % 60, text_count(t->processes_now), text_count(t->processes),
		 text_count(t->events), text_bytes(outputs_bytes(r->outputs)),
		 text_count(t->lost));
	progress_show(text);
	r->shown = now;
}

static void sync_outputs(struct recording *r, uint64_t now)
{
	outputs_sync(r->outputs);
	r->synced = now;
}

/* How long to wait for something to happen, in ms. */
static int wait_for(const struct recording *r, uint64_t now)
{
	uint64_t next = now + (uint64_t)r->tick * MS;

	if (progress_on() && r->shown + PROGRESS_NS < next)
		next = r->shown + PROGRESS_NS;
	return next > now ? (int)((next - now) / MS) + 1 : 0;
}

/* Look more often while the buffers are filled fast, if the kernel does not wake us. */
static void pace(struct recording *r, bool woken, bool slept)
{
	unsigned int level = r->session->level;

	if (woken && slept && level < 10 && !r->session->ops->wakes_for_a_reason &&
	    ++r->strikes >= STRIKES)
		r->poll_cpus = false;
	if (level > 20)
		r->tick = r->tick / 2 > TICK_MIN ? r->tick / 2 : TICK_MIN;
	else if (level < 5)
		r->tick = r->tick * 2 < TICK_MAX ? r->tick * 2 : TICK_MAX;
}

static bool ends_programs(const struct signalfd_siginfo *info)
{
	return info->ssi_signo == SIGINT || info->ssi_signo == SIGTERM ||
	       info->ssi_signo == SIGHUP || info->ssi_signo == SIGQUIT;
}

static bool take_signals(struct recording *r, record_signal_fn *fn, void *ctx)
{
	struct signalfd_siginfo info;
	bool on = true;

	while (on && read(r->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			progress_resized();
		r->hurried |= ends_programs(&info);
		on = fn(ctx, &info);
	}
	return on;
}

void record_loop(struct recording *r, record_signal_fn *fn, void *ctx, bool till_idle)
{
	struct session *s = r->session;
	unsigned int n;
	bool on = true, more = false;

	setpriority(PRIO_PROCESS, 0, NICE);
	if (!r->opt.quiet)
		progress_begin(r->opt.progress);
	r->fds[0] = (struct pollfd){ .fd = r->signals, .events = POLLIN };
	/* only ever hung up: not asked for while nobody wants to know */
	r->fds[1] = (struct pollfd){ .fd = till_idle ? s->idle_fd : -1 };
	s->ops->poll(s, r->fds + 2);

	while (on) {
		uint64_t now = now_ns();
		bool woken = false, slept;

		n = poll(r->fds, 2 + (r->poll_cpus ? s->nfds : 0), more ? 0 : wait_for(r, now)) > 0;
		for (unsigned int i = 0; n && r->poll_cpus && i < s->nfds; i++)
			woken |= r->fds[2 + i].revents != 0;
		if (n && r->fds[0].revents)
			on = take_signals(r, fn, ctx);
		if (till_idle && s->ops->idle(s))
			on = false;
		slept = !more;
		more = s->ops->pump(s) > 0;
		pace(r, woken, slept);
		now = now_ns();
		if (now >= r->synced + SYNC_NS)
			sync_outputs(r, now);
		if (progress_on() && now >= r->shown + PROGRESS_NS)
			show(r, now);
	}
}

void record_pause(struct recording *r)
{
	r->session->ops->pump(r->session);
	sync_outputs(r, now_ns());
	outputs_settle(r->outputs, PAUSE_MS);
	progress_hide();
}

/* ---- the end ---- */

/* Records that the buffers did not take. */
static uint64_t lost_records(const struct rec_account *a)
{
	return a->module.lost_records + a->module.lost_disabled;
}

static void add_string(struct et_event *ev, enum et_tag tag, const char *s, size_t len)
{
	et_add_item(ev, tag, 0, ev->time);
	et_add_bytes(ev, s, len);
}

/* The last event of an output: how it ended. */
static void write_verdict(struct recording *r, unsigned int output,
			  const struct rec_account *a, const struct verdict *v,
			  int status, uint64_t ended)
{
	struct buf text = { 0 };
	const char *backend = r->session->ops->name;
	struct et_event ev;

	verdict_text(v, &text);
	et_init(&ev);
	et_reset(&ev, ET_K_SESSION, 0, 0,
		 ended > a->tally->last_time ? ended : a->tally->last_time);
	et_add_item(&ev, ET_T_SESSION, 0, ev.time);
	et_set_field(&ev, 0, strlen(backend), false);
	et_set_field(&ev, 1, (int64_t)r->command.len, false);
	et_set_field(&ev, 2, (int64_t)text.len, false);
	et_set_field(&ev, 3, v->complete, false);
	if (status >= 0)
		et_set_field(&ev, 4, status, false);
	et_set_field(&ev, 5, (int64_t)a->module.records, false);
	et_set_field(&ev, 6, (int64_t)a->tally->records, false);
	et_set_field(&ev, 7, (int64_t)(lost_records(a) + a->module.overwritten), false);
	add_string(&ev, ET_T_VB, backend, strlen(backend));
	add_string(&ev, ET_T_VC, r->command.s, r->command.len);
	add_string(&ev, ET_T_VT, text.s, text.len);
	outputs_last(r->outputs, output, &ev);
	et_fini(&ev);
	buf_free(&text);
}

/* What an output did not take is missing in that one. */
static void write_verdicts(struct recording *r, const struct rec_account *a, int status,
			   uint64_t ended)
{
	for (unsigned int i = 0; i < outputs_count(r->outputs); i++) {
		struct rec_account own = *a;
		struct verdict v;

		own.not_taken = outputs_lost(r->outputs, i);
		verdict_of(&v, &own, outputs_diag(r->outputs, i));
		write_verdict(r, i, a, &v, status, ended);
	}
}

static bool told_to_end(struct recording *r)
{
	struct signalfd_siginfo info;
	bool told = false;

	while (read(r->signals, &info, sizeof(info)) == sizeof(info))
		told |= ends_programs(&info);
	return told;
}

/* Until all is written: see STALL_NS. */
static void wait_for_outputs(struct recording *r)
{
	uint64_t begun = now_ns(), moved = begun, left = outputs_waiting(r->outputs);
	struct pollfd fds[] = {
		{ .fd = r->signals, .events = POLLIN },
		{ .fd = outputs_fd(r->outputs), .events = POLLIN },
	};
	bool told = false;

	while (!outputs_ended(r->outputs)) {
		uint64_t now, waiting;

		poll(fds, 2, 200);
		if (told_to_end(r))
			return;
		now = now_ns();
		waiting = outputs_waiting(r->outputs);
		if (waiting != left)
			moved = now;
		left = waiting;
		if (r->hurried && now >= moved + STALL_NS)
			return;
		if (!told && now >= begun + TELL_NS && outputs_stalled(r->outputs)) {
			progress_hide();
			say("waiting for %s to take what is written, %s are left; Ctrl-C gives it up",
			    outputs_stalled(r->outputs), text_bytes(left));
			told = true;
		}
	}
}

static unsigned int end_outputs(struct recording *r)
{
	outputs_end(r->outputs);
	wait_for_outputs(r);
	return outputs_close(r->outputs);
}

static void tell_losses(const struct recording *r, const struct rec_account *a)
{
	const struct rec_tally *t = a->tally;
	uint64_t n = t->nlosses < REC_LOSSES_MAX ? t->nlosses : REC_LOSSES_MAX;

	for (uint64_t i = 0; i < n; i++) {
		const struct rec_loss *l = &t->losses[i];

		fprintf(stderr, "  %s of %s [%" PRIu64 "], %s after the beginning, within %s\n",
			text_count(l->count), *l->program ? l->program : "?",
			et_pid(l->upid, r->session->pid_bits),
			text_time(l->since > r->begun ? l->since - r->begun : 0),
			text_time(l->until - l->since));
	}
	if (t->nlosses > n)
		fprintf(stderr, "  and %s more times\n", text_count(t->nlosses - n));
	if (lost_records(a) > t->lost)
		fprintf(stderr, "  %s of tasks that did nothing more that could tell of it\n",
			text_count(lost_records(a) - t->lost));
}

/* Tasks that something happened to: @what, with a signal's name behind it. */
static void tell_notable(const struct recording *r, const struct notable_list *l,
			 const char *what)
{
	char name[32];

	for (unsigned int i = 0; i < l->ntasks; i++) {
		const struct notable_task *t = &l->task[i];

		name[0] = 0;
		if (t->signal)
			signal_name((int)t->signal, name, sizeof(name));
		fprintf(stderr, "  %s [%" PRIu64 "] %s%s%s\n", t->program,
			et_pid(t->upid, r->session->pid_bits), what, name,
			t->core ? ", and left a core" : "");
	}
	if (l->ntasks == NOTABLE_MAX && l->n > NOTABLE_MAX)
		fprintf(stderr, "  and others\n");
}

/* @quiet: only those that are not whole */
static void tell_outputs(const struct recording *r, bool quiet)
{
	struct term_colors c = term_colors(STDERR_FILENO);

	for (unsigned int i = 0; i < outputs_count(r->outputs); i++) {
		const char *fault = outputs_fault(r->outputs, i);

		if (fault)
			fprintf(stderr, "  %s%s%s: %snot whole%s: %s\n", c.bold,
				outputs_path(r->outputs, i), c.off, c.bad, c.off, fault);
		else if (!quiet)
			fprintf(stderr, "  %s%s%s\n", c.bold, outputs_path(r->outputs, i), c.off);
	}
}

static void tell(const struct recording *r, const struct rec_account *a,
		 const struct verdict *v, bool complete, uint64_t ended)
{
	struct term_colors c = term_colors(STDERR_FILENO);

	if (!r->opt.quiet) {
		fprintf(stderr, PROG ": %s, %s processes, %s events; %s%s%s\n",
			text_time(ended - r->begun), text_count(a->tally->processes),
			text_count(a->tally->events), complete ? c.good : c.bad,
			complete ? "complete" : "NOT COMPLETE", c.off);
	} else if (!complete) {
		say("the trace is not complete");
	}
	if (!v->complete)
		verdict_print(v, stderr);
	if (lost_records(a))
		tell_losses(r, a);
	tell_notable(r, notable_urings(r->notable), "set up an io_uring");
	if (!r->opt.quiet)
		tell_notable(r, notable_killed(r->notable), "was ended by ");
	tell_outputs(r, r->opt.quiet);
	if (r->opt.verbose && !r->opt.quiet)
		fprintf(stderr, "  %s records, %s from the buffers; largest buffer %s; at most %s read ahead; %s names joined, %" PRIu64 " hooks missing\n",
			text_count(a->tally->records), text_bytes(a->bytes),
			text_bytes(a->buffer), text_bytes(a->waited),
			text_count(a->module.strings_joined), (uint64_t)a->module.hooks_missing);
}

bool record_end(struct recording *r, int status)
{
	struct rec_account a;
	struct verdict v;
	uint64_t ended;
	bool complete;
	int err;

	ended = now_ns();
	err = r->session->ops->stop(r->session);
	if (!err)
		err = r->session->ops->account(r->session, &a);
	if (err) {
		progress_hide();
		say("cannot end the session: %s; what the trace misses is not known", strerror(-err));
		end_outputs(r);
		tell_outputs(r, true);
		return false;
	}
	a.urings = notable_urings(r->notable)->n;
	verdict_of(&v, &a, r->diag);
	write_verdicts(r, &a, status, ended);
	complete = !end_outputs(r) && v.complete;
	progress_hide();
	tell(r, &a, &v, complete, ended);
	return complete;
}

void record_free(struct recording *r)
{
	char why[256];

	if (!r)
		return;
	session_close(r->session);
	if (!r->opt.keep_module && !device_unload(why, sizeof(why)) && !r->opt.quiet)
		say("%s", why);
	notable_free(r->notable);
	outputs_free(r->outputs);
	if (r->signals >= 0)
		close(r->signals);
	opts_free(&r->opts);
	diag_free(r->diag);
	buf_free(&r->command);
	free(r->fds);
	free(r);
}
