/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Arguments of one FXT event, any number and of any length.  FXT limits both: a long
 * value continues in further arguments, and many arguments in further records
 * (Documentation/swap.md, Documentation/sp-rtrace.md, "FXT").
 */
#ifndef ETRACE_FXT_ARGS_H
#define ETRACE_FXT_ARGS_H

#include "base/pool.h"
#include "format/fxt/fxt_write.h"

/* Initially all zero, except for brackets and repeat. */
struct fxt_args {
	struct fxt_arg *args;
	size_t n, cap;
	struct pool owned;	/* strings allocated for arguments */
	bool brackets;		/* a text continues in "NAME[2]" instead of "NAME.2" */
	bool repeat;		/* further records of an event repeat its first argument */
};

/** fxt_args_reset - remove all arguments and the strings that they own */
void fxt_args_reset(struct fxt_args *a);

/** fxt_args_free - free the memory */
void fxt_args_free(struct fxt_args *a);

/*
 * These add an argument.  Neither @name nor a value that is valid text is copied:
 * both must stay valid until the event is written.
 */

/* A value above INT64_MAX becomes decimal text: viewers would show it as negative. */
void fxt_args_u64(struct fxt_args *a, const char *name, uint64_t v);
void fxt_args_i64(struct fxt_args *a, const char *name, int64_t v);
void fxt_args_f64(struct fxt_args *a, const char *name, double v);
void fxt_args_pointer(struct fxt_args *a, const char *name, uint64_t v);
void fxt_args_cstr(struct fxt_args *a, const char *name, const char *s);

/** fxt_args_keep - free a string when the arguments are reset.  Return: @s. */
char *fxt_args_keep(struct fxt_args *a, char *s);

/** fxt_args_own - add a string, which is copied */
void fxt_args_own(struct fxt_args *a, const char *name, const char *s);

/** fxt_args_own_text - add text like fxt_args_text(), but copy it */
void fxt_args_own_text(struct fxt_args *a, const char *name, const char *s, size_t len);

/** fxt_args_format - format a string that is valid until the arguments are reset */
const char *fxt_args_format(struct fxt_args *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Add text.  Bytes that are not UTF-8 become U+FFFD; then "@name_hex" contains all bytes.
 * Text longer than an FXT string continues in "@name.2", "@name.3" ... or "@name[2]" ...
 */
void fxt_args_text(struct fxt_args *a, const char *name, const char *s, size_t len);

/* Add bytes as hexadecimal digits; long values continue like those of fxt_args_text(). */
void fxt_args_hex(struct fxt_args *a, const char *name, const void *data, size_t len);

/**
 * fxt_args_event - write an event with the arguments
 * @a: the arguments
 * @w: encoder
 * @ev: the event
 *
 * Arguments after the 15th go into instants named "EVENT (more)", with the event's time
 * and thread. If several arguments of a record have the same name, the later ones are
 * renamed "NAME (2)" ...
 *
 * Return: as fxt_event().
 */
int fxt_args_event(struct fxt_args *a, struct fxt_writer *w, const struct fxt_event *ev);

#endif
