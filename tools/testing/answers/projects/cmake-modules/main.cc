// SPDX-License-Identifier: GPL-2.0
import shapes;

int main()
{
	return box(2) != 24;
}
