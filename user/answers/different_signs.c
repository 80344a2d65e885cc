// SPDX-License-Identifier: LGPL-2.1
/* Signs of causes: programs, files and variables.  See different.h. */
#include "answers/different.h"

#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof(*(table)))

/* Programs whose output differs between runs, by base name. */
static const struct different_sign programs[] = {
	{ "date", DIFFERENT_TIME, 75, "prints the time" },
	{ "hwclock", DIFFERENT_TIME, 75, "prints the time" },
	{ "git commit", DIFFERENT_TIME, 70, "writes the time into what it makes" },
	{ "git tag", DIFFERENT_TIME, 45, "writes the time into what it makes" },
	{ "uptime", DIFFERENT_TIME, 75, "prints the time since the machine started" },
	{ "hostname", DIFFERENT_HOST, 75, "prints the host name" },
	{ "hostnamectl", DIFFERENT_HOST, 75, "prints the host name" },
	{ "uname", DIFFERENT_HOST, 75, "prints the names of the host and its kernel" },
	{ "lsb_release", DIFFERENT_HOST, 60, "prints the system's release" },
	{ "nproc", DIFFERENT_CPUS, 75, "prints the number of processors" },
	{ "lscpu", DIFFERENT_CPUS, 75, "prints details of the processors" },
	{ "free", DIFFERENT_MEMORY, 75, "prints the amount of memory" },
	{ "uuidgen", DIFFERENT_RANDOM, 75, "prints a random identifier" },
	{ "mktemp", DIFFERENT_RANDOM, 70, "makes a random name" },
	{ "openssl rand", DIFFERENT_RANDOM, 75, "prints random numbers" },
	{ "openssl genrsa", DIFFERENT_RANDOM, 75, "makes a random key" },
	{ "openssl genpkey", DIFFERENT_RANDOM, 75, "makes a random key" },
	{ "shuf", DIFFERENT_RANDOM, 75, "puts lines into a random order" },
	{ "whoami", DIFFERENT_ENV, 72, "prints the user" },
	{ "logname", DIFFERENT_ENV, 72, "prints the user" },
	{ "id", DIFFERENT_ENV, 72, "prints the user" },
	{ "ps", DIFFERENT_PID, 73, "prints process ids" },
	{ "pgrep", DIFFERENT_PID, 73, "prints process ids" },
	{ "pidof", DIFFERENT_PID, 73, "prints process ids" },
	{ "stat", DIFFERENT_TIME, 55, "prints time stamps" },
	{ "ls -l", DIFFERENT_TIME, 47, "prints time stamps" },
	{ "ls -la", DIFFERENT_TIME, 47, "prints time stamps" },
	{ "ls -al", DIFFERENT_TIME, 47, "prints time stamps" },
	{ "pwd", DIFFERENT_PATH, 75, "prints the working directory" },
	{ "realpath", DIFFERENT_PATH, 60, "prints absolute paths" },
	{ "curl", DIFFERENT_NET, 70, "fetches from the network" },
	{ "wget", DIFFERENT_NET, 70, "fetches from the network" },
};

/* Programs that keep the time stamps of their inputs in their output. */
static const char *const archivers[] = {
	"tar", "bsdtar", "cpio", "zip", "7z", "7za", "ar", "gzip", "pigz", "mksquashfs",
	"genisoimage", "xorriso", "mkisofs", "jar", "dpkg-deb", "rpmbuild", "ls", "stat", "find",
	"mkfs.ext4", "mke2fs", "mkfs.erofs", "cp", "rsync", "install",
};

/* Files whose content differs; a '/' at the end means everything below. */
static const struct different_sign paths[] = {
	{ "/dev/urandom", DIFFERENT_RANDOM, 70, "reads random bytes" },
	{ "/dev/random", DIFFERENT_RANDOM, 70, "reads random bytes" },
	{ "/dev/hwrng", DIFFERENT_RANDOM, 70, "reads random bytes" },
	{ "/proc/sys/kernel/random/boot_id", DIFFERENT_HOST, 75, "reads the boot ID" },
	{ "/proc/sys/kernel/random/", DIFFERENT_RANDOM, 75, "reads a random identifier" },
	{ "/etc/localtime", DIFFERENT_TIME, 65, "formats a local time" },
	{ "/usr/share/zoneinfo/", DIFFERENT_TIME, 65, "formats a local time" },
	{ "/proc/uptime", DIFFERENT_TIME, 72, "reads the time since the machine started" },
	{ "/proc/driver/rtc", DIFFERENT_TIME, 72, "reads the time" },
	{ "/dev/rtc", DIFFERENT_TIME, 72, "reads the time" },
	{ "/dev/rtc0", DIFFERENT_TIME, 72, "reads the time" },
	{ "/proc/loadavg", DIFFERENT_TIME, 65, "reads the load average" },
	{ "/etc/hostname", DIFFERENT_HOST, 72, "reads the host name" },
	{ "/etc/machine-id", DIFFERENT_HOST, 72, "reads the machine ID" },
	{ "/etc/os-release", DIFFERENT_HOST, 45, "reads the system's release" },
	{ "/usr/lib/os-release", DIFFERENT_HOST, 45, "reads the system's release" },
	{ "/proc/version", DIFFERENT_HOST, 72, "reads the kernel's release" },
	{ "/proc/sys/kernel/hostname", DIFFERENT_HOST, 75, "reads the host name" },
	{ "/proc/sys/kernel/", DIFFERENT_HOST, 60, "reads a setting of the kernel" },
	{ "/sys/class/dmi/", DIFFERENT_HOST, 72, "reads the machine type" },
	{ "/proc/cpuinfo", DIFFERENT_CPUS, 65, "reads about the processors" },
	{ "/sys/devices/system/cpu/", DIFFERENT_CPUS, 60, "reads the number of processors" },
	{ "/proc/stat", DIFFERENT_CPUS, 50, "reads the number of processors" },
	{ "/proc/meminfo", DIFFERENT_MEMORY, 65, "reads the amount of memory" },
	/* these two contain the process id */
	{ "/proc/self/stat", DIFFERENT_PID, 45, "reads about its own process" },
	{ "/proc/self/status", DIFFERENT_PID, 45, "reads about its own process" },
	{ "/proc/self/", DIFFERENT_PID, 12, "reads about its own process" },
};

/* Habits: what programs do in every run, regardless of output, with the weight each keeps. A '*'
 * at the end of a name matches the rest.
 */
static const struct {
	const char *name;
	uint8_t cause, weight;
} habits[] = {
	{ "python*", DIFFERENT_TIME, 25 },
	/* these seed their hash tables with random numbers */
	{ "perl*", DIFFERENT_RANDOM, DIFFERENT_SEEDS }, { "node*", DIFFERENT_RANDOM, DIFFERENT_SEEDS },
	{ "cargo*", DIFFERENT_RANDOM, 30 }, { "rustc*", DIFFERENT_RANDOM, 30 },
	/* these ask, to choose the size of their heap and their number of threads */
	{ "node*", DIFFERENT_MEMORY, 14 }, { "java*", DIFFERENT_MEMORY, 14 },
	{ "jar", DIFFERENT_MEMORY, 14 }, { "java*", DIFFERENT_CPUS, 14 }, { "jar", DIFFERENT_CPUS, 14 },
	{ "cargo*", DIFFERENT_CPUS, 14 }, { "rustc*", DIFFERENT_CPUS, 14 }, { "go", DIFFERENT_CPUS, 14 },
	{ "ninja", DIFFERENT_CPUS, 14 }, { "make", DIFFERENT_CPUS, 14 }, { "git", DIFFERENT_CPUS, 14 },
	/* git gives its internal files random names, and lists its directories */
	{ "git", DIFFERENT_RANDOM, 30 }, { "git", DIFFERENT_LISTING, 30 },
};

/* Environment variables that suggest a cause. */
static const struct {
	const char *name;
	uint8_t cause;
} variables[] = {
	{ "LANG", DIFFERENT_LOCALE }, { "LANGUAGE", DIFFERENT_LOCALE }, { "LC_", DIFFERENT_LOCALE },
	{ "HOSTNAME", DIFFERENT_HOST }, { "HOST", DIFFERENT_HOST }, { "HOSTTYPE", DIFFERENT_HOST },
};

bool different_shows(const struct different_sign *sign)
{
	/*
	 * outputs that have a recognizable form: times of day, and random names and identifiers;
	 * not durations
	 */
	static const char *const names[] = {
		"date", "hwclock", "stat", "ls -l", "ls -la", "ls -al", "/etc/localtime",
		"/usr/share/zoneinfo/", "uuidgen", "mktemp",
	};

	for (size_t i = 0; i < ROWS(names); i++)
		if (!strcmp(names[i], sign->name))
			return true;
	return false;
}

enum different_cause different_decides(const char *name)
{
	static const struct {
		const char *name;
		uint8_t cause;
	} deciders[] = {
		{ "TZ", DIFFERENT_TIME }, { "SOURCE_DATE_EPOCH", DIFFERENT_TIME },
		{ "PYTHONHASHSEED", DIFFERENT_RANDOM }, { "PERL_HASH_SEED", DIFFERENT_RANDOM },
		{ "PERL_PERTURB_KEYS", DIFFERENT_RANDOM },
	};

	for (size_t i = 0; i < ROWS(deciders); i++)
		if (!strcmp(deciders[i].name, name))
			return (enum different_cause)deciders[i].cause;
	return DIFFERENT_NCAUSES;
}

unsigned int different_habit(const char *name, enum different_cause cause, unsigned int weight)
{
	for (size_t i = 0; i < ROWS(habits); i++) {
		size_t n = strlen(habits[i].name);

		if (habits[i].cause == cause && habits[i].weight < weight &&
		    (habits[i].name[n - 1] == '*' ? !strncmp(name, habits[i].name, n - 1) :
						    !strcmp(name, habits[i].name)))
			weight = habits[i].weight;
	}
	return weight;
}

enum different_cause different_variable(const char *name, size_t len)
{
	for (size_t i = 0; i < ROWS(variables); i++) {
		size_t n = strlen(variables[i].name);
		bool begins = variables[i].name[n - 1] == '_';

		if (len >= n && !memcmp(name, variables[i].name, n) && (begins || len == n))
			return (enum different_cause)variables[i].cause;
	}
	return DIFFERENT_ENV;
}

const struct different_sign *different_program(const char *name)
{
	for (size_t i = 0; i < ROWS(programs); i++)
		if (!strcmp(programs[i].name, name))
			return &programs[i];
	return NULL;
}

bool different_keeps_times(const char *name)
{
	for (size_t i = 0; i < ROWS(archivers); i++)
		if (!strcmp(archivers[i], name))
			return true;
	return false;
}

static bool is_path(const char *row, const char *path, size_t len)
{
	size_t n = strlen(row);

	return row[n - 1] == '/' ? len > n && !memcmp(row, path, n) : len == n && !memcmp(row, path, n);
}

const struct different_sign *different_path(const char *path, size_t len)
{
	for (size_t i = 0; i < ROWS(paths); i++)
		if (is_path(paths[i].name, path, len))
			return &paths[i];
	return NULL;
}

bool different_sorts(const char *name)
{
	static const char *const names[] = {
		"sh", "bash", "dash", "ash", "zsh", "ksh", "make", "gmake", "ninja", "ls", "cmake",
	};

	for (size_t i = 0; i < ROWS(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

bool different_leaves_order(const char *name, const char *arg)
{
	if (!strcmp(arg, "--sort=none"))
		return true;
	/* ls -U and ls -f, perhaps among other letters */
	return !strcmp(name, "ls") && arg[0] == '-' && arg[1] != '-' && strpbrk(arg, "Uf");
}

bool different_is_module(const char *interpreter, const char *name, size_t len)
{
	static const struct {
		const char *interpreter, *suffix;
	} suffixes[] = {
		{ "python", ".py" }, { "perl", ".pm" }, { "perl", ".pl" }, { "ruby", ".rb" },
		{ "lua", ".lua" }, { "tclsh", ".tcl" }, { "php", ".php" }, { "sh", ".sh" },
		{ "dash", ".sh" }, { "ash", ".sh" }, { "ksh", ".sh" }, { "zsh", ".sh" },
		{ "bash", ".sh" }, { "bash", ".bash" },
	};

	for (size_t i = 0; i < ROWS(suffixes); i++) {
		size_t n = strlen(suffixes[i].suffix);

		/* python3.11 */
		if (!strncmp(interpreter, suffixes[i].interpreter, strlen(suffixes[i].interpreter)) &&
		    len > n && !memcmp(name + len - n, suffixes[i].suffix, n))
			return true;
	}
	return false;
}

bool different_interprets(const char *name)
{
	static const char *const names[] = {
		"sh", "bash", "dash", "ash", "zsh", "ksh", "perl", "ruby", "node", "lua", "php",
		"tclsh", "awk", "gawk", "mawk", "sed", "m4", "make", "gmake", "Rscript", "guile",
	};

	for (size_t i = 0; i < ROWS(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return !strncmp(name, "python", 6);
}
