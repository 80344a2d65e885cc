// SPDX-License-Identifier: GPL-2.0
/* etrace doctor: what recording with strace needs. */
#include "cli/doctor.h"
#include "record/strace/strace_session.h"

enum result check_strace(struct finding *f)
{
	const struct strace_options opt = { 0 };
	char why[512];
	struct session *s = strace_session_open(&opt, &doctor_nowhere, why, sizeof(why));

	if (!s)
		return found(f, BAD, "%s", why);
	session_close(s);
	return found(f, GOOD, "installed, and can trace");
}
