/* SPDX-License-Identifier: LGPL-2.1 */
/* The public numbers of kinds of events. */
#ifndef ETRACE_API_SCHEMA_H
#define ETRACE_API_SCHEMA_H

#include "event/schema.h"
#include "include/etrace.h"

/** api_number - ETRACE_K_* of a kind */
__attribute__((visibility("hidden")))
unsigned int api_number(enum et_kind kind);

#endif
