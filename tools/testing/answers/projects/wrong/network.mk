# SPDX-License-Identifier: GPL-2.0
# A rule that talks to somebody: one listens, one does not.
all: prog fetched
fetched: ../src/network.py
	../src/network.py > $@
.DEFAULT_GOAL = all
