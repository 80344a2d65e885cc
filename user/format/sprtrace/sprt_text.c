// SPDX-License-Identifier: LGPL-2.1
/*
 * Source "sp-rtrace-text": reads the lines of one or more text reports (TEXT_PROTOCOL),
 * as written by sp-rtrace 1.1 to 1.8 and by sprt_print.c.  Assembles calls with their
 * arguments, backtraces and comments.  Calls with the same backtrace can form a group.
 *
 * Unlike the original reader, keeps contexts, arguments and paths with spaces, heap
 * information and modules.
 */
#include "format/sprtrace/sprt_formats.h"
#include "format/sprtrace/sprt_line.h"
#include "format/sprtrace/sprt_log.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct diag_kind damage_header = {
	"reports without a header line", DIAG_DAMAGE };
static const struct diag_kind damage_cut = {
	"lines cut off by the end of the report", DIAG_DAMAGE };
static const struct diag_kind damage_orphan = {
	"lines of parts of backtraces and arguments whose call is missing", DIAG_DAMAGE };
static const struct diag_kind damage_summary = {
	"groups whose calls differ from the summary", DIAG_DAMAGE };
static const struct diag_kind damage_field = {
	"fields that cannot be read", DIAG_DAMAGE };
static const struct diag_kind damage_line = {
	"lines beginning like a record", DIAG_DAMAGE };

struct sprt_text {
	struct source source;
	struct source_args args;
	struct sink *sink;
	int err;		/* the sink's negative errno; then it gets no more items */
	struct in *in;
	size_t next;		/* index of @in */
	uint64_t line;		/* number, from 1 */
	char *buf;		/* the line, with a NUL after it */
	size_t buf_cap;

	bool compressed;	/* the report's header has the filter "compress" */
	bool always_traced;	/* version below 1.2: every call has a backtrace, maybe empty */
	/*
	 * Kept if calls of the report are, or may be, in groups: then a call gets
	 * its backtrace when its group ends, and all calls are sorted by number.
	 */
	struct sprt_log log;
	bool kept;		/* items go to @log */
	size_t group;		/* index in @log of the first call of the current group */
	uint64_t summary;	/* number of calls by the group's summary line */
	bool summed;		/* the group has a summary line */

	/* The last call, and parts of it or its group: */
	bool call_open;
	bool lost_call;		/* an unreadable call followed it */
	struct sprt_item call;
	struct sprt_log later;	/* comments inside the call, emitted after it */
	struct sprt_room room;	/* strings and lists of the call */
	size_t nframe;
	const char **resolved;
	size_t resolved_cap;

	bool in_heap;
	unsigned int heap_seen;	/* bit for each row of sprt_heap_words */
	struct sprt_item heap;

	/* Types of the resources by id, such as "fd"; calls name them as "<fd>". */
	const char *known[SPRT_RESOURCE_MAX + 1];
	struct sprt_intern types;
	unsigned int nknown;
};

/* Report damage.  @what: what is wrong; @shown: the damaged text or NULL */
static void report_damaged(const struct sprt_text *t, const struct diag_kind *kind,
			   const char *what, const char *shown)
{
	char buf[81];

	diag_report(t->args.diag, kind, in_name(t->in), DIAG_LINE, t->line,
		    "%s%s%s", what, shown ? ": " : "",
		    sprt_shown(buf, sizeof(buf), shown ? shown : ""));
}

/* Pass an item on, or keep it until all calls have been read. */
static void emit_item(struct sprt_text *t, struct sprt_item *item)
{
	if (!item->pos)
		item->pos = t->line;
	if (t->kept)
		sprt_log_add(&t->log, item);
	else if (!t->err)
		t->err = sink_item(t->sink, item);
}

/* Copy a string of the open call. */
static const char *copy_string(struct sprt_text *t, const char *s)
{
	return pool_keep(&t->room.strings, xstrdup(s));
}

/* Emit the open call, if any.  @trace: it has a backtrace, maybe an empty one */
static void end_call(struct sprt_text *t, bool trace)
{
	struct sprt_call *call = &t->call.call;

	if (!t->call_open)
		return;
	t->call_open = false;
	call->has_trace = trace || t->always_traced;
	call->args = t->room.arg;
	call->frames = t->room.frame;
	call->nframes = (uint32_t)t->nframe;
	call->resolved = t->resolved;
	emit_item(t, &t->call);
	for (struct sprt_kept *at = t->later.first; at; at = at->next)
		emit_item(t, &at->item);
	sprt_log_clear(&t->later);
	t->nframe = 0;
	pool_reset(&t->room.strings);
}

/*
 * End the open call and its group.  If the report's header says that it has groups, or if
 * this group had a summary line, all of its calls get the backtrace of the last one.
 */
static void end_group(struct sprt_text *t, bool trace)
{
	size_t n;

	end_call(t, trace);
	n = t->log.ncalls - t->group;
	if (t->summed && t->summary != n)
		diag_report(t->args.diag, &damage_summary, in_name(t->in),
			    DIAG_LINE, t->line,
			    "a group has %zu calls instead of %llu", n,
			    (unsigned long long)t->summary);
	if (n && (t->summed || t->compressed)) {
		const struct sprt_call *last =
			&t->log.calls[t->log.ncalls - 1]->item.call;

		for (size_t i = t->group; i + 1 < t->log.ncalls; i++) {
			struct sprt_call *call = &t->log.calls[i]->item.call;

			call->has_trace = last->has_trace;
			call->nframes = last->nframes;
			call->frames = last->frames;
			call->resolved = last->resolved;
		}
	}
	t->group = t->log.ncalls;
	t->summed = false;
}

/* --- resources ---------------------------------------------------------- */

/* Add a resource that the report lists, or that a call names. */
static void add_resource(struct sprt_text *t, const struct sprt_resource *res)
{
	struct sprt_item item = { .kind = SPRT_RESOURCE, .resource = *res };

	t->nknown += !t->known[res->id];
	t->known[res->id] = sprt_intern_str(&t->types, res->type);
	emit_item(t, &item);
}

/* Find the resource of "<type>" in a call.  Return: its id, SPRT_RESOURCE_MAX + 1 if none. */
static uint32_t resource_named(const struct sprt_text *t, const char *type)
{
	char *end = (char *)(uintptr_t)type;
	uint32_t id, bit;

	for (id = 1; id <= SPRT_RESOURCE_MAX; id++)
		if (t->known[id] && !strcmp(t->known[id], type))
			return id;
	/* the protocol document uses the mask of the resource's line instead of the type */
	if (sprt_line_number32(&end, 16, &bit) && !*end && bit && !(bit & (bit - 1)) &&
	    t->known[__builtin_ctz(bit) + 1])
		return (uint32_t)__builtin_ctz(bit) + 1;
	return id;
}

/*
 * Set @resource and cut "<type>" off a call's name.  If the report has only one
 * resource, calls do not name it.
 */
static void split_type(struct sprt_text *t, char *name, uint32_t *resource)
{
	size_t n = strlen(name);
	char *open = strrchr(name, '<');
	struct sprt_resource made = { .desc = "" };
	uint32_t id;

	*resource = 0;
	if (t->nknown == 1)
		while (!t->known[*resource])
			++*resource;
	if (!n || name[n - 1] != '>' || !open)
		return;
	name[n - 1] = '\0';
	id = resource_named(t, open + 1);
	if (id > SPRT_RESOURCE_MAX && t->nknown == 1) {
		name[n - 1] = '>';
		return;
	}
	*open = '\0';
	if (id > SPRT_RESOURCE_MAX) {
		report_damaged(t, &damage_field,
			       "resource type that the report does not list", open + 1);
		for (id = 1; id <= SPRT_RESOURCE_MAX && t->known[id]; id++)
			;
		if (id > SPRT_RESOURCE_MAX) {
			*resource = 0;
			return;
		}
		made.id = id;
		made.type = open + 1;
		add_resource(t, &made);
	}
	*resource = id;
}

/* --- lines of a call ---------------------------------------------------- */

/* Begin a call.  @name: "name<type>"; modified */
static void start_call(struct sprt_text *t, struct sprt_call *call, char *name)
{
	if (sprt_line_has_block(name))
		report_damaged(t, &damage_line, "two calls in a line", name);
	if (t->nframe || t->summed)
		end_group(t, true);
	else
		end_call(t, false);
	split_type(t, name, &call->resource);
	t->call_open = true;
	t->lost_call = false;
	t->call = (struct sprt_item){ .kind = SPRT_CALL, .pos = t->line };
	t->call.call = *call;
	t->call.call.name = copy_string(t, name);
}

/*
 * Strip "in " from a frame's text.  The protocol document has it before each function,
 * but the programs write it only before "??".
 */
static const char *frame_name(const char *text)
{
	return !strncmp(text, "in ", 3) && strcmp(text, "in ??") ? text + 3 : text;
}

/* Parse a line that begins with a tab: "$name = value" or "0xaddr[ text]". */
static void tab_line(struct sprt_text *t, char *line)
{
	char *p = line + (*line == '\t'), *value;
	struct sprt_room *room = &t->room;
	uint64_t addr;

	value = *p == '$' && !t->nframe ? strstr(p, " = ") : NULL;
	if (!t->call_open || (value && t->lost_call)) {
		report_damaged(t, &damage_orphan, "no call before", line + 1);
		return;
	}
	if (value) {
		uint32_t n = t->call.call.nargs++;

		*value = '\0';
		room->arg = xgrow(room->arg, &room->arg_cap, n + 1, sizeof(*room->arg));
		room->arg[n].name = copy_string(t, p + 1);
		room->arg[n].value = copy_string(t, value + 3);
		return;
	}
	if (!sprt_line_hex(&p, &addr) || (*p && *p != ' ')) {
		report_damaged(t, &damage_line, "neither argument nor frame", line + 1);
		return;
	}
	room->frame = xgrow(room->frame, &room->frame_cap, t->nframe + 1, sizeof(*room->frame));
	t->resolved = xgrow(t->resolved, &t->resolved_cap, t->nframe + 1,
			    sizeof(*t->resolved));
	room->frame[t->nframe] = addr;
	t->resolved[t->nframe++] = *p && p[1] ? copy_string(t, frame_name(p + 1)) : NULL;
}

/* --- heap information --------------------------------------------------- */

static void end_heap(struct sprt_text *t)
{
	if (!t->in_heap)
		return;
	t->in_heap = false;
	if (t->heap_seen != (1u << SPRT_HEAP_WORDS) - 1)
		report_damaged(t, &damage_field, "heap information has missing lines",
				  NULL);
	emit_item(t, &t->heap);
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
	report_damaged(t, &damage_field, "not a number", s);
	return false;
}

static void start_report(struct sprt_text *t, char *line)
{
	struct sprt_item log = { .kind = SPRT_LOG, .log.text = true };
	struct sprt_item proc = { .kind = SPRT_PROCESS };
	struct sprt_process *process = &proc.process;
	const char *value[SPRT_KEY_COUNT], *s;
	int major, minor, n = 0;
	bool known;

	memset(t->known, 0, sizeof(t->known));
	sprt_intern_free(&t->types);
	t->nknown = 0;
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
		report_damaged(t, &damage_field, "not a version", s);
	}
	log.log.arch = value[SPRT_KEY_ARCH] ? value[SPRT_KEY_ARCH] : "";
	log.log.origin = value[SPRT_KEY_ORIGIN] ? value[SPRT_KEY_ORIGIN] : "";
	log.log.filters = sprt_line_filters(value[SPRT_KEY_FILTER], &known);
	if (!known)
		report_damaged(t, &damage_field, "unknown filter", value[SPRT_KEY_FILTER]);
	t->compressed = log.log.filters & SPRT_FILTER_COMPRESS;
	t->kept = t->compressed || !known || !value[SPRT_KEY_VERSION];
	emit_item(t, &log);

	process->name = value[SPRT_KEY_PROCESS] ? value[SPRT_KEY_PROCESS] : "";
	header_number(t, value[SPRT_KEY_PID], &process->pid);
	process->has_depth = header_number(t, value[SPRT_KEY_DEPTH], &process->depth);
	s = value[SPRT_KEY_TIMESTAMP] ? value[SPRT_KEY_TIMESTAMP] : value[SPRT_KEY_TIME];
	if (s) {
		process->has_time = sprt_line_time(s, &process->sec);
		if (!process->has_time)
			report_damaged(t, &damage_field, "not a time", s);
	}
	emit_item(t, &proc);
}

/* --- lines -------------------------------------------------------------- */

/*
 * Emit a comment.  If it comes between a call and its backtrace, or between calls of a
 * group, it is emitted after that call.
 */
static void comment_line(struct sprt_text *t, const char *line)
{
	struct sprt_item item = { .kind = SPRT_COMMENT, .pos = t->line, .comment = line };

	if (t->call_open)
		sprt_log_add(&t->later, &item);
	else
		emit_item(t, &item);
}

/*
 * Keep an unreadable call as a comment.  In a group, the backtrace that follows is
 * also that of the calls before it; else it belongs to the unreadable call only.
 */
static void bad_call_line(struct sprt_text *t, const char *line)
{
	report_damaged(t, &damage_line, "not a call", line);
	t->lost_call = true;
	if (!t->compressed)
		end_call(t, false);
	comment_line(t, line);
}

static void record_line(struct sprt_text *t, char *line)
{
	const struct sprt_line_type *type = sprt_line_type(line);
	struct sprt_item item = { 0 };
	/* Parsing modifies the line, but a line that is not a record is kept whole. */
	char *copy = xstrdup(line), *name;
	struct sprt_call call;

	if (isdigit((unsigned char)*line) && sprt_line_call(copy, &call, &name)) {
		start_call(t, &call, name);
	} else if (type && type->parse(copy, &item)) {
		if (item.kind == SPRT_RESOURCE)
			add_resource(t, &item.resource);
		else
			emit_item(t, &item);
	} else if (type) {
		if (!type->comment)
			report_damaged(t, &damage_line, "not a record", line);
		comment_line(t, line);
	} else if (sprt_line_like_call(line)) {
		bad_call_line(t, line);
	} else if (strncmp(line, "# ", 2)) {
		comment_line(t, line);
	}
	/* other lines are remarks by the program that wrote the report: ignore them */
	free(copy);
}

/* Whether a line is "$1 = value": an argument without a tab, as in the protocol document. */
static bool is_argument(const struct sprt_text *t, const char *line)
{
	size_t n = strspn(line + 1, "0123456789");

	return *line == '$' && n && t->call_open && !t->lost_call && !t->nframe &&
	       !strncmp(line + 1 + n, " = ", 3);
}

/* Process a line if it is heap information.  Return: whether it is. */
static bool heap_line(struct sprt_text *t, char *line)
{
	if (t->in_heap) {
		if (sprt_line_heap(line, &t->heap.heap, &t->heap_seen))
			return true;
		end_heap(t);
	}
	if (strcmp(line, "## " SPRT_HEAP_TITLE) && strcmp(line, "# " SPRT_HEAP_TITLE))
		return false;
	t->in_heap = true;
	t->heap_seen = 0;
	t->heap = (struct sprt_item){ .kind = SPRT_HEAP };
	return true;
}

static void one_line(struct sprt_text *t, char *line)
{
	char *p = line;

	if (*line == '\t' || is_argument(t, line)) {
		tab_line(t, line);
		return;
	}
	if (!*line || t->nframe)
		end_group(t, true);
	if (!*line)
		return;
	if (t->kept && t->call_open && sprt_line_skip(&p, SPRT_SUMMARY_TITLE)) {
		t->summed = sprt_line_number(&p, 10, &t->summary);
		if (!t->summed)
			report_damaged(t, &damage_field, "no number", line);
	} else if (!heap_line(t, line)) {
		record_line(t, line);
	}
}

/*
 * Read the next line into t->buf, without its newline.  A line longer than IN_MAX_PEEK
 * bytes comes in pieces.  Return: false at the end of the input.
 */
static bool next_line(struct sprt_text *t)
{
	const char *line;
	bool whole;
	size_t len;

	line = in_line(t->in, IN_MAX_PEEK, &len, &whole);
	if (!line)
		return false;
	t->line++;
	t->buf = xgrow(t->buf, &t->buf_cap, len + 1, 1);
	memcpy(t->buf, line, len);
	t->buf[len] = '\0';
	in_skip(t->in, len + whole);
	if (memchr(t->buf, '\0', len))
		report_damaged(t, &damage_field, "NUL byte, the rest of the line is lost", t->buf);
	if (!whole)
		report_damaged(t, &damage_cut, "no end of line", t->buf);
	return true;
}

/*
 * End a report, its last group and its heap information.  If items were kept because of
 * groups, pass them on, with the calls sorted by number.
 */
static void end_report(struct sprt_text *t)
{
	end_group(t, t->nframe > 0);
	end_heap(t);
	sprt_log_sort(&t->log);
	if (!t->err)
		t->err = sprt_log_replay(&t->log, t->sink);
	sprt_log_clear(&t->log);
	t->group = 0;
}

/* Process the line in t->buf. */
static void take_line(struct sprt_text *t)
{
	char none[] = "";

	if (sprt_line_is_header(t->buf)) {
		end_report(t);
		start_report(t, t->buf);
		return;
	}
	if (t->line == 1) {
		report_damaged(t, &damage_header, "not a header", t->buf);
		start_report(t, none);
	}
	one_line(t, t->buf);
}

/* Read one line, or end the input. */
static int text_step(struct source *s, struct sink *sink)
{
	struct sprt_text *t = (struct sprt_text *)s;

	t->sink = sink;
	if (t->next == t->args.nin)
		return 0;
	t->in = t->args.in[t->next];
	if (next_line(t)) {
		take_line(t);
	} else {
		in_report(t->in, t->args.diag, DIAG_LINE, t->line);
		if (!t->line)
			report_damaged(t, &damage_header, "the report is empty", NULL);
		end_report(t);
		t->next++;
		t->line = 0;
	}
	return t->err ? t->err : 1;
}

static void text_free(struct source *s)
{
	struct sprt_text *t = (struct sprt_text *)s;

	sprt_log_clear(&t->log);
	sprt_room_free(&t->room);
	sprt_log_clear(&t->later);
	sprt_intern_free(&t->types);
	free(t->buf);
	free(t->resolved);
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
