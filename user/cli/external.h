/* SPDX-License-Identifier: GPL-2.0 */
/* Runs commands of etrace that are separate programs; finds this program's directory. */
#ifndef ETRACE_EXTERNAL_H
#define ETRACE_EXTERNAL_H

#include <stdbool.h>
#include <stddef.h>

/** external_dir - the directory of the running program.  Return: false if unknown */
bool external_dir(char *dir, size_t size);

/**
 * external_fleet - replace this program with etrace-fleet, which uses libcurl
 * @argv: the command line of "push" or "fleet", beginning with that word
 *
 * So the program that records as root does not contain libcurl.
 *
 * Return: the exit status, after a message, if that program cannot be run.
 */
int external_fleet(int argc, char **argv);

#endif
