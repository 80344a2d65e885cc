// SPDX-License-Identifier: GPL-2.0
/*
 * Look-ups: failed opens and execs; on request also queries of names (stat, access,
 * readlink) and directory listings.
 *
 * The kernel did not resolve the name, so the record has the name that the caller passed,
 * after the path of the directory where its look-up starts. This is exactly the name that
 * was looked up, so it is not marked as joined.
 */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/uaccess.h>

#include "call.h"
#include "capture.h"
#include "task.h"

/* Has the caller passed an empty name or NULL? */
static bool etrace_is_unnamed(const struct etrace_call *c)
{
	unsigned long path = etrace_arg(c, ETRACE_ARG_PATH, 0);
	char first;

	return !path || (!copy_from_user_nofault(&first, (void __user *)path, 1) && !first);
}

/* Is the call about a descriptor itself? */
static bool etrace_is_of_fd(const struct etrace_call *c)
{
	return etrace_arg(c, ETRACE_ARG_FLAGS, 0) & AT_EMPTY_PATH && etrace_is_unnamed(c);
}

/*
 * Captures string 0: the name as the caller passed it or, if @of_fd, the path of its descriptor.
 *
 * If the call failed because the name could not be read, an unread name is not a loss.
 */
static void etrace_meant(struct etrace_call *c, struct etrace_scratch *s, bool of_fd)
{
	int dirfd = etrace_dirfd(c, ETRACE_ARG_DIRFD);

	if (!of_fd)
		etrace_capture_joined(&c->r, 0, s, dirfd, etrace_arg(c, ETRACE_ARG_PATH, 0));
	else if (dirfd == AT_FDCWD)
		etrace_capture_cwd(&c->r, 0, s);
	else
		etrace_capture_fd(&c->r, 0, s, dirfd);
	if (!etrace_failed_unread(c->ret))
		return;
	c->r.unread &= ~BIT(0);
	c->r.faulted = c->r.unread;
	if (!c->r.str[0].len)
		c->r.str[0].s = NULL;
}

/* Adds result and name to a record, and emits it. @of_fd as in etrace_meant() */
static void etrace_emit_meant(struct etrace_call *c, bool of_fd)
{
	struct etrace_scratch *s = etrace_scratch_get();

	etrace_meant(c, s, of_fd);
	etrace_call_emit(c);
	etrace_scratch_put();
}

/**
 * etrace_open_failed - record an open that failed
 * @c: the call
 */
void etrace_open_failed(struct etrace_call *c)
{
	u64 flags;

	etrace_rec_init(&c->r, ETRACE_EV_OPEN_FAILED, 1);
	if (!c->sc->at[ETRACE_ARG_STRUCT]) {
		flags = etrace_arg(c, ETRACE_ARG_FLAGS, ETRACE_CREAT_FLAGS);
	} else if (!etrace_call_read(c, &flags, etrace_arg(c, ETRACE_ARG_STRUCT, 0),
				     sizeof(flags))) {
		flags = 0;
		if (etrace_failed_unread(c->ret))
			c->r.faulted = false;
		else
			c->r.unread |= BIT(ETRACE_NR_STR);
	}
	c->r.open_failed.flags = flags;
	etrace_emit_meant(c, false);
}

/* Records a failed execve; a successful one has its own tracepoint. */
void etrace_do_exec(struct etrace_call *c)
{
	if (etrace_held(c) && current->pending.signal.sig[0] & ETRACE_KILLING)
		return;
	etrace_rec_init(&c->r, ETRACE_EV_EXEC_FAILED, 1);
	etrace_emit_meant(c, etrace_is_of_fd(c));
}

/* ---- on request ---------------------------------------------------------- */

/* Records a stat of a name; one of a descriptor looks up no name. */
static void etrace_stat(struct etrace_call *c, u32 flags)
{
	if (etrace_is_of_fd(c))
		return;
	etrace_rec_init(&c->r, ETRACE_EV_STAT, 1);
	c->r.stat.flags = flags;
	etrace_emit_meant(c, false);
}

void etrace_do_stat(struct etrace_call *c)
{
	etrace_stat(c, etrace_arg(c, ETRACE_ARG_FLAGS, 0));
}

/* lstat() is recorded as fstatat() with this flag. */
void etrace_do_lstat(struct etrace_call *c)
{
	etrace_stat(c, AT_SYMLINK_NOFOLLOW);
}

void etrace_do_access(struct etrace_call *c)
{
	if (etrace_is_of_fd(c))
		return;
	etrace_rec_init(&c->r, ETRACE_EV_ACCESS, 1);
	c->r.access.mode = etrace_arg(c, ETRACE_ARG_MODE, 0);
	c->r.access.flags = etrace_arg(c, ETRACE_ARG_FLAGS, 0);
	etrace_emit_meant(c, false);
}

/* The text is what the caller received, which may be truncated. */
void etrace_do_readlink(struct etrace_call *c)
{
	struct etrace_scratch *s = etrace_scratch_get();

	etrace_rec_init(&c->r, ETRACE_EV_READLINK, c->ret < 0 ? 1 : 2);
	if (c->ret >= 0)
		etrace_capture_bytes(&c->r, 1, s, etrace_arg(c, ETRACE_ARG_STRUCT, 0), c->ret);
	/* If it succeeds without a name, it read the link of the descriptor. */
	etrace_emit_meant(c, c->ret >= 0 && etrace_is_unnamed(c));
	etrace_scratch_put();
}

void etrace_do_getdents(struct etrace_call *c)
{
	struct etrace_scratch *s = etrace_scratch_get();

	etrace_rec_init(&c->r, ETRACE_EV_GETDENTS, 1);
	c->r.getdents.fd = etrace_arg(c, ETRACE_ARG_FD, 0);
	c->r.getdents.bytes = c->ret;
	etrace_capture_fd(&c->r, 0, s, c->r.getdents.fd);
	etrace_call_emit(c);
	etrace_scratch_put();
}
