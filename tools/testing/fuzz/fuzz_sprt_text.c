// SPDX-License-Identifier: GPL-2.0
/* Text reports of sp-rtrace to every format, and read again. */
#include "fuzz_sprt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_sprt("sp-rtrace-text", data, n);
	return 0;
}
