// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds in the text of a script whether it ignores the failure of a call: "x || true", "x && y",
 * "if x; then y; fi", or "try x" with a function try() { "$@" || true; }; or whether it keeps the
 * failure until it exits: "x || bad=1".  See failures.h.
 *
 * A script that goes on after a failed call may fail because of it in the end ("x || bad=1"), or
 * not; the trace does not tell.  A command of the text may be the call if its words are the
 * arguments, where a word with a variable stands for any.  All commands that may be the call have
 * to do the same with its failure.
 */
#include "answers/failures.h"
#include "answers/shell_words.h"
#include "base/path.h"
#include "base/xalloc.h"
#include "build/build.h"

#include <stdlib.h>
#include <string.h>

/* Limits of what is compared; more would take too long. */
#define WORDS_MAX	4000u
#define ARGS_MAX	64u
#define RUNS_MAX	20u	/* commands "$@" */

/* What is between two commands; what begins one; "()"; or a word of one. */
enum piece { PIECE_WORD, PIECE_NEXT, PIECE_AND, PIECE_OR, PIECE_PIPE, PIECE_FUNCTION };

struct word {
	size_t at, len;		/* in script.text.words */
	enum piece piece;
	bool any;		/* has a variable or a pattern: it stands for any arguments */
};

struct script {
	struct shell_words text;
	struct word *list;
	size_t n, cap;
	unsigned int depth;	/* of parentheses */
	size_t own;		/* how many of them are not inside of "$(...)" or a trap */
	size_t traps;		/* the first of those inside of a trap */
	size_t *functions;	/* those that are the names of functions, where these are defined */
	size_t nfunctions, functions_cap;
	uint32_t exec;		/* of the shell that has the text; 0 if none was read */
};

static void add_piece(struct script *t, enum piece piece, size_t at, bool any)
{
	t->list = xgrow(t->list, &t->cap, t->n + 1, sizeof(*t->list));
	t->list[t->n++] = (struct word){ .at = at, .len = t->text.words.len - at, .piece = piece, .any = any };
}

/* ---- the pieces of the text ---- */

/* ")" without "(": what was read since the last operator is a pattern of a case, not a command. */
static void end_pattern(struct script *t)
{
	for (size_t i = t->n; i && t->list[i - 1].piece == PIECE_WORD; i--)
		t->list[i - 1].any = false;
	add_piece(t, PIECE_NEXT, t->text.words.len, false);
}

static void take_operator(struct script *t)
{
	struct shell_words *w = &t->text;
	char c = *w->s++;
	bool twice = w->s < w->end && *w->s == c;

	if (c == '(' && w->s < w->end && *w->s == ')') {
		w->s++;
		add_piece(t, PIECE_FUNCTION, w->words.len, false);
		return;
	}
	w->s += twice;
	t->depth += c == '(' ? 1u + twice : 0;
	if (c == ')' && !t->depth)
		end_pattern(t);
	else if (c == ')')
		t->depth -= t->depth > twice ? 1u + twice : 1u;
	else if (c == '&' && twice)
		add_piece(t, PIECE_AND, w->words.len, false);
	else if (c == '|')
		add_piece(t, twice ? PIECE_OR : PIECE_PIPE, w->words.len, false);
	else if (c != '(')
		add_piece(t, PIECE_NEXT, w->words.len, false);
}

static void take_word(struct script *t)
{
	size_t at = t->text.words.len;
	bool literal = shell_word(&t->text);

	add_piece(t, PIECE_WORD, at, !literal);
}

static void take_text(struct script *t, const char *s, size_t len)
{
	struct shell_words *w = &t->text;

	w->s = s;
	w->end = s + len;
	while (shell_blanks(w), w->s < w->end && t->n < WORDS_MAX) {
		/* a newline after && or || goes on */
		if (*w->s == '\n' && t->n && t->list[t->n - 1].piece != PIECE_WORD)
			w->s++;
		else if (strchr("\n;&|()", *w->s))
			take_operator(t);
		else if (!shell_redirection(w))
			take_word(t);
	}
}

/* Read the commands in words like "$(a b)", too. */
static void take_quoted(struct script *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct word *w = &t->list[i];
		const char *s = t->text.words.s + w->at, *in = w->any ? memmem(s, w->len, "$(", 2) : NULL;

		if (in) {
			size_t len = w->len - (size_t)(in + 2 - s);
			char *copy = xstrndup(in + 2, len);

			add_piece(t, PIECE_NEXT, t->text.words.len, false);
			take_text(t, copy, len);
			free(copy);
		}
	}
}

static bool is_word(const struct script *t, size_t i, const char *word)
{
	return i < t->n && t->list[i].piece == PIECE_WORD && t->list[i].len == strlen(word) &&
	       !memcmp(t->text.words.s + t->list[i].at, word, t->list[i].len);
}

/* Read the commands of traps: trap 'a; b' EXIT. */
static void take_traps(struct script *t)
{
	t->traps = t->n;
	for (size_t i = 0; i + 1 < t->own; i++) {
		const struct word *w = &t->list[i + 1];
		char *copy;

		if (!is_word(t, i, "trap") || w->piece != PIECE_WORD)
			continue;
		copy = xstrndup(t->text.words.s + w->at, w->len);
		add_piece(t, PIECE_NEXT, t->text.words.len, false);
		take_text(t, copy, strlen(copy));
		free(copy);
	}
}

/* ---- a command, and the arguments of the call ---- */

static bool same_word(const struct script *t, size_t i, size_t k)
{
	const struct word *a = &t->list[i], *b = &t->list[k];

	return a->piece == PIECE_WORD && b->piece == PIECE_WORD && a->len == b->len &&
	       !memcmp(t->text.words.s + a->at, t->text.words.s + b->at, a->len);
}

static bool is_any_word(const struct script *t, size_t i, const char *const *words)
{
	for (; *words; words++)
		if (is_word(t, i, *words))
			return true;
	return false;
}

static bool is_assignment(const struct script *t, size_t i)
{
	return t->list[i].piece == PIECE_WORD &&
	       shell_is_assignment(t->text.words.s + t->list[i].at, t->list[i].len);
}

static bool mentions(const struct script *t, size_t i, const char *s, size_t len)
{
	return t->list[i].piece == PIECE_WORD &&
	       memmem(t->text.words.s + t->list[i].at, t->list[i].len, s, len);
}

/* The first piece behind the words of a command. */
static size_t end_of(const struct script *t, size_t i)
{
	while (i < t->n && t->list[i].piece == PIECE_WORD)
		i++;
	return i;
}

static bool same_name(const char *arg, const char *s, size_t len)
{
	arg = path_base(arg);
	s = path_base_of(s, &len);
	return strlen(arg) == len && !memcmp(arg, s, len);
}

/* Whether words, of which some stand for any number of arguments, can be arguments. */
static bool can_be(const struct script *t, size_t i, size_t end, char *const *args, size_t n)
{
	const struct word *w = &t->list[i];

	if (i == end)
		return !n;
	if (w->any) {
		for (size_t k = 0; k <= n; k++)
			if (can_be(t, i + 1, end, args + k, n - k))
				return true;
		return false;
	}
	return n && strlen(*args) == w->len && !memcmp(*args, t->text.words.s + w->at, w->len) &&
	       can_be(t, i + 1, end, args + 1, n - 1);
}

/* Whether a command, from its name on, can be the call; its name may be that of a script. */
static bool can_be_call(const struct script *t, size_t i, char *const *args, size_t n)
{
	const struct word *w = &t->list[i];
	size_t end = end_of(t, i), any = 0;

	for (size_t k = i; k < end; k++)
		any += t->list[k].any;
	/* too many ways to compare */
	if (any > 4)
		return true;
	for (size_t skip = 0; skip < n && skip < 3; skip++)
		if (w->any ? can_be(t, i, end, args + skip, n - skip) :
			     same_name(args[skip], t->text.words.s + w->at, w->len) &&
			     can_be(t, i + 1, end, args + skip + 1, n - skip - 1))
			return true;
	return false;
}

/* ---- what the script does if it fails ---- */

static bool is_else(const struct script *t, size_t i)
{
	return is_word(t, i, "else") || is_word(t, i, "elif");
}

/*
 * Return: the "fi" of the "if" whose condition ends at @i, or its "else" if @to_else; t->n: none.
 */
static size_t end_of_if(const struct script *t, size_t i, bool to_else)
{
	for (size_t depth = 0; i < t->n; i++) {
		if (is_word(t, i, "if"))
			depth++;
		if (!depth && (is_word(t, i, "fi") || (to_else && is_else(t, i))))
			break;
		depth -= is_word(t, i, "fi");
	}
	return i;
}

/* Whether the command that ends at @i is followed by "|| true", or by && and no "||". */
static bool goes_on(const struct script *t, size_t i, bool last)
{
	static const char *const nothing[] = { "true", ":", NULL };
	bool and = false;

	while (i < t->n && (t->list[i].piece == PIECE_PIPE || t->list[i].piece == PIECE_AND)) {
		and |= t->list[i].piece == PIECE_AND;
		i = end_of(t, i + 1);
	}
	if (i < t->n && t->list[i].piece == PIECE_OR)
		return is_any_word(t, i + 1, nothing) && end_of(t, i + 1) == i + 2;
	return and && !last;
}

/* Whether the loop whose condition ends at @i has an exit in it: "until x; do ... exit 1; done". */
static bool gives_up(const struct script *t, size_t i)
{
	for (size_t depth = 0; i < t->n; i++) {
		if (depth && (is_word(t, i, "exit") || is_word(t, i, "return")))
			return true;
		depth += is_word(t, i, "do");
		if (is_word(t, i, "done") && !--depth)
			break;
	}
	return false;
}

/* Whether the command @i, which ends at @end, has another of the same program behind "||". */
static bool has_other_way(const struct script *t, size_t i, size_t end)
{
	return end + 1 < t->n && t->list[end].piece == PIECE_OR && same_word(t, i, end + 1);
}

/* Whether one command, whose words begin at @from, ignores its failure; @i: its name. */
static bool ignores(const struct script *t, size_t from, size_t i, bool last)
{
	size_t end = end_of(t, i);

	if (is_word(t, from, "until"))
		return !gives_up(t, end);
	if (is_word(t, from, "if") && i == from + 1 && end < t->n && t->list[end].piece == PIECE_NEXT)
		return is_word(t, end_of_if(t, end, true), "fi");
	return goes_on(t, end, last) || (!last && has_other_way(t, i, end));
}

/* Whether a word has the value of a variable: $name or ${name}. */
static bool has_value(const struct script *t, size_t i, const char *name, size_t len)
{
	const char *s = t->text.words.s + t->list[i].at, *end = s + t->list[i].len, *at;

	for (; t->list[i].any && (at = memmem(s, (size_t)(end - s), name, len)); s = at + 1)
		if (at > s && strchr("${", at[-1]) && shell_name(at, (size_t)(end - at)) == len)
			return true;
	return false;
}

/* Whether the script exits, or ends, by a test of the variable that is set at @i. */
static bool exits_by(const struct script *t, size_t i)
{
	const char *s = t->text.words.s + t->list[i].at;
	size_t len = shell_name(s, t->list[i].len);

	for (i++; i < t->own; i++) {
		size_t k = i, after = 0;

		if (!has_value(t, i, s, len))
			continue;
		while (k && t->list[k - 1].piece == PIECE_WORD)
			k--;
		for (; k < t->own && after < 3; k++) {
			if (is_word(t, k, "exit") || is_word(t, k, "return"))
				return true;
			after += t->list[k].piece != PIECE_WORD;
		}
		if (k == t->own)
			return true;
	}
	return false;
}

/* Whether one command, as for ignores(), sets a variable if it fails, by which the script exits. */
static bool keeps(const struct script *t, size_t from, size_t i)
{
	size_t end = end_of(t, i), k = end + 1, until = end_of(t, k);

	if (end >= t->n)
		return false;
	if (is_word(t, from, "if")) {
		until = end_of_if(t, end, false);
	} else if (t->list[end].piece == PIECE_OR) {
		while (is_word(t, k, "{") && until < t->n && !is_word(t, until - 1, "}"))
			until = end_of(t, until + 1);
	} else if (t->list[end].piece != PIECE_NEXT || k == t->n || !mentions(t, k, "$?", 2)) {
		return false;
	}
	for (; k < until && k < t->n; k++)
		if (is_assignment(t, k) && exits_by(t, k))
			return true;
	return false;
}

/* What one command, whose words begin at @from, does with its failure; @i: its name. */
static enum failure_handling handling_at(const struct script *t, size_t from, size_t i, bool last)
{
	if (ignores(t, from, i, last))
		return HANDLING_IGNORES;
	return keeps(t, from, i) ? HANDLING_KEEPS : HANDLING_UNKNOWN;
}

/* ---- functions that run their arguments: try() { "$@" || true; } ---- */

/* Whether the word is the name of a function that is defined there. */
static bool is_defined(const struct script *t, size_t i)
{
	return (i + 1 < t->n && t->list[i].piece == PIECE_WORD &&
		t->list[i + 1].piece == PIECE_FUNCTION) ||
	       (i && is_word(t, i - 1, "function"));
}

/* The piece behind the body of the function that the word @name defines. */
static size_t end_of_body(const struct script *t, size_t name)
{
	size_t i = name + 1, depth = 0;

	while (i < t->n && t->list[i].piece != PIECE_WORD)
		i++;
	do {
		depth += is_word(t, i, "{");
		depth -= depth && is_word(t, i, "}");
		i++;
	} while (i < t->n && depth);
	return i;
}

/* Return: where the function is defined that the command @i calls; or t->n. */
static size_t function_of(const struct script *t, size_t i)
{
	for (size_t k = 0; i < t->n && k < t->nfunctions; k++)
		if (t->functions[k] != i && same_word(t, i, t->functions[k]))
			return t->functions[k];
	return t->n;
}

/* The first word of the command that begins at @from that can be its name. */
static size_t name_of(const struct script *t, size_t from)
{
	static const char *const openers[] = {
		"!", "{", "do", "elif", "else", "exec", "if", "then", "time", "until", "while", NULL
	};
	size_t i = from;

	if (is_word(t, i, "function"))
		i = i + 2 < t->n ? i + 2 : t->n;
	while (i < t->n && t->list[i].piece == PIECE_WORD &&
	       (is_any_word(t, i, openers) || is_assignment(t, i)))
		i++;
	return i;
}

/* Whether a function runs its arguments, by one command "$@"; @handling: of its failure. */
static bool runs_arguments(const struct script *t, size_t name, bool last,
			   enum failure_handling *handling)
{
	size_t end = end_of_body(t, name), runs = 0;

	for (size_t from = name + 1; from < end; from = end_of(t, from) + 1) {
		size_t i = name_of(t, from);

		if (!is_word(t, i, "$@"))
			continue;
		*handling = handling_at(t, from, i, last);
		runs++;
	}
	return runs == 1;
}

/* Whether the command @i calls a function of the script that runs the call. */
static bool is_run_by_function(const struct script *t, size_t i, char *const *args, size_t n,
			       bool last, enum failure_handling *handling)
{
	size_t name = function_of(t, i), end = end_of(t, i);

	if (name == t->n || !runs_arguments(t, name, last, handling))
		return false;
	/* the function may take some of them for itself, such as a title */
	for (size_t k = i + 1; k < end && k < i + 4; k++)
		if (can_be_call(t, k, args, n))
			return true;
	return false;
}

/* Whether the command @i is "$@" in a function that the script calls. */
static bool is_in_called_function(const struct script *t, size_t i)
{
	size_t name = i;

	if (!is_word(t, i, "$@"))
		return false;
	while (name && !(is_defined(t, name - 1) && i < end_of_body(t, name - 1)))
		name--;
	for (size_t from = 0; name && from < t->n; from = end_of(t, from) + 1)
		if (function_of(t, name_of(t, from)) == name - 1)
			return true;
	return false;
}

/* Whether the command at @from is one of a trap, or of a function that it calls. */
static bool is_in_trap(const struct script *t, size_t from)
{
	if (from >= t->traps)
		return true;
	for (size_t i = t->traps; i < t->n; i = end_of(t, i) + 1) {
		size_t name = function_of(t, name_of(t, i));

		if (name < from && from < end_of_body(t, name))
			return true;
	}
	return false;
}

/* What all commands that can be the call do with its failure. */
static enum failure_handling handling_of(const struct script *t, char *const *args, size_t n,
					 bool last)
{
	enum failure_handling all = HANDLING_UNKNOWN;
	size_t runs = 0;

	for (size_t from = 0; from < t->n; from = end_of(t, from) + 1) {
		size_t i = name_of(t, from);
		enum failure_handling handling = HANDLING_UNKNOWN;
		bool trap;

		runs += is_word(t, i, "$@");
		if (runs > RUNS_MAX)
			return HANDLING_UNKNOWN;
		if (i == t->n || t->list[i].piece != PIECE_WORD || is_in_called_function(t, i) ||
		    (!is_run_by_function(t, i, args, n, last, &handling) && !can_be_call(t, i, args, n)))
			continue;
		trap = is_in_trap(t, from);
		/* a command in a variable proves nothing */
		if (trap && t->list[i].any)
			continue;
		if (!handling)
			handling = trap ? HANDLING_TRAPS : handling_at(t, from, i, last);
		if (!handling || (all && all != handling))
			return HANDLING_UNKNOWN;
		all = handling;
	}
	return all;
}

struct script *failures_new_script(void)
{
	return xcalloc(1, sizeof(struct script));
}

void failures_free_script(struct script *t)
{
	buf_free(&t->text.words);
	free(t->list);
	free(t->functions);
	free(t);
}

static void find_functions(struct script *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (is_defined(t, i)) {
			t->functions = xgrow(t->functions, &t->functions_cap, t->nfunctions + 1,
					     sizeof(*t->functions));
			t->functions[t->nfunctions++] = i;
		}
}

/* Read the text of a shell, unless it is the one that was read last; it has no words if unknown. */
static void read_script(const struct failures *f, uint32_t exec, struct script *t)
{
	struct buf text = { 0 };

	if (t->exec == exec)
		return;
	t->exec = exec;
	t->text.words.len = 0;
	t->n = t->own = t->traps = t->nfunctions = t->depth = 0;
	if (failures_script(f, exec, &text)) {
		take_text(t, text.s, text.len);
		t->own = t->n;
		take_quoted(t);
		take_traps(t);
		find_functions(t);
	}
	buf_free(&text);
}

enum failure_handling failures_handling(const struct failures *f, uint32_t script, uint32_t call,
					bool last)
{
	struct script *t = f->script;
	struct buf args = { 0 };
	size_t n = answers_args(f->db, f->nodes[call].begun, &args);
	char *list[ARGS_MAX], *at = args.s;
	enum failure_handling handling = HANDLING_UNKNOWN;

	if (build_of(f->db)->execs[f->nodes[call].begun].forked) {
		args.len = 0;
		n = answers_args(f->db, build_with_command(build_of(f->db), call), &args);
		at = args.s;
	}
	read_script(f, script, t);
	if (n && n <= ARGS_MAX && t->n && t->n < WORDS_MAX) {
		for (size_t i = 0; i < n; i++, at += strlen(at) + 1)
			list[i] = at;
		handling = handling_of(t, list, n, last);
	}
	buf_free(&args);
	return handling;
}
