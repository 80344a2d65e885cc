/* SPDX-License-Identifier: GPL-2.0 */
void show(int area);
