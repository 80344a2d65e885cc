/* SPDX-License-Identifier: LGPL-2.1 */
/* A build as one HTML file: Documentation/page.md says what is in it. */
#ifndef ETRACE_PAGE_H
#define ETRACE_PAGE_H

#include "answers/answers.h"

/* What of the data, compressed and as base64, a browser shall have to take, in bytes. */
#define PAGE_BUDGET	(64u << 20)

/* What a page shows besides the build; NULL: nothing. */
struct page_with {
	const char *inside;	/* time traces of compilers, below this directory; "": anywhere */
	struct db *before;	/* an earlier build, which it is compared with */
};

/**
 * page_put - all of it
 * @with: may be NULL
 * @budget: PAGE_BUDGET; what is more is left out, and the page says so
 */
void page_put(struct db *db, struct out *out, const struct page_with *with, uint64_t budget);

/** page_may_create - Return: false after diag_fatal() if this was built without pages */
bool page_may_create(const char *path, struct diag *diag);

/**
 * page_create - a page as a file, as out_create()
 * @with: of page_put()
 * @path: "-": standard output
 *
 * Return: false after diag_fatal(), and nothing has changed.
 */
bool page_create(struct db *db, const char *path, const struct page_with *with,
		 struct diag *diag);

#endif
