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

/* Maximum bytes of arguments that execve accepts, including the pointers. */
#define ETRACE_ARGV_MAX	(_STK_LIM / 4 * 3)

/**
 * struct etrace_argv - an argument list that is being recorded
 * @pos: user address of the next byte
 * @end: user address after the last byte
 * @index: number of the argument at @pos
 * @cut: the list continues after @end
 */
struct etrace_argv {
	unsigned long pos;
	unsigned long end;
	u32 index;
	bool cut;
};

/**
 * struct etrace_received - messages whose descriptors are being recorded
 * @msg: user address of the next message's struct msghdr
 * @cmsg: user address of the next struct cmsghdr of the current message
 * @fds: user address of the next descriptor of the current control message
 * @nr_msg: number of messages from @msg on
 * @left: bytes of control data from @cmsg on
 * @nr_fds: number of descriptors from @fds on
 * @word: bytes of a word of the program
 * @compat: the program's words are half as long as the kernel's
 * @cloexec: the descriptors are closed by an execve
 * @faulted: the next page to read is not in memory
 * @last: this is the last look: memory that is unreadable now stays unread
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

#define ETRACE_LOOKS	10	/* maximum attempts to read memory that keeps disappearing */

/**
 * struct etrace_work - work of a task on its way back to its program
 * @node: in a list of return_work.c
 * @file: the file whose release does the work
 * @fn: the work, NULL if only @then
 * @then: work to do after @fn, NULL if none
 * @sc: table row of the call that @fn looks at again
 * @args: arguments of the call, as in struct etrace_call
 * @ret: return value of the call
 * @dir: a directory, or the file that the call has opened; referenced, @dir.mnt is NULL
 *	if none
 * @hold: data that a hook kept, NULL if none
 * @release: frees @hold, NULL if there is no @hold
 * @pos: next bit of @hold->fds to write
 * @argv: the rest of an argument list
 * @ev: the event of that argument list, ETRACE_EV_*
 * @received: the rest of the descriptors in messages
 * @joined: bits as in etrace_rec.joined
 * @unread: bits as in etrace_rec.unread
 * @cut: bits as in etrace_rec.cut
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
