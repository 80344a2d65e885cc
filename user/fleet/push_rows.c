// SPDX-License-Identifier: LGPL-2.1
/* Writes the facts of a build as rows.  See push_rows.h. */
#include "fleet/push_rows.h"
#include "base/xalloc.h"
#include "fleet/rows.h"
#include "graph/graph.h"

#include <string.h>

#define DAY	86400

const char push_build_columns[] =
	"day, build, pushed, parts, host, project, name, tags, begin, took, command, root, backend,\n"
	"kernel, status, complete, missing, events, steps, files, accesses, hashed, packages, etrace";
const char push_step_columns[] =
	"part, day, build, pushed, host, project, id, parent, step, at, took, cpu, maxrss, rbytes,\n"
	"wbytes, status, signal, program, class, label, command, cwd, output, outputs, inputs,\n"
	"command_hash, inputs_hash, unknown";
const char push_file_columns[] =
	"part, day, build, pushed, host, project, id, path, class, existed, kept, made_by, size, mtime,\n"
	"sha256, package, version, readers, rebuilds, rebuild_took";
const char push_access_columns[] =
	"part, day, build, pushed, step, file, how, class, bytes, at";

uint16_t push_day(uint32_t time)
{
	return (uint16_t)(time / DAY);
}

static void put_string(struct buf *to, const char *s)
{
	rows_text(to, s, strlen(s));
}

static void put_number(struct buf *to, const struct facts_number *n, unsigned int bytes)
{
	rows_maybe(to, n->known, n->v, bytes);
}

/* Append the columns that follow the part in all tables but that of builds. */
static void put_head(struct buf *to, const struct push_build *b)
{
	rows_int(to, push_day(b->begin), 2);
	rows_uuid(to, b->id);
	rows_int(to, b->pushed, 4);
}

void push_put_access(struct buf *to, const struct push_build *b, const struct facts_access *a)
{
	put_head(to, b);
	rows_int(to, a->unit, 4);
	rows_int(to, a->file, 4);
	rows_int(to, a->how, 1);
	rows_int(to, a->class, 1);
	put_number(to, &a->bytes, 8);
	rows_int(to, (uint64_t)a->at, 8);
}

/* ---- steps ---- */

/* Append a path in the form that is equal in different builds. */
static void put_path(struct buf *to, const struct facts *f, uint32_t file)
{
	struct buf path = { 0 }, name = { 0 };

	if (file)
		answers_file_path(f->s.db, file, &path);
	if (path.len)
		match_name(&f->s, path.s, path.len, &name);
	rows_text(to, name.s, name.len);
	buf_free(&path);
	buf_free(&name);
}

static void put_command(struct buf *to, const struct facts *f, uint32_t exec)
{
	struct buf command = { 0 }, name = { 0 };

	answers_command(f->s.db, exec, &command);
	if (command.len)
		match_name(&f->s, command.s, command.len, &name);
	rows_text(to, name.s, name.len);
	buf_free(&command);
	buf_free(&name);
}

static void put_work(struct buf *to, const struct facts *f, const struct match_unit *u)
{
	struct buf program = { 0 }, words = { 0 }, label = { 0 }, name = { 0 };
	struct work_arg *args;
	size_t n;

	answers_file_path(f->s.db, u->program, &program);
	args = answers_work_args(f->s.db, u->exec, &words, &n);
	put_string(to, work_classes[work_of(program.s, program.len, args, n, &label)]);
	if (label.len)
		match_name(&f->s, label.s, label.len, &name);
	rows_text(to, name.s, name.len);
	free(args);
	buf_free(&program);
	buf_free(&words);
	buf_free(&label);
	buf_free(&name);
}

static uint32_t cwd_of(const struct facts *f, uint32_t exec)
{
	return (uint32_t)db_one(f->s.db, "SELECT cwd FROM exec WHERE id = ?", "i", (int64_t)exec);
}

void push_put_step(struct buf *to, const struct push_build *b, const struct facts *f, uint32_t unit)
{
	const struct match_unit *u = &f->s.units[unit];
	const struct facts_step *s = &f->steps[unit];

	put_head(to, b);
	put_string(to, b->host);
	put_string(to, b->project);
	rows_int(to, unit, 4);
	rows_int(to, u->caller, 4);
	rows_int(to, f->step[unit], 4);
	rows_int(to, (uint64_t)u->at, 8);
	rows_int(to, (uint64_t)s->took, 8);
	put_number(to, &s->cpu, 8);
	put_number(to, &s->maxrss, 8);
	put_number(to, &s->rbytes, 8);
	put_number(to, &s->wbytes, 8);
	put_number(to, &s->status, 4);
	put_number(to, &s->signal, 4);
	put_path(to, f, u->program);
	put_work(to, f, u);
	put_command(to, f, u->exec);
	put_path(to, f, cwd_of(f, u->exec));
	put_path(to, f, s->output);
	rows_int(to, s->outputs, 4);
	rows_int(to, s->inputs, 4);
	rows_int(to, s->command_hash, 8);
	rows_int(to, s->inputs_hash, 8);
	put_string(to, facts_unknown_names[s->unknown]);
}

/* ---- files ---- */

static void put_identity(struct buf *to, const struct facts *f, uint32_t file)
{
	int64_t size = 0, mtime = 0;
	bool known = keys_stat(f, file, f->files[file].version, &size, &mtime);

	rows_maybe(to, known, size, 8);
	rows_maybe(to, known, mtime, 8);
}

static void put_hash(struct buf *to, const struct facts *f, uint32_t file)
{
	const struct facts_file *of = &f->files[file];
	uint8_t sha[FACTS_HASH];
	char hex[2 * FACTS_HASH];

	if (!f->hash || !build_is_file(&f->s.versions[of->version]) || of->class == GRAPH_IS_DIR ||
	    !f->hash(f->ctx, file, of->version, sha)) {
		put_string(to, "");
		return;
	}
	for (size_t i = 0; i < sizeof(hex); i++)
		hex[i] = "0123456789abcdef"[sha[i / 2] >> (i % 2 ? 0 : 4) & 15];
	rows_text(to, hex, sizeof(hex));
}

void push_put_file(struct buf *to, const struct push_build *b, const struct facts *f, uint32_t file)
{
	const struct facts_file *of = &f->files[file];
	const struct package *p = of->package ? &b->packages->rows[of->package - 1] : NULL;
	uint32_t there = build_present(f->s.b, file);

	put_head(to, b);
	put_string(to, b->host);
	put_string(to, b->project);
	rows_int(to, file, 4);
	put_path(to, f, file);
	put_string(to, graph_class_names[of->class]);
	rows_int(to, of->existed, 1);
	rows_int(to, there && f->s.versions[there].made <= GRAPH_CHANGED, 1);
	rows_int(to, of->made_by, 4);
	put_identity(to, f, file);
	put_hash(to, f, file);
	put_string(to, p ? p->name : "");
	put_string(to, p && p->version ? p->version : "");
	rows_int(to, of->readers, 4);
	rows_int(to, of->rebuilds, 4);
	rows_int(to, (uint64_t)of->rebuild_took, 8);
}

/* ---- the build ---- */

static void put_meta(struct buf *to, struct db *db, const char *key)
{
	size_t len = 0;
	const char *s = db_meta_text(db, key, &len);

	rows_text(to, s ? s : "", s ? len : 0);
}

void push_put_build(struct buf *to, const struct push_build *b, const struct facts *f)
{
	struct db *db = f->s.db;
	int64_t status = db_meta(db, "status", -1);

	put_string(to, b->host);
	put_string(to, b->project);
	put_string(to, b->name);
	rows_count(to, b->ntags);
	for (size_t i = 0; i < b->ntags; i++)
		put_string(to, b->tags[i]);
	rows_int(to, b->begin, 4);
	rows_int(to, (uint64_t)db_meta(db, "end", 0), 8);
	put_meta(to, db, "command");
	put_string(to, *f->s.from ? f->s.from : "/");
	put_meta(to, db, "backend");
	put_meta(to, db, "kernel");
	rows_maybe(to, status >= 0, status, 4);
	rows_int(to, f->complete, 1);
	put_meta(to, db, "missing");
	rows_int(to, (uint64_t)db_meta(db, "events", 0), 8);
	rows_int(to, f->nsteps, 4);
	rows_int(to, f->nused, 4);
	rows_int(to, f->naccesses, 8);
	rows_int(to, b->hashed, 1);
	put_string(to, b->packages ? b->packages->manager : "");
	put_meta(to, db, "etrace");
}
