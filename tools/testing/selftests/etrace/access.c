// SPDX-License-Identifier: GPL-2.0
/*
 * Access, PA, AccessFailed: access, faccessat and faccessat2 of a path. In root_pid's tree,
 * recorded only with the parameters extended and record=probes.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static void want_access(const char *path, int mode, unsigned int flags)
{
	want_extended("Access|fnamesize=%zu,mode=%d,flags=%u", strlen(path), mode, flags);
	want_extended("PA|%s", path);
}

static void want_failed(const char *path, int mode, unsigned int flags, int err)
{
	want_access(path, mode, flags);
	want_extended("AccessFailed|");
	want_extended("Failed|error=%d", err);
}

static void do_access(void)
{
	CHILD_MUST(et_sys(SYS_access, "a", R_OK | W_OK));
	want_access(et_path("a"), R_OK | W_OK, 0);
	CHILD_MUST(et_sys(SYS_access, et_path("a"), F_OK));
	want_access(et_path("a"), F_OK, 0);
	CHILD_MUST_FAIL(et_sys(SYS_access, "absent", F_OK), ENOENT);
	want_failed(et_path("absent"), F_OK, 0, ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_access, "a", X_OK), EACCES);
	want_failed(et_path("a"), X_OK, 0, EACCES);
	CHILD_MUST_FAIL(et_sys(SYS_access, "a", 0100), EINVAL);
	want_failed(et_path("a"), 0100, 0, EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_access, (char *)8, R_OK), EFAULT);
	want_extended("Access|mode=%d,flags=0", R_OK);
	want_extended("AccessFailed|");
	want_extended("Failed|error=%d", EFAULT);
}

TEST(access)
{
	et_file("a");
	et_traced(do_access);
}

/* A descriptor already open in the child. */
#define DIR_FD	100

static void do_at(void)
{
	CHILD_MUST(et_sys(SYS_faccessat, DIR_FD, "x", R_OK));
	want_access(et_path("d/x"), R_OK, 0);
	CHILD_MUST_FAIL(et_sys(SYS_faccessat, 12345, "x", R_OK), EBADF);
	want_failed("x", R_OK, 0, EBADF);
	CHILD_MUST(et_sys(SYS_faccessat2, DIR_FD, "../d", X_OK, AT_EACCESS));
	want_access(et_path("d/../d"), X_OK, AT_EACCESS);
	CHILD_MUST_FAIL(et_sys(SYS_faccessat2, AT_FDCWD, et_path("d"), X_OK, 0x100000), EINVAL);
	want_failed(et_path("d"), X_OK, 0x100000, EINVAL);
	/* Not recorded: the call asks for a descriptor, not for a path. */
	CHILD_MUST(et_sys(SYS_faccessat2, DIR_FD, "", X_OK, AT_EMPTY_PATH));
}

TEST(at)
{
	et_mkdir("d");
	et_file("d/x");
	MUST(dup2(MUST(open(et_path("d"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), DIR_FD));
	et_traced(do_at);
	MUST(close(DIR_FD));
}

int main(int argc, char **argv)
{
	et_facts = "ACCESS";
	return et_main(argc, argv, "record=probes");
}
