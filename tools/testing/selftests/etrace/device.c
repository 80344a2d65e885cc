// SPDX-License-Identifier: GPL-2.0
/*
 * The device: what each of its calls does and refuses, in 64-bit and 32-bit programs, and that
 * nothing is left behind when a session ends.
 *
 * $ETRACE_TASKS: number of tasks to list, 3000 by default.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"
#include "../../../../kernel/etrace_ioctl.h"

#define CPU1	"/sys/devices/system/cpu/cpu1/online"

static int dev_open(void)
{
	return MUST(open("/dev/etrace", O_RDWR | O_CLOEXEC));
}

static int session(struct etrace_create *create)
{
	int dev = dev_open();

	memset(create, 0, sizeof(*create));
	create->abi = ETRACE_ABI_VERSION;
	MUST(ioctl(dev, ETRACE_IOC_CREATE, create));
	return dev;
}

static int call(int dev, unsigned long request, void *arg)
{
	return ioctl(dev, request, arg) ? errno : 0;
}

static pid_t start(void (*fn)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = MUST(fork());
	if (!pid) {
		fn();
		_exit(0);
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	MUST(waitpid(pid, NULL, 0));
}

/* ---- requests -------------------------------------------------------------- */

TEST(requests)
{
	static const unsigned long unknown[] = {
		_IO(ETRACE_IOC_MAGIC, 0), _IO(ETRACE_IOC_MAGIC, 99),
		_IOWR(ETRACE_IOC_MAGIC, 1, __u32), _IO(0x12, 1), 0x5401,
	};
	struct etrace_create create = { .abi = ETRACE_ABI_VERSION };
	struct etrace_task_list list = { 0 };
	struct etrace_stats stats;
	pid_t pid = getpid();
	size_t i;
	int dev, made;

	et_module_setup("", 64);
	dev = dev_open();
	for (made = 0; made < 2; made++) {
		for (i = 0; i < ET_NELEMS(unknown); i++)
			EXPECT_EQ(call(dev, unknown[i], &create), ENOTTY);
		if (made)
			break;
		EXPECT_EQ(call(dev, ETRACE_IOC_ADD, &pid), EINVAL);
		EXPECT_EQ(call(dev, ETRACE_IOC_STOP, NULL), EINVAL);
		EXPECT_EQ(call(dev, ETRACE_IOC_STATS, &stats), EINVAL);
		EXPECT_EQ(call(dev, ETRACE_IOC_TASKS, &list), EINVAL);
		create.reserved = 1;
		EXPECT_EQ(call(dev, ETRACE_IOC_CREATE, &create), EINVAL);
		create.reserved = 0;
		create.flags = 2;
		EXPECT_EQ(call(dev, ETRACE_IOC_CREATE, &create), EINVAL);
		create.flags = 0;
		create.abi = ETRACE_ABI_VERSION + 1;
		EXPECT_EQ(call(dev, ETRACE_IOC_CREATE, &create), EPROTO);
		EXPECT_EQ(create.abi, ETRACE_ABI_VERSION);
		EXPECT_EQ(call(dev, ETRACE_IOC_CREATE, (void *)8), EFAULT);
		EXPECT_EQ(call(dev, ETRACE_IOC_CREATE, &create), 0);
		EXPECT_EQ(create.bits_of_real_pid, 22);
	}
	EXPECT_EQ(call(dev, ETRACE_IOC_CREATE, &create), EBUSY);
	pid = 0;
	EXPECT_EQ(call(dev, ETRACE_IOC_ADD, &pid), ESRCH);
	pid = 0x7fffffff;
	EXPECT_EQ(call(dev, ETRACE_IOC_ADD, &pid), ESRCH);
	close(dev);
	et_module_teardown();
}

static int keep_env(int dev, const char *names, size_t len, unsigned int reserved)
{
	struct etrace_keep_env keep = {
		.names = (uintptr_t)names, .len = len, .reserved = reserved,
	};

	return call(dev, ETRACE_IOC_KEEP_ENV, &keep);
}

TEST(keep_env)
{
	struct etrace_create create = { .abi = ETRACE_ABI_VERSION };
	char most[ETRACE_KEEP_ENV_MAX];
	pid_t pid = et_sleeper();
	int dev;

	memset(most, 'A', sizeof(most));
	et_module_setup("", 64);
	dev = dev_open();
	EXPECT_EQ(keep_env(dev, "A", 1, 0), EINVAL);
	create.flags = ETRACE_SESSION_ENV | ETRACE_SESSION_ENV_LISTED;
	EXPECT_EQ(call(dev, ETRACE_IOC_CREATE, &create), 0);
	EXPECT_EQ(call(dev, ETRACE_IOC_KEEP_ENV, (void *)8), EFAULT);
	EXPECT_EQ(keep_env(dev, (void *)8, 1, 0), EFAULT);
	EXPECT_EQ(keep_env(dev, "A", 1, 1), EINVAL);
	EXPECT_EQ(keep_env(dev, "A,", 2, 0), EINVAL);
	EXPECT_EQ(keep_env(dev, "A=", 2, 0), EINVAL);
	EXPECT_EQ(keep_env(dev, "A\0B", 3, 0), EINVAL);
	EXPECT_EQ(keep_env(dev, most, sizeof(most), 0), EINVAL);
	EXPECT_EQ(keep_env(dev, most, 0xffffffff, 0), EINVAL);
	EXPECT_EQ(keep_env(dev, most, sizeof(most) - 1, 0), 0);
	EXPECT_EQ(keep_env(dev, "", 0, 0), 0);
	EXPECT_EQ(keep_env(dev, "A,B_KEY", 7, 0), 0);
	EXPECT_EQ(call(dev, ETRACE_IOC_ADD, &pid), 0);
	EXPECT_EQ(keep_env(dev, "A", 1, 0), EBUSY);
	close(dev);
	end(pid);
	et_module_teardown();
}

static void three_records(void)
{
	raise(SIGSTOP);
	syscall(SYS_dup2, STDIN_FILENO, 100);
	syscall(SYS_close, 100);
}

/* A whole session, also for a 32-bit program. */
TEST(session_from_create_to_close)
{
	struct etrace_create create;
	struct etrace_task_info task[2];
	struct etrace_task_list list = {
		.tasks = (uintptr_t)task, .room = ET_NELEMS(task),
	};
	struct etrace_stats stats;
	struct pollfd hup;
	pid_t pid;
	int dev;

	et_module_setup("", 64);
	dev = session(&create);
	hup = (struct pollfd){ .fd = dev };
	EXPECT_EQ(poll(&hup, 1, 0), 1);
	pid = start(three_records);
	MUST(waitpid(pid, NULL, WUNTRACED));
	EXPECT_EQ(call(dev, ETRACE_IOC_ADD, &pid), 0);
	EXPECT_EQ(poll(&hup, 1, 0), 0);
	EXPECT_EQ(call(dev, ETRACE_IOC_TASKS, &list), 0);
	EXPECT_EQ(list.nr, 1);
	EXPECT_EQ(task[0].pid, pid);
	EXPECT_EQ(task[0].tgid, pid);
	EXPECT_EQ(task[0].upid & 0x3fffff, pid);
	list.room = 0;
	EXPECT_EQ(call(dev, ETRACE_IOC_TASKS, &list), 0);
	EXPECT_EQ(list.nr, 1);
	list.room = 1;
	list.tasks = 8;
	EXPECT_EQ(call(dev, ETRACE_IOC_TASKS, &list), EFAULT);
	kill(pid, SIGCONT);
	EXPECT_EQ(poll(&hup, 1, 120000), 1);
	EXPECT(hup.revents & POLLHUP);
	MUST(waitpid(pid, NULL, 0));
	EXPECT_EQ(call(dev, ETRACE_IOC_STOP, NULL), 0);
	memset(&stats, 0xff, sizeof(stats));
	EXPECT_EQ(call(dev, ETRACE_IOC_STATS, &stats), 0);
	EXPECT_EQ(stats.records, 3);
	EXPECT_EQ(stats.lost_records, 0);
	EXPECT_EQ(stats.overwritten, 0);
	EXPECT_EQ(stats.tasks, 0);
	EXPECT_EQ(stats.hooks_missing, 0);
	close(dev);
	et_module_teardown();
}

/* ---- many tasks ------------------------------------------------------------- */

#define STACK	4096

static int thread(void *arg)
{
	(void)arg;
	/* Started by clone() itself: nothing exists but the stack. */
	for (;;)
		syscall(SYS_pause);
	return 0;
}

static int tasks;

static void many_threads(void)
{
	char *stacks = mmap(NULL, (size_t)tasks * STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 1; stacks != MAP_FAILED && i < tasks; i++)
		if (clone(thread, stacks + (size_t)i * STACK,
			  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
			  CLONE_THREAD | CLONE_SYSVSEM, NULL) < 0)
			break;
	if (i < tasks) {
		printf("# task %d: %m\n", i);
		_exit(1);
	}
	raise(SIGSTOP);
	for (;;)
		pause();
}

static int by_upid(const void *a, const void *b)
{
	const struct etrace_task_info *x = a, *y = b;

	return (x->upid > y->upid) - (x->upid < y->upid);
}

TEST(many_tasks)
{
	const char *text = getenv("ETRACE_TASKS");
	struct etrace_task_list list;
	struct etrace_task_info *task;
	struct etrace_create create;
	int dev, i, status, twice = 0, foreign = 0;
	pid_t pid;

	tasks = text ? atoi(text) : 3000;
	et_module_setup("", 64);
	dev = session(&create);
	pid = start(many_threads);
	MUST(waitpid(pid, &status, WUNTRACED));
	if (!WIFSTOPPED(status)) {
		FAIL("no %d tasks", tasks);
		return;
	}
	EXPECT_EQ(call(dev, ETRACE_IOC_ADD, &pid), 0);

	task = calloc(tasks + 1, sizeof(*task));
	list = (struct etrace_task_list){
		.tasks = (uintptr_t)task, .room = tasks - 1,
	};
	EXPECT_EQ(call(dev, ETRACE_IOC_TASKS, &list), 0);
	EXPECT_EQ(list.nr, tasks);
	EXPECT(task[tasks - 2].upid, "the last entry is not filled");
	EXPECT(!task[tasks - 1].upid, "an entry beyond the array is written");
	list.room = tasks + 1;
	EXPECT_EQ(call(dev, ETRACE_IOC_TASKS, &list), 0);
	EXPECT_EQ(list.nr, tasks);
	qsort(task, tasks, sizeof(*task), by_upid);
	for (i = 0; i < tasks; i++) {
		twice += i && task[i].upid == task[i - 1].upid;
		foreign += task[i].tgid != pid ||
			   task[i].pid != (pid_t)(task[i].upid & 0x3fffff);
	}
	EXPECT_EQ(twice, 0);
	EXPECT_EQ(foreign, 0);
	free(task);
	EXPECT_EQ(call(dev, ETRACE_IOC_STOP, NULL), 0);
	end(pid);
	close(dev);
	et_module_teardown();
}

/* ---- pid namespaces --------------------------------------------------------- */

static int inner;		/* a session that was created outside */

static void in_namespace(void)
{
	struct etrace_task_info task[4];
	struct etrace_task_list list = {
		.tasks = (uintptr_t)task, .room = ET_NELEMS(task),
	};
	pid_t me = getpid();
	unsigned int i;
	int seen = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (me != 1 || call(inner, ETRACE_IOC_ADD, &me) ||
	    call(inner, ETRACE_IOC_TASKS, &list))
		_exit(1);
	/* The task outside the namespace has no pid here; this task's is 1. */
	for (i = 0; i < list.nr && i < ET_NELEMS(task); i++) {
		if (task[i].pid == 1 && task[i].tgid == 1)
			seen |= 1;
		else if (!task[i].pid && !task[i].tgid)
			seen |= 2;
		else
			printf("# inside: pid %d, tgid %d\n", task[i].pid,
			       task[i].tgid);
	}
	_exit(list.nr == 2 && seen == 3 ? 0 : 2);
}

TEST(pid_namespace)
{
	struct etrace_create create;
	pid_t pid, outside, unsharer;
	int status;

	et_module_setup("", 64);
	inner = session(&create);
	outside = et_sleeper();
	EXPECT_EQ(call(inner, ETRACE_IOC_ADD, &outside), 0);
	fflush(stdout);
	unsharer = MUST(fork());
	if (!unsharer) {
		if (unshare(CLONE_NEWPID))
			_exit(3);
		pid = fork();
		if (!pid)
			in_namespace();
		waitpid(pid, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 4);
	}
	MUST(waitpid(unsharer, &status, 0));
	EXPECT_EQ(WEXITSTATUS(status), 0);
	end(outside);
	close(inner);
	et_module_teardown();
}

/* ---- limits ------------------------------------------------------------------ */

TEST(max_sessions)
{
	struct etrace_create create = { .abi = ETRACE_ABI_VERSION };
	int a, b, c;

	et_module_setup("max_sessions=1", 64);
	a = session(&create);
	b = dev_open();
	c = dev_open();
	create.reserved = 0;
	EXPECT_EQ(call(b, ETRACE_IOC_CREATE, &create), EUSERS);
	EXPECT_EQ(et_param_write("max_sessions", "2"), 0);
	EXPECT_EQ(call(b, ETRACE_IOC_CREATE, &create), 0);
	EXPECT_EQ(call(c, ETRACE_IOC_CREATE, &create), EUSERS);
	/* A session that has ended makes room for another one. */
	close(a);
	EXPECT_EQ(call(c, ETRACE_IOC_CREATE, &create), 0);
	EXPECT_EQ(et_param_write("max_sessions", "many"), -EINVAL);
	EXPECT_EQ(et_param_write("max_sessions", "65536"), -EINVAL);
	EXPECT_EQ(et_param_write("max_sessions", "0"), 0);
	close(b);
	close(c);
	a = dev_open();
	EXPECT_EQ(call(a, ETRACE_IOC_CREATE, &create), EUSERS);
	close(a);
	et_module_teardown();
}

/* ---- memory ------------------------------------------------------------------ */

/* The number of processors with a buffer, allocated by a function that may be inlined. */
static int rooms(void)
{
	char line[512];
	FILE *f = fopen("/proc/vmallocinfo", "r");
	int n = 0;

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		n += strstr(line, " etrace_scratch_up+") || strstr(line, " etrace_capture_init+");
	fclose(f);
	return n;
}

static void close_on_1(void)
{
	et_on_cpu(1);
	syscall(SYS_close, syscall(SYS_open, "/dev/null", O_RDONLY));
}

/* Only running processors have string buffers; one that comes online gets its own. */
TEST(string_buffers_of_online_processors)
{
	struct et_trace tr;
	size_t i, found = 0;

	if (rooms() < 0 || et_write_file(CPU1, "0")) {
		et_skip("no /proc/vmallocinfo, or no processor can be taken offline");
		return;
	}
	et_module_setup("", 64);
	EXPECT_EQ(rooms(), sysconf(_SC_NPROCESSORS_ONLN));
	et_write_file(CPU1, "1");
	EXPECT_EQ(rooms(), sysconf(_SC_NPROCESSORS_ONLN));
	et_run(close_on_1, &tr);
	EXPECT_EQ(tr.nr, 1);
	for (i = 0; tr.nr && i < tr.task->nr; i++)
		found += tr.task->line[i].cpu == 1 &&
			 !strcmp(tr.task->line[i].text, "FN|/dev/null");
	EXPECT_EQ(found, 1);
	et_trace_free(&tr);
	et_write_file(CPU1, "0");
	EXPECT_EQ(rooms(), sysconf(_SC_NPROCESSORS_ONLN));
	et_write_file(CPU1, "1");
	et_module_teardown();
	EXPECT_EQ(rooms(), 0);
}

/* ---- nothing is left behind -------------------------------------------------- */

/* Leave records on each of two processors, if there are two. */
static void records(void)
{
	raise(SIGSTOP);
	if (!access(CPU1, F_OK)) {
		et_on_cpu(1);
		syscall(SYS_dup2, STDIN_FILENO, 100);
		syscall(SYS_close, 100);
	}
	et_on_cpu(0);
	syscall(SYS_dup2, STDIN_FILENO, 100);
	syscall(SYS_close, 100);
}

static char *instance_file(const char *instance, const char *file)
{
	static char path[256];

	snprintf(path, sizeof(path), ET_TRACEFS "%s%s/%s",
		 *instance ? "/instances/" : "", instance, file);
	return path;
}

/* Whether an instance contains any records; the module may be unloaded. */
static bool has_records(const char *instance)
{
	char line[512];
	bool found = false;
	FILE *f = fopen(instance_file(instance, "trace"), "r");

	if (!f)
		DIE("%s: %m", instance);
	while (fgets(line, sizeof(line), f))
		if (line[0] != '#' && line[0] != '\n') {
			if (!found)
				et_note("%s", et_escape(line, strlen(line) - 1));
			found = true;
		}
	fclose(f);
	return found;
}

/*
 * After the module is unloaded, its event numbers may be given to other events. So none of
 * root_pid's records may be left, in no instance and for no processor.
 */
TEST(no_records_left_after_unload)
{
	static const char * const others[] = { "", ET_INSTANCE };
	char buf[256];
	pid_t pid;
	int i;

	if (et_write_file(CPU1, "1"))
		et_note("no processor can be taken offline");
	for (i = 0; i < (int)ET_NELEMS(others); i++) {
		snprintf(buf, sizeof(buf), *others[i] ? "instance=%s" : "", others[i]);
		EXPECT_EQ(et_module_load(buf), 0);
		pid = start(records);
		MUST(waitpid(pid, NULL, WUNTRACED));
		EXPECT_EQ(et_param_write_int("root_pid", pid), 0);
		kill(pid, SIGCONT);
		MUST(waitpid(pid, NULL, 0));
		EXPECT(has_records(others[i]), "there are no records before the unload");
		et_write_file(CPU1, "0");
		EXPECT_EQ(et_module_unload(), 0);
		et_write_file(CPU1, "1");
		EXPECT(!has_records(others[i]), "root_pid left records in '%s'", others[i]);
	}
	rmdir(ET_TRACE_DIR);
}

int main(int argc, char **argv)
{
	if (et_bpf())
		et_skip_all("this tests the module's device");
	return et_main(argc, argv, NULL);
}
