// SPDX-License-Identifier: GPL-2.0
/* Opens the module's device, loads and unloads the module.  See device.h. */
#include "cli/device.h"
#include "cli/etrace.h"
#include "cli/external.h"
#include "record/module/rec_session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MODULE "etrace.ko"
/* Longest wait, in ms, for another program that loads or unloads the module. */
#define DEVICE_WAIT_MS 10000
#define DEVICE_PAUSE_MS 20
#define MODULE_DIR "/sys/module/etrace"

extern char **environ;

static bool loaded;	/* this program has loaded the module */

bool device_module(char *path, size_t size)
{
	char dir[PATH_MAX];
	char *slash;

	if (!external_dir(dir, sizeof(dir)))
		return false;
	if ((size_t)snprintf(path, size, "%s/" MODULE, dir) < size && !access(path, R_OK))
		return true;
	/* in a build tree, etrace is in build/user, and the module at the top */
	slash = strrchr(dir, '/');
	if (!slash || strncmp(slash, "/user", 5))
		return false;
	*slash = 0;
	slash = strrchr(dir, '/');
	if (!slash)
		return false;
	*slash = 0;
	return (size_t)snprintf(path, size, "%s/" MODULE, dir) < size && !access(path, R_OK);
}

static int insert_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, "", 0))
		err = -errno;
	else
		loaded = true;
	close(fd);
	return err;
}

/* Read to the end, and keep the first line, without "modprobe: " and the severity. */
static void first_line(int fd, char *line, size_t size)
{
	static const char *const before[] = { "modprobe: ", "ERROR: ", "FATAL: " };
	FILE *f = fdopen(fd, "r");
	size_t n, i;

	*line = 0;
	if (!f) {
		close(fd);
		return;
	}
	if (!fgets(line, (int)size, f))
		*line = 0;
	while (fgetc(f) != EOF)
		;
	fclose(f);
	line[strcspn(line, "\n")] = 0;
	for (i = 0; i < sizeof(before) / sizeof(*before); i++) {
		n = strlen(before[i]);
		if (!strncmp(line, before[i], n))
			memmove(line, line + n, strlen(line + n) + 1);
	}
}

/* Run modprobe.  Return: whether it succeeded; if not, @said is its message. */
static bool load_installed(bool verbose, char *said, size_t size)
{
	char prog[] = "modprobe", name[] = "etrace", loud[] = "-v";
	char *argv[] = { prog, name, verbose ? loud : NULL, NULL };
	posix_spawn_file_actions_t fa;
	int status = -1, said_by[2];
	pid_t pid;
	bool good;

	snprintf(said, size, "modprobe cannot be run");
	if (pipe2(said_by, O_CLOEXEC))
		return false;
	/* keep its output out of the command's */
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, STDERR_FILENO, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&fa, said_by[1], STDERR_FILENO);
	/* sudo's secure_path may lack its directory */
	good = !posix_spawn(&pid, "/sbin/modprobe", &fa, NULL, argv, environ) ||
	       !posix_spawnp(&pid, "modprobe", &fa, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	close(said_by[1]);
	if (!good) {
		close(said_by[0]);
		return false;
	}
	first_line(said_by[0], said, size);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	good = WIFEXITED(status) && !WEXITSTATUS(status);
	loaded |= good;
	return good;
}

static int try_open(void)
{
	return open(REC_DEVICE, O_RDWR | O_CLOEXEC);
}

static void why_not_loaded(const char *path, int err, char *why, size_t size)
{
	struct utsname u;

	uname(&u);
	switch (-err) {
	case ENOEXEC:
		snprintf(why, size, "%s is not built for this kernel (%s): run make module", path,
			 u.release);
		break;
	case EKEYREJECTED:
		snprintf(why, size, "%s is not signed with a key that this kernel trusts; etrace doctor tells what to do",
			 path);
		break;
	case EPERM:
		snprintf(why, size, "the kernel refuses to load %s (kernel.modules_disabled, or lockdown); etrace doctor tells which",
			 path);
		break;
	default:
		snprintf(why, size, "cannot load %s: %s; the kernel's log (dmesg) may tell more",
			 path, strerror(-err));
		break;
	}
}

static bool is_missing(int err)
{
	return err == ENOENT || err == ENXIO || err == ENODEV;
}

/*
 * Load the module, from @path unless that is empty.  Return: true if loaded, or if
 * another program is loading or unloading it; false with the reason if it cannot be
 * loaded.
 */
static bool load_module(const char *path, bool verbose, char *why, size_t size)
{
	char said[256];
	int err;

	if (*path) {
		err = insert_module(path);
		if (!err && verbose)
			say("loaded %s", path);
		if (!err || err == -EEXIST || err == -EBUSY ||
		    load_installed(verbose, said, sizeof(said)))
			return true;
		why_not_loaded(path, err, why, size);
		return false;
	}
	if (load_installed(verbose, said, sizeof(said)) || !access(MODULE_DIR, F_OK))
		return true;
	snprintf(why, size, "cannot load the module etrace: %s; etrace doctor tells more",
		 *said ? said : "modprobe fails");
	return false;
}

int device_open(bool verbose, char *why, size_t size)
{
	struct timespec pause = { 0, DEVICE_PAUSE_MS * 1000000 };
	char path[PATH_MAX];
	int fd = try_open();

	if (fd >= 0)
		return fd;
	if (errno == EPERM || errno == EACCES) {
		snprintf(why, size, "%s: %s: tracing needs root (sudo), or the capability CAP_PERFMON, or membership in the group of that device",
			 REC_DEVICE, strerror(errno));
		return -1;
	}
	if (!is_missing(errno)) {
		snprintf(why, size, "%s: %s", REC_DEVICE, strerror(errno));
		return -1;
	}
	if (geteuid()) {
		snprintf(why, size, "the module etrace is not loaded, and loading it needs root: sudo, or sudo modprobe etrace once");
		return -1;
	}
	if (!device_module(path, sizeof(path)))
		*path = 0;
	/* while another program unloads it, it cannot be loaded again */
	for (int ms = 0; ms < DEVICE_WAIT_MS; ms += DEVICE_PAUSE_MS) {
		if (access(MODULE_DIR, F_OK) && !load_module(path, verbose, why, size))
			return -1;
		fd = try_open();
		if (fd >= 0 || !is_missing(errno))
			break;
		nanosleep(&pause, NULL);
	}
	if (fd < 0)
		snprintf(why, size, "%s: %s, although the module is loaded", REC_DEVICE,
			 strerror(errno));
	return fd;
}

/*
 * Whether the module traces a tree by its parameter, which does not keep it loaded as an open
 * device does.
 */
static bool root_traced(void)
{
	FILE *f = fopen(MODULE_DIR "/parameters/root_pid", "re");
	int pid = 0;

	if (!f)
		return false;
	if (fscanf(f, "%d", &pid) != 1)
		pid = 0;
	fclose(f);
	return pid;
}

bool device_unload(char *why, size_t size)
{
	const char *what = NULL;

	if (!loaded)
		return true;
	loaded = false;
	if (root_traced())
		what = "it traces the tree of its root_pid";
	else if (syscall(SYS_delete_module, "etrace", O_NONBLOCK) && errno != ENOENT)
		what = errno == EWOULDBLOCK || errno == EBUSY ? "others use it" : strerror(errno);
	if (!what)
		return true;
	snprintf(why, size, "the module etrace, loaded for this, stays loaded: %s; later: rmmod etrace",
		 what);
	return false;
}
