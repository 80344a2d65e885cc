// SPDX-License-Identifier: LGPL-2.1
/* Sends requests to a ClickHouse server.  See server.h. */
#include "fleet/server.h"
#include "base/xalloc.h"
#include "fleet/server_pack.h"

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Maximum bytes of an answer; answers for people are shorter. */
#define ANSWER_MOST	(256ul << 20)
/* Delay before the second attempt, in ms; it doubles before each further one. */
#define WAIT_FIRST	500u
#define WAIT_MOST	30000u

struct server {
	struct diag *diag;
	char *url;		/* URL of the server, without user and query */
	char *database;
	struct curl_slist *headers;	/* headers of each request */
	struct curl_slist *packed;	/* headers of requests with compressed rows */
	enum server_packing packing;
	uint64_t retries;
	CURL *curl;
	bool of_clickhouse;	/* the answer has a header of ClickHouse */
	struct buf answer, rows;
	char why[CURL_ERROR_SIZE];
};

/* What to do about an error. */
struct server_error {
	int code;		/* error code of ClickHouse */
	bool again;		/* it may be temporary: try again */
	const char *advice;	/* NULL if none */
};

static const char no_tables[] = "'etrace push --init' makes the tables";
static const char no_user[] = "give --user, and --password-file or $ETRACE_FLEET_PASSWORD";
static const char not_allowed[] = "that user needs more privileges";

static const struct server_error errors[] = {
	{ 60, false, no_tables },
	{ 81, false, no_tables },
	{ 192, false, no_user },
	{ 193, false, no_user },
	{ 194, false, no_user },
	{ 516, false, no_user },
	{ 164, false, not_allowed },
	{ 291, false, not_allowed },
	{ 497, false, not_allowed },
	{ 75, true, NULL },		/* CANNOT_WRITE_TO_FILE_DESCRIPTOR: old server, disk full */
	{ 159, true, NULL },		/* TIMEOUT_EXCEEDED */
	{ 173, true, NULL },		/* CANNOT_ALLOCATE_MEMORY */
	{ 202, true, NULL },		/* TOO_MANY_SIMULTANEOUS_QUERIES */
	{ 209, true, NULL },		/* SOCKET_TIMEOUT */
	{ 210, true, NULL },		/* NETWORK_ERROR */
	{ 225, true, NULL },		/* NO_ZOOKEEPER */
	{ 236, true, NULL },		/* ABORTED */
	{ 241, true, NULL },		/* MEMORY_LIMIT_EXCEEDED */
	{ 242, true, NULL },		/* TABLE_IS_READ_ONLY */
	{ 243, true, "the server's disk is full" },
	{ 252, true, "the server merges too slowly" },	/* TOO_MANY_PARTS */
	{ 279, true, NULL },		/* ALL_CONNECTION_TRIES_FAILED */
	{ 285, true, NULL },		/* TOO_FEW_LIVE_REPLICAS */
	{ 319, true, NULL },		/* UNKNOWN_STATUS_OF_INSERT */
	{ 439, true, NULL },		/* CANNOT_SCHEDULE_TASK */
	{ 999, true, NULL },		/* KEEPER_EXCEPTION */
	{ 1000, true, NULL },		/* POCO_EXCEPTION: files, network */
	{ 1001, true, NULL },		/* STD_EXCEPTION: memory */
	{ 0 }
};

static const struct diag_kind tried_again = {
	"requests to the server, tried again", DIAG_NOTE
};

/* ---- a server ---- */

static bool is_word(const char *s)
{
	return *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

static bool is_here(const char *host)
{
	/* 127.example.com is somewhere else */
	return !strcmp(host, "localhost") || !strcmp(host, "[::1]") ||
	       (!strncmp(host, "127.", 4) && !host[strspn(host, "0123456789.")]);
}

static char *part_of(CURLU *u, CURLUPart part)
{
	char *s = NULL;

	return curl_url_get(u, part, &s, 0) ? NULL : s;
}

/* Check a URL. @user: set to its user, for curl_free(), or NULL. Return false after diag_fatal() */
static bool check_url(struct server *s, const char *url, CURLU *u, char **user)
{
	static const char forms[] = "give http://HOST:8123 or https://HOST:8443";
	char *scheme = part_of(u, CURLUPART_SCHEME), *host = part_of(u, CURLUPART_HOST);
	char *password = part_of(u, CURLUPART_PASSWORD), *query = part_of(u, CURLUPART_QUERY);
	CURLUcode code = curl_url_get(u, CURLUPART_USER, user, CURLU_URLDECODE);
	bool good = false;

	/* do not print the URL: messages end up in logs */
	if (password || (query && strstr(query, "password")))
		diag_fatal(s->diag, "the URL holds a password, which other users could see in the list of processes: use --password-file or $ETRACE_FLEET_PASSWORD");
	else if (!host || (strcmp(scheme, "http") && strcmp(scheme, "https")))
		diag_fatal(s->diag, "%s: not the URL of a server: %s", url, forms);
	else if (query)
		diag_fatal(s->diag, "%s: the part after ? would not be sent: %s; use --database",
			   url, forms);
	else if (code && code != CURLUE_NO_USER)
		diag_fatal(s->diag, "%s: the user in it is not text", url);
	else
		good = true;
	curl_free(scheme);
	curl_free(host);
	curl_free(password);
	curl_free(query);
	return good;
}

/* Check and set the server's URL.  @user: as in check_url(); @here: its host is this machine */
static bool take_url(struct server *s, const char *url, char **user, bool *here)
{
	CURLU *u = curl_url();
	char *host, *whole = NULL;

	*user = NULL;
	if (!u)
		xalloc_failed(1);
	if (curl_url_set(u, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME)) {
		/* the URL may contain a password before "@", or after "?" */
		diag_fatal(s->diag, "%s: not the URL of a server: give http://HOST:8123 or https://HOST:8443",
			   strchr(url, '@') || strchr(url, '?') ? "that" : url);
	} else if (check_url(s, url, u, user)) {
		host = part_of(u, CURLUPART_HOST);
		*here = host && is_here(host);
		curl_free(host);
		curl_url_set(u, CURLUPART_USER, NULL, 0);
		curl_url_set(u, CURLUPART_FRAGMENT, NULL, 0);
		if (!curl_url_get(u, CURLUPART_URL, &whole, 0) && whole)
			s->url = xstrdup(whole);
		curl_free(whole);
	}
	curl_url_cleanup(u);
	return s->url;
}

/* Warn if others can read the file, but use it: some systems mount secrets that way. */
static void check_mode(FILE *f, const char *path, struct diag *diag)
{
	static const struct diag_kind open_to_all = {
		"password files that every user of this machine can read", DIAG_NOTE
	};
	struct stat st;

	if (!fstat(fileno(f), &st) && S_ISREG(st.st_mode) && st.st_mode & 0004)
		diag_report(diag, &open_to_all, path, DIAG_NOWHERE, 0,
			    "can be read by every user of this machine: chmod 600");
}

/* Return: the first line of a file, to be freed; NULL after diag_fatal(). */
static char *first_line(const char *path, struct diag *diag)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n = f ? getline(&line, &cap, f) : -1;

	if (n < 0 || strlen(line) != (size_t)n) {
		diag_fatal(diag, "%s: cannot read a password from it: %s", path,
			   n >= 0 ? "there is a NUL in it" :
			   !f || ferror(f) ? strerror(errno) : "it is empty");
		free(line);
		line = NULL;
	} else {
		check_mode(f, path, diag);
		line[strcspn(line, "\n")] = '\0';
		/* a file with CRLF line ends */
		n = (ssize_t)strlen(line);
		if (n && line[n - 1] == '\r')
			line[n - 1] = '\0';
	}
	if (f)
		fclose(f);
	return line;
}

static void add_header(struct curl_slist **to, const char *name, const char *value)
{
	struct buf b = { 0 };
	struct curl_slist *more;

	buf_adds(&b, name);
	buf_adds(&b, value);
	buf_addc(&b, '\0');
	more = curl_slist_append(*to, b.s);
	if (!more)
		xalloc_failed(b.len);
	*to = more;
	/* it may be a password */
	explicit_bzero(b.s, b.len);
	buf_free(&b);
}

/*
 * Add user and password.  @safe: nobody else can read the connection.  False after diag_fatal().
 */
static bool take_user(struct server *s, const struct server_options *o, const char *in_url,
		      bool safe)
{
	const char *user = o->user ? o->user : in_url ? in_url : getenv("ETRACE_FLEET_USER");
	const char *password = getenv("ETRACE_FLEET_PASSWORD");
	char *line = NULL;
	bool good = false;

	if (o->password_file) {
		line = first_line(o->password_file, s->diag);
		password = line;
		if (!line)
			return false;
	}
	if ((user && strpbrk(user, "\r\n")) || (password && strpbrk(password, "\r\n")))
		diag_fatal(s->diag, "a user or a password has more than one line");
	else if (password && *password && !safe)
		diag_fatal(s->diag, "%s: a password is not sent unencrypted to another machine: use https://",
			   s->url);
	else
		good = true;
	if (good && user)
		add_header(&s->headers, "X-ClickHouse-User: ", user);
	if (good && password && *password)
		add_header(&s->headers, "X-ClickHouse-Key: ", password);
	if (line)
		explicit_bzero(line, strlen(line));
	free(line);
	return good;
}

static void copy_headers(struct server *s)
{
	const char *coding = server_coding(s->packing);

	for (const struct curl_slist *h = s->headers; h; h = h->next)
		add_header(&s->packed, h->data, "");
	if (coding)
		add_header(&s->packed, "Content-Encoding: ", coding);
}

static size_t take_answer(char *data, size_t size, size_t n, void *ctx)
{
	struct server *s = ctx;

	if (s->answer.len + size * n > ANSWER_MOST)
		return 0;
	buf_add(&s->answer, data, size * n);
	return size * n;
}

/* Other servers may answer 200 to everything, such as a login page. */
static size_t take_header(char *data, size_t size, size_t n, void *ctx)
{
	static const char own[] = "X-ClickHouse-";
	struct server *s = ctx;

	if (size * n > sizeof(own) && !strncasecmp(data, own, sizeof(own) - 1))
		s->of_clickhouse = true;
	return size * n;
}

static bool start_server(struct server *s, const struct server_options *o, bool here)
{
	long timeout = (long)o->timeout;

	s->curl = curl_easy_init();
	if (!s->curl)
		return false;
	curl_easy_setopt(s->curl, CURLOPT_NOSIGNAL, 1l);
	curl_easy_setopt(s->curl, CURLOPT_ERRORBUFFER, s->why);
	curl_easy_setopt(s->curl, CURLOPT_WRITEFUNCTION, take_answer);
	curl_easy_setopt(s->curl, CURLOPT_WRITEDATA, s);
	curl_easy_setopt(s->curl, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(s->curl, CURLOPT_HEADERDATA, s);
	curl_easy_setopt(s->curl, CURLOPT_CONNECTTIMEOUT, timeout);
	curl_easy_setopt(s->curl, CURLOPT_LOW_SPEED_LIMIT, 1l);
	curl_easy_setopt(s->curl, CURLOPT_LOW_SPEED_TIME, timeout);
	curl_easy_setopt(s->curl, CURLOPT_TCP_KEEPALIVE, 1l);
	curl_easy_setopt(s->curl, CURLOPT_USERAGENT, "etrace/" ETRACE_VERSION);
	/* a proxy in $http_proxy would look for the host on itself, or could read a password */
	if (here)
		curl_easy_setopt(s->curl, CURLOPT_PROXY, "");
	if (o->cacert)
		curl_easy_setopt(s->curl, CURLOPT_CAINFO, o->cacert);
	return true;
}

struct server *server_new(const struct server_options *o, struct diag *diag)
{
	struct server *s;
	char *user = NULL;
	bool here = false, good;

	s = xcalloc(1, sizeof(*s));
	s->diag = diag;
	s->retries = o->retries;
	s->database = xstrdup(o->database ? o->database : SERVER_DATABASE);
	good = is_word(s->database);
	if (!good)
		diag_fatal(diag, "--database %s: a name has only letters, digits and _", s->database);
	good = good && take_url(s, o->url, &user, &here);
	if (good && !here && !o->plain && !strncmp(s->url, "http:", 5)) {
		diag_fatal(s->diag, "%s: the names and commands of builds would be sent unencrypted: use https://, or allow it by --plain-http",
			   s->url);
		good = false;
	}
	/* without "Expect: 100-continue", libcurl sends the body without waiting */
	add_header(&s->headers, "Expect:", "");
	good = good && take_user(s, o, user, here || !strncmp(s->url, "https:", 6));
	curl_free(user);
	s->packing = o->packing != SERVER_AUTO ? o->packing : here ? SERVER_PLAIN : SERVER_GZIP;
	copy_headers(s);
	if (good && !start_server(s, o, here)) {
		diag_fatal(diag, "libcurl cannot be started");
		good = false;
	}
	if (!good) {
		server_free(s);
		return NULL;
	}
	return s;
}

static void free_headers(struct curl_slist *list)
{
	for (struct curl_slist *h = list; h; h = h->next)
		explicit_bzero(h->data, strlen(h->data));
	curl_slist_free_all(list);
}

void server_free(struct server *s)
{
	if (!s)
		return;
	if (s->curl)
		curl_easy_cleanup(s->curl);
	free_headers(s->headers);
	free_headers(s->packed);
	buf_free(&s->answer);
	buf_free(&s->rows);
	free(s->url);
	free(s->database);
	free(s);
}

const char *server_url(const struct server *s)
{
	return s->url;
}

const char *server_database(const struct server *s)
{
	return s->database;
}

/* ---- a request ---- */

/* Why a request failed, and whether to try again. */
struct trouble {
	bool again;
	struct buf why;		/* reason, with a NUL at its end */
};

static void no_answer(struct server *s, CURLcode code, struct trouble *t)
{
	static const CURLcode final[] = {
		CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
		CURLE_WRITE_ERROR, CURLE_UNSUPPORTED_PROTOCOL, CURLE_OUT_OF_MEMORY,
	};

	t->again = true;
	for (size_t i = 0; i < sizeof(final) / sizeof(*final); i++)
		t->again &= code != final[i];
	if (code == CURLE_WRITE_ERROR)
		buf_adds(&t->why, "the answer is too long");
	else
		buf_adds(&t->why, *s->why ? s->why : curl_easy_strerror(code));
}

/* Append the first line of an error, without details for developers of ClickHouse. */
static void add_reason(struct buf *to, const struct buf *answer)
{
	static const char *const ends[] = { ", e.what()", ": (while reading", " (version ", "\n", NULL };
	size_t len = answer->len < 400 ? answer->len : 400;

	for (const char *const *e = ends; *e; e++) {
		const char *at = len ? memmem(answer->s, len, *e, strlen(*e)) : NULL;

		len = at ? (size_t)(at - answer->s) : len;
	}
	for (size_t i = 0; i < len; i++)
		buf_addc(to, (unsigned char)answer->s[i] < ' ' || answer->s[i] == 127 ? '?' : answer->s[i]);
}

static const char *error_at(const struct buf *answer)
{
	static const char head[] = "Code: ";
	const char *at = answer->len ? memmem(answer->s, answer->len, head, sizeof(head) - 1) : NULL;

	/* ClickHouse's texts: DB::Exception, Poco::Exception, std::exception */
	return at && memmem(answer->s, answer->len, "xception", 8) ? at : NULL;
}

static void bad_answer(struct server *s, long status, struct trouble *t)
{
	static const struct server_error unknown = { 0 };
	const struct server_error *e = errors;
	const char *at = error_at(&s->answer);
	int code = 0;

	for (const char *p = at ? at + 6 : ""; *p >= '0' && *p <= '9' && code < 100000; p++)
		code = code * 10 + *p - '0';
	while (e->code && e->code != code)
		e++;
	if (!e->code)
		e = &unknown;
	t->again = at ? e->again : status == 408 || status == 429 || status >= 502;
	if (!at) {
		buf_adds(&t->why, "this is not the answer of a ClickHouse server: HTTP status ");
		buf_addu(&t->why, (uint64_t)status);
		if (s->answer.len)
			buf_adds(&t->why, ", ");
	}
	add_reason(&t->why, &s->answer);
	if (e->advice) {
		buf_adds(&t->why, ": ");
		buf_adds(&t->why, e->advice);
	}
}

/*
 * Send a request once, and set s->answer.
 * @query: statement for the URL; NULL if the body is the statement
 * @empty: the answer to a successful request is empty
 *
 * Return: false on failure; @t is set then.
 */
static bool send_request(struct server *s, const char *query, const void *body, size_t size,
			 bool packed,
			 bool empty, struct trouble *t)
{
	char *escaped = query ? curl_easy_escape(s->curl, query, 0) : NULL;
	struct buf url = { 0 };
	long status = 0;
	CURLcode code;

	/* so that an error late in the query also sets the HTTP status */
	buf_adds(&url, s->url);
	buf_adds(&url, "?wait_end_of_query=1");
	if (query) {
		/* let a Distributed table confirm rows only when its shards have them */
		buf_adds(&url, "&insert_distributed_sync=1&query=");
		buf_adds(&url, escaped ? escaped : "");
	}
	buf_addc(&url, '\0');
	s->answer.len = 0;
	s->of_clickhouse = false;
	*s->why = '\0';
	curl_easy_setopt(s->curl, CURLOPT_URL, url.s);
	curl_easy_setopt(s->curl, CURLOPT_HTTPHEADER, packed ? s->packed : s->headers);
	/*
	 * If a reused connection ends without an answer, libcurl repeats the request by itself:
	 * rows could then be stored twice, in one part.
	 */
	curl_easy_setopt(s->curl, CURLOPT_FRESH_CONNECT, (long)empty);
	/* with NULL, libcurl would read standard input */
	curl_easy_setopt(s->curl, CURLOPT_POSTFIELDS, size ? body : "");
	curl_easy_setopt(s->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
	code = curl_easy_perform(s->curl);
	curl_free(escaped);
	buf_free(&url);
	t->why.len = 0;
	t->again = false;
	if (code) {
		no_answer(s, code, t);
	} else {
		curl_easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &status);
		if (status == 200 && s->of_clickhouse && !(empty && s->answer.len))
			return true;
		bad_answer(s, status, t);
	}
	buf_addc(&t->why, '\0');
	return false;
}

static void wait_before(struct server *s, uint64_t attempt, const struct trouble *t)
{
	uint64_t ms = attempt < 16 ? WAIT_FIRST << (attempt - 1) : WAIT_MOST;
	uint32_t r;

	ms = ms < WAIT_MOST ? ms : WAIT_MOST;
	if (t)
		diag_report(s->diag, &tried_again, s->url, DIAG_NOWHERE, 0,
			    "%s; tried again", t->why.s);
	/* random, so that clients refused at the same time do not all return together */
	if (getrandom(&r, sizeof(r), GRND_NONBLOCK) != sizeof(r))
		r = (uint32_t)getpid();
	poll(NULL, 0, (int)(ms / 2 + r % (ms / 2 + 1)));
}

bool server_do(struct server *s, const char *sql)
{
	struct trouble t = { 0 };
	bool good = false;

	for (uint64_t attempt = 0;; attempt++) {
		if (attempt)
			wait_before(s, attempt, &t);
		good = send_request(s, NULL, sql, strlen(sql), false, false, &t);
		if (good || !t.again || attempt == s->retries)
			break;
	}
	if (!good)
		diag_fatal(s->diag, "%s: %s", s->url, t.why.s);
	buf_free(&t.why);
	return good;
}

bool server_ask(struct server *s, const char *sql, struct server_answer *to)
{
	struct buf b = { 0 };
	bool good;

	*to = (struct server_answer){ 0 };
	buf_adds(&b, sql);
	buf_adds(&b, "\nFORMAT TabSeparatedWithNames");
	buf_addc(&b, '\0');
	good = server_do(s, b.s);
	buf_free(&b);
	if (good && !server_answer_read(to, s->answer.s, s->answer.len)) {
		diag_fatal(s->diag, "%s: the answer is not a table: is that a ClickHouse server?", s->url);
		good = false;
	}
	return good;
}

enum server_sent server_send(struct server *s, const char *sql, const void *rows, size_t size,
			     uint64_t attempt)
{
	enum server_sent sent = SERVER_SENT;
	struct trouble t = { 0 };
	bool packed = s->packing != SERVER_PLAIN;

	if (attempt)
		wait_before(s, attempt, NULL);
	if (packed) {
		server_pack(s->packing, rows, size, &s->rows);
		rows = s->rows.s;
		size = s->rows.len;
	}
	if (!send_request(s, sql, rows, size, packed, true, &t)) {
		sent = t.again && attempt < s->retries ? SERVER_AGAIN : SERVER_FAILED;
		if (sent == SERVER_FAILED)
			diag_fatal(s->diag, "%s: %s", s->url, t.why.s);
		else
			diag_report(s->diag, &tried_again, s->url, DIAG_NOWHERE, 0,
				    "%s; tried again", t.why.s);
	}
	buf_free(&t.why);
	return sent;
}
