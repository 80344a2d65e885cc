/* SPDX-License-Identifier: GPL-2.0 */
#define START 7
