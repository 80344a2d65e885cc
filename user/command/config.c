// SPDX-License-Identifier: LGPL-2.1
/* Reads the configuration of etrace compdb.  See config.h. */
#include "command/config.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

/* The type of a key's value. */
enum value {
	SECTION,		/* more keys */
	COMPILERS,		/* a list of sections, each a struct config_compiler */
	DIRECTORIES,		/* a list of sections, each a struct config_directory */
	SKIPPED,		/* anything: only Bear uses it */
	SCHEMA,
	TEXT,			/* char * */
	FAMILY,			/* const struct family * */
	YES_OR_NO,		/* bool */
	WORD,			/* int: index of the value in @words */
	WORDS,			/* int: for a list, a bit for each of @words in it */
};

struct key {
	const char *path;	/* key names from the root, joined by dots */
	enum value value;
	size_t at;		/* offset in the struct of its section */
	const char *words;
};

#define OF(member)		offsetof(struct config, member)
#define OF_COMPILER(member)	offsetof(struct config_compiler, member)
#define OF_DIRECTORY(member)	offsetof(struct config_directory, member)

static const struct key keys[] = {
	{ "schema", SCHEMA, 0, "4.0 4.1" },
	{ "intercept", SKIPPED, 0, NULL },	/* how Bear records */
	{ "compilers", COMPILERS, 0, NULL },
	{ "compilers.path", TEXT, OF_COMPILER(path), NULL },
	{ "compilers.as", FAMILY, OF_COMPILER(family), NULL },
	{ "compilers.ignore", YES_OR_NO, OF_COMPILER(ignore), NULL },
	{ "sources", SECTION, 0, NULL },
	{ "sources.only_existing_files", YES_OR_NO, OF(only_existing), NULL },
	{ "sources.directories", DIRECTORIES, 0, NULL },
	{ "sources.directories.path", TEXT, OF_DIRECTORY(path), NULL },
	{ "sources.directories.action", WORD, OF_DIRECTORY(exclude), "include exclude" },
	{ "duplicates", SECTION, 0, NULL },
	{ "duplicates.match_on", WORDS, OF(match_on), "directory file arguments command output" },
	{ "format", SECTION, 0, NULL },
	{ "format.paths", SECTION, 0, NULL },
	{ "format.paths.directory", WORD, OF(directory), "absolute as-is canonical" },
	{ "format.paths.file", WORD, OF(file), "absolute as-is canonical relative" },
	{ "format.entries", SECTION, 0, NULL },
	{ "format.entries.use_array_format", YES_OR_NO, OF(use_array), NULL },
	{ "format.entries.include_output_field", YES_OR_NO, OF(output), NULL },
	{ "format.arguments", SECTION, 0, NULL },
	{ "format.arguments.from_response_files", YES_OR_NO, OF(files), NULL },
	{ "format.arguments.from_environment", YES_OR_NO, OF(environment), NULL },
};

/* Bear's names for families; names of our families and of their programs are valid, too. */
static const struct {
	const char *word, *program;
} aliases[] = {
	{ "gnu", "gcc" }, { "llvm", "clang" }, { "fortran", "gfortran" },
	{ "intel-fortran", "ifort" }, { "intel_fortran", "ifort" },
	{ "cray-fortran", "ftn" }, { "cray_fortran", "ftn" }, { "crayftn", "ftn" },
	{ "cray-cc", "clang" }, { "cuda", "nvcc" }, { "msvc", "cl" }, { "clang_cl", "clang-cl" },
	{ "intel_cc", "icx" }, { "intel-cc", "icx" }, { "nvidia-hpc", "nvc" },
	{ "nvidia_hpc", "nvc" }, { "pgi", "nvc" }, { "arm-clang", "armclang" },
	{ "ibm_xl", "xlc" }, { "ibm-xl", "xlc" }, { "xlclang", "xlc" }, { "mpi", "mpicc" },
	{ "qnx", "gcc" }, { "wrapper", "ccache" }, { "linker", "ld" }, { "archiver", "ar" },
};

struct reader {
	struct config *c;
	yaml_document_t doc;
	const char *file;
	struct diag *diag;
	bool ok;
};

/* ---- errors ---- */

static bool fail_at(struct reader *r, const yaml_node_t *node, const char *what, const char *more)
{
	if (r->ok)
		diag_fatal(r->diag, "%s: line %zu: %s%s", r->file, node->start_mark.line + 1, what,
			   more);
	r->ok = false;
	return false;
}

static const char *text_of(const yaml_node_t *node)
{
	return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

/* Whether a value is empty, as in "key:", or null. */
static bool is_nothing(const yaml_node_t *node)
{
	const char *text = text_of(node);

	return text && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       (!*text || !strcmp(text, "~") || !strcmp(text, "null"));
}

/* ---- values ---- */

/* Index of a word in a list, -1 if it is not in it. */
static int number_of(const char *words, const char *word)
{
	int n = 0;

	for (const char *at = words, *end; word && *at; at = *end ? end + 1 : end, n++) {
		end = strchrnul(at, ' ');
		if ((size_t)(end - at) == strlen(word) && !memcmp(at, word, strlen(word)))
			return n;
	}
	return -1;
}

static bool set_text(struct reader *r, const yaml_node_t *node, char **to)
{
	const char *text = text_of(node);

	if (!text || !*text)
		return fail_at(r, node, "expected a path or name", "");
	free(*to);
	*to = xstrdup(text);
	return true;
}

static const struct family *family_said(const char *word)
{
	const struct family *f = family_named(word, strlen(word));
	size_t own;

	for (size_t i = 0; !f && i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (!strcmp(aliases[i].word, word))
			f = family_of(aliases[i].program, NULL, &own);
	return f ? f : family_of(word, NULL, &own);
}

static bool set_family(struct reader *r, const yaml_node_t *node, const struct family **to)
{
	const char *word = text_of(node);
	struct buf known = { 0 };
	const char *separator = " ";

	*to = word ? family_said(word) : NULL;
	if (*to)
		return true;
	buf_adds(&known, "unknown compiler family; known are");
	for (const struct family *f = families; f->name; f++) {
		if (f->tool == TOOL_PROPER)
			continue;
		buf_adds(&known, separator);
		separator = ", ";
		buf_adds(&known, f->name);
	}
	buf_addc(&known, 0);
	fail_at(r, node, known.s, "");
	buf_free(&known);
	return false;
}

static bool set_bool(struct reader *r, const yaml_node_t *node, bool *to)
{
	int n = number_of("false true no yes off on", text_of(node));

	if (n < 0)
		return fail_at(r, node, "expected true or false", "");
	*to = n & 1;
	return true;
}

static bool set_word(struct reader *r, const yaml_node_t *node, const char *words, int *to)
{
	int n = number_of(words, text_of(node));

	if (n < 0)
		return fail_at(r, node, "expected one of these words: ", words);
	*to = n;
	return true;
}

static bool set_words(struct reader *r, const yaml_node_t *node, const char *words, int *to)
{
	if (node->type != YAML_SEQUENCE_NODE)
		return fail_at(r, node, "expected a list of these words: ", words);
	*to = 0;
	for (yaml_node_item_t *i = node->data.sequence.items.start;
	     i < node->data.sequence.items.top; i++) {
		int bit;

		if (!set_word(r, yaml_document_get_node(&r->doc, *i), words, &bit))
			return false;
		*to |= 1 << bit;
	}
	return *to || fail_at(r, node, "expected at least one of these words: ", words);
}

/* ---- sections ---- */

static bool read_section(struct reader *r, const yaml_node_t *node, const char *path, char *base);

static char *absolute_path(const char *path)
{
	char *here = *path == '/' ? NULL : getcwd(NULL, 0);
	struct buf b = { 0 };

	if (here)
		buf_adds(&b, here);
	if (here)
		buf_addc(&b, '/');
	buf_adds(&b, path);
	path_clean(&b);
	buf_addc(&b, 0);
	free(here);
	return b.s;
}

static bool read_compiler(struct reader *r, const yaml_node_t *node, const char *path)
{
	struct config *c = r->c;
	struct config_compiler *row;
	size_t own;

	c->compilers = xgrow(c->compilers, &c->compilers_cap, c->ncompilers + 1,
			     sizeof(*c->compilers));
	row = &c->compilers[c->ncompilers++];
	*row = (struct config_compiler){ 0 };
	if (!read_section(r, node, path, (char *)row))
		return false;
	if (!row->path)
		return fail_at(r, node, "a compiler needs a path", "");
	if (!row->family)
		row->family = family_of(row->path, NULL, &own);
	if (!row->family && !row->ignore)
		return fail_at(r, node, "the compiler's family is missing: add it, as in \"as: gcc\"",
			       "");
	row->real = strchr(row->path, '/') ? realpath(row->path, NULL) : NULL;
	return true;
}

static bool read_directory(struct reader *r, const yaml_node_t *node, const char *path)
{
	struct config *c = r->c;
	struct config_directory *row;

	c->directories = xgrow(c->directories, &c->directories_cap, c->ndirectories + 1,
			       sizeof(*c->directories));
	row = &c->directories[c->ndirectories++];
	*row = (struct config_directory){ .exclude = -1 };
	if (!read_section(r, node, path, (char *)row))
		return false;
	if (!row->path || row->exclude < 0)
		return fail_at(r, node, "a directory needs a path and an action", "");
	row->absolute = absolute_path(row->path);
	return true;
}

static bool read_list(struct reader *r, const yaml_node_t *node, const struct key *key)
{
	if (is_nothing(node))
		return true;
	if (node->type != YAML_SEQUENCE_NODE)
		return fail_at(r, node, "expected a list: ", key->path);
	for (yaml_node_item_t *i = node->data.sequence.items.start;
	     i < node->data.sequence.items.top; i++) {
		const yaml_node_t *item = yaml_document_get_node(&r->doc, *i);
		bool ok = key->value == COMPILERS ? read_compiler(r, item, key->path) :
			  read_directory(r, item, key->path);

		if (!ok)
			return false;
	}
	return true;
}

static bool read_value(struct reader *r, const yaml_node_t *node, const struct key *key, char *base)
{
	void *to = base + key->at;

	switch (key->value) {
	case SECTION:
		return read_section(r, node, key->path, base);
	case COMPILERS:
	case DIRECTORIES:
		return read_list(r, node, key);
	case SKIPPED:
		return true;
	case SCHEMA:
		return number_of(key->words, text_of(node)) >= 0 ||
		       fail_at(r, node, "known versions of the schema are ", key->words);
	case TEXT:
		return set_text(r, node, to);
	case FAMILY:
		return set_family(r, node, to);
	case YES_OR_NO:
		return set_bool(r, node, to);
	case WORD:
		return set_word(r, node, key->words, to);
	case WORDS:
		return set_words(r, node, key->words, to);
	}
	return false;
}

static const struct key *key_named(const char *section, const char *name)
{
	size_t len = strlen(section);

	for (size_t i = 0; name && i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *path = keys[i].path;

		if (len && (strncmp(path, section, len) || path[len] != '.'))
			continue;
		if (!strcmp(path + len + (len > 0), name))
			return &keys[i];
	}
	return NULL;
}

/* @base: the struct that the keys of this section are stored in */
static bool read_section(struct reader *r, const yaml_node_t *node, const char *path, char *base)
{
	if (is_nothing(node))
		return true;
	if (node->type != YAML_MAPPING_NODE)
		return fail_at(r, node, "expected keys and values", "");
	for (yaml_node_pair_t *p = node->data.mapping.pairs.start;
	     p < node->data.mapping.pairs.top; p++) {
		const yaml_node_t *name = yaml_document_get_node(&r->doc, p->key);
		const struct key *key = key_named(path, text_of(name));

		if (!key)
			return fail_at(r, name, "unknown key: ",
				       text_of(name) ? text_of(name) : "");
		if (!read_value(r, yaml_document_get_node(&r->doc, p->value), key, base))
			return false;
	}
	return true;
}

/* ---- the whole file ---- */

void config_init(struct config *c)
{
	*c = (struct config){ .use_array = true, .output = true, .files = true, .environment = true };
}

static bool read_document(struct reader *r, yaml_parser_t *parser)
{
	const yaml_node_t *root;

	if (!yaml_parser_load(parser, &r->doc)) {
		diag_fatal(r->diag, "%s: line %zu: %s", r->file, parser->problem_mark.line + 1,
			   parser->problem ? parser->problem : "cannot be read");
		return false;
	}
	root = yaml_document_get_root_node(&r->doc);
	if (root)
		read_section(r, root, "", (char *)r->c);
	yaml_document_delete(&r->doc);
	return r->ok;
}

bool config_read(struct config *c, const char *path, struct diag *diag)
{
	struct reader r = { .c = c, .file = path, .diag = diag, .ok = true };
	FILE *f = fopen(path, "re");
	yaml_parser_t parser;
	bool ok;

	if (!f || !yaml_parser_initialize(&parser)) {
		diag_fatal(diag, "%s: %s", path, strerror(errno));
		if (f)
			fclose(f);
		return false;
	}
	yaml_parser_set_input_file(&parser, f);
	ok = read_document(&r, &parser);
	yaml_parser_delete(&parser);
	fclose(f);
	return ok;
}

void config_free(struct config *c)
{
	for (size_t i = 0; i < c->ncompilers; i++) {
		free(c->compilers[i].path);
		free(c->compilers[i].real);
	}
	for (size_t i = 0; i < c->ndirectories; i++) {
		free(c->directories[i].path);
		free(c->directories[i].absolute);
	}
	free(c->compilers);
	free(c->directories);
	*c = (struct config){ 0 };
}

static bool is_called(const struct config_compiler *row, const char *program, const char *name)
{
	if (!strchr(row->path, '/'))
		return !strcmp(row->path, path_base(program)) || !strcmp(row->path, path_base(name));
	/* if links lead to the compiler, only the configured name counts, not other links to it */
	return !strcmp(row->path, program) || !strcmp(row->path, name) ||
	       (row->real && !strcmp(row->real, program) &&
		!strcmp(path_base(row->path), path_base(name)));
}

const struct config_compiler *config_find(const struct config *c, const char *program,
					  const char *name)
{
	for (size_t i = 0; i < c->ncompilers; i++)
		if (is_called(&c->compilers[i], program, name))
			return &c->compilers[i];
	return NULL;
}

bool config_has_below(const char *directory, const char *path)
{
	size_t len = strlen(directory);

	while (len && directory[len - 1] == '/')
		len--;
	return path_within(path, strlen(path), directory, len);
}
