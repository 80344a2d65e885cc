/* SPDX-License-Identifier: LGPL-2.1 */
/* Writes the files, versions, reads and writes of a build in the form that a page has them. */
#ifndef ETRACE_PAGE_GRAPH_H
#define ETRACE_PAGE_GRAPH_H

#include "show/page_section.h"
#include "build/build.h"

#define PAGE_BLOCK 1024u	/* number of rows of a block */

/* State of a version or file. */
struct page_row {
	uint32_t id : 31;	/* its id in the page, from 1; 0 if not in it */
	bool wanted : 1;	/* it will be in the page */
};

struct page_graph {
	const struct build *b;
	struct page_row *versions, *files;	/* by id in the database */
	uint32_t versions_put, files_put;	/* how many of them are in the page */
};

/** page_graph_load - load the graph; release it with page_graph_free() */
void page_graph_load(struct page_graph *g, struct db *db);
void page_graph_free(struct page_graph *g);

/** page_graph_want - put a file into the page */
void page_graph_want(struct page_graph *g, uint32_t file);

/** page_graph_number - number all wanted files and versions; call it after page_graph_want() */
void page_graph_number(struct page_graph *g);

/** page_graph_file - 1 + the number of a file; 0 if not in the page */
uint32_t page_graph_file(const struct page_graph *g, uint32_t file);

/** page_graph_put - write the sections files, filefacts, versions, writes */
void page_graph_put(const struct page_graph *g, struct page_sections *s);

/* Which reads are left out; each level leaves out more. */
enum page_reads {
	PAGE_READS_ALL,		/* none are left out */
	PAGE_READS_DATA,	/* reads of programs, libraries etc. that the build did not make */
	PAGE_READS_MADE,	/* reads of everything that the build did not make */
	PAGE_READS_NONE,	/* all reads */
};

/** page_graph_put_reads - write section reads; stops once all sections together exceed @budget */
void page_graph_put_reads(const struct page_graph *g, struct page_sections *s,
			  enum page_reads what, uint64_t budget);

/**
 * page_graph_put_inputs - write section inputs: what each version was made from
 *
 * Return: false if it is incomplete because all sections together would exceed @budget bytes.
 */
bool page_graph_put_inputs(const struct page_graph *g, struct page_sections *s, uint64_t budget);

#endif
