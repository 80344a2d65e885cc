// SPDX-License-Identifier: LGPL-2.1
/* Passes each recorded call to its handler.  See st_state.h. */
#include "format/strace/st_call.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/net.h>
#include <sched.h>
#include <signal.h>

#include "kernel/etrace_rules.h"

static void (*const handlers[NR_RECORDS])(struct call *c) = {
#define ETRACE_RECORD(ID, id, recorded, where) [REC_##ID] = st_do_##id,
#include "kernel/etrace_syscalls.def"
	[REC_PRCTL] = st_do_prctl, [REC_GETCWD] = st_do_getcwd, [REC_SOCKET] = st_do_socket,
	[REC_SECCOMP] = st_do_seccomp, [REC_PTRACE] = st_do_ptrace, [REC_ENDS] = st_do_ends,
};

/* Is a call with this result an event?  The rules are those of the module. */
static bool is_recorded(const struct st_row *row, const struct st_line *line)
{
	long ret = line->error > 0 ? -line->error : line->error ? -EPERM : 0;

	switch (row->record) {
	case REC_EXEC:
	case REC_CLONE:
	case REC_FORK:
	case REC_VFORK:
		/* the module records these at other tracepoints if they succeed */
		return true;
	}
	if (row->recorded == ETRACE_RECORDED_USED)
		return !ret;
	return etrace_is_recorded(row->recorded, ret);
}

void st_call(struct st_log *log, struct st_task *task, const struct st_line *line)
{
	struct call c = { log, task, call_row(line->name), line, { 0 } };

	if (!c.row)
		return;
	st_ends(task, line->name, line->args);
	/* skip a call that was interrupted (restarted or EINTR), or did not return ("?") */
	if (line->restarts || !line->has_value)
		return;
	if (!is_recorded(c.row, line) || !call_row_wanted(c.row, log->opt.record))
		return;
	st_args_split(&c.args, line->args);
	handlers[c.row->record](&c);
}

bool st_close_begins(struct st_log *log, struct st_task *task, const struct st_line *line)
{
	struct call c = { log, task, call_row(line->name), line, { 0 } };
	const struct st_fd *fd;

	if (!c.row || c.row->record != REC_CLOSE || line->broken)
		return false;
	st_args_split(&c.args, line->args);
	fd = st_fd_known(task->process, call_fd(&c, call_arg(&c, ROLE_FD)));
	if (!fd || !fd->open)
		return false;
	st_do_close(&c);
	return true;
}
