/* SPDX-License-Identifier: LGPL-2.1 */
/* Converts between signal numbers and their names ("SIGSEGV"). */
#ifndef ETRACE_SIGNAME_H
#define ETRACE_SIGNAME_H

#include <stddef.h>

/** signal_name - the name of a signal: "SIGSEGV"; "signal 40" if it has none
 * @signal: its number on this machine
 * @buf: filled; 32 bytes are always enough
 */
void signal_name(int signal, char *buf, size_t size);

/** signal_abbrev - the name of a signal without SIG: "SEGV"; NULL if it has none */
const char *signal_abbrev(int signal);

/** signal_number - the number of a signal's name ("SIGSEGV") of @len bytes, 0 if none has it */
int signal_number(const char *name, size_t len);

#endif
