// SPDX-License-Identifier: GPL-2.0
/* etrace db: a trace as an SQLite database, to be asked again and again. */
#include "answers/compdb.h"
#include "cli/answer.h"
#include "cli/etrace.h"
#include "cli/inputs.h"
#include "cli/oom.h"
#include "db/write.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static void usage(FILE *to)
{
	fputs("Usage: " PROG " db [OPTION]... -o FILE.db [TRACE]...\n"
	      "Make an SQLite database of a trace: what " PROG " deps and the others answer from,\n"
	      "and you by SQL; etrace-db(5) has its tables.  Several files (those of the\n"
	      "processors) are one trace; standard input without TRACE.\n\n"
	      "  -o, --output FILE.db   where to; default: the trace's name with .db\n"
	      "      --redact           hide what looks secret in arguments of programs\n"
	      "      --from FORMAT      format of the input, as of etrace-read; default: found out\n"
	      "      --bits-of-real-pid N\n"
	      "                         the module's parameter, if it is not 22\n"
	      "  -h, --help             show this and exit\n"
	      "      --version          show the version and exit\n\n"
	      "Exit status: 0 the trace is complete; 1 something is missing or damaged; 2 there is\n"
	      "no database.\n", to);
}

/* "build.fxt.zst" gives "build.db". */
static void default_name(struct buf *to, const char *trace)
{
	const char *slash = strrchr(trace, '/'), *dot;
	const char *base = slash ? slash + 1 : trace;
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

static int make(char **files, size_t n, const char *output, const char *from,
		const struct opts *opts, struct diag *diag)
{
	struct inputs inputs = { 0 };
	struct buf name = { 0 };
	int ret = 2;

	if (output)
		buf_add(&name, output, strlen(output) + 1);
	else if (n == 1 && strcmp(files[0], "-"))
		default_name(&name, files[0]);
	if (!name.len)
		diag_fatal(diag, "the database needs a name: say -o FILE.db");
	else if (inputs_open(&inputs, files, n, diag))
		ret = make_named(name.s, &inputs, from, opts, diag);
	inputs_close(&inputs);
	buf_free(&name);
	return ret;
}

int cmd_db(int argc, char **argv)
{
	static const struct option table[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "redact", no_argument, NULL, 'r' },
		{ "from", required_argument, NULL, 'f' },
		{ "bits-of-real-pid", required_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 }
	};
	const char *from = NULL, *output = NULL;
	struct diag *diag;
	struct opts opts;
	int opt, ret = 2;

	opts_init(&opts);
	while ((opt = getopt_long(argc, argv, "o:h", table, NULL)) != -1) {
		switch (opt) {
		case 'o':
			output = optarg;
			break;
		case 'f':
			from = optarg;
			break;
		case 'r':
			opts_add(&opts, "redact", NULL);
			break;
		case 'b':
			opts_add(&opts, "bits-of-real-pid", optarg);
			break;
		case 'h':
			usage(stdout);
			ret = 0;
			goto out;
		case 'V':
			print_version();
			ret = 0;
			goto out;
		default:
			usage(stderr);
			goto out;
		}
	}
	diag = diag_new(stderr, PROG " db");
	ret = make(argv + optind, (size_t)(argc - optind), output, from, &opts, diag);
	diag_free(diag);
out:
	opts_free(&opts);
	return ret;
}
