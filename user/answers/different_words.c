// SPDX-License-Identifier: LGPL-2.1
/* Finds words in sources and scripts whose value differs from run to run.  See different.h. */
#include "answers/different.h"
#include "base/words.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define B(w) (&(w)->d->m.side[1])
/* Limits: larger sources, and more sources of one program, are not examined. */
#define LARGEST (1u << 20)
#define SOURCES_MAX 64u

static void look_at_words(enum words_language language, const struct buf *text,
			  different_word_fn *fn, void *ctx, const char *where)
{
	static const uint8_t causes[] = {
		[WORDS_FOR_TIME] = DIFFERENT_TIME, [WORDS_FOR_RANDOM] = DIFFERENT_RANDOM,
		[WORDS_FOR_PID] = DIFFERENT_PID, [WORDS_FOR_HOST] = DIFFERENT_HOST,
		[WORDS_FOR_CPUS] = DIFFERENT_CPUS, [WORDS_FOR_LISTING] = DIFFERENT_LISTING,
		[WORDS_FOR_ENV] = DIFFERENT_ENV, [WORDS_FOR_THREADS] = DIFFERENT_WRITERS,
	};
	const struct word *w;

	for (size_t i = 0; (w = words_next(language, &i));)
		if (different_has_word(text, w->word))
			fn(ctx, (enum different_cause)causes[w->gives], w->weight, w->word, where);
}

/* Whether a file is a source of the build, not of the system, whose files do not vary. */
static bool is_source(const struct different *w, uint32_t unit, const struct match_input *in,
		      size_t *len, const char **path)
{
	*path = build_path(B(w)->b, in->file, len);
	/* the script of an interpreter has the class program */
	return (in->class == GRAPH_DATA || in->class == GRAPH_PROGRAM) && in->size <= LARGEST &&
	       !different_is_installed(w, unit, B(w)->b, *path, *len);
}

void different_look_at_words(struct different *w, uint32_t unit, const char *name,
			     different_word_fn *fn, void *ctx)
{
	enum words_language language = words_language(name);
	struct match_inputs inputs = { 0 };
	struct buf text = { 0 };
	char *where;
	size_t n, len;
	const char *path;

	if (language == WORDS_OF_NONE)
		return;
	/* search a script that is an argument: of sh -c, python -c, perl -e, awk */
	if (language != WORDS_OF_C && language != WORDS_OF_MAKE) {
		match_args(B(w), unit, &text, &n);
		look_at_words(language, &text, fn, ctx, NULL);
	}
	match_inputs(B(w), unit, &inputs);
	for (size_t i = 0, sources = 0; i < inputs.n && sources < SOURCES_MAX; i++) {
		if (!is_source(w, unit, &inputs.rows[i], &len, &path))
			continue;
		sources++;
		if (!different_read(w, 1, inputs.rows[i].version, &text) ||
		    memchr(text.s ? text.s : "", 0, text.len))
			continue;
		where = xstrndup(path, len);
		look_at_words(language, &text, fn, ctx, where);
		free(where);
	}
	free(inputs.rows);
	buf_free(&text);
}
