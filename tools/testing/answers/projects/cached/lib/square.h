/* SPDX-License-Identifier: GPL-2.0 */
int square(int side);
