/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Protects a build recorded with strace if the recorder dies.
 *
 * When no process reads its log any more, strace continues, and complains on the build's
 * standard error about every line that it cannot write. So a separate process
 * (strace-reader) waits until the recorder ends, for any reason, and then reads in its
 * place until strace has ended. A recorder that has finished can also make strace detach.
 */
#ifndef ETRACE_GUARD_H
#define ETRACE_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * guard_start - start the guard, before strace is started
 * @dir: directory of the FIFO that strace writes to
 * @fifo: its path; the guard removes both, if they still exist
 *
 * Return: a descriptor that only the recorder may have: when it is closed, the guard
 * takes over.  -errno if no guard could be started.
 */
int guard_start(const char *dir, const char *fifo);

/** guard_tracer - the tracer of a task, or of the caller if 0.  Return: 0 if none or unknown. */
pid_t guard_tracer(pid_t task);

/**
 * guard_release - make strace detach from all its tasks
 * @task: one of its tasks
 * @dir: directory of the FIFO, by which this strace is recognized
 *
 * Return: false if strace cannot be found; it then continues, and the guard reads its log.
 */
bool guard_release(pid_t task, const char *dir);

#endif
