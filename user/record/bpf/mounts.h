/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The mounts that a task sees, and which of them answer a look-up by themselves:
 * others ask a daemon or a server, which may take its time, or never answer.
 */
#ifndef ETRACE_MOUNTS_H
#define ETRACE_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/**
 * struct mount_point - a mount
 * @id, @parent: as statx() numbers mounts
 * @major, @minor: device of the file system
 * @at: path of where it is mounted, from the task's root directory
 * @answers: who looks a name up there waits for nobody
 * @no_links: symbolic links are not followed there
 * @proc: it is procfs, whose links lead to what they do not say
 */
struct mount_point {
	uint64_t id, parent;
	uint32_t major, minor;
	const char *at;
	bool answers, no_links, proc;
};

/* Starts as all zeros; mounts_free() ends it. */
struct mounts {
	struct mount_point *list;
	size_t n, cap;
	struct buf text;	/* that of the file, which the list points into */
};

/**
 * mounts_read - all mounts, in the place of those that were there
 * @fd: of /proc/PID/mountinfo, read from where it stands to its end
 *
 * Lines that cannot be understood are passed over.
 *
 * Return: 0 or -errno; then there are none.
 */
int mounts_read(struct mounts *m, int fd);

void mounts_free(struct mounts *m);

/** mounts_find - the mount of that number, or NULL */
const struct mount_point *mounts_find(const struct mounts *m, uint64_t id);

/** mounts_on - what is mounted on @path, @len bytes, of mount @parent; NULL: nothing */
const struct mount_point *mounts_on(const struct mounts *m, uint64_t parent,
				    const char *path, size_t len);

/** mounts_of - a mount of the file system of that device, or NULL */
const struct mount_point *mounts_of(const struct mounts *m, uint32_t major, uint32_t minor);

#endif
