// SPDX-License-Identifier: GPL-2.0
/*
 * The summaries of sp-rtrace logs, SWAP captures and FXT files, compared with counts taken
 * from the dumps that other programs made of the samples. Summaries of etrace events:
 * test_etrace_*.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "common_fxt.h"
#include "common_sprt.h"

static const char *const sprt_samples[] = {
	"32/fileops-mem", "32/leaky", "64/fileops-mem", "64/gobj", "64/leaky",
	"64/leaky-heap", "64/leaky-notime", "64/mt", "64/pagemap", "64/shm",
	"old32/leaky32-v1.1", "old32/leaky32-v1.3", "old32/leaky32-v1.6",
};

static const char *const swap_samples[] = {
	"swap-cut", "swap-seqwrap", "swap3-arm", "swap42-arm", "swap42-session",
};

/* The summary as JSON; the conversion must end with @status. */
static struct json_object *summary(const char *from, const void *data, size_t n, int status)
{
	struct conversion c = convert(from, "stats", data, n, OPTIONS({ "json", NULL }));
	struct json_object *o = json_tokener_parse(c.out.data);

	if (c.status != status)
		fail_msg("status %d, expected %d:\n%s%s", c.status, status, c.messages.data,
			 c.out.data);
	assert_non_null(o);
	conversion_free(&c);
	return o;
}

static uint64_t number(struct json_object *o, const char *key)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v))
		fail_msg("no \"%s\" in %s", key, json_object_to_json_string(o));
	return (uint64_t)json_object_get_int64(v);
}

static const char *string(struct json_object *o, const char *key)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v))
		fail_msg("no \"%s\" in %s", key, json_object_to_json_string(o));
	return json_object_get_string(v);
}

/* The row of a table whose column @key is @value; NULL if none. */
static struct json_object *row(struct json_object *o, const char *table, const char *key,
			       const char *value)
{
	struct json_object *rows;

	if (!json_object_object_get_ex(o, table, &rows))
		fail_msg("no \"%s\" in %s", table, json_object_to_json_string(o));
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *r = json_object_array_get_idx(rows, i);

		if (!strcmp(string(r, key), value))
			return r;
	}
	return NULL;
}

static size_t rows_of(struct json_object *o, const char *table)
{
	struct json_object *rows;

	assert_true(json_object_object_get_ex(o, table, &rows));
	return json_object_array_length(rows);
}

/* ---- sp-rtrace ---- */

/* What a dump contains about a resource; blocks are found by linear search. */
struct counted {
	char type[64];
	bool refcounted;
	uint64_t allocs, frees, live, live_bytes, peak_bytes, alloc_bytes, free_bytes;
	struct block {
		unsigned long long id;
		uint64_t size, refs;
		bool current;	/* not replaced by a later block with this id */
	} blocks[4096];
	size_t nblocks;
};

static struct block *find_block(struct counted *r, unsigned long long id)
{
	for (size_t i = 0; i < r->nblocks; i++)
		if (r->blocks[i].id == id && r->blocks[i].refs && r->blocks[i].current)
			return &r->blocks[i];
	return NULL;
}

static void count_alloc(struct counted *r, unsigned long long id, uint64_t size)
{
	struct block *b = find_block(r, id);

	if (b && r->refcounted) {
		b->refs++;
		return;
	}
	if (b)
		b->current = false;
	assert_true(r->nblocks < sizeof(r->blocks) / sizeof(r->blocks[0]));
	r->blocks[r->nblocks++] = (struct block){ id, size, 1, true };
	r->allocs++;
	r->alloc_bytes += size;
	r->live++;
	r->live_bytes += size;
	if (r->live_bytes > r->peak_bytes)
		r->peak_bytes = r->live_bytes;
}

static void count_free(struct counted *r, unsigned long long id)
{
	struct block *b = find_block(r, id);

	if (!b || --b->refs)
		return;
	r->frees++;
	r->free_bytes += b->size;
	r->live--;
	r->live_bytes -= b->size;
}

/* The resource of the last bit of a mask is like the others. */
static void sprt_last_resource(void **state)
{
	static const char log[] =
		"version=1.0, arch=x86_64\n"
		/* as many as fit without growing */
		"<1> : a (A)\n<2> : b (B)\n<4> : c (C)\n<8> : d (D)\n<10> : e (E)\n"
		"<40000000> : one (One)\n<80000000> : last (Last) [refcount]\n"
		"1. f<last>(3) = 0x1\n2. f<last>(3) = 0x1\n3. f<one>(4) = 0x1\n4. f<one>(4) = 0x1\n";
	struct json_object *o = summary("sp-rtrace-text", log, sizeof(log) - 1, 0);

	(void)state;
	assert_int_equal(number(row(o, "resources", "resource", "last"), "allocated_blocks"), 1);
	assert_int_equal(number(row(o, "resources", "resource", "one"), "allocated_blocks"), 2);
	json_object_put(o);
}

static void sprt_counts(void **state)
{
	static struct counted res[40];

	(void)state;
	for (size_t i = 0; i < sizeof(sprt_samples) / sizeof(sprt_samples[0]); i++) {
		uint64_t calls = 0, types[3] = { 0 }, first = 0, last = 0;
		char path[200], *line, *save;
		struct bytes log, dump;
		struct json_object *o;

		memset(res, 0, sizeof(res));
		snprintf(path, sizeof(path), "sp-rtrace/%s.rtrace", sprt_samples[i]);
		log = fixture(path);
		snprintf(path, sizeof(path), "sp-rtrace/%s.rtrace.dump.txt", sprt_samples[i]);
		dump = fixture(path);
		o = summary("sp-rtrace", log.data, log.n, 0);
		for (line = strtok_r(dump.data, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save)) {
			unsigned int id, type, size, flags = 0;
			unsigned long long block, ts;
			char name[64];

			/* 1.0 writes REEE for RESR, CAAA for CALL */
			if (sscanf(line, "@%*u RE%*s len=%*u id=%u flags=%x type='%63[^']'", &id,
				   &flags, name) == 3) {
				assert_true(id < 40);
				strcpy(res[id].type, name);
				res[id].refcounted = flags & 1;
			}
			if (sscanf(line, "@%*u CA%*s len=%*u #%*u res=%u ctx=%*x ts=%llu type=%u name='%63[^']' size=%u id=%llx",
				   &id, &ts, &type, name, &size, &block) != 6)
				continue;
			calls++;
			assert_true(type < 3 && id < 40);
			types[type]++;
			if (ts && (!first || ts < first))
				first = ts;
			if (ts > last)
				last = ts;
			if (type == 2)
				count_alloc(&res[id], block, size);
			else if (type == 1)
				count_free(&res[id], block);
		}
		assert_true(calls > 0);
		assert_int_equal(number(o, "calls"), calls);
		assert_int_equal(number(o, "allocations"), types[2]);
		assert_int_equal(number(o, "frees"), types[1]);
		assert_int_equal(number(o, "other_calls"), types[0]);
		if (first)
			assert_int_equal(number(o, "wall_ns"), (last - first) * 1000000);
		else
			assert_false(json_object_object_get_ex(o, "wall_ns", NULL));
		for (size_t k = 0; k < 40; k++) {
			struct json_object *r;

			if (!res[k].type[0])
				continue;
			r = row(o, "resources", "resource", res[k].type);
			assert_non_null(r);
			assert_int_equal(number(r, "allocated_blocks"), res[k].allocs);
			assert_int_equal(number(r, "allocated_bytes"), res[k].alloc_bytes);
			assert_int_equal(number(r, "freed_blocks"), res[k].frees);
			assert_int_equal(number(r, "freed_bytes"), res[k].free_bytes);
			assert_int_equal(number(r, "never_freed_blocks"), res[k].live);
			assert_int_equal(number(r, "never_freed_bytes"), res[k].live_bytes);
			assert_int_equal(number(r, "peak_bytes"), res[k].peak_bytes);
		}
		json_object_put(o);
		bytes_free(&log);
		bytes_free(&dump);
	}
}

/* Compare with the numbers that sp-rtrace-postproc printed, and with those of a report. */
static void sprt_leaks(void **state)
{
	struct bytes b = fixture("sp-rtrace/64/leaky.rtrace");
	struct json_object *o = summary("sp-rtrace", b.data, b.n, 0), *r;

	(void)state;
	r = row(o, "resources", "resource", "memory");
	/* leaky.l.txt: 15 block(s) leaked with total size of 5269 bytes */
	assert_int_equal(number(r, "never_freed_blocks"), 15);
	assert_int_equal(number(r, "never_freed_bytes"), 5269);
	r = row(o, "functions", "function", "malloc");
	assert_int_equal(number(r, "calls"), 13);
	assert_string_equal(string(r, "resource"), "memory");
	assert_int_equal(number(row(o, "contexts", "context", "main loop"), "calls"), 3);
	assert_non_null(row(o, "processes", "process", "bin/leaky [26995]"));
	json_object_put(o);
	bytes_free(&b);

	b = fixture("sp-rtrace/64/leaky.plain.txt");
	o = summary("sp-rtrace-text", b.data, b.n, 0);
	r = row(o, "resources", "resource", "memory");
	assert_int_equal(number(r, "never_freed_bytes"), 5269);
	assert_int_equal(number(o, "calls"), 26);
	json_object_put(o);
	bytes_free(&b);

	b = fixture("sp-rtrace/64/leaky.lc.txt");
	o = summary("sp-rtrace-text", b.data, b.n, 0);
	assert_string_equal(string(o, "filters"), "leaks|compress");
	assert_int_equal(number(o, "calls"), 15);
	json_object_put(o);
	bytes_free(&b);
}

/* Functions of the same name in two resources; only allocations have an amount. */
static void sprt_functions(void **state)
{
	static const struct {
		const char *resource;
		uint64_t calls, bytes;
	} want[] = { { "memory", 5, 60 }, { "file", 1, 1000 } };
	struct made m = { .major = 2, .ptr = 8 };
	struct json_object *o, *table;
	unsigned int found = 0;

	(void)state;
	made_start(&m, "x86_64");
	made_resource(&m, 1, 0, "memory", "blocks");
	made_resource(&m, 2, 0, "file", "descriptors");
	for (uint32_t i = 1; i <= 3; i++)
		made_call(&m, 1, 0, i, 2, "get", 10 * i, 0x10 * i);
	made_call(&m, 1, 0, 4, 1, "get", 7, 0x10);
	made_call(&m, 1, 0, 5, 0, "get", 8, 0x10);
	made_call(&m, 2, 0, 6, 2, "get", 1000, 3);
	o = summary("sp-rtrace", m.b.data, m.b.n, 0);
	assert_int_equal(number(o, "calls"), 6);
	assert_int_equal(number(o, "allocations"), 4);
	assert_int_equal(number(o, "frees"), 1);
	assert_int_equal(number(o, "other_calls"), 1);
	assert_true(json_object_object_get_ex(o, "functions", &table));
	assert_int_equal(json_object_array_length(table), 2);
	for (size_t i = 0; i < 2; i++) {
		struct json_object *r = json_object_array_get_idx(table, i);

		assert_string_equal(string(r, "function"), "get");
		for (size_t k = 0; k < 2; k++) {
			if (strcmp(string(r, "resource"), want[k].resource))
				continue;
			assert_int_equal(number(r, "calls"), want[k].calls);
			assert_int_equal(number(r, "bytes"), want[k].bytes);
			found++;
		}
	}
	assert_int_equal(found, 2);
	json_object_put(o);
	bytes_free(&m.b);
}

/* Two logs in one file, and a truncated log. */
static void sprt_files(void **state)
{
	struct bytes b = fixture("sp-rtrace/64/leaky.rtrace"), two = { 0 };
	struct json_object *o, *r;

	(void)state;
	bytes_add(&two, b.data, b.n);
	bytes_add(&two, b.data, b.n);
	o = summary("sp-rtrace", two.data, two.n, 0);
	r = row(o, "resources", "resource", "memory");
	assert_int_equal(number(o, "logs"), 2);
	assert_int_equal(number(o, "calls"), 52);
	assert_int_equal(number(r, "never_freed_bytes"), 2 * 5269);
	assert_int_equal(number(r, "peak_bytes"), 5269);
	assert_int_equal(number(row(o, "processes", "process", "bin/leaky [26995]"), "logs"), 2);
	json_object_put(o);

	o = summary("sp-rtrace", b.data, b.n - 10, 1);
	assert_string_equal(string(o, "complete"), "false");
	assert_true(rows_of(o, "damage") > 0);
	json_object_put(o);
	bytes_free(&b);
	bytes_free(&two);
}

/* ---- SWAP ---- */

static void swap_counts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(swap_samples) / sizeof(swap_samples[0]); i++) {
		struct { char name[64]; uint64_t n; } kinds[64];
		unsigned long long first = 0, last = 0;
		char path[200], *line, *save;
		size_t nkinds = 0, messages = 0, gaps = 0;
		struct bytes stream, dump;
		struct json_object *o;

		snprintf(path, sizeof(path), "swap/%s.bin", swap_samples[i]);
		stream = fixture(path);
		snprintf(path, sizeof(path), "swap/%s.dump.txt", swap_samples[i]);
		dump = fixture(path);
		gaps = count_lines(&dump, "<-- 1 lost");
		o = summary("swap", stream.data, stream.n,
			    gaps || count_lines(&dump, "TRUNCATED"));
		for (line = strtok_r(dump.data, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save)) {
			unsigned long long sec, ns;
			char name[64];
			size_t k = 0;

			if (sscanf(line, "@%*u %63s id=%*s seq=%*u time=%llu.%llu", name, &sec,
				   &ns) != 3)
				continue;
			messages++;
			/* one id has two names in the dumps */
			name[strcspn(name, "/")] = 0;
			ns += sec * 1000000000;
			if (!first || ns < first)
				first = ns;
			if (ns > last)
				last = ns;
			while (k < nkinds && strcmp(kinds[k].name, name))
				k++;
			if (k == nkinds) {
				assert_true(nkinds < 64);
				strcpy(kinds[nkinds].name, name);
				kinds[nkinds++].n = 0;
			}
			kinds[k].n++;
		}
		assert_true(messages > 0);
		assert_int_equal(number(o, "messages"), messages);
		assert_int_equal(number(o, "wall_ns"), last - first);
		assert_int_equal(number(o, "lost_messages"), gaps);
		assert_int_equal(number(o, "gaps"), gaps);
		assert_int_equal(rows_of(o, "messages_by_kind"), nkinds);
		for (size_t k = 0; k < nkinds; k++) {
			struct json_object *r = row(o, "messages_by_kind", "kind", kinds[k].name);

			if (!r)
				fail_msg("%s: no %s", swap_samples[i], kinds[k].name);
			assert_int_equal(number(r, "count"), kinds[k].n);
		}
		json_object_put(o);
		bytes_free(&stream);
		bytes_free(&dump);
	}
}

/* Functions are named by mappings, probes by the map of API numbers. */
static void swap_calls(void **state)
{
	struct bytes b = fixture("swap/swap42-session.bin");
	struct json_object *o = summary("swap", b.data, b.n, 0), *r;

	(void)state;
	r = row(o, "calls", "name", "libfoo.so.0.0.0+0x400");
	assert_int_equal(number(r, "count"), 32);
	assert_string_equal(string(r, "kind"), "function");
	assert_int_equal(number(row(o, "calls", "name", "api 424"), "count"), 64);
	r = row(o, "processes_by_messages", "name", "org.example.app");
	assert_int_equal(number(r, "pid"), 501);
	json_object_put(o);
	bytes_free(&b);
}

/* A copy of a stream without the message of @skip bytes at @at. */
static struct bytes without(const struct bytes *b, size_t at, size_t skip)
{
	struct bytes rest = { 0 };

	bytes_add(&rest, b->data, at);
	bytes_add(&rest, b->data + at + skip, b->n - at - skip);
	return rest;
}

static void swap_lost(void **state)
{
	/* swap-seqwrap.dump.txt: a SAMPLE at 40, of 40 bytes; another one is already lost */
	struct bytes b = fixture("swap/swap-seqwrap.bin"), gap = without(&b, 40, 40);
	struct json_object *o = summary("swap", gap.data, gap.n, 1);
	struct conversion c;

	(void)state;
	assert_int_equal(number(o, "lost_messages"), 2);
	assert_int_equal(number(o, "gaps"), 2);
	assert_string_equal(string(o, "complete"), "false");
	json_object_put(o);

	/* the FXT file made from it is incomplete, too */
	c = convert("swap", "fxt", gap.data, gap.n, NULL);
	o = summary("fxt", c.out.data, c.out.n, 1);
	assert_string_equal(string(o, "complete"), "false");
	assert_int_equal(number(row(o, "names", "name", "lost"), "count"), 2);
	json_object_put(o);
	conversion_free(&c);
	bytes_free(&b);
	bytes_free(&gap);
}

/* ---- FXT ---- */

static void fxt_counts(void **state)
{
	struct bytes b = fixture("swap/swap42-session.bin");
	struct conversion c = convert("swap", "fxt", b.data, b.n, NULL);
	struct conversion json = convert("fxt", "json", c.out.data, c.out.n, NULL);
	struct json_object *o = summary("fxt", c.out.data, c.out.n, 0), *r;

	(void)state;
	assert_int_equal(number(o, "records"), count_lines(&json.out, "\"record\":"));
	assert_int_equal(number(o, "events"), count_lines(&json.out, "\"record\":\"event\""));
	r = row(o, "records_by_kind", "kind", "scheduling");
	assert_int_equal(number(r, "count"), count_lines(&json.out, "\"record\":\"scheduling\""));
	r = row(o, "scheduling_by_kind", "kind", "legacy context switch");
	assert_int_equal(number(r, "count"), count_lines(&json.out, "\"record\":\"scheduling\""));
	r = row(o, "events_by_kind", "kind", "duration begin");
	/* swap42-session.dump.txt: 138 FUNCTION_ENTRY */
	assert_int_equal(number(r, "count"), 138);
	r = row(o, "events_by_kind", "kind", "counter");
	assert_int_equal(number(r, "count"), count_lines(&json.out, "\"counter\""));
	assert_int_equal(number(row(o, "names", "name", "sample"), "count"), 73);
	r = row(o, "processes_by_events", "name", "org.example.app [501]");
	assert_int_equal(number(r, "koid"), 501);
	assert_non_null(row(o, "providers", "provider", "swap"));
	json_object_put(o);
	conversion_free(&json);
	conversion_free(&c);
	bytes_free(&b);
}

/* Threads that are only named count as threads; processes do not. */
static void fxt_threads(void **state)
{
	static const unsigned int types[] = { FXT_KOBJ_PROCESS, FXT_KOBJ_THREAD, FXT_KOBJ_THREAD };
	struct raw r = { 0 };
	struct json_object *o;

	(void)state;
	raw_magic(&r);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		raw_begin(&r, FXT_REC_KERNEL_OBJECT | types[i] << 16);
		raw_word(&r, 100 + i);
		raw_end(&r);
	}
	o = summary("fxt", r.b.data, r.b.n, 0);
	assert_int_equal(number(o, "threads"), 2);
	json_object_put(o);
	bytes_free(&r.b);
}

/* If nothing could be read, there is an error message and no summary. */
static void unreadable_input(void **state)
{
	static const struct { const char *from, *data; } cases[] = {
		{ "fxt", "this is no trace of any kind, but long enough" },
		{ "sp-rtrace", "this is no trace of any kind" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct conversion c = convert(cases[i].from, "stats", cases[i].data,
					      strlen(cases[i].data), NULL);

		assert_int_equal(c.status, 2);
		assert_int_equal(c.out.n, 0);
		assert_true(c.messages.n > 0);
		conversion_free(&c);
	}
}

/* The text form: titles, columns, the verdict. */
static void text_output(void **state)
{
	struct bytes b = fixture("sp-rtrace/64/leaky.rtrace");
	struct conversion c = convert("sp-rtrace", "stats", b.data, b.n, NULL);

	(void)state;
	assert_int_equal(c.status, 0);
	assert_true(has_line(&c.out, "Calls: 26"));
	assert_true(has_line(&c.out, "never freed         bytes    peak bytes  resource"));
	assert_true(has_line(&c.out, "           15          5269          5269  memory"));
	assert_true(has_line(&c.out, "The trace is complete: nothing was lost or damaged."));
	conversion_free(&c);
	c = convert("sp-rtrace", "stats", b.data, b.n - 10, NULL);
	assert_int_equal(c.status, 1);
	assert_true(has_line(&c.out, "The trace is NOT complete:"));
	conversion_free(&c);
	bytes_free(&b);
}

static size_t peak(const char *from, const struct bytes *b, unsigned int times)
{
	struct bytes all = { 0 };
	struct conversion c;
	size_t most;

	for (unsigned int i = 0; i < times; i++)
		bytes_add(&all, b->data, b->n);
	c = convert(from, "stats", all.data, all.n, NULL);
	assert_true(c.status < 2);
	most = c.peak;
	conversion_free(&c);
	bytes_free(&all);
	return most;
}

/* Memory use depends on the number of distinct items, not on the length of the input. */
static void memory_is_bounded(void **state)
{
	static const struct { const char *from, *file; } cases[] = {
		{ "sp-rtrace", "sp-rtrace/64/leaky.rtrace" },
		{ "sp-rtrace-text", "sp-rtrace/64/mt.plain.txt" },
		{ "swap", "swap/swap42-session.bin" },
	};
	struct conversion fxt;
	struct bytes b;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		b = fixture(cases[i].file);
		assert_in_range(peak(cases[i].from, &b, 100), 1, peak(cases[i].from, &b, 10) * 6 / 5);
		bytes_free(&b);
	}
	b = fixture("swap/swap42-session.bin");
	fxt = convert("swap", "fxt", b.data, b.n, NULL);
	assert_in_range(peak("fxt", &fxt.out, 100), 1, peak("fxt", &fxt.out, 10) * 6 / 5);
	conversion_free(&fxt);
	bytes_free(&b);
}

/* What the recorder wrote at the end: as text and as JSON. */
static void recorder_statistics(void **state)
{
	static const char good[] =
		"0,0,7,30!Session|backendsize=6,commandsize=4,verdictsize=8,complete=1,status=3,"
		"records=9,arrived=9,lost=0\n0,0,7,30!VB|module\n0,0,7,30!VC|make\n0,0,7,30!VT|complete\n";
	static const char bad[] =
		"0,0,7,30!Session|backendsize=3,commandsize=4,verdictsize=3,complete=0,"
		"records=9,arrived=8,lost=1\n0,0,7,30!VB|bpf\n0,0,7,30!VC|make\n"
		"0,0,7,30!VT|one\n";
	struct conversion c = convert("etrace", "stats", good, strlen(good), NULL);
	struct json_object *o, *s;

	(void)state;
	assert_non_null(strstr(c.out.data, "\nRecorded: make\n  exit status 3\n"));
	assert_null(strstr(c.out.data, "What the recorder says"));
	assert_non_null(strstr(c.out.data, "\nThe trace is complete: nothing was lost or damaged.\n"));
	assert_int_equal(c.status, 0);
	conversion_free(&c);
	o = summary("etrace", good, strlen(good), 0);
	assert_true(json_object_object_get_ex(o, "recording", &s));
	assert_string_equal(string(s, "backend"), "module");
	assert_string_equal(string(s, "command"), "make");
	assert_string_equal(string(s, "verdict"), "complete");
	assert_int_equal(number(s, "complete"), 1);
	assert_int_equal(number(s, "status"), 3);
	json_object_put(o);

	c = convert("etrace", "stats", bad, strlen(bad), NULL);
	assert_non_null(strstr(c.out.data, "\nRecorded: make\nWhat the recorder says is missing:\n"
					   "  one\n"));
	assert_non_null(strstr(c.out.data, "\nThe trace is NOT complete:\n"));
	conversion_free(&c);
	c = convert("etrace", "stats", bad, strlen(bad), OPTIONS({ "json", NULL }));
	o = json_tokener_parse(c.out.data);
	assert_true(json_object_object_get_ex(o, "recording", &s));
	assert_string_equal(string(s, "backend"), "bpf");
	assert_int_equal(number(s, "complete"), 0);
	assert_true(json_object_object_get_ex(s, "status", NULL));
	json_object_put(o);
	conversion_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sprt_last_resource),
		cmocka_unit_test(sprt_counts),
		cmocka_unit_test(sprt_leaks),
		cmocka_unit_test(sprt_functions),
		cmocka_unit_test(sprt_files),
		cmocka_unit_test(recorder_statistics),
		cmocka_unit_test(swap_counts),
		cmocka_unit_test(swap_calls),
		cmocka_unit_test(swap_lost),
		cmocka_unit_test(fxt_counts),
		cmocka_unit_test(fxt_threads),
		cmocka_unit_test(unreadable_input),
		cmocka_unit_test(text_output),
		cmocka_unit_test(memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
