// SPDX-License-Identifier: LGPL-2.1
/* Writing FXT, for other programs.  See etrace.h. */
#include "include/etrace.h"
#include "base/xalloc.h"
#include "fxt/fxt_write.h"
#include "io/out.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PROVIDER	1u
#define NS_PER_SEC	1000000000u
#define PROVIDER_MAX	255u

struct etrace_fxt {
	struct out *out;
	struct fxt_writer *w;
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

static struct fxt_str str(const char *s)
{
	return fxt_str(s, strlen(s));
}

static void begin(struct etrace_fxt *f, const char *provider)
{
	f->w = fxt_writer_new(f->out);
	fxt_magic(f->w);
	fxt_provider_info(f->w, PROVIDER, str(provider));
	fxt_init(f->w, NS_PER_SEC);
	/* A consumer loses the names of threads if it is not the first. */
	fxt_pin(f->w, FXT_STR("process"));
}

int etrace_fxt_create(const char *path, const char *provider, struct etrace_fxt **fxt)
{
	struct xalloc_trap trap;
	struct etrace_fxt *f;
	int err = 0;

	*fxt = NULL;
	if (strlen(provider) > PROVIDER_MAX)
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
		begin(f, provider);
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
	if (xalloc_caught(&trap))
		return f->dead = -ENOMEM;
	err = fxt_process_name(f->w, process, str(name));
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
	if (xalloc_caught(&trap))
		return f->dead = -ENOMEM;
	err = fxt_thread_name(f->w, process, thread, str(name));
	xalloc_end(&trap);
	return err;
}

/* Return: 0, or -EINVAL: there is no such type. */
static int convert_arg(const struct etrace_fxt_arg *from, struct fxt_arg *to)
{
	struct fxt_str name = str(from->name);

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
		*to = fxt_arg_str(name, str(from->s));
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
	ev = (struct fxt_event){
		.type = (enum fxt_event_type)event->type,
		.time = event->time,
		.process = event->process,
		.thread = event->thread,
		.category = str(event->category),
		.name = str(event->name),
		.value = event->value,
	};
	if (xalloc_caught(&trap))
		return f->dead = -ENOMEM;
	err = fxt_event(f->w, &ev, converted, nargs);
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

int etrace_fxt_close(struct etrace_fxt *f)
{
	int err, end;

	if (!f)
		return 0;
	err = f->dead;
	/* What is half changed must not be freed: see xalloc.h. */
	if (!err)
		fxt_writer_free(f->w);
	end = close_out(f->out, !err);
	free(f);
	return err ? err : end;
}
