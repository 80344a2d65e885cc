/* SPDX-License-Identifier: LGPL-2.1 */
/* Encodes data for a server, and decodes its answers.  See server.h. */
#ifndef ETRACE_FLEET_SERVER_PACK_H
#define ETRACE_FLEET_SERVER_PACK_H

#include "fleet/server.h"

/** server_coding - name for HTTP, such as "gzip"; NULL if rows are not compressed */
const char *server_coding(enum server_packing packing);

/** server_pack - compress @data into @to, which is emptied first */
void server_pack(enum server_packing packing, const void *data, size_t size, struct buf *to);

/**
 * server_answer_read - parse an answer in ClickHouse's format TabSeparatedWithNames
 *
 * Return: false if it is not in that format.
 */
bool server_answer_read(struct server_answer *to, const char *text, size_t len);

#endif
