// SPDX-License-Identifier: GPL-2.0
/*
 * Readlink, PL, PT, ReadlinkFailed: readlink and readlinkat. In root_pid's tree, recorded only
 * with the parameters extended and record=probes.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

static char buf[4096];

static void want_readlink(const char *path, const char *target)
{
	want_extended("Readlink|linknamesize=%zu,targetnamesize=%zu", strlen(path),
		      strlen(target));
	want_extended("PL|%s", path);
	want_extended("PT|%s", target);
}

static void want_failed(const char *path, int err)
{
	want_extended("Readlink|linknamesize=%zu", strlen(path));
	want_extended("PL|%s", path);
	want_extended("ReadlinkFailed|");
	want_extended("Failed|error=%d", err);
}

static void do_readlink(void)
{
	CHILD_MUST(et_sys(SYS_readlink, "link", buf, sizeof(buf)));
	want_readlink(et_path("link"), "no/such target");
	CHILD_MUST(et_sys(SYS_readlink, et_path("link"), buf, sizeof(buf)));
	want_readlink(et_path("link"), "no/such target");
	/* As much of the target as the caller got. */
	CHILD_MUST(et_sys(SYS_readlink, "link", buf, 4));
	want_readlink(et_path("link"), "no/s");
	CHILD_MUST_FAIL(et_sys(SYS_readlink, "absent", buf, sizeof(buf)), ENOENT);
	want_failed(et_path("absent"), ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_readlink, "a", buf, sizeof(buf)), EINVAL);
	want_failed(et_path("a"), EINVAL);
	CHILD_MUST_FAIL(et_sys(SYS_readlink, "", buf, sizeof(buf)), ENOENT);
	want_failed(et_path(""), ENOENT);
	CHILD_MUST_FAIL(et_sys(SYS_readlink, "link", (char *)8, sizeof(buf)), EFAULT);
	want_failed(et_path("link"), EFAULT);
	CHILD_MUST_FAIL(et_sys(SYS_readlink, (char *)8, buf, sizeof(buf)), EFAULT);
	want_extended("Readlink|");
	want_extended("ReadlinkFailed|");
	want_extended("Failed|error=%d", EFAULT);
}

TEST(readlink)
{
	et_file("a");
	MUST(symlink("no/such target", et_path("link")));
	et_traced(do_readlink);
}

/* Descriptors already open in the child. */
#define DIR_FD	100
#define LINK_FD	101

static void do_at(void)
{
	CHILD_MUST(et_sys(SYS_readlinkat, DIR_FD, "link", buf, sizeof(buf)));
	want_readlink(et_path("d/link"), "../a");
	CHILD_MUST_FAIL(et_sys(SYS_readlinkat, 12345, "link", buf, sizeof(buf)), EBADF);
	want_failed("link", EBADF);
	/* The link that the descriptor refers to. */
	CHILD_MUST(et_sys(SYS_readlinkat, LINK_FD, "", buf, sizeof(buf)));
	want_readlink(et_path("d/link"), "../a");
	CHILD_MUST_FAIL(et_sys(SYS_readlinkat, DIR_FD, "", buf, sizeof(buf)), ENOENT);
	want_failed(et_path("d/"), ENOENT);
}

TEST(at)
{
	et_mkdir("d");
	MUST(symlink("../a", et_path("d/link")));
	MUST(dup2(MUST(open(et_path("d"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), DIR_FD));
	MUST(dup2(MUST(open(et_path("d/link"), O_PATH | O_NOFOLLOW | O_CLOEXEC)), LINK_FD));
	et_traced(do_at);
	MUST(close(DIR_FD));
	MUST(close(LINK_FD));
}

#define LONG	1000
#define PART	900		/* bytes, by the line format */

static char long_text[LONG + 1];

/* The text ends at the end of mapped memory and has no null byte. */
static void do_long(void)
{
	char *room = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED || munmap(room + 4096, 4096))
		CHILD_FAIL("mmap: %m");
	CHILD_MUST(et_sys(SYS_readlink, "long", room + 4096 - LONG, LONG));
	want_extended("Readlink|linknamesize=%zu,targetnamesize=%d", strlen(et_path("long")), LONG);
	want_extended("PL|%s", et_path("long"));
	want_extended("PT[0]%.*s", PART, long_text);
	want_extended("PT[1]%s", long_text + PART);
	want_extended("PT_end|");
}

TEST(long_text)
{
	memset(long_text, 'x', LONG);
	MUST(symlink(long_text, et_path("long")));
	et_traced(do_long);
}

int main(int argc, char **argv)
{
	et_facts = "READLINK";
	return et_main(argc, argv, "record=probes");
}
