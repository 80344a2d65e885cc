// SPDX-License-Identifier: GPL-2.0
/*
 * Open, FN and FO: open, openat, openat2, creat.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"

/* Want the lines of a successful open. The name is the kernel's. */
static void want_open(int fd, const char *orig, unsigned int flags,
		      unsigned int mode)
{
	const char *name = et_fd_path(fd);

	want("Open|fnamesize=%zu,forigsize=%zu,flags=%u,mode=%u,fd=%d",
	     strlen(name), strlen(orig), flags, mode, fd);
	want("FN|%s", name);
	want("FO|%s", orig);
}

static int open_is(const char *name, const char *orig, int flags,
		   unsigned int mode)
{
	int fd = CHILD_MUST(et_sys(SYS_open, name, flags, mode));

	want_open(fd, orig, flags, flags & (O_CREAT | __O_TMPFILE) ? mode : 0);
	return fd;
}

static int openat_is(int dirfd, const char *name, const char *orig, int flags,
		     unsigned int mode)
{
	int fd = CHILD_MUST(et_sys(SYS_openat, dirfd, name, flags, mode));

	want_open(fd, orig, flags, flags & (O_CREAT | __O_TMPFILE) ? mode : 0);
	return fd;
}

static void do_open(void)
{
	int fd;

	fd = open_is(et_path("a"), et_path("a"), O_RDONLY, 0);
	/* The kernel's name is the expected one, not only the one that was passed. */
	if (strcmp(et_fd_path(fd), et_path("a")))
		CHILD_FAIL("%s is not %s", et_fd_path(fd), et_path("a"));
	open_is("a", et_path("a"), O_WRONLY | O_APPEND | O_CLOEXEC, 0);
	open_is("new", et_path("new"), O_CREAT | O_EXCL | O_RDWR, 0640);
	open_is("a", et_path("a"), O_CREAT | O_RDWR | O_TRUNC, 07777);
	open_is("d", et_path("d"), O_DIRECTORY | O_PATH, 0);
	open_is("a", et_path("a"), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
}

TEST(open)
{
	et_file("a");
	et_mkdir("d");
	et_traced(do_open);
}

static void do_openat(void)
{
	int d = openat_is(AT_FDCWD, "d", et_path("d"), O_DIRECTORY, 0);
	int p = openat_is(d, "sub", et_path("d/sub"), O_PATH, 0);

	openat_is(d, "f", et_path("d/f"), O_RDONLY, 0);
	openat_is(p, "g", et_path("d/sub/g"), O_CREAT | O_WRONLY, 0600);
	/* The directory is ignored if the path is absolute. */
	openat_is(d, et_path("a"), et_path("a"), O_RDONLY, 0);
	openat_is(12345, et_path("a"), et_path("a"), O_RDONLY, 0);
	openat_is(AT_FDCWD, "a", et_path("a"), O_RDONLY, 0);
}

TEST(openat)
{
	et_file("a");
	et_mkdir("d");
	et_mkdir("d/sub");
	et_file("d/f");
	et_traced(do_openat);
}

/* FO is the path as the program wrote it. */
static void do_literal(void)
{
	int d = openat_is(AT_FDCWD, "d", et_path("d"), O_DIRECTORY, 0);

	open_is("./a", et_path("./a"), O_RDONLY, 0);
	open_is("d/../a", et_path("d/../a"), O_RDONLY, 0);
	open_is("d//f", et_path("d//f"), O_RDONLY, 0);
	open_is("d/", et_path("d/"), O_RDONLY, 0);
	open_is(".", et_path("."), O_RDONLY, 0);
	open_is("/", "/", O_RDONLY, 0);
	open_is("//", "//", O_RDONLY, 0);
	open_is("/./tmp/../proc/", "/./tmp/../proc/", O_RDONLY, 0);
	openat_is(d, "../a", et_path("d/../a"), O_RDONLY, 0);
	openat_is(d, ".", et_path("d/."), O_RDONLY, 0);
	/* FO is directory, '/' and path, even if the directory ends with '/'. */
	CHILD_MUST(chdir("/"));
	open_is("proc", "//proc", O_RDONLY, 0);
	openat_is(AT_FDCWD, "./proc", "//./proc", O_RDONLY, 0);
}

TEST(original_name_as_given)
{
	et_file("a");
	et_mkdir("d");
	et_file("d/f");
	et_traced(do_literal);
}

static void do_symlinks(void)
{
	int fd;

	fd = open_is("to_a", et_path("to_a"), O_RDONLY, 0);
	if (strcmp(et_fd_path(fd), et_path("a")))
		CHILD_FAIL("%s is not %s", et_fd_path(fd), et_path("a"));
	open_is("to_to_a", et_path("to_to_a"), O_RDONLY, 0);
	fd = open_is("to_d/f", et_path("to_d/f"), O_RDONLY, 0);
	if (strcmp(et_fd_path(fd), et_path("d/f")))
		CHILD_FAIL("%s is not %s", et_fd_path(fd), et_path("d/f"));
	/* The link itself: O_PATH with O_NOFOLLOW opens it. */
	fd = open_is("to_a", et_path("to_a"), O_PATH | O_NOFOLLOW, 0);
	if (strcmp(et_fd_path(fd), et_path("to_a")))
		CHILD_FAIL("%s is not %s", et_fd_path(fd), et_path("to_a"));
	/* Opening a dangling link creates its target. */
	open_is("dangling", et_path("dangling"), O_CREAT | O_WRONLY, 0600);
	/* The working directory has its own name, not that of a link. */
	CHILD_MUST(chdir("to_d"));
	open_is("f", et_path("d/f"), O_RDONLY, 0);
}

TEST(through_symlinks)
{
	et_file("a");
	et_mkdir("d");
	et_file("d/f");
	MUST(symlink("a", et_path("to_a")));
	MUST(symlink("to_a", et_path("to_to_a")));
	MUST(symlink(et_path("d"), et_path("to_d")));
	MUST(symlink("target", et_path("dangling")));
	et_traced(do_symlinks);
}

static void do_openat2(void)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC };
	int fd, d;

	d = CHILD_MUST(et_sys(SYS_openat2, AT_FDCWD, "d", &how, sizeof(how)));
	want_open(d, et_path("d"), how.flags, 0);
	how.flags = O_CREAT | O_WRONLY;
	how.mode = 0604;
	fd = CHILD_MUST(et_sys(SYS_openat2, d, "new", &how, sizeof(how)));
	want_open(fd, et_path("d/new"), how.flags, 0604);
	how.flags = O_RDONLY;
	how.mode = 0;
	how.resolve = RESOLVE_IN_ROOT;
	/* Absolute for the program, but below the directory for the kernel. */
	fd = CHILD_MUST(et_sys(SYS_openat2, d, "/new", &how, sizeof(how)));
	want_open(fd, "/new", how.flags, 0);
	how.resolve = RESOLVE_BENEATH;
	CHILD_MUST_FAIL(et_sys(SYS_openat2, d, "../a", &how, sizeof(how)), EXDEV);
}

TEST(openat2)
{
	et_file("a");
	et_mkdir("d");
	et_traced(do_openat2);
}

/* Wait until a task sleeps in a system call. */
static void wait_asleep_in(pid_t pid, long call)
{
	char path[32];
	long nr = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	while (nr != call) {
		usleep(1000);
		f = fopen(path, "r");
		/* for a task that does not sleep, the file contains "running" and no number */
		if (!f || fscanf(f, "%ld", &nr) == EOF)
			_exit(1);
		fclose(f);
	}
}

/*
 * Another task changes the struct while openat2() waits for the other end of a FIFO: the recorded
 * flags are those that the kernel used.
 */
static void do_forged(void)
{
	struct open_how *how = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char path[PATH_MAX];
	pid_t pid;
	int fd;

	strcpy(path, et_path("fifo"));
	how->flags = O_RDONLY;
	pid = CHILD_MUST(syscall(SYS_fork));
	if (pid) {
		want_forked(pid);
		want_any(pid);
	} else {
		wait_asleep_in(getppid(), SYS_openat2);
		how->flags = O_RDWR | O_APPEND | O_CREAT;
		how->mode = 0777;
		open(path, O_WRONLY);
		_exit(0);
	}
	fd = CHILD_MUST(syscall(SYS_openat2, AT_FDCWD, path, how, sizeof(*how)));
	want_open(fd, path, O_RDONLY, 0);
	want_extended("Marks|joined=,unread=args,cut=");
	want_count("strings_unread", 1);
	CHILD_MUST(waitpid(pid, NULL, 0));
}

TEST(open_how_changed_during_call)
{
	MUST(mkfifo(et_path("fifo"), 0600));
	et_traced(do_forged);
}

/* ---- a name whose memory is taken away while the call lasts ----------------- */

/* A file in memory that contains the name. */
static int name_file;
static char *name;

/*
 * Open a FIFO whose name another task removes from memory meanwhile. @back: it also writes the
 * name to the file again, from where the kernel can read it. @read: the tracer can read it.
 */
static void open_taken_away(bool back, bool read)
{
	char path[PATH_MAX];
	pid_t pid;
	int fd;

	strcpy(path, et_path("fifo"));
	strcpy(name, path);
	pid = CHILD_MUST(syscall(SYS_fork));
	if (pid) {
		want_forked(pid);
		want_any(pid);
	} else {
		wait_asleep_in(getppid(), SYS_openat);
		if (ftruncate(name_file, 0) || ftruncate(name_file, 4096) ||
		    (back && pwrite(name_file, path, strlen(path), 0) < 0))
			_exit(1);
		open(path, O_WRONLY);
		_exit(0);
	}
	fd = CHILD_MUST(syscall(SYS_openat, AT_FDCWD, name, O_RDONLY));
	want_open(fd, read ? path : "", O_RDONLY, 0);
	if (!read) {
		want_extended("Marks|joined=,unread=FO,cut=");
		want_count("strings_unread", 1);
	}
	CHILD_MUST(waitpid(pid, NULL, 0));
}

/* BPF programs cannot wait for a page that is not in memory. */
static void do_taken_away(void)
{
	open_taken_away(true, !et_bpf());
}

/* etrace does not wait for a page that another program may fill at any time. */
static void do_not_provided(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { .start = (uintptr_t)name, .len = 4096 },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = CHILD_MUST(syscall(SYS_userfaultfd, O_CLOEXEC));

	CHILD_MUST(ioctl(fd, UFFDIO_API, &api));
	*name = 0;
	CHILD_MUST(ioctl(fd, UFFDIO_REGISTER, &range));
	open_taken_away(false, false);
}

static void taken_away(void (*fn)(void))
{
	MUST(mkfifo(et_path("fifo"), 0600));
	name_file = MUST(memfd_create("name", 0));
	MUST(ftruncate(name_file, 4096));
	name = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, name_file, 0);
	if (name == MAP_FAILED)
		DIE("mmap: %m");
	et_traced(fn);
	munmap(name, 4096);
	close(name_file);
}

TEST(name_not_in_memory)
{
	taken_away(do_taken_away);
}

TEST(name_another_program_must_provide)
{
	if (et_has_userfaultfd())
		taken_away(do_not_provided);
	else
		et_skip("no userfaultfd in this kernel");
}

static void do_creat(void)
{
	int fd = CHILD_MUST(et_sys(SYS_creat, "new", 0604));

	want_open(fd, et_path("new"), O_CREAT | O_WRONLY | O_TRUNC, 0604);
	fd = CHILD_MUST(et_sys(SYS_creat, et_path("new"), 0));
	want_open(fd, et_path("new"), O_CREAT | O_WRONLY | O_TRUNC, 0);
}

TEST(creat)
{
	et_traced(do_creat);
}

static void do_tmpfile(void)
{
	int fd;

	fd = open_is(".", et_path("."), O_TMPFILE | O_RDWR, 0600);
	if (!strstr(et_fd_path(fd), " (deleted)"))
		CHILD_FAIL("%s does not look deleted", et_fd_path(fd));
	openat_is(AT_FDCWD, et_path("d"), et_path("d"),
		  O_TMPFILE | O_EXCL | O_WRONLY, 0666);
}

TEST(o_tmpfile)
{
	et_mkdir("d");
	et_traced(do_tmpfile);
}

/* Files without a path, with a removed path, or in another process's /proc directory. */
static void do_odd_files(void)
{
	char name[64];
	int fd, fds[2];

	fd = open_is("a", et_path("a"), O_RDONLY, 0);
	CHILD_MUST(unlink("a"));
	want_unlink(et_path("a"), 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	open_is(name, name, O_RDONLY, 0);

	CHILD_MUST(et_sys(SYS_pipe, fds));
	want("Pipe|fd1=%d,fd2=%d,flags=0", fds[0], fds[1]);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fds[0]);
	fd = open_is(name, name, O_RDONLY | O_NONBLOCK, 0);
	if (strncmp(et_fd_path(fd), "pipe:[", 6))
		CHILD_FAIL("%s is not a pipe", et_fd_path(fd));
	open_is("/dev/null", "/dev/null", O_RDWR, 0);

	CHILD_MUST(chdir("d"));
	CHILD_MUST(rmdir(et_path("d")));
	want_unlink(et_path("d"), 1);
	snprintf(name, sizeof(name), "%s (deleted)/.", et_path("d"));
	open_is(".", name, O_RDONLY, 0);
}

/* In a new root, names are relative to it. */
static void do_chroot(void)
{
	int fd;

	CHILD_MUST(chroot(et_path("root")));
	CHILD_MUST(chdir("/"));
	fd = CHILD_MUST(et_sys(SYS_open, "f", O_RDONLY));
	want("Open|fnamesize=2,forigsize=3,flags=0,mode=0,fd=%d", fd);
	want("FN|/f");
	want("FO|//f");
}

TEST(chroot)
{
	et_mkdir("root");
	et_file("root/f");
	et_traced(do_chroot);
}

/* In a detached mount, names begin at its root. */
static void do_detached(void)
{
	int tree = CHILD_MUST(syscall(SYS_open_tree, AT_FDCWD, et_path("d"),
				      OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
	int fd = CHILD_MUST(et_sys(SYS_openat, tree, "f", O_RDONLY));

	want("Open|fnamesize=2,forigsize=3,flags=0,mode=0,fd=%d", fd);
	want("FN|/f");
	want("FO|//f");
	want_extended("Marks|joined=,unread=,cut=,outside=FN+FO");
	openat_is(AT_FDCWD, "d/f", et_path("d/f"), O_RDONLY, 0);
}

TEST(detached_mount)
{
	et_mkdir("d");
	et_file("d/f");
	et_traced(do_detached);
}

TEST(special_files)
{
	et_file("a");
	et_mkdir("d");
	et_traced(do_odd_files);
}

static void do_failed(void)
{
	struct open_how how = { .flags = O_RDONLY };

	CHILD_MUST_FAIL(et_sys(SYS_open, "absent", O_RDONLY), ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_open, "", O_RDONLY), ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_open, "a/b", O_RDONLY), ENOTDIR);
	CHILD_MUST_FAIL(et_sys(SYS_open, "a", O_CREAT | O_EXCL, 0600), EEXIST);
	CHILD_MUST_FAIL(et_sys(SYS_open, (char *)8, O_RDONLY), EFAULT);
	CHILD_MUST_FAIL(et_sys(SYS_openat, 12345, "a", O_RDONLY), EBADF);
	CHILD_MUST_FAIL(et_sys(SYS_openat2, AT_FDCWD, "absent", &how,
			       sizeof(how)), ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_openat2, AT_FDCWD, "a", &how, 3), EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_creat, "absent/a", 0600), ENOENT);
}

TEST(failed_call_records_nothing)
{
	et_file("a");
	et_traced(do_failed);
}

/* A file opened without a name: FN is the kernel's, FO is empty. */
static void do_by_handle(void)
{
	union {
		struct file_handle h;
		char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} handle = { .h.handle_bytes = MAX_HANDLE_SZ };
	int mount, fd;

	CHILD_MUST(syscall(SYS_name_to_handle_at, AT_FDCWD, "a", &handle, &mount, 0));
	fd = CHILD_MUST(et_sys(SYS_open_by_handle_at, AT_FDCWD, &handle, O_RDWR | O_CLOEXEC));
	/* BPF always records it; only its reader could leave it out. */
	if (et_extended || et_bpf()) {
		want("Open|fnamesize=%zu,forigsize=0,flags=%d,mode=0,fd=%d",
		     strlen(et_path("a")), O_RDWR | O_CLOEXEC, fd);
		want("FN|%s", et_path("a"));
		want("FO|");
	}
	handle.h.handle_bytes = 0;
	CHILD_MUST_FAIL(et_sys(SYS_open_by_handle_at, AT_FDCWD, &handle, O_RDONLY), EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_open_by_handle_at, AT_FDCWD, (void *)8, O_RDONLY), EFAULT);
}

TEST(open_by_handle_at)
{
	et_file("a");
	et_traced(do_by_handle);
}

/* ---- identity of files ---- */

static void identified(const char *name, int flags)
{
	int fd = open_is(name, *name == '/' ? name : et_path(name), flags,
			 flags & O_CREAT ? 0600 : 0);
	struct stat st;

	CHILD_MUST(fstat(fd, &st));
	want_extended("OpenFile|dev=%llu,ino=%llu,size=%lld,mtime=%lld,type=%u",
		      (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
		      (long long)st.st_size,
		      st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec,
		      (unsigned int)(st.st_mode & S_IFMT));
}

static void do_identity(void)
{
	static const struct timespec before_1970[2] = { { -5, 7 }, { -5, 7 } };

	identified("a", O_RDONLY);
	identified("same", O_RDONLY);
	identified("a", O_RDWR);
	identified("/dev/null", O_RDWR);
	identified("d", O_DIRECTORY);
	identified("fifo", O_RDWR);
	identified("link", O_PATH | O_NOFOLLOW);
	identified("new", O_CREAT | O_WRONLY);
	CHILD_MUST(et_sys(SYS_utimensat, AT_FDCWD, "a", before_1970, 0));
	identified("a", O_RDONLY);
	/* the file as it is after the call */
	identified("a", O_WRONLY | O_TRUNC);
}

TEST(identity)
{
	const char *facts = et_facts;
	char name[PATH_MAX];

	et_file("a");
	strcpy(name, et_path("a"));
	MUST(truncate(name, 12345));
	MUST(link(name, et_path("same")));
	et_mkdir("d");
	MUST(mkfifo(et_path("fifo"), 0600));
	MUST(symlink("somewhere", et_path("link")));
	et_facts = "OpenFile";
	et_traced(do_identity);
	et_facts = facts;
}

int main(int argc, char **argv)
{
	return et_main(argc, argv, "");
}
