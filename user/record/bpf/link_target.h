/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Finds the target of a symbolic link.  A BPF program cannot look up a path, so the
 * reader does it shortly afterwards, with the privileges and the root directory of the
 * task that made the link.  It never waits for a daemon or a server, and mounts
 * nothing.
 */
#ifndef ETRACE_LINK_TARGET_H
#define ETRACE_LINK_TARGET_H

#include <stdint.h>

struct buf;
struct eb_maker;

/* State kept between look-ups: the mounts of this process. */
struct link_target;
struct link_target *link_target_new(void);
void link_target_free(struct link_target *t);

/**
 * link_target - resolve() of struct bpf_rec_ops
 * @arg: struct link_target
 * @groups: the maker->ngroups groups of @maker, NULL if unknown
 * @target: the link's text
 * @link: its own path
 * @to: the target's path is added to this
 *
 * A target younger than the link did not exist when the link was made.  The result is
 * EB_TARGET_UNTOLD if another process or machine would have to be asked, or if the
 * link's directory is no longer at its path and the target is relative to it.
 *
 * Return: enum eb_target.
 */
int link_target(void *arg, const struct eb_maker *maker, const uint32_t *groups,
		const struct buf *target, const struct buf *link, struct buf *to);

#endif
