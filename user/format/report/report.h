/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What a person wants to know of a trace at a glance: fed with events, says it
 * at the end.  Behind --stats of etrace-read and etrace report; other programs may
 * use it too.
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
	uint64_t incomplete;		/* events */
	uint64_t lost;			/* events, as far as it is known */
	uint64_t lost_unknown;		/* losses of unknown size */
	uint64_t first, last;		/* times of events */
	uint64_t processes, threads;	/* that began or were there */
	uint64_t widest, widest_at;	/* most processes at once, since when */
	unsigned int deepest;		/* generations of processes */
	uint64_t deepest_at;
	uint64_t unfinished;		/* tasks that live at the end */
	uint64_t ends_lost;		/* tasks whose end is not in the trace */
	struct tally programs;		/* run time of each run */
	struct tally failures;		/* programs that ended with status not 0, or
					 * by a signal
					 */
	uint64_t nkilled;		/* processes that a signal ended */
	struct tally killed;		/* the signal's number, a byte, and the program */
	struct tally urings;		/* programs that set up an io_uring */
	struct tally read, written;	/* files, by opens */
	/* what the recording itself says of it, if it does: ET_K_SESSION */
	bool has_session;
	bool session_complete;
	int64_t session_status;		/* of the command, -1: there is none */
	struct buf session_backend, session_command, session_verdict;
	bool begun;
	struct proctab *tab;
};

/** report_new - an empty report; @pid_bits as the module's bits_of_real_pid */
struct report *report_new(unsigned int pid_bits);
void report_free(struct report *r);

/** report_event - one event, in the order of time */
void report_event(struct report *r, const struct et_event *ev);

/** report_end - the trace is over: close what is open */
void report_end(struct report *r);

/**
 * report_text - write it for a person
 * @diag: of the conversion, for whether the trace is complete
 */
void report_text(const struct report *r, const struct diag *diag, struct out *out);

/* Writes members of its own at the end of the object. */
typedef void report_more(void *ctx, struct json *j);

/**
 * report_json - the same as one JSON object
 * @more: NULL, or called with @ctx
 */
void report_json(const struct report *r, const struct diag *diag, struct out *out,
		 report_more *more, void *ctx);

struct sink *etrace_report_open(const struct sink_args *args);
extern const struct opt_row etrace_report_options[];

/** report_sink_more - @more for a sink of etrace_report_open() */
void report_sink_more(struct sink *s, report_more *more, void *ctx);

/** report_complete - whether nothing is missing, as far as is known */
bool report_complete(const struct report *r, const struct diag *diag);

/* Names that a list shows at most. */
#define REPORT_TOP 10

#endif
