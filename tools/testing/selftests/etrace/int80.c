// SPDX-License-Identifier: GPL-2.0
/*
 * A 64-bit program that makes 32-bit system calls by int $0x80: the numbers mean other calls
 * there, and the calls that the kernel made must be recorded.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#ifdef __x86_64__
/* The table of 32-bit calls; <asm/unistd.h> has only one table. */
enum {
	NR32_OPEN = 5, NR32_CLOSE = 6, NR32_LINK = 9, NR32_UNLINK = 10,
	NR32_DUP = 41, NR32_PIPE = 42, NR32_RENAME = 38, NR32_RMDIR = 40,
	NR32_SYMLINK = 83, NR32_GETPID = 20, NR32_FCNTL64 = 221,
	NR32_OPENAT = 295, NR32_UNLINKAT = 301, NR32_DUP3 = 330,
	NR32_CHDIR = 12, NR32_MKNOD = 14, NR32_CHMOD = 15, NR32_UTIME = 30,
	NR32_MKDIR = 39, NR32_FTRUNCATE = 93, NR32_FCHDIR = 133,
	NR32_TRUNCATE64 = 193, NR32_UTIMENSAT = 320, NR32_UNSHARE = 310,
	NR32_UTIMENSAT_TIME64 = 412,
	NR32_LCHOWN = 16, NR32_FCHOWN = 95, NR32_CHOWN = 182, NR32_CHOWN32 = 212,
	NR32_SYSINFO = 116, NR32_UNAME = 122, NR32_SCHED_GETAFFINITY = 242, NR32_GETRANDOM = 355,
};

static char *low;	/* memory below 4 GiB */

static long int80(long nr, long a, long b, long c, long d)
{
	long ret;

	/* The kernel may clear r8 to r11. */
	asm volatile("int $0x80"
		     : "=a" (ret)
		     : "a" (nr), "b" (a), "c" (b), "d" (c), "S" (d)
		     : "memory", "r8", "r9", "r10", "r11");
	if ((int)ret < 0 && (int)ret >= -4095) {
		errno = -(int)ret;
		return -1;
	}
	return (int)ret;
}

/* Copy a string to memory that 32-bit pointers can reach. */
static long str(const char *s)
{
	static size_t used;
	char *p = low + used;

	strcpy(p, s);
	used = (used + strlen(s) + 1) % 32768;
	return (long)p;
}

static void do_calls(void)
{
	int *fds = (int *)(low + 65536 - 64);
	int fd;

	fd = CHILD_MUST(int80(NR32_OPEN, str("a"), O_RDONLY, 0, 0));
	want("Open|fnamesize=%zu,forigsize=%zu,flags=0,mode=0,fd=%d",
	     strlen(et_path("a")), strlen(et_path("a")), fd);
	want("FN|%s", et_path("a"));
	want("FO|%s", et_path("a"));
	fd = CHILD_MUST(int80(NR32_OPENAT, AT_FDCWD, str("n"), O_CREAT | O_WRONLY, 0600));
	want("Open|fnamesize=%zu,forigsize=%zu,flags=65,mode=384,fd=%d",
	     strlen(et_path("n")), strlen(et_path("n")), fd);
	want("FN|%s", et_path("n"));
	want("FO|%s", et_path("n"));
	CHILD_MUST(int80(NR32_DUP, fd, 0, 0, 0));
	want("Dup|oldfd=%d,newfd=%d,flags=0", fd, fd + 1);
	CHILD_MUST(int80(NR32_DUP3, fd, 60, O_CLOEXEC, 0));
	want("Dup|oldfd=%d,newfd=60,flags=%d", fd, O_CLOEXEC);
	CHILD_MUST(int80(NR32_FCNTL64, fd, F_DUPFD, 70, 0));
	want("Dup|oldfd=%d,newfd=70,flags=0", fd);
	CHILD_MUST(int80(NR32_CLOSE, 70, 0, 0, 0));
	want("Close|fd=70");
	CHILD_MUST(int80(NR32_PIPE, (long)fds, 0, 0, 0));
	want("Pipe|fd1=%d,fd2=%d,flags=0", fds[0], fds[1]);
	CHILD_MUST(int80(NR32_RENAME, str("a"), str("b"), 0, 0));
	want("RenameFrom|fnamesize=%zu", strlen(et_path("a")));
	want("RF|%s", et_path("a"));
	want("RenameTo|fnamesize=%zu", strlen(et_path("b")));
	want("RT|%s", et_path("b"));
	CHILD_MUST(int80(NR32_LINK, str("b"), str("c"), 0, 0));
	want("LinkFrom|fnamesize=%zu", strlen(et_path("b")));
	want("LF|%s", et_path("b"));
	want("LinkTo|fnamesize=%zu", strlen(et_path("c")));
	want("LT|%s", et_path("c"));
	CHILD_MUST(int80(NR32_SYMLINK, str("nowhere"), str("l"), 0, 0));
	want("Symlink|targetnamesize=7,linknamesize=%zu", strlen(et_path("l")));
	want("ST|nowhere");
	want("SL|%s", et_path("l"));
	CHILD_MUST(int80(NR32_UNLINK, str("b"), 0, 0, 0));
	want_unlink(et_path("b"), 0);
	CHILD_MUST(int80(NR32_UNLINKAT, AT_FDCWD, str("c"), 0, 0));
	want_unlink(et_path("c"), 0);
	CHILD_MUST(int80(NR32_RMDIR, str("d"), 0, 0, 0));
	want_unlink(et_path("d"), 1);
	/* Numbers that are other calls in the 64-bit table: 3, 20, 32, 33. */
	CHILD_MUST(int80(NR32_GETPID, 0, 0, 0, 0));
	CHILD_MUST_FAIL(int80(3, -1, 0, 0, 0), EBADF);
	CHILD_MUST_FAIL(int80(33, str("absent"), 0, 0, 0), ENOENT);
	/* A 64-bit call again. */
	CHILD_MUST(dup2(fd, 80));
	want("Dup|oldfd=%d,newfd=80,flags=0", fd);
}

/* Numbers and structures whose width differs from the program's own. */
static void do_tree(void)
{
	int seconds[] = { 5, -6 }, times[] = { 1, 2, -3, UTIME_OMIT };
	long times64[] = { 0x100000000, 0x500000002, 7, (7L << 32) | UTIME_NOW };
	void *room = low + 65536 - 64;

	CHILD_MUST(int80(NR32_MKDIR, str("d"), 0750, 0, 0));
	want_named("Mkdir", "KD", et_path("d"), "mode=%d", 0750);
	CHILD_MUST(int80(NR32_MKNOD, str("p"), S_IFIFO | 0600, 0, 0));
	want_named("Mknod", "KN", et_path("p"), "mode=%d,dev=0", S_IFIFO | 0600);
	want_named_joined("KN");
	CHILD_MUST(int80(NR32_CHMOD, str("a"), 0640, 0, 0));
	want_named("Chmod", "CM", et_path("a"), "mode=%d", 0640);
	CHILD_MUST(int80(NR32_CHOWN, str("a"), 0x12345, 0xffff, 0));
	want_named("Chown", "CO", et_path("a"), "uid=%d,gid=-1", 0x2345);
	CHILD_MUST(int80(NR32_LCHOWN, str("a"), 0x1ffff, 0, 0));
	want_named("Chown", "CO", et_path("a"), "uid=-1,gid=0");
	CHILD_MUST(int80(NR32_CHOWN32, str("a"), 0x12345, 0xffff, 0));
	want_named("Chown", "CO", et_path("a"), "uid=%d,gid=65535", 0x12345);
	CHILD_MUST_FAIL(int80(NR32_FCHOWN, 12345, 0xffff, 1, 0), EBADF);
	want_named("Chown", "CO", NULL, "fd=12345,uid=-1,gid=1");
	want_named_failed("Chown", NULL, EBADF);
	CHILD_MUST(int80(NR32_TRUNCATE64, str("a"), 0xfffffffe, 2, 0));
	want_named("Truncate", "TZ", et_path("a"), "size=%ld", 0x2fffffffe);
	CHILD_MUST_FAIL(int80(NR32_FTRUNCATE, 12345, -2, 0, 0), EINVAL);
	want_named("Truncate", "TZ", NULL, "fd=12345,size=-2");
	want_named_failed("Truncate", NULL, EINVAL);
	memcpy(room, seconds, sizeof(seconds));
	CHILD_MUST(int80(NR32_UTIME, str("a"), (long)room, 0, 0));
	want_named("Utimens", "UT", et_path("a"), "atime=5000000000,mtime=-6000000000,now=0");
	memcpy(room, times, sizeof(times));
	CHILD_MUST(int80(NR32_UTIMENSAT, AT_FDCWD, str("a"), (long)room, 0));
	want_named("Utimens", "UT", et_path("a"), "atime=1000000002,now=0");
	memcpy(room, times64, sizeof(times64));
	CHILD_MUST(int80(NR32_UTIMENSAT_TIME64, AT_FDCWD, str("a"), (long)room, 0));
	want_named("Utimens", "UT", et_path("a"), "atime=4294967296000000002,now=2");
	CHILD_MUST(int80(NR32_UNSHARE, CLONE_FS, 0, 0, 0));
	want_extended("Unshare|flags=%d", CLONE_FS);
	CHILD_MUST(int80(NR32_CHDIR, str("d"), 0, 0, 0));
	want_named("Chdir", "CD", et_path("d"), "%s", "");
	CHILD_MUST_FAIL(int80(NR32_FCHDIR, 12345, 0, 0, 0), EBADF);
	want_named("Chdir", "CD", NULL, "fd=12345");
	want_named_failed("Chdir", NULL, EBADF);
}

static void do_ask(void)
{
	const char *names = low;
	const unsigned int *set = (void *)low;
	int i, n = 0, bytes;

	CHILD_MUST(int80(NR32_GETRANDOM, (long)low, 12, 1, 0));
	want_extended("Ask|call=0,value=12,flags=1");
	CHILD_MUST(int80(NR32_UNAME, (long)low, 0, 0, 0));
	want_extended("Ask|namesize=%zu,call=1,value=0,flags=0", strlen(names + 65));
	want_extended("AN|%s", names + 65);
	bytes = CHILD_MUST(int80(NR32_SCHED_GETAFFINITY, 0, 128, (long)low, 0));
	for (i = 0; i < bytes / 4; i++)
		n += __builtin_popcount(set[i]);
	want_extended("Ask|call=2,value=%d,flags=0", n);
	CHILD_MUST(int80(NR32_SYSINFO, (long)low, 0, 0, 0));
	want_extended("Ask|call=3,value=0,flags=0");
}

static void map_low(void)
{
	if (low)
		return;
	low = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (low == MAP_FAILED)
		DIE("mmap: %m");
}

TEST(int80_calls)
{
	map_low();
	et_file("a");
	et_mkdir("d");
	et_traced(do_calls);
}

TEST(int80_forks)
{
	map_low();
	et_file("a");
	et_traced(do_tree);
}

TEST(int80_machine_questions)
{
	map_low();
	et_traced(do_ask);
}
#endif

int main(int argc, char **argv)
{
	et_facts = "MKDIR MKNOD TRUNCATE CHMOD CHOWN UTIMENS CHDIR UNSHARE ASK";
	return et_main(argc, argv, "");
}
