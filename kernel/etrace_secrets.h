/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/*
 * Hides secrets in an environment: used by the module before it writes a record, and by
 * the reader of the BPF programs' records before it passes them on.  The rules are in
 * Documentation/line-format.md.  Pure functions; the including file must provide the
 * kernel's names (memcmp, NULL).
 */
#ifndef ETRACE_SECRETS_H
#define ETRACE_SECRETS_H

#define ETRACE_STARS	3	/* asterisks that replace a secret */

/* Parts of "_NAME_" that suggest a secret. */
#define ETRACE_SECRET_WORDS						\
	"TOKEN_", "TOKENS_", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", \
	"PASSCODE", "SSHPASS_", "_PASS_", "_PWD_", "_PW_", "CREDENTIAL", \
	"_CREDS_", "_AUTH_", "AUTHORIZATION_", "BEARER", "COOKIE", "_JWT_", \
	"_PAT_", "_KEY_", "_KEYS_", "APIKEY_", "ACCESSKEY_", "ACCOUNTKEY_", "PRIVATEKEY_", \
	"CONNECTION_STRING_", "WEBHOOK"
/* Their names look secret, but they hold a directory and the path of a socket. */
#define ETRACE_NO_SECRETS	"PWD,SSH_AUTH_SOCK"

/* A character of "_NAME_": an upper-case letter, or '_' for anything else. */
static inline char etrace_name_char(const char *name, unsigned int len, unsigned int i)
{
	char c = i && i <= len ? name[i - 1] : '_';

	if (c >= 'a' && c <= 'z')
		return c - 'a' + 'A';
	return c >= 'A' && c <= 'Z' ? c : '_';
}

/* Is @word at byte @i of "_NAME_"? */
static inline _Bool etrace_name_has(const char *name, unsigned int len, unsigned int i,
				    const char *word)
{
	while (*word && i <= len + 1 && etrace_name_char(name, len, i) == *word) {
		word++;
		i++;
	}
	return !*word;
}

/**
 * etrace_listed - is a name in a list?
 * @list: names separated by commas; "" if none
 * @name: the name
 * @len: its bytes
 */
static inline _Bool etrace_listed(const char *list, const char *name, unsigned int len)
{
	unsigned int n;

	for (; *list; list += n + (list[n] == ',')) {
		for (n = 0; list[n] && list[n] != ','; n++)
			;
		if (n == len && !memcmp(list, name, len))
			return 1;
	}
	return 0;
}

/**
 * etrace_list_good - is it a valid list of variables?
 * @list: names separated by commas
 */
static inline _Bool etrace_list_good(const char *list)
{
	char before = ',';

	if (!*list)
		return 1;
	for (; *list; before = *list++)
		if (*list == '=' || (*list == ',' && before == ','))
			return 0;
	return before != ',';
}

/**
 * etrace_secret_name - does a variable's name suggest that its value is secret?
 * @name: the name
 * @len: its bytes
 */
static inline _Bool etrace_secret_name(const char *name, unsigned int len)
{
	static const char *const words[] = { ETRACE_SECRET_WORDS, NULL };
	const char *const *word;
	unsigned int i;
	char c;

	if (etrace_listed(ETRACE_NO_SECRETS, name, len))
		return 0;
	for (i = 0; i <= len; i++) {
		c = etrace_name_char(name, len, i);
		for (word = words; *word; word++)
			if (**word == c && etrace_name_has(name, len, i, *word))
				return 1;
	}
	return 0;
}

/**
 * struct etrace_value - the value of a variable
 * @s: the bytes, after hiding
 * @len: number of bytes
 * @hidden: something was hidden
 */
struct etrace_value {
	char *s;
	unsigned int len;
	_Bool hidden;
};

/*
 * Finds the secret in "user:password@host", which may begin at byte @at: the password or, in an
 * @http URL without a password, the user. Sets *@from to the secret's beginning; returns its
 * length in bytes, 0 if none.
 */
static inline unsigned int etrace_secret_user(const struct etrace_value *v, unsigned int at,
					      _Bool http, unsigned int *from)
{
	unsigned int i, colon = 0, end = at;

	for (i = at; i < v->len && (unsigned char)v->s[i] > ' ' && v->s[i] != '/' &&
	     v->s[i] != '"' && v->s[i] != '\''; i++) {
		if (v->s[i] == ':' && !colon)
			colon = i + 1;
		else if (v->s[i] == '@')
			end = i;
	}
	if (colon && colon <= end)
		at = colon;
	else if (!http)
		at = end;
	*from = at;
	return end - at;
}

/* Hides secrets in all URLs of a value. @user: the value itself may begin with "user:..." */
static inline void etrace_hide_users(struct etrace_value *v, _Bool user)
{
	unsigned int in = 0, out = 0, from, n;
	_Bool http = 0;

	while (in < v->len) {
		n = user ? etrace_secret_user(v, in, http, &from) : 0;
		if (n) {
			while (in < from)
				v->s[out++] = v->s[in++];
			in += n;
			for (n = n < ETRACE_STARS ? n : ETRACE_STARS; n; n--)
				v->s[out++] = '*';
			v->hidden = 1;
		}
		user = in + 3 <= v->len && !memcmp(v->s + in, "://", 3);
		http = user && ((out >= 4 && !memcmp(v->s + out - 4, "http", 4)) ||
				(out >= 5 && !memcmp(v->s + out - 5, "https", 5)));
		for (n = user ? 3 : in < v->len; n; n--)
			v->s[out++] = v->s[in++];
	}
	v->len = out;
}

/**
 * etrace_hide - hide what looks secret in a variable
 * @name: its name
 * @len: bytes of the name
 * @v: its value
 */
static inline void etrace_hide(const char *name, unsigned int len, struct etrace_value *v)
{
	unsigned int i;

	if (!etrace_secret_name(name, len)) {
		etrace_hide_users(v, len >= 5 && etrace_name_has(name, len, len - 4, "PROXY_"));
		return;
	}
	v->hidden = v->len;
	if (v->len > ETRACE_STARS)
		v->len = ETRACE_STARS;
	for (i = 0; i < v->len; i++)
		v->s[i] = '*';
}

#endif /* ETRACE_SECRETS_H */
