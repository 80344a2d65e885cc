/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ETRACE_USE_CALLS_BPF_H
#define ETRACE_USE_CALLS_BPF_H
#include "bpf/call.bpf.h"
#define S(id) static __always_inline bool fill_##id(const struct call *c, const bool old) { return false; }
S(read) S(write) S(read_some) S(write_some) S(copy) S(vmsplice) S(mmap)
#endif
