/* SPDX-License-Identifier: LGPL-2.1 */
/* Selects the events that a Fuchsia trace shows: all, or those that the options ask for. */
#ifndef ETRACE_FXT_VIEW_H
#define ETRACE_FXT_VIEW_H

#include "event/event.h"
#include "io/diag.h"
#include "io/options.h"

#include <fcntl.h>

struct fxt_view {
	bool cuts;		/* --view: keep it small enough to look at, even for long builds */
	/* bit i: value or string i is shown */
	uint16_t values[ET_K_COUNT], strings[ET_K_COUNT];
	bool forks;		/* arrows from parent to child */
	size_t max_argv;	/* maximum bytes of a command line */
	uint8_t kinds[ET_K_COUNT];	/* enum fxt_view_show */
	/* directory of the compilers' time traces; NULL if not requested */
	const char *inside;
	const char *left_out;	/* tells users what is left out; NULL if nothing is */
};

enum fxt_view_show {
	FXT_VIEW_NONE,
	FXT_VIEW_WRITES,	/* opens for writing */
	FXT_VIEW_ALL,
};

extern const struct opt_row etrace_fxt_options[];

/** fxt_view_take - set up a view from the options.  Return: false after diag_fatal(). */
bool fxt_view_take(struct fxt_view *v, const struct opts *opts, struct diag *diag);

/** fxt_view_shows - whether an event gets its own record */
static inline bool fxt_view_shows(const struct fxt_view *v, const struct et_event *ev)
{
	if (v->kinds[ev->kind] != FXT_VIEW_WRITES)
		return v->kinds[ev->kind];
	return et_value(ev, ET_V_OPEN_flags, 0) & (O_ACCMODE | O_CREAT | O_TRUNC);
}

#endif
