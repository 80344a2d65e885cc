// SPDX-License-Identifier: LGPL-2.1
/* Most events as lines.  See plain_lines.h. */
#include "lines/plain_lines.h"
#include "lines/event_lines.h"
#include "lines/tree.h"

/* What lines are made of, ready to be copied. */
#define PIECE_MAX 32u
struct piece_text {
	char s[PIECE_MAX];
	uint8_t n;
};
#define TEXT_PIECE(text)	{ text, sizeof(text) - 1 }

/* What a line has behind its prefix: "OpenAt|", "FN|", "A[". */
static const struct piece_text heads[ET_NR_ROWS] = {
#define LINE(ID, tag, role, when) [ET_R_##tag] = TEXT_PIECE(#tag "|"),
#define TEXT(ID, id, TAG) [ET_R_##ID##_##TAG] = TEXT_PIECE(#TAG "|"),
#define TEXT_ARGS(ID, id, TAG) [ET_R_##ID##_##TAG] = TEXT_PIECE(#TAG "["),
#include "build/events.def"
};

/* Its fields, with the comma that all but the first of a line have. */
static const struct piece_text fields[ET_NR_ROWS][ET_MAX_FIELDS] = {
#define LINE(ID, tag, role, when) [ET_R_##tag] = {
#define SIZE(ID, id, TAG, name) TEXT_PIECE("," #name "="),
#define SIZE_MAY(ID, id, TAG, name) TEXT_PIECE("," #name "="),
#define FIELD(ID, id, name) TEXT_PIECE("," #name "="),
#define END_LINE(ID, tag) },
#include "build/events.def"
};

/* A line without its fields and the bytes of its string; the newline is in there, too. */
#define LINE_ROOM	(PREFIX_ROOM + PIECE_MAX + DECIMAL_ROOM)
#define FIELD_ROOM	(PIECE_MAX + DECIMAL_ROOM)

/* Bits of lines_there.rows. */
#define MAX_ROWS	32
#define EVENT(ID, id, name, category, where, doc) \
	_Static_assert(ET_R_END_##ID - ET_R_FIRST_##ID <= MAX_ROWS, name);
#include "build/events.def"

size_t plain_lines_room(const struct et_event *ev)
{
	return MAX_ROWS * LINE_ROOM + LT_MAX_VALS * FIELD_ROOM + ev->nargs * (size_t)LINE_ROOM +
	       ev->nbytes;
}

static inline char *put_piece(char *to, const struct piece_text *t)
{
	memcpy(to, t->s, PIECE_MAX);
	return to + t->n;
}

/* Return: whether the event has the field; its value. */
static inline bool field_value(const struct et_event *ev, const struct et_field *f, int64_t *v)
{
	if (!f->is_size) {
		*v = ev->val[f->slot];
		return et_has(ev, f->slot);
	}
	if (f->may && !et_has_string(ev, f->slot) && !(ev->announced >> f->slot & 1))
		return false;
	if (f->slot == ET_ARGS || !et_has_string(ev, f->slot))
		*v = et_announced(ev, f->slot);
	else
		*v = ev->announced >> f->slot & 1 ? ev->size[f->slot] : ev->str[f->slot].len;
	return true;
}

static inline char *put_header(const struct et_event *ev, unsigned int i, char *to)
{
	const struct et_row *row = &et_rows[i];
	char *first;

	to = first = put_piece(to, &heads[i]);
	for (unsigned int j = 0; j < row->nfields; j++) {
		const struct et_field *f = &row->fields[j];
		int64_t v;

		if (!field_value(ev, f, &v))
			continue;
		/* over the bar, which is put again below */
		to = put_piece(to - (to == first), &fields[i][j]);
		if (v < 0 && (f->is_size || !(ev->big >> f->slot & 1))) {
			*to++ = '-';
			v = (int64_t)-(uint64_t)v;
		}
		to += decimal(to, (uint64_t)v);
	}
	first[-1] = '|';
	*to++ = '\n';
	return to;
}

/* Copy 16 bytes. Return: those that are newlines. */
static inline bytes_16 copy_16(char *to, const char *s)
{
	bytes_16 c = bytes_load_16(s);

	memcpy(to, &c, 16);
	return c == '\n';
}

/* Return: behind the newline, or NULL if the text has more than one line. */
static inline char *put_text(const char *s, size_t n, char *to)
{
	bytes_16 newlines = { 0 };

	to[n] = '\n';
	if (n < 16) {
		bytes_copy(to, s, n);
		return memchr(s, '\n', n) ? NULL : to + n + 1;
	}
	for (size_t i = 0; i + 16 < n; i += 16)
		newlines |= copy_16(to + i, s + i);
	newlines |= copy_16(to + n - 16, s + n - 16);
	return bytes_any(newlines) ? NULL : to + n + 1;
}

static char *put_args(struct line_prefix *p, const struct et_event *ev, unsigned int i, char *to)
{
	for (uint32_t a = 0; a < ev->nargs && to; a++) {
		const struct et_string *s = &ev->args[a];

		if (s->len > ET_PART_MAX)
			return NULL;
		to = put_piece(prefix_put(p, to), &heads[i]);
		to += decimal(to, a);
		*to++ = ']';
		to = put_text(et_text(ev, s), s->len, to);
	}
	return to;
}

/* One of the event's rows. */
static inline char *put_row(struct line_prefix *p, const struct et_event *ev, unsigned int i,
			    char *to)
{
	const struct et_row *row = &et_rows[i];
	const struct et_string *s = &ev->str[row->slot];

	if (row->role != ET_STRING)
		return put_header(ev, i, prefix_put(p, to));
	if (row->slot == ET_ARGS)
		return put_args(p, ev, i, to);
	if (s->len >= ET_PART_MAX)
		return NULL;
	return put_text(et_text(ev, s), s->len, put_piece(prefix_put(p, to), &heads[i]));
}

/* Whether an event can have lines other than those of its rows. */
static inline bool has_others(const struct et_event *ev)
{
	return ev->raw_len || ev->kind == ET_K_LOST || ev->error || et_any_marks(ev) ||
	       ev->nextras || ev->nlater || ev->open;
}

/* Which rows of the schema an event has. */
static inline const struct lines_there *rows_there(struct plain_lines *p, const struct et_event *ev)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];
	struct lines_there *t = &p->there[ev->kind];
	uint64_t key = 1ull << 40 | (uint64_t)ev->flags << 32 | (uint64_t)ev->announced << 24 |
		       (uint64_t)ev->strings << 16 | ev->given;

	if (t->key == key)
		return t;
	t->key = key;
	t->rows = 0;
	for (unsigned int i = kind->row; i < kind->end; i++)
		t->rows |= (uint32_t)et_row_there(ev, &et_rows[i]) << (i - kind->row);
	t->alone = t->rows && lt_fails_alone(ev->kind) &&
		   et_rows[kind->row + (unsigned int)__builtin_ctz(t->rows)].role == ET_FAILED;
	return t;
}

char *plain_lines_put(struct plain_lines *p, const struct et_event *ev, uint64_t *earliest,
		      char *to)
{
	unsigned int row = et_kinds[ev->kind].row;
	const struct lines_there *there;
	uint64_t time = *earliest;

	if (has_others(ev))
		return NULL;
	there = rows_there(p, ev);
	time += time && there->alone;
	prefix_set(&p->prefix, ev->upid, ev->cpu, ev->time < time ? time : ev->time);
	for (uint32_t left = there->rows; left && to; left &= left - 1)
		to = put_row(&p->prefix, ev, row + (unsigned int)__builtin_ctz(left), to);
	if (to)
		*earliest = p->prefix.time;
	return to;
}
