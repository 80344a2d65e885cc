// SPDX-License-Identifier: LGPL-2.1
/* Reads arguments in the Fuchsia traces of etrace.  See etrace_fxt_in.h. */
#include "format/fxt_events/etrace_fxt_in.h"
#include "base/errname.h"
#include "base/signame.h"
#include "base/utf8.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const fixed_words[W_SCHEMA] = {
	[W_NONE] = "", [W_CPU] = ETRACE_FXT_CPU, [W_FAILED] = ETRACE_FXT_FAILED,
	[W_ERROR] = ETRACE_FXT_ERROR, [W_LINES] = ETRACE_FXT_LINES,
	[W_STAMPS] = ETRACE_FXT_STAMPS, [W_LATE] = ETRACE_FXT_LATE,
	[W_UPID] = ETRACE_FXT_UPID, [W_COUNT] = ETRACE_FXT_COUNT,
	[W_UNFINISHED] = "unfinished", [W_VIEW] = ETRACE_FXT_VIEW, [W_VERSION] = "version",
	[W_COMPLETE] = "complete",
	[W_META] = ETRACE_FXT_CAT_META, [W_MORE] = ETRACE_FXT_MORE,
	[W_HEAD] = ETRACE_FXT_HEAD, [W_VERDICT] = ETRACE_FXT_VERDICT, [W_EXTRA] = "",
};

/* ---- words ---- */

static unsigned int find_word(const struct fxt_in *f, const char *s, size_t len)
{
	for (unsigned int i = W_NONE + 1; len && i < f->nwords; i++)
		if (f->words[i].len == len && !memcmp(f->words[i].s, s, len))
			return i;
	return W_NONE;
}

/* The number of a word; adds new words. */
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

void fxt_in_make_words(struct fxt_in *f)
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

uint32_t fxt_in_find_tag(struct fxt_in *f, struct fxt_sref *s)
{
	uint32_t tag = TAG_KNOWN | (s->tag & TAG_VALUES);
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

/* ---- arguments ---- */

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

/* Reads a number >= 2^63, written as text because viewers would show it as negative. */
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

/* The bits of the strings named in "from+to". */
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

void fxt_in_take_hex(struct fxt_in *f)
{
	struct et_event *ev = &f->ev;
	size_t at = f->hex - 1, n = ev->nbytes - at;

	f->hex = 0;
	/* works in place: each byte is written after its two digits are read */
	if (!utf8_unhex(ev->bytes ? ev->bytes + at : "", n, ev->bytes ? ev->bytes + at : NULL))
		f->broken = true;
	ev->nbytes = at + n / 2;
	if ((f->last & TAG_WORD) == W_EXTRA)
		ev->extras[ev->nextras - 1].len -= (uint32_t)(n - n / 2);
	else
		ev->str[ev->last].len -= (uint32_t)(n - n / 2);
}

/* Reads a string of the event, or the hex digits that replace it. */
static void take_string(struct fxt_in *f, unsigned int i, uint32_t tag, const struct fxt_sref *s)
{
	struct et_event *ev = &f->ev;

	/* steady values are kept only for paths that fit into one String record */
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
		/* replaces the text for viewers, which precedes the digits */
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

/* Reads a line outside the format: the argument "Foreign" contains the text after its '|'. */
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

		/* the digits replace the text after the '|' */
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
	/* hex digits replace the text */
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
			f->has |= 1u << W_EXTRA;	/* read_raw() must decode the digits */
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

	/* "path+1" continues "path", "path_hex+1" "path_hex", if it comes right after */
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

int32_t fxt_in_error(struct fxt_string *s)
{
	if (!(s->tag >> TAG_ERROR_SHIFT))
		s->tag |= (uint32_t)error_number(s->s, s->len) << TAG_ERROR_SHIFT;
	return (int32_t)(s->tag >> TAG_ERROR_SHIFT);
}

void fxt_in_take_args(struct fxt_in *f, const struct fxt_rec *rec)
{
	struct fxt_arg_iter it = { 0 };
	struct fxt_rarg a;

	while (fxt_next_arg(f->r, rec, &it, &a)) {
		f->taken += a.type == FXT_ARG_STRING ? a.str.len : 0;
		take_arg(f, &a);
	}
}
/* ---- shapes ---- */

/* Sets bit @i of a set. Return: whether it was not set before. */
static bool add_once(uint32_t *set, unsigned int i)
{
	bool is_new = !(*set >> i & 1);

	*set |= 1u << i;
	return is_new;
}

/* Learns an argument that is a fixed word. Return: false if shapes do not support it. */
static bool learn_word(struct fxt_in *f, struct shape *s, struct shape_arg *arg, unsigned int w,
		       const struct fxt_plain *a)
{
	if (!w || w >= W_EXTRA || a->type == FXT_ARG_KOID || a->type == FXT_ARG_I32 ||
	    (a->type == FXT_ARG_STRING) != (w == W_ERROR))
		return false;
	arg->what = a->str ? ARG_ERROR : a->type == FXT_ARG_U32 ? ARG_U32 : ARG_64;
	arg->to = (int64_t *)&f->number[w];
	return add_once(&s->has, w);
}

/* Learns an argument of the schema. Return: false if shapes do not support it. */
static bool learn_schema(struct fxt_in *f, struct shape *s, struct shape_arg *arg,
			 unsigned int slot, const struct fxt_plain *a)
{
	static const uint8_t whats[] = {
		[FXT_ARG_I32] = ARG_I32, [FXT_ARG_U32] = ARG_U32, [FXT_ARG_I64] = ARG_64,
		[FXT_ARG_U64] = ARG_BIG, [FXT_ARG_STRING] = ARG_STRING,
	};
	uint32_t set = a->str ? s->strings : s->given;
	bool is_new;

	if (a->type == FXT_ARG_KOID || !slot || slot >= SLOT_ARGV ||
	    (slot >= SLOT_STRING) != (a->type == FXT_ARG_STRING))
		return false;
	arg->what = whats[a->type];
	arg->slot = (uint8_t)(slot - (a->str ? SLOT_STRING : 1));
	is_new = add_once(&set, arg->slot);
	if (a->str) {
		s->strings = (uint8_t)set;
	} else {
		s->given = (uint16_t)set;
		arg->to = &f->ev.val[arg->slot];
	}
	return is_new;
}

/* Learns all arguments. Return: false if take_shape() cannot read such records. */
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
		if (w < W_SCHEMA ? slots[w] || !learn_word(f, s, arg, w, &a) :
				   !learn_schema(f, s, arg, slots[w], &a))
			return false;
		s->last = a.name->tag;
	}
	return true;
}

void fxt_in_learn(struct fxt_in *f, const struct fxt_rec *rec, enum et_kind id)
{
	const struct et_kind_row *kind = &et_kinds[id];
	struct shape_set *set = shapes_of(f, rec->header & SHAPE_KEY);
	struct shape *s = &set->way[set->next++ % SHAPE_WAYS];

	/* only records whose header gives names and thread as indices */
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
