// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds the command that a shell did not find, from the text of the shell.  See failures.h.
 *
 * A shell looks for a command with stat(), which is not recorded by default.  But its text names
 * the commands, and the trace shows which of them ran: if a shell that ended with 127 ran all but
 * one, it did not find that one. If the text is too complex (a variable as a command, eval, a
 * substitution), there is no answer.  The trace does not contain the text of a script: the file is
 * read, if it has not changed since it ran.
 */
#include "answers/failures.h"
#include "answers/shell_words.h"
#include "base/path.h"
#include "base/xalloc.h"
#include "build/build.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/*
 * Limits: longer scripts are not read, and comparing more commands with programs would take too
 * long.
 */
#define TEXT_BYTES	65536
#define PAIRS_MAX	100000u
/* The mtimes of files may lag behind the clock by this much, ns. */
#define TICK_NS		10000000

/* Operators before a command. */
enum joint { JOINT_NEXT, JOINT_AND, JOINT_OR, JOINT_PIPE };

/* A command in a shell's text. */
struct command {
	size_t word, len;	/* offset of its name in shell_words.words, and its length */
	enum joint before;
	bool candidate;		/* it is not a builtin, and did not run */
};

struct shell_text {
	struct shell_words w;
	struct command *commands;
	size_t n, cap;
	bool errexit;		/* set -e: a command that fails ends it */
	bool branches;		/* if, while, a subshell: some commands may not have run */
};

/* ---- words ---- */

/* Builtins of POSIX, bash and ksh that do not cause the status 127. */
static const char builtins[] =
	/* builtins that handle variables */
	" declare export getopts let local read readonly set shift typeset unset"
	/* builtins that control the shell and its jobs */
	" alias bg break builtin continue fc fg hash jobs kill shopt times trap type unalias"
	/* other builtins */
	" : [ cd echo false popd printf pushd pwd test true ulimit umask ";
/* Builtins that may end with 127 for another reason, or run commands not visible here. */
static const char strange[] =
	" . (( [[ case coproc eval exit function return select source wait ";
/* Words that are followed by a command. */
static const char openers[] = " ! ( { do elif else if then time until while ";
static const char closers[] = " ) } done fi ";

static bool is_in(const char *list, const char *word, size_t len)
{
	for (const char *at = strchr(list, ' '); at[1]; at = strchr(at + 1, ' '))
		if (!strncmp(at + 1, word, len) && at[1 + len] == ' ')
			return len;
	return false;
}

/* ---- commands ---- */

/* Read the operator before the next command.  The first command has none. */
static enum joint take_joint(struct shell_text *t)
{
	enum joint joint = JOINT_NEXT;
	char c;

	while (shell_blanks(&t->w), t->w.s < t->w.end && strchr(";&|\n)", *t->w.s)) {
		c = *t->w.s++;
		t->branches |= c == ')';
		/* a newline after an operator is not an operator */
		if (c == '\n')
			continue;
		joint = c == '|' ? JOINT_PIPE : JOINT_NEXT;
		if (c == ';' || c == ')' || t->w.s == t->w.end)
			continue;
		if (c == *t->w.s) {
			joint = c == '|' ? JOINT_OR : JOINT_AND;
			t->w.s++;
		} else if (c == '|' && *t->w.s == '&') {
			t->w.s++;
		}
	}
	return joint;
}

/* Whether a word sets errexit, like "-eu". */
static bool is_errexit(const char *word, size_t len)
{
	return len > 1 && *word == '-' && word[1] != '-' && memchr(word, 'e', len);
}

/* Skip arguments; for set, look for -e among them. */
static void skip_arguments(struct shell_text *t, bool of_set)
{
	while (shell_blanks(&t->w), t->w.s < t->w.end && !strchr(";&|\n)", *t->w.s)) {
		size_t from = t->w.words.len;

		if (shell_redirection(&t->w))
			continue;
		/* the definition of a function: give up */
		if (*t->w.s == '(') {
			t->w.strange = true;
			return;
		}
		shell_word(&t->w);
		if (of_set && is_errexit(t->w.words.s + from, t->w.words.len - from))
			t->errexit = true;
		t->w.words.len = from;
	}
}

static void add_command(struct shell_text *t, size_t word, size_t len, enum joint before)
{
	t->commands = xgrow(t->commands, &t->cap, t->n + 1, sizeof(*t->commands));
	t->commands[t->n++] = (struct command){ .word = word, .len = len, .before = before };
}

/* Whether an exit has a number other than 127, so that it is not the reason. */
static bool exits_otherwise(struct shell_text *t)
{
	const char *s = t->w.s;

	while (s < t->w.end && *s == ' ')
		s++;
	return s < t->w.end && *s >= '0' && *s <= '9' && strncmp(s, "127", 3);
}

static void take_command(struct shell_text *t, enum joint before)
{
	while (shell_blanks(&t->w), t->w.s < t->w.end && !strchr(";&|\n)", *t->w.s)) {
		size_t from = t->w.words.len, len;
		const char *word;
		bool literal;

		if (shell_redirection(&t->w))
			continue;
		if (*t->w.s == '(') {
			t->branches = true;
			t->w.strange |= t->w.s + 1 < t->w.end && t->w.s[1] == '(';
			t->w.s++;
			continue;
		}
		literal = shell_word(&t->w);
		word = t->w.words.s + from;
		len = t->w.words.len - from;
		/* the command is in a variable: unknown */
		if (!len || (!literal && !shell_is_assignment(word, len))) {
			t->w.strange = true;
			return;
		}
		if (is_in(openers, word, len)) {
			t->branches |= *word != '!' && strncmp(word, "time", len);
		} else if (is_in(closers, word, len) || is_in(" for ", word, len)) {
			t->branches = true;
			skip_arguments(t, false);
		} else if (is_in(strange, word, len)) {
			t->w.strange |= strncmp(word, "exit", len) || !exits_otherwise(t);
			skip_arguments(t, false);
		} else if (is_in(builtins, word, len)) {
			skip_arguments(t, is_in(" set ", word, len));
		} else if (!is_in(" command exec ", word, len) && !shell_is_assignment(word, len)) {
			/* an option of the opener before it */
			t->w.strange |= *word == '-';
			add_command(t, from, len, before);
			skip_arguments(t, false);
			return;
		}
		t->w.words.len = from;
	}
}

static void take_text(struct shell_text *t)
{
	enum joint joint = take_joint(t);

	while (t->w.s < t->w.end) {
		const char *from = t->w.s;

		take_command(t, joint);
		joint = take_joint(t);
		/* no progress: syntax that is not understood here */
		t->w.strange |= t->w.s == from;
		t->w.s += t->w.s == from;
	}
}

/* ---- commands that ran ---- */

static bool is_base(const char *path, size_t len, const char *word, size_t n)
{
	return len >= n && !memcmp(path + len - n, word, n) && (len == n || path[len - n - 1] == '/');
}

static bool was_run_as(struct db *db, uint32_t exec, const char *word, size_t len)
{
	const struct build *b = build_of(db);
	const struct build_exec *e = &b->execs[exec];
	struct buf args = { 0 };
	size_t n = answers_args(db, exec, &args), length;
	const char *at = args.s, *path = build_path(b, e->program, &length);
	bool found = is_base(path, length, word, len);

	/* the interpreter of a script comes before its name */
	for (size_t i = 0; i < n && i < 3 && !found; i++, at += strlen(at) + 1)
		found = is_base(at, strlen(at), word, len);
	buf_free(&args);
	return found;
}

bool failures_ran(const struct failures *f, uint32_t shell, const char *word, size_t len)
{
	const struct failure_node *node = &f->nodes[shell];
	const struct build_exec *execs = build_of(f->db)->execs;
	bool found = false;

	for (uint32_t i = 0; i < node->calls && !found; i++) {
		uint32_t call = f->children[node->first + i];

		for (uint32_t k = call; k && !found; k = execs[k].before)
			found = !execs[k].forked && was_run_as(f->db, k, word, len);
		if (execs[call].forked)
			found = found || failures_ran(f, call, word, len);
	}
	return found;
}

/* The exec of the shell that was started with the text; a subshell only runs part of it. */
static uint32_t whole_shell(const struct failures *f, uint32_t exec)
{
	while (build_of(f->db)->execs[exec].forked && f->nodes[exec].up)
		exec = f->nodes[exec].up;
	return exec;
}

/* ---- the missing command ---- */

/* The first candidate from command @from on; NULL if "||" or "|" make it uncertain. */
static const struct command *first_of(const struct shell_text *t, size_t from)
{
	for (size_t i = from; i < t->n; i++)
		if (t->commands[i].before == JOINT_OR || t->commands[i].before == JOINT_PIPE)
			return NULL;
	for (size_t i = from; i < t->n; i++)
		if (t->commands[i].candidate)
			return &t->commands[i];
	return NULL;
}

static bool same_word(const struct shell_text *t, const struct command *a, const struct command *b)
{
	return a->len == b->len && !memcmp(t->w.words.s + a->word, t->w.words.s + b->word, a->len);
}

static const struct command *choose_command(const struct shell_text *t)
{
	const struct command *found = NULL;
	bool several = false;
	size_t last = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct command *c = &t->commands[i];

		if (c->before == JOINT_NEXT)
			last = i;
		if (!c->candidate)
			continue;
		several |= found && !same_word(t, found, c);
		found = found ? found : c;
	}
	if (!several || !found)
		return found;
	return t->branches ? NULL : first_of(t, t->errexit ? 0 : last);
}

/* ---- the text of a shell ---- */

/* Whether the trace was recorded on this machine. */
static bool is_here(struct db *db)
{
	struct utsname u;
	size_t len;
	const char *host = db_meta_text(db, "host", &len);

	return host && !uname(&u) && len == strlen(u.nodename) && !memcmp(host, u.nodename, len);
}

/* Whether a file has not changed since a time of the trace. */
static bool is_unchanged(struct db *db, int fd, int64_t at)
{
	struct stat st;
	int64_t begin;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && answers_realtime(db, &begin) &&
	       st.st_ctim.tv_sec * 1000000000ll + st.st_ctim.tv_nsec + TICK_NS < begin + at;
}

bool failures_read(struct db *db, const char *path, int64_t at, struct buf *text)
{
	struct stat st;
	ssize_t got = -1;
	int fd = -1;

	text->len = 0;
	/* only regular files: opening a device may have side effects */
	if (is_here(db) && !stat(path, &st) && S_ISREG(st.st_mode))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && is_unchanged(db, fd, at))
		got = read(fd, buf_room(text, TEXT_BYTES + 1), TEXT_BYTES + 1);
	if (fd >= 0)
		close(fd);
	text->len = got > 0 ? (size_t)got : 0;
	return text->len && text->len <= TEXT_BYTES && !memchr(text->s, '\0', text->len);
}

static bool read_script(struct db *db, uint32_t exec, const char *name, struct buf *text)
{
	const struct build_exec *e = &build_of(db)->execs[exec];
	struct buf path = { 0 };
	size_t n;
	const char *cwd = build_path(build_of(db), e->cwd, &n);
	bool good;

	if (*name != '/') {
		buf_add(&path, cwd, n);
		buf_addc(&path, '/');
	}
	buf_adds(&path, name);
	buf_addc(&path, '\0');
	good = failures_read(db, path.s, e->at, text);
	buf_free(&path);
	return good;
}

/* Find the text of a shell: the argument after -c, or the content of the script. */
static bool find_text(struct db *db, uint32_t exec, struct buf *text, bool *errexit)
{
	struct buf args = { 0 };
	size_t n = answers_args(db, exec, &args), i = 1;
	const char *at = n ? args.s + strlen(args.s) + 1 : NULL;
	bool option = false, good = false;

	for (; i < n && (*at == '-' || *at == '+') && at[1]; i++, at += strlen(at) + 1) {
		*errexit |= is_errexit(at, strlen(at));
		option |= at[1] != '-' && strchr(at, 'c');
		/* the name of the option follows: "-o pipefail" */
		if (at[1] != '-' && strchr(at, 'o') && i + 1 < n) {
			at += strlen(at) + 1;
			i++;
			*errexit |= !strcmp(at, "errexit");
		}
	}
	if (i < n && option) {
		buf_adds(text, at);
		good = true;
	} else if (i < n) {
		good = read_script(db, exec, at, text);
	}
	buf_free(&args);
	return good;
}

/* Mark the commands that did not run, by their base names. */
static void find_candidates(struct shell_text *t, const struct failures *f, uint32_t shell)
{
	for (size_t i = 0; i < t->n; i++) {
		struct command *c = &t->commands[i];
		const char *word = path_base_of(t->w.words.s + c->word, &c->len);

		c->word = (size_t)(word - t->w.words.s);
		c->candidate = c->len && !failures_ran(f, shell, word, c->len);
	}
}

bool failures_is_shell(struct db *db, uint32_t exec)
{
	const struct build *b = build_of(db);
	uint32_t as = build_with_command(b, exec);
	struct buf words = { 0 }, label = { 0 };
	size_t len, n;
	const char *path = build_path(b, b->execs[as].program, &len);
	struct work_arg *args = answers_work_args(db, as, &words, &n);
	/* only the name that it was called by, which is the shell's for a script: not its class */
	enum work_class class = work_of(path, len, args, n ? 1 : 0, &label);

	free(args);
	buf_free(&words);
	buf_free(&label);
	return class == WORK_SHELL;
}

/* Read the commands in a shell's text.  Return: false if unknown.  Call forget_text() anyway. */
static bool read_commands(struct db *db, uint32_t exec, struct shell_text *t, struct buf *text)
{
	if (!find_text(db, build_with_command(build_of(db), exec), text, &t->errexit))
		return false;
	t->w.s = text->s;
	t->w.end = text->s + text->len;
	take_text(t);
	return true;
}

bool failures_script(const struct failures *f, uint32_t exec, struct buf *text)
{
	bool errexit = false;

	exec = whole_shell(f, exec);
	return failures_is_shell(f->db, exec) &&
	       find_text(f->db, build_with_command(build_of(f->db), exec), text, &errexit);
}

static void forget_text(struct shell_text *t, struct buf *text)
{
	buf_free(&t->w.words);
	buf_free(text);
	free(t->commands);
}

bool failures_may_run(struct db *db, uint32_t exec, const char *name, size_t len)
{
	struct shell_text t = { 0 };
	struct buf text = { 0 };
	bool may = true;

	if (failures_is_shell(db, exec) && read_commands(db, exec, &t, &text) &&
	    text.len && memmem(text.s, text.len, name, len)) {
		may = false;
		for (size_t i = 0; i < t.n && !may; i++)
			may = is_base(t.w.words.s + t.commands[i].word, t.commands[i].len, name, len);
	}
	forget_text(&t, &text);
	return may;
}

/* Whether a shell is of busybox, which runs cp and others without an exec. */
static bool has_applets(struct db *db, uint32_t exec)
{
	const struct build *b = build_of(db);
	size_t len;
	const char *path = build_path(b, b->execs[build_with_command(b, exec)].program, &len);

	return is_base(path, len, "busybox", 7);
}

bool failures_not_run(const struct failures *f, uint32_t exec, struct failure_on *on)
{
	struct db *db = f->db;
	uint32_t shell = whole_shell(f, exec);
	const struct command *found = NULL;
	struct shell_text t = { 0 };
	struct buf text = { 0 };

	if (build_of(db)->execs[exec].status != STATUS_NOT_FOUND || !failures_is_shell(db, exec))
		return false;
	on->reason = FAILURE_OF_TOOL;
	if (read_commands(db, exec, &t, &text)) {
		t.w.strange |= t.n * f->nodes[shell].calls > PAIRS_MAX || has_applets(db, exec);
		if (!t.w.strange) {
			find_candidates(&t, f, shell);
			found = choose_command(&t);
		}
	}
	on->likely = found;
	if (found) {
		buf_add(&on->name, t.w.words.s + found->word, found->len);
		buf_add(&on->path, on->name.s, on->name.len);
	}
	forget_text(&t, &text);
	return true;
}
