// SPDX-License-Identifier: GPL-2.0
/* The options that run and attach have in common.  See record.h. */
#include "cli/record_state.h"
#include "base/buf.h"
#include "build/schema.h"
#include "cli/etrace.h"
#include "cli/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_size(const char *s, uint64_t *v)
{
	static const struct {
		const char *unit;
		unsigned int shift;
	} units[] = { { "", 0 }, { "k", 10 }, { "K", 10 }, { "M", 20 }, { "G", 30 } };
	unsigned long long n;
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	n = strtoull(s, &end, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].unit) && !errno && n && n < 1ull << 40) {
			*v = (uint64_t)n << units[i].shift;
			return *v >= 4096 && *v < 1ull << 42;
		}
	return false;
}

static void add_file(struct record_options *o, const char *file)
{
	o->files = xgrow(o->files, &o->files_cap, o->nfiles + 1, sizeof(file));
	o->files[o->nfiles++] = file;
}

bool record_option(struct record_options *o, int opt, const char *value,
		   const struct record_texts *texts, int *status)
{
	switch (opt) {
	case 'h':
		texts->help();
		*status = 0;
		return false;
	case RECORD_OPT_VERSION:
		print_version();
		*status = 0;
		return false;
	case '?':
		texts->usage(stderr);
		return false;
	case 'o':
		if (!strcmp(value, "-")) {
			say("-o -: standard output belongs to the command; name a file");
			return false;
		}
		add_file(o, value);
		return true;
	case 'b':
		if (parse_size(value, &o->buffer))
			return true;
		say("-b %s: a size is a number of bytes, at least 4096, or one with k, M or G behind it",
		    value);
		return false;
	case 'q':
		o->quiet = true;
		return true;
	case 'v':
		o->verbose = true;
		return true;
	case RECORD_OPT_TO:
		o->to = value;
		return true;
	case RECORD_OPT_BACKEND:
		o->backend = value;
		if (backend_known(value))
			return true;
		say("--backend=%s: must be " BACKEND_NAMES, value);
		return false;
	case RECORD_OPT_RECORD:
		if (et_on_request(value, &o->record))
			return true;
		say("--record=%s: must be a list of these, with commas between them: " ET_ON_REQUEST,
		    value);
		return false;
	case RECORD_OPT_CGROUP:
		o->cgroups = xgrow(o->cgroups, &o->cgroups_cap, o->ncgroups + 1, sizeof(value));
		o->cgroups[o->ncgroups++] = value;
		return true;
	case RECORD_OPT_KEEP_ENV:
		if (et_keep_env(o->keep_env, value))
			return true;
		say("--keep-env=%s: must be a list of variables, with commas between them, of less than %d bytes in all",
		    value, ET_KEEP_ENV_MAX);
		return false;
	case RECORD_OPT_NO_ENV:
		o->no_env = true;
		return true;
	case RECORD_OPT_KEEP_MODULE:
		o->keep_module = true;
		return true;
	case RECORD_OPT_OPEN:
		o->open = true;
		return true;
	case RECORD_OPT_TOP:
		o->top = true;
		return true;
	case RECORD_OPT_BEFORE:
		o->before = value;
		return true;
	case RECORD_OPT_STRICT:
		o->strict = true;
		return true;
	case RECORD_OPT_PROGRESS:
		if (!strcmp(value, "auto"))
			o->progress = TERM_AUTO;
		else if (!strcmp(value, "always"))
			o->progress = TERM_ALWAYS;
		else if (!strcmp(value, "never"))
			o->progress = TERM_NEVER;
		else {
			say("--progress=%s: must be auto, always or never", value);
			return false;
		}
		return true;
	default:
		return false;
	}
}

/* ---- the page that --open shows ---- */

/* Beside a trace: "out/build.fxt.zst", "out/build.html". */
static char *page_beside(const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	const char *dot = strchr(*name == '.' ? name + 1 : name, '.');
	struct buf b = { 0 };

	buf_add(&b, file, dot ? (size_t)(dot - file) : strlen(file));
	buf_add(&b, ".html", sizeof(".html"));
	return b.s;
}

bool record_options_end(struct record_options *o)
{
	if (o->before && !o->top) {
		say("--before %s: only the view estimates the time remaining; say --top, too",
		    o->before);
		return false;
	}
	if (o->no_env && o->record >> ET_ENV & 1) {
		say("--record=env and --no-env: one records environments, the other does not; leave one out");
		return false;
	}
	if (!o->open)
		return true;
	for (size_t i = 0; i < o->nfiles; i++)
		if (record_made_is_page(o, o->files[i])) {
			o->page = o->files[i];
			return true;
		}
	if (o->to) {
		say("--open shows a page, and with --to %s there is none: let names tell the formats, as in -o build.fxt -o build.html",
		    o->to);
		return false;
	}
	if (!o->nfiles)
		add_file(o, RECORD_OUTPUT);
	o->own_page = page_beside(o->files[0]);
	o->page = o->own_page;
	add_file(o, o->page);
	return true;
}

void record_options_free(struct record_options *o)
{
	free(o->files);
	free(o->cgroups);
	free(o->own_page);
}

void record_help(void)
{
	fputs("  -o, --output FILE   write the trace there (" RECORD_OUTPUT "); may be repeated.  The\n"
	      "                      name tells the format: .fxt, .etrace (plain lines) or .json,\n"
	      "                      and .gz or .zst behind it compress;\n"
	      "                      .db is a database, .html a page for a browser, both\n"
	      "                      made of the recording in the end\n"
	      "      --to FORMAT     the format, whatever the names\n"
	      "      --backend NAME  what records: module, bpf, strace, or auto: the module where\n"
	      "                      it can be had, else BPF, else (run only) strace\n"
	      "  -b, --buffer SIZE   size of each processor's buffer (1 to 8 MiB); with k, M\n"
	      "                      or G behind it\n"
	      "      --cgroup PATH   record also who is in this cgroup, whoever starts it, and all\n"
	      "                      below: a directory, or as /proc/PID/cgroup has it; may be\n"
	      "                      repeated\n"
	      "      --record LIST   record also, with commas between them: probes (what was asked\n"
	      "                      of names: stat, access, readlink), dirs (directories that\n"
	      "                      were listed), env (environments of programs; what looks\n"
	      "                      secret is hidden), output (the last 4 KiB that processes\n"
	      "                      which fail wrote to descriptors 1 and 2; output=all: that\n"
	      "                      of all processes); may be repeated\n"
	      "      --keep-env LIST variables that env shows whatever they look like, with commas\n"
	      "                      between them; may be repeated\n"
	      "      --no-env        record no environment: without this and env, the few variables\n"
	      "                      that compilers take options and directories from\n"
	      "      --keep-module   do not unload the module, if it was loaded for this\n"
	      "      --strict        exit status 123 if anything is missing in the trace\n"
	      "  -q, --quiet         no summary at the end, and no progress line\n"
	      "  -v, --verbose       tell more\n"
	      "      --progress WHEN\n"
	      "                      a line that tells how it goes: auto (on a terminal), always,\n"
	      "                      never\n"
	      "      --top           show the build on the whole screen while it runs (etrace top)\n"
	      "      --before OLD    of --top: estimate the time remaining from that recording\n"
	      "      --open          show the page of the build in the end: the first output that is\n"
	      "                      .html, or one beside the first output\n"
	      "  -h, --help          show this and exit\n"
	      "      --version       show the version and exit\n", stdout);
}
