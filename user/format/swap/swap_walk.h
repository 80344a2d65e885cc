/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Reads the bytes of a SWAP message: its header, and its payload field by field, by the
 * message's layout.  Each field is passed to a function, or found by its name.
 *
 * Knows nothing of streams, time order and output formats.  Allocates no memory, and
 * checks every length against the payload before using it.
 */
#ifndef ETRACE_SWAP_WALK_H
#define ETRACE_SWAP_WALK_H

#include "base/buf.h"
#include "format/swap/swap_layout.h"

/* The two numbers that a SYSTEM message leaves out. */
struct swap_counts {
	uint32_t cpus;		/* processors of the target */
	uint32_t devices;	/* energy devices of the target */
};

/* How certain the counts are, most certain last. */
enum swap_certainty {
	SWAP_UNKNOWN,	/* no combination fits, or several do and none is preferable */
	SWAP_CPUS_ONLY,	/* only the number of processors is certain */
	SWAP_ASSUMED,	/* several combinations fit, one has a known number of devices */
	SWAP_PINNED,	/* only one combination fits */
	SWAP_GIVEN,	/* given by the user */
};

/* Kind of a value, and the members of struct swap_value that hold it. */
enum swap_kind {
	SWAP_V_NONE,	/* void, or an argument without a value */
	SWAP_V_UINT,	/* @u */
	SWAP_V_INT,	/* @i */
	SWAP_V_ADDR,	/* @u */
	SWAP_V_FLOAT,	/* @d */
	SWAP_V_BOOL,	/* @u, false if 0 */
	SWAP_V_CHAR,	/* @u, one byte */
	SWAP_V_TIME,	/* @u seconds, @n nanoseconds */
	SWAP_V_STR,	/* @p, @n bytes without the NUL; not always UTF-8 */
	SWAP_V_IP4,	/* @p, 4 bytes */
	SWAP_V_BYTES,	/* @p, @n bytes */
	SWAP_V_ARRAY,	/* @u address of the array, @n elements at @p, of @item */
};

/* One value of a payload; enum swap_kind says which members hold it. */
struct swap_value {
	enum swap_kind kind;
	char item;		/* type character of an argument or return value, else 0 */
	uint32_t n;
	union {
		uint64_t u;
		int64_t i;
		double d;
	};
	const uint8_t *p;	/* into the payload, valid during the call */
};

/*
 * A step of a walk over the fields of a payload, in their order.  SWAP_CLOSE comes for each
 * SWAP_OPEN, even if the payload ends too early.
 */
struct swap_step {
	enum {
		SWAP_VALUE,	/* also each element of arguments and of arrays in SYSTEM */
		SWAP_OPEN,	/* a list, the arguments or an array begin */
		SWAP_NEXT,	/* an element of a list begins */
		SWAP_CLOSE,	/* the innermost open list ends */
	} kind;
	const struct swap_field *field;
	unsigned int depth;	/* number of lists around it */
	uint32_t index;		/* index in its list; for SWAP_CLOSE, the number of elements */
	struct swap_value value;	/* the value of a SWAP_VALUE */
};

/* Called for each step of a walk. */
typedef void swap_visit(void *ctx, const struct swap_step *step);

enum swap_fault {
	SWAP_OK,
	SWAP_SHORT,	/* the payload ends before the field does */
	SWAP_BAD_ITEM,	/* an argument has an unknown type character */
};

/* How a walk ended. */
struct swap_end {
	enum swap_fault fault;	/* what was wrong, SWAP_OK if nothing */
	uint32_t used;		/* bytes read, up to the fault if there is one */
	const struct swap_field *field;	/* the field with the fault, or NULL */
	bool open_end;		/* a field takes all bytes left: an exact end is no evidence */
};

/** swap_read_header - parse the SWAP_HEADER_SIZE bytes at @p */
void swap_read_header(const uint8_t *p, struct swap_header *h);

/**
 * swap_walk - read a payload, the @len bytes at @p, by a layout
 * @counts: for SYSTEM; may be NULL for every other message
 * @visit:  called for each step, or NULL to only check
 *
 * Return: how it ended.  Fields before a fault have been visited.
 */
struct swap_end swap_walk(const struct swap_field *layout, const uint8_t *p, uint32_t len,
			  const struct swap_counts *counts, swap_visit *visit, void *ctx);

/** swap_add_text - append a value as text, the way it would be written in source code */
void swap_add_text(struct buf *text, const struct swap_value *v);

/** swap_element - get an element of a SWAP_V_ARRAY, with the array's type character */
struct swap_value swap_element(const struct swap_value *array, uint32_t i);

/**
 * swap_choose - find the layout of a payload among those of its message
 * @end: set to how the walk by the chosen layout ends
 *
 * The first layout that ends exactly is chosen; if none does, the first that
 * reads without a fault; if none does, the first.
 *
 * Return: the layout, or NULL if the row has none.
 */
const struct swap_field *swap_choose(const struct swap_row *row, const uint8_t *p, uint32_t len,
				     const struct swap_counts *counts, struct swap_end *end);

/* ---- messages ---- */

/* Bit mask of what is wrong with a message. */
#define SWAP_DAMAGE_TIME	0x01u	/* nanoseconds of 10^9 or more */
#define SWAP_DAMAGE_LENGTH	0x02u	/* the header's length is wrong; the right one was found */
#define SWAP_DAMAGE_FIELDS	0x04u	/* a field of the payload cannot be read */
#define SWAP_DAMAGE_CUT		0x08u	/* the input ends within the message */

/* One message. */
struct swap_message {
	struct swap_header header;	/* as read, damaged or not */
	uint64_t offset;	/* of the header, bytes from the start of the stream */
	const uint8_t *payload;	/* valid until the next message is read */
	uint32_t len;		/* of @payload; other than header.len only when damaged */
	const struct swap_row *row;	/* its type, NULL if unknown */
	const struct swap_field *layout;	/* layout of the payload, NULL if unknown */
	struct swap_counts counts;	/* numbers that the message leaves out (SYSTEM only) */
	enum swap_certainty certainty;	/* how certain @counts are (SYSTEM only) */
	struct swap_end end;	/* how reading @payload by @layout ends */
	uint32_t damage;	/* what is wrong with it */
};

/* Maximum fields of a message, not counting those inside its lists. */
#define SWAP_FIELDS_MAX	40u

/* The fields of a message, or of an element of a list, in their order. */
struct swap_fields {
	struct {
		const struct swap_field *field;
		struct swap_value value;	/* SWAP_V_NONE for a list */
	} at[SWAP_FIELDS_MAX];
	size_t n;
	uint32_t outer_pid;	/* pid of what contains that list */
	const struct swap_field *list;	/* list that contains the element */
};

/** swap_get - value of a field or list, NULL if missing */
const struct swap_value *swap_get(const struct swap_fields *f, const char *name);

/** swap_get_name - name of the value of a field, NULL if it has none */
const char *swap_get_name(const struct swap_fields *f, const char *name);

/** swap_wide, swap_num - value of a number field of 64 or 32 bits, 0 if missing */
uint64_t swap_wide(const struct swap_fields *f, const char *name);
uint32_t swap_num(const struct swap_fields *f, const char *name);

/** swap_collect - get the fields of a message, except those inside its lists */
void swap_collect(const struct swap_message *m, struct swap_fields *f);

/** swap_each - call @fn for each element of a list of the message */
void swap_each(const struct swap_message *m, const char *list,
	       void (*fn)(void *ctx, const struct swap_fields *e), void *ctx);

/* Little-endian read from bytes of any alignment; bytes_first_low() reads 64 bits. */
static inline uint32_t swap_u32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Little-endian IEEE 754 read. */
float swap_f32(const uint8_t *p);

#endif
