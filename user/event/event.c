// SPDX-License-Identifier: LGPL-2.1
/* The event model: making events, checking them.  See event.h. */
#include "event/event.h"
#include "base/bytes.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char *const et_marking_names[ET_NR_MARKINGS] = {
	[ET_JOINED]	= "joined",
	[ET_UNREAD]	= "unread",
	[ET_CUT]	= "cut",
	[ET_UNTOLD]	= "untold",
	[ET_OUTSIDE]	= "outside",
};

/* ---- making events ---- */

void et_init(struct et_event *ev)
{
	memset(ev, 0, sizeof(*ev));
}

void et_fini(struct et_event *ev)
{
	free(ev->args);
	free(ev->extras);
	free(ev->later);
	free(ev->bytes);
	free(ev->raw);
	et_init(ev);
}

void et_give_back(struct et_event *ev)
{
	ev->bytes = xtrim(ev->bytes, &ev->bytes_cap, ET_KEEP_BYTES);
	ev->raw = xtrim(ev->raw, &ev->raw_cap, ET_KEEP_BYTES);
	ev->args = xtrim(ev->args, &ev->args_cap, ET_KEEP_ROWS);
	ev->extras = xtrim(ev->extras, &ev->extras_cap, ET_KEEP_ROWS);
	ev->later = xtrim(ev->later, &ev->later_cap, ET_KEEP_ROWS);
}

void et_set_value(struct et_event *ev, unsigned int i, int64_t v)
{
	et_set(ev, i, v);
	/* test @v first: most values are not negative */
	if (v < 0 && et_kinds[ev->kind].values[i].size == 8 && !et_kinds[ev->kind].values[i].sign)
		ev->big |= (uint16_t)(1u << i);
}

void et_set_error(struct et_event *ev, int32_t error)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];

	ev->error = error;
	for (unsigned int i = kind->row; i < kind->end; i++)
		if (et_rows[i].role == ET_FAILED)
			ev->flags |= ET_F_FAILED;
}

/* The number of lines before a row, each string counting as one. */
static uint32_t lines_before(const struct et_event *ev, unsigned int end)
{
	uint32_t n = 0;

	for (unsigned int i = et_kinds[ev->kind].row; i < end; i++) {
		const struct et_row *row = &et_rows[i];

		if (row->role == ET_STRING && row->slot == ET_ARGS)
			n += ev->nargs;
		else
			n += et_row_there(ev, row);
	}
	return n;
}

/* The row of a string's lines. */
static unsigned int text_row(const struct et_event *ev, unsigned int slot)
{
	unsigned int i = et_kinds[ev->kind].row;

	while (et_rows[i].role != ET_STRING || et_rows[i].slot != slot)
		i++;
	return i;
}

struct et_mark *et_add_mark(struct et_event *ev)
{
	struct et_mark *m;

	ev->later = xgrow(ev->later, &ev->later_cap, ev->nlater + 1, sizeof(*m));
	m = &ev->later[ev->nlater++];
	memset(m, 0, sizeof(*m));
	return m;
}

static void put_stamp(struct et_event *ev, uint32_t item, uint32_t off)
{
	struct et_mark *m = et_add_mark(ev);

	m->what = ET_M_STAMP;
	m->item = item;
	m->off = off;
	m->cpu = ev->later_cpu;
	m->time = ev->later_time;
	ev->pending = false;
}

void et_later(struct et_event *ev, uint32_t cpu, uint64_t time)
{
	ev->pending = true;
	ev->later_cpu = cpu;
	ev->later_time = time;
}

void et_grow(struct et_event *ev, size_t need)
{
	ev->bytes = xgrow(ev->bytes, &ev->bytes_cap, need > 256 ? need : 256, 1);
}

static inline void append_bytes(struct et_event *ev, const char *s, size_t n)
{
	if (!n)
		return;
	bytes_copy(et_room(ev, n), s, n);
	ev->nbytes += n;
}

static inline void place_string(struct et_event *ev, unsigned int i, size_t off, size_t n)
{
	ev->str[i] = (struct et_string){ (uint32_t)off, (uint32_t)n };
	ev->strings |= (uint8_t)(1u << i);
	ev->last = (uint8_t)i;
}

static inline void place_arg(struct et_event *ev, size_t off, size_t n)
{
	if (ev->nargs == ev->args_cap)
		ev->args = xgrow(ev->args, &ev->args_cap, ev->nargs + 1, sizeof(*ev->args));
	ev->args[ev->nargs++] = (struct et_string){ (uint32_t)off, (uint32_t)n };
	ev->strings |= 1u << ET_ARGS;
	ev->last = ET_ARGS;
}

void et_place_string(struct et_event *ev, unsigned int i, size_t off, size_t n)
{
	if (i == ET_ARGS)
		place_arg(ev, off, n);
	else
		place_string(ev, i, off, n);
}

void et_add_string(struct et_event *ev, unsigned int i, const char *s, size_t n)
{
	if (ev->pending)
		put_stamp(ev, lines_before(ev, text_row(ev, i)), 0);
	place_string(ev, i, ev->nbytes, n);
	append_bytes(ev, s, n);
}

void et_add_arg(struct et_event *ev, const char *s, size_t n)
{
	if (ev->pending)
		put_stamp(ev, lines_before(ev, text_row(ev, ET_ARGS)) + ev->nargs, 0);
	place_arg(ev, ev->nbytes, n);
	append_bytes(ev, s, n);
}

static struct et_string *last_string(struct et_event *ev)
{
	return ev->last == ET_ARGS ? &ev->args[ev->nargs - 1] : &ev->str[ev->last];
}

static uint32_t last_line(const struct et_event *ev)
{
	uint32_t before = lines_before(ev, text_row(ev, ev->last));

	return ev->last == ET_ARGS ? before + ev->nargs - 1 : before;
}

void et_add_bytes(struct et_event *ev, const char *s, size_t n)
{
	struct et_string *str = last_string(ev);

	/* the later record begins with an empty line, which is not kept */
	if (!n && ev->pending)
		ev->later_time++;
	if (!n)
		return;
	if (ev->pending)
		put_stamp(ev, last_line(ev), str->len);
	append_bytes(ev, s, n);
	str->len += (uint32_t)n;
}

bool et_add_args(struct et_event *ev, const char *s, size_t len, bool on)
{
	bool open = on;

	while (len) {
		size_t n = strnlen(s, len);

		if (on)
			et_add_bytes(ev, s, n);
		else
			et_add_arg(ev, s, n);
		on = false;
		open = n == len;
		s += n + !open;
		len -= n + !open;
	}
	return open;
}

void et_add_earlier(struct et_event *ev, const char *s, size_t n)
{
	append_bytes(ev, s, n);
	last_string(ev)->len += (uint32_t)n;
}

void et_gap(struct et_event *ev, uint32_t n)
{
	struct et_mark *m = et_add_mark(ev);

	m->what = ET_M_GAP;
	m->item = last_line(ev);
	m->off = last_string(ev)->len;
	m->n = n;
}

void et_gap_args(struct et_event *ev, uint32_t n)
{
	struct et_mark *m = et_add_mark(ev);

	m->what = ET_M_ARGS;
	m->item = lines_before(ev, text_row(ev, ET_ARGS)) + ev->nargs;
	m->n = n;
}

void et_end(struct et_event *ev)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];
	unsigned int tail = kind->end;
	uint32_t item;

	if (!ev->pending)
		return;
	/* the lines after the last string */
	while (tail > kind->row && et_rows[tail - 1].role != ET_STRING)
		tail--;
	item = lines_before(ev, tail);
	if (lines_before(ev, kind->end) > item || ev->error || ev->nextras)
		put_stamp(ev, item, 0);
	ev->pending = false;
}

void et_place_extra(struct et_event *ev, bool field, size_t off, size_t n)
{
	ev->extras = xgrow(ev->extras, &ev->extras_cap, ev->nextras + 1, sizeof(*ev->extras));
	ev->extras[ev->nextras++] = (struct et_extra){ field, (uint32_t)off, (uint32_t)n };
}

void et_add_extra(struct et_event *ev, bool field, const char *s, size_t n)
{
	et_place_extra(ev, field, ev->nbytes, n);
	append_bytes(ev, s, n);
}

void et_extend_extra(struct et_event *ev, const char *s, size_t n)
{
	append_bytes(ev, s, n);
	ev->extras[ev->nextras - 1].len += (uint32_t)n;
}

char *et_set_raw(struct et_event *ev, size_t n)
{
	ev->raw = xgrow(ev->raw, &ev->raw_cap, n, 1);
	ev->raw_len = n;
	return ev->raw;
}

void et_found(struct et_event *ev, struct et_finding f)
{
	ev->flags |= ET_F_INCOMPLETE;
	if (ev->nfindings < ET_MAX_FINDINGS)
		ev->findings[ev->nfindings] = f;
	ev->nfindings++;
}

/* ---- checking ---- */

/* Bytes of a string, or of all arguments, each with its NUL. */
static int64_t string_length(const struct et_event *ev, unsigned int i)
{
	int64_t n = 0;

	if (i != ET_ARGS)
		return et_has_string(ev, i) ? (int64_t)ev->str[i].len : -1;
	for (uint32_t a = 0; a < ev->nargs; a++)
		n += ev->args[a].len + (int64_t)1;
	return n;
}

int64_t et_announced(const struct et_event *ev, unsigned int i)
{
	return ev->announced >> i & 1 ? ev->size[i] : string_length(ev, i);
}

static void check_size(struct et_event *ev, const struct et_field *f, const char *tag)
{
	int64_t want = et_announced(ev, f->slot), have = string_length(ev, f->slot);
	bool there = et_has_string(ev, f->slot);

	/* an optional string may be missing */
	if (f->may && !there && !(ev->announced >> f->slot & 1))
		return;
	if (want < 0)
		et_found(ev, (struct et_finding){ ET_NOT_READ, tag, NULL, 0, have });
	else if (!there && (want > 0 || f->slot != ET_ARGS))
		et_found(ev, (struct et_finding){ ET_NO_STRING, tag, NULL, want, 0 });
	else if (have != want)
		et_found(ev, (struct et_finding){ have < want ? ET_SHORT : ET_LONG, tag, NULL,
						  want, have });
}

/* The name of the tag of a string. */
static const char *tag_of(const struct et_event *ev, unsigned int slot)
{
	return et_rows[text_row(ev, slot)].name;
}

/* The name of the string whose lines are the @item-th. */
static const char *string_at(const struct et_event *ev, uint32_t item)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];
	const char *name = kind->name;

	for (unsigned int i = kind->row; i < kind->end && lines_before(ev, i) <= item; i++)
		if (et_row_there(ev, &et_rows[i]))
			name = et_rows[i].name;
	return name;
}

/* Whether an event needs a line that continues or ends it, and has none. */
static bool lacks_end(const struct et_event *ev)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];
	bool needs = false;

	if (!(ev->flags & ET_F_NO_END))
		return false;
	for (unsigned int i = kind->row; i < kind->end; i++) {
		const struct et_row *row = &et_rows[i];

		if (row->role == ET_MIDDLE && et_row_there(ev, row))
			return false;
		needs = needs || row->role == ET_MIDDLE || row->role == ET_LAST;
	}
	return needs;
}

unsigned int et_check(struct et_event *ev)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];

	/* most events are whole */
	if (et_is_whole(ev))
		return 0;
	if (ev->flags & ET_F_NO_BEGIN || lacks_end(ev)) {
		const char *first = kind->name, *last = first;

		for (unsigned int i = kind->end; i > kind->row; i--)
			if (et_row_there(ev, &et_rows[i - 1])) {
				last = last == kind->name ? et_rows[i - 1].name : last;
				first = et_rows[i - 1].name;
			}
		et_found(ev, (struct et_finding){
			ev->flags & ET_F_NO_BEGIN ? ET_NO_BEGIN : ET_NO_END,
			ev->flags & ET_F_NO_BEGIN ? first : last, NULL, 0, 0 });
	}
	for (unsigned int i = kind->row; i < kind->end; i++) {
		const struct et_row *row = &et_rows[i];

		if (!et_row_there(ev, row))
			continue;
		if (row->role == ET_STRING && ev->open >> row->slot & 1)
			et_found(ev, (struct et_finding){ ET_NO_STRING_END, row->name, NULL, 0, 0 });
		if (row->role == ET_STRING && ev->flags & ET_F_NO_BEGIN &&
		    !(ev->announced >> row->slot & 1))
			et_found(ev, (struct et_finding){ ET_NO_BEGIN, row->name, NULL, 0, 0 });
		for (const struct et_field *f = row->fields; f->name; f++)
			if (f->is_size)
				check_size(ev, f, tag_of(ev, f->slot));
	}
	for (uint32_t i = 0; i < ev->nlater; i++)
		if (ev->later[i].what != ET_M_STAMP)
			et_found(ev, (struct et_finding){ ET_GAP_PARTS,
				 string_at(ev, ev->later[i].item), NULL, ev->later[i].n, 0 });
	return ev->nfindings;
}

/* ---- looking at events ---- */

uint32_t et_count_lines(const struct et_event *ev)
{
	return lines_before(ev, et_kinds[ev->kind].end) + !!ev->error + et_any_marks(ev) + ev->nextras;
}

size_t et_extra_name(const char *s, size_t len)
{
	size_t n = 0;

	/* it must begin with an upper-case letter, because no name of ours in FXT or JSON does */
	if (!len || s[0] < 'A' || s[0] > 'Z')
		return 0;
	while (n < len && ((s[n] >= 'a' && s[n] <= 'z') ||
			   (s[n] >= 'A' && s[n] <= 'Z') ||
			   (s[n] >= '0' && s[n] <= '9') || s[n] == '_'))
		n++;
	/* "_hex" is the suffix of a string's bytes in FXT and JSON */
	if (n > 4 && !memcmp(s + n - 4, "_hex", 4))
		return 0;
	return n < len && n < 32 && s[n] == '|' ? n : 0;
}

const char *et_marked(enum et_kind kind, unsigned int i)
{
	if (i < et_kinds[kind].nstrings)
		return et_kinds[kind].strings[i].name;
	if (1u << i != ET_MARKED_ARGS)
		return NULL;
	return et_args_name[kind] ? et_args_name[kind] : "arguments";
}

void et_finding_text(const struct et_finding *f, char *buf, size_t size)
{
	switch (f->fault) {
	case ET_OK:
		snprintf(buf, size, "nothing");
		break;
	case ET_NO_BEGIN:
		snprintf(buf, size, "the lines before %s are missing", f->name);
		break;
	case ET_NO_END:
		snprintf(buf, size, "the lines after %s are missing", f->name);
		break;
	case ET_NO_FIELD:
		snprintf(buf, size, "%s: no %s", f->name, f->field);
		break;
	case ET_NO_STRING:
		snprintf(buf, size, "%s: missing, with all its %" PRId64 " bytes", f->name, f->want);
		break;
	case ET_NOT_READ:
		snprintf(buf, size, "%s: could not be read by the tracer", f->name);
		break;
	case ET_SHORT:
		snprintf(buf, size, "%s: %" PRId64 " of %" PRId64 " bytes missing", f->name,
			 f->want - f->have, f->want);
		break;
	case ET_LONG:
		snprintf(buf, size, "%s: %" PRId64 " bytes more than the %" PRId64 " announced",
			 f->name, f->have - f->want, f->want);
		break;
	case ET_GAP_PARTS:
		snprintf(buf, size, "%s: %" PRId64 " parts missing", f->name, f->want);
		break;
	case ET_NO_STRING_END:
		snprintf(buf, size, "%s: its end is missing", f->name);
		break;
	}
}
