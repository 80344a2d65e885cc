// SPDX-License-Identifier: LGPL-2.1
/*
 * The SWAP source: splits each input stream into messages, sorts them, works out
 * the counts of SYSTEM messages, and emits items.  Each input is a separate stream.
 * The sinks interpret the messages.
 */
#include "format/swap/swap_formats.h"
#include "format/swap/swap_model.h"
#include "format/swap/swap_order.h"
#include "format/swap/swap_system.h"
#include "base/map64.h"
#include "base/text_num.h"
#include "base/xalloc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum bytes of items held until SYSTEM messages determine the counts. */
#define HOLD_BYTES	(1u << 20)
#define FEED_BYTES	65536u	/* maximum bytes of input per step */

enum {
	GARBAGE, MESSAGE, LOST, MISPLACED, COUNTS, ASSUMED, MISFIT, UNKNOWN, PROBE, AGAIN, RESTART
};

static const struct diag_kind kinds[] = {
	[GARBAGE] = { "places with bytes that belong to no message, passed over", DIAG_DAMAGE },
	[MESSAGE] = { "damaged messages, converted as far as possible", DIAG_DAMAGE },
	[LOST] = { "messages lost before writing (gaps in the sequence numbers)", DIAG_DAMAGE },
	[MISPLACED] = { "messages with a sequence number that cannot be right", DIAG_DAMAGE },
	[COUNTS] = {
		"SYSTEM messages that cannot be read whole without --swap-cpus and --swap-energy-devices",
		DIAG_DAMAGE },
	[ASSUMED] = {
		"SYSTEM messages read with a number of energy devices that is usual but not certain",
		DIAG_NOTE },
	[MISFIT] = {
		"SYSTEM messages whose length does not fit the processors and energy devices",
		DIAG_DAMAGE },
	[UNKNOWN] = { "messages of an unknown kind, passed over", DIAG_NOTE },
	[PROBE] = {
		"probe messages of an unknown kind, of which only what all probes have is read",
		DIAG_NOTE },
	[AGAIN] = { "messages with a sequence number that has been before", DIAG_NOTE },
	[RESTART] = { "places where the sequence numbers begin anew", DIAG_NOTE },
};

/* A held item, with a copy of its message. */
struct held {
	struct held *next;
	struct swap_item item;
	struct swap_message *message;
};

struct swap_source {
	struct source base;
	struct in **in;
	size_t nin, at;		/* @at: index of the current input */
	struct diag *diag;
	struct map64 api;	/* names of probed functions by number: char * */
	unsigned int cpus;
	int devices;

	/* For the current input: */
	const char *name;
	struct swap_frame *frame;	/* NULL before its first step */
	struct swap_order *order;
	struct swap_system *system;
	struct sink *sink;
	bool final;		/* wait no longer for certain counts of SYSTEM */
	struct held *first;	/* held items, in order */
	struct held **last;	/* where to append */
	size_t held_bytes;
};

const struct opt_row swap_source_options[] = {
	{ "swap-cpus", "N", "processors of the target, if SYSTEM messages do not tell" },
	{ "swap-energy-devices", "N", "energy devices of the target, likewise" },
	{ "swap-api-map", "FILE", "names of the probed functions, lines of NUMBER NAME" },
	{ 0 }
};

/* ---- names of functions ---- */

static void forget_names(struct map64 *api)
{
	struct map64_slot *slot;

	for (size_t i = 0; (slot = map64_each(api, &i));)
		free((char *)(uintptr_t)slot->value);
	map64_clear(api);
}

/* Read one line, without its newline.  Return: whether it is well formed. */
static bool add_name(struct map64 *api, char *text)
{
	unsigned long long id;
	char *end;

	text += strspn(text, " \t");
	if (!*text || *text == '#')
		return true;
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	id = strtoull(text, &end, 0);
	if (errno || id > UINT32_MAX || (*end != ' ' && *end != '\t'))
		return false;
	end += strspn(end, " \t");
	if (!*end)
		return false;
	/* If the file names a number several times, the last name counts. */
	free(map64_pointer(api, id));
	map64_put(api, id, (uintptr_t)xstrdup(end));
	return true;
}

/* Read the names of functions from a file.  Return: false after diag_fatal(). */
static bool read_names(struct map64 *api, const char *path, struct diag *diag)
{
	FILE *f = fopen(path, "re");
	size_t size = 0, line = 0;
	char *text = NULL;
	bool good = true;
	ssize_t len;

	while (f && good && (len = getline(&text, &size, f)) >= 0) {
		line++;
		while (len && strchr(" \t\r\n", text[len - 1]))
			text[--len] = 0;
		good = strlen(text) == (size_t)len && add_name(api, text);
	}
	if (!good) {
		diag_fatal(diag, "%s: line %zu: not of the form NUMBER NAME", path, line);
	} else if (!f || ferror(f)) {
		good = false;
		diag_fatal(diag, "%s: cannot read the names of functions: %s", path,
			   strerror(errno));
	}
	free(text);
	if (f)
		fclose(f);
	return good;
}

/* ---- messages ---- */

static const char *name_of(const struct swap_message *m)
{
	return m->row ? m->row->name : "message";
}

static void complain_of(struct swap_source *s, const struct diag_kind *kind,
			const struct swap_message *m, const char *text)
{
	diag_report(s->diag, kind, s->name, DIAG_OFFSET, m->offset, "%s, number %" PRIu32 ": %s",
		    name_of(m), m->header.seq, text);
}

static void report_damage(struct swap_source *s, const struct swap_message *m)
{
	const struct swap_field *f = m->end.field;

	if (m->damage & SWAP_DAMAGE_CUT)
		complain_of(s, &kinds[MESSAGE], m, "the input ends within it");
	else if (m->damage & SWAP_DAMAGE_LENGTH)
		complain_of(s, &kinds[MESSAGE], m, "the length in its header is wrong");
	else if (m->damage & SWAP_DAMAGE_FIELDS)
		diag_report(s->diag, &kinds[MESSAGE], s->name, DIAG_OFFSET,
			    m->offset + SWAP_HEADER_SIZE + m->end.used,
			    "%s, number %" PRIu32 ": field %s %s", name_of(m), m->header.seq,
			    f ? f->name : "",
			    m->end.fault == SWAP_BAD_ITEM ?
				    "has an unknown type" : "does not fit into the payload");
	else if (m->damage & SWAP_DAMAGE_TIME)
		complain_of(s, &kinds[MESSAGE], m, "its nanoseconds are 10^9 or more");
}

/* Read a SYSTEM message with the counts known so far. */
static void read_system(struct swap_source *s, struct swap_message *m)
{
	m->certainty = swap_system_answer(s->system, &m->counts, s->final);
	if (m->certainty == SWAP_UNKNOWN) {
		complain_of(s, &kinds[COUNTS], m,
			    "the number of processors is not known: give --swap-cpus and --swap-energy-devices");
		return;
	}
	m->layout = m->row->layouts[0];
	m->end = swap_walk(m->layout, m->payload, m->len, &m->counts, NULL, NULL);
	if (m->end.fault != SWAP_OK)
		m->damage |= SWAP_DAMAGE_FIELDS;
	if (m->certainty == SWAP_CPUS_ONLY)
		complain_of(s, &kinds[COUNTS], m,
			    "the number of energy devices is not known: give --swap-energy-devices");
	else if (m->certainty == SWAP_ASSUMED)
		diag_report(s->diag, &kinds[ASSUMED], s->name, DIAG_OFFSET, m->offset,
			    "SYSTEM read with %" PRIu32 " processors and %" PRIu32 " energy devices, which is usual but not certain: --swap-cpus and --swap-energy-devices say otherwise",
			    m->counts.cpus, m->counts.devices);
	if (m->certainty < SWAP_GIVEN && m->certainty > SWAP_CPUS_ONLY && !m->damage &&
	    !swap_system_fits(m->payload, m->len, &m->counts))
		complain_of(s, &kinds[MISFIT], m,
			    "its length does not fit the numbers of processors and energy devices of the others");
}

static int deliver_item(struct swap_source *s, struct swap_item *item, struct swap_message *m)
{
	item->message = m;
	if (item->kind == SWAP_ITEM_MESSAGE) {
		if (m->row && m->header.id == SWAP_SYSTEM)
			read_system(s, m);
		report_damage(s, m);
		if (!m->row || !m->row->layouts[0])
			diag_report(s->diag, &kinds[UNKNOWN], s->name, DIAG_OFFSET, m->offset,
				    "message %#" PRIx32 " of %" PRIu32 " bytes is of an unknown kind, passed over",
				    m->header.id, m->header.len);
		if (m->row && m->row->id == SWAP_PROBE)
			diag_report(s->diag, &kinds[PROBE], s->name, DIAG_OFFSET, m->offset,
				    "probe message %#" PRIx32 " is of an unknown kind: only what all probes have is read",
				    m->header.id);
		if (m->header.id >= SWAP_PROBE && m->layout && m->len >= 4)
			item->api = map64_pointer(&s->api, swap_u32(m->payload));
	}
	return sink_item(s->sink, item);
}

static void drop_held(struct swap_source *s)
{
	struct held *h = s->first;

	s->first = h->next;
	free(h->message);
	free(h);
}

static int release_items(struct swap_source *s)
{
	int ret = 0;

	for (; s->first; drop_held(s))
		if (!ret)
			ret = deliver_item(s, &s->first->item, s->first->message);
	s->last = &s->first;
	s->held_bytes = 0;
	return ret;
}

static void hold_item(struct swap_source *s, const struct swap_item *item)
{
	struct held *h = xmalloc(sizeof(*h));

	*h = (struct held){ NULL, *item, swap_message_copy(item->message) };
	*s->last = h;
	s->last = &h->next;
	s->held_bytes += sizeof(*h) + sizeof(*h->message) + h->message->len;
}

/* Deliver an item, or hold it, if @must_hold or if items before it are held. */
static int pass_item(struct swap_source *s, const struct swap_item *item, bool must_hold)
{
	struct swap_item copy = *item;
	struct swap_message m = *item->message;

	if (!must_hold && !s->first)
		return deliver_item(s, &copy, &m);
	hold_item(s, item);
	if (s->held_bytes <= HOLD_BYTES)
		return 0;
	s->final = true;
	return release_items(s);
}

static int on_message(void *ctx, const struct swap_message *m)
{
	struct swap_source *s = ctx;
	struct swap_item item = { .kind = SWAP_ITEM_MESSAGE, .message = m };
	struct swap_counts counts;
	bool unknown;
	int ret;

	if (m->header.id != SWAP_SYSTEM)
		return pass_item(s, &item, false);
	if (!m->damage && m->len == m->header.len)
		swap_system_add(s->system, m->payload, m->len);
	unknown = !s->final &&
		  swap_system_answer(s->system, &counts, false) == SWAP_UNKNOWN;
	ret = unknown ? 0 : release_items(s);
	return ret ? ret : pass_item(s, &item, unknown);
}

static int on_lost(void *ctx, uint32_t first, uint32_t count, const struct swap_message *before)
{
	struct swap_source *s = ctx;
	struct swap_item item = {
		.kind = SWAP_ITEM_LOST, .message = before, .lost = count, .first = first,
	};

	diag_report(s->diag, &kinds[LOST], s->name, DIAG_OFFSET, before->offset,
		    "%s missing, numbers %" PRIu32 " to %" PRIu32,
		    text_counted(count, "message is", "messages are"),
		    first, first + count - 1);
	diag_count(s->diag, &kinds[LOST], count - 1);
	return pass_item(s, &item, false);
}

static void on_odd(void *ctx, enum swap_odd odd, const struct swap_message *m)
{
	static const struct {
		const struct diag_kind *kind;
		const char *text;
	} odds[] = {
		[SWAP_AGAIN] = { &kinds[AGAIN], "this number has been before" },
		[SWAP_MISPLACED] = { &kinds[MISPLACED], "the number does not fit those around it" },
		[SWAP_RESTART] = { &kinds[RESTART],
			"the numbers begin anew, what was lost in between is not known" },
	};

	complain_of(ctx, odds[odd].kind, m, odds[odd].text);
}

static int on_frame(void *ctx, const struct swap_message *m)
{
	struct swap_source *s = ctx;

	return swap_order_add(s->order, m);
}

static void on_garbage(void *ctx, uint64_t offset, uint64_t bytes)
{
	struct swap_source *s = ctx;

	diag_report(s->diag, &kinds[GARBAGE], s->name, DIAG_OFFSET, offset,
		    "%s to no message", text_counted(bytes, "byte that belongs", "bytes that belong"));
}

static void begin_input(struct swap_source *s, struct in *in)
{
	static const struct swap_frame_ops frame_ops = { on_frame, on_garbage };
	static const struct swap_order_ops order_ops = { on_message, on_lost, on_odd };

	s->frame = swap_frame_new(&frame_ops, s);
	s->name = in_name(in);
	s->order = swap_order_new(&order_ops, s);
	s->system = swap_system_new(s->cpus, s->devices);
	s->final = false;
	s->last = &s->first;
}

/* Free what belongs to one input. */
static void forget_input(struct swap_source *s)
{
	while (s->first)
		drop_held(s);
	swap_system_free(s->system);
	swap_order_free(s->order);
	swap_frame_free(s->frame);
	s->system = NULL;
	s->order = NULL;
	s->frame = NULL;
}

static int end_input(struct swap_source *s, struct in *in)
{
	int ret;

	in_report(in, s->diag, DIAG_OFFSET, in_offset(in));
	ret = swap_frame_end(s->frame);
	if (!ret)
		ret = swap_order_end(s->order);
	s->final = true;
	if (!ret)
		ret = release_items(s);
	forget_input(s);
	s->at++;
	return ret;
}

/* Read up to FEED_BYTES bytes, or end the input. */
static int swap_source_step(struct source *base, struct sink *sink)
{
	struct swap_source *s = (struct swap_source *)base;
	const uint8_t *p;
	struct in *in;
	size_t have;
	int ret;

	s->sink = sink;
	if (s->at == s->nin)
		return 0;
	in = s->in[s->at];
	if (!s->frame)
		begin_input(s, in);
	p = in_peek(in, 1, &have);
	if (have) {
		size_t n = have < FEED_BYTES ? have : FEED_BYTES;

		ret = swap_frame_feed(s->frame, p, n);
		in_skip(in, n);
	} else {
		ret = end_input(s, in);
	}
	return ret ? ret : 1;
}

static void swap_source_free(struct source *base)
{
	struct swap_source *s = (struct swap_source *)base;

	forget_input(s);
	forget_names(&s->api);
	free(s);
}

int swap_source_detect(const uint8_t *data, size_t n)
{
	return swap_detect(data, n) ? DETECT_LIKELY : DETECT_NO;
}

struct source *swap_source_open(const struct source_args *args)
{
	static const struct source_ops ops = { swap_source_step, swap_source_free };
	uint64_t cpus = 0, devices = UINT64_MAX;
	const char *map = opt_value(args->opts, "swap-api-map");
	struct map64 api = { 0 };
	struct swap_source *s;

	if (!opt_number(args->opts, "swap-cpus", 1, 1024, &cpus)) {
		diag_fatal(args->diag, "--swap-cpus: not a number from 1 to 1024: %s",
			   opt_value(args->opts, "swap-cpus"));
		return NULL;
	}
	if (!opt_number(args->opts, "swap-energy-devices", 0, 1024, &devices)) {
		diag_fatal(args->diag, "--swap-energy-devices: not a number from 0 to 1024: %s",
			   opt_value(args->opts, "swap-energy-devices"));
		return NULL;
	}
	if (map && !read_names(&api, map, args->diag)) {
		forget_names(&api);
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->base.ops = &ops;
	s->in = args->in;
	s->nin = args->nin;
	s->diag = args->diag;
	s->api = api;
	s->cpus = (unsigned int)cpus;
	s->devices = devices == UINT64_MAX ? -1 : (int)devices;
	return &s->base;
}
