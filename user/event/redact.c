// SPDX-License-Identifier: LGPL-2.1
/* Hides secrets in arguments and scripts.  See redact.h. */
#include "event/redact.h"
#include "base/xalloc.h"
#include "event/event.h"
#include "kernel/etrace_secrets.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- text ---- */

/* Text that is read at @in and written at @out, never beyond @in. */
struct scan {
	char *s;
	size_t len, in, out;
	bool script;		/* words end at blanks, and $NAME is a variable */
	uint64_t hidden;
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_of_name(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Hide the text from t->in to @end. */
static void hide_span(struct scan *t, size_t end)
{
	size_t n = end - t->in;

	if (!n)
		return;
	for (size_t i = 0; i < n && i < ETRACE_STARS; i++)
		t->s[t->out++] = '*';
	t->in = end;
	t->hidden++;
}

static void copy_span(struct scan *t, size_t end)
{
	memmove(t->s + t->out, t->s + t->in, end - t->in);
	t->out += end - t->in;
	t->in = end;
}

/* Where a value in the middle of a text ends. */
static size_t value_end(const struct scan *t, size_t at)
{
	static const char ends[] = " \t\n&;|\"'`)<>";
	size_t i = at;

	while (i < t->len && !memchr(ends, t->s[i], sizeof(ends) - 1))
		i += t->s[i] == '\\' && i + 1 < t->len ? 2 : 1;
	return i < t->len ? i : t->len;
}

static size_t quoted_end(const struct scan *t, size_t at, char quote)
{
	size_t i = at;

	while (i < t->len && t->s[i] != quote)
		i += quote == '"' && t->s[i] == '\\' && i + 1 < t->len ? 2 : 1;
	return i < t->len ? i : t->len;
}

/* End of a header like "Authorization: Bearer x": the quote around it, or the line's end. */
static size_t header_end(const struct scan *t, size_t at)
{
	size_t i = at;

	while (i < t->len && !strchr("\"'\n", t->s[i]))
		i++;
	return i;
}

/* Whether a variable of the shell begins here: its name is no secret. */
static bool is_variable(const struct scan *t, size_t at)
{
	return at + 1 < t->len && t->s[at] == '$' &&
	       (is_letter(t->s[at + 1]) || strchr("{(0123456789@*#?", t->s[at + 1]));
}

/* The separator between a secret's name and its value. Return: its length, 0 if none. */
static size_t sign_at(const struct scan *t, size_t at, bool *header)
{
	size_t i = at;

	*header = false;
	/* the quote after a JSON key */
	if (i + 1 < t->len && (t->s[i] == '"' || t->s[i] == '\'') && t->s[i + 1] == ':')
		i++;
	if (i >= t->len)
		return 0;
	if (t->s[i] == '=' || (i + 1 < t->len && strchr("+:?", t->s[i]) && t->s[i + 1] == '='))
		return i + (t->s[i] == '=' ? 1 : 2) - at;
	/* "token://" is a URL, "Token::" a scope */
	if (t->s[i] != ':' || i + 1 == t->len || strchr(":/", t->s[i + 1]))
		return 0;
	*header = i == at;
	for (i++; i < t->len && t->s[i] == ' ';)
		i++;
	return i - at;
}

static void hide_value(struct scan *t, bool whole, bool header)
{
	char quote = t->in < t->len ? t->s[t->in] : 0;

	if (is_variable(t, t->in) && t->script) {
		copy_span(t, value_end(t, t->in));
	} else if (whole) {
		hide_span(t, t->len);
	} else if (quote == '"' || quote == '\'') {
		copy_span(t, t->in + 1);
		if (!is_variable(t, t->in) || quote == '\'')
			hide_span(t, quoted_end(t, t->in, quote));
	} else {
		hide_span(t, header ? header_end(t, t->in) : value_end(t, t->in));
	}
}

/*
 * Words that would name a secret in an environment, but not in options of compilers and
 * other tools: "-plugin-opt=-pass-through=-lc", "-debug-pass=Structure", "--sort-key=2".
 */
static bool is_of_tools(const char *name, size_t len)
{
	static const char *const words[] = {
		"pass-through", "pass_through", "pass-exit-codes", "debug-pass", "first-pass",
		"sort-key", "key", "keys",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (len == strlen(words[i]) && !memcmp(name, words[i], len))
			return true;
	return false;
}

/* Not "--no-password" and "--password-stdin", which take no secret; "--key-file" takes a path. */
static bool takes_secret(const char *name, size_t len)
{
	static const char *const heads[] = { "no-", "without-", "ask-", "prompt-" };
	static const char *const tails[] = { "file", "path", "dir", "stdin", "prompt", "fd", "ring" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (len > strlen(heads[i]) && !strncasecmp(name, heads[i], strlen(heads[i])))
			return false;
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		size_t n = strlen(tails[i]);

		if (len > n && !strncasecmp(name + len - n, tails[i], n))
			return false;
	}
	return !is_of_tools(name, len) && etrace_secret_name(name, (unsigned int)len);
}

/* Hide the secrets in all NAME=value and Name: value. */
static void hide_named(struct scan *t)
{
	size_t dashes = 0;

	while (dashes < t->len && t->s[dashes] == '-')
		dashes++;
	while (t->in < t->len) {
		size_t begin = t->in, end = begin, sign;
		bool whole, header;

		while (end < t->len && is_of_name(t->s[end]))
			end++;
		if (end == begin || !is_letter(t->s[begin])) {
			copy_span(t, end > begin && is_letter(t->s[begin]) ? end : begin + 1);
			continue;
		}
		sign = sign_at(t, end, &header);
		copy_span(t, end + sign);
		/* NAME=value is the whole argument */
		whole = begin == dashes && !t->script;
		if (sign && takes_secret(t->s + t->out - sign - (end - begin), end - begin))
			hide_value(t, whole, header);
	}
}

static void hide_users(struct scan *t)
{
	struct etrace_value v = { t->s, (unsigned int)t->len, false };

	if (t->len > UINT32_MAX / 2)
		return;
	etrace_hide_users(&v, false);
	t->len = v.len;
	t->hidden += v.hidden;
}

static uint64_t hide_in(char *s, size_t *len, bool script)
{
	struct scan t = { .s = s, .len = *len, .script = script };

	hide_named(&t);
	t.len = t.out;
	hide_users(&t);
	*len = t.len;
	return t.hidden;
}

/* ---- words ---- */

/* The command: base name of the program, and the word after it. */
struct command {
	struct redact_word program, verb;
};

/* Options whose value is a password, by program. */
static const struct {
	const char *program;	/* its base name; a star at the end matches the rest */
	const char *option;
	bool apart;		/* the value may also be the next word */
	const char *verb;	/* only with this subcommand, NULL for any */
} options[] = {
	{ "mysql*", "-p", false, NULL },	{ "mariadb*", "-p", false, NULL },
	{ "sshpass", "-p", true, NULL },	{ "redis-cli", "-a", true, NULL },
	{ "zip", "-P", true, NULL },		{ "unzip", "-P", true, NULL },
	{ "7z*", "-p", false, NULL },		{ "ldap*", "-w", true, NULL },
	{ "expect", "-p", false, NULL },	{ "ssh-keygen", "-N", true, NULL },
	{ "keytool", "-storepass", true, NULL }, { "keytool", "-keypass", true, NULL },
	{ "jarsigner", "-storepass", true, NULL }, { "jarsigner", "-keypass", true, NULL },
	{ "osslsigncode", "-pass", true, NULL }, { "twine", "-p", true, "upload" },
	{ "docker", "-p", true, "login" },	{ "podman", "-p", true, "login" },
	{ "buildah", "-p", true, "login" },	{ "nerdctl", "-p", true, "login" },
};

/* Programs whose "-u" takes a local user, never a password. */
static const char *const no_passwords[] = {
	"docker", "podman", "buildah", "nerdctl", "bwrap", "sudo", "systemd-run", "runc", "crun",
};

static const char *const user_options[] = {
	"-u", "-U", "--user", "--proxy-user", "--http-user", "--auth", "-a",
};

static bool is_word(const struct redact_word *w, const char *text)
{
	return w->len == strlen(text) && !memcmp(w->s, text, w->len);
}

static bool word_begins(const struct redact_word *w, const char *text)
{
	return w->len >= strlen(text) && !memcmp(w->s, text, strlen(text));
}

static struct redact_word base_of(const struct redact_word *w)
{
	const char *slash = w->len ? memrchr(w->s, '/', w->len) : NULL;
	size_t from = slash ? (size_t)(slash + 1 - w->s) : 0;

	return (struct redact_word){ w->s + from, w->len - from };
}

static bool is_program(const struct redact_word *program, const char *name)
{
	size_t n = strlen(name);

	if (n && name[n - 1] == '*')
		return program->len >= n - 1 && !memcmp(program->s, name, n - 1);
	return is_word(program, name);
}

/* Hide everything after the first @from bytes. */
static uint64_t hide_behind(struct redact_word *w, size_t from)
{
	struct scan t = { .s = w->s, .len = w->len, .in = from, .out = from };

	if (from >= w->len)
		return 0;
	hide_span(&t, w->len);
	w->len = t.out;
	return t.hidden;
}

/* Hide the password of "user:password"; "UID:GID" has none. */
static uint64_t hide_user(struct redact_word *w, size_t from)
{
	const char *colon = from < w->len ? memchr(w->s + from, ':', w->len - from) : NULL;
	bool number = true;

	if (!colon ||
	    word_begins(&(struct redact_word){ (char *)colon, w->len - (size_t)(colon - w->s) },
			"://"))
		return 0;
	for (size_t i = from; i < w->len; i++)
		number &= (w->s[i] >= '0' && w->s[i] <= '9') || w->s[i] == ':';
	return number ? 0 : hide_behind(w, (size_t)(colon + 1 - w->s));
}

static uint64_t by_program(const struct command *c, const struct redact_word *before,
			   struct redact_word *w)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (!is_program(&c->program, options[i].program) ||
		    (options[i].verb && !is_word(&c->verb, options[i].verb)))
			continue;
		if (options[i].apart && is_word(before, options[i].option))
			return hide_behind(w, 0);
		/* "-p" alone makes the program ask, "--password" is another option */
		if (word_begins(w, options[i].option) && w->len > strlen(options[i].option))
			return hide_behind(w, strlen(options[i].option));
	}
	return 0;
}

static uint64_t by_user(const struct command *c, const struct redact_word *before,
			struct redact_word *w)
{
	for (size_t i = 0; i < sizeof(no_passwords) / sizeof(no_passwords[0]); i++)
		if (is_word(&c->program, no_passwords[i]))
			return 0;
	for (size_t i = 0; i < sizeof(user_options) / sizeof(user_options[0]); i++) {
		const char *option = user_options[i];
		size_t n = strlen(option);

		if (is_word(before, option))
			return hide_user(w, 0);
		if (n > 2 && word_begins(w, option) && w->len > n && w->s[n] == '=')
			return hide_user(w, n + 1);
		if (n == 2 && word_begins(w, option) && is_program(&c->program, "curl"))
			return hide_user(w, n);
	}
	return 0;
}

/* Whether the next argument is a secret, as after "--token". */
static bool asks_for_next(const struct redact_word *w)
{
	size_t dashes = 0;

	while (dashes < w->len && w->s[dashes] == '-')
		dashes++;
	for (size_t i = dashes; i < w->len; i++)
		if (!is_of_name(w->s[i]))
			return false;
	return dashes && dashes < w->len && takes_secret(w->s + dashes, w->len - dashes);
}

/* Whether the next argument is a script, as after "-c", "-lc", "-euxc". */
static bool asks_for_script(const struct redact_word *w)
{
	if (w->len < 2 || w->len > 8 || w->s[0] != '-' || w->s[w->len - 1] != 'c')
		return false;
	for (size_t i = 1; i < w->len; i++)
		if (w->s[i] < 'a' || w->s[i] > 'z')
			return false;
	return true;
}

static uint64_t hide_word(const struct command *c, const struct redact_word *before,
			  struct redact_word *w)
{
	uint64_t n;

	if (asks_for_next(before) && w->len && *w->s != '-' && *w->s != '$')
		return hide_behind(w, 0);
	/* a password argument of openssl */
	if (word_begins(w, "pass:"))
		return hide_behind(w, strlen("pass:"));
	n = by_program(c, before, w);
	return n ? n : by_user(c, before, w);
}

/* ---- scripts ---- */

/* The next word of a script as it is written, without quotes around it. */
static bool next_word(const struct scan *t, struct redact_word *w)
{
	size_t at = t->in, end;

	while (at < t->len && (is_blank(t->s[at]) || strchr(";|&()<>", t->s[at])))
		at++;
	if (at >= t->len)
		return false;
	if (t->s[at] == '"' || t->s[at] == '\'') {
		end = quoted_end(t, at + 1, t->s[at]);
		at++;
	} else {
		for (end = at; end < t->len && !is_blank(t->s[end]) && !strchr(";|&()<>", t->s[end]);)
			end += t->s[end] == '\\' && end + 1 < t->len ? 2 : 1;
		end = end < t->len ? end : t->len;
	}
	*w = (struct redact_word){ t->s + at, end - at };
	return true;
}

/* Whether the text between two words begins a new command. */
static bool begins_command(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strchr("\n;|&()", s[i]))
			return true;
	return false;
}

/* Maximum depth of scripts inside quotes of other scripts. */
#define DEPTH_MAX 8

static uint64_t hide_line(char *s, size_t *len, unsigned int depth)
{
	struct redact_word before = { 0 }, w;
	struct command c = { 0 };
	struct scan t = { .s = s };
	uint64_t hidden = hide_in(s, len, true);

	t.len = *len;
	while (next_word(&t, &w)) {
		size_t from = (size_t)(w.s - s), was = w.len;

		if (!c.program.s || begins_command(s + t.in, from - t.in)) {
			c = (struct command){ .program = base_of(&w) };
			before = (struct redact_word){ 0 };
		} else if (asks_for_script(&before) && depth < DEPTH_MAX) {
			before = w;
			hidden += hide_line(w.s, &w.len, depth + 1);
		} else {
			hidden += hide_word(&c, &before, &w);
			if (!c.verb.s)
				c.verb = w;
			before = w;
		}
		/* the word got shorter: close the gap */
		if (w.len < was) {
			memmove(s + from + w.len, s + from + was, t.len - from - was);
			t.len -= was - w.len;
		}
		t.in = from + w.len;
		/* skip the quote after it */
		if (t.in < t.len && from && (s[from - 1] == '"' || s[from - 1] == '\'') && s[t.in] == s[from - 1])
			t.in++;
	}
	*len = t.len;
	return hidden;
}

uint64_t redact_line(char *s, size_t *len)
{
	return hide_line(s, len, 0);
}

/* ---- arguments ---- */

uint64_t redact_words(struct redact_word *words, size_t n)
{
	struct command c = { 0 };
	uint64_t hidden = 0;

	if (n)
		c.program = base_of(&words[0]);
	if (n > 1)
		c.verb = words[1];
	for (size_t i = 1; i < n; i++) {
		struct redact_word *w = &words[i];
		uint64_t now;

		if (asks_for_script(&words[i - 1])) {
			hidden += redact_line(w->s, &w->len);
			continue;
		}
		now = hide_word(&c, &words[i - 1], w);
		hidden += now ? now : hide_in(w->s, &w->len, false);
	}
	return hidden;
}

uint64_t redact_list(struct buf *list, size_t from)
{
	struct redact_word *words = NULL;
	size_t n = 0, cap = 0, out = from;
	uint64_t hidden;

	for (size_t at = from; at < list->len; at += words[n++].len + 1) {
		words = xgrow(words, &cap, n + 1, sizeof(*words));
		words[n] = (struct redact_word){ list->s + at, strnlen(list->s + at, list->len - at) };
	}
	hidden = redact_words(words, n);
	for (size_t i = 0; i < n && hidden; i++) {
		memmove(list->s + out, words[i].s, words[i].len);
		out += words[i].len;
		list->s[out++] = '\0';
	}
	if (hidden)
		list->len = out;
	free(words);
	return hidden;
}

/* ---- events ---- */

struct hiding {
	struct sink sink;
	struct sink *to;
	uint64_t *hidden;
	struct redact_word *words;
	size_t cap;
};

static void hide_args(struct hiding *h, struct et_event *ev)
{
	uint64_t hidden;

	h->words = xgrow(h->words, &h->cap, ev->nargs + 1, sizeof(*h->words));
	for (uint32_t i = 0; i < ev->nargs; i++)
		h->words[i] = (struct redact_word){ ev->bytes + ev->args[i].off, ev->args[i].len };
	hidden = redact_words(h->words, ev->nargs);
	for (uint32_t i = 0; i < ev->nargs; i++)
		ev->args[i].len = (uint32_t)h->words[i].len;
	if (!hidden)
		return;
	*h->hidden += hidden;
	/* drop its original lines and sizes, too, since they could reveal secrets */
	ev->raw_len = 0;
	ev->nlater = 0;
	ev->announced &= (uint8_t)~(1u << ET_ARGS);
}

/* A string that is a command line, or its options.  Return: how many secrets it had. */
static uint64_t hide_string(struct hiding *h, struct et_event *ev, unsigned int string)
{
	struct et_string *s = &ev->str[string];
	size_t len = s->len;
	uint64_t hidden;

	if (!et_has_string(ev, string))
		return 0;
	hidden = redact_line(ev->bytes + s->off, &len);
	*h->hidden += hidden;
	s->len = (uint32_t)len;
	return hidden;
}

static int hiding_item(struct sink *s, const void *item)
{
	struct hiding *h = (struct hiding *)s;
	const struct et_event *ev = item;
	struct et_event own;

	if (!ev->nargs && ev->kind != ET_K_SESSION && ev->kind != ET_K_ENV &&
	    ev->kind != ET_K_OUTPUT)
		return sink_item(h->to, ev);
	/* the bytes belong to the source, which does not read them again: change them in place */
	own = *ev;
	hide_args(h, &own);
	if (ev->kind == ET_K_SESSION)
		hide_string(h, &own, ET_S_SESSION_command);
	if (ev->kind == ET_K_ENV && hide_string(h, &own, ET_S_ENV_value))
		et_set_value(&own, ET_V_ENV_hidden, 1);
	if (ev->kind == ET_K_OUTPUT)
		hide_string(h, &own, ET_S_OUTPUT_text);
	return sink_item(h->to, &own);
}

static int hiding_end(struct sink *s)
{
	return sink_end(((struct hiding *)s)->to);
}

static void hiding_free(struct sink *s)
{
	struct hiding *h = (struct hiding *)s;

	sink_free(h->to);
	free(h->words);
	free(h);
}

struct sink *redact_sink(struct sink *to, uint64_t *hidden)
{
	static const struct sink_ops ops = { hiding_item, hiding_end, hiding_free };
	struct hiding *h = xcalloc(1, sizeof(*h));

	h->sink.ops = &ops;
	h->to = to;
	h->hidden = hidden;
	return &h->sink;
}
