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

size_t lines_room(const struct et_event *ev)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];

	return (kind->end - kind->row + ev->nargs) * (size_t)LINE_ROOM + LT_MAX_VALS * FIELD_ROOM +
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
	*v = et_announced(ev, f->slot);
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

/* Return: NULL if it has more than one line. */
static inline char *put_text(const char *s, size_t n, char *to)
{
	bytes_copy(to, s, n);
	to[n] = '\n';
	return memchr(to, '\n', n + 1) == to + n ? to + n + 1 : NULL;
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

char *plain_lines(struct line_prefix *p, const struct et_event *ev, uint64_t *earliest, char *to)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];
	uint64_t time = *earliest;
	unsigned int i = kind->row;

	if (has_others(ev))
		return NULL;
	while (i < kind->end && !et_row_there(ev, &et_rows[i]))
		i++;
	/* as in lt_print(): it must not look like the end of a record before it */
	if (time && i < kind->end && et_rows[i].role == ET_FAILED && lt_fails_alone(ev->kind))
		time++;
	prefix_set(p, ev->upid, ev->cpu, ev->time < time ? time : ev->time);
	for (; i < kind->end && to; i++)
		if (et_row_there(ev, &et_rows[i]))
			to = put_row(p, ev, i, to);
	if (to)
		*earliest = p->time;
	return to;
}
