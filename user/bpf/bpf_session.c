// SPDX-License-Identifier: GPL-2.0
/* Loads and reads the BPF programs.  See bpf_session.h. */
#include "bpf/bpf_session.h"
#include "base/buf.h"
#include "bpf/link_target.h"
#include "bpf/rows.h"
#include "base/xalloc.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/capability.h>
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
	struct etrace_bpf *skel;
	struct ring_buffer *ring;
	struct bpf_rec *rec;
	char *rooms;		/* the programs' rooms, mapped */
	size_t room_size, rooms_len;
	unsigned int hooks_missing;
	unsigned int level;	/* percent */
	bool old;		/* the programs for kernels before 5.17 */
	bool by_perf;		/* those that perf calls */
	bool stopped;
	int err;
};

/* Called for what libbpf has to say; the last warning tells most. */
static char *complaint;

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

/* ---- what the kernel has ---- */

/* The kernel's own types, read once, or NULL. */
static const struct btf *kernel_types(void)
{
	static struct btf *types;

	if (!types)
		types = btf__load_vmlinux_btf();
	return types;
}

static bool has_function(const struct btf *btf, const char *name)
{
	return btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) > 0;
}

/* bpf_loop() came with 5.17; all else that the newer programs need is older. */
static bool is_old(const struct btf *btf)
{
	int id = btf__find_by_name_kind(btf, "bpf_func_id", BTF_KIND_ENUM);
	const struct btf_type *t;
	const struct btf_enum *e;

	if (id < 0)
		return true;
	t = btf__type_by_id(btf, (uint32_t)id);
	e = btf_enum(t);
	for (int i = 0; i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, e[i].name_off), "BPF_FUNC_loop"))
			return false;
	return true;
}

static bool has_cap(unsigned int cap)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	if (syscall(SYS_capget, &head, data))
		return false;
	return data[cap / 32].effective >> (cap % 32) & 1;
}

/* Then no program may read memory. */
static bool is_confidential(void)
{
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char line[128];
	bool is = f && fgets(line, sizeof(line), f) && strstr(line, "[confidentiality]");

	if (f)
		fclose(f);
	return is;
}

bool bpf_available(char *why, size_t size)
{
	const struct btf *btf;

	if (is_confidential()) {
		snprintf(why, size, "the kernel is locked down (confidentiality): it refuses all tracing");
		return false;
	}

	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		snprintf(why, size, "the kernel does not tell its types (no /sys/kernel/btf/vmlinux): it needs CONFIG_DEBUG_INFO_BTF");
		return false;
	}
	if (!has_cap(CAP_SYS_ADMIN) && !(has_cap(CAP_BPF) && has_cap(CAP_PERFMON))) {
		snprintf(why, size, "BPF needs root, or the capabilities CAP_BPF and CAP_PERFMON");
		return false;
	}
	btf = kernel_types();
	if (!btf) {
		snprintf(why, size, "the kernel's types cannot be read: %s", strerror(errno));
		return false;
	}
	if (!has_function(btf, "bpf_ringbuf_output")) {
		snprintf(why, size, "the kernel has no BPF ring buffer: 5.8 or later is needed");
		return false;
	}
	/*
	 * libbpf looks for what this kernel does not have among the types of
	 * its modules.
	 */
	if (!has_cap(CAP_SYS_ADMIN) && !has_function(btf, "bpf_preempt_disable")) {
		snprintf(why, size, "BPF needs root, or the capability CAP_SYS_ADMIN: on kernels before 6.10 CAP_BPF and CAP_PERFMON are not enough");
		return false;
	}
	return true;
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

/*
 * Tracepoints can be preempted, and a program there is passed by while another
 * task has been preempted in it.  Not so by perf, which takes longer, and for
 * which the numbers of its events must be read from tracefs.
 */
static bool must_use_perf(const struct btf *btf)
{
	/* Where libbpf looks for it. */
	const char *id = access("/sys/kernel/debug/tracing", F_OK) ?
			 "/sys/kernel/tracing/events/raw_syscalls/sys_exit/id" :
			 "/sys/kernel/debug/tracing/events/raw_syscalls/sys_exit/id";

	return btf__find_by_name_kind(btf, "tracepoint_ext", BTF_KIND_STRUCT) > 0 &&
	       has_function(btf, "bpf_task_from_pid") && has_function(btf, "bpf_rdonly_cast") &&
	       !access(id, R_OK);
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

		if (load && function && !has_function(btf, function)) {
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

/*
 * Can a task be given storage? Kernels before 5.12 have none for programs, and
 * some cannot allocate it in a program: 7.x on a processor without cmpxchg16b.
 */
static bool has_storage(void)
{
	struct bpf_map_create_opts opts = {
		.sz = sizeof(opts),
		.map_flags = BPF_F_NO_PREALLOC,
	};
	int map, task, err = -1;
	struct btf *btf = btf__new_empty();
	uint64_t value = 0;

	if (!btf)
		return false;
	opts.btf_key_type_id = (uint32_t)btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	opts.btf_value_type_id = (uint32_t)btf__add_int(btf, "u64", 8, 0);
	if (!btf__load_into_kernel(btf)) {
		opts.btf_fd = (uint32_t)btf__fd(btf);
		map = bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, "etrace_try", 4, 8, 0,
				     &opts);
		task = (int)syscall(SYS_pidfd_open, getpid(), 0);
		if (map >= 0 && task >= 0)
			err = bpf_map_update_elem(map, &task, &value, BPF_NOEXIST);
		if (task >= 0)
			close(task);
		if (map >= 0)
			close(map);
	}
	btf__free(btf);
	return !err;
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

/*
 * Is there memory for it? The kernel would look for it to the last page first,
 * with everybody's programs taken out of memory meanwhile.
 */
static bool has_memory(uint32_t bytes)
{
	FILE *f = fopen("/proc/meminfo", "re");
	uint64_t kb = UINT64_MAX;
	char line[128];

	while (f && fgets(line, sizeof(line), f) &&
	       sscanf(line, "MemAvailable: %" SCNu64, &kb) != 1)
		;
	if (f)
		fclose(f);
	return bytes >> 10 < kb;
}

/* Is it the ring buffer that cannot be had? */
static bool no_ring(const struct bpf_session *s, uint32_t bytes)
{
	int fd;

	if (bpf_map__fd(s->skel->maps.ring) >= 0)
		return false;
	if (!has_memory(bytes))
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

struct bpf_session *bpf_session_open(const struct bpf_options *opt, struct sink *sink,
				     char *why, size_t size)
{
	struct bpf_session *s = xcalloc(1, sizeof(*s));
	const struct bpf_rec_ops ops = { link_target, NULL };
	const char *doing = "open";
	uint32_t bytes = ring_bytes(opt->buffer);
	const struct btf *btf;
	bool in_hash;
	int err;

	s->rec = bpf_rec_new(sink, &ops);
	if (!bpf_available(why, size))
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
	btf = kernel_types();
	err = -errno;
	if (!btf)
		goto fail;
	s->old = is_old(btf);
	s->by_perf = !s->old && must_use_perf(btf);
	choose_programs(s, btf, opt);
	fill_table(s->skel);
	in_hash = s->old || !has_storage();
	bpf_map__set_autocreate(s->skel->maps.slots, !in_hash);
	bpf_map__set_autocreate(s->skel->maps.slots_hash, in_hash);
	s->skel->rodata->in_hash = in_hash;
	s->skel->rodata->want_comm = opt->comm;
	s->skel->rodata->pid_bits = BPF_PID_BITS;
	s->skel->rodata->wake_at = bytes / 8;
	s->skel->rodata->nr_cpus = (uint32_t)libbpf_num_possible_cpus();
	s->skel->rodata->can_hold = !s->by_perf && has_function(btf, "bpf_preempt_disable");
	bpf_map__set_max_entries(s->skel->maps.ring, bytes);
	bpf_map__set_max_entries(s->skel->maps.scratches, s->skel->rodata->nr_cpus *
				 bpf_map__max_entries(s->skel->maps.scratches));

	doing = "load";
	err = has_memory(bytes) ? etrace_bpf__load(s->skel) : -ENOMEM;
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
	return s;
fail:
	snprintf(why, size, "cannot %s the BPF programs: %s%s%s", doing, strerror(-err),
		 complaint ? ": " : "", complaint ? complaint : "");
	forget_complaint();
fail_quiet:
	bpf_session_close(s);
	return NULL;
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

void bpf_session_close(struct bpf_session *s)
{
	if (!s)
		return;
	leave_hooks(s);
	ring_buffer__free(s->ring);
	if (s->rooms)
		munmap(s->rooms, s->rooms_len);
	etrace_bpf__destroy(s->skel);
	bpf_rec_free(s->rec);
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

int bpf_session_add(struct bpf_session *s, pid_t pid)
{
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

int bpf_session_tasks(struct bpf_session *s, struct eb_task **list)
{
	struct buf out = { 0 };
	int err;

	s->skel->bss->root_pid = 0;
	err = iterate(s, &out);
	if (err) {
		buf_free(&out);
		return err;
	}
	*list = (struct eb_task *)out.s;
	return (int)(out.len / sizeof(struct eb_task));
}

bool bpf_session_idle(const struct bpf_session *s)
{
	return !__atomic_load_n(&s->skel->bss->tasks, __ATOMIC_RELAXED);
}

/* ---- reading ---- */

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int bpf_session_fd(const struct bpf_session *s)
{
	return ring_buffer__epoll_fd(s->ring);
}

int bpf_session_pump(struct bpf_session *s)
{
	uint64_t before = now(), bytes = bpf_rec_tally(s->rec)->bytes;
	uint64_t size = bpf_map__max_entries(s->skel->maps.ring);
	int n = ring_buffer__consume(s->ring);
	int err = bpf_rec_seen(s->rec, before);

	/* What has come since is in it, too: never too low. */
	s->level = (unsigned int)((bpf_rec_tally(s->rec)->bytes - bytes) * 100 / size);
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

int bpf_session_stop(struct bpf_session *s)
{
	int err;

	if (s->stopped)
		return s->err;
	s->stopped = true;
	detach_tracepoints(s);
	s->skel->bss->tracing = false;
	/* What a program has begun it will end: then the buffer is complete. */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		etrace_bpf__detach(s->skel);
	bpf_session_pump(s);
	err = bpf_rec_end(s->rec);
	if (!s->err)
		s->err = err;
	return s->err;
}

int bpf_session_release(struct bpf_session *s)
{
	struct buf nothing = { 0 };
	int err;

	s->skel->bss->tracing = false;
	s->skel->bss->root_pid = EB_RELEASE;
	err = iterate(s, &nothing);
	s->skel->bss->root_pid = 0;
	buf_free(&nothing);
	bpf_session_pump(s);
	if (!err)
		err = bpf_rec_end(s->rec);
	return err;
}

/* ---- account ---- */

void bpf_session_account(struct bpf_session *s, struct bpf_account *a)
{
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

/* ---- what callers want to know ---- */

const struct rec_tally *bpf_session_tally(const struct bpf_session *s)
{
	return &bpf_rec_tally(s->rec)->t;
}

void bpf_session_present(struct bpf_session *s, uint64_t upid, const char *program,
			 bool process)
{
	bpf_rec_present(s->rec, upid, program, process);
}

unsigned int bpf_session_level(const struct bpf_session *s)
{
	return s->level;
}

const char *bpf_session_about(const struct bpf_session *s)
{
	return s->old ? "those for kernels before 5.17" :
	       s->by_perf ? "those for kernels from 5.17 on, called by perf" :
			    "those for kernels from 5.17 on";
}
