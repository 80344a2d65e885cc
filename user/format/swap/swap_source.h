/* SPDX-License-Identifier: LGPL-2.1 */
/* The SWAP source: the functions of its row in formats.c. */
#ifndef ETRACE_SWAP_SOURCE_H
#define ETRACE_SWAP_SOURCE_H

#include "io/formats.h"
#include "format/swap/swap_model.h"

extern const struct opt_row swap_source_options[];

/* struct source_format.detect */
int swap_source_detect(const uint8_t *data, size_t n);

/* struct source_format.open; pushes struct swap_item */
struct source *swap_source_open(const struct source_args *args);

#endif
