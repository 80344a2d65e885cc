// SPDX-License-Identifier: GPL-2.0
/* etrace doctor: what the BPF backend needs.  See doctor.h. */
#include "cli/doctor.h"
#include "base/text_num.h"
#include "record/bpf/bpf_session.h"

#include <linux/capability.h>
#include <sys/resource.h>
#include <unistd.h>

#define BTF "/sys/kernel/btf/vmlinux"

enum result check_bpf_rights(struct finding *f)
{
	if (doctor_has_cap(CAP_SYS_ADMIN))
		return found(f, GOOD, "may load programs");
	if (doctor_has_cap(CAP_BPF) && doctor_has_cap(CAP_PERFMON) && !doctor_kernel_before(6, 10))
		return found(f, GOOD, "may load programs (CAP_BPF and CAP_PERFMON)");
	remedy(f, "sudo etrace doctor, and sudo etrace run: the command itself then runs as you");
	if (doctor_kernel_before(6, 10))
		return found(f, BAD, "not root, and without the capability CAP_SYS_ADMIN, which kernels before 6.10 ask for");
	remedy(f, "\nor setcap cap_bpf,cap_perfmon+ep on a copy of etrace of your own");
	return found(f, BAD, "not root, and without the capabilities CAP_BPF and CAP_PERFMON");
}

enum result check_btf(struct finding *f)
{
	if (!access(BTF, R_OK))
		return found(f, GOOD, "available (" BTF ")");
	remedy(f, "a kernel with CONFIG_DEBUG_INFO_BTF=y");
	return found(f, BAD, "the kernel has no type information: no " BTF);
}

enum result check_bpf_config(struct finding *f)
{
	return doctor_config(f, BPF);
}

/* Only matters for users without capabilities. */
enum result check_unprivileged(struct finding *f)
{
	char line[8];

	if (!doctor_line("/proc/sys/kernel/unprivileged_bpf_disabled", line, sizeof(line)))
		return found(f, GOOD, "kernel.unprivileged_bpf_disabled does not exist (not needed)");
	return found(f, GOOD, "kernel.unprivileged_bpf_disabled is %s (makes no difference to etrace)", line);
}

#define MEMLOCK_WANTED	(256u << 20)

enum result check_memlock(struct finding *f)
{
	struct rlimit limit;

	if (!doctor_kernel_before(5, 11))
		return found(f, GOOD, "no limit for BPF since 5.11");
	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	    limit.rlim_cur >= MEMLOCK_WANTED)
		return found(f, GOOD, "the limit is high enough");
	if (doctor_has_cap(CAP_SYS_RESOURCE))
		return found(f, GOOD, "the limit will be raised");
	remedy(f, "ulimit -l unlimited, as root");
	return found(f, BAD, "at most %s may be locked, and kernels before 5.11 count what BPF needs",
		     text_bytes(limit.rlim_cur));
}

enum result check_lsms(struct finding *f)
{
	char line[256];

	if (!doctor_line("/sys/kernel/security/lsm", line, sizeof(line)))
		return found(f, GOOD, "list not readable (not needed)");
	return found(f, GOOD, "%s (all are fine)", *line ? line : "none");
}

/* ---- trying it ---- */

enum result check_bpf_session(struct finding *f)
{
	struct bpf_options opt = { .buffer = 65536 };
	struct session *s;
	char why[400];

	if (!bpf_available(why, sizeof(why)))
		return found(f, BAD, "%s", why);
	s = bpf_session_open(&opt, &doctor_nowhere, why, sizeof(why));
	if (!s)
		return found(f, BAD, "%s", why);
	session_close(s);
	return found(f, GOOD, "works");
}
