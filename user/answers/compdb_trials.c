// SPDX-License-Identifier: LGPL-2.1
/*
 * Recognizes trials: sources that configure scripts and the like compile only to test the
 * system.  See compdb_parts.h.
 *
 * The trace shows most of them: the build made the source, both it and its object are gone at the
 * end, and no remaining file was made from them. Data through pipes does not count, because
 * configure scripts read the output of their trials, and write makefiles.
 */
#include "answers/compdb_parts.h"
#include "base/path.h"
#include "build/reach.h"

#include <fnmatch.h>
#include <string.h>

/*
 * For trials whose sources remain, or were not made by the build: patterns of file names, and of
 * directories of sources, outputs or commands.
 */
static const char *const files[] = {
	"conftest*.*", "conftst*.*",	/* autoconf, mkmf, autosetup */
	"flag_check.*",			/* cc-rs, of cargo */
};

static const char *const directories[] = {
	"*/meson-private/*",
	"*/config.tests/*",		/* qmake */
	"*/.conf_check_*",		/* waf */
	"*/.sconf_temp/*",		/* SCons */
	"*/ffconf.*",			/* FFmpeg */
	"*/config-temp/*",		/* QEMU */
};

/* CMake's trials; real builds with CMake do not run there. */
#define CMAKE_DIRECTORY "*/CMakeFiles/*"

#define HAS(patterns, path) \
	has_pattern(patterns, sizeof(patterns) / sizeof((patterns)[0]), path)

static bool has_pattern(const char *const *patterns, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (!fnmatch(patterns[i], path, 0))
			return true;
	return false;
}

/* ---- removed files ---- */

static uint32_t find_file(const struct build *b, const char *path)
{
	return build_find(b, path, strlen(path));
}

static bool is_made_and_gone(const struct build *b, uint32_t file)
{
	uint32_t version = file ? build_final(b, file) : 0;

	return version && !build_present(b, file) && build_is_made(&b->versions[version]);
}

/* Whether a file that exists at the end was made from a version of @file. */
static bool leads_on(const struct build *b, uint32_t version, uint32_t file)
{
	struct reach r = { 0 };
	bool found = false;

	reach_outputs(b, version, file, REACH_ALL, 1u << GRAPH_DATA | 1u << GRAPH_PROGRAM, &r);
	for (size_t i = 1; i < r.n; i++)
		found |= r.nodes[i].shown;
	reach_free(&r);
	return found;
}

static bool output_stays(const struct build *b, const char *output)
{
	uint32_t file = find_file(b, output);
	size_t n;
	const uint32_t *began;

	if (!file)
		return false;
	if (build_present(b, file) && build_is_output(b, file))
		return true;
	began = build_list(b, BUILD_BEGAN, file, &n);
	for (size_t i = 0; i < n; i++)
		if (build_is_made(&b->versions[began[i]]) && leads_on(b, began[i], file))
			return true;
	return false;
}

bool compdb_is_trial(struct compdb_list *l, const struct compdb_command *c, size_t source)
{
	const char *file = c->sources[source].file;
	struct buf output = { 0 };
	char *path, *in;
	bool trial;

	command_output(&c->cmd, &c->cmd.sources[source], &output);
	path = compdb_absolute(c->directory, output.len ? output.s : file);
	in = compdb_absolute(c->directory, "x");
	trial = HAS(files, path_base(file)) || HAS(directories, file) || HAS(directories, path) ||
		HAS(directories, in) || !fnmatch(CMAKE_DIRECTORY, in, 0);
	if (!trial) {
		const struct build *b = build_of(l->db);

		trial = is_made_and_gone(b, find_file(b, file)) &&
			!(output.len && output_stays(b, path));
	}
	buf_free(&output);
	free(path);
	free(in);
	return trial;
}
