/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SAMPLE_MATH_H
#define SAMPLE_MATH_H
#include "types.h"
number add(number a, number b);
number mul(number a, number b);
number quick(number a);
extern const int start;
int flags(void);
#endif
