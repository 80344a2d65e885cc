// SPDX-License-Identifier: GPL-2.0
/* etrace doctor: what the kernel module needs.  See doctor.h. */
#include "cli/doctor.h"
#include "base/text_num.h"
#include "cli/device.h"
#include "record/module/rec_session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#define TRACEFS "/sys/kernel/tracing"
#define MOUNT "mount -t tracefs nodev " TRACEFS

static char module_path[PATH_MAX];	/* "" if there is none */
static bool module_loaded;

/* ---- rights ---- */

static bool may_trace_all(void)
{
	return doctor_has_cap(CAP_SYS_ADMIN) || doctor_has_cap(CAP_PERFMON);
}

/* Whether this process may open the device as a member of its group. */
static bool is_member(void)
{
	int fd;

	if (may_trace_all())
		return false;
	fd = open(REC_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

enum result check_rights(struct finding *f)
{
	if (is_member())
		return found(f, GOOD, "may trace its own commands, as a member of the group of " REC_DEVICE);
	if (may_trace_all())
		return found(f, GOOD, "may trace");
	remedy(f, "sudo etrace doctor, and sudo etrace run: the command itself then runs as you");
	return found(f, BAD, "not root, and without the capability CAP_PERFMON");
}

/* ---- the module ---- */

void doctor_find_module(void)
{
	char line[PATH_MAX];

	module_loaded = !access("/sys/module/etrace", F_OK);
	if (device_module(module_path, sizeof(module_path)))
		return;
	module_path[0] = 0;
	if (doctor_command("PATH=$PATH:/sbin:/usr/sbin modinfo -F filename etrace 2> /dev/null", line, sizeof(line)) &&
	    *line == '/')
		snprintf(module_path, sizeof(module_path), "%s", line);
}

enum result check_headers(struct finding *f)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/lib/modules/%s/build/Makefile", doctor_host.release);
	if (!access(path, F_OK))
		return found(f, GOOD, "installed for %s", doctor_host.release);
	if (module_loaded || *module_path)
		return found(f, NOTE, "not installed for %s; only building the module needs them",
			     doctor_host.release);
	remedy(f, "apt-get install linux-headers-%s", doctor_host.release);
	return found(f, BAD, "not installed for the running kernel %s", doctor_host.release);
}

enum result check_module(struct finding *f)
{
	char command[PATH_MAX + 64], magic[256], *space;
	bool versions;

	if (module_loaded)
		return found(f, GOOD, "loaded");
	if (!*module_path) {
		remedy(f, "in etrace's source: make module && make install (as root), then depmod");
		return found(f, BAD, "etrace.ko is neither next to this program nor installed for %s",
			     doctor_host.release);
	}
	/* users cannot choose the path, but quote it anyway */
	if (strchr(module_path, '\''))
		return found(f, NOTE, "%s (not checked)", module_path);
	snprintf(command, sizeof(command),
		 "PATH=$PATH:/sbin:/usr/sbin modinfo -F vermagic '%s' 2> /dev/null", module_path);
	if (!doctor_command(command, magic, sizeof(magic)))
		return found(f, NOTE, "%s (modinfo does not say which kernel it is for)", module_path);
	/* the kernel then checks the versions of symbols instead of its own version */
	versions = strstr(magic, " modversions");
	space = strchr(magic, ' ');
	if (space)
		*space = 0;
	if (!strcmp(magic, doctor_host.release))
		return found(f, GOOD, "%s", module_path);
	remedy(f, "in etrace's source: make module && make install (as root)");
	return found(f, versions ? NOTE : BAD, "%s is built for %s, and this kernel is %s",
		     module_path, magic, doctor_host.release);
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
static void doctor_lockdown(char *state, size_t size)
{
	char line[128], *from, *to;

	state[0] = 0;
	if (!doctor_line("/sys/kernel/security/lockdown", line, sizeof(line)))
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
	/* four bytes of attributes precede the value */
	on = read(fd, data, sizeof(data)) == sizeof(data) && data[4] == 1;
	close(fd);
	return on;
}

/* The file with the certificate for the module's signature, if its location is known. */
static const char *enrol_key(void)
{
	static const char *const dkms[] = { "/var/lib/dkms/mok.pub", "/var/lib/shim-signed/mok/MOK.der" };

	for (size_t i = 0; i < sizeof(dkms) / sizeof(dkms[0]); i++)
		if (strstr(module_path, "/updates/dkms/") && !access(dkms[i], F_OK))
			return dkms[i];
	return "MOK.der";
}

enum result check_signature(struct finding *f)
{
	char enforce[8] = "", state[32];
	bool enforced;

	doctor_lockdown(state, sizeof(state));
	doctor_line("/sys/module/module/parameters/sig_enforce", enforce, sizeof(enforce));
	enforced = enforce[0] == 'Y' || (*state && strcmp(state, "none"));
	if (!enforced)
		return found(f, GOOD, "not required%s", secure_boot() ? ", although Secure Boot is on" : "");
	if (module_loaded)
		return found(f, GOOD, "required, and the module is loaded");
	if (*module_path && module_signed()) {
		const char *key = enrol_key();

		remedy(f, "if it is not (mokutil --test-key %s), enrol it, then reboot and confirm:\n"
		       "mokutil --import %s", key, key);
		return found(f, NOTE, "etrace.ko is signed; only loading it shows whether the key is enrolled");
	}
	remedy(f, "sign the module and enrol the key, then reboot and confirm:\n"
	       "openssl req -new -x509 -newkey rsa:2048 -keyout MOK.priv -outform DER -out MOK.der -nodes -days 36500 -subj /CN=etrace/\n"
	       "/lib/modules/%s/build/scripts/sign-file sha256 MOK.priv MOK.der %s\n"
	       "mokutil --import MOK.der", doctor_host.release, *module_path ? module_path : "etrace.ko");
	return found(f, BAD, "the kernel loads only signed modules (%s%s), and etrace.ko is not signed",
		     secure_boot() ? "Secure Boot, " : "", enforce[0] == 'Y' ? "sig_enforce" : "lockdown");
}

enum result check_modules_disabled(struct finding *f)
{
	char line[8] = "0";

	doctor_line("/proc/sys/kernel/modules_disabled", line, sizeof(line));
	if (line[0] != '1' || module_loaded)
		return found(f, GOOD, "%s", module_loaded ? "no longer needed" : "may be loaded");
	remedy(f, "reboot: kernel.modules_disabled cannot be reset; load etrace before it is set");
	return found(f, BAD, "modules can no longer be loaded (kernel.modules_disabled is 1)");
}

enum result check_lockdown(struct finding *f)
{
	char state[32];

	doctor_lockdown(state, sizeof(state));
	if (!*state)
		return found(f, GOOD, "not in this kernel");
	if (strcmp(state, "confidentiality"))
		return found(f, GOOD, "%s", state);
	remedy(f, "boot without lockdown=confidentiality (lockdown=integrity is fine)");
	return found(f, BAD, "confidentiality: the kernel refuses all tracing");
}

/* ---- ftrace ---- */

enum result check_tracefs(struct finding *f)
{
	struct statfs fs;

	if (statfs(TRACEFS, &fs) || fs.f_type != TRACEFS_MAGIC) {
		/* etrace run mounts it if permitted */
		if (!access(TRACEFS, F_OK) && doctor_has_cap(CAP_SYS_ADMIN))
			remedy(f, MOUNT);
		else
			remedy(f, "a kernel with CONFIG_TRACING; then " MOUNT);
		return found(f, BAD, "not mounted at " TRACEFS);
	}
	return found(f, GOOD, "mounted");
}

enum result check_config(struct finding *f)
{
	return doctor_config(f, MODULE);
}

enum result check_buffers(struct finding *f)
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

/* ---- trying it ---- */

enum result check_module_session(struct finding *f)
{
	struct rec_options opt = { .buffer = 65536 };
	struct session *s;
	char why[400];
	int fd = device_open(false, why, sizeof(why));

	if (fd < 0)
		return found(f, BAD, "%s", why);
	s = rec_session_open(fd, &opt, &doctor_nowhere, why, sizeof(why));
	if (!s) {
		found(f, BAD, "%s", why);
		device_unload(why, sizeof(why));
		return BAD;
	}
	session_close(s);
	if (!device_unload(why, sizeof(why)))
		return found(f, NOTE, "works; %s", why);
	return found(f, GOOD, "works");
}
