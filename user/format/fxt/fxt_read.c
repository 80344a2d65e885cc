// SPDX-License-Identifier: LGPL-2.1
/* The FXT decoder: finds the records. See fxt_read.h. */
#include "format/fxt/fxt_decode.h"
#include "base/xalloc.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *text;
	bool damage;
} problems[FXT_PROBLEM_COUNT] = {
	[FXT_BAD_MAGIC]		= { "no magic number of FXT at the beginning", true },
	[FXT_ZERO_SIZE]		= { "record of size 0", true },
	[FXT_CUT]		= { "the file ends inside a record", true },
	[FXT_BAD_RECORD]	= { "record whose parts do not fit its size", true },
	[FXT_BAD_ARG]		= { "argument that does not fit its record", true },
	[FXT_MISSING_ARGS]	= { "record with fewer arguments than announced", true },
	[FXT_UNDEFINED_STRING]	= { "reference to a string that was never registered", true },
	[FXT_UNDEFINED_THREAD]	= { "reference to a thread that was never registered", true },
	[FXT_UNKNOWN_RECORD]	= { "record of a type not in the format document", false },
	[FXT_UNKNOWN_METADATA]	= { "metadata of a type not in the format document", false },
	[FXT_UNKNOWN_EVENT]	= { "event of a type not in the format document", false },
	[FXT_UNKNOWN_ARG]	= { "argument of a type not in the format document", false },
	[FXT_UNKNOWN_KIND]	= { "record of a kind not in the format document", false },
	[FXT_RESERVED]		= { "reserved bits that are set: a later format may mean something by them", false },
	[FXT_READ_ERROR]	= { "the input cannot be read further", true },
};

const char *fxt_problem_text(enum fxt_problem p)
{
	return problems[p].text;
}

bool fxt_problem_is_damage(enum fxt_problem p)
{
	return problems[p].damage;
}

struct fxt_reader *fxt_reader_new(struct in *in, fxt_problem_fn fn, void *ctx)
{
	struct fxt_reader *r = xcalloc(1, sizeof(*r));

	r->in = in;
	r->fn = fn;
	r->ctx = ctx;
	r->tables = fxt_tables_new();
	return r;
}

void fxt_reader_free(struct fxt_reader *r)
{
	if (!r)
		return;
	fxt_tables_free(r->tables);
	free(r);
}

void fxt_tag(struct fxt_reader *r, struct fxt_sref *s, uint32_t tag)
{
	struct fxt_string *e = s->ref && !(s->ref & 0x8000) ? fxt_get_string(r->tables, s->ref) :
			       NULL;

	s->tag = tag;
	if (e)
		e->tag = tag;
}

/*
 * Decodes a large record, of which @have bytes are in the window at @p.
 * Return: false if the file ends before the payload.
 */
static bool decode_large(struct fxt_reader *r, struct fxt_rec *rec, const uint8_t *p,
			 size_t have)
{
	uint64_t bytes = 8ull * rec->words, payload;
	size_t head = bytes < 8ull * FXT_LARGE_HEAD_WORDS ? (size_t)bytes : 8u * FXT_LARGE_HEAD_WORDS;
	struct fxt_cursor cur = { p + 8, 0, rec->swap, false };
	bool cut = have < head;

	cur.left = (unsigned int)((cut ? have : head) / 8 - 1);
	rec->large.kind = (unsigned int)fxt_bits(rec->header, 36, 39);
	rec->large.format = (unsigned int)fxt_bits(rec->header, 40, 43);
	rec->large.category.s = rec->large.name.s = "";
	rec->large.known = rec->large.kind == FXT_LARGE_BLOB &&
			   rec->large.format <= FXT_LARGE_BLOB_PLAIN;
	rec->valid = true;
	rec->raw = p;
	r->pending = 0;
	r->data = r->rest = bytes;
	if (!rec->large.known) {
		fxt_problem(r, FXT_UNKNOWN_KIND, rec->offset);
	} else {
		payload = fxt_decode_large(r, rec, &cur);
		if (cur.bad && cut)
			return false;
		r->pending = (size_t)(cur.at - p);
		if (cur.bad || payload > bytes - r->pending) {
			fxt_problem(r, FXT_BAD_RECORD, rec->offset);
			rec->valid = rec->has_args = false;
			rec->nargs = rec->arg_words = 0;
			r->pending = 0;
		} else {
			r->data = payload;
			r->rest = bytes - r->pending;
			if (fxt_reserved(rec))
				fxt_problem(r, FXT_RESERVED, rec->offset);
		}
	}
	rec->data_bytes = r->data;
	return true;
}

/* Reports that the file ends inside the last record returned, or before the next. */
static void cut_off(struct fxt_reader *r, uint64_t offset)
{
	r->ended = true;
	r->data = r->rest = 0;
	fxt_problem(r, in_error(r->in) ? FXT_READ_ERROR : FXT_CUT, offset);
}

/* Gets more bytes of a large record, after its head; *@n is 0 at the file's end. */
static const uint8_t *more_of_large(struct fxt_reader *r, size_t *n)
{
	const uint8_t *p;

	in_skip(r->in, r->pending);
	r->pending = 0;
	p = in_peek(r->in, 1, n);
	if (*n > r->rest)
		*n = (size_t)r->rest;
	r->pending = *n;
	r->rest -= *n;
	if (!*n)
		cut_off(r, r->offset);
	return p;
}

const uint8_t *fxt_next_data(struct fxt_reader *r, size_t *n)
{
	const uint8_t *p;

	*n = 0;
	if (!r->data)
		return NULL;
	p = more_of_large(r, n);
	if (*n > r->data)
		*n = (size_t)r->data;
	r->data -= *n;
	return *n ? p : NULL;
}

/* ---- the walk ---- */

/* Size of a record in words by its header. */
static uint32_t words_of(uint64_t header)
{
	bool large = fxt_bits(header, 0, 3) == FXT_REC_LARGE;

	return (uint32_t)fxt_bits(header, 4, large ? 35 : 15);
}

/* Counts the records at the beginning, up to the first of unknown type. */
static unsigned int count_chain(const uint8_t *p, size_t n, bool swap)
{
	unsigned int count = 0;

	while (n >= 8) {
		uint64_t header = fxt_word_at(p, swap);
		uint64_t size = 8ull * words_of(header);
		unsigned int type = (unsigned int)fxt_bits(header, 0, 3);

		if (!size || size > n || (type > FXT_REC_PROFILER && type != FXT_REC_LARGE))
			break;
		p += size;
		n -= size;
		count++;
	}
	return count;
}

/* "Magic Number Record": also shows the byte order. */
static void read_magic(struct fxt_reader *r)
{
	const uint8_t *p;
	size_t have;

	p = in_peek(r->in, 8, &have);
	/* the file may still grow: wait for more than the first word only if needed */
	if (have < 8 || (fxt_word_at(p, false) != FXT_MAGIC && fxt_word_at(p, true) != FXT_MAGIC))
		p = in_peek(r->in, 4096, &have);
	r->magic = true;
	if (have >= 8 && fxt_word_at(p, false) == FXT_MAGIC) {
		r->swap = false;
	} else if (have >= 8 && fxt_word_at(p, true) == FXT_MAGIC) {
		r->swap = true;
	} else {
		r->magic = false;
		r->swap = count_chain(p, have, true) > count_chain(p, have, false);
		fxt_problem(r, FXT_BAD_MAGIC, 0);
	}
}

/*
 * Skips zero words: a header of size 0 does not say where the next record is, and many
 * zeros in a row usually mean a preallocated file.
 * Return: whether anything follows.
 */
static bool skip_zero_size(struct fxt_reader *r)
{
	const uint8_t *p;
	size_t have;

	fxt_problem(r, FXT_ZERO_SIZE, in_offset(r->in));
	for (;;) {
		in_skip(r->in, 8);
		p = in_peek(r->in, 8, &have);
		if (have < 8)
			return have > 0;
		if (words_of(fxt_word_at(p, r->swap)))
			return true;
	}
}

/* Skips the rest of the record returned last. */
static void leave_record(struct fxt_reader *r)
{
	size_t n;

	r->data = 0;
	while (r->rest)
		more_of_large(r, &n);
	in_skip(r->in, r->pending);
	r->pending = 0;
}

/* fxt_next()'s return value when nothing more can be read. */
static int the_end(const struct fxt_reader *r)
{
	return in_error(r->in) || (!r->magic && !r->any) ? -1 : 0;
}

/* Fills the members common to all records; decoding fills the others. */
static void begin_record(struct fxt_reader *r, struct fxt_rec *rec, uint64_t header)
{
	const size_t own = offsetof(struct fxt_rec, meta);

	r->offset = rec->offset = in_offset(r->in);
	rec->header = header;
	rec->type = (unsigned int)fxt_bits(header, 0, 3);
	rec->words = words_of(header);
	rec->swap = r->swap;
	rec->valid = false;
	rec->provider = r->tables->provider;
	rec->raw = NULL;
	rec->data_bytes = 0;
	rec->has_args = false;
	rec->nargs = 0;
	rec->arg_words = 0;
	rec->arg_raw = NULL;
	/* the decoders of the most frequent types set all of their members */
	if (rec->type != FXT_REC_EVENT && rec->type != FXT_REC_STRING &&
	    rec->type != FXT_REC_THREAD)
		memset((char *)rec + own, 0, sizeof(*rec) - own);
}

/*
 * Decodes the most frequent kind of record: an event without a value, completely in the
 * window at @p, in this machine's byte order, with all references looked up before.
 * Return: false if it is not, or may not be, such a record.
 */
static inline bool plain_event(struct fxt_reader *r, struct fxt_rec *rec, const uint8_t *p,
			       size_t have)
{
	const struct fxt_tables *t = r->tables;
	const struct fxt_string *category, *name;
	const struct fxt_thread *thread;
	uint64_t header;
	uint32_t words;

	if (have < 16)
		return false;
	header = fxt_word_at(p, false);
	words = (uint32_t)fxt_bits(header, 4, 15);
	if (fxt_bits(header, 0, 3) != FXT_REC_EVENT || fxt_bits(header, 16, 19) != FXT_EV_INSTANT ||
	    words < 2 || have < 8ul * words || r->swap)
		return false;
	thread = fxt_near_thread(t, (unsigned int)fxt_bits(header, 24, 31));
	category = fxt_near_string(t, (unsigned int)fxt_bits(header, 32, 47));
	name = fxt_near_string(t, (unsigned int)fxt_bits(header, 48, 63));
	if (!thread || !category || !name)
		return false;
	r->offset = rec->offset = in_offset(r->in);
	rec->header = header;
	rec->type = FXT_REC_EVENT;
	rec->words = words;
	rec->swap = false;
	rec->valid = true;
	rec->provider = t->provider;
	rec->raw = p;
	rec->data_bytes = 0;
	rec->has_args = true;
	rec->nargs = (unsigned int)fxt_bits(header, 20, 23);
	rec->arg_words = words - 2;
	rec->arg_raw = p + 16;
	rec->event.type = FXT_EV_INSTANT;
	rec->event.thread = (struct fxt_tref){
		.ref = (uint8_t)fxt_bits(header, 24, 31),
		.process = thread->process, .thread = thread->thread,
	};
	fxt_fill_string(&rec->event.category, (uint16_t)fxt_bits(header, 32, 47), category);
	fxt_fill_string(&rec->event.name, (uint16_t)fxt_bits(header, 48, 63), name);
	rec->event.time = fxt_word_at(p + 8, false);
	rec->event.value = 0;
	rec->event.has_value = false;
	r->pending = 8ul * words;
	r->any = r->plain = true;
	return true;
}

int fxt_next(struct fxt_reader *r, struct fxt_rec *rec)
{
	const uint8_t *p;
	uint64_t want = 8, header = 0;
	size_t have;

	if (!r->begun)
		read_magic(r);
	r->begun = true;
	r->plain = false;
	leave_record(r);
	if (r->ended)
		return the_end(r);

	p = in_peek(r->in, 8, &have);
	if (plain_event(r, rec, p, have))
		return 1;
	if (have >= 8) {
		header = fxt_word_at(p, r->swap);
		if (!words_of(header)) {
			skip_zero_size(r);
			p = in_peek(r->in, 8, &have);
			header = have >= 8 ? fxt_word_at(p, r->swap) : 0;
		}
	}
	begin_record(r, rec, header);
	if (have >= 8) {
		want = 8ull * rec->words;
		if (want > have)
			p = in_peek(r->in, want < 8ull * FXT_LARGE_HEAD_WORDS ? (size_t)want :
				    8u * FXT_LARGE_HEAD_WORDS, &have);
		if (rec->type == FXT_REC_LARGE) {
			if (decode_large(r, rec, p, have)) {
				r->any = true;
				return 1;
			}
			cut_off(r, rec->offset);
			return the_end(r);
		}
	}
	if (have < want) {
		if (have || in_error(r->in))
			cut_off(r, rec->offset);
		r->ended = true;
		return the_end(r);
	}
	rec->raw = p;
	r->pending = (size_t)want;
	r->any = true;
	r->plain = !r->swap;
	fxt_decode(r, rec);
	return 1;
}
