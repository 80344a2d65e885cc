// SPDX-License-Identifier: LGPL-2.1
/* in-toto's statement v1 with SLSA's provenance v1.  See attest.h. */
#include "answers/attest.h"
#include "build/build.h"
#include "io/json_out.h"

#include <stdio.h>
#include <string.h>

/* Reasons not to claim completeness; each is printed with its count. */
enum lack {
	LACK_TRACE,
	LACK_UNSEEN,
	LACK_DEPENDENCY,
	LACK_OUTPUT,
	LACK_RECORDED,
	LACK_DIFFERS,
	NLACKS
};

static const char *const lacks[NLACKS] = {
	[LACK_TRACE] = "the trace is not complete",
	[LACK_UNSEEN] = "programs that read what the trace does not show: a socket, a descriptor of unknown origin, an io_uring, files in another mount namespace",
	[LACK_DEPENDENCY] = "dependencies without a hash",
	[LACK_OUTPUT] = "outputs without a hash, which are no subjects",
	[LACK_RECORDED] = "files whose hash was not recorded but taken after the build",
	[LACK_DIFFERS] = ATTEST_DIFFERS,
};

/* Write the URI of a file.  Bytes of its path that a URI cannot contain are percent-encoded. */
static void put_uri(struct json *j, const struct attest_file *f)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
	struct buf uri = { 0 };
	char code[4];

	buf_adds(&uri, "file://");
	for (size_t i = 0; i < f->len; i++) {
		if (f->path[i] && strchr(plain, f->path[i])) {
			buf_addc(&uri, f->path[i]);
			continue;
		}
		snprintf(code, sizeof(code), "%%%02X", (unsigned int)(unsigned char)f->path[i]);
		buf_adds(&uri, code);
	}
	json_key(j, "uri");
	json_str(j, uri.s, uri.len);
	buf_free(&uri);
}

/* Write a ResourceDescriptor; @role: NULL for a subject. */
static void put_resource(struct json *j, const struct attest *a, const struct attest_file *f,
			 const char *role)
{
	const struct build_content *c = f->content;
	char gitoid[ATTEST_GITOID];

	json_begin(j, '{');
	json_key(j, "name");
	json_str(j, f->path, f->len);
	put_uri(j, f);
	if (f->hashed) {
		json_key(j, "digest");
		json_begin(j, '{');
		json_key(j, "sha256");
		json_hex(j, f->hash, ATTEST_HASH);
		json_end(j, '}');
	}
	json_key(j, "annotations");
	json_begin(j, '{');
	if (role)
		json_member(j, "role", role);
	attest_put_hashed(j, a, f);
	if (c)
		json_member(j, "gitoid", attest_gitoid(c->gitoid, gitoid));
	json_end(j, '}');
	json_end(j, '}');
}

static void put_subjects(struct json *j, const struct attest *a)
{
	json_list(j, "subject");
	for (size_t i = 0; i < a->n; i++)
		if (a->rows[i].role == ATTEST_OUTPUT && a->rows[i].hashed)
			put_resource(j, a, &a->rows[i], NULL);
	json_end(j, ']');
}

static void put_definition(struct json *j, const struct attest *a)
{
	uint32_t dir = answers_start(a->db);
	struct buf path = { 0 };
	const char *s;
	size_t len;

	json_key(j, "buildDefinition");
	json_begin(j, '{');
	json_member(j, "buildType", "urn:x-etrace:recorded-command");
	json_key(j, "externalParameters");
	json_begin(j, '{');
	s = db_meta_text(a->db, "command", &len);
	if (s)
		json_text(j, "command", s, len);
	json_end(j, '}');
	json_key(j, "internalParameters");
	json_begin(j, '{');
	if (dir) {
		answers_file_path(a->db, dir, &path);
		json_text(j, "directory", path.s, path.len);
		buf_free(&path);
	}
	s = db_meta_text(a->db, "kernel", &len);
	if (s)
		json_text(j, "kernel", s, len);
	json_end(j, '}');
	json_list(j, "resolvedDependencies");
	for (size_t i = 0; i < a->n; i++)
		if (a->rows[i].role != ATTEST_OUTPUT)
			put_resource(j, a, &a->rows[i],
				     a->rows[i].role == ATTEST_TOOL ? "tool" : "input");
	json_end(j, ']');
	json_end(j, '}');
}

/* Write the builder: its id names the backend, since backends do not record the same details. */
static void put_builder(struct json *j, const struct attest *a)
{
	struct buf id = { 0 };
	const char *s;
	size_t len;

	s = db_meta_text(a->db, "backend", &len);
	buf_adds(&id, "urn:x-etrace:recorder:");
	if (s && len)
		buf_add(&id, s, len);
	else
		buf_adds(&id, "unknown");
	json_key(j, "builder");
	json_begin(j, '{');
	json_key(j, "id");
	json_str(j, id.s, id.len);
	json_key(j, "version");
	json_begin(j, '{');
	json_member(j, "etrace", ETRACE_VERSION);
	json_end(j, '}');
	json_end(j, '}');
	buf_free(&id);
}

static void put_run(struct json *j, const struct attest *a)
{
	char time[ATTEST_TIME], id[sizeof("urn:x-etrace:build:") + 2ul * ATTEST_HASH];
	size_t n = (size_t)sprintf(id, "urn:x-etrace:build:");

	for (size_t i = 0; i < ATTEST_HASH; i++)
		n += (size_t)sprintf(id + n, "%02x", a->build[i]);
	json_key(j, "runDetails");
	json_begin(j, '{');
	put_builder(j, a);
	json_key(j, "metadata");
	json_begin(j, '{');
	json_member(j, "invocationId", id);
	if (a->has_begin) {
		json_member(j, "startedOn", attest_time(a->begin, time));
		json_member(j, "finishedOn",
			    attest_time(a->begin + db_meta(a->db, "end", 0), time));
	}
	json_end(j, '}');
	json_end(j, '}');
}

static void count_lacks(const struct attest *a, uint64_t *n)
{
	const struct build *b = build_of(a->db);

	n[LACK_TRACE] = !a->db->complete;
	for (uint32_t i = 1; i <= b->nexecs; i++)
		n[LACK_UNSEEN] += !!(b->execs[i].unseen & ATTEST_UNSEEN);
	for (size_t i = 0; i < a->n; i++) {
		const struct attest_file *f = &a->rows[i];

		if (!f->hashed && !attest_is_link(a, f))
			n[f->role == ATTEST_OUTPUT ? LACK_OUTPUT : LACK_DEPENDENCY]++;
		n[LACK_RECORDED] += f->hashed && !f->recorded;
		n[LACK_DIFFERS] += f->differs;
	}
}

static void put_unhashed(struct json *j, const struct attest *a)
{
	json_list(j, "outputs_without_hash");
	for (size_t i = 0; i < a->n; i++)
		if (a->rows[i].role == ATTEST_OUTPUT && !a->rows[i].hashed)
			put_resource(j, a, &a->rows[i], NULL);
	json_end(j, ']');
}

/*
 * Write whether all is known. SLSA has no member for it, but allows fields of vendors. The
 * claim is that all files are listed, each with the hash of the content that the build really used
 * or made.
 */
static void put_completeness(struct json *j, const struct attest *a)
{
	uint64_t n[NLACKS] = { 0 }, all = 0;

	count_lacks(a, n);
	for (unsigned int i = 0; i < NLACKS; i++)
		all += n[i];
	json_key(j, "etrace_completeness");
	json_begin(j, '{');
	json_key(j, "complete");
	json_bool(j, !all);
	json_list(j, "reasons");
	for (unsigned int i = 0; i < NLACKS; i++) {
		if (!n[i])
			continue;
		json_begin(j, '{');
		json_member(j, "reason", lacks[i]);
		json_key(j, "count");
		json_u64(j, n[i]);
		json_end(j, '}');
	}
	json_end(j, ']');
	put_unhashed(j, a);
	json_end(j, '}');
}

bool attest_slsa(struct attest *a)
{
	struct json j = { .out = a->out };

	if (!attest_has_subjects(a))
		return false;
	json_begin(&j, '{');
	json_member(&j, "_type", "https://in-toto.io/Statement/v1");
	put_subjects(&j, a);
	json_member(&j, "predicateType", "https://slsa.dev/provenance/v1");
	json_key(&j, "predicate");
	json_begin(&j, '{');
	put_definition(&j, a);
	put_run(&j, a);
	put_completeness(&j, a);
	json_end(&j, '}');
	json_end(&j, '}');
	json_line(&j);
	return true;
}
