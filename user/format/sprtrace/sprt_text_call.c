// SPDX-License-Identifier: LGPL-2.1
/*
 * Assembles the calls of a text report, with their arguments, backtraces and comments,
 * the groups of calls that share a backtrace, and the resources that calls name.
 */
#include "format/sprtrace/sprt_line.h"
#include "format/sprtrace/sprt_text_state.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

static const struct diag_kind damage_orphan = {
	"lines of parts of backtraces and arguments whose call is missing", DIAG_DAMAGE };
static const struct diag_kind damage_summary = {
	"groups whose calls differ from the summary", DIAG_DAMAGE };

const struct diag_kind sprt_damage_field = {
	"fields that cannot be read", DIAG_DAMAGE };
const struct diag_kind sprt_damage_line = {
	"lines beginning like a record", DIAG_DAMAGE };

void sprt_text_damaged(const struct sprt_text *t, const struct diag_kind *kind,
		       const char *what, const char *shown)
{
	char buf[81];

	diag_report(t->args.diag, kind, in_name(t->in), DIAG_LINE, t->line,
		    "%s%s%s", what, shown ? ": " : "",
		    sprt_shown(buf, sizeof(buf), shown ? shown : ""));
}

int sprt_text_emit(struct sprt_text *t, struct sprt_item *item)
{
	if (!item->pos)
		item->pos = t->line;
	if (t->log) {
		sprt_log_add(t->log, item);
		return 0;
	}
	return sink_item(t->sink, item);
}

static const char *copy_string(struct sprt_arena *a, const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(sprt_arena_alloc(a, n), s, n);
}

int sprt_text_end_call(struct sprt_text *t, bool trace)
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
	ret = sprt_text_emit(t, &t->call);
	for (size_t i = 0; i < t->nlater && !ret; i++)
		ret = sprt_text_emit(t, &t->later[i]);
	t->nlater = 0;
	t->nframe = 0;
	sprt_arena_reset(&t->strings);
	return ret;
}

/*
 * End a group.  If the report is known to have groups, or this one had a summary line,
 * all its calls get the backtrace of the last.
 */
int sprt_text_end_group(struct sprt_text *t, bool trace)
{
	size_t n;
	int ret;

	ret = sprt_text_end_call(t, trace);
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

/* --- resources ---------------------------------------------------------- */

int sprt_text_resource(struct sprt_text *t, const struct sprt_resource *res)
{
	struct sprt_item item = { .kind = SPRT_RESOURCE, .resource = *res };

	t->nknown += !t->known[res->id];
	free(t->known[res->id]);
	t->known[res->id] = xstrdup(res->type);
	return sprt_text_emit(t, &item);
}

void sprt_text_forget(struct sprt_text *t)
{
	for (uint32_t id = 0; id <= SPRT_RESOURCE_MAX; id++) {
		free(t->known[id]);
		t->known[id] = NULL;
	}
	t->nknown = 0;
}

/* Find the resource of "<type>" in a call.  Return: its id, SPRT_RESOURCE_MAX + 1 if none. */
static uint32_t resource_named(const struct sprt_text *t, const char *type)
{
	char *end = (char *)(uintptr_t)type;
	uint32_t id, bit;

	for (id = 1; id <= SPRT_RESOURCE_MAX; id++)
		if (t->known[id] && !strcmp(t->known[id], type))
			return id;
	/* in the protocol document, it is the mask from the resource's line */
	if (sprt_line_number32(&end, 16, &bit) && !*end && bit && !(bit & (bit - 1)) &&
	    t->known[__builtin_ctz(bit) + 1])
		return (uint32_t)__builtin_ctz(bit) + 1;
	return id;
}

/*
 * Set @resource and cut "<type>" off a call's name.  If the report has only one
 * resource, calls do not name it.
 */
static int split_type(struct sprt_text *t, char *name, uint32_t *resource)
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
	sprt_text_damaged(t, &sprt_damage_field, "resource type that the report does not list",
			  open + 1);
	for (id = 1; id <= SPRT_RESOURCE_MAX && t->known[id]; id++)
		;
	*resource = id <= SPRT_RESOURCE_MAX ? id : 0;
	if (!*resource)
		return 0;
	made.id = id;
	made.type = open + 1;
	return sprt_text_resource(t, &made);
}

/* --- lines of a call ---------------------------------------------------- */

int sprt_text_call(struct sprt_text *t, struct sprt_call *call, char *name)
{
	int ret;

	if (sprt_line_has_block(name))
		sprt_text_damaged(t, &sprt_damage_line, "two calls in a line", name);
	ret = t->nframe || t->summed ? sprt_text_end_group(t, true) : sprt_text_end_call(t, false);
	if (!ret)
		ret = split_type(t, name, &call->resource);
	if (ret)
		return ret;
	t->call_open = true;
	t->lost_call = false;
	t->call = (struct sprt_item){ .kind = SPRT_CALL, .pos = t->line };
	t->call.call = *call;
	t->call.call.name = copy_string(&t->strings, name);
	return 0;
}

/*
 * Name of a frame as the programs write it: "in" only before "??", but in the protocol
 * document before each function.
 */
static const char *frame_name(const char *text)
{
	return !strncmp(text, "in ", 3) && strcmp(text, "in ??") ? text + 3 : text;
}

int sprt_text_tab(struct sprt_text *t, char *line)
{
	char *p = line + (*line == '\t'), *value;
	uint64_t addr;

	if (!t->call_open) {
		sprt_text_damaged(t, &damage_orphan, "no call before", line + 1);
		return 0;
	}
	value = *p == '$' && !t->nframe ? strstr(p, " = ") : NULL;
	if (value && t->lost_call) {
		sprt_text_damaged(t, &damage_orphan, "no call before", line + 1);
		return 0;
	}
	if (value) {
		uint32_t n = t->call.call.nargs++;

		*value = '\0';
		t->arg = xgrow(t->arg, &t->arg_cap, n + 1, sizeof(*t->arg));
		t->arg[n].name = copy_string(&t->strings, p + 1);
		t->arg[n].value = copy_string(&t->strings, value + 3);
		return 0;
	}
	if (!sprt_line_hex(&p, &addr) || (*p && *p != ' ')) {
		sprt_text_damaged(t, &sprt_damage_line, "neither argument nor frame", line + 1);
		return 0;
	}
	t->frame = xgrow(t->frame, &t->frame_cap, t->nframe + 1,
			 sizeof(*t->frame));
	t->resolved = xgrow(t->resolved, &t->resolved_cap, t->nframe + 1,
			    sizeof(*t->resolved));
	t->frame[t->nframe] = addr;
	t->resolved[t->nframe++] = *p && p[1] ? copy_string(&t->strings, frame_name(p + 1)) :
						NULL;
	return 0;
}

void sprt_text_later(struct sprt_text *t, const char *line)
{
	struct sprt_item item = { .kind = SPRT_COMMENT, .pos = t->line };

	item.comment = copy_string(&t->strings, line);
	t->later = xgrow(t->later, &t->later_cap, t->nlater + 1,
			 sizeof(*t->later));
	t->later[t->nlater++] = item;
}
