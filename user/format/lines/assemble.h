/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Puts the lines of events together: lines of one task belong to one event
 * until that is whole or another begins, whatever comes between.  Events leave
 * in the order of time.  A task's lines that go back in time are damage, but for
 * whole events that can still be put in order.
 *
 * Memory: the live tasks, the events in flight and a window of whole ones (see
 * the constants in assemble.c), whatever the length of the trace.
 */
#ifndef ETRACE_ASSEMBLE_H
#define ETRACE_ASSEMBLE_H

#include "io/diag.h"
#include "io/formats.h"
#include "format/lines/line_parse.h"

struct assembler;

/**
 * asm_new - an assembler
 * @sink: takes struct et_event; stays the caller's
 * @diag: told of what is wrong with lines and events
 */
struct assembler *asm_new(struct sink *sink, struct diag *diag);
void asm_free(struct assembler *a);

/**
 * asm_line - one line, from line_parse()
 *
 * Return: 0 or the sink's negative errno; 1: asm_more() may know what follows.
 */
int asm_line(struct assembler *a, const struct et_line *l);

/**
 * asm_more - lines that go on with the event of asm_line()'s, straight from the text
 * @st: that line was its
 * @s: what follows that line up to @end, which need not be whole lines
 * @until: no lines later than that
 *
 * Return: how many bytes were taken; others are for line_parse() and asm_line().
 */
size_t asm_more(struct assembler *a, struct line_state *st, const char *s, const char *end,
		uint64_t until);

/**
 * asm_lost - the tracer lost events
 * @l: LINE_LOST, with the time set to that of the next line of its input
 */
int asm_lost(struct assembler *a, const struct et_line *l);

/** asm_end - the input is over: let everything out */
int asm_end(struct assembler *a);

#endif
