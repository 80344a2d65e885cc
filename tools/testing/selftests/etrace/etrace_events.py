# SPDX-License-Identifier: GPL-2.0
"""Read the lines of etrace as events of processes, for strace_compare.py."""
import collections
import re
import sys

PID_MASK = (1 << 22) - 1

# Kinds with at most one string, and their values.
PLAIN = {
    "Mkdir": ("KD", "mode"), "Mknod": ("KN", "mode dev"), "Truncate": ("TZ", "fd size"),
    "Chmod": ("CM", "fd mode"), "Chown": ("CO", "fd uid gid"),
    "Utimens": ("UT", "fd atime mtime now"),
    "Unlink": ("UN", "dir"), "Chdir": ("CD", "fd"), "Chroot": ("CR", ""),
    "Unshare": ("", "flags"), "Setns": ("NS", "fd flags"),
    "Cloexec": ("", "first last on"), "Memfd": ("MF", "flags fd"),
    "Received": ("RP", "fd cloexec"), "Connect": ("CA", "fd family"),
    "Bind": ("BA", "fd family"), "Socketpair": ("", "fd1 fd2 family type"), "Accept": ("AC", "fd socket family"),
    "Ask": ("AN", "call value flags"),
    "Stat": ("PS", "flags"), "Access": ("PA", "mode flags"), "Getdents": ("GD", "fd bytes"),
}
# Lines that this program reads. It skips other lines.
LINES = """New_proc PI PP CW End_of_args Open FN FO OpenFailed NO ExecFailed NX Close CloseExec Dup
Pipe RenameFrom Rename2From RF RenameTo RT RenameFailed LinkFrom LinkatFrom LF LinkTo LT
LinkFailed Symlink ST SR SL SysClone SchedFork SysCloneFailed Exit Use CloseRead CloseWrote
UseRead UseWrote Readlink PL PT""".split() + list(PLAIN)
LINE = re.compile(r"(?:etrace_\w+: )?(\d+),\d+,\d+,\d+!(.*)$")


def etrace_lines(path):
    """Return the lines of each process, as they are printed."""
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
                sys.exit(f"etrace: argument {n} after {len(argv)} arguments")
        return tuple(argv)

    def error(self):
        line = self.take()
        if not line.startswith("Failed|error="):
            sys.exit(f"etrace: no error expected, but {line}")
        return int(line[13:])

    def failed(self, head):
        """Return the error of a call, or 0."""
        if self.i == len(self.lines) or self.lines[self.i] != head + "Failed|":
            return 0
        self.take()
        return self.error()

    def bytes(self, head):
        """Return the numbers of bytes read and written, None for each that was not recorded."""
        found = []
        for line in (head + "Read|bytes=", head + "Wrote|bytes="):
            there = self.i < len(self.lines) and self.lines[self.i].startswith(line)
            found.append(int(self.take()[len(line):]) if there else None)
        return tuple(found)

    def event(self):
        head, _, rest = self.take().partition("|")
        f = {k: int(v) for k, v in
             (x.split("=") for x in rest.split(",") if "=" in x)} if head in LINES else {}
        if head == "New_proc":
            if self.lines[self.i].startswith("ExecFile|"):
                self.take()
            interp, path = self.string("PI"), self.string("PP")
            cwd = self.string("CW")
            argv = self.arguments()
            if self.take() != "End_of_args|":
                sys.exit("etrace: no End_of_args|")
            if sum(len(a) + 1 for a in argv) != f["argsize"]:
                sys.exit("etrace: argsize differs from the size of the arguments")
            self.events.append(("exec", interp, path, cwd, argv))
        elif head == "Open":
            name, orig = self.string("FN"), self.string("FO")
            if len(name) != f["fnamesize"] or len(orig) != f["forigsize"]:
                sys.exit("etrace: Open: the sizes differ from those of the strings")
            self.events.append(("open", orig, name, f["flags"], f["mode"], f["fd"]))
        elif head == "OpenFailed":
            name = self.string("NO")
            self.events.append(("open failed", name, f["flags"], self.error()))
        elif head == "ExecFailed":
            self.events.append(("exec failed", self.string("NX"), self.error()))
        elif head == "Close":
            self.events.append(("close", f["fd"]) + self.bytes(head))
        elif head == "CloseExec":
            self.events[-1] = ("close by execve",) + self.events[-1][1:]
        elif head == "Use":
            self.events.append(("use", f["fd"]) + self.bytes(head))
        elif head == "Readlink":
            path = self.string("PL") if "linknamesize" in f else None
            target = self.string("PT") if "targetnamesize" in f else None
            self.events.append((head, self.failed(head), path, {"target": target}))
        elif head in PLAIN:
            tag, values = PLAIN[head]
            named = {"fnamesize", "namesize", "addresssize"} & set(f)
            path = self.string(tag) if named else None
            self.events.append((head, self.failed(head), path,
                                {k: f.get(k) for k in values.split()}))
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
            sys.exit(f"etrace: unexpected line: {head}|{rest}")


