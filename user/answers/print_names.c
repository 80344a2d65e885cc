// SPDX-License-Identifier: LGPL-2.1
/* Prints files and programs in answers.  See print_names.h. */
#include "answers/print_names.h"
#include "base/shquote.h"
#include "base/utf8.h"
#include "io/stats_out.h"
#include "build/build.h"

#include <string.h>

void put_path(struct out *out, const char *path, size_t len)
{
	struct buf quoted = { 0 };

	sh_quote(&quoted, path, len);
	out_write(out, quoted.s, quoted.len);
	buf_free(&quoted);
}

void put_file(struct out *out, struct db *db, uint32_t file)
{
	size_t len;
	const char *path = build_path(build_of(db), file, &len);

	if (file)
		put_path(out, path, len);
	else
		out_puts(out, "?");
}

bool put_name(struct out *out, struct db *db, uint32_t file)
{
	struct buf b = { 0 };
	const char *slash;

	answers_file_path(db, file, &b);
	slash = b.len ? memrchr(b.s, '/', b.len) : NULL;
	if (slash)
		stats_put_name(out, slash + 1, (size_t)(b.s + b.len - slash - 1), 0);
	buf_free(&b);
	return slash;
}

/* Commands of more than LONG bytes lose their middle; HEAD and TAIL bytes are kept. */
#define HEAD 90
#define TAIL 50
#define LONG (HEAD + TAIL + 20)

void put_command(struct out *out, struct db *db, uint32_t exec, bool full)
{
	struct buf b = { 0 };
	size_t head, tail;

	answers_command(db, exec, &b);
	if (!b.len) {
		put_file(out, db, build_of(db)->execs[exec].program);
	} else if (full || b.len <= LONG) {
		out_write(out, b.s, b.len);
	} else {
		head = utf8_cut(b.s, b.len, HEAD);
		for (tail = b.len - TAIL; (b.s[tail] & 0xc0) == 0x80;)
			tail++;
		out_write(out, b.s, head);
		out_puts(out, " [...] ");
		out_write(out, b.s + tail, b.len - tail);
	}
	buf_free(&b);
}

void json_file(struct json *j, const char *name, struct db *db, uint32_t file)
{
	struct buf b = { 0 };

	if (!file)
		return;
	answers_file_path(db, file, &b);
	json_text(j, name, b.s ? b.s : "", b.len);
	buf_free(&b);
}

void json_exec(struct json *j, struct db *db, uint32_t exec)
{
	const struct build_exec *e = &build_of(db)->execs[exec];
	struct buf b = { 0 };
	size_t n = answers_args(db, exec, &b), at = 0;

	json_begin(j, '{');
	json_key(j, "exec");
	json_u64(j, exec);
	json_file(j, "program", db, e->program);
	json_file(j, "cwd", db, e->cwd);
	json_key(j, "arguments");
	json_begin(j, '[');
	for (; n--; at += strlen(b.s + at) + 1)
		json_cstr(j, b.s + at);
	json_end(j, ']');
	json_end(j, '}');
	buf_free(&b);
}
