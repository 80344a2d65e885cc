// SPDX-License-Identifier: LGPL-2.1
/* Families of compilers, and which program is of which.  See grammar.h. */
#include "command/grammar.h"
#include "base/path.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define OPTION(name, forms, role, text) { name, forms, role, text },
#define SET(rows) { rows, sizeof(rows) / sizeof((rows)[0]) }

static const struct option gcc_rows[] = {
#include "command/gcc.def"
};
static const struct option_set gcc_options = SET(gcc_rows);

static const struct option cc1_rows[] = {
#include "command/cc1.def"
};
static const struct option_set cc1_options = SET(cc1_rows);

#define C_LANGUAGES "c c++ objective-c objective-c++ assembler cpp-output"

static const struct family_env gcc_env[] = {
	{ .name = "CPATH", .option = "-I" },
	{ .name = "C_INCLUDE_PATH", .option = "-isystem", .languages = "c" },
	{ .name = "CPLUS_INCLUDE_PATH", .option = "-isystem", .languages = "c++" },
	{ .name = "OBJC_INCLUDE_PATH", .option = "-isystem", .languages = "objective-c" },
	{ 0 }
};

const struct family families[] = {
	{
		.name = "gcc", .tool = TOOL_DRIVER, .sets = { &gcc_options }, .dashes = "-",
		.programs = "gcc g++ cc c++ c89 c99 mpicc mpicxx mpic++ mpiCC mpifort mpif77 mpif90 gfortran",
		.languages = C_LANGUAGES " fortran ada", .object = ".o", .program = "a.out",
		.at = AT_GNU, .env = gcc_env,
	}, {
		.name = "clang", .tool = TOOL_DRIVER, .sets = { &gcc_options }, .dashes = "-",
		.programs = "clang clang++", .languages = C_LANGUAGES, .object = ".o",
		.program = "a.out", .at = AT_GNU, .env = gcc_env,
	}, {
		.name = "cc1", .tool = TOOL_PROPER, .sets = { &cc1_options, &gcc_options },
		.dashes = "-", .programs = "cc1 cc1plus cc1obj cc1objplus f951",
		.languages = C_LANGUAGES, .object = ".s", .at = AT_GNU, .compiles_only = true,
	}, {
		.name = "as", .tool = TOOL_PROPER, .sets = { &gcc_options }, .dashes = "-",
		.programs = "as", .at = AT_GNU, .compiles_only = true,
	}, {
		.name = "collect2", .tool = TOOL_PROPER, .sets = { &gcc_options }, .dashes = "-",
		.programs = "collect2", .at = AT_GNU,
	}, {
		.name = "wrapper", .tool = TOOL_WRAPPER, .dashes = "-",
		.programs = "ccache distcc sccache icecc buildcache",
	}, {
		.name = "ld", .tool = TOOL_LINKER, .sets = { &gcc_options }, .dashes = "-",
		.programs = "ld ld.bfd ld.gold ld.lld lld mold", .program = "a.out", .at = AT_GNU,
	}, {
		.name = "ar", .tool = TOOL_ARCHIVER, .dashes = "-", .programs = "ar gcc-ar llvm-ar",
		.at = AT_GNU,
	},
	{ 0 }
};

bool has_word(const char *list, const char *word, size_t len)
{
	for (const char *at = list, *end; at && *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, ' ');
		if ((size_t)(end - at) == len && !memcmp(at, word, len))
			return true;
	}
	return false;
}

/* ---- names ---- */

const struct family *family_named(const char *name, size_t len)
{
	for (const struct family *f = families; f->name; f++)
		if (strlen(f->name) == len && !memcmp(f->name, name, len))
			return f;
	return NULL;
}

static const struct family *called(const char *name, size_t len)
{
	for (const struct family *f = families; f->name; f++)
		if (has_word(f->programs, name, len))
			return f;
	return NULL;
}

/* @name is one of ours, or has a target before one: "arm-linux-gnueabi-gcc". */
static const struct family *called_for_target(const char *name, size_t len)
{
	const struct family *f = called(name, len);

	for (size_t i = 1; !f && i + 1 < len; i++)
		if (name[i - 1] == '-')
			f = called(name + i, len - i);
	return f;
}

static size_t without(const char *name, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len > n && !strncasecmp(name + len - n, end, n) ? len - n : len;
}

/* "gcc-12.2", "clang18": without the version. */
static size_t without_version(const char *name, size_t len)
{
	size_t cut = len;

	while (cut && (isdigit((unsigned char)name[cut - 1]) || name[cut - 1] == '.'))
		cut--;
	return cut && cut < len && name[cut - 1] == '-' ? cut - 1 : cut;
}

static size_t bare_length(const char *name)
{
	return without_version(name, without(name, strlen(name), ".exe"));
}

/* "zig" of "zig+cc". */
static bool begins_name(const struct family *f, const char *name, size_t len)
{
	for (const char *at = f->programs, *plus; (plus = strchr(at, '+')); at = plus + 1) {
		const char *word = plus;

		while (word > at && word[-1] != ' ')
			word--;
		if ((size_t)(plus - word) == len && !memcmp(word, name, len))
			return true;
	}
	return false;
}

bool family_takes_word(const char *program)
{
	const char *name = path_base(program);
	size_t len = bare_length(name);

	for (const struct family *f = families; f->name; f++)
		if (begins_name(f, name, len))
			return true;
	return false;
}

const struct family *family_of(const char *program, const char *first, size_t *args)
{
	/* behind a name, beside a version */
	static const char *const ends[] = { "-posix", "-win32", "-mp", ".openmpi", ".mpich", "" };
	const char *name = path_base(program);
	size_t len = without(name, strlen(name), ".exe"), bare = without_version(name, len);
	const struct family *f = called_for_target(name, len), *both;
	char two[64];

	for (size_t i = 0; !f && i < sizeof(ends) / sizeof(ends[0]); i++)
		f = called_for_target(name, without_version(name, without(name, bare, ends[i])));
	*args = 1;
	if (!first || strlen(first) + bare + 2 > sizeof(two))
		return f;
	/* "zig cc", "clang -cc1" */
	memcpy(two, name, bare);
	two[bare] = '+';
	strcpy(two + bare + 1, first);
	both = called_for_target(two, bare + 1 + strlen(first));
	*args += both != NULL;
	return both ? both : f;
}

/* ---- options ---- */

struct found {
	const struct option *row;
	enum option_form form;
	const char *value;
};

/* Whether @arg, of which @row's name is the beginning, can be that; the rest of it is @rest. */
static bool fits(const struct option *row, const char *rest, struct found *found)
{
	unsigned int next = row->forms & (NEXT | NEXT_2 | NEXT_3);

	*found = (struct found){ .row = row };
	if (!*rest) {
		found->form = next ? (enum option_form)next : ALONE;
		return next || row->forms & (ALONE | JOINED);
	}
	if ((*rest == '=' && row->forms & EQUALS) || (*rest == ':' && row->forms & COLON)) {
		found->form = *rest == '=' ? EQUALS : COLON;
		found->value = rest + 1;
		return true;
	}
	found->form = JOINED;
	found->value = rest;
	return row->forms & JOINED;
}

/*
 * How much of @arg and @name is the same, without the dash before it: families that have two
 * do not tell them apart.
 */
static size_t common(const struct family *f, const char *arg, const char *name, int *order)
{
	size_t i = 1;

	for (;; i++) {
		int a = (unsigned char)arg[i], b = (unsigned char)name[i];

		if (f->ignores_case) {
			a = tolower(a);
			b = tolower(b);
		}
		*order = a - b;
		if (*order || !a)
			return i;
	}
}

/* The first row of a set whose name goes on with @letter, or with one behind it. */
static size_t rows_from(const struct family *f, const struct option_set *set, int letter)
{
	size_t low = 0, high = set->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int c = (unsigned char)set->rows[middle].name[1];

		if ((f->ignores_case ? tolower(c) : c) < letter)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The longest name that is the beginning of the first @limit bytes of @arg.  All names between
 * it and @arg begin with it: so whatever stands before @arg says how long it can be.
 */
static void search(const struct family *f, const struct option_set *set, const char *arg,
		   struct found *found)
{
	int letter = f->ignores_case ? tolower((unsigned char)arg[1]) : (unsigned char)arg[1];
	size_t first = rows_from(f, set, letter), behind = first, limit = strlen(arg);

	if (first < set->n)
		behind = rows_from(f, set, letter + 1);
	while (limit > 1 && first < behind) {
		size_t low = first, high = behind, same;
		const char *name;
		int order;

		/* the first name behind the first @limit bytes of @arg */
		while (low < high) {
			size_t middle = low + (high - low) / 2;

			name = set->rows[middle].name;
			same = common(f, arg, name, &order);
			/* a beginning of these bytes stands before them, what goes on behind them */
			if (same >= limit)
				order = name[limit] ? -1 : 0;
			else if (!name[same])
				order = 1;
			if (order >= 0)
				low = middle + 1;
			else
				high = middle;
		}
		if (low == first)
			return;
		name = set->rows[low - 1].name;
		same = common(f, arg, name, &order);
		if (!name[same] && same <= limit) {
			if (fits(&set->rows[low - 1], arg + same, found))
				return;
			*found = (struct found){ 0 };
			same--;
		}
		limit = same < limit ? same : limit - 1;
	}
}

const struct option *option_find(const struct family *f, const char *arg, enum option_form *form,
				 const char **value)
{
	struct found best = { 0 };

	for (size_t i = 0; i < FAMILY_SETS && f->sets[i]; i++) {
		struct found found = { 0 };

		search(f, f->sets[i], arg, &found);
		if (found.row && (!best.row || strlen(found.row->name) > strlen(best.row->name)))
			best = found;
	}
	*form = best.form;
	*value = best.value;
	return best.row;
}

size_t option_values(enum option_form form)
{
	return form == NEXT ? 1 : form == NEXT_2 ? 2 : form == NEXT_3 ? 3 : 0;
}

/* ---- languages ---- */

static const struct {
	const char *suffix, *language;
} suffixes[] = {
	{ ".c", "c" }, { ".i", "cpp-output" },
	{ ".cc", "c++" }, { ".cp", "c++" }, { ".cxx", "c++" }, { ".cpp", "c++" }, { ".CPP", "c++" },
	{ ".c++", "c++" }, { ".C", "c++" }, { ".ii", "c++-cpp-output" },
	{ ".m", "objective-c" }, { ".mm", "objective-c++" }, { ".M", "objective-c++" },
	{ ".s", "assembler" }, { ".S", "assembler-with-cpp" }, { ".sx", "assembler-with-cpp" },
	{ ".h", "c-header" }, { ".hh", "c++-header" }, { ".hpp", "c++-header" },
	{ ".H", "c++-header" }, { ".hxx", "c++-header" }, { ".h++", "c++-header" },
	{ ".f", "f77" }, { ".f90", "f95" }, { ".F", "f77-cpp-input" }, { ".F90", "f95-cpp-input" },
};

const char *language_of(const struct family *f, const char *path)
{
	const char *dot = strrchr(path_base(path), '.');

	for (size_t i = 0; f->languages && dot && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (!strcmp(suffixes[i].suffix, dot))
			return suffixes[i].language;
	return NULL;
}
