// SPDX-License-Identifier: LGPL-2.1
/* Finds symbolic links through which files were reached.  See used_links.h. */
#include "answers/used_links.h"
#include "base/path.h"
#include "graph/graph.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LINKS 40	/* the kernel's limit of links that a path may follow */

struct links {
	const struct used *u;
	used_link_fn *fn;
	void *ctx;
	struct buf target;	/* path of the file */
	struct buf full;
	struct buf names[MOST_LINKS];
};

/* The current path of a file of the build's machine, below --root.  Valid until the next call. */
static const char *at_root(struct links *l, const char *path)
{
	l->full.len = 0;
	buf_adds(&l->full, l->u->root);
	buf_adds(&l->full, path);
	buf_addc(&l->full, 0);
	return l->full.s;
}

static void set_text(struct buf *b, const char *s, size_t len)
{
	b->len = 0;
	buf_add(b, s, len);
	buf_addc(b, 0);
}

/* Set l->names to the chain of links from a name, and @at to its end.  Return: their number. */
static unsigned int follow_chain(struct links *l, const char *name, struct buf *at)
{
	unsigned int n = 0;
	char to[PATH_MAX];
	ssize_t len;

	set_text(at, name, strlen(name));
	while (n < MOST_LINKS && (len = readlink(at_root(l, at->s), to, sizeof(to))) > 0) {
		const char *slash = strrchr(at->s, '/');

		set_text(&l->names[n++], at->s, strlen(at->s));
		at->len = *to == '/' || !slash ? 0 : (size_t)(slash - at->s) + 1;
		buf_add(at, to, (size_t)len);
		path_clean(at);
		buf_addc(at, 0);
	}
	return n;
}

/* Set l->names to the links from a name to the target.  Return: number; 0 if it leads elsewhere. */
static unsigned int follow_name(struct links *l, const char *name)
{
	struct buf at = { 0 };
	struct stat a, b;
	unsigned int n = follow_chain(l, name, &at);

	/* directories on the way may be links, too */
	if (stat(at_root(l, at.s), &a) || stat(at_root(l, l->target.s), &b) ||
	    a.st_dev != b.st_dev || a.st_ino != b.st_ino)
		n = 0;
	buf_free(&at);
	return n;
}

static void set_target(struct links *l, uint32_t file)
{
	l->target.len = 0;
	answers_file_path(l->u->db, file, &l->target);
	buf_addc(&l->target, 0);
}

/* Return: whether there are any links. */
static bool report_links(struct links *l, uint32_t file, const char *name, unsigned int class)
{
	unsigned int n = follow_name(l, name);

	for (unsigned int i = 0; i < n; i++)
		l->fn(l->ctx, file, l->names[i].s, class);
	return n > 0;
}

static void report_opened(struct links *l)
{
	static const char text[] = "SELECT a.file, s.s, a.class FROM asked AS a JOIN string AS s ON s.id = a.path";
	struct sqlite3_stmt *st = db_ask(l->u->db, text, "");
	struct buf name = { 0 };

	while (db_row(l->u->db, st)) {
		unsigned int class = db_class(l->u->db, db_int(st, 2));
		uint32_t file = db_id(l->u->db, st, 0, DB_FILES);
		size_t len;
		const char *s = db_bytes(st, 1, &len);

		/* skip paths that were not used for reading */
		if (!len || class == GRAPH_IS_DIR || class == GRAPH_PROBE)
			continue;
		name.len = 0;
		buf_add(&name, s, len);
		path_clean(&name);
		buf_addc(&name, 0);
		set_target(l, file);
		l->fn(l->ctx, file, name.s, class);
		report_links(l, file, name.s, class);
	}
	buf_free(&name);
}

/* Directories that are searched for programs run without a directory. */
static const char *const dirs[] = { "", "/usr/local/bin/", "/usr/bin/", "/usr/local/sbin/", "/usr/sbin/",
				    "/bin/", "/sbin/" };

/* Report links to programs, by argv[0], which is usually the name by which they were run. */
static void report_ran(struct links *l)
{
	/* argv[0] of a script is the interpreter in its first line */
	static const char text[] =
		"SELECT DISTINCT coalesce(e.interp, e.program) AS f, s.s, e.cwd FROM exec AS e\n"
		" JOIN string AS s ON s.id = json_extract(e.args, '$[0]') WHERE f IS NOT NULL";
	struct sqlite3_stmt *st = db_ask(l->u->db, text, "");
	struct buf name = { 0 };

	while (db_row(l->u->db, st)) {
		uint32_t file = db_id(l->u->db, st, 0, DB_FILES);
		size_t len;
		const char *s = db_bytes(st, 1, &len);
		bool found = false;

		if (!len || memchr(s, 0, len))
			continue;
		set_target(l, file);
		if (memchr(s, '/', len)) {
			name.len = 0;
			if (*s != '/') {
				answers_file_path(l->u->db, db_id(l->u->db, st, 2, DB_FILES), &name);
				buf_addc(&name, '/');
			}
			buf_add(&name, s, len);
			path_clean(&name);
			buf_addc(&name, 0);
			report_links(l, file, name.s, GRAPH_PROGRAM);
			continue;
		}
		for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs) && !found; i++) {
			const char *slash = strrchr(l->target.s, '/');

			name.len = 0;
			/* first in the program's own directory */
			if (i)
				buf_adds(&name, dirs[i]);
			else if (slash)
				buf_add(&name, l->target.s, (size_t)(slash + 1 - l->target.s));
			buf_add(&name, s, len);
			buf_addc(&name, 0);
			found = report_links(l, file, name.s, GRAPH_PROGRAM);
		}
	}
	buf_free(&name);
}

static void clear_links(struct links *l)
{
	buf_free(&l->target);
	buf_free(&l->full);
	for (unsigned int i = 0; i < MOST_LINKS; i++)
		buf_free(&l->names[i]);
}

void used_links(const struct used *u, used_link_fn *fn, void *ctx)
{
	struct links l = { .u = u, .fn = fn, .ctx = ctx };

	report_opened(&l);
	report_ran(&l);
	clear_links(&l);
}

bool used_links_to_file(const struct used *u, const char *path)
{
	struct links l = { .u = u };
	struct buf at = { 0 };
	struct stat st;
	bool is;

	follow_chain(&l, path, &at);
	is = !stat(at_root(&l, at.s), &st) && !S_ISDIR(st.st_mode);
	buf_free(&at);
	clear_links(&l);
	return is;
}
