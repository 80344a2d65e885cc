# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For stages that do not print TAP themselves: one result for each command.

# shellcheck disable=SC2034

set -u
export BUILD=${BUILD:-$PWD/build} LONG=${LONG:-}
# The stages build from scratch in their own directory.
CHECK_BUILD=$BUILD/check/build
VM=tools/testing/vm
results=0

# result STATUS NAME: 0 is a pass, 4 a skip, anything else a failure.
result()
{
	results=$((results + 1))
	case $1 in
	0) echo "ok $results $2" ;;
	4) echo "ok $results $2 # SKIP" ;;
	*) echo "not ok $results $2" ;;
	esac
}

# try NAME COMMAND...: run it and print a result, with its output.  The output is not TAP, so keep
# it from looking like TAP.
try()
{
	local name=$1 status
	shift
	echo "--- $name"
	"$@" 2>&1 | sed 's/^/| /'
	status=${PIPESTATUS[0]}
	result "$status" "$name"
	return "$status"
}

# read_results PREFIX: a result for each line "ok: NAME", "not ok: NAME" or "skip: NAME" of the
# input, and a failure if there is no such line.
read_results()
{
	local before=$results line

	while IFS= read -r line || [ "$line" ]; do
		case $line in
		'ok: '*) result 0 "$1${line#ok: }" ;;
		'not ok: '*) result 1 "$1${line#not ok: }" ;;
		'skip: '*) result 4 "$1${line#skip: }" ;;
		*) printf '| %s\n' "$line" ;;
		esac
	done
	[ "$results" -gt "$before" ] || result 1 "$1no results"
}

# results_of PREFIX COMMAND...: the same for the output of a command, and a failure if it fails or
# takes too long.  All processes that it started are ended.
results_of()
{
	local prefix=$1 limit=${TEST_LIMIT:-1200}

	shift
	read_results "$prefix" < <(tools/testing/limited "$limit" "$@" 2>&1
		case $? in
		0) ;;
		124) echo "not ok: took longer than $limit s" ;;
		*) echo "not ok: exits with $?" ;;
		esac)
}

# quiet COMMAND...: fails if the command fails or warns.
quiet()
{
	local log status
	log=$(mktemp)
	"$@" > "$log" 2>&1
	status=$?
	cat "$log"
	if [ "$status" = 0 ] && grep -qi 'warning' "$log"; then
		status=1
	fi
	rm -f "$log"
	return "$status"
}

# module KERNEL [MAKE-ARGUMENT]...: build it with the strictest options; every stage uses the same,
# so it is built once.
module() { BUILD=$CHECK_BUILD "$VM/module" "$1" W=1 KCFLAGS=-Werror "${@:2}"; }

# release KERNEL: print its name in the table and its version.
release() { echo "$1 ($("$VM/kernel" "$1" version))"; }

# go_on: let check.sh start the next stage, in parallel with the rest of this one.
go_on()
{
	{ echo on >&9; } 2> /dev/null
	exec 9>&-
}

# beside: the rest of this stage keeps one CPU busy and builds nothing that other stages build, so
# it takes a place among the guests, and the next stage starts.
beside()
{
	lane
	go_on
}

# start_on_kernels KERNELS TITLE PAYLOAD COMMAND...: run COMMAND in a guest of each kernel, with
# the directory PAYLOAD.  It contains the kernel's etrace.ko, stripped as if installed, except for
# the kernels of $MODULELESS.  Does not wait for the last guests; finish_on_kernels does.
guests=() titles=() guest_options=()	# of vm/run

# lane: wait for one of the places for guests and for stages that run beside others, and take it:
# it is taken as long as descriptor $lane is open.  There is one place more than CPUs, because each
# waits much of the time.
lane()
{
	local i

	mkdir -p "$BUILD/check"
	while :; do
		for i in $(seq $(($(nproc) + 1))); do
			exec {lane}> "$BUILD/check/lane-$i"
			flock -n "$lane" && return
			exec {lane}>&-
		done
		sleep 1
	done
}

start_on_kernels()
{
	local kernels=$1 title=$2 payload=$3 kernel dir ko log status
	shift 3
	for kernel in $kernels; do
		dir=$payload-on/$kernel/${payload##*/}
		log=$BUILD/check/${payload##*/}-$kernel
		guests+=("$log") titles+=("$title on $(release "$kernel")")
		rm -rf "$dir" "$log.status"
		mkdir -p "${dir%/*}"
		cp -al "$payload" "$dir"
		if [[ " ${MODULELESS:-} " != *" $kernel "* ]] &&
			{ ! ko=$(module "$kernel" 2> "$log.log") || ! strip -g -o "$dir/etrace.ko" "$ko"; }; then
			echo "Bail out! the module does not build for $kernel" >> "$log.log"
			continue
		fi
		lane
		{
			# Retry if the clock ran too fast, which may have caused time-outs.
			for _ in 1 2; do
				# With slab_nomerge, the module has its own caches, so that leaks
				# are found.  Debian only has x32 on request.
				"$VM/run" -k "$kernel" "${guest_options[@]}" --strict -a "slab_nomerge syscall.x32=y" -t "${LIMIT:-2600}" \
					-d "$dir" -l "$log.console" -- "$@" > "$log.log" 2>&1
				status=$?
				[ "$status" = 251 ] || break
				echo "the clock of a guest on $kernel ran too fast: see $log.log" >&2
			done
			echo "$status" > "$log.status"
		} 9>&- &
		exec {lane}>&-
	done
}

# One result for each guest.
finish_on_kernels()
{
	local i

	# no more guests will be started
	go_on
	wait
	for i in "${!guests[@]}"; do
		sed 's/^/# /' "${guests[i]}.log"
		result "$(cat "${guests[i]}.status" 2> /dev/null || echo 1)" "${titles[i]}"
	done
}

# skip REASON: skip the whole stage.
skip() { echo "$*"; exit 4; }
