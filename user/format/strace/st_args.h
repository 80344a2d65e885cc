/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Parses arguments of a call as strace prints them: strings, numbers and names of numbers,
 * descriptors, structures.  What they mean for a call is up to st_call*.c.
 */
#ifndef ETRACE_ST_ARGS_H
#define ETRACE_ST_ARGS_H

#include "base/buf.h"
#include "format/strace/st_line.h"

#define ST_MAX_ARGS	8u

struct st_args {
	unsigned int n;
	struct st_text arg[ST_MAX_ARGS];	/* missing ones are empty */
};

/** st_args_split - split arguments at the commas outside brackets */
void st_args_split(struct st_args *a, struct st_text text);

/** st_args_named - find an argument "name=value".  Return: @value, NULL if there is none. */
const struct st_text *st_args_named(const struct st_args *a, const char *name,
				    struct st_text *value);

/**
 * st_number - parse a number in any base, or an expression like "O_CREAT|O_EXCL|0x10"
 * @v: set to the value of the known parts
 *
 * Return: whether all parts are known.
 */
bool st_number(struct st_text t, uint64_t *v);

/** st_name_value - value of a name that strace prints, like "O_CREAT".  Return: whether known. */
bool st_name_value(const char *name, size_t len, uint64_t *v);

/* A descriptor as strace prints it. */
struct st_fd_arg {
	int64_t fd;		/* AT_FDCWD: -100 */
	bool has_path;		/* it has brackets (strace -y) */
	uint64_t ino, peer;	/* unix socket (-yy): its inode and its peer's, 0 if unknown */
	struct st_text path;	/* between the brackets: the kernel's path, escaped */
	bool deleted;		/* "(deleted)" follows the brackets, and is not in @path */
};

/** st_fd_arg - parse a descriptor: "3", "3</etc/passwd>", "AT_FDCWD</home>", "0x3" */
bool st_fd_arg(struct st_text t, struct st_fd_arg *fd);

/** st_fd_path - append the kernel's path of a descriptor, if strace printed it */
void st_fd_path(const struct st_fd_arg *fd, struct buf *to);

/** st_unescape - append text, undoing strace's escapes */
void st_unescape(struct buf *to, const char *s, size_t len);

/**
 * st_string - append the bytes of a quoted string
 * @cut: set to true if strace shortened it (-s)
 *
 * Return: false if it is not a string, but NULL or an address that strace could not read.
 */
bool st_string(struct st_text t, struct buf *to, bool *cut);

/** st_inner - get the text in the brackets of a structure or array; false if it is neither */
bool st_inner(struct st_text t, struct st_text *inner);

/**
 * st_next - get the next element of a text from st_inner()
 * @rest: at first the whole text; moved past the element
 *
 * Return: false if there are no more.
 */
bool st_next(struct st_text *rest, struct st_text *element);

/** st_field - get the text after "name=" in a structure.  Return: false if there is none. */
bool st_field(struct st_text t, const char *name, struct st_text *value);

#endif
