// SPDX-License-Identifier: GPL-2.0
/*
 * Env, EN, EV: the environment of programs. In root_pid's tree, recorded only with the parameters
 * extended and record=env. Values that look secret are hidden, except those of the variables
 * named by the parameter keep_env.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"

#ifndef __LP64__
#define HELPER	"helper_32"
#else
#define HELPER	"helper"
#endif

#define PART	900		/* bytes of a long string on one line */

static char helper[PATH_MAX];

/* Want the lines of a value: short, with newlines, or long. */
static void want_value(pid_t pid, const char *value)
{
	size_t len = strlen(value), at, n = strcspn(value, "\n");

	if (len >= PART) {
		for (at = 0; at < len; at += PART)
			want_extended_of(pid, "EV[%zu]%.*s", at / PART, PART, value + at);
		want_extended_of(pid, "EV_end|");
		return;
	}
	want_extended_of(pid, "EV|%.*s", (int)n, value);
	if (!value[n])
		return;
	for (value += n; *value; value += n) {
		n = strcspn(++value, "\n");
		want_extended_of(pid, "Cont|%.*s", (int)n, value);
	}
	want_extended_of(pid, "Cont_end|");
}

/* @value: the recorded value, NULL if none. */
static void want_var(pid_t pid, const char *name, const char *value, bool hidden)
{
	char size[64] = "";

	if (value)
		snprintf(size, sizeof(size), ",valuesize=%zu", strlen(value));
	want_extended_of(pid, "Env|namesize=%zu%s%s", strlen(name), size,
			 hidden ? ",hidden=1" : "");
	want_extended_of(pid, "EN|%s", name);
	if (value)
		want_value(pid, value);
}

/* Run a program with @envp, and want its lines except those of its environment and its exit. */
static pid_t run(char *const argv[], char *const envp[])
{
	pid_t pid = CHILD_MUST(et_sys(SYS_fork));
	size_t i, size = 0;

	if (!pid) {
		et_sys(SYS_execve, helper, argv, envp);
		CHILD_FAIL("execve: %m");
		_exit(127);
	}
	want_forked(pid);
	for (i = 0; argv[i]; i++)
		size += strlen(argv[i]) + 1;
	want_of(pid, "New_proc|argsize=%zu,prognameisize=%zu,prognamepsize=%zu,cwdsize=%zu",
		size, strlen(helper), strlen(helper), strlen(et_dir));
	want_of(pid, "PI|%s", helper);
	want_of(pid, "PP|%s", helper);
	want_of(pid, "CW|%s", et_dir);
	for (i = 0; argv[i]; i++)
		want_of(pid, "A[%zu]%s", i, argv[i]);
	want_of(pid, "End_of_args|");
	CHILD_MUST(waitpid(pid, NULL, 0));
	return pid;
}

static char *const plain_args[] = { "p", NULL };

/* Variables, and their recorded values. */
struct var {
	const char *name;
	const char *value;
	const char *shown;	/* NULL: same as value */
};

#define MAX_VARS	64

static void run_vars(const struct var *vars, size_t n)
{
	char *envp[MAX_VARS + 1] = { NULL };
	pid_t pid;
	size_t i;

	for (i = 0; i < n; i++)
		if (asprintf(&envp[i], "%s%s%s", vars[i].name, vars[i].value ? "=" : "",
			     vars[i].value ? vars[i].value : "") < 0)
			_exit(1);
	pid = run(plain_args, envp);
	for (i = 0; i < n; i++)
		want_var(pid, vars[i].name, vars[i].shown ? vars[i].shown : vars[i].value,
			 vars[i].shown);
	want_of(pid, "Exit|status=0");
	for (i = 0; i < n; i++)
		free(envp[i]);
}

static void do_plain(void)
{
	static const struct var vars[] = {
		{ "PATH", "/usr/bin:/bin", NULL }, { "EMPTY", "", NULL }, { "NO_SIGN", NULL, NULL },
		{ "", "odd", NULL }, { "", NULL, NULL }, { "A", "b=c=d", NULL },
		{ "TWO", "a\nb", NULL }, { "LINES", "\n\nx\n", NULL },
		{ "BYTES", "\x01\x7f\x80\xff\t\r", NULL }, { "PATH", "twice", NULL },
	};

	run_vars(vars, ET_NELEMS(vars));
}

TEST(plain_variables)
{
	et_traced(do_plain);
}

static void do_empty(void)
{
	pid_t pid = run(plain_args, (char *[]) { NULL });

	want_of(pid, "Exit|status=0");
}

TEST(empty_environment)
{
	et_traced(do_empty);
}

/* Variables whose names look secret. */
static void do_names(void)
{
	static const struct var vars[] = {
		{ "GITHUB_TOKEN", "ghp_0123456789", "***" }, { "CI_JOB_TOKEN", "abc", "***" },
		{ "SHORT_TOKEN", "ab", "**" }, { "NO_TOKEN", "", NULL },
		{ "NAME_TOKEN", NULL, NULL }, { "npm_config__authToken", "x y\nz", "***" },
		{ "AWS_SECRET_ACCESS_KEY", "a/b=c", "***" }, { "PGPASSWORD", "secret", "***" },
		{ "MYSQL_PWD", "secret", "***" }, { "SSHPASS", "secret", "***" },
		{ "PWD", "/home/me", NULL }, { "OLDPWD", "/", NULL },
		{ "SSH_AUTH_SOCK", "/run/agent", NULL }, { "GIT_ASKPASS", "/bin/ask", NULL },
		{ "KEYMAP", "us", NULL }, { "TOKENIZERS_PARALLELISM", "true", NULL },
		{ "XDG_SESSION_ID", "12", NULL }, { "AUTHOR", "me", NULL },
		{ "SOURCE_DATE_EPOCH", "1700000000", NULL },
	};

	run_vars(vars, ET_NELEMS(vars));
}

TEST(secret_names_hidden)
{
	et_traced(do_names);
}

/* Passwords in URLs, in variables whose names do not look secret. */
static void do_addresses(void)
{
	static const struct var vars[] = {
		{ "http_proxy", "http://me:word@proxy:3128/", "http://me:***@proxy:3128/" },
		{ "HTTPS_PROXY", "me:word@proxy:3128", "me:***@proxy:3128" },
		{ "all_proxy", "proxy:3128", NULL },
		{ "GOPROXY", "https://a:one@x,https://y/,https://b:two@z/p,direct",
		  "https://a:***@x,https://y/,https://b:***@z/p,direct" },
		{ "REPO", "https://token@host/r.git", "https://***@host/r.git" },
		{ "REMOTE", "ssh://git@host/r.git", NULL }, { "SCP", "git@host:r.git", NULL },
		{ "DB", "postgres://u:p@ss@h/db", "postgres://u:***@h/db" },
		{ "NONE", "http://u:@h/", NULL }, { "PORT", "http://host:80/a@b", NULL },
	};

	run_vars(vars, ET_NELEMS(vars));
}

TEST(passwords_in_urls_hidden)
{
	et_traced(do_addresses);
}

/* Variables named by the parameter keep_env. */
static void do_kept(void)
{
	static const struct var vars[] = {
		{ "KEPT_TOKEN", "seen", NULL }, { "MY_KEY", "seen, too", NULL },
		{ "KEPT_TOKEN2", "hidden", "***" },
		{ "KEPT", "http://u:hidden@h", "http://u:***@h" },
		{ "MY_URL", "http://u:seen@h", NULL }, { "kept_token", "hidden", "***" },
		{ "NOT_KEPT_TOKEN", "hidden", "***" },
	};

	run_vars(vars, ET_NELEMS(vars));
}

TEST(kept_by_request)
{
	et_traced(do_kept);
}

/* The longest values that the kernel accepts, after more arguments than one probe can record. */
#define LONGEST	(31 * 4096)
#define ARGS	13000

static void do_long(void)
{
	static char value[LONGEST + 1], *argv[ARGS + 1];
	char *envp[5];
	pid_t pid;
	size_t i;

	memset(value, 'v', LONGEST);
	for (i = 0; i < ARGS; i++)
		argv[i] = "";
	CHILD_MUST(asprintf(&envp[0], "LONG=%s", value));
	CHILD_MUST(asprintf(&envp[1], "LONG_PASSWORD=%s", value));
	CHILD_MUST(asprintf(&envp[2], "SECRETS_LIE=http://u:%s@h", value));
	CHILD_MUST(asprintf(&envp[3], "URL=http://u:%s@h", value));
	envp[4] = NULL;
	pid = run(argv, envp);
	want_var(pid, "LONG", value, false);
	want_var(pid, "LONG_PASSWORD", "***", true);
	want_var(pid, "SECRETS_LIE", "***", true);
	want_var(pid, "URL", "http://u:***@h", true);
	want_of(pid, "Exit|status=0");
}

TEST(long_values)
{
	et_traced(do_long);
}

#define MANY	3000

static void do_many(void)
{
	static char text[MANY][16];
	static char *envp[MANY + 1];
	pid_t pid;
	size_t i;

	for (i = 0; i < MANY; i++) {
		snprintf(text[i], sizeof(text[i]), "N%zu=", i);
		envp[i] = text[i];
	}
	pid = run(plain_args, envp);
	for (i = 0; i < MANY; i++) {
		*strchr(text[i], '=') = '\0';
		want_var(pid, text[i], "", false);
	}
	want_of(pid, "Exit|status=0");
}

TEST(many_variables)
{
	et_traced(do_many);
}

/* Not recorded unless asked for. */
static void do_unasked(void)
{
	pid_t pid = run(plain_args, (char *[]) { "A=b", NULL });

	want_of(pid, "Exit|status=0");
}

TEST(not_recorded_by_default)
{
	if (et_without_module())
		return;
	EXPECT_EQ(et_param_write("record", "dirs"), 0);
	et_traced(do_unasked);
	EXPECT_EQ(et_param_write("record", "env"), 0);
}

int main(int argc, char **argv)
{
	ssize_t n = readlink("/proc/self/exe", helper, sizeof(helper) - 32);

	if (n < 0)
		et_skip_all("/proc/self/exe: no proc");
	helper[n] = '\0';
	strcpy(strrchr(helper, '/') + 1, HELPER);
	et_facts = "ENV";
	return et_main(argc, argv, "record=env keep_env=MY_KEY,KEPT_TOKEN,MY_URL");
}
