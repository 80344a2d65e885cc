// SPDX-License-Identifier: LGPL-2.1
/* The check "changed": inputs whose content changed during the build.  See check.h. */
#include "answers/check.h"
#include "base/xalloc.h"

#include <stdlib.h>

static const char what[] = "held something else later, and the build did not change it";

struct read {
	uint32_t file, version, unit;
	int64_t at;
};

struct reads {
	struct read *rows;	/* by file and time */
	size_t n, cap;
};

static int by_file(const void *a, const void *b)
{
	const struct read *x = a, *y = b;

	if (x->file != y->file)
		return (x->file > y->file) - (x->file < y->file);
	if (x->at != y->at)
		return (x->at > y->at) - (x->at < y->at);
	return (x->unit > y->unit) - (x->unit < y->unit);
}

/* Load all reads, including reads of installed files: the compiler itself can change. */
static void load_reads(const struct check *c, struct reads *reads)
{
	const struct build *b = c->s.b;

	for (size_t i = 0; i < b->naccesses; i++) {
		const struct build_access *a = &b->accesses[i];
		uint32_t version = b->versions[a->version].holds, unit = c->s.unit_of[a->exec];

		if ((a->how != GRAPH_READ && a->how != GRAPH_RUN) || !a->file || !unit ||
		    !build_is_file(&b->versions[version]) || c->place[a->file] == PLACE_CACHE)
			continue;
		reads->rows = xgrow(reads->rows, &reads->cap, reads->n + 1, sizeof(*reads->rows));
		reads->rows[reads->n++] = (struct read){ a->file, version, unit, a->at };
	}
	if (reads->n)
		qsort(reads->rows, reads->n, sizeof(*reads->rows), by_file);
}

/* Whether the build gave a version this name. */
static bool was_named(const struct build *b, uint32_t version, uint32_t file)
{
	size_t n;
	const uint32_t *given = build_list(b, BUILD_GIVEN, version, &n);

	for (size_t i = 0; i < n; i++)
		if (b->names[given[i] - 1].file == file && b->names[given[i] - 1].exec)
			return true;
	return false;
}

/* Whether something other than the build changed a file's content from one read to the next. */
static bool is_changed(const struct build *b, const struct read *before, const struct read *r)
{
	int64_t since;

	if (b->versions[r->version].made != GRAPH_EXISTED)
		return false;
	/* written in place: with the same inode number, it is still the same version */
	if (r->version == before->version)
		return build_changed(b, r->version, &since) && before->at <= since && r->at > since;
	return b->versions[r->version].file == r->file && !was_named(b, r->version, r->file) &&
	       build_same_content(b, before->version, b, r->version) == BUILD_DIFFERENT;
}

/* Whether row @i is the last read that saw a foreign change of a file that the build made. */
static bool is_foreign(const struct build *b, const struct reads *reads, size_t i)
{
	const struct read *r = &reads->rows[i], *next = r + 1;
	uint32_t maker = b->versions[r->version].exec;
	int64_t until;

	/* writes through an io_uring are not always recorded */
	return build_foreign(b, r->version, &until) && r->at <= until &&
	       !(b->execs[maker].unseen & GRAPH_UNSEEN_URING) &&
	       (i + 1 == reads->n || next->version != r->version || next->at > until);
}

void check_contents(struct check *c)
{
	struct reads reads = { 0 };
	const struct build *b = c->s.b;
	const struct read *before;

	if (!build_hashed(b))
		return;
	load_reads(c, &reads);
	before = reads.rows;
	for (size_t i = 0; i < reads.n; before = &reads.rows[i++]) {
		const struct read *r = &reads.rows[i];
		uint32_t first = 0;

		if (is_foreign(b, &reads, i))
			first = c->s.unit_of[b->versions[r->version].exec];
		else if (r != before && r->file == before->file && is_changed(b, before, r))
			first = before->unit;
		if (first)
			check_add(c, (struct check_finding){
				.kind = CHECK_CHANGED, .file = r->file, .unit = r->unit,
				.other = first, .what = what,
			});
	}
	free(reads.rows);
}
