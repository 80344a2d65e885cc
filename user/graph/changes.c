// SPDX-License-Identifier: LGPL-2.1
/* Changes to the file tree: names that are added, removed and moved.  See state.h. */
#include "base/path.h"
#include "graph/classes.h"
#include "graph/state.h"

#include <string.h>
#include <sys/stat.h>

/* For each kind of event: the change that it reports, and which strings and value to take. */
static const struct changes {
	uint8_t kind, what;
	int8_t file, to, value;	/* ET_S_*, ET_V_*; -1 if none */
} changes[] = {
	{ ET_K_RENAME, GRAPH_RENAME, ET_S_RENAME_from, ET_S_RENAME_to, ET_V_RENAME_flags },
	{ ET_K_LINK, GRAPH_LINK, ET_S_LINK_from, ET_S_LINK_to, -1 },
	{ ET_K_SYMLINK, GRAPH_SYMLINK, ET_S_SYMLINK_link, -1, -1 },
	{ ET_K_UNLINK, GRAPH_UNLINK, ET_S_UNLINK_path, -1, ET_V_UNLINK_dir },
	{ ET_K_MKDIR, GRAPH_MKDIR, ET_S_MKDIR_path, -1, ET_V_MKDIR_mode },
	{ ET_K_MKNOD, GRAPH_MKNOD, ET_S_MKNOD_path, -1, ET_V_MKNOD_mode },
	{ ET_K_TRUNCATE, GRAPH_TRUNCATE, ET_S_TRUNCATE_path, -1, ET_V_TRUNCATE_size },
	{ ET_K_CHMOD, GRAPH_CHMOD, ET_S_CHMOD_path, -1, ET_V_CHMOD_mode },
	{ ET_K_CHOWN, GRAPH_CHOWN, ET_S_CHOWN_path, -1, ET_V_CHOWN_uid },
	{ ET_K_UTIMENS, GRAPH_UTIMENS, ET_S_UTIMENS_path, -1, ET_V_UTIMENS_mtime },
	{ ET_K_MOUNT, GRAPH_MOUNT, ET_S_MOUNT_target, ET_S_MOUNT_source, ET_V_MOUNT_flags },
	{ ET_K_UMOUNT, GRAPH_UMOUNT, ET_S_UMOUNT_target, -1, ET_V_UMOUNT_flags },
	{ ET_K_CHROOT, GRAPH_CHROOT, ET_S_CHROOT_path, -1, -1 },
	{ ET_K_PIVOT, GRAPH_CHROOT, ET_S_PIVOT_new_root, -1, -1 },
};

/* RENAME_EXCHANGE of renameat2(2) */
#define EXCHANGE 2

/* Handle a link: a file gets another name, or its first one if only descriptors refer to it. */
static void link_name(struct graph *g, const struct process *p, const struct graph_change *row,
		      const struct et_event *ev)
{
	size_t len;
	const char *from = et_get_string(ev, ET_S_LINK_from, &len);
	uint32_t o = open_linked(g, p, from, len);

	if (!o && row->file && !(files_class(g, row->file) & NAME_SPECIAL))
		o = files_at(g, row->file, NULL);
	if (o)
		files_link(g, o, row->to, row->exec, row->at);
	else	/* unknown file: the exec that links it counts as its maker */
		files_make(g, row->to, S_IFREG, row->exec, row->at);
}

/*
 * Where a symbolic link leads: as recorded, else its text, relative to its own directory.
 * Return: NULL if unknown; else a text that is valid until the next call of a function of the graph.
 */
static const char *link_target(struct graph *g, const struct et_event *ev, size_t *len)
{
	size_t n;
	const char *link = et_get_string(ev, ET_S_SYMLINK_link, &n);
	const char *text = et_get_string(ev, ET_S_SYMLINK_resolved, len);
	const char *slash;

	if (*len)
		return text;
	text = et_get_string(ev, ET_S_SYMLINK_target, len);
	slash = link ? memrchr(link, '/', n) : NULL;
	if (!*len || !slash)
		return NULL;
	g->path.len = 0;
	if (*text != '/')
		buf_add(&g->path, link, (size_t)(slash + 1 - link));
	buf_add(&g->path, text, *len);
	path_clean(&g->path);
	*len = g->path.len;
	return g->path.s;
}

static uint32_t target_file(struct graph *g, const struct et_event *ev)
{
	size_t len;
	const char *to = link_target(g, ev, &len);

	return to ? files_name(g, to, len) : 0;
}

static void make_link(struct graph *g, const struct graph_change *row, const struct et_event *ev)
{
	size_t len;
	const char *to;

	files_symlink(g, row->file, row->to, row->exec, row->at);
	to = link_target(g, ev, &len);
	if (to)
		ways_link(g, row->file, to, len);
}

static void apply_change(struct graph *g, struct process *p, const struct changes *c,
			 const struct graph_change *row, const struct et_event *ev)
{
	size_t len = 0, from_len;
	const char *to = c->to >= 0 ? et_get_string(ev, (unsigned int)c->to, &len) : NULL;
	const char *from = et_get_string(ev, (unsigned int)c->file, &from_len);

	switch (c->kind) {
	case ET_K_RENAME:
		if (to)
			files_rename(g, &(struct graph_rename){
				.file = row->file, .exec = row->exec, .at = row->at,
				.from = from, .from_len = from_len, .to = to, .to_len = len,
				.exchange = row->what == GRAPH_EXCHANGE });
		place_moved(g, from, from_len, to, len);
		break;
	case ET_K_LINK:
		if (row->to)
			link_name(g, p, row, ev);
		break;
	case ET_K_SYMLINK:
		make_link(g, row, ev);
		break;
	case ET_K_UNLINK:
		files_unlink(g, row->file, row->exec, row->at);
		place_moved(g, from, from_len, NULL, 0);
		break;
	case ET_K_MKDIR:
	case ET_K_MKNOD:
		files_make(g, row->file, c->kind == ET_K_MKDIR ? S_IFDIR : (uint32_t)row->value,
			   row->exec, row->at);
		break;
	case ET_K_TRUNCATE:
		use_truncate(g, p, ev, row->at);
		break;
	default:
		break;
	}
}

/* Note that inodes changed. Called before and after a change, to include a replaced file. */
static void note_inodes(struct graph *g, const struct graph_change *row)
{
	bool times = row->what == GRAPH_UTIMENS;

	if (row->file)
		settled_change(g, row->file, times);
	if (row->to)
		settled_change(g, row->to, times);
}

static void change_one(struct graph *g, struct process *p, const struct changes *c,
		       const struct et_event *ev, int64_t at)
{
	struct graph_change row = { .what = c->what, .at = at, .error = ev->error };
	bool failed = ev->flags & ET_F_FAILED;

	row.file = graph_path(g, ev, (unsigned int)c->file);
	if (c->to >= 0)
		row.to = graph_path(g, ev, (unsigned int)c->to);
	else if (c->kind == ET_K_SYMLINK)
		row.to = target_file(g, ev);
	if (c->value >= 0)
		row.value = et_value(ev, (unsigned int)c->value, 0);
	if (c->kind == ET_K_RENAME && row.value & EXCHANGE)
		row.what = GRAPH_EXCHANGE;
	if (c->kind == ET_K_UNLINK && row.value)
		row.what = GRAPH_RMDIR;
	if (failed && !row.error)
		row.error = -1;		/* the errno is unknown */
	row.exec = exec_id(g, p);
	if (row.file && files_known(g, row.file))
		row.version = g->files.objects[files_known(g, row.file)].version;
	if ((row.file || row.to) && !failed) {
		note_inodes(g, &row);
		apply_change(g, p, c, &row, ev);
		note_inodes(g, &row);
	}
	GRAPH_EMIT(g, change, &row);
}

void change_event(struct graph *g, struct process *p, const struct et_event *ev, int64_t at)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (changes[i].kind == ev->kind)
			change_one(g, p, &changes[i], ev, at);
}
