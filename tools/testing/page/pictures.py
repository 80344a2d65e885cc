#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Take pictures of a page's views and of the terminal: pictures.py DIR TO

DIR has been made by the program pages; the pictures are TO/NAME.png.
"""
import fcntl
import html
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import termios

from browser import Browser

# name: recording, view, action before the picture is taken, whether dark
PICTURES = {
    "timeline": ("kernel", "#timeline", "zoom", False),
    "timeline-dark": ("kernel", "#timeline", "search", True),
    "processes": ("kernel", "#tree", None, False),
    "slowest": ("kernel", "#slowest", None, False),
    "critical-path": ("kernel", "#path", None, False),
    "file": ("kernel", "#file", "file", False),
    "findings": ("wrong-outside", "#findings", None, False),
    "packages": ("jobs-4", "#packages", None, False),
    "large": ("large", "#timeline", None, False),
}


def prepare(b, what):
    if what == "zoom":
        b.run("document.getElementById('chart').focus()")
        b.keys(*4 * ["+"])
        longest = b.js("model.slicesOf.of(d3.scan(model.work, (a, b) => b - a))[0]")
        b.go("#timeline/%d" % b.js("model.slices.program[%d]" % longest))
        b.keys("-", "-")
        b.wait("document.querySelector('.details dl')")
    elif what == "search":
        b.run("document.getElementById('search').focus()")
        b.keys("crypto")
        b.wait("document.querySelector('.tools [role=status]').dataset.done === 'true'")
    elif what == "file":
        b.go("#file/%d" % b.js("model.files().then(l => l.findLastIndex(p => p.endsWith('.o') && "
                               "!p.startsWith('/tmp')))"))


def terminal(db, columns):
    """Return what etrace report prints on a terminal, as HTML, without hints at other commands."""
    pid, fd = pty.fork()
    if not pid:
        os.environ.update(TERM="xterm-256color", LANG="C.UTF-8", LC_ALL="C.UTF-8")
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        os.execvp("etrace", ["etrace", "report", "--top", "4", db])
    output = b""
    try:
        while part := os.read(fd, 65536):
            output += part
    except OSError:     # the other side is closed
        pass
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, output.decode()
    text = output.decode().replace("\r\n", "\n").split("\nMore:")[0]
    # from the sequence for bold red to its end
    return re.sub("\x1b\\[1;31m(.*?)\x1b\\[0m", "<b>\\1</b>",
                  html.escape("$ etrace report build.fxt\n" + text))


def main():
    dir, to = (pathlib.Path(a) for a in sys.argv[1:])
    to.mkdir(exist_ok=True)
    (dir / "terminal.html").write_text("""<!doctype html><meta charset="utf-8"><title>terminal</title>
        <style>body { margin: 0; background: #16191d; } pre { margin: 0; padding: 16px;
        display: inline-block; color: #e6e8eb; font: 13px/17px "DejaVu Sans Mono", monospace; }
        b { color: #ff9b9b; }
        </style><pre>%s</pre>""" % terminal(str(dir / "kernel.db"), 120))
    with Browser() as b:
        for name, (page, view, what, dark) in PICTURES.items():
            b.dark(dark)
            b.open(dir / (page + ".html"), view)
            b.go(view)
            prepare(b, what)
            b.wait("!document.querySelector('#loading').textContent")
            b.shot(to / (name + ".png"))
        b.driver.get((dir / "terminal.html").resolve().as_uri())
        box = b.js("(r => [r.width, r.height])(document.querySelector('pre').getBoundingClientRect())")
        b.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": int(box[0]) + 1, "height": int(box[1]) + 1, "deviceScaleFactor": 1, "mobile": False})
        b.shot(to / "terminal.png")
    pictures = sorted(to.glob("*.png"))
    subprocess.run(["pngquant", "--force", "--ext", ".png", "--speed", "1", "--strip", "64", "--",
                    *map(str, pictures)], check=True)


main()
