#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
import sys

with open(sys.argv[1], encoding="ascii") as words, open(sys.argv[2], "w", encoding="ascii") as out:
    out.write("static const char *const words[] = {\n")
    out.writelines('\t"%s",\n' % word.strip() for word in words)
    out.write("};\n")
