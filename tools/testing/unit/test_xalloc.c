// SPDX-License-Identifier: GPL-2.0
/*
 * Out of memory: the size that a thread's hook gets, and a conversion that fails at each of
 * its allocations in turn and returns to where it began.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Number of further allocations that succeed, -1 if unlimited; only xalloc.c is affected. */
static long left = -1;

static void *give(void *p)
{
	if (left > 0)
		left--;
	return p;
}

static void *scarce_malloc(size_t n)
{
	return left ? give(malloc(n)) : NULL;
}

static void *scarce_calloc(size_t n, size_t size)
{
	return left ? give(calloc(n, size)) : NULL;
}

static void *scarce_realloc(void *p, size_t n)
{
	return left ? give(realloc(p, n)) : NULL;
}

/* A copy of the code under test that replaces libetrace's and allocates with these functions. */
#define malloc(n)	scarce_malloc(n)
#define calloc(n, size)	scarce_calloc(n, size)
#define realloc(p, n)	scarce_realloc(p, n)
#include "base/xalloc.c"
#undef malloc
#undef calloc
#undef realloc

#include "common_convert.h"
#include "format/choose.h"
#include "io/formats.h"

/* Jumping back leaks memory, see xalloc.h; an excessive size must return NULL, as without ASan. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0:allocator_may_return_null=1";
}

static void count_and_go(void *arg, size_t wanted)
{
	size_t *reported = arg;

	*reported = wanted;
	pthread_exit(NULL);
}

static void *take_much(void *arg)
{
	struct xalloc_hook before = xalloc_set_hook((struct xalloc_hook){ count_and_go, arg });

	/* a new thread has none */
	if (before.fn)
		return "has a hook";
	xcalloc(SIZE_MAX / 4, 2);
	return "it came back";
}

static void hooks_are_per_thread(void **state)
{
	size_t reported = 0, other = 0;
	struct xalloc_hook before;
	const char *fault = NULL;
	pthread_t thread;

	(void)state;
	before = xalloc_set_hook((struct xalloc_hook){ count_and_go, &other });
	assert_int_equal(pthread_create(&thread, NULL, take_much, &reported), 0);
	assert_int_equal(pthread_join(thread, (void **)&fault), 0);
	assert_null(fault);
	assert_true(reported == SIZE_MAX / 4 * 2);
	assert_int_equal(other, 0);
	/* the hook of this thread is unchanged */
	assert_ptr_equal(xalloc_set_hook(before).arg, &other);
}

static void traps_can_be_nested(void **state)
{
	struct xalloc_trap outer, inner;
	volatile int went = 0;
	size_t cap = 0;

	(void)state;
	if (xalloc_caught(&outer)) {
		went |= 2;
	} else {
		if (xalloc_caught(&inner)) {
			went |= 1;
			/* the inner trap is no longer active */
			xgrow(NULL, &cap, SIZE_MAX / 2, 8);
		} else {
			xmalloc(SIZE_MAX / 2);
		}
		went |= 4;
	}
	assert_int_equal(went, 3);
	assert_null(hook.fn);
	/* an unused trap leaves nothing behind */
	if (xalloc_caught(&outer))
		fail();
	free(xmalloc(1));
	xalloc_end(&outer);
	assert_null(hook.fn);
}

/* Return: the result of the conversion, or -ENOMEM; @used: the number of allocations. */
static int convert_with(const struct bytes *b, const char *to, long room, long *used)
{
	struct xalloc_trap trap;
	struct opts opts;
	struct choice ch;
	struct source *source;
	struct sink *sink;
	struct diag *diag;
	struct in *in;
	struct out *out;
	int ret;

	left = room;
	if (xalloc_caught(&trap)) {
		left = -1;
		return -ENOMEM;
	}
	opts_init(&opts);
	diag = diag_new(NULL, "test");
	in = in_mem(b->data, b->n, "input");
	out = out_mem();
	if (!choose_rows(choose_source(NULL, &in, 1, diag), to, in, &opts, &ch, diag))
		fail();
	source = ch.source->open(&(struct source_args){ &in, 1, &opts, diag });
	sink = ch.main->open(&(struct sink_args){ out, &opts, diag, ch.source->name });
	ret = source_run(source, sink);
	if (!ret)
		ret = sink_end(sink);
	sink_free(sink);
	source->ops->free(source);
	out_close(out);
	in_close(in);
	diag_free(diag);
	opts_free(&opts);
	xalloc_end(&trap);
	*used = room - left;
	left = -1;
	return ret;
}

/* Let each allocation of a conversion fail once. */
static void run_out(const char *path, const char *to)
{
	struct bytes b = fixture(path);
	long all = 0, unused;

	assert_int_equal(convert_with(&b, to, 1000000, &all), 0);
	assert_true(all > 5 && all < 1000000);
	/* with many allocations, only some of them */
	for (long n = 0; n < all; n += 1 + all / 500)
		assert_int_equal(convert_with(&b, to, n, &unused), -ENOMEM);
	assert_int_equal(convert_with(&b, to, all, &unused), 0);
	bytes_free(&b);
}

static void conversions_survive_out_of_memory(void **state)
{
	(void)state;
	run_out("etrace/first.trace", "fxt");
	run_out("etrace/first.trace", "json");
	run_out("sp-rtrace/64/leaky.rtrace", "fxt");
	run_out("sp-rtrace/64/leaky.plain.txt", "json");
	run_out("swap/swap42-session.bin", "fxt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hooks_are_per_thread),
		cmocka_unit_test(traps_can_be_nested),
		cmocka_unit_test(conversions_survive_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
