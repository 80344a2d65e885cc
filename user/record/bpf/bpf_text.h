/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The strings of a record of the BPF programs: paths from their components, names of
 * files that have no path, addresses, and names from an earlier record.
 */
#ifndef ETRACE_BPF_TEXT_H
#define ETRACE_BPF_TEXT_H

#include "base/buf.h"
#include "record/bpf/bpf_abi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	struct buf b;
	bool there;
	uint8_t mark;		/* EB_DELETED ... */
};

/**
 * texts_take - take the strings of a record
 * @texts: EB_NR_STR of them, filled in; their memory is reused
 * @held: the names that a hook has sent for the same call, NULL if none
 * @s, @left: the bytes that follow the record; moved to what follows the strings
 *
 * Return: false if the record makes no sense.
 */
bool texts_take(struct text *texts, const struct eb_rec *r, const struct text *held,
		const char **s, size_t *left);

#endif
