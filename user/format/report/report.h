/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The summary of a trace, for users: collects numbers from its events, and prints them
 * at the end.  It implements etrace report and etrace-read --stats.
 */
#ifndef ETRACE_REPORT_H
#define ETRACE_REPORT_H

#include "base/buf.h"
#include "io/diag.h"
#include "event/event.h"
#include "io/out.h"
#include "event/proctab.h"
#include "io/formats.h"
#include "io/json_out.h"
#include "base/tally.h"

/* The numbers; all times in ns.  Valid after report_end(). */
struct report {
	uint64_t events;
	uint64_t kinds[ET_K_COUNT];
	uint64_t failed[ET_K_COUNT];
	uint64_t incomplete;		/* number of incomplete events */
	uint64_t lost;			/* number of lost events, as far as known */
	uint64_t lost_unknown;		/* number of losses of unknown size */
	uint64_t first, last;		/* times of events */
	uint64_t processes, threads;	/* all, including those that ran before the trace began */
	uint64_t widest, widest_at;	/* maximum processes at once, and when first reached */
	unsigned int deepest;		/* maximum generations of processes */
	uint64_t deepest_at;
	uint64_t unfinished;		/* tasks that are live at the end */
	uint64_t ends_lost;		/* tasks whose end is not in the trace */
	struct tally programs;		/* run time of each run */
	struct tally failures;		/* programs that ended with a status other than 0,
					 * or by a signal
					 */
	uint64_t nkilled;		/* processes that a signal ended */
	struct tally killed;		/* by signal number (one byte), then program */
	struct tally urings;		/* programs that set up an io_uring */
	struct tally read, written;	/* files, by number of opens */
	/* from the recorder's own event, ET_K_SESSION, if there is one */
	bool has_session;
	bool session_complete;
	int64_t session_status;		/* status of the command, -1 if none */
	struct buf session_backend, session_command, session_verdict;
	bool begun;
	struct proctab *tab;
};

/** report_new - an empty report; @pid_bits as the module's bits_of_real_pid */
struct report *report_new(unsigned int pid_bits);
void report_free(struct report *r);

/** report_event - add an event; call it in time order */
void report_event(struct report *r, const struct et_event *ev);

/** report_end - the trace has ended: compute the final numbers */
void report_end(struct report *r);

/**
 * report_text - print the report as text for users
 * @diag: diagnostics of the conversion, which say whether the trace is complete
 */
void report_text(const struct report *r, const struct diag *diag, struct out *out);

/* Adds further members at the end of the JSON object. */
typedef void report_more(void *ctx, struct json *j);

/**
 * report_json - print the report as one JSON object
 * @more: called with @ctx for further members; may be NULL
 */
void report_json(const struct report *r, const struct diag *diag, struct out *out,
		 report_more *more, void *ctx);

struct sink *etrace_report_open(const struct sink_args *args);
extern const struct opt_row etrace_report_options[];

/** report_sink_more - set @more of report_json() for a sink of etrace_report_open() */
void report_sink_more(struct sink *s, report_more *more, void *ctx);

/** report_complete - whether nothing is known to be missing */
bool report_complete(const struct report *r, const struct diag *diag);

/* Maximum names in a list. */
#define REPORT_TOP 10

#endif
