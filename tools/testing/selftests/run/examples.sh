#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# description: the examples of other tools that read the module's trace events

. "$(dirname "$0")/lib.sh"

examples=$BIN/examples
parameter=/sys/module/etrace/parameters/root_pid

loaded() { [ -e "$parameter" ] || insmod "$BIN/etrace.ko"; }

# A build whose programs and files are known: make copies a file three times, without a shell.
build()
{
	# The previous test may just be unloading the module: load it again.
	wait_for loaded || fail "the module cannot be loaded: $(dmesg | tail -n 2)"
	printf 'all: a b c\na b c:\n\tcp /etc/hostname $@\n' > Makefile
}

# worked STATUS: fail with the example's messages if it did not work.
worked() { [ "$1" = 0 ] || fail "status $1: $(tail -n 3 err | xargs -d '\n')"; }

# After each example, nothing is traced.
over() { is "root_pid" "$(cat "$parameter")" 0; }

bpftrace_counts_programs()
{
	build
	# Where bpftrace does not find the types by itself: 0.17 on 5.10.
	export BPFTRACE_BTF=/sys/kernel/btf/vmlinux
	bpftrace -c "/bin/sh $examples/traced /usr/bin/make" "$examples/programs.bt" > out 2> err
	worked $?
	echo 0 > "$parameter"
	has out "/usr/bin/cp]: count 3, "
	has out "/usr/bin/make]: count 1, "
	is "programs that bpftrace counts" "$(grep -c '\]: count' out)" 2
	hasnt out "@path"
	# make waits for the others, so it takes longer than all of them.
	is "whether make takes longer than cp, and cp some time" \
		"$(sed -n 's/.*bin\/\(.*\)\]: .* total \(.*\)/\1 \2/p' out |
		awk '{ us[$1] = $2 } END { print (us["make"] > us["cp"] && us["cp"] > 0) }')" 1
}

trace_cmd_lists_files()
{
	build
	"$examples/written.sh" make > out 2> err
	worked $?
	over
	is "files that trace-cmd lists" "$(sed 's/^ *//' out | sort | xargs -d '\n')" \
		"1 cp $PWD/a 1 cp $PWD/b 1 cp $PWD/c"
}

perf_counts()
{
	build
	"$examples/counts.sh" make > out 2> err
	worked $?
	over
	is "counts of exec, clone and exit" \
		"$(grep -E ' (exec|clone|exit)$' out | sort -k 2 | xargs)" \
		"3 clone 4 exec 4 exit"
	# As many as etrace run records.
	rm a b c
	"$etrace" run -q --backend=module --strict -o t.json -- make > /dev/null || fail "etrace run fails"
	is "counts of opens" "$(sed -n 's/ open$//p' out)" "$(grep -c '"event":"open"' t.json)"
}

finish bpftrace_counts_programs trace_cmd_lists_files perf_counts
