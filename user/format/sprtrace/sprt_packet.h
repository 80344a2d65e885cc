/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Parses the packets of a binary log (BINARY_PROTOCOL): handshake, packet header, and
 * the fields of each type of packet.  Converts bytes to a struct sprt_item.
 * sprt_bin.c finds the packets and connects them.
 */
#ifndef SPRT_PACKET_H
#define SPRT_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/sprtrace/sprt_log.h"
#include "format/sprtrace/sprt_model.h"

#define SPRT_HANDSHAKE_ID	0xf0
#define SPRT_HANDSHAKE_MAX	257u	/* bytes: 2 for id and size, and at most 255 */
#define SPRT_HEADER_SIZE	8u
/* Maximum bytes of a packet.  sp-rtrace writes through 4 KiB buffers, so more is damage. */
#define SPRT_PACKET_MAX	(1u << 20)

/* Layout of the packets of a log, from its handshake. */
struct sprt_layout {
	bool type_first;	/* 2.0: type, size of data; 1.x: size, type */
	bool big;
	bool has_depth;		/* PINF has a depth, since 1.2 */
	bool since_1_3;		/* RESR has flags, ARGS has names */
	bool ptr_guessed;	/* the handshake has no valid pointer size */
	uint8_t ptr;		/* bytes of a pointer, 4 or 8 */
};

/** sprt_layout_version - set the fields that depend on the version in the handshake */
void sprt_layout_version(struct sprt_layout *lay, uint8_t major, uint8_t minor);

/* ---- handshake ---- */

struct sprt_handshake {
	size_t total;		/* bytes, 0 if not a handshake */
	uint8_t major, minor, endian, ptr;
	char arch[256];
	const char *fault;	/* what is wrong with it, NULL if nothing */
};

/**
 * sprt_get_handshake - read a handshake from the @len bytes at @p
 *
 * If one field is damaged, it is worked out from the others where possible.
 */
struct sprt_handshake sprt_get_handshake(const uint8_t *p, size_t len);

/** sprt_handshake_at - whether @p is the start of a valid handshake */
bool sprt_handshake_at(const uint8_t *p, size_t len);

/* ---- packet headers ---- */

#define SPRT_TYPE_CALL	0
#define SPRT_TYPE_BTRC	1
#define SPRT_TYPE_ARGS	2
#define SPRT_TYPE_UNKNOWN	(-1)

struct sprt_header {
	char name[5];
	int type;		/* row of sprt_packet_types, or SPRT_TYPE_UNKNOWN */
	bool plausible;		/* could be a packet, of a known type or not */
	size_t size;		/* bytes of data, at most SPRT_PACKET_MAX */
};

struct sprt_header sprt_get_header(const struct sprt_layout *lay, const uint8_t *p);

/* ---- packet bodies ---- */

struct sprt_cursor;

/*
 * One row per packet type of BINARY_PROTOCOL.  @keeps_call: the packet can
 * stand between a call and its arguments or backtrace.
 */
struct sprt_packet_type {
	char name[5];
	enum sprt_kind kind;
	/* NULL to parse the fields of its kind */
	void (*parse)(struct sprt_cursor *c, struct sprt_item *r);
	bool keeps_call;
};
extern const struct sprt_packet_type sprt_packet_types[];

enum sprt_outcome {
	SPRT_EXACT,		/* the fields fill the packet */
	SPRT_EXTRA,		/* bytes are left after the last field */
	SPRT_SHORT,		/* fields are missing or contradict each other */
};

/**
 * sprt_packet_parse - parse the fields of a packet body
 * @type: row of sprt_packet_types
 * @fill: ignore the announced length of a list, and read it to the end of the packet
 * @room: buffers for strings, arguments and frames
 * @used: set to the number of bytes of @body that hold the fields
 */
enum sprt_outcome sprt_packet_parse(const struct sprt_layout *lay, int type,
				    const uint8_t *body, size_t size, bool fill,
				    struct sprt_room *room, struct sprt_item *r, size_t *used);

#endif
