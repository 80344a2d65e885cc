/* SPDX-License-Identifier: LGPL-2.1 */
/* Why a file is read, judged by its name and by how it is read: etrace-db(5), rule 7. */
#ifndef ETRACE_CLASSES_H
#define ETRACE_CLASSES_H

#include "graph/graph.h"

/* Bits that depend on the name alone, not on the program that uses it. */
enum {
	NAME_CONFIG = 1,	/* read by the C library and by runtimes: locale, nss */
	NAME_LOADER = 2,	/* read only by the loader: ld.so.cache */
	NAME_SHARED = 4,	/* a shared object: read by the loader, or by a linker */
	NAME_SPECIAL = 8,	/* made by the kernel: /proc, /sys, /dev */
	NAME_SYSTEM = 16,	/* installed: /usr, /lib */
	NAME_CLOEXEC = 32,	/* NAME_CONFIG only if opened with O_CLOEXEC, as by libc */
	NAME_DEVICE = 64,	/* a device from which any data may come: a terminal, a disk */
};

/* What the path alone says about a file. */
struct name_class {
	uint8_t bits;		/* NAME_* */
	uint8_t place;		/* length of its directory in classes.c; 0 if not listed */
};

struct name_class classes_of_name(const char *path, size_t len);

/*
 * Bytes that a loader reads from a shared object: its header, and perhaps the
 * program headers; it maps the rest.  A linker reads whole blocks.
 */
#define LOADER_READS_FROM 512u
#define LOADER_READS_BELOW 4096u

/**
 * classes_is_header - whether a loader would read just @bytes bytes; @shared: NAME_SHARED is set
 */
bool classes_is_header(uint64_t bytes, bool shared);

/* A program that runs text or bytecode. */
struct interpreter {
	const char *program;	/* base name without its version */
	bool scripts;		/* its first argument that is not an option is the script */
	const char *word;	/* prefix of its library directories; "": all of lib; NULL: none */
	const char *place;	/* path of one more library directory, NULL if none */
};

/** classes_interpreter - which interpreter a program (base name) is.  Return: NULL if none */
const struct interpreter *classes_interpreter(const char *program, size_t len);

/**
 * classes_library - whether a file belongs to an interpreter's installed library
 * @program: the interpreter's path
 * @cwd: an interpreter below this directory is not an installed one
 *
 * Return: length in bytes of the library's directory, 0 if the file is not in one.
 */
size_t classes_library(const struct interpreter *in, const char *program, const char *cwd,
		       const char *path, size_t len);

/** classes_lends - whether a program sets up descriptors 0 to 2 for its children */
bool classes_lends(const char *program, size_t len);

#endif
