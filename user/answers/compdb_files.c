// SPDX-License-Identifier: LGPL-2.1
/*
 * Contents of @files as they were when commands read them: from the file if it has not
 * changed, else from the arguments that the driver passed on to the compiler proper.  See
 * compdb_parts.h.
 */
#include "answers/compdb_parts.h"
#include "base/xalloc.h"
#include "db/lists.h"
#include "db/scan.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MAX_FILE	((size_t)16 << 20)

/* ---- from the file ---- */

/* Whether the file behind @fd is a recorded version; false if its size and time are unknown. */
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

/* Whether @exec read the file behind @fd, under the name @path. */
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

bool compdb_read_file(struct compdb_list *l, uint32_t exec, const char *directory,
		      const char *name, struct buf *text)
{
	char *path = compdb_absolute(directory, name);
	/* O_NONBLOCK: it may be a FIFO now */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	bool ok = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		  read_it(l->db, exec, path, fd) && read_whole(fd, text);

	if (fd >= 0)
		close(fd);
	free(path);
	return ok;
}

/* ---- from what the compiler proper got ---- */

struct rebuilt {
	char **args;
	size_t n, cap;
};

static void add_arg(struct rebuilt *r, const char *arg)
{
	r->args = xgrow(r->args, &r->cap, r->n + 2, sizeof(*r->args));
	/* not copied: owned by commands, which live longer */
	r->args[r->n++] = (char *)(uintptr_t)arg;
	r->args[r->n] = NULL;
}

/* Add the arguments of a compiler proper that its driver would also accept as options. */
static void add_options(struct rebuilt *r, const struct command *proper)
{
	for (size_t i = 1; i < proper->nargs;) {
		enum option_form form;
		const char *value;
		const struct option *row = NULL;
		size_t n = 1;

		if (*proper->args[i] == '-')
			row = option_find(proper->family, proper->args[i], &form, &value);
		if (row)
			n += option_values(form);
		if (*proper->args[i] == '-' && !(row && (row->role == ROLE_INTERNAL ||
							 row->role == ROLE_OUTPUT)))
			for (size_t k = i; k < i + n && k < proper->nargs; k++)
				add_arg(r, proper->args[k]);
		i += n;
	}
}

/*
 * Remember COLLECT_GCC_OPTIONS of a compiler proper, which contains all arguments of its
 * driver except files.
 */
static void take_passed(void *ctx, const struct db_cells *row)
{
	static const char name[] = "COLLECT_GCC_OPTIONS";
	struct compdb_list *l = ctx;
	size_t len;
	const char *s = args_text(&l->args, db_cell_id(l->db, row, 1, DB_STRINGS), &len);

	if (len == sizeof(name) - 1 && !memcmp(s, name, len))
		map64_put(&l->passed, db_cell_id(l->db, row, 0, DB_EXECS), (uint64_t)row->v[2]);
}

/* The next word of COLLECT_GCC_OPTIONS, in single quotes; a single quote in it is '\\''. */
static char *passed_word(const char **at, const char *end)
{
	struct buf word = { 0 };
	bool quoted = false;
	const char *s = *at;

	while (s < end && *s == ' ')
		s++;
	if (s == end)
		return NULL;
	for (; s < end && (quoted || *s != ' '); s++) {
		if (*s == '\'')
			quoted = !quoted;
		else if (*s == '\\' && !quoted && s + 1 < end)
			buf_addc(&word, *++s);
		else
			buf_addc(&word, *s);
	}
	buf_addc(&word, 0);
	*at = s;
	return word.s;
}

/* Add the words of COLLECT_GCC_OPTIONS.  Return: false if it was not recorded. */
static bool add_passed(struct compdb_list *l, struct compdb_command *c, struct rebuilt *r)
{
	const uint64_t *string;
	const char *at, *end;
	size_t len;
	char *word;

	if (!l->passed_read)
		db_scan(l->db, "env", "exec, name, value", take_passed, l);
	l->passed_read = true;
	string = map64_get(&l->passed, l->rows[c->proper - 1].exec);
	if (!string || !*string)
		return false;
	at = args_text(&l->args, db_id_of(l->db, (int64_t)*string, DB_STRINGS), &len);
	for (end = at + len; (word = passed_word(&at, end));)
		add_arg(r, compdb_own(c, word));
	return true;
}

/* Without COLLECT_GCC_OPTIONS: add the arguments of cc1, except those that its driver adds. */
static void add_received(struct compdb_list *l, struct compdb_command *c, struct rebuilt *r)
{
	const struct command *proper = &l->rows[c->proper - 1].cmd;
	const struct command *last = c->made ? &l->rows[c->made - 1].cmd : proper;

	add_options(r, proper);
	if (last == proper)
		add_arg(r, "-S");
	else if (last->family->compiles_only)
		add_arg(r, "-c");
	if (last->output && (!l->rows[c->proper - 1].next_proper || last->links)) {
		add_arg(r, "-o");
		add_arg(r, last->output);
	}
	/* gcc passes directories on in an @file of its own */
	c->in_part = proper->unread;
}

static void rebuild_args(struct compdb_list *l, struct compdb_command *c)
{
	struct rebuilt r = { 0 };

	for (size_t i = 0; i < c->own; i++)
		add_arg(&r, c->args[c->inner + i]);
	if (!add_passed(l, c, &r))
		add_received(l, c, &r);
	for (uint32_t p = c->proper; p; p = l->rows[p - 1].next_proper)
		add_arg(&r, l->rows[p - 1].cmd.sources[0].path);
	free(c->rebuilt);
	c->rebuilt = r.args;
	compdb_take(l, c, r.args, r.n);
}

/* Groups of options that a driver passes on; the order is kept only within each group. */
static const char *const passed[] = { "-I", "-D -U", "-include" };

static void add_said(struct buf *to, const struct command *c, const char *names)
{
	for (size_t i = 1; i < c->nargs; i++) {
		enum option_form form;
		const char *value;
		const struct option *row = NULL;

		if (*c->args[i] == '-')
			row = option_find(c->family, c->args[i], &form, &value);
		if (!row)
			continue;
		if (option_values(form))
			value = i + 1 < c->nargs ? c->args[i + 1] : NULL;
		if (value && has_word(names, row->name, strlen(row->name))) {
			buf_adds(to, row->name);
			buf_add(to, value, strlen(value) + 1);
		}
		i += option_values(form);
	}
}

/* Whether a compiler proper got the same macros and directories as its driver. */
static bool args_agree(const struct command *driver, const struct command *proper)
{
	bool same = true;

	/* gcc passes directories (passed[0]) on in an @file of its own: skip these then */
	for (size_t i = proper->unread; same && i < sizeof(passed) / sizeof(passed[0]); i++) {
		struct buf a = { 0 }, b = { 0 };

		add_said(&a, driver, passed[i]);
		add_said(&b, proper, passed[i]);
		/* the driver may add options of its own before or after them */
		same = !a.len || (b.len && memmem(b.s, b.len, a.s, a.len));
		buf_free(&a);
		buf_free(&b);
	}
	return same;
}

void compdb_rebuild(struct compdb_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct compdb_command *c = &l->rows[i];
		const struct command *proper;

		if (!c->proper || !compdb_has_file(c))
			continue;
		proper = &l->rows[c->proper - 1].cmd;
		/* only gcc's compilers proper have the same options as their driver */
		if (proper->family->at == AT_GNU && (c->cmd.unread || !args_agree(&c->cmd, proper)))
			rebuild_args(l, c);
	}
}
