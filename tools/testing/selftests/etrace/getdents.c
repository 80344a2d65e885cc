// SPDX-License-Identifier: GPL-2.0
/*
 * Getdents, GD: getdents and getdents64. In root_pid's tree, recorded only with the parameters
 * extended and record=dirs.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

/* Descriptors already open in the child. */
#define DIR_FD	100
#define FILE_FD	101

static char buf[32768];

static void list(long call)
{
	long n;

	do {
		n = CHILD_MUST(et_sys(call, DIR_FD, buf, sizeof(buf)));
		want_extended("Getdents|fnamesize=%zu,fd=%d,bytes=%ld", strlen(et_path("d")),
			      DIR_FD, n);
		want_extended("GD|%s", et_path("d"));
	} while (n > 0);
}

static void do_list(void)
{
	list(SYS_getdents64);
	CHILD_MUST(lseek(DIR_FD, 0, SEEK_SET));
	list(SYS_getdents);
	CHILD_MUST_FAIL(et_sys(SYS_getdents64, FILE_FD, buf, sizeof(buf)), ENOTDIR);
	CHILD_MUST_FAIL(et_sys(SYS_getdents64, 12345, buf, sizeof(buf)), EBADF);
	CHILD_MUST(lseek(DIR_FD, 0, SEEK_SET));
	CHILD_MUST_FAIL(et_sys(SYS_getdents64, DIR_FD, buf, 1), EINVAL);
	/* Probes are not recorded without record=probes. */
	CHILD_MUST_FAIL(et_sys(SYS_access, "absent", F_OK), ENOENT);
}

TEST(list)
{
	et_mkdir("d");
	et_file("d/one");
	et_file("d/two");
	MUST(dup2(MUST(open(et_path("d"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), DIR_FD));
	MUST(dup2(MUST(open(et_path("d/one"), O_RDONLY | O_CLOEXEC)), FILE_FD));
	et_traced(do_list);
	MUST(close(DIR_FD));
	MUST(close(FILE_FD));
}

int main(int argc, char **argv)
{
	et_facts = "GETDENTS ACCESS";
	return et_main(argc, argv, "record=dirs");
}
