// SPDX-License-Identifier: GPL-2.0
/* Helpers for the handlers of calls: names, and reading the program's memory. */
#include <linux/uaccess.h>

#include "call.h"
#include "capture.h"
#include "compat.h"
#include "counts.h"
#include "emit.h"
#include "hold.h"
#include "return_work.h"
#include "table.h"
#include "task.h"

/**
 * etrace_join - capture a directory's path followed by the user's string
 * @c: the call, for which no hook has seen a name
 * @i: index of the string in its record
 * @s: scratch buffers
 * @dirfd: role of the argument with the directory
 * @path: role of the argument with the path
 */
void etrace_join(struct etrace_call *c, int i, struct etrace_scratch *s,
		 enum etrace_arg dirfd, enum etrace_arg path)
{
	etrace_capture_joined(&c->r, i, s, etrace_dirfd(c, dirfd),
			      etrace_arg(c, path, 0));
	c->r.joined |= BIT(i);
}

/**
 * etrace_one_name - finish and write a record with one name
 * @c: the call
 * @fd: descriptor that stands for the name, or ETRACE_BY_PATH
 *
 * The name comes from the hook, or from the descriptor if it is open, or else from the arguments.
 */
void etrace_one_name(struct etrace_call *c, long fd)
{
	struct etrace_hold *hold = etrace_held(c);
	struct etrace_scratch *s = etrace_scratch_get();

	if (hold) {
		c->r.str[0] = hold->str[0];
		c->r.outside = hold->outside;
	} else if (fd != ETRACE_BY_PATH && (c->ret >= 0 || etrace_fd_flags(fd) >= 0)) {
		etrace_capture_fd(&c->r, 0, s, fd);
	} else if (fd != ETRACE_BY_PATH ||
		   (c->ret < 0 && etrace_failed_look_up(c->ret))) {
		c->r.nr_str = 0;
	} else {
		etrace_join(c, 0, s, ETRACE_ARG_DIRFD, ETRACE_ARG_PATH);
	}
	etrace_call_emit(c);
	etrace_scratch_put();
}

/**
 * etrace_call_read - read program memory that the kernel has just used
 * @c: the call
 * @to: destination
 * @from: user address
 * @n: number of bytes
 *
 * Return: false if a page is not in memory; then @c->r.faulted is set.
 */
bool etrace_call_read(struct etrace_call *c, void *to, unsigned long from, size_t n)
{
	if (likely(!copy_from_user_nofault(to, (void __user *)from, n)))
		return true;
	c->r.faulted = true;
	return false;
}

/**
 * etrace_call_unread - at the last look, count a failed etrace_call_read() that no record shows
 * @c: the call
 */
void etrace_call_unread(struct etrace_call *c)
{
	struct etrace_task *t;

	if (c->last)
		etrace_for_each_slot(t, c->t)
			etrace_count(t->session, strings_unread, 1);
}
