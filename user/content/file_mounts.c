// SPDX-License-Identifier: GPL-2.0
/* Mounts and their file systems.  See file_mounts.h. */
#include "content/file_mounts.h"
#include "base/xalloc.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define SECOND		1000000000ull

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC	0x58465342
#endif
#ifndef F2FS_SUPER_MAGIC
#define F2FS_SUPER_MAGIC 0xF2F52010
#endif
#define RAMFS_OF_ROOT	0x858458f6
#define EROFS_MAGIC	0xE0F5E1E2

static const struct file_system file_systems[] = {
	{ .magic = EXT4_SUPER_MAGIC, .fine = true },
	{ .magic = XFS_SUPER_MAGIC, .fine = true },
	{ .magic = BTRFS_SUPER_MAGIC, .own_dev = true, .fine = true },
	{ .magic = F2FS_SUPER_MAGIC },
	{ .magic = TMPFS_MAGIC, .fine = true },
	{ .magic = RAMFS_OF_ROOT },
	{ .magic = OVERLAYFS_SUPER_MAGIC, .own_dev = true, .own_ino = true },
	{ .magic = SQUASHFS_MAGIC },
	{ .magic = EROFS_MAGIC },
};

static const struct file_system *file_system_by_magic(uint32_t magic)
{
	for (size_t i = 0; i < sizeof(file_systems) / sizeof(file_systems[0]); i++)
		if (file_systems[i].magic == magic)
			return &file_systems[i];
	return NULL;
}

bool file_mount_known(const struct file_mounts *known, uint64_t id, uint64_t dev, uint64_t now,
		      struct file_mount *to)
{
	for (size_t i = 0; id && i < FILE_MOUNTS; i++)
		if (known->of[i].id == id && known->of[i].dev == dev && now < known->of[i].until) {
			*to = known->of[i];
			return true;
		}
	return false;
}

void file_mount_look(struct file_mounts *known, int fd, uint64_t id, uint64_t dev, uint64_t now,
		     struct file_mount *to)
{
	struct statfs fs;

	*to = (struct file_mount){ .id = id, .dev = dev, .until = now + SECOND };
	if (fstatfs(fd, &fs))
		return;
	memcpy(&to->fsid, &fs.f_fsid, sizeof(to->fsid));
	to->fs = file_system_by_magic((uint32_t)fs.f_type);
	known->of[known->next++ % FILE_MOUNTS] = *to;
}

/* ---- ids ---- */

static int compare_ids(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void mount_ids_add(struct mount_ids *ids, size_t *cap, uint64_t id)
{
	ids->of = xgrow(ids->of, cap, ids->n + 1, sizeof(*ids->of));
	ids->of[ids->n++] = id;
}

static void mount_ids_sort(struct mount_ids *ids)
{
	if (ids->n)
		qsort(ids->of, ids->n, sizeof(*ids->of), compare_ids);
}

struct mount_ids mount_ids_now(void)
{
	struct mount_ids ids = { 0 };
	char *line = NULL;
	size_t cap = 0, room = 0;
	FILE *f = fopen("/proc/self/mountinfo", "re");

	/* each line begins with the id of a mount: "26 1 8:1 / / rw,relatime ..." */
	while (f && getline(&line, &room, f) > 0)
		mount_ids_add(&ids, &cap, strtoull(line, NULL, 10));
	free(line);
	if (f)
		fclose(f);
	mount_ids_sort(&ids);
	return ids;
}

struct mount_ids mount_ids_lasting(void)
{
	const char *temporary = getenv("TMPDIR");
	const char *const at[] = { "/", ".", temporary && *temporary ? temporary : "/tmp" };
	struct mount_ids ids = { 0 };
	struct statx st;
	size_t cap = 0;

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		if (!statx(AT_FDCWD, at[i], 0, STATX_MNT_ID, &st) && st.stx_mask & STATX_MNT_ID)
			mount_ids_add(&ids, &cap, st.stx_mnt_id);
	mount_ids_sort(&ids);
	return ids;
}

bool mount_ids_have(const struct mount_ids *ids, uint64_t id)
{
	return ids->n && bsearch(&id, ids->of, ids->n, sizeof(*ids->of), compare_ids);
}

void mount_ids_free(struct mount_ids *ids)
{
	free(ids->of);
	*ids = (struct mount_ids){ 0 };
}
