/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random traces for tests of the etrace model: events, the lines that a tracer
 * would print of them, and reading them back.  The printing here follows the
 * format document and knows nothing of event_lines.c.
 */
#ifndef COMMON_ETRACE_H
#define COMMON_ETRACE_H

#include "common_convert.h"
#include "event/event.h"

/* Random numbers; a seed gives the same ones each time. */
struct rng {
	uint64_t s;
};

uint64_t rnd(struct rng *r, uint64_t below);
/* True once in @n times. */
bool rnd_one_in(struct rng *r, uint64_t n);

/** seed - ETRACE_RANDOM from the environment, or @otherwise: random traces start there */
uint64_t seed(uint64_t otherwise);

/* Events, in the order of time. */
struct events {
	struct et_event *e;
	size_t n, cap;
};

/** events_add - a deep copy at the end. Return: the copy */
struct et_event *events_add(struct events *es, const struct et_event *ev);
void events_free(struct events *es);

/** assert_event_equal - same call, same values, same strings, same time */
void assert_event_equal(const struct et_event *a, const struct et_event *b);

/* How a tracer prints. */
enum style {
	STYLE_MODULE,		/* several lines a record, ftrace's columns on the first */
	STYLE_OLD,		/* one line a record, each with columns and a time */
	STYLE_PLAIN,		/* one line a record, no columns */
	STYLE_NAMED,		/* several lines a record, "etrace_open: " on the first */
	STYLE_COUNT
};

struct gen {
	struct rng r;
	enum style style;
	unsigned int tasks, cpus;
	size_t max_string;	/* bytes of the longest ones */
	bool newlines;		/* and bytes that are not UTF-8 */
	bool one_time;		/* all lines of a record have its time, as of old */
};

/**
 * gen_trace - random events of several tasks and their lines
 * @events: how many
 * @expect: filled with them, in the order of time
 * @files: one for each processor, with its records in the order of time;
 *	with @global all go to the first
 */
void gen_trace(struct gen *g, size_t events, struct events *expect,
	       struct bytes *files, bool global);

/* What reading gave. */
struct reading {
	struct events events;
	int status;
	struct bytes messages;
};

/** read_lines - files of trace_pipe text as one trace */
struct reading read_lines(const struct bytes *files, size_t n);
void reading_free(struct reading *r);

/** lines_of - events as canonical lines */
struct bytes lines_of(const struct events *es);

/**
 * own_times - lines that begin with their prefix, each with a time of its own
 *
 * Return: the same lines; where one is not later than its task's line before,
 * it is 1 ns later.  Other lines are copied.
 */
struct bytes own_times(const char *text, size_t n);

/**
 * assert_sorted - the order of a task's lines is the order of their times
 *
 * Shuffles the lines, sorts them by upid and time, and compares.
 */
void assert_sorted(const struct bytes *text);

/*
 * Events of many kinds, whole and not; golden files have what is made of them, so
 * new kinds are not added here: gen_trace() makes those.
 */
extern const char every_kind_lines[];

#endif
