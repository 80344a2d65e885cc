/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the target of a symbolic link. */
#ifndef ETRACE_TARGET_H
#define ETRACE_TARGET_H

#include "etrace.h"

struct path;

int etrace_target_find(const struct path *dir, const struct etrace_str *target,
		       struct path *found);

#endif /* ETRACE_TARGET_H */
