// SPDX-License-Identifier: GPL-2.0
/*
 * Every SWAP stream of data/swap is truncated at every byte, and every byte is flipped once
 * (common_seed.h: every 7th in a run): nothing crashes or hangs, memory use stays small, and
 * undamaged messages come out as before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common_convert.h"
#include "common_seed.h"
#include "base/hash.h"
#include "base/xalloc.h"

static const char *const names[] = {
	"swap/swap3-arm.bin", "swap/swap42-arm.bin", "swap/swap42-session.bin",
	"swap/swap-seqwrap.bin", "swap/swap-cut.bin",
};

#define NAMES (sizeof(names) / sizeof(names[0]))

/* Heap that a conversion may use apart from its output: tables of fixed size. */
#define FIXED (6u << 20)

/* The lines of a text, as hashes. */
struct lines {
	uint64_t *hash;
	size_t n, cap;
};

static struct lines lines_of(const struct bytes *text)
{
	struct lines l = { 0 };

	for (const char *p = text->data; *p;) {
		size_t n = strcspn(p, "\n");

		l.hash = xgrow(l.hash, &l.cap, l.n + 1, sizeof(*l.hash));
		l.hash[l.n++] = (uint64_t)hash_bytes(p, n) << 32 | n;
		p += n + (p[n] == '\n');
	}
	return l;
}

/* How many lines of @whole are in @part, in order. */
static size_t in_common(const struct lines *whole, const struct lines *part)
{
	size_t n = 0, w = 0;

	for (size_t i = 0; i < part->n; i++) {
		size_t k = w;

		while (k < whole->n && k < w + 8 && whole->hash[k] != part->hash[i])
			k++;
		if (k < whole->n && whole->hash[k] == part->hash[i]) {
			w = k + 1;
			n++;
		}
	}
	return n;
}

static struct conversion run(const char *to, const char *data, size_t n)
{
	/* An allocation of the exact size, so that reading beyond it is noticed. */
	char *copy = xmemdup(data, n);
	struct conversion c = convert("swap", to, copy, n, NULL);

	if (c.peak > FIXED + 16 * n)
		fail_msg("%zu bytes of heap for %zu bytes", c.peak, n);
	free(copy);
	return c;
}

/* Offsets of the messages of an undamaged stream. */
static size_t message_offsets(const struct bytes *in, size_t *at)
{
	size_t n = 0, pos = 0;

	while (pos + 20 <= in->n) {
		uint32_t len;

		at[n++] = pos;
		memcpy(&len, in->data + pos + 16, 4);
		pos += 20 + len;
	}
	at[n] = pos < in->n ? pos : in->n;
	return n;
}

/* ---- every byte ---- */

/*
 * A long stream is damaged within a window of some messages around the byte, which is a stream
 * of its own; as a whole only for some bytes. Conversion to FXT is tested for some bytes only.
 */
#define WINDOW		6
#define LONG_STREAM	8000u
#define WHOLE_EVERY	101u
#define FXT_EVERY	7u

struct window {
	const char *data;
	size_t n;
	size_t pos;		/* offset of the byte in the window */
	size_t first;		/* index of its first message */
	size_t messages;
};

static struct window window_at(const struct bytes *in, const size_t *at, size_t messages,
			       size_t message, size_t pos)
{
	struct window w = { in->data, in->n, pos, 0, messages };
	size_t last;

	if (in->n < LONG_STREAM || pos % WHOLE_EVERY == 0)
		return w;
	w.first = message < WINDOW ? 0 : message - WINDOW;
	last = message + WINDOW < messages ? message + WINDOW : messages;
	w.data = in->data + at[w.first];
	w.n = at[last] - at[w.first];
	w.pos = pos - at[w.first];
	w.messages = last - w.first;
	return w;
}

/* The output of the undamaged window; the last one is cached. */
static struct whole {
	const char *data;
	size_t n;
	struct lines lines;
	size_t lost;		/* LOST lines: the stream has a loss of its own */
} whole_of_window;

static const struct whole *undamaged(const struct window *w)
{
	struct whole *u = &whole_of_window;
	struct conversion c;

	if (u->data == w->data && u->n == w->n)
		return u;
	free(u->lines.hash);
	c = run("json", w->data, w->n);
	*u = (struct whole){
		w->data, w->n, lines_of(&c.out), count_lines(&c.out, "\"type\":\"LOST\""),
	};
	conversion_free(&c);
	return u;
}

static void cut_at(const struct window *w, const size_t *at, size_t message, size_t whole,
		   const char *name)
{
	const struct whole *full = undamaged(w);
	struct conversion c = run("json", w->data, w->pos);
	struct lines l = lines_of(&c.out);
	size_t start = at[message] - at[w->first];
	char where[64];

	/* SYSTEM messages can depend on later ones: two in a window may differ. */
	if (in_common(&full->lines, &l) + 2 < whole)
		fail_msg("%s cut at %zu of %zu: %zu whole messages of %zu\n%s", name, w->pos, w->n,
			 in_common(&full->lines, &l), whole, c.messages.data);
	if (l.n < whole || l.n > whole + 1 + full->lost)
		fail_msg("%s cut at %zu: %zu lines for %zu messages\n%s", name, w->pos, l.n, whole,
			 c.messages.data);
	if (w->pos != start) {
		if (c.status != 1)
			fail_msg("%s cut at %zu: status %d", name, w->pos, c.status);
		snprintf(where, sizeof(where), "offset %zu: ", start);
		if (!has_line(&c.messages, where))
			fail_msg("%s cut at %zu:\n%s", name, w->pos, c.messages.data);
	}
	free(l.hash);
	conversion_free(&c);
}

static void flip_at(const struct window *w, const char *name)
{
	const struct whole *full = undamaged(w);
	char *data = xmemdup(w->data, w->n);
	struct conversion c;
	struct lines l;
	size_t same;

	data[w->pos] = (char)~data[w->pos];
	c = run("json", data, w->n);
	l = lines_of(&c.out);
	same = in_common(&full->lines, &l);
	/* The damaged message, a neighbour, and a SYSTEM message that waited for it may differ. */
	if (same + 3 < full->lines.n)
		fail_msg("%s flipped at %zu of %zu: %zu of %zu messages\n%s", name, w->pos, w->n,
			 same, full->lines.n, c.messages.data);
	assert_true(c.status == 0 || c.status == 1);
	free(data);
	free(l.hash);
	conversion_free(&c);
}

/* Convert to FXT: mostly flipped, sometimes truncated. Some of the files are checked. */
static void to_fxt(const struct window *w, bool cut, bool check)
{
	char *data = xmemdup(w->data, w->n);
	struct conversion c;

	if (!cut)
		data[w->pos] = (char)~data[w->pos];
	c = run("fxt", data, cut ? w->pos : w->n);
	assert_true(c.status == 0 || c.status == 1);
	if (check)
		assert_fxt_clean(c.out.data, c.out.n);
	conversion_free(&c);
	free(data);
}

enum what { CUT, FLIP, FXT };

static void every_byte(enum what what)
{
	static size_t at[1000];

	for (size_t i = 0; i < NAMES; i++) {
		struct bytes in = fixture(names[i]);
		size_t messages = message_offsets(&in, at), message = 0;

		for (size_t pos = 0; pos < in.n; pos++) {
			struct window w;

			if (!is_place_tried(pos, in.n))
				continue;
			while (message < messages && at[message + 1] <= pos)
				message++;
			w = window_at(&in, at, messages, message, pos);
			if (what == CUT)
				cut_at(&w, at, message, message - w.first, names[i]);
			else if (what == FLIP)
				flip_at(&w, names[i]);
			else if (in.n < LONG_STREAM || pos / CASE_STEP % FXT_EVERY == 0)
				to_fxt(&w, pos % 5 == 0, pos % 61 == 0);
		}
		whole_of_window.data = NULL;
		bytes_free(&in);
	}
	free(whole_of_window.lines.hash);
	whole_of_window = (struct whole){ 0 };
}

static void test_truncated_anywhere(void **state)
{
	(void)state;
	every_byte(CUT);
}

static void test_flipped_anywhere(void **state)
{
	(void)state;
	every_byte(FLIP);
}

static void test_damage_gives_valid_fxt(void **state)
{
	(void)state;
	every_byte(FXT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truncated_anywhere),
		cmocka_unit_test(test_flipped_anywhere),
		cmocka_unit_test(test_damage_gives_valid_fxt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
