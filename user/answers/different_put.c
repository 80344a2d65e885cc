// SPDX-License-Identifier: LGPL-2.1
/* Prints why two builds made different things (different.h), as text and as JSON. */
#include "answers/different.h"
#include "answers/match_put.h"
#include "base/screen.h"
#include "base/text_num.h"

#include <string.h>

#define A(w) (&(w)->d->m.side[0])
#define B(w) (&(w)->d->m.side[1])
/* Maximum number of clues per cause that are printed as text. */
#define CLUES_MAX 3u
#define COLUMNS_MAX 400u

static const char *const titles[DIFFERENT_NCAUSES] = {
	[DIFFERENT_TOOL] = "a different program, library or script",
	[DIFFERENT_INPUT] = "a different input",
	[DIFFERENT_PID] = "a process id", [DIFFERENT_HOST] = "the host or its kernel",
	[DIFFERENT_CPUS] = "the number of processors", [DIFFERENT_RANDOM] = "random numbers",
	[DIFFERENT_LOCALE] = "the locale", [DIFFERENT_ENV] = "the environment",
	[DIFFERENT_LISTING] = "the order in which a directory is listed",
	[DIFFERENT_WRITERS] = "the order in which programs write",
	[DIFFERENT_TIME] = "the time", [DIFFERENT_PATH] = "the directory of the build",
	[DIFFERENT_NET] = "the network", [DIFFERENT_MEMORY] = "the amount of memory",
	[DIFFERENT_UNKNOWN] = "something that is not recorded",
};

static const char *evidence_of(unsigned int weight)
{
	return weight >= DIFFERENT_SEEN ? "seen" : weight >= DIFFERENT_LIKELY ? "likely" : "possible";
}

static const char *certainty_of(unsigned int weight)
{
	return weight >= DIFFERENT_SEEN ? "the cause" : weight >= DIFFERENT_LIKELY ? "likely" : "possible";
}

/* The unit of a clue for the first cause; else the last unit that wrote the file. */
static uint32_t unit_of(const struct different *w)
{
	return w->nclues && w->clues[0].unit ? w->clues[0].unit : w->nunits ? w->units[0].unit : 0;
}

static void put_json(const struct different *w, struct out *out)
{
	struct json j = { .out = out };
	uint32_t unit = unit_of(w);
	bool said[DIFFERENT_NCAUSES] = { 0 };

	json_begin(&j, '{');
	match_json_file(&j, "path", B(w), w->files[0].file);
	match_json_unit(&j, "first", A(w), B(w)->units[unit].pair);
	match_json_unit(&j, "second", B(w), unit);
	json_list(&j, "causes");
	for (size_t i = 0; i < w->nclues; i++) {
		uint8_t cause = w->clues[i].cause;

		if (said[cause])
			continue;
		said[cause] = true;
		json_begin(&j, '{');
		json_member(&j, "cause", different_names[cause]);
		json_member(&j, "evidence", evidence_of(w->clues[i].weight));
		json_list(&j, "because");
		for (size_t k = i; k < w->nclues; k++)
			if (w->clues[k].cause == cause)
				json_text_value(&j, NULL, w->clues[k].text, strlen(w->clues[k].text));
		json_end(&j, ']');
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_end(&j, '}');
	json_line(&j);
}

/* The text may quote names and contents of files, so make it safe for a terminal. */
static void put_clue(struct out *out, const char *text)
{
	struct buf line = { 0 };

	screen_add(&line, text, strlen(text), COLUMNS_MAX, true);
	out_printf(out, "   %.*s\n", (int)line.len, line.s);
	buf_free(&line);
}

static void put_text(const struct different *w, struct out *out)
{
	bool said[DIFFERENT_NCAUSES] = { 0 };
	uint32_t unit = unit_of(w);
	size_t n = 0;

	match_put_file(out, B(w), w->files[0].file);
	out_puts(out, " differs\n");
	if (unit) {
		out_puts(out, "by  ");
		match_put_unit(out, B(w), unit);
	}
	for (size_t i = 0; i < w->nclues; i++) {
		uint8_t cause = w->clues[i].cause;
		unsigned int clues = 0;

		if (said[cause])
			continue;
		said[cause] = true;
		out_printf(out, "%zu. %s: %s\n", ++n, titles[cause], certainty_of(w->clues[i].weight));
		for (size_t k = i; k < w->nclues && clues < CLUES_MAX; k++)
			if (w->clues[k].cause == cause) {
				put_clue(out, w->clues[k].text);
				clues++;
			}
	}
}

/* Print that nothing differs; as JSON, an empty list. */
static void put_none(const struct different *w, struct out *out, bool json)
{
	size_t unknown = w->d->left[DIFF_LEFT_UNKNOWN];

	if (json)
		return;
	if (unknown)
		out_printf(out, "no difference found, but %s could not be compared\n",
			   text_counted(unknown, "output", "outputs"));
	else
		out_puts(out, "nothing differs\n");
}

void different_put(const struct different *w, struct out *out, bool json)
{
	if (!w->nfiles)
		put_none(w, out, json);
	else if (json)
		put_json(w, out);
	else
		put_text(w, out);
}
