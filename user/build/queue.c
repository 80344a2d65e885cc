// SPDX-License-Identifier: LGPL-2.1
/*
 * Data that programs send through pipes, FIFOs and sockets: etrace-db(5), rule 6.  See
 * build.h.
 *
 * A pipe is a queue: data that one program has read, no other one gets. If the trace
 * records how many bytes each access moved, each access is within a range of the byte
 * stream: after the bytes of all accesses that ended before it began, and before the
 * bytes of all that began after it ended.  A write can have reached a read if their
 * ranges overlap.
 */
#include "build/build.h"
#include "base/partition.h"
#include "base/xalloc.h"

#include <stdlib.h>

struct range {
	uint64_t from, to;
};

uint64_t build_moved(const struct build *b, const struct build_access *a)
{
	const uint64_t *bytes = map64_get(&b->moved, (uint64_t)(a - b->accesses));

	return bytes ? *bytes : 0;
}

int64_t build_began(const struct build *b, const struct build_access *a)
{
	const uint64_t *since = map64_get(&b->since, (uint64_t)(a - b->accesses));

	return since && *since ? (int64_t)*since : a->at;
}

/* Number of bytes that all accesses together had moved through a pipe up to a time. */
struct moved {
	int64_t at;
	uint64_t bytes;
};

static int by_time(const void *a, const void *b)
{
	const struct moved *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static void add_up(struct moved *m, uint32_t n)
{
	qsort(m, n, sizeof(*m), by_time);
	for (uint32_t i = 1; i < n; i++)
		m[i].bytes += m[i - 1].bytes;
}

static uint64_t moved_until(const struct moved *m, uint32_t n, int64_t at)
{
	size_t next = partition_point(i, 0, n, m[i].at <= at);

	return next ? m[next - 1].bytes : 0;
}

/* Find the range of each of @n accesses of a pipe: all its writes, or all other accesses. */
static void find_ranges(struct build *b, uint32_t version, uint32_t first, uint32_t n)
{
	struct moved *begun = xcalloc(n + 1ul, sizeof(*begun));
	struct moved *ended = xcalloc(n + 1ul, sizeof(*ended));

	for (uint32_t i = 0; i < n; i++) {
		const struct build_access *a = build_use(b, version, first + i);

		begun[i] = (struct moved){ a->at, build_moved(b, a) };
		ended[i] = (struct moved){ a->until, build_moved(b, a) };
	}
	add_up(begun, n);
	add_up(ended, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct build_access *a = build_use(b, version, first + i);
		/*
		 * accesses at the same moment are neither before nor after one that took no time
		 */
		bool moment = a->at >= a->until;
		uint64_t key = (uint64_t)(a - b->accesses);

		map64_put(&b->ranges_from, key, moved_until(ended, n, a->at - moment));
		map64_put(&b->ranges_to, key, moved_until(begun, n, a->until - !moment));
	}
	free(begun);
	free(ended);
}

static struct range range_of(const struct build *b, const struct build_access *a)
{
	const struct build_version *v = &b->versions[a->version];
	struct build *to = (struct build *)(uintptr_t)b;
	uint64_t key = (uint64_t)(a - b->accesses);

	if (!map64_get(&b->ranges_from, key)) {
		find_ranges(to, a->version, 0, v->writes);
		find_ranges(to, a->version, v->writes, v->uses - v->writes);
	}
	return (struct range){ *map64_get(&b->ranges_from, key), *map64_get(&b->ranges_to, key) };
}

bool build_flows(const struct build *b, const struct build_access *w, const struct build_access *r)
{
	const struct build_version *v = &b->versions[w->version];
	struct range out, in;

	/* a program already knows its own writes, unless the kernel copied them (splice()) */
	if (v->token || (w->exec == r->exec && !w->copied) || w->at >= r->until)
		return false;
	if (!v->counted)
		return true;
	out = range_of(b, w);
	in = range_of(b, r);
	return out.from < in.to && in.from < out.to;
}

/* ---- job tokens ---- */

/*
 * Maximum difference between bytes read and written by a user, or the filler, of a job token pool.
 */
#define TOKEN_MAX	16
#define TOKENS_MAX	4096

static bool access_writes(const struct build_access *a)
{
	return a->how == GRAPH_WRITE;
}

/* Number of bytes that one exec moved through a pipe. */
struct user {
	uint32_t exec;
	uint64_t in, out;
};

static int by_exec(const void *a, const void *b)
{
	const struct user *x = a, *y = b;

	return (x->exec > y->exec) - (x->exec < y->exec);
}

/* Return: an array of *@n users, freed by the caller. */
static struct user *users_of(const struct build *b, uint32_t version, size_t *n)
{
	const struct build_version *v = &b->versions[version];
	struct user *users = xcalloc(v->uses + 1ul, sizeof(*users));
	size_t last = 0;

	*n = 0;
	for (uint32_t i = 0; i < v->uses; i++) {
		const struct build_access *a = build_use(b, version, i);

		if (access_writes(a) || a->how == GRAPH_READ)
			users[(*n)++] = (struct user){ a->exec,
				access_writes(a) ? 0 : build_moved(b, a),
						       access_writes(a) ? build_moved(b, a) : 0 };
	}
	qsort(users, *n, sizeof(*users), by_exec);
	for (size_t i = 1; i < *n; i++) {
		if (users[last].exec != users[i].exec) {
			users[++last] = users[i];
			continue;
		}
		users[last].in += users[i].in;
		users[last].out += users[i].out;
	}
	*n = *n ? last + 1 : 0;
	return users;
}

static uint32_t first_writer(const struct build *b, uint32_t version)
{
	const struct build_access *first = build_use(b, version, 0);

	for (uint32_t i = 1; i < b->versions[version].writes; i++) {
		const struct build_access *a = build_use(b, version, i);

		if (a->at < first->at || (a->at == first->at && a->exec < first->exec))
			first = a;
	}
	return first->exec;
}

/*
 * Whether a pipe is a pool of job tokens. Either its filler takes tokens, too, and every
 * other exec gives back all but a few bytes of what it took (a forked child may give them
 * back instead); or the filler only fills it, and every other exec gives back everything.
 */
static bool is_pool(const struct user *users, size_t n, uint32_t filler)
{
	const struct user *by = NULL;
	bool few = true, all = true;

	for (size_t i = 0; i < n; i++) {
		const struct user *u = &users[i];
		uint64_t more = u->in > u->out ? u->in - u->out : u->out - u->in;

		if (u->exec == filler) {
			by = u;
			few &= more <= TOKENS_MAX;
		} else {
			few &= more <= TOKEN_MAX;
			all &= !more;
		}
	}
	return n > 1 && by && few && (by->in ? by->out : all);
}

void build_find_tokens(struct build *b)
{
	for (uint32_t i = 1; i <= b->nversions; i++) {
		struct build_version *v = &b->versions[i];
		struct user *users;
		size_t n;

		if (!build_is_queue(v) || !v->counted || !v->writes)
			continue;
		users = users_of(b, i, &n);
		v->token = is_pool(users, n, first_writer(b, i));
		free(users);
	}
}
