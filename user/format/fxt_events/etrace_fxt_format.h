/* SPDX-License-Identifier: LGPL-2.1 */
/* FXT files that etrace writes and reads back, as a format (Documentation/fxt-mapping.md). */
#ifndef ETRACE_FXT_FORMAT_H
#define ETRACE_FXT_FORMAT_H

#include "io/formats.h"

/* etrace_fxt_in.c, etrace_fxt_out.c */
int etrace_fxt_in_detect(const uint8_t *data, size_t n);
struct source *etrace_fxt_in_open(const struct source_args *args);
struct sink *etrace_fxt_open(const struct sink_args *args);

#endif
