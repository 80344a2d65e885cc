/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Databases that somebody made to do harm, and every answer of them: test_db_hostile.c
 * chooses what is in them, fuzz_db.c lets the fuzzer.
 */
#ifndef COMMON_ANSWERS_H
#define COMMON_ANSWERS_H

#include <stddef.h>
#include <stdint.h>

/** answers_all - all that etrace can answer of a database.  Return: the exit status, 2: it is damaged */
int answers_all(const char *path);

/** answers_make_db - a database of a trace, as etrace db makes it */
void answers_make_db(const char *path, const char *trace);

/** answers_copy - put @n bytes at @at in a copy of a file */
void answers_copy(const char *from, const char *to, size_t at, const void *data, size_t n);

/**
 * answers_change - run statements on a database
 * @seal: as if nobody had
 *
 * Return: how many rows have changed.
 */
int answers_change(const char *path, const char *sql, int seal);

/** answers_try - the same, sealed, of one statement in a line; those that cannot be are passed over */
void answers_try(const char *path, const char *sql);

#endif
