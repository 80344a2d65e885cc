/* SPDX-License-Identifier: LGPL-2.1 */
/* Finds a point in sorted rows by binary search. */
#ifndef ETRACE_PARTITION_H
#define ETRACE_PARTITION_H

#include <stddef.h>

/**
 * partition_point - the first index for which an expression is false
 * @i: name of the index in @expression
 * @from: the first index
 * @to: the index after the last one
 * @expression: true for all indexes below some point, false from there on
 *
 *	size_t first = partition_point(i, 0, nrows, rows[i].at < at);
 *
 * Return: that index; @to if @expression is true for all.
 */
#define partition_point(i, from, to, expression) __extension__ ({	\
	size_t low_ = (from), high_ = (to);				\
									\
	while (low_ < high_) {						\
		const size_t i = low_ + (high_ - low_) / 2;		\
									\
		if (expression)						\
			low_ = i + 1;					\
		else							\
			high_ = i;					\
	}								\
	low_;								\
})

#endif
