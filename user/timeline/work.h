/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What a program works on, judged by its name and arguments alone: a class, which
 * selects the colour in a timeline, and a label, "cc1 quotearg.c".
 */
#ifndef ETRACE_WORK_H
#define ETRACE_WORK_H

#include "base/buf.h"
#include "base/path.h"
#include "event/event.h"

#include <stdbool.h>
#include <stddef.h>

/* In drawing order, one on top of the other. */
enum work_class {
	WORK_COMPILE,
	WORK_ASSEMBLE,
	WORK_LINK,
	WORK_ARCHIVE,
	WORK_SHELL,
	WORK_CONFIGURE,
	WORK_TEST,
	WORK_OTHER,
	WORK_CLASSES
};

/* "compile", ... */
extern const char *const work_classes[WORK_CLASSES];

/* One of a program's arguments: @len bytes at @s. */
struct work_arg {
	const char *s;
	size_t len;
};

/** work_base - the last component of a path */
static inline struct work_arg work_base(const char *path, size_t len)
{
	path = path_base_of(path, &len);
	return (struct work_arg){ path, len };
}

/**
 * work_args - the first @n arguments of an exec's event, into @args; valid as long as the event
 */
static inline void work_args(struct work_arg *args, const struct et_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++)
		args[i] = (struct work_arg){ et_text(ev, &ev->args[i]), ev->args[i].len };
}

/**
 * work_of - what a program works on
 * @program: its path or base name, @len bytes
 * @args: its @n arguments, the first is its own name; may be none
 * @label: gets the label appended: the program's base name and, if the arguments name its output
 *	or input, a blank and that file's base name. Bytes as in the trace.
 */
enum work_class work_of(const char *program, size_t len, const struct work_arg *args, size_t n,
			struct buf *label);

/**
 * work_add_output - add the output to the label of an interpreter or a build tool, whose
 * arguments say little: "sh: makes version.h"
 * @program: as for work_of()
 * @output: the path of the file; "" if unknown, which adds nothing
 */
void work_add_output(const char *program, size_t len, const char *output, size_t output_len,
		     struct buf *label);

/**
 * work_runs_scripts - whether a program, given by path or name, is a shell or another interpreter
 */
bool work_runs_scripts(const char *program, size_t len);

/** work_is_source - whether a file's name is that of a source: "x.c" */
bool work_is_source(const char *name, size_t len);

#endif
