/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Malicious databases, and every query on them: test_db_hostile.c chooses what is in
 * them, fuzz_db.c lets the fuzzer choose.
 */
#ifndef COMMON_ANSWERS_H
#define COMMON_ANSWERS_H

#include <stddef.h>
#include <stdint.h>

/** answers_all - run every query on a database.  Return: the exit status, 2 if it is damaged */
int answers_all(const char *path);

/** answers_make_db - make a database of a trace, as etrace db does */
void answers_make_db(const char *path, const char *trace);

/** answers_copy - copy a file, with @n bytes at @at replaced */
void answers_copy(const char *from, const char *to, size_t at, const void *data, size_t n);

/**
 * answers_change - run statements on a database
 * @seal: seal it again, so that etrace does not notice the change
 *
 * Return: the number of changed rows.
 */
int answers_change(const char *path, const char *sql, int seal);

/** answers_try - run statements on a database one by one, ignoring errors, and seal it again */
void answers_try(const char *path, const char *sql);

#endif
