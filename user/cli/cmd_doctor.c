// SPDX-License-Identifier: GPL-2.0
/*
 * etrace doctor: what keeps etrace run from working on this machine, and what to do
 * about it.  Each check is a function, with a row in the table that names its backends;
 * the last check of each backend tries the same as run.
 */
#include "cli/doctor.h"
#include "cli/command_line.h"
#include "cli/etrace.h"
#include "cli/session.h"
#include "cli/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name;
	enum backends backends;
	enum result (*check)(struct finding *f);
	bool last;		/* run it only if nothing bad was found for its backend */
} checks[] = {
	{ "rights", MODULE, check_rights, false },
	{ "kernel headers", MODULE, check_headers, false },
	{ "module", MODULE, check_module, false },
	{ "modules", MODULE, check_modules_disabled, false },
	{ "signature", MODULE, check_signature, false },
	{ "lockdown", BOTH, check_lockdown, false },
	{ "tracefs", MODULE, check_tracefs, false },
	{ "kernel options", MODULE, check_config, false },
	{ "buffers", BOTH, check_buffers, false },
	{ "BPF rights", BPF, check_bpf_rights, false },
	{ "BPF types", BPF, check_btf, false },
	{ "BPF options", BPF, check_bpf_config, false },
	{ "unprivileged BPF", BPF, check_unprivileged, false },
	{ "locked memory", BPF, check_memlock, false },
	{ "LSMs", BPF, check_lsms, false },
	{ "module session", MODULE, check_module_session, true },
	{ "BPF session", BPF, check_bpf_session, true },
	{ "strace", STRACE, check_strace, false },
};
#define NCHECKS (sizeof(checks) / sizeof(checks[0]))

static void print_finding(const char *name, const struct finding *f)
{
	struct term_colors c = term_colors(STDOUT_FILENO);
	static const char *const words[] = { "ok", "note", "BAD" };
	const char *color = f->result == GOOD ? c.good : f->result == BAD ? c.bad : c.bold;
	const char *s = f->remedy;

	printf("%s%-4s%s  %s: %s\n", color, words[f->result], c.off, name, f->text);
	while (*s) {
		size_t n = strcspn(s, "\n");

		printf("        %.*s\n", (int)n, s);
		s += n + (s[n] == '\n');
	}
}

static const struct opt_row options[] = {
	{ "backend", "auto|module|bpf|strace", "check what " PROG " run --backend NAME needs: module, bpf, strace, or\n"
	  "auto: module or BPF, and strace if neither works" },
	{ 0 }
};

static const struct command_line command_line = {
	.name = "doctor", .synopsis = "",
	.about = "Find out what keeps " PROG " run from working on this machine, and what to do about it.\n"
		 "If nothing is in the way, this loads the module or BPF programs once to try them.",
	.example = PROG " doctor\n",
	.options = { options },
	.status = "0 " PROG " run works here; 1 it does not",
	.failed = EXIT_FAILED,
};

/* In the order of --backend. */
static const enum backends backends[] = { BOTH, MODULE, BPF, STRACE };

static bool diagnose_backends(enum backends wanted)
{
	static const char *const how[] = {
		[MODULE] = " --backend=module", [BPF] = " --backend=bpf",
		[STRACE] = " --backend=strace", [BOTH] = "",
	};
	static const char *const by[] = {
		[MODULE] = "the module", [BPF] = "BPF",
		[STRACE] = "strace (slower, less detail); for the module or BPF see the notes above",
	};
	struct finding all[NCHECKS] = { 0 };
	bool done[NCHECKS] = { false };
	unsigned int bad = 0;	/* bits for the backends that cannot work */
	unsigned int works;

	for (size_t i = 0; i < NCHECKS; i++) {
		/* "auto" uses strace if nothing better works */
		bool instead = checks[i].backends == STRACE && wanted == BOTH && !(wanted & ~bad);

		if (!(checks[i].backends & wanted || instead) || (checks[i].last && checks[i].backends & bad))
			continue;
		done[i] = true;
		all[i].result = checks[i].check(&all[i]);
		if (all[i].result == BAD)
			bad |= checks[i].backends;
	}
	works = (wanted == BOTH ? BOTH | STRACE : wanted) & ~bad;
	for (size_t i = 0; i < NCHECKS; i++) {
		if (!done[i])
			continue;
		/* a fault of one backend does not matter if another one works */
		if (all[i].result == BAD && works)
			all[i].result = NOTE;
		print_finding(checks[i].name, &all[i]);
	}
	if (!works)
		printf(PROG " run%s does not work here: fix the lines marked BAD\n", how[wanted]);
	else if (wanted == BOTH)
		printf(PROG " run works here, with %s\n", by[works & -works]);
	else
		printf(PROG " run%s works here\n", how[wanted]);
	return works;
}

int cmd_doctor(int argc, char **argv)
{
	enum backends wanted;
	struct opts opts;
	int ret;

	opts_init(&opts);
	ret = command_line_parse(&command_line, argc, argv, &opts);
	wanted = ret < 0 ? backends[opt_chosen(&opts, options, "backend")] : BOTH;
	if (ret < 0 && optind < argc)
		ret = command_line_wrong(&command_line, "takes no arguments, but there is '%s'",
					 argv[optind]);
	opts_free(&opts);
	if (ret >= 0)
		return ret;
	uname(&doctor_host);
	doctor_find_module();
	return !diagnose_backends(wanted);
}
