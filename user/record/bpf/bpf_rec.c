// SPDX-License-Identifier: LGPL-2.1
/* Turns records of the BPF programs into events.  See bpf_rec.h and bpf_abi.h. */
#include "record/bpf/bpf_rec.h"
#include "record/bpf/bpf_abi.h"
#include "record/bpf/bpf_text.h"
#include "base/buf.h"
#include "event/event_queue.h"
#include "base/map64.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/etrace_secrets.h"

/*
 * A record is sent a moment after its time was taken, so records of different CPUs
 * are out of order by microseconds, or by more if a task was preempted in between.
 * An event is held back for HOLD_NS, in case earlier ones follow, or until more than
 * HOLD_EVENTS are held.
 */
#define HOLD_NS		20000000u
#define HOLD_EVENTS	65536u

#define COMM_MAX	15	/* bytes of a thread's name */
/* Maximum bytes that a task's buffer keeps while it is not in use. */
#define KEEP_BYTES	4096u

/* Records of events have the same kind as the events. */
#define EVENT(ID, id, name, category, where, doc) \
	_Static_assert((int)EB_##ID == (int)ET_K_##ID, "bpf_abi.h and schema.h: " name);
#include "kernel/etrace_events.def"

/* State of a task between its records: EB_PART, EB_HOLD and EB_USES. */
struct task {
	struct buf parts;	/* bytes of an event that is not complete yet */
	struct text held[EB_NR_STR];	/* names that a hook has sent */
	uint64_t *fds;		/* bitmap of the descriptors that the next call closes */
	size_t nfds, fds_cap;	/* in words */
	struct eb_use *uses;	/* uses of the descriptors that the next call closes */
	size_t nuses, uses_cap;
};

struct bpf_rec {
	struct bpf_rec_ops ops;
	char keep_env[ET_KEEP_ENV_MAX];
	struct bpf_rec_tally tally;
	struct map64 tasks;	/* upid to struct task */
	struct text str[EB_NR_STR];	/* strings of the current event */
	struct event_queue queue;
};

struct bpf_rec *bpf_rec_new(struct sink *sink, const struct bpf_rec_ops *ops)
{
	struct bpf_rec *b = xcalloc(1, sizeof(*b));

	b->queue.sink = sink;
	b->queue.size = sizeof(struct et_event);
	if (ops)
		b->ops = *ops;
	if (b->ops.keep_env)
		et_keep_env(b->keep_env, b->ops.keep_env);
	return b;
}

static void free_task(struct task *t)
{
	for (int i = 0; i < EB_NR_STR; i++)
		buf_free(&t->held[i].b);
	buf_free(&t->parts);
	free(t->fds);
	free(t->uses);
	free(t);
}

void bpf_rec_free(struct bpf_rec *b)
{
	const struct map64_slot *slot;
	size_t i = 0;

	if (!b)
		return;
	while ((slot = map64_each(&b->tasks, &i)))
		free_task((struct task *)(uintptr_t)slot->value);
	map64_clear(&b->tasks);
	for (i = 0; i < EB_NR_STR; i++)
		buf_free(&b->str[i].b);
	evq_free(&b->queue);
	free(b);
}

const struct bpf_rec_tally *bpf_rec_tally(const struct bpf_rec *b)
{
	return &b->tally;
}

/* ---- tasks ---- */

static struct task *find_task(const struct bpf_rec *b, uint64_t upid)
{
	const uint64_t *p = b->tasks.n ? map64_get(&b->tasks, upid) : NULL;

	return p ? (struct task *)(uintptr_t)*p : NULL;
}

static struct task *get_task(struct bpf_rec *b, uint64_t upid)
{
	struct task *t = find_task(b, upid);

	if (!t) {
		t = xcalloc(1, sizeof(*t));
		map64_put(&b->tasks, upid, (uintptr_t)t);
	}
	return t;
}

static void drop_task(struct bpf_rec *b, uint64_t upid, struct task *t)
{
	if (!t)
		return;
	map64_remove(&b->tasks, upid);
	free_task(t);
}

/* ---- order ---- */

/* Sends the events that were held for HOLD_NS at @time, and those above @max. */
static int send_events(struct bpf_rec *b, uint64_t time, size_t max)
{
	struct et_event *ev;

	while ((ev = evq_first(&b->queue)) &&
	       (ev->time + HOLD_NS < time || b->queue.order.n > max)) {
		evq_take(&b->queue);
		if (et_check(ev))
			b->tally.t.incomplete++;
		b->tally.t.events += ev->kind != ET_K_LOST;
		if (evq_is_late(&b->queue, ev))
			b->tally.t.late++;
		evq_send(&b->queue, ev);
	}
	return b->queue.err;
}

int bpf_rec_seen(struct bpf_rec *b, uint64_t time)
{
	return send_events(b, time, HOLD_EVENTS);
}

int bpf_rec_end(struct bpf_rec *b)
{
	return send_events(b, 0, 0);
}

/* ---- events ---- */

static void add_marks(struct bpf_rec *b, struct et_event *ev, const struct eb_rec *r)
{
	static const uint8_t bits[ET_NR_MARKINGS] = {
		[ET_JOINED] = EB_JOINED, [ET_UNREAD] = EB_UNREAD, [ET_CUT] = EB_CUT,
		[ET_UNTOLD] = EB_UNTOLD, [ET_OUTSIDE] = EB_OUTSIDE,
	};

	for (unsigned int m = 0; m < ET_NR_MARKINGS; m++)
		for (unsigned int i = 0; i < et_kinds[ev->kind].nstrings; i++)
			if (b->str[i].mark & bits[m])
				ev->marks[m] |= (uint8_t)(1u << i);
	if (r->flags & EB_ARGS_UNREAD)
		ev->marks[ET_UNREAD] |= ET_MARKED_ARGS;
}

/* Looks up the target of a symbolic link. @s, @left: struct eb_maker, after the strings. */
static void resolve_target(struct bpf_rec *b, const char *s, size_t left)
{
	uint32_t groups[EB_GROUPS_MAX];
	struct text *to = &b->str[1];
	struct eb_maker maker;
	bool known = false;
	int found = EB_TARGET_UNKNOWN;

	to->b.len = 0;
	if (left >= sizeof(maker)) {
		memcpy(&maker, s, sizeof(maker));
		/* The link's path does not start at the maker's root: it cannot be checked. */
		if (b->str[2].mark & EB_OUTSIDE)
			maker.dir_mount = -1;
		known = maker.ngroups <= EB_GROUPS_MAX &&
			left - sizeof(maker) >= maker.ngroups * sizeof(*groups);
		if (known)
			memcpy(groups, s + sizeof(maker), maker.ngroups * sizeof(*groups));
		if (b->ops.resolve && b->str[0].there && b->str[2].there &&
		    !((b->str[0].mark | b->str[2].mark) & (EB_UNREAD | EB_CUT)))
			found = b->ops.resolve(b->ops.arg, &maker, known ? groups : NULL,
					       &b->str[0].b, &b->str[2].b, &to->b);
	}
	to->there = found > 0;
	to->mark = found == EB_TARGET_UNKNOWN ? EB_UNREAD :
		   found == EB_TARGET_UNTOLD ? EB_UNTOLD : 0;
	b->tally.resolved++;
	b->tally.unresolved += found == EB_TARGET_UNKNOWN;
	b->tally.untold += found == EB_TARGET_UNTOLD;
}

static void add_values(struct et_event *ev, const struct eb_rec *r)
{
	const struct et_kind_row *kind = &et_kinds[ev->kind];
	/* the size of an argument list is the first of them */
	const unsigned int first = !!et_args_name[ev->kind];

	for (unsigned int i = 0; i < kind->nvalues; i++)
		if (!kind->values[i].may || r->have >> (first + i) & 1)
			et_set_value(ev, i, r->val[first + i]);
}

static void make_event(struct bpf_rec *b, const struct eb_rec *r, const char *s, size_t left)
{
	struct et_event *ev = evq_new(&b->queue);

	et_reset(ev, r->kind, r->upid, r->cpu, r->time);
	if (r->kind == EB_COMM && b->str[0].b.len > COMM_MAX)
		b->str[0].b.len = COMM_MAX;
	if (r->kind == EB_SYMLINK)
		resolve_target(b, s, left);
	add_values(ev, r);
	for (unsigned int i = 0; i < et_kinds[ev->kind].nstrings; i++)
		if (b->str[i].there)
			et_add_string(ev, i, b->str[i].b.s, b->str[i].b.len);
	if (et_args_name[ev->kind]) {
		et_announce(ev, ET_ARGS, r->val[0]);
		if (!ev->size[ET_ARGS])
			ev->strings |= 1u << ET_ARGS;
		et_add_args(ev, s, left, false);
	}
	if (r->error)
		et_set_error(ev, r->error);
	add_marks(b, ev, r);
	evq_close(&b->queue, ev);
}

/* Copies the uses of a descriptor to the values of a close or a use. */
static void put_use(struct eb_rec *r, const struct eb_use *use)
{
	unsigned int copied;

	r->have = 0;
	if (use->did_read) {
		r->val[EB_V_USE_read] = (int64_t)use->read;
		r->have |= 1u << EB_V_USE_read;
	}
	if (use->did_write) {
		r->val[EB_V_USE_wrote] = (int64_t)use->wrote;
		r->have |= 1u << EB_V_USE_wrote;
	}
	if (use->did_write && !use->not_copied) {
		copied = r->kind == EB_USE ? EB_V_USE_copied : EB_V_CLOSE_copied;
		r->val[copied] = 1;
		r->have |= (uint16_t)(1u << copied);
	}
	if (use->did_write && use->is_file) {
		r->val[EB_V_USE_size] = (int64_t)use->size;
		r->val[EB_V_USE_mtime] = use->mtime;
		r->have |= 1u << EB_V_USE_size | 1u << EB_V_USE_mtime;
	}
}

/* Makes events of the uses of descriptors that stay open. */
static void make_uses(struct bpf_rec *b, const struct eb_rec *r, struct task *t)
{
	struct eb_rec one = *r;

	one.kind = EB_USE;
	for (size_t i = 0; i < t->nuses; i++) {
		if (!t->uses[i].did_read && !t->uses[i].did_write)
			continue;
		one.val[EB_V_USE_fd] = (int64_t)i;
		put_use(&one, &t->uses[i]);
		make_event(b, &one, NULL, 0);
		one.time++;
	}
	t->nuses = 0;
}

/*
 * Makes one event for each descriptor that close_range or execve closed, with its uses;
 * the remaining uses are those of descriptors that stay open.
 */
static void make_closes(struct bpf_rec *b, const struct eb_rec *r, struct task *t)
{
	struct eb_rec one = *r;
	uint64_t fd, end;

	if (!t)
		return;
	one.kind = EB_CLOSE;
	end = (uint64_t)t->nfds * 64;
	if ((uint64_t)r->val[1] < end)
		end = (uint64_t)r->val[1] + 1;
	for (fd = (uint64_t)r->val[0]; fd < end; fd++) {
		uint64_t open = t->fds[fd / 64] >> fd % 64;

		/* Most of a large table is empty. */
		if (!open) {
			fd |= 63;
			continue;
		}
		if (!(open & 1))
			continue;
		one.val[EB_V_CLOSE_fd] = (int64_t)fd;
		one.have = 0;
		if (fd < t->nuses) {
			put_use(&one, &t->uses[fd]);
			t->uses[fd].did_read = t->uses[fd].did_write = 0;
		}
		if (r->kind == EB_USES) {
			one.val[EB_V_CLOSE_execve] = 1;
			one.have |= 1u << EB_V_CLOSE_execve;
		}
		make_event(b, &one, NULL, 0);
		one.time++;
	}
	free(t->fds);
	t->fds = NULL;
	t->nfds = t->fds_cap = 0;
	make_uses(b, &one, t);
}

/* Return: false if the record makes no sense. */
static bool take_uses(struct bpf_rec *b, struct eb_rec *r, const char *s, size_t left)
{
	struct task *t = get_task(b, r->upid);
	size_t n = left / sizeof(*t->uses);

	if (left % sizeof(*t->uses) || n > EB_USES_MAX)
		return false;
	t->uses = xgrow(t->uses, &t->uses_cap, n + 1, sizeof(*t->uses));
	memcpy(t->uses, s, left);
	t->nuses = n;
	if (r->val[0] == EB_USES_KEEP)
		return true;
	if (r->val[0] == EB_USES_EXEC) {
		r->val[0] = 0;
		r->val[1] = EB_FDS_MAX;
		make_closes(b, r, t);
	} else {
		make_uses(b, r, t);
	}
	return true;
}

/*
 * Sets the strings of a variable, "NAME=value", with what looks secret hidden.
 * @n: bytes of the name; @keep: hide nothing.  Return: whether anything was hidden.
 */
static bool put_variable(struct bpf_rec *b, const char *s, size_t n, size_t len, bool keep)
{
	struct text *name = &b->str[EB_STR_ENV_name], *value = &b->str[EB_STR_ENV_value];
	struct etrace_value v = { 0 };

	name->b.len = value->b.len = 0;
	name->mark = value->mark = 0;
	name->there = true;
	buf_add(&name->b, s, n);
	value->there = n < len;
	if (n == len)
		return false;
	buf_add(&value->b, s + n + 1, len - n - 1);
	v.s = value->b.s;
	v.len = (unsigned int)value->b.len;
	if (!keep)
		etrace_hide(s, (unsigned int)n, &v);
	value->b.len = v.len;
	return v.hidden;
}

/*
 * Makes an event for each variable of a program's environment.  A variable has at most
 * two lines for each of its bytes, and each line has its own time.
 */
static void make_env(struct bpf_rec *b, const struct eb_rec *r, const char *s, size_t left)
{
	struct eb_rec one = *r;
	const char *end, *sign;
	size_t n, name;
	bool listed;

	one.flags = 0;
	while ((end = left ? memchr(s, 0, left) : NULL)) {
		n = (size_t)(end - s) + 1;
		sign = memchr(s, '=', n - 1);
		name = sign ? (size_t)(sign - s) : n - 1;
		listed = etrace_listed(b->keep_env, s, (unsigned int)name);
		if (listed || !b->ops.env_listed) {
			one.val[EB_V_ENV_hidden] = put_variable(b, s, name, n - 1,
								listed && !b->ops.env_listed);
			one.have = (uint16_t)(one.val[EB_V_ENV_hidden] << EB_V_ENV_hidden);
			make_event(b, &one, NULL, 0);
		}
		one.time += 2 * n;
		s += n;
		left -= n;
	}
	if (left || r->flags & EB_ARGS_UNREAD) {
		put_variable(b, "", 0, 0, false);
		b->str[EB_STR_ENV_name].mark = EB_UNREAD;
		one.have = 0;
		make_event(b, &one, NULL, 0);
	}
}

static void push_lost(struct bpf_rec *b, const struct eb_rec *r)
{
	struct et_event *ev = evq_new(&b->queue);

	et_reset(ev, ET_K_LOST, r->upid, r->cpu, r->time);
	et_set_value(ev, ET_V_LOST_count, r->lost);
	et_set_value(ev, ET_V_LOST_since, (int64_t)r->lost_since);
	evq_close(&b->queue, ev);
}

/* Keeps names or descriptors that a hook has sent. */
static bool take_hold(const struct eb_rec *r, struct task *t, const char *s, size_t left)
{
	size_t words;

	if (r->val[0] != EB_H_CLOSE_RANGE)
		return texts_take(t->held, r, NULL, &s, &left);
	if (r->flags & EB_FIRST)
		t->nfds = 0;
	if (r->val[1] < 0 || r->val[1] % 64 || r->val[1] > EB_FDS_MAX || left % 8)
		return false;
	words = (size_t)r->val[1] / 64 + left / 8;
	t->fds = xgrow(t->fds, &t->fds_cap, words + 1, sizeof(*t->fds));
	if (t->nfds < (size_t)r->val[1] / 64)
		memset(t->fds + t->nfds, 0,
		       ((size_t)r->val[1] / 64 - t->nfds) * sizeof(*t->fds));
	memcpy(t->fds + r->val[1] / 64, s, left);
	t->nfds = words;
	return true;
}

int bpf_rec_take(struct bpf_rec *b, const void *data, size_t size)
{
	const char *s = (const char *)data + sizeof(struct eb_rec);
	size_t left = size - sizeof(struct eb_rec);
	struct eb_rec r;
	struct task *t;
	bool good;

	b->tally.bytes += size;
	if (size < sizeof(r)) {
		b->tally.damaged++;
		return b->queue.err;
	}
	memcpy(&r, data, sizeof(r));
	if (r.kind == EB_NONE || r.kind >= EB_NR_KIND) {
		b->tally.damaged++;
		return b->queue.err;
	}
	if (r.time > b->tally.t.last_time)
		b->tally.t.last_time = r.time;

	if (r.kind == EB_PART || r.kind == EB_HOLD)
		t = get_task(b, r.upid);
	else
		t = find_task(b, r.upid);
	if (r.kind == EB_PART) {
		if (r.flags & EB_FIRST)
			t->parts.len = 0;
		if (t->parts.len + left > ET_MAX_BYTES)
			b->tally.damaged++;
		else
			buf_add(&t->parts, s, left);
		return b->queue.err;
	}
	if (t && t->parts.len) {
		buf_add(&t->parts, s, left);
		s = t->parts.s;
		left = t->parts.len;
	}
	if (r.lost)
		push_lost(b, &r);
	if (r.kind == EB_HOLD && t) {
		good = take_hold(&r, t, s, left);
	} else {
		b->tally.t.records++;
		good = texts_take(b->str, &r, t ? t->held : NULL, &s, &left);
		if (good && r.kind == EB_CLOSE_RANGE)
			make_closes(b, &r, t);
		else if (good && r.kind == EB_USES)
			good = take_uses(b, &r, s, left);
		else if (good && r.kind == EB_ENV)
			make_env(b, &r, s, left);
		else if (good)
			make_event(b, &r, s, left);
	}
	if (t)
		t->parts.len = 0;
	if (t && t->parts.cap > KEEP_BYTES)
		buf_free(&t->parts);
	if (!good)
		b->tally.damaged++;
	else if (r.kind == EB_EXIT)
		drop_task(b, r.upid, t);
	return bpf_rec_seen(b, b->tally.t.last_time);
}
