// SPDX-License-Identifier: LGPL-2.1
/* sp-rtrace as FXT: names, arguments and events.  See sprt_fxt_state.h. */
#include "format/sprtrace/sprt_fxt_state.h"
#include "base/utf8.h"
#include "base/xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A longer name is cut, and the whole name goes into an argument. */
#define NAME_MAX_BYTES	1024u

static char *scratch(struct sprt_fxt *f, const char *s, size_t n)
{
	char *copy = sprt_arena_alloc(&f->scratch, n + 1);

	memcpy(copy, s, n);
	copy[n] = '\0';
	return copy;
}

const char *sprt_fxt_format(struct sprt_fxt *f, const char *fmt, ...)
{
	const char *kept;
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		return "";
	kept = scratch(f, s, (size_t)n);
	free(s);
	return kept;
}

const char *sprt_fxt_name(struct sprt_fxt *f, const char *s, bool *whole)
{
	size_t n = strlen(s), cut;
	char *clean;

	*whole = true;
	if (n <= NAME_MAX_BYTES && utf8_valid(s, n))
		return s;
	*whole = false;
	clean = utf8_replace(s, n, &n);
	cut = utf8_cut(clean, n, NAME_MAX_BYTES);
	s = scratch(f, clean, cut);
	free(clean);
	return s;
}

const char *sprt_fxt_instant_name(struct sprt_fxt *f, const char *s, bool *whole)
{
	char *spelled, *at;

	s = sprt_fxt_name(f, s, whole);
	if (!strstr(s, "frame"))
		return s;
	*whole = false;
	spelled = scratch(f, s, strlen(s));
	for (at = spelled; (at = strstr(at, "frame")); )
		*at = 'F';
	return spelled;
}

/* --- arguments of an event ---------------------------------------------- */

void sprt_fxt_arg(struct sprt_fxt *f, struct fxt_arg arg)
{
	f->args = xgrow(f->args, &f->args_cap, f->nargs + 1, sizeof(arg));
	f->args[f->nargs++] = arg;
}

void sprt_fxt_number(struct sprt_fxt *f, const char *name, uint64_t v)
{
	sprt_fxt_arg(f, fxt_arg_u(sprt_fxt_str(name), v));
}

void sprt_fxt_pointer(struct sprt_fxt *f, const char *name, uint64_t v)
{
	sprt_fxt_arg(f, fxt_arg_ptr(sprt_fxt_str(name), v));
}

/* Add a text of any length: what does not fit continues in NAME[2], NAME[3] ... */
static void add_pieces(struct sprt_fxt *f, const char *name, const char *s,
		       size_t n)
{
	for (unsigned int part = 1;; part++) {
		size_t cut = n <= FXT_MAX_STRING ? n :
			     utf8_cut(s, n, FXT_MAX_STRING);

		sprt_fxt_arg(f, fxt_arg_str(part == 1 ? sprt_fxt_str(name) :
					    sprt_fxt_str(sprt_fxt_format(f, "%s[%u]", name, part)),
					    fxt_str(s, cut)));
		s += cut;
		n -= cut;
		if (!n)
			return;
	}
}

void sprt_fxt_text(struct sprt_fxt *f, const char *name, const char *s)
{
	size_t n = strlen(s), clean_n;
	char *clean, *hex;

	if (utf8_valid(s, n)) {
		add_pieces(f, name, s, n);
		return;
	}
	clean = utf8_replace(s, n, &clean_n);
	add_pieces(f, name, scratch(f, clean, clean_n), clean_n);
	free(clean);
	hex = utf8_hex(s, n);
	add_pieces(f, sprt_fxt_format(f, "%s_hex", name), scratch(f, hex, 2 * n), 2 * n);
	free(hex);
}

/* --- events ------------------------------------------------------------- */

static bool same_name(const struct fxt_arg *a, const struct fxt_arg *b)
{
	return a->name.len == b->name.len &&
	       !memcmp(a->name.s, b->name.s, a->name.len);
}

/* Make the names within one event unique: "NAME (2)" ... */
static void rename_doubles(struct sprt_fxt *f, struct fxt_arg *args, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		unsigned int times = 1;

		for (size_t k = 0; k < i; k++)
			if (same_name(&args[k], &args[i])) {
				args[i].name = sprt_fxt_str(sprt_fxt_format(f, "%.*s (%u)",
						(int)args[i].name.len,
						args[i].name.s, ++times));
				k = (size_t)-1;
			}
	}
}

void sprt_fxt_event(struct sprt_fxt *f, enum fxt_event_type type, const char *category,
		    const char *name, uint64_t value, struct fxt_arg *args, size_t n)
{
	struct fxt_event ev = {
		.type = type, .time = f->now, .process = f->koid,
		.thread = f->koid, .category = sprt_fxt_str(category),
		.name = sprt_fxt_str(name), .value = value,
	};
	int err;

	rename_doubles(f, args, n);
	err = fxt_event(f->w, &ev, args, (unsigned int)n);
	if (err && !f->err)
		f->err = err;
}

void sprt_fxt_instant(struct sprt_fxt *f, const char *category, const char *name)
{
	struct fxt_arg first = { 0 };
	const char *this_name;
	size_t n = f->nargs, at = 0;
	bool whole;

	category = sprt_fxt_name(f, category, &whole);
	this_name = name = sprt_fxt_instant_name(f, name, &whole);
	if (n)
		first = f->args[0];
	for (;;) {
		size_t some = n - at < FXT_MAX_ARGS ? n - at : FXT_MAX_ARGS;

		sprt_fxt_event(f, FXT_EV_INSTANT, category, this_name, 0,
			       f->args + at, some);
		at += some;
		if (at == n)
			break;
		this_name = sprt_fxt_format(f, "%s (more)", name);
		f->args[--at] = first;
	}
	f->nargs = 0;
}
