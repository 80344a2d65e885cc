/* SPDX-License-Identifier: LGPL-2.1 */
/* --bits-of-real-pid: how many low bits of a upid are the pid (event.h). */
#ifndef ETRACE_PID_BITS_H
#define ETRACE_PID_BITS_H

#include "io/diag.h"
#include "io/options.h"

#define PID_BITS_OPTION						\
	{ "bits-of-real-pid", "N", "the module's parameter of the same name, if it is not 22" }

/* For a format that has no other option. */
extern const struct opt_row pid_bits_options[];

/**
 * pid_bits_of - the value of the option
 *
 * Return: false after diag_fatal() if it is not a number from 0 to 32.
 */
bool pid_bits_of(const struct opts *opts, struct diag *diag, unsigned int *bits);

#endif
