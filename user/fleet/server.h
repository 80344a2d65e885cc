/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A ClickHouse server, by its HTTP interface (libcurl): statements, questions, rows.
 *
 * Every request is tried again while that may help, longer and longer after the one
 * before; a statement must be one that may run twice.  Redirects are not followed.
 * Certificates are checked, always.
 */
#ifndef ETRACE_FLEET_SERVER_H
#define ETRACE_FLEET_SERVER_H

#include "base/buf.h"
#include "io/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How rows go over the wire; SERVER_AUTO: by gzip, but as they are to this machine. */
enum server_packing { SERVER_AUTO, SERVER_PLAIN, SERVER_GZIP, SERVER_ZSTD };

#define SERVER_DATABASE "etrace"	/* if nothing else is said */

struct server_options {
	const char *url;	/* "http://HOST:8123", "https://HOST:8443/PATH" */
	const char *database;	/* NULL: SERVER_DATABASE */
	const char *user;	/* NULL: $ETRACE_FLEET_USER, or the server's default */
	const char *password_file;	/* its first line; NULL: $ETRACE_FLEET_PASSWORD, or none */
	const char *cacert;	/* PEM file of those that sign certificates; NULL: the system's */
	bool plain;		/* by http also to another machine */
	enum server_packing packing;	/* of rows that are sent */
	uint64_t retries;	/* of a request */
	uint64_t timeout;	/* seconds without an answer, or in which nothing moves */
};

struct server;

/**
 * server_new - a server that will be asked; nothing is sent yet
 *
 * Return: it, for server_free(); NULL after diag_fatal(): the URL is none, or holds a
 * password, the file cannot be read, a password would go to another machine by http, or
 * anything without .plain.
 */
struct server *server_new(const struct server_options *o, struct diag *diag);
void server_free(struct server *s);

/** server_url - for messages; server_database - a word that needs no quotes */
const char *server_url(const struct server *s);
const char *server_database(const struct server *s);


/** server_do - a statement that has no answer.  Return: false after diag_fatal() */
bool server_do(struct server *s, const char *sql);

/* An answer: a table of texts. */
struct server_answer {
	char **cells;		/* nrows rows of ncolumns; NULL: that is NULL */
	size_t *lens;		/* bytes of each; a NUL stands behind them */
	char **names;		/* of the columns */
	size_t nrows, ncolumns;
	struct buf text;	/* where they stand */
};

/**
 * server_ask - a question: SELECT without FORMAT
 * @to: filled, for server_answer_free() in any case
 *
 * No settings are sent with it, so that users who may only read can ask.
 * Return: false after diag_fatal().
 */
bool server_ask(struct server *s, const char *sql, struct server_answer *to);
void server_answer_free(struct server_answer *a);

/* What became of rows. */
enum server_sent {
	SERVER_SENT,
	SERVER_AGAIN,	/* they may be there or not, or come to be there; to be tried again */
	SERVER_FAILED	/* the same, after diag_fatal() */
};

/**
 * server_send - rows, once: it is for the caller to try again
 * @sql: "INSERT INTO ... FORMAT RowBinary"
 * @attempt: how often that was tried before; the more, the longer is waited first
 */
enum server_sent server_send(struct server *s, const char *sql, const void *rows, size_t size,
			     uint64_t attempt);

/** server_text - bytes as a string in a statement, quoted; appended.  NUL is a byte like others */
void server_text(struct buf *to, const char *text, size_t len);

#endif
