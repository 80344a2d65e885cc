// SPDX-License-Identifier: LGPL-2.1
/*
 * The SWAP source: sorts the messages of each input by sequence number, finds missing ones,
 * works out the counts of SYSTEM messages, and emits items.  Each input is a separate
 * stream.  The sinks interpret the messages.
 *
 * One counter numbers all messages, also those that the target drops, so a gap shows
 * how many were lost (Documentation/swap.md, "Sequence").  Messages of different
 * processors can arrive a little out of order: a gap is a loss only if it is not filled
 * for a while.
 */
#include "format/swap/swap_formats.h"
#include "format/swap/swap_frame.h"
#include "format/swap/swap_system.h"
#include "base/map64.h"
#include "base/pool.h"
#include "base/text_num.h"
#include "base/xalloc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum bytes of items held until SYSTEM messages determine the counts. */
#define HOLD_BYTES	(1u << 20)
/* Bytes that a held item takes besides its payload. */
#define HELD_BYTES	160u

/* A gap is a loss after this many later messages, or this many bytes of their payloads. */
#define ORDER_MESSAGES	256u
#define ORDER_BYTES	(1u << 20)
/* A number this far ahead is wrong if later messages were in order without it. */
#define FAR_AHEAD	65536
/* This many late messages in a row with consecutive numbers mean a restart. */
#define RESTART_RUN	3

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

/* Puts messages in order: keeps those whose numbers are ahead of the expected one. */
struct order {
	uint32_t expected;	/* the next number */
	uint64_t arrivals;	/* number of messages so far */
	uint32_t late_next;
	unsigned int late_run;
	struct waiting {
		struct swap_message *m;
		uint64_t arrival;	/* value of @arrivals when it came, including itself */
		uint32_t expected;	/* sequence number expected when it came */
	} wait[ORDER_MESSAGES + 1];	/* by sequence number */
	size_t n;
	size_t bytes;
};

struct swap_source {
	struct source base;
	struct source_args args;
	size_t at;		/* index of the current input */
	struct map64 api;	/* names of probed functions by number: char * */
	struct pool names;	/* the texts of these names */
	struct sink *sink;
	int err;		/* the sink's negative errno; then it gets no more items */

	/* For the current input: */
	struct swap_frame frame;
	struct order order;
	struct swap_system system;
	bool final;		/* no longer wait until the counts of SYSTEM are certain */
	struct swap_queue held;
};

const struct opt_row swap_source_options[] = {
	{ "swap-cpus", "N", "processors of the target, if SYSTEM messages do not tell" },
	{ "swap-energy-devices", "N", "energy devices of the target, likewise" },
	{ "swap-api-map", "FILE", "names of the probed functions, lines of NUMBER NAME" },
	{ 0 }
};

/* ---- names of functions ---- */

/* Parse one line of the file of names.  Return: whether it is well formed. */
static bool add_name(struct swap_source *s, char *text)
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
	map64_put(&s->api, id, (uintptr_t)pool_keep(&s->names, xstrdup(end)));
	return true;
}

/* Read the names of functions from a file.  Return: false after diag_fatal(). */
static bool read_names(struct swap_source *s, const char *path, struct diag *diag)
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
		good = strlen(text) == (size_t)len && add_name(s, text);
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

/* Report something at an offset of the current input. */
#define REPORT(s, kind, offset, ...) \
	diag_report((s)->args.diag, &kinds[kind], in_name((s)->frame.in), DIAG_OFFSET, offset, \
		    __VA_ARGS__)

static void complain_of(struct swap_source *s, unsigned int kind, const struct swap_message *m,
			const char *text)
{
	REPORT(s, kind, m->offset, "%s, number %" PRIu32 ": %s", name_of(m), m->header.seq, text);
}

static void report_damage(struct swap_source *s, const struct swap_message *m)
{
	const struct swap_field *f = m->end.field;

	if (m->damage & SWAP_DAMAGE_CUT)
		complain_of(s, MESSAGE, m, "the input ends within it");
	else if (m->damage & SWAP_DAMAGE_LENGTH)
		complain_of(s, MESSAGE, m, "the length in its header is wrong");
	else if (m->damage & SWAP_DAMAGE_FIELDS)
		REPORT(s, MESSAGE, m->offset + SWAP_HEADER_SIZE + m->end.used,
		       "%s, number %" PRIu32 ": field %s %s", name_of(m), m->header.seq,
		       f ? f->name : "", m->end.fault == SWAP_BAD_ITEM ?
		       "has an unknown type" : "does not fit into the payload");
	else if (m->damage & SWAP_DAMAGE_TIME)
		complain_of(s, MESSAGE, m, "its nanoseconds are 10^9 or more");
}

/* Read a SYSTEM message with the counts known so far. */
static void read_system(struct swap_source *s, struct swap_message *m)
{
	m->certainty = swap_system_answer(&s->system, &m->counts, s->final);
	if (m->certainty == SWAP_UNKNOWN) {
		complain_of(s, COUNTS, m,
			    "the number of processors is not known: give --swap-cpus and --swap-energy-devices");
		return;
	}
	m->layout = m->row->layouts[0];
	m->end = swap_walk(m->layout, m->payload, m->len, &m->counts, NULL, NULL);
	if (m->end.fault != SWAP_OK)
		m->damage |= SWAP_DAMAGE_FIELDS;
	if (m->certainty == SWAP_CPUS_ONLY)
		complain_of(s, COUNTS, m,
			    "the number of energy devices is not known: give --swap-energy-devices");
	else if (m->certainty == SWAP_ASSUMED)
		REPORT(s, ASSUMED, m->offset,
		       "SYSTEM read with %" PRIu32 " processors and %" PRIu32 " energy devices, which is usual but not certain: --swap-cpus and --swap-energy-devices say otherwise",
		       m->counts.cpus, m->counts.devices);
	if (m->certainty < SWAP_GIVEN && m->certainty > SWAP_CPUS_ONLY && !m->damage &&
	    !swap_system_fits(m->payload, m->len, &m->counts))
		complain_of(s, MISFIT, m,
			    "its length does not fit the numbers of processors and energy devices of the others");
}

static void complete_message(struct swap_source *s, struct swap_item *item, struct swap_message *m)
{
	if (m->row && m->header.id == SWAP_SYSTEM)
		read_system(s, m);
	report_damage(s, m);
	if (!m->row || !m->row->layouts[0])
		REPORT(s, UNKNOWN, m->offset,
		       "message %#" PRIx32 " of %" PRIu32 " bytes is of an unknown kind, passed over",
		       m->header.id, m->header.len);
	if (m->row && m->row->id == SWAP_PROBE)
		REPORT(s, PROBE, m->offset,
		       "probe message %#" PRIx32 " is of an unknown kind: only what all probes have is read",
		       m->header.id);
	if (m->header.id >= SWAP_PROBE && m->layout && m->len >= 4)
		item->api = map64_pointer(&s->api, swap_u32(m->payload));
}

static void deliver_item(struct swap_source *s, const struct swap_item *item)
{
	struct swap_message m = *item->message;
	struct swap_item complete = *item;

	if (s->err)
		return;
	complete.message = &m;
	if (!item->lost)
		complete_message(s, &complete, &m);
	s->err = sink_item(s->sink, &complete);
}

static void release_items(struct swap_source *s)
{
	for (size_t i = 0; i < s->held.n; i++)
		deliver_item(s, &s->held.items[i]);
	swap_queue_free(&s->held);
}

/* Deliver an item, or hold it, if @must_hold or if items before it are held. */
static void pass_item(struct swap_source *s, const struct swap_item *item, bool must_hold)
{
	if (!must_hold && !s->held.n) {
		deliver_item(s, item);
		return;
	}
	swap_queue_add(&s->held, item);
	if (s->held.bytes + s->held.n * HELD_BYTES > HOLD_BYTES) {
		s->final = true;
		release_items(s);
	}
}

static void pass_message(struct swap_source *s, const struct swap_message *m)
{
	struct swap_item item = { .message = m };
	bool system = m->header.id == SWAP_SYSTEM, unknown;
	struct swap_counts counts;

	if (system && !m->damage && m->len == m->header.len)
		swap_system_add(&s->system, m->payload, m->len);
	unknown = system && !s->final &&
		  swap_system_answer(&s->system, &counts, false) == SWAP_UNKNOWN;
	if (system && !unknown)
		release_items(s);
	pass_item(s, &item, unknown);
}

/* Report that @count messages are missing before @before, from the expected number on. */
static void pass_lost(struct swap_source *s, uint32_t count, const struct swap_message *before)
{
	uint32_t first = s->order.expected;
	struct swap_item item = { .message = before, .lost = count, .first = first };

	REPORT(s, LOST, before->offset, "%s missing, numbers %" PRIu32 " to %" PRIu32,
	       text_counted(count, "message is", "messages are"), first, first + count - 1);
	diag_count(s->args.diag, &kinds[LOST], count - 1);
	pass_item(s, &item, false);
}

/* ---- order ---- */

/* How far @seq is ahead of the expected number; negative if it is late. */
static int32_t order_ahead(const struct order *o, uint32_t seq)
{
	return (int32_t)(seq - o->expected);
}

static void put_message(struct order *o, const struct swap_message *m)
{
	size_t i = o->n++;

	while (i && order_ahead(o, o->wait[i - 1].m->header.seq) > order_ahead(o, m->header.seq)) {
		o->wait[i] = o->wait[i - 1];
		i--;
	}
	o->wait[i] = (struct waiting){ swap_message_copy(m), o->arrivals, o->expected };
	o->bytes += m->len;
}

static void complain_again(struct swap_source *s, const struct swap_message *m)
{
	complain_of(s, AGAIN, m, "this number has been before");
}

/* Pass on the first waiting message. */
static void pass_waiting(struct swap_source *s)
{
	struct order *o = &s->order;
	struct swap_message *m = o->wait[0].m;

	o->bytes -= m->len;
	o->n--;
	memmove(&o->wait[0], &o->wait[1], o->n * sizeof(o->wait[0]));
	pass_message(s, m);
	free(m);
}

/* Pass on the waiting messages that are in order now. */
static void drain_messages(struct swap_source *s)
{
	struct order *o = &s->order;

	while (o->n && order_ahead(o, o->wait[0].m->header.seq) <= 0) {
		if (o->wait[0].m->header.seq == o->expected)
			o->expected++;
		else
			complain_again(s, o->wait[0].m);
		pass_waiting(s);
	}
}

/* Report the gap before the first waiting message as a loss, or that message as misplaced. */
static void give_up(struct swap_source *s)
{
	struct order *o = &s->order;
	const struct waiting *w = &o->wait[0];
	int32_t gap = order_ahead(o, w->m->header.seq);

	if (gap > FAR_AHEAD && w->expected != o->expected) {
		complain_of(s, MISPLACED, w->m, "the number does not fit those around it");
		pass_waiting(s);
		return;
	}
	pass_lost(s, (uint32_t)gap, w->m);
	o->expected += (uint32_t)gap;
	drain_messages(s);
}

static void give_up_all(struct swap_source *s)
{
	while (s->order.n)
		give_up(s);
}

static bool waited_enough(const struct order *o)
{
	if (o->n > ORDER_MESSAGES || o->bytes > ORDER_BYTES)
		return true;
	for (size_t i = 0; i < o->n; i++)
		if (o->arrivals - o->wait[i].arrival >= ORDER_MESSAGES)
			return true;
	return false;
}

/* Handle a message with a number below the expected one. */
static void add_late(struct swap_source *s, const struct swap_message *m)
{
	struct order *o = &s->order;

	o->late_run = m->header.seq == o->late_next ? o->late_run + 1 : 1;
	o->late_next = m->header.seq + 1;
	if (o->late_run < RESTART_RUN) {
		complain_again(s, m);
	} else {
		/* The waiting messages belong to the numbers before the restart. */
		give_up_all(s);
		complain_of(s, RESTART, m,
			    "the numbers begin anew, what was lost in between is not known");
		o->expected = m->header.seq + 1;
		o->late_run = 0;
	}
	pass_message(s, m);
}

/* Handle the next message of the stream. */
static void add_message(struct swap_source *s, const struct swap_message *m)
{
	struct order *o = &s->order;

	if (!o->arrivals++)
		o->expected = m->header.seq;
	if (order_ahead(o, m->header.seq) < 0) {
		add_late(s, m);
		return;
	}
	o->late_run = 0;
	if (m->header.seq == o->expected) {
		o->expected++;
		pass_message(s, m);
		drain_messages(s);
	} else {
		put_message(o, m);
	}
	while (o->n && waited_enough(o))
		give_up(s);
}

/* ---- the source ---- */

/* Free what belongs to one input. */
static void forget_input(struct swap_source *s)
{
	for (size_t i = 0; i < s->order.n; i++)
		free(s->order.wait[i].m);
	s->order = (struct order){ 0 };
	s->frame = (struct swap_frame){ 0 };
	swap_queue_free(&s->held);
	map64_clear(&s->system.votes);
	s->system.most = 0;
	s->final = false;
}

static void end_input(struct swap_source *s)
{
	in_report(s->frame.in, s->args.diag, DIAG_OFFSET, in_offset(s->frame.in));
	give_up_all(s);
	s->final = true;
	release_items(s);
	forget_input(s);
	s->at++;
}

/* Read one message, or end the input. */
static int swap_source_step(struct source *base, struct sink *sink)
{
	struct swap_source *s = (struct swap_source *)base;
	struct swap_frame *f = &s->frame;
	struct swap_message m;
	bool found;

	s->sink = sink;
	if (s->at == s->args.nin)
		return 0;
	f->in = s->args.in[s->at];
	found = swap_frame_next(f, &m);
	if (f->garbage)
		REPORT(s, GARBAGE, in_offset(f->in) - f->garbage, "%s to no message",
		       text_counted(f->garbage, "byte that belongs", "bytes that belong"));
	if (found)
		add_message(s, &m);
	else
		end_input(s);
	return s->err ? s->err : 1;
}

static void swap_source_free(struct source *base)
{
	struct swap_source *s = (struct swap_source *)base;

	forget_input(s);
	map64_clear(&s->api);
	pool_free(&s->names);
	free(s);
}

/* Read a number from @min to 1024 from an option.  Return: false after diag_fatal(). */
static bool read_count(const struct source_args *args, const char *name, unsigned int min,
		       uint64_t *v)
{
	if (opt_number(args->opts, name, min, 1024, v))
		return true;
	diag_fatal(args->diag, "--%s: not a number from %u to 1024: %s", name, min,
		   opt_value(args->opts, name));
	return false;
}

struct source *swap_source_open(const struct source_args *args)
{
	static const struct source_ops ops = { swap_source_step, swap_source_free };
	uint64_t cpus = 0, devices = UINT64_MAX;
	const char *map = opt_value(args->opts, "swap-api-map");
	struct swap_source *s = xcalloc(1, sizeof(*s));

	s->base.ops = &ops;
	s->args = *args;
	if (!read_count(args, "swap-cpus", 1, &cpus) ||
	    !read_count(args, "swap-energy-devices", 0, &devices) ||
	    (map && !read_names(s, map, args->diag))) {
		swap_source_free(&s->base);
		return NULL;
	}
	s->system.cpus = (uint32_t)cpus;
	s->system.devices = devices == UINT64_MAX ? -1 : (int)devices;
	return &s->base;
}
