// SPDX-License-Identifier: LGPL-2.1
/* Writes the first view of a page: failures, and what to make faster first.  See page_parts.h. */
#include "answers/failures.h"
#include "answers/faster.h"
#include "show/page_parts.h"
#include "event/redact.h"

/* Maximum number of failures that are shown with more than their kind. */
#define FAILURES	200u

static void put_string(struct json *j, const char *name, const struct buf *b)
{
	json_key(j, name);
	json_str(j, b->s ? b->s : "", b->len);
}

static void put_id(struct json *j, const char *name, uint32_t id)
{
	json_key(j, name);
	json_i64(j, (int64_t)id - 1);
}

static void put_failure(struct page *p, struct json *j, const struct failures *f, uint32_t exec)
{
	struct failure_on on;
	struct buf how = { 0 }, printed = { 0 };

	failures_printed(p->db, exec, &printed);
	if (p->db->redact && printed.len)
		redact_line(printed.s, &printed.len);
	failures_on(f, exec, &on);
	failures_how(p->db, exec, &how);
	json_begin(j, '{');
	put_id(j, "program", exec);
	put_id(j, "command", failures_command(f, exec));
	json_key(j, "after");
	json_u64(j, failures_after(f, exec));
	put_string(j, "how", &how);
	json_member(j, "reason", failure_reason_word(on.reason));
	put_string(j, "path", &on.path);
	put_string(j, "printed", &printed);
	json_end(j, '}');
	failure_on_free(&on);
	buf_free(&printed);
	buf_free(&how);
}

static void put_failures(struct page *p, struct json *j)
{
	const struct failures *f = failures_of(p->db);
	struct buf text = { 0 };
	const uint32_t *list;
	size_t n, put = 0;

	failures_text(p->db, f, &text);
	put_string(j, "failure", &text);
	list = failures_list(f, &n);
	json_list(j, "failures");
	for (size_t i = 0; i < n && put < FAILURES; i++) {
		enum failure_kind kind = failures_kind(f, list[i]);

		if (kind != FAILURE_FIRST && kind != FAILURE_REAL)
			continue;
		put_failure(p, j, f, list[i]);
		put++;
	}
	json_end(j, ']');
	buf_free(&text);
}

static void put_faster(struct page *p, struct json *j)
{
	static const char *const kinds[FASTER_KINDS] = {
		[FASTER_STEP] = "step", [FASTER_ITSELF] = "itself", [FASTER_PLACES] = "places",
	};
	struct buf label = { 0 };

	json_list(j, "faster");
	for (unsigned int i = 0; i < p->faster.n; i++) {
		const struct faster_row *r = &p->faster.rows[i];

		label.len = 0;
		faster_label(&p->t, r, &label);
		json_begin(j, '{');
		json_member(j, "kind", kinds[r->kind]);
		put_string(j, "label", &label);
		put_id(j, "program", r->exec);
		json_key(j, "took");
		json_i64(j, r->took);
		json_key(j, "saves");
		json_i64(j, r->saves);
		json_key(j, "from");
		json_i64(j, r->at);
		json_key(j, "to");
		json_i64(j, r->until);
		json_key(j, "average");
		json_f64(j, r->average);
		json_key(j, "serial");
		json_bool(j, faster_is_serial(&p->t, r));
		json_end(j, '}');
	}
	json_end(j, ']');
	buf_free(&label);
}

void page_overview_put(struct page *p)
{
	struct out *out = page_section(&p->sections, "overview");
	struct json j = { .out = out };

	json_begin(&j, '{');
	put_failures(p, &j);
	put_faster(p, &j);
	json_end(&j, '}');
	out_close(out);
}
