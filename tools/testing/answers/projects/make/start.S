/* SPDX-License-Identifier: GPL-2.0 */
#include "asm.h"
	.section .rodata
	.globl start
start:
	.long START
	.section .note.GNU-stack,"",@progbits
