/* SPDX-License-Identifier: GPL-2.0 */
int left(void);
long right(void);

int main(void)
{
	return left() + right() != 3;
}
