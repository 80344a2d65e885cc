// SPDX-License-Identifier: LGPL-2.1
/* Pushes builds into a server, each once.  See push.h. */
#include "fleet/push.h"
#include "answers/attest.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/path.h"
#include "base/xalloc.h"
#include "fleet/push_rows.h"
#include "fleet/rows.h"
#include "graph/graph.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define NS	1000000000ll
#define ID_TEXT	37	/* "01234567-...", with a NUL */

enum table { STEP, FILES, ACCESS, NTABLES };

static const struct {
	const char *name, *columns;
} tables[NTABLES] = {
	[STEP] = { "step", push_step_columns },
	[FILES] = { "file", push_file_columns },
	[ACCESS] = { "access", push_access_columns },
};

/* A build whose row has not been sent yet. */
struct pending {
	uint8_t id[FACTS_ID];
	char *name;
	uint32_t pushed;
	uint16_t day;
	uint64_t *parts;
	size_t nparts, parts_cap;
	struct buf rest;	/* later columns of its row; empty until it is complete */
};

struct push {
	struct server *server;
	const struct push_options *o;
	struct diag *diag;
	bool failed;
	int64_t clock;		/* server's clock minus this machine's, s */
	struct rows rows[NTABLES];
	struct buf insert[NTABLES + 1];	/* statements, with a NUL; the last is for build */
	struct pending *pending;
	size_t n, cap;
	time_t committed;	/* CLOCK_MONOTONIC, s */
	bool has_packages;
	struct packages packages;
	struct map64 package_of;	/* hash of packages_path() to package + 1 */
	bool reads;		/* read and hash files without a recorded hash */
	struct map64 hashes;	/* hash of path, size and time to index in sha + 1; 0 if none */
	uint8_t (*sha)[FACTS_HASH];
	size_t nsha, sha_cap;
	struct push_build build;	/* the build that is being read */
	struct attest attest;
};

static time_t seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static void id_text(const uint8_t id[FACTS_ID], char to[ID_TEXT])
{
	for (unsigned int i = 0; i < FACTS_ID; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*to++ = '-';
		*to++ = "0123456789abcdef"[id[i] >> 4];
		*to++ = "0123456789abcdef"[id[i] & 15];
	}
	*to = '\0';
}

static void take_file(void *ctx, uint32_t package, const char *path, size_t len)
{
	struct push *p = ctx;

	map64_put(&p->package_of, hash_bytes(path, len), package + 1);
}

static void put_insert(struct buf *to, struct server *s, const char *table, const char *columns)
{
	buf_adds(to, "INSERT INTO ");
	buf_adds(to, server_database(s));
	buf_addc(to, '.');
	buf_adds(to, table);
	buf_adds(to, "_rows (");
	buf_adds(to, columns);
	buf_adds(to, ") FORMAT RowBinary");
	buf_addc(to, '\0');
}

struct push *push_new(struct server *s, const struct push_options *o, int64_t now,
		      struct diag *diag)
{
	struct push *p = xcalloc(1, sizeof(*p));

	p->server = s;
	p->o = o;
	p->diag = diag;
	p->clock = now - time(NULL);
	p->committed = seconds_now();
	for (unsigned int i = 0; i < NTABLES; i++)
		put_insert(&p->insert[i], s, tables[i].name, tables[i].columns);
	put_insert(&p->insert[NTABLES], s, "build", push_build_columns);
	p->packages.file = take_file;
	p->packages.ctx = p;
	return p;
}

static void forget_rows(struct push *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->pending[i].name);
		free(p->pending[i].parts);
		buf_free(&p->pending[i].rest);
	}
	p->n = 0;
}

void push_free(struct push *p)
{
	if (!p)
		return;
	forget_rows(p);
	for (unsigned int i = 0; i < NTABLES; i++)
		rows_free(&p->rows[i]);
	for (unsigned int i = 0; i <= NTABLES; i++)
		buf_free(&p->insert[i]);
	free(p->pending);
	packages_free(&p->packages);
	map64_clear(&p->package_of);
	map64_clear(&p->hashes);
	free(p->sha);
	free(p);
}

bool push_failed(const struct push *p)
{
	return p->failed;
}

/* ---- to the server ---- */

static uint64_t random_number(void)
{
	uint64_t v = 0;
	ssize_t n;

	do
		n = getrandom(&v, sizeof(v), 0);
	while (n < 0 && errno == EINTR);
	return v;
}

/* Record in each build which part its rows, just sent, have. */
static void add_parts(struct push *p, const struct rows *r, uint64_t base)
{
	for (size_t i = 0; i < r->n; i++) {
		struct pending *b = &p->pending[r->starts[i].build];
		uint64_t part = base + r->starts[i].build;

		/* rows of one build are adjacent */
		if (b->nparts && b->parts[b->nparts - 1] == part)
			continue;
		b->parts = xgrow(b->parts, &b->parts_cap, b->nparts + 1, sizeof(*b->parts));
		b->parts[b->nparts++] = part;
	}
}

static void flush_table(struct push *p, enum table table)
{
	struct rows *r = &p->rows[table];
	enum server_sent sent = SERVER_AGAIN;
	uint64_t base = 0;

	for (uint64_t i = 0; r->n && !p->failed && sent == SERVER_AGAIN; i++) {
		base = random_number();
		rows_parts(r, base);
		sent = server_send(p->server, p->insert[table].s, r->data.s, r->data.len, i);
		p->failed = sent == SERVER_FAILED;
	}
	if (!p->failed)
		add_parts(p, r, base);
	rows_empty(r);
}

static void flush_full(struct push *p, enum table table)
{
	const struct rows *r = &p->rows[table];

	if (r->n >= PUSH_ROWS || r->data.len >= PUSH_BYTES)
		flush_table(p, table);
}

static void put_pending(struct buf *to, const struct pending *b)
{
	rows_int(to, b->day, 2);
	rows_uuid(to, b->id);
	rows_int(to, b->pushed, 4);
	rows_count(to, b->nparts);
	for (size_t i = 0; i < b->nparts; i++)
		rows_int(to, b->parts[i], 8);
	buf_add(to, b->rest.s, b->rest.len);
}

/* May tables_sweep() soon remove rows of a waiting build?  True after diag_fatal(). */
static bool is_too_old(struct push *p)
{
	int64_t now = time(NULL) + p->clock;

	for (size_t i = 0; i < p->n; i++) {
		if (now - p->pending[i].pushed < PUSH_OLDEST)
			continue;
		diag_fatal(p->diag, "%s: pushing took more than %d hours; push it again",
			   p->pending[i].name, PUSH_OLDEST / 3600);
		return true;
	}
	return false;
}

/* Send all waiting rows.  The row of a build may arrive twice: only one of them counts. */
static void commit_builds(struct push *p)
{
	enum server_sent sent = SERVER_AGAIN;
	struct buf b = { 0 };

	for (unsigned int i = 0; i < NTABLES; i++)
		flush_table(p, (enum table)i);
	for (size_t i = 0; i < p->n; i++)
		if (p->pending[i].rest.len)
			put_pending(&b, &p->pending[i]);
	for (uint64_t i = 0; b.len && !p->failed && sent == SERVER_AGAIN; i++) {
		p->failed = is_too_old(p);
		if (p->failed)
			break;
		sent = server_send(p->server, p->insert[NTABLES].s, b.s, b.len, i);
		p->failed = sent == SERVER_FAILED;
	}
	for (size_t i = 0; i < p->n; i++) {
		const struct pending *of = &p->pending[i];
		char id[ID_TEXT];

		id_text(of->id, id);
		if (p->failed)
			diag_fatal(p->diag, "%s: not pushed", of->name);
		else if (of->rest.len && p->o->there)
			p->o->there(p->o->ctx, of->name, id, false);
	}
	buf_free(&b);
	forget_rows(p);
	p->committed = seconds_now();
}

/* ---- is a build stored? ---- */

/* Return: 1 if the build is stored, 0 if not, -1 after diag_fatal(). */
static int is_there(struct push *p, const uint8_t id[FACTS_ID], const char *text)
{
	struct server_answer a = { 0 };
	struct buf b = { 0 };
	int there;

	/* it waits to be sent: send it, before "already there" is printed */
	for (size_t i = 0; i < p->n; i++)
		if (!memcmp(p->pending[i].id, id, FACTS_ID)) {
			commit_builds(p);
			return p->failed ? -1 : 1;
		}
	buf_adds(&b, "SELECT 1 AS there FROM ");
	buf_adds(&b, server_database(p->server));
	buf_adds(&b, ".build_rows WHERE build = '");
	buf_adds(&b, text);
	buf_adds(&b, "' LIMIT 1");
	buf_addc(&b, '\0');
	there = server_ask(p->server, b.s, &a) ? a.nrows > 0 : -1;
	p->failed |= there < 0;
	server_answer_free(&a);
	buf_free(&b);
	return there;
}

/* ---- packages and files of this machine ---- */

/* Root of the file system to look up data that the trace lacks; NULL if none. */
static const char *root_of(const struct push *p, const char *recorded)
{
	char name[256] = "";

	if (p->o->root)
		return p->o->root;
	return *recorded && !gethostname(name, sizeof(name) - 1) && !strcmp(name, recorded) ? "/" : NULL;
}

static void load_packages(struct push *p)
{
	p->build.packages = NULL;
	if (!p->o->packages || !p->attest.root)
		return;
	if (!p->has_packages) {
		if (packages_manager(p->attest.root) &&
		    !packages_read(&p->packages, p->attest.root, p->diag))
			return;
		p->has_packages = true;
	}
	p->build.packages = p->packages.n ? &p->packages : NULL;
}

static void find_packages(struct push *p, struct facts *f)
{
	struct buf path = { 0 }, room = { 0 };

	for (uint32_t i = 1; i <= f->s.nfiles && p->build.packages; i++) {
		const uint64_t *package;
		const char *name;
		size_t len;

		path.len = 0;
		if (!f->files[i].used || !f->files[i].existed)
			continue;
		answers_file_path(f->s.db, i, &path);
		len = path.len;
		name = packages_path(path.s, &len, buf_room(&room, len + 5));
		package = map64_get(&p->package_of, hash_bytes(name, len));
		f->files[i].package = package ? (uint32_t)*package : 0;
	}
	buf_free(&path);
	buf_free(&room);
}

static bool look_at(void *ctx, uint32_t file, int64_t *size, int64_t *mtime)
{
	struct push *p = ctx;
	struct attest_was was = { 0 };
	struct buf path = { 0 };

	answers_file_path(p->attest.db, file, &path);
	buf_addc(&path, '\0');
	if (attest_look(&p->attest, path.s, &was)) {
		*size = was.size;
		*mtime = was.mtime;
	}
	buf_free(&path);
	return was.known;
}

/*
 * For facts.hash.  The recorded hash, else that of the file.  A file that many builds used is
 * read only once: it is recognized by path, size and time, either as recorded, or as they are
 * now if it has not changed since.
 */
static bool hash_file(void *ctx, uint32_t file, uint32_t version, uint8_t *to)
{
	struct push *p = ctx;
	const struct build_version *v = &build_of(p->attest.db)->versions[version];
	struct attest_file of = {
		.file = file, .now = file, .version = version, .role = ATTEST_INPUT,
	};
	const struct build_content *c = build_content(build_of(p->attest.db), version);
	int64_t size = (int64_t)v->size, mtime = v->mtime;
	struct buf path = { 0 };
	uint64_t key = 0, *old;

	if (c) {
		memcpy(to, c->sha256, FACTS_HASH);
		return true;
	}
	if (!p->reads)
		return false;
	if (v->identified || look_at(p, file, &size, &mtime))
		key = hash_two((uint64_t)size, (uint64_t)mtime);
	answers_file_path(p->attest.db, file, &path);
	of.len = path.len;
	buf_addc(&path, '\0');
	of.path = path.s;
	key = key ? hash_two(key, hash_bytes(path.s, path.len)) : 0;
	old = key ? map64_get(&p->hashes, key) : NULL;
	if (!old) {
		attest_hash_as_used(&p->attest, &of);
		if (of.hashed) {
			p->sha = xgrow(p->sha, &p->sha_cap, p->nsha + 1, sizeof(*p->sha));
			memcpy(p->sha[p->nsha++], of.hash, FACTS_HASH);
		}
		if (key)
			map64_put(&p->hashes, key, of.hashed ? p->nsha : 0);
	} else if (*old) {
		of.hashed = true;
		memcpy(of.hash, p->sha[*old - 1], FACTS_HASH);
	}
	if (of.hashed)
		memcpy(to, of.hash, FACTS_HASH);
	buf_free(&path);
	return of.hashed;
}

/* ---- a build ---- */

static void push_access(void *ctx, const struct facts_access *a)
{
	struct push *p = ctx;
	struct rows *r = &p->rows[ACCESS];

	if (p->failed)
		return;
	rows_begin(r, (uint32_t)(p->n - 1));
	push_put_access(&r->data, &p->build, a);
	flush_full(p, ACCESS);
}

static void push_rest(struct push *p, const struct facts *f)
{
	for (uint32_t i = 1; i <= f->s.nunits && !p->failed; i++) {
		rows_begin(&p->rows[STEP], (uint32_t)(p->n - 1));
		push_put_step(&p->rows[STEP].data, &p->build, f, i);
		flush_full(p, STEP);
	}
	for (uint32_t i = 1; i <= f->s.nfiles && !p->failed; i++) {
		if (!f->files[i].used)
			continue;
		rows_begin(&p->rows[FILES], (uint32_t)(p->n - 1));
		push_put_file(&p->rows[FILES].data, &p->build, f, i);
		flush_full(p, FILES);
	}
}

static bool is_waiting(const struct push *p)
{
	size_t days = 0;

	for (unsigned int i = 0; i < NTABLES; i++)
		if (p->rows[i].data.len >= PUSH_BYTES / 2 || p->rows[i].n >= PUSH_ROWS / 2)
			return true;
	for (size_t i = 1; i < p->n; i++)
		days += p->pending[i].day != p->pending[i - 1].day;
	return days + 1 >= PUSH_DAYS || seconds_now() - p->committed >= PUSH_SECONDS;
}

/* Return: false after diag_fatal(), if its begin is unknown or out of range. */
static bool find_begin(struct push *p, struct db *db, const char *name)
{
	int64_t begin = p->o->begin;

	if (!p->o->has_begin && !answers_realtime(db, &begin)) {
		diag_fatal(p->diag, "%s: its trace does not say when the build began; give --begin",
			   name);
		return false;
	}
	if (begin < 0 || begin / NS > UINT32_MAX) {
		diag_fatal(p->diag, "%s: it began before 1970 or after 2106, which the tables cannot hold; give --begin",
			   name);
		return false;
	}
	p->build.begin = (uint32_t)(begin / NS);
	p->attest.begin = begin;
	p->attest.has_begin = true;
	return true;
}

static char *text_of(struct db *db, const char *key)
{
	size_t len = 0;
	const char *s = db_meta_text(db, key, &len);

	return xstrndup(s ? s : "", s ? len : 0);
}

static void read_build(struct push *p, struct db *db, const char *name)
{
	struct pending *to;
	char *host = text_of(db, "host");
	struct facts f = { .by_name = p->o->by_name, .ctx = p };

	p->pending = xgrow(p->pending, &p->cap, p->n + 1, sizeof(*p->pending));
	to = &p->pending[p->n++];
	*to = (struct pending){
		.name = xstrdup(name), .pushed = (uint32_t)(time(NULL) + p->clock),
		.day = push_day(p->build.begin),
	};
	memcpy(to->id, p->build.id, FACTS_ID);
	p->attest.db = db;
	p->attest.root = root_of(p, host);
	f.look = p->attest.root ? look_at : NULL;
	p->reads = p->attest.root && p->o->hash;
	f.hash = p->reads || build_hashed(build_of(db)) ? hash_file : NULL;
	facts_load(&f, db, p->o->tree);
	p->build.pushed = to->pushed;
	p->build.name = path_base(name);
	p->build.host = p->o->host ? p->o->host : host;
	p->build.project = p->o->project ? p->o->project : path_base(f.s.from);
	p->build.tags = p->o->tags;
	p->build.ntags = p->o->ntags;
	p->build.hashed = f.hash != NULL;
	load_packages(p);
	facts_accesses(&f, push_access, p);
	/* only now it is known which files are used */
	find_packages(p, &f);
	push_rest(p, &f);
	if (!p->failed && !db->failed)
		push_put_build(&to->rest, &p->build, &f);
	facts_free(&f);
	free(host);
}

bool push_build(struct push *p, struct db *db, const char *name)
{
	char id[ID_TEXT];
	int there;

	if (p->failed || !find_begin(p, db, name))
		return false;
	facts_id(db, p->build.id);
	id_text(p->build.id, id);
	there = db->failed ? -1 : is_there(p, p->build.id, id);
	if (there > 0 && p->o->there)
		p->o->there(p->o->ctx, name, id, true);
	if (there)
		return there > 0;
	read_build(p, db, name);
	if (p->failed || is_waiting(p))
		commit_builds(p);
	return !p->failed && !db->failed;
}

bool push_end(struct push *p)
{
	commit_builds(p);
	return !p->failed;
}
