// SPDX-License-Identifier: LGPL-2.1
/*
 * Source of the etrace model: reads a log of strace (-f), or one log for each task (-ff),
 * which are merged by time.  st_line.c parses the lines, st_log.c makes events of them.
 */
#include "format/strace/st_args.h"
#include "format/strace/st_formats.h"
#include "format/strace/st_log.h"
#include "format/strace/st_times.h"
#include "base/xalloc.h"
#include "event/event.h"

#include <stdlib.h>
#include <string.h>

/* Maximum lines read in one step. */
#define STEP_LINES	64u
/* In bytes: a program has up to 6 MiB of arguments, and strace prints a byte as up to 4. */
#define MAX_LINE	IN_MAX_PEEK

static const struct diag_kind long_lines = {
	"lines too long to be one, passed over", DIAG_DAMAGE };
static const struct diag_kind cut_line = {
	"inputs ending inside a line", DIAG_DAMAGE };
static const struct diag_kind untimed = {
	"lines without a time: the order is right, the times are invented", DIAG_NOTE };
static const struct diag_kind apart = {
	"logs of several tasks without times: the order is unknown", DIAG_DAMAGE };
static const struct diag_kind no_end = {
	"tasks whose end is not in the log: it may be cut", DIAG_DAMAGE };
static const struct diag_kind clock_set = {
	"times at which the clock was set: later times are reckoned from there", DIAG_NOTE };
static const struct diag_kind clocks_set = {
	"times at which the clock was set: the order of the logs' lines is not certain", DIAG_DAMAGE };
static const struct diag_kind no_events = {
	"logs without a call that is recorded", DIAG_DAMAGE };

/* One input, and its next line. */
struct stream {
	struct in *in;
	struct st_place place;
	struct st_times times;
	struct st_line line;
	uint64_t at;
	size_t used;		/* bytes of the line in the input's window */
	struct buf cwd;		/* working directory at its begin, with a NUL; empty if unknown */
	bool at_end;
};

struct st_in {
	struct source source;
	struct diag *diag;
	struct st_log_options options;
	struct st_log *log;	/* NULL before the first step */
	struct sink *sink;
	bool dated;		/* all times are since 1970 */
	size_t n;
	struct stream **heap;	/* streams not at their end, earliest first */
	size_t nheap;
	struct stream streams[];
};

const struct opt_row st_options[] = {
	{ "cwd", "DIR", "where the first program of a log of strace began" },
	{ 0 }
};

/* Pass over a line that is longer than MAX_LINE. */
static void skip_long(struct st_in *src, struct stream *st)
{
	const char *s, *nl;
	size_t have;

	st->place.number++;
	diag_report(src->diag, &long_lines, st->place.file, DIAG_LINE, st->place.number, NULL);
	do {
		s = (const char *)in_peek(st->in, 1, &have);
		nl = have ? memchr(s, '\n', have) : NULL;
		in_skip(st->in, nl ? (size_t)(nl + 1 - s) : have);
	} while (have && !nl);
}

/* Find the next line in the input's window.  Return: NULL at the end. */
static const char *next_line(struct st_in *src, struct stream *st, size_t *len)
{
	const char *s;
	bool whole;

	in_skip(st->in, st->used);
	st->used = 0;
	for (;;) {
		s = in_line(st->in, MAX_LINE, len, &whole);
		if (!s)
			return NULL;
		if (whole || *len < MAX_LINE)
			break;
		skip_long(src, st);
	}
	st->place.number++;
	if (!whole)
		diag_report(src->diag, &cut_line, st->place.file, DIAG_LINE, st->place.number,
			    "the last line has no newline at its end: it may be cut");
	st->used = *len + whole;
	return s;
}

static void advance_stream(struct st_in *src, struct stream *st)
{
	size_t len = 0;
	bool timed;
	const char *s;

	do {
		s = next_line(src, st, &len);
		if (!s) {
			st->at_end = true;
			in_report(st->in, src->diag, DIAG_LINE, st->place.number);
			return;
		}
		st_line_parse(&st->line, s, len);
	} while (st->line.class == ST_NOTHING);
	timed = st->line.class != ST_FOREIGN && st->line.class != ST_DUMP;
	if (st->line.clock == ST_UNTIMED && timed)
		diag_report(src->diag, src->n > 1 ? &apart : &untimed, st->place.file, DIAG_LINE,
			    st->place.number, NULL);
	src->dated &= !timed || st->line.clock == ST_EPOCH;
	st->at = st_time(&st->times, &st->line);
}

/* ---- merging ---- */

/* Order of streams.  With equal times, the first stream wins, for a reproducible order. */
static bool stream_sooner(const struct stream *x, const struct stream *y)
{
	return x->at != y->at ? x->at < y->at : x < y;
}

static void sift_down(struct st_in *src, size_t i)
{
	struct stream *st = src->heap[i];

	for (;;) {
		size_t c = 2 * i + 1;

		if (c >= src->nheap)
			break;
		if (c + 1 < src->nheap && stream_sooner(src->heap[c + 1], src->heap[c]))
			c++;
		if (!stream_sooner(src->heap[c], st))
			break;
		src->heap[i] = src->heap[c];
		i = c;
	}
	src->heap[i] = st;
}

/*
 * Find a stream's working directory at its begin: from the first AT_FDCWD</path>, if it
 * comes early and there is no chdir before it.  Only before the first line is read: lines
 * point into the input's window.
 */
static void find_cwd(struct stream *st)
{
	static const char here[] = "AT_FDCWD<", gone[] = "chdir(";
	const char *s, *found, *end;
	size_t n;

	s = (const char *)in_peek(st->in, DETECT_BYTES, &n);
	found = n ? memmem(s, n, here, sizeof(here) - 1) : NULL;
	if (!found || memmem(s, (size_t)(found - s), gone, sizeof(gone) - 1))
		return;
	end = st_skip(found + sizeof(here) - 2, s + n);
	st_unescape(&st->cwd, found + sizeof(here) - 1, (size_t)(end - found - sizeof(here)));
	buf_addc(&st->cwd, 0);
}

static void begin_log(struct st_in *src, struct sink *sink)
{
	src->dated = true;
	for (size_t i = 0; i < src->n; i++) {
		find_cwd(&src->streams[i]);
		advance_stream(src, &src->streams[i]);
		if (!src->streams[i].at_end)
			src->heap[src->nheap++] = &src->streams[i];
	}
	for (size_t i = src->nheap / 2; i-- > 0;)
		sift_down(src, i);
	if (!src->options.cwd && src->nheap)
		src->options.cwd = src->heap[0]->cwd.s;
	src->sink = sink;
	src->log = st_log_new(&src->options, sink, src->diag);
}

/* Emit the last event, like a recorder: is the log complete, and do its times have dates? */
static int put_verdict(struct st_in *src, uint64_t at)
{
	static const char backend[] = "strace", complete[] = "complete";
	const char *env = st_log_env(src->log);
	struct buf text = { 0 };
	struct et_event ev;
	int err;

	diag_missing(src->diag, &text);
	et_init(&ev);
	et_reset(&ev, ET_K_SESSION, 0, 0, at);
	et_set(&ev, ET_V_SESSION_complete, !text.len);
	et_set(&ev, ET_V_SESSION_records, (int64_t)st_log_events(src->log));
	et_set(&ev, ET_V_SESSION_arrived, (int64_t)st_log_events(src->log));
	et_set(&ev, ET_V_SESSION_lost, 0);
	if (src->dated)
		et_set(&ev, ET_V_SESSION_realtime, 0);
	et_add_string(&ev, ET_S_SESSION_backend, backend, sizeof(backend) - 1);
	et_add_string(&ev, ET_S_SESSION_command, "", 0);
	if (text.len)
		et_add_string(&ev, ET_S_SESSION_verdict, text.s, text.len - 1);
	else
		et_add_string(&ev, ET_S_SESSION_verdict, complete, sizeof(complete) - 1);
	if (*env)
		et_add_string(&ev, ET_S_SESSION_env, env, strlen(env));
	et_end(&ev);
	err = sink_item(src->sink, &ev);
	et_fini(&ev);
	buf_free(&text);
	return err;
}

static int end_log(struct st_in *src)
{
	uint64_t sets = 0, at = 0;
	int err = st_log_end(src->log);

	if (!st_log_events(src->log))
		diag_report(src->diag, &no_events, src->streams[0].place.file, DIAG_NOWHERE, 0,
			    "has no call that is recorded");
	for (size_t i = 0; i < src->n; i++) {
		sets += src->streams[i].times.sets;
		at = src->streams[i].times.last > at ? src->streams[i].times.last : at;
	}
	if (sets)
		diag_count(src->diag, src->n > 1 ? &clocks_set : &clock_set, sets);
	if (st_log_alive(src->log))
		diag_count(src->diag, &no_end, st_log_alive(src->log));
	return err ? err : put_verdict(src, at);
}

static int read_step(struct source *s, struct sink *sink)
{
	struct st_in *src = (struct st_in *)s;
	int err = 0;

	if (!src->log)
		begin_log(src, sink);
	for (unsigned int i = 0; i < STEP_LINES && !err; i++) {
		struct stream *st = src->nheap ? src->heap[0] : NULL;

		if (!st)
			return end_log(src);
		err = st_log_line(src->log, &st->line, st->at, &st->place);
		advance_stream(src, st);
		if (st->at_end)
			src->heap[0] = src->heap[--src->nheap];
		if (src->nheap)
			sift_down(src, 0);
	}
	return err ? err : 1;
}

static void free_source(struct source *s)
{
	struct st_in *src = (struct st_in *)s;

	st_log_free(src->log);
	for (size_t i = 0; i < src->n; i++)
		buf_free(&src->streams[i].cwd);
	free(src->heap);
	free(src);
}

/* Pid of the task in a name like "log.1234" (-ff), -1 if there is none. */
static int64_t pid_of_name(const char *name)
{
	const char *dot = strrchr(name, '.');
	char *rest;
	long pid;

	if (!dot || dot[1] < '0' || dot[1] > '9')
		return -1;
	pid = strtol(dot + 1, &rest, 10);
	return *rest || pid > INT32_MAX ? -1 : pid;
}

struct source *st_open(const struct source_args *args)
{
	static const struct source_ops ops = { read_step, free_source };
	struct st_in *src = xcalloc(1, sizeof(*src) + args->nin * sizeof(src->streams[0]));

	src->source.ops = &ops;
	src->diag = args->diag;
	/* report every call in the log, but only the environment variables recorded by default */
	src->options.record = 1u << ET_PROBES | 1u << ET_DIRS | 1u << ET_ENV | ET_ENV_LISTED |
			      1u << ET_OUTPUT;
	src->options.keep_env = et_env_listed;
	src->options.cwd = opt_value(args->opts, "cwd");
	src->n = args->nin;
	src->heap = xcalloc(args->nin, sizeof(struct stream *));
	for (size_t i = 0; i < args->nin; i++) {
		struct stream *st = &src->streams[i];

		st->in = args->in[i];
		st->place.file = in_name(args->in[i]);
		st->place.pid = pid_of_name(st->place.file);
		st->times.apart = args->nin > 1;
	}
	return &src->source;
}

/* Lines with calls that are recorded are good evidence: other text hardly looks like them. */
int st_detect(const uint8_t *data, size_t n)
{
	const char *s = (const char *)data, *end = s + n, *nl;
	unsigned int calls = 0, others = 0;
	struct st_line line;

	while (s < end && (nl = memchr(s, '\n', (size_t)(end - s)))) {
		st_line_parse(&line, s, (size_t)(nl - s));
		if (line.class == ST_FOREIGN)
			others++;
		else if (line.class == ST_CALL || line.class == ST_UNFINISHED)
			calls += st_log_knows(line.name);
		s = nl + 1;
	}
	if (!calls)
		return DETECT_NO;
	return calls > others ? DETECT_SURE - 5 : DETECT_MAYBE;
}
