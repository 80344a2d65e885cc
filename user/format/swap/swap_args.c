// SPDX-License-Identifier: LGPL-2.1
/* FXT arguments, any number and of any length.  See swap_args.h. */
#include "format/swap/swap_args.h"
#include "base/utf8.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void swap_args_reset(struct swap_args *a)
{
	for (size_t i = 0; i < a->nowned; i++)
		free(a->owned[i]);
	a->nowned = 0;
	a->n = 0;
}

void swap_args_free(struct swap_args *a)
{
	swap_args_reset(a);
	free(a->args);
	free(a->owned);
	*a = (struct swap_args){ 0 };
}

static char *own_text(struct swap_args *a, char *s)
{
	a->owned = xgrow(a->owned, &a->owned_cap, a->nowned + 1, sizeof(*a->owned));
	a->owned[a->nowned++] = s;
	return s;
}

const char *swap_args_name(struct swap_args *a, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return own_text(a, xstrdup(text));
}

static struct fxt_str cstr(const char *s)
{
	return fxt_str(s, strlen(s));
}

static void add_arg(struct swap_args *a, struct fxt_arg arg)
{
	a->args = xgrow(a->args, &a->cap, a->n + 1, sizeof(*a->args));
	a->args[a->n++] = arg;
}

/* Add valid UTF-8 of any length. */
static void add_text(struct swap_args *a, const char *name, const char *s, size_t len)
{
	unsigned int part = 1;

	do {
		size_t n = len > FXT_MAX_STRING ? utf8_cut(s, len, FXT_MAX_STRING) : len;

		add_arg(a, fxt_arg_str(
			cstr(part == 1 ? name : swap_args_name(a, "%s.%u", name, part)),
			fxt_str(s, n)));
		part++;
		s += n;
		len -= n;
	} while (len);
}

void swap_args_u64(struct swap_args *a, const char *name, uint64_t v)
{
	if (v <= INT64_MAX)
		add_arg(a, fxt_arg_u(cstr(name), v));
	else
		swap_args_cstr(a, name, swap_args_name(a, "%" PRIu64, v));
}

void swap_args_i64(struct swap_args *a, const char *name, int64_t v)
{
	add_arg(a, fxt_arg_i(cstr(name), v));
}

void swap_args_f64(struct swap_args *a, const char *name, double v)
{
	add_arg(a, fxt_arg_f(cstr(name), v));
}

void swap_args_pointer(struct swap_args *a, const char *name, uint64_t v)
{
	add_arg(a, fxt_arg_ptr(cstr(name), v));
}

void swap_args_cstr(struct swap_args *a, const char *name, const char *s)
{
	swap_args_text(a, name, s, strlen(s));
}

void swap_args_own(struct swap_args *a, const char *name, const char *s)
{
	swap_args_text(a, name, own_text(a, xstrdup(s)), strlen(s));
}

void swap_args_own_text(struct swap_args *a, const char *name, const char *s, size_t len)
{
	swap_args_text(a, name, own_text(a, xmemdup(s, len)), len);
}

void swap_args_text(struct swap_args *a, const char *name, const char *s, size_t len)
{
	size_t n;
	char *copy;

	if (utf8_valid(s, len)) {
		add_text(a, name, s, len);
		return;
	}
	copy = own_text(a, utf8_replace(s, len, &n));
	add_text(a, name, copy, n);
	swap_args_hex(a, swap_args_name(a, "%s_hex", name), s, len);
}

void swap_args_hex(struct swap_args *a, const char *name, const void *data, size_t len)
{
	add_text(a, name, own_text(a, utf8_hex(data, len)), 2 * len);
}

int swap_args_event(const struct swap_args *a, struct fxt_writer *w, const struct fxt_event *ev)
{
	size_t n = a->n < FXT_MAX_ARGS ? a->n : FXT_MAX_ARGS;
	struct fxt_event more = *ev;
	char name[256];
	int ret = fxt_event(w, ev, a->args, (unsigned int)n);

	if (n == a->n)
		return ret;
	more.type = FXT_EV_INSTANT;
	more.name = fxt_str(name, (size_t)snprintf(name, sizeof(name), "%.*s (more)",
						   (int)utf8_cut(ev->name.s, ev->name.len, 240),
						   ev->name.s));
	for (size_t i = n; i < a->n && !ret; i += n) {
		n = a->n - i < FXT_MAX_ARGS ? a->n - i : FXT_MAX_ARGS;
		ret = fxt_event(w, &more, a->args + i, (unsigned int)n);
	}
	return ret;
}
