/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The mounts that a task sees, and which of them can look up a name by themselves:
 * others ask a daemon or a server, which may be slow or never answer.
 */
#ifndef ETRACE_MOUNTS_H
#define ETRACE_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/**
 * struct mount_point - a mount
 * @id, @parent: mount ids, as in statx()
 * @major, @minor: device of the file system
 * @at: path of the mount point, from the task's root directory
 * @answers: looking up a name there does not wait for another process or machine
 * @no_links: symbolic links are not followed there
 * @proc: it is procfs, whose links do not always lead to where their text says
 */
struct mount_point {
	uint64_t id, parent;
	uint32_t major, minor;
	const char *at;
	bool answers, no_links, proc;
};

/* Initialize with zeros; mounts_free() frees its memory. */
struct mounts {
	struct mount_point *list;
	size_t n, cap;
	struct buf text;	/* contents of the file; the list points into it */
};

/**
 * mounts_read - replace the list with the mounts listed in a file
 * @fd: /proc/PID/mountinfo, read from its current position to the end
 *
 * Lines that cannot be parsed are skipped.
 *
 * Return: 0, or -errno with an empty list.
 */
int mounts_read(struct mounts *m, int fd);

void mounts_free(struct mounts *m);

/** mounts_find - the mount with that id, NULL if none */
const struct mount_point *mounts_find(const struct mounts *m, uint64_t id);

/** mounts_on - the mount on @path (@len bytes) in the mount @parent, NULL if none */
const struct mount_point *mounts_on(const struct mounts *m, uint64_t parent,
				    const char *path, size_t len);

/** mounts_of - a mount of the file system on that device, NULL if none */
const struct mount_point *mounts_of(const struct mounts *m, uint32_t major, uint32_t minor);

#endif
