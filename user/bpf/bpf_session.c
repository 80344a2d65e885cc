// SPDX-License-Identifier: LGPL-2.1
/* Loads and reads the BPF programs.  See bpf_session.h. */
#include "bpf/bpf_session.h"
#include "base/buf.h"
#include "base/container.h"
#include "bpf/bpf_kernel.h"
#include "bpf/link_target.h"
#include "bpf/rows.h"
#include "base/xalloc.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "etrace.skel.h"

struct bpf_session {
	struct session base;
	struct etrace_bpf *skel;
	struct ring_buffer *ring;
	struct bpf_rec *rec;
	struct link_target *targets;
	char *rooms;		/* the programs' rooms, mapped */
	size_t room_size, rooms_len;
	unsigned int hooks_missing;
	bool old;		/* the programs for kernels before 5.17 */
	bool by_perf;		/* those that perf calls */
	bool stopped;
	int err;
};

static struct bpf_session *of(const struct session *base)
{
	return container_of((struct session *)(uintptr_t)base, struct bpf_session, base);
}

/* What libbpf had to say in this thread: it has no place to hand anything along. */
static _Thread_local char *complaint;

static int note(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char *text;
	int n;

	if (level != LIBBPF_WARN) {
		if (getenv("ETRACE_BPF_DEBUG"))
			vfprintf(stderr, fmt, ap);
		return 0;
	}
	n = vasprintf(&text, fmt, ap);
	if (n < 0)
		return 0;
	if (getenv("ETRACE_BPF_DEBUG"))
		fputs(text, stderr);
	while (n && text[n - 1] == '\n')
		text[--n] = 0;
	/* The first one: those that follow tell what fell over because of it. */
	if (!complaint)
		complaint = text;
	else
		free(text);
	return n;
}

static void forget_complaint(void)
{
	free(complaint);
	complaint = NULL;
}

/* ---- loading ---- */

static void fill_table(struct etrace_bpf *skel)
{
	struct etrace_bpf__rodata *ro = skel->rodata;

	for (unsigned int i = 0; i < eb_nr_rows; i++) {
		const struct eb_row_def *def = &eb_row_defs[i];
		struct eb_row *row = (struct eb_row *)&ro->rows[i + 1];
		int native = eb_numbers_native[i], compat = eb_numbers_compat[i];

		row->record = def->record;
		row->told = def->told;
		row->hook = def->hook;
		for (unsigned int a = 0; a < EB_MAX_ROLES; a++)
			if (def->role[a] != EB_A_SKIP)
				row->at[def->role[a]] = (uint8_t)(a + 1);
		if (native >= 0 && native < EB_MAX_NR) {
			ro->row_native[native] = (uint8_t)(i + 1);
			ro->row_any[native] = 1;
		}
		if (compat >= 0 && compat < EB_MAX_NR) {
			ro->row_compat[compat] = (uint8_t)(i + 1);
			ro->row_any[compat] = 1;
		}
	}
}

static bool ends_in(const char *name, const char *end)
{
	size_t len = strlen(name), n = strlen(end);

	return len > n && !strcmp(name + len - n, end);
}

static bool at_return(const struct bpf_program *p)
{
	return !strncmp(bpf_program__section_name(p), "kretprobe/", 10);
}

/* The function that a program hooks, or NULL: it is on a tracepoint. */
static const char *hooked(const struct bpf_program *p)
{
	const char *section = bpf_program__section_name(p);

	if (!strncmp(section, "fentry/", 7) || !strncmp(section, "kprobe/", 7) ||
	    at_return(p))
		return strchr(section, '/') + 1;
	return NULL;
}

/* Which programs this kernel takes, and which are wanted. */
static void choose_programs(struct bpf_session *s, const struct btf *btf,
			    const struct bpf_options *opt)
{
	struct bpf_program *p;

	bpf_object__for_each_program(p, s->skel->obj) {
		const char *name = bpf_program__name(p), *function = hooked(p);
		bool iter = bpf_program__expected_attach_type(p) == BPF_TRACE_ITER;
		bool load = ends_in(name, "_old") == s->old &&
			    ends_in(name, "_perf") == (s->by_perf && !iter);

		if (load && function && !bpf_kernel_has(btf, function)) {
			load = false;
			/*
			 * Kernels without 32-bit programs do without it; and
			 * filters are asked in one place or another.
			 */
			s->hooks_missing += !strstr(function, "ia32") &&
					    !strstr(function, "__sec");
		}
		if (!strncmp(name, "task_rename", 11) && !opt->comm)
			load = false;
		bpf_program__set_autoload(p, load);
	}
}

/* The size that its ring buffer can have: a power of two. 0: @want is too much. */
static uint32_t ring_bytes(uint64_t want)
{
	uint32_t bytes = (uint32_t)sysconf(_SC_PAGESIZE);

	if (!want)
		want = BPF_BUFFER;
	if (want > BPF_BUFFER_MAX)
		return 0;
	while (bytes < want)
		bytes *= 2;
	return bytes;
}

/* Is it the ring buffer that cannot be had? */
static bool no_ring(const struct bpf_session *s, uint32_t bytes)
{
	int fd;

	if (bpf_map__fd(s->skel->maps.ring) >= 0)
		return false;
	if (!bpf_kernel_memory(bytes))
		return true;
	fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "etrace_try", 0, 0, bytes, NULL);
	if (fd < 0)
		return true;
	close(fd);
	return false;
}

/* Maps the programs' rooms, for their counters. Return: 0 or -errno. */
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

static int take(void *arg, void *data, size_t size)
{
	struct bpf_session *s = arg;
	int err = bpf_rec_take(s->rec, data, size);

	if (!s->err)
		s->err = err;
	return 0;
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* The process that ends the links: nothing but them is kept open. */
static void linger(int *fds, size_t n)
{
	unsigned int from = 0;

	setsid();
	prctl(PR_SET_NAME, "etrace-detach");
	if (chdir("/"))
		_exit(1);
	qsort(fds, n, sizeof(*fds), compare_ints);
	for (size_t i = 0; i < n; i++) {
		if ((unsigned int)fds[i] > from)
			close_range(from, (unsigned int)fds[i] - 1, 0);
		from = (unsigned int)fds[i] + 1;
	}
	close_range(from, ~0u, 0);
	_exit(0);
}

/*
 * Detaching a hook takes as long as it takes each task of the machine to get
 * out of the kernel's way, an eighth of a second, and that for each hook.  No
 * one needs to wait for that: a process of its own holds the links when we let
 * go of them.  Without it, if it cannot be had, we wait.
 */
static void leave_hooks(struct bpf_session *s)
{
	int fds[64], status;
	size_t n = 0;
	pid_t pid;

	if (!s->skel)
		return;
	for (int i = 0; i < s->skel->skeleton->prog_cnt; i++) {
		const struct bpf_link *link = *s->skel->skeleton->progs[i].link;

		if (link && n < sizeof(fds) / sizeof(*fds))
			fds[n++] = bpf_link__fd(link);
	}
	if (!n)
		return;
	pid = fork();
	if (!pid) {
		/* Nobody has to wait for a child's child. */
		if (!fork())
			linger(fds, n);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}

/*
 * The last of the programs are taken off behind this call's back, by a process
 * named etrace-detach, which takes a second.
 */
static void bpf_close(struct session *base)
{
	struct bpf_session *s = of(base);

	leave_hooks(s);
	ring_buffer__free(s->ring);
	if (s->rooms)
		munmap(s->rooms, s->rooms_len);
	etrace_bpf__destroy(s->skel);
	bpf_rec_free(s->rec);
	link_target_free(s->targets);
	free(s);
}

/* ---- tasks ---- */

/* One pass of the iterator over all tasks; what it writes goes to @out. */
static int iterate(struct bpf_session *s, struct buf *out)
{
	struct bpf_program *p = s->old ? s->skel->progs.adopt_old : s->skel->progs.adopt;
	struct bpf_link *link = bpf_program__attach_iter(p, NULL);
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

static int bpf_add(struct session *base, pid_t pid)
{
	struct bpf_session *s = of(base);
	struct buf nothing = { 0 };
	int err = 0;

	s->skel->bss->tracing = true;
	s->skel->bss->root_pid = pid;
	s->skel->bss->root_seen = false;
	do {
		s->skel->bss->adopted = 0;
		err = iterate(s, &nothing);
	} while (!err && s->skel->bss->adopted);
	s->skel->bss->root_pid = 0;
	buf_free(&nothing);
	return err ? err : s->skel->bss->root_seen ? 0 : -ESRCH;
}

/* Its descriptors go with the execve; a child that waits sees its owner's end. */
static void bpf_forget(struct session *base)
{
	(void)base;
}

static int bpf_tasks(struct session *base, struct session_task **list)
{
	_Static_assert(sizeof(**list) == sizeof(struct eb_task), "one is the other");
	struct bpf_session *s = of(base);
	struct buf out = { 0 };
	int err;

	s->skel->bss->root_pid = 0;
	err = iterate(s, &out);
	if (err) {
		buf_free(&out);
		return err;
	}
	*list = (struct session_task *)out.s;
	return (int)(out.len / sizeof(**list));
}

static bool bpf_idle(struct session *base)
{
	return !__atomic_load_n(&of(base)->skel->bss->tasks, __ATOMIC_RELAXED);
}

/* ---- reading ---- */

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void bpf_poll(struct session *base, struct pollfd *fds)
{
	fds[0] = (struct pollfd){ .fd = ring_buffer__epoll_fd(of(base)->ring), .events = POLLIN };
}

static int bpf_pump(struct session *base)
{
	struct bpf_session *s = of(base);
	uint64_t before = now(), bytes = bpf_rec_tally(s->rec)->bytes;
	uint64_t size = bpf_map__max_entries(s->skel->maps.ring);
	int n = ring_buffer__consume(s->ring);
	int err = bpf_rec_seen(s->rec, before);

	/* What has come since is in it, too: never too low. */
	base->level = (unsigned int)((bpf_rec_tally(s->rec)->bytes - bytes) * 100 / size);
	if (!s->err)
		s->err = n < 0 ? n : err;
	return s->err;
}

/* All but the hooks, which send nothing any more when this is done. */
static void detach_tracepoints(struct bpf_session *s)
{
	for (int i = 0; i < s->skel->skeleton->prog_cnt; i++) {
		struct bpf_prog_skeleton *p = &s->skel->skeleton->progs[i];

		if (!hooked(*p->prog)) {
			bpf_link__destroy(*p->link);
			*p->link = NULL;
		}
	}
}

static int bpf_stop(struct session *base)
{
	struct bpf_session *s = of(base);
	int err;

	if (s->stopped)
		return s->err;
	s->stopped = true;
	detach_tracepoints(s);
	s->skel->bss->tracing = false;
	/* What a program has begun it will end: then the buffer is complete. */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		etrace_bpf__detach(s->skel);
	bpf_pump(base);
	err = bpf_rec_end(s->rec);
	if (!s->err)
		s->err = err;
	return s->err;
}

int bpf_session_release(struct session *base)
{
	struct bpf_session *s = of(base);
	struct buf nothing = { 0 };
	int err;

	s->skel->bss->tracing = false;
	s->skel->bss->root_pid = EB_RELEASE;
	err = iterate(s, &nothing);
	s->skel->bss->root_pid = 0;
	buf_free(&nothing);
	bpf_pump(base);
	if (!err)
		err = bpf_rec_end(s->rec);
	return err;
}

/* ---- account ---- */

void bpf_session_account(struct session *base, struct bpf_account *a)
{
	const struct bpf_session *s = of(base);
	struct bpf_program *p;

	memset(a, 0, sizeof(*a));
	a->tally = &bpf_rec_tally(s->rec)->t;
	a->damaged = bpf_rec_tally(s->rec)->damaged;
	a->resolved = bpf_rec_tally(s->rec)->resolved;
	a->unresolved = bpf_rec_tally(s->rec)->unresolved;
	a->untold = bpf_rec_tally(s->rec)->untold;
	a->bytes = bpf_rec_tally(s->rec)->bytes;
	a->buffer = bpf_map__max_entries(s->skel->maps.ring);
	a->hooks_missing = s->hooks_missing;
	a->limited = s->old;
	for (size_t at = 0; at < s->rooms_len; at += s->room_size) {
		struct eb_counts c;

		/* It begins with them: see struct scratch. */
		memcpy(&c, s->rooms + at, sizeof(c));
#define X(name) a->programs.name += c.name;
		EB_COUNTERS(X)
#undef X
	}
	bpf_object__for_each_program(p, s->skel->obj) {
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof(info);

		if (bpf_program__autoload(p) &&
		    !bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &len))
			a->missed += info.recursion_misses;
	}
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
	.forget = bpf_forget,
	.idle = bpf_idle,
	.tasks = bpf_tasks,
	.poll = bpf_poll,
	.pump = bpf_pump,
	.stop = bpf_stop,
	.account = bpf_account,
};

struct session *bpf_session_open(const struct bpf_options *opt, struct sink *sink,
				 char *why, size_t size)
{
	struct bpf_session *s = xcalloc(1, sizeof(*s));
	const char *doing = "open";
	uint32_t bytes = ring_bytes(opt->buffer);
	struct btf *btf = NULL;
	bool in_hash;
	int err;

	s->base.ops = &ops;
	s->base.pid_bits = BPF_PID_BITS;
	s->base.nfds = 1;
	s->base.idle_fd = -1;
	s->targets = link_target_new();
	s->rec = bpf_rec_new(sink, &(struct bpf_rec_ops){ link_target, s->targets });
	s->base.tally = &bpf_rec_tally(s->rec)->t;
	btf = bpf_kernel_check(why, size);
	if (!btf)
		goto fail_quiet;
	if (!bytes) {
		snprintf(why, size, "cannot have a buffer of %" PRIu64 " MiB: BPF programs have one for all processors, of %u MiB at most; say a smaller size with -b",
			 opt->buffer >> 20, BPF_BUFFER_MAX >> 20);
		goto fail_quiet;
	}
	forget_complaint();
	libbpf_set_print(note);
	s->skel = etrace_bpf__open_opts(&(struct bpf_object_open_opts){
		.sz = sizeof(struct bpf_object_open_opts),
		.kernel_log_level = getenv("ETRACE_BPF_DEBUG") ? 4 : 0,
	});
	err = -errno;
	if (!s->skel)
		goto fail;
	s->old = bpf_kernel_old(btf);
	s->by_perf = !s->old && bpf_kernel_perf(btf);
	choose_programs(s, btf, opt);
	fill_table(s->skel);
	in_hash = s->old || !bpf_kernel_storage();
	bpf_map__set_autocreate(s->skel->maps.slots, !in_hash);
	bpf_map__set_autocreate(s->skel->maps.slots_hash, in_hash);
	s->skel->rodata->in_hash = in_hash;
	s->skel->rodata->want_comm = opt->comm;
	s->skel->rodata->pid_bits = BPF_PID_BITS;
	s->skel->rodata->wake_at = bytes / 8;
	s->skel->rodata->nr_cpus = (uint32_t)libbpf_num_possible_cpus();
	s->skel->rodata->can_hold = !s->by_perf && bpf_kernel_has(btf, "bpf_preempt_disable");
	bpf_map__set_max_entries(s->skel->maps.ring, bytes);
	bpf_map__set_max_entries(s->skel->maps.scratches, s->skel->rodata->nr_cpus *
				 bpf_map__max_entries(s->skel->maps.scratches));

	doing = "load";
	err = bpf_kernel_memory(bytes) ? etrace_bpf__load(s->skel) : -ENOMEM;
	if (err && no_ring(s, bytes)) {
		snprintf(why, size, "cannot have a buffer of %u KiB for the BPF programs: %s; say a smaller size with -b",
			 bytes >> 10, strerror(-err));
		forget_complaint();
		goto fail_quiet;
	}
	if (err)
		goto fail;
	s->ring = ring_buffer__new(bpf_map__fd(s->skel->maps.ring), take, s, NULL);
	err = -errno;
	if (!s->ring)
		goto fail;
	err = map_rooms(s);
	if (err)
		goto fail;
	doing = "attach";
	for (int i = 0; i < s->skel->skeleton->prog_cnt; i++) {
		struct bpf_prog_skeleton *p = &s->skel->skeleton->progs[i];

		if (!bpf_program__autoload(*p->prog) ||
		    bpf_program__expected_attach_type(*p->prog) == BPF_TRACE_ITER)
			continue;
		*p->link = bpf_program__attach(*p->prog);
		err = -errno;
		if (*p->link)
			continue;
		/* Who is not root may have all but returns of functions. */
		if (!at_return(*p->prog) || err != -EACCES)
			goto fail;
		s->hooks_missing++;
		forget_complaint();
	}
	snprintf(s->base.about, sizeof(s->base.about), "BPF programs, %s",
		 s->old ? "those for kernels before 5.17" :
		 s->by_perf ? "those for kernels from 5.17 on, called by perf" :
			      "those for kernels from 5.17 on");
	btf__free(btf);
	return &s->base;
fail:
	snprintf(why, size, "cannot %s the BPF programs: %s%s%s", doing, strerror(-err),
		 complaint ? ": " : "", complaint ? complaint : "");
	forget_complaint();
fail_quiet:
	btf__free(btf);
	bpf_close(&s->base);
	return NULL;
}
