/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The table of formats, and what stands behind a row: sources read an input,
 * step by step, and push items into a sink; sinks turn items into an output.
 *
 * An item is a struct of the source's model.  A model is a name and an item
 * type that sources and sinks of that model share:
 *
 *	model		item			header
 *	MODEL_ETRACE	struct et_event		event.h
 *	MODEL_SPRTRACE	struct sprt_item	sprt_model.h
 *	MODEL_SWAP	struct swap_item	swap_model.h
 *	MODEL_FXT	struct fxt_item		fxt_in.h
 *
 * A format is one file with its rows' functions and its row(s) in formats.c.
 * Several rows may have the same name when a format can be read as (written
 * from) several models; choose.h says which is taken.
 */
#ifndef ETRACE_FORMATS_H
#define ETRACE_FORMATS_H

#include "io/diag.h"
#include "io/in.h"
#include "io/options.h"
#include "io/out.h"

enum model {
	MODEL_ETRACE,
	MODEL_SPRTRACE,
	MODEL_SWAP,
	MODEL_FXT,
	MODEL_COUNT
};

/* What the items of each model are, for --help. */
extern const char *const model_names[MODEL_COUNT];

/*
 * A sink.  Every implementation begins with this struct.
 */
struct sink {
	const struct sink_ops *ops;
};

struct sink_ops {
	/*
	 * Take one item; it belongs to the caller and lives for the call only.
	 * Return 0, or a negative errno to end the conversion (the output
	 * cannot be written); damage is not an error here.
	 */
	int (*item)(struct sink *s, const void *item);
	/*
	 * The input is over: write what must come last, and flush.  Called
	 * once, also when the input was damaged.  Return 0 or negative errno.
	 */
	int (*end)(struct sink *s);
	/* Free the sink, not the output stream.  Also without end(). */
	void (*free)(struct sink *s);
};

static inline int sink_item(struct sink *s, const void *item)
{
	return s->ops->item(s, item);
}

static inline int sink_end(struct sink *s)
{
	return s->ops->end(s);
}

static inline void sink_free(struct sink *s)
{
	if (s)
		s->ops->free(s);
}

/*
 * A source.  Every implementation begins with this struct.
 */
struct source {
	const struct source_ops *ops;
};

struct source_ops {
	/*
	 * Read on a little, some records or lines, and push the items that
	 * come of it: none, one or several; over all steps in the order of
	 * time where the format has one.  Damage goes to the diag.  Does not
	 * call the sink's end().  The sink is the same in all steps.
	 * Return 1: there may be more; 0: all inputs have been read to their
	 * end; or the sink's negative errno.  Not called again after 0 or an
	 * error.
	 */
	int (*step)(struct source *s, struct sink *sink);
	/* Free the source, not the input streams. */
	void (*free)(struct source *s);
};

/** source_run - all steps.  Return: 0, or the sink's negative errno. */
static inline int source_run(struct source *s, struct sink *sink)
{
	int ret;

	do
		ret = s->ops->step(s, sink);
	while (ret > 0);
	return ret;
}

/* What a row's open() is given; all of it outlives the source or sink. */
struct source_args {
	struct in **in;		/* the inputs, all of the same format */
	size_t nin;		/* at least 1 */
	const struct opts *opts;
	struct diag *diag;
};

struct sink_args {
	struct out *out;
	const struct opts *opts;
	struct diag *diag;	/* for counts of the input at the end, too */
	const char *source;	/* name of the source's format */
};

/* How sure detect() is. */
enum {
	DETECT_NO = 0,
	DETECT_MAYBE = 30,	/* nothing speaks against it */
	DETECT_LIKELY = 60,	/* a good part of it looks like it */
	DETECT_SURE = 100,	/* magic number, or unmistakable */
};
/* Bytes of the beginning that detect() is shown, if the input has as many. */
#define DETECT_BYTES 65536u

struct source_format {
	const char *name;	/* what --from takes */
	const char *help;	/* one line */
	enum model model;
	/* How far the first @n bytes of an input look like this format. */
	int (*detect)(const uint8_t *data, size_t n);
	/*
	 * Return the source, or NULL after diag_fatal() (a bad option value).
	 */
	struct source *(*open)(const struct source_args *args);
	const struct opt_row *options;	/* NULL: none */
};

struct sink_format {
	const char *name;	/* what --to takes */
	const char *help;	/* one line, the same in all rows of a name */
	enum model model;
	struct sink *(*open)(const struct sink_args *args);
	const struct opt_row *options;	/* NULL: none */
	/* SINK_BINARY: not to a terminal */
	unsigned int flags;
	/*
	 * NULL, or an option ("stats", "check") that adds this output beside
	 * that of --to, as text for a person.
	 */
	const char *flag;
};
#define SINK_BINARY 1u

/* The tables; each ends with a NULL name. */
extern const struct source_format source_formats[];
extern const struct sink_format sink_formats[];

/** sink_tee - a sink that hands everything on to several, and frees them; one is itself that */
struct sink *sink_tee(struct sink **sinks, size_t n);

#endif
