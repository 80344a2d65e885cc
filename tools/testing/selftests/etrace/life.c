// SPDX-License-Identifier: GPL-2.0
/* The module may be loaded and unloaded at any time, while tasks start and end. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
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

static char helper[4096];

/* ---- roots that end ---------------------------------------------------------- */

/* The root's child lives on and stays traced. */
static void do_root_gone(void)
{
	pid_t pid = CHILD_MUST(fork());

	if (pid) {
		want("SysClone|flags=%d", 0x1200000 | SIGCHLD);	/* set by the C library */
		want_fork(pid);
		return;
	}
	et_until_root_gone();
	CHILD_MUST(dup2(STDIN_FILENO, 100));
	want("Dup|oldfd=0,newfd=100,flags=0");
	want("Exit|status=4");
	_exit(4);
}

TEST(child_outlives_root)
{
	et_traced(do_root_gone);
}

/* ---- fast forks ---------------------------------------------------------------- */

#define FORKERS	6
#define BORN	1500		/* at least this many in total */

static struct forks {
	atomic_int go;
	atomic_long children;
} *forks;

/* Start forked children, chains of orphans, and vforked children, which are the fastest. */
static void forker(int kind)
{
	pid_t pid;

	while (!atomic_load(&forks->go))
		usleep(1000);
	while (atomic_load(&forks->go) == 1) {
		pid = kind % 3 == 1 ? vfork() : fork();
		if (!pid && kind % 3 == 2 && fork() > 0)
			_exit(0);	/* the grandchild is an orphan now */
		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		if (pid > 0)
			atomic_fetch_add(&forks->children, kind % 3 == 2 ? 2 : 1);
	}
	_exit(0);
}

static void count_forks(struct et_trace *tr, long *born, long *ended)
{
	size_t i, j;
	int exits;

	*born = 0;
	*ended = 0;
	for (i = 0; i < tr->nr; i++) {
		struct et_task *t = &tr->task[i];

		exits = 0;
		for (j = 0; j < t->nr; j++) {
			if (!strncmp(t->line[j].text, "SchedFork|pid=", 14)) {
				++*born;
				if (!et_trace_upid(tr, strtoull(t->line[j].text + 14,
								NULL, 10)))
					FAIL("no lines of the task in %s", t->line[j].text);
			} else if (!strcmp(t->line[j].text, "Exit|status=0")) {
				exits++;
				if (j != t->nr - 1)
					FAIL("a task has lines after its exit");
			}
		}
		if (exits != 1)
			FAIL("a task has %d exits", exits);
		*ended += exits;
	}
}

TEST(many_forks_at_once)
{
	struct et_children own;
	pid_t pids[FORKERS];
	struct et_trace tr;
	long born, ended;
	int i, fd;

	forks = mmap(NULL, sizeof(*forks), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	fflush(stdout);
	for (i = 0; i < FORKERS; i++) {
		pids[i] = MUST(fork());
		if (!pids[i])
			forker(i);
	}
	for (i = 0; i < FORKERS; i++)
		if (et_param_write_int("root_pid", pids[i]))
			DIE("root_pid=%d", pids[i]);
	et_children(&own);
	atomic_store(&forks->go, 1);
	while (atomic_load(&forks->children) < BORN)
		usleep(1000);
	atomic_store(&forks->go, 2);
	for (i = 0; i < FORKERS; i++)
		MUST(waitpid(pids[i], NULL, 0));
	et_reap_orphans(&own);

	et_trace_init(&tr);
	fd = et_trace_open();
	et_trace_read(&tr, fd);
	close(fd);
	EXPECT(!tr.bad, "%s", tr.bad);
	count_forks(&tr, &born, &ended);
	et_note("%ld tasks were forked", born);
	EXPECT_EQ(born, atomic_load(&forks->children));
	EXPECT_EQ(ended, born + FORKERS);
	EXPECT_EQ(tr.nr, born + FORKERS);
	EXPECT_EQ(et_counter("lost_records"), 0);
	EXPECT_EQ(et_counter("lost_tasks"), 0);
	EXPECT_EQ(et_counter("overwritten"), 0);
	et_param_write("root_pid", "0");
	et_trace_free(&tr);
}

/* ---- unloading ------------------------------------------------------------------ */

/*
 * Do a bit of everything until killed. All these processes together leave most of the processors'
 * time to the test, or loading the module would take most of a minute.
 */
static void busy(int i)
{
	char dir[4200];
	int fd, fds[2];
	pid_t pid;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	MUST(nice(10));
	snprintf(dir, sizeof(dir), "%s/%d", et_dir, i);
	mkdir(dir, 0700);
	if (chdir(dir))
		_exit(1);
	for (;;) {
		fd = open("f", O_CREAT | O_WRONLY, 0600);
		close(fd);
		rename("f", "g");
		link("g", "h");
		symlink("g", "s");
		unlink("g");
		unlink("h");
		unlink("s");
		if (!pipe(fds)) {
			close(fds[0]);
			close(fds[1]);
		}
		prctl(PR_SET_NAME, "busy");
		pid = fork();
		if (!pid) {
			execl(helper, "helper", NULL);
			_exit(1);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

/* These processes wait in the middle of recorded calls. */
static void blocked(int i)
{
	int fds[2];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	switch (i % 3) {
	case 0:
		if (!vfork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
		break;
	case 1:
		if (!pipe(fds))
			read(fds[0], &i, 1);
		break;
	case 2:
		/* Nobody ever reads from this FIFO. */
		mkfifo(et_path("fifo"), 0600);
		open(et_path("fifo"), O_WRONLY);
		break;
	}
	for (;;)
		pause();
}

#define BUSY	4
#define BLOCKED	3

static void unload_under(const char *params)
{
	pid_t pids[BUSY + BLOCKED];
	struct et_children own;
	int i, round, err, status;

	fflush(stdout);
	et_children(&own);
	for (i = 0; i < BUSY + BLOCKED; i++) {
		pids[i] = MUST(fork());
		if (!pids[i] && i < BUSY)
			busy(i);
		if (!pids[i])
			blocked(i);
	}
	for (round = 0; round < 2; round++) {
		et_module_setup(params, 512);
		for (i = 0; i < BUSY + BLOCKED; i++)
			if (et_param_write_int("root_pid", pids[i]))
				FAIL("task %d has ended", i);
		EXPECT(ET_UNTIL(et_counter("records") > 200));
		err = et_module_unload();
		if (err)
			FAIL("unload: %s", strerror(-err));
		MUST(rmdir(ET_TRACE_DIR));
	}
	for (i = 0; i < BUSY + BLOCKED; i++) {
		/* The unloading did not affect them. */
		EXPECT_EQ(waitpid(pids[i], &status, WNOHANG), 0);
		kill(pids[i], SIGKILL);
		MUST(waitpid(pids[i], NULL, 0));
	}
	et_reap_orphans(&own);
}

TEST(unload_while_tasks_live)
{
	if (et_without_module())
		return;
	et_module_teardown();
	unload_under("");
	unload_under("trace_thread_names=1 extended=1");
	et_module_setup("", 8192);
}

/* A file system that never answers (FUSE without a server) is not asked. */
static void do_symlink_hangs(void)
{
	CHILD_MUST(symlink("mnt/x", "link"));
	want("Symlink|targetnamesize=5,linknamesize=%zu", strlen(et_path("link")));
	want("ST|mnt/x");
	want("SL|%s", et_path("link"));
	want_count("strings_untold", 1);
	et_until_links_read();
}

TEST(links_into_hung_fuse_not_followed)
{
	char options[100];
	int fuse;

	if (system("modprobe -q fuse"))
		et_note("modprobe fuse failed");
	fuse = open("/dev/fuse", O_RDWR);
	if (fuse < 0) {
		et_skip("no FUSE: %s", strerror(errno));
		return;
	}
	et_mkdir("mnt");
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	MUST(mount("etrace", et_path("mnt"), "fuse", 0, options));
	et_traced(do_symlink_hangs);
	EXPECT_EQ(et_module_unload(), 0);
	close(fuse);
	umount2(et_path("mnt"), MNT_DETACH);
	rmdir(ET_TRACE_DIR);
	et_module_setup("", 8192);
}

/* ---- a session that begins in the middle of a call ---------------------------- */

static void do_script(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (chdir(et_dir))
		_exit(1);
	et_param_write_int("root_pid", getpid());
	execl("./script", "./script", NULL);
	_exit(1);
}

/*
 * What a hook has seen for one session is also used, at the end of the call, for a session that
 * was added meanwhile.
 */
TEST(session_added_during_call)
{
	struct etrace_create create = { .abi = ETRACE_ABI_VERSION };
	const struct timespec limit = { .tv_sec = 120 };
	struct etrace_stats stats;
	sigset_t asked;
	long long joined;
	int lease, dev, fd, status;
	char cmd[10000];
	pid_t pid;

	if (et_without_module())
		return;
	snprintf(cmd, sizeof(cmd), "cp %s %s", helper, et_path("interpreter"));
	if (system(cmd))
		DIE("%s", cmd);
	fd = MUST(open(et_path("script"), O_CREAT | O_WRONLY, 0755));
	dprintf(fd, "#!%s\n", et_path("interpreter"));
	close(fd);
	dev = MUST(open("/dev/etrace", O_RDWR | O_CLOEXEC));
	MUST(ioctl(dev, ETRACE_IOC_CREATE, &create));
	joined = et_counter("strings_joined");

	/*
	 * The hook has seen the script, but opening its interpreter waits for the lease to be
	 * given up. The lease holder gets a signal when another process opens the file.
	 */
	signal(SIGIO, SIG_IGN);
	sigemptyset(&asked);
	sigaddset(&asked, SIGIO);
	MUST(sigprocmask(SIG_BLOCK, &asked, NULL));
	lease = MUST(open(et_path("interpreter"), O_RDONLY | O_CLOEXEC));
	MUST(fcntl(lease, F_SETLEASE, F_WRLCK));
	fflush(stdout);
	pid = MUST(fork());
	if (!pid)
		do_script();
	EXPECT_EQ(sigtimedwait(&asked, NULL, &limit), SIGIO);
	MUST(sigprocmask(SIG_UNBLOCK, &asked, NULL));
	EXPECT_EQ(waitpid(pid, NULL, WNOHANG), 0);
	MUST(ioctl(dev, ETRACE_IOC_ADD, &pid));
	MUST(fcntl(lease, F_SETLEASE, F_UNLCK));
	close(lease);
	MUST(waitpid(pid, &status, 0));
	EXPECT_EQ(status, 0);

	EXPECT_EQ(et_counter("strings_joined"), joined);
	MUST(ioctl(dev, ETRACE_IOC_STATS, &stats));
	EXPECT_EQ(stats.strings_joined, 0);
	/*
	 * The descriptors that execve closed (device, lease), the execve, and the exit; and the
	 * random bytes for malloc(), if it gets them by a system call.
	 */
	EXPECT(stats.records == 4 || stats.records == 5, "%lld records", (long long)stats.records);
	close(dev);
	et_param_write("root_pid", "0");
	et_instance_write("trace", "");		/* unread records */
}

/* ---- nothing is left behind --------------------------------------------------- */

/* Objects in use of a slab cache, from /proc/slabinfo; -1 if it is not listed. */
static long slab_objects(const char *name)
{
	static char line[512];
	FILE *f = fopen("/proc/slabinfo", "r");
	long n = -1;
	size_t len = strlen(name);

	while (f && n < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, len) && line[len] == ' ')
			n = atol(line + len);
	if (f)
		fclose(f);
	return n;
}

static long meminfo(const char *name)
{
	char line[256];
	FILE *f = fopen("/proc/meminfo", "r");
	long n = -1;
	size_t len = strlen(name);

	while (f && n < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, len) && line[len] == ':')
			n = atol(line + len + 1);
	if (f)
		fclose(f);
	return n;
}

/* Calls whose names are kept until the call ends, and calls that fail in between. */
static void churn(void)
{
	int i, fd;

	for (i = 0; i < 100; i++) {
		fd = CHILD_MUST(open("f", O_CREAT | O_WRONLY, 0600));
		close(fd);
		rename("f", "g");
		rename("g", "full");
		link("g", "g");
		want_joined(1);
		link("g", "h");
		symlink("g", "s");
		symlink("g", "s");
		unlink("g");
		unlink("h");
		unlink("s");
		mount("x", "full", NULL, 0, NULL);
		umount2("full", 0);
		want_joined(1);
		syscall(SYS_close_range, 100, 200, 0);
		execl("full", "full", NULL);
		execl("script", "script", NULL);
		if (i % 10 == 0) {
			pid_t pid = fork();

			if (!pid) {
				execl(helper, "helper", NULL);
				_exit(1);
			}
			waitpid(pid, NULL, 0);
		}
	}
}

/* Start tracing again and again, while the module is loaded and unloaded. */
static void write_root_pid(void)
{
	char pid[20];
	int n = sprintf(pid, "%d", getpid()), fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		fd = open("/sys/module/etrace/parameters/root_pid", O_WRONLY);
		if (fd < 0) {
			usleep(1000);
			continue;
		}
		while (pwrite(fd, pid, n, 0) == n || errno != ENODEV)
			;
		close(fd);
	}
}

TEST(unload_while_root_pid_is_written)
{
	pid_t pid;
	int i;

	if (et_without_module())
		return;
	if (slab_objects("etrace_task") < 0) {
		et_skip("leaked objects cannot be detected: boot with slab_nomerge");
		return;
	}
	et_module_teardown();
	fflush(stdout);
	pid = MUST(fork());
	if (!pid)
		write_root_pid();
	et_log_mark();
	for (i = 0; i < 3; i++) {
		et_module_setup("", 512);
		et_module_teardown();
	}
	kill(pid, SIGKILL);
	MUST(waitpid(pid, NULL, 0));
	EXPECT(!et_log_has("kmem_cache_destroy"), "objects of the slab cache are leaked");
	et_module_setup("", 8192);
}

/* Three rounds of churn, each with a newly loaded module. Return: growth of the slabs in kB. */
static long churn_growth(void)
{
	long before = meminfo("SUnreclaim"), after;
	struct et_trace tr;
	int round;

	for (round = 0; round < 3; round++) {
		et_run(churn, &tr);
		et_trace_free(&tr);
		/* There is no way to know when RCU has freed everything. */
		usleep(100000);
		et_module_teardown();
		et_module_setup("", 8192);
	}
	after = meminfo("SUnreclaim");
	et_note("SUnreclaim: %ld kB, three rounds later %ld kB", before, after);
	return after - before;
}

TEST(no_leak)
{
	long growth;
	int i, fd;

	if (et_without_module())
		return;
	et_mkdir("full");
	et_file("full/f");
	fd = MUST(open(et_path("script"), O_CREAT | O_WRONLY, 0755));
	dprintf(fd, "#!/no/such/interpreter\n");
	close(fd);
	et_log_mark();
	churn_growth();
	growth = churn_growth();
	if (slab_objects("etrace_task") < 0)
		et_note("single leaked objects cannot be detected: boot with slab_nomerge");
	EXPECT(!et_log_has("kmem_cache_destroy"), "objects of the slab cache are leaked");
	if (access("/sys/kernel/debug/kmemleak", F_OK)) {
		/*
		 * 300 calls of each kind that leaked 1 kB each would show every time; memory that
		 * other processes take would not.
		 */
		for (i = 0; i < 4 && growth >= 300; i++)
			growth = churn_growth();
		EXPECT(growth < 300, "memory leaks");
	} else {
		/* kmemleak tracks each allocation, and needs memory for that. */
		et_write_file("/sys/kernel/debug/kmemleak", "scan");
		et_write_file("/sys/kernel/debug/kmemleak", "scan");
		EXPECT(!strstr(et_read_file("/sys/kernel/debug/kmemleak"), "etrace"),
		       "%s", et_read_file("/sys/kernel/debug/kmemleak"));
	}
}

/* ---- listening only while somebody is traced ----------------------------------- */

/* Whether the kernel's list of hooked functions contains one of the module's. */
static bool hooked(void)
{
	static char line[512];
	FILE *f = fopen(ET_TRACEFS "/enabled_functions", "r");
	bool found = false;

	while (f && fgets(line, sizeof(line), f))
		found |= !strncmp(line, "security_path_rename ", 21);
	if (f)
		fclose(f);
	return found;
}

/* The module keeps its hooks for a moment, in case another task is traced. */
static bool unhooked_soon(void)
{
	return ET_UNTIL(!hooked());
}

/* Nothing reports that the hooks stay, so wait longer than the module does, which is a second. */
static bool stays_hooked(void)
{
	usleep(1500000);
	return hooked();
}

TEST(hooks_only_while_tracing)
{
	struct etrace_create create = { .abi = ETRACE_ABI_VERSION };
	pid_t one, two, none = 0x7fffffff;
	int dev;

	if (et_without_module())
		return;
	one = et_sleeper();
	two = et_sleeper();
	if (access(ET_TRACEFS "/enabled_functions", R_OK)) {
		et_skip("no " ET_TRACEFS "/enabled_functions");
		goto out;
	}
	et_module_teardown();
	et_module_setup("", 8192);
	EXPECT(!hooked(), "hooks exist before anything is traced");

	/* root_pid's session: tracing is stopped, or its tree has ended. */
	EXPECT_EQ(et_param_write_int("root_pid", one), 0);
	EXPECT(hooked());
	et_param_write("root_pid", "0");
	EXPECT(unhooked_soon(), "hooks remain after root_pid=0");
	EXPECT_EQ(et_param_write_int("root_pid", two), 0);
	EXPECT(hooked());
	kill(two, SIGKILL);
	MUST(waitpid(two, NULL, 0));
	EXPECT(unhooked_soon(), "hooks remain after the tree has ended");
	EXPECT_EQ(et_param_write_int("root_pid", none), -ESRCH);
	EXPECT(unhooked_soon(), "hooks remain after a bad root_pid");

	/* The device's sessions: the hooks stay until the last one ends. */
	dev = MUST(open("/dev/etrace", O_RDWR | O_CLOEXEC));
	MUST(ioctl(dev, ETRACE_IOC_CREATE, &create));
	EXPECT(!hooked());
	two = et_sleeper();
	MUST(ioctl(dev, ETRACE_IOC_ADD, &one));
	EXPECT_EQ(et_param_write_int("root_pid", two), 0);
	MUST(ioctl(dev, ETRACE_IOC_STOP));
	EXPECT(stays_hooked());
	MUST(ioctl(dev, ETRACE_IOC_ADD, &one));
	kill(two, SIGKILL);
	MUST(waitpid(two, NULL, 0));
	et_param_write("root_pid", "0");
	EXPECT(stays_hooked());
	close(dev);
	EXPECT(unhooked_soon(), "hooks remain after the session was closed");
	EXPECT_EQ(et_counter("hooks_missing"), 0);
	et_instance_write("trace", "");
out:
	kill(one, SIGKILL);
	kill(two, SIGKILL);
	MUST(waitpid(one, NULL, 0));
	waitpid(two, NULL, 0);
}

/* ---- without hooks -------------------------------------------------------------- */

/* With ftrace switched off, names are read from user memory instead, and this is counted. */
static void do_without_hooks(void)
{
	CHILD_MUST(rename("./a", "b"));
	want("RenameFrom|fnamesize=%zu", strlen(et_path("./a")));
	want("RF|%s", et_path("./a"));
	want("RenameTo|fnamesize=%zu", strlen(et_path("b")));
	want("RT|%s", et_path("b"));
	want_extended("Marks|joined=RF+RT,unread=,cut=");
	want_joined(2);
	CHILD_MUST(link("b", "d/../c"));
	want(ET_LINK_FROM, strlen(et_path("b")));
	want("LF|%s", et_path("b"));
	want("LinkTo|fnamesize=%zu", strlen(et_path("d/../c")));
	want("LT|%s", et_path("d/../c"));
	want_extended("Marks|joined=LF+LT,unread=,cut=");
	want_joined(2);
	CHILD_MUST(symlink("c", "s"));
	want("Symlink|targetnamesize=1,linknamesize=%zu", strlen(et_path("s")));
	want("ST|c");
	want("SL|%s", et_path("s"));
	want_extended("Marks|joined=SL,unread=,cut=,untold=SR");
	want_joined(1);
	want_count("strings_untold", 1);
	/* Without hooks, it is unknown which descriptors were open. */
	CHILD_MUST(syscall(SYS_close_range, 100, 200, 0));
	want_count("lost_fds", 1);
}

TEST(without_hooks)
{
	static const char enabled[] = "/proc/sys/kernel/ftrace_enabled";
	pid_t pid;
	int err;

	if (et_without_module())
		return;
	et_module_teardown();
	err = et_write_file(enabled, "0");
	et_module_setup("", 8192);
	if (err == -EOPNOTSUPP) {
		et_skip("ftrace cannot be switched off in this kernel");
		return;
	}
	EXPECT_EQ(err, 0);
	/* Missing hooks are noticed only when tracing starts. */
	pid = et_sleeper();
	EXPECT_EQ(et_param_write_int("root_pid", pid), 0);
	et_param_write("root_pid", "0");
	kill(pid, SIGKILL);
	MUST(waitpid(pid, NULL, 0));
	EXPECT(et_counter("hooks_missing") > 0);
	et_file("a");
	et_mkdir("d");
	et_traced(do_without_hooks);
	et_param_write("extended", "Y");
	et_extended = true;
	et_dir_new();
	et_file("a");
	et_mkdir("d");
	et_traced(do_without_hooks);
	et_extended = false;
	et_module_teardown();
	EXPECT_EQ(et_write_file(enabled, "1"), 0);
	et_module_setup("", 8192);
}

int main(int argc, char **argv)
{
	ssize_t n = readlink("/proc/self/exe", helper, sizeof(helper) - 32);

	if (n < 0)
		et_skip_all("/proc/self/exe: no proc");
	helper[n] = '\0';
	strcpy(strrchr(helper, '/') + 1, "helper");
	return et_main_once(argc, argv, "", 8192);
}
