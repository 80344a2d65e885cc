/* SPDX-License-Identifier: LGPL-2.1 */
/* Functions of the etrace rows in formats.c, and nothing else. */
#ifndef ETRACE_ETRACE_FORMATS_H
#define ETRACE_ETRACE_FORMATS_H

#include "io/formats.h"

/* etrace_in.c: the lines of trace_pipe */
int etrace_in_detect(const uint8_t *data, size_t n);
struct source *etrace_in_open(const struct source_args *args);

/* etrace_fxt_in.c: FXT files made by etrace_fxt_out.c */
int etrace_fxt_in_detect(const uint8_t *data, size_t n);
struct source *etrace_fxt_in_open(const struct source_args *args);

struct sink *etrace_lines_open(const struct sink_args *args);
struct sink *etrace_json_open(const struct sink_args *args);
struct sink *etrace_fxt_open(const struct sink_args *args);
struct sink *etrace_report_open(const struct sink_args *args);

/* --bits-of-real-pid, of rows that look into upids; and those of the summary */
#define ETRACE_PID_OPTION						\
	{ "bits-of-real-pid", "N", "value of the module's parameter of that name, if it is not 22" }
extern const struct opt_row etrace_pid_options[];
extern const struct opt_row etrace_report_options[];
/**
 * etrace_pid_bits - its value
 *
 * Return: false after diag_fatal() if it is no number from 0 to 32.
 */
bool etrace_pid_bits(const struct opts *opts, struct diag *diag, unsigned int *bits);

#endif
