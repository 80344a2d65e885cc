/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Libraries that are loaded when they are first used: most runs need none of them, and
 * loading them with the program would take longer than many commands do.  If one is not
 * installed, the error message names its package.
 *
 * The static program (ETRACE_STATIC) is linked with them instead.
 *
 * A table lists the functions, X(PREFIX, NAME) for PREFIXNAME():
 *
 *	#define SQLITE_FUNCTIONS(X) X(sqlite3_, step) X(sqlite3_, reset)
 *	static struct LIBRARY_POINTERS(SQLITE_FUNCTIONS) sqlite = LIBRARY_INIT(SQLITE_FUNCTIONS);
 *	static struct library lib = LIBRARY("libsqlite3.so.0", "libsqlite3-0", SQLITE_FUNCTIONS, sqlite);
 *
 * After library_load(&lib, ...) sqlite.step() is sqlite3_step().
 */
#ifndef ETRACE_BASE_LIBRARY_H
#define ETRACE_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct library {
	const char *file;		/* soname of the library */
	const char *package;		/* the Debian package that contains it */
	const char *const *names;	/* names of its functions */
	void *functions;		/* pointers to the functions, in the order of @names */
	size_t nfunctions;
	bool loaded;
};

#define LIBRARY_POINTER(prefix, name)	__typeof__(&prefix##name) name;
#define LIBRARY_NAME(prefix, name)	#prefix #name,
#ifdef ETRACE_STATIC
#define LIBRARY_LINKED(prefix, name)	.name = prefix##name,
#define LIBRARY_IS_LOADED		true
#else
#define LIBRARY_LINKED(prefix, name)
#define LIBRARY_IS_LOADED		false
#endif

#define LIBRARY_POINTERS(table)	{ table(LIBRARY_POINTER) }
#define LIBRARY_INIT(table)	{ table(LIBRARY_LINKED) }
#define LIBRARY(file, package, table, functions)			\
	{ file, package, (const char *const[]){ table(LIBRARY_NAME) },	\
	  &(functions), sizeof(functions) / sizeof(void *), LIBRARY_IS_LOADED }

/**
 * library_load - load a library, unless it is loaded already
 * @why: filled on error: the library, the reason, and what to do
 *
 * May be called by several threads.  Return: false on error.
 */
bool library_load(struct library *library, char *why, size_t size);

#endif
