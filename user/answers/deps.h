/* SPDX-License-Identifier: LGPL-2.1 */
/* etrace deps and etrace rdeps: what files were made from, and what was made from them. */
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
	bool unknown;		/* set if part of an answer is unknown, which has been reported */
};

/** deps_of - print the answer for one file; @header: first a line with its name */
void deps_of(struct deps *d, uint32_t file, bool header);

/** deps_all - print the answers for all files that the build left (reverse: that it used) */
void deps_all(struct deps *d);

/** deps_begin, deps_end - print what some formats need before and after all answers */
void deps_begin(struct deps *d);
void deps_end(const struct deps *d);

#endif
