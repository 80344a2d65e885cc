/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Packages of a distribution: whose files are whose.  Asked of what the package
 * manager keeps on the disk; of rpm's database, which has many forms, rpm itself.
 */
#ifndef ETRACE_PACKAGES_H
#define ETRACE_PACKAGES_H

#include "base/map64.h"
#include "io/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct package {
	char *name;		/* as its manager shows it: "libc6:amd64" */
	char *version;
	char *arch;		/* or NULL */
	char *depends;		/* dpkg's: "a (>= 1), b | c"; or NULL */
	char *provides;		/* the same */
};

struct packages {
	struct package *rows;	/* by name */
	size_t n, cap;
	const char *manager;	/* "dpkg" */
	/* a file of one; its path without the merge of /usr undone: packages_path() */
	void (*file)(void *ctx, uint32_t package, const char *path, size_t len);
	void *ctx;
};

/** packages_manager - who keeps packages there: "dpkg"; NULL: nobody that is known */
const char *packages_manager(const char *root);

/**
 * packages_read - all that are installed, and their files, each told to p->file
 * @root: of the file system that is asked, "/" of this one
 *
 * Return: false after diag_fatal(); packages_free() in any case.
 */
bool packages_read(struct packages *p, const char *root, struct diag *diag);
void packages_free(struct packages *p);

/**
 * packages_path - a path by the name under which a merged /usr has it
 *
 * /bin/sh is /usr/bin/sh: packages have the one, traces the other.  @buf of at least
 * @len + 5 bytes is used if it has to be another one.
 */
const char *packages_path(const char *path, size_t *len, char *buf);

/* ---- dependencies (packages_needs.c) ---- */

/** A dependency of several that are separated by commas. */
struct packages_need {
	char *text;		/* "bc (>= 1) | dc", without blanks at its ends */
	char **names;		/* "bc", "dc" */
	size_t n;
};

/**
 * packages_needs - take a list apart
 * @arch: those that are for other architectures are left out; NULL: all are taken
 *
 * Return: how many; @to is for packages_needs_free().
 */
size_t packages_needs(const char *list, const char *arch, struct packages_need **to);
void packages_needs_free(struct packages_need *needs, size_t n);

/**
 * packages_control - the build dependencies of a Debian source package
 * @path: its debian/control
 *
 * Return: the list, to be freed; NULL after diag_fatal().
 */
char *packages_control(const char *path, struct diag *diag);

/** packages_are - whether a package has that name, or provides it */
bool packages_are(const struct package *p, const char *name);

#endif
