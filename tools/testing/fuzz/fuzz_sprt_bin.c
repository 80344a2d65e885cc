// SPDX-License-Identifier: GPL-2.0
/*
 * Binary sp-rtrace logs through every sink, and back: the report of a log is
 * read again, and its report is the same.
 */
#include "fuzz_sprt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	fuzz_sprt("sp-rtrace", data, n);
	return 0;
}
