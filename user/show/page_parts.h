/* SPDX-License-Identifier: LGPL-2.1 */
/* Declarations that the parts of a page share.  Only page*.c include this. */
#ifndef ETRACE_PAGE_PARTS_H
#define ETRACE_PAGE_PARTS_H

#include "answers/faster.h"
#include "answers/inside.h"
#include "answers/timeline_load.h"
#include "show/page_graph.h"
#include "show/page_section.h"
#include "io/json_out.h"

struct page_header {
	uint32_t file;
	uint32_t compilers;	/* number of compilers that read it */
	uint32_t last;		/* the exec counted last, so that each is counted once */
	int64_t took;		/* total time that these compilers worked, ns */
};

struct page {
	struct db *db;
	struct page_sections sections;
	struct page_graph g;
	struct timeline t;	/* valid until page_times_drop(), which sets @sum from it */
	struct page_sum {
		int64_t wall, cpu, endless;	/* ns */
		double average;
		bool costs;
	} sum;
	bool failed;		/* the build failed */
	struct page_times *times;
	struct faster faster;
	struct page_header *headers;	/* the most expensive first */
	size_t nheaders;
	const char *inside;	/* argument @below of inside_find(); NULL if not wanted */
	struct inside traces;
	const char **left_out;	/* descriptions of what was left out */
	size_t nleft_out, left_out_cap;
};

/* ---- page_times.c: processes, programs, labels, slices, steps, path, slowest ---- */

/**
 * page_times_load - load everything but numbers of files; calls page_graph_want()
 * page_times_put - write the sections
 * page_times_drop - free all that page_times_counts() does not need, and set page.sum
 * page_times_free - free the rest
 */
void page_times_load(struct page *p);
void page_times_put(struct page *p);
void page_times_drop(struct page *p);
void page_times_free(struct page *p);

/** page_times_counts - write the members of meta.counts, also after page_times_drop() */
void page_times_counts(const struct page *p, struct json *j);

/* ---- page_overview.c: overview ---- */

/** page_overview_put - write the overview; needs the timeline */
void page_overview_put(struct page *p);

/* ---- page_headers.c: headers ---- */

/** page_headers_load - find headers, calls page_graph_want(); @classes: by exec, enum work_class */
void page_headers_load(struct page *p, const uint8_t *classes);

/** page_headers_put - write the headers, and free them */
void page_headers_put(struct page *p);

/* ---- page_compare.c: compare ---- */

/** page_compare_put - compare with an earlier build; call it before the timeline is loaded */
void page_compare_put(struct page *p, struct db *before);

/* ---- page_inside.c: inside ---- */

/** page_inside_put - write the time traces.  Return: false if they exceeded @budget: left out */
bool page_inside_put(struct page *p, uint64_t budget);

/** page_inside_meta - write meta.compiler_traces; call it after page_inside_put() */
void page_inside_meta(struct page *p, struct json *j);

/* ---- page_template.c ---- */

/* Empty if etrace was built without pages. */
extern const char page_template[], page_template_end[];

#endif
