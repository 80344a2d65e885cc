# SPDX-License-Identifier: GPL-2.0
"""One process that clones whole files, and parts of two into one."""

import fcntl
import os
import struct

FICLONE, FICLONERANGE = 0x40049409, 0x4020940d


def opened(name):
    return os.open("in/" + name, os.O_RDONLY)


def made(name):
    return os.open("out/" + name, os.O_WRONLY | os.O_CREAT, 0o644)


a, b, c = opened("a"), opened("b"), opened("c")
first, second, joined = made("clone-a"), made("clone-b"), made("joined")
fcntl.ioctl(first, FICLONE, a)
fcntl.ioctl(second, FICLONE, b)
fcntl.ioctl(joined, FICLONERANGE, struct.pack("qQQQ", c, 0, 4096, 0))
fcntl.ioctl(joined, FICLONERANGE, struct.pack("qQQQ", a, 4096, 4096, 4096))
