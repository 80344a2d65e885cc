// SPDX-License-Identifier: LGPL-2.1
/* Keeps a whole sp-rtrace log in memory.  See sprt_log.h. */
#include "format/sprtrace/sprt_log.h"
#include "format/sprtrace/sprt_words.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

struct sprt_log *sprt_log_new(void)
{
	return xcalloc(1, sizeof(struct sprt_log));
}

void sprt_log_clear(struct sprt_log *log)
{
	sprt_intern_free(&log->strings);
	sprt_arena_free(&log->arena);
	free(log->items);
	free(log->calls);
	memset(log, 0, sizeof(*log));
}

void sprt_log_free(struct sprt_log *log)
{
	if (!log)
		return;
	sprt_log_clear(log);
	free(log);
}

static const char *keep_string(struct sprt_log *log, const char *s)
{
	return s ? sprt_intern_str(&log->strings, s) : NULL;
}

void sprt_log_set_trace(struct sprt_log *log, struct sprt_call *call,
			const uint64_t *frames, const char *const *resolved,
			uint32_t n)
{
	bool any = false;

	call->nframes = n;
	call->frames = n ? sprt_intern(&log->strings, frames,
				       n * sizeof(*frames)) : NULL;
	call->resolved = NULL;
	for (uint32_t i = 0; resolved && i < n; i++)
		any |= resolved[i] != NULL;
	if (any) {
		const char **texts = xcalloc(n, sizeof(*texts));

		for (uint32_t i = 0; i < n; i++)
			texts[i] = keep_string(log, resolved[i]);
		call->resolved = sprt_intern(&log->strings, texts,
					     n * sizeof(*texts));
		free(texts);
	}
}

static void add_call(struct sprt_log *log, const struct sprt_item *item)
{
	struct sprt_kept_call *kept;
	struct sprt_call *call;

	log->calls = xgrow(log->calls, &log->calls_cap, log->ncalls + 1,
			   sizeof(*log->calls));
	kept = sprt_arena_alloc(&log->arena, sizeof(*kept));
	log->calls[log->ncalls++] = kept;
	kept->call = item->call;
	kept->pos = item->pos;
	kept->removed = false;
	call = &kept->call;
	call->name = keep_string(log, call->name);
	if (call->nargs) {
		struct sprt_arg *args = xcalloc(call->nargs, sizeof(*args));

		for (uint32_t i = 0; i < call->nargs; i++) {
			args[i].name = keep_string(log, item->call.args[i].name);
			args[i].value = keep_string(log, item->call.args[i].value);
		}
		call->args = sprt_intern(&log->strings, args,
					 call->nargs * sizeof(*args));
		free(args);
	}
	sprt_log_set_trace(log, call, item->call.frames, item->call.resolved,
			   call->nframes);
}

static void add_comment(struct sprt_log *log, const struct sprt_item *item)
{
	struct sprt_kept_comment *kept;

	kept = sprt_arena_alloc(&log->arena, sizeof(*kept));
	kept->next = NULL;
	kept->text = keep_string(log, item->comment);
	kept->pos = item->pos;
	kept->before = log->ncalls;
	if (log->last_comment)
		log->last_comment->next = kept;
	else
		log->comments = kept;
	log->last_comment = kept;
}

void sprt_log_add(struct sprt_log *log, const struct sprt_item *item)
{
	struct sprt_kept_item *kept;

	if (item->kind == SPRT_CALL) {
		add_call(log, item);
		return;
	}
	if (item->kind == SPRT_COMMENT) {
		add_comment(log, item);
		return;
	}
	log->items = xgrow(log->items, &log->items_cap, log->nitems + 1,
			   sizeof(*log->items));
	kept = &log->items[log->nitems++];
	kept->before = log->ncalls;
	kept->removed = false;
	kept->item = *item;
	for (const struct sprt_field *f = sprt_kinds[item->kind].fields; f->type; f++) {
		const char **s = (const char **)((char *)&kept->item + f->offset);

		if (f->type == SPRT_KEPT || f->type == SPRT_TEXT || f->type == SPRT_OPTIONAL)
			*s = keep_string(log, *s);
	}
}

int sprt_by_number(const struct sprt_kept_call *x, const struct sprt_kept_call *y)
{
	if (x->call.number != y->call.number)
		return x->call.number < y->call.number ? -1 : 1;
	return x->pos < y->pos ? -1 : x->pos > y->pos;
}

static int by_number(const void *a, const void *b)
{
	return sprt_by_number(*(const struct sprt_kept_call *const *)a,
			      *(const struct sprt_kept_call *const *)b);
}

void sprt_log_sort(struct sprt_log *log)
{
	if (log->ncalls)
		qsort(log->calls, log->ncalls, sizeof(*log->calls), by_number);
}

struct sprt_kept_item *sprt_log_find(struct sprt_log *log, enum sprt_kind kind,
				     size_t *i)
{
	while (*i < log->nitems) {
		struct sprt_kept_item *kept = &log->items[(*i)++];

		if (kept->item.kind == kind && !kept->removed)
			return kept;
	}
	return NULL;
}

int sprt_log_replay(const struct sprt_log *log, struct sink *to)
{
	const struct sprt_kept_comment *comment = log->comments;
	size_t i = 0;
	int ret;

	for (size_t c = 0; c <= log->ncalls; c++) {
		struct sprt_item item;

		for (; i < log->nitems && log->items[i].before <= c; i++) {
			if (log->items[i].removed)
				continue;
			ret = sink_item(to, &log->items[i].item);
			if (ret)
				return ret;
		}
		item.kind = SPRT_COMMENT;
		for (; comment && comment->before <= c; comment = comment->next) {
			item.pos = comment->pos;
			item.comment = comment->text;
			ret = sink_item(to, &item);
			if (ret)
				return ret;
		}
		if (c == log->ncalls || log->calls[c]->removed)
			continue;
		item.kind = SPRT_CALL;
		item.pos = log->calls[c]->pos;
		item.call = log->calls[c]->call;
		ret = sink_item(to, &item);
		if (ret)
			return ret;
	}
	return 0;
}
