/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arbitrary bytes as one or two files of an etrace event format: nothing crashes, and the FXT
 * made of them converts to the same lines as the input itself.
 */
#ifndef FUZZ_EVENTS_H
#define FUZZ_EVENTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/formats.h"

static const struct source_format *find_source(const char *name, enum model model)
{
	const struct source_format *f = source_formats;

	while (strcmp(f->name, name) || f->model != model)
		f++;
	return f;
}

static const struct sink_format *find_sink(const char *name)
{
	const struct sink_format *f = sink_formats;

	while (strcmp(f->name, name) || f->model != MODEL_ETRACE)
		f++;
	return f;
}

/* Convert; the caller closes the output. */
static struct out *run(const char *from, const char *to, struct in **in, size_t nin)
{
	struct out *out = out_mem();
	struct diag *diag = diag_new(NULL, "fuzz");
	struct opts opts;
	struct source_args sa = { in, nin, &opts, diag };
	struct sink_args ka = { out, &opts, diag, from };
	struct source *source;
	struct sink *sink;

	opts_init(&opts);
	source = find_source(from, MODEL_ETRACE)->open(&sa);
	sink = find_sink(to)->open(&ka);
	source_run(source, sink);
	sink_end(sink);
	source->ops->free(source);
	sink_free(sink);
	diag_free(diag);
	return out;
}

static struct out *convert(const char *from, const char *to, const uint8_t *data,
			   size_t n, size_t cut)
{
	struct in *in[2] = { in_mem(data, cut, "a"), in_mem(data + cut, n - cut, "b") };
	struct out *out = run(from, to, in, cut < n ? 2 : 1);

	in_close(in[0]);
	in_close(in[1]);
	return out;
}

/** fuzz_events - test one input; its first byte says whether, and where, it is split into two files
 * @from: the format
 */
static int fuzz_events(const char *from, const uint8_t *data, size_t n)
{
	struct out *lines, *fxt, *back, *other;
	const void *a, *b, *f;
	size_t na, nb, nf, cut;

	if (!n)
		return 0;
	cut = data[0] & 1 ? (n - 1) * (data[0] >> 1) / 128 : n - 1;
	data++;
	n--;
	lines = convert(from, "etrace", data, n, cut);
	fxt = convert(from, "fxt", data, n, cut);
	f = out_mem_data(fxt, &nf);
	back = convert("fxt", "etrace", f, nf, nf);
	a = out_mem_data(lines, &na);
	b = out_mem_data(back, &nb);
	if (na != nb || memcmp(a, b, na)) {
		fprintf(stderr, "lines:\n%.*s\nback from FXT:\n%.*s\n", (int)na,
			(const char *)a, (int)nb, (const char *)b);
		abort();
	}
	/* only one of these each time, for speed */
	other = convert(from, na & 1 ? "json" : "stats", data, n, cut);
	out_close(other);
	out_close(lines);
	out_close(fxt);
	out_close(back);
	return 0;
}

#endif
