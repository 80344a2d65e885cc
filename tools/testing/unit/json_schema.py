#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Check lines of JSON against a schema.

usage: json_schema.py [--part] SCHEMA FILE...

Every line of the FILEs must be valid; the first lines of each kind must become
invalid when an unknown member is added.  Every alternative of the schema must
occur, unless --part says that the FILEs have only some of them.
"""
import json
import os
import sys

try:
    import jsonschema
except ImportError:
    sys.exit("json_schema.py: no module jsonschema: make deps, package python3-jsonschema")


def once(pairs):
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        sys.exit("a name twice in one object: %s" % names)
    return dict(pairs)


def main():
    part = sys.argv[1] == "--part"
    if part:
        del sys.argv[1]
    with open(sys.argv[1], encoding="utf-8") as f:
        schema = json.load(f)
    jsonschema.Draft202012Validator.check_schema(schema)
    by_kind = {}
    for row in schema["oneOf"]:
        kind = row["$ref"].rsplit("/", 1)[1]
        by_kind[kind] = jsonschema.Draft202012Validator(
            {"$defs": schema["$defs"], "$ref": row["$ref"]})
    whole = jsonschema.Draft202012Validator(schema)
    seen = {}
    # How many lines of each kind to check against all rows, which is slow.
    most = 200 if os.environ.get("LONG") == "y" else 2
    lines = 0
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                event = json.loads(line, object_pairs_hook=once)
                where = "%s: line %d: " % (name, number)
                # the row of the line's own kind gives the clearest error
                kind = event.get("event") or next(
                    (k for k, v in by_kind.items() if v.is_valid(event)), None)
                if kind not in by_kind and "event" in event:
                    sys.exit(where + "no row of the schema is for the event %r" % kind)
                row = by_kind.get(kind, whole)
                for error in row.iter_errors(event):
                    sys.exit(where + error.message + "\n" + line)
                lines += 1
                seen[kind] = seen.get(kind, 0) + 1
                if seen[kind] > 200:
                    continue
                if row.is_valid(dict(event, stranger=1)):
                    sys.exit(where + "an unknown member would be valid\n" + line)
                if seen[kind] > most:
                    continue
                if not whole.is_valid(event):
                    sys.exit(where + "more than one row of the schema fits\n" + line)
                if whole.is_valid(dict(event, stranger=1)):
                    sys.exit(where + "another row fits with an unknown member\n" + line)
    missing = by_kind.keys() - seen.keys()
    if missing and not part:
        sys.exit("never seen: %s" % ", ".join(sorted(missing)))
    print("%d lines are valid" % lines)


main()
