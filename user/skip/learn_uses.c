// SPDX-License-Identifier: GPL-2.0
/* Files that the programs of a step used, or did not find.  See learning.h. */
#include "skip/learning.h"
#include "skip/programs.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

static bool take_special(struct learning *x, uint32_t file)
{
	char path[PATH_MAX];

	if (!learn_path(x, file, path))
		return learn_refuse(x, "a device without a name", "");
	if (!strcmp(path, "/dev/null") || !strcmp(path, "/dev/zero"))
		return learn_look(x, path, true);
	if (!strcmp(path, "/proc/filesystems"))
		return learn_fact(x, FACT_READ, path);
	return learn_refuse(x, "it used a device, or a file in /proc or /sys", path);
}

/* A pipe must have both ends within the step. */
static bool take_pipe(struct learning *x, uint32_t version)
{
	const struct build_version *v = &x->b->versions[version];

	for (uint32_t i = 0; i < v->uses; i++) {
		const struct build_access *a = build_use(x->b, version, i);

		if ((a->how == GRAPH_READ || a->how == GRAPH_WRITE) && !x->in[a->exec])
			return learn_refuse(x, "it used a pipe or socket that others have, too", "");
	}
	return true;
}

static bool take_directory(struct learning *x, const struct build_access *a, uint32_t file)
{
	char path[PATH_MAX];
	struct stat st;

	if (!learn_path(x, file, path))
		return learn_refuse(x, "a directory without a name", "");
	if (x->touched[file])
		return true;
	if (a->how != GRAPH_LIST)
		return learn_look(x, path, false);
	if (lstat(path, &st) || timespec_ns(&st.st_ctim) >= learn_begin(x))
		return learn_refuse(x, "a directory that it listed was changed later", path);
	return learn_way(x, path, true) && learn_fact(x, FACT_LIST, path);
}

static bool is_directory(const struct learning *x, uint32_t file)
{
	char path[PATH_MAX];
	struct stat st;

	return learn_path(x, file, path) && !lstat(path, &st) && S_ISDIR(st.st_mode);
}

static bool is_blind(const struct learning *x, uint32_t exec)
{
	char path[PATH_MAX];

	return learn_path(x, x->b->execs[exec].program, path) &&
	       skip_program(path, NULL) == PROGRAM_BLIND;
}

static bool take_file(struct learning *x, const struct build_access *a, uint32_t file)
{
	char path[PATH_MAX];

	if (learn_is_mine(x, a->version))
		return true;
	if (a->how == GRAPH_WRITE)
		return learn_refuse_file(x, "it wrote to a file that it did not make", file);
	if (!learn_path(x, file, path))
		return learn_refuse(x, "a file without a name", "");
	if (x->touched[file])
		return learn_refuse(x, "it replaced or removed a file that it used", path);
	if (a->how == GRAPH_LOOK)
		return learn_look(x, path, is_blind(x, a->exec));
	return learn_content(x, a, file);
}

static bool take_version(struct learning *x, const struct build_access *a)
{
	const struct build_version *v = &x->b->versions[a->version];
	uint32_t file = a->file ? a->file : v->file;

	if (!a->version)
		return learn_refuse(x, "something unknown was used", "");
	switch (v->made) {
	case GRAPH_PIPE:
		return a->how != GRAPH_READ && a->how != GRAPH_WRITE ? true : take_pipe(x, a->version);
	case GRAPH_FIFO:
		return learn_refuse_file(x, "it used a FIFO", file);
	case GRAPH_MEMORY:
		return learn_is_mine(x, a->version) || learn_refuse(x, "it used another's memory", "");
	case GRAPH_SPECIAL:
		return take_special(x, file);
	case GRAPH_DIR:
		return take_directory(x, a, file);
	default:
		/* the type of a file that no program has opened need not be recorded */
		return a->how == GRAPH_LIST || is_directory(x, file) ? take_directory(x, a, file) :
		       take_file(x, a, file);
	}
}

static bool take_access(struct learning *x, const struct build_access *a)
{
	uint32_t file = a->file ? a->file : x->b->versions[a->version].file;

	return take_version(x, a) &&
	       learn_ways(x, file, a->how != GRAPH_LOOK ? LEARN_RESOLVED :
			  is_blind(x, a->exec) ? LEARN_BLIND : LEARN_LOOKED, 0);
}

static bool take_misses(struct learning *x, uint32_t exec)
{
	enum learn_use look = is_blind(x, exec) ? LEARN_BLIND : LEARN_LOOKED;
	char path[PATH_MAX];

	for (uint32_t i = 0; i < build_misses(x->b, exec); i++) {
		const struct build_miss *m = build_miss_of(x->b, exec, i);

		if (!learn_ways(x, m->file, m->error == EINVAL ? look : LEARN_MISSED, m->error))
			return false;
		/* the step changed this file: that it was missing before is a separate fact */
		if (x->touched[m->file])
			continue;
		if (!learn_path(x, m->file, path))
			return learn_refuse(x, "a missing file without a name", "");
		if (m->error == EINVAL) {
			/* readlink() of an existing file that is not a link */
			if (!learn_look(x, path, is_blind(x, exec)))
				return false;
		} else if (m->error != ENOENT && m->error != ENOTDIR) {
			return learn_refuse(x, "it could not use a file that was there", path);
		} else if (!learn_miss(x, path, m->error)) {
			return false;
		}
	}
	return true;
}

/* ---- programs of a step ---- */

/*
 * Check the options in a file that a program is given as @FILE. One that is gone is a temporary
 * file of a compiler, which writes options of its own there.
 */
static bool take_response(struct learning *x, uint32_t exec, const char *program, const char *file)
{
	struct buf text = { 0 };
	char path[2 * PATH_MAX], dir[PATH_MAX], *save;
	const char *why = NULL;

	if (!learn_path(x, x->b->execs[exec].cwd, dir))
		return learn_refuse(x, "a directory without a name", "");
	snprintf(path, sizeof(path), "%s/%s", *file == '/' ? "" : dir, file);
	if (skip_read(path, &text)) {
		buf_addc(&text, '\0');
		for (char *at = strtok_r(text.s, " \t\r\n\"'", &save); at && !why;
		     at = strtok_r(NULL, " \t\r\n\"'", &save))
			why = skip_option(program, at);
	}
	buf_free(&text);
	return !why || learn_refuse(x, why, file);
}

static bool take_arguments(struct learning *x, uint32_t exec, const char *program, bool shell)
{
	struct buf args = { 0 };
	const char *why;
	bool ok;

	build_args_add(x->b, exec, &args);
	ok = learn_words(x, &args, shell, NULL);
	for (const char *at = args.s; ok && at && at < args.s + args.len; at += strlen(at) + 1) {
		why = skip_option(program, at);
		ok = (!why || learn_refuse(x, why, at)) &&
		     (*at != '@' || take_response(x, exec, program, at + 1));
	}
	buf_free(&args);
	return ok;
}

static bool take_asks(struct learning *x, uint32_t exec)
{
	const struct build_ask *a;
	size_t n;

	/* the key covers everything else that they ask for */
	a = build_asks(x->b, exec, &n);
	for (size_t i = 0; i < n; i++)
		/* allow 8 bytes, which the C library uses for its own tables */
		if (a[i].call == GRAPH_GETRANDOM && !(a[i].value == 8 && a[i].flags == 1))
			return learn_refuse(x, "it asked for random bytes", "");
	return true;
}

static bool take_program(struct learning *x, uint32_t exec)
{
	const struct build_exec *e = &x->b->execs[exec];
	enum skip_program is;
	char path[PATH_MAX];

	if (!e->begun || (e->ended != GRAPH_ENDED_EXIT && e->ended != GRAPH_ENDED_EXEC))
		return learn_refuse(x, "its begin or end is not in the recording", "");
	if (e->until > x->b->execs[x->end].until)
		return learn_refuse(x, "a process of it outlived it", "");
	if (x->helper[exec])
		return x->next[exec] || learn_refuse(x, "a part of it was skipped", "");
	if (e->unseen)
		return learn_refuse(x, "it used a descriptor, socket or io_uring from outside", "");
	if (!learn_path(x, e->interp ? e->interp : e->program, path))
		return learn_refuse(x, "a program without a name", "");
	is = skip_program(path, x->l->allow);
	if (is == PROGRAM_NO)
		return learn_refuse(x, "a program is not in the list of those that may be skipped", path);
	if (!skip_trusts(path, x->l->allow))
		return learn_refuse(x, "a program only has the name of one in the list; it is not installed", path);
	return take_arguments(x, exec, path, is == PROGRAM_SHELL) && take_asks(x, exec);
}

void learn_fed(struct learning *x)
{
	const struct build *b = x->b;
	char path[PATH_MAX];

	x->fed = false;
	for (uint32_t e = x->step; e <= b->nexecs && !x->fed; e++) {
		const struct build_exec *is = &b->execs[e];

		if (!learn_is_own(x, e) || !learn_path(x, is->interp ? is->interp : is->program, path) ||
		    skip_program(path, NULL) != PROGRAM_SHELL)
			continue;
		for (uint32_t i = 0; i < is->uses && !x->fed; i++) {
			const struct build_access *a = &b->accesses[is->first + i];

			x->fed = a->how == GRAPH_READ && a->version &&
				 (b->versions[a->version].made == GRAPH_PIPE || learn_is_mine(x, a->version));
		}
	}
}

bool learn_exec(struct learning *x, uint32_t exec)
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
