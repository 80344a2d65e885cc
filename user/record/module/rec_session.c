// SPDX-License-Identifier: LGPL-2.1
/* A session of the module.  See rec_session.h. */
#include "record/module/rec_session.h"
#include "record/module/rec_merge.h"
#include "base/clock.h"
#include "base/container.h"
#include "base/cpus.h"
#include "base/xalloc.h"
#include "kernel/etrace_ioctl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <traceevent/event-parse.h>
#include <unistd.h>

#define SYSTEM		"etrace"
/* Waiting pages may use up to 1/WAIT_PART of the free memory. */
#define WAIT_PART	8u
/* Number of pages read from one processor before the next one. */
#define BURST		64u
/* Number of rounds over all processors in one pump(). */
#define ROUNDS		16u
/*
 * Number of records passed on by one pump().  Reading has priority: it costs only a
 * tenth of passing on.
 */
#define PASS_ON		4096u
/*
 * A record is written slightly later than the time in it. So a buffer that was empty
 * may still deliver records that are older than that moment by up to this.
 */
#define WRITE_DELAY_NS	2000000u

struct cpu {
	int id;
	int fd;			/* its buffer, -1 if not open */
};

struct rec_session {
	struct session base;
	int fd;
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

static struct rec_session *session_of(struct session *base)
{
	return container_of(base, struct rec_session, base);
}

/* ---- opening ---- */

/* Open a file of the session.  Return: a descriptor, or -1 with errno. */
static int open_file(const struct rec_session *s, __u32 what, int cpu, const char *name)
{
	struct etrace_open o = { .what = what, .cpu = (__u32)cpu };

	snprintf(o.name, sizeof(o.name), "%s", name);
	return ioctl(s->fd, ETRACE_IOC_OPEN, &o);
}

/* List the possible processors: each has a buffer, even if it is offline. */
static bool list_cpus(struct rec_session *s, char *why, size_t size)
{
	size_t n;
	int *ids = cpus_possible(&n);

	s->cpus = xcalloc(n + 1, sizeof(*s->cpus));
	for (s->ncpus = 0; s->ncpus < n; s->ncpus++)
		s->cpus[s->ncpus] = (struct cpu){ .id = ids[s->ncpus], .fd = -1 };
	free(ids);
	if (!s->ncpus)
		snprintf(why, size, "cannot list the processors: /sys/devices/system/cpu/possible");
	return s->ncpus;
}

static bool open_cpus(struct rec_session *s, char *why, size_t size)
{
	if (!list_cpus(s, why, size))
		return false;
	s->page = (size_t)tep_get_sub_buffer_size(s->tep);
	for (unsigned int i = 0; i < s->ncpus; i++) {
		struct cpu *c = &s->cpus[i];

		c->fd = open_file(s, ETRACE_OPEN_PIPE, c->id, "");
		if (c->fd < 0) {
			snprintf(why, size, "cannot open the buffer of processor %d: %s",
				 c->id, strerror(errno));
			return false;
		}
	}
	return true;
}

static uint64_t memory_bytes(int what)
{
	long pages = sysconf(what), page = sysconf(_SC_PAGESIZE);

	return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

/* Read the format of event @name, or the header of pages if NULL. */
static char *read_file(const struct rec_session *s, const char *name, int *n)
{
	int fd = open_file(s, name ? ETRACE_OPEN_FORMAT : ETRACE_OPEN_HEADER, 0, name ? name : "");
	size_t have = 0, cap = 0;
	char *text = NULL;
	ssize_t got;

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

/* Parse the format of event @name, or the header of pages if NULL, with libtraceevent. */
static bool parse_file(struct rec_session *s, const char *name,
		       int (*parse)(struct tep_handle *tep, char *text, int size),
		       char *why, size_t size)
{
	char *text;
	bool good;
	int n;

	text = read_file(s, name, &n);
	good = text && !parse(s->tep, text, n);
	if (!text && errno == ENOENT)
		snprintf(why, size, "tracefs is not mounted: mount -t tracefs nodev /sys/kernel/tracing");
	else if (!text)
		snprintf(why, size, "cannot read the format of %s: %s",
			 name ? name : "pages", strerror(errno));
	else if (!good)
		snprintf(why, size, "cannot understand the format of %s", name ? name : "pages");
	free(text);
	return good;
}

static int parse_page(struct tep_handle *tep, char *text, int size)
{
	return tep_parse_header_page(tep, text, (unsigned long)size, sizeof(long));
}

static int parse_event(struct tep_handle *tep, char *text, int size)
{
	/* ignore the result: it fails on function calls in TP_printk, which do not matter here */
	tep_parse_event(tep, text, (unsigned long)size, SYSTEM);
	return 0;
}

/*
 * Does not use tracefs_local_events(): it also reads all symbols of the kernel, which
 * takes longer than everything else here.
 */
static bool load_formats(struct rec_session *s, char *why, size_t size)
{
	const char *name;

	tep_set_loglevel(TEP_LOG_NONE);
	s->tep = tep_alloc();
	if (!s->tep) {
		snprintf(why, size, "out of memory");
		return false;
	}
	if (!parse_file(s, NULL, parse_page, why, size))
		return false;
	for (unsigned int k = 0; (name = rec_kind_name(k)); k++)
		if (!parse_file(s, name, parse_event, why, size))
			return false;
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
	snprintf(why, size, "cannot set the variables to keep: %s", strerror(errno));
	return false;
}

static bool create_session(struct rec_session *s, const struct rec_options *opt,
			   char *why, size_t size)
{
	s->create.abi = ETRACE_ABI_VERSION;
	s->create.buffer = opt->buffer;
	s->create.flags = opt->record | (opt->comm ? ETRACE_SESSION_COMM : 0);
	if (!ioctl(s->fd, ETRACE_IOC_CREATE, &s->create)) {
		s->base.env = et_env_recorded(opt->record, opt->keep_env);
		return keep_env(s, opt->keep_env, why, size);
	}
	if (errno == EINVAL && opt->record & ET_ENV_LISTED) {
		struct rec_options less = *opt;

		/* an older module records environments entirely or not at all */
		less.record &= ~(1u << ET_ENV | ET_ENV_LISTED);
		less.keep_env = NULL;
		return create_session(s, &less, why, size);
	}
	if (errno == EUSERS)
		snprintf(why, size, "the module allows no more sessions at a time: wait for one to end, or raise max_sessions or max_user_sessions in /sys/module/etrace/parameters");
	else if (errno == EPROTO)
		snprintf(why, size, "the loaded module is of another version (interface %u, this program knows %u): rmmod etrace, and load the one of this program",
			 s->create.abi, (unsigned int)ETRACE_ABI_VERSION);
	else if (errno == EINVAL && opt->record >> ET_OUTPUT & 1)
		snprintf(why, size, "the loaded module cannot record what programs print (output): rmmod etrace, and load the one of this program");
	else if (errno == EPERM || errno == ENOMEM)
		snprintf(why, size, "cannot allocate buffers of %" PRIu64 " KiB for each processor: %s; give a smaller size with -b",
			 opt->buffer / 1024, strerror(errno));
	else
		snprintf(why, size, "cannot make a session: %s", strerror(errno));
	return false;
}

static void module_close(struct session *base)
{
	struct rec_session *s = session_of(base);

	merge_free(s->merge);
	rec_events_free(s->events);
	for (unsigned int i = 0; i < s->ncpus; i++)
		if (s->cpus[i].fd >= 0)
			close(s->cpus[i].fd);
	free(s->cpus);
	rec_formats_fini(&s->formats);
	if (s->tep)
		tep_free(s->tep);
	close(s->fd);
	free(s);
}

/* ---- tracing ---- */

static int module_add(struct session *base, pid_t pid)
{
	__s32 arg = pid;

	return ioctl(session_of(base)->fd, ETRACE_IOC_ADD, &arg) ? -errno : 0;
}

static int module_add_cgroup(struct session *base, int dir)
{
	__s32 arg = dir;

	return ioctl(session_of(base)->fd, ETRACE_IOC_CGROUP, &arg) ? -errno : 0;
}

static void module_forget(struct session *base)
{
	close(session_of(base)->fd);
}

static bool module_idle(struct session *base)
{
	struct pollfd fd = { .fd = session_of(base)->fd };

	return poll(&fd, 1, 0) > 0;
}

static int by_upid(const void *a, const void *b)
{
	const struct session_task *x = a, *y = b;

	return (x->upid > y->upid) - (x->upid < y->upid);
}

/* List the tasks by upid, which is the order in which their tracing began. */
static int module_tasks(struct session *base, struct session_task **list)
{
	_Static_assert(sizeof(**list) == sizeof(struct etrace_task_info), "one is the other");
	struct etrace_task_list l = { 0 };

	*list = NULL;
	for (l.room = 256;; l.room = l.nr + 256) {
		*list = xrealloc(*list, l.room * sizeof(**list));
		l.tasks = (uintptr_t)*list;
		if (ioctl(session_of(base)->fd, ETRACE_IOC_TASKS, &l)) {
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
	const struct rec_session *s = session_of(base);

	for (unsigned int i = 0; i < s->ncpus; i++)
		fds[i] = (struct pollfd){ .fd = s->cpus[i].fd,
					  .events = POLLIN };
}

/* Return: the number of pages read.  @more: set if there may be more. */
static unsigned int read_cpu(struct rec_session *s, unsigned int i, bool *more)
{
	uint64_t seen = (uint64_t)clock_ns(CLOCK_MONOTONIC);
	unsigned int n = 0;
	void *room = NULL;

	while (n < BURST && (room = merge_room(s->merge, i))) {
		ssize_t got = read(s->cpus[i].fd, room, s->page);

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
	struct rec_session *s = session_of(base);
	uint64_t pages[s->ncpus];
	bool more = true;

	memset(pages, 0, sizeof(pages));
	for (unsigned int round = 0; more && round < ROUNDS; round++) {
		more = false;
		for (unsigned int i = 0; i < s->ncpus; i++)
			pages[i] += read_cpu(s, i, &more);
	}
	more |= merge_run(s->merge, PASS_ON);
	base->level = 0;
	for (unsigned int i = 0; i < s->ncpus; i++) {
		uint64_t level = 100 * pages[i] * s->page / s->create.buffer;

		if (level > base->level)
			base->level = (unsigned int)level;
	}
	return more;
}

static int module_stop(struct session *base)
{
	struct rec_session *s = session_of(base);

	if (ioctl(s->fd, ETRACE_IOC_STOP))
		return -errno;
	/* no more records are written, so this ends */
	while (module_pump(base) > 0)
		;
	return merge_end(s->merge);
}

static int module_account(struct session *base, struct rec_account *a)
{
	struct rec_session *s = session_of(base);
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
	a->tally = base->tally;
	a->bytes = s->bytes;
	a->waited = merge_peak(s->merge);
	a->read_error = s->read_error;
	a->buffer = s->create.buffer;
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

struct session *rec_session_open(int fd, const struct rec_options *opt, struct sink *sink,
				 char *why, size_t size)
{
	struct rec_session *s = xcalloc(1, sizeof(*s));

	s->base.ops = &ops;
	s->base.idle_fd = s->fd = fd;
	if (!create_session(s, opt, why, size) || !load_formats(s, why, size) ||
	    !open_cpus(s, why, size))
		goto fail;
	s->events = rec_events_new(&s->formats, sink);
	s->merge = merge_new(s->ncpus, s->page, memory_bytes(_SC_AVPHYS_PAGES) / WAIT_PART,
			     &s->formats, s->events);
	s->base.pid_bits = s->create.bits_of_real_pid;
	s->base.nfds = s->ncpus;
	s->base.tally = rec_events_tally(s->events);
	snprintf(s->base.about, sizeof(s->base.about), "%u processors, buffers of %" PRIu64 " KiB",
		 s->ncpus, (uint64_t)s->create.buffer / 1024);
	return &s->base;
fail:
	module_close(&s->base);
	return NULL;
}
