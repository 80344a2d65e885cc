/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The configuration of etrace compdb: a YAML file with the keys of Bear 4, documented in
 * etrace-compdb(1).
 */
#ifndef ETRACE_CONFIG_H
#define ETRACE_CONFIG_H

#include "command/grammar.h"
#include "io/diag.h"

struct config_compiler {
	char *path;		/* as written in the file; without a slash it is a name */
	char *real;		/* resolved path on this machine; NULL if it does not exist */
	const struct family *family;	/* NULL if it is ignored and unknown */
	bool ignore;
};

/* A directory whose sources are included or excluded. */
struct config_directory {
	char *path;		/* as written in the file */
	char *absolute;
	int exclude;
};

/* How paths are written; in the order of the words in config.c. */
enum config_paths {
	PATHS_ABSOLUTE,
	PATHS_AS_IS,		/* as in the command */
	PATHS_CANONICAL,	/* with links resolved, if the file exists */
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
	struct config_directory *directories;	/* the last one that contains a source decides */
	size_t ndirectories, directories_cap;
	bool only_existing;	/* only sources that still exist */
	int match_on;		/* enum config_fields that duplicates share; 0 if not given */
	int directory, file;	/* enum config_paths */
	bool use_array, output;	/* entries have arguments, not a command; entries have an output */
	bool files;		/* replace @files by their words */
	bool environment;	/* add options from environment variables to the arguments */
};

/** config_init - set the defaults, used without a file */
void config_init(struct config *c);

/**
 * config_read - read a configuration file
 * @c: after config_init(); release it with config_free() in any case
 *
 * Return: false after diag_fatal().
 */
bool config_read(struct config *c, const char *path, struct diag *diag);
void config_free(struct config *c);

/**
 * config_find - find the configuration of a program
 * @program: path of the file that was executed
 * @name: the name or path by which it was run
 *
 * Return: NULL if none.
 */
const struct config_compiler *config_find(const struct config *c, const char *program,
					  const char *name);

/** config_has_below - whether a path is a directory, or below it */
bool config_has_below(const char *directory, const char *path);

#endif
