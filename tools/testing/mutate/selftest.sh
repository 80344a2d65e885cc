#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mutate.py on a tree of one file (selftest/), with all possible changes: a function that is
# tested, one that is not, one that is partly tested, changes without an effect, and one that
# never terminates.

set -eu
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
status=0
./mutate.py --tree "$PWD/selftest" --explained selftest/data/explained --out "$out/build" \
	--grace 1 -n 0 -v > "$out/output" || status=$?
grep -v '^	' "$out/output" | LC_ALL=C sort | diff selftest/data/expected -
[ "$status" = 1 ] || { echo "more than 10 % of the changes survived, but the exit status is $status"; exit 1; }
