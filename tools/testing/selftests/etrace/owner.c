// SPDX-License-Identifier: GPL-2.0
/*
 * Owner: a user who may open the device only because of its group may trace only their own
 * processes. Tests which requests are allowed, the limits, and that such a session shows nothing
 * of programs with other privileges, no matter how they come to be traced.
 *
 * $ETRACE_MOVES: how often a program with other privileges starts while it is being added, 300 by
 * default.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib/etrace_test.h"
#include "../../../../kernel/etrace_ioctl.h"

#define MEMBER	4711	/* user and group of the member */
#define OTHERS	4712	/* the group that may read the secret */
#define TRACERS	4713	/* the device's group */

#define SECRET	"what-nobody-is-to-see"
#define HIDDEN_ARG	"hidden-argument"	/* an argument */
#define TELL	200	/* descriptor by which a member reports its progress */

/* ---- a member -------------------------------------------------------------- */

static int wrong;	/* in the member's process, which exits with it */

#define CHECK(cond)							\
	do {								\
		if (!(cond)) {						\
			printf("# %s:%d: as a member: not true: %s: %m\n",	\
			       __FILE__, __LINE__, #cond);		\
			wrong = 1;					\
		}							\
	} while (0)
#define CHECK_EQ(a, b)							\
	do {								\
		long long a_ = (a), b_ = (b);				\
									\
		if (a_ != b_) {						\
			printf("# %s:%d: as a member: %s is %lld, expected %lld\n", \
			       __FILE__, __LINE__, #a, a_, b_);		\
			wrong = 1;					\
		}							\
	} while (0)

static void become(uid_t user, gid_t extra)
{
	MUST(setgroups(extra ? 1 : 0, &extra));
	MUST(setresgid(MEMBER, MEMBER, MEMBER));
	MUST(setresuid(user, user, user));
	/* As after the execve of a login: others may look into its children. */
	MUST(prctl(PR_SET_DUMPABLE, 1));
}

/* Run @fn as a user in the test's directory; a stranger to the device's group if @extra is 0. */
static pid_t begin_as(uid_t user, void (*fn)(void), gid_t extra)
{
	pid_t pid;

	fflush(stdout);
	pid = MUST(fork());
	if (pid)
		return pid;
	become(user, extra);
	MUST(chdir(et_path("")));
	fn();
	fflush(stdout);
	_exit(wrong);
}

static pid_t begin(void (*fn)(void), gid_t extra)
{
	return begin_as(MEMBER, fn, extra);
}

static void expect_good(pid_t pid)
{
	int status;

	MUST(waitpid(pid, &status, 0));
	if (status)
		FAIL("the member process exits with status %#x", status);
}

static void by_member(void (*fn)(void))
{
	expect_good(begin(fn, TRACERS));
}

static void setup(const char *params)
{
	et_module_setup(params, 64);
	MUST(chown("/dev/etrace", 0, TRACERS));
	MUST(chmod("/dev/etrace", 0660));
	MUST(chown(et_path(""), MEMBER, MEMBER));
	MUST(chmod(et_path(""), 0755));
	et_file(SECRET);
	MUST(chown(et_path(SECRET), 0, OTHERS));
	MUST(chmod(et_path(SECRET), 0640));
}

static int call(int dev, unsigned long request, void *arg)
{
	return ioctl(dev, request, arg) == -1 ? errno : 0;
}

static int session(void)
{
	struct etrace_create create = { .abi = ETRACE_ABI_VERSION };
	int dev = open("/dev/etrace", O_RDWR | O_CLOEXEC);

	CHECK(dev >= 0);
	CHECK_EQ(call(dev, ETRACE_IOC_CREATE, &create), 0);
	return dev;
}

static int add(int dev, pid_t pid)
{
	return call(dev, ETRACE_IOC_ADD, &pid);
}

static int cgroup(int dev, int fd)
{
	return call(dev, ETRACE_IOC_CGROUP, &fd);
}

/* Create a session with buffers of @bytes bytes. Return: 0 or errno. */
static int buffer(__u64 bytes)
{
	struct etrace_create create = { .abi = ETRACE_ABI_VERSION, .buffer = bytes };
	int dev = open("/dev/etrace", O_RDWR | O_CLOEXEC), err = call(dev, ETRACE_IOC_CREATE, &create);

	if (!err && bytes)
		CHECK_EQ(create.buffer, bytes);
	close(dev);
	return err;
}

/* Return: a descriptor or -errno. */
static int opened(int dev, __u32 what, __u32 cpu, const char *name)
{
	struct etrace_open o = { .what = what, .cpu = cpu };
	int fd;

	memcpy(o.name, name, strnlen(name, sizeof(o.name)));
	fd = ioctl(dev, ETRACE_IOC_OPEN, &o);
	return fd < 0 ? -errno : fd;
}

/* Which of the texts are in the part of the session's records that the member can read now. */
static bool all_read[4];

static void read_all(int dev, const char *const *texts, unsigned int n)
{
	static char page[1 << 16];
	unsigned int cpu, i;
	ssize_t got;
	int fd;

	memset(all_read, 0, sizeof(all_read));
	for (cpu = 0; (fd = opened(dev, ETRACE_OPEN_PIPE, cpu, "")) >= 0; cpu++) {
		while ((got = read(fd, page, sizeof(page))) > 0)
			for (i = 0; i < n; i++)
				if (memmem(page, got, texts[i], strlen(texts[i])))
					all_read[i] = true;
		CHECK(got == 0 || errno == EAGAIN);
		close(fd);
	}
	CHECK(cpu > 0 && fd == -EINVAL);
}

/* Check that the session has records, and none about the secret. */
static void check_secret(int dev)
{
	static const char *const texts[] = { "/etc/passwd", SECRET };

	close(open("/etc/passwd", O_RDONLY));
	read_all(dev, texts, ET_NELEMS(texts));
	CHECK(all_read[0]);
	CHECK(!all_read[1]);
}

static unsigned long long lost_tasks(int dev)
{
	struct etrace_stats stats = { 0 };

	CHECK_EQ(call(dev, ETRACE_IOC_STATS, &stats), 0);
	return stats.lost_tasks;
}

/* ---- allowed requests ------------------------------------------------------- */

static void stranger(void)
{
	CHECK(open("/dev/etrace", O_RDWR) == -1 && errno == EACCES);
}

static void everybody(void)
{
	CHECK(open("/dev/etrace", O_RDWR) == -1 && errno == EPERM);
}

TEST(who_may_open_the_device)
{
	setup("");
	expect_good(begin(stranger, 0));
	MUST(chmod("/dev/etrace", 0666));
	by_member(everybody);
	/*
	 * If others may do only one thing with the device, membership in its group already means
	 * nothing.
	 */
	MUST(chmod("/dev/etrace", 0664));
	by_member(everybody);
	et_module_teardown();
}

static void requests(void)
{
	static const char nothing[32] = "sched_switch", path[32] = "../header_page";
	char full[32], text[4096];
	int dev = session(), fd;

	CHECK_EQ(cgroup(dev, 0), EPERM);
	CHECK_EQ(buffer(~0ULL), EPERM);
	CHECK_EQ(buffer(1 << 30), EPERM);
	CHECK_EQ(buffer(1 << 20), 0);
	CHECK_EQ(call(dev, ETRACE_IOC_OPEN, (void *)8), EFAULT);
	CHECK_EQ(opened(dev, 0, 0, ""), -EINVAL);
	CHECK_EQ(opened(dev, 4, 0, ""), -EINVAL);
	CHECK_EQ(opened(dev, ETRACE_OPEN_PIPE, 1 << 20, ""), -EINVAL);
	CHECK_EQ(opened(dev, ETRACE_OPEN_PIPE, -1, ""), -EINVAL);
	CHECK_EQ(opened(dev, ETRACE_OPEN_FORMAT, 0, nothing), -EINVAL);
	CHECK_EQ(opened(dev, ETRACE_OPEN_FORMAT, 0, path), -EINVAL);
	memset(full, 'a', sizeof(full));
	CHECK_EQ(opened(dev, ETRACE_OPEN_FORMAT, 0, full), -EINVAL);

	fd = opened(dev, ETRACE_OPEN_FORMAT, 0, "etrace_open");
	CHECK(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
	memset(text, 0, sizeof(text));
	CHECK(read(fd, text, sizeof(text) - 1) > 0 && strstr(text, "name: etrace_open"));
	CHECK(write(fd, "1", 1) == -1 && errno == EBADF);
	close(fd);
	fd = opened(dev, ETRACE_OPEN_HEADER, 0, "");
	memset(text, 0, sizeof(text));
	CHECK(read(fd, text, sizeof(text) - 1) > 0 && strstr(text, "commit"));
	close(fd);
	/* It is the session's file: the directory is closed to the member. */
	CHECK(open(ET_TRACEFS "/events/header_page", O_RDONLY) == -1 && errno == EACCES);
	fd = opened(dev, ETRACE_OPEN_PIPE, 0, "");
	CHECK(fd >= 0 && write(fd, "1", 1) == -1 && errno == EBADF);
	CHECK(read(fd, text, sizeof(text)) == -1 && errno == EAGAIN);
	close(fd);
}

TEST(requests_of_members)
{
	setup("");
	by_member(requests);
	/* Root gets the size it asks for, if there is enough memory. */
	EXPECT_EQ(buffer(16 << 20), 0);
	EXPECT_EQ(buffer(~0ULL), ENOMEM);
	/* All memory: enough for the first processor's buffer, but not for the last one's. */
	EXPECT_EQ(buffer((__u64)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) /
			 sysconf(_SC_NPROCESSORS_CONF)), ENOMEM);
	et_module_teardown();
}

static void whom(void)
{
	pid_t child, sibling = fork();
	int dev;

	if (!sibling) {
		pause();
		_exit(0);
	}
	/* in a child, whose descendants do not include its sibling and its parent */
	child = fork();
	if (!child) {
		dev = session();
		CHECK_EQ(add(dev, 1), EPERM);
		CHECK_EQ(add(dev, getppid()), EPERM);
		CHECK_EQ(add(dev, sibling), EPERM);
		CHECK_EQ(add(dev, 0x7fffffff), ESRCH);
		CHECK_EQ(add(dev, getpid()), 0);
		_exit(wrong);
	}
	CHECK(waitpid(child, &child, 0) > 0);
	CHECK_EQ(child, 0);
	dev = session();
	CHECK_EQ(add(dev, sibling), 0);
	kill(sibling, SIGKILL);
	CHECK(waitpid(sibling, NULL, 0) > 0);
}

TEST(members_add_only_descendants)
{
	setup("");
	by_member(whom);
	et_module_teardown();
}

static void sessions(void)
{
	struct etrace_create create = { .abi = ETRACE_ABI_VERSION };
	int a = session(), b = session();
	int c = open("/dev/etrace", O_RDWR | O_CLOEXEC);

	CHECK_EQ(call(c, ETRACE_IOC_CREATE, &create), EUSERS);
	close(b);
	CHECK_EQ(call(c, ETRACE_IOC_CREATE, &create), 0);
	pause();
	close(a);
}

/* Members must leave half of the sessions to others. */
TEST(sessions_left_for_others)
{
	struct etrace_create create = { .abi = ETRACE_ABI_VERSION };
	int i, dev[2];
	pid_t pid;

	setup("max_sessions=4");
	pid = begin(sessions, TRACERS);
	for (i = 0; i < 2; i++) {
		dev[i] = MUST(open("/dev/etrace", O_RDWR | O_CLOEXEC));
		EXPECT_EQ(call(dev[i], ETRACE_IOC_CREATE, &create), 0);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(dev[0]);
	close(dev[1]);
	et_module_teardown();
}

static int create(int dev)
{
	struct etrace_create create = { .abi = ETRACE_ABI_VERSION };

	return call(dev, ETRACE_IOC_CREATE, &create);
}

static void one_more(void)
{
	CHECK_EQ(create(open("/dev/etrace", O_RDWR | O_CLOEXEC)), 0);
}

static void three(void)
{
	int dev[4], i;

	for (i = 0; i < 4; i++)
		dev[i] = open("/dev/etrace", O_RDWR | O_CLOEXEC);
	for (i = 0; i < 3; i++)
		CHECK_EQ(create(dev[i]), 0);
	CHECK_EQ(create(dev[3]), EUSERS);
	/* Sessions in a user namespace that the member creates count, too. */
	fflush(stdout);
	if (!fork()) {
		if (!unshare(CLONE_NEWUSER))
			CHECK_EQ(create(open("/dev/etrace", O_RDWR | O_CLOEXEC)), EUSERS);
		_exit(wrong);
	}
	wait(&i);
	CHECK_EQ(i, 0);
	close(dev[0]);
	CHECK_EQ(create(dev[3]), 0);
	write(TELL, "", 1);
	pause();
}

/* Start a member and wait until it has written to TELL. @up: set to the other end of TELL. */
static pid_t begin_with_pipe(void (*fn)(void), int *up)
{
	int fds[2];
	pid_t pid;
	char c;

	MUST(pipe(fds));
	MUST(dup2(fds[1], TELL));
	pid = begin(fn, TRACERS);
	close(fds[1]);
	close(TELL);
	EXPECT_EQ(read(fds[0], &c, 1), 1);
	*up = fds[0];
	return pid;
}

/* One member cannot use up the sessions of the others. */
TEST(sessions_per_user)
{
	pid_t pid;
	int up;

	setup("max_user_sessions=3");
	pid = begin_with_pipe(three, &up);
	close(up);
	expect_good(begin_as(MEMBER + 1, one_more, TRACERS));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	et_module_teardown();
}

/* A process that is killed while it creates a session leaves none, and the kernel logs nothing. */
TEST(killed_while_creating_session)
{
	int i, status;
	pid_t pid;

	setup("");
	for (i = 0; i < 40; i++) {
		fflush(stdout);
		pid = fork();
		if (!pid)
			for (;;)
				close(session());
		usleep(2000 + i * 977 % 20000);
		kill(pid, SIGKILL);
		EXPECT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT_EQ(WIFSIGNALED(status), 1);
	}
	et_module_teardown();
}

/* A buffer has one reader, and returns no more data once its session has ended. */
static void pipes(void)
{
	static char page[1 << 16];
	void *volatile nowhere = (void *)8;
	struct pollfd polled = { .events = POLLIN };
	int i, dev = session(), fd = opened(dev, ETRACE_OPEN_PIPE, 0, "");
	cpu_set_t first;

	CHECK(fd >= 0);
	CHECK_EQ(opened(dev, ETRACE_OPEN_PIPE, 0, ""), -EBUSY);
	close(fd);
	fd = opened(dev, ETRACE_OPEN_PIPE, 0, "");
	CHECK(fd >= 0);
	CHECK(read(fd, page, 1) == -1 && errno == EINVAL);
	CHECK(read(fd, nowhere, sizeof(page)) == -1 && errno == EAGAIN);
	polled.fd = fd;
	CHECK_EQ(poll(&polled, 1, 0), 0);
	/* There is something to read once a part of the processor's buffer is full. */
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	CHECK(!sched_setaffinity(0, sizeof(first), &first));
	CHECK_EQ(add(dev, getpid()), 0);
	for (i = 0; i < 1000 && !poll(&polled, 1, 0); i++)
		for (int k = 0; k < 100; k++)
			close(dup(0));
	CHECK(i > 0 && i < 1000 && polled.revents == POLLIN);
	CHECK(read(fd, page, sizeof(page)) == getpagesize());
	CHECK(read(fd, nowhere, sizeof(page)) == -1 && errno == EFAULT);
	close(dev);
	CHECK_EQ(read(fd, page, sizeof(page)), 0);
	CHECK_EQ(poll(&polled, 1, 0), 1);
	CHECK_EQ(polled.revents, POLLHUP);

	/* Open pipes keep no session, or the last of these could not be created. */
	for (i = 0; i < 20; i++) {
		dev = session();
		CHECK(opened(dev, ETRACE_OPEN_PIPE, 0, "") >= 0);
		CHECK_EQ(add(dev, getpid()), 0);
		close(dev);
	}
	write(TELL, "", 1);
	pause();
}

TEST(pipes_of_members)
{
	pid_t pid;
	char c;
	int up;

	setup("");
	pid = begin_with_pipe(pipes, &up);
	/* Open pipes keep the module loaded. */
	EXPECT_EQ(et_module_unload(), -EAGAIN);
	kill(pid, SIGKILL);
	MUST(waitpid(pid, NULL, 0));
	EXPECT_EQ(read(up, &c, 1), 0);
	close(up);
	et_module_teardown();
}

/* ---- programs with other privileges ------------------------------------------ */

/* Copy this program to a file with these permissions, group and capabilities. */
static void program(const char *name, mode_t mode, gid_t group, bool caps)
{
	struct vfs_cap_data data = {
		.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
		.data[0].permitted = 1 << CAP_DAC_OVERRIDE,
	};
	const char *path = et_path(name);
	int from = MUST(open("/proc/self/exe", O_RDONLY));
	int to = MUST(open(path, O_CREAT | O_WRONLY, 0700));

	while (MUST(sendfile(to, from, NULL, 1 << 20)))
		;
	close(from);
	close(to);
	MUST(chown(path, 0, group));
	MUST(chmod(path, mode));
	if (caps)
		MUST(setxattr(path, "security.capability", &data, sizeof(data), 0));
}

static void programs(void)
{
	program("by-user", 04755, 0, false);
	program("by-group", 02755, OTHERS, false);
	program("by-caps", 0755, 0, true);
	program("ordinary", 0755, 0, false);
}

static const char *const kinds[] = { "./by-user", "./by-group", "./by-caps" };

static void *run_it(void *arg)
{
	execl(arg, arg, "--read", NULL);
	_exit(126);
}

/*
 * Status of a program that succeeds only with its privileges, which being traced must not remove.
 */
static int status_of(const char *name, bool by_thread)
{
	pthread_t thread;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!by_thread)
			run_it((void *)name);
		pthread_create(&thread, NULL, run_it, (void *)name);
		pause();
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

static void privileged(void)
{
	unsigned int i;
	int dev;

	for (i = 0; i < 2 * ET_NELEMS(kinds); i++) {
		dev = session();
		CHECK_EQ(add(dev, getpid()), 0);
		CHECK_EQ(status_of(kinds[i / 2], i % 2), 0);
		CHECK_EQ(lost_tasks(dev), 1);
		check_secret(dev);
		close(dev);
	}
	/*
	 * A program without privileges fails and stays traced; otherwise this test would show
	 * nothing.
	 */
	dev = session();
	CHECK_EQ(add(dev, getpid()), 0);
	CHECK_EQ(status_of("./ordinary", false), W_EXITCODE(1, 0));
	CHECK_EQ(lost_tasks(dev), 0);
}

TEST(privileged_programs_hidden)
{
	setup("");
	programs();
	by_member(privileged);
	et_module_teardown();
}

/* The session does not show which programs such a program executes, and with which arguments. */
static void runs(void)
{
	static const char *const texts[] = { "/etc/passwd", HIDDEN_ARG };
	unsigned int i;
	int status, dev;
	pid_t pid;

	for (i = 0; i <= ET_NELEMS(kinds); i++) {
		const char *name = i < ET_NELEMS(kinds) ? kinds[i] : "./ordinary";

		dev = session();
		CHECK_EQ(add(dev, getpid()), 0);
		fflush(stdout);
		pid = fork();
		if (!pid) {
			execl(name, name, "--run", NULL);
			_exit(126);
		}
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK_EQ(status, 0);
		close(open("/etc/passwd", O_RDONLY));
		read_all(dev, texts, ET_NELEMS(texts));
		CHECK(all_read[0]);
		/* The same by a program without privileges is shown. */
		CHECK_EQ(all_read[1], i == ET_NELEMS(kinds));
		close(dev);
	}
}

TEST(programs_run_by_privileged_ones_hidden)
{
	setup("");
	programs();
	by_member(runs);
	et_module_teardown();
}

/* A file of others is shown only if the member may read it. */
static void plain(void)
{
	static const char *const texts[] = { SECRET };
	int dev = session();

	CHECK_EQ(add(dev, getpid()), 0);
	CHECK_EQ(status_of("./ordinary", false), 0);
	read_all(dev, texts, 1);
	CHECK(all_read[0]);
}

TEST(readable_files_of_others_shown)
{
	setup("");
	programs();
	MUST(chmod(et_path(SECRET), 0644));
	by_member(plain);
	et_module_teardown();
}

/* Of a program that the member may run but not read, a session shows no more than a debugger. */
static void unreadable(void)
{
	int dev = session();

	CHECK_EQ(add(dev, getpid()), 0);
	/* The program itself cannot read the secret either, but its calls name the file. */
	CHECK_EQ(status_of("./unreadable", false), W_EXITCODE(1, 0));
	CHECK_EQ(lost_tasks(dev), 1);
	check_secret(dev);
}

TEST(unreadable)
{
	setup("");
	program("unreadable", 0711, 0, false);
	by_member(unreadable);
	et_module_teardown();
}

static pid_t waiting_for(const char *name, const char *what, int *tell)
{
	int down[2], up[2];
	pid_t pid;
	char c;

	CHECK(!pipe2(down, O_CLOEXEC) && !pipe2(up, O_CLOEXEC));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(down[0], 0);
		dup2(up[1], 1);
		execl(name, name, what, NULL);
		_exit(126);
	}
	close(down[0]);
	close(up[1]);
	CHECK(read(up[0], &c, 1) == 1);
	close(up[0]);
	*tell = down[1];
	return pid;
}

static pid_t waiting(const char *name, int *tell)
{
	return waiting_for(name, "--wait", tell);
}

/* Privileged programs that already run when the session begins. */
static void adopted(void)
{
	pid_t pid[ET_NELEMS(kinds)];
	int tell[ET_NELEMS(kinds)], status, dev = session();
	unsigned int i;

	for (i = 0; i < ET_NELEMS(kinds); i++)
		pid[i] = waiting(kinds[i], &tell[i]);
	for (i = 0; i < ET_NELEMS(kinds); i++)
		CHECK_EQ(add(dev, pid[i]), EPERM);
	CHECK_EQ(add(dev, getpid()), 0);
	for (i = 0; i < ET_NELEMS(kinds); i++) {
		close(tell[i]);
		CHECK(waitpid(pid[i], &status, 0) == pid[i]);
		CHECK_EQ(status, 0);
	}
	check_secret(dev);
}

TEST(running_privileged_programs_refused)
{
	setup("");
	programs();
	by_member(adopted);
	et_module_teardown();
}

/* Let the child continue, and wait for its success. */
static void let_go(pid_t pid, int tell)
{
	int status;

	close(tell);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
}

static void check_dropped(int dev)
{
	static const char *const texts[] = { "/etc/passwd", "a-plan" };

	close(open("/etc/passwd", O_RDONLY));
	read_all(dev, texts, ET_NELEMS(texts));
	CHECK(all_read[0]);
	CHECK(!all_read[1]);
	close(dev);
}

static void dropped(void)
{
	int tell, dev = session();
	pid_t pid = waiting_for("./by-user", "--drop", &tell);

	CHECK_EQ(add(dev, pid), EPERM);
	CHECK_EQ(add(dev, getpid()), 0);
	CHECK_EQ(add(dev, pid), EPERM);
	let_go(pid, tell);
	check_dropped(dev);

	/*
	 * The same if the session has lost it before: that it belongs to the member again does
	 * not matter.
	 */
	dev = session();
	CHECK_EQ(add(dev, getpid()), 0);
	pid = waiting_for("./by-user", "--drop", &tell);
	CHECK_EQ(lost_tasks(dev), 1);
	CHECK_EQ(add(dev, getpid()), 0);
	CHECK_EQ(add(dev, pid), EPERM);
	let_go(pid, tell);
	check_dropped(dev);
}

/* A program that has dropped its privileges still has what it got by them. */
TEST(dropped_privileges)
{
	setup("");
	programs();
	et_mkdir(SECRET "-dir");
	et_mkdir(SECRET "-dir/in");
	et_file(SECRET "-dir/in/a-plan");
	MUST(chmod(et_path(SECRET "-dir/in"), 0711));
	MUST(chmod(et_path(SECRET "-dir"), 0700));
	by_member(dropped);
	et_module_teardown();
}

/* A program of the member's own that is not dumpable. */
static void undumpable(void)
{
	int tell, dev = session();
	pid_t pid = waiting_for("./ordinary", "--undumpable", &tell);

	CHECK_EQ(add(dev, pid), EPERM);
	CHECK_EQ(lost_tasks(dev), 1);
	CHECK_EQ(add(dev, getpid()), 0);
	let_go(pid, tell);
	check_dropped(dev);
}

TEST(undumpable_programs)
{
	setup("");
	programs();
	et_file("a-plan");
	by_member(undumpable);
	et_module_teardown();
}

/* The same if it becomes that while it is traced. */
static void undumpable_later(void)
{
	int tell, dev = session();
	pid_t pid;

	CHECK_EQ(add(dev, getpid()), 0);
	pid = waiting_for("./ordinary", "--undumpable", &tell);
	let_go(pid, tell);
	CHECK(lost_tasks(dev) > 0);
	check_dropped(dev);
}

TEST(undumpable_later)
{
	setup("");
	programs();
	et_file("a-plan");
	by_member(undumpable_later);
	et_module_teardown();
}

static void give(int socket, int fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} u = { 0 };
	char c = 0;
	struct iovec iov = { &c, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &u, .msg_controllen = sizeof(u),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	CHECK(sendmsg(socket, &msg, 0) == 1);
}

static int given(int socket)
{
	char control[CMSG_SPACE(sizeof(int))], c;
	struct iovec iov = { &c, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	int fd = -1;

	if (recvmsg(socket, &msg, 0) == 1 && CMSG_FIRSTHDR(&msg))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

/*
 * Full capabilities in one's own user namespace mean nothing outside: a session that was opened
 * there does not show programs with capabilities outside.
 */
static void namespaced(void)
{
	int both[2], dev, tell, status;
	pid_t child, pid;

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, both));
	fflush(stdout);
	child = fork();
	if (!child) {
		if (!unshare(CLONE_NEWUSER))
			give(both[1], session());
		_exit(wrong);
	}
	close(both[1]);
	dev = given(both[0]);
	CHECK(waitpid(child, &status, 0) == child && !status);
	if (dev < 0) {
		printf("# this kernel has no user namespaces\n");
		return;
	}
	pid = waiting("./by-caps", &tell);
	CHECK_EQ(add(dev, pid), EPERM);
	CHECK_EQ(add(dev, getpid()), EPERM);
	close(tell);
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	close(dev);

	/* A session that was opened outside shows programs in a namespace. */
	dev = session();
	CHECK_EQ(add(dev, getpid()), 0);
	fflush(stdout);
	child = fork();
	if (!child) {
		unshare(CLONE_NEWUSER);
		close(open("/etc/group", O_RDONLY));
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	read_all(dev, (const char *const []){ "/etc/group" }, 1);
	CHECK(all_read[0]);
	CHECK_EQ(lost_tasks(dev), 0);
}

TEST(user_namespaces)
{
	setup("");
	programs();
	by_member(namespaced);
	et_module_teardown();
}

/* Programs are added while they gain their privileges. */
static void moments(void)
{
	const char *n = getenv("ETRACE_MOVES");
	int i, status, dev = session(), most = n ? atoi(n) : 300, added = 0;
	pid_t pid;

	for (i = 0; i < most; i++) {
		fflush(stdout);
		pid = fork();
		if (!pid) {
			sched_yield();
			run_it((void *)kinds[i % ET_NELEMS(kinds)]);
		}
		while (!waitpid(pid, &status, WNOHANG))
			added += !add(dev, pid);
		CHECK_EQ(status, 0);
	}
	printf("# added %d times\n", added);
	/* records that come after those are there, so all were read, whatever was lost */
	CHECK_EQ(add(dev, getpid()), 0);
	check_secret(dev);
}

TEST(added_while_gaining_privileges)
{
	setup("");
	programs();
	by_member(moments);
	et_module_teardown();
}

/* ---- links ------------------------------------------------------------------- */

static void linked(void)
{
	static const char *const texts[] = { "open/a-plan", SECRET "-dir/link", SECRET "-dir/a" };
	char target[400];
	int dev = session();

	CHECK_EQ(add(dev, getpid()), 0);
	CHECK(!symlink("open/link", "mine"));
	snprintf(target, sizeof(target), "%s/link", et_path(SECRET "-dir"));
	CHECK(!symlink(target, "yours"));
	read_all(dev, texts, ET_NELEMS(texts));
	/* the target of one link; of the other only what the member wrote */
	CHECK(all_read[0]);
	CHECK(all_read[1]);
	CHECK(!all_read[2]);
}

static void plan_in(const char *dir, mode_t mode)
{
	char file[100];

	et_mkdir(dir);
	snprintf(file, sizeof(file), "%s/a-plan", dir);
	et_file(file);
	snprintf(file, sizeof(file), "%s/link", dir);
	MUST(symlink("a-plan", et_path(file)));
	MUST(chmod(et_path(dir), mode));
}

/* A link is followed only if the member can follow it. */
TEST(links_followed_as_member)
{
	setup("");
	plan_in("open", 0755);
	plan_in(SECRET "-dir", 0700);
	by_member(linked);
	et_module_teardown();
}

/* Wait for the end of the input, then open the plan in a child, which inherits access to it. */
static int plan(int dir)
{
	int status;
	char c;

	if (write(1, "", 1) != 1 || read(0, &c, 1))
		return 2;
	if (!fork())
		_exit(openat(dir, "a-plan", O_RDONLY) < 0);
	return wait(&status) < 0 || status;
}

static int drop(void)
{
	int dir = open(SECRET "-dir/in", O_PATH | O_DIRECTORY);

	if (setresgid(getgid(), getgid(), getgid()) || setresuid(getuid(), getuid(), getuid()))
		return 3;
	return plan(dir);
}

/* Run another program in a child. */
static int run(void)
{
	int status;

	if (!fork()) {
		execl("./ordinary", "./ordinary", "--idle", HIDDEN_ARG, NULL);
		_exit(126);
	}
	return wait(&status) < 0 || status;
}

static int forbid(void)
{
	return prctl(PR_SET_DUMPABLE, 0) ? 3 : plan(AT_FDCWD);
}

int main(int argc, char **argv)
{
	char c;

	if (argc > 1 && !strcmp(argv[1], "--drop"))
		return drop();
	if (argc > 1 && !strcmp(argv[1], "--undumpable"))
		return forbid();
	if (argc > 1 && !strcmp(argv[1], "--run"))
		return run();
	if (argc > 1 && !strcmp(argv[1], "--idle"))
		return 0;
	/* As the privileged program: read the secret, at once or when the input is closed. */
	if (argc > 1 && (!strcmp(argv[1], "--read") || !strcmp(argv[1], "--wait"))) {
		if (!strcmp(argv[1], "--wait") && (write(1, "", 1) != 1 || read(0, &c, 1)))
			return 2;
		return open(SECRET, O_RDONLY) < 0;
	}
	if (et_bpf())
		et_skip_all("this tests the module's device");
	return et_main(argc, argv, NULL);
}
