#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Random graphs: the recordings of these seeds, against the truth that the seed gives.

. "${0%/*}/../lib.sh"

for trace in "$FIXTURES"/property/*.fxt.zst; do
	name=$(basename "$trace" .fxt.zst)
	etrace deps --leaves --all --json "$trace" > ours
	check "graph ${name%.*}, ${name#*.}: the leaves are right" \
		"${0%/*}/../property" compare "${name%.*}" ours
done
