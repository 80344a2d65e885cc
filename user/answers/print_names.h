/* SPDX-License-Identifier: LGPL-2.1 */
/* Prints files and programs in answers, as text and as JSON. */
#ifndef ETRACE_PRINT_NAMES_H
#define ETRACE_PRINT_NAMES_H

#include "answers/answers.h"
#include "io/json_out.h"

/** put_file - print a path, quoted for a shell; "?" if none */
void put_file(struct out *out, struct db *db, uint32_t file);

/** put_path - print any path, even if the build did not touch it, quoted for a shell */
void put_path(struct out *out, const char *path, size_t len);

/** put_name - print the last component of a path.  Return: false if none. */
bool put_name(struct out *out, struct db *db, uint32_t file);

/**
 * put_command - print the command of an exec, or its program's path if that is unknown
 * @full: do not shorten it
 */
void put_command(struct out *out, struct db *db, uint32_t exec, bool full);

/** json_file - add member @name, a path; nothing if none */
void json_file(struct json *j, const char *name, struct db *db, uint32_t file);

/** json_exec - add an object with exec, program, cwd, arguments */
void json_exec(struct json *j, struct db *db, uint32_t exec);

#endif
