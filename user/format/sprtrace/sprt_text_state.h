/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * State shared by the parts of the reader of text reports.  Only sprt_text*.c
 * include this: sprt_text.c reads the lines of a report, sprt_text_call.c, which has the
 * functions below, assembles calls and groups of calls.
 */
#ifndef SPRT_TEXT_STATE_H
#define SPRT_TEXT_STATE_H

#include "io/formats.h"
#include "format/sprtrace/sprt_log.h"
#include "format/sprtrace/sprt_mem.h"
#include "format/sprtrace/sprt_model.h"

struct sprt_text {
	struct source source;
	struct source_args args;
	struct sink *sink;
	struct in *in;
	size_t next;		/* index of @in */
	uint64_t line;		/* number, from 1 */
	char *buf;		/* the line, with a NUL after it */
	size_t buf_cap;

	bool compressed;	/* the report's header has the filter "compress" */
	bool always_traced;	/* version below 1.2: every call has a backtrace, maybe empty */
	/*
	 * Only for a report whose calls are, or may be, in groups, else NULL: calls
	 * get their backtrace at the end of the group, and are sorted at the end.
	 */
	struct sprt_log *log;
	size_t group;		/* index of its first call in the log */
	uint64_t summary;	/* number of calls in the group's summary line */
	bool summed;		/* the group has a summary line */

	/* The last call, and what belongs to it or to its group. */
	bool call_open;
	bool lost_call;		/* an unreadable call followed it */
	struct sprt_item call;
	struct sprt_item *later;	/* comments within the call */
	size_t nlater, later_cap;
	struct sprt_arg *arg;
	size_t arg_cap;
	uint64_t *frame;
	size_t nframe, frame_cap;
	const char **resolved;
	size_t resolved_cap;
	struct sprt_arena strings;	/* strings of the call and its comments */

	bool in_heap;
	unsigned int heap_seen;	/* bit for each row of sprt_heap_words */
	struct sprt_item heap;

	/* Types of the resources by id, such as "fd"; calls name them as "<fd>". */
	char *known[SPRT_RESOURCE_MAX + 1];
	unsigned int nknown;
};

extern const struct diag_kind sprt_damage_field, sprt_damage_line;

/** sprt_text_damaged - report damage: @what is wrong; @shown: the damaged text or NULL */
void sprt_text_damaged(const struct sprt_text *t, const struct diag_kind *kind,
		       const char *what, const char *shown);

/** sprt_text_emit - pass an item on, or keep it until all calls have been read */
int sprt_text_emit(struct sprt_text *t, struct sprt_item *item);

/* Each of these returns 0 or the sink's negative errno. */

/** sprt_text_call - begin a call; @name: "name<type>", is modified */
int sprt_text_call(struct sprt_text *t, struct sprt_call *call, char *name);

/** sprt_text_tab - parse a line that begins with a tab: "$name = value" or
 * "0xaddr[ text]"
 */
int sprt_text_tab(struct sprt_text *t, char *line);

/**
 * sprt_text_end_call - pass the open call on, if any
 * @trace: the call has a backtrace, maybe an empty one
 */
int sprt_text_end_call(struct sprt_text *t, bool trace);

/** sprt_text_end_group - end the call like sprt_text_end_call(), and its group */
int sprt_text_end_group(struct sprt_text *t, bool trace);

/** sprt_text_later - keep a comment until the call before it is passed on */
void sprt_text_later(struct sprt_text *t, const char *line);

/** sprt_text_resource - add a resource that the report lists */
int sprt_text_resource(struct sprt_text *t, const struct sprt_resource *res);

/** sprt_text_forget - forget all resources, because another report begins */
void sprt_text_forget(struct sprt_text *t);

#endif
