// SPDX-License-Identifier: LGPL-2.1
/* sp-rtrace as FXT: names and events.  See sprt_fxt_state.h. */
#include "format/sprtrace/sprt_fxt_state.h"
#include "base/utf8.h"
#include "base/xalloc.h"

#include <string.h>

/* A longer name is cut, and the whole name goes into an argument. */
#define NAME_MAX_BYTES	1024u

const char *sprt_fxt_name(struct sprt_fxt *f, const char *s, bool *whole)
{
	size_t n = strlen(s);
	char *clean;

	*whole = true;
	if (n <= NAME_MAX_BYTES && utf8_valid(s, n))
		return s;
	*whole = false;
	clean = fxt_args_keep(&f->args, utf8_replace(s, n, &n));
	clean[utf8_cut(clean, n, NAME_MAX_BYTES)] = '\0';
	return clean;
}

const char *sprt_fxt_instant_name(struct sprt_fxt *f, const char *s, bool *whole)
{
	char *spelled, *at;

	s = sprt_fxt_name(f, s, whole);
	if (!strstr(s, "frame"))
		return s;
	*whole = false;
	spelled = fxt_args_keep(&f->args, xstrdup(s));
	for (at = spelled; (at = strstr(at, "frame")); )
		*at = 'F';
	return spelled;
}

/* --- events ------------------------------------------------------------- */

/* An event on the thread of the log, now. */
static struct fxt_event event_now(const struct sprt_fxt *f, enum fxt_event_type type,
				  const char *category, const char *name)
{
	return (struct fxt_event){
		.type = type, .time = f->now, .process = f->koid, .thread = f->koid,
		.category = fxt_cstr(category), .name = fxt_cstr(name),
	};
}

static void keep_error(struct sprt_fxt *f, int err)
{
	if (err && !f->err)
		f->err = err;
}

void sprt_fxt_event(struct sprt_fxt *f, enum fxt_event_type type, const char *category,
		    const char *name, uint64_t value, const struct fxt_arg *args, size_t n)
{
	struct fxt_event ev = event_now(f, type, category, name);

	ev.value = value;
	keep_error(f, fxt_event(f->w, &ev, args, (unsigned int)n));
}

void sprt_fxt_instant(struct sprt_fxt *f, const char *category, const char *name)
{
	struct fxt_event ev;
	bool whole;

	ev = event_now(f, FXT_EV_INSTANT, sprt_fxt_name(f, category, &whole),
		       sprt_fxt_instant_name(f, name, &whole));
	keep_error(f, fxt_args_event(&f->args, f->w, &ev));
	/* What the arguments refer to stays until the end of the item. */
	f->args.n = 0;
}
