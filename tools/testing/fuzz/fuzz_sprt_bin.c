// SPDX-License-Identifier: GPL-2.0
/* Binary sp-rtrace logs to every format; a log's report, read again, gives the same report. */
#include "fuzz_sprt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_sprt("sp-rtrace", data, n);
	return 0;
}
