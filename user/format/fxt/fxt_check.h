/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * --check: checks that an FXT file follows the rules of the format document, and those
 * that viewers add (Documentation/fxt-input.md, "Rules").
 */
#ifndef ETRACE_FXT_CHECK_H
#define ETRACE_FXT_CHECK_H

#include "io/formats.h"

/*
 * struct sink_format.open: takes struct fxt_item, and writes a line with the offset for
 * each broken rule.  A broken rule is reported as damage, so that the exit status is 1.
 */
struct sink *fxt_check_open(const struct sink_args *args);

#endif
