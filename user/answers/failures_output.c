// SPDX-License-Identifier: LGPL-2.1
/* Finds in the output of a program why it failed.  See failures.h. */
#include "answers/failures.h"
#include "base/path.h"
#include "event/redact.h"
#include "build/build.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* ---- the output ---- */

/* Whether output is binary, like an archive: one in eight of its characters is not text. */
static bool is_binary(const char *s, size_t len)
{
	static const char lost[] = "\xef\xbf\xbd";	/* U+FFFD: bytes that were not text */
	size_t odd = 0, chars = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		chars += (c & 0xc0) != 0x80;
		odd += (c < ' ' && !strchr("\b\t\n\f\r\033", c)) || c == 0x7f || !c ||
		       (len - i >= 3 && !memcmp(s + i, lost, 3));
	}
	return odd && odd * 8 > chars;
}

/* Append text without colours and other escape sequences: ESC [ ... letter, ESC ] ... BEL. */
static void add_plain(const char *s, size_t len, struct buf *to)
{
	for (size_t i = 0; i < len; i++) {
		bool title = i + 1 < len && s[i + 1] == ']';

		if (s[i] != '\033') {
			buf_addc(to, s[i]);
			continue;
		}
		while (i < len && s[i] != '\n' && (title ? s[i] != '\a' : !isalpha((unsigned char)s[i])))
			i++;
		if (i < len && s[i] == '\n')
			buf_addc(to, '\n');
	}
}

bool failures_printed(struct db *db, uint32_t exec, struct buf *to)
{
	static const char text[] = "SELECT text, bytes FROM printed WHERE exec = ? ORDER BY fd, at";
	struct sqlite3_stmt *st = db_ask(db, text, "i", (int64_t)exec);
	bool found = false;
	size_t len;

	while (db_row(db, st)) {
		const char *s = db_bytes(st, 0, &len);

		if (to->len && len && to->s[to->len - 1] != '\n')
			buf_addc(to, '\n');
		if (is_binary(s, len)) {
			buf_adds(to, "[binary data: ");
			buf_addu(to, (uint64_t)db_int(st, 1));
			buf_adds(to, " bytes]\n");
		} else {
			add_plain(s, len, to);
		}
		found = true;
	}
	return found;
}

/*
 * Whether a script printed the line: "/opt/bin/wrapper: line 23: ...".  If the program is not a
 * script, such a script ran before it in the same process.
 */
static bool is_of_script(const char *line, size_t len, const char *program, size_t plen)
{
	const char *colon = memchr(line, ':', len), *at = colon, *end = line + len;
	size_t n;

	if (!colon || colon == line || memchr(line, ' ', (size_t)(colon - line)))
		return false;
	n = (size_t)(colon - line);
	line = path_base_of(line, &n);
	program = path_base_of(program, &plen);
	if (n == plen && !memcmp(line, program, n))
		return false;
	if (end - at > 7 && !memcmp(at, ": line ", 7))
		at += 7;
	else if (end - at > 2 && at[1] == ' ')
		at += 2;
	if (at == colon || !isdigit((unsigned char)*at))
		return false;
	while (at < end && isdigit((unsigned char)*at))
		at++;
	return end - at > 1 && at[0] == ':' && at[1] == ' ';
}

/* Drop the output of a program that ran in the same process before this one. */
static void keep_own(struct db *db, uint32_t exec, struct buf *text)
{
	const struct build *b = build_of(db);
	size_t plen, to = 0;
	const char *program = build_path(b, b->execs[exec].program, &plen);

	if (failures_is_shell(db, exec))
		return;
	for (size_t at = 0; at < text->len;) {
		const char *s = text->s + at, *end = memchr(s, '\n', text->len - at);
		size_t len = end ? (size_t)(end - s) + 1 : text->len - at;

		if (!is_of_script(s, len, program, plen)) {
			memmove(text->s + to, s, len);
			to += len;
		}
		at += len;
	}
	text->len = to;
}

/* ---- phrases ---- */

/* Where the name of the file is, relative to the phrase. */
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
	{ "Cannot find module '", FAILURE_OF_MISSING, BEHIND },
	{ "No module named '", FAILURE_OF_MISSING, BEHIND },
	{ "Can't locate ", FAILURE_OF_MISSING, BEHIND },
	{ "no such file or directory, open '", FAILURE_OF_MISSING, BEHIND },
	{ ": No such file or directory", FAILURE_OF_MISSING, BEFORE },
};

/* Quotation marks around a name: ASCII ones, and the bytes of those in UTF-8. */
#define QUOTES "'\"`\xe2\x80\x98\x99"

/* Whether a text says what a program could not do: "Cannot stat", "cannot open shared object". */
static bool is_verb(const char *s, size_t len)
{
	static const char *const words[] = {
		"can't ", "cannot ", "could not ", "couldn't ", "failed ", "unable ", "not ",
	};

	if (len && strchr(QUOTES, s[len - 1]))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (len > strlen(words[i]) && !strncasecmp(s, words[i], strlen(words[i])))
			return true;
	return false;
}

/* Find the start of the part that ends at @at. Parts of a line are separated by ": ". */
static const char *part_before(const char *line, const char *at)
{
	while (at > line && !(at[-1] == ' ' && at - 1 > line && at[-2] == ':'))
		at--;
	return at;
}

static const char *end_before(const char *line, const char *at)
{
	while (at > line && (at[-1] == ' ' || at[-1] == ':'))
		at--;
	return at;
}

/*
 * Whether a part of a line can be a name: it is neither the program at the beginning nor a number.
 */
static bool can_be_name(const char *line, const char *from, const char *end)
{
	if (from == line || from == end)
		return false;
	while (from < end && isdigit((unsigned char)*from))
		from++;
	return from < end && !memchr(from, ' ', (size_t)(end - from));
}

static void add_before(const char *line, const char *at, struct buf *to)
{
	const char *from, *end;

	at = end_before(line, at);
	from = part_before(line, at);
	while (is_verb(from, (size_t)(at - from))) {
		end = end_before(line, from);
		if (!can_be_name(line, part_before(line, end), end)) {
			/* take only the last word of "cannot open x" */
			from = (const char *)memrchr(from, ' ', (size_t)(at - from)) + 1;
			break;
		}
		at = end;
		from = part_before(line, at);
	}
	/* take only the quoted name of "error writing 'out/copy'" */
	if (at > from && strchr(QUOTES, at[-1])) {
		while (at > from && strchr(QUOTES, at[-1]))
			at--;
		for (from = at; from > line && !strchr(QUOTES, from[-1]);)
			from--;
	}
	/* skip the asterisks of make: "make: *** x" */
	while (from < at && strchr("* ", *from))
		from++;
	buf_add(to, from, (size_t)(at - from));
}

static void add_behind(const char *at, const char *end, struct buf *to)
{
	const char *from = at;
	const char *stop = strchr(QUOTES, at[-1]) ? QUOTES "\n" : QUOTES " :,\n";

	while (at < end && !strchr(stop, *at))
		at++;
	buf_add(to, from, (size_t)(at - from));
}

static bool can_be_file(const struct buf *name)
{
	return name->len && *name->s != '[' && !memchr(name->s, ' ', name->len);
}

static bool is_in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

bool failures_has_word(const char *s, size_t len, const char *word, size_t n)
{
	for (size_t at = 0; n && at + n <= len; at++)
		if (!memcmp(s + at, word, n) && (!at || !is_in_name(s[at - 1])) &&
		    (at + n == len || !is_in_name(s[at + n])))
			return true;
	return false;
}

/* ---- the output ---- */

enum clue { CLUE_NONE, CLUE_ERROR, CLUE_WHICH };

/* Whether a text says before a word that there was none: "0 errors, 0 failed", "no errors". */
static bool is_denied(const char *s, size_t at)
{
	return at > 1 && s[at - 1] == ' ' &&
	       ((s[at - 2] == '0' && (at == 2 || !isdigit((unsigned char)s[at - 3]))) ||
		(at > 2 && !strncasecmp(s + at - 3, "no", 2) && (at == 3 || s[at - 4] == ' ')));
}

/* Whether a word goes on as a name, "error_list.c", or has the number 0 behind it: "ERROR: 0". */
static bool is_part(const char *s, size_t len)
{
	size_t n = 0;

	if (len && (*s == '_' || (len > 1 && *s == '.' && isalnum((unsigned char)s[1]))))
		return true;
	while (n < len && strchr("sS:= \t", s[n]))
		n++;
	return n && n < len && s[n] == '0' && n + 1 == len;
}

/* Whether a line is about a place in a file, and is no warning: "./main.go:3:27: undefined: x". */
static bool is_complaint(const char *s, size_t len)
{
	const char *colon = memchr(s, ':', len), *at = colon;

	while (at && ++at < s + len && isdigit((unsigned char)*at))
		;
	return at && at > colon + 1 && at + 1 < s + len && *at == ':' &&
	       memchr(s, '.', (size_t)(colon - s)) && !memchr(s, ' ', (size_t)(colon - s)) &&
	       !memmem(s, len, "warning", 7) && !memmem(s, len, "note:", 5);
}

/* Whether a line reports an error: "error" as a word, or "TypeError:", but not "-Werror". */
static enum clue clue_of(const char *s, size_t len)
{
	static const char *const words[] = {
		"error", "fatal", "panic", "failed", "fail:", "failure:", "undefined reference",
		"exception in thread", "unhandled exception", "terminate called after",
	};
	static const char level[] = "\"level\":\"error\"";
	enum clue clue = CLUE_NONE;

	/* a line of rustc --error-format=json states its level */
	if (len > 1 && s[0] == '{' && s[1] == '"')
		return memmem(s, len, level, strlen(level)) ? CLUE_WHICH : CLUE_NONE;
	for (size_t at = 0; at < len; at++) {
		if (at && isalnum((unsigned char)s[at - 1]) && s[at] != 'E')
			continue;
		if (is_denied(s, at))
			continue;
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
			size_t n = strlen(words[i]);

			if (at + n > len || strncasecmp(s + at, words[i], n) ||
			    is_part(s + at + n, len - at - n))
				continue;
			/* the message of a compiler: "error: x", "error[E0425]: x" */
			if (!i && at + n + 1 < len && (s[at + n] == ':' || s[at + n] == '['))
				return CLUE_WHICH;
			clue = CLUE_ERROR;
		}
	}
	return !clue && is_complaint(s, len) ? CLUE_ERROR : clue;
}

/*
 * Read the next line that is not blank, and trim it; a carriage return ends one, too, as programs
 * show their progress with it.  Return: false at the end of the text.
 */
static bool next_line(const char *s, size_t len, size_t *at, struct work_arg *line)
{
	while (*at < len) {
		*line = (struct work_arg){ s + *at, 0 };
		while (*at + line->len < len && !strchr("\r\n", line->s[line->len]))
			line->len++;
		*at += line->len + 1;
		while (line->len && isspace((unsigned char)line->s[line->len - 1]))
			line->len--;
		while (line->len && isspace((unsigned char)*line->s))
			line->s++, line->len--;
		if (line->len)
			return true;
	}
	return false;
}

/* Append the member "message" of a line of JSON. */
static void add_message(struct work_arg line, struct buf *to)
{
	static const char key[] = "\"message\":\"";
	const char *end = line.s + line.len, *at = memmem(line.s, line.len, key, strlen(key));

	for (at = at ? at + strlen(key) : end; at < end && *at != '"'; at++) {
		at += *at == '\\' && at + 1 < end;
		buf_addc(to, *at);
	}
}

/*
 * Append the line that best explains an error; if none does and @any, the last line.  Return: how
 * well it does.
 */
static enum clue add_line(const char *s, size_t len, bool any, struct buf *to)
{
	struct work_arg line, found = { 0 }, more = { 0 };
	enum clue best = CLUE_NONE;
	size_t at = 0, behind = 0;

	while (best < CLUE_WHICH && next_line(s, len, &at, &line)) {
		enum clue clue = clue_of(line.s, line.len);

		if (is_binary(line.s, line.len) || (clue <= best && (best || !any)))
			continue;
		/* "Try 'cp --help' for more information." */
		if (!clue && found.len && memmem(line.s, line.len, "--help", 6))
			continue;
		best = clue;
		found = line;
		behind = at;
	}
	/* the text follows on the next line after "CMake Error at CMakeLists.txt:5 (message):" */
	while (best && !more.len && found.s[found.len - 1] == ':' && next_line(s, len, &behind, &line))
		*(clue_of(line.s, line.len) == CLUE_WHICH ? &found : &more) = line;
	if (found.len && *found.s == '{')
		add_message(found, to);
	else
		buf_add(to, found.s, found.len);
	if (more.len)
		buf_addc(to, ' ');
	buf_add(to, more.s, more.len);
	return best;
}

/* ---- the reason in the output ---- */

/* Whether make printed "Error 127": it did not find a simple command, which it runs itself. */
static bool is_tool(const char *text, size_t len)
{
	return memmem(text, len, "Error 127", 9);
}

/* Whether a program may be killed for this reason; for a missing file, it would exit by itself. */
static bool can_kill(enum failure_reason reason)
{
	return reason == FAILURE_OF_MEMORY || reason == FAILURE_OF_SPACE;
}

/*
 * Whether a shell went on after it had not found a command, and printed an error of its own: then
 * that is the reason.
 */
static bool went_on(const struct build_exec *e, const char *s, size_t len)
{
	struct work_arg line;
	size_t at = 0;

	while (e->status != STATUS_NOT_FOUND && next_line(s, len, &at, &line))
		if (clue_of(line.s, line.len) == CLUE_WHICH)
			return true;
	return false;
}

bool failures_said(struct db *db, uint32_t exec, struct failure_on *on)
{
	struct buf text = { 0 };
	const struct phrase *p = phrases, *end = phrases + sizeof(phrases) / sizeof(*phrases);
	const struct build *b = build_of(db);
	const char *at = NULL, *line;

	failures_printed(db, exec, &text);
	keep_own(db, exec, &text);
	buf_addc(&text, '\n');
	while (p < end) {
		at = can_kill(p->reason) || b->execs[exec].signal <= 0 ?
			     memmem(text.s, text.len, p->text, strlen(p->text)) : NULL;
		if (at)
			break;
		p++;
	}
	if (at && p->reason == FAILURE_OF_TOOL && went_on(&b->execs[exec], text.s, text.len))
		at = NULL;
	if (at) {
		line = memrchr(text.s, '\n', (size_t)(at - text.s));
		on->reason = p->reason == FAILURE_OF_MISSING && is_tool(text.s, text.len) ?
			     FAILURE_OF_TOOL : p->reason;
		if (p->where == BEFORE)
			add_before(line ? line + 1 : text.s, at, &on->name);
		else if (p->where == BEHIND)
			add_behind(at + strlen(p->text), text.s + text.len, &on->name);
		/* drop what is no file name: "write error" of "cat: write error: No space" */
		if (p->reason == FAILURE_OF_SPACE && !can_be_file(&on->name))
			on->name.len = 0;
	}
	buf_free(&text);
	return at;
}

void failures_quote(struct db *db, uint32_t exec, struct buf *to)
{
	static const char text[] = "SELECT text, fd FROM printed WHERE exec = ? ORDER BY fd DESC, at";
	struct sqlite3_stmt *st = db_ask(db, text, "i", (int64_t)exec);
	struct buf line = { 0 }, own = { 0 }, other = { 0 };
	enum clue best = CLUE_NONE, clue;
	size_t len;

	while (db_row(db, st)) {
		const char *s = db_bytes(st, 0, &len);

		if (is_binary(s, len))
			continue;
		own.len = 0;
		add_plain(s, len, &own);
		keep_own(db, exec, &own);
		other.len = 0;
		clue = add_line(own.s, own.len, db_int(st, 1) == 2, &other);
		if (line.len && (clue < CLUE_WHICH || best))
			continue;
		best = clue;
		line.len = 0;
		buf_add(&line, other.s, other.len);
	}
	buf_free(&own);
	buf_free(&other);
	if (line.len && db->redact)
		redact_line(line.s, &line.len);
	buf_add(to, line.s, line.len);
	buf_free(&line);
}
