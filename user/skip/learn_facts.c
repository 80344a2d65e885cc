// SPDX-License-Identifier: GPL-2.0
/* Facts about files that a step depends on.  See learning.h. */
#include "skip/learning.h"
#include "base/hash.h"
#include "base/path.h"
#include "skip/programs.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

bool learn_fact(struct learning *x, enum skip_fact kind, const char *path)
{
	size_t len = strlen(path);
	uint64_t name = hash_bytes(path, len);
	uint64_t *seen = map64_at(&x->paths, name), is = kind == FACT_MISS ? 2 : 1;
	char text[2] = { (char)kind, '\0' };
	size_t before = x->entry.len;

	if (*seen && *seen != is)
		return learn_refuse(x, "a file came or went while it ran", path);
	*seen = is;
	if (!map64_first(&x->facts, hash_two(name, (uint64_t)kind)))
		return true;
	buf_add(&x->entry, text, 2);
	buf_add(&x->entry, path, len + 1);
	if (!skip_fact(x->l->store, kind, path, &x->entry)) {
		x->entry.len = before;
		return learn_refuse(x, "a file that it used cannot be read now", path);
	}
	buf_addc(&x->entry, '\0');
	return true;
}

/*
 * A miss is taken from the recording, not from the present state: the build may have created the
 * file since.
 */
bool learn_miss(struct learning *x, const char *path, int error)
{
	uint64_t name = hash_bytes(path, strlen(path));
	uint64_t *seen = map64_at(&x->paths, name);

	if (!learn_way(x, path, false))
		return false;
	if (*seen == 1)
		return learn_refuse(x, "a file came or went while it ran", path);
	*seen = 2;
	if (!map64_first(&x->facts, hash_two(name, FACT_MISS)))
		return true;
	buf_add(&x->entry, "m", 2);
	buf_add(&x->entry, path, strlen(path) + 1);
	buf_addu(&x->entry, (uint64_t)error);
	buf_addc(&x->entry, '\0');
	return true;
}

bool learn_is_still(const struct learning *x, const char *path)
{
	struct stat st;

	return !lstat(path, &st) && timespec_ns(&st.st_ctim) < learn_begin(x) &&
	       (!S_ISLNK(st.st_mode) || (!stat(path, &st) &&
		(S_ISDIR(st.st_mode) || timespec_ns(&st.st_ctim) < learn_begin(x))));
}

bool learn_look(struct learning *x, const char *path, bool blind)
{
	struct stat st;

	if (!learn_way(x, path, true))
		return false;
	if (lstat(path, &st))
		return learn_refuse(x, "a file that it looked at is gone", path);
	if (!S_ISDIR(st.st_mode) && !S_ISCHR(st.st_mode) && !learn_is_still(x, path))
		return learn_refuse(x, "a file that it looked at was changed later", path);
	return learn_fact(x, blind ? FACT_BLIND : FACT_LOOK, path);
}

/* Whether a file is a shared object. */
static bool is_library(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr h;
	bool ret = fd >= 0 && pread(fd, &h, sizeof(h), 0) == sizeof(h) &&
		   !memcmp(h.e_ident, ELFMAG, SELFMAG) && h.e_type == ET_DYN;

	if (fd >= 0)
		close(fd);
	return ret;
}

/* Add the name by which a script names its interpreter: it may be a link. */
static bool add_interpreter(struct learning *x, const char *line)
{
	char name[256];
	size_t len;

	line += strspn(line, " \t");
	len = strcspn(line, " \t\n");
	if (*line != '/' || len >= sizeof(name))
		return learn_refuse(x, "the name of an interpreter is not absolute, or is too long", line);
	memcpy(name, line, len);
	name[len] = '\0';
	return learn_way(x, name, true) && learn_fact(x, FACT_CONTENT, name);
}

/* Add the loader or interpreter that the kernel runs for a program, since no open shows it. */
static bool add_loader(struct learning *x, const char *path)
{
	char loader[256] = "", head[256] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr h;
	Elf64_Phdr p;

	if (fd < 0)
		return learn_refuse(x, "a program cannot be read now", path);
	if (pread(fd, head, sizeof(head) - 1, 0) > 2 && !memcmp(head, "#!", 2)) {
		close(fd);
		return add_interpreter(x, head + 2);
	}
	if (pread(fd, &h, sizeof(h), 0) == sizeof(h) && !memcmp(h.e_ident, ELFMAG, SELFMAG)) {
		if (h.e_ident[EI_CLASS] != ELFCLASS64) {
			close(fd);
			return learn_refuse(x, "a program is not one of 64 bits", path);
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
	return learn_is_still(x, loader) ? learn_fact(x, FACT_CONTENT, loader) :
	       learn_refuse(x, "the loader was changed", loader);
}

bool learn_words(struct learning *x, const struct buf *text, bool shell, const char *which)
{
	const char *word = skip_source_word(text), *command = NULL;

	if (!word && (shell || (text->len > 2 && !memcmp(text->s, "#!", 2)))) {
		word = skip_shell_word(text);
		command = skip_shell_directory(text);
	}
	if (word)
		return learn_refuse(x, "it may ask for the time, or for numbers of processes",
				    which ? which : word);
	return !command || learn_refuse(x, "a shell may change its directory, perhaps through a link",
					which ? which : command);
}

static bool check_words(struct learning *x, const char *path, bool shell)
{
	struct buf text = { 0 };
	bool ok = skip_read(path, &text) ? learn_words(x, &text, shell, path) :
		  learn_refuse(x, "a file that it used cannot be read now", path);

	buf_free(&text);
	return ok;
}

/* Add all other names, through links, by which programs read a file. */
static bool add_names(struct learning *x, uint32_t file, const char *path)
{
	static const char text[] =
		"SELECT s.s FROM asked AS a JOIN string AS s ON s.id = a.path WHERE a.file = ?\n"
		" AND a.class < ?";
	struct sqlite3_stmt *st = db_ask(x->db, text, "ii", (int64_t)file, (int64_t)GRAPH_PROBE);
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
			ok = learn_refuse(x, "a link on the way was changed later", name);
		else
			ok = learn_way(x, name, true) && learn_fact(x, FACT_CONTENT, name);
	}
	return ok;
}

/* What runs in a trusted program, a library or a plugin, must be trusted, too. */
static bool check_library(struct learning *x, const char *path, const char *program)
{
	const char *slash = strrchr(x->l->program, '/'), *own = strrchr(path, '/');
	size_t dir = (size_t)(slash - x->l->program);

	if (path_in(path, strlen(path), path_installed) || !is_library(path) ||
	    skip_program(program, NULL) != skip_program(program, x->l->allow) ||
	    (own && (size_t)(own - path) == dir && !memcmp(path, x->l->program, dir) &&
	     !strcmp(own, "/libetrace-skip.so")))
		return true;
	return learn_refuse(x, "it loaded a library that is not installed", path);
}

bool learn_content(struct learning *x, const struct build_access *a, uint32_t file)
{
	const struct build_content *c = build_content(x->b, a->version);
	enum skip_program is;
	char path[PATH_MAX], program[PATH_MAX], hex[SKIP_HEX + 1], *at;
	size_t before = x->entry.len;

	if (!learn_path(x, file, path))
		return learn_refuse(x, "a file without a name", "");
	if (!c)
		return learn_refuse(x, "the recording has no hash of a file that it used", path);
	if (!learn_is_still(x, path))
		return learn_refuse(x, "a file that it used was changed later", path);
	if (!learn_way(x, path, true) || !learn_fact(x, FACT_CONTENT, path))
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
		return learn_refuse(x, "a file that it used was changed later", path);
	if (a->how == GRAPH_RUN && !add_loader(x, path))
		return false;
	is = learn_path(x, x->b->execs[a->exec].program, program) ? skip_program(program, NULL) :
	     PROGRAM_NO;
	if (a->class != GRAPH_LOADER && a->class != GRAPH_CONFIG && a->how != GRAPH_RUN &&
	    !check_words(x, path, is == PROGRAM_SHELL || x->fed))
		return false;
	if ((a->class == GRAPH_LOADER || a->class == GRAPH_PROGRAM) && a->how != GRAPH_RUN &&
	    !check_library(x, path, program))
		return false;
	return add_names(x, file, path);
}
