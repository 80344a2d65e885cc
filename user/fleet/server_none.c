// SPDX-License-Identifier: LGPL-2.1
/* In the place of server.c in the static program: libcurl and what it takes is not there. */
#include "fleet/server.h"

struct server *server_new(const struct server_options *o, struct diag *diag)
{
	(void)o;
	diag_fatal(diag, "this etrace is the static one, which speaks no HTTP: ask servers with one that is installed");
	return NULL;
}

/* There is no server to call these with. */

void server_free(struct server *s)
{
	(void)s;
}

const char *server_url(const struct server *s)
{
	(void)s;
	return "";
}

const char *server_database(const struct server *s)
{
	(void)s;
	return "";
}

bool server_do(struct server *s, const char *sql)
{
	(void)s;
	(void)sql;
	return false;
}

bool server_ask(struct server *s, const char *sql, struct server_answer *to)
{
	(void)s;
	(void)sql;
	*to = (struct server_answer){ 0 };
	return false;
}

enum server_sent server_send(struct server *s, const char *sql, const void *rows, size_t size,
			     uint64_t attempt)
{
	(void)s;
	(void)sql;
	(void)rows;
	(void)size;
	(void)attempt;
	return SERVER_FAILED;
}
