// SPDX-License-Identifier: LGPL-2.1
/* The mounts that a task sees.  See mounts.h. */
#include "record/bpf/mounts.h"
#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/*
 * File systems that keep their names in memory or on a local device.  Others are
 * assumed to ask a daemon or a server, which new kinds are more likely to do.
 */
static const char *const answering[] = {
	"adfs", "affs", "bcachefs", "befs", "bfs", "binder", "binfmt_misc", "bpf",
	"btrfs", "cgroup", "cgroup2", "configfs", "cpuset", "cramfs", "debugfs",
	"devpts", "devtmpfs", "efivarfs", "efs", "erofs", "exfat", "ext2", "ext3",
	"ext4", "f2fs", "fusectl", "hfs", "hfsplus", "hugetlbfs", "iso9660", "jffs2",
	"jfs", "minix", "mqueue", "msdos", "nilfs2", "nsfs", "ntfs", "ntfs3", "omfs",
	"overlay", "proc", "pstore", "ramfs", "reiserfs", "resctrl", "romfs", "rootfs",
	"selinuxfs", "squashfs", "sysfs", "tmpfs", "tracefs", "ubifs", "udf", "ufs",
	"vfat", "xfs", "zfs", "zonefs",
};

static bool is_answering(const char *type)
{
	for (size_t i = 0; i < sizeof(answering) / sizeof(*answering); i++)
		if (!strcmp(answering[i], type))
			return true;
	return false;
}

/* Spaces and the like are written as a backslash and three octal digits. */
static void unescape_path(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' &&
		    s[2] <= '7' && s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
}

/* Is @name among the words of @list, which are separated by commas? */
static bool has_option(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *s = list; s; s = strchr(s, ',')) {
		s += *s == ',';
		if (!strncmp(s, name, len) && (s[len] == ',' || !s[len]))
			return true;
	}
	return false;
}

/* The mount that @path is on, going by the text of the path. */
static const struct mount_point *mount_of(const struct mounts *m, const char *path, size_t len)
{
	const struct mount_point *best = NULL;
	size_t best_len = 0;

	for (size_t i = 0; i < m->n; i++) {
		const char *at = m->list[i].at;
		size_t n = strcmp(at, "/") ? strlen(at) : 0;

		if (n >= best_len && path_within(path, len, at, n)) {
			best = &m->list[i];
			best_len = n;
		}
	}
	return best;
}

/* Do all visible layers of an overlay answer? Then the overlay does, too. */
static bool layers_answer(const struct mounts *m, const char *options)
{
	static const char *const names[] = { "lowerdir", "upperdir", "datadir" };

	for (const char *s = options; s; s = strchr(s, ',')) {
		const char *end, *path;
		bool layer = false;

		s += *s == ',';
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			layer |= !strncmp(s, names[i], strlen(names[i]));
		end = s + strcspn(s, ",");
		path = memchr(s, '=', (size_t)(end - s));
		while (layer && path && path < end) {
			size_t n = strcspn(++path, ":,");
			const struct mount_point *on = *path == '/' ? mount_of(m, path, n) : NULL;

			if (on && !on->answers)
				return false;
			path += n;
		}
	}
	return true;
}

static bool parse_number(const char *s, uint64_t *v)
{
	char *end;

	*v = strtoull(s, &end, 10);
	return end != s && !*end;
}

/*
 * One line:
 *	36 35 98:0 /root /mount/point options [optional fields...] - type source options
 * Return: the options of an overlay, else NULL.
 */
static const char *parse_mount(struct mounts *m, char *line)
{
	struct mount_point p = { 0 };
	char *word[32], *at, *save;
	size_t n = 0, dash = 6;

	for (at = strtok_r(line, " ", &save); at && n < 32; at = strtok_r(NULL, " ", &save))
		word[n++] = at;
	while (dash < n && strcmp(word[dash], "-"))
		dash++;
	if (dash + 1 >= n || !parse_number(word[0], &p.id) || !parse_number(word[1], &p.parent) ||
	    sscanf(word[2], "%u:%u", &p.major, &p.minor) != 2)
		return NULL;
	unescape_path(word[4]);
	p.at = word[4];
	p.no_links = has_option(word[5], "nosymfollow");
	p.answers = is_answering(word[dash + 1]);
	p.proc = !strcmp(word[dash + 1], "proc");
	m->list = xgrow(m->list, &m->cap, m->n + 1, sizeof(p));
	m->list[m->n++] = p;
	if (strcmp(word[dash + 1], "overlay") || dash + 3 >= n)
		return NULL;
	unescape_path(word[dash + 3]);
	return word[dash + 3];
}

int mounts_read(struct mounts *m, int fd)
{
	struct overlay {
		size_t mount;
		const char *options;
	} *overlays = NULL;
	size_t noverlays = 0, cap = 0;
	const char *options;
	char *line, *save;
	ssize_t n;

	m->n = 0;
	m->text.len = 0;
	do {
		n = read(fd, buf_room(&m->text, 65536), 65536);
		if (n > 0)
			m->text.len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0)
		return -errno;
	buf_addc(&m->text, 0);
	for (line = strtok_r(m->text.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		options = parse_mount(m, line);
		if (!options)
			continue;
		overlays = xgrow(overlays, &cap, noverlays + 1, sizeof(*overlays));
		overlays[noverlays++] = (struct overlay){ m->n - 1, options };
	}
	for (size_t i = 0; i < noverlays; i++)
		m->list[overlays[i].mount].answers = layers_answer(m, overlays[i].options);
	free(overlays);
	return 0;
}

void mounts_free(struct mounts *m)
{
	free(m->list);
	buf_free(&m->text);
	memset(m, 0, sizeof(*m));
}

const struct mount_point *mounts_find(const struct mounts *m, uint64_t id)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->list[i].id == id)
			return &m->list[i];
	return NULL;
}

const struct mount_point *mounts_on(const struct mounts *m, uint64_t parent,
				    const char *path, size_t len)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct mount_point *p = &m->list[i];

		if (p->parent == parent && p->id != parent && !strncmp(p->at, path, len) &&
		    !p->at[len])
			return p;
	}
	return NULL;
}

const struct mount_point *mounts_of(const struct mounts *m, uint32_t major, uint32_t minor)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->list[i].major == major && m->list[i].minor == minor)
			return &m->list[i];
	return NULL;
}
