// SPDX-License-Identifier: GPL-2.0
/* Secrets in arguments are hidden; nothing else is changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "event/redact.h"

/* Words separated by bars, and the result; NULL if unchanged. */
static const struct {
	const char *words, *hidden;
} rows[] = {
	/* options */
	{ "curl|--password=hunter2", "curl|--password=***" },
	{ "prog|--password=two words", "prog|--password=***" },
	{ "prog|--token|abcdef|file", "prog|--token|***|file" },
	{ "prog|-password|abcdef", "prog|-password|***" },
	{ "prog|--api-key=k|x", "prog|--api-key=*|x" },
	{ "prog|--auth-token|ab", "prog|--auth-token|**" },
	{ "prog|--password-stdin|registry", NULL },
	{ "prog|--no-password|user", NULL },
	{ "prog|--key-file|key.pem", NULL },
	{ "prog|--password|--verbose", NULL },
	{ "prog|--password=", NULL },
	/* variables, also within other arguments */
	{ "make|DEPLOY_TOKEN=abcdef|all", "make|DEPLOY_TOKEN=***|all" },
	{ "docker|build|--build-arg|NPM_TOKEN=abcdef", "docker|build|--build-arg|NPM_TOKEN=***" },
	{ "docker|build|--build-arg=NPM_TOKEN=abcdef", "docker|build|--build-arg=NPM_TOKEN=***" },
	{ "docker|run|-eNPM_TOKEN=abcdef|x", "docker|run|-eNPM_TOKEN=***|x" },
	{ "cc|-DSECRET=abcdef|-c|a.c", "cc|-DSECRET=***|-c|a.c" },
	{ "ld|-Wl,--password=abcdef", "ld|-Wl,--password=***" },
	{ "prog|{\"password\": \"abcdef\", \"user\": \"me\"}", "prog|{\"password\": \"***\", \"user\": \"me\"}" },
	/* headers */
	{ "curl|-H|Authorization: Bearer abcdef|url", "curl|-H|Authorization: ***|url" },
	{ "curl|-HAuthorization: Bearer abcdef|url", "curl|-HAuthorization: ***|url" },
	{ "curl|--header=PRIVATE-TOKEN: abcdef", "curl|--header=PRIVATE-TOKEN: ***" },
	{ "curl|-H|Cookie: a=b; c=d", "curl|-H|Cookie: ***" },
	{ "curl|-H|Accept: text/html", NULL },
	/* user names, and URLs */
	{ "curl|-u|me:hunter2|https://h/x", "curl|-u|me:***|https://h/x" },
	{ "curl|-ume:hunter2|https://h/x", "curl|-ume:***|https://h/x" },
	{ "curl|--user=me:hunter2", "curl|--user=me:***" },
	{ "wget|--proxy-user|me:hunter2", "wget|--proxy-user|me:***" },
	{ "docker|run|-u|node:node|x", NULL },
	{ "docker|login|-u|joe|-p|abcdef|host", "docker|login|-u|joe|-p|***|host" },
	{ "docker|run|-p|8080:80|x", NULL },
	{ "sh|-c|docker login -p abcdef h", "sh|-c|docker login -p *** h" },
	{ "keytool|-genkey|-storepass|abcdef", "keytool|-genkey|-storepass|***" },
	{ "az|AccountName=x;AccountKey=abcdef", "az|AccountName=x;AccountKey=***" },
	{ "chroot|--user|1000:1000|x", NULL },
	{ "git|clone|https://me:hunter2@h/x.git", "git|clone|https://me:***@h/x.git" },
	{ "git|clone|https://ghp_abcdef@h/x.git", "git|clone|https://***@h/x.git" },
	{ "git|clone|git@github.com:a/b.git", NULL },
	{ "curl|https://h/x?token=abcdef&page=2", "curl|https://h/x?token=***&page=2" },
	{ "curl|https://h/x?page=2&access_token=abcdef#top", "curl|https://h/x?page=2&access_token=***" },
	/* options of certain programs */
	{ "/usr/bin/mysql|-pabcdef|-u|me", "/usr/bin/mysql|-p***|-u|me" },
	{ "mysqldump|-p|db", NULL },
	{ "mkdir|-pv|a/b", NULL },
	{ "sshpass|-p|abcdef|ssh|h", "sshpass|-p|***|ssh|h" },
	{ "openssl|rsa|-passin|pass:abcdef", "openssl|rsa|-passin|pass:***" },
	/* scripts */
	{ "sh|-c|curl -u me:hunter2 https://h/x && ls", "sh|-c|curl -u me:*** https://h/x && ls" },
	{ "sh|-c|PASSWORD=hunter2 make all", "sh|-c|PASSWORD=*** make all" },
	{ "bash|-euc|export TOKEN='a b c'; run", "bash|-euc|export TOKEN='***'; run" },
	{ "sh|-c|run --token abcdef --verbose", "sh|-c|run --token *** --verbose" },
	{ "sh|-c|curl -H \"Authorization: Bearer abcdef\" url", "sh|-c|curl -H \"Authorization: ***\" url" },
	{ "sh|-c|ls | mysql -pabcdef db", "sh|-c|ls | mysql -p*** db" },
	{ "sh|-c|run --password=\"$PASSWORD\" $TOKEN", NULL },
	{ "sh|-c|TOKEN=$(cat f); echo done", NULL },
	{ "sudo|sh|-c|sh -c 'curl -u me:hunter2 x; run --token abcdef' && ls", "sudo|sh|-c|sh -c 'curl -u me:*** x; run --token ***' && ls" },
	/* what most builds contain */
	{ "gcc|-O2|-Wall|-DNAME=\"a\"|-I/usr/include|-o|key.o|-c|key.c", NULL },
	{ "cc1|-quiet|-imultiarch|x86_64-linux-gnu|tokens.c|-o|/tmp/x.s", NULL },
	{ "sh|-c|for i in 1 2; do echo $i; done", NULL },
	{ "collect2|-plugin-opt=-pass-through=-lgcc|-plugin-opt=-pass-through=-lc", NULL },
	{ "clang|-mllvm|-debug-pass=Structure", NULL }, { "sort|--key=2|-t|:", NULL },
	{ "ld|--hash-style=gnu|--as-needed|-m|elf_x86_64|std::token::x", NULL },
	{ "", NULL }, { "true", NULL }, { "-c", NULL }, { "sh|-c|", NULL }, { "sh|-c|'\"\\", NULL },
};

static size_t split(struct buf *list, const char *words)
{
	list->len = 0;
	for (; *words; words++)
		buf_addc(list, *words == '|' && words[1] != ' ' ? '\0' : *words);
	buf_addc(list, '\0');
	return list->len;
}

static void secret_words_hidden(void **state)
{
	struct buf is = { 0 }, wanted = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *to = rows[i].hidden ? rows[i].hidden : rows[i].words;
		uint64_t n;

		split(&is, rows[i].words);
		split(&wanted, to);
		n = redact_list(&is, 0);
		if (is.len != wanted.len || memcmp(is.s, wanted.s, is.len)) {
			for (size_t k = 0; k + 1 < is.len; k++)
				is.s[k] = is.s[k] ? is.s[k] : '|';
			fail_msg("%s became %.*s", rows[i].words, (int)is.len, is.s);
		}
		assert_int_equal(n != 0, strcmp(to, rows[i].words) != 0);
	}
	buf_free(&is);
	buf_free(&wanted);
}

/* Arbitrary bytes: nothing is accessed out of bounds, and no text grows. */
static void any_bytes(void **state)
{
	static const char parts[][12] = {
		"-p", "token", "=", ":", "\"", "'", " ", "$", "--", "-c", "sh", "//", "@", "\\", "a", "|",
		"password", "\n", "{", "http",
	};
	uint32_t seed = 1;

	(void)state;
	for (unsigned int i = 0; i < 20000; i++) {
		struct redact_word words[4];

		for (size_t k = 0; k < 4; k++) {
			char text[200] = "";

			for (unsigned int n = 0; n < 8; n++) {
				seed = seed * 1103515245u + 12345;
				strcat(text, parts[(seed >> 16) % (sizeof(parts) / sizeof(parts[0]))]);
			}
			/* allocated without room behind the text */
			words[k] = (struct redact_word){ malloc(strlen(text)), strlen(text) };
			memcpy(words[k].s, text, words[k].len);
		}
		redact_words(words, 4);
		for (size_t k = 0; k < 4; k++) {
			assert_true(words[k].len < 200);
			free(words[k].s);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(secret_words_hidden),
		cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests_name("redact", tests, NULL, NULL);
}
