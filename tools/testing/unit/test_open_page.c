// SPDX-License-Identifier: GPL-2.0
/* run --open: which file is the page, which user opens it, and when only its path is printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/etrace.h"
#include "cli/open_page.h"
#include "cli/record.h"
#include "cli/record_state.h"
#include "cli/session.h"

/* ---- stubs for record_options.c ---- */

static char messages[400];

void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(messages, sizeof(messages), fmt, ap);
	va_end(ap);
}

/* Like the table in record_made.c, without the code that makes pages. */
bool record_made_is_page(const struct record_options *o, const char *path)
{
	const char *dot = strrchr(path, '.');

	return !strcmp(o->to ? o->to : dot && dot > path ? dot + 1 : "", "html");
}

/* ---- which file ---- */

/* @outputs: words separated by blanks. */
static void page(const char *outputs, const char *to, const char *want, size_t nfiles)
{
	struct record_options o = { 0 };
	char *words = strdup(outputs), *save = NULL;
	struct opts opts;

	opts_init(&opts);
	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
		opts_add(&opts, "output", w);
	opts_add(&opts, "open", NULL);
	if (to)
		opts_add(&opts, "to", to);
	messages[0] = 0;
	assert_int_equal(record_options_take(&o, &opts), !!want);
	assert_int_equal(!*messages, !!want);
	if (want) {
		assert_string_equal(o.page, want);
		assert_int_equal(o.nfiles, nfiles);
		for (size_t i = 0; i < nfiles; i++)
			nfiles = o.files[i] == o.page ? 0 : nfiles;
		assert_int_equal(nfiles, 0);
	}
	record_options_free(&o);
	opts_free(&opts);
	free(words);
}

static void test_name_of_page(void **state)
{
	struct record_options o = { 0 };
	struct opts none;

	(void)state;
	page("", NULL, "etrace.html", 2);
	page("build.fxt", NULL, "build.html", 2);
	page("out.d/build.fxt.zst x.json", NULL, "out.d/build.html", 3);
	page("out.d/build", "html", "out.d/build", 1);
	page("../.build.fxt", NULL, "../.build.html", 2);
	page("a.fxt b.html c.html", NULL, "b.html", 3);
	page("a.html", NULL, "a.html", 1);
	/* a leading dot starts no suffix */
	page(".html", NULL, ".html.html", 2);
	page("a.fxt", "json", NULL, 0);
	/* without --open no page is added */
	opts_init(&none);
	assert_true(record_options_take(&o, &none));
	assert_int_equal(o.nfiles, 0);
	assert_null(o.page);
}

/* ---- who opens it ---- */

static char dir[] = "/tmp/etrace-page.XXXXXX";
static struct user *user;	/* NULL if not root */
static int niceness;

/* A descriptor that etrace inherited. */
#define FD 77

/* A fake opener: it records how it was run in "seen", then runs @then. */
static void opener(const char *then)
{
	FILE *f = fopen("bin/xdg-open", "w");

	assert_non_null(f);
	fprintf(f, "#!/bin/sh\nPATH=/usr/bin:/bin\n"
		"{ echo \"args=$*\"; echo \"uid=$(id -u)\"; echo \"nice=$(nice)\"\n"
		"  sed -n 's/^SigBlk:\\t/blocked=/p' /proc/self/status\n"
		"  [ -e /proc/$$/fd/%d ] && echo inherited; echo \"in=$(readlink /proc/$$/fd/0)\"\n"
		"  echo \"session=$(($(cut -d' ' -f6 /proc/$$/stat) == $$))\"; echo \"pid=$$\"\n"
		"} > %s/seen/new; mv %s/seen/new %s/seen/all\n%s\n", FD, dir, dir, dir, then);
	fclose(f);
	chmod("bin/xdg-open", 0755);
	unlink("seen/all");
}

/* A fake opener that fails without starting programs. */
static void failing_opener(void)
{
	FILE *f = fopen("bin/xdg-open", "w");

	assert_non_null(f);
	fprintf(f, "#!/bin/sh\necho ran > %s/seen/all\nexit 3\n", dir);
	fclose(f);
	chmod("bin/xdg-open", 0755);
	unlink("seen/all");
}

/* What the fake opener recorded; "" if it was not run. */
static const char *seen(void)
{
	static char text[1000];
	FILE *f = fopen("seen/all", "r");

	text[f ? fread(text, 1, sizeof(text) - 1, f) : 0] = 0;
	if (f)
		fclose(f);
	return text;
}

static void has(const char *line)
{
	if (!strstr(seen(), line))
		fail_msg("no '%s' in:\n%s", line, seen());
}

/* Return: the output on standard error. */
static const char *shows(const char *path, const struct user *u)
{
	static char text[1000];
	FILE *f = tmpfile();
	int err = dup(STDERR_FILENO);
	struct inherited kept;
	sigset_t before, block;

	fflush(stderr);
	dup2(fileno(f), STDERR_FILENO);
	sigfillset(&block);
	inherit_own(&kept);
	/* as the recorder does, if permitted */
	setpriority(PRIO_PROCESS, 0, -10);
	sigprocmask(SIG_BLOCK, &block, &before);
	open_page(path, u, &before, &kept);
	sigprocmask(SIG_SETMASK, &before, NULL);
	inherit_restore(&kept);
	fflush(stderr);
	dup2(err, STDERR_FILENO);
	close(err);
	rewind(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	return text;
}

static int begin(void **state)
{
	char path[200];

	(void)state;
	if (!mkdtemp(dir) || chdir(dir) || mkdir("bin", 0755) || mkdir("seen", 0777) ||
	    chmod(".", 0755) || chmod("seen", 0777))
		return -1;
	snprintf(path, sizeof(path), "bin:%s/bin", dir);
	setenv("PATH", path, 1);
	setenv("DISPLAY", ":7", 1);
	unsetenv("WAYLAND_DISPLAY");
	dup2(STDERR_FILENO, FD);
	niceness = getpriority(PRIO_PROCESS, 0);
	user = geteuid() ? NULL : user_by_name("65534");
	return 0;
}

static int end(void **state)
{
	char command[100];

	(void)state;
	user_free(user);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	setenv("PATH", "/usr/bin:/bin", 1);
	return chdir("/") || system(command);
}

static void test_browser_is_started(void **state)
{
	char line[200];

	(void)state;
	opener("");
	assert_string_equal(shows("-a b%20.html", user), "");
	snprintf(line, sizeof(line), "args=%s/-a b%%20.html\n", dir);
	has(line);
	snprintf(line, sizeof(line), "uid=%u\n", user ? user->uid : getuid());
	has(line);
	has("blocked=0000000000000000\n");
	has("in=/dev/null\n");
	has("session=1\n");
	snprintf(line, sizeof(line), "nice=%d\n", niceness);
	has(line);
	assert_null(strstr(seen(), "inherited"));
	/* Wayland only; an absolute path stays unchanged */
	unsetenv("DISPLAY");
	setenv("WAYLAND_DISPLAY", "wayland-0", 1);
	opener("");
	assert_string_equal(shows("/x/y.html", user), "");
	has("args=/x/y.html\n");
	unsetenv("WAYLAND_DISPLAY");
	setenv("DISPLAY", ":7", 1);
}

/*
 * A browser in the foreground keeps running. open_page() does not wait for its end, only one
 * second to see whether it fails.
 */
static void test_browser_stays_in_foreground(void **state)
{
	const char *pid;

	(void)state;
	opener("exec sleep 600");
	assert_string_equal(shows("a.html", user), "");
	pid = strstr(seen(), "pid=");
	assert_non_null(pid);
	assert_int_equal(kill(atoi(pid + 4), SIGTERM), 0);
}

static void test_path_printed_if_not_opened(void **state)
{
	char line[200], path[200];

	(void)state;
	snprintf(line, sizeof(line), "page: %s/a.html\n", dir);
	/* The opener fails. It starts no programs: one second is enough even on a busy machine. */
	failing_opener();
	assert_string_equal(shows("a.html", user), line);
	has("ran");
	/* no session */
	opener("");
	unsetenv("DISPLAY");
	assert_string_equal(shows("a.html", user), line);
	setenv("DISPLAY", "", 1);
	assert_string_equal(shows("a.html", user), line);
	setenv("DISPLAY", ":7", 1);
	/* never as root */
	if (user) {
		assert_string_equal(shows("a.html", NULL), line);
		assert_string_equal(seen(), "");
	}
	/* not from a relative PATH entry */
	snprintf(path, sizeof(path), "%s", getenv("PATH"));
	setenv("PATH", "bin:.::", 1);
	assert_string_equal(shows("a.html", user), line);
	unsetenv("PATH");
	assert_string_equal(shows("a.html", user), line);
	setenv("PATH", path, 1);
	assert_string_equal(seen(), "");
	/* escape sequences */
	unlink("bin/xdg-open");
	assert_string_equal(shows("/a\033[2J.html", user), "page: /a?[2J.html\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name_of_page),
		cmocka_unit_test(test_browser_is_started),
		cmocka_unit_test(test_browser_stays_in_foreground),
		cmocka_unit_test(test_path_printed_if_not_opened),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
