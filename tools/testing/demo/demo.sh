#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# All of etrace on a real build: zlib, from its Debian source package, is configured and built
# by "etrace run" in a guest; the trace is checked and queried here. Results go to build/demo.

. "$(dirname "$0")/../vm/lib.sh"
. "$(dirname "$0")/source.sh"

KERNEL=6.1
NAME=zlib
out=${BUILD:-$TOP/build}/demo
here=$TOP/tools/testing/demo
# Use all processors, whatever -j make was given.
unset MAKEFLAGS MFLAGS MAKELEVEL
began=$SECONDS

step() { printf '\n== %s\n' "$*"; }

# ---- preparations, in parallel ----

jobs=()
# each job has its own process group, which is killed when this script exits
set -m
trap 'for job in "${jobs[@]}"; do kill -- "-${job#* }" 2> /dev/null; done' EXIT
# job NAME COMMAND...: start a job; its output goes to NAME.out, its messages to NAME.log
job()
{
	"${@:2}" > "$out/$1.out" 2> "$out/$1.log" &
	jobs+=("$1 $!")
}

# finish: wait for all jobs
finish()
{
	local job name failed=

	for job in "${jobs[@]}"; do
		name=${job% *}
		wait "${job#* }" || {
			failed+=" $name"
			tail -n 20 "$out/$name.out" "$out/$name.log" >&2
		}
	done
	jobs=()
	[ -z "$failed" ] || die "failed:$failed"
}

programs()
{
	make -s -j"$(nproc)" -C "$TOP/user" programs BPF=0 HTTP=0 >&2
	make -s --no-print-directory -C "$TOP/user" print-out
}

step "Building etrace's programs and its module; fetching Linux $KERNEL, a Debian for the" \
	"guest, and the source of $NAME (100 MB): about 75 s, all at once"
mkdir -p "$out"
job programs programs
job module "$VM_DIR/module" "$KERNEL" "-j$(nproc)"
job image "$here/image"
job source upstream "$NAME" "$CACHE/demo/$NAME"
finish
programs=$(cat "$out/programs.out")
echo "Done after $((SECONDS - began)) s."

step "Booting a guest to configure and build $NAME there, below etrace run (about 100 s: it is" \
	"emulated, 20 times slower than this machine)"
payload=$out/payload
rm -rf "$payload" "$out/guest"
mkdir -p "$payload"
cp "$(cat "$out/module.out")" "$programs/etrace" "$here/guest.sh" "$payload/"
"$VM_DIR/run" -k "$KERNEL" -c 2 -t 3000 -r "$(cat "$out/image.out")" -d "$payload" \
	-d "$CACHE/demo/$NAME" -o "$out/guest" -- bash /payload/payload/guest.sh "$NAME" ||
	die "the traced build failed; see $out/guest"

# ---- queries ----

trace=$out/guest/$NAME
complete=y
etrace=$programs/etrace
# show COMMAND...: print the command as a user would type it, then run it
show()
{
	local line=${*/#$etrace/etrace}

	printf '\n$ %s\n' "${line//$trace/$NAME}"
	"$@"
}

step "What the build did, by the answers of etrace (about 5 s)"
"$programs/etrace-read" --check "$trace.fxt" > "$out/check.log" ||
	{ cat "$out/check.log"; complete=n; }
"$programs/etrace-read" --to etrace "$trace.fxt" | cmp - "$trace.etrace" || complete=n
"$etrace" report "$trace.fxt" > "$out/report" || complete=n
show sed '/^More:/,$d' "$out/report" | sed "2s/.*/\$ etrace report $NAME.fxt/"
printf 'What the library was made from, down to the sources, those of the system left out:\n'
show "$etrace" deps --leaves "$trace.fxt" "/root/$NAME/libz.a" > "$out/deps"
head -n 2 "$out/deps"
grep "^/root/$NAME/" "$out/deps" | sed "s|^/root/||" | xargs | fold -s -w 96
printf '\nHow a header got into a program:\n'
show "$etrace" why "$trace.fxt" "/root/$NAME/minigzip" "/root/$NAME/zconf.h" | cut -c -96
printf '\nA compile_commands.json, though %s has no such thing:\n' "$NAME"
show "$etrace" compdb -o "$out/compile_commands.json" "$trace.fxt"
echo "$(grep -c '"file":' "$out/compile_commands.json") compilations"

cat <<- END

	This took $((SECONDS - began)) s.  To go on, $trace.fxt is a Fuchsia trace:
	    in Perfetto (ui.perfetto.dev, "Open trace file"; the file stays on your machine)
	    $etrace time $trace.fxt
	    $programs/etrace-read --to etrace $trace.fxt
END
[ "$complete" = y ] || die "the trace is incomplete, see above"
