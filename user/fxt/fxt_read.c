// SPDX-License-Identifier: GPL-2.0
/* The FXT decoder.  See fxt_read.h; section names are the document's. */
#include "fxt/fxt_read.h"
#include "fxt/fxt_tables.h"
#include "base/xalloc.h"

#include <byteswap.h>
#include <stdlib.h>
#include <string.h>

struct fxt_reader {
	struct in *in;
	fxt_problem_fn fn;
	void *ctx;
	bool begun, swap, ended;
	bool magic, any;	/* there was a magic number; a record */
	struct fxt_tables *tables;
	uint64_t offset;	/* of the record handed out last */
	size_t pending;		/* its bytes that are in the window and used up */
	uint64_t data, rest;	/* bytes of a large one that follow: data, all */
};

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
	[FXT_READ_ERROR]	= { "the input cannot be read on", true },
};

const char *fxt_problem_text(enum fxt_problem p)
{
	return problems[p].text;
}

bool fxt_problem_is_damage(enum fxt_problem p)
{
	return problems[p].damage;
}

static void problem(struct fxt_reader *r, enum fxt_problem p, uint64_t offset)
{
	if (r->fn)
		r->fn(r->ctx, p, offset);
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

/* ---- a cursor over the words of a record ---- */

struct cursor {
	const uint8_t *at;
	unsigned int left;	/* words */
	bool swap;
	bool bad;		/* something did not fit */
};

static uint64_t word_at(const uint8_t *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return swap ? bswap_64(v) : v;
}

uint64_t fxt_word(const struct fxt_rec *rec, const uint8_t *p)
{
	return word_at(p, rec->swap);
}

static uint64_t take_word(struct cursor *c)
{
	uint64_t v;

	if (!c->left) {
		c->bad = true;
		return 0;
	}
	v = word_at(c->at, c->swap);
	c->at += 8;
	c->left--;
	return v;
}

static const char *take_stream(struct cursor *c, uint32_t len)
{
	unsigned int words = fxt_stream_words(len);
	const char *s = (const char *)c->at;

	if (words > c->left) {
		c->bad = true;
		return "";
	}
	c->at += words * 8;
	c->left -= words;
	return s;
}

/* "String References"; inline ones take their stream from the cursor. */
static struct fxt_sref take_string(struct fxt_reader *r, struct cursor *c,
				   uint64_t ref, uint64_t offset)
{
	struct fxt_sref s = { .ref = (uint16_t)ref, .s = "" };

	if (s.ref & 0x8000) {
		s.s = take_stream(c, s.ref & 0x7fffu);
		s.len = c->bad ? 0 : s.ref & 0x7fffu;
	} else if (s.ref) {
		const struct fxt_string *e = fxt_get_string(r->tables, s.ref);

		if (e) {
			s.s = e->len ? e->s : "";
			s.len = e->len;
			s.tag = e->tag;
		} else {
			s.undefined = true;
			problem(r, FXT_UNDEFINED_STRING, offset);
		}
	}
	return s;
}

/*
 * "Thread References": inline ones take @inline_words words (process, and
 * thread where the record has one) from the cursor.
 */
static struct fxt_tref take_thread(struct fxt_reader *r, struct cursor *c,
				   uint64_t ref, unsigned int inline_words,
				   uint64_t offset)
{
	struct fxt_tref t = { .ref = (uint8_t)ref };

	if (t.ref) {
		const struct fxt_thread *e = fxt_get_thread(r->tables, t.ref);

		if (e) {
			t.process = e->process;
			t.thread = e->thread;
		} else {
			t.undefined = true;
			problem(r, FXT_UNDEFINED_THREAD, offset);
		}
	} else {
		t.process = take_word(c);
		if (inline_words > 1)
			t.thread = take_word(c);
	}
	return t;
}

/* ---- records ---- */

static void args_follow(struct fxt_rec *rec, struct cursor *c, unsigned int n)
{
	rec->has_args = true;
	rec->nargs = n;
	rec->arg_raw = c->at;
	rec->arg_words = c->left;
}

/* "Metadata Record" */
static void decode_metadata(struct fxt_reader *r, struct fxt_rec *rec, struct cursor *c)
{
	uint64_t h = rec->header;

	rec->meta.type = (unsigned int)fxt_bits(h, 16, 19);
	rec->meta.name.s = "";
	switch (rec->meta.type) {
	case FXT_META_PROVIDER_INFO:
		rec->meta.provider = (uint32_t)fxt_bits(h, 20, 51);
		rec->meta.name.len = (uint32_t)fxt_bits(h, 52, 59);
		rec->meta.name.s = take_stream(c, rec->meta.name.len);
		if (!c->bad)
			fxt_set_provider(r->tables, rec->meta.provider);
		break;
	case FXT_META_PROVIDER_SECTION:
		rec->meta.provider = (uint32_t)fxt_bits(h, 20, 51);
		fxt_set_provider(r->tables, rec->meta.provider);
		break;
	case FXT_META_PROVIDER_EVENT:
		rec->meta.provider = (uint32_t)fxt_bits(h, 20, 51);
		rec->meta.event = (unsigned int)fxt_bits(h, 52, 55);
		break;
	case FXT_META_TRACE_INFO:
		rec->meta.info_type = (unsigned int)fxt_bits(h, 20, 23);
		if (rec->meta.info_type == 0)
			rec->meta.magic = (uint32_t)fxt_bits(h, 24, 55);
		else
			problem(r, FXT_UNKNOWN_METADATA, rec->offset);
		break;
	default:
		problem(r, FXT_UNKNOWN_METADATA, rec->offset);
		break;
	}
	rec->provider = r->tables->provider;
}

/*
 * Words that @n arguments take, by their sizes; all that are left if these
 * cannot be right.
 */
static unsigned int words_of_args(const struct cursor *c, unsigned int n)
{
	unsigned int words = 0;

	while (n-- && words < c->left) {
		unsigned int size = (unsigned int)
			fxt_bits(word_at(c->at + words * 8, c->swap), 4, 15);

		if (!size)
			return c->left;
		words += size;
	}
	return words < c->left ? words : c->left;
}

/* "Event Record" */
static void decode_event(struct fxt_reader *r, struct fxt_rec *rec, struct cursor *c)
{
	uint64_t h = rec->header;
	unsigned int nargs = (unsigned int)fxt_bits(h, 20, 23), at;

	rec->event.type = (unsigned int)fxt_bits(h, 16, 19);
	rec->event.time = take_word(c);
	rec->event.thread = take_thread(r, c, fxt_bits(h, 24, 31), 2, rec->offset);
	rec->event.category = take_string(r, c, fxt_bits(h, 32, 47), rec->offset);
	rec->event.name = take_string(r, c, fxt_bits(h, 48, 63), rec->offset);
	rec->event.has_value = rec->event.type == FXT_EV_COUNTER ||
			       (rec->event.type >= FXT_EV_DURATION_COMPLETE &&
				rec->event.type < FXT_EV_COUNT);
	if (rec->event.has_value) {
		if (!c->left) {
			c->bad = true;
			return;
		}
		/* Behind the arguments; more words than that may follow. */
		at = words_of_args(c, nargs);
		c->left--;
		rec->event.value = word_at(c->at + (at < c->left ? at : c->left) * 8,
					   c->swap);
	}
	if (rec->event.type >= FXT_EV_COUNT)
		problem(r, FXT_UNKNOWN_EVENT, rec->offset);
	args_follow(rec, c, nargs);
}

/* "Scheduling Record" */
static void decode_scheduling(struct fxt_reader *r, struct fxt_rec *rec, struct cursor *c)
{
	uint64_t h = rec->header;

	rec->sched.kind = (unsigned int)fxt_bits(h, 60, 63);
	switch (rec->sched.kind) {
	case FXT_SCHED_LEGACY_SWITCH:
		rec->sched.cpu = (unsigned int)fxt_bits(h, 16, 23);
		rec->sched.out_state = (unsigned int)fxt_bits(h, 24, 27);
		rec->sched.out_priority = (unsigned int)fxt_bits(h, 44, 51);
		rec->sched.in_priority = (unsigned int)fxt_bits(h, 52, 59);
		rec->sched.time = take_word(c);
		rec->sched.out = take_thread(r, c, fxt_bits(h, 28, 35), 2, rec->offset);
		rec->sched.in = take_thread(r, c, fxt_bits(h, 36, 43), 2, rec->offset);
		break;
	case FXT_SCHED_SWITCH:
		rec->sched.cpu = (unsigned int)fxt_bits(h, 20, 35);
		rec->sched.out_state = (unsigned int)fxt_bits(h, 36, 39);
		rec->sched.time = take_word(c);
		rec->sched.out.thread = take_word(c);
		rec->sched.in.thread = take_word(c);
		args_follow(rec, c, (unsigned int)fxt_bits(h, 16, 19));
		break;
	case FXT_SCHED_WAKEUP:
		rec->sched.cpu = (unsigned int)fxt_bits(h, 20, 35);
		rec->sched.time = take_word(c);
		rec->sched.in.thread = take_word(c);
		args_follow(rec, c, (unsigned int)fxt_bits(h, 16, 19));
		break;
	default:
		problem(r, FXT_UNKNOWN_KIND, rec->offset);
		break;
	}
}

static struct fxt_sref take_text(struct cursor *c, uint32_t len)
{
	struct fxt_sref s = { .ref = (uint16_t)(0x8000 | len), .len = len };

	s.s = take_stream(c, len);
	return s;
}

/* "Profiler Record" */
static void decode_profiler(struct fxt_reader *r, struct fxt_rec *rec, struct cursor *c)
{
	uint64_t h = rec->header;

	rec->prof.kind = (unsigned int)fxt_bits(h, 16, 19);
	if (rec->prof.kind > FXT_PROF_BACKTRACE) {
		problem(r, FXT_UNKNOWN_KIND, rec->offset);
		return;
	}
	rec->prof.time = take_word(c);
	rec->prof.thread = take_thread(r, c, fxt_bits(h, 20, 27), 2, rec->offset);
	switch (rec->prof.kind) {
	case FXT_PROF_MODULE:
		rec->prof.module = (unsigned int)fxt_bits(h, 28, 43);
		rec->prof.name = take_text(c, (uint32_t)fxt_bits(h, 44, 51));
		rec->prof.build_id = take_text(c, (uint32_t)fxt_bits(h, 52, 59));
		break;
	case FXT_PROF_MMAP:
		rec->prof.module = (unsigned int)fxt_bits(h, 28, 43);
		rec->prof.flags = (unsigned int)fxt_bits(h, 44, 46);
		rec->prof.start = take_word(c);
		rec->prof.range = take_word(c);
		rec->prof.address = take_word(c);
		break;
	case FXT_PROF_BACKTRACE:
		rec->prof.nframes = (unsigned int)fxt_bits(h, 28, 35);
		rec->prof.frames = (const uint8_t *)take_stream(c, 8 * rec->prof.nframes);
		break;
	}
}

#define BITS(lo, hi)	((~0ull >> (63 - ((hi) - (lo)))) << (lo))

/* Bits of a header that the document reserves. */
static uint64_t reserved_bits(const struct fxt_rec *rec)
{
	static const uint64_t by_type[16] = {
		[FXT_REC_INIT] = BITS(16, 63),
		[FXT_REC_STRING] = BITS(31, 31) | BITS(47, 63),
		[FXT_REC_THREAD] = BITS(24, 63),
		[FXT_REC_BLOB] = BITS(47, 47) | BITS(56, 63),
		[FXT_REC_USERSPACE_OBJECT] = BITS(44, 63),
		[FXT_REC_KERNEL_OBJECT] = BITS(44, 63),
		[FXT_REC_LOG] = BITS(31, 31) | BITS(40, 63),
	}, metadata[16] = {
		[FXT_META_PROVIDER_INFO] = BITS(60, 63),
		[FXT_META_PROVIDER_SECTION] = BITS(52, 63),
		[FXT_META_PROVIDER_EVENT] = BITS(56, 63),
	}, scheduling[16] = {
		[FXT_SCHED_SWITCH] = BITS(40, 59),
		[FXT_SCHED_WAKEUP] = BITS(36, 59),
	}, profiler[16] = {
		[FXT_PROF_MODULE] = BITS(60, 63),
		[FXT_PROF_MMAP] = BITS(47, 63),
		[FXT_PROF_BACKTRACE] = BITS(36, 63),
	};

	switch (rec->type) {
	case FXT_REC_METADATA:
		return metadata[rec->meta.type];
	case FXT_REC_SCHEDULING:
		return scheduling[rec->sched.kind];
	case FXT_REC_PROFILER:
		return profiler[rec->prof.kind];
	case FXT_REC_LARGE:
		return rec->large.known ? BITS(44, 63) : 0;
	default:
		return by_type[rec->type];
	}
}

static void decode(struct fxt_reader *r, struct fxt_rec *rec)
{
	struct cursor cur = { rec->raw + 8, rec->words - 1, rec->swap, false };
	struct cursor *c = &cur;
	uint64_t h = rec->header;

	switch (rec->type) {
	case FXT_REC_METADATA:
		decode_metadata(r, rec, c);
		break;
	case FXT_REC_INIT:
		rec->init.ticks = take_word(c);
		break;
	case FXT_REC_STRING:
		rec->string.index = (unsigned int)fxt_bits(h, 16, 30);
		rec->string.len = (uint32_t)fxt_bits(h, 32, 46);
		rec->string.s = take_stream(c, rec->string.len);
		if (!c->bad && rec->string.index)
			fxt_put_string(r->tables, rec->string.index, rec->string.s,
				       rec->string.len);
		break;
	case FXT_REC_THREAD:
		rec->thread.index = (unsigned int)fxt_bits(h, 16, 23);
		rec->thread.process = take_word(c);
		rec->thread.thread = take_word(c);
		if (!c->bad && rec->thread.index)
			fxt_put_thread(r->tables, rec->thread.index, rec->thread.process,
				       rec->thread.thread);
		break;
	case FXT_REC_EVENT:
		decode_event(r, rec, c);
		break;
	case FXT_REC_BLOB:
		rec->blob.name = take_string(r, c, fxt_bits(h, 16, 31), rec->offset);
		rec->blob.len = (uint32_t)fxt_bits(h, 32, 46);
		rec->blob.type = (unsigned int)fxt_bits(h, 48, 55);
		rec->blob.data = (const uint8_t *)take_stream(c, rec->blob.len);
		if (!rec->blob.type || rec->blob.type >= FXT_BLOB_COUNT)
			problem(r, FXT_UNKNOWN_KIND, rec->offset);
		break;
	case FXT_REC_USERSPACE_OBJECT:
		rec->uobj.pointer = take_word(c);
		rec->uobj.process = take_thread(r, c, fxt_bits(h, 16, 23), 1, rec->offset);
		rec->uobj.name = take_string(r, c, fxt_bits(h, 24, 39), rec->offset);
		args_follow(rec, c, (unsigned int)fxt_bits(h, 40, 43));
		break;
	case FXT_REC_KERNEL_OBJECT:
		rec->kobj.type = (unsigned int)fxt_bits(h, 16, 23);
		rec->kobj.koid = take_word(c);
		rec->kobj.name = take_string(r, c, fxt_bits(h, 24, 39), rec->offset);
		args_follow(rec, c, (unsigned int)fxt_bits(h, 40, 43));
		break;
	case FXT_REC_SCHEDULING:
		decode_scheduling(r, rec, c);
		break;
	case FXT_REC_LOG:
		rec->log.len = (uint32_t)fxt_bits(h, 16, 30);
		rec->log.time = take_word(c);
		rec->log.thread = take_thread(r, c, fxt_bits(h, 32, 39), 2, rec->offset);
		rec->log.s = take_stream(c, rec->log.len);
		break;
	case FXT_REC_PROFILER:
		decode_profiler(r, rec, c);
		break;
	default:
		problem(r, FXT_UNKNOWN_RECORD, rec->offset);
		break;
	}
	rec->valid = !c->bad;
	if (c->bad) {
		rec->has_args = false;
		rec->nargs = 0;
		rec->arg_words = 0;
		problem(r, FXT_BAD_RECORD, rec->offset);
	} else if (rec->header & reserved_bits(rec)) {
		problem(r, FXT_RESERVED, rec->offset);
	}
}

/* ---- "Large Records" ---- */

/*
 * What stands before the payload: two strings, 15 arguments and a few words.
 * So much of a large record is looked at, and no more.
 */
#define LARGE_HEAD_WORDS (2u * 4096 + FXT_MAX_ARGS * 4095 + 6)

/* The parts before the payload.  Return: bytes of the payload. */
static uint64_t decode_large_blob(struct fxt_reader *r, struct fxt_rec *rec, struct cursor *c)
{
	bool event = rec->large.format == FXT_LARGE_BLOB_EVENT;
	uint64_t format = take_word(c);
	unsigned int nargs;

	rec->large.category = take_string(r, c, fxt_bits(format, 0, 15), rec->offset);
	rec->large.name = take_string(r, c, fxt_bits(format, 16, 31), rec->offset);
	if (event) {
		rec->large.time = take_word(c);
		rec->large.thread = take_thread(r, c, fxt_bits(format, 36, 43), 2, rec->offset);
		nargs = (unsigned int)fxt_bits(format, 32, 35);
		args_follow(rec, c, nargs);
		rec->arg_words = words_of_args(c, nargs);
		c->at += rec->arg_words * 8;
		c->left -= rec->arg_words;
	}
	if (format & (event ? BITS(44, 63) : BITS(32, 63)))
		problem(r, FXT_RESERVED, rec->offset + 8);
	return take_word(c);
}

/*
 * A large record of which @have bytes are in the window at @p.
 * Return: false where the file ends before the payload.
 */
static bool decode_large(struct fxt_reader *r, struct fxt_rec *rec, const uint8_t *p,
			 size_t have)
{
	uint64_t bytes = 8ull * rec->words, payload;
	size_t head = bytes < 8ull * LARGE_HEAD_WORDS ? (size_t)bytes : 8u * LARGE_HEAD_WORDS;
	struct cursor cur = { p + 8, 0, rec->swap, false };
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
		problem(r, FXT_UNKNOWN_KIND, rec->offset);
	} else {
		payload = decode_large_blob(r, rec, &cur);
		if (cur.bad && cut)
			return false;
		r->pending = (size_t)(cur.at - p);
		if (cur.bad || payload > bytes - r->pending) {
			problem(r, FXT_BAD_RECORD, rec->offset);
			rec->valid = rec->has_args = false;
			rec->nargs = rec->arg_words = 0;
			r->pending = 0;
		} else {
			r->data = payload;
			r->rest = bytes - r->pending;
			if (rec->header & reserved_bits(rec))
				problem(r, FXT_RESERVED, rec->offset);
		}
	}
	rec->data_bytes = r->data;
	return true;
}

/* The file ends inside the record handed out last, or before one. */
static void cut_off(struct fxt_reader *r, uint64_t offset)
{
	r->ended = true;
	r->data = r->rest = 0;
	problem(r, in_error(r->in) ? FXT_READ_ERROR : FXT_CUT, offset);
}

/* More of what is behind the head of a large record; @n is 0 at the file's end. */
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

/* How many records of known types follow one another at the beginning. */
static unsigned int chain(const uint8_t *p, size_t n, bool swap)
{
	unsigned int count = 0;

	while (n >= 8) {
		uint64_t header = word_at(p, swap);
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

/* "Magic Number Record": also tells the byte order. */
static void read_magic(struct fxt_reader *r)
{
	const uint8_t *p;
	size_t have;

	p = in_peek(r->in, 4096, &have);
	r->magic = true;
	if (have >= 8 && word_at(p, false) == FXT_MAGIC) {
		r->swap = false;
	} else if (have >= 8 && word_at(p, true) == FXT_MAGIC) {
		r->swap = true;
	} else {
		r->magic = false;
		r->swap = chain(p, have, true) > chain(p, have, false);
		problem(r, FXT_BAD_MAGIC, 0);
	}
}

/*
 * Pass over zero words: a header of size 0 says nothing of where the next
 * record is, and a run of them is usually a preallocated file.
 * Return: whether something follows.
 */
static bool skip_zero_size(struct fxt_reader *r)
{
	const uint8_t *p;
	size_t have;

	problem(r, FXT_ZERO_SIZE, in_offset(r->in));
	for (;;) {
		in_skip(r->in, 8);
		p = in_peek(r->in, 8, &have);
		if (have < 8)
			return have > 0;
		if (words_of(word_at(p, r->swap)))
			return true;
	}
}

/* What is left of the record handed out last. */
static void leave_record(struct fxt_reader *r)
{
	size_t n;

	r->data = 0;
	while (r->rest)
		more_of_large(r, &n);
	in_skip(r->in, r->pending);
	r->pending = 0;
}

/* Nothing more can be read. */
static int the_end(const struct fxt_reader *r)
{
	return in_error(r->in) || (!r->magic && !r->any) ? -1 : 0;
}

int fxt_next(struct fxt_reader *r, struct fxt_rec *rec)
{
	const uint8_t *p;
	uint64_t want = 8;
	size_t have;

	if (!r->begun)
		read_magic(r);
	r->begun = true;
	leave_record(r);
	if (r->ended)
		return the_end(r);

	p = in_peek(r->in, 8, &have);
	if (have >= 8 && !words_of(word_at(p, r->swap))) {
		skip_zero_size(r);
		p = in_peek(r->in, 8, &have);
	}
	memset(rec, 0, sizeof(*rec));
	r->offset = rec->offset = in_offset(r->in);
	rec->swap = r->swap;
	if (have >= 8) {
		rec->header = word_at(p, r->swap);
		rec->type = (unsigned int)fxt_bits(rec->header, 0, 3);
		rec->words = words_of(rec->header);
		want = 8ull * rec->words;
		p = in_peek(r->in, want < 8ull * LARGE_HEAD_WORDS ? (size_t)want :
			    8u * LARGE_HEAD_WORDS, &have);
	}
	rec->provider = r->tables->provider;
	if (have >= 8 && rec->type == FXT_REC_LARGE) {
		if (decode_large(r, rec, p, have)) {
			r->any = true;
			return 1;
		}
		cut_off(r, rec->offset);
		return the_end(r);
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
	decode(r, rec);
	return 1;
}

/* ---- "Argument Types" ---- */

bool fxt_next_arg(struct fxt_reader *r, const struct fxt_rec *rec,
		  struct fxt_arg_iter *it, struct fxt_rarg *arg)
{
	static const uint64_t reserved[16] = {
		[FXT_ARG_NULL] = BITS(32, 63), [FXT_ARG_I64] = BITS(32, 63),
		[FXT_ARG_U64] = BITS(32, 63), [FXT_ARG_F64] = BITS(32, 63),
		[FXT_ARG_STRING] = BITS(48, 63), [FXT_ARG_POINTER] = BITS(32, 63),
		[FXT_ARG_KOID] = BITS(32, 63), [FXT_ARG_BOOL] = BITS(33, 63),
	};
	unsigned int left = rec->arg_words - it->word;
	const uint8_t *p;
	struct cursor c;

	if (it->index >= rec->nargs)
		return false;
	p = rec->arg_raw + it->word * 8;
	memset(arg, 0, sizeof(*arg));
	arg->raw = p;
	arg->offset = rec->offset + (uint64_t)(p - rec->raw);
	if (!left) {
		problem(r, FXT_MISSING_ARGS, arg->offset);
		it->index = rec->nargs;
		return false;
	}
	arg->header = word_at(p, rec->swap);
	arg->type = (unsigned int)fxt_bits(arg->header, 0, 3);
	arg->words = (unsigned int)fxt_bits(arg->header, 4, 15);
	c = (struct cursor){ p + 8, arg->words - 1, rec->swap, false };
	if (!arg->words || arg->words > left)
		c.bad = true;
	if (!c.bad)
		arg->name = take_string(r, &c, fxt_bits(arg->header, 16, 31), arg->offset);
	if (!c.bad) {
		switch (arg->type) {
		case FXT_ARG_NULL:
			break;
		case FXT_ARG_I32:
		case FXT_ARG_U32:
			arg->u32 = (uint32_t)fxt_bits(arg->header, 32, 63);
			break;
		case FXT_ARG_I64:
		case FXT_ARG_U64:
		case FXT_ARG_F64:
		case FXT_ARG_POINTER:
		case FXT_ARG_KOID:
			arg->u64 = take_word(&c);
			break;
		case FXT_ARG_STRING:
			arg->str = take_string(r, &c, fxt_bits(arg->header, 32, 47),
					       arg->offset);
			break;
		case FXT_ARG_BOOL:
			arg->b = fxt_bits(arg->header, 32, 32);
			break;
		case FXT_ARG_BLOB:
			arg->blob.len = (uint32_t)fxt_bits(arg->header, 32, 63);
			arg->blob.data = (const uint8_t *)take_stream(&c, arg->blob.len);
			break;
		default:
			problem(r, FXT_UNKNOWN_ARG, arg->offset);
			break;
		}
	}
	if (c.bad) {
		problem(r, FXT_BAD_ARG, arg->offset);
		it->index = rec->nargs;
		return false;
	}
	if (arg->header & reserved[arg->type])
		problem(r, FXT_RESERVED, arg->offset);
	it->word += arg->words;
	it->index++;
	return true;
}
