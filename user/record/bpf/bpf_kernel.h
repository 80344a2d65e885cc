/* SPDX-License-Identifier: LGPL-2.1 */
/* What the running kernel offers to BPF programs, of what etrace.bpf.c can use. */
#ifndef ETRACE_BPF_KERNEL_H
#define ETRACE_BPF_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/bpf/bpf_types.h"

/**
 * bpf_kernel_check - whether a session can be had here
 * @why: if not, what stands in the way and what to do about it, for a person
 *
 * Return: the kernel's own types, for bpf_types_free(); or NULL.
 */
struct bpf_types *bpf_kernel_check(char *why, size_t size);

/**
 * bpf_kernel_old - whether it takes only the older programs
 *
 * bpf_loop() came with 5.17; all else that the newer programs need is older.
 */
bool bpf_kernel_old(const struct bpf_types *t);

/**
 * bpf_kernel_perf - whether tracepoints' programs must be called by perf
 *
 * Tracepoints can be preempted, and a program there is passed by while another
 * task has been preempted in it.  Not so by perf, which takes longer, and for
 * which the numbers of its events must be read from tracefs.
 */
bool bpf_kernel_perf(const struct bpf_types *t);

/**
 * bpf_kernel_probes - whether hooks can be kprobes
 *
 * Only root may have them.  They are there in 2 ms each, and taken off as fast; what
 * else hooks a function waits each time for all tasks of the machine, and can be
 * preempted.
 */
bool bpf_kernel_probes(void);

/**
 * bpf_kernel_storage - whether a task can be given storage
 *
 * Kernels before 5.12 have none for programs, and some cannot allocate it in a
 * program: 7.x on a processor without cmpxchg16b.
 */
bool bpf_kernel_storage(void);

/**
 * bpf_kernel_memory - whether there is memory for so many bytes
 *
 * The kernel would look for it to the last page first, with everybody's
 * programs taken out of memory meanwhile.
 */
bool bpf_kernel_memory(uint32_t bytes);

#endif
