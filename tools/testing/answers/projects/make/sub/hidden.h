/* SPDX-License-Identifier: GPL-2.0 */
#define HIDDEN 2
