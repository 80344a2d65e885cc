// SPDX-License-Identifier: GPL-2.0
/* The module's parameters: what each does, and that bad values are refused. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"

/* Loading must fail with this error and this message in the log, and leave nothing behind. */
static void bad_load(const char *params, int err, const char *log)
{
	int ret;

	et_log_mark();
	ret = et_module_load(params);
	if (ret != -err)
		FAIL("loading with '%s' returned %d (%s), expected %d (%s)",
		     et_escape(params, strlen(params)), -ret, strerror(-ret),
		     err, strerror(err));
	if (!et_log_has(log))
		FAIL("loading with '%s' did not log '%s'",
		     et_escape(params, strlen(params)), log);
	if (et_module_loaded()) {
		FAIL("'%s': the module is loaded", et_escape(params, strlen(params)));
		et_module_unload();
	}
}

/* A pid that no process has. */
static pid_t no_pid(void)
{
	pid_t pid = MUST(fork());

	if (!pid)
		_exit(0);
	MUST(waitpid(pid, NULL, 0));
	return pid;
}

static char *text(const char *fmt, ...) ET_PRINTF(1, 2);
static char *text(const char *fmt, ...)
{
	static char bufs[4][512];
	static unsigned int next;
	char *buf = bufs[next++ % ET_NELEMS(bufs)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf, sizeof(bufs[0]), fmt, args);
	va_end(args);
	return buf;
}

TEST(bad_root_pid)
{
	if (et_without_module())
		return;
	bad_load(text("root_pid=%d", no_pid()), ESRCH, "no such task");
	bad_load("root_pid=-1", ESRCH, "no such task");
	bad_load("root_pid=self", EINVAL, "root_pid");
	bad_load("root_pid=", EINVAL, "root_pid");
	bad_load("root_pid=99999999999", EINVAL, "root_pid");
	bad_load(text("root_pid=%d instance=" ET_INSTANCE, no_pid()), ESRCH,
		 "no such task");
	rmdir(ET_TRACE_DIR);
}

/* Whether the device has appeared in /dev since the last call. */
static bool device_came(int watch)
{
	char buf[8192] __attribute__((aligned(__alignof__(struct inotify_event))));
	struct inotify_event *ev;
	bool came = false;
	ssize_t n;
	char *p;

	while ((n = read(watch, buf, sizeof(buf))) > 0)
		for (p = buf; p < buf + n; p += sizeof(*ev) + ev->len) {
			ev = (struct inotify_event *)p;
			came |= ev->len && !strcmp(ev->name, "etrace");
		}
	return came;
}

/* Nobody may have the device open when a module that fails to load is freed. */
TEST(device_created_last)
{
	int watch;

	if (et_without_module())
		return;
	watch = MUST(inotify_init1(IN_NONBLOCK));
	MUST(inotify_add_watch(watch, "/dev", IN_CREATE));
	bad_load(text("root_pid=%d", no_pid()), ESRCH, "no such task");
	EXPECT(!device_came(watch), "a load that fails creates the device");
	EXPECT_EQ(et_module_load(""), 0);
	EXPECT(device_came(watch), "a successful load does not create the device");
	EXPECT_EQ(et_module_unload(), 0);
	close(watch);
}

TEST(bad_bits_of_real_pid)
{
	static const char * const values[] = {
		"33", "-1", "100", "4294967296", "x", "", "22bits",
	};
	size_t i;

	if (et_without_module())
		return;
	for (i = 0; i < ET_NELEMS(values); i++)
		bad_load(text("bits_of_real_pid=%s", values[i]), EINVAL,
			 "bits_of_real_pid");
}

TEST(bad_max_sessions)
{
	static const char * const values[] = { "65536", "-1", "few", "" };
	size_t i;

	if (et_without_module())
		return;
	for (i = 0; i < ET_NELEMS(values); i++)
		bad_load(text("max_sessions=%s", values[i]), EINVAL,
			 "max_sessions");
	for (i = 0; i < ET_NELEMS(values); i++)
		bad_load(text("max_user_sessions=%s", values[i]), EINVAL,
			 "max_user_sessions");
}

TEST(bad_trace_thread_names)
{
	if (et_without_module())
		return;
	bad_load("trace_thread_names=maybe", EINVAL, "trace_thread_names");
	bad_load("trace_thread_names=2", EINVAL, "trace_thread_names");
}

TEST(bad_instance)
{
	char *longest = text("instance=%0256d", 0);

	if (et_without_module())
		return;
	bad_load("instance=", EINVAL, "instance");
	bad_load("instance=a/b", EINVAL, "instance");
	bad_load("instance=/", EINVAL, "instance");
	bad_load("instance=.", EINVAL, "instance");
	bad_load("instance=..", EINVAL, "instance");
	bad_load(longest, EINVAL, "instance");
	if (!access(ET_TRACEFS "/instances/a", F_OK))
		FAIL("an instance was created");
}

TEST(bad_extended)
{
	if (et_without_module())
		return;
	bad_load("extended=perhaps", EINVAL, "extended");
}

static const char * const bad_records[] = {
	"everything", "probes,everything", "probe", "probess", "Probes", "probes dirs", ",",
	",dirs", "dirs,", "probes,,dirs", "output=", "output=some",
};

TEST(bad_record)
{
	size_t i;

	if (et_without_module())
		return;
	for (i = 0; i < ET_NELEMS(bad_records); i++)
		bad_load(text("record=\"%s\"", bad_records[i]), EINVAL, "record: must be");
}

TEST(bad_keep_env)
{
	char longest[sizeof("keep_env=") + 1024] = "keep_env=";

	if (et_without_module())
		return;
	bad_load("keep_env=,", EINVAL, "keep_env: must be");
	bad_load("keep_env=A,", EINVAL, "keep_env: must be");
	bad_load("keep_env=,A", EINVAL, "keep_env: must be");
	bad_load("keep_env=A,,B", EINVAL, "keep_env: must be");
	bad_load("keep_env=A=1", EINVAL, "keep_env: must be");
	bad_load("\"keep_env=A\nB\"", EINVAL, "keep_env: must be");
	memset(strchr(longest, '\0'), 'A', 1024);
	bad_load(longest, EINVAL, "keep_env: must be");
}

/* ---- a tree of tasks that act on request ---------------------- */

#define TASKS	8
#define FD_BASE	500

/* Each task dups to a descriptor whose number is that of the step. */
static struct tree {
	atomic_int step;
	atomic_int n;
	atomic_int done[TASKS];
	pid_t tid[TASKS];
} *tree;

static void task_life(void)
{
	int i = atomic_fetch_add(&tree->n, 1);
	int step = 0;

	tree->tid[i] = syscall(SYS_gettid);
	for (;;) {
		while (atomic_load(&tree->step) == step)
			usleep(1000);
		step = atomic_load(&tree->step);
		if (step < 0)
			break;
		syscall(SYS_dup2, STDIN_FILENO, FD_BASE + step);
		atomic_store(&tree->done[i], step);
	}
	syscall(SYS_exit, 0);
}

static int thread_life(void *arg)
{
	(void)arg;
	task_life();
	return 0;
}

static void thread_start(void)
{
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	MUST(clone(thread_life, stack + 65536, CLONE_VM | CLONE_FS |
		   CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD, NULL));
}

static void until_tasks(int n)
{
	while (atomic_load(&tree->n) < n)
		usleep(1000);
}

/*
 * Start a process with a thread, a child, and that child's thread and child, all before anything
 * is traced. Return: its pid.
 */
#define TREE_TASKS	5

static pid_t tree_start(void)
{
	int base;
	pid_t pid;

	if (!tree) {
		tree = mmap(NULL, sizeof(*tree), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (tree == MAP_FAILED)
			DIE("mmap: %m");
	}
	memset(tree, 0, sizeof(*tree));
	base = 0;
	pid = MUST(fork());
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		thread_start();
		until_tasks(base + 1);
		if (!MUST(fork())) {
			thread_start();
			until_tasks(base + 2);
			if (!MUST(fork()))
				task_life();
			until_tasks(base + 3);
			task_life();
		}
		until_tasks(base + 4);
		task_life();
	}
	until_tasks(base + TREE_TASKS);
	return pid;
}

static void tree_step(int step, int n)
{
	int i;

	atomic_store(&tree->step, step);
	for (i = 0; i < n && step > 0; i++)
		while (atomic_load(&tree->done[i]) != step)
			usleep(1000);
}

static void tree_end(pid_t pid)
{
	struct et_children own;

	et_children(&own);
	atomic_store(&tree->step, -1);
	MUST(waitpid(pid, NULL, 0));
	et_reap_orphans(&own);
}

static void trace_read(struct et_trace *tr)
{
	int fd = et_trace_open();

	et_trace_init(tr);
	et_trace_read(tr, fd);
	close(fd);
	if (tr->bad)
		FAIL("%s", tr->bad);
	EXPECT_EQ(tr->lost, 0);
}

/* Whether the trace contains what task @tid did at @step. */
static bool has_step(struct et_trace *tr, pid_t tid, int step)
{
	struct et_task *t = et_trace_pid(tr, tid);
	const char *line = text("Dup|oldfd=0,newfd=%d,flags=0", FD_BASE + step);
	size_t i;

	for (i = 0; t && i < t->nr; i++)
		if (!strcmp(t->line[i].text, line))
			return true;
	return false;
}

static void expect_step(struct et_trace *tr, int from, int to, int step, bool has)
{
	int i;

	for (i = from; i < to; i++)
		if (has_step(tr, tree->tid[i], step) != has)
			FAIL("step %d of task %d is %s", step, i,
			     has ? "missing" : "in the trace");
}

static void write_root_pid(pid_t pid)
{
	int err = et_param_write_int("root_pid", pid);

	if (err)
		FAIL("root_pid=%d: %s", pid, strerror(-err));
}

/* At load: the task, its threads and all its descendants. */
TEST(root_pid_at_load)
{
	pid_t pid = tree_start();
	struct et_trace tr;

	et_module_setup(text("root_pid=%d", pid), 1024);
	EXPECT_EQ(atoi(et_param_read("root_pid")), pid);
	tree_step(1, TREE_TASKS);
	tree_end(pid);
	trace_read(&tr);
	EXPECT_EQ(tr.nr, TREE_TASKS);
	expect_step(&tr, 0, TREE_TASKS, 1, true);
	et_trace_free(&tr);
	et_module_teardown();
}

/* At run time: a pid adds its tree, 0 stops tracing, another pid then starts anew. */
TEST(root_pid_at_run_time)
{
	struct et_trace tr;
	struct tree *first;
	pid_t a, b;

	a = tree_start();
	first = tree;
	tree = NULL;
	b = tree_start();

	et_module_setup("", 1024);
	EXPECT_EQ(atoi(et_param_read("root_pid")), 0);
	tree_step(1, TREE_TASKS);
	write_root_pid(b);
	tree_step(2, TREE_TASKS);
	/* Add another tree; adding it again changes nothing. */
	write_root_pid(a);
	write_root_pid(a);
	tree_step(3, TREE_TASKS);
	EXPECT_EQ(et_param_write_int("root_pid", no_pid()), -ESRCH);
	EXPECT_EQ(atoi(et_param_read("root_pid")), a);
	EXPECT_EQ(et_param_write("root_pid", "x"), -EINVAL);
	tree_step(4, TREE_TASKS);
	write_root_pid(0);
	EXPECT_EQ(atoi(et_param_read("root_pid")), 0);
	tree_step(5, TREE_TASKS);
	trace_read(&tr);
	EXPECT_EQ(tr.nr, TREE_TASKS);
	expect_step(&tr, 0, TREE_TASKS, 1, false);
	expect_step(&tr, 0, TREE_TASKS, 2, true);
	expect_step(&tr, 0, TREE_TASKS, 3, true);
	expect_step(&tr, 0, TREE_TASKS, 4, true);
	expect_step(&tr, 0, TREE_TASKS, 5, false);
	et_trace_free(&tr);

	write_root_pid(b);
	tree_step(6, TREE_TASKS);
	write_root_pid(0);
	tree_step(7, TREE_TASKS);
	trace_read(&tr);
	EXPECT_EQ(tr.nr, TREE_TASKS);
	expect_step(&tr, 0, TREE_TASKS, 6, true);
	expect_step(&tr, 0, TREE_TASKS, 7, false);
	et_trace_free(&tr);

	tree_end(b);
	tree = first;
	tree_end(a);
	et_module_teardown();
}

/* A thread's id stands for its process. */
TEST(root_pid_is_a_thread)
{
	pid_t pid = tree_start();
	struct et_trace tr;

	et_module_setup("", 1024);
	EXPECT(tree->tid[0] != pid);
	write_root_pid(tree->tid[0]);
	tree_step(1, TREE_TASKS);
	tree_end(pid);
	trace_read(&tr);
	EXPECT_EQ(tr.nr, TREE_TASKS);
	expect_step(&tr, 0, TREE_TASKS, 1, true);
	et_trace_free(&tr);
	et_module_teardown();
}

/* A process in the middle of the tree: tasks above and beside it are not traced. */
TEST(root_pid_within_a_tree)
{
	pid_t pid = tree_start();
	struct et_trace tr;

	et_module_setup("", 1024);
	/* 0, 4: the first process; 1, 3: its child; 2: the child's child. */
	write_root_pid(tree->tid[3]);
	tree_step(1, TREE_TASKS);
	tree_end(pid);
	trace_read(&tr);
	expect_step(&tr, 0, 1, 1, false);
	expect_step(&tr, 4, 5, 1, false);
	expect_step(&tr, 1, 4, 1, true);
	EXPECT_EQ(tr.nr, 3);
	et_trace_free(&tr);
	et_module_teardown();
}

/* A root that is a zombie counts as gone. */
TEST(root_pid_is_a_zombie)
{
	pid_t pid;

	et_module_setup("", 1024);
	pid = MUST(fork());
	if (!pid)
		_exit(0);
	et_until_state(pid, 'Z');
	et_log_mark();
	EXPECT_EQ(et_param_write_int("root_pid", pid), -ESRCH);
	EXPECT(et_bpf() || et_log_has("no such task"));
	MUST(waitpid(pid, NULL, 0));
	EXPECT_EQ(et_param_write_int("root_pid", pid), -ESRCH);
	et_module_teardown();
}

/* ---- bits_of_real_pid ------------------------------------------------------ */

/* The upid in the @n-th SchedFork line of @t. */
static uint64_t forked(const struct et_task *t, int n)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		if (!strncmp(t->line[i].text, "SchedFork|pid=", 14) && !n--)
			return strtoull(t->line[i].text + 14, NULL, 10);
	return 0;
}

/* A child with three children, two of which have the same pid. */
static void upids(const char *params, unsigned int bits)
{
	uint64_t mask = bits ? ~0ULL >> (64 - bits) : 0;
	atomic_int *go = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	volatile pid_t *pids = (pid_t *)(go + 16);
	uint64_t child[3], root = 0;
	struct et_trace tr;
	size_t i, j;
	pid_t pid;

	et_module_setup(params, 1024);
	pid = MUST(fork());
	if (!pid) {
		while (!atomic_load(go))
			usleep(1000);
		for (i = 0; i < 3; i++) {
			/* Choose the next pid, as CRIU does. */
			if (i == 2)
				et_write_file("/proc/sys/kernel/ns_last_pid",
					      text("%d", pids[1] - 1));
			pid = MUST(fork());
			if (!pid)
				_exit(0);
			pids[i] = pid;
			MUST(waitpid(pid, NULL, 0));
		}
		_exit(0);
	}
	write_root_pid(pid);
	atomic_store(go, 1);
	MUST(waitpid(pid, NULL, 0));
	EXPECT_EQ(pids[1], pids[2]);

	trace_read(&tr);
	EXPECT_EQ(tr.nr, 4);
	/* The parent is the task with SchedFork lines. */
	for (i = 0; i < tr.nr; i++)
		if (forked(&tr.task[i], 0))
			root = tr.task[i].upid;
	EXPECT_EQ(root & mask, pid & mask);
	for (i = 0; i < 3; i++) {
		child[i] = forked(et_trace_upid(&tr, root), i);
		EXPECT(et_trace_upid(&tr, child[i]), "a child has no lines");
		EXPECT_EQ(child[i] & mask, pids[i] & mask);
		EXPECT(child[i] <= INT64_MAX);
		EXPECT(child[i] >> bits > root >> bits, "sequence numbers do not increase");
		for (j = 0; j < i; j++)
			EXPECT(child[i] >> bits > child[j] >> bits);
	}
	et_trace_free(&tr);
	et_module_teardown();
}

TEST(bits_of_real_pid_default)
{
	if (et_without_module())
		return;
	upids("", 22);
}

TEST(bits_of_real_pid_0)
{
	if (et_without_module())
		return;
	upids("bits_of_real_pid=0", 0);
}

TEST(bits_of_real_pid_32)
{
	if (et_without_module())
		return;
	upids("bits_of_real_pid=32", 32);
}

/* ---- the others ------------------------------------------------------------ */

static void do_comm(void)
{
	CHILD_MUST(prctl(PR_SET_NAME, "silent"));
}

TEST(no_comm_by_default)
{
	et_module_setup("", 1024);
	EXPECT(!strcmp(et_param_read("trace_thread_names"), "N"));
	et_traced(do_comm);
	et_module_teardown();
	et_module_setup("trace_thread_names=N", 1024);
	et_traced(do_comm);
	et_module_teardown();
}

static void expect_mode(const char *name, mode_t mode)
{
	struct stat st;

	MUST(stat(text("/sys/module/etrace/%s", name), &st));
	if ((st.st_mode & 0777) != mode)
		FAIL("%s has mode %o, must have %o", name, st.st_mode & 0777, mode);
}

TEST(parameter_values)
{
	size_t i;

	if (et_without_module())
		return;
	et_module_setup("bits_of_real_pid=10 trace_thread_names=1 record=dirs keep_env=A_KEY,_", 1024);
	EXPECT(!strcmp(et_param_read("bits_of_real_pid"), "10"));
	EXPECT(!strcmp(et_param_read("trace_thread_names"), "Y"));
	EXPECT(!strcmp(et_param_read("instance"), ET_INSTANCE));
	EXPECT(!strcmp(et_param_read("extended"), "N"));
	expect_mode("parameters/root_pid", 0644);
	EXPECT(!strcmp(et_param_read("max_sessions"), "64"));
	expect_mode("parameters/max_sessions", 0644);
	EXPECT(!strcmp(et_param_read("max_user_sessions"), "8"));
	expect_mode("parameters/max_user_sessions", 0644);
	expect_mode("counters/records", 0400);
	expect_mode("parameters/bits_of_real_pid", 0444);
	expect_mode("parameters/trace_thread_names", 0444);
	expect_mode("parameters/instance", 0444);
	EXPECT_EQ(et_param_write("extended", "perhaps"), -EINVAL);
	EXPECT_EQ(et_param_write("extended", "Y"), 0);
	EXPECT(!strcmp(et_param_read("extended"), "Y"));
	expect_mode("parameters/record", 0644);
	EXPECT(!strcmp(et_param_read("record"), "dirs"));
	EXPECT_EQ(et_param_write("record", "env,dirs,probes\n"), 0);
	EXPECT(!strcmp(et_param_read("record"), "probes,dirs,env"));
	/* A refused value changes nothing. */
	for (i = 0; i < ET_NELEMS(bad_records); i++)
		EXPECT_EQ(et_param_write("record", bad_records[i]), -EINVAL);
	EXPECT(!strcmp(et_param_read("record"), "probes,dirs,env"));
	EXPECT_EQ(et_param_write("record", "output,dirs"), 0);
	EXPECT(!strcmp(et_param_read("record"), "dirs,output"));
	EXPECT_EQ(et_param_write("record", "output=all"), 0);
	EXPECT(!strcmp(et_param_read("record"), "output,output=all"));
	EXPECT(!strcmp(et_param_read("output_memory"), "64"));
	expect_mode("parameters/output_memory", 0644);
	EXPECT_EQ(et_param_write("record", "\n"), 0);
	EXPECT(!strcmp(et_param_read("record"), ""));
	expect_mode("parameters/keep_env", 0444);
	EXPECT(!strcmp(et_param_read("keep_env"), "A_KEY,_"));
	et_module_teardown();
}

static void do_access(void)
{
	CHILD_MUST_FAIL(syscall(SYS_access, "absent", F_OK), ENOENT);
	want("Access|fnamesize=%zu,mode=0,flags=0", strlen(et_path("absent")));
	want("PA|%s", et_path("absent"));
	want("AccessFailed|");
	want("Failed|error=%d", ENOENT);
}

static void do_access_unseen(void)
{
	CHILD_MUST_FAIL(syscall(SYS_access, "absent", F_OK), ENOENT);
}

/* Both parameters must be set; each can be changed at run time. */
TEST(record_at_run_time)
{
	if (et_without_module())
		return;
	et_facts = "ACCESS";
	et_module_setup("record=probes", 1024);
	et_traced(do_access_unseen);
	EXPECT_EQ(et_param_write("extended", "Y"), 0);
	et_traced(do_access);
	EXPECT_EQ(et_param_write("record", "dirs"), 0);
	et_traced(do_access_unseen);
	EXPECT_EQ(et_param_write("record", "dirs,probes"), 0);
	et_traced(do_access);
	EXPECT_EQ(et_param_write("extended", "N"), 0);
	et_traced(do_access_unseen);
	et_module_teardown();
	et_facts = "";
}

static void do_close(void)
{
	CHILD_MUST(syscall(SYS_dup2, STDIN_FILENO, 77));
	want("Dup|oldfd=0,newfd=77,flags=0");
	CHILD_MUST(syscall(SYS_close, 77));
	want("Close|fd=77");
}

/* An existing instance is used with its settings, and is not removed. */
TEST(existing_instance)
{
	if (et_without_module())
		return;
	MUST(mkdir(ET_TRACE_DIR, 0755));
	EXPECT_EQ(et_instance_write("buffer_size_kb", "555"), 0);
	EXPECT_EQ(et_module_load("instance=" ET_INSTANCE), 0);
	EXPECT(atoi(et_read_file(ET_TRACE_DIR "/buffer_size_kb")) >= 555);
	EXPECT(atoi(et_read_file(ET_TRACE_DIR "/buffer_size_kb")) < 600);
	EXPECT_EQ(et_instance_write("options/context-info", "0"), 0);
	et_traced(do_close);
	EXPECT_EQ(et_module_unload(), 0);
	EXPECT(!access(ET_TRACE_DIR "/trace_pipe", F_OK), "the instance is gone");
	/* The instance is no longer in use. */
	MUST(rmdir(ET_TRACE_DIR));
}

/*
 * Without a name, the top-level instance is used, with ftrace's columns. They precede only the
 * first line of a record.
 */
TEST(top_level_instance)
{
	if (et_without_module())
		return;
	static char buf[1 << 20];
	char *p, *line;
	size_t len = 0;
	unsigned int found = 0;
	ssize_t n;
	pid_t pid;
	int fd;

	EXPECT_EQ(et_module_load(""), 0);
	EXPECT(!strcmp(et_param_read("instance"), ""));
	pid = MUST(fork());
	if (!pid) {
		et_param_write_int("root_pid", getpid());
		MUST(open("/dev/null", O_RDONLY));
		_exit(66);
	}
	MUST(waitpid(pid, NULL, 0));
	fd = MUST(open(ET_TRACEFS "/trace_pipe", O_RDONLY | O_NONBLOCK));
	while ((n = read(fd, buf + len, sizeof(buf) - 1 - len)) > 0)
		len += n;
	close(fd);
	buf[len] = '\0';
	for (p = buf; (line = strsep(&p, "\n")); ) {
		unsigned long long upid;
		unsigned int cpu, sec, nsec;
		char *at = strstr(line, ": etrace_");
		char rest[200] = "";

		at = at ? strchr(at + 2, ' ') + 1 : line;
		if (sscanf(at, "%llu,%u,%u,%u!%199[^\n]", &upid, &cpu, &sec,
			   &nsec, rest) < 4 || (pid_t)(upid & 0x3fffff) != pid)
			continue;
		if (!strcmp(rest, "Exit|status=66") || !strcmp(rest, "FN|/dev/null"))
			found++;
	}
	if (found != 2)
		FAIL("%u of 2 lines in the top-level trace_pipe: %s", found,
		     et_escape(buf, len));
	EXPECT_EQ(et_module_unload(), 0);
}

/*
 * A pid filter of somebody else at the top level does not prevent loading; the records that it
 * drops are counted.
 */
TEST(foreign_pid_filter)
{
	static const char filter[] = ET_TRACEFS "/set_event_pid";
	pid_t pid;
	int err;

	if (et_without_module())
		return;
	if (et_write_file(filter, "1")) {
		et_skip("this kernel has no pid filter");
		return;
	}
	err = et_module_load("");
	EXPECT_EQ(err, 0);
	if (!err) {
		pid = MUST(fork());
		if (!pid) {
			et_param_write_int("root_pid", getpid());
			MUST(open("/dev/null", O_RDONLY));
			_exit(0);
		}
		MUST(waitpid(pid, NULL, 0));
		/* Not lost because of a full buffer. */
		EXPECT(et_counter("lost_disabled") > 0);
		EXPECT_EQ(et_counter("lost_records"), 0);
		EXPECT_EQ(et_counter("records"), 0);
		EXPECT_EQ(et_module_unload(), 0);
	}
	close(MUST(open(filter, O_WRONLY | O_TRUNC)));
}

/* Those who may write a parameter or use the device must not be able to flood the log. */
TEST(log_messages_are_rate_limited)
{
	const unsigned int writes = 500;
	unsigned int i, n;

	if (et_without_module())
		return;
	et_module_setup("", 1024);
	et_log_mark();
	for (i = 0; i < writes; i++)
		EXPECT_EQ(et_param_write_int("root_pid", -1), -ESRCH);
	n = et_log_count("no such task");
	EXPECT(n > 0, "nothing was logged");
	EXPECT(n < writes / 2, "%u messages of %u writes", n, writes);
	et_module_teardown();
}

/* Only sessions pin the module, as its use count shows. */
TEST(only_sessions_pin_the_module)
{
	int fd, dev;
	pid_t pid;

	if (et_without_module())
		return;
	pid = tree_start();
	et_module_setup(text("root_pid=%d", pid), 1024);
	EXPECT_EQ(atoi(et_read_file("/sys/module/etrace/refcnt")), 0);
	fd = et_trace_open();
	tree_step(1, TREE_TASKS);
	EXPECT_EQ(atoi(et_read_file("/sys/module/etrace/refcnt")), 0);
	dev = open("/dev/etrace", O_RDWR);
	if (dev >= 0) {
		EXPECT_EQ(atoi(et_read_file("/sys/module/etrace/refcnt")), 1);
		EXPECT_EQ(et_module_unload(), -EWOULDBLOCK);
		close(dev);
		EXPECT_EQ(atoi(et_read_file("/sys/module/etrace/refcnt")), 0);
	}
	close(fd);
	et_module_teardown();
	tree_end(pid);
}

int main(int argc, char **argv)
{
	return et_main(argc, argv, NULL);
}
