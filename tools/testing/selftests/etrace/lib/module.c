// SPDX-License-Identifier: GPL-2.0
/* The module, its parameters and counters, and the ftrace instance of the tests. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "etrace_test.h"

#define MODULE_DIR	"/sys/module/etrace"

/* ---- or BPF instead -------------------------------------------------------- */

#define BPF_SOCKET	"/run/etrace-selftest.socket"
#define BPF_LINES	"/run/etrace-selftest.lines"

/* One that run.sh keeps for all programs, since loading takes longer than most of them. */
#define SHARED_SOCKET	"/run/etrace-selftest-shared.socket"
#define SHARED_LINES	"/run/etrace-selftest-shared.lines"

static bool may_share, shared;

const char *et_bpf_lines(void)
{
	return shared ? SHARED_LINES : BPF_LINES;
}

bool et_bpf(void)
{
	const char *backend = getenv("ETRACE_BACKEND");

	return backend && !strcmp(backend, "bpf");
}

bool et_without_module(void)
{
	if (et_bpf())
		et_skip("this is about the module");
	return et_bpf();
}

/* Close the descriptor: an open one would be visible in the workloads. */
static long bpf_ask(const char *fmt, const char *what, const char *value)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char text[256];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ssize_t n = -1;

	strcpy(at.sun_path, shared ? SHARED_SOCKET : BPF_SOCKET);
	snprintf(text, sizeof(text), fmt, what, value);
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&at, sizeof(at)) &&
	    write(fd, text, strlen(text)) > 0)
		n = read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return -EPIPE;
	text[n] = '\0';
	return atol(text);
}

/* The list that is the value of a parameter, "" if it is not given. */
static void bpf_list(char *to, size_t size, const char *params, const char *name)
{
	const char *list = strstr(params, name);

	list = list ? list + strlen(name) : "";
	snprintf(to, size, "%.*s", (int)strcspn(list, " "), list);
}

static void bpf_setup(const char *params)
{
	bool comm = strstr(params, "trace_thread_names=1");
	const char *root = strstr(params, "root_pid=");
	char record[64], keep[64];
	long err;
	int tries;

	shared = may_share && !*params;
	if (shared && !bpf_ask("%s %s", "extended", "N"))
		return;
	shared = false;
	bpf_list(record, sizeof(record), params, "record=");
	bpf_list(keep, sizeof(keep), params, "keep_env=");
	unlink(BPF_SOCKET);
	if (!MUST(fork())) {
		execl("bpf-serve", "bpf-serve", BPF_SOCKET, BPF_LINES, record, keep,
		      comm ? "-c" : NULL, NULL);
		_exit(127);
	}
	for (tries = 0; tries < 1800; tries++) {
		if (!bpf_ask("%s %s", "extended", "N"))
			break;
		usleep(100000);
	}
	/* The verifier of an old kernel may need a minute here. */
	if (tries == 1800)
		DIE("bpf-serve does not answer");
	err = root ? bpf_ask("%s %s", "root_pid", root + strlen("root_pid=")) : 0;
	if (err)
		DIE("%s: %s", root, strerror(-err));
}

const char *et_module_path(void)
{
	static const char * const places[] = {
		"etrace.ko", "../etrace.ko", "../../../../etrace.ko",
	};
	const char *path = getenv("ETRACE_MODULE");
	size_t i;

	if (et_bpf())
		return "bpf-serve";
	if (path)
		return access(path, R_OK) ? NULL : path;
	for (i = 0; i < ET_NELEMS(places); i++)
		if (!access(places[i], R_OK))
			return places[i];
	return NULL;
}

int et_module_load(const char *params)
{
	int fd = open(et_module_path(), O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, params, 0) ? -errno : 0;
	close(fd);
	return ret;
}

int et_module_unload(void)
{
	if (et_bpf())
		return bpf_ask("%s%s", "quit", "") == -EINVAL ? 0 : -ENOENT;
	return syscall(SYS_delete_module, "etrace", O_NONBLOCK) ? -errno : 0;
}

bool et_module_loaded(void)
{
	return !access(MODULE_DIR "/parameters", F_OK);
}

int et_write_file(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

const char *et_read_file(const char *path)
{
	static char buf[1 << 16];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got;

	if (fd < 0)
		return "";
	while ((got = read(fd, buf + n, sizeof(buf) - 1 - n)) > 0)
		n += got;
	close(fd);
	if (n && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	return buf;
}

int et_param_write(const char *name, const char *value)
{
	char path[256];

	if (et_bpf())
		return bpf_ask("%s %s", name, value);
	snprintf(path, sizeof(path), MODULE_DIR "/parameters/%s", name);
	return et_write_file(path, value);
}

int et_param_write_int(const char *name, long long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", value);
	return et_param_write(name, text);
}

const char *et_param_read(const char *name)
{
	static char number[32];
	char path[256];

	if (et_bpf()) {
		long n = bpf_ask("%s %s", "value", name);

		if (!strcmp(name, "trace_thread_names"))
			return n ? "Y" : "N";
		snprintf(number, sizeof(number), "%ld", n);
		return number;
	}
	snprintf(path, sizeof(path), MODULE_DIR "/parameters/%s", name);
	return et_read_file(path);
}

long long et_counter(const char *name)
{
	char path[256];
	const char *text;
	char *end;
	long long n;

	if (et_bpf())
		return bpf_ask("%s %s", "counter", name);
	snprintf(path, sizeof(path), MODULE_DIR "/counters/%s", name);
	text = et_read_file(path);
	n = strtoll(text, &end, 10);
	if (end == text || *end)
		DIE("%s: not a number: '%s'", path, text);
	return n;
}

int et_instance_write(const char *file, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), ET_TRACE_DIR "/%s", file);
	return et_write_file(path, value);
}

long long et_instance_stat(const char *field)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	size_t len = strlen(field);
	long long sum = 0;
	char path[256];
	const char *p;
	long i;

	for (i = 0; i < cpus; i++) {
		snprintf(path, sizeof(path), ET_TRACE_DIR "/per_cpu/cpu%ld/stats", i);
		for (p = et_read_file(path); p; p = strchr(p, '\n')) {
			p += *p == '\n';
			if (!strncmp(p, field, len) && p[len] == ':')
				sum += strtoll(p + len + 1, NULL, 10);
		}
	}
	return sum;
}

static void must_write(const char *file, const char *value)
{
	int err = et_instance_write(file, value);

	if (err)
		DIE(ET_TRACE_DIR "/%s: %s", file, strerror(-err));
}

/* ---- one module for several programs ----------------------------------------- */

/* $ETRACE_SHARED: a file that exists while the module stays loaded for the next program. */
static const char *shared_file;
static const char *shared_record;	/* this program's parameter "record"; NULL if not shared */

static void unload_shared(void)
{
	if (unlink(shared_file))
		return;
	if (et_module_unload() || rmdir(ET_TRACE_DIR))
		DIE("cannot unload the module of the programs before: %m");
}

void et_module_share(const char *params)
{
	may_share = params;
	shared_file = getenv("ETRACE_SHARED");
	if (!shared_file || et_bpf())
		return;
	if (params && !*params)
		shared_record = "";
	else if (params && !strncmp(params, "record=", 7) && !strchr(params, ' '))
		shared_record = params + 7;
	else
		unload_shared();
}

static void take_over(void)
{
	int err = et_param_write("record", shared_record);

	if (err)
		DIE("record=%s: %s", shared_record, strerror(-err));
	must_write("trace", "");
}

/* As before unloading, nothing may still use the module. */
static void hand_over(void)
{
	const char *uses = et_read_file(MODULE_DIR "/refcnt");

	if (strcmp(uses, "0"))
		DIE("cannot leave etrace to others: its use count is %s", uses);
	close(MUST(open(shared_file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600)));
}

void et_module_setup(const char *params, unsigned int kb)
{
	char all[512], size[32];
	int err;

	if (et_bpf()) {
		bpf_setup(params);
		return;
	}
	if (shared_record && !access(shared_file, F_OK)) {
		take_over();
		return;
	}
	if (et_module_loaded())
		DIE("etrace is loaded already: unload it before the tests");
	snprintf(all, sizeof(all), "instance=" ET_INSTANCE " %s", params);
	err = et_module_load(all);
	if (err)
		DIE("cannot load %s with '%s': %s", et_module_path(), all,
		    strerror(-err));
	snprintf(size, sizeof(size), "%u", kb);
	must_write("buffer_size_kb", size);
	/* Print only the module's own text. */
	must_write("options/context-info", "0");
	must_write("trace", "");
}

void et_module_teardown(void)
{
	int err;

	if (shared) {
		shared = false;
		return;
	}
	if (shared_record) {
		hand_over();
		return;
	}
	err = et_module_unload();
	if (err)
		DIE("cannot unload etrace: %s", strerror(-err));
	if (et_bpf()) {
		MUST(waitpid(-1, NULL, 0));
		return;
	}
	if (rmdir(ET_TRACE_DIR))
		DIE("cannot remove " ET_TRACE_DIR ": %m");
}

bool et_kernel_at_least(int major, int minor)
{
	struct utsname u;
	int a = 0, b = 0;

	uname(&u);
	sscanf(u.release, "%d.%d", &a, &b);
	return a > major || (a == major && b >= minor);
}

bool et_has_userfaultfd(void)
{
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno != ENOSYS;
}

/* ---- the kernel's log ---------------------------------------------------- */

#define KLOG_READ_ALL	3
#define KLOG_SIZE	10

static char *klog(void)
{
	int size = klogctl(KLOG_SIZE, NULL, 0);
	char *buf = calloc(1, size + 1);

	if (size > 0 && buf && klogctl(KLOG_READ_ALL, buf, size) >= 0)
		return buf;
	DIE("the kernel's log: %m");
}

static char log_mark[64];

/* Write a mark into the log, to find what was logged after it. */
void et_log_mark(void)
{
	static unsigned int n;
	char text[80];
	int err;

	snprintf(log_mark, sizeof(log_mark), "etrace selftest %d mark %u.",
		 getpid(), ++n);
	snprintf(text, sizeof(text), "<6>%s\n", log_mark);
	err = et_write_file("/dev/kmsg", text);
	if (err)
		DIE("/dev/kmsg: %s", strerror(-err));
}

unsigned int et_log_count(const char *text)
{
	char *all = klog();
	char *from = strstr(all, log_mark);
	unsigned int n = 0;

	while (from && (from = strstr(from, text))) {
		from += strlen(text);
		n++;
	}
	free(all);
	return n;
}

bool et_log_has(const char *text)
{
	return et_log_count(text);
}
