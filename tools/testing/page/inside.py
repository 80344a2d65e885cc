#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Make a compiler's time trace, print the lines of a build that wrote it: inside.py DIR > LINES

Writes ROWS to DIR/main.json, as clang -ftime-trace would.
"""
import json
import os
import pathlib
import sys

BEGIN = 1_700_000_000_000_000      # us since 1970
# name, detail, start and length in us, nesting depth
ROWS = [
    ("ExecuteCompiler", "", 1_000, 700_000, 0),
    ("Frontend", "", 2_000, 400_000, 1),
    ("Source", "/usr/include/<b>stdio.h", 3_000, 250_000, 2),
    ("Backend", "", 410_000, 280_000, 1),
    ("OptFunction", "main", 420_000, 100_000, 2),
]


def main():
    directory = pathlib.Path(sys.argv[1]).resolve()
    file = directory / "main.json"
    file.write_text(json.dumps({"traceEvents": [
        {"pid": 1, "tid": 1, "ph": "X", "ts": at, "dur": length, "name": name,
         "args": {"detail": detail}} for name, detail, at, length, _ in ROWS],
        "beginningOfTime": BEGIN}))
    end = (BEGIN + 800_000) * 1000
    os.utime(file, ns=(end, end))
    args = ["clang", "-c", "-ftime-trace", "main.c", "-o", "main.o"]
    upid = 1 << 22 | 101

    def lines(us, texts):
        ns = 1000 * us
        for i, text in enumerate(texts):
            print("%d,0,%d,%d!%s" % (upid, 5 + (ns + i) // 10**9, (ns + i) % 10**9, text))

    lines(0, ["New_proc|argsize=%d,prognameisize=14,prognamepsize=14,cwdsize=%d" % (
        sum(len(a) + 1 for a in args), len(str(directory))),
        "PI|/usr/bin/clang", "PP|/usr/bin/clang", "CW|%s" % directory,
        *("A[%d]%s" % arg for arg in enumerate(args)), "End_of_args|"])
    for name, size in (("main.o", 0), ("main.json", file.stat().st_size)):
        path = str(directory / name)
        lines(799_900 if name == "main.o" else 800_000, [
            "Open|fnamesize=%d,forigsize=%d,flags=577,mode=438,fd=3" % (len(path), len(path)),
            "FN|" + path, "FO|" + path, "Close|fd=3", "CloseWrote|bytes=%d" % size,
            "CloseFile|size=%d,mtime=%d" % (size, end)])
    lines(850_000, ["Exit|status=0"])


if __name__ == "__main__":
    main()
