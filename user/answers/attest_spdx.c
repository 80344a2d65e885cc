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
	char space[96];		/* prefix of all SPDX ids */
};

/* Begin an element; the caller ends it. */
static void begin_element(struct spdx *s, const char *type, const char *id)
{
	char full[128];

	snprintf(full, sizeof(full), "%s%s", s->space, id);
	json_begin(&s->j, '{');
	json_member(&s->j, "type", type);
	json_member(&s->j, "spdxId", full);
	json_member(&s->j, "creationInfo", "_:creation");
}

static void end_element(struct spdx *s)
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

static void put_head(struct spdx *s)
{
	struct json *j = &s->j;
	char time[ATTEST_TIME];

	json_begin(j, '{');
	json_member(j, "type", "CreationInfo");
	json_member(j, "@id", "_:creation");
	json_member(j, "specVersion", "3.0.1");
	json_member(j, "created", attest_time(attest_created(s->a), time));
	json_list(j, "createdBy");
	put_id(s, "agent");
	json_end(j, ']');
	end_element(s);

	begin_element(s, "SoftwareAgent", "agent");
	json_member(j, "name", "etrace " ETRACE_VERSION);
	end_element(s);

	begin_element(s, "SpdxDocument", "document");
	json_member(j, "comment", s->a->db->complete ? "the trace is complete" :
	       "the trace is not complete: files may be missing here");
	json_list(j, "profileConformance");
	json_cstr(j, "core");
	json_cstr(j, "software");
	json_cstr(j, "build");
	json_end(j, ']');
	json_list(j, "rootElement");
	put_id(s, "build");
	json_end(j, ']');
	end_element(s);
}

static void put_parameter(struct json *j, const char *key, const char *value, size_t len)
{
	json_begin(j, '{');
	json_member(j, "type", "DictionaryEntry");
	json_member(j, "key", key);
	json_key(j, "value");
	json_str(j, value, len);
	json_end(j, '}');
}

static void put_build(struct spdx *s)
{
	struct json *j = &s->j;
	char time[ATTEST_TIME];
	const char *command, *complete;
	size_t len;

	begin_element(s, "build_Build", "build");
	json_member(j, "build_buildType", "urn:x-etrace:recorded-command");
	if (s->a->has_begin) {
		json_member(j, "build_buildStartTime", attest_time(s->a->begin, time));
		json_member(j, "build_buildEndTime",
		       attest_time(s->a->begin + db_meta(s->a->db, "end", 0), time));
	}
	json_list(j, "build_parameter");
	command = db_meta_text(s->a->db, "command", &len);
	if (command)
		put_parameter(j, "command", command, len);
	complete = s->a->db->complete ? "complete" : "not complete";
	put_parameter(j, "trace", complete, strlen(complete));
	json_end(j, ']');
	end_element(s);
}

static void put_hash(struct json *j, const struct attest_file *f)
{
	json_list(j, "verifiedUsing");
	json_begin(j, '{');
	json_member(j, "type", "Hash");
	json_member(j, "algorithm", "sha256");
	json_key(j, "hashValue");
	json_hex(j, f->hash, ATTEST_HASH);
	json_member(j, "comment", f->recorded ? "recorded at the time of use" :
						"taken after the build");
	json_end(j, '}');
	json_end(j, ']');
}

static void put_file(struct spdx *s, size_t i)
{
	static const char *const purposes[] = {
		[ATTEST_INPUT] = "source", [ATTEST_TOOL] = "executable", [ATTEST_OUTPUT] = "file",
	};
	const struct attest_file *f = &s->a->rows[i];
	struct json *j = &s->j;
	char id[32];

	snprintf(id, sizeof(id), "file-%zu", i + 1);
	begin_element(s, "software_File", id);
	json_key(j, "name");
	json_str(j, f->path, f->len);
	json_member(j, "software_primaryPurpose", purposes[f->role]);
	if (f->hashed)
		put_hash(j, f);
	if (f->why_not || f->differs)
		json_member(j, "comment", f->differs ? ATTEST_DIFFERS : f->why_not);
	if (!utf8_valid(f->path, f->len)) {
		json_key(j, "description");
		json_hex(j, f->path, f->len);
	}
	end_element(s);
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
			begin_element(s, "LifecycleScopedRelationship", types[role]);
			json_member(j, "scope", "build");
			json_member(j, "relationshipType", types[role]);
			json_key(j, "from");
			put_id(s, "build");
			json_member(j, "completeness", s->a->db->complete ? "complete" : "incomplete");
			json_list(j, "to");
			any = true;
		}
		snprintf(id, sizeof(id), "file-%zu", i + 1);
		put_id(s, id);
	}
	if (!any)
		return;
	json_end(j, ']');
	end_element(s);
}

bool attest_spdx(struct attest *a)
{
	struct spdx s = { .a = a, .j = { .out = a->out } };
	size_t n = (size_t)sprintf(s.space, "urn:x-etrace:");

	for (size_t i = 0; i < sizeof(a->id) / 2; i++)
		n += (size_t)sprintf(s.space + n, "%02x", a->id[i]);
	sprintf(s.space + n, ":");
	json_begin(&s.j, '{');
	json_member(&s.j, "@context", "https://spdx.org/rdf/3.0.1/spdx-context.jsonld");
	json_list(&s.j, "@graph");
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
