/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Parses arguments of a call as strace writes them: strings, numbers and names of numbers,
 * descriptors, structures.  It does not know what they mean for a call.
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

/** st_args_named - the text after "name=" in one of the arguments, NULL if none */
const struct st_text *st_args_named(const struct st_args *a, const char *name,
				    struct st_text *value);

/**
 * st_number - a number, in any base, or names of numbers with bars between them
 * @v: set to the value of the known parts
 *
 * Return: whether all parts are known.
 */
bool st_number(struct st_text t, uint64_t *v);

/** st_name_value - the number of a name that strace prints, like "O_CREAT" */
bool st_name_value(const char *name, size_t len, uint64_t *v);

/* What strace prints of a descriptor. */
struct st_fd_arg {
	int64_t fd;		/* AT_FDCWD: -100 */
	bool has_path;		/* -y */
	uint64_t ino, peer;	/* -yy, unix socket: its inode and its peer's, 0 if unknown */
	struct st_text path;	/* escaped, between the brackets: as the kernel has it */
	bool deleted;		/* as strace says behind the path, and not the kernel in it */
};

/** st_fd_arg - "3", "3</etc/passwd>", "AT_FDCWD</home>", "0x3".  Return: whether it is one. */
bool st_fd_arg(struct st_text t, struct st_fd_arg *fd);

/** st_fd_path - append the path that a descriptor is open on, as the kernel has it, if any */
void st_fd_path(const struct st_fd_arg *fd, struct buf *to);

/** st_unescape - append text, undoing strace's escapes */
void st_unescape(struct buf *to, const char *s, size_t len);

/**
 * st_string - append a string's bytes
 * @cut: set to true if strace did not write all of it (-s)
 *
 * Return: false if it is not a string: NULL, or an address that could not be read.
 */
bool st_string(struct st_text t, struct buf *to, bool *cut);

/** st_inner - the text in the brackets of a structure or array.  Return: whether it is one. */
bool st_inner(struct st_text t, struct st_text *inner);

/**
 * st_next - the next element of a text from st_inner()
 * @rest: all of the text at first; moved past the element
 *
 * Return: false if there are no more.
 */
bool st_next(struct st_text *rest, struct st_text *element);

/** st_field - the text after "name=" in a structure.  Return: false if there is none. */
bool st_field(struct st_text t, const char *name, struct st_text *value);

#endif
