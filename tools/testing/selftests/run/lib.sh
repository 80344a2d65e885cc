# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of the program etrace share: results as KTAP, and the ways to
# look at a trace.  A test is a function; "finish NAME..." runs them.  They run
# as root, with the programs and the module in $BIN.

# shellcheck disable=SC2034

BIN=${ETRACE_BIN:-$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)}
etrace=$BIN/etrace
reader=$BIN/etrace-read
TRACING=/sys/kernel/tracing
KSFT_SKIP=4

[ "$(id -u)" = 0 ] || { echo "1..0 # SKIP needs root"; exit $KSFT_SKIP; }
# Once for all tests: what etrace itself loads it unloads, which takes its time.
# The test before may be unloading it: then it is loaded by the first that needs it.
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
		note "${FUNCNAME[1]}:${BASH_LINENO[0]}: $1 is '$2', must be '$3'"
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

# status COMMAND...: its exit status on standard output, its output away
status()
{
	local s=0

	"$@" > out 2> err < /dev/null || s=$?
	echo "$s"
}

# nap SECONDS: by reading where nothing ever comes; to start sleep would cost an emulated
# guest more than the nap.
exec {nothing}<> <(:)
nap() { ! read -rt "$1" -u "$nothing"; }

# wait_for COMMAND...: until it succeeds, for four minutes at most
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

# lines FILE: the events of a trace of any format as plain lines
lines() { "$reader" --to etrace "$1" 2> lines.err; }

# in_lines FILE TEXT: one of them contains it
in_lines() { lines "$1" | grep -qF -- "$2"; }

# programs FILE: the programs that ran, one in a line
programs() { lines "$1" | sed -n 's/^[0-9,]*!PP|.*\///p'; }

# by_bpf TEST: it, with the argument bpf; not where the programs take minutes to load.
by_bpf()
{
	case $(uname -r) in
	5.10.*) [ -n "${LONG:-}" ] || { skip "a verifier that takes minutes here; LONG=y"; return; } ;;
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
