// SPDX-License-Identifier: GPL-2.0
/*
 * Loaded into the programs of a build by etrace experimental-skip: instead of a program, it runs
 * "etrace experimental-skip ask PROGRAM ARGUMENT...", which has the same descriptors, and either
 * makes the program's outputs, or executes it.
 *
 * These functions are called between vfork() and execve(), too, so they allocate nothing and
 * change no memory but the stack. In any unusual case, the program itself runs.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VARIABLE "ETRACE_SKIP="
#define MANY	20000		/* maximum number of arguments to copy */

typedef int execve_fn(const char *path, char *const argv[], char *const envp[]);
typedef int spawn_fn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		     const posix_spawnattr_t *attr, char *const argv[], char *const envp[]);

static execve_fn *real_execve;
static execve_fn *real_execvpe;
static spawn_fn *real_spawn;
static spawn_fn *real_spawnp;
static char etrace[PATH_MAX];	/* if empty, always run the program itself */

__attribute__((constructor)) static void begin(void)
{
	Dl_info info;
	const char *slash;

	real_execve = (execve_fn *)(uintptr_t)dlsym(RTLD_NEXT, "execve");
	real_execvpe = (execve_fn *)(uintptr_t)dlsym(RTLD_NEXT, "execvpe");
	real_spawn = (spawn_fn *)(uintptr_t)dlsym(RTLD_NEXT, "posix_spawn");
	real_spawnp = (spawn_fn *)(uintptr_t)dlsym(RTLD_NEXT, "posix_spawnp");
	if (!dladdr(etrace, &info) || strlen(info.dli_fname) + 8 > sizeof(etrace))
		return;
	slash = strrchr(info.dli_fname, '/');
	if (slash)
		snprintf(etrace, sizeof(etrace), "%.*s/etrace", (int)(slash - info.dli_fname), info.dli_fname);
}

static bool is_asked(const char *path, char *const argv[], char *const envp[])
{
	size_t n = 0;
	struct stat st;
	char head[4];
	bool ok;
	int fd;

	if (!*etrace || !path || !argv || !argv[0] || !envp)
		return false;
	while (*envp && strncmp(*envp, VARIABLE, strlen(VARIABLE)))
		envp++;
	while (n < MANY && argv[n])
		n++;
	if (!*envp || argv[n] || access(path, X_OK))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	/* leave to the caller what the kernel cannot run, and set-user-ID programs */
	ok = !fstat(fd, &st) && S_ISREG(st.st_mode) && !(st.st_mode & (S_ISUID | S_ISGID)) &&
	     read(fd, head, 4) == 4 && (!memcmp(head, "\177ELF", 4) || !memcmp(head, "#!", 2));
	close(fd);
	return ok;
}

/* Room for ask_args() on the caller's stack. */
#define ASK_ROOM(argv) alloca((count_args(argv) + 5) * sizeof(char *))

static size_t count_args(char *const argv[])
{
	size_t n = 0;

	while (argv[n])
		n++;
	return n;
}

static void ask_args(char **to, const char *path, char *const argv[])
{
	static char skip[] = "experimental-skip", ask[] = "ask";

	to[0] = etrace;
	to[1] = skip;
	to[2] = ask;
	to[3] = (char *)(uintptr_t)path;
	for (size_t i = 0; argv[i]; i++, to++)
		to[4] = argv[i];
	to[4] = NULL;
}

int execve(const char *path, char *const argv[], char *const envp[])
{
	if (!real_execve)
		begin();
	if (is_asked(path, argv, envp)) {
		/* cppcheck-suppress allocaCalled */
		char **args = ASK_ROOM(argv);

		ask_args(args, path, argv);
		real_execve(etrace, args, envp);
	}
	return real_execve(path, argv, envp);
}

/* Where execvp() would find a program. Return: false if execvp() itself must decide. */
static bool find_program(const char *name, char *path)
{
	const char *at = getenv("PATH");

	if (!name || !*name || strlen(name) > 255)
		return false;
	if (strchr(name, '/')) {
		memcpy(path, name, strlen(name) + 1);
		return true;
	}
	for (at = at ? at : "/bin:/usr/bin"; at; at = strchr(at, ':')) {
		int len, n;

		at += *at == ':';
		len = (int)strcspn(at, ":");
		n = snprintf(path, PATH_MAX, "%.*s%s%s", len, at, len ? "/" : "", name);
		if (n < PATH_MAX && !access(path, X_OK))
			return true;
	}
	return false;
}

int execvpe(const char *name, char *const argv[], char *const envp[])
{
	char path[PATH_MAX];

	if (!real_execvpe)
		begin();
	if (find_program(name, path) && is_asked(path, argv, envp)) {
		/* cppcheck-suppress allocaCalled */
		char **args = ASK_ROOM(argv);

		ask_args(args, path, argv);
		real_execve(etrace, args, envp);
	}
	return real_execvpe(name, argv, envp);
}

int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

int execvp(const char *name, char *const argv[])
{
	return execvpe(name, argv, environ);
}

/* The arguments of execl() and the like, from @first on, as an array on the stack. */
#define COLLECT(args, first, list)						\
	do {									\
		size_t n = 1;							\
										\
		va_start(list, first);						\
		while (va_arg(list, char *))					\
			n++;							\
		va_end(list);							\
		args = alloca((n + 1) * sizeof(*args));				\
		args[0] = (char *)(uintptr_t)first;				\
		va_start(list, first);						\
		for (n = 1; (args[n] = va_arg(list, char *)); n++)		\
			;							\
	} while (0)

int execl(const char *path, const char *arg, ...)
{
	va_list list;
	char **args;

	/* cppcheck-suppress allocaCalled */
	COLLECT(args, arg, list);
	va_end(list);
	return execve(path, args, environ);
}

int execlp(const char *name, const char *arg, ...)
{
	va_list list;
	char **args;

	/* cppcheck-suppress allocaCalled */
	COLLECT(args, arg, list);
	va_end(list);
	return execvpe(name, args, environ);
}

int execle(const char *path, const char *arg, ...)
{
	char *const *envp;
	va_list list;
	char **args;

	/* cppcheck-suppress allocaCalled */
	COLLECT(args, arg, list);
	envp = va_arg(list, char *const *);
	va_end(list);
	return execve(path, args, envp);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	if (!real_spawn)
		begin();
	if (is_asked(path, argv, envp)) {
		/* cppcheck-suppress allocaCalled */
		char **args = ASK_ROOM(argv);

		ask_args(args, path, argv);
		if (!real_spawn(pid, etrace, actions, attr, args, envp))
			return 0;
	}
	return real_spawn(pid, path, actions, attr, argv, envp);
}

int posix_spawnp(pid_t *pid, const char *name, const posix_spawn_file_actions_t *actions,
		 const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	char path[PATH_MAX];

	if (!real_spawnp)
		begin();
	if (find_program(name, path) && is_asked(path, argv, envp)) {
		/* cppcheck-suppress allocaCalled */
		char **args = ASK_ROOM(argv);

		ask_args(args, path, argv);
		if (!real_spawn(pid, etrace, actions, attr, args, envp))
			return 0;
	}
	return real_spawnp(pid, name, actions, attr, argv, envp);
}
