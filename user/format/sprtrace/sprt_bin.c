// SPDX-License-Identifier: LGPL-2.1
/*
 * Source "sp-rtrace": binary logs, BINARY_PROTOCOL versions 1.0 to 2.0, both
 * byte orders, 4 and 8 byte pointers, several logs one after the other.  Goes from
 * packet to packet, assembles calls, and recovers after damage; sprt_packet.c reads
 * a single packet.
 *
 * A packet whose fields fill its announced size exactly is accepted.  Only if they
 * do not, the bytes around it are examined: the next header shows whether the size
 * or the contents are wrong.
 */
#include "format/sprtrace/sprt_formats.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/formats.h"
#include "format/sprtrace/sprt_model.h"
#include "format/sprtrace/sprt_packet.h"
#include "base/xalloc.h"

static const struct diag_kind damage_read = {
	"inputs that could not be read to the end", DIAG_DAMAGE };
static const struct diag_kind damage_cut = {
	"packets cut off by the end of the log", DIAG_DAMAGE };
static const struct diag_kind damage_skip = {
	"places where bytes make no packet, passed over", DIAG_DAMAGE };
static const struct diag_kind damage_handshake = {
	"handshakes damaged or missing", DIAG_DAMAGE };
static const struct diag_kind damage_packet = {
	"packets with damaged contents", DIAG_DAMAGE };
static const struct diag_kind damage_unknown = {
	"packets of unknown types, passed over", DIAG_DAMAGE };
static const struct diag_kind damage_orphan = {
	"parts of backtraces and arguments whose call is missing", DIAG_DAMAGE };

struct bin {
	struct source source;
	struct source_args args;
	struct sink *sink;
	struct in *in;		/* positioned at the current packet; NULL if not begun */
	size_t next;		/* its index */

	struct sprt_layout lay;
	bool lay_known;		/* else the first good packet decides */

	/* The call that waits for its ARGS and BTRC. */
	bool call_open;
	bool has_args;
	bool gap;		/* bytes were lost since the last CALL */
	struct sprt_item call;
	uint64_t number;	/* of the last call */

	struct sprt_room room;	/* of the call, or of the packet */
};

/* Report damage @at bytes after the input position. */
__attribute__((format(printf, 4, 5)))
static void damaged(const struct bin *b, const struct diag_kind *kind,
		    size_t at, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	diag_report(b->args.diag, kind, in_name(b->in), DIAG_OFFSET,
		    in_offset(b->in) + at, "%s", text);
}

/* --- items out ---------------------------------------------------------- */

static int close_call(struct bin *b)
{
	if (!b->call_open)
		return 0;
	b->call_open = false;
	b->call.call.args = b->room.arg;
	b->call.call.frames = b->room.frame;
	return sink_item(b->sink, &b->call);
}

static int start_log(struct bin *b, const struct sprt_handshake *h)
{
	struct sprt_item r = { .kind = SPRT_LOG, .pos = in_offset(b->in) };
	char arch[256] = "";
	int ret = close_call(b);

	if (ret)
		return ret;
	if (h->arch_len)
		memcpy(arch, h->arch, h->arch_len);
	r.log.major = h->major;
	r.log.minor = h->minor;
	r.log.big_endian = b->lay.big;
	r.log.ptr_size = b->lay.ptr;
	r.log.arch = arch;
	r.log.origin = "";
	b->number = 0;
	b->gap = false;
	return sink_item(b->sink, &r);
}

/* Fields of a packet body; *@used bytes of it hold them. */
static enum sprt_outcome parse_as(struct bin *b, const struct sprt_layout *lay, int type,
				  const uint8_t *body, size_t size, bool fill,
				  struct sprt_item *r, size_t *used)
{
	if (!b->call_open)
		sprt_arena_reset(&b->room.strings);
	return sprt_packet_parse(lay, type, body, size, fill, &b->room, r, used);
}

/*
 * The same for a packet whose fields do not fill it: the version in the
 * handshake or a guessed pointer size may be to blame.
 */
static bool parse_otherwise(struct bin *b, int type, const uint8_t *body,
			    size_t size, struct sprt_item *r)
{
	struct sprt_layout alt = b->lay;
	size_t used;

	alt.has_depth = !alt.has_depth;
	alt.has_flags = !alt.has_flags;
	alt.named_args = !alt.named_args;
	if (parse_as(b, &alt, type, body, size, false, r, &used) == SPRT_EXACT) {
		damaged(b, &damage_handshake, 0,
			"%s is laid out as in another version than the log's",
			sprt_packet_types[type].name);
		b->lay = alt;
		return true;
	}
	if (b->lay.ptr_guessed) {
		alt = b->lay;
		alt.ptr = (uint8_t)(12 - alt.ptr);
		if (parse_as(b, &alt, type, body, size, false, r, &used) == SPRT_EXACT) {
			b->lay = alt;
			return true;
		}
	}
	return false;
}

/* A CALL came; it goes on when its ARGS and BTRC are there. */
static void open_call(struct bin *b, const struct sprt_item *r)
{
	struct sprt_call *call = &b->call.call;

	if (r->call.type > SPRT_CALL_ALLOC)
		damaged(b, &damage_packet, 0, "call type %u is unknown",
			r->call.type);
	b->call = *r;
	call->number = ++b->number;
	call->has_trace = false;
	call->nargs = call->nframes = 0;
	call->resolved = NULL;
	b->has_args = b->gap = false;
	b->call_open = true;
}

/*
 * Can the call still get something after a packet of this type?  A backtrace
 * is the last that it gets, but for arguments that stand where the document
 * has them.
 */
static bool keeps_call(const struct bin *b, int type)
{
	return sprt_packet_types[type].keeps_call &&
	       (sprt_packet_types[type].kind == SPRT_CALL ||
		!b->call.call.has_trace);
}

/* May an ARGS or BTRC packet stand here? */
static bool fits_call(struct bin *b, int type)
{
	if (b->call_open &&
	    !(type == SPRT_TYPE_BTRC ? b->call.call.has_trace : b->has_args))
		return true;
	damaged(b, &damage_orphan, 0, "%s does not belong to a CALL",
		sprt_packet_types[type].name);
	/* The call itself was lost, but keeps its number. */
	if (b->gap)
		b->number++;
	b->gap = false;
	return false;
}

/* The packet at the input position is good; @r is its contents. */
static int deliver(struct bin *b, int type, struct sprt_item *r)
{
	r->kind = sprt_packet_types[type].kind;
	r->pos = in_offset(b->in);
	switch (type) {
	case SPRT_TYPE_CALL:
		open_call(b, r);
		return 0;
	case SPRT_TYPE_BTRC:
		b->call.call.has_trace = true;
		b->call.call.nframes = r->call.nframes;
		return 0;
	case SPRT_TYPE_ARGS:
		b->has_args = true;
		b->call.call.nargs = r->call.nargs;
		return 0;
	default:
		return sink_item(b->sink, r);
	}
}

/* --- the way through the bytes ------------------------------------------ */

static bool handshake_ahead(const struct bin *b, size_t at)
{
	const uint8_t *p;
	size_t n;

	p = in_peek(b->in, at + SPRT_HANDSHAKE_MAX, &n);
	return n > at && sprt_handshake_at(p + at, n - at);
}

/*
 * Is what stands @at bytes ahead the beginning of a packet of a known (or,
 * with @lax, of any likely) type, a handshake, or the end of the input?
 */
static bool boundary(const struct bin *b, const struct sprt_layout *lay, size_t at,
		     bool lax)
{
	const uint8_t *p;
	struct sprt_header h;
	size_t n;

	p = in_peek(b->in, at + SPRT_HEADER_SIZE, &n);
	if (n <= at)
		return n == at;
	/* 0xf0 can also be the first byte of a size, in logs of 1.x. */
	if (p[at] == SPRT_HANDSHAKE_ID && handshake_ahead(b, at))
		return true;
	p = in_peek(b->in, at + SPRT_HEADER_SIZE, &n);
	if (n - at < SPRT_HEADER_SIZE)
		return false;
	h = sprt_get_header(lay, p + at);
	return h.plausible && (lax || h.type != SPRT_TYPE_UNKNOWN);
}

/* Does a packet of a known type stand @at bytes ahead, and a good one next? */
static bool good_packet(const struct bin *b, const struct sprt_layout *lay,
			size_t at)
{
	const uint8_t *p;
	struct sprt_header h;
	size_t n;

	p = in_peek(b->in, at + SPRT_HEADER_SIZE, &n);
	if (n < at + SPRT_HEADER_SIZE)
		return false;
	h = sprt_get_header(lay, p + at);
	return h.plausible && h.type != SPRT_TYPE_UNKNOWN &&
	       boundary(b, lay, at + SPRT_HEADER_SIZE + h.size, false);
}

/*
 * Sets the layout that makes a good packet of what stands @at bytes ahead;
 * for logs whose handshake is damaged.
 */
static bool find_layout(struct bin *b, size_t at)
{
	for (unsigned int i = 0; i < 4; i++) {
		struct sprt_layout lay = b->lay;

		lay.type_first = !(i & 1);
		lay.big = i & 2;
		if (good_packet(b, &lay, at)) {
			b->lay = lay;
			return true;
		}
	}
	return false;
}

/* The input is at a handshake, or should be. */
static int read_handshake(struct bin *b)
{
	struct sprt_handshake h;
	const uint8_t *p;
	size_t n;
	int ret;

	p = in_peek(b->in, SPRT_HANDSHAKE_MAX, &n);
	h = sprt_get_handshake(p, n);
	b->lay_known = h.total;
	if (!h.total) {
		damaged(b, &damage_handshake, 0, "there is no handshake packet");
		b->lay = (struct sprt_layout){ .ptr = 8, .ptr_guessed = true };
		sprt_layout_version(&b->lay, 2, 0);
		return 0;
	}
	if (h.fault)
		damaged(b, &damage_handshake, 0, "%s", h.fault);
	b->lay = (struct sprt_layout){ .big = h.endian == 1, .ptr = h.ptr };
	if (h.ptr != 4 && h.ptr != 8) {
		b->lay.ptr = memmem(h.arch, h.arch_len, "64", 2) ? 8 : 4;
		b->lay.ptr_guessed = true;
	}
	sprt_layout_version(&b->lay, h.major, h.minor);

	if (!boundary(b, &b->lay, h.total, true) && find_layout(b, h.total))
		damaged(b, &damage_handshake, 0,
			"version or byte order contradict the packets");
	/* The look ahead may have moved the bytes. */
	p = in_peek(b->in, SPRT_HANDSHAKE_MAX, &n);
	h.arch = p + 5;
	ret = start_log(b, &h);
	in_skip(b->in, h.total);
	return ret;
}

/*
 * A packet that cannot be read is passed over.  If the open call still lacks
 * its backtrace it may have been its arguments: then the backtrace is next.
 */
static int pass_packet(struct bin *b)
{
	b->gap = true;
	return b->call.call.has_trace ? close_call(b) : 0;
}

/*
 * The packet where the input stands has a type but no credible size, and the
 * next good thing is @size bytes ahead: if its fields fill what is between, it
 * is whole.  *@whole says so.
 */
static int recover(struct bin *b, int type, size_t size, bool *whole)
{
	struct sprt_item r = { 0 };
	const uint8_t *p;
	size_t n;
	int ret;

	*whole = false;
	if (size < SPRT_HEADER_SIZE)
		return close_call(b);
	if (type == SPRT_TYPE_UNKNOWN) {
		p = in_peek(b->in, SPRT_HEADER_SIZE, &n);
		return sprt_get_header(&b->lay, p).size == size - SPRT_HEADER_SIZE ?
		       pass_packet(b) : close_call(b);
	}
	if (!keeps_call(b, type)) {
		ret = close_call(b);
		if (ret)
			return ret;
	} else if (sprt_packet_types[type].kind == SPRT_CALL &&
		   !fits_call(b, type)) {
		return 0;
	}
	p = in_peek(b->in, size, &n);
	if (parse_as(b, &b->lay, type, p + SPRT_HEADER_SIZE, size - SPRT_HEADER_SIZE,
		     false, &r, &n) == SPRT_EXACT) {
		damaged(b, &damage_packet, 0,
			"size of %s is wrong, it has %zu bytes",
			sprt_packet_types[type].name, size - SPRT_HEADER_SIZE);
		*whole = true;
		return deliver(b, type, &r);
	}
	if (type == SPRT_TYPE_CALL)
		b->number++;
	b->gap = type != SPRT_TYPE_CALL;
	return close_call(b);
}

/*
 * What stands here is no packet that can be read, though its header may have
 * the @type of one: goes on at the next good packet.
 */
static int find_way(struct bin *b, int type)
{
	size_t from = b->lay_known ? 1 : 0, at, n = 0;
	const struct sprt_handshake none = { 0 };
	bool in_log = b->lay_known, whole, end;
	uint64_t passed = 0;
	const uint8_t *p;
	int ret;

	b->gap = true;
	for (at = from;; at++) {
		p = in_peek(b->in, at + 1, &n);
		if (n <= at)
			break;
		if ((p[at] == SPRT_HANDSHAKE_ID && handshake_ahead(b, at)) ||
		    (b->lay_known ? good_packet(b, &b->lay, at) :
				    find_layout(b, at)))
			break;
		/* Nothing so far away can belong to the packet. */
		if (at > SPRT_HEADER_SIZE + SPRT_PACKET_MAX) {
			in_skip(b->in, at);
			passed += at;
			at = 0;
			type = SPRT_TYPE_UNKNOWN;
		}
	}
	end = n <= at;
	if (!in_log && end) {
		diag_fatal(b->args.diag, "%s: there is no packet of sp-rtrace in it",
			   in_name(b->in));
		in_skip(b->in, at);
		return 0;
	}
	b->lay_known = true;
	ret = recover(b, type, at, &whole);
	if (whole || !(at + passed))
		;
	else if (end && type != SPRT_TYPE_UNKNOWN)
		damaged(b, &damage_cut, 0, "the log ends within %s",
			sprt_packet_types[type].name);
	else if (end && at < SPRT_HEADER_SIZE && !passed)
		damaged(b, &damage_cut, 0, "the log ends within a packet header");
	else
		damaged(b, &damage_skip, 0, "passed over %" PRIu64 " bytes",
			at + passed);
	in_skip(b->in, at);
	if (!ret && !in_log && !handshake_ahead(b, 0))
		ret = start_log(b, &none);
	return ret;
}

static int read_packet(struct bin *b)
{
	struct sprt_item r = { 0 };
	enum sprt_outcome outcome;
	const uint8_t *p;
	struct sprt_header h;
	size_t n, size, used;
	int ret;

	if (handshake_ahead(b, 0))
		return read_handshake(b);
	p = in_peek(b->in, SPRT_HEADER_SIZE, &n);
	if (n < SPRT_HEADER_SIZE)
		return find_way(b, SPRT_TYPE_UNKNOWN);
	h = sprt_get_header(&b->lay, p);
	size = SPRT_HEADER_SIZE + h.size;
	if (!h.plausible)
		return find_way(b, h.type);
	p = in_peek(b->in, size, &n);
	if (n < size)
		return find_way(b, h.type);
	if (h.type == SPRT_TYPE_UNKNOWN) {
		if (!boundary(b, &b->lay, size, true))
			return find_way(b, SPRT_TYPE_UNKNOWN);
		damaged(b, &damage_unknown, 0, "passed over %s with %zu bytes",
			h.name, h.size);
		in_skip(b->in, size);
		return pass_packet(b);
	}

	if (!keeps_call(b, h.type)) {
		ret = close_call(b);
		if (ret)
			return ret;
	} else if (sprt_packet_types[h.type].kind == SPRT_CALL &&
		   !fits_call(b, h.type)) {
		in_skip(b->in, size);
		return 0;
	}
	outcome = parse_as(b, &b->lay, h.type, p + SPRT_HEADER_SIZE, h.size, false,
			   &r, &used);
	if (outcome == SPRT_EXTRA && good_packet(b, &b->lay, SPRT_HEADER_SIZE + used)) {
		damaged(b, &damage_packet, 0,
			"size of %s is wrong, it has %zu bytes",
			sprt_packet_types[h.type].name, used);
		size = SPRT_HEADER_SIZE + used;
	} else if (outcome != SPRT_EXACT) {
		if (!boundary(b, &b->lay, size, true))
			return find_way(b, h.type);
		/* The look ahead may have moved the bytes. */
		p = in_peek(b->in, size, &n) + SPRT_HEADER_SIZE;
		if (!parse_otherwise(b, h.type, p, h.size, &r)) {
			damaged(b, &damage_packet, 0, outcome == SPRT_SHORT ?
				"fields of %s do not fit its size" :
				"%s has bytes after its last field",
				sprt_packet_types[h.type].name);
			parse_as(b, &b->lay, h.type, p, h.size, true, &r, &used);
		}
	}
	ret = deliver(b, h.type, &r);
	in_skip(b->in, size);
	return ret;
}

static int begin_input(struct bin *b, struct in *in)
{
	int ret;

	b->in = in;
	ret = read_handshake(b);
	return !ret && !b->lay_known ? find_way(b, SPRT_TYPE_UNKNOWN) : ret;
}

static int end_input(struct bin *b)
{
	int ret;

	if (in_error(b->in))
		damaged(b, &damage_read, 0, "cannot be read on: %s",
			in_why(b->in));
	ret = close_call(b);
	b->in = NULL;
	b->next++;
	return ret;
}

/* Read one packet, or the damage in its place. */
static int bin_step(struct source *s, struct sink *sink)
{
	struct bin *b = (struct bin *)s;
	size_t n;
	int ret;

	b->sink = sink;
	if (b->next == b->args.nin)
		return 0;
	if (!b->in)
		ret = begin_input(b, b->args.in[b->next]);
	else if (in_peek(b->in, 1, &n) && n)
		ret = read_packet(b);
	else
		ret = end_input(b);
	return ret ? ret : 1;
}

static void bin_free(struct source *s)
{
	struct bin *b = (struct bin *)s;

	sprt_room_free(&b->room);
	free(b);
}

struct source *sprt_bin_open(const struct source_args *args)
{
	static const struct source_ops ops = { bin_step, bin_free };
	struct bin *b = xcalloc(1, sizeof(*b));

	b->source.ops = &ops;
	b->args = *args;
	return &b->source;
}

int sprt_bin_detect(const uint8_t *data, size_t n)
{
	if (sprt_handshake_at(data, n))
		return DETECT_SURE;
	return n && data[0] == SPRT_HANDSHAKE_ID && sprt_get_handshake(data, n).total ?
	       DETECT_LIKELY : DETECT_NO;
}
