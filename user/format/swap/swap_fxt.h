/* SPDX-License-Identifier: LGPL-2.1 */
/* SWAP as FXT: the function of its row in formats.c. */
#ifndef ETRACE_SWAP_FXT_H
#define ETRACE_SWAP_FXT_H

#include "io/formats.h"

/*
 * struct sink_format.open: takes struct swap_item, writes a Fuchsia trace
 * (Documentation/swap.md, "FXT").
 */
struct sink *swap_fxt_open(const struct sink_args *args);

#endif
