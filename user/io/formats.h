/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The tables of formats.  An input format provides a source, which reads the input step by
 * step and pushes items into a sink; an output format provides a sink, which writes them.
 *
 * An item is a struct of the source's model.  A model is a name and an item
 * type that sources and sinks of that model share:
 *
 *	model		item			header
 *	MODEL_ETRACE	struct et_event		event.h
 *	MODEL_SPRTRACE	struct sprt_item	sprt_model.h
 *	MODEL_SWAP	struct swap_item	swap_frame.h
 *	MODEL_FXT	struct fxt_item		fxt_in.h
 *
 * Each format has a file with its functions, and its rows in formats.c.  If a format can
 * be read as, or written from, several models, it has a row of the same name for each;
 * choose.h describes which one is used.
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

/* A description of each model's items, for --help. */
extern const char *const model_names[MODEL_COUNT];

/*
 * A sink.  Every implementation begins with this struct.
 */
struct sink {
	const struct sink_ops *ops;
};

struct sink_ops {
	/*
	 * Write one item, which belongs to the caller and is valid only during the call.
	 * Return 0, or a negative errno to end the conversion (the output
	 * cannot be written).  Damage of the input is not an error here.
	 */
	int (*item)(struct sink *s, const void *item);
	/*
	 * The input has ended: write what must come last, and flush.  Called
	 * once, also if the input was damaged.  Return 0 or a negative errno.
	 */
	int (*end)(struct sink *s);
	/* Free the sink, but not the output stream.  May be called without end(). */
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
	 * Read some more records or lines, and push their items, if any, into the sink,
	 * which is the same in all steps.  Items come in time order if the format has
	 * times.  Damage is reported to the diag.  Does not call the sink's end().
	 * Return 1 if there may be more, 0 if all inputs have been read to their end,
	 * or the sink's negative errno.  Not called again after 0 or an error.
	 */
	int (*step)(struct source *s, struct sink *sink);
	/* Free the source, not the input streams. */
	void (*free)(struct source *s);
};

/** source_run - read the input to its end.  Return: 0, or the sink's negative errno. */
static inline int source_run(struct source *s, struct sink *sink)
{
	int ret;

	do
		ret = s->ops->step(s, sink);
	while (ret > 0);
	return ret;
}

/* Arguments of a row's open(); all of them outlive the source or sink. */
struct source_args {
	struct in **in;		/* the inputs, all of the same format */
	size_t nin;		/* at least 1 */
	const struct opts *opts;
	struct diag *diag;
};

struct sink_args {
	struct out *out;
	const struct opts *opts;
	struct diag *diag;	/* at the end it also contains the counts of damage in the input */
	const char *source;	/* name of the source's format */
};

/* Results of detect(), from least to most certain. */
enum {
	DETECT_NO = 0,
	DETECT_MAYBE = 30,	/* nothing contradicts the format */
	DETECT_LIKELY = 60,	/* much of the data looks like the format */
	DETECT_SURE = 100,	/* a magic number, or otherwise unmistakable */
};
/* Bytes at the beginning of an input that detect() gets; fewer if the input is shorter. */
#define DETECT_BYTES 65536u

struct source_format {
	const char *name;	/* name for --from */
	const char *help;	/* one line */
	enum model model;
	/* How certainly an input that begins with these @n bytes has this format: DETECT_... */
	int (*detect)(const uint8_t *data, size_t n);
	/*
	 * Return the source, or NULL after diag_fatal() (a bad option value).
	 */
	struct source *(*open)(const struct source_args *args);
	const struct opt_row *options;	/* NULL if none */
};

struct sink_format {
	const char *name;	/* name for --to */
	const char *help;	/* one line, the same in all rows of a name */
	enum model model;
	struct sink *(*open)(const struct sink_args *args);
	const struct opt_row *options;	/* NULL if none */
	/* SINK_BINARY: the output is binary, so not for a terminal */
	unsigned int flags;
	/*
	 * An option ("stats", "check") that adds this output, as text for people, to
	 * that of --to; NULL if none.
	 */
	const char *flag;
};
#define SINK_BINARY 1u

/* The tables; each ends with a NULL name. */
extern const struct source_format source_formats[];
extern const struct sink_format sink_formats[];

/**
 * sink_tee - make a sink that passes each item to several sinks, and owns them; for a single one,
 * returns that sink
 */
struct sink *sink_tee(struct sink **sinks, size_t n);

#endif
