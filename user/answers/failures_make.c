// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds the calls that made make fail, and the command that it did not find.  See failures.h.
 *
 * make runs a simple command without a shell, and looks for it with stat(), which is not
 * recorded by default: no process shows that it was not found.  But make runs the lines of a
 * recipe one after the other, and finishes those that it has begun.  So if no call made it
 * fail, and of two lines only the first one ran, make could not run the second one.
 */
#include "answers/failures.h"
#include "base/xalloc.h"
#include "build/build.h"

#include <stdlib.h>
#include <string.h>

#define MAKEFILES_MAX	16u
#define STATUS_OF_MAKE	2
/* Limits for calls and lines; more would take too long. */
#define LINES_MAX	2000u
#define CALLS_MAX	500u
#define FAILED_MAX	50u

/* Set @to to a line of a recipe as make runs it: without "@+-", one blank between words. */
static void add_line(struct buf *to, const char *s, size_t len)
{
	while (len && strchr("\t @+-", *s))
		s++, len--;
	to->len = 0;
	for (size_t i = 0; i < len; i++) {
		if (s[i] != ' ' && s[i] != '\t')
			buf_addc(to, s[i]);
		else if (to->len && to->s[to->len - 1] != ' ')
			buf_addc(to, ' ');
	}
	while (to->len && to->s[to->len - 1] == ' ')
		to->len--;
}

/* Whether make runs a line without a shell, and unchanged. */
static bool is_simple(const struct buf *line)
{
	const char *blank = line->len ? memchr(line->s, ' ', line->len) : NULL;
	size_t first = blank ? (size_t)(blank - line->s) : line->len;

	for (size_t i = 0; i < line->len; i++)
		if (strchr("#;\"'*?[]&|<>(){}$`^~!\\", line->s[i]))
			return false;
	return first && !memchr(line->s, '=', first) && *line->s != '.' && *line->s != ':';
}

/* Whether a call of make succeeded and ran this line. */
static bool is_call(const struct failures *f, uint32_t call, const struct buf *line, struct buf *args)
{
	const struct build_exec *e = &build_of(f->db)->execs[call];

	args->len = 0;
	answers_args(f->db, build_with_command(build_of(f->db), call), args);
	for (size_t i = 0; i < args->len; i++)
		if (!args->s[i])
			args->s[i] = ' ';
	return !e->status && e->signal <= 0 && args->len == line->len + 1 &&
	       !memcmp(args->s, line->s, line->len);
}

static bool was_called(const struct failures *f, uint32_t make, const struct buf *line)
{
	const struct failure_node *node = &f->nodes[make];
	struct buf args = { 0 };
	bool found = false;

	for (uint32_t i = 0; i < node->calls && !found; i++)
		found = is_call(f, f->children[node->first + i], line, &args);
	buf_free(&args);
	return found;
}

/* Whether make never ran the command of this line.  @name: set to the command's name. */
static bool is_lost(const struct failures *f, uint32_t make, const struct buf *line, struct buf *name)
{
	const char *blank = memchr(line->s, ' ', line->len), *slash;
	size_t len = blank ? (size_t)(blank - line->s) : line->len;

	slash = memrchr(line->s, '/', len);
	if (slash || failures_ran(f, make, line->s, len))
		return false;
	name->len = 0;
	buf_add(name, line->s, len);
	return true;
}

/* Read the next line into @line. Return: false if it is not a recipe line. */
static bool take_line(const struct buf *text, size_t *at, struct buf *line)
{
	const char *s = text->s + *at, *end = memchr(s, '\n', text->len - *at);
	size_t len = end ? (size_t)(end - s) : text->len - *at;

	*at += len + 1;
	add_line(line, s, len);
	return *s == '\t' && line->len;
}

/* Whether a line occurs in one recipe only, so that it is clear which one ran. */
static bool is_unique(const struct buf *text, const struct buf *line)
{
	struct buf other = { 0 };
	size_t at = 0, n = 0;

	while (at < text->len)
		n += take_line(text, &at, &other) && other.len == line->len &&
		     !memcmp(other.s, line->s, line->len);
	buf_free(&other);
	return n == 1;
}

/* Find the first recipe line of a makefile that did not run although the one before it did. */
static bool find_line(const struct failures *f, uint32_t make, const struct buf *text, struct buf *name)
{
	struct buf line = { 0 };
	bool called = false, found = false;
	size_t at = 0;

	for (size_t lines = 0; at < text->len && !found && lines < LINES_MAX; lines++) {
		if (!take_line(text, &at, &line) || !is_simple(&line)) {
			called = false;
		} else if (was_called(f, make, &line)) {
			called = is_unique(text, &line);
		} else {
			found = called && is_lost(f, make, &line, name);
			called = false;
		}
	}
	buf_free(&line);
	return found;
}

/* ---- calls that made it fail ---- */

/* Number of calls of make that began while it had a pipe open. */
static uint32_t calls_during(const struct failures *f, uint32_t make, const struct build_access *pipe)
{
	const struct failure_node *node = &f->nodes[make];
	const struct build_exec *execs = build_of(f->db)->execs;
	uint32_t n = 0;

	for (uint32_t i = 0; i < node->calls; i++) {
		int64_t at = execs[f->nodes[f->children[node->first + i]].begun].at;

		n += at >= pipe->at && at <= pipe->until;
	}
	return n;
}

/* Whether make itself wrote to a pipe: its jobserver, even if no other program took a token. */
static bool is_own_pipe(const struct build *b, const struct build_exec *make, uint32_t pipe)
{
	for (uint32_t i = 0; i < make->uses; i++) {
		const struct build_access *a = &b->accesses[make->first + i];

		if (a->how == GRAPH_WRITE && a->version == pipe)
			return true;
	}
	return false;
}

/* Whether $(shell) made a call: make reads its output, and closes the pipe before other calls. */
static bool is_function(const struct failures *f, uint32_t make, uint32_t call)
{
	const struct build *b = build_of(f->db);
	const struct build_exec *e = &b->execs[make];
	int64_t begun = b->execs[f->nodes[call].begun].at;

	for (uint32_t i = 0; i < e->uses; i++) {
		const struct build_access *a = &b->accesses[e->first + i];
		const struct build_version *v = &b->versions[a->version];

		if (a->how == GRAPH_READ && v->made == GRAPH_PIPE && !v->token && a->at <= begun &&
		    a->until >= begun && calls_during(f, make, a) == 1 &&
		    !is_own_pipe(b, e, a->version))
			return true;
	}
	return false;
}

/* Whether a line that make printed is about a recipe that failed. */
static bool is_failure(const char *s, size_t len, bool *ignored)
{
	const char *text = memmem(s, len, ": ", 2);

	len = text ? (size_t)(s + len - text) : 0;
	*ignored = len > 3 && text[2] == '[' && text[len - 1] == ')';
	return *ignored ||
	       (len > 7 && !memcmp(text, ": *** [", 7) && !memmem(text, len, "] Deleting ", 11));
}

/* Whether a line of ctest is about any test: "2/9 Test #2: parse ....***Skipped  0.01 sec". */
static bool is_test(const char *s, size_t len, bool *ignored)
{
	const char *test = memmem(s, len, " Test ", 6);

	len = test ? (size_t)(s + len - test) : 0;
	*ignored = len && (memmem(test, len, " Passed ", 8) || memmem(test, len, "***Skipped ", 11));
	return *ignored || (len && memchr(test, '#', len) && memmem(test, len, "***", 3));
}

typedef bool is_result_fn(const char *s, size_t len, bool *ignored);

/* Find the next line with a result.  Return: the end of that line, or NULL. */
static const char *next_result(const char *s, const char *end, is_result_fn *is_result, bool *ignored)
{
	while (s < end) {
		const char *line = s, *stop = memchr(s, '\n', (size_t)(end - s));

		s = stop + 1;
		if (is_result(line, (size_t)(stop - line), ignored))
			return s;
	}
	return NULL;
}

/*
 * Set what make or ctest printed about each failed call; it prints in the order in which they
 * ended.
 * Return: false if the output was not recorded, or does not match the calls.
 */
static bool find_in_output(struct failures *f, uint32_t make, const uint32_t *failed, size_t n,
			   is_result_fn *is_result)
{
	struct buf text = { 0 };
	const char *s, *end;
	size_t lines = 0;
	bool ignored;

	failures_printed(f->db, make, &text);
	buf_addc(&text, '\n');
	end = text.s + text.len;
	for (s = text.s; (s = next_result(s, end, is_result, &ignored));)
		lines++;
	for (s = text.s; lines == n && (s = next_result(s, end, is_result, &ignored)); failed++)
		f->nodes[*failed].says = ignored ? SAYS_IGNORED : SAYS_FAILED;
	buf_free(&text);
	return lines == n;
}

/* Read the next makefile that make read, from access @i on.  Return: false if none. */
static bool next_makefile(struct db *db, uint32_t make, uint32_t *i, struct buf *text)
{
	const struct build *b = build_of(db);
	const struct build_exec *e = &b->execs[make];
	struct buf path = { 0 };
	bool found = false;

	while (*i < e->uses && !found) {
		const struct build_access *a = &b->accesses[e->first + (*i)++];
		size_t len;
		const char *s = build_path(b, a->file, &len);

		if (!a->file || a->how != GRAPH_READ || a->class != GRAPH_DATA)
			continue;
		path.len = 0;
		buf_add(&path, s, len);
		buf_addc(&path, '\0');
		found = failures_read(db, path.s, a->at, text);
	}
	buf_free(&path);
	return found;
}

/*
 * Read the next line as far as its first variable; @ignored: it begins with a minus.
 * Return: false if it is not a recipe line
 */
static bool take_begin(const struct buf *text, size_t *at, struct buf *begin, bool *ignored)
{
	const char *s = text->s + *at, *variable;
	bool is_line = take_line(text, at, begin);

	for (*ignored = false; is_line && strchr("\t @+-", *s); s++)
		*ignored |= *s == '-';
	variable = begin->len ? memchr(begin->s, '$', begin->len) : NULL;
	if (variable)
		begin->len = (size_t)(variable - begin->s);
	return is_line;
}

/* Set @line to the command of a call of make: its arguments, or the text after a shell's -c. */
static void line_of(struct db *db, uint32_t call, struct buf *line)
{
	uint32_t as = build_with_command(build_of(db), call);
	struct buf args = { 0 };
	size_t n = answers_args(db, as, &args), skip = 0, option = n > 2 ? strlen(args.s) + 1 : 0;

	if (option && args.s[option] == '-' && failures_is_shell(db, as))
		skip = option + strlen(args.s + option) + 1;
	for (size_t i = skip; i < args.len; i++)
		args.s[i] = args.s[i] ? args.s[i] : ' ';
	add_line(line, args.s + skip, args.len - skip);
	buf_free(&args);
}

/* Whether a word of a makefile, "-ik" or "--ignore-errors", is an option to ignore failures. */
static bool is_ignore(const char *s, size_t len)
{
	return len > 1 && *s == '-' &&
	       (s[1] == '-' ? len > 7 && !memcmp(s, "--ignore", 8) : memchr(s, 'i', len) != NULL);
}

/* Whether makefiles may ignore lines without a minus: .IGNORE, MAKEFLAGS += -i. */
static bool may_ignore(const struct buf *makefiles)
{
	static const char flags[] = "MAKEFLAGS";
	const char *s = makefiles->s, *end = s + makefiles->len;

	if (memmem(s, makefiles->len, ".IGNORE", 7))
		return true;
	while ((s = memmem(s, (size_t)(end - s), flags, strlen(flags)))) {
		for (; s < end && *s != '\n'; s++) {
			size_t len = 0;

			while (s + len < end && !strchr(" \t\n", s[len]))
				len++;
			if (is_ignore(s, len))
				return true;
			s += len ? len - 1 : 0;
		}
	}
	return false;
}

/*
 * Whether make ignores a failure of a line: it has a minus in the makefiles. Unknown if the line
 * occurs both with and without one, or if a minus before a variable may belong to this line.
 */
static enum failure_says line_says(const struct buf *makefiles, const struct buf *line)
{
	struct buf begin = { 0 };
	bool ignored, can_be[2] = { false, false }, is[2] = { false, false };

	for (size_t at = 0; at < makefiles->len;) {
		if (!take_begin(makefiles, &at, &begin, &ignored) || begin.len > line->len ||
		    (begin.len && memcmp(begin.s, line->s, begin.len)))
			continue;
		can_be[ignored] = true;
		is[ignored] |= begin.len > 0;
	}
	buf_free(&begin);
	if (is[false])
		return can_be[true] || may_ignore(makefiles) ? SAYS_NOTHING : SAYS_FAILED;
	return is[true] ? SAYS_IGNORED : SAYS_NOTHING;
}

static void find_in_makefiles(struct failures *f, uint32_t make, const uint32_t *failed, size_t n)
{
	struct buf makefiles = { 0 }, text = { 0 }, line = { 0 };
	uint32_t at = 0, files = 0;

	while (files++ < MAKEFILES_MAX && next_makefile(f->db, make, &at, &text)) {
		buf_add(&makefiles, text.s, text.len);
		buf_addc(&makefiles, '\n');
	}
	for (size_t i = 0; i < n && i < FAILED_MAX && makefiles.len; i++) {
		line_of(f->db, failed[i], &line);
		f->nodes[failed[i]].says = line_says(&makefiles, &line);
	}
	buf_free(&makefiles);
	buf_free(&text);
	buf_free(&line);
}

static void find_of_make(struct failures *f, uint32_t make)
{
	const struct failure_node *node = &f->nodes[make];
	uint32_t *failed = xcalloc(node->calls + 1ul, sizeof(*failed));
	bool all = failures_any_argument(f->db, build_with_command(build_of(f->db), make),
					 "i,--ignore-errors");
	size_t n = 0;

	for (uint32_t i = 0; i < node->calls; i++) {
		uint32_t call = f->children[node->first + i];

		if (!f->nodes[call].failed)
			continue;
		if (all || is_function(f, make, call))
			f->nodes[call].says = SAYS_IGNORED;
		else
			failed[n++] = call;
	}
	if (!find_in_output(f, make, failed, n, is_failure))
		find_in_makefiles(f, make, failed, n);
	free(failed);
}

void failures_find_says(struct failures *f, uint32_t exec)
{
	const struct failure_node *node = &f->nodes[exec];

	switch (failures_printer(build_of(f->db), exec)) {
	case PRINTER_MAKE:
		find_of_make(f, exec);
		break;
	case PRINTER_CTEST:
		find_in_output(f, exec, f->children + node->first, node->calls, is_test);
		break;
	case PRINTER_OTHER:
		break;
	}
}

/* ---- the command that it did not find ---- */

static bool has_include(const struct buf *text, const char *name, size_t len)
{
	for (const char *s = text->s, *end = s + text->len, *stop; s < end; s = stop + 1) {
		stop = memchr(s, '\n', (size_t)(end - s));
		stop = stop ? stop : end;
		if (stop - s > 8 && !memcmp(s, "include ", 8) &&
		    failures_has_word(s + 8, (size_t)(stop - s) - 8, name, len))
			return true;
	}
	return false;
}

bool failures_includes(struct db *db, uint32_t make, const char *name, size_t len)
{
	struct buf text = { 0 };
	uint32_t at = 0, files = 0;
	bool found = false;

	while (!found && files++ < MAKEFILES_MAX && next_makefile(db, make, &at, &text))
		found = has_include(&text, name, len);
	buf_free(&text);
	return found;
}

bool failures_not_begun(const struct failures *f, uint32_t exec, struct failure_on *on)
{
	const struct build *b = build_of(f->db);
	struct buf text = { 0 };
	uint32_t at = 0, files = 0;

	if (f->nodes[exec].cause || f->nodes[exec].calls > CALLS_MAX ||
	    b->execs[exec].status != STATUS_OF_MAKE ||
	    failures_printer(b, exec) != PRINTER_MAKE)
		return false;
	while (!on->likely && files++ < MAKEFILES_MAX && next_makefile(f->db, exec, &at, &text))
		on->likely = find_line(f, exec, &text, &on->name);
	if (on->likely) {
		on->reason = FAILURE_OF_TOOL;
		buf_add(&on->path, on->name.s, on->name.len);
	}
	buf_free(&text);
	return on->likely;
}
