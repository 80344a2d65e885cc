// SPDX-License-Identifier: GPL-2.0
/* Arbitrary bytes as strace logs: see events.h. */
#include "events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_events("strace", data, n);
}
