/* SPDX-License-Identifier: GPL-2.0 */
int left(void)
{
	return 1;
}
