// SPDX-License-Identifier: LGPL-2.1
/* The checks early, listing and environment.  See check.h. */
#include "answers/check.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Whether a unit is run by a rule, rather than being make or ninja itself. */
static bool is_in_step(const struct check *c, uint32_t unit)
{
	return c->below[unit] && c->step[unit];
}

/* ---- looked up too early ---- */

/* Whether two units ran in calls of the same make or ninja that overlapped in time. */
static bool units_overlap(const struct check *c, uint32_t x, uint32_t y)
{
	const struct match_unit *units = c->s.units;
	uint32_t both = check_apart(c, &x, &y);

	return both && match_schedules(&c->s, both) && units[x].at < units[y].until &&
	       units[y].at < units[x].until;
}

/* Whether neither @unit, which did not find a file, nor @maker must wait for the other. */
static bool is_loose(struct check *c, uint32_t unit, uint32_t maker, uint32_t file)
{
	return units_overlap(c, unit, maker) ||
	       (check_ordered(c, maker, unit, file) == 0 && check_ordered(c, unit, maker, 0) == 0);
}

/* The unit that made a file, or gave it this name; 0 if none, or if the build removed the file. */
static uint32_t maker_of(const struct check *c, uint32_t file, int64_t *at)
{
	const struct build *b = c->s.b;
	uint32_t version = build_present(b, file);
	const struct match_write *w;
	size_t n;

	if (!version || !build_is_output(b, file) || !build_is_file(&b->versions[version]))
		return 0;
	w = match_writes(&c->s, version, &n);
	*at = b->versions[version].at;
	return n ? w[0].unit : c->s.unit_of[b->files[file].named];
}

static void find_early(struct check *c, uint32_t unit, const struct build_miss *m)
{
	uint32_t maker;
	int64_t at;

	if (c->place[m->file] != PLACE_TREE ||
	    (m->error && m->error != ENOENT && m->error != ENOTDIR))
		return;
	maker = maker_of(c, m->file, &at);
	if (!maker || !c->step[maker] || at < m->at || check_made(c, c->step[unit], m->file) ||
	    !check_output(c, c->step[unit]) || !is_loose(c, unit, maker, m->file))
		return;
	check_add(c, (struct check_finding){
		.kind = CHECK_EARLY, .file = m->file, .unit = unit, .other = maker,
		.output = check_output(c, c->step[unit]), .what = "looked for but not found, and made later",
	});
}

/* ---- directories ---- */

/* By file: whether it is a directory that the build made or removed. */
static bool *find_dirs(struct check *c)
{
	static const char text[] =
		"SELECT file FROM change WHERE what IN (?, ?) AND coalesce(error, 0) = 0 AND file IS NOT NULL";
	bool *dirs = xcalloc(c->s.b->nfiles + 1ul, sizeof(*dirs));
	struct sqlite3_stmt *st;

	st = db_ask(c->s.db, text, "ii", (int64_t)GRAPH_MKDIR, (int64_t)GRAPH_RMDIR);
	while (db_row(c->s.db, st))
		dirs[db_id(c->s.db, st, 0, DB_FILES)] = true;
	return dirs;
}

static void find_listings(struct check *c)
{
	bool *dirs = find_dirs(c);

	for (size_t i = 0; i < c->s.b->naccesses; i++) {
		const struct build_access *a = &c->s.b->accesses[i];
		uint32_t unit = c->s.unit_of[a->exec], output;

		if (a->how != GRAPH_LIST || !is_in_step(c, unit) || dirs[a->file] ||
		    c->place[a->file] != PLACE_TREE)
			continue;
		output = check_output(c, c->step[unit]);
		if (output && check_declares(c, c->step[unit], c->node[a->file]) <= 0)
			check_add(c, (struct check_finding){
				.kind = CHECK_LISTING, .file = a->file, .unit = unit,
				.output = output,
				.what = "listed: adding a file there rebuilds nothing",
			});
	}
	free(dirs);
}

/* ---- environment ---- */

/* Load hashes of "NAME=VALUE" of variables set before the build, except those that shells set. */
static void load_outer(struct check *c, struct map64 *outer)
{
	static const char text[] =
		"SELECT n.s || '=' || v.s FROM env AS e JOIN string AS n ON n.id = e.name\n"
		" JOIN string AS v ON v.id = e.value WHERE e.exec = ?\n"
		" AND n.s NOT IN (x'505744', x'4f4c44505744', x'53484c564c', x'5f')";
	struct sqlite3_stmt *st = db_ask(c->s.db, text, "i", (int64_t)c->s.units[1].exec);

	while (db_row(c->s.db, st)) {
		size_t len;
		const char *s = db_bytes(st, 0, &len);

		map64_put(outer, hash_bytes(s, len), 1);
	}
}

/* Whether a word occurs in a command without "$": then the command may set that variable. */
static bool has_word(const char *text, const char *name, size_t len)
{
	for (const char *s = text; (s = strstr(s, name)); s++) {
		unsigned char before = s > text ? (unsigned char)s[-1] : ' ';
		unsigned char behind = (unsigned char)s[len];

		if (!strchr("${_", before) && !isalnum(before) && behind != '_' && !isalnum(behind))
			return true;
	}
	return false;
}

static void use_variable(struct check *c, const struct map64 *outer, uint32_t unit,
			 const char *text, const char *name, size_t len)
{
	static const char sql[] =
		"SELECT n.s || '=' || v.s FROM env AS e JOIN string AS n ON n.id = e.name\n"
		" JOIN string AS v ON v.id = e.value WHERE e.exec = ? AND n.s = ?";
	uint32_t output = check_output(c, c->step[unit]);
	char *word = xstrndup(name, len);
	struct sqlite3_stmt *st = db_ask(c->s.db, sql, "ib", (int64_t)c->s.units[unit].exec,
					 (const void *)word, len);
	size_t n;
	const char *s = db_row(c->s.db, st) ? db_bytes(st, 0, &n) : NULL;

	if (!s || !output || !map64_get(outer, hash_bytes(s, n)) || has_word(text, word, len)) {
		free(word);
		return;
	}
	check_add(c, (struct check_finding){
		.kind = CHECK_ENVIRONMENT, .name = word, .unit = unit, .output = output,
		.what = "used by a command: a new value rebuilds nothing",
	});
}

/* Find $NAME and ${NAME...} in the text of sh -c, except within '...'. */
static void find_variables(struct check *c, const struct map64 *outer, uint32_t unit)
{
	struct buf args = { 0 };
	const char *text, *s;
	bool quoted = false;

	if (check_args(c, unit, &args) < 3 || strcmp(args.s + strlen(args.s) + 1, "-c"))
		goto out;
	text = args.s + strlen(args.s) + 1 + 3;
	for (s = text; *s; s++) {
		size_t len = 0;

		if (*s == '\\' && s[1]) {
			s++;
		} else if (*s == '"') {
			quoted = !quoted;
		} else if (*s == '\'' && !quoted) {
			s += 1 + strcspn(s + 1, "'");
			if (!*s)
				break;
		} else if (*s == '$') {
			const char *name = s + 1 + (s[1] == '{');

			while (name[len] == '_' || isalnum((unsigned char)name[len]))
				len++;
			if (len && !isdigit((unsigned char)*name))
				use_variable(c, outer, unit, text, name, len);
		}
	}
out:
	buf_free(&args);
}

void check_asked(struct check *c)
{
	struct map64 outer = { 0 };

	for (uint32_t i = 1; i <= c->s.b->nexecs; i++) {
		uint32_t unit = c->s.unit_of[i];
		uint32_t n = is_in_step(c, unit) ? build_misses(c->s.b, i) : 0;

		for (uint32_t k = 0; k < n; k++)
			find_early(c, unit, build_miss_of(c->s.b, i, k));
	}
	build_forget_misses(c->s.b);
	find_listings(c);
	if (c->s.nunits)
		load_outer(c, &outer);
	for (uint32_t i = 1; outer.n && i <= c->s.nunits; i++)
		if (is_in_step(c, i) && match_is_shell(&c->s, i))
			find_variables(c, &outer, i);
	map64_clear(&outer);
}
