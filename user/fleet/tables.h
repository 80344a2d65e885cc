/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The tables in a server, by versions: tables-N.sql makes those of version N out of those
 * of the version before.  On a cluster X_rows is a Distributed table over X_local of each
 * shard; elsewhere it holds the rows.
 */
#ifndef ETRACE_FLEET_TABLES_H
#define ETRACE_FLEET_TABLES_H

#include "fleet/server.h"

#define TABLES_VERSION	1	/* that this program writes and asks */

/**
 * tables_init - make what is not there
 * @cluster: its name, as the server's configuration has it; NULL: one server
 * @to: who is told, a line for each version; NULL: nobody
 *
 * What was begun and not finished is finished.  Return: false after diag_fatal().
 */
bool tables_init(struct server *s, const char *cluster, struct diag *diag, FILE *to);

/**
 * tables_check - whether they are there, in this version
 * @now: what the server's clock says, s since 1970
 *
 * Return: false after diag_fatal().
 */
bool tables_check(struct server *s, struct diag *diag, int64_t *now);

/**
 * tables_sweep - remove rows that count nowhere, of pushes that never ended
 * @cluster: as tables_init()
 * @to: who is told; NULL: nobody
 *
 * Those of the last day stay: somebody may still be pushing them.
 * Return: false after diag_fatal().
 */
bool tables_sweep(struct server *s, const char *cluster, struct diag *diag, FILE *to);

#endif
