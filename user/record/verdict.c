// SPDX-License-Identifier: LGPL-2.1
/* Decides whether a recording is complete.  See verdict.h. */
#include "record/verdict.h"
#include "base/text_num.h"

#include <stddef.h>
#include <string.h>

static uint64_t more_than(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t not_arrived(const struct rec_account *a)
{
	return more_than(a->module.records, a->tally->records + a->module.overwritten);
}

static uint64_t unexpected_records(const struct rec_account *a)
{
	return more_than(a->tally->records, a->module.records);
}

static uint64_t read_failed(const struct rec_account *a)
{
	return a->read_error != 0;
}

static uint64_t incomplete_records(const struct rec_account *a)
{
	return a->tally->incomplete;
}

/*
 * What can be missing, in the order in which it is reported. The count is a member of
 * struct rec_account, or comes from a function.
 */
#define AT(member)	NULL, offsetof(struct rec_account, member)
static const struct row {
	uint64_t (*count)(const struct rec_account *a);
	size_t at;
	struct diag_kind kind;
} rows[] = {
	{ AT(module.lost_records), { "records lost: a buffer was full", DIAG_DAMAGE } },
	{ AT(module.lost_disabled), { "records lost: the kernel switched the ring buffer off after an error (dmesg says which)", DIAG_DAMAGE } },
	{ AT(module.overwritten), { "records overwritten before being read", DIAG_DAMAGE } },
	{ not_arrived, 0, { "records written that did not arrive", DIAG_DAMAGE } },
	{ unexpected_records, 0, { "records arrived without being counted as written", DIAG_DAMAGE } },
	{ AT(missed), { "calls missed because the BPF program was busy", DIAG_DAMAGE } },
	{ AT(module.lost_tasks), { "tasks not traced: no memory", DIAG_DAMAGE } },
	{ AT(module.lost_fds), { "calls of close_range, recvmsg or io_submit whose descriptors are not all known", DIAG_DAMAGE } },
	{ AT(module.strings_unread), { "strings that could not be read", DIAG_DAMAGE } },
	{ AT(module.strings_cut), { "paths cut: too long to record in full", DIAG_DAMAGE } },
	{ AT(module.rings_unseen), { "io_uring requests that this kernel does not show", DIAG_DAMAGE } },
	{ AT(urings), { "io_urings set up: not everything done through these is recorded", DIAG_DAMAGE } },
	{ incomplete_records, 0, { "events with something missing", DIAG_DAMAGE } },
	{ AT(not_taken), { "events that this output did not take in time", DIAG_DAMAGE } },
	{ read_failed, 0, { "buffers that could not be read to the end", DIAG_DAMAGE } },
};
_Static_assert(sizeof(rows) / sizeof(rows[0]) <= VERDICT_MAX, "struct verdict has room for all");

static uint64_t count_of(const struct row *row, const struct rec_account *a)
{
	uint64_t n;

	if (row->count)
		return row->count(a);
	memcpy(&n, (const char *)a + row->at, sizeof(n));
	return n;
}

static bool has_text(const struct verdict *v, const char *what)
{
	for (unsigned int i = 0; i < v->n; i++)
		if (!strcmp(v->missing[i].kind->what, what))
			return true;
	return false;
}

static void add_finding(struct verdict *v, const struct diag_kind *kind, uint64_t n,
			struct diag *diag)
{
	v->complete = false;
	if (v->n == VERDICT_MAX)
		return;
	diag_count(diag, kind, n);
	v->missing[v->n].kind = kind;
	v->missing[v->n++].n = n;
}

void verdict_of(struct verdict *v, const struct rec_account *a, struct diag *diag)
{
	const struct diag_kind *kind;
	uint64_t n;

	v->n = 0;
	v->complete = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		n = count_of(&rows[i], a);
		if (n)
			add_finding(v, &rows[i].kind, n, diag);
	}
	/* do not repeat what a row of the table has reported */
	for (unsigned int i = 0; a->found && (kind = diag_next(a->found, i, &n)); i++)
		if (n && kind->level == DIAG_DAMAGE && !has_text(v, kind->what))
			add_finding(v, kind, n, diag);
}

void verdict_text(const struct verdict *v, struct buf *b)
{
	if (v->complete)
		buf_adds(b, "complete");
	for (unsigned int i = 0; i < v->n; i++) {
		if (i)
			buf_addc(b, '\n');
		buf_addu(b, v->missing[i].n);
		buf_addc(b, ' ');
		buf_adds(b, text_noun(v->missing[i].n, v->missing[i].kind->what));
	}
}

void verdict_print(const struct verdict *v, FILE *to)
{
	for (unsigned int i = 0; i < v->n; i++)
		fprintf(to, "  %s %s\n", text_count(v->missing[i].n),
			text_noun(v->missing[i].n, v->missing[i].kind->what));
}
