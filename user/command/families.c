// SPDX-License-Identifier: LGPL-2.1
/* Finds the family of a program, its options, and languages of sources.  See grammar.h. */
#include "command/grammar.h"
#include "base/partition.h"
#include "base/path.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

bool has_word(const char *list, const char *word, size_t len)
{
	for (const char *at = list, *end; at && *at; at = *end ? end + 1 : end) {
		end = at + strcspn(at, "\n ");
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

static const struct family *family_called(const char *name, size_t len)
{
	for (const struct family *f = families; f->name; f++)
		if (has_word(f->programs, name, len))
			return f;
	return NULL;
}

/*
 * The family with that name, also after a target: "arm-linux-gnueabi-gcc". The name after the
 * target begins within the first @first bytes.
 */
static const struct family *family_for_target(const char *name, size_t len, size_t first)
{
	const struct family *f = family_called(name, len);

	for (size_t i = 1; !f && i + 1 < len && i < first; i++) {
		if (name[i - 1] == '-')
			f = family_called(name + i, len - i);
		if (f && f->tool == TOOL_WRAPPER)	/* "run-time" is not time */
			f = NULL;
	}
	return f;
}

static size_t without_end(const char *name, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len > n && !strncasecmp(name + len - n, end, n) ? len - n : len;
}

/* Length of a name without its version: "gcc-12.2", "clang18". */
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

	return without_version(name, without_end(name, without_end(name, len, ".exe"), ".py"));
}

/*
 * The family of a name with a word after the version, or instead of it: "gcc-12-posix",
 * "gcc-win32", "mpicc.openmpi".
 */
static const struct family *family_at_length(const char *name, size_t len)
{
	static const char *const ends[] = { "", "-posix", "-win32", "-mp", ".openmpi", ".mpich" };
	const struct family *f = NULL;

	for (size_t i = 0; !f && i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t cut = without_end(name, len, ends[i]);

		f = family_for_target(name, cut, cut);
		if (!f)
			f = family_for_target(name, without_version(name, cut), cut);
	}
	return f;
}

static const struct family *family_by_name(const char *name)
{
	size_t len = strlen(name), bare = bare_length(name);
	/* first try the whole name: "link.exe" is not "link" */
	const struct family *f = family_called(name, len);

	if (!f)
		f = family_at_length(name, without_end(name, len, ".exe"));
	if (!f)
		f = family_at_length(name, bare);
	return f;
}

/* Whether a name is the first word of a program with two: "zig" of "zig+cc". */
static bool begins_name(const struct family *f, const char *name, size_t len)
{
	for (const char *at = f->programs, *plus; (plus = strchr(at, '+')); at = plus + 1) {
		const char *word = plus;

		while (word > at && word[-1] != ' ' && word[-1] != '\n')
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
	/* some programs are known by two words, as in "zig cc" and "clang -cc1" */
	memcpy(two, name, bare);
	two[bare] = '+';
	memcpy(two + bare + 1, first, strlen(first) + 1);
	both = family_for_target(two, bare + 1 + strlen(first), bare);
	*args += both != NULL;
	return both ? both : f;
}

/* ---- options ---- */

struct found {
	const struct option *row;
	enum option_form form;
	const char *value;
};

/* Whether an argument can be option @row; it begins with the row's name, and @rest follows. */
static bool option_fits(const struct option *row, const char *rest, struct found *found)
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

static int folded_letter(const struct family *f, char c)
{
	return f->ignores_case ? tolower((unsigned char)c) : (unsigned char)c;
}

/*
 * The length of @name if @arg begins with it, else 0.  The first character does not matter:
 * families with two kinds of dashes ("-" and "/") treat both the same.
 */
static size_t begins_with_name(const struct family *f, const char *name, const char *arg)
{
	size_t i = 1;

	while (name[i] && folded_letter(f, name[i]) == folded_letter(f, arg[i]))
		i++;
	return name[i] ? 0 : i;
}

/* Index the rows by the letter after the dash. */
static void find_letters(const struct family *f, const struct option_set *set)
{
	unsigned short row = 0;

	for (int c = 0; c < OPTION_LETTERS; c++) {
		while (row < set->n && folded_letter(f, set->rows[row].name[1]) < c)
			row++;
		set->letters[c] = row;
	}
	set->letters[OPTION_LETTERS] = set->n;
}

/* The first row from @low to @high whose second letter after the dash is at least @next. */
static size_t rows_from(const struct family *f, const struct option_set *set, size_t low,
			size_t high, int next)
{
	return partition_point(i, low, high, folded_letter(f, set->rows[i].name[2]) < next);
}

/* Search backwards: of all names that @arg begins with, the last one is the longest. */
static bool search_rows(const struct family *f, const struct option_set *set, size_t low,
			size_t high, const char *arg, struct found *found)
{
	int next = folded_letter(f, arg[2]);

	for (size_t row = high; row-- > low;) {
		const char *name = set->rows[row].name;
		size_t len;

		if (name[2] && folded_letter(f, name[2]) != next)
			continue;
		len = begins_with_name(f, name, arg);
		if (len && option_fits(&set->rows[row], arg + len, found))
			return true;
	}
	return false;
}

/* Up to this many rows, a linear search is used. */
#define FEW_ROWS	16

static void search_set(const struct family *f, const struct option_set *set, const char *arg,
		       struct found *found)
{
	int c = folded_letter(f, arg[1]);
	size_t first, high, low;

	if (!set->letters[OPTION_LETTERS])
		find_letters(f, set);
	if (!c || c >= OPTION_LETTERS)
		return;
	low = first = set->letters[c];
	high = set->letters[c + 1];
	if (high - low > FEW_ROWS) {
		high = rows_from(f, set, first, high, folded_letter(f, arg[2]) + 1);
		low = rows_from(f, set, first, high, folded_letter(f, arg[2]));
	}
	if (search_rows(f, set, low, high, arg, found))
		return;
	/* then options of one letter: "-o" */
	while (first < low && !set->rows[first].name[2])
		first++;
	if (!search_rows(f, set, set->letters[c], first, arg, found))
		*found = (struct found){ 0 };
}

static struct found find_in_sets(const struct family *f, const char *arg)
{
	struct found best = { 0 };

	for (size_t i = 0; i < FAMILY_SETS && f->sets[i]; i++) {
		struct found found = { 0 };

		/* options with a slash are accepted with a dash as well, but not the reverse */
		if (*arg != '-' && f->sets[i]->rows[0].name[0] == '-')
			continue;
		search_set(f, f->sets[i], arg, &found);
		if (found.row && (!best.row || strlen(found.row->name) > strlen(best.row->name)))
			best = found;
	}
	return best;
}

/* Cache of lookups by family and argument: builds repeat the same options thousands of times. */
#define MEMO_ROWS	512u
#define MEMO_ARG	48u

static struct memo {
	const struct family *f;
	char arg[MEMO_ARG];
	struct found found;	/* its value is in @arg */
} memo[MEMO_ROWS];

static struct memo *memo_of(const struct family *f, const char *arg, size_t *len)
{
	uint32_t hash = (uint32_t)(f - families);
	size_t i = 0;

	for (; i < MEMO_ARG && arg[i]; i++)
		hash = hash * 31 + (unsigned char)arg[i];
	*len = i;
	return &memo[(hash ^ hash >> 9) % MEMO_ROWS];
}

const struct option *option_find(const struct family *f, const char *arg, enum option_form *form,
				 const char **value)
{
	size_t len;
	struct memo *m = memo_of(f, arg, &len);
	struct found found;

	if (len == MEMO_ARG) {
		found = find_in_sets(f, arg);
		*form = found.form;
		*value = found.value;
		return found.row;
	}
	if (m->f != f || strcmp(m->arg, arg)) {
		m->f = f;
		memcpy(m->arg, arg, len + 1);
		m->found = find_in_sets(f, m->arg);
	}
	*form = m->found.form;
	*value = m->found.value ? arg + (m->found.value - m->arg) : NULL;
	return m->found.row;
}

size_t option_values(enum option_form form)
{
	return form == NEXT ? 1 : form == NEXT_2 ? 2 : form == NEXT_3 ? 3 : 0;
}

/* ---- languages ---- */

/*
 * The first row whose language the family compiles is used: ".c" is C++ if the family does not
 * compile C.
 */
static const struct {
	const char *suffix, *language;	/* as for gcc's -x */
	const char *of;			/* as in family.languages */
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

static bool compiles_suffix(const struct family *f, size_t i)
{
	return has_word(f->languages, suffixes[i].of, strlen(suffixes[i].of)) &&
	       (!strstr(suffixes[i].language, "-header") || has_word(f->languages, "headers", 7));
}

const char *language_of(const struct family *f, const char *path)
{
	const char *name = path_base(path), *dot = strrchr(name, '.');
	bool any_case = f->at == AT_WINDOWS;	/* file names ignore case there */

	/* a file named ".c" has no suffix */
	for (size_t i = 0; dot && dot > name && i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		const char *suffix = suffixes[i].suffix;

		if (!any_case && (suffix[1] != dot[1] || strcmp(suffix, dot)))
			continue;
		if ((!any_case || !strcasecmp(suffix, dot)) && compiles_suffix(f, i))
			return suffixes[i].language;
	}
	return f->language;
}
