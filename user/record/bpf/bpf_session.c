// SPDX-License-Identifier: LGPL-2.1
/* Runs a session of the BPF programs and reads their records.  See bpf_session.h. */
#include "record/bpf/bpf_session.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/container.h"
#include "record/bpf/link_target.h"
#include "record/bpf/programs.h"
#include "base/xalloc.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "etrace.skel.h"

struct bpf_session {
	struct session base;
	struct programs programs;
	struct etrace_bpf *skel;	/* the skeleton in @programs */
	struct ring_buffer *ring;
	struct bpf_rec *rec;
	struct link_target *targets;
	char *rooms;		/* the programs' buffers (struct scratch), mapped */
	size_t room_size, rooms_len;	/* in bytes */
	bool stopped;
	int err;
};

static struct bpf_session *session_of(const struct session *base)
{
	return container_of((struct session *)(uintptr_t)base, struct bpf_session, base);
}

/* ---- the programs' maps ---- */

/* Maps the programs' buffers, which contain their counters. Return: 0 or -errno. */
static int map_rooms(struct bpf_session *s)
{
	const struct bpf_map *map = s->skel->maps.scratches;
	size_t size = (bpf_map__value_size(map) + 7) / 8 * 8;
	size_t len = size * bpf_map__max_entries(map);
	void *rooms = mmap(NULL, len, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);

	if (rooms == MAP_FAILED)
		return -errno;
	s->rooms = rooms;
	s->room_size = size;
	s->rooms_len = len;
	return 0;
}

static int take_record(void *arg, void *data, size_t size)
{
	struct bpf_session *s = arg;
	int err = bpf_rec_take(s->rec, data, size);

	if (!s->err)
		s->err = err;
	return 0;
}

static void bpf_close(struct session *base)
{
	struct bpf_session *s = session_of(base);

	ring_buffer__free(s->ring);
	if (s->rooms)
		munmap(s->rooms, s->rooms_len);
	programs_unload(&s->programs);
	bpf_rec_free(s->rec);
	link_target_free(s->targets);
	free(s);
}

/* ---- tasks ---- */

/* One pass of the iterator over all tasks; what it writes goes to @out. */
static int iterate_tasks(struct bpf_session *s, struct buf *out)
{
	struct bpf_link *link = bpf_program__attach_iter(s->skel->progs.adopt, NULL);
	int fd, err = 0;
	ssize_t n;

	if (!link)
		return -errno;
	fd = bpf_iter_create(bpf_link__fd(link));
	if (fd < 0)
		err = -errno;
	while (!err) {
		n = read(fd, buf_room(out, 65536), 65536);
		if (n > 0)
			out->len += (size_t)n;
		else if (!n)
			break;
		else if (errno != EINTR && errno != EAGAIN)
			err = -errno;
	}
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
	return err;
}

/* Adds tasks until none is found.  @whom: a pid or EB_CGROUPS.  Return: 0 or -errno. */
static int adopt_tasks(struct bpf_session *s, int whom)
{
	struct buf nothing = { 0 };
	int err;

	s->skel->bss->root_pid = whom;
	do {
		s->skel->bss->adopted = 0;
		err = iterate_tasks(s, &nothing);
	} while (!err && s->skel->bss->adopted);
	s->skel->bss->root_pid = 0;
	buf_free(&nothing);
	return err;
}

static int bpf_add(struct session *base, pid_t pid)
{
	struct bpf_session *s = session_of(base);
	int err;

	s->skel->bss->tracing = true;
	s->skel->bss->root_seen = false;
	err = adopt_tasks(s, pid);
	return err ? err : s->skel->bss->root_seen ? 0 : -ESRCH;
}

static int bpf_add_cgroup(struct session *base, int dir)
{
	struct bpf_session *s = session_of(base);
	const uint8_t there = 1;
	struct stat st;
	uint64_t id;

	if (s->skel->bss->nr_cgroups == EB_CGROUPS_MAX)
		return -ENOSPC;
	if (fstat(dir, &st))
		return -errno;
	id = st.st_ino;
	if (bpf_map_update_elem(bpf_map__fd(s->skel->maps.cgroups), &id, &there, BPF_ANY))
		return -errno;
	s->skel->bss->nr_cgroups++;
	s->skel->bss->tracing = true;
	s->skel->bss->adopts_late = false;
	return adopt_tasks(s, EB_CGROUPS);
}

/* Nothing to close: the execve closes all descriptors, and a waiting child sees its owner end. */
static void bpf_forget(struct session *base)
{
	(void)base;
}

static int bpf_tasks(struct session *base, struct session_task **list)
{
	_Static_assert(sizeof(**list) == sizeof(struct eb_task), "one is the other");
	struct bpf_session *s = session_of(base);
	struct buf out = { 0 };
	int err;

	s->skel->bss->root_pid = 0;
	err = iterate_tasks(s, &out);
	if (err) {
		buf_free(&out);
		return err;
	}
	*list = (struct session_task *)out.s;
	return (int)(out.len / sizeof(**list));
}

static bool bpf_idle(struct session *base)
{
	return !__atomic_load_n(&session_of(base)->skel->bss->tasks, __ATOMIC_RELAXED);
}

/* ---- reading ---- */

static void bpf_poll(struct session *base, struct pollfd *fds)
{
	fds[0] = (struct pollfd){
		.fd = ring_buffer__epoll_fd(session_of(base)->ring), .events = POLLIN,
	};
}

static int bpf_pump(struct session *base)
{
	struct bpf_session *s = session_of(base);
	uint64_t before = (uint64_t)clock_ns(CLOCK_MONOTONIC), bytes = bpf_rec_tally(s->rec)->bytes;
	uint64_t size = bpf_map__max_entries(s->skel->maps.ring);
	int n = ring_buffer__consume(s->ring);
	int err = bpf_rec_seen(s->rec, before);

	/* The level includes bytes that arrived while reading, so it is never too low. */
	base->level = (unsigned int)((bpf_rec_tally(s->rec)->bytes - bytes) * 100 / size);
	if (!s->err)
		s->err = n < 0 ? n : err;
	if (!s->stopped)
		programs_see_rings(&s->programs);
	if (!s->stopped && __atomic_exchange_n(&s->skel->bss->cgroups_moved, false, __ATOMIC_RELAXED)) {
		s->skel->bss->adopts_late = true;
		err = adopt_tasks(s, EB_CGROUPS);
		if (!s->err)
			s->err = err;
	}
	return s->err;
}

/* Runs a command on all tasks. @what: EB_RELEASE or EB_RECORD.  Return: 0 or -errno. */
static int run_on_tasks(struct bpf_session *s, int what)
{
	struct buf nothing = { 0 };
	int err;

	s->skel->bss->root_pid = what;
	err = iterate_tasks(s, &nothing);
	s->skel->bss->root_pid = 0;
	buf_free(&nothing);
	return err;
}

static int bpf_stop(struct session *base)
{
	struct bpf_session *s = session_of(base);
	int err;

	if (s->stopped)
		return s->err;
	s->stopped = true;
	programs_detach_tracepoints(&s->programs);
	s->skel->bss->tracing = false;
	/* Waits until programs that are still running have ended: then the buffer is complete. */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		etrace_bpf__detach(s->skel);
	err = run_on_tasks(s, EB_RECORD);
	if (!s->err)
		s->err = err;
	bpf_pump(base);
	err = bpf_rec_end(s->rec);
	if (!s->err)
		s->err = err;
	return s->err;
}

int bpf_session_release(struct session *base)
{
	struct bpf_session *s = session_of(base);
	int err;

	s->skel->bss->tracing = false;
	err = run_on_tasks(s, EB_RELEASE);
	bpf_pump(base);
	if (!err)
		err = bpf_rec_end(s->rec);
	return err;
}

/* ---- account ---- */

/* Number of times that the kernel skipped a program. @skel: NULL if none is loaded */
static uint64_t count_missed(const struct etrace_bpf *skel)
{
	struct bpf_program *p;
	uint64_t n = 0;

	if (!skel)
		return 0;
	bpf_object__for_each_program(p, skel->obj) {
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof(info);

		if (bpf_program__autoload(p) &&
		    !bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &len))
			n += info.recursion_misses;
	}
	return n;
}

void bpf_session_account(struct session *base, struct bpf_account *a)
{
	const struct bpf_session *s = session_of(base);

	memset(a, 0, sizeof(*a));
	a->tally = &bpf_rec_tally(s->rec)->t;
	a->damaged = bpf_rec_tally(s->rec)->damaged;
	a->resolved = bpf_rec_tally(s->rec)->resolved;
	a->unresolved = bpf_rec_tally(s->rec)->unresolved;
	a->untold = bpf_rec_tally(s->rec)->untold;
	a->bytes = bpf_rec_tally(s->rec)->bytes;
	a->buffer = bpf_map__max_entries(s->skel->maps.ring);
	a->hooks_missing = s->programs.hooks_missing;
	a->limited = s->programs.old;
	for (size_t at = 0; at < s->rooms_len; at += s->room_size) {
		struct eb_counts c;

		/* The counters are at the start of struct scratch. */
		memcpy(&c, s->rooms + at, sizeof(c));
#define X(name) a->programs.name += c.name;
		EB_COUNTERS(X)
#undef X
	}
	a->programs.lost_records += s->skel->bss->slots_unseen;
	a->storage_refused = s->skel->bss->storage_refused;
	a->rings_hooked = s->programs.uring.nlinks;
	a->missed = count_missed(s->skel) + count_missed(s->programs.uring.skel);
}

static int bpf_account(struct session *base, struct rec_account *a)
{
	struct bpf_account b;

	bpf_session_account(base, &b);
	*a = (struct rec_account){
		.module = {
			.records = b.programs.events,
			.lost_records = b.programs.lost_records,
			.lost_tasks = b.programs.lost_tasks,
			.lost_fds = b.programs.lost_fds,
			.rings_unseen = b.programs.rings_unseen,
			.strings_joined = b.programs.strings_joined,
			.strings_unread = b.programs.strings_unread + b.unresolved,
			.strings_cut = b.programs.strings_cut,
			.strings_untold = b.untold,
			.hooks_missing = b.hooks_missing,
		},
		.missed = b.missed,
		.tally = b.tally,
		.read_error = b.damaged ? EBADMSG : 0,
		.bytes = b.bytes,
		.buffer = b.buffer,
	};
	return 0;
}

/* ---- the session ---- */

static const struct session_ops ops = {
	.name = "bpf",
	.wakes_for_a_reason = true,
	.close = bpf_close,
	.add = bpf_add,
	.add_cgroup = bpf_add_cgroup,
	.forget = bpf_forget,
	.idle = bpf_idle,
	.tasks = bpf_tasks,
	.poll = bpf_poll,
	.pump = bpf_pump,
	.stop = bpf_stop,
	.account = bpf_account,
};

static bool open_session(struct bpf_session *s, const struct bpf_options *opt,
			 char *why, size_t size)
{
	int err;

	if (!programs_load(&s->programs, opt, why, size))
		return false;
	s->skel = s->programs.skel;
	s->ring = ring_buffer__new(bpf_map__fd(s->skel->maps.ring), take_record, s, NULL);
	err = s->ring ? map_rooms(s) : -errno;
	if (err) {
		programs_fault("load", err, why, size);
		return false;
	}
	return programs_attach(&s->programs, why, size);
}

struct session *bpf_session_open(const struct bpf_options *opt, struct sink *sink,
				 char *why, size_t size)
{
	struct bpf_session *s = xcalloc(1, sizeof(*s));

	s->base.ops = &ops;
	s->base.pid_bits = BPF_PID_BITS;
	s->base.nfds = 1;
	s->base.idle_fd = -1;
	s->base.env = et_env_recorded(opt->record, opt->keep_env);
	s->targets = link_target_new();
	s->rec = bpf_rec_new(sink, &(struct bpf_rec_ops){ link_target, s->targets,
							 opt->keep_env,
							 opt->record & ET_ENV_LISTED });
	s->base.tally = &bpf_rec_tally(s->rec)->t;
	if (!open_session(s, opt, why, size)) {
		bpf_close(&s->base);
		return NULL;
	}
	snprintf(s->base.about, sizeof(s->base.about), "BPF programs, %s",
		 s->programs.old ? "those for kernels before 5.17" :
		 s->programs.by_perf ? "those for kernels from 5.17 on, called by perf" :
				       "those for kernels from 5.17 on");
	return &s->base;
}
