// SPDX-License-Identifier: LGPL-2.1
/*
 * Source of the etrace model: the Fuchsia traces that etrace_fxt_out.c writes,
 * so that the same events come out as went in.  Documentation/fxt-mapping.md.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/errname.h"
#include "base/signame.h"
#include "build/etrace_formats.h"
#include "mapping/etrace_fxt.h"
#include "fxt/fxt_in.h"
#include "fxt/fxt_plain.h"
#include "fxt/fxt_read.h"
#include "base/map64.h"
#include "base/shquote.h"
#include "lines/event_lines.h"
#include "base/utf8.h"
#include "base/xalloc.h"

static const struct diag_kind broken_file = {
	"broken places in the FXT file", DIAG_DAMAGE };
static const struct diag_kind unknown_parts = {
	"parts of the FXT file unknown to the format document", DIAG_NOTE };
static const struct diag_kind broken_events = {
	"events that cannot be made again from their records", DIAG_DAMAGE };
static const struct diag_kind nameless_tasks = {
	"events of threads without a record of their upid", DIAG_DAMAGE };
static const struct diag_kind incomplete = {
	"events with something missing or damaged", DIAG_DAMAGE };
static const struct diag_kind lost_events = {
	"events lost by the tracer", DIAG_DAMAGE };
static const struct diag_kind lost_unknown = {
	"losses of an unknown number of events", DIAG_DAMAGE };
static const struct diag_kind was_incomplete = {
	"traces incomplete when written", DIAG_DAMAGE };
/* A file without a verdict, by who writes it. */
static const struct diag_kind no_verdict[IN_WRITERS] = {
	[IN_WRITER_NONE] = { "FXT files ending early: cut off", DIAG_DAMAGE },
	[IN_WRITER_ANY] = { "recordings still running: this is the beginning", DIAG_DAMAGE },
	[IN_WRITER_UNKNOWN] = { "FXT files ending early: cut off, or still being written",
				DIAG_DAMAGE },
};
static const char *const no_verdict_text[IN_WRITERS] = {
	[IN_WRITER_NONE] = "the file ends early: it was cut off",
	[IN_WRITER_ANY] = "the recording has not ended: the file is still being written",
	[IN_WRITER_UNKNOWN] = "the file ends early: it was cut off, or is still being written",
};

/*
 * The words that names are compared with once, by their tag: categories, names
 * of events and of arguments.  A word may be several of these.
 */
struct word {
	const char *s;
	size_t len;
	enum et_kind kind;	/* event of that name, or ET_K_NONE */
	uint8_t marking;	/* 1 + enum et_marking */
};

enum {
	SLOT_STRING = 0x10, SLOT_ARGV = 0x20,
	/* of all events of the schema; each is in it but once */
	MAX_WORDS = 512,
};

/* Those that are no names of the schema; W_NONE: of no meaning. */
enum {
	W_NONE, W_CPU, W_FAILED, W_ERROR, W_LINES, W_STAMPS, W_LATE, W_UPID, W_COUNT,
	W_UNFINISHED, W_VIEW, W_VERSION, W_COMPLETE, W_META, W_MORE, W_HEAD, W_VERDICT,
	/* a line outside the format: a name that begins with a capital letter */
	W_EXTRA,
	W_SCHEMA
};

static const char *const fixed_words[W_SCHEMA] = {
	[W_NONE] = "", [W_CPU] = ETRACE_FXT_CPU, [W_FAILED] = ETRACE_FXT_FAILED,
	[W_ERROR] = ETRACE_FXT_ERROR, [W_LINES] = ETRACE_FXT_LINES,
	[W_STAMPS] = ETRACE_FXT_STAMPS, [W_LATE] = ETRACE_FXT_LATE,
	[W_UPID] = ETRACE_FXT_UPID, [W_COUNT] = ETRACE_FXT_COUNT,
	[W_UNFINISHED] = "unfinished", [W_VIEW] = ETRACE_FXT_VIEW, [W_VERSION] = "version", [W_COMPLETE] = "complete",
	[W_META] = ETRACE_FXT_CAT_META, [W_MORE] = ETRACE_FXT_MORE,
	[W_HEAD] = ETRACE_FXT_HEAD, [W_VERDICT] = ETRACE_FXT_VERDICT, [W_EXTRA] = "",
};

/* A string's tag: the word, and what stands behind it. */
#define TAG_WORD	0x0ffffu
#define TAG_HEX		0x10000u	/* "name_hex" */
#define TAG_ON		0x20000u	/* "name+1", "name_hex+1": goes on */
#define TAG_KNOWN	FXT_TAG_NAME	/* so that W_NONE is no tag of 0 */
#define TAG_TOLD	0x80000u	/* of a path: f->told has its values */
#define TAG_ERROR_SHIFT	20		/* the rest, of an error's name: its number */

/*
 * What the arguments of a record are.  Nearly all records that begin alike have the same
 * arguments in the same order: what each of them is, is found out once.
 */
enum { ARG_I32, ARG_U32, ARG_I64, ARG_U64, ARG_STRING, ARG_WORD32, ARG_WORD64, ARG_ERROR };
struct shape {
	uint64_t key;		/* header without the thread; 0: none */
	uint64_t names;		/* fxt_names() that it holds for */
	uint32_t last;		/* tag of the last argument */
	uint32_t has;		/* fixed words, a bit each */
	uint16_t given;		/* values */
	uint16_t must;		/* values that a whole event needs, the steady ones as well */
	uint8_t strings;
	uint8_t kind, nargs;
	bool whole;		/* all else that it needs is there, and nothing else */
	struct shape_arg {
		uint32_t header;	/* lower half */
		uint8_t what, slot;
		uint16_t bytes;
	} arg[FXT_MAX_ARGS];
};
#define SHAPE_KEY	(~0xff000000ull)
/* Records that begin alike may have other arguments: so many shapes of one key are kept. */
#define SHAPE_WAYS	4u
#define SHAPE_SET_BITS	6
struct shape_set {
	struct shape way[SHAPE_WAYS];
	unsigned int next;	/* which is given up */
};

struct fxt_in {
	struct source source;
	struct in *in;
	struct diag *diag;
	struct sink *sink;
	struct fxt_reader *r;
	int err;
	bool ours, verdict;
	struct map64 upids, cpus;	/* of the live threads, by their koids */
	/* where they are of a thread, until a table changes; no upid, no cpu: NULL */
	struct known {
		bool valid;
		uint64_t koid;
		uint64_t *upid, *cpu;
	} known;
	struct etrace_fxt_told *told;	/* by the references of the paths */
	struct fxt_sref path;	/* string 0 of the record at hand; ref 0: none that is told of */
	struct word words[MAX_WORDS];
	/* what each is in a kind: 1 + number of the value; STRING + that of the string */
	uint8_t slot[ET_K_COUNT][MAX_WORDS];
	unsigned int nwords;
	unsigned int category[ET_K_COUNT];	/* the words of the kinds' categories */
	/* the event at hand, until it is known that no more arguments follow */
	bool pending;
	uint64_t koid, offset;
	struct et_event ev;
	uint32_t has;		/* of the fixed words, a bit each */
	uint64_t number[W_SCHEMA];	/* of those that are numbers */
	struct buf argv, lines, stamps;
	struct buf word;	/* of @argv, the one at hand */
	/* the argument that the next one may go on with */
	uint32_t last;		/* its tag */
	size_t hex;		/* of hex digits: where they begin in the bytes + 1 */
	bool broken;
	bool whole;		/* nothing but what take_shape() took, which is all that it needs */
	size_t taken;		/* bytes of arguments */
	struct shape_set shapes[1u << SHAPE_SET_BITS];
};

/* ---- words ---- */

static unsigned int find_word(const struct fxt_in *f, const char *s, size_t len)
{
	for (unsigned int i = W_NONE + 1; len && i < f->nwords; i++)
		if (f->words[i].len == len && !memcmp(f->words[i].s, s, len))
			return i;
	return W_NONE;
}

/* A word's number; it gets one if it is new. */
static unsigned int get_word(struct fxt_in *f, const char *s)
{
	size_t len = strlen(s);
	unsigned int i = find_word(f, s, len);

	if (i == W_NONE) {
		i = f->nwords++;
		f->words[i].s = s;
		f->words[i].len = len;
	}
	return i;
}

static void make_words(struct fxt_in *f)
{
	for (f->nwords = 0; f->nwords < W_SCHEMA; f->nwords++) {
		f->words[f->nwords].s = fixed_words[f->nwords];
		f->words[f->nwords].len = strlen(fixed_words[f->nwords]);
	}
	for (unsigned int k = ET_K_NONE + 1; k < ET_K_COUNT; k++) {
		const struct et_kind_row *kind = &et_kinds[k];

		f->words[get_word(f, kind->name)].kind = k;
		f->category[k] = get_word(f, kind->category);
		for (unsigned int i = 0; i < kind->nvalues; i++)
			f->slot[k][get_word(f, kind->values[i].name)] = (uint8_t)(1 + i);
		for (unsigned int i = 0; i < kind->nstrings; i++)
			f->slot[k][get_word(f, kind->strings[i].name)] = (uint8_t)(SLOT_STRING + i);
		if (et_args_name[k])
			f->slot[k][get_word(f, et_args_name[k])] = SLOT_ARGV;
	}
	for (unsigned int m = 0; m < ET_NR_MARKINGS; m++)
		f->words[get_word(f, et_marking_names[m])].marking = (uint8_t)(1 + m);
}

static uint32_t find_tag(struct fxt_in *f, struct fxt_sref *s)
{
	uint32_t tag = TAG_KNOWN | (s->tag & TAG_TOLD);
	const char *plus;
	size_t len = s->len;

	plus = memchr(s->s, '+', len);
	if (plus) {
		tag |= TAG_ON;
		len = (size_t)(plus - s->s);
	}
	if (len > 4 && !memcmp(s->s + len - 4, ETRACE_FXT_HEX, 4)) {
		tag |= TAG_HEX;
		len -= 4;
	}
	if (len && *s->s >= 'A' && *s->s <= 'Z')
		tag |= W_EXTRA;
	else
		tag |= find_word(f, s->s, len);
	fxt_tag(f->r, s, tag);
	return tag;
}

/* What a name means; looked up once for each index of the string table. */
static inline uint32_t tag_of(struct fxt_in *f, struct fxt_sref *s)
{
	return s->tag & TAG_KNOWN ? s->tag : find_tag(f, s);
}

/* ---- arguments ---- */

static bool has(const struct fxt_in *f, unsigned int w)
{
	return f->has >> w & 1;
}

static bool is_number(const struct fxt_rarg *a, uint64_t *v)
{
	switch (a->type) {
	case FXT_ARG_I32:
		*v = (uint64_t)(int64_t)a->i32;
		return true;
	case FXT_ARG_U32:
		*v = a->u32;
		return true;
	case FXT_ARG_I64:
	case FXT_ARG_U64:
		*v = a->u64;
		return true;
	default:
		return false;
	}
}

/* A number from 2^63 on: viewers would show it as a negative one. */
static bool text_number(const struct fxt_sref *s, uint64_t *v)
{
	char text[24], *end;

	if (!s->len || s->len >= sizeof(text))
		return false;
	memcpy(text, s->s, s->len);
	text[s->len] = 0;
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*v = strtoull(text, &end, 10);
	return !*end && !errno && *v > INT64_MAX;
}

static void take_value(struct fxt_in *f, unsigned int i, const struct fxt_rarg *a)
{
	const struct et_value_row *row = &et_kinds[f->ev.kind].values[i];
	uint64_t v;

	if (is_number(a, &v)) {
		et_set(&f->ev, i, (int64_t)v);
		if (a->type == FXT_ARG_U64 && v > INT64_MAX)
			f->ev.big |= (uint16_t)(1u << i);
	} else if (a->type == FXT_ARG_STRING && text_number(&a->str, &v)) {
		et_set_unsigned(&f->ev, i, v);
	} else if (a->type == FXT_ARG_STRING && row->means == ET_MEANS_SIGNAL) {
		int signal = signal_number(a->str.s, a->str.len);

		if (signal)
			et_set(&f->ev, i, signal);
	}
}

/* The bits of "from+to". */
static uint8_t marked_bits(enum et_kind kind, const char *s, size_t len)
{
	uint8_t bits = 0;

	while (len) {
		const char *plus = memchr(s, '+', len);
		size_t n = plus ? (size_t)(plus - s) : len;

		for (unsigned int i = 0; i < 8; i++) {
			const char *name = et_marked(kind, i);

			if (name && strlen(name) == n && !memcmp(name, s, n))
				bits |= (uint8_t)(1u << i);
		}
		s += n + !!plus;
		len -= n + !!plus;
	}
	return bits;
}

static void take_hex(struct fxt_in *f)
{
	struct et_event *ev = &f->ev;
	size_t at = f->hex - 1, n = ev->nbytes - at;

	f->hex = 0;
	/* in place: two digits are read before their byte is written */
	if (!utf8_unhex(ev->bytes ? ev->bytes + at : "", n, ev->bytes ? ev->bytes + at : NULL))
		f->broken = true;
	ev->nbytes = at + n / 2;
	if ((f->last & TAG_WORD) == W_EXTRA)
		ev->extras[ev->nextras - 1].len -= (uint32_t)(n - n / 2);
	else
		ev->str[ev->last].len -= (uint32_t)(n - n / 2);
}

/* The digits of a string came in one piece or several: now there are all. */
static inline void end_hex(struct fxt_in *f)
{
	if (f->hex)
		take_hex(f);
}

/* A string of the event, or its digits in place of it. */
static void take_string(struct fxt_in *f, unsigned int i, uint32_t tag, const struct fxt_sref *s)
{
	struct et_event *ev = &f->ev;

	/* only a path that is whole in its String record is told of */
	if (!i) {
		f->path.ref = 0;
		if (!(tag & (TAG_ON | TAG_HEX)) && s->ref <= FXT_MAX_STRING_INDEX)
			f->path = *s;
	}
	if (tag & TAG_ON) {
		et_add_bytes(ev, s->s, s->len);
		return;
	}
	if (tag & TAG_HEX) {
		/* the text that stands for it in viewers comes right before */
		if (ev->last == i && et_has_string(ev, i) &&
		    ev->str[i].off + (size_t)ev->str[i].len == ev->nbytes) {
			ev->nbytes = ev->str[i].off;
			ev->str[i].len = 0;
			et_add_bytes(ev, s->s, s->len);
		} else {
			et_add_string(ev, i, s->s, s->len);
		}
		f->hex = ev->str[i].off + (size_t)1;
		return;
	}
	if (!et_has_string(ev, i))
		et_add_string(ev, i, s->s, s->len);
}

/* A line outside the format: "Foreign" with what stands behind the bar. */
static void take_extra(struct fxt_in *f, const struct fxt_rarg *a, uint32_t tag)
{
	struct et_event *ev = &f->ev;
	size_t n = a->name.len;

	if (!(tag & (TAG_ON | TAG_HEX))) {
		struct buf b = { 0 };

		buf_add(&b, a->name.s, n);
		buf_addc(&b, '|');
		buf_add(&b, a->str.s, a->str.len);
		et_add_extra(ev, false, b.s, b.len);
		buf_free(&b);
		return;
	}
	if (!ev->nextras)
		return;
	if (!(tag & TAG_ON)) {
		struct et_extra *x = &ev->extras[ev->nextras - 1];

		/* the digits in place of the text, behind the bar */
		n = n - strlen(ETRACE_FXT_HEX) + 1;
		if (n > x->len || x->off + (size_t)x->len != ev->nbytes)
			return;
		ev->nbytes = x->off + n;
		x->len = (uint32_t)n;
		f->hex = ev->nbytes + 1;
	}
	et_extend_extra(ev, a->str.s, a->str.len);
}

static void take_text(struct buf *b, uint32_t tag, const struct fxt_sref *s)
{
	/* digits, where they come, are taken in place of the text */
	if (!(tag & TAG_ON) && (tag & TAG_HEX || !b->len))
		b->len = 0;
	buf_add(b, s->s, s->len);
}

static void take_word(struct fxt_in *f, unsigned int w, const struct fxt_rarg *a, uint32_t tag)
{
	bool text = a->type == FXT_ARG_STRING;
	uint64_t v;

	if (text && w == W_LINES)
		take_text(&f->lines, tag, &a->str);
	else if (text && w == W_STAMPS)
		take_text(&f->stamps, tag, &a->str);
	else if (text && w == W_ERROR)
		f->ev.error = error_number(a->str.s, a->str.len);
	if (text) {
		if (w == W_LINES && tag & TAG_HEX)
			f->has |= 1u << W_EXTRA;	/* its digits */
		f->has |= 1u << w;
		return;
	}
	if (f->has >> w & 1 || !is_number(a, &v))
		return;
	f->has |= 1u << w;
	f->number[w] = v;
	if (w == W_ERROR && v && v <= INT32_MAX)
		f->ev.error = (int32_t)v;
}

static void take_arg(struct fxt_in *f, struct fxt_rarg *a)
{
	uint32_t tag = tag_of(f, &a->name);
	unsigned int w = tag & TAG_WORD;
	const struct word *word = &f->words[w];
	unsigned int slot = f->slot[f->ev.kind][w];
	bool text = a->type == FXT_ARG_STRING;

	/* "path+1" goes on with "path", "path_hex+1" with "path_hex": right behind */
	if (tag & TAG_ON && (!text || ((tag ^ f->last) & (TAG_WORD | TAG_HEX))))
		return;
	if (!(tag & TAG_ON))
		end_hex(f);
	f->last = tag;
	if (w == W_EXTRA && text)
		take_extra(f, a, tag);
	else if (slot == SLOT_ARGV && text)
		take_text(&f->argv, tag, &a->str);
	else if (slot >= SLOT_STRING && slot < SLOT_ARGV && text)
		take_string(f, slot - SLOT_STRING, tag, &a->str);
	else if (slot && slot < SLOT_STRING && !(tag & (TAG_HEX | TAG_ON)))
		take_value(f, slot - 1, a);
	else if (word->marking && text)
		f->ev.marks[word->marking - 1] = marked_bits(f->ev.kind, a->str.s, a->str.len);
	if (slot == SLOT_ARGV && text)
		f->ev.strings |= 1u << ET_ARGS;
	if (w && w < W_EXTRA)
		take_word(f, w, a, tag);
}

/* The number of an error's name, which is looked up once. */
static int32_t plain_error(struct fxt_string *s)
{
	if (!(s->tag >> TAG_ERROR_SHIFT))
		s->tag |= (uint32_t)error_number(s->s, s->len) << TAG_ERROR_SHIFT;
	return (int32_t)(s->tag >> TAG_ERROR_SHIFT);
}

static void take_args(struct fxt_in *f, const struct fxt_rec *rec)
{
	struct fxt_arg_iter it = { 0 };
	struct fxt_rarg a;

	while (fxt_next_arg(f->r, rec, &it, &a)) {
		f->taken += a.type == FXT_ARG_STRING ? a.str.len : 0;
		take_arg(f, &a);
	}
}

/* ---- shapes ---- */

static inline struct shape_set *shapes_of(struct fxt_in *f, uint64_t key)
{
	return &f->shapes[key * 0x9e3779b97f4a7c15ull >> (64 - SHAPE_SET_BITS)];
}

/* A bit of a set. Return: whether it was not in there. */
static bool add_once(uint32_t *set, unsigned int i)
{
	bool is_new = !(*set >> i & 1);

	*set |= 1u << i;
	return is_new;
}

/* An argument that is a fixed word. */
static bool learn_word(struct shape *s, struct shape_arg *arg, unsigned int w,
		       const struct fxt_plain *a)
{
	if (!w || w >= W_EXTRA || a->type == FXT_ARG_KOID || a->type == FXT_ARG_I32 ||
	    (a->type == FXT_ARG_STRING) != (w == W_ERROR))
		return false;
	arg->what = a->str ? ARG_ERROR : a->type == FXT_ARG_U32 ? ARG_WORD32 : ARG_WORD64;
	arg->slot = (uint8_t)w;
	return add_once(&s->has, w);
}

/* One that the schema has. */
static bool learn_schema(struct shape *s, struct shape_arg *arg, unsigned int slot,
			 const struct fxt_plain *a)
{
	static const uint8_t whats[] = {
		[FXT_ARG_I32] = ARG_I32, [FXT_ARG_U32] = ARG_U32, [FXT_ARG_I64] = ARG_I64,
		[FXT_ARG_U64] = ARG_U64, [FXT_ARG_STRING] = ARG_STRING,
	};
	uint32_t set = a->str ? s->strings : s->given;
	bool is_new;

	if (a->type == FXT_ARG_KOID || !slot || slot >= SLOT_ARGV ||
	    (slot >= SLOT_STRING) != (a->type == FXT_ARG_STRING))
		return false;
	arg->what = whats[a->type];
	arg->slot = (uint8_t)(slot - (a->str ? SLOT_STRING : 1));
	is_new = add_once(&set, arg->slot);
	if (a->str)
		s->strings = (uint8_t)set;
	else
		s->given = (uint16_t)set;
	return is_new;
}

/* Return: whether all is known that take_shape() needs. */
static bool learn_args(struct fxt_in *f, const struct fxt_rec *rec, struct shape *s)
{
	const uint8_t *p = rec->arg_raw, *end = fxt_plain_end(rec), *slots = f->slot[s->kind];
	struct fxt_plain a;

	for (; s->nargs < rec->nargs; s->nargs++, p += a.bytes) {
		struct shape_arg *arg = &s->arg[s->nargs];
		unsigned int w;

		if (!fxt_plain_arg(f->r, p, end, &a))
			return false;
		w = a.name->tag & TAG_WORD;
		if ((a.name->tag & (TAG_KNOWN | TAG_HEX | TAG_ON)) != TAG_KNOWN)
			return false;
		arg->header = (uint32_t)a.header;
		arg->bytes = (uint16_t)a.bytes;
		if (w < W_SCHEMA ? slots[w] || !learn_word(s, arg, w, &a) :
				   !learn_schema(s, arg, slots[w], &a))
			return false;
		s->last = a.name->tag;
	}
	return true;
}

/* @id: the event that was just begun, an FXT_EV_INSTANT; ET_K_NONE: of no meaning here. */
static void learn_shape(struct fxt_in *f, const struct fxt_rec *rec, enum et_kind id)
{
	const struct et_kind_row *kind = &et_kinds[id];
	struct shape_set *set = shapes_of(f, rec->header & SHAPE_KEY);
	struct shape *s = &set->way[set->next++ % SHAPE_WAYS];

	/* with names and a thread that stand in its header */
	if (rec->arg_raw != rec->raw + 16 || rec->event.category.undefined ||
	    rec->event.name.undefined || rec->event.type >= FXT_EV_COUNT)
		return;
	s->key = 0;
	s->names = fxt_names(f->r);
	s->kind = (uint8_t)id;
	s->must = kind->must;
	s->last = s->has = s->given = 0;
	s->strings = s->nargs = 0;
	if (id == ET_K_NONE || learn_args(f, rec, s))
		s->key = rec->header & SHAPE_KEY;
	s->whole = kind->begins && id != ET_K_LOST &&
		   (s->strings & kind->must_strings) == kind->must_strings &&
		   !(s->has & ~(1u << W_CPU | 1u << W_ERROR));
}

/* A string that is whole. Return: false if it is in no table. */
static inline bool take_known_string(struct fxt_in *f, const struct shape_arg *arg, uint64_t ref)
{
	struct fxt_string *s = ref >> 16 ? NULL : fxt_near_string(f->r->tables, (unsigned int)ref);

	if (!s)
		return false;
	f->taken += s->len;
	if (arg->what == ARG_ERROR) {
		f->ev.error = plain_error(s);
		return true;
	}
	if (!arg->slot) {
		f->path.ref = (uint16_t)ref;
		f->path.tag = s->tag;
	}
	bytes_copy(et_room(&f->ev, s->len), s->s, s->len);
	et_added_string(&f->ev, arg->slot, s->len);
	return true;
}

/* Return: false if it is none of the shape; what was taken is to be forgotten then. */
static inline bool take_shape(struct fxt_in *f, const struct shape *s, const uint8_t *p)
{
	const struct shape_arg *end = s->arg + s->nargs;

	for (const struct shape_arg *arg = s->arg; arg < end; p += arg++->bytes) {
		uint64_t header = fxt_word_at(p, false), v = header >> 32;

		if ((uint32_t)header != arg->header)
			return false;
		switch (arg->what) {
		case ARG_I32:
			f->ev.val[arg->slot] = (int32_t)v;
			break;
		case ARG_U32:
			f->ev.val[arg->slot] = (int64_t)v;
			break;
		case ARG_WORD32:
			f->number[arg->slot] = v;
			break;
		case ARG_STRING:
		case ARG_ERROR:
			if (!take_known_string(f, arg, v))
				return false;
			break;
		default:
			if (v)
				return false;
			v = fxt_word_at(p + 8, false);
			if (arg->what == ARG_WORD64)
				f->number[arg->slot] = v;
			else
				f->ev.val[arg->slot] = (int64_t)v;
			if (arg->what == ARG_U64 && v > INT64_MAX)
				f->ev.big |= (uint16_t)(1u << arg->slot);
		}
	}
	f->ev.given = s->given;
	f->has = s->has;
	f->last = s->last;
	return true;
}

/* Values that were told with the same path before, or are told now. */
static void take_steady(struct fxt_in *f)
{
	unsigned int ref = f->path.ref;
	struct et_event *ev = &f->ev;

	if (!ref || !etrace_fxt_steady[ev->kind])
		return;
	if (etrace_fxt_tells(ev)) {
		etrace_fxt_tell(&f->told[ref], ev);
		if (!(f->path.tag & TAG_TOLD))
			fxt_tag(f->r, &f->path, f->path.tag | TAG_TOLD);
	} else if (f->path.tag & TAG_TOLD && !(ev->given & etrace_fxt_steady[ev->kind])) {
		etrace_fxt_take(&f->told[ref], ev);
	}
}

/* Nothing is known of an event yet, or of what is none. */
static inline void forget_args(struct fxt_in *f, enum et_kind kind, uint64_t time)
{
	et_reset(&f->ev, kind, 0, 0, time);
	f->has = 0;
	f->argv.len = f->lines.len = f->stamps.len = 0;
	f->last = 0;
	f->hex = 0;
	f->broken = f->whole = false;
	f->taken = 0;
	f->path.ref = 0;
}

/* ---- threads ---- */

static void forget_task(struct fxt_in *f)
{
	map64_remove(&f->upids, f->koid);
	map64_remove(&f->cpus, f->koid);
	f->known.valid = false;
}

/* What is known of the event's thread: most often that of the event before. */
static inline struct known *known_of(struct fxt_in *f)
{
	struct known *k = &f->known;

	if (!k->valid || k->koid != f->koid)
		*k = (struct known){
			true, f->koid, map64_get(&f->upids, f->koid), map64_get(&f->cpus, f->koid)
		};
	return k;
}

/* A task is where it was, @cpu, if nothing else is told. */
static bool know_cpu(struct fxt_in *f, uint64_t *cpu)
{
	if (has(f, W_CPU)) {
		if (cpu) {
			*cpu = f->number[W_CPU];
			return true;
		}
		map64_put(&f->cpus, f->koid, f->number[W_CPU]);
		f->known.valid = false;
	} else if (cpu) {
		f->number[W_CPU] = *cpu;
	}
	return has(f, W_CPU) || cpu;
}

/* ---- an event from its arguments ---- */

static bool add_argv(struct fxt_in *f)
{
	const char *s = f->argv.s;
	size_t len = f->argv.len;

	while (sh_unquote(&s, &len, &f->word))
		et_add_arg(&f->ev, f->word.s, f->word.len);
	return !len;
}

/* "item,byte,cpu,ns;..." */
static bool add_stamps(struct et_event *ev, const struct buf *text)
{
	const char *s = text->s, *end = text->s + text->len;

	while (s < end) {
		uint64_t v[4];

		for (unsigned int i = 0; i < 4; i++) {
			v[i] = 0;
			while (s < end && *s >= '0' && *s <= '9') {
				if (v[i] > UINT64_MAX / 10 - 1)
					return false;
				v[i] = v[i] * 10 + (uint64_t)(*s++ - '0');
			}
			if (s == end || *s++ != (i < 3 ? ',' : ';'))
				return false;
		}
		if (v[0] >= et_count_lines(ev) || v[1] > UINT32_MAX || v[2] > UINT32_MAX ||
		    v[3] > INT64_MAX)
			return false;
		*et_add_mark(ev) = (struct et_mark){
			ET_M_STAMP, (uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2], v[3], 0
		};
	}
	return true;
}

static bool read_raw(struct fxt_in *f)
{
	if (has(f, W_EXTRA)) {
		if (!utf8_unhex(f->lines.s ? f->lines.s : "", f->lines.len, f->lines.s))
			return false;
		f->lines.len /= 2;
	}
	return et_read_lines(&f->ev, f->lines.s, f->lines.len);
}

/* Of one that may not be whole. Return: whether there is anything of it. */
static bool check_event(struct et_event *ev)
{
	if (et_lacks_begin(ev))
		ev->flags |= ET_F_NO_BEGIN;
	/* a line that is always there is one */
	if ((!et_kinds[ev->kind].begins || ev->flags & ET_F_NO_BEGIN) && !et_count_lines(ev))
		return false;
	et_check(ev);
	return true;
}

static bool make_event(struct fxt_in *f)
{
	bool good = !f->broken;

	if (f->number[W_CPU] > UINT32_MAX)
		return false;
	f->ev.cpu = (uint32_t)f->number[W_CPU];
	if (f->whole)
		return true;
	if (has(f, W_LINES)) {
		good = good && read_raw(f);
	} else {
		if (has(f, W_FAILED))
			f->ev.flags |= ET_F_FAILED;
		good = good && (!f->argv.len || add_argv(f));
		if (f->ev.nextras)
			et_absorb_extras(&f->ev);
		good = good && (!f->stamps.len || add_stamps(&f->ev, &f->stamps));
		good = good && (et_is_whole(&f->ev) || check_event(&f->ev));
	}
	if (has(f, W_LATE))
		f->ev.flags |= ET_F_LATE;
	return good;
}

static bool make_lost(struct fxt_in *f)
{
	uint64_t cpu = f->number[W_CPU];

	if (cpu > UINT32_MAX)
		return false;
	f->ev.cpu = (uint32_t)cpu;
	if (et_has(&f->ev, ET_V_LOST_count)) {
		uint64_t n = (uint64_t)f->ev.val[ET_V_LOST_count];

		diag_report(f->diag, &lost_events, in_name(f->in), DIAG_OFFSET, f->offset,
			    "%" PRIu64 " events lost on processor %" PRIu64, n, cpu);
		if (n)
			diag_count(f->diag, &lost_events, n - 1);
	} else {
		diag_report(f->diag, &lost_unknown, in_name(f->in), DIAG_OFFSET, f->offset,
			    "events lost on processor %" PRIu64, cpu);
	}
	return true;
}

static __attribute__((noinline)) void report_nameless(struct fxt_in *f)
{
	diag_report(f->diag, &nameless_tasks, in_name(f->in), DIAG_OFFSET, f->offset,
		    "%s of a thread without a record of its upid", et_kinds[f->ev.kind].name);
}

static __attribute__((noinline)) void report_broken(struct fxt_in *f, unsigned int kind)
{
	diag_report(f->diag, &broken_events, in_name(f->in), DIAG_OFFSET, f->offset,
		    "%s cannot be made again from its records", et_kinds[kind].name);
}

static __attribute__((noinline)) void report_incomplete(struct fxt_in *f)
{
	char text[160];

	et_finding_text(&f->ev.findings[0], text, sizeof(text));
	diag_report(f->diag, &incomplete, in_name(f->in), DIAG_OFFSET, f->offset,
		    "%s of task %" PRIu64 ": %s", et_kinds[f->ev.kind].name, f->ev.upid, text);
}

/* Return: false if it cannot be made again. */
static bool complete_event(struct fxt_in *f)
{
	return f->ev.kind == ET_K_LOST ? make_lost(f) : make_event(f);
}

/* Make the event and hand it on. */
static void finish_event(struct fxt_in *f)
{
	unsigned int kind = f->ev.kind;
	const struct known *known;
	bool good;

	f->pending = false;
	end_hex(f);
	known = known_of(f);
	f->ev.upid = known->upid && kind != ET_K_LOST ? *known->upid : 0;
	good = know_cpu(f, known->cpu);
	if (!known->upid && kind != ET_K_LOST && !has(f, W_LINES)) {
		report_nameless(f);
		return;
	}
	if (!good || !complete_event(f)) {
		report_broken(f, kind);
		return;
	}
	f->ev.place = f->offset;
	if (f->ev.nfindings)
		report_incomplete(f);
	f->err = sink_item(f->sink, &f->ev);
	if (f->ev.kind == ET_K_EXIT)
		forget_task(f);
}

/* No more arguments follow. */
static inline void finish(struct fxt_in *f)
{
	if (f->pending)
		finish_event(f);
}

/* ---- records ---- */

static void begin_event(struct fxt_in *f, const struct fxt_rec *rec, enum et_kind kind)
{
	forget_args(f, kind, rec->event.time);
	f->pending = true;
	f->koid = rec->event.thread.thread;
	f->offset = rec->offset;
	take_args(f, rec);
	take_steady(f);
}

/* @e: the next record. Return: whether it is of a shape; then it was taken. */
static inline bool is_shaped(struct fxt_in *f, const struct shape *s,
			     const struct fxt_plain_event *e)
{
	if (s->key != (e->header & SHAPE_KEY) || s->names != fxt_names(f->r))
		return false;
	finish(f);
	if (s->kind == ET_K_NONE)
		return true;
	forget_args(f, s->kind, e->time);
	if (!take_shape(f, s, e->args))
		return false;
	f->pending = true;
	f->koid = e->koid;
	f->offset = e->offset;
	take_steady(f);
	f->whole = s->whole && (f->ev.given & s->must) == s->must;
	return true;
}

/* The next record, if one like it was seen before. Return: whether it is that. */
static bool take_alike(struct fxt_in *f)
{
	const struct shape_set *set;
	struct fxt_plain_event e;

	if (!fxt_plain_event(f->r, &e))
		return false;
	set = shapes_of(f, e.header & SHAPE_KEY);
	for (unsigned int i = 0; i < SHAPE_WAYS; i++)
		if (is_shaped(f, &set->way[i], &e)) {
			fxt_plain_taken(f->r, &e);
			return true;
		}
	return false;
}

/* Records about the trace as a whole. */
static void take_meta(struct fxt_in *f, const struct fxt_rec *rec, unsigned int name)
{
	forget_args(f, ET_K_NONE, 0);
	take_args(f, rec);
	if (name == W_HEAD) {
		if (has(f, W_VERSION) && f->number[W_VERSION] <= ETRACE_FXT_VERSION)
			return;
		if (has(f, W_VIEW))
			diag_fatal(f->diag, "%s: is a view, without all that was recorded; give the file that it was made from (its records: --from fxt-records)",
				   in_name(f->in));
		else
			diag_fatal(f->diag, "%s: was written by a newer etrace than this %s",
				   in_name(f->in), ETRACE_VERSION);
		f->err = -1;
	} else if (name == W_VERDICT) {
		f->verdict = true;
		if (!has(f, W_COMPLETE) || !f->number[W_COMPLETE])
			diag_report(f->diag, &was_incomplete, in_name(f->in), DIAG_OFFSET,
				    rec->offset, "the trace was incomplete when it was written");
	}
}

static void take_event(struct fxt_in *f, struct fxt_rec *rec)
{
	unsigned int category = tag_of(f, &rec->event.category) & TAG_WORD;
	unsigned int name = tag_of(f, &rec->event.name) & TAG_WORD;
	enum et_kind kind = f->words[name].kind;

	if (rec->event.type == FXT_EV_INSTANT && category == W_META && name == W_MORE) {
		/* no event has so many bytes: somebody else's file */
		f->whole = false;
		if (f->pending && f->taken < 4 * (size_t)ET_MAX_BYTES)
			take_args(f, rec);
		return;
	}
	finish(f);
	switch (rec->event.type) {
	case FXT_EV_INSTANT:
	case FXT_EV_DURATION_COMPLETE:
		if (kind != ET_K_NONE && category == f->category[kind]) {
			begin_event(f, rec, kind);
			if (!rec->event.has_value)
				learn_shape(f, rec, kind);
		} else if (category == W_META) {
			take_meta(f, rec, name);
		} else {
			learn_shape(f, rec, ET_K_NONE);
		}
		break;
	case FXT_EV_DURATION_BEGIN:
		if (category == f->category[ET_K_EXEC])
			begin_event(f, rec, ET_K_EXEC);
		else
			learn_shape(f, rec, ET_K_NONE);
		break;
	case FXT_EV_DURATION_END:
		/* an exit; other ends have no processor */
		begin_event(f, rec, ET_K_EXIT);
		f->pending = has(f, W_CPU);
		if (has(f, W_UNFINISHED))
			forget_task(f);
		break;
	default:
		learn_shape(f, rec, ET_K_NONE);
		break;
	}
}

static void take_object(struct fxt_in *f, const struct fxt_rec *rec)
{
	if (rec->kobj.type != FXT_KOBJ_THREAD)
		return;
	finish(f);
	forget_args(f, ET_K_NONE, 0);
	take_args(f, rec);
	if (has(f, W_UPID) && f->number[W_UPID] <= INT64_MAX) {
		map64_put(&f->upids, rec->kobj.koid, f->number[W_UPID]);
		f->known.valid = false;
	}
}

static bool is(const struct fxt_sref *s, const char *text)
{
	return s->len == strlen(text) && !memcmp(s->s, text, s->len);
}

static void on_problem(void *ctx, enum fxt_problem p, uint64_t offset)
{
	struct fxt_in *f = ctx;

	diag_report(f->diag, fxt_problem_is_damage(p) ? &broken_file : &unknown_parts,
		    in_name(f->in), DIAG_OFFSET, offset, "%s", fxt_problem_text(p));
}

/* Where etrace begins to speak in a file. */
static bool is_ours(const struct fxt_rec *rec)
{
	return rec->valid && rec->type == FXT_REC_METADATA &&
	       rec->meta.type == FXT_META_PROVIDER_INFO &&
	       is(&rec->meta.name, ETRACE_FXT_PROVIDER);
}

static void report_early_end(struct fxt_in *f)
{
	enum in_writer writer = in_writer(in_fd(f->in));

	diag_report(f->diag, &no_verdict[writer], in_name(f->in), DIAG_NOWHERE, 0, "%s",
		    no_verdict_text[writer]);
}

/* Any record, or the end. */
static __attribute__((noinline)) int take_record(struct fxt_in *f)
{
	struct fxt_rec rec;

	if (!f->r)
		f->r = fxt_reader_new(f->in, on_problem, f);
	if (!f->err && fxt_next(f->r, &rec) > 0) {
		f->ours |= is_ours(&rec);
		if (rec.valid && f->ours && rec.type == FXT_REC_EVENT)
			take_event(f, &rec);
		else if (rec.valid && f->ours && rec.type == FXT_REC_KERNEL_OBJECT)
			take_object(f, &rec);
		return 1;
	}
	finish(f);
	if (!f->ours)
		diag_fatal(f->diag, "%s: this FXT file was not written by etrace; it can be shown with --to json",
			   in_name(f->in));
	else if (!f->verdict && !f->err)
		report_early_end(f);
	/* -1: told already */
	return f->err == -1 ? 0 : f->err;
}

/* One record. */
static int fxt_in_step(struct source *s, struct sink *sink)
{
	struct fxt_in *f = (struct fxt_in *)s;

	f->sink = sink;
	/* a recorder makes what it wrote readable between events */
	if (f->pending && in_drained(f->in))
		finish(f);
	return f->ours && !f->err && take_alike(f) ? 1 : take_record(f);
}

static void fxt_in_free(struct source *s)
{
	struct fxt_in *f = (struct fxt_in *)s;

	fxt_reader_free(f->r);
	map64_clear(&f->upids);
	map64_clear(&f->cpus);
	free(f->told);
	buf_free(&f->argv);
	buf_free(&f->lines);
	buf_free(&f->stamps);
	buf_free(&f->word);
	et_fini(&f->ev);
	free(f);
}

struct source *etrace_fxt_in_open(const struct source_args *args)
{
	static const struct source_ops ops = { fxt_in_step, fxt_in_free };
	struct fxt_in *f;

	if (args->nin != 1) {
		diag_fatal(args->diag, "an FXT file is a whole trace: give one at a time");
		return NULL;
	}
	f = xcalloc(1, sizeof(*f));
	f->source.ops = &ops;
	f->in = args->in[0];
	f->diag = args->diag;
	f->told = xcalloc(FXT_MAX_STRING_INDEX + 1, sizeof(*f->told));
	et_init(&f->ev);
	make_words(f);
	return &f->source;
}

/* Any file of FXT could be meant; it is ours if our provider begins it. */
int etrace_fxt_in_detect(const uint8_t *data, size_t n)
{
	bool magic = fxt_in_detect(data, n) != DETECT_NO;
	int score = DETECT_NO;
	struct fxt_reader *r;
	struct fxt_rec rec;
	struct in *in;

	in = in_mem(data, n, "");
	r = fxt_reader_new(in, NULL, NULL);
	while (score == DETECT_NO && fxt_next(r, &rec) > 0)
		if (is_ours(&rec))
			score = magic ? DETECT_SURE : DETECT_LIKELY;
	fxt_reader_free(r);
	in_close(in);
	return score;
}
