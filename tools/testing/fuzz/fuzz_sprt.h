/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the two targets of sp-rtrace. */
#ifndef FUZZ_SPRT_H
#define FUZZ_SPRT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* The output of one conversion. */
static inline struct out *fuzz_convert(const char *from, const uint8_t *data,
				       size_t n, const char *to,
				       const struct opt_given *given)
{
	const struct source_format *source = source_formats;
	const struct sink_format *sink = sink_formats;
	struct in *in = in_mem(data, n, "fuzz");
	struct diag *diag = diag_new(NULL, "fuzz");
	struct out *out = out_mem();
	struct opts opts;
	struct source *s;
	struct sink *k;

	opts_init(&opts);
	for (; given && given->name; given++)
		opts_add(&opts, given->name, given->value);
	while (strcmp(source->name, from))
		source++;
	while (sink->model != MODEL_SPRTRACE || strcmp(sink->name, to))
		sink++;
	k = sink->open(&(struct sink_args){ out, &opts, diag, from });
	s = source->open(&(struct source_args){ &in, 1, &opts, diag });
	if (!k || !s)
		abort();
	if (source_run(s, k) || sink_end(k))
		abort();
	s->ops->free(s);
	sink_free(k);
	opts_free(&opts);
	diag_free(diag);
	in_close(in);
	return out;
}

/* Check that an FXT file is valid, like --check. */
static inline void fuzz_check(const void *data, size_t n)
{
	const struct source_format *source = source_formats;
	const struct sink_format *sink = sink_formats;
	struct in *in = in_mem(data, n, "fuzz");
	struct diag *diag = diag_new(NULL, "fuzz");
	struct out *out = out_mem();
	struct opts opts;
	struct source *s;
	struct sink *k;

	opts_init(&opts);
	while (source->model != MODEL_FXT)
		source++;
	while (sink->model != MODEL_FXT || strcmp(sink->name, "check"))
		sink++;
	k = sink->open(&(struct sink_args){ out, &opts, diag, "fxt" });
	s = source->open(&(struct source_args){ &in, 1, &opts, diag });
	if (source_run(s, k) || sink_end(k) || diag_status(diag))
		abort();
	s->ops->free(s);
	sink_free(k);
	out_close(out);
	opts_free(&opts);
	diag_free(diag);
	in_close(in);
}

static inline void fuzz_sprt(const char *from, const uint8_t *data, size_t n)
{
	static const struct opt_given all[] = {
		{ "leaks", NULL }, { "compress", NULL }, { "depth", "3" },
		{ "contexts", "7" }, { "resources", "ff" },
		{ "call-address", "lib:0+100000" }, { NULL, NULL }
	};
	static const struct opt_given filter[] = { { "depth", "2" }, { NULL, NULL } };
	const void *text;
	struct out *a, *b, *c;
	uint32_t sum = 0;
	size_t len, again;

	/* Only one conversion for each input, for speed. */
	for (size_t i = 0; i < n; i++)
		sum = sum * 31 + data[i];
	switch ((sum >> 8) % 5) {
	case 0:
		out_close(fuzz_convert(from, data, n, "sp-rtrace-text", all));
		break;
	case 1:
		out_close(fuzz_convert(from, data, n, "json",
				       sum & 1 ? filter : NULL));
		break;
	case 2:
		a = fuzz_convert(from, data, n, "fxt", NULL);
		text = out_mem_data(a, &len);
		fuzz_check(text, len);
		out_close(a);
		break;
	case 3:
		out_close(fuzz_convert(from, data, n, "stats", sum & 1 ? filter : NULL));
		break;
	default:
		/* The report of a report equals the next one made from it. */
		a = fuzz_convert(from, data, n, "sp-rtrace-text", NULL);
		text = out_mem_data(a, &len);
		b = fuzz_convert("sp-rtrace-text", text, len, "sp-rtrace-text",
				 NULL);
		text = out_mem_data(b, &len);
		c = fuzz_convert("sp-rtrace-text", text, len, "sp-rtrace-text",
				 NULL);
		if (!out_mem_data(c, &again) || again != len ||
		    memcmp(out_mem_data(c, &again), text, len))
			abort();
		out_close(a);
		out_close(b);
		out_close(c);
		break;
	}
}

#endif
