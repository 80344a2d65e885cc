#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace report: the first page starts with what matters, and agrees with the other commands.

. "${0%/*}/../lib.sh"

# section TITLE FILE: print the lines below this title.
section() { sed -n "/^$1/,/^\$/p" "$2" | sed '1d;/^$/d'; }

# answer [FILE]: drop the suggested commands, which name the trace.
answer() { sed '/^More:/,$d' "$@"; }

# check_report FIXTURE BACKEND: compare with the summary of all events and with etrace time.
check_report()
{
	local trace=$FIXTURES/$1/$2.fxt.zst name="$1, $2"

	etrace report "$trace" > page
	etrace db -o page.db "$trace"
	check "$name: the report from a database is the same" \
		cmp <(answer page) <(etrace report page.db | answer)
	check "$name: the suggested command works" \
		bash -c "$(sed -n '/^  etrace time /s/  *where the time.*//p' page)"
	check "$name: the verdict is the first line" \
		bash -c "head -n 1 page | grep -qx 'The trace is complete: .*'"
	check "$name: the recorded command is printed" \
		grep -qxF "Recorded: $(sqlite3 page.db "SELECT value FROM meta WHERE key = 'command'")" page
	etrace report --json "$trace" > counts.json
	etrace time --json --by=output --top=5 "$trace" > time.json
	check "$name: the numbers agree with --json and etrace time" \
		python3 - page counts.json time.json << 'END2'
import json, re, sys
page = open(sys.argv[1]).read()
counts, time = (json.load(open(f)) for f in sys.argv[2:])
m = re.search(r"^(\d+) programs run by (\d+) processes in ([0-9.]+) s(?:, ([0-9.]+) s of CPU time)?; ([0-9.]+) programs", page, re.M)
expected = (str(counts["events_by_kind"]["exec"]), "%.3f" % (time["wall_ns"] / 1e9),
            "%.3f" % (time["cpu_ns"] / 1e9), "%.2f" % time["working"])
got = (m[1], m[3], m[4], m[5])
assert got == expected, (got, expected)
slow = re.search(r"^Slowest by output:\n.*\n((?:  .*\n)+)", page, re.M)[1].splitlines()
outputs = [(line.split()[0], line.split(None, 4)[4]) for line in slow]
assert outputs == [("%.3f" % (s["total_ns"] / 1e9), s["output"]) for s in time["slowest"]], outputs
END2
	check "$name: system libraries are not listed" bash -c "! grep -q 'ld.so.cache\|/libc' page"
}
for backend in module bpf; do
	check_report make $backend
	check_report meson $backend
done

for backend in module bpf; do
	etrace report "$FIXTURES/wrong-outside/$backend.fxt.zst" > page
	section "Files outside" page | awk '{ print $1, $2 }' | sort > outside
	printf 'read /root/outside.h\nwritten /var/local/prog\n' > expected
	same "$backend: the files outside the build are listed" outside expected
	etrace report "$FIXTURES/wrong-network/$backend.fxt.zst" > page
	check "$backend: the number of network addresses is printed" \
		grep -qx "Network addresses tried: 2" page
	etrace report --top 1 "$FIXTURES/configure/$backend.fxt.zst" > page
	for list in "Slowest by output" "Slowest by program" "Failed"; do
		section "$list" page | grep -vc "total s" > n
		check "$backend: --top 1 limits '$list' to one row" grep -qx 1 n
	done
	section Failed page > failed
	check "$backend: failed programs are listed with their status" \
		grep -q "  [1-9][0-9]*  .*: exit status 1, \(first \)*on [^ ]*$" failed
done

# charts_match DATABASE PAGE: whether the charts match the database.  Computed independently:
# programs that are alive, have no live child and do not only read a pipe that others write;
# averaged for each column.
charts_match()
{
	etrace time "$1" > time.txt
	python3 - "$1" "$2" time.txt << 'END2'
import re, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
page, time = (open(f).read() for f in sys.argv[2:])
wall = int(db.execute("SELECT value FROM meta WHERE key = 'end'").fetchone()[0])
ends = dict(db.execute("SELECT process, max(coalesce(until, ?)) FROM exec GROUP BY process", (wall,)))
lives = {i: (at, max(at, ends.get(i, at)), parent)
         for i, parent, at in db.execute("SELECT id, parent, at FROM process")}
def minus(spans, others):
    for a, b in others:
        spans = [s for x, y in spans for s in ((x, min(y, a)), (max(x, b), y)) if s[0] < s[1]]
    return spans
def length(spans):
    return sum(b - a for a, b in spans)
def is_below(process, above):
    while process and process != above:
        process = lives[process][2]
    return process == above
kids, doubts = {}, {}
for at, until, parent in lives.values():
    kids.setdefault(parent, []).append((at, until))
for process, at, until, writer, closed in db.execute(
        "SELECT e.process, r.at, r.until, f.process, max(w.until) FROM version AS v"
        " JOIN access AS r ON r.version = v.id AND r.how = 1 JOIN exec AS e ON e.id = r.exec"
        " JOIN access AS w ON w.version = v.id AND w.how = 2 JOIN exec AS f ON f.id = w.exec"
        " WHERE v.made IN (3, 4) GROUP BY r.exec, r.version, r.fd, r.at, r.until, f.process"):
    if not is_below(writer, process):
        doubts.setdefault(process, []).append((at, min(until, closed)))
cpu = dict(db.execute("SELECT process, utime + stime FROM exec WHERE utime IS NOT NULL"))
work = []
for process, (at, until, _) in lives.items():
    free = minus([(at, until)], kids.get(process, []))
    # CPU time that exceeds the time without live children: used while they were alive
    with_children = minus([(at, until)], free)
    surplus = cpu[process] - length(free) if cpu.get(process, until + 1) <= until - at else 0
    for a, b in reversed(with_children):
        if surplus > 0:
            work.append((max(a, b - surplus), b))
        surplus -= b - a
    sure = minus(free, doubts.get(process, []))
    waits = minus(free, sure)
    left = length(waits) - max(0, cpu[process] - length(sure)) if process in cpu else length(waits)
    for a, b in waits:
        if left > 0:
            free = minus(free, [(a, min(b, a + left))])
        left -= b - a
    work += free
edges = sorted({t for span in work for t in span} | {0, wall})
steps = [(a, b, sum(x <= a and b <= y for x, y in work)) for a, b in zip(edges, edges[1:])]

rows = re.findall(r"^ *(\d*) \|(.*)$", re.search(r"^Programs running over time.*\n((?:.*\|.*\n)+)", page, re.M)[1], re.M)
COLUMNS = 72
assert max(len(row) for _, row in rows) <= COLUMNS
numbers = [(len(rows) - i, int(n)) for i, (n, _) in enumerate(rows) if n]
per_row = numbers[0][1] / numbers[0][0]
assert all(n == per_row * at for at, n in numbers), numbers
highest = 0
for column in range(COLUMNS):
    a, b = wall * column / COLUMNS, wall * (column + 1) / COLUMNS
    mean = sum(max(0, min(b, y) - max(a, x)) * n for x, y, n in steps) / (b - a)
    highest = max(highest, mean)
    for row, (_, text) in enumerate(reversed(rows)):
        eighths = (mean / per_row - row) * 8
        near = {min(8, max(0, int(eighths + 0.5 + d))) if eighths > 0 else 0 for d in (-1e-3, 1e-3)}
        if not row and mean > 0:
            near = {max(1, e) for e in near}
        got = text[column:column + 1] or " "
        assert got in {" ...:::##"[e] for e in near}, (column, row, mean, got)
top = numbers[0][1]
assert top - max(1, per_row) < highest <= top + 1e-6, (highest, top)
head = re.search(r"^Programs running over time: ([0-9.]+) on average, at most (\d+)$", page, re.M)
mean = sum((b - a) * n for a, b, n in steps) / sum(b - a for a, b, n in steps if n)
assert head[1] == "%.2f" % mean and int(head[2]) == max(n for *_, n in steps), head[0]

# the longest parts of etrace time, ordered by time
parts = [(float(took), float(at)) for took, at in re.findall(r"^ +([0-9.]+) s  at +([0-9.]+) s  ", time, re.M)]
parts = sorted(sorted(parts, reverse=True)[:5], key=lambda p: p[1])
bars = re.findall(r"^  \|( *)(#+) *\| +([0-9.]+) s  \S.*  \S", page, re.M)
assert [float(b[2]) for b in bars] == [p[0] for p in parts], (bars, parts)
for (before, bar, _), (took, at) in zip(bars, parts):
    scale = 26 / wall * 1e9
    assert abs(len(before) - at * scale) < 1.1 and abs(len(before + bar) - (at + took) * scale) < 1.6, (at, took)
assert re.search(r"^  \|#.*the build began$", page, re.M) or parts[0][1] > 0
END2
}
for fixture in jobs-4 kernel cmake; do
	etrace db -o charts.db "$FIXTURES/$fixture/module.fxt.zst"
	etrace report charts.db > page
	check "$fixture: the charts match the database" charts_match charts.db page
	check "$fixture: no line above the critical path exceeds 80 columns" \
		bash -c "sed -n '/^Programs running/,/^Critical/p' page | awk 'length > 80 { bad = 1 } END { exit bad }'"
	check "$fixture: the output to a file is ASCII" bash -c "! LC_ALL=C grep -q '[^ -~]' page"
done

# on_terminal COLUMNS VARIABLE=VALUE...: the page as a terminal gets it.
on_terminal()
{
	env LC_ALL=C.UTF-8 TERM=xterm "${@:2}" python3 - "$1" << 'END2'
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if not pid:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
    os.execvp("etrace", ["etrace", "report", "charts.db"])
text = b""
try:
    while got := os.read(fd, 65536):
        text += got
except OSError:
    pass
sys.stdout.buffer.write(text.replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END2
}
# widest PAGE: the width of the longest line of the chart, and of the path.
widest()
{
	python3 - "$1" << 'END2'
import re, sys
page = open(sys.argv[1], encoding="utf-8").read()
for head in "Programs running", "Critical path":
    print(max(map(len, re.search(rf"^{head}.*\n((?:.+\n)+)", page, re.M)[1].splitlines())), end=" ")
END2
}
etrace db -o charts.db "$FIXTURES/jobs-4/module.fxt.zst"
etrace report charts.db > page
for columns in 60 90 200; do
	on_terminal $columns > wide
	check "$columns columns: the charts use block characters" \
		bash -c "grep -q '█' wide && grep -q '[▁▂▃▄▅▆▇]' wide"
	read -r chart path < <(widest wide)
	check "$columns columns: the chart fits" [ "$chart" -le $((columns < 100 ? columns : 100)) ]
	check "$columns columns: the chart uses the whole width, up to 100" \
		[ "$chart" -ge $((columns < 100 ? columns : 100)) ]
	check "$columns columns: the critical path fits" [ "$path" -le $columns ]
	check "$columns columns: the critical path names its programs" \
		grep -q '^  │ *█.* cc1 args' wide
done
on_terminal 80 LC_ALL=C > plain
check "without UTF-8 there are no block characters" \
	bash -c "! LC_ALL=C grep -q '[^ -~]' plain && grep -q '##' plain"
on_terminal 80 TERM=dumb > plain
check "on a dumb terminal there are no block characters" \
	bash -c "! LC_ALL=C grep -q '[^ -~]' plain && grep -q '##' plain"
env LC_ALL=C.UTF-8 TERM=xterm etrace report charts.db > other-locale
same "the output to a file does not depend on the locale" page other-locale

for bad in 0 -1 x 1000001 ''; do
	ends 2 "--top '$bad' is refused" etrace report --top "$bad" "$FIXTURES/make/bpf.fxt.zst"
done

# A truncated trace is reported as far as it goes.
zstd -dcq "$FIXTURES/make/module.fxt.zst" > whole.fxt
head -c $(($(stat -c %s whole.fxt) * 2 / 3)) whole.fxt > cut.fxt
ends 1 "a truncated trace has exit status 1" bash -c "etrace report cut.fxt > page"
check "a truncated trace is reported in the first line" \
	bash -c "head -n 1 page | grep -qx 'The trace is NOT complete:'"
check "a truncated trace: what is missing is printed" bash -c "sed -n 2p page | grep -q '^  [1-9]'"
check "a truncated trace: the rest is reported" grep -q "^Slowest by output" page
ends 1 "a database of a truncated trace has exit status 1" \
	bash -c "etrace db -o cut.db cut.fxt; etrace report cut.db > page.db.txt"
same "a database of a truncated trace gives the same report" <(answer page) <(answer page.db.txt)
ends 2 "report --json is refused for a database" etrace report --json page.db
ends 2 "a database on standard input is refused" bash -c "etrace report - < page.db"
etrace report --json whole.fxt > a.json
etrace-read --stats --json whole.fxt > b.json
same "--json is that of etrace-read --stats plus the failed commands" \
	<(python3 -c 'import json; d = json.load(open("a.json")); del d["explain"]; print(json.dumps(d))') \
	<(python3 -c 'import json; print(json.dumps(json.load(open("b.json"))))')
etrace report --json cut.fxt > c.json 2> /dev/null
check "the JSON matches its schema" \
	"$ANSWERS/../unit/json_schema.py" --part "$ANSWERS/../../../Documentation/answers.schema.json" a.json c.json

cp whole.fxt build.fxt
while read -r line; do
	check "the example in etrace-report.1 works: $line" \
		bash -c "$line | grep -q '^Slowest by output'"
done < <(sed -n '/html/d; s/^etrace report .*/&/p' "$ANSWERS/../../../Documentation/etrace-report.1" | sed 's/\\-/-/g')
