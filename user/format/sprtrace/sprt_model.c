// SPDX-License-Identifier: LGPL-2.1
/* Fields of items, and words of text reports, JSON and FXT.  See sprt_model.h. */
#include "format/sprtrace/sprt_model.h"

#include <inttypes.h>
#include <stdio.h>

#define FIELD(type, member, name) { SPRT_##type, offsetof(struct sprt_item, member), name, false }
#define LATE(type, member, name) { SPRT_##type, offsetof(struct sprt_item, member), name, true }

const struct sprt_kind_words sprt_kinds[] = {
	[SPRT_LOG] = { "log", "log",
		{ FIELD(KEPT, log.arch, NULL), FIELD(KEPT, log.origin, NULL) } },
	[SPRT_PROCESS] = { "process", "process", { FIELD(KEPT, process.name, NULL) } },
	[SPRT_MODULE] = { "module", "module",
		{ FIELD(MASK, module.id, "id"), LATE(VERSION, module.major, "version"),
		  FIELD(TEXT, module.name, "name") } },
	[SPRT_MAP] = { "map", "map",
		{ LATE(POINTER, map.from, "from"), LATE(POINTER, map.to, "to"),
		  FIELD(TEXT, map.path, "path") } },
	[SPRT_RESOURCE] = { "resource", "resource",
		{ FIELD(ID, resource.id, "id"), LATE(FLAGS, resource.flags, "flags"),
		  FIELD(TEXT, resource.type, "type"), FIELD(TEXT, resource.desc, "description") } },
	[SPRT_CONTEXT] = { "context", "context",
		{ FIELD(MASK, context.id, "id"), FIELD(TEXT, context.name, "name") } },
	[SPRT_CALL] = { "call", NULL, { { 0 } } },
	[SPRT_HEAP] = { "heap", "heap", { { 0 } } },
	[SPRT_FILE] = { "file", "attachment",
		{ FIELD(TEXT, file.name, "name"), FIELD(TEXT, file.path, "path") } },
	[SPRT_OUTPUT] = { "output", "output",
		{ FIELD(OPTIONAL, output.dir, "directory"),
		  FIELD(OPTIONAL, output.options, "options") } },
	[SPRT_LIBRARY] = { "library", "library", { FIELD(TEXT, library, "name") } },
	[SPRT_COMMENT] = { "comment", "comment", { FIELD(TEXT, comment, "text") } },
};

const char *const sprt_call_types[] = {
	[SPRT_CALL_UNDEFINED] = "undefined", [SPRT_CALL_FREE] = "free",
	[SPRT_CALL_ALLOC] = "allocation",
};

const char *const sprt_filter_names[3] = { "leaks", "compress", "resolve" };

/* A value with the same label in all versions. */
#define SAME(label, member) { label, label, member }

const struct sprt_heap_word sprt_heap_words[SPRT_HEAP_WORDS] = {
	SAME("heap bottom", "bottom"),
	SAME("heap top", "top"),
	SAME("lowest block", NULL),
	SAME("highest block", NULL),
	SAME("non-mapped space allocated from system", "arena"),
	{ "count of free chunks", "number of free chunks", "ordblks" },
	{ "count of freed fastbin blocks", "number of fastbin blocks", "smblks" },
	{ "count of mapped regions", "number of mapped regions", "hblks" },
	SAME("space in mapped regions", "hblkhd"),
	SAME("maximum total allocated space", "usmblks"),
	SAME("space available in freed fastbin blocks", "fsmblks"),
	{ "total allocated space, both normal and mmapped", "total allocated space", "uordblks" },
	SAME("total free space", "fordblks"),
	{ "space ideally releasable via malloc_trim",
	  "top-most, releasable (via malloc_trim) space", "keepcost" },
};

#define TEXT(member, value) \
	(&(struct sprt_value){ .type = SPRT_TEXT, .name = member, .text = value })
#define NUMBER(what, member, value) \
	(&(struct sprt_value){ .type = what, .name = member, .number = value })

static void put_version(sprt_put *put, void *ctx, unsigned int major, unsigned int minor)
{
	char text[24];

	snprintf(text, sizeof(text), "%u.%u", major, minor);
	put(ctx, TEXT("version", text));
}

static void put_log(sprt_put *put, void *ctx, const struct sprt_log_start *log)
{
	put(ctx, TEXT("source", log->text ? "text" : "binary"));
	put_version(put, ctx, log->major, log->minor);
	put(ctx, TEXT("arch", log->arch));
	if (!log->text) {
		put(ctx, TEXT("byte_order", log->big_endian ? "big" : "little"));
		put(ctx, NUMBER(SPRT_ID, "pointer_size", log->ptr_size));
	}
	put(ctx, NUMBER(SPRT_FILTERS, "filters", log->filters));
	if (*log->origin)
		put(ctx, TEXT("origin", log->origin));
}

static void put_process(sprt_put *put, void *ctx, const struct sprt_process *p)
{
	char time[40];

	put(ctx, NUMBER(SPRT_ID, "pid", p->pid));
	put(ctx, TEXT("name", p->name));
	if (p->has_time) {
		snprintf(time, sizeof(time), "%" PRId64 ".%06" PRIu32, p->sec, p->usec);
		put(ctx, TEXT("time", time));
	}
	if (p->has_depth)
		put(ctx, NUMBER(SPRT_ID, "backtrace_depth", p->depth));
}

static void put_field(sprt_put *put, void *ctx, const struct sprt_field *f, const void *at)
{
	const uint16_t *version = at;

	switch (f->type) {
	case SPRT_TEXT:
	case SPRT_OPTIONAL:
		put(ctx, TEXT(f->name, *(const char *const *)at));
		break;
	case SPRT_POINTER:
		put(ctx, NUMBER(f->type, f->name, *(const uint64_t *)at));
		break;
	case SPRT_VERSION:
		put_version(put, ctx, version[0], version[1]);
		break;
	default:
		put(ctx, NUMBER(f->type, f->name, *(const uint32_t *)at));
		break;
	}
}

void sprt_values(const struct sprt_item *item, bool fxt, sprt_put *put, void *ctx)
{
	if (item->kind == SPRT_LOG) {
		put_log(put, ctx, &item->log);
		return;
	}
	if (item->kind == SPRT_PROCESS) {
		put_process(put, ctx, &item->process);
		return;
	}
	for (unsigned int pass = 0; pass < (fxt ? 2 : 1); pass++)
		for (const struct sprt_field *f = sprt_kinds[item->kind].fields; f->type; f++)
			if (!fxt || f->late == (pass > 0))
				put_field(put, ctx, f, (const char *)item + f->offset);
}
