// SPDX-License-Identifier: LGPL-2.1
/*
 * Writes the calls of SWAP as FXT: functions, system calls, functions of files and of
 * web pages, samples, and the probe messages.
 */
#include "format/swap/swap_fxt_state.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- functions ---- */

/* Format the message's address as library and offset. */
static void pc_name(struct swap_fxt *s, char *buf, size_t size)
{
	swap_fxt_location(buf, size, swap_fxt_process(s), swap_wide(&s->f, "pc"));
}

/* Add the caller as an argument, if its library is known. */
static void add_caller(struct swap_fxt *s)
{
	struct swap_process *p = swap_fxt_process(s);
	char text[SWAP_NAME_BYTES + 1];

	if (!p || !swap_mapping_at(p, swap_wide(&s->f, "caller")))
		return;
	swap_fxt_location(text, sizeof(text), p, swap_wide(&s->f, "caller"));
	fxt_args_own(&s->args, "called_from", text);
}

/* Before protocol 4.0, system calls were functions with probe type 3 (kernel). */
static enum swap_slice_kind call_kind(const struct swap_fxt *s)
{
	uint32_t id = s->m->row->id;
	bool syscall = id == SWAP_SYSCALL_ENTRY || id == SWAP_SYSCALL_EXIT ||
		       swap_num(&s->f, "probe_type") == 3;

	return syscall ? SWAP_SLICE_SYSCALL : SWAP_SLICE_FUNCTION;
}

void swap_fxt_on_entry(struct swap_fxt *s)
{
	char name[SWAP_NAME_BYTES + 1];

	pc_name(s, name, sizeof(name));
	add_caller(s);
	swap_fxt_begin(s, call_kind(s), swap_wide(&s->f, "pc"), name);
}

void swap_fxt_on_exit(struct swap_fxt *s)
{
	char name[SWAP_NAME_BYTES + 1];

	pc_name(s, name, sizeof(name));
	swap_fxt_finish(s, call_kind(s), swap_wide(&s->f, "pc"), name);
}

void swap_fxt_on_file_entry(struct swap_fxt *s)
{
	uint32_t event = swap_num(&s->f, "event");
	const char *what = swap_get(&s->f, "event") ?
			   swap_value_name(swap_file_operations, event) : NULL;
	char name[64];

	if (what)
		snprintf(name, sizeof(name), "file %s", what);
	else
		snprintf(name, sizeof(name), "file event %" PRIu32, event);
	swap_fxt_begin(s, SWAP_SLICE_FILE, 0, name);
}

void swap_fxt_on_file_exit(struct swap_fxt *s)
{
	swap_fxt_finish(s, SWAP_SLICE_FILE, 0, "file function");
}

void swap_fxt_on_sample(struct swap_fxt *s)
{
	struct swap_process *p = swap_fxt_process(s);
	char name[SWAP_NAME_BYTES + 1];

	if (p && swap_mapping_at(p, swap_wide(&s->f, "pc"))) {
		pc_name(s, name, sizeof(name));
		fxt_args_own(&s->args, "location", name);
	}
	swap_fxt_instant(s, "sample", "sample");
}

/* ---- web ---- */

static uint64_t web_key(const struct swap_fxt *s)
{
	const struct swap_value *name = swap_get(&s->f, "name");

	return name ? hash_bytes(name->p, name->n) : 0;
}

static void web_name(const struct swap_fxt *s, char *buf)
{
	const struct swap_value *name = swap_get(&s->f, "name");

	if (name && name->n)
		swap_fxt_make_name(buf, (const char *)name->p, name->n);
	else
		swap_fxt_make_name(buf, "(anonymous)", strlen("(anonymous)"));
}

void swap_fxt_on_web_sampling(struct swap_fxt *s)
{
	char name[SWAP_NAME_BYTES + 1];

	/* The protocol document's layout has a subtype and no exits: a sample. */
	if (swap_get(&s->f, "subtype")) {
		swap_fxt_instant(s, "web", "web sample");
		return;
	}
	web_name(s, name);
	swap_fxt_begin(s, SWAP_SLICE_WEB, web_key(s), name);
}

void swap_fxt_on_web_exit(struct swap_fxt *s)
{
	char name[SWAP_NAME_BYTES + 1];

	web_name(s, name);
	swap_fxt_finish(s, SWAP_SLICE_WEB, web_key(s), name);
}

/* ---- probes ---- */

static void count_memory(struct swap_fxt *s)
{
	struct swap_process *p = swap_fxt_process(s);
	uint64_t address = swap_wide(&s->f, "address"), size = swap_wide(&s->f, "size");
	struct swap_value first = { 0 };

	if (!p || !swap_get(&s->f, "address"))
		return;
	/* realloc is one message, an allocation with the old block as its first argument. */
	if (s->m->len >= 25 && swap_u32(s->m->payload + 12) && s->m->payload[16] == 'p')
		first.u = swap_u64(s->m->payload + 17);
	switch (swap_num(&s->f, "kind")) {
	case 0:
		if (address || !size)
			swap_block_remove(p, first.u);
		if (address)
			swap_block_add(p, address, size);
		break;
	case 1:
		swap_block_remove(p, address);
		break;
	default:
		return;
	}
	fxt_args_reset(&s->args);
	fxt_args_u64(&s->args, "live_bytes", p->bytes);
	fxt_args_u64(&s->args, "live_blocks", p->blocks.n);
	swap_fxt_counter(s, p, "live memory", 0);
}

void swap_fxt_on_probe(struct swap_fxt *s)
{
	const struct swap_row *probe = s->m->row;
	uint32_t api = swap_num(&s->f, "api_id");
	uint64_t key = (uint64_t)probe->id << 32 | api;
	uint32_t operation = swap_num(&s->f, "operation");
	uint32_t bit = operation < 31 ? 1u << operation : 0;
	char name[SWAP_NAME_BYTES + 1];

	if (s->item->api)
		swap_fxt_make_name(name, s->item->api, strlen(s->item->api));
	else
		snprintf(name, sizeof(name), "api %" PRIu32, api);
	if (bit & probe->starts) {
		s->starting = true;
		swap_fxt_collect(s, NULL);
		s->starting = false;
		swap_fxt_begin(s, SWAP_SLICE_PROBE, key, name);
		return;
	}
	if (bit && (bit >> 1 & probe->starts)) {
		swap_fxt_finish(s, SWAP_SLICE_PROBE, key, name);
		return;
	}
	swap_fxt_instant(s, probe->category, name);
	if (probe->id == SWAP_PROBE_MEMORY)
		count_memory(s);
}
