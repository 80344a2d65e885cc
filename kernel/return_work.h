/* SPDX-License-Identifier: GPL-2.0 */
/* Work that a task does on its way back to its program. */
#ifndef ETRACE_RETURN_WORK_H
#define ETRACE_RETURN_WORK_H

#include <linux/list.h>
#include <linux/path.h>
#include <linux/resource.h>
#include <linux/types.h>

#include "table.h"

struct etrace_hold;
struct file;

/* Bytes of arguments that execve takes, with a pointer to each. */
#define ETRACE_ARGV_MAX	(_STK_LIM / 4 * 3)

/**
 * struct etrace_argv - an argument list that is being written out
 * @pos: user address of what comes next
 * @end: user address behind the last byte
 * @index: number of the argument at @pos
 * @cut: more lies behind @end
 */
struct etrace_argv {
	unsigned long pos;
	unsigned long end;
	u32 index;
	bool cut;
};

/**
 * struct etrace_received - messages whose descriptors are being written out
 * @msg: user address of the next one's struct msghdr
 * @cmsg: user address of the next struct cmsghdr of the one at hand
 * @fds: user address of the next descriptor of the one before that
 * @nr_msg: messages from @msg on
 * @left: bytes from @cmsg on
 * @nr_fds: descriptors from @fds on
 * @word: bytes of the program's words
 * @compat: they are half words
 * @cloexec: the descriptors are closed by an execve
 * @faulted: a page of what comes next is not there
 * @last: there will be no other look: what cannot be read stays unread
 * @unread: something could not be read
 */
struct etrace_received {
	unsigned long msg;
	unsigned long cmsg;
	unsigned long fds;
	u32 nr_msg;
	u32 left;
	u32 nr_fds;
	u8 word;
	bool compat;
	bool cloexec;
	bool faulted;
	bool last;
	bool unread;
};

#define ETRACE_LOOKS	10	/* at memory that keeps going away */

/**
 * struct etrace_work - work of a task on its way back to its program
 * @node: in a list of return_work.c
 * @file: whose release does it
 * @fn: what is to be done; NULL: only @then
 * @then: what is to be done behind it; NULL: nothing
 * @sc: the row of a call that is looked at again
 * @args: its arguments, as in struct etrace_call
 * @ret: what it returned
 * @dir: a directory, or the file that the call has opened; referenced, @dir.mnt NULL:
 *	none
 * @hold: what a hook left
 * @release: frees @hold; NULL: there is none
 * @pos: how far it has been written: a bit of @hold->fds
 * @argv: how far an argument list has been written
 * @ev: the event that it is of
 * @received: how far the descriptors of messages have been written
 * @joined: as etrace_rec.joined
 * @unread: as etrace_rec.unread
 * @cut: as etrace_rec.cut
 */
struct etrace_work {
	struct list_head node;
	struct file *file;
	void (*fn)(struct etrace_work *l);
	void (*then)(struct etrace_work *l);
	const struct etrace_syscall *sc;
	unsigned long args[1 + ETRACE_MAX_ARGS];
	long ret;
	struct path dir;
	struct etrace_hold *hold;
	void (*release)(struct etrace_hold *hold);
	u32 pos;
	struct etrace_argv argv;
	struct etrace_received received;
	u8 ev;
	u8 joined;
	u8 unread;
	u8 cut;
};

int etrace_work_init(void);
void etrace_work_exit(void);
struct etrace_work *etrace_work_get(void);
void etrace_work_run(struct etrace_work *l, void (*fn)(struct etrace_work *l));
void etrace_work_drop(struct etrace_work *l);
bool etrace_work_fault_in(unsigned long uaddr);

#endif /* ETRACE_RETURN_WORK_H */
