// SPDX-License-Identifier: GPL-2.0
/*
 * Arbitrary bytes as a SWAP stream: nothing crashes, every line of the JSON and of the
 * summary is valid, and the FXT obeys the rules of the format and of its viewers.
 */
#include "fuzz_convert.h"
#include "format/fxt/fxt_check.h"
#include "format/fxt/fxt_in.h"
#include "format/swap/swap_formats.h"
#include "format/swap/swap_frame.h"

static void check_json(sink_open *to, const uint8_t *data, size_t n)
{
	struct out *json;
	int status;

	json = fuzz_run(swap_source_open, to, "json", data, n, &status);
	if (status > 1)
		abort();
	fuzz_check_json(json);
	out_close(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct out *fxt;
	const void *trace;
	int status;
	size_t len;

	swap_source_detect(data, n);
	switch (fuzz_way(data, n, 4)) {
	case 0:
		check_json(swap_json_open, data, n);
		break;
	case 1:
		check_json(swap_stats_open, data, n);
		break;
	default:
		fxt = fuzz_run(swap_source_open, swap_fxt_open, NULL, data, n, &status);
		trace = out_mem_data(fxt, &len);
		out_close(fuzz_run(fxt_in_open, fxt_check_open, NULL, trace, len, &status));
		if (status)
			abort();
		out_close(fxt);
		break;
	}
	return 0;
}
