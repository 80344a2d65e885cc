#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare what strace and etrace record about the same processes.

	strace_compare.py [--all] DIRECTORY TRACE

DIRECTORY: logs of strace -ff -o DIRECTORY/pid -y -X raw, one file for each process.
TRACE: lines of etrace, with 22 bits of the real pid, and extended.

Both must have every process, with the same events in the same order: programs and
their arguments; files opened, with the user's name and the kernel's; failed execs and
opens, with their errors; descriptors closed and copied; pipes; renames and links; what is
made, changed and removed in the file system; changes of directory; children; the exit.

--all: also the bytes that each program read and wrote through each descriptor, what
execve closed, sockets and their addresses, queries (record=probes,dirs). Each kind of
event must occur.

What strace sees differently:

- For a script, it sees the arguments of execve. The kernel turns them into the
  interpreter with its argument, the script, and the arguments without the first.
- Its name of a file that is renamed, linked, made, changed or removed is the user's.
  It is made canonical here, and so is etrace's name for a failed call. If the lookup
  failed, etrace may have no name.
- chmod of a descriptor with O_PATH (mknod -m, mkfifo -m) is libc's chmod of
  /proc/self/fd/N; the kernel names the file.
- If execve fails with a relative name, strace does not say in which directory.
- It does not say what execve closes, and what was read and written until then. This is
  computed from all earlier calls of the process and its ancestors.
- etrace traces the first process only from its execve of make on.
"""
import collections
import errno
import glob
import os
import sys

from etrace_events import PID_MASK, PLAIN, Etrace, etrace_lines
from strace_events import Strace, canonical

# Kinds that strace also traces in a build; no other ones of PLAIN are compared there.
OF_BUILDS = {"Mkdir", "Mknod", "Truncate", "Chmod", "Chown", "Utimens", "Unlink", "Chdir",
             "Chroot"}
# Errors of names that could not be looked up: etrace has no name then (kernel/etrace_rules.h).
NOT_LOOKED_UP = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES,
                 errno.ENAMETOOLONG, errno.EFAULT, errno.EBADF, errno.ESTALE}


def script_argv(path, cwd, argv):
    """Return the program that the kernel runs when a file is executed, and its arguments."""
    full = os.path.join(cwd, path)
    with open(full, "rb") as f:
        first = f.readline(256).decode("latin-1")
    if not first.startswith("#!"):
        return os.path.realpath(full), argv
    words = first[2:].strip().split(None, 1)
    return script_argv(words[0], cwd, tuple(words + [path]) + argv[1:])


def same_exec(s, e):
    """Return whether an execve of strace and a New_proc of etrace are the same."""
    _, path, argv = s
    _, interp, program, cwd, eargv = e
    if program != os.path.realpath(os.path.join(cwd, path)):
        return False
    # The programs of the build still exist, so their first lines can be read.
    return script_argv(path, cwd, argv) == (interp, eargv)


def same(s, e):
    if s[0] == e[0] == "exec":
        return same_exec(s, e)
    if s[0] == e[0] == "exec failed" and not s[1].startswith("/"):
        return e[1].endswith("/" + s[1]) and s[2] == e[2]
    if s[0] == e[0] in PLAIN and s[1] == e[1] != 0 and s[3] == e[3]:
        if e[2] is None:
            return s[1] in NOT_LOOKED_UP
        return canonical(e[2]) == canonical(s[2])
    return s == e


def of_build(events):
    """Yield the events without those that strace is not asked for when it traces a build."""
    for e in events:
        if e[0] == "close":
            yield e[:2]
        elif e[0] not in ("use", "close by execve", "Readlink") and \
                (e[0] not in PLAIN or e[0] in OF_BUILDS):
            yield e


def together(events):
    """Add uses that were recorded at once to those at the end of the descriptor or program.

    BPF records each use of a descriptor above 127 at once, since it keeps no sums for these.
    """
    early = {}
    for e in events:
        if e[0] == "use" and e[1] > 127:
            early[e[1]] = added(early.get(e[1]), e[2:])
            continue
        if e[0] in ("close", "close by execve") and e[1] in early:
            e = e[:2] + added(early.pop(e[1]), e[2:])
        elif e[0] in ("exec", "exit"):
            yield from (("use", fd) + early.pop(fd) for fd in sorted(early))
        yield e


def added(a, b):
    return tuple(y if x is None else x if y is None else x + y
                 for x, y in zip(a or (None, None), b))


def main():
    build = sys.argv[1] != "--all"
    directory, trace = sys.argv[-2:]
    # Parents come before their children, which begin with the state of their parents.
    st, et, born = {}, {}, {}
    for pid, path in sorted((int(p.rsplit(".", 1)[1]), p) for p in glob.glob(directory + "/*")):
        st[pid] = Strace(path, born).events
    for upid, lines in etrace_lines(trace).items():
        if upid & PID_MASK in et:
            sys.exit("a pid was used twice: these processes cannot be distinguished")
        et[upid & PID_MASK] = Etrace(lines).events

    # Compare the first process only from its execve of make on.
    first = min(st)
    begin = max(i for i, e in enumerate(st[first]) if e[0] == "exec")
    st[first] = st[first][begin:]
    begin = min(i for i, e in enumerate(et[first]) if e[0] == "exec")
    et[first] = et[first][begin:]

    for side in st, et:
        for pid in side:
            side[pid] = list(together(side[pid]))
    if build:
        for side in st, et:
            for pid in side:
                side[pid] = list(of_build(side[pid]))

    bad = 0
    for pid in sorted(st.keys() | et.keys()):
        s, e = st.get(pid, []), et.get(pid, [])
        for i in range(max(len(s), len(e))):
            if i < len(s) and i < len(e) and same(s[i], e[i]):
                continue
            bad += 1
            if bad <= 5:
                print(f"# process {pid}, event {i + 1}:")
                print(f"#   strace: {s[i] if i < len(s) else None}")
                print(f"#   etrace: {e[i] if i < len(e) else None}")
            break
    n = collections.Counter(e[0] for events in et.values() for e in events)
    print(f"# {len(et)} processes, of which {bad} differ; " +
          ", ".join(f"{v} {k}" for k, v in sorted(n.items())))
    if not build:
        missing = [kind for kind in PLAIN if not n[kind]]
        if missing or not n["use"] or not n["close by execve"]:
            print("# these kinds of events did not occur:", *missing)
            bad += 1
    elif len(st) < 200 or n["exec"] < 200 or n["open"] < 1000:
        print("# too few events: this was no build of some hundred processes")
        bad += 1
    return 1 if bad else 0


sys.exit(main())
