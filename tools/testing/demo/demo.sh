#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The whole of etrace on a real build: GNU patch, from its Debian source
# package, is built by "etrace run -- make -j2" in a guest; the trace is checked
# and summed up here.  Results go to build/demo.

. "$(dirname "$0")/../vm/lib.sh"

. "$(dirname "$0")/source.sh"

KERNEL=6.1
out=${BUILD:-$TOP/build}/demo
here=$TOP/tools/testing/demo

step() { printf '\n== %s\n' "$*"; }

step "Building etrace: the module for $KERNEL, and the programs"
mkdir -p "$out"
module=$("$VM_DIR/module" "$KERNEL" 2> "$out/build.log") ||
	{ tail -n 20 "$out/build.log" >&2; die "the module does not build"; }
make -s -C "$TOP/user" >> "$out/build.log" 2>&1 ||
	{ tail -n 20 "$out/build.log" >&2; die "userspace does not build"; }
programs=$(make -s --no-print-directory -C "$TOP/user" print-out)

step "Getting the source of $PROGRAM ready"
configured "$CACHE/demo/$PROGRAM"

step "Booting a guest, etrace run -- make -j2 there (a few minutes under emulation)"
payload=$out/payload
rm -rf "$payload" "$out/guest"
mkdir -p "$payload"
cp "$module" "$programs/etrace" "$here/guest.sh" "$payload/"
"$VM_DIR/run" -k "$KERNEL" -c 2 -t 3000 -d "$payload" -d "$CACHE/demo/$PROGRAM" \
	-o "$out/guest" -- bash /payload/payload/guest.sh "/payload/$PROGRAM" ||
	die "the traced build failed; see $out/guest"

step "Checking"
trace=$out/guest/$PROGRAM
complete=y
"$programs/etrace-read" --check "$trace.fxt" || complete=n
"$programs/etrace-read" --to etrace "$trace.fxt" | cmp - "$trace.etrace" || complete=n

step "What the build did"
"$programs/etrace" report "$trace.fxt" || complete=n

cat <<- END

	Fuchsia trace:                  $trace.fxt
	    Open it in Perfetto (ui.perfetto.dev, "Open trace file"; the file
	    stays on your machine), or print its events:
	    $programs/etrace-read --to etrace $trace.fxt
	Plain lines in order of time:   $trace.etrace
END
[ "$complete" = y ] || die "the trace is not complete, see above"
