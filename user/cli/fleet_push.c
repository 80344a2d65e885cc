// SPDX-License-Identifier: GPL-2.0
/* etrace push: store builds in ClickHouse, for etrace fleet. */
#include "cli/answer.h"
#include "cli/etrace.h"
#include "cli/fleet.h"
#include "cli/oom.h"
#include "fleet/push.h"
#include "fleet/tables.h"
#include "fleet/when.h"
#include "io/json_out.h"

#include <string.h>
#include <time.h>

static const struct opt_row options[] = {
	{ "init", NULL, "create the tables, or bring them up to date" },
	{ "cluster", "NAME", "with --init and --sweep: the tables are on this cluster" },
	{ "sweep", NULL, "remove leftovers of pushes that never ended, if older than a day" },
	{ "host", "NAME", "host that built it; default: from the recording" },
	{ "project", "NAME", "what was built; default: the name of the directory" },
	{ "tag", "K=V", "a tag to find it by; may be repeated" },
	{ "begin", "WHEN", "when the build began; default: from the trace" },
	{ "tree", "DIR", "directory to write as \".\"; default: where the build began" },
	{ "root", "DIR",
	  "where the file system of the build machine is now; default: /, if the\n"
	  "build ran on this machine" },
	{ "programs-by-name", NULL, "identify a program by its name if nothing else is known" },
	{ "no-packages", NULL, "do not look up the packages that files belong to" },
	{ "hash", NULL, "add the SHA-256 of files that have not changed since" },
	{ "no-redact", NULL, "send arguments that look secret; by default they are hidden" },
	{ "plain-http", NULL,
	  "allow http:// to another machine, where anybody on the way can read it" },
	{ "compress", "auto|none|gzip|zstd", "how to compress what is sent" },
	FLEET_OPTIONS("pushes", "8"),
	{ "q|quiet", NULL, "do not print which builds are stored" },
	{ 0 }
};

static bool take_options(struct asked *a, struct push_options *o, const char ***tags,
			 struct buf *tree)
{
	const char *begin = opt_value(a->opts, "begin");
	int64_t at = 0;

	o->host = opt_value(a->opts, "host");
	o->project = opt_value(a->opts, "project");
	o->root = opt_value(a->opts, "root");
	o->packages = !opt_flag(a->opts, "no-packages");
	o->hash = opt_flag(a->opts, "hash");
	o->by_name = opt_flag(a->opts, "programs-by-name");
	if (begin && !when_read(begin, time(NULL), false, &at)) {
		diag_fatal(a->diag, "--begin %s: " WHEN_WORDS, begin);
		return false;
	}
	o->has_begin = begin;
	o->begin = at * 1000000000;
	if (opt_flag(a->opts, "tree")) {
		answers_path(tree, opt_value(a->opts, "tree"));
		buf_addc(tree, '\0');
		o->tree = tree->s;
	}
	if (!fleet_tags(a, tags, &o->ntags))
		return false;
	o->tags = *tags;
	return true;
}

static bool take_server(struct asked *a, struct server_options *o)
{
	const char *url = NULL;

	*o = (struct server_options){
		.packing = opt_chosen(a->opts, options, "compress"), .retries = 8, .plain = opt_flag(a->opts, "plain-http"),
	};
	if (a->nargs && strstr(a->args[0], "://")) {
		url = *a->args++;
		a->nargs--;
	}
	return fleet_server(a, url, "its URL first, https://HOST:8443", o);
}

/* Reports each build that is stored. */
struct push_report {
	struct asked *a;
	size_t there;
};

static void print_stored(void *ctx, const char *name, const char *id, bool was)
{
	struct push_report *t = ctx;
	struct json j = { .out = t->a->out };

	t->there++;
	if (opt_flag(t->a->opts, "quiet"))
		return;
	if (t->a->json) {
		json_begin(&j, '{');
		json_member(&j, "build", id);
		json_text(&j, "name", name, strlen(name));
		json_key(&j, "before");
		json_bool(&j, was);
		json_end(&j, '}');
		json_line(&j);
	} else {
		out_printf(t->a->out, "%s: %s %s\n", name, was ? "already stored as" : "stored as", id);
	}
	out_flush(t->a->out);
}

static const struct diag_kind incomplete = {
	"traces not complete: some of what happened may be missing",
	DIAG_DAMAGE
};

/* Return: the exit status. */
static int push_all(struct asked *a, struct server *s, const struct push_options *o, int64_t now)
{
	struct push_options options = *o;
	struct push_report t = { a, 0 };
	struct push *p;
	int status = 0;
	size_t i;

	options.there = print_stored;
	options.ctx = &t;
	p = push_new(s, &options, now, a->diag);
	for (i = 0; i < a->nargs && !push_failed(p); i++) {
		/* one diag per trace, to keep their faults apart */
		struct diag *diag = diag_new(stderr, PROG " push");
		struct db *db;

		oom_doing(a->args[i]);
		db = answers_open(&a->args[i], 1, opt_value(a->opts, "from"), a->opts, diag);
		if (db)
			db->redact = !opt_flag(a->opts, "no-redact");
		if (db && push_build(p, db, a->args[i]) && !db->complete) {
			diag_report(a->diag, &incomplete, a->args[i], DIAG_NOWHERE, 0, NULL);
			status = 1;
		}
		db_close(db);
		diag_free(diag);
	}
	if (!push_end(p) || t.there < a->nargs)
		diag_fatal(a->diag, "%zu of %zu builds are stored; push them all again: none is stored twice",
			   t.there, a->nargs);
	push_free(p);
	return status;
}

static int ask_server(struct asked *a, const struct server_options *how,
		      const struct push_options *o)
{
	const char *cluster = opt_value(a->opts, "cluster");
	bool init = opt_flag(a->opts, "init"), sweep = opt_flag(a->opts, "sweep");
	struct server *s = server_new(how, a->diag);
	FILE *to = opt_flag(a->opts, "quiet") ? NULL : stdout;
	int64_t now;
	int status = 0;

	if (s && (!init || tables_init(s, cluster, a->diag, to)) &&
	    (!a->nargs || tables_check(s, a->diag, &now))) {
		if (to)
			fflush(to);
		if (a->nargs)
			status = push_all(a, s, o, now);
		if (sweep)
			tables_sweep(s, cluster, a->diag, to);
	}
	server_free(s);
	return status;
}

static int ask_push(struct asked *a)
{
	const char **tags = NULL;
	struct push_options o = { 0 };
	struct server_options how;
	struct buf tree = { 0 };
	bool tables = opt_flag(a->opts, "init") || opt_flag(a->opts, "sweep");
	int status = 0;

	if (opt_value(a->opts, "cluster") && !tables)
		diag_fatal(a->diag, "--cluster needs --init or --sweep");
	else if (take_options(a, &o, &tags, &tree) && take_server(a, &how)) {
		if (a->nargs || tables)
			status = ask_server(a, &how, &o);
		else
			diag_fatal(a->diag, "no builds given: name traces or databases");
	}
	buf_free(&tree);
	free(tags);
	return status;
}

int fleet_push(int argc, char **argv)
{
	static const struct answer push = {
		.name = "push", .synopsis = "URL [TRACE|DB]...", .options = options,
		.about = "Store builds in ClickHouse, over HTTP, for " PROG " fleet. However often a build is pushed,\n"
			 "it is stored once. Run it once with --init first.",
		.example = PROG " push --init https://db.example:8443\n"
			   PROG " push https://db.example:8443 etrace.fxt\n",
		.opens = true, .max_args = SIZE_MAX, .run = ask_push,
		.status = "2 also if a build was not stored",
	};

	return answer_main(&push, argc, argv);
}
