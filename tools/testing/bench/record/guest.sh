#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest: build the program under /payload, and save in /results the content of the
# module's buffers, as text and as raw pages.

set -eu

here=$(dirname "$0")
trace=/sys/kernel/tracing
cp -a "$1" /root/
cd "/root/$(basename "$1")"
insmod "$here/etrace.ko"
echo 98304 > $trace/buffer_size_kb
bash -c 'echo $$ > /sys/module/etrace/parameters/root_pid
	exec make -j2' > /results/make.log 2>&1
echo 0 > /sys/module/etrace/parameters/root_pid
sleep 1
grep . /sys/module/etrace/counters/* > /results/counters

cat $trace/trace > /results/trace
for event in "$trace"/events/etrace/*/format; do
	cat "$event"
	echo "==end"
done > /results/formats
for cpu in 0 1; do
	dd if=$trace/per_cpu/cpu$cpu/trace_pipe_raw of=/results/pages.$cpu bs=4096 \
		iflag=nonblock 2> /results/dd.log || grep -q "temporarily unavailable" /results/dd.log
done
