# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For the tests of answers, which run in a directory of their own, with etrace in
# PATH and the recordings in $FIXTURES.  Each line "ok: NAME", "not ok: NAME" or
# "skip: NAME" is a result.

set -u

# result STATUS NAME: 0 is a pass.
result()
{
	if [ "$1" = 0 ]; then
		echo "ok: $2"
	else
		echo "not ok: $2"
	fi
}

# check NAME COMMAND...: passes if the command does; its output is shown if not.
check()
{
	local log status
	log=$("${@:2}" 2>&1)
	status=$?
	[ "$status" = 0 ] || printf '%s\n' "$log"
	result "$status" "$1"
}

# ends STATUS NAME COMMAND...: passes if the command ends with that status.
ends()
{
	local log status
	log=$("${@:3}" 2>&1)
	status=$?
	[ "$status" = "$1" ] || printf 'ended with %s, not %s\n%s\n' "$status" "$1" "$log"
	[ "$status" = "$1" ]
	result $? "$2"
}

# same NAME FILE FILE: passes if they are equal; shows the difference if not.
same() { check "$1" diff "$2" "$3"; }
