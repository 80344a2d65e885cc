// SPDX-License-Identifier: GPL-2.0
/* etrace used: packages and sources that a build used, or did not. */
#include "build/reach.h"
#include "answers/used_packages.h"
#include "cli/answer.h"
#include "cli/etrace.h"

static const struct opt_row options[] = {
	{ "packages", NULL, "packages whose files were used (default)" },
	{ "unused", NULL, "build dependencies of a Debian source package that were not used" },
	{ "sources", "DIR", "files below DIR that were never read" },
	{ "class", "LIST",
	  "only these kinds of use: data, program, loader, config" },
	{ "control", "FILE",
	  "with --unused: the package's control file; default: debian/control" },
	OPTION_ROOT,
	{ "in", "ROOT",
	  "only files in the root directory ROOT of a container; --root says where\n"
	  "it is now" },
	OPTION_MAP,
	{ 0 }
};

static int ask_used(struct asked *a)
{
	const char *sources = opt_value(a->opts, "sources"), *root = opt_value(a->opts, "root");
	const char *control = opt_value(a->opts, "control"), *class = opt_value(a->opts, "class");
	bool unused = opt_flag(a->opts, "unused");
	struct used u = {
		.db = a->db[0], .diag = a->diag, .out = a->out, .json = a->json, .root = root ? root : "",
		.in = opt_value(a->opts, "in"),
		.classes = class ? reach_classes(class) : ~0u,
	};

	if (!u.classes)
		diag_fatal(a->diag, "--class %s: unknown class; known are data, program, loader and config", class);
	else if (!!sources + unused + opt_flag(a->opts, "packages") > 1)
		diag_fatal(a->diag, "give one of --packages, --unused and --sources");
	else if (sources)
		used_sources(&u, sources, opt_value(a->opts, "map"));
	else if (unused)
		used_needs(&u, control ? control : "debian/control");
	else
		used_packages(&u);
	return 0;
}

int cmd_used(int argc, char **argv)
{
	static const struct answer used = {
		.name = "used", .synopsis = "[TRACE]", .options = options,
		.about = "List the distribution's packages that a build used, and for what; or declared build\n"
			 "dependencies that it did not use; or sources that it never read.",
		.example = PROG " used etrace.fxt\n"
			   PROG " used --unused --control debian/control etrace.fxt\n",
		.traces = 1, .max_args = 0, .run = ask_used,
	};

	return answer_main(&used, argc, argv);
}
