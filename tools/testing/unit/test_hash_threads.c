// SPDX-License-Identifier: GPL-2.0
/* Threads that hash files: how they end, even if a file system never answers one of them. */
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/xalloc.h"

/* A file system that answers only on request. */
static sem_t asked, answers;

#define file_find slow_find
#include "content/hash_threads.c"

bool slow_find(const struct file_job *job, const struct file_limits *limits,
	       struct file_mounts *mounts, struct file_found *found, struct file_result *to)
{
	(void)job;
	(void)limits;
	(void)mounts;
	(void)found;
	sem_post(&asked);
	sem_wait(&answers);
	to->why_not = "by request";
	return false;
}

static const struct file_limits limits;

static struct hash_threads *begin(void)
{
	struct hash_work *w = xcalloc(1, sizeof(*w));
	struct hash_threads *t;
	int err = 0;

	sem_init(&asked, 0, 0);
	sem_init(&answers, 0, 0);
	t = hash_threads_new(&limits, &err);
	assert_non_null(t);
	w->kind = HASH_WORK_FILE;
	w->job.kept = -1;
	assert_true(hash_threads_add(t, w));
	/* A single piece of work is started only once someone waits for it. */
	hash_threads_wait(t, 0);
	sem_wait(&asked);
	return t;
}

static void threads_end(void **state)
{
	struct hash_threads *t = begin();
	struct hash_work *w;

	(void)state;
	sem_post(&answers);
	while (!(w = hash_threads_take(t, UINT64_MAX)))
		hash_threads_wait(t, 1000);
	assert_string_equal(w->result.why_not, "by request");
	hash_work_free(w);
	assert_true(hash_threads_free(t));
	assert_true(hash_threads_free(NULL));
}

/* A thread that still waits keeps what it uses. */
static void thread_that_never_answers(void **state)
{
	static struct hash_threads *t;
	struct hash_work *w;

	(void)state;
	t = begin();
	assert_false(hash_threads_free(t));
	sem_post(&answers);
	while (!(w = hash_threads_take(t, UINT64_MAX)))
		hash_threads_wait(t, 100);
	hash_work_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_end),
		cmocka_unit_test(thread_that_never_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
