// SPDX-License-Identifier: LGPL-2.1
/*
 * Sink "json" of sp-rtrace logs: one object in a line for each item, with
 * every field that it has.  Addresses and masks are strings in hexadecimal.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_out.h"
#include "format/sprtrace/sprt_filter.h"
#include "format/sprtrace/sprt_formats.h"
#include "format/sprtrace/sprt_model.h"
#include "format/sprtrace/sprt_words.h"
#include "base/xalloc.h"

struct sprt_json {
	struct sink sink;
	struct json j;
	struct diag *diag;
	bool text;		/* the log is a report: places are lines */
	char *types[SPRT_RESOURCE_MAX + 1];	/* of resources, by id */
};

static void put_text(struct json *j, const char *name, const char *s)
{
	if (s) {
		json_text(j, name, s, strlen(s));
	} else {
		json_key(j, name);
		json_null(j);
	}
}

static void put_number(struct json *j, const char *name, uint64_t v)
{
	json_key(j, name);
	json_u64(j, v);
}

static void put_addr(struct json *j, const char *name, uint64_t v)
{
	json_key(j, name);
	json_addr(j, v);
}

static void put_version(struct json *j, unsigned int major, unsigned int minor)
{
	char s[24];

	snprintf(s, sizeof(s), "%u.%u", major, minor);
	put_text(j, "version", s);
}

static void put_log(struct sprt_json *s, const struct sprt_log_start *log)
{
	struct json *j = &s->j;

	put_text(j, "source", log->text ? "text" : "binary");
	put_version(j, log->major, log->minor);
	put_text(j, "arch", log->arch);
	if (!log->text) {
		put_text(j, "byte_order", log->big_endian ? "big" : "little");
		put_number(j, "pointer_size", log->ptr_size);
	}
	json_key(j, "filters");
	json_begin(j, '[');
	for (unsigned int i = 0; i < 3; i++)
		if (log->filters >> i & 1)
			json_cstr(j, sprt_filter_names[i]);
	json_end(j, ']');
	if (*log->origin)
		put_text(j, "origin", log->origin);
}

static void put_process(struct sprt_json *s, const struct sprt_process *p)
{
	struct json *j = &s->j;
	char time[40];

	put_number(j, "pid", p->pid);
	put_text(j, "name", p->name);
	if (p->has_time) {
		snprintf(time, sizeof(time), "%" PRId64 ".%06" PRIu32, p->sec,
			 p->usec);
		put_text(j, "time", time);
	}
	if (p->has_depth)
		put_number(j, "backtrace_depth", p->depth);
}

/* Where @word stands in @text, at its beginning or behind a space. */
static const char *find_word(const char *text, const char *word)
{
	const char *p = strstr(text, word);

	while (p && p != text && p[-1] != ' ')
		p = strstr(p + 1, word);
	return p;
}

/*
 * A frame's text, in the forms that sprt_resolve.h lists, into its parts: the
 * word "from" or "at" divides it.
 */
static void put_resolved(struct json *j, const char *text)
{
	const char *from = find_word(text, "from ");
	const char *at = find_word(text, "at ");
	const char *word = from && (!at || from < at) ? from : at, *colon;

	put_text(j, "text", text);
	if (!word)
		return;
	if (word > text)
		json_text(j, "function", text, (size_t)(word - text) - 1);
	if (word == from) {
		put_text(j, "module", word + 5);
		return;
	}
	colon = strrchr(word, ':');
	if (!colon) {
		put_text(j, "file", word + 3);
		return;
	}
	json_text(j, "file", word + 3, (size_t)(colon - word) - 3);
	put_text(j, "line", colon + 1);
}

static void put_call(struct sprt_json *s, const struct sprt_call *call)
{
	static const char *const types[] = {
		[SPRT_CALL_UNDEFINED] = "undefined", [SPRT_CALL_FREE] = "free",
		[SPRT_CALL_ALLOC] = "allocation",
	};
	struct json *j = &s->j;

	put_number(j, "number", call->number);
	json_key(j, "type");
	if (call->type <= SPRT_CALL_ALLOC)
		json_cstr(j, types[call->type]);
	else
		json_u64(j, call->type);
	put_text(j, "function", call->name);
	put_number(j, "resource", call->resource);
	if (call->resource <= SPRT_RESOURCE_MAX && s->types[call->resource])
		put_text(j, "resource_type", s->types[call->resource]);
	put_addr(j, "context", call->context);
	json_key(j, "time_us");
	if (call->time_us)
		json_u64(j, call->time_us);
	else
		json_null(j);
	json_key(j, "size");
	json_i64(j, call->size);
	put_addr(j, "id", call->id);
	json_key(j, "arguments");
	json_begin(j, '[');
	for (uint32_t i = 0; i < call->nargs; i++) {
		json_begin(j, '{');
		put_text(j, "name", call->args[i].name);
		put_text(j, "value", call->args[i].value);
		json_end(j, '}');
	}
	json_end(j, ']');
	json_key(j, "backtrace");
	if (!call->has_trace) {
		json_null(j);
		return;
	}
	json_begin(j, '[');
	for (uint32_t i = 0; i < call->nframes; i++) {
		json_begin(j, '{');
		put_addr(j, "address", call->frames[i]);
		if (call->resolved && call->resolved[i])
			put_resolved(j, call->resolved[i]);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_heap(struct sprt_json *s, const struct sprt_heap *heap)
{
	static const char *const names[SPRT_HEAP_NVALUES] = {
		[SPRT_HEAP_ARENA] = "arena", [SPRT_HEAP_ORDBLKS] = "ordblks",
		[SPRT_HEAP_SMBLKS] = "smblks", [SPRT_HEAP_HBLKS] = "hblks",
		[SPRT_HEAP_HBLKHD] = "hblkhd", [SPRT_HEAP_USMBLKS] = "usmblks",
		[SPRT_HEAP_FSMBLKS] = "fsmblks",
		[SPRT_HEAP_UORDBLKS] = "uordblks",
		[SPRT_HEAP_FORDBLKS] = "fordblks",
		[SPRT_HEAP_KEEPCOST] = "keepcost",
	};

	put_addr(&s->j, "bottom", heap->bottom);
	put_addr(&s->j, "top", heap->top);
	json_key(&s->j, "low_32_bits_only");
	json_bool(&s->j, heap->narrow);
	for (int i = 0; i < SPRT_HEAP_NVALUES; i++) {
		json_key(&s->j, names[i]);
		json_i64(&s->j, heap->value[i]);
	}
}

static void put_resource(struct sprt_json *s, const struct sprt_resource *res)
{
	if (res->id <= SPRT_RESOURCE_MAX) {
		free(s->types[res->id]);
		s->types[res->id] = xstrdup(res->type);
	}
	put_number(&s->j, "id", res->id);
	json_key(&s->j, "refcount");
	json_bool(&s->j, res->flags & SPRT_RES_REFCOUNT);
	put_addr(&s->j, "flags", res->flags);
	put_text(&s->j, "type", res->type);
	put_text(&s->j, "description", res->desc);
}

static void forget_types(struct sprt_json *s)
{
	for (uint32_t i = 0; i <= SPRT_RESOURCE_MAX; i++) {
		free(s->types[i]);
		s->types[i] = NULL;
	}
}

static int json_item(struct sink *sink, const void *p)
{
	static const char *const kinds[] = {
		[SPRT_LOG] = "log", [SPRT_PROCESS] = "process",
		[SPRT_MODULE] = "module", [SPRT_MAP] = "map",
		[SPRT_RESOURCE] = "resource", [SPRT_CONTEXT] = "context",
		[SPRT_CALL] = "call", [SPRT_HEAP] = "heap",
		[SPRT_FILE] = "file", [SPRT_OUTPUT] = "output",
		[SPRT_LIBRARY] = "library", [SPRT_COMMENT] = "comment",
	};
	struct sprt_json *s = (struct sprt_json *)sink;
	const struct sprt_item *item = p;
	struct json *j = &s->j;

	if (item->kind == SPRT_LOG) {
		s->text = item->log.text;
		forget_types(s);
	}
	json_begin(j, '{');
	put_text(j, "record", kinds[item->kind]);
	put_number(j, s->text ? "line" : "offset", item->pos);
	switch (item->kind) {
	case SPRT_LOG:
		put_log(s, &item->log);
		break;
	case SPRT_PROCESS:
		put_process(s, &item->process);
		break;
	case SPRT_MODULE:
		put_addr(j, "id", item->module.id);
		put_version(j, item->module.major, item->module.minor);
		put_text(j, "name", item->module.name);
		break;
	case SPRT_MAP:
		put_addr(j, "from", item->map.from);
		put_addr(j, "to", item->map.to);
		put_text(j, "path", item->map.path);
		break;
	case SPRT_RESOURCE:
		put_resource(s, &item->resource);
		break;
	case SPRT_CONTEXT:
		put_addr(j, "id", item->context.id);
		put_text(j, "name", item->context.name);
		break;
	case SPRT_CALL:
		put_call(s, &item->call);
		break;
	case SPRT_HEAP:
		put_heap(s, &item->heap);
		break;
	case SPRT_FILE:
		put_text(j, "name", item->file.name);
		put_text(j, "path", item->file.path);
		break;
	case SPRT_OUTPUT:
		put_text(j, "directory", item->output.dir);
		put_text(j, "options", item->output.options);
		break;
	case SPRT_LIBRARY:
		put_text(j, "name", item->library);
		break;
	case SPRT_COMMENT:
		put_text(j, "text", item->comment);
		break;
	}
	json_end(j, '}');
	json_line(j);
	return out_error(j->out);
}

/* What was wrong with the input comes last: its counts are complete then. */
static int json_finish(struct sink *sink)
{
	struct sprt_json *s = (struct sprt_json *)sink;
	const struct diag_kind *kind;
	uint64_t n;

	for (unsigned int i = 0; (kind = diag_next(s->diag, i, &n)); i++) {
		json_begin(&s->j, '{');
		put_text(&s->j, "record", "damage");
		put_text(&s->j, "what", kind->what);
		put_number(&s->j, "count", n);
		json_end(&s->j, '}');
		json_line(&s->j);
	}
	return out_flush(s->j.out);
}

static void json_free(struct sink *sink)
{
	forget_types((struct sprt_json *)sink);
	free(sink);
}

struct sink *sprt_json_open(const struct sink_args *args)
{
	static const struct sink_ops ops = {
		json_item, json_finish, json_free
	};
	struct sprt_json *s = xcalloc(1, sizeof(*s));

	s->sink.ops = &ops;
	s->j.out = args->out;
	s->diag = args->diag;
	return sprt_filter_sink(&s->sink, args);
}
