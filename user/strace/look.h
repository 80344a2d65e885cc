/* SPDX-License-Identifier: LGPL-2.1 */
/* What of a file's place strace does not say, found by looking: struct st_asks. */
#ifndef ETRACE_LOOK_H
#define ETRACE_LOOK_H

#include "import/strace/st_log.h"

extern const struct st_asks look_asks;

#endif
