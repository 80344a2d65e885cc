// SPDX-License-Identifier: GPL-2.0
/*
 * Building blocks of the etrace sinks: quoting of command lines, counts by name, live tasks, the
 * summary, UTF-8; and of all formats: messages, output streams, options.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common_etrace.h"
#include "io/diag.h"
#include "record/notable.h"
#include "io/options.h"
#include "io/out.h"
#include "format/report/report.h"
#include "io/stats_out.h"
#include "base/shquote.h"
#include "base/tally.h"
#include "base/utf8.h"

/* ---- quoting ---- */

static void shell_quoting(void **state)
{
	static const struct {
		const char *word, *quoted;
	} cases[] = {
		{ "gcc", "gcc" },
		{ "-DX=\"a b\"", "'-DX=\"a b\"'" },
		{ "", "''" },
		{ "it's", "$'it\\'s'" },
		{ "a\nb\t\\", "$'a\\nb\\t\\\\'" },
		{ "\x01\x7f\xff", "$'\\x01\\x7f\\xff'" },
		{ "caf\xc3\xa9", "'caf\xc3\xa9'" },
		{ "$HOME", "'$HOME'" },
		{ "~", "'~'" },
	};
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		b.len = 0;
		sh_quote(&b, cases[i].word, strlen(cases[i].word));
		assert_int_equal(b.len, strlen(cases[i].quoted));
		assert_memory_equal(b.s, cases[i].quoted, b.len);
	}
	buf_free(&b);
}

/* Which bytes need no quoting, wherever they are. */
static void bytes_that_need_no_quotes(void **state)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
	struct buf b = { 0 }, word = { 0 };

	(void)state;
	for (unsigned int c = 1; c < 256; c++) {
		char s[4] = { 'a', (char)c, 'b', 0 }, want[16];
		const char *at;
		size_t len;

		if (strchr(safe, s[1]))
			snprintf(want, sizeof(want), "%s", s);
		else if (s[1] == '\\' || (c >= ' ' && c < 0x7f && c != '\''))
			snprintf(want, sizeof(want), "'%s'", s);
		else if (c == '\'')
			snprintf(want, sizeof(want), "$'a\\'b'");
		else if (c == '\n' || c == '\t')
			snprintf(want, sizeof(want), "$'a\\%cb'", c == '\n' ? 'n' : 't');
		else
			snprintf(want, sizeof(want), "$'a\\x%02xb'", c);
		b.len = 0;
		sh_quote(&b, s, 3);
		assert_int_equal(b.len, strlen(want));
		assert_memory_equal(b.s, want, b.len);
		at = b.s;
		len = b.len;
		assert_true(sh_unquote(&at, &len, &word));
		assert_int_equal(len, 0);
		assert_int_equal(word.len, 3);
		assert_memory_equal(word.s, s, 3);
	}
	buf_free(&b);
	buf_free(&word);
}

/* bash splits the line into words, each followed by a NUL */
static void ask_shell(const struct buf *line, const struct buf *words)
{
	char path[] = "/tmp/etrace-quote-XXXXXX", command[100], *out;
	int fd = mkstemp(path);
	FILE *f;

	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	fprintf(f, "printf '%%s\\0' %.*s\n", (int)line->len, line->s);
	fclose(f);
	snprintf(command, sizeof(command), "LC_ALL=C bash %s", path);
	f = popen(command, "r");
	out = malloc(words->len + 1);
	assert_int_equal(fread(out, 1, words->len + 1, f), words->len);
	assert_int_equal(pclose(f), 0);
	assert_memory_equal(out, words->s, words->len);
	free(out);
	remove(path);
}

/* Any words can be quoted and unquoted; and bash splits the line in the same way. */
static void random_words_survive_quoting(void **state)
{
	struct rng r = { seed(1) };

	(void)state;
	for (unsigned int round = 0; round < 300; round++) {
		struct buf line = { 0 }, words = { 0 }, word = { 0 };
		size_t n = 1 + rnd(&r, 6), len, at = 0;
		const char *s;

		for (size_t i = 0; i < n; i++) {
			size_t size = rnd(&r, 12), begin = words.len;

			for (size_t j = 0; j < size; j++)
				buf_addc(&words, rnd_one_in(&r, 3) ? (char)(1 + rnd(&r, 255)) :
						 "ab '\"\\$\n\t"[rnd(&r, 9)]);
			if (i)
				buf_addc(&line, ' ');
			sh_quote(&line, words.len ? words.s + begin : "", words.len - begin);
			buf_addc(&words, 0);
		}
		assert_true(utf8_valid(line.s, line.len));
		assert_null(memchr(line.s, '\n', line.len));
		s = line.s;
		len = line.len;
		for (size_t i = 0; i < n; i++) {
			assert_true(sh_unquote(&s, &len, &word));
			assert_int_equal(word.len, strlen(words.s + at));
			if (word.len)
				assert_memory_equal(word.s, words.s + at, word.len);
			at += word.len + 1;
		}
		assert_int_equal(len, 0);
		assert_false(sh_unquote(&s, &len, &word));
		if (round < 20)
			ask_shell(&line, &words);
		buf_free(&line);
		buf_free(&words);
		buf_free(&word);
	}
}

static void invalid_quoting_refused(void **state)
{
	static const char *const lines[] = { "'a", "$'a", "$'a\\", "$'\\q'", "$'\\x1'", "a ", " a",
		"a  b", "a'b'", "'a'b" };
	struct buf word = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const char *s = lines[i];
		size_t len = strlen(s);

		while (sh_unquote(&s, &len, &word))
			;
		if (!len)
			fail_msg("accepted: %s", lines[i]);
	}
	buf_free(&word);
}

/* ---- counts ---- */

/* How often each name came. */
static void counts_are_exact(void **state)
{
	enum { NAMES = 100000 };
	const struct tally_row *top[3];
	struct tally t = { 0 };
	char name[20];

	(void)state;
	for (unsigned int i = 0; i < NAMES; i++) {
		tally_add(&t, name, (size_t)snprintf(name, sizeof(name), "%u", i), 1);
		if (i % 7 == 0)
			tally_add(&t, "often", 5, i);
		if (i % 11 == 0)
			tally_add(&t, "seldom", 6, 1000000);
	}
	assert_int_equal(t.forgotten, 0);
	assert_int_equal(t.names, NAMES + 2);
	assert_int_equal(tally_top(&t, TALLY_N, top, 3), 3);
	assert_memory_equal(top[0]->name, "often", 5);
	assert_memory_equal(top[1]->name, "seldom", 6);
	assert_int_equal(top[0]->n, (NAMES + 6) / 7);
	assert_int_equal(tally_top(&t, TALLY_TOTAL, top, 1), 1);
	assert_memory_equal(top[0]->name, "seldom", 6);
	assert_int_equal(top[0]->most, 1000000);
	tally_free(&t);
}

/* Sorted by each key; equal ones by name, shorter names first. */
static void counts_are_sorted(void **state)
{
	static const struct { const char *name; uint64_t value; } came[] = {
		{ "ab", 5 }, { "abc", 5 }, { "a", 5 }, { "b", 1 }, { "b", 2 }, { "z", 9 }, { "aa", 4 }, { "aa", 4 },
	};
	static const char *const want[][6] = {
		[TALLY_N] = { "aa", "b", "a", "ab", "abc", "z" },
		[TALLY_TOTAL] = { "z", "aa", "a", "ab", "abc", "b" },
		[TALLY_MOST] = { "z", "a", "ab", "abc", "aa", "b" },
	};

	(void)state;
	for (unsigned int key = TALLY_N; key <= TALLY_MOST; key++) {
		for (size_t from = 0; from < 8; from++) {
			const struct tally_row *top[7];
			struct tally t = { 0 };

			for (size_t i = 0; i < 8; i++) {
				const char *name = came[(from + i) % 8].name;

				tally_add(&t, name, strlen(name), came[(from + i) % 8].value);
			}
			assert_int_equal(tally_top(&t, key, top, 7), 6);
			for (size_t i = 0; i < 6; i++) {
				assert_int_equal(top[i]->len, strlen(want[key][i]));
				assert_memory_equal(top[i]->name, want[key][i], top[i]->len);
			}
			assert_int_equal(tally_top(&t, key, top, 2), 2);
			assert_memory_equal(top[1]->name, want[key][1], strlen(want[key][1]));
			tally_free(&t);
		}
	}
}

/* More names than fit: no count is off by more than it says. */
static void counts_beyond_the_limit(void **state)
{
	enum { NAMES = 24000, LEN = 4000, EACH = 3 };
	static unsigned int came[NAMES];
	const struct tally_row *top[1];
	struct tally t = { 0 };
	static char name[LEN];
	uint32_t random = 1;

	(void)state;
	memset(name, 'x', sizeof(name));
	for (unsigned int i = 0; i < EACH * NAMES; i++) {
		unsigned int which;

		random = random * 1664525 + 1013904223;
		/* half of them are one of 24 names */
		which = random >> 31 ? random % 24 : (random >> 8) % NAMES;
		memcpy(name, &which, sizeof(which));
		tally_add(&t, name, LEN, 0);
		came[which]++;
		assert_true(t.bytes <= TALLY_BYTES);
	}
	assert_true(t.forgotten > 0);
	for (size_t i = 0; i < t.used; i++) {
		unsigned int which;

		memcpy(&which, t.rows[i].name, sizeof(which));
		assert_true(t.rows[i].n <= came[which]);
		assert_true(came[which] <= t.rows[i].n + t.rows[i].low);
		assert_true(t.rows[i].low <= t.forgotten);
		came[which] = 0;
	}
	for (unsigned int i = 0; i < NAMES; i++)
		assert_true(came[i] <= t.forgotten);
	assert_int_equal(tally_top(&t, TALLY_N, top, 1), 1);
	tally_free(&t);
}

/* ---- live tasks and the summary ---- */

#define UP(n)		((uint64_t)(n) << 22 | (1000 + (n)))
#define LINE(fmt, ...)	(n += snprintf(text + n, sizeof(text) - (size_t)n, fmt "\n", __VA_ARGS__))

static char text[16384];

/* Make the report of a trace, and check that the recorder counts the same processes. */
static struct report *summary(const char *lines)
{
	struct bytes b = { (char *)(uintptr_t)lines, strlen(lines), 0 };
	struct reading r = read_lines(&b, 1);
	struct report *report = report_new(22);
	struct notable *notable = notable_new(22);
	uint64_t most = 0;

	assert_int_equal(r.status, 0);
	for (size_t i = 0; i < r.events.n; i++) {
		report_event(report, &r.events.e[i]);
		notable_event(notable, &r.events.e[i]);
		if (most < notable_processes_now(notable))
			most = notable_processes_now(notable);
	}
	report_end(report);
	assert_int_equal(notable_processes(notable), report->processes);
	assert_int_equal(most, report->widest);
	notable_free(notable);
	reading_free(&r);
	return report;
}

static void fork_exec(int *at, uint64_t parent, uint64_t child, unsigned int time, const char *prog)
{
	int n = *at;

	LINE("%lu,0,%u,0!SysClone|flags=17", parent, time);
	LINE("%lu,0,%u,0!SchedFork|pid=%lu", parent, time, child);
	if (prog) {
		LINE("%lu,0,%u,5!New_proc|argsize=2,prognameisize=%zu,prognamepsize=%zu,cwdsize=1",
		     child, time, strlen(prog), strlen(prog));
		LINE("%lu,0,%u,5!PI|%s", child, time, prog);
		LINE("%lu,0,%u,5!PP|%s", child, time, prog);
		LINE("%lu,0,%u,5!CW|/", child, time);
		LINE("%lu,0,%u,5!A[0]x", child, time);
		LINE("%lu,0,%u,5!End_of_args|", child, time);
	}
	*at = n;
}

static void report_numbers(void **state)
{
	const struct tally_row *top[2];
	struct report *r;
	int n = 0;

	(void)state;
	fork_exec(&n, UP(1), UP(2), 10, "/usr/bin/gcc");
	fork_exec(&n, UP(2), UP(3), 11, "/usr/bin/as");
	LINE("%lu,0,12,0!SysClone|flags=%d", UP(2), 0x10000);
	LINE("%lu,0,12,0!SchedFork|pid=%lu", UP(2), UP(4));
	LINE("%lu,0,13,0!Open|fnamesize=2,forigsize=2,flags=0,mode=0,fd=3", UP(3));
	LINE("%lu,0,13,0!FN|/r", UP(3));
	LINE("%lu,0,13,0!FO|/r", UP(3));
	LINE("%lu,0,13,1!Open|fnamesize=2,forigsize=2,flags=2,mode=0,fd=3", UP(3));
	LINE("%lu,0,13,1!FN|/b", UP(3));
	LINE("%lu,0,13,1!FO|/b", UP(3));
	LINE("%lu,0,13,2!Open|fnamesize=2,forigsize=2,flags=577,mode=0,fd=3", UP(3));
	LINE("%lu,0,13,2!FN|/w", UP(3));
	LINE("%lu,0,13,2!FO|/w", UP(3));
	LINE("%lu,0,13,3!RenameFailed|", UP(3));
	LINE("%lu,0,14,5!Exit|status=256", UP(3));
	LINE("%lu,0,15,0!Exit|status=0", UP(4));
	LINE("%lu,0,16,5!Exit|status=0", UP(2));
	r = summary(text);
	assert_int_equal(r->events, 12);
	assert_int_equal(r->processes, 3);
	assert_int_equal(r->threads, 1);
	assert_int_equal(r->widest, 3);
	assert_int_equal(r->deepest, 3);
	assert_int_equal(r->unfinished, 1);	/* the first one */
	assert_int_equal(r->failed[ET_K_RENAME], 1);
	assert_int_equal(r->last - r->first, 6000000005);
	assert_int_equal(tally_top(&r->programs, TALLY_TOTAL, top, 2), 2);
	assert_memory_equal(top[0]->name, "gcc", 3);
	assert_int_equal(top[0]->total, 6000000000);
	assert_int_equal(top[1]->most, 3000000000);
	assert_int_equal(tally_top(&r->read, TALLY_N, top, 2), 2);
	assert_int_equal(tally_top(&r->written, TALLY_N, top, 2), 2);
	assert_int_equal(tally_top(&r->failures, TALLY_N, top, 2), 1);
	assert_memory_equal(top[0]->name, "as", 2);
	report_free(r);
}

/* Tasks killed by a signal are failures and have names; a process counts once, with its threads. */
static void killed_tasks_count_as_failures(void **state)
{
	const struct tally_row *top[3];
	const struct notable_list *l;
	char name[8], want[NOTABLE_MAX + 8];
	struct notable *notable;
	struct reading reading;
	struct report *r;
	int n = 0;

	(void)state;
	fork_exec(&n, UP(1), UP(2), 10, "/usr/bin/cc1");
	LINE("%lu,0,11,0!SysClone|flags=%d", UP(2), 0x10000);
	LINE("%lu,0,11,0!SchedFork|pid=%lu", UP(2), UP(3));
	LINE("%lu,0,11,1!IoUring|fd=3", UP(2));
	LINE("%lu,0,11,2!IoUring|fd=4", UP(2));
	LINE("%lu,0,12,0!Exit|status=0", UP(3));
	LINE("%lu,0,12,0!ExitSignal|signal=11,core=0", UP(3));
	LINE("%lu,0,12,1!Exit|status=0", UP(2));
	LINE("%lu,0,12,1!ExitSignal|signal=11,core=1", UP(2));
	fork_exec(&n, UP(1), UP(4), 13, "/bin/s\th");
	LINE("%lu,0,14,0!Exit|status=7", UP(4));
	fork_exec(&n, UP(1), UP(5), 15, NULL);
	LINE("%lu,0,16,0!Exit|status=0", UP(5));
	LINE("%lu,0,16,0!ExitSignal|signal=9,core=0", UP(5));
	r = summary(text);
	assert_int_equal(r->nkilled, 2);
	assert_int_equal(tally_top(&r->failures, TALLY_N, top, 3), 3);
	assert_int_equal(tally_top(&r->killed, TALLY_N, top, 3), 2);
	assert_int_equal(top[0]->len, 2);
	assert_memory_equal(top[0]->name, "\x09?", 2);
	assert_int_equal(top[1]->len, 4);
	assert_memory_equal(top[1]->name, "\x0b" "cc1", 4);
	assert_int_equal(tally_top(&r->urings, TALLY_N, top, 3), 1);
	assert_memory_equal(top[0]->name, "cc1", 3);
	assert_int_equal(top[0]->n, 2);
	report_free(r);

	/* what the recorder's summary has */
	reading = read_lines(&(struct bytes){ text, strlen(text), 0 }, 1);
	notable = notable_new(22);
	for (size_t i = 0; i < reading.events.n; i++) {
		notable_event(notable, &reading.events.e[i]);
		if (reading.events.e[i].kind == ET_K_URING)
			assert_false(notable_program(notable, UP(3), name, sizeof(name)));
		if (reading.events.e[i].upid == UP(4) && reading.events.e[i].kind == ET_K_EXEC) {
			assert_true(notable_program(notable, UP(4), want, sizeof(want)));
			assert_string_equal(want, "s?h");
			notable_program(notable, UP(4), name, 3);
			assert_string_equal(name, "s?");
		}
	}
	/* task 4 has ended; so has the thread, which never was a process */
	assert_false(notable_program(notable, UP(4), name, sizeof(name)));
	assert_string_equal(name, "?");
	assert_false(notable_program(notable, UP(3), name, sizeof(name)));
	assert_true(notable_program(notable, UP(1), name, sizeof(name)));
	l = notable_killed(notable);
	assert_int_equal(l->n, 2);
	assert_int_equal(l->ntasks, 2);
	assert_string_equal(l->task[0].program, "cc1");
	assert_int_equal(l->task[0].upid, UP(2));
	assert_int_equal(l->task[0].signal, 11);
	assert_true(l->task[0].core);
	assert_int_equal(l->task[1].signal, 9);
	assert_false(l->task[1].core);
	l = notable_urings(notable);
	assert_int_equal(l->n, 2);
	assert_int_equal(l->ntasks, 1);
	assert_string_equal(l->task[0].program, "cc1");
	reading_free(&reading);
	notable_free(notable);
}

/*
 * A process that existed before tracing began: its program is the path's last part, else
 * the name.
 */
static void programs_of_present_processes(void **state)
{
	static const struct { const char *path, *comm, *program; } cases[] = {
		{ "/usr/bin/cc1", "cc1plus", "cc1" }, { "/x", "y", "x" }, { "/bin/", "name", "name" },
		{ "none", "name", "name" }, { NULL, "name", "name" }, { NULL, "", "?" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tally_row *top[1];
		struct report *r;
		int n = 0;

		if (cases[i].path)
			LINE("%lu,0,1,0!Present|commsize=%zu,pathsize=%zu,process=%lu,parent=0", UP(2),
			     strlen(cases[i].comm), strlen(cases[i].path), UP(2));
		else
			LINE("%lu,0,1,0!Present|commsize=%zu,process=%lu,parent=0", UP(2),
			     strlen(cases[i].comm), UP(2));
		LINE("%lu,0,1,0!TN|%s", UP(2), cases[i].comm);
		if (cases[i].path)
			LINE("%lu,0,1,0!TP|%s", UP(2), cases[i].path);
		LINE("%lu,0,2,0!Exit|status=256", UP(2));
		r = summary(text);
		assert_int_equal(tally_top(&r->failures, TALLY_N, top, 1), 1);
		assert_int_equal(top[0]->len, strlen(cases[i].program));
		assert_memory_equal(top[0]->name, cases[i].program, top[0]->len);
		report_free(r);
	}
}

/* A thread that existed before tracing began is no process of its own. */
static void present_threads_are_no_processes(void **state)
{
	(void)state;
	for (int thread = 0; thread < 2; thread++) {
		struct report *r;
		int n = 0;

		LINE("%lu,0,1,0!Present|commsize=1,process=%lu,parent=0", UP(2), UP(2));
		LINE("%lu,0,1,0!TN|a", UP(2));
		LINE("%lu,0,1,0!Present|commsize=1,process=%lu,parent=0", UP(3), UP(thread ? 2 : 3));
		LINE("%lu,0,1,0!TN|b", UP(3));
		r = summary(text);
		assert_int_equal(r->processes, thread ? 1 : 2);
		assert_int_equal(r->threads, thread);
		assert_int_equal(r->widest, thread ? 1 : 2);
		report_free(r);
	}
}

/* A reused pid ends the task that had it before, even if its exit was lost. */
static void reused_pid(void **state)
{
	uint64_t again = (uint64_t)9 << 22 | 1002;
	struct report *r;
	int n = 0;

	(void)state;
	fork_exec(&n, UP(1), UP(2), 10, "/bin/a");
	fork_exec(&n, UP(1), again, 11, "/bin/b");
	LINE("%lu,0,14,5!Exit|status=0", again);
	LINE("%lu,0,15,5!Exit|status=0", UP(1));
	r = summary(text);
	assert_int_equal(r->ends_lost, 1);
	assert_int_equal(r->unfinished, 0);
	assert_int_equal(r->widest, 2);
	report_free(r);
}

/*
 * A thread that calls execve takes over the leader's pid: its old pid may be reused while it
 * lives.
 */
static void thread_exec(void **state)
{
	uint64_t again = (uint64_t)9 << 22 | 1003;
	struct report *r;
	int n = 0;

	(void)state;
	fork_exec(&n, UP(1), UP(2), 10, "/bin/a");
	LINE("%lu,0,11,0!SysClone|flags=%d", UP(2), 0x10000);
	LINE("%lu,0,11,0!SchedFork|pid=%lu", UP(2), UP(3));
	LINE("%lu,0,12,0!Exit|status=0", UP(2));
	LINE("%lu,0,12,5!New_proc|argsize=0,prognameisize=1,prognamepsize=1,cwdsize=1", UP(3));
	LINE("%lu,0,12,5!PI|p", UP(3));
	LINE("%lu,0,12,5!PP|p", UP(3));
	LINE("%lu,0,12,5!CW|/", UP(3));
	LINE("%lu,0,12,5!End_of_args|", UP(3));
	fork_exec(&n, UP(1), again, 13, "/bin/b");
	LINE("%lu,0,14,5!Exit|status=0", UP(3));
	LINE("%lu,0,15,5!Exit|status=0", again);
	LINE("%lu,0,16,5!Exit|status=0", UP(1));
	r = summary(text);
	assert_int_equal(r->ends_lost, 0);
	assert_int_equal(r->unfinished, 0);
	assert_int_equal(r->widest, 3);
	report_free(r);
}

/* ---- names of lines outside the format ---- */

static void names_of_unknown_tags(void **state)
{
	static const struct { const char *line; size_t n; } cases[] = {
		{ "Az09_|x", 5 }, { "Z|", 1 }, { "A|B|", 1 }, { "A", 0 }, { "", 0 }, { "|", 0 },
		{ "a|", 0 }, { "@|", 0 }, { "[|", 0 }, { "A{|", 0 }, { "A`|", 0 }, { "A@|", 0 },
		{ "A[|", 0 }, { "A/|", 0 }, { "A:|", 0 }, { "A |", 0 }, { "A_hex|", 0 }, { "_hex|", 0 },
		{ "Ahex|", 4 }, { "Abcdefghijklmnopqrstuvwxyz01234|", 31 },
		{ "Abcdefghijklmnopqrstuvwxyz012345|", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = et_extra_name(cases[i].line, strlen(cases[i].line));

		if (n != cases[i].n)
			fail_msg("%s: %zu", cases[i].line, n);
	}
}

/* ---- messages about an input ---- */

static void diagnostic_messages(void **state)
{
	static const struct diag_kind note = { "notes", DIAG_NOTE }, bad = { "bad things", DIAG_DAMAGE },
				      none = { "of nothing", DIAG_DAMAGE };
	char *printed = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&printed, &size);
	struct diag *d = diag_new(f, "prog");
	uint64_t n = 0;

	(void)state;
	assert_int_equal(diag_total(d, &bad), 0);
	assert_null(diag_next(d, 0, &n));
	diag_report(d, &note, "file", DIAG_LINE, 7, NULL);
	diag_report(d, &note, "file", DIAG_LINE, 8, NULL);
	diag_count(d, &none, 0);
	assert_int_equal(diag_status(d), 0);
	assert_true(diag_complete(d));
	for (unsigned int i = 0; i < 5; i++)
		diag_report(d, &bad, i ? "file" : NULL, i == 1 ? DIAG_NOWHERE : DIAG_OFFSET, i, "the %uth", i);
	diag_count(d, &bad, 10);
	assert_int_equal(diag_status(d), 1);
	assert_false(diag_complete(d));
	assert_int_equal(diag_total(d, &note), 2);
	assert_int_equal(diag_total(d, &bad), 15);
	assert_int_equal(diag_total(d, &none), 0);
	assert_ptr_equal(diag_next(d, 0, &n), &note);
	assert_int_equal(n, 2);
	assert_ptr_equal(diag_next(d, 1, &n), &none);
	assert_ptr_equal(diag_next(d, 2, &n), &bad);
	assert_int_equal(n, 15);
	assert_null(diag_next(d, 3, &n));
	diag_summary(d);
	diag_fatal(d, "no %s", "more");
	assert_int_equal(diag_status(d), 2);
	assert_false(diag_complete(d));
	fflush(f);
	assert_string_equal(printed,
			    "prog: file: line 7: notes\n"
			    "prog: offset 0: the 0th\nprog: file: the 1th\nprog: file: offset 2: the 2th\n"
			    "prog: 2 notes\nprog: 15 bad things\nprog: no more\n");
	diag_free(d);
	fclose(f);
	free(printed);
	/* counted, but not printed */
	d = diag_new(NULL, "prog");
	diag_report(d, &bad, NULL, DIAG_NOWHERE, 0, NULL);
	diag_summary(d);
	assert_int_equal(diag_status(d), 1);
	diag_fatal(d, "no more");
	assert_int_equal(diag_status(d), 2);
	diag_free(d);
}

/* ---- output streams ---- */

/* What a backend is given: its bytes count up from 0, modulo 251. */
struct given {
	size_t bytes, calls, most, least;
	int fail;	/* returned by all further calls */
};

static int take(void *ctx, const void *data, size_t n)
{
	struct given *g = ctx;

	for (size_t i = 0; i < n; i++)
		assert_int_equal(((const unsigned char *)data)[i], (g->bytes + i) % 251);
	g->bytes += n;
	g->calls++;
	if (n > g->most)
		g->most = n;
	if (!g->least || n < g->least)
		g->least = n;
	return g->fail;
}

static int end_taking(void *ctx)
{
	return ((struct given *)ctx)->fail;
}

static void output_streams(void **state)
{
	static const struct out_backend be = { .write = take, .close = end_taking };
	enum { ROOM = 4 * OUT_RESERVE_MAX };
	static const size_t sizes[] = { 0, 1, 7, ROOM - 8, ROOM - 1, ROOM, ROOM + 1, 3 * ROOM };
	static char bytes[4 * ROOM];

	(void)state;
	for (size_t first = 0; first < 8; first++) {
		for (size_t i = 0; i < 8; i++) {
			struct given g = { 0 };
			struct out *o = out_new(&be, &g);
			size_t n = 0;
			char *to;

			for (unsigned int k = 0; k < 3; k++) {
				size_t len = k ? sizes[i] : sizes[first];

				for (size_t j = 0; j < len; j++)
					bytes[j] = (char)((n + j) % 251);
				assert_int_equal(out_write(o, bytes, len), 0);
				n += len;
				assert_int_equal(out_bytes(o), n);
				assert_true(n - g.bytes < 2 * ROOM);
			}
			to = out_reserve(o, OUT_RESERVE_MAX);
			for (size_t j = 0; j < OUT_RESERVE_MAX; j++)
				to[j] = (char)((n + j) % 251);
			out_commit(o, OUT_RESERVE_MAX);
			n += OUT_RESERVE_MAX;
			assert_int_equal(out_bytes(o), n);
			assert_int_equal(out_sync(o), 0);
			assert_int_equal(g.bytes, n);
			assert_int_equal(out_close(o), 0);
			assert_int_equal(g.bytes, n);
			/* no more calls than necessary */
			assert_true(g.calls <= 5 && g.least >= 1);
		}
	}
}

/* The first error is kept, and nothing is written after it. */
static void output_errors(void **state)
{
	static const struct out_backend be = { .write = take, .close = end_taking };
	struct given g = { .fail = -5 };
	struct out *o = out_new(&be, &g);

	(void)state;
	assert_int_equal(out_write(o, "", 1), 0);
	assert_int_equal(out_flush(o), -5);
	assert_int_equal(g.bytes, 1);
	g.fail = -6;
	assert_int_equal(out_write(o, "\1", 1), -5);
	assert_int_equal(out_flush(o), -5);
	assert_int_equal(out_sync(o), -5);
	assert_int_equal(out_error(o), -5);
	assert_int_equal(g.bytes, 1);
	assert_int_equal(out_bytes(o), 2);
	assert_int_equal(out_close(o), -5);
	/* an error of the close, if there was none before */
	g = (struct given){ .fail = -7 };
	o = out_new(&be, &g);
	assert_int_equal(out_close(o), -7);
}

/* Text and numbers, around the size up to which text is formatted in place. */
static void output_texts(void **state)
{
	static const int64_t numbers[] = { 0, 9, 10, -1, INT64_MAX, INT64_MIN };
	struct out *o = out_mem();
	char want[4096] = "", *at = want;
	const void *data;
	size_t n;

	(void)state;
	for (int len = 510; len < 514; len++) {
		out_printf(o, "%*d", len, 1);
		at += sprintf(at, "%*d", len, 1);
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		out_i64(o, numbers[i]);
		out_puts(o, ",");
		out_u64(o, (uint64_t)numbers[i]);
		at += sprintf(at, "%lld,%llu", (long long)numbers[i], (unsigned long long)numbers[i]);
	}
	data = out_mem_data(o, &n);
	assert_int_equal(n, strlen(want));
	assert_memory_equal(data, want, n);
	out_close(o);
}

/* ---- options ---- */

static void option_numbers(void **state)
{
	/* 77: unchanged */
	static const struct { const char *value; bool good; uint64_t n; } cases[] = {
		{ "3", true, 3 }, { "2", false, 77 }, { "100", true, 100 }, { "101", false, 77 },
		{ "0x10", true, 16 }, { "010", true, 8 }, { "", false, 77 }, { " 5", false, 77 }, { "/5", false, 77 },
		{ ":5", false, 77 }, { "5 ", false, 77 }, { "-1", false, 77 }, { "9x", false, 77 },
		{ "18446744073709551620", false, 77 },
	};
	struct opts o;
	uint64_t v = 77;
	size_t i = 0;

	(void)state;
	opts_init(&o);
	assert_true(opt_number(&o, "n", 3, 100, &v));
	assert_int_equal(v, 77);
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		/* the last value counts */
		opts_add(&o, "m", "1");
		opts_add(&o, "n", cases[k].value);
		v = 77;
		assert_int_equal(opt_number(&o, "n", 3, 100, &v), cases[k].good);
		assert_int_equal(v, cases[k].n);
		assert_string_equal(opt_value(&o, "n"), cases[k].value);
	}
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++)
		assert_string_equal(opt_each(&o, "n", &i), cases[k].value);
	assert_null(opt_each(&o, "n", &i));
	assert_true(opt_flag(&o, "m"));
	assert_false(opt_flag(&o, "k"));
	assert_null(opt_value(&o, "k"));
	opts_free(&o);
	opts_add(&o, "n", "18446744073709551615");
	assert_true(opt_number(&o, "n", 0, UINT64_MAX, &v));
	assert_int_equal(v, UINT64_MAX);
	assert_false(opt_number(&o, "n", 0, UINT64_MAX - 1, &v));
	opts_free(&o);
}

static void option_choices(void **state)
{
	static const struct opt_row rows[] = {
		{ "n", "N", "" }, { "f|form", "text|json|js", "" }, { 0 }
	};
	static const struct { const char *value; int n; } cases[] = {
		{ NULL, 0 }, { "text", 0 }, { "json", 1 }, { "js", 2 }, { "j", -1 }, { "jso", -1 },
		{ "", -1 }, { "jsonx", -1 }, { "text|json", -1 }, { "|", -1 },
	};
	struct opts o;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(opt_choice(&rows[1], cases[i].value), cases[i].n);
	opts_init(&o);
	assert_int_equal(opt_chosen(&o, rows, "form"), 0);
	opts_add(&o, "form", "json");
	opts_add(&o, "form", "js");
	assert_int_equal(opt_chosen(&o, rows, "form"), 2);
	opts_free(&o);
}

/* ---- UTF-8 ---- */

static void utf8_detection(void **state)
{
	static const struct {
		const char *s;
		bool valid;
		const char *shown;
	} cases[] = {
		{ "plain", true, "plain" },
		{ "\xc3\xa9", true, "\xc3\xa9" },
		{ "\xe2\x82\xac", true, "\xe2\x82\xac" },
		{ "\xf0\x9f\x98\x80", true, "\xf0\x9f\x98\x80" },
		{ "\xc3", false, "\xef\xbf\xbd" },
		{ "\xc0\x80", false, "\xef\xbf\xbd\xef\xbf\xbd" },		/* overlong */
		{ "\xed\xa0\x80", false, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },	/* surrogate */
		{ "\xf4\x90\x80\x80", false, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "a\xff" "b", false, "a\xef\xbf\xbd" "b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t len;
		char *shown = utf8_replace(cases[i].s, strlen(cases[i].s), &len);

		assert_int_equal(utf8_valid(cases[i].s, strlen(cases[i].s)), cases[i].valid);
		assert_string_equal(shown, cases[i].shown);
		free(shown);
	}
	assert_false(utf8_valid("a\0b", 3));
	assert_false(utf8_valid("12345678\0", 9));
	assert_true(utf8_valid("", 0));
	/* never inside a character, and never empty */
	assert_int_equal(utf8_cut("ab\xc3\xa9", 4, 3), 2);
	assert_int_equal(utf8_cut("ab\xc3\xa9", 4, 4), 4);
	assert_int_equal(utf8_cut("\xf0\x9f\x98\x80\xf0\x9f\x98\x80", 8, 7), 4);
	assert_int_equal(utf8_cut("abcdef", 6, 4), 4);
}

/*
 * A name in a column: the end of it if it is too long, complete characters, no control
 * characters.
 */
static void names_fit_into_columns(void **state)
{
	static const struct { const char *name, *shown; } names[] = {
		{ "", "          |" }, { "short", "short     |" }, { "ten chars.", "ten chars.|" },
		{ "eleven char", "...en char|" }, { "a\tb\177\377", "a?b?\357\277\275   |" },
		{ "\316\261\316\262\316\263\316\265\316\264\316\266\316\267",
		  "...\316\264\316\266\316\267 |" },
		{ "aa\342\202\254\342\202\254\342\202\254", "...\342\202\254\342\202\254 |" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct out *out = out_mem();
		const char *got;
		size_t n;

		stats_put_name(out, names[i].name, strlen(names[i].name), 10);
		out_write(out, "|", 1);
		got = out_mem_data(out, &n);
		assert_int_equal(n, strlen(names[i].shown));
		assert_memory_equal(got, names[i].shown, n);
		out_close(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shell_quoting),
		cmocka_unit_test(bytes_that_need_no_quotes),
		cmocka_unit_test(random_words_survive_quoting),
		cmocka_unit_test(invalid_quoting_refused),
		cmocka_unit_test(counts_are_exact),
		cmocka_unit_test(counts_are_sorted),
		cmocka_unit_test(counts_beyond_the_limit),
		cmocka_unit_test(report_numbers),
		cmocka_unit_test(killed_tasks_count_as_failures),
		cmocka_unit_test(programs_of_present_processes),
		cmocka_unit_test(present_threads_are_no_processes),
		cmocka_unit_test(reused_pid),
		cmocka_unit_test(thread_exec),
		cmocka_unit_test(names_of_unknown_tags),
		cmocka_unit_test(diagnostic_messages),
		cmocka_unit_test(output_streams),
		cmocka_unit_test(output_errors),
		cmocka_unit_test(output_texts),
		cmocka_unit_test(option_numbers),
		cmocka_unit_test(option_choices),
		cmocka_unit_test(utf8_detection),
		cmocka_unit_test(names_fit_into_columns),
	};

	return cmocka_run_group_tests_name("etrace: parts", tests, NULL, NULL);
}
