// SPDX-License-Identifier: LGPL-2.1
/* A page as a file.  See page.h. */
#include "answers/page.h"
#include "answers/page_parts.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Return: 0, or a negative errno. */
static int write_page(struct db *db, const char *inside, int fd)
{
	struct out *out = out_fd(fd, fd != STDOUT_FILENO);

	page_put(db, out, inside, PAGE_BUDGET);
	return out_close(out);
}

/* Commands hold secrets, so nobody else may read it; and nobody else may have made it. */
static int open_part(const char *part)
{
	unlink(part);
	return open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static int replace(struct db *db, const char *inside, const char *path)
{
	struct buf part = { 0 };
	int fd, err;

	buf_adds(&part, path);
	buf_add(&part, PAGE_PART, sizeof(PAGE_PART));
	fd = open_part(part.s);
	err = fd < 0 ? -errno : write_page(db, inside, fd);
	if (!err && !db->failed && rename(part.s, path))
		err = -errno;
	if (fd >= 0 && (err || db->failed))
		unlink(part.s);
	buf_free(&part);
	return err;
}

/* What cannot be replaced is written to: a pipe, a device. */
static int write_to(struct db *db, const char *inside, const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -errno : write_page(db, inside, fd);
}

bool page_may_create(const char *path, struct diag *diag)
{
	/* cppcheck-suppress comparePointers -- both are of page_template.c's one object */
	if (page_template_end - page_template > 0)
		return true;
	diag_fatal(diag, "%s: this etrace was built without the page of a build, which needs D3 (Debian: node-d3)",
		   path);
	return false;
}

bool page_create(struct db *db, const char *path, const char *inside, struct diag *diag)
{
	bool standard = !strcmp(path, "-");
	char *real = standard ? NULL : realpath(path, NULL);
	struct stat st;
	int err;

	if (standard)
		err = write_page(db, inside, STDOUT_FILENO);
	else if (real && !stat(real, &st) && !S_ISREG(st.st_mode))
		err = write_to(db, inside, real);
	else
		err = replace(db, inside, real ? real : path);
	free(real);
	if (err && !(standard && err == -EPIPE))
		diag_fatal(diag, "%s: %s", standard ? "standard output" : path, strerror(-err));
	return !err && !db->failed;
}
