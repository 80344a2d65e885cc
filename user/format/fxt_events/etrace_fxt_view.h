/* SPDX-License-Identifier: LGPL-2.1 */
/* Which events a Fuchsia trace shows: all, or those that the options of its row ask for. */
#ifndef ETRACE_FXT_VIEW_H
#define ETRACE_FXT_VIEW_H

#include "event/event.h"
#include "io/diag.h"
#include "io/options.h"

#include <fcntl.h>

struct fxt_view {
	bool cuts;		/* --view: small enough to look at, however long the build */
	uint16_t values[ET_K_COUNT], strings[ET_K_COUNT];	/* bit i: that one is shown */
	bool forks;		/* arrows from who forked to whom */
	size_t max_argv;	/* bytes of a command line after which it is cut */
	uint8_t kinds[ET_K_COUNT];	/* enum fxt_view_show */
	/* time traces of compilers: the directory below which they are; NULL: not asked for */
	const char *inside;
	const char *left_out;	/* for people; NULL: all is shown */
};

enum fxt_view_show {
	FXT_VIEW_NONE,
	FXT_VIEW_WRITES,	/* opens for writing */
	FXT_VIEW_ALL,
};

extern const struct opt_row etrace_fxt_options[];

/** fxt_view_take - what the options say.  Return: false after diag_fatal(). */
bool fxt_view_take(struct fxt_view *v, const struct opts *opts, struct diag *diag);

/** fxt_view_shows - whether an event gets a record of its own */
static inline bool fxt_view_shows(const struct fxt_view *v, const struct et_event *ev)
{
	if (v->kinds[ev->kind] != FXT_VIEW_WRITES)
		return v->kinds[ev->kind];
	return et_value(ev, ET_V_OPEN_flags, 0) & (O_ACCMODE | O_CREAT | O_TRUNC);
}

#endif
