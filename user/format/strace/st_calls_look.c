// SPDX-License-Identifier: LGPL-2.1
/* Calls that look at files by name: stat, access, readlink.  See st_call.h. */
#include "format/strace/st_call.h"

#include <fcntl.h>

void st_do_stat(struct call *c)
{
	uint64_t flags = call_number(c, call_arg(c, ROLE_FLAGS));
	struct et_event *ev = call_begin(c, ET_K_STAT);

	/* stat of an open descriptor: not recorded */
	if (!call_arg(c, ROLE_PATH).len || (call_arg(c, ROLE_PATH).len == 2 && flags & AT_EMPTY_PATH))
		return;
	call_add_meant(c, ET_S_STAT_path, ROLE_DIRFD, ROLE_PATH);
	et_set_value(ev, ET_V_STAT_flags,
		     (int64_t)(c->row->record == REC_LSTAT ? AT_SYMLINK_NOFOLLOW : flags));
	st_put(c->log);
}

void st_do_access(struct call *c)
{
	struct et_event *ev = call_begin(c, ET_K_ACCESS);

	call_add_meant(c, ET_S_ACCESS_path, ROLE_DIRFD, ROLE_PATH);
	et_set_value(ev, ET_V_ACCESS_mode, (int64_t)call_number(c, call_arg(c, ROLE_MODE)));
	et_set_value(ev, ET_V_ACCESS_flags, (int64_t)call_number(c, call_arg(c, ROLE_FLAGS)));
	st_put(c->log);
}

void st_do_readlink(struct call *c)
{
	call_begin(c, ET_K_READLINK);
	call_add_meant(c, ET_S_READLINK_path, ROLE_DIRFD, ROLE_PATH);
	if (!c->line->error)
		call_add_passed(c, ET_S_READLINK_target, ROLE_STRUCT);
	st_put(c->log);
}

void st_do_lstat(struct call *c)
{
	st_do_stat(c);
}
