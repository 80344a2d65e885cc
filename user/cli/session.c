// SPDX-License-Identifier: GPL-2.0
/* Opens a session of a backend, or of the first one that works.  See session.h. */
#include "cli/session.h"
#include "record/bpf/bpf_session.h"
#include "cli/device.h"
#include "cli/etrace.h"
#include "record/module/rec_session.h"
#include "record/strace/strace_session.h"

#include <string.h>

static struct session *open_module(const struct session_options *opt, bool verbose,
				   struct sink *sink, char *why, size_t size)
{
	struct rec_options ro = { .buffer = opt->buffer, .comm = opt->comm,
				  .record = opt->record, .keep_env = opt->keep_env };
	int fd = device_open(verbose, why, size);

	return fd < 0 ? NULL : rec_session_open(fd, &ro, sink, why, size);
}

static struct session *open_bpf(const struct session_options *opt, bool verbose,
				struct sink *sink, char *why, size_t size)
{
	struct bpf_options bo = { .buffer = opt->buffer, .comm = opt->comm,
				  .cgroups = opt->cgroups,
				  .record = opt->record, .keep_env = opt->keep_env };

	(void)verbose;
	return bpf_session_open(&bo, sink, why, size);
}

static struct session *open_strace(const struct session_options *opt, bool verbose,
				   struct sink *sink, char *why, size_t size)
{
	struct strace_options so = { .record = opt->record, .keep_env = opt->keep_env,
				     .comm = opt->comm };

	(void)verbose;
	if (!opt->runs) {
		snprintf(why, size, "strace records only what it starts: use " PROG " run");
		return NULL;
	}
	if (opt->cgroups) {
		snprintf(why, size, "strace records only what it starts, not a cgroup");
		return NULL;
	}
	return strace_session_open(&so, sink, why, size);
}

/* In the order in which "auto" tries them. */
static const struct backend {
	const char *name;
	struct session *(*open)(const struct session_options *opt, bool verbose,
				struct sink *sink, char *why, size_t size);
	const char *costs;	/* printed if "auto" chooses it; NULL for nothing */
} backends[] = {
	{ "module", open_module, NULL },
	{ "bpf", open_bpf, NULL },
	{ "strace", open_strace, strace_session_costs },
};
#define NBACKENDS (sizeof(backends) / sizeof(backends[0]))

static bool is_auto(const char *name)
{
	return !name || !strcmp(name, "auto");
}

struct session *session_open(const char *name, const struct session_options *opt,
			     bool verbose, struct sink *sink, char *why, size_t size)
{
	size_t len = 0;

	*why = 0;
	for (size_t i = 0; i < NBACKENDS; i++) {
		const struct backend *b = &backends[i];
		struct session *s;
		char one[512];
		int n;

		if (!is_auto(name) && strcmp(b->name, name))
			continue;
		s = b->open(opt, verbose, sink, one, sizeof(one));
		if (s) {
			if (verbose) {
				say("%s", s->about);
				say("backend %s%s%s", b->name, *why ? "; not " : "", why);
			}
			if (is_auto(name) && b->costs && !opt->quiet)
				say("recording with %s: %s (" PROG " doctor says why)", b->name, b->costs);
			return s;
		}
		n = snprintf(why + len, size - len, "%s%s%s%s", len ? "; " : "",
			     is_auto(name) ? b->name : "", is_auto(name) ? ": " : "", one);
		len += n > 0 && len + (size_t)n < size ? (size_t)n : 0;
	}
	return NULL;
}
