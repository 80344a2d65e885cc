/* SPDX-License-Identifier: GPL-2.0 */
/* Shows the page of a build to the user: run --open. */
#ifndef ETRACE_OPEN_PAGE_H
#define ETRACE_OPEN_PAGE_H

#include "cli/caller.h"
#include "cli/inherit.h"

/**
 * open_page - open a file with the user's default program for it
 * @u: the user who ran sudo, NULL for the user who runs this program
 * @mask, @kept: signal mask and attributes (inherit.h) that the program inherits
 *
 * In a graphical session, and never as root, runs xdg-open; else, or if that fails within a
 * second, prints the path on standard error.
 */
void open_page(const char *path, const struct user *u, const sigset_t *mask,
	       const struct inherited *kept);

#endif
