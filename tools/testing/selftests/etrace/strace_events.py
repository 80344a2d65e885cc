# SPDX-License-Identifier: GPL-2.0
"""Read the logs of strace as events of processes, for strace_compare.py.

Follows each process through its own log, and through its parent's log before its birth:
its working directory and root, the descriptors that execve closes, and the bytes that it
has read and written through each descriptor since its program began.
"""
import errno
import os
import re
import sys

AT_FDCWD = "-100"
O_CREAT, O_TMPFILE, O_CLOEXEC = 0o100, 0o20000000, 0o2000000
CLONE_FILES = 0x400
NOFOLLOW, EMPTY_PATH = 0x100, 0x1000
UTIME_NOW, UTIME_OMIT = (1 << 30) - 1, (1 << 30) - 2
FIONCLEX, FIOCLEX = 0x5450, 0x5451
MAP_ANONYMOUS, MAP_PRIVATE, MAP_TYPE, PROT_WRITE = 0x20, 2, 0xf, 2
MSG_CMSG_CLOEXEC = 0x40000000


def unquote(s):
    """Return the value of a C string of strace, given without its quotes, as Latin 1."""
    return re.sub(r"\\([0-7]{1,3}|x[0-9a-f]{2}|.)", unescape, s)


def unescape(m):
    e = m.group(1)
    if e[0] in "01234567":
        return chr(int(e, 8))
    if e[0] == "x":
        return chr(int(e[1:], 16))
    return {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f"}.get(e, e)


def number(s):
    """Return the value of a number in the notation of C: 0x.., 0.. is octal."""
    return int(s, 8) if re.match("0[0-7]+$", s) else int(s, 0)


STRING = r'"((?:[^"\\]|\\.)*)"'
FD = r"(-?\d+)(?:<([^>]*)>(?:\(deleted\))?)?"


def strings(s):
    return [unquote(x) for x in re.findall(STRING, s)]


def join(dirfd, dirname, name):
    """Join a directory and a name, as etrace does for FO."""
    return name if name.startswith("/") else dirname + "/" + name


def error(ret, rest):
    """Return the number of an error such as " ENOENT (No such file or directory)"."""
    m = re.match(r" (E\w+)", rest)
    return getattr(errno, m.group(1)) if m else -ret


def canonical(path):
    """Return the kernel's name of a directory entry."""
    head, tail = os.path.split(path.rstrip("/") or "/")
    return os.path.join(os.path.realpath(head), tail)


def flags_of(s):
    """Return the sum of numbers that are separated by bars; a leading bar is allowed."""
    return sum(number(x) for x in s.split("|") if x)


def fd_path(text):
    """Return the path of a descriptor; undo how strace writes special bytes."""
    return unquote(text.replace("(deleted)", " (deleted)").replace("  (", " ("))


class Program:
    """State that a child inherits from its parent, and that an execve keeps."""

    def __init__(self, cwd, root, cloexec, bound):
        self.cwd, self.root = cwd, root
        self.cloexec = set(cloexec)
        self.bound = dict(bound)    # by descriptor of a socket: the address that it is bound to


class Strace:
    """The events of one process; @born: by pid, the state that a child inherits."""

    def __init__(self, path, born):
        self.events = []
        self.born = born
        self.now = born.pop(int(path.rsplit(".", 1)[1]), None) or Program("/", "", (), {})
        self.used = {}
        self.sockets = set()    # descriptors of sockets in the current call
        with open(path, encoding="latin-1") as f:
            for line in f:
                self.line(line.rstrip("\n"))

    def line(self, line):
        m = re.match(r"\+\+\+ (?:exited with (\d+)|killed by .*) \+\+\+", line)
        if m:
            self.add_all_uses()
            self.events.append(("exit", int(m.group(1) or 0)))
            return
        m = re.match(r"(\w+)\((.*)\)\s+= (-?\d+|\?|0x[0-9a-f]+)(.*)$", line)
        if not m:
            sys.exit(f"strace: cannot read: {line}")
        name, args, ret, rest = m.groups()
        if ret == "?":
            return
        self.sockets = {int(fd) for fd in re.findall(r"(\d+)<socket:\[", args)}
        handler = getattr(self, "do_" + name, None)
        if not handler:
            sys.exit(f"strace: unknown call: {line}")
        handler(args, number(ret), rest)

    # ---- reads and writes

    def use(self, fd, read=None, wrote=None):
        """Add bytes read and written.

        For a socket, emit an event before the first read since its last event, and after
        each write.
        """
        if fd in self.sockets and read is not None and self.used.get(fd, [None])[0] is None:
            self.events.append(("use", fd) + self.take_use(fd))
        have = self.used.setdefault(fd, [None, None])
        for i, n in enumerate((read, wrote)):
            if n is not None:
                have[i] = (have[i] or 0) + n
        if fd in self.sockets and wrote is not None:
            self.events.append(("use", fd) + self.take_use(fd))

    def take_use(self, fd):
        return tuple(self.used.pop(fd, (None, None)))

    def add_all_uses(self):
        for fd in sorted(self.used):
            self.events.append(("use", fd) + self.take_use(fd))

    def made(self, fd, cloexec):
        """Note a new descriptor; emit an event if an earlier one of that number was used."""
        if fd in self.used:
            self.events.append(("use", fd) + self.take_use(fd))
        (self.now.cloexec.add if cloexec else self.now.cloexec.discard)(fd)

    def do_read(self, args, ret, _rest):
        if ret >= 0:
            self.use(int(re.match(FD, args).group(1)), read=ret)

    do_readv = do_pread64 = do_preadv = do_preadv2 = do_recvfrom = do_read

    def do_write(self, args, ret, _rest):
        if ret >= 0:
            self.use(int(re.match(FD, args).group(1)), wrote=ret)

    do_writev = do_pwrite64 = do_pwritev = do_pwritev2 = do_sendto = do_sendmsg = do_write

    def do_fallocate(self, args, ret, _rest):
        if ret >= 0:
            self.use(int(re.match(FD, args).group(1)), wrote=0)

    do_sendmmsg = do_fallocate

    def copy(self, source, to, n):
        if n >= 0:
            self.use(int(source), read=n)
        if n > 0:
            self.use(int(to), wrote=n)

    def do_sendfile(self, args, ret, _rest):
        to, source = re.match(FD + ", " + FD, args).group(1, 3)
        self.copy(source, to, ret)

    def do_copy_file_range(self, args, ret, _rest):
        source, to = re.match(FD + r", [^,]+, " + FD, args).group(1, 3)
        self.copy(source, to, ret)

    do_splice = do_copy_file_range

    def do_mmap(self, args, ret, _rest):
        prot, flags, fd = re.match(r"\w+, \w+, (\w+), (\w+), " + FD, args).group(1, 2, 3)
        if ret < 0 or number(flags) & MAP_ANONYMOUS:
            return
        self.use(int(fd), read=0)
        if number(prot) & PROT_WRITE and number(flags) & MAP_TYPE != MAP_PRIVATE:
            self.use(int(fd), wrote=0)

    def do_recvmsg(self, args, ret, rest):
        self.do_read(args, ret, rest)
        for some in re.findall(r"cmsg_level=0x1, cmsg_type=0x1, cmsg_data=\[(.*?)\]}", args):
            for fd, path in re.findall(FD, some):
                cloexec = flags_of(args.rsplit(", ", 1)[1]) & MSG_CMSG_CLOEXEC
                self.made(int(fd), cloexec)
                self.add_event("Received", 0, fd_path(path),
                             fd=int(fd), cloexec=int(cloexec != 0))

    # ---- programs

    def do_execve(self, args, ret, rest):
        if ret < 0:
            path = re.match(STRING, args).group(1)
            self.events.append(("exec failed", unquote(path), error(ret, rest)))
            return
        path, argv = re.match(STRING + r", \[(.*)\], ", args).groups()
        for fd in sorted(self.now.cloexec):
            self.events.append(("close by execve", fd) + self.take_use(fd))
        self.add_all_uses()
        self.now.cloexec = set()
        self.events.append(("exec", unquote(path), tuple(strings(argv))))

    def fork(self, args, ret, flags):
        if ret < 0:
            self.events.append(("fork failed", flags))
            return
        if (flags or 0) & CLONE_FILES:
            sys.exit("strace: tasks that share descriptors are not followed")
        self.events.append(("fork", ret, flags))
        now = self.now
        self.born[ret] = Program(now.cwd, now.root, now.cloexec, now.bound)

    def do_fork(self, args, ret, _rest):
        self.fork(args, ret, None)

    do_vfork = do_fork

    def do_clone(self, args, ret, _rest):
        m = re.search(r"flags=([\w|]+)", args)
        self.fork(args, ret, flags_of(m.group(1)))

    do_clone3 = do_clone

    def do_unshare(self, args, ret, rest):
        self.add_event("Unshare", error(ret, rest) if ret else 0, None, flags=flags_of(args))

    def do_setns(self, args, ret, rest):
        fd, path, flags = re.match(FD + r", (\w+)", args).groups()
        self.add_event("Setns", error(ret, rest) if ret else 0, path,
                     fd=int(fd), flags=number(flags))

    # ---- queries; only their answers are recorded

    def asked(self, ret, name, call, value, flags=0):
        if ret >= 0:
            self.add_event("Ask", 0, name, call=call, value=value, flags=flags)

    def do_getrandom(self, args, ret, _rest):
        self.asked(ret, None, 0, ret, number(args.rsplit(", ", 1)[1]))

    def do_uname(self, args, ret, _rest):
        self.asked(ret, strings(args)[1] if ret == 0 else None, 1, 0)

    def do_sched_getaffinity(self, args, ret, _rest):
        cpus = re.search(r"\[([\d, ]*)\]$", args) if ret >= 0 else None
        self.asked(ret, None, 2, len(cpus.group(1).replace(",", " ").split()) if cpus else 0)

    def do_sysinfo(self, _args, ret, _rest):
        self.asked(ret, None, 3, 0)

    def do_exit_group(self, args, ret, _rest):
        pass

    # ---- descriptors

    def do_openat(self, args, ret, rest):
        m = re.match(FD + ", " + STRING + r", (\w+)(?:, (\w+))?$", args)
        dirfd, dirname, name, flags, mode = m.groups()
        self.open(join(dirfd, fd_path(dirname or ""), unquote(name)),
                  number(flags), mode, ret, rest)

    def do_creat(self, args, ret, rest):
        name, mode = re.match(STRING + r", (\w+)$", args).groups()
        self.open(self.named(unquote(name)), 0o1101, mode, ret, rest)

    def open(self, name, flags, mode, ret, rest):
        if ret < 0:
            self.events.append(("open failed", name, flags, error(ret, rest)))
            return
        mode = number(mode) if mode and flags & (O_CREAT | O_TMPFILE) else 0
        self.made(ret, flags & O_CLOEXEC)
        self.events.append(("open", name, fd_path(re.match(r"<(.*)>", rest).group(1)),
                            flags, mode, ret))

    def do_close(self, args, ret, _rest):
        if ret == 0:
            fd = int(re.match(FD, args).group(1))
            self.now.cloexec.discard(fd)
            self.now.bound.pop(fd, None)
            self.events.append(("close", fd) + self.take_use(fd))

    def dup(self, args, ret, flags):
        if ret >= 0:
            self.made(ret, flags)
            self.events.append(("dup", int(re.match(FD, args).group(1)), ret, flags))

    def do_dup(self, args, ret, _rest):
        self.dup(args, ret, 0)

    def do_dup2(self, args, ret, _rest):
        self.dup(args, ret, 0)

    def do_dup3(self, args, ret, _rest):
        self.dup(args, ret, number(args.rsplit(", ", 1)[1]))

    def do_fcntl(self, args, ret, _rest):
        fd, _, cmd, arg = re.match(FD + r", (\w+)(?:, (\w+))?", args).groups()
        if number(cmd) == 0:
            self.dup(args, ret, 0)
        elif number(cmd) == 0x406:
            self.dup(args, ret, O_CLOEXEC)
        elif number(cmd) == 2 and ret == 0:
            self.cloexec(int(fd), number(arg) & 1)

    def do_ioctl(self, args, ret, _rest):
        fd, _, cmd = re.match(FD + r", (\w+)", args).groups()
        if ret == 0 and number(cmd) in (FIOCLEX, FIONCLEX):
            self.cloexec(int(fd), int(number(cmd) == FIOCLEX))

    def cloexec(self, fd, on):
        (self.now.cloexec.add if on else self.now.cloexec.discard)(fd)
        self.add_event("Cloexec", 0, None, first=fd, last=fd, on=on)

    def do_pipe(self, args, ret, _rest):
        if ret == 0:
            a, b = re.match(r"\[" + FD + ", " + FD + r"\]", args).group(1, 3)
            flags = re.search(r"\], (\w+)$", args)
            flags = number(flags.group(1)) if flags else 0
            self.made(int(a), flags & O_CLOEXEC)
            self.made(int(b), flags & O_CLOEXEC)
            self.events.append(("pipe", int(a), int(b), flags))

    do_pipe2 = do_pipe

    def do_memfd_create(self, args, ret, _rest):
        name, flags = re.match(STRING + r", (\w+)$", args).groups()
        self.made(ret, number(flags) & 1)
        self.add_event("Memfd", 0, unquote(name), flags=number(flags), fd=ret)

    # ---- sockets

    def do_socket(self, args, ret, _rest):
        if ret >= 0:
            self.made(ret, flags_of(args.split(", ")[1]) & O_CLOEXEC)

    def do_socketpair(self, args, ret, _rest):
        if ret == 0:
            fds = [int(fd) for fd, _ in re.findall(FD, args[args.index("["):])]
            family, kind = args.split(", ")[:2]
            for fd in fds:
                self.made(fd, flags_of(kind) & O_CLOEXEC)
            self.add_event("Socketpair", 0, None, fd1=fds[0], fd2=fds[1],
                         family=number(family), type=flags_of(kind))

    @staticmethod
    def address(text):
        family = number(re.search(r"sa_family=(\w+)", text).group(1))
        m = re.search(r"sun_path=(@?)" + STRING, text)
        if m:
            return family, m.group(1) + unquote(m.group(2))
        m = re.search(r"sin_port=" + STRING + ", sin_addr=" + STRING, text)
        if not m:
            return family, ""
        port, where = (unquote(x).encode("latin-1") for x in m.groups())
        return family, ".".join(map(str, where)) + f":{int.from_bytes(port, 'big')}"

    def do_connect(self, args, ret, rest, kind="Connect"):
        family, address = self.address(args)
        fd = int(re.match(FD, args).group(1))
        if kind == "Bind" and ret == 0:
            self.now.bound[fd] = address
        self.add_event(kind, error(ret, rest) if ret else 0, address, fd=fd, family=family)

    def do_bind(self, args, ret, rest):
        self.do_connect(args, ret, rest, "Bind")

    def do_accept4(self, args, ret, _rest):
        if ret < 0:
            return
        family, address = self.address(args)
        fd = int(re.match(FD, args).group(1))
        self.made(ret, flags_of(args.rsplit(", ", 1)[1]) & O_CLOEXEC)
        self.add_event("Accept", 0, address or self.now.bound.get(fd, ""),
                     fd=ret, socket=fd, family=family)

    # ---- names

    def add_event(self, kind, err, path, **values):
        self.events.append((kind, err, path, values))

    def named(self, name, directory=None):
        """Join a name and its directory, as etrace does, relative to the root of the process."""
        if name.startswith("/"):
            return name
        if directory is None:
            directory = self.now.cwd
        # strace names the directory of a descriptor from its own root.
        if (directory + "/").startswith(self.now.root + "/"):
            directory = directory[len(self.now.root):]
        return (directory.rstrip("/") or "") + "/" + name

    def resolved(self, path, follow):
        """Return a path as the kernel resolves it."""
        path = self.now.root + path
        path = os.path.realpath(path) if follow else canonical(path)
        return path[len(self.now.root):] or "/"

    def name(self, args):
        """Split "FD, NAME, rest", "NAME, rest" or "FD, rest" into number, name and rest."""
        m = re.match(FD + "(?:, |$)", args)
        fd, directory = None, None
        if m:
            fd, directory = int(m.group(1)), fd_path(m.group(2) or "")
            args = args[m.end():]
        m = re.match("(?:NULL|" + STRING + ")(?:, |$)", args)
        if not m:
            return fd, directory, args
        if m.group(1) is None:
            return fd, directory, args[m.end():]
        name = self.named(unquote(m.group(1)), directory)
        # libc turns calls for an open descriptor into calls for such a path.
        m2 = re.match(r"/proc/self/fd/(\d+)$", name)
        if m2:
            name = self.fds_path(int(m2.group(1)), name)
        return None, name, args[m.end():]

    def fds_path(self, fd, otherwise):
        """Return the file of a descriptor, as recorded when it was opened."""
        for e in reversed(self.events):
            if e[0] == "open" and e[5] == fd:
                return e[2]
        return otherwise

    def change(self, kind, args, ret, rest, values, follow=False):
        """Add a call that changes the file in @args; @values(other arguments) has the details."""
        fd, path, args = self.name(args)
        err = error(ret, rest) if ret < 0 else 0
        values = values(args)
        if "fd" in values:
            values["fd"] = fd
        if fd is None and kind != "Mknod":
            path = self.resolved(path, follow)
        self.add_event(kind, err, path, **values)

    def do_mkdir(self, args, ret, rest):
        self.change("Mkdir", args, ret, rest, lambda a: {"mode": number(a)})

    do_mkdirat = do_mkdir

    def do_mknod(self, args, ret, rest):
        self.change("Mknod", args, ret, rest,
                    lambda a: dict(zip(("mode", "dev"), map(number, (a + ", 0").split(", ")))))

    do_mknodat = do_mknod

    def do_truncate(self, args, ret, rest):
        self.change("Truncate", args, ret, rest,
                    lambda a: {"fd": None, "size": number(a)}, True)

    do_ftruncate = do_truncate

    def do_chmod(self, args, ret, rest):
        self.change("Chmod", args, ret, rest,
                    lambda a: {"fd": None, "mode": number(a)}, True)

    do_fchmod = do_fchmodat = do_chmod

    def chown(self, args, ret, rest, follow):
        self.change("Chown", args, ret, rest,
                    lambda a: dict(zip(("fd", "uid", "gid"), [None] + [number(x) for x in a.split(", ")])),
                    follow)

    def do_chown(self, args, ret, rest):
        self.chown(args, ret, rest, True)

    do_fchown = do_chown

    def do_lchown(self, args, ret, rest):
        self.chown(args, ret, rest, False)

    def do_fchownat(self, args, ret, rest):
        self.chown(args, ret, rest, not number(args.rsplit(", ", 1)[1]) & NOFOLLOW)

    def do_utimensat(self, args, ret, rest):
        nofollow = number(args.rsplit(", ", 1)[1]) & NOFOLLOW
        self.change("Utimens", args, ret, rest, self.times, not nofollow)

    @staticmethod
    def times(text):
        values = {"fd": None, "atime": None, "mtime": None, "now": 0}
        if text.startswith("NULL"):
            values["now"] = 3
        pairs = re.findall(r"tv_sec=(-?\d+), tv_nsec=(\d+)", text)
        for i, (sec, nsec) in enumerate(pairs):
            if int(nsec) == UTIME_NOW:
                values["now"] |= 1 << i
            elif int(nsec) != UTIME_OMIT:
                values[("atime", "mtime")[i]] = int(sec) * 1000000000 + int(nsec)
        return values

    def do_unlink(self, args, ret, rest):
        self.change("Unlink", args, ret, rest, lambda a: {
            "dir": int(bool(a) and number(a) & 0x200 != 0)})

    do_unlinkat = do_unlink

    def do_rmdir(self, args, ret, rest):
        self.change("Unlink", args, ret, rest, lambda a: {"dir": 1})

    def do_chdir(self, args, ret, rest):
        self.change("Chdir", args, ret, rest, lambda a: {"fd": None}, True)
        if ret == 0:
            self.now.cwd = self.now.root + self.events[-1][2]

    do_fchdir = do_chdir

    def do_chroot(self, args, ret, rest):
        self.change("Chroot", args, ret, rest, lambda a: {}, True)
        if ret == 0:
            self.now.root += self.events[-1][2].rstrip("/")

    # ---- queries about paths

    def ask(self, kind, args, ret, rest, values):
        if args.split(", ")[0][0] not in '"-0123456789':
            return
        m = re.match("(?:" + FD + ", )?" + STRING + "(?:, )?", args)
        if not m:
            return
        name = unquote(m.group(3))
        args = args[m.end():]
        values = values(args)
        # A call for an open descriptor is not recorded.
        if not name and kind == "Stat":
            return
        directory = fd_path(m.group(2)) if m.group(2) is not None else None
        path = self.named(name, directory) if name else directory
        err = error(ret, rest) if ret < 0 else 0
        self.add_event(kind, err, path, **values)

    def do_newfstatat(self, args, ret, rest):
        self.ask("Stat", args, ret, rest,
                 lambda a: {"flags": flags_of(a.rsplit(", ", 1)[1])})

    def do_statx(self, args, ret, rest):
        self.ask("Stat", args, ret, rest, lambda a: {"flags": flags_of(a.split(", ")[0])})

    def do_access(self, args, ret, rest):
        self.ask("Access", args, ret, rest, lambda a: {"mode": number(a), "flags": 0})

    do_faccessat = do_access

    def do_faccessat2(self, args, ret, rest):
        self.ask("Access", args, ret, rest, lambda a: dict(zip(
            ("mode", "flags"), (flags_of(x) for x in a.split(", ")))))

    def do_readlink(self, args, ret, rest):
        target = re.search(", " + STRING + r", \d+$", args)
        self.ask("Readlink", args, ret, rest,
                 lambda a: {"target": unquote(target.group(1)) if ret >= 0 else None})

    do_readlinkat = do_readlink

    def do_getdents64(self, args, ret, _rest):
        if ret >= 0:
            fd, path = re.match(FD, args).groups()
            self.add_event("Getdents", 0, fd_path(path), fd=int(fd), bytes=ret)

    # ---- two names

    def two_names(self, kind, args, ret):
        names = re.findall("(?:" + FD + ", )?" + STRING, args)
        if ret < 0:
            self.events.append((kind + " failed",))
            return
        full = [self.named(unquote(n), fd_path(dn) if d else None) for d, dn, n in names]
        self.events.append((kind,) + tuple(self.resolved(n, False) for n in full))

    def do_rename(self, args, ret, _rest):
        self.two_names("rename", args, ret)

    do_renameat = do_renameat2 = do_rename

    def do_link(self, args, ret, _rest):
        self.two_names("link", args, ret)

    do_linkat = do_link

    def do_symlink(self, args, ret, _rest):
        if ret == 0:
            m = re.match(STRING + ", (?:" + FD + ", )?" + STRING, args)
            target, dirfd, dirname, name = m.groups()
            name = self.named(unquote(name), fd_path(dirname) if dirfd else None)
            self.events.append(("symlink", unquote(target), self.resolved(name, False)))

    do_symlinkat = do_symlink
