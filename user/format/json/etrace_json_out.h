/* SPDX-License-Identifier: LGPL-2.1 */
/* Events as JSON, one object in a line (Documentation/json.md). */
#ifndef ETRACE_ETRACE_JSON_OUT_H
#define ETRACE_ETRACE_JSON_OUT_H

#include "io/formats.h"

struct sink *etrace_json_open(const struct sink_args *args);

#endif
