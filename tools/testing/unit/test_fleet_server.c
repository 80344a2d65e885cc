// SPDX-License-Identifier: GPL-2.0
/*
 * Requests to a ClickHouse server, which is a thread here with the replies of the test:
 * user/fleet/server.h and server_pack.h.
 */
#include "fleet/server.h"
#include "fleet/server_pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* ---- a server ---- */

#define MOST 16

/* What the server does with a request. */
struct reply {
	int status;		/* 0: close the connection without a reply */
	const char *headers;	/* further ones, each with its line end; or NULL */
	const char *body;
	bool cut;		/* send half of the body, and close the connection */
	bool stranger;		/* do not identify as ClickHouse */
};

static struct {
	int listener;
	uint16_t port;
	pthread_t thread, connections[MOST];
	pthread_mutex_t one;	/* one request at a time */
	const struct reply *replies;	/* the last one also answers all later requests */
	size_t nreplies;
	struct {
		char head[4096];
		struct buf body;
	} seen[MOST];
	size_t nseen;
	size_t nconnections;
} there = { .one = PTHREAD_MUTEX_INITIALIZER };

static const char *header_of(const char *head, const char *name)
{
	const char *at = strcasestr(head, name);

	return at ? at + strlen(name) : NULL;
}

/* Return: false if the connection has ended. */
static bool take_request(FILE *f, char *head, size_t room, struct buf *body)
{
	size_t len = 0, n;
	const char *length;

	while (fgets(head + len, (int)(room - len), f)) {
		n = strlen(head + len);
		len += n;
		if (n != 2)
			continue;
		length = header_of(head, "\r\nContent-Length:");
		n = length ? strtoul(length, NULL, 10) : 0;
		if (fread(buf_room(body, n + 1), 1, n, f) != n)
			return false;
		body->len = n;
		body->s[n] = '\0';
		return true;
	}
	return false;
}

/* Return: whether the connection stays open. */
static bool give_reply(FILE *f, const struct reply *r)
{
	size_t n;

	if (!r->status)
		return false;
	n = strlen(r->body);
	fprintf(f, "HTTP/1.1 %d Somehow\r\nContent-Length: %zu\r\n%s%s\r\n", r->status, n,
		r->stranger ? "" : "X-ClickHouse-Server-Display-Name: here\r\n",
		r->headers ? r->headers : "");
	fwrite(r->body, 1, r->cut ? n / 2 : n, f);
	return !fflush(f) && !r->cut;
}

static void *serve_connection(void *ctx)
{
	int fd = (int)(intptr_t)ctx;
	FILE *in = fdopen(fd, "r"), *out = fdopen(dup(fd), "w");
	bool goes_on = true;

	while (goes_on) {
		char head[sizeof(there.seen->head)];
		struct buf body = { 0 };

		goes_on = take_request(in, head, sizeof(head), &body);
		if (!goes_on) {
			buf_free(&body);
			break;
		}
		pthread_mutex_lock(&there.one);
		if (there.nseen == MOST)
			abort();
		memcpy(there.seen[there.nseen].head, head, sizeof(head));
		there.seen[there.nseen].body = body;
		goes_on = give_reply(out, &there.replies[there.nseen < there.nreplies ? there.nseen :
							 there.nreplies - 1]);
		there.nseen++;
		pthread_mutex_unlock(&there.one);
	}
	fclose(in);
	fclose(out);
	return NULL;
}

static void *serve(void *ctx)
{
	int fd;

	while ((fd = accept(there.listener, NULL, NULL)) >= 0) {
		if (there.nconnections == MOST ||
		    pthread_create(&there.connections[there.nconnections++], NULL, serve_connection,
				   (void *)(intptr_t)fd))
			abort();
	}
	return ctx;
}

static void begin_server(const struct reply *replies, size_t n)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);

	there.replies = replies;
	there.nreplies = n;
	there.nseen = 0;
	there.nconnections = 0;
	there.listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(there.listener, (struct sockaddr *)&at, len), 0);
	assert_int_equal(listen(there.listener, 8), 0);
	assert_int_equal(getsockname(there.listener, (struct sockaddr *)&at, &len), 0);
	there.port = ntohs(at.sin_port);
	assert_int_equal(pthread_create(&there.thread, NULL, serve, NULL), 0);
}

/* Stop the server; the requests it got are kept. */
static void end_server(void)
{
	shutdown(there.listener, SHUT_RDWR);
	pthread_join(there.thread, NULL);
	for (size_t i = 0; i < there.nconnections; i++)
		pthread_join(there.connections[i], NULL);
	close(there.listener);
}

static void forget(void)
{
	for (size_t i = 0; i < MOST; i++)
		buf_free(&there.seen[i].body);
}

/* ---- the client ---- */

static char url[64];
static char *diag_text;
static size_t diag_len;
static FILE *to;
static struct diag *diag;

static void begin_diag(void)
{
	to = open_memstream(&diag_text, &diag_len);
	diag = diag_new(to, "test");
}

/* The messages, valid until the next call. */
static const char *end_diag(void)
{
	static char text[4096];

	diag_free(diag);
	fclose(to);
	snprintf(text, sizeof(text), "%s", diag_text);
	free(diag_text);
	return text;
}

static struct server *begin(const struct reply *replies, size_t n, struct server_options o)
{
	struct server *s;

	begin_server(replies, n);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", there.port);
	if (!o.url)
		o.url = url;
	if (!o.timeout)
		o.timeout = 5;
	begin_diag();
	s = server_new(&o, diag);
	assert_non_null(s);
	return s;
}

static const char *end(struct server *s)
{
	server_free(s);
	end_server();
	return end_diag();
}

#define REPLY(status_, text) { .status = status_, .body = text }
#define CLOSES { 0 }
#define REPLIES(...) (const struct reply[]){ __VA_ARGS__ }, \
	sizeof((const struct reply[]){ __VA_ARGS__ }) / sizeof(struct reply)
#define WITH(...) (struct server_options){ __VA_ARGS__ }

static void assert_has(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("\"%s\" is not in \"%s\"", what, text);
}

static void assert_not_has(const char *text, const char *what)
{
	if (strstr(text, what))
		fail_msg("\"%s\" is in \"%s\"", what, text);
}

/* ---- requests ---- */

static void test_query(void **state)
{
	struct server *s = begin(REPLIES(REPLY(200, "a\tb\n1\tx\\ty\n\\N\t\n")),
				 WITH(.user = "me", .database = "d_1"));
	struct server_answer a;

	(void)state;
	assert_true(server_ask(s, "SELECT a, b", &a));
	assert_int_equal(a.nrows, 2);
	assert_int_equal(a.ncolumns, 2);
	assert_string_equal(a.names[1], "b");
	assert_string_equal(a.cells[0], "1");
	assert_string_equal(a.cells[1], "x\ty");
	assert_int_equal(a.lens[1], 3);
	assert_null(a.cells[2]);
	assert_string_equal(a.cells[3], "");
	server_answer_free(&a);
	assert_string_equal(server_database(s), "d_1");
	assert_string_equal(end(s), "");
	assert_int_equal(there.nseen, 1);
	assert_string_equal(there.seen[0].body.s, "SELECT a, b\nFORMAT TabSeparatedWithNames");
	assert_has(there.seen[0].head, "POST /?wait_end_of_query=1 HTTP/1.1\r\n");
	assert_has(there.seen[0].head, "\r\nX-ClickHouse-User: me\r\n");
	assert_not_has(there.seen[0].head, "X-ClickHouse-Key");
	assert_not_has(there.seen[0].head, "Expect");
	forget();
}

static void test_retry_after_refusal(void **state)
{
	struct server *s = begin(REPLIES(REPLY(503, "busy"), CLOSES, REPLY(200, "")),
				 WITH(.retries = 2));
	const char *messages;

	(void)state;
	assert_true(server_do(s, "CREATE"));
	assert_int_equal(diag_status(diag), 0);
	messages = end(s);
	assert_has(messages, "HTTP status 503, busy; tried again");
	assert_int_equal(there.nseen, 3);
	forget();
}

static void test_retries_exhausted(void **state)
{
	struct server *s = begin(REPLIES(REPLY(503, "")), WITH(.retries = 1));

	(void)state;
	assert_false(server_do(s, "CREATE"));
	assert_int_equal(diag_status(diag), 2);
	assert_has(end(s), "this is not the answer of a ClickHouse server: HTTP status 503");
	assert_int_equal(there.nseen, 2);
	forget();
}

/* Permanent errors are not retried; of the server's text, only what users need is printed. */
static void test_permanent_errors(void **state)
{
	static const struct {
		struct reply reply;
		const char *messages;
		size_t times;
	} rows[] = {
		{ REPLY(404, "Code: 60, e.displayText() = DB::Exception: Table d.t doesn't exist., e.what() = DB::Exception\n"),
		  "Table d.t doesn't exist.: 'etrace push --init' makes the tables\n", 1 },
		{ REPLY(404, "Code: 60. DB::Exception: Table d.t does not exist. (UNKNOWN_TABLE) (version 24.8.1)\n"),
		  "does not exist. (UNKNOWN_TABLE): 'etrace push --init' makes the tables\n", 1 },
		{ REPLY(500, "Code: 243. DB::Exception: Cannot reserve 1.00 MiB (version 24)\n"),
		  "the server's disk is full", 2 },
		{ REPLY(500, "Code: 75, e.displayText() = DB::ErrnoException: Cannot write to file /d/x.bin, errno: 28, strerror: No space left on device, e.what() = DB::ErrnoException\n"),
		  "No space left on device", 2 },
		{ REPLY(500, "Poco::Exception. Code: 1000, e.code() = 28, e.displayText() = File access error: no space left on device: /d/x, e.what() = File access error\n"),
		  "127.0.0.1:PORT/: Poco::Exception. Code: 1000", 2 },
		{ REPLY(500, "Code: 241, e.displayText() = DB::Exception: Memory limit, e.what() = x"),
		  "Memory limit", 2 },
		{ REPLY(200, "Code: 241, e.displayText() = DB::Exception: Memory limit, e.what() = x"),
		  "Memory limit", 2 },
		{ REPLY(500, "Code: 99999999999999999999, DB::Exception: ?"), "DB::Exception: ?", 1 },
		{ REPLY(500, "Code: , DB::Exception"), "Code: , DB::", 1 },
		{ REPLY(500, "\x1b[31mred\x7f\n"), "HTTP status 500, ?[31mred?\n", 1 },
		{ REPLY(500, ""), "HTTP status 500\n", 1 },
		{ { .status = 302, .headers = "Location: http://127.0.0.1:1/\r\n", .body = "" }, "HTTP status 302", 1 },
		{ { .status = 200, .body = "<html>\n<p>Log in\n</html>\n", .stranger = true }, "HTTP status 200, <html>\n", 1 },
		{ { .status = 200, .body = "", .stranger = true }, "HTTP status 200", 1 },
		{ { .status = 200, .body = "whatever this is\n", .cut = true }, "transfer closed", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct server *s = begin(&rows[i].reply, 1, WITH(.retries = 1));
		const char *messages;
		char *port;

		assert_int_equal(server_send(s, "INSERT", "x", 1, 1), SERVER_FAILED);
		assert_int_equal(server_send(s, "INSERT", "x", 1, 0),
				 rows[i].times == 1 ? SERVER_FAILED : SERVER_AGAIN);
		messages = end(s);
		port = strstr(messages, url + strlen("http://127.0.0.1"));
		assert_non_null(port);
		memmove(port + 5, port + strlen(url) - strlen("http://127.0.0.1"),
			strlen(port + strlen(url) - strlen("http://127.0.0.1")) + 1);
		memcpy(port, ":PORT", 5);
		assert_has(messages, rows[i].messages);
		assert_not_has(messages, "e.what");
		assert_not_has(messages, "(version");
		assert_int_equal(there.nseen, 2);
		forget();

		/* the same for statements, but a reply with status 200 is not checked there */
		if (rows[i].reply.status == 200 && !rows[i].reply.stranger)
			continue;
		s = begin(&rows[i].reply, 1, WITH(.retries = 1));
		assert_false(server_do(s, "CREATE"));
		end(s);
		assert_int_equal(there.nseen, rows[i].times);
		forget();
	}
}

static void test_missing_tables(void **state)
{
	static const struct reply replies[] = {
		REPLY(200, ""), REPLY(200, "a\tb\n1\n"), REPLY(200, "a\n1"),
		{ .status = 200, .body = "<html>\n", .stranger = true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(replies) / sizeof(*replies); i++) {
		struct server *s = begin(&replies[i], 1, WITH(0));
		struct server_answer a;

		assert_false(server_ask(s, "SELECT", &a));
		server_answer_free(&a);
		assert_int_equal(diag_status(diag), 2);
		assert_has(end(s), "ClickHouse server");
		forget();
	}
}

/*
 * Rows whose reply is lost may be stored.  Only the caller sends them again, with another
 * part number: with the same one they would count twice.
 */
static void test_rows_never_sent_again(void **state)
{
	struct server *s = begin(REPLIES(REPLY(200, "a\n1\n"), CLOSES, REPLY(200, "")),
				 WITH(.retries = 3));
	struct server_answer a;

	(void)state;
	/* the connection is kept for the next request */
	assert_true(server_ask(s, "SELECT a", &a));
	server_answer_free(&a);
	assert_int_equal(server_send(s, "INSERT INTO d.t FORMAT RowBinary", "rows", 4, 0), SERVER_AGAIN);
	assert_int_equal(server_send(s, "INSERT INTO d.t FORMAT RowBinary", "more", 4, 1), SERVER_SENT);
	assert_int_equal(diag_status(diag), 0);
	end(s);
	assert_int_equal(there.nseen, 3);
	assert_string_equal(there.seen[1].body.s, "rows");
	assert_string_equal(there.seen[2].body.s, "more");
	assert_has(there.seen[1].head,
		   "&query=INSERT%20INTO%20d.t%20FORMAT%20RowBinary HTTP");
	forget();
}

static void test_no_server(void **state)
{
	struct server_options o = { .url = url, .timeout = 5, .retries = 1 };
	struct server *s;
	const char *messages;

	(void)state;
	/* a port that is free */
	begin_server(REPLIES(CLOSES));
	end_server();
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", there.port);
	begin_diag();
	s = server_new(&o, diag);
	assert_non_null(s);
	assert_int_equal(server_send(s, "INSERT", NULL, 0, 0), SERVER_AGAIN);
	assert_int_equal(server_send(s, "INSERT", NULL, 0, 1), SERVER_FAILED);
	server_free(s);
	messages = end_diag();
	assert_has(messages, "connect");
	assert_has(messages, url);
}

/*
 * The server accepts the connection and then does nothing: the request fails after a second,
 * the shortest timeout.  Without one it would wait forever.
 */
static void test_server_never_replies(void **state)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct server_options o = { .url = url, .timeout = 1 };
	struct server *s;

	(void)state;
	assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
	assert_int_equal(listen(fd, 8), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", ntohs(at.sin_port));
	begin_diag();
	s = server_new(&o, diag);
	assert_false(server_do(s, "CREATE"));
	server_free(s);
	close(fd);
	end_diag();
}

/* ---- rows ---- */

static void test_compression(void **state)
{
	static char rows[200000], back[sizeof(rows)];
	static const struct {
		enum server_packing packing;
		const char *coding;
	} ways[] = {
		{ SERVER_AUTO, NULL },		/* this machine */
		{ SERVER_PLAIN, NULL },
		{ SERVER_GZIP, "gzip" },
		{ SERVER_ZSTD, "zstd" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows); i++)
		rows[i] = (char)(i * i >> 7);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct server *s = begin(REPLIES(REPLY(200, "")), WITH(.packing = ways[i].packing));
		z_stream z = { 0 };
		const char *coding, *body;
		size_t size;

		assert_int_equal(server_send(s, "INSERT", rows, sizeof(rows), 0), SERVER_SENT);
		/* nothing of the longer rows is sent with these */
		assert_int_equal(server_send(s, "INSERT", rows, 10, 0), SERVER_SENT);
		/* statements are not compressed */
		assert_true(server_do(s, "CREATE"));
		assert_string_equal(end(s), "");
		assert_string_equal(there.seen[2].body.s, "CREATE");
		assert_not_has(there.seen[2].head, "Content-Encoding");
		for (size_t k = 0; k < 2; k++) {
			size_t want = k ? 10 : sizeof(rows);

			coding = header_of(there.seen[k].head, "\r\nContent-Encoding: ");
			body = there.seen[k].body.s;
			size = there.seen[k].body.len;
			if (!ways[i].coding) {
				assert_null(coding);
				assert_int_equal(size, want);
				assert_memory_equal(body, rows, want);
			} else if (ways[i].packing == SERVER_ZSTD) {
				assert_memory_equal(coding, "zstd\r\n", 6);
				assert_int_equal(ZSTD_decompress(back, sizeof(back), body, size), want);
				assert_memory_equal(back, rows, want);
			} else {
				assert_memory_equal(coding, "gzip\r\n", 6);
				memset(&z, 0, sizeof(z));
				assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
				z.next_in = (Bytef *)(uintptr_t)body;
				z.avail_in = (uInt)size;
				z.next_out = (Bytef *)back;
				z.avail_out = sizeof(back);
				assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
				assert_int_equal(z.avail_in, 0);
				assert_int_equal(z.total_out, want);
				assert_memory_equal(back, rows, want);
				inflateEnd(&z);
			}
		}
		forget();
	}
}

/* ---- texts ---- */

static void test_quoted_text(void **state)
{
	struct buf b = { 0 };

	(void)state;
	server_text(&b, "a'b\\c\0d\n\t\r\b\f\"`", 14);
	server_text(&b, "", 0);
	buf_addc(&b, '\0');
	assert_string_equal(b.s, "'a\\'b\\\\c\\0d\\n\\t\\r\\b\\f\"`'''");
	buf_free(&b);
}

/* Random bytes without a terminator: nothing outside of them is read. */
static void test_hostile_replies(void **state)
{
	static const char bytes[] = "\\N\t\n\t\n\\\\a0'\r";
	uint64_t seed = 7;
	size_t taken = 0;

	(void)state;
	for (unsigned int i = 0; i < 200000; i++) {
		size_t len = i % 24;
		char *text = malloc(len ? len : 1);
		struct server_answer a = { 0 };

		for (size_t k = 0; k < len; k++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			text[k] = bytes[(seed >> 40) % (sizeof(bytes) - 1)];
		}
		if (server_answer_read(&a, text, len)) {
			taken++;
			assert_int_equal(text[len - 1], '\n');
			for (size_t k = 0; k < a.nrows * a.ncolumns; k++) {
				if (a.cells[k])
					assert_int_equal(a.cells[k][a.lens[k]], '\0');
				else
					assert_int_equal(a.lens[k], 0);
			}
			for (size_t k = 0; k < a.ncolumns; k++)
				assert_non_null(a.names[k]);
		}
		server_answer_free(&a);
		free(text);
	}
	/* some of them are valid tables */
	assert_in_range(taken, 1000, 150000);
}

/* A cell is NULL only if it is exactly \N. */
static void test_null(void **state)
{
	static const char text[] = "a\tb\tc\n\\N\t\\Nx\t\\\\N\n";
	struct server_answer a = { 0 };

	(void)state;
	assert_true(server_answer_read(&a, text, sizeof(text) - 1));
	assert_null(a.cells[0]);
	assert_string_equal(a.cells[1], "Nx");
	assert_string_equal(a.cells[2], "\\N");
	assert_int_equal(a.lens[2], 2);
	server_answer_free(&a);
}

/* ---- user and address ---- */

static void test_urls(void **state)
{
	static const struct {
		const char *url, *is, *messages;	/* @is NULL: refused, with the message @messages */
	} rows[] = {
		{ "http://ch.example:8123", "http://ch.example:8123/", "" },
		{ "https://ch.example/a/b", "https://ch.example/a/b", "" },
		{ "http://me@ch.example:8123/", "http://ch.example:8123/", "" },
		{ "http://ch.example/#x", "http://ch.example/", "" },
		{ "http://[::1]:8123", "http://[::1]:8123/", "" },
		{ "ch.example:8123", NULL, "give http://" },
		{ "ch.example", NULL, "give http://" },
		{ "", NULL, "give http://" },
		{ "ftp://ch.example", NULL, "give http://" },
		{ "file:///etc/passwd", NULL, "give http://" },
		{ "http://ch.example:99999", NULL, "give http://" },
		{ "http://me:secret@ch.example:8123", NULL, "password" },
		{ "http://me:@ch.example:8123", NULL, "password" },
		{ "http://me:secret@ch.example:99999", NULL, "URL" },
		{ "ftp://me:secret@ch.example", NULL, "URL" },
		{ "http://ch.example:8123/?password=secret", NULL, "password" },
		{ "http://ch.example:8123/?database=x", NULL, "?" },
		{ "http://a%0ab@ch.example:8123", NULL, "user" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct server_options o = { .url = rows[i].url, .plain = true };
		struct server *s;
		const char *messages;

		begin_diag();
		s = server_new(&o, diag);
		assert_int_equal(!s, diag_status(diag) == 2);
		if (!!s != !!rows[i].is)
			fail_msg("%s was %s", rows[i].url, s ? "accepted" : "refused");
		if (s)
			assert_string_equal(server_url(s), rows[i].is);
		server_free(s);
		messages = end_diag();
		if (s)
			assert_string_equal(messages, rows[i].messages);
		assert_has(messages, rows[i].messages);
		assert_not_has(messages, "secret");
	}
}

/* Build data go to another machine unencrypted only if --plain-http is given. */
static void test_no_unencrypted_upload(void **state)
{
	static const struct {
		const char *url;
		bool plain, taken;
	} rows[] = {
		{ "http://ch.example:8123", false, false }, { "http://ch.example:8123", true, true },
		{ "http://127.example.com", false, false }, { "http://10.0.0.1", false, false },
		{ "https://ch.example:8443", false, true }, { "http://127.0.0.1:8123", false, true },
		{ "http://localhost:8123", false, true }, { "http://[::1]:8123", false, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct server_options o = { .url = rows[i].url, .plain = rows[i].plain };
		struct server *s;
		const char *messages;

		begin_diag();
		s = server_new(&o, diag);
		if (!!s != rows[i].taken)
			fail_msg("%s was %s", rows[i].url, s ? "accepted" : "refused");
		server_free(s);
		messages = end_diag();
		assert_has(messages, rows[i].taken ? "" : "--plain-http");
	}
}

/* A user in the URL may be percent-encoded. */
static void test_user_in_url(void **state)
{
	struct server_options o = { .timeout = 5 };
	char with_user[128];
	struct server *s;

	(void)state;
	begin_server(REPLIES(REPLY(200, "")));
	snprintf(with_user, sizeof(with_user), "http://me%%40home@127.0.0.1:%u", there.port);
	o.url = with_user;
	begin_diag();
	s = server_new(&o, diag);
	assert_non_null(s);
	assert_true(server_do(s, "CREATE"));
	assert_not_has(server_url(s), "home");
	end(s);
	assert_has(there.seen[0].head, "\r\nX-ClickHouse-User: me@home\r\n");
	forget();
}

static void test_database_names(void **state)
{
	static const char *const bad[] = { "", "a.b", "a b", "a`", "a;DROP", "\xc3\xa4" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct server_options o = { .url = "http://ch.example", .database = bad[i] };

		begin_diag();
		assert_null(server_new(&o, diag));
		assert_has(end_diag(), "--database");
	}
}

static char password_file[] = "/tmp/etrace-password.XXXXXX";

static void put_password(const char *text, size_t len, mode_t mode)
{
	FILE *f = fopen(password_file, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(password_file, mode), 0);
}

static void test_password_file(void **state)
{
	struct server *s;

	(void)state;
	setenv("ETRACE_FLEET_PASSWORD", "of the environment", 1);
	put_password("se cret\nsecond line\n", 20, 0600);
	s = begin(REPLIES(REPLY(200, "")), WITH(.password_file = password_file, .packing = SERVER_GZIP));
	assert_true(server_do(s, "CREATE"));
	assert_int_equal(server_send(s, "INSERT", "x", 1, 0), SERVER_SENT);
	assert_string_equal(end(s), "");
	for (size_t i = 0; i < 2; i++) {
		assert_has(there.seen[i].head, "\r\nX-ClickHouse-Key: se cret\r\n");
		assert_null(strstr(there.seen[i].head, "second"));
	}
	forget();

	/* only a warning: some systems mount secrets with this mode */
	put_password("secret\r\n", 8, 0644);
	s = begin(REPLIES(REPLY(200, "")), WITH(.password_file = password_file));
	assert_true(server_do(s, "CREATE"));
	assert_int_equal(diag_status(diag), 0);
	assert_has(end(s), "can be read by every user");
	assert_has(there.seen[0].head, "\r\nX-ClickHouse-Key: secret\r\n");
	forget();

	s = begin(REPLIES(REPLY(200, "")), WITH(0));
	assert_true(server_do(s, "CREATE"));
	assert_string_equal(end(s), "");
	assert_has(there.seen[0].head, "\r\nX-ClickHouse-Key: of the environment\r\n");
	forget();
	unsetenv("ETRACE_FLEET_PASSWORD");
}

static void test_bad_password_files(void **state)
{
	struct server_options o = { .url = "https://ch.example", .password_file = password_file };

	(void)state;
	put_password("", 0, 0600);
	begin_diag();
	assert_null(server_new(&o, diag));
	assert_has(end_diag(), "it is empty");

	put_password("a\rX-Header: b\n", 14, 0600);
	begin_diag();
	o.user = "a\r\nX-Header: b";
	assert_null(server_new(&o, diag));
	assert_has(end_diag(), "more than one line");

	/* only a part of it would be sent */
	put_password("ab\0cd\n", 6, 0600);
	o.user = NULL;
	begin_diag();
	assert_null(server_new(&o, diag));
	assert_has(end_diag(), "NUL");

	o.password_file = "/";
	begin_diag();
	assert_null(server_new(&o, diag));
	assert_has(end_diag(), "/: cannot read a password from it");
	o.password_file = "/nothing/there";
	begin_diag();
	assert_null(server_new(&o, diag));
	assert_has(end_diag(), "No such file");
}

/* A password is not sent over a network unencrypted; to this machine it may be. */
static void test_no_unencrypted_passwords(void **state)
{
	static const struct {
		const char *url;
		bool refused;
	} rows[] = {
		{ "http://ch.example:8123", true },
		{ "http://127.0.0.1.ch.example:8123", true },
		{ "http://127.ch.example:8123", true },
		{ "http://localhost.ch.example:8123", true },
		{ "https://ch.example:8443", false },
		{ "http://127.0.0.1:8123", false },
		{ "http://127.1.2.3:8123", false },
		{ "http://localhost:8123", false },
		{ "http://[::1]:8123", false },
	};

	(void)state;
	put_password("secret\n", 7, 0600);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct server_options o = {
			.url = rows[i].url, .password_file = password_file, .plain = true,
		};
		struct server *s;

		begin_diag();
		s = server_new(&o, diag);
		if (!s != rows[i].refused)
			fail_msg("%s", rows[i].url);
		server_free(s);
		if (!!strstr(end_diag(), "use https://") != rows[i].refused)
			fail_msg("%s", rows[i].url);
		/* without a password that is allowed */
		o.password_file = NULL;
		begin_diag();
		s = server_new(&o, diag);
		assert_non_null(s);
		server_free(s);
		assert_string_equal(end_diag(), "");
	}
}

/* No proxy is used for this machine. */
static void test_no_proxy(void **state)
{
	struct server *s;

	(void)state;
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	s = begin(REPLIES(REPLY(200, "")), WITH(0));
	assert_true(server_do(s, "CREATE"));
	end(s);
	assert_int_equal(there.nseen, 1);
	forget();
	unsetenv("http_proxy");
}

static int make_file(void **state)
{
	int fd = mkstemp(password_file);

	(void)state;
	unsetenv("ETRACE_FLEET_USER");
	unsetenv("ETRACE_FLEET_PASSWORD");
	return fd < 0 || close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(password_file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_query),
		cmocka_unit_test(test_retry_after_refusal),
		cmocka_unit_test(test_retries_exhausted),
		cmocka_unit_test(test_permanent_errors),
		cmocka_unit_test(test_missing_tables),
		cmocka_unit_test(test_rows_never_sent_again),
		cmocka_unit_test(test_no_server),
		cmocka_unit_test(test_server_never_replies),
		cmocka_unit_test(test_compression),
		cmocka_unit_test(test_quoted_text),
		cmocka_unit_test(test_hostile_replies),
		cmocka_unit_test(test_null),
		cmocka_unit_test(test_urls),
		cmocka_unit_test(test_no_unencrypted_upload),
		cmocka_unit_test(test_user_in_url),
		cmocka_unit_test(test_database_names),
		cmocka_unit_test(test_password_file),
		cmocka_unit_test(test_bad_password_files),
		cmocka_unit_test(test_no_unencrypted_passwords),
		cmocka_unit_test(test_no_proxy),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
