/* SPDX-License-Identifier: LGPL-2.1 */
/* The numbers of the processors, which may have gaps: "0-1,4-5". */
#ifndef ETRACE_CPUS_H
#define ETRACE_CPUS_H

#include <stddef.h>
#include <stdio.h>

/**
 * cpus_read - read a list of processors as the kernel prints it
 * @f: the list
 * @n: set to their number
 *
 * Return: their numbers, rising, to be freed; NULL if there is none.
 */
int *cpus_read(FILE *f, size_t *n);

/** cpus_possible - cpus_read() of all that may come online, each of which has its buffers */
int *cpus_possible(size_t *n);

/** cpus_above - the number above the last one of a list, 0 if it is empty */
unsigned int cpus_above(const int *cpus, size_t n);

#endif
