// SPDX-License-Identifier: GPL-2.0
/*
 * SWAP to FXT: the trace is compared with the dumps of the streams. Names, times and values
 * are computed here from the text of the dump, not from the stream.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common_fxt.h"
#include "common_swap.h"

#define MAX_LINES 1000

/* One message of a dump. */
struct line {
	char kind[40];
	uint64_t time;
	unsigned long long pid, tid, pc, cpu, api_bytes, addr;
	const char *text;	/* the lines after the header */
	unsigned int lost;
};

struct dump {
	struct bytes text;
	struct line lines[MAX_LINES];
	size_t n;
	uint64_t zero;		/* start of the trace */
};

static void number(const char *text, const char *end, const char *key, unsigned long long *v)
{
	char pattern[32];
	const char *p;

	snprintf(pattern, sizeof(pattern), " %s=", key);
	p = memmem(text, (size_t)(end - text), pattern, strlen(pattern));
	if (p)
		*v = strtoull(p + strlen(pattern), NULL, 0);
}

static void read_dump(struct dump *d, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "swap/%s.dump.txt", name);
	d->text = fixture(path);
	for (const char *p = strchr(d->text.data, '@'); p && d->n < MAX_LINES;) {
		struct line *l = &d->lines[d->n++];
		const char *end = strstr(p, "\n@");
		unsigned long long sec, nsec;

		assert_int_equal(sscanf(p, "@%*u %39s id=%*x seq=%*u time=%llu.%llu", l->kind, &sec,
					&nsec), 3);
		l->time = sec * 1000000000 + nsec;
		l->text = strchr(p, '\n');
		if (memmem(p, (size_t)(l->text - p), "<-- 1 lost", 10))
			l->lost = 1;
		if (!end)
			end = p + strlen(p);
		number(l->text, end, "pid", &l->pid);
		number(l->text, end, "tid", &l->tid);
		number(l->text, end, "pc", &l->pc);
		number(l->text, end, "cpu", &l->cpu);
		number(l->text, end, "size", &l->api_bytes);
		number(l->text, end, "addr", &l->addr);
		p = *end ? end + 1 : NULL;
	}
	/* the trace starts with the first message, or with a setup stage that began earlier */
	d->zero = d->lines[0].time;
	for (const char *p = d->text.data; (p = strstr(p, " begin=")); p++) {
		unsigned long long sec, nsec;

		assert_int_equal(sscanf(p, " begin=%llu.%llu", &sec, &nsec), 2);
		nsec += sec * 1000000000;
		if (nsec < d->zero)
			d->zero = nsec;
	}
	for (size_t i = 0; i < d->n; i++)
		d->lines[i].time -= d->zero;
}

static struct bytes to_fxt(const char *name, const struct opt_given *given)
{
	struct conversion c;
	struct bytes in;
	char path[64];

	snprintf(path, sizeof(path), "swap/%s.bin", name);
	in = fixture(path);
	c = convert("swap", "fxt", in.data, in.n, given);
	bytes_free(&in);
	bytes_free(&c.messages);
	assert_fxt_clean(c.out.data, c.out.n);
	return c.out;
}

/* The next record from @i on that matches @event, @category and @name. */
static json_object *next_event(const struct records *rs, size_t *i, const char *event,
			       const char *category, const char *name)
{
	while (*i < rs->n) {
		json_object *rec = rs->r[(*i)++];

		if (is_event(rec, event, category, name))
			return rec;
	}
	return NULL;
}

/* Library and offset, according to the mappings in the session's dump. */
static void session_location(unsigned long long pc, char *buf, size_t size)
{
	if (pc >= 0xb6f00000 && pc < 0xb6f20000)
		snprintf(buf, size, "libfoo.so.0.0.0+0x%llx", pc - 0xb6f00000);
	else if (pc >= 0x8000 && pc < 0x1f000)
		snprintf(buf, size, "app+0x%llx", pc - 0x8000);
	else
		fail();
}

/* Entries and exits of functions: all are there, in order and with their names. */
static void test_functions(void **state)
{
	static struct dump d;
	struct bytes fxt = to_fxt("swap42-session", NULL);
	struct records rs = fxt_records(fxt.data, fxt.n);
	size_t begin = 0, end = 0, entries = 0;
	char name[64];

	(void)state;
	read_dump(&d, "swap42-session");
	for (size_t i = 0; i < d.n; i++) {
		const struct line *l = &d.lines[i];
		bool entry = !strcmp(l->kind, "FUNCTION_ENTRY");
		json_object *rec;

		if (!entry && strcmp(l->kind, "FUNCTION_EXIT"))
			continue;
		entries += entry;
		session_location(l->pc, name, sizeof(name));
		rec = entry ? next_event(&rs, &begin, "duration begin", "function", NULL) :
			      next_event(&rs, &end, "duration end", "function", NULL);
		assert_non_null(rec);
		assert_string_equal(rec_text(rec, "name"), name);
		assert_int_equal(rec_number(rec, "timestamp"), l->time);
		assert_int_equal(rec_process(rec), l->pid);
		assert_int_equal(rec_thread(rec), l->tid);
		assert_non_null(rec_arg(rec, entry ? "args" : "end_pc"));
	}
	assert_int_equal(entries, 138);
	assert_null(next_event(&rs, &begin, "duration begin", NULL, NULL));
	assert_null(next_event(&rs, &end, "duration end", NULL, NULL));
	records_free(&rs);
	bytes_free(&fxt);
	bytes_free(&d.text);
}

static void test_samples(void **state)
{
	static struct dump d;
	struct bytes fxt = to_fxt("swap42-session", NULL);
	struct records rs = fxt_records(fxt.data, fxt.n);
	size_t at = 0, n = 0;
	char text[64];

	(void)state;
	read_dump(&d, "swap42-session");
	for (size_t i = 0; i < d.n; i++) {
		const struct line *l = &d.lines[i];
		json_object *rec;

		if (strcmp(l->kind, "SAMPLE"))
			continue;
		n++;
		rec = next_event(&rs, &at, "instant", "sample", "sample");
		assert_non_null(rec);
		assert_int_equal(rec_number(rec, "timestamp"), l->time);
		assert_int_equal(rec_thread(rec), l->tid);
		snprintf(text, sizeof(text), "0x%llx", l->pc);
		assert_string_equal(json_object_get_string(rec_arg(rec, "pc")), text);
		session_location(l->pc, text, sizeof(text));
		assert_string_equal(json_object_get_string(rec_arg(rec, "location")), text);
		assert_int_equal(json_object_get_int(rec_arg(rec, "cpu")), l->cpu);
	}
	assert_int_equal(n, 73);
	assert_null(next_event(&rs, &at, "instant", "sample", NULL));
	records_free(&rs);
	bytes_free(&fxt);
	bytes_free(&d.text);
}

/* Live bytes after each allocation and free, replayed from the dump. */
static void test_live_bytes(void **state)
{
	static struct dump d;
	struct bytes fxt = to_fxt("swap42-session", NULL);
	struct records rs = fxt_records(fxt.data, fxt.n);
	struct { unsigned long long addr, size; } live[200] = { 0 };
	unsigned long long bytes = 0, blocks = 0;
	size_t at = 0, n = 0;

	(void)state;
	read_dump(&d, "swap42-session");
	for (size_t i = 0; i < d.n; i++) {
		const struct line *l = &d.lines[i];
		json_object *rec;
		size_t k = 0;

		if (strcmp(l->kind, "PROBE_MEMORY"))
			continue;
		n++;
		if (strstr(l->text, "api=424(malloc)") && l->api_bytes) {
			while (live[k].addr)
				k++;
			live[k].addr = l->addr;
			live[k].size = l->api_bytes;
			bytes += l->api_bytes;
			blocks++;
		} else {
			while (live[k].addr != l->addr)
				k++;
			live[k].addr = 0;
			bytes -= live[k].size;
			blocks--;
		}
		rec = next_event(&rs, &at, "counter", "system", "live memory");
		assert_non_null(rec);
		assert_int_equal(rec_number(rec, "timestamp"), l->time);
		assert_int_equal(json_object_get_int64(rec_arg(rec, "live_bytes")), bytes);
		assert_int_equal(json_object_get_int64(rec_arg(rec, "live_blocks")), blocks);
	}
	assert_int_equal(n, 95);
	assert_int_equal(count_events(&rs, "instant", "memory", NULL), 95);
	records_free(&rs);
	bytes_free(&fxt);
	bytes_free(&d.text);
}

/* The last thread that left a CPU, according to the dump. */
struct left {
	bool there;
	uint64_t time;
	unsigned long long tid;
};

static int64_t side(json_object *rec, const char *which)
{
	json_object *t;

	assert_true(json_object_object_get_ex(rec, which, &t));
	return rec_number(t, "thread");
}

static void expect_switch(const struct records *rs, uint64_t time, unsigned int cpu,
			  unsigned long long out, unsigned long long in)
{
	for (size_t i = 0; i < rs->n; i++) {
		json_object *rec = rs->r[i];

		if (!strcmp(rec_text(rec, "record"), "scheduling") &&
		    (uint64_t)rec_number(rec, "timestamp") == time &&
		    (unsigned int)rec_number(rec, "cpu") == cpu &&
		    side(rec, "outgoing") == (int64_t)out && side(rec, "incoming") == (int64_t)in)
			return;
	}
	fail_msg("no switch at %llu on %u from %llu to %llu", (unsigned long long)time, cpu, out, in);
}

static void test_switches(void **state)
{
	static struct dump d;
	struct bytes fxt = to_fxt("swap42-session", NULL);
	struct records rs = fxt_records(fxt.data, fxt.n);
	struct left left[2] = { 0 };
	size_t expected = 0, found = 0;

	(void)state;
	read_dump(&d, "swap42-session");
	for (size_t i = 0; i < d.n; i++) {
		const struct line *l = &d.lines[i];
		struct left *of = &left[l->cpu];

		if (!strcmp(l->kind, "CONTEXT_SWITCH_ENTRY")) {
			if (of->there)
				expect_switch(&rs, of->time, (unsigned int)l->cpu, of->tid, 0);
			expected += of->there;
			*of = (struct left){ true, l->time, l->tid };
		} else if (!strcmp(l->kind, "CONTEXT_SWITCH_EXIT")) {
			bool one = of->there && of->tid != l->tid &&
				   l->time - of->time <= 10000000;

			if (of->there && !one)
				expect_switch(&rs, of->time, (unsigned int)l->cpu, of->tid, 0);
			expected += of->there && !one;
			expect_switch(&rs, l->time, (unsigned int)l->cpu, one ? of->tid : 0, l->tid);
			expected++;
			of->there = false;
		}
	}
	for (unsigned int cpu = 0; cpu < 2; cpu++)
		if (left[cpu].there) {
			expect_switch(&rs, left[cpu].time, cpu, left[cpu].tid, 0);
			expected++;
		}
	for (size_t i = 0; i < rs.n; i++)
		found += !strcmp(rec_text(rs.r[i], "record"), "scheduling");
	assert_int_equal(found, expected);
	assert_true(found > 60);
	records_free(&rs);
	bytes_free(&fxt);
	bytes_free(&d.text);
}

static double counter_value(const struct records *rs, const char *name, const char *arg,
			    size_t which)
{
	size_t at = 0;
	json_object *rec;

	while ((rec = next_event(rs, &at, "counter", NULL, name)))
		if (rec_arg(rec, arg) && !which--)
			return json_object_get_double(rec_arg(rec, arg));
	fail_msg("no %s in counter %s", arg, name);
	return 0;
}

static void test_system_counters(void **state)
{
	struct bytes fxt = to_fxt("swap42-arm", NULL);
	struct records rs = fxt_records(fxt.data, fxt.n);

	(void)state;
	assert_int_equal(count_events(&rs, "counter", NULL, "cpu load"), 2);
	assert_true(counter_value(&rs, "cpu load", "load of cpu 0", 0) == 12.5);
	assert_true(counter_value(&rs, "cpu load", "load of cpu 3", 0) == 99.5);
	assert_true(counter_value(&rs, "cpu load", "load of cpu 3", 1) == 0);
	assert_true(counter_value(&rs, "cpu frequency", "frequency of cpu 1", 0) == 800000);
	assert_true(counter_value(&rs, "memory", "memory_used", 0) == 734003200);
	assert_true(counter_value(&rs, "drive", "used_drive", 0) == 2048);
	assert_true(counter_value(&rs, "disk", "disk_write_amount", 0) == 44);
	assert_true(counter_value(&rs, "network", "net_received", 0) == 66);
	assert_true(counter_value(&rs, "devices", "voltage", 0) == 4200000);
	assert_true(counter_value(&rs, "energy", "energy", 0) == 1500);
	assert_true(counter_value(&rs, "energy of devices", "energy of device 4", 0) == 500);
	assert_true(counter_value(&rs, "energy of the application",
				  "application's energy of device 2", 0) == 30);
	assert_true(counter_value(&rs, "process load", "load", 0) == 4.75);
	assert_true(counter_value(&rs, "process memory", "alloc", 0) == 1234567);
	assert_true(counter_value(&rs, "thread load", "load of thread 502", 0) == 1.25);
	assert_true(counter_value(&rs, "other process load", "load of other process 77", 0) == 7);
	records_free(&rs);
	bytes_free(&fxt);
}

/* Every kind of message in the second stream has its representation. */
static void test_every_message_kind(void **state)
{
	char map[4096];
	struct bytes fxt;
	struct records rs;
	size_t at;
	json_object *rec;

	(void)state;
	snprintf(map, sizeof(map), "%s/swap/api_map.txt", getenv("ETRACE_DATA") ?: "data");
	/* a stale errno must not be reported for the map */
	errno = ERANGE;
	fxt = to_fxt("swap42-arm", OPTIONS({ "swap-api-map", map }));
	rs = fxt_records(fxt.data, fxt.n);

	/* Setup stages have their own begin and end. */
	at = 0;
	rec = next_event(&rs, &at, "duration complete", "setup", "mapping");
	assert_non_null(rec);
	/* the first one begins the trace, a second before the first message */
	assert_int_equal(rec_number(rec, "timestamp"), 0);
	assert_int_equal(rec_number(rec, "end_time"), 250000000);
	at = 0;
	rec = next_event(&rs, &at, "instant", "metadata", "clock");
	assert_int_equal(rec_number(rec, "timestamp"), 0);
	assert_int_equal(json_object_get_int64(rec_arg(rec, "wall_clock_ns")), 1467981233000000100);
	assert_string_equal(json_object_get_string(rec_arg(rec, "wall_clock")),
			    "1467981233.000000100");
	assert_int_equal(count_events(&rs, "duration complete", "setup", NULL), 3);

	/* Web steps are async spans, web functions are durations. */
	for (unsigned int i = 0; i < 3; i++) {
		static const char *const names[] = {
			"resource load", "resource processing", "draw"
		};

		assert_int_equal(count_events(&rs, "async begin", "web", names[i]), 1);
		assert_int_equal(count_events(&rs, "async end", "web", names[i]), 1);
	}
	at = 0;
	rec = next_event(&rs, &at, "async begin", "web", "resource load");
	assert_string_equal(json_object_get_string(rec_arg(rec, "path")),
			    "http://example.org/index.html");
	at = 0;
	rec = next_event(&rs, &at, "duration begin", "web", "onClick");
	assert_string_equal(json_object_get_string(rec_arg(rec, "url")),
			    "file:///res/js/main.js?x");
	assert_int_equal(count_events(&rs, "duration end", "web", "onClick"), 1);

	/* A system call is named by its address, since the kernel has no mappings. */
	at = 0;
	rec = next_event(&rs, &at, "duration begin", "syscall", "0xc00a1000");
	assert_string_equal(json_object_get_string(rec_arg(rec, "class")), "file");
	assert_string_equal(json_object_get_string(rec_arg(rec, "args")),
			    "\"/opt/usr/media/../media/a file.txt\", 66, 420");
	assert_int_equal(count_events(&rs, "duration end", "syscall", "0xc00a1000"), 1);

	/* File functions. */
	assert_int_equal(count_events(&rs, "duration begin", "file_function", "file open"), 1);
	assert_int_equal(count_events(&rs, "duration begin", "file_function", "file read start"), 1);
	assert_int_equal(count_events(&rs, "duration end", "file_function", NULL), 3);

	/* Blocking probes are durations with the result at the end. */
	assert_int_equal(count_events(&rs, "duration begin", "file", "read"), 1);
	at = 0;
	rec = next_event(&rs, &at, "duration end", "file", "read");
	assert_int_equal(json_object_get_int(rec_arg(rec, "return")), 512);
	assert_int_equal(json_object_get_int(rec_arg(rec, "end_size")), 512);
	assert_int_equal(count_events(&rs, "duration begin", "sync", "pthread_mutex_lock"), 1);
	assert_int_equal(count_events(&rs, "duration end", "sync", "pthread_mutex_lock"), 1);
	/* An end without a begin is kept. */
	assert_int_equal(count_events(&rs, "instant", "network", "end of send"), 1);

	/* Others are instants. */
	at = 0;
	rec = next_event(&rs, &at, "instant", "gl", "api 600");
	assert_string_equal(json_object_get_string(rec_arg(rec, "args")),
			    "2, [1, 2.5, -3]@0x6f654, [7, 9]@0x6f660");
	assert_int_equal(json_object_get_int(rec_arg(rec, "errno")), 1282);
	at = 0;
	rec = next_event(&rs, &at, "instant", "lifecycle", "api 601");
	assert_string_equal(json_object_get_string(rec_arg(rec, "args")),
			    "true, 'Z', -2, 2147483649, 0xdeadbeef, 0.25, -0.5, \"text\"");
	assert_string_equal(json_object_get_string(rec_arg(rec, "return")), "ret text");
	assert_int_equal(count_events(&rs, "instant", "input", "input event"), 2);
	assert_int_equal(count_events(&rs, "instant", "error", "error"), 2);
	assert_int_equal(count_events(&rs, "instant", "fbi", "variable"), 2);
	assert_int_equal(count_events(&rs, "instant", "map", "library"), 8);
	assert_int_equal(count_events(&rs, "instant", "map", "map"), 1);
	assert_int_equal(count_events(&rs, "instant", "map", "unmap"), 1);
	assert_int_equal(count_events(&rs, "instant", "process", "open file"), 2);

	/* realloc moves the block: it remains one block. */
	assert_true(counter_value(&rs, "live memory", "live_bytes", 0) == 4096);
	assert_true(counter_value(&rs, "live memory", "live_bytes", 1) == 8192);
	assert_true(counter_value(&rs, "live memory", "live_blocks", 1) == 1);
	assert_true(counter_value(&rs, "live memory", "live_bytes", 2) == 0);

	/* The loss is at the time when it happened. */
	at = 0;
	rec = next_event(&rs, &at, "instant", "lost", "lost");
	assert_int_equal(json_object_get_int(rec_arg(rec, "count")), 1);
	assert_int_equal(json_object_get_int(rec_arg(rec, "first")), 34);
	assert_int_equal(rec_number(rec, "timestamp"), 1044444312);
	records_free(&rs);
	bytes_free(&fxt);
}

/* If a pid is reused after its process has ended, it is another process. */
static void test_reused_pid(void **state)
{
	struct bytes fxt = to_fxt("swap42-arm", NULL);
	struct records rs = fxt_records(fxt.data, fxt.n);
	int64_t koids[8] = { 0 };
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < rs.n; i++)
		if (!strcmp(rec_text(rs.r[i], "record"), "kernel object") &&
		    rec_number(rs.r[i], "object_type") == FXT_KOBJ_PROCESS &&
		    strstr(rec_text(rs.r[i], "name"), "[501]") &&
		    (!n || koids[n - 1] != rec_number(rs.r[i], "koid")))
			koids[n++] = rec_number(rs.r[i], "koid");
	assert_int_equal(n, 2);
	assert_int_equal(koids[0], 501);
	assert_int_not_equal(koids[1], 501);
	records_free(&rs);
	bytes_free(&fxt);
}

/* Before protocol 4.0, system calls were recorded as functions of the kernel. */
static void test_old_system_calls(void **state)
{
	struct bytes fxt = to_fxt("swap3-arm", NULL);
	struct records rs = fxt_records(fxt.data, fxt.n);

	(void)state;
	assert_int_equal(count_events(&rs, "duration begin", "function", "app+0xabc"), 1);
	assert_int_equal(count_events(&rs, "duration end", "function", "app+0xabc"), 1);
	assert_int_equal(count_events(&rs, "duration begin", "syscall", "0xc00a1000"), 1);
	assert_int_equal(count_events(&rs, "duration end", "syscall", "0xc00a1000"), 1);
	assert_int_equal(count_events(&rs, "instant", "ui_control", NULL), 2);
	assert_int_equal(count_events(&rs, "instant", "scene", NULL), 1);
	records_free(&rs);
	bytes_free(&fxt);
}

static struct records made_records(struct stream *s)
{
	struct conversion c = convert("swap", "fxt", s->b.data, s->b.n, NULL);
	struct records rs;

	assert_int_equal(c.status, 0);
	assert_fxt_clean(c.out.data, c.out.n);
	rs = fxt_records(c.out.data, c.out.n);
	conversion_free(&c);
	sw_free(s);
	return rs;
}

/* The stages that the protocol names, and one more. */
static void test_stages(void **state)
{
	static const char *const names[] = { "mapping", "main", "create", "service", "stage 4" };
	struct stream s = { 0 };
	struct records rs;

	(void)state;
	sw_process_info(&s, 7, "app", SWAP_T0);
	for (uint32_t i = 0; i < 5; i++) {
		sw_begin(&s, 0x0019);
		sw_u32(&s, 7);
		sw_u32(&s, i);
		sw_u32(&s, SWAP_T0);
		sw_u32(&s, 1000 * i);
		sw_u32(&s, SWAP_T0);
		sw_u32(&s, 1000 * i + 500);
		sw_end(&s);
	}
	rs = made_records(&s);
	for (size_t i = 0; i < 5; i++) {
		size_t at = 0;
		json_object *rec = next_event(&rs, &at, "duration complete", "setup", names[i]);

		assert_non_null(rec);
		assert_int_equal(rec_number(rec, "timestamp"), 1000 * i);
		assert_int_equal(rec_number(rec, "end_time"), 1000 * i + 500);
	}
	assert_int_equal(count_events(&rs, NULL, "setup", NULL), 5);
	records_free(&rs);
}

/* Return values of functions: every type, arrays with their address. */
static void test_return_values(void **state)
{
	static const char *const texts[] = {
		"[]@0x10", "[1, -2]@0x10", "[0.5, -1.5]@0x10", "[0.25]@0x10",
	};
	static const uint32_t lengths[] = { 0, 2, 2, 1 };
	struct stream s = { 0 };
	struct records rs;
	size_t at = 0;

	(void)state;
	sw_process_info(&s, 7, "app", SWAP_T0);
	for (unsigned int i = 0; i < 4; i++) {
		sw_entry(&s, 7, 7, 0x8200);
		sw_begin(&s, 0x0009);
		sw_u32(&s, 7);
		sw_u32(&s, 7);
		sw_u64(&s, 0x8200);
		sw_u64(&s, 0x8100);
		sw_u32(&s, 0);
		sw_u8(&s, "DDFW"[i]);
		sw_u64(&s, 0x10);
		sw_u32(&s, lengths[i]);
		if (i == 1) {
			sw_u32(&s, 1);
			sw_u32(&s, (uint32_t)-2);
		} else if (i == 2) {
			sw_f32(&s, 0.5);
			sw_f32(&s, -1.5);
		} else if (i == 3) {
			sw_f64(&s, 0.25);
		}
		sw_end(&s);
	}
	rs = made_records(&s);
	for (unsigned int i = 0; i < 4; i++) {
		json_object *rec = next_event(&rs, &at, "duration end", "function", NULL);

		assert_non_null(rec);
		assert_non_null(rec_arg(rec, "return"));
		assert_string_equal(json_object_get_string(rec_arg(rec, "return")), texts[i]);
	}
	records_free(&rs);
}

/* A process's koid is its pid, if that is in range and has not been used. */
static void test_koids(void **state)
{
	static const uint32_t pids[] = {
		1, 9, 32767, 32768, 65535, 1000000, (1u << 23) - 1, 1u << 23, UINT32_MAX, 32767,
	};
	struct stream s = { 0 };
	struct records rs;
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(pids) / sizeof(*pids); i++) {
		sw_process_info(&s, pids[i], "app", SWAP_T0);
		sw_terminate(&s, pids[i]);
	}
	rs = made_records(&s);
	for (size_t i = 0; i < rs.n; i++) {
		unsigned int pid = 0;

		if (strcmp(rec_text(rs.r[i], "record"), "kernel object") ||
		    rec_number(rs.r[i], "object_type") != FXT_KOBJ_PROCESS ||
		    sscanf(rec_text(rs.r[i], "name"), "app [%u]", &pid) != 1)
			continue;
		assert_true(n < sizeof(pids) / sizeof(*pids));
		assert_int_equal(pid, pids[n]);
		if (pid < 1u << 23 && n < 9)
			assert_int_equal(rec_number(rs.r[i], "koid"), pid);
		else
			assert_true(rec_number(rs.r[i], "koid") >= 1 << 23);
		n++;
	}
	assert_int_equal(n, sizeof(pids) / sizeof(*pids));
	records_free(&rs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_live_bytes),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_system_counters),
		cmocka_unit_test(test_every_message_kind),
		cmocka_unit_test(test_reused_pid),
		cmocka_unit_test(test_old_system_calls),
		cmocka_unit_test(test_stages),
		cmocka_unit_test(test_return_values),
		cmocka_unit_test(test_koids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
