// SPDX-License-Identifier: GPL-2.0
/* PivotRoot, NR, PO, PivotRootFailed: pivot_root. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static void want_pivot(const char *new_root, const char *put_old)
{
	want_extended("PivotRoot|newnamesize=%zu,oldnamesize=%zu", strlen(new_root),
		      strlen(put_old));
	want_extended("NR|%s", new_root);
	want_extended("PO|%s", put_old);
}

static void want_failed(int err)
{
	want_named_failed("PivotRoot", NULL, err);
}

/* In its own mount namespace. */
static void do_pivot(void)
{
	CHILD_MUST(et_sys(SYS_unshare, CLONE_NEWNS));
	want_extended("Unshare|flags=%d", CLONE_NEWNS);
	/* The new root is not a mount point; the old one is not below it. */
	CHILD_MUST_FAIL(et_sys(SYS_pivot_root, "d", "./d/../new"), EINVAL);
	want_pivot(et_path("d"), et_path("new"));
	want_failed(EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_pivot_root, "new", "nothing"), ENOENT);
	want_extended("PivotRoot|");
	want_failed(ENOENT);
	CHILD_MUST(et_sys(SYS_pivot_root, "./new/", "new/old/."));
	want_pivot(et_path("new"), et_path("new/old"));
	/* The old root is now below the new one. */
	CHILD_MUST(et_sys(SYS_chroot, "/old"));
	want_named("Chroot", "CR", "/old", "%s", "");
}

TEST(pivot_root)
{
	et_mkdir("d");
	et_mkdir("new");
	MUST(mount("tmpfs", et_path("new"), "tmpfs", 0, NULL));
	et_mkdir("new/old");
	et_traced(do_pivot);
	MUST(umount(et_path("new")));
}

/* The call fails before the kernel looks at the names. */
static void do_refused(void)
{
	char root[] = "/", tmp[] = "/tmp";	/* in memory, although nobody reads them */

	CHILD_MUST(et_sys(SYS_setresuid, -1L, 65534L, -1L));
	CHILD_MUST_FAIL(et_sys(SYS_pivot_root, root, tmp), EPERM);
	want_pivot("/", "/tmp");
	want_extended("PivotRootFailed|");
	want_extended("Failed|error=%d", EPERM);
	want_extended("Marks|joined=NR+PO,unread=,cut=");
	if (et_extended || et_bpf())
		want_joined(2);
}

TEST(refused)
{
	et_traced(do_refused);
}

int main(int argc, char **argv)
{
	et_facts = "PIVOT UNSHARE CHROOT";
	return et_main(argc, argv, "");
}
