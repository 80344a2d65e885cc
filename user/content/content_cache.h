/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hashes of what files hold, kept in a file from one recording to the next: a file that did not
 * change need not be read again.  Any number of processes and threads may use one cache at once.
 *
 * A cache may forget anything, but never gives a wrong hash, so it can be deleted.  It is for
 * one machine, and is not worth a backup.
 *
 * What a caller must see to: that the key tells the contents.
 *
 * - Take the key from the open file (statx()) before and after reading it; put it only if both
 *   are equal.
 * - Do not put a file whose ctime or mtime is nearly as late as the clock, or later.  Until the
 *   clock that the file system uses has advanced (a few ms; up to 2 s on some file systems), the
 *   file can change again and keep its times.
 * - Do not put a file that somebody may write to through a shared mapping: times need not change
 *   until the kernel writes the pages back.
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
 * wrong one is empty: so is one that holds parts of two entries, and nobody who cannot read the
 * file can choose files for which it would not be.  No slot crosses a sector of a disk.
 *
 * Each 8 slots that follow each other are a set, and each 4 sets a page.  The first 8 bytes of the
 * SHA-256 of the random key, the device, the file system and a sixteenth of the inode number, times
 * the number of sets, divided by 2^64 is a set of the page of an entry.  The next two bits of the
 * inode number say which set of that page it is; it may lie in any slot of it.  So files that were
 * made one after the other share a page, and reading their entries takes one access to the disk.
 *
 * A file has one entry: a new one replaces that of its earlier content.  When all slots of a set are
 * full, the entry that was not used for longest is replaced; uses before it was full do not count.
 *
 * The file grows with the highest set that is in use, up to 4096 + 128 bytes * number of slots.
 * Sets that were never used are holes.  What lies behind the end of a truncated file is empty.
 *
 * There are no locks: slots are read and written as a whole.  Of two processes that put entries
 * into the same slot at the same moment, one puts it in vain.
 *
 * A new file is written beside the old one, as PATH.XXXXXX, and then linked or renamed.  It is
 * never synchronised: after a crash of the machine checksums tell what has arrived.  A process
 * that is killed within these microseconds leaves PATH.XXXXXX behind, which can be removed.
 */
#ifndef ETRACE_CONTENT_CACHE_H
#define ETRACE_CONTENT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Which file it was and when.  All values are possible, all zeros, too. */
struct content_key {
	uint64_t dev, ino;
	uint64_t size;		/* in bytes */
	uint64_t fsid;		/* of statfs(); 0 if it is not known */
	int64_t mtime, ctime;	/* in ns since 1970 */
};

/* What it held. */
struct content_id {
	uint8_t sha256[32];
	uint8_t gitoid[32];
};

struct content_cache;

/**
 * content_cache_open - open a cache, and make it if there is none
 * @path: its file; the directory must exist
 * @slots: the number of entries for which a new file has room: raised to the next multiple of 8,
 *	   at least 8, at most 8,388,608 (1 GiB).  A file that is there keeps its own number
 * @why: filled on error: the file, the reason, and what to do
 * @size: bytes of @why
 *
 * A file with another magic or version, or with a damaged header, is replaced by an empty one.
 * Who still has the old one open goes on with that.
 *
 * Refused are symbolic links (also dangling ones), what is not a regular file, and files that
 * another user owns or that group or others may write.  None of these is opened or changed.
 *
 * A write beyond the limit of a file's size (RLIMIT_FSIZE) sends SIGXFSZ: ignore it.
 *
 * Return: the cache, to be closed by content_cache_close(); NULL on error.
 */
struct content_cache *content_cache_open(const char *path, size_t slots, char *why, size_t size);

/**
 * content_cache_get - look for a file; if its set is full, it is then the entry used last
 * @cache: the cache; NULL has no entries
 * @id: filled if it is found, else not changed
 *
 * Return: whether it was found.  What cannot be read is not found.
 */
bool content_cache_get(struct content_cache *cache, const struct content_key *key,
		       struct content_id *id);

/**
 * content_cache_put - remember what a file held, in place of what is remembered for this key
 * @cache: the cache; NULL remembers nothing
 *
 * Return: false if it could not be written (errno says why).  The caller can go on all the same:
 * the entry may be missing then, and another one of the same set, too.
 */
bool content_cache_put(struct content_cache *cache, const struct content_key *key,
		       const struct content_id *id);

/** content_cache_close - close a cache and free it; NULL is allowed */
void content_cache_close(struct content_cache *cache);

/**
 * content_cache_path - the default place of the cache, for content_cache_open()
 * @path: set to the path, replacing what it holds; a NUL follows it that @path->len does not count.
 *	  The caller frees it
 *
 * /var/cache/etrace/hashes if the effective user is root; else etrace/hashes in $XDG_CACHE_HOME,
 * or in $HOME/.cache.  Variables that are no absolute path are ignored.  Makes the directories
 * that are missing, with mode 0700.
 *
 * Return: 0; -ENOENT and an empty path if neither variable is set; another negative errno if a
 * directory could not be made, @path is filled all the same.
 */
int content_cache_path(struct buf *path);

#endif
