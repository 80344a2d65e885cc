// SPDX-License-Identifier: GPL-2.0
/*
 * etrace doctor: what stands in the way of etrace run on this machine, and
 * what to do about each.  A check is a function and a row of the table, which
 * says what backend it is about; the last one for each does what run does.
 */
#include "bpf/bpf_session.h"
#include "cli/device.h"
#include "cli/etrace.h"
#include "module/rec_session.h"
#include "cli/session.h"
#include "cli/term.h"
#include "base/text_num.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <zlib.h>

#define TRACEFS "/sys/kernel/tracing"
#define MOUNT "mount -t tracefs nodev " TRACEFS

enum result { GOOD, NOTE, BAD };
/* What a check is about; and the backends that the user wants. */
enum backends { MODULE = 1, BPF = 2, BOTH = MODULE | BPF };

/* What a check found, and what can be done. */
struct finding {
	enum result result;
	char text[512];
	char remedy[1024];	/* lines; "" if there is none */
};

static struct utsname host;
static char module_path[PATH_MAX];	/* "" if there is none */
static bool module_loaded;

static enum result found(struct finding *f, enum result what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static enum result found(struct finding *f, enum result what, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	return what;
}

static void remedy(struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void remedy(struct finding *f, const char *fmt, ...)
{
	size_t len = strlen(f->remedy);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->remedy + len, sizeof(f->remedy) - len, fmt, ap);
	va_end(ap);
}

/* The first line of a file. Return: false if it cannot be read. */
static bool read_line(const char *path, char *buf, size_t size)
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

/* The first line that a command prints. Return: false if it fails. */
static bool command_line(const char *command, char *buf, size_t size)
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

/* ---- rights ---- */

static bool has_cap(unsigned int cap)
{
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct d[2] = { { 0 } };

	return !syscall(SYS_capget, &h, d) && d[cap / 32].effective >> cap % 32 & 1;
}

static enum result check_rights(struct finding *f)
{
	/* the device, and tracefs' files, which are root's */
	if ((has_cap(CAP_SYS_ADMIN) || has_cap(CAP_PERFMON)) &&
	    (!geteuid() || has_cap(CAP_DAC_OVERRIDE)))
		return found(f, GOOD, "may trace");
	remedy(f, "sudo etrace doctor, and sudo etrace run: the command itself then runs as you");
	return found(f, BAD, "not root, and without the capabilities CAP_PERFMON and CAP_DAC_OVERRIDE");
}

/* ---- the module ---- */

static void find_module(void)
{
	char line[PATH_MAX];

	module_loaded = !access("/sys/module/etrace", F_OK);
	if (device_module(module_path, sizeof(module_path)))
		return;
	module_path[0] = 0;
	if (command_line("PATH=$PATH:/sbin:/usr/sbin modinfo -F filename etrace 2> /dev/null", line, sizeof(line)) &&
	    *line == '/')
		snprintf(module_path, sizeof(module_path), "%s", line);
}

static enum result check_headers(struct finding *f)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/lib/modules/%s/build/Makefile", host.release);
	if (!access(path, F_OK))
		return found(f, GOOD, "there, for %s", host.release);
	if (module_loaded || *module_path)
		return found(f, NOTE, "not installed for %s; only building the module needs them",
			     host.release);
	remedy(f, "apt-get install linux-headers-%s", host.release);
	return found(f, BAD, "not installed for the running kernel %s", host.release);
}

static enum result check_module(struct finding *f)
{
	char command[PATH_MAX + 64], magic[256], *space;
	bool versions;

	if (module_loaded)
		return found(f, GOOD, "loaded");
	if (!*module_path) {
		remedy(f, "in etrace's source: make module && make install (as root), then depmod");
		return found(f, BAD, "etrace.ko is neither beside this program nor installed for %s",
			     host.release);
	}
	/* the path is no user's choice, but quote it nevertheless */
	if (strchr(module_path, '\''))
		return found(f, NOTE, "%s (not looked at)", module_path);
	snprintf(command, sizeof(command),
		 "PATH=$PATH:/sbin:/usr/sbin modinfo -F vermagic '%s' 2> /dev/null", module_path);
	if (!command_line(command, magic, sizeof(magic)))
		return found(f, NOTE, "%s (modinfo cannot tell for which kernel it is)", module_path);
	/* then a kernel goes by the symbols' versions, not by its own */
	versions = strstr(magic, " modversions");
	space = strchr(magic, ' ');
	if (space)
		*space = 0;
	if (!strcmp(magic, host.release))
		return found(f, GOOD, "%s", module_path);
	remedy(f, "in etrace's source: make module && make install (as root)");
	return found(f, versions ? NOTE : BAD, "%s is built for %s, and this kernel is %s",
		     module_path, magic, host.release);
}

static bool module_signed(void)
{
	static const char magic[] = "~Module signature appended~\n";
	char tail[sizeof(magic) - 1];
	int fd = open(module_path, O_RDONLY | O_CLOEXEC);
	bool is = false;

	if (fd < 0)
		return false;
	if (lseek(fd, -(off_t)sizeof(tail), SEEK_END) >= 0 &&
	    read(fd, tail, sizeof(tail)) == (ssize_t)sizeof(tail))
		is = !memcmp(tail, magic, sizeof(tail));
	close(fd);
	return is;
}

/* The state of lockdown: "none", "integrity", "confidentiality"; "" if unknown. */
static void lockdown_state(char *state, size_t size)
{
	char line[128], *from, *to;

	state[0] = 0;
	if (!read_line("/sys/kernel/security/lockdown", line, sizeof(line)))
		return;
	from = strchr(line, '[');
	to = from ? strchr(from, ']') : NULL;
	if (to) {
		*to = 0;
		snprintf(state, size, "%s", from + 1);
	}
}

static bool secure_boot(void)
{
	unsigned char data[5];
	int fd = open("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
		      O_RDONLY | O_CLOEXEC);
	bool on = false;

	if (fd < 0)
		return false;
	/* four bytes of attributes before the value */
	on = read(fd, data, sizeof(data)) == sizeof(data) && data[4] == 1;
	close(fd);
	return on;
}

static enum result check_signature(struct finding *f)
{
	char enforce[8] = "", state[32];
	bool enforced;

	lockdown_state(state, sizeof(state));
	read_line("/sys/module/module/parameters/sig_enforce", enforce, sizeof(enforce));
	enforced = enforce[0] == 'Y' || (*state && strcmp(state, "none"));
	if (!enforced)
		return found(f, GOOD, "not asked for%s", secure_boot() ? ", although Secure Boot is on" : "");
	if (module_loaded)
		return found(f, GOOD, "asked for, and the module is loaded");
	remedy(f, "sign the module and enrol the key, then reboot and confirm:\n"
	       "openssl req -new -x509 -newkey rsa:2048 -keyout MOK.priv -outform DER -out MOK.der -nodes -days 36500 -subj /CN=etrace/\n"
	       "/lib/modules/%s/build/scripts/sign-file sha256 MOK.priv MOK.der %s\n"
	       "mokutil --import MOK.der", host.release, *module_path ? module_path : "etrace.ko");
	if (!*module_path || !module_signed())
		return found(f, BAD, "the kernel takes signed modules only (%s%s), and etrace.ko is not signed",
			     secure_boot() ? "Secure Boot, " : "",
			     enforce[0] == 'Y' ? "sig_enforce" : "lockdown");
	return found(f, NOTE, "etrace.ko is signed; whether the key is enrolled is seen when it is loaded");
}

static enum result check_modules_disabled(struct finding *f)
{
	char line[8] = "0";

	read_line("/proc/sys/kernel/modules_disabled", line, sizeof(line));
	if (line[0] != '1' || module_loaded)
		return found(f, GOOD, "%s", module_loaded ? "not needed any more" : "may be loaded");
	remedy(f, "reboot: kernel.modules_disabled cannot be taken back; load etrace before it is set");
	return found(f, BAD, "no module can be loaded any more (kernel.modules_disabled is 1)");
}

static enum result check_lockdown(struct finding *f)
{
	char state[32];

	lockdown_state(state, sizeof(state));
	if (!*state)
		return found(f, GOOD, "this kernel has none");
	if (strcmp(state, "confidentiality"))
		return found(f, GOOD, "%s", state);
	remedy(f, "boot without lockdown=confidentiality (lockdown=integrity does no harm)");
	return found(f, BAD, "confidentiality: the kernel refuses all tracing");
}

/* ---- ftrace ---- */

static enum result check_tracefs(struct finding *f)
{
	struct statfs fs;

	if (statfs(TRACEFS, &fs) || fs.f_type != TRACEFS_MAGIC) {
		/* run mounts it by itself where it may */
		if (!access(TRACEFS, F_OK) && has_cap(CAP_SYS_ADMIN))
			remedy(f, MOUNT);
		else
			remedy(f, "a kernel with CONFIG_TRACING; then " MOUNT);
		return found(f, BAD, "not mounted at " TRACEFS);
	}
	if (access(TRACEFS "/instances", F_OK) && errno == ENOENT) {
		remedy(f, "a kernel with CONFIG_TRACING and instances");
		return found(f, BAD, "has no instances");
	}
	if (faccessat(AT_FDCWD, TRACEFS "/instances", R_OK | W_OK | X_OK, AT_EACCESS)) {
		remedy(f, "sudo, or the capability CAP_DAC_OVERRIDE");
		return found(f, BAD, "cannot be read: %s", strerror(errno));
	}
	return found(f, GOOD, "mounted, with instances");
}

/* What the backends and their events need. */
static const struct {
	const char *name;
	enum backends backends;
	bool needed;		/* else only something is missing without it */
	const char *why;
} options[] = {
	{ "CONFIG_MODULES", MODULE, true, "modules" },
	{ "CONFIG_EVENT_TRACING", BOTH, true, "trace events" },
	{ "CONFIG_HAVE_SYSCALL_TRACEPOINTS", BOTH, true, "system calls seen" },
	{ "CONFIG_KPROBES", MODULE, false, "names as the kernel resolves them" },
	{ "CONFIG_DYNAMIC_FTRACE", MODULE, false, "names as the kernel resolves them" },
	{ "CONFIG_SECURITY_PATH", BOTH, false, "names as the kernel resolves them" },
	{ "CONFIG_BPF_SYSCALL", BPF, true, "BPF programs" },
	{ "CONFIG_BPF_JIT", BPF, true, "BPF programs on tracepoints and functions" },
	{ "CONFIG_BPF_EVENTS", BPF, true, "BPF programs on tracepoints" },
	{ "CONFIG_DEBUG_INFO_BTF", BPF, true, "where the fields of its structures are" },
};
#define NOPTIONS (sizeof(options) / sizeof(options[0]))

static gzFile open_config(char *path, size_t size)
{
	snprintf(path, size, "/boot/config-%s", host.release);
	if (access(path, R_OK))
		snprintf(path, size, "/lib/modules/%s/config", host.release);
	if (access(path, R_OK))
		snprintf(path, size, "/lib/modules/%s/build/.config", host.release);
	if (access(path, R_OK))
		snprintf(path, size, "/proc/config.gz");
	/* reads what is not compressed, too */
	return gzopen(path, "re");
}

static enum result look_at_config(struct finding *f, enum backends backend)
{
	bool have[NOPTIONS] = { false };
	char path[PATH_MAX], line[512];
	enum result result = GOOD;
	gzFile gz = open_config(path, sizeof(path));

	if (!gz)
		return found(f, NOTE, "cannot be looked up: neither /boot/config-%s nor /proc/config.gz is there",
			     host.release);
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
	return found(f, result, result == GOOD ? "all there (%s)" : "something is missing (%s)", path);
}

static enum result check_config(struct finding *f)
{
	return look_at_config(f, MODULE);
}

static enum result check_buffers(struct finding *f)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t avail = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * page;
	uint64_t cpus = (uint64_t)sysconf(_SC_NPROCESSORS_CONF);

	if (avail / 8 >= cpus << 20)
		return found(f, GOOD, "%s of memory is free, for %" PRIu64 " processors",
			     text_bytes(avail), cpus);
	remedy(f, "free some memory; or etrace run -b SIZE with less than 1M, and see whether anything is lost");
	return found(f, NOTE, "only %s of memory is free for the buffers of %" PRIu64 " processors",
		     text_bytes(avail), cpus);
}

/* PROC_PID_INIT_INO of the kernel. */
#define INIT_PID_NS "pid:[4026531836]"

/* Instances that no live session owns: their names tell who made them. */
static enum result check_leftovers(struct finding *f)
{
	DIR *dir = opendir(TRACEFS "/instances");
	unsigned int left = 0, live = 0;
	char ns[64] = "";
	struct dirent *d;

	/* the names have pids of the initial pid namespace */
	if (readlink("/proc/self/ns/pid", ns, sizeof(ns) - 1) > 0 && strcmp(ns, INIT_PID_NS)) {
		if (dir)
			closedir(dir);
		return found(f, GOOD, "cannot be told from this pid namespace");
	}
	while (dir && (d = readdir(dir))) {
		int pid;

		if (sscanf(d->d_name, "etrace-%d-", &pid) != 1)
			continue;
		if (!kill(pid, 0) || errno == EPERM) {
			live++;
			continue;
		}
		if (left++ < 8)
			remedy(f, "%srmdir " TRACEFS "/instances/%s", *f->remedy ? "\n" : "",
			       d->d_name);
	}
	if (dir)
		closedir(dir);
	if (left)
		return found(f, NOTE, "%u instances of sessions that are gone take memory", left);
	return found(f, GOOD, live ? "none; %u sessions are recording" : "none", live);
}

/* ---- BPF ---- */

#define BTF "/sys/kernel/btf/vmlinux"

static bool kernel_before(int major, int minor)
{
	int a = 0, b = 0;

	sscanf(host.release, "%d.%d", &a, &b);
	return a < major || (a == major && b < minor);
}

static enum result check_bpf_rights(struct finding *f)
{
	if (has_cap(CAP_SYS_ADMIN))
		return found(f, GOOD, "may load programs");
	if (has_cap(CAP_BPF) && has_cap(CAP_PERFMON) && !kernel_before(6, 10))
		return found(f, GOOD, "may load programs (CAP_BPF and CAP_PERFMON)");
	remedy(f, "sudo etrace doctor, and sudo etrace run: the command itself then runs as you");
	if (kernel_before(6, 10))
		return found(f, BAD, "not root, and without the capability CAP_SYS_ADMIN, which kernels before 6.10 ask for");
	remedy(f, "\nor setcap cap_bpf,cap_perfmon+ep on a copy of etrace of your own");
	return found(f, BAD, "not root, and without the capabilities CAP_BPF and CAP_PERFMON");
}

static enum result check_btf(struct finding *f)
{
	if (!access(BTF, R_OK))
		return found(f, GOOD, "there (" BTF ")");
	remedy(f, "a kernel with CONFIG_DEBUG_INFO_BTF=y");
	return found(f, BAD, "the kernel does not tell its types: no " BTF);
}

static enum result check_bpf_config(struct finding *f)
{
	return look_at_config(f, BPF);
}

/* It is about those who have no capabilities at all. */
static enum result check_unprivileged(struct finding *f)
{
	char line[8];

	if (!read_line("/proc/sys/kernel/unprivileged_bpf_disabled", line, sizeof(line)))
		return found(f, GOOD, "kernel.unprivileged_bpf_disabled is not there; it would not matter");
	return found(f, GOOD, "kernel.unprivileged_bpf_disabled is %s, which does not matter to etrace", line);
}

#define MEMLOCK_WANTED	(256u << 20)

static enum result check_memlock(struct finding *f)
{
	struct rlimit limit;

	if (!kernel_before(5, 11))
		return found(f, GOOD, "BPF does not count as such from 5.11 on");
	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	    limit.rlim_cur >= MEMLOCK_WANTED)
		return found(f, GOOD, "the limit is high enough");
	if (has_cap(CAP_SYS_RESOURCE))
		return found(f, GOOD, "the limit will be raised");
	remedy(f, "ulimit -l unlimited, as root");
	return found(f, BAD, "not more than %s may be locked, and before 5.11 all that BPF needs counts as such",
		     text_bytes(limit.rlim_cur));
}

static enum result check_lsms(struct finding *f)
{
	char line[256];

	if (!read_line("/sys/kernel/security/lsm", line, sizeof(line)))
		return found(f, GOOD, "their list cannot be read; it would not matter");
	return found(f, GOOD, "%s: any will do", *line ? line : "none");
}

/* ---- the proof ---- */

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

static enum result check_module_session(struct finding *f)
{
	struct rec_options opt = { .buffer = 65536 };
	struct sink nowhere = { &nowhere_ops };
	struct session *s;
	char why[400];
	int fd = device_open(false, why, sizeof(why));

	if (fd < 0)
		return found(f, BAD, "%s", why);
	s = rec_session_open(fd, &opt, &nowhere, why, sizeof(why));
	if (!s) {
		found(f, BAD, "%s", why);
		device_unload(why, sizeof(why));
		return BAD;
	}
	session_close(s);
	if (!device_unload(why, sizeof(why)))
		return found(f, NOTE, "can be had; %s", why);
	return found(f, GOOD, "can be had");
}

static enum result check_bpf_session(struct finding *f)
{
	struct bpf_options opt = { .buffer = 65536 };
	struct sink nowhere = { &nowhere_ops };
	struct session *s;
	char why[400];

	if (!bpf_available(why, sizeof(why)))
		return found(f, BAD, "%s", why);
	s = bpf_session_open(&opt, &nowhere, why, sizeof(why));
	if (!s)
		return found(f, BAD, "%s", why);
	session_close(s);
	return found(f, GOOD, "can be had");
}

static const struct {
	const char *name;
	enum backends backends;
	enum result (*check)(struct finding *f);
	bool last;		/* only when nothing bad was found for its backend */
} checks[] = {
	{ "rights", MODULE, check_rights, false },
	{ "kernel headers", MODULE, check_headers, false },
	{ "module", MODULE, check_module, false },
	{ "modules", MODULE, check_modules_disabled, false },
	{ "signature", MODULE, check_signature, false },
	{ "lockdown", BOTH, check_lockdown, false },
	{ "tracefs", MODULE, check_tracefs, false },
	{ "kernel options", MODULE, check_config, false },
	{ "buffers", BOTH, check_buffers, false },
	{ "leftovers", MODULE, check_leftovers, false },
	{ "BPF rights", BPF, check_bpf_rights, false },
	{ "BPF types", BPF, check_btf, false },
	{ "BPF options", BPF, check_bpf_config, false },
	{ "BPF for all", BPF, check_unprivileged, false },
	{ "locked memory", BPF, check_memlock, false },
	{ "LSMs", BPF, check_lsms, false },
	{ "a session", MODULE, check_module_session, true },
	{ "a session by BPF", BPF, check_bpf_session, true },
};
#define NCHECKS (sizeof(checks) / sizeof(checks[0]))

static void print(const char *name, const struct finding *f)
{
	struct term_colors c = term_colors(STDOUT_FILENO);
	static const char *const words[] = { "ok", "note", "BAD" };
	const char *color = f->result == GOOD ? c.good : f->result == BAD ? c.bad : c.bold;
	const char *s = f->remedy;

	printf("%s%-4s%s  %s: %s\n", color, words[f->result], c.off, name, f->text);
	while (*s) {
		size_t n = strcspn(s, "\n");

		printf("        %.*s\n", (int)n, s);
		s += n + (s[n] == '\n');
	}
}

static void usage(FILE *to)
{
	fputs("Usage: " PROG " doctor [--backend NAME]\n"
	      "Tell what stands in the way of " PROG " run on this machine, and the remedy.  Loads\n"
	      "the module, or BPF programs, if nothing else is found to be in the way.\n\n"
	      "      --backend NAME  look at what " PROG " run --backend NAME needs: module, bpf, or\n"
	      "                      auto: either\n"
	      "  -h, --help          show this and exit\n"
	      "      --version       show the version and exit\n\n"
	      "Exit status: 0 if " PROG " run works here, else 1.\n", to);
}

/* Return: false if there is no such backend. */
static bool wanted_backends(const char *name, enum backends *wanted)
{
	if (!backend_known(name)) {
		say("--backend=%s: must be auto, module or bpf", name);
		return false;
	}
	*wanted = !strcmp(name, "module") ? MODULE : !strcmp(name, "bpf") ? BPF : BOTH;
	return true;
}

static bool diagnose(enum backends wanted)
{
	static const char *const how[] = {
		[MODULE] = " --backend=module", [BPF] = " --backend=bpf", [BOTH] = "",
	};
	struct finding all[NCHECKS] = { 0 };
	bool done[NCHECKS] = { false };
	unsigned int bad = 0;	/* enum backends that something is in the way of */

	for (size_t i = 0; i < NCHECKS; i++) {
		if (!(checks[i].backends & wanted) || (checks[i].last && checks[i].backends & bad))
			continue;
		done[i] = true;
		all[i].result = checks[i].check(&all[i]);
		if (all[i].result == BAD)
			bad |= checks[i].backends;
	}
	for (size_t i = 0; i < NCHECKS; i++) {
		if (!done[i])
			continue;
		/* What is in the way of one does not matter if there is another. */
		if (all[i].result == BAD && wanted & ~bad)
			all[i].result = NOTE;
		print(checks[i].name, &all[i]);
	}
	if (!(wanted & ~bad))
		printf(PROG " run%s does not work here: see what is BAD\n", how[wanted]);
	else if (wanted == BOTH)
		printf(PROG " run works here, by %s\n", bad & MODULE ? "BPF" : "the module");
	else
		printf(PROG " run%s works here\n", how[wanted]);
	return wanted & ~bad;
}

int cmd_doctor(int argc, char **argv)
{
	static const struct option table[] = {
		{ "backend", required_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 }
	};
	enum backends wanted = BOTH;
	int opt;

	while ((opt = getopt_long(argc, argv, "h", table, NULL)) != -1) {
		switch (opt) {
		case 'b':
			if (!wanted_backends(optarg, &wanted))
				return EXIT_FAILED;
			continue;
		case 'h':
			usage(stdout);
			return 0;
		case 'V':
			print_version();
			return 0;
		default:
			usage(stderr);
			return EXIT_FAILED;
		}
	}
	if (optind < argc) {
		usage(stderr);
		return EXIT_FAILED;
	}
	uname(&host);
	find_module();
	return !diagnose(wanted);
}
