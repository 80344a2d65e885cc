// SPDX-License-Identifier: GPL-2.0
/*
 * Records the environment of a new program, one event for each variable. It is read
 * after execve, before the task enters the program: its memory is still unchanged.
 * Values that look secret are hidden here, before anything is written (etrace_secrets.h).
 */
#include <linux/binfmts.h>
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/word-at-a-time.h>

#include "env.h"
#include "counts.h"
#include "emit.h"
#include "etrace_secrets.h"
#include "return_work.h"

/**
 * struct etrace_env - an environment that is being read
 * @buf: a piece of the environment
 * @room: bytes of @buf
 * @have: bytes of @buf that have been read
 * @at: offset in @buf of the current variable, "NAME=value"
 * @len: bytes of the variable, without its NUL
 * @name_len: bytes of its name
 * @all: a session wants all variables
 * @names: if not @all: hashes of the wanted names, one bit for each
 */
struct etrace_env {
	char *buf;
	u32 room;
	u32 have;
	u32 at;
	u32 len;
	u32 name_len;
	bool all;
	DECLARE_BITMAP(names, ETRACE_ENV_HASHES);
};

/* Does a session want the variable: unchanged if @kept, else with secrets hidden? */
static bool etrace_env_wants(const struct etrace_session *s, const struct etrace_env *e, bool kept)
{
	bool listed = etrace_listed(s->keep_env, e->buf + e->at, e->name_len);

	return s->env_listed ? listed && !kept : listed == kept;
}

static void etrace_env_emit(const struct etrace_env *e, const struct etrace_value *v, bool kept)
{
	struct etrace_task *t;
	struct etrace_rec r;

	etrace_rec_init(&r, ETRACE_EV_ENV, ETRACE_STRS_ENV);
	r.str[ETRACE_STR_ENV_name].s = e->buf + e->at;
	r.str[ETRACE_STR_ENV_name].len = e->name_len;
	r.str[ETRACE_STR_ENV_value].s = v->s;
	r.str[ETRACE_STR_ENV_value].len = v->len;
	r.env.hidden = v->hidden;
	r.have = v->hidden ? BIT(ETRACE_VAL_ENV_hidden) : 0;

	rcu_read_lock();
	etrace_for_each_slot(t, etrace_task_find(current))
		if (t->going_on && etrace_env_wants(t->session, e, kept))
			etrace_emit_one(t, &r);
	rcu_read_unlock();
}

static void etrace_env_end_var(struct etrace_env *e)
{
	char *var = e->buf + e->at;
	u32 hash = etrace_env_hash(var, e->len, &e->name_len);
	struct etrace_value v = { };

	if (!e->all && !test_bit(hash, e->names))
		return;
	if (e->name_len < e->len) {
		v.s = var + e->name_len + 1;
		v.len = e->len - e->name_len - 1;
	}
	if (e->all)
		etrace_env_emit(e, &v, true);
	etrace_hide(var, e->name_len, &v);
	etrace_env_emit(e, &v, false);
}

/* Doubles @buf, for a variable that does not fit. None is longer than MAX_ARG_STRLEN. */
static bool etrace_env_grow(struct etrace_env *e)
{
	char *more;

	if (e->room > MAX_ARG_STRLEN)
		return false;
	more = kvmalloc(e->room ? 2 * e->room : PAGE_SIZE, GFP_KERNEL_ACCOUNT);
	if (!more)
		return false;
	if (e->room)
		memcpy(more, e->buf, e->have);
	kvfree(e->buf);
	e->buf = more;
	e->room = e->room ? 2 * e->room : PAGE_SIZE;
	return true;
}

/* Reads from @pos, after the rest of the buffer. Returns false if memory is unreadable. */
static bool etrace_env_fill(struct etrace_env *e, unsigned long *pos, unsigned long end)
{
	u32 n;

	cond_resched();
	if (fatal_signal_pending(current))
		return false;
	e->have -= e->at;
	if (e->at)
		memmove(e->buf, e->buf + e->at, e->have);
	e->at = 0;
	if (e->have == e->room && !etrace_env_grow(e))
		return false;
	n = min_t(unsigned long, e->room - e->have, end - *pos);
	n -= copy_from_user(e->buf + e->have, (const char __user *)*pos, n);
	e->have += n;
	*pos += n;
	return n;
}

/* Length of the current variable: up to its NUL, or as far as it has been read. */
static u32 etrace_env_len(const struct etrace_env *e)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	const char *s = e->buf + e->at;
	u32 n = 0, max = e->have - e->at;
	unsigned long word, zeros;

	for (; n + sizeof(word) <= max; n += sizeof(word)) {
		memcpy(&word, s + n, sizeof(word));
		if (has_zero(word, &zeros, &constants))
			break;
	}
	while (n < max && s[n])
		n++;
	return n;
}

/* Records all variables. Return: false if not all of them could be read. */
static bool etrace_env_read(struct etrace_env *e, unsigned long pos, unsigned long end)
{
	bool whole;

	for (;;) {
		e->len = etrace_env_len(e);
		whole = e->at + e->len < e->have;
		if (whole || (pos == end && e->len)) {
			etrace_env_end_var(e);
			e->at += e->len + whole;
		} else if (pos == end) {
			return true;
		} else if (!etrace_env_fill(e, &pos, end)) {
			return false;
		}
	}
}

/* Stores which variables the sessions of this task want. */
static void etrace_env_names(struct etrace_env *e)
{
	struct etrace_task *t;

	rcu_read_lock();
	etrace_for_each_slot(t, etrace_task_find(current)) {
		if (!t->going_on)
			continue;
		e->all |= !t->session->env_listed;
		bitmap_or(e->names, e->names, t->session->env_names, ETRACE_ENV_HASHES);
	}
	rcu_read_unlock();
}

/* Records that the rest of the environment could not be read. */
static void etrace_env_unread(void)
{
	struct etrace_task *t;
	struct etrace_rec r;

	etrace_rec_init(&r, ETRACE_EV_ENV, 1);
	r.str[ETRACE_STR_ENV_name].s = "";
	r.str[ETRACE_STR_ENV_name].len = 0;
	r.unread = BIT(ETRACE_STR_ENV_name);
	rcu_read_lock();
	etrace_for_each_slot(t, etrace_task_find(current))
		if (t->going_on)
			etrace_emit_one(t, &r);
	rcu_read_unlock();
}

static void etrace_env_later(struct etrace_work *l)
{
	struct mm_struct *mm = current->mm;
	struct etrace_env *e;

	if (!mm)
		return;		/* killed in between: no longer traced */
	e = kzalloc(sizeof(*e), GFP_KERNEL);
	if (e)
		etrace_env_names(e);
	if (!e || !etrace_env_read(e, mm->env_start, mm->env_end))
		etrace_env_unread();
	if (e)
		kvfree(e->buf);
	kfree(e);
	rcu_read_lock();
	etrace_going_on(etrace_task_find(current), false);
	rcu_read_unlock();
}

/**
 * etrace_env_get - prepare to record a new program's environment
 * @t: first slot of the current task
 *
 * Return: the work item for etrace_emit_exec() to run; NULL if no session wants the
 * environment, or if too much work is pending, which counts as unread.
 */
struct etrace_work *etrace_env_get(struct etrace_task *t)
{
	struct etrace_work *l = NULL;
	bool tried = false;

	etrace_for_each_slot(t, t) {
		if (!etrace_session_wants(t->session, ETRACE_WHERE_ENV))
			continue;
		if (!tried)
			l = etrace_work_get();
		tried = true;
		if (!l)
			etrace_count(t->session, strings_unread, 1);
	}
	if (l)
		l->then = etrace_env_later;
	return l;
}
