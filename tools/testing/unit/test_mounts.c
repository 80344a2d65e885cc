// SPDX-License-Identifier: GPL-2.0
/* /proc/PID/mountinfo: what is mounted where, and which file systems may wait for others. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/bpf/mounts.h"

static void read_text(struct mounts *m, const char *text)
{
	FILE *f = tmpfile();

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	rewind(f);
	assert_int_equal(mounts_read(m, fileno(f)), 0);
	fclose(f);
}

static const struct mount_point *on(const struct mounts *m, uint64_t parent, const char *path)
{
	return mounts_on(m, parent, path, strlen(path));
}

static void fields_of_mountinfo(void **state)
{
	struct mounts m = { 0 };
	const struct mount_point *p;

	(void)state;
	read_text(&m,
		  "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro\n"
		  "22 21 0:20 / /proc rw,nosuid - proc proc rw\n"
		  "23 21 0:33 / /with\\040space\\134 rw,nosymfollow shared:2 master:1 - tmpfs none rw\n"
		  "24 21 0:34 / /a rw,nosymfollowed - tmpfs none rw\n");
	assert_int_equal(m.n, 4);
	p = mounts_find(&m, 21);
	assert_string_equal(p->at, "/");
	assert_int_equal(p->parent, 1);
	assert_int_equal(p->major, 8);
	assert_int_equal(p->minor, 1);
	assert_true(p->answers);
	assert_false(p->proc);
	assert_false(p->no_links);
	assert_true(mounts_find(&m, 22)->proc);
	assert_string_equal(mounts_find(&m, 23)->at, "/with space\\");
	assert_true(mounts_find(&m, 23)->no_links);
	assert_false(mounts_find(&m, 24)->no_links);
	assert_null(mounts_find(&m, 25));
	assert_ptr_equal(mounts_of(&m, 0, 33), mounts_find(&m, 23));
	assert_null(mounts_of(&m, 8, 33));
	mounts_free(&m);
	assert_int_equal(m.n, 0);
}

/* A mount point is relative to the parent mount; mounts can be stacked. */
static void stacked_mounts(void **state)
{
	struct mounts m = { 0 };

	(void)state;
	read_text(&m,
		  "1 1 0:2 / / rw - rootfs rootfs rw\n"
		  "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
		  "30 21 0:40 / /d rw - autofs etc/auto rw,fd=7\n"
		  "31 30 0:41 / /d rw - tmpfs none rw\n"
		  "32 31 0:42 / /d/e rw - tmpfs none rw\n");
	assert_int_equal(on(&m, 21, "/d")->id, 30);
	assert_false(on(&m, 21, "/d")->answers);
	assert_int_equal(on(&m, 30, "/d")->id, 31);
	assert_null(on(&m, 31, "/d"));
	assert_null(on(&m, 21, "/d/e"));
	assert_null(on(&m, 21, "/"));
	assert_null(mounts_on(&m, 21, "/dx", 1));
	assert_int_equal(mounts_on(&m, 21, "/dx", 2)->id, 30);
	/* The root mount is its own parent. */
	assert_int_equal(on(&m, 1, "/")->id, 21);
	mounts_free(&m);
}

static void file_systems_that_may_block(void **state)
{
	static const struct {
		const char *type;
		bool answers;
	} rows[] = {
		{ "ext4", true }, { "xfs", true }, { "tmpfs", true }, { "sysfs", true },
		{ "overlay", true }, { "adfs", true }, { "zonefs", true },
		{ "autofs", false }, { "fuse", false }, { "fuse.sshfs", false },
		{ "fuseblk", false }, { "nfs", false }, { "nfs4", false }, { "cifs", false },
		{ "smb3", false }, { "9p", false }, { "virtiofs", false }, { "ceph", false },
		{ "afs", false }, { "what_comes_some_day", false }, { "ext", false },
	};
	struct mounts m = { 0 };
	char line[200];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(line, sizeof(line), "7 1 0:5 / /d rw shared:1 - %s none rw\n",
			 rows[i].type);
		read_text(&m, line);
		assert_int_equal(m.n, 1);
		if (m.list[0].answers != rows[i].answers)
			fail_msg("%s", rows[i].type);
	}
	mounts_free(&m);
}

/* An overlay answers by itself if its layers do. */
static void overlays_depend_on_layers(void **state)
{
	struct mounts m = { 0 };

	(void)state;
	read_text(&m,
		  "1 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
		  "2 1 0:30 / /f rw - fuse.img img rw\n"
		  "3 1 0:31 / /merged rw - overlay overlay rw,lowerdir=/a:/f/lower,upperdir=/u,workdir=/w\n"
		  "4 1 0:32 / /m2 rw - overlay overlay rw,lowerdir=/fa:/a,upperdir=/u,workdir=/f/w\n"
		  "5 1 0:33 / /m3 rw - overlay overlay rw,lowerdir=/a,upperdir=/f\n"
		  "6 1 0:34 / /m4 rw - overlay overlay rw,lowerdir=f/x:/m2/y\n"
		  "7 1 0:35 / /m5 rw - overlay overlay rw,lowerdir=/merged/x,index=off\n"
		  "8 2 0:36 / /f/t rw - tmpfs none rw\n"
		  "9 1 0:37 / /m6 rw - overlay overlay rw,lowerdir+=/f/t/x\n");
	assert_false(mounts_find(&m, 3)->answers);
	assert_true(mounts_find(&m, 4)->answers);
	assert_false(mounts_find(&m, 5)->answers);
	assert_true(mounts_find(&m, 6)->answers);
	assert_false(mounts_find(&m, 7)->answers);
	assert_true(mounts_find(&m, 9)->answers);
	mounts_free(&m);
}

/* Malformed lines are skipped, and each read rebuilds the list. */
static void malformed_lines_skipped(void **state)
{
	struct mounts m = { 0 };

	(void)state;
	read_text(&m, "1 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
	assert_int_equal(m.n, 1);
	read_text(&m, "\n"
		  "x 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
		  "1 x 8:1 / / rw - ext4 /dev/sda1 rw\n"
		  "1 1 8 / / rw - ext4 /dev/sda1 rw\n"
		  "1 1 8:1 / / rw ext4 /dev/sda1 rw\n"
		  "1 1 8:1 / /\n"
		  "1 1 8:1 / / rw -\n"
		  "2 1 8:1 / / rw - overlay\n");
	assert_int_equal(m.n, 1);
	assert_int_equal(m.list[0].id, 2);
	assert_int_equal(mounts_read(&m, -1), -EBADF);
	assert_int_equal(m.n, 0);
	mounts_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_of_mountinfo),
		cmocka_unit_test(stacked_mounts),
		cmocka_unit_test(file_systems_that_may_block),
		cmocka_unit_test(overlays_depend_on_layers),
		cmocka_unit_test(malformed_lines_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
