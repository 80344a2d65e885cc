/* SPDX-License-Identifier: LGPL-2.1 */
/* What a file is read for, as far as its name and the manner tell: etrace-db(5), rule 7. */
#ifndef ETRACE_CLASSES_H
#define ETRACE_CLASSES_H

#include "graph/graph.h"

/* Bits that a name has, whoever uses it. */
enum {
	NAME_CONFIG = 1,	/* locale, gconv, /etc and the like */
	NAME_LOADER = 2,	/* read by the loader alone: ld.so.cache */
	NAME_SHARED = 4,	/* a shared object: read by the loader, or by a linker */
	NAME_SPECIAL = 8,	/* of the kernel: /proc, /sys, /dev */
	NAME_MODULE = 16,	/* part of an interpreter, if that reads it */
	NAME_TESTED = 128,	/* these bits are known */
};

/** classes_of_name - the bits of a path */
unsigned int classes_of_name(const char *path, size_t len);

/*
 * Bytes that a loader reads of a shared object itself: its header, and perhaps
 * the program headers; the rest is mapped.  A linker reads whole blocks.
 */
#define LOADER_READS_BELOW 4096u

/** classes_interprets - whether a program takes a script as its first plain argument */
bool classes_interprets(const char *program, size_t len);

/** classes_lends - whether a program puts descriptors 0 to 2 in place for its children */
bool classes_lends(const char *program, size_t len);

#endif
