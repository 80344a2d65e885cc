# SPDX-License-Identifier: GPL-2.0
"""Read the data in a page of etrace, as Documentation/page.md describes it."""
import base64
import json
import re
import zlib

SECTION = re.compile(r'<script type="application/octet-stream" id="([^"]*)" data-size="(\d+)">'
                     r'([A-Za-z0-9+/=]*)</script>')

# Columns: d: differences, z: signed, +1: 0 means none.
COLUMNS = {
    "processes": ("parent+1", "at dz", "took", "pid"),
    "programs": ("process", "file+1", "label", "class", "at dz", "took", "cpu+1", "rss+1", "ended",
                 "value", "output+1", "parent+1", "forked", "failure", "cwd+1"),
    "slices": ("program", "lane", "from d", "took"),
    "path": ("program+1", "why", "file+1", "output+1", "took"),
    "filefacts": ("present+1", "last+1", "flags"),
    "versions": ("file+1", "writer+1", "made"),
}


def numbers(data):
    v = shift = 0
    for byte in data:
        v |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            yield v
            v = shift = 0
    assert not shift, "a number is truncated"


def column(values, how):
    before = 0
    for v in values:
        if how.endswith("+1"):
            yield v - 1 if v else None
            continue
        if " " in how and "z" in how.split()[1]:
            v = v >> 1 ^ -(v & 1)
        if " " in how and "d" in how.split()[1]:
            v = before = before + v
        yield v


class Page:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        self.sections = {}
        for name, size, data in SECTION.findall(self.text):
            assert name not in self.sections, name
            self.sections[name] = zlib.decompress(base64.b64decode(data, validate=True))
            assert len(self.sections[name]) == int(size), name
        self.meta = json.loads(self.sections["meta"])
        self.counts = self.meta["counts"]
        self.classes = self.meta["classes"]

    def blocks(self, name):
        found = [n for n in self.sections if re.fullmatch(re.escape(name) + r"-\d+", n)]
        assert sorted(found) == sorted("%s-%d" % (name, i) for i in range(len(found))), found
        return ["%s-%d" % (name, i) for i in range(len(found))]

    def json(self, name):
        return json.loads(self.sections[name])

    def texts(self, name):
        names = self.blocks(name) or [name]
        parts = [self.sections[n].decode("utf-8").split("\0") for n in names]
        assert all(p.pop() == "" for p in parts)
        assert all(len(p) == self.meta["block"] for p in parts[:-1]) or len(names) == 1
        return [t for p in parts for t in p]

    def rows(self, name, columns=None):
        """Return a dict of columns for each row."""
        columns = columns or COLUMNS[name]
        n = self.counts["files" if name == "filefacts" else name]
        values = list(numbers(self.sections[name]))
        assert len(values) == n * len(columns), (name, len(values), n)
        keys = [c.split()[0].removesuffix("+1") for c in columns]
        lists = [list(column(values[i * n:(i + 1) * n], c)) for i, c in enumerate(columns)]
        return [dict(zip(keys, row)) for row in zip(*lists)]

    def steps(self):
        return self.rows("steps", ("at d", *self.classes))

    def lists(self, name):
        """Return a list of numbers for each program."""
        found = []
        for block in self.blocks(name):
            it = numbers(self.sections[block])
            rows = 0
            for n in it:
                rows += 1
                found.append(list(column([next(it) for _ in range(n)], "v d")))
            assert rows == self.meta["block"] or block == self.blocks(name)[-1]
        return found

    def inputs(self):
        """Return for each version a list of (version, file or None, [(program, version), ...])."""
        found = []
        for block in self.blocks("inputs"):
            it = numbers(self.sections[block])
            for n in it:
                row, version = [], -1
                for _ in range(n):
                    number = next(it)
                    version += number >> 1
                    file, way = None, []
                    if number & 1:
                        file = next(it) - 1
                        way = [(next(it) - 1, next(it) - 1) for _ in range(next(it))]
                    row.append((version, file, way))
                found.append(row)
        return found

    def commands(self):
        return [c for block in self.blocks("commands") for c in self.json(block)]
