/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The symbolic links by which a build reached files.  A trace has the names of what they
 * lead to; /usr/bin/gcc, a link, is of another package than what runs.
 */
#ifndef ETRACE_USED_LINKS_H
#define ETRACE_USED_LINKS_H

#include "answers/used.h"

/* @file: what @path leads to; @class: of enum graph_class, as what it was used */
typedef void used_link_fn(void *ctx, uint32_t file, const char *path, unsigned int class);

/**
 * used_links - all that are still there, each told to @fn, maybe several times
 * A name by which a file was read is told also if it is no link now.
 */
void used_links(const struct used *u, used_link_fn *fn, void *ctx);

/** used_links_to_file - whether a path is, or leads to, something that is now no directory */
bool used_links_to_file(const struct used *u, const char *path);

#endif
