/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The programs that see what io_urings do.  They are loaded once a traced task has a
 * ring, and behind the back of the tasks; what rings are asked for meanwhile is counted.
 */
#ifndef ETRACE_BPF_URING_H
#define ETRACE_BPF_URING_H

#include <stdbool.h>
#include <stddef.h>

#define URING_FUNCTIONS	40

struct bpf_program;
struct etrace_bpf;

/* What is attached. All zero: nothing. */
struct uring {
	struct etrace_bpf *skel;	/* the programs; their maps will be the session's */
	/* The functions that do what rings ask for. */
	const char *functions[URING_FUNCTIONS];
	unsigned int nfunctions;
	struct bpf_link *links[2 * URING_FUNCTIONS];
	unsigned int nlinks;
	bool multi;			/* one link hooks all of them */
};

/** uring_has - whether a program is one for rings */
bool uring_has(const struct bpf_program *p);

/** uring_counts - whether it is one that counts what the others do not see */
bool uring_counts(const struct bpf_program *p);

/** uring_forget - nothing is seen of what rings do: from now on it is counted */
void uring_forget(struct etrace_bpf *session);

/**
 * uring_attach - load and attach the programs, if this kernel takes them
 * @u: zeroed, with @skel open; uring_detach() is for the caller to call, also on failure
 * @session: loaded; @old as of struct programs
 *
 * This takes a second at most.
 *
 * Return: 0, also where the kernel does not let us see anything; or -errno: what rings
 * do is counted as before.
 */
int uring_attach(struct uring *u, struct etrace_bpf *session, bool old);

/** uring_fds - the links' descriptors into @fds, 2 * URING_FUNCTIONS at most. Return: how many */
size_t uring_fds(const struct uring *u, int *fds);

void uring_detach(struct uring *u);

#endif
