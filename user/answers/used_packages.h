/* SPDX-License-Identifier: LGPL-2.1 */
/* Prints what a build used, and what it did not use (etrace-used(1)). */
#ifndef ETRACE_USED_PACKAGES_H
#define ETRACE_USED_PACKAGES_H

#include "answers/answers.h"
#include "io/json_out.h"

struct used {
	struct db *db;
	struct diag *diag;	/* for messages */
	struct out *out;
	bool json;
	struct json *array;	/* array for packages; NULL to print each on a line */
	unsigned int classes;	/* bits of enum graph_class */
	const char *root;	/* root directory of the file system with the packages */
	const char *in;		/* only files below this root directory of a container; or NULL */
};

/** used_packages - print packages whose files were used.  Return: false after diag_fatal(). */
bool used_packages(const struct used *u);

/**
 * used_needs - print build dependencies that were not used; as JSON, print all
 * @control: debian/control of the source package
 *
 * Return: false after diag_fatal().
 */
bool used_needs(const struct used *u, const char *control);

/**
 * used_sources - print files that exist below a directory now, but were never read
 * @map: "A=B", see lists_map(); or NULL
 *
 * Return: false after diag_fatal().
 */
bool used_sources(const struct used *u, const char *dir, const char *map);

#endif
