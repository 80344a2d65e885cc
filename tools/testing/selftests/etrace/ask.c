// SPDX-License-Identifier: GPL-2.0
/* Ask, AN: getrandom, uname, sched_getaffinity, sysinfo. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static void do_random(void)
{
	static char bytes[5000];

	CHILD_MUST(et_sys(SYS_getrandom, bytes, 8L, (long)GRND_NONBLOCK));
	want_extended("Ask|call=0,value=8,flags=%d", GRND_NONBLOCK);
	CHILD_MUST(et_sys(SYS_getrandom, bytes, sizeof(bytes), 0L));
	want_extended("Ask|call=0,value=%zu,flags=0", sizeof(bytes));
	CHILD_MUST(et_sys(SYS_getrandom, bytes, 0L, 0L));
	want_extended("Ask|call=0,value=0,flags=0");
	/* A call that fails tells the program nothing. */
	CHILD_MUST_FAIL(et_sys(SYS_getrandom, bytes, 8L, 1L << 20), EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_getrandom, 8L, 8L, 0L), EFAULT);
}

static void want_uname(const char *name)
{
	want_extended("Ask|namesize=%zu,call=1,value=0,flags=0", strlen(name));
	want_extended("AN|%s", name);
}

static void do_uname(void)
{
	static const char longest[] =
		"a23456789b23456789c23456789d23456789e23456789f23456789g234567890";
	struct utsname names;

	CHILD_MUST(et_sys(SYS_uname, &names));
	want_uname(names.nodename);
	/* The name is that of the task's UTS namespace. */
	CHILD_MUST(unshare(CLONE_NEWUTS));
	CHILD_MUST(sethostname(longest, strlen(longest)));
	CHILD_MUST(et_sys(SYS_uname, &names));
	want_uname(longest);
	CHILD_MUST(sethostname("b", 1));
	CHILD_MUST(et_sys(SYS_uname, &names));
	want_uname("b");
	CHILD_MUST_FAIL(et_sys(SYS_uname, 8L), EFAULT);
}

/* Want the CPUs of a set that has room for @bytes bytes; the call returns how many it wrote. */
static void want_cpus(cpu_set_t *set, size_t bytes)
{
	CPU_ZERO(set);
	CHILD_MUST(et_sys(SYS_sched_getaffinity, 0L, bytes, set));
	want_extended("Ask|call=2,value=%d,flags=0", CPU_COUNT(set));
}

static void do_affinity(void)
{
	cpu_set_t set;
	int cpu;

	want_cpus(&set, sizeof(set));
	want_cpus(&set, 64);
	for (cpu = 0; !CPU_ISSET(cpu, &set);)
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHILD_MUST(sched_setaffinity(0, sizeof(set), &set));
	memset(&set, 0xff, sizeof(set));
	CHILD_MUST(et_sys(SYS_sched_getaffinity, 0L, sizeof(set), &set));
	want_extended("Ask|call=2,value=1,flags=0");
	CHILD_MUST_FAIL(et_sys(SYS_sched_getaffinity, 0L, 1L, &set), EINVAL);
}

static void do_sysinfo(void)
{
	struct sysinfo info;

	CHILD_MUST(et_sys(SYS_sysinfo, &info));
	want_extended("Ask|call=3,value=0,flags=0");
	CHILD_MUST_FAIL(et_sys(SYS_sysinfo, 8L), EFAULT);
}

TEST(getrandom)
{
	et_traced(do_random);
}

TEST(uname)
{
	et_traced(do_uname);
}

TEST(sched_getaffinity)
{
	et_traced(do_affinity);
}

TEST(sysinfo)
{
	et_traced(do_sysinfo);
}

int main(int argc, char **argv)
{
	et_facts = "ASK";
	return et_main(argc, argv, "");
}
