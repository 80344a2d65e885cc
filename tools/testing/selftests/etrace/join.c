// SPDX-License-Identifier: GPL-2.0
/*
 * Join: tasks that are in a cgroup of a session (ETRACE_IOC_CGROUP), or move into it; which
 * requests are refused, and that nothing is left behind.
 *
 * $ETRACE_MOVES: how often tasks move while sessions come and go, 30 by default.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"
#include "../../../../kernel/etrace_ioctl.h"

static char top[200];		/* mount point of cgroup2 */

static const char *at(const char *cgroup, const char *file)
{
	static char path[4][400];
	static unsigned int n;

	n = (n + 1) % 4;
	snprintf(path[n], sizeof(path[n]), "%s/%s%s%s", top, cgroup, *file ? "/" : "", file);
	return path[n];
}

/* Return: 0 or -errno. */
static int move(pid_t pid, const char *cgroup)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	return et_write_file(at(cgroup, "cgroup.procs"), text);
}

static void make(const char *cgroup)
{
	if (mkdir(at(cgroup, ""), 0755) && errno != EEXIST)
		DIE("%s: %m", at(cgroup, ""));
}

static int session(void)
{
	struct etrace_create create = { .abi = ETRACE_ABI_VERSION };
	int dev = MUST(open("/dev/etrace", O_RDWR | O_CLOEXEC));

	MUST(ioctl(dev, ETRACE_IOC_CREATE, &create));
	return dev;
}

/* Return: 0 or errno. */
static int watch(int dev, const char *path)
{
	int fd = MUST(open(path, O_RDONLY | O_CLOEXEC)), err;

	err = ioctl(dev, ETRACE_IOC_CGROUP, &fd) ? errno : 0;
	close(fd);
	return err;
}

/* A child that closes a descriptor each time it receives a byte, until it receives 0. */
struct helper {
	pid_t pid;
	int command, answer;
};

#define ITS_IN	200	/* descriptors of a child that executes a program */
#define ITS_OUT	201

static bool only_reads;		/* the child reads and writes, but closes nothing */

static void obeys(int in, int out)
{
	char c;

	while (read(in, &c, 1) == 1 && c) {
		if (!only_reads)
			et_sys(SYS_close, dup(0));
		if (write(out, &c, 1) != 1)
			break;
	}
	_exit(0);
}

/* @argv: the child executes this program with these arguments; NULL: it is only forked */
static struct helper helper_with(char **argv)
{
	int down[2], up[2];
	struct helper o;

	MUST(pipe(down));
	MUST(pipe(up));
	fflush(stdout);
	o.pid = MUST(fork());
	if (!o.pid) {
		close(down[1]);
		if (!argv)
			obeys(down[0], up[1]);
		dup2(down[0], ITS_IN);
		dup2(up[1], ITS_OUT);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	close(down[0]);
	close(up[1]);
	o.command = down[1];
	o.answer = up[0];
	return o;
}

static struct helper helper(void)
{
	return helper_with(NULL);
}

static void obey(const struct helper *o)
{
	char c = 1;

	if (write(o->command, &c, 1) != 1 || read(o->answer, &c, 1) != 1)
		DIE("the child does not respond: %m");
}

static void dismiss(struct helper *o)
{
	char c = 0;

	/* closing the pipe is not enough: children that were forked later have it open, too */
	if (write(o->command, &c, 1) != 1)
		DIE("the child does not start: %m");
	close(o->command);
	close(o->answer);
	MUST(waitpid(o->pid, NULL, 0));
}

TEST(moved_into_cgroup)
{
	struct helper in = helper(), comes = helper(), outside = helper();
	struct etrace_stats stats;
	int dev;

	make("moved");
	EXPECT_EQ(move(in.pid, "moved"), 0);
	et_module_setup("", 64);
	dev = session();
	EXPECT_EQ(watch(dev, at("moved", "")), 0);
	EXPECT_EQ(move(comes.pid, "moved"), 0);
	obey(&in);
	obey(&comes);
	obey(&outside);
	MUST(ioctl(dev, ETRACE_IOC_STATS, &stats));
	EXPECT_EQ(stats.tasks, 2);
	EXPECT(stats.records >= 3, "%lld records", (long long)stats.records);

	/* A joined task stays traced wherever it moves. */
	make("away");
	EXPECT_EQ(move(comes.pid, "away"), 0);
	MUST(ioctl(dev, ETRACE_IOC_STATS, &stats));
	EXPECT_EQ(stats.tasks, 2);
	dismiss(&comes);
	dismiss(&in);
	dismiss(&outside);
	MUST(ioctl(dev, ETRACE_IOC_STATS, &stats));
	EXPECT_EQ(stats.tasks, 0);
	/* The session does not prevent the removal of its cgroup. */
	EXPECT_EQ(rmdir(at("moved", "")), 0);
	EXPECT_EQ(rmdir(at("away", "")), 0);
	close(dev);
	et_module_teardown();
}

/*
 * Move a program into a cgroup that a new session watches, and let it do something there.
 * Return: the session, for leave()
 */
static int join_program(const char *cgroup, char **argv, struct etrace_stats *stats)
{
	struct helper o;
	int dev;

	make(cgroup);
	et_module_setup("", 64);
	dev = session();
	EXPECT_EQ(watch(dev, at(cgroup, "")), 0);
	o = helper_with(argv);
	obey(&o);
	EXPECT_EQ(move(o.pid, cgroup), 0);
	obey(&o);
	MUST(ioctl(dev, ETRACE_IOC_STATS, stats));
	dismiss(&o);
	return dev;
}

static void leave(const char *cgroup, int dev)
{
	close(dev);
	EXPECT_EQ(rmdir(at(cgroup, "")), 0);
	et_module_teardown();
}

/* Is the text in the session's records? */
static bool has_text(int dev, const char *text)
{
	struct etrace_open o = { .what = ETRACE_OPEN_PIPE };
	static char page[1 << 16];
	bool has = false;
	ssize_t got;
	int fd;

	for (; (fd = ioctl(dev, ETRACE_IOC_OPEN, &o)) >= 0; o.cpu++) {
		while ((got = read(fd, page, sizeof(page))) > 0)
			has |= !!memmem(page, got, text, strlen(text));
		close(fd);
	}
	return has;
}

/* A task whose first records are uses of descriptors reports its program before them. */
TEST(reads)
{
	char *argv[] = { "join", "--reads", NULL };
	struct etrace_stats stats;
	int dev = join_program("reads", argv, &stats);

	EXPECT(has_text(dev, argv[1]), "the program is not recorded");
	leave("reads", dev);
}

/* Make reads of this memory wait for a page that never comes. */
static void never_given(unsigned long start, size_t len)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { .start = start, .len = len },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range))
		_exit(4);
}

/* Place the arguments in 64 GiB of zeros, as any program may. */
static void boundless(bool given)
{
	const size_t area = sizeof(long) == 8 ? 64ULL << 30 : 0;
	struct prctl_mm_map map = { .exe_fd = -1 };
	unsigned long long field[52];
	char text[4096], *s;
	int i;

	map.arg_start = (unsigned long)mmap(NULL, area, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS |
					    MAP_NORESERVE, -1, 0);
	map.arg_end = map.arg_start + area;
	if (!given)
		never_given(map.arg_start, area);
	snprintf(text, sizeof(text), "%s", et_read_file("/proc/self/stat"));
	/* the fields, numbered as in proc(5) */
	s = strrchr(text, ')') + 4;
	for (i = 4; i < 52; i++)
		field[i] = strtoull(s, &s, 10);
	map.start_code = field[26];
	map.end_code = field[27];
	map.start_stack = field[28];
	map.start_data = field[45];
	map.end_data = field[46];
	map.start_brk = field[47];
	map.brk = (unsigned long)sbrk(0);
	map.env_start = field[50];
	map.env_end = field[51];
	if (prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0))
		_exit(3);
	obeys(ITS_IN, ITS_OUT);
}

static void join_boundless(char *given, struct etrace_stats *stats)
{
	char *argv[] = { "join", "--boundless", given, NULL };

	leave("boundless", join_program("boundless", argv, stats));
}

/* Records at most as many arguments as execve accepts. */
TEST(arguments_without_end)
{
	struct etrace_stats stats;

	if (sizeof(long) < 8) {
		et_skip("this kernel refuses such a memory area to 32-bit programs");
		return;
	}
	join_boundless("given", &stats);
	EXPECT_EQ(stats.strings_cut, 1);
	EXPECT_EQ(stats.strings_unread, 0);
	EXPECT(stats.records > 1000 && stats.records + stats.lost_records < 100000,
	       "%lld records, %lld lost", (long long)stats.records,
	       (long long)stats.lost_records);
}

/* Does not wait for arguments that another program would have to provide. */
TEST(arguments_another_program_must_provide)
{
	struct etrace_stats stats;

	if (sizeof(long) < 8 || !et_has_userfaultfd()) {
		et_skip("this kernel has no userfaultfd, or refuses such a memory area");
		return;
	}
	join_boundless(NULL, &stats);
	EXPECT_EQ(stats.strings_cut, 0);
	EXPECT_EQ(stats.strings_unread, 1);
}

/* Created with CLONE_INTO_CGROUP by an untraced parent; and a child that is forked there. */
TEST(cloned_into_cgroup)
{
	struct clone_args args = { .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD };
	struct etrace_stats stats;
	pid_t pid;
	int dev;

	make("born");
	et_module_setup("", 64);
	dev = session();
	EXPECT_EQ(watch(dev, at("born", "")), 0);
	args.cgroup = MUST(open(at("born", ""), O_RDONLY | O_CLOEXEC));
	fflush(stdout);
	pid = syscall(SYS_clone3, &args, sizeof(args));
	if (!pid) {
		pid = fork();
		if (pid > 0)
			waitpid(pid, NULL, 0);
		_exit(pid ? 3 : 4);
	}
	MUST(pid);
	MUST(waitpid(pid, NULL, 0));
	MUST(ioctl(dev, ETRACE_IOC_STATS, &stats));
	EXPECT_EQ(stats.tasks, 0);
	/* two tasks that join or are forked, and exit */
	EXPECT(stats.records >= 4, "%lld records", (long long)stats.records);
	close(dev);
	close((int)args.cgroup);
	EXPECT_EQ(rmdir(at("born", "")), 0);
	et_module_teardown();
}

TEST(invalid_requests)
{
	int dev, fd = -1, i;

	make("refused");
	et_module_setup("", 64);
	dev = MUST(open("/dev/etrace", O_RDWR | O_CLOEXEC));
	EXPECT_EQ(watch(dev, top), EINVAL);
	close(dev);
	dev = session();
	EXPECT(ioctl(dev, ETRACE_IOC_CGROUP, &fd) == -1 && errno == EBADF);
	EXPECT(ioctl(dev, ETRACE_IOC_CGROUP, (void *)8) == -1 && errno == EFAULT);
	EXPECT_EQ(watch(dev, "/"), EBADF);
	EXPECT_EQ(watch(dev, "/proc/self/exe"), EBADF);
	/* adding a cgroup again is not an error, but uses up another slot */
	for (i = 0; i < ETRACE_CGROUPS_MAX; i++)
		EXPECT_EQ(watch(dev, at("refused", "")), 0);
	EXPECT_EQ(watch(dev, at("refused", "")), ENOSPC);
	EXPECT_EQ(ioctl(dev, ETRACE_IOC_STOP), 0);
	EXPECT_EQ(watch(dev, at("refused", "")), 0);
	EXPECT_EQ(rmdir(at("refused", "")), 0);
	close(dev);
	et_module_teardown();
}

/* After STOP, no task joins; the probes are removed, although the session stays. */
TEST(nothing_joins_after_stop)
{
	struct helper o = helper();
	struct etrace_stats stats;
	int dev;

	make("stopped");
	et_module_setup("", 64);
	dev = session();
	EXPECT_EQ(watch(dev, at("stopped", "")), 0);
	EXPECT_EQ(ioctl(dev, ETRACE_IOC_STOP), 0);
	EXPECT_EQ(move(o.pid, "stopped"), 0);
	obey(&o);
	MUST(ioctl(dev, ETRACE_IOC_STATS, &stats));
	EXPECT_EQ(stats.tasks, 0);
	EXPECT_EQ(stats.records, 0);
	close(dev);
	EXPECT_EQ(et_module_unload(), 0);
	/* nothing has changed for the tasks in the cgroup */
	obey(&o);
	dismiss(&o);
	EXPECT_EQ(rmdir(at("stopped", "")), 0);
}

/* Tasks move in and out, start and end in the cgroup, while sessions come and go. */
TEST(tasks_and_sessions_at_random)
{
	const char *env = getenv("ETRACE_MOVES");
	int moves = env ? atoi(env) : 30, i, status;
	struct clone_args args = { .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD };
	struct helper o[4];
	pid_t mover;

	make("storm");
	make("storm/in");
	et_module_setup("", 64);
	for (i = 0; i < 4; i++)
		o[i] = helper();
	fflush(stdout);
	mover = MUST(fork());
	if (!mover) {
		MUST(nice(10));
		args.cgroup = MUST(open(at("storm/in", ""), O_RDONLY | O_CLOEXEC));
		for (i = 0; ; i++) {
			pid_t pid;

			move(o[i % 4].pid, i / 4 % 2 ? "storm" : "storm/in");
			pid = syscall(SYS_clone3, &args, sizeof(args));
			if (!pid)
				_exit(0);
			if (pid > 0)
				waitpid(pid, NULL, 0);
		}
	}
	for (i = 0; i < moves; i++) {
		int dev = session();

		EXPECT_EQ(watch(dev, at("storm/in", "")), 0);
		obey(&o[i % 4]);
		if (i % 3)
			EXPECT_EQ(ioctl(dev, ETRACE_IOC_STOP), 0);
		close(dev);
	}
	kill(mover, SIGKILL);
	MUST(waitpid(mover, &status, 0));
	for (i = 0; i < 4; i++) {
		obey(&o[i]);
		dismiss(&o[i]);
	}
	EXPECT_EQ(et_module_unload(), 0);
	/* A child may still be ending. */
	EXPECT(ET_UNTIL(!rmdir(at("storm/in", ""))), "%m");
	EXPECT_EQ(rmdir(at("storm", "")), 0);
}

int main(int argc, char **argv)
{
	int ret;

	only_reads = argc > 1 && !strcmp(argv[1], "--reads");
	if (only_reads || (argc > 1 && !strcmp(argv[1], "--obey")))
		obeys(ITS_IN, ITS_OUT);
	if (argc > 1 && !strcmp(argv[1], "--boundless"))
		boundless(argc > 2);
	if (et_bpf())
		et_skip_all("this is about the module's device");
	strcpy(top, "/tmp/etrace-join.XXXXXX");
	if (!mkdtemp(top))
		DIE("mkdtemp: %m");
	if (mount("none", top, "cgroup2", 0, NULL)) {
		rmdir(top);
		et_skip_all("no cgroup2: %m");
	}
	ret = et_main(argc, argv, NULL);
	umount2(top, MNT_DETACH);
	rmdir(top);
	return ret;
}
