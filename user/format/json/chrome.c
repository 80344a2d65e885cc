// SPDX-License-Identifier: LGPL-2.1
/*
 * Reads Chrome's trace-event JSON.  See chrome.h.
 *
 * json-c parses one event at a time: a whole trace as json-c objects would take twenty
 * times its size.  The little JSON around the events is parsed here.
 */
#include "format/json/chrome.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/utf8.h"

#include <ctype.h>
#include <json-c/json.h>
#include <math.h>

/* Maximum bytes of an event or another member: no compiler writes larger ones. */
#define MAX_VALUE	(1u << 20)
#define MAX_JSON_DEPTH	32
/* Maximum time in us: since 1970, this is in 2065; sums of three, in ns, stay below 2^63. */
#define MAX_TIME	3e15
/* Times in us from this on must count from 1970: no trace is that long. */
#define MIN_DATE	1e15
#define MAX_BASE	((int64_t)MAX_TIME * 1000)

const char *const chrome_faults[CHROME_FAULTS] = {
	[CHROME_OK] = "",
	[CHROME_FOREIGN] = "is not a time trace",
	[CHROME_EMPTY] = "is an empty time trace",
	[CHROME_DAMAGED] = "is a damaged time trace",
	[CHROME_LARGE] = "is larger than 256 MiB",
	[CHROME_GONE] = "no longer exists",
	[CHROME_NO_FILE] = "is not a regular file now",
	[CHROME_UNREADABLE] = "cannot be read",
	[CHROME_CHANGED] = "was changed after the build",
	[CHROME_UNSURE] = "may have been changed after the build: the trace does not say when it was written",
};

/* A slice that has begun. */
struct open_slice {
	size_t slice;
	uint64_t key;		/* from key_of(), which gives the same for the slice's end */
	size_t below;		/* 1 + index of the slice that began before it, 0 if none */
};

struct reader {
	struct chrome_trace *t;
	json_tokener *tok;
	const char *at, *end;
	struct map64 threads;	/* hash of pid and tid to index of the thread */
	struct map64 open;	/* key to 1 + index in @begun of its last begun slice */
	struct open_slice *begun;
	size_t nbegun, begun_cap;
	bool events;		/* an event was read */
};

/* ---- JSON ---- */

static bool skip_space(struct reader *r)
{
	while (r->at < r->end && isspace((unsigned char)*r->at))
		r->at++;
	return r->at < r->end;
}

/* Skips @c if it comes next.  Return: whether it did. */
static bool skip_char(struct reader *r, char c)
{
	if (!skip_space(r) || *r->at != c)
		return false;
	r->at++;
	return true;
}

/* Return: a value, for json_object_put(); NULL for null, or with *bad set if there is none. */
static json_object *read_value(struct reader *r, bool *bad)
{
	size_t left = (size_t)(r->end - r->at);
	json_object *o;

	json_tokener_reset(r->tok);
	o = json_tokener_parse_ex(r->tok, r->at, (int)(left < MAX_VALUE ? left : MAX_VALUE));
	*bad = json_tokener_get_error(r->tok) != json_tokener_success;
	r->at += *bad ? 0 : json_tokener_get_parse_end(r->tok);
	return o;
}

static json_object *typed_member(json_object *o, const char *name, json_type type)
{
	json_object *v;

	if (!json_object_object_get_ex(o, name, &v))
		return NULL;
	return type == json_type_null || json_object_is_type(v, type) ? v : NULL;
}

/* Reads microseconds, with or without a fraction, as ns. */
static bool get_time(json_object *o, const char *name, int64_t *ns)
{
	json_object *v = typed_member(o, name, json_type_null);
	double us;

	if (!json_object_is_type(v, json_type_int) && !json_object_is_type(v, json_type_double))
		return false;
	us = json_object_get_double(v);
	if (!(fabs(us) <= MAX_TIME))
		return false;
	*ns = json_object_is_type(v, json_type_int) ? json_object_get_int64(v) * 1000 :
						      (int64_t)llrint(us * 1000);
	return true;
}

/* ---- texts ---- */

static uint32_t add_text(struct chrome_trace *t, const char *s, size_t len)
{
	uint32_t at = (uint32_t)t->texts.len;
	char *made = NULL;

	if (!len)
		return 0;
	if (!utf8_valid(s, len))
		s = made = utf8_replace(s, len, &len);
	buf_add(&t->texts, s, len);
	buf_addc(&t->texts, '\0');
	free(made);
	return at;
}

static uint32_t add_string(struct chrome_trace *t, json_object *v)
{
	return v ? add_text(t, json_object_get_string(v), (size_t)json_object_get_string_len(v)) : 0;
}

/* Adds args.detail, or if there is none, all texts in args. */
static uint32_t add_detail(struct chrome_trace *t, json_object *event)
{
	json_object *args = typed_member(event, "args", json_type_object), *v;
	struct buf all = { 0 };
	uint32_t at;

	if (!args)
		return 0;
	v = typed_member(args, "detail", json_type_string);
	if (v)
		return add_string(t, v);
	json_object_object_foreach(args, name, arg) {
		(void)name;
		if (!json_object_is_type(arg, json_type_string))
			continue;
		if (all.len)
			buf_adds(&all, ", ");
		buf_add(&all, json_object_get_string(arg), (size_t)json_object_get_string_len(arg));
	}
	at = add_text(t, all.s, all.len);
	buf_free(&all);
	return at;
}

/* ---- events ---- */

static uint32_t thread_of(struct reader *r, json_object *event)
{
	json_object *v = typed_member(event, "tid", json_type_int);
	json_object *pid = typed_member(event, "pid", json_type_int);
	int64_t tid = v ? json_object_get_int64(v) : 0;
	uint64_t key = hash_two(pid ? (uint64_t)json_object_get_int64(pid) : 0, (uint64_t)tid);
	const uint64_t *there = map64_get(&r->threads, key);
	struct chrome_trace *t = r->t;

	if (there)
		return (uint32_t)*there;
	t->threads = xgrow(t->threads, &t->threads_cap, t->nthreads + 1, sizeof(*t->threads));
	t->threads[t->nthreads] = (struct chrome_thread){ .tid = tid };
	map64_put(&r->threads, key, t->nthreads);
	return (uint32_t)t->nthreads++;
}

static struct chrome_slice *add_slice(struct reader *r, json_object *event, int64_t from, int64_t to)
{
	struct chrome_trace *t = r->t;
	struct chrome_slice *s;

	t->slices = xgrow(t->slices, &t->cap, t->n + 1, sizeof(*t->slices));
	s = &t->slices[t->n++];
	*s = (struct chrome_slice){ .from = from, .to = to, .thread = thread_of(r, event) };
	s->name = add_string(t, typed_member(event, "name", json_type_string));
	s->detail = add_detail(t, event);
	return s;
}

/* Key that a begin and its end share: the thread; if asynchronous, also category, id, name. */
static uint64_t key_of(json_object *event, bool async)
{
	static const char *const parts[] = { "tid", "cat", "id", "name" };
	uint64_t key = async;

	for (size_t i = 0; i < (async ? 4 : 1); i++) {
		json_object *v = typed_member(event, parts[i], json_type_null);
		const char *s = v ? json_object_get_string(v) : "";

		key = hash_two(key, hash_bytes(s, strlen(s)));
	}
	return key;
}

static void begin_slice(struct reader *r, json_object *event, int64_t ts, bool async)
{
	uint64_t key = key_of(event, async);
	const uint64_t *last = map64_get(&r->open, key);

	/* to < from until its end arrives; without an end, the slice is empty */
	add_slice(r, event, ts, INT64_MIN);
	r->begun = xgrow(r->begun, &r->begun_cap, r->nbegun + 1, sizeof(*r->begun));
	r->begun[r->nbegun] = (struct open_slice){ r->t->n - 1, key, last ? (size_t)*last : 0 };
	map64_put(&r->open, key, ++r->nbegun);
}

static void end_slice(struct reader *r, json_object *event, int64_t ts, bool async)
{
	uint64_t key = key_of(event, async);
	uint64_t *last = map64_get(&r->open, key);
	struct chrome_slice *s;

	if (!last || !*last || *last > r->nbegun)
		return;
	s = &r->t->slices[r->begun[*last - 1].slice];
	s->to = ts > s->from ? ts : s->from;
	*last = r->begun[*last - 1].below;
}

/* clang writes sums as events, on threads that do not exist. */
static bool is_sum(json_object *event)
{
	json_object *v = typed_member(event, "name", json_type_string);

	return v && !strncmp(json_object_get_string(v), "Total ", 6);
}

static void take_meta(struct reader *r, json_object *event)
{
	json_object *name = typed_member(event, "name", json_type_string);
	json_object *args = typed_member(event, "args", json_type_object);
	uint32_t text, thread;

	if (!name || !args || strcmp(json_object_get_string(name), "thread_name"))
		return;
	text = add_string(r->t, typed_member(args, "name", json_type_string));
	thread = thread_of(r, event);
	r->t->threads[thread].name = text;
}

/* Return: whether it is an event. */
static bool take_event(struct reader *r, json_object *event)
{
	json_object *v;
	int64_t ts, took;
	const char *ph;

	if (!json_object_is_type(event, json_type_object))
		return false;
	v = typed_member(event, "ph", json_type_string);
	if (!v)
		return false;
	ph = json_object_get_string(v);
	if (!strcmp(ph, "M"))
		take_meta(r, event);
	if (is_sum(event) || !get_time(event, "ts", &ts))
		return true;
	if (!strcmp(ph, "X") && get_time(event, "dur", &took))
		add_slice(r, event, ts, ts + (took > 0 ? took : 0));
	else if (!strcmp(ph, "B") || !strcmp(ph, "b"))
		begin_slice(r, event, ts, *ph == 'b');
	else if (!strcmp(ph, "E") || !strcmp(ph, "e"))
		end_slice(r, event, ts, *ph == 'e');
	return true;
}

static enum chrome_fault take_events(struct reader *r)
{
	if (skip_char(r, ']'))
		return CHROME_OK;
	do {
		json_object *event;
		bool bad, is;

		/* a trace that was cut off may end with a comma; Chrome accepts that */
		if (r->events && skip_char(r, ']'))
			return CHROME_OK;
		event = read_value(r, &bad);
		is = !bad && take_event(r, event);
		json_object_put(event);
		if (!is)
			return r->events ? CHROME_DAMAGED : CHROME_FOREIGN;
		r->events = true;
	} while (skip_char(r, ','));
	return skip_char(r, ']') ? CHROME_OK : CHROME_DAMAGED;
}

static void take_member(struct reader *r, const char *name, json_object *v)
{
	int64_t us;

	if (strcmp(name, "beginningOfTime") || !json_object_is_type(v, json_type_int))
		return;
	us = json_object_get_int64(v);
	if (us > 0 && us < (int64_t)MAX_TIME)
		r->t->begin = us * 1000;
}

/* Reads the members of the top-level object: the events and others. */
static enum chrome_fault take_members(struct reader *r)
{
	enum chrome_fault fault = CHROME_OK;
	bool found = false;

	do {
		json_object *name, *v;
		bool bad;

		name = skip_space(r) && *r->at == '"' ? read_value(r, &bad) : NULL;
		if (!name || !skip_char(r, ':')) {
			json_object_put(name);
			return found ? CHROME_DAMAGED : CHROME_FOREIGN;
		}
		if (!found && !strcmp(json_object_get_string(name), "traceEvents") &&
		    skip_char(r, '[')) {
			found = true;
			fault = take_events(r);
		} else {
			v = read_value(r, &bad);
			if (bad)
				fault = found ? CHROME_DAMAGED : CHROME_FOREIGN;
			else
				take_member(r, json_object_get_string(name), v);
			json_object_put(v);
		}
		json_object_put(name);
	} while (fault == CHROME_OK && skip_char(r, ','));
	if (fault == CHROME_OK && found)
		return skip_char(r, '}') ? CHROME_OK : CHROME_DAMAGED;
	return found ? fault : CHROME_FOREIGN;
}

/* ---- nesting ---- */

/* By thread and time, enclosing slices first. */
static int by_time(const void *a, const void *b)
{
	const struct chrome_slice *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to > y->to ? -1 : 1;
	return (x->depth > y->depth) - (x->depth < y->depth);
}

/* Sets depths; cuts slices that overlap at the end of the enclosing one. */
static void nest_slices(struct chrome_trace *t)
{
	size_t around[CHROME_MAX_DEPTH], n = 0, depth = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct chrome_slice s = t->slices[i];
		struct chrome_thread *thread = &t->threads[s.thread];

		if (n && t->slices[n - 1].thread != s.thread)
			depth = 0;
		while (depth && t->slices[around[depth - 1]].to <= s.from)
			depth--;
		if (depth && s.to > t->slices[around[depth - 1]].to)
			s.to = t->slices[around[depth - 1]].to;
		if (depth == CHROME_MAX_DEPTH)
			continue;
		s.depth = (uint32_t)depth;
		t->slices[n] = s;
		around[depth++] = n++;
		if (!s.depth)
			thread->took += s.to - s.from;
		if (depth > thread->depth)
			thread->depth = (uint32_t)depth;
	}
	t->n = n;
}

/* Puts the busiest thread first: the one that did the work. */
static void put_first(struct chrome_trace *t)
{
	struct chrome_thread swap;
	uint32_t most = 0;

	for (uint32_t i = 1; i < t->nthreads; i++)
		if (t->threads[i].took > t->threads[most].took)
			most = i;
	if (!most)
		return;
	swap = t->threads[0];
	t->threads[0] = t->threads[most];
	t->threads[most] = swap;
	for (size_t i = 0; i < t->n; i++)
		if (t->slices[i].thread == most || !t->slices[i].thread)
			t->slices[i].thread = t->slices[i].thread ? 0 : most;
}

/* crox writes dates: converts them to times since the first one, like those of other tools. */
static void count_from_first(struct chrome_trace *t)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < t->n; i++)
		first = t->slices[i].from < first ? t->slices[i].from : first;
	if (t->begin || !t->n || first < (int64_t)MIN_DATE * 1000)
		return;
	t->begin = first;
	for (size_t i = 0; i < t->n; i++) {
		t->slices[i].from -= first;
		t->slices[i].to -= first;
	}
}

static void arrange_slices(struct chrome_trace *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct chrome_slice *s = &t->slices[i];

		s->to = s->to < s->from ? s->from : s->to;
		/* of slices with equal times, the one written last ended last */
		s->depth = (uint32_t)(t->n - i);
	}
	if (t->n)
		qsort(t->slices, t->n, sizeof(*t->slices), by_time);
	nest_slices(t);
	put_first(t);
	count_from_first(t);
	for (size_t i = 1; i < t->n; i++)
		if (t->slices[i].thread < t->slices[i - 1].thread) {
			qsort(t->slices, t->n, sizeof(*t->slices), by_time);
			break;
		}
}

enum chrome_fault chrome_parse(struct chrome_trace *t, const char *json, size_t len)
{
	struct reader r = { .t = t, .at = json, .end = json + len };
	enum chrome_fault fault = CHROME_FOREIGN;

	chrome_free(t);
	buf_addc(&t->texts, '\0');
	r.tok = json_tokener_new_ex(MAX_JSON_DEPTH);
	if (!r.tok)
		return CHROME_UNREADABLE;
	if (skip_char(&r, '{'))
		fault = take_members(&r);
	else if (skip_char(&r, '['))
		fault = take_events(&r);
	json_tokener_free(r.tok);
	free(r.begun);
	map64_clear(&r.open);
	map64_clear(&r.threads);
	if (fault == CHROME_OK) {
		arrange_slices(t);
		fault = t->n ? CHROME_OK : CHROME_EMPTY;
	}
	return fault;
}

void chrome_place(struct chrome_trace *t, int64_t at, int64_t until, const int64_t *begin)
{
	int64_t first = INT64_MAX, last = INT64_MIN, base = begin ? *begin : at;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		first = t->slices[i].from < first ? t->slices[i].from : first;
		last = t->slices[i].to > last ? t->slices[i].to : last;
	}
	if (!t->n)
		return;
	/* a clock that is this far off is useless */
	if (at < 0 || until > MAX_BASE) {
		t->n = 0;
		return;
	}
	if (base < -MAX_BASE || base > MAX_BASE)
		base = at;
	if (base + last > until)
		base = until - last;
	if (base + first < at)
		base = at - first;
	for (size_t i = 0; i < t->n; i++) {
		struct chrome_slice s = t->slices[i];

		s.from += base;
		s.to = s.to + base < until ? s.to + base : until;
		if (s.from < until)
			t->slices[n++] = s;
	}
	t->n = n;
}

void chrome_free(struct chrome_trace *t)
{
	free(t->slices);
	free(t->threads);
	buf_free(&t->texts);
	memset(t, 0, sizeof(*t));
}
