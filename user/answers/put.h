/* SPDX-License-Identifier: LGPL-2.1 */
/* Files and programs as answers show them, for a person and as JSON. */
#ifndef ETRACE_ANSWERS_PUT_H
#define ETRACE_ANSWERS_PUT_H

#include "answers/answers.h"
#include "io/json_out.h"

/** put_file - a path, quoted for a shell; "?" if there is none */
void put_file(struct out *out, struct db *db, uint32_t file);

/** put_path - the same of a path that the build may not have touched */
void put_path(struct out *out, const char *path, size_t len);

/** put_name - the last component of a path.  Return: false: there is none, and nothing is put. */
bool put_name(struct out *out, struct db *db, uint32_t file);

/**
 * put_command - the command of an exec, or its program's path if that is not known
 * @full: whole, also if it is long
 */
void put_command(struct out *out, struct db *db, uint32_t exec, bool full);

/** json_file - member @name, a path; nothing if there is none */
void json_file(struct json *j, const char *name, struct db *db, uint32_t file);

/** json_exec - an object: exec, program, cwd, arguments */
void json_exec(struct json *j, struct db *db, uint32_t exec);

#endif
