/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The strings of a database, for who reads the arguments of all execs in order:
 * commands have most words in common, and to ask for each would be dear.
 */
#ifndef ETRACE_WORDS_H
#define ETRACE_WORDS_H

#include "db/db.h"

struct words;

struct words *words_new(struct db *db);
void words_free(struct words *w);

/**
 * words_next_id - the next number of a list of them, as exec.args is one
 * @at: moved behind it
 *
 * Return: false: there is none.
 */
bool words_next_id(const char **at, const char *end, uint32_t *id);

/**
 * words_get - a string by its id
 *
 * Return: @len bytes and a NUL, valid until the next call; NULL: there is none.
 */
const char *words_get(struct words *w, uint32_t id, size_t *len);

#endif
