// SPDX-License-Identifier: GPL-2.0
/* A malicious database: bytes or rows of a good one are changed, and every query terminates. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common_answers.h"

#define PAGES_AT 100	/* after the file header */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static char good[64], bad[64];

static void forget(void)
{
	unlink(good);
	unlink(bad);
}

static void begin(void)
{
	if (*good)
		return;
	snprintf(good, sizeof(good), "/tmp/fuzz_db.%d.good", (int)getpid());
	snprintf(bad, sizeof(bad), "/tmp/fuzz_db.%d.bad", (int)getpid());
	answers_make_db(good, TRACE);
	atexit(forget);
}

/* Columns with ids, positions and paths. */
static const char *const columns[] = {
	"file.path", "string.s", "version.file", "version.made", "version.exec", "version.base",
	"version.at", "name.file", "name.version", "name.exec", "name.at", "process.parent",
	"process.at", "exec.process", "exec.parent", "exec.before", "exec.program", "exec.interp",
	"exec.cwd", "exec.at", "exec.until", "exec.ended", "exec.forked", "exec.args", "exec.status",
	"exec.signal", "access_list.exec", "access_list.at", "access_list.list", "change.exec", "change.what", "change.file", "change.version",
	"task.process", "meta.value",
};

/* One update for five bytes each: column, row, value. */
static void change_rows(const uint8_t *data, size_t n)
{
	static const char *const values[] = {
		"%d", "-%d", "NULL", "4294967296 + %d", "9223372036854775807 - %d", "x'2f%02x'",
		"'[1,%d]'", "'[[1,1,1,0,%d,9]]'", "rowid", "rowid - %d",
	};
	char sql[40000] = "", value[64];
	size_t len = 0;

	for (; n >= 5 && len < sizeof(sql) - 300; data += 5, n -= 5) {
		const char *column = columns[data[0] % (sizeof(columns) / sizeof(columns[0]))];
		const char *dot = strchr(column, '.');
		int table = (int)(dot - column);
		bool keyed = !strncmp(column, "meta", 4);

		snprintf(value, sizeof(value),
			 values[data[2] % (keyed ? 8 : sizeof(values) / sizeof(values[0]))], data[3]);
		len += (size_t)snprintf(sql + len, sizeof(sql) - len,
					"UPDATE OR IGNORE %.*s SET %s = %s", table, column, dot + 1, value);
		if (!keyed && data[4] & 3)
			len += (size_t)snprintf(sql + len, sizeof(sql) - len,
						" WHERE rowid %% %d = %d", (data[4] & 3) * 16, data[1] % 16);
		len += (size_t)snprintf(sql + len, sizeof(sql) - len, ";");
	}
	answers_try(bad, sql);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	size_t at;

	begin();
	if (n < 5)
		return 0;
	at = PAGES_AT + ((size_t)data[1] << 16 | data[2] << 8 | data[3]) % 140000;
	if (data[0] & 1) {
		answers_copy(good, bad, at, data + 4, n - 4 < 64 ? n - 4 : 64);
	} else {
		answers_copy(good, bad, 0, "", 0);
		change_rows(data + 1, n - 1);
	}
	answers_all(bad);
	return 0;
}
