/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The symbolic links by which a build reached files.  A trace has the names of what they
 * lead to; /usr/bin/gcc, a link, is of another package than what runs.
 */
#ifndef ETRACE_USED_LINKS_H
#define ETRACE_USED_LINKS_H

#include "answers/used.h"

/**
 * used_links - all that are still there, each told to @fn, maybe several times
 * @fn: @file: what it leads to; @program: it was run, not opened
 *
 * A name by which a file was opened is told also if it is no link now.
 */
void used_links(const struct used *u,
		void (*fn)(void *ctx, uint32_t file, const char *path, bool program), void *ctx);

#endif
