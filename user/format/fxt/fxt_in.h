/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Reads any FXT file, record by record.  The model MODEL_FXT consists of items, which
 * the FXT source pushes and the sinks (JSON, --check, stats) take. fxt_read.h decodes
 * the records; this code does not know what was traced.
 */
#ifndef ETRACE_FXT_IN_H
#define ETRACE_FXT_IN_H

#include "io/formats.h"
#include "format/fxt/fxt_read.h"

enum fxt_item_kind {
	FXT_ITEM_BEGIN,		/* an input begins */
	FXT_ITEM_RECORD,	/* @rec with @nargs @args */
	FXT_ITEM_DATA,		/* @data of the large record before it; always
				 * ends with an item that has no data
				 */
	FXT_ITEM_PROBLEM,	/* @problem at @offset; comes before the record it is in */
	FXT_ITEM_END,		/* the input ends at @offset */
};

/**
 * struct fxt_item - one part of an FXT file: a record, a problem, its begin or end
 * @kind:    see above
 * @file:    name of the input
 * @rec:     the record; broken if @rec->valid is false
 * @args:    its arguments, as many as could be read
 * @nargs:   number of @args
 * @arg_words: size of the arguments in words
 * @data:    bytes of a large record, fxt_next_data()
 * @ndata:   number of bytes
 * @problem: what is wrong
 * @offset:  position, bytes from the beginning of the input
 */
struct fxt_item {
	enum fxt_item_kind kind;
	const char *file;
	const struct fxt_rec *rec;
	const struct fxt_rarg *args;
	unsigned int nargs;
	unsigned int arg_words;
	const uint8_t *data;
	size_t ndata;
	enum fxt_problem problem;
	uint64_t offset;
};

/* Names of types and kinds in the format document, NULL if none. */
extern const char *const fxt_record_names[16];
extern const char *const fxt_event_names[16];
extern const char *const fxt_sched_names[16];

/* struct source_format: pushes struct fxt_item */
int fxt_in_detect(const uint8_t *data, size_t n);
struct source *fxt_in_open(const struct source_args *args);

/*
 * struct sink_format.open: one JSON object per line for each record, with the names of
 * the format document (Documentation/fxt-input.md, "JSON").
 */
struct sink *fxt_in_json_open(const struct sink_args *args);

/* struct sink_format.open and .options: a summary of the records, fxt_stats.c */
struct sink *fxt_stats_open(const struct sink_args *args);
extern const struct opt_row fxt_stats_options[];

#endif
