/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Creates, checks and cleans the tables of a fleet in a server.  Tables have a version:
 * tables-N.sql changes tables of version N - 1 into version N.  On a cluster, X_rows is a
 * Distributed table over X_local of each shard; elsewhere it holds the rows itself.
 */
#ifndef ETRACE_FLEET_TABLES_H
#define ETRACE_FLEET_TABLES_H

#include "fleet/server.h"

#define TABLES_VERSION	1	/* version that this program writes and reads */

/**
 * tables_init - create missing tables
 * @cluster: name of the cluster in the server's configuration, NULL for a single server
 * @to: gets a line for each version; may be NULL
 *
 * Completes what an interrupted call left undone.  Return: false after diag_fatal().
 */
bool tables_init(struct server *s, const char *cluster, struct diag *diag, FILE *to);

/**
 * tables_check - check that the tables are there, in this version
 * @now: set to the server's time, s since 1970
 *
 * Return: false after diag_fatal().
 */
bool tables_check(struct server *s, struct diag *diag, int64_t *now);

/**
 * tables_sweep - remove rows that do not count: of pushes that did not complete
 * @cluster: as for tables_init()
 * @to: gets a report; may be NULL
 *
 * Rows of the last day stay: their push may still be running.
 * Return: false after diag_fatal().
 */
bool tables_sweep(struct server *s, const char *cluster, struct diag *diag, FILE *to);

#endif
