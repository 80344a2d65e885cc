/* SPDX-License-Identifier: LGPL-2.1 */
#ifndef SPRT_FXT_FIELDS_H
#define SPRT_FXT_FIELDS_H

#include "format/fxt/fxt_args.h"
#include "format/sprtrace/sprt_model.h"

/** sprt_fxt_fields - add the fields of an item as FXT arguments; not for calls */
void sprt_fxt_fields(struct fxt_args *a, const struct sprt_item *item);

#endif
