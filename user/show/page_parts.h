/* SPDX-License-Identifier: LGPL-2.1 */
/* What the parts of a page share.  Only page*.c include this. */
#ifndef ETRACE_PAGE_PARTS_H
#define ETRACE_PAGE_PARTS_H

#include "answers/faster.h"
#include "answers/inside.h"
#include "answers/line.h"
#include "show/page_graph.h"
#include "show/page_section.h"
#include "io/json_out.h"

struct page_header {
	uint32_t file;
	uint32_t compilers;	/* that read it */
	uint32_t last;		/* exec: each counts once */
	int64_t took;		/* how long these worked */
};

struct page {
	struct db *db;
	struct page_sections sections;
	struct page_graph g;
	struct timeline t;	/* until page_times_drop(); then of it: */
	struct page_sum {
		int64_t wall, cpu, endless;
		double average;
		bool costs;
	} sum;
	struct page_times *times;
	struct faster faster;
	struct page_header *headers;	/* the costliest first */
	size_t nheaders;
	const char *inside;	/* of inside_find(); NULL: not asked for */
	struct inside traces;
	const char **left_out;	/* in words */
	size_t nleft_out, left_out_cap;
};

/* ---- page_times.c: processes, programs, labels, slices, steps, path, slowest ---- */

/**
 * page_times_load - all but numbers of files; says which files are wanted
 * page_times_put
 * page_times_drop - free all but what page_times_counts() says, and set sum
 * page_times_free
 */
void page_times_load(struct page *p);
void page_times_put(struct page *p);
void page_times_drop(struct page *p);
void page_times_free(struct page *p);

/** page_times_counts - members of meta.counts */
void page_times_counts(const struct page *p, struct json *j);

/* ---- page_overview.c: overview ---- */

/** page_overview_put - while the timeline is there */
void page_overview_put(struct page *p);

/* ---- page_headers.c: headers ---- */

/** page_headers_load - says which files are wanted; @classes: of all execs, enum work_class */
void page_headers_load(struct page *p, const uint8_t *classes);

/** page_headers_put - and free them */
void page_headers_put(struct page *p);

/* ---- page_compare.c: compare ---- */

/** page_compare_put - the build beside an earlier one, before the timeline is loaded */
void page_compare_put(struct page *p, struct db *before);

/* ---- page_inside.c: inside ---- */

/** page_inside_put - Return: whether it is within the budget; else there is nothing of it */
bool page_inside_put(struct page *p, uint64_t budget);

/** page_inside_meta - meta.compiler_traces, behind page_inside_put() */
void page_inside_meta(struct page *p, struct json *j);

/* ---- page_template.c ---- */

/* Empty if this was built without pages. */
extern const char page_template[], page_template_end[];

#endif
