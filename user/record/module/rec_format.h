/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Knows where the fields of the module's records are.  Makes tables of offsets from the
 * format files of events/etrace/ in tracefs, which libtraceevent has parsed, so that decoding
 * needs no look-up by name.  kernel/events.h defines the records; rec_events.c turns them
 * into events.
 */
#ifndef ETRACE_REC_FORMAT_H
#define ETRACE_REC_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "event/event.h"

struct tep_handle;

/*
 * The kinds of records; each is an event of tracefs with the prefix etrace_.
 * The kinds of kernel/etrace_events.def come first, in its order: REC_exec + 1 is
 * ET_K_EXEC, and so on.
 */
enum rec_kind {
#define EVENT(ID, id, name, category, where, doc) REC_##id,
#include "kernel/etrace_events.def"
	REC_string, REC_args, REC_lost,
	REC_KIND_COUNT
};
#define REC_EVENTS	REC_string	/* number of kinds from the .def */

/* The fields of records other than the values and strings of the .def. */
#define REC_FIELDS(X)							\
	X(upid) X(time) X(error) X(inl) X(more) X(joined) X(unread) X(cut) \
	X(untold) X(outside) X(have) X(has_flags)				\
	X(event) X(tag) X(state) X(part) X(total) X(first) X(piece)	\
	X(count) X(since)

enum rec_field {
#define X(name)	REC_F_##name,
	REC_FIELDS(X)
#undef X
	REC_FIELD_COUNT
};

/* The place of a field; size is 0 if the record has no such field. */
struct rec_place {
	uint16_t offset;
	uint8_t size;		/* bytes; for an array, bytes of its locator */
	bool sign;
	bool array;		/* the number is a locator: offset, length << 16 */
};

struct rec_layout {
	struct rec_place field[REC_FIELD_COUNT];
	struct rec_place value[ET_MAX_VALUES];	/* of values, by ET_V_* */
	struct rec_place len[ET_ARGS + 1];	/* of lengths of strings, by ET_S_* */
	struct rec_place text[ET_ARGS + 1];
	/* offset of the marks, one byte each in the order of enum et_marking; 0 if not adjacent */
	uint16_t marks;
	bool marked;		/* the record has marks */
	uint32_t size;		/* minimum size of a record in bytes */
};

struct rec_formats {
	uint16_t first, last;	/* ids of the events */
	uint8_t *kind;		/* by id - @first; REC_KIND_COUNT for events not of etrace */
	struct rec_layout layout[REC_KIND_COUNT];
};

/** rec_kind_name - name of the event in tracefs, NULL after the last kind */
const char *rec_kind_name(unsigned int kind);

/**
 * rec_formats_init - make the tables from parsed formats
 * @f: filled; rec_formats_fini() frees its memory
 * @tep: contains the events of the system etrace
 * @why: on failure, what is wrong, for a message
 *
 * Return: false if a required event or field is missing.
 */
bool rec_formats_init(struct rec_formats *f, struct tep_handle *tep,
		      char *why, size_t size);
void rec_formats_fini(struct rec_formats *f);

/* A record, in the memory of its page. */
struct rec {
	const uint8_t *data;
	uint32_t size;
	enum rec_kind kind;
	const struct rec_layout *layout;
};

/**
 * rec_open - look at a record
 * @data, @size: its bytes, beginning with the type as in all ftrace records
 *
 * Return: false if it is not a record of etrace, or too short to be one.
 */
bool rec_open(const struct rec_formats *f, struct rec *r, const void *data,
	      uint32_t size);

/** rec_at - read the number at a place; 0 if the record has no such field */
static inline int64_t rec_at(const struct rec *r, const struct rec_place *p)
{
	unsigned int above = 64 - 8u * p->size;
	uint64_t word;

	if (!p->size)
		return 0;
	/* read the 8 bytes that end with the field: a record has a header before its fields */
	word = bytes_8(r->data + p->offset + p->size - 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word <<= above;
#endif
	return p->sign ? (int64_t)word >> above : (int64_t)(word >> above);
}

/** rec_num - read a field that is not a value of the .def */
static inline int64_t rec_num(const struct rec *r, enum rec_field field)
{
	return rec_at(r, &r->layout->field[field]);
}

/** rec_marks - read the marks of a record's strings; @marks is not changed if it has none */
void rec_marks(const struct rec *r, uint8_t marks[ET_NR_MARKINGS]);

/**
 * rec_bytes - read an array
 * @len: set to its length in bytes; 0 if the record has no such field or is damaged
 *
 * Return: its bytes, inside the record.
 */
static inline const char *rec_bytes(const struct rec *r, const struct rec_place *p,
				    uint32_t *len)
{
	uint32_t loc = (uint32_t)rec_at(r, p);
	uint32_t off = loc & 0xffff, n = loc >> 16;

	*len = p->array && off + n <= r->size ? n : 0;
	return (const char *)r->data + (off <= r->size ? off : 0);
}

#endif
