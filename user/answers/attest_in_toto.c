// SPDX-License-Identifier: LGPL-2.1
/* in-toto's statement v1 with the predicate runtime-trace v0.1.  See attest.h. */
#include "answers/attest.h"
#include "answers/print_names.h"

#include <string.h>

static void put_digest(struct json *j, const struct attest_file *f)
{
	json_key(j, "digest");
	json_begin(j, '{');
	json_key(j, "sha256");
	json_hex(j, f->hash, ATTEST_HASH);
	json_end(j, '}');
}

static void put_subjects(struct json *j, const struct attest *a)
{
	json_list(j, "subject");
	for (size_t i = 0; i < a->n; i++) {
		const struct attest_file *f = &a->rows[i];

		if (f->role != ATTEST_OUTPUT || !f->hashed)
			continue;
		json_begin(j, '{');
		json_text(j, "name", f->path, f->len);
		put_digest(j, f);
		json_end(j, '}');
	}
	json_end(j, ']');
}

/* Write the programs in the order in which they began. */
static void put_processes(struct json *j, struct db *db)
{
	static const char text[] =
		"SELECT id, parent, before, at, until, status, signal FROM exec\n"
		" WHERE NOT forked AND program IS NOT NULL ORDER BY id";
	static const struct {
		const char *name;
		int column;
	} numbers[] = {
		{ "parent", 1 }, { "before", 2 }, { "at_ns", 3 }, { "until_ns", 4 },
		{ "status", 5 }, { "signal", 6 },
	};
	struct sqlite3_stmt *st = db_ask(db, text, "");

	json_list(j, "process");
	while (db_row(db, st)) {
		json_begin(j, '{');
		json_member(j, "eventType", "process");
		for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
			if (db_null(st, numbers[i].column))
				continue;
			json_key(j, numbers[i].name);
			json_i64(j, db_int(st, numbers[i].column));
		}
		json_key(j, "program");
		json_exec(j, db, db_id(db, st, 0, DB_EXECS));
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_network(struct json *j, struct db *db)
{
	static const char text[] =
		"SELECT n.what, s.s, n.error, n.exec, n.at FROM net AS n LEFT JOIN string AS s ON s.id = n.address\n"
		" ORDER BY n.rowid";
	struct sqlite3_stmt *st = db_ask(db, text, "");

	json_list(j, "network");
	while (db_row(db, st)) {
		const char *s;
		size_t len;

		json_begin(j, '{');
		s = db_bytes(st, 0, &len);
		json_text(j, "eventType", s, len);
		s = db_bytes(st, 1, &len);
		json_text(j, "address", s ? s : "", len);
		json_key(j, "error");
		json_i64(j, db_int(st, 2));
		json_key(j, "exec");
		json_i64(j, db_int(st, 3));
		json_key(j, "at_ns");
		json_i64(j, db_int(st, 4));
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_files(struct json *j, const struct attest *a)
{
	static const char *const roles[] = {
		[ATTEST_INPUT] = "input", [ATTEST_TOOL] = "tool", [ATTEST_OUTPUT] = "output",
	};

	json_list(j, "fileAccess");
	for (size_t i = 0; i < a->n; i++) {
		const struct attest_file *f = &a->rows[i];

		json_begin(j, '{');
		json_text(j, "name", f->path, f->len);
		if (f->hashed)
			put_digest(j, f);
		json_key(j, "annotations");
		json_begin(j, '{');
		json_member(j, "role", roles[f->role]);
		attest_put_hashed(j, a, f);
		json_end(j, '}');
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_monitor(struct json *j, const struct attest *a)
{
	const char *s;
	size_t len;

	json_key(j, "monitor");
	json_begin(j, '{');
	json_member(j, "type", "urn:x-etrace:" ETRACE_VERSION);
	json_key(j, "tracePolicy");
	json_begin(j, '{');
	json_key(j, "complete");
	json_bool(j, a->db->complete);
	s = db_meta_text(a->db, "backend", &len);
	if (s)
		json_text(j, "backend", s, len);
	json_end(j, '}');
	json_end(j, '}');
	json_key(j, "monitoredProcess");
	json_begin(j, '{');
	json_member(j, "hostID", "urn:x-etrace:host:unknown");
	json_member(j, "type", "urn:x-etrace:recorded-command");
	s = db_meta_text(a->db, "command", &len);
	json_text(j, "event", s ? s : "", s ? len : 0);
	json_end(j, '}');
}

bool attest_in_toto(struct attest *a)
{
	struct json j = { .out = a->out };
	char time[ATTEST_TIME];

	if (!attest_has_subjects(a))
		return false;
	json_begin(&j, '{');
	json_member(&j, "_type", "https://in-toto.io/Statement/v1");
	put_subjects(&j, a);
	json_member(&j, "predicateType", "https://in-toto.io/attestation/runtime-trace/v0.1");
	json_key(&j, "predicate");
	json_begin(&j, '{');
	put_monitor(&j, a);
	json_key(&j, "monitorLog");
	json_begin(&j, '{');
	put_processes(&j, a->db);
	put_network(&j, a->db);
	put_files(&j, a);
	json_end(&j, '}');
	if (a->has_begin) {
		json_key(&j, "metadata");
		json_begin(&j, '{');
		json_member(&j, "buildStartedOn", attest_time(a->begin, time));
		json_member(&j, "buildFinishedOn",
		       attest_time(a->begin + db_meta(a->db, "end", 0), time));
		json_end(&j, '}');
	}
	json_end(&j, '}');
	json_end(&j, '}');
	json_line(&j);
	return true;
}
