// SPDX-License-Identifier: GPL-2.0
/*
 * The state in which a program begins.  See skip.h.
 *
 * It is determined in a process that went through the same execve, with the same descriptors, as
 * the program would. Anything left out here must not affect what a program does.
 */
#include "skip/skip.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

static void state_add(struct buf *to, const char *s)
{
	buf_add(to, s, strlen(s) + 1);
}

static void state_number(struct buf *to, uintmax_t v)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIxMAX, v);
	state_add(to, text);
}

/*
 * Add a variable for leak sanitizers without what etrace run appends to it when it records with
 * strace. Return: whether it is that variable
 */
static bool add_sanitizer(struct buf *to, const char *s)
{
	static const char name[] = "LSAN_OPTIONS=", off[] = "detect_leaks=0";
	size_t len = strlen(s);

	if (strncmp(s, name, strlen(name)))
		return false;
	if (len >= strlen(off) && !strcmp(s + len - strlen(off), off))
		len -= strlen(off);
	len -= s[len - 1] == ':';
	/* leave out the variable if it is empty without that */
	if (len > strlen(name)) {
		buf_add(to, s, len);
		buf_addc(to, '\0');
	}
	return true;
}

static void state_list(struct buf *to, char **list, bool variables)
{
	struct buf all = { 0 };
	size_t n = 0;

	for (; *list; list++)
		if (!variables || !add_sanitizer(&all, *list)) {
			state_add(&all, *list);
			n++;
		}
	state_number(to, n);
	buf_add(to, all.s, all.len);
	buf_free(&all);
}

/* What programs can ask about a pipe without reading from it: poll(), FIONREAD. */
static void state_waiting(struct buf *to, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int bytes = 0;

	state_number(to, poll(&p, 1, 0) < 0 ? 0 : (uintmax_t)(unsigned short)p.revents);
	state_number(to, ioctl(fd, FIONREAD, &bytes) ? 0 : (uintmax_t)bytes);
}

/* Describe a descriptor. Return: NULL, or why no program with this descriptor can be skipped. */
static const char *state_descriptor(struct buf *to, int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct winsize size = { 0 };
	struct stat st;

	if (flags < 0 || fstat(fd, &st)) {
		state_add(to, "closed");
		return NULL;
	}
	state_number(to, (uintmax_t)flags & (O_ACCMODE | O_NONBLOCK | O_APPEND));
	state_number(to, st.st_mode & S_IFMT);
	if (S_ISFIFO(st.st_mode)) {
		if ((flags & O_ACCMODE) != O_WRONLY)
			state_waiting(to, fd);
		return NULL;
	}
	/* nothing can have been read from it */
	if (S_ISREG(st.st_mode))
		return (flags & O_ACCMODE) == O_WRONLY ? NULL : "it has a file open that it may read";
	if (!S_ISCHR(st.st_mode))
		return "it has a socket or a directory open";
	state_number(to, st.st_rdev);
	if (isatty(fd) && !ioctl(fd, TIOCGWINSZ, &size)) {
		state_number(to, size.ws_row);
		state_number(to, size.ws_col);
	}
	return NULL;
}

/* Whether the program would inherit descriptors other than 0 to 2. */
static bool state_has_others(void)
{
	DIR *dir = opendir("/proc/self/fd");
	bool others = !dir;
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		int fd = atoi(e->d_name);
		int flags = fd > 2 ? fcntl(fd, F_GETFD) : -1;

		/* our own descriptors do not count: the execve closes them */
		others |= flags >= 0 && !(flags & FD_CLOEXEC);
	}
	if (dir)
		closedir(dir);
	return others;
}

/* Lines of /proc/self/status that a program inherits. */
static bool state_status(struct buf *to)
{
	static const char *const wanted[] = {
		"Umask:", "Uid:", "Gid:", "Groups:", "SigBlk:", "SigIgn:", "CapInh:", "CapPrm:",
		"CapEff:", "CapBnd:", "CapAmb:", "NoNewPrivs:",
	};
	struct buf all = { 0 };
	size_t found = 0;

	if (!skip_read("/proc/self/status", &all)) {
		buf_free(&all);
		return false;
	}
	buf_addc(&all, '\0');
	for (char *save, *line = strtok_r(all.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
			if (!strncmp(line, wanted[i], strlen(wanted[i]))) {
				state_add(to, line);
				found++;
			}
	buf_free(&all);
	return found == sizeof(wanted) / sizeof(wanted[0]);
}

static void state_machine(struct buf *to)
{
	struct utsname u;
	struct sysinfo m;
	cpu_set_t cpus;

	if (!uname(&u)) {
		state_add(to, u.nodename);
		state_add(to, u.release);
		state_add(to, u.version);
		state_add(to, u.machine);
	}
	if (!sysinfo(&m)) {
		state_number(to, m.totalram);
		state_number(to, m.totalswap);
	}
	CPU_ZERO(&cpus);
	sched_getaffinity(0, sizeof(cpus), &cpus);
	buf_add(to, (const char *)&cpus, sizeof(cpus));
}

static void state_process(struct buf *to)
{
	struct rlimit limit;
	struct stat st;

	for (int i = 0; i < RLIMIT_NLIMITS; i++)
		if (!getrlimit((__rlimit_resource_t)i, &limit)) {
			state_number(to, limit.rlim_cur);
			state_number(to, limit.rlim_max);
		}
	state_number(to, (uintmax_t)personality(0xffffffff));
	state_number(to, (uintmax_t)getpriority(PRIO_PROCESS, 0));
	state_number(to, (uintmax_t)sched_getscheduler(0));
	if (!stat("/", &st)) {
		state_number(to, st.st_dev);
		state_number(to, st.st_ino);
	}
}

bool skip_state(const char *path, char **argv, char **envp, struct buf *to, const char **why)
{
	char cwd[PATH_MAX];

	*why = NULL;
	state_add(to, "etrace skip 1");
	state_add(to, path);
	state_list(to, argv, false);
	state_list(to, envp, true);
	if (!getcwd(cwd, sizeof(cwd)))
		*why = "its working directory has no name";
	else
		state_add(to, cwd);
	for (int fd = 0; fd < 3 && !*why; fd++)
		*why = state_descriptor(to, fd);
	if (!*why && state_has_others())
		*why = "it inherits descriptors above 2";
	if (!*why && !state_status(to))
		*why = "/proc does not tell its state";
	state_machine(to);
	state_process(to);
	return !*why;
}
