/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random traces for tests of the etrace model: events, the lines that a tracer would print
 * for them, and reading these back.  The printing here follows the format document and shares
 * no code with event_lines.c.
 */
#ifndef COMMON_ETRACE_H
#define COMMON_ETRACE_H

#include "common_convert.h"
#include "event/event.h"

/* Random numbers; the same seed gives the same numbers. */
struct rng {
	uint64_t s;
};

uint64_t rnd(struct rng *r, uint64_t below);
/* True once in @n times. */
bool rnd_one_in(struct rng *r, uint64_t n);

/** seed - where random traces start: ETRACE_RANDOM from the environment, or @otherwise */
uint64_t seed(uint64_t otherwise);

/* Events, ordered by time. */
struct events {
	struct et_event *e;
	size_t n, cap;
};

/** events_add - append a deep copy. Return: the copy */
struct et_event *events_add(struct events *es, const struct et_event *ev);
void events_free(struct events *es);

/** assert_event_equal - same call, same values, same strings, same time */
void assert_event_equal(const struct et_event *a, const struct et_event *b);

/* How a tracer prints its lines. */
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
	size_t max_string;	/* longest string, in bytes */
	bool newlines;		/* strings may have newlines, and bytes that are not UTF-8 */
	bool one_time;		/* all lines of a record have the same time, as in old traces */
};

/**
 * gen_trace - make random events of several tasks, and their lines
 * @events: how many
 * @expect: filled with them, ordered by time
 * @files: one for each CPU, with its records ordered by time;
 *	all go to the first one with @global
 */
void gen_trace(struct gen *g, size_t events, struct events *expect,
	       struct bytes *files, bool global);

/* What a reader returned. */
struct reading {
	struct events events;
	int status;
	struct bytes messages;
};

/** read_lines - read files of trace_pipe text as one trace */
struct reading read_lines(const struct bytes *files, size_t n);
void reading_free(struct reading *r);

/** lines_of - print events as canonical lines */
struct bytes lines_of(const struct events *es);

/**
 * own_times - give each line that begins with its prefix a time of its own
 *
 * Return: the same lines; a line that is not later than the one before it of its task
 * becomes 1 ns later than that.  Other lines are copied.
 */
struct bytes own_times(const char *text, size_t n);

/**
 * assert_sorted - assert that the order of a task's lines is the order of their times
 *
 * Shuffles the lines, sorts them by upid and time, and compares.
 */
void assert_sorted(const struct bytes *text);

/*
 * Events of many kinds, complete and incomplete.  Golden files hold what they are converted
 * to, so do not add new kinds here: gen_trace() makes those.
 */
extern const char every_kind_lines[];

#endif
