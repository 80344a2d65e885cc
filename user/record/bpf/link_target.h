/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Where a symbolic link leads.  A BPF program cannot look a path up, so the
 * reader does, a little later, with the rights and in the root directory of
 * the task that made the link.  It waits for nobody and mounts nothing.
 */
#ifndef ETRACE_LINK_TARGET_H
#define ETRACE_LINK_TARGET_H

#include <stdint.h>

struct buf;
struct eb_maker;

/* What is kept from one to the next: the mounts of this process. */
struct link_target;
struct link_target *link_target_new(void);
void link_target_free(struct link_target *t);

/**
 * link_target - struct bpf_rec_ops's resolve
 * @arg: struct link_target
 * @groups: of @maker, maker->ngroups of them; NULL: not known
 * @target: the link's text
 * @link: its own path
 * @to: what the target's path is added to
 *
 * What is younger than the link was not there when it was made.  What another
 * process or machine would have to be asked for is not told, and neither is what
 * begins at a directory that has the link's path no longer.
 *
 * Return: enum eb_target.
 */
int link_target(void *arg, const struct eb_maker *maker, const uint32_t *groups,
		const struct buf *target, const struct buf *link, struct buf *to);

#endif
