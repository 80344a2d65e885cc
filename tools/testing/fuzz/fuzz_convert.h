/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by fuzz targets: a conversion in memory, and a check that text is JSON. */
#ifndef FUZZ_CONVERT_H
#define FUZZ_CONVERT_H

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "io/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

typedef struct source *source_open(const struct source_args *args);
typedef struct sink *sink_open(const struct sink_args *args);

/*
 * Convert; the caller closes the output.
 * @option: for both source and sink, or NULL
 * @status: the exit status
 */
static inline struct out *fuzz_run(source_open *from, sink_open *to, const char *option,
				   const void *data, size_t n, int *status)
{
	struct in *in = in_mem(data, n, "input");
	struct out *out = out_mem();
	struct diag *diag = diag_new(NULL, "fuzz");
	struct opts opts;
	struct source_args sa = { &in, 1, &opts, diag };
	struct sink_args ka = { out, &opts, diag, "fuzz" };
	struct source *source;
	struct sink *sink;

	opts_init(&opts);
	if (option)
		opts_add(&opts, option, NULL);
	source = from(&sa);
	sink = to(&ka);
	source_run(source, sink);
	sink_end(sink);
	source->ops->free(source);
	sink_free(sink);
	*status = diag_status(diag);
	diag_free(diag);
	opts_free(&opts);
	in_close(in);
	return out;
}

/* Select one of @n conversions, 0 to @n - 1, by the input: only one each, for speed. */
static inline unsigned int fuzz_way(const uint8_t *data, size_t size, unsigned int n)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < size; i++)
		sum = sum * 31 + data[i];
	return (sum >> 8) % n;
}

/* Check that every line is a JSON value. */
static inline void fuzz_check_json(struct out *out)
{
	size_t n;
	const char *text = out_mem_data(out, &n);

	while (n) {
		const char *end = memchr(text, '\n', n);
		json_tokener *tok = json_tokener_new();
		json_object *o;

		if (!end)
			abort();
		o = json_tokener_parse_ex(tok, text, (int)(end - text));
		if (!o || json_tokener_get_error(tok) != json_tokener_success)
			abort();
		json_object_put(o);
		json_tokener_free(tok);
		n -= (size_t)(end + 1 - text);
		text = end + 1;
	}
}

#endif
