# SPDX-License-Identifier: GPL-2.0
# Top-level build of etrace.  "make" builds the module and userspace, or the parts that can be
# built here, and reports what it left out; all outputs go to build/, except for those of kbuild.
# All CPUs are used unless -j gives a number.

empty	:=
space	:= $(empty) $(empty)
KVER	?= $(shell uname -r)
KDIR	?= /lib/modules/$(KVER)/build
BUILD	?= build
# Makefiles and scripts in other directories get the absolute path.
ifeq ($(filter /%,$(firstword $(BUILD))),)
HERE	:= $(subst $(space),\$(space),$(CURDIR))
MAKEOVERRIDES := $(subst BUILD=$(BUILD),BUILD=$(HERE)/$(BUILD),$(MAKEOVERRIDES))
override BUILD := $(CURDIR)/$(BUILD)
endif
export BUILD
# Only recipes know about -j.
JOBS	= $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
PREFIX	?= /usr/local
# Debian has $(PREFIX)/lib/$(shell gcc -print-multiarch), others lib64.
LIBDIR	?= $(PREFIX)/lib
PROGRAMS = etrace etrace-read
DEST	= $(DESTDIR)$(PREFIX)
DESTLIB	= $(DESTDIR)$(LIBDIR)
# The place where bin/etrace looks for it: user/cli/external.c.
FLEET	= libexec/etrace/etrace-fleet
PAGES	= $(notdir $(wildcard Documentation/*.[1-8]))
# page_file PAGE: its path; those of programs are built
page_file = $(if $(filter %.1,$1),"$(BUILD)/user/man/$1",Documentation/$1)
# man_of PAGE: its path below DEST
man_of	= share/man/man$(subst .,,$(suffix $1))/$1
# ARCH, unless it is this machine's.
OTHER_ARCH = $(filter-out amd64 x86_64,$(ARCH))

# If KDIR is given, the module is required.
ifneq ($(word 2,$(CURDIR)),)
NO_MODULE := kbuild cannot build in a directory with a space in its name: $(CURDIR)
else ifeq ($(origin KDIR)$(wildcard $(KDIR)/Makefile),file)
NO_MODULE := there are no headers of kernel $(KVER); for them: apt-get install linux-headers-$(KVER)
endif
SAY_LEFT_OUT = $(if $(NO_MODULE),@echo 'etrace.ko is left out: $(NO_MODULE)')
# MODULE TARGET: left out if the module cannot be built.
MODULE	= $(if $(NO_MODULE),,$(1))

.DEFAULT_GOAL := all

help:	## list the targets
	@awk -F ':[^#]*## ' '/^[a-z0-9-]+:.*## / && $$2 != "internal" { printf("%-18s%s\n", $$1, $$2) }' Makefile

all: $(call MODULE,module) user	## what can be built here of the module and the programs
	$(SAY_LEFT_OUT)

module:	## the module, for the kernel of KDIR, or of KVER
	$(if $(NO_MODULE),$(error $(NO_MODULE)))
	$(MAKE) $(JOBS) -C $(KDIR) M=$(CURDIR) modules

user:	## the programs and libetrace; user/Makefile lists variables
	$(MAKE) $(JOBS) -C user

pages: user	## the programs and their man pages
	$(MAKE) -C user pages

# Install the module for the kernel of KDIR, programs, man pages and completions below DESTDIR.
install: $(call MODULE,install-module) install-user	## install the module and what install-user installs
	$(SAY_LEFT_OUT)

install-module: module	## install the module
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_PATH=$(DESTDIR) \
		INSTALL_MOD_DIR=extra modules_install

install-user: pages	## install programs, libetrace, man pages, completions (DESTDIR, PREFIX, LIBDIR)
	install -d "$(DEST)/bin" "$(DESTLIB)/pkgconfig" "$(DEST)/include"
	install -m 755 $(PROGRAMS:%="$(BUILD)"/user/%) "$(DEST)/bin"
	[ ! -e "$(BUILD)/user/etrace-fleet" ] || \
		install -D -m 755 "$(BUILD)/user/etrace-fleet" "$(DEST)/$(FLEET)"
	install -m 755 "$(BUILD)/user/lib/libetrace.so.1" "$(DESTLIB)"
	ln -sf libetrace.so.1 "$(DESTLIB)/libetrace.so"
	install -m 644 "$(BUILD)/user/lib/libetrace.a" "$(DESTLIB)"
	install -m 644 "$(BUILD)/user/lib/etrace.h" "$(DEST)/include"
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' "$(BUILD)/user/lib/libetrace.pc" \
		> "$(DESTLIB)/pkgconfig/libetrace.pc"
	$(foreach page,$(PAGES),{ [ ! -e $(call page_file,$(page)) ] || install -D -m 644 $(call page_file,$(page)) \
		"$(DEST)/$(call man_of,$(page))"; } &&) :
	install -D -m 644 user/completion/etrace.bash \
		"$(DEST)/share/bash-completion/completions/etrace"
	install -D -m 644 user/completion/_etrace \
		"$(DEST)/share/zsh/site-functions/_etrace"

# Remove what was installed with the same DESTDIR, PREFIX, LIBDIR and KDIR; directories stay.
uninstall: $(call MODULE,uninstall-module)	## remove what install installed
	cd "$(DEST)" && rm -f $(PROGRAMS:%=bin/%) $(FLEET) include/etrace.h \
		$(foreach page,$(PAGES),$(call man_of,$(page))) \
		share/bash-completion/completions/etrace share/zsh/site-functions/_etrace
	cd "$(DESTLIB)" && rm -f libetrace.so libetrace.so.1 libetrace.a pkgconfig/libetrace.pc

uninstall-module:	## remove what install-module installed
	release=$$(cat $(KDIR)/include/config/kernel.release) && \
		rm -f "$(DESTDIR)"/lib/modules/$$release/extra/etrace.ko* && \
		{ [ -n "$(DESTDIR)" ] || depmod $$release; }

# Build the packages from the files that git tracks.
deb:	## Debian packages, in build/deb
	tools/deps build deb
	tools/package/deb

# A single file that runs on any Linux from 5.10 on, with BPF.  ARCH=arm64: built with Debian's
# cross compilers, which are fetched, but not installed.
static:	## etrace as one file without libraries, in build/static (ARCH)
	tools/deps build static
	$(addprefix tools/testing/vm/cross ,$(OTHER_ARCH)) \
		$(MAKE) static-program STATIC_DIR='$(BUILD)/static'

STATIC_DIR = $(BUILD)/static
static-program:	## internal
	$(MAKE) $(JOBS) -C user STATIC=1 programs
	install -D -s --strip-program=$(or $(STRIP),strip) -m 755 "$(BUILD)/user-static/etrace" \
		"$(STATIC_DIR)"/etrace-$(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))

unit:	## the unit tests (T, SAN, LONG)
	$(MAKE) -C tools/testing/unit check

# Install the Debian packages that the build needs and this machine lacks; other targets install
# their additional ones themselves (tools/deps.list).
deps:	## install the packages that the build needs, with apt
	tools/deps build

# make check STAGES="unit sparse" only runs these.
check:	## the tests, in less than 30 minutes (STAGES, KERNELS, TESTS)
	tools/deps build check vm
	tools/testing/check.sh $(STAGES)

# Every test, on every kernel, with every backend.
WHOLE	= kernels=$$(tools/testing/vm/kernel --list check all | xargs) && \
	KERNELS=$$kernels BPF_KERNELS=$$kernels COMPARE=all LONG=y

# Changes to kernel/ or user/record/bpf/ must pass this.
check-kernels:	## what a change to kernel/ or the BPF backend must pass: every kernel
	tools/deps build check vm
	$(WHOLE) tools/testing/check.sh module sparse selftests run bpf

# Also everything that takes too long for make check: complete stages, debug kernels, costs,
# fuzzing.  A release must pass it.
check-all:	## every test, which takes hours; a release passes it
	tools/deps build deb static check vm debug bench fuzz
	$(WHOLE) tools/testing/check.sh
	$(MAKE) check-arm64
	$(MAKE) check-property
	$(MAKE) check-compdb
	$(MAKE) check-debug
	$(MAKE) bench
	$(MAKE) bench-memory
	$(MAKE) bench-kernel
	$(MAKE) bench-kernel ARCH=arm64
	$(MAKE) bench-run
	$(MAKE) fuzz

# The selftests on kernels with lockdep, and with KASAN and kmemleak; building each of these
# kernels takes some ten minutes.
check-debug:	## the module's tests on kernels with lockdep and KASAN
	tools/deps build check vm debug
	KERNELS=$$(tools/testing/vm/kernel --list debug | xargs) LIMIT=3600 tools/testing/check.sh selftests

# The module, and the programs with both backends, in emulated guests with arm64 kernels.  All is
# built here with Debian's cross compilers.  KERNELS: only these.
check-arm64:	## module and backends in arm64 guests (KERNELS)
	tools/deps build check vm arm64
	kernels="$(or $(KERNELS),$$(tools/testing/vm/kernel --list arm64 | xargs))" && \
		KERNELS=$$kernels BPF_KERNELS=$$kernels LONG=y LIMIT=3600 \
		tools/testing/vm/cross arm64 tools/testing/check.sh module selftests run bpf

# podman builds a container image in a guest, and all ways to record it are tested.
check-containers:	## record a container image while it is built
	tools/deps build check vm
	LONG=y tools/testing/check.sh containers

# Random graphs of programs, new ones each time or those of SEEDS, recorded with the module and
# with BPF: are the answers correct?
check-property:	## answers about random graphs of programs (SEEDS)
	tools/deps build check vm
	tools/testing/answers/property-record $(SEEDS)

# Real projects, or those of PROJECTS, built under strace: do their compile commands agree with
# their build system, or with Bear?  And do the compilers installed here agree with the command
# tables of the unit tests?
check-compdb:	## compile commands of real projects (PROJECTS)
	tools/deps build check projects
	tools/testing/command-cases
	tools/testing/answers/compdb-projects $(PROJECTS)

# Make Documentation/pictures again: views of the page, and a terminal.
pictures: user	## make Documentation/pictures anew
	tools/deps build page
	rm -rf $(BUILD)/pictures && mkdir -p $(BUILD)/pictures
	LONG=y PATH="$(BUILD)/user:$$PATH" tools/testing/page/pages $(BUILD)/pictures
	PATH="$(BUILD)/user:$$PATH" tools/testing/page/pictures.py $(BUILD)/pictures Documentation/pictures

# Record a real build in a guest with the module, and show what etrace knows about it.
demo:	## record a real build in a guest, with the module
	@echo "== Installing what is missing of the packages that this needs (about 30 s for all of them)"
	@tools/deps programs demo
	@tools/testing/demo/demo.sh

# A quick demonstration: record a small build with strace, without privileges or a guest.
demo-native:	## record a small build with strace, at once
	@tools/deps programs native
	@echo "== Building etrace without BPF (about 35 s with two processors)"
	@$(MAKE) -s $(JOBS) -C user programs BPF=0
	@tools/testing/demo/native.sh

# Measure instructions per event for reading, for making a database and for each answer, against
# limits; the memory of the answers for 10,000,000 events; and the speed of etrace-read, compared
# with wc -l.
bench:	## cost and speed of reading and of answers
	tools/deps build bench
	$(MAKE) -C tools/testing/bench read speed db

bench-memory:	## memory that answers take
	tools/deps build bench
	$(MAKE) -C tools/testing/bench memory

# Fuzz each input format for a minute; SECONDS=600 for longer.
fuzz:	## fuzz each input format for a minute (SECONDS)
	tools/deps build fuzz
	$(MAKE) -C tools/testing/fuzz

# Do the unit tests notice mistakes?  Make N changes of one token each, in FILES or in all; SEED
# selects others.
mutate:	## do the unit tests notice mistakes? (N, SEED, FILES)
	tools/deps build check
	tools/testing/mutate/mutate.py -n $(or $(N),100) --seed $(or $(SEED),1) $(FILES)

# The cost of a traced system call, in instructions of a guest.  ARCH=arm64: of an arm64 guest.
bench-kernel:	## cost of a traced system call (ARCH)
	tools/deps build vm $(OTHER_ARCH)
	tools/testing/bench/kernel-cost/run $(OTHER_ARCH:%=%-6.1)

# The cost of etrace run for real compilations, compared with strace.
bench-run:	## what etrace run adds to compilations
	tools/deps build vm
	tools/testing/bench/run-cost/run

.PHONY: help demo-native pictures mutate bench bench-memory fuzz bench-kernel bench-run all module user pages deb static static-program install install-module install-user uninstall uninstall-module unit deps check check-all check-kernels check-debug check-arm64 check-containers check-property check-compdb demo
