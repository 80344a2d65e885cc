// SPDX-License-Identifier: LGPL-2.1
/* The text of a line.  See piece.h. */
#include "format/lines/piece.h"
#include "format/lines/tag.h"

#include <string.h>

static bool is_name(const char *s, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(s, name, len);
}

/* "_end" taken off a name, or 0 */
static size_t without_end(const char *s, size_t len)
{
	return len > 4 && !memcmp(s + len - 4, "_end", 4) ? len - 4 : 0;
}

struct piece piece_read(const struct et_line *l)
{
	const char *s = l->text;
	size_t len = l->len, n = l->tag_len, stem;
	struct piece p = { .what = P_OTHER, .tag = LT_OTHER, .text = s, .len = len };
	uint64_t index = 0;

	stem = n == len || (s[n] == '|' && n + 1 == len) ? without_end(s, n) : 0;
	if (stem) {
		/* Cont_end and TAG_end, both with a bar or without */
		enum lt_tag tag = tag_find(s, stem);

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
		if (l->tag == LT_NONE && !is_name(s, n, "Cont"))
			return p;
		p.text = s + n + 1;
		p.len = len - n - 1;
		if (l->tag == LT_NONE) {
			p.what = P_CONT;
		} else {
			p.what = l->tag >= LT_FIRST_STRING ? P_STRING : P_HEADER;
			p.tag = l->tag;
		}
		return p;
	}
	if (l->tag < LT_FIRST_STRING)
		return p;
	for (stem = n + 1; stem < len && s[stem] >= '0' && s[stem] <= '9'; stem++) {
		index = index * 10 + (uint64_t)(s[stem] - '0');
		if (index > INT32_MAX)
			break;
	}
	if (stem == n + 1 || stem == len || s[stem] != ']')
		return p;
	p.what = P_STRING;
	p.tag = l->tag;
	p.part = true;
	p.index = (uint32_t)index;
	p.text = s + stem + 1;
	p.len = len - stem - 1;
	return p;
}

/* ---- fields of headers ---- */

/* A whole number of 64 bits, signed or not.  Return: what follows, or NULL. */
const char *piece_value(const char *s, const char *end, int64_t *v, bool *big)
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
				p = piece_value(s + name_len + 1, end, &v, &big);
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
bool piece_fields(struct lt_event *ev, const char *s, size_t len)
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
		p = piece_value(s + f->len + 1, end, &ev->vals[it->off + next], &big);
		if (!p || (p < end && (*p != ',' || p + 1 == end)))
			break;
		it->have |= (uint16_t)(1u << next);
		it->big |= (uint16_t)(big << next);
		s = p + 1;
	}
	if (s >= end)
		return true;
	return read_odd_fields(ev, s, end);
}
