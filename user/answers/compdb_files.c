// SPDX-License-Identifier: LGPL-2.1
/* Reads @files as they were when commands read them.  See compdb_parts.h. */
#include "answers/compdb_parts.h"
#include "db/lists.h"
#include "db/scan.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE	((size_t)16 << 20)

/* Whether the file open as @fd is a recorded version; false if its size and time are unknown. */
static bool is_version(struct db *db, uint32_t version, const char *path, int fd)
{
	static const char text[] = "SELECT v.dev, v.ino, v.size, v.mtime, v.size IS NOT NULL AND\n"
		" v.mtime IS NOT NULL, f.path FROM version AS v JOIN file AS f ON f.id = v.file\n"
		" WHERE v.id = ?";
	struct sqlite3_stmt *st = db_ask(db, text, "i", (int64_t)version);
	struct stat now;
	bool same = false;

	while (db_row(db, st)) {
		size_t len;
		const char *name = db_bytes(st, 5, &len);

		if (len != strlen(path) || memcmp(name, path, len) || !db_int(st, 4) || fstat(fd, &now))
			continue;
		same = now.st_size == db_int(st, 2) &&
		       now.st_mtim.tv_sec * 1000000000L + now.st_mtim.tv_nsec == db_int(st, 3);
		if (!db_null(st, 1))
			same = same && (uint64_t)now.st_ino == (uint64_t)db_int(st, 1);
	}
	return same;
}

/* Whether @exec read the file open as @fd by the name @path. */
static bool read_it(struct db *db, uint32_t exec, const char *path, int fd)
{
	static const char text[] = "SELECT at, list FROM access_list WHERE exec = ?";
	struct sqlite3_stmt *st = db_ask(db, text, "i", (int64_t)exec);
	bool found = false;

	while (db_row(db, st)) {
		size_t len;
		const char *s = db_bytes(st, 1, &len);
		struct list l = list_of(db, s, len);
		struct graph_access a;

		while (!found && list_access(&l, db_int(st, 0), &a))
			found = a.version && a.how == GRAPH_READ && is_version(db, a.version, path, fd);
	}
	return found;
}

static bool read_whole(int fd, struct buf *text)
{
	ssize_t n;

	do {
		n = read(fd, buf_room(text, 65536), 65536);
		text->len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && text->len <= MAX_FILE);
	return !n;
}

bool compdb_read_file(struct db *db, uint32_t exec, const char *path, struct buf *text)
{
	/* O_NONBLOCK, because it may be a FIFO now */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	bool ok = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		  read_it(db, exec, path, fd) && read_whole(fd, text);

	if (fd >= 0)
		close(fd);
	return ok;
}
