/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Arguments of one FXT event, any number and of any length.  FXT limits both: a long
 * value continues in further arguments, and many arguments in further records
 * (Documentation/swap.md, "FXT").
 */
#ifndef ETRACE_SWAP_ARGS_H
#define ETRACE_SWAP_ARGS_H

#include "format/fxt/fxt_write.h"

/* All zero at first. */
struct swap_args {
	struct fxt_arg *args;
	size_t n, cap;
	void **owned;		/* strings allocated for arguments */
	size_t nowned, owned_cap;
};

/** swap_args_reset - remove all arguments */
void swap_args_reset(struct swap_args *a);

/** swap_args_free - free the memory */
void swap_args_free(struct swap_args *a);

/*
 * These add an argument.  Neither @name nor a value that is valid text is copied:
 * both must stay valid until the event is written.
 */

/* A value above INT64_MAX becomes decimal text: viewers would show it as negative. */
void swap_args_u64(struct swap_args *a, const char *name, uint64_t v);
void swap_args_i64(struct swap_args *a, const char *name, int64_t v);
void swap_args_f64(struct swap_args *a, const char *name, double v);
void swap_args_pointer(struct swap_args *a, const char *name, uint64_t v);
void swap_args_cstr(struct swap_args *a, const char *name, const char *s);


/** swap_args_own - add a string, which is copied */
void swap_args_own(struct swap_args *a, const char *name, const char *s);

/** swap_args_own_text - add text like swap_args_text(), but copy it */
void swap_args_own_text(struct swap_args *a, const char *name, const char *s, size_t len);

/**
 * swap_args_name - format a name that is valid until the arguments are reset
 *
 * Return: the name, cut to 255 bytes.
 */
const char *swap_args_name(struct swap_args *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Add text.  Bytes that are not UTF-8 become U+FFFD; then "@name_hex" holds all bytes.
 * Text longer than an FXT string continues in "@name.2", "@name.3" ...
 */
void swap_args_text(struct swap_args *a, const char *name, const char *s, size_t len);

/* Add bytes as hexadecimal digits; long values continue like those of swap_args_text(). */
void swap_args_hex(struct swap_args *a, const char *name, const void *data, size_t len);

/**
 * swap_args_event - write an event with the arguments
 * @a: the arguments
 * @w: encoder
 * @ev: the event
 *
 * Arguments after the 15th go into instants named "EVENT (more)", with the event's
 * time and thread.
 *
 * Return: as fxt_event().
 */
int swap_args_event(const struct swap_args *a, struct fxt_writer *w,
		    const struct fxt_event *ev);

#endif
