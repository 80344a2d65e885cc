// SPDX-License-Identifier: GPL-2.0
/* Which program opened which file: cc who-opens.c $(pkg-config --cflags --libs libetrace) */
#include <etrace.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	const struct etrace_event *ev;
	struct etrace *trace;
	int err;

	err = etrace_open((const char *const *)argv + 1, (size_t)argc - 1, &trace);
	while (!err && (err = etrace_next(trace, &ev)) > 0) {
		const struct etrace_task *task = etrace_task(trace, etrace_event_upid(ev));
		const char *path = etrace_event_string(ev, ETRACE_S_OPEN_name, NULL);

		err = 0;
		if (etrace_event_kind(ev) == ETRACE_K_OPEN && path)
			printf("%s\t%s\n", etrace_task_program(task, NULL), path);
	}
	if (err)
		fprintf(stderr, "who-opens: %s\n", strerror(-err));
	else if (!etrace_complete(trace))
		fprintf(stderr, "who-opens: something is missing in the trace\n");
	etrace_close(trace);
	return err != 0;
}
