// SPDX-License-Identifier: LGPL-2.1
/* Input streams: a window over a file, a pipe or memory.  See in.h. */
#include "io/in.h"
#include "io/in_ahead.h"
#include "io/in_feed.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WINDOW		(64u << 10)

struct in {
	struct in_head h;	/* must be first: the functions of in.h expect it there */
	char *name;
	bool owned;		/* in_close() closes the descriptor */
	bool end;		/* no more data will come into the window */
	size_t cap;		/* size of the window's memory in bytes */
	struct in_feed feed;
	struct in_ahead *ahead;	/* NULL if none; its thread owns @feed until the end */
	enum { NEVER, IF_PACKED, ALWAYS } ahead_if;
};

static struct in *new_in(const char *name, int fd, bool owned)
{
	struct in *in = xcalloc(1, sizeof(*in));

	in->name = xstrdup(name);
	in->feed.fd = fd;
	in->feed.cancel = -1;
	in->owned = owned;
	return in;
}

struct in *in_open(const char *path, int *err)
{
	struct in *in;

	if (!strcmp(path, "-"))
		return new_in("standard input", STDIN_FILENO, false);
	/* open it after allocating: if memory runs out, nothing would close it */
	in = new_in(path, -1, true);
	in->feed.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (in->feed.fd < 0) {
		*err = -errno;
		in_close(in);
		return NULL;
	}
	return in;
}

struct in *in_mem(const void *data, size_t n, const char *name)
{
	struct in *in = new_in(name, -1, false);

	in->h.data = (uint8_t *)(uintptr_t)data;
	in->h.fill = n;
	in->feed.packing = IN_PLAIN;
	in->end = true;
	return in;
}

void in_close(struct in *in)
{
	if (!in)
		return;
	in_ahead_stop(in->ahead);
	if (in->feed.fd >= 0) {
		if (in->owned)
			close(in->feed.fd);
		free(in->h.data);
	}
	in_feed_free(&in->feed);
	free(in->name);
	free(in);
}

const char *in_name(const struct in *in)
{
	return in->name;
}

/* Read more bytes into the window.  Return: how many; 0 does not mean the end. */
static size_t read_more(struct in *in, uint8_t *to, size_t n)
{
	size_t got;

	if (!in->ahead && in->ahead_if && in->feed.packing &&
	    (in->ahead_if == ALWAYS || in->feed.packing != IN_PLAIN))
		in->ahead = in_ahead_start(&in->feed);
	/* try only once, whether a thread was started, not wanted, or could not be started */
	if (in->feed.packing)
		in->ahead_if = NEVER;
	if (in->ahead)
		return in_ahead_read(in->ahead, to, n, &in->end);
	got = in_feed_read(&in->feed, to, n);
	in->end = in->feed.end;
	return got;
}

const uint8_t *in_peek_slow(struct in *in, size_t want, size_t *have)
{
	if (want > IN_MAX_PEEK)
		want = IN_MAX_PEEK;
	while (in->h.fill - in->h.start < want && !in->end) {
		if (in->h.start && in->cap - in->h.start < (want > WINDOW ? want : WINDOW)) {
			memmove(in->h.data, in->h.data + in->h.start, in->h.fill - in->h.start);
			in->h.fill -= in->h.start;
			in->h.start = 0;
		}
		if (in->h.fill == in->cap || in->cap < want) {
			size_t cap = in->cap ? in->cap : WINDOW;

			while (cap < want || cap <= in->h.fill)
				cap *= 2;
			in->h.data = xrealloc(in->h.data, cap);
			in->cap = cap;
		}
		in->h.fill += read_more(in, in->h.data + in->h.fill, in->cap - in->h.fill);
	}
	*have = in->h.fill - in->h.start;
	return *have ? in->h.data + in->h.start : (const uint8_t *)"";
}

int in_error(const struct in *in)
{
	/* a thread that reads ahead may have met an error that the caller has not reached */
	return in->ahead && !in->end ? 0 : in->feed.err;
}

const char *in_why(const struct in *in)
{
	return in->feed.why ? in->feed.why : strerror(-in->feed.err);
}

void in_report(const struct in *in, struct diag *diag, enum diag_unit unit, uint64_t pos)
{
	static const struct diag_kind unreadable = {
		"inputs that could not be read to the end", DIAG_DAMAGE };

	if (in_error(in))
		diag_report(diag, &unreadable, in_name(in), unit, pos, "cannot be read further: %s",
			    in_why(in));
}

const char *in_line(struct in *in, size_t max, size_t *len, bool *whole)
{
	size_t have, want = 4096;
	const char *s, *newline;

	for (;;) {
		s = (const char *)in_peek(in, want, &have);
		newline = have ? memchr(s, '\n', have) : NULL;
		if (newline || have < want || want >= max)
			break;
		want *= 2;
	}
	*whole = newline;
	*len = newline ? (size_t)(newline - s) : have;
	return have ? s : NULL;
}

void in_follow(struct in *in, bool (*wait)(void *ctx), void *ctx)
{
	in->feed.wait = wait;
	in->feed.wait_ctx = ctx;
	in->feed.end = in->feed.raw_end = in->end = false;
	in->feed.err = 0;
	in->feed.why = NULL;
}

bool in_drained_slow(struct in *in)
{
	bool (*wait)(void *ctx) = in->feed.wait;
	size_t have;

	if (!wait)
		return false;
	in->feed.wait = NULL;
	in_peek(in, 1, &have);
	in_follow(in, wait, in->feed.wait_ctx);
	return !have;
}

int in_fd(const struct in *in)
{
	return in->feed.fd;
}

void in_read_ahead(struct in *in, bool plain)
{
	/* not for in_mem(), which reads nothing */
	if (in->feed.fd >= 0)
		in->ahead_if = plain ? ALWAYS : IF_PACKED;
}

void in_share_processors(struct in **in, size_t n)
{
	cpu_set_t mine;
	size_t processors;

	/* it fails if there are more than CPU_SETSIZE processors: then assume that many */
	processors = sched_getaffinity(0, sizeof(mine), &mine) ? CPU_SETSIZE :
		     (size_t)CPU_COUNT(&mine);
	if (processors < 2)
		return;
	/* more threads would only take memory */
	for (size_t i = 0; i < n && i < 2 * processors; i++)
		in_read_ahead(in[i], n > 1);
}
