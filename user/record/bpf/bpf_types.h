/* SPDX-License-Identifier: LGPL-2.1 */
/* The running kernel's types and functions (BTF), by name. */
#ifndef ETRACE_BPF_TYPES_H
#define ETRACE_BPF_TYPES_H

#include <bpf/btf.h>
#include <stdbool.h>
#include <stdint.h>

struct bpf_types;

/** bpf_types_load - load the types, for bpf_types_free(). Return: NULL with errno on error */
struct bpf_types *bpf_types_load(void);

/** bpf_types_free - @t: may be NULL */
void bpf_types_free(struct bpf_types *t);

/**
 * bpf_types_find - the type with a name
 * @kind: BTF_KIND_*
 *
 * Return: the type, valid as long as @t, or NULL if none.
 */
const struct btf_type *bpf_types_find(const struct bpf_types *t, const char *name, uint32_t kind);

/** bpf_types_has - whether the kernel has a function with that name */
bool bpf_types_has(const struct bpf_types *t, const char *function);

/** bpf_types_takes_struct - whether an argument of a function is a struct, not a pointer to one */
bool bpf_types_takes_struct(const struct bpf_types *t, const char *function);

/** bpf_types_has_struct - whether the kernel has a struct with that name */
bool bpf_types_has_struct(const struct bpf_types *t, const char *name);

/** bpf_types_text - the name at @offset in the types' strings; valid as long as @t */
const char *bpf_types_text(const struct bpf_types *t, uint32_t offset);

/**
 * bpf_types_reduced - the types that the programs use, as a file in memory
 *
 * For each type that a program names, libbpf searches all types of the kernel: with
 * these few it takes almost no time.  Their ids differ from the kernel's, and the
 * types that pointers point to are left out.
 *
 * Return: the file's descriptor, for close(); -1 on error, or if a type that is not in
 * the kernel itself may be in one of its modules.
 */
int bpf_types_reduced(const struct bpf_types *t);

#endif
