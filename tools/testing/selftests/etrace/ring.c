// SPDX-License-Identifier: GPL-2.0
/*
 * Loss is never silent: whatever happens to the ring buffer, the events are as many as the
 * records that can be read, were lost or were overwritten. And other users of ftrace do no harm.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"

/* Calls of the traced child; each makes a record. */
static int rounds;		/* number of dup2 and close pairs */
static int opens;		/* number of opens and closes of a file with a long name */
static atomic_int *go;

static void child(const char *name)
{
	int i, fd;

	while (!atomic_load(go))
		usleep(1000);
	for (i = 0; i < rounds; i++) {
		syscall(SYS_dup2, STDIN_FILENO, 100);
		syscall(SYS_close, 100);
	}
	for (i = 0; i < opens; i++) {
		fd = open(name, O_RDONLY);
		syscall(SYS_close, fd);
	}
	_exit(0);
}

static pid_t child_start(void)
{
	pid_t pid;

	if (!go)
		go = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	atomic_store(go, 0);
	fflush(stdout);
	pid = MUST(fork());
	if (!pid)
		child(et_path("f"));
	if (et_param_write_int("root_pid", pid))
		DIE("root_pid=%d", pid);
	return pid;
}

static void child_run(void)
{
	pid_t pid = child_start();

	atomic_store(go, 1);
	MUST(waitpid(pid, NULL, 0));
	et_param_write("root_pid", "0");
}

/* Growth of the counters since counts_begin(). */
static long long begun[4];
enum { RECORDS, LOST, DISABLED, OVERWRITTEN };
static const char * const counters[] = {
	"records", "lost_records", "lost_disabled", "overwritten",
};

static void counts_begin(void)
{
	size_t i;

	for (i = 0; i < ET_NELEMS(counters); i++)
		begun[i] = et_counter(counters[i]);
}

static long long count(int which)
{
	return et_counter(counters[which]) - begun[which];
}

static size_t lines;

static void count_line(struct et_task *t, const struct et_line *l)
{
	(void)t;
	(void)l;
	lines++;
}

/* Read everything. Return: the number of lines, which is one per record for most kinds. */
static size_t read_all(size_t *lost)
{
	struct et_trace tr;
	int fd = et_trace_open();

	et_trace_init(&tr);
	tr.keep = false;
	tr.line = count_line;
	lines = 0;
	et_trace_read(&tr, fd);
	close(fd);
	if (tr.bad)
		FAIL("%s", tr.bad);
	*lost = tr.lost;
	et_trace_free(&tr);
	return lines;
}

static void setup(unsigned int kb, const char *overwrite)
{
	et_module_setup("", kb);
	if (et_instance_write("options/overwrite", overwrite))
		DIE("options/overwrite");
	et_file("f");
	counts_begin();
}

/* A full buffer refuses and counts new records, and keeps the old ones. */
TEST(buffer_full)
{
	long long events;
	size_t lost;

	setup(64, "0");
	rounds = 20000;
	opens = 0;
	events = 2 * rounds + 1;
	child_run();
	EXPECT(count(LOST) > 0, "the buffer never became full");
	EXPECT_EQ(count(RECORDS) + count(LOST), events);
	EXPECT_EQ(count(DISABLED), 0);
	EXPECT_EQ(count(OVERWRITTEN), 0);
	read_all(&lost);
	EXPECT_EQ(lines, count(RECORDS));
	EXPECT_EQ(lost, 0);

	/* After it has been read, it accepts records again. */
	counts_begin();
	rounds = 10;
	child_run();
	EXPECT_EQ(count(LOST), 0);
	EXPECT_EQ(count(RECORDS), 21);
	EXPECT_EQ(read_all(&lost), 21);
	et_module_teardown();
}

/* In overwrite mode, the oldest records are dropped and counted. */
TEST(buffer_overwritten)
{
	size_t lost;

	setup(64, "1");
	rounds = 20000;
	opens = 0;
	child_run();
	EXPECT_EQ(count(RECORDS), 2 * rounds + 1);
	EXPECT_EQ(count(LOST), 0);
	EXPECT(count(OVERWRITTEN) > 0, "the buffer never became full");
	EXPECT_EQ(count(OVERWRITTEN), et_instance_stat("overrun"));
	read_all(&lost);
	EXPECT_EQ(lines + count(OVERWRITTEN), count(RECORDS));
	EXPECT_EQ(lost, count(OVERWRITTEN));
	et_module_teardown();
}

/* The smallest buffer, and records that are large for it. */
TEST(smallest_buffer)
{
	long long events;
	size_t lost;
	char name[256];
	int i;

	setup(1, "0");
	memset(name, 'n', 250);
	name[250] = '\0';
	et_file(name);
	rounds = 1000;
	opens = 500;
	events = 2 * rounds + 2 * opens + 1;
	child_run();
	EXPECT_EQ(count(RECORDS) + count(LOST), events);
	read_all(&lost);
	/* An open has three lines, all other events have one. */
	EXPECT(lines >= (size_t)count(RECORDS) && lines <= 3 * (size_t)count(RECORDS));
	for (i = 0; i < 3; i++) {
		counts_begin();
		rounds = 5;
		opens = 0;
		child_run();
		EXPECT_EQ(count(RECORDS) + count(LOST), 11);
		EXPECT_EQ(read_all(&lost), count(RECORDS));
	}
	et_module_teardown();
}

/* Records count as lost when somebody switches the buffer off. */
TEST(buffer_switched_off)
{
	size_t lost;

	setup(1024, "1");
	rounds = 100;
	opens = 0;
	EXPECT_EQ(et_instance_write("tracing_on", "0"), 0);
	child_run();
	EXPECT_EQ(count(RECORDS), 0);
	EXPECT_EQ(count(LOST), 0);
	EXPECT_EQ(count(DISABLED), 201);
	EXPECT_EQ(et_instance_write("tracing_on", "1"), 0);
	child_run();
	EXPECT_EQ(count(RECORDS), 201);
	EXPECT_EQ(read_all(&lost), 201);
	et_module_teardown();
}

/* The same when somebody disables an event. */
TEST(event_disabled)
{
	size_t lost;

	setup(1024, "1");
	rounds = 100;
	opens = 0;
	EXPECT_EQ(et_instance_write("events/etrace/etrace_close/enable", "0"), 0);
	child_run();
	EXPECT_EQ(count(RECORDS), 101);
	EXPECT_EQ(count(LOST) + count(DISABLED), 100);
	EXPECT_EQ(read_all(&lost), 101);
	EXPECT_EQ(et_instance_write("events/etrace/enable", "0"), 0);
	counts_begin();
	child_run();
	EXPECT_EQ(count(RECORDS), 0);
	EXPECT_EQ(count(LOST) + count(DISABLED), 201);
	EXPECT_EQ(et_instance_write("events/etrace/enable", "1"), 0);
	counts_begin();
	child_run();
	EXPECT_EQ(count(RECORDS), 201);
	EXPECT_EQ(read_all(&lost), 201);
	et_module_teardown();
}

/* The instance is in use, so nobody can remove it. */
TEST(instance_cannot_be_removed)
{
	setup(1024, "1");
	EXPECT(rmdir(ET_TRACE_DIR) == -1 && errno == EBUSY, "%m");
	et_module_teardown();
}

/* ---- other users of ftrace -------------------------------------------------- */

/* Shared by the test and the stranger. */
static struct {
	atomic_int steps;	/* steps that the stranger has done */
	atomic_bool stop;	/* end after the current step */
} *shared;

static void top(const char *file, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), ET_TRACEFS "/%s", file);
	et_write_file(path, value);
	if (!shared)
		return;
	atomic_fetch_add(&shared->steps, 1);
	if (atomic_load(&shared->stop))
		_exit(0);
}

#define OTHER	ET_TRACEFS "/instances/other_user"

/* Everything that a stranger may do, at the top level and in its own instance. */
static void stranger(void)
{
	char buf[4096];
	int fd, i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		top("events/sched/enable", "1");
		top("events/etrace/enable", "1");
		top("tracing_on", "0");
		top("tracing_on", "1");
		top("set_event", "syscalls:*close");
		top("buffer_size_kb", "200");
		top("kprobe_events", "p:stranger security_path_rename");
		top("events/kprobes/enable", "1");
		top("set_ftrace_filter", "security_*");
		top("current_tracer", "function");
		mkdir(OTHER, 0755);
		et_write_file(OTHER "/events/etrace/enable", "1");
		top("snapshot", "1");
		fd = open(ET_TRACEFS "/trace_pipe", O_RDONLY | O_NONBLOCK);
		/* Limited, because reading causes new events. */
		for (i = 0; i < 20 && fd >= 0 && read(fd, buf, sizeof(buf)) > 0; i++)
			;
		close(fd);
		top("current_tracer", "nop");
		top("set_ftrace_filter", "");
		et_write_file(OTHER "/trace", "");
		et_write_file(OTHER "/set_event", "");
		rmdir(OTHER);
		top("events/kprobes/enable", "0");
		top("kprobe_events", "");
		top("buffer_size_kb", "100");
		top("set_event", "");
		top("events/etrace/enable", "0");
		top("snapshot", "0");
		top("trace", "");
	}
}

static void stranger_clean_up(void)
{
	top("current_tracer", "nop");
	top("set_ftrace_filter", "");
	et_write_file(OTHER "/set_event", "");
	rmdir(OTHER);
	top("events/enable", "0");
	top("kprobe_events", "");
	top("snapshot", "0");
	top("tracing_on", "1");
	top("trace", "");
}

TEST(other_users_of_ftrace)
{
	long long events = 0;
	size_t lost;
	pid_t pid;
	int i;

	setup(8192, "0");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		DIE("mmap: %m");
	fflush(stdout);
	pid = MUST(fork());
	if (!pid)
		stranger();
	rounds = 2000;
	opens = 0;
	for (i = 0; i < 5; i++) {
		int step = atomic_load(&shared->steps);

		child_run();
		events += 2 * rounds + 1;
		/* Let the stranger get to another step before the next round. */
		EXPECT(ET_UNTIL(atomic_load(&shared->steps) > step + 3), "the other user is stuck");
	}
	/*
	 * Do not kill the stranger: the kernel prints a warning when a task is killed while it
	 * creates an instance ("failed to allocate ring buffer on CPU 1").
	 */
	atomic_store(&shared->stop, true);
	MUST(waitpid(pid, NULL, 0));
	munmap(shared, sizeof(*shared));
	shared = NULL;
	EXPECT_EQ(count(RECORDS), events);
	EXPECT_EQ(count(LOST), 0);
	EXPECT_EQ(count(DISABLED), 0);
	read_all(&lost);
	EXPECT_EQ(lines, events);
	stranger_clean_up();
	et_module_teardown();
}

/* The module is unloaded while a stranger listens to its events. */
TEST(unload_while_events_are_read)
{
	pid_t pid;
	int err, i;

	for (i = 0; i < 3; i++) {
		et_module_setup("", 1024);
		rounds = 1000000000;
		opens = 0;
		pid = child_start();
		atomic_store(go, 1);
		top("events/etrace/enable", "1");
		mkdir(OTHER, 0755);
		et_write_file(OTHER "/events/etrace/enable", "1");
		EXPECT(ET_UNTIL(et_counter("records") > 100));
		/* A listener that has an event's file open may pin the module. */
		err = et_module_unload();
		EXPECT_EQ(err, 0);
		if (!err)
			MUST(rmdir(ET_TRACE_DIR));
		kill(pid, SIGKILL);
		MUST(waitpid(pid, NULL, 0));
		top("set_event", "");
		rmdir(OTHER);
	}
}

int main(int argc, char **argv)
{
	if (et_bpf())
		et_skip_all("this tests the module's ring buffer");
	return et_main(argc, argv, NULL);
}
