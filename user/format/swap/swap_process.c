// SPDX-License-Identifier: LGPL-2.1
/* Keeps the state of a SWAP target during a conversion.  See swap_process.h. */
#include "format/swap/swap_process.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/*
 * A koid is the target's pid or tid where possible, because users search for it.  If the
 * id was used before or is too large for Linux, the koid is a number from here on.
 */
#define FIRST_OWN_KOID	(1u << 23)

struct swap_processes *swap_processes_new(void)
{
	struct swap_processes *ps = xcalloc(1, sizeof(*ps));

	ps->next_koid = FIRST_OWN_KOID;
	TAILQ_INIT(&ps->processes);
	TAILQ_INIT(&ps->threads);
	return ps;
}

static void free_thread(struct swap_processes *ps, struct swap_thread *t)
{
	if (map64_pointer(&ps->by_tid, t->tid) == t)
		map64_remove(&ps->by_tid, t->tid);
	while (t->depth)
		swap_slice_pop(t);
	TAILQ_REMOVE(&ps->threads, t, by_use);
	ps->nthreads--;
	free(t->slices);
	free(t);
}

void swap_thread_forget(struct swap_processes *ps, struct swap_thread *t)
{
	map64_remove(&t->process->threads, t->tid);
	free_thread(ps, t);
}

void swap_process_forget(struct swap_processes *ps, struct swap_process *p)
{
	struct map64_slot *e;

	map64_remove(&ps->by_pid, p->pid);
	TAILQ_REMOVE(&ps->processes, p, by_use);
	for (size_t i = 0; (e = map64_each(&p->threads, &i));)
		free_thread(ps, (struct swap_thread *)(uintptr_t)e->value);
	map64_clear(&p->threads);
	map64_clear(&p->blocks);
	map64_clear(&p->spans);
	swap_unmap(p, 0, UINT64_MAX);
	ranges_free(&p->maps);
	for (unsigned int i = 0; i < SWAP_KEEP_ENDED; i++)
		if (ps->ended[i] == p)
			ps->ended[i] = NULL;
	free(p);
}

void swap_processes_free(struct swap_processes *ps)
{
	struct swap_process *p;

	if (!ps)
		return;
	while ((p = TAILQ_FIRST(&ps->processes)))
		swap_process_forget(ps, p);
	map64_clear(&ps->by_pid);
	map64_clear(&ps->by_tid);
	map64_clear(&ps->used_pids);
	map64_clear(&ps->used_tids);
	free(ps);
}

/* Return: the id itself on the first request for it, then new koids. */
static uint64_t koid_for(struct swap_processes *ps, struct map64 *used, uint32_t id)
{
	uint64_t *bits;

	if (!id || id >= FIRST_OWN_KOID)
		return ps->next_koid++;
	bits = map64_at(used, id / 64);
	if (*bits >> id % 64 & 1)
		return ps->next_koid++;
	*bits |= 1ull << id % 64;
	return id;
}

struct swap_process *swap_process_find(struct swap_processes *ps, uint32_t pid)
{
	struct swap_process *p = map64_pointer(&ps->by_pid, pid);

	if (p) {
		TAILQ_REMOVE(&ps->processes, p, by_use);
		TAILQ_INSERT_TAIL(&ps->processes, p, by_use);
	}
	return p;
}

struct swap_process *swap_process_add(struct swap_processes *ps, uint32_t pid)
{
	struct swap_process *p = swap_process_find(ps, pid);

	if (p)
		swap_process_forget(ps, p);
	p = xcalloc(1, sizeof(*p));
	p->all = ps;
	p->pid = pid;
	p->koid = koid_for(ps, &ps->used_pids, pid);
	map64_put(&ps->by_pid, pid, (uintptr_t)p);
	TAILQ_INSERT_TAIL(&ps->processes, p, by_use);
	return p;
}

void swap_process_end(struct swap_processes *ps, struct swap_process *p)
{
	struct swap_process **place = &ps->ended[ps->next_ended % SWAP_KEEP_ENDED];

	if (p->ended)
		return;
	ps->next_ended++;
	if (*place)
		swap_process_forget(ps, *place);
	*place = p;
	p->ended = true;
}

struct swap_process *swap_process_surplus(const struct swap_processes *ps)
{
	bool too_many = ps->by_pid.n > SWAP_MAX_PROCESSES ||
			(ps->nmaps > SWAP_MAX_ALL_MAPS && ps->by_pid.n > 1);

	return too_many ? TAILQ_FIRST(&ps->processes) : NULL;
}

struct swap_thread *swap_thread_surplus(const struct swap_processes *ps)
{
	return ps->nthreads > SWAP_MAX_THREADS ? TAILQ_FIRST(&ps->threads) : NULL;
}

struct swap_thread *swap_thread_find(const struct swap_process *p, uint32_t tid)
{
	struct swap_thread *t = map64_pointer(&p->threads, tid);

	if (t) {
		TAILQ_REMOVE(&p->all->threads, t, by_use);
		TAILQ_INSERT_TAIL(&p->all->threads, t, by_use);
	}
	return t;
}

struct swap_thread *swap_thread_add(struct swap_processes *ps, struct swap_process *p,
				    uint32_t tid)
{
	struct swap_thread *t = xcalloc(1, sizeof(*t));

	t->process = p;
	t->tid = tid;
	t->koid = koid_for(ps, &ps->used_tids, tid);
	map64_put(&p->threads, tid, (uintptr_t)t);
	map64_put(&ps->by_tid, tid, (uintptr_t)t);
	TAILQ_INSERT_TAIL(&ps->threads, t, by_use);
	ps->nthreads++;
	return t;
}

/* ---- mappings ---- */

void swap_unmap(struct swap_process *p, uint64_t low, uint64_t high)
{
	size_t before = p->maps.n;

	ranges_cut(&p->maps, low, high);
	p->all->nmaps += p->maps.n - before;
}

bool swap_map(struct swap_process *p, uint64_t low, uint64_t high, const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);

	if (low >= high)
		return true;
	swap_unmap(p, low, high);
	if (p->maps.n >= SWAP_MAX_MAPS)
		return false;
	if (slash && slash + 1 < path + len) {
		len -= (size_t)(slash + 1 - path);
		path = slash + 1;
	}
	if (len > SWAP_MAX_MAP_NAME)
		len = SWAP_MAX_MAP_NAME;
	ranges_put(&p->maps, &(struct range){ low, high, low, (char *)(uintptr_t)path }, len);
	p->all->nmaps++;
	return true;
}

/* ---- blocks ---- */

void swap_block_add(struct swap_process *p, uint64_t addr, uint64_t size)
{
	if (size >> 48)
		return;
	swap_block_remove(p, addr);
	map64_put(&p->blocks, addr, size);
	p->bytes += size;
}

void swap_block_remove(struct swap_process *p, uint64_t addr)
{
	const uint64_t *size = map64_get(&p->blocks, addr);

	if (!size)
		return;
	p->bytes -= *size;
	map64_remove(&p->blocks, addr);
}

/* ---- slices ---- */

int swap_slice_push(struct swap_thread *t, const char *category, uint64_t key,
		    const char *name)
{
	bool shown = t->depth < SWAP_MAX_NESTING;

	if (t->depth >= SWAP_MAX_DEPTH)
		return -1;
	t->slices = xgrow(t->slices, &t->cap, t->depth + 1, sizeof(*t->slices));
	t->slices[t->depth++] = (struct swap_slice){
		category, key, shown ? xstrdup(name) : NULL
	};
	return shown;
}

long swap_slice_match(const struct swap_thread *t, const char *category, uint64_t key)
{
	for (size_t i = t->depth; i-- > 0;)
		if (t->slices[i].key == key && !strcmp(t->slices[i].category, category))
			return (long)i;
	return -1;
}

void swap_slice_pop(struct swap_thread *t)
{
	free(t->slices[--t->depth].name);
}
