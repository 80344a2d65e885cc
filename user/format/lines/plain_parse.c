// SPDX-License-Identifier: LGPL-2.1
/* The fast path from lines to an event.  See plain_parse.h. */
#include "format/lines/plain_parse.h"
#include "format/lines/event_lines.h"
#include "base/bytes.h"

#include <string.h>

/* Maximum bytes of an event that takes arguments on the fast path. */
#define KEEP_SHORT	(1u << 20)

/* Bytes that are copied at once. */
#define PIECE		16u
/* No row follows. */
#define NONE		UINT8_MAX

/* For each row of the schema: what the fast path needs, prepared once. */
static struct way {
	/* for a string (not arguments): "!FN|", from the upper bytes of a word */
	uint64_t begin;
	uint8_t shift;		/* bits to shift a word by to get @begin; 0 if no such string */
	uint8_t next;		/* next row of its kind that is ET_LAST or a string, or NONE */
	uint16_t must;		/* bit i: field i must be there */
} way_table[ET_NR_ROWS];

__attribute__((constructor)) static void make_ways(void)
{
	for (unsigned int k = 0; k < ET_K_COUNT; k++) {
		uint8_t next = NONE;

		for (unsigned int i = et_kinds[k].end; i-- > et_kinds[k].row;) {
			const struct et_row *row = &et_rows[i];
			char text[8] = { 0 };

			way_table[i].next = next;
			for (unsigned int f = 0; f < row->nfields; f++)
				way_table[i].must |= (uint16_t)(!row->fields[f].may << f);
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

/* Reads the first line, of row @i.  Return: false if it is not as the module prints it. */
static inline bool read_plainly(struct et_event *ev, unsigned int i, const struct et_line *l)
{
	const char *s = l->text + l->tag_len + 1, *end = l->text + l->len;
	struct lt_item it = { .tag = (uint8_t)l->tag };
	uint16_t must = way_table[i].must;

	if (line_text_in_order(ev, &it, s, end) != end || (it.have & must) != must)
		return false;
	for (unsigned int sizes = ev->announced; sizes; sizes &= sizes - 1)
		if (ev->size[__builtin_ctz(sizes)] < 0)
			return false;
	return true;
}

/* Sets the row expected after row @i: the next announced string, or ET_LAST. */
static inline void next_row(struct builder *b, unsigned int i)
{
	struct plain_state *q = &b->plain;

	while ((i = way_table[i].next) != NONE) {
		const struct et_row *row = &et_rows[i];

		if (row->role == ET_LAST || b->ev.announced >> row->slot & 1) {
			q->row = (uint8_t)i;
			return;
		}
	}
	q->more = false;
	b->done = true;
	/* all announced strings have come, with these sizes */
	b->ev.announced = 0;
}

bool plain_begin(struct builder *b, const struct et_row *row, const struct et_line *l)
{
	unsigned int i = (unsigned int)(row - et_rows);
	struct plain_state *q = &b->plain;

	builder_head(b, row->kind, l->upid, l->cpu, l->time);
	if (!read_plainly(&b->ev, i, l))
		return false;
	q->on = q->more = true;
	if (b->ev.announced >> ET_ARGS & 1) {
		q->args_left = b->ev.size[ET_ARGS];
		if (!q->args_left)
			b->ev.strings |= 1u << ET_ARGS;
	}
	b->line_cpu = l->cpu;
	b->step = 0;
	b->lines = 1;
	b->line_time = b->last_time = l->time;
	next_row(b, i);
	return true;
}

/* Adds an argument; @s: "3]text" of the line "A[3]text". */
static bool add_arg(struct plain_state *q, struct et_event *ev, const char *s, const char *end)
{
	const char *digits = s;
	uint64_t index = 0;
	size_t n;

	for (; s < end && *s >= '0' && *s <= '9' && index < UINT32_MAX; s++)
		index = 10 * index + (uint64_t)(*s - '0');
	/* length of the argument with its NUL */
	n = (size_t)(end - s);
	if (s == digits || !n || *s != ']' || index != ev->nargs ||
	    n - 1 >= ET_PART_MAX || (int64_t)n > q->args_left || ev->nbytes > KEEP_SHORT)
		return false;
	q->args_left -= (int64_t)n;
	et_add_arg(ev, s + 1, n - 1);
	return true;
}

/* Whether a line with this time can follow in the same record: see same_record(). */
static inline bool in_step(const struct builder *b, uint64_t time)
{
	uint64_t step = time - b->line_time;

	return b->lines == 1 ? step <= 1 : step == b->step;
}

/* The row that comes next, if this character follows a tag of one letter. */
static inline unsigned int expected_row(const struct plain_state *q, char behind)
{
	/* no '[': the argument list is over, and the next row comes */
	return q->row + (lt_is_args(lt_of_row[q->row]) && behind != '[');
}

/*
 * Adds a line of row @i, whose time is in_step().  @s: what follows its tag.
 * Return: false if it is not as the module prints it.
 */
static inline bool take_line(struct builder *b, unsigned int i, const char *s, const char *end,
			     uint64_t time)
{
	const struct et_row *row = &et_rows[i];
	struct plain_state *q = &b->plain;
	size_t n = (size_t)(end - s) - 1;
	bool is_arg = row->role == ET_STRING && row->slot == ET_ARGS;

	if (is_arg) {
		if (*s != '[' || !add_arg(q, &b->ev, s + 1, end))
			return false;
	} else if (*s != '|' || (i > q->row && q->args_left) || (row->role != ET_STRING && n)) {
		return false;
	} else if (row->role == ET_STRING) {
		if (n >= ET_PART_MAX || (int64_t)n != b->ev.size[row->slot])
			return false;
		et_add_string(&b->ev, row->slot, s + 1, n);
	}
	b->step = time - b->line_time;
	b->lines++;
	b->line_time = b->last_time = time;
	if (!is_arg)
		next_row(b, i);
	return true;
}

bool plain_add(struct builder *b, const struct et_line *l)
{
	const char *s = l->text + l->tag_len;
	unsigned int i;

	if (l->cpu != b->line_cpu || l->tag_len >= l->len || !in_step(b, l->time))
		return false;
	i = expected_row(&b->plain, l->text[1]);
	return l->tag == lt_of_row[i] && take_line(b, i, s, l->text + l->len, l->time);
}

/* Copies @n bytes by pieces, and some more.  Return: true if they contain no newline. */
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
 * Adds the expected string's line if it has the announced length and the task,
 * processor and second of the line before.
 * Return: what follows it; NULL if the line must be read the general way.
 */
static inline const char *take_string(struct builder *b, struct line_state *st,
				      const char *s, const char *end, uint64_t until)
{
	struct plain_state *q = &b->plain;
	const struct way *way = &way_table[q->row];
	const struct et_row *row = &et_rows[q->row];
	uint64_t n = (uint64_t)b->ev.size[row->slot], time;
	size_t before = st->prefix_len + 11 + row->len;
	const char *text;

	/* a copied piece may begin before the text and end after it */
	if (!way->shift || n >= ET_PART_MAX || (size_t)(end - s) < before + n + PIECE)
		return NULL;
	/* the nanoseconds have nine digits, or eight */
	text = s + before - (s[st->prefix_len + 8] == '!');
	if (text[n] != '\n' || bytes_first_low(text - 8) >> way->shift != way->begin ||
	    line_again(st, s, text + n, &time) != text - row->len - 1 || time > until ||
	    !in_step(b, time) || !copy_line(et_room(&b->ev, n + PIECE), text, n))
		return NULL;
	et_added_string(&b->ev, row->slot, n);
	b->step = time - b->line_time;
	b->lines++;
	b->line_time = b->last_time = time;
	next_row(b, q->row);
	return text + n + 1;
}

size_t plain_add_more(struct builder *b, struct line_state *st, const char *s, const char *end,
		      uint64_t until)
{
	const struct plain_state *q = &b->plain;
	const char *at = s, *nl;

	while (q->more) {
		const char *text = take_string(b, st, at, end, until);
		const struct et_row *row;
		unsigned int i;
		uint64_t time;

		if (text) {
			st->line.time = b->line_time;
			st->line.number++;
			at = text;
			continue;
		}
		nl = memchr(at, '\n', (size_t)(end - at));
		if (!nl)
			break;
		text = line_again(st, at, nl, &time);
		if (!text || time > until || !in_step(b, time) || nl - text < 2)
			break;
		i = expected_row(q, text[1]);
		row = &et_rows[i];
		if (nl - text <= row->len || !bytes_equal(text, row->name, row->len) ||
		    !take_line(b, i, text + row->len, nl, time))
			break;
		st->line.time = time;
		st->line.number++;
		at = nl + 1;
	}
	return (size_t)(at - s);
}
