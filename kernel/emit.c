// SPDX-License-Identifier: GPL-2.0
/*
 * Splits events with strings of any length into records of bounded size.
 *
 * A record that does not fit into a page of the ring buffer is lost; and if the lines
 * printed from it do not fit into a page, the reader sees none. So strings go into
 * their event's own record while their bytes and lines fit; the first that does not
 * fit, and all after it, go into separate records (string, args).
 */
#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "emit.h"
#include "capture.h"
#include "counts.h"
#include "return_work.h"
#include "rights.h"
#include "output.h"
#include "task.h"

#define ETRACE_BYTES_MAX	2000	/* maximum bytes of strings in one record */
#define ETRACE_TEXT_MAX		3400	/* maximum bytes of text printed from one record */
#define ETRACE_LINE_MAX		64	/* bytes of a line's prefix, tag and newline */
#define ETRACE_HEAD_MAX		(3 * ETRACE_LINE_MAX)	/* bytes of an event's own lines */
#define ETRACE_PIECE_LINES	38	/* newlines in one piece of a string */
#define ETRACE_ARGS_AT_ONCE	12000	/* maximum bytes of arguments that a probe writes */
#define ETRACE_TAIL_LINES	8	/* maximum lines of a record besides those of its strings */

static_assert(ETRACE_TEXT_MAX / ETRACE_LINE_MAX + ETRACE_TAIL_LINES <= ETRACE_LINES_MAX);
static_assert(ETRACE_PIECE_LINES + 2 + ETRACE_TAIL_LINES <= ETRACE_LINES_MAX);

/* Has @v no zero byte? */
static inline bool etrace_word_is_full(unsigned long v)
{
	return !((v - ETRACE_ONES) & ~v & ETRACE_TOPS);
}

static inline bool etrace_word_has_no_line(const char *s)
{
	unsigned long v;

	memcpy(&v, s, sizeof(v));
	return !(etrace_newlines(v) & ETRACE_TOPS);
}

/* Are the bytes of a word at @s neither newlines nor 0? */
static bool etrace_word_is_plain(const char *s)
{
	unsigned long v;

	memcpy(&v, s, sizeof(v));
	return etrace_word_is_full(v) && etrace_word_has_no_line(s);
}

/* Bytes of @s up to and including its @max-th newline; sets @lines to the newlines passed. */
static u32 etrace_lines(const char *s, u32 len, u32 max, u32 *lines)
{
	u32 i = 0;

	*lines = 0;
	while (i < len) {
		/* Most strings have no newline: test a word at a time. */
		if (i + sizeof(long) <= len && etrace_word_has_no_line(s + i))
			i += sizeof(long);
		else if (s[i++] == '\n' && ++*lines == max)
			break;
	}
	return i;
}

/* Counts the newlines in @s. */
static noinline u32 etrace_count_lines(const char *s, u32 len)
{
	u32 lines;

	etrace_lines(s, len, U32_MAX, &lines);
	return lines;
}

/*
 * Decides how many strings fit into the event's own record. Returns the bytes of text
 * that the record will print.
 */
static u32 etrace_layout(struct etrace_rec *r)
{
	const struct etrace_str *str, *end = r->str + r->nr_str;
	u32 text = ETRACE_HEAD_MAX, bytes = 0, cost;

	for (str = r->str; str < end; str++) {
		if (!str->s)
			continue;
		bytes += str->len;
		if (str->len >= ETRACE_PART_MAX || bytes > ETRACE_BYTES_MAX)
			break;
		cost = str->len + ETRACE_LINE_MAX;
		/* A string with newlines is printed with one more line, Cont_end. */
		if (unlikely(etrace_newlines_in(str->s, str->len) & ETRACE_TOPS))
			cost += ETRACE_LINE_MAX *
				(1 + etrace_count_lines(str->s, str->len));
		if (text + cost > ETRACE_TEXT_MAX)
			break;
		text += cost;
	}
	r->inl = str - r->str;
	r->more = str < end;
	return text;
}

/* Fast etrace_layout() for most events: all strings are short and have no newlines. */
static __always_inline bool etrace_layout_plain(struct etrace_rec *r)
{
	BUILD_BUG_ON(ETRACE_NR_STR * ETRACE_PLAIN_MAX > ETRACE_BYTES_MAX);
	BUILD_BUG_ON(ETRACE_HEAD_MAX + ETRACE_NR_STR * (ETRACE_PLAIN_MAX + ETRACE_LINE_MAX) >
		     ETRACE_TEXT_MAX);
	if (r->plain != ETRACE_PLAIN)
		return false;
	r->inl = r->nr_str;
	r->more = 0;
	return true;
}

/* Not inlined: only the most frequent events are worth the code size. */
static noinline void etrace_output_rare(struct etrace_task *t, struct etrace_rec *r)
{
	etrace_output(t, r);
}

/*
 * Writes a string in pieces: parts of at most 900 bytes, or a shorter string as a
 * whole; with no more newlines than one record can print.
 */
static void etrace_emit_string(struct etrace_task *t, const struct etrace_rec *r,
			       u32 i, bool last)
{
	const struct etrace_str *str = &r->str[i];
	bool whole = str->len < ETRACE_PART_MAX;
	u32 pos = 0, n, lines;
	struct etrace_rec p;
	bool cont = false;

	etrace_rec_init(&p, ETRACE_EV_STRING, 0);
	p.upid = r->upid;
	p.error = r->error;
	p.joined = r->joined;
	p.unread = r->unread;
	p.cut = r->cut;
	p.untold = r->untold;
	p.outside = r->outside;
	p.string.ev = r->ev;
	p.string.tag = etrace_schemas[r->ev].tags[i];
	p.string.total = str->len;
	p.string.part = whole ? -1 : 0;
	do {
		n = etrace_lines(str->s + pos,
				 min_t(u32, str->len - pos, ETRACE_PART_MAX),
				 ETRACE_PIECE_LINES, &lines);
		p.string.piece.s = str->s + pos;
		p.string.piece.len = n;
		p.string.state = cont ? ETRACE_PIECE_CONT : 0;
		pos += n;
		cont = false;
		if (whole && lines == ETRACE_PIECE_LINES) {
			/* This newline belongs to no piece: the next one begins after it. */
			p.string.piece.len--;
			p.string.state |= ETRACE_PIECE_OPEN;
			cont = true;
		}
		if (pos == str->len && !cont)
			p.string.state |= ETRACE_PIECE_LAST;
		p.more = !last || !(p.string.state & ETRACE_PIECE_LAST);
		p.time = etrace_task_now(t);
		etrace_output_rare(t, &p);
		if (!whole)
			p.string.part++;
	} while (pos < str->len || cont);
}

static void etrace_emit_strings(struct etrace_task *t, const struct etrace_rec *r,
				bool last)
{
	u32 i, end = r->nr_str;

	while (end && !r->str[end - 1].s)
		end--;
	for (i = r->inl; i < end; i++)
		if (r->str[i].s)
			etrace_emit_string(t, r, i, last && i == end - 1);
}

/* Counts the strings of a record that are marked as joined, unread, cut or untold. */
static noinline void etrace_count_marks(struct etrace_session *s,
					const struct etrace_rec *r)
{
	etrace_count(s, strings_joined, hweight8(r->joined));
	etrace_count(s, strings_unread, hweight8(r->unread));
	etrace_count(s, strings_cut, hweight8(r->cut));
	etrace_count(s, strings_untold, hweight8(r->untold));
}

/* Reports how many records the task lost, and since when, before its next record. */
static noinline void etrace_emit_lost(struct etrace_task *t)
{
	struct etrace_rec r;

	etrace_rec_init(&r, ETRACE_EV_LOST, 0);
	r.upid = t->upid;
	r.time = etrace_task_now(t);
	r.lost.count = t->lost;
	r.lost.since = t->lost_since;
	etrace_output_rare(t, &r);
	if (r.written)
		t->lost = 0;
}

static __always_inline void etrace_emit_begin(struct etrace_task *t,
					      struct etrace_rec *r)
{
	if (unlikely(t->lost) && !t->session->fire)
		etrace_emit_lost(t);
	if (unlikely(r->marks))
		etrace_count_marks(t->session, r);
	r->upid = t->upid;
	r->time = etrace_task_now(t);
}

static __always_inline void etrace_emit_slot(struct etrace_task *t,
					     struct etrace_rec *r)
{
	etrace_emit_begin(t, r);
	if (!etrace_layout_plain(r))
		etrace_layout(r);
	etrace_output(t, r);
	if (unlikely(r->more))
		etrace_emit_strings(t, r, true);
}

static inline bool etrace_emit_wanted(struct etrace_task *t,
				      const struct etrace_rec *r)
{
	if (unlikely(t->session->owner) && !etrace_task_shown(t))
		return false;
	return likely(!r->where) || etrace_session_wants(t->session, r->where);
}

/**
 * etrace_emit_one - write an event for one session
 * @t: slot of the current task
 * @r: the event; its task, time and layout are set here
 */
void etrace_emit_one(struct etrace_task *t, struct etrace_rec *r)
{
	if (etrace_emit_wanted(t, r))
		etrace_emit_slot(t, r);
}

/**
 * etrace_emit - write an event
 * @t: first slot of the current task
 * @r: the event; its task, time and layout are set here
 */
void etrace_emit(struct etrace_task *t, struct etrace_rec *r)
{
	etrace_for_each_slot(t, t)
		if (etrace_emit_wanted(t, r))
			etrace_emit_slot(t, r);
}

/*
 * Copies the next piece of an argument list to @buf. Ends where @text bytes would be
 * printed, or at unreadable memory (sets @unread). Returns the bytes copied.
 */
static u32 etrace_argv_piece(struct etrace_argv *a, char *buf, u32 room,
			     u32 text, bool *unread)
{
	u32 n = 0, i, index = a->index;
	u32 cost = 4 * ETRACE_LINE_MAX;	/* first line, parts of a long one */

	*unread = false;
	while (n < room && a->pos + n < a->end) {
		unsigned long uaddr = a->pos + n;
		u32 len = min3((unsigned long)room - n, a->end - uaddr,
			       PAGE_SIZE - offset_in_page(uaddr));

		if (copy_from_user_nofault(buf + n, (void __user *)uaddr, len)) {
			*unread = true;
			break;
		}
		n += len;
	}
	for (i = 0; i < n; i++) {
		/* Most words contain neither NUL nor newline: test a word at a time. */
		while (i + sizeof(long) <= n && cost + sizeof(long) <= text &&
		       etrace_word_is_plain(buf + i)) {
			i += sizeof(long);
			cost += sizeof(long);
		}
		if (i == n)
			break;
		cost++;
		if (buf[i] == '\0')
			cost += ETRACE_LINE_MAX;
		else if (buf[i] == '\n')
			cost += 2 * ETRACE_LINE_MAX;
		if (cost > text)
			break;
		index += !buf[i];
	}
	if (i < n)
		*unread = false;	/* not reached yet */
	a->pos += i;
	a->index = index;
	return i;
}

/**
 * etrace_going_on - begin or end an event that is written in several steps
 * @t: first slot of the current task
 * @on: true to begin, false to end
 *
 * Sessions that begin in between get no part of the event, nor do those whose owner may not see
 * the task.
 *
 * Return: number of slots of the task.
 */
unsigned int etrace_going_on(struct etrace_task *t, bool on)
{
	unsigned int n = 0;

	etrace_for_each_slot(t, t) {
		t->going_on = on && !t->refused;
		n++;
	}
	return n;
}

/**
 * etrace_emit_going_on - write an event to sessions where etrace_going_on() was on
 * @t: first slot of the current task
 * @r: the event; its task, time and layout are set here
 */
void etrace_emit_going_on(struct etrace_task *t, struct etrace_rec *r)
{
	etrace_for_each_slot(t, t)
		if (t->going_on)
			etrace_emit_one(t, r);
}

/* Whether, and when, more of an argument list follows a record. */
enum etrace_rest { ETRACE_REST_NONE, ETRACE_REST_NOW, ETRACE_REST_LATER };

/*
 * Writes a record of arguments for each session. @cut: no other record may follow.
 *
 * Memory that cannot be read here may be on a page that the kernel is moving, or
 * must fault in. @work: allocated on demand, to write the rest on the way back to
 * the program; NULL if the caller cannot wait: then that memory counts as unreadable.
 */
static enum etrace_rest etrace_emit_args(struct etrace_task *t, struct etrace_rec *p,
					 struct etrace_argv *argv,
					 struct etrace_scratch *sc, bool cut,
					 struct etrace_work **work)
{
	enum etrace_rest rest = ETRACE_REST_NONE;
	bool unread;

	p->args.first = argv->index;
	p->args.piece.s = sc->argv;
	p->args.piece.len = etrace_argv_piece(argv, sc->argv, ETRACE_BYTES_MAX,
					      ETRACE_TEXT_MAX, &unread);
	if (unlikely(unread) && work && !*work)
		*work = etrace_work_get();
	if (unlikely(unread) && work && *work) {
		rest = ETRACE_REST_LATER;
		unread = false;
		if (!p->args.piece.len)
			return rest;
	} else if (unlikely(unread)) {
		p->unread |= BIT(ETRACE_NR_STR);
	} else if (argv->pos < argv->end && !cut) {
		rest = ETRACE_REST_NOW;
	} else if (argv->pos < argv->end || argv->cut) {
		p->cut |= BIT(ETRACE_NR_STR);
	}
	p->more = rest != ETRACE_REST_NONE;
	etrace_for_each_slot(t, t) {
		if (!t->going_on)
			continue;
		if (unread)
			etrace_count(t->session, strings_unread, 1);
		if (p->cut & BIT(ETRACE_NR_STR))
			etrace_count(t->session, strings_cut, 1);
		p->upid = t->upid;
		p->time = etrace_task_now(t);
		etrace_output_rare(t, p);
	}
	return rest;
}

/* Faults in the pages of the next piece. */
static void etrace_args_fault_in(const struct etrace_argv *a)
{
	unsigned long pos, end = min(a->pos + ETRACE_BYTES_MAX, a->end);

	for (pos = a->pos; pos < end; pos = (pos & PAGE_MASK) + PAGE_SIZE)
		if (!etrace_work_fault_in(pos))
			schedule_timeout_killable(1);
}

static void etrace_args_later(struct etrace_work *l)
{
	struct etrace_scratch *sc;
	struct etrace_task *t;
	unsigned int tries = 0;
	enum etrace_rest rest;
	struct etrace_rec p;
	bool again, enough;
	unsigned long pos;

	etrace_rec_init(&p, ETRACE_EV_ARGS, 0);
	p.args.ev = l->ev;
	p.joined = l->joined;
	p.unread = l->unread;
	p.cut = l->cut;
	do {
		pos = l->argv.pos;
		enough = fatal_signal_pending(current) ||
			 l->argv.index > ETRACE_ARGV_MAX / sizeof(long);
		again = !enough && tries < ETRACE_LOOKS;
		if (again)
			etrace_args_fault_in(&l->argv);
		rcu_read_lock();
		sc = etrace_scratch_get();
		t = etrace_task_find(current);
		rest = !t ? ETRACE_REST_NONE :
			    etrace_emit_args(t, &p, &l->argv, sc, enough, again ? &l : NULL);
		if (t && rest == ETRACE_REST_NONE && !l->then)
			etrace_going_on(t, false);
		etrace_scratch_put();
		rcu_read_unlock();
		cond_resched();
		tries = l->argv.pos == pos ? tries + 1 : 0;
	} while (rest != ETRACE_REST_NONE);
}

/*
 * Writes the arguments in separate records after the event @r: a limited amount in the
 * probe, the rest later. @l: work item for the rest, NULL if not allocated yet.
 */
static void etrace_emit_all_args(struct etrace_task *t, const struct etrace_rec *r,
				 struct etrace_argv argv, struct etrace_scratch *sc,
				 struct etrace_work *l, unsigned int n)
{
	unsigned long begin = argv.pos;
	enum etrace_rest rest;
	struct etrace_rec p;
	bool last;

	etrace_rec_init(&p, ETRACE_EV_ARGS, 0);
	p.args.ev = r->ev;
	p.joined = r->joined;
	p.unread = r->unread;
	p.cut = r->cut;
	do {
		last = (argv.pos - begin + ETRACE_BYTES_MAX) * n >=
		       ETRACE_ARGS_AT_ONCE;
		/* This is known only now, because newlines make pieces shorter. */
		if (last && !l)
			l = etrace_work_get();
		rest = etrace_emit_args(t, &p, &argv, sc, last && !l, &l);
	} while (rest == ETRACE_REST_NOW && !last);
	if (rest != ETRACE_REST_NONE) {
		l->argv = argv;
		l->ev = r->ev;
		l->joined = p.joined;
		l->unread = p.unread;
		l->cut = p.cut;
		etrace_work_run(l, etrace_args_later);
	} else if (l && l->then) {
		etrace_work_run(l, NULL);
	} else {
		etrace_work_drop(l);
		etrace_going_on(t, false);
	}
}

/**
 * etrace_emit_exec - write an event that ends with an argument list
 * @t: first slot of the current task; only slots with etrace_going_on() get the event
 * @r: the event, exec or join; its task, time and layout are set here
 * @argv: the argument list
 * @sc: scratch buffers
 * @l: work item to run after the event (@l->then), NULL if none
 */
void etrace_emit_exec(struct etrace_task *t, struct etrace_rec *r,
		      const struct etrace_argv *argv, struct etrace_scratch *sc,
		      struct etrace_work *l)
{
	struct etrace_task *slot;
	struct etrace_argv all;
	bool unread;
	u32 bytes, text, i, n = 0;

	/* The arguments of join are at the same offset. */
	BUILD_BUG_ON(offsetof(struct etrace_rec, exec.args) !=
		     offsetof(struct etrace_rec, join.args));
	r->exec.args_len = argv->end - argv->pos;
	etrace_for_each_slot(slot, t) {
		if (!slot->going_on)
			continue;
		n++;
		if (r->ev == ETRACE_EV_JOIN)
			etrace_task_kin(slot, &r->join.process, &r->join.parent);
		etrace_emit_begin(slot, r);
		text = etrace_layout(r);
		for (bytes = 0, i = 0; i < r->inl; i++)
			bytes += r->str[i].len;
		all = *argv;
		r->exec.args.s = sc->argv;
		r->exec.args.len = 0;
		if (!r->more) {
			r->exec.args.len =
				etrace_argv_piece(&all, sc->argv,
						  ETRACE_BYTES_MAX - bytes,
						  ETRACE_TEXT_MAX - text, &unread);
			if (all.pos < all.end) {
				/* All arguments go to separate records. */
				r->exec.args.len = 0;
				r->more = 1;
			}
		}
		etrace_output_rare(slot, r);
		if (r->more)
			etrace_emit_strings(slot, r, false);
	}
	if (r->more)
		etrace_emit_all_args(t, r, *argv, sc, l, n);
	else if (l)
		etrace_work_run(l, NULL);
	else
		etrace_going_on(t, false);
}
