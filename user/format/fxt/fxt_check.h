/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * --check: whether an FXT file keeps the rules of the format document and those
 * that its viewers add (Documentation/fxt-input.md, "Rules").
 */
#ifndef ETRACE_FXT_CHECK_H
#define ETRACE_FXT_CHECK_H

#include "io/formats.h"

/*
 * struct sink_format.open: takes struct fxt_item, writes a line for each rule
 * that is broken, with the offset where.  A broken rule is damage for the diag,
 * so that the exit status is 1.
 */
struct sink *fxt_check_open(const struct sink_args *args);

#endif
