// SPDX-License-Identifier: LGPL-2.1
/* Classes of files by path, and of programs by name.  See classes.h. */
#include "graph/classes.h"
#include "base/path.h"

#include <string.h>

const char *const graph_class_names[GRAPH_NCLASSES] = {
	"data", "pipe", "program", "loader", "config", "probe", "dir"
};

#define LIBC (NAME_CONFIG | NAME_CLOEXEC)
#define KERNEL (NAME_CONFIG | NAME_SPECIAL)

/*
 * System files that programs read without being asked to; everything else is data. "*" stands for
 * any bytes but a slash.
 */
static const struct {
	const char *part;
	unsigned int bits;
} places[] = {
	{ "/etc/ld.so.", NAME_LOADER },
	{ "/etc/ld-musl-", NAME_LOADER },
	{ "/proc/", KERNEL }, { "/sys/", KERNEL },
	{ "/dev/shm/", 0 },
	{ "/dev/null", KERNEL }, { "/dev/zero", KERNEL }, { "/dev/full", KERNEL },
	{ "/dev/random", KERNEL }, { "/dev/urandom", KERNEL },
	{ "/dev/", KERNEL | NAME_DEVICE },
	/* the C library: locales, character sets, time zones, user and host names */
	{ "/usr/lib/locale/", LIBC }, { "/usr/lib*/gconv/", NAME_CONFIG },
	{ "/usr/lib*/*/gconv/", NAME_CONFIG }, { "/usr/share/zoneinfo/", LIBC },
	{ "/etc/locale.alias", LIBC }, { "/etc/localtime", LIBC }, { "/etc/timezone", LIBC },
	{ "/etc/nsswitch.conf", NAME_CONFIG }, { "/etc/passwd", LIBC }, { "/etc/group", LIBC },
	{ "/etc/shadow", LIBC }, { "/etc/gshadow", LIBC }, { "/etc/hosts", LIBC },
	{ "/etc/host.conf", LIBC }, { "/etc/resolv.conf", LIBC }, { "/etc/gai.conf", LIBC },
	{ "/etc/services", LIBC }, { "/etc/protocols", LIBC }, { "/etc/networks", LIBC },
	{ "/usr/share/locale*/", NAME_CONFIG }, { "/etc/nscd.conf", NAME_CONFIG },
	{ "/etc/selinux/", NAME_CONFIG }, { "/etc/malloc.conf", NAME_CONFIG },
	/* terminals, sessions */
	{ "/usr/lib/terminfo/", NAME_CONFIG }, { "/lib/terminfo/", NAME_CONFIG },
	{ "/usr/share/terminfo/", NAME_CONFIG }, { "/etc/terminfo/", NAME_CONFIG },
	{ "/etc/inputrc", NAME_CONFIG }, { "/etc/profile", NAME_CONFIG },
	{ "/etc/bash", NAME_CONFIG }, { "/etc/zsh/", NAME_CONFIG },
	{ "/etc/environment", NAME_CONFIG }, { "/etc/login.defs", NAME_CONFIG },
	{ "/etc/pam.", NAME_CONFIG }, { "/etc/security/", NAME_CONFIG },
	{ "/etc/sudo", NAME_CONFIG },
	/* libraries of many programs, and environments that they run in */
	{ "/etc/ssl/", NAME_CONFIG }, { "/etc/pki/", NAME_CONFIG },
	{ "/etc/crypto-policies/", NAME_CONFIG }, { "/etc/fonts/", NAME_CONFIG },
	{ "/etc/perl/", NAME_CONFIG }, { "/etc/python", NAME_CONFIG },
	{ "/etc/java", NAME_CONFIG }, { "/etc/php/", NAME_CONFIG },
	{ "/etc/gitconfig", NAME_CONFIG }, { "/etc/ccache.conf", NAME_CONFIG },
};

/* Length of a name without the digits and dots at its end. */
static size_t without_number(const char *s, size_t len)
{
	while (len && (s[len - 1] == '.' || (s[len - 1] >= '0' && s[len - 1] <= '9')))
		len--;
	return len;
}

/* Whether a name is that of a shared object: "libc.so", "libc.so.6", "libLLVM.so.19.1-rust" */
static bool is_shared(const char *s, size_t len)
{
	const char *so = memmem(s, len, ".so", 3);

	if (!so || so + 3 == s + len)
		return so;
	return so + 4 < s + len && so[3] == '.' && so[4] >= '0' && so[4] <= '9';
}

/* How many bytes at the start of a path match a pattern.  Return: 0 if it does not match */
static size_t match_length(const char *pattern, const char *path, size_t len)
{
	size_t i = 0, n;

	for (; *pattern; pattern++) {
		if (*pattern != '*') {
			if (i == len || path[i++] != *pattern)
				return 0;
			continue;
		}
		for (n = i; n <= len; n++) {
			size_t rest = match_length(pattern + 1, path + n, len - n);

			if (rest)
				return n + rest;
			if (n == len || path[n] == '/')
				return 0;
		}
	}
	return i;
}

struct name_class classes_of_name(const char *path, size_t len)
{
	size_t base_len = len;
	const char *base = path_base_of(path, &base_len);
	struct name_class c = { 0 };

	if (is_shared(base, base_len))
		c.bits |= NAME_SHARED;
	if (path_in(path, len, path_installed))
		c.bits |= NAME_SYSTEM;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		size_t n = match_length(places[i].part, path, len);

		if (!n)
			continue;
		c.bits |= (uint8_t)places[i].bits;
		/* use the directory of a pattern like "/etc/passwd" */
		while (n && path[n - 1] != '/')
			n--;
		c.place = n ? (uint8_t)(n - 1) : 0;
		break;
	}
	return c;
}

bool classes_is_header(uint64_t bytes, bool shared)
{
	uint64_t more = bytes < 832 ? 1 : bytes - 832;

	/* the buffer sizes of glibc and musl; for a shared object, also further program headers */
	return bytes == 832 || bytes == 960 || (shared && (bytes == 512 || !(more % 56)));
}

/* Whether a program is @name in any version: "python3.11" is python, "guile-3.0" is guile. */
static bool is_program(const char *s, size_t len, const char *name)
{
	size_t n;

	if (*name != *s)
		return false;
	n = without_number(s, len);
	if (n > 1 && n < len && s[n - 1] == '-')
		n--;
	return strlen(name) == n && !memcmp(s, name, n);
}

static const struct interpreter interpreters[] = {
	{ "sh", true, NULL, NULL }, { "bash", true, NULL, NULL }, { "dash", true, NULL, NULL },
	{ "ash", true, NULL, NULL }, { "ksh", true, NULL, NULL }, { "mksh", true, NULL, NULL },
	{ "zsh", true, "zsh", NULL },
	{ "python", true, "python", NULL }, { "pypy", true, "pypy", NULL },
	{ "perl", true, "perl", NULL }, { "ruby", true, "ruby", "/var/lib/gems/" },
	{ "node", true, "node", NULL }, { "nodejs", true, "node", NULL },
	{ "lua", true, "lua", NULL }, { "luajit", true, "lua", NULL },
	{ "tclsh", true, "tcl", NULL }, { "wish", true, "tcl", NULL },
	{ "expect", true, "tcl", NULL }, { "guile", true, "guile", NULL },
	{ "php", true, "php", NULL }, { "Rscript", true, "R", "/usr/lib/R/" },
	{ "R", false, "R", "/usr/lib/R/" }, { "julia", true, "julia", NULL },
	{ "octave-cli", true, "octave", NULL }, { "octave", true, "octave", NULL },
	{ "awk", true, "awk", NULL }, { "gawk", true, "awk", NULL }, { "mawk", true, NULL, NULL },
	{ "emacs", false, "emacs", NULL }, { "beam.smp", false, "erlang", "/usr/lib/erlang/" },
	{ "sbcl", false, "sbcl", NULL }, { "mono", true, "mono", NULL },
	{ "java", false, "", NULL }, { "javac", false, "", NULL }, { "jar", false, "", NULL },
	{ "javadoc", false, "", NULL }, { "jlink", false, "", NULL },
	{ "keytool", false, "", NULL },
};

const struct interpreter *classes_interpreter(const char *program, size_t len)
{
	for (size_t i = 0; len && i < sizeof(interpreters) / sizeof(interpreters[0]); i++)
		if (is_program(program, len, interpreters[i].program))
			return &interpreters[i];
	return NULL;
}

/*
 * Length of the library directory that a path is in, such as PREFIX/lib/python3.11 or
 * PREFIX/lib/x86_64-linux-gnu/perl.  Return: 0 if none
 */
static size_t below_prefix(const char *word, const char *prefix, size_t n, const char *path,
			   size_t len)
{
	static const char *const dirs[] = { "/lib*/", "/share/", "/conf/", "/jmods/" };
	size_t dir = 0, end;

	if (len <= n || memcmp(path, prefix, n))
		return 0;
	for (size_t i = 0; !dir && i < (*word ? 2 : sizeof(dirs) / sizeof(dirs[0])); i++)
		dir = match_length(dirs[i], path + n, len - n);
	if (!dir || !*word)
		return dir ? n + dir - 1 : 0;
	/* directly below the prefix, or below a directory for the architecture */
	for (int i = 0; i < 2; i++) {
		const char *slash = memchr(path + n + dir, '/', len - n - dir);

		if (!slash)
			return 0;
		end = (size_t)(slash - path);
		if (match_length(word, path + n + dir, len - n - dir))
			return end;
		dir = end + 1 - n;
	}
	return 0;
}

size_t classes_library(const struct interpreter *in, const char *program, const char *cwd,
		       const char *path, size_t len)
{
	static const char *const prefixes[] = { "/usr", "/usr/local" };
	const char *bin = strrchr(program, '/');
	size_t n = 0, home = strlen(cwd);

	if (!in->word)
		return 0;
	if (in->place && match_length(in->place, path, len))
		return strlen(in->place) - 1;
	for (size_t i = 0; *in->word && !n && i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		n = below_prefix(in->word, prefixes[i], strlen(prefixes[i]), path, len);
	bin = bin ? memrchr(program, '/', (size_t)(bin - program)) : NULL;
	/* an interpreter below the working directory belongs to the build */
	if (n || !bin || bin == program || (home > 1 && !strncmp(program, cwd, home)))
		return n;
	return below_prefix(in->word, program, (size_t)(bin - program), path, len);
}

bool classes_lends(const char *program, size_t len)
{
	static const char *const names[] = {
		"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "make", "gmake",
		"ninja", "samu",
	};

	for (size_t i = 0; len && i < sizeof(names) / sizeof(names[0]); i++)
		if (is_program(program, len, names[i]))
			return true;
	return false;
}
