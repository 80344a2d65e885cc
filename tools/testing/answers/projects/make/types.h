/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SAMPLE_TYPES_H
#define SAMPLE_TYPES_H
typedef long number;
#endif
