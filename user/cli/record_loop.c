// SPDX-License-Identifier: GPL-2.0
/* The loop of a recording, and its progress line.  See record.h. */
#include "cli/record_state.h"
#include "cli/etrace.h"
#include "cli/cgroups.h"
#include "cli/term.h"

#include <sys/resource.h>
#include <unistd.h>

/* Interval between flushes of the outputs, in ns: files lack at most this much at the end. */
#define SYNC_NS		(400 * RECORD_MS)
#define PROGRESS_NS	(500 * RECORD_MS)
/* Shortest time between two looks at the buffers, in ms. */
#define TICK_MIN	4
/* Longest time between two looks while files are hashed, in ms. */
#define TICK_HASH	8
/*
 * Some kernels wake a reader long before its buffer is as full as requested. After this
 * many early wakeups, the loop stops polling the buffers and only checks them at each
 * tick.
 */
#define STRIKES		8
/* Higher priority than the traced programs, which could fill the buffers faster than we read. */
#define NICE		(-10)
/* Longest wait for the outputs, in ms, before this program is stopped. */
#define PAUSE_MS	200

static void show_progress(struct recording *r, uint64_t now)
{
	struct live_counts counts = {
		.ns = now - r->begun, .processes_now = notable_processes_now(r->notable),
		.processes = notable_processes(r->notable), .events = r->session->tally->events,
		.bytes = outputs_bytes(r->outputs), .lost = notable_losses(r->notable)->records,
	};
	struct live_now live;
	struct buf line = { 0 };

	notable_live(r->notable, now, &live);
	live_line(&line, &live, &counts, progress_columns(), r->utf8);
	progress_show(line.s, line.len);
	buf_free(&line);
	r->shown = now;
}

static void sync_outputs(struct recording *r, uint64_t now)
{
	outputs_sync(r->outputs);
	r->synced = now;
}

void record_end_view(struct recording *r)
{
	if (!r->top)
		return;
	top_close(r->top);
	r->top = NULL;
	if (r->aside)
		aside_show(r->aside, false);
	if (!r->opt.quiet)
		progress_begin(r->opt.progress);
}

bool record_interrupted(struct recording *r)
{
	struct signalfd_siginfo info;
	bool ends = false;

	while (read(r->signals, &info, sizeof(info)) == sizeof(info))
		ends |= record_ends_programs(&info);
	return ends;
}

void record_keep_view(struct recording *r)
{
	if (r->top)
		top_model(r->top)->over = true;
	while (r->top && !record_interrupted(r) && top_wait(r->top))
		;
}

/*
 * Show the view; after its end, show kept output and the progress line.
 * Return: false if the recording ends with the view.
 */
static bool show_view(struct recording *r, uint64_t now)
{
	if (r->top && !top_keys(r->top)) {
		record_end_view(r);
		return !r->opt.no_output;
	}
	if (r->top)
		top_show(r->top);
	else if (r->aside)
		aside_show(r->aside, false);
	if (!r->top && progress_on() && now >= r->shown + PROGRESS_NS)
		show_progress(r, now);
	return true;
}

/* How long to wait for something to happen, in ms. */
static int wait_for(const struct recording *r, uint64_t now)
{
	uint64_t next = now + (uint64_t)r->tick * RECORD_MS;

	if (progress_on() && r->shown + PROGRESS_NS < next)
		next = r->shown + PROGRESS_NS;
	return next > now ? (int)((next - now) / RECORD_MS) + 1 : 0;
}

/* Check more often while the buffers fill fast, in case the kernel does not wake us. */
static void pace_reads(struct recording *r, bool woken, bool slept)
{
	unsigned int level = r->session->level;
	/* a file to be hashed may soon be removed */
	int slowest = r->contents ? TICK_HASH : RECORD_TICK_MAX;

	if (woken && slept && level < 10 && !r->session->ops->wakes_for_a_reason &&
	    ++r->strikes >= STRIKES)
		r->poll_cpus = false;
	if (level > 20)
		r->tick = r->tick / 2 > TICK_MIN ? r->tick / 2 : TICK_MIN;
	else if (level < 5)
		r->tick = r->tick * 2 < slowest ? r->tick * 2 : slowest;
}

static bool take_signals(struct recording *r, record_signal_fn *fn, void *ctx)
{
	struct signalfd_siginfo info;
	bool on = true;

	while (on && read(r->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			progress_resized();
		r->hurried |= record_ends_programs(&info);
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
	r->fds[0] = (struct pollfd){ .fd = r->signals, .events = POLLIN };
	/* idle_fd only ever gets POLLHUP: wait for it only if the loop is to end then */
	r->fds[1] = (struct pollfd){ .fd = till_idle && !r->opt.ncgroups ? s->idle_fd : -1 };
	s->ops->poll(s, r->fds + RECORD_FDS);

	while (on) {
		uint64_t now = now_ns();
		bool woken = false, slept;

		r->fds[2] = (struct pollfd){ .fd = r->top ? top_fd(r->top) : -1, .events = POLLIN };
		n = poll(r->fds, RECORD_FDS + (r->poll_cpus ? s->nfds : 0), more ? 0 : wait_for(r, now)) > 0;
		for (unsigned int i = 0; n && r->poll_cpus && i < s->nfds; i++)
			woken |= r->fds[RECORD_FDS + i].revents != 0;
		if (n && r->fds[0].revents)
			on = take_signals(r, fn, ctx);
		if (till_idle && s->ops->idle(s) && !cgroups_there(r->cgroups))
			on = false;
		slept = !more;
		more = s->ops->pump(s) > 0;
		pace_reads(r, woken, slept);
		now = now_ns();
		if (now >= r->synced + SYNC_NS)
			sync_outputs(r, now);
		on &= show_view(r, now);
	}
}

void record_pause(struct recording *r)
{
	r->session->ops->pump(r->session);
	sync_outputs(r, now_ns());
	outputs_settle(r->outputs, PAUSE_MS);
	progress_hide();
	if (r->top)
		top_pause(r->top);
}
