// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds when the recorder can read a file as a program saw it: while no traced process can change
 * it. A writer is a description that was opened for writing. A mapper is a process that closed
 * such a descriptor, but may still have the file mapped for writing: mappings are not recorded,
 * and end with the process or its next execve. The owner can look for mappings in /proc. See
 * state.h.
 */
#include "graph/state.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <stdlib.h>

static const char why_early[] = "read while another program could still change it";

/* Whether a file's content matters: it is a regular file, and still exists. */
static bool is_content(const struct graph *g, uint32_t object)
{
	const struct object *o = &g->files.objects[object];

	return o->version && o->made <= GRAPH_CHANGED;
}

static size_t find_mappers(struct graph *g, uint32_t object, uint32_t *pids)
{
	size_t n = 0;

	for (const struct process *p = g->mapping; p; p = p->mapping_next) {
		size_t i = 0;

		while (i < p->nmapped && p->mapped[i] != object)
			i++;
		if (i == p->nmapped)
			continue;
		/* a number above GRAPH_MAPPERS means that some are missing */
		if (n == GRAPH_MAPPERS)
			return n + 1;
		pids[n++] = (uint32_t)(p->upid & ((1ull << g->pid_bits) - 1));
	}
	return n;
}

static struct graph_settled settled_row(struct graph *g, uint32_t object)
{
	const struct object *o = &g->files.objects[object];

	return (struct graph_settled){
		.object = object, .version = o->version, .fd = -1, .identified = o->identified,
		.dev = o->dev, .ino = o->ino, .size = o->size, .mtime = o->mtime,
		.existed = o->made == GRAPH_EXISTED, .sized = settling_of(g, object)->sized,
		.file = files_name_of(g, object, o->file),
		.unwritten = settling_of(g, object)->unwritten == o->version,
		.made = settling_of(g, object)->made + (int64_t)g->begin,
		.unsure = settling_of(g, object)->unsure == o->version ?
			  settling_of(g, object)->why : NULL,
	};
}

/*
 * Report once that programs may have seen different contents of a version. Return:
 * whether to hash the current content all the same.
 */
static bool report_unsure(struct graph *g, uint32_t object)
{
	struct settling *s = settling_of(g, object);
	struct graph_settled row = settled_row(g, object);
	bool again = s->again == row.version;

	if (s->unsure_passed != s->unsure && g->ops->unsure) {
		s->unsure_passed = row.version;
		g->ops->unsure(g->ctx, &row);
	}
	if (!again)
		s->first = row.version;
	return again;
}

/* Report a file to the owner if it is settled.  @p: has it open as descriptor @number; or NULL */
static void report_settled(struct graph *g, uint32_t object, const struct process *p,
			   int64_t number)
{
	struct settling *s = settling_of(g, object);
	const struct object *o = &g->files.objects[object];
	const uint64_t *early;
	struct graph_settled row;

	if (is_content(g, object) && s->unsure == o->version && !report_unsure(g, object))
		return;
	/* without a reader, the report waits for the mappers to end; a reader cannot wait */
	if (!is_content(g, object) || s->writers || s->reported == o->version ||
	    (s->mapped && s->mappers && (!p || s->seen_mapped == o->version)))
		return;
	row = settled_row(g, object);
	if (p) {
		row.upid = p->upid;
		row.fd = (int32_t)number;
	}
	if (s->first != o->version)
		s->since = g->last;
	early = s->changed ? NULL : map64_get(&g->early, row.file);
	if (early)
		s->changed = (int64_t)*early;
	s->first = s->reported = o->version;
	row.since = s->since + (int64_t)g->begin;
	row.changed = s->changed ? s->changed + (int64_t)g->begin : 0;
	if (s->mappers)
		row.nmappers = find_mappers(g, object, row.mappers);
	s->mapped = false;
	g->ops->settled(g->ctx, &row);
}

/* Report the file again, with the changes that a writer or mapper may have made up to now. */
static void report_changed(struct graph *g, uint32_t object)
{
	struct settling *s = settling_of(g, object);

	s->changed = g->last;
	s->reported = 0;
	report_settled(g, object, NULL, -1);
}

void settled_found(struct graph *g, const struct process *p, uint32_t object, bool known)
{
	if (p->apart && !known)
		settling_unsure(g, object,
				"used in another mount namespace, where its name may lead elsewhere");
}

/*
 * Note what a reader of a file sees. A program that reads a file while it writes it does not
 * matter.
 */
static void note_reader(struct graph *g, const struct process *p, uint32_t object)
{
	struct settling *s = settling_of(g, object);
	uint32_t version = g->files.objects[object].version;

	if (s->writer == p->upid)
		return;
	if (s->mappers)
		s->read = version;
	if (s->mappers && s->filled)
		s->read_filled = version;
	if (s->writers || (s->mappers && s->seen_mapped == version))
		settling_unsure(g, object, why_early);
}

void settled_open(struct graph *g, const struct process *p, struct description *d, int64_t number)
{
	if (!g->ops->settled || !d->reads || d->writable)
		return;
	if (!d->readable)
		settling_of(g, d->object)->readers++;
	d->readable = true;
	note_reader(g, p, d->object);
	report_settled(g, d->object, p, number);
}

void settled_run(struct graph *g, uint32_t object)
{
	if (g->ops->settled)
		report_settled(g, object, NULL, -1);
}

static void report_written(struct graph *g, uint32_t object)
{
	struct graph_settled row;

	if (!g->ops->written || g->files.objects[object].made == GRAPH_EXISTED)
		return;
	row = settled_row(g, object);
	g->ops->written(g->ctx, &row);
}

void settled_writes(struct graph *g, const struct process *p, struct description *d, bool maps)
{
	if (!g->ops->settled || !is_content(g, d->object))
		return;
	settling_of(g, d->object)->sized = false;
	settling_of(g, d->object)->writer = p->upid;
	if (!d->writable && !settling_of(g, d->object)->writers++)
		report_written(g, d->object);
	d->writable = true;
	d->mappable |= maps;
}

/* Number of readable descriptions of a file that only this process has. */
static uint32_t count_own(const struct process *p, uint32_t object)
{
	const struct fd *fds = p->fds->fds, *end = fds + p->fds->cap;
	uint32_t n = 0;

	for (const struct fd *fd = fds; fd < end; fd++)
		if (fd->d && fd->d->object == object && fd->d->readable)
			fd->d->here++;
	/* a description counts once, however many descriptors refer to it */
	for (const struct fd *fd = fds; fd < end; fd++)
		if (fd->d && fd->d->here) {
			n += fd->d->here == fd->d->refs;
			fd->d->here = 0;
		}
	return n;
}

/* Processes that have the old version open may have read the new one instead. */
void settled_renew(struct graph *g, const struct process *p, uint32_t object)
{
	const struct settling *s = g->ops->settled ? settling_of(g, object) : NULL;

	if (!s || !s->readers || s->readers == count_own(p, object))
		return;
	settling_unsure(g, object, "changed while another program had it open to read it");
	report_settled(g, object, NULL, -1);
}

void settled_drop(struct graph *g, const struct description *d)
{
	if (!g->ops->settled)
		return;
	if (d->readable)
		settling_of(g, d->object)->readers--;
	if (!d->writable)
		return;
	settling_of(g, d->object)->writers--;
	report_changed(g, d->object);
}

void settled_change(struct graph *g, uint32_t file, bool times)
{
	uint32_t object = files_known(g, file);
	struct settling *s;

	if (!g->ops->settled)
		return;
	if (!object) {
		map64_put(&g->early, file, (uint64_t)g->last);
		return;
	}
	s = settling_of(g, object);
	s->changed = g->last;
	if (times)
		s->timed = g->files.objects[object].version;
}

void settled_made(struct graph *g, uint32_t object)
{
	struct settling *s = g->ops->settled ? settling_of(g, object) : NULL;

	if (!s)
		return;
	s->unwritten = g->files.objects[object].version;
	s->made = g->last;
}

void settled_wrote(struct graph *g, uint32_t object)
{
	if (g->ops->settled)
		settling_of(g, object)->unwritten = 0;
}

/* ---- mappings ---- */

/* Note that a process may have a file mapped; perhaps twice, since a full check is too slow. */
static void add_mapped(struct graph *g, struct process *p, uint32_t object)
{
	for (size_t i = p->nmapped; i && i + 8 > p->nmapped; i--)
		if (p->mapped[i - 1] == object)
			return;
	if (!p->nmapped) {
		p->mapping_next = g->mapping;
		p->mapping_before = NULL;
		if (g->mapping)
			g->mapping->mapping_before = p;
		g->mapping = p;
	}
	p->mapped = xgrow(p->mapped, &p->mapped_cap, p->nmapped + 1, sizeof(*p->mapped));
	p->mapped[p->nmapped++] = object;
	files_hold(g, object);
	settling_of(g, object)->mappers++;
}

void settled_close(struct graph *g, struct process *p, const struct fd *fd)
{
	struct settling *s;

	if (!fd->d->writable || !fd->d->mappable)
		return;
	add_mapped(g, p, fd->d->object);
	/* a program that only creates a file for another one, as gcc does for cc1, maps nothing */
	s = settling_of(g, fd->d->object);
	s->filled |= s->unwritten != g->files.objects[fd->d->object].version;
}

void settled_fork(struct graph *g, const struct process *parent, struct process *child)
{
	for (size_t i = 0; i < parent->nmapped; i++)
		add_mapped(g, child, parent->mapped[i]);
}

void settled_unmap(struct graph *g, struct process *p)
{
	for (size_t i = 0; i < p->nmapped; i++) {
		struct settling *s = settling_of(g, p->mapped[i]);

		/* the owner did not check whether it was mapped when others read it */
		if (!--s->mappers && s->read_filled && s->read_filled != s->proven &&
		    s->read_filled == g->files.objects[p->mapped[i]].version)
			settling_unsure(g, p->mapped[i], why_early);
		s->filled &= s->mappers > 0;
		if (!s->mappers && s->mapped)
			report_changed(g, p->mapped[i]);
		files_release(g, p->mapped[i]);
	}
	if (p->nmapped) {
		*(p->mapping_before ? &p->mapping_before->mapping_next : &g->mapping) = p->mapping_next;
		if (p->mapping_next)
			p->mapping_next->mapping_before = p->mapping_before;
	}
	free(p->mapped);
	p->mapped = NULL;
	p->nmapped = p->mapped_cap = 0;
}

/* ---- for the owner ---- */

/* Whether an object is the file that the trace knows by its inode number. */
static bool is_by_ino(const struct graph *g, uint32_t object)
{
	const struct object *o = &g->files.objects[object];
	const struct identity id = { .known = o->identified, .dev = o->dev, .ino = o->ino };

	return files_by_ino(g, &id) == object;
}

bool graph_is_settled(const struct graph *g, const struct graph_settled *s, uint64_t time)
{
	const struct object *o = &g->files.objects[s->object];
	const struct settling *w = &g->settling[s->object];

	if (o->version != s->version || w->writers || w->reported != s->version ||
	    (int64_t)(time - g->begin) < w->changed)
		return false;
	if (!s->identified)
		return s->file && files_known(g, s->file) == s->object;
	return files_name_of(g, s->object, o->file) || is_by_ino(g, s->object);
}

bool graph_keep(struct graph *g, const struct graph_settled *s)
{
	const struct object *o = &g->files.objects[s->object];

	/* the version may be a newer one by now, but the inode must be the same */
	if (!o->version || !o->identified || o->dev != s->dev || o->ino != s->ino || !s->file ||
	    files_known(g, s->file) != s->object || !is_by_ino(g, s->object))
		return false;
	files_hold(g, s->object);
	return true;
}

void graph_drop(struct graph *g, uint32_t object)
{
	files_release(g, object);
}

bool graph_may_change(const struct graph *g, uint32_t object)
{
	const struct settling *w = &g->settling[object];

	return w->writers || (w->mapped && w->mappers);
}

int64_t graph_unchanged(const struct graph *g, const struct graph_settled *s)
{
	const struct settling *w = &g->settling[s->object];

	if (g->files.objects[s->object].version != s->version || w->writers || w->mappers)
		return -1;
	return w->changed ? w->changed + (int64_t)g->begin : 0;
}

bool graph_settle_again(struct graph *g, const struct graph_settled *s)
{
	if (g->files.objects[s->object].version != s->version || g->settling[s->object].writers)
		return false;
	g->settling[s->object].reported = 0;
	report_settled(g, s->object, NULL, -1);
	return true;
}

void graph_is_mapped(struct graph *g, const struct graph_settled *s, bool seen)
{
	struct settling *w = &g->settling[s->object];

	if (g->files.objects[s->object].version != s->version)
		return;
	w->mapped = true;
	w->reported = 0;
	if (seen)
		w->seen_mapped = s->version;
	if (seen && w->read == s->version)
		settling_unsure(g, s->object, why_early);
	/* the mappers may have ended since the owner looked */
	if (!w->mappers)
		report_changed(g, s->object);
}

void graph_is_proven(struct graph *g, const struct graph_settled *s)
{
	g->settling[s->object].proven = s->version;
}

void graph_was_mapped(struct graph *g, const struct graph_settled *s)
{
	const struct object *o = &g->files.objects[s->object];

	if (o->version != s->version || g->settling[s->object].read_filled != s->version)
		return;
	settling_unsure(g, s->object, why_early);
	report_settled(g, s->object, NULL, -1);
}

void graph_was_changed(struct graph *g, const struct graph_settled *s)
{
	if (g->files.objects[s->object].version != s->version)
		return;
	settling_unsure(g, s->object, settling_other);
	report_settled(g, s->object, NULL, -1);
}

void graph_settle_mapped(struct graph *g)
{
	for (uint32_t i = 1; i < g->nsettling; i++) {
		struct settling *s = &g->settling[i];
		bool waits = s->mapped && s->mappers;

		if (waits)
			s->mapped = false;
		if (waits || (s->unsure && s->unsure_passed != s->unsure))
			report_settled(g, i, NULL, -1);
	}
}

bool graph_has_name(const struct graph *g, uint32_t object)
{
	return files_name_of(g, object, 0);
}

/* ---- reading a finished trace ---- */

void settled_content(struct graph *g, const struct et_event *ev, int64_t at)
{
	struct graph_content row = { .at = at };
	size_t len;
	const char *path = et_get_string(ev, ET_S_CONTENT_path, &len);
	const struct identity id = {
		.known = et_has(ev, ET_V_CONTENT_ino) && et_has(ev, ET_V_CONTENT_dev),
		.dev = (uint32_t)et_value(ev, ET_V_CONTENT_dev, 0),
		.ino = (uint64_t)et_value(ev, ET_V_CONTENT_ino, 0),
	};
	const uint64_t *file = map64_get(&g->files.paths, hash_bytes(path ? path : "", len));
	uint32_t o = files_by_ino(g, &id);

	if (!id.known && file)
		o = files_known(g, (uint32_t)*file);
	if (o && g->files.objects[o].made > GRAPH_CHANGED)
		return;
	row.version = o ? g->files.objects[o].version : files_gone(g, &id);
	if (!row.version)
		return;
	row.sha256 = et_get_string(ev, ET_S_CONTENT_sha256, &row.sha256_len);
	row.gitoid = et_get_string(ev, ET_S_CONTENT_gitoid, &row.gitoid_len);
	row.why_not = et_get_string(ev, ET_S_CONTENT_why_not, &row.why_len);
	/*
	 * the recorder hashed it after the last write, so this size is right even if that write
	 * recorded none
	 */
	if (row.sha256 && o && g->files.objects[o].unsized && et_has(ev, ET_V_CONTENT_mtime))
		GRAPH_EMIT(g, grown, row.version, (uint64_t)et_value(ev, ET_V_CONTENT_size, 0),
			   et_value(ev, ET_V_CONTENT_mtime, 0));
	GRAPH_EMIT(g, content, &row);
}
