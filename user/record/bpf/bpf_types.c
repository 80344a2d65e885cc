// SPDX-License-Identifier: LGPL-2.1
/* The running kernel's types, by name.  See bpf_types.h. */
#include "record/bpf/bpf_types.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/xalloc.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct bpf_types {
	struct btf *btf;
	struct map64 first;	/* hash of a name: the first type of that name */
	uint32_t *next;		/* by type: next type with the same name, 0 if none */
};

/* Names of the types in record/bpf/kernel_types.h, which the programs use. */
static const char *const known[] = {
#include "record/bpf/kernel_names.h"
};

static const char *name_of(const struct bpf_types *t, const struct btf_type *type)
{
	return btf__name_by_offset(t->btf, type->name_off);
}

static uint64_t key_of(const char *name)
{
	return hash_bytes(name, strlen(name));
}

static void add_type(struct bpf_types *t, uint32_t id)
{
	const char *name = name_of(t, btf__type_by_id(t->btf, id));
	uint64_t *first;

	if (!*name)
		return;
	first = map64_at(&t->first, key_of(name));
	t->next[id] = (uint32_t)*first;
	*first = id;
}

struct bpf_types *bpf_types_load(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	struct bpf_types *t;
	uint32_t n;

	if (!btf)
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->btf = btf;
	n = btf__type_cnt(btf);
	t->next = xcalloc(n, sizeof(*t->next));
	for (uint32_t id = n - 1; id; id--)
		add_type(t, id);
	return t;
}

void bpf_types_free(struct bpf_types *t)
{
	if (!t)
		return;
	btf__free(t->btf);
	map64_clear(&t->first);
	free(t->next);
	free(t);
}

static uint32_t first_type(const struct bpf_types *t, const char *name)
{
	const uint64_t *id = map64_get(&t->first, key_of(name));

	return id ? (uint32_t)*id : 0;
}

const struct btf_type *bpf_types_find(const struct bpf_types *t, const char *name, uint32_t kind)
{
	for (uint32_t id = first_type(t, name); id; id = t->next[id]) {
		const struct btf_type *type = btf__type_by_id(t->btf, id);

		if (btf_kind(type) == kind)
			return type;
	}
	return NULL;
}

bool bpf_types_has(const struct bpf_types *t, const char *function)
{
	return bpf_types_find(t, function, BTF_KIND_FUNC);
}

bool bpf_types_has_struct(const struct bpf_types *t, const char *name)
{
	return bpf_types_find(t, name, BTF_KIND_STRUCT);
}

bool bpf_types_takes_struct(const struct bpf_types *t, const char *function)
{
	const struct btf_type *func = bpf_types_find(t, function, BTF_KIND_FUNC), *proto, *type;

	if (!func)
		return false;
	proto = btf__type_by_id(t->btf, func->type);
	for (uint32_t i = 0; i < btf_vlen(proto); i++) {
		type = btf__type_by_id(t->btf, btf_params(proto)[i].type);
		while (type && (btf_is_mod(type) || btf_is_typedef(type)))
			type = btf__type_by_id(t->btf, type->type);
		if (type && btf_is_composite(type))
			return true;
	}
	return false;
}

const char *bpf_types_text(const struct bpf_types *t, uint32_t offset)
{
	return btf__name_by_offset(t->btf, offset);
}

/* ---- a reduced set of types ---- */

/**
 * struct reduced - a copy of some types in another BTF
 * @ids: by id of the kernel's type: id of the copy, 0 if not copied yet
 * @pointer: id of the one pointer type, which stands for all
 */
struct reduced {
	const struct bpf_types *t;
	struct btf *btf;
	uint32_t *ids;
	uint32_t pointer;
};

static uint32_t take_type(struct reduced *r, uint32_t id);

/* Copies the members' types and sets their new ids in the struct @to. */
static void take_members(struct reduced *r, uint32_t to, const struct btf_type *type)
{
	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		uint32_t member = take_type(r, btf_members(type)[i].type);

		/* Adding types may have moved all of them in memory. */
		btf_members(btf__type_by_id(r->btf, to))[i].type = member;
	}
}

static int take_array(struct reduced *r, const struct btf_array *array)
{
	uint32_t index = take_type(r, array->index_type), of = take_type(r, array->type);

	return btf__add_array(r->btf, (int)index, (int)of, array->nelems);
}

/* Copies a type. Return: its new id, 0 for void and if it cannot be copied. */
static uint32_t take_type(struct reduced *r, uint32_t id)
{
	const struct btf_type *type = btf__type_by_id(r->t->btf, id);
	int to;

	if (!id || r->ids[id])
		return r->ids[id];
	switch (btf_kind(type)) {
	case BTF_KIND_PTR:
		return r->pointer;
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return r->ids[id] = take_type(r, type->type);
	case BTF_KIND_ARRAY:
		to = take_array(r, btf_array(type));
		return r->ids[id] = to > 0 ? (uint32_t)to : 0;
	}
	to = btf__add_type(r->btf, r->t->btf, type);
	if (to <= 0)
		return 0;
	r->ids[id] = (uint32_t)to;
	if (btf_is_composite(type)) {
		take_members(r, (uint32_t)to, type);
	} else if (btf_is_typedef(type)) {
		uint32_t of = take_type(r, type->type);

		((struct btf_type *)btf__type_by_id(r->btf, (uint32_t)to))->type = of;
	}
	return r->ids[id];
}

/* Writes the types into a file in memory. Return: its descriptor, -1 on error. */
static int keep_btf(const struct btf *btf)
{
	int fd = memfd_create("etrace-types", MFD_CLOEXEC);
	uint32_t size;
	const void *raw = btf__raw_data(btf, &size);

	if (fd >= 0 && raw && write(fd, raw, size) == (ssize_t)size)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int bpf_types_reduced(const struct bpf_types *t)
{
	struct reduced r = { .t = t };
	int fd = -1;

	/* This type may be in a module. */
	if (!bpf_types_has_struct(t, "unix_sock"))
		return -1;
	r.btf = btf__new_empty();
	if (!r.btf)
		return -1;
	r.ids = xcalloc(btf__type_cnt(t->btf), sizeof(*r.ids));
	r.pointer = (uint32_t)btf__add_ptr(r.btf, 0);
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		for (uint32_t id = first_type(t, known[i]); id; id = t->next[id]) {
			const struct btf_type *type = btf__type_by_id(t->btf, id);

			if (btf_is_composite(type) || btf_is_typedef(type))
				take_type(&r, id);
		}
	fd = keep_btf(r.btf);
	free(r.ids);
	btf__free(r.btf);
	return fd;
}
