// SPDX-License-Identifier: LGPL-2.1
/* The words of a text report.  See sprt_words.h. */
#include "format/sprtrace/sprt_words.h"

const char *const sprt_filter_names[3] = { "leaks", "compress", "resolve" };

const struct sprt_heap_word sprt_heap_words[SPRT_HEAP_NWORDS] = {
	{ SPRT_HEAP_BOTTOM, "heap bottom", "heap bottom" },
	{ SPRT_HEAP_TOP, "heap top", "heap top" },
	{ SPRT_HEAP_LOWEST, "lowest block", "lowest block" },
	{ SPRT_HEAP_HIGHEST, "highest block", "highest block" },
	{ SPRT_HEAP_ARENA, "non-mapped space allocated from system",
			   "non-mapped space allocated from system" },
	{ SPRT_HEAP_ORDBLKS, "count of free chunks", "number of free chunks" },
	{ SPRT_HEAP_SMBLKS, "count of freed fastbin blocks",
			    "number of fastbin blocks" },
	{ SPRT_HEAP_HBLKS, "count of mapped regions",
			   "number of mapped regions" },
	{ SPRT_HEAP_HBLKHD, "space in mapped regions",
			    "space in mapped regions" },
	{ SPRT_HEAP_USMBLKS, "maximum total allocated space",
			     "maximum total allocated space" },
	{ SPRT_HEAP_FSMBLKS, "space available in freed fastbin blocks",
			     "space available in freed fastbin blocks" },
	{ SPRT_HEAP_UORDBLKS, "total allocated space, both normal and mmapped",
			      "total allocated space" },
	{ SPRT_HEAP_FORDBLKS, "total free space", "total free space" },
	{ SPRT_HEAP_KEEPCOST, "space ideally releasable via malloc_trim",
			      "top-most, releasable (via malloc_trim) space" },
};
