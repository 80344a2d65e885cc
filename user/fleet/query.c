// SPDX-License-Identifier: LGPL-2.1
/* The table of questions, and their SQL statements.  See query.h. */
#include "fleet/query.h"
#include "fleet/ask-builds.sql.h"
#include "fleet/ask-cache.sql.h"
#include "fleet/ask-files.sql.h"
#include "fleet/ask-flaky.sql.h"
#include "fleet/ask-hosts.sql.h"
#include "fleet/ask-outputs.sql.h"
#include "fleet/ask-package.sql.h"
#include "fleet/ask-rebuilds.sql.h"
#include "fleet/ask-users.sql.h"
#include "fleet/when.h"

#include <string.h>

static const char no_steps[] = "no step of these builds has a known output";

static const struct query queries[] = {
	{ .name = "builds", .about = "the builds, the newest first", .sql = ask_builds_sql,
	  .parts = { { .name = "build", .none = "no builds" } } },
	{ .name = "slowest", .about = "outputs that take longest, now and before",
	  .sql = ask_outputs_sql, .only = "times > 0", .order = "median_ns DESC",
	  .parts = { { .name = "output", .none = no_steps } } },
	{ .name = "slower", .about = "outputs that take longer than before",
	  .sql = ask_outputs_sql, .only = "times > 0 AND change_ns > 0", .order = "change_ns DESC",
	  .parts = { { .name = "output", .none = "no output takes longer than before" } } },
	{ .name = "cache", .about = "the same command run again with the same inputs",
	  .sql = ask_cache_sql,
	  .parts = { { .name = "repeated",
		       .none = "no command ran twice with the same inputs" },
		     { .name = "total", .heading = "Together, of steps whose inputs are all known:" },
		     { .name = "unjudged", .heading = "Not among them:" } } },
	{ .name = "rebuilds", .about = "sources that cost most when they change",
	  .sql = ask_rebuilds_sql,
	  .parts = { { .name = "source", .none = "no change of a source makes steps run again" } } },
	{ .name = "users", .args = "FILE", .about = "builds, and steps in them, that used a file",
	  .sql = ask_users_sql,
	  .parts = { { .name = "user", .none = "no build used it" },
		     { .name = "step", .heading = "Steps in these builds that used it:",
		       .of_first = true } } },
	{ .name = "package", .args = "NAME[=VERSION]",
	  .about = "builds that used a package, and which version", .sql = ask_package_sql,
	  .parts = { { .name = "version", .none = "no build used it" },
		     { .name = "package", .heading = "Builds:", .of_first = true } } },
	{ .name = "flaky", .about = "steps that fail and do not fail with the same inputs",
	  .sql = ask_flaky_sql,
	  .parts = { { .name = "flaky",
		       .none = "no step ended in two ways with the same inputs" } } },
	{ .name = "hosts", .about = "builds by host, the slowest first", .sql = ask_hosts_sql,
	  .parts = { { .name = "host", .none = "no builds" } } },
	{ 0 }
};

const struct query *query_all(void)
{
	return queries;
}

const struct query *query_find(const char *name)
{
	for (const struct query *q = queries; q->name; q++)
		if (!strcmp(q->name, name))
			return q;
	return NULL;
}

size_t query_parts(const struct query *q)
{
	size_t n = 0;

	while (n < QUERY_PARTS && q->parts[n].name)
		n++;
	return n;
}

/* ---- replacements for words ---- */

static void add_text(struct buf *b, const char *text)
{
	server_text(b, text, strlen(text));
}

static void put_db(const struct query *q, const struct query_options *o, struct buf *b)
{
	(void)q;
	buf_adds(b, o->database);
}

static void add_begin(struct buf *b, int64_t since, int64_t until)
{
	buf_adds(b, "begin >= toDateTime(");
	buf_addu(b, (uint64_t)since);
	buf_adds(b, ") AND begin < toDateTime(");
	buf_addu(b, (uint64_t)until);
	buf_adds(b, ")");
}

static void add_when(struct buf *b, const struct query_options *o, int64_t since)
{
	add_begin(b, since, o->until);
	if (o->project) {
		buf_adds(b, " AND project = ");
		add_text(b, o->project);
	}
	if (o->host) {
		buf_adds(b, " AND host = ");
		add_text(b, o->host);
	}
	for (size_t i = 0; i < o->ntags; i++) {
		buf_adds(b, " AND has(tags, ");
		add_text(b, o->tags[i]);
		buf_adds(b, ")");
	}
}

static void put_when(const struct query *q, const struct query_options *o, struct buf *b)
{
	(void)q;
	add_when(b, o, o->since);
}

static void add_parts(struct buf *b, const struct query_options *o, int64_t since)
{
	buf_adds(b, "SELECT arrayJoin(parts) FROM ");
	buf_adds(b, o->database);
	buf_adds(b, ".build WHERE ");
	add_when(b, o, since);
}

static void put_now(const struct query *q, const struct query_options *o, struct buf *b)
{
	(void)q;
	add_parts(b, o, o->since);
}

static void add_rows(struct buf *b, const struct query_options *o, int64_t since)
{
	char day[WHEN_ROOM];

	buf_adds(b, "day >= toDate('");
	buf_adds(b, when_day(since, day));
	buf_adds(b, "') AND day <= toDate('");
	buf_adds(b, when_day(o->until, day));
	buf_adds(b, "') AND part GLOBAL IN (");
	add_parts(b, o, since);
	buf_adds(b, ")");
}

static void put_rows(const struct query *q, const struct query_options *o, struct buf *b)
{
	(void)q;
	add_rows(b, o, o->since);
}

static void put_both(const struct query *q, const struct query_options *o, struct buf *b)
{
	int64_t before = o->since - (o->until - o->since);

	(void)q;
	add_rows(b, o, before > 0 ? before : 0);
}

static void put_only(const struct query *q, const struct query_options *o, struct buf *b)
{
	(void)o;
	buf_adds(b, q->only);
}

static void put_order(const struct query *q, const struct query_options *o, struct buf *b)
{
	(void)o;
	buf_adds(b, q->order);
}

/* Append a condition on path: a pattern with * and ?, converted for LIKE. */
static void add_like(struct buf *b, const char *pattern)
{
	struct buf like = { 0 };

	for (const char *s = pattern; *s; s++) {
		if (*s == '*')
			buf_addc(&like, '%');
		else if (*s == '?')
			buf_addc(&like, '_');
		else if (strchr("%_\\", *s))
			buf_add(&like, (char[]){ '\\', *s }, 2);
		else
			buf_addc(&like, *s);
	}
	buf_adds(b, "path LIKE ");
	server_text(b, like.s ? like.s : "", like.len);
	buf_free(&like);
}

static void put_path(const struct query *q, const struct query_options *o, struct buf *b)
{
	struct buf path = { 0 };

	(void)q;
	/* in the tables, paths below the root of the build begin with "./" */
	if (*o->arg != '/' && *o->arg != '*' && strncmp(o->arg, "./", 2) != 0)
		buf_adds(&path, "./");
	buf_adds(&path, o->arg);
	buf_addc(&path, '\0');
	if (strpbrk(path.s, "*?")) {
		add_like(b, path.s);
	} else {
		buf_adds(b, "path = ");
		add_text(b, path.s);
	}
	buf_free(&path);
}

/* Append a condition on the package; "libc6" also means "libc6:amd64". */
static void put_package(const struct query *q, const struct query_options *o, struct buf *b)
{
	size_t len = strcspn(o->arg, "=");

	(void)q;
	buf_adds(b, "package != '' AND (package = ");
	server_text(b, o->arg, len);
	buf_adds(b, " OR substring(package, 1, position(package, ':') - 1) = ");
	server_text(b, o->arg, len);
	buf_adds(b, ")");
	if (!o->arg[len])
		return;
	buf_adds(b, " AND version = ");
	add_text(b, o->arg + len + 1);
}

static void put_limit(const struct query *q, const struct query_options *o, struct buf *b)
{
	(void)q;
	buf_addu(b, o->limit + 1);
}

static void put_shown(const struct query *q, const struct query_options *o, struct buf *b)
{
	(void)q;
	buf_addu(b, o->limit);
}

static size_t column_named(const struct server_answer *a, const char *name)
{
	size_t c = 0;

	while (c + 1 < a->ncolumns && strcmp(a->names[c], name) != 0)
		c++;
	return c;
}

static void fill_words(const struct query *q, const char *s, const char *end,
		       const struct query_options *o, struct buf *to);

static void put_files(const struct query *q, const struct query_options *o, struct buf *b)
{
	const struct server_answer *a = o->first;
	size_t build, file;

	if (!a || !a->nrows) {
		buf_adds(b, "GLOBAL IN (");
		fill_words(q, ask_files_sql, ask_files_sql + strlen(ask_files_sql), o, b);
		buf_adds(b, ")");
		return;
	}
	buf_adds(b, "IN (");
	build = column_named(a, "build");
	file = column_named(a, "file");
	for (size_t r = 0; r < a->nrows && r < o->limit; r++) {
		char *const *row = a->cells + r * a->ncolumns;

		buf_adds(b, r ? ", (" : "(");
		add_text(b, row[build] ? row[build] : "");
		buf_adds(b, ", ");
		buf_addu(b, row[file] ? strtoull(row[file], NULL, 10) : 0);
		buf_adds(b, ")");
	}
	buf_adds(b, ")");
}

static const struct word {
	const char *name;
	void (*put)(const struct query *q, const struct query_options *o, struct buf *b);
} words[] = {
	{ "db", put_db }, { "when", put_when }, { "rows", put_rows }, { "now", put_now },
	{ "both", put_both }, { "only", put_only }, { "order", put_order }, { "path", put_path },
	{ "package", put_package }, { "files", put_files }, { "limit", put_limit }, { "shown", put_shown },
};

static const struct word *word_at(const char *s, size_t len)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].name) == len && !memcmp(words[i].name, s, len))
			return &words[i];
	return NULL;
}

static void fill_words(const struct query *q, const char *s, const char *end,
		       const struct query_options *o, struct buf *to)
{
	while (s < end) {
		const char *at = memchr(s, '@', (size_t)(end - s));
		const struct word *w;
		size_t len;

		buf_add(to, s, (size_t)((at ? at : end) - s));
		if (!at)
			break;
		len = strcspn(at + 1, "@");
		w = word_at(at + 1, len);
		if (w)
			w->put(q, o, to);
		s = at + len + 2;
	}
}

void query_make(const struct query *q, size_t part, const struct query_options *o, struct buf *to)
{
	const char *s = q->sql;

	for (; part; part--)
		s = strstr(s, ";\n") + 2;
	s += strspn(s, "\n");
	fill_words(q, s, strstr(s, ";\n"), o, to);
	buf_addc(to, '\0');
}
