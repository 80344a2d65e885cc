#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Check that the documents of the line format have all lines of kernel/etrace_events.def.

usage: line_format.py [DEF DOCUMENT...]

Each document must have each line of an event as TAG|field=,field= with all fields
in order, and each tag of a string.  Prints what is missing; exit 1 if anything is.
"""
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


def lines_of(text):
    """Return {tag of a line: its fields}, {tags of strings}."""
    lines, strings, tag = {}, set(), None
    for macro, args in re.findall(r"^\s*([A-Z_]+)\(([^)]*)\)", text, re.M):
        args = [a.strip() for a in args.split(",")]
        if macro == "LINE":
            tag = args[1]
            lines[tag] = []
        elif macro in ("SIZE", "SIZE_MAY"):
            lines[tag].append(args[3])
        elif macro == "FIELD":
            lines[tag].append(args[2])
        elif macro in ("TEXT", "TEXT_ARGS"):
            strings.add(args[2])
    return lines, strings


def plain(text):
    """Return a document's text without the escapes of Markdown and roff."""
    text = re.sub(r"\\f.|\\&|\\\||\\e", lambda m: "|" if m.group() == "\\|" else "", text)
    return text.replace("\\-", "-")


def main():
    names = sys.argv[1:] or [os.path.join(TOP, p) for p in (
        "kernel/etrace_events.def", "Documentation/line-format.md")]
    with open(names[0], encoding="utf-8") as f:
        text = f.read()
    lines, strings = lines_of(text[text.index("\nEVENT("):])
    if not lines or not strings:
        sys.exit(f"{names[0]}: no events")
    bad = False
    for name in names[1:]:
        with open(name, encoding="utf-8") as f:
            document = plain(f.read())
        for tag, fields in lines.items():
            found = [re.findall(r"(\w+)=", m) for m in
                     re.findall(r"(?<!\w)%s\|([\w=,.\[\]]*)" % tag, document)]
            if fields not in found:
                print(f"{os.path.basename(name)}: {tag}|{'=,'.join(fields + [''])[:-1]} "
                      "is missing")
                bad = True
        for tag in sorted(strings):
            if not re.search(r"(?<!\w)%s(?!\w)" % tag, document):
                print(f"{os.path.basename(name)}: {tag} is missing")
                bad = True
    sys.exit(bad)


if __name__ == "__main__":
    main()
