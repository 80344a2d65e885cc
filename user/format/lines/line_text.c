// SPDX-License-Identifier: LGPL-2.1
/* Parses the text of a line.  See line_text.h. */
#include "format/lines/line_text.h"
#include "format/lines/tag.h"
#include "base/bytes.h"

#include <string.h>

static bool is_name(const char *s, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(s, name, len);
}

/* Length of a name without its "_end", 0 if it has none. */
static size_t without_end(const char *s, size_t len)
{
	return len > 4 && !memcmp(s + len - 4, "_end", 4) ? len - 4 : 0;
}

struct line_text line_text_part(const struct et_line *l)
{
	const char *s = l->text + l->tag_len + 1, *end = l->text + l->len, *digits = s;
	uint64_t index = 0;

	for (; s < end && *s >= '0' && *s <= '9' && index <= INT32_MAX; s++)
		index = index * 10 + (uint64_t)(*s - '0');
	if (l->tag < LT_FIRST_STRING || s == digits || s >= end || *s != ']' ||
	    index > INT32_MAX)
		return (struct line_text){
			.what = P_OTHER, .tag = LT_OTHER, .text = l->text, .len = l->len };
	return (struct line_text){
		.what = P_STRING, .tag = l->tag, .part = true, .index = (uint32_t)index,
		.text = s + 1, .len = (size_t)(end - s) - 1,
	};
}

struct line_text line_text_other(const struct et_line *l)
{
	const char *s = l->text;
	size_t len = l->len, n = l->tag_len, stem;
	struct line_text p = { .what = P_OTHER, .tag = LT_OTHER, .text = s, .len = len };

	stem = n == len || (s[n] == '|' && n + 1 == len) ? without_end(s, n) : 0;
	if (stem) {
		/* Cont_end and TAG_end, each with or without a '|' */
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
	/* an argument without an index, which no tracer prints, stays P_OTHER */
	if (n < len && l->tag == LT_NONE && is_name(s, n, "Cont")) {
		p.what = P_CONT;
		p.text = s + n + 1;
		p.len = len - n - 1;
	}
	return p;
}

/* ---- fields of headers ---- */

/* In known_field.bit, values have the bits below this one, and sizes the others. */
#define SIZES 16

/* What parsing needs for each field of each header, prepared once. */
static struct known_field {
	/* up to 8 last bytes of "name=", as bytes_first_low(); first 8 bytes of longer names */
	uint64_t name, first;
	const char *text;
	uint32_t bit;	/* bit of the slot; SIZES bits higher for a size */
	uint16_t at;	/* offset of the value in struct et_event */
	uint8_t shift;	/* bits to shift a word by to get @name */
	uint8_t len;	/* length of "name="; 0 after the last field */
	bool may;	/* it may be missing */
} known_fields[LT_FIRST_STRING][ET_MAX_FIELDS + 1];

__attribute__((constructor)) static void make_known_fields(void)
{
	for (unsigned int tag = LT_NONE + 1; tag < LT_FIRST_STRING; tag++) {
		struct known_field *to = known_fields[tag];

		for (const struct et_field *f = lt_rows[tag]->fields; f->name; f++, to++) {
			char text[8] = { 0 };
			size_t n = f->len < sizeof(text) ? f->len : sizeof(text) - 1;

			memcpy(text, f->name + f->len - n, n);
			text[n] = '=';
			to->name = bytes_first_low(text);
			to->text = f->name;
			to->shift = (uint8_t)(8 * (sizeof(text) - n - 1));
			to->len = f->len + 1;
			if (f->len >= 8)
				to->first = bytes_8(f->name);
			to->bit = 1u << (f->slot + (f->is_size ? SIZES : 0));
			to->at = (uint16_t)(f->is_size ? offsetof(struct et_event, size[f->slot]) :
						       offsetof(struct et_event, val[f->slot]));
			to->may = f->may;
		}
	}
}

/* Reads a short number that is not negative.  Return: what follows, or NULL. */
static inline const char *short_value(const char *s, int64_t *v)
{
	unsigned int d = (unsigned int)*s - '0';
	const char *p = s + 1;
	uint64_t n = d;

	if (d > 9)
		return NULL;
	/* the newline at the end of the line stops this loop */
	while ((d = (unsigned int)*p - '0') < 10) {
		n = n * 10 + d;
		p++;
	}
	*v = (int64_t)n;
	return p - s > 18 ? NULL : p;
}

/* Reads an integer of 64 bits, signed or not.  Return: what follows, or NULL. */
static const char *any_value(const char *s, const char *end, int64_t *v, bool *big)
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

/* Whether a field's "name=" begins at @s. */
static inline bool is_field(const struct known_field *f, const char *s, const char *end)
{
	return end - s >= f->len && bytes_first_low(s + f->len - 8) >> f->shift == f->name &&
	       (f->len <= 8 || (bytes_8(s) == f->first &&
				(f->len <= 16 || !memcmp(s, f->text, f->len - 1u))));
}

/* The slow path of read_value(), for values that short_value() cannot read. */
static __attribute__((noinline)) const char *long_value(struct et_event *ev, struct lt_item *it,
							unsigned int bit,
							const struct known_field *f,
							const char *s, const char *end, int64_t *v)
{
	bool big;
	const char *p = any_value(s, end, v, &big);

	if (!p || (p != end && *p != ','))
		return NULL;
	if (big) {
		it->big |= (uint16_t)bit;
		ev->big |= (uint16_t)f->bit;
	}
	if (f->bit >> SIZES && *v < 0)
		it->flags |= LT_I_NO_SIZE;
	return p;
}

/*
 * Reads the value of the field with this bit of @it.  A comma or the end must follow.
 * Return: what follows, or NULL.
 */
static inline const char *read_value(struct et_event *ev, struct lt_item *it, unsigned int bit,
				     const struct known_field *f, const char *s, const char *end,
				     int64_t *v)
{
	const char *p = short_value(s, v);

	return p && (*p == ',' || p == end) ? p : long_value(ev, it, bit, f, s, end, v);
}

/* Sets the value or size of a field.  add_bits() must record that it is there. */
static inline void set_field(struct et_event *ev, const struct known_field *f, int64_t v)
{
	memcpy((char *)ev + f->at, &v, sizeof(v));
}

static inline void add_bits(struct et_event *ev, uint32_t bits)
{
	ev->given |= (uint16_t)bits;
	ev->announced |= (uint8_t)(bits >> SIZES);
}

/*
 * Reads fields while they come in the order of the format.
 * Return: what follows the last field read, @end if nothing does; the comma after that field
 * is passed over, but not if it ends the text.
 */
static inline const char *read_in_order(struct et_event *ev, struct lt_item *it, const char *s,
					const char *end)
{
	const struct known_field *f = known_fields[it->tag];
	uint32_t have = 0, bits = 0;

	for (uint32_t bit = 1; f->len; f++, bit <<= 1) {
		const char *p;
		int64_t v;

		if (!is_field(f, s, end)) {
			if (f->may)
				continue;
			break;
		}
		p = read_value(ev, it, bit, f, s + f->len, end, &v);
		if (!p)
			break;
		have |= bit;
		bits |= f->bit;
		set_field(ev, f, v);
		s = p;
		/* a comma at the end promises a field that is not there */
		if (*p != ',' || p + 1 == end)
			break;
		s++;
	}
	it->have = (uint16_t)have;
	add_bits(ev, bits);
	return s;
}

/* Appends text of a header that is not one of its fields. */
static void add_text(struct et_event *ev, struct lt_item *it, const char *s, size_t n)
{
	if (!it->len)
		it->off = (uint32_t)ev->nbytes;
	else
		lt_add_bytes(ev, it, ",", 1);
	lt_add_bytes(ev, it, s, n);
}

/*
 * Reads fields in another order, unknown ones and damaged ones; unknown ones are kept
 * as text.  Return: false if a part could not be read.
 */
static __attribute__((noinline)) bool read_odd_fields(struct et_event *ev, struct lt_item *it,
						      const char *s, const char *end)
{
	const struct known_field *fields = known_fields[it->tag];
	bool good = true;

	while (s < end) {
		const char *stop, *p = NULL;
		unsigned int i = 0;
		int64_t v;

		while (fields[i].len && !is_field(&fields[i], s, end))
			i++;
		if (fields[i].len && !(it->have >> i & 1))
			p = read_value(ev, it, 1u << i, &fields[i], s + fields[i].len, end, &v);
		if (p) {
			it->have |= (uint16_t)(1u << i);
			set_field(ev, &fields[i], v);
			add_bits(ev, fields[i].bit);
			s = p + 1;
			/* a comma at the end promises a field that is not there */
			good = good && !(p < end && s == end);
			continue;
		}
		stop = memchr(s, ',', (size_t)(end - s));
		stop = stop ? stop : end;
		/* unknown=value is an extension, anything else is damage */
		if (fields[i].len || !memchr(s, '=', (size_t)(stop - s)))
			good = false;
		add_text(ev, it, s, (size_t)(stop - s));
		s = stop + 1;
		/* keep a comma at the end, so that the line can be printed unchanged */
		if (s == end)
			lt_add_bytes(ev, it, ",", 1);
	}
	return good;
}

bool line_text_fields(struct et_event *ev, struct lt_item *it, const char *s, size_t len)
{
	const char *end = s + len, *rest = read_in_order(ev, it, s, end);

	if (rest == end)
		return true;
	/* a comma after the last value is damage */
	if (rest + 1 == end && *rest == ',' && rest[-1] >= '0' && rest[-1] <= '9')
		return false;
	return read_odd_fields(ev, it, rest, end);
}
