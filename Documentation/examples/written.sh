#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Which files does a build open for writing, and which program does so?  With
# trace-cmd, whose filter lets only those opens into the trace:
#
#   written.sh COMMAND [ARG]...
#
# As root, with the module loaded.  "report -R" prints the fields as they are;
# without it trace-cmd looks for the function that prints etrace's lines, which is
# in the module, and says "FAILED TO PARSE" before the same fields.

set -e
dir=$(dirname "$0")
# O_WRONLY is 1, O_RDWR is 2.
trace-cmd record -q -o trace.dat -e etrace:etrace_open -f 'flags & 3' \
	"$dir/traced" "$@" > /dev/null
echo 0 > /sys/module/etrace/parameters/root_pid
trace-cmd report -q -R -i trace.dat 2> /dev/null |
	sed -n 's/^ *\(.*\)-[0-9]* .* name=\(.*\) orig_len=.*/\1 \2/p' | sort | uniq -c
