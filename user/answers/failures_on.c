// SPDX-License-Identifier: LGPL-2.1
/* Finds the file, tool or resource that a program failed on.  See failures.h. */
#include "answers/failures.h"
#include "base/path.h"
#include "build/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Exit statuses as used by shells, env, timeout and others; and STATUS_NOT_FOUND. */
enum { STATUS_TIME = 124, STATUS_CANNOT_RUN = 126 };

static const char *const reasons[FAILURE_REASONS] = {
	[FAILURE_OF_INPUT] = "input", [FAILURE_OF_MISSING] = "missing", [FAILURE_OF_TOOL] = "tool",
	[FAILURE_OF_INTERPRETER] = "interpreter",
	[FAILURE_OF_RULE] = "rule", [FAILURE_OF_RIGHTS] = "not permitted", [FAILURE_OF_SPACE] = "full",
	[FAILURE_OF_MEMORY] = "memory", [FAILURE_OF_TIME] = "timeout", [FAILURE_OF_ERROR] = "error",
	[FAILURE_OF_NOTHING] = "",
};

const char *failure_reason_word(enum failure_reason reason)
{
	return reasons[reason];
}

/* ---- paths ---- */

static bool same_arg(struct work_arg a, struct work_arg b)
{
	return a.len == b.len && !memcmp(a.s, b.s, a.len);
}

static bool arg_ends(struct work_arg a, const char *end)
{
	size_t n = strlen(end);

	return a.len > n && !memcmp(a.s + a.len - n, end, n);
}

/* Whether many programs look for this file, so that its absence is not a reason to fail. */
static bool is_habit(const struct build *b, const char *path, size_t len)
{
	static const char *const places[] = {
		"/etc/", "/proc/", "/sys/", "/dev/", "/usr/share/locale", "/usr/lib/locale", "/lib/", "/lib64/",
	};
	static const char *const names[] = {
		".mo", ".pyc", "__pycache__", "pyvenv.cfg", ".specs", "/package.json",
		"/.ninja_deps", "/.ninja_log", "/.rustc_info.json", "/<stdin>",
	};

	path = build_inner(b, path, &len);
	/* looked up by the dynamic loader */
	if (memmem(path, len, ".so.", 4) || arg_ends((struct work_arg){ path, len }, ".so"))
		return true;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (len > strlen(places[i]) && !memcmp(path, places[i], strlen(places[i])))
			return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (arg_ends((struct work_arg){ path, len }, names[i]))
			return true;
	return false;
}

/* ---- missing files ---- */

struct look {
	const struct failures *f;
	struct db *db;
	const struct build *b;
	uint32_t exec;
};

static struct work_arg name_of(const struct look *l, uint32_t file)
{
	size_t len;
	const char *path = build_path(l->b, file, &len);

	return work_base(path, len);
}

/* The name of the header if a compiler looked for its precompiled form (.gch, .pch). */
static struct work_arg wanted_name(struct work_arg name)
{
	if (arg_ends(name, ".gch") || arg_ends(name, ".pch"))
		name.len -= 4;
	return name;
}

/* Whether the program found a file of that name in another directory. */
static bool was_found(const struct look *l, struct work_arg name)
{
	const struct build_exec *e = &l->b->execs[l->exec];

	for (uint32_t i = 0; i < e->uses; i++) {
		const struct build_access *a = &l->b->accesses[e->first + i];

		if (a->file && a->how != GRAPH_MISS && same_arg(name_of(l, a->file), name))
			return true;
	}
	return false;
}

/* Whether an access is the first to its file: compilers reread sources to print messages. */
static bool is_first(const struct look *l, uint32_t use)
{
	const struct build_access *a = &l->b->accesses[l->b->execs[l->exec].first];

	for (uint32_t i = 0; i < use; i++)
		if (a[i].version == a[use].version && a[i].how == a[use].how)
			return false;
	return true;
}

/* When the program last began to read a file that it had not read before. */
static int64_t last_read(const struct look *l)
{
	const struct build_exec *e = &l->b->execs[l->exec];
	int64_t last = -1;

	for (uint32_t i = 0; i < e->uses; i++) {
		const struct build_access *a = &l->b->accesses[e->first + i];

		if (a->how == GRAPH_READ && a->class == GRAPH_DATA && a->at > last && is_first(l, i))
			last = a->at;
	}
	return last;
}

/* Why a look-up failed; FAILURE_OF_NOTHING for errors that programs expect, such as EEXIST. */
static enum failure_reason reason_of(uint8_t error)
{
	static const struct {
		uint8_t error, reason;
	} errors[] = {
		{ ENOENT, FAILURE_OF_MISSING }, { ENOTDIR, FAILURE_OF_MISSING },
		{ EACCES, FAILURE_OF_RIGHTS }, { EPERM, FAILURE_OF_RIGHTS }, { EROFS, FAILURE_OF_RIGHTS },
		{ ENOSPC, FAILURE_OF_SPACE }, { EDQUOT, FAILURE_OF_SPACE },
		{ ELOOP, FAILURE_OF_ERROR }, { ENAMETOOLONG, FAILURE_OF_ERROR },
		{ ETXTBSY, FAILURE_OF_ERROR }, { EMFILE, FAILURE_OF_ERROR },
		{ ENFILE, FAILURE_OF_ERROR }, { E2BIG, FAILURE_OF_ERROR },
	};

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].error == error)
			return errors[i].reason;
	return FAILURE_OF_NOTHING;
}

/* Length of the common end of two paths, in whole components. */
static size_t common_end(const char *a, size_t na, const char *b, size_t nb)
{
	size_t n = 0, whole = 0;

	while (n < na && n < nb && a[na - n - 1] == b[nb - n - 1]) {
		if (a[na - n - 1] == '/')
			whole = n;
		n++;
	}
	if (n == na)
		return n == nb || b[nb - n - 1] == '/' ? n : whole;
	return n == nb && a[na - n - 1] == '/' ? n : whole;
}

/*
 * Find where a name was looked for: the first path, the end that all paths share, and the error
 * that all look-ups had.
 */
static void find_places(const struct look *l, struct work_arg name, struct failure_on *on)
{
	uint32_t n = build_misses(l->b, l->exec);
	size_t len, common = 0;

	for (uint32_t i = 0; i < n; i++) {
		const char *path = build_path(l->b, build_miss_of(l->b, l->exec, i)->file, &len);
		struct work_arg wanted = wanted_name(work_base(path, len));

		if (!same_arg(wanted, name))
			continue;
		len = (size_t)(wanted.s + wanted.len - path);
		if (on->error != build_miss_of(l->b, l->exec, i)->error)
			on->error = 0;
		if (!on->path.len) {
			buf_add(&on->path, path, len);
			common = len;
		} else {
			common = common_end(on->path.s + on->path.len - common, common, path, len);
		}
	}
	buf_add(&on->name, on->path.s + on->path.len - common, common);
}

/* Whether a missing file can be the reason of a failure: its arguments name it, or it is own. */
static bool path_matters(const struct look *l, const char *path, size_t len)
{
	const struct failure_node *node = &l->f->nodes[l->exec];
	struct buf whole = { .s = (char *)(uintptr_t)path, .len = len }, args = { 0 };
	bool named;

	if (node->caller == CALLER_DRIVER || failures_is_own(l->db, path, len))
		return true;
	named = answers_names(l->db, l->exec, &whole, &args);
	buf_free(&args);
	return named;
}

/* The name of a library and the dot behind it: "foo." for libfoo.so and libfoo.a. */
static struct work_arg library_name(struct work_arg file)
{
	size_t end = arg_ends(file, ".so") ? 3 : arg_ends(file, ".a") ? 2 : 0;

	if (!end || file.len <= end + 3 || memcmp(file.s, "lib", 3))
		return (struct work_arg){ 0 };
	return (struct work_arg){ file.s + 3, file.len - end - 2 };
}

/* Whether the arguments ask for a library: -lfoo, or -l and foo. */
static bool links_with(const struct work_arg *args, size_t n, struct work_arg name)
{
	for (size_t i = 1; i < n; i++) {
		struct work_arg arg = args[i];

		if (arg.len > 2 && !memcmp(arg.s, "-l", 2))
			arg = (struct work_arg){ arg.s + 2, arg.len - 2 };
		else if (args[i - 1].len != 2 || memcmp(args[i - 1].s, "-l", 2))
			continue;
		if (arg.len + 1 == name.len && !memcmp(arg.s, name.s, arg.len))
			return true;
	}
	return false;
}

/* Whether the program read libfoo.a, or libfoo.so.1 through a link. */
static bool read_library(const struct look *l, struct work_arg name)
{
	const struct build_exec *e = &l->b->execs[l->exec];

	for (uint32_t i = 0; i < e->uses; i++) {
		const struct build_access *a = &l->b->accesses[e->first + i];
		struct work_arg file = name_of(l, a->file);

		if (a->how != GRAPH_MISS && file.len > 3 + name.len && !memcmp(file.s, "lib", 3) &&
		    !memcmp(file.s + 3, name.s, name.len))
			return true;
	}
	return false;
}

/* Find a missing library.  A linker continues to read after it, and fails at the end. */
static bool find_library(const struct look *l, struct failure_on *on)
{
	struct buf words = { 0 };
	size_t n, len;
	struct work_arg *args = answers_work_args(l->db, l->exec, &words, &n);
	uint32_t misses = build_misses(l->b, l->exec);

	for (uint32_t i = 0; i < misses && !on->name.len; i++) {
		const char *path = build_path(l->b, build_miss_of(l->b, l->exec, i)->file, &len);
		struct work_arg file = work_base(path, len), name = library_name(file);

		if (!name.len || !links_with(args, n, name) || read_library(l, name))
			continue;
		on->reason = FAILURE_OF_MISSING;
		buf_add(&on->name, file.s, file.len);
		buf_add(&on->path, path, len);
	}
	free(args);
	buf_free(&words);
	return on->name.len;
}

/* Whether a path is of a hidden file below the directory of the build, such as .git/index. */
static bool is_hidden(const struct look *l, const struct buf *path)
{
	size_t n;

	build_path(l->b, answers_start(l->db), &n);
	return failures_is_own(l->db, path->s, path->len) && memmem(path->s + n, path->len - n, "/.", 2);
}

/* Whether a path is a target of cp, ln or mv, which open it to see if it is a directory. */
static bool is_target(const struct look *l, const char *path, size_t len)
{
	static const char *const names[] = { "cp", "install", "ln", "mv" };
	struct work_arg program = name_of(l, l->b->execs[l->exec].program), *args;
	uint32_t misses = build_misses(l->b, l->exec), looks = 0;
	struct buf words = { 0 };
	bool makes = false;
	size_t n;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		makes |= program.len == strlen(names[i]) && !memcmp(program.s, names[i], program.len);
	if (!makes)
		return false;
	args = answers_work_args(l->db, l->exec, &words, &n);
	makes = n && same_arg(work_base(args[n - 1].s, args[n - 1].len), work_base(path, len));
	free(args);
	buf_free(&words);
	while (makes && misses--) {
		size_t other;
		const char *s = build_path(l->b, build_miss_of(l->b, l->exec, misses)->file, &other);

		looks += other == len && !memcmp(s, path, len);
	}
	return looks == 1;
}

bool failures_is_target(struct db *db, uint32_t exec, const char *path, size_t len)
{
	struct look l = { .db = db, .b = build_of(db), .exec = exec };

	return is_target(&l, path, len);
}

/*
 * A program that prints why it failed names the file.  If it is silent, or its output was not
 * recorded, a file that is not in its arguments is only a likely reason: cargo looks for many
 * files, and .git/index need not exist.
 */
static bool judge_missing(const struct look *l, const struct buf *said, struct failure_on *on)
{
	enum failure_caller caller = l->f->nodes[l->exec].caller;
	struct work_arg base = work_base(on->path.s, on->path.len);
	struct buf args = { 0 };

	if ((on->reason != FAILURE_OF_MISSING && on->reason != FAILURE_OF_ERROR) ||
	    caller == CALLER_DRIVER)
		return true;
	if (said->len)
		return failures_has_word(said->s, said->len, base.s, base.len);
	if (caller == CALLER_BUILDER)
		return failures_includes(l->db, l->exec, base.s, base.len);
	on->likely = !answers_names(l->db, l->exec, &on->path, &args);
	buf_free(&args);
	return !on->likely || (caller != CALLER_GOES_ON && !is_hidden(l, &on->path));
}

/* Find the last name that the program failed to find, if it read no new file after that. */
static bool find_last_missing(const struct look *l, const struct buf *said, struct failure_on *on)
{
	int64_t read = last_read(l);
	uint32_t n = build_misses(l->b, l->exec);
	size_t len;

	while (n--) {
		const struct build_miss *m = build_miss_of(l->b, l->exec, n);
		const char *path = build_path(l->b, m->file, &len);
		struct work_arg name = wanted_name(work_base(path, len));

		if (m->at < read)
			return false;
		if (is_habit(l->b, path, len) || was_found(l, name) || !path_matters(l, path, len) ||
		    is_target(l, path, len))
			continue;
		on->reason = reason_of(m->error);
		if (on->reason == FAILURE_OF_NOTHING)
			continue;
		on->error = m->error;
		if (on->reason == FAILURE_OF_MISSING)
			find_places(l, name, on);
		else
			buf_add(&on->path, path, len);
		if (judge_missing(l, said, on))
			return true;
		on->reason = FAILURE_OF_NOTHING;
		on->error = 0;
		on->likely = false;
		on->path.len = 0;
		on->name.len = 0;
	}
	return false;
}

static bool find_missing(const struct look *l, struct failure_on *on)
{
	struct buf said = { 0 };
	bool found;

	if (!build_misses(l->b, l->exec))
		return false;
	/* use the whole output if one of its lines gives the reason */
	failures_quote(l->db, l->exec, &said);
	if (said.len) {
		said.len = 0;
		failures_printed(l->db, l->exec, &said);
	}
	found = find_last_missing(l, &said, on);
	buf_free(&said);
	return found;
}

/* Find a library that the dynamic loader did not find, which then ended the program. */
static bool find_loaded(const struct look *l, struct failure_on *on)
{
	uint32_t n = build_misses(l->b, l->exec);
	struct work_arg name;
	const char *path;
	size_t len;

	if (!n)
		return false;
	path = build_path(l->b, build_miss_of(l->b, l->exec, n - 1)->file, &len);
	name = work_base(path, len);
	if (l->f->nodes[l->exec].calls || failures_is_shell(l->db, l->exec) || was_found(l, name) ||
	    !(memmem(name.s, name.len, ".so.", 4) || arg_ends(name, ".so")))
		return false;
	on->reason = FAILURE_OF_MISSING;
	buf_add(&on->name, name.s, name.len);
	buf_add(&on->path, path, len);
	return true;
}

/* Number of paths at which a program was looked for; 1 if it was called by a path. */
static uint32_t places_of(const struct look *l, struct work_arg name)
{
	uint32_t n = build_misses(l->b, l->exec), places = 0;
	size_t len;

	while (n--) {
		const char *path = build_path(l->b, build_miss_of(l->b, l->exec, n)->file, &len);

		places += same_arg(work_base(path, len), name);
	}
	return places;
}

/* Find a program that could not be run because it was in none of the directories. */
static bool find_tool(const struct look *l, struct failure_on *on)
{
	uint32_t n = build_misses(l->b, l->exec);

	while (n--) {
		const struct build_miss *m = build_miss_of(l->b, l->exec, n);
		size_t len;
		const char *path = build_path(l->b, m->file, &len);
		struct work_arg name = work_base(path, len);

		if (is_habit(l->b, path, len) || was_found(l, name) ||
		    !failures_may_run(l->db, l->exec, name.s, name.len))
			continue;
		on->reason = reason_of(m->error);
		/* another error, such as ENOEXEC, shows that the program exists */
		if (on->reason == FAILURE_OF_NOTHING)
			return false;
		if (on->reason == FAILURE_OF_MISSING) {
			on->reason = places_of(l, name) > 1 ? FAILURE_OF_TOOL : FAILURE_OF_INTERPRETER;
			buf_add(&on->name, name.s, name.len);
		} else {
			on->error = m->error;
			buf_add(&on->path, path, len);
		}
		buf_add(&on->path, on->name.s, on->name.len);
		return true;
	}
	return false;
}

/* The last look-up that found a file that the kernel could not run.  Return: NULL if none. */
static const struct build_miss *last_foreign(const struct look *l)
{
	for (uint32_t n = build_misses(l->b, l->exec); n--;)
		if (build_miss_of(l->b, l->exec, n)->error == ENOEXEC)
			return build_miss_of(l->b, l->exec, n);
	return NULL;
}

/*
 * Find a binary that the kernel did not run, as it is for another machine. make and most shells run
 * such a file as a script then.
 */
static bool find_foreign(const struct look *l, struct failure_on *on)
{
	const struct build_miss *m = last_foreign(l);
	struct buf text = { 0 };
	size_t len;

	if (m) {
		const char *path = build_path(l->b, m->file, &len);

		buf_add(&on->path, path, len);
		buf_addc(&on->path, '\0');
		failures_read(l->db, on->path.s, m->at, &text);
		on->path.len--;
	} else if (on->subject.len && failures_is_shell(l->db, l->exec)) {
		failures_script(l->f, l->exec, &text);
		buf_add(&on->path, on->subject.s, on->subject.len);
	}
	if (text.len && memchr(text.s, '\0', text.len)) {
		on->reason = FAILURE_OF_ERROR;
		on->error = ENOEXEC;
	} else {
		on->path.len = 0;
	}
	buf_free(&text);
	return on->error;
}

/*
 * Find the program that a forked child wanted to run, but could not. Its exit status proves
 * nothing, since its parent's code chose it.
 */
static void find_child_tool(const struct look *l, struct failure_on *on)
{
	struct failure_on tool = { 0 };

	if (build_with_command(l->b, l->exec) == l->exec || !find_tool(l, &tool) ||
	    tool.reason != FAILURE_OF_TOOL) {
		failure_on_free(&tool);
		return;
	}
	on->reason = tool.reason;
	on->name = tool.name;
	buf_add(&on->path, tool.path.s, tool.path.len);
	buf_free(&tool.path);
}

/* ---- any reason ---- */

void failures_on(const struct failures *f, uint32_t exec, struct failure_on *on)
{
	const struct build *b = build_of(f->db);
	struct look l = { f, f->db, b, exec };
	const struct build_exec *e = &b->execs[exec];
	uint32_t up = f->nodes[exec].up;

	*on = (struct failure_on){ .reason = FAILURE_OF_NOTHING };
	failures_subject(f->db, exec, &on->subject);
	if (e->signal > 0) {
		if (up && f->nodes[up].caller == CALLER_LIMITS && b->execs[up].status == STATUS_TIME)
			on->reason = FAILURE_OF_TIME;
	} else if (find_foreign(&l, on) || (e->status == STATUS_NOT_FOUND && find_loaded(&l, on))) {
		;
	} else if (e->status == STATUS_NOT_FOUND || e->status == STATUS_CANNOT_RUN) {
		find_tool(&l, on);
	} else if (!find_library(&l, on) && !find_missing(&l, on)) {
		find_child_tool(&l, on);
	}
	/* if a program was killed, its driver prints that */
	if (on->reason == FAILURE_OF_NOTHING && !failures_said(f->db, exec, on) &&
	    failures_command(f, exec) != exec)
		failures_said(f->db, up, on);
	if (on->reason == FAILURE_OF_NOTHING && !failures_not_run(f, exec, on))
		failures_not_begun(f, exec, on);
	if (on->reason != FAILURE_OF_NOTHING || !on->subject.len)
		return;
	on->reason = FAILURE_OF_INPUT;
	buf_add(&on->path, on->subject.s, on->subject.len);
}

void failure_on_free(struct failure_on *on)
{
	buf_free(&on->path);
	buf_free(&on->name);
	buf_free(&on->subject);
}
