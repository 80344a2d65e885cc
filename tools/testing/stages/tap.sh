# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For the stages that are no TAP programs themselves: one result per command.

# shellcheck disable=SC2034

set -u
export BUILD=${BUILD:-$PWD/build} LONG=${LONG:-}
# The stages build in a place of their own, from nothing.
CHECK_BUILD=$BUILD/check/build
VM=tools/testing/vm
results=0

# result STATUS NAME: 0 is a pass, 4 a skip, all else a failure.
result()
{
	results=$((results + 1))
	case $1 in
	0) echo "ok $results $2" ;;
	4) echo "ok $results $2 # SKIP" ;;
	*) echo "not ok $results $2" ;;
	esac
}

# try NAME COMMAND...: run it and report, output included.  It is no TAP, so
# it is kept from looking like it.
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

# read_results PREFIX: a result for each line "ok: NAME", "not ok: NAME" or "skip: NAME" of
# its input, and a failure if it has no such line.
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

# results_of PREFIX COMMAND...: the same of what a command prints, and a failure if it fails or
# takes too long.  Nothing that it started goes on.
results_of()
{
	local prefix=$1 limit=${TEST_LIMIT:-1200}

	shift
	read_results "$prefix" < <(tools/testing/limited "$limit" "$@" 2>&1
		case $? in
		0) ;;
		124) echo "not ok: took longer than $limit s" ;;
		*) echo "not ok: ended with $?" ;;
		esac)
}

# quiet COMMAND...: fails if the command does, or if it warns.
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

# module KERNEL [MAKE-ARGUMENT]...: build it as strictly as can be; every stage
# does so the same way, so that it is built once.
module() { BUILD=$CHECK_BUILD "$VM/module" "$1" W=1 KCFLAGS=-Werror "${@:2}"; }

# release KERNEL: its name in the table, and what it is.
release() { echo "$1 ($("$VM/kernel" "$1" version))"; }

# go_on: check.sh begins the next stage, beside what is left of this one.
go_on()
{
	{ echo on >&9; } 2> /dev/null
	exec 9>&-
}

# beside: what is left of this stage keeps one processor busy and builds nothing that
# others do, so it takes its place among the guests, and the next one begins.
beside()
{
	lane
	go_on
}

# start_on_kernels KERNELS TITLE PAYLOAD COMMAND...: COMMAND in a guest of each
# kernel, with the directory PAYLOAD and the kernel's etrace.ko in it, stripped as
# where modules are installed, but for the kernels of $MODULELESS.  Does not wait for
# the last ones: finish_on_kernels does.
guests=() titles=() guest_options=()	# of vm/run

# lane: wait until at most as many guests, and stages that go on beside others, run as there are
# processors, and take a place: descriptor $lane is open as long as it is taken.  One more than
# there are processors, because each waits for much of its time.
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
			# Once more where time-outs may have struck too early.
			for _ in 1 2; do
				# A cache of the module's own tells what it leaves there. Debian
				# has x32 only if it is asked for.
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

	# none are left to be started
	go_on
	wait
	for i in "${!guests[@]}"; do
		sed 's/^/# /' "${guests[i]}.log"
		result "$(cat "${guests[i]}.status" 2> /dev/null || echo 1)" "${titles[i]}"
	done
}

# skip REASON: the whole stage cannot run here.
skip() { echo "$*"; exit 4; }
