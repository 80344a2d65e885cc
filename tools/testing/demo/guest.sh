#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest: build the program under /payload and record it.  What comes out
# is left in /results.

set -eu

source=$1
name=$(basename "$source")

cp -a "$source" /root/
cd "/root/$name"
exec /payload/payload/etrace run -v --strict --backend=module -o "/results/$name.fxt" \
	-o "/results/$name.etrace" -- sh -c 'exec make -j2 > /results/make.log 2>&1'
