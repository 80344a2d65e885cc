#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A second opinion on FXT files: written from the format document alone.

usage: fxt_decode.py TRACE.txt TRACE.fxt

Reads the etrace lines of TRACE.txt by a few regular expressions, decodes
TRACE.fxt, and compares what both say: every call with its fields and strings,
who made whom, what ran.  Prints what differs; exit status 1 if anything does.
Shares no code with the reader or the encoder that it checks.
"""
import re
import struct
import sys
from collections import Counter, defaultdict

errors = []


def wrong(*what):
    errors.append(" ".join(str(w) for w in what))


# ---- the Fuchsia trace format ----

def bits(word, low, high):
    return (word >> low) & ((1 << (high - low + 1)) - 1)


class Fxt:
    def __init__(self, data):
        self.strings = {0: b""}
        self.threads = {}
        self.first_string = None
        self.events = []        # in the order of the file
        self.values = {}        # of those events that have one
        self.objects = {}       # (type, koid) -> (name, args)
        self.providers = []
        self.ticks = None
        self.lost = 0
        at = 0
        if struct.unpack_from("<Q", data)[0] != 0x0016547846040010:
            wrong("no magic number")
        while at < len(data):
            head = struct.unpack_from("<Q", data, at)[0]
            size = bits(head, 4, 15) * 8
            if not size or at + size > len(data):
                wrong("record of", size, "bytes at", at)
                return
            self.record(bits(head, 0, 3), head, data[at:at + size])
            at += size

    def string(self, ref, rest):
        """A string ref; rest is [bytes], from which an inline one is taken."""
        if ref & 0x8000:
            n = ref & 0x7fff
            s, rest[0] = rest[0][:n], rest[0][(n + 7) // 8 * 8:]
            return s
        if ref not in self.strings:
            wrong("string", ref, "was never registered")
            return b""
        return self.strings[ref]

    def arguments(self, n, rest):
        args = {}
        for _ in range(n):
            head = struct.unpack_from("<Q", rest[0])[0]
            kind, size = bits(head, 0, 3), bits(head, 4, 15) * 8
            body, rest[0] = [rest[0][8:size]], rest[0][size:]
            name = self.string(bits(head, 16, 31), body).decode()
            if kind == 0:
                value = None
            elif kind == 1:
                value = struct.unpack("<i", struct.pack("<I", bits(head, 32, 63)))[0]
            elif kind == 2:
                value = bits(head, 32, 63)
            elif kind == 3:
                value = struct.unpack_from("<q", body[0])[0]
            elif kind in (4, 7, 8):
                value = struct.unpack_from("<Q", body[0])[0]
            elif kind == 5:
                value = struct.unpack_from("<d", body[0])[0]
            elif kind == 6:
                value = self.string(bits(head, 32, 47), body)
            else:
                wrong("argument of type", kind)
                value = None
            if name in args:
                wrong("argument", name, "twice")
            args[name] = value
        return args

    def record(self, kind, head, raw):
        rest = [raw[8:]]
        if kind == 0:
            if bits(head, 16, 19) == 1:
                n = bits(head, 52, 59)
                self.providers.append((bits(head, 20, 51), rest[0][:n]))
            elif bits(head, 16, 19) == 3:
                self.lost += 1
        elif kind == 1:
            self.ticks = struct.unpack("<Q", rest[0])[0]
        elif kind == 2:
            s = rest[0][:bits(head, 32, 46)]
            s.decode()          # must be UTF-8
            self.strings[bits(head, 16, 30)] = s
            if self.first_string is None:
                self.first_string = s
        elif kind == 3:
            self.threads[bits(head, 16, 23)] = struct.unpack("<QQ", rest[0])
        elif kind == 4:
            time = struct.unpack_from("<Q", rest[0])[0]
            rest[0] = rest[0][8:]
            ref = bits(head, 24, 31)
            if ref:
                thread = self.threads[ref]
            else:
                thread = struct.unpack_from("<QQ", rest[0])
                rest[0] = rest[0][16:]
            category = self.string(bits(head, 32, 47), rest).decode()
            name = self.string(bits(head, 48, 63), rest).decode()
            args = self.arguments(bits(head, 20, 23), rest)
            value = struct.unpack("<Q", rest[0])[0] if rest[0] else None
            self.events.append((bits(head, 16, 19), time, thread, category, name, args))
            if value is not None:
                self.values[len(self.events) - 1] = value
        elif kind == 7:
            koid = struct.unpack_from("<Q", rest[0])[0]
            rest[0] = rest[0][8:]
            name = self.string(bits(head, 24, 39), rest).decode()
            args = self.arguments(bits(head, 40, 43), rest)
            if bits(head, 16, 23) == 2 and list(args)[:1] != ["process"]:
                wrong("thread", koid, "without its process first")
            self.objects[bits(head, 16, 23), koid] = (name, args)


def whole(args, name):
    """The bytes of a string argument: in parts, or in hex."""
    for key in (name + "_hex", name):
        if key in args:
            s, i = args[key], 1
            while "%s+%d" % (key, i) in args:
                s += args["%s+%d" % (key, i)]
                i += 1
            return bytes.fromhex(s.decode()) if key != name else s
    return None


def words(line):
    """A command line as the mapping writes it: plain, '...' or $'...'."""
    out, i = [], 0
    while i < len(line):
        if line[i:i + 2] == b"$'":
            w, i = b"", i + 2
            while line[i:i + 1] != b"'":
                if line[i:i + 1] != b"\\":
                    w += line[i:i + 1]
                    i += 1
                elif line[i + 1:i + 2] == b"x":
                    w += bytes.fromhex(line[i + 2:i + 4].decode())
                    i += 4
                else:
                    w += {b"n": b"\n", b"t": b"\t"}.get(line[i + 1:i + 2], line[i + 1:i + 2])
                    i += 2
            i += 1
        elif line[i:i + 1] == b"'":
            end = line.index(b"'", i + 1)
            w, i = line[i + 1:end], end + 1
        else:
            end = line.find(b" ", i)
            end = len(line) if end < 0 else end
            w, i = line[i:end], end
        out.append(w)
        i += 1
    return out


# ---- the etrace line format ----

LINE = re.compile(rb"(?:^|^.*?\d: [\w.+/-]+: |^[\w.+/-]+: )(\d+),(\d+),(\d+),(\d+)!(.*)$", re.S)
FORKS = {"SchedFork": "child"}
STRINGS = {"PI": "interpreter", "PP": "path", "CW": "cwd", "FN": "path", "FO": "original",
           "RF": "from", "RT": "to", "LF": "from", "LT": "to", "ST": "target",
           "SR": "resolved", "SL": "path", "MS": "source", "MT": "target", "MX": "type",
           "CN": "comm"}
BEGIN = {"New_proc": "exec", "SysClone": "clone", "Exit": "exit", "Open": "open",
         "Close": "close", "Dup": "dup", "Pipe": "pipe", "RenameFrom": "rename",
         "Rename2From": "rename", "LinkFrom": "link", "LinkatFrom": "link",
         "Symlink": "symlink", "Mount": "mount", "Umount": "umount", "Comm": "comm"}
GOES_ON = {"SchedFork": "clone", "SysCloneFailed": "clone", "RenameTo": "rename",
           "RenameFailed": "rename", "LinkTo": "link", "LinkFailed": "link",
           "MountFailed": "mount", "UmountFailed": "umount", "End_of_args": "exec",
           "ExitSignal": "exit"}


def read_lines(data):
    """Calls as (kind, upid, cpu, time, {field or string: value}), complete ones."""
    calls, now, last = [], {}, {}
    for raw in data.split(b"\n"):
        m = LINE.match(raw)
        if not m:
            continue
        upid, cpu, sec, ns = (int(x) for x in m.groups()[:4])
        text = m.group(5)
        tag = re.match(rb"(\w+?)(_end)?(?:\|(.*)|\[(\d+)\](.*)|)$", text, re.S)
        name, end = tag.group(1).decode(), tag.group(2)
        if name in BEGIN or (name in GOES_ON and
                             (upid not in now or now[upid][0] != GOES_ON[name])):
            kind = BEGIN.get(name) or GOES_ON[name]
            now[upid] = (kind, upid, cpu, sec * 10**9 + ns, {})
            calls.append(now[upid])
        call = now.get(upid)
        if name == "New_proc":
            call[4]["argv"] = []
        if name in BEGIN or name in GOES_ON:
            if name.endswith("Failed"):
                call[4]["failed"] = 1
            for field in filter(None, tag.group(3).decode().split(",")):
                key, value = field.split("=")
                if not key.endswith("size"):
                    call[4][FORKS[name] if name in FORKS else key] = int(value)
            # one that is done is not gone on with
            if name in ("SchedFork", "SysCloneFailed", "RenameFailed", "LinkFailed",
                        "End_of_args", "UmountFailed", "MountFailed"):
                now.pop(upid)
        elif name == "A":
            argv = call[4].setdefault("argv", [])
            if int(tag.group(4)) == len(argv):
                argv.append(b"")
            argv[-1] += tag.group(5)
            last[upid] = "argv"
        elif name in STRINGS and not end:
            key = STRINGS[name]
            call[4][key] = call[4].get(key, b"") + (tag.group(5) if tag.group(4) else tag.group(3))
            last[upid] = key
        elif name == "Cont" and not end:
            if last[upid] == "argv":
                call[4]["argv"][-1] += b"\n" + tag.group(3)
            else:
                call[4][last[upid]] += b"\n" + tag.group(3)
    return calls


# ---- both ----

def freeze(args):
    return tuple(sorted((k, tuple(v) if isinstance(v, list) else v) for k, v in args.items()))


def main():
    with open(sys.argv[1], "rb") as f:
        calls = read_lines(f.read())
    with open(sys.argv[2], "rb") as f:
        fxt = Fxt(f.read())
    if fxt.providers != [(1, b"etrace")]:
        wrong("providers", fxt.providers)
    if fxt.ticks != 1000000000:
        wrong("ticks", fxt.ticks)
    if fxt.first_string != b"process":
        wrong("first string", fxt.first_string)

    upids, shown = {}, []
    stacks = defaultdict(list)          # open slices of a thread
    begun, ended = {}, {}               # flows
    slices = Counter()
    kinds = {"exec", "exit", "open", "close", "dup", "pipe", "rename", "link", "symlink",
             "mount", "umount", "comm", "clone"}
    verdict = None
    event = None
    for number, (kind, time, thread, category, name, args) in enumerate(fxt.events):
        value = fxt.values.get(number)
        if (category, name) == ("etrace", "more"):
            event[4].update(args)
            continue
        if (2, thread[1]) not in fxt.objects:
            wrong("thread", thread, "has no name")
        if kind == 2:
            stacks[thread].append((category, name))
            slices[category] += 1
        elif kind == 3:
            if not stacks[thread]:
                wrong("end without a begin at", time)
            else:
                stacks[thread].pop()
        elif kind in (8, 10):
            if not stacks[thread]:
                wrong("flow outside a slice at", time)
            side = begun if kind == 8 else ended
            if value in side:
                wrong("flow", value, "twice")
            side[value] = thread
        if kind == 2 and category == "exec":
            what = "exec"
        elif kind == 3 and "cpu" in args:
            what = "exit"
        elif kind in (0, 4) and name in kinds:
            what = name
        else:
            if (category, name) == ("etrace", "verdict"):
                verdict = args
            continue
        event = (what, thread, time, category, dict(args))
        shown.append(event)

    if begun.keys() != ended.keys():
        wrong("flows that begin or end only")
    for thread, stack in stacks.items():
        if stack:
            wrong("slices left open", thread, stack)
    if not verdict or "complete" not in verdict:
        wrong("no verdict")

    # koids stand for upids; no koid was used again in the files that this is for
    for (kind, koid), (_, args) in fxt.objects.items():
        if kind == 2 and "upid" in args:
            upids[koid] = args["upid"]
    here = Counter()
    for what, thread, time, _, args in shown:
        plain = {}
        for key in args:
            base = re.sub(r"(_hex)?(\+\d+)?$", "", key)
            if base in ("cpu", "stamps", "late") or base[0].isupper():
                continue
            if base == "argv":
                plain["argv"] = words(whole(args, "argv"))
            elif isinstance(args[key], bytes):
                plain[base] = whole(args, base)
            else:
                plain[base] = args[key]
        here[what, upids.get(thread[1]), args["cpu"], time, freeze(plain)] += 1
    there = Counter((kind, upid, cpu, time, freeze(args))
                    for kind, upid, cpu, time, args in calls)
    for call in (there - here).keys():
        wrong("not in the FXT file:", call)
    for call in (here - there).keys():
        wrong("only in the FXT file:", call)

    # every fork is a flow, from who made the call to who was made
    made = Counter((upid, args["child"]) for kind, upid, _, _, args in calls if "child" in args)
    flows = Counter((upids.get(begun[f][1]), upids.get(ended[f][1])) for f in begun)
    if made != flows:
        wrong("forks", made - flows, "flows", flows - made)
    # every program is a slice
    if slices["exec"] != sum(1 for c in calls if c[0] == "exec"):
        wrong("slices of programs:", slices["exec"])

    for e in errors[:20]:
        print(e)
    print("%d calls, %d differences" % (len(calls), len(errors)))
    return 1 if errors or not calls else 0


sys.exit(main())
