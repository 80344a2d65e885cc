// SPDX-License-Identifier: GPL-2.0
export module shapes;
import square;

export int box(int side)
{
	return 6 * square(side);
}
