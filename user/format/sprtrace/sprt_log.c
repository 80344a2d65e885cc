// SPDX-License-Identifier: LGPL-2.1
/* Keeps a whole sp-rtrace log in memory.  See sprt_log.h. */
#include "format/sprtrace/sprt_log.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory of items ---- */

void sprt_room_free(struct sprt_room *room)
{
	pool_free(&room->strings);
	free(room->arg);
	free(room->frame);
}

const void *sprt_intern(struct sprt_intern *in, const void *data, size_t len)
{
	uint64_t *at = map64_at(&in->copies, hash_bytes(data, len));

	if (!*at)
		*at = (uintptr_t)pool_keep(&in->pool, xstrndup(data, len));
	return (const void *)(uintptr_t)*at;
}

const char *sprt_intern_str(struct sprt_intern *in, const char *s)
{
	return sprt_intern(in, s, strlen(s));
}

void sprt_intern_free(struct sprt_intern *in)
{
	pool_free(&in->pool);
	map64_clear(&in->copies);
}

const char *sprt_shown(char *buf, size_t size, const char *text)
{
	size_t n;

	for (n = 0; n < size - 1 && text[n]; n++)
		buf[n] = iscntrl((unsigned char)text[n]) ? '?' : text[n];
	buf[n] = '\0';
	return buf;
}

/* ---- a log ---- */

void sprt_log_clear(struct sprt_log *log)
{
	while (log->first) {
		struct sprt_kept *kept = log->first;

		log->first = kept->next;
		free(kept);
	}
	sprt_intern_free(&log->strings);
	free(log->calls);
	memset(log, 0, sizeof(*log));
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

/* Keep what the fields of a call point to. */
static void keep_call(struct sprt_log *log, struct sprt_call *call)
{
	struct sprt_arg *args;

	call->name = keep_string(log, call->name);
	if (call->nargs) {
		args = xcalloc(call->nargs, sizeof(*args));
		for (uint32_t i = 0; i < call->nargs; i++) {
			args[i].name = keep_string(log, call->args[i].name);
			args[i].value = keep_string(log, call->args[i].value);
		}
		call->args = sprt_intern(&log->strings, args, call->nargs * sizeof(*args));
		free(args);
	}
	sprt_log_set_trace(log, call, call->frames, call->resolved, call->nframes);
}

void sprt_log_add(struct sprt_log *log, const struct sprt_item *item)
{
	size_t size = item->kind == SPRT_COMMENT ?
		      offsetof(struct sprt_item, comment) + sizeof(item->comment) : sizeof(*item);
	struct sprt_kept *kept;

	kept = xmalloc(offsetof(struct sprt_kept, item) + size);
	kept->next = NULL;
	memcpy(&kept->item, item, size);
	kept->item.removed = false;
	if (log->last)
		log->last->next = kept;
	else
		log->first = kept;
	log->last = kept;
	if (item->kind == SPRT_CALL) {
		log->calls = xgrow(log->calls, &log->calls_cap, log->ncalls + 1,
				   sizeof(*log->calls));
		log->calls[log->ncalls++] = kept;
		keep_call(log, &kept->item.call);
	}
	if (item->kind == SPRT_RESOURCE && item->resource.id &&
	    item->resource.id <= SPRT_RESOURCE_MAX)
		log->resources[item->resource.id] = &kept->item.resource;
	for (const struct sprt_field *f = sprt_kinds[item->kind].fields; f->type; f++) {
		const char **s = (const char **)((char *)&kept->item + f->offset);

		if (f->type == SPRT_KEPT || f->type == SPRT_TEXT || f->type == SPRT_OPTIONAL)
			*s = keep_string(log, *s);
	}
}

const struct sprt_resource *sprt_resource_of(const struct sprt_log *log,
					     const struct sprt_call *call)
{
	return call->resource <= SPRT_RESOURCE_MAX ? log->resources[call->resource] : NULL;
}

int sprt_by_number(const struct sprt_item *x, const struct sprt_item *y)
{
	if (x->call.number != y->call.number)
		return x->call.number < y->call.number ? -1 : 1;
	return x->pos < y->pos ? -1 : x->pos > y->pos;
}

static int by_number(const void *a, const void *b)
{
	const struct sprt_kept *x = *(struct sprt_kept *const *)a, *y = *(struct sprt_kept *const *)b;

	return sprt_by_number(&x->item, &y->item);
}

void sprt_log_sort(struct sprt_log *log)
{
	if (log->ncalls)
		qsort(log->calls, log->ncalls, sizeof(*log->calls), by_number);
}

struct sprt_item *sprt_log_find(const struct sprt_log *log, enum sprt_kind kind,
				struct sprt_kept **at)
{
	do
		*at = *at ? (*at)->next : log->first;
	while (*at && ((*at)->item.kind != kind || (*at)->item.removed));
	return *at ? &(*at)->item : NULL;
}

int sprt_log_replay(const struct sprt_log *log, struct sink *to)
{
	struct sprt_kept *at = log->first, *end = at;
	int ret = 0;

	for (size_t call = 0; !ret && at; call++) {
		/* Up to the next call: the comments, after everything else. */
		for (int comments = 0; comments <= 1; comments++)
			for (end = at; end && end->item.kind != SPRT_CALL; end = end->next)
				if (!ret && !end->item.removed &&
				    (end->item.kind == SPRT_COMMENT) == comments)
					ret = sink_item(to, &end->item);
		if (end && !ret && !log->calls[call]->item.removed)
			ret = sink_item(to, &log->calls[call]->item);
		at = end ? end->next : NULL;
	}
	return ret;
}
