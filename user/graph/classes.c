// SPDX-License-Identifier: LGPL-2.1
/* What files are read for.  See classes.h. */
#include "graph/classes.h"

#include <string.h>

const char *const graph_class_names[GRAPH_NCLASSES] = {
	"data", "pipe", "program", "loader", "config", "probe", "dir"
};

/* Where a path begins, or (@inside) what stands somewhere in it. */
static const struct {
	const char *part;
	bool inside;
	unsigned int bits;
} places[] = {
	{ "/etc/ld.so.", false, NAME_LOADER },
	{ "/etc/ld-musl-", false, NAME_LOADER },
	{ "/etc/", false, NAME_CONFIG },
	{ "/proc/", false, NAME_CONFIG | NAME_SPECIAL },
	{ "/sys/", false, NAME_CONFIG | NAME_SPECIAL },
	{ "/dev/shm/", false, 0 },
	{ "/dev/", false, NAME_CONFIG | NAME_SPECIAL },
	{ "/usr/lib/locale/", false, NAME_CONFIG },
	{ "/usr/share/locale/", false, NAME_CONFIG },
	{ "/usr/share/i18n/", false, NAME_CONFIG },
	{ "/usr/share/zoneinfo/", false, NAME_CONFIG },
	{ "/lib/terminfo/", false, NAME_CONFIG },
	{ "/usr/share/terminfo/", false, NAME_CONFIG },
	{ "/gconv/", true, NAME_CONFIG },
	{ "/usr/lib/python", false, NAME_MODULE },
	{ "/usr/local/lib/python", false, NAME_MODULE },
	{ "/usr/share/perl", false, NAME_MODULE },
	{ "/__pycache__/", true, NAME_MODULE },
	{ "/perl-base/", true, NAME_MODULE },
	{ "/perl5/", true, NAME_MODULE },
	{ "/perl/", true, NAME_MODULE },
};

/* Length without the digits and dots at the end. */
static size_t without_number(const char *s, size_t len)
{
	while (len && (s[len - 1] == '.' || (s[len - 1] >= '0' && s[len - 1] <= '9')))
		len--;
	return len;
}

/* "libc.so", "libc.so.6": nothing but digits and dots behind. */
static bool is_shared(const char *s, size_t len)
{
	size_t n = without_number(s, len);

	return n >= 3 && !memcmp(s + n - 3, ".so", 3);
}

/* Whether bytes begin with a part of a path; most differ behind the slash. */
static bool begins_with(const char *s, size_t len, const char *part)
{
	return len > 1 && s[1] == part[1] && len >= strlen(part) && !memcmp(s, part, strlen(part));
}

static bool holds(const char *path, size_t len, const char *part)
{
	const char *end = path + len, *at;

	for (at = path; (at = memchr(at, '/', (size_t)(end - at))); at++)
		if (begins_with(at, (size_t)(end - at), part))
			return true;
	return false;
}

unsigned int classes_of_name(const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);
	const char *base = slash ? slash + 1 : path;
	unsigned int bits = NAME_TESTED;

	if (is_shared(base, (size_t)(path + len - base)))
		bits |= NAME_SHARED;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (places[i].inside ? holds(path, len, places[i].part) :
				       begins_with(path, len, places[i].part))
			return bits | places[i].bits;
	return bits;
}

/* Whether a program has one of these names; "python3.11" is python. */
static bool is_one_of(const char *const *list, const char *s, size_t len)
{
	size_t n = without_number(s, len);

	for (; n && *list; list++)
		if (**list == *s && strlen(*list) == n && !memcmp(s, *list, n))
			return true;
	return false;
}

bool classes_interprets(const char *program, size_t len)
{
	static const char *const names[] = {
		"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "python", "perl",
		"ruby", "tclsh", "awk", "gawk", "mawk", "lua", "node", "guile", "php", "Rscript",
		NULL
	};

	return is_one_of(names, program, len);
}

bool classes_lends(const char *program, size_t len)
{
	static const char *const names[] = {
		"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "make", "gmake",
		"ninja", "samu", NULL
	};

	return is_one_of(names, program, len);
}
