/* SPDX-License-Identifier: GPL-2.0 */
#include "answer.h"

int main(void)
{
	return answer() != 42;
}
