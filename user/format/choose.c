// SPDX-License-Identifier: LGPL-2.1
/* Chooses the rows of the format tables for a conversion.  See choose.h. */
#include "format/choose.h"

#include <stdio.h>
#include <string.h>

int choose_row_detect(const struct source_format *f, struct in *in)
{
	const uint8_t *data;
	size_t n;

	data = in_peek(in, DETECT_BYTES, &n);
	return f->detect(data, n < DETECT_BYTES ? n : DETECT_BYTES);
}

/* The best matching row of a model; MODEL_COUNT: of any model. */
static const struct source_format *detect_format(struct in *in, enum model model)
{
	const struct source_format *best = NULL;
	int best_score = DETECT_NO;

	for (const struct source_format *f = source_formats; f->name; f++) {
		int score = model == MODEL_COUNT || f->model == model ?
			    choose_row_detect(f, in) : DETECT_NO;

		if (score > best_score) {
			best_score = score;
			best = f;
		}
	}
	return best;
}

const struct source_format *choose_detect(struct in *in)
{
	return detect_format(in, MODEL_COUNT);
}

const struct source_format *choose_events(struct in *in)
{
	return detect_format(in, MODEL_ETRACE);
}

static void list_names(char *buf, size_t size, bool sources)
{
	size_t len = 0;

	buf[0] = 0;
	for (size_t i = 0;; i++) {
		const char *name = sources ? source_formats[i].name : sink_formats[i].name;
		bool seen = false;

		if (!name)
			break;
		for (size_t j = 0; j < i; j++)
			seen |= !strcmp(name, sources ? source_formats[j].name :
						sink_formats[j].name);
		if (!seen && len < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s",
						len ? ", " : "", name);
	}
}

static bool source_known(const char *name)
{
	for (const struct source_format *f = source_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return true;
	return false;
}

static bool sink_known(const char *name)
{
	for (const struct sink_format *f = sink_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return true;
	return false;
}

const char *choose_source(const char *from, struct in **in, size_t nin, struct diag *diag)
{
	const char *name = NULL, *first = NULL;
	char names[256];

	list_names(names, sizeof(names), true);
	if (from) {
		if (source_known(from))
			return from;
		diag_fatal(diag, "unknown input format \"%s\"; known are: %s", from, names);
		return NULL;
	}
	for (size_t i = 0; i < nin; i++) {
		const struct source_format *f = choose_detect(in[i]);
		size_t have;

		if (!f) {
			/* empty: the file of a processor without events */
			in_peek(in[i], 1, &have);
			if (in_error(in[i])) {
				diag_fatal(diag, "%s: %s", in_name(in[i]), in_why(in[i]));
				return NULL;
			}
			if (!have && nin > 1)
				continue;
			diag_fatal(diag, "%s: %s; give --from FORMAT, one of: %s",
				   in_name(in[i]),
				   have ? "not a trace in a known format" : "is empty", names);
			return NULL;
		}
		if (name && strcmp(name, f->name)) {
			diag_fatal(diag, "%s is %s, but %s is %s: several files must be of one trace",
				   first, name, in_name(in[i]), f->name);
			return NULL;
		}
		name = f->name;
		first = in_name(in[i]);
	}
	if (!name)
		diag_fatal(diag, "%s and the others are empty; give --from FORMAT", in_name(in[0]));
	return name;
}

/* Whether an earlier row of the table, for another model, has this flag. */
static bool flag_again(const struct sink_format *f)
{
	for (const struct sink_format *g = sink_formats; g < f; g++)
		if (g->flag && !strcmp(g->flag, f->flag))
			return true;
	return false;
}

/* Finds the sinks for a source row's model.  Return: false if some are missing. */
static bool sinks_of(const struct source_format *source, const char *to,
		     const struct opts *opts, struct choice *ch)
{
	size_t wanted = 0;

	*ch = (struct choice){ .source = source };
	for (const struct sink_format *f = sink_formats; f->name; f++) {
		bool flagged = f->flag && opt_flag(opts, f->flag);

		wanted += flagged && !flag_again(f);
		if (f->model != source->model)
			continue;
		if (to && !ch->main && !strcmp(f->name, to))
			ch->main = f;
		if (flagged && ch->nextra < sizeof(ch->extra) / sizeof(ch->extra[0]))
			ch->extra[ch->nextra++] = f;
	}
	return (!to || ch->main) && ch->nextra == wanted && (ch->main || ch->nextra);
}

/* The row whose place in the table decides if several choices fit. */
static const struct sink_format *leading_row(const struct choice *ch)
{
	return ch->main ? ch->main : ch->extra[0];
}

bool choose_rows(const char *from, const char *to, struct in *in, const struct opts *opts,
		 struct choice *ch, struct diag *diag)
{
	const struct sink_format *found = NULL;
	bool found_looks = false, any_flag = false;
	char names[256];

	if (to && !sink_known(to)) {
		list_names(names, sizeof(names), false);
		diag_fatal(diag, "unknown output format \"%s\"; known are: %s", to, names);
		return false;
	}
	for (const struct source_format *s = source_formats; s->name; s++) {
		struct choice one;
		bool looks;

		if (strcmp(s->name, from) || !sinks_of(s, to, opts, &one))
			continue;
		looks = choose_row_detect(s, in) != DETECT_NO;
		/* if the input matches none of the rows, the first is the most general */
		if (found && (looks < found_looks ||
			      (looks == found_looks && (!looks || leading_row(&one) > found))))
			continue;
		*ch = one;
		found = leading_row(&one);
		found_looks = looks;
	}
	if (found)
		return true;
	for (const struct sink_format *f = sink_formats; f->name; f++)
		any_flag |= f->flag && opt_flag(opts, f->flag);
	diag_fatal(diag, "cannot convert %s to %s%s", from, to ? to : "this output",
		   any_flag ? " with these options" : "");
	return false;
}

bool choose_options(const struct opts *opts, const struct choice *ch, struct diag *diag)
{
	for (size_t i = 0; i < opts->n; i++) {
		const char *name = opts->given[i].name;
		bool used = opt_row_has(ch->source->options, name) ||
			    (ch->main && opt_row_has(ch->main->options, name));

		for (size_t j = 0; j < ch->nextra; j++)
			used |= opt_row_has(ch->extra[j]->options, name) ||
				!strcmp(ch->extra[j]->flag, name);
		if (used)
			continue;
		diag_fatal(diag, "--%s does not apply when converting %s to %s", name,
			   ch->source->name,
			   ch->main ? ch->main->name : ch->extra[0]->flag);
		return false;
	}
	return true;
}
