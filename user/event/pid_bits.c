// SPDX-License-Identifier: LGPL-2.1
/* The option for the bits of a pid in a upid.  See pid_bits.h. */
#include "event/pid_bits.h"
#include "event/event.h"

const struct opt_row pid_bits_options[] = {
	PID_BITS_OPTION,
	{ 0 }
};

bool pid_bits_of(const struct opts *opts, struct diag *diag, unsigned int *bits)
{
	uint64_t v = ET_DEFAULT_PID_BITS;

	if (!opt_number(opts, "bits-of-real-pid", 0, 32, &v)) {
		diag_fatal(diag, "--bits-of-real-pid %s: must be a number from 0 to 32, as the module's parameter",
			   opt_value(opts, "bits-of-real-pid"));
		return false;
	}
	*bits = (unsigned int)v;
	return true;
}
