# SPDX-License-Identifier: GPL-2.0
# The BPF backend, included by ../Makefile: the object for the kernel, the
# skeleton around it, and its loader, all in libetrace.a. Without the tools
# for it, or with BPF=0, userspace is still built, but reports that it has no
# BPF backend.

# This file is included before the default rule.
.DEFAULT_GOAL := all

# It may be in a directory that is not in PATH.
BPFTOOL := $(shell PATH=$$PATH:/usr/sbin:/sbin command -v bpftool)
BPF_MISSING := $(if $(shell command -v clang),,clang) \
	       $(if $(BPFTOOL),,bpftool) \
	       $(if $(shell pkg-config --exists libbpf && echo yes),,libbpf-dev)
BPF_TEXT := $(wildcard record/bpf/*.bpf.c record/bpf/*.bpf.h record/bpf/kernel_types.h record/bpf/bpf_abi.h \
	      $(TOP)/kernel/*.def $(TOP)/kernel/etrace_rules.h $(TOP)/kernel/etrace_cost.h)

ifeq ($(strip $(call without,BPF,$(BPF_MISSING))),)
BPF_NAMES := bpf_session programs uring bpf_kernel bpf_types bpf_rec bpf_text link_target mounts rows numbers_native numbers_compat
BPF_LIBS := $(shell pkg-config $(PC_LIBS) libbpf)
else
BPF_NAMES := bpf_none bpf_rec bpf_text mounts
SAY_BPF := $(call say_left_out,The BPF backend,BPF,$(strip $(BPF_MISSING)))
endif

LIB_O += $(patsubst %,$(OUT)/record/bpf/%.o,$(BPF_NAMES))
ALL_CFLAGS += -I$(OUT)/record/bpf
ALL_LIBS += $(BPF_LIBS)

# The architecture of the kernels: the one that $(CC) compiles for.
BPF_MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
BPF_ARCH := $(if $(filter aarch64,$(BPF_MACHINE)),arm64,x86)

# One object for all kernels from 5.17 on, one for older kernels. They do not depend on the
# building machine or on the build directory. If gcc-multilib is installed, /usr/include/asm
# is for the building machine, so the directory of the other architecture must come first.
$(OUT)/record/bpf/etrace.bpf.o: OLD = 0
$(OUT)/record/bpf/etrace_old.bpf.o: OLD = 1
$(OUT)/record/bpf/%.bpf.o: $(BPF_TEXT) record/bpf/bpf.mk
	@mkdir -p $(dir $@)
	clang -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -DOLD=$(OLD) -g -O2 $(WARNINGS) -Wno-unused-parameter \
		-fdebug-compilation-dir=. -I. -I.. -isystem $(SYSROOT)/usr/include/$(BPF_MACHINE)-linux-gnu \
		-c -o $@ record/bpf/etrace.bpf.c

# Generated code: not checked by clang-tidy.
$(OUT)/record/bpf/%.skel.h: $(OUT)/record/bpf/%.bpf.o
	echo '// NOLINTBEGIN' > $@.new
	$(BPFTOOL) gen skeleton $< name $*_bpf >> $@.new
	echo '// NOLINTEND' >> $@.new
	mv $@.new $@

$(OUT)/record/bpf/bpf_session.o $(OUT)/record/bpf/programs.o $(OUT)/record/bpf/uring.o: $(OUT)/record/bpf/etrace.skel.h
$(OUT)/record/bpf/programs.o: $(OUT)/record/bpf/etrace_old.skel.h $(OUT)/record/bpf/same

# Both skeletons must have the same layout, since programs.c uses one struct for both.
$(OUT)/record/bpf/same: $(OUT)/record/bpf/etrace.skel.h $(OUT)/record/bpf/etrace_old.skel.h
	sed '/elf_bytes(size_t \*sz)$$/q' $< > $@.new
	sed 's/etrace_old_bpf/etrace_bpf/g; s/ETRACE_OLD_BPF/ETRACE_BPF/g; s/etrace_o\./etrace_b./; /elf_bytes(size_t \*sz)$$/q' \
		$(OUT)/record/bpf/etrace_old.skel.h | cmp - $@.new
	mv $@.new $@

# Names of the kernel types that the programs use.
$(OUT)/record/bpf/bpf_types.o: $(OUT)/include/record/bpf/kernel_names.h
$(OUT)/include/record/bpf/kernel_names.h: record/bpf/kernel_types.h record/bpf/bpf.mk
	@mkdir -p $(dir $@)
	sed -nE 's/^struct ([a-z0-9_]+) \{$$/\1/p; s/^\} ([a-z0-9_]+)(, [a-z0-9_]+)*;$$/\1\2/p' $< | \
		sed 's/, /\n/g; s/___.*//' | LC_ALL=C sort -u | sed 's/.*/"&",/' > $@.new
	mv $@.new $@

# All generated headers of this directory.
.PHONY: bpf-headers
bpf-headers: $(addprefix $(OUT)/,record/bpf/etrace.skel.h record/bpf/etrace_old.skel.h include/record/bpf/kernel_names.h)

# For the tests in tools/testing/selftests/bpf.
.PHONY: bpf-record bpf-serve
bpf-record bpf-serve: %: $(OUT)/%
$(OUT)/bpf-record $(OUT)/bpf-serve: $(OUT)/bpf-%: $(TOP)/tools/testing/selftests/bpf/%.c \
		$(OUT)/libetrace.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)
