// SPDX-License-Identifier: LGPL-2.1
/* Why a program failed, as it says itself in what it printed.  See failures.h. */
#include "answers/failures.h"
#include "model/build.h"

#include <string.h>

bool failures_printed(struct db *db, uint32_t exec, struct buf *to)
{
	static const char text[] = "SELECT text FROM printed WHERE exec = ? ORDER BY fd, at";
	struct sqlite3_stmt *st = db_ask(db, text, "i", (int64_t)exec);
	bool found = false;
	size_t len;

	while (db_row(db, st)) {
		const char *s = db_bytes(st, 0, &len);

		if (to->len && len && to->s[to->len - 1] != '\n')
			buf_addc(to, '\n');
		buf_add(to, s, len);
		found = true;
	}
	return found;
}

/* Where the name stands of what it is about. */
enum where { NOWHERE, BEFORE, BEHIND };

static const struct phrase {
	const char *text;
	enum failure_reason reason;
	enum where where;
} phrases[] = {
	{ ": command not found", FAILURE_OF_TOOL, BEFORE },
	{ ": not found\n", FAILURE_OF_TOOL, BEFORE },
	{ "No rule to make target '", FAILURE_OF_RULE, BEHIND },
	{ "No space left on device", FAILURE_OF_SPACE, BEFORE },
	{ "Disk quota exceeded", FAILURE_OF_SPACE, BEFORE },
	{ "File too large", FAILURE_OF_SPACE, BEFORE },
	{ "Cannot allocate memory", FAILURE_OF_MEMORY, NOWHERE },
	{ "virtual memory exhausted", FAILURE_OF_MEMORY, NOWHERE },
	{ "out of memory", FAILURE_OF_MEMORY, NOWHERE },
	{ "MemoryError", FAILURE_OF_MEMORY, NOWHERE },
	{ ": Permission denied", FAILURE_OF_RIGHTS, BEFORE },
	{ "cannot find -l", FAILURE_OF_MISSING, BEHIND },
	{ ": No such file or directory", FAILURE_OF_MISSING, BEFORE },
};

/* Marks around a name: of ASCII and, byte by byte, of UTF-8. */
#define QUOTES "'\"`\xe2\x80\x98\x99"

static void add_before(const char *line, const char *at, struct buf *to)
{
	const char *from;

	while (at > line && (at[-1] == ' ' || at[-1] == ':'))
		at--;
	for (from = at; from > line && !(from[-1] == ' ' && from - 1 > line && from[-2] == ':');)
		from--;
	/* "error writing 'out/copy'" */
	if (at > from && strchr(QUOTES, at[-1])) {
		while (at > from && strchr(QUOTES, at[-1]))
			at--;
		for (from = at; from > line && !strchr(QUOTES, from[-1]);)
			from--;
	}
	buf_add(to, from, (size_t)(at - from));
}

static void add_behind(const char *at, const char *end, struct buf *to)
{
	const char *from = at;

	while (at < end && !strchr(QUOTES " :,\n", *at))
		at++;
	buf_add(to, from, (size_t)(at - from));
}

/* make runs simple commands itself. */
static bool is_tool(const char *text, size_t len)
{
	return memmem(text, len, "Error 127", 9);
}

bool failures_said(struct db *db, uint32_t exec, struct failure_on *on)
{
	struct buf text = { 0 };
	const struct phrase *p = phrases, *end = phrases + sizeof(phrases) / sizeof(*phrases);
	const char *at = NULL, *line;

	failures_printed(db, exec, &text);
	buf_addc(&text, '\n');
	while (p < end) {
		at = memmem(text.s, text.len, p->text, strlen(p->text));
		if (at)
			break;
		p++;
	}
	if (at) {
		line = memrchr(text.s, '\n', (size_t)(at - text.s));
		on->reason = p->reason == FAILURE_OF_MISSING && is_tool(text.s, text.len) ?
			     FAILURE_OF_TOOL : p->reason;
		if (p->where == BEFORE)
			add_before(line ? line + 1 : text.s, at, &on->name);
		else if (p->where == BEHIND)
			add_behind(at + strlen(p->text), text.s + text.len, &on->name);
	}
	buf_free(&text);
	return at;
}
