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

# At the end trace-cmd saves /proc/kallsyms, and fails when that changes meanwhile.
# It would, for a second after the last traced task has ended the module takes its
# hooks away: so there is a task that sleeps until trace-cmd is done.

set -e
dir=$(dirname "$0")
root_pid=/sys/module/etrace/parameters/root_pid
sleep 1000000 &
trap 'echo 0 > $root_pid; kill $!' EXIT
echo $! > $root_pid
# O_WRONLY is 1, O_RDWR is 2.
trace-cmd record -q -o trace.dat -e etrace:etrace_open -f 'flags & 3' \
	"$dir/traced" "$@" > /dev/null
trace-cmd report -q -R -i trace.dat 2> /dev/null |
	sed -n 's/^ *\(.*\)-[0-9]* .* name=\(.*\) orig_len=.*/\1 \2/p' | sort | uniq -c
