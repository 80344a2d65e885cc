// SPDX-License-Identifier: GPL-2.0
/* Unshare, UnshareFailed: unshare. */
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static void do_unshare(void)
{
	CHILD_MUST(et_sys(SYS_unshare, 0L));
	want_extended("Unshare|flags=0");
	CHILD_MUST(et_sys(SYS_unshare, CLONE_FS | CLONE_NEWUTS));
	want_extended("Unshare|flags=%d", CLONE_FS | CLONE_NEWUTS);
	CHILD_MUST_FAIL(et_sys(SYS_unshare, 1L), EINVAL);
	want_extended("Unshare|flags=1");
	want_named_failed("Unshare", NULL, EINVAL);
	/* All bits that the call accepts as an argument. */
	CHILD_MUST_FAIL(et_sys(SYS_unshare, -1L), EINVAL);
	want_extended("Unshare|flags=%lu", -1UL);
	want_named_failed("Unshare", NULL, EINVAL);
}

TEST(unshare)
{
	et_traced(do_unshare);
}

int main(int argc, char **argv)
{
	et_facts = "UNSHARE";
	return et_main(argc, argv, "");
}
