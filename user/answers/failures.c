// SPDX-License-Identifier: LGPL-2.1
/* Finds the failures of a build.  See failures.h. */
#include "answers/failures.h"
#include "base/signame.h"
#include "base/xalloc.h"
#include "build/build.h"

#include <stdlib.h>
#include <string.h>

static const char *const words[FAILURE_KINDS] = {
	"", "first", "real", "passed on", "followed", "probe", "answer", "ignored",
};

const char *failure_word(enum failure_kind kind)
{
	return words[kind];
}

static const struct build_exec *exec_of(const struct failures *f, uint32_t exec)
{
	return &build_of(f->db)->execs[exec];
}

/* ---- processes ---- */

/* Find the first and last exec of each process, and the process that waits for it. */
static void find_processes(struct failures *f)
{
	const struct build *b = build_of(f->db);
	uint32_t n = db_ids(f->db, DB_PROCESSES);
	uint32_t *first = xcalloc(n + 1ul, sizeof(*first)), *last = xcalloc(n + 1ul, sizeof(*last));

	for (uint32_t i = 1; i <= b->nexecs; i++) {
		uint32_t process = b->execs[i].process;

		if (!process)
			continue;
		first[process] = first[process] ? first[process] : i;
		last[process] = i;
	}
	for (uint32_t i = 1; i <= n; i++) {
		struct failure_node *node = &f->nodes[last[i]];
		uint32_t parent = first[i] ? b->execs[first[i]].parent : 0;

		if (!last[i])
			continue;
		node->last = true;
		node->begun = first[i];
		node->up = parent ? last[b->execs[parent].process] : 0;
		/* only in a damaged trace: the process would be its own caller */
		if (node->up == last[i])
			node->up = 0;
	}
	free(first);
	free(last);
}

static void find_failed(struct failures *f)
{
	for (uint32_t i = 1; i <= build_of(f->db)->nexecs; i++) {
		const struct build_exec *e = exec_of(f, i);
		struct failure_node *node = &f->nodes[i];

		if (!node->last)
			continue;
		node->open = e->ended != GRAPH_ENDED_EXIT || (e->status < 0 && e->signal < 0);
		node->failed = !node->open && (e->status > 0 || e->signal > 0);
		if (node->failed)
			f->nlist++;
	}
}

static int by_end(const void *a, const void *b, void *ctx)
{
	const struct build_exec *execs = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (execs[x].until != execs[y].until)
		return execs[x].until < execs[y].until ? -1 : 1;
	return (x > y) - (x < y);
}

/* Sort the children of each process, and the list of failures, by the time when they ended. */
static void sort_ends(struct failures *f)
{
	uint32_t n = build_of(f->db)->nexecs, count = 0, sum = 0;
	uint32_t *all = xcalloc(n + 1ul, sizeof(*all));

	for (uint32_t i = 1; i <= n; i++) {
		if (!f->nodes[i].last)
			continue;
		all[count++] = i;
		f->nodes[f->nodes[i].up].calls++;
	}
	qsort_r(all, count, sizeof(*all), by_end, build_of(f->db)->execs);
	for (uint32_t i = 0; i <= n; i++) {
		f->nodes[i].first = sum;
		sum += f->nodes[i].calls;
		f->nodes[i].calls = 0;
	}
	f->children = xcalloc(count + 1ul, sizeof(*f->children));
	f->list = xcalloc(f->nlist + 1ul, sizeof(*f->list));
	f->nlist = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct failure_node *node = &f->nodes[all[i]], *up = &f->nodes[node->up];

		f->children[up->first + up->calls++] = all[i];
		if (node->failed)
			f->list[f->nlist++] = all[i];
	}
	free(all);
}

/* ---- from the bottom to the top, and back ---- */

/* Processes in the order of their first exec: callers before their calls. */
static uint32_t *in_order(const struct failures *f, uint32_t *n)
{
	uint32_t nexecs = build_of(f->db)->nexecs;
	uint32_t *order = xcalloc(nexecs + 1ul, sizeof(*order));

	*n = 0;
	for (uint32_t i = 1; i <= nexecs; i++)
		if (f->nodes[i].last)
			order[f->nodes[i].begun] = i;
	for (uint32_t i = 1; i <= nexecs; i++)
		if (order[i])
			order[(*n)++] = order[i];
	return order;
}

/*
 * Find how processes react to failed calls; only for processes that failed or did not end, and
 * their callers.
 */
static void find_callers(struct failures *f, const uint32_t *order, uint32_t n)
{
	bool *wanted = xcalloc(build_of(f->db)->nexecs + 1ul, sizeof(*wanted));

	for (uint32_t i = n; i--;) {
		const struct failure_node *node = &f->nodes[order[i]];

		wanted[order[i]] |= node->failed || node->open;
		wanted[node->up] |= wanted[order[i]];
	}
	for (uint32_t i = 0; i < n; i++) {
		struct failure_node *node = &f->nodes[order[i]];

		if (wanted[order[i]])
			node->caller = failures_caller_of(f, order[i], &node->answers);
	}
	free(wanted);
}

static void blame_all(struct failures *f, const uint32_t *order, uint32_t n)
{
	while (n--) {
		struct failure_node *node = &f->nodes[order[n]];

		if (!node->failed && !node->open)
			continue;
		failures_blame(f, order[n]);
		/* the trace lacks its end: it counts as failed if one of its calls made it fail */
		if (node->open)
			node->failed = node->cause;
	}
}

/*
 * The root is the process that ended with the status of the recording.  Other processes
 * without a caller may have been recorded with its cgroup.
 */
static void find_root(struct failures *f, const uint32_t *order, uint32_t n)
{
	int64_t session = db_meta(f->db, "status", -1);
	uint32_t as_session = 0, roots = 0;
	size_t len;

	for (uint32_t i = 0; i < n; i++) {
		const struct failure_node *node = &f->nodes[order[i]];

		if (node->up)
			continue;
		roots++;
		f->root = f->root ? f->root : order[i];
		if (!as_session && node->failed && failures_shell_status(exec_of(f, order[i])) == session)
			as_session = order[i];
	}
	f->attached = session < 0 && db_meta_text(f->db, "backend", &len);
	f->root = as_session ? as_session : f->root;
	f->status = -1;
	if (f->root && !f->nodes[f->root].open && (!f->attached || roots == 1))
		f->status = failures_shell_status(exec_of(f, f->root));
	if (session >= 0)
		f->status = (int)session;
}

/* Whether a process without a caller in the trace makes the build fail. */
static bool exec_decides(const struct failures *f, uint32_t exec)
{
	if (f->attached)
		return f->nodes[exec].failed && !f->nodes[exec].answers;
	if (f->status >= 0 && exec == f->root)
		return f->status > 0;
	return f->status < 0 && f->nodes[exec].failed;
}

static void find_counting(struct failures *f, const uint32_t *order, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct failure_node *node = &f->nodes[order[i]];

		node->counts = node->up ? node->blamed && f->nodes[node->up].counts :
			       exec_decides(f, order[i]);
		f->failed |= node->counts;
	}
}

/* ---- kinds ---- */

static bool is_asked(const struct failures *f, uint32_t exec)
{
	for (uint32_t i = exec; i; i = f->nodes[i].up)
		if (f->nodes[i].caller == CALLER_CONFIGURES)
			return true;
	return false;
}

static bool is_after_another(const struct failures *f, uint32_t exec)
{
	for (uint32_t i = exec; i; i = f->nodes[i].up)
		if (f->nodes[i].followed)
			return true;
	return f->first && failures_was_stopped(exec_of(f, exec)) &&
	       exec_of(f, exec)->until >= exec_of(f, f->first)->until;
}

static enum failure_kind kind_of(const struct failures *f, uint32_t exec)
{
	const struct failure_node *node = &f->nodes[exec];

	if (node->cause)
		return FAILURE_PASSED_ON;
	if (node->counts)
		return exec == f->first ? FAILURE_FIRST : FAILURE_REAL;
	if (is_after_another(f, exec))
		return FAILURE_FOLLOWED;
	if (is_asked(f, exec))
		return FAILURE_PROBE;
	return node->answers ? FAILURE_ANSWER : FAILURE_IGNORED;
}

/* If the first failure lacked what an ignored one should have made, the ignored one is the first. */
static void prefer_earlier(struct failures *f)
{
	uint32_t lacking = f->first, earlier = lacking ? failures_earlier(f, lacking) : 0;

	if (!earlier)
		return;
	f->first = earlier;
	f->lacking = lacking;
	f->nodes[earlier].counts = true;
	f->nodes[lacking].counts = false;
	f->nodes[lacking].followed = true;
}

static void find_kinds(struct failures *f)
{
	uint32_t nexecs = build_of(f->db)->nexecs;

	for (size_t i = 0; i < f->nlist && !f->first; i++)
		if (f->nodes[f->list[i]].counts && !f->nodes[f->list[i]].cause)
			f->first = f->list[i];
	/* the build failed, but no process that ended did */
	for (uint32_t i = 1; i <= nexecs && f->failed && !f->first; i++)
		if (f->nodes[i].counts && !f->nodes[i].cause)
			f->first = i;
	prefer_earlier(f);
	for (uint32_t i = 1; i <= nexecs; i++) {
		if (!f->nodes[i].failed && i != f->first)
			continue;
		f->nodes[i].kind = kind_of(f, i);
		f->counts[f->nodes[i].kind]++;
	}
}

static void free_failures(struct failures *f)
{
	failures_free_script(f->script);
	free(f->nodes);
	free(f->children);
	free(f->list);
	free(f);
}

struct failures *failures_of(struct db *db)
{
	struct failures *f = db->failures;
	uint32_t n, *order;

	if (f)
		return f;
	f = xcalloc(1, sizeof(*f));
	db->failures = f;
	db->free_failures = free_failures;
	f->db = db;
	f->script = failures_new_script();
	f->nodes = xcalloc(build_of(db)->nexecs + 1ul, sizeof(*f->nodes));
	find_processes(f);
	find_failed(f);
	sort_ends(f);
	order = in_order(f, &n);
	find_callers(f, order, n);
	blame_all(f, order, n);
	find_root(f, order, n);
	find_counting(f, order, n);
	find_kinds(f);
	free(order);
	return f;
}

void failures_forget(struct db *db)
{
	free_failures(db->failures);
	db->failures = NULL;
}

/* ---- queries ---- */

enum failure_kind failures_kind(const struct failures *f, uint32_t exec)
{
	return f->nodes[exec].kind;
}

uint32_t failures_first(const struct failures *f)
{
	return f->first;
}

size_t failures_count(const struct failures *f, enum failure_kind kind)
{
	return f->counts[kind];
}

const uint32_t *failures_list(const struct failures *f, size_t *n)
{
	*n = f->nlist;
	return f->list;
}

bool failures_failed(const struct failures *f)
{
	return f->failed;
}

int failures_status(const struct failures *f)
{
	return f->status;
}

uint32_t failures_cause(const struct failures *f, uint32_t exec)
{
	return f->nodes[exec].cause;
}

uint32_t failures_caller(const struct failures *f, uint32_t exec)
{
	return f->nodes[exec].up;
}

size_t failures_after(const struct failures *f, uint32_t exec)
{
	size_t n = exec == f->first ? f->counts[FAILURE_FOLLOWED] : 0;
	uint32_t i = failures_command(f, exec == f->first && f->lacking ? f->lacking : exec);

	while (f->nodes[i].blamed && f->nodes[i].up) {
		i = f->nodes[i].up;
		n += f->nodes[i].failed && !exec_of(f, i)->forked;
	}
	return n;
}

void failures_how(struct db *db, uint32_t exec, struct buf *to)
{
	const struct build_exec *e = &build_of(db)->execs[exec];
	char name[32];

	if (e->signal > 0) {
		signal_name((unsigned int)e->signal, name, sizeof(name));
		buf_adds(to, name);
		return;
	}
	/* the trace lacks its end */
	if (e->status < 0) {
		buf_adds(to, "an unknown status");
		return;
	}
	buf_adds(to, "exit status ");
	buf_addu(to, (uint64_t)e->status);
}
