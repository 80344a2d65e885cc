// SPDX-License-Identifier: LGPL-2.1
/* Collects the files of an attestation, and hashes them.  See attest.h. */
#include "answers/attest.h"
#include "base/hash.h"
#include "base/map64.h"
#include "build/build.h"
#include "base/xalloc.h"
#include "graph/graph.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <nettle/sha2.h>

/* Longest difference, in ns, between a call that sets a file's time to "now" and that time. */
#define NOW_SLACK 100000000ll

static const struct diag_kind not_hashed = {
	"files without a hash", DIAG_NOTE
};
static const struct diag_kind other_now = {
	"files with the recorded size and time, but different content now", DIAG_NOTE
};

void attest_free(struct attest *a)
{
	for (size_t i = 0; i < a->n; i++) {
		free(a->rows[i].path);
		free(a->rows[i].place);
	}
	free(a->rows);
}

/* A name of the version at the end of the build: @file if it is one, or if all names were removed. */
static uint32_t name_now(const struct build *b, uint32_t file, uint32_t version)
{
	uint32_t name;

	if (build_present(b, file) == b->versions[version].holds)
		return file;
	name = build_name(b, version, 0);
	return name ? name : file;
}

static void add_file(struct attest *a, enum attest_role role, uint32_t file, uint32_t version,
		     const struct build_content *content)
{
	uint32_t now = name_now(build_of(a->db), file, version);
	struct buf b = { 0 }, place = { 0 };

	answers_file_path(a->db, file, &b);
	buf_addc(&b, 0);
	if (now != file) {
		answers_file_path(a->db, now, &place);
		buf_addc(&place, 0);
	}
	a->rows = xgrow(a->rows, &a->cap, a->n + 1, sizeof(*a->rows));
	a->rows[a->n++] = (struct attest_file){
		.role = (uint8_t)role, .file = file, .version = version, .now = now, .path = b.s,
		.len = b.len - 1, .place = place.s, .content = content,
	};
}

static int by_role(const void *x, const void *y)
{
	const struct attest_file *a = x, *b = y;
	int order = a->role - b->role;

	order = order ? order : strcmp(a->path, b->path);
	order = order ? order : (a->version > b->version) - (a->version < b->version);
	/* several contents of one version: in time order */
	return order || !a->content || !b->content ? order :
		(a->content->at > b->content->at) - (a->content->at < b->content->at);
}

/*
 * The name of an input: the one that was used or, if the build gave it that name, its name before
 * the build.
 */
static uint32_t outside_name(const struct build *b, uint32_t file, uint32_t version)
{
	uint32_t first = b->versions[b->versions[version].holds].file;

	return first && first != file && build_namer(b, version, file) ? first : file;
}

static void add_input(struct attest *a, struct map64 *seen, enum attest_role role, uint32_t file,
		      uint32_t version)
{
	const struct build *b = build_of(a->db);
	const struct build_content *c = build_content(b, version);
	uint32_t name = outside_name(b, file, version);

	version = b->versions[version].holds;
	if (!map64_first(seen, hash_two((uint64_t)name << 32 | version, role)))
		return;
	do {
		add_file(a, role, name, version, c);
		c = c ? build_content_before(b, c) : NULL;
	} while (c);
}

/* Add a row for each name and content: a name may have led to two files, or a file was edited. */
static void add_inputs(struct attest *a, const struct build *b)
{
	static const unsigned int classes = 1u << GRAPH_DATA | 1u << GRAPH_PROGRAM | 1u << GRAPH_LOADER;
	struct map64 seen = { 0 };

	for (size_t i = 0; i < b->naccesses; i++) {
		const struct build_access *x = &b->accesses[i];

		if (build_is_input(b, x) && classes >> x->class & 1)
			add_input(a, &seen, x->class ? ATTEST_TOOL : ATTEST_INPUT, x->file,
				  x->version);
	}
	/*
	 * a file that was appended to or partly changed still contains the rest of its old
	 * content
	 */
	for (uint32_t i = 1; i <= b->nversions; i++) {
		const struct build_version *v = &b->versions[i];

		if (v->made == GRAPH_CHANGED && v->holds == i && v->file &&
		    b->versions[b->versions[v->base].holds].made == GRAPH_EXISTED)
			add_input(a, &seen, ATTEST_INPUT, v->file, v->base);
	}
	map64_clear(&seen);
}

static void load_files(struct attest *a)
{
	const struct build *b = build_of(a->db);

	add_inputs(a, b);
	for (uint32_t i = 1; i <= b->nfiles; i++)
		if (build_is_output(b, i))
			add_file(a, ATTEST_OUTPUT, i, build_present(b, i), NULL);
	if (a->n)
		qsort(a->rows, a->n, sizeof(*a->rows), by_role);
}

/* ---- hashes ---- */

/* The mtime that a program gave a file after its last write.  Return: false if none did. */
static bool time_set(const struct attest *a, const struct attest_file *f, struct attest_was *was)
{
	const struct build_time *t = build_time_of(build_of(a->db), f->version, f->file);

	if (!t)
		return false;
	was->mtime = t->value;
	if (was->mtime)
		return true;
	was->mtime = a->begin + t->at;
	was->slack = NOW_SLACK;
	return a->has_begin;
}

bool attest_is_link(const struct attest *a, const struct attest_file *f)
{
	return build_of(a->db)->versions[f->version].made == GRAPH_IS_SYMLINK;
}

/* Hash the present file. Return: NULL, or why it is no longer f->version, as text. */
static const char *hash_now(const struct attest *a, const struct attest_file *f, uint8_t *hash)
{
	const struct build *b = build_of(a->db);
	const struct build_version *v = &b->versions[f->version];
	struct attest_was was = { .known = v->identified, .size = (int64_t)v->size, .mtime = v->mtime };
	const char *why = build_content_why(b, f->version);

	if (attest_is_link(a, f))
		return "a symbolic link";
	/*
	 * the recorder has seen a change by the ctime, even if size and mtime are the same again
	 */
	if (v->made == GRAPH_EXISTED && why &&
	    !strncmp(why, GRAPH_WHY_FOREIGN, strlen(GRAPH_WHY_FOREIGN)))
		return "changed since";
	why = attest_hash(a, f, &was, hash);
	if (why && was.known && f->role == ATTEST_OUTPUT && time_set(a, f, &was))
		why = attest_hash(a, f, &was, hash);
	return why;
}

void attest_hash_as_used(const struct attest *a, struct attest_file *f)
{
	const struct build_content *c = f->content;

	if (!c)
		c = f->content = build_content(build_of(a->db), f->version);
	f->recorded = c;
	if (c)
		memcpy(f->hash, c->sha256, ATTEST_HASH);
	f->why_not = c ? NULL : hash_now(a, f, f->hash);
	f->hashed = !f->why_not;
}

/*
 * Compare a recorded hash with the present file, if that looks unchanged. Skip a name that
 * has another version at the end: two versions may have the same size and time.
 */
static bool is_other_now(const struct attest *a, const struct attest_file *f)
{
	const struct build *b = build_of(a->db);
	uint8_t hash[ATTEST_HASH];

	return f->recorded && f->content == build_content(b, f->version) &&
	       build_present(b, f->now) == b->versions[f->version].holds &&
	       !hash_now(a, f, hash) && memcmp(hash, f->hash, ATTEST_HASH);
}

static const char *not_recorded(const struct attest *a, const struct attest_file *f)
{
	const struct build *b = build_of(a->db);

	return f->recorded || !build_hashed(b) || attest_is_link(a, f) ? NULL :
		build_content_why(b, f->version);
}

/* Compute the ids, which depend only on the build and its files. */
static void identify_files(struct attest *a)
{
	/* without "sealed", which counts changes of the database, not of the build */
	static const char text[] = "SELECT key, value FROM meta WHERE key <> 'sealed' ORDER BY key";
	struct sqlite3_stmt *st = db_ask(a->db, text, "");
	struct sha256_ctx sha, build;
	size_t len;

	sha256_init(&sha);
	while (db_row(a->db, st))
		for (int i = 0; i < 2; i++) {
			const char *s = db_bytes(st, i, &len);

			sha256_update(&sha, len, (const uint8_t *)(s ? s : ""));
			sha256_update(&sha, 1, (const uint8_t *)"");
		}
	build = sha;
	sha256_digest(&build, sizeof(a->build), a->build);
	for (size_t i = 0; i < a->n; i++) {
		sha256_update(&sha, a->rows[i].len + 1, (const uint8_t *)a->rows[i].path);
		sha256_update(&sha, 1, &a->rows[i].role);
		if (a->rows[i].recorded)
			sha256_update(&sha, 1, (const uint8_t *)(a->rows[i].differs ? "d" : "r"));
		sha256_update(&sha, sizeof(a->rows[i].hash), a->rows[i].hash);
	}
	sha256_digest(&sha, sizeof(a->id), a->id);
}

bool attest_load(struct attest *a)
{
	size_t unhashed = 0, others = 0;

	a->has_begin = answers_realtime(a->db, &a->begin);
	load_files(a);
	for (size_t i = 0; i < a->n; i++) {
		attest_hash_as_used(a, &a->rows[i]);
		a->rows[i].differs = is_other_now(a, &a->rows[i]);
		unhashed += !a->rows[i].hashed;
		others += a->rows[i].differs;
	}
	if (unhashed)
		diag_report(a->db->diag, &not_hashed, NULL, DIAG_NOWHERE, 0,
			    "%zu of %zu files have no hash; the output gives the reason for each", unhashed, a->n);
	if (others)
		diag_report(a->db->diag, &other_now, NULL, DIAG_NOWHERE, 0,
			    "%zu of %zu files have the recorded size and time, but different content now; the output marks each, and has its recorded hash",
			    others, a->n);
	identify_files(a);
	return !a->db->failed;
}

bool attest_has_subjects(const struct attest *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->rows[i].role == ATTEST_OUTPUT && a->rows[i].hashed)
			return true;
	diag_fatal(a->db->diag, "no output has a hash, and a statement needs one; if the outputs are elsewhere, give --root DIR");
	return false;
}

const char *attest_gitoid(const uint8_t *hash, char *buf)
{
	size_t n = (size_t)sprintf(buf, "gitoid:blob:sha256:");

	for (size_t i = 0; i < BUILD_HASH; i++)
		n += (size_t)sprintf(buf + n, "%02x", hash[i]);
	return buf;
}

void attest_put_hashed(struct json *j, const struct attest *a, const struct attest_file *f)
{
	const char *why = not_recorded(a, f);

	if (f->hashed)
		json_member(j, "hashed", f->recorded ? "recorded" : "afterwards");
	else
		json_member(j, "not_hashed", f->why_not);
	if (why)
		json_member(j, "not_recorded", why);
	if (f->differs)
		json_member(j, "differs", ATTEST_DIFFERS);
}

/* ---- times ---- */

const char *attest_time(int64_t ns, char *buf)
{
	time_t s = (time_t)(ns / 1000000000);
	struct tm tm;

	if (!gmtime_r(&s, &tm) || !strftime(buf, ATTEST_TIME, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return "1970-01-01T00:00:00Z";
	return buf;
}

int64_t attest_created(const struct attest *a)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	char *end;
	long long s;

	if (epoch && *epoch) {
		errno = 0;
		s = strtoll(epoch, &end, 10);
		if (!*end && !errno && s >= 0 && s < INT64_MAX / 1000000000)
			return s * 1000000000;
	}
	if (a->has_begin)
		return a->begin + db_meta(a->db, "end", 0);
	return (int64_t)time(NULL) * 1000000000;
}
