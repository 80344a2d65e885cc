// SPDX-License-Identifier: GPL-2.0
/*
 * The longest time that a call keeps others off the CPU: in a guest with one CPU, a
 * preemptible kernel and a clock that counts instructions, a real-time thread wakes up
 * periodically while another thread makes the call. The largest delay of a wake-up is the
 * result, in instructions.
 *
 *	stretch		prints "EXEC CLOSE_RANGE": an execve with nearly 6 MB of
 *			arguments, and close_range of a million descriptors
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PERIOD	50000		/* instructions between two wake-ups */
#define ARG	120000		/* bytes per argument: the kernel accepts 128 KiB */
#define NARGS	49
#define FDS	1000000

static atomic_bool stop;
static atomic_bool *armed;	/* the call is in progress; shared memory */
static long long worst;

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void *watch(void *arg)
{
	long long next = now() + PERIOD, late;
	struct timespec ts;

	while (!atomic_load(&stop)) {
		ts.tv_sec = next / 1000000000;
		ts.tv_nsec = next % 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
		late = now() - next;
		if (late > worst && atomic_load(armed))
			worst = late;
		next = now() + PERIOD;
	}
	return arg;
}

static void exec_long(void)
{
	static char *argv[NARGS + 2], *envp[] = { NULL };
	int i;

	argv[0] = "true";
	for (i = 1; i <= NARGS; i++) {
		argv[i] = malloc(ARG + 1);
		memset(argv[i], 'a', ARG);
		argv[i][ARG] = '\0';
	}
	atomic_store(armed, true);
	execve("/bin/true", argv, envp);
	perror("/bin/true");
	_exit(1);
}

static void close_many(void)
{
	int i, null = open("/dev/null", O_RDONLY);

	for (i = 0; i < FDS - 100; i++)
		if (dup(null) < 0) {
			perror("dup");
			_exit(1);
		}
	atomic_store(armed, true);
	syscall(SYS_close_range, 3, ~0U, 0);
	atomic_store(armed, false);
	_exit(0);
}

static long long stretch(void (*fn)(void))
{
	struct sched_param high = { .sched_priority = 50 };
	pthread_attr_t attr;
	pthread_t thread;
	int status;
	pid_t pid;

	worst = 0;
	stop = false;
	atomic_store(armed, false);
	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &high);
	if (pthread_create(&thread, &attr, watch, NULL)) {
		perror("SCHED_FIFO");
		exit(1);
	}
	pid = fork();
	if (!pid)
		fn();
	if (waitpid(pid, &status, 0) != pid || status) {
		fprintf(stderr, "the call failed\n");
		exit(1);
	}
	stop = true;
	pthread_join(thread, NULL);
	return worst;
}

int main(void)
{
	struct rlimit stack = { 64 << 20, 64 << 20 }, files = { FDS, FDS };
	long long args, fds;

	armed = mmap(NULL, sizeof(*armed), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (armed == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	setrlimit(RLIMIT_STACK, &stack);
	if (setrlimit(RLIMIT_NOFILE, &files)) {
		perror("RLIMIT_NOFILE");
		return 1;
	}
	args = stretch(exec_long);
	fds = stretch(close_many);
	printf("%lld %lld\n", args, fds);
	return 0;
}
