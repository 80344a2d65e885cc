/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The prefix of each line: "upid,cpu,seconds,nanoseconds!".  Each line is 1 ns later than the
 * line before, and most events have the same task, processor and second as the event before.
 */
#ifndef ETRACE_LINE_PREFIX_H
#define ETRACE_LINE_PREFIX_H

#include "base/bytes.h"

/* Bytes that prefix_put() may write, which can be more than the length of the prefix. */
#define PREFIX_ROOM	88u
#define PREFIX_COPY	48u	/* bytes copied at once; few prefixes are longer */
#define PREFIX_SECOND	1000000000u

/* Initialize with zeros. */
struct line_prefix {
	uint64_t upid;
	uint64_t time;		/* time of the next line, ns */
	uint64_t second;	/* start of the second that contains @time, ns */
	uint32_t cpu;
	uint32_t start;		/* bytes up to the nanoseconds, 0 if not set */
	uint32_t len;
	char text[PREFIX_ROOM];
};

/** prefix_set - set the prefix of the next line */
static inline void prefix_set(struct line_prefix *p, uint64_t upid, uint32_t cpu, uint64_t time)
{
	uint64_t ns = time - p->second;
	char *to = p->text;

	if (upid != p->upid || cpu != p->cpu || ns >= PREFIX_SECOND || !p->start) {
		ns = time % PREFIX_SECOND;
		p->upid = upid;
		p->cpu = cpu;
		p->second = time - ns;
		to += decimal(to, upid);
		*to++ = ',';
		to += decimal(to, cpu);
		*to++ = ',';
		to += decimal(to, time / PREFIX_SECOND);
		*to++ = ',';
		p->start = (uint32_t)(to - p->text);
	}
	to = p->text + p->start;
	to += decimal(to, ns);
	*to++ = '!';
	p->len = (uint32_t)(to - p->text);
	p->time = time;
}

/* Advances a prefix whose last digit, *@digit, is 9. */
static __attribute__((noinline)) void prefix_carry(struct line_prefix *p, char *digit)
{
	for (; *digit == '9'; digit--)
		*digit = '0';
	if (*digit == ',')
		prefix_set(p, p->upid, p->cpu, p->time);
	else
		++*digit;
}

/**
 * prefix_put - write the prefix of a line, and advance to the next: usually one digit changes
 * @to: buffer of PREFIX_ROOM bytes
 *
 * Return: the end of the prefix.
 */
static inline char *prefix_put(struct line_prefix *p, char *to)
{
	char *digit = p->text + p->len - 2;

	memcpy(to, p->text, PREFIX_COPY);
	if (p->len > PREFIX_COPY)
		memcpy(to + PREFIX_COPY, p->text + PREFIX_COPY, PREFIX_ROOM - PREFIX_COPY);
	to += p->len;
	p->time++;
	if (*digit == '9')
		prefix_carry(p, digit);
	else
		++*digit;
	return to;
}

#endif
