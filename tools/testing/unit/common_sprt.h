/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of sp-rtrace share: fixtures, conversions, a plain form. */
#ifndef COMMON_SPRT_H
#define COMMON_SPRT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common_convert.h"

/* A file of data/sp-rtrace; the test fails if it is not there. */
struct bytes sprt_sample(const char *name);

/*
 * Runs the source @from over @n bytes into the sink @to.  This adds a sink "plain": one line
 * per packet, in the format of the dumps beside the samples (without offsets and lengths).
 * @given ends with a NULL name; NULL for none.
 */
struct conversion sprt_convert(const char *from, const void *data, size_t n,
			       const char *to, const struct opt_given *given);

/* Number of lines of @s that begin with @what. */
size_t sprt_count_lines(const char *s, const char *what);

/* Fails if the texts differ, with @what was compared and the first different line. */
void sprt_assert_text(const char *got, const char *want, const char *what);

/*
 * A binary log being made, by the rules of BINARY_PROTOCOL.  Set the members that the
 * handshake uses, then call made_start().
 */
struct made {
	struct bytes b;
	size_t packet;		/* offset of the packet being made */
	bool big;
	unsigned int ptr, major, minor;
	bool slip;		/* types as 1.0 programs wrote them: CAAA */
};

void made_start(struct made *m, const char *arch);
void made_packet(struct made *m, const char *type);
void made_u32(struct made *m, uint32_t v);
void made_ptr(struct made *m, uint64_t v);
/* A NULL @s writes the NULL string. */
void made_str(struct made *m, const char *s);
/* Completes the packet. */
void made_end(struct made *m);

/* Complete packets, in the version's layout. */
void made_process(struct made *m, uint32_t pid, uint32_t sec, uint32_t usec,
		  uint32_t depth, const char *name);
void made_module(struct made *m, uint32_t id, uint32_t version,
		 const char *name);
void made_resource(struct made *m, uint32_t id, uint32_t flags,
		   const char *type, const char *desc);
void made_call(struct made *m, uint32_t res, uint32_t context, uint32_t ms,
	       uint32_t type, const char *name, uint32_t size, uint64_t id);
/* @n addresses starting at @first, each 0x10 above the one before. */
void made_trace(struct made *m, uint64_t first, uint32_t n);

#endif
