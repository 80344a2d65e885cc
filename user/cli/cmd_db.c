// SPDX-License-Identifier: GPL-2.0
/* etrace db: make an SQLite database of a trace, which answers many questions faster. */
#include "answers/compdb.h"
#include "base/path.h"
#include "cli/answer.h"
#include "cli/command_line.h"
#include "cli/etrace.h"
#include "cli/inputs.h"
#include "cli/oom.h"
#include "db/write.h"

#include <stdlib.h>
#include <string.h>

static const struct opt_row options[] = {
	{ "o|output", "FILE.db", "write to FILE; default: the trace's name with .db" },
	{ "redact", NULL, "hide what looks secret in the arguments of programs" },
	{ 0 }
};

static const struct command_line command_line = {
	.name = "db", .synopsis = "[TRACE]...",
	.about = "Make an SQLite database of a trace, from which " PROG " deps and the other commands answer\n"
		 "faster, and which you can query with SQL (tables: etrace-db(5)). Several files (one for\n"
		 "each processor) are one trace. Without TRACE, read ./" TRACE_FILE "; - is standard input.",
	.example = PROG " db -o build.db etrace.fxt\n",
	.options = { options, trace_rows },
	.status = "0 the trace is complete; 1 something is missing or damaged; 2 no database was made",
	.failed = 2,
};

/* Set the default name of a database: "build.db" for "build.fxt.zst". */
static void default_name(struct buf *to, const char *trace)
{
	const char *base = path_base(trace), *dot;
	size_t len = strlen(trace);

	for (unsigned int i = 0; i < 2; i++) {
		dot = memrchr(base, '.', (size_t)(trace + len - base));
		if (dot && dot > base)
			len = (size_t)(dot - trace);
	}
	buf_add(to, trace, len);
	buf_add(to, ".db", 4);
}

static int make_named(const char *name, const struct inputs *inputs, const char *from,
		      const struct opts *opts, struct diag *diag)
{
	struct db *db;
	int ret = 2;

	oom_doing(in_name(inputs->in[0]));
	db = db_create(name, diag);
	if (db && answers_read(db, inputs->in, inputs->n, from, opts, diag)) {
		compdb_fill(db);
		ret = answers_end(db, diag, PROG);
		return db_finish(db) ? ret : 2;
	}
	db_close(db);
	return ret;
}

static int make_db(char **files, size_t n, const struct opts *opts, struct diag *diag)
{
	const char *output = opt_value(opts, "output");
	struct inputs inputs = { 0 };
	struct buf name = { 0 };
	int ret = 2;

	if (!inputs_open_usual(&inputs, &files, &n, diag))
		goto out;
	if (output)
		buf_add(&name, output, strlen(output) + 1);
	else if (n == 1 && strcmp(files[0], "-"))
		default_name(&name, files[0]);
	if (name.len)
		ret = make_named(name.s, &inputs, opt_value(opts, "from"), opts, diag);
	else
		diag_fatal(diag, "the database needs a name: give -o FILE.db");
out:
	inputs_close(&inputs);
	buf_free(&name);
	return ret;
}

int cmd_db(int argc, char **argv)
{
	struct diag *diag;
	struct opts opts;
	int ret;

	opts_init(&opts);
	ret = command_line_parse(&command_line, argc, argv, &opts);
	if (ret < 0) {
		diag = diag_new(stderr, PROG " db");
		ret = make_db(argv + optind, (size_t)(argc - optind), &opts, diag);
		diag_free(diag);
	}
	opts_free(&opts);
	return ret;
}
