/* SPDX-License-Identifier: GPL-2.0 */
/*
 * On which mounts files may be read, and what their file systems tell of a file: file_hash.h
 * depends on both.
 */
#ifndef ETRACE_FILE_MOUNTS_H
#define ETRACE_FILE_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILE_MOUNTS 8		/* that a thread remembers */

/* Ids of mounts, as statx() gives them, sorted. */
struct mount_ids {
	uint64_t *of;
	size_t n;
};

/* A file system whose ctime is of the kernel's own clock, and exact. */
struct file_system {
	uint32_t magic;
	bool own_dev;	/* what stat() gives as st_dev is not the device in the trace */
	bool own_ino;	/* nor need st_ino be the inode number in the trace */
	bool fine;	/* since Linux 6.13 a change after stat() shows in ctime, in the same tick, too */
};

/* A mount that a thread has looked at. */
struct file_mount {
	uint64_t id, dev;	/* id 0: empty */
	uint64_t until;		/* CLOCK_MONOTONIC, ns: both numbers can come to be another one's */
	uint64_t fsid;
	const struct file_system *fs;	/* NULL if it is none of those whose ctime is exact */
};

struct file_mounts {
	struct file_mount of[FILE_MOUNTS];
	unsigned int next;	/* to be replaced */
};

/** file_mount_known - whether a mount was looked at in the last second, and is in @to */
bool file_mount_known(const struct file_mounts *known, uint64_t id, uint64_t dev, uint64_t now,
		      struct file_mount *to);

/**
 * file_mount_look - find out what file system a file is on, and remember it
 * @fd: of the file
 * @id, @dev: of its mount, as statx() gives them
 * @now: CLOCK_MONOTONIC, ns
 */
void file_mount_look(struct file_mounts *known, int fd, uint64_t id, uint64_t dev, uint64_t now,
		     struct file_mount *to);

/** mount_ids_now - all mounts that there are; to be freed by mount_ids_free() */
struct mount_ids mount_ids_now(void);

/**
 * mount_ids_lasting - mounts that a build does not unmount: those of "/", the working directory and
 *	temporary files.  To be freed by mount_ids_free()
 */
struct mount_ids mount_ids_lasting(void);

bool mount_ids_have(const struct mount_ids *ids, uint64_t id);
void mount_ids_free(struct mount_ids *ids);

#endif
