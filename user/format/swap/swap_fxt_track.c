// SPDX-License-Identifier: LGPL-2.1
/*
 * SWAP as FXT: writes the tracks of processes and threads, their names, and the events on
 * them.
 */
#include "format/swap/swap_fxt_state.h"
#include "base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct diag_kind kind_write = {
	"records that FXT has no room for", DIAG_DAMAGE
};

/* ---- names ---- */

void swap_fxt_make_name(char *buf, const char *s, size_t len)
{
	char *copy = NULL;
	size_t n = len;

	if (!utf8_valid(s, len)) {
		/* The beginning is enough: replacing bytes makes nothing shorter. */
		copy = utf8_replace(s, len < SWAP_NAME_BYTES ? len : SWAP_NAME_BYTES, &n);
		s = copy;
	}
	n = utf8_cut(s, n, SWAP_NAME_BYTES);
	memcpy(buf, s, n);
	buf[n] = 0;
	free(copy);
}

void swap_fxt_location(char *buf, size_t size, const struct swap_process *p, uint64_t addr)
{
	const struct range *m = p ? swap_mapping_at(p, addr) : NULL;
	char name[SWAP_NAME_BYTES + 1];

	if (m) {
		swap_fxt_make_name(name, m->name, strlen(m->name));
		name[utf8_cut(name, strlen(name), SWAP_NAME_BYTES - 20)] = 0;
		snprintf(buf, size, "%s+0x%" PRIx64, name, addr - m->base);
	} else {
		snprintf(buf, size, "0x%" PRIx64, addr);
	}
}

void swap_fxt_check(struct swap_fxt *s, int ret)
{
	if (ret == -E2BIG)
		diag_report(s->diag, &kind_write, NULL, DIAG_OFFSET, s->m->offset, NULL);
}

/* ---- tracks ---- */

void swap_fxt_name_process(struct swap_fxt *s, const struct swap_process *p, const char *text,
			   size_t len)
{
	char name[SWAP_NAME_BYTES + 1], full[SWAP_NAME_BYTES + 32];

	swap_fxt_make_name(name, text, len);
	snprintf(full, sizeof(full), "%s [%" PRIu32 "]", name, p->pid);
	swap_fxt_check(s, fxt_process_name(s->w, p->koid, fxt_cstr(full)));
}

void swap_fxt_name_thread(struct swap_fxt *s, const struct swap_thread *t, const char *text,
			  size_t len)
{
	char name[SWAP_NAME_BYTES + 1], full[SWAP_NAME_BYTES + 32];

	swap_fxt_make_name(name, text, len);
	snprintf(full, sizeof(full), "%s [%" PRIu32 "]", name, t->tid);
	swap_fxt_check(s, fxt_thread_name(s->w, t->process->koid, t->koid, fxt_cstr(full)));
}

struct swap_process *swap_fxt_add_process(struct swap_fxt *s, uint32_t pid)
{
	struct swap_process *p = swap_process_add(s->ps, pid);

	swap_fxt_name_process(s, p, "process", 7);
	return p;
}

struct swap_process *swap_fxt_get_process(struct swap_fxt *s, uint32_t pid)
{
	struct swap_process *p = swap_process_find(s->ps, pid);

	return p ? p : swap_fxt_add_process(s, pid);
}

struct swap_thread *swap_fxt_get_thread(struct swap_fxt *s, struct swap_process *p, uint32_t tid)
{
	struct swap_thread *t = swap_thread_find(p, tid);

	if (t)
		return t;
	t = swap_thread_add(s->ps, p, tid);
	swap_fxt_name_thread(s, t, tid == p->pid ? "main" : "thread", tid == p->pid ? 4 : 6);
	return t;
}

struct swap_process *swap_fxt_process(struct swap_fxt *s)
{
	return swap_get(&s->f, "pid") ? swap_fxt_get_process(s, swap_num(&s->f, "pid")) : NULL;
}

struct swap_thread *swap_fxt_thread(struct swap_fxt *s)
{
	struct swap_process *p = swap_fxt_process(s);
	const char *id = swap_get(&s->f, "tid") ? "tid" : "pid";

	return p ? swap_fxt_get_thread(s, p, swap_num(&s->f, id)) : NULL;
}

/* ---- events ---- */

void swap_fxt_event(struct swap_fxt *s, enum fxt_event_type type, uint64_t time,
		    const struct swap_thread *t, const char *category, const char *name,
		    uint64_t value)
{
	struct fxt_event ev = {
		.type = type,
		.time = time,
		.process = t ? t->process->koid : s->system_process,
		.thread = t ? t->koid : s->system_thread,
		.category = fxt_cstr(category),
		.name = fxt_cstr(name),
		.value = value,
	};

	/* A consumer takes each instant with "frame" in its name for a frame marker. */
	if (type == FXT_EV_INSTANT && strstr(name, "frame")) {
		fxt_args_own(&s->args, "event", name);
		ev.name = fxt_cstr(category);
	}
	swap_fxt_check(s, fxt_args_event(&s->args, s->w, &ev));
}

void swap_fxt_instant(struct swap_fxt *s, const char *category, const char *name)
{
	swap_fxt_event(s, FXT_EV_INSTANT, s->time, swap_fxt_thread(s), category, name, 0);
}
