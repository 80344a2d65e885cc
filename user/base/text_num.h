/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Numbers as people read them.  Each function has four buffers in each thread,
 * which it uses in turn: four results can stand in one line, and nobody frees them.
 */
#ifndef ETRACE_TEXT_NUM_H
#define ETRACE_TEXT_NUM_H

#include <stdint.h>

/** text_count - a number with separators: "1,234,567" */
const char *text_count(uint64_t n);

/** text_counted - that with its noun, in the singular or the plural: "1 process" */
const char *text_counted(uint64_t n, const char *one, const char *many);

/**
 * text_noun - what follows a number: @what, which is a plural, or for 1 its singular
 *
 * "records lost" becomes "record lost": the first word that ends in s loses it, so no verb
 * of @what may depend on the number.
 */
const char *text_noun(uint64_t n, const char *what);

/** text_bytes - a number of bytes: "999 B", "1.5 MB", units of 1,000 */
const char *text_bytes(uint64_t n);

/**
 * text_time - nanoseconds: "0 s", "850 us", "1.3 ms", "5.03 s", "35.9 s", "3 min 02 s", "1 h 05 min"
 *
 * In ASCII; else as the page has it (show/page/dom.js).
 */
const char *text_time(uint64_t ns);

#endif
