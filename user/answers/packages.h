/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Installed packages of a distribution, and which files they own.  Reads the package
 * manager's files, but runs rpm for rpm's database, which has many formats.
 */
#ifndef ETRACE_PACKAGES_H
#define ETRACE_PACKAGES_H

#include "base/map64.h"
#include "io/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct package {
	char *name;		/* as the package manager shows it: "libc6:amd64" */
	char *version;
	char *arch;		/* or NULL */
	char *depends;		/* in dpkg's form, "a (>= 1), b | c"; or NULL */
	char *provides;		/* in dpkg's form; or NULL */
};

struct packages {
	struct package *rows;	/* by name */
	size_t n, cap;
	const char *manager;	/* "dpkg" */
	/* called for each file of a package; its path may lack the "/usr" of packages_path() */
	void (*file)(void *ctx, uint32_t package, const char *path, size_t len);
	void *ctx;
};

/** packages_manager - the package manager of a file system: "dpkg"; NULL if none is known */
const char *packages_manager(const char *root);

/**
 * packages_read - read all installed packages, and call p->file for each of their files
 * @root: root directory of their file system, "/" for this machine's
 *
 * Return: false after diag_fatal(); release with packages_free() in any case.
 */
bool packages_read(struct packages *p, const char *root, struct diag *diag);
void packages_free(struct packages *p);

/**
 * packages_path - the path of a file with a merged /usr
 *
 * /bin/sh is /usr/bin/sh there: packages use one name, traces the other.
 * @buf: used if the path changes; at least @len + 5 bytes
 */
const char *packages_path(const char *path, size_t *len, char *buf);

/* ---- dependencies (packages_needs.c) ---- */

/* One of the dependencies that are separated by commas. */
struct packages_need {
	char *text;		/* "bc (>= 1) | dc", trimmed */
	char **names;		/* "bc", "dc" */
	size_t n;
};

/**
 * packages_needs - split a list of dependencies
 * @arch: leave out dependencies for other architectures; NULL for all
 * @to: set to them; release with packages_needs_free()
 *
 * Return: their number.
 */
size_t packages_needs(const char *list, const char *arch, struct packages_need **to);
void packages_needs_free(struct packages_need *needs, size_t n);

/**
 * packages_control - the build dependencies of a Debian source package
 * @path: its debian/control
 *
 * Return: the list, freed by the caller; NULL after diag_fatal().
 */
char *packages_control(const char *path, struct diag *diag);

/** packages_are - whether a package has a name, or provides it */
bool packages_are(const struct package *p, const char *name);

#endif
