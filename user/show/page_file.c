// SPDX-License-Identifier: LGPL-2.1
/* Writes a page to a file.  See page.h. */
#include "show/page.h"
#include "show/page_parts.h"
#include "io/out_place.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Write a page and close @out.  Return: 0, or a negative errno. */
static int write_page(struct db *db, const struct page_with *with, struct out *out)
{
	page_put(db, out, with, PAGE_BUDGET);
	if (db->failed || (with && with->before && with->before->failed))
		out_discard(out);
	return out_close(out);
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

bool page_create(struct db *db, const char *path, const struct page_with *with, struct diag *diag)
{
	bool standard = !strcmp(path, "-");
	int err = 0;
	struct out *out = standard ? out_fd(STDOUT_FILENO, 0) : out_create(path, &err);

	if (out)
		err = write_page(db, with, out);
	if (err && !(standard && err == -EPIPE))
		diag_fatal(diag, "%s: %s", standard ? "standard output" : path, out_place_error(err));
	return !err && !db->failed;
}
