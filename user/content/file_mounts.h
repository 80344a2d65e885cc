/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which mounts files may be read from, and what their file systems report about files: file_hash.h
 * depends on both.
 */
#ifndef ETRACE_FILE_MOUNTS_H
#define ETRACE_FILE_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILE_MOUNTS 8		/* number of mounts that a thread remembers */

/* Ids of mounts, as reported by statx(), sorted. */
struct mount_ids {
	uint64_t *of;
	size_t n;
};

/* A file system whose ctime comes from the kernel's own clock, and is exact. */
struct file_system {
	uint32_t magic;
	bool own_dev;	/* st_dev of stat() differs from the device in the trace */
	bool own_ino;	/* st_ino may differ from the inode number in the trace */
	bool fine;	/* Linux 6.13: a change after stat() changes ctime even in the same tick */
};

/* A mount that a thread has seen. */
struct file_mount {
	uint64_t id, dev;	/* @id is 0 if the row is empty */
	uint64_t until;		/* CLOCK_MONOTONIC, ns: the ids may be reused later */
	uint64_t fsid;
	const struct file_system *fs;	/* NULL if its ctime may be inexact */
};

struct file_mounts {
	struct file_mount of[FILE_MOUNTS];
	unsigned int next;	/* index of the next entry to replace */
};

/**
 * file_mount_known - look up a mount that was seen in the last second.
 *
 * Return: true, with @to filled, if found
 */
bool file_mount_known(const struct file_mounts *known, uint64_t id, uint64_t dev, uint64_t now,
		      struct file_mount *to);

/**
 * file_mount_look - find out the file system of a file, and remember it
 * @fd: of the file
 * @id, @dev: its mount's, from statx()
 * @now: CLOCK_MONOTONIC, ns
 */
void file_mount_look(struct file_mounts *known, int fd, uint64_t id, uint64_t dev, uint64_t now,
		     struct file_mount *to);

/** mount_ids_now - all current mounts; to be freed by mount_ids_free() */
struct mount_ids mount_ids_now(void);

/**
 * mount_ids_lasting - mounts that a build does not unmount: of "/", the working directory and the
 * directory for temporary files.  To be freed by mount_ids_free()
 */
struct mount_ids mount_ids_lasting(void);

bool mount_ids_have(const struct mount_ids *ids, uint64_t id);
void mount_ids_free(struct mount_ids *ids);

#endif
