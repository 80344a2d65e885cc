/* SPDX-License-Identifier: GPL-2.0 */
/* Names of signals. */
#ifndef ETRACE_SIGNAME_H
#define ETRACE_SIGNAME_H

#include <stddef.h>

/** signal_name - "SIGSEGV"; "signal 40" where a number has no name
 * @signal: its number, as this machine counts them
 * @buf: filled, in 32 bytes at most
 */
void signal_name(int signal, char *buf, size_t size);

#endif
