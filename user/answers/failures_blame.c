// SPDX-License-Identifier: LGPL-2.1
/*
 * Decides which failed call made its caller fail.  See failures.h.
 *
 * The best evidence is what a program does after a failed call: make starts nothing more, so
 * if it does, it ignored the failure; a script fails because of its last failed command.
 */
#include "answers/failures.h"
#include "build/build.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* Number of commands that a script may call after a failure, to report it and to clean up. */
#define CALLS_AFTER	3u

static const struct build_exec *exec_of(const struct failures *f, uint32_t exec)
{
	return &build_of(f->db)->execs[exec];
}

int failures_shell_status(const struct build_exec *e)
{
	return e->signal > 0 ? 128 + e->signal : e->status;
}

bool failures_was_stopped(const struct build_exec *e)
{
	return e->signal == SIGTERM || e->signal == SIGINT || e->signal == SIGHUP ||
	       e->signal == SIGPIPE || e->signal == SIGKILL;
}

static int64_t exec_begun(const struct failures *f, uint32_t exec)
{
	return exec_of(f, f->nodes[exec].begun)->at;
}

/*
 * calls_after() counts the calls of a caller that began after a time; calls_at() counts those that
 * ran at that time.
 */
static uint32_t calls_after(const struct failures *f, const struct failure_node *caller,
			    int64_t time)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < caller->calls; i++)
		n += exec_begun(f, f->children[caller->first + i]) > time;
	return n;
}

static uint32_t calls_at(const struct failures *f, const struct failure_node *caller, int64_t time)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < caller->calls; i++) {
		uint32_t call = f->children[caller->first + i];

		n += exec_begun(f, call) < time && exec_of(f, call)->until > time;
	}
	return n;
}

/* Whether two calls of a program ran at the same time. */
static bool has_overlap(const struct failures *f, const struct failure_node *caller)
{
	for (uint32_t i = 1; i < caller->calls; i++)
		if (exec_begun(f, f->children[caller->first + i]) <
		    exec_of(f, f->children[caller->first + i - 1])->until)
			return true;
	return false;
}

/*
 * Whether a builder runs several jobs at a time: it did, or it has an option for that, or one above
 * it has; MAKEFLAGS can have it, too.
 */
static bool is_parallel(const struct failures *f, uint32_t caller)
{
	for (uint32_t i = caller; i; i = f->nodes[i].up)
		if (f->nodes[i].caller == CALLER_BUILDER &&
		    failures_any_argument(f->db, build_with_command(build_of(f->db), i), "j,--jobs"))
			return true;
	return has_overlap(f, &f->nodes[caller]);
}

/* Whether a caller ended with the status of a call. */
static bool same_status(const struct build_exec *caller, const struct build_exec *e)
{
	return caller->status == failures_shell_status(e);
}

/* The exec that made a call; its process may have executed another program since. */
static uint32_t called_by(const struct failures *f, uint32_t call)
{
	return exec_of(f, f->nodes[call].begun)->parent;
}

static bool same_program(const struct failures *f, uint32_t x, uint32_t y)
{
	return exec_of(f, x)->program && exec_of(f, x)->program == exec_of(f, y)->program;
}

/* Whether a failed command lacked a file itself, or never makes one: rm. */
static bool lacked_itself(const struct failures *f, uint32_t call, const char *path, size_t len)
{
	static const char *const names[] = { "chmod", "chown", "ls", "rm", "rmdir", "stat", "unlink" };
	const struct build *b = build_of(f->db);
	struct failure_on on;
	size_t n;
	const char *program = build_path(b, exec_of(f, call)->program, &n), *name;
	bool lacked = f->nodes[call].answers;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		lacked |= n > strlen(names[i]) && program[n - strlen(names[i]) - 1] == '/' &&
			  !memcmp(program + n - strlen(names[i]), names[i], strlen(names[i]));
	if (lacked)
		return true;
	failures_on(f, call, &on);
	name = on.path.len ? on.path.s : on.name.s;
	n = on.path.len ? on.path.len : on.name.len;
	/* it may be known by its name in a directory only */
	lacked = on.reason == FAILURE_OF_MISSING && n && n <= len &&
		 !memcmp(path + len - n, name, n) && (n == len || path[len - n - 1] == '/');
	failure_on_free(&on);
	return lacked;
}

/* Whether a failed command should have made a file: its arguments name it, or its source. */
bool failures_was_to_make(const struct failures *f, uint32_t call, const char *path, size_t len)
{
	static const char *const sources[] = { ".o", ".c", ".cc", ".cpp", ".cxx", ".s", ".S" };
	struct buf whole = { 0 }, args = { 0 };
	bool named = false;
	size_t stem = len > 2 && !memcmp(path + len - 2, ".o", 2) ? len - 2 : len;

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources) && !named; i++) {
		whole.len = 0;
		buf_add(&whole, path, stem);
		buf_adds(&whole, stem < len ? sources[i] : "");
		named = answers_names(f->db, call, &whole, &args);
		if (stem == len)
			break;
	}
	buf_free(&whole);
	buf_free(&args);
	return named && !lacked_itself(f, call, path, len);
}

/* Whether a call wrote to a pipe of its caller, to @pipe if it is not 0. */
static bool wrote_pipe(const struct failures *f, uint32_t call, uint32_t pipe)
{
	const struct build *b = build_of(f->db);
	const struct build_access *a = &b->accesses[exec_of(f, call)->first];

	for (uint32_t i = 0; i < exec_of(f, call)->uses; i++, a++) {
		const struct build_version *v = &b->versions[a->version];

		if (a->how == GRAPH_WRITE && v->made == GRAPH_PIPE && v->exec == called_by(f, call) &&
		    (!pipe || a->version == pipe))
			return true;
	}
	return false;
}

/*
 * A failed command that writes nothing leaves no trace in its pipe: it has to have run as long as
 * the pipe was there.
 */
bool failures_fed(const struct failures *f, uint32_t reader, uint32_t call)
{
	const struct build *b = build_of(f->db);
	const struct build_access *a = &b->accesses[exec_of(f, reader)->first];

	if (failures_was_stopped(exec_of(f, call)) || exec_of(f, call)->until > exec_of(f, reader)->until)
		return false;
	for (uint32_t i = 0; i < exec_of(f, reader)->uses; i++, a++) {
		const struct build_version *v = &b->versions[a->version];

		if (a->how != GRAPH_READ || v->made != GRAPH_PIPE || v->exec != called_by(f, call) ||
		    v->at > exec_begun(f, call))
			continue;
		if (v->writes ? wrote_pipe(f, call, a->version) : !wrote_pipe(f, call, 0))
			return true;
	}
	return false;
}

/*
 * Whether a program lacked a file that an earlier, failed call of a script should have made, or
 * read from a pipe what that call wrote.
 */
static bool lacks_output_of(const struct failures *f, uint32_t call, uint32_t earlier)
{
	const struct build *b = build_of(f->db);
	uint32_t leaf = call;
	size_t len;

	if (f->nodes[called_by(f, earlier)].caller > CALLER_SHELL)
		return false;
	for (uint32_t i = call; i; leaf = i, i = f->nodes[i].cause)
		if (failures_fed(f, i, earlier))
			return true;
	if (exec_of(f, call)->at < exec_of(f, earlier)->until)
		return false;
	for (uint32_t i = 0; i < build_misses(b, leaf); i++) {
		const struct build_miss *m = build_miss_of(b, leaf, i);
		const char *path = build_path(b, m->file, &len);

		if (m->error == ENOENT && !failures_is_target(f->db, leaf, path, len) &&
		    failures_was_to_make(f, earlier, path, len))
			return true;
	}
	return false;
}

/*
 * Whether a script itself, and no other process, killed a call: either a forked part of the
 * script, or a program that it ran in the background.
 */
static bool was_stopped(const struct failures *f, uint32_t caller, uint32_t call)
{
	const struct build_exec *e = exec_of(f, call);
	const struct failure_node *node = &f->nodes[caller];

	if (node->caller > CALLER_SHELL || !failures_was_stopped(e) || same_status(exec_of(f, caller), e))
		return false;
	/* a worker of a program: multiprocessing ends those by SIGTERM, but the kernel by SIGKILL */
	if (node->caller == CALLER_OTHER && e->forked && e->signal == SIGKILL)
		return false;
	return e->forked ||
	       calls_after(f, node, exec_begun(f, call)) > calls_after(f, node, e->until);
}

/*
 * A script fails because of its last failed command, unless the script has another status
 * and that command only gave an answer, or several commands followed.  Earlier failed
 * calls of the same program count, too (a loop), and one whose output the last one lacked.  But
 * not those that the text of the script ignores.
 */
static bool script_fails_of(const struct failures *f, uint32_t caller, uint32_t call, uint32_t last)
{
	const struct failure_node *node = &f->nodes[call];
	enum failure_handling handling;
	uint32_t after;

	if (call != last)
		return !node->answers &&
		       ((same_program(f, call, last) &&
			 failures_handling(f, caller, call, false) < HANDLING_IGNORES) ||
			lacks_output_of(f, last, call));
	handling = failures_handling(f, caller, call, true);
	if (handling == HANDLING_KEEPS || handling == HANDLING_IGNORES)
		return handling == HANDLING_KEEPS;
	if (same_status(exec_of(f, caller), exec_of(f, call)))
		return true;
	/* make failed because of a job: scripts do not ignore that */
	if (node->cause && (node->caller == CALLER_BUILDER || node->caller == CALLER_GOES_ON))
		return true;
	after = calls_after(f, &f->nodes[caller], exec_of(f, call)->until);
	/* a script that continues may have ignored a status that is only an answer */
	return (!after && !f->nodes[caller].open) || (!node->answers && after <= CALLS_AFTER);
}

/*
 * Whether make started a new job in place of a failed one: then it ignored the failure. After a
 * failure that it does not ignore, make only finishes the running recipes line by line, so it
 * never again runs as many calls at a time.
 */
static bool is_filled_again(const struct failures *f, const struct failure_node *caller,
			    uint32_t call)
{
	int64_t end = exec_of(f, call)->until;
	uint32_t width = calls_at(f, caller, end);

	for (uint32_t i = 0; i < caller->calls; i++) {
		int64_t begin = exec_begun(f, f->children[caller->first + i]);

		if (begin > end && calls_at(f, caller, begin) >= width)
			return true;
	}
	return false;
}

/* Number of lines of a recipe in progress that make may still run after another recipe failed. */
#define LINES_LEFT	4u

/*
 * Whether the calls after a failure may belong to jobs that a caller with -j had begun
 * before it saw the failure, and finished first.
 */
static bool may_fail_of(const struct failures *f, uint32_t caller, uint32_t call)
{
	const struct failure_node *node = &f->nodes[caller];
	int64_t end = exec_of(f, call)->until;

	return is_parallel(f, caller) &&
	       calls_after(f, node, end) <= LINES_LEFT * (calls_at(f, node, end) + 2);
}

/*
 * Whether another call succeeded after a failed one: then the caller had continued, and
 * was only waiting when a signal ended it.
 */
static bool was_waited_after(const struct failures *f, const struct failure_node *caller,
			     uint32_t call)
{
	int64_t end = exec_of(f, call)->until;

	for (uint32_t i = 0; i < caller->calls; i++) {
		const struct build_exec *e = exec_of(f, f->children[caller->first + i]);

		if (e->until > end && !e->status && e->signal <= 0)
			return true;
	}
	return false;
}

static bool builder_fails_of(const struct failures *f, uint32_t caller, uint32_t call, bool unsure)
{
	const struct failure_node *node = &f->nodes[caller];

	if (exec_of(f, caller)->signal > 0)
		return !is_filled_again(f, node, call) && exec_of(f, call)->status > 0 &&
		       was_waited_after(f, node, call);
	return unsure ? may_fail_of(f, caller, call) : !is_filled_again(f, node, call);
}

static bool fails_of(const struct failures *f, uint32_t caller, uint32_t call, uint32_t last,
		     bool unsure)
{
	/* a shell that continued, and ran its last command in its own process */
	if (called_by(f, call) != caller)
		return lacks_output_of(f, last ? last : caller, call);
	if (f->nodes[call].says == SAYS_FAILED)
		return true;
	switch ((enum failure_caller)f->nodes[caller].caller) {
	case CALLER_BUILDER:
		return builder_fails_of(f, caller, call, unsure);
	case CALLER_GOES_ON:
		return !f->nodes[call].answers || call == last ||
		       failures_printer(build_of(f->db), caller) == PRINTER_MAKE;
	case CALLER_LIMITS:
		return exec_of(f, caller)->signal <= 0 ||
		       exec_of(f, caller)->signal == exec_of(f, call)->signal;
	case CALLER_DRIVER:
		return true;
	case CALLER_CONFIGURES:
		return f->nodes[call].caller == CALLER_CONFIGURES &&
		       (!exec_of(f, call)->forked || f->nodes[call].cause);
	case CALLER_SHELL:
	case CALLER_OTHER:
		break;
	}
	return script_fails_of(f, caller, call, last);
}

/*
 * Whether a call only passes on the status of the command before it, like (exit $status)
 * in libtool: a forked part of the script that did nothing.
 */
static bool only_passes_on(const struct failures *f, uint32_t call, uint32_t before)
{
	const struct build_exec *e = exec_of(f, call);
	bool did = f->nodes[call].begun != call || f->nodes[call].calls || e->uses ||
		   build_misses(build_of(f->db), call);

	return e->forked && !did && f->nodes[before].failed && !f->nodes[before].answers &&
	       exec_of(f, before)->until <= e->at && same_status(e, exec_of(f, before));
}

/* Whether a caller waits for all its calls; the trace may have their ends in any order. */
static bool waits_for_all(const struct failure_node *node)
{
	return node->caller == CALLER_BUILDER || node->caller == CALLER_GOES_ON ||
	       node->caller == CALLER_DRIVER || node->caller == CALLER_LIMITS;
}

/* Whether a caller can have seen the failure of a call. */
static bool is_seen(const struct failures *f, uint32_t exec, uint32_t call)
{
	return f->nodes[call].failed &&
	       (exec_of(f, call)->until <= exec_of(f, exec)->until || waits_for_all(&f->nodes[exec]));
}

static void blame_calls(struct failures *f, uint32_t exec, uint32_t last, bool unsure)
{
	struct failure_node *node = &f->nodes[exec];

	for (uint32_t i = 0; i < node->calls; i++) {
		uint32_t call = f->children[node->first + i];
		struct failure_node *its = &f->nodes[call];

		if (!is_seen(f, exec, call) || its->says == SAYS_IGNORED ||
		    was_stopped(f, exec, call) || !fails_of(f, exec, call, last, unsure))
			continue;
		its->followed = node->cause && (failures_was_stopped(exec_of(f, call)) ||
						lacks_output_of(f, call, node->cause));
		its->blamed = !its->followed;
		node->cause = node->cause ? node->cause : call;
	}
}

/* If no call failed, and the trace lacks the end of exactly one call, blame that one. */
static void blame_open(struct failures *f, uint32_t exec)
{
	struct failure_node *node = &f->nodes[exec];
	uint32_t open = 0, n = 0;

	for (uint32_t i = 0; i < node->calls; i++) {
		uint32_t call = f->children[node->first + i];

		if (f->nodes[call].open && !f->nodes[call].failed) {
			open = call;
			n++;
		}
	}
	if (n != 1)
		return;
	f->nodes[open].failed = true;
	f->nodes[open].blamed = true;
	node->cause = open;
}

/*
 * A forked worker, such as one of Python's multiprocessing, reports a failed call to its program,
 * and then ends with 0 or is stopped: blame calls of workers that ended with the program's status.
 */
static void blame_workers(struct failures *f, uint32_t exec)
{
	struct failure_node *node = &f->nodes[exec];

	for (uint32_t i = 0; i < node->calls; i++) {
		uint32_t worker = f->children[node->first + i];
		struct failure_node *its = &f->nodes[worker];

		for (uint32_t k = 0; exec_of(f, worker)->forked && k < its->calls; k++) {
			uint32_t call = f->children[its->first + k];

			if (!f->nodes[call].failed || f->nodes[call].answers ||
			    !same_status(exec_of(f, exec), exec_of(f, call)))
				continue;
			f->nodes[call].blamed = true;
			its->blamed = true;
			its->cause = its->cause ? its->cause : call;
			node->cause = node->cause ? node->cause : worker;
		}
	}
}

void failures_blame(struct failures *f, uint32_t exec)
{
	struct failure_node *node = &f->nodes[exec];
	uint32_t last = 0;
	bool any = false;

	/*
	 * A signal that ended a caller need not come from a failed call.  But make may have been
	 * waiting after a failure, and timeout ends itself with the signal that ended its command.
	 */
	if (exec_of(f, exec)->signal > 0 && node->caller != CALLER_BUILDER &&
	    node->caller != CALLER_LIMITS)
		return;
	for (uint32_t i = 0; i < node->calls; i++) {
		uint32_t call = f->children[node->first + i];

		if (!is_seen(f, exec, call))
			continue;
		any = true;
		if (called_by(f, call) != exec || was_stopped(f, exec, call))
			continue;
		/* it only cleans up after another */
		if (last && node->caller <= CALLER_SHELL &&
		    failures_handling(f, exec, call, true) == HANDLING_TRAPS)
			continue;
		/* nothing else has ended since */
		if (i && last == f->children[node->first + i - 1] &&
		    node->caller <= CALLER_SHELL && only_passes_on(f, call, last))
			f->nodes[call].cause = last;
		else
			last = call;
	}
	if (any && (node->caller == CALLER_BUILDER || node->caller == CALLER_GOES_ON))
		failures_find_says(f, exec);
	if (any)
		blame_calls(f, exec, last, false);
	if (last && !node->cause && node->caller == CALLER_BUILDER)
		blame_calls(f, exec, last, true);
	if (!node->cause && node->caller == CALLER_OTHER && exec_of(f, exec)->status > 0)
		blame_workers(f, exec);
	if (!node->cause && !node->open && exec_of(f, exec)->signal <= 0 && waits_for_all(node))
		blame_open(f, exec);
}
