// SPDX-License-Identifier: LGPL-2.1
/* Prints findings as text and as JSON.  See check.h. */
#include "answers/check.h"
#include "answers/match_put.h"
#include "base/shquote.h"
#include "base/text_num.h"
#include "graph/graph.h"

#include <string.h>

static void put_quoted(struct out *out, const char *s)
{
	struct buf b = { 0 };

	sh_quote(&b, s, strlen(s));
	out_write(out, b.s, b.len);
	buf_free(&b);
}

static void put_unit(const struct check *c, struct out *out, const char *head, uint32_t unit)
{
	if (!unit)
		return;
	out_puts(out, head);
	match_put_unit(out, &c->s, unit);
}

/* Whether the class of a finding is printed. */
static bool is_classed(const struct check_finding *f)
{
	return f->class < GRAPH_NCLASSES &&
	       (f->kind <= CHECK_RACE || (f->kind == CHECK_OUTSIDE && !f->writes));
}

/* Whether the other program of a finding did the same before, rather than make the file. */
static bool is_first(const struct check_finding *f)
{
	return f->kind == CHECK_WRITERS || f->kind == CHECK_CHANGED;
}

static void put_what(struct out *out, const struct check_finding *f)
{
	bool as = f->kind == CHECK_OUTSIDE && is_classed(f);

	if (f->nmembers)
		out_printf(out, "%s ", text_counted(f->nmembers, "file", "files"));
	out_printf(out, "%s%s%s\n", f->what, as ? " as " : "", as ? graph_class_names[f->class] : "");
}

static void put_text(const struct check *c, struct out *out, const struct check_finding *f)
{
	out_printf(out, "%s: ", check_kinds[f->kind]);
	put_quoted(out, f->path);
	out_puts(out, ": ");
	put_what(out, f);
	put_unit(c, out, is_first(f) ? "  first   " : "  made by ", f->other);
	put_unit(c, out, is_first(f) ? "  then    " : "  by      ", f->unit);
	if (f->output) {
		out_puts(out, "  for     ");
		match_put_file(out, &c->s, f->output);
		out_puts(out, "\n");
	}
	if (f->more)
		out_printf(out, "  and by %u more\n", f->more);
}

/* Write the members that a finding and each file of a group have. */
static void json_found(struct json *j, const struct check_finding *f)
{
	const char *name = f->kind == CHECK_NETWORK ? "address" :
			   f->kind == CHECK_ENVIRONMENT ? "variable" : "path";

	json_text(j, name, f->path, strlen(f->path));
	json_key(j, "what");
	json_cstr(j, f->what);
	if (is_classed(f)) {
		json_key(j, "class");
		json_cstr(j, graph_class_names[f->class]);
	}
}

void check_put_path(struct out *out, const struct check_finding *f)
{
	put_quoted(out, f->path);
}

void check_json(const struct check *c, struct json *j, const struct check_finding *f)
{
	json_begin(j, '{');
	json_key(j, "finding");
	json_cstr(j, check_kinds[f->kind]);
	json_found(j, f);
	match_json_unit(j, "by", &c->s, f->unit);
	match_json_unit(j, is_first(f) ? "first" : "made_by", &c->s, f->other);
	if (f->output)
		match_json_file(j, "output", &c->s, f->output);
	json_key(j, "more");
	json_u64(j, f->more);
	if (f->nmembers) {
		json_key(j, "members");
		json_begin(j, '[');
		for (size_t i = 0; i < f->nmembers; i++) {
			json_begin(j, '{');
			json_found(j, &f->members[i]);
			json_end(j, '}');
		}
		json_end(j, ']');
	}
	json_end(j, '}');
}

void check_put(const struct check *c, struct out *out, bool json)
{
	struct json j = { .out = out };

	for (size_t i = 0; i < c->n; i++) {
		if (!json) {
			put_text(c, out, &c->rows[i]);
			continue;
		}
		check_json(c, &j, &c->rows[i]);
		json_line(&j);
	}
	if (json)
		return;
	out_printf(out, "%s; trees:", text_counted(c->n, "finding", "findings"));
	for (size_t i = 0; i < c->ntrees; i++) {
		out_puts(out, i ? ", " : " ");
		put_quoted(out, c->trees[i]);
	}
	out_puts(out, c->lists.n ? "\n" :
		 "; undeclared inputs not checked (this needs --ninja, --make, --depfiles or --kbuild)\n");
	if (c->nopen)
		out_printf(out, "%s left out, which make -np did not reach; use make -npk with the goals of the build\n",
			   text_counted(c->nopen, "step", "steps"));
}
