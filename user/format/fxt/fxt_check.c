// SPDX-License-Identifier: LGPL-2.1
/*
 * --check: the sink, which prints the findings.  fxt_check_record.c has the rules for
 * single records, fxt_check_time.c those for the order of events in time.
 */
#include "format/fxt/fxt_check.h"
#include "format/fxt/fxt_check_rules.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Maximum findings printed for each rule; the rest is only counted. */
#define REPORT_MAX	10u

struct fxt_check {
	struct sink base;
	struct out *out;
	struct diag *diag;

	/* For the current file: */
	const char *file;
	uint64_t found[RULE_COUNT];
	struct fxt_check_records *records;
	struct fxt_check_time *time;
};

static const struct {
	const char *name;
	bool must;
	const char *text;
} rules[RULE_COUNT] = {
#define FXT_RULE_ROW(id, name, must, text) [RULE_##id] = { name, must, text },
	FXT_RULES(FXT_RULE_ROW)
#undef FXT_RULE_ROW
};

static const struct diag_kind kind_broken = { "broken rules of FXT", DIAG_DAMAGE };

static const struct diag_kind kind_late = {
	"events too far out of order for --check to judge", DIAG_NOTE
};

static void report_broken(void *ctx, enum fxt_rule rule, uint64_t offset, const char *detail)
{
	struct fxt_check *c = ctx;

	if (rules[rule].must)
		diag_count(c->diag, &kind_broken, 1);
	if (++c->found[rule] > REPORT_MAX)
		return;
	out_printf(c->out, "%s: offset %" PRIu64 ": %s%s: %s", c->file, offset,
		   rules[rule].must ? "" : "remark: ", rules[rule].name, rules[rule].text);
	if (detail)
		out_printf(c->out, " (%s)", detail);
	out_write(c->out, "\n", 1);
}

/* The rules for the problems that the decoder reports. */
static const struct {
	enum fxt_rule rule;
	const char *detail;
} problem_rules[FXT_PROBLEM_COUNT] = {
	[FXT_BAD_MAGIC] = { RULE_MAGIC, NULL },
	[FXT_ZERO_SIZE] = { RULE_ZERO_SIZE, NULL },
	[FXT_CUT] = { RULE_CUT, NULL },
	[FXT_BAD_RECORD] = { RULE_PARTS, "there are too few words" },
	[FXT_BAD_ARG] = { RULE_ARGUMENTS, NULL },
	[FXT_MISSING_ARGS] = { RULE_ARGUMENTS, "there are fewer" },
	[FXT_UNDEFINED_STRING] = { RULE_UNDEFINED_STRING, NULL },
	[FXT_UNDEFINED_THREAD] = { RULE_UNDEFINED_THREAD, NULL },
	[FXT_UNKNOWN_RECORD] = { RULE_COUNT, NULL },	/* reported with the record */
	[FXT_UNKNOWN_METADATA] = { RULE_UNKNOWN_TYPE, "metadata" },
	[FXT_UNKNOWN_EVENT] = { RULE_UNKNOWN_TYPE, "event" },
	[FXT_UNKNOWN_ARG] = { RULE_UNKNOWN_TYPE, "argument" },
	[FXT_UNKNOWN_KIND] = { RULE_UNKNOWN_TYPE, "kind of a record" },
	[FXT_RESERVED] = { RULE_RESERVED, NULL },
	[FXT_READ_ERROR] = { RULE_CUT, "the file cannot be read further" },
};

static void free_parts(struct fxt_check *c)
{
	fxt_check_records_free(c->records);
	c->records = NULL;
	fxt_check_time_free(c->time);
	c->time = NULL;
}

static void begin_file(struct fxt_check *c, const char *file)
{
	free_parts(c);
	c->file = file;
	memset(c->found, 0, sizeof(c->found));
	c->time = fxt_check_time_new(report_broken, c);
	c->records = fxt_check_records_new(report_broken, c, c->time);
}

static void end_file(struct fxt_check *c)
{
	uint64_t late = fxt_check_time_end(c->time), all = 0;

	fxt_check_records_end(c->records);
	for (unsigned int r = 0; r < RULE_COUNT; r++) {
		if (rules[r].must)
			all += c->found[r];
		if (c->found[r] > REPORT_MAX)
			out_printf(c->out, "%s: %" PRIu64 " more of: %s\n", c->file,
				   c->found[r] - REPORT_MAX, rules[r].name);
	}
	if (all)
		out_printf(c->out, "%s: rules broken: %" PRIu64 "\n", c->file, all);
	else
		out_printf(c->out, "%s: follows the rules of the format and of its viewers\n",
			   c->file);
	if (late)
		diag_count(c->diag, &kind_late, late);
	free_parts(c);
}

static int fxt_check_item(struct sink *base, const void *data)
{
	struct fxt_check *c = (struct fxt_check *)base;
	const struct fxt_item *item = data;

	switch (item->kind) {
	case FXT_ITEM_BEGIN:
		begin_file(c, item->file);
		break;
	case FXT_ITEM_RECORD:
		fxt_check_records_add(c->records, item);
		break;
	case FXT_ITEM_DATA:
		break;
	case FXT_ITEM_PROBLEM:
		if (problem_rules[item->problem].rule == RULE_COUNT)
			break;
		report_broken(c, problem_rules[item->problem].rule, item->offset,
			      problem_rules[item->problem].detail);
		break;
	case FXT_ITEM_END:
		end_file(c);
		break;
	}
	return out_error(c->out);
}

static int fxt_check_end(struct sink *base)
{
	return out_flush(((struct fxt_check *)base)->out);
}

static void fxt_check_free(struct sink *base)
{
	struct fxt_check *c = (struct fxt_check *)base;

	free_parts(c);
	free(c);
}

static const struct sink_ops fxt_check_ops = {
	.item = fxt_check_item,
	.end = fxt_check_end,
	.free = fxt_check_free,
};

struct sink *fxt_check_open(const struct sink_args *args)
{
	struct fxt_check *c = xcalloc(1, sizeof(*c));

	c->base.ops = &fxt_check_ops;
	c->out = args->out;
	c->diag = args->diag;
	return &c->base;
}
