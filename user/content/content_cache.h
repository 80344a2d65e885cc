/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hashes of file contents, kept in a file from one recording to the next, so that an unchanged
 * file need not be read again. Any number of processes and threads may use one cache at the same
 * time.
 *
 * A cache may forget anything, but never gives a wrong hash, so it can be deleted.  It is for
 * one machine, and is not worth a backup.
 *
 * The caller must make sure that the key identifies the content:
 *
 * - Take the key from the open file (statx()) before and after reading it; put it only if both
 *   are equal.
 * - Do not put a file whose ctime or mtime is close to the current time, or later.  Until the
 *   clock that the file system uses has advanced (a few ms; up to 2 s on some file systems), the
 *   file can change again and keep its times.
 * - Do not put a file that a process may write to through a shared mapping: the times need not
 *   change until the kernel writes the pages back.
 *
 * On disk, numbers in the byte order of the machine:
 *
 *	offset	bytes
 *	0	8	magic: "etrhash\n"
 *	8	8	version of this layout, 2.  Another byte order is another version
 *	16	8	number of slots, a multiple of 8
 *	24	16	a random key, for the checksums and for the place of an entry
 *	40	8	checksum of these 40 bytes
 *	48	4048	unused
 *	4096		the slots, each of 128 bytes:
 *		0	8	use: larger than that of all entries of the set that were used
 *				before; 0 in an empty slot
 *		8	48	struct content_key
 *		56	64	struct content_id
 *		120	8	checksum of these 120 bytes
 *
 * A checksum is the first 8 bytes of the SHA-256 of the random key and these bytes.  A slot with a
 * wrong checksum counts as empty, for instance one that holds parts of two entries. Without
 * reading the cache file, nobody can construct a file that defeats this. No slot crosses a disk
 * sector.
 *
 * 8 consecutive slots are a set, and 4 sets a page. To find an entry's page, take the first 8
 * bytes of the SHA-256 of the random key, the device, the file system and the inode number / 16;
 * multiplied by the number of sets and divided by 2^64, they give a set in that page. Two further
 * bits of the inode number select the set; the entry may be in any of its slots. So files that
 * were created one after the other share a page, and one disk access reads their entries.
 *
 * A file has one entry: a new one replaces that of its earlier content. When a set is full, its
 * least recently used entry is replaced; uses before the set was full do not count.
 *
 * The file grows with the highest set that is in use, up to 4096 + 128 bytes * number of slots.
 * Sets that were never used are holes.  Slots beyond the end of a truncated file are empty.
 *
 * There are no locks: slots are read and written as a whole.  If two processes put entries into
 * the same slot at the same moment, one entry is lost.
 *
 * A new file is written next to the old one, as PATH.XXXXXX, and then linked or renamed.  It is
 * never synchronised: after a crash of the machine, checksums show what was written. A process
 * that is killed within these microseconds leaves PATH.XXXXXX behind, which may be deleted.
 */
#ifndef ETRACE_CONTENT_CACHE_H
#define ETRACE_CONTENT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Identifies a file at a certain time. All values are valid, including all zeros. */
struct content_key {
	uint64_t dev, ino;
	uint64_t size;		/* in bytes */
	uint64_t fsid;		/* f_fsid of statfs(); 0 if it is not known */
	int64_t mtime, ctime;	/* in ns since 1970 */
};

/* The hashes of its content. */
struct content_id {
	uint8_t sha256[32];
	uint8_t gitoid[32];
};

struct content_cache;

/**
 * content_cache_open - open a cache, and create it if it does not exist
 * @path: its file; the directory must exist
 * @slots: the number of entries for which a new file has room: raised to the next multiple of 8,
 *	   at least 8, at most 8,388,608 (1 GiB).  An existing file keeps its number
 * @why: filled on error: the file, the reason, and what to do
 * @size: bytes of @why
 *
 * A file with another magic or version, or with a damaged header, is replaced by an empty one.
 * Processes that have the old one open continue with it.
 *
 * It refuses symbolic links (also dangling ones), anything that is not a regular file, and files
 * that another user owns or that the group or others may write. It neither opens nor changes
 * these.
 *
 * A write beyond the limit of a file's size (RLIMIT_FSIZE) sends SIGXFSZ: ignore it.
 *
 * Return: the cache, to be closed by content_cache_close(); NULL on error.
 */
struct content_cache *content_cache_open(const char *path, size_t slots, char *why, size_t size);

/**
 * content_cache_get - look up a file; if its set is full, the entry becomes the most recently used
 * @cache: the cache; NULL has no entries
 * @id: filled if the entry is found, else not changed
 *
 * Return: whether it was found; an entry that cannot be read is not.
 */
bool content_cache_get(struct content_cache *cache, const struct content_key *key,
		       struct content_id *id);

/**
 * content_cache_put - store the hashes of a file, replacing its old entry
 * @cache: the cache; NULL remembers nothing
 *
 * Return: false if it could not be written (errno says why).  The caller can ignore this: the
 * entry may then be missing, and so may another one of its set.
 */
bool content_cache_put(struct content_cache *cache, const struct content_key *key,
		       const struct content_id *id);

/** content_cache_close - close a cache and free it; NULL is allowed */
void content_cache_close(struct content_cache *cache);

/**
 * content_cache_path - the default place of the cache, for content_cache_open()
 * @path: set to the path, replacing its contents; a NUL follows, which @path->len does not count.
 *	The caller frees it
 *
 * /var/cache/etrace/hashes if the effective user is root; else etrace/hashes in $XDG_CACHE_HOME,
 * or in $HOME/.cache.  Variables that are not an absolute path are ignored. Creates missing
 * directories, with mode 0700.
 *
 * Return: 0; -ENOENT and an empty path if neither variable is set; another negative errno, with
 * @path filled, if a directory could not be created.
 */
int content_cache_path(struct buf *path);

#endif
