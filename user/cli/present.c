// SPDX-License-Identifier: GPL-2.0
/* Records the traced tasks that are already running.  See present.h. */
#include "cli/present.h"
#include "event/event.h"
#include "base/shquote.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Number of tasks handled at a time, each with an open descriptor, until check_candidates() checks
 * which are alive.
 */
#define BATCH		256
/* Longest command line, in bytes. */
#define CMDLINE_MAX	(1u << 20)

/* A task of the list, and its directory of /proc, -1 if that cannot be opened. */
struct candidate {
	const struct session_task *info;
	int dir;
};

/*
 * An open /proc/PID always refers to the same process, even if the PID is reused. Only the
 * kernel's list shows which process had the PID when it was opened: see check_candidates().
 */
static int proc_dir(pid_t pid)
{
	char path[32];

	if (pid <= 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d", pid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Whether /proc belongs to our pid namespace. */
static bool own_proc(void)
{
	char self[32];
	ssize_t n = readlink("/proc/self", self, sizeof(self) - 1);

	if (n <= 0)
		return false;
	self[n] = 0;
	return atoi(self) == getpid();
}

/* Return: the file's length, -1 if it cannot be read. */
static ssize_t read_at(int dir, const char *name, char *buf, size_t size)
{
	int fd = dir < 0 ? -1 : openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, buf, size);
	close(fd);
	return n;
}

static ssize_t link_at(int dir, const char *name, char *buf, size_t size)
{
	return dir < 0 ? -1 : readlinkat(dir, name, buf, size);
}

static pid_t parent_of(int dir)
{
	char buf[512], *end;
	ssize_t n = read_at(dir, "stat", buf, sizeof(buf) - 1);

	if (n <= 0)
		return 0;
	buf[n] = 0;
	/* "pid (name) state ppid": the name may contain anything */
	end = strrchr(buf, ')');
	return end && strlen(end) > 4 ? (pid_t)strtol(end + 4, NULL, 10) : 0;
}

/* The upid of a process in the list, 0 if it is not in the list. */
static uint64_t upid_of(const struct session_task *list, int n, pid_t pid)
{
	for (int i = 0; pid > 0 && i < n; i++)
		if (list[i].pid == pid)
			return list[i].upid;
	return 0;
}

static void quote_cmdline(struct buf *b, const char *s, ssize_t n)
{
	while (n > 0) {
		size_t len = strnlen(s, (size_t)n);

		if (b->len)
			buf_addc(b, ' ');
		sh_quote(b, s, len);
		s += len + 1;
		n -= (ssize_t)len + 1;
	}
}

/*
 * The root directory of a task, if it is not ours: its path, or its mount namespace.
 * Return: the length of the text, 0 if it is ours or unknown.
 */
static ssize_t other_root(int dir, char *buf, size_t size)
{
	struct stat own, its;
	ssize_t n;

	if (dir < 0 || stat("/", &own) || fstatat(dir, "root/", &its, 0) ||
	    (own.st_dev == its.st_dev && own.st_ino == its.st_ino))
		return 0;
	n = link_at(dir, "root", buf, size);
	/* a root outside ours is shown as "/" */
	if (n <= 1)
		n = link_at(dir, "ns/mnt", buf, size);
	return n < 0 ? 0 : n;
}

static void make_event(struct et_event *ev, const struct session_task *list, int n,
		       const struct candidate *c, char *big)
{
	char comm[64], path[PATH_MAX], cwd[PATH_MAX], root[PATH_MAX];
	ssize_t comm_len = read_at(c->dir, "comm", comm, sizeof(comm));
	ssize_t path_len = link_at(c->dir, "exe", path, sizeof(path));
	ssize_t cwd_len = link_at(c->dir, "cwd", cwd, sizeof(cwd));
	ssize_t root_len = other_root(c->dir, root, sizeof(root));
	ssize_t args_len = read_at(c->dir, "cmdline", big, CMDLINE_MAX);
	uint64_t process = upid_of(list, n, c->info->tgid);
	struct buf args = { 0 };

	if (comm_len > 0 && comm[comm_len - 1] == '\n')
		comm_len--;
	comm_len = comm_len < 0 ? 0 : comm_len;
	quote_cmdline(&args, big, args_len);

	et_set(ev, ET_V_PRESENT_process, (int64_t)(process ? process : c->info->upid));
	et_set(ev, ET_V_PRESENT_parent, (int64_t)upid_of(list, n, parent_of(c->dir)));
	et_add_string(ev, ET_S_PRESENT_comm, comm, (size_t)comm_len);
	if (path_len > 0)
		et_add_string(ev, ET_S_PRESENT_path, path, (size_t)path_len);
	if (cwd_len > 0)
		et_add_string(ev, ET_S_PRESENT_cwd, cwd, (size_t)cwd_len);
	if (args.len)
		et_add_string(ev, ET_S_PRESENT_arguments, args.s, args.len);
	if (root_len)
		et_add_string(ev, ET_S_PRESENT_root, root, (size_t)root_len);
	buf_free(&args);
}

static int by_upid(const void *a, const void *b)
{
	const struct session_task *x = a, *y = b;

	return x->upid < y->upid ? -1 : x->upid > y->upid;
}

/* Close the directories of tasks that ended or changed pid: they may belong to other processes. */
static int check_candidates(struct session *s, struct candidate *c, unsigned int nc)
{
	struct session_task *now;
	int n = s->ops->tasks(s, &now);

	if (n < 0)
		return n;
	if (n)
		qsort(now, (size_t)n, sizeof(*now), by_upid);
	for (unsigned int i = 0; i < nc; i++) {
		const struct session_task *it =
			n ? bsearch(c[i].info, now, (size_t)n, sizeof(*now), by_upid) : NULL;

		if (c[i].dir < 0 || (it && it->pid == c[i].info->pid))
			continue;
		close(c[i].dir);
		c[i].dir = -1;
	}
	free(now);
	return 0;
}

int present_emit(struct session *s, uint64_t time, struct sink *sink,
		 struct present_gaps *gaps)
{
	struct candidate c[BATCH];
	struct session_task *list = NULL;
	char *big = xmalloc(CMDLINE_MAX);
	int n = s->ops->tasks(s, &list), err = n < 0 ? n : 0;
	struct et_event ev;

	*gaps = (struct present_gaps){ .other_proc = !own_proc() };
	gaps->tasks = n > 0 ? (unsigned int)n : 0;
	et_init(&ev);
	for (int threads = 0; !err && threads < 2; threads++) {
		for (int i = 0; !err && i < n;) {
			unsigned int nc = 0;

			for (; i < n && nc < BATCH; i++)
				if ((list[i].pid != list[i].tgid) == threads)
					c[nc++] = (struct candidate){ &list[i],
						gaps->other_proc ? -1 : proc_dir(list[i].pid) };
			err = gaps->other_proc ? 0 : check_candidates(s, c, nc);
			for (unsigned int j = 0; j < nc; j++) {
				gaps->unknown += c[j].dir < 0;
				et_reset(&ev, ET_K_PRESENT, c[j].info->upid, 0, time);
				make_event(&ev, list, n, &c[j], big);
				sink_item(sink, &ev);
				if (c[j].dir >= 0)
					close(c[j].dir);
			}
		}
	}
	et_fini(&ev);
	free(big);
	free(list);
	return err;
}
