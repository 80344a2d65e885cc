/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Assembles lines into events: lines of one task belong to one event until that is
 * complete or another begins, even if lines of other tasks come between.  Events leave
 * in order of time.  If the lines of a task go back in time, that is damage, unless they
 * form complete events that can still be put in order.
 *
 * Memory use depends on the live tasks, the unfinished events and a window of complete
 * ones (see the constants in assemble.c), not on the length of the trace.
 */
#ifndef ETRACE_ASSEMBLE_H
#define ETRACE_ASSEMBLE_H

#include "io/diag.h"
#include "io/formats.h"
#include "format/lines/line_parse.h"

struct assembler;

/**
 * asm_new - make an assembler
 * @sink: gets each event as struct et_event; the caller keeps it
 * @diag: gets reports of damaged lines and events
 */
struct assembler *asm_new(struct sink *sink, struct diag *diag);
void asm_free(struct assembler *a);

/**
 * asm_line - add one line that line_parse() has parsed
 *
 * Return: 0 or the sink's negative errno; 1 if asm_more() may be able to add what follows.
 */
int asm_line(struct assembler *a, const struct et_line *l);

/**
 * asm_more - add the lines of the same event that directly follow the one of asm_line()
 * @st: state of that line's input
 * @s: the text that follows, up to @end, which may be in the middle of a line
 * @until: stop before lines later than this, ns
 *
 * Return: number of bytes consumed; the rest is for line_parse() and asm_line().
 */
size_t asm_more(struct assembler *a, struct line_state *st, const char *s, const char *end,
		uint64_t until);

/**
 * asm_lost - add an event that records how many events the tracer lost
 * @l: LINE_LOST, with its time set to that of the next line of its input
 */
int asm_lost(struct assembler *a, const struct et_line *l);

/** asm_end - the input has ended: pass all remaining events to the sink */
int asm_end(struct assembler *a);

#endif
