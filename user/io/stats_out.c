// SPDX-License-Identifier: LGPL-2.1
/* Writes summaries as text and as JSON.  See stats_out.h. */
#include "io/stats_out.h"
#include "base/text_num.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Width of a number in a table, in bytes. */
#define WIDTH 14

bool stats_begin(struct stats *s, const struct sink_args *args)
{
	*s = (struct stats){
		.out = args->out,
		.diag = args->diag,
		.json = opt_flag(args->opts, "json"),
		.j = { .out = args->out },
	};
	/* diag_fatal() has printed why there is no summary */
	if (diag_status(s->diag) == 2)
		return false;
	if (s->json)
		json_begin(&s->j, '{');
	return true;
}

void stats_number(struct stats *s, const char *key, const char *label, uint64_t v)
{
	if (s->json) {
		json_key(&s->j, key);
		json_u64(&s->j, v);
	} else {
		out_printf(s->out, "%s: %" PRIu64 "\n", label, v);
	}
}

void stats_time(struct stats *s, const char *key, const char *label, uint64_t ns)
{
	if (s->json)
		stats_number(s, key, label, ns);
	else
		out_printf(s->out, "%s: %s\n", label, STATS_SECONDS(ns));
}

const char *stats_seconds(char *buf, uint64_t ns)
{
	/* at least three significant digits */
	int digits = !ns || ns >= 100000000 ? 3 : ns >= 100000 ? 6 : 9;

	snprintf(buf, STATS_SECONDS_SIZE, "%.*f s", digits, (double)ns / 1e9);
	return buf;
}

void stats_text(struct stats *s, const char *key, const char *label, const char *v, size_t n)
{
	if (s->json) {
		json_text(&s->j, key, v, n);
		return;
	}
	out_printf(s->out, "%s: ", label);
	stats_put_name(s->out, v, n, 0);
	out_puts(s->out, "\n");
}

/* ---- tables ---- */

void stats_table(struct stats *s, const char *key, const char *title,
		 const struct stats_col *cols, unsigned int ncols)
{
	s->title = title;
	s->cols = cols;
	s->ncols = ncols;
	s->col = 0;
	s->any = false;
	if (!s->json)
		return;
	json_key(&s->j, key);
	json_begin(&s->j, '[');
}

static void begin_cell(struct stats *s)
{
	if (s->json) {
		if (!s->col)
			json_begin(&s->j, '{');
		return;
	}
	if (s->any)
		return;
	s->any = true;
	out_printf(s->out, "\n%s:\n", s->title);
	for (unsigned int i = 0; i < s->ncols; i++)
		if (s->cols[i].text)
			out_printf(s->out, "  %s", s->cols[i].head);
		else
			out_printf(s->out, "%*s", WIDTH, s->cols[i].head);
	out_puts(s->out, "\n");
}

static void end_cell(struct stats *s)
{
	if (++s->col < s->ncols)
		return;
	s->col = 0;
	if (s->json)
		json_end(&s->j, '}');
	else
		out_puts(s->out, "\n");
}

void stats_cell(struct stats *s, uint64_t v)
{
	begin_cell(s);
	if (s->json) {
		json_key(&s->j, s->cols[s->col].key);
		json_u64(&s->j, v);
	} else {
		out_printf(s->out, "%*" PRIu64, WIDTH, v);
	}
	end_cell(s);
}

void stats_name(struct stats *s, const char *v, size_t n)
{
	begin_cell(s);
	if (s->json) {
		json_text(&s->j, s->cols[s->col].key, v, n);
	} else {
		out_puts(s->out, "  ");
		stats_put_name(s->out, v, n, 0);
	}
	end_cell(s);
}

void stats_table_end(struct stats *s)
{
	if (s->json)
		json_end(&s->j, ']');
}

static void top_row(struct stats *s, const struct tally_row *row)
{
	const char *part = row->name;
	size_t left = row->len;

	stats_cell(s, row->n);
	if (!s->cols[1].text)
		stats_cell(s, row->total);
	while (s->col) {
		const char *end = memchr(part, 0, left);
		size_t n = end && s->col + 1 < s->ncols ? (size_t)(end - part) : left;

		stats_name(s, part, n);
		part += n;
		left -= n;
		if (left) {
			part++;
			left--;
		}
	}
}

void stats_top(struct stats *s, const char *key, const char *title,
	       const struct stats_col *cols, unsigned int ncols, const struct tally *t)
{
	const struct tally_row *top[STATS_TOP];
	size_t n = tally_top(t, TALLY_N, top, STATS_TOP);

	stats_table(s, key, title, cols, ncols);
	for (size_t i = 0; i < n; i++)
		top_row(s, top[i]);
	stats_table_end(s);
	if (s->json) {
		stats_json_low(&s->j, key, t);
		return;
	}
	if (t->names > n)
		out_printf(s->out, "  and %" PRIu64 " more\n", t->names - n);
	stats_put_low(s->out, t);
}

/* ---- the end ---- */

int stats_end(struct stats *s)
{
	bool complete = diag_complete(s->diag);

	if (s->json) {
		json_key(&s->j, "complete");
		json_bool(&s->j, complete);
		stats_json_damage(&s->j, s->diag);
		json_end(&s->j, '}');
		json_line(&s->j);
	} else if (complete) {
		out_puts(s->out, "\nThe trace is complete: nothing was lost or damaged.\n");
	} else {
		out_puts(s->out, "\nThe trace is NOT complete:\n");
		stats_put_damage(s->out, s->diag);
	}
	return out_flush(s->out);
}

/* ---- parts ---- */

void stats_put_name(struct out *out, const char *name, size_t n, size_t width)
{
	size_t len, skip = 0;
	char *s = utf8_replace(name, n, &len);

	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f)
			s[i] = '?';
	if (width && len > width) {
		skip = len - width + 3;
		while (skip < len && (s[skip] & 0xc0) == 0x80)
			skip++;
		out_puts(out, "...");
	}
	out_puts(out, s + skip);
	for (n = len - skip + (skip ? 3 : 0); n < width; n++)
		out_write(out, " ", 1);
	free(s);
}

void stats_put_low(struct out *out, const struct tally *t)
{
	if (t->forgotten)
		out_printf(out, "  (so many names that these counts may be low by up to %" PRIu64 ")\n",
			   t->forgotten);
}

void stats_json_low(struct json *j, const char *key, const struct tally *t)
{
	char name[64];

	if (!t->forgotten)
		return;
	snprintf(name, sizeof(name), "%s_low_by", key);
	json_key(j, name);
	json_u64(j, t->forgotten);
}

void stats_put_damage(struct out *out, const struct diag *diag)
{
	const struct diag_kind *kind;
	uint64_t n;

	for (unsigned int i = 0; (kind = diag_next(diag, i, &n)); i++)
		if (kind->level == DIAG_DAMAGE && n)
			out_printf(out, "  %10" PRIu64 "  %s\n", n, text_noun(n, kind->what));
}

void stats_json_damage(struct json *j, const struct diag *diag)
{
	const struct diag_kind *kind;
	uint64_t n;

	json_key(j, "damage");
	json_begin(j, '[');
	for (unsigned int i = 0; (kind = diag_next(diag, i, &n)); i++) {
		if (kind->level != DIAG_DAMAGE || !n)
			continue;
		json_begin(j, '{');
		json_key(j, "what");
		json_cstr(j, kind->what);
		json_key(j, "count");
		json_u64(j, n);
		json_end(j, '}');
	}
	json_end(j, ']');
}
