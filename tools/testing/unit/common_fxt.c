// SPDX-License-Identifier: GPL-2.0
/* FXT files in tests.  See common_fxt.h. */
#include "common_fxt.h"

#include <byteswap.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"

static void put(struct raw *r, size_t offset, uint64_t word)
{
	if (r->swapped)
		word = bswap_64(word);
	memcpy(r->b.data + offset, &word, 8);
}

uint64_t raw_get(const struct raw *r, size_t offset)
{
	uint64_t word;

	memcpy(&word, r->b.data + offset, 8);
	return r->swapped ? bswap_64(word) : word;
}

void raw_word(struct raw *r, uint64_t word)
{
	bytes_add(&r->b, &word, 8);
	put(r, r->b.n - 8, word);
}

size_t raw_begin(struct raw *r, uint64_t header)
{
	r->record = r->b.n;
	raw_word(r, header);
	return r->record;
}

void raw_stream(struct raw *r, const void *data, size_t n)
{
	bytes_add(&r->b, data, n);
	bytes_add(&r->b, "\0\0\0\0\0\0\0", (8 - n % 8) % 8);
}

void raw_end(struct raw *r)
{
	uint64_t words = (r->b.n - r->record) / 8;

	put(r, r->record, raw_get(r, r->record) | words << 4);
}

void raw_patch(struct raw *r, size_t offset, uint64_t word)
{
	put(r, offset, word);
}

void raw_free(struct raw *r)
{
	bytes_free(&r->b);
}

size_t raw_magic(struct raw *r)
{
	raw_word(r, FXT_MAGIC);
	return r->b.n - 8;
}

size_t raw_provider(struct raw *r, uint32_t id, const char *name)
{
	size_t at = raw_begin(r, 1u << 16 | (uint64_t)id << 20 | (uint64_t)strlen(name) << 52);

	raw_stream(r, name, strlen(name));
	raw_end(r);
	return at;
}

size_t raw_init(struct raw *r, uint64_t ticks)
{
	size_t at = raw_begin(r, FXT_REC_INIT);

	raw_word(r, ticks);
	raw_end(r);
	return at;
}

size_t raw_string(struct raw *r, unsigned int index, const char *s)
{
	size_t at = raw_begin(r, FXT_REC_STRING | (uint64_t)index << 16 |
			      (uint64_t)strlen(s) << 32);

	raw_stream(r, s, strlen(s));
	raw_end(r);
	return at;
}

size_t raw_thread(struct raw *r, unsigned int index, uint64_t process, uint64_t thread)
{
	size_t at = raw_begin(r, FXT_REC_THREAD | (uint64_t)index << 16);

	raw_word(r, process);
	raw_word(r, thread);
	raw_end(r);
	return at;
}

size_t raw_event(struct raw *r, enum fxt_event_type type, uint64_t time, unsigned int thread,
		 unsigned int category, unsigned int name, uint64_t value)
{
	size_t at = raw_begin(r, FXT_REC_EVENT | (uint64_t)type << 16 | (uint64_t)thread << 24 |
			      (uint64_t)category << 32 | (uint64_t)name << 48);

	raw_word(r, time);
	if (type == FXT_EV_COUNTER || type >= FXT_EV_DURATION_COMPLETE)
		raw_word(r, value);
	raw_end(r);
	return at;
}

struct records fxt_records(const void *data, size_t n)
{
	struct conversion c = convert("fxt", "json", data, n, NULL);
	struct records rs = { .status = c.status };
	size_t cap = 0;

	for (const char *line = c.out.data; *line;) {
		const char *end = strchr(line, '\n');
		json_tokener *tok = json_tokener_new();
		json_object *o = json_tokener_parse_ex(tok, line, (int)(end - line));

		assert_non_null(o);
		rs.r = xgrow(rs.r, &cap, rs.n + 1, sizeof(*rs.r));
		rs.r[rs.n++] = o;
		json_tokener_free(tok);
		line = end + 1;
	}
	conversion_free(&c);
	return rs;
}

void records_free(struct records *rs)
{
	for (size_t i = 0; i < rs->n; i++)
		json_object_put(rs->r[i]);
	free(rs->r);
}

const char *rec_text(json_object *rec, const char *key)
{
	json_object *v;

	return json_object_object_get_ex(rec, key, &v) ? json_object_get_string(v) : "";
}

int64_t rec_number(json_object *rec, const char *key)
{
	json_object *v;

	if (!json_object_object_get_ex(rec, key, &v))
		fail_msg("no %s in %s", key, json_object_to_json_string(rec));
	return json_object_get_int64(v);
}

json_object *rec_arg(json_object *rec, const char *name)
{
	json_object *args, *v;

	if (!json_object_object_get_ex(rec, "args", &args))
		return NULL;
	for (size_t i = 0; i < json_object_array_length(args); i++) {
		json_object *a = json_object_array_get_idx(args, i);

		if (!strcmp(rec_text(a, "name"), name))
			return json_object_object_get_ex(a, "value", &v) ? v : a;
	}
	return NULL;
}

bool is_event(json_object *rec, const char *event, const char *category, const char *name)
{
	return !strcmp(rec_text(rec, "record"), "event") &&
	       (!event || !strcmp(rec_text(rec, "event"), event)) &&
	       (!category || !strcmp(rec_text(rec, "category"), category)) &&
	       (!name || !strcmp(rec_text(rec, "name"), name));
}

size_t count_events(const struct records *rs, const char *event, const char *category,
		    const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < rs->n; i++)
		n += is_event(rs->r[i], event, category, name);
	return n;
}

static int64_t koid(json_object *rec, const char *which)
{
	json_object *t;

	if (!json_object_object_get_ex(rec, "thread", &t))
		fail_msg("no thread in %s", json_object_to_json_string(rec));
	return rec_number(t, which);
}

int64_t rec_process(json_object *rec)
{
	return koid(rec, "process");
}

int64_t rec_thread(json_object *rec)
{
	return koid(rec, "thread");
}
