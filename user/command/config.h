/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The configuration of compile commands, as a YAML file: etrace-compdb(1) has its keys, which
 * are those of Bear 4.
 */
#ifndef ETRACE_CONFIG_H
#define ETRACE_CONFIG_H

#include "command/grammar.h"
#include "io/diag.h"

struct config_compiler {
	char *path;		/* as it is said; without a slash it is a name */
	char *real;		/* where its links lead on this machine; NULL: it is not there */
	const struct family *family;	/* NULL: it is ignored, and not known */
	bool ignore;
};

/* What a directory holds is left out, or not. */
struct config_directory {
	char *path;		/* as it is said */
	char *absolute;
	int exclude;
};

/* How paths are written; in the order of the words for them. */
enum config_paths {
	PATHS_ABSOLUTE,
	PATHS_AS_IS,		/* as the command has them */
	PATHS_CANONICAL,	/* where links lead, if it is there */
	PATHS_RELATIVE,		/* to the directory of the entry */
};

/* Members of an entry; bits. */
enum config_fields {
	FIELD_DIRECTORY = 1,
	FIELD_FILE = 2,
	FIELD_ARGUMENTS = 4,
	FIELD_COMMAND = 8,
	FIELD_OUTPUT = 16,
};

struct config {
	struct config_compiler *compilers;
	size_t ncompilers, compilers_cap;
	struct config_directory *directories;	/* the last one that holds a source decides */
	size_t ndirectories, directories_cap;
	bool only_existing;	/* only sources that are still there */
	int match_on;		/* enum config_fields: what duplicates have in common; 0: not said */
	int directory, file;	/* enum config_paths */
	bool use_array, output;	/* arguments, not a command; with the output */
	bool files;		/* put the words of @files in their place */
	bool environment;	/* put variables of the environment into the arguments */
};

/** config_init - what holds without a file */
void config_init(struct config *c);

/**
 * config_read - read one
 * @c: after config_init(); for config_free() in any case
 *
 * Return: false after diag_fatal().
 */
bool config_read(struct config *c, const char *path, struct diag *diag);
void config_free(struct config *c);

/**
 * config_find - what it says of a program
 * @program: path of the file that was executed
 * @name: the name or path that it was called by
 *
 * Return: NULL: nothing.
 */
const struct config_compiler *config_find(const struct config *c, const char *program,
					  const char *name);

/** config_has_below - whether a path is a directory, or below it */
bool config_has_below(const char *directory, const char *path);

#endif
