// SPDX-License-Identifier: LGPL-2.1
/* The short way from lines to an event.  See quick.h. */
#include "lines/quick.h"
#include "lines/event_lines.h"

#include <string.h>

/* So many bytes of arguments are worth the short way. */
#define KEEP_SHORT	(1u << 20)

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
		p = piece_value(begin, end, &v, &big);
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

const struct et_row *quick_begins(struct et_event *ev, const struct et_line *l)
{
	const struct et_row *row;
	enum lt_tag tag;

	if (l->tag_len >= l->len || l->text[l->tag_len] != '|')
		return NULL;
	tag = piece_tag(l->text, l->tag_len);
	if (tag == LT_NONE || tag >= LT_FIRST_STRING)
		return NULL;
	row = lt_rows[tag];
	if (!has_short_way(row))
		return NULL;
	ev->given = ev->big = ev->announced = 0;
	return read_plainly(ev, row, l->text + l->tag_len + 1, l->text + l->len) ? row : NULL;
}

void quick_start(struct growing *g, const struct et_row *row, const struct et_event *first,
		 const struct et_line *l)
{
	struct quick *q = &g->quick;

	et_reset(&q->ev, row->kind, l->upid, l->cpu, l->time);
	q->ev.place = g->ev.place;
	q->ev.given = first->given;
	q->ev.big = first->big;
	q->ev.announced = first->announced;
	memcpy(q->ev.val, first->val, sizeof(q->ev.val));
	memcpy(q->ev.size, first->size, sizeof(q->ev.size));
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
}

void quick_leave(struct growing *g)
{
	struct et_event *ev = &g->quick.ev;
	struct lt_event lines;
	struct buf text = { 0 };
	uint64_t time = ev->time;
	const char *s;

	g->quick.on = false;
	if (!g->quick.done)
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
		p = piece_read(&l);
		if (p.what == P_HEADER)
			grow_header(g, &l, &p);
		else
			grow_string(g, &l, &p);
		time += g->quick_step;
		s = nl + 1;
	}
	grow_update(g);
	buf_free(&text);
}

bool quick_go_on(struct growing *g, const struct et_line *l)
{
	const struct et_row *row = &et_rows[g->quick.row];
	uint64_t step = l->time - g->line_time;
	struct et_event *ev = &g->quick.ev;
	const char *s = l->text + l->tag_len + 1;
	size_t n = l->len - l->tag_len - 1;

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
	if (row->slot != ET_ARGS || row->role != ET_STRING) {
		g->quick.row = (uint8_t)(row - et_rows + 1);
		next_row(&g->quick);
	}
	if (g->quick.done)
		g->state = DONE;
	return true;
}
