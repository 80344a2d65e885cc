// SPDX-License-Identifier: LGPL-2.1
/* A session of the module.  See rec_session.h. */
#include "module/rec_session.h"
#include "module/rec_merge.h"
#include "base/container.h"
#include "base/xalloc.h"
#include "kernel/etrace_ioctl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <traceevent/event-parse.h>
#include <tracefs/tracefs.h>
#include <unistd.h>

#define SYSTEM		"etrace"
/*
 * What is read faster than it is passed on waits in memory, up to this part of
 * what is free.  The kernel's own buffers stay as they are: since 6.7 it stops
 * tracing while it makes one larger, which loses records.
 */
#define WAIT_PART	8u
/* Wake the reader when a buffer is so full, in percent. */
#define WAKE_PERCENT	"25"
/* Pages that are read from a processor before the others are looked at. */
#define BURST		64u
/* And how often, in one pump(). */
#define ROUNDS		16u
/*
 * Records passed on by one pump(): reading, which costs a tenth of
 * that, comes first.
 */
#define PASS_ON		4096u
/*
 * A record is written a little later than the time in it: a buffer that was
 * seen empty may still bring records so much older than that.
 */
#define WRITE_DELAY_NS	2000000u

struct cpu {
	int id;
	int fd;			/* of trace_pipe_raw; the reader's */
	struct tracefs_cpu *reader;
	uint64_t size;		/* bytes of its buffer */
};

struct rec_session {
	struct session base;
	int fd;
	bool by_device;		/* tracefs is closed to us: its files come through @fd */
	struct tracefs_instance *instance;
	struct tep_handle *tep;
	struct rec_formats formats;
	struct rec_events *events;
	struct merge *merge;
	struct cpu *cpus;
	unsigned int ncpus;
	size_t page;
	uint64_t bytes;
	int read_error;
	struct etrace_create create;
};

static struct rec_session *of(struct session *base)
{
	return container_of(base, struct rec_session, base);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* ---- making it ---- */

static int by_id(const void *a, const void *b)
{
	return ((const struct cpu *)a)->id - ((const struct cpu *)b)->id;
}

/* Return: a file of tracefs, or -1 with errno. */
static int by_device(const struct rec_session *s, __u32 what, int cpu, const char *name)
{
	struct etrace_open o = { .what = what, .cpu = (__u32)cpu };

	snprintf(o.name, sizeof(o.name), "%s", name);
	return ioctl(s->fd, ETRACE_IOC_OPEN, &o);
}

static int open_pipe(const struct rec_session *s, int cpu)
{
	char file[64];

	if (s->by_device)
		return by_device(s, ETRACE_OPEN_PIPE, cpu, "");
	snprintf(file, sizeof(file), "per_cpu/cpu%d/trace_pipe_raw", cpu);
	return tracefs_instance_file_open(s->instance, file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/* Which processors there are: all that there may be have a buffer. */
static bool list_cpus(struct rec_session *s, char *why, size_t size)
{
	size_t cap = 0;
	FILE *f = fopen("/sys/devices/system/cpu/possible", "re");
	int from, to;

	while (f && fscanf(f, "%d", &from) == 1) {
		to = from;
		if (fscanf(f, "-%d", &to) < 0)
			to = from;
		for (; from <= to; from++) {
			s->cpus = xgrow(s->cpus, &cap, s->ncpus + 1, sizeof(*s->cpus));
			s->cpus[s->ncpus++] = (struct cpu){ .id = from };
		}
		if (fgetc(f) != ',')
			break;
	}
	if (f)
		fclose(f);
	if (!s->ncpus)
		snprintf(why, size, "cannot list the processors: /sys/devices/system/cpu/possible");
	return s->ncpus;
}

static bool find_cpus(struct rec_session *s, char *why, size_t size)
{
	char *path = tracefs_instance_get_file(s->instance, "per_cpu");
	size_t cap = 0;
	struct dirent *d;
	DIR *dir;

	dir = path ? opendir(path) : NULL;
	tracefs_put_tracing_file(path);
	if (!dir) {
		snprintf(why, size, "cannot list the buffers of instance %s: %s",
			 s->create.instance, strerror(errno));
		return false;
	}
	while ((d = readdir(dir))) {
		int id;

		if (sscanf(d->d_name, "cpu%d", &id) != 1)
			continue;
		s->cpus = xgrow(s->cpus, &cap, s->ncpus + 1, sizeof(*s->cpus));
		s->cpus[s->ncpus++] = (struct cpu){ .id = id };
	}
	closedir(dir);
	if (s->ncpus)
		qsort(s->cpus, s->ncpus, sizeof(*s->cpus), by_id);
	return true;
}

static bool open_cpus(struct rec_session *s, char *why, size_t size)
{
	if (!(s->by_device ? list_cpus(s, why, size) : find_cpus(s, why, size)))
		return false;
	s->page = (size_t)tep_get_sub_buffer_size(s->tep);
	for (unsigned int i = 0; i < s->ncpus; i++) {
		struct cpu *c = &s->cpus[i];

		c->fd = open_pipe(s, c->id);
		if (c->fd >= 0)
			c->reader = tracefs_cpu_alloc_fd(c->fd, (int)s->page, true);
		if (!c->reader) {
			snprintf(why, size, "cannot open the buffer of processor %d: %s",
				 c->id, strerror(errno));
			return false;
		}
	}
	if (!s->ncpus) {
		snprintf(why, size, "instance %s has no buffers", s->create.instance);
		return false;
	}
	return true;
}

static uint64_t memory(int what)
{
	long pages = sysconf(what), page = sysconf(_SC_PAGESIZE);

	return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

static bool set_buffer(struct rec_session *s, const struct rec_options *opt,
		       char *why, size_t size)
{
	uint64_t bytes = opt->buffer;

	/* as much as anybody gets */
	if (!bytes) {
		bytes = memory(_SC_PHYS_PAGES) / ETRACE_BUFFER_PART / s->ncpus;
		bytes = bytes < ETRACE_BUFFER_LEAST ? ETRACE_BUFFER_LEAST : bytes;
		bytes = bytes > ETRACE_BUFFER_MOST ? ETRACE_BUFFER_MOST : bytes;
	}
	if (s->by_device ? ioctl(s->fd, ETRACE_IOC_BUFFER, &bytes) :
	    tracefs_instance_set_buffer_size(s->instance, (bytes + 1023) / 1024, -1)) {
		/* of a container: tracefs is mounted there read-only, or a profile forbids it */
		bool barred = errno == EACCES || errno == EPERM || errno == EROFS;

		snprintf(why, size, "cannot have buffers of %" PRIu64 " KiB for each of %u processors: %s; %s",
			 bytes / 1024, s->ncpus, strerror(errno),
			 barred ? "something forbids to write to tracefs, as AppArmor does in containers (--security-opt apparmor=unconfined)" :
				  "say a smaller size with -b");
		return false;
	}
	for (unsigned int i = 0; i < s->ncpus; i++)
		s->cpus[i].size = bytes;
	return true;
}

/* The whole of a small file of tracefs. */
static char *read_file(const struct rec_session *s, const char *file, const char *name, int *n)
{
	size_t have = 0, cap = 0;
	char *text = NULL;
	ssize_t got;
	int fd;

	if (!s->by_device)
		return tracefs_instance_file_read(NULL, file, n);
	fd = by_device(s, name ? ETRACE_OPEN_FORMAT : ETRACE_OPEN_HEADER, 0, name ? name : "");
	if (fd < 0)
		return NULL;
	do {
		text = xgrow(text, &cap, have + 4096, 1);
		got = read(fd, text + have, 4095);
		have += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	text[have] = 0;
	close(fd);
	*n = (int)have;
	return text;
}

/* A file of events/, the format of @name or the header, to a parser of libtraceevent's. */
static bool parse_file(struct rec_session *s, const char *file, const char *name,
		       int (*parse)(struct tep_handle *tep, char *text, int size),
		       char *why, size_t size)
{
	char *text;
	bool good;
	int n;

	text = read_file(s, file, name, &n);
	good = text && !parse(s->tep, text, n);
	if (!good)
		snprintf(why, size, "cannot %s %s of tracefs", text ? "understand" : "read", file);
	free(text);
	return good;
}

static int parse_page(struct tep_handle *tep, char *text, int size)
{
	return tep_parse_header_page(tep, text, (unsigned long)size, sizeof(long));
}

static int parse_event(struct tep_handle *tep, char *text, int size)
{
	/* it does not like TP_printk with functions, which is not used here */
	tep_parse_event(tep, text, (unsigned long)size, SYSTEM);
	return 0;
}

/*
 * Not by tracefs_local_events(): that reads all symbols of the kernel too,
 * which takes longer than all the rest.
 */
static bool load_formats(struct rec_session *s, char *why, size_t size)
{
	const char *name;
	char file[96];

	tep_set_loglevel(TEP_LOG_NONE);
	tracefs_set_loglevel(TEP_LOG_NONE);
	s->tep = tep_alloc();
	if (!s->tep) {
		snprintf(why, size, "out of memory");
		return false;
	}
	if (!parse_file(s, "events/header_page", NULL, parse_page, why, size))
		return false;
	for (unsigned int k = 0; (name = rec_kind_name(k)); k++) {
		snprintf(file, sizeof(file), "events/" SYSTEM "/%s/format", name);
		if (!parse_file(s, file, name, parse_event, why, size))
			return false;
	}
	return rec_formats_init(&s->formats, s->tep, why, size);
}

_Static_assert(ETRACE_SESSION_PROBES == 1 << ET_PROBES &&
	       ETRACE_SESSION_DIRS == 1 << ET_DIRS &&
	       ETRACE_SESSION_ENV == 1 << ET_ENV &&
	       ETRACE_SESSION_OUTPUT == 1 << ET_OUTPUT &&
	       ETRACE_SESSION_OUTPUT_ALL == ET_OUTPUT_ALL &&
	       ETRACE_SESSION_ENV_LISTED == ET_ENV_LISTED, "the bits of rec_options.record");
_Static_assert(ET_KEEP_ENV_MAX == ETRACE_KEEP_ENV_MAX, "the bytes of rec_options.keep_env");

static bool keep_env(struct rec_session *s, const char *list, char *why, size_t size)
{
	struct etrace_keep_env keep = { .names = (uintptr_t)list };

	if (!list || !*list)
		return true;
	keep.len = (uint32_t)strlen(list);
	if (!ioctl(s->fd, ETRACE_IOC_KEEP_ENV, &keep))
		return true;
	snprintf(why, size, "cannot say which variables to keep: %s", strerror(errno));
	return false;
}

static bool create(struct rec_session *s, const struct rec_options *opt,
		   char *why, size_t size)
{
	s->create.abi = ETRACE_ABI_VERSION;
	s->create.flags = opt->record | (opt->comm ? ETRACE_SESSION_COMM : 0);
	if (!ioctl(s->fd, ETRACE_IOC_CREATE, &s->create)) {
		s->base.env = et_env_recorded(opt->record, opt->keep_env);
		return keep_env(s, opt->keep_env, why, size);
	}
	if (errno == EINVAL && opt->record & ET_ENV_LISTED) {
		struct rec_options less = *opt;

		/* an older module: it records environments whole, or not at all */
		less.record &= ~(1u << ET_ENV | ET_ENV_LISTED);
		less.keep_env = NULL;
		return create(s, &less, why, size);
	}
	if (errno == EUSERS)
		snprintf(why, size, "there are as many sessions already as the module allows: wait for one to end, or write more to max_sessions or max_user_sessions in /sys/module/etrace/parameters");
	else if (errno == EPROTO)
		snprintf(why, size, "the loaded module is of another version (interface %u, this program knows %u): rmmod etrace, and load the one of this program",
			 s->create.abi, (unsigned int)ETRACE_ABI_VERSION);
	else if (errno == EINVAL && opt->record >> ET_OUTPUT & 1)
		snprintf(why, size, "the loaded module cannot record what programs print (output): rmmod etrace, and load the one of this program");
	else
		snprintf(why, size, "cannot make a session: %s", strerror(errno));
	return false;
}

static void module_close(struct session *base)
{
	struct rec_session *s = of(base);

	merge_free(s->merge);
	rec_events_free(s->events);
	/* the buffers' files first, or the instance cannot go with the session */
	for (unsigned int i = 0; i < s->ncpus; i++)
		if (s->cpus[i].reader)
			tracefs_cpu_close(s->cpus[i].reader);
	free(s->cpus);
	rec_formats_fini(&s->formats);
	if (s->tep)
		tep_free(s->tep);
	if (s->instance)
		tracefs_instance_free(s->instance);
	close(s->fd);
	free(s);
}

/* ---- tracing ---- */

static int module_add(struct session *base, pid_t pid)
{
	__s32 arg = pid;

	return ioctl(of(base)->fd, ETRACE_IOC_ADD, &arg) ? -errno : 0;
}

static int module_add_cgroup(struct session *base, int dir)
{
	__s32 arg = dir;

	return ioctl(of(base)->fd, ETRACE_IOC_CGROUP, &arg) ? -errno : 0;
}

static void module_forget(struct session *base)
{
	close(of(base)->fd);
}

static bool module_idle(struct session *base)
{
	struct pollfd fd = { .fd = of(base)->fd };

	return poll(&fd, 1, 0) > 0;
}

static int by_upid(const void *a, const void *b)
{
	const struct session_task *x = a, *y = b;

	return (x->upid > y->upid) - (x->upid < y->upid);
}

/* In the order in which they came to be traced. */
static int module_tasks(struct session *base, struct session_task **list)
{
	_Static_assert(sizeof(**list) == sizeof(struct etrace_task_info), "one is the other");
	struct etrace_task_list l = { 0 };

	*list = NULL;
	for (l.room = 256;; l.room = l.nr + 256) {
		*list = xrealloc(*list, l.room * sizeof(**list));
		l.tasks = (uintptr_t)*list;
		if (ioctl(of(base)->fd, ETRACE_IOC_TASKS, &l)) {
			free(*list);
			*list = NULL;
			return -errno;
		}
		if (l.nr > l.room)
			continue;
		if (l.nr)
			qsort(*list, l.nr, sizeof(**list), by_upid);
		return (int)l.nr;
	}
}

/* ---- reading ---- */

static void module_poll(struct session *base, struct pollfd *fds)
{
	const struct rec_session *s = of(base);

	for (unsigned int i = 0; i < s->ncpus; i++)
		fds[i] = (struct pollfd){ .fd = s->cpus[i].fd,
					  .events = POLLIN };
}

/* Return: pages read; BURST or no room: there may be more. */
static unsigned int read_cpu(struct rec_session *s, unsigned int i, bool *more)
{
	uint64_t seen = now_ns();
	unsigned int n = 0;
	void *room = NULL;

	while (n < BURST && (room = merge_room(s->merge, i))) {
		int got = tracefs_cpu_read(s->cpus[i].reader, room, true);

		if (got <= 0) {
			if (got < 0 && errno != EAGAIN && errno != EINTR)
				s->read_error = errno;
			merge_seen(s->merge, i, seen - WRITE_DELAY_NS);
			return n;
		}
		s->bytes += (uint64_t)got;
		merge_page(s->merge, i);
		n++;
	}
	*more = true;
	return n;
}

static int module_pump(struct session *base)
{
	struct rec_session *s = of(base);
	uint64_t read[s->ncpus];
	bool more = true;

	memset(read, 0, sizeof(read));
	for (unsigned int round = 0; more && round < ROUNDS; round++) {
		more = false;
		for (unsigned int i = 0; i < s->ncpus; i++)
			read[i] += read_cpu(s, i, &more);
	}
	more |= merge_run(s->merge, PASS_ON);
	base->level = 0;
	for (unsigned int i = 0; i < s->ncpus; i++) {
		uint64_t level = 100 * read[i] * s->page / s->cpus[i].size;

		if (level > base->level)
			base->level = (unsigned int)level;
	}
	return more;
}

static int module_stop(struct session *base)
{
	struct rec_session *s = of(base);

	if (ioctl(s->fd, ETRACE_IOC_STOP))
		return -errno;
	/* nothing is written any more: this ends */
	while (module_pump(base) > 0)
		;
	return merge_end(s->merge);
}

/* The sum of a line "name: number" of per_cpu/cpu N/stats. */
static void add_stats(struct rec_session *s, struct rec_account *a)
{
	char file[64], *text, *p;

	/* then what the module has counted is all that is known */
	if (s->by_device)
		return;
	for (unsigned int i = 0; i < s->ncpus; i++) {
		snprintf(file, sizeof(file), "per_cpu/cpu%d/stats", s->cpus[i].id);
		text = tracefs_instance_file_read(s->instance, file, NULL);
		if (!text)
			continue;
		p = strstr(text, "\noverrun: ");
		a->overrun += p ? strtoull(p + 10, NULL, 10) : 0;
		p = strstr(text, "\ndropped events: ");
		a->dropped += p ? strtoull(p + 17, NULL, 10) : 0;
		free(text);
	}
}

static int module_account(struct session *base, struct rec_account *a)
{
	struct rec_session *s = of(base);
	struct etrace_stats stats;

	memset(a, 0, sizeof(*a));
	if (ioctl(s->fd, ETRACE_IOC_STATS, &stats))
		return -errno;
	a->module = (struct session_counts){
		.records = stats.records,
		.lost_records = stats.lost_records,
		.lost_disabled = stats.lost_disabled,
		.lost_tasks = stats.lost_tasks,
		.lost_fds = stats.lost_fds,
		.strings_joined = stats.strings_joined,
		.strings_unread = stats.strings_unread,
		.strings_cut = stats.strings_cut,
		.overwritten = stats.overwritten,
		.hooks_missing = stats.hooks_missing,
		.strings_untold = stats.strings_untold,
		.rings_unseen = stats.rings_unseen,
	};
	add_stats(s, a);
	a->tally = base->tally;
	a->bytes = s->bytes;
	a->waited = merge_peak(s->merge);
	a->read_error = s->read_error;
	for (unsigned int i = 0; i < s->ncpus; i++)
		if (a->buffer < s->cpus[i].size)
			a->buffer = s->cpus[i].size;
	return 0;
}

/* ---- the session ---- */

static const struct session_ops ops = {
	.name = "module",
	.close = module_close,
	.add = module_add,
	.add_cgroup = module_add_cgroup,
	.forget = module_forget,
	.idle = module_idle,
	.tasks = module_tasks,
	.poll = module_poll,
	.pump = module_pump,
	.stop = module_stop,
	.account = module_account,
};

static bool open_tracefs(struct rec_session *s, const struct rec_options *opt,
			 char *why, size_t size)
{
	if (!tracefs_tracing_dir()) {
		snprintf(why, size, "tracefs is not mounted: mount -t tracefs nodev /sys/kernel/tracing");
		return false;
	}
	if (faccessat(AT_FDCWD, tracefs_tracing_dir(), R_OK | W_OK | X_OK, AT_EACCESS)) {
		snprintf(why, size, "%s: %s: the buffers are files there, which need root (sudo), or the capability CAP_DAC_OVERRIDE beside CAP_PERFMON",
			 tracefs_tracing_dir(), strerror(errno));
		return false;
	}
	s->instance = tracefs_instance_alloc(NULL, s->create.instance);
	if (!s->instance) {
		snprintf(why, size, "cannot find instance %s in tracefs: %s",
			 s->create.instance, strerror(errno));
		return false;
	}
	if (!load_formats(s, why, size) || !open_cpus(s, why, size) ||
	    !set_buffer(s, opt, why, size))
		return false;
	/* what does not fit is lost and counted, not written over */
	if (tracefs_option_disable(s->instance, TRACEFS_OPTION_OVERWRITE)) {
		snprintf(why, size, "cannot set options/overwrite of the instance: %s",
			 strerror(errno));
		return false;
	}
	/* newer kernels only; without it the reader looks twice a second */
	tracefs_instance_file_write(s->instance, "buffer_percent", WAKE_PERCENT);
	return true;
}

/* Has the module let us in for our own processes? Then it opens files for us. */
static bool is_owned(const struct rec_session *s)
{
	int fd = by_device(s, ETRACE_OPEN_HEADER, 0, "");

	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno != EPERM;
}

/* For a member of the device's group. */
static bool open_by_device(struct rec_session *s, const struct rec_options *opt,
			   char *why, size_t size)
{
	return load_formats(s, why, size) && open_cpus(s, why, size) &&
	       set_buffer(s, opt, why, size);
}

struct session *rec_session_open(int fd, const struct rec_options *opt, struct sink *sink,
				 char *why, size_t size)
{
	struct rec_session *s = xcalloc(1, sizeof(*s));

	s->base.ops = &ops;
	s->base.idle_fd = s->fd = fd;
	if (!create(s, opt, why, size))
		goto fail;
	s->by_device = is_owned(s);
	if (!(s->by_device ? open_by_device(s, opt, why, size) : open_tracefs(s, opt, why, size)))
		goto fail;
	s->events = rec_events_new(&s->formats, sink);
	s->merge = merge_new(s->ncpus, s->page, memory(_SC_AVPHYS_PAGES) / WAIT_PART,
			     &s->formats, s->events);
	s->base.pid_bits = s->create.bits_of_real_pid;
	s->base.nfds = s->ncpus;
	s->base.tally = rec_events_tally(s->events);
	snprintf(s->base.about, sizeof(s->base.about), "session %s, %u processors",
		 s->create.instance, s->ncpus);
	return &s->base;
fail:
	module_close(&s->base);
	return NULL;
}
