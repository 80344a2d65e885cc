#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# How many events of each kind does a build make?  That is how long its trace will
# be.  perf counts them and writes nothing:
#
#   counts.sh COMMAND [ARG]...
#
# As root, with the module loaded.  On all processors (-a), because perf no longer
# counts for a task when the task's end is told.  perf also says that it does not
# know the functions that print etrace's lines, which are in the module: it does
# not need them for this.

set -e
dir=$(dirname "$0")
perf stat -a -x , -e 'etrace:*' -o counts.txt "$dir/traced" "$@" 2> /dev/null
echo 0 > /sys/module/etrace/parameters/root_pid
# number,unit,event,...
awk -F , '$1 > 0 { sub("etrace:etrace_", "", $3); print $1, $3 }' counts.txt
