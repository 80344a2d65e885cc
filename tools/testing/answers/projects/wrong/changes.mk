# SPDX-License-Identifier: GPL-2.0
# The build changes a source.
all: changed prog
changed:
	sed -i 's/SHARED 5/SHARED 6/' ../src/shared.h
	touch $@
main.o other.o: changed
.DEFAULT_GOAL = all
