#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run the selftests of the program etrace in this script's directory, as root on the
# kernel to be tested, and report them as one KTAP with the tests' own output nested
# in it.
#
#   run.sh [TEST]...
#
# Exit status: 0 if none failed, 1 if one did, 4 if all were skipped.

set -u
cd "$(dirname "$0")" || exit 1
timeout=$(sed -n 's/^timeout=//p' settings)
if [ $# -gt 0 ]; then
	tests=("$@")
else
	mapfile -t tests < tests
fi

echo "KTAP version 1"
echo "1..${#tests[@]}"
n=0 passed=0 failed=0
for test in "${tests[@]}"; do
	n=$((n + 1))
	start=$SECONDS
	timeout -k 5 "$timeout" "./$test" 2>&1 < /dev/null | sed -u 's/^/# /'
	status=${PIPESTATUS[0]}
	case $status in
	0) echo "ok $n $test"; passed=$((passed + 1)) ;;
	4) echo "ok $n $test # SKIP" ;;
	124|137) echo "not ok $n $test # TIMEOUT $timeout seconds"; failed=$((failed + 1)) ;;
	*) echo "not ok $n $test # exit=$status"; failed=$((failed + 1)) ;;
	esac
	echo "# $test took $((SECONDS - start)) s"
done
[ "$failed" = 0 ] || exit 1
[ "$passed" -gt 0 ] || exit 4
