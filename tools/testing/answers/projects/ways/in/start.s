# SPDX-License-Identifier: GPL-2.0
	.globl _start
_start:	nop
