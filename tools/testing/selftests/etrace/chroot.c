// SPDX-License-Identifier: GPL-2.0
/* Chroot, CR, ChrootFailed: chroot. The path of the new root is that in the old one. */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static void want_root(const char *path)
{
	want_named("Chroot", "CR", path, "%s", "");
}

static void do_chroot(void)
{
	CHILD_MUST(et_sys(SYS_chroot, "./link/.."));
	want_root(et_path("d"));
	CHILD_MUST(et_sys(SYS_chroot, "/e/."));
	want_root("/e");
	CHILD_MUST(et_sys(SYS_chroot, "/.."));
	want_root("/");
	/* The working directory is still outside the new root. */
	CHILD_MUST(et_sys(SYS_chroot, "."));
	want_root(et_dir);
	want_extended("Marks|joined=,unread=,cut=,outside=CR");
}

TEST(chroot)
{
	et_mkdir("d");
	et_mkdir("d/e");
	MUST(symlink("d/e", et_path("link")));
	et_traced(do_chroot);
}

static void do_failed(void)
{
	static const char root[] = { '/', 0 };

	CHILD_MUST_FAIL(et_sys(SYS_chroot, "nothing"), ENOENT);
	want_root(NULL);
	want_named_failed("Chroot", NULL, ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_chroot, "a"), ENOTDIR);
	want_root(NULL);
	want_named_failed("Chroot", NULL, ENOTDIR);
	CHILD_MUST(et_sys(SYS_setresuid, -1L, 65534L, -1L));
	CHILD_MUST_FAIL(et_sys(SYS_chroot, root), EPERM);
	want_root("/");
	want_named_failed("Chroot", "CR", EPERM);
}

TEST(failed)
{
	et_file("a");
	et_traced(do_failed);
}

int main(int argc, char **argv)
{
	et_facts = "CHROOT";
	return et_main(argc, argv, "");
}
