// SPDX-License-Identifier: LGPL-2.1
/* The FXT source: pushes records with their arguments, and problems, as items. */
#include "format/fxt/fxt_in.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* The message kind for each problem that the decoder reports. */
static const struct diag_kind kinds[FXT_PROBLEM_COUNT] = {
	[FXT_BAD_MAGIC] = { "files without the magic number of FXT", DIAG_DAMAGE },
	[FXT_ZERO_SIZE] = { "places with records of size 0", DIAG_DAMAGE },
	[FXT_CUT] = { "files ending inside a record", DIAG_DAMAGE },
	[FXT_BAD_RECORD] = { "records whose parts do not fit their size", DIAG_DAMAGE },
	[FXT_BAD_ARG] = { "arguments not fitting their record", DIAG_DAMAGE },
	[FXT_MISSING_ARGS] = { "records with fewer arguments than announced", DIAG_DAMAGE },
	[FXT_UNDEFINED_STRING] = { "references to strings that are not registered", DIAG_DAMAGE },
	[FXT_UNDEFINED_THREAD] = { "references to threads that are not registered", DIAG_DAMAGE },
	[FXT_UNKNOWN_RECORD] = { "records of unknown types, passed over", DIAG_NOTE },
	[FXT_UNKNOWN_METADATA] = { "metadata of unknown types, passed over", DIAG_NOTE },
	[FXT_UNKNOWN_EVENT] = { "events of unknown types", DIAG_NOTE },
	[FXT_UNKNOWN_KIND] = { "records of unknown kinds", DIAG_NOTE },
	[FXT_RESERVED] = { "places with reserved bits set", DIAG_NOTE },
	[FXT_UNKNOWN_ARG] = { "arguments of unknown types, passed over", DIAG_NOTE },
	[FXT_READ_ERROR] = { "inputs that could not be read to the end", DIAG_DAMAGE },
};

const char *const fxt_record_names[16] = {
	[FXT_REC_METADATA] = "metadata",
	[FXT_REC_INIT] = "initialization",
	[FXT_REC_STRING] = "string",
	[FXT_REC_THREAD] = "thread",
	[FXT_REC_EVENT] = "event",
	[FXT_REC_BLOB] = "blob",
	[FXT_REC_USERSPACE_OBJECT] = "userspace object",
	[FXT_REC_KERNEL_OBJECT] = "kernel object",
	[FXT_REC_SCHEDULING] = "scheduling",
	[FXT_REC_LOG] = "log",
	[FXT_REC_PROFILER] = "profiler",
	[FXT_REC_LARGE] = "large",
};

const char *const fxt_sched_names[16] = {
	[FXT_SCHED_LEGACY_SWITCH] = "legacy context switch",
	[FXT_SCHED_SWITCH] = "context switch",
	[FXT_SCHED_WAKEUP] = "thread wakeup",
};

const char *const fxt_event_names[16] = {
	[FXT_EV_INSTANT] = "instant",
	[FXT_EV_COUNTER] = "counter",
	[FXT_EV_DURATION_BEGIN] = "duration begin",
	[FXT_EV_DURATION_END] = "duration end",
	[FXT_EV_DURATION_COMPLETE] = "duration complete",
	[FXT_EV_ASYNC_BEGIN] = "async begin",
	[FXT_EV_ASYNC_INSTANT] = "async instant",
	[FXT_EV_ASYNC_END] = "async end",
	[FXT_EV_FLOW_BEGIN] = "flow begin",
	[FXT_EV_FLOW_STEP] = "flow step",
	[FXT_EV_FLOW_END] = "flow end",
};

struct fxt_source {
	struct source base;
	struct in **in;
	size_t nin;
	struct diag *diag;
	struct sink *sink;
	const char *file;
	struct fxt_reader *r;	/* reads in[at]; NULL if not yet open */
	size_t at;
	bool any;		/* a record of in[at] was read */
	int err;
};

static void push_item(struct fxt_source *s, struct fxt_item item)
{
	item.file = s->file;
	if (!s->err)
		s->err = sink_item(s->sink, &item);
}

static void on_problem(void *ctx, enum fxt_problem problem, uint64_t offset)
{
	struct fxt_source *s = ctx;

	diag_report(s->diag, &kinds[problem], s->file, DIAG_OFFSET, offset, "%s",
		    fxt_problem_text(problem));
	push_item(s, (struct fxt_item){
		.kind = FXT_ITEM_PROBLEM, .problem = problem, .offset = offset,
	});
}

static void push_record(struct fxt_source *s, struct fxt_reader *r, const struct fxt_rec *rec)
{
	struct fxt_rarg args[FXT_MAX_ARGS];
	unsigned int words, n = fxt_args(r, rec, args, &words);

	push_item(s, (struct fxt_item){
		.kind = FXT_ITEM_RECORD, .rec = rec, .args = args, .nargs = n,
		.arg_words = words, .offset = rec->offset,
	});
	if (rec->type != FXT_REC_LARGE)
		return;
	for (;;) {
		struct fxt_item item = { .kind = FXT_ITEM_DATA, .offset = rec->offset };

		item.data = s->err ? NULL : fxt_next_data(r, &item.ndata);
		push_item(s, item);
		if (!item.data)
			break;
	}
}

static void begin_input(struct fxt_source *s, struct in *in)
{
	s->r = fxt_reader_new(in, on_problem, s);
	s->any = false;
	s->file = in_name(in);
	push_item(s, (struct fxt_item){ .kind = FXT_ITEM_BEGIN });
}

/* Ends the current input.  @ret: what fxt_next() returned. */
static void end_input(struct fxt_source *s, int ret)
{
	if (ret < 0 && !s->any && s->nin == 1)
		diag_fatal(s->diag, "%s: nothing in it can be read as FXT", s->file);
	push_item(s, (struct fxt_item){ .kind = FXT_ITEM_END, .offset = in_offset(s->in[s->at]) });
	fxt_reader_free(s->r);
	s->r = NULL;
	s->at++;
}

/* Reads one record. */
static int fxt_source_step(struct source *base, struct sink *sink)
{
	struct fxt_source *s = (struct fxt_source *)base;
	struct fxt_rec rec;
	int ret;

	s->sink = sink;
	if (s->at == s->nin)
		return 0;
	if (!s->r)
		begin_input(s, s->in[s->at]);
	ret = s->err ? 0 : fxt_next(s->r, &rec);
	if (ret > 0) {
		s->any = true;
		push_record(s, s->r, &rec);
	} else {
		end_input(s, ret);
	}
	return s->err ? s->err : 1;
}

static void fxt_source_free(struct source *base)
{
	fxt_reader_free(((struct fxt_source *)base)->r);
	free(base);
}

static const struct source_ops fxt_source_ops = {
	.step = fxt_source_step,
	.free = fxt_source_free,
};

int fxt_in_detect(const uint8_t *data, size_t n)
{
	uint64_t word = FXT_MAGIC;
	uint8_t magic[8], reversed[8];

	if (n < 8)
		return DETECT_NO;
	memcpy(magic, &word, 8);
	for (unsigned int i = 0; i < 8; i++)
		reversed[i] = magic[7 - i];
	return memcmp(data, magic, 8) && memcmp(data, reversed, 8) ? DETECT_NO : DETECT_SURE;
}

struct source *fxt_in_open(const struct source_args *args)
{
	struct fxt_source *s = xcalloc(1, sizeof(*s));

	s->base.ops = &fxt_source_ops;
	s->in = args->in;
	s->nin = args->nin;
	s->diag = args->diag;
	return &s->base;
}
