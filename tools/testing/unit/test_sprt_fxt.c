// SPDX-License-Identifier: GPL-2.0
/*
 * sp-rtrace to FXT: the trace is compared with the JSON of the same log, and with the leaks
 * that a report counts. Every file obeys the rules of the format and of its viewers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common_fxt.h"
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
#define NLOGS (sizeof(logs) / sizeof(*logs))

static struct records to_fxt(const void *data, size_t n,
			     const struct opt_given *given)
{
	struct conversion r = sprt_convert("sp-rtrace", data, n, "fxt", given);
	struct records rs;

	assert_fxt_clean(r.out.data, r.out.n);
	rs = fxt_records(r.out.data, r.out.n);
	assert_int_equal(rs.status, 0);
	conversion_free(&r);
	return rs;
}

static const char *arg_text(json_object *rec, const char *name)
{
	json_object *v = rec_arg(rec, name);

	return v ? json_object_get_string(v) : "";
}

/* The @i-th event of a kind; NULL if there are fewer. */
static json_object *nth_event(const struct records *rs, const char *event,
			      const char *category, const char *name, size_t i)
{
	for (size_t k = 0; k < rs->n; k++)
		if (is_event(rs->r[k], event, category, name) && !i--)
			return rs->r[k];
	return NULL;
}

/* Is it the instant of a call, not one about the log itself? */
static bool is_call(json_object *rec)
{
	return is_event(rec, "instant", NULL, NULL) && rec_arg(rec, "number");
}

/* ---- calls ---- */

static void compare_call(json_object *fxt, json_object *call)
{
	json_object *list, *v;
	char text[4096] = "", name[256];

	assert_string_equal(rec_text(fxt, "name"), rec_text(call, "function"));
	assert_string_equal(rec_text(fxt, "category"),
			    rec_text(call, "resource_type"));
	assert_string_equal(arg_text(fxt, "number"), rec_text(call, "number"));
	assert_string_equal(arg_text(fxt, "type"), rec_text(call, "type"));
	assert_string_equal(arg_text(fxt, "id"), rec_text(call, "id"));
	if (!strcmp(rec_text(call, "type"), "allocation"))
		assert_string_equal(arg_text(fxt, "size"), rec_text(call, "size"));
	if (strcmp(rec_text(call, "context"), "0x0"))
		assert_string_equal(arg_text(fxt, "context"),
				    rec_text(call, "context"));

	assert_true(json_object_object_get_ex(call, "arguments", &list));
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		v = json_object_array_get_idx(list, i);
		snprintf(name, sizeof(name), "$%s", rec_text(v, "name"));
		assert_string_equal(arg_text(fxt, name), rec_text(v, "value"));
	}
	json_object_object_get_ex(call, "backtrace", &list);
	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		v = json_object_array_get_idx(list, i);
		if (i)
			strcat(text, "\n");
		strcat(text, rec_text(v, "address"));
		if (*rec_text(v, "text")) {
			strcat(text, " ");
			strcat(text, rec_text(v, "text"));
		}
	}
	assert_string_equal(arg_text(fxt, "backtrace"), text);
}

static void calls_are_instants(void **state)
{
	(void)state;
	for (size_t i = 0; i < NLOGS; i++) {
		struct bytes log = sprt_sample(logs[i]);
		struct conversion json = sprt_convert("sp-rtrace", log.data,
						       log.n, "json", NULL);
		struct records rs = to_fxt(log.data, log.n, NULL);
		int64_t first_us = 0, first_ns = 0;
		size_t at = 0, calls = 0;
		char *save, *line;

		for (line = strtok_r(json.out.data, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save)) {
			json_object *call = json_tokener_parse(line);

			if (!strcmp(rec_text(call, "record"), "call")) {
				while (at < rs.n && !is_call(rs.r[at]))
					at++;
				assert_true(at < rs.n);
				compare_call(rs.r[at], call);
				if (!calls) {
					first_us = rec_number(call, "time_us");
					first_ns = rec_number(rs.r[at], "timestamp");
				}
				if (first_us)
					assert_int_equal(
						rec_number(rs.r[at], "timestamp") - first_ns,
						(rec_number(call, "time_us") - first_us) * 1000);
				at++;
				calls++;
			}
			json_object_put(call);
		}
		assert_true(calls > 4);
		while (at < rs.n)
			assert_false(is_call(rs.r[at++]));
		records_free(&rs);
		conversion_free(&json);
		bytes_free(&log);
	}
}

/* ---- blocks ---- */

/*
 * Spans without an end are the leaks of the report; the last counters have its numbers, and
 * no counter is ever negative.
 */
static void blocks_are_spans_and_counters(void **state)
{
	(void)state;
	for (size_t i = 0; i < NLOGS; i++) {
		struct bytes log = sprt_sample(logs[i]);
		struct conversion leaks = sprt_convert("sp-rtrace", log.data, log.n,
							"sp-rtrace-text",
							OPTS({ "leaks", NULL }));
		struct records rs = to_fxt(log.data, log.n, NULL);
		size_t begun = count_events(&rs, "async begin", NULL, NULL);
		size_t ended = count_events(&rs, "async end", NULL, NULL);
		size_t counted = 0;
		char *p = leaks.out.data;

		while ((p = strstr(p, "# Resource - "))) {
			unsigned long long blocks, bytes;
			char type[64], name[96];
			json_object *last = NULL, *never;

			assert_int_equal(sscanf(p, "# Resource - %63s %*[^\n]\n# %llu block(s) leaked with total size of %llu bytes",
						type, &blocks, &bytes), 3);
			for (size_t k = 0; k < rs.n; k++)
				if (is_event(rs.r[k], "counter", type, NULL))
					last = rs.r[k];
			if (last) {
				snprintf(name, sizeof(name), "%s bytes", type);
				assert_int_equal(strtoull(arg_text(last, name), NULL, 10), bytes);
				snprintf(name, sizeof(name), "%s blocks", type);
				assert_int_equal(strtoull(arg_text(last, name), NULL, 10), blocks);
				never = nth_event(&rs, "instant", type, "never freed", 0);
				assert_non_null(never);
				assert_int_equal(strtoull(arg_text(never, "blocks"), NULL, 10), blocks);
				assert_int_equal(strtoull(arg_text(never, "bytes"), NULL, 10), bytes);
			} else {
				assert_int_equal(blocks, 0);
			}
			counted += blocks;
			p++;
		}
		assert_int_equal(begun - ended, counted);
		for (size_t k = 0; k < rs.n; k++) {
			json_object *args;

			if (!is_event(rs.r[k], "counter", NULL, NULL))
				continue;
			json_object_object_get_ex(rs.r[k], "args", &args);
			for (size_t a = 0; a < 2; a++)
				assert_true(rec_number(json_object_array_get_idx(args, a),
						       "value") >= 0);
		}
		records_free(&rs);
		conversion_free(&leaks);
		bytes_free(&log);
	}
}

/* ---- the log itself ---- */

static void the_log_is_described(void **state)
{
	struct bytes log = sprt_sample("64/pagemap.rtrace");
	struct records rs = to_fxt(log.data, log.n, NULL);
	json_object *rec;

	(void)state;
	rec = nth_event(&rs, "instant", "metadata", "process", 0);
	assert_string_equal(arg_text(rec, "name"), "bin/leaky");
	assert_string_equal(arg_text(rec, "pid"), "27394");
	assert_string_equal(arg_text(rec, "time"), "1795163226.261967");
	assert_string_equal(arg_text(rec, "backtrace_depth"), "10");
	assert_int_equal(rec_process(rec), 27394);
	assert_int_equal(rec_number(rec, "timestamp"), 1795163226261967000);
	rec = nth_event(&rs, "instant", "metadata", "log", 0);
	assert_string_equal(arg_text(rec, "version"), "2.0");
	assert_string_equal(arg_text(rec, "arch"), "x86_64");
	assert_int_equal(count_events(&rs, "instant", "metadata", "map"), 11);
	rec = nth_event(&rs, "instant", "metadata", "map", 0);
	assert_string_equal(arg_text(rec, "path"), "/opt/sprtrace/samples/bin/leaky");
	assert_string_equal(arg_text(rec, "from"), "0x401000");
	assert_string_equal(arg_text(rec, "to"), "0x402000");
	assert_int_equal(count_events(&rs, "instant", "metadata", "module"), 3);
	assert_int_equal(count_events(&rs, "instant", "metadata", "context"), 3);
	rec = nth_event(&rs, "instant", "metadata", "attachment", 1);
	assert_string_equal(arg_text(rec, "name"), "pageflags");
	assert_string_equal(arg_text(rec, "path"), "27394-pagemap-pageflags-0");
	/* Contexts are named where they are used. */
	rec = nth_event(&rs, "instant", "memory", "malloc", 9);
	assert_string_equal(arg_text(rec, "context"), "0x3");
	assert_string_equal(arg_text(rec, "context_names"), "startup, main loop");
	records_free(&rs);
	bytes_free(&log);

	log = sprt_sample("64/leaky-heap.rtrace");
	rs = to_fxt(log.data, log.n, NULL);
	rec = nth_event(&rs, "instant", "metadata", "heap", 0);
	assert_string_equal(arg_text(rec, "heap top"), "0x35248000");
	assert_string_equal(arg_text(rec, "total free space"), "124672");
	records_free(&rs);
	bytes_free(&log);
}

static void damage_is_reported(void **state)
{
	struct bytes log = sprt_sample("64/cut.rtrace");
	struct records rs = to_fxt(log.data, log.n, NULL);
	json_object *rec;

	(void)state;
	rec = nth_event(&rs, "instant", "metadata", "damaged input", 0);
	assert_string_equal(arg_text(rec, "count"), "1");
	records_free(&rs);
	bytes_free(&log);
}

/* ---- made logs ---- */

/* Timestamps in a log are times of day; they go on after midnight. */
static void days_are_unwrapped(void **state)
{
	static const uint32_t ms[] = { 86399000, 86399999, 1, 50, 49, 86399000, 0, 2 };
	static const int64_t want[] = { 0, 999, 1001, 1050, 1049, 86400000,
					86400000, 86401002 };
	struct made m = { .major = 2, .ptr = 4 };
	struct records rs;

	(void)state;
	made_start(&m, "i686");
	/* too many microseconds: whole seconds of them are dropped */
	made_process(&m, 7, 1000, 1500000, 1, "a");
	for (uint32_t i = 0; i < 8; i++)
		made_call(&m, 0, 0, ms[i], 1, "f", 0, 0);
	rs = to_fxt(m.b.data, m.b.n, NULL);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(rec_number(nth_event(&rs, "instant", NULL, "f", i),
					    "timestamp"),
				 1000500000000 + want[i] * 1000000);
	assert_string_equal(arg_text(nth_event(&rs, "instant", "metadata", "clock", 0),
				     "uptime_of_day_us"), "86399000000");
	records_free(&rs);
	bytes_free(&m.b);
}

/* Calls without times keep their order. */
static void calls_without_time_keep_their_order(void **state)
{
	struct made m = { .major = 2, .ptr = 4 };
	struct records rs;

	(void)state;
	made_start(&m, "i686");
	made_process(&m, 7, 1000, 0, 1, "a");
	for (uint32_t i = 0; i < 3; i++)
		made_call(&m, 0, 0, 0, 2, "f", 1, i);
	rs = to_fxt(m.b.data, m.b.n, NULL);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(rec_number(nth_event(&rs, "instant", NULL, "f", i),
					    "timestamp"),
				 1000000000000 + (i + 1) * 1000);
	assert_int_equal(count_events(&rs, "instant", "metadata", "clock"), 1);
	records_free(&rs);
	bytes_free(&m.b);
}

/* Calls of several threads can be slightly out of order: each keeps its own time, if possible. */
static void calls_out_of_order_keep_their_time(void **state)
{
	(void)state;
	for (uint32_t sec = 0; sec < 1000; sec += 999) {
		struct made m = { .major = 2, .ptr = 4 };
		struct records rs;

		made_start(&m, "i686");
		made_process(&m, 7, sec, 0, 1, "a");
		made_call(&m, 0, 0, 5000, 2, "f", 1, 1);
		made_trace(&m, 0, 0);
		made_call(&m, 0, 0, 4000, 2, "f", 1, 2);
		made_trace(&m, 0, 0);
		rs = to_fxt(m.b.data, m.b.n, NULL);
		assert_int_equal(rec_number(nth_event(&rs, "instant", NULL, "f", 1), "timestamp"),
				 sec ? rec_number(nth_event(&rs, "instant", NULL, "f", 0), "timestamp") - 1000000000 : 0);
		records_free(&rs);
		bytes_free(&m.b);
	}
}

/* Call numbers in a report can be arbitrary; the times made from them stay valid. */
static void times_from_arbitrary_call_numbers(void **state)
{
	static const char report[] =
		"version=2.0, arch=x86_64, process=a, pid=1,\x20\n"
		"5. f(1) = 0x1\n1099511627786. f(1) = 0x2\n2199023255567. f(1) = 0x3\n";
	struct conversion c = sprt_convert("sp-rtrace-text", report, strlen(report), "fxt", NULL);
	struct records rs = fxt_records(c.out.data, c.out.n);
	int64_t first = rec_number(nth_event(&rs, "instant", NULL, "f", 0), "timestamp");

	(void)state;
	for (int i = 1; i < 3; i++)
		assert_int_equal(rec_number(nth_event(&rs, "instant", NULL, "f", (size_t)i), "timestamp"),
				 first + 5000 * i);
	records_free(&rs);
	conversion_free(&c);
}

/* More and longer arguments than an event can have: none is lost. */
static void long_arguments_are_complete(void **state)
{
	struct made m = { .major = 2, .ptr = 8 };
	struct records rs;
	json_object *rec;
	char *value = xmalloc(65001), name[32], *joined, *type;
	size_t found = 0;

	(void)state;
	memset(value, 'v', 65000);
	value[65000] = '\0';
	made_start(&m, "x86_64");
	made_process(&m, 7, 1000, 0, 1, "a");
	type = xmemdup(value, 40001);
	type[40000] = '\0';
	made_resource(&m, 1, 0, type, value);
	made_call(&m, 1, 0, 1, 2, type, 1, 1);
	made_packet(&m, "ARGS");
	made_u32(&m, 42);
	for (unsigned int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "arg%u", i % 20);
		made_str(&m, name);
		made_str(&m, i == 3 ? value : name);
	}
	made_str(&m, "binary");
	made_str(&m, "a\xff\xfe");
	made_str(&m, type);
	made_str(&m, "last");
	made_end(&m);
	made_trace(&m, 0x100000000000, 5000);
	rs = to_fxt(m.b.data, m.b.n, NULL);

	joined = xcalloc(200000, 1);
	for (size_t i = 0; i < rs.n; i++) {
		json_object *args, *a;

		if (!is_call(rs.r[i]))
			continue;
		json_object_object_get_ex(rs.r[i], "args", &args);
		for (size_t k = 0; k < json_object_array_length(args); k++) {
			const char *arg;

			a = json_object_array_get_idx(args, k);
			arg = rec_text(a, "name");
			if (!strncmp(arg, "$arg", 4) && !strchr(arg, '['))
				found++;
			if (!strncmp(arg, "backtrace", 9))
				strcat(joined, rec_text(a, "value"));
			if (!strcmp(arg, "$binary"))
				assert_string_equal(rec_text(a, "value"),
						    "a\xef\xbf\xbd\xef\xbf\xbd");
			if (!strcmp(arg, "$binary_hex"))
				assert_string_equal(rec_text(a, "value"), "61fffe");
		}
	}
	assert_int_equal(found, 40);
	assert_int_equal(sprt_count_lines(joined, "0x1000000"), 5000);
	rec = nth_event(&rs, "instant", NULL, NULL, 0);
	assert_non_null(rec);
	free(joined);
	free(type);
	free(value);
	records_free(&rs);
	bytes_free(&m.b);
}

/* Koids are pids where possible, never 0, and never shared by two processes. */
static void koids_are_unique(void **state)
{
	static const struct { uint32_t pid; const char *name; } made[] = {
		{ 5, "a" }, { 5, "a" }, { 5, "b" }, { 0, "c" }, { 0xffffffff, "d" },
		{ 6, "e" }, { 5, "a" },
	};
	struct made m = { .major = 2, .ptr = 4 };
	int64_t koid[7];
	struct records rs;

	(void)state;
	for (int i = 0; i < 7; i++) {
		made_start(&m, "i686");
		if (i != 3)
			made_process(&m, made[i].pid, 1000 + (uint32_t)i, 0, 1,
				     made[i].name);
		made_call(&m, 0, 0, 1, 2, "f", 1, 1);
	}
	rs = to_fxt(m.b.data, m.b.n, NULL);
	for (size_t i = 0; i < 7; i++)
		koid[i] = rec_process(nth_event(&rs, "instant", NULL, "f", i));
	assert_int_equal(koid[0], 5);
	assert_int_equal(koid[1], 5);
	assert_int_equal(koid[5], 6);
	for (int i = 0; i < 7; i++) {
		assert_true(koid[i] > 0 && koid[i] <= UINT32_MAX);
		for (int k = 2; k < i; k++)
			assert_true(koid[i] != koid[k]);
	}
	/* Blocks of a log do not continue in the next one. */
	assert_int_equal(count_events(&rs, "async begin", NULL, NULL), 7);
	assert_int_equal(count_events(&rs, "instant", NULL, "never freed"), 7);
	records_free(&rs);
	bytes_free(&m.b);
}

/* Two resources of one type have separate counters. */
static void resources_have_separate_counters(void **state)
{
	struct made m = { .major = 2, .ptr = 4 };
	struct records rs;

	(void)state;
	made_start(&m, "i686");
	made_process(&m, 7, 1000, 0, 1, "a");
	made_resource(&m, 1, 0, "fd", "one");
	made_resource(&m, 2, 0, "fd", "two");
	made_resource(&m, 40, 0, "no", "not a resource that can be");
	made_call(&m, 1, 0, 1, 2, "f", 1, 1);
	made_call(&m, 2, 0, 1, 2, "f", 1, 1);
	made_call(&m, 40, 0, 1, 2, "f", 1, 1);
	rs = to_fxt(m.b.data, m.b.n, NULL);
	assert_int_equal(count_events(&rs, "counter", "fd", "live fd"), 1);
	assert_int_equal(count_events(&rs, "counter", "fd 2", "live fd 2"), 1);
	assert_int_equal(count_events(&rs, "counter", "unknown resource", NULL), 1);
	records_free(&rs);
	bytes_free(&m.b);
}

/* Names that a viewer would misinterpret are changed; the original is in an argument. */
static void misleading_names_are_changed(void **state)
{
	struct made m = { .major = 2, .ptr = 4 };
	struct records rs;
	json_object *rec;

	(void)state;
	made_start(&m, "i686");
	made_process(&m, 7, 1000, 0, 1, "frame");
	made_resource(&m, 1, 0, "frame", "frames");
	made_call(&m, 1, 0, 1, 2, "frame_of_frames", 1, 1);
	made_call(&m, 1, 0, 1, 2, "caf\xe9", 1, 1);
	rs = to_fxt(m.b.data, m.b.n, NULL);
	rec = nth_event(&rs, "instant", "frame", "Frame_of_Frames", 0);
	assert_non_null(rec);
	assert_string_equal(arg_text(rec, "function"), "frame_of_frames");
	assert_int_equal(count_events(&rs, "async begin", "frame", "frame_of_frames"), 1);
	rec = nth_event(&rs, "instant", "frame", "caf\xef\xbf\xbd", 0);
	assert_non_null(rec);
	assert_string_equal(arg_text(rec, "function_hex"), "636166e9");
	records_free(&rs);
	bytes_free(&m.b);
}

/* Times that go back and resources that change their names still give a valid file. */
static void damaged_logs_give_valid_fxt(void **state)
{
	struct made m = { .major = 2, .ptr = 4 };
	struct records rs;

	(void)state;
	made_start(&m, "i686");
	made_process(&m, 7, 1000, 0, 1, "a");
	made_call(&m, 1, 0, 5000, 2, "f", 100, 1);
	made_resource(&m, 1, 0, "late", "described after its first block");
	made_call(&m, 1, 0, 4000, 1, "g", 0, 1);
	made_resource(&m, 1, 0, "later", "and again");
	made_call(&m, 1, 0, 4000, 2, "f", 7, 1);
	rs = to_fxt(m.b.data, m.b.n, NULL);
	assert_int_equal(count_events(&rs, "async end", "unknown resource", "f"), 1);
	assert_int_equal(count_events(&rs, "instant", "later", "never freed"), 1);
	records_free(&rs);
	bytes_free(&m.b);
}

/* A text report gives the same events as its binary log, except for fractions of the second. */
static void reports_give_same_events_as_logs(void **state)
{
	struct bytes text = sprt_sample("64/mt.c.txt");
	struct bytes log = sprt_sample("64/mt.rtrace");
	struct records b = to_fxt(log.data, log.n, NULL), t;
	struct conversion r;

	(void)state;
	setenv("TZ", "UTC", 1);
	r = sprt_convert("sp-rtrace-text", text.data, text.n, "fxt", NULL);
	assert_fxt_clean(r.out.data, r.out.n);
	t = fxt_records(r.out.data, r.out.n);
	for (size_t i = 0;; i++) {
		json_object *x = nth_event(&b, NULL, "memory", NULL, i);
		json_object *y = nth_event(&t, NULL, "memory", NULL, i);

		if (!x) {
			assert_null(y);
			assert_true(i > 400);
			break;
		}
		assert_non_null(y);
		assert_string_equal(rec_text(x, "event"), rec_text(y, "event"));
		assert_string_equal(rec_text(x, "name"), rec_text(y, "name"));
		assert_string_equal(arg_text(x, "number"), arg_text(y, "number"));
		assert_string_equal(arg_text(x, "backtrace"), arg_text(y, "backtrace"));
		assert_int_equal(rec_number(x, "timestamp") - 649951000,
				 rec_number(y, "timestamp"));
	}
	records_free(&b);
	records_free(&t);
	conversion_free(&r);
	bytes_free(&text);
	bytes_free(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_instants),
		cmocka_unit_test(blocks_are_spans_and_counters),
		cmocka_unit_test(the_log_is_described),
		cmocka_unit_test(damage_is_reported),
		cmocka_unit_test(days_are_unwrapped),
		cmocka_unit_test(calls_without_time_keep_their_order),
		cmocka_unit_test(calls_out_of_order_keep_their_time),
		cmocka_unit_test(times_from_arbitrary_call_numbers),
		cmocka_unit_test(long_arguments_are_complete),
		cmocka_unit_test(koids_are_unique),
		cmocka_unit_test(resources_have_separate_counters),
		cmocka_unit_test(misleading_names_are_changed),
		cmocka_unit_test(damaged_logs_give_valid_fxt),
		cmocka_unit_test(reports_give_same_events_as_logs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
