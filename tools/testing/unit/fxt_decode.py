#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A second decoder of FXT files, written only from the format's specification.

usage: fxt_decode.py TRACE.txt TRACE.fxt
       fxt_decode.py --records TRACE.fxt RECORDS.json

Reads the etrace lines of TRACE.txt with a few regular expressions, decodes TRACE.fxt,
and compares the two: every call with its fields and strings, every fork, every program.
With --records, it decodes a TRACE.fxt of any origin, in either byte order, and compares
every record with the JSON from etrace-read.  Prints what differs; exit status 1 if
anything does.  Shares no code with the reader and the encoder that it checks.
"""
import errno
import json
import re
import signal
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
        self.values = {}        # by event number, for events with a value
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
        """Return the string of a ref; an inline one is removed from rest, a list [bytes]."""
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
    """Return the bytes of a string argument, which may be in parts or in hex."""
    for key in (name + "_hex", name):
        if key in args:
            s, i = args[key], 1
            while "%s+%d" % (key, i) in args:
                s += args["%s+%d" % (key, i)]
                i += 1
            return bytes.fromhex(s.decode()) if key != name else s
    return None


def words(line):
    """Split a command line as the FXT mapping writes it: words are plain, '...' or $'...'."""
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
    """Return complete calls as (kind, upid, cpu, time, {field or string: value})."""
    calls, now, last, latest = [], {}, {}, {}
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
            latest[upid] = now[upid]
        call = now.get(upid)
        if name == "Failed":
            latest[upid][4]["error"] = errno.errorcode[int(tag.group(3)[6:])].encode()
        if name == "Marks":
            for field in tag.group(3).decode().split(","):
                key, value = field.split("=")
                if value:
                    latest[upid][4][key] = "+".join(
                        {"A": "argv", "args": "arguments"}.get(s) or STRINGS[s]
                        for s in value.split("+")).encode()
        if name == "New_proc":
            call[4]["argv"] = []
        if name in BEGIN or name in GOES_ON:
            if name.endswith("Failed"):
                call[4]["failed"] = 1
            for field in filter(None, tag.group(3).decode().split(",")):
                key, value = field.split("=")
                if key == "signal":
                    call[4][key] = signal.Signals(int(value)).name.encode()
                elif not key.endswith("size"):
                    call[4][FORKS[name] if name in FORKS else key] = int(value)
            # the call is complete: later lines do not belong to it
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


# ---- any FXT file, with the names of Documentation/fxt-input.md ----

STATES = ["new", "running", "suspended", "blocked", "dying", "dead"]
EVENTS = ["instant", "counter", "duration begin", "duration end", "duration complete",
          "async begin", "async instant", "async end", "flow begin", "flow step", "flow end"]
VALUES = {1: "counter_id", 4: "end_time", 5: "async_correlation_id", 6: "async_correlation_id",
          7: "async_correlation_id", 8: "flow_correlation_id", 9: "flow_correlation_id",
          10: "flow_correlation_id"}
BLOBS = {1: "data", 2: "last branch records", 3: "perfetto"}


def put_bytes(out, name, s):
    """Add a member with the text of bytes; if they are not plain text, also one with hex."""
    try:
        out[name] = s.decode()
        plain = b"\0" not in s
    except UnicodeDecodeError:
        plain = False
    if not plain:
        out[name] = None        # its text is not compared
        out[name + "_hex"] = s.hex()


class Words:
    """The words of a record."""
    def __init__(self, data, at, order, tables):
        self.data, self.at, self.order, self.tables = data, at, order, tables

    def word(self, kind="Q"):
        v = struct.unpack_from(self.order + kind, self.data, self.at)[0]
        self.at += 8
        return v

    def stream(self, n):
        s = self.data[self.at:self.at + n]
        self.at += (n + 7) // 8 * 8
        return s

    def string(self, out, name, ref):
        put_bytes(out, name, self.stream(ref & 0x7fff) if ref & 0x8000 else
                  self.tables[0][ref] if ref else b"")
        out[name + "_ref"] = "inline" if ref & 0x8000 else ref

    def thread(self, ref, only_process=False):
        if ref:
            process, thread = self.tables[1][ref]
        else:
            process = self.word()
            thread = 0 if only_process else self.word()
        out = {"ref": ref or "inline", "process": process, "thread": thread}
        if only_process:
            del out["thread"]
        return out

    def args(self, n):
        out = []
        for _ in range(n):
            start = self.at
            head = self.word()
            arg = {}
            self.string(arg, "name", bits(head, 16, 31))
            kind = bits(head, 0, 3)
            arg["type"] = ["null", "int32", "uint32", "int64", "uint64", "double", "string",
                           "pointer", "koid", "boolean", "blob"][kind]
            if kind == 1:
                arg["value"] = bits(head, 32, 63) - (bits(head, 63, 63) << 32)
            elif kind == 2:
                arg["value"] = bits(head, 32, 63)
            elif kind in (3, 4, 5, 8):
                arg["value"] = self.word({3: "q", 5: "d"}.get(kind, "Q"))
            elif kind == 6:
                self.string(arg, "value", bits(head, 32, 47))
            elif kind == 7:
                arg["value"] = hex(self.word())
            elif kind == 9:
                arg["value"] = bool(bits(head, 32, 32))
            elif kind == 10:
                arg["value"] = self.stream(bits(head, 32, 63)).hex()
            self.at = start + bits(head, 4, 15) * 8
            out.append(arg)
        return out


def decode_scheduling(out, head, w):
    kind = bits(head, 60, 63)
    out["scheduling"] = ["legacy context switch", "context switch", "thread wakeup"][kind]
    out["timestamp"] = w.word()
    out["cpu"] = bits(head, 20, 35) if kind else bits(head, 16, 23)
    if kind == 0:
        out["outgoing_state"] = STATES[bits(head, 24, 27)]
        out["outgoing"] = w.thread(bits(head, 28, 35))
        out["incoming"] = w.thread(bits(head, 36, 43))
        out["outgoing_priority"] = bits(head, 44, 51)
        out["incoming_priority"] = bits(head, 52, 59)
        return
    if kind == 1:
        out["outgoing_state"] = STATES[bits(head, 36, 39)]
        out["outgoing"] = {"thread": w.word()}
        out["incoming"] = {"thread": w.word()}
    else:
        out["waking"] = {"thread": w.word()}
    out["args"] = w.args(bits(head, 16, 19))


def decode_profiler(out, head, w):
    kind = bits(head, 16, 19)
    out["profiler"] = ["module", "mmap", "backtrace"][kind]
    out["timestamp"] = w.word()
    out["thread"] = w.thread(bits(head, 20, 27))
    if kind < 2:
        out["module_id"] = bits(head, 28, 43)
    if kind == 0:
        put_bytes(out, "name", w.stream(bits(head, 44, 51)))
        put_bytes(out, "build_id", w.stream(bits(head, 52, 59)))
    elif kind == 1:
        out.update(flags=bits(head, 44, 46), start=hex(w.word()), range=w.word(),
                   module_address=hex(w.word()))
    else:
        out["frames"] = [hex(w.word()) for _ in range(bits(head, 28, 35))]


def decode_large(out, head, w):
    out["large"] = ["blob"][bits(head, 36, 39)]
    out["format"] = bits(head, 40, 43)
    form = w.word()
    w.string(out, "category", bits(form, 0, 15))
    w.string(out, "name", bits(form, 16, 31))
    if out["format"] == 0:
        out["timestamp"] = w.word()
        out["thread"] = w.thread(bits(form, 36, 43))
        out["args"] = w.args(bits(form, 32, 35))
    out["data_bytes"] = w.word()
    out["data"] = w.stream(out["data_bytes"]).hex()


def decode_metadata(out, head, w):
    kind = bits(head, 16, 19)
    out["metadata"] = {1: "provider info", 2: "provider section", 3: "provider event",
                       4: "trace info"}[kind]
    if kind == 4:
        out.update(trace_info_type=bits(head, 20, 23), magic=hex(bits(head, 24, 55)))
        return
    out["provider_id"] = bits(head, 20, 51)
    if kind == 1:
        put_bytes(out, "name", w.stream(bits(head, 52, 59)))
    elif kind == 3:
        out["event_id"] = bits(head, 52, 55)


def decode_event(out, head, w):
    kind = bits(head, 16, 19)
    out["event"] = EVENTS[kind]
    out["timestamp"] = w.word()
    out["thread"] = w.thread(bits(head, 24, 31))
    w.string(out, "category", bits(head, 32, 47))
    w.string(out, "name", bits(head, 48, 63))
    out["args"] = w.args(bits(head, 20, 23))
    if kind in VALUES:
        out[VALUES[kind]] = w.word()


def decode_record(out, head, w):
    kind = bits(head, 0, 3)
    out["record"] = {0: "metadata", 1: "initialization", 2: "string", 3: "thread", 4: "event",
                     5: "blob", 6: "userspace object", 7: "kernel object", 8: "scheduling",
                     9: "log", 10: "profiler", 15: "large"}[kind]
    if kind == 0:
        decode_metadata(out, head, w)
    elif kind == 1:
        out["ticks_per_second"] = w.word()
    elif kind == 2:
        out["index"] = bits(head, 16, 30)
        s = w.stream(bits(head, 32, 46))
        put_bytes(out, "value", s)
        w.tables[0][out["index"]] = s
    elif kind == 3:
        out.update(index=bits(head, 16, 23), process=w.word(), thread=w.word())
        w.tables[1][out["index"]] = (out["process"], out["thread"])
    elif kind == 4:
        decode_event(out, head, w)
    elif kind == 5:
        w.string(out, "name", bits(head, 16, 31))
        out["blob_type"] = bits(head, 48, 55)
        out["blob"] = BLOBS[out["blob_type"]]
        out["data"] = w.stream(bits(head, 32, 46)).hex()
    elif kind == 6:
        out["pointer"] = hex(w.word())
        out["process"] = w.thread(bits(head, 16, 23), True)
        w.string(out, "name", bits(head, 24, 39))
        out["args"] = w.args(bits(head, 40, 43))
    elif kind == 7:
        out.update(object_type=bits(head, 16, 23), koid=w.word())
        w.string(out, "name", bits(head, 24, 39))
        out["args"] = w.args(bits(head, 40, 43))
    elif kind == 8:
        decode_scheduling(out, head, w)
    elif kind == 9:
        out["timestamp"] = w.word()
        out["thread"] = w.thread(bits(head, 32, 39))
        put_bytes(out, "message", w.stream(bits(head, 16, 30)))
    elif kind == 10:
        decode_profiler(out, head, w)
    else:
        decode_large(out, head, w)


def decode_file(data):
    """Yield all records of a file without errors, as --to json shows them."""
    order = "<" if data[:1] == b"\x10" else ">"
    tables, provider, at = defaultdict(lambda: ({}, {})), 0, 0
    while at < len(data):
        head = struct.unpack_from(order + "Q", data, at)[0]
        size = bits(head, 4, 35 if bits(head, 0, 3) == 15 else 15)
        if bits(head, 0, 3) == 0 and bits(head, 16, 19) in (1, 2):
            provider = bits(head, 20, 51)
        w = Words(data, at + 8, order, tables[provider])
        out = {"offset": at, "words": size, "provider": provider}
        decode_record(out, head, w)
        if w.at != at + 8 * size:
            wrong("record at", at, "has", size, "words, read were", (w.at - at) // 8)
        yield out
        at += 8 * size


def shown(v):
    """Return a value without the texts of bytes that are no text: these are not compared."""
    if isinstance(v, dict):
        return {k: None if k + "_hex" in v else shown(x) for k, x in v.items()}
    return [shown(x) for x in v] if isinstance(v, list) else v


def compare_records(fxt, lines):
    with open(fxt, "rb") as f:
        here = list(decode_file(f.read()))
    with open(lines, encoding="utf-8") as f:
        there = [json.loads(line) for line in f]
    if len(here) != len(there):
        wrong(len(here), "records, but", len(there), "lines")
    for mine, theirs in zip(here, there):
        if mine != shown(theirs):
            wrong("decoded", mine, "but shown", theirs)
    print("\n".join(errors[:20] + ["%d records, %d differences" % (len(here), len(errors))]))
    return 1 if errors or not here else 0


# ---- the process "build" ----

BUILD = 0x7fff0000
LANES = range(BUILD + 1, BUILD + 4097)


def working(calls):
    """Return when programs work: intervals without live children, from forks and exits alone."""
    parents, born, died = {}, {}, {}
    threads = set()
    first, last = calls[0][3], max(c[3] for c in calls)
    for kind, upid, _, time, args in calls:
        child = args.get("child")
        if child is not None and args.get("flags", 0) & 0x10000:
            threads.add(child)
        elif child is not None:
            parents[child], born[child] = upid, time
        born.setdefault(upid, time)
        if kind == "exit":
            died[upid] = time
    if threads:
        return None         # with threads, the end of a task need not be that of its process
    moments = []
    for upid in born:
        moments += [(born[upid], 0, upid), (died.get(upid, last), 1, upid)]
    moments.sort(key=lambda m: m[:2])
    live, children, since, out = set(), Counter(), {}, []
    for time, ends, upid in moments:
        parent = parents.get(upid)
        if not ends:
            if parent in live and not children[parent]:
                out.append((since[parent], time))
            children[parent] += 1
            live.add(upid)
            since[upid] = time
        else:
            if not children[upid]:
                out.append((since[upid], time))
            live.discard(upid)
            children[parent] -= 1
            if parent in live and not children[parent]:
                since[parent] = time
    return first, last, [(a, b) for a, b in out if a < b]


def most(intervals):
    """Return the largest number of intervals at the same time."""
    now = top = 0
    for _, step in sorted([(a, 1) for a, _ in intervals] + [(b, -1) for _, b in intervals],
                          key=lambda m: (m[0], m[1])):
        now += step
        top = max(top, now)
    return top


def check_build(fxt, calls):
    """Compare the lanes, the counter and the critical path with working()."""
    truth = working(calls)
    lanes, path, counts = defaultdict(list), [], []
    for number, (kind, time, thread, category, name, args) in enumerate(fxt.events):
        if thread[0] != BUILD:
            continue
        if kind == 4 and thread[1] in LANES:
            lanes[thread[1]].append((time, fxt.values[number], name))
        elif kind == 4 and thread[1] == BUILD:
            path.append((time, fxt.values[number]))
        elif kind == 1:
            counts.append((time, args))
    if not truth:
        return
    first, last, intervals = truth
    mine = [(a, b) for lane in lanes.values() for a, b, _ in lane]
    for lane in lanes.values():
        for before, after in zip(lane, lane[1:]):
            if before[1] > after[0]:
                wrong("slices of one lane overlap", before, after)
    if sum(b - a for a, b in mine) != sum(b - a for a, b in intervals):
        wrong("work in lanes", sum(b - a for a, b in mine), "and not",
              sum(b - a for a, b in intervals))
    if len(lanes) != most(intervals):
        wrong(len(lanes), "lanes for", most(intervals), "programs at once")
    # the critical path has no gaps
    if [b for _, b in path[:-1]] != [a for a, _ in path[1:]] or not path or \
            (path[0][0], path[-1][1]) != (first, last):
        wrong("the critical path has holes", path[:3], path[-3:], first, last)
    # the counter: how many programs work from each time on, by class
    now = Counter()
    changes = Counter()
    for a, b in intervals:
        changes[a] += 1
        changes[b] -= 1
    total = 0
    expected = {}
    for time in sorted(changes):
        total += changes[time]
        expected[time] = total
    for time, args in counts:
        now.update({k: v - now[k] for k, v in args.items()})
        if expected.get(time) != sum(now.values()):
            wrong("counted", dict(now), "at", time, "and not", expected.get(time))
    if not counts or sum(now.values()):
        wrong("the counter ends with", dict(now))


# ---- compare the lines and the FXT file ----

def freeze(args):
    return tuple(sorted((k, tuple(v) if isinstance(v, list) else v) for k, v in args.items()))


def main():
    if sys.argv[1] == "--records":
        return compare_records(sys.argv[2], sys.argv[3])
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
    complete = {}                       # the last complete slice of a thread
    steps = {8: [], 10: []}             # flows of the critical path
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
        elif kind == 4 and thread[0] == BUILD:
            complete[thread] = time, fxt.values[number]
            continue
        elif kind in (8, 10) and thread[0] == BUILD:
            if not complete[thread][0] <= time < complete[thread][1]:
                wrong("flow outside a slice of the critical path at", time)
            steps[kind].append(value)
            continue
        elif kind in (8, 10):
            if not stacks[thread]:
                wrong("flow outside a slice at", time)
            side = begun if kind == 8 else ended
            if value in side:
                wrong("flow", value, "twice")
            side[value] = thread
        if kind == 2 and category == "exec":
            what = "exec"
        elif kind == 3 and "cpu" in args:   # all exits have it
            what = "exit"
        elif kind in (0, 4) and name in kinds:
            what = name
        else:
            if (category, name) == ("etrace", "verdict"):
                verdict = args
            continue
        event = (what, thread, time, category, dict(args))
        shown.append(event)

    if steps[8] != steps[10] or len(set(steps[8])) != len(steps[8]):
        wrong("flows of the critical path that begin or end only")
    check_build(fxt, calls)
    if begun.keys() != ended.keys():
        wrong("flows that begin or end only")
    for thread, stack in stacks.items():
        if stack:
            wrong("slices left open", thread, stack)
    if not verdict or "complete" not in verdict:
        wrong("no verdict")

    # omitted values are the same as in the last record that has them
    cpus, recorded = {}, {}
    for what, thread, _, _, args in shown:
        cpus[thread] = args.setdefault("cpu", cpus.get(thread))
        steady = {"open": ("mode", "dev", "ino", "size", "mtime_ns", "type"),
                  "open_failed": ("flags",)}.get(what, ())
        if steady and not any(key in args for key in steady):
            before, values = recorded.get(args["path"], (None, ()))
            if before == what:
                args.update(zip(steady, values))
        elif steady and all(key in args for key in steady):
            recorded[args["path"]] = what, [args[key] for key in steady]

    # koids stand for upids; in the files tested here no koid was reused
    for (kind, koid), (_, args) in fxt.objects.items():
        if kind == 2 and "upid" in args:
            upids[koid] = args["upid"]
    here = Counter()
    for what, thread, time, _, args in shown:
        plain = {}
        for key in args:
            base = re.sub(r"(_hex)?(\+\d+)?$", "", key)
            if base in ("cpu", "pid", "stamps", "late") or base[0].isupper():
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

    # every fork is a flow from the caller to its child
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
