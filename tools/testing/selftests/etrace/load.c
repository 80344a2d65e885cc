// SPDX-License-Identifier: GPL-2.0
/*
 * Exact under load: tasks on all processors make only recorded calls, untraced neighbours do the
 * same, and a reader reads meanwhile. In the end, each line must have been printed as often as
 * its call has succeeded.
 *
 * $ETRACE_LOAD_SECONDS: for how long, 10 by default; longer if necessary to make every call at
 * least twice.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#ifndef CLOSE_RANGE_UNSHARE
#include <linux/close_range.h>
#endif

/* Not from <linux/sched.h>, which conflicts with <sched.h>. */
struct clone3_args {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack,
		 stack_size, tls;
};

/* The beginnings of lines, up to '|' or '['. */
#define HEADS(X)							\
	X(New_proc) X(PI) X(PP) X(CW) X(A) X(End_of_args)		\
	X(SchedFork) X(SysClone) X(SysCloneFailed) X(Exit)		\
	X(Open) X(FN) X(FO) X(Pipe) X(Close) X(Dup)			\
	X(RenameFrom) X(Rename2From) X(RF) X(RenameTo) X(RT)		\
	X(RenameFailed) X(LinkFrom) X(LinkatFrom) X(LF) X(LinkTo)	\
	X(LT) X(LinkFailed) X(Symlink) X(ST) X(SR) X(SL)		\
	X(Mount) X(MS) X(MT) X(MX) X(MountFailed) X(Umount)		\
	X(UmountFailed) X(Comm) X(CN)

enum {
#define X(name)	name,
	HEADS(X)
#undef X
	NR_HEADS,
};

static const char * const head_names[] = {
#define X(name)	#name,
	HEADS(X)
#undef X
};

#define WORKERS_MAX	8
#define NEIGHBOURS	2

/* Counts of what each worker has done, and of what the reader has seen. */
static struct worker {
	long done[NR_HEADS];
	long tasks;
	long rounds;
	char pad[64];
} *workers;

static atomic_int *go;
static long seen[WORKERS_MAX][NR_HEADS];
static int nr_workers;
static char helper[4096];

/* ---- the workload -------------------------------------------------------------- */

static struct worker *me;

/* Lines that depend on whether the architecture has the old calls. */
#ifdef SYS_vfork
#define FORKED		SchedFork
#define LINK_FROM	LinkFrom
#else
#define FORKED		SysClone, SchedFork
#define LINK_FROM	LinkatFrom
#endif

/* A call that must succeed, and prints these lines. */
#define DOES(expr, ...)							\
	({								\
		static const int lines_[] = { __VA_ARGS__ };		\
		long ret_ = (long)(expr);				\
		size_t i_;						\
									\
		if (ret_ < 0)						\
			worker_fail(#expr);				\
		for (i_ = 0; i_ < ET_NELEMS(lines_); i_++)		\
			me->done[lines_[i_]]++;				\
		ret_;							\
	})

/* A call that must fail, and prints these lines. */
#define FAILS(expr, ...)						\
	do {								\
		static const int lines_[] = { __VA_ARGS__ };		\
		size_t i_;						\
									\
		if ((long)(expr) >= 0)					\
			worker_fail(#expr);				\
		for (i_ = 0; i_ < ET_NELEMS(lines_); i_++)		\
			me->done[lines_[i_]]++;				\
	} while (0)

static void worker_fail(const char *what)
{
	printf("# worker: %s: %m\n", what);
	fflush(stdout);
	_exit(1);
}

static void child_done(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, __WALL) != pid || status)
		worker_fail("waitpid");
	me->done[Exit]++;
	me->tasks++;
}

static void do_files(void)
{
	struct open_how how = { .flags = O_RDONLY };
	int fd, dir;

	dir = DOES(syscall(SYS_open, ".", O_PATH), Open, FN, FO);
	fd = DOES(syscall(SYS_creat, "a", 0600), Open, FN, FO);
	DOES(close(fd), Close);
	fd = DOES(syscall(SYS_openat, dir, "a", O_RDWR), Open, FN, FO);
	DOES(close(fd), Close);
	fd = DOES(syscall(SYS_openat2, dir, "a", &how, sizeof(how)), Open, FN, FO);
	DOES(close(fd), Close);
	syscall(SYS_open, "absent", O_RDONLY);

	DOES(syscall(SYS_rename, "a", "b"), RenameFrom, RF, RenameTo, RT);
	DOES(syscall(SYS_renameat, dir, "b", dir, "c"),
	     RenameFrom, RF, RenameTo, RT);
	DOES(syscall(SYS_renameat2, dir, "c", dir, "d", 0),
	     Rename2From, RF, RenameTo, RT);
	FAILS(syscall(SYS_rename, "absent", "x"), RenameFailed);
	FAILS(syscall(SYS_rename, "d", ".."), RenameFrom, RF, RenameFailed);
	DOES(syscall(SYS_link, "d", "e"), LINK_FROM, LF, LinkTo, LT);
	DOES(syscall(SYS_linkat, dir, "d", dir, "f", 0),
	     LinkatFrom, LF, LinkTo, LT);
	FAILS(syscall(SYS_link, "absent", "x"), LinkFailed);
	DOES(syscall(SYS_symlink, "d", "s"), Symlink, ST, SR, SL);
	DOES(syscall(SYS_symlinkat, "absent", dir, "t"), Symlink, ST, SL);
	unlink("d");
	unlink("e");
	unlink("f");
	unlink("s");
	unlink("t");
	DOES(close(dir), Close);
}

static void do_fds(void)
{
	int fds[2];

	DOES(syscall(SYS_dup2, STDIN_FILENO, 100), Dup);
	DOES(syscall(SYS_dup3, 100, 101, O_CLOEXEC), Dup);
	DOES(syscall(SYS_fcntl, 100, F_DUPFD, 102), Dup);
	DOES(syscall(SYS_fcntl, 100, F_DUPFD_CLOEXEC, 103), Dup);
	DOES(syscall(SYS_close_range, 100, ~0U, 0), Close, Close, Close, Close);
	DOES(syscall(SYS_pipe, fds), Pipe);
	DOES(close(fds[0]), Close);
	DOES(close(fds[1]), Close);
	DOES(syscall(SYS_pipe2, fds, O_CLOEXEC), Pipe);
	DOES(close(fds[0]), Close);
	DOES(close(fds[1]), Close);
	DOES(close(DOES(syscall(SYS_dup, STDIN_FILENO), Dup)), Close);
	DOES(prctl(PR_SET_NAME, "worker"), Comm, CN);
}

static void do_tasks(void)
{
	struct clone3_args args = { .exit_signal = SIGCHLD };
	pid_t pid;

	/* Children share the memory of the counts, so they do not count. */
	pid = syscall(SYS_fork);
	if (!pid)
		_exit(0);
	DOES(pid, FORKED);
	child_done(pid);
	pid = vfork();
	if (!pid)
		_exit(0);
	DOES(pid, FORKED);
	child_done(pid);
	pid = syscall(SYS_clone3, &args, sizeof(args));
	if (!pid)
		_exit(0);
	DOES(pid, SysClone, SchedFork);
	child_done(pid);
	FAILS(syscall(SYS_clone, CLONE_THREAD, 0, 0, 0, 0), SysClone, SysCloneFailed);
	pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!pid) {
		execve(helper, (char *[]) { "a", "b", NULL }, (char *[]) { NULL });
		_exit(1);
	}
	DOES(pid, SysClone, SchedFork);
	child_done(pid);
	me->done[New_proc]++;
	me->done[PI]++;
	me->done[PP]++;
	me->done[CW]++;
	me->done[A] += 2;
	me->done[End_of_args]++;
}

static void do_mounts(void)
{
	DOES(mount("src", "mnt", "tmpfs", 0, NULL), Mount, MS, MT, MX);
	DOES(mount(NULL, "mnt", NULL, MS_REMOUNT | MS_BIND, NULL), Mount, MT);
	DOES(syscall(SYS_umount2, "mnt", MNT_DETACH), Umount, MT);
	FAILS(syscall(SYS_umount2, "absent", 0), UmountFailed);
	FAILS(mount("src", "mnt", NULL, 0, NULL), Mount, MS, MT, MountFailed);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		worker_fail("sched_setaffinity");
}

#define ROUNDS_MIN 32	/* of all calls; the rarest are made in every 32nd */

/*
 * The first @nr_workers processes run on one processor each; the others are neighbours. The
 * duration is fixed, because rare events become likelier with time; the number of rounds is not
 * checked.
 */
static void work(int i, double seconds)
{
	char dir[4200];
	double end;

	me = &workers[i];
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (i < nr_workers)
		on_cpu(i);
	snprintf(dir, sizeof(dir), "%s/%d", et_dir, i);
	if (mkdir(dir, 0700) || chdir(dir) || mkdir("mnt", 0700) ||
	    unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		worker_fail(dir);
	memset(me, 0, sizeof(*me));
	me->tasks = 1;
	atomic_fetch_add(go + 1, 1);
	while (!atomic_load(go))
		usleep(1000);
	for (end = now() + seconds; now() < end || me->rounds <= ROUNDS_MIN; me->rounds++) {
		do_files();
		do_fds();
		if (me->rounds % 4 == 0)
			do_tasks();
		if (me->rounds % 32 == 0)
			do_mounts();
		/* The neighbours' calls are not recorded, so leave the time to the workers. */
		if (i >= nr_workers)
			usleep(20000);
	}
	me->done[Exit]++;
	_exit(0);
}

/* ---- the reader ------------------------------------------------------------------ */

static void count_line(struct et_task *t, const struct et_line *l)
{
	size_t len = strcspn(l->text, "|[");
	int i;

	(void)t;
	for (i = 0; i < NR_HEADS; i++)
		if (strlen(head_names[i]) == len &&
		    !memcmp(l->text, head_names[i], len))
			break;
	if (i == NR_HEADS) {
		FAIL("an unexpected line: %s", et_escape(l->text, l->len));
		return;
	}
	if (l->cpu < WORKERS_MAX)
		seen[l->cpu][i]++;
}

TEST(every_call_recorded_under_load)
{
	static const char * const losses[] = {
		"lost_records", "lost_disabled", "lost_tasks", "lost_fds",
		"strings_unread", "strings_untold", "strings_cut", "overwritten",
		"hooks_missed",
	};
	const char *text = getenv("ETRACE_LOAD_SECONDS");
	double seconds = text ? atof(text) : 10;
	pid_t pids[WORKERS_MAX + NEIGHBOURS];
	struct et_trace tr;
	int i, j, fd, status, alive;
	long tasks = 0, unread = 0, missing = 0, links = 0;
	char path[4096];

	nr_workers = sysconf(_SC_NPROCESSORS_ONLN);
	if (nr_workers < 2)
		et_note("only one processor: races are less likely to show");
	if (nr_workers > WORKERS_MAX)
		nr_workers = WORKERS_MAX;
	workers = mmap(NULL, sizeof(*workers) * (WORKERS_MAX + NEIGHBOURS),
		       PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	go = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		  -1, 0);
	if (workers == MAP_FAILED || go == MAP_FAILED)
		DIE("mmap: %m");

	fflush(stdout);
	for (i = 0; i < nr_workers + NEIGHBOURS; i++) {
		pids[i] = MUST(fork());
		if (!pids[i])
			work(i, seconds);
	}
	while (atomic_load(go + 1) < nr_workers + NEIGHBOURS) {
		if (waitpid(-1, &status, WNOHANG) > 0)
			DIE("a worker exited before it started");
		usleep(1000);
	}
	for (i = 0; i < nr_workers; i++)
		if (et_param_write_int("root_pid", pids[i]))
			DIE("root_pid=%d", pids[i]);

	et_trace_init(&tr);
	tr.keep = false;
	tr.line = count_line;
	fd = et_trace_open();
	atomic_store(go, 1);
	for (alive = nr_workers + NEIGHBOURS; alive; ) {
		et_trace_read(&tr, fd);
		if (waitpid(-1, &status, WNOHANG) <= 0)
			continue;
		alive--;
		EXPECT_EQ(status, 0);
	}
	et_param_write("root_pid", "0");
	et_trace_read(&tr, fd);
	close(fd);

	if (tr.bad)
		FAIL("%s", tr.bad);
	EXPECT_EQ(tr.lost, 0);
	for (i = 0; i < (int)ET_NELEMS(losses); i++) {
		/*
		 * BPF: link targets, or their directories, that were gone when they were looked
		 * up.
		 */
		if (et_bpf() && (!strcmp(losses[i], "strings_unread") ||
				 !strcmp(losses[i], "strings_untold")))
			unread += et_counter(losses[i]);
		else if (et_counter(losses[i]))
			FAIL("%s is %lld", losses[i], et_counter(losses[i]));
	}
	for (i = 0; i < nr_workers; i++) {
		tasks += workers[i].tasks;
		et_note("processor %d: %ld rounds, %ld tasks", i,
			workers[i].rounds, workers[i].tasks);
		EXPECT(workers[i].rounds > ROUNDS_MIN);
		for (j = 0; j < NR_HEADS; j++) {
			if (et_bpf() && j == SR) {
				missing += workers[i].done[j] - seen[i][j];
				links += workers[i].done[Symlink];
				continue;
			}
			if (seen[i][j] != workers[i].done[j])
				FAIL("processor %d: %ld lines %s, must be %ld", i,
				     seen[i][j], head_names[j], workers[i].done[j]);
		}
	}
	/* Everything that is missing has been counted. */
	if (et_bpf()) {
		et_note("of %ld links, %ld targets were not looked up in time",
			links, unread);
		EXPECT(missing >= 0 && missing <= unread && unread <= links);
	}
	EXPECT_EQ(tr.nr, tasks);
	et_note("%zu lines of %zu tasks", tr.lines, tr.nr);
	et_trace_free(&tr);
	for (i = 0; i < nr_workers + NEIGHBOURS; i++) {
		snprintf(path, sizeof(path), "%s/%d", et_dir, i);
		umount2(path, MNT_DETACH);
	}
}

int main(int argc, char **argv)
{
	ssize_t n = readlink("/proc/self/exe", helper, sizeof(helper) - 32);

	if (n < 0)
		et_skip_all("/proc/self/exe: no proc");
	helper[n] = '\0';
	strcpy(strrchr(helper, '/') + 1, "helper");
	return et_main_once(argc, argv, "trace_thread_names=1", 65536);
}
