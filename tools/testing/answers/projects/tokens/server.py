# SPDX-License-Identifier: GPL-2.0
"""A job server by a FIFO, as make 4.4 has it, with a make of its clients' kind below."""
import os
import subprocess

os.mkfifo("slots")
fd = os.open("slots", os.O_RDWR)
os.write(fd, b"++")


def client(name):
    """Takes a slot, works, gives it back."""
    return ("import os,sys;f=os.open('slots',os.O_RDWR);t=os.read(f,1);"
            f"d=open('in/{name}').read();open('out/slot-{name}','w').write(d);os.write(f,t)")


children = [subprocess.Popen(["python3", "-SIBc", client(n)],
                             env={**os.environ, "MAKEFLAGS": " -j3 --jobserver-auth=fifo:slots"})
            for n in "abcd"]
for each in children:
    each.wait()
os.close(fd)
os.remove("slots")
