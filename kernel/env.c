// SPDX-License-Identifier: GPL-2.0
/*
 * The environment of a program that is run, one event for each variable. It is
 * read on the task's way to the program, whose memory nobody has changed by then.
 * What looks secret is hidden here, before anything is written (etrace_secrets.h).
 */
#include <linux/binfmts.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "env.h"
#include "counts.h"
#include "emit.h"
#include "etrace_secrets.h"
#include "later.h"

/**
 * struct etrace_env - a variable of an environment
 * @var: "NAME=value", without a null byte
 * @room: for how many bytes there is memory
 * @len: bytes of it
 * @name_len: bytes of the name
 */
struct etrace_env {
	char *var;
	u32 room;
	u32 len;
	u32 name_len;
};

/* A variable for the sessions that keep it, or for those that do not. */
static void etrace_env_emit(const struct etrace_env *e, const struct etrace_value *v, bool kept)
{
	struct etrace_task *t;
	struct etrace_rec r;

	etrace_rec_init(&r, ETRACE_EV_ENV, ETRACE_STRS_ENV);
	r.str[ETRACE_STR_ENV_name].s = e->var;
	r.str[ETRACE_STR_ENV_name].len = e->name_len;
	r.str[ETRACE_STR_ENV_value].s = v->s;
	r.str[ETRACE_STR_ENV_value].len = v->len;
	r.env.hidden = v->hidden;
	r.have = v->hidden ? BIT(ETRACE_VAL_ENV_hidden) : 0;

	rcu_read_lock();
	etrace_for_each_slot(t, etrace_task_find(current))
		if (t->going_on &&
		    etrace_listed(t->session->keep_env, e->var, e->name_len) == kept)
			etrace_emit_one(t, &r);
	rcu_read_unlock();
}

static void etrace_env_tell(struct etrace_env *e)
{
	const char *sign = memchr(e->var, '=', e->len);
	struct etrace_value v = { };

	e->name_len = sign ? sign - e->var : e->len;
	if (sign) {
		v.s = e->var + e->name_len + 1;
		v.len = e->len - e->name_len - 1;
	}
	etrace_env_emit(e, &v, true);
	etrace_hide(e->var, e->name_len, &v);
	etrace_env_emit(e, &v, false);
}

/* The @len bytes at @pos. The kernel lets no variable be longer than it says. */
static bool etrace_env_read(struct etrace_env *e, unsigned long pos, unsigned long len)
{
	if (len > MAX_ARG_STRLEN)
		return false;
	if (len >= e->room) {
		kvfree(e->var);
		e->room = roundup_pow_of_two(max(len + 1, PAGE_SIZE));
		e->var = kvmalloc(e->room, GFP_KERNEL_ACCOUNT);
	}
	e->len = len;
	return e->var && !copy_from_user(e->var, (const char __user *)pos, len);
}

/* What is left cannot be read. */
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

static void etrace_env_later(struct etrace_later *l)
{
	struct mm_struct *mm = current->mm;
	struct etrace_env e = { };
	unsigned long pos, end;
	long n;

	if (!mm)
		return;		/* killed on its way; traced no more */
	for (pos = mm->env_start, end = mm->env_end;
	     pos < end && !fatal_signal_pending(current); pos += n) {
		/* with its null byte */
		n = strnlen_user((const char __user *)pos, end - pos);
		if (n <= 0 || !etrace_env_read(&e, pos, min_t(unsigned long, n - 1, end - pos)))
			break;
		etrace_env_tell(&e);
		cond_resched();
	}
	if (pos < end)
		etrace_env_unread();
	kvfree(e.var);
	rcu_read_lock();
	etrace_going_on(etrace_task_find(current), false);
	rcu_read_unlock();
}

/**
 * etrace_env_get - get ready to tell of a new program's environment
 * @t: first slot of the current task
 *
 * Return: what etrace_emit_exec() lets follow the program; NULL: nobody wants to
 * know, or too many are under way, which counts as not read.
 */
struct etrace_later *etrace_env_get(struct etrace_task *t)
{
	struct etrace_later *l = NULL;
	bool tried = false;

	etrace_for_each_slot(t, t) {
		if (!etrace_session_wants(t->session, ETRACE_WHERE_ENV))
			continue;
		if (!tried)
			l = etrace_later_get();
		tried = true;
		if (!l)
			etrace_count(t->session, strings_unread, 1);
	}
	if (l)
		l->then = etrace_env_later;
	return l;
}
