// SPDX-License-Identifier: GPL-2.0
/* Functions shared by the checks of etrace doctor.  See doctor.h. */
#include "cli/doctor.h"
#include "io/formats.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

struct utsname doctor_host;

enum result found(struct finding *f, enum result what, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	return what;
}

void remedy(struct finding *f, const char *fmt, ...)
{
	size_t len = strlen(f->remedy);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->remedy + len, sizeof(f->remedy) - len, fmt, ap);
	va_end(ap);
}

bool doctor_line(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return false;
	buf[n] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return true;
}

bool doctor_command(const char *command, char *buf, size_t size)
{
	FILE *f = popen(command, "re");
	bool good;

	buf[0] = 0;
	if (!f)
		return false;
	good = fgets(buf, (int)size, f);
	buf[strcspn(buf, "\n")] = 0;
	return !pclose(f) && good;
}

bool doctor_has_cap(unsigned int cap)
{
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct d[2] = { { 0 } };

	return !syscall(SYS_capget, &h, d) && d[cap / 32].effective >> cap % 32 & 1;
}

bool doctor_kernel_before(int major, int minor)
{
	int a = 0, b = 0;

	sscanf(doctor_host.release, "%d.%d", &a, &b);
	return a < major || (a == major && b < minor);
}

/* ---- the kernel's options ---- */

/* Kernel options that the backends and their events need. */
static const struct {
	const char *name;
	enum backends backends;
	bool needed;		/* without it nothing works; else only some data is missing */
	const char *why;
} options[] = {
	{ "CONFIG_MODULES", MODULE, true, "modules" },
	{ "CONFIG_EVENT_TRACING", BOTH, true, "trace events" },
	{ "CONFIG_HAVE_SYSCALL_TRACEPOINTS", BOTH, true, "system call events" },
	{ "CONFIG_KPROBES", MODULE, false, "names as the kernel resolves them" },
	{ "CONFIG_DYNAMIC_FTRACE", MODULE, false, "names as the kernel resolves them" },
	{ "CONFIG_SECURITY_PATH", BOTH, false, "names as the kernel resolves them" },
	{ "CONFIG_BPF_SYSCALL", BPF, true, "BPF programs" },
	{ "CONFIG_BPF_JIT", BPF, true, "BPF programs on tracepoints and functions" },
	{ "CONFIG_BPF_EVENTS", BPF, true, "BPF programs on tracepoints" },
	{ "CONFIG_DEBUG_INFO_BTF", BPF, true, "the layout of its structures" },
};
#define NOPTIONS (sizeof(options) / sizeof(options[0]))

static gzFile open_config(char *path, size_t size)
{
	snprintf(path, size, "/boot/config-%s", doctor_host.release);
	if (access(path, R_OK))
		snprintf(path, size, "/lib/modules/%s/config", doctor_host.release);
	if (access(path, R_OK))
		snprintf(path, size, "/lib/modules/%s/build/.config", doctor_host.release);
	if (access(path, R_OK))
		snprintf(path, size, "/proc/config.gz");
	/* gzopen() also reads files that are not compressed */
	return gzopen(path, "re");
}

enum result doctor_config(struct finding *f, enum backends backend)
{
	bool have[NOPTIONS] = { false };
	char path[PATH_MAX], line[512];
	enum result result = GOOD;
	gzFile gz = open_config(path, sizeof(path));

	if (!gz)
		return found(f, NOTE, "cannot be checked: there is neither /boot/config-%s nor /proc/config.gz",
			     doctor_host.release);
	while (gzgets(gz, line, sizeof(line)))
		for (size_t i = 0; i < NOPTIONS; i++) {
			size_t n = strlen(options[i].name);

			if (!strncmp(line, options[i].name, n) && line[n] == '=' &&
			    (line[n + 1] == 'y' || line[n + 1] == 'm'))
				have[i] = true;
		}
	gzclose(gz);
	for (size_t i = 0; i < NOPTIONS; i++) {
		if (have[i] || !(options[i].backends & backend))
			continue;
		remedy(f, "%sa kernel with %s=y (%s)", *f->remedy ? "\n" : "", options[i].name,
		       options[i].why);
		if (options[i].needed)
			result = BAD;
		else if (result == GOOD)
			result = NOTE;
	}
	return found(f, result, result == GOOD ? "all set (%s)" : "some are missing (%s)", path);
}

/* ---- a sink for sessions that record nothing ---- */

static int no_item(struct sink *s, const void *item)
{
	(void)s;
	(void)item;
	return 0;
}

static int no_end(struct sink *s)
{
	(void)s;
	return 0;
}

static void no_free(struct sink *s)
{
	(void)s;
}

static const struct sink_ops nowhere_ops = { no_item, no_end, no_free };

struct sink doctor_nowhere = { &nowhere_ops };
