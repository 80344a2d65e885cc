# SPDX-License-Identifier: GPL-2.0
# Top-level build of etrace.  "make" builds the module and userspace, or what of
# both can be built here, and says what it left out; everything generated goes
# to build/ (kbuild's own output excepted).

KVER	?= $(shell uname -r)
KDIR	?= /lib/modules/$(KVER)/build
BUILD	?= $(CURDIR)/build
export BUILD
PREFIX	?= /usr/local
# Debian has $(PREFIX)/lib/$(shell gcc -print-multiarch), others lib64.
LIBDIR	?= $(PREFIX)/lib
PROGRAMS = etrace etrace-read
# What ARCH asks for beside this machine's.
OTHER_ARCH = $(filter-out amd64 x86_64,$(ARCH))

# Who names a KDIR wants the module.
ifeq ($(origin KDIR)$(wildcard $(KDIR)/Makefile),file)
NO_HEADERS := there are no headers of kernel $(KVER); for them: apt-get install linux-headers-$(KVER)
SAY_LEFT_OUT = @echo 'etrace.ko is left out: $(NO_HEADERS)'
endif
# What goes without a module, too.
MODULE	= $(if $(NO_HEADERS),,$(1))

all: $(call MODULE,module) user
	$(SAY_LEFT_OUT)

module:
	$(if $(NO_HEADERS),$(error $(NO_HEADERS)))
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

user:
	$(MAKE) -C user

# Below DESTDIR: the module for the kernel of KDIR, programs, pages, completions.
install: $(call MODULE,install-module) install-user
	$(SAY_LEFT_OUT)

install-module: module
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_PATH=$(DESTDIR) \
		INSTALL_MOD_DIR=extra modules_install

install-user: user
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(patsubst %,$(BUILD)/user/%,$(PROGRAMS)) $(DESTDIR)$(PREFIX)/bin
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/include
	install -m 755 $(BUILD)/user/lib/libetrace.so.1 $(DESTDIR)$(LIBDIR)
	ln -sf libetrace.so.1 $(DESTDIR)$(LIBDIR)/libetrace.so
	install -m 644 $(BUILD)/user/lib/libetrace.a $(DESTDIR)$(LIBDIR)
	install -m 644 $(BUILD)/user/lib/etrace.h $(DESTDIR)$(PREFIX)/include
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' $(BUILD)/user/lib/libetrace.pc \
		> $(DESTDIR)$(LIBDIR)/pkgconfig/libetrace.pc
	for page in Documentation/*.[1-8]; do \
		install -D -m 644 $$page \
			$(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/}; \
	done
	install -D -m 644 user/completion/etrace.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/etrace
	install -D -m 644 user/completion/_etrace \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_etrace

# The Debian packages and their source, in build/deb, of what git has here.
deb:
	tools/deps build deb
	tools/package/deb

# One file that runs on any Linux from 5.10 on, by BPF.  ARCH=arm64: for that one, by
# Debian's cross compilers, which are fetched and not installed.
static:
	tools/deps build static
	$(addprefix tools/testing/vm/cross ,$(OTHER_ARCH)) \
		$(MAKE) static-program STATIC_DIR=$(BUILD)/static

STATIC_DIR = $(BUILD)/static
static-program:
	$(MAKE) -C user STATIC=1 programs
	install -D -s --strip-program=$(or $(STRIP),strip) -m 755 $(BUILD)/user-static/etrace \
		$(STATIC_DIR)/etrace-$(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))

unit:
	$(MAKE) -C tools/testing/unit check

# Installs the Debian packages that the build needs and this machine lacks; what
# other targets need beside, they install themselves (tools/deps.list).
deps:
	tools/deps build

# make check STAGES="unit sparse" runs only these.
check:
	tools/deps build check vm
	tools/testing/check.sh $(STAGES)

# Every test, on every kernel, by every backend.
WHOLE	= kernels=$$(tools/testing/vm/kernel --list check all | xargs) && \
	KERNELS=$$kernels BPF_KERNELS=$$kernels COMPARE=all LONG=y

# What a change to kernel/ or user/bpf/ has to pass.
check-kernels:
	tools/deps build check vm
	$(WHOLE) tools/testing/check.sh module sparse selftests run bpf

# All that does not fit into the 30 minutes of make check: each stage whole, kernels with
# debugging, costs, fuzzing.  A release passes it.
check-all:
	tools/deps build deb static check vm debug bench fuzz
	$(WHOLE) tools/testing/check.sh
	$(MAKE) check-arm64
	$(MAKE) check-property
	$(MAKE) check-debug
	$(MAKE) bench
	$(MAKE) bench-memory
	$(MAKE) bench-kernel
	$(MAKE) bench-kernel ARCH=arm64
	$(MAKE) bench-run
	$(MAKE) fuzz

# The selftests on kernels with lockdep, and with KASAN and kmemleak; these are
# built first, which takes some ten minutes each.
check-debug:
	tools/deps build check vm debug
	KERNELS=$$(tools/testing/vm/kernel --list debug | xargs) LIMIT=3600 tools/testing/check.sh selftests

# The module, and the programs with both backends, in emulated guests with arm64
# kernels, for which all is built here by Debian's cross compilers.  KERNELS: only these.
check-arm64:
	tools/deps build check vm arm64
	kernels="$(or $(KERNELS),$$(tools/testing/vm/kernel --list arm64 | xargs))" && \
		KERNELS=$$kernels BPF_KERNELS=$$kernels LONG=y LIMIT=3600 \
		tools/testing/vm/cross arm64 tools/testing/check.sh module selftests run bpf

# A container image is built by podman in a guest, and recorded in all ways.
check-containers:
	tools/deps build check vm
	LONG=y tools/testing/check.sh containers

# Random graphs of programs, new ones each time or those of SEEDS, recorded by module
# and by BPF: are the answers what is known?
check-property:
	tools/deps build check vm
	tools/testing/answers/property-record $(SEEDS)

# Documentation/pictures, anew: views of the page, and a terminal.
pictures: user
	tools/deps build page
	rm -rf $(BUILD)/pictures && mkdir -p $(BUILD)/pictures
	LONG=y PATH="$(BUILD)/user:$$PATH" tools/testing/page/pages $(BUILD)/pictures
	PATH="$(BUILD)/user:$$PATH" tools/testing/page/pictures.py $(BUILD)/pictures Documentation/pictures

demo:
	tools/deps build vm
	tools/testing/demo/demo.sh

# An answer at once: a small build, recorded by strace, without privileges or a guest.
demo-native:
	tools/deps build native
	$(MAKE) user
	tools/testing/demo/native.sh

# What reading costs in instructions an event, in limits, and how fast
# etrace-read is, beside wc -l; and that its memory does not grow with the length
# of a trace.
bench:
	tools/deps build bench
	$(MAKE) -C tools/testing/bench read speed

bench-memory:
	tools/deps build bench
	$(MAKE) -C tools/testing/bench memory

# Each input format for a minute; SECONDS=600 for longer.
fuzz:
	tools/deps build fuzz
	$(MAKE) -C tools/testing/fuzz

# Do the unit tests see a mistake?  N changes of one token each, of FILES or of
# all; SEED draws others.
mutate:
	tools/deps build check
	tools/testing/mutate/mutate.py -n $(or $(N),100) --seed $(or $(SEED),1) $(FILES)

# What a traced system call costs, in instructions of a guest.  ARCH=arm64: of one of
# that architecture.
bench-kernel:
	tools/deps build vm $(OTHER_ARCH)
	tools/testing/bench/kernel-cost/run $(OTHER_ARCH:%=%-6.1)

# What etrace run adds to real compilations, beside strace.
bench-run:
	tools/deps build vm
	tools/testing/bench/run-cost/run

.PHONY: demo-native pictures mutate bench bench-memory fuzz bench-kernel bench-run all module user deb static static-program install install-module install-user unit deps check check-all check-kernels check-debug check-arm64 check-containers check-property demo
