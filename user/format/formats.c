// SPDX-License-Identifier: LGPL-2.1
/*
 * The table of formats: one row for each format that can be read or written, and
 * nothing else.  --help has this order.  If a file can be read as several models, the
 * order also decides between outputs of one name: see choose.h.
 */
#include "event/pid_bits.h"
#include "format/fxt_events/etrace_fxt_format.h"
#include "format/json/etrace_json_out.h"
#include "format/lines/lines_format.h"
#include "format/report/report.h"
#include "io/formats.h"
#include "format/fxt/fxt_check.h"
#include "format/fxt/fxt_in.h"
#include "format/sprtrace/sprt_formats.h"
#include "format/strace/st_formats.h"
#include "format/swap/swap_formats.h"
#include "format/fxt_events/etrace_fxt_view.h"

const char *const model_names[MODEL_COUNT] = {
	[MODEL_ETRACE] = "etrace events",
	[MODEL_SPRTRACE] = "sp-rtrace logs",
	[MODEL_SWAP] = "SWAP messages",
	[MODEL_FXT] = "FXT records",
};

const struct source_format source_formats[] = {
	{ "fxt", "Fuchsia trace of any origin, either byte order",
	  MODEL_FXT, fxt_in_detect, fxt_in_open, NULL },
	{ "fxt", "one that etrace wrote, what it was made from",
	  MODEL_ETRACE, etrace_fxt_in_detect, etrace_fxt_in_open, NULL },
	{ "fxt-records", "the same, its records, whoever wrote it",
	  MODEL_FXT, fxt_in_detect, fxt_in_open, NULL },
	{ "etrace", "text of trace_pipe or per_cpu/cpu*/trace_pipe",
	  MODEL_ETRACE, etrace_in_detect, etrace_in_open, NULL },
	{ "strace", "log of strace -f, or the logs of strace -ff",
	  MODEL_ETRACE, st_detect, st_open, st_options },
	{ "sp-rtrace", "binary log of sp-rtrace, protocols 1.0 to 2.0",
	  MODEL_SPRTRACE, sprt_bin_detect, sprt_bin_open, NULL },
	{ "sp-rtrace-text", "text report of sp-rtrace",
	  MODEL_SPRTRACE, sprt_text_detect, sprt_text_open, NULL },
	{ "swap", "data channel of Tizen's dynamic analyser",
	  MODEL_SWAP, swap_source_detect, swap_source_open, swap_source_options },
	{ 0 }
};

#define STATS_HELP "write a summary for people, alone or beside another output"

const struct sink_format sink_formats[] = {
	{ "fxt", "Fuchsia trace, for viewers", MODEL_ETRACE,
	  etrace_fxt_open, etrace_fxt_options, SINK_BINARY, NULL },
	{ "fxt", "Fuchsia trace, for viewers", MODEL_SPRTRACE,
	  sprt_fxt_open, sprt_options, SINK_BINARY, NULL },
	{ "fxt", "Fuchsia trace, for viewers", MODEL_SWAP,
	  swap_fxt_open, NULL, SINK_BINARY, NULL },
	{ "etrace", "plain lines, in order of time", MODEL_ETRACE,
	  etrace_lines_open, NULL, 0, NULL },
	{ "json", "JSON, one object in a line", MODEL_ETRACE,
	  etrace_json_open, pid_bits_options, 0, NULL },
	{ "json", "JSON, one object in a line", MODEL_SPRTRACE,
	  sprt_json_open, sprt_options, 0, NULL },
	{ "json", "JSON, one object in a line", MODEL_SWAP,
	  swap_json_open, NULL, 0, NULL },
	/* last: for a file of etrace, JSON means its events, not its FXT records */
	{ "json", "JSON, one object in a line", MODEL_FXT,
	  fxt_in_json_open, NULL, 0, NULL },
	{ "sp-rtrace-text", "report as sp-rtrace-postproc prints it", MODEL_SPRTRACE,
	  sprt_print_open, sprt_report_options, 0, NULL },
	{ "stats", STATS_HELP, MODEL_ETRACE,
	  etrace_report_open, etrace_report_options, 0, "stats" },
	{ "stats", STATS_HELP, MODEL_SPRTRACE,
	  sprt_stats_open, sprt_stats_options, 0, "stats" },
	{ "stats", STATS_HELP, MODEL_SWAP,
	  swap_stats_open, swap_stats_options, 0, "stats" },
	{ "stats", STATS_HELP, MODEL_FXT,
	  fxt_stats_open, fxt_stats_options, 0, "stats" },
	{ "check", "list the rules of FXT and of its viewers that an FXT file breaks", MODEL_FXT,
	  fxt_check_open, NULL, 0, "check" },
	{ 0 }
};
