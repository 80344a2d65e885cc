#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Check that each hash in a recording is that of the content that the programs saw.

usage: hashed.py DB DIR

DIR/truth has the contents that hashed.c kept.  Each version that a process ID made must have the
hash of its content when ID closed it; each version that a process ID read must have the hash of
the content that it read.  A version without a hash is no error; prints how many have one.
"""
import collections
import hashlib
import os
import sqlite3
import sys


def main():
    db = sqlite3.connect(sys.argv[1])
    db.text_factory = bytes
    top = os.path.realpath(sys.argv[2]).encode() + b"/"
    truth = collections.defaultdict(dict)
    for name in os.listdir(os.path.join(sys.argv[2], "truth")):
        who, stage = name.rsplit(".", 1)
        with open(os.path.join(sys.argv[2], "truth", name), "rb") as f:
            data = f.read()
        truth[who][int(stage)] = (hashlib.sha256(data).hexdigest(), hashlib.sha256(
            b"blob %d\0" % len(data) + data).hexdigest())

    # the last row of a version is the valid one
    content = {}
    for version, sha, git, why in db.execute(
            "SELECT version, sha256, gitoid, why_not FROM content ORDER BY rowid"):
        content[version] = (sha.decode(), git.decode()) if sha else None
    strings = dict(db.execute("SELECT id, s FROM string"))
    parent, args = {}, {}
    for exec_, up, text in db.execute("SELECT id, coalesce(before, parent), args FROM exec"):
        parent[exec_] = up
        args[exec_] = [strings[int(i)].decode("utf-8", "replace")
                       for i in (text or b"[]")[1:-1].split(b",") if i]

    stages = {h: f"{who}.{stage}" for who, all_ in truth.items() for stage, h in all_.items()}
    stages[(hashlib.sha256().hexdigest(), hashlib.sha256(b"blob 0\0").hexdigest())] = "an empty file"

    def process_of(exec_):
        """Return the operation and the ID of a process, or of the one that forked it."""
        while exec_ and not (len(args[exec_]) == 4 and args[exec_][0] == "hashed"):
            exec_ = parent[exec_]
        return (args[exec_][1], args[exec_][3]) if exec_ else (None, None)

    wrong = hashed = there = 0
    made = collections.defaultdict(list)
    for version, exec_, path in db.execute(
            "SELECT v.id, v.exec, f.path FROM version v JOIN file f ON f.id = v.file "
            "WHERE v.made IN (1, 2) ORDER BY v.at"):
        if path.startswith(top) and b"/truth/" not in path and b"/locks/" not in path:
            made[process_of(exec_)].append((version, path))
    for (op, who), versions in made.items():
        if op in (None, "gone", "read"):
            continue
        for stage, (version, path) in enumerate(versions):
            there += 1
            have = content.get(version)
            hashed += bool(have)
            # also a file that is renamed away or linked has one version for each stage
            if have and have != truth[who].get(stage):
                wrong += 1
                print(f"WRONG {op} {who} stage {stage}: version {version} {path.decode()} "
                      f"has the hash of {stages.get(have, 'an unknown content')}")
    for exec_, version, path in db.execute(
            "SELECT a.exec, a.version, f.path FROM access a JOIN file f ON f.id = a.file "
            "JOIN version v ON v.id = a.version WHERE a.how = 1 AND v.made IN (0, 1, 2)"):
        op, who = process_of(exec_)
        if op != "read" or not path.startswith(top) or not truth[who]:
            continue
        there += 1
        have = content.get(version)
        hashed += bool(have)
        if have and b"/outside-" in path and have != truth[who].get(0):
            wrong += 1
            print(f"WRONG read {who}: version {version} {path.decode()} "
                  f"has the hash of {stages.get(have, 'an unknown content')}")
    print(f"{hashed} of {there} versions have a hash, {wrong} are wrong")
    return 1 if wrong or not hashed else 0


if __name__ == "__main__":
    sys.exit(main())
