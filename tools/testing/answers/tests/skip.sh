#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace experimental-skip: no trap (../../skip/traps.py) makes it replay a command that should
# have run.  A subset of the traps; LONG=y runs all, which takes some minutes.

. "${0%/*}/../lib.sh"

strace -o /dev/null true 2> /dev/null || { echo "skip: strace cannot trace here"; exit; }

# The programs of a build cannot load sanitizers, so use the build without them.
user=$ANSWERS/../../../user
ETRACE=$(command -v etrace)
if [ ! -e "${ETRACE%/*}/libetrace-skip.so" ]; then
	check "the programs are built without sanitizers" make -s -j"$(nproc)" -C "$user" programs
	ETRACE=$(make -s --no-print-directory -C "$user" print-out)/etrace
fi
export ETRACE TMPDIR=$PWD

traps=("a forged entry" "control: 5 files of C" "a header earlier in -I" "same size and mtime" "__TIME__ in a header"
	"an output has a hard link" "a byte of an object is different" "a warning" umask
	".. behind a link, in vain" ".. behind a link, looked at" ".. behind a directory"
	"a link of the step" "an output through a link" "a directory becomes a link, .. behind it, read"
	"has the name of another" "a library of the build" "an interpreter's link" "cannot run, by make"
	"commands in a pipe" "cd by a variable" "a listing of as" "in a map" "the order of a directory")
[ -z "${LONG:-}" ] || traps=()
/usr/bin/python3 "$ANSWERS/../skip/traps.py" "${traps[@]}" > output 2>&1
result $? "no trap makes experimental-skip replay a command that should run"
cat output
