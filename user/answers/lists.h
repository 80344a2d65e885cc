/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The files that a build declares: in rules of ninja or make, and in depfiles of
 * compilers.  Read from the present files; independent of traces.
 *
 * Paths are absolute, as they were in the build: if its files have been moved since,
 * the present directory is replaced by the one of the build.
 */
#ifndef ETRACE_LISTS_H
#define ETRACE_LISTS_H

#include "base/buf.h"
#include "base/map64.h"
#include "io/diag.h"

/* A file that a rule or depfile names. */
struct lists_node {
	char *path;		/* @len bytes and a NUL */
	size_t len;
	uint32_t rule;		/* group of the inputs in its rule; 0 if no rule */
	uint32_t read;		/* group of the inputs that a compiler listed; 0 if none */
	bool input;		/* it is an input in at least one group */
	bool wanted;		/* a rule that runs a command names it */
	bool target;		/* a rule or depfile lists its inputs */
	bool dyndep;		/* a dyndep file, which ninja itself reads */
	bool searched;		/* make -np has found its rule, or that it has none */
	bool passed;		/* make -np knows its name but did not consider its rule */
};

struct lists_group {
	uint32_t *nodes;
	size_t n, cap;
	uint64_t command;	/* for a rule: hash of ninja's text for sh -c; 0 if unknown */
	/* for a rule: directory (node) of the only make that has it; else 0 */
	uint32_t dir;
	bool partly;		/* for a rule: a missing dyndep file may add inputs */
};

struct lists {
	struct lists_node *nodes;	/* from 1 to n */
	size_t n, cap;
	struct lists_group *groups;	/* from 1 to ngroups */
	size_t ngroups, groups_cap;
	struct map64 by_path;		/* by hash of the path: node */
	bool rules;			/* the inputs of each rule are known */
	bool before;			/* some rules are of a make -np run before the build */
	char *from, *to;		/* directory now and in the build; NULL if the same */
	struct diag *diag;
	/* appends the directory of the command that wrote a depfile.  Return: false if unknown */
	bool (*cwd)(void *ctx, const char *depfile, size_t len, struct buf *to);
	void *ctx;
};

/**
 * lists_map - set the map "A=B": files that are in A now were in B
 *
 * Return: false after diag_fatal().
 */
bool lists_map(struct lists *l, const char *map);
void lists_free(struct lists *l);

/*
 * Each of these adds the declarations that it reads. Return: false after diag_fatal().
 * Damaged parts are reported with their place, and skipped.
 */

/**
 * lists_ninja - read build.ninja, .ninja_deps and the dyndep files of a build directory
 *	(ninja 1.11's manual)
 */
bool lists_ninja(struct lists *l, const char *dir);
/** lists_make - read the output of "make -np" (GNU make's manual, "-p") */
bool lists_make(struct lists *l, const char *path);
/**
 * lists_depfiles - read depfiles, as gcc -MD writes them; for a directory all *.d, *.Po and
 *	*.Plo below it
 */
bool lists_depfiles(struct lists *l, const char *glob);
/** lists_kbuild - read the .*.cmd files below a kernel's build directory */
bool lists_kbuild(struct lists *l, const char *dir);

/** lists_ninja_log - read a .ninja_deps log at @path; @then: its directory in the build */
void lists_ninja_log(struct lists *l, const char *then, const char *path);

/** lists_find - find a node by its absolute, clean path.  Return: 0 if none. */
uint32_t lists_find(const struct lists *l, const char *path, size_t len);

/**
 * lists_is_open - whether its rule may be unknown or incomplete because make -np did not consider
 * it
 */
static inline bool lists_is_open(const struct lists_node *node)
{
	return node->passed && !node->searched;
}

/** lists_is_there - whether the file of a node exists now */
bool lists_is_there(const struct lists *l, uint32_t node);

/* ---- for lists_*.c ---- */

/** lists_then - append the clean path that an existing file or directory had in the build */
void lists_then(const struct lists *l, const char *now, struct buf *to);

/**
 * lists_node - the node of a path, created if needed
 * @dir: absolute directory, as in the build, that the path is relative to
 */
uint32_t lists_node(struct lists *l, const char *dir, const char *path, size_t len);

/** lists_group_new - create an empty group */
uint32_t lists_group_new(struct lists *l);
void lists_group_add(struct lists *l, uint32_t group, uint32_t node);

/**
 * lists_text - read a regular file; a NUL follows its text
 *
 * Return: false with errno set on error.
 */
bool lists_text(const char *path, struct buf *to);

/** lists_depfile - add the rules of a depfile; @cwd: directory of its writer, as in the build */
void lists_depfile(struct lists *l, const char *cwd, const struct buf *text);

#endif
