// SPDX-License-Identifier: GPL-2.0
/* Arbitrary bytes as an FXT file of etrace: nothing crashes, memory stays bounded. */
#include <string.h>

#include "io/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct source_format *from = source_formats;
	const struct sink_format *to = sink_formats;
	struct in *in = in_mem(data, n, "fuzz");
	struct diag *diag = diag_new(NULL, "fuzz");
	struct out *out = out_mem();
	struct opts opts;
	struct source_args sa = { &in, 1, &opts, diag };
	struct sink_args ka = { out, &opts, diag, "fxt" };
	struct source *source;
	struct sink *sink;

	while (strcmp(from->name, "fxt") || from->model != MODEL_ETRACE)
		from++;
	while (strcmp(to->name, "etrace"))
		to++;
	opts_init(&opts);
	source = from->open(&sa);
	sink = to->open(&ka);
	source_run(source, sink);
	sink_end(sink);
	source->ops->free(source);
	sink_free(sink);
	out_close(out);
	diag_free(diag);
	in_close(in);
	return 0;
}
