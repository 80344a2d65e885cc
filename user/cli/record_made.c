// SPDX-License-Identifier: GPL-2.0
/*
 * Makes databases and pages from a recording.  Making one takes several times as long as
 * recording, so it is not done while the build runs: the recording goes to a file next to
 * the output, and at the end another process makes the output from that.  If that fails,
 * the recording is not lost.  See record_state.h.
 */
#include "cli/record_state.h"
#include "answers/compdb.h"
#include "show/page.h"
#include "base/xalloc.h"
#include "cli/etrace.h"
#include "cli/inputs.h"
#include "cli/oom.h"
#include "db/write.h"
#include "io/out_place.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Added to the output's name. */
#define RECORDING	"-recording.fxt.zst"
/* After this time, in ns, print what the recorder is waiting for. */
#define REPORT_NS		(1000u * (uint64_t)RECORD_MS)

/* ---- what can be made ---- */

static bool make_db(const char *path, const struct inputs *inputs, const struct opts *opts,
		    struct diag *diag)
{
	struct db *db = db_create(path, diag);
	bool good = db && answers_read(db, inputs->in, inputs->n, "fxt", opts, diag);

	if (good) {
		compdb_fill(db);
		return db_finish(db);
	}
	db_close(db);
	return false;
}

static bool make_page(const char *path, const struct inputs *inputs, const struct opts *opts,
		      struct diag *diag)
{
	struct db *db = answers_from(NULL, inputs->in, inputs->n, "fxt", opts, diag);
	bool good;

	if (!db)
		return false;
	/* the page shows its own name, not the recording's */
	free(db->name);
	db->name = xstrdup(path);
	/* etrace report --no-redact makes a page that hides nothing */
	db->redact = true;
	good = page_create(db, path, NULL, diag);
	db_close(db);
	return good;
}

struct record_kind {
	const char *name;	/* value of --to, and suffix of a path, after the dot */
	/* whether an existing file may be replaced; NULL if always */
	bool (*may_create)(const char *path, struct diag *diag);
	bool (*make)(const char *path, const struct inputs *inputs, const struct opts *opts,
		     struct diag *diag);
};

static const struct record_kind kinds[] = {
	{ "db", db_may_create, make_db },
	{ "html", page_may_create, make_page },
	{ 0 }
};

const struct record_kind *record_made_kind(const struct record_options *o, const char *path)
{
	const char *name = strrchr(path, '.');
	const struct record_kind *k;

	name = o->to ? o->to : name && name > path ? name + 1 : "";
	for (k = kinds; k->name && strcmp(k->name, name);)
		k++;
	return k->name ? k : NULL;
}

bool record_made_is_page(const struct record_options *o, const char *path)
{
	const struct record_kind *kind = record_made_kind(o, path);

	return kind && kind->make == make_page;
}

/* ---- before ---- */

bool record_made_add(struct recording *r, const struct record_kind *kind, const char *path,
		     char *why, size_t size)
{
	struct record_made *made;
	struct diag *diag = diag_new(stderr, PROG);
	struct buf name = { 0 };
	bool good = !kind->may_create || kind->may_create(path, diag);

	diag_free(diag);
	*why = '\0';
	if (!good)
		return false;
	r->made = xgrow(r->made, &r->made_cap, r->nmade + 1, sizeof(*r->made));
	made = &r->made[r->nmade++];
	*made = (struct record_made){ .kind = kind, .path = path,
				      .output = outputs_count(r->outputs) };
	buf_adds(&name, path);
	buf_add(&name, RECORDING, sizeof(RECORDING));
	made->recording = name.s;
	return outputs_add(r->outputs, made->recording, NULL, why, size);
}

void record_made_begun(struct recording *r)
{
	for (size_t i = 0; i < r->nmade; i++)
		out_place_keep(r->made[i].path);
}

const struct record_made *record_made_of(const struct recording *r, unsigned int output)
{
	for (size_t i = 0; i < r->nmade; i++)
		if (r->made[i].output == output)
			return &r->made[i];
	return NULL;
}

void record_made_free(struct recording *r)
{
	for (size_t i = 0; i < r->nmade; i++)
		free(r->made[i].recording);
	free(r->made);
}

/* ---- making ---- */

static bool make_output(const struct record_made *m, const struct opts *opts, struct diag *diag)
{
	char *files[] = { m->recording };
	struct inputs inputs;
	bool good = inputs_open(&inputs, files, 1, diag) &&
		    m->kind->make(m->path, &inputs, opts, diag);

	inputs_close(&inputs);
	return good;
}

void record_reader(struct recording *r, const char *doing)
{
	static char bits[16];

	r->session->ops->forget(r->session);
	oom_exits();
	oom_doing(doing);
	if (r->user && user_become(r->user))
		_exit(2);
	umask(077);
	snprintf(bits, sizeof(bits), "%u", r->session->pid_bits);
	opts_add(&r->opts, "bits-of-real-pid", bits);
}

int record_wait(struct recording *r, pid_t pid, const char *text, const char *path)
{
	struct pollfd fd = { .fd = r->signals, .events = POLLIN };
	uint64_t begun = now_ns();
	bool reported = r->opt.quiet;
	int status;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		poll(&fd, 1, 200);
		if (record_interrupted(r)) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
		if (!reported && now_ns() >= begun + REPORT_NS) {
			progress_hide();
			say(text, path);
			reported = true;
		}
	}
	return status;
}

/* Give up an output, but keep its recording. */
static void leave_output(struct record_made *m, const char *why)
{
	out_place_forget(m->path);
	snprintf(m->fault, sizeof(m->fault), "%s; what was recorded is in %s", why,
		 m->recording);
}

static void make_one(struct recording *r, struct record_made *m)
{
	const char *fault = outputs_fault(r->outputs, m->output);
	int status = -1;
	pid_t pid;

	if (!fault) {
		fflush(NULL);
		pid = fork();
		if (!pid) {
			record_reader(r, m->path);
			_exit(make_output(m, &r->opts, diag_new(stderr, PROG)) ? 0 : 2);
		}
		fault = pid < 0 ? strerror(errno) : NULL;
		if (pid > 0)
			status = record_wait(r, pid,
					     "making %s from the recording; Ctrl-C skips this",
					     m->path);
		if (pid > 0 && status)
			fault = status == -1 ? "interrupted by a signal" : WIFEXITED(status) ?
				"see above" : "the process that made it was killed";
	}
	if (user_enter(r->user))
		return;
	if (fault)
		leave_output(m, fault);
	else
		unlink(m->recording);
	user_leave(r->user);
}

unsigned int record_made_make(struct recording *r)
{
	unsigned int bad = 0;

	for (size_t i = 0; i < r->nmade; i++) {
		make_one(r, &r->made[i]);
		bad += *r->made[i].fault && !outputs_fault(r->outputs, r->made[i].output);
	}
	return bad;
}
