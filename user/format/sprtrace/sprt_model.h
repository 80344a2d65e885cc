/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The model of an sp-rtrace log (MODEL_SPRTRACE): one item per record of the
 * log, passed one after the other from a source (sprt_bin.c, sprt_text.c)
 * through filters (sprt_filter.c) to a sink (sprt_print.c, sprt_fxt.c,
 * sprt_json.c); and the words for items in text reports, JSON and FXT.  No parsing, no storage
 * and no output here.
 *
 * Field names and units follow BINARY_PROTOCOL and TEXT_PROTOCOL of sp-rtrace;
 * Documentation/sp-rtrace.md lists where the programs differ from them.
 */
#ifndef SPRT_MODEL_H
#define SPRT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of sprt_log_start.filters: the filters applied to a text report. */
#define SPRT_FILTER_LEAKS	(1u << 0)
#define SPRT_FILTER_COMPRESS	(1u << 1)
#define SPRT_FILTER_RESOLVE	(1u << 2)

/* Bit of sprt_resource.flags, RESR flags: blocks are reference counted. */
#define SPRT_RES_REFCOUNT	(1u << 0)

/* sprt_call.type, CALL "call type". */
#define SPRT_CALL_UNDEFINED	0u
#define SPRT_CALL_FREE		1u
#define SPRT_CALL_ALLOC		2u

enum sprt_kind {
	SPRT_LOG,	/* a log begins: handshake, or first line of a report */
	SPRT_PROCESS,	/* PINF */
	SPRT_MODULE,	/* MINF */
	SPRT_MAP,	/* MMAP */
	SPRT_RESOURCE,	/* RESR */
	SPRT_CONTEXT,	/* CTXR */
	SPRT_CALL,	/* CALL with its ARGS and BTRC */
	SPRT_HEAP,	/* HINF */
	SPRT_FILE,	/* FILE */
	SPRT_OUTPUT,	/* OCFG */
	SPRT_LIBRARY,	/* NLIB */
	SPRT_COMMENT,	/* any other line of a report */
};

/* Handshake packet, or the header line's version, arch, filter and origin. */
struct sprt_log_start {
	bool text;		/* the log is a text report */
	uint8_t major, minor;	/* protocol version, 0.0 if unknown */
	bool big_endian;	/* binary only */
	uint8_t ptr_size;	/* bytes, binary only, else 0 */
	unsigned int filters;	/* SPRT_FILTER_*, text only */
	const char *arch;	/* "" if unknown */
	const char *origin;	/* such as "sp-rtrace 1.8"; "" if unknown */
};

/* PINF, or the header line's process, pid, timestamp, backtrace depth. */
struct sprt_process {
	uint32_t pid;
	bool has_time;
	int64_t sec;		/* wall clock, seconds since the Epoch */
	uint32_t usec;		/* microsecond part of sec */
	bool has_depth;
	uint32_t depth;		/* maximum number of frames in a backtrace */
	const char *name;	/* argv[0] */
};

struct sprt_map {
	uint64_t from, to;	/* to is exclusive */
	const char *path;
};

/* Ids are 1 to 32: each has a bit in the 32-bit masks of reports. */
#define SPRT_RESOURCE_MAX 32u

struct sprt_resource {
	uint32_t id;		/* 1, 2, 3 ... */
	uint32_t flags;		/* SPRT_RES_* */
	const char *type, *desc;
};

struct sprt_context {
	uint32_t id;		/* a single bit */
	const char *name;
};

struct sprt_arg {
	const char *name;	/* "1", "2" ... in logs older than 1.3 */
	const char *value;
};

struct sprt_call {
	uint64_t number;	/* 1, 2, 3 ... in order of the log */
	/* Microseconds of the day by the uptime clock, 0 if not recorded. */
	uint64_t time_us;
	uint64_t id;		/* address, descriptor, ... of the block */
	uint32_t resource;	/* sprt_resource.id, 0 if not recorded */
	uint32_t context;	/* mask of sprt_context.id */
	uint32_t type;		/* SPRT_CALL_*, other values as recorded */
	int32_t size;		/* as recorded, negative from 2 GiB on */
	bool has_trace;		/* a backtrace was recorded, maybe empty */
	uint32_t nargs;
	uint32_t nframes;
	const char *name;
	const struct sprt_arg *args;
	const uint64_t *frames;		/* innermost first */
	/* Name of each frame, NULL if unknown; NULL if no frame has one. */
	const char *const *resolved;
};

/* Addresses and numbers of heap information, in the order of a report. */
enum sprt_heap_address {
	SPRT_HEAP_BOTTOM, SPRT_HEAP_TOP, SPRT_HEAP_LOWEST, SPRT_HEAP_HIGHEST,
	SPRT_HEAP_ADDRESSES
};
#define SPRT_HEAP_NUMBERS	10

struct sprt_heap {
	/* Bottom and top: low 32 bits only in 64-bit 2.0 logs.  The others are those of calls. */
	uint64_t address[SPRT_HEAP_ADDRESSES];
	int32_t number[SPRT_HEAP_NUMBERS];	/* bytes or counts */
	bool narrow;		/* bottom and top lost their upper half */
};

/*
 * The sender owns what the pointers point to, and may free it when the receiver
 * returns.  Strings are bytes of any encoding that end with NUL.
 */
struct sprt_item {
	enum sprt_kind kind;
	bool removed;		/* a filter has removed it from its struct sprt_log */
	uint64_t pos;		/* byte offset (binary) or line (text) */
	union {
		struct sprt_log_start log;
		struct sprt_process process;
		struct {
			uint32_t id;	/* 0 for the main module, else a single bit */
			uint16_t major, minor;
			const char *name;
		} module;
		struct sprt_map map;
		struct sprt_resource resource;
		struct sprt_context context;
		struct sprt_call call;
		struct sprt_heap heap;
		struct { const char *name, *path; } file;
		struct { const char *dir, *options; } output;
		const char *library;
		const char *comment;
	};
};

/*
 * Bytes or units of an allocation.  The recorded size is a signed 32-bit number;
 * read as unsigned, sizes from 2 GiB to 4 GiB are right, too.
 */
static inline uint64_t sprt_call_amount(const struct sprt_call *call)
{
	return (uint32_t)call->size;
}

/* ---- fields and words, for readers and writers: sprt_model.c ---- */

/* Types of fields and values. */
enum sprt_field_type {
	SPRT_NO_FIELD,
	SPRT_KEPT,	/* string of an item that has its own reader and writer functions */
	SPRT_ID,	/* 32 bits */
	SPRT_MASK,	/* 32 bits, shown in hexadecimal */
	SPRT_TEXT,
	SPRT_OPTIONAL,	/* text or NULL */
	SPRT_POINTER,
	SPRT_VERSION,	/* major and minor, 16 bits each */
	SPRT_FLAGS,	/* 32 bits of SPRT_RES_*, from protocol 1.3 on */
	SPRT_FILTERS,	/* bits of SPRT_FILTER_*; only a value */
};

struct sprt_field {
	enum sprt_field_type type;
	size_t offset;		/* offset in struct sprt_item */
	const char *name;	/* its name in JSON and in FXT */
	bool late;		/* in FXT, it comes after the other fields */
};

/* What JSON and FXT show of an item: a value, as a text or a number, by @type. */
struct sprt_value {
	enum sprt_field_type type;	/* SPRT_TEXT for a version */
	const char *name;
	const char *text;	/* NULL if it is missing */
	uint64_t number;
};
typedef void sprt_put(void *ctx, const struct sprt_value *v);

/**
 * sprt_values - call @put for each value of an item; not for calls and heap information
 * @fxt: in the order of FXT, instead of that of packets
 */
void sprt_values(const struct sprt_item *item, bool fxt, sprt_put *put, void *ctx);

/* A kind of item: its names in JSON and in FXT, and its fields in packet order. */
struct sprt_kind_words {
	const char *name, *event;
	struct sprt_field fields[5];
};

/* Indexed by enum sprt_kind. */
extern const struct sprt_kind_words sprt_kinds[];

/* Names of the types of calls, indexed by SPRT_CALL_*. */
extern const char *const sprt_call_types[SPRT_CALL_ALLOC + 1];

#define SPRT_HEAP_TITLE	"heap status information:"
#define SPRT_MODULE_TITLE "tracing module: ["
#define SPRT_SUMMARY_TITLE "# allocation summary: "

/* Names of SPRT_FILTER_* in the header line, indexed by bit number. */
extern const char *const sprt_filter_names[3];

/* One line of heap information: the labels of a value. */
struct sprt_heap_word {
	const char *label;	/* as version 1.8 writes it */
	const char *old;	/* as versions 1.1 to 1.6 write it */
	const char *member;	/* its name in JSON */
};

/* The addresses, then the numbers. */
#define SPRT_HEAP_WORDS	(SPRT_HEAP_ADDRESSES + SPRT_HEAP_NUMBERS)
extern const struct sprt_heap_word sprt_heap_words[SPRT_HEAP_WORDS];

#endif
