// SPDX-License-Identifier: LGPL-2.1
/* Writes the output of etrace explain for CI systems.  See explain.h. */
#include "answers/explain.h"
#include "base/screen.h"
#include "build/build.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* Number of failures shown: the first one, and up to EXPLAIN_ROWS others. */
static size_t count_shown(const struct explain *x)
{
	return x->exec ? 1 + (x->others.n < EXPLAIN_ROWS ? x->others.n : EXPLAIN_ROWS) : 0;
}

struct shown {
	uint32_t exec;
	struct explain_place place;
	struct buf text, printed;
	const char *path;	/* relative to the directory in which the build was started */
	size_t len;
};

static void load_shown(struct explain *x, size_t i, struct shown *s)
{
	*s = (struct shown){ .exec = i ? x->others.row[i - 1] : x->exec };
	explain_printed(x, s->exec, &s->printed);
	explain_place_of(x, s->exec, &s->printed, &s->place);
	failures_text_of(x->db, x->f, s->exec, !s->place.line, &s->text);
	answers_relative(x->db, &s->place.file, &s->path, &s->len);
}

static void free_shown(struct shown *s)
{
	explain_place_free(&s->place);
	buf_free(&s->text);
	buf_free(&s->printed);
}

/* ---- GitHub ---- */

/*
 * Escape characters that would end a workflow command or its property, as percent and two digits.
 * Other control characters become "?", because the log is also shown in terminals.
 */
static void put_escaped(struct out *out, const char *s, size_t len, const char *special)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] && strchr(special, s[i]))
			out_printf(out, "%%%02X", (unsigned char)s[i]);
		else if (iscntrl((unsigned char)s[i]))
			out_puts(out, "?");
		else
			out_write(out, s + i, 1);
	}
}

#define IN_VALUE "%\r\n:,"
#define IN_TEXT "%\r\n"

void explain_github(struct explain *x, struct out *out)
{
	for (size_t i = 0; i < count_shown(x); i++) {
		struct shown s;

		load_shown(x, i, &s);
		out_puts(out, "::error ");
		if (s.len) {
			out_puts(out, "file=");
			put_escaped(out, s.path, s.len, IN_VALUE);
			if (s.place.line)
				out_printf(out, ",line=%" PRIu32, s.place.line);
			if (s.place.line && s.place.column)
				out_printf(out, ",col=%" PRIu32, s.place.column);
			out_puts(out, ",");
		}
		out_puts(out, "title=");
		put_escaped(out, s.text.s, s.text.len, IN_VALUE);
		out_puts(out, "::");
		put_escaped(out, s.place.message.s, s.place.message.len, IN_TEXT);
		out_puts(out, "\n");
		free_shown(&s);
	}
}

/* Write a block of code; its fence is longer than any in the text. */
static void put_block(struct out *out, const char *s, size_t len)
{
	size_t fence = 3, run = 0;

	for (size_t i = 0; i < len; i++) {
		run = s[i] == '`' ? run + 1 : 0;
		fence = run >= fence ? run + 1 : fence;
	}
	for (size_t i = 0; i < 2 * fence; i++) {
		if (i == fence) {
			out_puts(out, "\n");
			out_write(out, s, len);
			out_puts(out, len && s[len - 1] == '\n' ? "" : "\n");
		}
		out_puts(out, "`");
	}
	out_puts(out, "\n");
}

void explain_markdown(struct explain *x, struct out *out)
{
	struct buf command = { 0 };

	if (!x->exec) {
		out_puts(out, "The build did not fail.\n");
		return;
	}
	out_puts(out, "### The build failed\n\n");
	for (size_t i = 0; i < count_shown(x); i++) {
		struct shown s;

		load_shown(x, i, &s);
		put_block(out, s.text.s, s.text.len);
		command.len = 0;
		answers_command(x->db, build_with_command(build_of(x->db), failures_command(x->f, s.exec)),
				&command);
		out_puts(out, "\nThe command:\n\n");
		put_block(out, command.s, command.len);
		if (s.printed.len) {
			out_puts(out, "\nIt printed:\n\n");
			put_block(out, s.printed.s, s.printed.len);
		}
		out_puts(out, "\n");
		free_shown(&s);
	}
	buf_free(&command);
}

/* ---- GitLab ---- */

/* FNV-1a, which is the same in each run, so that GitLab recognizes a finding. */
static uint64_t add_hash(uint64_t hash, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)s[i]) * 0x100000001b3u;
	return hash;
}

void explain_gitlab(struct explain *x, struct out *out)
{
	struct json j = { .out = out };
	char text[32];

	json_begin(&j, '[');
	for (size_t i = 0; i < count_shown(x); i++) {
		struct shown s;
		uint64_t hash;

		load_shown(x, i, &s);
		hash = add_hash(0xcbf29ce484222325u, s.path, s.len);
		hash = add_hash(hash, s.place.message.s, s.place.message.len);
		snprintf(text, sizeof(text), "%016" PRIx64, hash);
		json_begin(&j, '{');
		json_key(&j, "description");
		json_str(&j, s.place.message.s ? s.place.message.s : "", s.place.message.len);
		json_member(&j, "check_name", "build");
		json_member(&j, "fingerprint", text);
		json_member(&j, "severity", "blocker");
		json_key(&j, "location");
		json_begin(&j, '{');
		json_key(&j, "path");
		json_str(&j, s.len ? s.path : ".", s.len ? s.len : 1);
		json_key(&j, "lines");
		json_begin(&j, '{');
		json_key(&j, "begin");
		json_u64(&j, s.place.line ? s.place.line : 1);
		json_end(&j, '}');
		json_end(&j, '}');
		json_end(&j, '}');
		free_shown(&s);
	}
	json_end(&j, ']');
	json_line(&j);
}

/* ---- JUnit ---- */

/* Write any bytes as XML text: characters that XML does not allow become question marks. */
static void put_xml(struct out *out, const char *s, size_t len)
{
	struct buf clean = { 0 };

	for (size_t at = 0; at < len;) {
		const char *end = memchr(s + at, '\n', len - at);
		size_t n = end ? (size_t)(end - s) - at : len - at;

		screen_add(&clean, s + at, n, UINT32_MAX, true);
		if (end)
			buf_addc(&clean, '\n');
		at += n + 1;
	}
	for (size_t i = 0; i < clean.len; i++) {
		static const char *const names[] = {
			['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;",
		};
		unsigned char c = (unsigned char)clean.s[i];

		if (c < sizeof(names) / sizeof(*names) && names[c])
			out_puts(out, names[c]);
		else
			out_write(out, clean.s + i, 1);
	}
	buf_free(&clean);
}

static void put_label(struct explain *x, struct out *out, uint32_t exec)
{
	struct buf label = { 0 };

	answers_label(x->db, build_with_command(build_of(x->db), exec), 0, &label);
	put_xml(out, label.s, label.len);
	buf_free(&label);
}

static void put_case(struct explain *x, struct out *out, const struct shown *s)
{
	struct buf command = { 0 };
	uint32_t called = failures_command(x->f, s->exec);

	out_puts(out, "    <testcase classname=\"build\" name=\"");
	put_label(x, out, called);
	out_puts(out, "\"");
	if (s->len) {
		out_puts(out, " file=\"");
		put_xml(out, s->path, s->len);
		out_puts(out, "\"");
	}
	if (s->place.line)
		out_printf(out, " line=\"%" PRIu32 "\"", s->place.line);
	out_puts(out, ">\n      <failure type=\"command\" message=\"");
	put_xml(out, s->place.message.s, s->place.message.len);
	out_puts(out, "\">");
	put_xml(out, s->text.s, s->text.len);
	out_puts(out, "\n");
	answers_command(x->db, build_with_command(build_of(x->db), called), &command);
	put_xml(out, command.s, command.len);
	out_puts(out, "\n");
	put_xml(out, s->printed.s, s->printed.len);
	out_puts(out, "</failure>\n    </testcase>\n");
	buf_free(&command);
}

void explain_junit(struct explain *x, struct out *out)
{
	size_t n = count_shown(x);

	out_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	out_printf(out, "  <testsuite name=\"build\" tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n",
		   n ? n : 1, n);
	for (size_t i = 0; i < n; i++) {
		struct shown s;

		load_shown(x, i, &s);
		put_case(x, out, &s);
		free_shown(&s);
	}
	if (!n)
		out_puts(out, "    <testcase classname=\"build\" name=\"build\"/>\n");
	out_puts(out, "  </testsuite>\n</testsuites>\n");
}
