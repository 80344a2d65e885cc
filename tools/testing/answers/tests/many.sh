#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Documentation/examples/many-builds.sh with more databases than SQLite can attach at once. The
# answers of many-builds.sql are also computed here in another way: from the tables of each
# database alone.

. "${0%/*}/../lib.sh"
examples=$ANSWERS/../../../Documentation/examples
many=$examples/many-builds.sh

cat > many.py <<'END_OF_PYTHON'
import collections, fnmatch, json, os, re, sqlite3, sys

SCHEDULERS = {"make", "gmake", "ninja", "samu", "bazel", "scons"}
SHELLS = {"sh", "dash", "bash", "zsh", "ksh", "busybox"}
HOW, CLASS = {1: "read", 2: "write", 3: "run"}, {0: "data", 1: "pipe", 2: "program",
        3: "loader", 4: "config", 5: "probe", 6: "dir"}

Step = collections.namedtuple("Step", "build cwd program command at took cpu status output")
steps, uses, builds = [], set(), []


def load(number, name):
    db = sqlite3.connect(name)
    meta = dict(db.execute("SELECT key, value FROM meta"))
    path = {i: p.decode() for i, p in db.execute("SELECT id, path FROM file")}
    text = {i: s.decode() for i, s in db.execute("SELECT id, s FROM string")}
    parent = dict(db.execute("SELECT id, parent FROM process"))
    programs, process_of = collections.defaultdict(list), {}
    for row in db.execute("""SELECT id, process, forked, program, cwd, args, at, until, status,
            signal, utime + stime FROM exec ORDER BY id"""):
        programs[row[1]].append(row)
        process_of[row[0]] = row[1]
    root = next(path[row[4]] for row in sorted(sum(programs.values(), []))
                if row[3] and row[4])

    def short(p):
        return "." if p == root else re.sub("^" + re.escape(root) + "/", "./", p)

    def names(process):
        return {os.path.basename(path[row[3]]) for row in programs[process] if row[3]}

    children = collections.Counter(parent.values())

    def has_scheduler(process):
        return bool(names(process) & SCHEDULERS) or \
            any(has_scheduler(p) for p, up in parent.items() if up == process)

    def head(process):
        """The step that a process belongs to; 0 if none."""
        up = parent[process]
        above = head(up) if up else 0
        script = names(process) & SHELLS and children[process] > 1 and \
            not (up and names(up) & SCHEDULERS)
        own = any(not row[2] for row in programs[process])
        return above or (0 if has_scheduler(process) or script or not own else process)

    step = {p: head(p) for p in parent}
    end = meta["end"]

    # the final version of each name: the last of its versions and renames
    final = {}
    events = [(at, 0, i, f, i) for i, f, at in
              db.execute("SELECT id, file, at FROM version WHERE file IS NOT NULL")]
    events += [(at, 1, n, f, v) for n, f, v, at in
               db.execute("SELECT rowid, file, version, at FROM name")]
    for _, _, _, f, v in sorted(events):
        final[f] = v
    made = dict(db.execute("SELECT id, made FROM version"))
    file_of = dict(db.execute("SELECT id, file FROM version"))
    written = collections.defaultdict(dict)
    for e, v, f, how, kind, until in db.execute(
            "SELECT exec, version, file, how, class, until FROM access"):
        s = step[process_of[e]]
        until = end if until is None else until
        p = f or file_of.get(v)
        if how in HOW and p:
            uses.add((number, s, short(path[p]), HOW[how], CLASS[kind]))
        if how == 2 and made[v] in (1, 2) and s:
            for f in (f for f in final if final[f] == v):
                written[s][path[f]] = max(until, written[s].get(path[f], 0))
    for s in {s for s in step.values() if s}:
        rows = programs[s]
        first = next(row for row in rows if not row[2])
        words = [text[i] for i in json.loads(first[5])] if first[5] else []
        statuses = [128 + row[9] if row[9] else row[8] for row in rows]
        cpu = [row[10] for p in step if step[p] == s for row in programs[p]
               if row[10] is not None]
        steps.append(Step(number, short(path[first[4]]), short(path[first[3]]),
                          " ".join(words).replace("\n", " ").replace(root + "/", "./"), rows[0][6],
                          max(end if row[7] is None else row[7] for row in rows) - rows[0][6],
                          sum(cpu) if cpu else None,
                          max((status for status in statuses if status is not None), default=None),
                          min(((-at, p) for p, at in written[s].items()), default=(0, None))[1]))
        if steps[-1].output:
            steps[-1] = steps[-1]._replace(output=short(steps[-1].output))
    builds.append((number, os.path.realpath(name), fixed(end / 1e9), meta["status"], meta["complete"],
                   meta["command"].decode()))


def mean(numbers):
    return sum(numbers) / len(numbers) if numbers else None


def fixed(number, places=3):
    return "" if number is None else "%.3f" % round(number, places)


def outputs():
    one = collections.defaultdict(collections.Counter)
    for s in steps:
        if s.output:
            one[s.output][s.build] += s.took
    for output, took in sorted(one.items(), key=lambda o: (-mean(o[1].values()), o[0]))[:20]:
        took = [took[b] / 1e9 for b in sorted(took)]
        half = len(took) // 2
        before, now = mean(took[:half]), mean(took[len(took) - half:])
        yield (output, len(took), fixed(mean(took)), fixed(max(took)), fixed(before), fixed(now),
               fixed(100 * (now / before - 1) if half else None, 1))


def commands():
    same = collections.defaultdict(list)
    for s in steps:
        same[s.cwd, s.command].append(s)
    again = [(-sum(s.took for s in all), key) for key, all in same.items() if len(all) > 1]
    for total, key in sorted(again)[:20]:
        yield (len(same[key]), len({s.build for s in same[key]}), fixed(-total / 1e9), *key)


def used(pattern):
    users = collections.defaultdict(set)
    for build, step, path, how, _ in uses:
        if fnmatch.fnmatchcase(path, pattern):
            users[build, path, how].add(step)
    for (build, path, how), who in sorted(users.items()):
        yield build, builds[build - 1][1], path, how, len(who)


def read():
    count, builds_of = collections.Counter(), collections.defaultdict(set)
    for build, step, path, how, kind in uses:
        if how == "read" and kind == "data" and step:
            count[path] += 1
            builds_of[path].add(build)
    for path, n in sorted(count.items(), key=lambda c: (-c[1], c[0]))[:20]:
        yield path, len(builds_of[path]), n


def exit_statuses():
    same = collections.defaultdict(lambda: collections.defaultdict(list))
    for s in sorted(steps):
        if s.status is not None:
            same[s.cwd, s.command][s.status].append(s.build)
    for key, all in sorted(same.items()):
        for status, who in sorted(all.items()):
            if len(all) > 1:
                yield (status, len(who), min(who), max(who), *key)


for number, name in enumerate(sys.argv[2:], 1):
    load(number, name)
with open("expected.steps", "w", encoding="utf-8") as out:
    for row in steps:
        print(*("" if x is None else x for x in row), sep="\t", file=out)
with open("expected.uses", "w", encoding="utf-8") as out:
    for build, step, *use in uses:
        print(build, int(step != 0), *use, sep="\t", file=out)
for answer in builds, outputs(), commands(), used(sys.argv[1]), read(), exit_statuses():
    for row in answer:
        print(*row, sep="\t")
END_OF_PYTHON

# rows: drop the headings of tables, and round numbers to three places
rows()
{
	awk -F '\t' -v OFS='\t' '$1 ~ /^(build|output|times|path|status)$/ && $2 !~ /^[0-9]+$/ { next }
		{ for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9]+\.[0-9]+$/) $i = sprintf("%.3f", $i); print }'
}

names=()
for fixture in jobs-{1,4,16,flag,header,one-flag,tool} rebuild-{old,flag,missing,touched} \
		make ninja configure meson ccache-cold all flows wrapper-libtool; do
	etrace db -o "$fixture.db" "$FIXTURES/$fixture/bpf.fxt.zst"
	names+=("$fixture.db")
done
# A name that needs quoting in SQL; in this build, ar was killed by a signal.
cp jobs-1.db "it's jobs-2.db"
sqlite3 "it's jobs-2.db" "UPDATE exec SET status = NULL, signal = 9
	WHERE id IN (SELECT id FROM execs WHERE program GLOB '*-ar' AND NOT forked)"
names+=("it's jobs-2.db")
# A shell script that calls one step after the other; and make, whose rules are scripts that call
# several programs.
for name in bash make; do
	cp flows.db "by-$name.db"
	sqlite3 "by-$name.db" "UPDATE file SET path = CAST('/build/flows/src/$name' AS BLOB)
		WHERE CAST(path AS TEXT) = '/build/flows/src/flows'"
	names+=("by-$name.db")
done
check "there are more databases than SQLite can attach" test ${#names[@]} -gt 10

check "many-builds.sh succeeds" bash -c '"$@" > answers' - "$many" -f '*/stddef.h' "${names[@]}"
rows < answers > found
python3 many.py '*/stddef.h' "${names[@]}" > expected
check "the expected answers have more than 80 lines" test "$(grep -c . expected)" -gt 80
check "each of the six tables has a heading" \
	test "$(grep -cE $'^(build\t(source|took_s)|output\tbuilds|times\tbuilds|path\tbuilds|status\ttimes)' answers)" = 6
check "a command that was killed in one build only is listed" grep -q $'^137\t1\t20\t20\t' found
same "the answers agree with those from each database alone" found expected

# With -o, kept and extended: the same steps.
"$many" -o every.db "${names[@]:0:12}" > first
ends 0 "-o writes a database" test -s every.db
"$many" -o every.db -f '*/stddef.h' "${names[@]}" 2> second | rows > found
same "-o extends the database: the answers are right" found expected
check "-o skips the 12 databases that were already added" test "$(wc -l < second)" = 12
sqlite3 -header -tabs every.db < "$examples/many-builds.sql" | rows > found
same "many-builds.sql gives the same answers from that database" found expected

sqlite3 -tabs every.db "SELECT build, cwd, program, command, at, took, cpu, status, output FROM step" |
	sort > found
same "the table of steps is right" found <(sort expected.steps)
check "a shell script has more steps than a makefile" \
	test "$(grep -c '^21	' found)" -gt "$(grep -c '^22	' found)"
sqlite3 -tabs every.db "SELECT build, step <> 0, path, how, class FROM access" | sort -u > found
same "the table of accesses is right" found <(sort -u expected.uses)

ends 2 "a missing database is an error" "$many" no-such.db
ends 2 "a database that etrace db did not write is refused" "$many" every.db
ends 2 "-o refuses a database of etrace db" "$many" -o make.db ninja.db
ends 2 "no databases at all are a usage error" "$many"

# The query for two builds in the document.
cp jobs-1.db monday.db
cp jobs-4.db tuesday.db
sed -n "/^    ATTACH 'tuesday.db' AS tuesday/,/LIMIT 10;/p" "$examples/../many-builds.md" > two.sql
sqlite3 -tabs monday.db < two.sql > two
check "the query for two builds in many-builds.md gives 10 rows" \
	test "$(grep -cP '^.+\t\d+\t\d+$' two)" = 10

# DuckDB answers the same, by the lines of Documentation/many-builds.md.
duck() { duckdb -list -separator $'\t' -nullvalue '' < "$1" | rows; }
if command -v duckdb > /dev/null; then
	for table in build step access asked; do
		sqlite3 -csv -header every.db "SELECT * FROM $table" > "$table.csv"
		echo "CREATE TABLE $table AS SELECT * FROM read_csv('$table.csv');"
	done > tables.sql
	cat tables.sql "$examples/many-builds.sql" > csv.sql
	duck csv.sql > found
	same "DuckDB gives the same answers from CSV files" found expected
	{
		echo "LOAD sqlite; ATTACH 'every.db' AS e (TYPE sqlite); USE e;"
		cat "$examples/many-builds.sql"
	} > attach.sql
	if duckdb -c 'LOAD sqlite' > /dev/null 2>&1; then
		duck attach.sql > found
		same "DuckDB gives the same answers from the database" found expected
	else
		echo "skip: DuckDB has no extension sqlite"
	fi
else
	echo "skip: DuckDB is not installed"
fi
