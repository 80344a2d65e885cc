#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Check that the unit tests notice mistakes in the code.

Changes one token at a time in C files of a copy of the tree: comparisons, boolean
and bit operators, shifts, arithmetic, constants, return values.  A seed determines
which.  Runs the unit tests that execute the changed line, the fast ones first, until
one fails.  If none fails, runs the short ones again with sanitizers, as make check
does.  Lists the changes that passed all tests.

Not counted: a change that does not compile (another one is drawn instead), one with
the object code of the original (built with -O2), and those that the file "equivalent"
here explains.  Files of which unit tests execute less than half are only changed if
they are named: they belong to the recorder, which the selftests test in guests.  They
are listed, with the share that unit tests execute.

Exit status: 1 if more than --max percent survived, 2 if the tests do not pass
without any change.
"""

import argparse
import collections
import concurrent.futures
import filecmp
import glob
import hashlib
import json
import os
import queue
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
UNIT = "tools/testing/unit"
SHORT = 20                      # seconds of a test that is run with sanitizers, too
ROOM = 4 << 30                  # limit of a test's memory and of its files, in bytes

TOKEN = re.compile(r"""
    (?P<skip>/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*"
           | (?:(?<=\n)|\A)[ \t]*\#(?:\\\n|[^\n])* | \s+)
  | (?P<char>'(?:\\.[^']*|[^'\\\n])')
  | (?P<number>0[xX][0-9a-fA-F]+[uUlL]* | \d+[uUlL]*(?![.\w]))
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
""", re.S | re.X)

SWAPS = {
    "<": ["<=", ">"], "<=": ["<", ">"], ">": [">=", "<"], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"], "!": [""],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["/"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "++": ["--"], "--": ["++"],
    "&": ["|"], "|": ["&"], "^": ["&"], "&=": ["|="], "|=": ["&="],
    "<<": [">>"], ">>": ["<<"], "<<=": [">>="], ">>=": ["<<="],
    "true": ["false"], "false": ["true"],
}

Change = collections.namedtuple("Change", "file start end old new line")


def number(text):
    """Return a constant plus 1, but 0 for 1."""
    digits = text.rstrip("uUlL")
    value = int(digits, 0) if not re.fullmatch("0[0-7]+", digits) else int(digits, 8)
    value = 0 if value == 1 else value + 1
    form = "%#x" if digits[:2] in ("0x", "0X") else "%#o" if digits[:1] == "0" and value > 7 else "%d"
    return form % value + text[len(digits):]


def char(text):
    """Return the character after a plain one, None for other ones."""
    if len(text) != 3 or not " " <= text[1] < "~":
        return None
    return "'%s'" % {"'": "\\'", "\\": "\\\\"}.get(chr(ord(text[1]) + 1), chr(ord(text[1]) + 1))


def changes(path, text):
    """Return all possible changes in a file."""
    found, before, line = [], ["", "", ""], 1
    for m in TOKEN.finditer(text):
        kind, token = m.lastgroup, m.group()
        new = []
        if kind == "number":
            # An array size in a declaration only reserves room.
            room = before[-1] == "[" and re.match(r"\w", before[-2]) and \
                before[-3] not in ("return", "case") and \
                (re.match(r"\w", before[-3]) or before[-3] == "*")
            new = [] if room else [number(token)]
        elif kind == "char":
            new = [n for n in [char(token)] if n]
        elif token in ("*", "&") and not text[m.end()].isspace():
            new = []            # a pointer's: nothing else compiles
        elif kind in ("word", "sign"):
            new = SWAPS.get(token, [])
        for n in new:
            found.append(Change(path, m.start(), m.end(), token, n, line))
        if token == "return":
            end = text.find(";", m.end())
            value = text[m.end():end].strip()
            if value and not re.fullmatch(r"-?\w+|'.*'", value):
                found.append(Change(path, m.start(), end, "return " + value, "return 0", line))
        if kind != "skip":
            before = before[1:] + [token]
        line += token.count("\n")
    return found


class Tree:
    """A copy of the tree and what is built from it."""

    def __init__(self, top, where, cflags, san=False):
        self.top, self.build, self.cflags = where + "/tree", where + "/build", cflags
        self.san = san
        self.user, self.unit = (f"{self.build}/{d}{'-san' if san else ''}" for d in ("user", "unit"))
        # Keep unchanged files, so that make need not rebuild them.
        def update(old, new):
            if not os.path.exists(new) or not filecmp.cmp(old, new, shallow=False):
                shutil.copy(old, new)

        shutil.copytree(top, self.top, copy_function=update, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("build", ".git", "*.o", "*.ko", "__pycache__"))
        for directory, _, names in os.walk(self.top):
            for name in names:
                path = os.path.join(directory, name)
                if not os.path.exists(f"{top}/{os.path.relpath(path, self.top)}"):
                    os.remove(path)

    def make(self, directory, *targets, cflags=None, build=None):
        """Run make there.  Return True if it succeeded, its output otherwise."""
        run = subprocess.run(
            ["make", "-rs", "--no-print-directory", "-C", f"{self.top}/{directory}", f"SAN={self.san:d}", "CC=gcc",
             f"BUILD={build or self.build}", f"CFLAGS={cflags or self.cflags}", *targets],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")})
        return True if run.returncode == 0 else run.stdout.decode("utf-8", "replace")

    def link(self, name):
        """Build a test, and the programs if it runs them.  Return whether that succeeded."""
        with open(f"{self.top}/{UNIT}/{name}.c", encoding="utf-8") as f:
            programs = "ETRACE_BIN" in f.read()
        return self.make(UNIT, f"PROGRAMS={'ny'[programs]}", f"{self.unit}/{name}") is True

    def test(self, name, cpu, wall, env=None):
        """Run a test.  Return "" if it passed, else "late" or "caught"; and its CPU time."""
        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 2))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if not self.san:    # sanitizers reserve the whole address space
                resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
            resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))
            os.setpgid(0, 0)

        p = subprocess.Popen(
            [f"{self.unit}/{name}"], cwd=f"{self.top}/{UNIT}", preexec_fn=limits,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "ETRACE_DATA": f"{self.top}/{UNIT}/data",
                 "ETRACE_BIN": self.user, "CMOCKA_TEST_ABORT": "1", **(env or {})})
        killer = threading.Timer(wall, lambda: os.killpg(p.pid, 9))
        killer.start()
        _, status, usage = os.wait4(p.pid, 0)
        killer.cancel()
        p.returncode = status
        try:
            os.killpg(p.pid, 9)         # what it left behind
        except ProcessLookupError:
            pass
        spent = usage.ru_utime + usage.ru_stime
        if status == 0:
            return "", spent
        late = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
        return "late" if late else "caught", spent


def covered(tree, name):
    """Return what a test has just executed, from gcov: {path: {line: whether executed}}."""
    prefix = f"{tree.build}/covered"
    data, found = [], {}
    for note in glob.glob(f"{tree.build}/user/**/*.gcno", recursive=True):
        counts = prefix + note[:-4] + "gcda"
        if os.path.exists(counts):
            os.link(note, prefix + note)
            data.append(counts)
    if not data:
        return found
    output = subprocess.run(["gcov", "--json-format", "--stdout", *data], check=True,
                          cwd=f"{tree.top}/user", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for text in output.stdout.splitlines():
        for file in json.loads(text)["files"]:
            path = os.path.relpath(os.path.join(f"{tree.top}/user", file["file"]), tree.top)
            lines = found.setdefault(path, {})
            for at in file["lines"]:
                number = str(at["line_number"])
                lines[number] = lines.get(number, False) or at["count"] > 0
    return found


def content(path):
    with open(path, "rb") as f:
        return f.read()


def state(tree, name):
    """
    Return a digest of all that determines what a test executes: the program, the test, the code
    that tests share, and the directories of fixtures that they name.
    """
    digest = hashlib.sha256()
    unit = f"{tree.top}/{UNIT}"
    own = [f"{unit}/{name}.c", *glob.glob(f"{unit}/common_*")]
    text = b"".join(content(path) for path in own)
    own += glob.glob(f"{tree.top}/user/**", recursive=True)
    for directory in glob.glob(f"{unit}/data/*/"):
        if os.path.relpath(directory, f"{unit}/data").encode() + b"/" in text:
            own += glob.glob(f"{directory}/**", recursive=True)
    for path in sorted(own):
        if os.path.isfile(path):
            digest.update(path.encode() + b"\0" + content(path) + b"\0")
    return digest.hexdigest()


def coverage(tree, names, longest):
    """
    Return (lines, seconds): the tests that execute each line with code, and how long each test
    takes.  Tests that take longer than @longest are left out.  Results of an earlier run are
    used while nothing has changed.
    """
    lines = collections.defaultdict(set)
    seconds = {}
    kept = f"{tree.build}/coverage.json"
    known = {}
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as f:
            known = json.load(f)
    now = {name: state(tree, name) for name in names}
    missing = [name for name in names if known.get(name, {}).get("state") != now[name]]
    built = not missing or tree.make(UNIT, "build")
    if built is not True:
        print(built)
        sys.exit(f"mutate: {tree.top} does not build")
    for name in missing:
        shutil.rmtree(f"{tree.build}/covered", ignore_errors=True)
        result, took = tree.test(name, longest, 20 * longest, {"GCOV_PREFIX": f"{tree.build}/covered"})
        if result == "caught":
            sys.exit(f"mutate: {name} fails without any change")
        known[name] = {"state": now[name], "late": result == "late", "seconds": took,
                       "lines": covered(tree, name)}
        with open(kept, "w", encoding="utf-8") as f:
            json.dump(known, f)
    for name in names:
        if known[name]["late"] or known[name]["seconds"] > longest:
            print(f"left out, as it takes more than {longest} s: {name}", flush=True)
            continue
        seconds[name] = known[name]["seconds"]
        for path, counts in known[name]["lines"].items():
            for number, executed in counts.items():
                lines[path, int(number)].update([name] if executed else [])
    return lines, seconds


def statement(lines, text_lines, change):
    """
    Return the tests that execute a change's line; gcov counts a statement of several lines at some
    of them.  A table has no statements: return the tests that execute anything in the file, or all
    tests if the file has only tables.
    """
    def ends(at):
        return re.search(r"[;{}]\s*$", text_lines[at - 1])

    at, counted = change.line, []
    while at > 0 and change.line - at < 12 and not counted:
        if (change.file, at) in lines:
            counted.append(at)
        at -= 1
        # A statement begins after the end of the previous one.
        if at and ends(at):
            break
    at = change.line
    while counted and not ends(at) and at - change.line < 12:
        at += 1
        if (change.file, at) in lines:
            counted.append(at)
    if counted:
        return set().union(*(lines[change.file, at] for at in counted))
    found = [tests for (path, _), tests in lines.items() if path == change.file]
    return set().union(*(found or lines.values()))


def explained(name):
    """Return the changes that a list explains: (file, line with single blanks, old, new)."""
    known = set()
    if os.path.exists(name):
        with open(name, encoding="utf-8") as f:
            for text in f:
                parts = text.rstrip("\n").split("\t")
                if len(parts) >= 5 and not text.startswith("#"):
                    known.add(tuple(parts[:4]))
    return known


class Run:
    """What one run needs to judge a change."""

    def __init__(self, args):
        self.args = args
        self.out = args.out
        base = Tree(args.tree, self.out + "/base", "-O0 -w --coverage")
        self.text = {}
        for path in args.files:
            with open(f"{base.top}/{path}", encoding="utf-8") as f:
                self.text[path] = f.read()
        jobs = []
        for i in range(args.jobs):
            jobs.append(Tree(args.tree, f"{self.out}/job{i}", "-O0 -w"))
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for tree, built in zip(jobs, pool.map(lambda t: t.make(UNIT, "build"), jobs)):
                if built is not True:
                    print(built)
                    sys.exit(f"mutate: {tree.top} does not build")
        names = sorted(os.path.basename(f)[:-2] for f in glob.glob(f"{base.top}/{UNIT}/test_*.c"))
        self.lines, self.seconds = coverage(base, names, args.longest)
        self.base = base
        self.san = Tree(args.tree, self.out + "/san", "-O1 -g -w", san=True)
        self.san_seconds, self.lock = {}, threading.Lock()
        self.originals = {}             # by path: its optimized object code
        self.trees = queue.SimpleQueue()
        for tree in jobs:
            self.trees.put(tree)
        self.known = explained(args.explained)

    def optimized(self, tree, path):
        """Return the optimized object code of a file of a tree, None if it does not compile."""
        build = f"{tree.build}/same"
        target = f"{build}/user/{path[len('user/'):-1]}o"
        shutil.rmtree(build, ignore_errors=True)
        if tree.make("user", target, cflags="-O2 -w -g0", build=build) is not True:
            return None
        # Debug information contains paths.
        subprocess.run(["objcopy", "--strip-debug", target, f"{build}/o"], check=True)
        return content(f"{build}/o")

    def same_code(self, path, tree):
        """Return whether a changed file has the optimized object code of the original."""
        with self.lock:
            if path not in self.originals:
                self.originals[path] = self.optimized(self.base, path)
        return self.optimized(tree, path) == self.originals[path]

    def tried(self, change, tree, tests, seconds):
        """Make a change, run @tests, undo it.  Return (verdict, the test that decided it)."""
        text = self.text[change.file]
        path = f"{tree.top}/{change.file}"
        try:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text[:change.start] + change.new + text[change.end:])
            if not tests and tree.make("user", f"{tree.user}/{change.file[len('user/'):-1]}o") is not True:
                return "broken", ""
            looked = tree.san
            for name in tests:
                # Before long tests, and before reporting a survivor.
                if not looked and self.seconds[name] > SHORT:
                    looked = True
                    if self.same_code(change.file, tree):
                        return "same", ""
                if not tree.link(name):
                    return "broken", ""
                result, _ = tree.test(name, int(self.args.grace + 3 * seconds[name]),
                                      60 + 20 * seconds[name])
                if result:
                    return result, name
            if not looked and self.same_code(change.file, tree):
                return "same", ""
            return "survived", ""
        finally:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)

    def sanitized(self, change, tests):
        """Try a change with sanitizers, after no test failed without them."""
        with self.lock:
            tree = self.san
            for name in tests:
                if name in self.san_seconds:
                    continue
                if not tree.link(name):
                    sys.exit(f"mutate: {tree.top} does not build")
                result, took = tree.test(name, 3600, 36000)
                if result:
                    sys.exit(f"mutate: {name} fails without any change, with sanitizers")
                self.san_seconds[name] = took
            return self.tried(change, tree, tests, self.san_seconds)

    def judge(self, change):
        """Return (verdict, the tests that decided it) for a change."""
        rows = self.text[change.file].split("\n")
        row = " ".join(rows[change.line - 1].split())
        if (change.file, row, change.old, change.new) in self.known:
            return "explained", ""
        tests = sorted(statement(self.lines, rows, change), key=self.seconds.get)
        tree = self.trees.get()
        try:
            verdict, who = self.tried(change, tree, tests, self.seconds)
        finally:
            self.trees.put(tree)
        if verdict == "survived" and tests:
            # Long tests would take minutes each.
            verdict, who = self.sanitized(change, [n for n in tests if self.seconds[n] <= SHORT])
        if verdict == "survived":
            who = "passed by " + " ".join(n[5:] for n in tests) if tests else "no test runs it"
        return verdict, who


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=100, help="how many changes; 0: all there are")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--max", type=float, default=10, help="percent that may survive")
    parser.add_argument("--tree", default=os.path.abspath(HERE + "/../../.."))
    parser.add_argument("--longest", type=int, default=600, help="leave out tests that take more seconds")
    parser.add_argument("--grace", type=int, default=5, help="seconds that any test may take more")
    parser.add_argument("--explained", default=HERE + "/equivalent", help="list of changes that change nothing")
    parser.add_argument("--out", help="where to build (build/mutate)")
    parser.add_argument("-v", action="store_true", help="show every change and what became of it")
    parser.add_argument("files", nargs="*", help="C files below user/; without: all that unit tests see")
    args = parser.parse_args()
    args.out = os.path.abspath(args.out or os.environ.get("BUILD", args.tree + "/build") + "/mutate")
    given = bool(args.files)
    args.files = args.files or sorted(
        os.path.relpath(f, args.tree)
        for f in glob.glob(f"{args.tree}/user/**/*.c", recursive=True) if not f.endswith(".bpf.c"))
    for path in args.files:
        if not re.fullmatch(r"user/[\w./-]+\.c", path) or not os.path.exists(f"{args.tree}/{path}"):
            sys.exit(f"mutate: {path}: not a C file below user/ (FILES=user/ROOM/NAME.c)")

    run = Run(args)
    seen = collections.Counter(path for (path, _), tests in run.lines.items() if tests)
    code = collections.Counter(path for path, _ in run.lines)
    # A file of tables has no executed lines: any test that links it may use it.
    files = [p for p in args.files if given or 2 * seen[p] > code[p] or
             not code[p] and not p.startswith(("user/cli/", "user/record/bpf/"))]
    share = {p: f"{100 * seen[p] // code[p]} %" if code[p] else "no code" for p in args.files}
    left_out = [p for p in args.files if p not in files]
    print("changed:", " ".join(f"{p} ({share[p]})" for p in files))
    if left_out:
        print("not changed, as unit tests execute less than half of it; seen by guest tests only:",
              " ".join(f"{p} ({share[p]})" for p in left_out), flush=True)
    drawn = [c for path in files for c in changes(path, run.text[path])]
    random.Random(args.seed).shuffle(drawn)
    count = collections.Counter()
    want = args.n or len(drawn)
    survivors = []

    # Judge the changes in the order in which they were drawn, one per tree at a time, so that a
    # seed determines the result.
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        waiting = collections.deque()
        source = iter(drawn)
        judged = 0
        while judged < want:
            while len(waiting) < args.jobs * 2:
                change = next(source, None)
                if not change:
                    break
                waiting.append((change, pool.submit(run.judge, change)))
            if not waiting:
                break
            change, future = waiting.popleft()
            verdict, who = future.result()
            count[verdict] += 1
            judged += verdict in ("caught", "late", "survived")
            if verdict == "survived":
                survivors.append((change, who))
            if args.v or verdict == "survived":
                row = run.text[change.file].split("\n")[change.line - 1].strip()
                print(f"{change.file}:{change.line}: '{change.old}' -> '{change.new}': {verdict}"
                      f"{', ' + who if who else ''}\n\t{row}", flush=True)
        for _, future in waiting:
            future.cancel()

    percent = 100 * len(survivors) / judged if judged else 0
    print(f"{judged} changes (seed {args.seed}): {count['caught'] + count['late']} caught"
          f" ({count['late']} by their time), {len(survivors)} survived: {percent:.1f} %;"
          f" not counted: {count['same']} with the same object code, {count['explained']} explained,"
          f" {count['broken']} that did not compile")
    return percent > args.max


if __name__ == "__main__":
    sys.exit(main())
