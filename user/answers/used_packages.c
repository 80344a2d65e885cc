// SPDX-License-Identifier: LGPL-2.1
/* Finds the packages that a build used, and those that it did not use.  See used_packages.h. */
#include "answers/used_packages.h"
#include "answers/packages.h"
#include "answers/print_names.h"
#include "answers/used_links.h"
#include "base/hash.h"
#include "base/text_num.h"
#include "base/xalloc.h"
#include "build/build.h"
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

/* A file that was read or run in the build. */
struct used_file {
	uint32_t file;
	unsigned int classes;	/* bits of enum graph_class */
	char *path;		/* @len bytes, followed by a NUL */
	size_t len;
	bool link;		/* a link that leads to the file, or another name of it */
	bool made;		/* the build made it; kept only if a package has it */
	uint32_t package;	/* 1 + index of its package; 0 if none */
};

struct all {
	struct used_file *rows;	/* sorted by path once their packages are known */
	size_t n, cap;
	const struct used *u;
	struct map64 by_file;	/* ids of files that have a row, without links */
	struct map64 by_path;	/* by hash of packages_path(): index in @rows */
	struct packages p;
	unsigned int *classes;	/* by package: bits of enum graph_class; 0 if not used */
	bool asks_own;
	struct map64 own;	/* set of 1 + index of each package with a usable file */
};

static int by_path(const void *a, const void *b)
{
	const struct used_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static uint64_t path_hash(const char *path, size_t len)
{
	char *buf = xmalloc(len + 5);
	uint64_t h;

	path = packages_path(path, &len, buf);
	h = hash_bytes(path, len);
	free(buf);
	return h;
}

/*
 * Whether a file is below used.in. @path, @len: its path; set to the part after that root.
 */
static bool is_inside(const struct used *u, const char **path, size_t *len)
{
	size_t n = u->in ? strlen(u->in) : 0;

	while (n && u->in[n - 1] == '/')
		n--;
	if (*len <= n || memcmp(*path, u->in ? u->in : "", n) || (n && (*path)[n] != '/'))
		return false;
	*path += n;
	*len -= n;
	return true;
}

static void load_file(struct all *all, const struct used *u, uint32_t file, unsigned int classes,
		      bool made)
{
	size_t len;
	const char *path = build_path(build_of(u->db), file, &len);

	if (!is_inside(u, &path, &len))
		return;
	all->rows = xgrow(all->rows, &all->cap, all->n + 1, sizeof(*all->rows));
	all->rows[all->n++] = (struct used_file){
		.file = file, .classes = classes, .path = xstrndup(path, len), .len = len,
		.made = made,
	};
}

static void load_files(const struct used *u, struct all *all)
{
	const struct build *b = build_of(u->db);
	uint8_t *classes = xcalloc(b->nfiles + 1ul, sizeof(*classes));
	bool *existed = xcalloc(b->nfiles + 1ul, sizeof(*existed));

	for (size_t i = 0; i < b->naccesses; i++) {
		const struct build_access *a = &b->accesses[i];

		if (!build_is_use(a) || !a->file || !(1u << a->class & u->classes))
			continue;
		classes[a->file] |= (uint8_t)(1u << a->class);
		existed[a->file] |= build_is_input(b, a);
	}
	for (uint32_t i = 1; i <= b->nfiles; i++)
		if (classes[i])
			load_file(all, u, i, classes[i], !existed[i]);
	free(classes);
	free(existed);
}

/* Files with two names, /bin/sh and /usr/bin/sh: take_file() found only one of them. */
static void share_packages(struct all *all)
{
	for (size_t i = 0; i < all->n; i++) {
		const uint64_t *at = map64_get(&all->by_path,
					       path_hash(all->rows[i].path, all->rows[i].len));

		if (at)
			all->rows[i].package = all->rows[*at].package;
	}
}

/* Forget files that the build made, unless a package has them. */
static void drop_made(struct all *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		if (all->rows[i].made && !all->rows[i].package)
			free(all->rows[i].path);
		else
			all->rows[n++] = all->rows[i];
	}
	all->n = n;
}

static void take_link(void *ctx, uint32_t file, const char *path, unsigned int class)
{
	struct all *all = ctx;
	size_t len = strlen(path);
	uint64_t hash, *at;

	if (!is_inside(all->u, &path, &len))
		return;
	hash = path_hash(path, len);
	at = map64_get(&all->by_path, hash);
	/* files that were used in other classes only have no row */
	if (!map64_get(&all->by_file, file) || !(1u << class & all->u->classes))
		return;
	if (at) {
		if (all->rows[*at].link)
			all->rows[*at].classes |= 1u << class;
		return;
	}
	map64_put(&all->by_path, hash, all->n);
	all->rows = xgrow(all->rows, &all->cap, all->n + 1, sizeof(*all->rows));
	all->rows[all->n++] = (struct used_file){
		.file = file, .classes = 1u << class, .path = xstrndup(path, len), .len = len,
		.link = true,
	};
}

static void find_links(struct all *all)
{
	for (size_t i = 0; i < all->n; i++) {
		map64_put(&all->by_file, all->rows[i].file, 1);
		map64_put(&all->by_path, path_hash(all->rows[i].path, all->rows[i].len), i);
	}
	used_links(all->u, take_link, all);
	map64_clear(&all->by_file);
}

/* Whether a file is documentation, which no build needs; build-essential has only such files. */
static bool is_document(const char *path, size_t len)
{
	static const char *const dirs[] = { "/usr/share/bug/", "/usr/share/build-essential/",
					    "/usr/share/doc-base/", "/usr/share/doc/",
					    "/usr/share/lintian/", "/usr/share/man/", NULL };

	for (const char *const *dir = dirs; *dir; dir++)
		if (len > strlen(*dir) && !memcmp(path, *dir, strlen(*dir)))
			return true;
	return false;
}

static void take_file(void *ctx, uint32_t package, const char *path, size_t len)
{
	struct all *all = ctx;
	uint64_t *at = map64_get(&all->by_path, hash_bytes(path, len));
	char *name;

	if (at)
		all->rows[*at].package = package + 1;
	if (!all->asks_own || is_document(path, len) || map64_get(&all->own, package + 1))
		return;
	name = xstrndup(path, len);
	if (used_links_to_file(all->u, name))
		map64_put(&all->own, package + 1, 1);
	free(name);
}

static int by_name(const void *a, const void *b)
{
	const struct package *x = *(const struct package *const *)a;
	const struct package *y = *(const struct package *const *)b;

	return strcmp(x->name, y->name);
}

static bool load_all(const struct used *u, struct all *all)
{
	bool ok;

	all->u = u;
	load_files(u, all);
	find_links(all);
	all->p.file = take_file;
	all->p.ctx = all;
	ok = packages_read(&all->p, u->root, u->diag);
	share_packages(all);
	/* this moves rows, so the indexes in all->by_path are wrong from now on */
	drop_made(all);
	if (all->n)
		qsort(all->rows, all->n, sizeof(*all->rows), by_path);
	all->classes = xcalloc(all->p.n + 1, sizeof(*all->classes));
	for (size_t i = 0; i < all->n; i++)
		if (all->rows[i].package)
			all->classes[all->rows[i].package - 1] |= all->rows[i].classes;
	return ok;
}

static void clear_all(struct all *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->rows[i].path);
	free(all->rows);
	free(all->classes);
	map64_clear(&all->own);
	map64_clear(&all->by_path);
	packages_free(&all->p);
}

/* ---- packages ---- */

static void put_classes(struct out *out, unsigned int classes)
{
	const char *comma = " ";

	for (unsigned int i = 0; i < GRAPH_NCLASSES; i++) {
		if (!(classes >> i & 1))
			continue;
		out_printf(out, "%s%s", comma, graph_class_names[i]);
		comma = ", ";
	}
}

static void json_classes(struct json *j, unsigned int classes)
{
	json_key(j, "classes");
	json_begin(j, '[');
	for (unsigned int i = 0; i < GRAPH_NCLASSES; i++)
		if (classes >> i & 1)
			json_cstr(j, graph_class_names[i]);
	json_end(j, ']');
}

/* Write the files of a package.  @package: its index + 1; 0 for files without a package. */
static void json_files(struct json *j, const struct all *all, uint32_t package)
{
	json_key(j, "files");
	json_begin(j, '[');
	for (size_t i = 0; i < all->n; i++)
		if (all->rows[i].package == package && (package || !all->rows[i].link))
			json_str(j, all->rows[i].path, all->rows[i].len);
	json_end(j, ']');
}

static void put_package(const struct used *u, const struct all *all, uint32_t i)
{
	const struct package *p = &all->p.rows[i];
	struct json line = { .out = u->out }, *j = u->array ? u->array : &line;
	size_t files = 0;

	if (u->json) {
		json_begin(j, '{');
		json_key(j, "package");
		json_cstr(j, p->name);
		json_key(j, "version");
		json_cstr(j, p->version ? p->version : "");
		json_key(j, "manager");
		json_cstr(j, all->p.manager);
		json_classes(j, all->classes[i]);
		json_files(j, all, i + 1);
		json_end(j, '}');
		if (!u->array)
			json_line(j);
		return;
	}
	for (size_t k = 0; k < all->n; k++)
		files += all->rows[k].package == i + 1;
	out_printf(u->out, "%s %s:", p->name, p->version ? p->version : "?");
	put_classes(u->out, all->classes[i]);
	out_printf(u->out, " (%s)\n", text_counted(files, "file", "files"));
}

/* Print files without a package, except files below the directory in which the build began. */
static void put_others(const struct used *u, const struct all *all)
{
	struct json line = { .out = u->out }, *j = u->array ? u->array : &line;
	struct buf dir = { 0 };
	size_t inside = 0;

	if (u->json) {
		json_begin(j, '{');
		json_files(j, all, 0);
		json_end(j, '}');
		if (!u->array)
			json_line(j);
		return;
	}
	answers_file_path(u->db, answers_start(u->db), &dir);
	buf_adds(&dir, "/");
	for (size_t i = 0; i < all->n; i++) {
		if (all->rows[i].package || all->rows[i].link)
			continue;
		if (all->rows[i].len > dir.len && !memcmp(all->rows[i].path, dir.s, dir.len)) {
			inside++;
			continue;
		}
		out_puts(u->out, "no package: ");
		put_file(u->out, u->db, all->rows[i].file);
		out_puts(u->out, "\n");
	}
	if (inside)
		out_printf(u->out, "no package: %zu below the directory of the build\n", inside);
	buf_free(&dir);
}

bool used_packages(const struct used *u)
{
	struct all all = { 0 };
	const struct package **order;
	size_t n = 0;
	bool ok = load_all(u, &all);

	order = xcalloc(all.p.n + 1, sizeof(*order));
	for (size_t i = 0; ok && i < all.p.n; i++)
		if (all.classes[i])
			order[n++] = &all.p.rows[i];
	if (n)
		qsort(order, n, sizeof(*order), by_name);
	for (size_t i = 0; i < n; i++)
		put_package(u, &all, (uint32_t)(order[i] - all.p.rows));
	if (ok)
		put_others(u, &all);
	free(order);
	clear_all(&all);
	return ok;
}

/* ---- build dependencies ---- */

#define DEEPEST 8

static bool depends_on(const struct package *p, const struct package *on)
{
	struct packages_need *needs;
	size_t n = p->depends ? packages_needs(p->depends, NULL, &needs) : 0;
	bool does = false;

	for (size_t i = 0; i < n && !does; i++)
		for (size_t k = 0; k < needs[i].n && !does; k++)
			does = packages_are(on, needs[i].names[k]);
	if (n)
		packages_needs_free(needs, n);
	return does;
}

/* Whether another used package depends on a used package. */
static bool is_shared_package(const struct all *all, size_t package)
{
	for (size_t i = 0; i < all->p.n; i++)
		if (i != package && all->classes[i] &&
		    depends_on(&all->p.rows[i], &all->p.rows[package]))
			return true;
	return false;
}

/*
 * The package through which a package without usable files, like build-essential, was used: a used
 * package on which it depends, directly or not, and no other used package does.  Removed files are
 * not usable: they may have been links to used files.
 * Return: its index; SIZE_MAX if none.
 */
static size_t package_through(const struct all *all, size_t package, unsigned int depth)
{
	if (map64_get(&all->own, package + 1))
		return SIZE_MAX;
	for (size_t i = 0; i < all->p.n; i++) {
		size_t by;

		if (i == package || !depends_on(&all->p.rows[package], &all->p.rows[i]))
			continue;
		if (all->classes[i] && !is_shared_package(all, i))
			return i;
		by = all->classes[i] || depth == DEEPEST ? SIZE_MAX :
		     package_through(all, i, depth + 1);
		if (by != SIZE_MAX)
			return by;
	}
	return SIZE_MAX;
}

static void put_need(const struct used *u, const struct all *all, const struct packages_need *need)
{
	size_t by = SIZE_MAX;
	bool installed = false;
	struct json j = { .out = u->out };

	for (unsigned int pass = 0; pass < 2 && by == SIZE_MAX; pass++) {
		for (size_t k = 0; k < need->n && by == SIZE_MAX; k++) {
			for (size_t i = 0; i < all->p.n && by == SIZE_MAX; i++) {
				if (!packages_are(&all->p.rows[i], need->names[k]))
					continue;
				installed = true;
				if (pass)
					by = package_through(all, i, 0);
				else if (all->classes[i])
					by = i;
			}
		}
	}
	if (u->json) {
		json_begin(&j, '{');
		json_key(&j, "dependency");
		json_text_value(&j, "dependency", need->text, strlen(need->text));
		json_key(&j, "installed");
		json_bool(&j, installed);
		json_key(&j, "used");
		json_bool(&j, by != SIZE_MAX);
		if (by != SIZE_MAX) {
			json_key(&j, "by");
			json_cstr(&j, all->p.rows[by].name);
		}
		json_end(&j, '}');
		json_line(&j);
	} else if (by == SIZE_MAX) {
		out_printf(u->out, "%s%s\n", need->text, installed ? "" : " (not installed)");
	}
}

bool used_needs(const struct used *u, const char *control)
{
	char *list = packages_control(control, u->diag);
	struct packages_need *needs;
	struct all all = { .asks_own = true };
	const char *arch = NULL;
	size_t n;
	bool ok = list && load_all(u, &all);

	if (ok && strcmp(all.p.manager, "dpkg")) {
		diag_fatal(u->diag, "%s: dependencies of Debian packages cannot be asked of %s",
			   control, all.p.manager);
		ok = false;
	}
	for (size_t i = 0; ok && i < all.p.n && !arch; i++)
		if (all.p.rows[i].arch && strcmp(all.p.rows[i].arch, "all"))
			arch = all.p.rows[i].arch;
	n = ok ? packages_needs(list, arch, &needs) : 0;
	for (size_t i = 0; i < n; i++)
		put_need(u, &all, &needs[i]);
	if (ok)
		packages_needs_free(needs, n);
	free(list);
	clear_all(&all);
	return ok;
}
