// SPDX-License-Identifier: GPL-2.0
/* Cases and their results, as KTAP. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "etrace_test.h"

bool et_extended;
bool et_int80;

static struct et_case *cases;
static struct et_case **cases_end = &cases;
static unsigned int failures;		/* of the running case */
static bool skipped;

void et_case_add(struct et_case *c)
{
	*cases_end = c;
	cases_end = &c->next;
}

static void diagnose(const char *file, int line, const char *fmt, va_list args)
{
	printf("# ");
	if (file)
		printf("%s:%d: ", strrchr(file, '/') ? strrchr(file, '/') + 1 : file,
		       line);
	vprintf(fmt, args);
	printf("\n");
	fflush(stdout);
}

void et_fail(const char *file, int line, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	diagnose(file, line, fmt, args);
	va_end(args);
	failures++;
}

void et_note(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	diagnose(NULL, 0, fmt, args);
	va_end(args);
}

void et_skip(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	diagnose(NULL, 0, fmt, args);
	va_end(args);
	skipped = true;
}

void et_skip_all(const char *fmt, ...)
{
	va_list args;

	printf("1..0 # SKIP ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	exit(KSFT_SKIP);
}

void et_die(const char *file, int line, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	diagnose(file, line, fmt, args);
	va_end(args);
	printf("Bail out!\n");
	fflush(stdout);
	et_module_unload();
	_exit(KSFT_FAIL);
}

#ifdef __i386__
static long int80(const long *a)
{
	long ret;

	/* The sixth argument is passed in the frame pointer. */
	asm volatile("push %%ebp\n\t"
		     "mov 24(%%eax), %%ebp\n\t"
		     "mov (%%eax), %%eax\n\t"
		     "int $0x80\n\t"
		     "pop %%ebp"
		     : "=a" (ret)
		     : "a" (a), "b" (a[1]), "c" (a[2]), "d" (a[3]), "S" (a[4]),
		       "D" (a[5])
		     : "memory");
	if (ret < 0 && ret >= -4095) {
		errno = -ret;
		return -1;
	}
	return ret;
}
#endif

void et_on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	MUST(sched_setaffinity(0, sizeof(set), &set));
}

long et_sys(long nr, ...)
{
	long a[7] = { nr };
	va_list args;
	int i;

	va_start(args, nr);
	for (i = 1; i < 7; i++)
		a[i] = va_arg(args, long);
	va_end(args);
#ifdef __i386__
	if (et_int80)
		return int80(a);
#endif
	return syscall(nr, a[1], a[2], a[3], a[4], a[5], a[6]);
}

void et_refuse(unsigned int nr, unsigned int first, unsigned int error)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { ET_NELEMS(rules), rules };

	CHILD_MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHILD_MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
}

static const struct variant {
	const char *suffix;
	bool extended;
	bool int80;
} variants[] = {
	{ "", false, false },
#ifdef __i386__
	{ "_int80_extended", true, true },
#else
	{ "_extended", true, false },
#endif
};

static int run_cases(int argc, char **argv, const char *params,
		     unsigned int kb, size_t nr_variants)
{
	unsigned int n = 0, passed = 0, failed = 0, skips = 0;
	const struct variant *v;
	struct et_case *c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	/* Orphans of the workloads become children of this program, which waits for them. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	printf("TAP version 13\n");
	if (geteuid())
		et_skip_all("must be root");
	if (access(ET_TRACEFS "/instances", F_OK))
		et_skip_all("no " ET_TRACEFS " with instances: mount tracefs there");
	if (!et_module_path())
		et_skip_all("no etrace.ko: set ETRACE_MODULE to its path");

	for (c = cases; c; c = c->next)
		if (argc < 2 || strstr(c->name, argv[1]))
			n += nr_variants;
	printf("1..%u\n", n);
	if (params)
		et_module_setup(params, kb);

	n = 0;
	for (v = variants; v < variants + nr_variants; v++) {
		et_extended = v->extended;
		et_int80 = v->int80;
		if (params)
			et_param_write("extended", et_extended ? "Y" : "N");
		for (c = cases; c; c = c->next) {
			if (argc >= 2 && !strstr(c->name, argv[1]))
				continue;
			failures = 0;
			skipped = false;
			et_dir_new();
			c->fn();
			n++;
			if (failures) {
				printf("not ok %u %s%s\n", n, c->name, v->suffix);
				failed++;
			} else if (skipped) {
				printf("ok %u %s%s # SKIP\n", n, c->name, v->suffix);
				skips++;
			} else {
				printf("ok %u %s%s\n", n, c->name, v->suffix);
				passed++;
			}
		}
	}
	if (params)
		et_module_teardown();
	printf("# Totals: pass:%u fail:%u xfail:0 xpass:0 skip:%u error:0\n",
	       passed, failed, skips);
	return failed ? KSFT_FAIL : passed ? KSFT_PASS : KSFT_SKIP;
}

int et_main(int argc, char **argv, const char *params)
{
	et_module_share(params);
	return run_cases(argc, argv, params, 4096,
			 params ? ET_NELEMS(variants) : 1);
}

int et_main_once(int argc, char **argv, const char *params, unsigned int kb)
{
	et_module_share(NULL);
	return run_cases(argc, argv, params, kb, 1);
}
