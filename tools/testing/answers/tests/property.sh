#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Random graphs: recorded for these seeds, the truth made anew from the seed.

. "${0%/*}/../lib.sh"

for trace in "$FIXTURES"/property/*.fxt.zst; do
	name=$(basename "$trace" .fxt.zst)
	etrace deps --leaves --all --json "$trace" > ours
	check "graph ${name%.*} by ${name#*.}" "${0%/*}/../property" compare "${name%.*}" ours
done
