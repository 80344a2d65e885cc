// SPDX-License-Identifier: LGPL-2.1
/* Which family a program is of, and what its family says.  See grammar.h. */
#include "command/grammar.h"
#include "base/path.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

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

/*
 * @name is one of ours, or has a target before one: "arm-linux-gnueabi-gcc".  Behind its first
 * @first bytes no name begins.
 */
static const struct family *called_for_target(const char *name, size_t len, size_t first)
{
	const struct family *f = called(name, len);

	for (size_t i = 1; !f && i + 1 < len && i < first; i++) {
		if (name[i - 1] == '-')
			f = called(name + i, len - i);
		if (f && f->tool == TOOL_WRAPPER)	/* "run-time" */
			f = NULL;
	}
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
	size_t len = strlen(name);

	return without_version(name, without(name, without(name, len, ".exe"), ".py"));
}

/* "gcc-12-posix", "gcc-win32", "mpicc.openmpi": a word behind the version, or in its place. */
static const struct family *called_at_length(const char *name, size_t len)
{
	static const char *const ends[] = { "", "-posix", "-win32", "-mp", ".openmpi", ".mpich" };
	const struct family *f = NULL;

	for (size_t i = 0; !f && i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t cut = without(name, len, ends[i]);

		f = called_for_target(name, cut, cut);
		if (!f)
			f = called_for_target(name, without_version(name, cut), cut);
	}
	return f;
}

static const struct family *family_by_name(const char *name)
{
	size_t len = strlen(name), bare = bare_length(name);
	const struct family *f = called(name, len);	/* "link.exe", which is no "link" */

	if (!f)
		f = called_at_length(name, without(name, len, ".exe"));
	if (!f)
		f = called_at_length(name, bare);
	return f;
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
	const char *name = path_base(program);
	size_t bare = bare_length(name);
	const struct family *f = family_by_name(name), *both;
	char two[64];

	*args = 1;
	if (!first || strlen(first) + bare + 2 > sizeof(two))
		return f;
	/* "zig cc", "clang -cc1" */
	memcpy(two, name, bare);
	two[bare] = '+';
	strcpy(two + bare + 1, first);
	both = called_for_target(two, bare + 1 + strlen(first), bare);
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

	if (row->forms & BOTH)
		next = NEXT;
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
	found->form = row->forms & BOTH ? NEXT : JOINED;
	found->value = rest;
	return row->forms & (JOINED | BOTH);
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

		/* what has a slash may have a dash as well, not the other way round */
		if (*arg != '-' && f->sets[i]->rows[0].name[0] == '-')
			continue;
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

/* A suffix is looked for in the order of these: "c++" takes what "c" would have. */
static const struct {
	const char *suffix, *language;	/* as gcc's -x has it */
	const char *of;			/* as families have it */
} suffixes[] = {
	{ ".c", "c", "c" }, { ".c", "c++", "c++" },
	{ ".cc", "c++", "c++" }, { ".cp", "c++", "c++" }, { ".cxx", "c++", "c++" },
	{ ".cpp", "c++", "c++" }, { ".CPP", "c++", "c++" }, { ".c++", "c++", "c++" },
	{ ".C", "c++", "c++" },
	{ ".i", "cpp-output", "c" }, { ".i", "c++-cpp-output", "c++" },
	{ ".ii", "c++-cpp-output", "c++" },
	{ ".m", "objective-c", "objective-c" }, { ".m", "objective-c++", "objective-c++" },
	{ ".mi", "objective-c-cpp-output", "objective-c" },
	{ ".mm", "objective-c++", "objective-c++" }, { ".M", "objective-c++", "objective-c++" },
	{ ".mii", "objective-c++-cpp-output", "objective-c++" },
	{ ".h", "c-header", "c" }, { ".h", "c++-header", "c++" },
	{ ".hh", "c++-header", "c++" }, { ".hp", "c++-header", "c++" },
	{ ".hpp", "c++-header", "c++" }, { ".HPP", "c++-header", "c++" },
	{ ".hxx", "c++-header", "c++" }, { ".h++", "c++-header", "c++" },
	{ ".H", "c++-header", "c++" }, { ".tcc", "c++-header", "c++" },
	{ ".cppm", "c++-module", "modules" }, { ".ccm", "c++-module", "modules" },
	{ ".cxxm", "c++-module", "modules" }, { ".c++m", "c++-module", "modules" },
	{ ".ixx", "c++-module", "modules" },
	{ ".s", "assembler", "assembler" }, { ".S", "assembler-with-cpp", "assembler" },
	{ ".sx", "assembler-with-cpp", "assembler" }, { ".asm", "assembler", "asm" },
	{ ".sa", "assembler", "asm" }, { ".cu", "cuda", "cuda" }, { ".ptx", "ptx", "ptx" },
	{ ".hip", "hip", "hip" }, { ".cl", "cl", "opencl" }, { ".ll", "ir", "ir" },
	{ ".bc", "ir", "ir" },
	{ ".f", "f77", "fortran" }, { ".for", "f77", "fortran" }, { ".ftn", "f77", "fortran" },
	{ ".F", "f77-cpp-input", "fortran" }, { ".FOR", "f77-cpp-input", "fortran" },
	{ ".fpp", "f77-cpp-input", "fortran" }, { ".FPP", "f77-cpp-input", "fortran" },
	{ ".FTN", "f77-cpp-input", "fortran" }, { ".i90", "f95", "fortran" },
	{ ".f90", "f95", "fortran" }, { ".f95", "f95", "fortran" }, { ".f03", "f95", "fortran" },
	{ ".f08", "f95", "fortran" }, { ".f18", "f95", "fortran" }, { ".cuf", "f95", "fortran" },
	{ ".F90", "f95-cpp-input", "fortran" }, { ".F95", "f95-cpp-input", "fortran" },
	{ ".F03", "f95-cpp-input", "fortran" }, { ".F08", "f95-cpp-input", "fortran" },
	{ ".F18", "f95-cpp-input", "fortran" }, { ".CUF", "f95-cpp-input", "fortran" },
	{ ".ads", "ada", "ada" }, { ".adb", "ada", "ada" }, { ".d", "d", "d" }, { ".di", "d", "d" },
	{ ".dd", "d", "d" }, { ".go", "go", "go" }, { ".rs", "rust", "rust" },
	{ ".swift", "swift", "swift" }, { ".java", "java", "java" },
};

static bool compiles(const struct family *f, size_t i)
{
	return has_word(f->languages, suffixes[i].of, strlen(suffixes[i].of)) &&
	       (!strstr(suffixes[i].language, "-header") || has_word(f->languages, "headers", 7));
}

const char *language_of(const struct family *f, const char *path)
{
	const char *name = path_base(path), *dot = strrchr(name, '.');
	bool any_case = f->at == AT_WINDOWS;	/* names of files there */

	/* ".c" has none */
	for (size_t i = 0; dot && dot > name && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if ((any_case ? !strcasecmp(suffixes[i].suffix, dot) : !strcmp(suffixes[i].suffix, dot)) &&
		    compiles(f, i))
			return suffixes[i].language;
	return f->language;
}
