/* SPDX-License-Identifier: LGPL-2.1 */
/* SWAP as JSON: the function of its row in formats.c. */
#ifndef ETRACE_SWAP_JSON_H
#define ETRACE_SWAP_JSON_H

#include "io/formats.h"

/*
 * struct sink_format.open: takes struct swap_item, writes one JSON object in a
 * line for each, with every field under its name of SWAP_FIELDS
 * (Documentation/swap.md, "JSON").
 */
struct sink *swap_json_open(const struct sink_args *args);

#endif
