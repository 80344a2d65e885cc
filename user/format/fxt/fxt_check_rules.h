/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The rules of --check, one row each, shared by the parts of the checker: rules for single
 * records (fxt_check_record.c), and rules for the order of events in time
 * (fxt_check_time.c).
 */
#ifndef ETRACE_FXT_CHECK_RULES_H
#define ETRACE_FXT_CHECK_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "format/fxt/fxt.h"
#include "format/fxt/fxt_in.h"

/*
 * X(id, name on output, whether it is mandatory, the rule as text). Breaking an optional
 * rule causes only a remark: for example, an async operation, such as the life of a block
 * of memory, may still be open when a trace ends, and viewers show it as such.
 */
#define FXT_RULES(X)	\
	X(MAGIC, "magic", true, "a file begins with the magic number record")	\
	X(ZERO_SIZE, "zero-size", true, "no record has size 0")	\
	X(CUT, "cut", true, "the file ends with a whole record")	\
	X(PARTS, "parts", true, "a record's parts fit its size exactly")	\
	X(ARGUMENTS, "arguments", true, "all arguments announced are there and fit") \
	X(UNDEFINED_STRING, "undefined-string", true, "a string ref was registered before") \
	X(UNDEFINED_THREAD, "undefined-thread", true, "a thread ref was registered before") \
	X(UNKNOWN_TYPE, "unknown-type", true, "all types are those of the document") \
	X(RECORD_15, "record-15", true, "record type 15 is not used")	\
	X(BLOB_3, "blob-3", true, "blob type 3 is not used")	\
	X(RESERVED, "reserved", true, "reserved bits are zero")	\
	X(PADDING, "padding", true, "streams are padded with zeros")	\
	X(INDEX_0, "index-0", true, "index 0 is not registered")	\
	X(UTF8, "utf8", true, "strings are UTF-8")	\
	X(NUL, "nul", true, "strings have no NUL in them")	\
	X(STRING_LENGTH, "string-length", true, "strings have at most 31,999 bytes") \
	X(ARGUMENT_NAMES, "argument-names", true, "the arguments of one record have different names") \
	X(INIT, "init", true, "an initialization record of 1,000,000,000 ticks a second comes before the first time") \
	X(PROVIDER_AGAIN, "provider-again", true, "a provider is introduced once") \
	X(PROVIDER_UNKNOWN, "provider-unknown", true, "a section's provider was introduced before") \
	X(INLINE, "inline", true, "strings and threads are indexed, not inline") \
	X(PROCESS_FIRST, "process-first", true, "the first string registered is \"process\"") \
	X(KOID_32, "koid-32", true, "koids of processes and threads have 32 bits") \
	X(KOID_0, "koid-0", true, "koid 0 is no process and no thread")	\
	X(THREAD_NAME, "thread-name", true, "a thread's object begins its arguments with its process, a koid") \
	X(SWITCH_THREAD, "switch-thread", true, "a thread that is switched has a kernel object record") \
	X(SWITCH_STATE, "switch-state", true, "an outgoing thread's state is one of the document and not running") \
	X(TIME_63, "time-63", true, "timestamps are below 2^63")	\
	X(UNSIGNED_63, "unsigned-63", true, "unsigned values are below 2^63")	\
	X(INSTANT_FRAME, "instant-frame", true, "no instant's name has \"frame\" in it") \
	X(COUNTER_VALUES, "counter-values", true, "a counter's arguments are integers or doubles") \
	X(COUNTER_NAMES, "counter-names", true, "different counters have arguments of different names") \
	X(BEGIN_UNFINISHED, "begin-unfinished", true, "a duration that begins ends") \
	X(END_STRAY, "end-stray", true, "a duration that ends has begun")	\
	X(COMPLETE_BACKWARDS, "complete-backwards", true, "a complete duration does not end before it begins") \
	X(COMPLETE_ORDER, "complete-order", true, "of complete durations that begin together, the enclosing one comes first") \
	X(COMPLETE_OVERLAP, "complete-overlap", true, "durations of one thread lie within each other or apart") \
	X(NESTING, "nesting", true, "durations are nested at most 512 deep")	\
	X(ASYNC_AGAIN, "async-again", true, "an async id is not begun while it is open") \
	X(ASYNC_STRAY, "async-stray", true, "an async instant or end has a begin") \
	X(ASYNC_NAMES, "async-names", true, "an async end has the name and category of its begin") \
	X(ASYNC_UNFINISHED, "async-unfinished", false, "an async operation that begins ends") \
	X(FLOW_SLICE, "flow-slice", true, "a flow event is within a duration of its thread") \
	X(FLOW_STOLEN, "flow-stolen", true, "nothing comes between a flow event and the duration that it belongs to") \
	X(FLOW_AGAIN, "flow-again", true, "a flow id begins once and ends once") \
	X(FLOW_STRAY, "flow-stray", true, "a flow step or end has a begin before it") \
	X(FLOW_UNFINISHED, "flow-unfinished", true, "a flow that begins ends")

enum fxt_rule {
#define FXT_RULE_ENUM(id, name, must, text) RULE_##id,
	FXT_RULES(FXT_RULE_ENUM)
#undef FXT_RULE_ENUM
	RULE_COUNT
};

/* Called for each broken rule; @offset in bytes; @detail is a short text or NULL. */
typedef void (*fxt_broken_fn)(void *ctx, enum fxt_rule rule, uint64_t offset, const char *detail);

/**
 * struct fxt_timed - the parts of an event that matter for the order in time
 * @time:    ticks
 * @offset:  of its record, in bytes
 * @process: koid
 * @thread:  koid
 * @value:   end time, async or flow correlation id
 * @names:   hash of category and name
 * @type:    type of the event
 */
struct fxt_timed {
	uint64_t time;
	uint64_t offset;
	uint64_t process, thread;
	uint64_t value;
	uint64_t names;
	enum fxt_event_type type;
};

/* Number of events kept, to sort them by time before they are checked. */
#define FXT_CHECK_WINDOW (1u << 20)

struct fxt_check_time;

/**
 * fxt_check_time_new - start checking the order of events in a file
 * @fn: called for each broken rule
 *
 * Viewers sort events by time, and keep the order of the file for equal times.  So the rules about
 * durations, async operations and flows apply to the sorted events. Memory: at most
 * FXT_CHECK_WINDOW events, and everything that has begun but not ended.
 */
struct fxt_check_time *fxt_check_time_new(fxt_broken_fn fn, void *ctx);

/* Free; NULL is allowed. */
void fxt_check_time_free(struct fxt_check_time *c);

/** fxt_check_time_add - check the next event of the file; counters are ignored */
void fxt_check_time_add(struct fxt_check_time *c, const struct fxt_timed *e);

/**
 * fxt_check_time_end - report everything that has begun but not ended; call at the end of the file
 *
 * Return: number of events that came too late to be checked.
 */
uint64_t fxt_check_time_end(struct fxt_check_time *c);

/* ---- single records ---- */

struct fxt_check_records;

/**
 * fxt_check_records_new - start checking the records of a file
 * @fn: called for each broken rule
 * @time: gets the events; the caller keeps it
 */
struct fxt_check_records *fxt_check_records_new(fxt_broken_fn fn, void *ctx,
						struct fxt_check_time *time);

/* Free; NULL is allowed. */
void fxt_check_records_free(struct fxt_check_records *c);

/** fxt_check_records_add - check the next record of the file */
void fxt_check_records_add(struct fxt_check_records *c, const struct fxt_item *item);

/** fxt_check_records_end - do the checks that need the whole file; call at its end */
void fxt_check_records_end(struct fxt_check_records *c);

#endif
