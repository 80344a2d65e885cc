// SPDX-License-Identifier: LGPL-2.1
/* The template of pages: user/show/page, joined by template.sh at build time.  See page_parts.h. */
#include "show/page_parts.h"
#include "show/page_template.h"

__asm__(".section .rodata, \"a\"\n"
	".globl page_template, page_template_end\n"
	"page_template: .incbin \"" PAGE_TEMPLATE "\"\n"
	"page_template_end: .byte 0\n"
	".previous\n");
