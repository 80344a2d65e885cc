# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Functions that the tests of the program etrace share: results as KTAP, and ways to
# look at a trace.  A test is a function; "finish NAME..." runs them.  They run as
# root, with the programs and the module in $BIN.

# shellcheck disable=SC2034

BIN=${ETRACE_BIN:-$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)}
etrace=$BIN/etrace
reader=$BIN/etrace-read
TRACING=/sys/kernel/tracing
KSFT_SKIP=4

[ "$(id -u)" = 0 ] || { echo "1..0 # SKIP needs root"; exit $KSFT_SKIP; }
# Load the module once for all tests: etrace unloads a module that it has loaded itself, which
# takes time. If the previous test is just unloading it, the first test that needs it loads it.
[ -e /dev/etrace ] || insmod "$BIN/etrace.ko" 2> /dev/null
work=$(mktemp -d /tmp/etrace-run.XXXXXX)
chmod 755 "$work"
trap 'cd /; rm -rf "$work"' EXIT

failures=0 skipped=

note() { printf '# %s\n' "$*"; }

fail()
{
	note "${FUNCNAME[1]}:${BASH_LINENO[0]}: $*"
	failures=$((failures + 1))
}

skip() { skipped=$*; }

# is WHAT GOT WANTED
is()
{
	[ "$2" = "$3" ] || {
		note "${FUNCNAME[1]}:${BASH_LINENO[0]}: $1 is '$2', expected '$3'"
		failures=$((failures + 1))
	}
}

# has FILE TEXT: a line of the file contains it
has()
{
	grep -qF -- "$2" "$1" || {
		note "${FUNCNAME[1]}:${BASH_LINENO[0]}: no '$2' in $(basename "$1"):"
		head -n 20 "$1" | sed 's/^/#   /'
		failures=$((failures + 1))
	}
}

hasnt()
{
	if grep -qF -- "$2" "$1"; then
		note "${FUNCNAME[1]}:${BASH_LINENO[0]}: '$2' is in $(basename "$1")"
		failures=$((failures + 1))
	fi
}

# status COMMAND...: print its exit status; its output goes to files
status()
{
	local s=0

	"$@" > out 2> err < /dev/null || s=$?
	echo "$s"
}

# nap SECONDS: read from a pipe that never has data; in an emulated guest, starting sleep would
# take longer than the nap.
exec {nothing}<> <(:)
nap() { ! read -rt "$1" -u "$nothing"; }

# wait_for COMMAND...: repeat it until it succeeds, for at most four minutes
wait_for()
{
	local end=$((SECONDS + 240))

	until "$@" > /dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		nap 0.05
	done
}

# An open session pins the module.
no_sessions() { [ "$(cat /sys/module/etrace/refcnt 2> /dev/null || echo 0)" = 0 ]; }

# lines FILE: print the events of a trace of any format as plain lines
lines() { "$reader" --to etrace "$1" 2> lines.err; }

# in_lines FILE TEXT: whether one of them contains it
in_lines() { lines "$1" | grep -qF -- "$2"; }

# programs FILE: print the programs that ran, one per line
programs() { lines "$1" | sed -n 's/^[0-9,]*!PP|.*\///p'; }

# by_bpf TEST: run it with the argument bpf, except where loading the programs takes minutes.
by_bpf()
{
	case $(uname -r) in
	5.10.*) [ -n "${LONG:-}" ] || { skip "the verifier takes minutes here; LONG=y"; return; } ;;
	esac
	"$1" bpf
}

finish()
{
	local n=0 bad=0

	echo "TAP version 13"
	echo "1..$#"
	for t in "$@"; do
		n=$((n + 1)) failures=0 skipped=
		mkdir "$work/$t" && cd "$work/$t" || exit 1
		"$t"
		if [ "$failures" != 0 ]; then
			echo "not ok $n $t"
			bad=1
		elif [ -n "$skipped" ]; then
			echo "ok $n $t # SKIP $skipped"
		else
			echo "ok $n $t"
		fi
	done
	cd /
	exit $bad
}
