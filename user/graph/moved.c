// SPDX-License-Identifier: LGPL-2.1
/*
 * Files below directories that the build renamed.  Files that the trace knows are renamed with the
 * directory. Other files show up only when they are used, under their new path; they began under
 * the directory's old name.  See state.h.
 */
#include "base/hash.h"
#include "base/xalloc.h"
#include "graph/state.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of renames to undo for one path, to bound the cost of a hostile trace. */
#define MOVED_STEPS 1000u

/* A rename of a directory, or of something that is not known to be a file. */
struct moved_dir {
	size_t from, from_len;	/* its old path, in moved.text */
	size_t to_len;
	uint32_t exec;
	uint32_t after;		/* renames with lower numbers happened before this one */
	uint32_t older;		/* the previous one that got the same new name; 0 if none */
};

/* The last rename before number @until to a directory above a path.  Return: 0 if none */
static uint32_t dir_above(const struct moved *m, const char *path, size_t len, uint32_t until)
{
	uint32_t last = 0;

	while (len && path[len - 1] != '/')
		len--;
	while (len > 1) {
		const uint64_t *at = map64_get(&m->by_name, hash_bytes(path, --len));
		uint32_t i = at ? (uint32_t)*at : 0;

		while (i >= until)
			i = m->dirs[i].older;
		last = i > last ? i : last;
		while (len && path[len - 1] != '/')
			len--;
	}
	return last;
}

void moved_name(struct graph *g, uint32_t file, const char *path, size_t len)
{
	struct moved *m = &g->moved;
	uint32_t dir = m->n ? dir_above(m, path, len, (uint32_t)m->n + 1) : 0, last = dir;
	struct buf was = { 0 }, rest = { 0 };
	uint32_t first;

	if (!dir)
		return;
	buf_add(&was, path, len);
	for (uint32_t n = 0; dir && n < MOVED_STEPS; n++) {
		rest.len = 0;
		buf_add(&rest, was.s + m->dirs[dir].to_len, was.len - m->dirs[dir].to_len);
		was.len = 0;
		buf_add(&was, m->text.s + m->dirs[dir].from, m->dirs[dir].from_len);
		buf_add(&was, rest.s, rest.len);
		dir = dir_above(m, was.s, was.len, m->dirs[dir].after);
	}
	/* this path is from before all renames, so no root or rename applies to it */
	first = files_number(g, was.s, was.len);
	map64_put(&m->first, file, (uint64_t)m->dirs[last].exec << 32 | first);
	buf_free(&was);
	buf_free(&rest);
}

uint32_t moved_from(const struct graph *g, uint32_t file, uint32_t *exec)
{
	const uint64_t *first = map64_get(&g->moved.first, file);

	if (!first || (uint32_t)*first == file)
		return 0;
	*exec = (uint32_t)(*first >> 32);
	return (uint32_t)*first;
}

/* Append to @to the path as seen from the machine's root. */
static void add_full(struct graph *g, const char *path, size_t len, struct buf *to)
{
	path = files_clean(g, path, &len);
	path = roots_path(g, path, &len);
	buf_add(to, path, len);
}

/* Add a rename of a directory. @after: as in struct moved_dir; 0: after all earlier renames */
static uint32_t add_dir(struct graph *g, const char *from, size_t from_len, const char *to,
			size_t to_len, uint32_t exec, uint32_t after)
{
	struct moved *m = &g->moved;
	struct buf path = { 0 };
	size_t text = m->text.len;
	uint64_t *at;

	add_full(g, to, to_len, &path);
	add_full(g, from, from_len, &m->text);
	at = map64_at(&m->by_name, hash_bytes(path.s, path.len));
	/* row 0 is none */
	m->dirs = xgrow(m->dirs, &m->cap, m->n + 2, sizeof(*m->dirs));
	m->n++;
	m->dirs[m->n] = (struct moved_dir){
		.from = text, .from_len = m->text.len - text, .to_len = path.len, .exec = exec,
		.after = after ? after : (uint32_t)m->n, .older = (uint32_t)*at,
	};
	*at = m->n;
	buf_free(&path);
	return (uint32_t)m->n;
}

/* Note the old paths of names below a renamed directory that were only looked up, or removed. */
static void note_unknown(struct graph *g, const char *dir, size_t dir_len)
{
	struct below b = { .g = g };
	struct buf path = { 0 };

	add_full(g, dir, dir_len, &path);
	below_collect(&b, files_number(g, path.s, path.len));
	for (size_t i = 0; i < b.n; i++) {
		size_t len;
		const char *below = below_path(&b, i, path.s, path.len, &len);

		g->files.names[b.files[i]].gone = false;
		moved_name(g, b.files[i], below, len);
	}
	below_free(&b);
	buf_free(&path);
}

void moved_dir(struct graph *g, const struct graph_rename *r)
{
	uint32_t first = add_dir(g, r->from, r->from_len, r->to, r->to_len, r->exec, 0);

	if (r->exchange)
		add_dir(g, r->to, r->to_len, r->from, r->from_len, r->exec, first);
}

void moved_unknown(struct graph *g, const struct graph_rename *r)
{
	note_unknown(g, r->to, r->to_len);
	if (r->exchange)
		note_unknown(g, r->from, r->from_len);
}

/* ---- paths below a directory ---- */

static void collect_below(void *ctx, uint32_t file, const char *rest, size_t len)
{
	struct below *b = ctx;

	if (!files_known(b->g, file) == b->known)
		return;
	b->files = xgrow(b->files, &b->files_cap, b->n + 1, sizeof(*b->files));
	b->at = xgrow(b->at, &b->at_cap, b->n + 2, sizeof(*b->at));
	b->files[b->n] = file;
	b->at[b->n++] = b->rests.len;
	buf_add(&b->rests, rest, len);
	b->at[b->n] = b->rests.len;
}

void below_collect(struct below *b, uint32_t dir)
{
	b->g->ops->below(b->g->ctx, dir, collect_below, b);
}

const char *below_path(const struct below *b, size_t i, const char *dir, size_t dir_len,
		       size_t *len)
{
	struct buf *path = &b->g->path;

	path->len = 0;
	buf_add(path, dir, dir_len);
	buf_add(path, b->rests.s + b->at[i], b->at[i + 1] - b->at[i]);
	*len = path->len;
	return path->s;
}

void below_free(struct below *b)
{
	free(b->files);
	free(b->at);
	buf_free(&b->rests);
}

void moved_free(struct moved *m)
{
	map64_clear(&m->by_name);
	map64_clear(&m->first);
	buf_free(&m->text);
	free(m->dirs);
}
