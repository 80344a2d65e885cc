// SPDX-License-Identifier: LGPL-2.1
/* Checks which features of BPF the running kernel has.  See bpf_kernel.h. */
#include "record/bpf/bpf_kernel.h"
#include "record/bpf/bpf_session.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool bpf_kernel_old(const struct bpf_types *types)
{
	const struct btf_type *t = bpf_types_find(types, "bpf_func_id", BTF_KIND_ENUM);

	for (int i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(bpf_types_text(types, btf_enum(t)[i].name_off), "BPF_FUNC_loop"))
			return false;
	return true;
}

static bool has_cap(unsigned int cap)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	if (syscall(SYS_capget, &head, data))
		return false;
	return data[cap / 32].effective >> (cap % 32) & 1;
}

/* In this mode no BPF program may read kernel memory. */
static bool is_confidential(void)
{
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char line[128];
	bool is = f && fgets(line, sizeof(line), f) && strstr(line, "[confidentiality]");

	if (f)
		fclose(f);
	return is;
}

struct bpf_types *bpf_kernel_check(char *why, size_t size)
{
	struct bpf_types *types;

	if (is_confidential()) {
		snprintf(why, size, "the kernel is locked down (confidentiality): it refuses all tracing");
		return NULL;
	}

	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		snprintf(why, size, "the kernel does not tell its types (no /sys/kernel/btf/vmlinux): it needs CONFIG_DEBUG_INFO_BTF");
		return NULL;
	}
	if (!has_cap(CAP_SYS_ADMIN) && !(has_cap(CAP_BPF) && has_cap(CAP_PERFMON))) {
		snprintf(why, size, "BPF needs root, or the capabilities CAP_BPF and CAP_PERFMON");
		return NULL;
	}
	types = bpf_types_load();
	if (!types) {
		snprintf(why, size, "the kernel's types cannot be read: %s", strerror(errno));
		return NULL;
	}
	if (!bpf_types_has(types, "bpf_ringbuf_output")) {
		snprintf(why, size, "the kernel has no BPF ring buffer: 5.8 or later is needed");
		goto fail;
	}
#ifdef __aarch64__
	/* On arm64, the older programs cannot read a task's registers. */
	if (bpf_kernel_old(types)) {
		snprintf(why, size, "on arm64 the BPF programs need a kernel of 5.17 or later; the module does without");
		goto fail;
	}
#endif
	/*
	 * libbpf searches for functions that this kernel does not have among the
	 * types of its modules, which needs CAP_SYS_ADMIN.
	 */
	if (!has_cap(CAP_SYS_ADMIN) && !bpf_types_has(types, "bpf_preempt_disable")) {
		snprintf(why, size, "BPF needs root, or the capability CAP_SYS_ADMIN: on kernels before 6.10 CAP_BPF and CAP_PERFMON are not enough");
		goto fail;
	}
	return types;
fail:
	bpf_types_free(types);
	return NULL;
}

bool bpf_available(char *why, size_t size)
{
	struct bpf_types *types = bpf_kernel_check(why, size);
	bool can = types;

	bpf_types_free(types);
	return can;
}

bool bpf_kernel_perf(const struct bpf_types *types)
{
	/* The file that libbpf reads. */
	const char *id = access("/sys/kernel/debug/tracing", F_OK) ?
			 "/sys/kernel/tracing/events/raw_syscalls/sys_exit/id" :
			 "/sys/kernel/debug/tracing/events/raw_syscalls/sys_exit/id";

	return bpf_types_has_struct(types, "tracepoint_ext") &&
	       bpf_types_has(types, "bpf_task_from_pid") && bpf_types_has(types, "bpf_rdonly_cast") &&
	       !access(id, R_OK);
}

bool bpf_kernel_probes(void)
{
	return has_cap(CAP_SYS_ADMIN) &&
	       !access("/sys/bus/event_source/devices/kprobe/type", R_OK);
}

bool bpf_kernel_storage(void)
{
	struct bpf_map_create_opts opts = {
		.sz = sizeof(opts),
		.map_flags = BPF_F_NO_PREALLOC,
	};
	int map, task, err = -1;
	struct btf *btf = btf__new_empty();
	uint64_t value = 0;

	if (!btf)
		return false;
	opts.btf_key_type_id = (uint32_t)btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	opts.btf_value_type_id = (uint32_t)btf__add_int(btf, "u64", 8, 0);
	if (!btf__load_into_kernel(btf)) {
		opts.btf_fd = (uint32_t)btf__fd(btf);
		map = bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, "etrace_try", 4, 8, 0,
				     &opts);
		task = (int)syscall(SYS_pidfd_open, getpid(), 0);
		if (map >= 0 && task >= 0)
			err = bpf_map_update_elem(map, &task, &value, BPF_NOEXIST);
		if (task >= 0)
			close(task);
		if (map >= 0)
			close(map);
	}
	btf__free(btf);
	return !err;
}

bool bpf_kernel_memory(uint32_t bytes)
{
	FILE *f = fopen("/proc/meminfo", "re");
	uint64_t kb = UINT64_MAX;
	char line[128];

	while (f && fgets(line, sizeof(line), f) &&
	       sscanf(line, "MemAvailable: %" SCNu64, &kb) != 1)
		;
	if (f)
		fclose(f);
	return bytes >> 10 < kb;
}
