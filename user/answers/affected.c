// SPDX-License-Identifier: LGPL-2.1
/* Finds what changed files affect.  See affected.h. */
#include "answers/affected.h"
#include "answers/answers.h"
#include "answers/ctest.h"
#include "answers/print_names.h"
#include "base/xalloc.h"
#include "io/program.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void affected_init(struct affected *a, struct db *db)
{
	*a = (struct affected){ .db = db };
}

void affected_free(struct affected *a)
{
	free(a->map_from);
	free(a->map_to);
	free(a->changes);
}

/* ---- changed files ---- */

bool affected_map(struct affected *a, const char *map)
{
	if (answers_paths(map, &a->map_from, &a->map_to))
		return true;
	diag_fatal(a->db->diag, "--map %s: must be two directories, as in /here=/there", map);
	return false;
}

/* Append the path that a file had in the build, given its current path. */
static void path_then(const struct affected *a, const char *path, struct buf *to)
{
	struct buf now = { 0 };

	answers_path(&now, path);
	answers_moved(to, now.s, now.len, a->map_from, a->map_to);
	buf_free(&now);
}

/* The directory of a path; 0 if the build did not touch it. */
static uint32_t dir_of(const struct build *b, const struct buf *path)
{
	const char *slash = path->len ? memrchr(path->s, '/', path->len) : NULL;

	if (!slash)
		return 0;
	return build_find(b, path->s, slash == path->s ? 1 : (size_t)(slash - path->s));
}

static void add_change(struct affected *a, const char *path, bool comes_or_goes)
{
	const struct build *b = build_of(a->db);
	struct reach_change c = { .comes_or_goes = comes_or_goes };
	struct buf then = { 0 };

	path_then(a, path, &then);
	c.file = build_find(b, then.s, then.len);
	c.dir = comes_or_goes ? dir_of(b, &then) : 0;
	buf_free(&then);
	a->comes_or_goes |= comes_or_goes;
	a->unknown += !c.file;
	a->changes = xgrow(a->changes, &a->cap, a->n + 1, sizeof(*a->changes));
	a->changes[a->n++] = c;
}

void affected_add(struct affected *a, const char *path)
{
	const struct build *b = build_of(a->db);
	struct buf then = { 0 };
	bool was = false;
	uint32_t file;

	path_then(a, path, &then);
	file = build_find(b, then.s, then.len);
	for (uint32_t i = 1; i <= b->nversions && file; i++)
		was |= b->versions[i].file == file && b->versions[i].made == GRAPH_EXISTED;
	buf_free(&then);
	add_change(a, path, !was || access(path, F_OK));
}

/* ---- git ---- */

/* Run git and append its output, which ends with a NUL.  Return: false after diag_fatal(). */
static bool ask_git(struct affected *a, char *const argv[], struct buf *to)
{
	char block[4096];
	size_t n;
	pid_t pid;
	FILE *from = program_start(argv, &pid);

	if (!from) {
		diag_fatal(a->db->diag, "git: %s; install git, or name the files that changed",
			   strerror(errno));
		return false;
	}
	while ((n = fread(block, 1, sizeof(block), from)))
		buf_add(to, block, n);
	buf_addc(to, '\0');
	if (!program_end(from, pid))
		return true;
	diag_fatal(a->db->diag, "git cannot tell what has changed: see its message above");
	return false;
}

static void add_below(struct affected *a, const char *top, const char *name, bool comes_or_goes)
{
	struct buf path = { 0 };

	buf_adds(&path, top);
	buf_addc(&path, '/');
	buf_adds(&path, name);
	buf_addc(&path, '\0');
	add_change(a, path.s, comes_or_goes);
	buf_free(&path);
}

/* Add the files in the output of git diff --name-status -z: "M", NUL, name, NUL. */
static void add_differing(struct affected *a, const char *top, const struct buf *list)
{
	const char *at = list->s, *end = list->s + list->len - 1;

	while (at < end) {
		const char *name = at + strlen(at) + 1;

		if (name >= end)
			return;
		add_below(a, top, name, *at == 'A' || *at == 'D' || *at == 'T');
		at = name + strlen(name) + 1;
	}
}

bool affected_git(struct affected *a, const char *revision)
{
	char *const top_argv[] = { "git", "rev-parse", "--show-toplevel", NULL };
	struct buf top = { 0 }, differing = { 0 }, others = { 0 };
	bool ok = ask_git(a, top_argv, &top);
	size_t len = ok ? strcspn(top.s, "\n") : 0;

	if (ok) {
		char *const diff_argv[] = { "git", "-C", top.s, "diff", "--name-status", "-z", "--no-renames",
					    "--no-ext-diff", "--end-of-options", (char *)revision, "--", NULL };
		char *const others_argv[] = { "git", "-C", top.s, "ls-files", "-z", "--others",
					      "--exclude-standard", NULL };

		top.s[len] = 0;
		ok = ask_git(a, diff_argv, &differing) && ask_git(a, others_argv, &others);
	}
	if (ok) {
		add_differing(a, top.s, &differing);
		for (const char *at = others.s; at < others.s + others.len - 1; at += strlen(at) + 1)
			add_below(a, top.s, at, true);
	}
	buf_free(&top);
	buf_free(&differing);
	buf_free(&others);
	return ok;
}

/* ---- what they affect ---- */

struct found {
	struct affected *a;
	struct reach r;
	uint32_t *outputs, *commands, *tests;	/* outputs are files, the others execs */
	size_t noutputs, ncommands, ntests;
};

static bool is_test(const struct affected *a, const char *command)
{
	return a->tests && !fnmatch(a->tests, command, 0);
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static size_t unique_numbers(uint32_t *list, size_t n)
{
	size_t m = 0;

	if (n)
		qsort(list, n, sizeof(*list), by_number);
	for (size_t i = 0; i < n; i++)
		if (!m || list[m - 1] != list[i])
			list[m++] = list[i];
	return m;
}

static void sort_commands(struct found *f)
{
	const struct build *b = build_of(f->a->db);
	struct buf command = { 0 };

	f->commands = xcalloc(f->r.nexecs + 1, sizeof(*f->commands));
	f->tests = xcalloc(f->r.nexecs + 1, sizeof(*f->tests));
	for (size_t i = 0; i < f->r.nexecs; i++)
		f->commands[i] = build_with_command(b, f->r.execs[i]);
	f->ncommands = unique_numbers(f->commands, f->r.nexecs);
	for (size_t i = 0; i < f->ncommands; i++) {
		command.len = 0;
		answers_command(f->a->db, f->commands[i], &command);
		buf_addc(&command, '\0');
		if (is_test(f->a, command.s))
			f->tests[f->ntests++] = f->commands[i];
	}
	buf_free(&command);
}

static int by_path(const void *x, const void *y, void *ctx)
{
	const struct build *b = ctx;
	size_t n, m;
	const char *s = build_path(b, *(const uint32_t *)x, &n);
	const char *t = build_path(b, *(const uint32_t *)y, &m);
	int order = memcmp(s, t, n < m ? n : m);

	return order ? order : (n > m) - (n < m);
}

static void sort_outputs(struct found *f)
{
	const struct build *b = build_of(f->a->db);

	f->outputs = xcalloc(f->r.n + 1, sizeof(*f->outputs));
	for (size_t i = 0; i < f->r.n; i++)
		if (f->r.nodes[i].shown && build_is_output(b, f->r.nodes[i].file))
			f->outputs[f->noutputs++] = f->r.nodes[i].file;
	f->noutputs = unique_numbers(f->outputs, f->noutputs);
	qsort_r(f->outputs, f->noutputs, sizeof(*f->outputs), by_path, (void *)(uintptr_t)b);
}

static void text_files(const struct found *f, struct out *out, const char *title)
{
	if (title)
		out_printf(out, "%s:\n", title);
	for (size_t i = 0; i < f->noutputs; i++) {
		out_puts(out, title ? "  " : "");
		put_file(out, f->a->db, f->outputs[i]);
		out_puts(out, "\n");
	}
}

static void text_execs(const struct found *f, struct out *out, const char *title,
		       const uint32_t *list, size_t n)
{
	if (title)
		out_printf(out, "%s:\n", title);
	for (size_t i = 0; i < n; i++) {
		out_puts(out, title ? "  " : "");
		put_command(out, f->a->db, list[i], !title);
		out_puts(out, "\n");
	}
}

static void json_execs(struct json *j, const struct found *f, const char *name,
		       const uint32_t *list, size_t n)
{
	json_key(j, name);
	json_begin(j, '[');
	for (size_t i = 0; i < n; i++)
		json_exec(j, f->a->db, list[i]);
	json_end(j, ']');
}

static void put_json(const struct found *f, struct out *out)
{
	struct json j = { .out = out };

	json_begin(&j, '{');
	json_key(&j, "outputs");
	json_begin(&j, '[');
	for (size_t i = 0; i < f->noutputs; i++) {
		size_t len;
		const char *path = build_path(build_of(f->a->db), f->outputs[i], &len);

		json_str(&j, path, len);
	}
	json_end(&j, ']');
	json_execs(&j, f, "commands", f->commands, f->ncommands);
	json_execs(&j, f, "tests", f->tests, f->ntests);
	json_end(&j, '}');
	json_line(&j);
}

/*
 * Print what is unknown because the trace does not record it.
 *
 * Return: false if anything is unknown.
 */
static bool say_unknown(const struct affected *a)
{
	const struct build *b = build_of(a->db);
	bool listed = false, looked = false, unseen = false;

	for (size_t i = 0; i < b->naccesses; i++) {
		listed |= b->accesses[i].how == GRAPH_LIST;
		looked |= b->accesses[i].how == GRAPH_LOOK;
	}
	for (uint32_t i = 1; i <= b->nexecs; i++)
		unseen |= b->execs[i].unseen;
	if (a->comes_or_goes && !(listed && looked))
		fputs("etrace affected: listings of directories and checks for files were not recorded, so effects of new and removed files may be missing; record with --record=dirs,probes\n",
		      stderr);
	if (unseen)
		fputs("etrace affected: programs got data from outside the trace (etrace report lists them): what depends on it may be missing\n",
		      stderr);
	return !unseen && !(a->comes_or_goes && !(listed && looked));
}

bool affected_put(struct affected *a, struct out *out, enum affected_format format)
{
	struct found f = { .a = a };

	reach_changed(build_of(a->db), a->changes, a->n, &f.r);
	sort_outputs(&f);
	sort_commands(&f);
	switch (format) {
	case AFFECTED_TEXT:
		text_files(&f, out, "Outputs");
		text_execs(&f, out, "Commands", f.commands, f.ncommands);
		if (a->tests)
			text_execs(&f, out, "Tests", f.tests, f.ntests);
		break;
	case AFFECTED_LIST:
		if (a->tests)
			text_execs(&f, out, NULL, f.tests, f.ntests);
		else
			text_files(&f, out, NULL);
		break;
	case AFFECTED_JSON:
		put_json(&f, out);
		break;
	case AFFECTED_CTEST:
		ctest_put(a->db, out, f.commands, f.ncommands);
		break;
	}
	free(f.outputs);
	free(f.commands);
	free(f.tests);
	reach_free(&f.r);
	return say_unknown(a);
}
