// SPDX-License-Identifier: GPL-2.0
/* What a step did besides reading and writing files.  See learning.h. */
#include "skip/learning.h"

#include <errno.h>

static void touch_file(struct learning *x, uint32_t file, uint8_t how)
{
	if (!file)
		return;
	if (!x->touched[file]) {
		x->touched_list = xgrow(x->touched_list, &x->touched_cap, x->ntouched + 1,
					sizeof(*x->touched_list));
		x->touched_list[x->ntouched++] = file;
	}
	if (x->touched[file] < how)
		x->touched[file] = how;
}

void learn_touched(struct learning *x)
{
	const struct build *b = x->b;

	for (uint32_t v = 1; v <= b->nversions; v++)
		if (learn_is_own(x, b->versions[v].exec) &&
		    (build_is_written(&b->versions[v]) || b->versions[v].made == GRAPH_IS_SYMLINK))
			touch_file(x, b->versions[v].file, 1);
	for (uint32_t i = 0; i < b->nnames; i++)
		if (learn_is_own(x, b->names[i].exec))
			touch_file(x, b->names[i].file, 1);
	for (size_t i = 0; i < x->nchanges; i++)
		if (learn_is_own(x, x->changes[i].exec) && x->changes[i].what == GRAPH_MKDIR &&
		    !x->changes[i].error)
			touch_file(x, x->changes[i].file, 2);
}

static bool take_failed_change(struct learning *x, const struct change *c)
{
	char path[PATH_MAX];

	if (x->touched[c->file])
		return true;
	if (!learn_path(x, c->file, path))
		return learn_refuse(x, "a change without a name failed", "");
	if ((c->error == ENOENT || c->error == ENOTDIR) && c->what == GRAPH_UNLINK)
		return learn_miss(x, path, (int)c->error);
	if (c->error == EEXIST && c->what == GRAPH_MKDIR)
		return learn_look(x, path, false);
	return learn_refuse(x, "a change of the file tree failed", path);
}

static bool take_change(struct learning *x, const struct change *c)
{
	if (c->error)
		return take_failed_change(x, c);
	switch (c->what) {
	case GRAPH_MKDIR:
	case GRAPH_SYMLINK:
		return true;
	case GRAPH_RMDIR:
		return x->touched[c->file] == 2 ||
		       learn_refuse_file(x, "it removed a directory that it did not make", c->file);
	case GRAPH_CHMOD:
	case GRAPH_CHOWN:
		/* for an output, learn_outputs() checks mode and owner */
		return x->touched[c->file] == 2 || learn_is_mine(x, c->version) ||
		       learn_refuse_file(x, c->what == GRAPH_CHMOD ?
					 "it changed the mode of what it did not make" :
					 "it changed the owner of what it did not make", c->file);
	case GRAPH_UTIMENS:
		return (!c->value && learn_is_mine(x, c->version)) ||
		       learn_refuse_file(x, "it set times of a file", c->file);
	case GRAPH_UNLINK:
	case GRAPH_RENAME:
	case GRAPH_TRUNCATE:
		return learn_is_mine(x, c->version) ||
		       learn_refuse_file(x, "it removed, renamed or cut a file that it did not make", c->file);
	default:
		return learn_refuse_file(x, "it made a hard link or a device, or mounted", c->file);
	}
}

bool learn_changes(struct learning *x)
{
	uint32_t last = 0;

	for (size_t i = 0; i < x->nchanges; i++) {
		const struct change *c = &x->changes[i];

		if (!learn_is_own(x, c->exec))
			continue;
		if (!take_change(x, c) || (c->exec != last && !learn_argument_ways(x, c->exec)))
			return false;
		last = c->exec;
	}
	return true;
}

bool learn_network(struct learning *x)
{
	static const char text[] =
		"SELECT n.exec, n.error, s.s FROM net AS n LEFT JOIN string AS s ON s.id = n.address";
	struct sqlite3_stmt *st = db_ask(x->db, text, "");
	bool ok = true;

	while (db_row(x->db, st)) {
		uint32_t exec = db_id(x->db, st, 0, DB_EXECS);

		if (learn_is_own(x, exec))
			ok = learn_refuse(x, "it used a socket", "");
	}
	return ok;
}

/* Whether all output to descriptors 1 and 2 went to files and pipes of the step. */
bool learn_printed(struct learning *x)
{
	static const char text[] =
		"SELECT p.exec, p.bytes, (SELECT sum(a.bytes) FROM exec AS e JOIN exec AS l\n"
		" ON l.id = p.exec AND l.process = e.process JOIN access AS a ON a.exec = e.id\n"
		" WHERE a.how = 2 AND a.fd = p.fd) FROM printed AS p";
	struct sqlite3_stmt *st = db_ask(x->db, text, "");
	bool ok = true;

	while (db_row(x->db, st)) {
		uint32_t exec = db_id(x->db, st, 0, DB_EXECS);

		if (learn_is_own(x, exec) && db_int(st, 2) < db_int(st, 1))
			ok = learn_refuse(x, "it printed something", "");
	}
	return ok;
}
