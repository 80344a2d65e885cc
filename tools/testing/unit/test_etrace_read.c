// SPDX-License-Identifier: GPL-2.0
/*
 * The program etrace-read: its options, exit statuses and output files; and its FXT files,
 * compared with what fxt_decode.py reads.
 */
#include <fcntl.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common_etrace.h"
#include "common_seed.h"
#include "base/xalloc.h"
#include "cli/oom.c"	/* part of the programs, not of the library */

static char dir[] = "/tmp/etrace-read-XXXXXX";

/* Run a shell command with $R (the program) and $D (fixtures), in @dir. */
static int sh(char *out, size_t size, const char *command)
{
	char line[8192];
	size_t n = 0;
	FILE *f;
	int status;

	snprintf(line, sizeof(line), "cd %s && R=%s/etrace-read D=%s && { %s ; }", dir,
		 getenv("ETRACE_BIN"), getenv("ETRACE_DATA"), command);
	f = popen(line, "r");
	assert_non_null(f);
	while (n < size - 1) {
		size_t got = fread(out + n, 1, size - 1 - n, f);

		if (!got)
			break;
		n += got;
	}
	out[n] = 0;
	status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char text[65536];

static void expect(int status, const char *command, const char *contains)
{
	int got = sh(text, sizeof(text), command);

	if (got != status)
		fail_msg("%s\nexits with %d, expected %d:\n%s", command, got, status, text);
	if (contains && !strstr(text, contains))
		fail_msg("%s\nexpected the message \"%s\", got:\n%s", command, contains, text);
}

static void write_file(const char *name, const char *content)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(content, f);
	fclose(f);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	write_file("good", "4194405,0,7,5!Close|fd=3\n4194405,0,7,9!Exit|status=0\n");
	write_file("damaged", "4194405,0,7,5!Close|fd=3\n\x01\x02\n4194405,0,7,9!Exit|status=0\n");
	write_file("cpu0", "8388710,0,7,6!Close|fd=4\n8388710,0,7,8!Close|fd=6\n");
	write_file("cpu1", "8388710,1,7,5!Close|fd=3\n8388710,1,7,7!Close|fd=5\n");
	write_file("empty", "");
	write_file("other", "this is\nno trace\n");
	return 0;
}

static int teardown(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static void exit_statuses(void **state)
{
	(void)state;
	expect(0, "$R --to etrace good 2>&1", "Close|fd=3\n");
	expect(1, "$R --to etrace damaged 2>&1 >/dev/null", "damaged: line 2: damaged line");
	expect(1, "$R --to etrace damaged 2>/dev/null", "Close|fd=3\n4194405,0,7,9!Exit|status=0\n");
	expect(2, "$R --to etrace nowhere 2>&1", "nowhere: No such file or directory");
	expect(2, "$R --to etrace . 2>&1", ".: Is a directory");
	expect(2, "$R --to nothing good 2>&1", "unknown output format \"nothing\"; known are: ");
	expect(2, "$R --from nothing good 2>&1", "unknown input format \"nothing\"; known are: ");
	expect(2, "$R --nothing good 2>&1", "etrace-read: unknown option '--nothing' (etrace-read --help shows how)");
	expect(2, "$R --to etrace other 2>&1", "other: not a trace in a known format");
	/* the beginning of a line is enough to detect the format */
	expect(1, "printf '1,0,1,2!x' > begun; $R --to etrace begun 2>/dev/null", "1,0,1,2!x\n");
	expect(2, "$R --to etrace empty 2>&1", "empty: is empty");
	expect(2, "$R --to swap good 2>&1", NULL);
	expect(2, "$R -o no/such/dir good 2>&1", "no/such/dir: No such file or directory");
	expect(2, "$R --to fxt good 2>&1 >/dev/full", "standard output: No space left on device");
	expect(2, "$R --bits-of-real-pid 33 good 2>&1 -o x", "--bits-of-real-pid 33: must be");
	expect(2, "$R --bits-of-real-pid -1 good 2>&1 -o x", "must be a number from 0 to 32");
	expect(2, "$R --to etrace --bits-of-real-pid 3 good 2>&1", "--bits-of-real-pid does not apply");
	expect(0, "$R -o unmade.etrace --bits-of-real-pid 3 good 2>/dev/null; test ! -e unmade.etrace", NULL);
	expect(0, "$R --help", "Exit status: 0 complete;");
	expect(0, "$R --version", "etrace-read ");
}

/* Every option is listed once, below the right heading. */
static void help(void **state)
{
	static const char *const options[] = {
		"leaks", "depth", "contexts", "resources", "include", "exclude",
		"call-address", "resolve", "sysroot", "compress", "sort", "bits-of-real-pid",
		"swap-cpus", "swap-energy-devices", "swap-api-map", "stats", "check",
		"json",
	};

	(void)state;
	expect(0, "$R -h > h1 && $R --help | cmp - h1", NULL);
	expect(0, "$R --help | awk 'length > 80 { print; bad = 1 } END { exit bad }'", NULL);
	expect(0, "$R --help | grep -o '^ *--[a-z-]*' | sort | uniq -d | wc -l", "0\n");
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		char command[100];

		snprintf(command, sizeof(command), "$R --help | grep -c '^ *--%s[ :]\\|^ *--%s$'",
			 options[i], options[i]);
		expect(0, command, "1\n");
	}
	expect(0, "$R --help | sed -n '/^Input/,/^$/p' | grep -c '^  fxt '", "1\n");
	expect(0, "$R --help | sed -n '/^Output/,/^$/p' | grep -c '^  json '", "1\n");
	expect(0, "$R --help | sed -n '/^Options of --to fxt, json, .* of sp-rtrace logs:$/,/^$/p'",
	       "--leaks");
	expect(0, "$R --help | sed -n '/^Options of --to sp-rtrace-text of sp-rtrace logs:$/,/^$/p'",
	       "--sort ORDER");
	expect(0, "$R --help | sed -n '/^Options of --from swap:$/,/^$/p'", "--swap-cpus N");
}

static void outputs(void **state)
{
	struct stat st;
	char path[200];

	(void)state;
	expect(0, "$R good > a.fxt && $R -o b.fxt good && cmp a.fxt b.fxt", NULL);
	snprintf(path, sizeof(path), "%s/b.fxt", dir);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	expect(0, "$R --to etrace b.fxt | cmp - good", NULL);
	expect(0, "$R --to etrace < good | cmp - good", NULL);
	expect(0, "$R --to etrace - < good | cmp - good", NULL);
	expect(0, "$R --to json good", "{\"event\":\"close\",\"time_ns\":7000000005,\"cpu\":0,\"upid\":4194405,\"pid\":101,\"fd\":3}\n");
	/* an output must not overwrite its input */
	expect(2, "cp good same && $R --to etrace -o same same 2>&1", "same: is an input, too");
	expect(0, "cmp good same", NULL);
	/* nor may a bad option cost an existing output */
	expect(2, "cp good kept && $R --bits-of-real-pid x -o kept good 2>/dev/null", NULL);
	/* a summary alone, or in addition to the conversion */
	expect(0, "$R --stats good", "2 events in 0.000000004 s: 1 exit, 1 close");
	expect(0, "$R --stats good", "The trace is complete");
	expect(1, "$R --stats damaged 2>/dev/null", "The trace is NOT complete");
	expect(0, "$R --stats -o c.fxt good && cmp c.fxt b.fxt", NULL);
	expect(0, "$R --stats -o c.fxt good", "2 events");
	expect(0, "$R --stats --to etrace good 2>/dev/null | cmp - good", NULL);
	expect(0, "$R --stats --to etrace good 2>&1 >/dev/null", "2 events");
	/* the name selects the format, unless --to does, and the compression */
	expect(0, "$R -o n.json good && $R --to json good | cmp - n.json", NULL);
	expect(0, "$R -o n.etrace.gz good && gzip -dc n.etrace.gz | cmp - good", NULL);
	expect(0, "$R -o n.fxt.zst good && zstd -qdc n.fxt.zst | cmp - b.fxt", NULL);
	expect(0, "$R --to etrace -o n2.json good && cmp n2.json good", NULL);
	expect(0, "mkdir d.json && $R -o d.json/n good && cmp d.json/n b.fxt", NULL);
	expect(0, "$R --stats -o n3.etrace good && cmp n3.etrace good", NULL);
	/* compressed inputs */
	expect(0, "gzip -k good && $R --to etrace good.gz | cmp - good", NULL);
	expect(1, "head -c 30 good.gz > cut.gz && $R --from etrace --to etrace cut.gz 2>&1", NULL);
}

/* The signal that ended a process is part of its event, and counts as a failure. */
static void killed_by_signals(void **state)
{
	(void)state;
	write_file("killed", "4194305,0,1,0!Exit|status=0\n4194305,0,1,1!ExitSignal|signal=11,core=1\n");
	expect(0, "$R --to json killed", "\"status\":0,\"signal\":\"SIGSEGV\",\"core\":1}");
	expect(0, "$R -o k.fxt killed && $R --to etrace k.fxt | cmp - killed", NULL);
	expect(0, "$R --stats k.fxt", "Ended by a signal: 1 process\n           1  ?: SIGSEGV\n");
	expect(0, "${R%-read} report k.fxt", "Failed, or ended by a signal:\n         1  ?: SIGSEGV\n");
	expect(0, "${R%-read} report --json k.fxt", "\"failures\":[{\"program\":\"?\",\"times\":1}],"
	       "\"killed_processes\":1,\"killed\":[{\"program\":\"?\",\"signal\":11,"
	       "\"signal_name\":\"SIGSEGV\",\"times\":1}]");
}

/* A message names the file and the reason, and is true. */
static void error_messages_name_file_and_reason(void **state)
{
	(void)state;
	expect(0, "for i in 1 2 3 4 5 6 7 8; do cat $D/etrace/first.trace; done > long", NULL);
	expect(2, "$R -o /dev/full --to fxt long 2>&1", "/dev/full: No space left on device");
	if (strstr(text, "missing"))
		fail_msg("bytes that could not be written are missing in the output:\n%s", text);
	expect(0, "gzip -c long > long.gz && zstd -qc long > long.zst", NULL);
	expect(1, "head -c 9000 long.gz > short && $R --to etrace short 2>&1 >/dev/null",
	       "cannot be read further: its gzip data end too early: it was cut off\n");
	assert_non_null(strstr(text, "etrace-read: short: line "));
	assert_non_null(strstr(text, " 1 input that could not be read to the end"));
	expect(1, "head -c -5 long.zst > short && $R --to etrace short 2>&1 >/dev/null",
	       "cannot be read further: its zstd data end too early: it was cut off\n");
	expect(1, "{ cat long.gz; echo rubbish; } > bad && $R --to etrace bad 2>&1 >/dev/null",
	       "cannot be read further: its gzip data are damaged\n");
	expect(2, "head -c 12 long.gz > none && $R none 2>&1 >/dev/null",
	       "etrace-read: none: its gzip data end too early: it was cut off\n");
	/* a name from which FXT is not expected */
	expect(0, "$R -o a.txt good 2>&1", "etrace-read: a.txt: is written as FXT, because its name ends in none of .fxt, .etrace, .json, .sp-rtrace-text; --to FORMAT chooses another format\n");
	expect(0, "$R --to fxt -o a.txt good 2>&1 && $R -o a.fxt good 2>&1", "");
	assert_string_equal(text, "");
	expect(0, "printf '4194405,0,7,5!Close|fd=3\n4194405,0,7,330005!Exit|status=0\n' > micro && $R --stats micro",
	       "2 events in 0.000330 s");
}

/* Help that cannot be printed is an error. */
static void help_that_cannot_be_printed(void **state)
{
	static const char *const asked[] = {
		"$R --help", "$R --version", "${R%-read} --help", "${R%-read} --version",
		"${R%-read} report --help", "${R%-read} run --help",
	};
	char command[100];

	(void)state;
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		snprintf(command, sizeof(command), "%s 2>&1 >/dev/full", asked[i]);
		expect(2, command, ": standard output: No space left on device\n");
		snprintf(command, sizeof(command), "%s 2>&1 >/dev/null", asked[i]);
		expect(0, command, NULL);
		assert_string_equal(text, "");
	}
}

/* A trace is found behind any number of lines of other tracers. */
static void lines_of_other_tracers_skipped(void **state)
{
	(void)state;
	expect(0, "{ yes '          <idle>-0       [001] d..2.  1234.567890: sched_switch: prev_comm=swapper/1 prev_pid=0' | head -n 30000;"
	       " yes ' 1)   0.500 us    |  kfree();' | head -n 20000; cat good; } > far && $R --to etrace far 2>/dev/null | cmp - good",
	       NULL);
	expect(0, "{ yes ' 90)   0.500 us    |  kfree();' | head -n 40000; cat good; } > graph && $R --to etrace graph 2>/dev/null | cmp - good",
	       NULL);
	/* if there is nothing else, that is reported */
	expect(1, "head -n 40000 far | $R --to etrace - 2>&1",
	       "standard input: has lines of other tracers, and none of etrace's\n");
	expect(1, "head -n 40000 far > no; $R no 2>&1 >/dev/null",
	       "etrace-read: no: has lines of other tracers, and none of etrace's\n");
	/* one CPU's file may have nothing else */
	expect(0, "head -n 40000 far > no; $R --to etrace no good 2>/dev/null | cmp - good", NULL);
	expect(2, "{ head -n 3 far; yes 'some text [123] at: 1: 2' | head -n 5; } > text; $R text 2>&1",
	       "text: not a trace in a known format");
}

static void out_of_memory(void **state)
{
	int fds[2], status;
	size_t cap = 0;
	ssize_t n;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fds[1], STDERR_FILENO);
		oom_exits();
		oom_doing("big.trace");
		xgrow(NULL, &cap, SIZE_MAX / 4, 8);
		_exit(0);
	}
	close(fds[1]);
	n = read(fds[0], text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = 0;
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!strstr(text, ": big.trace: out of memory: "))
		fail_msg("messages: %s", text);
}

/* What is done through an io_uring is not in the trace, so the trace may be incomplete. */
static void io_uring_makes_trace_incomplete(void **state)
{
	(void)state;
	write_file("uring", "4194305,0,1,0!IoUring|fd=5\n4194305,0,1,1!Exit|status=0\n");
	expect(0, "$R --to json uring", "{\"event\":\"io_uring\",\"time_ns\":1000000000,\"cpu\":0,"
	       "\"upid\":4194305,\"pid\":1,\"fd\":5}");
	expect(0, "$R -o u.fxt uring && $R --to etrace u.fxt | cmp - uring && $R --check u.fxt", NULL);
	expect(1, "${R%-read} report u.fxt", "The trace is NOT complete:\n"
	       "  1 io_uring set up: not everything done through these is recorded\n");
	expect(1, "${R%-read} report u.fxt",
	       "Set up an io_uring, through which they may have done more:\n         1  ?\n");
	expect(1, "$R --stats u.fxt", "Programs that set up an io_uring, through which they "
	       "may have done more:\n           1  ?\n");
	expect(1, "${R%-read} report --json u.fxt", "\"io_uring\":[{\"program\":\"?\",\"times\":1}]");
}

/* etrace report: answers from events of etrace, and summaries of all other formats. */
static void report_of_all_formats(void **state)
{
	(void)state;
	expect(0, "$R --stats good", "2 events in 0.000000004 s: 1 exit, 1 close");
	/* except for the commands at the end, which name the trace */
	expect(0, "${R%-read} report good | grep -v '^  etrace' > s; "
		  "${R%-read} report - < good | grep -v '^  etrace' | cmp - s && cat s",
	       "The trace is complete: nothing was lost or damaged.\n");
	expect(1, "${R%-read} report damaged 2>&1", "etrace report: damaged: line 2: damaged line");
	expect(1, "${R%-read} report damaged 2>/dev/null", "The trace is NOT complete:\n  1 damaged lines, passed over\n");
	expect(0, "$R -o r.fxt good && ${R%-read} report r.fxt | grep -v '^  etrace' | cmp - s", NULL);
	expect(0, "${R%-read} report --json r.fxt", "{\"complete\":true,\"recording\":null,");
	expect(0, "$R --stats --json r.fxt > s && ${R%-read} report --json - < r.fxt | sed 's/,\"explain\":.*/}/' | cmp - s", NULL);
	expect(0, "${R%-read} report $D/sp-rtrace/64/leaky.rtrace", "Calls: 26\n");
	expect(0, "${R%-read} report --json $D/sp-rtrace/64/leaky.plain.txt", "{\"calls\":26,");
	expect(0, "${R%-read} report $D/swap/swap42-session.bin", "Messages: 583\n");
	expect(1, "${R%-read} report $D/swap/swap-cut.bin 2>/dev/null", "The trace is NOT complete:\n");
	/* an FXT file of another program gets a summary, but cannot be converted to more */
	expect(0, "$R -o w.fxt $D/swap/swap42-session.bin && ${R%-read} report w.fxt", "Records: ");
	expect(0, "$R -o w.fxt $D/sp-rtrace/64/leaky.rtrace && $R --stats w.fxt", "Records: ");
	expect(2, "$R --to etrace w.fxt 2>&1", "was not written by etrace");
	expect(2, "$R --to etrace --stats w.fxt 2>/dev/null | wc -c; ${R%-read} report other 2>&1",
	       "0\netrace report: other: not a trace in a known format");
	expect(2, "${R%-read} report --from nothing good 2>&1", "unknown input format");
	expect(2, "${R%-read} report nowhere 2>&1", "nowhere: No such file or directory");
	expect(2, "${R%-read} report --bits-of-real-pid 3 w.fxt 2>&1",
	       "--bits-of-real-pid does not apply when converting fxt to stats");
	expect(2, "$R --json good 2>&1 -o x", "--json does not apply when converting etrace to fxt");
	expect(0, "${R%-read} -h && ${R%-read} run -h && ${R%-read} attach -h && ${R%-read} doctor -h && ${R%-read} report -h",
	       "Usage: etrace report");
}

static void several_input_files(void **state)
{
	(void)state;
	expect(0, "$R --to etrace cpu0 cpu1",
	       "8388710,1,7,5!Close|fd=3\n8388710,0,7,6!Close|fd=4\n"
	       "8388710,1,7,7!Close|fd=5\n8388710,0,7,8!Close|fd=6\n");
	/* a CPU without events has an empty file */
	expect(0, "$R --to etrace cpu0 empty cpu1 | wc -l", "4\n");
	expect(2, "$R --to etrace cpu0 other 2>&1", "other: not a trace");
	expect(0, "$R --stats cpu0 cpu1", "4 events in ");
	expect(2, "${R%-read} report cpu0 nowhere cpu1 2>&1", "nowhere: No such file");
	/* each output checks its options */
	expect(2, "$R --to etrace --stats --bits-of-real-pid 33 good 2>&1", "--bits-of-real-pid 33: must be");
	expect(2, "$R --to fxt --stats --bits-of-real-pid 33 good 2>&1", "--bits-of-real-pid 33: must be");
	expect(2, "$R -o d.fxt cpu0 && $R --to etrace cpu0 d.fxt 2>&1", "several files must be of one trace");
	expect(2, "$R --to etrace d.fxt d.fxt 2>&1", "give one at a time");
}

/* FXT is not written to a terminal, and the message says what to do. */
static void no_fxt_to_a_terminal(void **state)
{
	int master, status;
	ssize_t n = 0, got;
	pid_t pid;
	char program[4096], input[200];

	(void)state;
	snprintf(program, sizeof(program), "%s/etrace-read", getenv("ETRACE_BIN"));
	snprintf(input, sizeof(input), "%s/good", dir);
	pid = forkpty(&master, NULL, NULL, NULL);
	assert_true(pid >= 0);
	if (!pid) {
		execl(program, program, input, NULL);
		_exit(127);
	}
	while ((got = read(master, text + n, sizeof(text) - 1 - (size_t)n)) > 0)
		n += got;
	text[n] = 0;
	close(master);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 2);
	assert_non_null(strstr(text, "give -o FILE"));
}

/* A task of which nothing is known before its execve has only that program's slice. */
static void task_begins_with_execve(void **state)
{
	(void)state;
	write_file("root", "4194405,0,7,1!New_proc|argsize=2,prognameisize=2,prognamepsize=2,cwdsize=1\n"
		   "4194405,0,7,2!PI|/a\n4194405,0,7,3!PP|/a\n4194405,0,7,4!CW|/\n4194405,0,7,5!A[0]a\n"
		   "4194405,0,7,6!End_of_args|\n4194405,0,7,9!Exit|status=0\n");
	expect(0, "$R -o root.fxt root && $R --to etrace root.fxt | cmp - root && $R --check root.fxt", NULL);
	expect(0, "$R --from fxt-records --to json root.fxt > root.json; grep -c 'duration begin' root.json", "1\n");
	expect(1, "grep -c '\"?' root.json", "0\n");
	expect(0, "grep -c '\"event\":\"counter\"' root.json", "2\n");
	expect(0, "$R --stats root.fxt", "1 process and 0 more threads");
}

/* An FXT file of another program, or without its end. */
static void foreign_or_truncated_fxt(void **state)
{
	(void)state;
	expect(0, "$R -o e.fxt good", NULL);
	expect(1, "head -c -24 e.fxt > cut.fxt; $R --to etrace cut.fxt 2>&1", "it was cut off\n");
	/* the file is still open for writing, so it was not cut off */
	expect(1, "exec 9>> cut.fxt; $R --to etrace cut.fxt 2>&1",
	       "the recording has not ended: the file is still being written");
	expect(2, "zstd -qc e.fxt | head -c -9 > cut.zst; exec 9>> cut.zst; $R --to etrace cut.zst 2>&1",
	       "its zstd data have no end yet: it is still being written\n");
	expect(1, "$R --to etrace - < cut.fxt 2>&1", "it was cut off\n");
	expect(1, "cat cut.fxt | $R --to etrace - 2>&1", "it was cut off\n");
	expect(2, "sed s/etrace/ETRACE/ e.fxt > their.fxt; $R --to etrace their.fxt 2>&1",
	       "was not written by etrace");
	expect(0, "$R --check e.fxt", "follows the rules");
	/* without magic number, etrace's files are still detected, others only with --from */
	expect(1, "tail -c +9 e.fxt > headless; $R --to etrace headless 2>/dev/null | cmp - good && "
	       "$R --to json headless 2>&1", "headless: offset 0: no magic number of FXT");
	expect(2, "tail -c +9 their.fxt > theirs; $R --to json theirs 2>&1", "give --from FORMAT");
	expect(1, "$R --from fxt --to json theirs 2>/dev/null", "{\"record\":\"metadata\",\"offset\":0,");
	expect(1, "$R --from fxt --check theirs 2>/dev/null", "theirs: offset 0: magic: ");
	expect(2, "$R --from fxt --check other 2>&1", "other: nothing in it can be read as FXT");
	/* a single word shows its byte order */
	expect(1, "printf '\\0\\0\\0\\0\\0\\1\\0\\022' > word; $R --from fxt-records --to json word 2>/dev/null",
	       "{\"record\":\"string\",\"offset\":0,\"words\":1,\"provider\":0,\"index\":1,\"value\":\"\"}\n");
}

static void second_decoder_agrees(void **state)
{
	(void)state;
	if (sh(text, sizeof(text), "command -v python3"))
		skip();
	expect(0, "for f in $D/etrace/*.trace; do $R -o f.fxt $f 2>/dev/null; $R --check f.fxt && "
		  "python3 $D/../fxt_decode.py $f f.fxt || exit 1; done", " 0 differences");
	expect(0, "for f in $D/../../fuzz/seeds/fxt/*.fxt f.fxt; do $R --from fxt-records --to json $f > f.json; "
		  "python3 $D/../fxt_decode.py --records $f f.json || exit 1; done", " 0 differences");
	write_file("odd",
		   "4194405,0,7,5!Open|fnamesize=3,forigsize=4,flags=0,mode=0,fd=3\n"
		   "4194405,0,7,5!FN|/\xff\xfe\n4194405,0,7,5!FO|/\n4194405,0,7,5!Cont|\xc3\xa9\n"
		   "4194405,0,7,5!Cont_end|\n"
		   "4194405,0,7,6!SysClone|flags=17\n4194405,0,7,6!SchedFork|pid=8388710\n"
		   "8388710,0,7,7!New_proc|argsize=21,prognameisize=2,prognamepsize=2,cwdsize=1\n"
		   "8388710,0,7,7!PI|/a\n8388710,0,7,7!PP|/b\n8388710,0,7,7!CW|/\n"
		   "8388710,0,7,7!A[0]it's\n8388710,0,7,7!A[1]\n8388710,0,7,7!A[2]\xff \n"
		   "8388710,0,7,7!A[3]a b\n8388710,0,7,7!A[4]\n8388710,0,7,7!Cont|\t$'\\n'\n"
		   "8388710,0,7,7!Cont_end|\n8388710,0,7,7!End_of_args|\n"
		   "8388710,0,7,8!Exit|status=256\n4194405,0,7,9!Exit|status=0\n");
	expect(0, "$R -o odd.fxt odd && $R --check odd.fxt && python3 $D/../fxt_decode.py odd odd.fxt",
	       "5 calls, 0 differences");
}

/* Events of every kind that has lines. */
static void write_random(const char *name)
{
	struct gen g = { .r = { seed(1) }, .style = STYLE_PLAIN, .tasks = 4, .cpus = 4,
			 .max_string = 300, .newlines = true };
	struct events made = { 0 };
	struct bytes lines = { 0 };

	gen_trace(&g, 500, &made, &lines, true);
	write_file(name, lines.data);
	bytes_free(&lines);
	events_free(&made);
}

/* The JSON has exactly the events and members that Documentation/ describes. */
static void json_matches_documentation(void **state)
{
	static const char where[] =
		"0,0,7,30!Session|backendsize=3,commandsize=1,verdictsize=8,hostsize=4,kernelsize=3,"
		"complete=1,records=9,arrived=9,lost=0,realtime=1700000000000000000\n"
		"0,0,7,30!VB|bpf\n0,0,7,30!VC|a\n0,0,7,30!VT|complete\n"
		"0,0,7,30!VH|b\xffx!\n0,0,7,30!VK|6.1\n";

	static const char held[] =
		"0,0,7,40!Content|pathsize=2,sha256size=64,gitoidsize=64,dev=1,ino=2,size=3,mtime=4\n"
		"0,0,7,41!HF|/a\n"
		"0,0,7,42!HS|0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n"
		"0,0,7,43!HG|fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210\n"
		"0,0,7,50!Content|pathsize=2,whysize=4\n0,0,7,51!HF|/b\n0,0,7,52!HW|gone\n";

	(void)state;
	write_file("kinds", every_kind_lines);
	write_file("where", where);
	write_file("held", held);
	expect(0, "$R --to json -o held.json held && tail -n 1 held.json",
	       "\"event\":\"content\",\"time_ns\":7000000050,\"cpu\":0,\"upid\":0,\"pid\":0,"
	       "\"path\":\"/b\",\"why_not\":\"gone\"}\n");
	expect(0, "$R -o held.fxt held && $R --to etrace held.fxt | cmp - held", NULL);
	expect(0, "$R --to json -o where.json where && cat where.json",
	       ",\"realtime\":1700000000000000000,\"backend\":\"bpf\",\"command\":\"a\",\"verdict\":"
	       "\"complete\",\"host\":\"b\357\277\275x!\",\"host_hex\":\"62ff7821\",\"kernel\":\"6.1\"}\n");
	write_random("random");
	expect(0, "$R --to json -o random.json random", NULL);
	expect(1, "$R --to json -o kinds.json kinds 2>/dev/null", NULL);
	expect(0, "for f in $D/etrace/*.trace $D/rec/trace; do $R --to json $f; done 2>/dev/null "
	       "> real.json; python3 $D/../json_schema.py "
	       "$D/../../../../Documentation/event.schema.json kinds.json where.json held.json random.json real.json", " lines are valid");
	expect(0, "grep -c '\"argv\":\\[\\]' kinds.json", "1\n");
	expect(0, "cat kinds.json", "\"argv\":[\"b\",\"\",\"\357\277\275\357\277\275\",\"\"],"
	       "\"argv_hex\":[\"62\",\"\",\"fffe\",\"\"],\"later_records\":[{\"time_ns\":7000000010,\"cpu\":1}]}\n");
	expect(0, "cat kinds.json", "\"unknown_fields\":[\"new=1\",\"b=\357\277\275\"],"
	       "\"unknown_fields_hex\":[\"6e65773d31\",\"623dff\"],\"other\":[\"Marks|cut=FN\",\"More|\357\277\275\"],"
	       "\"other_hex\":[");
	/* etrace's own FXT gives its events, or its records if asked for */
	expect(1, "$R -o kinds.fxt kinds 2>/dev/null", NULL);
	expect(0, "$R --to json kinds.fxt 2>/dev/null | cmp - kinds.json", NULL);
	expect(0, "$R --from fxt --to json kinds.fxt 2>/dev/null | cmp - kinds.json", NULL);
	expect(0, "$R --from fxt-records --to json kinds.fxt", "{\"record\":\"metadata\",\"offset\":0,");
	expect(2, "$R --from fxt-records --to etrace kinds.fxt 2>&1", "cannot convert fxt-records to etrace");
	expect(0, "$R --from fxt-records --to json kinds.fxt | grep -c '\"argv\",\"name_ref\":[0-9]*,\"type\":\"string\",\"value\":\"\"'", "1\n");
	expect(0, "$R -o sp.fxt $D/sp-rtrace/64/leaky.rtrace && $R --to json sp.fxt", "{\"record\":\"metadata\",\"offset\":0,");
}

/* A generated trace like that of a long build: the result is the same however it is read. */
static void generated_trace_same_however_read(void **state)
{
	(void)state;
	if (sh(text, sizeof(text), "command -v python3"))
		skip();
	expect(0, "python3 $D/../../bench/mktrace.py --events 20000 > long && "
		  "$R --to etrace long > long.lines && $R -o long.fxt long && "
		  "$R --to etrace long.fxt | cmp - long.lines", NULL);
	expect(0, "$R --check long.fxt", NULL);
	expect(0, "python3 $D/../fxt_decode.py long long.fxt", " 0 differences");
	/* a real build, in which programs wait for others */
	expect(0, "$R --to etrace $D/etrace/hello.etrace > hello && $R -o hello.fxt hello && "
		  "python3 $D/../fxt_decode.py hello hello.fxt", " 0 differences");
	/* split into the CPUs' files, each record with its own lines */
	expect(0, "awk '{ if (/^ /) f = $2; print > (\"per\" substr(f, 2, 3)) }' long && "
		  "$R --to etrace per0* | cmp - long.lines", NULL);
}

/* Views pass --check, too, are smaller, and are not accepted as a trace. */
static void views_are_valid_fxt(void **state)
{
	static const char *const options[] = { "--view", "--no-calls", "--calls=open,fd", "--view --calls=clone" };
	char command[400];

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		snprintf(command, sizeof(command),
			 "$R --to fxt $D/etrace/hello.etrace > all.fxt && "
			 "$R --to fxt %s $D/etrace/hello.etrace > part.fxt && $R --check part.fxt && "
			 "[ $(stat -c %%s part.fxt) -lt $(stat -c %%s all.fxt) ]", options[i]);
		expect(0, command, NULL);
		expect(2, "$R --to etrace part.fxt 2>&1", "part.fxt: is a view");
		expect(0, "$R --from fxt-records --to json part.fxt | grep -c '\"name\":\"lane 1\"'", NULL);
	}
	/* chosen by the output's name; of opened files only written ones are there */
	expect(0, "$R -o a.view.fxt.gz $D/etrace/hello.etrace && $R --from fxt-records --to json a.view.fxt.gz > a.json && "
		  "grep '\"name\":\"open\"' a.json | grep -q 'hello[.]o' && "
		  "! grep '\"name\":\"open\"' a.json | grep -q 'hello[.]h' && ! grep '\"name\":\"close\"' a.json", NULL);
	expect(0, "$R --to fxt --no-calls $D/etrace/hello.etrace > n.fxt && $R --from fxt-records --to json n.fxt > n.json && "
		  "! grep -E '\"name\":\"(open|close|clone|dup)\"' n.json && grep -q 'cc1 hello.c' n.json", NULL);
	expect(2, "$R --to fxt --calls=opn $D/etrace/hello.etrace 2>&1", "\"opn\" is no kind of event");
	expect(2, "$R --to fxt --calls= $D/etrace/hello.etrace 2>&1", "is no kind of event");
	expect(2, "$R --to fxt --calls=open --no-calls $D/etrace/hello.etrace 2>&1", "give one of them");
	expect(2, "$R --to json --view $D/etrace/hello.etrace 2>&1", "--view does not apply");
}

/*
 * Threads read ahead if there are CPUs for them: output and messages are the same, for complete,
 * cut and damaged files, and for pipes.
 */
static void same_output_with_any_number_of_cpus(void **state)
{
	static const char * const inputs[] = {
		/* tried in every run */
		"m0 m1", "m0.gz m1.zst", "cut0.gz cut1.zst", "bad0.gz m1",
		"<(cat m1.zst) <(cat cut0.gz)",
		/* and some of these, see common_seed.h */
		"m1 m0", "m0 m1.zst", "m1.gz", "cut0.gz m1", "cut1.zst m0", "cut0 m1", "m0.gz none",
		"m0 m1 m0.gz m1.zst", "<(cat m0) <(cat m1)",
	};
	char command[1024];

	(void)state;
	/* each CPU's lines, repeated until there is more than the threads read ahead */
	expect(0, "grep -a '!' $D/rec/trace > one && awk -F, '"
		  "{ print > (\"part\" $2) }' one && "
		  "for i in 0 1; do for n in $(seq 30); do cat part$i; done > m$i; "
		  "gzip -k m$i; zstd -q m$i; head -c 500000 m$i > cut$i; done && "
		  "head -c 20000 m0.gz > cut0.gz && head -c 20000 m1.zst > cut1.zst && "
		  "{ head -c 20000 m0.gz; head -c 99 /dev/zero; tail -c +20100 m0.gz; } > bad0.gz && "
		  ": > none && [ $(stat -c %s m0) -gt 2000000 ]", NULL);
	for (size_t i = 0; i < sizeof(inputs) / sizeof(*inputs); i++) {
		if (i >= 5 && !is_tried(i))
			continue;
		snprintf(command, sizeof(command),
			 "cat > both <<'END'\n"
			 "first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')\n"
			 "taskset -c $first $R --to etrace %s > one.out 2> one.err; one=$?\n"
			 "$R --to etrace %s > all.out 2> all.err; all=$?\n"
			 "sed -i 's|/dev/fd/[0-9]*|PIPE|' one.err all.err\n"
			 "cmp one.out all.out && cmp one.err all.err && [ $one = $all ] &&\n"
			 "[ -s one.out ]\n"
			 "END\n"
			 "R=$R bash both 2>&1", inputs[i], inputs[i]);
		expect(0, command, NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_statuses),
		cmocka_unit_test(help),
		cmocka_unit_test(outputs),
		cmocka_unit_test(killed_by_signals),
		cmocka_unit_test(error_messages_name_file_and_reason),
		cmocka_unit_test(help_that_cannot_be_printed),
		cmocka_unit_test(lines_of_other_tracers_skipped),
		cmocka_unit_test(out_of_memory),
		cmocka_unit_test(io_uring_makes_trace_incomplete),
		cmocka_unit_test(report_of_all_formats),
		cmocka_unit_test(several_input_files),
		cmocka_unit_test(no_fxt_to_a_terminal),
		cmocka_unit_test(task_begins_with_execve),
		cmocka_unit_test(foreign_or_truncated_fxt),
		cmocka_unit_test(second_decoder_agrees),
		cmocka_unit_test(json_matches_documentation),
		cmocka_unit_test(generated_trace_same_however_read),
		cmocka_unit_test(views_are_valid_fxt),
		cmocka_unit_test(same_output_with_any_number_of_cpus),
	};

	return cmocka_run_group_tests_name("etrace-read", tests, setup, teardown);
}
