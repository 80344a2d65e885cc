// SPDX-License-Identifier: LGPL-2.1
/* Finds the commands of a build.  See compdb_parts.h. */
#include "answers/compdb_parts.h"
#include "base/path.h"
#include "base/xalloc.h"
#include "timeline/work.h"
#include "db/scan.h"

#include <stdlib.h>
#include <string.h>

struct collector {
	struct compdb_list *l;
	struct map64 programs;	/* by file: struct name */
	struct map64 names;	/* by string id of a first argument: struct name */
	uint32_t exec, up;	/* the current exec; 1 + index of the nearest command above it */
	uint32_t cwd, program, interp;
	bool succeeded;
};

/* The kind of a program, by its name; cached, since 100,000 execs share a few names. */
struct name {
	char *path;
	const struct family *family;
	bool two;		/* its first argument may be part of its name: "zig cc" */
	bool interpreter;
};

/* The program that an exec ran, and where its arguments begin. */
struct ran {
	const struct family *family;
	size_t from;		/* index of its name in the arguments; not 0 after an interpreter */
	size_t own;		/* number of arguments that make up its name */
	bool script;		/* a script: the kernel put its interpreter in front */
	bool weak, masked;	/* masked: a wrapper with the name of the program that it wraps */
	bool ignored;		/* the configuration ignores it */
};

char *compdb_absolute(const char *directory, const char *path)
{
	struct buf b = { 0 };

	buf_room(&b, strlen(directory) + strlen(path) + 2);
	if (*path != '/') {
		buf_adds(&b, directory);
		buf_addc(&b, '/');
	}
	buf_adds(&b, path);
	path_clean(&b);
	buf_addc(&b, 0);
	return b.s;
}

struct compdb_source *compdb_source_of(struct compdb_command *c, const char *file)
{
	for (size_t i = 0; i < c->cmd.nsources; i++)
		if (!strcmp(c->sources[i].file, file))
			return &c->sources[i];
	return NULL;
}

/* ---- paths and names ---- */

/* The path of a file, without build_of(): a new database is filled without loading all of it. */
static char *path_of(struct db *db, uint32_t file)
{
	struct sqlite3_stmt *st = db_ask(db, "SELECT path FROM file WHERE id = ?", "i", (int64_t)file);
	struct buf b = { 0 };
	size_t len;

	while (db_row(db, st)) {
		const char *path = db_bytes(st, 0, &len);

		buf_add(&b, path, len);
	}
	buf_addc(&b, 0);
	return b.s;
}

static const char *directory_of(struct compdb_list *l, uint32_t cwd)
{
	uint64_t *found = map64_get(&l->directories, cwd);

	if (!found) {
		map64_put(&l->directories, cwd, (uintptr_t)path_of(l->db, cwd));
		found = map64_get(&l->directories, cwd);
	}
	return (const char *)(uintptr_t)*found;
}

static const struct name *add_name(struct map64 *names, uint32_t id, char *path)
{
	struct name *name = xcalloc(1, sizeof(*name));
	size_t own;

	name->path = path;
	name->family = family_of(path, NULL, &own);
	name->two = family_takes_word(path);
	name->interpreter = work_runs_scripts(path, strlen(path));
	map64_put(names, id, (uintptr_t)name);
	return name;
}

static const struct name *name_of(const struct map64 *names, uint32_t id)
{
	uint64_t *found = map64_get(names, id);

	return found ? (const struct name *)(uintptr_t)*found : NULL;
}

static const struct name *program_of(struct collector *c)
{
	const struct name *name = name_of(&c->programs, c->program);

	return name ? name : add_name(&c->programs, c->program, path_of(c->l->db, c->program));
}

/* The kind of a program, by its first argument: the name by which it was called. */
static const struct name *called_name(struct collector *c)
{
	uint32_t string = args_string(&c->l->args, c->exec, 0);
	const struct name *name = name_of(&c->names, string);
	struct buf text = { 0 };
	size_t len;
	const char *s;

	if (name)
		return name;
	s = args_text(&c->l->args, string, &len);
	buf_add(&text, s, len);
	buf_addc(&text, 0);
	return add_name(&c->names, string, text.s);
}

static bool may_be_tool(const struct name *name)
{
	return name->family || name->two || name->interpreter;
}

static const struct config_compiler *configured_compiler(struct collector *c, const char *program,
							 const char *name)
{
	return config_find(c->l->o->config, program, name);
}

/* Quick check whether the exec can be a command; few are. */
static bool may_be(struct collector *c)
{
	if (!args_of(&c->l->args, c->exec))
		return false;
	return may_be_tool(program_of(c)) || may_be_tool(called_name(c)) ||
	       configured_compiler(c, program_of(c)->path, called_name(c)->path);
}

static void free_names(struct map64 *names)
{
	struct map64_slot *slot;
	size_t i = 0;

	while ((slot = map64_each(names, &i))) {
		struct name *name = (struct name *)(uintptr_t)slot->value;

		free(name->path);
		free(name);
	}
	map64_clear(names);
}

/* ---- programs ---- */

/* The script of "sh ./cc -c a.c".  Return: its index; 0 if the shell runs none. */
static size_t script_by_hand(char **args, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (*args[i] != '-')
			return i;
		/* -c COMMANDS or -m MODULE, not a file */
		if (args[i][1] != '-' && strpbrk(args[i], "cm"))
			return 0;
	}
	return 0;
}

/* Index of a script for which the kernel started an interpreter: 1, or 2 if that has an option. */
static size_t script_of_kernel(const char *program, char **args, size_t n)
{
	for (size_t i = 1; i < n && i < 3; i++)
		if (!strcmp(path_base(args[i]), path_base(program)))
			return i;
	/* the script has another name if it was run through a link: its path comes first */
	return n > 1 ? 1 : 0;
}

static const struct family *family_at(struct collector *c, char **args, size_t n, size_t i,
				      size_t *own)
{
	const struct config_compiler *row = configured_compiler(c, args[i], args[i]);

	*own = 1;
	if (row)
		return row->family;
	return family_of(args[i], i + 1 < n ? args[i + 1] : NULL, own);
}

/* The family of a name; only few names also depend on their first argument. */
static const struct family *family_by(const struct name *name, char **args, size_t n, size_t from,
				      size_t *own)
{
	*own = 1;
	return name->two ? family_of(name->path, from + 1 < n ? args[from + 1] : NULL, own) :
	       name->family;
}

static struct ran ran_script(struct collector *c, char **args, size_t n, size_t from, bool script)
{
	struct ran ran = { .from = from, .script = script, .weak = true };

	ran.family = family_at(c, args, n, from, &ran.own);
	return ran;
}

/* Apply the configuration.  @by_hand: a script that is an argument of its interpreter */
static bool ran_configured(struct collector *c, struct ran *ran, char **args, size_t from,
			   bool by_hand)
{
	char *path = by_hand ? compdb_absolute(directory_of(c->l, c->cwd), args[from]) : NULL;
	const struct config_compiler *row =
		configured_compiler(c, path ? path : program_of(c)->path, args[from]);

	free(path);
	if (row)
		*ran = (struct ran){
			.family = row->family, .from = from, .own = 1, .ignored = row->ignore,
			.script = from && !by_hand,
		};
	return row;
}

static struct ran what_ran(struct collector *c, char **args, size_t n)
{
	const struct name *program = program_of(c);
	bool script = c->interp && c->program != c->interp;
	size_t from = script ? script_of_kernel(program->path, args, n) :
		      program->interpreter ? script_by_hand(args, n) : 0;
	struct ran ran = { 0 };
	const struct family *named;
	size_t own;

	if (ran_configured(c, &ran, args, from, from && !script))
		return ran;
	if (from)
		return ran_script(c, args, n, from, script);
	named = family_by(called_name(c), args, n, 0, &own);
	ran.family = family_by(program, args, n, 0, &ran.own);
	ran.weak = !ran.family;
	ran.masked = ran.family && ran.family->tool == TOOL_WRAPPER && named &&
		     named->tool == TOOL_DRIVER;
	if (ran.masked)
		ran.own = own;
	else if (named && (!ran.family || named->tool == ran.family->tool))
		ran = (struct ran){ .family = named, .own = own, .weak = ran.weak };
	return ran;
}

/* ---- commands ---- */

struct reader {
	struct compdb_list *l;
	const struct compdb_command *c;
};

static bool read_at(void *ctx, const char *name, struct buf *text)
{
	const struct reader *r = ctx;
	char *path = compdb_absolute(r->c->directory, name);
	bool read = compdb_read_file(r->l->db, r->c->exec, path, text);

	free(path);
	return read;
}

/* Make no entries for a command. */
static void ignore_command(struct compdb_command *c)
{
	c->cmd.kind = COMMAND_OTHER;
	c->cmd.why = WHY_IGNORED;
	c->cmd.links = false;
}

void compdb_take(struct compdb_list *l, struct compdb_command *c, char **args, size_t n)
{
	const struct family *f = c->cmd.family;
	struct reader r = { l, c };
	const struct command_files files = { read_at, &r };
	struct buf said = { 0 };

	for (size_t i = 0; i < c->cmd.nsources; i++)
		free(c->sources[i].file);
	free(c->sources);
	free(c->output);
	command_free(&c->cmd);
	command_parse(&c->cmd, f, args, n, c->own, &files);
	if (c->ignored)
		ignore_command(c);
	c->sources = xcalloc(c->cmd.nsources + 1, sizeof(*c->sources));
	for (size_t i = 0; i < c->cmd.nsources; i++) {
		c->sources[i].file = compdb_absolute(c->directory, c->cmd.sources[i].path);
		if (c->cmd.kind != COMMAND_COMPILE)
			c->sources[i].fate = FATE_OTHER;
	}
	c->output = NULL;
	if (c->cmd.ninputs && (c->cmd.links || c->cmd.kind == COMMAND_ARCHIVE) &&
	    command_program(&c->cmd, &said))
		c->output = compdb_absolute(c->directory, said.s);
	buf_free(&said);
}

static void free_command(struct compdb_command *c)
{
	for (size_t i = 0; i < c->cmd.nsources; i++)
		free(c->sources[i].file);
	free(c->sources);
	free(c->output);
	free(c->args);
	free(c->text);
	free(c->rebuilt);
	for (size_t i = 0; i < c->nwords; i++)
		free(c->words[i]);
	free(c->words);
	buf_free(&c->env);
	command_free(&c->cmd);
}

/* Find the command after the options of a wrapper, or of several nested ones. */
static bool unwrap_command(struct collector *of, struct compdb_command *c, const struct family *f)
{
	c->wrapper = f->runs ? NULL : f;
	c->weak = f->runs;
	while (f && f->tool == TOOL_WRAPPER) {
		struct command w = { 0 };

		command_parse(&w, f, c->args + c->inner, c->nargs - c->inner, 1, NULL);
		c->inner += w.inner;
		f = w.inner ? family_at(of, c->args, c->nargs, c->inner, &c->own) : NULL;
		command_free(&w);
	}
	c->cmd.family = f;
	return f && f->tool == TOOL_DRIVER;
}

/* Parse @row->args as a command. Return: false if unknown. */
static bool take_command(struct collector *c, struct compdb_command *row)
{
	struct ran ran = what_ran(c, row->args, row->nargs);

	if (!ran.family)
		return false;
	row->inner = ran.from;
	row->begin = ran.script ? ran.from : 0;
	row->own = ran.own;
	row->weak = ran.weak;
	row->ignored = ran.ignored;
	row->cmd.family = ran.family;
	if (ran.masked) {
		row->wrapper = ran.family;
		row->cmd.family = family_at(c, row->args, row->nargs, ran.from, &row->own);
	} else if (ran.family->tool == TOOL_WRAPPER &&
		   (ran.ignored || !unwrap_command(c, row, ran.family))) {
		return false;
	}
	/* linkers and archivers have no sources */
	if (c->l->o->paths && (row->cmd.family->tool == TOOL_LINKER ||
			       row->cmd.family->tool == TOOL_ARCHIVER))
		return false;
	row->called = row->args[row->inner];
	row->directory = directory_of(c->l, c->cwd);
	compdb_take(c->l, row, row->args + row->inner, row->nargs - row->inner);
	return true;
}

static void add_args(struct collector *c, struct compdb_command *row)
{
	const struct args *a = &c->l->args;
	struct buf text = { 0 };
	uint32_t n = args_of(a, c->exec);
	size_t len;
	char *at;

	for (uint32_t i = 0; i < n && db_args_fit(c->l->db, text.len); i++) {
		const char *s = args_text(a, args_string(a, c->exec, i), &len);

		buf_add(&text, s, len);
		buf_addc(&text, 0);
		row->nargs++;
	}
	row->args = xcalloc(row->nargs + 1, sizeof(*row->args));
	row->text = at = text.s;
	for (size_t i = 0; i < row->nargs; i++, at += strlen(at) + 1)
		row->args[i] = at;
}

bool compdb_has_file(const struct compdb_command *c)
{
	for (size_t i = c->inner + c->own; i < c->nargs; i++)
		if (*c->args[i] == '@' && c->args[i][1])
			return true;
	return false;
}

const char *compdb_own(struct compdb_command *c, char *word)
{
	c->words = xgrow(c->words, &c->words_cap, c->nwords + 1, sizeof(*c->words));
	c->words[c->nwords++] = word;
	return word;
}

static const char *keep_word(struct compdb_command *c, const char *word)
{
	return word ? compdb_own(c, xstrdup(word)) : NULL;
}

/* Free the arguments of a command, which are long, if only its sources and output are needed. */
static void forget_args(struct compdb_command *c)
{
	struct command *cmd = &c->cmd;

	c->called = keep_word(c, c->called);

	for (size_t i = 0; i < cmd->nsources; i++) {
		cmd->sources[i].path = keep_word(c, cmd->sources[i].path);
		/* with -x, the language is an argument: keep a copy */
		cmd->sources[i].language = keep_word(c, cmd->sources[i].language);
	}
	cmd->output = keep_word(c, cmd->output);
	cmd->output_dir = keep_word(c, cmd->output_dir);
	cmd->linked = keep_word(c, cmd->linked);
	free(cmd->inputs);
	free(cmd->args);
	free(c->args);
	free(c->text);
	cmd->args = NULL;
	cmd->inputs = NULL;
	cmd->nargs = cmd->ninputs = 0;
	c->args = NULL;
	c->text = NULL;
	c->nargs = 0;
	free(c->output);
	c->output = NULL;
}

/* A compiler proper, assembler or linker belongs to the driver that ran it. */
static void add_proper(struct compdb_list *l, uint32_t row)
{
	struct compdb_command *c = &l->rows[row - 1], *up = NULL;

	for (uint32_t i = c->up; i && (!up || compdb_is_proper(up)); i = up->up)
		up = &l->rows[i - 1];
	if (!up || compdb_is_proper(up))
		return;
	/* arguments of compilers proper are needed only to replace @files of their drivers */
	if (compdb_is_proper(c) && !compdb_has_file(up))
		forget_args(c);
	if (!c->cmd.nsources) {
		up->made = row;
		return;
	}
	c->next_proper = up->proper;
	up->proper = row;
}

/* Return: 1 + index of the command that the exec is; 0 if none. */
static uint32_t look_at(struct collector *c)
{
	struct compdb_list *l = c->l;
	struct compdb_command row = { .exec = c->exec, .up = c->up, .succeeded = c->succeeded };

	if (!may_be(c))
		return 0;
	add_args(c, &row);
	if (!take_command(c, &row)) {
		free_command(&row);
		return 0;
	}
	if (l->o->paths && row.cmd.family->tool == TOOL_DRIVER && !compdb_has_file(&row))
		forget_args(&row);
	l->rows = xgrow(l->rows, &l->cap, l->n + 1, sizeof(*l->rows));
	l->rows[l->n++] = row;
	if (compdb_is_proper(&row) || row.cmd.family->tool == TOOL_LINKER)
		add_proper(l, (uint32_t)l->n);
	return (uint32_t)l->n;
}

/* Parents come before their children, as ids are in the order of their beginning. */
static void take_exec(void *ctx, const struct db_cells *row)
{
	struct collector *c = ctx;
	struct compdb_list *l = c->l;
	uint32_t found;

	c->exec = db_cell_id(l->db, row, 0, DB_EXECS);
	c->up = l->near[db_earlier_of(l->db, db_cell_known(row, 1) ? row->v[1] : row->v[2], c->exec)];
	c->cwd = db_cell_id(l->db, row, 3, DB_FILES);
	c->program = db_cell_id(l->db, row, 4, DB_FILES);
	c->interp = db_cell_id(l->db, row, 5, DB_FILES);
	c->succeeded = db_cell_known(row, 6) && !row->v[6];
	found = look_at(c);
	l->near[c->exec] = found ? found : c->up;
}

void compdb_collect(struct compdb_list *l, struct db *db, const struct compdb *o)
{
	struct collector c = { .l = l };

	*l = (struct compdb_list){ .db = db, .o = o };
	l->near = xcalloc(db_ids(db, DB_EXECS) + 1ul, sizeof(*l->near));
	args_load(&l->args, db);
	db_scan(db, "exec", "id, before, parent, cwd, program, interp, status", take_exec, &c);
	free_names(&c.programs);
	free_names(&c.names);
}

void compdb_list_free(struct compdb_list *l)
{
	struct map64_slot *slot;
	size_t i = 0;

	for (size_t k = 0; k < l->n; k++)
		free_command(&l->rows[k]);
	while ((slot = map64_each(&l->directories, &i)))
		free((void *)(uintptr_t)slot->value);
	map64_clear(&l->directories);
	map64_clear(&l->passed);
	free(l->rows);
	free(l->near);
	args_free(&l->args);
}
