// SPDX-License-Identifier: GPL-2.0
/*
 * etrace doctor: what stands in the way of etrace run on this machine, and
 * what to do about each.  A check is a function and a row of the table, which
 * says what backend it is about; the last one for each does what run does.
 */
#include "cli/doctor.h"
#include "cli/etrace.h"
#include "cli/session.h"
#include "cli/term.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name;
	enum backends backends;
	enum result (*check)(struct finding *f);
	bool last;		/* only when nothing bad was found for its backend */
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
	{ "leftovers", MODULE, check_leftovers, false },
	{ "BPF rights", BPF, check_bpf_rights, false },
	{ "BPF types", BPF, check_btf, false },
	{ "BPF options", BPF, check_bpf_config, false },
	{ "BPF for all", BPF, check_unprivileged, false },
	{ "locked memory", BPF, check_memlock, false },
	{ "LSMs", BPF, check_lsms, false },
	{ "a session", MODULE, check_module_session, true },
	{ "a session by BPF", BPF, check_bpf_session, true },
	{ "strace", STRACE, check_strace, false },
};
#define NCHECKS (sizeof(checks) / sizeof(checks[0]))

static void print(const char *name, const struct finding *f)
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

static void usage(FILE *to)
{
	fputs("Usage: " PROG " doctor [--backend NAME]\n"
	      "Tell what stands in the way of " PROG " run on this machine, and the remedy.  Loads\n"
	      "the module, or BPF programs, if nothing else is found to be in the way.\n\n"
	      "      --backend NAME  look at what " PROG " run --backend NAME needs: module, bpf,\n"
	      "                      strace, or auto: module or BPF, and strace if neither works\n"
	      "  -h, --help          show this and exit\n"
	      "      --version       show the version and exit\n\n"
	      "Exit status: 0 if " PROG " run works here, else 1.\n", to);
}

/* Return: false if there is no such backend. */
static bool wanted_backends(const char *name, enum backends *wanted)
{
	if (!backend_known(name)) {
		say("--backend=%s: must be " BACKEND_NAMES, name);
		return false;
	}
	*wanted = !strcmp(name, "module") ? MODULE : !strcmp(name, "bpf") ? BPF :
		  !strcmp(name, "strace") ? STRACE : BOTH;
	return true;
}

static bool diagnose(enum backends wanted)
{
	static const char *const how[] = {
		[MODULE] = " --backend=module", [BPF] = " --backend=bpf",
		[STRACE] = " --backend=strace", [BOTH] = "",
	};
	static const char *const by[] = {
		[MODULE] = "the module", [BPF] = "BPF",
		[STRACE] = "strace, which is slower and knows less; the notes say what the module and BPF want",
	};
	struct finding all[NCHECKS] = { 0 };
	bool done[NCHECKS] = { false };
	unsigned int bad = 0;	/* enum backends that something is in the way of */
	unsigned int works;

	for (size_t i = 0; i < NCHECKS; i++) {
		/* where there is nothing better, "auto" takes strace */
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
		/* What is in the way of one does not matter if there is another. */
		if (all[i].result == BAD && works)
			all[i].result = NOTE;
		print(checks[i].name, &all[i]);
	}
	if (!works)
		printf(PROG " run%s does not work here: see what is BAD\n", how[wanted]);
	else if (wanted == BOTH)
		printf(PROG " run works here, by %s\n", by[works & -works]);
	else
		printf(PROG " run%s works here\n", how[wanted]);
	return works;
}

int cmd_doctor(int argc, char **argv)
{
	static const struct option table[] = {
		{ "backend", required_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 }
	};
	enum backends wanted = BOTH;
	int opt;

	while ((opt = getopt_long(argc, argv, "h", table, NULL)) != -1) {
		switch (opt) {
		case 'b':
			if (!wanted_backends(optarg, &wanted))
				return EXIT_FAILED;
			continue;
		case 'h':
			usage(stdout);
			return 0;
		case 'V':
			print_version();
			return 0;
		default:
			usage(stderr);
			return EXIT_FAILED;
		}
	}
	if (optind < argc) {
		usage(stderr);
		return EXIT_FAILED;
	}
	uname(&doctor_host);
	doctor_find_module();
	return !diagnose(wanted);
}
