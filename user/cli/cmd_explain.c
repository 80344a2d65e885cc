// SPDX-License-Identifier: GPL-2.0
/* etrace explain: what failed first in a build, and what it failed on. */
#include "answers/explain.h"
#include "cli/answer.h"
#include "cli/etrace.h"
#include "cli/term.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct opt_row options[] = {
	{ "before", "FILE", "show what differs from FILE, an earlier recording of the build" },
	{ "map", "A=B", "directory A of that recording is B in this one; default: where each began" },
	{ "format", "text|json|github|gitlab|junit",
	  "output format: text for people (default), JSON, workflow commands of GitHub, a code\n"
	  "quality report of GitLab, or JUnit XML" },
	{ "summary", "FILE", "append a summary in Markdown to FILE: $GITHUB_STEP_SUMMARY" },
	{ 0 }
};

static void put_text(struct explain *x, struct out *out)
{
	struct term_colors c = term_colors(STDOUT_FILENO);

	explain_text(x, out, x->exec ? c.bad : "", c.bold, c.off);
}

/* In the order of --format. */
static void (*const formats[])(struct explain *x, struct out *out) = {
	put_text, explain_json, explain_github, explain_gitlab, explain_junit,
};

/* Append, because other steps of a job may have written to the file. */
static void append_summary(struct explain *x, const char *path, struct diag *diag)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666), err;
	struct out *out;

	if (fd < 0) {
		diag_fatal(diag, "%s: %s", path, strerror(errno));
		return;
	}
	out = out_fd(fd, 0);
	explain_markdown(x, out);
	err = out_close(out);
	if (err)
		diag_fatal(diag, "%s: %s", path, strerror(-err));
	close(fd);
}

/* Return: false after diag_fatal(). */
static bool compare_before(struct explain *x, struct asked *a)
{
	char *old = (char *)(uintptr_t)opt_value(a->opts, "before");
	struct db *db;
	bool good;

	if (!old)
		return true;
	db = answers_open(&old, 1, NULL, a->opts, a->diag);
	if (!db)
		return false;
	db->redact = a->db[0]->redact;
	good = explain_before(x, db, opt_value(a->opts, "map"));
	db_close(db);
	return good;
}

static int ask_explain(struct asked *a)
{
	const char *summary = opt_value(a->opts, "summary");
	unsigned int format = a->json ? 1 : opt_chosen(a->opts, options, "format");
	struct explain x;
	int ret = 2;

	explain_take(&x, a->db[0]);
	if (compare_before(&x, a)) {
		formats[format](&x, a->out);
		if (summary)
			append_summary(&x, summary, a->diag);
		ret = 0;
	}
	explain_free(&x);
	return ret;
}

int cmd_explain(int argc, char **argv)
{
	static const struct answer explain = {
		.name = "explain", .synopsis = "[TRACE]", .options = options,
		.about = "Show which command of a failed build failed first, on what, and what is known about it.",
		.example = PROG " explain etrace.fxt\n"
			   PROG " explain --before monday.fxt etrace.fxt\n"
			   PROG " explain --format=github --summary \"$GITHUB_STEP_SUMMARY\"\n",
		.traces = 1, .max_args = 0, .leaves = true, .run = ask_explain,
	};

	return answer_main(&explain, argc, argv);
}
