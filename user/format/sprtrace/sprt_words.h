/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The words of a text report that its reader and its writer must agree on.
 * Only tables here.
 */
#ifndef SPRT_WORDS_H
#define SPRT_WORDS_H

#include "format/sprtrace/sprt_model.h"

#define SPRT_HEAP_TITLE	"heap status information:"
#define SPRT_MODULE_TITLE "tracing module: ["
#define SPRT_SUMMARY_TITLE "# allocation summary: "

/* Names of the filters in the header line, in order of their bits. */
extern const char *const sprt_filter_names[3];

/* One line of heap information: which value, and what it is called. */
struct sprt_heap_word {
	int value;		/* enum sprt_heap_value, or one of: */
	const char *label;	/* as version 1.8 writes it */
	const char *old;	/* as versions 1.1 to 1.6 write it */
};
#define SPRT_HEAP_BOTTOM	(-1)
#define SPRT_HEAP_TOP		(-2)
#define SPRT_HEAP_LOWEST	(-3)
#define SPRT_HEAP_HIGHEST	(-4)

#define SPRT_HEAP_NWORDS 14
extern const struct sprt_heap_word sprt_heap_words[SPRT_HEAP_NWORDS];

#endif
