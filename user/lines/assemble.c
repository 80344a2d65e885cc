// SPDX-License-Identifier: LGPL-2.1
/* Lines into events.  See assemble.h and Documentation/line-format.md. */
#include "lines/assemble.h"
#include "lines/event_lines.h"
#include "build/order.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * A whole event may still be followed by lines outside the format, in the same
 * record or right behind it, and by events of other processors with an earlier
 * time.  It leaves when so many younger events are there, or after so long.
 */
#define HOLD_EVENTS	128u
#define HOLD_NS		20000000u
/*
 * An event that is not whole holds the others back until so many wait for it,
 * or so many bytes; then it goes on alone and comes late.
 */
#define WAIT_EVENTS	4096u
#define WAIT_BYTES	(16u << 20)
/* So many bytes of arguments are worth the short way. */
#define KEEP_SHORT	(1u << 20)
/* So many may be alone; then the first of them is given up. */
#define ALONE		4096u

/* ---- what can be wrong ---- */

static const struct diag_kind bad_header = {
	"event lines that cannot be read in full", DIAG_DAMAGE };
static const struct diag_kind doubled = {
	"lines that came twice, dropped once", DIAG_DAMAGE };
static const struct diag_kind stray = {
	"ends of strings without a beginning, passed over", DIAG_DAMAGE };
static const struct diag_kind no_cont_end = {
	"events with a missing Cont_end", DIAG_DAMAGE };
static const struct diag_kind backwards = {
	"lines that go back in their task's time", DIAG_DAMAGE };
static const struct diag_kind incomplete = {
	"events with something missing or damaged", DIAG_DAMAGE };
static const struct diag_kind too_big = {
	"events divided because they grow without end", DIAG_DAMAGE };
static const struct diag_kind lost_events = {
	"events lost by the tracer", DIAG_DAMAGE };
static const struct diag_kind lost_unknown = {
	"losses of an unknown number of events", DIAG_DAMAGE };
/* What the module prints with its parameter "extended". */
static const char *const extensions[] = {
	"Failed", "Marks",
};

static const struct diag_kind unknown_tags = {
	"lines with tags outside the format, kept", DIAG_NOTE };
static const struct diag_kind late_events = {
	"events that came too late to be put in order", DIAG_NOTE };

/* ---- the text of a line ---- */

/* What a line says, apart from whose and when. */
struct piece {
	enum {
		P_HEADER,
		P_STRING,	/* TAG|text, TAG[n]text */
		P_STRING_END,	/* TAG_end */
		P_CONT,		/* Cont|text */
		P_CONT_END,
		P_OTHER,
	} what;
	enum lt_tag tag;
	bool part;		/* has a number */
	uint32_t index;
	const char *text;
	size_t len;
};

/* Names of tags to tags: open addressing, the last slot never used. */
#define NAME_SLOTS 128u
static uint8_t name_table[NAME_SLOTS];

static unsigned int name_hash(const char *s, size_t len)
{
	return ((unsigned char)s[0] * 5u + (unsigned char)s[1] * 33u +
		(unsigned char)s[len - 1] * 3u + (unsigned int)len * 7u) % NAME_SLOTS;
}

__attribute__((constructor))
static void make_name_table(void)
{
	for (unsigned int t = LT_NONE + 1; t < LT_OTHER; t++) {
		size_t len = lt_tags[t].name_len;
		unsigned int h = len < 2 ? 0 : name_hash(lt_tags[t].name, len);

		while (name_table[h])
			h = (h + 1) % NAME_SLOTS;
		name_table[h] = (uint8_t)t;
	}
}

static enum lt_tag find_tag(const char *s, size_t len)
{
	unsigned int h = len < 2 ? 0 : name_hash(s, len);

	for (; name_table[h]; h = (h + 1) % NAME_SLOTS) {
		const struct lt_tag_row *row = &lt_tags[name_table[h]];

		if (row->name_len == len && row->name[0] == s[0] && !memcmp(row->name, s, len))
			return name_table[h];
	}
	return LT_NONE;
}

static bool is_name(const char *s, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(s, name, len);
}

/* "_end" taken off a name, or 0 */
static size_t without_end(const char *s, size_t len)
{
	return len > 4 && !memcmp(s + len - 4, "_end", 4) ? len - 4 : 0;
}

static struct piece read_piece(const struct et_line *l)
{
	const char *s = l->text;
	size_t len = l->len, n = l->tag_len, stem;
	struct piece p = { .what = P_OTHER, .tag = LT_OTHER, .text = s, .len = len };
	uint64_t index = 0;

	stem = n == len || (s[n] == '|' && n + 1 == len) ? without_end(s, n) : 0;
	if (stem) {
		/* Cont_end and TAG_end, both with a bar or without */
		enum lt_tag tag = find_tag(s, stem);

		if (is_name(s, stem, "Cont")) {
			p.what = P_CONT_END;
			return p;
		}
		if (tag >= LT_FIRST_STRING) {
			p.what = P_STRING_END;
			p.tag = tag;
			return p;
		}
	}
	if (n == len)
		return p;
	if (s[n] == '|') {
		enum lt_tag tag = n ? find_tag(s, n) : LT_NONE;

		if (tag == LT_NONE && !is_name(s, n, "Cont"))
			return p;
		p.text = s + n + 1;
		p.len = len - n - 1;
		if (tag == LT_NONE) {
			p.what = P_CONT;
		} else {
			p.what = tag >= LT_FIRST_STRING ? P_STRING : P_HEADER;
			p.tag = tag;
		}
		return p;
	}
	p.tag = find_tag(s, n);
	if (p.tag < LT_FIRST_STRING) {
		p.tag = LT_OTHER;
		return p;
	}
	for (stem = n + 1; stem < len && s[stem] >= '0' && s[stem] <= '9'; stem++) {
		index = index * 10 + (uint64_t)(s[stem] - '0');
		if (index > INT32_MAX)
			break;
	}
	if (stem == n + 1 || stem == len || s[stem] != ']') {
		p.tag = LT_OTHER;
		return p;
	}
	p.what = P_STRING;
	p.part = true;
	p.index = (uint32_t)index;
	p.text = s + stem + 1;
	p.len = len - stem - 1;
	return p;
}

/* ---- fields of headers ---- */

/* A whole number of 64 bits, signed or not.  Return: what follows, or NULL. */
static const char *read_value(const char *s, const char *end, int64_t *v, bool *big)
{
	bool minus = s < end && *s == '-';
	const char *begin = s += minus;
	uint64_t n = 0, d = 0;

	for (; s < end && (d = (uint64_t)(*s - '0')) < 10; s++) {
		/* 19 digits always fit */
		if (s - begin >= 19 && n > (UINT64_MAX - d) / 10)
			return NULL;
		n = n * 10 + d;
	}
	if (s == begin || (minus && n > (uint64_t)INT64_MAX + 1))
		return NULL;
	*big = !minus && n > INT64_MAX;
	*v = (int64_t)(minus ? -n : n);
	return s;
}

/*
 * Fields in another order, unknown ones, damaged ones.  What is not known is
 * kept as text.  Return: false if something could not be read.
 */
static bool read_odd_fields(struct lt_event *ev, const char *s, const char *end)
{
	const struct lt_tag_row *row = &lt_tags[ev->items[ev->nitems - 1].tag];
	unsigned int next = 0;
	bool good = true;

	while (s < end) {
		const char *stop, *p = NULL;
		unsigned int i = row->nfields;
		int64_t v = 0;
		bool big = false;

		for (unsigned int n = 0; n < row->nfields; n++) {
			size_t name_len;

			i = next + n < row->nfields ? next + n : next + n - row->nfields;
			name_len = row->fields[i].len;
			if ((size_t)(end - s) > name_len && s[name_len] == '=' &&
			    !memcmp(s, row->fields[i].name, name_len)) {
				p = read_value(s + name_len + 1, end, &v, &big);
				break;
			}
			i = row->nfields;
		}
		if (p && (p == end || *p == ',') &&
		    !(ev->items[ev->nitems - 1].have >> i & 1)) {
			lt_set_field(ev, i, v, big);
			next = i + 1;
			s = p + 1;
			/* a comma at the end promises a field that is not there */
			good = good && !(p < end && s == end);
			continue;
		}
		stop = memchr(s, ',', (size_t)(end - s));
		stop = stop ? stop : end;
		/* unknown=value is somebody's extension, the rest is damage */
		if (i < row->nfields || !memchr(s, '=', (size_t)(stop - s)))
			good = false;
		ev->flags |= LT_F_ODD;
		if (ev->items[ev->nitems - 1].len)
			lt_add_bytes(ev, ",", 1);
		else
			ev->items[ev->nitems - 1].text = (uint32_t)ev->nbytes;
		lt_add_bytes(ev, s, (size_t)(stop - s));
		s = stop + 1;
		/* an empty one at the end stays, so that it reads the same again */
		if (s == end)
			lt_add_bytes(ev, ",", 1);
	}
	return good;
}

/*
 * The fields of a header into the event's last item.
 * Return: false if something could not be read.
 */
static bool read_fields(struct lt_event *ev, const char *s, size_t len)
{
	struct lt_item *it = &ev->items[ev->nitems - 1];
	const struct lt_tag_row *row = &lt_tags[it->tag];
	const char *end = s + len;
	unsigned int next = 0;

	/* as the format has them: in order, nothing else */
	for (; next < row->nfields && s < end; next++) {
		const struct et_field *f = &row->fields[next];
		const char *p;
		bool big;

		if ((size_t)(end - s) <= f->len || s[f->len] != '=' ||
		    memcmp(s, f->name, f->len)) {
			if (f->may)
				continue;
			break;
		}
		p = read_value(s + f->len + 1, end, &ev->vals[it->off + next], &big);
		if (!p || (p < end && (*p != ',' || p + 1 == end)))
			break;
		it->have |= (uint8_t)(1u << next);
		it->big |= (uint8_t)(big << next);
		s = p + 1;
	}
	if (s >= end)
		return true;
	return read_odd_fields(ev, s, end);
}

/* ---- an event whose lines are still coming ---- */

#define MAX_WANT 4

/*
 * An event whose lines have all come just as the module prints them so far: it
 * is made at once, without the lines.  See "the short way".
 */
struct quick {
	bool on, done;
	uint8_t row;		/* in et_rows: what comes next */
	int64_t args_left;	/* bytes of arguments that are to come */
	struct et_event ev;
};

struct growing {
	struct lt_event ev;	/* first: see grow_of() */
	uint64_t order;		/* of arrival */
	const char *file;	/* where it began, for messages */
	/*
	 * OPEN: lines must come; DONE: none need to, but some may; CLOSED: none
	 * will be added.
	 */
	enum { OPEN, DONE, CLOSED } state;
	struct quick quick;
	bool queued;		/* in the queue; else it is late */
	bool ended;		/* nothing but announced strings can come */
	bool one_record;	/* has several lines, all of one record */
	bool went_back;		/* the last line's time did */
	uint32_t lines;
	/* the last line's, as it came */
	uint32_t line_cpu;
	uint64_t line_time;
	uint64_t step;		/* ns from the first line to the second */
	uint64_t need;		/* announced strings that are not whole, by tag */
	uint64_t quick_step;	/* ns from each line to the next */
	/* sizes that were announced; no event of the format has more */
	int64_t want_size[MAX_WANT];
	uint8_t want_tag[MAX_WANT];
	uint8_t nwant;
	int32_t string;		/* the string item that lines go on with; -1 none */
	uint32_t next_part;
	uint32_t piece_off;	/* where the last line's bytes begin in it */
	bool in_parts;		/* its end marker is to come */
	bool in_cont;		/* Cont_end is to come */
	bool cont_done;		/* it came: only another part may follow */
	bool no_cont_end;	/* it never came */
};

static uint64_t need_bit(enum lt_tag tag)
{
	return tag >= LT_FIRST_STRING && tag <= LT_LAST_STRING && tag != LT_A ?
	       UINT64_C(1) << (tag - LT_FIRST_STRING) : 0;
}

/* The size that headers announce for a string, or -1. */
static int64_t announced(const struct growing *g, enum lt_tag tag)
{
	for (uint32_t i = 0; i < g->nwant; i++)
		if (g->want_tag[i] == tag)
			return g->want_size[i];
	return -1;
}

static void begin_event(struct growing *g, enum et_kind kind, uint64_t upid,
			uint32_t cpu, uint64_t time)
{
	lt_reset(&g->ev, kind, upid, cpu, time);
	g->state = OPEN;
	g->quick.on = false;
	g->ended = !(lt_needs[kind] & LT_NEEDS_END);
	g->one_record = g->went_back = false;
	g->lines = 0;
	g->need = 0;
	g->nwant = 0;
	g->string = -1;
	g->piece_off = 0;
	g->in_parts = g->in_cont = g->cont_done = g->no_cont_end = false;
}

/* Is the current string as long as it will get? */
static bool string_done(const struct growing *g)
{
	const struct lt_item *it = &g->ev.items[g->string];
	int64_t size;

	if (g->in_parts || g->in_cont)
		return false;
	size = announced(g, it->tag);
	return size < 0 || it->len >= size;
}

/* Lines of another string or header come: this one gets no more. */
static void leave_string(struct growing *g)
{
	struct lt_item *it;

	if (g->string < 0)
		return;
	it = &g->ev.items[g->string];
	if (g->in_parts)
		it->flags |= LT_I_OPEN;
	g->no_cont_end |= g->in_cont;
	g->need &= ~need_bit(it->tag);
	g->string = -1;
	g->in_parts = g->in_cont = g->cont_done = false;
}

static void update_state(struct growing *g)
{
	if (g->string >= 0 && string_done(g))
		g->need &= ~need_bit(g->ev.items[g->string].tag);
	if (g->state != CLOSED)
		g->state = g->ended && !g->need && !g->in_parts && !g->in_cont ? DONE : OPEN;
}

/*
 * Does the line come as those of one record do?  They have the record's time,
 * or each is 1 ns behind the one before; but not now so and now so.
 */
static bool same_record(const struct growing *g, const struct et_line *l)
{
	uint64_t step = l->time - g->line_time;

	return l->cpu == g->line_cpu && (g->lines == 1 ? step <= 1 : step == g->step);
}

/* Count a line, and see whether all lines are of one record. */
static void count_line(struct growing *g, const struct et_line *l)
{
	if (g->lines) {
		g->one_record = (g->lines == 1 || g->one_record) && same_record(g, l);
		g->went_back = l->time < g->line_time;
		if (g->lines == 1)
			g->step = l->time - g->line_time;
	}
	g->lines++;
	g->line_cpu = l->cpu;
	/* what follows goes on from where the time was */
	if (!g->went_back)
		g->line_time = l->time;
}

/* A header that belongs to this event.  Return: false if it is damaged. */
static bool add_header(struct growing *g, const struct et_line *l, const struct piece *p)
{
	const struct lt_tag_row *row = &lt_tags[p->tag];
	const struct lt_item *it;
	bool good;

	leave_string(g);
	count_line(g, l);
	lt_add_item(&g->ev, p->tag, l->cpu, l->time);
	good = read_fields(&g->ev, p->text, p->len);
	it = &g->ev.items[g->ev.nitems - 1];
	for (unsigned int i = 0; i < row->nfields; i++) {
		enum lt_tag tag = LT_FIRST_STRING + row->fields[i].tag;
		int64_t size = g->ev.vals[it->off + i];

		if (!row->fields[i].is_size || !(it->have >> i & 1) || g->nwant == MAX_WANT)
			continue;
		g->want_tag[g->nwant] = (uint8_t)tag;
		g->want_size[g->nwant++] = size;
		if (size >= 0)
			g->need |= need_bit(tag);
	}
	if (row->role != ET_BEGIN)
		g->ended = true;
	return good;
}

static void add_string(struct growing *g, const struct et_line *l, const struct piece *p)
{
	struct lt_item *it;

	leave_string(g);
	count_line(g, l);
	it = lt_add_item(&g->ev, p->tag, l->cpu, l->time);
	it->index = p->tag == LT_A ? p->index : 0;
	g->string = (int32_t)g->ev.nitems - 1;
	g->in_parts = p->part && p->tag != LT_A;
	g->piece_off = 0;
	if (g->in_parts) {
		it->flags |= LT_I_SPLIT;
		if (p->index)
			lt_gap(&g->ev, p->index);
		g->next_part = p->index + 1;
	}
	lt_add_bytes(&g->ev, p->text, p->len);
}

/* More bytes for the current string, which must be the last item. */
static void add_more(struct growing *g, const struct et_line *l, const struct piece *p)
{
	count_line(g, l);
	if (p->what == P_CONT) {
		g->in_cont = true;
	} else {
		g->no_cont_end |= g->in_cont;
		g->in_cont = g->cont_done = false;
	}
	lt_go_on(&g->ev, p->what == P_CONT, l->cpu, l->time);
	if (g->in_parts && p->what == P_STRING) {
		if (p->index > g->next_part)
			lt_gap(&g->ev, p->index - g->next_part);
		g->next_part = p->index + 1;
	}
	g->piece_off = g->ev.items[g->string].len;
	lt_add_bytes(&g->ev, p->text, p->len);
}

/*
 * Cont_end.  Its stamp is kept only where it ends the string: between parts it
 * could not be told from that of the next part.
 */
static void end_conts(struct growing *g, const struct et_line *l)
{
	count_line(g, l);
	if (g->string >= 0 && !g->in_parts && g->ev.items[g->string].tag != LT_A)
		lt_stamp(&g->ev, l->cpu, l->time);
	else if (g->string >= 0)
		g->ev.last_time++;
	g->in_cont = false;
	g->cont_done = true;
}

/* TAG_end */
static void end_parts(struct growing *g, const struct et_line *l)
{
	count_line(g, l);
	if (g->string >= 0)
		lt_stamp(&g->ev, l->cpu, l->time);
	g->in_parts = false;
	leave_string(g);
}

static void add_other(struct growing *g, const struct et_line *l)
{
	leave_string(g);
	count_line(g, l);
	lt_add_item(&g->ev, LT_OTHER, l->cpu, l->time);
	lt_add_bytes(&g->ev, l->text, l->len);
}

static bool same_stamp(const struct growing *g, const struct et_line *l)
{
	return g->line_time == l->time && g->line_cpu == l->cpu;
}

/* Can this line go on with the current string? */
static bool goes_on(const struct growing *g, const struct piece *p)
{
	const struct lt_item *it;

	if (g->string < 0 || (uint32_t)g->string != g->ev.nitems - 1)
		return false;
	it = &g->ev.items[g->string];
	if (p->what == P_CONT)
		return !g->cont_done;
	if (p->what != P_STRING || p->tag != it->tag || !p->part)
		return false;
	return it->tag == LT_A ? p->index == it->index :
				   g->in_parts && p->index >= g->next_part;
}

/*
 * Is this the line before it once more?  Only where the format cannot repeat a
 * line: not Cont, not parts of arguments.
 */
static bool is_double(const struct growing *g, const struct et_line *l,
		      const struct piece *p)
{
	const struct lt_item *it;

	if (!g->ev.nitems || !same_stamp(g, l))
		return false;
	it = &g->ev.items[g->ev.nitems - 1];
	if (p->what == P_STRING && p->tag != LT_A && it->tag == p->tag &&
	    p->part == ((it->flags & LT_I_SPLIT) != 0) &&
	    (!p->part || p->index == g->next_part - 1))
		return it->len - g->piece_off == p->len &&
		       !memcmp(lt_bytes(&g->ev, it) + g->piece_off, p->text, p->len);
	if (p->what == P_HEADER && it->tag == p->tag) {
		struct lt_event copy;
		const struct lt_item *other;
		bool same;

		lt_init(&copy);
		lt_add_item(&copy, p->tag, 0, 0);
		read_fields(&copy, p->text, p->len);
		other = &copy.items[0];
		same = other->have == it->have && other->big == it->big &&
		       other->len == it->len &&
		       (!it->len || !memcmp(copy.bytes + other->text,
					    g->ev.bytes + it->text, it->len));
		for (unsigned int i = 0; same && i < lt_tags[p->tag].nfields; i++)
			same = !(it->have >> i & 1) ||
			       copy.vals[other->off + i] == g->ev.vals[it->off + i];
		lt_fini(&copy);
		return same;
	}
	if (p->what == P_OTHER && it->tag == LT_OTHER)
		return it->len == l->len && !memcmp(lt_bytes(&g->ev, it), l->text, l->len);
	return false;
}

/*
 * Does another string belong to this event?  Not if it is whole; but one whose
 * beginning is lost never tells when it is.
 */
static bool string_fits(const struct growing *g, enum lt_tag tag)
{
	enum et_role first = lt_tags[g->ev.items[0].tag].role;

	if (!lt_kind_has(g->ev.kind, tag) || (tag != LT_A && lt_find(&g->ev, tag)))
		return false;
	return g->state == OPEN || first == ET_STRING || first == ET_MIDDLE;
}

/*
 * Does a header that goes on with an event or ends it belong to this one?
 * Where all lines of an event came as one record, the tracer writes records of
 * several lines, and a line of another record is hardly of that event.
 */
static bool header_fits(const struct growing *g, const struct et_line *l,
			const struct piece *p)
{
	const struct lt_event *ev = &g->ev;
	bool open = !g->ended;

	/* one whose beginning is lost may still get its end, if it has none */
	if (lt_tags[ev->items[0].tag].role == ET_STRING) {
		open = true;
		for (uint32_t i = 0; i < ev->nitems; i++)
			open = open && lt_tags[ev->items[i].tag].role == ET_STRING;
	}
	if (lt_tags[p->tag].kind != ev->kind || lt_find(ev, p->tag))
		return false;
	switch (lt_tags[p->tag].role) {
	case ET_MIDDLE:
	case ET_LAST:
		return open;
	case ET_FAILED:
		/* a failed umount may also stand alone, behind a whole one */
		if (lt_fails_alone(ev->kind) && g->one_record && !same_record(g, l))
			return false;
		return lt_fails_late(ev->kind) || open;
	default:	/* ET_MORE; with ET_BEGIN another event begins */
		return true;
	}
}

/* ---- the assembler ---- */

struct slot {
	uint64_t upid;
	struct growing *g;	/* its event that is not whole yet, or NULL */
	uint64_t begun, seen;	/* times of its latest event, and of that's last line */
	bool used;
	bool gone;		/* its exit has come */
};

struct assembler {
	struct sink *sink;
	struct et_event ev;	/* that is let out */
	struct et_event start;	/* that may begin: no strings are kept in it */
	struct diag *diag;
	uint64_t passed;	/* time of the last event that left in order */
	int err;
	/* tasks, open addressing; those that are gone go at the next growth */
	struct slot *slots;
	size_t nslots, slots_cap;
	struct slot *last;	/* the last line's */
	struct order queue;	/* of struct growing */
	size_t bytes;		/* of the events in the queue */
	uint64_t alone[ALONE];	/* upids whose event left the queue, a ring */
	size_t nalone;
	struct growing **spare;
	size_t nspare, spare_cap;
};

struct assembler *asm_new(struct sink *sink, struct diag *diag)
{
	struct assembler *a = xcalloc(1, sizeof(*a));

	a->sink = sink;
	a->diag = diag;
	et_init(&a->ev);
	return a;
}

static void free_growing(struct growing *g)
{
	lt_fini(&g->ev);
	et_fini(&g->quick.ev);
	free(g);
}

void asm_free(struct assembler *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->slots_cap; i++)
		if (a->slots[i].g && !a->slots[i].g->queued)
			free_growing(a->slots[i].g);
	while (a->queue.n)
		free_growing(order_take(&a->queue));
	for (size_t i = 0; i < a->nspare; i++)
		free_growing(a->spare[i]);
	et_fini(&a->ev);
	free(a->slots);
	order_free(&a->queue);
	free(a->spare);
	free(a);
}

/* ---- tasks ---- */

static struct slot *probe(struct slot *slots, size_t cap, uint64_t upid)
{
	size_t i = hash_word(upid) & (cap - 1);

	while (slots[i].used && slots[i].upid != upid)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

static bool is_busy(const struct slot *s)
{
	return s->used && (s->g || !s->gone);
}

static void rehash(struct assembler *a)
{
	struct slot *old = a->slots;
	size_t old_cap = a->slots_cap, busy = 0;

	for (size_t i = 0; i < old_cap; i++)
		busy += is_busy(&old[i]);
	a->slots_cap = 64;
	while (a->slots_cap < 4 * (busy + 1))
		a->slots_cap *= 2;
	a->slots = xcalloc(a->slots_cap, sizeof(*a->slots));
	a->nslots = busy;
	a->last = NULL;
	for (size_t i = 0; i < old_cap; i++)
		if (is_busy(&old[i]))
			*probe(a->slots, a->slots_cap, old[i].upid) = old[i];
	free(old);
}

static struct slot *slot_of(struct assembler *a, uint64_t upid)
{
	struct slot *s;

	if (a->last && a->last->upid == upid)
		return a->last;
	if (2 * (a->nslots + 1) > a->slots_cap)
		rehash(a);
	s = probe(a->slots, a->slots_cap, upid);
	if (!s->used) {
		*s = (struct slot){ .upid = upid, .used = true };
		a->nslots++;
	}
	a->last = s;
	return s;
}

/* ---- the queue ---- */

static size_t bytes_of(const struct growing *g)
{
	return g->quick.on ? g->quick.ev.nbytes : g->ev.nbytes;
}

static void push(struct assembler *a, struct growing *g)
{
	order_put(&a->queue, g->ev.time, g->order, g);
	g->queued = true;
}

static struct growing *pop(struct assembler *a)
{
	struct growing *g = order_take(&a->queue);

	g->queued = false;
	a->bytes -= bytes_of(g);
	return g;
}

static struct growing *new_growing(struct assembler *a)
{
	struct growing *g;

	if (a->nspare)
		return a->spare[--a->nspare];
	g = xcalloc(1, sizeof(*g));
	lt_init(&g->ev);
	et_init(&g->quick.ev);
	return g;
}

/* ---- letting events out ---- */

/* ---- the short way ---- */

/*
 * Most events come as the module prints them: a line with all sizes and values,
 * the strings in their order with just these sizes, each line behind the one
 * before, all of one record.  Such an event needs no tree of its lines.  The first
 * line that is not so ends the short way: then the tree is made of what came,
 * and everything goes on as for any other event.
 */

/* Whether a number stands as it is printed: no zeros, no sign before it in vain. */
static bool is_canonical(const char *s, const char *end)
{
	bool minus = *s == '-';

	return s[minus] != '0' || (!minus && end - s == 1);
}

/* The first line.  Return: false if it is not as the module prints it. */
static bool read_plainly(struct et_event *ev, const struct et_row *row, const char *s,
			 const char *end)
{
	for (const struct et_field *f = row->fields; f->name; f++) {
		const char *begin = s + f->len + 1, *p;
		bool big = false;
		int64_t v;

		if (end - s <= f->len || s[f->len] != '=' || memcmp(s, f->name, f->len) != 0) {
			if (f->may)
				continue;
			return false;
		}
		p = read_value(begin, end, &v, &big);
		if (!p || !is_canonical(begin, p) || (p < end && (*p != ',' || p + 1 == end)) ||
		    (f->is_size && (v < 0 || big)))
			return false;
		s = p < end ? p + 1 : end;
		if (f->is_size) {
			et_announce(ev, f->slot, v);
			continue;
		}
		et_set(ev, f->slot, v);
		ev->big |= (uint8_t)(big << f->slot);
	}
	return s == end;
}

/* On to the lines that come next: those of strings that were announced, or the last. */
static void next_row(struct quick *q)
{
	const struct et_kind_row *kind = &et_kinds[q->ev.kind];

	for (; q->row < kind->end; q->row++) {
		const struct et_row *row = &et_rows[q->row];

		if ((row->role == ET_STRING && q->ev.announced >> row->slot & 1) ||
		    row->role == ET_LAST)
			return;
	}
	q->done = true;
	/* what was announced is what came */
	q->ev.announced = 0;
}

/* Whether all of a kind's events are a line with everything, and strings. */
static bool has_short_way(const struct et_row *row)
{
	return row->role == ET_BEGIN && row->when == ET_EACH;
}

static void leave_short_way(struct assembler *a, struct growing *g)
{
	struct et_event *ev = &g->quick.ev;
	struct lt_event lines;
	struct buf text = { 0 };
	uint64_t time = ev->time;
	const char *s;

	if (g->queued)
		a->bytes -= bytes_of(g);
	g->quick.on = false;
	if (!g->quick.done)
		ev->flags |= ET_F_NO_END;
	lt_init(&lines);
	lt_from_event(ev, &lines);
	lt_print(&lines, 0, &text);
	lt_fini(&lines);
	begin_event(g, ev->kind, ev->upid, ev->cpu, ev->time);
	g->ev.place = ev->place;
	for (s = text.s; s < text.s + text.len;) {
		const char *nl = memchr(s, '\n', (size_t)(text.s + text.len - s));
		struct et_line l = { .upid = ev->upid, .cpu = ev->cpu, .time = time };
		struct piece p;

		l.text = (const char *)memchr(s, '!', (size_t)(nl - s)) + 1;
		l.len = (size_t)(nl - l.text);
		while (l.text[l.tag_len] != '|' && l.text[l.tag_len] != '[')
			l.tag_len++;
		p = read_piece(&l);
		if (p.what == P_HEADER)
			add_header(g, &l, &p);
		else
			add_string(g, &l, &p);
		time += g->quick_step;
		s = nl + 1;
	}
	update_state(g);
	buf_free(&text);
	if (g->queued)
		a->bytes += bytes_of(g);
}

/* A line that may go on with an event.  Return: false if it does not so plainly. */
static bool go_on_shortly(struct assembler *a, struct growing *g, const struct et_line *l)
{
	const struct et_row *row = &et_rows[g->quick.row];
	uint64_t step = l->time - g->line_time;
	struct et_event *ev = &g->quick.ev;
	const char *s = l->text + l->tag_len + 1;
	size_t n = l->len - l->tag_len - 1, was = ev->nbytes;

	if (g->quick.done || l->cpu != g->line_cpu || l->tag_len >= l->len ||
	    (g->lines == 1 ? step > 1 : step != g->quick_step))
		return false;
	if (row->role == ET_STRING && row->slot == ET_ARGS && l->text[l->tag_len] == '|') {
		/* the last argument was the last */
		if (g->quick.args_left)
			return false;
		row++;
	}
	if (l->tag_len != row->len || memcmp(l->text, row->name, row->len) != 0)
		return false;
	if (row->role != ET_STRING) {
		if (l->text[l->tag_len] != '|' || n)
			return false;
	} else if (row->slot == ET_ARGS) {
		uint64_t index = 0;
		const char *digits = s;

		for (; n && *s >= '0' && *s <= '9' && index < UINT32_MAX; s++, n--)
			index = 10 * index + (uint64_t)(*s - '0');
		if (s == digits || !is_canonical(digits, s) || !n || *s != ']' ||
		    index != ev->nargs || n - 1 >= ET_PART_MAX ||
		    (int64_t)n > g->quick.args_left || ev->nbytes > KEEP_SHORT)
			return false;
		/* with its null byte */
		g->quick.args_left -= (int64_t)n;
		et_add_arg(ev, s + 1, n - 1);
	} else {
		if (l->text[l->tag_len] != '|' || n >= ET_PART_MAX ||
		    (int64_t)n != ev->size[row->slot])
			return false;
		et_add_string(ev, row->slot, s, n);
	}
	g->quick_step = step;
	g->lines++;
	g->line_time = g->ev.last_time = l->time;
	if (g->queued)
		a->bytes += ev->nbytes - was;
	if (row->slot != ET_ARGS || row->role != ET_STRING) {
		g->quick.row = (uint8_t)(row - et_rows + 1);
		next_row(&g->quick);
	}
	if (g->quick.done)
		g->state = DONE;
	return true;
}

static struct growing *start(struct assembler *a, struct slot *s, enum et_kind kind,
			     const struct et_line *l, const char *file, uint64_t line);

/* A line that may begin an event.  Return: false if it does not so plainly. */
static bool start_shortly(struct assembler *a, struct slot *s, const struct et_line *l,
			  const char *file, uint64_t line)
{
	enum lt_tag tag;
	const struct et_row *row;
	struct growing *g = s->g;
	struct quick *q;

	if (l->tag_len >= l->len || l->text[l->tag_len] != '|' || l->time < s->seen ||
	    (g && l->time <= g->line_time))
		return false;
	tag = find_tag(l->text, l->tag_len);
	if (tag == LT_NONE || tag >= LT_FIRST_STRING)
		return false;
	row = lt_rows[tag];
	if (!has_short_way(row))
		return false;
	a->start.given = a->start.big = a->start.announced = 0;
	if (!read_plainly(&a->start, row, l->text + l->tag_len + 1, l->text + l->len))
		return false;
	g = start(a, s, row->kind, l, file, line);
	q = &g->quick;
	et_reset(&q->ev, row->kind, l->upid, l->cpu, l->time);
	q->ev.place = line;
	q->ev.given = a->start.given;
	q->ev.big = a->start.big;
	q->ev.announced = a->start.announced;
	memcpy(q->ev.val, a->start.val, sizeof(q->ev.val));
	memcpy(q->ev.size, a->start.size, sizeof(q->ev.size));
	q->on = true;
	q->done = false;
	q->row = (uint8_t)(row - et_rows + 1);
	q->args_left = q->ev.announced >> ET_ARGS & 1 ? q->ev.size[ET_ARGS] : 0;
	if (q->ev.announced >> ET_ARGS & 1 && !q->args_left)
		q->ev.strings |= 1u << ET_ARGS;
	next_row(q);
	g->lines = 1;
	g->line_cpu = l->cpu;
	g->line_time = g->ev.last_time = l->time;
	g->quick_step = 0;
	g->state = q->done ? DONE : OPEN;
	return true;
}

static void report_findings(struct assembler *a, const struct growing *g,
			    const struct et_event *ev)
{
	char text[160];

	et_finding_text(&ev->findings[0], text, sizeof(text));
	diag_report(a->diag, &incomplete, g->file, DIAG_LINE, ev->place,
		    "%s of task %" PRIu64 ": %s%s", et_kinds[ev->kind].name,
		    ev->upid, text, ev->nfindings > 1 ? ", and more" : "");
}

static void let_out(struct assembler *a, struct growing *g)
{
	struct et_event *ev = g->quick.on ? &g->quick.ev : &a->ev;
	int err;

	if (!g->quick.on)
		lt_to_event(&g->ev, ev);
	if (ev->nfindings)
		report_findings(a, g, ev);
	if (g->no_cont_end)
		diag_report(a->diag, &no_cont_end, g->file, DIAG_LINE, ev->place, NULL);
	if (ev->time < a->passed) {
		ev->flags |= ET_F_LATE;
		diag_report(a->diag, &late_events, g->file, DIAG_LINE, ev->place, NULL);
	} else {
		a->passed = ev->time;
	}
	err = sink_item(a->sink, ev);
	if (!a->err)
		a->err = err;
	if (a->nspare < 2 * HOLD_EVENTS) {
		a->spare = xgrow(a->spare, &a->spare_cap, a->nspare + 1, sizeof(g));
		a->spare[a->nspare++] = g;
	} else {
		free_growing(g);
	}
}

/* No more lines for the task's event; it leaves in its turn, or now if late. */
static void close_event(struct assembler *a, struct slot *s)
{
	struct growing *g = s->g;

	s->g = NULL;
	if (g->quick.on && !g->quick.done)
		leave_short_way(a, g);
	leave_string(g);
	g->state = CLOSED;
	if (!g->queued)
		let_out(a, g);
}

/* An event that held others back too long waits outside the queue. */
static void go_alone(struct assembler *a, const struct growing *g)
{
	uint64_t *place = &a->alone[a->nalone++ % ALONE];

	if (a->nalone > ALONE) {
		struct slot *s = probe(a->slots, a->slots_cap, *place);

		if (s->used && s->g && !s->g->queued)
			close_event(a, s);
	}
	*place = g->ev.upid;
}

/* A mount may still fail long after its strings were printed. */
static bool may_still_fail(const struct growing *g)
{
	/* what goes the short way came as one record, as far as it came */
	bool one_record = g->quick.on ? g->lines > 1 : g->one_record;

	return lt_fails_late(g->ev.kind) && !(g->ev.flags & LT_F_FAILED) && !one_record;
}

/* Let out what is due at @now. */
static void drain(struct assembler *a, uint64_t now)
{
	while (a->queue.n) {
		struct growing *g = order_first(&a->queue);
		bool crowded = a->queue.n > WAIT_EVENTS ||
			       (a->queue.n > 1 && a->bytes > WAIT_BYTES);

		if (g->state == DONE &&
		    (crowded || (!may_still_fail(g) &&
				 (a->queue.n > HOLD_EVENTS ||
				  now > g->ev.last_time + HOLD_NS))))
			close_event(a, probe(a->slots, a->slots_cap, g->ev.upid));
		if (g->state == CLOSED)
			let_out(a, pop(a));
		else if (crowded)
			go_alone(a, pop(a));
		else
			break;
	}
}

static void tell_backwards(struct assembler *a, const char *file, uint64_t line)
{
	diag_report(a->diag, &backwards, file, DIAG_LINE, line,
		    "the line goes back in its task's time: shown at the time of the line before");
}

/*
 * The time of an event that begins with this line.  It may be before the task's
 * latest event, if it can still be put there; not in the middle of that one,
 * and not before what has left.
 */
static uint64_t begin_time(struct assembler *a, struct slot *s, const struct et_line *l,
			   const char *file, uint64_t line)
{
	if (l->time >= s->seen) {
		s->begun = l->time;
		return l->time;
	}
	if (l->time < s->begun && l->time >= a->passed)
		return l->time;
	tell_backwards(a, file, line);
	return s->begun = s->seen;
}

static struct growing *start(struct assembler *a, struct slot *s, enum et_kind kind,
			     const struct et_line *l, const char *file, uint64_t line)
{
	struct growing *g;

	if (s->g)
		close_event(a, s);
	s->gone = kind == ET_K_EXIT;
	g = new_growing(a);
	begin_event(g, kind, l->upid, l->cpu, begin_time(a, s, l, file, line));
	g->ev.place = line;
	g->file = file;
	g->order = order_arrives(&a->queue);
	s->g = g;
	push(a, g);
	return g;
}

/* The event that a string line belongs to, begun if need be. */
static struct growing *for_string(struct assembler *a, struct slot *s,
				  const struct et_line *l, const struct piece *p,
				  const char *file, uint64_t line)
{
	struct growing *g = s->g;

	if (g && string_fits(g, p->tag))
		return g;
	g = start(a, s, lt_kind_of(p->tag), l, file, line);
	g->ended = true;	/* its beginning is lost: wait for nothing */
	return g;
}

static bool is_extension(const struct et_line *l)
{
	for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
		size_t n = strlen(extensions[i]);

		if (l->len > n && l->text[n] == '|' && !memcmp(l->text, extensions[i], n))
			return true;
	}
	return false;
}

static void take_line(struct assembler *a, struct slot *s, const struct et_line *l,
		      const char *file, uint64_t line)
{
	struct growing *g = s->g;
	struct piece p;
	size_t was;

	if ((g && g->quick.on && go_on_shortly(a, g, l)) ||
	    start_shortly(a, s, l, file, line)) {
		s->seen = l->time;
		return;
	}
	if (g && g->quick.on)
		leave_short_way(a, g);
	p = read_piece(l);
	was = g ? g->ev.nbytes : 0;
	if (g && is_double(g, l, &p)) {
		diag_report(a->diag, &doubled, file, DIAG_LINE, line, NULL);
		return;
	}
	if (g && lt_memory(&g->ev) > ET_MAX_BYTES) {
		diag_report(a->diag, &too_big, file, DIAG_LINE, line, NULL);
		close_event(a, s);
		g = NULL;
	}
	switch (p.what) {
	case P_HEADER:
		if (lt_tags[p.tag].role == ET_BEGIN || !g || !header_fits(g, l, &p)) {
			g = start(a, s, lt_tags[p.tag].kind, l, file, line);
			was = 0;
		}
		if (!add_header(g, l, &p))
			diag_report(a->diag, &bad_header, file, DIAG_LINE, line,
				    "%s line cannot be read in full", lt_tags[p.tag].name);
		break;
	case P_STRING:
		if (g && goes_on(g, &p)) {
			add_more(g, l, &p);
			break;
		}
		g = for_string(a, s, l, &p, file, line);
		was = g->ev.nbytes;
		add_string(g, l, &p);
		break;
	case P_CONT:
		if (g && goes_on(g, &p)) {
			add_more(g, l, &p);
			break;
		}
		if (!g)
			g = start(a, s, ET_K_FRAGMENT, l, file, line);
		was = g->ev.nbytes;
		diag_report(a->diag, &stray, file, DIAG_LINE, line,
			    "Cont line without the line before it");
		add_other(g, l);
		break;
	case P_CONT_END:
		if (g && g->string >= 0 && g->in_cont) {
			end_conts(g, l);
		} else {
			if (g)
				g->cont_done = true;
			diag_report(a->diag, &stray, file, DIAG_LINE, line,
				    "Cont_end where no Cont was");
		}
		break;
	case P_STRING_END:
		if (g && g->string >= 0 && g->in_parts &&
		    g->ev.items[g->string].tag == p.tag) {
			end_parts(g, l);
		} else {
			diag_report(a->diag, &stray, file, DIAG_LINE, line,
				    "%s_end where no %s was", lt_tags[p.tag].name,
				    lt_tags[p.tag].name);
		}
		break;
	case P_OTHER:
		if (!is_extension(l))
			diag_report(a->diag, &unknown_tags, file, DIAG_LINE, line, NULL);
		if (!g)
			g = start(a, s, ET_K_FRAGMENT, l, file, line);
		was = g->ev.nbytes;
		add_other(g, l);
		break;
	}
	if (s->seen < l->time)
		s->seen = l->time;
	if (g) {
		if (g->went_back)
			tell_backwards(a, file, line);
		g->went_back = false;
		update_state(g);
		if (g->queued)
			a->bytes += g->ev.nbytes - was;
	}
}

int asm_line(struct assembler *a, const struct et_line *l, const char *file,
	     uint64_t line)
{
	uint64_t begun = a->queue.arrivals;

	take_line(a, slot_of(a, l->upid), l, file, line);
	if (a->queue.arrivals != begun)
		drain(a, l->time);
	return a->err;
}

int asm_lost(struct assembler *a, const struct et_line *l, const char *file,
	     uint64_t line)
{
	struct growing *g = new_growing(a);

	begin_event(g, ET_K_LOST, 0, l->cpu, l->time);
	if (l->counted) {
		g->ev.nvals = 1;
		g->ev.vals[0] = (int64_t)l->lost;
		diag_report(a->diag, &lost_events, file, DIAG_LINE, line,
			    "%" PRIu64 " events lost on processor %" PRIu32, l->lost, l->cpu);
		if (l->lost)
			diag_count(a->diag, &lost_events, l->lost - 1);
	} else {
		diag_report(a->diag, &lost_unknown, file, DIAG_LINE, line,
			    "events lost on processor %" PRIu32, l->cpu);
	}
	g->ev.place = line;
	g->file = file;
	g->order = order_arrives(&a->queue);
	g->state = CLOSED;
	push(a, g);
	drain(a, l->time);
	return a->err;
}

int asm_end(struct assembler *a)
{
	for (size_t i = 0; i < a->slots_cap; i++) {
		struct slot *s = &a->slots[i];
		struct growing *g = s->g;

		if (!s->used || !g)
			continue;
		if (!g->queued) {
			push(a, g);
			a->bytes += bytes_of(g);
		}
		close_event(a, s);
	}
	while (a->queue.n)
		let_out(a, pop(a));
	return a->err;
}

/* ---- one event alone ---- */

/* Return: false for a header or string that the event has already. */
static bool one_line(struct growing *g, const struct et_line *l)
{
	struct piece p = read_piece(l);

	if ((p.what == P_HEADER || p.what == P_STRING) && !goes_on(g, &p) &&
	    p.tag != LT_A && lt_find(&g->ev, p.tag))
		return false;

	switch (p.what) {
	case P_HEADER:
		add_header(g, l, &p);
		break;
	case P_STRING:
		if (goes_on(g, &p))
			add_more(g, l, &p);
		else
			add_string(g, l, &p);
		break;
	case P_CONT:
		if (goes_on(g, &p))
			add_more(g, l, &p);
		else
			add_other(g, l);
		break;
	case P_CONT_END:
		end_conts(g, l);
		break;
	case P_STRING_END:
		end_parts(g, l);
		break;
	case P_OTHER:
		add_other(g, l);
		break;
	}
	return true;
}

bool asm_one(struct lt_event *ev, const char *text, size_t len)
{
	struct growing g = { .ev = *ev };
	struct line_state st = { 0 };
	bool first = true, good = true;

	while (len && good) {
		const char *nl = memchr(text, '\n', len);
		const struct et_line *l = &st.line;
		unsigned int foreign;

		if (!nl || line_parse(&st, text, (size_t)(nl - text), &foreign) != LINE_ETRACE)
			good = false;
		if (good && first) {
			struct piece p = read_piece(l);
			enum et_kind kind = lt_kind_of(p.tag);

			begin_event(&g, kind == ET_K_NONE ? ET_K_FRAGMENT : kind,
				    l->upid, l->cpu, l->time);
			first = false;
		}
		good = good && g.ev.nvals + ET_MAX_FIELDS <= LT_MAX_VALS &&
		       lt_memory(&g.ev) <= 2 * (size_t)ET_MAX_BYTES;
		if (good) {
			good = one_line(&g, l);
			len -= (size_t)(nl + 1 - text);
			text = nl + 1;
		}
	}
	if (!first)
		leave_string(&g);
	*ev = g.ev;
	return good && !first;
}
