// SPDX-License-Identifier: LGPL-2.1
/* Opens a database, or makes a temporary one from a trace.  See answers.h. */
#include "answers/answers.h"
#include "event/pid_bits.h"
#include "event/redact.h"
#include "format/choose.h"
#include "db/write.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

/* Of the formats named @from that give events of etrace: the one that the input most looks like. */
static const struct source_format *events_of(const char *from, struct in *in)
{
	const struct source_format *found = NULL;

	for (const struct source_format *f = source_formats; f->name; f++)
		if (f->model == MODEL_ETRACE && !strcmp(f->name, from) &&
		    (!found || choose_row_detect(f, in) > choose_row_detect(found, in)))
			found = f;
	return found;
}

bool answers_understand(const char *from, struct in *in)
{
	const struct source_format *format = events_of(from, in);

	return format && (strcmp(from, "fxt") || choose_row_detect(format, in) != DETECT_NO);
}

bool answers_read(struct db *db, struct in **in, size_t n, const char *from,
		  const struct opts *opts, struct diag *diag)
{
	struct source_args sa = { in, n, opts, diag };
	const struct source_format *format;
	struct source *source;
	struct sink *sink;
	unsigned int bits;
	uint64_t hidden = 0;
	int err, e;

	from = choose_source(from, in, n, diag);
	if (!from || !pid_bits_of(opts, diag, &bits))
		return false;
	format = events_of(from, in[0]);
	if (!answers_understand(from, in[0])) {
		diag_fatal(diag, "%s: is %s, which has no etrace events; give a trace that etrace recorded", in_name(in[0]),
			   from);
		return false;
	}
	source = format->open(&sa);
	if (!source)
		return false;
	sink = db_sink(db, bits, from, diag);
	if (opt_flag(opts, "redact"))
		sink = redact_sink(sink, &hidden);
	err = source_run(source, sink);
	e = sink_end(sink);
	err = err ? err : e;
	sink_free(sink);
	source->ops->free(source);
	return !err && diag_status(diag) != 2;
}

/* Return: false after diag_fatal(). */
static bool open_inputs(char **files, size_t n, struct in **in, struct diag *diag)
{
	int err;

	for (size_t i = 0; i < n; i++) {
		in[i] = in_open(files[i], &err);
		if (in[i])
			continue;
		diag_fatal(diag, "%s: %s", files[i], strerror(-err));
		return false;
	}
	in_share_processors(in, n);
	return true;
}

bool answers_are_there(struct in *in)
{
	size_t have;
	const uint8_t *data = in_peek(in, 16, &have);

	return db_is(data, have);
}

struct db *answers_from(const char *file, struct in **in, size_t n, const char *from,
			const struct opts *opts, struct diag *diag)
{
	struct db *db;

	if (answers_are_there(in[0])) {
		if (n == 1 && file && strcmp(file, "-"))
			return db_open(file, diag);
		diag_fatal(diag, "%s: give a database by name, and no other file with it", in_name(in[0]));
		return NULL;
	}
	db = db_create(NULL, diag);
	if (!db)
		return NULL;
	if (answers_read(db, in, n, from, opts, diag)) {
		free(db->name);
		db->name = xstrdup(in_name(in[0]));
		return db;
	}
	db_close(db);
	return NULL;
}

struct db *answers_open(char **files, size_t n, const char *from, const struct opts *opts,
			struct diag *diag)
{
	static char dash[] = "-";
	static char *stdin_only[] = { dash };
	struct db *db = NULL;
	struct in **in;

	if (!n) {
		files = stdin_only;
		n = 1;
	}
	in = xcalloc(n, sizeof(*in));
	if (open_inputs(files, n, in, diag))
		db = answers_from(files[0], in, n, from, opts, diag);
	for (size_t i = 0; i < n && in[i]; i++)
		in_close(in[i]);
	free(in);
	return db;
}
