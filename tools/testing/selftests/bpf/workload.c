// SPDX-License-Identifier: GPL-2.0
/*
 * Every system call of the table, in every way that is recorded differently, always
 * in the same order: the records of two backends must be equal.
 *
 *	workload DIR		works in DIR, which must be empty, as root
 *
 * Errors of calls that must work are fatal; the exit status is 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../etrace/lib/old_calls.h"

#define MUST(call)							\
({									\
	long _r = (long)(call);						\
									\
	if (_r == -1) {							\
		fprintf(stderr, "workload: %s: %m\n", #call);		\
		exit(1);						\
	}								\
	_r;								\
})

static const char *self;

/*
 * BPF's reader looks up link targets shortly after the links are created. run.sh creates the file
 * $WORKLOAD_SEEN/@what when it has seen that in the trace; without the variable, targets are not
 * looked up later. access() is not recorded here.
 */
static void until_seen(const char *what)
{
	const char *dir = getenv("WORKLOAD_SEEN");
	char path[4096];

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/%s", dir, what);
	while (access(path, F_OK))
		usleep(10000);
}

static void make(const char *name)
{
	MUST(close(MUST(open(name, O_CREAT | O_WRONLY, 0640))));
}

static void reap(pid_t pid)
{
	MUST(waitpid(pid, NULL, __WALL));
}

static void opens(void)
{
	struct open_how how = { .flags = O_RDWR | O_CREAT, .mode = 0600 };
	int dir;

	make("plain");
	make("new\nline\n");
	make("\xff\xfe bytes");
	MUST(mkdir("d", 0755));
	dir = MUST(open("d", O_DIRECTORY | O_PATH));
	MUST(close(MUST(openat(dir, "in d", O_CREAT | O_RDWR, 0600))));
	MUST(close(MUST(openat(dir, "../plain", O_RDONLY))));
	MUST(close(MUST(openat(dir, "/etc/../etc/hostname", O_RDONLY))));
	MUST(close(MUST(syscall(SYS_creat, "d/created", 0644))));
	MUST(close(MUST(syscall(SYS_open, "d/./created", O_RDONLY))));
	MUST(close(MUST(syscall(SYS_openat2, dir, "two", &how, sizeof(how)))));
	MUST(close(MUST(open(".", O_TMPFILE | O_RDWR, 0600))));
	MUST(close(MUST(open("/", O_RDONLY | O_DIRECTORY))));
	MUST(close(MUST(open("/proc/self/status", O_RDONLY))));
	MUST(chdir("/"));
	MUST(close(MUST(open("etc/hostname", O_RDONLY))));
	MUST(fchdir(dir));
	MUST(chdir(".."));
	(void)open("missing", O_RDONLY);
	(void)openat(999, "plain", O_RDONLY);
	(void)syscall(SYS_open, NULL, O_RDONLY);
	MUST(close(dir));
}

static void specials(void)
{
	char name[64];
	int fd, fds[2];

	fd = MUST(open("gone", O_CREAT | O_RDWR, 0600));
	MUST(unlink("gone"));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	MUST(close(MUST(open(name, O_RDONLY))));
	MUST(close(fd));
	fd = MUST(syscall(SYS_memfd_create, "a memory", 0));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	MUST(close(MUST(open(name, O_RDONLY))));
	MUST(close(fd));
	MUST(pipe(fds));
	MUST(close(fds[0]));
	MUST(close(fds[1]));
	MUST(close(MUST(open("/proc/self/ns/mnt", O_RDONLY))));
	MUST(mkdir("away", 0755));
	MUST(chdir("away"));
	MUST(rmdir("../away"));
	MUST(close(MUST(open("/dev/null", O_RDONLY))));
	(void)open("nothing can be made here", O_CREAT | O_RDWR, 0600);
	MUST(chdir(".."));
}

/* A path far longer than PATH_MAX, with names of all lengths. */
static void deep(void)
{
	char name[256], up[] = "..";
	int i, levels = 120;

	for (i = 0; i < levels; i++) {
		memset(name, 'a' + i % 26, sizeof(name));
		name[1 + i * 37 % 255] = 0;
		MUST(mkdir(name, 0755));
		MUST(chdir(name));
	}
	make("bottom");
	MUST(rename("bottom", "ground"));
	MUST(symlink("ground", "to ground"));
	for (i = 0; i < levels; i++)
		MUST(chdir(up));
}

static void descriptors(void)
{
	int fd = MUST(open("plain", O_RDONLY)), fds[2];

	MUST(close(MUST(dup(fd))));
	MUST(syscall(SYS_dup2, fd, 40));
	MUST(syscall(SYS_dup2, fd, fd));
	MUST(dup3(fd, 41, O_CLOEXEC));
	MUST(close(MUST(fcntl(fd, F_DUPFD, 50))));
	MUST(close(MUST(fcntl(fd, F_DUPFD_CLOEXEC, 60))));
	MUST(fcntl(fd, F_GETFD));
	(void)dup(999);
	(void)close(999);
	MUST(syscall(SYS_pipe, fds));
	MUST(close(fds[0]));
	MUST(close(fds[1]));
	MUST(pipe2(fds, O_CLOEXEC | O_NONBLOCK));
	MUST(close(fds[1]));
	MUST(close(fds[0]));
	(void)syscall(SYS_pipe, NULL);
	MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds));
	MUST(write(fds[0], "x", 1));
	MUST(close(fds[0]));
	MUST(close(fds[1]));
	MUST(syscall(SYS_dup2, fd, 100));
	MUST(syscall(SYS_dup2, fd, 164));
	MUST(syscall(SYS_close_range, 41, 150, 0));
	MUST(syscall(SYS_close_range, 160, ~0u, 0));
	MUST(syscall(SYS_close_range, 200, 300, 0));
	(void)syscall(SYS_close_range, 30, 20, 0);
	(void)syscall(SYS_close_range, 3, ~0u, 4 /* CLOEXEC */);
	MUST(close(40));
	MUST(close(fd));
}

static void names(void)
{
	int dir = MUST(open("d", O_DIRECTORY | O_PATH));

	make("one");
	MUST(rename("one", "two"));
	MUST(rename("two", "new\nline\n"));
	MUST(renameat(AT_FDCWD, "plain", dir, "three"));
	MUST(syscall(SYS_renameat2, dir, "three", AT_FDCWD, "plain", 0));
	make("x");
	MUST(syscall(SYS_renameat2, AT_FDCWD, "x", dir, "three", 1 /* NOREPLACE */));
	MUST(syscall(SYS_renameat2, AT_FDCWD, "plain", dir, "three", 2 /* EXCHANGE */));
	(void)syscall(SYS_renameat2, AT_FDCWD, "plain", dir, "three", 1);
	(void)rename("missing", "other");
	(void)rename("plain", "missing/other");
	(void)rename("plain", "d");
	(void)rename("d", "d/e");
	(void)renameat(999, "plain", dir, "other");
	(void)rename("plain", "/proc/other");
	(void)rename(NULL, "other");

	MUST(link("plain", "linked"));
	MUST(linkat(dir, "three", AT_FDCWD, "linked too", 0));
	MUST(symlink("plain", "sym"));
	MUST(linkat(AT_FDCWD, "sym", dir, "followed", AT_SYMLINK_FOLLOW));
	(void)link("plain", "linked");
	(void)link("missing", "other");
	(void)link("d", "other");
	(void)linkat(AT_FDCWD, "plain", AT_FDCWD, "other", 0x80000000);

	MUST(symlink("nowhere", "dangling"));
	MUST(symlink("/etc/hostname", "absolute"));
	MUST(symlinkat("../plain", dir, "up"));
	MUST(symlinkat("..", dir, "dir"));
	MUST(symlink("new\nline\n", "sym\n"));
	make("two\n");
	make("three more");
	(void)symlink("plain", "sym");
	(void)symlink("plain", "missing/sym");
	(void)symlink("", "empty");
	until_seen("names");

	MUST(unlink("two\n"));
	MUST(unlinkat(dir, "../three more", 0));
	MUST(unlinkat(dir, "dir", 0));
	MUST(mkdir("d/gone", 0755));
	MUST(unlinkat(dir, "gone", AT_REMOVEDIR));
	MUST(mkdir("gone", 0755));
	MUST(syscall(SYS_rmdir, "d/../gone/"));
	(void)unlink("missing");
	(void)unlink("d");
	(void)unlink("plain/x");
	(void)unlink("/proc/self/status");
	(void)syscall(SYS_unlink, NULL);
	(void)unlinkat(999, "plain", 0);
	(void)unlinkat(dir, "three", 0x1000);
	(void)rmdir("d");
	(void)rmdir("plain");
	(void)rmdir(".");
	MUST(close(dir));
}

static void owners(void)
{
	int dir = MUST(open("d", O_DIRECTORY | O_PATH)), fd;

	fd = MUST(open("owned", O_CREAT | O_RDWR, 0600));
	MUST(symlink("owned", "to owned"));
	MUST(syscall(SYS_chown, "to owned", 0x12345, 0xffff));
	MUST(syscall(SYS_fchown, fd, -1, 2));
	MUST(syscall(SYS_fchownat, AT_FDCWD, "to owned", 0x12345, 0xffff, 0));
	/* from here on the link cannot be followed (fs.protected_symlinks) */
	MUST(syscall(SYS_lchown, "to owned", 1, -1));
	MUST(syscall(SYS_fchownat, dir, "../to owned", 3, 4, AT_SYMLINK_NOFOLLOW));
	MUST(syscall(SYS_fchownat, fd, "", 0, 0, AT_EMPTY_PATH));
#ifdef SYS_chown32
	MUST(syscall(SYS_chown32, "owned", 0x12345, 0xffff));
	MUST(syscall(SYS_lchown32, "to owned", 0xfffffffe, -1));
	MUST(syscall(SYS_fchown32, fd, 0xffff, 0));
#endif
	(void)syscall(SYS_chown, "missing", 1, 2);
	(void)syscall(SYS_chown, NULL, 1, 2);
	(void)syscall(SYS_fchown, 999, 1, 2);
	(void)syscall(SYS_fchown, dir, 1, 2);
	(void)syscall(SYS_fchownat, dir, "three", 1, 2, 0x10);
	MUST(close(fd));
	MUST(close(dir));
}

static void mounts(void)
{
	int fd;

	MUST(mkdir("m", 0755));
	MUST(mkdir("m2", 0755));
	MUST(mkdir("m3", 0755));
	MUST(mount("none", "m", "tmpfs", MS_NOSUID, "size=1m"));
	make("m/inside");
	MUST(mkdir("m/sub", 0755));
	MUST(mount("m", "m2", NULL, MS_BIND, NULL));
	make("m2/sub/bound");
	MUST(rename("m2/sub/bound", "m2/moved"));
	MUST(link("m2/moved", "m2/sub/again"));
	MUST(mount(NULL, "m2", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL));
	(void)mount("none", "missing", "tmpfs", 0, NULL);
	(void)mount("none", "m", "no such type", 0, NULL);
	(void)mount("none", "m", NULL, 0, NULL);
	/* OPEN_TREE_CLONE; MOVE_MOUNT_F_EMPTY_PATH */
	fd = syscall(SYS_open_tree, AT_FDCWD, "m/sub", 1);
	(void)syscall(SYS_move_mount, fd, "", AT_FDCWD, "m3", 4);
	(void)syscall(SYS_move_mount, AT_FDCWD, "missing", AT_FDCWD, "m3", 0);
	close(fd);
	(void)umount("m3");
	(void)umount("plain");
	(void)umount("missing");
	MUST(umount2("m2", 0));
	MUST(syscall(SYS_umount2, "m", MNT_DETACH));
}

static void in_root(void)
{
	sigset_t seen;
	pid_t pid;
	int got;

	/* After chroot(), the child cannot see run.sh's file, so it gets a signal instead. */
	sigemptyset(&seen);
	sigaddset(&seen, SIGUSR1);
	MUST(sigprocmask(SIG_BLOCK, &seen, NULL));
	pid = MUST(fork());
	if (!pid) {
		MUST(chroot("d"));
		make("/in root");
		MUST(chdir("/"));
		MUST(rename("in root", "still in root"));
		make("relative");
		MUST(symlink("/relative", "link"));
		sigwait(&seen, &got);
		_exit(3);
	}
	until_seen("root");
	MUST(kill(pid, SIGUSR1));
	reap(pid);
}

static void *thread(void *arg)
{
	make(arg);
	return NULL;
}

static void *exec_thread(void *arg)
{
	(void)arg;
	execl(self, "from a thread", "exit", "5", NULL);
	return NULL;
}

static int cloned(void *arg)
{
	(void)arg;
	return 9;
}

static void tasks(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	unsigned long long args3[11] = { 0 };
	pthread_t t;
	pid_t pid;

	pid = MUST(fork());
	if (!pid)
		_exit(7);
	reap(pid);
	pid = MUST(syscall(SYS_fork));
	if (!pid)
		_exit(8);
	reap(pid);
	pid = vfork();
	if (!pid)
		_exit(6);
	reap(pid);
	pid = MUST(clone(cloned, stack + sizeof(stack), SIGCHLD, NULL));
	reap(pid);
	args3[4] = SIGCHLD;
	pid = MUST(syscall(SYS_clone3, args3, 88));
	if (!pid)
		_exit(10);
	reap(pid);
	(void)syscall(SYS_clone, CLONE_SIGHAND, NULL, NULL, NULL, NULL);
	args3[0] = CLONE_SIGHAND;
	(void)syscall(SYS_clone3, args3, 88);
	pid = MUST(fork());
	if (!pid) {
		raise(SIGKILL);
		_exit(1);
	}
	reap(pid);
	pthread_create(&t, NULL, thread, "by a thread");
	pthread_join(t, NULL);
	pid = MUST(fork());
	if (!pid) {
		pthread_create(&t, NULL, exec_thread, NULL);
		pthread_join(t, NULL);
		_exit(1);
	}
	reap(pid);
	MUST(prctl(PR_SET_NAME, "a very long name indeed"));
}

static void run(char **argv, const char *path, int fd)
{
	pid_t pid = MUST(fork());

	if (!pid) {
		if (fd >= 0)
			syscall(SYS_execveat, fd, "", argv, environ, AT_EMPTY_PATH);
		else
			execv(path, argv);
		_exit(11);
	}
	reap(pid);
}

static void script(const char *name, const char *interpreter)
{
	int fd = MUST(open(name, O_CREAT | O_WRONLY, 0755));

	MUST(dprintf(fd, "#!%s exit\n", interpreter));
	MUST(close(fd));
}

static void execs(void)
{
	char *plain[] = { "a name", "exit", "1", NULL };
	char *odd[] = { "", "exit", "2", "", "\n", "a\nb\n\n", "\xff", "", NULL };
	static char big[131000], copy[65536];
	char *huge[20] = { "huge", "exit", "3" };
	char dir[4096], path[4200];
	int i, n, in, fd;

	run(plain, self, -1);
	run(odd, self, -1);
	memset(big, 'x', sizeof(big) - 1);
	for (i = 3; i < 19; i++)
		huge[i] = big;
	run(huge, self, -1);
	for (i = 890; i < 910; i++) {
		big[i] = 0;
		huge[3] = big;
		huge[4] = NULL;
		if (i % 4 == 0)
			run(huge, self, -1);
		big[i] = 'x';
	}
	MUST(getcwd(dir, sizeof(dir)));
	snprintf(path, sizeof(path), "%s/script", dir);
	script("script", self);
	script("nested", path);
	run(plain, "./script", -1);
	run(plain, "nested", -1);
	run(plain, "./missing", -1);
	run(plain, "d", -1);
	fd = MUST(syscall(SYS_memfd_create, "program", 0));
	in = MUST(open(self, O_RDONLY));
	while ((n = MUST(read(in, copy, sizeof(copy)))))
		MUST(write(fd, copy, n));
	MUST(close(in));
	run(plain, NULL, fd);
	MUST(close(fd));
	fd = MUST(open(".", O_PATH));
	if (!MUST(fork())) {
		syscall(SYS_execveat, fd, "script", plain, environ, 0);
		_exit(12);
	}
	reap(-1);
	MUST(close(fd));
}

/* Only answers that are the same in each run are recorded. */
static void asks(void)
{
	char room[4096];
	cpu_set_t set;

	MUST(syscall(SYS_getrandom, room, 100, 1));
	MUST(syscall(SYS_getrandom, room, 0, 0));
	MUST(syscall(SYS_uname, room));
	MUST(syscall(SYS_sched_getaffinity, 0, 128, room));
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	MUST(sched_setaffinity(0, sizeof(set), &set));
	MUST(syscall(SYS_sched_getaffinity, 0, sizeof(room), room));
	MUST(syscall(SYS_sysinfo, room));
	(void)syscall(SYS_uname, NULL);
	(void)syscall(SYS_getrandom, room, 1, -1);
	(void)syscall(SYS_sched_getaffinity, 0, 1, room);
}

int main(int argc, char **argv)
{
	static char path[4096];

	if (argc > 1 && !strcmp(argv[1], "exit"))
		return argc > 2 ? atoi(argv[2]) : 20;
	if (argc != 2) {
		fprintf(stderr, "usage: workload DIR\n");
		return 2;
	}
	MUST(realpath("/proc/self/exe", path));
	self = path;
	umask(0);
	MUST(chdir(argv[1]));
	opens();
	specials();
	deep();
	descriptors();
	names();
	owners();
	mounts();
	in_root();
	tasks();
	execs();
	asks();
	return 0;
}
