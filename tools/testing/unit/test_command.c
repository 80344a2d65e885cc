// SPDX-License-Identifier: GPL-2.0
/*
 * What compiler commands do, by the option grammars of their families.  data/commands has
 * commands and the expected results; gcc.txt there describes the format.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/xalloc.h"
#include "command/command.h"

/* ---- words ---- */

#define MAX_WORDS	64

struct words {
	char *w[MAX_WORDS + 1];
	size_t n;
	char *text;
};

/* Split into words: quotes work as in a shell, a backslash stands for itself. */
static struct words split(const char *line)
{
	struct words words = { .text = xcalloc(strlen(line) + 2, 1) };
	char *to = words.text;
	char quote = 0;

	for (const char *at = line; *at;) {
		while (*at == ' ')
			at++;
		if (!*at)
			break;
		assert_true(words.n < MAX_WORDS);
		words.w[words.n++] = to;
		for (; *at && (quote || *at != ' '); at++) {
			if (quote ? *at == quote : (*at == '"' || *at == '\''))
				quote = quote ? 0 : *at;
			else
				*to++ = *at;
		}
		*to++ = 0;
	}
	return words;
}

/* ---- @files ---- */

static struct {
	char name[64], *text;
} files[64];
static size_t nfiles;

static bool read_file(void *ctx, const char *name, struct buf *text)
{
	(void)ctx;
	for (size_t i = 0; i < nfiles; i++)
		if (!strcmp(files[i].name, name)) {
			buf_adds(text, files[i].text);
			return true;
		}
	return false;
}

static const struct command_files at_files = { .read = read_file };

/* "@name = text" */
static void add_file(char *line)
{
	char *equals = strchr(line, '=');

	assert_non_null(equals);
	assert_true(nfiles < 64);
	snprintf(files[nfiles].name, sizeof(files[0].name), "%.*s", (int)(equals - line - 2), line + 1);
	files[nfiles++].text = xstrdup(equals[1] ? equals + 2 : "");
}

/* ---- what a command does, in the format of the tables ---- */

static void add_word(struct buf *to, const char *word)
{
	bool quoted = strchr(word, ' ') || !*word;

	buf_adds(to, quoted ? "\"" : "");
	buf_adds(to, word);
	buf_adds(to, quoted ? "\"" : "");
}

static void say_source(struct buf *to, const struct command *c, size_t i, bool language)
{
	const struct command_source *s = &c->sources[i];
	struct buf output = { 0 };

	buf_adds(to, "\t");
	add_word(to, s->path);
	buf_adds(to, " -> ");
	if (command_output(c, s, &output))
		add_word(to, output.s);
	else
		buf_adds(to, c->stage == ROLE_CHECK ? "-" : command_prints(c) ? "stdout" : "?");
	if (language) {
		buf_adds(to, " (");
		buf_adds(to, s->language);
		buf_adds(to, ")");
	}
	buf_adds(to, "\n");
	buf_free(&output);
}

static void say_link(struct buf *to, const struct command *c)
{
	struct buf output = { 0 };

	buf_adds(to, c->kind == COMMAND_ARCHIVE ? "\tarchive " : "\tlink ");
	assert_true(command_program(c, &output));
	add_word(to, output.s);
	buf_adds(to, ":");
	for (size_t i = 0; i < c->ninputs; i++) {
		buf_adds(to, " ");
		add_word(to, c->args[c->inputs[i]]);
	}
	buf_adds(to, "\n");
	buf_free(&output);
}

static const char *const whys[] = {
	[WHY_NONE] = "none", [WHY_NO_COMPILER] = "no compiler", [WHY_ASKS] = "asks",
	[WHY_DEPENDS] = "depends", [WHY_PREPROCESSES] = "preprocesses",
	[WHY_STANDARD_INPUT] = "stdin", [WHY_NO_SOURCE] = "nothing",
};

/* @expected: shows for which sources the language is printed. */
static void say(struct buf *to, const struct command *c, const char *expected)
{
	const char *line = expected;

	if (c->kind == COMMAND_OTHER) {
		buf_adds(to, "\t- ");
		buf_adds(to, whys[c->why]);
		buf_adds(to, "\n");
	}
	for (size_t i = 0; c->kind == COMMAND_COMPILE && i < c->nsources; i++) {
		const char *end = line ? strchr(line, '\n') : NULL;

		say_source(to, c, i, end && end[-1] == ')');
		line = end ? end + 1 : NULL;
	}
	if (c->kind == COMMAND_LINK || c->kind == COMMAND_ARCHIVE || (c->links && c->nsources &&
	    c->kind == COMMAND_COMPILE && strstr(expected, "\tlink ")))
		say_link(to, c);
}

static void say_wrapped(struct buf *to, const struct command *c)
{
	if (!c->inner) {
		buf_adds(to, "\t- nothing\n");
		return;
	}
	buf_adds(to, "\truns");
	for (size_t i = c->inner; i < c->nargs; i++) {
		buf_adds(to, " ");
		add_word(to, c->args[i]);
	}
	buf_adds(to, "\n");
}

/* ---- entries: a command with one source that does the same to it ---- */

static void check_entry(const struct command *c, size_t i, size_t own)
{
	const struct command_source *s = &c->sources[i];
	struct buf output = { 0 }, again = { 0 };
	struct command entry = { 0 };
	size_t n = 0;
	char **args = xcalloc(c->nargs + 1, sizeof(*args));

	for (size_t k = 0; k < c->nargs; k++)
		if (!command_drops(c, s, k))
			args[n++] = c->args[k];
	command_parse(&entry, c->family, args, n, own, NULL);
	assert_int_equal(entry.kind, COMMAND_COMPILE);
	assert_int_equal(entry.nsources, c->family->together ? c->nsources : 1);
	assert_string_equal(entry.sources[c->family->together ? i : 0].path, s->path);
	assert_string_equal(entry.sources[c->family->together ? i : 0].language, s->language);
	if (!c->links) {
		assert_int_equal(command_output(c, s, &output),
				 command_output(&entry, &entry.sources[c->family->together ? i : 0],
						&again));
		assert_string_equal(output.s, again.s);
	}
	buf_free(&output);
	buf_free(&again);
	command_free(&entry);
	free(args);
}

/* ---- the tables ---- */

struct tried {
	const char *table;
	unsigned int line, cases, wrong;
	char family[32];
};

static void try(struct tried *t, const char *line, const char *expected)
{
	struct words words = split(line);
	struct command c = { 0 };
	struct buf result = { 0 };
	size_t own;
	const struct family *f = family_of(words.w[0], words.w[1], &own);

	t->cases++;
	buf_adds(&result, "");
	if (!f) {
		buf_adds(&result, "\t- no compiler\n");
	} else {
		command_parse(&c, f, words.w, words.n, own, &at_files);
		if (f->tool == TOOL_WRAPPER)
			say_wrapped(&result, &c);
		else
			say(&result, &c, expected);
	}
	buf_addc(&result, 0);
	if (strcmp(result.s, expected) || strcmp(f ? f->name : "none", t->family)) {
		printf("%s:%u: [%s] %s\n%s  expected [%s]\n%s", t->table, t->line, f ? f->name : "none",
		       line, result.s, t->family, expected);
		t->wrong++;
	} else {
		for (size_t i = 0; c.kind == COMMAND_COMPILE && i < c.nsources; i++)
			check_entry(&c, i, own);
	}
	command_free(&c);
	buf_free(&result);
	free(words.text);
}

/* Try each command with the lines below it. */
static void try_lines(struct tried *t, char *text)
{
	char *save, command[1024] = "", *line;
	struct buf expected = { 0 };
	unsigned int number = 0;

	/* count empty lines, too, so that line numbers are those of an editor */
	for (line = text; line; line = save) {
		save = strchr(line, '\n');
		if (save)
			*save++ = 0;
		number++;
		if (*line == '\t') {
			buf_adds(&expected, line);
			buf_adds(&expected, "\n");
			continue;
		}
		if (*command) {
			buf_addc(&expected, 0);
			try(t, command, expected.s);
			*command = 0;
			expected.len = 0;
		}
		if (*line == '[')
			snprintf(t->family, sizeof(t->family), "%.*s", (int)strcspn(line + 1, "]"), line + 1);
		else if (*line == '@')
			add_file(line);
		else if (*line && *line != '#')
			snprintf(command, sizeof(command), "%s", line);
		t->line = number;
	}
	buf_free(&expected);
}

static void try_table(struct tried *t, const char *name)
{
	char path[4096], *text;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/commands/%s", getenv("ETRACE_DATA"), name);
	f = fopen(path, "re");
	assert_non_null(f);
	text = xcalloc(1, 1 << 20);
	n = fread(text, 1, (1 << 20) - 1, f);
	assert_true(n && feof(f));
	fclose(f);
	t->table = name;
	try_lines(t, text);
	free(text);
	for (size_t i = 0; i < nfiles; i++)
		free(files[i].text);
	nfiles = 0;
}

static void commands_do_what_documentation_says(void **state)
{
	struct tried t = { 0 };

	(void)state;
	try_table(&t, "gcc.txt");
	try_table(&t, "clang.txt");
	try_table(&t, "others.txt");
	printf("# %u commands\n", t.cases);
	assert_int_equal(t.wrong, 0);
	assert_true(t.cases >= 300);
}

/* ---- the rows ---- */

static int compare(const struct family *f, const char *a, const char *b)
{
	/* the first character, - or /, does not matter */
	return f->ignores_case ? strcasecmp(a + 1, b + 1) : strcmp(a + 1, b + 1);
}

static void rows_are_in_order(void **state)
{
	(void)state;
	for (const struct family *f = families; f->name; f++)
		for (size_t s = 0; s < FAMILY_SETS && f->sets[s]; s++)
			for (size_t i = 1; i < f->sets[s]->n; i++)
				if (compare(f, f->sets[s]->rows[i - 1].name, f->sets[s]->rows[i].name) >= 0)
					fail_msg("%s: %s, %s", f->name, f->sets[s]->rows[i - 1].name,
						 f->sets[s]->rows[i].name);
}

/* Each row is found by its own name, unless an earlier set has that name, too. */
static void rows_are_found(void **state)
{
	(void)state;
	for (const struct family *f = families; f->name; f++)
		for (size_t s = 0; s < FAMILY_SETS && f->sets[s]; s++)
			for (size_t i = 0; i < f->sets[s]->n; i++) {
				const struct option *row = &f->sets[s]->rows[i];
				enum option_form form;
				const char *value;
				char arg[128];
				const struct option *found;

				snprintf(arg, sizeof(arg), "%s%s", row->name,
					 row->forms == EQUALS ? "=x" : row->forms == COLON ? ":x" : "");
				found = option_find(f, arg, &form, &value);
				if (!found || strcmp(found->name + 1, row->name + 1))
					fail_msg("%s: %s", f->name, row->name);
			}
}

static void names_are_those_of_one_family(void **state)
{
	(void)state;
	for (const struct family *f = families; f->name; f++) {
		char *names = xstrdup(f->programs), *save, *name;

		assert_ptr_equal(family_named(f->name, strlen(f->name)), f);
		for (name = strtok_r(names, " \n", &save); name; name = strtok_r(NULL, " \n", &save)) {
			char *first = strstr(name + 1, "+-");
			size_t own;

			if (!first)
				first = strncmp(name, "zig+", 4) && strncmp(name, "gnat+", 5) ? NULL :
					strchr(name, '+');
			if (first)
				*first++ = 0;
			if (family_of(name, first, &own) != f)
				fail_msg("%s: %s", f->name, name);
			assert_int_equal(own, first ? 2 : 1);
		}
		free(names);
	}
}

/* ---- hostile input ---- */

static bool read_itself(void *ctx, const char *name, struct buf *text)
{
	unsigned int *n = ctx;

	(void)name;
	(*n)++;
	buf_adds(text, "@x @x a.c ");
	return true;
}

static void files_that_include_themselves_end(void **state)
{
	char *args[] = { (char *)"gcc", (char *)"-c", (char *)"@x", NULL };
	unsigned int n = 0;
	const struct command_files itself = { .read = read_itself, .ctx = &n };
	struct command c = { 0 };

	(void)state;
	command_parse(&c, family_named("gcc", 3), args, 3, 1, &itself);
	assert_true(c.unread);
	assert_true(n <= 2000);
	assert_int_equal(c.kind, COMMAND_COMPILE);
	command_free(&c);
}

static void many_arguments_are_read(void **state)
{
	size_t n = 100000;
	char **args = xcalloc(n + 1, sizeof(*args));
	struct command c = { 0 };

	(void)state;
	args[0] = (char *)"gcc";
	args[1] = (char *)"-c";
	for (size_t i = 2; i < n; i++)
		args[i] = (char *)(i % 2 ? "a.c" : "-DX");
	command_parse(&c, family_named("gcc", 3), args, n, 1, NULL);
	assert_int_equal(c.nsources, n / 2 - 1);
	command_free(&c);
	free(args);
}

/* Whatever the arguments are, nothing after them is read. */
static void every_family_reads_anything(void **state)
{
	static const char *const odd[] = {
		"", "-", "--", "@", "/", "=", ":", "-=", "--=", "/:", "-o", "@x", "-x", "-\xff", "\xff.c",
		".", "..", "a.", ".c", "-c", "/dev/null", "none", "-W", "-Xarch_", "-Xarch_x", "\\", "'",
	};
	const size_t n = sizeof(odd) / sizeof(odd[0]);

	(void)state;
	for (const struct family *f = families; f->name; f++)
		for (size_t i = 0; i < n * n; i++) {
			char *args[4] = { (char *)"x", (char *)(uintptr_t)odd[i / n],
					  (char *)(uintptr_t)odd[i % n], NULL };
			struct command c = { 0 };
			struct buf output = { 0 };

			for (size_t own = 1; own <= 4; own += 3) {
				command_parse(&c, f, args, 3, own, NULL);
				for (size_t s = 0; s < c.nsources; s++)
					command_output(&c, &c.sources[s], &output);
				if (c.ninputs)
					command_program(&c, &output);
				command_free(&c);
			}
			buf_free(&output);
		}
}

/* ---- words of @files ---- */

static void add_response(void *ctx, char *word)
{
	struct buf *all = ctx;

	buf_adds(all, "[");
	buf_adds(all, word);
	buf_adds(all, "]");
	free(word);
}

static void files_are_quoted_as_their_compilers_do(void **state)
{
	static const struct {
		enum at_files how;
		const char *text, *words;
	} rows[] = {
		{ AT_GNU, "a b\tc\nd", "[a][b][c][d]" },
		{ AT_GNU, "'a b' \"c d\"", "[a b][c d]" },
		{ AT_GNU, "a\\ b \"c\\\"d\" 'e\\'f'", "[a b][c\"d][e'f]" },
		{ AT_GNU, "x\"y z\"w", "[xy zw]" },
		{ AT_GNU, "\"\" a", "[][a]" },
		{ AT_GNU, "a \"b", "[a][b]" },
		{ AT_GNU, "a\\", "[a\\]" },
		{ AT_GNU, "", "" },
		{ AT_WINDOWS, "c:\\a\\b.c \"d e\"", "[c:\\a\\b.c][d e]" },
		{ AT_WINDOWS, "a\\\"b \"c\\\\\" d", "[a\"b][c\\][d]" },
		{ AT_WINDOWS, "'a b'", "['a][b']" },
		{ AT_LINES, "a b\nc\n\nd", "[a b][c][d]" },
		{ AT_LINES, "a\r\n\"b\"", "[a][\"b\"]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf all = { 0 };

		buf_adds(&all, "");
		response_words(rows[i].how, rows[i].text, strlen(rows[i].text), add_response, &all);
		buf_addc(&all, 0);
		assert_string_equal(all.s, rows[i].words);
		buf_free(&all);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_do_what_documentation_says),
		cmocka_unit_test(rows_are_in_order),
		cmocka_unit_test(rows_are_found),
		cmocka_unit_test(names_are_those_of_one_family),
		cmocka_unit_test(files_that_include_themselves_end),
		cmocka_unit_test(many_arguments_are_read),
		cmocka_unit_test(every_family_reads_anything),
		cmocka_unit_test(files_are_quoted_as_their_compilers_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
