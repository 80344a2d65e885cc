// SPDX-License-Identifier: LGPL-2.1
/* Tables of the words of text reports, JSON and FXT.  See sprt_words.h. */
#include "format/sprtrace/sprt_words.h"

#define FIELD(type, member, name) { SPRT_##type, offsetof(struct sprt_item, member), name }

const struct sprt_kind_words sprt_kinds[] = {
	[SPRT_LOG] = { "log", "log",
		{ FIELD(KEPT, log.arch, NULL), FIELD(KEPT, log.origin, NULL) } },
	[SPRT_PROCESS] = { "process", "process", { FIELD(KEPT, process.name, NULL) } },
	[SPRT_MODULE] = { "module", "module",
		{ FIELD(MASK, module.id, "id"), FIELD(VERSION, module.major, "version"),
		  FIELD(TEXT, module.name, "name") } },
	[SPRT_MAP] = { "map", "map",
		{ FIELD(POINTER, map.from, "from"), FIELD(POINTER, map.to, "to"),
		  FIELD(TEXT, map.path, "path") } },
	[SPRT_RESOURCE] = { "resource", "resource",
		{ FIELD(ID, resource.id, "id"), FIELD(FLAGS, resource.flags, "flags"),
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
