/* SPDX-License-Identifier: LGPL-2.1 */
/* Access to the fields of a message by name, and to the elements of its lists. */
#ifndef ETRACE_SWAP_FIELDS_H
#define ETRACE_SWAP_FIELDS_H

#include "format/swap/swap_frame.h"

/* No message has more, not counting those inside its lists. */
#define SWAP_FIELDS_MAX	40u

/* The fields of a message, or of an element of a list, in their order. */
struct swap_fields {
	struct {
		const struct swap_field *field;
		struct swap_value value;	/* SWAP_V_NONE for a list */
	} at[SWAP_FIELDS_MAX];
	size_t n;
	uint32_t outer_pid;	/* pid of the element that contains the list */
	const struct swap_field *list;	/* the list */
};

/** swap_keep - add a field */
void swap_keep(struct swap_fields *f, const struct swap_field *field, const struct swap_value *v);

/** swap_get - value of a field or list, NULL if missing */
const struct swap_value *swap_get(const struct swap_fields *f, const char *name);

/** swap_wide, swap_num - value of a number field of 64 or 32 bits, 0 if missing */
uint64_t swap_wide(const struct swap_fields *f, const char *name);
uint32_t swap_num(const struct swap_fields *f, const char *name);

/** swap_collect - get the fields of a message, except those inside its lists */
void swap_collect(const struct swap_message *m, struct swap_fields *f);

/** swap_each - call @fn for each element of a list of the message */
void swap_each(const struct swap_message *m, const char *list,
	       void (*fn)(void *ctx, const struct swap_fields *e), void *ctx);

#endif
