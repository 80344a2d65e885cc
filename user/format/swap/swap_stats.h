/* SPDX-License-Identifier: LGPL-2.1 */
/* Sink "stats" of SWAP: a summary for a person, or as JSON. */
#ifndef ETRACE_SWAP_STATS_H
#define ETRACE_SWAP_STATS_H

#include "io/formats.h"

/* struct sink_format.open */
struct sink *swap_stats_open(const struct sink_args *args);

extern const struct opt_row swap_stats_options[];

#endif
