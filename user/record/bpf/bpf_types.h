/* SPDX-License-Identifier: LGPL-2.1 */
/* The running kernel's types and functions (BTF), by name. */
#ifndef ETRACE_BPF_TYPES_H
#define ETRACE_BPF_TYPES_H

#include <bpf/btf.h>
#include <stdbool.h>
#include <stdint.h>

struct bpf_types;

/** bpf_types_load - Return: for bpf_types_free(), or NULL with errno */
struct bpf_types *bpf_types_load(void);

/** bpf_types_free - @t: may be NULL */
void bpf_types_free(struct bpf_types *t);

/**
 * bpf_types_find - the type of that name
 * @kind: BTF_KIND_*
 *
 * Return: which lives as long as @t, or NULL.
 */
const struct btf_type *bpf_types_find(const struct bpf_types *t, const char *name, uint32_t kind);

/** bpf_types_has - whether there is a function of that name */
bool bpf_types_has(const struct bpf_types *t, const char *function);

/** bpf_types_has_struct - whether there is a struct of that name */
bool bpf_types_has_struct(const struct bpf_types *t, const char *name);

/** bpf_types_text - a text of the kernel's types, of @offset; lives as long as @t */
const char *bpf_types_text(const struct bpf_types *t, uint32_t offset);

/**
 * bpf_types_reduced - what the programs know of the types, as a file in memory
 *
 * libbpf goes through all types of the kernel for each that a program names: with
 * these few it is done in no time.  Their numbers are not those of the kernel, and
 * what pointers point to is left out.
 *
 * Return: its descriptor, for close(); -1 if it cannot be had, or if what is not in
 * the kernel itself may be in one of its modules.
 */
int bpf_types_reduced(const struct bpf_types *t);

#endif
