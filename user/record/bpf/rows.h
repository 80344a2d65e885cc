/* SPDX-License-Identifier: LGPL-2.1 */
/* Tables made from kernel/etrace_syscalls.def for the loader of the BPF programs. */
#ifndef ETRACE_BPF_ROWS_H
#define ETRACE_BPF_ROWS_H

#include "record/bpf/bpf_abi.h"

#define EB_MAX_ROLES	6

struct eb_row_def {
	__u8 record, recorded, hook;
	__u8 where;			/* enum et_where: when its events are recorded */
	__u8 role[EB_MAX_ROLES];	/* enum eb_arg, in the order of the call */
};

extern const struct eb_row_def eb_row_defs[];
extern const unsigned int eb_nr_rows;

/* Operations of io_urings, and their rows; EB_RING_UNSEEN if only counted. */
struct eb_ring_def {
	__u8 number, row;
	const char *function;
};

extern const struct eb_ring_def eb_ring_defs[];
extern const unsigned int eb_nr_rings;

/* System call number of each row, -1 if the ABI does not have the call. */
extern const int eb_numbers_native[];	/* numbers_native.c */
extern const int eb_numbers_compat[];	/* numbers_compat.c */
extern const int eb_numbers_x32[];	/* rows.c; 0 if the call has no number of its own there */

#endif
