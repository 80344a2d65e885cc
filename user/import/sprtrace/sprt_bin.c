// SPDX-License-Identifier: GPL-2.0
/*
 * Source "sp-rtrace": binary logs, BINARY_PROTOCOL versions 1.0 to 2.0, both
 * byte orders, 4 and 8 byte pointers, several logs one after the other.
 * Handshake, packet headers, packet bodies, and the way back after damage.
 *
 * A packet whose fields fill its announced size exactly is taken as it is.
 * Only when they do not are the bytes around it asked: the next header tells
 * whether the size or the contents are wrong.
 */
#include "import/sprtrace/sprt_formats.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/formats.h"
#include "import/sprtrace/sprt_mem.h"
#include "import/sprtrace/sprt_model.h"
#include "base/xalloc.h"

#define HANDSHAKE_ID	0xf0
#define HANDSHAKE_MAX	257u	/* size byte 255, and two bytes before */
#define HEADER_SIZE	8u
/* The programs write through 4 KiB buffers; more than this is damage. */
#define PACKET_MAX	(1u << 20)

static const struct diag_kind damage_read = {
	"inputs that could not be read to their end", DIAG_DAMAGE };
static const struct diag_kind damage_cut = {
	"packets cut off by the end of the log", DIAG_DAMAGE };
static const struct diag_kind damage_skip = {
	"places where bytes make no packet, passed over", DIAG_DAMAGE };
static const struct diag_kind damage_handshake = {
	"handshakes that are damaged or missing", DIAG_DAMAGE };
static const struct diag_kind damage_packet = {
	"packets with damaged contents", DIAG_DAMAGE };
static const struct diag_kind damage_unknown = {
	"packets of unknown types, passed over", DIAG_DAMAGE };
static const struct diag_kind damage_orphan = {
	"backtraces and arguments whose call is missing", DIAG_DAMAGE };

/* How the bytes of a log are to be read, from its handshake. */
struct layout {
	bool type_first;	/* 2.0: type, size of data; 1.x: size, type */
	bool big;
	bool has_depth;		/* PINF, from 1.2 */
	bool has_flags;		/* RESR, from 1.3 */
	bool named_args;	/* ARGS, from 1.3 */
	bool ptr_guessed;
	uint8_t ptr;		/* 4 or 8 */
};

struct bin {
	struct source source;
	struct source_args args;
	struct sink *sink;
	struct in *in;		/* stands at the packet in work */

	struct layout lay;
	bool lay_known;		/* else the first good packet decides */

	/* The call that waits for its ARGS and BTRC. */
	bool call_open;
	bool has_args;
	bool gap;		/* bytes were lost since the last CALL */
	struct sprt_item call;
	uint64_t number;	/* of the last call */

	/* What the call's, or the packet's, pointers point to. */
	struct sprt_arena strings;
	struct sprt_arg *arg;
	size_t arg_cap;
	uint64_t *frame;
	size_t frame_cap;
};

/* Something is wrong @at bytes after where the input stands. */
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

/* --- fields ------------------------------------------------------------- */

struct cursor {
	const uint8_t *p, *end;
	const struct layout *lay;
	struct sprt_arena *strings;
	bool short_of;		/* a field did not fit */
	bool fill;		/* lists go on to the end of the packet */
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

static size_t left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

static uint32_t u32(struct cursor *c)
{
	uint32_t v;

	if (left(c) < 4) {
		c->short_of = true;
		c->p = c->end;
		return 0;
	}
	v = get32(c->p, c->lay->big);
	c->p += 4;
	return v;
}

static uint64_t pointer(struct cursor *c, uint8_t size)
{
	uint64_t a, b;

	a = u32(c);
	if (size == 4)
		return a;
	b = u32(c);
	return c->lay->big ? a << 32 | b : b << 32 | a;
}

/*
 * A string: u16 length with the padding included, text up to the first NUL or
 * to the length.  A length that does not fit takes all but the last @reserve
 * bytes, so that fields of known size behind a damaged length are still read.
 * NULL for the NULL string (length 0).
 */
static const char *string_or_null(struct cursor *c, size_t reserve)
{
	size_t len, span;
	char *s;

	if (left(c) < 4 + reserve) {
		c->short_of = true;
		return "";
	}
	len = get16(c->p, c->lay->big);
	span = (2 + len + 3) & ~(size_t)3;
	if (span > left(c) - reserve) {
		c->short_of = true;
		span = (left(c) - reserve) & ~(size_t)3;
		len = span - 2;
	}
	if (!len) {
		c->p += span;
		return NULL;
	}
	len = strnlen((const char *)c->p + 2, len);
	s = sprt_arena_alloc(c->strings, len + 1);
	memcpy(s, c->p + 2, len);
	s[len] = '\0';
	c->p += span;
	return s;
}

static const char *string(struct cursor *c, size_t reserve)
{
	const char *s = string_or_null(c, reserve);

	return s ? s : "";
}

/* --- packet bodies ------------------------------------------------------ */

static void parse_output(struct bin *b, struct cursor *c,
			 struct sprt_item *r)
{
	(void)b;
	r->output.dir = string_or_null(c, 0);
	r->output.options = string_or_null(c, 0);
}

static void parse_process(struct bin *b, struct cursor *c,
			  struct sprt_item *r)
{
	(void)b;
	r->process.pid = u32(c);
	r->process.sec = u32(c);
	r->process.usec = u32(c);
	r->process.has_time = r->process.sec != 0;
	r->process.has_depth = c->lay->has_depth;
	if (c->lay->has_depth)
		r->process.depth = u32(c);
	r->process.name = string(c, 0);
}

static void parse_module(struct bin *b, struct cursor *c,
			 struct sprt_item *r)
{
	uint32_t version;

	(void)b;
	r->module.id = u32(c);
	version = u32(c);
	r->module.major = (uint16_t)(version >> 16);
	r->module.minor = (uint16_t)version;
	r->module.name = string(c, 0);
}

static void parse_map(struct bin *b, struct cursor *c,
		      struct sprt_item *r)
{
	(void)b;
	r->map.from = pointer(c, c->lay->ptr);
	r->map.to = pointer(c, c->lay->ptr);
	r->map.path = string(c, 0);
}

static void parse_resource(struct bin *b, struct cursor *c,
			   struct sprt_item *r)
{
	(void)b;
	r->resource.id = u32(c);
	r->resource.flags = c->lay->has_flags ? u32(c) : 0;
	r->resource.type = string(c, 0);
	r->resource.desc = string(c, 0);
}

static void parse_context(struct bin *b, struct cursor *c,
			  struct sprt_item *r)
{
	(void)b;
	r->context.id = u32(c);
	r->context.name = string(c, 0);
}

static void parse_heap(struct bin *b, struct cursor *c,
		       struct sprt_item *r)
{
	/* 2.0 writes the two pointers as dwords, even where pointers have
	 * eight bytes: the size tells.
	 */
	uint8_t width = left(c) == 48 ? 4 : c->lay->ptr;

	(void)b;
	r->heap.narrow = width < c->lay->ptr;
	r->heap.bottom = pointer(c, width);
	r->heap.top = pointer(c, width);
	for (int i = 0; i < SPRT_HEAP_NVALUES; i++)
		r->heap.value[i] = (int32_t)u32(c);
}

static void parse_file(struct bin *b, struct cursor *c,
		       struct sprt_item *r)
{
	(void)b;
	r->file.name = string(c, 0);
	r->file.path = string(c, 0);
}

static void parse_library(struct bin *b, struct cursor *c,
			  struct sprt_item *r)
{
	(void)b;
	r->library = string(c, 0);
}

static void parse_call(struct bin *b, struct cursor *c,
		       struct sprt_item *r)
{
	(void)b;
	r->call.resource = u32(c);
	r->call.context = u32(c);
	r->call.time_us = (uint64_t)u32(c) * 1000;
	r->call.type = u32(c);
	r->call.name = string(c, 4u + c->lay->ptr);
	r->call.size = (int32_t)u32(c);
	r->call.id = pointer(c, c->lay->ptr);
}

/*
 * Into b->arg, as many as announced; with @fill, as many as the packet has
 * room for.
 */
static void parse_args(struct bin *b, struct cursor *c, struct sprt_item *r)
{
	uint32_t announced = u32(c);
	size_t n = 0;

	while (c->fill ? left(c) : n < announced) {
		struct sprt_arg arg;

		if (c->lay->named_args) {
			arg.name = string(c, 0);
		} else {
			char *digits = sprt_arena_alloc(c->strings, 24);

			snprintf(digits, 24, "%zu", n + 1);
			arg.name = digits;
		}
		arg.value = string(c, 0);
		if (c->short_of)
			break;
		b->arg = xgrow(b->arg, &b->arg_cap, n + 1, sizeof(arg));
		b->arg[n++] = arg;
	}
	r->call.nargs = (uint32_t)n;
}

/* Into b->frame, in the same way. */
static void parse_trace(struct bin *b, struct cursor *c, struct sprt_item *r)
{
	uint32_t announced = u32(c);
	size_t n = left(c) / c->lay->ptr;

	if (!c->fill && announced <= n)
		n = announced;
	else if (!c->fill)
		c->short_of = true;
	b->frame = xgrow(b->frame, &b->frame_cap, n, sizeof(*b->frame));
	for (size_t i = 0; i < n; i++)
		b->frame[i] = pointer(c, c->lay->ptr);
	r->call.nframes = (uint32_t)n;
}

/*
 * One row per packet type of BINARY_PROTOCOL.  @keeps_call: the packet can
 * stand between a call and its arguments or backtrace.
 */
static const struct packet_type {
	char name[5];
	enum sprt_kind kind;
	void (*parse)(struct bin *b, struct cursor *c,
		      struct sprt_item *r);
	bool keeps_call;
} packet_types[] = {
	{ "CALL", SPRT_CALL, parse_call, false },
	{ "BTRC", SPRT_CALL, parse_trace, true },
	{ "ARGS", SPRT_CALL, parse_args, true },
	{ "PINF", SPRT_PROCESS, parse_process, false },
	{ "MINF", SPRT_MODULE, parse_module, false },
	{ "MMAP", SPRT_MAP, parse_map, false },
	{ "CTXR", SPRT_CONTEXT, parse_context, false },
	{ "RESR", SPRT_RESOURCE, parse_resource, false },
	{ "HINF", SPRT_HEAP, parse_heap, false },
	{ "FILE", SPRT_FILE, parse_file, true },
	{ "OCFG", SPRT_OUTPUT, parse_output, true },
	{ "NLIB", SPRT_LIBRARY, parse_library, false },
};

#define TYPE_CALL	0
#define TYPE_BTRC	1
#define TYPE_ARGS	2
#define TYPE_UNKNOWN	(-1)

/* --- packet headers ----------------------------------------------------- */

struct header {
	char name[5];
	int type;		/* row of packet_types, or TYPE_UNKNOWN */
	bool plausible;		/* could be a packet of some kind */
	size_t size;		/* bytes of data, at most PACKET_MAX */
};

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

static struct header get_header(const struct layout *lay, const uint8_t *p)
{
	const uint8_t *type = lay->type_first ? p : p + 4;
	uint32_t size = get32(lay->type_first ? p + 4 : p, lay->big);
	struct header h = { .type = TYPE_UNKNOWN, .plausible = true };

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
	if (size % 4 || size > PACKET_MAX)
		h.plausible = false;
	for (size_t i = 0; i < sizeof(packet_types) / sizeof(*packet_types); i++)
		if (type_matches(packet_types[i].name, h.name))
			h.type = (int)i;
	h.size = size;
	return h;
}

/* --- handshake ---------------------------------------------------------- */

struct handshake {
	size_t total;		/* bytes, 0: not a handshake */
	uint8_t major, minor, endian, ptr;
	const uint8_t *arch;
	size_t arch_len;
	const char *fault;	/* what is wrong with it, or NULL */
};

static bool printable(const uint8_t *p, size_t n)
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

/*
 * Reads a handshake from @p, where @len bytes are known; with any of its
 * fields damaged the others still say what that one was.
 */
static struct handshake get_handshake(const uint8_t *p, size_t len)
{
	struct handshake h = { 0 };
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
		if (by_len <= len && tail_ok(p, n) && printable(p + 5, n)) {
			total = by_len;
		} else if (total % 4 == 0 && total >= 8 && total <= len) {
			for (n = total - 7; n > 0 && n + 10 > total; n--)
				if (tail_ok(p, n) && printable(p + 5, n))
					break;
		}
	}
	if (total < 7 + n || total > len)
		return (struct handshake){ 0 };
	h.total = total;
	h.arch = p + 5;
	h.arch_len = n;
	h.endian = p[5 + n];
	h.ptr = p[6 + n];
	if (p[0] != HANDSHAKE_ID)
		h.fault = "first byte is not 0xf0";
	else if (!printable(h.arch, n))
		h.fault = "architecture is not text";
	else if (h.endian > 1)
		h.fault = "byte order is neither 0 nor 1";
	else if (h.ptr != 4 && h.ptr != 8)
		h.fault = "pointer size is neither 4 nor 8";
	else if (h.major < 1 || h.major > 2)
		h.fault = "version is neither 1 nor 2";
	return h;
}

static bool handshake_at(const uint8_t *p, size_t len)
{
	struct handshake h;

	if (len < 8 || p[0] != HANDSHAKE_ID)
		return false;
	h = get_handshake(p, len);
	return h.total && !h.fault;
}

static bool version_from(uint8_t major, uint8_t minor, int need_minor)
{
	return major > 1 || (major == 1 && minor >= need_minor);
}

static void set_version(struct layout *lay, uint8_t major, uint8_t minor)
{
	lay->type_first = major >= 2;
	lay->has_depth = version_from(major, minor, 2);
	lay->has_flags = version_from(major, minor, 3);
	lay->named_args = version_from(major, minor, 3);
}

/* --- items out ---------------------------------------------------------- */

static int close_call(struct bin *b)
{
	if (!b->call_open)
		return 0;
	b->call_open = false;
	b->call.call.args = b->arg;
	b->call.call.frames = b->frame;
	return sink_item(b->sink, &b->call);
}

static int start_log(struct bin *b, const struct handshake *h)
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

enum outcome {
	EXACT,		/* the fields are there and fill the packet */
	EXTRA,		/* the fields are there, and more */
	SHORT,		/* fields are missing or contradict each other */
};

/* Fields of a packet body; *@used bytes of it hold them. */
static enum outcome parse_as(struct bin *b, const struct layout *lay, int type,
			     const uint8_t *body, size_t size, bool fill,
			     struct sprt_item *r, size_t *used)
{
	struct cursor c = {
		.p = body, .end = body + size, .fill = fill,
		.lay = lay, .strings = &b->strings,
	};

	if (!b->call_open)
		sprt_arena_reset(&b->strings);
	packet_types[type].parse(b, &c, r);
	*used = (size_t)(c.p - body);
	if (c.short_of)
		return SHORT;
	return c.p == c.end ? EXACT : EXTRA;
}

/*
 * The same for a packet whose fields do not fill it: the version in the
 * handshake or a guessed pointer size may be to blame.
 */
static bool parse_otherwise(struct bin *b, int type, const uint8_t *body,
			    size_t size, struct sprt_item *r)
{
	struct layout alt = b->lay;
	size_t used;

	alt.has_depth = !alt.has_depth;
	alt.has_flags = !alt.has_flags;
	alt.named_args = !alt.named_args;
	if (parse_as(b, &alt, type, body, size, false, r, &used) == EXACT) {
		damaged(b, &damage_handshake, 0,
			"%s is laid out as in another version than the log's",
			packet_types[type].name);
		b->lay = alt;
		return true;
	}
	if (b->lay.ptr_guessed) {
		alt = b->lay;
		alt.ptr = (uint8_t)(12 - alt.ptr);
		if (parse_as(b, &alt, type, body, size, false, r, &used) == EXACT) {
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
	return packet_types[type].keeps_call &&
	       (packet_types[type].kind == SPRT_CALL ||
		!b->call.call.has_trace);
}

/* May an ARGS or BTRC packet stand here? */
static bool fits_call(struct bin *b, int type)
{
	if (b->call_open &&
	    !(type == TYPE_BTRC ? b->call.call.has_trace : b->has_args))
		return true;
	damaged(b, &damage_orphan, 0, "%s does not belong to a CALL",
		packet_types[type].name);
	/* The call itself was lost, but keeps its number. */
	if (b->gap)
		b->number++;
	b->gap = false;
	return false;
}

/* The packet where the input stands is good; @r is what it says. */
static int deliver(struct bin *b, int type, struct sprt_item *r)
{
	r->kind = packet_types[type].kind;
	r->pos = in_offset(b->in);
	switch (type) {
	case TYPE_CALL:
		open_call(b, r);
		return 0;
	case TYPE_BTRC:
		b->call.call.has_trace = true;
		b->call.call.nframes = r->call.nframes;
		return 0;
	case TYPE_ARGS:
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

	p = in_peek(b->in, at + HANDSHAKE_MAX, &n);
	return n > at && handshake_at(p + at, n - at);
}

/*
 * Is what stands @at bytes ahead the beginning of a packet of a known (or,
 * with @lax, of any likely) type, a handshake, or the end of the input?
 */
static bool boundary(const struct bin *b, const struct layout *lay, size_t at,
		     bool lax)
{
	const uint8_t *p;
	struct header h;
	size_t n;

	p = in_peek(b->in, at + HEADER_SIZE, &n);
	if (n <= at)
		return n == at;
	/* 0xf0 can also be the first byte of a size, in logs of 1.x. */
	if (p[at] == HANDSHAKE_ID && handshake_ahead(b, at))
		return true;
	p = in_peek(b->in, at + HEADER_SIZE, &n);
	if (n - at < HEADER_SIZE)
		return false;
	h = get_header(lay, p + at);
	return h.plausible && (lax || h.type != TYPE_UNKNOWN);
}

/* Does a packet of a known type stand @at bytes ahead, and a good one next? */
static bool good_packet(const struct bin *b, const struct layout *lay,
			size_t at)
{
	const uint8_t *p;
	struct header h;
	size_t n;

	p = in_peek(b->in, at + HEADER_SIZE, &n);
	if (n < at + HEADER_SIZE)
		return false;
	h = get_header(lay, p + at);
	return h.plausible && h.type != TYPE_UNKNOWN &&
	       boundary(b, lay, at + HEADER_SIZE + h.size, false);
}

/*
 * Sets the layout that makes a good packet of what stands @at bytes ahead;
 * for logs whose handshake is damaged.
 */
static bool find_layout(struct bin *b, size_t at)
{
	for (unsigned int i = 0; i < 4; i++) {
		struct layout lay = b->lay;

		lay.type_first = !(i & 1);
		lay.big = i & 2;
		if (good_packet(b, &lay, at)) {
			b->lay = lay;
			return true;
		}
	}
	return false;
}

/* The input stands at a handshake, or should. */
static int read_handshake(struct bin *b)
{
	struct handshake h;
	const uint8_t *p;
	size_t n;
	int ret;

	p = in_peek(b->in, HANDSHAKE_MAX, &n);
	h = get_handshake(p, n);
	b->lay_known = h.total;
	if (!h.total) {
		damaged(b, &damage_handshake, 0, "there is no handshake packet");
		b->lay = (struct layout){ .ptr = 8, .ptr_guessed = true };
		set_version(&b->lay, 2, 0);
		return 0;
	}
	if (h.fault)
		damaged(b, &damage_handshake, 0, "%s", h.fault);
	b->lay = (struct layout){ .big = h.endian == 1, .ptr = h.ptr };
	if (h.ptr != 4 && h.ptr != 8) {
		b->lay.ptr = memmem(h.arch, h.arch_len, "64", 2) ? 8 : 4;
		b->lay.ptr_guessed = true;
	}
	set_version(&b->lay, h.major, h.minor);

	if (!boundary(b, &b->lay, h.total, true) && find_layout(b, h.total))
		damaged(b, &damage_handshake, 0,
			"version or byte order contradict the packets");
	/* The look ahead may have moved the bytes. */
	p = in_peek(b->in, HANDSHAKE_MAX, &n);
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
	if (size < HEADER_SIZE)
		return close_call(b);
	if (type == TYPE_UNKNOWN) {
		p = in_peek(b->in, HEADER_SIZE, &n);
		return get_header(&b->lay, p).size == size - HEADER_SIZE ?
		       pass_packet(b) : close_call(b);
	}
	if (!keeps_call(b, type)) {
		ret = close_call(b);
		if (ret)
			return ret;
	} else if (packet_types[type].kind == SPRT_CALL &&
		   !fits_call(b, type)) {
		return 0;
	}
	p = in_peek(b->in, size, &n);
	if (parse_as(b, &b->lay, type, p + HEADER_SIZE, size - HEADER_SIZE,
		     false, &r, &n) == EXACT) {
		damaged(b, &damage_packet, 0,
			"size of %s is wrong, it has %zu bytes",
			packet_types[type].name, size - HEADER_SIZE);
		*whole = true;
		return deliver(b, type, &r);
	}
	if (type == TYPE_CALL)
		b->number++;
	b->gap = type != TYPE_CALL;
	return close_call(b);
}

/*
 * What stands here is no packet that can be read, though its header may have
 * the @type of one: goes on at the next good packet.
 */
static int find_way(struct bin *b, int type)
{
	size_t from = b->lay_known ? 1 : 0, at, n = 0;
	const struct handshake none = { 0 };
	bool in_log = b->lay_known, whole, end;
	uint64_t passed = 0;
	const uint8_t *p;
	int ret;

	b->gap = true;
	for (at = from;; at++) {
		p = in_peek(b->in, at + 1, &n);
		if (n <= at)
			break;
		if ((p[at] == HANDSHAKE_ID && handshake_ahead(b, at)) ||
		    (b->lay_known ? good_packet(b, &b->lay, at) :
				    find_layout(b, at)))
			break;
		/* Nothing so far away can belong to the packet. */
		if (at > HEADER_SIZE + PACKET_MAX) {
			in_skip(b->in, at);
			passed += at;
			at = 0;
			type = TYPE_UNKNOWN;
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
	else if (end && type != TYPE_UNKNOWN)
		damaged(b, &damage_cut, 0, "the log ends within %s",
			packet_types[type].name);
	else if (end && at < HEADER_SIZE && !passed)
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
	enum outcome outcome;
	const uint8_t *p;
	struct header h;
	size_t n, size, used;
	int ret;

	if (handshake_ahead(b, 0))
		return read_handshake(b);
	p = in_peek(b->in, HEADER_SIZE, &n);
	if (n < HEADER_SIZE)
		return find_way(b, TYPE_UNKNOWN);
	h = get_header(&b->lay, p);
	size = HEADER_SIZE + h.size;
	if (!h.plausible)
		return find_way(b, h.type);
	p = in_peek(b->in, size, &n);
	if (n < size)
		return find_way(b, h.type);
	if (h.type == TYPE_UNKNOWN) {
		if (!boundary(b, &b->lay, size, true))
			return find_way(b, TYPE_UNKNOWN);
		damaged(b, &damage_unknown, 0, "passed over %s with %zu bytes",
			h.name, h.size);
		in_skip(b->in, size);
		return pass_packet(b);
	}

	if (!keeps_call(b, h.type)) {
		ret = close_call(b);
		if (ret)
			return ret;
	} else if (packet_types[h.type].kind == SPRT_CALL &&
		   !fits_call(b, h.type)) {
		in_skip(b->in, size);
		return 0;
	}
	outcome = parse_as(b, &b->lay, h.type, p + HEADER_SIZE, h.size, false,
			   &r, &used);
	if (outcome == EXTRA && good_packet(b, &b->lay, HEADER_SIZE + used)) {
		damaged(b, &damage_packet, 0,
			"size of %s is wrong, it has %zu bytes",
			packet_types[h.type].name, used);
		size = HEADER_SIZE + used;
	} else if (outcome != EXACT) {
		if (!boundary(b, &b->lay, size, true))
			return find_way(b, h.type);
		/* The look ahead may have moved the bytes. */
		p = in_peek(b->in, size, &n) + HEADER_SIZE;
		if (!parse_otherwise(b, h.type, p, h.size, &r)) {
			damaged(b, &damage_packet, 0, outcome == SHORT ?
				"fields of %s do not fit its size" :
				"%s has bytes after its last field",
				packet_types[h.type].name);
			parse_as(b, &b->lay, h.type, p, h.size, true, &r, &used);
		}
	}
	ret = deliver(b, h.type, &r);
	in_skip(b->in, size);
	return ret;
}

static int bin_run(struct source *s, struct sink *sink)
{
	struct bin *b = (struct bin *)s;
	int ret = 0;

	b->sink = sink;
	for (size_t i = 0; i < b->args.nin && !ret; i++) {
		size_t n;

		b->in = b->args.in[i];
		ret = read_handshake(b);
		if (!ret && !b->lay_known)
			ret = find_way(b, TYPE_UNKNOWN);
		while (!ret && in_peek(b->in, 1, &n) && n)
			ret = read_packet(b);
		if (in_error(b->in))
			damaged(b, &damage_read, 0, "cannot be read on: %s",
				in_why(b->in));
		if (!ret)
			ret = close_call(b);
	}
	return ret;
}

static void bin_free(struct source *s)
{
	struct bin *b = (struct bin *)s;

	sprt_arena_free(&b->strings);
	free(b->arg);
	free(b->frame);
	free(b);
}

struct source *sprt_bin_open(const struct source_args *args)
{
	static const struct source_ops ops = { bin_run, bin_free };
	struct bin *b = xcalloc(1, sizeof(*b));

	b->source.ops = &ops;
	b->args = *args;
	return &b->source;
}

int sprt_bin_detect(const uint8_t *data, size_t n)
{
	if (handshake_at(data, n))
		return DETECT_SURE;
	return n && data[0] == HANDSHAKE_ID && get_handshake(data, n).total ?
	       DETECT_LIKELY : DETECT_NO;
}
