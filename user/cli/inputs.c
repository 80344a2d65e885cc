// SPDX-License-Identifier: GPL-2.0
/* Opens the files that a command line names.  See inputs.h. */
#include "cli/inputs.h"
#include "cli/etrace.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool inputs_open(struct inputs *inputs, char **files, size_t n, struct diag *diag)
{
	static char dash[] = "-";
	static char *stdin_only[] = { dash };
	int err = 0;

	if (!n) {
		files = stdin_only;
		n = 1;
	}
	inputs->in = xcalloc(n, sizeof(struct in *));
	for (inputs->n = 0; inputs->n < n; inputs->n++) {
		inputs->in[inputs->n] = in_open(files[inputs->n], &err);
		if (!inputs->in[inputs->n]) {
			diag_fatal(diag, "%s: %s", files[inputs->n], strerror(-err));
			return false;
		}
	}
	in_share_processors(inputs->in, n);
	return true;
}

void inputs_close(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->n; i++)
		in_close(inputs->in[i]);
	free(inputs->in);
}

bool inputs_open_usual(struct inputs *inputs, char ***files, size_t *n, struct diag *diag)
{
	static char usual[] = TRACE_FILE;
	static char *only_usual[] = { usual };

	if (!*n) {
		if (access(usual, F_OK)) {
			diag_fatal(diag, "no trace given, and ./" TRACE_FILE
				   " is not there: name a trace, or - for standard input");
			return false;
		}
		*files = only_usual;
		*n = 1;
	}
	return inputs_open(inputs, *files, *n, diag);
}
