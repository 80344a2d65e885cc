#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Print the rows that etrace push must have written for a build, by other means.

usage: rows.py step|file|access DB

Queries the build's database with plain SQL, and prints the rows that 10-push.sh asks
ClickHouse for, in the same format: tabs between columns, \\N for unknown values.
"""
import re
import sqlite3
import sys

DATA, PIPE, PROGRAM, LOADER, CONFIG, PROBE, DIR = range(7)


def text(value):
    """Return a value as ClickHouse writes it in TabSeparated."""
    if value is None:
        return b"\\N"
    if isinstance(value, bytes):
        for raw, escaped in ((b"\\", b"\\\\"), (b"\t", b"\\t"), (b"\n", b"\\n"), (b"\0", b"\\0"),
                          (b"'", b"\\'"), (b"\b", b"\\b"), (b"\f", b"\\f"), (b"\r", b"\\r")):
            value = value.replace(raw, escaped)
        return value
    return str(int(value)).encode()


class Build:
    """The database of a build, and what several queries need."""

    def __init__(self, name):
        self.db = sqlite3.connect(f"file:{name}?mode=ro", uri=True)
        self.db.text_factory = bytes
        self.paths = dict(self.db.execute("SELECT id, path FROM file"))
        self.root = self.paths[self.db.execute(
            "SELECT cwd FROM exec WHERE program IS NOT NULL AND cwd IS NOT NULL"
            " ORDER BY id LIMIT 1").fetchone()[0]]
        # programs that ran; a child that ran no program belongs to its parent's program
        self.unit, self.units = {}, []
        for row in self.db.execute(
                "SELECT id, parent, before, forked, program, cwd, at FROM exec ORDER BY id"):
            number, parent, before, forked, program, cwd, at = row
            above = self.unit.get(before or parent, 0)
            if forked or not program:
                if above:
                    self.unit[number] = above
                continue
            self.units.append((above, at, program, cwd))
            self.unit[number] = len(self.units)

    def path(self, number):
        """Return a path in the form in which builds are compared."""
        path = self.paths.get(number, b"")
        # the random names of gcc and mktemp mean nothing
        path = re.sub(rb"^/tmp/(cc\w{6}|tmp\.\w{10})(?=\.|$)", b"/tmp/*", path)
        if path == self.root or path.startswith(self.root + b"/"):
            return b"." + path[len(self.root):]
        return path

    def steps(self):
        for number, (above, at, program, cwd) in enumerate(self.units, 1):
            yield number, above, at, self.path(program), self.path(cwd)

    def accesses(self):
        found = {}
        for number, file, how, kind, size, at in self.db.execute(
                "SELECT a.exec, coalesce(a.file, v.file), a.how, a.class, a.bytes, a.at"
                " FROM access AS a LEFT JOIN version AS v ON v.id = a.version WHERE a.how <= 3"):
            if not file or number not in self.unit:
                continue
            key = self.unit[number], file, how
            old = found.get(key, (DIR, None, at))
            total = old[1] if size is None else size + (old[1] or 0)
            found[key] = min(old[0], kind), total, min(old[2], at)
        for key in sorted(found):
            yield *key, *found[key]

    def files(self):
        used = {}
        for _, file, _, kind, _, _ in self.accesses():
            used[file] = min(used.get(file, DIR), kind)
        existed = {file for file, in self.db.execute(
            "SELECT DISTINCT file FROM version WHERE made = 0")}
        for file, in self.db.execute(
                "SELECT file FROM version WHERE made IN (1, 2) AND file IS NOT NULL UNION"
                " SELECT n.file FROM name AS n JOIN version AS v ON v.id = n.version"
                " WHERE v.made IN (0, 1, 2)"):
            used.setdefault(file, DATA)
        last = dict(self.db.execute("SELECT file, version FROM final"))
        regular = {version for version, in self.db.execute(
            "SELECT id FROM version WHERE made IN (0, 1, 2)")}
        for file in sorted(used):
            yield (file, self.path(file), used[file], file in existed,
                   last.get(file) in regular)


build = Build(sys.argv[2])
rows = {"step": build.steps, "file": build.files, "access": build.accesses}[sys.argv[1]]()
for row in rows:
    sys.stdout.buffer.write(b"\t".join(text(column) for column in row) + b"\n")
