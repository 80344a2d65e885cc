/* SPDX-License-Identifier: LGPL-2.1 */
/* Converts a pointer to a member into one to the struct that contains it. */
#ifndef ETRACE_CONTAINER_H
#define ETRACE_CONTAINER_H

#include <stddef.h>

/**
 * container_of - the struct that has @ptr as its @member
 *
 * @ptr must be a pointer of the member's type: the conditional expression makes the
 * compiler reject any other type.
 */
#define container_of(ptr, type, member)	\
	((type *)((char *)(1 ? (ptr) : &((type *)0)->member) - offsetof(type, member)))

#endif
