// SPDX-License-Identifier: GPL-2.0
/*
 * The recorder without a kernel: reads pages of the ring buffers of some CPUs from files and
 * writes FXT to standard output, like "etrace run". The number of events is printed on
 * standard error.
 *
 *	pages2fxt FORMATS PAGES...	PAGES: one file for each CPU, from 0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <traceevent/event-parse.h>

#include "base/container.h"
#include "format/fxt_events/etrace_fxt_format.h"
#include "record/notable.h"
#include "record/module/rec_merge.h"

#define PAGE 4096u
#define LIMIT (64u << 20)
#define BURST 64u	/* as rec_session.c has them */
#define PASS_ON 4096u
#define PID_BITS 22u	/* of the recording */

/* The sinks that events pass through, as in cli/record.c. */
struct recorder {
	struct sink events;
	struct notable *notable;
	struct sink *fxt;
};

static int pass_event(struct sink *s, const void *item)
{
	struct recorder *r = container_of(s, struct recorder, events);

	notable_event(r->notable, item);
	return sink_item(r->fxt, item);
}

static const struct sink_ops pass = { .item = pass_event };

static void die(const char *what)
{
	fprintf(stderr, "pages2fxt: %s\n", what);
	exit(1);
}

static void load_formats(struct rec_formats *formats, const char *path)
{
	static char text[1 << 20];
	struct tep_handle *tep = tep_alloc();
	FILE *f = fopen(path, "r");
	char *s = text, *end, why[200];

	if (!f || !fread(text, 1, sizeof(text) - 1, f))
		die("cannot read the formats");
	fclose(f);
	tep_set_loglevel(TEP_LOG_NONE);
	for (; (end = strstr(s, "==end\n")); s = end + strlen("==end\n"))
		tep_parse_event(tep, s, (unsigned long)(end - s), "etrace");
	if (!rec_formats_init(formats, tep, why, sizeof(why)))
		die(why);
	tep_free(tep);
}

/* Return: whether there may be more pages. */
static bool read_cpu(struct merge *m, unsigned int cpu, FILE *f)
{
	void *room;

	for (unsigned int n = 0; n < BURST && (room = merge_room(m, cpu)); n++) {
		if (fread(room, PAGE, 1, f) != 1) {
			merge_seen(m, cpu, UINT64_MAX);
			return false;
		}
		merge_page(m, cpu);
	}
	return true;
}

int main(int argc, char **argv)
{
	unsigned int ncpus = argc > 2 ? (unsigned int)argc - 2 : 0;
	struct rec_formats formats;
	struct out *out = out_fd(STDOUT_FILENO, 0);
	struct opts opts = { 0 };
	struct diag *diag = diag_new(NULL, "pages2fxt");
	struct recorder r = {
		.events = { &pass },
		.notable = notable_new(PID_BITS),
		.fxt = etrace_fxt_open(&(struct sink_args){ out, &opts, diag, "etrace" }),
	};
	struct rec_events *events;
	struct merge *m;
	FILE *in[ncpus + 1];
	bool more = true;

	if (!ncpus)
		die("usage: pages2fxt FORMATS PAGES...");
	load_formats(&formats, argv[1]);
	events = rec_events_new(&formats, &r.events);
	m = merge_new(ncpus, PAGE, LIMIT, &formats, events);
	for (unsigned int i = 0; i < ncpus; i++) {
		in[i] = fopen(argv[i + 2], "r");
		if (!in[i])
			die("cannot read the pages");
		setvbuf(in[i], NULL, _IONBF, 0);
	}
	while (more) {
		more = false;
		for (unsigned int i = 0; i < ncpus; i++)
			more |= read_cpu(m, i, in[i]);
		more |= merge_run(m, PASS_ON);
	}
	if (merge_end(m) || sink_end(r.fxt))
		die("cannot write");
	fprintf(stderr, "%" PRIu64 " events, %" PRIu64 " incomplete, %" PRIu64 " foreign records\n",
		rec_events_tally(events)->events, rec_events_tally(events)->incomplete,
		rec_events_tally(events)->foreign);
	for (unsigned int i = 0; i < ncpus; i++)
		fclose(in[i]);
	merge_free(m);
	rec_events_free(events);
	rec_formats_fini(&formats);
	notable_free(r.notable);
	sink_free(r.fxt);
	diag_free(diag);
	return out_close(out) != 0;
}
