/* SPDX-License-Identifier: LGPL-2.1 */
/* kernel/etrace_syscalls.def as the loader of the BPF programs needs it. */
#ifndef ETRACE_BPF_ROWS_H
#define ETRACE_BPF_ROWS_H

#include "record/bpf/bpf_abi.h"

#define EB_MAX_ROLES	6

struct eb_row_def {
	__u8 record, recorded, hook;
	__u8 where;			/* enum et_where, of its events */
	__u8 role[EB_MAX_ROLES];	/* enum eb_arg, in the order of the call */
};

extern const struct eb_row_def eb_row_defs[];
extern const unsigned int eb_nr_rows;

/* What rings can be asked for, and which row it is of; EB_RING_UNSEEN: none. */
struct eb_ring_def {
	__u8 number, row;
	const char *function;
};

extern const struct eb_ring_def eb_ring_defs[];
extern const unsigned int eb_nr_rings;

/* The number of each row's call, -1: the ABI does not have it. */
extern const int eb_numbers_native[];	/* numbers_native.c */
extern const int eb_numbers_compat[];	/* numbers_compat.c */

#endif
