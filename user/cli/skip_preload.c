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
#include <elf.h>
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
static Elf64_Ehdr own;		/* header of this library */

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
	memcpy(&own, info.dli_fbase, sizeof(own));
	slash = strrchr(info.dli_fname, '/');
	if (slash)
		snprintf(etrace, sizeof(etrace), "%.*s/etrace", (int)(slash - info.dli_fname), info.dli_fname);
}

#define HEAD	256	/* what the kernel reads of a file to find out how to run it */
#define DEPTH	4	/* that many scripts may be interpreters of each other */

static int open_program(const char *path, char head[HEAD + 1])
{
	int fd = access(path, X_OK) ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	ssize_t n = fd < 0 ? -1 : read(fd, head, HEAD);

	/* run set-user-ID programs without asking */
	if (n > 3 && !fstat(fd, &st) && S_ISREG(st.st_mode) && !(st.st_mode & (S_ISUID | S_ISGID))) {
		head[n] = '\0';
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Whether a binary is for this machine, and its loader is there. */
static bool is_binary_runnable(int fd, const char *head)
{
	char loader[HEAD + 1];
	Elf64_Ehdr h;
	Elf64_Phdr p;

	memcpy(&h, head, sizeof(h));
	if (memcmp(h.e_ident, own.e_ident, EI_OSABI) || h.e_ident[EI_CLASS] != ELFCLASS64 ||
	    h.e_machine != own.e_machine ||
	    (h.e_type != ET_EXEC && h.e_type != ET_DYN) || h.e_phentsize != sizeof(p) || !h.e_phnum)
		return false;
	for (unsigned int i = 0; i < h.e_phnum; i++) {
		if (pread(fd, &p, sizeof(p), (off_t)(h.e_phoff + i * sizeof(p))) != sizeof(p))
			return false;
		if (p.p_type != PT_INTERP)
			continue;
		if (p.p_filesz < 2 || p.p_filesz > HEAD ||
		    pread(fd, loader, p.p_filesz, (off_t)p.p_offset) != (ssize_t)p.p_filesz)
			return false;
		loader[p.p_filesz] = '\0';
		return !access(loader, X_OK);
	}
	return true;
}

/*
 * Whether execve() of a file will succeed. If not, its caller must see the error, which a program
 * that already runs cannot return.
 */
static bool is_runnable(const char *path)
{
	char head[HEAD + 1] = "", *name;
	int fd;

	for (int depth = 0; depth <= DEPTH; depth++) {
		fd = open_program(path, head);
		if (fd < 0)
			return false;
		if (!memcmp(head, ELFMAG, SELFMAG)) {
			bool ok = is_binary_runnable(fd, head);

			close(fd);
			return ok;
		}
		close(fd);
		if (memcmp(head, "#!", 2))
			return false;
		name = head + 2 + strspn(head + 2, " \t");
		name[strcspn(name, " \t\n")] = '\0';
		if (!*name)
			return false;
		path = memmove(head, name, strlen(name) + 1);
	}
	return false;
}

static bool is_asked(const char *path, char *const argv[], char *const envp[])
{
	size_t n = 0;

	if (!*etrace || !path || !argv || !argv[0] || !envp)
		return false;
	while (*envp && strncmp(*envp, VARIABLE, strlen(VARIABLE)))
		envp++;
	while (n < MANY && argv[n])
		n++;
	return *envp && !argv[n] && is_runnable(path);
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
