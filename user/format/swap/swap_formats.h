/* SPDX-License-Identifier: LGPL-2.1 */
/* Readers and writers of SWAP for the table in formats.c.  See formats.h. */
#ifndef ETRACE_SWAP_FORMATS_H
#define ETRACE_SWAP_FORMATS_H

#include "io/formats.h"

/*
 * Source: reads data channels and passes on struct swap_item: swap_source.c, and swap_frame.c,
 * which detects them.
 */
int swap_source_detect(const uint8_t *data, size_t n);
struct source *swap_source_open(const struct source_args *args);
extern const struct opt_row swap_source_options[];

/* FXT: swap_fxt.c */
struct sink *swap_fxt_open(const struct sink_args *args);
/* JSON, an object per message: swap_json.c */
struct sink *swap_json_open(const struct sink_args *args);
/* A summary: swap_stats.c */
struct sink *swap_stats_open(const struct sink_args *args);
extern const struct opt_row swap_stats_options[];

#endif
