/* SPDX-License-Identifier: GPL-2.0 */
/* To show the page of a build: run --open. */
#ifndef ETRACE_OPEN_PAGE_H
#define ETRACE_OPEN_PAGE_H

#include "cli/caller.h"
#include "cli/inherit.h"

/**
 * open_page - open a file with what the user's session opens such files with
 * @u: who called sudo, and gets it; NULL: who calls
 * @mask, @kept: what the program that is run shall have
 *
 * By xdg-open, in a graphical session, and never as root; else its path is told on
 * standard error.  Waits only for a moment, in which it may fail.
 */
void open_page(const char *path, const struct user *u, const sigset_t *mask,
	       const struct inherited *kept);

#endif
