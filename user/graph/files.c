// SPDX-License-Identifier: LGPL-2.1
/*
 * Maps each path to its file (object) and the file's current version: etrace-db(5),
 * rule 2. If the trace has inode numbers, they decide.  See state.h.
 */
#include "graph/state.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- names ---- */

uint32_t files_name(struct graph *g, const char *path, size_t len)
{
	uint32_t file;

	path = files_clean(g, path, &len);
	path = roots_path(g, path, &len);
	file = files_number(g, path, len);
	if (!g->files.names[file].used) {
		g->files.names[file].used = true;
		moved_name(g, file, path, len);
	}
	return file;
}

/* ---- objects ---- */

static struct object *object_at(struct graph *g, uint32_t i)
{
	return &g->files.objects[i];
}

static uint32_t new_object(struct graph *g)
{
	struct files *f = &g->files;
	uint32_t i = f->spare;

	if (i) {
		f->spare = f->objects[i].free;
	} else {
		if (f->nobjects + 2 > f->objects_cap)
			f->objects = xgrow(f->objects, &f->objects_cap, f->nobjects + 2,
					   sizeof(*f->objects));
		f->nobjects++;
		i = (uint32_t)f->nobjects;
	}
	f->objects[i] = (struct object){ .at = INT64_MIN };
	return i;
}

static uint64_t ino_key(uint32_t dev, uint64_t ino)
{
	return hash_two(ino, dev);
}

/* Forget an object's inode number. Return: whether that number led to it. */
static bool forget_ino(struct graph *g, uint32_t i)
{
	const struct object *o = object_at(g, i);
	uint64_t key = ino_key(o->dev, o->ino);
	const uint64_t *at;

	if (!o->identified)
		return false;
	at = map64_get(&g->files.by_ino, key);
	if (!at || *at != i)
		return false;
	map64_remove(&g->files.by_ino, key);
	return true;
}

static void set_identity(struct graph_version *v, const struct identity *id)
{
	v->identified = true;
	v->sized = !id->emptied;
	v->type = id->type & S_IFMT;
	v->dev = id->dev;
	v->ino = id->ino;
	v->size = id->size;
	v->mtime = id->mtime;
}

/*
 * Whether a file that the build made does not have the size that its last writer left. Its time
 * stamp proves nothing: the build may have set it.
 */
static bool has_foreign_size(const struct graph *g, uint32_t i, const struct identity *id)
{
	const struct object *o = &g->files.objects[i];

	return o->identified && o->dev == id->dev && o->ino == id->ino && o->size != id->size &&
	       o->reported && o->made != GRAPH_EXISTED && o->made <= GRAPH_CHANGED &&
	       !o->unsized && !id->emptied && settling_is_left(g, i);
}

uint32_t files_by_ino(const struct graph *g, const struct identity *id)
{
	const uint64_t *at = map64_get(&g->files.by_ino, ino_key(id->dev, id->ino));
	const struct object *o = at ? &g->files.objects[*at] : NULL;

	if (!id->known || !o || o->dev != id->dev || o->ino != id->ino || !o->version)
		return 0;
	return (uint32_t)*at;
}

/* Note an object's identity; if its version was reported without one, report it now. */
static void identify_object(struct graph *g, uint32_t i, const struct identity *id)
{
	struct object *o = object_at(g, i);
	struct graph_version v = { .id = o->version };
	uint32_t other;
	bool again;

	if (!id || !id->known)
		return;
	again = o->identified && o->dev == id->dev && o->ino == id->ino;
	if (!again) {
		/* the object turns out to be a file already known under another name */
		other = files_by_ino(g, id);
		if (other) {
			settling_foreign(g, other);
			settling_foreign(g, i);
		}
		forget_ino(g, i);
		o->dev = id->dev;
		o->ino = id->ino;
		o->identified = true;
		map64_put(&g->files.by_ino, ino_key(id->dev, id->ino), i);
	}
	if (has_foreign_size(g, i, id)) {
		settling_foreign(g, i);
		return;
	}
	if (again && o->reported && o->made == GRAPH_EXISTED && !id->emptied &&
	    (o->size != id->size || (o->mtime != id->mtime && !settling_is_timed(g, i))))
		settling_foreign(g, i);
	/* earlier, before its identity was recorded, another file may have had this name */
	if (!o->reported && o->made == GRAPH_EXISTED && !id->emptied)
		settling_again(g, i);
	o->size = id->size;
	o->mtime = id->mtime;
	if (o->unsized && !o->opens && o->reported && !id->emptied)
		GRAPH_EMIT(g, grown, o->version, id->size, id->mtime);
	if (!o->opens)
		o->unsized = false;
	if (!id->emptied)
		settling_sized(g, i);
	if (o->reported)
		return;
	o->reported = true;
	set_identity(&v, id);
	GRAPH_EMIT(g, identified, &v);
}

void files_hold(struct graph *g, uint32_t i)
{
	object_at(g, i)->refs++;
}

void files_release(struct graph *g, uint32_t i)
{
	struct object *o = object_at(g, i);

	if (--o->refs)
		return;
	/* its inode number may be reused from now on */
	if (forget_ino(g, i) && o->made <= GRAPH_CHANGED)
		map64_put(&g->files.gone, ino_key(o->dev, o->ino), o->version);
	if (o->linked)
		map64_remove(&g->files.links, i);
	o->version = 0;
	o->free = g->files.spare;
	g->files.spare = i;
}

/* Report a version.  @v: all but id and identity; @v.at may be raised to keep times increasing */
static void emit_version(struct graph *g, uint32_t i, struct graph_version v,
			 const struct identity *id)
{
	struct object *o = object_at(g, i);

	v.id = ++g->files.versions;
	if (v.at <= o->at)
		v.at = o->at + 1;
	if (id && id->known)
		set_identity(&v, id);
	o->at = v.at;
	o->version = v.id;
	o->made = v.made == GRAPH_CHANGED ? GRAPH_WRITTEN : v.made;
	o->reported = v.identified;
	o->drained = false;
	GRAPH_EMIT(g, version, &v);
	identify_object(g, i, id);
}

/* The kind of a version that existed before the build. */
static enum graph_made made_of(const struct graph *g, uint32_t file, const struct identity *id)
{
	if (files_class(g, file) & NAME_SPECIAL)
		return GRAPH_SPECIAL;
	if (!id || !id->type || S_ISREG(id->type))
		return GRAPH_EXISTED;
	if (S_ISDIR(id->type))
		return GRAPH_DIR;
	return S_ISFIFO(id->type) ? GRAPH_FIFO : GRAPH_SPECIAL;
}

/* ---- names that lead to objects ---- */

static void bind_file(struct graph *g, uint32_t file, uint32_t i)
{
	struct name *n = &g->files.names[file];
	uint32_t old = n->object;

	n->object = i;
	n->gone = !i;
	if (i) {
		files_hold(g, i);
		object_at(g, i)->file = file;
	}
	if (old)
		files_release(g, old);
}

/* Report that a name now leads to object @i or, if @i is 0, no longer to object @of. */
static void emit_name(struct graph *g, uint32_t file, uint32_t i, uint32_t of, uint32_t exec,
		      int64_t at)
{
	struct object *o = object_at(g, i ? i : of);

	if (at > o->at)
		o->at = at;
	GRAPH_EMIT(g, name, file, i ? o->version : 0, exec, o->at);
}

uint32_t files_gone(const struct graph *g, const struct identity *id)
{
	const uint64_t *at = map64_get(&g->files.gone, ino_key(id->dev, id->ino));

	return id->known && at ? (uint32_t)*at : 0;
}

static void note_link(struct graph *g, uint32_t i, uint32_t file)
{
	struct files *f = &g->files;
	const uint64_t *first = map64_get(&f->links, i);
	uint32_t next = first ? (uint32_t)*first : 0;

	/* row 0 means none */
	f->link_rows = xgrow(f->link_rows, &f->links_cap, f->nlinks + 2, sizeof(*f->link_rows));
	f->link_rows[++f->nlinks] = (struct link){ file, next };
	map64_put(&f->links, i, f->nlinks);
}

/* Give an object one more name. */
static void add_name(struct graph *g, uint32_t i, uint32_t file)
{
	struct object *o = object_at(g, i);

	if (!o->linked && o->file)
		note_link(g, i, o->file);
	o->linked = true;
	note_link(g, i, file);
	bind_file(g, file, i);
}

/*
 * Whether @id is not @i, the object that the trace has under this name: an untraced process
 * replaced the file, or the file is already known under another name.
 */
static bool is_another(const struct graph *g, uint32_t i, const struct identity *id)
{
	const struct object *o = &g->files.objects[i];
	uint32_t other;

	if (!id || !id->known)
		return false;
	if (o->made == GRAPH_IS_SYMLINK && !S_ISLNK(id->type))
		return true;
	if (o->identified)
		return o->ino != id->ino || o->dev != id->dev;
	other = files_by_ino(g, id);
	return other && other != i && o->made == GRAPH_EXISTED;
}

/*
 * The file with this inode number, known by other names only; 0 if none.  If its content differs
 * from what the build left, an untraced process removed its last name, and the number was reused:
 * then the result is 0.
 */
static uint32_t find_renamed(const struct graph *g, const struct identity *id)
{
	uint32_t i = files_by_ino(g, id);
	const struct object *o = &g->files.objects[i];

	if (!i || o->made > GRAPH_CHANGED || o->opens || o->unsized || id->emptied)
		return i;
	/* ignore the time of a file that the build made: the build may have set it */
	return o->size == id->size && (o->made != GRAPH_EXISTED || o->mtime == id->mtime) ? i : 0;
}

uint32_t files_at(struct graph *g, uint32_t file, const struct identity *id)
{
	uint32_t i = files_known(g, file);

	if (i && is_another(g, i, id))
		i = 0;
	if (!i && id && id->known) {
		i = find_renamed(g, id);
		if (i) {
			add_name(g, i, file);
			emit_name(g, file, i, 0, 0, g->last);
		}
	}
	if (!i) {
		uint32_t exec, first = moved_from(g, file, &exec);

		i = new_object(g);
		bind_file(g, file, i);
		emit_version(g, i, (struct graph_version){
			.file = first ? first : file, .made = made_of(g, file, id), .at = g->last
		}, id);
		if (first) {
			/* another file may have that name now */
			emit_name(g, first, files_known(g, first), i, exec, g->last);
			emit_name(g, file, i, 0, exec, g->last);
		}
	}
	identify_object(g, i, id);
	return i;
}

uint32_t files_anonymous(struct graph *g, enum graph_made made, uint32_t exec, int64_t at,
			 const struct identity *id)
{
	uint32_t i = new_object(g);

	emit_version(g, i, (struct graph_version){ .made = made, .exec = exec, .at = at }, id);
	return i;
}

/* Report that all other names of an object lead to its new version. */
static void emit_links(struct graph *g, uint32_t i, uint32_t file, uint32_t exec)
{
	const struct files *f = &g->files;
	const uint64_t *first = map64_get(&f->links, i);

	for (uint32_t row = first ? (uint32_t)*first : 0; row; row = f->link_rows[row].next) {
		uint32_t other = f->link_rows[row].file;

		if (other != file && f->names[other].object == i)
			emit_name(g, other, i, 0, exec, object_at(g, i)->at);
	}
}

uint32_t files_name_of(const struct graph *g, uint32_t i, uint32_t file)
{
	const struct files *f = &g->files;
	const uint64_t *first = map64_get(&f->links, i);

	if (file && f->names[file].object == i)
		return file;
	file = f->objects[i].file;
	if (file && f->names[file].object == i)
		return file;
	for (uint32_t row = first ? (uint32_t)*first : 0; row; row = f->link_rows[row].next)
		if (f->names[f->link_rows[row].file].object == i)
			return f->link_rows[row].file;
	return 0;
}

void files_renew(struct graph *g, uint32_t i, uint32_t file, enum graph_made made,
		 uint32_t exec, int64_t at, const struct identity *id)
{
	const struct graph_version v = {
		.file = files_name_of(g, i, file), .made = made, .exec = exec, .at = at,
		.base = made == GRAPH_CHANGED ? object_at(g, i)->version : 0,
	};

	emit_version(g, i, v, id);
	object_at(g, i)->unsized |= !id || !id->known;
	/* the description that is being opened for it is one */
	if (object_at(g, i)->opens > 1)
		renewal_note(g, i, exec, made == GRAPH_WRITTEN);
	if (object_at(g, i)->linked)
		emit_links(g, i, v.file, exec);
}

/* Put a new object at a path. */
static uint32_t lay_object(struct graph *g, const struct graph_version *v,
			   const struct identity *id)
{
	uint32_t i = new_object(g), old = files_known(g, v->file);
	struct object *o = object_at(g, i);

	/* its rows must be later than those of the object it replaces */
	if (old)
		o->at = object_at(g, old)->at;
	bind_file(g, v->file, i);
	emit_version(g, i, *v, id);
	return i;
}

uint32_t files_create(struct graph *g, uint32_t file, uint32_t exec, int64_t at,
		      const struct identity *id)
{
	return lay_object(g, &(struct graph_version){
		.file = file, .made = GRAPH_WRITTEN, .exec = exec, .at = at
	}, id);
}

void files_make(struct graph *g, uint32_t file, uint32_t type, uint32_t exec, int64_t at)
{
	const struct identity id = { .known = true, .type = type };
	enum graph_made made = type & S_IFMT ? made_of(g, file, &id) : GRAPH_EXISTED;

	/* without a type, mknod makes an empty file */
	made = made == GRAPH_EXISTED ? GRAPH_WRITTEN : made;
	lay_object(g, &(struct graph_version){ .file = file, .made = made, .exec = exec, .at = at },
		   NULL);
}

void files_symlink(struct graph *g, uint32_t file, uint32_t target, uint32_t exec, int64_t at)
{
	lay_object(g, &(struct graph_version){
		.file = file, .made = GRAPH_IS_SYMLINK, .exec = exec, .at = at, .target = target
	}, NULL);
}

void files_unlink(struct graph *g, uint32_t file, uint32_t exec, int64_t at)
{
	uint32_t i = files_known(g, file);

	if (i)
		emit_name(g, file, 0, i, exec, at);
	else
		GRAPH_EMIT(g, name, file, 0, exec, at);
	bind_file(g, file, 0);
}

/* Rename one of an object's several names. */
static void move_link(struct graph *g, uint32_t i, uint32_t from, uint32_t to)
{
	struct files *f = &g->files;
	const uint64_t *first = map64_get(&f->links, i);

	if (!object_at(g, i)->linked)
		return;
	for (uint32_t row = first ? (uint32_t)*first : 0; row; row = f->link_rows[row].next) {
		if (f->link_rows[row].file != from)
			continue;
		f->link_rows[row].file = to;
		return;
	}
	note_link(g, i, to);
}

static void rename_one(struct graph *g, uint32_t from, uint32_t to, bool exchange, uint32_t exec,
		       int64_t at)
{
	uint32_t a = files_known(g, from), b = files_known(g, to);

	if (from == to || a == b)
		return;
	files_hold(g, a);
	if (exchange && b)
		bind_file(g, from, b);
	else
		bind_file(g, from, 0);
	bind_file(g, to, a);
	move_link(g, a, from, to);
	if (exchange && b)
		move_link(g, b, to, from);
	emit_name(g, from, exchange ? b : 0, a, exec, at);
	emit_name(g, to, a, 0, exec, at);
	files_release(g, a);
}

/*
 * Move what was collected below one directory of a rename to the other directory.
 * @back: move from the new directory to the old one; skip names that exist in both, which the
 *	other pass exchanges
 */
static void rename_below(struct graph *g, const struct below *b, const struct graph_rename *r,
			 bool back)
{
	for (size_t i = 0; i < b->n; i++) {
		size_t len;
		const char *path = back ? below_path(b, i, r->from, r->from_len, &len) :
					  below_path(b, i, r->to, r->to_len, &len);
		uint32_t name = files_name(g, path, len);

		if (!back || !files_known(g, name))
			rename_one(g, b->files[i], name, r->exchange, r->exec, r->at);
	}
}

/* Rename a directory with what the trace knows below it, and what it does not know yet. */
static void rename_dir(struct graph *g, const struct graph_rename *r, uint32_t to)
{
	struct below here = { .g = g, .known = true }, there = { .g = g, .known = true };

	moved_dir(g, r);
	below_collect(&here, r->file);
	if (r->exchange)
		below_collect(&there, to);
	rename_below(g, &there, r, true);
	rename_below(g, &here, r, false);
	below_free(&here);
	below_free(&there);
}

bool files_may_be_dir(const struct graph *g, uint32_t file)
{
	uint32_t i = files_known(g, file);
	const struct object *o = &g->files.objects[i];

	/* an object that was never opened, only renamed, may be a directory */
	return !i || o->made == GRAPH_DIR || (o->made == GRAPH_EXISTED && !o->reported);
}

void files_rename(struct graph *g, const struct graph_rename *r)
{
	uint32_t to = files_name(g, r->to, r->to_len);
	bool dir = files_may_be_dir(g, r->file) || (r->exchange && files_may_be_dir(g, to));

	if (dir)
		rename_dir(g, r, to);
	files_at(g, r->file, NULL);
	if (r->exchange)
		files_at(g, to, NULL);
	rename_one(g, r->file, to, r->exchange, r->exec, r->at);
	if (dir)
		moved_unknown(g, r);
}

void files_link(struct graph *g, uint32_t i, uint32_t to, uint32_t exec, int64_t at)
{
	add_name(g, i, to);
	emit_name(g, to, i, 0, exec, at);
}

void files_free(struct files *f)
{
	free(f->names);
	free(f->objects);
	free(f->link_rows);
	free(f->renewals.rows);
	map64_clear(&f->by_ino);
	map64_clear(&f->gone);
	map64_clear(&f->links);
	map64_clear(&f->paths);
}
