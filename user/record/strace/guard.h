/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Protects a build that strace records from the loss of its recorder.
 *
 * strace goes on when no process reads its log any more, and complains of each line that it
 * cannot write, on the build's standard error.  So a process of its own (strace-reader)
 * waits for the recorder's end, however that comes, and then reads in its place, until
 * strace has ended.  And a recorder that has all it wants can make strace let go.
 */
#ifndef ETRACE_GUARD_H
#define ETRACE_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * guard_start - before strace is started
 * @dir: of the FIFO that strace writes to
 * @fifo: its path; the guard removes both, if they are still there
 *
 * Return: a descriptor, which belongs to the recorder alone: when it is closed, the guard
 * reads on.  -errno if there is no guard.
 */
int guard_start(const char *dir, const char *fifo);

/** guard_tracer - the tracer of a task; 0 is the caller.  Return: 0 if none or unknown. */
pid_t guard_tracer(pid_t task);

/**
 * guard_release - have strace let go of what it traces
 * @task: one of those
 * @dir: so it is that strace and no other
 *
 * Return: false if strace cannot be found; it goes on, and the guard reads.
 */
bool guard_release(pid_t task, const char *dir);

#endif
