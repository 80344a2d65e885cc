// SPDX-License-Identifier: GPL-2.0
export module shapes;
export import :square;

export int box(int side);
