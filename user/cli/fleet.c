// SPDX-License-Identifier: GPL-2.0
/* Shared code of etrace push and etrace fleet.  See fleet.h. */
#include "cli/fleet.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

bool fleet_server(const struct asked *a, const char *url, const char *how, struct server_options *o)
{
	o->url = url ? url : getenv("ETRACE_FLEET_URL");
	o->database = opt_value(a->opts, "database");
	o->user = opt_value(a->opts, "user");
	o->password_file = opt_value(a->opts, "password-file");
	o->cacert = opt_value(a->opts, "cacert");
	o->timeout = 60;
	if (!o->url || !*o->url) {
		diag_fatal(a->diag, "no server given: use %s, or set $ETRACE_FLEET_URL", how);
		return false;
	}
	return answer_number(a->opts, "timeout", 1, &o->timeout, a->diag) &&
	       answer_number(a->opts, "retries", 0, &o->retries, a->diag);
}

bool fleet_tags(const struct asked *a, const char ***tags, size_t *n)
{
	const char *tag;
	size_t i = 0;

	*n = 0;
	*tags = xcalloc(a->opts->n + 1, sizeof(**tags));
	while ((tag = opt_each(a->opts, "tag", &i))) {
		const char *is = strchr(tag, '=');

		if (!is || is == tag) {
			diag_fatal(a->diag, "--tag %s: must be KEY=VALUE", tag);
			return false;
		}
		(*tags)[(*n)++] = tag;
	}
	return true;
}
