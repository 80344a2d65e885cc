/* SPDX-License-Identifier: GPL-2.0 */
	.section .rodata
	.globl bytes
bytes:
	.incbin "bytes.bin"
	.section .note.GNU-stack,"",@progbits
