/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What a build says of itself: which files a rule of ninja or make names, and what
 * compilers listed in depfiles.  Read from the files of today; no trace is known here.
 *
 * Paths are absolute, as they were in the build: where it was done in another
 * directory than that in which its files lie now, the one is put in the place of the
 * other.
 */
#ifndef ETRACE_LISTS_H
#define ETRACE_LISTS_H

#include "base/buf.h"
#include "base/map64.h"
#include "io/diag.h"

/* A file that somebody names. */
struct lists_node {
	char *path;		/* ends with a NUL that is not in @len */
	size_t len;
	uint32_t rule;		/* group: what its rule names; 0: no rule */
	uint32_t read;		/* group: what a compiler listed for it; 0: nothing */
	bool input;		/* it stands in some group */
	bool wanted;		/* a rule that runs a command names it */
	bool target;		/* something is needed to make it */
	bool dyndep;		/* ninja itself reads it: a dyndep file */
	bool searched;		/* make has found its rule, or that there is none */
	bool passed;		/* a make knows its name and has not come to it */
};

struct lists_group {
	uint32_t *nodes;
	size_t n, cap;
	uint64_t command;	/* of a rule: hash of what ninja gives to sh -c; 0: not known */
	uint32_t dir;		/* of a rule of one make only: the node of its directory; else 0 */
	bool partly;		/* of a rule: a dyndep file that is not there may name more */
};

struct lists {
	struct lists_node *nodes;	/* from 1 to n */
	size_t n, cap;
	struct lists_group *groups;	/* from 1 to ngroups */
	size_t ngroups, groups_cap;
	struct map64 by_path;		/* hash of the path: node */
	bool rules;			/* what each rule names is known */
	bool before;			/* some are of a make that ran before the build */
	char *from, *to;		/* a directory now, and then; NULL: the same */
	struct diag *diag;
	/* where the command ran that wrote a depfile; appended.  Return: false: not known */
	bool (*cwd)(void *ctx, const char *depfile, size_t len, struct buf *to);
	void *ctx;
};

/**
 * lists_map - "A=B": what lies in A now was in B
 *
 * Return: false after diag_fatal().
 */
bool lists_map(struct lists *l, const char *map);
void lists_free(struct lists *l);

/*
 * Each adds what it reads.  Return: false after diag_fatal(); what is damaged is
 * told with its place, and passed over.
 */

/**
 * lists_ninja - build.ninja, .ninja_deps and the dyndep files of a build directory (ninja
 *	1.11's manual)
 */
bool lists_ninja(struct lists *l, const char *dir);
/** lists_make - what "make -np" prints (GNU make's manual, "-p") */
bool lists_make(struct lists *l, const char *path);
/**
 * lists_depfiles - rules without commands, as of gcc -MD; of a directory all *.d, *.Po and
 *	*.Plo below it
 */
bool lists_depfiles(struct lists *l, const char *glob);
/** lists_kbuild - the .*.cmd files below a kernel's build directory */
bool lists_kbuild(struct lists *l, const char *dir);

/** lists_ninja_log - the log .ninja_deps at @path; @then: the directory that it is of */
void lists_ninja_log(struct lists *l, const char *then, const char *path);

/** lists_find - a node, by its absolute, clean path.  Return: 0: nobody names it. */
uint32_t lists_find(const struct lists *l, const char *path, size_t len);

/** lists_is_open - whether it may have a rule, or more of one, that make has not come to */
static inline bool lists_is_open(const struct lists_node *node)
{
	return node->passed && !node->searched;
}

/** lists_is_there - whether the file of a node is there today */
bool lists_is_there(const struct lists *l, uint32_t node);

/* ---- for those who read them ---- */

/** lists_then - where a directory or file of now lay, clean; appended */
void lists_then(const struct lists *l, const char *now, struct buf *to);

/**
 * lists_node - the node of a path, new if it has none
 * @dir: absolute, of then: what the path is relative to
 */
uint32_t lists_node(struct lists *l, const char *dir, const char *path, size_t len);

/** lists_group_new - an empty one */
uint32_t lists_group_new(struct lists *l);
void lists_group_add(struct lists *l, uint32_t group, uint32_t node);

/**
 * lists_text - all of a regular file, with a NUL behind it
 *
 * Return: false: errno says why.
 */
bool lists_text(const char *path, struct buf *to);

/** lists_depfile - what a depfile holds; @cwd: of who wrote it, of then */
void lists_depfile(struct lists *l, const char *cwd, const struct buf *text);

#endif
