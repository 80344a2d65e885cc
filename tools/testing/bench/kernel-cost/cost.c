// SPDX-License-Identifier: GPL-2.0
/*
 * What a system call costs: in a guest whose clock counts instructions, elapsed nanoseconds
 * are executed instructions: of the program, the kernel, and any tracer on the same CPU.
 *
 *	cost			prints a number for each row of the table "calls" below:
 *				instructions per call, the median of many
 *				batches, to exclude timer interrupts
 *	cost session		the same, traced by a session of /dev/etrace that
 *				nobody reads, without the cost of a reader
 *	cost filtered		the same, with a seccomp filter that allows everything
 *	cost read TRACE_PIPE	copies what is there to standard output and prints the
 *				instructions of reading on standard error
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "etrace_ioctl.h"

#define BATCHES	101
#define BATCH	40

static void open_close_file(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0) {
		perror(path);
		exit(1);
	}
	close(fd);
}

static void open_close(void)
{
	open_close_file("/etc/hostname");
}

/* On another mount than the root directory's. */
static void open_close_elsewhere(void)
{
	open_close_file("/mnt/hostname");
}

#define DIR_OF_24 "/var/cost.dir/deeper/end"
#define NAME_OF_23 "a.name.of.23.characters"

/* An absolute name of 48 bytes. */
static void open_close_long(void)
{
	open_close_file(DIR_OF_24 "/" NAME_OF_23);
}

static int dir;

/* The same file, by a name relative to its directory. */
static void open_close_relative(void)
{
	int fd = openat(dir, NAME_OF_23, O_RDONLY);

	if (fd < 0)
		exit(1);
	close(fd);
}

static void getppid_once(void)
{
	syscall(SYS_getppid);
}

static void rename_once(void)
{
	static const char * const names[] = { "cost.a", "cost.b" };
	static int from;

	if (rename(names[from], names[!from])) {
		perror(names[from]);
		exit(1);
	}
	from = !from;
}

/* Two calls; only the first is recorded. */
static void symlink_unlink(void)
{
	if (symlink("target", "cost.link") || unlink("cost.link")) {
		perror("cost.link");
		exit(1);
	}
}

/* Of descriptors that are not open. */
static void close_range_once(void)
{
	syscall(SYS_close_range, 100, 200, 0);
}

static void open_failed(void)
{
	if (open("/etc/absent", O_RDONLY) >= 0)
		exit(1);
}

static int zero, file;	/* descriptors */

/* The descriptor has been read from before. */
static void read_once(void)
{
	char c;

	if (syscall(SYS_read, zero, &c, 1) != 1)
		exit(1);
}

static void write_once(void)
{
	if (syscall(SYS_pwrite64, file, "", 1, 0) != 1)
		exit(1);
}

static void nothing(void)
{
}

/* The columns. */
static void (* const calls[])(void) = {
	open_close, getppid_once, rename_once, symlink_unlink, close_range_once,
	open_close_elsewhere, open_failed, read_once, write_once,
	open_close_long, open_close_relative,
};

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double cost(void (*volatile fn)(void))
{
	double ns[BATCHES];
	long long start;
	int i, j;

	for (i = 0; i < BATCHES; i++) {
		start = now();
		for (j = 0; j < BATCH; j++)
			fn();
		ns[i] = (double)(now() - start) / BATCH;
	}
	qsort(ns, BATCHES, sizeof(*ns), compare);
	return ns[BATCHES / 2];
}

static int read_all(const char *path)
{
	static char buf[1 << 16];
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	long long start, sum = 0;
	ssize_t n;

	for (;;) {
		start = now();
		n = read(fd, buf, sizeof(buf));
		sum += now() - start;
		if (n <= 0)
			break;
		if (write(STDOUT_FILENO, buf, n) != n)
			return 1;
	}
	if (n < 0 && errno != EAGAIN) {
		perror(path);
		return 1;
	}
	fprintf(stderr, "%lld\n", sum);
	return 0;
}

/* Trace this process, with buffers large enough for all records. Return: the session. */
static int begin_session(void)
{
	struct etrace_create c = { .abi = ETRACE_ABI_VERSION, .buffer = 16 << 20 };
	__s32 self = getpid();
	int fd = open("/dev/etrace", O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, ETRACE_IOC_CREATE, &c) || ioctl(fd, ETRACE_IOC_ADD, &self)) {
		perror("/dev/etrace");
		exit(1);
	}
	return fd;
}

/* All measured calls must have been recorded. */
static void end_session(int fd)
{
	struct etrace_stats s;

	if (ioctl(fd, ETRACE_IOC_STOP) || ioctl(fd, ETRACE_IOC_STATS, &s)) {
		perror("/dev/etrace");
		exit(1);
	}
	if (s.records < 2 * BATCHES * BATCH || s.lost_records || s.overwritten) {
		fprintf(stderr, "session: %llu records, %llu lost, %llu overwritten\n",
			(unsigned long long)s.records, (unsigned long long)s.lost_records,
			(unsigned long long)s.overwritten);
		exit(1);
	}
	close(fd);
}

static void filter(void)
{
	struct sock_filter permit = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { .len = 1, .filter = &permit };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("seccomp");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	double loop, value[sizeof(calls) / sizeof(*calls)];
	int session = -1;
	size_t i;

	if (argc == 3)
		return read_all(argv[2]);
	if (chdir("/tmp") || close(open("cost.a", O_CREAT | O_WRONLY, 0600))) {
		perror("/tmp/cost.a");
		return 1;
	}
	/* close_range scans a table of this size, whatever the parent has open. */
	if (dup2(STDOUT_FILENO, 255) < 0) {
		perror("dup2");
		return 1;
	}
	mkdir("/var/cost.dir", 0700);
	mkdir("/var/cost.dir/deeper", 0700);
	mkdir(DIR_OF_24, 0700);
	dir = open(DIR_OF_24, O_RDONLY);
	if (dir < 0 || close(openat(dir, NAME_OF_23, O_CREAT | O_WRONLY, 0600))) {
		perror(DIR_OF_24 "/" NAME_OF_23);
		return 1;
	}
	zero = open("/dev/zero", O_RDONLY);
	file = open("cost.c", O_CREAT | O_WRONLY, 0600);
	if (zero < 0 || file < 0) {
		perror("/dev/zero, /tmp/cost.c");
		return 1;
	}
	if (argc == 2 && !strcmp(argv[1], "session"))
		session = begin_session();
	if (argc == 2 && !strcmp(argv[1], "filtered"))
		filter();
	loop = cost(nothing);
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		value[i] = cost(calls[i]) - loop;
	if (session >= 0)
		end_session(session);
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		printf("%s%.0f", i ? " " : "", value[i]);
	printf("\n");
	return 0;
}
