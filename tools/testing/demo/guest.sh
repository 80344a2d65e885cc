#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest: record how the program under /payload is configured and built. The results are
# left in /results.

set -eu -o pipefail

name=$1
cp -a "/payload/$name" /root/
cd "/root/$name"
# Through a pipe: a log file would be an output of the build.
/payload/payload/etrace run -v --strict --backend=module -o "/results/$name.fxt" \
	-o "/results/$name.etrace" -- sh -c 'CFLAGS=-O2 ./configure --static && make -j2 static' 2>&1 |
	tee /results/build.log
