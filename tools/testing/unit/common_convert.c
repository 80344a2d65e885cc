// SPDX-License-Identifier: GPL-2.0
/* Conversions in memory.  See common_convert.h. */
#include "common_convert.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"

/* The sanitizer's allocator, if there is one. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static size_t heap_in_use(void)
{
	struct mallinfo2 info;

	if (__sanitizer_get_current_allocated_bytes)
		return __sanitizer_get_current_allocated_bytes();
	info = mallinfo2();
	return info.uordblks + info.hblkhd;
}

void bytes_add(struct bytes *b, const void *data, size_t n)
{
	b->data = xgrow(b->data, &b->cap, b->n + n + 1, 1);
	if (n)
		memcpy(b->data + b->n, data, n);
	b->n += n;
	b->data[b->n] = 0;
}

void bytes_free(struct bytes *b)
{
	free(b->data);
	*b = (struct bytes){ 0 };
}

struct bytes fixture(const char *path)
{
	const char *dir = getenv("ETRACE_DATA");
	struct bytes b = { 0 };
	char full[4096], buf[4096];
	size_t n;
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", dir ? dir : "data", path);
	f = fopen(full, "rb");
	if (!f)
		fail_msg("%s is missing", full);
	bytes_add(&b, NULL, 0);
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		bytes_add(&b, buf, n);
	fclose(f);
	return b;
}

static const struct source_format *find_source(const char *name, const char *to,
					       const struct sink_format **sink)
{
	for (const struct source_format *s = source_formats; s->name; s++) {
		if (strcmp(s->name, name))
			continue;
		for (const struct sink_format *k = sink_formats; k->name; k++) {
			if (k->model == s->model && !strcmp(k->name, to)) {
				*sink = k;
				return s;
			}
		}
	}
	fail_msg("no golden digests for %s to %s", name, to);
	return NULL;
}

/* A sink in front of another one that measures the heap after each item. */
struct watch {
	struct sink base;
	struct sink *next;
	struct out *out;
	size_t peak;
};

static void look(struct watch *w)
{
	size_t len, held, now = heap_in_use();
	const void *out = out_mem_data(w->out, &len);

	/* Output is not counted: the sink no longer holds it. */
	held = len ? malloc_usable_size((void *)(uintptr_t)out) : 0;
	now -= held < now ? held : now;
	if (now > w->peak)
		w->peak = now;
}

static int watch_item(struct sink *base, const void *item)
{
	struct watch *w = (struct watch *)base;
	int ret = sink_item(w->next, item);

	look(w);
	return ret;
}

static int watch_end(struct sink *base)
{
	struct watch *w = (struct watch *)base;
	int ret;

	look(w);
	ret = sink_end(w->next);
	look(w);
	return ret;
}

static void watch_free(struct sink *base)
{
	sink_free(((struct watch *)base)->next);
}

static const struct sink_ops watch_ops = {
	.item = watch_item,
	.end = watch_end,
	.free = watch_free,
};

struct conversion convert(const char *from, const char *to, const void *data, size_t n,
			  const struct opt_given *given)
{
	struct conversion c = { 0 };
	const struct sink_format *sink_row = NULL;
	const struct source_format *source_row = find_source(from, to, &sink_row);
	struct watch watch = { .base.ops = &watch_ops };
	size_t before, len;
	struct in *in = in_mem(data, n, "input");
	struct out *out = out_mem();
	struct opts opts;
	char *text = NULL;
	size_t text_len = 0;
	FILE *messages = open_memstream(&text, &text_len);
	struct diag *diag = diag_new(messages, "test");
	struct source_args sa = { &in, 1, &opts, diag };
	struct sink_args ka = { out, &opts, diag, from };
	struct source *source;

	opts_init(&opts);
	for (; given && given->name; given++)
		opts_add(&opts, given->name, given->value);
	before = heap_in_use();
	watch.out = out;
	source = source_row->open(&sa);
	watch.next = source ? sink_row->open(&ka) : NULL;
	if (watch.next) {
		assert_int_equal(source_run(source, &watch.base), 0);
		assert_int_equal(sink_end(&watch.base), 0);
		sink_free(&watch.base);
	}
	if (source)
		source->ops->free(source);
	c.peak = watch.peak > before ? watch.peak - before : 0;
	diag_summary(diag);
	c.status = diag_status(diag);
	diag_free(diag);
	fclose(messages);
	bytes_add(&c.messages, text, text_len);
	free(text);
	bytes_add(&c.out, out_mem_data(out, &len), 0);
	bytes_add(&c.out, out_mem_data(out, &len), len);
	out_close(out);
	in_close(in);
	opts_free(&opts);
	return c;
}

void conversion_free(struct conversion *c)
{
	bytes_free(&c->out);
	bytes_free(&c->messages);
}

size_t count_lines(const struct bytes *text, const char *what)
{
	size_t n = 0;

	for (const char *p = text->data; p && *p;) {
		const char *end = strchrnul(p, '\n');

		n += memmem(p, (size_t)(end - p), what, strlen(what)) != NULL;
		p = *end ? end + 1 : NULL;
	}
	return n;
}

int has_line(const struct bytes *text, const char *what)
{
	return count_lines(text, what) > 0;
}

void assert_fxt_clean(const void *data, size_t n)
{
	struct conversion c = convert("fxt", "check", data, n, NULL);

	if (c.status)
		fail_msg("--check reports:\n%s%s", c.out.data, c.messages.data);
	conversion_free(&c);
}

/* A golden file, uncompressed. */
static struct bytes golden(const char *name)
{
	const char *dir = getenv("ETRACE_DATA");
	struct bytes b = { 0 };
	char path[4096];
	struct in *in;
	size_t n;
	int err;

	snprintf(path, sizeof(path), "%s/golden/%s.gz", dir ? dir : "data", name);
	in = in_open(path, &err);
	if (!in)
		fail_msg("%s is missing", path);
	bytes_add(&b, NULL, 0);
	for (;;) {
		const uint8_t *p = in_peek(in, 4096, &n);

		if (!n)
			break;
		bytes_add(&b, p, n);
		in_skip(in, n);
	}
	assert_int_equal(in_error(in), 0);
	in_close(in);
	return b;
}

void golden_compare(const char *name, const struct bytes *got)
{
	const char *to = getenv("ETRACE_GOLDEN"), *a = got->data, *b;
	struct bytes want;
	char path[4096];

	if (to) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", to, name);
		f = fopen(path, "w");
		assert_non_null(f);
		assert_int_equal(fwrite(got->data, 1, got->n, f), got->n);
		assert_int_equal(fclose(f), 0);
		return;
	}
	want = golden(name);
	b = want.data;
	for (unsigned int line = 1; *a || *b; line++) {
		size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");

		if (n != m || memcmp(a, b, n))
			fail_msg("%s: line %u is\n%.*s\nexpected\n%.*s", name, line, (int)n, a, (int)m, b);
		a += n + !!a[n];
		b += m + !!b[m];
	}
	assert_int_equal(got->n, want.n);
	bytes_free(&want);
}

void golden_compare_some(const char *name, const struct bytes *got)
{
	struct bytes want = golden(name);
	const char *b = want.data;

	assert_true(got->n > 0);
	for (const char *a = got->data; *a;) {
		size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");

		/* lines keep the file's order, so search only after the last one found */
		while (*b && (n != m || memcmp(a, b, n))) {
			b += m + !!b[m];
			m = strcspn(b, "\n");
		}
		if (!*b)
			fail_msg("%s lacks this line, or has it elsewhere:\n%.*s", name,
				 (int)n, a);
		a += n + !!a[n];
		b += m + !!b[m];
	}
	bytes_free(&want);
}
