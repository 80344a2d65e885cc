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

/* "libc.so", "libc.so.6": nothing but digits and dots behind. */
static bool is_shared(const char *s, size_t len)
{
	const char *end = s + len, *at;

	for (at = s; (at = memmem(at, (size_t)(end - at), ".so", 3)); at += 3) {
		const char *p = at + 3;

		while (p < end && (*p == '.' || (*p >= '0' && *p <= '9')))
			p++;
		if (p == end)
			return true;
	}
	return false;
}

unsigned int classes_of_name(const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);
	const char *base = slash ? slash + 1 : path;
	unsigned int bits = NAME_TESTED;

	if (is_shared(base, (size_t)(path + len - base)))
		bits |= NAME_SHARED;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		size_t n = strlen(places[i].part);

		if (places[i].inside ? memmem(path, len, places[i].part, n) != NULL :
				       len >= n && !memcmp(path, places[i].part, n))
			return bits | places[i].bits;
	}
	return bits;
}

static bool is_one_of(const char *const *list, const char *s, size_t len)
{
	for (; *list; list++) {
		size_t n = strlen(*list);

		/* "python3.11" is python */
		while (len > n && strchr("0123456789.", s[len - 1]) && s[len - 1])
			len--;
		if (len == n && !memcmp(s, *list, n))
			return true;
	}
	return false;
}

bool classes_interprets(const char *program, size_t len)
{
	static const char *const names[] = {
		"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "busybox", "python", "perl",
		"ruby", "tclsh", "awk", "gawk", "mawk", "lua", "node", "guile", "php", "Rscript",
		NULL
	};

	return is_one_of(names, program, len);
}

bool classes_lends(const char *program, size_t len)
{
	static const char *const names[] = {
		"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "busybox", "make", "gmake",
		"ninja", "samu", NULL
	};

	return is_one_of(names, program, len);
}
