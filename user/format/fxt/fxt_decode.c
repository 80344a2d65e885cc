// SPDX-License-Identifier: LGPL-2.1
/*
 * The FXT decoder: decodes one record.  See fxt_read.h.  Quoted names are sections of the
 * format document.
 */
#include "format/fxt/fxt_decode.h"
#include "format/fxt/fxt_plain.h"

uint64_t fxt_word(const struct fxt_rec *rec, const uint8_t *p)
{
	return fxt_word_at(p, rec->swap);
}

/* ---- words, streams and references ---- */

static inline uint64_t take_word(struct fxt_cursor *c)
{
	uint64_t v;

	if (!c->left) {
		c->bad = true;
		return 0;
	}
	v = fxt_word_at(c->at, c->swap);
	c->at += 8;
	c->left--;
	return v;
}

static const char *take_stream(struct fxt_cursor *c, uint32_t len)
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

/* Decodes any ref except an index looked up before; an inline ref consumes its stream. */
static __attribute__((noinline)) void take_other_string(struct fxt_reader *r,
							struct fxt_cursor *c, uint64_t offset,
							struct fxt_sref *s)
{
	const struct fxt_string *e;

	s->undefined = false;
	s->len = 0;
	s->tag = 0;
	s->s = "";
	if (!s->ref)
		return;
	if (s->ref & 0x8000) {
		s->s = take_stream(c, s->ref & 0x7fffu);
		s->len = c->bad ? 0 : s->ref & 0x7fffu;
		return;
	}
	e = fxt_get_string(r->tables, s->ref);
	if (e) {
		s->s = e->s;
		s->len = e->len;
		s->tag = e->tag;
	} else {
		s->undefined = true;
		fxt_problem(r, FXT_UNDEFINED_STRING, offset);
	}
}

/* Format document: "String References" */
static inline void take_string(struct fxt_reader *r, struct fxt_cursor *c, uint64_t ref,
			       uint64_t offset, struct fxt_sref *s)
{
	const struct fxt_string *e = fxt_near_string(r->tables, (unsigned int)ref);

	if (e) {
		fxt_fill_string(s, (uint16_t)ref, e);
	} else {
		s->ref = (uint16_t)ref;
		take_other_string(r, c, offset, s);
	}
}

/*
 * "Thread References": inline ones take @inline_words words (process, and
 * thread where the record has one) from the cursor.
 */
static void take_thread(struct fxt_reader *r, struct fxt_cursor *c, uint64_t ref,
			unsigned int inline_words, uint64_t offset, struct fxt_tref *t)
{
	const struct fxt_thread *e;

	t->ref = (uint8_t)ref;
	t->undefined = false;
	t->process = t->thread = 0;
	if (!t->ref) {
		t->process = take_word(c);
		if (inline_words > 1)
			t->thread = take_word(c);
		return;
	}
	e = fxt_get_thread(r->tables, t->ref);
	if (e) {
		t->process = e->process;
		t->thread = e->thread;
	} else {
		t->undefined = true;
		fxt_problem(r, FXT_UNDEFINED_THREAD, offset);
	}
}

/* ---- records ---- */

static void args_follow(struct fxt_rec *rec, struct fxt_cursor *c, unsigned int n)
{
	rec->has_args = true;
	rec->nargs = n;
	rec->arg_raw = c->at;
	rec->arg_words = c->left;
}

/* Format document: "Metadata Record" */
static void decode_metadata(struct fxt_reader *r, struct fxt_rec *rec, struct fxt_cursor *c)
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
			fxt_problem(r, FXT_UNKNOWN_METADATA, rec->offset);
		break;
	default:
		fxt_problem(r, FXT_UNKNOWN_METADATA, rec->offset);
		break;
	}
	rec->provider = r->tables->provider;
}

/*
 * Number of words of @n arguments, by the sizes in their headers; all words that are left
 * if these sizes cannot be right.
 */
static unsigned int words_of_args(const struct fxt_cursor *c, unsigned int n)
{
	unsigned int words = 0;

	while (n-- && words < c->left) {
		unsigned int size = (unsigned int)
			fxt_bits(fxt_word_at(c->at + words * 8, c->swap), 4, 15);

		if (!size)
			return c->left;
		words += size;
	}
	return words < c->left ? words : c->left;
}

/* Format document: "Event Record" */
static void decode_event(struct fxt_reader *r, struct fxt_rec *rec, struct fxt_cursor *c)
{
	uint64_t h = rec->header;
	unsigned int nargs = (unsigned int)fxt_bits(h, 20, 23), at;

	rec->event.type = (unsigned int)fxt_bits(h, 16, 19);
	rec->event.time = take_word(c);
	take_thread(r, c, fxt_bits(h, 24, 31), 2, rec->offset, &rec->event.thread);
	take_string(r, c, fxt_bits(h, 32, 47), rec->offset, &rec->event.category);
	take_string(r, c, fxt_bits(h, 48, 63), rec->offset, &rec->event.name);
	rec->event.has_value = rec->event.type == FXT_EV_COUNTER ||
			       (rec->event.type >= FXT_EV_DURATION_COMPLETE &&
				rec->event.type < FXT_EV_COUNT);
	rec->event.value = 0;
	if (rec->event.has_value) {
		if (!c->left) {
			c->bad = true;
			return;
		}
		/* After the arguments; more words may follow. */
		at = words_of_args(c, nargs);
		c->left--;
		rec->event.value = fxt_word_at(c->at + (at < c->left ? at : c->left) * 8,
					   c->swap);
	}
	if (rec->event.type >= FXT_EV_COUNT)
		fxt_problem(r, FXT_UNKNOWN_EVENT, rec->offset);
	args_follow(rec, c, nargs);
}

/* Format document: "Scheduling Record" */
static void decode_scheduling(struct fxt_reader *r, struct fxt_rec *rec, struct fxt_cursor *c)
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
		take_thread(r, c, fxt_bits(h, 28, 35), 2, rec->offset, &rec->sched.out);
		take_thread(r, c, fxt_bits(h, 36, 43), 2, rec->offset, &rec->sched.in);
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
		fxt_problem(r, FXT_UNKNOWN_KIND, rec->offset);
		break;
	}
}

static struct fxt_sref take_text(struct fxt_cursor *c, uint32_t len)
{
	struct fxt_sref s = { .ref = (uint16_t)(0x8000 | len), .len = len };

	s.s = take_stream(c, len);
	return s;
}

/* Format document: "Profiler Record" */
static void decode_profiler(struct fxt_reader *r, struct fxt_rec *rec, struct fxt_cursor *c)
{
	uint64_t h = rec->header;

	rec->prof.kind = (unsigned int)fxt_bits(h, 16, 19);
	if (rec->prof.kind > FXT_PROF_BACKTRACE) {
		fxt_problem(r, FXT_UNKNOWN_KIND, rec->offset);
		return;
	}
	rec->prof.time = take_word(c);
	take_thread(r, c, fxt_bits(h, 20, 27), 2, rec->offset, &rec->prof.thread);
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

static uint64_t reserved_bits(const struct fxt_rec *rec)
{
	static const uint64_t by_type[16] = {
		[FXT_REC_INIT] = FXT_BITS(16, 63),
		[FXT_REC_STRING] = FXT_BITS(31, 31) | FXT_BITS(47, 63),
		[FXT_REC_THREAD] = FXT_BITS(24, 63),
		[FXT_REC_BLOB] = FXT_BITS(47, 47) | FXT_BITS(56, 63),
		[FXT_REC_USERSPACE_OBJECT] = FXT_BITS(44, 63),
		[FXT_REC_KERNEL_OBJECT] = FXT_BITS(44, 63),
		[FXT_REC_LOG] = FXT_BITS(31, 31) | FXT_BITS(40, 63),
	}, metadata[16] = {
		[FXT_META_PROVIDER_INFO] = FXT_BITS(60, 63),
		[FXT_META_PROVIDER_SECTION] = FXT_BITS(52, 63),
		[FXT_META_PROVIDER_EVENT] = FXT_BITS(56, 63),
	}, scheduling[16] = {
		[FXT_SCHED_SWITCH] = FXT_BITS(40, 59),
		[FXT_SCHED_WAKEUP] = FXT_BITS(36, 59),
	}, profiler[16] = {
		[FXT_PROF_MODULE] = FXT_BITS(60, 63),
		[FXT_PROF_MMAP] = FXT_BITS(47, 63),
		[FXT_PROF_BACKTRACE] = FXT_BITS(36, 63),
	};

	switch (rec->type) {
	case FXT_REC_METADATA:
		return metadata[rec->meta.type];
	case FXT_REC_SCHEDULING:
		return scheduling[rec->sched.kind];
	case FXT_REC_PROFILER:
		return profiler[rec->prof.kind];
	case FXT_REC_LARGE:
		return rec->large.known ? FXT_BITS(44, 63) : 0;
	default:
		return by_type[rec->type];
	}
}

bool fxt_reserved(const struct fxt_rec *rec)
{
	return rec->header & reserved_bits(rec);
}

void fxt_decode(struct fxt_reader *r, struct fxt_rec *rec)
{
	struct fxt_cursor cur = { rec->raw + 8, rec->words - 1, rec->swap, false };
	struct fxt_cursor *c = &cur;
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
		take_string(r, c, fxt_bits(h, 16, 31), rec->offset, &rec->blob.name);
		rec->blob.len = (uint32_t)fxt_bits(h, 32, 46);
		rec->blob.type = (unsigned int)fxt_bits(h, 48, 55);
		rec->blob.data = (const uint8_t *)take_stream(c, rec->blob.len);
		if (!rec->blob.type || rec->blob.type >= FXT_BLOB_COUNT)
			fxt_problem(r, FXT_UNKNOWN_KIND, rec->offset);
		break;
	case FXT_REC_USERSPACE_OBJECT:
		rec->uobj.pointer = take_word(c);
		take_thread(r, c, fxt_bits(h, 16, 23), 1, rec->offset, &rec->uobj.process);
		take_string(r, c, fxt_bits(h, 24, 39), rec->offset, &rec->uobj.name);
		args_follow(rec, c, (unsigned int)fxt_bits(h, 40, 43));
		break;
	case FXT_REC_KERNEL_OBJECT:
		rec->kobj.type = (unsigned int)fxt_bits(h, 16, 23);
		rec->kobj.koid = take_word(c);
		take_string(r, c, fxt_bits(h, 24, 39), rec->offset, &rec->kobj.name);
		args_follow(rec, c, (unsigned int)fxt_bits(h, 40, 43));
		break;
	case FXT_REC_SCHEDULING:
		decode_scheduling(r, rec, c);
		break;
	case FXT_REC_LOG:
		rec->log.len = (uint32_t)fxt_bits(h, 16, 30);
		rec->log.time = take_word(c);
		take_thread(r, c, fxt_bits(h, 32, 39), 2, rec->offset, &rec->log.thread);
		rec->log.s = take_stream(c, rec->log.len);
		break;
	case FXT_REC_PROFILER:
		decode_profiler(r, rec, c);
		break;
	default:
		fxt_problem(r, FXT_UNKNOWN_RECORD, rec->offset);
		break;
	}
	rec->valid = !c->bad;
	if (c->bad) {
		rec->has_args = false;
		rec->nargs = 0;
		rec->arg_words = 0;
		fxt_problem(r, FXT_BAD_RECORD, rec->offset);
	} else if (fxt_reserved(rec)) {
		fxt_problem(r, FXT_RESERVED, rec->offset);
	}
}

/* ---- format document: "Large Record" ---- */

uint64_t fxt_decode_large(struct fxt_reader *r, struct fxt_rec *rec, struct fxt_cursor *c)
{
	bool event = rec->large.format == FXT_LARGE_BLOB_EVENT;
	uint64_t format = take_word(c);
	unsigned int nargs;

	take_string(r, c, fxt_bits(format, 0, 15), rec->offset, &rec->large.category);
	take_string(r, c, fxt_bits(format, 16, 31), rec->offset, &rec->large.name);
	if (event) {
		rec->large.time = take_word(c);
		take_thread(r, c, fxt_bits(format, 36, 43), 2, rec->offset, &rec->large.thread);
		nargs = (unsigned int)fxt_bits(format, 32, 35);
		args_follow(rec, c, nargs);
		rec->arg_words = words_of_args(c, nargs);
		c->at += rec->arg_words * 8;
		c->left -= rec->arg_words;
	}
	if (format & (event ? FXT_BITS(44, 63) : FXT_BITS(32, 63)))
		fxt_problem(r, FXT_RESERVED, rec->offset + 8);
	return take_word(c);
}

/* ---- format document: "Argument Types" ---- */

static inline void take_value(struct fxt_reader *r, struct fxt_cursor *c,
			      struct fxt_rarg *arg)
{
	switch (arg->type) {
	case FXT_ARG_STRING:
		take_string(r, c, fxt_bits(arg->header, 32, 47), arg->offset, &arg->str);
		break;
	case FXT_ARG_I32:
	case FXT_ARG_U32:
		arg->u64 = 0;
		arg->u32 = (uint32_t)fxt_bits(arg->header, 32, 63);
		break;
	case FXT_ARG_I64:
	case FXT_ARG_U64:
	case FXT_ARG_F64:
	case FXT_ARG_POINTER:
	case FXT_ARG_KOID:
		arg->u64 = take_word(c);
		break;
	case FXT_ARG_NULL:
		arg->u64 = 0;
		break;
	case FXT_ARG_BOOL:
		arg->u64 = 0;
		arg->b = fxt_bits(arg->header, 32, 32);
		break;
	case FXT_ARG_BLOB:
		arg->blob.len = (uint32_t)fxt_bits(arg->header, 32, 63);
		arg->blob.data = (const uint8_t *)take_stream(c, arg->blob.len);
		break;
	default:
		arg->u64 = 0;
		fxt_problem(r, FXT_UNKNOWN_ARG, arg->offset);
		break;
	}
}

static bool take_arg(struct fxt_reader *r, const struct fxt_rec *rec,
			    struct fxt_arg_iter *it, struct fxt_rarg *arg)
{
	static const uint64_t reserved[16] = {
		[FXT_ARG_NULL] = FXT_BITS(32, 63), [FXT_ARG_I64] = FXT_BITS(32, 63),
		[FXT_ARG_U64] = FXT_BITS(32, 63), [FXT_ARG_F64] = FXT_BITS(32, 63),
		[FXT_ARG_STRING] = FXT_BITS(48, 63), [FXT_ARG_POINTER] = FXT_BITS(32, 63),
		[FXT_ARG_KOID] = FXT_BITS(32, 63), [FXT_ARG_BOOL] = FXT_BITS(33, 63),
	};
	unsigned int left = rec->arg_words - it->word;
	struct fxt_cursor c;
	const uint8_t *p;

	if (it->index >= rec->nargs)
		return false;
	p = rec->arg_raw + it->word * 8;
	arg->raw = p;
	arg->offset = rec->offset + (uint64_t)(p - rec->raw);
	if (!left) {
		fxt_problem(r, FXT_MISSING_ARGS, arg->offset);
		it->index = rec->nargs;
		return false;
	}
	arg->header = fxt_word_at(p, rec->swap);
	arg->type = (unsigned int)fxt_bits(arg->header, 0, 3);
	arg->words = (unsigned int)fxt_bits(arg->header, 4, 15);
	c = (struct fxt_cursor){ p + 8, arg->words - 1, rec->swap, !arg->words || arg->words > left };
	if (!c.bad)
		take_string(r, &c, fxt_bits(arg->header, 16, 31), arg->offset, &arg->name);
	if (!c.bad)
		take_value(r, &c, arg);
	if (c.bad) {
		fxt_problem(r, FXT_BAD_ARG, arg->offset);
		it->index = rec->nargs;
		return false;
	}
	if (arg->header & reserved[arg->type])
		fxt_problem(r, FXT_RESERVED, arg->offset);
	it->word += arg->words;
	it->index++;
	return true;
}

bool fxt_next_arg(struct fxt_reader *r, const struct fxt_rec *rec,
		  struct fxt_arg_iter *it, struct fxt_rarg *arg)
{
	return take_arg(r, rec, it, arg);
}

/* Decodes the argument at @p, if that is a plain one. */
static inline bool take_plain_arg(const struct fxt_reader *r, const struct fxt_rec *rec,
				  const uint8_t *p, const uint8_t *end, struct fxt_rarg *arg)
{
	struct fxt_plain a;

	if (!fxt_plain_arg(r, p, end, &a))
		return false;
	if (a.str)
		fxt_fill_string(&arg->str, (uint16_t)a.number, a.str);
	else if (a.type == FXT_ARG_I32)
		arg->u64 = (uint32_t)a.number;
	else
		arg->i64 = a.number;
	fxt_fill_string(&arg->name, (uint16_t)(a.header >> 16), a.name);
	arg->offset = rec->offset + (uint64_t)(p - rec->raw);
	arg->header = a.header;
	arg->type = a.type;
	arg->words = (unsigned int)(a.bytes / 8);
	arg->raw = p;
	return true;
}

unsigned int fxt_args(struct fxt_reader *r, const struct fxt_rec *rec,
		      struct fxt_rarg args[FXT_MAX_ARGS], unsigned int *words)
{
	const uint8_t *p = rec->arg_raw, *end;
	unsigned int n = 0;

	*words = 0;
	if (!rec->nargs)
		return 0;
	end = fxt_plain_end(rec);
	while (n < rec->nargs) {
		if (!take_plain_arg(r, rec, p, end, &args[n])) {
			struct fxt_arg_iter it = { n, (unsigned int)(p - rec->arg_raw) / 8 };

			if (!take_arg(r, rec, &it, &args[n]))
				break;
		}
		p += 8ul * args[n++].words;
	}
	*words = (unsigned int)(p - rec->arg_raw) / 8;
	return n;
}
