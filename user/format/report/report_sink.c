// SPDX-License-Identifier: LGPL-2.1
/* Makes a report of the events of a conversion: the output "report".  See report.h. */
#include "format/report/report.h"
#include "event/pid_bits.h"
#include "io/stats_out.h"
#include "base/xalloc.h"

#include <stdlib.h>

const struct opt_row etrace_report_options[] = {
	PID_BITS_OPTION,
	STATS_OPTION,
	{ 0 }
};

struct report_sink {
	struct sink sink;
	struct report *report;
	struct diag *diag;
	struct out *out;
	bool json;
	report_more *more;
	void *more_of;
};

static int report_sink_item(struct sink *s, const void *item)
{
	report_event(((struct report_sink *)s)->report, item);
	return 0;
}

static int report_sink_end(struct sink *s)
{
	static const struct diag_kind recorder_says = {
		"traces incomplete, as their recorder says", DIAG_DAMAGE };
	static const struct diag_kind unseen = {
		"io_urings set up: not everything done through these is recorded", DIAG_DAMAGE };
	struct report_sink *rs = (struct report_sink *)s;

	/* the input could not be read at all, and a message has said so */
	if (diag_status(rs->diag) == 2)
		return 0;
	report_end(rs->report);
	if (rs->report->kinds[ET_K_URING])
		diag_count(rs->diag, &unseen, rs->report->kinds[ET_K_URING]);
	if (rs->json)
		report_json(rs->report, rs->diag, rs->out, rs->more, rs->more_of);
	else
		report_text(rs->report, rs->diag, rs->out);
	if (!report_complete(rs->report, rs->diag) && diag_complete(rs->diag))
		diag_count(rs->diag, &recorder_says, 1);
	return out_flush(rs->out);
}

static void report_sink_free(struct sink *s)
{
	report_free(((struct report_sink *)s)->report);
	free(s);
}

struct sink *etrace_report_open(const struct sink_args *args)
{
	static const struct sink_ops ops = {
		report_sink_item, report_sink_end, report_sink_free
	};
	struct report_sink *rs;
	unsigned int bits;

	if (!pid_bits_of(args->opts, args->diag, &bits))
		return NULL;
	rs = xcalloc(1, sizeof(*rs));
	rs->sink.ops = &ops;
	rs->report = report_new(bits);
	rs->diag = args->diag;
	rs->out = args->out;
	rs->json = opt_flag(args->opts, "json");
	return &rs->sink;
}

void report_sink_more(struct sink *s, report_more *more, void *ctx)
{
	struct report_sink *rs = (struct report_sink *)s;

	rs->more = more;
	rs->more_of = ctx;
}
