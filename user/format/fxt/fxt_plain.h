/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A fast path for the usual kinds of records and arguments, which are read in place.
 *
 * Arguments: valid numbers and strings, if all names and strings have been looked up before.
 * fxt_next_arg() reads all others.
 *
 * Records: a user that recognizes a record by its header need not have it decoded. Results that
 * the user keeps for that header are valid while fxt_names() returns the same number, provided
 * that all names of the record have the tag FXT_TAG_NAME.
 */
#ifndef ETRACE_FXT_PLAIN_H
#define ETRACE_FXT_PLAIN_H

#include "format/fxt/fxt_decode.h"
#include "io/in.h"

struct fxt_plain {
	uint64_t header;
	enum fxt_arg_type type;	/* I32 to U64, KOID, STRING */
	size_t bytes;		/* size, including its header */
	struct fxt_string *name;
	struct fxt_string *str;	/* for FXT_ARG_STRING, else NULL */
	int64_t number;		/* value; FXT_ARG_U64 and KOID cast to signed; STRING: its ref */
};

/** fxt_plain_end - where the arguments of a record end that may be plain */
static inline const uint8_t *fxt_plain_end(const struct fxt_rec *rec)
{
	/* no argument of a file in the other byte order is plain */
	return rec->swap ? rec->arg_raw : rec->arg_raw + 8ul * rec->arg_words;
}

/**
 * fxt_plain_arg - read the argument at @p, if it is a plain one
 * @end: fxt_plain_end()
 *
 * Return: false if it is not, or may not be, plain.
 */
static inline bool fxt_plain_arg(const struct fxt_reader *r, const uint8_t *p,
				 const uint8_t *end, struct fxt_plain *a)
{
	const struct fxt_tables *t = r->tables;

	if (p >= end)
		return false;
	a->header = fxt_word_at(p, false);
	a->type = (enum fxt_arg_type)(a->header & 15);
	a->bytes = 8 * (a->header >> 4 & 0xfff);
	a->name = fxt_near_string(t, (unsigned int)(a->header >> 16 & 0xffff));
	if (!a->bytes || a->bytes > (size_t)(end - p) || !a->name)
		return false;
	a->str = NULL;
	a->number = (int64_t)(a->header >> 32);
	if (a->type == FXT_ARG_STRING) {
		a->str = fxt_near_string(t, (uint16_t)a->number);
		return a->str && !(a->number >> 16);
	}
	if (a->type == FXT_ARG_I32)
		a->number = (int32_t)a->number;
	if (a->type == FXT_ARG_I32 || a->type == FXT_ARG_U32)
		return true;
	if ((a->type != FXT_ARG_I64 && a->type != FXT_ARG_U64 && a->type != FXT_ARG_KOID) ||
	    a->bytes < 16 || a->number)
		return false;
	a->number = (int64_t)fxt_word_at(p + 8, false);
	return true;
}

struct fxt_plain_event {
	uint64_t header;
	const uint8_t *at;	/* the record, in the window */
	uint64_t koid;		/* koid of the thread */
};

static inline size_t fxt_plain_bytes(uint64_t header)
{
	return 8 * (header >> 4 & 0xfff);
}

/** fxt_names - a number that changes when the string at a name's index may have changed */
static inline uint64_t fxt_names(const struct fxt_reader *r)
{
	return r->tables->names;
}

/**
 * fxt_plain_event - read the next record if it is an event without a value
 *
 * This does not consume the record: call fxt_plain_taken() for that, or let fxt_next()
 * decode it.
 *
 * Return: false if it is not an event, is in the other byte order or not completely in the
 * window, or if its thread was not looked up before.
 */
static inline bool fxt_plain_event(struct fxt_reader *r, struct fxt_plain_event *e)
{
	const struct fxt_thread *thread;
	const uint8_t *p;
	size_t have;

	if (!r->plain)
		return false;
	in_skip(r->in, r->pending);
	r->pending = 0;
	p = in_window(r->in, &have);
	if (have < 16)
		return false;
	e->header = fxt_word_at(p, false);
	if ((e->header & 15) != FXT_REC_EVENT)
		return false;
	thread = fxt_near_thread(r->tables, (unsigned int)(e->header >> 24 & 0xff));
	if (have < fxt_plain_bytes(e->header) || !thread)
		return false;
	e->at = p;
	e->koid = thread->thread;
	return true;
}

/** fxt_plain_taken - consume the record of fxt_plain_event() */
static inline void fxt_plain_taken(struct fxt_reader *r, const struct fxt_plain_event *e)
{
	r->pending = fxt_plain_bytes(e->header);
}

#endif
