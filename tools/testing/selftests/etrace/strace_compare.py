#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare what strace and etrace say of the same processes.

	strace_compare.py DIRECTORY TRACE

DIRECTORY: strace -ff -o DIRECTORY/pid -y -X raw, one file for each process.
TRACE: lines of etrace, with 22 bits of real pid, and extended.

Every process must be in both, with the same events in the same order: the
programs that it ran with their arguments, the files that it opened by the
user's names and the kernel's, those of both that failed and why, descriptors closed and
copied, pipes, renames, links, children, and its end.  What strace sees differently:

- Of a script it sees what was passed to execve; the kernel makes of it the
  interpreter with its argument, the script, and the arguments but the first.
- Its name for a renamed or linked file is the user's; it is made canonical
  here.
- It does not say in which directory a name that execve failed with begins.
- The first process is traced by etrace from its execve of make on.
"""
import collections
import errno
import glob
import os
import re
import sys

PID_MASK = (1 << 22) - 1
AT_FDCWD = "-100"
O_CREAT, O_TMPFILE = 0o100, 0o20000000
EXECUTED = "execve: "


# ---- strace ----------------------------------------------------------------

def unquote(s):
    """A C string of strace, without its quotes, as text of Latin 1."""
    return re.sub(r"\\([0-7]{1,3}|x[0-9a-f]{2}|.)", unescape, s)


def unescape(m):
    e = m.group(1)
    if e[0] in "01234567":
        return chr(int(e, 8))
    if e[0] == "x":
        return chr(int(e[1:], 16))
    return {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f"}.get(e, e)


def number(s):
    """As C writes it: 0x.., 0.. is octal."""
    return int(s, 8) if re.match("0[0-7]+$", s) else int(s, 0)


STRING = r'"((?:[^"\\]|\\.)*)"'
FD = r"(-?\d+)(?:<([^>]*)>)?"


def strings(s):
    return [unquote(x) for x in re.findall(STRING, s)]


def join(dirfd, dirname, name):
    """As etrace builds FO."""
    return name if name.startswith("/") else dirname + "/" + name


def error(ret, rest):
    """The number of an error: " ENOENT (No such file or directory)"."""
    m = re.match(r" (E\w+)", rest)
    return getattr(errno, m.group(1)) if m else -ret


def canonical(path):
    """The name that the kernel has for an entry of a directory."""
    head, tail = os.path.split(path.rstrip("/"))
    return os.path.join(os.path.realpath(head), tail)


def fd_path(text):
    """strace writes odd bytes of names in its own way."""
    return unquote(text.replace("(deleted)", " (deleted)").replace("  (", " ("))


class Strace:
    """The events of one process."""

    def __init__(self, path):
        self.events = []
        self.cwd = None
        with open(path, encoding="latin-1") as f:
            for line in f:
                self.line(line.rstrip("\n"))

    def line(self, line):
        m = re.match(r"\+\+\+ exited with (\d+) \+\+\+", line)
        if m:
            self.events.append(("exit", int(m.group(1))))
            return
        if re.match(r"\+\+\+ killed by ", line):
            self.events.append(("exit", 0))
            return
        m = re.match(r"(\w+)\((.*)\)\s+= (-?\d+|\?|0x[0-9a-f]+)(.*)$", line)
        if not m:
            sys.exit(f"strace: cannot read: {line}")
        name, args, ret, rest = m.groups()
        if ret == "?":
            return
        ret = number(ret)
        handler = getattr(self, "do_" + name, None)
        if not handler:
            sys.exit(f"strace: unknown call: {line}")
        handler(args, ret, rest)

    def do_execve(self, args, ret, rest):
        if ret < 0:
            path = re.match(STRING, args).group(1)
            self.events.append(("exec failed", unquote(path), error(ret, rest)))
            return
        path, argv = re.match(STRING + r", \[(.*)\], ", args).groups()
        self.events.append(("exec", unquote(path), tuple(strings(argv))))

    def do_openat(self, args, ret, rest):
        m = re.match(FD + ", " + STRING + r", (\w+)(?:, (\w+))?$", args)
        dirfd, dirname, name, flags, mode = m.groups()
        flags = number(flags)
        if ret < 0:
            name = join(dirfd, fd_path(dirname or ""), unquote(name))
            self.events.append(("open failed", name, flags, error(ret, rest)))
            return
        mode = number(mode) if mode and flags & (O_CREAT | O_TMPFILE) else 0
        self.events.append(("open", join(dirfd, fd_path(dirname or ""), unquote(name)),
                            fd_path(re.match(r"<(.*)>$", rest).group(1)),
                            flags, mode, ret))

    def do_close(self, args, ret, _rest):
        if ret == 0:
            self.events.append(("close", int(re.match(FD, args).group(1))))

    def dup(self, args, ret, flags):
        if ret >= 0:
            self.events.append(("dup", int(re.match(FD, args).group(1)), ret, flags))

    def do_dup(self, args, ret, _rest):
        self.dup(args, ret, 0)

    def do_dup2(self, args, ret, _rest):
        self.dup(args, ret, 0)

    def do_dup3(self, args, ret, _rest):
        self.dup(args, ret, number(args.rsplit(", ", 1)[1]))

    def do_fcntl(self, args, ret, _rest):
        cmd = number(re.match(FD + r", (\w+)", args).group(3))
        if cmd == 0:
            self.dup(args, ret, 0)
        elif cmd == 0x406:
            self.dup(args, ret, 0o2000000)

    def do_pipe(self, args, ret, _rest):
        if ret == 0:
            a, b = re.match(r"\[" + FD + ", " + FD + r"\]", args).group(1, 3)
            flags = re.search(r"\], (\w+)$", args)
            self.events.append(("pipe", int(a), int(b),
                                number(flags.group(1)) if flags else 0))

    do_pipe2 = do_pipe

    def two_names(self, kind, args, ret, what):
        names = re.findall("(?:" + FD + ", )?" + STRING, args)
        if ret < 0:
            self.events.append((kind + " failed",))
            return
        full = [join(d, fd_path(dn), unquote(n)) if d else unquote(n)
                for d, dn, n in names]
        if any(not n.startswith("/") for n in full):
            # rename(), link(): strace does not say where it is.
            full = [os.path.join(self.where(), n) for n in full]
        self.events.append((kind,) + tuple(canonical(n) for n in full[what]))

    def where(self):
        return CWD

    def do_rename(self, args, ret, _rest):
        self.two_names("rename", args, ret, slice(0, 2))

    do_renameat = do_renameat2 = do_rename

    def do_link(self, args, ret, _rest):
        self.two_names("link", args, ret, slice(0, 2))

    do_linkat = do_link

    def do_symlink(self, args, ret, _rest):
        if ret == 0:
            m = re.match(STRING + ", (?:" + FD + ", )?" + STRING, args)
            target, dirfd, dirname, name = m.groups()
            self.events.append(("symlink", unquote(target), canonical(
                join(dirfd, fd_path(dirname or self.where()), unquote(name)))))

    do_symlinkat = do_symlink

    def fork(self, args, ret, flags):
        if ret >= 0:
            self.events.append(("fork", ret, flags))
        else:
            self.events.append(("fork failed", flags))

    def do_fork(self, args, ret, _rest):
        self.fork(args, ret, None)

    do_vfork = do_fork

    def do_clone(self, args, ret, _rest):
        m = re.search(r"flags=([\w|]+)", args)
        flags = 0
        for part in m.group(1).split("|"):
            flags |= number(part)
        self.fork(args, ret, flags)

    do_clone3 = do_clone

    def do_exit_group(self, args, ret, _rest):
        pass


CWD = "/"


# ---- etrace ----------------------------------------------------------------

# What this program reads; lines of other events, and those that tell more of
# one, it passes over.
LINES = """New_proc PI PP CW End_of_args Open FN FO OpenFailed NO ExecFailed NX Close CloseExec Dup
Pipe RenameFrom Rename2From RF RenameTo RT RenameFailed LinkFrom LinkatFrom LF LinkTo LT
LinkFailed Symlink ST SR SL SysClone SchedFork SysCloneFailed Exit""".split()
LINE = re.compile(r"(?:etrace_\w+: )?(\d+),\d+,\d+,\d+!(.*)$")


def etrace_lines(path):
    """Lines of each process, as they are printed."""
    tasks = collections.OrderedDict()
    with open(path, encoding="latin-1", newline="\n") as f:
        for line in f:
            m = LINE.match(line.rstrip("\n"))
            if not m:
                sys.exit(f"etrace: cannot read: {line!r}")
            tasks.setdefault(int(m.group(1)), []).append(m.group(2))
    return tasks


class Etrace:
    """The events of one process."""

    def __init__(self, lines):
        self.lines = lines
        self.i = 0
        self.events = []
        while self.i < len(lines):
            self.event()

    def take(self):
        self.i += 1
        return self.lines[self.i - 1]

    def conts(self):
        text = ""
        while self.i < len(self.lines) and self.lines[self.i].startswith("Cont|"):
            text += "\n" + self.take()[5:]
        if text and self.take() != "Cont_end|":
            sys.exit("etrace: no Cont_end|")
        return text

    def string(self, tag):
        line = self.take()
        if line.startswith(tag + "|"):
            return line[len(tag) + 1:] + self.conts()
        text = ""
        while line != tag + "_end|":
            m = re.match(re.escape(tag) + r"\[\d+\](.*)$", line)
            if not m:
                sys.exit(f"etrace: {tag} expected, not {line}")
            text += m.group(1) + self.conts()
            line = self.take()
        return text

    def arguments(self):
        argv = []
        while self.lines[self.i].startswith("A["):
            m = re.match(r"A\[(\d+)\](.*)$", self.take())
            n, text = int(m.group(1)), m.group(2) + self.conts()
            if n == len(argv) - 1:
                argv[n] += text
            elif n == len(argv):
                argv.append(text)
            else:
                sys.exit(f"etrace: argument {n} behind {len(argv)}")
        return tuple(argv)

    def error(self):
        line = self.take()
        if not line.startswith("Failed|error="):
            sys.exit(f"etrace: no error, but {line}")
        return int(line[13:])

    def event(self):
        head, _, rest = self.take().partition("|")
        f = {k: int(v) for k, v in
             (x.split("=") for x in rest.split(",") if "=" in x)} if head in LINES else {}
        if head == "New_proc":
            interp, path = self.string("PI"), self.string("PP")
            cwd = self.string("CW")
            argv = self.arguments()
            if self.take() != "End_of_args|":
                sys.exit("etrace: no End_of_args|")
            if sum(len(a) + 1 for a in argv) != f["argsize"]:
                sys.exit("etrace: argsize is not the size of the arguments")
            self.events.append(("exec", interp, path, cwd, argv))
        elif head == "Open":
            name, orig = self.string("FN"), self.string("FO")
            if len(name) != f["fnamesize"] or len(orig) != f["forigsize"]:
                sys.exit("etrace: Open: sizes are not those of the strings")
            self.events.append(("open", orig, name, f["flags"], f["mode"], f["fd"]))
        elif head == "OpenFailed":
            name = self.string("NO")
            self.events.append(("open failed", name, f["flags"], self.error()))
        elif head == "ExecFailed":
            self.events.append(("exec failed", self.string("NX"), self.error()))
        elif head == "Close":
            self.events.append(("close", f["fd"]))
        elif head == "CloseExec":
            self.events.pop()  # what execve closes strace does not tell
        elif head == "Dup":
            self.events.append(("dup", f["oldfd"], f["newfd"], f["flags"]))
        elif head == "Pipe":
            self.events.append(("pipe", f["fd1"], f["fd2"], f["flags"]))
        elif head in ("RenameFrom", "Rename2From", "LinkFrom", "LinkatFrom"):
            kind = "rename" if head[0] == "R" else "link"
            tags = ("RF", "RT") if kind == "rename" else ("LF", "LT")
            source = self.string(tags[0])
            end = self.take()
            if end.endswith("Failed|"):
                self.events.append((kind + " failed",))
            else:
                self.events.append((kind, source, self.string(tags[1])))
        elif head in ("RenameFailed", "LinkFailed"):
            self.events.append((head[:-6].lower() + " failed",))
        elif head == "Symlink":
            target = self.string("ST")
            if "resolvednamesize" in f:
                self.string("SR")
            self.events.append(("symlink", target, self.string("SL")))
        elif head == "SysClone":
            end = self.take()
            if end == "SysCloneFailed|":
                self.events.append(("fork failed", f["flags"]))
            else:
                self.events.append(("fork", int(end.split("=")[1]) & PID_MASK,
                                    f["flags"]))
        elif head == "SchedFork":
            self.events.append(("fork", f["pid"] & PID_MASK, None))
        elif head == "Exit":
            self.events.append(("exit", f["status"]))
        elif head in LINES:
            sys.exit(f"etrace: a line that is not expected: {head}|{rest}")


# ---- comparing --------------------------------------------------------------

def script_argv(path, cwd, argv):
    """What the kernel makes of the execve of a file; its interpreter."""
    full = os.path.join(cwd, path)
    with open(full, "rb") as f:
        first = f.readline(256).decode("latin-1")
    if not first.startswith("#!"):
        return os.path.realpath(full), argv
    words = first[2:].strip().split(None, 1)
    return script_argv(words[0], cwd, tuple(words + [path]) + argv[1:])


def same_exec(s, e):
    """strace's execve and etrace's New_proc."""
    _, path, argv = s
    _, interp, program, cwd, eargv = e
    if program != os.path.realpath(os.path.join(cwd, path)):
        return False
    # The programs of the build are still there.
    return script_argv(path, cwd, argv) == (interp, eargv)


def same(s, e):
    if s[0] == e[0] == "exec":
        return same_exec(s, e)
    if s[0] == e[0] == "exec failed" and not s[1].startswith("/"):
        return e[1].endswith("/" + s[1]) and s[2] == e[2]
    return s == e


def main():
    directory, trace = sys.argv[1:]
    st = {int(p.rsplit(".", 1)[1]): Strace(p).events
          for p in glob.glob(directory + "/*")}
    et = {}
    for upid, lines in etrace_lines(trace).items():
        if upid & PID_MASK in et:
            sys.exit("a pid was used twice: cannot tell them apart")
        et[upid & PID_MASK] = Etrace(lines).events

    # The first one: from where it becomes make.
    first = min(st)
    begin = max(i for i, e in enumerate(st[first]) if e[0] == "exec")
    st[first] = st[first][begin:]
    begin = min(i for i, e in enumerate(et[first]) if e[0] == "exec")
    et[first] = et[first][begin:]

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
    if len(st) < 200 or n["exec"] < 200 or n["open"] < 1000:
        print("# that was no build of some hundred processes")
        bad += 1
    return 1 if bad else 0


sys.exit(main())
