// SPDX-License-Identifier: LGPL-2.1
/* Parses the packets of a binary log.  See sprt_packet.h. */
#include "format/sprtrace/sprt_packet.h"
#include "base/xalloc.h"

#include <stdio.h>
#include <string.h>

/* --- fields ------------------------------------------------------------- */

struct sprt_cursor {
	const uint8_t *p, *end;
	const struct sprt_layout *lay;
	struct sprt_room *room;
	bool short_of;		/* a field did not fit */
	bool fill;		/* read lists to the end of the packet */
};

static uint16_t get16(const uint8_t *p, bool big)
{
	return big ? (uint16_t)(p[0] << 8 | p[1]) :
		     (uint16_t)(p[1] << 8 | p[0]);
}

static uint32_t get32(const uint8_t *p, bool big)
{
	uint32_t a = get16(p, big), b = get16(p + 2, big);

	return big ? a << 16 | b : b << 16 | a;
}

static size_t bytes_left(const struct sprt_cursor *c)
{
	return (size_t)(c->end - c->p);
}

static uint32_t take_u32(struct sprt_cursor *c)
{
	uint32_t v;

	if (bytes_left(c) < 4) {
		c->short_of = true;
		c->p = c->end;
		return 0;
	}
	v = get32(c->p, c->lay->big);
	c->p += 4;
	return v;
}

static uint64_t read_pointer(struct sprt_cursor *c, uint8_t size)
{
	uint64_t a, b;

	a = take_u32(c);
	if (size == 4)
		return a;
	b = take_u32(c);
	return c->lay->big ? a << 32 | b : b << 32 | a;
}

/*
 * Read a string: a 16-bit length that includes the padding, and a text that ends at a
 * NUL or at that length.  If the length does not fit, the string takes all but the
 * last @reserve bytes, so that the fields of known size after it are still read.
 * Return: NULL if the length is 0, which stands for a NULL string.
 */
static const char *string_or_null(struct sprt_cursor *c, size_t reserve)
{
	const char *text, *s;
	size_t len, span;

	if (bytes_left(c) < 4 + reserve) {
		c->short_of = true;
		return "";
	}
	len = get16(c->p, c->lay->big);
	span = (2 + len + 3) & ~(size_t)3;
	if (span > bytes_left(c) - reserve) {
		c->short_of = true;
		span = (bytes_left(c) - reserve) & ~(size_t)3;
		len = span - 2;
	}
	if (!len) {
		c->p += span;
		return NULL;
	}
	text = (const char *)c->p + 2;
	s = pool_keep(&c->room->strings, xstrndup(text, strnlen(text, len)));
	c->p += span;
	return s;
}

static const char *read_string(struct sprt_cursor *c, size_t reserve)
{
	const char *s = string_or_null(c, reserve);

	return s ? s : "";
}

/* --- packet bodies ------------------------------------------------------ */

/* Parse an item whose fields sprt_kinds lists. */
static void parse_fields(struct sprt_cursor *c, struct sprt_item *r)
{
	const struct sprt_field *f = sprt_kinds[r->kind].fields;
	uint32_t v;

	for (; f->type; f++) {
		void *at = (char *)r + f->offset;

		switch (f->type) {
		case SPRT_ID:
		case SPRT_MASK:
			*(uint32_t *)at = take_u32(c);
			break;
		case SPRT_FLAGS:
			*(uint32_t *)at = c->lay->since_1_3 ? take_u32(c) : 0;
			break;
		case SPRT_TEXT:
			*(const char **)at = read_string(c, 0);
			break;
		case SPRT_OPTIONAL:
			*(const char **)at = string_or_null(c, 0);
			break;
		case SPRT_POINTER:
			*(uint64_t *)at = read_pointer(c, c->lay->ptr);
			break;
		default:	/* SPRT_VERSION */
			v = take_u32(c);
			((uint16_t *)at)[0] = (uint16_t)(v >> 16);
			((uint16_t *)at)[1] = (uint16_t)v;
			break;
		}
	}
}

static void parse_process(struct sprt_cursor *c, struct sprt_item *r)
{
	r->process.pid = take_u32(c);
	r->process.sec = take_u32(c);
	r->process.usec = take_u32(c);
	r->process.has_time = r->process.sec != 0;
	r->process.has_depth = c->lay->has_depth;
	if (c->lay->has_depth)
		r->process.depth = take_u32(c);
	r->process.name = read_string(c, 0);
}

static void parse_heap(struct sprt_cursor *c, struct sprt_item *r)
{
	/* Version 2.0 writes bottom and top as 32 bits even if pointers are
	 * 64 bits; then the packet has 48 bytes (12 fields of 4).
	 */
	uint8_t width = bytes_left(c) == 48 ? 4 : c->lay->ptr;

	r->heap.narrow = width < c->lay->ptr;
	r->heap.address[SPRT_HEAP_BOTTOM] = read_pointer(c, width);
	r->heap.address[SPRT_HEAP_TOP] = read_pointer(c, width);
	for (int i = 0; i < SPRT_HEAP_NUMBERS; i++)
		r->heap.number[i] = (int32_t)take_u32(c);
}

static void parse_call(struct sprt_cursor *c, struct sprt_item *r)
{
	r->call.resource = take_u32(c);
	r->call.context = take_u32(c);
	r->call.time_us = (uint64_t)take_u32(c) * 1000;
	r->call.type = take_u32(c);
	r->call.name = read_string(c, 4u + c->lay->ptr);
	r->call.size = (int32_t)take_u32(c);
	r->call.id = read_pointer(c, c->lay->ptr);
}

/*
 * Read arguments into room->arg: the announced number, or with fill, all that the
 * packet has.
 */
static void parse_args(struct sprt_cursor *c, struct sprt_item *r)
{
	struct sprt_room *room = c->room;
	uint32_t announced = take_u32(c);
	size_t n = 0;

	while (c->fill ? bytes_left(c) : n < announced) {
		struct sprt_arg arg;

		if (c->lay->since_1_3) {
			arg.name = read_string(c, 0);
		} else {
			char *digits = pool_keep(&c->room->strings, xmalloc(24));

			snprintf(digits, 24, "%zu", n + 1);
			arg.name = digits;
		}
		arg.value = read_string(c, 0);
		if (c->short_of)
			break;
		room->arg = xgrow(room->arg, &room->arg_cap, n + 1, sizeof(arg));
		room->arg[n++] = arg;
	}
	r->call.nargs = (uint32_t)n;
}

/* Read frames into room->frame: the announced number, or with fill, all that the packet has. */
static void parse_trace(struct sprt_cursor *c, struct sprt_item *r)
{
	struct sprt_room *room = c->room;
	uint32_t announced = take_u32(c);
	size_t n = bytes_left(c) / c->lay->ptr;

	if (!c->fill && announced <= n)
		n = announced;
	else if (!c->fill)
		c->short_of = true;
	room->frame = xgrow(room->frame, &room->frame_cap, n, sizeof(*room->frame));
	for (size_t i = 0; i < n; i++)
		room->frame[i] = read_pointer(c, c->lay->ptr);
	r->call.nframes = (uint32_t)n;
}

const struct sprt_packet_type sprt_packet_types[] = {
	{ "CALL", SPRT_CALL, parse_call, false },
	{ "BTRC", SPRT_CALL, parse_trace, true },
	{ "ARGS", SPRT_CALL, parse_args, true },
	{ "PINF", SPRT_PROCESS, parse_process, false },
	{ "MINF", SPRT_MODULE, NULL, false },
	{ "MMAP", SPRT_MAP, NULL, false },
	{ "CTXR", SPRT_CONTEXT, NULL, false },
	{ "RESR", SPRT_RESOURCE, NULL, false },
	{ "HINF", SPRT_HEAP, parse_heap, false },
	{ "FILE", SPRT_FILE, NULL, true },
	{ "OCFG", SPRT_OUTPUT, NULL, true },
	{ "NLIB", SPRT_LIBRARY, NULL, false },
};

#define NTYPES (sizeof(sprt_packet_types) / sizeof(*sprt_packet_types))

enum sprt_outcome sprt_packet_parse(const struct sprt_layout *lay, int type,
				    const uint8_t *body, size_t size, bool fill,
				    struct sprt_room *room, struct sprt_item *r, size_t *used)
{
	const struct sprt_packet_type *row = &sprt_packet_types[type];
	struct sprt_cursor c = {
		.p = body, .end = body + size, .fill = fill,
		.lay = lay, .room = room,
	};

	r->kind = row->kind;
	if (row->parse)
		row->parse(&c, r);
	else
		parse_fields(&c, r);
	*used = (size_t)(c.p - body);
	if (c.short_of)
		return SPRT_SHORT;
	return c.p == c.end ? SPRT_EXACT : SPRT_EXTRA;
}

/* --- packet headers ----------------------------------------------------- */

/*
 * Programs of protocol 1.0 wrote the second letter of a type three times:
 * CAAA for CALL.
 */
static bool type_matches(const char *name, const char *seen)
{
	return !memcmp(name, seen, 4) ||
	       (name[0] == seen[0] && name[1] == seen[1] &&
		name[1] == seen[2] && name[1] == seen[3]);
}

struct sprt_header sprt_get_header(const struct sprt_layout *lay, const uint8_t *p)
{
	const uint8_t *type = lay->type_first ? p : p + 4;
	uint32_t size = get32(lay->type_first ? p + 4 : p, lay->big);
	struct sprt_header h = { .type = SPRT_TYPE_UNKNOWN, .plausible = true };

	for (int i = 0; i < 4; i++) {
		h.name[i] = (char)type[lay->big ? 3 - i : i];
		if (!((h.name[i] >= 'A' && h.name[i] <= 'Z') ||
		      (h.name[i] >= '0' && h.name[i] <= '9') ||
		      h.name[i] == '_'))
			h.plausible = false;
	}
	if (!lay->type_first) {
		if (size < 4)
			h.plausible = false;
		size -= 4;
	}
	if (size % 4 || size > SPRT_PACKET_MAX)
		h.plausible = false;
	for (size_t i = 0; i < NTYPES; i++)
		if (type_matches(sprt_packet_types[i].name, h.name))
			h.type = (int)i;
	h.size = size;
	return h;
}

/* --- handshake ---------------------------------------------------------- */

static bool is_printable(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] < 0x20 || p[i] > 0x7e)
			return false;
	return true;
}

static bool tail_ok(const uint8_t *p, size_t n)
{
	return p[5 + n] <= 1 && (p[6 + n] == 4 || p[6 + n] == 8);
}

struct sprt_handshake sprt_get_handshake(const uint8_t *p, size_t len)
{
	struct sprt_handshake h = { 0 };
	size_t n, total;

	if (len < 8)
		return h;
	h.major = p[2];
	h.minor = p[3];
	n = p[4];
	total = p[1] + 2u;
	if (total % 4 || total < 7 + n || total > 10 + n) {
		size_t by_len = (7 + n + 3) & ~(size_t)3;

		h.fault = "size and length of the architecture disagree";
		if (by_len <= len && tail_ok(p, n) && is_printable(p + 5, n)) {
			total = by_len;
		} else if (total % 4 == 0 && total >= 8 && total <= len) {
			for (n = total - 7; n > 0 && n + 10 > total; n--)
				if (tail_ok(p, n) && is_printable(p + 5, n))
					break;
		}
	}
	if (total < 7 + n || total > len)
		return (struct sprt_handshake){ 0 };
	h.total = total;
	memcpy(h.arch, p + 5, n);
	h.endian = p[5 + n];
	h.ptr = p[6 + n];
	if (p[0] != SPRT_HANDSHAKE_ID)
		h.fault = "first byte is not 0xf0";
	else if (!is_printable(p + 5, n))
		h.fault = "architecture is not text";
	else if (h.endian > 1)
		h.fault = "byte order is neither 0 nor 1";
	else if (h.ptr != 4 && h.ptr != 8)
		h.fault = "pointer size is neither 4 nor 8";
	else if (h.major < 1 || h.major > 2)
		h.fault = "version is neither 1 nor 2";
	return h;
}

bool sprt_handshake_at(const uint8_t *p, size_t len)
{
	struct sprt_handshake h;

	if (len < 8 || p[0] != SPRT_HANDSHAKE_ID)
		return false;
	h = sprt_get_handshake(p, len);
	return h.total && !h.fault;
}

static bool version_from(uint8_t major, uint8_t minor, int need_minor)
{
	return major > 1 || (major == 1 && minor >= need_minor);
}

void sprt_layout_version(struct sprt_layout *lay, uint8_t major, uint8_t minor)
{
	lay->type_first = major >= 2;
	lay->has_depth = version_from(major, minor, 2);
	lay->since_1_3 = version_from(major, minor, 3);
}
