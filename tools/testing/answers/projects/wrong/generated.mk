# SPDX-License-Identifier: GPL-2.0
# made.h is made in the build, and used by who does not say so: it works as long
# as "all" is made in order.
OTHER = made
all: made.h prog
made.h: ../src/shared.h
	sed s/SHARED/MADE/ ../src/shared.h > $@
.DEFAULT_GOAL = all
