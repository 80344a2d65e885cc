/* SPDX-License-Identifier: LGPL-2.1 */
/* Which features of BPF the running kernel has, as far as etrace.bpf.c can use them. */
#ifndef ETRACE_BPF_KERNEL_H
#define ETRACE_BPF_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/bpf/bpf_types.h"

/**
 * bpf_kernel_check - whether a session can be opened on this machine
 * @why: if not, the reason and what to do about it, for the user
 *
 * Return: the kernel's own types, freed with bpf_types_free(); or NULL if not.
 */
struct bpf_types *bpf_kernel_check(char *why, size_t size);

/**
 * bpf_kernel_old - whether the kernel accepts only the older programs
 *
 * bpf_loop() came with 5.17; everything else that the newer programs need is older.
 */
bool bpf_kernel_old(const struct bpf_types *t);

/**
 * bpf_kernel_perf - whether the programs at tracepoints must be called by perf
 *
 * Where tracepoints can be preempted, the kernel skips a program on a CPU while a task
 * is preempted in it.  This does not happen if perf calls the program, but that is
 * slower, and the ids of the perf events must be read from tracefs.
 */
bool bpf_kernel_perf(const struct bpf_types *t);

/**
 * bpf_kernel_probes - whether hooks can be kprobes
 *
 * Only root may use them.  Attaching or detaching one takes 2 ms.  Other ways to hook a
 * function wait each time for all tasks of the machine, and can be preempted.
 */
bool bpf_kernel_probes(void);

/**
 * bpf_kernel_storage - whether programs can use task storage
 *
 * Kernels before 5.12 do not have it for tracing programs, and some cannot allocate it
 * in a program: 7.x on a processor without cmpxchg16b.
 */
bool bpf_kernel_storage(void);

/**
 * bpf_kernel_memory - whether @bytes of memory are available
 *
 * Otherwise the kernel would first try to free memory down to the last page, at the
 * expense of other programs, before it refused.
 */
bool bpf_kernel_memory(uint32_t bytes);

#endif
