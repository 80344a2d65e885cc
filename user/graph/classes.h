/* SPDX-License-Identifier: LGPL-2.1 */
/* What a file is read for, as far as its name and the way it is read show: etrace-db(5), rule 7. */
#ifndef ETRACE_CLASSES_H
#define ETRACE_CLASSES_H

#include "graph/graph.h"

/* Bits that depend on the name alone, not on the program that uses it. */
enum {
	NAME_CONFIG = 1,	/* what the C library and what runs programs read: locale, nss */
	NAME_LOADER = 2,	/* read by the loader alone: ld.so.cache */
	NAME_SHARED = 4,	/* a shared object: read by the loader, or by a linker */
	NAME_SPECIAL = 8,	/* of the kernel: /proc, /sys, /dev */
	NAME_SYSTEM = 16,	/* installed: /usr, /lib */
	NAME_CLOEXEC = 32,	/* of NAME_CONFIG: if it is opened so, as the C library does */
};

/* What a path alone shows. */
struct name_class {
	uint8_t bits;		/* NAME_* */
	uint8_t place;		/* of NAME_CONFIG: bytes of the directory that makes it so */
};

struct name_class classes_of_name(const char *path, size_t len);

/*
 * Bytes that a loader reads of a shared object itself: its header, and perhaps
 * the program headers; the rest is mapped.  A linker reads whole blocks.
 */
#define LOADER_READS_FROM 512u
#define LOADER_READS_BELOW 4096u

/** classes_is_header - whether @bytes is what a loader reads; @shared: NAME_SHARED is set */
bool classes_is_header(uint64_t bytes, bool shared);

/* A program that runs what is text or bytecode. */
struct interpreter {
	const char *program;	/* without its version */
	bool scripts;		/* its first plain argument is what it runs */
	const char *word;	/* how its library's directories begin; "": all beside it */
	const char *place;	/* one more, NULL if none */
};

/** classes_interpreter - the one that a program is.  Return: NULL if none */
const struct interpreter *classes_interpreter(const char *program, size_t len);

/**
 * classes_library - whether a file is of the installed library of an interpreter
 * @program: the interpreter's path
 * @cwd: what lies below that is no installed place
 *
 * Return: the bytes of the directory that makes it so, 0 if it is not.
 */
size_t classes_library(const struct interpreter *in, const char *program, const char *cwd,
		       const char *path, size_t len);

/** classes_lends - whether a program puts descriptors 0 to 2 in place for its children */
bool classes_lends(const char *program, size_t len);

#endif
