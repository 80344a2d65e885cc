// SPDX-License-Identifier: LGPL-2.1
/* SPDX 3.0.1, JSON-LD; profiles core, software, build.  See attest.h. */
#include "answers/attest.h"
#include "base/utf8.h"
#include "io/json_out.h"

#include <stdio.h>
#include <string.h>

struct spdx {
	const struct attest *a;
	struct json j;
	char space[96];		/* what all ids begin with */
};

static void member(struct json *j, const char *name, const char *value)
{
	json_key(j, name);
	json_cstr(j, value);
}

/* An element begins; the caller ends it. */
static void begin(struct spdx *s, const char *type, const char *id)
{
	char full[128];

	snprintf(full, sizeof(full), "%s%s", s->space, id);
	json_begin(&s->j, '{');
	member(&s->j, "type", type);
	member(&s->j, "spdxId", full);
	member(&s->j, "creationInfo", "_:creation");
}

static void end(struct spdx *s)
{
	json_end(&s->j, '}');
	out_puts(s->j.out, "\n");
}

static void put_id(struct spdx *s, const char *id)
{
	char full[128];

	snprintf(full, sizeof(full), "%s%s", s->space, id);
	json_cstr(&s->j, full);
}

static void list_begin(struct json *j, const char *name)
{
	json_key(j, name);
	json_begin(j, '[');
}

static void put_head(struct spdx *s)
{
	struct json *j = &s->j;
	char time[ATTEST_TIME];

	json_begin(j, '{');
	member(j, "type", "CreationInfo");
	member(j, "@id", "_:creation");
	member(j, "specVersion", "3.0.1");
	member(j, "created", attest_time(attest_created(s->a), time));
	list_begin(j, "createdBy");
	put_id(s, "agent");
	json_end(j, ']');
	end(s);

	begin(s, "SoftwareAgent", "agent");
	member(j, "name", "etrace " ETRACE_VERSION);
	end(s);

	begin(s, "SpdxDocument", "document");
	member(j, "comment", s->a->db->complete ? "the trace is complete" :
	       "the trace is not complete: files may be missing here");
	list_begin(j, "profileConformance");
	json_cstr(j, "core");
	json_cstr(j, "software");
	json_cstr(j, "build");
	json_end(j, ']');
	list_begin(j, "rootElement");
	put_id(s, "build");
	json_end(j, ']');
	end(s);
}

static void put_build(struct spdx *s)
{
	static const char text[] = "SELECT value FROM meta WHERE key = 'command'";
	struct sqlite3_stmt *st = db_ask(s->a->db, text, "");
	struct json *j = &s->j;
	char time[ATTEST_TIME];
	const char *command;
	size_t len;

	begin(s, "build_Build", "build");
	member(j, "build_buildType", "urn:x-etrace:recorded-command");
	if (s->a->has_begin) {
		member(j, "build_buildStartTime", attest_time(s->a->begin, time));
		member(j, "build_buildEndTime",
		       attest_time(s->a->begin + db_meta(s->a->db, "end", 0), time));
	}
	list_begin(j, "build_parameter");
	if (db_row(s->a->db, st) && !db_null(st, 0)) {
		command = db_bytes(st, 0, &len);
		json_begin(j, '{');
		member(j, "type", "DictionaryEntry");
		member(j, "key", "command");
		json_key(j, "value");
		json_str(j, command, len);
		json_end(j, '}');
	}
	json_begin(j, '{');
	member(j, "type", "DictionaryEntry");
	member(j, "key", "trace");
	member(j, "value", s->a->db->complete ? "complete" : "not complete");
	json_end(j, '}');
	json_end(j, ']');
	end(s);
}

static void put_hash(struct json *j, const uint8_t *hash)
{
	list_begin(j, "verifiedUsing");
	json_begin(j, '{');
	member(j, "type", "Hash");
	member(j, "algorithm", "sha256");
	json_key(j, "hashValue");
	json_hex(j, hash, ATTEST_HASH);
	json_end(j, '}');
	json_end(j, ']');
}

static void put_file(struct spdx *s, size_t i)
{
	static const char *const purposes[] = {
		[ATTEST_INPUT] = "source", [ATTEST_TOOL] = "executable", [ATTEST_OUTPUT] = "file",
	};
	const struct attest_file *f = &s->a->rows[i];
	bool text = utf8_valid(f->path, f->len);
	struct json *j = &s->j;
	char id[32];

	snprintf(id, sizeof(id), "file-%zu", i + 1);
	begin(s, "software_File", id);
	json_key(j, "name");
	json_str(j, f->path, f->len);
	member(j, "software_primaryPurpose", purposes[f->role]);
	if (f->hashed)
		put_hash(j, f->hash);
	else
		member(j, "comment", f->why_not);
	if (!text) {
		json_key(j, "description");
		json_hex(j, f->path, f->len);
	}
	end(s);
}

static void put_role(struct spdx *s, enum attest_role role)
{
	static const char *const types[] = {
		[ATTEST_INPUT] = "hasInput", [ATTEST_TOOL] = "usesTool", [ATTEST_OUTPUT] = "hasOutput",
	};
	struct json *j = &s->j;
	bool any = false;
	char id[32];

	for (size_t i = 0; i < s->a->n; i++) {
		if (s->a->rows[i].role != role)
			continue;
		if (!any) {
			begin(s, "LifecycleScopedRelationship", types[role]);
			member(j, "scope", "build");
			member(j, "relationshipType", types[role]);
			json_key(j, "from");
			put_id(s, "build");
			member(j, "completeness", s->a->db->complete ? "complete" : "incomplete");
			list_begin(j, "to");
			any = true;
		}
		snprintf(id, sizeof(id), "file-%zu", i + 1);
		put_id(s, id);
	}
	if (!any)
		return;
	json_end(j, ']');
	end(s);
}

bool attest_spdx(struct attest *a)
{
	struct spdx s = { .a = a, .j = { .out = a->out } };
	size_t n = (size_t)sprintf(s.space, "urn:x-etrace:");

	for (size_t i = 0; i < sizeof(a->id) / 2; i++)
		n += (size_t)sprintf(s.space + n, "%02x", a->id[i]);
	sprintf(s.space + n, ":");
	json_begin(&s.j, '{');
	member(&s.j, "@context", "https://spdx.org/rdf/3.0.1/spdx-context.jsonld");
	list_begin(&s.j, "@graph");
	out_puts(a->out, "\n");
	put_head(&s);
	put_build(&s);
	for (size_t i = 0; i < a->n; i++)
		put_file(&s, i);
	for (unsigned int role = 0; role < ATTEST_NROLES; role++)
		put_role(&s, (enum attest_role)role);
	json_end(&s.j, ']');
	json_end(&s.j, '}');
	json_line(&s.j);
	return true;
}
