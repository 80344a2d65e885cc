/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Called by the trace events when somebody reads them as text: each writes
 * the lines of one record to @p and returns where they begin. No newline at
 * the end, ftrace adds it.
 */
#ifndef ETRACE_PRINT_H
#define ETRACE_PRINT_H

#include <linux/trace_seq.h>
#include <linux/types.h>

/* Where the lines go, and what begins each. */
struct etrace_head {
	struct trace_seq *p;
	int cpu;
	u64 upid;
	u64 time;
};

/* A string of a record; len is -1 if the event has none. */
struct etrace_shown {
	s32 len;
	const char *s;
};

/* What ends the lines of an event; fields as in struct etrace_rec. */
struct etrace_tail {
	s32 error;
	u8 inl;
	u8 more;
	u8 joined;
	u8 unread;
	u8 cut;
	u8 untold;
	u8 outside;
};

const char *etrace_print_exec(const struct etrace_head *h, const struct etrace_shown *interp,
			      const struct etrace_shown *path, const struct etrace_shown *cwd,
			      u32 args_len, const char *args, u32 args_room,
			      const struct etrace_tail *tail);
const char *etrace_print_clone(const struct etrace_head *h, bool has_flags, u64 flags,
			       u64 child, const struct etrace_tail *tail);
const char *etrace_print_exit(const struct etrace_head *h, s32 status, s32 signal, bool core);
const char *etrace_print_open(const struct etrace_head *h, u32 flags, u16 mode, s32 fd,
			      const struct etrace_shown *name, const struct etrace_shown *orig,
			      const struct etrace_tail *tail);
const char *etrace_print_close(const struct etrace_head *h, s32 fd);
const char *etrace_print_dup(const struct etrace_head *h, s32 oldfd, s32 newfd, u32 flags);
const char *etrace_print_pipe(const struct etrace_head *h, s32 fd1, s32 fd2, u32 flags);
const char *etrace_print_rename(const struct etrace_head *h, bool has_flags, u32 flags,
				const struct etrace_shown *from, const struct etrace_shown *to,
				const struct etrace_tail *tail);
const char *etrace_print_link(const struct etrace_head *h, bool has_flags, u32 flags,
			      const struct etrace_shown *from, const struct etrace_shown *to,
			      const struct etrace_tail *tail);
const char *etrace_print_symlink(const struct etrace_head *h, const struct etrace_shown *target,
				 const struct etrace_shown *resolved, const struct etrace_shown *link,
				 const struct etrace_tail *tail);
const char *etrace_print_mount(const struct etrace_head *h, u64 flags, const struct etrace_shown *source,
			       const struct etrace_shown *target, const struct etrace_shown *type,
			       const struct etrace_tail *tail);
const char *etrace_print_umount(const struct etrace_head *h, u64 flags, const struct etrace_shown *target,
				const struct etrace_tail *tail);
const char *etrace_print_comm(const struct etrace_head *h, u64 target, const struct etrace_shown *comm,
			      const struct etrace_tail *tail);
const char *etrace_print_string(const struct etrace_head *h, u8 event, u8 tag, u8 state,
				s32 part, u32 total, const char *piece, u32 len,
				const struct etrace_tail *tail);
const char *etrace_print_args(const struct etrace_head *h, u32 first, const char *piece,
			      u32 len, const struct etrace_tail *tail);
const char *etrace_print_uring(const struct etrace_head *h, s32 fd);
const char *etrace_print_lost(const struct etrace_head *h, u64 count, u64 since);

#endif /* ETRACE_PRINT_H */
