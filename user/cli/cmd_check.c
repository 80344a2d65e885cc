// SPDX-License-Identifier: GPL-2.0
/* etrace check: what can make the next build wrong. */
#include "answers/check.h"
#include "cli/answer.h"
#include "cli/etrace.h"

#include <string.h>

static const struct opt_row options[] = {
	{ "ninja", "DIR", "declared inputs: DIR/build.ninja and DIR/.ninja_deps" },
	{ "make", "FILE", "declared inputs: the output of \"make -np\" in FILE" },
	{ "depfiles", "GLOB",
	  "declared inputs: depfiles; in a directory, all *.d, *.Po and *.Plo below it" },
	{ "kbuild", "DIR",
	  "declared inputs: the .*.cmd files of a kernel build in DIR" },
	OPTION_MAP,
	{ "tree", "DIR",
	  "a directory of sources or results; default: where the command started,\n"
	  "and where the sources that it used are" },
	{ "allow", "FILE", "leave out the findings in this list, one [KIND] PATTERN per line" },
	{ 0 }
};

/* Directory of the program that made a depfile: paths in the depfile are relative to it. */
static bool depfile_cwd(void *ctx, const char *depfile, size_t len, struct buf *to)
{
	struct db *db = ctx;
	const struct build *b = build_of(db);
	uint32_t file = (uint32_t)db_one(db, "SELECT id FROM file WHERE path = ?", "b",
					 (const void *)depfile, len);
	const char *cwd;

	if (file > b->nfiles)
		return false;
	cwd = build_path(b, b->execs[b->versions[build_final(b, file)].exec].cwd, &len);
	buf_add(to, cwd, len);
	return len;
}

/* Add a directory to the trees, by its path in the build. */
static void add_tree(struct check *c, const char *dir)
{
	struct buf then = { 0 };

	lists_then(&c->lists, dir, &then);
	buf_addc(&then, 0);
	check_tree(c, then.s);
	buf_free(&then);
}

static const struct {
	const char *option;
	bool (*read)(struct lists *l, const char *value);
	bool tree;
} lists[] = {
	{ "ninja", lists_ninja, true }, { "make", lists_make, false },
	{ "depfiles", lists_depfiles, false }, { "kbuild", lists_kbuild, true },
};

static bool configure_check(struct check *c, const struct opts *opts)
{
	const char *map = opt_value(opts, "map"), *value;
	bool ok = !map || lists_map(&c->lists, map);
	size_t i;

	for (i = 0; ok && (value = opt_each(opts, "tree", &i));) {
		add_tree(c, value);
		c->trees_given = true;
	}
	for (i = 0; ok && (value = opt_each(opts, "allow", &i));)
		ok = check_allow(c, value);
	for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
		for (i = 0; ok && (value = opt_each(opts, lists[k].option, &i));) {
			ok = lists[k].read(&c->lists, value);
			if (lists[k].tree)
				add_tree(c, value);
		}
	}
	return ok;
}

static int ask_check(struct asked *a)
{
	struct check c;
	int status = 0;

	check_init(&c, a->db[0]);
	c.lists.cwd = depfile_cwd;
	c.lists.ctx = a->db[0];
	if (configure_check(&c, a->opts)) {
		check_find(&c);
		check_put(&c, a->out, a->json);
		status = c.n ? 3 : 0;
	}
	check_free(&c);
	return status;
}

int cmd_check(int argc, char **argv)
{
	static const struct answer check = {
		.name = "check", .synopsis = "[TRACE]", .options = options,
		.about = "List what can make the next build wrong: undeclared inputs, steps in no fixed order,\n"
			 "steps left undone, changed sources, files elsewhere, variables, network, clocks.",
		.example = PROG " check --ninja . etrace.fxt\n",
		.traces = 1, .max_args = 0, .status = "3 findings", .run = ask_check,
	};

	return answer_main(&check, argc, argv);
}
