// SPDX-License-Identifier: GPL-2.0
/* etrace compdb: write compile_commands.json. */
#include "answers/compdb.h"
#include "answers/compdb_old.h"
#include "cli/answer.h"
#include "cli/etrace.h"
#include "command/config.h"
#include "io/out_place.h"

#include <string.h>

static const struct opt_row options[] = {
	{ "o|output", "FILE", "write to FILE; default: standard output" },
	{ "update", "FILE", "replace entries in FILE; those of other outputs stay" },
	{ "style", "arguments|cmake|bear", "form of entries; default: arguments" },
	{ "links", NULL, "add link and archive commands with their inputs" },
	{ "no-configure", NULL, "leave out what configure, CMake and Meson only tried" },
	{ "wrappers", NULL, "keep wrappers in front of commands: ccache, mpicc" },
	{ "preprocess", NULL, "add commands that only preprocess (-E)" },
	{ "exists", NULL, "only sources that still exist" },
	{ "v|verbose", NULL, "report where a command and its compiler disagree" },
	{ "config", "FILE",
	  "more compilers, and rules for entries: YAML in the format of Bear 4" },
	{ "explain", "SOURCE", "only print why SOURCE has an entry or none" },
	{ 0 }
};

static void write_file(struct asked *a, const struct compdb *c, const char *path)
{
	int err = 0;
	struct out *out = out_create(path, &err);

	if (out) {
		compdb_write(a->db[0], c, out);
		err = out_close(out);
	}
	if (err)
		diag_fatal(a->diag, "%s: %s", path, out_place_error(err));
}

/* Write the list to a file, or to standard output. */
static void write_list(struct asked *a, const struct compdb *c, const char *path)
{
	if (path && strcmp(path, "-"))
		write_file(a, c, path);
	else
		compdb_write(a->db[0], c, a->out);
}

static bool read_config(struct config *config, const struct asked *a)
{
	const char *path = opt_value(a->opts, "config");

	config_init(config);
	return !path || config_read(config, path, a->diag);
}

static int ask_compdb(struct asked *a)
{
	const char *path = opt_value(a->opts, "output"), *update = opt_value(a->opts, "update");
	const char *explain = opt_value(a->opts, "explain");
	struct compdb_old old = { .fd = -1 };
	struct config config;
	struct compdb c = {
		.links = opt_flag(a->opts, "links"), .wrappers = opt_flag(a->opts, "wrappers"),
		.preprocess = opt_flag(a->opts, "preprocess"), .exists = opt_flag(a->opts, "exists"),
		.verbose = opt_flag(a->opts, "verbose"),
		.no_configure = opt_flag(a->opts, "no-configure"),
		.style = opt_chosen(a->opts, options, "style"),
		.json = a->json, .config = &config, .old = update ? &old : NULL,
	};

	if (!read_config(&config, a))
		;
	else if (explain)
		compdb_explain(a->db[0], &c, explain, a->out);
	else if (!update || compdb_old_read(&old, update, !path, a->diag))
		write_list(a, &c, path ? path : update);
	compdb_old_free(&old);
	config_free(&config);
	return 0;
}

int cmd_compdb(int argc, char **argv)
{
	static const struct answer compdb = {
		.name = "compdb", .synopsis = "[TRACE]", .options = options,
		.about = "Write the compile commands of a build as compile_commands.json: one entry for each source\n"
			 "of each compilation that ran.",
		.example = PROG " compdb -o compile_commands.json etrace.fxt\n",
		.traces = 1, .run = ask_compdb,
	};

	return answer_main(&compdb, argc, argv);
}
