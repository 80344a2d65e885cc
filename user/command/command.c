// SPDX-License-Identifier: LGPL-2.1
/* Parses command lines.  See command.h. */
#include "command/command.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <string.h>

/* Limits for one command: number of @files, and their total size in bytes. */
#define MAX_FILES	2000u
#define MAX_TEXT	((size_t)16 << 20)

struct parser {
	struct command *c;
	const struct command_files *files;
	size_t at;			/* index of the current argument */
	/* language of the sources that follow; NULL to derive it from their names */
	const char *language;
	const char *all_language;	/* language of all sources; NULL if not given */
	bool only_files;		/* "--" was seen */
	bool nothing_read;		/* a source is standard input or /dev/null */
	bool goes_on;			/* ROLE_GOES_ON was seen */
	unsigned int nfiles;		/* @files so far */
	size_t text;			/* their total size in bytes */
};

/* ---- arguments ---- */

static void set_args(struct command *c, char **args, size_t n)
{
	c->args = xgrow(c->args, &c->args_cap, n + 1, sizeof(*c->args));
	for (size_t i = 0; i < n; i++)
		c->args[i] = args[i];
	c->nargs = n;
	c->args[n] = NULL;
}

static void own_word(void *ctx, char *word)
{
	struct command *c = ctx;

	c->owned = xgrow(c->owned, &c->owned_cap, c->nowned + 1, sizeof(*c->owned));
	c->owned[c->nowned++] = word;
}

/* Replace @replaced arguments by the words of a file.  Return: false if it cannot be read. */
static bool read_arguments(struct parser *p, const char *name, size_t replaced)
{
	struct command *c = p->c;
	struct buf text = { 0 };
	size_t n, first = c->nowned, behind = c->nargs + 1 - p->at - replaced;
	enum at_files how = c->family->at == AT_NONE ? AT_GNU : c->family->at;

	if (!p->files || p->nfiles++ >= MAX_FILES || !p->files->read(p->files->ctx, name, &text)) {
		c->unread = true;
		return false;
	}
	p->text += text.len;
	if (p->text <= MAX_TEXT)
		response_words(how, text.s, text.len, own_word, c);
	c->unread |= p->text > MAX_TEXT;
	buf_free(&text);
	n = c->nowned - first;
	c->args = xgrow(c->args, &c->args_cap, c->nargs + n + 1, sizeof(*c->args));
	memmove(c->args + p->at + n, c->args + p->at + replaced, behind * sizeof(*c->args));
	for (size_t i = 0; i < n; i++)
		c->args[p->at + i] = c->owned[first + i];
	c->nargs += n - replaced;
	return true;
}

/* ---- meaning of arguments ---- */

static void add_input(struct command *c, size_t arg)
{
	c->inputs = xgrow(c->inputs, &c->inputs_cap, c->ninputs + 1, sizeof(*c->inputs));
	c->inputs[c->ninputs++] = (uint32_t)arg;
}

/* Add an input, in arguments @from up to before @to. @path is the last of these, or part of it. */
static void take_file(struct parser *p, size_t from, size_t to, const char *path,
		      const char *language)
{
	struct command *c = p->c;

	if (!language)
		language = p->language ? p->language : language_of(c->family, path);
	if (!strcmp(path, "-") || !strcmp(path, "/dev/null")) {
		p->nothing_read = true;
		return;
	}
	add_input(c, to - 1);
	if (!language)
		return;
	c->sources = xgrow(c->sources, &c->sources_cap, c->nsources + 1, sizeof(*c->sources));
	c->sources[c->nsources++] = (struct command_source){
		.path = path, .language = language, .from = (uint32_t)from, .to = (uint32_t)to,
	};
}

/* Apply an option that says after which stage the command stops; the strongest one decides. */
static void take_stage(struct command *c, const struct option *row)
{
	if (c->stage && c->stage < row->role)
		return;
	c->stage = row->role;
	c->suffix = row->text;
}

static void take_role(struct parser *p, const struct option *row, const char *value, size_t from)
{
	struct command *c = p->c;

	if (row->role && row->role < ROLE_STAGES) {
		take_stage(c, row);
		return;
	}
	switch ((enum option_role)row->role) {
	case ROLE_LINKED:
		c->linked = value ? value : row->text;
		break;
	case ROLE_UNNAMED:
		c->unnamed = true;
		break;
	case ROLE_GOES_ON:
		p->goes_on = true;
		break;
	case ROLE_OUTPUT:
		c->output = value;
		break;
	case ROLE_OUTPUT_DIR:
		c->output_dir = value;
		break;
	case ROLE_LANGUAGE:
		value = value ? value : row->text;
		p->language = value && strcmp(value, "none") ? value : NULL;
		break;
	case ROLE_ALL_LANGUAGE:
		p->all_language = row->text;
		break;
	case ROLE_SUFFIX:
		c->suffixes = row->text;
		break;
	case ROLE_FILES:
		p->only_files = true;
		break;
	case ROLE_SOURCE:
		if (value)
			take_file(p, from, p->at, value, row->text);
		break;
	case ROLE_LISTS:
		c->lists = xgrow(c->lists, &c->lists_cap, c->nlists + 1, sizeof(*c->lists));
		c->lists[c->nlists++] = (struct command_range){ (uint32_t)from, (uint32_t)p->at };
		break;
	case ROLE_INPUT:
		if (value)
			add_input(c, p->at - 1);
		break;
	default:
		break;
	}
}

/* Return: false if it is a file whose name begins like an option. */
static bool take_option(struct parser *p)
{
	struct command *c = p->c;
	enum option_form form;
	const char *value;
	const struct option *row = option_find(c->family, c->args[p->at], &form, &value);
	size_t from = p->at, n = row ? option_values(form) : 0;

	if (!row && c->args[p->at][0] != '-')
		return false;
	/* the last argument may lack its value */
	if (n >= c->nargs - p->at)
		n = c->nargs - p->at - 1;
	if (n)
		value = c->args[p->at + n];
	if (row && row->role == ROLE_ARGUMENTS && value && read_arguments(p, value, n + 1))
		return true;
	p->at += n + 1;
	if (row && row->role == ROLE_REST)
		p->at = c->nargs;
	else if (row)
		take_role(p, row, value, from);
	return true;
}

static bool is_option(const struct parser *p, const char *arg)
{
	return *arg && arg[1] && strchr(p->c->family->dashes, *arg) && !p->only_files;
}

/* Parse all arguments from p->at on. */
static void take_all(struct parser *p)
{
	struct command *c = p->c;

	while (p->at < c->nargs) {
		const char *arg = c->args[p->at];

		if (*arg == '@' && arg[1] && c->family->at != AT_NONE &&
		    read_arguments(p, arg + 1, 1))
			continue;
		if (is_option(p, arg) && take_option(p))
			continue;
		p->at++;
		if (*arg && *arg != '@')
			take_file(p, p->at - 1, p->at, arg, NULL);
	}
}

/* ---- kinds of programs ---- */

static bool is_header(const struct command_source *s)
{
	size_t len = strlen(s->language);

	return len > 7 && !strcmp(s->language + len - 7, "-header");
}

static void judge_driver(struct parser *p)
{
	struct command *c = p->c;
	bool headers = c->nsources;

	for (size_t i = 0; i < c->nsources; i++) {
		if (p->all_language)
			c->sources[i].language = p->all_language;
		headers = headers && is_header(&c->sources[i]);
	}
	if (p->goes_on && (c->stage == ROLE_DEPENDS || c->stage == ROLE_PREPROCESS))
		c->stage = ROLE_NONE;
	if (!c->stage && c->family->compiles_only)
		c->stage = ROLE_OBJECT;
	c->links = !c->stage && !headers;
	if (c->stage == ROLE_ASK)
		c->why = WHY_ASKS;
	else if (c->nsources)
		c->kind = COMMAND_COMPILE;
	else if (p->nothing_read)
		c->why = WHY_STANDARD_INPUT;
	else if (c->links && c->ninputs)
		c->kind = COMMAND_LINK;
	else
		c->why = WHY_NO_SOURCE;
	if (c->kind == COMMAND_COMPILE && c->stage == ROLE_DEPENDS)
		c->why = WHY_DEPENDS;
	if (c->kind == COMMAND_COMPILE && c->stage == ROLE_PREPROCESS)
		c->why = WHY_PREPROCESSES;
	if (c->why)
		c->kind = COMMAND_OTHER;
}

static void judge_linker(struct command *c)
{
	c->nsources = 0;
	if (c->stage == ROLE_ASK)
		c->why = WHY_ASKS;
	else if (c->ninputs)
		c->kind = COMMAND_LINK;
	else
		c->why = WHY_NO_SOURCE;
	c->links = true;
}

/*
 * Key letters of an archiver: whether any were given, whether they add members, and the number of
 * arguments before the archive.
 */
struct letters {
	bool said, puts;
	size_t before;
};

static void take_letters(struct letters *l, const char *letters)
{
	l->said = true;
	l->puts |= strpbrk(letters, "rq") != NULL;
	l->before += strpbrk(letters, "abi") != NULL;
	l->before += strchr(letters, 'N') != NULL;
}

/* Only commands that add members count: "ar rcs lib.a a.o b.o", "ar -r -c lib.a a.o". */
static void judge_archiver(struct command *c)
{
	struct letters l = { .said = c->stage == ROLE_OBJECT, .puts = c->stage == ROLE_OBJECT };

	for (size_t i = 1; i < c->nargs; i++) {
		enum option_form form;
		const char *value;

		if (c->args[i][0] == '-' && c->args[i][1] != '-' &&
		    !option_find(c->family, c->args[i], &form, &value))
			take_letters(&l, c->args[i] + 1);
	}
	if (!l.said && c->ninputs) {
		take_letters(&l, c->args[c->inputs[0]]);
		l.before++;
	}
	c->nsources = 0;
	c->why = c->stage == ROLE_ASK ? WHY_ASKS : WHY_NO_SOURCE;
	if (!l.puts || c->stage == ROLE_ASK || c->ninputs <= l.before + 1)
		return;
	c->output = c->args[c->inputs[l.before]];
	c->ninputs -= l.before + 1;
	memmove(c->inputs, c->inputs + l.before + 1, c->ninputs * sizeof(*c->inputs));
	c->kind = COMMAND_ARCHIVE;
	c->why = WHY_NONE;
}

/* "NAME=value" before a command, as for env and ccache; or a number, as for timeout and taskset. */
static bool is_setting(const char *arg)
{
	size_t n = strcspn(arg, "=/");

	return (n && arg[n] == '=') || (*arg >= '0' && *arg <= '9');
}

/* Find the inner command, which begins after a wrapper's own options. */
static void find_inner(struct parser *p)
{
	struct command *c = p->c;

	while (p->at < c->nargs) {
		const char *arg = c->args[p->at];

		if (!is_option(p, arg) && !is_setting(arg)) {
			c->inner = p->at;
			return;
		}
		if (!is_option(p, arg) || !take_option(p))
			p->at++;
	}
}

void command_parse(struct command *c, const struct family *f, char **args, size_t n, size_t own,
		   const struct command_files *files)
{
	struct parser p = { .c = c, .files = files, .at = own < n ? own : n };

	c->family = f;
	set_args(c, args, n);
	if (f->tool == TOOL_WRAPPER) {
		find_inner(&p);
		return;
	}
	take_all(&p);
	switch (f->tool) {
	case TOOL_LINKER:
		judge_linker(c);
		break;
	case TOOL_ARCHIVER:
		judge_archiver(c);
		break;
	default:
		judge_driver(&p);
	}
}

void command_free(struct command *c)
{
	for (size_t i = 0; i < c->nowned; i++)
		free(c->owned[i]);
	free(c->owned);
	free(c->args);
	free(c->sources);
	free(c->inputs);
	free(c->lists);
	*c = (struct command){ 0 };
}

/* ---- outputs ---- */

/* Of two suffixes the first one is for assembly, the second one for objects. */
static void add_suffix(const struct command *c, struct buf *path)
{
	const char *blank = c->suffixes ? strchr(c->suffixes, ' ') : NULL;

	if (c->suffixes && c->stage == ROLE_ASSEMBLY && blank)
		buf_add(path, c->suffixes, (size_t)(blank - c->suffixes));
	else if (c->suffixes)
		buf_adds(path, blank ? blank + 1 : c->suffixes);
	else if (c->suffix || c->family->object)
		buf_adds(path, c->suffix ? c->suffix : c->family->object);
}

static void add_stem(const struct command *c, struct buf *path, const char *source)
{
	const char *name = path_base(source), *dot;
	const char *backslash = c->family->at == AT_WINDOWS ? strrchr(name, '\\') : NULL;

	name = backslash ? backslash + 1 : name;
	dot = strrchr(name, '.');

	buf_add(path, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static void add_directory(struct buf *path, const char *directory)
{
	if (!directory)
		return;
	buf_adds(path, directory);
	if (*directory && !strchr("/\\", directory[strlen(directory) - 1]))
		buf_addc(path, '/');
}

/* Default name of the output of a link; NULL if unknown. */
static const char *default_program(const struct command *c)
{
	const char *program = c->family->program;

	return c->family->together && c->nsources > 1 ? NULL : program;
}

/* The default output of a command that does not name one. */
static bool name_default(const struct command *c, const struct command_source *s, struct buf *path)
{
	const char *program = default_program(c);

	if (c->links && program && *program == '*') {
		add_stem(c, path, s->path);
		program++;
	} else if (c->links || (!c->suffix && !c->suffixes && !c->family->object)) {
		/* a link, or a family with unknown object names */
	} else if (is_header(s) && !c->suffix) {
		buf_adds(path, c->output_dir ? path_base(s->path) : s->path);
		program = ".gch";
	} else {
		add_stem(c, path, s->path);
		add_suffix(c, path);
		return true;
	}
	if (program)
		buf_adds(path, program);
	return program;
}

static bool name_output(const struct command *c, const struct command_source *s, struct buf *path)
{
	size_t len = c->output ? strlen(c->output) : 0;
	bool directory = len && strchr("/\\", c->output[len - 1]);

	if (len && !directory) {
		if (*c->output != '/')
			add_directory(path, c->output_dir);
		buf_adds(path, c->output);
		return true;
	}
	if (c->links && c->linked) {
		buf_adds(path, c->linked);
		return true;
	}
	add_directory(path, directory ? c->output : c->output_dir);
	return !c->unnamed && name_default(c, s, path);
}

bool command_prints(const struct command *c)
{
	return c->output && !strcmp(c->output, "-");
}

bool command_output(const struct command *c, const struct command_source *s, struct buf *path)
{
	bool known = !c->stage || c->stage > ROLE_CHECK || (c->stage != ROLE_CHECK && c->output);

	path->len = 0;
	known = known && !command_prints(c) && name_output(c, s, path);
	buf_addc(path, 0);
	path->len--;
	return known;
}

bool command_program(const struct command *c, struct buf *path)
{
	struct command link = *c;
	struct command_source first = { .path = c->args[c->inputs[0]], .language = "" };
	bool known;

	path->len = 0;
	link.stage = ROLE_NONE;
	link.links = true;
	/* on Windows, @output names objects only (/Fo), and @linked the program (/Fe) */
	if (c->linked && (!c->output || c->family->at == AT_WINDOWS))
		link.output = c->linked;
	known = name_output(&link, &first, path);
	buf_addc(path, 0);
	path->len--;
	return known;
}

bool command_drops(const struct command *c, const struct command_source *s, size_t arg)
{
	for (size_t i = 0; i < c->nlists; i++)
		if (arg >= c->lists[i].from && arg < c->lists[i].to)
			return true;
	if (c->family->together)
		return false;
	for (size_t i = 0; i < c->nsources; i++)
		if (&c->sources[i] != s && arg >= c->sources[i].from && arg < c->sources[i].to)
			return true;
	return false;
}
