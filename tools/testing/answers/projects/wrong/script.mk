# SPDX-License-Identifier: GPL-2.0
# script.ld is in nobody's list.
LDFLAGS = -Wl,-T,../src/script.ld
