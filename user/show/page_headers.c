// SPDX-License-Identifier: LGPL-2.1
/*
 * Estimates the cost of headers.  See page_parts.h.
 *
 * The trace does not show how long a compiler took for one of the files that it read.  So
 * each header is charged with all of the compiler's time, which is an upper bound.
 */
#include "show/page_parts.h"
#include "base/xalloc.h"
#include "timeline/work.h"

#include <stdlib.h>
#include <string.h>

#define HEADERS		200u

static bool is_header(const struct build *b, uint32_t file)
{
	static const char *const ends[] = {
		".h", ".hh", ".hpp", ".hxx", ".H", ".inc", ".tcc", ".ipp",
	};
	size_t len;
	const char *path = build_path(b, file, &len), *slash = memrchr(path, '/', len), *dot;

	if (!slash)
		return false;
	dot = memrchr(slash, '.', (size_t)(path + len - slash));
	for (size_t i = 0; dot && i < sizeof(ends) / sizeof(*ends); i++)
		if (strlen(ends[i]) == (size_t)(path + len - dot) &&
		    !memcmp(dot, ends[i], strlen(ends[i])))
			return true;
	/* headers of C++ without a suffix: <vector> */
	return !dot && memmem(path, len, "/include/c++/", 13);
}

static int by_took(const void *a, const void *b)
{
	const struct page_header *x = a, *y = b;

	if (x->took != y->took)
		return x->took < y->took ? 1 : -1;
	return (x->file > y->file) - (x->file < y->file);
}

/*
 * Find headers.  @rows: one for each file; set to the headers, the most expensive first.
 * Return: the number of headers.
 */
static size_t find_headers(const struct page *p, const uint8_t *classes, struct page_header *rows)
{
	const struct build *b = build_of(p->db);
	size_t n = 0;

	for (size_t i = 0; i < b->naccesses; i++) {
		const struct build_access *a = &b->accesses[i];
		uint32_t file = b->versions[a->version].file;
		struct page_header *h = &rows[file];

		if (a->how != GRAPH_READ || classes[a->exec] != WORK_COMPILE || h->last == a->exec)
			continue;
		h->file = file;
		h->last = a->exec;
		h->compilers++;
		h->took += p->t.execs[a->exec].worked;
	}
	for (uint32_t file = 1; file <= b->nfiles; file++)
		if (rows[file].compilers && is_header(b, file))
			rows[n++] = rows[file];
	if (n)
		qsort(rows, n, sizeof(*rows), by_took);
	return n;
}

void page_headers_load(struct page *p, const uint8_t *classes)
{
	size_t shown;

	p->headers = xcalloc(build_of(p->db)->nfiles + 1ul, sizeof(*p->headers));
	p->nheaders = find_headers(p, classes, p->headers);
	shown = p->nheaders < HEADERS ? p->nheaders : HEADERS;
	p->headers = xrealloc(p->headers, shown * sizeof(*p->headers));
	for (size_t i = 0; i < shown; i++)
		page_graph_want(&p->g, p->headers[i].file);
}

void page_headers_put(struct page *p)
{
	struct out *out = page_section(&p->sections, "headers");
	struct json j = { .out = out };

	json_begin(&j, '{');
	json_key(&j, "n");
	json_u64(&j, p->nheaders);
	json_list(&j, "rows");
	for (size_t i = 0; i < p->nheaders && i < HEADERS; i++) {
		json_begin(&j, '[');
		json_i64(&j, (int64_t)page_graph_file(&p->g, p->headers[i].file) - 1);
		json_u64(&j, p->headers[i].compilers);
		json_i64(&j, p->headers[i].took);
		json_end(&j, ']');
	}
	json_end(&j, ']');
	json_end(&j, '}');
	out_close(out);
	free(p->headers);
}
