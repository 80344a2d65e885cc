// SPDX-License-Identifier: LGPL-2.1
/* Which programs wrote time traces.  See traced.h. */
#include "timeline/traced.h"
#include "base/xalloc.h"

#include <string.h>

static bool arg_is(struct work_arg a, const char *s)
{
	return a.len == strlen(s) && !memcmp(a.s, s, a.len);
}

/* "--option", or "--option=VALUE" */
static bool is_option(struct work_arg a, const char *s)
{
	size_t len = strlen(s);

	return a.len >= len && !memcmp(a.s, s, len) && (a.len == len || a.s[len] == '=');
}

/* Parts of names: a file that is renamed when complete first has a longer name. */
static const struct {
	const char *part;
	enum traced_name what;
} parts[] = {
	{ ".json", TRACED_TRACE },
	{ ".time-trace", TRACED_TRACE },
	{ ".mm_profdata", TRACED_PROFILE },
};

enum traced_name traced_name_of(const char *path, size_t len)
{
	struct work_arg base = work_base(path, len);

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (memmem(base.s, base.len, parts[i].part, strlen(parts[i].part)))
			return parts[i].what;
	return TRACED_NONE;
}

bool traced_is_certain(const char *path, size_t len)
{
	static const char end[] = ".time-trace";
	struct work_arg base = work_base(path, len);

	return arg_is(base, "chrome_profiler.json") ||
	       (base.len >= sizeof(end) - 1 &&
		!memcmp(base.s + base.len - (sizeof(end) - 1), end, sizeof(end) - 1));
}

static const struct {
	const char *option, *value;	/* value: the argument after it, or NULL */
	enum work_class class;
} options[] = {
	{ "-ftime-trace", NULL, WORK_COMPILE },
	{ "--time-trace", NULL, WORK_LINK },
	{ "-Zself-profile", NULL, WORK_COMPILE },
	{ "-Z", "self-profile", WORK_COMPILE },
};

static bool has_source(const struct work_arg *args, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (args[i].len && *args[i].s != '-' && work_is_source(args[i].s, args[i].len))
			return true;
	return false;
}

bool traced_asked(enum work_class class, const struct work_arg *args, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = 0; k < sizeof(options) / sizeof(options[0]); k++) {
			if (class != options[k].class || !is_option(args[i], options[k].option))
				continue;
			if (options[k].value &&
			    (i + 1 == n || !is_option(args[i + 1], options[k].value)))
				continue;
			/* a driver that only links gets the option, too */
			return class != WORK_COMPILE || has_source(args, n);
		}
	return false;
}

void traced_missing(const struct timeline *t, const uint8_t *execs,
		    void (*fn)(void *ctx, uint32_t exec), void *ctx)
{
	/* by process: flags of its execs, and of those of the processes below it */
	uint8_t *own = xcalloc(t->nprocesses + 1, 1), *below = xcalloc(t->nprocesses + 1, 1);

	for (uint32_t i = 1; i <= t->nexecs; i++)
		own[t->execs[i].process] |= execs[i];
	/* parents have lower numbers */
	for (uint32_t p = (uint32_t)t->nprocesses; p; p--)
		below[t->processes[p].parent] |= own[p] | below[p];
	for (uint32_t i = 1; i <= t->nexecs; i++) {
		uint32_t p = t->execs[i].process;

		if (execs[i] & TRACED_ASKED && !(own[p] & TRACED_FAILED) &&
		    !((own[p] | below[p]) & TRACED_REPORTED) && !(below[p] & TRACED_ASKED) &&
		    !(execs[t->execs[i].next] & TRACED_ASKED))
			fn(ctx, i);
	}
	free(own);
	free(below);
}

/* ---- messages ---- */

/* Number of faults that are named in the message. */
#define NAMED_FAULTS	3u

static const struct diag_kind no_traces = {
	"time traces of compilers that cannot be shown", DIAG_NOTE
};

void traced_fault(struct traced_faults *f, const char *name, size_t len, const char *fault)
{
	if (f->n++ >= NAMED_FAULTS)
		return;
	if (f->text.len)
		buf_adds(&f->text, "; ");
	buf_add(&f->text, name, len);
	buf_addc(&f->text, ' ');
	buf_adds(&f->text, fault);
}

void traced_faults_end(struct traced_faults *f, struct diag *diag)
{
	if (f->n > NAMED_FAULTS)
		buf_adds(&f->text, "; ...");
	buf_addc(&f->text, '\0');
	if (f->n) {
		diag_report(diag, &no_traces, NULL, DIAG_NOWHERE, 0, "%s", f->text.s);
		diag_count(diag, &no_traces, f->n - 1);
	}
	buf_free(&f->text);
}
