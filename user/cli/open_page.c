// SPDX-License-Identifier: GPL-2.0
/* Shows the page of a build.  See open_page.h. */
#include "cli/open_page.h"
#include "base/buf.h"
#include "base/screen.h"
#include "cli/term.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OPENER "xdg-open"
/* Time in ms to wait for a failure of the opener, which may wait for a browser. */
#define WAIT_MS 1000
#define LOOK_MS 10

/* Make a path absolute, so that it does not begin with "-"; ends with a NUL. */
static struct buf absolute_path(const char *path)
{
	char *cwd = *path == '/' ? NULL : getcwd(NULL, 0);
	struct buf b = { 0 };

	if (cwd) {
		buf_adds(&b, cwd);
		buf_addc(&b, '/');
	}
	buf_add(&b, path, strlen(path) + 1);
	free(cwd);
	return b;
}

/* A program in the absolute directories of PATH.  Return: to be freed, NULL if none. */
static char *find_program(const char *name)
{
	const char *dirs = getenv("PATH");
	char *file;

	for (size_t n; dirs && *dirs; dirs += n + (dirs[n] == ':')) {
		n = strcspn(dirs, ":");
		if (*dirs != '/' || asprintf(&file, "%.*s/%s", (int)n, dirs, name) < 0)
			continue;
		if (!access(file, X_OK))
			return file;
		free(file);
	}
	return NULL;
}

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

/* sudo does not pass on the variable that locates the user's session. */
static void set_runtime_dir(void)
{
	char dir[64];
	struct stat st;

	snprintf(dir, sizeof(dir), "/run/user/%u", (unsigned int)getuid());
	if (!is_set("XDG_RUNTIME_DIR") && !stat(dir, &st) && st.st_uid == getuid())
		setenv("XDG_RUNTIME_DIR", dir, 1);
}

/* Never returns. */
static void open_child(const char *program, const char *path, const struct user *u,
		       const sigset_t *mask, const struct inherited *kept)
{
	int null = open("/dev/null", O_RDWR);

	if (setsid() < 0 || null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
		_exit(1);
	/* close locks, and pipes for whose end other processes may wait */
	syscall(SYS_close_range, 3, ~0u, 0);
	inherit_restore(kept);
	if (u && user_become(u))
		_exit(1);
	set_runtime_dir();
	sigprocmask(SIG_SETMASK, mask, NULL);
	execl(program, OPENER, path, (char *)NULL);
	_exit(1);
}

/* Return: false if the opener has failed within WAIT_MS. */
static bool goes_on(pid_t pid)
{
	static const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000 };
	int status;

	for (int i = 0; i < WAIT_MS / LOOK_MS; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) && !WEXITSTATUS(status);
		nanosleep(&pause, NULL);
	}
	return true;
}

static bool page_opened(const char *path, const struct user *u, const sigset_t *mask,
			const struct inherited *kept)
{
	char *program;
	pid_t pid;

	if (*path != '/' || (!u && (!getuid() || !geteuid())) ||
	    (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")))
		return false;
	program = find_program(OPENER);
	if (!program)
		return false;
	fflush(NULL);
	pid = fork();
	if (!pid)
		open_child(program, path, u, mask, kept);
	free(program);
	return pid > 0 && goes_on(pid);
}

void open_page(const char *path, const struct user *u, const sigset_t *mask,
	       const struct inherited *kept)
{
	struct buf whole = absolute_path(path), line = { 0 };

	if (!page_opened(whole.s, u, mask, kept)) {
		screen_add(&line, whole.s, whole.len - 1, (unsigned int)whole.len * 2, term_utf8());
		fprintf(stderr, "page: %.*s\n", (int)line.len, line.s);
	}
	buf_free(&line);
	buf_free(&whole);
}
