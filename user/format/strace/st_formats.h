/* SPDX-License-Identifier: LGPL-2.1 */
/* Reader of strace's logs, for the table in formats.c. */
#ifndef ETRACE_ST_FORMATS_H
#define ETRACE_ST_FORMATS_H

#include "io/formats.h"

/* Logs of strace: st_in.c */
int st_detect(const uint8_t *data, size_t n);
struct source *st_open(const struct source_args *args);
extern const struct opt_row st_options[];

#endif
