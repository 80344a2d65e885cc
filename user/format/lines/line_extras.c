// SPDX-License-Identifier: LGPL-2.1
/* Known lines outside the format: Failed, Marks, and CommOf of older versions.  See line_list.h. */
#include "format/lines/event_lines.h"
#include "format/lines/line_list.h"

#define FAILED_LINE	"Failed|error="
#define MARKS_LINE	"Marks|"

void lt_print_failed(const struct et_event *ev, struct buf *b)
{
	buf_adds(b, FAILED_LINE);
	if (ev->error < 0)
		buf_addc(b, '-');
	buf_addu(b, ev->error < 0 ? -(uint64_t)ev->error : (uint64_t)ev->error);
}

/* The tag of the string or arguments that bit @i of a marking stands for. */
static const char *marked_tag(unsigned int kind, unsigned int i)
{
	if (i < et_kinds[kind].nstrings)
		return et_kinds[kind].strings[i].tag;
	return et_args_tag[kind] ? et_args_tag[kind] : "args";
}

/* "Marks|joined=RF+RT,unread=,cut=".  These three are always there, others only if set. */
void lt_print_marks(const struct et_event *ev, struct buf *b)
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

static bool text_begins(const char **s, const char *end, const char *with)
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

		while (i < et_kinds[kind].nstrings &&
		       !text_begins(s, end, et_kinds[kind].strings[i].tag))
			i++;
		if (i < et_kinds[kind].nstrings)
			bits |= (uint8_t)(1u << i);
		else if (text_begins(s, end, marked_tag(kind, ET_MAX_STRINGS)))
			bits |= ET_MARKED_ARGS;
		more = text_begins(s, end, "+");
	}
	return bits;
}

static bool same_text(const struct buf *b, const char *s, size_t len)
{
	return b->len == len && !memcmp(b->s, s, len);
}

bool lt_read_failed(struct et_event *ev, const char *s, size_t len)
{
	const char *p = s, *end = s + len;
	struct buf b = { 0 };
	int64_t n = 0;
	bool good;

	if (ev->error || !text_begins(&p, end, FAILED_LINE))
		return false;
	for (; p < end && *p >= '0' && *p <= '9' && n <= INT32_MAX; p++)
		n = 10 * n + (*p - '0');
	ev->error = n > 0 && n <= INT32_MAX ? (int32_t)n : 0;
	lt_print_failed(ev, &b);
	good = ev->error && same_text(&b, s, len);
	buf_free(&b);
	if (!good)
		ev->error = 0;
	return good;
}

bool lt_read_marks(struct et_event *ev, const char *s, size_t len)
{
	const char *p = s, *end = s + len;
	struct buf b = { 0 };
	bool good;

	if (et_any_marks(ev) || 1u << et_kinds[ev->kind].nstrings > ET_MARKED_ARGS ||
	    !text_begins(&p, end, MARKS_LINE))
		return false;
	for (unsigned int m = 0; m < ET_NR_MARKINGS; m++) {
		if (m)
			text_begins(&p, end, ",");
		if (text_begins(&p, end, et_marking_names[m]) && text_begins(&p, end, "="))
			ev->marks[m] = read_marked(&p, end, ev->kind);
	}
	lt_print_marks(ev, &b);
	good = et_any_marks(ev) && same_text(&b, s, len);
	buf_free(&b);
	if (!good)
		memset(ev->marks, 0, sizeof(ev->marks));
	return good;
}

/* Reads "CommOf|upid=5", which was outside the format in older versions. */
static bool read_target(struct et_event *ev, const char *s, size_t len)
{
	const struct et_row *row = &et_rows[ET_R_CommOf];
	const char *end = s + len;
	uint64_t v = 0;

	if (ev->kind != ET_K_COMM || et_has(ev, ET_V_COMM_target) ||
	    !text_begins(&s, end, row->name) ||
	    !text_begins(&s, end, "|") || !text_begins(&s, end, row->fields[0].name) ||
	    !text_begins(&s, end, "=") || s == end || end - s > 18 || *s == '0')
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
		read_target, lt_read_failed, lt_read_marks,
	};
	uint32_t n = 0;

	for (unsigned int i = 0; i < sizeof(read) / sizeof(*read) && n < ev->nextras; i++)
		n += read[i](ev, ev->bytes + ev->extras[n].off, ev->extras[n].len);
	ev->nextras -= n;
	if (n)
		memmove(ev->extras, ev->extras + n, ev->nextras * sizeof(*ev->extras));
}
