// SPDX-License-Identifier: GPL-2.0
/*
 * Takes the steps of a recording into a store.  See skip.h.
 *
 * etrace asks for each program before it runs (cmd_skip.c).  When it knows nothing, it looks for
 * STORE/is/KEY, which is never there, and runs the program in the same process.  So the recording
 * itself has the key of each step: no process numbers or clocks of two sources are compared.
 */
#include "skip/skip.h"
#include "base/hash.h"
#include "base/map64.h"
#include "build/build.h"
#include "skip/programs.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* How much earlier than the clock the kernel's own time of a change may be, ns: a tick. */
#define TICK 10000000

struct change {
	uint32_t exec, file, version;
	uint8_t what;
	int64_t error, value, at;
};

struct learning {
	const struct skip_learn *l;
	struct db *db;
	const struct build *b;
	struct out *out;
	int64_t real;		/* what to add to a time of the trace for one since 1970, ns */
	bool *helper;		/* by exec: etrace, which asks */
	uint32_t *next;		/* by exec: what it became by execve */
	struct change *changes;
	size_t nchanges, changes_cap;
	struct map64 reasons;	/* by address of a constant: index of @counts + 1 */
	struct {
		const char *why;
		uint32_t n;
		char first[256];
	} *counts;
	size_t ncounts, counts_cap;
	/* of the step that is looked at */
	uint32_t step, end;	/* its first and its last program */
	bool *in;		/* by exec: part of it */
	uint8_t *touched;	/* by file: it made, changed or removed it; 2: a directory */
	uint32_t *touched_list;
	size_t ntouched, touched_cap;
	struct map64 facts;	/* by hash of kind and path: 1 */
	struct map64 paths;	/* by hash of a path: 1 found, 2 missed */
	struct buf entry;
	const char *why;
	char which[PATH_MAX];
};

static bool refuse(struct learning *x, const char *why, const char *which)
{
	x->why = why;
	snprintf(x->which, sizeof(x->which), "%s", which);
	return false;
}

/* Path of a file, with a NUL, in @to of PATH_MAX bytes.  Return: false if it is too long. */
static bool path_of(const struct learning *x, uint32_t file, char *to)
{
	size_t len;
	const char *s = build_path(x->b, file, &len);

	if (!file || len >= PATH_MAX || memchr(s, '\0', len))
		return false;
	memcpy(to, s, len);
	to[len] = '\0';
	return *to == '/';
}

static bool refuse_file(struct learning *x, const char *why, uint32_t file)
{
	char path[PATH_MAX];

	return refuse(x, why, path_of(x, file, path) ? path : "");
}

static int64_t ns_of(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

static int64_t begin_of(const struct learning *x)
{
	return x->b->execs[x->step].at + x->real;
}

/* Whether this step, and nothing before it, made all that is in a version. */
static bool is_mine(const struct learning *x, uint32_t version)
{
	while (version) {
		const struct build_version *v = &x->b->versions[version];

		if (!v->exec || !x->in[v->exec] || x->helper[v->exec])
			return false;
		if (v->made == GRAPH_WRITTEN || v->made == GRAPH_IS_SYMLINK ||
		    v->made == GRAPH_MEMORY)
			return true;
		if (v->made != GRAPH_CHANGED)
			return false;
		version = v->base;
	}
	return false;
}

/* ---- facts ---- */

static bool add_fact_path(struct learning *x, enum skip_fact kind, const char *path)
{
	size_t len = strlen(path);
	uint64_t name = hash_bytes(path, len);
	uint64_t *seen = map64_at(&x->paths, name), is = kind == FACT_MISS ? 2 : 1;
	char text[2] = { (char)kind, '\0' };
	size_t before = x->entry.len;

	if (*seen && *seen != is)
		return refuse(x, "a file came or went while it ran", path);
	*seen = is;
	if (!map64_first(&x->facts, hash_two(name, (uint64_t)kind)))
		return true;
	buf_add(&x->entry, text, 2);
	buf_add(&x->entry, path, len + 1);
	if (!skip_fact(x->l->store, kind, path, &x->entry)) {
		x->entry.len = before;
		return refuse(x, "a file that it used cannot be read now", path);
	}
	buf_addc(&x->entry, '\0');
	return true;
}

/* A miss is what was recorded, not what is the case now: the build may have made it since. */
static bool add_miss(struct learning *x, const char *path, int error)
{
	uint64_t name = hash_bytes(path, strlen(path));
	uint64_t *seen = map64_at(&x->paths, name);

	if (*seen == 1)
		return refuse(x, "a file came or went while it ran", path);
	*seen = 2;
	if (!map64_first(&x->facts, hash_two(name, FACT_MISS)))
		return true;
	buf_add(&x->entry, "m", 2);
	buf_add(&x->entry, path, strlen(path) + 1);
	buf_addu(&x->entry, (uint64_t)error);
	buf_addc(&x->entry, '\0');
	return true;
}

/* Whether nothing has happened to a file and its inode since the step began. */
static bool is_still(const struct learning *x, const char *path)
{
	struct stat st;

	return !lstat(path, &st) && ns_of(&st.st_ctim) < begin_of(x) &&
	       (!S_ISLNK(st.st_mode) || (!stat(path, &st) &&
		(S_ISDIR(st.st_mode) || ns_of(&st.st_ctim) < begin_of(x))));
}

static bool add_look(struct learning *x, const char *path, bool blind)
{
	struct stat st;

	if (lstat(path, &st))
		return refuse(x, "a file that it looked at is gone", path);
	if (!S_ISDIR(st.st_mode) && !S_ISCHR(st.st_mode) && !is_still(x, path))
		return refuse(x, "a file that it looked at was changed later", path);
	return add_fact_path(x, blind ? FACT_BLIND : FACT_LOOK, path);
}

/* The loader that the kernel runs for a program: no open shows it. */
static bool add_loader(struct learning *x, const char *path)
{
	char loader[256] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr h;
	Elf64_Phdr p;

	if (fd < 0)
		return refuse(x, "a program cannot be read now", path);
	if (pread(fd, &h, sizeof(h), 0) == sizeof(h) && !memcmp(h.e_ident, ELFMAG, SELFMAG)) {
		if (h.e_ident[EI_CLASS] != ELFCLASS64) {
			close(fd);
			return refuse(x, "a program is not one of 64 bits", path);
		}
		for (unsigned int i = 0; i < h.e_phnum; i++)
			if (pread(fd, &p, sizeof(p), (off_t)(h.e_phoff + i * sizeof(p))) == sizeof(p) &&
			    p.p_type == PT_INTERP && p.p_filesz < sizeof(loader) &&
			    pread(fd, loader, p.p_filesz, (off_t)p.p_offset) > 0)
				loader[p.p_filesz] = '\0';
	}
	close(fd);
	if (!*loader)
		return true;
	return is_still(x, loader) ? add_fact_path(x, FACT_CONTENT, loader) :
	       refuse(x, "the loader was changed", loader);
}

/* Whether what was searched for is in a file that a program read. */
static bool check_words(struct learning *x, const char *path, bool shell)
{
	struct buf text = { 0 };
	bool ok = skip_read(path, &text);
	const char *word = NULL;

	if (ok) {
		word = skip_source_word(&text);
		if (!word && (shell || (text.len > 2 && !memcmp(text.s, "#!", 2))))
			word = skip_shell_word(&text);
	}
	buf_free(&text);
	if (!ok)
		return refuse(x, "a file that it used cannot be read now", path);
	return !word || refuse(x, "it may ask for the time, or for numbers of processes", path);
}

/* All other names, through links, by which programs read a file. */
static bool add_names(struct learning *x, uint32_t file, const char *path)
{
	static const char text[] =
		"SELECT s.s FROM asked AS a JOIN string AS s ON s.id = a.path WHERE a.file = ?";
	struct sqlite3_stmt *st = db_ask(x->db, text, "i", (int64_t)file);
	char name[PATH_MAX], real[PATH_MAX];
	bool ok = true;
	const char *s;
	size_t len;

	while (db_row(x->db, st)) {
		s = db_bytes(st, 0, &len);
		if (!ok || !len || *s != '/' || len >= sizeof(name))
			continue;
		memcpy(name, s, len);
		name[len] = '\0';
		if (!realpath(name, real) || strcmp(real, path))
			ok = refuse(x, "a link on the way was changed later", name);
		else
			ok = add_fact_path(x, FACT_CONTENT, name);
	}
	return ok;
}

static bool add_content(struct learning *x, const struct build_access *a, uint32_t file)
{
	const struct build_content *c = build_content(x->b, a->version);
	enum skip_program is;
	char path[PATH_MAX], program[PATH_MAX], hex[SKIP_HEX + 1], *at;
	size_t before = x->entry.len;

	if (!path_of(x, file, path))
		return refuse(x, "a file without a name", "");
	if (!c)
		return refuse(x, "the recording has no hash of a file that it used", path);
	if (!is_still(x, path))
		return refuse(x, "a file that it used was changed later", path);
	if (!add_fact_path(x, FACT_CONTENT, path))
		return false;
	if (x->entry.len == before)
		return true;
	/* KIND path mode owner group hash */
	at = x->entry.s + before + 2 + strlen(path) + 1;
	for (int i = 0; i < 3 && at; i++)
		at = strchr(at, ' ') + 1;
	for (int i = 0; i < BUILD_HASH; i++)
		snprintf(hex + 2 * i, 3, "%02x", c->sha256[i]);
	if (strncmp(at, hex, SKIP_HEX))
		return refuse(x, "a file that it used was changed later", path);
	if (a->how == GRAPH_RUN && !add_loader(x, path))
		return false;
	is = path_of(x, x->b->execs[a->exec].program, program) ? skip_program(program, NULL) :
	     PROGRAM_NO;
	if (a->class != GRAPH_LOADER && a->class != GRAPH_CONFIG && a->how != GRAPH_RUN &&
	    !check_words(x, path, is == PROGRAM_SHELL))
		return false;
	return add_names(x, file, path);
}

/* ---- accesses ---- */

static bool take_special(struct learning *x, uint32_t file)
{
	char path[PATH_MAX];

	if (!path_of(x, file, path))
		return refuse(x, "a device without a name", "");
	if (!strcmp(path, "/dev/null") || !strcmp(path, "/dev/zero"))
		return add_look(x, path, true);
	if (!strcmp(path, "/proc/filesystems"))
		return add_fact_path(x, FACT_READ, path);
	return refuse(x, "it used a device, or a file in /proc or /sys", path);
}

/* A pipe must have both ends within the step. */
static bool take_pipe(struct learning *x, uint32_t version)
{
	const struct build_version *v = &x->b->versions[version];

	for (uint32_t i = 0; i < v->uses; i++) {
		const struct build_access *a = build_use(x->b, version, i);

		if ((a->how == GRAPH_READ || a->how == GRAPH_WRITE) && !x->in[a->exec])
			return refuse(x, "it used a pipe or socket that others have, too", "");
	}
	return true;
}

static bool take_directory(struct learning *x, const struct build_access *a, uint32_t file)
{
	char path[PATH_MAX];
	struct stat st;

	if (!path_of(x, file, path))
		return refuse(x, "a directory without a name", "");
	if (x->touched[file])
		return true;
	if (a->how != GRAPH_LIST)
		return add_look(x, path, false);
	if (lstat(path, &st) || ns_of(&st.st_ctim) >= begin_of(x))
		return refuse(x, "a directory that it listed was changed later", path);
	return add_fact_path(x, FACT_LIST, path);
}

static bool is_directory(const struct learning *x, uint32_t file)
{
	char path[PATH_MAX];
	struct stat st;

	return path_of(x, file, path) && !lstat(path, &st) && S_ISDIR(st.st_mode);
}

static bool is_blind(const struct learning *x, uint32_t exec)
{
	char path[PATH_MAX];

	return path_of(x, x->b->execs[exec].program, path) &&
	       skip_program(path, NULL) == PROGRAM_BLIND;
}

static bool take_file(struct learning *x, const struct build_access *a, uint32_t file)
{
	char path[PATH_MAX];

	if (is_mine(x, a->version))
		return true;
	if (a->how == GRAPH_WRITE)
		return refuse_file(x, "it wrote to a file that it did not make", file);
	if (!path_of(x, file, path))
		return refuse(x, "a file without a name", "");
	if (x->touched[file])
		return refuse(x, "it replaced or removed a file that it used", path);
	if (a->how == GRAPH_LOOK)
		return add_look(x, path, is_blind(x, a->exec));
	return add_content(x, a, file);
}

static bool take_access(struct learning *x, const struct build_access *a)
{
	const struct build_version *v = &x->b->versions[a->version];
	uint32_t file = a->file ? a->file : v->file;

	if (!a->version)
		return refuse(x, "something unknown was used", "");
	switch (v->made) {
	case GRAPH_PIPE:
		return a->how != GRAPH_READ && a->how != GRAPH_WRITE ? true : take_pipe(x, a->version);
	case GRAPH_FIFO:
		return refuse_file(x, "it used a FIFO", file);
	case GRAPH_MEMORY:
		return is_mine(x, a->version) || refuse(x, "it used another's memory", "");
	case GRAPH_SPECIAL:
		return take_special(x, file);
	case GRAPH_DIR:
		return take_directory(x, a, file);
	default:
		/* the kind of what no program has opened need not be recorded */
		return a->how == GRAPH_LIST || is_directory(x, file) ? take_directory(x, a, file) :
		       take_file(x, a, file);
	}
}

static bool take_misses(struct learning *x, uint32_t exec)
{
	char path[PATH_MAX];

	for (uint32_t i = 0; i < build_misses(x->b, exec); i++) {
		const struct build_miss *m = build_miss_of(x->b, exec, i);

		/* that it was not there before is a fact of its own */
		if (x->touched[m->file])
			continue;
		if (!path_of(x, m->file, path))
			return refuse(x, "a missing file without a name", "");
		if (m->error == EINVAL) {
			/* readlink() of what is there, and no link */
			if (!add_look(x, path, is_blind(x, exec)))
				return false;
		} else if (m->error != ENOENT && m->error != ENOTDIR) {
			return refuse(x, "it could not use a file that was there", path);
		} else if (!add_miss(x, path, m->error)) {
			return false;
		}
	}
	return true;
}

/* ---- what it did beside reading and writing ---- */

static void touch(struct learning *x, uint32_t file, uint8_t how)
{
	if (!file)
		return;
	if (!x->touched[file]) {
		x->touched_list = xgrow(x->touched_list, &x->touched_cap, x->ntouched + 1,
					sizeof(*x->touched_list));
		x->touched_list[x->ntouched++] = file;
	}
	if (x->touched[file] < how)
		x->touched[file] = how;
}

static bool is_own(const struct learning *x, uint32_t exec)
{
	return exec && x->in[exec] && !x->helper[exec];
}

static void touch_all(struct learning *x)
{
	const struct build *b = x->b;

	for (uint32_t v = 1; v <= b->nversions; v++)
		if (is_own(x, b->versions[v].exec) &&
		    (build_is_written(&b->versions[v]) || b->versions[v].made == GRAPH_IS_SYMLINK))
			touch(x, b->versions[v].file, 1);
	for (uint32_t i = 0; i < b->nnames; i++)
		if (is_own(x, b->names[i].exec))
			touch(x, b->names[i].file, 1);
	for (size_t i = 0; i < x->nchanges; i++)
		if (is_own(x, x->changes[i].exec) && x->changes[i].what == GRAPH_MKDIR &&
		    !x->changes[i].error)
			touch(x, x->changes[i].file, 2);
}

static bool take_failed_change(struct learning *x, const struct change *c)
{
	char path[PATH_MAX];

	if (x->touched[c->file])
		return true;
	if (!path_of(x, c->file, path))
		return refuse(x, "a change without a name failed", "");
	if ((c->error == ENOENT || c->error == ENOTDIR) && c->what == GRAPH_UNLINK)
		return add_miss(x, path, (int)c->error);
	if (c->error == EEXIST && c->what == GRAPH_MKDIR)
		return add_look(x, path, false);
	return refuse(x, "a change of the file tree failed", path);
}

static bool take_change(struct learning *x, const struct change *c)
{
	if (c->error)
		return take_failed_change(x, c);
	switch (c->what) {
	case GRAPH_MKDIR:
	case GRAPH_SYMLINK:
		return true;
	case GRAPH_RMDIR:
		return x->touched[c->file] == 2 ||
		       refuse_file(x, "it removed a directory that it did not make", c->file);
	case GRAPH_CHMOD:
		return x->touched[c->file] == 2 || is_mine(x, c->version) ||
		       refuse_file(x, "it changed the mode of what it did not make", c->file);
	case GRAPH_UTIMENS:
		return (!c->value && is_mine(x, c->version)) ||
		       refuse_file(x, "it set times of a file", c->file);
	case GRAPH_UNLINK:
	case GRAPH_RENAME:
	case GRAPH_TRUNCATE:
		return is_mine(x, c->version) ||
		       refuse_file(x, "it removed, renamed or cut a file that it did not make", c->file);
	default:
		return refuse_file(x, "it made a hard link or a device, or mounted", c->file);
	}
}

static bool take_network(struct learning *x)
{
	static const char text[] =
		"SELECT n.exec, n.error, s.s FROM net AS n LEFT JOIN string AS s ON s.id = n.address";
	struct sqlite3_stmt *st = db_ask(x->db, text, "");
	bool ok = true;

	while (db_row(x->db, st)) {
		uint32_t exec = db_id(x->db, st, 0, DB_EXECS);

		if (is_own(x, exec))
			ok = refuse(x, "it used a socket", "");
	}
	return ok;
}

/* Whether all that processes wrote to descriptors 1 and 2 went to files and pipes of the step. */
static bool take_printed(struct learning *x)
{
	static const char text[] =
		"SELECT p.exec, p.bytes, (SELECT sum(a.bytes) FROM exec AS e JOIN exec AS l\n"
		" ON l.id = p.exec AND l.process = e.process JOIN access AS a ON a.exec = e.id\n"
		" WHERE a.how = 2 AND a.fd = p.fd) FROM printed AS p";
	struct sqlite3_stmt *st = db_ask(x->db, text, "");
	bool ok = true;

	while (db_row(x->db, st)) {
		uint32_t exec = db_id(x->db, st, 0, DB_EXECS);

		if (is_own(x, exec) && db_int(st, 2) < db_int(st, 1))
			ok = refuse(x, "it printed something", "");
	}
	return ok;
}

/* ---- its programs ---- */

static bool take_arguments(struct learning *x, uint32_t exec, bool shell)
{
	struct buf args = { 0 };
	const char *word;

	build_args_add(x->b, exec, &args);
	word = skip_source_word(&args);
	if (!word && shell)
		word = skip_shell_word(&args);
	buf_free(&args);
	return !word || refuse(x, "it may ask for the time, or for numbers of processes", word);
}

static bool take_asks(struct learning *x, uint32_t exec)
{
	const struct build_ask *a;
	size_t n;

	/* what else they ask for is in the key */
	a = build_asks(x->b, exec, &n);
	for (size_t i = 0; i < n; i++)
		/* the C library asks for 8 bytes for its own tables */
		if (a[i].call == GRAPH_GETRANDOM && !(a[i].value == 8 && a[i].flags == 1))
			return refuse(x, "it asked for random bytes", "");
	return true;
}

static bool take_program(struct learning *x, uint32_t exec)
{
	const struct build_exec *e = &x->b->execs[exec];
	enum skip_program is;
	char path[PATH_MAX];

	if (!e->begun || (e->ended != GRAPH_ENDED_EXIT && e->ended != GRAPH_ENDED_EXEC))
		return refuse(x, "its begin or end is not in the recording", "");
	if (e->until > x->b->execs[x->end].until)
		return refuse(x, "a process of it outlived it", "");
	if (x->helper[exec])
		return x->next[exec] || refuse(x, "a part of it was skipped", "");
	if (e->unseen)
		return refuse(x, "it used a descriptor, socket or io_uring from outside", "");
	if (!path_of(x, e->interp ? e->interp : e->program, path))
		return refuse(x, "a program without a name", "");
	is = skip_program(path, x->l->allow);
	if (is == PROGRAM_NO)
		return refuse(x, "a program is not in the list of those that may be skipped", path);
	return take_arguments(x, exec, is == PROGRAM_SHELL) && take_asks(x, exec);
}

static bool take_exec(struct learning *x, uint32_t exec)
{
	const struct build_exec *e = &x->b->execs[exec];

	if (!take_program(x, exec))
		return false;
	if (x->helper[exec])
		return true;
	for (uint32_t i = 0; i < e->uses; i++)
		if (!take_access(x, &x->b->accesses[e->first + i]))
			return false;
	return take_misses(x, exec);
}

/* ---- outputs ---- */

/* Whether others gave a name another content since the step began. */
static bool is_later(const struct learning *x, uint32_t file)
{
	const struct build *b = x->b;
	const uint32_t *ids;
	size_t n;

	for (uint32_t i = 0; i < b->nnames; i++)
		if (b->names[i].file == file && !is_own(x, b->names[i].exec) &&
		    b->names[i].at >= b->execs[x->step].at)
			return true;
	ids = build_list(b, BUILD_BEGAN, file, &n);
	for (size_t i = 0; i < n; i++) {
		const struct build_version *v = &b->versions[ids[i]];

		if (build_is_written(v) && !is_own(x, v->exec) && v->at >= b->execs[x->step].at)
			return true;
	}
	return false;
}

/* Whether the step itself has removed a name. */
static bool is_removed(const struct learning *x, uint32_t file)
{
	const struct build_name *last = NULL;

	if (x->touched[file] == 2) {
		for (size_t i = 0; i < x->nchanges; i++)
			if (x->changes[i].what == GRAPH_RMDIR && x->changes[i].file == file &&
			    !x->changes[i].error && is_own(x, x->changes[i].exec))
				return true;
		return false;
	}
	for (uint32_t i = 0; i < x->b->nnames; i++)
		if (x->b->names[i].file == file && (!last || x->b->names[i].at >= last->at))
			last = &x->b->names[i];
	return last && !last->version && is_own(x, last->exec);
}

/* Whether others wrote into a version, through a descriptor that they had from the step. */
static bool is_shared(const struct learning *x, uint32_t version)
{
	const struct build_version *v = &x->b->versions[version];

	for (uint32_t i = 0; i < v->writes; i++)
		if (!is_own(x, build_use(x->b, version, i)->exec))
			return true;
	return false;
}

struct output {
	int64_t mtime;
	size_t begin, len;	/* row, in a buffer */
	bool dir;
};

static bool put_file(struct learning *x, uint32_t file, const char *path, const struct stat *st,
		     struct buf *rows)
{
	uint32_t version = build_present(x->b, file);
	const struct build_content *c = version ? build_content(x->b, version) : NULL;
	char text[PATH_MAX], hex[SKIP_HEX + 1];
	ssize_t n;

	if (!version || !is_mine(x, version) || is_shared(x, version))
		return refuse(x, "another step changed an output", path);
	if (S_ISLNK(st->st_mode)) {
		n = readlink(path, text, sizeof(text) - 1);
		if (n < 0)
			return refuse(x, "an output was changed later", path);
		text[n] = '\0';
		buf_add(rows, "h", 2);
		buf_add(rows, path, strlen(path) + 1);
		buf_add(rows, text, (size_t)n + 1);
		return true;
	}
	if (!c)
		return refuse(x, "the recording has no hash of an output", path);
	for (int i = 0; i < BUILD_HASH; i++)
		snprintf(hex + 2 * i, 3, "%02x", c->sha256[i]);
	if (!skip_keep(x->l->store, path, hex))
		return refuse(x, "an output was changed later", path);
	snprintf(text, sizeof(text), "%o", st->st_mode & 07777);
	buf_add(rows, "f", 2);
	buf_add(rows, path, strlen(path) + 1);
	buf_add(rows, text, strlen(text) + 1);
	buf_add(rows, hex, SKIP_HEX + 1);
	return true;
}

/* Whether an output is new, and has not been touched since the step has ended. */
static bool check_times(struct learning *x, const char *path, const struct stat *st)
{
	int64_t end = x->b->execs[x->end].until + x->real;
	struct statx sx;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &sx) ||
	    !(sx.stx_mask & STATX_BTIME))
		return refuse(x, "the file system does not tell when an output was made", path);
	/* one that was there before keeps its mode, its owner and its other names */
	if ((int64_t)sx.stx_btime.tv_sec * 1000000000 + sx.stx_btime.tv_nsec < begin_of(x) - TICK)
		return refuse(x, "an output was there before", path);
	if (!S_ISDIR(st->st_mode) && ns_of(&st->st_ctim) > end + TICK)
		return refuse(x, "an output was changed later", path);
	return true;
}

static bool put_parent(struct learning *x, const char *path)
{
	char parent[PATH_MAX], *slash;
	uint32_t file;

	snprintf(parent, sizeof(parent), "%s", path);
	slash = strrchr(parent, '/');
	slash[slash == parent] = '\0';
	file = build_find(x->b, parent, strlen(parent));
	if (file && x->touched[file])
		return true;
	return add_look(x, parent, false);
}

static bool put_output(struct learning *x, uint32_t file, struct buf *rows, struct output *o)
{
	char path[PATH_MAX], mode[16];
	struct stat st;

	if (!path_of(x, file, path))
		return refuse(x, "an output without a name", "");
	if (is_later(x, file))
		return refuse(x, "another step changed an output", path);
	*o = (struct output){ .begin = rows->len };
	if (!add_miss(x, path, ENOENT))
		return false;
	if (lstat(path, &st))
		return is_removed(x, file) || refuse(x, "an output is gone", path);
	if (is_removed(x, file))
		return refuse(x, "an output was changed later", path);
	o->mtime = ns_of(&st.st_mtim);
	o->dir = S_ISDIR(st.st_mode);
	if (!check_times(x, path, &st) || !put_parent(x, path))
		return false;
	if (llistxattr(path, NULL, 0) > 0)
		return refuse(x, "an output has extended attributes", path);
	if (o->dir) {
		if (x->touched[file] != 2)
			return refuse(x, "a directory was renamed", path);
		snprintf(mode, sizeof(mode), "%o", st.st_mode & 07777);
		buf_add(rows, "d", 2);
		buf_add(rows, path, strlen(path) + 1);
		buf_add(rows, mode, strlen(mode) + 1);
	} else {
		if (st.st_nlink != 1)
			return refuse(x, "an output has hard links", path);
		if ((!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) ||
		    !put_file(x, file, path, &st, rows))
			return x->why ? false : refuse(x, "an output is of a strange kind", path);
	}
	o->len = rows->len - o->begin;
	return true;
}

/* Directories first, the outer before the inner; then files in the order of their times. */
static const char *output_rows;

static int compare_outputs(const void *a, const void *b)
{
	const struct output *p = a, *q = b;

	if (p->dir != q->dir)
		return p->dir ? -1 : 1;
	if (p->dir)
		return strcmp(output_rows + p->begin + 2, output_rows + q->begin + 2);
	return (p->mtime > q->mtime) - (p->mtime < q->mtime);
}

static bool put_outputs(struct learning *x)
{
	struct output *all = xcalloc(x->ntouched + 1, sizeof(*all));
	struct buf rows = { 0 };
	size_t n = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < x->ntouched; i++) {
		ok = put_output(x, x->touched_list[i], &rows, &all[n]);
		n += all[n].len > 0;
	}
	output_rows = rows.s;
	if (ok && n)
		qsort(all, n, sizeof(*all), compare_outputs);
	for (size_t i = 0; ok && i < n; i++)
		buf_add(&x->entry, rows.s + all[i].begin, all[i].len);
	buf_free(&rows);
	free(all);
	return ok;
}

/* ---- a step ---- */

static void step_forget(struct learning *x)
{
	for (size_t i = 0; i < x->ntouched; i++)
		x->touched[x->touched_list[i]] = 0;
	x->ntouched = 0;
	memset(x->in, 0, x->b->nexecs + 1);
	map64_clear(&x->facts);
	map64_clear(&x->paths);
	x->entry.len = 0;
	x->why = NULL;
	*x->which = '\0';
}

static void step_mark(struct learning *x)
{
	const struct build_exec *execs = x->b->execs;

	x->end = x->step;
	for (uint32_t e = x->step; e <= x->b->nexecs; e++) {
		x->in[e] = e == x->step || (execs[e].before && x->in[execs[e].before]) ||
			   (!execs[e].before && execs[e].parent && x->in[execs[e].parent]);
		if (x->in[e] && execs[e].process == execs[x->step].process)
			x->end = e;
	}
}

/* What etrace looked at before it asked: the name of the program, and links on the way. */
static bool take_asked(struct learning *x, uint32_t helper, int64_t asked)
{
	const struct build_exec *e = &x->b->execs[helper];
	char path[PATH_MAX];

	for (uint32_t i = 0; i < e->uses; i++) {
		const struct build_access *a = &x->b->accesses[e->first + i];

		if (a->how != GRAPH_LOOK || a->at > asked ||
		    x->b->versions[a->version].made == GRAPH_SPECIAL)
			continue;
		if (!path_of(x, a->file, path))
			return refuse(x, "a program without a name", "");
		if (!strncmp(path, x->l->store->dir, strlen(x->l->store->dir)))
			continue;
		if (!add_look(x, path, true))
			return false;
	}
	return true;
}

static bool step_take(struct learning *x, uint32_t helper, int64_t asked)
{
	const struct build *b = x->b;

	if (!x->next[helper])
		return refuse(x, "it was skipped", "");
	x->step = x->next[helper];
	step_mark(x);
	if (b->execs[x->end].status || b->execs[x->end].signal > 0)
		return refuse(x, "it failed", "");
	touch_all(x);
	if (!take_asked(x, helper, asked) || !take_printed(x) || !take_network(x))
		return false;
	for (uint32_t e = x->step; e <= b->nexecs; e++)
		if (x->in[e] && !take_exec(x, e))
			return false;
	for (size_t i = 0; i < x->nchanges; i++)
		if (is_own(x, x->changes[i].exec) && !take_change(x, &x->changes[i]))
			return false;
	return put_outputs(x);
}

static void count(struct learning *x)
{
	uint64_t *at = map64_at(&x->reasons, (uint64_t)(uintptr_t)x->why);

	if (!*at) {
		x->counts = xgrow(x->counts, &x->counts_cap, x->ncounts + 1, sizeof(*x->counts));
		memset(&x->counts[x->ncounts], 0, sizeof(*x->counts));
		x->counts[x->ncounts].why = x->why;
		snprintf(x->counts[x->ncounts].first, sizeof(x->counts->first), "%.255s", x->which);
		*at = ++x->ncounts;
	}
	x->counts[*at - 1].n++;
}

/* ---- the recording ---- */

static void load_changes(struct learning *x)
{
	static const char text[] =
		"SELECT exec, what, file, version, error, value, at FROM change ORDER BY rowid";
	struct sqlite3_stmt *st = db_ask(x->db, text, "");

	while (db_row(x->db, st)) {
		x->changes = xgrow(x->changes, &x->changes_cap, x->nchanges + 1, sizeof(*x->changes));
		x->changes[x->nchanges++] = (struct change){
			.exec = db_id(x->db, st, 0, DB_EXECS), .what = (uint8_t)db_int(st, 1),
			.file = db_id(x->db, st, 2, DB_FILES),
			.version = db_id(x->db, st, 3, DB_VERSIONS), .error = db_int(st, 4),
			.value = db_int(st, 5), .at = db_int(st, 6),
		};
	}
}

/* The key that a program of etrace looked for.  Return: false if it did not ask */
static bool find_key(const struct learning *x, uint32_t exec, char key[SKIP_HEX + 1], int64_t *at)
{
	char path[PATH_MAX], prefix[PATH_MAX];
	size_t len = strlen(skip_path(x->l->store, prefix, "is", "", ""));

	for (uint32_t i = 0; i < build_misses(x->b, exec); i++) {
		const struct build_miss *m = build_miss_of(x->b, exec, i);

		if (!path_of(x, m->file, path) || strncmp(path, prefix, len) ||
		    strlen(path) != len + 1 + SKIP_HEX)
			continue;
		memcpy(key, path + len + 1, SKIP_HEX + 1);
		*at = m->at;
		return true;
	}
	return false;
}

/* Whether programs of etrace did what only a recording with all options shows. */
static bool check_options(const struct learning *x, uint32_t helper, bool *list, bool *look,
			  bool *asks)
{
	const struct build_exec *e = &x->b->execs[helper];
	size_t n;

	for (uint32_t i = 0; i < e->uses; i++) {
		*list |= x->b->accesses[e->first + i].how == GRAPH_LIST;
		*look |= x->b->accesses[e->first + i].how == GRAPH_LOOK;
	}
	build_asks(x->b, helper, &n);
	*asks |= n > 0;
	return *list && *look && *asks;
}

/* The programs of etrace that ask.  Return: false after diag_fatal() */
static bool find_helpers(struct learning *x)
{
	const struct build *b = x->b;
	bool list = false, look = false, asks = false, asked = false;
	char path[PATH_MAX], key[SKIP_HEX + 1];
	int64_t at;

	for (uint32_t e = 1; e <= b->nexecs; e++) {
		if (b->execs[e].before)
			x->next[b->execs[e].before] = e;
		x->helper[e] = path_of(x, b->execs[e].program, path) && !strcmp(path, x->l->program);
		if (x->helper[e])
			check_options(x, e, &list, &look, &asks);
		asked |= x->helper[e] && find_key(x, e, key, &at);
	}
	/* without a key there is nothing to learn */
	if (look && (!asked || (list && asks)) && db_one(x->db, "SELECT count(*) FROM printed", ""))
		return true;
	diag_fatal(x->db->diag, "%s: it does not show all that decides whether a step can be skipped; record with etrace run --hash --record=probes,dirs,output=all -- etrace experimental-skip --store=DIR run -- COMMAND",
		   x->db->name);
	return false;
}

static bool learn_all(struct learning *x)
{
	char key[SKIP_HEX + 1];
	uint32_t learned = 0, asked = 0;
	int64_t at;

	for (uint32_t e = 1; e <= x->b->nexecs && !x->db->failed; e++) {
		if (!x->helper[e] || !find_key(x, e, key, &at))
			continue;
		asked++;
		step_forget(x);
		if (step_take(x, e, at) && !skip_add(x->l->store, key, &x->entry))
			refuse(x, "the store could not be written", "");
		learned += !x->why;
		if (x->why)
			count(x);
	}
	out_printf(x->out, "%u of %u steps can be skipped\n", learned, asked);
	for (size_t i = 0; i < x->ncounts; i++)
		out_printf(x->out, "%6u  %s%s%s\n", x->counts[i].n, x->counts[i].why,
			   *x->counts[i].first ? ": " : "", x->counts[i].first);
	return !x->db->failed;
}

static bool check_recording(struct db *db)
{
	if (!db->complete || !db->uses) {
		diag_fatal(db->diag, "%s: it is incomplete, so nothing can be learned from it; record again",
			   db->name);
		return false;
	}
	if (!build_hashed(build_of(db))) {
		diag_fatal(db->diag, "%s: it has no hashes of files; record with --hash", db->name);
		return false;
	}
	return true;
}

bool skip_learn(const struct skip_learn *l, struct db *db, struct out *out)
{
	struct learning x = { .l = l, .db = db, .b = build_of(db), .out = out };
	bool ok = check_recording(db);

	if (!ok)
		return false;
	x.real = db_meta(db, "begin", 0) + db_meta(db, "realtime", 0);
	x.helper = xcalloc(x.b->nexecs + 1ul, sizeof(*x.helper));
	x.next = xcalloc(x.b->nexecs + 1ul, sizeof(*x.next));
	x.in = xcalloc(x.b->nexecs + 1ul, sizeof(*x.in));
	x.touched = xcalloc(x.b->nfiles + 1ul, sizeof(*x.touched));
	load_changes(&x);
	ok = find_helpers(&x) && learn_all(&x);
	step_forget(&x);
	map64_clear(&x.reasons);
	buf_free(&x.entry);
	free(x.helper);
	free(x.next);
	free(x.in);
	free(x.touched);
	free(x.touched_list);
	free(x.changes);
	free(x.counts);
	return ok;
}
