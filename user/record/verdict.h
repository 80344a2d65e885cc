/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Decides whether a recording is complete, and if not, what is missing: compares what the
 * backend counted as recorded with what arrived.
 */
#ifndef ETRACE_VERDICT_H
#define ETRACE_VERDICT_H

#include <stdio.h>

#include "base/buf.h"
#include "record/session.h"
#include "io/diag.h"

#define VERDICT_MAX 32

struct verdict {
	bool complete;
	unsigned int n;
	struct {
		const struct diag_kind *kind;
		uint64_t n;
	} missing[VERDICT_MAX];
};

/** verdict_of - decide, and add what is missing to the counts of @diag */
void verdict_of(struct verdict *v, const struct rec_account *a, struct diag *diag);

/** verdict_text - append "complete", or a line for each thing that is missing */
void verdict_text(const struct verdict *v, struct buf *b);

/** verdict_print - print a line for each thing that is missing */
void verdict_print(const struct verdict *v, FILE *to);

#endif
