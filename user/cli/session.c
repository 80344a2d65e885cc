// SPDX-License-Identifier: GPL-2.0
/* The backends, and the choice between them.  See session.h. */
#include "cli/session.h"
#include "bpf/bpf_session.h"
#include "cli/device.h"
#include "cli/etrace.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ---- the kernel module ---- */

static void *module_open(const struct rec_options *opt, bool verbose, struct sink *sink,
			 char *why, size_t size)
{
	int fd = device_open(verbose, why, size);
	struct rec_session *s;

	if (fd < 0)
		return NULL;
	s = rec_session_open(fd, opt, sink, why, size);
	if (s && verbose)
		say("session %s, %u processors", rec_session_instance(s), rec_session_cpus(s));
	return s;
}

static void module_close(void *s)
{
	rec_session_close(s);
}

static int module_add(void *s, pid_t pid)
{
	return rec_session_add(s, pid);
}

static void module_forget(void *s)
{
	close(rec_session_fd(s));
}

static bool module_idle(void *s)
{
	struct pollfd fd = { .fd = rec_session_fd(s) };

	return poll(&fd, 1, 0) > 0;
}

static int module_idle_fd(void *s)
{
	return rec_session_fd(s);
}

static int module_tasks(void *s, struct etrace_task_info **list)
{
	return rec_session_tasks(s, list);
}

static unsigned int module_npoll(void *s)
{
	return rec_session_cpus(s);
}

static void module_poll(void *s, struct pollfd *fds)
{
	rec_session_pollfds(s, fds);
}

static bool module_pump(void *s)
{
	return rec_session_pump(s);
}

static unsigned int module_level(void *s)
{
	return rec_session_level(s);
}

static int module_stop(void *s)
{
	return rec_session_stop(s);
}

static int module_account(void *s, struct rec_account *a)
{
	return rec_session_account(s, a);
}

static const struct rec_tally *module_tally(void *s)
{
	return rec_events_tally(rec_session_events(s));
}

static void module_present(void *s, uint64_t upid, const char *program, bool process)
{
	rec_events_present(rec_session_events(s), upid, program, process);
}

static unsigned int module_pid_bits(void *s)
{
	return rec_session_pid_bits(s);
}

static const struct backend module_backend = {
	.name = "module",
	.open = module_open,
	.close = module_close,
	.add = module_add,
	.forget = module_forget,
	.idle = module_idle,
	.idle_fd = module_idle_fd,
	.tasks = module_tasks,
	.npoll = module_npoll,
	.poll = module_poll,
	.pump = module_pump,
	.level = module_level,
	.stop = module_stop,
	.account = module_account,
	.tally = module_tally,
	.present = module_present,
	.pid_bits = module_pid_bits,
};

/* ---- BPF ---- */

static void *bpf_backend_open(const struct rec_options *opt, bool verbose, struct sink *sink,
			      char *why, size_t size)
{
	struct bpf_options bo = { .buffer = opt->buffer, .comm = opt->comm };
	struct bpf_session *s = bpf_session_open(&bo, sink, why, size);

	if (s && verbose)
		say("BPF programs, %s", bpf_session_about(s));
	return s;
}

static void bpf_backend_close(void *s)
{
	bpf_session_close(s);
}

static int bpf_backend_add(void *s, pid_t pid)
{
	return bpf_session_add(s, pid);
}

/* Its descriptors go with the execve; a child that waits sees its owner's end. */
static void bpf_backend_forget(void *s)
{
	(void)s;
}

static bool bpf_backend_idle(void *s)
{
	return bpf_session_idle(s);
}

static int bpf_backend_idle_fd(void *s)
{
	(void)s;
	return -1;
}

static int bpf_backend_tasks(void *s, struct etrace_task_info **list)
{
	_Static_assert(sizeof(struct eb_task) == sizeof(**list), "one is the other");
	struct eb_task *tasks = NULL;
	int n = bpf_session_tasks(s, &tasks);

	*list = (struct etrace_task_info *)tasks;
	return n;
}

static unsigned int bpf_backend_npoll(void *s)
{
	(void)s;
	return 1;
}

static void bpf_backend_poll(void *s, struct pollfd *fds)
{
	fds[0] = (struct pollfd){ .fd = bpf_session_fd(s), .events = POLLIN };
}

static bool bpf_backend_pump(void *s)
{
	bpf_session_pump(s);
	return false;
}

static unsigned int bpf_backend_level(void *s)
{
	return bpf_session_level(s);
}

static int bpf_backend_stop(void *s)
{
	return bpf_session_stop(s);
}

static int bpf_backend_account(void *s, struct rec_account *a)
{
	struct bpf_account b;

	bpf_session_account(s, &b);
	memset(a, 0, sizeof(*a));
	a->module.records = b.programs.events;
	a->module.lost_records = b.programs.lost_records;
	a->module.lost_tasks = b.programs.lost_tasks;
	a->module.lost_fds = b.programs.lost_fds;
	a->module.strings_joined = b.programs.strings_joined;
	a->module.strings_unread = b.programs.strings_unread + b.unresolved;
	a->module.strings_cut = b.programs.strings_cut;
	a->module.strings_untold = b.untold;
	a->module.hooks_missing = b.hooks_missing;
	a->missed = b.missed;
	a->tally = b.tally;
	a->read_error = b.damaged ? EBADMSG : 0;
	a->bytes = b.bytes;
	a->buffer = b.buffer;
	return 0;
}

static const struct rec_tally *bpf_backend_tally(void *s)
{
	return bpf_session_tally(s);
}

static void bpf_backend_present(void *s, uint64_t upid, const char *program, bool process)
{
	bpf_session_present(s, upid, program, process);
}

static unsigned int bpf_backend_pid_bits(void *s)
{
	(void)s;
	return BPF_PID_BITS;
}

static const struct backend bpf_backend = {
	.name = "bpf",
	.open = bpf_backend_open,
	.close = bpf_backend_close,
	.add = bpf_backend_add,
	.forget = bpf_backend_forget,
	.idle = bpf_backend_idle,
	.idle_fd = bpf_backend_idle_fd,
	.tasks = bpf_backend_tasks,
	.npoll = bpf_backend_npoll,
	.poll = bpf_backend_poll,
	.pump = bpf_backend_pump,
	.level = bpf_backend_level,
	.stop = bpf_backend_stop,
	.account = bpf_backend_account,
	.tally = bpf_backend_tally,
	.present = bpf_backend_present,
	.pid_bits = bpf_backend_pid_bits,
	.wakes_for_a_reason = true,
};

/* ---- the choice ---- */

const struct backend *const backends[] = { &module_backend, &bpf_backend, NULL };

static bool is_auto(const char *name)
{
	return !name || !strcmp(name, "auto");
}

bool backend_known(const char *name)
{
	for (size_t i = 0; backends[i]; i++)
		if (!strcmp(backends[i]->name, name))
			return true;
	return is_auto(name);
}

bool session_open(struct session *s, const char *name, const struct rec_options *opt,
		  bool verbose, struct sink *sink, char *why, size_t size)
{
	size_t len = 0;

	*why = 0;
	for (size_t i = 0; backends[i]; i++) {
		const struct backend *b = backends[i];
		char one[512];
		int n;

		if (!is_auto(name) && strcmp(b->name, name))
			continue;
		s->s = b->open(opt, verbose, sink, one, sizeof(one));
		s->backend = b;
		if (s->s) {
			if (verbose)
				say("backend %s%s%s", b->name, *why ? "; not " : "", why);
			return true;
		}
		n = snprintf(why + len, size - len, "%s%s%s%s", len ? "; " : "",
			     is_auto(name) ? b->name : "", is_auto(name) ? ": " : "", one);
		len += n > 0 && len + (size_t)n < size ? (size_t)n : 0;
	}
	return false;
}

void session_close(struct session *s)
{
	if (s->s)
		s->backend->close(s->s);
	s->s = NULL;
}
