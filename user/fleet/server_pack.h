/* SPDX-License-Identifier: LGPL-2.1 */
/* What goes to a server and comes from it, as bytes.  See server.h. */
#ifndef ETRACE_FLEET_SERVER_PACK_H
#define ETRACE_FLEET_SERVER_PACK_H

#include "fleet/server.h"

/** server_coding - the word for HTTP: "gzip"; NULL: rows are sent as they are */
const char *server_coding(enum server_packing packing);

/** server_pack - compress; @to is filled anew */
void server_pack(enum server_packing packing, const void *data, size_t size, struct buf *to);

/**
 * server_answer_read - an answer in ClickHouse's TabSeparatedWithNames
 *
 * Return: false: it is none.
 */
bool server_answer_read(struct server_answer *to, const char *text, size_t len);

#endif
