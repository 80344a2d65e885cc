// SPDX-License-Identifier: LGPL-2.1
/* Prints ordinary events as lines, a fast path.  See plain_lines.h. */
#include "format/lines/plain_lines.h"
#include "format/lines/event_lines.h"
#include "format/lines/line_list.h"

#include "base/xalloc.h"

#include <stdlib.h>

/* What follows the text of a part. */
enum { NOTHING, NUMBER, LENGTH, SIZE_OF, STRING_OF, ARGS_OF };

/* Room for a line without its fields and its string; room for a field. */
#define LINE_ROOM	(PREFIX_ROOM + 2 * PLAIN_TEXT_COPY + DECIMAL_ROOM)
#define FIELD_ROOM	(2 * PLAIN_TEXT_COPY + DECIMAL_ROOM)
/* Maximum rows of the schema for an event. */
#define MAX_ROWS	32
/* Maximum fields of all lines of an event. */
#define MAX_FIELDS	15
#define EVENT(ID, id, name, category, where, doc) _Static_assert(0
#define SIZE(ID, id, TAG, name) + 1
#define SIZE_MAY(ID, id, TAG, name) + 1
#define FIELD(ID, id, name) + 1
#define END_EVENT(ID, id) <= MAX_FIELDS, #id);
#include "event/events.def"
#define EVENT(ID, id, name, category, where, doc) \
	_Static_assert(ET_R_END_##ID - ET_R_FIRST_##ID <= MAX_ROWS, name);
/* The longest text: "Open|fnamesize=". */
#define LINE(ID, tag, role, when) _Static_assert(sizeof(#tag) < PLAIN_TEXT_COPY, #tag);
#define SIZE(ID, id, TAG, name) _Static_assert(sizeof(#name) < PLAIN_TEXT_COPY, #name);
#define FIELD(ID, id, name) _Static_assert(sizeof(#name) < PLAIN_TEXT_COPY, #name);
#include "event/events.def"

size_t plain_lines_room(const struct et_event *ev)
{
	return MAX_ROWS * LINE_ROOM + MAX_FIELDS * FIELD_ROOM + ev->nargs * (size_t)LINE_ROOM +
	       ev->nbytes;
}

void plain_lines_free(struct plain_lines *p)
{
	for (unsigned int k = 0; k < ET_K_COUNT; k++)
		free(p->shapes[k].parts);
}

/* ---- parts of lines ---- */

static void add_text(struct plain_part *part, const char *s)
{
	size_t n = strlen(s);

	memcpy(part->text + part->n, s, n);
	part->n = (uint8_t)(part->n + n);
}

static struct plain_part *add_part(struct plain_shape *s, unsigned int what, unsigned int slot)
{
	struct plain_part *part;

	s->parts = xgrow(s->parts, &s->parts_cap, s->nparts + 1, sizeof(*s->parts));
	part = &s->parts[s->nparts++];
	*part = (struct plain_part){ .what = (uint8_t)what, .slot = (uint8_t)slot };
	return part;
}

static bool has_field(const struct et_event *ev, const struct et_field *f)
{
	if (!f->is_size)
		return et_has(ev, f->slot);
	return !f->may || et_has_string(ev, f->slot) || ev->announced >> f->slot & 1;
}

static unsigned int what_is(const struct et_event *ev, const struct et_field *f)
{
	if (!f->is_size)
		return NUMBER;
	return f->slot == ET_ARGS || !et_has_string(ev, f->slot) ||
	       ev->announced >> f->slot & 1 ? SIZE_OF : LENGTH;
}

static void add_header(struct plain_shape *s, const struct et_event *ev, const struct et_row *row)
{
	struct plain_part *part = NULL;

	for (unsigned int i = 0; i < row->nfields; i++) {
		const struct et_field *f = &row->fields[i];
		bool first = !part;

		if (!has_field(ev, f))
			continue;
		part = add_part(s, what_is(ev, f), f->slot);
		part->begins = first;
		if (first)
			add_text(part, row->name);
		add_text(part, first ? "|" : ",");
		add_text(part, f->name);
		add_text(part, "=");
	}
	if (!part) {
		part = add_part(s, NOTHING, 0);
		part->begins = true;
		add_text(part, row->name);
		add_text(part, "|");
	}
	part->ends = true;
}

static void add_string(struct plain_shape *s, const struct et_row *row)
{
	bool args = row->slot == ET_ARGS;
	struct plain_part *part = add_part(s, args ? ARGS_OF : STRING_OF, row->slot);

	/* put_args() begins the lines of arguments itself */
	part->begins = !args;
	add_text(part, row->name);
	add_text(part, args ? "[" : "|");
}

static void make_shape(struct plain_shape *s, const struct et_event *ev)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];

	s->nparts = 0;
	s->alone = false;
	for (unsigned int i = kind->row; i < kind->end; i++) {
		const struct et_row *row = &et_rows[i];

		if (!et_row_there(ev, row))
			continue;
		if (!s->nparts)
			s->alone = row->role == ET_FAILED && lt_fails_alone(ev->kind);
		if (row->role == ET_STRING)
			add_string(s, row);
		else
			add_header(s, ev, row);
	}
}

/* The parts of an event's lines, usually the same as for the previous event of its kind. */
static inline const struct plain_shape *shape_of(struct plain_lines *p, const struct et_event *ev)
{
	struct plain_shape *s = &p->shapes[ev->kind];
	uint64_t key = 1ull << 40 | (uint64_t)ev->flags << 32 | (uint64_t)ev->announced << 24 |
		       (uint64_t)ev->strings << 16 | ev->given;

	if (s->key != key) {
		s->key = key;
		make_shape(s, ev);
	}
	return s;
}

/* ---- printing ---- */

static inline char *put_piece(char *to, const struct plain_part *part)
{
	memcpy(to, part->text, PLAIN_TEXT_COPY);
	if (part->n > PLAIN_TEXT_COPY)
		memcpy(to + PLAIN_TEXT_COPY, part->text + PLAIN_TEXT_COPY, PLAIN_TEXT_COPY);
	return to + part->n;
}

static inline char *put_number(char *to, int64_t v, bool big)
{
	if (v < 0 && !big) {
		*to++ = '-';
		v = (int64_t)-(uint64_t)v;
	}
	return to + decimal(to, (uint64_t)v);
}

/* Copies 16 bytes. Return: which of them are newlines. */
static inline bytes_16 copy_16(char *to, const char *s)
{
	bytes_16 c = bytes_load_16(s);

	memcpy(to, &c, 16);
	return c == '\n';
}

/* Prints a string.  Return: the end of its line, NULL if it contains a newline. */
static inline char *put_text(const char *s, size_t n, char *to)
{
	bytes_16 newlines = { 0 };

	to[n] = '\n';
	if (n < 16) {
		bytes_copy(to, s, n);
		return memchr(to, '\n', n) ? NULL : to + n + 1;
	}
	for (size_t i = 0; i + 16 < n; i += 16)
		newlines |= copy_16(to + i, s + i);
	newlines |= copy_16(to + n - 16, s + n - 16);
	return bytes_any(newlines) ? NULL : to + n + 1;
}

static char *put_args(struct line_prefix *p, const struct et_event *ev,
		      const struct plain_part *part, char *to)
{
	for (uint32_t a = 0; a < ev->nargs && to; a++) {
		const struct et_string *s = &ev->args[a];

		if (s->len > ET_PART_MAX)
			return NULL;
		to = put_piece(prefix_put(p, to), part);
		to += decimal(to, a);
		*to++ = ']';
		to = put_text(et_text(ev, s), s->len, to);
	}
	return to;
}

static inline char *put_part(struct line_prefix *p, const struct et_event *ev,
			     const struct plain_part *part, char *to)
{
	const struct et_string *s;

	if (part->begins)
		to = prefix_put(p, to);
	if (part->what != ARGS_OF)
		to = put_piece(to, part);
	switch (part->what) {
	case NUMBER:
		to = put_number(to, ev->val[part->slot], ev->big >> part->slot & 1);
		break;
	case LENGTH:
		to += decimal(to, ev->str[part->slot].len);
		break;
	case STRING_OF:
		s = &ev->str[part->slot];
		return s->len < ET_PART_MAX ? put_text(ev->bytes + s->off, s->len, to) : NULL;
	case ARGS_OF:
		return put_args(p, ev, part, to);
	case SIZE_OF:
		to = put_number(to, et_announced(ev, part->slot), false);
		break;
	default:
		break;
	}
	*to = '\n';
	return to + part->ends;
}

/* Whether the event may have lines other than those of its rows. */
static inline bool has_others(const struct et_event *ev)
{
	return ev->raw_len || ev->kind == ET_K_LOST || ev->error || et_any_marks(ev) ||
	       ev->nextras || ev->nlater || ev->open;
}

char *plain_lines_put(struct plain_lines *p, const struct et_event *ev, uint64_t *earliest,
		      char *to)
{
	const struct plain_part *part, *end;
	const struct plain_shape *s;
	uint64_t time = *earliest;

	if (has_others(ev))
		return NULL;
	s = shape_of(p, ev);
	time += time && s->alone;
	prefix_set(&p->prefix, ev->upid, ev->cpu, ev->time < time ? time : ev->time);
	for (part = s->parts, end = part + s->nparts; part < end && to; part++)
		to = put_part(&p->prefix, ev, part, to);
	if (to)
		*earliest = p->prefix.time;
	return to;
}
