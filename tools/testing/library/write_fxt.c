// SPDX-License-Identifier: GPL-2.0
/* A program that uses the installed libetrace: it writes a small FXT file. */
#include <etrace.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	const struct etrace_fxt_arg args[] = {
		{ .name = "path", .type = ETRACE_FXT_ARG_STRING, .s = "/etc/passwd" },
		{ .name = "size", .type = ETRACE_FXT_ARG_UINT, .u = 1ull << 40 },
		{ .name = "delta", .type = ETRACE_FXT_ARG_INT, .i = -5 },
		{ .name = "ratio", .type = ETRACE_FXT_ARG_DOUBLE, .d = 0.5 },
	};
	struct etrace_fxt_event ev = {
		.type = ETRACE_FXT_DURATION_COMPLETE, .time = 1000, .value = 3000,
		.process = 1, .thread = 2, .category = "file", .name = "read",
	};
	struct etrace_fxt *fxt;
	int err;

	if (argc != 2 || etrace_fxt_create(argv[1], "sample", &fxt))
		return 2;
	err = etrace_fxt_process(fxt, 1, "a process") || etrace_fxt_thread(fxt, 1, 2, "a thread") ||
	      etrace_fxt_event(fxt, &ev, args, 4);
	/* these calls are refused and do not change the file */
	err |= etrace_fxt_event(fxt, &ev, args, 16) >= 0;
	ev.type = 99;
	err |= etrace_fxt_event(fxt, &ev, NULL, 0) >= 0;
	err |= etrace_fxt_close(fxt) != 0;
	if (err || etrace_fxt_create("/nowhere/at/all", "sample", &fxt) >= 0 || fxt)
		return 1;
	puts(etrace_version());
	return 0;
}
