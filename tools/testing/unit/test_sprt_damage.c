// SPDX-License-Identifier: GPL-2.0
/*
 * Damaged sp-rtrace logs and reports: every capture truncated at every byte and with every
 * byte flipped (common_seed.h: every 7th in a run), large malicious inputs, and their memory
 * use. Run it under sanitizers: it looks for crashes as much as for wrong output.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common_seed.h"
#include "common_sprt.h"
#include "base/xalloc.h"

#define OPTS(...) (const struct opt_given[]){ __VA_ARGS__, { NULL, NULL } }

static const char *const logs[] = {
	"32/fileops-mem.rtrace", "32/leaky.rtrace", "64/cut.rtrace",
	"64/fileops-mem.rtrace", "64/gobj.rtrace", "64/leaky.rtrace",
	"64/leaky-heap.rtrace", "64/leaky-notime.rtrace", "64/mt.rtrace",
	"64/pagemap.rtrace", "64/shm.rtrace", "old32/leaky32-v1.1.rtrace",
	"old32/leaky32-v1.2.rtrace", "old32/leaky32-v1.3.rtrace",
	"old32/leaky32-v1.6.rtrace",
};

static const char *const texts[] = {
	"64/leaky.r.txt", "64/leaky.lcr.txt", "64/fileops-mem.c.txt",
	"64/shm.plain.txt", "64/gobj.lc.txt", "64/leaky-heap.plain.txt",
	"64/pagemap.l.txt", "old32/leaky32-v1.1.ownpp.txt",
};

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* The number of packets in the plain form, including the handshake. */
static size_t lines(const char *s)
{
	return sprt_count_lines(s, "");
}

/* Convert to every format, for the sanitizers. */
static void through_all(const char *from, const void *data, size_t n)
{
	static const char *const sinks[] = { "fxt", "json" };
	struct conversion r;

	for (size_t i = 0; i < COUNT(sinks); i++) {
		r = sprt_convert(from, data, n, sinks[i], NULL);
		assert_true(r.out.n > 0 || r.status);
		conversion_free(&r);
	}
	r = sprt_convert(from, data, n, "sp-rtrace-text",
			 OPTS({ "leaks", NULL }, { "compress", NULL }));
	conversion_free(&r);
}

static uint32_t number_at(const struct bytes *log, size_t at, bool big)
{
	uint32_t v = 0;

	for (size_t i = 0; i < 4; i++)
		v |= (uint32_t)(unsigned char)log->data[at + i] << 8 * (big ? 3 - i : i);
	return v;
}

/*
 * The offsets at which a packet begins, or the last one ends. In 2.0 the size field follows
 * the type and counts the data; in 1.x it comes first and counts the type, too.
 */
static bool *packet_starts(const struct bytes *log)
{
	bool *starts = xcalloc(log->n + 1, sizeof(*starts));
	unsigned int arch = (unsigned char)log->data[4];
	bool big = log->data[5 + arch], v2 = log->data[2] >= 2;
	size_t at = 2 + (unsigned char)log->data[1];

	while (at + 8 <= log->n) {
		starts[at] = true;
		at += v2 ? 8 + number_at(log, at + 4, big) : 4 + number_at(log, at, big);
	}
	if (at <= log->n)
		starts[at] = true;
	return starts;
}

/*
 * A truncated log yields exactly the packets before the cut. A cut within a packet is
 * reported; one between packets cannot be detected.
 */
static void truncated_logs_yield_packets_before_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(logs); i++) {
		struct bytes log = sprt_sample(logs[i]);
		struct conversion whole = sprt_convert("sp-rtrace", log.data,
							log.n, "plain", NULL);
		bool *starts = packet_starts(&log);
		size_t seen = 0;

		for (size_t n = 0; n < log.n; n++) {
			struct conversion cut;
			char *part;

			if (!starts[n] && !is_place_tried(n, log.n))
				continue;
			part = xmemdup(log.data, n);
			cut = sprt_convert("sp-rtrace", part, n, "plain", NULL);
			if (strncmp(cut.out.data, whole.out.data, cut.out.n))
				fail_msg("%s, %zu bytes: the contents differ",
					 logs[i], n);
			/* Never fewer than with a shorter piece. */
			assert_true(lines(cut.out.data) >= seen);
			seen = lines(cut.out.data);
			if (!cut.status != starts[n])
				fail_msg("%s, %zu bytes: status %d", logs[i], n, cut.status);
			conversion_free(&cut);
			if (n % 16 == 7)
				through_all("sp-rtrace", part, n);
			free(part);
		}
		free(starts);
		bytes_free(&log);
		conversion_free(&whole);
	}
}

/* A flipped byte costs at most the packets of one call: itself, its arguments, its backtrace. */
static void flipped_bytes_cost_one_packet(void **state)
{
	static const unsigned char flips[] = { 0xff, 0x01, 0x20, 0x80 };

	(void)state;
	for (size_t i = 0; i < COUNT(logs); i++) {
		struct bytes log = sprt_sample(logs[i]);
		struct conversion whole = sprt_convert("sp-rtrace", log.data,
							log.n, "plain", NULL);
		size_t want = lines(whole.out.data), silent = 0;

		for (size_t n = 0; n < log.n; n++) {
			unsigned char flip = flips[n % COUNT(flips)];
			struct conversion bad;
			size_t got;

			if (!is_place_tried(n, log.n))
				continue;
			/* All bits of some bytes, one bit of the others. */
			log.data[n] = (char)(log.data[n] ^ flip);
			bad = sprt_convert("sp-rtrace", log.data, log.n,
					   "plain", NULL);
			got = lines(bad.out.data);
			if (got + 3 < want || got > want + 1)
				fail_msg("%s, byte %zu ^ 0x%x: %zu packets instead of %zu",
					 logs[i], n, flip, got, want);
			if (got != want && !bad.status)
				silent++;
			conversion_free(&bad);
			if (n % 16 == 3)
				through_all("sp-rtrace", log.data, log.n);
			log.data[n] = (char)(log.data[n] ^ flip);
		}
		assert_int_equal(silent, 0);
		bytes_free(&log);
		conversion_free(&whole);
	}
}

static void damaged_reports_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct bytes text = sprt_sample(texts[i]);
		struct conversion whole = sprt_convert("sp-rtrace-text",
							text.data, text.n,
							"plain", NULL);
		size_t want = sprt_count_lines(whole.out.data, "CALL"), seen = 0;

		for (size_t n = 1; n < text.n; n++) {
			struct conversion cut;
			size_t got;
			char *part;

			if (!is_place_tried(n, text.n))
				continue;
			part = xmemdup(text.data, n);
			cut = sprt_convert("sp-rtrace-text", part, n, "plain",
					   NULL);
			got = sprt_count_lines(cut.out.data, "CALL");
			assert_true(got >= seen && got <= want);
			seen = got;
			/* Without a newline at the end something may be missing. */
			if (part[n - 1] != '\n')
				assert_int_equal(cut.status, 1);
			conversion_free(&cut);
			if (n % 16 == 11)
				through_all("sp-rtrace-text", part, n);
			free(part);
		}
		for (size_t n = 0; n < text.n; n++) {
			struct conversion bad;
			size_t got;

			if (!is_place_tried(n, text.n))
				continue;
			text.data[n] = (char)~text.data[n];
			bad = sprt_convert("sp-rtrace-text", text.data, text.n,
					   "plain", NULL);
			got = sprt_count_lines(bad.out.data, "CALL");
			if (got + 2 < want || got > want)
				fail_msg("%s, byte %zu: %zu calls instead of %zu",
					 texts[i], n, got, want);
			if (got != want && !bad.status)
				fail_msg("%s, byte %zu: a lost call is not reported",
					 texts[i], n);
			conversion_free(&bad);
			if (n % 16 == 5)
				through_all("sp-rtrace-text", text.data, text.n);
			text.data[n] = (char)~text.data[n];
		}
		bytes_free(&text);
		conversion_free(&whole);
	}
}

/* ---- large and hostile ---- */

/* Size of a large input: enough for superlinear growth to show. */
#define BIG	((size_t)(all_cases() ? 1u << 20 : 1u << 18))

/* @head, followed by as many copies of @unit as fit. */
static struct bytes repeat(const void *head, size_t head_n,
			       const void *unit, size_t unit_n)
{
	struct bytes b = { xmalloc(BIG + 1), head_n, BIG + 1 };

	memcpy(b.data, head, head_n);
	while (b.n + unit_n <= BIG) {
		memcpy(b.data + b.n, unit, unit_n);
		b.n += unit_n;
	}
	b.data[b.n] = '\0';
	return b;
}

#define HANDSHAKE "\xf0\x0a\x02\x00\x04i686\x00\x04\x00"
static const char call_packet[] =
	"CALL\x20\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00"
	"\x02\x00\x00\x00\x02\x00\x61\x00\x0a\x00\x00\x00\x00\x10\x00\x00"
	"\x00\x00\x00\x00";

/*
 * Convert from @from to every format: memory stays within a small multiple of the input,
 * apart from what the sink always takes.
 */
static void assert_bounded(const char *what, const char *from,
			   const struct bytes *b)
{
	static const char *const sinks[] = { "fxt", "json", "sp-rtrace-text" };
	static const struct opt_given all[] = {
		{ "leaks", NULL }, { "compress", NULL }, { NULL, NULL }
	};

	for (size_t i = 0; i < COUNT(sinks); i++) {
		struct conversion nothing, r;

		/* What the sink takes for an empty log. */
		nothing = sprt_convert("sp-rtrace", HANDSHAKE, 12, sinks[i], NULL);
		r = sprt_convert(from, b->data, b->n, sinks[i],
				 i == 2 ? all : NULL);
		/* The output is in memory, too, and grows by doubling. */
		if (r.peak > nothing.peak + 24 * b->n + 2 * r.out.n)
			fail_msg("%s to %s: %zu bytes of memory for %zu",
				 what, sinks[i], r.peak, b->n);
		conversion_free(&nothing);
		conversion_free(&r);
	}
}

static void memory_is_bounded(void **state)
{
	static const char header[] = "version=2.0, arch=a, process=p, pid=1,\x20\n";
	static const struct {
		const char *what, *from;
		const char *head;
		size_t head_n;
		const char *unit;
		size_t unit_n;
	} inputs[] = {
		{ "zeros", "sp-rtrace", HANDSHAKE, 12, "\0\0\0\0", 4 },
		{ "half headers", "sp-rtrace", HANDSHAKE, 12, "CALL", 4 },
		{ "nested sizes", "sp-rtrace", HANDSHAKE, 12,
		  "CALL\0\0\x08\0", 8 },
		{ "handshakes", "sp-rtrace", HANDSHAKE, 12, HANDSHAKE, 12 },
		{ "empty backtraces", "sp-rtrace", HANDSHAKE, 12,
		  "BTRC\x04\0\0\0\0\0\0\0", 12 },
		{ "attachments", "sp-rtrace", HANDSHAKE, 12,
		  "FILE\x08\0\0\0\x02\0a\0\x02\0b\0", 16 },
		{ "resources", "sp-rtrace", HANDSHAKE, 12,
		  "RESR\x10\0\0\0\x07\0\0\0\0\0\0\0\x02\0a\0\x02\0b\0", 24 },
		{ "unknown types", "sp-rtrace", HANDSHAKE, 12,
		  "ZZZZ\0\0\0\0", 8 },
		{ "short lines", "sp-rtrace-text", header, sizeof(header) - 1,
		  "1. a(0x0)\n", 10 },
		{ "empty lines", "sp-rtrace-text", header, sizeof(header) - 1,
		  "\n", 1 },
		{ "one line", "sp-rtrace-text", header, sizeof(header) - 1,
		  "x", 1 },
		{ "comments", "sp-rtrace-text", header, sizeof(header) - 1,
		  "#\n", 2 },
		{ "headers", "sp-rtrace-text", header, sizeof(header) - 1,
		  header, sizeof(header) - 1 },
		{ "maps", "sp-rtrace-text", header, sizeof(header) - 1,
		  ": a => 0x0-0x1\n", 15 },
		{ "tabs", "sp-rtrace-text", header, sizeof(header) - 1,
		  "\t\n", 2 },
	};
	struct bytes b;

	(void)state;
	for (size_t i = 0; i < COUNT(inputs); i++) {
		b = repeat(inputs[i].head, inputs[i].head_n, inputs[i].unit,
			   inputs[i].unit_n);
		assert_bounded(inputs[i].what, inputs[i].from, &b);
		bytes_free(&b);
	}
	b = repeat(HANDSHAKE, 12, call_packet, sizeof(call_packet) - 1);
	assert_bounded("calls", "sp-rtrace", &b);
	bytes_free(&b);
	/* One call with all the frames, then one with all the arguments. */
	b = repeat("version=2.0, arch=a,\x20\n1. a(1) = 0x1\n", 36, "\t0x1\n", 5);
	assert_bounded("frames", "sp-rtrace-text", &b);
	bytes_free(&b);
	b = repeat("version=2.0, arch=a,\x20\n1. a(1) = 0x1\n", 36, "\t$a = b\n", 8);
	assert_bounded("arguments", "sp-rtrace-text", &b);
	bytes_free(&b);
}

/* Input that is no log at all is refused. */
static void garbage_is_refused(void **state)
{
	struct conversion r;
	char rubbish[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(rubbish); i++)
		rubbish[i] = (char)(i * i * 31 >> 3);
	r = sprt_convert("sp-rtrace", rubbish, sizeof(rubbish), "json", NULL);
	assert_int_equal(r.status, 2);
	conversion_free(&r);
	r = sprt_convert("sp-rtrace", "", 0, "fxt", NULL);
	assert_int_equal(r.status, 2);
	conversion_free(&r);
	r = sprt_convert("sp-rtrace-text", rubbish, sizeof(rubbish), "json",
			 NULL);
	assert_int_equal(r.status, 1);
	conversion_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truncated_logs_yield_packets_before_cut),
		cmocka_unit_test(flipped_bytes_cost_one_packet),
		cmocka_unit_test(damaged_reports_are_read),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(garbage_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
