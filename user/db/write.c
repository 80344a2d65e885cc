// SPDX-License-Identifier: LGPL-2.1
/* Writes the rows that the graph finds into tables.  See write.h and schema.sql. */
#include "db/write.h"
#include "base/buf.h"
#include "db/batch.h"
#include "db/bind.h"
#include "db/indexes.sql.h"
#include "db/lists.h"
#include "graph/graph.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Number of rows in one transaction. */
#define BATCH	20000u

/* Tables that rows are added to, with their numbers of columns. */
#define TABLES(X)									\
	X(string, 2) X(file, 2) X(version, 12) X(name, 4) X(process, 5) X(task, 7)	\
	X(exec, 26) X(access_list, 3) X(copy, 4) X(miss, 4) X(change, 8) X(net, 6)	\
	X(ask, 6) X(env, 4) X(loss, 3) X(asked, 3) X(printed, 5) X(content, 5)

enum into {
#define X(name, columns) IN_##name,
	TABLES(X)
#undef X
	NR_TABLES
};

static const struct table {
	const char *name;
	unsigned int columns;
} tables[NR_TABLES] = {
#define X(name, columns) { #name, columns },
	TABLES(X)
#undef X
};

/* Columns whose values become known later than their rows. */
enum {
	VERSION_MADE = 2, VERSION_EXEC,
	VERSION_TYPE = 7, VERSION_DEV, VERSION_INO, VERSION_SIZE, VERSION_MTIME, NR_VERSION,
	EXEC_UNTIL = 11, NR_EXEC_END = 6 + GRAPH_NCOSTS,
};

struct writer {
	struct sink sink;
	struct db *db;
	struct diag *diag;
	struct graph *graph;
	struct batch *tables[NR_TABLES];
	struct list_rows accesses, misses;
	unsigned int rows;	/* written in this transaction */
	struct buf args;
	bool paths_sorted;	/* the index file_path exists */
	uint64_t events, lost, urings;
	bool has_session, session_complete;
};

/* ---- rows ---- */

static void flush_rows(struct writer *w)
{
	for (unsigned int i = 0; i < NR_TABLES; i++)
		batch_flush(w->tables[i]);
}

/* Count a row, and commit each BATCH. */
static void count_row(struct writer *w)
{
	if (++w->rows < BATCH)
		return;
	w->rows = 0;
	/* rows that refer to each other are committed together */
	flush_rows(w);
	db_exec(w->db, "COMMIT; BEGIN");
}

static void put_row(struct writer *w, enum into table, const char *types, ...)
{
	va_list ap;

	if (w->db->failed)
		return;
	va_start(ap, types);
	batch_add(w->tables[table], types, ap);
	va_end(ap);
	count_row(w);
}

/* Type for db_bind() of a number that may be unknown: 'i', or '0' (NULL). */
static char number_type(bool known)
{
	return known ? 'i' : '0';
}

#define I(x) ((int64_t)(x))

/* "0" follows "/" in ASCII: paths below DIR are between "DIR/" and "DIR0". */
static void on_below(void *ctx, uint32_t dir, graph_below_fn *fn, void *fn_ctx)
{
	static const char text[] = "SELECT b.id, substr(b.path, length(d.path) + 1) FROM file AS d\n"
		" JOIN file AS b ON b.path > CAST(d.path || '/' AS BLOB)\n"
		" AND b.path < CAST(d.path || '0' AS BLOB)\n"
		" WHERE d.id = ?";
	struct writer *w = ctx;
	struct sqlite3_stmt *st;

	/* create the index now, only because it is needed: at the end it would be cheaper */
	batch_flush(w->tables[IN_file]);
	if (!w->paths_sorted)
		db_exec(w->db, "CREATE UNIQUE INDEX IF NOT EXISTS file_path ON file (path)");
	w->paths_sorted = true;
	st = db_ask(w->db, text, "i", I(dir));
	while (db_row(w->db, st)) {
		size_t len;
		const char *rest = db_bytes(st, 1, &len);

		fn(fn_ctx, (uint32_t)db_int(st, 0), rest, len);
	}
}

static void on_file(void *ctx, uint32_t id, const char *path, size_t len)
{
	put_row(ctx, IN_file, "ib", I(id), path, len);
}

static void on_string(void *ctx, uint32_t id, const char *s, size_t len)
{
	put_row(ctx, IN_string, "ib", I(id), s, len);
}

static struct batch_cell number_if(bool known, int64_t v)
{
	return (struct batch_cell){ .type = number_type(known), .v = v };
}

#define NR_IDENTITY	(NR_VERSION - VERSION_TYPE)

static void put_identity(const struct graph_version *v, struct batch_cell *to)
{
	to[0] = number_if(v->identified, v->type);
	to[1] = number_if(v->identified, v->dev);
	to[2] = number_if(v->identified, I(v->ino));
	to[3] = number_if(v->identified && v->sized, I(v->size));
	to[4] = number_if(v->identified && v->sized, v->mtime);
}

static void on_version(void *ctx, const struct graph_version *v)
{
	struct writer *w = ctx;
	struct batch_cell *row;

	if (w->db->failed)
		return;
	row = batch_next(w->tables[IN_version]);
	row[0] = number_if(true, v->id);
	row[1] = number_if(v->file, v->file);
	row[2] = number_if(true, v->made);
	row[3] = number_if(v->exec, v->exec);
	row[4] = number_if(v->base, v->base);
	row[5] = number_if(v->target, v->target);
	row[6] = number_if(true, v->at);
	put_identity(v, row + VERSION_TYPE);
	count_row(w);
}

static void on_identified(void *ctx, const struct graph_version *v)
{
	static const char text[] = "UPDATE version SET type = ?, dev = ?, ino = ?,\n"
		" size = coalesce(?, size), mtime = coalesce(?, mtime) WHERE id = ?";
	struct writer *w = ctx;
	struct batch_cell *row = batch_row(w->tables[IN_version], v->id), to[NR_IDENTITY];
	char types[NR_IDENTITY + 2];

	put_identity(v, to);
	if (row) {
		memcpy(row + VERSION_TYPE, to,
		       (v->sized ? NR_IDENTITY : NR_IDENTITY - 2) * sizeof(*to));
		return;
	}
	for (unsigned int i = 0; i < NR_IDENTITY; i++)
		types[i] = to[i].type;
	types[NR_IDENTITY] = 'i';
	types[NR_IDENTITY + 1] = '\0';
	db_one(w->db, text, types, to[0].v, to[1].v, to[2].v, to[3].v, to[4].v, I(v->id));
}

static void on_grown(void *ctx, uint32_t version, uint64_t size, int64_t mtime)
{
	struct writer *w = ctx;
	struct batch_cell *row = batch_row(w->tables[IN_version], version);

	if (row) {
		row[VERSION_SIZE] = number_if(true, I(size));
		row[VERSION_MTIME] = number_if(true, mtime);
	} else {
		db_one(w->db, "UPDATE version SET size = ?, mtime = ? WHERE id = ?", "iii", I(size),
		       mtime, I(version));
	}
}

static void on_unsized(void *ctx, uint32_t version)
{
	struct writer *w = ctx;
	struct batch_cell *row = batch_row(w->tables[IN_version], version);

	if (row)
		row[VERSION_SIZE] = row[VERSION_MTIME] = number_if(false, 0);
	else
		db_one(w->db, "UPDATE version SET size = NULL, mtime = NULL WHERE id = ?", "i",
		       I(version));
}

static void on_created(void *ctx, uint32_t version, uint32_t exec)
{
	struct writer *w = ctx;
	struct batch_cell *row = batch_row(w->tables[IN_version], version);

	if (row) {
		row[VERSION_MADE] = number_if(true, GRAPH_WRITTEN);
		row[VERSION_EXEC] = number_if(true, exec);
	} else {
		db_one(w->db, "UPDATE version SET made = ?, exec = ? WHERE id = ?", "iii",
		       I(GRAPH_WRITTEN), I(exec), I(version));
	}
}

static void on_name(void *ctx, uint32_t file, uint32_t version, uint32_t exec, int64_t at)
{
	put_row(ctx, IN_name, "inni", I(file), I(version), I(exec), at);
}

static void on_asked(void *ctx, uint32_t file, uint32_t path, enum graph_class class)
{
	put_row(ctx, IN_asked, "iii", I(file), I(path), I(class));
}

static void on_process(void *ctx, uint32_t id, uint32_t parent, uint64_t upid, uint64_t pid,
		       int64_t at)
{
	put_row(ctx, IN_process, "iniii", I(id), I(parent), I(upid), I(pid), at);
}

static void on_exec(void *ctx, const struct graph_exec *e)
{
	struct writer *w = ctx;
	struct buf *b = &w->args;

	b->len = 0;
	buf_addc(b, '[');
	for (uint32_t i = 0; i < e->nargs; i++) {
		if (i)
			buf_addc(b, ',');
		buf_addu(b, e->args[i]);
	}
	buf_addc(b, ']');
	put_row(w, IN_exec, "iinniinnntinnnnnnnnnnnnnnn", I(e->id), I(e->process),
		I(e->parent), I(e->before), I(e->forked), I(e->begun), I(e->program), I(e->interp),
		I(e->cwd), e->has_args ? b->s : NULL, b->len, e->at, I(0), I(0), I(0), I(0), I(0),
		I(0), I(0), I(0), I(0), I(0), I(0), I(0), I(0), I(0), I(0));
}

/* Update an exec whose row is already written; most execs end before that. */
static void update_exec(struct writer *w, uint32_t id, const struct batch_cell *end)
{
	static const char text[] = "UPDATE exec SET until = ?, ended = ?, status = ?, signal = ?,\n"
		" core = ?, unseen = ?, utime = ?, stime = ?, maxrss = ?, minflt = ?, majflt = ?,\n"
		" rchar = ?, wchar = ?, rbytes = ?, wbytes = ? WHERE id = ?";
	char types[NR_EXEC_END + 2];

	for (unsigned int i = 0; i < NR_EXEC_END; i++)
		types[i] = end[i].type;
	types[NR_EXEC_END] = 'i';
	types[NR_EXEC_END + 1] = '\0';
	db_one(w->db, text, types, end[0].v, end[1].v, end[2].v, end[3].v, end[4].v, end[5].v,
	       end[6].v, end[7].v, end[8].v, end[9].v, end[10].v, end[11].v, end[12].v, end[13].v,
	       end[14].v, I(id));
}

static void put_accesses(void *ctx, const struct list_row *row)
{
	put_row(ctx, IN_access_list, "iit", I(row->exec), row->at, row->text.s, row->text.len);
}

static void put_misses(void *ctx, const struct list_row *row)
{
	put_row(ctx, IN_miss, "iiit", I(row->exec), I(row->error), row->at, row->text.s,
		row->text.len);
}

static void on_exec_end(void *ctx, const struct graph_exec_end *e)
{
	struct writer *w = ctx;
	struct batch_cell *row = batch_row(w->tables[IN_exec], e->id);
	struct batch_cell end[NR_EXEC_END] = {
		{ 'i', 0, e->until }, { 'i', 0, e->ended },
		{ number_type(e->has_status), 0, e->status },
		{ number_type(e->has_status), 0, e->signal },
		{ number_type(e->has_status), 0, e->core }, { 'i', 0, e->unseen },
	};

	for (unsigned int i = 0; i < GRAPH_NCOSTS; i++)
		end[6 + i] = (struct batch_cell){ number_type(e->costs >> i & 1), 0, e->cost[i] };
	if (row)
		memcpy(row + EXEC_UNTIL, end, sizeof(end));
	else
		update_exec(w, e->id, end);
	list_rows_end(&w->accesses, e->id);
	list_rows_end(&w->misses, e->id);
}

static void on_task(void *ctx, const struct graph_task *t)
{
	put_row(ctx, IN_task, "iiiibii", I(t->id), I(t->process), I(t->upid), I(t->thread), t->name,
		t->len, t->at, t->until);
}

static void on_access(void *ctx, const struct graph_access *a)
{
	struct writer *w = ctx;

	list_rows_add(a->how == GRAPH_MISS ? &w->misses : &w->accesses, a);
}

static void on_copy(void *ctx, uint32_t exec, uint32_t input, uint32_t output, int64_t at)
{
	put_row(ctx, IN_copy, "inii", I(exec), I(input), I(output), at);
}

static void on_change(void *ctx, const struct graph_change *c)
{
	put_row(ctx, IN_change, "iinnnnii", I(c->exec), I(c->what), I(c->file), I(c->to),
		I(c->version), I(c->error), c->value, c->at);
}

static void on_net(void *ctx, const struct graph_net *n)
{
	const char *what = et_kinds[n->kind].name;

	put_row(ctx, IN_net, "itnini", I(n->exec), what, strlen(what), I(n->address), I(n->family),
		I(n->error), n->at);
}

static void on_ask(void *ctx, const struct graph_ask *a)
{
	put_row(ctx, IN_ask, "iiiini", I(a->exec), I(a->call), a->value, a->flags, I(a->name), a->at);
}

static void on_env(void *ctx, uint32_t exec, uint32_t name, uint32_t value, bool hidden)
{
	put_row(ctx, IN_env, "iini", I(exec), I(name), I(value), I(hidden));
}

static void on_printed(void *ctx, const struct graph_printed *p)
{
	put_row(ctx, IN_printed, "iiibi", I(p->exec), I(p->fd), I(p->bytes), p->text ? p->text : "",
		p->len, p->at);
}

static void on_content(void *ctx, const struct graph_content *c)
{
	put_row(ctx, IN_content, "iittt", I(c->version), c->at, c->sha256, c->sha256_len, c->gitoid,
		c->gitoid_len, c->why_not, c->why_len);
}

static void on_loss(void *ctx, int64_t at, uint64_t upid, bool counted, uint64_t count)
{
	struct writer *w = ctx;

	w->lost++;
	put_row(w, IN_loss, counted ? "ini" : "in0", at, I(upid), I(count));
}

static const struct graph_ops ops = {
	.below = on_below, .file = on_file, .string = on_string, .version = on_version,
	.identified = on_identified, .grown = on_grown, .unsized = on_unsized,
	.created = on_created, .name = on_name, .asked = on_asked,
	.process = on_process, .exec = on_exec, .exec_end = on_exec_end, .task = on_task,
	.access = on_access, .copy = on_copy, .change = on_change, .net = on_net, .ask = on_ask,
	.env = on_env, .printed = on_printed, .content = on_content, .loss = on_loss,
};

/* ---- about the trace ---- */

static const char put_meta[] = "INSERT OR REPLACE INTO meta VALUES (?, ?)";

static void meta_text(struct writer *w, const char *key, const char *s, size_t len)
{
	db_one(w->db, put_meta, "tt", key, strlen(key), s, len);
}

static void meta_number(struct writer *w, const char *key, int64_t v)
{
	db_one(w->db, put_meta, "ti", key, strlen(key), v);
}

static void meta_string(struct writer *w, const char *key, const struct et_event *ev,
			unsigned int i)
{
	size_t len;
	const char *s = et_get_string(ev, i, &len);

	if (s)
		db_one(w->db, put_meta, "tb", key, strlen(key), s, len);
}

static void take_session(struct writer *w, const struct et_event *ev)
{
	w->has_session = true;
	w->session_complete = et_value(ev, ET_V_SESSION_complete, 0) == 1;
	meta_string(w, "backend", ev, ET_S_SESSION_backend);
	meta_string(w, "command", ev, ET_S_SESSION_command);
	meta_string(w, "verdict", ev, ET_S_SESSION_verdict);
	meta_string(w, "host", ev, ET_S_SESSION_host);
	meta_string(w, "kernel", ev, ET_S_SESSION_kernel);
	meta_string(w, "env", ev, ET_S_SESSION_env);
	if (et_has(ev, ET_V_SESSION_realtime))
		meta_number(w, "realtime", ev->val[ET_V_SESSION_realtime]);
	if (et_has(ev, ET_V_SESSION_status))
		meta_number(w, "status", ev->val[ET_V_SESSION_status]);
}

/* Write what is missing or damaged, one line each. */
static void put_missing(struct writer *w)
{
	struct buf b = { 0 };

	diag_missing(w->diag, &b);
	meta_text(w, "missing", b.s ? b.s : "", b.len);
	buf_free(&b);
}

static void put_end(struct writer *w)
{
	static const struct diag_kind unseen = {
		"io_urings set up: not everything done through these is recorded", DIAG_DAMAGE };
	static const struct diag_kind recorder_says = {
		"traces incomplete, as their recorder says", DIAG_DAMAGE };

	if (w->urings)
		diag_count(w->diag, &unseen, w->urings);
	if (w->has_session && !w->session_complete && diag_complete(w->diag))
		diag_count(w->diag, &recorder_says, 1);
	w->db->complete = diag_complete(w->diag) && !w->lost;
	put_missing(w);
	meta_number(w, "events", I(w->events));
	meta_number(w, "begin", I(graph_begin(w->graph)));
	meta_number(w, "end", graph_last(w->graph));
	w->db->uses = graph_tells_uses(w->graph);
	meta_number(w, "uses", w->db->uses);
	meta_number(w, "complete", w->db->complete);
}

/* ---- as a sink ---- */

static int sink_event(struct sink *s, const void *item)
{
	struct writer *w = (struct writer *)s;
	const struct et_event *ev = item;

	w->events++;
	w->urings += ev->kind == ET_K_URING;
	if (ev->kind == ET_K_SESSION)
		take_session(w, ev);
	graph_event(w->graph, ev);
	/* diag_fatal() has reported it */
	return w->db->failed ? -EIO : 0;
}

static int sink_over(struct sink *s)
{
	struct writer *w = (struct writer *)s;

	graph_end(w->graph);
	list_rows_end_all(&w->accesses);
	list_rows_end_all(&w->misses);
	flush_rows(w);
	put_end(w);
	db_exec(w->db, "COMMIT");
	db_exec(w->db, indexes_sql);
	return w->db->failed ? -EIO : 0;
}

static void sink_drop(struct sink *s)
{
	struct writer *w = (struct writer *)s;

	for (unsigned int i = 0; i < NR_TABLES; i++)
		batch_free(w->tables[i]);
	list_rows_free(&w->accesses);
	list_rows_free(&w->misses);
	graph_free(w->graph);
	buf_free(&w->args);
	free(w);
}

struct sink *db_sink(struct db *db, unsigned int pid_bits, const char *source, struct diag *diag)
{
	static const struct sink_ops sink_ops = { sink_event, sink_over, sink_drop };
	struct writer *w = xcalloc(1, sizeof(*w));

	w->sink.ops = &sink_ops;
	w->db = db;
	w->diag = diag;
	w->accesses = (struct list_rows){ .fn = put_accesses, .ctx = w };
	w->misses = (struct list_rows){ .fn = put_misses, .ctx = w };
	w->graph = graph_new(pid_bits, &ops, w);
	for (unsigned int i = 0; i < NR_TABLES; i++)
		w->tables[i] = batch_new(db, tables[i].name, tables[i].columns);
	meta_text(w, "etrace", ETRACE_VERSION, strlen(ETRACE_VERSION));
	meta_text(w, "source", source, strlen(source));
	meta_number(w, "pid_bits", pid_bits);
	/* until put_end() sets it */
	meta_number(w, "complete", 0);
	db_exec(db, "BEGIN");
	return &w->sink;
}
