/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Arguments as most are, looked at where they stand: numbers and strings by name,
 * with nothing wrong, all of whose strings were looked up before.  For who takes
 * every argument of every event; what is none of these, fxt_next_arg() has.
 */
#ifndef ETRACE_FXT_PLAIN_H
#define ETRACE_FXT_PLAIN_H

#include "fxt/fxt_decode.h"

struct fxt_plain {
	uint64_t header;
	enum fxt_arg_type type;	/* I32 to U64, KOID, STRING */
	size_t bytes;		/* size, its header included */
	struct fxt_string *name;
	struct fxt_string *str;	/* FXT_ARG_STRING; else NULL */
	int64_t number;		/* FXT_ARG_U64 and KOID: as if signed; STRING: its ref */
};

/** fxt_plain_end - where the arguments of a record end that may be plain ones */
static inline const uint8_t *fxt_plain_end(const struct fxt_rec *rec)
{
	/* none in the other byte order */
	return rec->swap ? rec->arg_raw : rec->arg_raw + 8ul * rec->arg_words;
}

/**
 * fxt_plain_arg - the argument that stands at @p, where it is a plain one
 * @end: fxt_plain_end()
 *
 * Return: false where it is not, or may not be, one.
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

#endif
