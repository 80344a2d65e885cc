#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace deps and rdeps: equal to the compilers' own lists.

. "${0%/*}/../lib.sh"

# Of those outputs that stand in a list of truth.
only_known()
{
	local outputs
	outputs=$(sed 's/^\({"output":"[^"]*"\).*/\1/' "$2")
	grep -F -- "$outputs" "$1"
}

for name in ninja meson all; do
	base=/build/$name/out
	[ "$name" != all ] || base=$(sed -n 's/.*"directory": "\(.*\)",/\1/p' "$FIXTURES/all/compile_commands.json" | head -n 1)
	for by in module bpf; do
		[ -n "$base" ] || continue
		"$ANSWERS/ninja-deps" "$base" "$FIXTURES/$name/$by.deps" > truth
		etrace deps --direct --all --json "$FIXTURES/$name/$by.fxt.zst" > all 2> log
		only_known all truth > ours
		same "$name by $by: direct inputs of $(wc -l < truth) objects as ninja -t deps" ours truth
	done
done
