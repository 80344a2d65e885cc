// SPDX-License-Identifier: LGPL-2.1
/* Keeps the tasks of a log.  See st_tasks.h. */
#include "format/strace/st_tasks.h"
#include "base/xalloc.h"

#include <sched.h>
#include <stdlib.h>

static uint64_t key_of(int64_t pid)
{
	return (uint64_t)pid + 1;
}

struct st_task *st_tasks_find(struct st_tasks *t, int64_t pid)
{
	const uint64_t *at;

	if (pid < 0)
		return t->nameless;
	at = map64_get(&t->by_pid, key_of(pid));
	return at ? (struct st_task *)(uintptr_t)*at : NULL;
}

/* ---- descriptors and directories ---- */

void st_fd_close(struct st_fd *fd)
{
	free(fd->path);
	*fd = (struct st_fd){ 0 };
}

struct st_fd *st_fd_known(const struct st_process *p, int64_t fd)
{
	return fd >= 0 && (uint64_t)fd < p->fds->cap ? &p->fds->fd[fd] : NULL;
}

struct st_fd *st_fd(struct st_process *p, int64_t fd)
{
	struct st_fds *fds = p->fds;
	size_t old = fds->cap;

	if (fd < 0 || fd >= ST_FD_MAX)
		return NULL;
	if ((uint64_t)fd >= old) {
		fds->fd = xgrow(fds->fd, &fds->cap, (size_t)fd + 1, sizeof(*fds->fd));
		memset(fds->fd + old, 0, (fds->cap - old) * sizeof(*fds->fd));
	}
	return &fds->fd[fd];
}

/* Copy descriptors for another program, without what was done with them. */
static struct st_fds *copy_fds(const struct st_fds *from)
{
	struct st_fds *to = xcalloc(1, sizeof(*to));

	to->refs = 1;
	to->cap = from->cap;
	if (to->cap)
		to->fd = xcalloc(to->cap, sizeof(*to->fd));
	for (size_t i = 0; i < to->cap; i++) {
		to->fd[i].open = from->fd[i].open;
		to->fd[i].cloexec = from->fd[i].cloexec;
		to->fd[i].socket = from->fd[i].socket;
		to->fd[i].path = from->fd[i].path ? xstrdup(from->fd[i].path) : NULL;
	}
	return to;
}

static void drop_fds(struct st_fds *fds)
{
	if (--fds->refs)
		return;
	for (size_t i = 0; i < fds->cap; i++)
		free(fds->fd[i].path);
	free(fds->fd);
	free(fds);
}

void st_fds_unshare(struct st_process *p)
{
	struct st_fds *old = p->fds;

	if (old->refs == 1)
		return;
	p->fds = copy_fds(old);
	drop_fds(old);
}

static void drop_dirs(struct st_dirs *dirs)
{
	if (--dirs->refs)
		return;
	free(dirs->cwd);
	free(dirs->root);
	free(dirs);
}

void st_cwd_set(struct st_process *p, const char *path, size_t len)
{
	char *old = p->dirs->cwd;

	if (old && strlen(old) == len && !memcmp(old, path, len))
		return;
	p->dirs->cwd = xstrndup(path, len);
	free(old);
}

/* ---- tasks ---- */

static struct st_process *new_process(const struct st_process *parent, uint64_t flags)
{
	struct st_process *p = xcalloc(1, sizeof(*p));

	p->inside = flags & CLONE_NEWPID || (parent && parent->children_inside);
	p->children_inside = p->inside;
	if (parent && flags & CLONE_FILES) {
		p->fds = parent->fds;
		p->fds->refs++;
	} else {
		static const struct st_fds none = { 0 };

		p->fds = copy_fds(parent ? parent->fds : &none);
	}
	if (parent && flags & CLONE_FS) {
		p->dirs = parent->dirs;
		p->dirs->refs++;
		return p;
	}
	p->dirs = xcalloc(1, sizeof(*p->dirs));
	p->dirs->refs = 1;
	p->dirs->elsewhere = (parent && parent->dirs->elsewhere) || flags & CLONE_NEWNS;
	if (parent && parent->dirs->cwd)
		p->dirs->cwd = xstrdup(parent->dirs->cwd);
	if (parent && parent->dirs->root)
		p->dirs->root = xstrdup(parent->dirs->root);
	return p;
}

static void drop_process(struct st_process *p)
{
	if (--p->tasks)
		return;
	drop_fds(p->fds);
	drop_dirs(p->dirs);
	for (unsigned int i = 0; i < ST_OUTPUTS; i++)
		free(p->output[i]);
	free(p);
}

static struct st_task *new_task(int64_t pid, struct st_task *parent, uint64_t flags)
{
	struct st_task *task = xcalloc(1, sizeof(*task));

	task->pid = pid;
	task->process = parent && flags & CLONE_THREAD ? parent->process :
			new_process(parent ? parent->process : NULL, flags);
	task->process->tasks++;
	return task;
}

void st_tasks_name(struct st_tasks *t, struct st_task *task, int64_t pid)
{
	task->upid = ++t->given << ET_DEFAULT_PID_BITS | (pid < 0 ? 0 : (uint64_t)pid);
}

struct st_task *st_tasks_begin(struct st_tasks *t, int64_t pid, struct st_task *parent,
			       uint64_t flags)
{
	struct st_task *task = new_task(pid, parent, flags);

	st_tasks_name(t, task, pid);
	if (pid < 0)
		t->nameless = task;
	else
		map64_put(&t->by_pid, key_of(pid), (uint64_t)(uintptr_t)task);
	t->n++;
	return task;
}

struct st_task *st_tasks_expect(struct st_tasks *t, struct st_task *maker, uint64_t flags,
				int64_t local_pid)
{
	struct st_task *task = new_task(ST_UNBORN, maker, flags);

	task->maker = maker;
	task->local_pid = local_pid;
	if (!t->unborn)
		t->unborn_end = &t->unborn;
	*t->unborn_end = task;
	t->unborn_end = &task->next;
	t->nunborn++;
	return task;
}

static void take_unborn(struct st_tasks *t, struct st_task *task)
{
	struct st_task **at = &t->unborn;

	while (*at != task)
		at = &(*at)->next;
	*at = task->next;
	if (!task->next)
		t->unborn_end = at;
	task->next = NULL;
	t->nunborn--;
}

void st_tasks_bear(struct st_tasks *t, struct st_task *task, int64_t pid)
{
	take_unborn(t, task);
	task->pid = pid;
	map64_put(&t->by_pid, key_of(pid), (uint64_t)(uintptr_t)task);
	t->n++;
}

void st_tasks_move(struct st_tasks *t, struct st_task *task, int64_t pid)
{
	if (task->pid >= 0)
		map64_remove(&t->by_pid, key_of(task->pid));
	task->pid = pid;
	map64_put(&t->by_pid, key_of(pid), (uint64_t)(uintptr_t)task);
}

static void free_task(struct st_task *task)
{
	drop_process(task->process);
	buf_free(&task->call);
	buf_free(&task->args);
	free(task);
}

void st_tasks_forget(struct st_tasks *t, struct st_task *task)
{
	take_unborn(t, task);
	free_task(task);
}

void st_tasks_end(struct st_tasks *t, struct st_task *task)
{
	if (t->nameless == task)
		t->nameless = NULL;
	if (task->pid >= 0)
		map64_remove(&t->by_pid, key_of(task->pid));
	free_task(task);
	t->n--;
}

void st_tasks_free(struct st_tasks *t)
{
	const struct map64_slot *slot;
	size_t i = 0;

	/* a nameless task that got a pid later is freed with by_pid */
	if (t->nameless && t->nameless->pid < 0)
		free_task(t->nameless);
	while ((slot = map64_each(&t->by_pid, &i)))
		free_task((struct st_task *)(uintptr_t)slot->value);
	while (t->unborn)
		st_tasks_forget(t, t->unborn);
	map64_clear(&t->by_pid);
}
