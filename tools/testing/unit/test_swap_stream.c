// SPDX-License-Identifier: GPL-2.0
/*
 * SWAP streams as a whole: order and gaps of sequence numbers, the counts of SYSTEM messages,
 * resynchronization after damage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common_fxt.h"
#include "common_seed.h"
#include "common_swap.h"
#include "format/swap/swap_formats.h"
#include "format/swap/swap_frame.h"
#include "format/swap/swap_process.h"
#include "format/swap/swap_system.h"
#include "base/xalloc.h"

static struct conversion json(struct stream *s, const struct opt_given *given)
{
	return convert("swap", "json", s->b.data, s->b.n, given);
}

/* The sequence numbers of the messages in order of output; LOST as -count. */
static size_t numbers(const struct conversion *c, long *out, size_t max)
{
	size_t n = 0;

	for (const char *line = c->out.data; *line; line = strchr(line, '\n') + 1) {
		bool lost = !strncmp(line, "{\"type\":\"LOST\"", 14);
		const char *p = strstr(line, lost ? "\"count\":" : "\"seq\":");

		assert_true(n < max);
		out[n++] = lost ? -atol(p + 8) : atol(p + 6);
	}
	return n;
}

static void assert_numbers(struct stream *s, const long *want, size_t n, int status)
{
	struct conversion c = json(s, NULL);
	long got[2000];
	size_t m = numbers(&c, got, 2000);

	for (size_t i = 0; i < n && i < m; i++)
		if (got[i] != want[i])
			fail_msg("number %zu is %ld, expected %ld", i, got[i], want[i]);
	assert_int_equal(m, n);
	if (c.status != status)
		fail_msg("status %d:\n%s", c.status, c.messages.data);
	conversion_free(&c);
	sw_free(s);
}

#define NUMBERS(s, status, ...) do {						\
	const long want[] = { __VA_ARGS__ };					\
										\
	assert_numbers(s, want, sizeof(want) / sizeof(want[0]), status);	\
} while (0)

static void samples(struct stream *s, const uint32_t *seqs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		s->seq = seqs[i];
		sw_sample(s, 42, 0x8000 + 4 * i);
	}
}

#define SAMPLES(s, ...) do {							\
	const uint32_t seqs[] = { __VA_ARGS__ };				\
										\
	samples(s, seqs, sizeof(seqs) / sizeof(seqs[0]));			\
} while (0)

static void test_missing_numbers(void **state)
{
	struct stream s = { 0 };

	(void)state;
	SAMPLES(&s, 10, 11, 13, 14, 100);
	NUMBERS(&s, 1, 10, 11, -1, 13, 14, -85, 100);
	s = (struct stream){ 0 };
	SAMPLES(&s, 0xfffffffe, 0xffffffff, 0, 1);
	NUMBERS(&s, 0, 0xfffffffe, 0xffffffff, 0, 1);
	s = (struct stream){ 0 };
	SAMPLES(&s, 0xfffffffe, 1);
	NUMBERS(&s, 1, 0xfffffffe, -2, 1);
}

/* CPUs deliver slightly out of order: messages are sorted, none is lost. */
static void test_reorder(void **state)
{
	struct stream s = { 0 };

	(void)state;
	SAMPLES(&s, 0, 3, 2, 1, 5, 4, 7);
	NUMBERS(&s, 1, 0, 1, 2, 3, 4, 5, -1, 7);
	s = (struct stream){ 0 };
	SAMPLES(&s, 0xffffffff, 1, 0, 2);
	NUMBERS(&s, 0, 0xffffffff, 0, 1, 2);
}

/* Before protocol 4.0, a number could be used twice. */
static void test_number_used_twice(void **state)
{
	struct stream s = { 0 };
	struct conversion c;

	(void)state;
	SAMPLES(&s, 0, 1, 1, 2, 3, 3, 4);
	c = json(&s, NULL);
	assert_true(has_line(&c.messages, "offset 80: SAMPLE, number 1: this number has been before"));
	conversion_free(&c);
	NUMBERS(&s, 0, 0, 1, 1, 2, 3, 3, 4);
}

/* A gap that is not filled is reported as a loss after a while, not only at the end. */
static void test_gap_in_time(void **state)
{
	struct stream s = { 0 };
	long want[1001];
	size_t n = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		if (i == 500)
			s.seq++;
		sw_sample(&s, 42, 0x8000);
	}
	for (long i = 0; i < 1001; i++) {
		if (i == 500)
			want[n++] = -1;
		else
			want[n++] = i;
	}
	assert_numbers(&s, want, n, 1);
}

/* With a damaged number, only the message that should have it counts as missing. */
static void test_damaged_number(void **state)
{
	struct stream s = { 0 };
	struct conversion c;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		sw_sample(&s, 42, 0x8000);
	s.b.data[500 * 40 + 7] ^= 0x01;		/* number 500 is 2^24 + 500 */
	c = json(&s, NULL);
	assert_int_equal(c.status, 1);
	assert_true(has_line(&c.messages, "offset 20000: SAMPLE, number 16777716: the number does not fit"));
	assert_true(has_line(&c.messages, "1 message is missing, numbers 500 to 500"));
	assert_true(has_line(&c.messages, "1 message lost"));
	assert_int_equal(count_lines(&c.out, "\"type\":\"SAMPLE\""), 1000);
	conversion_free(&c);
	sw_free(&s);
}

/* Two captures in one file: the numbers start again. */
static void test_concatenated_captures(void **state)
{
	struct stream s = { 0 };
	struct conversion c;

	(void)state;
	for (uint32_t i = 0; i < 50; i++)
		sw_sample(&s, 42, 0x8000);
	s.seq = 0;
	for (uint32_t i = 0; i < 50; i++)
		sw_sample(&s, 42, 0x8000);
	c = json(&s, NULL);
	assert_int_equal(c.status, 0);
	assert_true(has_line(&c.messages, "the numbers begin anew"));
	assert_int_equal(count_lines(&c.out, "\"type\":\"SAMPLE\""), 100);
	conversion_free(&c);
	sw_free(&s);
}

/* ---- SYSTEM ---- */

static void assert_counts(const struct conversion *c, const char *known_by, unsigned int cpus,
			  unsigned int devices, size_t messages)
{
	char text[128];

	snprintf(text, sizeof(text), "\"counts\":{\"known_by\":\"%s\",\"cpus\":%u,\"energy_devices\":%u}",
		 known_by, cpus, devices);
	if (count_lines(&c->out, text) != messages)
		fail_msg("expected %zu of %s:\n%s%s", messages, text, c->out.data, c->messages.data);
}

/* Every kind of target is recognized by one message that has a process. */
static void test_system_counts(void **state)
{
	(void)state;
	for (unsigned int i386 = 0; i386 < 2; i386++) {
		for (unsigned int cpus = 1; cpus <= 16; cpus *= 2) {
			for (unsigned int devices = 3; devices <= 5; devices += 2) {
				struct stream s = { 0 };
				struct conversion c;

				sw_system(&s, &(struct sw_system){
					.cpus = cpus, .devices = devices, .processes = 1,
					.threads = 3, .others = 20, .i386 = i386,
				});
				c = json(&s, NULL);
				assert_int_equal(c.status, 0);
				assert_counts(&c, "lengths", cpus, devices, 1);
				assert_true(has_line(&c.out, "\"memory_used\":500000000"));
				assert_true(has_line(&c.out, "\"energy\":77"));
				conversion_free(&c);
				sw_free(&s);
			}
		}
	}
}

/*
 * A message without processes fits two kinds of targets; the next one has a process and
 * decides how the first is read.
 */
static void test_system_waits(void **state)
{
	struct stream s = { 0 };
	struct conversion c;
	long want[] = { 0, 1, 2, 3 };

	(void)state;
	sw_system(&s, &(struct sw_system){ .cpus = 4, .devices = 6, .others = 2, .i386 = true });
	sw_sample(&s, 42, 0x8000);
	sw_sample(&s, 42, 0x8000);
	sw_system(&s, &(struct sw_system){ .cpus = 4, .devices = 6, .processes = 1, .i386 = true });
	c = json(&s, NULL);
	assert_int_equal(c.status, 0);
	assert_counts(&c, "lengths", 4, 6, 2);
	assert_true(has_line(&c.out, "\"energy_devices\":[10,11,12,13,14,15],\"app_energy_devices\":[20,21,22,23,24,25]"));
	conversion_free(&c);
	assert_numbers(&s, want, 4, 0);
}

/* If only this message is there, the usual counts are assumed, and this is reported. */
static void test_system_assumed(void **state)
{
	struct stream s = { 0 };
	struct conversion c;

	(void)state;
	sw_system(&s, &(struct sw_system){ .cpus = 2, .devices = 5, .others = 2 });
	c = json(&s, NULL);
	assert_int_equal(c.status, 0);
	assert_counts(&c, "assumed", 2, 5, 1);
	assert_true(has_line(&c.messages, "2 processors and 5 energy devices, which is usual but not certain"));
	conversion_free(&c);
	/* The other target that fits, chosen by the option. */
	c = json(&s, OPTIONS({ "swap-energy-devices", "6" }));
	assert_int_equal(c.status, 0);
	assert_counts(&c, "lengths", 2, 6, 1);
	conversion_free(&c);
	sw_free(&s);
}

/* All features are off: any number of CPUs fits, and nothing is guessed. */
static void test_system_unknown(void **state)
{
	struct stream s = { 0 };
	struct conversion c;

	(void)state;
	sw_system(&s, &(struct sw_system){ .cpus = 4, .devices = 5, .zero = true });
	c = json(&s, NULL);
	assert_int_equal(c.status, 1);
	assert_true(has_line(&c.messages, "the number of processors is not known: give --swap-cpus"));
	assert_true(has_line(&c.out, "\"counts\":{\"known_by\":\"unknown\"},\"payload\":\"00000000"));
	conversion_free(&c);
	c = convert("swap", "fxt", s.b.data, s.b.n, NULL);
	assert_fxt_clean(c.out.data, c.out.n);
	conversion_free(&c);
	c = json(&s, OPTIONS({ "swap-cpus", "4" }, { "swap-energy-devices", "5" }));
	assert_int_equal(c.status, 0);
	assert_counts(&c, "option", 4, 5, 1);
	conversion_free(&c);
	/* If only the CPUs are given, both kinds of targets fit. */
	c = json(&s, OPTIONS({ "swap-cpus", "4" }));
	assert_int_equal(c.status, 0);
	assert_counts(&c, "assumed", 4, 5, 1);
	conversion_free(&c);
	sw_free(&s);
}

/* Another kind of target: no length fits, but it can be read with the counts. */
static void test_system_other_target(void **state)
{
	struct stream s = { 0 };
	struct conversion c;

	(void)state;
	sw_system(&s, &(struct sw_system){ .cpus = 8, .devices = 5, .processes = 1, .threads = 1, .more = 13 });
	c = json(&s, NULL);
	assert_int_equal(c.status, 1);
	conversion_free(&c);
	c = json(&s, OPTIONS({ "swap-cpus", "8" }, { "swap-energy-devices", "5" }));
	assert_int_equal(c.status, 0);
	assert_counts(&c, "option", 8, 5, 1);
	assert_true(has_line(&c.out, "\"energy\":77"));
	conversion_free(&c);
	/* The devices come last: without their number, the rest can still be read. */
	c = json(&s, OPTIONS({ "swap-cpus", "8" }));
	assert_int_equal(c.status, 1);
	assert_true(has_line(&c.messages, "the number of energy devices is not known"));
	assert_true(has_line(&c.out, "\"energy\":77"));
	conversion_free(&c);
	sw_free(&s);
}

/* A message with a wrong length does not affect the others. */
static void test_system_damaged(void **state)
{
	struct stream s = { 0 };
	struct conversion c;
	struct sw_system right = { .cpus = 4, .devices = 5, .processes = 1, .threads = 2 };
	struct sw_system wrong = right;

	(void)state;
	wrong.more = 16;
	sw_system(&s, &right);
	sw_system(&s, &wrong);
	sw_system(&s, &right);
	c = json(&s, NULL);
	assert_int_equal(c.status, 1);
	assert_counts(&c, "lengths", 4, 5, 3);
	assert_true(has_line(&c.messages, "SYSTEM, number 1: its length does not fit"));
	conversion_free(&c);
	sw_free(&s);
}

/* Lengths that fit no counts, or only those of the options. */
static void test_system_fits(void **state)
{
	static const struct {
		struct sw_system y;
		int less;	/* bytes taken off the end */
		unsigned int cpus;
		int devices;
		bool fits;
	} cases[] = {
		{ { .cpus = 4, .devices = 5, .processes = 1 }, 0, 0, -1, true },
		{ { .cpus = 4, .devices = 5, .processes = 1 }, 0, 4, 5, true },
		{ { .cpus = 4, .devices = 5, .processes = 1 }, 0, 3, -1, false },
		{ { .cpus = 4, .devices = 5, .processes = 1 }, 0, 4, 4, false },
		{ { .cpus = 4, .devices = 5, .processes = 1 }, 1, 4, -1, false },
		{ { .cpus = 4, .devices = 5, .processes = 1 }, 8, 4, 5, false },
		{ { .cpus = 4, .devices = 0, .processes = 1 }, 0, 4, -1, true },
		{ { .cpus = 4, .devices = 0, .processes = 1, .threads = 2, .others = 3 }, 0, 4, 0, true },
		{ { .cpus = 4, .devices = 0, .processes = 1, .i386 = true }, 8, 4, -1, false },
		{ { .cpus = 4, .devices = SWAP_MAX_DEVICES, .processes = 1 }, 0, 4, -1, true },
		{ { .cpus = 4, .devices = SWAP_MAX_DEVICES + 1, .processes = 1 }, 0, 4, -1, false },
		{ { .cpus = SWAP_MAX_CPUS, .devices = 3, .processes = 1 }, 0, SWAP_MAX_CPUS, -1, true },
		{ { .cpus = SWAP_MAX_CPUS + 1, .devices = 3, .processes = 1 }, 0, SWAP_MAX_CPUS + 1, -1, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct swap_system y = { .cpus = cases[i].cpus, .devices = cases[i].devices };
		const struct sw_system *made = &cases[i].y;
		struct stream s = { 0 };
		const uint8_t *p;
		uint32_t len;

		sw_system(&s, made);
		p = (const uint8_t *)s.b.data + 20;
		len = (uint32_t)s.b.n - 20 - (uint32_t)cases[i].less;
		if (swap_system_add(&y, p, len) != cases[i].fits)
			fail_msg("case %zu", i);
		for (uint32_t cpus = made->cpus - 1; cpus <= made->cpus + 1; cpus++)
			for (uint32_t devices = made->devices; devices <= made->devices + 2; devices++) {
				bool fits = swap_system_fits(p, len, &(struct swap_counts){ cpus, devices });

				if (fits && (cpus != made->cpus || devices != made->devices || cases[i].less ||
					     cpus > SWAP_MAX_CPUS || devices > SWAP_MAX_DEVICES))
					fail_msg("case %zu with %u, %u", i, cpus, devices);
				if (!fits && cpus == made->cpus && devices == made->devices && !cases[i].less &&
				    cpus <= SWAP_MAX_CPUS && devices <= SWAP_MAX_DEVICES)
					fail_msg("case %zu", i);
			}
		/* truncated anywhere, nothing beyond the end is read */
		for (uint32_t n = 0; n < len && len < 4000; n++) {
			char *cut = xmemdup(p, n);

			swap_system_add(&y, (const uint8_t *)cut, n);
			free(cut);
		}
		map64_clear(&y.votes);
		sw_free(&s);
	}
}

static void test_bad_options(void **state)
{
	struct stream s = { 0 };
	static const struct opt_given bad[][2] = {
		{ { "swap-cpus", "0" }, { NULL, NULL } },
		{ { "swap-cpus", "1025" }, { NULL, NULL } },
		{ { "swap-cpus", "many" }, { NULL, NULL } },
		{ { "swap-energy-devices", "1025" }, { NULL, NULL } },
		{ { "swap-energy-devices", "-1" }, { NULL, NULL } },
	};

	(void)state;
	sw_sample(&s, 1, 2);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct conversion c = json(&s, bad[i]);

		assert_int_equal(c.status, 2);
		assert_true(has_line(&c.messages, bad[i][0].name));
		conversion_free(&c);
	}
	sw_free(&s);
}

/* ---- damage ---- */

/* Garbage between messages: its offset is reported, and all messages are read. */
static void test_garbage_between_messages(void **state)
{
	struct stream s = { 0 };
	static const uint8_t zeros[1 << 16];
	struct conversion c;
	uint8_t rubbish[333];

	(void)state;
	for (size_t i = 0; i < sizeof(rubbish); i++)
		rubbish[i] = (uint8_t)(i * 37 + 11);
	for (unsigned int i = 0; i < 30; i++) {
		if (i == 10 || i == 20)
			sw_bytes(&s, rubbish, sizeof(rubbish));
		sw_entry(&s, 42, 42, 0x8000);
	}
	c = json(&s, NULL);
	assert_int_equal(c.status, 1);
	assert_true(has_line(&c.messages, "offset 520: 333 bytes that belong to no message"));
	assert_true(has_line(&c.messages, "offset 1373: 333 bytes that belong to no message"));
	assert_int_equal(count_lines(&c.out, "\"type\":\"FUNCTION_ENTRY\""), 30);
	assert_int_equal(count_lines(&c.messages, "missing"), 0);
	conversion_free(&c);
	sw_free(&s);

	/* At the very beginning. */
	sw_bytes(&s, rubbish, sizeof(rubbish));
	for (unsigned int i = 0; i < 30; i++)
		sw_entry(&s, 42, 42, 0x8000);
	c = json(&s, NULL);
	assert_true(has_line(&c.messages, "offset 0: 333 bytes that belong to no message"));
	assert_int_equal(count_lines(&c.out, "\"type\":\"FUNCTION_ENTRY\""), 30);
	conversion_free(&c);
	sw_free(&s);

	/* More than any message has: not kept in memory. */
	for (unsigned int i = 0; i < 30; i++) {
		if (i == 10)
			for (size_t n = 0; n < 8u << 20; n += sizeof(zeros))
				sw_bytes(&s, zeros, sizeof(zeros));
		sw_entry(&s, 42, 42, 0x8000);
	}
	c = json(&s, NULL);
	assert_true(has_line(&c.messages, "offset 520: 8,388,608 bytes that belong to no message"));
	assert_int_equal(count_lines(&c.out, "\"type\":\"FUNCTION_ENTRY\""), 30);
	assert_true(c.peak < 5u << 20);
	conversion_free(&c);
	sw_free(&s);

	/* One byte that makes the header of a long message with the bytes after it. */
	for (unsigned int i = 0; i < 30; i++) {
		if (i == 10)
			sw_bytes(&s, rubbish, 1);
		sw_entry(&s, 42, 42, 0x8000);
	}
	c = json(&s, NULL);
	assert_true(has_line(&c.messages, "offset 520: 1 byte that belongs to no message"));
	assert_int_equal(count_lines(&c.out, "\"type\":\"FUNCTION_ENTRY\""), 30);
	conversion_free(&c);
	sw_free(&s);
}

/* A wrong length: the message is read up to the start of the next one. */
static void test_wrong_length(void **state)
{
	static const uint32_t lengths[] = { 0, 1, 31, 33, 32 + 52, 100, 5000, 0x7fffffff, 0xffffffff };

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct stream s = { 0 };
		struct conversion c;

		for (unsigned int k = 0; k < 10; k++)
			sw_entry(&s, 42, 42, 0x8000 + k);
		memcpy(s.b.data + 4 * 52 + 16, &lengths[i], 4);
		c = json(&s, NULL);
		assert_int_equal(c.status, 1);
		if (count_lines(&c.out, "\"args\":[]") != 10 ||
		    !has_line(&c.messages, "offset 208: FUNCTION_ENTRY, number 4: the length in its header is wrong"))
			fail_msg("length %u:\n%s%s", lengths[i], c.out.data, c.messages.data);
		assert_int_equal(count_lines(&c.out, "\"damaged\":[\"length\"]"), 1);
		conversion_free(&c);
		sw_free(&s);
	}
}

/* Messages missing in the middle are counted as lost. */
static void test_dropped(void **state)
{
	struct stream s = { 0 };
	struct conversion c;

	(void)state;
	for (unsigned int k = 0; k < 20; k++)
		sw_entry(&s, 42, 42, 0x8000 + k);
	memmove(s.b.data + 5 * 52 + 7, s.b.data + 8 * 52 + 7, s.b.n - 8 * 52 - 7);
	s.b.n -= 3 * 52;
	c = json(&s, NULL);
	/* The message at the seam has the header of one and the payload of another. */
	assert_int_equal(count_lines(&c.out, "\"type\":\"FUNCTION_ENTRY\""), 17);
	assert_true(has_line(&c.messages, "3 messages lost"));
	conversion_free(&c);
	sw_free(&s);
}

/* The messages of an input that is read in packets of any size: a line for each. */
struct pieces {
	struct bytes text;
	unsigned int messages;
};

static void write_pieces(int fd, const struct bytes *in, size_t piece)
{
	for (size_t i = 0; i < in->n; i += piece)
		if (write(fd, in->data + i, in->n - i < piece ? in->n - i : piece) < 0)
			_exit(1);
	_exit(0);
}

static struct pieces feed(const struct bytes *in, size_t piece)
{
	struct swap_frame f = { 0 };
	struct pieces p = { 0 };
	struct swap_message m;
	int fds[2], status, err, stdin_was = dup(0);
	char line[96];
	pid_t writer;
	bool found;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	writer = fork();
	if (!writer)
		write_pieces(fds[1], in, piece);
	close(fds[1]);
	dup2(fds[0], 0);
	close(fds[0]);
	f.in = in_open("-", &err);
	do {
		found = swap_frame_next(&f, &m);
		if (f.garbage)
			bytes_add(&p.text, line, (size_t)snprintf(line, sizeof(line), "garbage %llu\n",
								  (unsigned long long)f.garbage));
		if (found)
			bytes_add(&p.text, line,
				  (size_t)snprintf(line, sizeof(line), "%u @%llu %u %x\n", m.header.seq,
						   (unsigned long long)m.offset, m.len, m.damage));
		p.messages += found;
	} while (found);
	assert_int_equal(in_offset(f.in), in->n);
	in_close(f.in);
	dup2(stdin_was, 0);
	close(stdin_was);
	assert_int_equal(waitpid(writer, &status, 0), writer);
	assert_int_equal(status, 0);
	return p;
}

static void test_read_in_pieces(void **state)
{
	static const size_t sizes[] = { 1, 2, 7, 19, 20, 21, 64, 1000 };
	struct bytes in = fixture("swap/swap42-arm.bin");

	(void)state;
	for (unsigned int damage = 0; damage < 3; damage++) {
		struct pieces whole;

		if (damage == 1)
			in.data[2142 + 16] ^= 0x55;	/* a length */
		if (damage == 2)
			memset(in.data + 3000, 0xff, 100);
		whole = feed(&in, 4096);
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			struct pieces p = feed(&in, sizes[i]);

			assert_string_equal(p.text.data, whole.text.data);
			bytes_free(&p.text);
		}
		assert_true(whole.messages > 60);
		bytes_free(&whole.text);
	}
	bytes_free(&in);
}

/*
 * Headers that claim large payloads and payloads without content must not make time and
 * memory grow faster than the input.
 */
static void test_hostile(void **state)
{
	struct stream s = { 0 };
	struct conversion c;

	(void)state;
	while (s.b.n < 3u << 20) {
		s.seq = 5;
		sw_begin(&s, 0x0001);
		sw_u32(&s, 1);
		sw_str(&s, "x");
		sw_end(&s);
		memcpy(s.b.data + s.message + 16, "\xf1\xff\x0f\0", 4);
	}
	c = json(&s, NULL);
	assert_int_equal(c.status, 1);
	assert_true(c.peak < (8u << 20) + 4 * s.b.n);
	conversion_free(&c);
	sw_free(&s);

	/* Arguments that take no bytes of their own. */
	s = (struct stream){ 0 };
	sw_begin(&s, 0x0008);
	for (unsigned int i = 0; i < 7; i++)
		sw_u32(&s, 0);
	sw_u32(&s, 0xffffffff);
	for (size_t i = 0; i < 900000; i++)
		sw_u8(&s, 'n');
	sw_end(&s);
	sw_sample(&s, 1, 2);
	c = json(&s, NULL);
	assert_int_equal(c.status, 1);
	assert_true(c.peak < (8u << 20) + 4 * s.b.n);
	conversion_free(&c);
	c = convert("swap", "fxt", s.b.data, s.b.n, NULL);
	assert_true(c.peak < (8u << 20) + 16 * s.b.n);
	assert_fxt_clean(c.out.data, c.out.n);
	conversion_free(&c);
	sw_free(&s);
}

/* Peak memory of the conversion of @n items that @add makes, and the exit status. */
static size_t peak_of(const char *to, void (*add)(struct stream *s, uint32_t i), uint32_t n,
		      int *status)
{
	struct stream s = { 0 };
	struct conversion c;
	size_t peak;

	for (uint32_t i = 1; i <= n; i++)
		add(&s, i);
	c = convert("swap", to, s.b.data, s.b.n, NULL);
	peak = c.peak;
	*status = c.status;
	if (!strcmp(to, "fxt"))
		assert_fxt_clean(c.out.data, c.out.n);
	conversion_free(&c);
	sw_free(&s);
	return peak;
}

static void add_process(struct stream *s, uint32_t i)
{
	sw_process_info(s, i, "a", 1);
}

static void add_thread(struct stream *s, uint32_t i)
{
	sw_entry(s, 42, i, 0x8000);
}

static void add_map(struct stream *s, uint32_t i)
{
	sw_begin(s, 0x0012);
	sw_u32(s, 1 + i / 5000);
	sw_u64(s, i * 0x2000ull);
	sw_u64(s, i * 0x2000ull + 0x1000);
	sw_str(s, "/lib/a.so");
	sw_end(s);
}

/* The limits are exact; beyond them, the item that was mentioned first is forgotten. */
static void test_oldest_item_forgotten(void **state)
{
	struct swap_processes *ps = swap_processes_new();
	struct swap_process *p;

	(void)state;
	for (uint32_t i = 1; i <= SWAP_MAX_PROCESSES; i++) {
		swap_process_add(ps, i);
		assert_null(swap_process_surplus(ps));
	}
	swap_process_add(ps, SWAP_MAX_PROCESSES + 1);
	assert_int_equal(swap_process_surplus(ps)->pid, 1);
	swap_process_forget(ps, swap_process_surplus(ps));
	assert_null(swap_process_surplus(ps));
	swap_processes_free(ps);

	ps = swap_processes_new();
	p = swap_process_add(ps, 42);
	for (uint32_t i = 1; i <= SWAP_MAX_THREADS; i++) {
		swap_thread_add(ps, p, i);
		assert_null(swap_thread_surplus(ps));
	}
	swap_thread_add(ps, p, SWAP_MAX_THREADS + 1);
	assert_int_equal(swap_thread_surplus(ps)->tid, 1);
	swap_thread_forget(ps, swap_thread_surplus(ps));
	assert_null(swap_thread_surplus(ps));
	swap_processes_free(ps);

	ps = swap_processes_new();
	for (uint32_t i = 0; i < SWAP_MAX_ALL_MAPS; i++) {
		if (i % SWAP_MAX_MAPS == 0)
			p = swap_process_add(ps, 1 + i / SWAP_MAX_MAPS);
		assert_true(swap_map(p, i * 2ull, i * 2ull + 1, "a", 1));
		assert_null(swap_process_surplus(ps));
	}
	p = swap_process_add(ps, 1 + SWAP_MAX_ALL_MAPS / SWAP_MAX_MAPS);
	assert_null(swap_process_surplus(ps));
	assert_true(swap_map(p, 0, 1, "a", 1));
	assert_int_equal(swap_process_surplus(ps)->pid, 1);
	swap_process_forget(ps, swap_process_surplus(ps));
	assert_null(swap_process_surplus(ps));
	swap_processes_free(ps);
}

/*
 * The converter remembers as many items as can be live at once, and reports those it forgets.
 * Thus memory is bounded, whatever a stream claims. Mappings, by far the most numerous, are
 * only tested with LONG=y: they are forgotten with their process, and test_surplus() tests
 * their limit.
 */
static void test_many_live_items(void **state)
{
	static const struct {
		void (*add)(struct stream *s, uint32_t i);
		uint32_t most;
	} rows[] = {
		{ add_process, SWAP_MAX_PROCESSES }, { add_thread, SWAP_MAX_THREADS },
		{ add_map, SWAP_MAX_ALL_MAPS },
	};
	int status;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t more;

		if (rows[i].add == add_map && !all_cases())
			continue;
		peak_of("fxt", rows[i].add, rows[i].most - 1, &status);
		assert_int_equal(status, 0);
		/* tables may have doubled once */
		more = peak_of("fxt", rows[i].add, rows[i].most + rows[i].most / 8, &status);
		assert_int_equal(status, 1);
		assert_in_range(peak_of("fxt", rows[i].add, 2 * rows[i].most, &status), 1,
				more + more / 8);
	}
}

/* The summary distinguishes more items, but not an unlimited number. */
static void test_many_in_summary(void **state)
{
	int status;
	size_t most;

	(void)state;
	most = peak_of("stats", add_process, 70000, &status);
	assert_in_range(peak_of("stats", add_process, 140000, &status), 1, most + most / 8);
}

static void add_sample(struct stream *s, uint32_t i)
{
	sw_sample(s, i, 0x8000);
}

/* Items beyond the limit are counted together. */
static void test_items_beyond_summary_limit(void **state)
{
	static const struct {
		void (*add)(struct stream *s, uint32_t i);
		uint32_t most;
		const char *message, *more;
	} rows[] = {
		{ add_sample, 65536, "Processes: 65536", "Messages of more processes: 2" },
		{ add_thread, 262144, "Threads that messages name: 262144", "Messages of more threads: 2" },
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct stream s = { 0 };
		struct conversion c;

		for (uint32_t k = 1; k <= rows[i].most; k++)
			rows[i].add(&s, k);
		rows[i].add(&s, 1);
		rows[i].add(&s, rows[i].most + 1);
		rows[i].add(&s, rows[i].most + 1);
		c = convert("swap", "stats", s.b.data, s.b.n, NULL);
		assert_true(has_line(&c.out, rows[i].message));
		assert_true(has_line(&c.out, rows[i].more));
		conversion_free(&c);
		sw_free(&s);
	}
}

/* An id is used as a koid once; a reused id, or one out of range, gets another koid. */
static void test_koids(void **state)
{
	struct swap_processes *ps = swap_processes_new();
	uint64_t last = 0;

	(void)state;
	for (uint32_t again = 0; again < 2; again++) {
		for (uint32_t id = 0; id < (1u << 23) + 70; id += id < 70000 || id > (1u << 23) - 999 ? 1 : 997) {
			struct swap_process *p = swap_process_add(ps, id);
			uint64_t koid = p->koid;

			assert_int_equal(swap_thread_add(ps, p, id)->koid == id, koid == id);
			assert_int_equal(koid == id, !again && id && id < 1u << 23);
			if (koid != id) {
				assert_true(koid > last && koid >= 1u << 23);
				last = koid;
			}
			assert_ptr_equal(swap_process_find(ps, id), p);
			swap_process_forget(ps, p);
			assert_null(swap_process_find(ps, id));
		}
	}
	swap_processes_free(ps);
}

/* Nested calls: some are shown, more are tracked. */
static void test_depth_of_calls(void **state)
{
	struct swap_processes *ps = swap_processes_new();
	struct swap_thread *t = swap_thread_add(ps, swap_process_add(ps, 42), 42);

	(void)state;
	for (unsigned int i = 0; i < SWAP_MAX_DEPTH; i++)
		assert_int_equal(swap_slice_push(t, "file", i, "a"), i < SWAP_MAX_NESTING);
	assert_int_equal(swap_slice_push(t, "file", 7, "a"), -1);
	assert_int_equal(t->depth, SWAP_MAX_DEPTH);
	assert_int_equal(swap_slice_match(t, "file", 0), 0);
	assert_int_equal(swap_slice_match(t, "file", SWAP_MAX_DEPTH - 1), SWAP_MAX_DEPTH - 1);
	assert_int_equal(swap_slice_match(t, "file", SWAP_MAX_DEPTH), -1);
	assert_int_equal(swap_slice_match(t, "web", 0), -1);
	swap_slice_pop(t);
	assert_int_equal(swap_slice_match(t, "file", SWAP_MAX_DEPTH - 1), -1);
	swap_processes_free(ps);
}

/* The live bytes are the sum of the blocks; a block of 2^48 bytes or more is ignored. */
static void test_blocks(void **state)
{
	struct swap_processes *ps = swap_processes_new();
	struct swap_process *p = swap_process_add(ps, 42);

	(void)state;
	swap_block_add(p, 1, 100);
	swap_block_add(p, 2, (1ull << 48) - 1);
	swap_block_add(p, 3, 1ull << 48);
	assert_int_equal(p->bytes, 100 + (1ull << 48) - 1);
	swap_block_add(p, 2, 5);
	swap_block_remove(p, 3);
	assert_int_equal(p->bytes, 105);
	swap_block_remove(p, 1);
	swap_block_remove(p, 1);
	assert_int_equal(p->bytes, 5);
	swap_processes_free(ps);
}

/* Overlapping mappings and holes in them, compared with a list. */
static void test_mappings(void **state)
{
	enum { PLACES = 40, STEP = 0x1000 };
	struct swap_processes *ps = swap_processes_new();
	struct swap_process *p = swap_process_add(ps, 42);
	struct { unsigned int name, base; } at[PLACES] = { 0 };
	uint32_t random = 1;
	char name[24];

	(void)state;
	for (unsigned int i = 1; i < 4000; i++) {
		unsigned int low, high;

		random = random * 1103515245 + 12345;
		low = random >> 16 & 31;
		high = low + (random >> 24 & 7);
		if (random >> 30) {
			snprintf(name, sizeof(name), "/lib/%u", i);
			assert_true(swap_map(p, low * STEP, high * STEP, name, strlen(name)));
		} else {
			swap_unmap(p, low * STEP, high * STEP);
		}
		for (unsigned int k = low; k < high; k++) {
			at[k].name = random >> 30 ? i : 0;
			at[k].base = low * STEP;
		}
		for (unsigned int k = 0; k < PLACES; k++) {
			for (unsigned int off = 0; off < STEP; off += STEP - 1) {
				const struct range *m = ranges_at(&p->maps, k * STEP + off);

				if (!at[k].name) {
					assert_null(m);
					continue;
				}
				snprintf(name, sizeof(name), "%u", at[k].name);
				assert_non_null(m);
				assert_string_equal(m->name, name);
				assert_int_equal(m->base, at[k].base);
			}
		}
	}
	/* the name is the last component of a path, if that is not empty */
	swap_unmap(p, 0, UINT64_MAX);
	assert_true(swap_map(p, 0, 1, "/dir/", 5));
	assert_string_equal(ranges_at(&p->maps, 0)->name, "/dir/");
	assert_true(swap_map(p, 1, UINT64_MAX, "name", 4));
	assert_string_equal(ranges_at(&p->maps, UINT64_MAX - 1)->name, "name");
	assert_null(ranges_at(&p->maps, UINT64_MAX));
	swap_processes_free(ps);
}

/* Other formats are not detected as SWAP. */
static void test_not_swap(void **state)
{
	static const char *const others[] = {
		"", "a", "1,0,5,6!New_proc|/bin/true\n", "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\x3e\0",
		"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
	};
	static const size_t lengths[] = { 0, 1, 28, 20, 40 };

	(void)state;
	for (size_t i = 0; i < 5; i++)
		assert_false(swap_source_detect((const uint8_t *)others[i], lengths[i]));
}

/* A stream may begin with unknown or damaged messages. */
static void test_swap_with_others(void **state)
{
	static const char *const begin[] = { "unknown", "damaged", "unknown damaged", "" };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct stream s = { 0 };

		if (strstr(begin[i], "unknown")) {
			sw_begin(&s, 0x7777);
			sw_u32(&s, 1);
			sw_end(&s);
		}
		if (strstr(begin[i], "damaged")) {
			sw_begin(&s, 0x0008);
			sw_u32(&s, 1);
			sw_end(&s);
		}
		if (begin[i][0])
			assert_false(swap_source_detect((const uint8_t *)s.b.data, s.b.n));
		sw_sample(&s, 1, 2);
		sw_sample(&s, 1, 3);
		assert_true(swap_source_detect((const uint8_t *)s.b.data, s.b.n));
		sw_free(&s);
	}
}

/* How far apart the numbers and times of neighbours may be. */
static void test_distance_of_neighbours(void **state)
{
	static const struct { int64_t seq, sec; bool near; } cases[] = {
		{ 1, 0, true }, { 0, 0, true }, { -1024, 0, true }, { -1025, 0, false },
		{ 1 << 20, 0, true }, { (1 << 20) + 1, 0, false }, { 1, 86400, true }, { 1, 86401, false },
		{ 1, -86400, true }, { 1, -86401, false }, { -1024, 86400, true }, { -1025, 86401, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (uint32_t first = 500; first; first = first == 500 ? UINT32_MAX : 0) {
			struct stream s = { .seq = first };
			uint32_t sec = (uint32_t)(SWAP_T0 + cases[i].sec);

			sw_sample(&s, 42, 0x8000);
			s.seq = (uint32_t)(first + cases[i].seq);
			sw_sample(&s, 42, 0x8000);
			memcpy(s.b.data + s.message + 8, &sec, 4);
			if (!!swap_source_detect((const uint8_t *)s.b.data, s.b.n) != cases[i].near)
				fail_msg("case %zu, behind %u", i, first);
			sw_free(&s);
		}
	}
}

/* Invalid headers, and how many messages are needed for detection. */
static void test_detect(void **state)
{
	static const struct { size_t at; uint32_t value; bool good; } cases[] = {
		{ 0, 0, false }, { 0, 0x10000, false }, { 0, 0xffff, true }, { 12, 999999999, true },
		{ 12, 1000000000, false }, { 16, SWAP_MAX_PAYLOAD, true }, { 16, SWAP_MAX_PAYLOAD + 1, false },
	};
	struct stream s = { 0 };

	(void)state;
	sw_sample(&s, 42, 0x8000);
	assert_true(swap_source_detect((const uint8_t *)s.b.data, s.b.n));
	assert_false(swap_source_detect((const uint8_t *)s.b.data, s.b.n - 1));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stream two = { 0 };

		sw_sample(&two, 42, 0x8000);
		sw_sample(&two, 42, 0x8000);
		memcpy(two.b.data + 40 + cases[i].at, &cases[i].value, 4);
		if (!!swap_source_detect((const uint8_t *)two.b.data, two.b.n) != cases[i].good)
			fail_msg("case %zu", i);
		sw_free(&two);
	}
	sw_free(&s);
	/* one message of a kind without a fixed length is not enough */
	sw_system(&s, &(struct sw_system){ .cpus = 2, .devices = 3 });
	assert_false(swap_source_detect((const uint8_t *)s.b.data, s.b.n));
	sw_system(&s, &(struct sw_system){ .cpus = 2, .devices = 3 });
	assert_true(swap_source_detect((const uint8_t *)s.b.data, s.b.n));
	/* only the first 32 messages are looked at */
	for (unsigned int i = 2; i < 32; i++)
		sw_sample(&s, 42, 0x8000);
	sw_u32(&s, 0);
	sw_bytes(&s, "0123456789abcdefghij", 20);
	assert_true(swap_source_detect((const uint8_t *)s.b.data, s.b.n));
	memset(s.b.data + s.b.n - 24 - 40, 0, 20);
	assert_false(swap_source_detect((const uint8_t *)s.b.data, s.b.n));
	sw_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing_numbers),
		cmocka_unit_test(test_reorder),
		cmocka_unit_test(test_number_used_twice),
		cmocka_unit_test(test_gap_in_time),
		cmocka_unit_test(test_damaged_number),
		cmocka_unit_test(test_concatenated_captures),
		cmocka_unit_test(test_system_counts),
		cmocka_unit_test(test_system_waits),
		cmocka_unit_test(test_system_assumed),
		cmocka_unit_test(test_system_unknown),
		cmocka_unit_test(test_system_other_target),
		cmocka_unit_test(test_system_damaged),
		cmocka_unit_test(test_system_fits),
		cmocka_unit_test(test_bad_options),
		cmocka_unit_test(test_garbage_between_messages),
		cmocka_unit_test(test_wrong_length),
		cmocka_unit_test(test_dropped),
		cmocka_unit_test(test_read_in_pieces),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_oldest_item_forgotten),
		cmocka_unit_test(test_many_live_items),
		cmocka_unit_test(test_many_in_summary),
		cmocka_unit_test(test_items_beyond_summary_limit),
		cmocka_unit_test(test_koids),
		cmocka_unit_test(test_depth_of_calls),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_mappings),
		cmocka_unit_test(test_distance_of_neighbours),
		cmocka_unit_test(test_detect),
		cmocka_unit_test(test_not_swap),
		cmocka_unit_test(test_swap_with_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
