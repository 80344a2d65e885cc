/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Writes numbers, sizes and times for people.  Each function has four buffers for each
 * thread and uses them in turn: a result must not be freed, and is valid until the
 * fourth call after it.
 */
#ifndef ETRACE_TEXT_NUM_H
#define ETRACE_TEXT_NUM_H

#include <stdint.h>

/** text_count - a number with separators: "1,234,567" */
const char *text_count(uint64_t n);

/** text_counted - a number and its noun, in the singular or the plural: "1 process" */
const char *text_counted(uint64_t n, const char *one, const char *many);

/**
 * text_noun - the text that follows a number: @what, a plural, or its singular if @n is 1
 *
 * "records lost" becomes "record lost": the first word that ends in s loses it.  @what must
 * contain no verb that depends on the number.
 */
const char *text_noun(uint64_t n, const char *what);

/** text_bytes - a size in bytes: "999 B", "1.5 MB"; a kB is 1,000 bytes */
const char *text_bytes(uint64_t n);

/**
 * text_time - a time in ns as text
 *
 * "0 s", "850 us", "1.3 ms", "5.03 s", "35.9 s", "3 min 02 s", "1 h 05 min".  ASCII only ("us");
 * otherwise the same as on the HTML page (show/page/dom.js).
 */
const char *text_time(uint64_t ns);

#endif
