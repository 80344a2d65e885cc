/* SPDX-License-Identifier: LGPL-2.1 */
/* The lines of trace_pipe as a format (Documentation/line-format.md). */
#ifndef ETRACE_LINES_FORMAT_H
#define ETRACE_LINES_FORMAT_H

#include "io/formats.h"

/* etrace_in.c, etrace_lines_out.c */
int etrace_in_detect(const uint8_t *data, size_t n);
struct source *etrace_in_open(const struct source_args *args);
struct sink *etrace_lines_open(const struct sink_args *args);

#endif
