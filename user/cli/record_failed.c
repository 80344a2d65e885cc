// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what failed in the recorded build. That is known only at the end, so another process
 * reads the trace again: an error there cannot harm the recording.
 */
#include "cli/record_state.h"
#include "answers/failures.h"
#include "base/shquote.h"
#include "cli/etrace.h"
#include "cli/term.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reading a larger recording would take too long: only point to etrace explain. */
#define EVENTS_MAX	2000000u

/* The first output that etrace explain can read, NULL if none. */
static const char *readable_output(const struct recording *r)
{
	static const char *const ends[] = { ".fxt", ".fxt.gz", ".fxt.zst", ".etrace", ".etrace.gz",
					    ".etrace.zst", ".db" };

	for (unsigned int i = 0; i < outputs_count(r->outputs); i++) {
		const struct record_made *made = record_made_of(r, i);
		const char *path = made ? made->path : outputs_path(r->outputs, i);
		size_t len = strlen(path);

		if (outputs_fault(r->outputs, i) || (made && *made->fault))
			continue;
		for (size_t k = 0; k < sizeof(ends) / sizeof(*ends); k++)
			if (len > strlen(ends[k]) && !strcmp(path + len - strlen(ends[k]), ends[k]))
				return path;
	}
	return NULL;
}

/* Never returns.  Exit status 0 if there was a failure to report. */
static void print_failures(const struct recording *r, const char *path, const char *when)
{
	struct term_colors c = term_colors(STDERR_FILENO);
	struct diag *diag = diag_new(NULL, PROG);
	char *file = (char *)(uintptr_t)path;
	struct db *db = answers_open(&file, 1, NULL, &r->opts, diag);
	struct buf text = { 0 };

	if (!db)
		_exit(2);
	db->redact = true;
	failures_text(db, failures_of(db), &text);
	if (text.len)
		fprintf(stderr, PROG ": %sFAILED%s%s: %.*s\n", c.bad, c.off, when, (int)text.len,
			text.s);
	_exit(text.len ? 0 : 1);
}

static void print_more(const char *path)
{
	struct term_colors c = term_colors(STDERR_FILENO);
	struct buf quoted = { 0 };

	sh_quote(&quoted, path, strlen(path));
	fprintf(stderr, "  more: %s" PROG " explain %.*s%s\n", c.bold, (int)quoted.len, quoted.s, c.off);
	buf_free(&quoted);
}

void record_failed(struct recording *r, uint64_t events, bool command)
{
	const char *path = readable_output(r);
	int status = 1;
	pid_t pid;

	if (!path || (!command && !notable_failed(r->notable)))
		return;
	if (events <= EVENTS_MAX) {
		fflush(NULL);
		pid = fork();
		if (!pid) {
			record_reader(r, path);
			/* without a command, earlier failures are unknown */
			print_failures(r, path, command ? "" : " since the recording began");
		}
		if (pid > 0)
			status = record_wait(r, pid, "reading %s to find what failed; Ctrl-C skips this",
					     path);
	}
	if (command || !status)
		print_more(path);
}
