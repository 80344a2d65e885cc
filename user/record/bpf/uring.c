// SPDX-License-Identifier: LGPL-2.1
/* Loads and attaches the programs for io_urings.  See uring.h. */
#include "record/bpf/uring.h"
#include "record/bpf/bpf_types.h"
#include "record/bpf/rows.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "etrace.skel.h"

bool uring_has(const struct bpf_program *p)
{
	return !strncmp(bpf_program__name(p), "ring_", 5);
}

bool uring_counts(const struct bpf_program *p)
{
	return uring_has(p) && strchr(bpf_program__section_name(p), '/');
}

static bool is_for_end(const struct bpf_program *p)
{
	return !strcmp(bpf_program__section_name(p), "kretprobe");
}

/* Is the operation to be recorded, or counted? Rows of calls that are not requested are empty. */
static bool is_wanted(const struct etrace_bpf *session, const struct eb_ring_def *def)
{
	return def->row == EB_RING_UNSEEN || session->rodata->rows[def->row].record;
}

void uring_forget(struct etrace_bpf *session)
{
	for (unsigned int i = 0; i < eb_nr_rings; i++)
		if (is_wanted(session, &eb_ring_defs[i]))
			session->bss->ring_row[eb_ring_defs[i].number] = EB_RING_UNSEEN;
}

/* Is there a function to attach to that carries out this operation? */
static bool is_seen(const struct uring *u, const struct eb_ring_def *def)
{
	for (unsigned int i = 0; def->function && i < u->nfunctions; i++)
		if (!strcmp(u->functions[i], def->function))
			return true;
	return false;
}

/* Finds which of the functions this kernel has. Return: 0 or -errno. */
static int find_functions(struct uring *u)
{
	struct bpf_types *types = bpf_types_load();

	if (!types)
		return -errno;
	u->multi = bpf_types_has_struct(types, "bpf_kprobe_multi_link");
	/* Requests have the layout that the programs know since 6.1. */
	if (bpf_types_has_struct(types, "io_cmd_data")) {
		for (unsigned int i = 0; i < eb_nr_rings; i++) {
			const struct eb_ring_def *def = &eb_ring_defs[i];

			if (u->nfunctions < URING_FUNCTIONS && def->function &&
			    !is_seen(u, def) && bpf_types_has(types, def->function))
				u->functions[u->nfunctions++] = def->function;
		}
	}
	bpf_types_free(types);
	return 0;
}

/* Lets the programs use the session's maps. Return: 0 or -errno. */
static int share_maps(const struct uring *u, const struct etrace_bpf *session)
{
	struct bpf_map *map, *has;
	int err = 0;

	bpf_object__for_each_map(map, u->skel->obj) {
		has = bpf_object__find_map_by_name(session->obj, bpf_map__name(map));
		if (bpf_map__fd(has) < 0)
			err = bpf_map__set_autocreate(map, false);
		else
			err = bpf_map__reuse_fd(map, bpf_map__fd(has));
		if (err)
			break;
	}
	return err;
}

static int load_program(struct uring *u, const struct etrace_bpf *session)
{
	struct bpf_program *p;
	int err;

	bpf_object__for_each_program(p, u->skel->obj) {
		bpf_program__set_autoload(p, uring_has(p) && !uring_counts(p));
		if (bpf_program__autoload(p) && u->multi)
			bpf_program__set_expected_attach_type(p, BPF_TRACE_KPROBE_MULTI);
	}
	err = share_maps(u, session);
	return err ? err : etrace_bpf__load(u->skel);
}

static int add_link(struct uring *u, struct bpf_link *link)
{
	if (!link)
		return -errno;
	u->links[u->nlinks++] = link;
	return 0;
}

/* Attaches a program to all functions. Return: 0 or -errno. */
static int attach_all(struct uring *u, const struct bpf_program *p)
{
	int err = 0;

	if (u->multi)
		return add_link(u, bpf_program__attach_kprobe_multi_opts(p, NULL,
			&(struct bpf_kprobe_multi_opts){
				.sz = sizeof(struct bpf_kprobe_multi_opts),
				.syms = u->functions,
				.cnt = u->nfunctions,
				.retprobe = is_for_end(p),
			}));
	for (unsigned int i = 0; !err && i < u->nfunctions; i++)
		err = add_link(u, bpf_program__attach_kprobe(p, is_for_end(p), u->functions[i]));
	return err;
}

int uring_attach(struct uring *u, struct etrace_bpf *session, bool old)
{
	int err = old ? 0 : find_functions(u);

	if (err || !u->nfunctions)
		return err;
	err = load_program(u, session);
	if (!err)
		err = attach_all(u, u->skel->progs.ring_end);
	if (!err)
		err = attach_all(u, u->skel->progs.ring_begin);
	for (unsigned int i = 0; !err && i < eb_nr_rings; i++) {
		const struct eb_ring_def *def = &eb_ring_defs[i];

		if (is_seen(u, def) && is_wanted(session, def))
			session->bss->ring_row[def->number] = def->row;
	}
	return err;
}

size_t uring_fds(const struct uring *u, int *fds)
{
	for (unsigned int i = 0; i < u->nlinks; i++)
		fds[i] = bpf_link__fd(u->links[i]);
	return u->nlinks;
}

void uring_detach(struct uring *u)
{
	for (unsigned int i = 0; i < u->nlinks; i++)
		bpf_link__destroy(u->links[i]);
	etrace_bpf__destroy(u->skel);
}
