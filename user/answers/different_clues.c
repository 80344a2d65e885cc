// SPDX-License-Identifier: LGPL-2.1
/* Collects the clues, and gets facts for them from the databases.  See different.h. */
#include "answers/different_look.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define B(w) (&(w)->d->m.side[1])
#define CLUES_MAX 64u		/* number of clues, the heaviest, kept for each cause */

const char *const different_names[DIFFERENT_NCAUSES] = {
	[DIFFERENT_TOOL] = "tool", [DIFFERENT_INPUT] = "input", [DIFFERENT_PID] = "process-id",
	[DIFFERENT_HOST] = "host", [DIFFERENT_CPUS] = "processors", [DIFFERENT_RANDOM] = "random",
	[DIFFERENT_LOCALE] = "locale", [DIFFERENT_ENV] = "environment",
	[DIFFERENT_LISTING] = "listing-order", [DIFFERENT_WRITERS] = "writer-order",
	[DIFFERENT_TIME] = "time", [DIFFERENT_PATH] = "build-path", [DIFFERENT_NET] = "network",
	[DIFFERENT_MEMORY] = "memory", [DIFFERENT_UNKNOWN] = "unknown",
};

void different_clue(struct different *w, enum different_cause cause, unsigned int weight,
		    uint32_t unit, const char *text, ...)
{
	struct different_clue c = { (uint8_t)cause, (uint8_t)weight, unit, NULL };
	struct different_clue *least = NULL;
	unsigned int n = 0;
	va_list args;

	va_start(args, text);
	if (vasprintf(&c.text, text, args) < 0)
		c.text = xstrndup("", 0);
	va_end(args);
	for (size_t i = 0; i < w->nclues; i++) {
		struct different_clue *old = &w->clues[i];

		if (old->cause != cause)
			continue;
		if (!strcmp(old->text, c.text)) {
			if (old->weight < weight)
				old->weight = c.weight;
			free(c.text);
			return;
		}
		if (!least || old->weight < least->weight)
			least = old;
		n++;
	}
	if (n < CLUES_MAX) {
		w->clues = xgrow(w->clues, &w->clues_cap, w->nclues + 1, sizeof(*w->clues));
		w->clues[w->nclues++] = c;
	} else if (least && least->weight < c.weight) {
		free(least->text);
		*least = c;
	} else {
		free(c.text);
	}
}

/* ---- facts from the databases ---- */

uint32_t different_pid(const struct different *w, unsigned int side, uint32_t unit)
{
	static const char text[] = "SELECT pid FROM process WHERE id = ?";
	const struct match_side *s = &w->d->m.side[side];
	struct sqlite3_stmt *st;
	uint32_t pid = 0;

	if (!unit)
		return 0;
	st = db_ask(s->db, text, "i", (int64_t)s->b->execs[s->units[unit].exec].process);
	while (db_row(s->db, st))
		pid = (uint32_t)db_int(st, 0);
	return pid;
}

bool different_names_pid(const struct different *w, const char *name)
{
	static const char text[] = "SELECT 1 FROM process WHERE pid = ?", digits[] = "0123456789";
	bool found = false;

	while (*(name += strcspn(name, digits)) && !found) {
		struct sqlite3_stmt *st = db_ask(B(w)->db, text, "i",
						 (int64_t)strtoul(name, (char **)&name, 10));

		while (db_row(B(w)->db, st))
			found = true;
	}
	return found;
}

/* The prefix is P in P/bin/NAME; not the root, nor a directory around the build. */
bool different_is_installed(const struct different *w, uint32_t unit, const struct build *b,
			    const char *path, size_t len)
{
	const struct match_side *s = &w->d->m.side[1];
	size_t n, cwd_len, inner_len = len;
	const char *program = build_path(s->b, s->units[unit].program, &n);
	const char *start = build_path(s->b, w->start, &cwd_len);
	const char *slash = memrchr(program, '/', n), *inner = build_inner(b, path, &inner_len);

	if (path_in(inner, inner_len, path_installed) &&
	    !(cwd_len && path_within(path, len, start, cwd_len)))
		return true;
	if (!slash || slash - program < 5 || memcmp(slash - 4, "/bin", 4))
		return false;
	n = (size_t)(slash - 4 - program);
	return len > n && path_within(path, len, program, n) &&
	       !path_within(start, cwd_len, program, n);
}

char *different_string(const struct different *w, unsigned int side, uint32_t string)
{
	struct db *db = w->d->m.side[side].db;
	struct sqlite3_stmt *st = db_ask(db, "SELECT s FROM string WHERE id = ?", "i", (int64_t)string);
	char *ret = NULL;
	size_t len;

	while (db_row(db, st)) {
		const char *s = db_bytes(st, 0, &len);

		free(ret);
		ret = xstrndup(s ? s : "", len);
	}
	return ret ? ret : xstrndup("", 0);
}

/* ---- clues about a unit ---- */

void different_unit_clue(struct different_look *l, enum different_cause cause, unsigned int weight,
		      const char *text, ...)
{
	char line[600];
	va_list args;

	va_start(args, text);
	vsnprintf(line, sizeof(line), text, args);
	va_end(args);
	weight = weight * l->less / 100;
	different_clue(l->w, cause, weight ? weight : 1, l->unit, "%s %s", l->name, line);
}

static bool is_below(const struct build *b, uint32_t dir, const char *path, size_t len)
{
	size_t n;
	const char *of = build_path(b, dir, &n);

	return n && path_within(path, len, of, n);
}

/* Whether a directory is one that the build works in; others belong to tools and libraries. */
bool different_is_place(const struct different_look *l, const char *path, size_t len)
{
	const struct match_side *s = B(l->w);

	return is_below(s->b, s->b->execs[s->units[l->unit].exec].cwd, path, len) ||
	       is_below(s->b, l->w->start, path, len);
}
