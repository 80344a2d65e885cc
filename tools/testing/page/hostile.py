#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Print the lines of a build whose names attack a page: hostile.py > LINES

The names contain HTML, ends of scripts and strings, marks that reverse text, control
characters and invalid UTF-8; one is very long.
"""
import sys

NAMES = [
    b"<script>window.harmed=1</script>.c",
    b"<img src=x onerror=window.harmed=2>.c",
    b"</script><script>window.harmed=3</script>.c",
    b"<!--<script>.c",
    b"\"quotes' and `ticks` ${window.harmed=4}.c",
    b"&lt;b&gt;&amp;&#60;script&#62;.c",
    b"javascript:window.harmed=5.c",
    b"right \xe2\x80\xaeto left\xe2\x80\xac.c",
    b"\x01control \x1b[31m and \x7f\xc2\x85.c",
    b"no UTF-8 \xff\xfe\xc3(.c",
    b"zero\xe2\x80\x8bwidth\xef\xbb\xbf.c",
    b"__proto__",
    b"long " + 900 * b"name ",
]


def main():
    out = sys.stdout.buffer
    clock = 0

    def event(upid, lines):
        nonlocal clock
        clock += 10_000_000
        for i, line in enumerate(lines):
            now = clock + i
            out.write(b"%d,0,%d,%09d!%s\n" % (upid, now // 10**9, now % 10**9, line))

    def parts(text):
        return [text[i:i + 900] for i in range(0, len(text), 900)]

    def string(tag, text):
        if len(text) < 900:
            return [tag + b"|" + text]
        return [b"%s[%d]%s" % (tag, i, part) for i, part in enumerate(parts(text))] + \
            [tag + b"_end|"]

    def exec_(upid, args, directory):
        program = b"/usr/bin/" + args[0]
        event(upid, [
            b"New_proc|argsize=%d,prognameisize=%d,prognamepsize=%d,cwdsize=%d" % (
                sum(len(a) + 1 for a in args), len(program), len(program), len(directory)),
            b"PI|" + program, b"PP|" + program, b"CW|" + directory,
            *(b"A[%d]%s" % (i, part) for i, a in enumerate(args) for part in parts(a)),
            b"End_of_args|"])

    def open_(upid, fd, flags, path):
        event(upid, [b"Open|fnamesize=%d,forigsize=%d,flags=%d,mode=0,fd=%d" % (
            len(path), len(path), flags, fd), *string(b"FN", path), *string(b"FO", path)])

    make = 1 << 22 | 100
    exec_(make, [b"make"], b"/build")
    for i, name in enumerate(NAMES):
        child = (i + 2) << 22 | 101 + i
        source, made = b"/build/" + name, b"/build/" + name + b".o"
        event(make, [b"SchedFork|pid=%d" % child])
        exec_(child, [b"cc1", name, b"-o", made], b"/build")
        open_(child, 3, 0, source)
        event(child, [b"Close|fd=3"])
        open_(child, 3, 0o1101, made)
        event(child, [b"Close|fd=3"])
        event(child, [b"Exit|status=0"])
    event(make, [b"Exit|status=0"])


if __name__ == "__main__":
    main()
