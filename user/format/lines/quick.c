// SPDX-License-Identifier: LGPL-2.1
/* The short way from lines to an event.  See quick.h. */
#include "format/lines/quick.h"
#include "format/lines/event_lines.h"
#include "format/lines/tag.h"
#include "base/bytes.h"

#include <string.h>

/* So many bytes of arguments are worth the short way. */
#define KEEP_SHORT	(1u << 20)

/* Bytes that are copied at once. */
#define PIECE		16u
/* No row follows. */
#define NONE		UINT8_MAX

/* What is known of a row before any line comes. */
static struct way {
	/* a string's, without those of arguments: "!FN|" in the upper bytes of a word */
	uint64_t begin;
	uint8_t shift;		/* of a word down to that; 0: there is no such string */
	uint8_t next;		/* row of its kind that is the last or a string's */
	/* its fields: of "name=", the last bytes in the upper ones of a word, and the first */
	struct way_field {
		uint64_t name, first;
		uint8_t shift;	/* of a word down to that */
		uint8_t len;	/* with the '='; 0 behind the last */
		uint8_t slot;
		uint16_t bit;
		bool is_size, may;
	} fields[ET_MAX_FIELDS + 1];
} way_table[ET_NR_ROWS];

static void make_fields(struct way_field *to, const struct et_field *f)
{
	for (; f->name; f++, to++) {
		char text[8] = { 0 };
		size_t n = f->len < sizeof(text) ? f->len : sizeof(text) - 1;

		memcpy(text, f->name + f->len - n, n);
		text[n] = '=';
		to->name = bytes_first_low(text);
		to->shift = (uint8_t)(8 * (sizeof(text) - n - 1));
		to->len = f->len + 1;
		if (f->len >= 8)
			to->first = bytes_8(f->name);
		to->slot = f->slot;
		to->bit = (uint16_t)(1u << f->slot);
		to->is_size = f->is_size;
		to->may = f->may;
	}
}

__attribute__((constructor)) static void make_ways(void)
{
	for (unsigned int k = 0; k < ET_K_COUNT; k++) {
		uint8_t next = NONE;

		for (unsigned int i = et_kinds[k].end; i-- > et_kinds[k].row;) {
			const struct et_row *row = &et_rows[i];
			char text[8] = { 0 };

			way_table[i].next = next;
			make_fields(way_table[i].fields, row->fields);
			if (row->role == ET_STRING || row->role == ET_LAST)
				next = (uint8_t)i;
			if (row->role != ET_STRING || row->slot == ET_ARGS ||
			    row->len + 2u >= sizeof(text))
				continue;
			text[0] = '!';
			memcpy(text + 1, row->name, row->len);
			text[row->len + 1] = '|';
			way_table[i].begin = bytes_first_low(text);
			way_table[i].shift = (uint8_t)(8 * (sizeof(text) - row->len - 2));
		}
	}
}

/* Whether a number stands as it is printed: no zeros, no sign before it in vain. */
static bool is_canonical(const char *s, const char *end)
{
	bool minus = *s == '-';

	return s[minus] != '0' || (!minus && end - s == 1);
}

/* A number that stands so, and is not negative nor long.  Return: what follows, or NULL. */
static inline const char *short_value(const char *s, int64_t *v)
{
	unsigned int d = (unsigned int)*s - '0';
	const char *p = s + 1;
	uint64_t n = d;

	if (d > 9)
		return NULL;
	/* behind the end there is a newline */
	d = (unsigned int)*p - '0';
	if (d < 10) {
		if (!n)
			return NULL;
		do {
			n = n * 10 + d;
			d = (unsigned int)*++p - '0';
		} while (d < 10);
		if (p - s > 18)
			return NULL;
	}
	*v = (int64_t)n;
	return p;
}

/* Any that stands so. */
static const char *plain_value(const char *s, const char *end, int64_t *v, bool *big)
{
	const char *p = piece_value(s, end, v, big);

	return p && is_canonical(s, p) ? p : NULL;
}

/*
 * The first line, behind its tag; there are 8 bytes of it before that.
 * Return: false if it is not as the module prints it.
 */
static bool read_plainly(struct et_event *ev, const struct et_row *row, const char *s,
			 const char *end)
{
	unsigned int given = 0, announced = 0;
	const char *last = s;

	for (const struct way_field *f = way_table[row - et_rows].fields; f->len; f++) {
		const char *value = s + f->len;
		bool big = false;
		int64_t v;

		if (value > end || bytes_first_low(value - 8) >> f->shift != f->name ||
		    (f->len > 8 && (bytes_8(s) != f->first || f->len > 16))) {
			if (f->may)
				continue;
			return false;
		}
		s = short_value(value, &v);
		if (!s)
			s = plain_value(value, end, &v, &big);
		if (!s)
			return false;
		if (f->is_size) {
			if (v < 0 || big)
				return false;
			announced |= f->bit;
			ev->size[f->slot] = v;
		} else {
			given |= f->bit;
			ev->val[f->slot] = v;
			if (big)
				ev->big |= f->bit;
		}
		last = s;
		s = *s == ',' ? s + 1 : end;
	}
	ev->given = (uint16_t)given;
	ev->announced = (uint8_t)announced;
	return last == end;
}

/* From a row on to the lines that come next: those of strings that were announced, or the last. */
static inline void next_row(struct growing *g, unsigned int i)
{
	struct quick *q = &g->quick;

	while ((i = way_table[i].next) != NONE) {
		const struct et_row *row = &et_rows[i];

		if (row->role == ET_LAST || q->ev.announced >> row->slot & 1) {
			q->row = (uint8_t)i;
			return;
		}
	}
	q->more = false;
	g->state = DONE;
	/* what was announced is what came */
	q->ev.announced = 0;
}

bool quick_start(struct growing *g, const struct et_row *row, const struct et_line *l)
{
	struct quick *q = &g->quick;

	et_reset(&q->ev, row->kind, l->upid, l->cpu, l->time);
	if (!read_plainly(&q->ev, row, l->text + l->tag_len + 1, l->text + l->len))
		return false;
	grow_head(g, row->kind, l->upid, l->time);
	q->on = q->more = true;
	if (q->ev.announced >> ET_ARGS & 1) {
		q->args_left = q->ev.size[ET_ARGS];
		if (!q->args_left)
			q->ev.strings |= 1u << ET_ARGS;
	}
	g->line_cpu = l->cpu;
	q->step = 0;
	g->lines = 1;
	g->line_time = g->ev.last_time = l->time;
	next_row(g, (unsigned int)(row - et_rows));
	return true;
}

/* "A[3]text", from the digit on. */
static bool add_arg(struct quick *q, const char *s, const char *end)
{
	struct et_event *ev = &q->ev;
	const char *digits = s;
	uint64_t index = 0;
	size_t n;

	for (; s < end && *s >= '0' && *s <= '9' && index < UINT32_MAX; s++)
		index = 10 * index + (uint64_t)(*s - '0');
	/* with its null byte */
	n = (size_t)(end - s);
	if (s == digits || !is_canonical(digits, s) || !n || *s != ']' || index != ev->nargs ||
	    n - 1 >= ET_PART_MAX || (int64_t)n > q->args_left || ev->nbytes > KEEP_SHORT)
		return false;
	q->args_left -= (int64_t)n;
	et_add_arg(ev, s + 1, n - 1);
	return true;
}

/* Whether a line with this time can come next: as those of one record do. */
static inline bool in_step(const struct growing *g, uint64_t time)
{
	uint64_t step = time - g->line_time;

	return g->lines == 1 ? step <= 1 : step == g->quick.step;
}

/* The number of the row that comes next, if this stands behind a tag of one letter. */
static inline unsigned int expected(const struct quick *q, char behind)
{
	/* behind the last argument comes something else */
	return q->row + (lt_is_args(lt_of_row[q->row]) && behind != '[');
}

/*
 * A line of row @i, in_step().  @s: what stands behind its tag.  Return: false if
 * it is not as the module prints it.
 */
static inline bool take(struct growing *g, unsigned int i, const char *s, const char *end,
			uint64_t time)
{
	const struct et_row *row = &et_rows[i];
	struct quick *q = &g->quick;
	size_t n = (size_t)(end - s) - 1;
	bool is_arg = row->role == ET_STRING && row->slot == ET_ARGS;

	if (is_arg) {
		if (*s != '[' || !add_arg(q, s + 1, end))
			return false;
	} else if (*s != '|' || (i > q->row && q->args_left) || (row->role != ET_STRING && n)) {
		return false;
	} else if (row->role == ET_STRING) {
		if (n >= ET_PART_MAX || (int64_t)n != q->ev.size[row->slot])
			return false;
		et_add_string(&q->ev, row->slot, s + 1, n);
	}
	q->step = time - g->line_time;
	g->lines++;
	g->line_time = g->ev.last_time = time;
	if (!is_arg)
		next_row(g, i);
	return true;
}

bool quick_go_on(struct growing *g, const struct et_line *l)
{
	const char *s = l->text + l->tag_len;
	unsigned int i;

	if (l->cpu != g->line_cpu || l->tag_len >= l->len || !in_step(g, l->time))
		return false;
	i = expected(&g->quick, l->text[1]);
	return l->tag == lt_of_row[i] && take(g, i, s, l->text + l->len, l->time);
}

/* The bytes of a line, by pieces, more than @n of them.  Return: whether there is no newline. */
static inline bool copy_line(char *to, const char *s, size_t n)
{
	const bytes_16 newlines = { '\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n',
				    '\n', '\n', '\n', '\n', '\n', '\n', '\n', '\n' };
	bytes_16 piece = bytes_load_16(s + n - PIECE), found = piece == newlines;
	size_t i = 0;

	for (; i + PIECE < n; i += PIECE) {
		piece = bytes_load_16(s + i);
		found |= piece == newlines;
		memcpy(to + i, &piece, PIECE);
	}
	memcpy(to + i, s + i, PIECE);
	return !bytes_any(found);
}

/*
 * The line of a string that comes next, if it is as long as announced, of the
 * same task and second.
 * Return: what follows it, NULL: it is read as any other.
 */
static inline const char *take_string(struct growing *g, struct line_state *st,
				      const char *s, const char *end, uint64_t until)
{
	struct quick *q = &g->quick;
	const struct way *way = &way_table[q->row];
	const struct et_row *row = &et_rows[q->row];
	uint64_t n = (uint64_t)q->ev.size[row->slot], time;
	size_t before = st->prefix_len + 11 + row->len;
	const char *text;

	/* a piece may begin before the text and end behind it */
	if (!way->shift || n >= ET_PART_MAX || (size_t)(end - s) < before + n + PIECE)
		return NULL;
	/* of the time, nine digits, or eight */
	text = s + before - (s[st->prefix_len + 8] == '!');
	if (text[n] != '\n' || bytes_first_low(text - 8) >> way->shift != way->begin ||
	    line_again(st, s, text + n, &time) != text - row->len - 1 || time > until ||
	    !in_step(g, time) || !copy_line(et_room(&q->ev, n + PIECE), text, n))
		return NULL;
	et_added_string(&q->ev, row->slot, n);
	q->step = time - g->line_time;
	g->lines++;
	g->line_time = g->ev.last_time = time;
	next_row(g, q->row);
	return text + n + 1;
}

size_t quick_more(struct growing *g, struct line_state *st, const char *s, const char *end,
		  uint64_t until)
{
	const struct quick *q = &g->quick;
	const char *at = s, *nl;

	while (q->more) {
		const char *text = take_string(g, st, at, end, until);
		const struct et_row *row;
		unsigned int i;
		uint64_t time;

		if (text) {
			st->line.time = g->line_time;
			st->line.number++;
			at = text;
			continue;
		}
		nl = memchr(at, '\n', (size_t)(end - at));
		if (!nl)
			break;
		text = line_again(st, at, nl, &time);
		if (!text || time > until || !in_step(g, time) || nl - text < 2)
			break;
		i = expected(q, text[1]);
		row = &et_rows[i];
		if (nl - text <= row->len || !bytes_equal(text, row->name, row->len) ||
		    !take(g, i, text + row->len, nl, time))
			break;
		st->line.time = time;
		st->line.number++;
		at = nl + 1;
	}
	return (size_t)(at - s);
}

void quick_leave(struct growing *g)
{
	struct et_event *ev = &g->quick.ev;
	struct lt_event lines;
	struct buf text = { 0 };
	uint64_t time = ev->time;
	const char *s;

	if (g->quick.more)
		ev->flags |= ET_F_NO_END;
	lt_init(&lines);
	lt_from_event(ev, &lines);
	lt_print(&lines, 0, &text);
	lt_fini(&lines);
	grow_begin(g, ev->kind, ev->upid, ev->cpu, ev->time);
	g->ev.place = ev->place;
	for (s = text.s; s < text.s + text.len;) {
		const char *nl = memchr(s, '\n', (size_t)(text.s + text.len - s));
		struct et_line l = { .upid = ev->upid, .cpu = ev->cpu, .time = time };
		struct piece p;

		l.text = (const char *)memchr(s, '!', (size_t)(nl - s)) + 1;
		l.len = (size_t)(nl - l.text);
		while (l.text[l.tag_len] != '|' && l.text[l.tag_len] != '[')
			l.tag_len++;
		l.tag = tag_find(l.text, l.tag_len);
		p = piece_read(&l);
		if (p.what == P_HEADER)
			grow_header(g, &l, &p);
		else
			grow_string(g, &l, &p);
		time += g->quick.step;
		s = nl + 1;
	}
	grow_update(g);
	buf_free(&text);
}
