/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * kernel/etrace_events.def as tables for userspace: the kinds of events, their values
 * and strings by number, the names of both, and the lines of each kind.
 */
#ifndef ETRACE_SCHEMA_H
#define ETRACE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>


/* What happened.  The order is that of et_kinds. */
enum et_kind {
	ET_K_NONE,
#define EVENT(ID, id, name, category, where, doc) ET_K_##ID,
#include "event/events.def"
	ET_K_COUNT
};

/* The values of each kind by number, like ET_V_OPEN_fd; ET_NV_OPEN is their count. */
#define EVENT(ID, id, name, category, where, doc) enum {
#define VALUE(ID, id, type, name, means, given) ET_V_##ID##_##id,
#define END_EVENT(ID, id) ET_NV_##ID };
#include "event/events.def"

/* The strings of each kind by number, like ET_S_OPEN_name; ET_NS_OPEN is their count. */
#define EVENT(ID, id, name, category, where, doc) enum {
#define STRING(ID, id, TAG, name) ET_S_##ID##_##id,
#define END_EVENT(ID, id) ET_NS_##ID };
#include "event/events.def"

/* The number of the argument list; no string has it. ET_S_EXEC_args equals it. */
#define ET_ARGS		7u
#define ARGS(ID, id, TAG, name) enum { ET_S_##ID##_##id = ET_ARGS };
#include "event/events.def"

#define ET_MAX_VALUES	12	/* maximum values of one kind */
#define ET_MAX_STRINGS	6

/* What a value means. */
enum et_means {
	ET_MEANS_FD, ET_MEANS_FLAGS, ET_MEANS_MODE, ET_MEANS_STATUS, ET_MEANS_SIGNAL,
	ET_MEANS_BOOL, ET_MEANS_UPID, ET_MEANS_COUNT, ET_MEANS_TIME, ET_MEANS_DATE,
	ET_MEANS_NUMBER,
};

struct et_value_row {
	const char *name;	/* its name in FXT and JSON */
	const char *field;	/* field of the module's trace event */
	enum et_means means;
	bool may;		/* optional */
	uint8_t size;		/* bytes of the trace event's field */
	bool sign;
};

struct et_string_row {
	const char *name;	/* its name in FXT and JSON */
	const char *tag;	/* its tag in the line format */
};

/* The role of a line in its event. */
enum et_role {
	ET_STRING,		/* the lines of a string */
	ET_BEGIN,		/* begins the event */
	ET_MIDDLE,		/* continues the event: RenameTo after RenameFrom */
	ET_LAST,		/* ends the event: End_of_args, SchedFork */
	ET_FAILED,		/* ends an event whose call failed */
	ET_MORE,		/* adds to an event that is complete without it */
};

/* When an event has a line. */
enum et_when {
	ET_EACH,		/* always */
	ET_GIVEN,		/* if all strings and values of the line are present */
	ET_PLAIN,		/* if these are present, and no optional value is */
	ET_ERROR,		/* if the call failed */
	ET_EXTRA,		/* as ET_GIVEN, but root_pid traces have it only if extended */
};

#define ET_MAX_FIELDS	12	/* maximum fields of one line */

/* A field of a line: the size of a string, or a value. */
struct et_field {
	const char *name;	/* its name in the line format; NULL after the last */
	uint8_t len;		/* length of the name */
	bool is_size;
	uint8_t slot;		/* number of the string (ET_ARGS) or of the value */
	bool may;		/* may be missing from a complete line that is ET_EACH */
	uint8_t tag;		/* is_size: the string's enum et_tag */
};

/* The tags of strings in the line format. */
enum et_tag {
#define TAG(TAG) ET_T_##TAG,
#include "event/events.def"
	ET_NR_TAGS
};

/* The lines of all events, by number; lines of one kind are adjacent. */
enum et_row_id {
#define EVENT(ID, id, name, category, where, doc) \
	ET_R_FIRST_##ID, ET_R_FIRST_##ID##_ = ET_R_FIRST_##ID - 1,
#define LINE(ID, tag, role, when) ET_R_##tag,
#define TEXT(ID, id, TAG) ET_R_##ID##_##TAG,
#define TEXT_ARGS(ID, id, TAG) ET_R_##ID##_##TAG,
#define END_EVENT(ID, id) \
	ET_R_END_##ID, ET_R_END_##ID##_ = ET_R_END_##ID - 1,
#include "event/events.def"
	ET_NR_ROWS
};

/* A line of an event, or the lines of a string. */
struct et_row {
	const char *name;	/* its name in the line format */
	uint8_t len;		/* length of the name */
	uint8_t kind;		/* enum et_kind */
	uint8_t role;		/* enum et_role */
	uint8_t when;		/* enum et_when */
	uint8_t slot;		/* ET_STRING: number of the string, or ET_ARGS */
	uint8_t tag;		/* ET_STRING: enum et_tag */
	uint8_t nfields;
	/* a bit for each value and string that the line needs */
	uint16_t values;
	uint8_t strings;
	struct et_field fields[ET_MAX_FIELDS + 1];
};
extern const struct et_row et_rows[ET_NR_ROWS];

/* The options of a recording that make the module record an event. */
enum et_where {
	ET_ALWAYS, ET_EXTENDED, ET_PROBES, ET_DIRS, ET_ENV, ET_OUTPUT, ET_READER
};

/* Names of what is recorded only on request. */
#define ET_ON_REQUEST	"probes, dirs, env, output, output=all"

/**
 * et_on_request - parse a list like "probes,dirs"
 * @where: gets their bits (enum et_where, ET_OUTPUT_ALL); unchanged on failure
 *
 * Return: whether all names are known.
 */
bool et_on_request(const char *list, uint32_t *where);

/* A further bit, set together with that of ET_ENV: record only the variables of a list. */
#define ET_ENV_LISTED	(1u << 6)

/* A further bit, set together with that of ET_OUTPUT: also output of processes that succeed. */
#define ET_OUTPUT_ALL	(1u << 7)

/* Bytes that are kept of a process's output to one descriptor: the last ones. */
#define ET_OUTPUT_MAX	4096u

/*
 * The variables that are recorded by default: they change what a compiler's command line
 * means, and hold no secrets. Names separated by commas.
 */
extern const char et_env_listed[];

/*
 * Variables that are also recorded if file contents are: the output of programs often depends on
 * them, and they hold no secrets.
 */
extern const char et_env_hashed[];

/**
 * et_env_recorded - which variables of environments are recorded
 * @record: bits of enum et_where, and ET_ENV_LISTED
 * @list: the variables of ET_ENV_LISTED
 *
 * Return: names separated by commas; "*" if all, "" if none.
 */
const char *et_env_recorded(uint32_t record, const char *list);

/** et_env_has - whether a variable is among those that et_env_recorded() names */
bool et_env_has(const char *recorded, const char *name, size_t len);

/* Bytes of a list of variables, including the NUL. */
#define ET_KEEP_ENV_MAX	1024

/**
 * et_keep_env - add to a list of variables that are not hidden, even if they look secret
 * @list: room for ET_KEEP_ENV_MAX bytes; "" or names separated by commas
 * @names: more of them
 *
 * Return: false, with @list unchanged, if @names is not such a list or does not fit.
 */
bool et_keep_env(char *list, const char *names);

struct et_kind_row {
	const char *name;	/* its name in FXT, JSON and reports */
	const char *category;	/* its category in FXT */
	const char *doc;	/* what happened */
	const struct et_value_row *values;
	const struct et_string_row *strings;
	uint8_t nvalues, nstrings;
	uint8_t where;		/* enum et_where */
	uint16_t row, end;	/* its lines: et_rows[row] up to before end */
	uint16_t may;		/* bit i: value i is optional */
	/*
	 * @begins: the kind begins with a line that every event has.  @must, @must_strings: the
	 * values and strings that an event then needs to be whole, besides its end.
	 */
	bool begins;
	uint16_t must;
	uint8_t must_strings;
};
extern const struct et_kind_row et_kinds[ET_K_COUNT];
/* Name of the argument list in FXT and JSON, NULL if the kind has none. */
extern const char *const et_args_name[ET_K_COUNT];
/* Tag of the argument list in the line format, NULL if the kind has none. */
extern const char *const et_args_tag[ET_K_COUNT];

#endif
