/* SPDX-License-Identifier: GPL-2.0 */
/* Shows the page of a build to the user: run --open. */
#ifndef ETRACE_OPEN_PAGE_H
#define ETRACE_OPEN_PAGE_H

#include "cli/caller.h"
#include "cli/inherit.h"

/**
 * open_page - open a file with what the user's session opens such files with
 * @u: the user who called sudo, NULL for the one who runs this program
 * @mask, @kept: what the program that is run inherits
 *
 * Runs xdg-open, in a graphical session, and never as root; else prints the path on standard
 * error.  Waits only for a moment, in which that program may fail.
 */
void open_page(const char *path, const struct user *u, const sigset_t *mask,
	       const struct inherited *kept);

#endif
