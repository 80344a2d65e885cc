// SPDX-License-Identifier: GPL-2.0
/* Parses command lines and prints their help.  See command_line.h. */
#include "cli/command_line.h"
#include "base/spelling.h"
#include "base/xalloc.h"
#include "cli/etrace.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Column of --help at which the texts of options begin. */
#define HELP_COLUMN	26
#define HELP_WIDTH	80
/* Value of getopt_long() for the first row; above all letters. */
#define FIRST_ROW	256
/* Hidden option that prints the table, for shell completions. */
#define LIST_OPTIONS	"list-options"

/* What the user types before the name: "etrace " for "etrace deps". */
static const char *before_name(const struct command_line *c)
{
	return c->program ? "" : PROG " ";
}

/* Options of every command line, after its own tables. */
static const struct opt_row help_rows[] = {
	{ "h|help", NULL, "print this and exit" },
	{ "V|version", NULL, "print the version and exit" },
	{ 0 }
};

/* Row number @i of all tables, NULL after the last. */
static const struct opt_row *find_row(const struct command_line *c, size_t i)
{
	for (size_t t = 0; t <= COMMAND_LINE_TABLES; t++) {
		const struct opt_row *row = t < COMMAND_LINE_TABLES ? c->options[t] : help_rows;

		for (; row && row->name; row++)
			if (!i--)
				return row;
	}
	return NULL;
}

/* Which formats have an option: "" if it belongs to the program. */
static const char *option_owners(const struct command_line *c, const struct opt_row *row, char *buf,
				 size_t size)
{
	buf[0] = 0;
	if (c->owners)
		c->owners(row, buf, size);
	return buf;
}

/* ---- --help ---- */

/* Whether the "\n" at @s stays a line break: before an empty or indented line, or at the end. */
static bool ends_line(const char *s)
{
	return *s == '\n' && (s[1] == ' ' || s[1] == '\n' || !s[1]);
}

/*
 * Prints the words of @text after @head, and on further lines from @column. A "\n" counts as a
 * blank unless ends_line() is true.
 */
static void put_words(FILE *to, const char *head, int column, const char *text)
{
	int at = fprintf(to, "%s", head), blanks = column > at ? column - at : 0;

	while (*text) {
		int len = (int)strcspn(text, "\n ");

		if (len && at > column && at + blanks + len > HELP_WIDTH) {
			fputc('\n', to);
			at = 0;
			blanks = column;
		}
		if (len)
			at += fprintf(to, "%*s%.*s", blanks, "", len, text);
		text += len;
		blanks = len ? 0 : blanks;
		if (ends_line(text)) {
			fputc('\n', to);
			at = 0;
			blanks = column;
		} else if (*text) {
			blanks++;
		}
		text += *text != 0;
	}
	if (at)
		fputc('\n', to);
}

static void put_row(FILE *to, const struct opt_row *row)
{
	char head[80], left[72];

	opt_row_head(row, left, sizeof(left));
	if (opt_row_letter(row))
		snprintf(head, sizeof(head), "  -%c, %s", opt_row_letter(row), left);
	else
		snprintf(head, sizeof(head), "      %s", left);
	if (strlen(head) + 2 > HELP_COLUMN) {
		fprintf(to, "%s\n", head);
		head[0] = 0;
	}
	put_words(to, head, HELP_COLUMN, row->help);
}

/* Prints the lines of @text, with @first before the first one and @rest before the others. */
static void put_lines(FILE *to, const char *first, const char *rest, const char *text)
{
	const char *end;

	for (; *text; text = *end ? end + 1 : end, first = rest) {
		end = strchrnul(text, '\n');
		fprintf(to, "%s%.*s\n", first, (int)(end - text), text);
	}
}

/* Prints all options with the same owners as option @i, if it is the first of them. */
static void put_group(const struct command_line *c, FILE *to, size_t i)
{
	char title[300], other[300];
	const struct opt_row *row;

	option_owners(c, find_row(c, i), title, sizeof(title));
	for (size_t k = 0; k < i; k++)
		if (!strcmp(title, option_owners(c, find_row(c, k), other, sizeof(other))))
			return;
	fprintf(to, *title ? "\nOptions of %s:\n" : "\nOptions:\n", title);
	for (; (row = find_row(c, i)); i++)
		if (!strcmp(title, option_owners(c, row, other, sizeof(other))))
			put_row(to, row);
}

void command_line_help(const struct command_line *c, FILE *to)
{
	char first[64], rest[64];

	snprintf(first, sizeof(first), "Usage: %s%s [OPTION]... ", before_name(c), c->name);
	snprintf(rest, sizeof(rest), "       %s%s [OPTION]... ", before_name(c), c->name);
	put_lines(to, first, rest, *c->synopsis ? c->synopsis : "\n");
	put_words(to, "", 0, c->about);
	if (c->put_more)
		c->put_more(to);
	put_lines(to, "\nExample:\n  ", "  ", c->example);
	for (size_t i = 0; find_row(c, i); i++)
		put_group(c, to, i);
	fputc('\n', to);
	put_words(to, "Exit status: ", 2, c->status);
}

/* Prints each option on a line: name, letter or "", value or "", help with its owners. */
static void list_options(const struct command_line *c)
{
	const struct opt_row *row;
	char of[300];

	for (size_t i = 0; (row = find_row(c, i)); i++) {
		const char letter[] = { opt_row_letter(row), 0 };

		printf("%s\t%s\t%s\t", opt_row_long(row), letter, row->value ? row->value : "");
		for (const char *s = row->help; *s; s++)
			putchar(*s == '\n' ? ' ' : *s);
		printf(*option_owners(c, row, of, sizeof(of)) ? " (%s)\n" : "\n", of);
	}
}

/* ---- messages ---- */

int command_line_wrong(const struct command_line *c, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s%s: ", before_name(c), c->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, " (%s%s --help shows how)\n", before_name(c), c->name);
	return c->failed;
}

static int unknown_option(const struct command_line *c, const char *given)
{
	char name[64];
	struct spelling s = { .wanted = name };
	const struct opt_row *row;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(given + 2, "="), given + 2);
	for (size_t i = 0; (row = find_row(c, i)); i++)
		spelling_try(&s, opt_row_long(row));
	if (s.best)
		return command_line_wrong(c, "unknown option '--%s'; did you mean '--%s'?", name, s.best);
	return command_line_wrong(c, "unknown option '--%s'", name);
}

/*
 * Report an option that getopt_long() rejected with '?', or with ':' for a missing value. A long
 * option is the word before optind; optopt is the letter of a short one.
 */
static int wrong_option(const struct command_line *c, int opt, char *given)
{
	const struct opt_row *row = optopt >= FIRST_ROW ? find_row(c, (size_t)(optopt - FIRST_ROW)) :
				    NULL;

	if (opt == ':' && row)
		return command_line_wrong(c, "option '--%s' needs a value: --%s %s", opt_row_long(row),
					  opt_row_long(row), row->value);
	if (opt == ':')
		return command_line_wrong(c, "option '-%c' needs a value", optopt);
	if (row)
		return command_line_wrong(c, "option '--%s' takes no value", opt_row_long(row));
	if (optopt)
		return command_line_wrong(c, "unknown option '-%c'", optopt);
	return unknown_option(c, given);
}

/* ---- parsing ---- */

/* getopt's tables, made from ours. */
struct parser {
	struct option *longs;
	char *letters;
	size_t n;
};

static void parser_init(struct parser *p, const struct command_line *c)
{
	size_t len = 0;

	while (find_row(c, p->n))
		p->n++;
	p->longs = xcalloc(p->n + 2, sizeof(*p->longs));
	p->letters = xcalloc(2 * p->n + 3, 1);
	if (c->runs)
		p->letters[len++] = '+';
	/* ':' distinguishes a missing value from an unknown option, and prints nothing */
	p->letters[len++] = ':';
	for (size_t i = 0; i < p->n; i++) {
		const struct opt_row *row = find_row(c, i);

		p->longs[i] = (struct option){ opt_row_long(row), opt_row_getopt(row), NULL,
					       FIRST_ROW + (int)i };
		if (!opt_row_letter(row))
			continue;
		p->letters[len++] = opt_row_letter(row);
		if (row->value)
			p->letters[len++] = ':';
	}
	p->longs[p->n] = (struct option){ LIST_OPTIONS, no_argument, NULL, FIRST_ROW + (int)p->n };
}

static const struct opt_row *row_of(const struct command_line *c, int opt)
{
	const struct opt_row *row;

	if (opt >= FIRST_ROW)
		return find_row(c, (size_t)(opt - FIRST_ROW));
	for (size_t i = 0; (row = find_row(c, i)); i++)
		if (opt_row_letter(row) == opt)
			break;
	return row;
}

int command_line_parse(const struct command_line *c, int argc, char **argv, struct opts *opts)
{
	struct parser p = { 0 };
	int opt, ret = -1;

	parser_init(&p, c);
	opterr = 0;
	while (ret < 0 && (opt = getopt_long(argc, argv, p.letters, p.longs, NULL)) != -1) {
		const struct opt_row *row = row_of(c, opt);

		if (opt == '?' || opt == ':') {
			ret = wrong_option(c, opt, argv[optind - 1]);
		} else if (!row) {
			list_options(c);
			ret = 0;
		} else if (!strcmp(opt_row_long(row), "help")) {
			command_line_help(c, stdout);
			ret = 0;
		} else if (!strcmp(opt_row_long(row), "version")) {
			printf("%s " ETRACE_VERSION "\n", c->program ? c->name : PROG);
			ret = 0;
		} else if (row->value && strchr(row->value, '|') && opt_choice(row, optarg) < 0) {
			ret = command_line_wrong(c, "--%s %s: must be one of %s", opt_row_long(row), optarg,
						 row->value);
		} else {
			opts_add(opts, opt_row_long(row), optarg);
		}
	}
	free(p.longs);
	free(p.letters);
	return ret;
}
