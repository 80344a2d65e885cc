// SPDX-License-Identifier: GPL-2.0
/* etrace fleet: answers questions about the builds that etrace push has stored in ClickHouse. */
#include "cli/answer.h"
#include "cli/etrace.h"
#include "cli/fleet.h"
#include "fleet/query.h"
#include "fleet/tables.h"
#include "fleet/when.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SINCE "30d"

static const struct opt_row options[] = {
	{ "url", "URL", "the server, http://HOST:8123; default: $ETRACE_FLEET_URL" },
	{ "since", "WHEN", "only builds that began then or later; default: " SINCE },
	{ "until", "WHEN", "only builds that began before; default: now" },
	{ "project", "NAME", "only builds of this project" },
	{ "host", "NAME", "only builds on this host" },
	{ "tag", "K=V", "only builds with this tag; if repeated, with all of them" },
	{ "limit", "N", "rows to print; default: 20" },
	{ "sql", NULL, "print the SQL statements instead of running them" },
	FLEET_OPTIONS("asks", "3"),
	{ 0 }
};

/* Take a time.  Return: false after diag_fatal() if the option is given but is not a time. */
static bool take_when(struct asked *a, const char *name, int64_t now, int64_t *to)
{
	const char *text = opt_value(a->opts, name);

	if (!text || when_read(text, now, !strcmp(name, "until"), to))
		return true;
	diag_fatal(a->diag, "--%s %s: " WHEN_WORDS, name, text);
	return false;
}

static bool take_options(struct asked *a, struct query_options *o)
{
	int64_t now = time(NULL);

	when_read(SINCE, now, false, &o->since);
	o->until = now + 1;
	o->project = opt_value(a->opts, "project");
	o->host = opt_value(a->opts, "host");
	if (!take_when(a, "since", now, &o->since) || !take_when(a, "until", now, &o->until) ||
	    !answer_number(a->opts, "limit", 1, &o->limit, a->diag) ||
	    !fleet_tags(a, &o->tags, &o->ntags))
		return false;
	if (o->since < o->until)
		return true;
	diag_fatal(a->diag, "--since is not before --until");
	return false;
}

static void print_statements(struct asked *a, const struct query *q, const struct query_options *o)
{
	struct buf sql = { 0 };

	for (size_t i = 0; i < query_parts(q); i++) {
		sql.len = 0;
		query_make(q, i, o, &sql);
		out_printf(a->out, "%s%s;\n", i ? "\n" : "", sql.s);
	}
	buf_free(&sql);
}

/* Return: false after diag_fatal(). */
static bool ask_part(struct server *s, struct asked *a, const struct query *q, size_t part,
		     const struct query_options *o, struct server_answer *answer)
{
	struct buf sql = { 0 };
	bool good;

	query_make(q, part, o, &sql);
	good = server_ask(s, sql.s, answer);
	if (good)
		query_put(q, part, answer, o->limit, a->out, a->json);
	buf_free(&sql);
	return good;
}

static void ask_parts(struct server *s, struct asked *a, const struct query *q,
		      const struct query_options *o)
{
	struct query_options more = *o;
	struct server_answer first, answer;
	bool good = ask_part(s, a, q, 0, o, &first);

	more.first = &first;
	for (size_t i = 1; good && i < query_parts(q); i++) {
		if (q->parts[i].of_first && !first.nrows)
			continue;
		good = ask_part(s, a, q, i, &more, &answer);
		server_answer_free(&answer);
	}
	server_answer_free(&first);
}

static void ask_server(struct asked *a, const struct query *q, const struct query_options *o)
{
	struct server_options how = { .packing = SERVER_AUTO, .retries = 3 };
	struct server *s;
	int64_t now;

	/* allow plain http: it only sends queries */
	how.plain = true;
	if (!fleet_server(a, opt_value(a->opts, "url"), "--url URL", &how))
		return;
	s = server_new(&how, a->diag);
	if (s && tables_check(s, a->diag, &now))
		ask_parts(s, a, q, o);
	server_free(s);
}

static const struct query *find_query(struct asked *a)
{
	const struct query *q = query_find(a->args[0]);

	if (!q)
		diag_fatal(a->diag, "unknown query '%s'; etrace fleet --help lists them", a->args[0]);
	else if (q->args && a->nargs < 2)
		diag_fatal(a->diag, "%s: give %s", q->name, q->args);
	else if (!q->args && a->nargs > 1)
		diag_fatal(a->diag, "%s takes no argument, but '%s' was given", q->name, a->args[1]);
	else
		return q;
	return NULL;
}

static int ask_query(struct asked *a)
{
	const struct query *q = find_query(a);
	struct query_options o = {
		.database = opt_value(a->opts, "database"), .limit = 20,
		.arg = a->nargs > 1 ? a->args[1] : NULL,
	};

	if (!o.database)
		o.database = SERVER_DATABASE;
	if (q && take_options(a, &o)) {
		if (opt_flag(a->opts, "sql"))
			print_statements(a, q, &o);
		else
			ask_server(a, q, &o);
	}
	free(o.tags);
	return 0;
}

static void add_about(struct buf *b)
{
	buf_adds(b, "Answer questions from the builds that " PROG " push has stored in ClickHouse:\n\n");
	for (const struct query *q = query_all(); q->name; q++) {
		char head[40];

		snprintf(head, sizeof(head), "%s %s", q->name, q->args ? q->args : "");
		buf_adds(b, "  ");
		buf_adds(b, head);
		for (size_t n = strlen(head); n < 24; n++)
			buf_addc(b, ' ');
		buf_adds(b, q->about);
		buf_addc(b, '\n');
	}
	buf_addc(b, '\0');
}

int fleet_query(int argc, char **argv)
{
	struct buf about = { 0 };
	struct answer fleet = {
		.name = "fleet", .example = PROG " fleet slowest --since 7d\n", .synopsis = "QUERY [ARG]", .options = options,
		.min_args = 1, .max_args = 2, .run = ask_query,
	};
	int status;

	add_about(&about);
	fleet.about = about.s;
	status = answer_main(&fleet, argc, argv);
	buf_free(&about);
	return status;
}
