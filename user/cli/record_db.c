// SPDX-License-Identifier: GPL-2.0
/*
 * Databases of a recording.  Making one takes several times what recording does,
 * so it is not done while the build runs: what is recorded goes to a file beside
 * it, and another process makes the database of that, in the end.  Whatever goes
 * wrong then, what was recorded is not lost.  See record_state.h.
 */
#include "cli/record_state.h"
#include "answers/compdb.h"
#include "base/xalloc.h"
#include "cli/etrace.h"
#include "cli/inputs.h"
#include "cli/oom.h"
#include "db/write.h"
#include "io/out.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Behind the database's name. */
#define RECORDING	"-recording.fxt.zst"
/* After that who waits is told what for. */
#define TELL_NS		(1000u * (uint64_t)RECORD_MS)

bool record_db_is(const struct record_options *o, const char *path)
{
	size_t len = strlen(path);

	if (o->to)
		return !strcmp(o->to, "db");
	return len > 3 && !strcmp(path + len - 3, ".db");
}

bool record_db_add(struct recording *r, const char *path, char *why, size_t size)
{
	struct record_db *db;
	struct diag *diag = diag_new(stderr, PROG);
	struct buf name = { 0 };
	bool good = db_may_create(path, diag);

	diag_free(diag);
	*why = '\0';
	if (!good)
		return false;
	r->dbs = xgrow(r->dbs, &r->dbs_cap, r->ndbs + 1, sizeof(*r->dbs));
	db = &r->dbs[r->ndbs++];
	*db = (struct record_db){ .path = path, .output = outputs_count(r->outputs) };
	buf_adds(&name, path);
	buf_add(&name, RECORDING, sizeof(RECORDING));
	db->recording = name.s;
	return outputs_add(r->outputs, db->recording, NULL, why, size);
}

static bool removed(const char *path)
{
	return !unlink(path) || errno == ENOENT;
}

bool record_db_empty(struct recording *r, char *why, size_t size)
{
	for (size_t i = 0; i < r->ndbs; i++)
		if (!removed(r->dbs[i].path)) {
			snprintf(why, size, "%s: cannot be replaced: %s", r->dbs[i].path,
				 strerror(errno));
			return false;
		}
	return true;
}

const struct record_db *record_db_of(const struct recording *r, unsigned int output)
{
	for (size_t i = 0; i < r->ndbs; i++)
		if (r->dbs[i].output == output)
			return &r->dbs[i];
	return NULL;
}

void record_db_free(struct recording *r)
{
	for (size_t i = 0; i < r->ndbs; i++)
		free(r->dbs[i].recording);
	free(r->dbs);
}

/* ---- making ---- */

static bool make(const struct record_db *of, const struct opts *opts, struct diag *diag)
{
	char *files[] = { of->recording };
	struct inputs inputs;
	struct db *db = NULL;
	bool good;

	good = inputs_open(&inputs, files, 1, diag);
	if (good)
		db = db_create(of->path, diag);
	good = db && answers_read(db, inputs.in, inputs.n, "fxt", opts, diag);
	if (good) {
		compdb_fill(db);
		good = !db->failed;
	}
	inputs_close(&inputs);
	db_close(db);
	return good;
}

/* Never returns. */
static void child(struct recording *r, const struct record_db *db)
{
	struct diag *diag = diag_new(stderr, PROG);
	char bits[16];

	r->session->ops->forget(r->session);
	oom_exits();
	oom_doing(db->path);
	if (r->user && user_become(r->user))
		_exit(2);
	umask(077);
	snprintf(bits, sizeof(bits), "%u", r->session->pid_bits);
	opts_add(&r->opts, "bits-of-real-pid", bits);
	_exit(make(db, &r->opts, diag) ? 0 : 2);
}

/* Return: of wait(), or -1: it was given up. */
static int wait_for(struct recording *r, pid_t pid, const struct record_db *db)
{
	struct pollfd fd = { .fd = r->signals, .events = POLLIN };
	uint64_t begun = record_now();
	bool told = r->opt.quiet;
	int status;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		poll(&fd, 1, 200);
		if (record_told_to_end(r)) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
		if (!told && record_now() >= begun + TELL_NS) {
			progress_hide();
			say("making %s of what was recorded; Ctrl-C gives that up", db->path);
			told = true;
		}
	}
	return status;
}

/* Not the database, but what it was to be made of stays. */
static void leave(struct record_db *db, const char *why)
{
	char journal[4096];

	if (snprintf(journal, sizeof(journal), "%s-journal", db->path) < (int)sizeof(journal))
		unlink(journal);
	unlink(db->path);
	snprintf(db->fault, sizeof(db->fault), "%s; what was recorded is in %s", why,
		 db->recording);
}

static void make_one(struct recording *r, struct record_db *db)
{
	const char *fault = outputs_fault(r->outputs, db->output);
	int status = -1;
	pid_t pid;

	if (!fault) {
		fflush(NULL);
		pid = fork();
		if (!pid)
			child(r, db);
		fault = pid < 0 ? strerror(errno) : NULL;
		if (pid > 0)
			status = wait_for(r, pid, db);
		if (pid > 0 && status)
			fault = status == -1 ? "a signal came" : WIFEXITED(status) ?
				"see above" : "its maker was killed";
	}
	if (user_enter(r->user))
		return;
	if (fault)
		leave(db, fault);
	else
		unlink(db->recording);
	user_leave(r->user);
}

unsigned int record_db_make(struct recording *r)
{
	unsigned int bad = 0;

	for (size_t i = 0; i < r->ndbs; i++) {
		make_one(r, &r->dbs[i]);
		bad += *r->dbs[i].fault && !outputs_fault(r->outputs, r->dbs[i].output);
	}
	return bad;
}
