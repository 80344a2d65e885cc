/* SPDX-License-Identifier: LGPL-2.1 */
/* What files were made from, and what was made from them, for those who asked. */
#ifndef ETRACE_DEPS_H
#define ETRACE_DEPS_H

#include "answers/answers.h"
#include "build/reach.h"

enum deps_format { DEPS_TEXT, DEPS_MAKE, DEPS_DOT, DEPS_JSON };

struct deps {
	struct db *db;
	struct out *out;
	enum deps_format format;
	enum reach_how how;
	unsigned int classes;
	bool reverse;		/* rdeps */
	bool unknown;		/* set: something of an answer cannot be known, and was said */
};

/** deps_of - one file; @header: a line says of which, as there are several */
void deps_of(struct deps *d, uint32_t file, bool header);

/** deps_all - all files that the build made and that are there in the end (reverse: that it used) */
void deps_all(struct deps *d);

/** deps_begin, deps_end - around all of them: what stands there in some formats */
void deps_begin(const struct deps *d);
void deps_end(const struct deps *d);

#endif
