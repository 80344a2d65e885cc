#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace experimental-skip: no trap (../../skip/traps.py) makes it replay what should have run.  Some of
# them; all with LONG=y, which takes some minutes.

. "${0%/*}/../lib.sh"

strace -o /dev/null true 2> /dev/null || { echo "skip: strace cannot trace here"; exit; }
ETRACE=$(command -v etrace)
[ -e "${ETRACE%/*}/libetrace-skip.so" ] || { echo "skip: there is no libetrace-skip.so beside $ETRACE"; exit; }
export ETRACE TMPDIR=$PWD
some=("control: 5 files of C" "a header earlier in -I" "same size and mtime" "__TIME__ in a header"
	"an output has a hard link" "a byte of an object is different" "a warning" umask)
[ -z "${LONG:-}" ] || some=()
/usr/bin/python3 "$ANSWERS/../skip/traps.py" "${some[@]}" > said 2>&1
result $? "no wrong replay"
cat said
