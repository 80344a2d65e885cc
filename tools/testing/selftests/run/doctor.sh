#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# description: etrace doctor: a machine without faults, and one with each fault

# Numbers and names without blanks need no quotes.
# shellcheck disable=SC2086
. "$(dirname "$0")/lib.sh"

# For the module, unless the other backend is named; remedies are not checked here.
doctor() { status "$etrace" doctor --backend="${1:-module}"; }

everything_works()
{
	is "status" "$(doctor)" 0
	has out "ok    rights"
	has out "ok    module session"
	hasnt out BAD
	is "verdict" "$(tail -n 1 out)" "etrace run --backend=module works here"
	wait_for no_sessions || fail "etrace doctor leaves a session open"
	is "status with --backend=bpf" "$(doctor bpf)" 0
	has out "ok    BPF rights"
	has out "ok    BPF types"
	has out "ok    unprivileged BPF"
	has out "ok    locked memory"
	has out "ok    LSMs"
	has out "ok    BPF session"
	is "verdict with --backend=bpf" "$(tail -n 1 out)" "etrace run --backend=bpf works here"
	is "status with --backend=auto" "$(doctor auto)" 0
	has out "works here, with the module"
	is "lines with colours when printed to a file" "$(grep -c "$(printf '\033')" out)" 0
}

without_root()
{
	is "status" "$(status setpriv --reuid 65534 --clear-groups --inh-caps=-all "$etrace" doctor)" 0
	has out "note  rights"
	has out "note  BPF rights"
	has out "ok    strace"
	# It must not report both a fault and that it works.
	hasnt out BAD
	is "verdict" "$(tail -n 1 out | cut -d' ' -f1-6)" "etrace run works here, with strace"
	has out sudo
	is "status without strace" "$(PATH=/none status /usr/bin/setpriv --reuid 65534 --clear-groups --inh-caps=-all "$etrace" doctor)" 1
	has out "BAD   strace: strace is not installed"
	is "verdict without strace" "$(tail -n 1 out)" "etrace run does not work here: fix the lines marked BAD"
}

no_tracefs()
{
	# In a separate mount namespace, so that the other tests keep tracefs.
	unshare -m sh -c "umount $TRACING && umount /sys/kernel/debug/tracing 2> /dev/null; $etrace doctor --backend=module > out 2> err"
	is "status" $? 1
	has out "BAD   tracefs"
	has out "mount -t tracefs"
}

unload()
{
	rmmod etrace 2> /dev/null
	[ ! -d /sys/module/etrace ] || fail "the module cannot be unloaded"
}

no_module()
{
	unload
	mkdir bin
	cp "$etrace" bin/
	is "status" "$(status bin/etrace doctor --backend=module)" 1
	has out "BAD   module"
	has out "make module"
	is "verdict" "$(tail -n 1 out)" "etrace run --backend=module does not work here: fix the lines marked BAD"
	# This does not matter where BPF works.
	is "status with --backend=auto" "$(status bin/etrace doctor)" 0
	has out "note  module"
	has out "works here, with BPF"
	hasnt out BAD
	is "status of run without --backend" "$(status bin/etrace run -q touch ran)" 0
	rm ran
	is "status of run" "$(status bin/etrace run --backend=module touch ran)" 125
	[ -e ran ] && fail "the command was run in spite of an error"
	has err "cannot load the module etrace: Module etrace not found in directory /lib/modules/"
	is "lines of the error message" "$(grep -c . err)" 1
}

wrong_module()
{
	unload
	mkdir bin
	cp "$etrace" "$BIN/etrace.ko" bin/
	# A module for another kernel; with symbol versions it might fit nevertheless.
	sed -i "s/vermagic=$(uname -r | cut -c1)/vermagic=9/; s/ modversions/ modversionz/" bin/etrace.ko
	is "status" "$(status bin/etrace doctor --backend=module)" 1
	has out "BAD   module"
	has out "is built for 9"
	is "status of run" "$(status bin/etrace run --backend=module touch ran)" 125
	has err "not built for this kernel"
}

module_there() { [ -d /sys/module/etrace ]; }

# A module that was loaded for a recording is unloaded after it, unless others need it.
module_loaded_on_demand()
{
	local first i

	unload
	is "status of run" "$(status "$etrace" run --backend=module test -d /sys/module/etrace)" 0
	hasnt err "stays loaded"
	module_there && fail "run leaves the module loaded"
	sleep 1000 &
	first=$!
	"$etrace" attach --backend=module -o a.fxt $first 2> err &
	wait_for grep -q 'recording process' err || fail "attach does not start"
	kill $first
	wait $!
	is "status of attach" $? 0
	module_there && fail "attach leaves the module loaded"
	is "status of doctor" "$(doctor)" 0
	module_there && fail "doctor leaves the module loaded"
	is "status of run with a missing command" \
		"$(status "$etrace" run --backend=module ./nosuch)" 127
	module_there && fail "a run whose command does not exist leaves the module loaded"

	is "status of run" "$(status "$etrace" run --backend=module --keep-module -q true)" 0
	module_there || fail "--keep-module does not keep the module loaded"
	is "status of run" "$(status "$etrace" run --backend=module true)" 0
	module_there || fail "run unloads a module that it has not loaded"
	unload

	# Another recording lasts longer than the one that loaded the module.
	"$etrace" run --backend=module -o 1.fxt sh -c 'until [ -e begun ]; do sleep 0.05; done' 2> err &
	first=$!
	wait_for module_there
	"$etrace" run --backend=module -q -o 2.fxt sh -c ': > begun; while kill -0 '$first'; do sleep 0.05; done 2> /dev/null'
	is "status of the run that found the module loaded" $? 0
	wait $first
	is "status of the run that loaded the module" $? 0
	has err "stays loaded: others use it; later: rmmod etrace"
	unload
	# Somebody traces with the parameter root_pid, without the device.
	is "status of run" "$(status "$etrace" run --backend=module sh -c 'echo $PPID > /sys/module/etrace/parameters/root_pid')" 0
	has err "stays loaded: it traces the tree of its root_pid"
	unload
	# The next recording begins while the previous one unloads the module.
	for i in 1 2 3 4 5; do
		"$etrace" run --backend=module -q -o 1.etrace true &
		until [ -e /dev/etrace ] || ! kill -0 $!; do :; done 2> /dev/null
		while [ -e /dev/etrace ] && kill -0 $!; do :; done 2> /dev/null
		is "status of run after run $i" "$(status "$etrace" run --backend=module -o 2.fxt true)" 0
		wait $!
	done
	# Two recordings that want to load the module at the same time.
	"$etrace" run --backend=module -q -o 1.fxt true & 
	"$etrace" run --backend=module -q -o 2.fxt true
	is "status of one" $? 0
	wait $!
	is "status of the run that found the module loaded" $? 0
}

# The rest cannot be undone, so this test is the last one of a boot.
lockdown_integrity()
{
	unload
	grep -q integrity /sys/kernel/security/lockdown 2> /dev/null || { skip "no lockdown"; return; }
	echo integrity > /sys/kernel/security/lockdown
	is "status" "$(doctor)" 1
	has out "BAD   signature"
	has out "mokutil --import"
	is "status with --backend=bpf" "$(doctor bpf)" 0
	is "status of run" "$(status "$etrace" run --backend=module touch ran)" 125
	[ -s err ] || fail "there is no error message"
}

lockdown_confidentiality()
{
	grep -q confidentiality /sys/kernel/security/lockdown 2> /dev/null || { skip "no lockdown"; return; }
	echo confidentiality > /sys/kernel/security/lockdown
	is "status" "$(doctor auto)" 0
	has out "note  lockdown"
	has out "works here, with strace"
	is "status of run" "$(PATH=/none status "$etrace" run /usr/bin/touch ran)" 125
	has err "bpf: the kernel is locked down (confidentiality)"
}

modules_disabled()
{
	unload
	echo 1 > /proc/sys/kernel/modules_disabled || { skip "modules_disabled cannot be set"; return; }
	is "status" "$(doctor)" 1
	has out "BAD   modules"
	has out "kernel.modules_disabled"
}

finish everything_works without_root no_tracefs no_module wrong_module module_loaded_on_demand lockdown_integrity lockdown_confidentiality modules_disabled
