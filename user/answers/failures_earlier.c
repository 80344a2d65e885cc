// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds an ignored failure that made a later command fail: make ignores "-cc -c a.c -o a.o", but
 * the link lacks a.o then, or reads an a.o that "as > a.o" left empty; or the summary of automake's
 * tests fails because of a test.  See failures.h.
 */
#include "answers/failures.h"
#include "base/path.h"
#include "build/build.h"

#include <errno.h>
#include <string.h>

/* Files and failures that are compared; more would take too long. */
#define FILES_MAX	64u
#define FAILED_MAX	500u

/* Whether a failure was ignored, and did not come from another one. */
static bool is_ignored(const struct failures *f, uint32_t exec)
{
	if (f->nodes[exec].counts || f->nodes[exec].cause || f->nodes[exec].answers ||
	    failures_was_stopped(&build_of(f->db)->execs[exec]))
		return false;
	for (uint32_t i = exec; i; i = f->nodes[i].up)
		if (f->nodes[i].caller == CALLER_CONFIGURES)
			return false;
	return true;
}

/* Find an ignored failure, before an exec began, of a command that should have made a file. */
static uint32_t maker_of(const struct failures *f, uint32_t exec, const struct buf *path)
{
	const struct build_exec *execs = build_of(f->db)->execs;
	uint32_t tried = 0;

	for (size_t i = 0; i < f->nlist && tried < FAILED_MAX; i++) {
		uint32_t earlier = f->list[i];

		if (execs[earlier].until > execs[exec].at)
			break;
		if (!is_ignored(f, earlier))
			continue;
		tried++;
		if (failures_was_to_make(f, earlier, path->s, path->len))
			return earlier;
	}
	return 0;
}

/* Whether a call opened a version, or the shell for it: "x > version". */
static bool opened_for(const struct failures *f, const struct build_version *v, uint32_t call)
{
	const struct build_exec *execs = build_of(f->db)->execs;
	const struct failure_node *up = &f->nodes[f->nodes[call].up];
	uint32_t begun = f->nodes[call].begun;

	if (execs[v->exec].process == execs[call].process)
		return true;
	if (v->exec != execs[begun].parent || execs[begun].at < v->at)
		return false;
	/* it has to be the first that began then */
	for (uint32_t i = 0; i < up->calls; i++) {
		uint32_t other = f->nodes[f->children[up->first + i]].begun;

		if (execs[other].at >= v->at && execs[other].at < execs[begun].at)
			return false;
	}
	return true;
}

/* Whether a file is empty because a call failed: it is its output, or its pipe leads there. */
static bool left_empty(const struct failures *f, const struct build_version *v, uint32_t call)
{
	const struct failure_node *up = &f->nodes[f->nodes[call].up];

	if (opened_for(f, v, call))
		return true;
	for (uint32_t i = 0; i < up->calls; i++) {
		uint32_t other = f->children[up->first + i];

		if (other != call && opened_for(f, v, other) && failures_fed(f, other, call))
			return true;
	}
	return false;
}

/* Find an ignored failure that left a file empty that an exec read: "x > file; y file". */
static uint32_t maker_of_empty(const struct failures *f, uint32_t exec)
{
	const struct build *b = build_of(f->db);
	const struct build_exec *e = &b->execs[exec];
	uint32_t files = 0, tried = 0;

	for (uint32_t i = 0; i < e->uses && files < FILES_MAX; i++) {
		const struct build_access *a = &b->accesses[e->first + i];
		const struct build_version *v = &b->versions[a->version];

		if (a->how != GRAPH_READ || a->class != GRAPH_DATA || v->made != GRAPH_WRITTEN ||
		    v->writes || v->size)
			continue;
		files++;
		for (size_t k = 0; k < f->nlist && tried < FAILED_MAX; k++) {
			uint32_t earlier = f->list[k];

			if (b->execs[earlier].until > e->at)
				break;
			if (!is_ignored(f, earlier))
				continue;
			tried++;
			if (left_empty(f, v, earlier))
				return earlier;
		}
	}
	return 0;
}

/* Set @path to the absolute path of the file that an exec lacked for sure. */
static bool lacked_file(const struct failures *f, uint32_t exec, struct buf *path)
{
	const struct build *b = build_of(f->db);
	const struct build_exec *e = &b->execs[exec];
	struct failure_on on;
	const struct buf *name;
	size_t len;
	const char *cwd = build_path(b, e->cwd, &len);

	failures_on(f, exec, &on);
	name = on.path.len ? &on.path : &on.name;
	if (on.reason == FAILURE_OF_MISSING && name->len) {
		if (*name->s != '/') {
			buf_add(path, cwd, len);
			buf_addc(path, '/');
		}
		buf_add(path, name->s, name->len);
		path_clean(path);
	}
	failure_on_free(&on);
	return path->len;
}

/* Whether a path is that of the last argument behind -o. */
static bool is_output(const struct failures *f, uint32_t exec, const struct buf *path)
{
	struct buf args = { 0 };
	size_t n = answers_args(f->db, exec, &args), len = 0;
	const char *at = args.s, *out = "";

	for (size_t i = 0; i + 1 < n; i++, at += strlen(at) + 1)
		if (!strcmp(at, "-o"))
			out = at + 3;
	len = strlen(out);
	len = len && len <= path->len && !memcmp(path->s + path->len - len, out, len);
	buf_free(&args);
	return len;
}

/*
 * Find a file that a linker lacked although its arguments name it, and what should have made it.
 * A linker reads the other files before it fails.
 */
static uint32_t maker_of_argument(const struct failures *f, uint32_t exec)
{
	const struct build *b = build_of(f->db);
	uint32_t n = f->nodes[exec].caller == CALLER_DRIVER ? build_misses(b, exec) : 0, found = 0;
	struct buf path = { 0 }, args = { 0 };

	for (uint32_t i = 0; i < n && i < FILES_MAX && !found; i++) {
		const struct build_miss *m = build_miss_of(b, exec, i);
		size_t len;
		const char *s = build_path(b, m->file, &len);

		path.len = 0;
		buf_add(&path, s, len);
		if (m->error == ENOENT && answers_names(f->db, exec, &path, &args) &&
		    !is_output(f, exec, &path))
			found = maker_of(f, exec, &path);
	}
	buf_free(&path);
	buf_free(&args);
	return found;
}

/* ---- automake: test-driver only writes down that a test failed; the summary fails ---- */

#define SKIPPED	77	/* status of a test that cannot run */

/* Whether an exec is a test that fails the summary: one that was not expected to fail. */
static bool is_failed_test(const struct failures *f, uint32_t exec)
{
	static const char driver[] = "test-driver", expected[] = "--expect-failure\0yes";
	struct buf args = { 0 };
	size_t n = f->nodes[exec].up ? answers_args(f->db, f->nodes[exec].up, &args) : 0, len;
	const char *script = n > 1 ? args.s + strlen(args.s) + 1 : "", *base = strrchr(script, '/');
	bool failed;

	base = base ? base + 1 : script;
	len = (size_t)(base - args.s);
	failed = n > 1 && !strcmp(base, driver) &&
		 failures_shell_status(&build_of(f->db)->execs[exec]) != SKIPPED &&
		 !memmem(base, args.len - len, expected, sizeof(expected));
	buf_free(&args);
	return failed;
}

/* Find the first failed test of the same make, if an exec can be the summary of tests. */
static uint32_t failed_test(const struct failures *f, uint32_t exec)
{
	const struct build_exec *execs = build_of(f->db)->execs;
	uint32_t make = f->nodes[exec].caller == CALLER_SHELL ? f->nodes[exec].up : 0, tried = 0;

	for (size_t i = 0; make && i < f->nlist && tried < FAILED_MAX; i++) {
		uint32_t test = f->list[i], up = test;

		if (execs[test].until > execs[exec].at)
			break;
		tried++;
		while (up && f->nodes[up].up != make)
			up = f->nodes[up].up;
		if (!up || !is_failed_test(f, test))
			continue;
		while (f->nodes[test].cause)
			test = f->nodes[test].cause;
		return test;
	}
	return 0;
}

uint32_t failures_earlier(const struct failures *f, uint32_t exec)
{
	struct buf path = { 0 };
	uint32_t found = lacked_file(f, exec, &path) ? maker_of(f, exec, &path) : 0;

	buf_free(&path);
	found = found ? found : maker_of_argument(f, exec);
	found = found || f->nodes[exec].answers ? found : maker_of_empty(f, exec);
	return found ? found : failed_test(f, exec);
}
