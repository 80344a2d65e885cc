// SPDX-License-Identifier: GPL-2.0
/*
 * Arbitrary bytes as an FXT file: nothing crashes, every line of the JSON and of the summary
 * is valid, and --check terminates.
 */
#include "fuzz_convert.h"
#include "format/fxt/fxt_check.h"
#include "format/fxt/fxt_in.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	unsigned int way = fuzz_way(data, n, 3);
	struct out *out;
	int status;

	fxt_in_detect(data, n);
	if (way) {
		out = fuzz_run(fxt_in_open, way == 1 ? fxt_in_json_open : fxt_stats_open, "json",
			       data, n, &status);
		fuzz_check_json(out);
	} else {
		out = fuzz_run(fxt_in_open, fxt_check_open, NULL, data, n, &status);
	}
	out_close(out);
	return 0;
}
