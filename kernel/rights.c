// SPDX-License-Identifier: GPL-2.0
/*
 * Which tasks the owner of a session may see. The rule is the one for ptrace: a session
 * opened by an unprivileged user shows nothing that the user could not inspect with a
 * debugger.
 */
#include <linux/cred.h>
#include <linux/sched/signal.h>
#include <linux/user_namespace.h>

#include "rights.h"
#include "compat.h"
#include "counts.h"
#include "task.h"

/*
 * Has @own all capabilities that @cred has? The creator of a user namespace has all
 * capabilities in it, and in the namespaces below.
 */
static bool etrace_caps_within(const struct cred *cred, const struct cred *own)
{
	const struct user_namespace *ns = cred->user_ns;

	if (ns == own->user_ns)
		return cap_issubset(cred->cap_permitted, own->cap_permitted);
	for (; ns; ns = ns->parent)
		if (ns->parent == own->user_ns)
			return uid_eq(ns->owner, own->euid);
	return false;
}

/**
 * etrace_session_may - may a session's owner see what a task does?
 * @s: the session
 * @cred: the task's credentials
 *
 * As for ptrace, no if the task runs a set-user-ID program, or has capabilities that
 * the owner lacks.
 */
bool etrace_session_may(const struct etrace_session *s, const struct cred *cred)
{
	const struct cred *own = s->owner;

	return !own ||
	       (uid_eq(cred->uid, own->uid) && uid_eq(cred->euid, own->uid) &&
		uid_eq(cred->suid, own->uid) && uid_eq(cred->fsuid, own->uid) &&
		gid_eq(cred->gid, own->gid) && gid_eq(cred->egid, own->gid) &&
		gid_eq(cred->sgid, own->gid) && gid_eq(cred->fsgid, own->gid) &&
		etrace_caps_within(cred, own));
}

/*
 * Hides the task from the session's owner from now on. The slot stays, so that the
 * slots of its children are refused, too.
 */
void etrace_task_refuse(struct etrace_task *t)
{
	if (xchg(&t->refused, true))
		return;
	etrace_count(t->session, lost_tasks, 1);
	etrace_task_over(t->session);
}

/**
 * etrace_task_shown - may the session's owner see the current task?
 * @t: a slot of the task
 *
 * Checked for each event, since a task can gain privileges in many ways. Nor may a debugger
 * read the memory of a task that is not dumpable: it said so itself, or runs a program that
 * its user may not read. If the answer is no, the task is no longer traced, and counts as lost.
 */
bool etrace_task_shown(struct etrace_task *t)
{
	if (t->refused)
		return false;
	if (etrace_session_may(t->session, current_cred()) && etrace_dumpable(current))
		return true;
	etrace_task_refuse(t);
	return false;
}

/**
 * etrace_task_rights - check the rights when the current task runs another program
 * @t: its first slot
 * @secure: the program runs with other privileges than its caller
 *
 * Sessions whose owner may not see the program stop tracing the task, and count it as
 * lost. Call it in an RCU read-side section.
 */
void etrace_task_rights(struct etrace_task *t, bool secure)
{
	etrace_for_each_slot(t, t) {
		if (!t->session->owner)
			continue;
		if (secure)
			etrace_task_refuse(t);
		else
			etrace_task_shown(t);
	}
}

/*
 * May the session's owner see what a running task does?  The check is that of ptrace for
 * the current task and PTRACE_MODE_READ_FSCREDS, without the security modules: the
 * kernel does not let a module ask these.
 */
bool etrace_task_may_adopt(const struct etrace_session *s, struct task_struct *task)
{
	return !s->owner || (etrace_session_may(s, __task_cred(task)) &&
			     (same_thread_group(task, current) || etrace_dumpable(task)));
}
