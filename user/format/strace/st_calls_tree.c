// SPDX-License-Identifier: LGPL-2.1
/* Calls that change the file tree, or a process's directories in it.  See st_call.h. */
#include "format/strace/st_call.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/net.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/etrace_rules.h"

static const struct diag_kind filters = {
	"seccomp filters that may answer calls: whether these calls were executed is unknown",
	DIAG_DAMAGE };

static void set_flags(const struct call *c, unsigned int i)
{
	if (call_where(c, ROLE_FLAGS) >= 0)
		et_set_unsigned(&c->log->ev, i, call_number(c, call_arg(c, ROLE_FLAGS)));
}

void st_do_rename(struct call *c)
{
	call_begin(c, ET_K_RENAME);
	call_add_settled(c, ET_S_RENAME_from, ROLE_DIRFD, ROLE_PATH);
	if (!c->line->error)
		call_add_settled(c, ET_S_RENAME_to, ROLE_DIRFD2, ROLE_PATH2);
	set_flags(c, ET_V_RENAME_flags);
	st_put(c->log);
}

/* Keep "/proc/self/fd/N" unchanged: if the file has no name yet, it has no other path. */
static void settle_linked(const struct call *c)
{
	if (!call_names_fd(c))
		call_settle_whole(c);
}

void st_do_link(struct call *c)
{
	bool follow = call_where(c, ROLE_FLAGS) >= 0 &&
		      call_number(c, call_arg(c, ROLE_FLAGS)) & AT_SYMLINK_FOLLOW;

	call_begin(c, ET_K_LINK);
	call_add_name(c, ET_S_LINK_from, ROLE_DIRFD, ROLE_PATH, follow ? settle_linked : call_settle);
	if (!c->line->error)
		call_add_settled(c, ET_S_LINK_to, ROLE_DIRFD2, ROLE_PATH2);
	set_flags(c, ET_V_LINK_flags);
	st_put(c->log);
}

/* Add the path that a new link leads to, if it exists. */
static void add_target(const struct call *c, struct et_event *ev)
{
	const struct st_asks *asks = call_asks(c->log, c->task);
	const struct buf *link = &c->log->path;
	char path[PATH_MAX];
	struct buf name = { 0 };
	bool cut = false;

	if (!asks || !link->len || !st_string(call_arg(c, ROLE_TARGET), &name, &cut)) {
		ev->marks[ET_UNTOLD] |= 1u << ET_S_SYMLINK_resolved;
		buf_free(&name);
		return;
	}
	if (name.len && *name.s != '/') {
		struct buf target = name;
		const char *slash = memrchr(link->s, '/', link->len);

		name = (struct buf){ 0 };
		buf_add(&name, link->s, slash ? (size_t)(slash + 1 - link->s) : 0);
		buf_add(&name, target.s, target.len);
		buf_free(&target);
	}
	buf_addc(&name, 0);
	if (asks->directory(asks->ctx, name.s, path, sizeof(path)))
		et_add_string(ev, ET_S_SYMLINK_resolved, path, strlen(path));
	buf_free(&name);
}

void st_do_symlink(struct call *c)
{
	struct et_event *ev = call_begin(c, ET_K_SYMLINK);

	call_add_passed(c, ET_S_SYMLINK_target, ROLE_TARGET);
	call_add_settled(c, ET_S_SYMLINK_link, ROLE_DIRFD, ROLE_PATH);
	add_target(c, ev);
	st_put(c->log);
}

void st_do_mount(struct call *c)
{
	struct et_event *ev = call_begin(c, ET_K_MOUNT);

	call_add_passed(c, ET_S_MOUNT_source, ROLE_SOURCE);
	call_add_settled(c, ET_S_MOUNT_target, ROLE_DIRFD, ROLE_PATH);
	/* the event needs a target, even one that could not be found */
	if (!et_has_string(ev, ET_S_MOUNT_target))
		call_add_meant(c, ET_S_MOUNT_target, ROLE_DIRFD, ROLE_PATH);
	call_add_passed(c, ET_S_MOUNT_type, ROLE_TYPE);
	et_set_unsigned(ev, ET_V_MOUNT_flags, call_number(c, call_arg(c, ROLE_FLAGS)));
	st_put(c->log);
}

void st_do_umount(struct call *c)
{
	struct et_event *ev = call_begin(c, ET_K_UMOUNT);

	call_add_settled(c, ET_S_UMOUNT_target, ROLE_DIRFD, ROLE_PATH);
	et_set_unsigned(ev, ET_V_UMOUNT_flags, call_number(c, call_arg(c, ROLE_FLAGS)));
	st_put(c->log);
}

static void unlink_one(struct call *c, bool dir)
{
	struct et_event *ev = call_begin(c, ET_K_UNLINK);

	call_add_settled(c, ET_S_UNLINK_path, ROLE_DIRFD, ROLE_PATH);
	et_set_value(ev, ET_V_UNLINK_dir, dir);
	st_put(c->log);
}

void st_do_unlink(struct call *c)
{
	unlink_one(c, call_number(c, call_arg(c, ROLE_FLAGS)) & AT_REMOVEDIR);
}

void st_do_rmdir(struct call *c)
{
	unlink_one(c, true);
}

void st_do_mkdir(struct call *c)
{
	struct et_event *ev = call_begin(c, ET_K_MKDIR);

	call_add_settled(c, ET_S_MKDIR_path, ROLE_DIRFD, ROLE_PATH);
	et_set_value(ev, ET_V_MKDIR_mode, (int64_t)call_number(c, call_arg(c, ROLE_MODE)));
	st_put(c->log);
}

void st_do_mknod(struct call *c)
{
	struct et_event *ev = call_begin(c, ET_K_MKNOD);

	call_add_settled(c, ET_S_MKNOD_path, ROLE_DIRFD, ROLE_PATH);
	et_set_value(ev, ET_V_MKNOD_mode, (int64_t)call_number(c, call_arg(c, ROLE_MODE)));
	et_set_value(ev, ET_V_MKNOD_dev, (int64_t)call_number(c, call_arg(c, ROLE_DEV)));
	st_put(c->log);
}

/* Does the call follow a link at the end of its name? */
static bool call_follows(const struct call *c)
{
	if (call_where(c, ROLE_FLAGS) >= 0)
		return !(call_number(c, call_arg(c, ROLE_FLAGS)) & AT_SYMLINK_NOFOLLOW);
	/* among the calls without flags, only lchown and lchown32 do not follow links */
	return *c->row->name != 'l';
}

/* Add the name that was passed, or the descriptor and its path. */
static void add_file(struct call *c, unsigned int path, unsigned int fd_value)
{
	struct st_text name = call_arg(c, ROLE_PATH);
	/* AT_EMPTY_PATH: the file is the descriptor's */
	bool empty = name.len == 2 && !memcmp(name.s, "\"\"", 2);
	/* futimens: utimensat of NULL; other calls fail with it, and name no file */
	bool by_fd = call_where(c, ROLE_FD) >= 0 ||
		     (c->row->record == REC_UTIMENS && call_where(c, ROLE_DIRFD) >= 0);
	const struct st_fd *known;
	int64_t fd;

	if (name.len && *name.s == '"' && !empty) {
		call_add_name(c, path, ROLE_DIRFD, ROLE_PATH,
			      call_follows(c) ? call_settle_whole : call_settle);
		return;
	}
	if (!by_fd && !empty)
		return;
	fd = call_fd(c, call_arg(c, call_where(c, ROLE_FD) >= 0 ? ROLE_FD : ROLE_DIRFD));
	if (fd != AT_FDCWD && !empty)
		et_set_value(&c->log->ev, fd_value, fd);
	known = st_fd_known(c->task->process, fd);
	if (!c->line->error || (!empty && known && known->open))
		call_add_path_of(c, path, fd);
}

void st_do_truncate(struct call *c)
{
	struct et_event *ev = call_begin(c, ET_K_TRUNCATE);

	add_file(c, ET_S_TRUNCATE_path, ET_V_TRUNCATE_fd);
	et_set_value(ev, ET_V_TRUNCATE_size, (int64_t)call_number(c, call_arg(c, ROLE_SIZE)));
	st_put(c->log);
}

void st_do_chmod(struct call *c)
{
	struct et_event *ev = call_begin(c, ET_K_CHMOD);

	add_file(c, ET_S_CHMOD_path, ET_V_CHMOD_fd);
	et_set_value(ev, ET_V_CHMOD_mode, (int64_t)call_number(c, call_arg(c, ROLE_MODE)));
	st_put(c->log);
}

/* Add an owner or group, -1 if it is not changed. */
static void add_owner(const struct call *c, unsigned int value, enum st_role wide,
		      enum st_role narrow)
{
	enum st_role role = call_where(c, wide) >= 0 ? wide : narrow;

	/* strace has extended 16 bits already */
	et_set_value(&c->log->ev, value, etrace_owner(call_number(c, call_arg(c, role)), false));
}

void st_do_chown(struct call *c)
{
	call_begin(c, ET_K_CHOWN);
	add_file(c, ET_S_CHOWN_path, ET_V_CHOWN_fd);
	add_owner(c, ET_V_CHOWN_uid, ROLE_UID, ROLE_UID16);
	add_owner(c, ET_V_CHOWN_gid, ROLE_GID, ROLE_GID16);
	st_put(c->log);
}

/* Add a timestamp as value @value; if it is the current time, add @now to @nows instead. */
static void add_time(struct et_event *ev, struct st_text t, unsigned int value, uint64_t now,
		     uint64_t *nows)
{
	struct st_text part;
	uint64_t sec = 0, sub = 0;
	unsigned int unit = 1;
	long long ns = 0;

	if (st_field(t, "tv_nsec", &part) || st_field(t, "tv_usec", &part)) {
		unit = memmem(t.s, t.len, "tv_usec", 7) ? 1000000 : 1000000000;
		st_number(part, &sub);
		if (st_field(t, "tv_sec", &part))
			st_number(part, &sec);
	} else {
		/* UTIME_NOW, UTIME_OMIT; else seconds alone */
		st_number(t, &sec);
		if (t.len && *t.s == 'U') {
			sub = sec;
			unit = 1000000000;
		}
	}
	switch (etrace_time((long long)sec, (long long)sub, unit, &ns)) {
	case ETRACE_TIME_NOW:
		*nows |= now;
		break;
	case ETRACE_TIME_SET:
		et_set_value(ev, value, ns);
		break;
	case ETRACE_TIME_KEPT:
		break;
	}
}

/* Add the times of "[{...}, {...}]", or for utime of "{actime=..., modtime=...}". */
static void add_times(struct et_event *ev, struct st_text list)
{
	struct st_text rest, atime, mtime;
	uint64_t nows = 0;
	bool both;

	both = st_field(list, "actime", &atime) && st_field(list, "modtime", &mtime);
	if (!both && st_inner(list, &rest))
		both = st_next(&rest, &atime) && st_next(&rest, &mtime);
	if (both) {
		add_time(ev, atime, ET_V_UTIMENS_atime, ETRACE_NOW_ATIME, &nows);
		add_time(ev, mtime, ET_V_UTIMENS_mtime, ETRACE_NOW_MTIME, &nows);
	} else {
		nows = ETRACE_NOW_ATIME | ETRACE_NOW_MTIME;
	}
	et_set_value(ev, ET_V_UTIMENS_now, (int64_t)nows);
}

void st_do_utimens(struct call *c)
{
	static const enum st_role times[] = {
		ROLE_SECONDS, ROLE_TIMEVALS, ROLE_TIMESPECS, ROLE_TIMESPECS64
	};
	struct et_event *ev = call_begin(c, ET_K_UTIMENS);

	add_file(c, ET_S_UTIMENS_path, ET_V_UTIMENS_fd);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (call_where(c, times[i]) >= 0)
			add_times(ev, call_arg(c, times[i]));
	st_put(c->log);
}

/* ---- directories and namespaces of a process ---- */

void st_do_chdir(struct call *c)
{
	struct et_event *ev = call_begin(c, ET_K_CHDIR);
	struct st_log *log = c->log;
	const struct st_fd *known;
	int64_t fd;
	bool cut;

	if (c->line->error) {
		add_file(c, ET_S_CHDIR_path, ET_V_CHDIR_fd);
		st_put(log);
		return;
	}
	if (call_where(c, ROLE_FD) >= 0) {
		fd = call_fd(c, call_arg(c, ROLE_FD));
		known = st_fd_known(c->task->process, fd);
		et_set_value(ev, ET_V_CHDIR_fd, fd);
		log->path.len = 0;
		if (known && known->path)
			buf_adds(&log->path, known->path);
	} else if (call_meant(c, ROLE_DIRFD, ROLE_PATH, &cut)) {
		call_settle_whole(c);
		ev->marks[ET_JOINED] |= 1u << ET_S_CHDIR_path;
	} else {
		log->path.len = 0;
	}
	if (log->path.len) {
		et_add_string(ev, ET_S_CHDIR_path, log->path.s, log->path.len);
		st_cwd_set(c->task->process, log->path.s, log->path.len);
	}
	st_put(log);
}

void st_do_getcwd(struct call *c)
{
	struct buf *b = &c->log->text;
	bool cut = false;

	b->len = 0;
	if (st_string(call_arg(c, ROLE_PATH), b, &cut) && !cut && b->len)
		st_cwd_set(c->task->process, b->s, b->len);
}

void st_do_chroot(struct call *c)
{
	struct st_dirs *dirs = c->task->process->dirs;
	struct st_log *log = c->log;
	struct et_event *ev = call_begin(c, ET_K_CHROOT);

	call_add_settled(c, ET_S_CHROOT_path, ROLE_DIRFD, ROLE_PATH);
	if (!c->line->error && et_has_string(ev, ET_S_CHROOT_path)) {
		dirs->elsewhere = true;
		free(dirs->root);
		dirs->root = log->path.len > 1 ? xstrndup(log->path.s, log->path.len) : NULL;
	}
	st_put(log);
}

void st_do_pivot(struct call *c)
{
	call_begin(c, ET_K_PIVOT);
	c->task->process->dirs->elsewhere |= !c->line->error;
	call_add_settled(c, ET_S_PIVOT_new_root, ROLE_DIRFD, ROLE_PATH);
	call_add_settled(c, ET_S_PIVOT_put_old, ROLE_DIRFD, ROLE_PATH2);
	st_put(c->log);
}

/* Note that children will be in another pid namespace, if @yes and the call succeeded. */
static void children_elsewhere(const struct call *c, bool yes)
{
	if (!yes || c->line->error)
		return;
	c->task->process->children_inside = true;
	c->log->namespaces = true;
}

void st_do_unshare(struct call *c)
{
	uint64_t flags = call_number(c, call_arg(c, ROLE_FLAGS));
	struct et_event *ev = call_begin(c, ET_K_UNSHARE);

	et_set_unsigned(ev, ET_V_UNSHARE_flags, flags);
	if (!c->line->error && flags & CLONE_FILES)
		st_fds_unshare(c->task->process);
	c->task->process->dirs->elsewhere |= !c->line->error && flags & CLONE_NEWNS;
	children_elsewhere(c, flags & CLONE_NEWPID);
	st_put(c->log);
}

void st_do_setns(struct call *c)
{
	int64_t fd = call_fd(c, call_arg(c, ROLE_FD));
	uint64_t flags = call_number(c, call_arg(c, ROLE_FLAGS));
	struct et_event *ev = call_begin(c, ET_K_SETNS);

	c->task->process->dirs->elsewhere |= !c->line->error;
	call_add_path_of(c, ET_S_SETNS_path, fd);
	et_set_value(ev, ET_V_SETNS_fd, fd);
	et_set_value(ev, ET_V_SETNS_flags, (int64_t)flags);
	/* flags of 0: any type of namespace */
	children_elsewhere(c, !flags || flags & CLONE_NEWPID);
	st_put(c->log);
}

/* Maximum bytes of a thread's name: TASK_COMM_LEN without the NUL. */
#define COMM_BYTES 15

static bool is_name(struct st_text t, const char *name)
{
	return t.len == strlen(name) && !memcmp(t.s, name, t.len);
}

static bool is_named(struct st_text t, const char *name)
{
	return memmem(t.s, t.len, name, strlen(name));
}

/*
 * Can a seccomp filter answer a call so that strace shows it as executed?  It can if it
 * uses a supervisor, a signal handler, a tracer or errno 0.  It is assumed to if it
 * computes its answer, or if its code is not in the log (strace without -v).
 * Other errors of a filter are recorded like the kernel's.
 */
static bool may_answer(struct st_text filter)
{
	static const char *const answers[] = {
		"SECCOMP_RET_USER_NOTIF", "SECCOMP_RET_TRAP", "SECCOMP_RET_TRACE", "BPF_RET|BPF_A",
		"BPF_RET|BPF_X", "SECCOMP_RET_ERRNO)", "SECCOMP_RET_ERRNO|0)",
	};

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		if (is_named(filter, answers[i]))
			return true;
	return !is_named(filter, "BPF_RET");
}

static void add_filter(const struct call *c, struct st_text filter)
{
	if (may_answer(filter))
		st_damage(c->log, &filters);
}

void st_do_seccomp(struct call *c)
{
	if (is_name(c->args.arg[0], "SECCOMP_SET_MODE_FILTER"))
		add_filter(c, c->args.arg[2]);
}

void st_do_prctl(struct call *c)
{
	struct st_text what = call_arg(c, ROLE_FLAGS);
	struct buf *b = &c->log->text;
	bool cut = false;

	if (is_name(what, "PR_SET_SECCOMP") && is_name(c->args.arg[1], "SECCOMP_MODE_FILTER"))
		add_filter(c, c->args.arg[2]);
	if (c->log->opt.no_comm || !is_name(what, "PR_SET_NAME"))
		return;
	call_begin(c, ET_K_COMM);
	b->len = 0;
	/* strace reads as much as the kernel does and marks the rest as cut: ignore that */
	if (!st_string(call_arg(c, ROLE_PATH), b, &cut))
		return;
	et_add_string(&c->log->ev, ET_S_COMM_comm, b->s ? b->s : "",
		      b->len < COMM_BYTES ? b->len : COMM_BYTES);
	st_put(c->log);
}
