// SPDX-License-Identifier: GPL-2.0
/* Builds tables from etrace_events.def, for print.c.  See schema.h. */
#include "schema.h"

bool etrace_extended;

const char etrace_tag_names[ETRACE_NR_TAG][4] = {
#define TAG(TAG) \
	[ETRACE_TAG_##TAG] = #TAG,
#include "etrace_events.def"
};

/* Which values are signed. */
#define EVENT(ID, id, name, category, where, doc) enum {
#define VALUE(ID, id, type, name, means, given) \
	ETRACE_SIGNED_##ID##_##id = (type)-1 < (type)1,
#define END_EVENT(ID, id) ETRACE_SIGNED_##ID };
#include "etrace_events.def"

#define ETRACE_STRING_WORD(_kind, ID, id, _text) \
	{ .kind = ETRACE_WORD_##_kind, .i = ETRACE_STR_##ID##_##id, .text = (_text) },

#define EVENT(ID, id, name, category, where, doc) \
	static const struct etrace_word etrace_words_##id[] = {
#define LINE(ID, tag, _role, _when) \
	{ .kind = ETRACE_WORD_LINE, .role = ETRACE_ROLE_##_role, \
	  .when = ETRACE_WHEN_##_when, .text = #tag "|" },
#define END_LINE(ID, tag) { .kind = ETRACE_WORD_END_LINE },
#define SIZE(ID, id, TAG, name) ETRACE_STRING_WORD(SIZE, ID, id, #name "=")
#define SIZE_MAY(ID, id, TAG, name) ETRACE_STRING_WORD(SIZE_MAY, ID, id, #name "=")
#define FIELD(ID, id, name) \
	{ .kind = ETRACE_WORD_FIELD, .i = ETRACE_VAL_##ID##_##id, \
	  .is_signed = ETRACE_SIGNED_##ID##_##id, .text = #name "=" },
#define TEXT(ID, id, TAG) ETRACE_STRING_WORD(TEXT, ID, id, NULL)
#define TEXT_ARGS(ID, id, TAG) ETRACE_STRING_WORD(TEXT_ARGS, ID, id, NULL)
#define END_EVENT(ID, id) { .kind = ETRACE_WORD_END } };
#include "etrace_events.def"

const struct etrace_schema etrace_schemas[ETRACE_NR_SCHEMA] = {
#define EVENT(ID, id, name, category, where, doc) \
	[ETRACE_EV_##ID] = { .words = etrace_words_##id, .nr_tags = ETRACE_STRS_##ID,
#define STRING(ID, id, TAG, name) .tags[ETRACE_STR_##ID##_##id] = ETRACE_TAG_##TAG,
#define ARGS(ID, id, TAG, name) .tags[ETRACE_STR_##ID##_##id] = ETRACE_TAG_##TAG, .has_args = true,
#define VALUE(ID, id, type, name, means, given) \
	.may[ETRACE_VAL_##ID##_##id] = ETRACE_GIVEN_##given == ETRACE_GIVEN_MAY,
#define END_EVENT(ID, id) },
#include "etrace_events.def"
};
