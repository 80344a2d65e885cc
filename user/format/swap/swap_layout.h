/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Layouts of SWAP messages: a table with a row per message id, and for each message a
 * table with a row per field.  swap_walk.h reads payloads with them.
 *
 * Implements sections 1 and 2 of the SWAP data protocol and the probe messages
 * (Documentation/swap.md).  Tables only.
 */
#ifndef ETRACE_SWAP_LAYOUT_H
#define ETRACE_SWAP_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define SWAP_HEADER_SIZE	20u
/* In bytes: a kernel message has less than 32 KiB, one of the manager not much more. */
#define SWAP_MAX_PAYLOAD	(1u << 20)

/* The five words before each payload. */
struct swap_header {
	uint32_t id;		/* kind of message */
	uint32_t seq;		/* sequence number, one counter for all messages, wraps at 2^32 */
	uint32_t sec;		/* wall clock, seconds since 1970 */
	uint32_t nsec;		/* nanoseconds; below 10^9 in an undamaged message */
	uint32_t len;		/* bytes of the payload that follows */
};

/* How a field's bytes are read (all little endian, packed). */
enum swap_type {
	SWAP_T_END,	/* end of a layout */
	SWAP_T_U8,
	SWAP_T_U16,
	SWAP_T_U32,
	SWAP_T_I32,
	SWAP_T_U64,
	SWAP_T_I64,
	SWAP_T_F32,
	SWAP_T_F64,
	SWAP_T_ADDR,	/* u64, shown in hexadecimal */
	SWAP_T_TIME,	/* u32 seconds, u32 nanoseconds */
	SWAP_T_STR,	/* bytes up to and including a NUL */
	SWAP_T_IP4,	/* 4 bytes in network order */
	SWAP_T_SIZED,	/* u32 size, then that many bytes */
	SWAP_T_REST,	/* all bytes to the end of the payload */
	SWAP_T_ARGS,	/* u32 count, then that many typed items */
	SWAP_T_ITEM,	/* one typed item */
	SWAP_T_LIST,	/* u32 count, then that many times @sub */
	SWAP_T_CPUS_F32,	/* one f32 for each processor */
	SWAP_T_DEVICES_U32,	/* one u32 for each energy device */
	SWAP_T_INCLUDE,	/* the fields of @sub, as if written here */
};

/* One field of a layout. */
struct swap_field {
	/* For JSON, FXT arguments and swap_get().  Unique in its message. */
	const char *name;
	uint8_t type;		/* enum swap_type */
	/* 0 if always present; else bit i: present if the last selector is i. */
	uint8_t when;
	bool selector;		/* its value decides which later fields with @when are present */
	const struct swap_field *sub;	/* layout of an element, or the fields to include */
	const char *const *names;	/* names of the values from 0 to nnames - 1; NULL if none */
	uint8_t nnames;
	/*
	 * In FXT: category and name of the instants that the elements of a list become; the
	 * counter of a number; the counter of an array, and the names of its elements.
	 */
	const char *category, *text;
};

/* One message id. */
struct swap_row {
	uint16_t id;
	const char *name;	/* its name in the protocol document, without MSG_ */
	/*
	 * Possible layouts of the payload, most common first, NULL after the last.
	 * swap_choose() chooses one.
	 */
	const struct swap_field *layouts[3];
	bool slack;		/* meaningless bytes after the last field are normal */
	/* In FXT: */
	const char *category;	/* category of the instant or slices */
	const char *text;	/* name of the instant, NULL if something else is written */
	uint32_t starts;	/* of a probe: bit mask of operations that begin a slice */
};

enum swap_id {
#define SWAP_MESSAGE(id, name, ...) SWAP_##name = id,
#include "format/swap/swap_messages.def"
	SWAP_PROBE = 0x0100,	/* also all other ids 0x01xx */
};

/**
 * swap_row - look up a message id
 *
 * Return: the row, or NULL if the id is unknown.  Probes without a row of their
 * own get the row of SWAP_PROBE.
 */
const struct swap_row *swap_row(uint32_t id);

/** swap_value_name - name of a value of a field; NULL if it has none */
const char *swap_value_name(const struct swap_field *f, uint64_t value);

#endif
