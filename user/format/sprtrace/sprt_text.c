// SPDX-License-Identifier: LGPL-2.1
/*
 * Source "sp-rtrace-text": reads the lines of one or more text reports (TEXT_PROTOCOL),
 * as written by sp-rtrace 1.1 to 1.8 and by sprt_print.c; sprt_text_call.c assembles
 * calls.
 *
 * Keeps what the original reader loses: contexts, arguments and paths with spaces,
 * heap information and modules.
 */
#include "format/sprtrace/sprt_formats.h"
#include "format/sprtrace/sprt_line.h"
#include "format/sprtrace/sprt_text_state.h"
#include "format/sprtrace/sprt_words.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct diag_kind damage_header = {
	"reports without a header line", DIAG_DAMAGE };
static const struct diag_kind damage_cut = {
	"lines cut off by the end of the report", DIAG_DAMAGE };

/* --- heap information --------------------------------------------------- */

static int end_heap(struct sprt_text *t)
{
	if (!t->in_heap)
		return 0;
	t->in_heap = false;
	if (t->heap_seen != (1u << SPRT_HEAP_NWORDS) - 1)
		sprt_text_damaged(t, &sprt_damage_field, "heap information has missing lines",
				  NULL);
	return sprt_text_emit(t, &t->heap);
}

/* --- header ------------------------------------------------------------- */

/* Parse a number that must be all of @s; reports damage if it is not.  @s: may be NULL */
static bool header_number(struct sprt_text *t, const char *s, uint32_t *v)
{
	char *p = (char *)(uintptr_t)s;

	if (!s)
		return false;
	if (sprt_line_number32(&p, 10, v) && !*p)
		return true;
	sprt_text_damaged(t, &sprt_damage_field, "not a number", s);
	return false;
}

/* Pass on the kept items of a report with groups, calls sorted by number. */
static int flush_log(struct sprt_text *t)
{
	int ret;

	if (!t->log)
		return 0;
	sprt_log_sort(t->log);
	ret = sprt_log_replay(t->log, t->sink);
	sprt_log_free(t->log);
	t->log = NULL;
	return ret;
}

static int start_report(struct sprt_text *t, char *line)
{
	struct sprt_item log = { .kind = SPRT_LOG, .log.text = true };
	struct sprt_item proc = { .kind = SPRT_PROCESS };
	struct sprt_process *process = &proc.process;
	const char *value[SPRT_KEY_COUNT], *s;
	int major, minor, n = 0, ret;
	bool known;

	sprt_text_forget(t);
	sprt_line_header(line, value);
	s = value[SPRT_KEY_VERSION];
	t->always_traced = false;
	if (s && sscanf(s, "%d.%d%n", &major, &minor, &n) == 2 && !s[n] &&
	    major >= 0 && major <= UINT8_MAX && minor >= 0 &&
	    minor <= UINT8_MAX) {
		log.log.major = (uint8_t)major;
		log.log.minor = (uint8_t)minor;
		t->always_traced = major == 1 && minor < 2;
	} else if (s) {
		sprt_text_damaged(t, &sprt_damage_field, "not a version", s);
	}
	log.log.arch = value[SPRT_KEY_ARCH] ? value[SPRT_KEY_ARCH] : "";
	log.log.origin = value[SPRT_KEY_ORIGIN] ? value[SPRT_KEY_ORIGIN] : "";
	log.log.filters = sprt_line_filters(value[SPRT_KEY_FILTER], &known);
	if (!known)
		sprt_text_damaged(t, &sprt_damage_field, "unknown filter", value[SPRT_KEY_FILTER]);
	t->compressed = log.log.filters & SPRT_FILTER_COMPRESS;
	if (t->compressed || !known || !value[SPRT_KEY_VERSION]) {
		t->log = sprt_log_new();
		t->group = 0;
	}
	ret = sprt_text_emit(t, &log);
	if (ret)
		return ret;

	process->name = value[SPRT_KEY_PROCESS] ? value[SPRT_KEY_PROCESS] : "";
	header_number(t, value[SPRT_KEY_PID], &process->pid);
	process->has_depth = header_number(t, value[SPRT_KEY_DEPTH], &process->depth);
	s = value[SPRT_KEY_TIMESTAMP] ? value[SPRT_KEY_TIMESTAMP] : value[SPRT_KEY_TIME];
	if (s) {
		process->has_time = sprt_line_time(s, &process->sec);
		if (!process->has_time)
			sprt_text_damaged(t, &sprt_damage_field, "not a time", s);
	}
	return sprt_text_emit(t, &proc);
}

/* --- lines -------------------------------------------------------------- */

/*
 * Emit a comment.  It can come between a call and its backtrace or the calls of a group:
 * then it is emitted after the call before it.
 */
static int comment_line(struct sprt_text *t, const char *line)
{
	struct sprt_item item = { .kind = SPRT_COMMENT, .comment = line };

	if (!t->call_open)
		return sprt_text_emit(t, &item);
	sprt_text_later(t, line);
	return 0;
}

/*
 * Keep an unreadable call as a comment.  In a group, the backtrace that follows is
 * also that of the calls before it; else it belongs to the unreadable call only.
 */
static int bad_call_line(struct sprt_text *t, const char *line)
{
	int ret = 0;

	sprt_text_damaged(t, &sprt_damage_line, "not a call", line);
	t->lost_call = true;
	if (!t->compressed)
		ret = sprt_text_end_call(t, false);
	return ret ? ret : comment_line(t, line);
}

static int record_line(struct sprt_text *t, char *line)
{
	const struct sprt_line_type *type;
	struct sprt_item item = { 0 };
	struct sprt_call call;
	char *name;

	if (isdigit((unsigned char)*line)) {
		/* Parsing modifies the line; if it is not a call it must stay whole. */
		char *copied = xstrdup(line);
		bool good = sprt_line_call(copied, &call, &name);
		int ret = good ? sprt_text_call(t, &call, name) : 0;

		free(copied);
		if (good)
			return ret;
	}
	type = sprt_line_type(line);
	if (type) {
		char *whole = xstrdup(line);
		int ret;

		if (type->parse(whole, &item)) {
			ret = item.kind == SPRT_RESOURCE ?
			      sprt_text_resource(t, &item.resource) :
			      sprt_text_emit(t, &item);
		} else {
			if (!type->comment)
				sprt_text_damaged(t, &sprt_damage_line, "not a record", line);
			ret = comment_line(t, line);
		}
		free(whole);
		return ret;
	}
	/* "# " begins a remark of the program that wrote the report: ignored. */
	if (!strncmp(line, "# ", 2))
		return 0;
	return sprt_line_like_call(line) ? bad_call_line(t, line) :
				       comment_line(t, line);
}

/* Is it "$1 = value"?  In the protocol document, argument lines have no tab. */
static bool is_argument(const struct sprt_text *t, const char *line)
{
	size_t n = strspn(line + 1, "0123456789");

	return *line == '$' && n && t->call_open && !t->lost_call && !t->nframe &&
	       !strncmp(line + 1 + n, " = ", 3);
}

static int one_line(struct sprt_text *t, char *line)
{
	char *p = line;
	int ret;

	if (*line == '\t' || is_argument(t, line))
		return sprt_text_tab(t, line);
	if (!*line)
		return sprt_text_end_group(t, true);
	if (t->nframe) {
		ret = sprt_text_end_group(t, true);
		if (ret)
			return ret;
	}
	if (t->log && t->call_open && sprt_line_skip(&p, SPRT_SUMMARY_TITLE)) {
		t->summed = sprt_line_number(&p, 10, &t->summary);
		if (!t->summed)
			sprt_text_damaged(t, &sprt_damage_field, "no number", line);
		return 0;
	}
	if (t->in_heap) {
		if (sprt_line_heap(line, &t->heap.heap, &t->heap_seen))
			return 0;
		ret = end_heap(t);
		if (ret)
			return ret;
	}
	if (!strcmp(line, "## " SPRT_HEAP_TITLE) ||
	    !strcmp(line, "# " SPRT_HEAP_TITLE)) {
		t->in_heap = true;
		t->heap_seen = 0;
		t->heap = (struct sprt_item){ .kind = SPRT_HEAP };
		return 0;
	}
	return record_line(t, line);
}

/*
 * Read the next line into t->buf, without its newline.  A line longer than IN_MAX_PEEK
 * bytes comes in pieces.  Return: false at the end of the input.
 */
static bool next_line(struct sprt_text *t)
{
	size_t want = 256, have, len;
	const uint8_t *p, *nl;

	for (;;) {
		p = in_peek(t->in, want, &have);
		nl = memchr(p, '\n', have);
		if (nl || have < want || have >= IN_MAX_PEEK)
			break;
		want = have * 2 < IN_MAX_PEEK ? have * 2 : IN_MAX_PEEK;
	}
	if (!have)
		return false;
	t->line++;
	len = nl ? (size_t)(nl - p) : have;
	t->buf = xgrow(t->buf, &t->buf_cap, len + 1, 1);
	memcpy(t->buf, p, len);
	t->buf[len] = '\0';
	in_skip(t->in, nl ? len + 1 : len);
	if (memchr(t->buf, '\0', len))
		sprt_text_damaged(t, &sprt_damage_field,
				  "NUL byte, the rest of the line is lost", t->buf);
	if (!nl)
		sprt_text_damaged(t, &damage_cut, "no end of line", t->buf);
	return true;
}

/* End a report: also its last group and heap information. */
static int end_report(struct sprt_text *t)
{
	int ret = sprt_text_end_group(t, t->nframe > 0);

	if (!ret)
		ret = end_heap(t);
	return ret ? ret : flush_log(t);
}

/* Process the line in t->buf. */
static int take_line(struct sprt_text *t)
{
	char none[] = "";
	int ret;

	if (sprt_line_is_header(t->buf)) {
		ret = end_report(t);
		return ret ? ret : start_report(t, t->buf);
	}
	if (t->line == 1) {
		sprt_text_damaged(t, &damage_header, "not a header", t->buf);
		ret = start_report(t, none);
		if (ret)
			return ret;
	}
	return one_line(t, t->buf);
}

static int end_input(struct sprt_text *t)
{
	in_report(t->in, t->args.diag, DIAG_LINE, t->line);
	if (!t->line)
		sprt_text_damaged(t, &damage_header, "the report is empty", NULL);
	return end_report(t);
}

/* Read one line, or end the input. */
static int text_step(struct source *s, struct sink *sink)
{
	struct sprt_text *t = (struct sprt_text *)s;
	int ret;

	t->sink = sink;
	if (t->next == t->args.nin)
		return 0;
	t->in = t->args.in[t->next];
	if (next_line(t)) {
		ret = take_line(t);
	} else {
		ret = end_input(t);
		t->next++;
		t->line = 0;
	}
	return ret ? ret : 1;
}

static void text_free(struct source *s)
{
	struct sprt_text *t = (struct sprt_text *)s;

	sprt_log_free(t->log);
	sprt_arena_free(&t->strings);
	sprt_text_forget(t);
	free(t->buf);
	free(t->arg);
	free(t->frame);
	free(t->resolved);
	free(t->later);
	free(t);
}

struct source *sprt_text_open(const struct source_args *args)
{
	static const struct source_ops ops = { text_step, text_free };
	struct sprt_text *t = xcalloc(1, sizeof(*t));

	t->source.ops = &ops;
	t->args = *args;
	return &t->source;
}

int sprt_text_detect(const uint8_t *data, size_t n)
{
	static const char begin[] = "version=";
	const uint8_t *end;

	if (n < strlen(begin) || memcmp(data, begin, strlen(begin)))
		return DETECT_NO;
	end = memchr(data, '\n', n);
	if (end)
		n = (size_t)(end - data);
	return memmem(data, n, "arch=", 5) || memmem(data, n, "process=", 8) ?
	       DETECT_SURE : DETECT_MAYBE;
}
