// SPDX-License-Identifier: GPL-2.0
/*
 * Source "sp-rtrace-text": text reports, TEXT_PROTOCOL, as the programs of
 * sp-rtrace 1.1 to 1.8 and sprt_print.c write them.  Lines in, items out.
 *
 * What the original reader loses on the way in is kept: contexts, arguments
 * and paths with spaces, heap information and modules.
 */
#include "import/sprtrace/sprt_formats.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/formats.h"
#include "import/sprtrace/sprt_log.h"
#include "import/sprtrace/sprt_mem.h"
#include "import/sprtrace/sprt_model.h"
#include "import/sprtrace/sprt_words.h"
#include "base/xalloc.h"

static const struct diag_kind damage_read = {
	"inputs that could not be read to their end", DIAG_DAMAGE };
static const struct diag_kind damage_header = {
	"reports without a header line", DIAG_DAMAGE };
static const struct diag_kind damage_field = {
	"fields that cannot be read", DIAG_DAMAGE };
static const struct diag_kind damage_line = {
	"lines that begin like a record and are none", DIAG_DAMAGE };
static const struct diag_kind damage_orphan = {
	"backtrace and argument lines whose call is missing", DIAG_DAMAGE };
static const struct diag_kind damage_cut = {
	"lines cut off by the end of the report", DIAG_DAMAGE };
static const struct diag_kind damage_summary = {
	"groups with other calls than their summary says", DIAG_DAMAGE };

struct text {
	struct source source;
	struct source_args args;
	struct sink *sink;
	struct in *in;
	uint64_t line;		/* number, from 1 */
	char *buf;		/* the line, with a NUL after it */
	size_t buf_cap;

	bool compressed;	/* by its header */
	bool always_traced;	/* it has no empty lines after backtraces */
	/*
	 * Of a report that has, or may have, calls in groups: they are put in
	 * order, and get their backtrace when the group is over.
	 */
	struct sprt_log *log;
	size_t group;		/* index of its first call in the log */
	uint64_t summary;	/* calls that the summary line tells */
	bool summed;		/* it was there */

	/* The last call, and what belongs to it or to its group. */
	bool call_open;
	bool lost_call;		/* a call after it cannot be read */
	struct sprt_item call;
	struct sprt_item *later;	/* comments within the call */
	size_t nlater, later_cap;
	struct sprt_arg *arg;
	size_t arg_cap;
	uint64_t *frame;
	size_t nframe, frame_cap;
	const char **resolved;
	size_t resolved_cap;
	struct sprt_arena strings;	/* of the above */

	bool in_heap;
	unsigned int heap_seen;	/* bit for each row of sprt_heap_words */
	struct sprt_item heap;

	/* What "<fd>" in a call can mean: the types of the resources by id. */
	char *known[SPRT_RESOURCE_MAX + 1];
	unsigned int nknown;
};

/* @what is wrong, and the text that shows it, or NULL. */
static void damaged(const struct text *t, const struct diag_kind *kind,
		    const char *what, const char *shown)
{
	char buf[81];

	diag_report(t->args.diag, kind, in_name(t->in), DIAG_LINE, t->line,
		    "%s%s%s", what, shown ? ": " : "",
		    sprt_shown(buf, sizeof(buf), shown ? shown : ""));
}

static int emit(struct text *t, struct sprt_item *item)
{
	if (!item->pos)
		item->pos = t->line;
	if (t->log) {
		sprt_log_add(t->log, item);
		return 0;
	}
	return sink_item(t->sink, item);
}

static const char *copy(struct sprt_arena *a, const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(sprt_arena_alloc(a, n), s, n);
}

/* --- pieces of a line --------------------------------------------------- */

static bool skip_text(char **p, const char *text)
{
	size_t n = strlen(text);

	if (strncmp(*p, text, n))
		return false;
	*p += n;
	return true;
}

/* A number in @base without sign; @p moves behind it. */
static bool number(char **p, int base, uint64_t *v)
{
	char *end;

	if (!(base == 16 ? isxdigit((unsigned char)**p) :
			   isdigit((unsigned char)**p)))
		return false;
	errno = 0;
	*v = strtoull(*p, &end, base);
	if (errno || end == *p)
		return false;
	*p = end;
	return true;
}

static bool hex(char **p, uint64_t *v)
{
	return skip_text(p, "0x") && number(p, 16, v);
}

/* The same, for a number of 32 bits. */
static bool number32(char **p, int base, uint32_t *v)
{
	uint64_t wide;

	if (!number(p, base, &wide) || wide > UINT32_MAX)
		return false;
	*v = (uint32_t)wide;
	return true;
}

/* --- calls and what belongs to them ------------------------------------- */

/*
 * The lines of the call are over, and its backtrace (@trace: there was one, if
 * only an empty one): pass it on.
 */
static int end_call(struct text *t, bool trace)
{
	struct sprt_call *call = &t->call.call;
	int ret;

	if (!t->call_open)
		return 0;
	t->call_open = false;
	call->has_trace = trace || t->always_traced;
	call->args = t->arg;
	call->frames = t->frame;
	call->nframes = (uint32_t)t->nframe;
	call->resolved = t->resolved;
	ret = emit(t, &t->call);
	for (size_t i = 0; i < t->nlater && !ret; i++)
		ret = emit(t, &t->later[i]);
	t->nlater = 0;
	t->nframe = 0;
	sprt_arena_reset(&t->strings);
	return ret;
}

/*
 * A group is over: its last call shares the backtrace with the others, if the
 * report says that they are a group.
 */
static int end_group(struct text *t, bool trace)
{
	size_t n;
	int ret;

	ret = end_call(t, trace);
	if (!t->log)
		return ret;
	n = t->log->ncalls - t->group;
	if (t->summed && t->summary != n)
		diag_report(t->args.diag, &damage_summary, in_name(t->in),
			    DIAG_LINE, t->line,
			    "a group has %zu calls instead of %llu", n,
			    (unsigned long long)t->summary);
	if (n && (t->summed || t->compressed)) {
		const struct sprt_call *last =
			&t->log->calls[t->log->ncalls - 1]->call;

		for (size_t i = t->group; i + 1 < t->log->ncalls; i++) {
			struct sprt_call *call = &t->log->calls[i]->call;

			call->has_trace = last->has_trace;
			call->nframes = last->nframes;
			call->frames = last->frames;
			call->resolved = last->resolved;
		}
	}
	t->group = t->log->ncalls;
	t->summed = false;
	return ret;
}

static int add_resource(struct text *t, const struct sprt_resource *res)
{
	struct sprt_item item = { .kind = SPRT_RESOURCE, .resource = *res };

	t->nknown += !t->known[res->id];
	free(t->known[res->id]);
	t->known[res->id] = xstrdup(res->type);
	return emit(t, &item);
}

static void forget_resources(struct text *t)
{
	for (uint32_t id = 0; id <= SPRT_RESOURCE_MAX; id++) {
		free(t->known[id]);
		t->known[id] = NULL;
	}
	t->nknown = 0;
}

/* The resource that "<type>" in a call means, or one that there cannot be. */
static uint32_t resource_named(const struct text *t, const char *type)
{
	char *end = (char *)(uintptr_t)type;
	uint32_t id, bit;

	for (id = 1; id <= SPRT_RESOURCE_MAX; id++)
		if (t->known[id] && !strcmp(t->known[id], type))
			return id;
	/* the document has the id, as the line of the resource has it */
	if (number32(&end, 16, &bit) && !*end && bit && !(bit & (bit - 1)) &&
	    t->known[__builtin_ctz(bit) + 1])
		return (uint32_t)__builtin_ctz(bit) + 1;
	return id;
}

/*
 * Sets resource and takes "<type>" off a call's name.  Where the report has a
 * single resource, its calls do not name it.
 */
static int split_type(struct text *t, char *name, uint32_t *resource)
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
		return 0;
	name[n - 1] = '\0';
	id = resource_named(t, open + 1);
	if (id > SPRT_RESOURCE_MAX && t->nknown == 1) {
		name[n - 1] = '>';
		return 0;
	}
	*open = '\0';
	*resource = id;
	if (id <= SPRT_RESOURCE_MAX)
		return 0;
	damaged(t, &damage_field, "resource type that the report does not list",
		open + 1);
	for (id = 1; id <= SPRT_RESOURCE_MAX && t->known[id]; id++)
		;
	*resource = id <= SPRT_RESOURCE_MAX ? id : 0;
	if (!*resource)
		return 0;
	made.id = id;
	made.type = open + 1;
	return add_resource(t, &made);
}

/* "hh:mm:ss.mmm]" to microseconds; the document has six digits at the end. */
static bool clock_time(char **p, uint64_t *us)
{
	uint64_t h, m, s, scale = 1000000;

	if (!number(p, 10, &h) || !skip_text(p, ":") ||
	    !number(p, 10, &m) || !skip_text(p, ":") ||
	    !number(p, 10, &s) || h > 1u << 20 || m > 59 || s > 59)
		return false;
	*us = ((h * 60 + m) * 60 + s) * 1000000;
	if (skip_text(p, "."))
		for (; isdigit((unsigned char)**p); ++*p) {
			scale /= 10;
			*us += (uint64_t)(**p - '0') * scale;
		}
	return skip_text(p, "]");
}

/*
 * "N. [@mask ][[time] ]name[<type>](size) = 0xid" or "...(0xid)"; cuts @line
 * up.  The resource is left alone, and @name still has the type.
 */
static bool parse_call(char *line, struct sprt_call *call, char **name)
{
	char *p = line, *open, *close;
	uint64_t v;
	bool negative;

	memset(call, 0, sizeof(*call));
	if (!number(&p, 10, &call->number) || !skip_text(&p, ". "))
		return false;
	if (skip_text(&p, "@") &&
	    (!number32(&p, 16, &call->context) || !skip_text(&p, " ")))
		return false;
	if (skip_text(&p, "[") &&
	    (!clock_time(&p, &call->time_us) || !skip_text(&p, " ")))
		return false;
	*name = p;
	open = strrchr(p, '(');
	close = open ? strchr(open, ')') : NULL;
	if (!close)
		return false;
	p = open + 1;
	if (hex(&p, &call->id)) {
		call->type = SPRT_CALL_FREE;
		if (p != close || p[1])
			return false;
	} else {
		call->type = SPRT_CALL_ALLOC;
		negative = skip_text(&p, "-");
		if (!number(&p, 10, &v) || p != close ||
		    v > (negative ? 0x80000000u : UINT32_MAX))
			return false;
		call->size = (int32_t)(uint32_t)(negative ? -v : v);
		p++;
		if (!skip_text(&p, " = ") || !hex(&p, &call->id) || *p)
			return false;
	}
	*open = '\0';
	return true;
}

/* Names and comments can be anything, but they hardly hold this. */
static bool has_block_id(const char *s)
{
	return strstr(s, "(0x") || strstr(s, ") = 0x");
}

static int call_line(struct text *t, struct sprt_call *call, char *name)
{
	int ret;

	if (has_block_id(name))
		damaged(t, &damage_line, "two calls in a line", name);
	ret = t->nframe || t->summed ? end_group(t, true) : end_call(t, false);
	if (!ret)
		ret = split_type(t, name, &call->resource);
	if (ret)
		return ret;
	t->call_open = true;
	t->lost_call = false;
	t->call = (struct sprt_item){ .kind = SPRT_CALL, .pos = t->line };
	t->call.call = *call;
	t->call.call.name = copy(&t->strings, name);
	return 0;
}

/*
 * The name of a frame as the programs write it.  The document has "in" before
 * a function, where they have that only before "??".
 */
static const char *frame_name(const char *text)
{
	return !strncmp(text, "in ", 3) && strcmp(text, "in ??") ? text + 3 : text;
}

/* A line that begins with a tab: "$name = value" or "0xaddr[ text]". */
static int tab_line(struct text *t, char *line)
{
	char *p = line + (*line == '\t'), *value;
	uint64_t addr;

	if (!t->call_open) {
		damaged(t, &damage_orphan, "no call before", line + 1);
		return 0;
	}
	value = *p == '$' && !t->nframe ? strstr(p, " = ") : NULL;
	if (value && t->lost_call) {
		damaged(t, &damage_orphan, "no call before", line + 1);
		return 0;
	}
	if (value) {
		uint32_t n = t->call.call.nargs++;

		*value = '\0';
		t->arg = xgrow(t->arg, &t->arg_cap, n + 1, sizeof(*t->arg));
		t->arg[n].name = copy(&t->strings, p + 1);
		t->arg[n].value = copy(&t->strings, value + 3);
		return 0;
	}
	if (!hex(&p, &addr) || (*p && *p != ' ')) {
		damaged(t, &damage_line, "neither argument nor frame", line + 1);
		return 0;
	}
	t->frame = xgrow(t->frame, &t->frame_cap, t->nframe + 1,
			 sizeof(*t->frame));
	t->resolved = xgrow(t->resolved, &t->resolved_cap, t->nframe + 1,
			    sizeof(*t->resolved));
	t->frame[t->nframe] = addr;
	t->resolved[t->nframe++] = *p && p[1] ? copy(&t->strings, frame_name(p + 1)) :
						NULL;
	return 0;
}

/* --- heap information --------------------------------------------------- */

static int end_heap(struct text *t)
{
	if (!t->in_heap)
		return 0;
	t->in_heap = false;
	if (t->heap_seen != (1u << SPRT_HEAP_NWORDS) - 1)
		damaged(t, &damage_field, "heap information has missing lines",
			NULL);
	return emit(t, &t->heap);
}

static bool skip_label(char **p, const char *label)
{
	size_t n = strlen(label);

	if (strncmp(*p, label, n) || (*p)[n] != ' ')
		return false;
	*p += n;
	return true;
}

/* "#[#]   label value"; false: the line is something else. */
static bool heap_line(struct text *t, char *p)
{
	struct sprt_heap *heap = &t->heap.heap;

	if (!skip_text(&p, "##   ") && !skip_text(&p, "#   "))
		return false;
	for (int i = 0; i < SPRT_HEAP_NWORDS; i++) {
		const struct sprt_heap_word *w = &sprt_heap_words[i];
		char *v = p, *end;
		long long value;

		if (!skip_label(&v, w->label) && !skip_label(&v, w->old))
			continue;
		if (w->value < 0) {
			uint64_t addr;

			v++;
			if (!hex(&v, &addr) || *v)
				return false;
			if (w->value == SPRT_HEAP_BOTTOM)
				heap->bottom = addr;
			else if (w->value == SPRT_HEAP_TOP)
				heap->top = addr;
		} else {
			value = strtoll(v + 1, &end, 10);
			if (end == v + 1 || *end || value < INT32_MIN ||
			    value > INT32_MAX)
				return false;
			heap->value[w->value] = (int32_t)value;
		}
		t->heap_seen |= 1u << i;
		return true;
	}
	return false;
}

/* --- the other lines ---------------------------------------------------- */

/* ": path => 0xfrom-0xto" */
static bool map_line(char *line, struct sprt_item *item)
{
	char *p = line, *next;

	if (!skip_text(&p, ": "))
		return false;
	item->kind = SPRT_MAP;
	item->map.path = p;
	/* The path may hold anything: the last arrow counts. */
	for (next = strstr(p, " => "); next; next = strstr(next + 1, " => "))
		p = next;
	if (p == item->map.path && strncmp(p, " => ", 4))
		return false;
	*p = '\0';
	p += 4;
	return hex(&p, &item->map.from) && skip_text(&p, "-") &&
	       hex(&p, &item->map.to) && !*p;
}

/* "@ id : name" */
static bool context_line(char *p, struct sprt_item *item)
{
	item->kind = SPRT_CONTEXT;
	if (!skip_text(&p, "@ ") || !number32(&p, 16, &item->context.id) ||
	    !skip_text(&p, " :"))
		return false;
	skip_text(&p, " ");
	item->context.name = p;
	return true;
}

/* "<bit> : type (desc)[ [refcount]]" */
static bool resource_line(char *p, struct sprt_item *item)
{
	struct sprt_resource *res = &item->resource;
	static const char flag[] = " [refcount]";
	uint32_t bit;
	char *open;
	size_t n;

	item->kind = SPRT_RESOURCE;
	if (!skip_text(&p, "<") || !number32(&p, 16, &bit) || !bit ||
	    !skip_text(&p, "> : "))
		return false;
	res->id = (uint32_t)__builtin_ctz(bit) + 1;
	n = strlen(p);
	if (n > strlen(flag) && !strcmp(p + n - strlen(flag), flag)) {
		res->flags = SPRT_RES_REFCOUNT;
		n -= strlen(flag);
	}
	open = strstr(p, " (");
	if (!open || p[n - 1] != ')' || p + n - 1 < open + 2)
		return false;
	p[n - 1] = '\0';
	*open = '\0';
	res->type = p;
	res->desc = open + 2;
	return true;
}

/* "& name : path" */
static bool file_line(char *p, struct sprt_item *item)
{
	char *colon;

	item->kind = SPRT_FILE;
	if (!skip_text(&p, "& "))
		return false;
	colon = strstr(p, " : ");
	if (!colon)
		return false;
	*colon = '\0';
	item->file.name = p;
	item->file.path = colon + 3;
	return true;
}

/* "#[#] tracing module: [id] name (major.minor)" */
static bool module_line(char *p, struct sprt_item *item)
{
	uint32_t major, minor;
	char *open;

	item->kind = SPRT_MODULE;
	if ((!skip_text(&p, "## " SPRT_MODULE_TITLE) &&
	     !skip_text(&p, "# " SPRT_MODULE_TITLE)) ||
	    !number32(&p, 16, &item->module.id) || !skip_text(&p, "] "))
		return false;
	item->module.name = p;
	open = strrchr(p, '(');
	if (!open || open == p || open[-1] != ' ')
		return false;
	p = open + 1;
	if (!number32(&p, 10, &major) || !skip_text(&p, ".") ||
	    !number32(&p, 10, &minor) || strcmp(p, ")") ||
	    major > UINT16_MAX || minor > UINT16_MAX)
		return false;
	item->module.major = (uint16_t)major;
	item->module.minor = (uint16_t)minor;
	open[-1] = '\0';
	return true;
}

/* What the first characters of a line say it should be. */
static const struct line_type {
	const char *begin;
	bool (*parse)(char *line, struct sprt_item *item);
	bool comment;	/* a comment too, if it does not parse */
} line_types[] = {
	{ ": ", map_line, false },
	{ "@ ", context_line, false },
	{ "<", resource_line, false },
	{ "& ", file_line, false },
	{ "## " SPRT_MODULE_TITLE, module_line, true },
	{ "# " SPRT_MODULE_TITLE, module_line, true },
};

/* --- header ------------------------------------------------------------- */

enum header_key {
	KEY_VERSION, KEY_ARCH, KEY_TIMESTAMP, KEY_PROCESS, KEY_PID, KEY_FILTER,
	KEY_DEPTH, KEY_ORIGIN, KEY_TIME, KEY_TIMESTAMPS, KEY_COUNT
};

static const char *const header_keys[KEY_COUNT] = {
	"version", "arch", "timestamp", "process", "pid", "filter",
	"backtrace depth", "origin",
	"time",		/* what version 1.1 called the timestamp */
	"timestamps",	/* in the document, written by nobody */
};

/*
 * Cuts "key=value, key=value, " up.  Only a key that is known ends the value
 * before it, so that a process name may hold commas.  No such key: NULL.
 */
static void parse_header(char *line, const char *value[KEY_COUNT])
{
	char *p = line, *comma = NULL;

	memset(value, 0, KEY_COUNT * sizeof(*value));
	for (;;) {
		for (int i = 0; i < KEY_COUNT; i++) {
			size_t n = strlen(header_keys[i]);

			if (strncmp(p, header_keys[i], n) || p[n] != '=')
				continue;
			if (comma)
				*comma = '\0';
			p += n + 1;
			value[i] = p;
			break;
		}
		comma = strchr(p, ',');
		if (!comma)
			return;
		p = comma + 1 + strspn(comma + 1, " ");
		if (!*p) {
			*comma = '\0';
			return;
		}
	}
}

/*
 * "2026.11.20 08:27:00" as the post-processor writes it, or "20.11.2026
 * 08:27:00" as other users of the library do; local time.
 */
static bool header_time(const char *s, int64_t *sec)
{
	struct tm tm = { .tm_isdst = -1 };
	time_t time;
	int n = 0;

	if (sscanf(s, "%d.%d.%d %d:%d:%d%n", &tm.tm_year, &tm.tm_mon,
		   &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &n) != 6 ||
	    s[n])
		return false;
	if (tm.tm_mday > 31) {
		int year = tm.tm_mday;

		tm.tm_mday = tm.tm_year;
		tm.tm_year = year;
	}
	if (tm.tm_year < 1900 || tm.tm_year > 9999)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	errno = 0;
	time = mktime(&tm);
	if (time == (time_t)-1)
		return false;
	*sec = time;
	return true;
}

/* Names divided by "|"; *@known: all of them are known. */
static unsigned int header_filters(const char *s, bool *known)
{
	unsigned int filters = 0;

	*known = true;
	while (s && *s) {
		size_t n = strcspn(s, "|");
		unsigned int found = 0;

		for (unsigned int i = 0; i < 3; i++)
			if (strlen(sprt_filter_names[i]) == n &&
			    !memcmp(sprt_filter_names[i], s, n))
				found = 1u << i;
		*known = *known && found;
		filters |= found;
		s += n;
		s += *s == '|';
	}
	return filters;
}

/* A number that must be the whole of @s; tells what else it is. */
static bool header_number(struct text *t, const char *s, uint32_t *v)
{
	char *p = (char *)(uintptr_t)s;

	if (!s)
		return false;
	if (number32(&p, 10, v) && !*p)
		return true;
	damaged(t, &damage_field, "not a number", s);
	return false;
}

/* Passes on what had to wait for all calls to be there. */
static int flush_log(struct text *t)
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

/* The first line of a report, wherever it stands: reports can be joined. */
static bool is_header(const char *line)
{
	const char *version = line + strlen("version=");

	return !strncmp(line, "version=", strlen("version=")) &&
	       (strstr(line, "arch=") || strstr(line, "process=") ||
		!strncmp(version + strspn(version, "0123456789."), ", ", 2));
}

static int start_report(struct text *t, char *line)
{
	struct sprt_item log = { .kind = SPRT_LOG, .log.text = true };
	struct sprt_item proc = { .kind = SPRT_PROCESS };
	struct sprt_process *process = &proc.process;
	const char *value[KEY_COUNT], *s;
	int major, minor, n = 0, ret;
	bool known;

	forget_resources(t);
	parse_header(line, value);
	s = value[KEY_VERSION];
	t->always_traced = false;
	if (s && sscanf(s, "%d.%d%n", &major, &minor, &n) == 2 && !s[n] &&
	    major >= 0 && major <= UINT8_MAX && minor >= 0 &&
	    minor <= UINT8_MAX) {
		log.log.major = (uint8_t)major;
		log.log.minor = (uint8_t)minor;
		t->always_traced = major == 1 && minor < 2;
	} else if (s) {
		damaged(t, &damage_field, "not a version", s);
	}
	log.log.arch = value[KEY_ARCH] ? value[KEY_ARCH] : "";
	log.log.origin = value[KEY_ORIGIN] ? value[KEY_ORIGIN] : "";
	log.log.filters = header_filters(value[KEY_FILTER], &known);
	if (!known)
		damaged(t, &damage_field, "unknown filter", value[KEY_FILTER]);
	t->compressed = log.log.filters & SPRT_FILTER_COMPRESS;
	if (t->compressed || !known || !value[KEY_VERSION]) {
		t->log = sprt_log_new();
		t->group = 0;
	}
	ret = emit(t, &log);
	if (ret)
		return ret;

	process->name = value[KEY_PROCESS] ? value[KEY_PROCESS] : "";
	header_number(t, value[KEY_PID], &process->pid);
	process->has_depth = header_number(t, value[KEY_DEPTH], &process->depth);
	s = value[KEY_TIMESTAMP] ? value[KEY_TIMESTAMP] : value[KEY_TIME];
	if (s) {
		process->has_time = header_time(s, &process->sec);
		if (!process->has_time)
			damaged(t, &damage_field, "not a time", s);
	}
	return emit(t, &proc);
}

/* --- the way through the lines ------------------------------------------ */

/*
 * A comment can be anywhere, also between a call and its backtrace or the calls
 * of a group.  It stays behind the call before it.
 */
static int comment_line(struct text *t, const char *line)
{
	struct sprt_item item = { .kind = SPRT_COMMENT, .comment = line };

	if (!t->call_open)
		return emit(t, &item);
	item.pos = t->line;
	item.comment = copy(&t->strings, line);
	t->later = xgrow(t->later, &t->later_cap, t->nlater + 1,
			 sizeof(*t->later));
	t->later[t->nlater++] = item;
	return 0;
}

/*
 * A call that cannot be read is kept as a comment.  In a group, the backtrace
 * that follows is also that of the calls before; else it is its own.
 */
static int bad_call_line(struct text *t, const char *line)
{
	int ret = 0;

	damaged(t, &damage_line, "not a call", line);
	t->lost_call = true;
	if (!t->compressed)
		ret = end_call(t, false);
	return ret ? ret : comment_line(t, line);
}

static bool looks_like_call(const char *line)
{
	size_t digits = strspn(line, "0123456789");

	return (digits && line[digits] == '.') ||
	       (*line != '#' && has_block_id(line));
}

static int record_line(struct text *t, char *line)
{
	struct sprt_item item = { 0 };
	struct sprt_call call;
	char *name;

	if (isdigit((unsigned char)*line)) {
		/* Parsing cuts the line up; what is no call stays whole. */
		char *copied = xstrdup(line);
		bool good = parse_call(copied, &call, &name);
		int ret = good ? call_line(t, &call, name) : 0;

		free(copied);
		if (good)
			return ret;
	}
	for (size_t i = 0; i < sizeof(line_types) / sizeof(*line_types); i++) {
		const struct line_type *type = &line_types[i];
		char *whole;
		int ret;

		if (strncmp(line, type->begin, strlen(type->begin)))
			continue;
		whole = xstrdup(line);
		if (type->parse(whole, &item)) {
			ret = item.kind == SPRT_RESOURCE ?
			      add_resource(t, &item.resource) : emit(t, &item);
		} else {
			if (!type->comment)
				damaged(t, &damage_line, "not a record", line);
			ret = comment_line(t, line);
		}
		free(whole);
		return ret;
	}
	/* "# " is a remark of the program that wrote the report. */
	if (!strncmp(line, "# ", 2))
		return 0;
	return looks_like_call(line) ? bad_call_line(t, line) :
				       comment_line(t, line);
}

/* "$1 = value": the document's lines of arguments have no tab. */
static bool is_argument(const struct text *t, const char *line)
{
	size_t n = strspn(line + 1, "0123456789");

	return *line == '$' && n && t->call_open && !t->lost_call && !t->nframe &&
	       !strncmp(line + 1 + n, " = ", 3);
}

static int one_line(struct text *t, char *line)
{
	char *p = line;
	int ret;

	if (*line == '\t' || is_argument(t, line))
		return tab_line(t, line);
	if (!*line)
		return end_group(t, true);
	if (t->nframe) {
		ret = end_group(t, true);
		if (ret)
			return ret;
	}
	if (t->log && t->call_open && skip_text(&p, SPRT_SUMMARY_TITLE)) {
		t->summed = number(&p, 10, &t->summary);
		if (!t->summed)
			damaged(t, &damage_field, "no number", line);
		return 0;
	}
	if (t->in_heap) {
		if (heap_line(t, line))
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
 * The next line into t->buf, without its end.  False: there is none.  Lines
 * longer than a stream can show at once come in pieces.
 */
static bool next_line(struct text *t)
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
		damaged(t, &damage_field,
			"NUL byte, the rest of the line is lost", t->buf);
	if (!nl)
		damaged(t, &damage_cut, "no end of line", t->buf);
	return true;
}

static int run_one(struct text *t)
{
	bool first = true;
	int ret = 0;

	t->line = 0;
	while (!ret && next_line(t)) {
		if (is_header(t->buf)) {
			ret = end_group(t, t->nframe > 0);
			if (!ret)
				ret = end_heap(t);
			if (!ret)
				ret = flush_log(t);
			if (!ret)
				ret = start_report(t, t->buf);
		} else {
			if (first) {
				char none[] = "";

				damaged(t, &damage_header, "not a header", t->buf);
				ret = start_report(t, none);
			}
			if (!ret)
				ret = one_line(t, t->buf);
		}
		first = false;
	}
	if (in_error(t->in))
		damaged(t, &damage_read, "cannot be read on", in_why(t->in));
	if (first)
		damaged(t, &damage_header, "the report is empty", NULL);
	if (!ret)
		ret = end_group(t, t->nframe > 0);
	if (!ret)
		ret = end_heap(t);
	return ret ? ret : flush_log(t);
}

static int text_run(struct source *s, struct sink *sink)
{
	struct text *t = (struct text *)s;
	int ret = 0;

	t->sink = sink;
	for (size_t i = 0; i < t->args.nin && !ret; i++) {
		t->in = t->args.in[i];
		ret = run_one(t);
	}
	return ret;
}

static void text_free(struct source *s)
{
	struct text *t = (struct text *)s;

	sprt_log_free(t->log);
	sprt_arena_free(&t->strings);
	forget_resources(t);
	free(t->buf);
	free(t->arg);
	free(t->frame);
	free(t->resolved);
	free(t->later);
	free(t);
}

struct source *sprt_text_open(const struct source_args *args)
{
	static const struct source_ops ops = { text_run, text_free };
	struct text *t = xcalloc(1, sizeof(*t));

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
