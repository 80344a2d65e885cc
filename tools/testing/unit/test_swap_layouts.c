// SPDX-License-Identifier: GPL-2.0
/*
 * SWAP messages that no captured stream contains, and layouts that differ between versions:
 * generated from the specification, read back as JSON and as FXT.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "common_fxt.h"
#include "common_swap.h"

/* Both conversions of a stream; the FXT file is valid. */
struct both {
	struct conversion json;
	struct records fxt;
	struct bytes fxt_messages;
	int fxt_status;
};

static struct both both(struct stream *s, const struct opt_given *given)
{
	struct both b = { .json = convert("swap", "json", s->b.data, s->b.n, given) };
	struct conversion fxt = convert("swap", "fxt", s->b.data, s->b.n, given);

	assert_fxt_clean(fxt.out.data, fxt.out.n);
	b.fxt = fxt_records(fxt.out.data, fxt.out.n);
	b.fxt_status = fxt.status;
	assert_int_equal(b.json.status, fxt.status);
	b.fxt_messages = fxt.messages;
	bytes_free(&fxt.out);
	return b;
}

static void both_free(struct both *b, struct stream *s)
{
	conversion_free(&b->json);
	bytes_free(&b->fxt_messages);
	records_free(&b->fxt);
	sw_free(s);
}

/* Each of @parts is in a line of the JSON output. */
static void assert_json(const struct both *b, const char *const parts[])
{
	for (; *parts; parts++)
		if (!has_line(&b->json.out, *parts))
			fail_msg("no %s in\n%s%s", *parts, b->json.out.data, b->json.messages.data);
}

#define JSON(b, ...) assert_json(b, (const char *const[]){ __VA_ARGS__, NULL })

static json_object *first_event(const struct both *b, const char *event, const char *category,
				const char *name)
{
	for (size_t i = 0; i < b->fxt.n; i++)
		if (is_event(b->fxt.r[i], event, category, name))
			return b->fxt.r[i];
	fail_msg("no %s %s %s", event, category, name);
	return NULL;
}

static void assert_arg(json_object *rec, const char *name, const char *value)
{
	json_object *v = rec_arg(rec, name);

	if (!v || strcmp(json_object_get_string(v), value))
		fail_msg("%s is not %s in %s", name, value, json_object_to_json_string(rec));
}

static void test_lsan(void **state)
{
	struct stream s = { 0 };
	struct both b;

	(void)state;
	sw_begin(&s, 0x0022);
	sw_u32(&s, 2);
	sw_u32(&s, 42);
	sw_str(&s, "/tmp/report");
	sw_u32(&s, 0);
	sw_u64(&s, 0);
	sw_end(&s);
	sw_begin(&s, 0x0022);
	sw_u32(&s, 4);
	sw_u32(&s, 42);
	sw_str(&s, "");
	sw_u32(&s, 0);
	sw_u64(&s, 0);
	sw_end(&s);
	b = both(&s, NULL);
	assert_int_equal(b.json.status, 0);
	JSON(&b, "\"type\":\"LSAN\",\"id\":34,\"seq\":0,\"time\":\"1500000000.000000000\",\"offset\":0,\"length\":32,\"status\":2,\"status_name\":\"report\",\"pid\":42,\"message\":\"/tmp/report\",\"call_type_ptr\":0,\"caller\":\"0x0\"}",
	     "\"status\":4,\"status_name\":\"init done\"");
	assert_arg(first_event(&b, "instant", "lsan", "lsan"), "message", "/tmp/report");
	both_free(&b, &s);
}

/* The documented form begins with a byte that the real writer omits. */
static void test_web_sampling(void **state)
{
	struct stream s = { 0 };
	struct both b;

	(void)state;
	sw_begin(&s, 0x0015);
	sw_u8(&s, 0);
	sw_u32(&s, 42);
	sw_u32(&s, 43);
	sw_u32(&s, 7);
	sw_str(&s, "onLoad");
	sw_str(&s, "file:///a.js");
	sw_end(&s);
	sw_begin(&s, 0x0015);
	sw_u32(&s, 42);
	sw_u32(&s, 43);
	sw_u32(&s, 8);
	sw_str(&s, "onClick");
	sw_str(&s, "");
	sw_end(&s);
	b = both(&s, NULL);
	assert_int_equal(b.json.status, 0);
	JSON(&b, "\"subtype\":0,\"pid\":42,\"tid\":43,\"line\":7,\"name\":\"onLoad\",\"url\":\"file:///a.js\"}",
	     "\"length\":21,\"pid\":42,\"tid\":43,\"line\":8,\"name\":\"onClick\",\"url\":\"\"}");
	assert_arg(first_event(&b, "instant", "web", "web sample"), "line", "7");
	/* An entry without an exit ends with the trace, marked as unfinished. */
	assert_int_equal(count_events(&b.fxt, "duration begin", "web", "onClick"), 1);
	assert_arg(first_event(&b, "duration end", "web", "onClick"), "unfinished",
		   "the trace has ended");
	both_free(&b, &s);
}

static void add_files(struct stream *s, bool with_tid)
{
	sw_begin(s, 0x000e);
	sw_u32(s, 42);
	sw_u32(s, 2);
	for (unsigned int i = 0; i < 2; i++) {
		sw_u32(s, 3 + i);
		if (with_tid)
			sw_u32(s, 43);
		sw_u64(s, 1000 + i);
		sw_str(s, i ? "/b" : "/a file");
	}
	sw_end(s);
}

static void test_status_info(void **state)
{
	struct stream s = { 0 };
	struct both b;

	(void)state;
	add_files(&s, false);
	add_files(&s, true);
	b = both(&s, NULL);
	assert_int_equal(b.json.status, 0);
	JSON(&b, "\"files\":[{\"fd\":3,\"size\":1000,\"path\":\"/a file\"},{\"fd\":4,\"size\":1001,\"path\":\"/b\"}]",
	     "\"files\":[{\"fd\":3,\"tid\":43,\"size\":1000,\"path\":\"/a file\"},{\"fd\":4,\"tid\":43,\"size\":1001,\"path\":\"/b\"}]");
	assert_int_equal(count_events(&b.fxt, "instant", "process", "open file"), 4);
	both_free(&b, &s);
}

/* A function's entry, up to its arguments. */
static void begin_entry(struct stream *s)
{
	sw_begin(s, 0x0008);
	sw_u32(s, 42);
	sw_u32(s, 43);
	sw_u64(s, 0x8010);
	sw_u64(s, 0x8100);
	sw_u32(s, 3);
}

/* Every type of argument, as in all four kinds of messages with arguments. */
static void add_arguments(struct stream *s)
{
	static const char letters[] = "cbdxpfwsnvDFW";

	sw_u32(s, sizeof(letters) - 1);
	for (const char *c = letters; *c; c++) {
		sw_u8(s, (uint8_t)*c);
		switch (*c) {
		case 'c':
			sw_u8(s, 'A');
			break;
		case 'b':
			sw_u8(s, 1);
			break;
		case 'd':
			sw_u32(s, (uint32_t)-5);
			break;
		case 'x':
			sw_u64(s, 0xfffffffffffffffeu);
			break;
		case 'p':
			sw_u64(s, 0xffffffff80001000u);
			break;
		case 'f':
			sw_f32(s, 0.1f);
			break;
		case 'w':
			sw_f64(s, 0.1);
			break;
		case 's':
			sw_str(s, "a \"b\"");
			break;
		case 'D':
		case 'F':
		case 'W':
			sw_u64(s, 0x1000);
			sw_u32(s, 2);
			for (int i = -1; i < 1; i++) {
				if (*c == 'D')
					sw_u32(s, (uint32_t)i);
				else if (*c == 'F')
					sw_f32(s, (float)i);
				else
					sw_f64(s, (double)i);
			}
			break;
		}
	}
}

#define ARGUMENTS_JSON \
	"[{\"type\":\"c\",\"value\":65},{\"type\":\"b\",\"value\":true},{\"type\":\"d\",\"value\":-5}," \
	"{\"type\":\"x\",\"value\":-2},{\"type\":\"p\",\"value\":\"0xffffffff80001000\"}," \
	"{\"type\":\"f\",\"value\":0.10000000149011612},{\"type\":\"w\",\"value\":0.1}," \
	"{\"type\":\"s\",\"value\":\"a \\\"b\\\"\"},{\"type\":\"n\"},{\"type\":\"v\"}," \
	"{\"type\":\"D\",\"address\":\"0x1000\",\"value\":[-1,0]}," \
	"{\"type\":\"F\",\"address\":\"0x1000\",\"value\":[-1.0,0.0]}," \
	"{\"type\":\"W\",\"address\":\"0x1000\",\"value\":[-1.0,0.0]}]"

static void test_arguments(void **state)
{
	struct stream s = { 0 };
	struct both b;

	(void)state;
	begin_entry(&s);
	add_arguments(&s);
	sw_end(&s);
	/* The same with the old header. */
	sw_begin(&s, 0x0008);
	sw_u32(&s, 42);
	sw_u32(&s, 43);
	sw_u16(&s, 1);
	sw_u16(&s, 0);
	sw_u64(&s, 0x8020);
	sw_u64(&s, 0x8100);
	sw_u32(&s, 3);
	add_arguments(&s);
	sw_end(&s);
	sw_begin(&s, 0x000a);
	sw_u32(&s, 42);
	sw_u32(&s, 43);
	sw_u32(&s, 0x20);
	sw_u64(&s, 0xffffffff80001000u);
	sw_u64(&s, 0x8100);
	sw_u32(&s, 3);
	add_arguments(&s);
	sw_end(&s);
	sw_begin(&s, 0x0105);
	sw_u32(&s, 9);
	sw_u32(&s, 42);
	sw_u32(&s, 43);
	add_arguments(&s);
	sw_u8(&s, 'd');
	sw_u32(&s, (uint32_t)-1);
	sw_u64(&s, (uint64_t)-11);
	sw_u32(&s, 255);
	sw_u64(&s, 0xbadbeef);
	sw_u32(&s, 0);
	sw_u32(&s, 0);
	sw_end(&s);
	b = both(&s, NULL);
	assert_int_equal(b.json.status, 0);
	JSON(&b, "\"pc\":\"0x8010\",\"caller\":\"0x8100\",\"cpu\":3,\"args\":" ARGUMENTS_JSON "}",
	     "\"probe_type\":1,\"probe_type_name\":\"user\",\"class\":0,\"pc\":\"0x8020\",\"caller\":\"0x8100\",\"cpu\":3,\"args\":" ARGUMENTS_JSON "}",
	     "\"class\":32,\"class_name\":\"descriptor\",\"pc\":\"0xffffffff80001000\",\"caller\":\"0x8100\",\"cpu\":3,\"args\":" ARGUMENTS_JSON "}",
	     "\"api_id\":9,\"pid\":42,\"tid\":43,\"args\":" ARGUMENTS_JSON ",\"return\":{\"type\":\"d\",\"value\":-1},\"errno\":-11,\"call_type\":255,\"caller\":\"0xbadbeef\"");
	assert_arg(first_event(&b, "duration begin", "function", "0x8010"), "args",
		   "'A', true, -5, -2, 0xffffffff80001000, 0.100000001, 0.10000000000000001, \"a \"b\"\", n, v, [-1, 0]@0x1000, [-1, 0]@0x1000, [-1, 0]@0x1000");
	assert_int_equal(count_events(&b.fxt, "duration begin", "syscall", "0xffffffff80001000"), 1);
	assert_arg(first_event(&b, "instant", "lifecycle", "api 9"), "return", "-1");
	both_free(&b, &s);
}

/* Printable characters are displayed as such. */
static void test_characters(void **state)
{
	static const uint8_t chars[] = { 0x1f, 0x20, 0x7e, 0x7f };
	struct stream s = { 0 };
	struct both b;

	(void)state;
	begin_entry(&s);
	sw_u32(&s, sizeof(chars));
	for (size_t i = 0; i < sizeof(chars); i++) {
		sw_u8(&s, 'c');
		sw_u8(&s, chars[i]);
	}
	sw_end(&s);
	b = both(&s, NULL);
	assert_arg(first_event(&b, "duration begin", "function", "0x8010"), "args",
		   "'\\x1f', ' ', '~', '\\x7f'");
	both_free(&b, &s);
}

static void test_exits(void **state)
{
	struct stream s = { 0 };
	struct both b;

	(void)state;
	/* An exit of a system call in the old form. */
	sw_begin(&s, 0x0009);
	sw_u32(&s, 42);
	sw_u32(&s, 43);
	sw_u16(&s, 3);
	sw_u16(&s, 16);
	sw_u64(&s, 0xc0001000);
	sw_u64(&s, 0x8100);
	sw_u32(&s, 3);
	sw_u8(&s, 'p');
	sw_u64(&s, 0x1234);
	sw_end(&s);
	b = both(&s, NULL);
	assert_int_equal(b.json.status, 0);
	JSON(&b, "\"probe_type\":3,\"probe_type_name\":\"kernel\",\"class\":16,\"class_name\":\"network\",\"pc\":\"0xc0001000\",\"caller\":\"0x8100\",\"cpu\":3,\"return\":{\"type\":\"p\",\"value\":\"0x1234\"}}");
	/* Its entry is missing, but the exit is shown nevertheless. */
	assert_arg(first_event(&b, "instant", "syscall", "end of 0xc0001000"), "return", "0x1234");
	both_free(&b, &s);
}

static void test_file_function(void **state)
{
	struct stream s = { 0 };
	struct both b;

	(void)state;
	sw_begin(&s, 0x000c);
	sw_u32(&s, 42);
	sw_u32(&s, 43);
	sw_u32(&s, (uint32_t)-1);
	sw_u32(&s, 14);
	sw_str(&s, "/lock");
	sw_u32(&s, 2);
	sw_u32(&s, 1);
	sw_u32(&s, 2);
	sw_u64(&s, (uint64_t)-3);
	sw_u64(&s, 4);
	sw_end(&s);
	sw_begin(&s, 0x000d);
	sw_u32(&s, 42);
	sw_u32(&s, 43);
	sw_u8(&s, 'd');
	sw_u32(&s, (uint32_t)-2);
	sw_end(&s);
	b = both(&s, NULL);
	assert_int_equal(b.json.status, 0);
	JSON(&b, "\"fd\":-1,\"event\":14,\"event_name\":\"lock start\",\"path\":\"/lock\",\"args_type\":2,\"args_type_name\":\"lock\",\"lock_type\":1,\"whence\":2,\"lock_start\":-3,\"lock_length\":4}");
	assert_arg(first_event(&b, "duration begin", "file_function", "file lock start"), "path", "/lock");
	assert_arg(first_event(&b, "duration end", "file_function", "file lock start"), "return", "-2");
	both_free(&b, &s);
}

/* Begin and end of blocking calls, in each of the four messages. */
static void test_blocking_probes(void **state)
{
	struct stream s = { 0 };
	struct both b;
	static const struct { uint32_t id, start; const char *category; } kinds[] = {
		{ 0x0104, 14, "file" }, { 0x0108, 4, "thread" }, { 0x0110, 5, "sync" },
		{ 0x0111, 9, "network" },
	};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		for (uint32_t end = 0; end < 2; end++) {
			sw_probe(&s, kinds[i].id, 70 + (uint32_t)i, 42, 43);
			sw_u64(&s, 5);
			if (kinds[i].id == 0x0104) {
				sw_u64(&s, 6);
				sw_u32(&s, kinds[i].start + end);
				sw_u64(&s, 7);
				sw_str(&s, "/f");
			} else if (kinds[i].id == 0x0108) {
				sw_u64(&s, 0);
				sw_u32(&s, 0);
				sw_u32(&s, kinds[i].start + end);
				sw_str(&s, "");
			} else if (kinds[i].id == 0x0110) {
				sw_u32(&s, 4);
				sw_u32(&s, kinds[i].start + end);
			} else {
				sw_u64(&s, 8);
				sw_u32(&s, kinds[i].start + end);
				sw_bytes(&s, "\x0a\x01\x02\x03", 4);
				sw_u32(&s, 80);
				sw_u64(&s, 3);
				sw_bytes(&s, "\0\xff\x7f", 3);
			}
			sw_end(&s);
		}
	}
	b = both(&s, NULL);
	assert_int_equal(b.json.status, 0);
	JSON(&b, "\"operation\":15,\"operation_name\":\"lock end\"", "\"ip\":\"10.1.2.3\",\"port\":80,\"total_size\":3,\"data\":\"00ff7f\"}");
	for (size_t i = 0; i < 4; i++) {
		char name[16];

		snprintf(name, sizeof(name), "api %zu", 70 + i);
		assert_int_equal(count_events(&b.fxt, "duration begin", kinds[i].category, name), 1);
		assert_int_equal(count_events(&b.fxt, "duration end", kinds[i].category, name), 1);
		assert_null(rec_arg(first_event(&b, "duration begin", kinds[i].category, name), "errno"));
		assert_arg(first_event(&b, "duration end", kinds[i].category, name), "errno", "0");
	}
	both_free(&b, &s);
}

static void test_unknown_messages(void **state)
{
	struct stream s = { 0 };
	struct both b;

	(void)state;
	sw_sample(&s, 42, 0x8000);
	sw_begin(&s, 0x7777);
	sw_bytes(&s, "\x01\x02\x03", 3);
	sw_end(&s);
	sw_begin(&s, 0x0006);
	sw_end(&s);
	sw_begin(&s, 0x01ff);
	sw_u32(&s, 1);
	sw_end(&s);
	sw_sample(&s, 42, 0x8004);
	b = both(&s, NULL);
	/* Skipped and counted, but not missing. */
	assert_int_equal(b.json.status, 0);
	assert_true(has_line(&b.json.messages, "offset 40: message 0x7777 of 3 bytes is of an unknown kind"));
	assert_true(has_line(&b.json.messages, "3 messages of an unknown kind"));
	JSON(&b, "{\"type\":\"UNKNOWN\",\"id\":30583,\"seq\":1,", "\"payload\":\"010203\"}",
	     "{\"type\":\"IMAGE\",\"id\":6,");
	assert_int_equal(count_events(&b.fxt, "instant", "unknown", "unknown message"), 3);
	assert_arg(first_event(&b, "instant", "unknown", NULL), "payload", "010203");
	assert_int_equal(count_events(&b.fxt, "instant", "sample", NULL), 2);
	both_free(&b, &s);
}

/* All probes begin with the same fields, so these are read even for unknown kinds. */
static void test_unknown_probe(void **state)
{
	struct stream s = { 0 };
	struct conversion c;
	struct both b;

	(void)state;
	sw_probe(&s, 0x0142, 7, 42, 43);
	sw_u32(&s, 0x01020304);
	sw_end(&s);
	sw_probe(&s, 0x0100, 8, 42, 43);
	sw_end(&s);
	b = both(&s, NULL);
	assert_int_equal(b.json.status, 0);
	assert_true(has_line(&b.json.messages,
			     "offset 0: probe message 0x142 is of an unknown kind: only what all probes have is read"));
	JSON(&b, "{\"type\":\"PROBE\",\"id\":322,", "\"api_id\":7,\"pid\":42,\"tid\":43,\"args\":[],",
	     "\"reserved2\":0,\"more\":\"04030201\"}", "{\"type\":\"PROBE\",\"id\":256,");
	assert_arg(first_event(&b, "instant", "probe", "api 7"), "more", "04030201");
	c = convert("swap", "stats", s.b.data, s.b.n, NULL);
	assert_true(has_line(&c.out, "1  PROBE 0x0142"));
	assert_int_equal(count_lines(&c.out, "1  PROBE"), 2);
	conversion_free(&c);
	assert_int_equal(count_events(&b.fxt, "instant", "probe", "api 8"), 1);
	both_free(&b, &s);

	/* a message without these fields is not a probe, whatever its number */
	for (uint32_t id = 0x0100; id < 0x0143; id += 0x42) {
		s = (struct stream){ 0 };
		sw_begin(&s, id);
		sw_u32(&s, 1);
		sw_end(&s);
		sw_sample(&s, 42, 0x8000);
		b = both(&s, NULL);
		assert_int_equal(b.json.status, 0);
		JSON(&b, "{\"type\":\"UNKNOWN\",", "\"payload\":\"01000000\"}");
		assert_arg(first_event(&b, "instant", "unknown", "unknown message"), "payload", "01000000");
		both_free(&b, &s);
	}
}

/* Additional bytes come from a newer version: they are kept and are not damage. */
static void test_additional_bytes(void **state)
{
	struct stream s = { 0 };
	struct both b;

	(void)state;
	sw_begin(&s, 0x0002);
	sw_u32(&s, 42);
	sw_u32(&s, 0x01020304);
	sw_end(&s);
	b = both(&s, NULL);
	assert_int_equal(b.json.status, 0);
	JSON(&b, "\"pid\":42,\"more\":\"04030201\"}");
	assert_arg(first_event(&b, "instant", "process", "terminate"), "more", "04030201");
	both_free(&b, &s);
}

/* Names and paths are bytes: those that are not UTF-8 are kept as hexadecimal digits, too. */
static void test_not_utf8(void **state)
{
	struct stream s = { 0 };
	struct both b;

	(void)state;
	sw_begin(&s, 0x0003);
	sw_str(&s, "caf\xe9 \xc3\xa9");
	sw_end(&s);
	sw_process_info(&s, 42, "\xff\xfe", 1);
	b = both(&s, NULL);
	JSON(&b, "\"message\":\"caf\xef\xbf\xbd \xc3\xa9\",\"message_hex\":\"636166e920c3a9\"}");
	assert_arg(first_event(&b, "instant", "error", "error"), "message", "caf\xef\xbf\xbd \xc3\xa9");
	assert_arg(first_event(&b, "instant", "error", "error"), "message_hex", "636166e920c3a9");
	both_free(&b, &s);
}

/* A string longer than an FXT string, and more arguments than a record takes. */
static void test_long_strings(void **state)
{
	struct stream s = { 0 };
	struct both b;
	json_object *rec;
	size_t n = 70000;
	char *text = malloc(n + 1);

	(void)state;
	memset(text, 'x', n);
	text[n] = 0;
	sw_begin(&s, 0x0003);
	sw_str(&s, text);
	sw_end(&s);
	/* An unknown message of half a megabyte: more than fits into one record. */
	sw_begin(&s, 0x7777);
	for (size_t i = 0; i < 7; i++)
		sw_bytes(&s, text, n);
	sw_end(&s);
	b = both(&s, NULL);
	assert_int_equal(b.json.status, 0);
	rec = first_event(&b, "instant", "error", "error");
	assert_int_equal(json_object_get_string_len(rec_arg(rec, "message")), 31999);
	assert_int_equal(json_object_get_string_len(rec_arg(rec, "message.2")), 31999);
	assert_int_equal(json_object_get_string_len(rec_arg(rec, "message.3")), n - 2 * 31999);
	assert_int_equal(count_events(&b.fxt, "instant", "unknown", "unknown message (more)"), 2);
	both_free(&b, &s);
	free(text);
}

/* Bad values within a message: readable fields are kept, the offset is reported. */
static void test_bad_fields(void **state)
{
	struct stream s = { 0 };
	struct both b;

	(void)state;
	sw_sample(&s, 42, 0x8000);
	begin_entry(&s);		/* at 40 */
	sw_u32(&s, 3);
	sw_u8(&s, 'd');
	sw_u32(&s, 7);
	sw_u8(&s, 'Q');			/* at 40 + 20 + 37 */
	sw_u32(&s, 8);
	sw_end(&s);
	sw_sample(&s, 42, 0x8004);
	b = both(&s, NULL);
	assert_int_equal(b.json.status, 1);
	assert_true(has_line(&b.json.messages, "offset 97: FUNCTION_ENTRY, number 1: field args has an unknown type"));
	JSON(&b, "\"args\":[{\"type\":\"d\",\"value\":7}],\"more\":\"5108000000\",\"damaged\":[\"fields\"]}");
	assert_arg(first_event(&b, "duration begin", "function", "0x8010"), "args", "7");
	assert_int_equal(count_lines(&b.json.out, "\"type\":\"SAMPLE\""), 2);
	both_free(&b, &s);
}

/* Arguments of every type, truncated anywhere: reported, and the fields before are kept. */
static void test_short_fields(void **state)
{
	struct stream all = { 0 };
	size_t fields, n;

	(void)state;
	sw_begin(&all, 0x0008);
	sw_u32(&all, 42);
	sw_u32(&all, 43);
	sw_u64(&all, 0x8010);
	sw_u64(&all, 0x8100);
	sw_u32(&all, 3);
	fields = all.b.n;
	add_arguments(&all);
	n = all.b.n;
	for (size_t cut = fields; cut < n; cut++) {
		struct stream s = { 0 };
		struct both b;

		sw_begin(&s, 0x0008);
		sw_bytes(&s, all.b.data + 20, cut - 20);
		sw_end(&s);
		sw_sample(&s, 42, 0x8004);
		b = both(&s, NULL);
		assert_int_equal(b.json.status, 1);
		JSON(&b, "\"pid\":42,\"tid\":43,\"pc\":\"0x8010\",\"caller\":\"0x8100\",\"cpu\":3",
		     "\"damaged\":[\"fields\"]", "\"type\":\"SAMPLE\"");
		assert_true(has_line(&b.json.messages, "FUNCTION_ENTRY, number 0: field args"));
		both_free(&b, &s);
	}
	sw_free(&all);
}

/* The documented list contains only libraries: the executable has its own fields. */
static void test_executable(void **state)
{
	struct stream s = { 0 };
	struct conversion c;
	struct both b;

	(void)state;
	sw_begin(&s, 0x0001);
	sw_u32(&s, 42);
	sw_str(&s, "app");
	sw_u32(&s, 1);
	sw_u64(&s, 1);
	sw_u64(&s, 0x8000);
	sw_u64(&s, 0x9000);
	sw_str(&s, "/usr/bin/app");
	sw_u32(&s, 1);
	sw_u64(&s, 0xa000);
	sw_u64(&s, 0xb000);
	sw_str(&s, "/lib/libc.so");
	sw_end(&s);
	sw_entry(&s, 42, 42, 0x8010);
	sw_entry(&s, 42, 42, 0xa020);
	c = convert("swap", "stats", s.b.data, s.b.n, NULL);
	assert_true(has_line(&c.out, "app+0x10"));
	assert_true(has_line(&c.out, "libc.so+0x20"));
	conversion_free(&c);
	b = both(&s, NULL);
	assert_int_equal(b.json.status, 0);
	assert_int_equal(count_events(&b.fxt, "duration begin", "function", "app+0x10"), 1);
	assert_int_equal(count_events(&b.fxt, "duration begin", "function", "libc.so+0x20"), 1);
	both_free(&b, &s);
}

/* A pid belongs to a process until that ends; the current mappings apply. */
static void test_mappings(void **state)
{
	struct stream s = { 0 };
	struct both b;

	(void)state;
	sw_process_info(&s, 42, "app", 1);
	sw_entry(&s, 42, 42, 0x8010);
	sw_exit(&s, 42, 42, 0x8010);
	/* A library is mapped over the upper half, then a hole is unmapped in it. */
	sw_begin(&s, 0x0012);
	sw_u32(&s, 42);
	sw_u64(&s, 0x8800);
	sw_u64(&s, 0xa000);
	sw_str(&s, "/lib/libnew.so");
	sw_end(&s);
	sw_begin(&s, 0x0013);
	sw_u32(&s, 42);
	sw_u64(&s, 0x8900);
	sw_u64(&s, 0x8a00);
	sw_end(&s);
	sw_entry(&s, 42, 42, 0x8010);
	sw_entry(&s, 42, 42, 0x8810);
	sw_entry(&s, 42, 42, 0x8910);
	sw_entry(&s, 42, 42, 0x8a10);
	sw_terminate(&s, 42);
	b = both(&s, NULL);
	assert_int_equal(b.json.status, 0);
	assert_int_equal(count_events(&b.fxt, "duration begin", "function", "app+0x10"), 2);
	assert_int_equal(count_events(&b.fxt, "duration begin", "function", "libnew.so+0x10"), 1);
	assert_int_equal(count_events(&b.fxt, "duration begin", "function", "0x8910"), 1);
	assert_int_equal(count_events(&b.fxt, "duration begin", "function", "libnew.so+0x210"), 1);
	/* Calls still running at the end of the process end there, and are marked. */
	assert_int_equal(count_events(&b.fxt, "duration end", "function", NULL), 5);
	assert_arg(first_event(&b, "duration end", "function", "libnew.so+0x210"), "unfinished",
		   "the process has ended");
	both_free(&b, &s);
}

/* Exits that skip their callees, deep recursion, times that step back. */
static void test_nesting(void **state)
{
	struct stream s = { 0 };
	struct both b;
	json_object *rec;

	(void)state;
	sw_entry(&s, 42, 42, 0x100);
	sw_entry(&s, 42, 42, 0x200);
	sw_entry(&s, 42, 42, 0x300);
	sw_exit(&s, 42, 42, 0x100);
	b = both(&s, NULL);
	assert_int_equal(count_events(&b.fxt, "duration end", NULL, NULL), 3);
	assert_arg(first_event(&b, "duration end", "function", "0x300"), "unfinished",
		   "its end is missing");
	assert_null(rec_arg(first_event(&b, "duration end", "function", "0x100"), "unfinished"));
	both_free(&b, &s);

	s = (struct stream){ 0 };
	for (unsigned int i = 0; i < 600; i++)
		sw_entry(&s, 42, 42, 0x100);
	for (unsigned int i = 0; i < 600; i++)
		sw_exit(&s, 42, 42, 0x100);
	b = both(&s, NULL);
	assert_int_equal(count_events(&b.fxt, "duration begin", NULL, NULL), 500);
	assert_int_equal(count_events(&b.fxt, "duration end", NULL, NULL), 500);
	assert_int_equal(count_events(&b.fxt, "instant", "function", NULL), 200);
	both_free(&b, &s);

	s = (struct stream){ .nsec = 1000000 };
	sw_entry(&s, 42, 42, 0x100);
	s.nsec -= 1000500;
	sw_entry(&s, 42, 42, 0x200);
	sw_exit(&s, 42, 42, 0x200);
	sw_exit(&s, 42, 42, 0x100);
	b = both(&s, NULL);
	rec = first_event(&b, "duration begin", "function", "0x200");
	assert_arg(rec, "stamped_earlier_ns", "500");
	/* the trace begins with the earlier of the two */
	assert_int_equal(rec_number(rec, "timestamp"), 500);
	both_free(&b, &s);
}

static void set_seconds(struct stream *s, size_t message, uint32_t seconds)
{
	memcpy(s->b.data + message + 8, &seconds, sizeof(seconds));
}

/* Times count from the earliest of the first messages. */
static void test_time_zero(void **state)
{
	struct stream s = { 0 };
	json_object *rec = NULL;
	size_t first, late = 0;
	struct both b;

	(void)state;
	/* a damaged time at the beginning does not affect the others */
	first = sw_sample(&s, 42, 0x100);
	for (unsigned int i = 0; i < 50; i++)
		sw_sample(&s, 42, 0x200);
	set_seconds(&s, first, 1500000000u | 1u << 31);
	b = both(&s, NULL);
	rec = first_event(&b, "instant", "metadata", "clock");
	assert_arg(rec, "wall_clock", "1500000000.001000000");
	for (size_t i = 0, n = 0; i < b.fxt.n; i++) {
		if (!is_event(b.fxt.r[i], "instant", "sample", "sample"))
			continue;
		if (n)
			assert_int_equal(rec_number(b.fxt.r[i], "timestamp"), (n - 1) * 1000000);
		n++;
	}
	both_free(&b, &s);

	/* a time before the beginning of the trace is moved there, and this is reported */
	s = (struct stream){ 0 };
	for (unsigned int i = 0; i < 50; i++)
		late = sw_sample(&s, 42, i == 49 ? 0x300 : 0x200);
	set_seconds(&s, late, 1499999990);
	b = both(&s, NULL);
	for (size_t i = 0; i < b.fxt.n; i++)
		if (is_event(b.fxt.r[i], "instant", "sample", "sample"))
			rec = b.fxt.r[i];
	assert_arg(rec, "pc", "0x300");
	assert_int_equal(rec_number(rec, "timestamp"), 0);
	assert_true(has_line(&b.fxt_messages, "stamped before the beginning of the trace"));
	both_free(&b, &s);

	/* fewer messages */
	sw_sample(&s, 42, 0x100);
	b = both(&s, NULL);
	rec = first_event(&b, "instant", "sample", "sample");
	assert_int_equal(rec_number(rec, "timestamp"), 0);
	both_free(&b, &s);
}

static void test_memory(void **state)
{
	struct stream s = { 0 };
	struct both b;
	static const struct { uint64_t size, addr, old; uint32_t kind; int64_t live; } steps[] = {
		{ 100, 0x1000, 0, 0, 100 },
		{ 50, 0x2000, 0, 0, 150 },
		{ 200, 0x3000, 0x1000, 0, 250 },	/* realloc that moves */
		{ 300, 0x3000, 0x3000, 0, 350 },	/* realloc that does not move */
		{ 400, 0, 0x3000, 0, 350 },		/* realloc that fails */
		{ 0, 0x2000, 0, 1, 300 },
		{ 0, 0x9999, 0, 1, 300 },		/* never allocated */
		{ 0, 0, 0x3000, 0, 0 },			/* realloc to nothing */
		{ 7, 0, 0, 0, 0 },			/* malloc that fails */
	};
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		sw_begin(&s, 0x0101);
		sw_u32(&s, 1);
		sw_u32(&s, 42);
		sw_u32(&s, 42);
		sw_u32(&s, 1);
		sw_u8(&s, steps[i].old ? 'p' : 'x');
		sw_u64(&s, steps[i].old);
		sw_u8(&s, 'p');
		sw_u64(&s, steps[i].addr);
		sw_u64(&s, 0);
		sw_u32(&s, 1);
		sw_u64(&s, 0);
		sw_u64(&s, 0);
		sw_u64(&s, steps[i].size);
		sw_u32(&s, steps[i].kind);
		sw_u64(&s, steps[i].addr);
		sw_end(&s);
	}
	b = both(&s, NULL);
	for (size_t i = 0; i < b.fxt.n; i++)
		if (is_event(b.fxt.r[i], "counter", NULL, "live memory"))
			assert_int_equal(json_object_get_int64(rec_arg(b.fxt.r[i], "live_bytes")),
					 steps[n++].live);
	assert_int_equal(n, sizeof(steps) / sizeof(steps[0]));
	both_free(&b, &s);
}

static void test_web_steps(void **state)
{
	struct stream s = { 0 };
	struct both b;

	(void)state;
	/* Two resources at once, one never ends, one end has no begin. */
	for (uint32_t id = 1; id < 3; id++) {
		sw_begin(&s, 0x001a);
		sw_u32(&s, 42);
		sw_u32(&s, 1);
		sw_u32(&s, id);
		sw_str(&s, id == 1 ? "/one" : "/two");
		sw_end(&s);
	}
	for (uint32_t id = 2; id < 4; id++) {
		sw_begin(&s, 0x001a);
		sw_u32(&s, 42);
		sw_u32(&s, 2);
		sw_u32(&s, id);
		sw_end(&s);
	}
	sw_terminate(&s, 42);
	b = both(&s, NULL);
	assert_int_equal(count_events(&b.fxt, "async begin", "web", "resource load"), 2);
	assert_int_equal(count_events(&b.fxt, "async end", "web", "resource load"), 2);
	assert_int_equal(count_events(&b.fxt, "instant", "web", NULL), 1);
	for (size_t i = 0, ends = 0; i < b.fxt.n; i++)
		if (is_event(b.fxt.r[i], "async end", NULL, NULL) && ends++ == 1)
			assert_arg(b.fxt.r[i], "unfinished", "the process has ended");
	both_free(&b, &s);
}

/* Create a file in memory; @path is set to its path. */
static int text_file(const char *text, char *path, size_t size)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	snprintf(path, size, "/proc/self/fd/%d", fd);
	return fd;
}

/* One viewer takes a name with "frame" in it for a frame marker. */
static void test_no_false_frame_marker(void **state)
{
	struct stream s = { 0 };
	struct both b;
	char path[32];
	int fd = text_file("# names\n\n7 beginframe\n7 glGenframebuffers\n0x8\tother name\n",
			   path, sizeof(path));

	(void)state;
	sw_probe(&s, 0x0112, 7, 42, 42);
	sw_u64(&s, 0);
	sw_u32(&s, 2);
	sw_u64(&s, 10);
	sw_str(&s, "");
	sw_end(&s);
	sw_probe(&s, 0x0105, 8, 42, 42);
	sw_end(&s);
	b = both(&s, OPTIONS({ "swap-api-map", path }));
	assert_int_equal(b.json.status, 0);
	JSON(&b, "\"api_id\":7,\"api_name\":\"glGenframebuffers\"", "\"api_id\":8,\"api_name\":\"other name\"");
	assert_arg(first_event(&b, "instant", "gl", "gl"), "event", "glGenframebuffers");
	assert_int_equal(count_events(&b.fxt, "instant", "lifecycle", "other name"), 1);
	both_free(&b, &s);
	close(fd);
}

static void test_bad_map(void **state)
{
	static const char *const bad[] = { "x y\n", "12\n", "4294967296 a\n", "-1 a\n", "5\t\n" };
	struct stream s = { 0 };
	struct conversion c;

	(void)state;
	sw_sample(&s, 1, 2);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char path[32], text[64];
		int fd;

		snprintf(text, sizeof(text), "1 a\n%s", bad[i]);
		fd = text_file(text, path, sizeof(path));
		c = convert("swap", "json", s.b.data, s.b.n, OPTIONS({ "swap-api-map", path }));
		assert_int_equal(c.status, 2);
		assert_true(has_line(&c.messages, "line 2: not of the form NUMBER NAME"));
		conversion_free(&c);
		close(fd);
	}
	c = convert("swap", "json", s.b.data, s.b.n, OPTIONS({ "swap-api-map", "/nowhere" }));
	assert_int_equal(c.status, 2);
	assert_true(has_line(&c.messages, "/nowhere: cannot read the names of functions: No such file"));
	conversion_free(&c);
	sw_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lsan),
		cmocka_unit_test(test_web_sampling),
		cmocka_unit_test(test_status_info),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_characters),
		cmocka_unit_test(test_exits),
		cmocka_unit_test(test_file_function),
		cmocka_unit_test(test_blocking_probes),
		cmocka_unit_test(test_unknown_messages),
		cmocka_unit_test(test_unknown_probe),
		cmocka_unit_test(test_additional_bytes),
		cmocka_unit_test(test_not_utf8),
		cmocka_unit_test(test_long_strings),
		cmocka_unit_test(test_bad_fields),
		cmocka_unit_test(test_short_fields),
		cmocka_unit_test(test_executable),
		cmocka_unit_test(test_mappings),
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_time_zero),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_web_steps),
		cmocka_unit_test(test_no_false_frame_marker),
		cmocka_unit_test(test_bad_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
