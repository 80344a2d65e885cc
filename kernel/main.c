// SPDX-License-Identifier: GPL-2.0
/*
 * Loads and unloads the module, and handles its parameters: see Documentation/etrace.ko.4.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "adopt.h"
#include "calls_print.h"
#include "capture.h"
#include "cgroup.h"
#include "counters.h"
#include "etrace.h"
#include "etrace_secrets.h"
#include "hooks.h"
#include "return_work.h"
#include "printed.h"
#include "probes.h"
#include "session.h"
#include "table.h"
#include "task.h"

#define ETRACE_PID_BITS_MAX	32
#define ETRACE_SESSIONS_MAX	65535

static int etrace_root_pid;

/* The effect of writing root_pid; protected by the lock of the parameters. */
static enum {
	ETRACE_LOADING,		/* the value takes effect at the end of loading */
	ETRACE_LIVE,		/* the value takes effect immediately */
	ETRACE_GOING,		/* the write fails: nothing can be traced any more */
} etrace_state;

static int etrace_trace(int pid)
{
	struct task_struct *task;
	int err = 0;

	if (pid) {
		task = etrace_task_get(pid);
		err = task ? etrace_tasks_start(&etrace_root, task) : -ESRCH;
		if (task)
			put_task_struct(task);
	} else {
		etrace_tasks_stop(&etrace_root);
	}
	if (err)
		pr_err_ratelimited("root_pid=%d: %s (error %d); nothing new is traced\n",
				   pid, err == -ESRCH ? "no such task" :
				   "cannot trace", err);
	return err;
}

static int etrace_root_pid_set(const char *val, const struct kernel_param *kp)
{
	int pid, err;

	err = kstrtoint(val, 0, &pid);
	if (err) {
		pr_err_ratelimited("root_pid: not a number; give a pid, or 0 to stop\n");
		return -EINVAL;
	}
	if (etrace_state == ETRACE_GOING)
		return -ENODEV;
	if (etrace_state == ETRACE_LIVE) {
		err = etrace_trace(pid);
		if (err)
			return err;
	}
	etrace_root_pid = pid;
	return 0;
}

static const struct kernel_param_ops etrace_root_pid_ops = {
	.set = etrace_root_pid_set,
	.get = param_get_int,
};
module_param_cb(root_pid, &etrace_root_pid_ops, &etrace_root_pid, 0644);
MODULE_PARM_DESC(root_pid, "trace this task and all below it; 0: stop tracing");

static int etrace_uint_set(const char *val, const struct kernel_param *kp,
			   unsigned int max)
{
	unsigned int n;

	if (kstrtouint(val, 0, &n) || n > max) {
		pr_err_ratelimited("%s: must be from 0 to %u\n", kp->name, max);
		return -EINVAL;
	}
	WRITE_ONCE(*(unsigned int *)kp->arg, n);
	return 0;
}

static int etrace_bits_set(const char *val, const struct kernel_param *kp)
{
	return etrace_uint_set(val, kp, ETRACE_PID_BITS_MAX);
}

static const struct kernel_param_ops etrace_bits_ops = {
	.set = etrace_bits_set,
	.get = param_get_uint,
};
module_param_cb(bits_of_real_pid, &etrace_bits_ops, &etrace_bits_of_real_pid,
		0444);
MODULE_PARM_DESC(bits_of_real_pid, "how many bits of a upid show the pid (default 22)");

static int etrace_max_sessions_set(const char *val, const struct kernel_param *kp)
{
	return etrace_uint_set(val, kp, ETRACE_SESSIONS_MAX);
}

static const struct kernel_param_ops etrace_max_sessions_ops = {
	.set = etrace_max_sessions_set,
	.get = param_get_uint,
};
module_param_cb(max_sessions, &etrace_max_sessions_ops, &etrace_max_sessions,
		0644);
MODULE_PARM_DESC(max_sessions, "how many sessions of /dev/etrace there can be at a time (default 64)");

module_param_cb(max_user_sessions, &etrace_max_sessions_ops, &etrace_max_user_sessions,
		0644);
MODULE_PARM_DESC(max_user_sessions, "how many of them a user without capabilities can have (default 8)");

module_param_named(trace_thread_names, etrace_root.comm, bool, 0444);
MODULE_PARM_DESC(trace_thread_names, "record changes of thread names (default no)");

static int etrace_instance_set(const char *val, const struct kernel_param *kp)
{
	size_t len = strcspn(val, "\n");

	if (!len || len >= sizeof(etrace_root.instance) || memchr(val, '/', len) ||
	    (len == 1 && val[0] == '.') ||
	    (len == 2 && val[0] == '.' && val[1] == '.')) {
		pr_err("instance: must be the name of a directory, of at most %zu characters\n",
		       sizeof(etrace_root.instance) - 1);
		return -EINVAL;
	}
	memcpy(etrace_root.instance, val, len);
	etrace_root.instance[len] = '\0';
	return 0;
}

static int etrace_instance_get(char *buf, const struct kernel_param *kp)
{
	return scnprintf(buf, PAGE_SIZE, "%s\n", etrace_root.instance);
}

static const struct kernel_param_ops etrace_instance_ops = {
	.set = etrace_instance_set,
	.get = etrace_instance_get,
};
module_param_cb(instance, &etrace_instance_ops, NULL, 0444);
MODULE_PARM_DESC(instance, "ftrace instance that the events go to (default: the top level)");

static void etrace_want_all(int add)
{
	unsigned int i;

	for (i = 0; i < ETRACE_NR_WHERE; i++)
		atomic_add(add, &etrace_wanted[i]);
	etrace_print_want(add > 0);
}

/* Selects what the session of root_pid records. Called with the lock of the parameters held. */
static void etrace_root_wants(bool extended, u8 record)
{
	/* Calls in progress must not find that nobody wants them while this session is not counted. */
	etrace_want_all(1);
	if (etrace_state != ETRACE_LOADING)
		etrace_session_count(&etrace_root, -1);
	WRITE_ONCE(etrace_extended, extended);
	WRITE_ONCE(etrace_root.record, record);
	if (etrace_state != ETRACE_LOADING)
		etrace_session_count(&etrace_root, 1);
	etrace_want_all(-1);
}

static int etrace_extended_set(const char *val, const struct kernel_param *kp)
{
	bool on;

	/* "extended" without a value means on. */
	if (val && kstrtobool(val, &on)) {
		pr_err_ratelimited("extended: must be Y or N\n");
		return -EINVAL;
	}
	etrace_root_wants(!val || on, etrace_root.record);
	return 0;
}

static const struct kernel_param_ops etrace_extended_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = etrace_extended_set,
	.get = param_get_bool,
};
module_param_cb(extended, &etrace_extended_ops, &etrace_extended, 0644);
MODULE_PARM_DESC(extended, "print also lines that the line format does not define (default no)");

static const struct {
	const char *name;
	u8 bits;		/* bits of etrace_session.record */
} etrace_record_names[] = {
	{ "probes", ETRACE_SESSION_PROBES },
	{ "dirs", ETRACE_SESSION_DIRS },
	{ "env", ETRACE_SESSION_ENV },
	{ "output", ETRACE_SESSION_OUTPUT },
	{ "output=all", ETRACE_SESSION_OUTPUT | ETRACE_SESSION_OUTPUT_ALL },
};

/* The bits of a name of @len bytes, 0 if there is no such name. */
static u8 etrace_record_bits(const char *name, size_t len)
{
	const char *known;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(etrace_record_names); i++) {
		known = etrace_record_names[i].name;
		if (strlen(known) == len && !memcmp(known, name, len))
			return etrace_record_names[i].bits;
	}
	return 0;
}

static int etrace_record_set(const char *val, const struct kernel_param *kp)
{
	bool none = !*val || *val == '\n';
	u8 record = 0, bits;
	size_t len;

	/* A name must follow each comma, also the last one. */
	for (; !none; none = *val++ != ',') {
		len = strcspn(val, ",\n");
		bits = etrace_record_bits(val, len);
		if (!bits) {
			pr_err_ratelimited("record: must be a list of probes, dirs, env, output, output=all with commas between them\n");
			return -EINVAL;
		}
		record |= bits;
		val += len;
	}
	etrace_root_wants(etrace_extended, record);
	return 0;
}

static int etrace_record_get(char *buf, const struct kernel_param *kp)
{
	u8 bits, record = etrace_root.record;
	unsigned int i;
	int n = 0;

	for (i = 0; i < ARRAY_SIZE(etrace_record_names); i++) {
		bits = etrace_record_names[i].bits;
		if ((record & bits) == bits)
			n += scnprintf(buf + n, PAGE_SIZE - n, "%s%s", n ? "," : "",
				       etrace_record_names[i].name);
	}
	return n + scnprintf(buf + n, PAGE_SIZE - n, "\n");
}

static const struct kernel_param_ops etrace_record_ops = {
	.set = etrace_record_set,
	.get = etrace_record_get,
};
module_param_cb(record, &etrace_record_ops, NULL, 0644);
MODULE_PARM_DESC(record, "with extended, record also these: probes, dirs, env, output, output=all (default none)");
module_param_named(output_memory, etrace_output_memory, uint, 0644);
MODULE_PARM_DESC(output_memory, "MiB that record=output keeps at the most, of all processes (default 64)");

static int etrace_keep_env_set(const char *val, const struct kernel_param *kp)
{
	size_t len = strcspn(val, "\n");

	if (len >= sizeof(etrace_root.keep_env) || val[len] || !etrace_list_good(val)) {
		pr_err("keep_env: must be a list of variables with commas between them, of at most %zu characters\n",
		       sizeof(etrace_root.keep_env) - 1);
		return -EINVAL;
	}
	memcpy(etrace_root.keep_env, val, len + 1);
	return 0;
}

static int etrace_keep_env_get(char *buf, const struct kernel_param *kp)
{
	return scnprintf(buf, PAGE_SIZE, "%s\n", etrace_root.keep_env);
}

static const struct kernel_param_ops etrace_keep_env_ops = {
	.set = etrace_keep_env_set,
	.get = etrace_keep_env_get,
};
module_param_cb(keep_env, &etrace_keep_env_ops, NULL, 0444);
MODULE_PARM_DESC(keep_env, "variables whose values record=env shows though they look secret (default none)");

/*
 * The files of the parameters exist until the module's memory is freed: once unloading
 * has begun, a write must not start tracing.
 */
static void etrace_going(void)
{
	kernel_param_lock(THIS_MODULE);
	etrace_state = ETRACE_GOING;
	kernel_param_unlock(THIS_MODULE);
}

static int __init etrace_init(void)
{
	int err;

	if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		pr_err("not for PREEMPT_RT kernels: probes take locks that sleep there\n");
		return -EOPNOTSUPP;
	}
	etrace_syscalls_init();
	err = etrace_probes_init();
	if (err)
		return err;
	etrace_cgroups_init();
	err = etrace_hooks_init();
	if (err)
		return err;
	err = etrace_tasks_init(&etrace_probes);
	if (err)
		return err;
	err = etrace_scratch_init();
	if (err)
		goto tasks;
	err = etrace_work_init();
	if (err)
		goto capture;
	err = etrace_session_init(&etrace_root);
	if (err)
		goto later;
	err = etrace_counters_init();
	if (err)
		goto session;

	kernel_param_lock(THIS_MODULE);
	etrace_session_count(&etrace_root, 1);
	if (etrace_root_pid)
		err = etrace_trace(etrace_root_pid);
	etrace_state = err ? ETRACE_GOING : ETRACE_LIVE;
	kernel_param_unlock(THIS_MODULE);
	if (err)
		goto trace;
	/*
	 * Last: if loading failed later, the module's memory would be freed even
	 * if a process had opened the device by then.
	 */
	err = etrace_device_register();
	if (!err)
		return 0;

trace:
	etrace_going();
	etrace_tasks_stop(&etrace_root);
	etrace_tasks_idle();
	etrace_counters_exit();
session:
	etrace_session_exit(&etrace_root);
later:
	etrace_work_exit();
capture:
	etrace_scratch_exit();
tasks:
	etrace_tasks_exit();
	return err;
}

static void __exit etrace_exit(void)
{
	etrace_going();
	etrace_device_unregister();
	etrace_tasks_stop(&etrace_root);
	etrace_tasks_idle();
	etrace_work_exit();
	etrace_counters_exit();
	etrace_session_exit(&etrace_root);
	etrace_scratch_exit();
	etrace_tasks_exit();
}

module_init(etrace_init);
module_exit(etrace_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Traces what a build does: programs, files and descriptors of a task tree");
MODULE_VERSION("0.1");
