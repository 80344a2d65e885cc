// SPDX-License-Identifier: LGPL-2.1
/* Options that belong to formats.  See options.h. */
#include "io/options.h"
#include "base/xalloc.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool opt_row_has(const struct opt_row *row, const char *name)
{
	for (; row && row->name; row++)
		if (!strcmp(opt_row_long(row), name))
			return true;
	return false;
}

const char *opt_row_long(const struct opt_row *row)
{
	return row->name + (opt_row_letter(row) ? 2 : 0);
}

char opt_row_letter(const struct opt_row *row)
{
	return row->name[1] == '|' ? row->name[0] : 0;
}

int opt_row_getopt(const struct opt_row *row)
{
	if (!row->value)
		return no_argument;
	return *row->value == '[' ? optional_argument : required_argument;
}

void opt_row_head(const struct opt_row *row, char *buf, size_t size)
{
	const char *value = row->value ? row->value : "";

	snprintf(buf, size, "--%s%s%s", opt_row_long(row), *value && *value != '[' ? " " : "", value);
}

void opts_init(struct opts *o)
{
	memset(o, 0, sizeof(*o));
}

void opts_free(struct opts *o)
{
	free(o->given);
	opts_init(o);
}

void opts_add(struct opts *o, const char *name, const char *value)
{
	o->given = xgrow(o->given, &o->cap, o->n + 1, sizeof(*o->given));
	o->given[o->n].name = name;
	o->given[o->n++].value = value;
}

static const struct opt_given *find_last(const struct opts *o, const char *name)
{
	for (size_t i = o->n; i-- > 0;)
		if (!strcmp(o->given[i].name, name))
			return &o->given[i];
	return NULL;
}

bool opt_flag(const struct opts *o, const char *name)
{
	return find_last(o, name);
}

const char *opt_value(const struct opts *o, const char *name)
{
	const struct opt_given *g = find_last(o, name);

	return g ? g->value : NULL;
}

int opt_choice(const struct opt_row *row, const char *value)
{
	const char *word = row->value;
	size_t len;

	for (int i = 0; value && *word; i++, word += len + (word[len] == '|')) {
		len = strcspn(word, "|");
		if (strlen(value) == len && !memcmp(word, value, len))
			return i;
	}
	return value ? -1 : 0;
}

unsigned int opt_chosen(const struct opts *o, const struct opt_row *rows, const char *name)
{
	while (strcmp(opt_row_long(rows), name))
		rows++;
	return (unsigned int)opt_choice(rows, opt_value(o, name));
}

const char *opt_each(const struct opts *o, const char *name, size_t *i)
{
	while (*i < o->n) {
		const struct opt_given *g = &o->given[(*i)++];

		if (!strcmp(g->name, name))
			return g->value;
	}
	return NULL;
}

bool opt_number(const struct opts *o, const char *name, uint64_t min,
		uint64_t max, uint64_t *v)
{
	const char *s = opt_value(o, name);
	unsigned long long n;
	char *end;

	if (!s)
		return true;
	/* strtoull() would accept "-1" and leading blanks */
	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	n = strtoull(s, &end, 0);
	if (errno || *end || n < min || n > max)
		return false;
	*v = n;
	return true;
}
