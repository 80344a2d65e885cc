// SPDX-License-Identifier: LGPL-2.1
/* A sink that hands every item on to several sinks of the same model. */
#include "io/formats.h"
#include "base/xalloc.h"

#include <stdlib.h>

struct tee {
	struct sink sink;
	size_t n;
	struct sink *to[];
};

static int tee_item(struct sink *s, const void *item)
{
	struct tee *t = (struct tee *)s;
	int err = 0;

	for (size_t i = 0; i < t->n; i++) {
		int e = sink_item(t->to[i], item);

		if (!err)
			err = e;
	}
	return err;
}

static int tee_end(struct sink *s)
{
	struct tee *t = (struct tee *)s;
	int err = 0;

	for (size_t i = 0; i < t->n; i++) {
		int e = sink_end(t->to[i]);

		if (!err)
			err = e;
	}
	return err;
}

static void tee_free(struct sink *s)
{
	struct tee *t = (struct tee *)s;

	for (size_t i = 0; i < t->n; i++)
		sink_free(t->to[i]);
	free(t);
}

struct sink *sink_tee(struct sink **sinks, size_t n)
{
	static const struct sink_ops ops = { tee_item, tee_end, tee_free };
	struct tee *t;

	if (n == 1)
		return sinks[0];
	t = xmalloc(sizeof(*t) + n * sizeof(*sinks));
	t->sink.ops = &ops;
	t->n = n;
	for (size_t i = 0; i < n; i++)
		t->to[i] = sinks[i];
	return &t->sink;
}
