# SPDX-License-Identifier: GPL-2.0
# Two rules write stamp, in no order.
all: first second prog
first: ../src/main.c
	echo first > stamp
	touch $@
second: ../src/other.c
	echo second > stamp
	touch $@
.DEFAULT_GOAL = all
