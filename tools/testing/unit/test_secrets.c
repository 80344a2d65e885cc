// SPDX-License-Identifier: GPL-2.0
/* Which parts of an environment are hidden; the documentation must list them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "event/schema.h"

#include "kernel/etrace_secrets.h"

/* A variable, in an allocation of its exact size, is shown as @shown; NULL if unchanged. */
static void is(const char *name, const char *value, const char *shown)
{
	size_t len = strlen(value), n = strlen(name);
	struct etrace_value v = { xmalloc(len + !len), (unsigned int)len, false };
	char *copy = xmalloc(n + !n);

	memcpy(v.s, value, len);
	memcpy(copy, name, n);
	etrace_hide(copy, (unsigned int)n, &v);
	if (v.len != strlen(shown ? shown : value) || memcmp(v.s, shown ? shown : value, v.len) ||
	    v.hidden != !!shown)
		fail_msg("%s=%s is shown as %.*s, hidden %d", name, value, (int)v.len, v.s, v.hidden);
	free(v.s);
	free(copy);
}

static void secret_names_hidden(void **state)
{
	static const char *const secret[] = {
		"TOKEN", "token", "GITHUB_TOKEN", "TOKENS", "API_TOKEN_2", "API_TOKEN2", "A.TOKEN",
		"npm_config_//host/:_authToken", "CLIENTSECRET", "SECRETS_FILE", "PGPASSWORD",
		"PASSWORD1", "passwd", "GPG_PASSPHRASE", "PASSCODE", "SSHPASS", "PASS", "DB_PASS",
		"MYSQL_PWD", "FTP_PW", "GOOGLE_APPLICATION_CREDENTIALS", "CREDS", "NPM_AUTH",
		"AUTH", "HTTP_AUTHORIZATION", "BEARER", "COOKIES", "JWT", "GITHUB_PAT", "KEY",
		"AWS_ACCESS_KEY_ID", "SIGNING_KEYS", "openAiApiKey", "accesskey", "PRIVATEKEY",
		"AZURE_STORAGE_CONNECTION_STRING", "SLACK_WEBHOOK_URL",
	};
	static const char *const plain[] = {
		"", "_", "PATH", "HOME", "PWD", "OLDPWD", "SSH_AUTH_SOCK", "GIT_ASKPASS", "AUTHOR",
		"GIT_AUTHOR_NAME", "XAUTHORITY", "KEYMAP", "XKB_KEYBOARD", "MONKEY", "HOTKEY",
		"TOKENIZERS_PARALLELISM", "XDG_SESSION_ID", "DBUS_SESSION_BUS_ADDRESS", "CFLAGS",
		"LS_COLORS", "COMPASS", "BYPASS", "PATTERN", "PATCH", "SOURCE_DATE_EPOCH", "TOKE",
		"MAKEFLAGS", "LANG", "LD_LIBRARY_PATH", "PWDX",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(secret) / sizeof(*secret); i++) {
		is(secret[i], "a value", "***");
		is(secret[i], "four", "***");
		is(secret[i], "ab", "**");
		is(secret[i], "", NULL);
	}
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		is(plain[i], "a value", NULL);
}

static void passwords_in_urls_hidden(void **state)
{
	static const struct {
		const char *name, *value, *shown;
	} is_shown[] = {
		{ "U", "http://u:p@h", "http://u:*@h" }, { "U", "http://u:abc@h", "http://u:***@h" },
		{ "U", "http://u:abcd@h/x", "http://u:***@h/x" },
		{ "U", "http://u:a:b@h", "http://u:***@h" }, { "U", "http://u:a@b@h", "http://u:***@h" },
		{ "U", "http://u:@h", NULL }, { "U", "http://:pw@h", "http://:**@h" },
		{ "U", "http://@h", NULL }, { "U", "http://", NULL }, { "U", "://", NULL },
		{ "U", "http://token@h", "http://***@h" }, { "U", "https://token@h", "https://***@h" },
		{ "U", "ssh://git@h", NULL }, { "U", "xhttps://git@h", "xhttps://***@h" },
		{ "U", "http://token@h:80/", "http://***@h:80/" }, { "U", "ssh://git@h:22/x", NULL },
		{ "U", "http://h:80/a@b", NULL }, { "U", "http://h/a:b@c", NULL },
		{ "U", "u:p@h", NULL }, { "U", "postgres://u:p#?&ss@h/d", "postgres://u:***@h/d" },
		{ "U", "a http://u:pass@h b http://v:word@i c", "a http://u:***@h b http://v:***@i c" },
		{ "U", "http://u:a://v:b@h", "http://u:a://v:*@h" },
		{ "U", "x=\"http://u\" y@z", NULL }, { "U", "http://a b:c@d", NULL },
		{ "http_proxy", "u:pass@h:1", "u:***@h:1" }, { "HTTPS_PROXY", "u:pass@h", "u:***@h" },
		{ "GOPROXY", "https://h,https://u:pass@h", "https://h,https://u:***@h" },
		{ "http_proxy", "http://u:pass@h", "http://u:***@h" }, { "proxy", "u:pass@", "u:***@" },
		{ "no_proxy", "a@b", NULL }, { "PROXY_OF", "u:pass@h", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(is_shown) / sizeof(*is_shown); i++)
		is(is_shown[i].name, is_shown[i].value, is_shown[i].shown);
}

static void keep_env_lists(void **state)
{
	char list[ET_KEEP_ENV_MAX] = "", most[ET_KEEP_ENV_MAX + 1];

	(void)state;
	assert_false(et_keep_env(list, ""));
	assert_false(et_keep_env(list, ","));
	assert_false(et_keep_env(list, "A,"));
	assert_false(et_keep_env(list, ",A"));
	assert_false(et_keep_env(list, "A,,B"));
	assert_false(et_keep_env(list, "A=b"));
	assert_string_equal(list, "");
	assert_true(et_keep_env(list, "A"));
	assert_true(et_keep_env(list, "B_KEY,C"));
	assert_string_equal(list, "A,B_KEY,C");
	assert_true(etrace_listed(list, "A", 1));
	assert_true(etrace_listed(list, "B_KEY", 5));
	assert_true(etrace_listed(list, "C", 1));
	assert_false(etrace_listed(list, "B_KEY2", 6));
	assert_false(etrace_listed(list, "B_KEY", 4));
	assert_false(etrace_listed(list, "A,B_KEY", 7));
	assert_false(etrace_listed(list, "", 0));
	assert_false(etrace_listed("", "", 0));
	memset(most, 'x', sizeof(most));
	most[ET_KEEP_ENV_MAX - strlen(list) - 2] = 0;
	assert_true(et_keep_env(list, most));
	assert_int_equal(strlen(list), ET_KEEP_ENV_MAX - 1);
	assert_false(et_keep_env(list, "A"));
	*list = 0;
	memset(most, 'x', sizeof(most));
	most[ET_KEEP_ENV_MAX] = 0;
	assert_false(et_keep_env(list, most));
}

/* The documentation lists exactly the words of the table. */
static void rules_are_documented(void **state)
{
	static const char *const words[] = { ETRACE_SECRET_WORDS };
	char path[4096], text[256 << 10], quoted[64], *from, *to;
	unsigned int n = 0;
	FILE *file;

	(void)state;
	snprintf(path, sizeof(path), "%s/../../../../Documentation/line-format.md",
		 getenv("ETRACE_DATA"));
	file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	from = strstr(text, "contains one of these:\n");
	assert_non_null(from);
	to = strstr(from, ".\n");
	assert_non_null(to);
	*to = 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		snprintf(quoted, sizeof(quoted), "`%s`", words[i]);
		if (!strstr(from, quoted))
			fail_msg("line-format.md lacks %s", quoted);
	}
	for (; *from; from++)
		n += *from == '`';
	assert_int_equal(n, 2 * sizeof(words) / sizeof(*words));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(secret_names_hidden), cmocka_unit_test(passwords_in_urls_hidden),
		cmocka_unit_test(keep_env_lists),
		cmocka_unit_test(rules_are_documented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
