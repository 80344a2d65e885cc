// SPDX-License-Identifier: LGPL-2.1
/* Selects the events that a Fuchsia trace shows.  See etrace_fxt_view.h. */
#include "format/fxt_events/etrace_fxt_view.h"
#include "event/pid_bits.h"

#include <stdio.h>
#include <string.h>

/* Maximum bytes of a command line in a view. */
#define VIEW_ARGV	96u

const struct opt_row etrace_fxt_options[] = {
	PID_BITS_OPTION,
	{ "view", NULL, "a file to look at: of calls only what was written" },
	{ "no-calls", NULL, "programs only" },
	{ "calls", "LIST", "programs, and calls of these kinds or categories: open,fd" },
	{ "compiler-traces", "[=DIR]", "time traces that compilers wrote, within their programs" },
	{ 0 }
};

/* Always shown: kinds that are not calls. They make up the slices, or concern the trace itself. */
static bool is_shown(unsigned int kind)
{
	return kind == ET_K_EXEC || kind == ET_K_EXIT || kind == ET_K_SESSION ||
	       kind == ET_K_LOST || kind == ET_K_FRAGMENT;
}

#define VALUE_BIT(kind, value)	((uint16_t)(1u << ET_V_##kind##_##value))
#define STRING_BIT(kind, string) ((uint16_t)(1u << ET_S_##kind##_##string))

/* Events in a view, mainly those that make files, and the values and strings shown. */
static const struct {
	uint8_t kind, show;
	uint16_t values, strings;
} views[] = {
	{ ET_K_EXIT, FXT_VIEW_ALL, VALUE_BIT(EXIT, status) | VALUE_BIT(EXIT, signal) |
	  VALUE_BIT(EXIT, utime) | VALUE_BIT(EXIT, stime) | VALUE_BIT(EXIT, maxrss), 0 },
	{ ET_K_OPEN, FXT_VIEW_WRITES, 0, STRING_BIT(OPEN, name) },
	{ ET_K_RENAME, FXT_VIEW_ALL, 0, UINT16_MAX },
	{ ET_K_LINK, FXT_VIEW_ALL, 0, UINT16_MAX },
	{ ET_K_SYMLINK, FXT_VIEW_ALL, 0, UINT16_MAX },
	{ ET_K_MOUNT, FXT_VIEW_ALL, 0, UINT16_MAX },
	{ ET_K_URING, FXT_VIEW_ALL, 0, 0 },
};

static bool is_named(const char *name, size_t len, const char *as)
{
	return as && strlen(as) == len && !memcmp(name, as, len);
}

/* Shows all kinds with a name, or with a category of that name. */
static bool add_calls(struct fxt_view *v, const char *name, size_t len)
{
	bool found = false;

	for (unsigned int i = ET_K_NONE + 1; i < ET_K_COUNT; i++) {
		if (!is_named(name, len, et_kinds[i].name) && !is_named(name, len, et_kinds[i].category))
			continue;
		v->kinds[i] = FXT_VIEW_ALL;
		found = true;
	}
	return found;
}

static void list_categories(char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned int i = ET_K_NONE + 1; i < ET_K_COUNT; i++) {
		bool first = true;

		for (unsigned int j = ET_K_NONE + 1; j < i; j++)
			first &= strcmp(et_kinds[i].category, et_kinds[j].category) != 0;
		if (first && n < size)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? ", " : "",
					      et_kinds[i].category);
	}
}

static bool take_calls(struct fxt_view *v, const char *list, struct diag *diag)
{
	char known[256];

	for (const char *at = list;; at++) {
		size_t len = strcspn(at, ",");

		if (!add_calls(v, at, len)) {
			list_categories(known, sizeof(known));
			diag_fatal(diag, "--calls %s: \"%.*s\" is no kind of event, and no category of them: %s",
				   list, (int)len, at, known);
			return false;
		}
		at += len;
		if (!*at)
			return true;
	}
}

bool fxt_view_take(struct fxt_view *v, const struct opts *opts, struct diag *diag)
{
	const char *calls = opt_value(opts, "calls");
	bool all = !opt_flag(opts, "view") && !opt_flag(opts, "no-calls") && !calls;

	*v = (struct fxt_view){ .cuts = opt_flag(opts, "view"), .max_argv = SIZE_MAX };
	if (opt_flag(opts, "compiler-traces"))
		v->inside = opt_value(opts, "compiler-traces") ?: "";
	if (calls && opt_flag(opts, "no-calls")) {
		diag_fatal(diag, "--calls and --no-calls: give one of them");
		return false;
	}
	for (unsigned int i = 0; i < ET_K_COUNT; i++) {
		v->kinds[i] = all || is_shown(i) ? FXT_VIEW_ALL : FXT_VIEW_NONE;
		v->values[i] = v->strings[i] = UINT16_MAX;
	}
	v->forks = all;
	if (all)
		return true;
	v->left_out = v->cuts ? "calls that did not write or name files" : "calls";
	for (size_t i = 0; v->cuts && i < sizeof(views) / sizeof(views[0]); i++) {
		v->kinds[views[i].kind] = views[i].show;
		v->values[views[i].kind] = views[i].values;
		v->strings[views[i].kind] = views[i].strings;
	}
	if (v->cuts)
		v->max_argv = VIEW_ARGV;
	if (calls && !take_calls(v, calls, diag))
		return false;
	/* an arrow from parent to child begins in the call that forked */
	v->forks = v->kinds[ET_K_CLONE] == FXT_VIEW_ALL;
	return true;
}
