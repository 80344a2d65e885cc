/* SPDX-License-Identifier: GPL-2.0 */
/* Shared code of etrace push and etrace fleet: options for the server, the user, and tags. */
#ifndef ETRACE_CLI_FLEET_H
#define ETRACE_CLI_FLEET_H

#include "cli/answer.h"
#include "fleet/server.h"

/* Rows of a table of options; @who says what the user does, @retries is the default for help. */
#define FLEET_OPTIONS(who, retries)								\
	{ "database", "NAME", "database on the server; default: " SERVER_DATABASE },			\
	{ "user", "NAME", "user who " who "; default: $ETRACE_FLEET_USER" },			\
	{ "password-file", "FILE", "the password is its first line; default: $ETRACE_FLEET_PASSWORD" },										\
	{ "cacert", "FILE", "certificates of authorities to trust; default: the system's" },										\
	{ "timeout", "S", "seconds to wait for an answer; default: 60" },			\
	{ "retries", "N", "how often to repeat a request; default: " retries }

/**
 * fleet_server - read the values of FLEET_OPTIONS
 * @url: NULL for $ETRACE_FLEET_URL
 * @how: for messages: another way to give a URL
 * @o: set, except for packing and plain; the caller first sets retries to its default
 *
 * Return: false after diag_fatal().
 */
bool fleet_server(const struct asked *a, const char *url, const char *how, struct server_options *o);

/**
 * fleet_tags - take the values of all --tag options
 * @tags: @n of them, to be freed in any case
 *
 * Return: false after diag_fatal().
 */
bool fleet_tags(const struct asked *a, const char ***tags, size_t *n);

/* The commands of etrace-fleet.  @argv[0]: "push", "fleet".  Return: the exit status. */
int fleet_push(int argc, char **argv);
int fleet_query(int argc, char **argv);

#endif
