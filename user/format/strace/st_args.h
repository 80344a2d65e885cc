/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Arguments of a call as strace writes them: strings, numbers and names of numbers,
 * descriptors, structures.  What they mean for a call is not known here.
 */
#ifndef ETRACE_ST_ARGS_H
#define ETRACE_ST_ARGS_H

#include "base/buf.h"
#include "format/strace/st_line.h"

#define ST_MAX_ARGS	8u

struct st_args {
	unsigned int n;
	struct st_text arg[ST_MAX_ARGS];	/* from 0 on; those that are not there are empty */
};

/** st_args_split - at the commas that stand in no brackets */
void st_args_split(struct st_args *a, struct st_text text);

/** st_args_named - what stands behind "name=" in one of them, or NULL */
const struct st_text *st_args_named(const struct st_args *a, const char *name,
				    struct st_text *value);

/**
 * st_number - a number, in any base, or names of numbers with bars between them
 * @v: it, or what is known of it
 *
 * Return: whether all of it is known.
 */
bool st_number(struct st_text t, uint64_t *v);

/** st_name_value - the number of a name of strace's, like "O_CREAT" */
bool st_name_value(const char *name, size_t len, uint64_t *v);

/* What can be told of a descriptor. */
struct st_fd_arg {
	int64_t fd;		/* AT_FDCWD: -100 */
	bool has_path;		/* -y */
	uint64_t ino, peer;	/* -yy, of a unix socket: its inode and the other end's; 0: not known */
	struct st_text path;	/* escaped, between the brackets: as the kernel has it */
	bool deleted;		/* as strace says behind the path, and not the kernel in it */
};

/** st_fd_arg - "3", "3</etc/passwd>", "AT_FDCWD</home>", "0x3".  Return: whether it is one. */
bool st_fd_arg(struct st_text t, struct st_fd_arg *fd);

/** st_fd_path - add the path that a descriptor is open on, as the kernel has it; if there is one */
void st_fd_path(const struct st_fd_arg *fd, struct buf *to);

/** st_unescape - add text that strace has escaped */
void st_unescape(struct buf *to, const char *s, size_t len);

/**
 * st_string - add a string's bytes
 * @cut: set: strace did not write all of it (-s)
 *
 * Return: false: it is none: NULL, or an address that could not be read.
 */
bool st_string(struct st_text t, struct buf *to, bool *cut);

/** st_inner - what stands between the brackets of a structure or an array.  Return: whether it is one */
bool st_inner(struct st_text t, struct st_text *inner);

/**
 * st_next - the next element of what stands in brackets
 * @rest: begins with all of it; moves on
 *
 * Return: false: there is no more.
 */
bool st_next(struct st_text *rest, struct st_text *element);

/** st_field - what stands behind "name=" in a structure.  Return: false: it is not there. */
bool st_field(struct st_text t, const char *name, struct st_text *value);

#endif
