// SPDX-License-Identifier: GPL-2.0
/* Mount, Umount, MS, MT, MX and their failures: mount, move_mount, umount and umount2. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#ifndef SYS_umount
#define SYS_umount	(-1)	/* 32 bits only */
#endif

static void want_mount(const char *source, const char *target,
		       const char *type, unsigned long flags)
{
	char line[200];
	int n = 0;

	n += sprintf(line + n, "Mount|");
	if (source)
		n += sprintf(line + n, "sourcenamesize=%zu,", strlen(source));
	n += sprintf(line + n, "targetnamesize=%zu,", strlen(target));
	if (type)
		n += sprintf(line + n, "typenamesize=%zu,", strlen(type));
	sprintf(line + n, "flags=%lu", flags);
	want("%s", line);
	if (source)
		want("MS|%s", source);
	want("MT|%s", target);
	if (type)
		want("MX|%s", type);
}

static void want_mount_failed(int err, bool joined)
{
	want("MountFailed|");
	want_extended("Failed|error=%d", err);
	if (joined) {
		want_extended("Marks|joined=MT,unread=,cut=");
		want_joined(1);
	}
}

static void want_umount(const char *target, unsigned int flags)
{
	want("Umount|targetnamesize=%zu,flags=%u", strlen(target), flags);
	want("MT|%s", target);
}

static void want_umount_failed(int err, bool joined)
{
	want("UmountFailed|");
	want_extended("Failed|error=%d", err);
	if (joined) {
		want_extended("Marks|joined=MT,unread=,cut=");
		want_joined(1);
	}
}

/* The mounts go away with the child's mount namespace. */
static void own_mounts(void)
{
	CHILD_MUST(unshare(CLONE_NEWNS));
}

static void do_mount(void)
{
	own_mounts();
	CHILD_MUST(et_sys(SYS_mount, "a source", "mnt", "tmpfs", 0, NULL));
	want_mount("a source", et_path("mnt"), "tmpfs", 0);
	CHILD_MUST(et_sys(SYS_mount, "tmpfs", "to_mnt2", "tmpfs",
			  MS_NOSUID | MS_NODEV | MS_RDONLY, "size=1M"));
	want_mount("tmpfs", et_path("mnt2"), "tmpfs",
		   MS_NOSUID | MS_NODEV | MS_RDONLY);
	/* An empty source is recorded, too. */
	CHILD_MUST(et_sys(SYS_mount, "", et_path("mnt2"), "tmpfs", 0, NULL));
	want_mount("", et_path("mnt2"), "tmpfs", 0);
	CHILD_MUST(et_sys(SYS_mount, NULL, "mnt2", "tmpfs", 0, NULL));
	want_mount(NULL, et_path("mnt2"), "tmpfs", 0);
	/* The old magic number is part of the flags. */
	CHILD_MUST(et_sys(SYS_mount, "proc", "./d/../mnt", "proc", MS_MGC_VAL, NULL));
	want_mount("proc", et_path("mnt"), "proc", MS_MGC_VAL);
}

TEST(mount)
{
	et_mkdir("mnt");
	et_mkdir("mnt2");
	et_mkdir("d");
	MUST(symlink("mnt2", et_path("to_mnt2")));
	et_traced(do_mount);
}

/* Without a type or a source. */
static void do_bind(void)
{
	own_mounts();
	/* The source is as passed: it need not be a path. */
	CHILD_MUST(et_sys(SYS_mount, "./d/../d", "mnt", NULL, MS_BIND, NULL));
	want_mount("./d/../d", et_path("mnt"), NULL, MS_BIND);
	CHILD_MUST(et_sys(SYS_mount, NULL, "mnt", NULL, MS_BIND | MS_REMOUNT |
			  MS_RDONLY, NULL));
	want_mount(NULL, et_path("mnt"), NULL, MS_BIND | MS_REMOUNT | MS_RDONLY);
	CHILD_MUST(et_sys(SYS_mount, "none", "mnt", NULL, MS_PRIVATE | MS_REC, NULL));
	want_mount("none", et_path("mnt"), NULL, MS_PRIVATE | MS_REC);
	CHILD_MUST(et_sys(SYS_mount, et_path("f"), "g", "ignored", MS_BIND, NULL));
	want_mount(et_path("f"), et_path("g"), "ignored", MS_BIND);
	CHILD_MUST(et_sys(SYS_mount, "mnt", "d2", NULL, MS_MOVE, NULL));
	want_mount("mnt", et_path("d2"), NULL, MS_MOVE);
}

TEST(bind_remount_move)
{
	et_mkdir("mnt");
	et_mkdir("d");
	et_mkdir("d2");
	et_file("f");
	et_file("g");
	et_traced(do_bind);
}

static void do_mount_failed(void)
{
	own_mounts();
	CHILD_MUST_FAIL(et_sys(SYS_mount, "src", "mnt", "no such type", 0, NULL),
			ENODEV);
	want_mount("src", et_path("mnt"), "no such type", 0);
	want_mount_failed(ENODEV, false);
	CHILD_MUST_FAIL(et_sys(SYS_mount, "src", "mnt", NULL, 0, NULL), EINVAL);
	want_mount("src", et_path("mnt"), NULL, 0);
	want_mount_failed(EINVAL, false);
	CHILD_MUST_FAIL(et_sys(SYS_mount, NULL, "mnt", "tmpfs", MS_REMOUNT, NULL),
			EINVAL);
	want_mount(NULL, et_path("mnt"), "tmpfs", MS_REMOUNT);
	want_mount_failed(EINVAL, false);
	/* The target does not exist, so its name is that from user memory. */
	CHILD_MUST_FAIL(et_sys(SYS_mount, "src", "absent", "tmpfs", 0, NULL), ENOENT);
	want_mount("src", et_path("absent"), "tmpfs", 0);
	want_mount_failed(ENOENT, true);
}

TEST(mount_failed)
{
	et_mkdir("mnt");
	et_traced(do_mount_failed);
}

/* A new mount has no path yet, and its target is read from user memory. */
static void want_move_mount(const char *source, const char *target)
{
	want_mount(source, target, NULL, 0);
	want_extended("Marks|joined=MT,unread=,cut=");
	want_joined(1);
}

static void do_move_mount(void)
{
	int fd;

	own_mounts();
	/* OPEN_TREE_CLONE; MOVE_MOUNT_F_EMPTY_PATH */
	CHILD_MUST(fd = et_sys(SYS_open_tree, AT_FDCWD, "d", 1));
	CHILD_MUST(et_sys(SYS_move_mount, fd, "", AT_FDCWD, "mnt", 4));
	want_move_mount("", et_path("mnt"));
	CHILD_MUST_FAIL(et_sys(SYS_move_mount, AT_FDCWD, "absent", -1, et_path("mnt"), 0), ENOENT);
	want_mount("absent", et_path("mnt"), NULL, 0);
	want_mount_failed(ENOENT, true);
}

TEST(move_mount)
{
	et_mkdir("mnt");
	et_mkdir("d");
	et_traced(do_move_mount);
}

static void do_umount(void)
{
	own_mounts();
	CHILD_MUST(et_sys(SYS_umount2, "mnt", 0));
	want_umount(et_path("mnt"), 0);
	CHILD_MUST(et_sys(SYS_umount2, et_path("to_mnt2"), MNT_DETACH));
	want_umount(et_path("mnt2"), MNT_DETACH);
	CHILD_MUST_FAIL(et_sys(SYS_umount2, "mnt3", MNT_EXPIRE), EAGAIN);
	want_umount(et_path("mnt3"), MNT_EXPIRE);
	want_umount_failed(EAGAIN, false);
	CHILD_MUST(et_sys(SYS_umount2, "./mnt3", MNT_EXPIRE | UMOUNT_NOFOLLOW));
	want_umount(et_path("mnt3"), MNT_EXPIRE | UMOUNT_NOFOLLOW);
	if (SYS_umount != -1) {
		CHILD_MUST(et_sys(SYS_umount, "mnt4"));
		want_umount(et_path("mnt4"), 0);
	}
}

static const char * const mounts[] = { "mnt", "mnt2", "mnt3", "mnt4" };

TEST(umount)
{
	size_t i;

	for (i = 0; i < ET_NELEMS(mounts); i++) {
		et_mkdir(mounts[i]);
		MUST(mount("tmpfs", et_path(mounts[i]), "tmpfs", 0, NULL));
	}
	MUST(symlink("mnt2", et_path("to_mnt2")));
	et_traced(do_umount);
	for (i = 0; i < ET_NELEMS(mounts); i++)
		umount2(et_path(mounts[i]), MNT_DETACH);
}

static void do_umount_failed(void)
{
	own_mounts();
	CHILD_MUST(chdir("mnt"));
	CHILD_MUST_FAIL(et_sys(SYS_umount2, "../mnt", 0), EBUSY);
	want_umount(et_path("mnt"), 0);
	want_umount_failed(EBUSY, false);
	CHILD_MUST(chdir(".."));
	/* Not a mount point, which the kernel finds out before the hook sees the name. */
	CHILD_MUST_FAIL(et_sys(SYS_umount2, "d", MNT_DETACH), EINVAL);
	want_umount(et_path("d"), MNT_DETACH);
	want_umount_failed(EINVAL, true);
	/* No name is recorded: */
	CHILD_MUST_FAIL(et_sys(SYS_umount2, "absent", 0), ENOENT);
	want_umount_failed(ENOENT, false);
	CHILD_MUST_FAIL(et_sys(SYS_umount2, (char *)8, 0), EFAULT);
	want_umount_failed(EFAULT, false);
}

TEST(umount_failed)
{
	et_mkdir("d");
	et_mkdir("mnt");
	MUST(mount("tmpfs", et_path("mnt"), "tmpfs", 0, NULL));
	et_traced(do_umount_failed);
	MUST(umount(et_path("mnt")));
}

/* A symbolic link that cannot be made does not keep its file system busy after the call. */
static void do_failed_link(void)
{
	int i;

	own_mounts();
	for (i = 0; i < 300; i++) {
		CHILD_MUST(et_sys(SYS_mount, "none", "mnt", "devpts", 0, "newinstance"));
		want_mount("none", et_path("mnt"), "devpts", 0);
		CHILD_MUST_FAIL(et_sys(SYS_symlink, "x", "mnt/l"), EPERM);
		CHILD_MUST(et_sys(SYS_umount2, "mnt", 0));
		want_umount(et_path("mnt"), 0);
	}
}

TEST(failed_link)
{
	et_mkdir("mnt");
	et_traced(do_failed_link);
}

int main(int argc, char **argv)
{
	return et_main(argc, argv, "");
}
