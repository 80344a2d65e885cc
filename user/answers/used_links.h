/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Finds the symbolic links through which a build reached files. A trace has only the names of
 * their targets, but the link /usr/bin/gcc may belong to another package than its target.
 */
#ifndef ETRACE_USED_LINKS_H
#define ETRACE_USED_LINKS_H

#include "answers/used_packages.h"

/* Called for link @path, which leads to @file; @class: enum graph_class of its use */
typedef void used_link_fn(void *ctx, uint32_t file, const char *path, unsigned int class);

/**
 * used_links - call @fn for all links that still exist, perhaps several times for each
 *
 * Files may also be reported under names that are not links now, but by which they were opened.
 */
void used_links(const struct used *u, used_link_fn *fn, void *ctx);

/** used_links_to_file - whether a path, with links followed, exists now and is not a directory */
bool used_links_to_file(const struct used *u, const char *path);

#endif
