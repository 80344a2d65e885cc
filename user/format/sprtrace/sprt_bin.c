// SPDX-License-Identifier: LGPL-2.1
/*
 * Source "sp-rtrace": reads binary logs (BINARY_PROTOCOL versions 1.0 to 2.0, both
 * byte orders, 4 and 8 byte pointers, several logs one after the other).  Finds the
 * packets, assembles calls, and recovers after damage; sprt_packet.c parses a packet.
 *
 * A packet whose fields fill its announced size exactly is accepted.  Otherwise the
 * next header shows whether the size or the contents are wrong.
 */
#include "format/sprtrace/sprt_formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/formats.h"
#include "format/sprtrace/sprt_model.h"
#include "format/sprtrace/sprt_packet.h"
#include "base/xalloc.h"

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
	int err;		/* the sink's negative errno; then it gets no more items */
	struct in *in;		/* positioned at the current packet; NULL between inputs */
	size_t next;		/* index of @in */

	struct sprt_layout lay;
	bool lay_known;		/* if not, the first good packet sets the layout */

	/* The call that waits for its ARGS and BTRC. */
	bool call_open;
	bool has_args;
	bool gap;		/* bytes were lost since the last CALL */
	struct sprt_item call;
	uint64_t number;	/* number of the last call */

	struct sprt_room room;	/* strings and lists of the open call; if none, of the packet */
};

/* Report damage at the input position. */
#define REPORT(b, kind, ...) \
	diag_report((b)->args.diag, &kind, in_name((b)->in), DIAG_OFFSET, in_offset((b)->in), \
		    __VA_ARGS__)

/* --- items out ---------------------------------------------------------- */

static void emit_item(struct bin *b, const struct sprt_item *item)
{
	if (!b->err)
		b->err = sink_item(b->sink, item);
}

static void close_call(struct bin *b)
{
	if (!b->call_open)
		return;
	b->call_open = false;
	b->call.call.args = b->room.arg;
	b->call.call.frames = b->room.frame;
	emit_item(b, &b->call);
}

static void start_log(struct bin *b, const struct sprt_handshake *h)
{
	struct sprt_item r = { .kind = SPRT_LOG, .pos = in_offset(b->in) };

	close_call(b);
	r.log.major = h->major;
	r.log.minor = h->minor;
	r.log.big_endian = b->lay.big;
	r.log.ptr_size = b->lay.ptr;
	r.log.arch = h->arch;
	r.log.origin = "";
	b->number = 0;
	b->gap = false;
	emit_item(b, &r);
}

/* Parse the fields of a packet body; @used: set to how many bytes they take. */
static enum sprt_outcome parse_as(struct bin *b, const struct sprt_layout *lay, int type,
				  const uint8_t *body, size_t size, bool fill,
				  struct sprt_item *r, size_t *used)
{
	if (!b->call_open)
		pool_reset(&b->room.strings);
	return sprt_packet_parse(lay, type, body, size, fill, &b->room, r, used);
}

/*
 * Try other layouts for a packet whose fields do not fill it: the version in the
 * handshake or the guessed pointer size may be wrong.  Return: true if one fits.
 */
static bool parse_otherwise(struct bin *b, int type, const uint8_t *body,
			    size_t size, struct sprt_item *r)
{
	struct sprt_layout alt = b->lay;
	size_t used;

	alt.has_depth = !alt.has_depth;
	alt.since_1_3 = !alt.since_1_3;
	if (parse_as(b, &alt, type, body, size, false, r, &used) == SPRT_EXACT) {
		REPORT(b, damage_handshake, "%s is laid out as in another version than the log's",
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

/* Keep a CALL until its ARGS and BTRC have been read. */
static void open_call(struct bin *b, const struct sprt_item *r)
{
	if (r->call.type > SPRT_CALL_ALLOC)
		REPORT(b, damage_packet, "call type %u is unknown", r->call.type);
	b->call = *r;
	b->call.call.number = ++b->number;
	b->has_args = b->gap = false;
	b->call_open = true;
}

/* Does an ARGS or BTRC packet belong to the open call?  Reports it if not. */
static bool fits_call(struct bin *b, int type)
{
	if (b->call_open &&
	    !(type == SPRT_TYPE_BTRC ? b->call.call.has_trace : b->has_args))
		return true;
	REPORT(b, damage_orphan, "%s does not belong to a CALL", sprt_packet_types[type].name);
	/* The lost CALL still takes a number. */
	if (b->gap)
		b->number++;
	b->gap = false;
	return false;
}

/*
 * Prepare for a packet: end the open call if the packet does not belong to it.  A backtrace
 * is the last part of a call, except that ARGS may follow it, where the protocol document
 * places them.  Return: whether the packet can be delivered.
 */
static bool make_way(struct bin *b, int type)
{
	const struct sprt_packet_type *row = &sprt_packet_types[type];

	if (row->keeps_call && row->kind == SPRT_CALL)
		return fits_call(b, type);
	if (!row->keeps_call || b->call.call.has_trace)
		close_call(b);
	return true;
}

/* Pass on the packet at the input position, or add it to its call; @r: its contents. */
static void deliver_item(struct bin *b, int type, struct sprt_item *r)
{
	r->pos = in_offset(b->in);
	switch (type) {
	case SPRT_TYPE_CALL:
		open_call(b, r);
		break;
	case SPRT_TYPE_BTRC:
		b->call.call.has_trace = true;
		b->call.call.nframes = r->call.nframes;
		break;
	case SPRT_TYPE_ARGS:
		b->has_args = true;
		b->call.call.nargs = r->call.nargs;
		break;
	default:
		emit_item(b, r);
		break;
	}
}

/* --- from packet to packet ---------------------------------------------- */

static bool handshake_ahead(const struct bin *b, size_t at)
{
	const uint8_t *p = in_look(b->in, at, 1);
	size_t n;

	if (!p || *p != SPRT_HANDSHAKE_ID)
		return false;
	p = in_peek(b->in, at + SPRT_HANDSHAKE_MAX, &n);
	return sprt_handshake_at(p + at, n - at);
}

/* Read the packet header @at bytes ahead.  Return: whether it could be one. */
static bool header_ahead(const struct bin *b, const struct sprt_layout *lay, size_t at,
			 struct sprt_header *h)
{
	const uint8_t *p = in_look(b->in, at, SPRT_HEADER_SIZE);

	*h = p ? sprt_get_header(lay, p) : (struct sprt_header){ .type = SPRT_TYPE_UNKNOWN };
	return h->plausible;
}

/*
 * Whether a packet can begin or the input ends @at bytes ahead.  The packet must be a
 * handshake or of a known type; with @lax, of any plausible type.
 */
static bool at_boundary(const struct bin *b, const struct sprt_layout *lay, size_t at, bool lax)
{
	struct sprt_header h;
	size_t n;

	in_peek(b->in, at + 1, &n);
	if (n <= at)
		return n == at;
	/* 0xf0 can also be the first byte of a size, in logs of 1.x. */
	return handshake_ahead(b, at) ||
	       (header_ahead(b, lay, at, &h) && (lax || h.type != SPRT_TYPE_UNKNOWN));
}

/* Whether a packet of a known type is @at bytes ahead, with at_boundary() after it. */
static bool good_packet(const struct bin *b, const struct sprt_layout *lay, size_t at)
{
	struct sprt_header h;

	return header_ahead(b, lay, at, &h) && h.type != SPRT_TYPE_UNKNOWN &&
	       at_boundary(b, lay, at + SPRT_HEADER_SIZE + h.size, false);
}

/*
 * Find the layout with which the bytes @at bytes ahead are a good packet, for logs
 * whose handshake is damaged.  Return: false if there is none.
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

/* Read the handshake at the input position, or report that there is none. */
static void read_handshake(struct bin *b)
{
	struct sprt_handshake h;
	const uint8_t *p;
	size_t n;

	p = in_peek(b->in, SPRT_HANDSHAKE_MAX, &n);
	h = sprt_get_handshake(p, n);
	b->lay_known = h.total;
	if (!h.total) {
		REPORT(b, damage_handshake, "there is no handshake packet");
		b->lay = (struct sprt_layout){ .ptr = 8, .ptr_guessed = true };
		sprt_layout_version(&b->lay, 2, 0);
		return;
	}
	if (h.fault)
		REPORT(b, damage_handshake, "%s", h.fault);
	b->lay = (struct sprt_layout){ .big = h.endian == 1, .ptr = h.ptr };
	if (h.ptr != 4 && h.ptr != 8) {
		b->lay.ptr = memmem(h.arch, sizeof(h.arch), "64", 2) ? 8 : 4;
		b->lay.ptr_guessed = true;
	}
	sprt_layout_version(&b->lay, h.major, h.minor);

	if (!at_boundary(b, &b->lay, h.total, true) && find_layout(b, h.total))
		REPORT(b, damage_handshake, "version or byte order contradict the packets");
	start_log(b, &h);
	in_skip(b->in, h.total);
}

/*
 * Record that a packet is skipped.  If the open call has no backtrace yet, the
 * packet may have been its arguments: the call stays open for the backtrace.
 */
static void pass_packet(struct bin *b)
{
	b->gap = true;
	if (b->call.call.has_trace)
		close_call(b);
}

/*
 * Accept the packet at the input position, in spite of a wrong size in its header, if its
 * fields exactly fill the @size bytes up to the next good packet or the end of the input.
 * Return: whether they do.
 */
static bool recover_packet(struct bin *b, int type, size_t size)
{
	struct sprt_item r = { 0 };
	struct sprt_header h;
	const uint8_t *p;
	size_t used;

	if (size >= SPRT_HEADER_SIZE && type == SPRT_TYPE_UNKNOWN) {
		header_ahead(b, &b->lay, 0, &h);
		if (h.size == size - SPRT_HEADER_SIZE) {
			pass_packet(b);
			return false;
		}
	} else if (size >= SPRT_HEADER_SIZE) {
		if (!make_way(b, type))
			return false;
		p = in_look(b->in, SPRT_HEADER_SIZE, size - SPRT_HEADER_SIZE);
		if (parse_as(b, &b->lay, type, p, size - SPRT_HEADER_SIZE, false, &r,
			     &used) == SPRT_EXACT) {
			REPORT(b, damage_packet, "size of %s is wrong, it has %zu bytes",
			       sprt_packet_types[type].name, size - SPRT_HEADER_SIZE);
			deliver_item(b, type, &r);
			return true;
		}
		if (type == SPRT_TYPE_CALL)
			b->number++;
		b->gap = type != SPRT_TYPE_CALL;
	}
	close_call(b);
	return false;
}

/*
 * Skip to the next good packet, because the one at the input position is unreadable.
 * @type: the type in its header, SPRT_TYPE_UNKNOWN if none
 */
static void find_way(struct bin *b, int type)
{
	size_t from = b->lay_known ? 1 : 0, at, n = 0;
	const struct sprt_handshake none = { 0 };
	bool in_log = b->lay_known, end;
	uint64_t passed = 0;

	b->gap = true;
	for (at = from;; at++) {
		in_peek(b->in, at + 1, &n);
		if (n <= at || handshake_ahead(b, at) ||
		    (b->lay_known ? good_packet(b, &b->lay, at) : find_layout(b, at)))
			break;
		/* Farther than any packet reaches. */
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
		return;
	}
	b->lay_known = true;
	if (recover_packet(b, type, at) || !(at + passed))
		;
	else if (end && type != SPRT_TYPE_UNKNOWN)
		REPORT(b, damage_cut, "the log ends within %s", sprt_packet_types[type].name);
	else if (end && at < SPRT_HEADER_SIZE && !passed)
		REPORT(b, damage_cut, "the log ends within a packet header");
	else
		REPORT(b, damage_skip, "passed over %" PRIu64 " bytes", at + passed);
	in_skip(b->in, at);
	if (!in_log && !handshake_ahead(b, 0))
		start_log(b, &none);
}

/*
 * Read the packet at the input position.  @type: set to the type in its header
 * Return: false if it is not readable.
 */
static bool read_packet(struct bin *b, int *type)
{
	struct sprt_item r = { 0 };
	enum sprt_outcome outcome;
	struct sprt_header h;
	const uint8_t *p;
	size_t size, used;
	bool plausible = header_ahead(b, &b->lay, 0, &h);

	*type = h.type;
	size = SPRT_HEADER_SIZE + h.size;
	if (!plausible || !in_look(b->in, 0, size))
		return false;
	if (h.type == SPRT_TYPE_UNKNOWN) {
		if (!at_boundary(b, &b->lay, size, true))
			return false;
		REPORT(b, damage_unknown, "passed over %s with %zu bytes", h.name, h.size);
		in_skip(b->in, size);
		pass_packet(b);
		return true;
	}

	if (!make_way(b, h.type)) {
		in_skip(b->in, size);
		return true;
	}
	p = in_look(b->in, SPRT_HEADER_SIZE, h.size);
	outcome = parse_as(b, &b->lay, h.type, p, h.size, false, &r, &used);
	if (outcome == SPRT_EXTRA && good_packet(b, &b->lay, SPRT_HEADER_SIZE + used)) {
		REPORT(b, damage_packet, "size of %s is wrong, it has %zu bytes",
		       sprt_packet_types[h.type].name, used);
		size = SPRT_HEADER_SIZE + used;
	} else if (outcome != SPRT_EXACT) {
		if (!at_boundary(b, &b->lay, size, true))
			return false;
		/* Looking ahead may have moved the buffer. */
		p = in_look(b->in, SPRT_HEADER_SIZE, h.size);
		if (!parse_otherwise(b, h.type, p, h.size, &r)) {
			REPORT(b, damage_packet, outcome == SPRT_SHORT ?
			       "fields of %s do not fit its size" :
			       "%s has bytes after its last field",
			       sprt_packet_types[h.type].name);
			parse_as(b, &b->lay, h.type, p, h.size, true, &r, &used);
		}
	}
	deliver_item(b, h.type, &r);
	in_skip(b->in, size);
	return true;
}

/* Read one packet, or skip damage. */
static int bin_step(struct source *s, struct sink *sink)
{
	struct bin *b = (struct bin *)s;
	int type = SPRT_TYPE_UNKNOWN;
	size_t n;

	b->sink = sink;
	if (b->next == b->args.nin)
		return 0;
	if (!b->in) {
		b->in = b->args.in[b->next];
		read_handshake(b);
		if (!b->lay_known)
			find_way(b, type);
	} else if (!in_peek(b->in, 1, &n) || !n) {
		in_report(b->in, b->args.diag, DIAG_OFFSET, in_offset(b->in));
		close_call(b);
		b->in = NULL;
		b->next++;
	} else if (handshake_ahead(b, 0)) {
		read_handshake(b);
	} else if (!read_packet(b, &type)) {
		find_way(b, type);
	}
	return b->err ? b->err : 1;
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
