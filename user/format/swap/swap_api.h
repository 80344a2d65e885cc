/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Names of the functions that SWAP's probe messages name by number.  The
 * numbers differ from build to build; a file gives them, one "NUMBER NAME" in
 * a line (Documentation/swap.md, "Names of functions").
 */
#ifndef ETRACE_SWAP_API_H
#define ETRACE_SWAP_API_H

#include <stdint.h>

#include "io/diag.h"

struct swap_api;

/**
 * swap_api_read() - read a file of names
 * @path: the file
 * @diag: told, as a fatal error, why it cannot be used
 *
 * Empty lines and lines that begin with # are passed over; a number that comes
 * twice has its last name.
 *
 * Return: to be freed by swap_api_free(), or NULL after diag_fatal().
 */
struct swap_api *swap_api_read(const char *path, struct diag *diag);

/* Free; NULL is allowed. */
void swap_api_free(struct swap_api *a);

/**
 * swap_api_name() - name of a function
 * @a: the names, or NULL for none
 *
 * Return: the name, owned by @a, or NULL when the file does not have it.
 */
const char *swap_api_name(const struct swap_api *a, uint32_t id);

#endif
