/* SPDX-License-Identifier: LGPL-2.1 */
/* Functions of the row in formats.c, and nothing else. */
#ifndef ETRACE_ST_FORMATS_H
#define ETRACE_ST_FORMATS_H

#include "io/formats.h"

/* st_in.c: logs of strace */
int st_detect(const uint8_t *data, size_t n);
struct source *st_open(const struct source_args *args);
extern const struct opt_row st_options[];

#endif
