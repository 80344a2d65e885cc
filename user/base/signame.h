/* SPDX-License-Identifier: LGPL-2.1 */
/* Names of signals. */
#ifndef ETRACE_SIGNAME_H
#define ETRACE_SIGNAME_H

#include <stddef.h>

/** signal_name - "SIGSEGV"; "signal 40" where a number has no name
 * @signal: its number, as this machine counts them
 * @buf: filled, in 32 bytes at most
 */
void signal_name(int signal, char *buf, size_t size);

/** signal_abbrev - "SEGV"; NULL where a number has no name */
const char *signal_abbrev(int signal);

/** signal_number - that of "SIGSEGV", @len bytes; 0: no such signal */
int signal_number(const char *name, size_t len);

#endif
