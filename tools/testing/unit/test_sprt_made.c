// SPDX-License-Identifier: GPL-2.0
/*
 * Generated sp-rtrace logs and reports: versions, byte orders and packets that no capture
 * has, and the effect of options on them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "common_sprt.h"
#include "format/sprtrace/sprt_live.h"
#include "base/xalloc.h"

#define OPTS(...) (const struct opt_given[]){ __VA_ARGS__, { NULL, NULL } }
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static void expect(const char *from, const struct bytes *b, const char *to,
		   const struct opt_given *given, int status, const char *want,
		   const char *what)
{
	struct conversion r = sprt_convert(from, b->data, b->n, to, given);

	sprt_assert_text(r.out.data, want, what);
	assert_int_equal(r.status, status);
	conversion_free(&r);
}

static void expect_plain(struct made *m, int status, const char *want)
{
	expect("sp-rtrace", &m->b, "plain", NULL, status, want, "plain form");
	bytes_free(&m->b);
}

static struct bytes text(const char *s)
{
	return (struct bytes){ (char *)(uintptr_t)s, strlen(s), 0 };
}

/* ---- binary ---- */

/* Every packet type, in each version, byte order and pointer size. */
static void all_layouts_are_read(void **state)
{
	static const struct { unsigned int major, minor; bool slip; } versions[] = {
		{ 1, 0, true }, { 1, 0, false }, { 1, 2, false }, { 1, 3, false },
		{ 1, 4, false }, { 2, 0, false },
	};
	char want[4096], what[64];

	(void)state;
	for (size_t i = 0; i < COUNT(versions) * 4; i++) {
		struct made m = {
			.major = versions[i / 4].major,
			.minor = versions[i / 4].minor,
			.slip = versions[i / 4].slip,
			.big = i & 1, .ptr = i & 2 ? 8 : 4,
		};
		unsigned int v = m.major * 10 + m.minor;
		uint64_t high = m.ptr == 8 ? 0x7fff00000000 : 0;
		bool wide = m.ptr == 8 && v < 20;

		made_start(&m, "armv7l");
		made_packet(&m, "OCFG");
		made_str(&m, "/tmp/out");
		made_str(&m, NULL);
		made_end(&m);
		made_process(&m, 4242, 1000000, 999999, 20, "a.out");
		made_module(&m, 8, 0x00020005, "memory");
		made_packet(&m, "NLIB");
		made_str(&m, "*");
		made_end(&m);
		made_packet(&m, "MMAP");
		made_ptr(&m, high + 0x8000);
		made_ptr(&m, high + 0x9000);
		made_str(&m, "/lib/with space.so");
		made_end(&m);
		made_resource(&m, 2, 1, "fp", "file pointer");
		made_packet(&m, "CTXR");
		made_u32(&m, 4);
		made_str(&m, "");
		made_end(&m);
		made_call(&m, 2, 6, 86399999, 2, "malloc", 0x80000000, high + 0x1230);
		made_packet(&m, "ARGS");
		made_u32(&m, 2);
		if (v >= 13)
			made_str(&m, "path");
		made_str(&m, "/tmp/a b");
		if (v >= 13)
			made_str(&m, "mode");
		made_str(&m, "r");
		made_end(&m);
		made_trace(&m, high + 0x8010, 3);
		made_call(&m, 2, 0, 0, 1, "free", 0, 0);
		made_trace(&m, 0, 0);
		made_packet(&m, "FILE");
		made_str(&m, "maps");
		made_str(&m, "4242-maps-0");
		made_end(&m);
		made_packet(&m, "HINF");
		if (v >= 20) {
			made_u32(&m, 0x1000);
			made_u32(&m, 0x2000);
		} else {
			made_ptr(&m, high + 0x1000);
			made_ptr(&m, high + 0x2000);
		}
		for (uint32_t k = 0; k < 10; k++)
			made_u32(&m, k ? k : UINT32_MAX);
		made_end(&m);

		snprintf(want, sizeof(want),
			 "HANDSHAKE version=%u.%u arch=armv7l endian=%d ptr=%u\n"
			 "OCFG dir='/tmp/out' opts=None\n"
			 "PINF pid=4242 sec=1000000 usec=999999 depth=%s name='a.out'\n"
			 "MINF id=8 ver=2.5 name='memory'\n"
			 "NLIB name='*'\n"
			 "MMAP from=0x%llx to=0x%llx path='/lib/with space.so'\n"
			 "RESR id=2 flags=0x%x type='fp' desc='file pointer'\n"
			 "CTXR id=0x4 name=''\n"
			 "CALL #1 res=2 ctx=0x6 ts=86399999 type=2 name='malloc' size=-2147483648 id=0x%llx\n"
			 "ARGS n=2 %s='/tmp/a b' %s='r'\n"
			 "BTRC n=3 0x%llx 0x%llx 0x%llx\n"
			 "CALL #2 res=2 ctx=0x0 ts=0 type=1 name='free' size=0 id=0x0\n"
			 "BTRC n=0\n"
			 "FILE name='maps' path='4242-maps-0'\n"
			 "HINF bottom=0x%llx top=0x%llx arena=-1 ordblks=1 smblks=2 hblks=3 hblkhd=4 usmblks=5 fsmblks=6 uordblks=7 fordblks=8 keepcost=9\n",
			 m.major, m.minor, m.big, m.ptr, v < 12 ? "None" : "20",
			 high + 0x8000ull, high + 0x9000ull, v >= 13,
			 high + 0x1230ull, v >= 13 ? "path" : "1",
			 v >= 13 ? "mode" : "2", high + 0x8010ull,
			 high + 0x8020ull, high + 0x8030ull,
			 (wide ? high : 0) + 0x1000ull,
			 (wide ? high : 0) + 0x2000ull);
		snprintf(what, sizeof(what), "version %u, %s endian, %u",
			 v, m.big ? "big" : "little", m.ptr);
		expect("sp-rtrace", &m.b, "plain", NULL, 0, want, what);
		bytes_free(&m.b);
	}
}

static void one_byte(struct made *m, size_t at, unsigned char v)
{
	m->b.data[at] = (char)v;
}

/* A handshake with one wrong byte: the format of the log is still detected. */
static void damaged_handshakes_are_detected(void **state)
{
	(void)state;
	for (size_t i = 0; i < 16 * 4; i++) {
		struct made m = { .major = i & 16 ? 1 : 2, .minor = i & 16 ? 4 : 0,
				  .big = i & 32, .ptr = 8 };
		struct conversion whole, bad;
		const char *a, *b;

		made_start(&m, "mips64");
		made_process(&m, 1, 1, 1, 5, "process name");
		made_call(&m, 1, 0, 1, 2, "malloc", 1, 0x123456789);
		made_trace(&m, 0x1000000000, 2);
		made_call(&m, 1, 0, 2, 1, "free", 0, 0x123456789);
		made_trace(&m, 0, 0);
		whole = sprt_convert("sp-rtrace", m.b.data, m.b.n, "plain", NULL);
		for (unsigned int flip = 1; flip < 256; flip <<= 1) {
			one_byte(&m, i % 16, (unsigned char)m.b.data[i % 16] ^ flip);
			bad = sprt_convert("sp-rtrace", m.b.data, m.b.n,
					   "plain", NULL);
			one_byte(&m, i % 16, (unsigned char)m.b.data[i % 16] ^ flip);
			/* Everything but the handshake is the same. */
			a = strchr(whole.out.data, '\n');
			b = strchr(bad.out.data, '\n');
			assert_true(a && b);
			sprt_assert_text(b, a, "after a damaged handshake");
			conversion_free(&bad);
		}
		conversion_free(&whole);
		bytes_free(&m.b);
	}
}

/* If the pointer size is missing, the architecture tells it, unless the packets contradict. */
static void unknown_pointer_size_is_derived(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const char *arch = i & 1 ? "mips64" : "mips";
		struct made m = { .major = 2, .ptr = i & 2 ? 8 : 4 };
		struct conversion r;
		char want[300];

		made_start(&m, arch);
		one_byte(&m, 6 + strlen(arch), 0);
		made_packet(&m, "MMAP");
		made_ptr(&m, 0x8000);
		made_ptr(&m, 0x9000);
		made_str(&m, "/lib/a");
		made_end(&m);
		made_call(&m, 1, 0, 1, 2, "malloc", 1, 0x1234567);
		made_trace(&m, 0x1000000, 2);
		r = sprt_convert("sp-rtrace", m.b.data, m.b.n, "plain", NULL);
		snprintf(want, sizeof(want),
			 "HANDSHAKE version=2.0 arch=%s endian=0 ptr=%u\n"
			 "MMAP from=0x8000 to=0x9000 path='/lib/a'\n"
			 "CALL #1 res=1 ctx=0x0 ts=1 type=2 name='malloc' size=1 id=0x1234567\n"
			 "BTRC n=2 0x1000000 0x1000010\n", arch, i & 1 ? 8 : 4);
		sprt_assert_text(r.out.data, want, arch);
		assert_int_equal(r.status, 1);
		conversion_free(&r);
		bytes_free(&m.b);
	}
}

static void strings_end_at_nul(void **state)
{
	struct made m = { .major = 2, .ptr = 4 };

	(void)state;
	made_start(&m, "i686");
	for (const char *s = "abcdefgh"; *s; s++) {
		made_packet(&m, "NLIB");
		made_str(&m, s);
		made_end(&m);
	}
	/* A NUL inside ends the text, but the length still counts. */
	made_packet(&m, "NLIB");
	made_u32(&m, 6 | 'x' << 16);
	made_u32(&m, 'y' << 8);
	made_end(&m);
	/* Text without padding, a length that is not rounded up. */
	made_packet(&m, "NLIB");
	made_u32(&m, 1 | 'z' << 16);
	made_end(&m);
	made_packet(&m, "NLIB");
	made_str(&m, NULL);
	made_end(&m);
	expect_plain(&m, 0,
		     "HANDSHAKE version=2.0 arch=i686 endian=0 ptr=4\n"
		     "NLIB name='abcdefgh'\nNLIB name='bcdefgh'\n"
		     "NLIB name='cdefgh'\nNLIB name='defgh'\nNLIB name='efgh'\n"
		     "NLIB name='fgh'\nNLIB name='gh'\nNLIB name='h'\n"
		     "NLIB name='x'\nNLIB name='z'\nNLIB name=''\n");
}

/* Only certain packets can stand between a call and its backtrace. */
static void packets_between_call_and_backtrace(void **state)
{
	struct made m = { .major = 2, .ptr = 4 };

	(void)state;
	made_start(&m, "i686");
	made_trace(&m, 0x10, 1);	/* belongs to no call */
	made_call(&m, 1, 0, 1, 2, "one", 1, 1);
	made_packet(&m, "FILE");
	made_str(&m, "f");
	made_str(&m, "p");
	made_end(&m);
	made_trace(&m, 0x10, 1);
	made_trace(&m, 0x20, 1);	/* the second of a call */
	made_packet(&m, "ARGS");	/* at the position that the documentation gives */
	made_u32(&m, 1);
	made_str(&m, "n");
	made_str(&m, "v");
	made_end(&m);
	made_call(&m, 1, 0, 1, 2, "two", 1, 2);
	made_packet(&m, "CTXR");
	made_u32(&m, 1);
	made_str(&m, "c");
	made_end(&m);
	made_trace(&m, 0x30, 1);	/* too late */
	made_call(&m, 1, 0, 1, 2, "three", 1, 3);
	expect_plain(&m, 1,
		     "HANDSHAKE version=2.0 arch=i686 endian=0 ptr=4\n"
		     "FILE name='f' path='p'\n"
		     "CALL #1 res=1 ctx=0x0 ts=1 type=2 name='one' size=1 id=0x1\n"
		     "ARGS n=1 n='v'\n"
		     "BTRC n=1 0x10\n"
		     "CALL #2 res=1 ctx=0x0 ts=1 type=2 name='two' size=1 id=0x2\n"
		     "CTXR id=0x1 name='c'\n"
		     "CALL #3 res=1 ctx=0x0 ts=1 type=2 name='three' size=1 id=0x3\n");
}

/* If a length is too large, the text ends with the packet. */
static void damaged_lengths_lose_no_text(void **state)
{
	struct made m = { .major = 2, .ptr = 4 };

	(void)state;
	made_start(&m, "i686");
	made_packet(&m, "OCFG");
	made_str(&m, "/tmp/output");
	made_end(&m);
	one_byte(&m, m.b.n - 15, 1);	/* the high byte of its length */
	made_call(&m, 1, 0, 1, 2, "one", 1, 1);
	made_trace(&m, 0x10, 1);
	expect_plain(&m, 1,
		     "HANDSHAKE version=2.0 arch=i686 endian=0 ptr=4\n"
		     "OCFG dir='/tmp/output' opts=''\n"
		     "CALL #1 res=1 ctx=0x0 ts=1 type=2 name='one' size=1 id=0x1\n"
		     "BTRC n=1 0x10\n");
}

/* A backtrace without a call means that the call was lost; it is counted only once. */
static void lost_calls_are_counted_once(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		bool call = i & 1, size = i & 2;
		struct made m = { .major = 2, .ptr = 4 };
		size_t lost, end;

		made_start(&m, "i686");
		made_call(&m, 1, 0, 1, 2, "one", 1, 1);
		made_trace(&m, 0x10, 1);
		lost = m.b.n;
		if (call) {
			made_call(&m, 1, 0, 1, 2, "two", 1, 2);
		} else {
			made_packet(&m, "NLIB");
			made_str(&m, "library");
			made_end(&m);
		}
		end = m.b.n;
		made_trace(&m, 0x20, 1);
		made_call(&m, 1, 0, 1, 2, "three", 1, 3);
		made_trace(&m, 0x30, 1);
		/* damage the type, or everything after it */
		memset(m.b.data + lost + (size ? 4 : 0), 0xfe, size ? end - lost - 4 : 4);
		expect_plain(&m, 1,
			     "HANDSHAKE version=2.0 arch=i686 endian=0 ptr=4\n"
			     "CALL #1 res=1 ctx=0x0 ts=1 type=2 name='one' size=1 id=0x1\nBTRC n=1 0x10\n"
			     "CALL #3 res=1 ctx=0x0 ts=1 type=2 name='three' size=1 id=0x3\nBTRC n=1 0x30\n");
	}
}

static void unknown_packets_are_skipped(void **state)
{
	struct made m = { .major = 2, .ptr = 4 };

	(void)state;
	made_start(&m, "i686");
	made_packet(&m, "NEWS");
	made_u32(&m, 1);
	made_str(&m, "CALLCALLCALL");
	made_end(&m);
	/* type names are capital letters, digits and underscores */
	made_packet(&m, "A0_9");
	made_end(&m);
	made_packet(&m, "_Z9A");
	made_end(&m);
	made_call(&m, 1, 0, 1, 7, "strange", 1, 1);
	made_packet(&m, "LAST");
	made_end(&m);
	expect_plain(&m, 1,
		     "HANDSHAKE version=2.0 arch=i686 endian=0 ptr=4\n"
		     "CALL #1 res=1 ctx=0x0 ts=1 type=7 name='strange' size=1 id=0x1\n");
}

/* In 1.x a packet begins with its size; its first byte can be 0xf0, like that of a handshake. */
static void packet_size_is_no_handshake(void **state)
{
	struct made m = { .major = 1, .minor = 4, .ptr = 4 };
	char name[231];
	struct conversion r;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	made_start(&m, "i686");
	for (int i = 0; i < 2; i++) {
		size_t at = m.b.n;

		made_packet(&m, "FILE");	/* 4 + 232 + 4 bytes */
		made_str(&m, name);
		made_str(&m, "p");
		made_end(&m);
		assert_int_equal((unsigned char)m.b.data[at], 0xf0);
		made_call(&m, 0, 0, 1, 2, "f", 1, 1);
		if (i == 1)
			continue;
		/* Also after an unknown packet. */
		made_packet(&m, "NEWS");
		made_end(&m);
	}
	r = sprt_convert("sp-rtrace", m.b.data, m.b.n, "json", NULL);
	assert_int_equal(sprt_count_lines(r.out.data, "{\"record\":\"call\""), 2);
	assert_int_equal(sprt_count_lines(r.out.data, "{\"record\":\"file\""), 2);
	assert_int_equal(sprt_count_lines(r.out.data, "{\"record\":\"damage\""), 1);
	assert_non_null(strstr(r.out.data, "packets of unknown types"));
	conversion_free(&r);
	bytes_free(&m.b);
}

/* Concatenated logs of different machines: call numbers start again. */
static void concatenated_logs_are_separate(void **state)
{
	struct made m = { .major = 2, .ptr = 8 };

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	made_start(&m, "x86_64");
	made_process(&m, 10, 0x40000000, 0, 1, "first");
	made_resource(&m, 1, 0, "memory", "bytes");
	made_call(&m, 1, 0, 5, 2, "malloc", 10, 0x100);
	made_trace(&m, 0x10, 1);
	m.big = true;
	m.ptr = 4;
	m.major = 1;
	m.minor = 2;
	made_start(&m, "ppc");
	made_process(&m, 10, 0x40000001, 0, 2, "second");
	made_call(&m, 0, 0, 6, 2, "malloc", 20, 0x100);
	made_trace(&m, 0x20, 1);
	expect("sp-rtrace", &m.b, "plain", NULL, 0,
	       "HANDSHAKE version=2.0 arch=x86_64 endian=0 ptr=8\n"
	       "PINF pid=10 sec=1073741824 usec=0 depth=1 name='first'\n"
	       "RESR id=1 flags=0x0 type='memory' desc='bytes'\n"
	       "CALL #1 res=1 ctx=0x0 ts=5 type=2 name='malloc' size=10 id=0x100\n"
	       "BTRC n=1 0x10\n"
	       "HANDSHAKE version=1.2 arch=ppc endian=1 ptr=4\n"
	       "PINF pid=10 sec=1073741825 usec=0 depth=2 name='second'\n"
	       "CALL #1 res=0 ctx=0x0 ts=6 type=2 name='malloc' size=20 id=0x100\n"
	       "BTRC n=1 0x20\n", "joined logs");
	expect("sp-rtrace", &m.b, "sp-rtrace-text", OPTS({ "leaks", NULL }), 0,
	       "version=2.0, arch=x86_64, timestamp=2004.1.10 13:37:04, process=first, pid=10, filter=leaks, backtrace depth=1, origin=sp-rtrace 1.8,\x20\n"
	       "<1> : memory (bytes)\n"
	       "1. [00:00:00.005] malloc(10) = 0x100\n\t0x10\n\n"
	       "# Resource - memory (bytes):\n"
	       "# 1 block(s) leaked with total size of 10 bytes\n"
	       "version=2.0, arch=ppc, timestamp=2004.1.10 13:37:05, process=second, pid=10, filter=leaks, backtrace depth=2, origin=sp-rtrace 1.8,\x20\n"
	       "1. [00:00:00.006] malloc(20) = 0x100\n\t0x20\n\n"
	       "# Resource - unknown (not in the log):\n"
	       "# 1 block(s) leaked with total size of 20 bytes\n",
	       "joined logs as text");
	bytes_free(&m.b);
}

/* After a lost packet, calls keep their numbers. */
static void lost_calls_keep_their_numbers(void **state)
{
	struct made m = { .major = 2, .ptr = 4 };
	size_t second;

	(void)state;
	made_start(&m, "i686");
	made_call(&m, 1, 0, 1, 2, "one", 1, 1);
	made_trace(&m, 0x10, 1);
	second = m.b.n;
	made_call(&m, 1, 0, 1, 2, "two", 1, 2);
	made_packet(&m, "ARGS");
	made_u32(&m, 0);
	made_end(&m);
	made_trace(&m, 0x20, 1);
	made_call(&m, 1, 0, 1, 2, "three", 1, 3);
	made_trace(&m, 0x30, 1);
	one_byte(&m, second, 'X');
	expect_plain(&m, 1,
		     "HANDSHAKE version=2.0 arch=i686 endian=0 ptr=4\n"
		     "CALL #1 res=1 ctx=0x0 ts=1 type=2 name='one' size=1 id=0x1\n"
		     "BTRC n=1 0x10\n"
		     "CALL #3 res=1 ctx=0x0 ts=1 type=2 name='three' size=1 id=0x3\n"
		     "BTRC n=1 0x30\n");
}

/* If arguments cannot be read, the call keeps its backtrace and number. */
static void call_survives_lost_arguments(void **state)
{
	static const char types[][5] = { "ARGZ", "aRGS" };

	(void)state;
	for (size_t i = 0; i < COUNT(types); i++) {
		struct made m = { .major = 2, .ptr = 4 };

		made_start(&m, "i686");
		made_call(&m, 1, 0, 1, 2, "one", 1, 1);
		made_packet(&m, types[i]);
		made_u32(&m, 1);
		made_str(&m, "n");
		made_str(&m, "v");
		made_end(&m);
		made_trace(&m, 0x10, 1);
		made_call(&m, 1, 0, 1, 2, "two", 1, 2);
		expect_plain(&m, 1,
			     "HANDSHAKE version=2.0 arch=i686 endian=0 ptr=4\n"
			     "CALL #1 res=1 ctx=0x0 ts=1 type=2 name='one' size=1 id=0x1\n"
			     "BTRC n=1 0x10\n"
			     "CALL #2 res=1 ctx=0x0 ts=1 type=2 name='two' size=1 id=0x2\n");
	}
}

/* ---- filters ---- */

/* The life of a block: references, replacement, frees of unknown blocks. */
static void leaks_follow_frees_and_references(void **state)
{
	struct made m = { .major = 2, .ptr = 4 };

	(void)state;
	made_start(&m, "i686");
	made_resource(&m, 1, 1, "object", "counted");
	made_resource(&m, 2, 0, "memory", "plain");
	made_call(&m, 1, 0, 1, 2, "ref", 24, 0x10);	/* 1: three references, */
	made_call(&m, 1, 0, 1, 2, "ref", 24, 0x10);
	made_call(&m, 1, 0, 1, 2, "ref", 24, 0x10);
	made_call(&m, 1, 0, 1, 1, "unref", 0, 0x10);	/* two are left */
	made_call(&m, 2, 0, 1, 2, "malloc", 5, 0x10);	/* 5: replaced */
	made_call(&m, 2, 0, 1, 2, "malloc", 7, 0x10);
	made_call(&m, 2, 0, 1, 1, "free", 0, 0x10);
	made_call(&m, 2, 0, 1, 1, "free", 0, 0x10);	/* no such block */
	made_call(&m, 2, 0, 1, 1, "free", 0, 0);
	made_call(&m, 1, 0, 1, 2, "ref", 8, 0x20);	/* 10: freed */
	made_call(&m, 1, 0, 1, 1, "unref", 0, 0x20);
	made_call(&m, 1, 0, 1, 1, "unref", 0, 0x20);
	made_call(&m, 1, 0, 1, 2, "ref", 3, 0x20);	/* 13: a new block */
	made_call(&m, 2, 0, 1, 2, "malloc", 0xc0000000, 0x40);	/* 3 GiB */
	made_call(&m, 2, 0, 1, 0, "what", 0, 0x50);	/* undefined type: stays */
	expect("sp-rtrace", &m.b, "sp-rtrace-text", OPTS({ "leaks", NULL }), 0,
	       "version=2.0, arch=i686, filter=leaks, origin=sp-rtrace 1.8,\x20\n"
	       "<1> : object (counted) [refcount]\n"
	       "<2> : memory (plain)\n"
	       "1. [00:00:00.001] ref<object>(24) = 0x10\n"
	       "5. [00:00:00.001] malloc<memory>(5) = 0x10\n"
	       "13. [00:00:00.001] ref<object>(3) = 0x20\n"
	       "14. [00:00:00.001] malloc<memory>(-1073741824) = 0x40\n"
	       "15. [00:00:00.001] what<memory>(0x50)\n"
	       "# Resource - object (counted):\n"
	       "# 2 block(s) leaked with total size of 27 bytes\n"
	       "# Resource - memory (plain):\n"
	       "# 2 block(s) leaked with total size of 3221225477 bytes\n",
	       "leaks");
	bytes_free(&m.b);
}

/* Compare the table of blocks with a simple list. */
static void blocks_are_found_in_table(void **state)
{
	static struct { bool live; uint32_t refs; uint64_t cookie; } list[2][512];
	struct sprt_live live = { 0 };
	uint32_t random = 1;

	(void)state;
	for (uint64_t i = 0; i < 200000; i++) {
		uint32_t res, id;
		struct sprt_call call;
		struct sprt_block b = { .cookie = i };
		bool counted;

		random = random * 1103515245 + 12345;
		res = random >> 16 & 1;
		id = random >> 17 & 511;
		counted = res;
		call = (struct sprt_call){
			.type = random >> 28 < 8 ? SPRT_CALL_ALLOC : SPRT_CALL_FREE,
			.id = (uint64_t)id << 4, .resource = res,
		};
		if (call.type == SPRT_CALL_ALLOC) {
			bool began = sprt_live_call(&live, &call, counted, &b) > 0;

			assert_int_equal(began, !list[res][id].live || !counted);
			if (began) {
				list[res][id].cookie = i;
				list[res][id].refs = 0;
			}
			list[res][id].live = true;
			list[res][id].refs++;
		} else {
			bool ended = sprt_live_call(&live, &call, counted, &b) < 0;
			bool last = list[res][id].live &&
				    (!counted || list[res][id].refs == 1);

			assert_int_equal(ended, last);
			if (ended)
				assert_int_equal(b.cookie, list[res][id].cookie);
			if (list[res][id].live && !last)
				list[res][id].refs--;
			else
				list[res][id].live = false;
		}
	}
	sprt_live_free(&live);
}

static struct made filter_log(void)
{
	struct made m = { .major = 2, .ptr = 4 };

	made_start(&m, "i686");
	made_resource(&m, 1, 0, "a", "A");
	made_resource(&m, 3, 0, "c", "C");
	for (uint32_t i = 0; i < 3; i++) {
		made_packet(&m, "CTXR");
		made_u32(&m, 1u << i);
		made_str(&m, i == 0 ? "x" : i == 1 ? "y" : "z");
		made_end(&m);
	}
	made_packet(&m, "MMAP");
	made_ptr(&m, 0x40000);
	made_ptr(&m, 0x50000);
	made_str(&m, "/lib/libfoo.so");
	made_end(&m);
	made_call(&m, 1, 0, 1, 2, "f", 1, 0x1);
	made_trace(&m, 0x40100, 3);
	made_call(&m, 3, 1, 1, 2, "f", 20, 0x2);
	made_trace(&m, 0x50000, 2);
	made_call(&m, 3, 6, 1, 2, "f", 3, 0x3);
	made_trace(&m, 0x40100, 3);
	made_call(&m, 9, 4, 1, 2, "f", 4, 0x4);
	made_trace(&m, 0x4fff0, 2);
	return m;
}

/* The numbers of the calls that an option keeps. */
static void expect_calls(const struct opt_given *given, const char *want)
{
	struct made m = filter_log();
	struct conversion r = sprt_convert("sp-rtrace", m.b.data, m.b.n,
					    "sp-rtrace-text", given);
	char got[64] = "";

	for (char *p = r.out.data; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (*p >= '0' && *p <= '9')
			strncat(got, p, strcspn(p, ".") + 1);
	}
	assert_string_equal(got, want);
	conversion_free(&r);
	bytes_free(&m.b);
}

static void filters_select_calls(void **state)
{
	char path[] = "/tmp/sprt-list-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");

	(void)state;
	fputs("4\r\n\n0x2\n", f);
	fclose(f);
	expect_calls(NULL, "1.2.3.4.");
	expect_calls(OPTS({ "contexts", "0" }), "1.");
	expect_calls(OPTS({ "contexts", "0x2" }), "3.");
	expect_calls(OPTS({ "contexts", "5" }), "2.3.4.");
	/* A resource that the log does not list is kept, as in the original. */
	expect_calls(OPTS({ "resources", "1" }), "1.4.");
	expect_calls(OPTS({ "resources", "4" }), "2.3.4.");
	expect_calls(OPTS({ "resources", "0" }), "4.");
	expect_calls(OPTS({ "include", path }), "2.4.");
	expect_calls(OPTS({ "exclude", path }), "1.3.");
	expect_calls(OPTS({ "include", path }, { "exclude", path }), "2.4.");
	expect_calls(OPTS({ "include", path }, { "contexts", "4" }), "4.");
	/* Offsets from the start of the mapping, or addresses. */
	expect_calls(OPTS({ "call-address", "libfoo:110+1" }), "1.3.");
	expect_calls(OPTS({ "call-address", "foo.so:0x40110+0x1" }), "1.3.");
	expect_calls(OPTS({ "call-address", "libfoo:fff0+10" }), "4.");
	expect_calls(OPTS({ "call-address", "libfoo:fff0+11" }), "2.4.");
	expect_calls(OPTS({ "call-address", "libfoo:0+10000" }, { "depth", "1" }),
		     "1.3.4.");
	expect_calls(OPTS({ "call-address", "libfoo:120+1" }, { "depth", "2" }),
		     "");
	/* If the target is not mapped, all calls are kept. */
	expect_calls(OPTS({ "call-address", "nothing:0+1" }), "1.2.3.4.");
	remove(path);
}

/* Groups are sorted; equal ones by their first calls. */
static void groups_are_sorted(void **state)
{
	static const struct { const char *order, *want; } orders[] = {
		/* 1 and 3 are a group with a total size of 4. */
		{ "size", "2.1.3.4." }, { "size-asc", "1.3.4.2." },
		{ "count", "1.3.2.4." }, { "count-asc", "2.4.1.3." },
	};

	(void)state;
	expect_calls(OPTS({ "compress", NULL }), "1.3.4.2.");
	for (size_t i = 0; i < COUNT(orders); i++)
		expect_calls(OPTS({ "compress", NULL },
				  { "sort", orders[i].order }), orders[i].want);
	/* Backtraces that --depth makes equal form one group. */
	expect_calls(OPTS({ "compress", NULL }, { "depth", "0" },
			  { "sort", "size" }), "1.2.3.4.");
}

/* A single resource has number 1, and calls do not name it. */
static void single_resources_are_hidden(void **state)
{
	struct made m = filter_log();

	(void)state;
	expect("sp-rtrace", &m.b, "sp-rtrace-text",
	       OPTS({ "resources", "4" }, { "contexts", "2" },
		    { "leaks", NULL }, { "depth", "1" }), 0,
	       "version=2.0, arch=i686, filter=leaks, origin=sp-rtrace 1.8,\x20\n"
	       "@ 2 : y\n"
	       "<1> : c (C)\n"
	       ": /lib/libfoo.so => 0x40000-0x50000\n"
	       "3. @6 [00:00:00.001] f(3) = 0x3\n\t0x40100\n\n"
	       "# Resource - c (C):\n"
	       "# 1 block(s) leaked with total size of 3 bytes\n", "one resource");
	bytes_free(&m.b);
}

/* A resource is a bit in a mask, if its id allows that. */
static void resources_are_bits_in_masks(void **state)
{
	static const uint32_t ids[] = { 0, 1, 2, 32, 33, 0xffffffff };
	struct made m = { .major = 2, .ptr = 4 };

	(void)state;
	made_start(&m, "i686");
	for (size_t i = 0; i < COUNT(ids); i++) {
		char type[2] = { (char)('a' + i), 0 };

		made_resource(&m, ids[i], 0, type, "R");
	}
	for (size_t i = 0; i < COUNT(ids); i++)
		made_call(&m, ids[i], 0, 1, 2, "f", 1, i);
	expect("sp-rtrace", &m.b, "sp-rtrace-text", NULL, 0,
	       "version=2.0, arch=i686, origin=sp-rtrace 1.8,\x20\n"
	       "<0> : a (R)\n<1> : b (R)\n<2> : c (R)\n<80000000> : d (R)\n<0> : e (R)\n<0> : f (R)\n"
	       "1. [00:00:00.001] f(1) = 0x0\n2. [00:00:00.001] f<b>(1) = 0x1\n"
	       "3. [00:00:00.001] f<c>(1) = 0x2\n4. [00:00:00.001] f<d>(1) = 0x3\n"
	       "5. [00:00:00.001] f(1) = 0x4\n6. [00:00:00.001] f(1) = 0x5\n", "resources");
	expect("sp-rtrace", &m.b, "sp-rtrace-text", OPTS({ "resources", "80000002" }), 0,
	       "version=2.0, arch=i686, origin=sp-rtrace 1.8,\x20\n"
	       "<2> : c (R)\n<80000000> : d (R)\n"
	       "1. [00:00:00.001] f(1) = 0x0\n3. [00:00:00.001] f<c>(1) = 0x2\n4. [00:00:00.001] f<d>(1) = 0x3\n"
	       "5. [00:00:00.001] f(1) = 0x4\n6. [00:00:00.001] f(1) = 0x5\n", "resources of a mask");
	bytes_free(&m.b);
}

static void invalid_options_are_refused(void **state)
{
	static const struct opt_given bad[][2] = {
		{ { "contexts", "xyz" } }, { { "contexts", "1ffffffff" } },
		{ { "contexts", "-ffffffffffffffff" } }, { { "contexts", "1 " } }, { { "contexts", "" } },
		{ { "resources", "" } }, { { "resources", "-1" } },
		{ { "depth", "-2" } }, { { "depth", "many" } },
		{ { "include", "/nonexistent/list" } },
		{ { "exclude", "/dev/../proc/version" } },
		{ { "call-address", "lib" } }, { { "call-address", "lib:1" } },
		{ { "call-address", ":1+1" } }, { { "call-address", "l:1+" } },
		{ { "call-address", "l:+1" } }, { { "call-address", "l:1x1" } },
		{ { "sort", "size" } }, { { "compress", NULL }, { "sort", "name" } },
		{ { "sysroot", "/" } },
	};
	struct made m = filter_log();

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct opt_given given[3] = { bad[i][0], bad[i][1] };
		struct conversion r;

		r = sprt_convert("sp-rtrace", m.b.data, m.b.n,
				 "sp-rtrace-text", given);
		assert_int_equal(r.status, 2);
		assert_int_equal(r.out.n, 0);
		conversion_free(&r);
	}
	bytes_free(&m.b);
}

/* Options have the same effect before FXT and JSON as before reports. */
static void filters_apply_to_all_outputs(void **state)
{
	struct made m = filter_log();
	struct conversion r;

	(void)state;
	r = sprt_convert("sp-rtrace", m.b.data, m.b.n, "json",
			 OPTS({ "contexts", "1" }));
	assert_int_equal(sprt_count_lines(r.out.data, "{\"record\":\"call\""), 1);
	assert_int_equal(sprt_count_lines(r.out.data, "{\"record\":\"context\""), 1);
	assert_int_equal(sprt_count_lines(r.out.data, "{\"record\":\"map\""), 1);
	conversion_free(&r);
	/* Also options that need data of the log. */
	r = sprt_convert("sp-rtrace", m.b.data, m.b.n, "json",
			 OPTS({ "call-address", "libfoo:110+1" }));
	assert_int_equal(r.status, 0);
	assert_int_equal(sprt_count_lines(r.out.data, "{\"record\":\"call\""), 2);
	assert_int_equal(sprt_count_lines(r.out.data, "{\"record\":\"damage\""), 0);
	conversion_free(&r);
	r = sprt_convert("sp-rtrace", m.b.data, m.b.n, "json",
			 OPTS({ "depth", "one" }));
	assert_int_equal(r.status, 2);
	conversion_free(&r);
	bytes_free(&m.b);
}

/* ---- text ---- */

#define HEADER "version=2.0, arch=x86_64, process=a, pid=1,\x20\n"

static void expect_text(const char *in, const char *want_plain, int status)
{
	struct bytes b = text(in);

	expect("sp-rtrace-text", &b, "plain", NULL, status, want_plain, in);
}

static void headers_are_understood(void **state)
{
	static const struct { const char *in, *want; int status; } headers[] = {
		{ "version=2.0, arch=x86_64, timestamp=2026.11.20 08:27:00, process=bin/a, pid=7, backtrace depth=10, origin=sp-rtrace 1.8,\x20\n",
		  "HANDSHAKE version=2.0 arch=x86_64 endian=0 ptr=0\n"
		  "PINF pid=7 sec=1795163220 usec=0 depth=10 name='bin/a'\n", 0 },
		/* Written by a program that uses the library; no spaces after commas. */
		{ "version=1.6,arch=armv7l,timestamp=20.11.2026 08:27:00,process=a b, c=d,pid=7\n",
		  "HANDSHAKE version=1.6 arch=armv7l endian=0 ptr=0\n"
		  "PINF pid=7 sec=1795163220 usec=0 depth=None name='a b, c=d'\n", 0 },
		{ "version=1.0, arch=i686, time=1970.1.1 00:00:01, process=, pid=7,\x20\n",
		  "HANDSHAKE version=1.0 arch=i686 endian=0 ptr=0\n"
		  "PINF pid=7 sec=1 usec=0 depth=None name=''\n", 0 },
		{ "version=2.0, arch=a, process=p, pid=x, timestamp=today, filter=leaks|new,\x20\n",
		  "HANDSHAKE version=2.0 arch=a endian=0 ptr=0\n"
		  "PINF pid=0 sec=0 usec=0 depth=None name='p'\n", 1 },
		{ "version=two, arch=a, process=p,\x20\n",
		  "HANDSHAKE version=0.0 arch=a endian=0 ptr=0\n"
		  "PINF pid=0 sec=0 usec=0 depth=None name='p'\n", 1 },
		/* Before 1.2 every call had a backtrace, possibly an empty one. */
		{ "version=two, arch=a, process=p, pid=1,\x20\n1. f(1) = 0x1\n",
		  "HANDSHAKE version=0.0 arch=a endian=0 ptr=0\n"
		  "PINF pid=1 sec=0 usec=0 depth=None name='p'\n"
		  "CALL #1 res=0 ctx=0x0 ts=0 type=2 name='f' size=1 id=0x1\n", 1 },
		{ "version=1.1, arch=a, process=p, pid=1,\x20\n1. f(1) = 0x1\n",
		  "HANDSHAKE version=1.1 arch=a endian=0 ptr=0\n"
		  "PINF pid=1 sec=0 usec=0 depth=None name='p'\n"
		  "CALL #1 res=0 ctx=0x0 ts=0 type=2 name='f' size=1 id=0x1\nBTRC n=0\n", 0 },
		{ "version=1.2, arch=a, process=p, pid=1,\x20\n1. f(1) = 0x1\n",
		  "HANDSHAKE version=1.2 arch=a endian=0 ptr=0\n"
		  "PINF pid=1 sec=0 usec=0 depth=None name='p'\n"
		  "CALL #1 res=0 ctx=0x0 ts=0 type=2 name='f' size=1 id=0x1\n", 0 },
	};

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < COUNT(headers); i++)
		expect_text(headers[i].in, headers[i].want, headers[i].status);
}

#define PLAIN_HEAD "HANDSHAKE version=2.0 arch=x86_64 endian=0 ptr=0\n" \
		   "PINF pid=1 sec=0 usec=0 depth=None name='a'\n"

static void record_lines_are_understood(void **state)
{
	(void)state;
	expect_text(HEADER
		    "& a file : path with : colons\n"
		    "## tracing module: [1f] name with (brackets) (3.4)\n"
		    "@ 10 : two words\n"
		    "@ 20 :\x20\n"
		    "<1> : fd (file (descriptor))\n"
		    "<2> : bare ()\n"
		    "<80000000> : x y (z) [refcount]\n"
		    ": /a => b/c d => 0x10-0xffffffffffffffff\n"
		    "3. @30 [01:02:03.045] open<fd>(1) = 0x4\n"
		    "\t$path = /tmp/a  = b\n"
		    "\t$empty =\x20\n"
		    "\t0x10\n"
		    "\t0x20 some text\n"
		    "\n"
		    "7. [00:00:00.000123] std::vector<int>::f(int)<x y>(-2) = 0x8\n"
		    "\n"
		    "8. close<fd>(0x4)\n"
		    "\n",
		    PLAIN_HEAD
		    "FILE name='a file' path='path with : colons'\n"
		    "MINF id=31 ver=3.4 name='name with (brackets)'\n"
		    "CTXR id=0x10 name='two words'\n"
		    "CTXR id=0x20 name=''\n"
		    "RESR id=1 flags=0x0 type='fd' desc='file (descriptor)'\n"
		    "RESR id=2 flags=0x0 type='bare' desc=''\n"
		    "RESR id=32 flags=0x1 type='x y' desc='z'\n"
		    "MMAP from=0x10 to=0xffffffffffffffff path='/a => b/c d'\n"
		    "CALL #3 res=1 ctx=0x30 ts=3723045 type=2 name='open' size=1 id=0x4\n"
		    "ARGS n=2 path='/tmp/a  = b' empty=''\n"
		    "BTRC n=2 0x10 0x20\n"
		    "CALL #7 res=32 ctx=0x0 ts=0 type=2 name='std::vector<int>::f(int)' size=-2 id=0x8\n"
		    "BTRC n=0\n"
		    "CALL #8 res=1 ctx=0x0 ts=0 type=1 name='close' size=0 id=0x4\n"
		    "BTRC n=0\n", 0);
}

/* The forms of lines: the original's and the documented one. */
static void single_resource_lines(void **state)
{
	(void)state;
	expect_text(HEADER
		    "<1> : memory (m)\n"
		    "1. operator<(1) = 0x1\n"
		    "2. vector<int>(0x1)\n",
		    PLAIN_HEAD
		    "RESR id=1 flags=0x0 type='memory' desc='m'\n"
		    "CALL #1 res=1 ctx=0x0 ts=0 type=2 name='operator<' size=1 id=0x1\n"
		    "CALL #2 res=1 ctx=0x0 ts=0 type=1 name='vector<int>' size=0 id=0x1\n",
		    0);
	/* A type without a resource line gets a resource, and this is reported. */
	expect_text(HEADER
		    "1. malloc<memory>(1) = 0x1\n",
		    PLAIN_HEAD
		    "RESR id=1 flags=0x0 type='memory' desc=''\n"
		    "CALL #1 res=1 ctx=0x0 ts=0 type=2 name='malloc' size=1 id=0x1\n",
		    1);
}

static void groups_share_their_backtrace(void **state)
{
	(void)state;
	expect_text("version=2.0, arch=x86_64, process=a, pid=1, filter=leaks|compress,\x20\n"
		    "5. f(1) = 0x1\n"
		    "\t$a = b\n"
		    "9. f(2) = 0x2\n"
		    "# allocation summary: 2 block(s) with total size 3\n"
		    "\t0x10\n"
		    "\n"
		    "2. g(0x7)\n"
		    "# allocation summary: 1 block(s) with total size 0\n"
		    "\n",
		    PLAIN_HEAD
		    "CALL #2 res=0 ctx=0x0 ts=0 type=1 name='g' size=0 id=0x7\n"
		    "BTRC n=0\n"
		    "CALL #5 res=0 ctx=0x0 ts=0 type=2 name='f' size=1 id=0x1\n"
		    "ARGS n=1 a='b'\n"
		    "BTRC n=1 0x10\n"
		    "CALL #9 res=0 ctx=0x0 ts=0 type=2 name='f' size=2 id=0x2\n"
		    "BTRC n=1 0x10\n", 0);
	/* Missing calls of a group are reported. */
	expect_text("version=2.0, arch=x86_64, process=a, pid=1, filter=compress,\x20\n"
		    "5. f(1) = 0x1\n"
		    "# allocation summary: 2 block(s) with total size 3\n"
		    "\t0x10\n",
		    PLAIN_HEAD
		    "CALL #5 res=0 ctx=0x0 ts=0 type=2 name='f' size=1 id=0x1\n"
		    "BTRC n=1 0x10\n", 1);
	/* In other reports a backtrace belongs only to the call before it. */
	expect_text(HEADER
		    "1. f(0x1)\n"
		    "2. f(1) = 0x2\n"
		    "\t0x10\n"
		    "\n",
		    PLAIN_HEAD
		    "CALL #1 res=0 ctx=0x0 ts=0 type=1 name='f' size=0 id=0x1\n"
		    "CALL #2 res=0 ctx=0x0 ts=0 type=2 name='f' size=1 id=0x2\n"
		    "BTRC n=1 0x10\n", 0);
}

/* The documented syntax, where it differs from that of the programs. */
static void documented_syntax_is_read(void **state)
{
	static const char head[] =
		HEADER
		"<1> : memory (allocations)\n"
		"<2> : fd (descriptors)\n"
		"<4> : 2 (its name is another one's id)\n";
	static const char document[] =
		"1. [10:20:30.123456] malloc<1>(8) = 0x1\n"
		"$1 = 8\n"
		"$2 = { 1, 2 }\n"
		"\t0x10 in main() from /bin/a\n"
		"\t0x20 in f(int) at a.c:12\n"
		"\t0x30 in ??\n"
		"\n"
		"$1 = a comment\n"
		"2. free<2>(0x3)\n"
		"\n"
		"3. free<4>(0x3)\n"
		"\n";
	static const char programs[] =
		"1. [10:20:30.123456] malloc<memory>(8) = 0x1\n"
		"\t$1 = 8\n"
		"\t$2 = { 1, 2 }\n"
		"\t0x10 main() from /bin/a\n"
		"\t0x20 f(int) at a.c:12\n"
		"\t0x30 in ??\n"
		"\n"
		"$1 = a comment\n"
		/* a name takes precedence over an id */
		"2. free<2>(0x3)\n"
		"\n"
		"3. free<2>(0x3)\n"
		"\n";
	struct bytes in = { 0 }, want = { 0 };
	struct conversion c;

	(void)state;
	bytes_add(&in, head, strlen(head));
	bytes_add(&in, document, strlen(document));
	bytes_add(&want, head, strlen(head));
	bytes_add(&want, programs, strlen(programs));
	expect("sp-rtrace-text", &in, "sp-rtrace-text", NULL, 0, want.data, "the document");
	c = sprt_convert("sp-rtrace-text", in.data, in.n, "json", NULL);
	assert_true(has_line(&c.out, "\"function\":\"main()\",\"module\":\"/bin/a\""));
	conversion_free(&c);
	bytes_free(&in);
	bytes_free(&want);
}

static void comments_keep_their_place(void **state)
{
	static const char report[] =
		HEADER
		"## from another tool\n"
		"1. f(1) = 0x1\n\t0x1\n\n"
		"any text at all\n"
		"#no space\n"
		"2. f(1) = 0x2\n\t0x1\n\n"
		"## at the end\n";
	struct bytes b = text(report);

	(void)state;
	expect("sp-rtrace-text", &b, "sp-rtrace-text", NULL, 0, report,
	       "comments");
	/* "# " lines are dropped, as in other programs. */
	b = text(HEADER "# a remark\n1. f(1) = 0x1\n");
	expect("sp-rtrace-text", &b, "sp-rtrace-text", NULL, 0,
	       HEADER "1. f(1) = 0x1\n", "remarks");
}

/* Keys that a report lacks are not invented when it is written again. */
static void absent_keys_stay_absent(void **state)
{
	static const char *const reports[] = {
		"version=2.0,\x20\n1. f(1) = 0x1\n",
		"version=2.0, origin=b,\x20\n1. f(1) = 0x1\n",
		"version=2.0, arch=x86_64, process=a,\x20\n1. f(1) = 0x1\n",
		"version=2.0, arch=x86_64, pid=7,\x20\n1. f(1) = 0x1\n",
		"version=2.0, arch=x86_64, origin=b,\x20\n1. f(1) = 0x1\n",
		("version=2.0, pid=7,\x20\n1. f(1) = 0x1\n"
		 "version=2.0,\x20\n1. f(1) = 0x1\n"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(reports); i++) {
		struct bytes b = text(reports[i]);

		expect("sp-rtrace-text", &b, "sp-rtrace-text", NULL, 0,
		       reports[i], "absent keys");
	}
}

/* Values of a packet are written even if they are empty or 0. */
static void empty_process_is_written(void **state)
{
	struct made m = { .major = 2, .ptr = 4 };

	(void)state;
	made_start(&m, "i686");
	made_process(&m, 0, 0, 0, 0, "");
	made_call(&m, 0, 0, 0, 2, "f", 1, 1);
	made_trace(&m, 0, 0);
	expect("sp-rtrace", &m.b, "sp-rtrace-text", NULL, 0,
	       "version=2.0, arch=i686, process=, pid=0, backtrace depth=0, origin=sp-rtrace 1.8,\x20\n"
	       "1. f(1) = 0x1\n\n", "an empty process packet");
	bytes_free(&m.b);
}

/* The documentation allows comments anywhere: they separate neither calls nor groups. */
static void comments_separate_nothing(void **state)
{
	(void)state;
	expect_text(HEADER
		    "1. f(1) = 0x1\n"
		    "## one\n"
		    "\t$a = b\n"
		    "two\n"
		    "\t0x10\n"
		    "\n",
		    PLAIN_HEAD
		    "CALL #1 res=0 ctx=0x0 ts=0 type=2 name='f' size=1 id=0x1\n"
		    "ARGS n=1 a='b'\n"
		    "BTRC n=1 0x10\n"
		    "COMMENT '## one'\n"
		    "COMMENT 'two'\n", 0);
	expect_text("version=2.0, arch=x86_64, process=a, pid=1, filter=compress,\x20\n"
		    "1. f(1) = 0x1\n"
		    "## one\n"
		    "2. f(2) = 0x2\n"
		    "# allocation summary: 2 block(s) with total size 3\n"
		    "\t0x10\n"
		    "\n",
		    PLAIN_HEAD
		    "CALL #1 res=0 ctx=0x0 ts=0 type=2 name='f' size=1 id=0x1\n"
		    "BTRC n=1 0x10\n"
		    "COMMENT '## one'\n"
		    "CALL #2 res=0 ctx=0x0 ts=0 type=2 name='f' size=2 id=0x2\n"
		    "BTRC n=1 0x10\n", 0);
	/* Neither does a malformed call; its arguments are dropped. */
	expect_text("version=2.0, arch=x86_64, process=a, pid=1, filter=compress,\x20\n"
		    "1. f(1) = 0x1\n"
		    "2. f(2) = 0x?\n"
		    "\t$a = b\n"
		    "# allocation summary: 2 block(s) with total size 3\n"
		    "\t0x10\n"
		    "\n",
		    PLAIN_HEAD
		    "CALL #1 res=0 ctx=0x0 ts=0 type=2 name='f' size=1 id=0x1\n"
		    "BTRC n=1 0x10\n"
		    "COMMENT '2. f(2) = 0x?'\n", 1);
	/* In other reports the backtrace belongs to the malformed call. */
	expect_text(HEADER
		    "1. f(1) = 0x1\n"
		    "2. f(2) = 0x?\n"
		    "\t0x10\n"
		    "\n",
		    PLAIN_HEAD
		    "CALL #1 res=0 ctx=0x0 ts=0 type=2 name='f' size=1 id=0x1\n"
		    "COMMENT '2. f(2) = 0x?'\n", 1);
}

static void broken_lines_are_reported(void **state)
{
	static const char *const lines[] = {
		"1. f(1) = 1\n", "1. f(1)\n", "1. f\n", "1. f(0x1) = 0x1\n",
		"1 f(0x1)\n", "1. [aa] f(0x1)\n", "1. @ f(0x1)\n",
		"99999999999999999999. f(0x1)\n", "1. f(99999999999) = 0x1\n",
		": /a => 0x1\n", "<0> : a (b)\n", "<1> : a\n", "@ x : a\n",
		"& a\n", "\t0x1\n", "\t$a = b\n", "1. f(0x1)\n\tfoo\n",
		"## heap status information:\n##   heap bottom 0x1\n",
	};
	char report[256];

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct conversion r;

		snprintf(report, sizeof(report), HEADER "%s2. g(0x2)\n",
			 lines[i]);
		r = sprt_convert("sp-rtrace-text", report, strlen(report),
				 "plain", NULL);
		if (r.status != 1 ||
		    !strstr(r.out.data, "CALL #2 res=0 ctx=0x0 ts=0 type=1 name='g'"))
			fail_msg("%sstatus %d\n%s", lines[i], r.status,
				 r.out.data);
		conversion_free(&r);
	}
}

/* Concatenated reports, the second without a final newline. */
static void concatenated_reports_are_separate(void **state)
{
	(void)state;
	expect_text(HEADER
		    "1. f(1) = 0x1\n\t0x1\n"
		    "version=1.2, arch=arm, process=b, pid=2, filter=compress,\x20\n"
		    "2. g(1) = 0x1\n1. g(1) = 0x2\n\t0x2",
		    PLAIN_HEAD
		    "CALL #1 res=0 ctx=0x0 ts=0 type=2 name='f' size=1 id=0x1\n"
		    "BTRC n=1 0x1\n"
		    "HANDSHAKE version=1.2 arch=arm endian=0 ptr=0\n"
		    "PINF pid=2 sec=0 usec=0 depth=None name='b'\n"
		    "CALL #1 res=0 ctx=0x0 ts=0 type=2 name='g' size=1 id=0x2\n"
		    "BTRC n=1 0x2\n"
		    "CALL #2 res=0 ctx=0x0 ts=0 type=2 name='g' size=1 id=0x1\n"
		    "BTRC n=1 0x2\n", 1);
}

/* A newline in a name does not start a new line. */
static void newlines_in_names_are_escaped(void **state)
{
	struct made m = { .major = 2, .ptr = 4 };

	(void)state;
	made_start(&m, "i686");
	made_call(&m, 0, 0, 0, 2, "f\n2. g", 1, 1);
	made_packet(&m, "ARGS");
	made_u32(&m, 1);
	made_str(&m, "p\nq");
	made_str(&m, "a\n\n3. h(0x1)");
	made_end(&m);
	expect("sp-rtrace", &m.b, "sp-rtrace-text", NULL, 0,
	       "version=2.0, arch=i686, origin=sp-rtrace 1.8,\x20\n"
	       "1. f\\0122. g(1) = 0x1\n"
	       "\t$p\\012q = a\\012\\0123. h(0x1)\n", "newlines");
	bytes_free(&m.b);
}

/* ---- JSON ---- */

static void frames_are_parsed(void **state)
{
	static const struct { const char *text, *want; } frames[] = {
		{ "main() from /bin/a b from c",
		  "\"function\":\"main()\",\"module\":\"/bin/a b from c\"" },
		{ "f(int, char) at dir file.c:12",
		  "\"function\":\"f(int, char)\",\"file\":\"dir file.c\",\"line\":\"12\"" },
		{ "from /lib at x.so", "\"module\":\"/lib at x.so\"" },
		{ "at a.c:1", "\"file\":\"a.c\",\"line\":\"1\"" },
	};
	char report[256], want[256];

	(void)state;
	for (size_t i = 0; i < COUNT(frames); i++) {
		struct conversion r;

		snprintf(report, sizeof(report), HEADER "1. f(0x1)\n\t0x1 %s\n",
			 frames[i].text);
		snprintf(want, sizeof(want),
			 "[{\"address\":\"0x1\",\"text\":\"%s\",%s}]",
			 frames[i].text, frames[i].want);
		r = sprt_convert("sp-rtrace-text", report, strlen(report),
				 "json", NULL);
		if (!strstr(r.out.data, want))
			fail_msg("%s\nis not in\n%s", want, r.out.data);
		conversion_free(&r);
	}
}

static void damage_is_written_to_output(void **state)
{
	struct made m = { .major = 2, .ptr = 4 };
	struct conversion r;

	(void)state;
	made_start(&m, "i686");
	made_call(&m, 0, 0, 0, 2, "f\xff", 1, 1);
	r = sprt_convert("sp-rtrace", m.b.data, m.b.n - 4, "json", NULL);
	assert_non_null(strstr(r.out.data, "{\"record\":\"damage\",\"what\":\"packets cut"));
	conversion_free(&r);
	r = sprt_convert("sp-rtrace", m.b.data, m.b.n, "json", NULL);
	assert_null(strstr(r.out.data, "damage"));
	/* Bytes that are not UTF-8 are kept as hexadecimal digits. */
	assert_non_null(strstr(r.out.data, "\"function_hex\":\"66ff\""));
	conversion_free(&r);
	bytes_free(&m.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_layouts_are_read),
		cmocka_unit_test(damaged_handshakes_are_detected),
		cmocka_unit_test(unknown_pointer_size_is_derived),
		cmocka_unit_test(strings_end_at_nul),
		cmocka_unit_test(packets_between_call_and_backtrace),
		cmocka_unit_test(damaged_lengths_lose_no_text),
		cmocka_unit_test(lost_calls_are_counted_once),
		cmocka_unit_test(unknown_packets_are_skipped),
		cmocka_unit_test(packet_size_is_no_handshake),
		cmocka_unit_test(concatenated_logs_are_separate),
		cmocka_unit_test(lost_calls_keep_their_numbers),
		cmocka_unit_test(call_survives_lost_arguments),
		cmocka_unit_test(leaks_follow_frees_and_references),
		cmocka_unit_test(blocks_are_found_in_table),
		cmocka_unit_test(filters_select_calls),
		cmocka_unit_test(groups_are_sorted),
		cmocka_unit_test(single_resources_are_hidden),
		cmocka_unit_test(resources_are_bits_in_masks),
		cmocka_unit_test(invalid_options_are_refused),
		cmocka_unit_test(filters_apply_to_all_outputs),
		cmocka_unit_test(headers_are_understood),
		cmocka_unit_test(record_lines_are_understood),
		cmocka_unit_test(single_resource_lines),
		cmocka_unit_test(groups_share_their_backtrace),
		cmocka_unit_test(documented_syntax_is_read),
		cmocka_unit_test(comments_keep_their_place),
		cmocka_unit_test(absent_keys_stay_absent),
		cmocka_unit_test(empty_process_is_written),
		cmocka_unit_test(comments_separate_nothing),
		cmocka_unit_test(broken_lines_are_reported),
		cmocka_unit_test(concatenated_reports_are_separate),
		cmocka_unit_test(newlines_in_names_are_escaped),
		cmocka_unit_test(frames_are_parsed),
		cmocka_unit_test(damage_is_written_to_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
