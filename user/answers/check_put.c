// SPDX-License-Identifier: LGPL-2.1
/* Findings, for a person and as JSON.  See check.h. */
#include "answers/check.h"
#include "answers/match_put.h"
#include "base/shquote.h"
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

static void put_text(const struct check *c, struct out *out, const struct check_finding *f)
{
	bool classed = f->kind == CHECK_OUTSIDE && !f->writes;

	out_printf(out, "%s: ", check_kinds[f->kind]);
	put_quoted(out, f->path);
	out_printf(out, ": %s%s%s\n", f->what, classed ? " as " : "",
		   classed ? graph_class_names[f->class] : "");
	put_unit(c, out, f->kind == CHECK_WRITERS ? "  first   " : "  made by ", f->other);
	put_unit(c, out, f->kind == CHECK_WRITERS ? "  then    " : "  by      ", f->unit);
	if (f->output) {
		out_puts(out, "  for     ");
		match_put_file(out, &c->s, f->output);
		out_puts(out, "\n");
	}
	if (f->more)
		out_printf(out, "  and by %u more\n", f->more);
}

void check_json(const struct check *c, struct json *j, const struct check_finding *f)
{
	json_begin(j, '{');
	json_key(j, "finding");
	json_cstr(j, check_kinds[f->kind]);
	json_text(j, f->address ? "address" : "path", f->path, strlen(f->path));
	json_key(j, "what");
	json_cstr(j, f->what);
	if (f->kind <= CHECK_RACE || (f->kind == CHECK_OUTSIDE && !f->writes)) {
		json_key(j, "class");
		json_cstr(j, graph_class_names[f->class]);
	}
	match_json_unit(j, "by", &c->s, f->unit);
	match_json_unit(j, f->kind == CHECK_WRITERS ? "first" : "made_by", &c->s, f->other);
	if (f->output)
		match_json_file(j, "output", &c->s, f->output);
	json_key(j, "more");
	json_u64(j, f->more);
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
	out_printf(out, "%zu finding%s; trees:", c->n, c->n == 1 ? "" : "s");
	for (size_t i = 0; i < c->ntrees; i++) {
		out_puts(out, i ? ", " : " ");
		put_quoted(out, c->trees[i]);
	}
	out_puts(out, c->lists.n ? "\n" :
		 "; undeclared inputs: not looked for without --ninja, --make, --depfiles or --kbuild\n");
}
