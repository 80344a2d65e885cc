// SPDX-License-Identifier: LGPL-2.1
/*
 * Sink "json" of sp-rtrace logs: prints each item as an object in a line of its own,
 * with all its fields.  Addresses and masks are hexadecimal strings.
 */
#include <stdlib.h>
#include <string.h>

#include "io/json_out.h"
#include "format/sprtrace/sprt_filter.h"
#include "format/sprtrace/sprt_formats.h"
#include "format/sprtrace/sprt_model.h"
#include "base/xalloc.h"

struct sprt_json {
	struct sink sink;
	struct json j;
	struct diag *diag;
	bool text;		/* the log is a text report: print line numbers, not offsets */
	const char *types[SPRT_RESOURCE_MAX + 1];	/* types of resources, by id */
	struct sprt_intern strings;	/* storage of @types */
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

/* Print a value of an item that is not a call. */
static void put_value(void *ctx, const struct sprt_value *v)
{
	struct json *j = ctx;

	switch (v->type) {
	case SPRT_ID:
		json_member_u64(j, v->name, v->number);
		break;
	case SPRT_FLAGS:
		json_key(j, "refcount");
		json_bool(j, v->number & SPRT_RES_REFCOUNT);
		json_member_addr(j, v->name, v->number);
		break;
	case SPRT_MASK:
	case SPRT_POINTER:
		json_member_addr(j, v->name, v->number);
		break;
	case SPRT_FILTERS:
		json_list(j, v->name);
		for (unsigned int i = 0; i < 3; i++)
			if (v->number >> i & 1)
				json_cstr(j, sprt_filter_names[i]);
		json_end(j, ']');
		break;
	default:
		put_text(j, v->name, v->text);
		break;
	}
}

/* Find @word in @text, at its beginning or after a space; NULL if not there. */
static const char *find_word(const char *text, const char *word)
{
	const char *p = strstr(text, word);

	while (p && p != text && p[-1] != ' ')
		p = strstr(p + 1, word);
	return p;
}

/*
 * Split a frame's text (forms: see sprt_resolve()) at the word "from" or "at" and print
 * its parts.
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
	struct json *j = &s->j;

	json_member_u64(j, "number", call->number);
	json_key(j, "type");
	if (call->type <= SPRT_CALL_ALLOC)
		json_cstr(j, sprt_call_types[call->type]);
	else
		json_u64(j, call->type);
	put_text(j, "function", call->name);
	json_member_u64(j, "resource", call->resource);
	if (call->resource <= SPRT_RESOURCE_MAX && s->types[call->resource])
		put_text(j, "resource_type", s->types[call->resource]);
	json_member_addr(j, "context", call->context);
	json_key(j, "time_us");
	if (call->time_us)
		json_u64(j, call->time_us);
	else
		json_null(j);
	json_key(j, "size");
	json_i64(j, call->size);
	json_member_addr(j, "id", call->id);
	json_list(j, "arguments");
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
		json_member_addr(j, "address", call->frames[i]);
		if (call->resolved && call->resolved[i])
			put_resolved(j, call->resolved[i]);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_heap(struct json *j, const struct sprt_heap *heap)
{
	for (int i = SPRT_HEAP_BOTTOM; i <= SPRT_HEAP_TOP; i++)
		json_member_addr(j, sprt_heap_words[i].member, heap->address[i]);
	json_key(j, "low_32_bits_only");
	json_bool(j, heap->narrow);
	for (int i = 0; i < SPRT_HEAP_NUMBERS; i++) {
		json_key(j, sprt_heap_words[SPRT_HEAP_ADDRESSES + i].member);
		json_i64(j, heap->number[i]);
	}
}

static int json_item(struct sink *sink, const void *p)
{
	struct sprt_json *s = (struct sprt_json *)sink;
	const struct sprt_item *item = p;
	struct json *j = &s->j;

	if (item->kind == SPRT_LOG) {
		s->text = item->log.text;
		memset(s->types, 0, sizeof(s->types));
		sprt_intern_free(&s->strings);
	}
	if (item->kind == SPRT_RESOURCE && item->resource.id <= SPRT_RESOURCE_MAX)
		s->types[item->resource.id] = sprt_intern_str(&s->strings, item->resource.type);
	json_begin(j, '{');
	put_text(j, "record", sprt_kinds[item->kind].name);
	json_member_u64(j, s->text ? "line" : "offset", item->pos);
	if (item->kind == SPRT_CALL)
		put_call(s, &item->call);
	else if (item->kind == SPRT_HEAP)
		put_heap(j, &item->heap);
	else
		sprt_values(item, false, put_value, j);
	json_end(j, '}');
	json_line(j);
	return out_error(j->out);
}

/* Print the counts of input damage last: only now they are complete. */
static int json_finish(struct sink *sink)
{
	struct sprt_json *s = (struct sprt_json *)sink;
	const struct diag_kind *kind;
	uint64_t n;

	for (unsigned int i = 0; (kind = diag_next(s->diag, i, &n)); i++) {
		json_begin(&s->j, '{');
		put_text(&s->j, "record", "damage");
		put_text(&s->j, "what", kind->what);
		json_member_u64(&s->j, "count", n);
		json_end(&s->j, '}');
		json_line(&s->j);
	}
	return out_flush(s->j.out);
}

static void json_free(struct sink *sink)
{
	sprt_intern_free(&((struct sprt_json *)sink)->strings);
	free(sink);
}

struct sink *sprt_json_open(const struct sink_args *args)
{
	static const struct sink_ops ops = { json_item, json_finish, json_free };
	struct sprt_json *s = xcalloc(1, sizeof(*s));

	s->sink.ops = &ops;
	s->j.out = args->out;
	s->diag = args->diag;
	return sprt_filter_sink(&s->sink, args);
}
