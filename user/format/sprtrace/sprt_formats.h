/* SPDX-License-Identifier: LGPL-2.1 */
/* Readers and writers of sp-rtrace for the table in formats.c.  See formats.h. */
#ifndef SPRT_FORMATS_H
#define SPRT_FORMATS_H

#include "io/formats.h"

/* Binary logs, BINARY_PROTOCOL: sprt_bin.c */
int sprt_bin_detect(const uint8_t *data, size_t n);
struct source *sprt_bin_open(const struct source_args *args);

/* Text reports, TEXT_PROTOCOL: sprt_text.c, sprt_line.c */
int sprt_text_detect(const uint8_t *data, size_t n);
struct source *sprt_text_open(const struct source_args *args);

/* Text reports as sp-rtrace-postproc writes them: sprt_print.c */
struct sink *sprt_print_open(const struct sink_args *args);
/* FXT: sprt_fxt.c */
struct sink *sprt_fxt_open(const struct sink_args *args);
/* JSON, an object per item: sprt_json.c */
struct sink *sprt_json_open(const struct sink_args *args);
/* A summary: sprt_stats.c */
struct sink *sprt_stats_open(const struct sink_args *args);

/* Options for FXT and JSON, for text reports, and for the summary: sprt_filter.c */
extern const struct opt_row sprt_options[];
extern const struct opt_row sprt_report_options[];
extern const struct opt_row sprt_stats_options[];

#endif
