/* SPDX-License-Identifier: LGPL-2.1 */
/* Writes a build as one HTML file, which Documentation/page.md describes. */
#ifndef ETRACE_PAGE_H
#define ETRACE_PAGE_H

#include "answers/answers.h"

/*
 * Upper limit, in bytes, of the data in a page, compressed and as base64: browsers have
 * trouble with larger files.
 */
#define PAGE_BUDGET	(64u << 20)

/* What a page shows in addition to the build; each is NULL if not wanted. */
struct page_with {
	const char *inside;	/* directory with compilers' time traces; "" to look anywhere */
	struct db *before;	/* an earlier build to compare with */
};

/**
 * page_put - write a page
 * @with: may be NULL
 * @budget: normally PAGE_BUDGET; data beyond it is left out, and the page says so
 */
void page_put(struct db *db, struct out *out, const struct page_with *with, uint64_t budget);

/** page_may_create - Return: false after diag_fatal() if etrace was built without pages */
bool page_may_create(const char *path, struct diag *diag);

/**
 * page_create - write a page to a file, see out_create()
 * @path: "-" for standard output
 * @with: see page_put()
 *
 * Return: false after diag_fatal(), with the file unchanged.
 */
bool page_create(struct db *db, const char *path, const struct page_with *with,
		 struct diag *diag);

#endif
