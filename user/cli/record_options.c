// SPDX-License-Identifier: GPL-2.0
/* The options shared by run and attach.  See record.h. */
#include "cli/record_state.h"
#include "base/buf.h"
#include "base/path.h"
#include "event/schema.h"
#include "cli/command_line.h"
#include "cli/etrace.h"
#include "cli/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Default of --hash-max: the largest file that is hashed, in bytes. */
#define HASH_MAX	(4ull << 30)

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

/* ---- the page that --open shows ---- */

/* The page next to a trace: "out/build.html" for "out/build.fxt.zst". */
static char *page_beside(const char *file)
{
	const char *name = path_base(file);
	const char *dot = strchr(*name == '.' ? name + 1 : name, '.');
	struct buf b = { 0 };

	buf_add(&b, file, dot ? (size_t)(dot - file) : strlen(file));
	buf_add(&b, ".html", sizeof(".html"));
	return b.s;
}

static bool choose_page(struct record_options *o)
{
	if (o->before && !o->top) {
		say("--before %s: only for --top, which estimates the time remaining; add --top",
		    o->before);
		return false;
	}
	if (o->no_env && o->record >> ET_ENV & 1) {
		say("--record=env and --no-env exclude each other; leave one out");
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
		say("--open shows a page, but --to %s makes none; leave out --to, and name the files, as in -o build.fxt -o build.html",
		    o->to);
		return false;
	}
	if (!o->nfiles)
		add_file(o, TRACE_FILE);
	o->own_page = page_beside(o->files[0]);
	o->page = o->own_page;
	add_file(o, o->page);
	return true;
}

/* ---- the values of options ---- */

static bool take_outputs(struct record_options *o, const struct opts *opts)
{
	const char *value;

	for (size_t i = 0; (value = opt_each(opts, "output", &i));) {
		if (!strcmp(value, "-")) {
			say("-o -: standard output belongs to the command; name a file");
			return false;
		}
		add_file(o, value);
	}
	return true;
}

static bool take_buffer(struct record_options *o, const struct opts *opts)
{
	const char *value = opt_value(opts, "buffer");

	if (!value || parse_size(value, &o->buffer))
		return true;
	say("-b %s: must be a number of bytes, at least 4096; k, M or G may follow it", value);
	return false;
}

static bool take_hash(struct record_options *o, const struct opts *opts)
{
	const char *value = opt_value(opts, "hash-max");

	o->hash = opt_flag(opts, "hash");
	o->hash_cache = opt_value(opts, "hash-cache");
	o->hash_max = HASH_MAX;
	if (!value || parse_size(value, &o->hash_max))
		return true;
	say("--hash-max=%s: must be a number of bytes, at least 4096; k, M or G may follow it", value);
	return false;
}

static bool take_lists(struct record_options *o, const struct opts *opts)
{
	const char *value;
	size_t i;

	for (i = 0; (value = opt_each(opts, "record", &i));)
		if (!et_on_request(value, &o->record)) {
			say("--record=%s: must be a list, separated by commas, of " ET_ON_REQUEST, value);
			return false;
		}
	for (i = 0; (value = opt_each(opts, "keep-env", &i));)
		if (!et_keep_env(o->keep_env, value)) {
			say("--keep-env=%s: must be a list of variables, separated by commas, shorter than %d bytes in all",
			    value, ET_KEEP_ENV_MAX);
			return false;
		}
	for (i = 0; (value = opt_each(opts, "cgroup", &i));) {
		o->cgroups = xgrow(o->cgroups, &o->cgroups_cap, o->ncgroups + 1, sizeof(value));
		o->cgroups[o->ncgroups++] = value;
	}
	return true;
}

bool record_options_take(struct record_options *o, const struct opts *opts)
{
	o->to = opt_value(opts, "to");
	o->backend = opt_value(opts, "backend");
	o->before = opt_value(opts, "before");
	o->progress = opt_chosen(opts, record_rows, "progress");
	o->no_env = opt_flag(opts, "no-env");
	o->keep_module = opt_flag(opts, "keep-module");
	o->top = opt_flag(opts, "top");
	o->open = opt_flag(opts, "open");
	o->strict = opt_flag(opts, "strict");
	o->quiet = opt_flag(opts, "quiet");
	o->verbose = opt_flag(opts, "verbose");
	return take_outputs(o, opts) && take_buffer(o, opts) && take_hash(o, opts) &&
	       take_lists(o, opts) && choose_page(o);
}

void record_options_free(struct record_options *o)
{
	free(o->files);
	free(o->cgroups);
	free(o->own_page);
}

const struct opt_row record_rows[] = {
	{ "o|output", "FILE", "write the trace to FILE (default: " TRACE_FILE "); may be repeated. The name\n"
	  "tells the format: .fxt, .etrace (plain lines) or .json, compressed if\n"
	  ".gz or .zst follows; .db (database) and .html (page for a browser)\n"
	  "are made at the end" },
	{ "to", "fxt|etrace|json|db|html", "the format, whatever the files are called" },
	{ "backend", "auto|module|bpf|strace", "what records; default: the module if possible, else BPF, else (run\n"
	  "only) strace" },
	{ "b|buffer", "SIZE", "size of the buffer of each processor (default: 1 to 8 MiB); k, M or G\n"
	  "may follow the number" },
	{ "cgroup", "PATH", "also record every process in this cgroup and below it: a directory, or\n"
	  "a path as in /proc/PID/cgroup; may be repeated" },
	{ "record", "LIST", "also record, separated by commas: probes (names looked up by stat,\n"
	  "access, readlink), dirs (listed directories), env (environments; what\n"
	  "looks secret is hidden), output (the last 4 KiB that processes which fail wrote to\n"
	  "descriptors 1 and 2; output=all: of all processes); may be repeated" },
	{ "keep-env", "LIST", "environment variables, separated by commas, that env never hides; may\n"
	  "be repeated" },
	{ "no-env", NULL, "record no environment variables; default, without env: only the few\n"
	  "from which compilers take options and directories" },
	{ "hash", NULL, "hash each file that is read or written, as it is at that moment" },
	{ "hash-max", "SIZE", "with --hash: largest file that is hashed (default: 4G)" },
	{ "hash-cache", "FILE", "with --hash: where hashes are kept from one recording to the next;\n"
	  "default: /var/cache/etrace/hashes for root, else\n"
	  "~/.cache/etrace/hashes; empty for none" },
	{ "keep-module", NULL, "do not unload the module at the end if it was loaded for this" },
	{ "strict", NULL, "exit with status 123 if anything is missing from the trace" },
	{ "q|quiet", NULL, "no summary at the end, no progress line" },
	{ "v|verbose", NULL, "print more" },
	{ "progress", "auto|always|never", "show a progress line; default: on a terminal" },
	{ "top", NULL, "show the build on the whole screen while it runs (see " PROG " top)" },
	{ "before", "FILE", "with --top: an earlier recording, to estimate the time remaining from" },
	{ "open", NULL, "show the page of the build at the end: the first .html output, or one\n"
	  "next to the first output" },
	{ 0 }
};
