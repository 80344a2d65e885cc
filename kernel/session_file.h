/* SPDX-License-Identifier: GPL-2.0 */
/* An open /dev/etrace, with the files of its buffers. */
#ifndef ETRACE_SESSION_FILE_H
#define ETRACE_SESSION_FILE_H

#include <linux/cpumask.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/rwsem.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "etrace.h"

struct file;

/**
 * struct etrace_file - an open /dev/etrace
 * @session: the session; its buffer is created by ETRACE_IOC_CREATE
 * @refs: number of users: the device's file, and the files of the session's buffers
 * @lock: held by ioctls, and shared by readers of the buffers
 * @created: the session has its buffer
 * @added: a task has been added to it
 * @closed: the device's file is closed; nothing more can be read
 * @user: the user that the session counts for, if it has an owner
 * @node: in etrace_files, from ETRACE_IOC_CREATE until the file is closed
 * @look: wakes @polled
 * @polled: readers that wait for one of the buffers to fill
 * @opened: CPUs whose buffer is open
 */
struct etrace_file {
	struct etrace_session session;
	struct kref refs;
	struct rw_semaphore lock;
	bool created;
	bool added;
	bool closed;
	kuid_t user;
	struct list_head node;
	struct delayed_work look;
	wait_queue_head_t polled;
	cpumask_t opened;
};

void etrace_file_put(struct etrace_file *f);

void etrace_look_work(struct work_struct *work);
struct file *etrace_pipe_open(struct etrace_file *f, unsigned int cpu);

#endif /* ETRACE_SESSION_FILE_H */
