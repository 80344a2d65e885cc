# SPDX-License-Identifier: GPL-2.0
# A header of somebody's home, and a copy in another one.
OTHER = outside
all: prog
	cp prog /var/local/prog
.DEFAULT_GOAL = all
