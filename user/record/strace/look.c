// SPDX-License-Identifier: LGPL-2.1
/* Looks at files while the build runs.  See look.h. */
#include "record/strace/look.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

/* Number of bytes of a file that the kernel reads for "#!": BINPRM_BUF_SIZE */
#define FIRST_BYTES 256

/* A coarse clock that lags by more than this, in ns, was set at this moment: ignore it. */
#define GRAIN_MAX 100000000

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Split "#!/bin/sh -e -u" into the interpreter and one argument, "-e -u". */
static void read_first_line(const char *file, char *interp, char *arg, size_t size)
{
	char line[FIRST_BYTES + 1], *s = line + 2, *end;
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n = fd < 0 ? -1 : read(fd, line, FIRST_BYTES);

	*interp = *arg = 0;
	if (fd >= 0)
		close(fd);
	if (n < 3 || line[0] != '#' || line[1] != '!')
		return;
	line[n] = 0;
	end = s + strcspn(s, "\n");
	while (end > s && is_blank(end[-1]))
		end--;
	*end = 0;
	while (is_blank(*s))
		s++;
	end = s + strcspn(s, " \t");
	if ((size_t)(end - s) >= size)
		return;
	memcpy(interp, s, (size_t)(end - s));
	interp[end - s] = 0;
	while (is_blank(*end))
		end++;
	if (strlen(end) < size)
		memcpy(arg, end, strlen(end) + 1);
}

static bool find_program(const char *name, char *path, size_t size)
{
	char *real = realpath(name, NULL);
	bool good = real && strlen(real) < size;

	if (good)
		memcpy(path, real, strlen(real) + 1);
	free(real);
	return good;
}

static bool look_program(void *ctx, const char *name, char *path, char *interp, char *arg,
			 size_t size)
{
	(void)ctx;
	if (!find_program(name, path, size))
		return false;
	read_first_line(path, interp, arg, size);
	return true;
}

static bool look_directory(void *ctx, const char *name, char *path, size_t size)
{
	(void)ctx;
	return find_program(name, path, size);
}

/* ---- identity of files ---- */

static int64_t ns_of(const struct statx_timestamp *t)
{
	return t->tv_sec * 1000000000 + t->tv_nsec;
}

static bool look_at(const char *path, struct statx *st, struct st_identity *id)
{
	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
		  STATX_BASIC_STATS | STATX_BTIME, st))
		return false;
	id->dev = (uint32_t)makedev(st->stx_dev_major, st->stx_dev_minor);
	id->type = st->stx_mode & S_IFMT;
	id->ino = st->stx_ino;
	id->size = st->stx_size;
	id->mtime = ns_of(&st->stx_mtime);
	return true;
}

/* A file's times come from a coarse clock, which lags on a busy machine: measure how much. */
static void see_grain(struct look *look)
{
	struct timespec fine, coarse;
	int64_t late;

	clock_gettime(CLOCK_REALTIME_COARSE, &coarse);
	clock_gettime(CLOCK_REALTIME, &fine);
	late = (int64_t)(fine.tv_sec - coarse.tv_sec) * 1000000000 + fine.tv_nsec - coarse.tv_nsec;
	if (late > look->grain && late < GRAIN_MAX)
		look->grain = late;
}

/*
 * Whether a file is reported as created for the first time.  Its times alone do not prove
 * this for two calls shortly after each other.
 */
static bool is_first(struct look *look, const struct st_identity *id, int64_t btime)
{
	for (unsigned int i = 0; i < LOOK_MADE; i++)
		if (look->made[i].ino == id->ino && look->made[i].dev == id->dev &&
		    look->made[i].btime == btime)
			return false;
	look->made[look->next].dev = id->dev;
	look->made[look->next].ino = id->ino;
	look->made[look->next].btime = btime;
	look->next = (look->next + 1) % LOOK_MADE;
	return true;
}

/* Whether the file is what the task's descriptor refers to, and has that name now. */
static bool is_descriptor(const struct st_opened *file, const struct st_identity *id)
{
	char link[48], path[PATH_MAX];
	struct stat st;
	ssize_t n;

	if (file->fd < 0)
		return false;
	snprintf(link, sizeof(link), "/proc/%" PRId64 "/fd/%" PRId64, file->pid, file->fd);
	n = readlink(link, path, sizeof(path));
	return n == (ssize_t)strlen(file->path) && !memcmp(path, file->path, (size_t)n) &&
	       !stat(link, &st) && st.st_ino == id->ino;
}

/*
 * Whether the call created the file: a file that was renamed to this name has a later ctime than
 * mtime.
 */
static bool is_created(struct look *look, const struct st_opened *file, const struct statx *st,
		       const struct st_identity *id, int64_t since)
{
	return st->stx_mask & STATX_BTIME && ns_of(&st->stx_btime) >= since &&
	       (is_descriptor(file, id) || ns_of(&st->stx_ctime) == ns_of(&st->stx_mtime)) &&
	       is_first(look, id, ns_of(&st->stx_btime));
}

static bool look_opened(void *ctx, const struct st_opened *file, struct st_identity *id)
{
	struct look *look = ctx;
	struct statx st;
	int64_t since;

	see_grain(look);
	since = (int64_t)file->when.since + look->realtime - look->grain;

	if (!look_at(file->path, &st, id))
		return false;
	if (ns_of(&st.stx_ctime) < since)
		return true;
	if (!file->creates || !is_created(look, file, &st, id, since))
		return false;
	/* the file was empty then; its content was written after the call */
	id->size = 0;
	id->mtime = ns_of(&st.stx_btime);
	return true;
}

/*
 * An open that truncates the file may be in progress already. Times do not show that until the
 * clock has advanced, so an empty file is certain only if it was empty before.
 */
static bool look_written(void *ctx, const char *path, struct st_span when,
			 struct st_identity *id)
{
	const struct look *look = ctx;
	int64_t until = (int64_t)when.until + look->realtime;
	struct statx st;

	return look_at(path, &st, id) && S_ISREG(id->type) &&
	       ns_of(&st.stx_ctime) <= (id->size ? until : until - look->grain);
}

struct st_asks look_asks(struct look *look)
{
	struct timespec ts = { 0 };

	clock_getres(CLOCK_REALTIME_COARSE, &ts);
	/* the clock may lag by more than one of its steps before see_grain() notices */
	look->grain = 2 * ts.tv_nsec;
	return (struct st_asks){ look, look_program, look_directory, look_opened, look_written };
}
