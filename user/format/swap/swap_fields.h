/* SPDX-License-Identifier: LGPL-2.1 */
/* Access to the fields of a message by id, and to the elements of its lists. */
#ifndef ETRACE_SWAP_FIELDS_H
#define ETRACE_SWAP_FIELDS_H

#include "format/swap/swap_frame.h"

struct swap_fields {
	bool has[SWAP_F_COUNT];	/* field or list is present; @v has no value for a list */
	struct swap_value v[SWAP_F_COUNT];
	uint32_t outer_pid;	/* pid of the element that contains the list */
};

/* Value of a number field, 0 if missing. */
static inline uint32_t swap_num(const struct swap_fields *f, enum swap_field_id id)
{
	return f->has[id] ? (uint32_t)f->v[id].u : 0;
}

/** swap_collect - get the fields of a message, except those inside its lists */
void swap_collect(const struct swap_message *m, struct swap_fields *f);

/** swap_each - call @fn for each element of a list of the message */
void swap_each(const struct swap_message *m, enum swap_field_id list,
	       void (*fn)(void *ctx, const struct swap_fields *e), void *ctx);

#endif
