// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that create, change, rename or remove files and directories, that mount, and that
 * change a task's working or root directory or its namespaces.
 */
#include <linux/fcntl.h>
#include <linux/path.h>
#include <linux/time64.h>

#include "call.h"
#include "capture.h"
#include "emit.h"
#include "hold.h"
#include "return_work.h"
#include "target.h"
#include "task.h"

/* Stores the file's descriptor as value 0, if the call has one. Returns it or ETRACE_BY_PATH. */
static long etrace_file_fd(struct etrace_call *c, s32 *value)
{
	*value = etrace_arg(c, ETRACE_ARG_FD, 0);
	if (!c->sc->at[ETRACE_ARG_FD])
		return ETRACE_BY_PATH;
	c->r.have |= BIT(0);
	return *value;
}

void etrace_do_mkdir(struct etrace_call *c)
{
	etrace_rec_init(&c->r, ETRACE_EV_MKDIR, 1);
	c->r.mkdir.mode = etrace_arg(c, ETRACE_ARG_MODE, 0);
	etrace_one_name(c, ETRACE_BY_PATH);
}

/*
 * Records the name that the caller passed. A hook for the resolved name would run for every
 * open with O_CREAT, too.
 */
void etrace_do_mknod(struct etrace_call *c)
{
	etrace_rec_init(&c->r, ETRACE_EV_MKNOD, 1);
	c->r.mknod.mode = etrace_arg(c, ETRACE_ARG_MODE, 0);
	c->r.mknod.dev = etrace_arg(c, ETRACE_ARG_DEV, 0);
	etrace_one_name(c, ETRACE_BY_PATH);
}

/* Records rename or link, with two names: from the hook, else from the call's arguments. */
static void etrace_two_names(struct etrace_call *c, enum etrace_event ev)
{
	struct etrace_hold *hold = etrace_held(c);
	struct etrace_scratch *s = etrace_scratch_get();

	/* A failed call is recorded with its source at most. */
	etrace_rec_init(&c->r, ev, c->ret < 0 ? 1 : 2);
	/* The flags of link are at the same offset. */
	c->r.rename.flags = etrace_arg(c, ETRACE_ARG_FLAGS, 0);
	if (c->sc->at[ETRACE_ARG_FLAGS])
		c->r.have = BIT(ETRACE_VAL_RENAME_flags);

	if (hold) {
		c->r.str[0] = hold->str[0];
		c->r.str[1] = hold->str[1];
		c->r.outside = hold->outside & (BIT(c->r.nr_str) - 1);
	} else if (c->ret >= 0) {
		etrace_join(c, 0, s, ETRACE_ARG_DIRFD, ETRACE_ARG_PATH);
		etrace_join(c, 1, s, ETRACE_ARG_DIRFD2, ETRACE_ARG_PATH2);
	} else if (etrace_failed_look_up(c->ret)) {
		c->r.nr_str = 0;
	} else {
		etrace_join(c, 0, s, ETRACE_ARG_DIRFD, ETRACE_ARG_PATH);
	}
	etrace_call_emit(c);
	etrace_scratch_put();
}

void etrace_do_rename(struct etrace_call *c)
{
	etrace_two_names(c, ETRACE_EV_RENAME);
}

void etrace_do_link(struct etrace_call *c)
{
	etrace_two_names(c, ETRACE_EV_LINK);
}

void etrace_do_mount(struct etrace_call *c)
{
	struct etrace_hold *hold = etrace_held(c);
	struct etrace_scratch *s = etrace_scratch_get();

	etrace_rec_init(&c->r, ETRACE_EV_MOUNT, 3);
	c->r.mount.flags = etrace_arg(c, ETRACE_ARG_FLAGS, 0);
	if (hold) {
		memcpy(c->r.str, hold->str, sizeof(hold->str));
		c->r.outside = hold->outside;
	} else {
		etrace_capture_user(&c->r, 0, s,
				    etrace_arg(c, ETRACE_ARG_SOURCE, 0));
		etrace_join(c, 1, s, ETRACE_ARG_DIRFD, ETRACE_ARG_PATH);
		etrace_capture_user(&c->r, 2, s,
				    etrace_arg(c, ETRACE_ARG_TYPE, 0));
	}
	etrace_call_emit(c);
	etrace_scratch_put();
}

void etrace_do_umount(struct etrace_call *c)
{
	etrace_rec_init(&c->r, ETRACE_EV_UMOUNT, 1);
	c->r.umount.flags = etrace_arg(c, ETRACE_ARG_FLAGS, 0);
	etrace_one_name(c, ETRACE_BY_PATH);
}

static void etrace_unlinked(struct etrace_call *c, bool dir)
{
	etrace_rec_init(&c->r, ETRACE_EV_UNLINK, 1);
	c->r.unlink.dir = dir;
	etrace_one_name(c, ETRACE_BY_PATH);
}

void etrace_do_unlink(struct etrace_call *c)
{
	etrace_unlinked(c, etrace_arg(c, ETRACE_ARG_FLAGS, 0) & AT_REMOVEDIR);
}

void etrace_do_rmdir(struct etrace_call *c)
{
	etrace_unlinked(c, true);
}

void etrace_do_truncate(struct etrace_call *c)
{
	etrace_rec_init(&c->r, ETRACE_EV_TRUNCATE, 1);
	c->r.truncate.size = etrace_file_size(etrace_arg(c, ETRACE_ARG_SIZE, 0),
					      etrace_arg(c, ETRACE_ARG_HIGH, 0),
					      c->sc->at[ETRACE_ARG_HIGH],
					      etrace_is_32());
	etrace_one_name(c, etrace_file_fd(c, &c->r.truncate.fd));
}

void etrace_do_chmod(struct etrace_call *c)
{
	etrace_rec_init(&c->r, ETRACE_EV_CHMOD, 1);
	c->r.chmod.mode = etrace_arg(c, ETRACE_ARG_MODE, 0);
	etrace_one_name(c, etrace_file_fd(c, &c->r.chmod.fd));
}

void etrace_do_chown(struct etrace_call *c)
{
	bool is_16 = c->sc->at[ETRACE_ARG_UID16] && etrace_is_32();

	etrace_rec_init(&c->r, ETRACE_EV_CHOWN, 1);
	c->r.chown.uid = etrace_owner(etrace_arg(c, ETRACE_ARG_UID, 0) |
				      etrace_arg(c, ETRACE_ARG_UID16, 0), is_16);
	c->r.chown.gid = etrace_owner(etrace_arg(c, ETRACE_ARG_GID, 0) |
				      etrace_arg(c, ETRACE_ARG_GID16, 0), is_16);
	etrace_one_name(c, etrace_file_fd(c, &c->r.chown.fd));
}

/* Records the times that a call sets for a file, in any of the formats that calls use. */
static void etrace_times(struct etrace_call *c)
{
	bool seconds = c->sc->at[ETRACE_ARG_SECONDS];
	bool wide = c->sc->at[ETRACE_ARG_TIMESPECS64] || !etrace_is_32();
	unsigned int i, per_sec = seconds ? 1 :
				  c->sc->at[ETRACE_ARG_TIMEVALS] ? USEC_PER_SEC :
				  NSEC_PER_SEC;
	unsigned long from = etrace_arg(c, ETRACE_ARG_SECONDS, 0) |
			     etrace_arg(c, ETRACE_ARG_TIMEVALS, 0) |
			     etrace_arg(c, ETRACE_ARG_TIMESPECS, 0) |
			     etrace_arg(c, ETRACE_ARG_TIMESPECS64, 0);
	unsigned int nr = seconds ? 1 : 2;	/* how many integers each time has */
	long long time[2] = { 0, 0 };
	s32 narrow[4];
	s64 raw[4];

	c->r.utimens.now = 0;
	if (!from) {
		c->r.utimens.now = ETRACE_NOW_ATIME | ETRACE_NOW_MTIME;
	} else if (!etrace_call_read(c, wide ? (void *)raw : narrow, from,
				     2 * nr * (wide ? sizeof(*raw) : sizeof(*narrow)))) {
		c->r.unread |= BIT(ETRACE_NR_STR);
		from = 0;
	}
	for (i = 0; !wide && i < 2 * nr; i++)
		raw[i] = narrow[i];
	for (i = 0; from && i < 2; i++) {
		s64 part = seconds ? 0 : raw[nr * i + 1];

		/* The kernel ignores the upper half of a 32-bit program's nanoseconds. */
		if (c->sc->at[ETRACE_ARG_TIMESPECS64])
			part = (u32)part;
		switch (etrace_time(raw[nr * i], part, per_sec, &time[i])) {
		case ETRACE_TIME_SET:
			c->r.have |= BIT(ETRACE_VAL_UTIMENS_atime + i);
			break;
		case ETRACE_TIME_NOW:
			c->r.utimens.now |= ETRACE_NOW_ATIME << i;
			break;
		case ETRACE_TIME_KEPT:
			break;
		}
	}
	c->r.utimens.atime = time[0];
	c->r.utimens.mtime = time[1];
}

void etrace_do_utimens(struct etrace_call *c)
{
	long fd = ETRACE_BY_PATH;

	etrace_rec_init(&c->r, ETRACE_EV_UTIMENS, 1);
	c->r.utimens.fd = 0;
	/* futimens() calls it like this. */
	if (!etrace_arg(c, ETRACE_ARG_PATH, 0) &&
	    etrace_dirfd(c, ETRACE_ARG_DIRFD) != AT_FDCWD) {
		fd = etrace_dirfd(c, ETRACE_ARG_DIRFD);
		c->r.utimens.fd = fd;
		c->r.have |= BIT(ETRACE_VAL_UTIMENS_fd);
	}
	etrace_times(c);
	etrace_one_name(c, fd);
}

/* Records the directory after the call; if it failed, the one that it asked for. */
void etrace_do_chdir(struct etrace_call *c)
{
	long fd;

	etrace_rec_init(&c->r, ETRACE_EV_CHDIR, 1);
	fd = etrace_file_fd(c, &c->r.chdir.fd);
	if (c->ret < 0) {
		etrace_one_name(c, fd);
		return;
	}
	etrace_capture_cwd(&c->r, 0, etrace_scratch_get());
	etrace_call_emit(c);
	etrace_scratch_put();
}

void etrace_do_chroot(struct etrace_call *c)
{
	etrace_rec_init(&c->r, ETRACE_EV_CHROOT, 1);
	etrace_one_name(c, ETRACE_BY_PATH);
}

void etrace_do_pivot(struct etrace_call *c)
{
	struct etrace_hold *hold = etrace_held(c);
	struct etrace_scratch *s = etrace_scratch_get();

	etrace_rec_init(&c->r, ETRACE_EV_PIVOT, 2);
	if (hold) {
		c->r.str[0] = hold->str[0];
		c->r.str[1] = hold->str[1];
		c->r.outside = hold->outside;
	} else if (c->ret < 0 && etrace_failed_look_up(c->ret)) {
		c->r.nr_str = 0;
	} else {
		etrace_join(c, 0, s, ETRACE_ARG_DIRFD, ETRACE_ARG_PATH);
		etrace_join(c, 1, s, ETRACE_ARG_DIRFD2, ETRACE_ARG_PATH2);
	}
	etrace_call_emit(c);
	etrace_scratch_put();
}

void etrace_do_unshare(struct etrace_call *c)
{
	etrace_rec_init(&c->r, ETRACE_EV_UNSHARE, 0);
	c->r.unshare.flags = etrace_arg(c, ETRACE_ARG_FLAGS, 0);
	etrace_call_emit(c);
}

void etrace_do_setns(struct etrace_call *c)
{
	etrace_rec_init(&c->r, ETRACE_EV_SETNS, 1);
	c->r.setns.fd = etrace_arg(c, ETRACE_ARG_FD, 0);
	c->r.setns.flags = etrace_arg(c, ETRACE_ARG_FLAGS, 0);
	etrace_one_name(c, c->r.setns.fd);
}

/* ---- symlink: its target is the one name that the kernel does not resolve - */

static void etrace_symlink_init(struct etrace_rec *r,
				const struct etrace_hold *hold)
{
	etrace_rec_init(r, ETRACE_EV_SYMLINK, 3);
	r->str[1].s = NULL;
	r->str[1].len = 0;
	if (!hold)
		return;
	r->str[0] = hold->str[0];
	r->str[2] = hold->str[1];
	r->outside = (hold->outside & BIT(1)) << 1;
}

static void etrace_symlink_later(struct etrace_work *l)
{
	struct etrace_scratch *s;
	struct etrace_task *t;
	struct etrace_rec r;
	struct path target;
	int err;

	err = etrace_target_find(&l->dir, &l->hold->str[0], &target);
	etrace_symlink_init(&r, l->hold);
	s = etrace_scratch_get();
	if (!err)
		etrace_capture_path(&r, 1, s, &target);
	else if (err == -EAGAIN)
		r.untold |= BIT(1);
	rcu_read_lock();
	t = etrace_task_find(current);
	if (t)
		etrace_emit(t, &r);
	rcu_read_unlock();
	etrace_scratch_put();
	if (!err)
		path_put(&target);
}

/*
 * The target is resolved after the link was made, and before the program can do
 * anything else.
 */
void etrace_do_symlink(struct etrace_call *c)
{
	struct etrace_hold *hold = etrace_held(c);
	struct etrace_scratch *s;
	struct etrace_work *l;

	if (hold && hold->work) {
		l = hold->work;
		hold->work = NULL;
		etrace_hold_give(l, etrace_held_take(c->t, ETRACE_HOOK_PATH_SYMLINK));
		etrace_work_run(l, etrace_symlink_later);
		return;
	}
	s = etrace_scratch_get();
	etrace_symlink_init(&c->r, hold);
	c->r.untold |= BIT(1);
	if (!hold) {
		etrace_capture_user(&c->r, 0, s,
				    etrace_arg(c, ETRACE_ARG_TARGET, 0));
		etrace_join(c, 2, s, ETRACE_ARG_DIRFD, ETRACE_ARG_PATH);
	}
	etrace_call_emit(c);
	etrace_scratch_put();
}
