// SPDX-License-Identifier: LGPL-2.1
/* Reads the packages of a distribution, and their files.  See packages.h. */
#include "answers/packages.h"
#include "answers/lists.h"
#include "base/hash.h"
#include "base/xalloc.h"
#include "io/program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *packages_path(const char *path, size_t *len, char *buf)
{
	static const char *const moved[] = { "/bin/", "/sbin/", "/lib/", "/lib32/", "/lib64/",
					     "/libx32/", NULL };

	for (const char *const *dir = moved; *dir; dir++) {
		size_t n = strlen(*dir);

		if (*len < n || memcmp(path, *dir, n))
			continue;
		memcpy(stpcpy(buf, "/usr"), path, *len);
		*len += 4;
		return buf;
	}
	return path;
}

static uint32_t add_package(struct packages *p, const char *name, size_t len)
{
	p->rows = xgrow(p->rows, &p->cap, p->n + 1, sizeof(*p->rows));
	p->rows[p->n] = (struct package){ .name = xstrndup(name, len) };
	return (uint32_t)p->n++;
}

static void free_package(struct package *p)
{
	free(p->name);
	free(p->version);
	free(p->arch);
	free(p->depends);
	free(p->provides);
}

void packages_free(struct packages *p)
{
	for (size_t i = 0; i < p->n; i++)
		free_package(&p->rows[i]);
	free(p->rows);
}

static void set_field(char **field, const char *s, size_t len)
{
	free(*field);
	*field = xstrndup(s, len);
}

/* The next line of a text; its newline is replaced by a NUL.  Return: NULL if none. */
static char *next_line(char **at, char *end)
{
	char *line = *at, *stop;

	if (line >= end)
		return NULL;
	stop = memchr(line, '\n', (size_t)(end - line)) ?: end;
	*stop = 0;
	*at = stop + 1;
	return line;
}

/* List all names in a directory that end with @end, sorted by bytes.  Return: their number. */
static size_t names_in(const char *dir, const char *end, char ***to)
{
	DIR *d = opendir(dir);
	size_t n = 0, cap = 0, tail = strlen(end);
	struct dirent *e;

	*to = NULL;
	while (d && (e = readdir(d))) {
		size_t len = strlen(e->d_name);

		if (*e->d_name == '.' || len <= tail || strcmp(e->d_name + len - tail, end))
			continue;
		*to = xgrow(*to, &cap, n + 1, sizeof(**to));
		(*to)[n++] = xstrdup(e->d_name);
	}
	if (d)
		closedir(d);
	return n;
}

static void join_text(struct buf *to, const char *a, const char *b, const char *c)
{
	to->len = 0;
	buf_adds(to, a);
	buf_adds(to, b);
	buf_adds(to, c);
	buf_addc(to, 0);
}

/* ---- dpkg (dpkg(1), deb-control(5); its database: dpkg-divert(1), "FILES") ---- */

struct diverted {
	char *from, *to, *by;
};

struct dpkg {
	struct packages *p;
	struct map64 names;	/* by hash of "name" and of "name:arch": 1 + index of the package */
	struct buf text, path;
	struct buf diversions;
	struct diverted *rows;
	size_t n, cap;
};

static void read_diversions(struct dpkg *d, const char *dir)
{
	char *at, *end;

	join_text(&d->path, dir, "/diversions", "");
	if (!lists_text(d->path.s, &d->diversions))
		return;
	at = d->diversions.s;
	end = at + d->diversions.len;
	for (;;) {
		struct diverted v = { .from = next_line(&at, end) };

		v.to = v.from ? next_line(&at, end) : NULL;
		v.by = v.to ? next_line(&at, end) : NULL;
		if (!v.by)
			break;
		d->rows = xgrow(d->rows, &d->cap, d->n + 1, sizeof(*d->rows));
		d->rows[d->n++] = v;
	}
}

/* The real path of a file of a package, after diversions. */
static const char *diverted_path(const struct dpkg *d, const char *path, const char *package)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->rows[i].from, path) && strcmp(d->rows[i].by, package))
			return d->rows[i].to;
	return path;
}

static void read_list(struct dpkg *d, const char *dir, uint32_t package)
{
	const char *name = d->p->rows[package].name;
	char *at, *end, *line, *buf;

	join_text(&d->path, dir, "/info/", name);
	d->path.len--;
	buf_add(&d->path, ".list", sizeof(".list"));
	if (!lists_text(d->path.s, &d->text))
		return;
	at = d->text.s;
	end = at + d->text.len;
	while ((line = next_line(&at, end))) {
		const char *path = d->n ? diverted_path(d, line, name) : line;
		size_t len = strlen(path);

		buf = xmalloc(len + 5);
		path = packages_path(path, &len, buf);
		d->p->file(d->p->ctx, package, path, len);
		free(buf);
	}
}

static uint64_t name_hash(const char *name, const char *arch)
{
	uint64_t h = hash_bytes(name, strlen(name));

	return arch ? hash_two(h, hash_bytes(arch, strlen(arch))) : h;
}

/* Take a paragraph of dpkg's status file, and ownership of its strings. */
static void take_status(struct dpkg *d, struct package *fields)
{
	uint64_t *at = fields->arch ? map64_get(&d->names, name_hash(fields->name, fields->arch)) : NULL;
	struct package *to;

	if (!at)
		at = map64_get(&d->names, name_hash(fields->name, NULL));
	to = at ? &d->p->rows[*at - 1] : NULL;
	/* a package that was removed may still have a paragraph, but no files */
	if (to) {
		struct package was = *to;
		char *name = fields->name;

		*to = *fields;
		to->name = was.name;
		*fields = was;
		fields->name = name;
	}
	free_package(fields);
}

static bool read_status(struct dpkg *d, const char *dir)
{
	static const struct {
		const char *name;
		size_t at;
	} fields[] = {
		{ "Package: ", offsetof(struct package, name) },
		{ "Version: ", offsetof(struct package, version) },
		{ "Architecture: ", offsetof(struct package, arch) },
		{ "Depends: ", offsetof(struct package, depends) },
		{ "Provides: ", offsetof(struct package, provides) },
	};
	struct package p = { 0 };
	char *at, *end, *line;

	join_text(&d->path, dir, "/status", "");
	if (!lists_text(d->path.s, &d->text))
		return false;
	at = d->text.s;
	end = at + d->text.len;
	do {
		line = next_line(&at, end);
		for (size_t i = 0; line && i < sizeof(fields) / sizeof(*fields); i++) {
			size_t n = strlen(fields[i].name);

			if (!strncmp(line, fields[i].name, n))
				set_field((char **)((char *)&p + fields[i].at), line + n,
					  strlen(line + n));
		}
		if ((!line || !*line) && p.name) {
			take_status(d, &p);
			p = (struct package){ 0 };
		}
	} while (line);
	return true;
}

static bool read_dpkg(struct packages *p, const char *dir, struct diag *diag)
{
	struct dpkg d = { .p = p };
	char **lists;
	size_t n;
	bool ok;

	join_text(&d.path, dir, "/info", "");
	n = names_in(d.path.s, ".list", &lists);
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(lists[i]) - 5;
		uint32_t package = add_package(p, lists[i], len);
		const char *colon = strchr(p->rows[package].name, ':');
		char *name = xstrdup(p->rows[package].name);

		if (colon)
			name[colon - p->rows[package].name] = 0;
		map64_put(&d.names, name_hash(name, colon ? colon + 1 : NULL), package + 1);
		free(name);
		free(lists[i]);
	}
	free(lists);
	ok = read_status(&d, dir);
	if (!ok)
		diag_fatal(diag, "%s: %s", d.path.s, strerror(errno));
	read_diversions(&d, dir);
	for (size_t i = 0; ok && i < p->n; i++)
		read_list(&d, dir, (uint32_t)i);
	map64_clear(&d.names);
	buf_free(&d.text);
	buf_free(&d.path);
	buf_free(&d.diversions);
	free(d.rows);
	return ok;
}

/* ---- pacman: a directory for each package, with desc and files ---- */

static void take_desc(struct package *to, char *at, char *end)
{
	char *line, *head = NULL;

	while ((line = next_line(&at, end))) {
		if (*line == '%') {
			head = line;
			continue;
		}
		if (!*line || !head)
			continue;
		if (!strcmp(head, "%NAME%"))
			set_field(&to->name, line, strlen(line));
		else if (!strcmp(head, "%VERSION%"))
			set_field(&to->version, line, strlen(line));
		else if (!strcmp(head, "%ARCH%"))
			set_field(&to->arch, line, strlen(line));
	}
}

static bool read_pacman(struct packages *p, const char *dir, struct diag *diag)
{
	struct buf text = { 0 }, path = { 0 };
	char **names, *line, *at, *end;
	size_t n = names_in(dir, "", &names);

	(void)diag;
	for (size_t i = 0; i < n; i++) {
		uint32_t package;
		bool files = false;

		join_text(&path, dir, "/", names[i]);
		path.len--;
		buf_add(&path, "/desc", sizeof("/desc"));
		if (!lists_text(path.s, &text))
			goto next;
		package = add_package(p, names[i], strlen(names[i]));
		take_desc(&p->rows[package], text.s, text.s + text.len);
		join_text(&path, dir, "/", names[i]);
		path.len--;
		buf_add(&path, "/files", sizeof("/files"));
		at = end = NULL;
		if (lists_text(path.s, &text)) {
			at = text.s;
			end = at + text.len;
		}
		while (at && (line = next_line(&at, end))) {
			size_t len = strlen(line);
			struct buf full = { 0 };

			if (*line == '%' || !len) {
				files = !strcmp(line, "%FILES%");
				continue;
			}
			if (!files || line[len - 1] == '/')
				continue;
			buf_addc(&full, '/');
			buf_adds(&full, line);
			p->file(p->ctx, package, full.s, full.len);
			buf_free(&full);
		}
next:
		free(names[i]);
	}
	free(names);
	buf_free(&text);
	buf_free(&path);
	return true;
}

/* ---- rpm(8): its database has many formats, so run rpm ---- */

/* Return: the output of rpm; NULL with errno set on error. */
static FILE *start_rpm(const char *dir, pid_t *pid)
{
	static const char format[] = "=%{NAME}\t%{EVR}\t%{ARCH}\n[%{FILENAMES}\n]";
	/* rpm requires an absolute path */
	char *path = realpath(dir, NULL);
	char *const argv[] = { "rpm", "--dbpath", path, "-qa", "--qf", (char *)format, NULL };
	FILE *from = path ? program_start(argv, pid) : NULL;
	int err = errno;

	free(path);
	errno = err;
	return from;
}

static uint32_t take_rpm(struct packages *p, char *line)
{
	char *version = strchr(line, '\t'), *arch = version ? strchr(version + 1, '\t') : NULL;
	uint32_t package;

	if (!arch)
		return add_package(p, line, strlen(line));
	package = add_package(p, line, (size_t)(version - line));
	set_field(&p->rows[package].version, version + 1, (size_t)(arch - version) - 1);
	set_field(&p->rows[package].arch, arch + 1, strlen(arch + 1));
	return package;
}

static bool read_rpm(struct packages *p, const char *dir, struct diag *diag)
{
	uint32_t package = 0;
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	pid_t pid;
	FILE *from = start_rpm(dir, &pid);
	int status;

	if (!from) {
		diag_fatal(diag, "%s: cannot be read without rpm: %s; install rpm", dir,
			   strerror(errno));
		return false;
	}
	while ((len = getline(&line, &cap, from)) > 0) {
		size_t n = (size_t)len - (line[len - 1] == '\n');
		char *buf;

		line[n] = 0;
		if (*line == '=') {
			package = take_rpm(p, line + 1);
		} else if (*line == '/' && p->n) {
			const char *path;

			buf = xmalloc(n + 5);
			path = packages_path(line, &n, buf);
			p->file(p->ctx, package, path, n);
			free(buf);
		}
	}
	free(line);
	status = program_end(from, pid);
	if (status)
		diag_fatal(diag, "%s: rpm cannot read it", dir);
	return !status;
}

/* ---- all package managers ---- */

static const struct manager {
	const char *name, *dir;
	bool (*read)(struct packages *p, const char *dir, struct diag *diag);
} managers[] = {
	{ "dpkg", "/var/lib/dpkg", read_dpkg },
	{ "pacman", "/var/lib/pacman/local", read_pacman },
	{ "rpm", "/usr/lib/sysimage/rpm", read_rpm },
	{ "rpm", "/var/lib/rpm", read_rpm },
};

static const struct manager *manager_of(const char *root, struct buf *dir)
{
	for (size_t i = 0; i < sizeof(managers) / sizeof(*managers); i++) {
		join_text(dir, root, managers[i].dir, "");
		if (!access(dir->s, F_OK))
			return &managers[i];
	}
	return NULL;
}

const char *packages_manager(const char *root)
{
	struct buf dir = { 0 };
	const struct manager *m = manager_of(root, &dir);

	buf_free(&dir);
	return m ? m->name : NULL;
}

bool packages_read(struct packages *p, const char *root, struct diag *diag)
{
	struct buf dir = { 0 };
	const struct manager *m = manager_of(root, &dir);
	bool ok = false;

	if (m) {
		p->manager = m->name;
		ok = m->read(p, dir.s, diag);
	} else {
		diag_fatal(diag, "%s: no package list of dpkg, pacman or rpm there; give the build machine's file system by --root DIR",
			   root);
	}
	buf_free(&dir);
	return ok;
}
