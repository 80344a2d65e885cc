/* SPDX-License-Identifier: LGPL-2.1 */
/* What a build used, and what it did not (etrace-used(1)). */
#ifndef ETRACE_USED_H
#define ETRACE_USED_H

#include "answers/answers.h"
#include "io/json_out.h"

struct used {
	struct db *db;
	struct diag *diag;	/* who is told */
	struct out *out;
	bool json;
	struct json *array;	/* packages go into that, and not each to a line; or NULL */
	unsigned int classes;	/* bits of enum graph_class */
	const char *root;	/* of the file system whose packages are asked */
	const char *in;		/* only files below this root directory of a container; or NULL */
};

/** used_packages - packages whose files were used.  Return: false after diag_fatal(). */
bool used_packages(const struct used *u);

/**
 * used_needs - build dependencies that were not used; as JSON all of them
 * @control: of the source package
 *
 * Return: false after diag_fatal().
 */
bool used_needs(const struct used *u, const char *control);

/**
 * used_sources - files below a directory of today that were never read
 * @map: "A=B", as of lists_map(); or NULL
 *
 * Return: false after diag_fatal().
 */
bool used_sources(const struct used *u, const char *dir, const char *map);

#endif
