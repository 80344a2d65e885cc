/* SPDX-License-Identifier: LGPL-2.1 */
/* Prints programs and files of two builds. */
#ifndef ETRACE_MATCH_PUT_H
#define ETRACE_MATCH_PUT_H

#include "answers/match.h"
#include "io/json_out.h"

/** match_put_file - print a path, quoted for a shell */
void match_put_file(struct out *out, const struct match_side *s, uint32_t file);

/** match_put_unit - print a command on one line, shortened in the middle */
void match_put_unit(struct out *out, const struct match_side *s, uint32_t unit);

/** match_json_file - add a member: a path */
void match_json_file(struct json *j, const char *name, const struct match_side *s, uint32_t file);

/** match_json_unit - add a member: a program; nothing for unit 0 */
void match_json_unit(struct json *j, const char *name, const struct match_side *s, uint32_t unit);

/**
 * match_other_args - append the arguments that only @unit has, each ended by a NUL. Return: their
 * number
 * @own: as they were in the build; else in the form for comparison
 */
size_t match_other_args(const struct match_side *of, uint32_t unit, const struct match_side *than,
			uint32_t other, bool own, struct buf *to);

/**
 * match_put_call - print how the arguments and directories of two units differ, one line for each
 */
void match_put_call(struct out *out, const struct match *m, uint32_t a, uint32_t b);

#endif
