// SPDX-License-Identifier: LGPL-2.1
/* Loads, attaches and detaches the BPF programs.  See programs.h. */
#include "record/bpf/programs.h"
#include "record/bpf/bpf_kernel.h"
#include "record/bpf/rows.h"
#include "base/cpus.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "etrace.skel.h"
#include "etrace_old.skel.h"

/* First warning of libbpf in this thread; its print callback does not pass our data. */
static _Thread_local char *complaint;

static int note_message(enum libbpf_print_level level, const char *fmt, va_list ap)
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
	/* Only the first one: others follow from it. */
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

void programs_fault(const char *doing, int err, char *why, size_t size)
{
	snprintf(why, size, "cannot %s the BPF programs: %s%s%s", doing, strerror(-err),
		 complaint ? ": " : "", complaint ? complaint : "");
	forget_complaint();
}

/* ---- loading ---- */

/* Fills the table of system calls. @record: what to record on request, bits by enum et_where */
static void fill_table(struct etrace_bpf *skel, uint32_t record)
{
	struct etrace_bpf__rodata *ro = skel->rodata;

	for (unsigned int i = 0; i < eb_nr_rows; i++) {
		const struct eb_row_def *def = &eb_row_defs[i];
		struct eb_row *row = (struct eb_row *)&ro->rows[i + 1];
		int native = eb_numbers_native[i], compat = eb_numbers_compat[i];
		int x32 = eb_numbers_x32[i];

		if (def->where > ET_EXTENDED && !(record >> def->where & 1))
			continue;
		row->record = def->record;
		row->recorded = def->recorded;
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
		if (x32) {
			ro->row_native[x32] = (uint8_t)(i + 1);
			ro->row_any[x32] = 1;
		}
	}
}

static bool ends_in(const char *name, const char *end)
{
	size_t len = strlen(name), n = strlen(end);

	return len > n && !strcmp(name + len - n, end);
}

/* Does this kernel have the tracepoint of a program? */
static bool has_event(const struct bpf_program *p, const struct bpf_types *types)
{
	char event[128];

	snprintf(event, sizeof(event), "trace_event_raw_%s",
		 strrchr(bpf_program__section_name(p), '/') + 1);
	return bpf_types_has_struct(types, event);
}

static bool at_return(const struct bpf_program *p)
{
	return !strncmp(bpf_program__section_name(p), "kretprobe/", 10);
}

/* The function that a program hooks, NULL if it is at a tracepoint. */
static const char *hooked_function(const struct bpf_program *p)
{
	const char *section = bpf_program__section_name(p);

	if (!strncmp(section, "fentry/", 7) || !strncmp(section, "kprobe/", 7) ||
	    at_return(p))
		return strchr(section, '/') + 1;
	return NULL;
}

/*
 * Must the hook at a function be a kprobe?  Before 6.1 fentry programs cannot be at one that takes
 * a struct.  Without root, which needs 6.10, there are no kprobes.
 */
static bool needs_probe(const struct bpf_types *types, const char *function)
{
	return bpf_types_takes_struct(types, function) && !bpf_types_has(types, "bpf_preempt_disable");
}

/* Selects the programs to load: those that this kernel accepts and the options need. */
static void choose_programs(struct programs *p, const struct bpf_types *types,
			    const struct bpf_options *opt)
{
	struct bpf_program *one;

	bpf_object__for_each_program(one, p->skel->obj) {
		const char *name = bpf_program__name(one), *function = hooked_function(one);
		bool iter = bpf_program__expected_attach_type(one) == BPF_TRACE_ITER;
		bool probe = function && needs_probe(types, function);
		bool hook_by_perf = p->hooks_by_perf || (probe && bpf_kernel_probes());
		bool by_perf = function ? hook_by_perf : p->by_perf && !iter;
		bool load = uring_has(one) ? uring_counts(one) && has_event(one, types) :
			    at_return(one) || ends_in(name, "_perf") == by_perf;

		if (load && function && (!bpf_types_has(types, function) || (probe && !hook_by_perf))) {
			load = false;
			/*
			 * Not missing: hooks for 32-bit programs on kernels without
			 * them, and one of the two hooks for seccomp filters.
			 */
			p->hooks_missing += !strstr(function, "ia32") &&
					    !strstr(function, "__sec");
		}
		if (!strncmp(name, "task_rename", 11) && !opt->comm)
			load = false;
		if (!strncmp(name, "cgroup_attach", 13) && !opt->cgroups)
			load = false;
		bpf_program__set_autoload(one, load);
	}
}

/*
 * Opens the programs, those for older kernels if @old; NULL with errno on error.
 * @fd: from bpf_types_reduced(), or -1
 */
static struct etrace_bpf *open_programs(bool old, int fd)
{
	char path[64];
	struct bpf_object_open_opts opts = {
		.sz = sizeof(opts),
		.kernel_log_level = getenv("ETRACE_BPF_DEBUG") ? 4 : 0,
	};
	struct etrace_bpf *skel = calloc(1, sizeof(*skel));
	int err;

	if (!skel)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd >= 0 && !access(path, R_OK))
		opts.btf_custom_path = path;
	err = etrace_bpf__create_skeleton(skel);
	/* The two skeletons differ only in the programs' code, which bpf.mk checks. */
	if (!err && old)
		skel->skeleton->data = (void *)etrace_old_bpf__elf_bytes(&skel->skeleton->data_sz);
	if (!err)
		err = bpf_object__open_skeleton(skel->skeleton, &opts);
	if (err) {
		etrace_bpf__destroy(skel);
		errno = -err;
		return NULL;
	}
	return skel;
}

/* Size of the ring buffer for @want bytes: a power of two, or 0 if @want is too much. */
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

/* Did loading fail because the ring buffer could not be allocated? */
static bool no_ring(const struct programs *p, uint32_t bytes)
{
	int fd;

	if (bpf_map__fd(p->skel->maps.ring) >= 0)
		return false;
	if (!bpf_kernel_memory(bytes))
		return true;
	fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "etrace_try", 0, 0, bytes, NULL);
	if (fd < 0)
		return true;
	close(fd);
	return false;
}

/*
 * Maximum number of tasks that can wait for task storage at a time; each waits until its next
 * call.
 */
#define SLOTS_LATE_MAX	4096

/* Sets options of the programs and sizes of their maps. @bytes: size of the ring buffer */
static void configure_programs(struct programs *p, const struct bpf_types *types,
			       const struct bpf_options *opt,
			       uint32_t bytes, uint32_t nr_cpus)
{
	struct etrace_bpf *skel = p->skel;
	bool in_hash = p->old || !bpf_kernel_storage();

	fill_table(skel, opt->record);
	bpf_map__set_autocreate(skel->maps.slots, !in_hash);
	if (!in_hash)
		bpf_map__set_max_entries(skel->maps.slots_hash, SLOTS_LATE_MAX);
	bpf_map__set_autocreate(skel->maps.uses, !in_hash);
	bpf_map__set_autocreate(skel->maps.uses_hash, in_hash);
	bpf_map__set_autocreate(skel->maps.uses_none, in_hash);
	skel->rodata->in_hash = in_hash;
	skel->rodata->refuse_storage = opt->refuse_storage;
	skel->rodata->want_comm = opt->comm;
	skel->rodata->want_env = opt->record >> ET_ENV & 1;
	if (opt->record >> ET_OUTPUT & 1)
		skel->rodata->want_output = opt->record & ET_OUTPUT_ALL ? 2 : 1;
	else
		bpf_map__set_max_entries(skel->maps.prints, 1);
	skel->rodata->pid_bits = BPF_PID_BITS;
	skel->rodata->wake_at = bytes / 8;
	skel->rodata->nr_cpus = nr_cpus;
	skel->rodata->can_hold = !p->hooks_by_perf && bpf_types_has(types, "bpf_preempt_disable");
	bpf_map__set_max_entries(skel->maps.ring, bytes);
	bpf_map__set_max_entries(skel->maps.scratches, nr_cpus *
				 bpf_map__max_entries(skel->maps.scratches));
}

static bool open_and_load(struct programs *p, const struct bpf_types *types,
			  const struct bpf_options *opt, uint32_t bytes, char *why, size_t size)
{
	size_t n;
	int *cpus = cpus_possible(&n), err, fd;
	uint32_t nr_cpus = cpus_above(cpus, n);

	free(cpus);
	if (!nr_cpus) {
		snprintf(why, size, "cannot list the processors: /sys/devices/system/cpu/possible; mount /sys");
		return false;
	}
	forget_complaint();
	libbpf_set_print(note_message);
	p->old = bpf_kernel_old(types);
	p->by_perf = !p->old && bpf_kernel_perf(types);
	/* Programs that perf calls pass ids of types to the kernel: these must be its own. */
	fd = p->old || p->by_perf ? -1 : bpf_types_reduced(types);
	p->skel = open_programs(p->old, fd);
	err = -errno;
	if (!p->skel) {
		programs_fault("open", err, why, size);
		goto out;
	}
	p->hooks_by_perf = !p->old && bpf_kernel_probes();
	choose_programs(p, types, opt);
	configure_programs(p, types, opt, bytes, nr_cpus);
	err = bpf_kernel_memory(bytes) ? etrace_bpf__load(p->skel) : -ENOMEM;
	if (err && no_ring(p, bytes)) {
		snprintf(why, size, "cannot allocate a buffer of %u KiB for the BPF programs: %s; give a smaller size with -b",
			 bytes >> 10, strerror(-err));
		forget_complaint();
	} else if (err) {
		programs_fault("load", err, why, size);
	}
out:
	if (fd >= 0)
		close(fd);
	return !err;
}

bool programs_load(struct programs *p, const struct bpf_options *opt, char *why, size_t size)
{
	uint32_t bytes = ring_bytes(opt->buffer);
	struct bpf_types *types = bpf_kernel_check(why, size);
	bool good = false;

	if (types && !bytes)
		snprintf(why, size, "cannot allocate a buffer of %" PRIu64 " MiB: BPF programs have one for all processors, of %u MiB at most; give a smaller size with -b",
			 opt->buffer >> 20, BPF_BUFFER_MAX >> 20);
	else if (types)
		good = open_and_load(p, types, opt, bytes, why, size);
	bpf_types_free(types);
	return good;
}

/* ---- attaching ---- */

bool programs_attach(struct programs *p, char *why, size_t size)
{
	uring_forget(p->skel);
	for (int i = 0; i < p->skel->skeleton->prog_cnt; i++) {
		struct bpf_prog_skeleton *one = &p->skel->skeleton->progs[i];

		if (!bpf_program__autoload(*one->prog) ||
		    bpf_program__expected_attach_type(*one->prog) == BPF_TRACE_ITER)
			continue;
		*one->link = bpf_program__attach(*one->prog);
		if (*one->link)
			continue;
		/*
		 * Without root, programs at the return of a function are not allowed,
		 * nor perf events. The creation of a ring is recorded anyway.
		 */
		if (!uring_has(*one->prog) && (!at_return(*one->prog) || errno != EACCES)) {
			programs_fault("attach", -errno, why, size);
			return false;
		}
		p->hooks_missing++;
		forget_complaint();
	}
	return true;
}

void programs_see_rings(struct programs *p)
{
	if (p->skel->bss->has_ring != EB_RING_NEW)
		return;
	p->skel->bss->has_ring = EB_RING_TAKEN;
	p->uring.skel = open_programs(p->old, -1);
	if (!p->uring.skel || uring_attach(&p->uring, p->skel, p->old))
		p->hooks_missing++;
	forget_complaint();
}

/* ---- detaching ---- */

void programs_detach_tracepoints(struct programs *p)
{
	for (int i = 0; i < p->skel->skeleton->prog_cnt; i++) {
		struct bpf_prog_skeleton *one = &p->skel->skeleton->progs[i];

		if (!hooked_function(*one->prog) && !uring_has(*one->prog)) {
			bpf_link__destroy(*one->link);
			*one->link = NULL;
		}
	}
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Runs in the process that ends the links: closes everything else, then exits. */
static void hold_links(int *fds, size_t n)
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
 * Detaching a hook waits for all tasks of the machine, an eighth of a second for each
 * hook.  So that the caller need not wait, another process holds the links when this
 * one closes them.  If that process cannot be forked, this one waits.
 */
static void leave_hooks(struct programs *p)
{
	int fds[64 + 2 * URING_FUNCTIONS], status;
	size_t n;
	pid_t pid;

	if (!p->skel)
		return;
	n = uring_fds(&p->uring, fds);
	for (int i = 0; i < p->skel->skeleton->prog_cnt; i++) {
		const struct bpf_link *link = *p->skel->skeleton->progs[i].link;

		if (link && n < sizeof(fds) / sizeof(*fds))
			fds[n++] = bpf_link__fd(link);
	}
	if (!n)
		return;
	pid = fork();
	if (!pid) {
		/* A grandchild, so that the caller need not reap it. */
		if (!fork())
			hold_links(fds, n);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}

void programs_unload(struct programs *p)
{
	leave_hooks(p);
	uring_detach(&p->uring);
	etrace_bpf__destroy(p->skel);
}
