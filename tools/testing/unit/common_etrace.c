// SPDX-License-Identifier: GPL-2.0
/* Random traces.  See common_etrace.h. */
#include "common_etrace.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/lines/event_lines.h"
#include "format/lines/plain_lines.h"
#include "base/xalloc.h"

uint64_t rnd(struct rng *r, uint64_t below)
{
	r->s += 0x9e3779b97f4a7c15ull;
	uint64_t z = r->s;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	z ^= z >> 31;
	return below ? z % below : z;
}

bool rnd_one_in(struct rng *r, uint64_t n)
{
	return !rnd(r, n);
}

uint64_t seed(uint64_t otherwise)
{
	const char *s = getenv("ETRACE_RANDOM");

	return s ? strtoull(s, NULL, 0) : otherwise;
}

/* A copy of an array; NULL if it is empty. */
static void *copy_of(const void *from, size_t n, size_t *cap)
{
	*cap = n;
	return n ? xmemdup(from, n) : NULL;
}

struct et_event *events_add(struct events *es, const struct et_event *ev)
{
	struct et_event *c;

	es->e = xgrow(es->e, &es->cap, es->n + 1, sizeof(*es->e));
	c = &es->e[es->n++];
	*c = *ev;
	c->args = copy_of(ev->args, ev->nargs * sizeof(*ev->args), &c->args_cap);
	c->extras = copy_of(ev->extras, ev->nextras * sizeof(*ev->extras), &c->extras_cap);
	c->later = copy_of(ev->later, ev->nlater * sizeof(*ev->later), &c->later_cap);
	c->bytes = copy_of(ev->bytes, ev->nbytes, &c->bytes_cap);
	c->raw = copy_of(ev->raw, ev->raw_len, &c->raw_cap);
	return c;
}

void events_free(struct events *es)
{
	for (size_t i = 0; i < es->n; i++)
		et_fini(&es->e[i]);
	free(es->e);
	memset(es, 0, sizeof(*es));
}

static void assert_text_equal(const struct et_event *a, const struct et_string *x,
			      const struct et_event *b, const struct et_string *y)
{
	assert_int_equal(x->len, y->len);
	assert_memory_equal(et_text(a, x), et_text(b, y), x->len);
}

void assert_event_equal(const struct et_event *a, const struct et_event *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->upid, b->upid);
	assert_int_equal(a->time, b->time);
	assert_int_equal(a->cpu, b->cpu);
	assert_int_equal(a->flags & ET_F_FAILED, b->flags & ET_F_FAILED);
	assert_int_equal(a->error, b->error);
	assert_memory_equal(a->marks, b->marks, sizeof(a->marks));
	assert_int_equal(a->given, b->given);
	assert_int_equal(a->big, b->big);
	for (unsigned int i = 0; i < ET_MAX_VALUES; i++)
		if (et_has(a, i))
			assert_int_equal(a->val[i], b->val[i]);
	assert_int_equal(a->strings, b->strings);
	for (unsigned int i = 0; i < ET_MAX_STRINGS; i++)
		if (et_has_string(a, i))
			assert_text_equal(a, &a->str[i], b, &b->str[i]);
	assert_int_equal(a->nargs, b->nargs);
	for (uint32_t i = 0; i < a->nargs; i++)
		assert_text_equal(a, &a->args[i], b, &b->args[i]);
	assert_int_equal(a->nextras, b->nextras);
	for (uint32_t i = 0; i < a->nextras; i++)
		assert_text_equal(a, &(struct et_string){ a->extras[i].off, a->extras[i].len },
				  b, &(struct et_string){ b->extras[i].off, b->extras[i].len });
	/* lines that the members above do not hold */
	assert_int_equal(a->raw_len, b->raw_len);
	assert_memory_equal(a->raw_len ? a->raw : "", b->raw_len ? b->raw : "", a->raw_len);
}

/* ---- random events ---- */

/* An event and its lines, in order. */
struct made {
	struct et_event ev;
	struct made_line {
		const struct et_row *row;
		uint16_t have;		/* bit i: value field i is present */
	} lines[32];
	unsigned int nlines;
};

static struct made_line *made_line(struct made *m, const struct et_row *row)
{
	assert_true(m->nlines < sizeof(m->lines) / sizeof(m->lines[0]));
	m->lines[m->nlines] = (struct made_line){ .row = row };
	return &m->lines[m->nlines++];
}

/* What must not confuse a reader inside a string. */
static const char *const traps[] = {
	"a: 1,2,3,4!Open|fd=3", "4194305,1,12,345!Exit|status=0", "Cont|", "Cont_end|",
	"FN_end|", "CPU:1 [LOST 3 EVENTS]", "]A[1]", "x-1 [000] d..1. 1.5: etrace_exit: ",
	"!", "|", "=,", " ",
};

static void random_string(struct gen *g, struct buf *b)
{
	struct rng *r = &g->r;
	size_t len;

	b->len = 0;
	switch (rnd(r, 12)) {
	case 0:
		len = 0;
		break;
	case 1:
		len = 895 + rnd(r, 10);
		break;
	case 2:
		len = 1795 + rnd(r, 10);
		break;
	case 3:
		len = rnd(r, g->max_string);
		break;
	default:
		len = rnd(r, 80);
		break;
	}
	if (len > g->max_string)
		len = g->max_string;
	while (b->len < len) {
		if (rnd_one_in(r, 40)) {
			const char *trap = traps[rnd(r, sizeof(traps) / sizeof(traps[0]))];

			buf_adds(b, trap);
		} else if (g->newlines && rnd_one_in(r, 30)) {
			buf_addc(b, '\n');
			if (rnd_one_in(r, 3))
				buf_addc(b, '\n');
		} else if (g->newlines && rnd_one_in(r, 30)) {
			buf_addc(b, (char)(1 + rnd(r, 255)));
		} else {
			buf_addc(b, (char)(' ' + rnd(r, 95)));
		}
	}
	b->len = len;
	if (g->newlines && len && rnd_one_in(r, 10))
		b->s[0] = '\n';
	if (g->newlines && len && rnd_one_in(r, 10))
		b->s[len - 1] = '\n';
}

static int64_t random_number(struct rng *r, bool *big)
{
	static const int64_t some[] = { 0, 1, -1, 3, 65535, INT32_MAX, INT32_MIN,
		(int64_t)UINT32_MAX, INT64_MAX, INT64_MIN };

	*big = false;
	switch (rnd(r, 6)) {
	case 0:
		return some[rnd(r, sizeof(some) / sizeof(some[0]))];
	case 1:
		*big = true;
		return -1 - (int64_t)rnd(r, 1000);
	default:
		return (int64_t)rnd(r, 5000);
	}
}

/*
 * Add a header with random values.  Optional fields are left out now and then, but no
 * string's size if @all.  Return: a bit for each string that it announces.
 */
static unsigned int add_header(struct gen *g, struct made *m, const struct et_row *row, bool all)
{
	const struct et_kind_row *kind = &et_kinds[row->kind];
	struct made_line *line = made_line(m, row);
	unsigned int announced = 0;

	for (unsigned int i = 0; i < row->nfields; i++) {
		const struct et_field *f = &row->fields[i];
		bool may = f->may && row->when == ET_EACH, big = false;
		int64_t v;

		if (may && !(all && f->is_size) && rnd_one_in(&g->r, 2))
			continue;
		if (f->is_size) {
			announced |= 1u << f->slot;
			continue;
		}
		v = kind->values[f->slot].means == ET_MEANS_UPID ?
		    (int64_t)rnd(&g->r, 1ull << 50) : random_number(&g->r, &big);
		et_set(&m->ev, f->slot, v);
		m->ev.big |= (uint16_t)(big << f->slot);
		line->have |= (uint16_t)(1u << i);
	}
	if (row->role == ET_FAILED)
		m->ev.flags |= ET_F_FAILED;
	return announced;
}

/* Add a random string, or a list of arguments. */
static void add_strings(struct gen *g, struct made *m, const struct et_row *row)
{
	bool args = row->slot == ET_ARGS;
	uint32_t n = args ? (uint32_t)rnd(&g->r, 12) : 1;
	struct buf b = { 0 };

	made_line(m, row);
	m->ev.strings |= (uint8_t)(1u << row->slot);
	while (n--) {
		random_string(g, &b);
		if (args)
			et_add_arg(&m->ev, b.s, b.len);
		else
			et_add_string(&m->ev, row->slot, b.s, b.len);
	}
	buf_free(&b);
}

/* Does a kind have lines of this role?  @each: only those that are always there. */
static bool kind_has(enum et_kind kind, enum et_role role, bool each)
{
	for (unsigned int i = et_kinds[kind].row; i < et_kinds[kind].end; i++)
		if (et_rows[i].role == role && (!each || et_rows[i].when == ET_EACH))
			return true;
	return false;
}

/* Does only a line after the first show that an event of this kind is complete? */
static bool has_end(enum et_kind kind)
{
	return kind_has(kind, ET_MIDDLE, false) || kind_has(kind, ET_LAST, false);
}

/* May the line that a call failed also be a call of its own, whose name could not be read? */
static bool fails_alone(enum et_kind kind)
{
	return !has_end(kind) && !kind_has(kind, ET_BEGIN, true);
}

/* A random first line for an event; NULL if it begins with its last one. */
static const struct et_row *random_begin(struct gen *g, enum et_kind kind, bool failed, bool again)
{
	bool may_lack = !kind_has(kind, ET_BEGIN, true) &&
			(failed ? has_end(kind) || !again : kind_has(kind, ET_LAST, false));
	const struct et_row *begin = NULL;
	unsigned int n = 0;

	if (may_lack && rnd_one_in(&g->r, 4))
		return NULL;
	for (unsigned int i = et_kinds[kind].row; i < et_kinds[kind].end; i++)
		if (et_rows[i].role == ET_BEGIN && rnd_one_in(&g->r, ++n))
			begin = &et_rows[i];
	return begin;
}

/*
 * Make any event of its kind that the schema allows.  @again: the task's last event was of
 * this kind, too: if a line got lost, lines that only add to an event would be added to
 * that one.
 */
static void random_event(struct gen *g, struct made *m, bool again)
{
	enum et_kind k = m->ev.kind;
	bool failed = kind_has(k, ET_FAILED, false) && rnd_one_in(&g->r, 3);
	const struct et_row *begin = random_begin(g, k, failed, again);
	unsigned int announced = 0;

	for (unsigned int i = et_kinds[k].row; i < et_kinds[k].end; i++) {
		const struct et_row *row = &et_rows[i];

		switch ((enum et_role)row->role) {
		case ET_BEGIN:
			if (row == begin)
				announced |= add_header(g, m, row, failed && again);
			break;
		case ET_MIDDLE:
		case ET_LAST:
			if (!failed)
				announced |= add_header(g, m, row, true);
			break;
		case ET_FAILED:
			if (failed)
				add_header(g, m, row, true);
			break;
		case ET_MORE:
			if (!again && rnd_one_in(&g->r, 3))
				add_header(g, m, row, true);
			break;
		case ET_STRING:
			if (announced >> row->slot & 1)
				add_strings(g, m, row);
			break;
		}
	}
}

/* A random kind of event that belongs to a task and has a first line. */
static enum et_kind random_kind(struct gen *g)
{
	enum et_kind kind;

	do {
		kind = (enum et_kind)(1 + rnd(&g->r, ET_K_COUNT - 1));
	} while (kind == ET_K_SESSION || kind == ET_K_CONTENT || !kind_has(kind, ET_BEGIN, false));
	return kind;
}

/* ---- the lines of an event, by the format document ---- */

struct lines {
	struct buf *l;
	size_t n, cap;
};

static struct buf *new_line(struct lines *ls)
{
	ls->l = xgrow(ls->l, &ls->cap, ls->n + 1, sizeof(*ls->l));
	ls->l[ls->n] = (struct buf){ 0 };
	return &ls->l[ls->n++];
}

static void lines_free(struct lines *ls)
{
	for (size_t i = 0; i < ls->n; i++)
		buf_free(&ls->l[i]);
	free(ls->l);
	*ls = (struct lines){ 0 };
}

/* "each newline is replaced with Cont, each group of Cont ends with Cont_end" */
static void string_lines(struct gen *g, struct lines *ls, struct buf *line,
			 const char *s, size_t len)
{
	bool conts = false;

	for (size_t i = 0; i < len; i++) {
		if (s[i] != '\n') {
			buf_addc(line, s[i]);
			continue;
		}
		line = new_line(ls);
		buf_adds(line, "Cont|");
		conts = true;
	}
	if (conts)
		buf_adds(new_line(ls), rnd_one_in(&g->r, 2) ? "Cont_end|" : "Cont_end");
}

/* Print a string; @index: the argument's, or -1 for other strings. */
static void print_string(struct gen *g, struct lines *ls, const struct et_event *ev,
			 const char *name, const struct et_string *text, int index)
{
	const char *s = et_text(ev, text);
	struct buf *line;
	size_t len = text->len;
	int part = 0;
	char head[32];

	if (index < 0 && len < 900) {
		line = new_line(ls);
		buf_adds(line, name);
		buf_addc(line, '|');
		string_lines(g, ls, line, s, len);
		return;
	}
	do {
		size_t n = len;

		/* "at most 900", and no minimum */
		if (n > 900)
			n = rnd_one_in(&g->r, 3) ? rnd(&g->r, 901) : 900;
		snprintf(head, sizeof(head), "%s[%d]", name, index < 0 ? part++ : index);
		line = new_line(ls);
		buf_adds(line, head);
		string_lines(g, ls, line, s, n);
		s += n;
		len -= n;
	} while (len);
	if (index >= 0)
		return;
	line = new_line(ls);
	buf_adds(line, name);
	buf_adds(line, rnd_one_in(&g->r, 2) ? "_end|" : "_end");
}

static void print_header(struct lines *ls, const struct et_event *ev, const struct made_line *l)
{
	struct buf *line = new_line(ls);
	const char *comma = "";
	char text[64];

	buf_adds(line, l->row->name);
	buf_addc(line, '|');
	for (unsigned int i = 0; i < l->row->nfields; i++) {
		const struct et_field *f = &l->row->fields[i];
		int64_t v = f->is_size ? et_announced(ev, f->slot) : ev->val[f->slot];

		if (!(f->is_size ? et_has_string(ev, f->slot) : l->have >> i & 1))
			continue;
		if (!f->is_size && ev->big >> f->slot & 1)
			snprintf(text, sizeof(text), "%s%s=%" PRIu64, comma, f->name, (uint64_t)v);
		else
			snprintf(text, sizeof(text), "%s%s=%" PRId64, comma, f->name, v);
		buf_adds(line, text);
		comma = ",";
	}
}

static void print_event(struct gen *g, struct lines *ls, const struct made *m)
{
	const struct et_event *ev = &m->ev;

	for (unsigned int i = 0; i < m->nlines; i++) {
		const struct et_row *row = m->lines[i].row;

		if (row->role != ET_STRING)
			print_header(ls, ev, &m->lines[i]);
		else if (row->slot != ET_ARGS)
			print_string(g, ls, ev, row->name, &ev->str[row->slot], -1);
		for (uint32_t a = 0; row->role == ET_STRING && row->slot == ET_ARGS && a < ev->nargs; a++)
			print_string(g, ls, ev, row->name, &ev->args[a], (int)a);
	}
}

/* ---- concurrent tasks ---- */

struct actor {
	uint64_t upid;
	enum et_kind kind;	/* of the event that is being printed */
	size_t expect;		/* its index in the expected events */
	struct lines lines;
	size_t next;		/* next line to print */
	uint32_t cpu;
};

static void print_prefix(struct gen *g, struct bytes *to, const struct actor *a,
			 uint64_t now, bool first)
{
	static const char *const comms[] = {
		"make", "cc1", "a-1 [002]", "x: y", "1,2,3,4!Open|", "-5 [001] 1.2: ", "(sd-pam)",
	};
	char text[200];
	int n = 0;

	if (first && (g->style == STYLE_MODULE || g->style == STYLE_OLD))
		n = snprintf(text, sizeof(text), "%16s-%-7u [%03u] %s%5u.%06u: ",
			     comms[rnd(&g->r, sizeof(comms) / sizeof(comms[0]))],
			     (unsigned int)(a->upid & 0x3fffff), a->cpu,
			     rnd_one_in(&g->r, 4) ? "" : "d..2. ",
			     (unsigned int)(now / 1000000000), (unsigned int)(now / 1000 % 1000000));
	if (first && g->style != STYLE_PLAIN)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s",
			      g->style == STYLE_OLD ? "0: " : "etrace_event: ");
	n += snprintf(text + n, sizeof(text) - (size_t)n, "%" PRIu64 ",%u,%u,%u!", a->upid,
		      a->cpu, (unsigned int)(now / 1000000000),
		      (unsigned int)(now % 1000000000));
	bytes_add(to, text, (size_t)n);
}

static bool is_failed_line(enum et_kind kind, const struct buf *line)
{
	for (unsigned int i = et_kinds[kind].row; i < et_kinds[kind].end; i++) {
		const struct et_row *row = &et_rows[i];

		if (row->role == ET_FAILED && line->len == row->len + 1u &&
		    !memcmp(line->s, row->name, row->len) && line->s[row->len] == '|')
			return true;
	}
	return false;
}

/* Print a task's next record: one line or several.  Return: the last line's time. */
static uint64_t print_record(struct gen *g, struct actor *a, struct bytes *to, uint64_t now)
{
	bool several = g->style == STYLE_MODULE || g->style == STYLE_NAMED;
	bool first = true;

	do {
		const struct buf *line = &a->lines.l[a->next++];

		now += !first && !g->one_time;
		print_prefix(g, to, a, now, first);
		bytes_add(to, line->s, line->len);
		bytes_add(to, "\n", 1);
		first = false;
		/*
		 * Alone in a record, the line that a call failed may also be another
		 * call; no tracer that puts several lines into a record splits there.
		 */
	} while (several && a->next < a->lines.n &&
		 (!rnd_one_in(&g->r, 10) ||
		  (fails_alone(a->kind) && is_failed_line(a->kind, &a->lines.l[a->next]))));
	return now;
}

void gen_trace(struct gen *g, size_t events, struct events *expect,
	       struct bytes *files, bool global)
{
	struct actor *actors = xcalloc(g->tasks, sizeof(*actors));
	uint64_t now = 1000000000ull * rnd(&g->r, 100000);
	size_t busy = 0, made = 0;

	for (unsigned int i = 0; i < g->tasks; i++)
		actors[i].upid = (uint64_t)(i + 1) << 22 | (100 + i);
	while (made < events || busy) {
		struct actor *a = &actors[rnd(&g->r, g->tasks)];

		now += 1 + rnd(&g->r, rnd_one_in(&g->r, 50) ? 5000000 : 2000);
		if (!a->lines.n) {
			struct made m = { 0 };

			if (made == events)
				continue;
			if (rnd_one_in(&g->r, 3))
				a->cpu = (uint32_t)rnd(&g->r, g->cpus);
			et_reset(&m.ev, random_kind(g), a->upid, a->cpu, now);
			random_event(g, &m, a->kind == (enum et_kind)m.ev.kind);
			a->kind = m.ev.kind;
			print_event(g, &a->lines, &m);
			events_add(expect, &m.ev);
			et_fini(&m.ev);
			made++;
			busy++;
		} else if (rnd_one_in(&g->r, 6)) {
			/* moved to another CPU within an event */
			a->cpu = (uint32_t)rnd(&g->r, g->cpus);
		}
		now = print_record(g, a, &files[global ? 0 : a->cpu], now);
		if (a->next == a->lines.n) {
			lines_free(&a->lines);
			a->next = 0;
			busy--;
		}
	}
	free(actors);
}

/* ---- reading ---- */

struct catcher {
	struct sink sink;
	struct events *to;
	struct plain_lines plain;
};

/* plain_lines_put() prints the same as et_print_lines(), and does not exceed its buffer. */
static void prints_the_same(struct plain_lines *p, const struct et_event *ev)
{
	const uint64_t times[] = { 0, ev->time + 3, ev->time / 2 };

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		uint64_t next = times[i];
		struct buf b = { 0 };
		char *to = xmalloc(plain_lines_room(ev)), *end;

		end = plain_lines_put(p, ev, &next, to);
		if (end) {
			assert_int_equal(et_print_lines(ev, times[i], &b), next);
			assert_int_equal(end - to, b.len);
			assert_memory_equal(to, b.len ? b.s : "", b.len);
		} else {
			assert_int_equal(next, times[i]);
		}
		buf_free(&b);
		free(to);
	}
}

static int catch_item(struct sink *s, const void *item)
{
	struct catcher *c = (struct catcher *)s;

	prints_the_same(&c->plain, item);
	events_add(c->to, item);
	return 0;
}

struct reading read_lines(const struct bytes *files, size_t n)
{
	static const struct sink_ops ops = { .item = catch_item };
	const struct source_format *f = source_formats;
	struct reading r = { 0 };
	struct catcher c = { .sink.ops = &ops, .to = &r.events };
	struct in **in = xcalloc(n, sizeof(*in));
	struct source_args args = { .in = in, .nin = n };
	struct source *src;
	struct opts opts;
	size_t len = 0;
	FILE *log = open_memstream(&r.messages.data, &len);

	opts_init(&opts);
	args.opts = &opts;
	args.diag = diag_new(log, "test");
	for (size_t i = 0; i < n; i++)
		in[i] = in_mem(files[i].data ? files[i].data : "", files[i].n, "input");
	while (strcmp(f->name, "etrace"))
		f++;
	src = f->open(&args);
	assert_non_null(src);
	assert_int_equal(source_run(src, &c.sink), 0);
	src->ops->free(src);
	plain_lines_free(&c.plain);
	diag_summary(args.diag);
	r.status = diag_status(args.diag);
	diag_free(args.diag);
	for (size_t i = 0; i < n; i++)
		in_close(in[i]);
	free(in);
	fclose(log);
	r.messages.n = len;
	return r;
}

void reading_free(struct reading *r)
{
	events_free(&r->events);
	bytes_free(&r->messages);
}

struct own_line {
	uint64_t upid, cpu, sec, nsec;
	const char *text;
	size_t len;		/* with the newline */
	uint64_t order;
};

/* Split a line.  Return: false if it has no prefix. */
static bool own_line(const char *s, size_t len, struct own_line *l)
{
	char head[128];
	int n = 0;

	l->text = s;
	l->len = len;
	if (len >= sizeof(head))
		len = sizeof(head) - 1;
	memcpy(head, s, len);
	head[len] = 0;
	if (sscanf(head, "%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 "!%n", &l->upid,
		   &l->cpu, &l->sec, &l->nsec, &n) != 4 || !n)
		return false;
	l->text += n;
	l->len -= (size_t)n;
	return true;
}

struct bytes own_times(const char *text, size_t n)
{
	struct { uint64_t upid, time; } last[64];
	struct bytes to = { 0 };
	size_t tasks = 0;

	for (const char *end = text + n; text < end;) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t len = nl ? (size_t)(nl + 1 - text) : (size_t)(end - text);
		struct own_line l;
		uint64_t time;
		char head[128];
		size_t i = 0;

		if (own_line(text, len, &l)) {
			time = l.sec * 1000000000 + l.nsec;
			while (i < tasks && last[i].upid != l.upid)
				i++;
			assert_true(i < sizeof(last) / sizeof(last[0]));
			if (i == tasks)
				last[tasks++].upid = l.upid;
			else if (time <= last[i].time)
				time = last[i].time + 1;
			last[i].time = time;
			snprintf(head, sizeof(head), "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "!",
				 l.upid, l.cpu, time / 1000000000, time % 1000000000);
			bytes_add(&to, head, strlen(head));
		}
		bytes_add(&to, l.text, l.len);
		text += len;
	}
	return to;
}

static int by_time(const void *a, const void *b)
{
	const struct own_line *x = a, *y = b;

	if (x->upid != y->upid)
		return x->upid < y->upid ? -1 : 1;
	if (x->sec != y->sec)
		return x->sec < y->sec ? -1 : 1;
	return x->nsec < y->nsec ? -1 : x->nsec > y->nsec;
}

void assert_sorted(const struct bytes *text)
{
	struct own_line *lines = NULL;
	struct rng r = { text->n };
	size_t n = 0, cap = 0;

	for (const char *s = text->data, *end = s + text->n; s < end;) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		size_t len = (size_t)(nl + 1 - s);

		lines = xgrow(lines, &cap, n + 1, sizeof(*lines));
		if (own_line(s, len, &lines[n])) {
			lines[n].order = n;
			n++;
		}
		s += len;
	}
	for (size_t i = n; i > 1; i--) {
		size_t j = rnd(&r, i);
		struct own_line l = lines[i - 1];

		lines[i - 1] = lines[j];
		lines[j] = l;
	}
	if (n)
		qsort(lines, n, sizeof(*lines), by_time);
	for (size_t i = 1; i < n; i++)
		if (lines[i - 1].upid == lines[i].upid &&
		    (!by_time(&lines[i - 1], &lines[i]) || lines[i - 1].order > lines[i].order))
			fail_msg("task %" PRIu64 ": out of order at %" PRIu64 ",%" PRIu64 ": %.*s",
				 lines[i].upid, lines[i].sec, lines[i].nsec,
				 (int)lines[i].len, lines[i].text);
	free(lines);
}

struct bytes lines_of(const struct events *es)
{
	struct bytes b = { 0 };
	struct buf text = { 0 };

	for (size_t i = 0; i < es->n; i++) {
		text.len = 0;
		et_print_lines(&es->e[i], 0, &text);
		bytes_add(&b, text.s, text.len);
	}
	buf_free(&text);
	return b;
}

/* ---- lines ---- */

/* A task's prefix. */
#define P1 "4194405,0,7,"
const char every_kind_lines[] =
	P1 "1!Present|commsize=1,pathsize=2,cwdsize=1,argvsize=1,process=4194405,parent=3\n"
	P1 "1!TN|a\n" P1 "1!TP|/a\n" P1 "1!TW|/\n" P1 "1!TA|a\n"
	P1 "2!SysClone|flags=17\n" P1 "2!SchedFork|pid=8388710\n"
	P1 "2!SysClone|flags=17\n" P1 "2!SysCloneFailed|\n"
	"8388710,0,7,3!New_proc|argsize=0,prognameisize=2,prognamepsize=2,cwdsize=1\n"
	"8388710,0,7,3!PI|/b\n8388710,0,7,3!PP|/b\n8388710,0,7,3!CW|/\n"
	"8388710,0,7,3!End_of_args|\n"
	"8388710,0,7,4!New_proc|argsize=7,prognameisize=2,prognamepsize=2,cwdsize=1\n"
	"8388710,0,7,4!PI|/b\n8388710,0,7,4!PP|/b\n8388710,0,7,4!CW|/\n"
	"8388710,0,7,4!A[0]b\n8388710,0,7,4!A[1]\n8388710,1,7,5!A[2]\xff\xfe\n"
	"8388710,1,7,5!A[3]\n8388710,1,7,5!End_of_args|\n"
	P1 "6!Open|fnamesize=3,forigsize=1,flags=0,mode=0,fd=3,new=1,b=\xff\n"
	P1 "6!FN|/\xff\xfe\n" P1 "6!FO|x\n" P1 "6!Marks|cut=FN\n" P1 "6!More|\xff\n"
	P1 "7!Open|fnamesize=300,forigsize=1,flags=18446744073709551615,mode=0,fd=-2\n"
	P1 "7!FN|/\n"
	P1 "8!Close|fd=3\n" P1 "8!Z|\xff\n" P1 "9!Dup|oldfd=1,newfd=5,flags=0\n" P1 "10!Pipe|fd1=3,fd2=4,flags=0\n"
	P1 "11!RenameFrom|fnamesize=2\n" P1 "11!RF|/a\n" P1 "11!RenameTo|fnamesize=2\n" P1 "11!RT|/b\n"
	P1 "12!RenameFailed|\n"
	P1 "13!LinkatFrom|fnamesize=2,flags=0\n" P1 "13!LF|/a\n" P1 "13!LinkTo|fnamesize=2\n" P1 "13!LT|/b\n"
	P1 "14!Symlink|targetnamesize=1,linknamesize=2\n" P1 "14!ST|a\n" P1 "14!SL|/b\n"
	P1 "15!Mount|sourcenamesize=1,targetnamesize=2,typenamesize=4,flags=0\n"
	P1 "15!MS|a\n" P1 "15!MT|/b\n" P1 "15!MX|ext4\n"
	P1 "16!Umount|targetnamesize=2,flags=0\n" P1 "16!MT|/b\n"
	P1 "17!Comm|size=1\n" P1 "17!CN|c\n" P1 "17!IoUring|fd=7\n"
	"9999,0,7,18!FN|lost\n" "8888,0,7,18!MT|/lost\n" "7777,0,7,18!Strange|x\n"
	"8388710,0,7,19!Exit|status=11\n8388710,0,7,19!ExitSignal|signal=11,core=0\n"
	P1 "20!Exit|status=256\n"
	"CPU:1 [LOST 12 EVENTS]\nCPU:0 [LOST EVENTS]\n"
	"0,0,7,30!Session|backendsize=3,commandsize=1,verdictsize=8,complete=1,status=0,"
	"records=9,arrived=9,lost=0\n0,0,7,30!VB|bpf\n0,0,7,30!VC|a\n0,0,7,30!VT|complete\n";
