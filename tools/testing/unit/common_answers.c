// SPDX-License-Identifier: GPL-2.0
/* Runs every query on a database.  See common_answers.h. */
#include "common_answers.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "answers/attest.h"
#include "answers/check.h"
#include "answers/compdb.h"
#include "command/config.h"
#include "answers/deps.h"
#include "answers/different.h"
#include "answers/explain.h"
#include "answers/first_page.h"
#include "show/page.h"
#include "answers/rebuilt.h"
#include "answers/times.h"
#include "answers/why.h"
#include "db/bind.h"
#include "db/write.h"
#include "fleet/facts.h"

static void need(int good)
{
	if (!good)
		abort();
}

static void add_access(void *ctx, const struct facts_access *a)
{
	(void)ctx;
	(void)a;
}

static void explain(struct db *db, struct out *out)
{
	static void (*const forms[])(struct explain *x, struct out *out) = {
		explain_json, explain_github, explain_markdown, explain_gitlab, explain_junit,
	};
	struct explain x;

	explain_take(&x, db);
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		forms[i](&x, out);
	explain_text(&x, out, "", "", "");
	explain_free(&x);
}

static void ask_one(struct db *db, struct out *out)
{
	const struct draw draw = { .out = out, .width = DRAW_PLAIN };
	const struct times times = { .out = out, .json = true, .top = 10 };
	const struct why why = { .out = out, .json = true };
	struct config config;
	const struct compdb compdb = { .config = &config, .links = true, .no_configure = true };
	struct attest attest = { .db = db, .out = out, .root = "/nowhere" };
	struct diag *none = diag_new(NULL, "test");
	struct facts facts = { 0 };
	struct check check;
	uint8_t id[FACTS_ID];

	first_put(db, 5, &draw);
	explain(db, out);
	times_put(db, &times);
	for (unsigned int reverse = 0; reverse < 2; reverse++) {
		struct deps deps = { .db = db, .out = out, .format = DEPS_JSON, .classes = ~0u,
				     .reverse = reverse };

		deps_begin(&deps);
		deps_all(&deps);
		deps_end(&deps);
	}
	for (uint32_t file = 1; file <= db_ids(db, DB_FILES) && !db->failed; file += 17)
		why_made(db, file, &why);
	config_init(&config);
	compdb_write(db, &compdb, out);
	if (attest_load(&attest))
		attest_spdx(&attest);
	attest_free(&attest);
	check_init(&check, db);
	check_find(&check);
	check_put(&check, out, true);
	check_free(&check);
	/* not every etrace is built with the page */
	if (page_may_create("page", none))
		page_put(db, out, NULL, PAGE_BUDGET);
	diag_free(none);
	facts_id(db, id);
	facts_load(&facts, db, NULL);
	facts_accesses(&facts, add_access, NULL);
	facts_free(&facts);
}

static void ask_two(struct db *a, struct db *b, struct out *out)
{
	struct diff d = { 0 };
	struct different w = { .d = &d };
	struct rebuilt r = { 0 };

	if (match_builds(&d.m, a, b, NULL)) {
		diff_builds(&d);
		diff_put(&d, out, true);
		different_find(&w, 0);
		different_explain(&w);
		different_put(&w, out, true);
	}
	different_free(&w);
	diff_free(&d);
	if (match_builds(&r.m, a, b, NULL)) {
		rebuilt_find(&r);
		rebuilt_put(&r, out, true);
	}
	rebuilt_free(&r);
}

int answers_all(const char *path)
{
	struct diag *diag = diag_new(getenv("ETRACE_TEST_MESSAGES") ? stderr : NULL, "test");
	struct db *db = db_open(path, diag), *other = db ? db_open(path, diag) : NULL;
	struct out *out = out_mem();
	int status;

	if (other) {
		ask_one(db, out);
		ask_two(db, other, out);
	}
	db_close(db);
	db_close(other);
	out_close(out);
	status = diag_status(diag);
	diag_free(diag);
	return status;
}

void answers_make_db(const char *path, const char *trace)
{
	struct diag *diag = diag_new(stderr, "test");
	struct db *db;
	struct opts opts;
	struct in *in;
	int err;

	opts_init(&opts);
	in = in_open(trace, &err);
	db = db_create(path, diag);
	need(in && db && answers_read(db, &in, 1, "etrace", &opts, diag));
	compdb_fill(db);
	need(db_finish(db));
	in_close(in);
	opts_free(&opts);
	diag_free(diag);
}

void answers_copy(const char *from, const char *to, size_t at, const void *data, size_t n)
{
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	char buf[65536];
	ssize_t part;

	need(in >= 0 && out >= 0);
	while ((part = read(in, buf, sizeof(buf))) > 0)
		need(write(out, buf, (size_t)part) == part);
	need(pwrite(out, data, n, (off_t)at) == (ssize_t)n);
	close(in);
	close(out);
}

static void seal_it(sqlite3 *db, const char *path)
{
	char text[120];

	snprintf(text, sizeof(text), "UPDATE meta SET value = %lld WHERE key = '" DB_SEAL "'",
		 (long long)db_changes(path) + 1);
	need(!sqlite3_exec(db, text, NULL, NULL, NULL));
}

int answers_change(const char *path, const char *sql, int seal)
{
	sqlite3 *db;
	int rows;

	need(!sqlite3_open(path, &db));
	if (sqlite3_exec(db, sql, NULL, NULL, NULL))
		fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(db));
	rows = sqlite3_total_changes(db);
	if (seal)
		seal_it(db, path);
	need(!sqlite3_close(db));
	return rows;
}

void answers_try(const char *path, const char *sql)
{
	const char *rest = sql;
	sqlite3 *db;

	need(!sqlite3_open(path, &db));
	sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
	while (*rest) {
		sqlite3_stmt *st;

		if (sqlite3_prepare_v2(db, rest, -1, &st, &rest) || !st)
			break;
		sqlite3_step(st);
		sqlite3_finalize(st);
	}
	sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	seal_it(db, path);
	need(!sqlite3_close(db));
}
