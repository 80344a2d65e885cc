// SPDX-License-Identifier: LGPL-2.1
/*
 * From the lines of an event to the event, and back.  Lines that the event's
 * values and strings give back are forgotten; others are kept with it as text.
 */
#include "format/lines/event_lines.h"
#include "format/lines/tree.h"
#include "base/xalloc.h"

/* ---- what lines outside the format tell ---- */

#define FAILED_LINE	"Failed|error="
#define MARKS_LINE	"Marks|"

static void print_failed(const struct et_event *ev, struct buf *b)
{
	buf_adds(b, FAILED_LINE);
	if (ev->error < 0)
		buf_addc(b, '-');
	buf_addu(b, ev->error < 0 ? -(uint64_t)ev->error : (uint64_t)ev->error);
}

/* The tag of what a bit of a marking stands for. */
static const char *marked_tag(unsigned int kind, unsigned int i)
{
	if (i < et_kinds[kind].nstrings)
		return et_kinds[kind].strings[i].tag;
	return et_args_tag[kind] ? et_args_tag[kind] : "args";
}

/* "Marks|joined=RF+RT,unread=,cut=": the first three are always there. */
static void print_marks(const struct et_event *ev, struct buf *b)
{
	buf_adds(b, MARKS_LINE);
	for (unsigned int m = 0; m < ET_NR_MARKINGS; m++) {
		const char *sep = "";

		if (m > ET_CUT && !ev->marks[m])
			continue;
		if (m)
			buf_addc(b, ',');
		buf_adds(b, et_marking_names[m]);
		buf_addc(b, '=');
		for (unsigned int i = 0; i < 8; i++) {
			if (!(ev->marks[m] >> i & 1))
				continue;
			buf_adds(b, sep);
			buf_adds(b, marked_tag(ev->kind, i));
			sep = "+";
		}
	}
}

static bool begins(const char **s, const char *end, const char *with)
{
	size_t n = strlen(with);

	if ((size_t)(end - *s) < n || memcmp(*s, with, n) != 0)
		return false;
	*s += n;
	return true;
}

static uint8_t read_marked(const char **s, const char *end, unsigned int kind)
{
	uint8_t bits = 0;
	bool more = true;

	while (more) {
		unsigned int i = 0;

		while (i < et_kinds[kind].nstrings && !begins(s, end, et_kinds[kind].strings[i].tag))
			i++;
		if (i < et_kinds[kind].nstrings)
			bits |= (uint8_t)(1u << i);
		else if (begins(s, end, marked_tag(kind, ET_MAX_STRINGS)))
			bits |= ET_MARKED_ARGS;
		more = begins(s, end, "+");
	}
	return bits;
}

static bool same_text(const struct buf *b, const char *s, size_t len)
{
	return b->len == len && !memcmp(b->s, s, len);
}

/* Return: false if the line is not just as it is printed. */
static bool read_failed(struct et_event *ev, const char *s, size_t len)
{
	const char *p = s, *end = s + len;
	struct buf b = { 0 };
	int64_t n = 0;
	bool good;

	if (ev->error || !begins(&p, end, FAILED_LINE))
		return false;
	for (; p < end && *p >= '0' && *p <= '9' && n <= INT32_MAX; p++)
		n = 10 * n + (*p - '0');
	ev->error = n > 0 && n <= INT32_MAX ? (int32_t)n : 0;
	print_failed(ev, &b);
	good = ev->error && same_text(&b, s, len);
	buf_free(&b);
	if (!good)
		ev->error = 0;
	return good;
}

static bool read_marks(struct et_event *ev, const char *s, size_t len)
{
	const char *p = s, *end = s + len;
	struct buf b = { 0 };
	bool good;

	if (et_any_marks(ev) || 1u << et_kinds[ev->kind].nstrings > ET_MARKED_ARGS ||
	    !begins(&p, end, MARKS_LINE))
		return false;
	for (unsigned int m = 0; m < ET_NR_MARKINGS; m++) {
		if (m)
			begins(&p, end, ",");
		if (begins(&p, end, et_marking_names[m]) && begins(&p, end, "="))
			ev->marks[m] = read_marked(&p, end, ev->kind);
	}
	print_marks(ev, &b);
	good = et_any_marks(ev) && same_text(&b, s, len);
	buf_free(&b);
	if (!good)
		memset(ev->marks, 0, sizeof(ev->marks));
	return good;
}

/* ---- to the event ---- */

static void take_header(struct et_event *ev, const struct lt_event *lines,
			const struct lt_item *it)
{
	const struct lt_tag_row *row = &lt_tags[it->tag];

	for (unsigned int i = 0; i < row->nfields; i++) {
		const struct et_field *f = &row->fields[i];
		int64_t v = lines->vals[it->off + i];

		if (!(it->have >> i & 1))
			continue;
		if (f->is_size) {
			ev->size[f->slot] = v;
			/* no arguments at all */
			if (f->slot == ET_ARGS && !v)
				ev->strings |= 1u << ET_ARGS;
			continue;
		}
		et_set(ev, f->slot, v);
		if (it->big >> i & 1)
			ev->big |= (uint16_t)(1u << f->slot);
	}
	if (it->len)
		et_add_extra(ev, true, lines->bytes + it->text, it->len);
	if (row->role == ET_FAILED)
		ev->flags |= ET_F_FAILED;
}

/* Whether a header is just as the event gives it back. */
static bool header_fits(const struct et_event *ev, const struct lt_item *it,
			const struct et_row *row)
{
	uint16_t have = 0;

	for (unsigned int i = 0; i < row->nfields; i++) {
		const struct et_field *f = &row->fields[i];

		have |= (uint16_t)((f->is_size ? et_has_string(ev, f->slot) :
				   et_has(ev, f->slot)) << i);
	}
	return !it->len && it->have == have;
}

/*
 * Whether lines in this order, with these fields, are what the event gives
 * back.  @others: from this item on there are lines outside the format.
 */
static bool gives_back(const struct et_event *ev, const struct lt_event *lines,
		       uint32_t others)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];
	uint32_t n = 0;

	for (unsigned int i = kind->row; i < kind->end; i++) {
		const struct et_row *row = &et_rows[i];

		if (!et_row_there(ev, row))
			continue;
		if (row->role != ET_STRING) {
			if (n == others || lines->items[n].tag != lt_of_row[i] ||
			    !header_fits(ev, &lines->items[n], row))
				return false;
			n++;
			continue;
		}
		if (row->slot != ET_ARGS) {
			if (n == others || lines->items[n++].tag != lt_of_row[i])
				return false;
			continue;
		}
		for (uint32_t a = 0; a < ev->nargs; a++, n++)
			if (n == others || lines->items[n].tag != lt_of_row[i] ||
			    lines->items[n].index != a)
				return false;
	}
	return n == others;
}

/* Whether lines outside the format have names of their own: few, or looking takes long. */
static bool extras_named(const struct et_event *ev)
{
	for (uint32_t i = 0; i < ev->nextras; i++) {
		const char *s = ev->bytes + ev->extras[i].off;
		size_t n = et_extra_name(s, ev->extras[i].len);

		if (!n || ev->extras[i].field || i == 16)
			return false;
		for (uint32_t j = 0; j < i; j++) {
			const char *other = ev->bytes + ev->extras[j].off;

			if (et_extra_name(other, ev->extras[j].len) == n && !memcmp(other, s, n))
				return false;
		}
	}
	return true;
}

static void keep_raw(struct et_event *ev, const struct lt_event *lines)
{
	struct buf b = { 0 };

	lt_print(lines, 0, &b);
	memcpy(et_set_raw(ev, b.len), b.s, b.len);
	buf_free(&b);
}

/* Strings, arguments and what is outside the format.  Return: whether in good order. */
static bool take_items(struct et_event *ev, const struct lt_event *lines, uint32_t *others)
{
	enum { FORMAT, FAILED, MARKS, EXTRA } state = FORMAT;
	bool good = true;

	*others = lines->nitems;
	for (uint32_t i = 0; i < lines->nitems; i++) {
		const struct lt_item *it = &lines->items[i];
		const char *s = lt_bytes(lines, it);
		unsigned int slot = lt_slot(ev->kind, it->tag);

		if (it->tag < LT_FIRST_STRING) {
			good = good && state == FORMAT;
			take_header(ev, lines, it);
		} else if (slot == ET_ARGS + 1) {
			et_add_arg(ev, s, it->len);
		} else if (slot) {
			if (et_has_string(ev, slot - 1))
				good = false;
			else
				et_add_string(ev, slot - 1, s, it->len);
		} else {
			if (state == FORMAT)
				*others = i;
			if (state < FAILED && read_failed(ev, s, it->len))
				state = FAILED;
			else if (state < MARKS && read_marks(ev, s, it->len))
				state = MARKS;
			else
				et_add_extra(ev, false, s, it->len);
			state = ev->nextras ? EXTRA : state;
		}
	}
	return good;
}

void lt_to_event(const struct lt_event *lines, struct et_event *ev)
{
	uint32_t others;
	bool good;

	et_reset(ev, lines->kind, lines->upid, lines->cpu, lines->time);
	ev->place = lines->place;
	if (lt_is_plain(lines) && !lines->items[0].len) {
		take_header(ev, lines, &lines->items[0]);
		return;
	}
	if (lines->kind == ET_K_LOST) {
		if (lines->nvals)
			et_set(ev, ET_V_LOST_count, lines->vals[0]);
		return;
	}
	good = take_items(ev, lines, &others);
	for (uint32_t i = 0; i < lines->nmarks; i++)
		*et_add_mark(ev) = lines->marks[i];
	lt_check(lines, ev);
	if (ev->nfindings || !good || ev->kind == ET_K_FRAGMENT || !extras_named(ev) ||
	    !gives_back(ev, lines, others))
		keep_raw(ev, lines);
}

/* "CommOf|upid=5", once outside the format. */
static bool read_target(struct et_event *ev, const char *s, size_t len)
{
	const struct et_row *row = &et_rows[ET_R_CommOf];
	const char *end = s + len;
	uint64_t v = 0;

	if (ev->kind != ET_K_COMM || et_has(ev, ET_V_COMM_target) || !begins(&s, end, row->name) ||
	    !begins(&s, end, "|") || !begins(&s, end, row->fields[0].name) ||
	    !begins(&s, end, "=") || s == end || end - s > 18 || *s == '0')
		return false;
	for (; s < end && *s >= '0' && *s <= '9'; s++)
		v = 10 * v + (uint64_t)(*s - '0');
	if (s == end)
		et_set_unsigned(ev, ET_V_COMM_target, v);
	return s == end;
}

void et_absorb_extras(struct et_event *ev)
{
	static bool (*const read[])(struct et_event *ev, const char *s, size_t len) = {
		read_target, read_failed, read_marks,
	};
	uint32_t n = 0;

	for (unsigned int i = 0; i < sizeof(read) / sizeof(*read) && n < ev->nextras; i++)
		n += read[i](ev, ev->bytes + ev->extras[n].off, ev->extras[n].len);
	ev->nextras -= n;
	if (n)
		memmove(ev->extras, ev->extras + n, ev->nextras * sizeof(*ev->extras));
}

/* ---- and back ---- */

static void give_header(const struct et_event *ev, const struct et_row *row, enum lt_tag tag,
			struct lt_event *lines)
{
	lt_add_item(lines, tag, ev->cpu, 0);
	for (unsigned int i = 0; i < row->nfields; i++) {
		const struct et_field *f = &row->fields[i];

		if (!f->is_size) {
			if (et_has(ev, f->slot))
				lt_set_field(lines, i, ev->val[f->slot], ev->big >> f->slot & 1);
		} else if (!f->may || et_has_string(ev, f->slot) ||
			   ev->announced >> f->slot & 1) {
			lt_set_field(lines, i, et_announced(ev, f->slot), false);
		}
	}
}

static void give_line(const struct et_event *ev, struct lt_event *lines,
		      void (*print)(const struct et_event *ev, struct buf *b))
{
	struct buf b = { 0 };

	print(ev, &b);
	lt_add_item(lines, LT_OTHER, ev->cpu, 0);
	lt_add_bytes(lines, b.s, b.len);
	buf_free(&b);
}

static void give_string(const struct et_event *ev, const struct et_string *s, enum lt_tag tag,
			struct lt_event *lines)
{
	lt_add_item(lines, tag, ev->cpu, 0);
	lt_add_bytes(lines, et_text(ev, s), s->len);
}

static void give_args(const struct et_event *ev, enum lt_tag tag, struct lt_event *lines)
{
	uint32_t index = 0, m = 0;

	for (uint32_t a = 0; a < ev->nargs; a++, index++) {
		/* some before it may have been lost */
		for (; m < ev->nlater && ev->later[m].item <= lines->nitems; m++)
			index += ev->later[m].what == ET_M_ARGS ? ev->later[m].n : 0;
		give_string(ev, &ev->args[a], tag, lines);
		lines->items[lines->nitems - 1].index = index;
	}
}

static void give_rows(const struct et_event *ev, struct lt_event *lines)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];

	for (unsigned int i = kind->row; i < kind->end; i++) {
		const struct et_row *row = &et_rows[i];

		if (!et_row_there(ev, row))
			continue;
		if (row->role != ET_STRING) {
			give_header(ev, row, lt_of_row[i], lines);
		} else if (row->slot != ET_ARGS) {
			give_string(ev, &ev->str[row->slot], lt_of_row[i], lines);
			if (ev->open >> row->slot & 1)
				lines->items[lines->nitems - 1].flags |= LT_I_OPEN | LT_I_SPLIT;
		} else {
			give_args(ev, lt_of_row[i], lines);
		}
	}
}

void lt_from_event(const struct et_event *ev, struct lt_event *lines)
{
	if (ev->raw_len && lt_read(lines, ev->raw, ev->raw_len)) {
		lines->place = ev->place;
		return;
	}
	lt_reset(lines, ev->kind, ev->upid, ev->cpu, ev->time);
	lines->place = ev->place;
	if (ev->kind == ET_K_LOST) {
		lines->nvals = et_has(ev, ET_V_LOST_count);
		lines->vals[0] = ev->val[ET_V_LOST_count];
		return;
	}
	give_rows(ev, lines);
	if (ev->error)
		give_line(ev, lines, print_failed);
	if (et_any_marks(ev))
		give_line(ev, lines, print_marks);
	for (uint32_t i = 0; i < ev->nextras; i++)
		if (!ev->extras[i].field) {
			lt_add_item(lines, LT_OTHER, ev->cpu, 0);
			lt_add_bytes(lines, ev->bytes + ev->extras[i].off, ev->extras[i].len);
		}
	/* times are those of its later records */
	lines->nmarks = 0;
	for (uint32_t i = 0; i < ev->nlater; i++) {
		if (ev->later[i].what == ET_M_ARGS)
			continue;
		lines->marks = xgrow(lines->marks, &lines->marks_cap, i + 1, sizeof(*lines->marks));
		lines->marks[lines->nmarks++] = ev->later[i];
	}
}
