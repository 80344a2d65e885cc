// SPDX-License-Identifier: LGPL-2.1
/* libetrace: writing an FXT file.  See etrace.h. */
#include "include/etrace.h"
#include "base/hash.h"
#include "base/map64.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "format/fxt/fxt_check_rules.h"
#include "format/fxt/fxt_write.h"
#include "io/out.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PROVIDER	1u
#define PROVIDER_MAX	255u

struct etrace_fxt {
	struct out *out;
	struct fxt_writer *w;
	struct map64 counters;	/* hash of an argument's name to hash of its counter */
	struct fxt_check_time *order;
	bool disorder;		/* the order of the events breaks a rule of --check */
	int dead;		/* 0, or -ENOMEM */
};

#define SAME(name) _Static_assert((int)ETRACE_FXT_##name == (int)FXT_EV_##name, "same numbers")
SAME(INSTANT);
SAME(COUNTER);
SAME(DURATION_BEGIN);
SAME(DURATION_END);
SAME(DURATION_COMPLETE);
SAME(ASYNC_BEGIN);
SAME(ASYNC_INSTANT);
SAME(ASYNC_END);
SAME(FLOW_BEGIN);
SAME(FLOW_STEP);
SAME(FLOW_END);

static struct fxt_str str_of(const char *s)
{
	return fxt_str(s, strlen(s));
}

/* ---- what --check would reject: fxt_check_record.c has the rules ---- */

static bool is_text(const char *s)
{
	return utf8_valid(s, strlen(s));
}

static bool is_koid(uint64_t id)
{
	return id && !(id >> 32);
}

static bool is_number(const struct etrace_fxt_arg *a)
{
	return a->type == ETRACE_FXT_ARG_INT || a->type == ETRACE_FXT_ARG_UINT ||
	       a->type == ETRACE_FXT_ARG_DOUBLE;
}

static bool is_good_arg(const struct etrace_fxt_arg *args, unsigned int i)
{
	const struct etrace_fxt_arg *a = &args[i];

	for (unsigned int k = 0; k < i; k++)
		if (!strcmp(args[k].name, a->name))
			return false;
	return is_text(a->name) && (a->type != ETRACE_FXT_ARG_STRING || is_text(a->s)) &&
	       (a->type != ETRACE_FXT_ARG_UINT || !(a->u >> 63));
}

static uint64_t hash_of(const char *s)
{
	return hash_bytes(s, strlen(s));
}

/* Each argument name may be used by one counter only. */
static bool is_good_counter(struct etrace_fxt *f, const struct etrace_fxt_event *e,
			    const struct etrace_fxt_arg *args, unsigned int nargs)
{
	uint64_t counter = hash_two(hash_of(e->name), e->value);

	for (unsigned int i = 0; i < nargs; i++) {
		const uint64_t *other = map64_get(&f->counters, hash_of(args[i].name));

		if (!is_number(&args[i]) || (other && *other != counter))
			return false;
	}
	return true;
}

static bool is_good_event(struct etrace_fxt *f, const struct etrace_fxt_event *e,
			  const struct etrace_fxt_arg *args, unsigned int nargs)
{
	if (!is_koid(e->process) || !is_koid(e->thread) || e->time >> 63 ||
	    !is_text(e->category) || !is_text(e->name))
		return false;
	if (e->type == ETRACE_FXT_DURATION_COMPLETE && (e->value >> 63 || e->value < e->time))
		return false;
	if (e->type == ETRACE_FXT_INSTANT && strstr(e->name, "frame"))
		return false;
	for (unsigned int i = 0; i < nargs; i++)
		if (!is_good_arg(args, i))
			return false;
	return e->type != ETRACE_FXT_COUNTER || is_good_counter(f, e, args, nargs);
}

static void on_disorder(void *ctx, enum fxt_rule rule, uint64_t offset, const char *detail)
{
	struct etrace_fxt *f = ctx;

	(void)offset;
	(void)detail;
	/* a trace may end before an async event does */
	f->disorder |= rule != RULE_ASYNC_UNFINISHED;
}

static void remember_event(struct etrace_fxt *f, const struct etrace_fxt_event *e,
			   const struct etrace_fxt_arg *args, unsigned int nargs)
{
	const struct fxt_timed timed = {
		.time = e->time, .process = e->process, .thread = e->thread, .value = e->value,
		.names = hash_two(hash_of(e->category), hash_of(e->name)),
		.type = (enum fxt_event_type)e->type,
	};

	fxt_check_time_add(f->order, &timed);
	for (unsigned int i = 0; e->type == ETRACE_FXT_COUNTER && i < nargs; i++)
		map64_put(&f->counters, hash_of(args[i].name),
			  hash_two(hash_of(e->name), e->value));
}

/* ---- the file ---- */

static void begin_file(struct etrace_fxt *f, const char *provider)
{
	f->order = fxt_check_time_new(on_disorder, f);
	f->w = fxt_writer_new(f->out);
	fxt_begin(f->w, PROVIDER, str_of(provider));
}

int etrace_fxt_create(const char *path, const char *provider, struct etrace_fxt **fxt)
{
	struct xalloc_trap trap;
	struct etrace_fxt *f;
	int err = 0;

	*fxt = NULL;
	if (strlen(provider) > PROVIDER_MAX || !is_text(provider))
		return -EINVAL;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	if (xalloc_caught(&trap)) {
		f->dead = -ENOMEM;
		etrace_fxt_close(f);
		return -ENOMEM;
	}
	f->out = out_create(path, &err);
	if (f->out)
		begin_file(f, provider);
	xalloc_end(&trap);
	if (!f->out) {
		free(f);
		return err;
	}
	*fxt = f;
	return 0;
}

int etrace_fxt_process(struct etrace_fxt *f, uint64_t process, const char *name)
{
	struct xalloc_trap trap;
	int err;

	if (f->dead)
		return f->dead;
	if (!is_koid(process) || !is_text(name))
		return -EINVAL;
	if (xalloc_caught(&trap))
		return f->dead = -ENOMEM;
	err = fxt_process_name(f->w, process, str_of(name));
	xalloc_end(&trap);
	return err;
}

int etrace_fxt_thread(struct etrace_fxt *f, uint64_t process, uint64_t thread,
		      const char *name)
{
	struct xalloc_trap trap;
	int err;

	if (f->dead)
		return f->dead;
	if (!is_koid(process) || !is_koid(thread) || !is_text(name))
		return -EINVAL;
	if (xalloc_caught(&trap))
		return f->dead = -ENOMEM;
	err = fxt_thread_name(f->w, process, thread, str_of(name));
	xalloc_end(&trap);
	return err;
}

/* Return: 0, or -EINVAL if there is no such type. */
static int convert_arg(const struct etrace_fxt_arg *from, struct fxt_arg *to)
{
	struct fxt_str name = str_of(from->name);

	switch (from->type) {
	case ETRACE_FXT_ARG_NULL:
		*to = fxt_arg_null(name);
		return 0;
	case ETRACE_FXT_ARG_INT:
		*to = fxt_arg_i(name, from->i);
		return 0;
	case ETRACE_FXT_ARG_UINT:
		*to = fxt_arg_u(name, from->u);
		return 0;
	case ETRACE_FXT_ARG_DOUBLE:
		*to = fxt_arg_f(name, from->d);
		return 0;
	case ETRACE_FXT_ARG_STRING:
		*to = fxt_arg_str(name, str_of(from->s));
		return 0;
	case ETRACE_FXT_ARG_POINTER:
		*to = fxt_arg_ptr(name, from->u);
		return 0;
	}
	return -EINVAL;
}

int etrace_fxt_event(struct etrace_fxt *f, const struct etrace_fxt_event *event,
		     const struct etrace_fxt_arg *args, unsigned int nargs)
{
	struct fxt_arg converted[FXT_MAX_ARGS];
	struct xalloc_trap trap;
	struct fxt_event ev;
	int err;

	if (f->dead)
		return f->dead;
	if ((unsigned int)event->type >= FXT_EV_COUNT)
		return -EINVAL;
	if (nargs > FXT_MAX_ARGS)
		return -E2BIG;
	for (unsigned int i = 0; i < nargs; i++) {
		err = convert_arg(&args[i], &converted[i]);
		if (err)
			return err;
	}
	if (!is_good_event(f, event, args, nargs))
		return -EINVAL;
	ev = (struct fxt_event){
		.type = (enum fxt_event_type)event->type,
		.time = event->time,
		.process = event->process,
		.thread = event->thread,
		.category = str_of(event->category),
		.name = str_of(event->name),
		.value = event->value,
	};
	if (xalloc_caught(&trap))
		return f->dead = -ENOMEM;
	err = fxt_event(f->w, &ev, converted, nargs);
	if (!err)
		remember_event(f, event, args, nargs);
	xalloc_end(&trap);
	return err;
}

static int close_out(struct out *out, bool whole)
{
	struct xalloc_trap trap;
	int err;

	if (xalloc_caught(&trap))
		return -ENOMEM;
	if (out && !whole)
		out_discard(out);
	err = out ? out_close(out) : 0;
	xalloc_end(&trap);
	return err;
}

static int end_order(struct etrace_fxt *f)
{
	struct xalloc_trap trap;

	if (xalloc_caught(&trap))
		return -ENOMEM;
	fxt_check_time_end(f->order);
	fxt_check_time_free(f->order);
	map64_clear(&f->counters);
	xalloc_end(&trap);
	return 0;
}

int etrace_fxt_close(struct etrace_fxt *f)
{
	int err, end;

	if (!f)
		return 0;
	err = f->dead;
	/* Half-changed memory must not be freed: see xalloc.h. */
	if (!err) {
		fxt_writer_free(f->w);
		err = end_order(f);
	}
	end = close_out(f->out, !err);
	if (!err && f->disorder)
		err = -EINVAL;
	free(f);
	return end ? end : err;
}
