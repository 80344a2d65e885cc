/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the fields of the module's records lie: from the format files of
 * events/etrace/ in tracefs, which are parsed by libtraceevent, to offsets
 * that decoding needs no look-up for.  The records are those of
 * kernel/events.h; what becomes of them is in rec_events.c.
 */
#ifndef ETRACE_REC_FORMAT_H
#define ETRACE_REC_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct tep_handle;

/* The kinds of records; each is an event of tracefs with the prefix etrace_. */
#define REC_KINDS(X)							\
	X(exec) X(clone) X(exit) X(open) X(close) X(dup) X(pipe) X(rename) \
	X(link) X(symlink) X(mount) X(umount) X(comm) X(uring) X(string) X(args) X(lost)

enum rec_kind {
#define X(name)	REC_##name,
	REC_KINDS(X)
#undef X
	REC_KIND_COUNT
};

/* The fields that any record may have: numbers, and arrays of bytes. */
#define REC_FIELDS(X)							\
	X(upid) X(time) X(error) X(inl) X(more) X(joined) X(unread) X(cut) \
	X(untold) X(outside)						\
	X(flags) X(has_flags) X(child) X(status) X(signal) X(core)	\
	X(mode) X(fd) X(oldfd) X(newfd) X(fd1) X(fd2)			\
	X(event) X(tag) X(state) X(part) X(total) X(first)		\
	X(count) X(since) X(args_len) X(args) X(piece)			\
	X(interp_len) X(interp) X(path_len) X(path) X(cwd_len) X(cwd)	\
	X(name_len) X(name) X(orig_len) X(orig)				\
	X(from_len) X(from) X(to_len) X(to)				\
	X(target_len) X(target) X(resolved_len) X(resolved)		\
	X(link_len) X(link) X(source_len) X(source) X(type_len) X(type)	\
	X(comm_len) X(comm)

enum rec_field {
#define X(name)	REC_F_##name,
	REC_FIELDS(X)
#undef X
	REC_FIELD_COUNT
};

/* Where a field lies; size 0: the record has no such field. */
struct rec_place {
	uint16_t offset;
	uint8_t size;		/* bytes; of an array: of its locator */
	bool sign;
	bool array;		/* the number is a locator: offset, length << 16 */
};

struct rec_layout {
	struct rec_place field[REC_FIELD_COUNT];
	uint32_t size;		/* bytes that each record has at least */
};

struct rec_formats {
	uint16_t first, last;	/* ids of the events */
	uint8_t *kind;		/* of id, counted from @first; REC_KIND_COUNT: none of ours */
	struct rec_layout layout[REC_KIND_COUNT];
};

/** rec_kind_name - the event's name in tracefs, NULL behind the last kind */
const char *rec_kind_name(unsigned int kind);

/**
 * rec_formats_init - take the places from parsed formats
 * @f: filled; rec_formats_fini() frees what it holds
 * @tep: has the events of the system etrace
 * @why: on failure, what is wrong, for a person
 *
 * Return: false if an event or a field that must be there is not.
 */
bool rec_formats_init(struct rec_formats *f, struct tep_handle *tep,
		      char *why, size_t size);
void rec_formats_fini(struct rec_formats *f);

/* One record, where it lies in its page. */
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
 * Return: false if it is none of etrace's, or too short to be one.
 */
bool rec_open(const struct rec_formats *f, struct rec *r, const void *data,
	      uint32_t size);

/** rec_num - a number; 0 if the record has no such field */
static inline int64_t rec_num(const struct rec *r, enum rec_field field)
{
	const struct rec_place *p = &r->layout->field[field];
	const uint8_t *at = r->data + p->offset;
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	switch (p->size) {
	case 8:
		memcpy(&u64, at, 8);
		return (int64_t)u64;
	case 4:
		memcpy(&u32, at, 4);
		return p->sign ? (int32_t)u32 : (int64_t)u32;
	case 2:
		memcpy(&u16, at, 2);
		return p->sign ? (int16_t)u16 : u16;
	case 1:
		return p->sign ? (int8_t)*at : *at;
	default:
		return 0;
	}
}

/**
 * rec_bytes - an array
 * @len: set to its length
 *
 * Return: its bytes, in the record; of length 0 if the record has no such
 * field or is damaged.
 */
static inline const char *rec_bytes(const struct rec *r, enum rec_field field,
				    uint32_t *len)
{
	uint32_t loc = (uint32_t)rec_num(r, field);
	uint32_t off = loc & 0xffff, n = loc >> 16;

	*len = r->layout->field[field].array && off + n <= r->size ? n : 0;
	return (const char *)r->data + (off <= r->size ? off : 0);
}

#endif
