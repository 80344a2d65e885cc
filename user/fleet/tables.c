// SPDX-License-Identifier: LGPL-2.1
/* Creates, checks and cleans the tables of a fleet in a server.  See tables.h. */
#include "fleet/tables.h"
#include "base/xalloc.h"
#include "fleet/tables-1.sql.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of times a cluster is asked for its version, and ms in between. */
#define LAG_TRIES	40
#define LAG_MS		250

/* Statements by version. */
static const char *const migrations[TABLES_VERSION] = { tables_1_sql };

/* ---- statements of a file ---- */

/* Replacements in statements. */
struct form {
	const char *db;
	const char *cluster;	/* NULL if none */
};

static void put_engine(struct buf *to, const struct form *f, const char *table, size_t len)
{
	buf_adds(to, f->cluster ? "ReplicatedMergeTree('/clickhouse/tables/{shard}/" : "MergeTree()");
	if (!f->cluster)
		return;
	buf_adds(to, f->db);
	buf_addc(to, '/');
	buf_add(to, table, len);
	buf_adds(to, "', '{replica}')");
}

static void put_on(struct buf *to, const struct form *f)
{
	if (!f->cluster)
		return;
	buf_adds(to, " ON CLUSTER ");
	buf_adds(to, f->cluster);
}

/* Append what replaces "@NAME@" of @len bytes at @name, or "@engine TABLE@". */
static void put_word(struct buf *to, const struct form *f, const char *name, size_t len)
{
	static const char engine[] = "engine ";
	const size_t n = sizeof(engine) - 1;

	if (len == 2 && !memcmp(name, "db", 2))
		buf_adds(to, f->db);
	else if (len == 2 && !memcmp(name, "on", 2))
		put_on(to, f);
	else if (len == 4 && !memcmp(name, "rows", 4))
		buf_adds(to, f->cluster ? "_local" : "_rows");
	else if (len > n && !memcmp(name, engine, n))
		put_engine(to, f, name + n, len - n);
}

/* Append a statement of @len bytes with its placeholders replaced. */
static void fill_in(struct buf *to, const struct form *f, const char *sql, size_t len)
{
	const char *end = sql + len;

	while (sql < end) {
		const char *at = memchr(sql, '@', (size_t)(end - sql));
		const char *last = at ? memchr(at + 1, '@', (size_t)(end - at - 1)) : NULL;

		buf_add(to, sql, (size_t)((last ? at : end) - sql));
		if (last)
			put_word(to, f, at + 1, (size_t)(last - at - 1));
		sql = last ? last + 1 : end;
	}
	buf_addc(to, '\0');
}

/* Append the statement for the Distributed table; all rows of a build are on one shard. */
static void put_spread(struct buf *to, const struct form *f, const char *table, size_t len)
{
	bool whole = len == strlen("schema") && !memcmp(table, "schema", len);

	buf_adds(to, "CREATE TABLE IF NOT EXISTS ");
	buf_adds(to, f->db);
	buf_addc(to, '.');
	buf_add(to, table, len);
	buf_adds(to, "_rows");
	put_on(to, f);
	buf_adds(to, " AS ");
	buf_adds(to, f->db);
	buf_addc(to, '.');
	buf_add(to, table, len);
	buf_adds(to, "_local ENGINE = Distributed(");
	buf_adds(to, f->cluster);
	buf_adds(to, ", ");
	buf_adds(to, f->db);
	buf_adds(to, ", ");
	buf_add(to, table, len);
	buf_adds(to, whole ? "_local, version)" : "_local, cityHash64(toString(build)))");
	buf_addc(to, '\0');
}

static bool run_sql(struct server *s, const struct form *f, const char *sql, size_t len)
{
	static const char engine[] = "@engine ";
	const char *at = memmem(sql, len, engine, sizeof(engine) - 1);
	struct buf b = { 0 };
	bool good;

	fill_in(&b, f, sql, len);
	good = server_do(s, b.s);
	if (good && at && f->cluster) {
		at += sizeof(engine) - 1;
		b.len = 0;
		put_spread(&b, f, at, strcspn(at, "@"));
		good = server_do(s, b.s);
	}
	buf_free(&b);
	return good;
}

/* Skip comments.  Return: where the next statement begins. */
static const char *skip_comments(const char *sql)
{
	for (;;) {
		sql += strspn(sql, "\n\t ");
		if (strncmp(sql, "--", 2))
			return sql;
		sql += strcspn(sql, "\n");
	}
}

static bool run_all(struct server *s, const struct form *f, const char *sql)
{
	for (sql = skip_comments(sql); *sql; sql = skip_comments(sql)) {
		const char *end = strstr(sql, ";\n");
		size_t len = end ? (size_t)(end - sql) : strlen(sql);

		if (!run_sql(s, f, sql, len))
			return false;
		sql += len + !!end;
	}
	return true;
}

/* ---- versions ---- */

static int64_t cell_number(const struct server_answer *a, size_t row, size_t column)
{
	const char *s = a->cells[row * a->ncolumns + column];

	return s ? strtoll(s, NULL, 10) : 0;
}

/* Get version (0 if no tables), time, and whether it is a cluster.  False after diag_fatal(). */
static bool ask_once(struct server *s, int64_t *version, int64_t *now, bool *spread)
{
	struct server_answer a = { 0 };
	struct buf b = { 0 };
	bool good;

	buf_adds(&b, "SELECT toUnixTimestamp(now()) AS now, count() AS n, sum(engine = 'Distributed') AS spread\n"
		 "FROM system.tables WHERE name = 'schema_rows' AND database = ");
	server_text(&b, server_database(s), strlen(server_database(s)));
	buf_addc(&b, '\0');
	good = server_ask(s, b.s, &a) && a.nrows == 1 && a.ncolumns == 3;
	*version = 0;
	if (good) {
		*now = cell_number(&a, 0, 0);
		*version = cell_number(&a, 0, 1);
		*spread = cell_number(&a, 0, 2) > 0;
	}
	server_answer_free(&a);
	if (good && *version) {
		b.len = 0;
		buf_adds(&b, "SELECT max(version) AS version FROM ");
		buf_adds(&b, server_database(s));
		buf_adds(&b, ".schema_rows");
		buf_addc(&b, '\0');
		good = server_ask(s, b.s, &a) && a.ncolumns == 1;
		*version = good && a.nrows ? cell_number(&a, 0, 0) : 0;
		server_answer_free(&a);
	}
	buf_free(&b);
	return good;
}

/* As ask_once(), but wait for version @least: replicas of a cluster lag behind. */
static bool ask_version(struct server *s, int64_t least, int64_t *version, int64_t *now, bool *spread)
{
	for (unsigned int i = 0;; i++) {
		if (!ask_once(s, version, now, spread))
			return false;
		if (*version >= least || !*spread || i == LAG_TRIES)
			return true;
		poll(NULL, 0, LAG_MS);
	}
}

static bool note_version(struct server *s, unsigned int version)
{
	struct buf b = { 0 };
	bool good;

	buf_adds(&b, "INSERT INTO ");
	buf_adds(&b, server_database(s));
	buf_adds(&b, ".schema_rows SELECT toUInt32(");
	buf_addu(&b, version);
	buf_adds(&b, "), now(), '" ETRACE_VERSION "'");
	buf_addc(&b, '\0');
	good = server_do(s, b.s);
	buf_free(&b);
	return good;
}

static bool is_newer(struct server *s, int64_t version, struct diag *diag)
{
	if (version <= TABLES_VERSION)
		return false;
	diag_fatal(diag, "%s: the tables of database %s are of version %lld, and this etrace knows %d: use a newer etrace",
		   server_url(s), server_database(s), (long long)version, TABLES_VERSION);
	return true;
}

/* Do the tables fit @cluster: are they a cluster's or not?  False after diag_fatal(). */
static bool form_fits(struct server *s, const char *cluster, int64_t version, bool spread,
		      struct diag *diag)
{
	if (!version || spread == (cluster != NULL))
		return true;
	diag_fatal(diag, spread ? "%s: the tables of database %s are a cluster's: name it by --cluster" :
		   "%s: the tables of database %s are of one server: leave out --cluster, or take another --database",
		   server_url(s), server_database(s));
	return false;
}

bool tables_init(struct server *s, const char *cluster, struct diag *diag, FILE *to)
{
	const struct form f = { .db = server_database(s), .cluster = cluster };
	int64_t version, now;
	bool spread = false;

	if (!ask_version(s, 1, &version, &now, &spread) || is_newer(s, version, diag) ||
	    !form_fits(s, cluster, version, spread, diag))
		return false;
	if (version == TABLES_VERSION && to)
		fprintf(to, "%s: database %s: the tables are there, version %d\n", server_url(s),
			server_database(s), TABLES_VERSION);
	for (unsigned int i = (unsigned int)version; i < TABLES_VERSION; i++) {
		if (!run_all(s, &f, migrations[i]) || !note_version(s, i + 1))
			return false;
		if (to)
			fprintf(to, "%s: database %s: tables of version %u made%s%s\n", server_url(s),
				server_database(s), i + 1, cluster ? " on cluster " : "",
				cluster ? cluster : "");
	}
	return true;
}

bool tables_check(struct server *s, struct diag *diag, int64_t *now)
{
	int64_t version;
	bool spread = false;

	if (!ask_version(s, TABLES_VERSION, &version, now, &spread) || is_newer(s, version, diag))
		return false;
	if (version == TABLES_VERSION)
		return true;
	if (version)
		diag_fatal(diag, "%s: the tables of database %s are of version %lld, and this etrace knows %d: run etrace push --init",
			   server_url(s), server_database(s), (long long)version, TABLES_VERSION);
	else
		diag_fatal(diag, "%s: there are no tables in database %s: run etrace push --init",
			   server_url(s), server_database(s));
	return false;
}

/* ---- rows that do not count ---- */

#define SWEEP_PARTS	1000u	/* maximum parts in one statement */

static bool remove_parts(struct server *s, const struct form *f, const char *table,
			 const struct server_answer *parts)
{
	bool good = true;

	for (size_t i = 0; good && i < parts->nrows; i += SWEEP_PARTS) {
		struct buf b = { 0 };

		buf_adds(&b, "ALTER TABLE ");
		buf_adds(&b, f->db);
		buf_addc(&b, '.');
		buf_adds(&b, table);
		buf_adds(&b, f->cluster ? "_local" : "_rows");
		put_on(&b, f);
		buf_adds(&b, " DELETE WHERE part IN (");
		for (size_t j = i; j < parts->nrows && j < i + SWEEP_PARTS; j++) {
			const char *part = parts->cells[j * parts->ncolumns];

			buf_adds(&b, j > i ? ", " : "");
			buf_adds(&b, part ? part : "0");
		}
		buf_adds(&b, ")");
		buf_addc(&b, '\0');
		good = server_do(s, b.s);
		buf_free(&b);
	}
	return good;
}

bool tables_sweep(struct server *s, const char *cluster, struct diag *diag, FILE *to)
{
	static const char *const tables[] = { "step", "file", "access" };
	const struct form f = { .db = server_database(s), .cluster = cluster };
	int64_t version, now;
	bool spread = false, good = true;

	if (!ask_version(s, TABLES_VERSION, &version, &now, &spread) || is_newer(s, version, diag) ||
	    !form_fits(s, cluster, version, spread, diag))
		return false;
	for (size_t i = 0; good && version && i < sizeof(tables) / sizeof(*tables); i++) {
		struct server_answer parts = { 0 };
		struct buf b = { 0 };
		uint64_t rows = 0;

		buf_adds(&b, "SELECT part, count() AS n FROM ");
		buf_adds(&b, f.db);
		buf_addc(&b, '.');
		buf_adds(&b, tables[i]);
		buf_adds(&b, "_rows\nWHERE pushed < now() - 86400 AND part GLOBAL NOT IN (SELECT arrayJoin(parts) FROM ");
		buf_adds(&b, f.db);
		buf_adds(&b, ".build)\nGROUP BY part");
		buf_addc(&b, '\0');
		good = server_ask(s, b.s, &parts) && (!parts.nrows || parts.ncolumns == 2) &&
		       remove_parts(s, &f, tables[i], &parts);
		for (size_t j = 0; good && j < parts.nrows; j++)
			rows += (uint64_t)cell_number(&parts, j, 1);
		if (good && to)
			fprintf(to, "%s: database %s: %llu rows of table %s removed\n", server_url(s),
				server_database(s), (unsigned long long)rows, tables[i]);
		server_answer_free(&parts);
		buf_free(&b);
	}
	return good;
}
