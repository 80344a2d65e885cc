/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHAPES_H
#define SHAPES_H
#ifdef __cplusplus
extern "C" {
#endif
long circle_area(long r);
long square_area(long a);
const char *name_of(unsigned int n);
#ifdef __cplusplus
}
#endif
#endif
