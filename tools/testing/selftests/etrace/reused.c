// SPDX-License-Identifier: GPL-2.0
/*
 * CloseReused: while one thread's close() is still in progress, another thread gets the same
 * number for another file. The test's own file system delays close().
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/etrace_test.h"

/* Shared by the program and the file system. */
static struct {
	atomic_bool closing;	/* close() is waiting */
	atomic_bool go_on;	/* close() may continue */
	int first, second;	/* the descriptors */
} *shared;

static void wait_for(atomic_bool *what)
{
	while (!*what)
		usleep(1000);
}

/* ---- the file system: one file, whatever its name -------------------------------- */

#define FILE_NODE	2

static void answer(int fuse, const struct fuse_in_header *in, int err, const void *data,
		   size_t len)
{
	char out[256];
	struct fuse_out_header head = {
		.len = sizeof(head) + len,
		.error = -err,
		.unique = in->unique,
	};

	memcpy(out, &head, sizeof(head));
	memcpy(out + sizeof(head), data, len);
	if (write(fuse, out, head.len) != (ssize_t)head.len)
		_exit(2);
}

static struct fuse_attr attr_of(unsigned long long node)
{
	return (struct fuse_attr) {
		.ino = node,
		.mode = node == FILE_NODE ? S_IFREG | 0600 : S_IFDIR | 0700,
		.nlink = 1,
	};
}

static void serve_one(int fuse, const char *request)
{
	const struct fuse_in_header *in = (const void *)request;
	const struct fuse_init_in *init = (const void *)(in + 1);
	const struct fuse_write_in *wr = (const void *)(in + 1);

	switch (in->opcode) {
	case FUSE_INIT:
		answer(fuse, in, 0, &(struct fuse_init_out) {
			.major = FUSE_KERNEL_VERSION, .minor = init->minor,
			.max_write = 4096, .max_readahead = 4096 },
		       sizeof(struct fuse_init_out));
		break;
	case FUSE_LOOKUP:
		answer(fuse, in, 0, &(struct fuse_entry_out) {
			.nodeid = FILE_NODE, .attr = attr_of(FILE_NODE) },
		       sizeof(struct fuse_entry_out));
		break;
	case FUSE_GETATTR:
		answer(fuse, in, 0, &(struct fuse_attr_out) { .attr = attr_of(in->nodeid) },
		       sizeof(struct fuse_attr_out));
		break;
	case FUSE_OPEN:
		answer(fuse, in, 0, &(struct fuse_open_out) { .open_flags = FOPEN_DIRECT_IO },
		       sizeof(struct fuse_open_out));
		break;
	case FUSE_WRITE:
		answer(fuse, in, 0, &(struct fuse_write_out) { .size = wr->size },
		       sizeof(struct fuse_write_out));
		break;
	case FUSE_FLUSH:
		shared->closing = true;
		wait_for(&shared->go_on);
		answer(fuse, in, 0, NULL, 0);
		break;
	case FUSE_RELEASE:
		answer(fuse, in, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(fuse, in, ENOSYS, NULL, 0);
	}
}

static void serve(int fuse)
{
	static char request[16384] __attribute__((aligned(8)));

	/* Serve until it is unmounted. */
	while (read(fuse, request, sizeof(request)) > 0)
		serve_one(fuse, request);
	_exit(0);
}

/* ---- the program ----------------------------------------------------------------- */

static void *closer(void *arg)
{
	CHILD_MUST(write(shared->first, "123", 3));
	CHILD_MUST(close(shared->first));
	return arg;
}

static void do_reused(void)
{
	pthread_t t;

	shared->first = CHILD_MUST(open("mnt/file", O_WRONLY));
	if (pthread_create(&t, NULL, closer, NULL)) {
		CHILD_FAIL("no thread");
		return;
	}
	wait_for(&shared->closing);
	shared->second = CHILD_MUST(open("other", O_WRONLY));
	CHILD_MUST(write(shared->second, "12345", 5));
	shared->go_on = true;
	pthread_join(t, NULL);
	CHILD_MUST(close(shared->second));
}

/* Whether lines @first and @next are adjacent in a task's lines. @next: "" for any line. */
static bool has(const struct et_trace *tr, const char *first, const char *next)
{
	size_t n, i;

	for (n = 0; n < tr->nr; n++) {
		const struct et_task *t = &tr->task[n];

		for (i = 0; i + 1 < t->nr; i++)
			if (!strcmp(t->line[i].text, first) &&
			    (!*next || !strcmp(t->line[i + 1].text, next)))
				return true;
	}
	return false;
}

static void expect_lines(const struct et_trace *tr, const char *first, const char *next)
{
	char text[64];

	snprintf(text, sizeof(text), first, shared->first);
	if (!has(tr, text, next))
		FAIL("there is no line %s followed by %s", text, next);
}

TEST(descriptor_reused_while_closing)
{
	struct et_trace tr;
	char options[100];
	pid_t server;
	int fuse;

	if (system("modprobe -q fuse"))
		et_note("modprobe fuse failed");
	fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fuse < 0) {
		et_skip("no FUSE: %s", strerror(errno));
		return;
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		DIE("mmap: %m");
	et_file("other");
	et_mkdir("mnt");
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	MUST(mount("etrace", et_path("mnt"), "fuse", 0, options));
	server = MUST(fork());
	if (!server)
		serve(fuse);
	close(fuse);
	et_run(do_reused, &tr);
	MUST(umount2(et_path("mnt"), MNT_DETACH));
	waitpid(server, NULL, 0);
	EXPECT_EQ(shared->first, shared->second);
	expect_lines(&tr, "Close|fd=%d", "");
	if (et_extended) {
		/* The first file, recorded when the second one got its number. */
		expect_lines(&tr, "Use|fd=%d", "UseWrote|bytes=3");
		expect_lines(&tr, "Close|fd=%d", "CloseReused|reused=1");
		/* The second file. */
		expect_lines(&tr, "Close|fd=%d", "CloseWrote|bytes=5");
	}
	et_trace_free(&tr);
	munmap(shared, sizeof(*shared));
}

int main(int argc, char **argv)
{
	et_facts = "USE CloseRead CloseWrote CloseReused UseRead UseWrote";
	return et_main(argc, argv, "");
}
