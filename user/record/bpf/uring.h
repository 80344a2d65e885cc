/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The programs that record io_uring operations. They are loaded in the background once
 * a traced task has a ring; earlier requests are only counted.
 */
#ifndef ETRACE_BPF_URING_H
#define ETRACE_BPF_URING_H

#include <stdbool.h>
#include <stddef.h>

#define URING_FUNCTIONS	40

struct bpf_program;
struct etrace_bpf;

/* The attached programs. All zero if none. */
struct uring {
	struct etrace_bpf *skel;	/* the programs; they use the session's maps */
	/* The kernel functions that carry out requests of rings. */
	const char *functions[URING_FUNCTIONS];
	unsigned int nfunctions;
	struct bpf_link *links[2 * URING_FUNCTIONS];
	unsigned int nlinks;
	bool multi;			/* one link hooks all of them */
};

/** uring_has - whether a program is for rings */
bool uring_has(const struct bpf_program *p);

/** uring_counts - whether a program counts the requests that the others do not see */
bool uring_counts(const struct bpf_program *p);

/** uring_forget - from now on, only count the requests of rings */
void uring_forget(struct etrace_bpf *session);

/**
 * uring_attach - load and attach the programs, if this kernel accepts them
 * @u: zeroed, with @skel open; the caller must call uring_detach(), also on error
 * @session: loaded; @old as in struct programs
 *
 * This takes up to one second.
 *
 * Return: 0, also if this kernel has no function to attach to; -errno on error: requests
 * of rings are still counted.
 */
int uring_attach(struct uring *u, struct etrace_bpf *session, bool old);

/**
 * uring_fds - store up to 2 * URING_FUNCTIONS descriptors of links in @fds.
 *
 * Return: their number
 */
size_t uring_fds(const struct uring *u, int *fds);

void uring_detach(struct uring *u);

#endif
