// SPDX-License-Identifier: LGPL-2.1
/*
 * Reads the parts of build.ninja that define dependencies: rules, variables, build
 * statements, include and subninja, dyndep files ("Ninja file reference" of its manual).
 */
#include "answers/answers.h"
#include "answers/lists.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct diag_kind strange_line = {
	"lines of ninja files not understood, skipped", DIAG_DAMAGE
};
struct binding {
	char *name;
	struct buf value;
};

struct bindings {
	struct binding *rows;
	size_t n, cap;
};

struct rule {
	char *name;
	struct bindings raw;	/* not expanded, since each use expands them again */
};

/* Where variables are looked up; the last definition counts. */
struct scope {
	const struct scope *up;
	struct bindings vars;
	const struct rule *rule;	/* rule of a build statement; otherwise NULL */
	const struct buf *in, *out;
	unsigned int depth;
};

struct ninja {
	struct lists *l;
	const char *dir, *then;	/* directory of build.ninja now and in the build, absolute */
	struct rule *rules;
	size_t n, cap;
	unsigned int depth;	/* nesting depth of includes */
	struct dyndep {
		char *path;	/* path as in the statement */
		uint32_t group;	/* group of the statement */
	} *dyndeps;
	size_t ndyndeps, dyndeps_cap;
};

/* A file that is being read: its path, its text, and the position in it. */
struct text {
	const char *path, *start, *s;
};

#define DEEPEST 32

/* ---- variables ---- */

static void bindings_free(struct bindings *b)
{
	for (size_t i = 0; i < b->n; i++) {
		free(b->rows[i].name);
		buf_free(&b->rows[i].value);
	}
	free(b->rows);
	*b = (struct bindings){ 0 };
}

static void bind_name(struct bindings *b, const char *name, size_t len, struct buf value)
{
	b->rows = xgrow(b->rows, &b->cap, b->n + 1, sizeof(*b->rows));
	b->rows[b->n++] = (struct binding){ xstrndup(name, len), value };
}

static const struct buf *bound_value(const struct bindings *b, const char *name, size_t len)
{
	for (size_t i = b->n; i--;)
		if (bytes_are(name, len, b->rows[i].name))
			return &b->rows[i].value;
	return NULL;
}

static const char *expand_text(struct scope *s, const char *p, bool path, struct buf *to);

static void expand_variable(struct scope *s, const char *name, size_t len, struct buf *to)
{
	const struct buf *value = NULL;

	if (s->rule && len == 2 && !memcmp(name, "in", 2))
		value = s->in;
	else if (s->rule && len == 3 && !memcmp(name, "out", 3))
		value = s->out;
	for (const struct scope *at = s; at && !value; at = at->up) {
		value = bound_value(&at->vars, name, len);
		if (value || !at->rule)
			continue;
		value = bound_value(&at->rule->raw, name, len);
		if (value && s->depth < DEEPEST) {
			s->depth++;
			expand_text(s, value->s, false, to);
			s->depth--;
		}
		if (value)
			return;
	}
	if (value)
		buf_add(to, value->s, value->len);
}

static bool name_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* Expand the text after a "$".  Return: the position after it. */
static const char *expand_dollar(struct scope *s, const char *p, struct buf *to)
{
	const char *end = p;

	if (*p == '\n' || (*p == '\r' && p[1] == '\n')) {
		p += *p == '\r' ? 2 : 1;
		return p + strspn(p, " ");
	}
	if (*p == '{') {
		end = p + strcspn(p, "}\n");
		if (*end != '}')
			return end;
		expand_variable(s, p + 1, (size_t)(end - p) - 1, to);
		return end + 1;
	}
	while (name_byte(*end))
		end++;
	if (end > p) {
		expand_variable(s, p, (size_t)(end - p), to);
		return end;
	}
	if (!*p)
		return p;
	buf_addc(to, *p);
	return p + 1;
}

/* Expand a value up to the end of the line, or one path.  Return: the position after it. */
static const char *expand_text(struct scope *s, const char *p, bool path, struct buf *to)
{
	while (*p && *p != '\n' && !(*p == '\r' && p[1] == '\n')) {
		if (path && strchr(" :|", *p))
			break;
		if (*p == '$')
			p = expand_dollar(s, p + 1, to);
		else
			buf_addc(to, *p++);
	}
	return p;
}

/* The position after a line and its continuations. */
static const char *next_line(const char *p)
{
	for (; *p && *p != '\n'; p++) {
		if (*p == '$' && p[1] == '\r' && p[2] == '\n')
			p += 2;
		else if (*p == '$' && p[1])
			p++;
	}
	return p + (*p == '\n');
}

/* Read "  name = value" lines below a statement.  In a rule @s is NULL: values stay unexpanded. */
static void read_block(struct text *t, struct scope *s, struct bindings *to)
{
	while (*t->s == ' ') {
		const char *line = t->s + strspn(t->s, " "), *p = line;
		struct buf value = { 0 };

		t->s = next_line(line);
		while (name_byte(*p) || *p == '.')
			p++;
		if (p == line)
			continue;
		const char *end = p;

		p += strspn(p, " ");
		if (*p != '=')
			continue;
		p++;
		p += strspn(p, " ");
		if (s) {
			expand_text(s, p, false, &value);
		} else {
			buf_add(&value, p, (size_t)(t->s - p));
			while (value.len && strchr("\r\n", value.s[value.len - 1]))
				value.len--;
		}
		buf_addc(&value, 0);
		value.len--;
		bind_name(to, line, (size_t)(end - line), value);
	}
}

/* ---- statements ---- */

/* Read a list of paths as nodes. */
static const char *read_paths(struct ninja *n, struct scope *s, const char *p,
			      struct lists_group *to, struct buf *names)
{
	struct buf b = { 0 };

	for (;;) {
		const char *before;

		p += strspn(p, " ");
		if (*p == '$' && (p[1] == '\n' || p[1] == '\r')) {
			p = expand_dollar(s, p + 1, &b);
			continue;
		}
		b.len = 0;
		before = p;
		p = expand_text(s, p, true, &b);
		if (p == before)
			break;
		if (!b.len)
			continue;
		to->nodes = xgrow(to->nodes, &to->cap, to->n + 1, sizeof(*to->nodes));
		to->nodes[to->n++] = lists_node(n->l, n->then, b.s, b.len);
		if (names) {
			buf_adds(names, names->len ? " " : "");
			buf_add(names, b.s, b.len);
		}
	}
	buf_free(&b);
	return p;
}

static void report_strange(struct ninja *n, const struct text *t, const char *at)
{
	uint64_t line = 1;

	for (const char *p = t->start; p < at; p++)
		line += *p == '\n';
	diag_report(n->l->diag, &strange_line, t->path, DIAG_LINE, line, NULL);
}


/* Read the present content of a file that a statement names.  Return: whether it exists. */
static bool read_named(const struct ninja *n, const char *path, struct buf *text)
{
	struct buf now = { 0 };
	bool ok;

	if (!*path)
		return false;
	if (*path != '/') {
		buf_adds(&now, n->dir);
		buf_addc(&now, '/');
	}
	buf_add(&now, path, strlen(path) + 1);
	ok = lists_text(now.s, text);
	buf_free(&now);
	return ok;
}

/* Read the depfile of a rule without "deps": ninja reads it at each start, if it exists. */
static void read_depfile(struct ninja *n, struct scope *s)
{
	struct buf path = { 0 }, kept = { 0 }, text = { 0 };

	expand_variable(s, "depfile", 7, &path);
	expand_variable(s, "deps", 4, &kept);
	buf_addc(&path, 0);
	if (!kept.len && read_named(n, path.s, &text))
		lists_depfile(n->l, n->then, &text);
	buf_free(&path);
	buf_free(&kept);
	buf_free(&text);
}

/* The built-in rule that runs nothing; also used for rules that are not defined. */
static const struct rule phony = { .name = "phony" };

static const struct rule *find_rule(const struct ninja *n, const char *name, size_t len)
{
	for (size_t i = n->n; i--;)
		if (bytes_are(name, len, n->rules[i].name))
			return &n->rules[i];
	return &phony;
}

/* Read "OUTPUT... | MORE...: ".  Return: the position after it; NULL if it is something else. */
static const char *read_outputs(struct ninja *n, struct scope *s, const char *p,
				struct lists_group *outs, struct buf *names)
{
	p = read_paths(n, s, p, outs, names);
	if (*p == '|')
		p = read_paths(n, s, p + 1, outs, NULL);
	return *p == ':' && outs->n ? p + 1 + strspn(p + 1, " ") : NULL;
}

/* Read "INPUT... | MORE... || ORDER... |@ CHECKS..."; CHECKS are built, but are not inputs. */
static const char *read_inputs(struct ninja *n, struct scope *s, const char *p,
			       struct lists_group *ins, struct buf *names)
{
	struct lists_group checks = { 0 };

	p = read_paths(n, s, p, ins, names);
	while (*p == '|') {
		bool checked = p[1] == '@';

		/* "||" is "|" twice, with nothing between */
		p = read_paths(n, s, p + (checked ? 2 : 1), checked ? &checks : ins, NULL);
	}
	free(checks.nodes);
	return p;
}

static void declare_group(struct lists *l, uint32_t group, const struct lists_group *outs,
			  const struct lists_group *ins, bool phony)
{
	for (size_t i = 0; i < ins->n; i++) {
		l->nodes[ins->nodes[i]].wanted |= !phony;
		lists_group_add(l, group, ins->nodes[i]);
	}
	for (size_t i = 0; i < outs->n; i++) {
		l->nodes[outs->nodes[i]].rule = group;
		l->nodes[outs->nodes[i]].target |= l->groups[group].n > 0;
	}
}

static void keep_variables(struct ninja *n, struct scope *s, uint32_t group)
{
	struct buf command = { 0 }, dyndep = { 0 };

	expand_variable(s, "command", 7, &command);
	if (command.len)
		n->l->groups[group].command = hash_bytes(command.s, command.len);
	expand_variable(s, "dyndep", 6, &dyndep);
	if (dyndep.len) {
		buf_addc(&dyndep, 0);
		n->dyndeps = xgrow(n->dyndeps, &n->dyndeps_cap, n->ndyndeps + 1,
				   sizeof(*n->dyndeps));
		n->dyndeps[n->ndyndeps++] = (struct dyndep){ dyndep.s, group };
	}
	buf_free(&command);
}

static void read_build(struct ninja *n, struct text *t, const struct scope *file, const char *p)
{
	struct buf in = { 0 }, out = { 0 };
	struct scope s = { .up = file, .in = &in, .out = &out }, outer = { .up = file };
	struct lists_group outs = { 0 }, ins = { 0 };
	const char *statement = p, *name;
	uint32_t group;

	t->s = next_line(p);
	read_block(t, &outer, &s.vars);
	p = name = read_outputs(n, &s, p, &outs, &out);
	if (!name) {
		report_strange(n, t, statement);
		goto done;
	}
	while (name_byte(*p) || *p == '.')
		p++;
	s.rule = find_rule(n, name, (size_t)(p - name));
	p = read_inputs(n, &s, p, &ins, &in);
	if (*p && *p != '\n' && *p != '\r')
		report_strange(n, t, statement);
	group = lists_group_new(n->l);
	declare_group(n->l, group, &outs, &ins, s.rule == &phony);
	buf_addc(&in, 0);
	buf_addc(&out, 0);
	in.len--;
	out.len--;
	read_depfile(n, &s);
	keep_variables(n, &s, group);
done:
	bindings_free(&s.vars);
	free(outs.nodes);
	free(ins.nodes);
	buf_free(&in);
	buf_free(&out);
}

static bool read_file(struct ninja *n, const char *path, struct scope *s);

/* Read include FILE, or subninja FILE, which has a separate scope for variables. */
static bool read_other(struct ninja *n, struct scope *s, const char *p, bool own)
{
	struct scope inner = { .up = s };
	struct buf path = { 0 }, name = { 0 };
	bool ok;

	expand_text(s, p, false, &name);
	if (!name.len || *name.s != '/') {
		buf_adds(&path, n->dir);
		buf_addc(&path, '/');
	}
	buf_add(&path, name.s, name.len);
	buf_addc(&path, 0);
	ok = read_file(n, path.s, own ? &inner : s);
	bindings_free(&inner.vars);
	buf_free(&path);
	buf_free(&name);
	return ok;
}

/* Return: the position after @word and spaces; NULL if @s begins with another word. */
static const char *skip_keyword(const char *s, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(s, word, n) && s[n] == ' ' ? s + n + strspn(s + n, " ") : NULL;
}

static void read_rule(struct ninja *n, struct text *t, const char *p)
{
	struct rule r = { 0 };
	const char *end = p;

	while (name_byte(*end) || *end == '.')
		end++;
	r.name = xstrndup(p, (size_t)(end - p));
	t->s = next_line(p);
	read_block(t, NULL, &r.raw);
	n->rules = xgrow(n->rules, &n->cap, n->n + 1, sizeof(*n->rules));
	n->rules[n->n++] = r;
}

static bool read_statement(struct ninja *n, struct text *t, struct scope *s)
{
	const char *line = t->s, *p;
	struct bindings ignored = { 0 };
	struct buf value = { 0 };

	p = skip_keyword(line, "build");
	if (p) {
		read_build(n, t, s, p);
		return true;
	}
	p = skip_keyword(line, "rule");
	if (p) {
		read_rule(n, t, p);
		return true;
	}
	t->s = next_line(line);
	if (skip_keyword(line, "pool") || skip_keyword(line, "default")) {
		read_block(t, s, &ignored);
		bindings_free(&ignored);
		return true;
	}
	p = skip_keyword(line, "include");
	if (!p)
		p = skip_keyword(line, "subninja");
	if (p && *p != '=')
		return read_other(n, s, p, *line == 's');
	for (p = line; name_byte(*p) || *p == '.';)
		p++;
	size_t len = (size_t)(p - line);

	p += strspn(p, " ");
	if (len && *p == '=') {
		expand_text(s, p + 1 + strspn(p + 1, " "), false, &value);
		bind_name(&s->vars, line, len, value);
	} else {
		report_strange(n, t, line);
	}
	return true;
}

static bool read_file(struct ninja *n, const char *path, struct scope *s)
{
	struct buf b = { 0 };
	struct text t = { .path = path };
	bool ok = n->depth < DEEPEST && lists_text(path, &b);

	if (!ok) {
		diag_fatal(n->l->diag, "%s: %s", path,
			   n->depth < DEEPEST ? strerror(errno) : "includes itself");
		buf_free(&b);
		return false;
	}
	n->depth++;
	t.start = t.s = b.s;
	while (*t.s && ok) {
		size_t blank = strspn(t.s, " \t\r");

		if (t.s[blank] == '#' || t.s[blank] == '\n' || !t.s[blank])
			t.s += blank + strcspn(t.s + blank, "\n") + (strchr(t.s, '\n') != NULL);
		else
			ok = read_statement(n, &t, s);
	}
	n->depth--;
	buf_free(&b);
	return ok;
}

/* ---- dyndep files ---- */

/* "build OUTPUT | MORE...: dyndep | INPUTS...": adds to the statement that makes the output. */
static void read_dyndep_build(struct ninja *n, const char *p)
{
	struct lists_group outs = { 0 }, ins = { 0 };
	struct scope s = { 0 };
	uint32_t group;

	p = read_outputs(n, &s, p, &outs, NULL);
	group = p ? n->l->nodes[outs.nodes[0]].rule : 0;
	if (group) {
		read_inputs(n, &s, p + strcspn(p, " |\r\n"), &ins, NULL);
		declare_group(n->l, group, &outs, &ins, false);
	}
	free(outs.nodes);
	free(ins.nodes);
}

/* Read a dyndep file, which the build makes; without it, some inputs are unknown. */
static void read_dyndep(struct ninja *n, const struct dyndep *d)
{
	uint32_t node = lists_node(n->l, n->then, d->path, strlen(d->path));
	struct buf text = { 0 };

	if (!n->l->nodes[node].dyndep) {
		n->l->groups[d->group].partly = !read_named(n, d->path, &text);
		n->l->nodes[node].dyndep = !n->l->groups[d->group].partly;
	}
	for (const char *s = text.len ? text.s : ""; *s; s = next_line(s)) {
		const char *p = skip_keyword(s, "build");

		if (p)
			read_dyndep_build(n, p);
	}
	buf_free(&text);
}

bool lists_ninja(struct lists *l, const char *dir)
{
	struct buf at = { 0 }, then = { 0 }, path = { 0 };
	struct ninja n = { .l = l };
	struct scope top = { 0 };
	const struct buf *builddir;
	bool ok;

	answers_path(&at, dir);
	buf_addc(&at, 0);
	lists_then(l, at.s, &then);
	buf_addc(&then, 0);
	n.dir = at.s;
	n.then = then.s;
	buf_add(&path, at.s, at.len - 1);
	buf_add(&path, "/build.ninja", sizeof("/build.ninja"));
	ok = read_file(&n, path.s, &top);
	l->rules |= ok;
	builddir = bound_value(&top.vars, "builddir", 8);
	path.len = builddir && *builddir->s == '/' ? 0 : at.len - 1;
	if (builddir) {
		buf_adds(&path, "/");
		buf_add(&path, builddir->s, builddir->len);
	}
	buf_add(&path, "/.ninja_deps", sizeof("/.ninja_deps"));
	if (ok)
		lists_ninja_log(l, then.s, path.s);
	for (size_t i = 0; i < n.ndyndeps; i++) {
		read_dyndep(&n, &n.dyndeps[i]);
		free(n.dyndeps[i].path);
	}
	for (size_t i = 0; i < n.n; i++) {
		free(n.rules[i].name);
		bindings_free(&n.rules[i].raw);
	}
	free(n.rules);
	free(n.dyndeps);
	bindings_free(&top.vars);
	buf_free(&at);
	buf_free(&then);
	buf_free(&path);
	return ok;
}
