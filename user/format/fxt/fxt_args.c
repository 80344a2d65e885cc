// SPDX-License-Identifier: LGPL-2.1
/* FXT arguments, any number and of any length.  See fxt_args.h. */
#include "format/fxt/fxt_args.h"
#include "base/utf8.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fxt_args_reset(struct fxt_args *a)
{
	pool_reset(&a->owned);
	a->n = 0;
}

void fxt_args_free(struct fxt_args *a)
{
	free(a->args);
	pool_free(&a->owned);
	*a = (struct fxt_args){ 0 };
}

char *fxt_args_keep(struct fxt_args *a, char *s)
{
	return pool_keep(&a->owned, s);
}

const char *fxt_args_format(struct fxt_args *a, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	text = fxt_args_keep(a, xcalloc(1, (size_t)n + 1));
	va_start(ap, fmt);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return text;
}

static void add_arg(struct fxt_args *a, struct fxt_arg arg)
{
	a->args = xgrow(a->args, &a->cap, a->n + 1, sizeof(*a->args));
	a->args[a->n++] = arg;
}

/* Add valid UTF-8 of any length. */
static void add_text(struct fxt_args *a, const char *name, const char *s, size_t len)
{
	unsigned int part = 1;

	do {
		size_t n = len > FXT_MAX_STRING ? utf8_cut(s, len, FXT_MAX_STRING) : len;
		const char *this_name = name;

		if (part > 1)
			this_name = a->brackets ? fxt_args_format(a, "%s[%u]", name, part) :
						  fxt_args_format(a, "%s.%u", name, part);
		add_arg(a, fxt_arg_str(fxt_cstr(this_name), fxt_str(s, n)));
		part++;
		s += n;
		len -= n;
	} while (len);
}

void fxt_args_u64(struct fxt_args *a, const char *name, uint64_t v)
{
	if (v <= INT64_MAX)
		add_arg(a, fxt_arg_u(fxt_cstr(name), v));
	else
		fxt_args_cstr(a, name, fxt_args_format(a, "%" PRIu64, v));
}

void fxt_args_i64(struct fxt_args *a, const char *name, int64_t v)
{
	add_arg(a, fxt_arg_i(fxt_cstr(name), v));
}

void fxt_args_f64(struct fxt_args *a, const char *name, double v)
{
	add_arg(a, fxt_arg_f(fxt_cstr(name), v));
}

void fxt_args_pointer(struct fxt_args *a, const char *name, uint64_t v)
{
	add_arg(a, fxt_arg_ptr(fxt_cstr(name), v));
}

void fxt_args_cstr(struct fxt_args *a, const char *name, const char *s)
{
	fxt_args_text(a, name, s, strlen(s));
}

void fxt_args_own(struct fxt_args *a, const char *name, const char *s)
{
	fxt_args_text(a, name, fxt_args_keep(a, xstrdup(s)), strlen(s));
}

void fxt_args_own_text(struct fxt_args *a, const char *name, const char *s, size_t len)
{
	fxt_args_text(a, name, fxt_args_keep(a, xmemdup(s, len)), len);
}

void fxt_args_text(struct fxt_args *a, const char *name, const char *s, size_t len)
{
	size_t n;
	char *copy;

	if (utf8_valid(s, len)) {
		add_text(a, name, s, len);
		return;
	}
	copy = fxt_args_keep(a, utf8_replace(s, len, &n));
	add_text(a, name, copy, n);
	fxt_args_hex(a, fxt_args_format(a, "%s_hex", name), s, len);
}

void fxt_args_hex(struct fxt_args *a, const char *name, const void *data, size_t len)
{
	add_text(a, name, fxt_args_keep(a, utf8_hex(data, len)), 2 * len);
}

static bool same_name(const struct fxt_arg *a, const struct fxt_arg *b)
{
	return a->name.len == b->name.len && !memcmp(a->name.s, b->name.s, a->name.len);
}

/* Make the names within one record unique. */
static void rename_doubles(struct fxt_args *a, struct fxt_arg *args, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		unsigned int times = 1;

		for (size_t k = 0; k < i; k++)
			if (same_name(&args[k], &args[i])) {
				args[i].name = fxt_cstr(fxt_args_format(a, "%.*s (%u)",
						(int)args[i].name.len, args[i].name.s, ++times));
				k = (size_t)-1;
			}
	}
}

static int write_record(struct fxt_args *a, struct fxt_writer *w, const struct fxt_event *ev,
			struct fxt_arg *args, size_t n)
{
	rename_doubles(a, args, n);
	return fxt_event(w, ev, args, (unsigned int)n);
}

int fxt_args_event(struct fxt_args *a, struct fxt_writer *w, const struct fxt_event *ev)
{
	struct fxt_arg first = a->n ? a->args[0] : (struct fxt_arg){ 0 };
	size_t n = a->n < FXT_MAX_ARGS ? a->n : FXT_MAX_ARGS;
	struct fxt_event more = *ev;
	int ret = write_record(a, w, ev, a->args, n);

	if (n == a->n)
		return ret;
	more.type = FXT_EV_INSTANT;
	more.name = fxt_cstr(fxt_args_format(a, "%.*s (more)", (int)ev->name.len, ev->name.s));
	for (size_t at = n; at < a->n && !ret; at += n) {
		if (a->repeat)
			a->args[--at] = first;
		n = a->n - at < FXT_MAX_ARGS ? a->n - at : FXT_MAX_ARGS;
		ret = write_record(a, w, &more, a->args + at, n);
	}
	return ret;
}
