// SPDX-License-Identifier: GPL-2.0
/* The view of a running build.  See top.h. */
#include "cli/top.h"
#include "base/container.h"
#include "base/xalloc.h"
#include "event/event.h"
#include "cli/etrace.h"
#include "cli/term.h"
#include "format/choose.h"
#include "show/top_terminal.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FRAME_NS	250000000u

struct top {
	struct top_model *model;
	struct top_view view;
	struct top_terminal *terminal;
	struct top_past *past;
	uint64_t drawn;		/* when the last frame was drawn, ns */
	bool live;
	bool changed;		/* a key was pressed: draw a frame immediately */
	uint64_t busy, all;	/* sums from /proc/stat, at the last reading */
};

/* ---- the earlier recording ---- */

struct reader {
	struct sink sink;
	struct top_model *model;
};

static int take_item(struct sink *s, const void *item)
{
	top_model_event(container_of(s, struct reader, sink)->model, item);
	return 0;
}

static bool read_all(struct in *in, struct top_model *m, struct diag *diag)
{
	static const struct sink_ops ops = { .item = take_item };
	struct reader r = { { &ops }, m };
	struct opts opts;
	struct source_args args = { .in = &in, .nin = 1, .opts = &opts, .diag = diag };
	const struct source_format *format = choose_events(in);
	struct source *source;

	if (!format)
		return false;
	opts_init(&opts);
	source = format->open(&args);
	if (source) {
		source_run(source, &r.sink);
		source->ops->free(source);
	}
	opts_free(&opts);
	return source;
}

/* Return: false after a message. */
static bool read_past(struct top *t, unsigned int pid_bits, const char *before)
{
	struct top_model *m = top_model_new(pid_bits);
	struct diag *diag = diag_new(NULL, PROG);
	struct in *in;
	bool good;
	int err = 0;

	in = in_open(before, &err);
	t->past = m->collect = top_past_new();
	good = in && read_all(in, m, diag);
	if (!in)
		say("--before %s: %s", before, strerror(-err));
	else if (!good)
		say("--before %s: not a trace that etrace wrote; give the file of an earlier etrace run",
		    before);
	top_past_end(t->past, m->begun, m->now);
	t->model->past = t->past;
	in_close(in);
	diag_free(diag);
	top_model_free(m);
	return good;
}

/* ---- the machine ---- */

static void read_cpus(struct top *t)
{
	uint64_t v[8] = { 0 }, busy, all = 0;
	FILE *f = fopen("/proc/stat", "re");

	if (!f)
		return;
	if (fscanf(f, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6],
		   &v[7]) < 4)
		v[0] = 0;
	fclose(f);
	for (unsigned int i = 0; i < 8; i++)
		all += v[i];
	/* without idle time and I/O wait */
	busy = all - v[3] - v[4];
	if (all > t->all && t->all)
		t->view.machine.busy = (unsigned int)(100 * (busy - t->busy) / (all - t->all));
	t->busy = busy;
	t->all = all;
}

static void read_memory(struct top_machine *to)
{
	FILE *f = fopen("/proc/meminfo", "re");
	uint64_t total = 0, available = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "MemTotal: %" SCNu64, &total) == 1)
			continue;
		if (sscanf(line, "MemAvailable: %" SCNu64, &available) == 1)
			break;
	}
	if (f)
		fclose(f);
	to->memory = total * 1024;
	to->memory_used = (total - available) * 1024;
}

static void read_machine(struct top *t)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	t->view.machine.known = t->live;
	if (!t->live)
		return;
	t->view.machine.processors = n > 0 ? (unsigned int)n : 1;
	read_cpus(t);
	read_memory(&t->view.machine);
}

/* ---- the view ---- */

struct top *top_open(unsigned int pid_bits, const char *before, const char *quit)
{
	struct top *t = xcalloc(1, sizeof(*t));
	const char *no = getenv("NO_COLOR");
	char why[300];

	t->model = top_model_new(pid_bits);
	t->view.quit = quit;
	t->terminal = top_terminal_open(!(no && *no), term_utf8(), why, sizeof(why));
	if (!t->terminal)
		say("top: %s", why);
	if (t->terminal && (!before || read_past(t, pid_bits, before)))
		return t;
	top_close(t);
	return NULL;
}

void top_close(struct top *t)
{
	if (!t)
		return;
	top_terminal_close(t->terminal);
	top_model_free(t->model);
	top_past_free(t->past);
	top_view_free(&t->view);
	free(t);
}

struct top_model *top_model(struct top *t)
{
	return t->model;
}

void top_source(struct top *t, const char *source)
{
	t->view.source = source;
}

void top_live(struct top *t, bool live)
{
	t->live = live;
}

int top_fd(const struct top *t)
{
	return top_terminal_fd(t->terminal);
}

/* Whether the terminal was closed: its descriptor stays readable, but no more keys arrive. */
static bool is_hung_up(const struct top *t)
{
	struct pollfd fd = { .fd = top_fd(t), .events = POLLIN };

	return poll(&fd, 1, 0) > 0 && fd.revents & (POLLHUP | POLLERR);
}

bool top_keys(struct top *t)
{
	unsigned int key;

	while ((key = top_terminal_key(t->terminal))) {
		t->changed = true;
		if (!top_press(&t->view, t->model, key))
			return false;
	}
	return !is_hung_up(t);
}

/* In the background, the terminal belongs to another job: do not draw. */
static bool is_foreground(const struct top *t)
{
	return tcgetpgrp(top_terminal_fd(t->terminal)) == getpgrp();
}

void top_show(struct top *t)
{
	uint64_t now = now_ns();

	if (!t->changed && now < t->drawn + FRAME_NS)
		return;
	t->changed = false;
	if (!is_foreground(t)) {
		t->drawn = now;
		return;
	}
	if (now >= t->drawn + FRAME_NS)
		read_machine(t);
	t->drawn = now;
	/* the recorder's clock may be slightly ahead of the events that it passed on */
	top_draw(top_terminal_frame(t->terminal), &t->view, t->model,
		 t->live && now > t->model->now ? now : t->model->now);
	top_terminal_draw(t->terminal);
}

bool top_wait(struct top *t)
{
	uint64_t now = now_ns();
	struct pollfd fd = { .fd = top_fd(t), .events = POLLIN };
	int ms = now < t->drawn + FRAME_NS ? (int)((t->drawn + FRAME_NS - now) / 1000000) + 1 : 0;

	if (!t->changed && poll(&fd, 1, ms) < 0)
		/* poll() was interrupted by a signal: the size may have changed */
		t->changed = true;
	if (!top_keys(t))
		return false;
	top_show(t);
	return true;
}

void top_pause(struct top *t)
{
	top_terminal_pause(t->terminal);
	t->changed = true;
}
