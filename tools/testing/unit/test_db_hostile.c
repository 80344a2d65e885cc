// SPDX-License-Identifier: GPL-2.0
/*
 * Malicious databases: whatever they contain, every query ends, nothing is read or written out
 * of bounds, and impossible values are reported.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "common_answers.h"
#include "common_seed.h"

static char good[64], bad[64];

/* CPU seconds that all queries need at most, with sanitizers. */
#define LIMIT 60

/* Run all queries in a child process.  Return: their exit status, or 128 + signal. */
static int ask(const char *path)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		alarm(10 * LIMIT);
		_exit(answers_all(path));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void valid_database_accepted(void **state)
{
	(void)state;
	assert_int_equal(ask(good), 0);
	/* with tables and views that a user added */
	answers_copy(good, bad, 0, "", 0);
	answers_change(bad, "CREATE TABLE mine (x); CREATE VIEW own AS SELECT * FROM exec;"
		       "CREATE INDEX mine_x ON mine (x)", 0);
	assert_int_equal(ask(bad), 0);
}

/* Tables of which this trace has rows, and their columns with references or times. */
static const struct {
	const char *table, *columns;
} numbers[] = {
	{ "file", "id" }, { "string", "id" },
	{ "version", "id file made exec base at" },
	{ "process", "id parent at" },
	{ "exec", "id process parent before program interp cwd at until ended forked" },
	{ "access_list", "exec at" },
	{ "change", "exec what file to_file version at" },
	{ "task", "process at until" },
};
static const char *const values[] = {
	"-1", "4294967295", "4294967296", "9223372036854775807", "-9223372036854775807", "1073741824",
};

static void try_number(const char *table, const char *column, const char *value, size_t i)
{
	char sql[200];
	int seal = i & 1, status, rows;

	/* IGNORE: a key can have each value only once */
	snprintf(sql, sizeof(sql), "UPDATE OR IGNORE %s SET %s = %s WHERE rowid > (SELECT max(rowid) FROM %s) / %d",
		 table, column, value, table, i & 2 ? 2 : 1000000);
	answers_copy(good, bad, 0, "", 0);
	rows = answers_change(bad, sql, seal);
	status = ask(bad);
	if (status > 2)
		fail_msg("%s: answers exit with %d", sql, status);
	if (rows && !seal && status != 2)
		fail_msg("%s: not reported: status %d", sql, status);
}

static void numbers_out_of_range_refused(void **state)
{
	size_t i = 0;

	(void)state;
	for (size_t t = 0; t < sizeof(numbers) / sizeof(numbers[0]); t++) {
		char columns[100], *column, *rest;

		snprintf(columns, sizeof(columns), "%s", numbers[t].columns);
		for (column = strtok_r(columns, " ", &rest); column; column = strtok_r(NULL, " ", &rest))
			for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
				/* a time that is valid */
				bool fine = (strstr(column, "at") || !strcmp(column, "until")) &&
					    strlen(values[v]) < 12;

				if (is_tried(i++) && !fine)
					try_number(numbers[t].table, column, values[v], i / CASE_STEP);
			}
	}
}

/* Statements that cause damage, and the expected exit status of the queries; -1: any. */
static const struct {
	const char *sql;
	int status;
} others[] = {
	{ "UPDATE exec SET before = id", 2 },
	{ "UPDATE exec SET parent = id", 2 },
	{ "UPDATE exec SET parent = (SELECT max(id) FROM exec)", 2 },
	{ "UPDATE process SET parent = id", 2 },
	{ "UPDATE version SET base = id", 2 },
	{ "UPDATE version SET base = (SELECT max(id) FROM version)", 2 },
	{ "UPDATE exec SET args = '[1'", 2 },
	{ "UPDATE exec SET args = '[99999999999999999999,-1,\"x\",[[[]]]]'", -1 },
	{ "UPDATE exec SET args = '{}'", -1 },
	/* a long string that is used many times */
	{ "UPDATE string SET s = zeroblob(100000) WHERE id = 1; UPDATE exec SET args ="
	  " '[1' || (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000)"
	  " SELECT group_concat(',1', '') FROM c) || ']' WHERE id = 3", 2 },
	{ "UPDATE exec SET until = at - 1", -1 },
	{ "UPDATE exec SET at = 0, until = 0", -1 },
	{ "UPDATE file SET path = x''", -1 },
	{ "UPDATE file SET path = CAST(x'00' || id AS BLOB)", -1 },
	{ "UPDATE string SET s = x'00'", -1 },
	{ "DELETE FROM file", 2 },
	{ "DELETE FROM exec", 2 },
	{ "DELETE FROM process", 2 },
	{ "DELETE FROM version", 2 },
	{ "DELETE FROM meta", -1 },
	{ "UPDATE meta SET value = x'ff00'", -1 },
	{ "UPDATE meta SET value = 9223372036854775807", -1 },
	{ "INSERT INTO miss VALUES (1, 2, 0, '[[9999999999,0]]')", -1 },
	{ "INSERT INTO miss VALUES (1, 2, 0, '[[')", 2 },
	{ "INSERT INTO miss VALUES (1, 2, 0, '[[-1,9223372036854775807],[1,1.5],[\"x\"]]')", -1 },
	{ "INSERT INTO ask VALUES (1, 4, 0, 0, NULL, 0)", 2 },
	{ "INSERT INTO ask VALUES (4294967295, 0, 0, 0, NULL, 0)", 2 },
	{ "INSERT INTO ask VALUES (1, 1, 0, 0, 1073741824, 0)", 2 },
	{ "INSERT INTO ask VALUES (1, 3, -1, -1, NULL, 0)", 0 },
	{ "PRAGMA user_version = 1", 2 },
	{ "PRAGMA application_id = 1", 2 },
	{ "UPDATE access_list SET list = '[[1,1,1'", 2 },
	{ "UPDATE access_list SET list = json_set(list, '$[0][0]', 4294967295)", 2 },
	{ "UPDATE access_list SET list = json_set(list, '$[0][2]', -1)", 2 },
	{ "UPDATE access_list SET list = json_set(list, '$[0][4]', 9223372036854775807)", 2 },
	{ "UPDATE access_list SET list = '[]'", 0 },
	{ "DROP INDEX copy_output", 2 },
	{ "DROP VIEW misses", 2 },
	{ "DROP VIEW misses; CREATE VIEW misses AS SELECT 1 AS exec, 2 AS file, 3 AS error, 4 AS at", 2 },
	{ "ALTER TABLE file RENAME TO f2", 2 },
	{ "ALTER TABLE file RENAME TO f2; CREATE VIEW file AS WITH RECURSIVE c(x) AS (SELECT 1"
	  " UNION ALL SELECT x+1 FROM c) SELECT x AS id, x'2f' AS path FROM c", 2 },
	{ "ALTER TABLE exec ADD COLUMN more INTEGER", 2 },
	{ "CREATE INDEX more ON access_list (at)", 2 },
	{ "CREATE TRIGGER t AFTER INSERT ON access_list BEGIN DELETE FROM exec; END", 2 },
	{ "ANALYZE", 0 },
	{ "ANALYZE; UPDATE sqlite_stat1 SET stat = '1 1'", 0 },
};

static void hostile_rows_and_schemas(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		int status;

		answers_copy(good, bad, 0, "", 0);
		answers_change(bad, others[i].sql, 0);
		status = ask(bad);
		if (status > 2 || (others[i].status >= 0 && status != others[i].status))
			fail_msg("%s: answers exit with %d", others[i].sql, status);
		/* again, sealed: nothing is checked beforehand */
		if (!is_tried(i))
			continue;
		answers_change(bad, "", 1);
		status = ask(bad);
		if (status > 2)
			fail_msg("%s, sealed: answers exit with %d", others[i].sql, status);
	}
}

/* Bytes of the file changed: in pages, cells and indexes. */
static void damaged_pages_reported(void **state)
{
	static const unsigned char bytes[] = { 0x00, 0x7f, 0xff };
	FILE *f = fopen(good, "re");
	size_t size;

	(void)state;
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	size = (size_t)ftell(f);
	fclose(f);
	for (size_t at = 100, i = 0; at < size; at += 997, i++) {
		int status;

		if (!is_tried(i))
			continue;
		answers_copy(good, bad, at, &bytes[i % sizeof(bytes)], 1);
		status = ask(bad);
		if (status > 2)
			fail_msg("byte %zu of %zu: answers exit with %d", at, size, status);
	}
}

/* SQLite would remove the file that a journal names. */
static void hostile_journal_refused(void **state)
{
	static const unsigned char end[] = {
		'/', 't', 'm', 'p', 0, 0, 0, 5, 0, 0, 0, 0, 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7,
	};
	char name[sizeof(bad) + 16];

	(void)state;
	answers_copy(good, bad, 0, "", 0);
	snprintf(name, sizeof(name), "%s-journal", bad);
	answers_copy("/dev/null", name, 600, end, sizeof(end));
	assert_int_equal(ask(bad), 2);
	assert_int_equal(access(name, F_OK), 0);
	unlink(name);
}

static int begin(void **state)
{
	char trace[4096];

	(void)state;
	snprintf(good, sizeof(good), "/tmp/db_hostile.%d.db", (int)getpid());
	snprintf(bad, sizeof(bad), "/tmp/db_hostile.%d.bad", (int)getpid());
	snprintf(trace, sizeof(trace), "%s/etrace/hello.etrace", getenv("ETRACE_DATA"));
	answers_make_db(good, trace);
	return 0;
}

static int end(void **state)
{
	(void)state;
	unlink(good);
	unlink(bad);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(valid_database_accepted),
		cmocka_unit_test(numbers_out_of_range_refused),
		cmocka_unit_test(hostile_rows_and_schemas),
		cmocka_unit_test(damaged_pages_reported),
		cmocka_unit_test(hostile_journal_refused),
	};

	return cmocka_run_group_tests_name("db_hostile", tests, begin, end);
}
