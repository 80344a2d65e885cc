/* SPDX-License-Identifier: LGPL-2.1 */
/* Who read and wrote what, as a page has it: all of a build in memory. */
#ifndef ETRACE_PAGE_GRAPH_H
#define ETRACE_PAGE_GRAPH_H

#include "show/page_section.h"
#include "build/build.h"

#define PAGE_BLOCK 1024u	/* rows */

/* Of a version and of a file. */
struct page_row {
	uint32_t id : 31;	/* in the page, from 1 on; 0: not there */
	bool wanted : 1;
};

struct page_graph {
	const struct build *b;
	struct page_row *versions, *files;	/* by id of the database */
	uint32_t versions_put, files_put;	/* how many are in the page */
};

/** page_graph_load - all of it; for page_graph_free() */
void page_graph_load(struct page_graph *g, struct db *db);
void page_graph_free(struct page_graph *g);

/** page_graph_want - a file that is to be in the page */
void page_graph_want(struct page_graph *g, uint32_t file);

/** page_graph_number - all that are wanted are known: gives them their numbers */
void page_graph_number(struct page_graph *g);

/** page_graph_file - the number of a file + 1; 0: none */
uint32_t page_graph_file(const struct page_graph *g, uint32_t file);

/** page_graph_put - sections files, filefacts, versions, writes */
void page_graph_put(const struct page_graph *g, struct page_sections *s);

/* What is left out of the reads, the more the higher. */
enum page_reads {
	PAGE_READS_ALL,
	PAGE_READS_DATA,	/* programs, libraries and the like that the build did not make */
	PAGE_READS_MADE,	/* everything that the build did not make */
	PAGE_READS_NONE,
};

/** page_graph_put_reads - section reads, until it makes all sections longer than @budget */
void page_graph_put_reads(const struct page_graph *g, struct page_sections *s,
			  enum page_reads what, uint64_t budget);

/**
 * page_graph_put_inputs - section inputs: what each version was made from
 *
 * Return: whether all sections are no longer than @budget; else some of it is not there.
 */
bool page_graph_put_inputs(const struct page_graph *g, struct page_sections *s, uint64_t budget);

#endif
