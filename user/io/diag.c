// SPDX-License-Identifier: LGPL-2.1
/* Counts and reports damage.  See diag.h. */
#include "io/diag.h"
#include "base/text_num.h"
#include "base/xalloc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct diag {
	FILE *to;
	const char *prog;
	bool fatal;
	struct seen {
		const struct diag_kind *kind;
		uint64_t n;
	} *seen;
	size_t nseen, cap;
};

struct diag *diag_new(FILE *to, const char *prog)
{
	struct diag *d = xcalloc(1, sizeof(*d));

	d->to = to;
	d->prog = prog;
	return d;
}

void diag_free(struct diag *d)
{
	if (!d)
		return;
	free(d->seen);
	free(d);
}

static struct seen *seen_of(struct diag *d, const struct diag_kind *kind)
{
	struct seen *s;

	for (size_t i = 0; i < d->nseen; i++)
		if (d->seen[i].kind == kind)
			return &d->seen[i];
	d->seen = xgrow(d->seen, &d->cap, d->nseen + 1, sizeof(*d->seen));
	s = &d->seen[d->nseen++];
	s->kind = kind;
	s->n = 0;
	return s;
}

void diag_report(struct diag *d, const struct diag_kind *kind, const char *file,
		 enum diag_unit unit, uint64_t pos, const char *fmt, ...)
{
	struct seen *s = seen_of(d, kind);
	static const uint64_t firsts[] = {
		[DIAG_NOTE] = 1, [DIAG_DAMAGE] = DIAG_FIRST, [DIAG_EACH] = UINT64_MAX,
	};
	va_list ap;

	if (++s->n > firsts[kind->level] || !d->to)
		return;
	fprintf(d->to, "%s: ", d->prog);
	if (file)
		fprintf(d->to, "%s: ", file);
	if (unit == DIAG_LINE)
		fprintf(d->to, "line %" PRIu64 ": ", pos);
	else if (unit == DIAG_OFFSET)
		fprintf(d->to, "offset %" PRIu64 ": ", pos);
	if (fmt) {
		va_start(ap, fmt);
		vfprintf(d->to, fmt, ap);
		va_end(ap);
	} else {
		fputs(kind->what, d->to);
	}
	fputc('\n', d->to);
}

void diag_count(struct diag *d, const struct diag_kind *kind, uint64_t n)
{
	seen_of(d, kind)->n += n;
}

void diag_fatal(struct diag *d, const char *fmt, ...)
{
	va_list ap;

	d->fatal = true;
	if (!d->to)
		return;
	fprintf(d->to, "%s: ", d->prog);
	va_start(ap, fmt);
	vfprintf(d->to, fmt, ap);
	va_end(ap);
	fputc('\n', d->to);
}

uint64_t diag_total(const struct diag *d, const struct diag_kind *kind)
{
	for (size_t i = 0; i < d->nseen; i++)
		if (d->seen[i].kind == kind)
			return d->seen[i].n;
	return 0;
}

const struct diag_kind *diag_next(const struct diag *d, unsigned int i, uint64_t *n)
{
	if (i >= d->nseen)
		return NULL;
	*n = d->seen[i].n;
	return d->seen[i].kind;
}

void diag_missing(const struct diag *d, struct buf *b)
{
	for (size_t i = 0; i < d->nseen; i++) {
		if (d->seen[i].kind->level != DIAG_DAMAGE || !d->seen[i].n)
			continue;
		buf_addu(b, d->seen[i].n);
		buf_addc(b, ' ');
		buf_adds(b, text_noun(d->seen[i].n, d->seen[i].kind->what));
		buf_addc(b, '\n');
	}
}

static bool is_damaged(const struct diag *d)
{
	for (size_t i = 0; i < d->nseen; i++)
		if (d->seen[i].kind->level == DIAG_DAMAGE && d->seen[i].n)
			return true;
	return false;
}

bool diag_complete(const struct diag *d)
{
	return !d->fatal && !is_damaged(d);
}

void diag_summary(struct diag *d)
{
	if (!d->to)
		return;
	for (size_t i = 0; i < d->nseen; i++)
		if (d->seen[i].n)
			fprintf(d->to, "%s: %" PRIu64 " %s\n", d->prog,
				d->seen[i].n, text_noun(d->seen[i].n, d->seen[i].kind->what));
}

int diag_status(const struct diag *d)
{
	if (d->fatal)
		return 2;
	return is_damaged(d) ? 1 : 0;
}

int diag_stdout(const char *prog, int status)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	fprintf(stderr, "%s: standard output: %s\n", prog,
		errno ? strerror(errno) : "cannot be written");
	return 2;
}
