// SPDX-License-Identifier: LGPL-2.1
/* libetrace: kinds of events and their names.  See etrace.h. */
#include "api/schema.h"
#include "base/errname.h"
#include "base/signame.h"
#include "event/event.h"

#include <errno.h>
#include <string.h>

/* The public numbers must equal those used inside. */
#define SAME(a, b) _Static_assert((int)(a) == (int)(b), "same numbers");
#define VALUE(ID, id, type, name, means, given) SAME(ETRACE_V_##ID##_##id, ET_V_##ID##_##id)
#define STRING(ID, id, TAG, name) SAME(ETRACE_S_##ID##_##id, ET_S_##ID##_##id)
#define ARGS(ID, id, TAG, name) SAME(ETRACE_S_##ID##_##id, ET_S_##ID##_##id)
#include "event/events.def"
SAME(ETRACE_ARGS, ET_ARGS)
SAME(ETRACE_MEANS_FD, ET_MEANS_FD)
SAME(ETRACE_MEANS_FLAGS, ET_MEANS_FLAGS)
SAME(ETRACE_MEANS_MODE, ET_MEANS_MODE)
SAME(ETRACE_MEANS_STATUS, ET_MEANS_STATUS)
SAME(ETRACE_MEANS_SIGNAL, ET_MEANS_SIGNAL)
SAME(ETRACE_MEANS_BOOL, ET_MEANS_BOOL)
SAME(ETRACE_MEANS_UPID, ET_MEANS_UPID)
SAME(ETRACE_MEANS_COUNT, ET_MEANS_COUNT)
SAME(ETRACE_MEANS_TIME, ET_MEANS_TIME)
SAME(ETRACE_MEANS_DATE, ET_MEANS_DATE)
SAME(ETRACE_MEANS_NUMBER, ET_MEANS_NUMBER)
SAME(ETRACE_JOINED, ET_JOINED)
SAME(ETRACE_UNREAD, ET_UNREAD)
SAME(ETRACE_CUT, ET_CUT)
SAME(ETRACE_UNTOLD, ET_UNTOLD)
SAME(ETRACE_OUTSIDE, ET_OUTSIDE)
SAME(ETRACE_OUTSIDE + 1, ET_NR_MARKINGS)

/*
 * The public numbers of kinds differ: in ours, new kinds are inserted before those that programs
 * make.
 */
static const uint8_t number_of[ET_K_COUNT] = {
#define EVENT(ID, id, name, category, where, doc) [ET_K_##ID] = ETRACE_K_##ID,
#include "event/events.def"
};

static const uint8_t kind_of[256] = {
#define EVENT(ID, id, name, category, where, doc) [ETRACE_K_##ID] = ET_K_##ID,
#include "event/events.def"
};

unsigned int api_number(enum et_kind kind)
{
	return number_of[kind];
}

/* Return: NULL if there is no such kind. */
static const struct et_kind_row *row_of(unsigned int kind)
{
	return kind < sizeof(kind_of) && kind_of[kind] ? &et_kinds[kind_of[kind]] : NULL;
}

const char *etrace_kind_name(unsigned int kind)
{
	return row_of(kind) ? row_of(kind)->name : NULL;
}

const char *etrace_kind_category(unsigned int kind)
{
	return row_of(kind) ? row_of(kind)->category : NULL;
}

const char *etrace_kind_doc(unsigned int kind)
{
	return row_of(kind) ? row_of(kind)->doc : NULL;
}

int etrace_kind_number(const char *name)
{
	for (unsigned int k = ET_K_NONE + 1; k < ET_K_COUNT; k++)
		if (!strcmp(et_kinds[k].name, name))
			return number_of[k];
	return -ENOENT;
}

const char *etrace_value_name(unsigned int kind, unsigned int i)
{
	const struct et_kind_row *row = row_of(kind);

	return row && i < row->nvalues ? row->values[i].name : NULL;
}

const char *etrace_string_name(unsigned int kind, unsigned int i)
{
	const struct et_kind_row *row = row_of(kind);

	if (row && i == ET_ARGS)
		return et_args_name[kind_of[kind]];
	return row && i < row->nstrings ? row->strings[i].name : NULL;
}

int etrace_value_means(unsigned int kind, unsigned int i)
{
	const struct et_kind_row *row = row_of(kind);

	return row && i < row->nvalues ? (int)row->values[i].means : -ENOENT;
}

const char *etrace_marking_name(unsigned int marking)
{
	return marking < ET_NR_MARKINGS ? et_marking_names[marking] : NULL;
}

const char *etrace_errno_name(int error)
{
	return error_name(error);
}

void etrace_signal_name(int signal, char *buf, size_t size)
{
	signal_name(signal, buf, size);
}
