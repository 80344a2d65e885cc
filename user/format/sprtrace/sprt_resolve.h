/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Finds names for the addresses of backtraces, in the symbols and the DWARF of the
 * files that were mapped there, with libdw.
 */
#ifndef SPRT_RESOLVE_H
#define SPRT_RESOLVE_H

#include "io/diag.h"
#include "format/sprtrace/sprt_log.h"

/**
 * sprt_resolve - give every frame of a log its text
 * @sysroot: directory that holds the traced machine's files, or NULL for /
 *
 * The texts are those of sp-rtrace-resolve: "name() at file:line",
 * "name() from path", "from path", "in ??"; a C++ name is demangled and brings
 * its own parentheses.  A frame that already has a text keeps it if neither a
 * symbol nor a source line is found.
 */
void sprt_resolve(struct sprt_log *log, const char *sysroot,
		  struct diag *diag);

#endif
