// SPDX-License-Identifier: LGPL-2.1
/* Assembles lines into events.  See assemble.h and Documentation/line-format.md. */
#include "format/lines/assemble.h"
#include "format/lines/event_builder.h"
#include "event/event_queue.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * A complete event may still be followed by lines outside the format, in the same
 * record or right after it, and by events of other processors with an earlier time.
 * So it is held until there are HOLD_EVENTS events, or until HOLD_NS (20 ms) later.
 */
#define HOLD_EVENTS	128u
#define HOLD_NS		20000000u
/* Maximum incomplete events outside the queue; one more closes the oldest of them. */
#define ALONE		4096u

/* ---- what can be wrong ---- */

static const struct diag_kind bad_header = {
	"event lines that cannot be read in full", DIAG_DAMAGE };
static const struct diag_kind doubled = {
	"lines that came twice, dropped once", DIAG_DAMAGE };
static const struct diag_kind stray = {
	"ends of strings without a beginning, passed over", DIAG_DAMAGE };
static const struct diag_kind no_cont_end = {
	"events with a missing Cont_end", DIAG_DAMAGE };
static const struct diag_kind backwards = {
	"lines going back in their task's time", DIAG_DAMAGE };
static const struct diag_kind incomplete = {
	"events with something missing or damaged", DIAG_DAMAGE };
static const struct diag_kind too_big = {
	"events divided, growing without end", DIAG_DAMAGE };
static const struct diag_kind lost_events = {
	"events lost by the tracer", DIAG_DAMAGE };
static const struct diag_kind lost_unknown = {
	"losses of an unknown number of events", DIAG_DAMAGE };
/* Tags that the module prints if its parameter "extended" is set. */
static const char *const extensions[] = {
	"Failed", "Marks",
};

static const struct diag_kind unknown_tags = {
	"lines with tags outside the format, kept", DIAG_NOTE };
static const struct diag_kind late_events = {
	"events that came too late to be put in order", DIAG_NOTE };

/* ---- the assembler ---- */

struct slot {
	uint64_t upid;
	struct builder *b;	/* the task's open event, NULL if none */
	uint64_t begun, seen;	/* times of its latest event and of its latest line, ns */
	bool used;
	bool gone;		/* the task's exit event has come */
};

struct assembler {
	struct diag *diag;
	/* tasks, open addressing; rehash_slots() drops those that are gone */
	struct slot *slots;
	size_t nslots, slots_cap;
	struct slot *last;	/* slot of the task of the last line */
	struct event_queue queue;	/* queue of struct builder */
	uint64_t alone[ALONE];	/* a ring: tasks whose event left the queue incomplete */
	size_t nalone;
};

struct assembler *asm_new(struct sink *sink, struct diag *diag)
{
	struct assembler *a = xcalloc(1, sizeof(*a));

	a->queue.sink = sink;
	a->queue.size = sizeof(struct builder);
	a->queue.fini = builder_fini;
	a->diag = diag;
	return a;
}

void asm_free(struct assembler *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->slots_cap; i++)
		if (a->slots[i].b)
			evq_close(&a->queue, a->slots[i].b);
	evq_free(&a->queue);
	free(a->slots);
	free(a);
}

/* ---- tasks ---- */

static struct slot *probe_slot(struct slot *slots, size_t cap, uint64_t upid)
{
	size_t i = hash_word(upid) & (cap - 1);

	while (slots[i].used && slots[i].upid != upid)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

static bool is_busy(const struct slot *s)
{
	return s->used && (s->b || !s->gone);
}

static void rehash_slots(struct assembler *a)
{
	struct slot *old = a->slots;
	size_t old_cap = a->slots_cap, busy = 0;

	for (size_t i = 0; i < old_cap; i++)
		busy += is_busy(&old[i]);
	a->slots_cap = 64;
	while (a->slots_cap < 4 * (busy + 1))
		a->slots_cap *= 2;
	a->slots = xcalloc(a->slots_cap, sizeof(*a->slots));
	a->nslots = busy;
	a->last = NULL;
	for (size_t i = 0; i < old_cap; i++)
		if (is_busy(&old[i]))
			*probe_slot(a->slots, a->slots_cap, old[i].upid) = old[i];
	free(old);
}

static struct slot *slot_of(struct assembler *a, uint64_t upid)
{
	struct slot *s;

	if (a->last && a->last->upid == upid)
		return a->last;
	if (2 * (a->nslots + 1) > a->slots_cap)
		rehash_slots(a);
	s = probe_slot(a->slots, a->slots_cap, upid);
	if (!s->used) {
		*s = (struct slot){ .upid = upid, .used = true };
		a->nslots++;
	}
	a->last = s;
	return s;
}

/* ---- passing events on ---- */

static void report_findings(struct assembler *a, const struct builder *b,
			    const struct et_event *ev)
{
	char text[160];

	et_finding_text(&ev->findings[0], text, sizeof(text));
	diag_report(a->diag, &incomplete, b->file, DIAG_LINE, ev->place,
		    "%s of task %" PRIu64 ": %s%s", et_kinds[ev->kind].name,
		    ev->upid, text, ev->nfindings > 1 ? ", and more" : "");
}

static void let_out_first(struct assembler *a)
{
	struct builder *b = evq_take(&a->queue);
	struct et_event *ev = &b->ev;

	if (b->listed)
		lt_finish(ev, &b->list);
	if (ev->nfindings)
		report_findings(a, b, ev);
	if (b->no_cont_end)
		diag_report(a->diag, &no_cont_end, b->file, DIAG_LINE, ev->place, NULL);
	if (evq_is_late(&a->queue, ev))
		diag_report(a->diag, &late_events, b->file, DIAG_LINE, ev->place, NULL);
	evq_send(&a->queue, b);
}

/* Closes the task's event. */
static inline void close_event(struct assembler *a, struct slot *s)
{
	struct builder *b = s->b;

	s->b = NULL;
	builder_close(b);
	evq_close(&a->queue, b);
}

/* Records that an incomplete event has left the queue.  Closes the oldest of too many. */
static void go_alone(struct assembler *a, const struct builder *b)
{
	uint64_t *place = &a->alone[a->nalone++ % ALONE];

	if (a->nalone > ALONE) {
		struct slot *s = probe_slot(a->slots, a->slots_cap, *place);

		if (s->used && s->b && !s->b->ev.queued)
			close_event(a, s);
	}
	*place = b->ev.upid;
}

/* Whether a call may still fail: a mount can, long after its strings were printed. */
static bool may_still_fail(const struct builder *b)
{
	return lt_fails_late(b->ev.kind) && !(b->ev.flags & ET_F_FAILED) && !b->one_record;
}

/* Whether the first event in the queue, which is complete, need not wait for more lines. */
static inline bool is_due(const struct assembler *a, const struct builder *b, uint64_t now)
{
	if (evq_is_full(&a->queue))
		return true;
	return (now > b->last_time + HOLD_NS || a->queue.order.n > HOLD_EVENTS) &&
	       !may_still_fail(b);
}

/* Passes on the events that are due at @now, in ns. */
static inline void drain_queue(struct assembler *a, uint64_t now)
{
	struct builder *b;

	while ((b = evq_first(&a->queue))) {
		if (!b->ev.closed && b->done && is_due(a, b, now))
			close_event(a, probe_slot(a->slots, a->slots_cap, b->ev.upid));
		if (b->ev.closed)
			let_out_first(a);
		else if (evq_is_full(&a->queue))
			go_alone(a, evq_take(&a->queue));
		else
			break;
	}
}

static void report_backwards(struct assembler *a, const struct et_line *l)
{
	diag_report(a->diag, &backwards, l->file, DIAG_LINE, l->number,
		    "the line goes back in its task's time: shown at the time of the line before");
}

/*
 * The time of an event that begins with this line.  It may be before the task's latest
 * event, but not in the middle of that one, and not before events that were passed on.
 */
static uint64_t begin_time(struct assembler *a, struct slot *s, const struct et_line *l)
{
	if (l->time >= s->seen) {
		s->begun = l->time;
		return l->time;
	}
	if (l->time < s->begun && l->time >= a->queue.passed)
		return l->time;
	report_backwards(a, l);
	return s->begun = s->seen;
}

static bool is_extension(const struct et_line *l)
{
	for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
		size_t n = strlen(extensions[i]);

		if (l->len > n && l->text[n] == '|' && !memcmp(l->text, extensions[i], n))
			return true;
	}
	return false;
}

/* Reports a line with an unknown tag. */
static void report_unknown(struct assembler *a, const struct et_line *l, const struct line_text *p)
{
	if (p->what == P_OTHER && !is_extension(l))
		diag_report(a->diag, &unknown_tags, l->file, DIAG_LINE, l->number, NULL);
}

/* Reports damage that was found when the line was added. */
static void report_damage(struct assembler *a, const struct et_line *l, const struct line_text *p,
			  enum builder_result result)
{
	const char *name = lt_tags[p->tag].name;

	if (result == BUILDER_IN_PART)
		diag_report(a->diag, &bad_header, l->file, DIAG_LINE, l->number,
			    "%s line cannot be read in full", name);
	if (result != BUILDER_STRAY)
		return;
	if (p->what == P_STRING_END)
		diag_report(a->diag, &stray, l->file, DIAG_LINE, l->number,
			    "%s_end where no %s was", name, name);
	else
		diag_report(a->diag, &stray, l->file, DIAG_LINE, l->number, "%s",
			    p->what == P_CONT ? "Cont line without the line before it" :
						"Cont_end where no Cont was");
}

static bool is_too_big(const struct builder *b)
{
	return et_memory(&b->ev) + b->list.nitems * sizeof(struct lt_item) > ET_MAX_BYTES;
}

/* Begins an event with a line. */
static inline void begin_event(struct assembler *a, struct slot *s, const struct et_line *l,
			       const struct line_text *p)
{
	enum et_kind kind = p->what == P_HEADER ? lt_tags[p->tag].kind : builder_kind(p);
	enum builder_result result;
	struct builder *b;

	if (s->b)
		close_event(a, s);
	b = evq_new(&a->queue);
	builder_begin(b, kind, l->upid, l->cpu, begin_time(a, s, l));
	s->gone = kind == ET_K_EXIT;
	s->b = b;
	b->ev.place = l->number;
	b->file = l->file;
	result = builder_add(b, l, p);
	if (result != BUILDER_ADDED)
		report_damage(a, l, p, result);
	evq_put(&a->queue, b);
}

/* Handles a line that is not the expected one.  Return: false if it begins another event. */
static __attribute__((noinline)) bool take_line(struct assembler *a, struct slot *s,
						const struct et_line *l, const struct line_text *p)
{
	enum builder_result result = BUILDER_NOT_ADDED;
	struct builder *b = s->b;

	if (b) {
		builder_make_list(b);
		if (builder_is_double(b, l, p)) {
			diag_report(a->diag, &doubled, l->file, DIAG_LINE, l->number, NULL);
			return true;
		}
		if (is_too_big(b)) {
			diag_report(a->diag, &too_big, l->file, DIAG_LINE, l->number, NULL);
			close_event(a, s);
			b = NULL;
		}
	}
	report_unknown(a, l, p);
	if (b)
		result = builder_add(b, l, p);
	else if (p->what == P_CONT_END || p->what == P_STRING_END)
		result = BUILDER_STRAY;
	if (result == BUILDER_NOT_ADDED)
		return false;
	report_damage(a, l, p, result);
	if (!b)
		return true;
	if (b->went_back)
		report_backwards(a, l);
	b->went_back = false;
	evq_grown(&a->queue, &b->ev);
	return true;
}

int asm_line(struct assembler *a, const struct et_line *l)
{
	struct slot *s = slot_of(a, l->upid);
	struct line_text p = line_text_split(l);
	uint64_t begun = a->queue.order.arrivals;

	if (s->b && builder_add_expected(s->b, l, &p))
		evq_grown(&a->queue, &s->b->ev);
	else if (builder_is_first(s->b, l, &p) || !take_line(a, s, l, &p))
		begin_event(a, s, l, &p);
	if (s->seen < l->time)
		s->seen = l->time;
	if (a->queue.order.arrivals != begun)
		drain_queue(a, l->time);
	return a->queue.err ? a->queue.err : s->b && s->b->expected;
}

size_t asm_more(struct assembler *a, struct line_state *st, const char *s, const char *end,
		uint64_t until)
{
	struct slot *slot = a->last;
	struct builder *b = slot->b;
	size_t taken = builder_add_more(b, st, s, end, until);

	if (slot->seen < b->line_time)
		slot->seen = b->line_time;
	evq_grown(&a->queue, &b->ev);
	return taken;
}

int asm_lost(struct assembler *a, const struct et_line *l)
{
	struct builder *b = evq_new(&a->queue);

	builder_begin(b, ET_K_LOST, 0, l->cpu, l->time);
	if (l->counted) {
		et_set(&b->ev, ET_V_LOST_count, (int64_t)l->lost);
		diag_report(a->diag, &lost_events, l->file, DIAG_LINE, l->number,
			    "%" PRIu64 " events lost on processor %" PRIu32, l->lost, l->cpu);
		if (l->lost)
			diag_count(a->diag, &lost_events, l->lost - 1);
	} else {
		diag_report(a->diag, &lost_unknown, l->file, DIAG_LINE, l->number,
			    "events lost on processor %" PRIu32, l->cpu);
	}
	b->ev.place = l->number;
	b->file = l->file;
	evq_close(&a->queue, b);
	drain_queue(a, l->time);
	return a->queue.err;
}

int asm_end(struct assembler *a)
{
	for (size_t i = 0; i < a->slots_cap; i++)
		if (a->slots[i].b)
			close_event(a, &a->slots[i]);
	drain_queue(a, UINT64_MAX);
	return a->queue.err;
}
