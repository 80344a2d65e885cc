/* SPDX-License-Identifier: GPL-2.0 */
/* A system call that has just ended; helpers shared by the handlers of calls. */
#ifndef ETRACE_CALL_H
#define ETRACE_CALL_H

#include <linux/limits.h>

#include "capture.h"
#include "emit.h"
#include "etrace.h"
#include "return_work.h"
#include "table.h"
#include "task.h"

/**
 * struct etrace_call - a call that has just ended
 * @t: the task's first slot
 * @sc: its row in the table
 * @args: its arguments, counted from 1 as in etrace_syscall.at
 * @ret: what it returned
 * @work: state kept by the first look at the call, NULL at the first look
 * @last: this is the last look: memory that is unreadable now stays unread
 * @r: the record that is being filled in
 */
struct etrace_call {
	struct etrace_task *t;
	const struct etrace_syscall *sc;
	unsigned long args[1 + ETRACE_MAX_ARGS];
	long ret;
	struct etrace_work *work;
	bool last;
	struct etrace_rec r;
};

static inline unsigned long etrace_arg(const struct etrace_call *c,
				       enum etrace_arg role, unsigned long absent)
{
	return c->sc->at[role] ? c->args[c->sc->at[role]] : absent;
}

static inline int etrace_dirfd(const struct etrace_call *c, enum etrace_arg role)
{
	return etrace_arg(c, role, AT_FDCWD);
}

/* Does the call point to structures of a 32-bit program? */
static inline bool etrace_is_32(void)
{
	int nr = syscall_get_nr(current, current_pt_regs());
	enum etrace_abi abi = etrace_abi(&nr);

	return sizeof(long) == 4 || abi == ETRACE_ABI_COMPAT ||
	       (abi == ETRACE_ABI_X32 && nr >= ETRACE_X32_OWN);
}

/* What the hook kept for the call, NULL if nothing; valid until etrace_syscall_done() ends. */
static inline struct etrace_hold *etrace_held(const struct etrace_call *c)
{
	return c->work ? c->work->hold : etrace_held_find(c->t, c->sc->hook);
}

/* Writes the record with the call's error, unless there will be another look at the call. */
static inline void etrace_call_emit(struct etrace_call *c)
{
	c->r.error = c->ret < 0 ? -c->ret : 0;
	if (likely(!c->r.faulted) || c->last)
		etrace_emit(c->t, &c->r);
}

bool etrace_call_read(struct etrace_call *c, void *to, unsigned long from, size_t n);
void etrace_call_unread(struct etrace_call *c);

void etrace_join(struct etrace_call *c, int i, struct etrace_scratch *s,
		 enum etrace_arg dirfd, enum etrace_arg path);

#define ETRACE_BY_PATH	LONG_MIN	/* used as a descriptor: the name is a path */

void etrace_one_name(struct etrace_call *c, long fd);
void etrace_open_failed(struct etrace_call *c);
void etrace_cloexec(struct etrace_call *c, u32 first, u32 last, bool on);
void etrace_made_two(struct etrace_call *c, int fd[2], unsigned long from,
		     bool (*are)(const int fd[2]));
void etrace_messages(struct etrace_call *c, unsigned long msg, u32 nr, unsigned int flags);

/* The handlers of the table's records, each with its kind in calls.c or calls_*.c. */
#define ETRACE_RECORD(ID, id, recorded, where) void etrace_do_##id(struct etrace_call *c);
#include "etrace_syscalls.def"

#endif /* ETRACE_CALL_H */
