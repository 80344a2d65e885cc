// SPDX-License-Identifier: GPL-2.0
/* Memfd, MF: memfd_create. In root_pid's tree, recorded only with the parameter extended. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static void want_memfd(const char *name, unsigned int flags, int fd)
{
	want_extended("Memfd|namesize=%zu,flags=%u,fd=%d", strlen(name), flags, fd);
	want_extended("MF|%s", name);
}

static void do_memfd(void)
{
	char name[251];
	int fd;

	fd = CHILD_MUST(et_sys(SYS_memfd_create, "one", 0));
	want_memfd("one", 0, fd);
	fd = CHILD_MUST(et_sys(SYS_memfd_create, "a b/c", MFD_CLOEXEC | MFD_ALLOW_SEALING));
	want_memfd("a b/c", MFD_CLOEXEC | MFD_ALLOW_SEALING, fd);
	/* The same name, but another file. */
	fd = CHILD_MUST(et_sys(SYS_memfd_create, "one", MFD_CLOEXEC));
	want_memfd("one", MFD_CLOEXEC, fd);
	fd = CHILD_MUST(et_sys(SYS_memfd_create, "", 0));
	want_memfd("", 0, fd);
	memset(name, 'x', 249);
	name[249] = 0;
	fd = CHILD_MUST(et_sys(SYS_memfd_create, name, 0));
	want_memfd(name, 0, fd);
	memset(name, 'x', 250);
	name[250] = 0;
	CHILD_MUST_FAIL(et_sys(SYS_memfd_create, name, 0), EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_memfd_create, "one", 0x4000), EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_memfd_create, (char *)8, 0), EFAULT);
}

TEST(memfd)
{
	et_traced(do_memfd);
}

static void do_lines(void)
{
	int fd = CHILD_MUST(et_sys(SYS_memfd_create, "a\nb", 0));

	want_extended("Memfd|namesize=3,flags=0,fd=%d", fd);
	want_extended("MF|a");
	want_extended("Cont|b");
	want_extended("Cont_end|");
}

TEST(two_lines)
{
	et_traced(do_lines);
}

int main(int argc, char **argv)
{
	et_facts = "MEMFD";
	return et_main(argc, argv, "");
}
