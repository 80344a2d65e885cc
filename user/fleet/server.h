/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Sends statements, queries and rows to a ClickHouse server over HTTP (libcurl).
 *
 * A failed request is repeated if that may help, after increasing delays.  So running a
 * statement twice must be harmless.  Redirects are not followed.  Certificates are always
 * checked.
 */
#ifndef ETRACE_FLEET_SERVER_H
#define ETRACE_FLEET_SERVER_H

#include "base/buf.h"
#include "io/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Compression of rows.  SERVER_AUTO: gzip, or none if the server is this machine. */
enum server_packing { SERVER_AUTO, SERVER_PLAIN, SERVER_GZIP, SERVER_ZSTD };

#define SERVER_DATABASE "etrace"	/* default */

struct server_options {
	const char *url;	/* "http://HOST:8123", "https://HOST:8443/PATH" */
	const char *database;	/* NULL for SERVER_DATABASE */
	const char *user;	/* NULL for $ETRACE_FLEET_USER, or the server's default */
	const char *password_file;	/* with the password; NULL for $ETRACE_FLEET_PASSWORD */
	const char *cacert;	/* PEM file of certificate authorities; NULL for the system's */
	bool plain;		/* allow http to other machines */
	enum server_packing packing;	/* how rows are compressed */
	uint64_t retries;	/* maximum for each request */
	uint64_t timeout;	/* s, to connect and for times without data */
};

struct server;

/**
 * server_new - prepare requests to a server; sends nothing
 *
 * Return: the server, for server_free(); NULL after diag_fatal(), if the URL is invalid or
 * contains a password, the password file cannot be read, or the URL is http to another machine,
 * and there is a password or .plain is not set.
 */
struct server *server_new(const struct server_options *o, struct diag *diag);
void server_free(struct server *s);

/** server_url - URL for messages; server_database - name of the database, needs no quotes */
const char *server_url(const struct server *s);
const char *server_database(const struct server *s);


/** server_do - run a statement that has no answer.  Return: false after diag_fatal() */
bool server_do(struct server *s, const char *sql);

/* An answer: a table of texts. */
struct server_answer {
	char **cells;		/* nrows * ncolumns texts, row by row; NULL for SQL's NULL */
	size_t *lens;		/* bytes of each cell, without its NUL */
	char **names;		/* names of the columns */
	size_t nrows, ncolumns;
	struct buf text;	/* storage of all of them */
};

/**
 * server_ask - run a SELECT without FORMAT
 * @to: set to the answer; call server_answer_free() in any case
 *
 * No settings are sent along, so that read-only users can ask.
 * Return: false after diag_fatal().
 */
bool server_ask(struct server *s, const char *sql, struct server_answer *to);
void server_answer_free(struct server_answer *a);

/* Results of server_send(). */
enum server_sent {
	SERVER_SENT,
	SERVER_AGAIN,	/* the rows may have arrived, or may still arrive: try again */
	SERVER_FAILED	/* as SERVER_AGAIN, but give up; after diag_fatal() */
};

/**
 * server_send - send rows once; the caller has to try again
 * @sql: "INSERT INTO ... FORMAT RowBinary"
 * @attempt: number of attempts so far; the delay before this one grows with it
 */
enum server_sent server_send(struct server *s, const char *sql, const void *rows, size_t size,
			     uint64_t attempt);

/** server_text - append bytes as a quoted string of a statement; they may contain NUL */
void server_text(struct buf *to, const char *text, size_t len);

#endif
