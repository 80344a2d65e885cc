/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The numbers of the Fuchsia trace format, shared by encoder and decoder.
 * Section names in comments are those of the current format document of Fuchsia.
 * Nothing about any traced system belongs here.
 */
#ifndef ETRACE_FXT_H
#define ETRACE_FXT_H

#include <stddef.h>
#include <stdint.h>

/* "Magic Number Record": the whole first word of a file. */
#define FXT_MAGIC		0x0016547846040010ull

/* "Records": sizes are in words of 8 bytes, including the header. */
#define FXT_MAX_WORDS		4095u
#define FXT_MAX_ARGS		15u
/* "String References": strings that etrace writes stay below 32,000 bytes. */
#define FXT_MAX_STRING		31999u
#define FXT_MAX_STRING_INDEX	32767u
/* Format document: "Thread References" */
#define FXT_MAX_THREAD_INDEX	255u
/* "Blob Record": a 15-bit size, which must fit into the record. */

/* Format document: "Record Types" */
enum fxt_record_type {
	FXT_REC_METADATA = 0,
	FXT_REC_INIT = 1,
	FXT_REC_STRING = 2,
	FXT_REC_THREAD = 3,
	FXT_REC_EVENT = 4,
	FXT_REC_BLOB = 5,
	FXT_REC_USERSPACE_OBJECT = 6,
	FXT_REC_KERNEL_OBJECT = 7,
	FXT_REC_SCHEDULING = 8,
	FXT_REC_LOG = 9,
	FXT_REC_PROFILER = 10,
	FXT_REC_LARGE = 15,
};

/* Format document: "Metadata Record" */
enum fxt_metadata_type {
	FXT_META_PROVIDER_INFO = 1,
	FXT_META_PROVIDER_SECTION = 2,
	FXT_META_PROVIDER_EVENT = 3,
	FXT_META_TRACE_INFO = 4,
};

/* Format document: "Provider Event Metadata", "Events" */
#define FXT_PROVIDER_EVENT_BUFFER_FULL	0

/* Format document: "Event Record" */
enum fxt_event_type {
	FXT_EV_INSTANT = 0,
	FXT_EV_COUNTER = 1,
	FXT_EV_DURATION_BEGIN = 2,
	FXT_EV_DURATION_END = 3,
	FXT_EV_DURATION_COMPLETE = 4,
	FXT_EV_ASYNC_BEGIN = 5,
	FXT_EV_ASYNC_INSTANT = 6,
	FXT_EV_ASYNC_END = 7,
	FXT_EV_FLOW_BEGIN = 8,
	FXT_EV_FLOW_STEP = 9,
	FXT_EV_FLOW_END = 10,
};
#define FXT_EV_COUNT 11

/* Format document: "Argument Types" */
enum fxt_arg_type {
	FXT_ARG_NULL = 0,
	FXT_ARG_I32 = 1,
	FXT_ARG_U32 = 2,
	FXT_ARG_I64 = 3,
	FXT_ARG_U64 = 4,
	FXT_ARG_F64 = 5,
	FXT_ARG_STRING = 6,
	FXT_ARG_POINTER = 7,
	FXT_ARG_KOID = 8,
	FXT_ARG_BOOL = 9,
	FXT_ARG_BLOB = 10,
};

/* Format document: "Blob Types" */
#define FXT_BLOB_DATA		1
#define FXT_BLOB_LAST_BRANCH	2
#define FXT_BLOB_PERFETTO	3
#define FXT_BLOB_COUNT		4

/* "Scheduling Record": bits 60 to 63, zero when there was only one kind. */
enum fxt_sched_kind {
	FXT_SCHED_LEGACY_SWITCH = 0,
	FXT_SCHED_SWITCH = 1,
	FXT_SCHED_WAKEUP = 2,
};

/* Format document: "Profiler Record" */
enum fxt_prof_kind {
	FXT_PROF_MODULE = 0,
	FXT_PROF_MMAP = 1,
	FXT_PROF_BACKTRACE = 2,
};

/* Format document: "Large Records" */
#define FXT_LARGE_BLOB		0
/* "Large Blob Record": with and without time, thread and arguments */
#define FXT_LARGE_BLOB_EVENT	0
#define FXT_LARGE_BLOB_PLAIN	1

/* Kernel object types that consumers know (ZX_OBJ_TYPE_*). */
#define FXT_KOBJ_PROCESS	1
#define FXT_KOBJ_THREAD		2

/* Format document: "Scheduling Record", "Thread States" */
enum fxt_thread_state {
	FXT_THREAD_NEW = 0,
	FXT_THREAD_RUNNING = 1,
	FXT_THREAD_SUSPENDED = 2,
	FXT_THREAD_BLOCKED = 3,
	FXT_THREAD_DYING = 4,
	FXT_THREAD_DEAD = 5,
};

/* Bits @lo to @hi of @word, inclusive, numbered as in the document. */
static inline uint64_t fxt_bits(uint64_t word, unsigned int lo, unsigned int hi)
{
	unsigned int n = hi - lo + 1;

	return (word >> lo) & (n >= 64 ? ~0ull : (1ull << n) - 1);
}

/* Number of words for a stream of @len bytes. */
static inline unsigned int fxt_stream_words(size_t len)
{
	return (unsigned int)((len + 7) / 8);
}

#endif
