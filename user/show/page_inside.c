// SPDX-License-Identifier: LGPL-2.1
/* Writes the time traces of compilers into a page.  See page_parts.h. */
#include "show/page_parts.h"
#include "base/utf8.h"
#include "timeline/traced.h"

#include <stdio.h>

/* Maximum number of bytes of a command in a message. */
#define MAX_COMMAND	80u

struct writing {
	struct page *p;
	uint64_t budget;
	struct json j;		/* writer of the current block; its @out is NULL if none */
	uint32_t exec;		/* exec of the current array, 0 if none */
};

static void end_block(struct writing *w)
{
	if (!w->j.out)
		return;
	json_end(&w->j, ']');
	json_end(&w->j, '}');
	out_close(w->j.out);
	w->j = (struct json){ .out = NULL };
	w->exec = 0;
}

/* End the array of the previous program, and begin that of the next one, in its block. */
static void begin_program(struct writing *w, uint32_t exec)
{
	char key[16];

	if (w->exec && (exec - 1) / PAGE_BLOCK != (w->exec - 1) / PAGE_BLOCK)
		end_block(w);
	if (w->exec) {
		json_end(&w->j, ']');
	} else {
		w->j.out = page_section_of(&w->p->sections, "inside", (exec - 1) / PAGE_BLOCK);
		json_begin(&w->j, '{');
	}
	snprintf(key, sizeof(key), "%u", exec - 1);
	json_list(&w->j, key);
	w->exec = exec;
}

static void put_slice(void *ctx, uint32_t exec, const struct inside_slice *s)
{
	struct writing *w = ctx;

	if (w->p->sections.packed > w->budget)
		return;
	if (exec != w->exec)
		begin_program(w, exec);
	json_begin(&w->j, '[');
	json_cstr(&w->j, s->name);
	json_cstr(&w->j, s->detail);
	json_i64(&w->j, s->from);
	json_i64(&w->j, s->to - s->from);
	json_i64(&w->j, s->depth);
	json_end(&w->j, ']');
}

/* Report time traces that could not be read, also on standard error. */
static void report_faults(struct page *p)
{
	struct traced_faults faults = { 0 };
	struct buf name = { 0 };

	for (size_t i = 0; i < p->traces.n; i++) {
		const struct inside_row *row = &p->traces.rows[i];

		if (!row->fault)
			continue;
		name.len = 0;
		if (row->file) {
			answers_file_path(p->db, row->file, &name);
		} else {
			answers_command(p->db, row->exec, &name);
			name.len = utf8_cut(name.s, name.len, MAX_COMMAND);
		}
		traced_fault(&faults, name.s, name.len, row->fault);
	}
	traced_faults_end(&faults, p->db->diag);
	buf_free(&name);
}

bool page_inside_put(struct page *p, uint64_t budget)
{
	struct writing w = { .p = p, .budget = budget };
	size_t n = p->sections.n;
	struct timeline t;

	timeline_load(&t, p->db);
	inside_find(&t, p->inside, put_slice, &w, &p->traces);
	timeline_free(&t);
	end_block(&w);
	report_faults(p);
	if (p->sections.packed <= budget)
		return true;
	page_sections_forget(&p->sections, n);
	return false;
}

void page_inside_meta(struct page *p, struct json *j)
{
	struct buf path = { 0 };

	if (!p->inside)
		return;
	json_list(j, "compiler_traces");
	for (size_t i = 0; i < p->traces.n; i++) {
		const struct inside_row *row = &p->traces.rows[i];

		json_begin(j, '{');
		json_key(j, "path");
		path.len = 0;
		if (row->file) {
			answers_file_path(p->db, row->file, &path);
			json_str(j, path.s, path.len);
		} else {
			json_null(j);
		}
		json_key(j, "program");
		json_i64(j, (int64_t)row->exec - 1);
		json_key(j, "fault");
		if (row->fault)
			json_cstr(j, row->fault);
		else
			json_null(j);
		json_end(j, '}');
	}
	json_end(j, ']');
	buf_free(&path);
}
