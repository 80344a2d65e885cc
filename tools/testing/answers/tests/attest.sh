#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace attest, on a machine that is made here, with files of the recorded sizes and times.  With
# SPDX_SCHEMA=FILE, the JSON schema of SPDX 3.0.1, the output is also validated against it.

. "${0%/*}/../lib.sh"

cat > machine.py <<'END2'
# Make a file for each version that the build found or left.
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.text_factory = bytes
rows = db.execute("""SELECT path, size, mtime FROM
	(SELECT f.path, v.size, v.mtime, v.made FROM version v JOIN file f ON f.id = v.file
	 WHERE v.made = 0 AND v.type = 32768
	 UNION ALL SELECT f.path, v.size, v.mtime, v.made FROM final n JOIN version v ON v.id = n.version
	 JOIN file f ON f.id = n.file WHERE v.made IN (1, 2)) WHERE size IS NOT NULL AND mtime IS NOT NULL""")
for path, size, mtime in rows:
    path = b"root" + path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.lexists(path):
        continue
    with open(path, "wb") as f:
        f.write((path * (size // len(path) + 1))[:size])
    os.utime(path, ns=(mtime, mtime))
END2

cat > truth.py <<'END2'
# Check that each hash is that of the file; print each file with its role and whether it is hashed.
import hashlib, json, sys
document = json.load(open(sys.argv[1]))
if "@graph" in document:
    graph = {e.get("spdxId", e.get("@id")): e for e in document["@graph"]}
    kinds = {"hasInput": "input", "usesTool": "tool", "hasOutput": "output"}
    rows = [(kinds[r["relationshipType"]], graph[t]["name"],
             graph[t].get("verifiedUsing", [{}])[0].get("hashValue"), graph[t].get("comment"))
            for r in document["@graph"] if "from" in r for t in r["to"]]
    assert len(rows) == sum(e["type"] == "software_File" for e in document["@graph"])
else:
    log = document["predicate"]["monitorLog"]
    rows = [(f["annotations"]["role"], f["name"], f.get("digest", {}).get("sha256"),
             f["annotations"].get("not_hashed")) for f in log["fileAccess"]]
    subjects = [(s["name"], s["digest"]["sha256"]) for s in document["subject"]]
    assert sorted(subjects) == sorted((n, h) for r, n, h, _ in rows if r == "output" and h)
for role, name, digest, why in rows:
    if digest:
        assert hashlib.sha256(open("root" + name, "rb").read()).hexdigest() == digest, name
    print(role, name, "hashed" if digest else why)
END2

schemas=$ANSWERS/../../../Documentation
cat > valid.py <<'END2'
import json, jsonschema, sys
schema = json.load(open(sys.argv[1]))
jsonschema.validators.validator_for(schema)(schema).validate(json.load(open(sys.argv[2])))
END2

for backend in module bpf; do
	trace=$FIXTURES/make/$backend.fxt.zst
	rm -rf root build.db
	mkdir root
	etrace db -o build.db "$trace"
	python3 machine.py build.db
	cc1=/usr/lib/gcc/x86_64-linux-gnu/12/cc1
	mkdir -p root/${cc1%/*}
	echo cc1 > root/$cc1
	for kind in spdx in-toto; do
		etrace attest --$kind --root root "$trace" > $kind.json 2> err
		result $? "$backend, $kind: attest succeeds"
		python3 truth.py $kind.json | sort > summary
		result "${PIPESTATUS[0]}" "$backend, $kind: every hash is that of its file"
		# For programs, a trace has only the name, and these files are younger than the
		# build.
		check "$backend, $kind: all inputs and outputs are hashed" \
			bash -c "! grep -E '^(input|output) ' summary | grep -v ' hashed$'"
		check "$backend, $kind: the output matches its schema" \
			python3 valid.py "$schemas/$kind.schema.json" $kind.json
		etrace attest --$kind --root root build.db > again.json
		same "$backend, $kind: a database gives the same output" again.json $kind.json
		cp summary summary.$kind
	done
	same "$backend: SPDX and in-toto list the same files and hashes" \
		summary.spdx summary.in-toto
	# The files left at the end, and the inputs of the objects.
	sed -n 's|^[0-9a-f]* [ *]\(/build/make/out/.*\)|output \1 hashed|p' "$FIXTURES/make/sha256" |
		sort > expected
	grep '^output /build/make/out/' summary > outputs
	same "$backend: the outputs are the files that exist at the end" outputs expected
	etrace deps --json --all --direct "$trace" | python3 -c '
import json, sys
made, read = set(), set()
for line in sys.stdin:
    row = json.loads(line)
    made.add(row["output"])
    read.update(row["inputs"])
print("\n".join(sorted("input %s hashed" % p for p in read - made)))' > expected
	check "$backend: all direct dependencies of outputs are inputs" \
		bash -c 'grep "^input" summary | sort | comm -13 - <(sort expected) | { ! grep . || exit 1; }'
	check "$backend: a compiler is a tool, without a hash if its size and time are unknown" \
		grep -qx "tool $cc1 .* does not tell its size and time" summary
	check "$backend: a library of a program is a tool with a hash" \
		grep -qx "tool /usr/lib/x86_64-linux-gnu/libbfd.* hashed" summary
	# A file that was not modified since the build began still has its content: pretend that
	# the build ran in 2050.
	sqlite3 build.db "UPDATE version SET mtime = mtime + 788918400000000000 WHERE made IN (1, 2)"
	etrace attest --root root build.db > spdx.json 2> /dev/null
	python3 truth.py spdx.json > summary
	check "$backend: a program that is older than the build is hashed" \
		grep -qx "tool $cc1 hashed" summary
	check "$backend: outputs with another time are not hashed" \
		bash -c "! grep '^output .* hashed' summary"
done
[ -z "${SPDX_SCHEMA:-}" ] ||
	check "the output matches SPDX's own schema" python3 valid.py "$SPDX_SCHEMA" spdx.json

# Files that have changed since the build.
cd root/build/make || exit
touch out/add.o
echo more >> src/add.c
rm src/mul.c
mv src/size.c src/other.c
ln -s other.c src/size.c
time=$(stat -c %Y src/quick.c)
rm src/quick.c
mkfifo src/quick.c
touch -d "@$time" src/quick.c
python3 -c '
import os
s = os.stat("src/left.c")
os.rename("src", "moved")
os.symlink("moved", "src")'
cd ../../.. || exit
etrace attest --root root "$trace" > spdx.json 2> err
result $? "files that changed since the build: attest succeeds"
python3 truth.py spdx.json > summary
check "files that changed since the build: files are listed" test -s summary
for file in "output out/add.o changed since" "input src/add.c changed since" "input src/mul.c gone since" \
		"input src/size.c a link since" "input src/quick.c no regular file since" \
		"input src/left.c hashed"; do
	check "files that changed since the build: $file" \
		grep -qx "${file/ / \/build\/make\/}" summary
done
check "files that changed since the build: missing hashes are reported" \
	grep -q 'files have no hash' err
# A symbolic link must not lead out of --root.
rm -rf root/build/make/src
ln -s "$PWD/outside" root/build/make/src
mkdir outside
cp root/build/make/moved/left.c outside/ && touch -r root/build/make/moved/left.c outside/left.c
etrace attest --root root "$trace" 2> /dev/null | grep -c '"name":"/build/make/src/left.c".*gone since' > count
check "a symbolic link out of --root is not followed" grep -qx 1 count

# The output does not depend on when and where it is written, and can be given another date.
etrace attest --root root "$trace" > a.json 2> /dev/null
(cd outside && etrace attest --root ../root "$trace" > ../b.json 2> /dev/null)
same "the output does not depend on the working directory" a.json b.json
check "the output has the date SOURCE_DATE_EPOCH" \
	bash -c 'SOURCE_DATE_EPOCH=86400 etrace attest --root root "$1" 2> /dev/null |
	grep -q "\"created\":\"1970-01-02T00:00:00Z\""' - "$trace"
zstd -dcq "$trace" | head -c 30000 > cut.fxt
ends 1 "a truncated trace has exit status 1" etrace attest --root root cut.fxt
etrace attest --root root cut.fxt 2> /dev/null > cut.json
check "a truncated trace: the output says that it is not complete" \
	grep -q 'the trace is not complete' cut.json
ends 2 "a missing --root directory is an error" etrace attest --in-toto --root none "$trace"
ends 2 "two formats at once are a usage error" etrace attest --spdx --in-toto --root root "$trace"
etrace db -o old.db "$trace"
sqlite3 old.db "UPDATE version SET size = NULL, mtime = NULL"
etrace attest --root root old.db > old.json 2> /dev/null
check "a file whose recorded size is unknown has no hash" \
	bash -c '! grep -q hashValue old.json && grep -q "does not tell its size" old.json'

# The examples of the man page.
zstd -dqo build.fxt "$trace"
grep '^etrace attest' "$schemas/etrace-attest.1" | sed 's/\\-/-/g' > lines
while read -r line; do
	check "the example in etrace-attest.1 works: $line" \
		bash -c "$line > out.json 2> /dev/null; test -s out.json || test -s build.spdx.json"
done < lines

# ---- hashes that were recorded ----

begin_builds
mkdir proj
cd proj || exit
printf 'int a(void);\nint b(void);\n' > a.h
for name in a b gone old; do
	printf '#include "a.h"\nint %s(void) { return 1; }\n' $name > $name.c
done
printf '#include "a.h"\nint main(void) { return a() + b(); }\n' > main.c
echo 'moved by the build' > late.c
# Link without the system's objects: gcc compiles and links through temporary ones.
cat > build.sh <<'END2'
gcc -c a.c -o a.o
gcc -c b.c -o b.o
ar rcs lib.a b.o
rm b.o
gcc -r -nostdlib main.c a.o lib.a -o prog
gcc -r -nostdlib a.c b.c -o both
cp prog copy
ln -s copy link
mv late.c moved.c
gcc -c old.c -o old.o
echo 'int other;' > old.c
gcc -c gone.c -o gone.o
rm gone.c
cat a.c b.c | sort > sorted
cp a.c two.c
gcc -c two.c -o two1.o
cat b.c > two.c
gcc -c two.c -o two2.o
END2
cp -a . ../was
check "a build is recorded for the tests of hashes" \
	etrace run -q --backend=strace -o ../proj.fxt -- sh -e build.sh
cd .. || exit

cat > common.py <<'END2'
# The contents of files: those that the build found in the project are in was/, others are as they
# are.
import hashlib, os, subprocess, sys
top = os.getcwd() + "/"
OUTPUTS = ("a.o both copy gone.o lib.a moved.c old.c old.o prog sorted two.c two1.o two2.o").split()
def data(path, made):
    path = path.replace(top + "proj/", top + "was/") if not made else path
    return open(path, "rb").read()
def sha256(data): return hashlib.sha256(data).hexdigest()
def gitoid(data): return sha256(b"blob %d\0" % len(data) + data)
END2
cat > fill.py <<'END2'
# Write what the recorder would have: a row for each version whose content is known here.
import sqlite3
from common import *
db = sqlite3.connect(sys.argv[1])
final = {v for v, in db.execute("SELECT version FROM final")}
rows = db.execute("""SELECT v.id, f.path, v.made FROM version v JOIN file f ON f.id = v.file
                     WHERE v.made IN (0, 1, 2) AND coalesce(v.type, 32768) = 32768""").fetchall()
for version, path, made in rows:
    if made and version not in final:
        continue
    path = os.fsdecode(path)
    if made:
        path = db.execute("SELECT f.path FROM final n JOIN file f ON f.id = n.file WHERE n.version = ?",
                          (version,)).fetchone()[0]
        path = os.fsdecode(path)
    if os.path.isfile(path if made else path.replace(top + "proj/", top + "was/")):
        d = data(path, made)
        db.execute("INSERT INTO content VALUES (?, 0, ?, ?, NULL)", (version, sha256(d), gitoid(d)))
db.commit()
END2
etrace db -o proj.db proj.fxt
cp proj.db hashed.db
python3 fill.py hashed.db

cat > slsa.py <<'END2'
# Check each digest against the file used or made; print the claim, and files without a digest.
import json
from common import *
document = json.load(open(sys.argv[1]))
subjects = {s["name"]: s["digest"]["sha256"] for s in document["subject"]}
want = {top + "proj/" + n: sha256(data(top + "kept/" + n, True)) for n in OUTPUTS}
assert subjects == want, (subjects, want)
build = document["predicate"]["buildDefinition"]
assert build["externalParameters"] == {"command": "sh -e build.sh"}, build["externalParameters"]
used = {"tool": set(), "input": set()}
for d in build["resolvedDependencies"]:
    note = d["annotations"]
    used[note["role"]].add(d["name"])
    if "digest" in d:
        d_ = data(d["name"], False)
        assert d["digest"] == {"sha256": sha256(d_)}, d
        assert note["hashed"] != "recorded" or note["gitoid"] == "gitoid:blob:sha256:" + gitoid(d_)
    else:
        print(d["name"].replace(top, ""), json.dumps(note, sort_keys=True))
own = {n.replace(top + "proj/", "") for n in used["input"] if n.startswith(top)}
assert own == {"a.h", "a.c", "b.c", "gone.c", "main.c", "old.c"}, own
assert top + "proj/build.sh" in used["tool"]
claim = document["predicate"]["etrace_completeness"]
assert [(o["name"], o["annotations"]["not_hashed"]) for o in claim["outputs_without_hash"]] == [
    (top + "proj/link", "a symbolic link")]
print(claim["complete"], *sorted("%s: %d" % (r["reason"], r["count"]) for r in claim["reasons"]), sep="; ")
END2

# check_slsa NAME DB LINE...: check the provenance of a database: its lines, and that it is valid.
check_slsa()
{
	etrace attest --slsa "$2" > slsa.json 2> err
	check "$1: the output matches its schema" \
		python3 valid.py "$schemas/slsa.schema.json" slsa.json
	python3 slsa.py slsa.json > summary
	result $? "$1: every digest is that of its file"
	printf '%s\n' "${@:3}" > expected
	same "$1: completeness and missing digests are as expected" summary expected
}

# modify_copy TO SQL: copy hashed.db and run SQL on the copy.
modify_copy()
{
	cp hashed.db "$1"
	sqlite3 "$1" "$2"
}
of_file="version IN (SELECT v.id FROM version v JOIN file f ON f.id = v.file WHERE v.made = 0 AND CAST(f.path AS TEXT) ="

cp -a proj kept
check_slsa "slsa" hashed.db True
etrace attest --slsa hashed.db > again.json 2> /dev/null
same "slsa: two runs print the same" again.json slsa.json
after="files whose hash was not recorded but taken after the build"
modify_copy some.db "DELETE FROM content WHERE $of_file '$builds/proj/a.c')"
check_slsa "slsa, a hash taken after the build" some.db "False; $after: 1"
modify_copy some.db "UPDATE content SET sha256 = NULL, gitoid = NULL, why_not = 'too slow' WHERE $of_file '$builds/proj/gone.c')"
check_slsa "slsa, an unknown hash" some.db \
	'proj/gone.c {"not_hashed": "gone since", "not_recorded": "too slow", "role": "input"}' \
	"False; dependencies without a hash: 1"
modify_copy some.db "UPDATE meta SET value = 0 WHERE key = 'complete'"
check_slsa "slsa, an incomplete trace" some.db "False; the trace is not complete: 1"
modify_copy some.db "UPDATE exec SET unseen = 2 WHERE id = (SELECT max(id) FROM exec)"
check_slsa "slsa, a socket" some.db \
	"False; programs that read what the trace does not show: a socket, a descriptor of unknown origin, an io_uring, files in another mount namespace: 1"

# A recorded hash does not need the file, which may have changed since; the change is reported.
rm proj/prog
sed 's/int a/int x/' kept/a.h > proj/a.h
touch -r kept/a.h proj/a.h
check_slsa "slsa, other content with the same size and time" hashed.db \
	"False; the file has the size and time of then, but another content now: 1"
check "slsa, other content with the same size and time: it is reported" \
	grep -q 'different content now' err
check "slsa, other content with the same size and time: the file is marked" python3 -c '
import json
document = json.load(open("slsa.json"))["predicate"]["buildDefinition"]["resolvedDependencies"]
assert [d["name"].split("/")[-1] for d in document if "differs" in d["annotations"]] == ["a.h"]'
echo >> proj/a.h
check_slsa "slsa, a file with a recorded hash that has changed" hashed.db True
cp -a kept/prog kept/a.h proj/

for kind in spdx in-toto; do
	etrace attest --$kind hashed.db > $kind.json 2> /dev/null
	check "$kind, recorded hashes: the output matches its schema" \
		python3 valid.py "$schemas/$kind.schema.json" $kind.json
	etrace attest --$kind proj.db > now.json 2> /dev/null
	check "$kind, hashes taken now: the output matches its schema" \
		python3 valid.py "$schemas/$kind.schema.json" now.json
	check "$kind: recorded hashes are distinguished from those taken now" bash -c '
		! grep -Eq "\"(afterwards|taken after the build)\"" $1.json && grep -Eq "\"recorded[\" ]" $1.json &&
			! grep -Eq "\"recorded[\" ]" now.json && grep -Eq "\"(afterwards|taken after the build)\"" now.json' - $kind
done
[ -z "${SPDX_SCHEMA:-}" ] ||
	check "recorded hashes: the output matches SPDX's own schema" \
		python3 valid.py "$SPDX_SCHEMA" spdx.json

# ---- OmniBOR ----

cat > omnibor.py <<'END2'
# Compute the manifests of this build, from the headers that gcc lists and the commands of
# build.sh. Arguments: files whose content is not known. Write the expected list, and all
# manifests, to expected.bor.
from common import *
unknown = set(sys.argv[1:])
def unit(source):
    rule = subprocess.run(["gcc", "-M", source], cwd="was", stdout=subprocess.PIPE, check=True, text=True).stdout
    return [n if n[0] == "/" else top + "was/" + n for n in rule.replace("\\\n", " ").split(":")[1].split()]
was = top + "was/"
made_from = {
    "a.o": unit("a.c"), "lib.a": unit("b.c"), "prog": unit("main.c") + ["a.o", "lib.a"],
    "both": unit("a.c") + unit("b.c"), "copy": ["prog"], "old.o": unit("old.c"), "old.c": [],
    "gone.o": unit("gone.c"), "sorted": [was + "a.c", was + "b.c"], "two.c": [was + "b.c"],
    "two1.o": unit("a.c"), "two2.o": ["two.c"] + [n for n in unit("b.c") if not n.endswith("/b.c")],
}
def manifest(output):
    lines = set()
    for n in made_from[output]:
        if n.replace(was, "") in unknown:
            return None
        line = gitoid(data(n if n[0] == "/" else top + "kept/" + n, True))
        if n in made_from:
            of = manifest(n)
            if not of:
                return None
            line += " manifest " + of
        lines.add(line + "\n")
    text = ("gitoid:blob:sha256\n" + "".join(sorted(lines))).encode()
    name = gitoid(text)
    path = "expected.bor/manifests/gitoid_blob_sha256/" + name[:2]
    os.makedirs(path, exist_ok=True)
    open(path + "/" + name[2:], "wb").write(text)
    return name
with open("expected", "w") as f:
    for n in sorted(OUTPUTS):
        of = n in made_from and manifest(n)
        print(top + "proj/" + n, "gitoid:blob:sha256:" + gitoid(data(top + "kept/" + n, True)),
              "gitoid:blob:sha256:" + of if of else "-", sep="\t", file=f)
END2

# check_omnibor STATUS NAME DB UNKNOWN...: check the list and the manifests.
check_omnibor()
{
	rm -rf bor expected.bor
	etrace attest --omnibor bor "$3" > list 2> err
	[ $? = "$1" ]
	result $? "$2: the exit status is $1"
	python3 omnibor.py "${@:4}"
	same "$2: the list of outputs is right" list expected
	check "$2: the manifests are right" diff -r bor expected.bor
}

check_omnibor 0 "omnibor" hashed.db
check "omnibor: an existing directory is accepted" etrace attest --omnibor bor hashed.db
check "omnibor: a second run leaves the same manifests" diff -r bor expected.bor
modify_copy some.db "UPDATE content SET sha256 = NULL, gitoid = NULL, why_not = 'too slow' WHERE $of_file '$builds/proj/b.c')"
check_omnibor 1 "omnibor, an unknown hash" some.db b.c
check "omnibor, an unknown hash: each output without a manifest is reported" bash -c '
	grep -qx "etrace attest: .*/proj/lib.a: no manifest: .*/proj/b.c: too slow" err &&
		grep -qx "etrace attest: .*/proj/prog: no manifest: .*/proj/lib.a: has no manifest itself" err &&
		[ "$(grep -c ": no manifest: " err)" = "$(grep -v /moved.c expected | cut -f 3 | grep -cx -- -)" ]'
modify_copy some.db "UPDATE meta SET value = 0 WHERE key = 'complete'"
ends 2 "omnibor: an incomplete trace is refused" etrace attest --omnibor none.bor some.db
ends 2 "omnibor: a trace without hashes is refused" etrace attest --omnibor none.bor proj.db
check "omnibor: without hashes, the message mentions --hash" \
	bash -c 'etrace attest --omnibor none.bor proj.db 2>&1 | grep -q -- "--hash"'
ends 2 "omnibor with another format is a usage error" \
	etrace attest --omnibor none.bor --slsa hashed.db
check "omnibor: nothing is written after an error" test ! -e none.bor
: > file
ends 2 "omnibor: a file instead of a directory is an error" etrace attest --omnibor file hashed.db
modify_copy some.db "UPDATE exec SET unseen = 2 WHERE id IN (SELECT a.exec FROM access a JOIN version v ON v.id = a.version
	JOIN file f ON f.id = v.file WHERE a.how = 2 AND CAST(f.path AS TEXT) = '$builds/proj/sorted')"
etrace attest --omnibor bor some.db > list 2> err
[ $? = 1 ]
result $? "omnibor, a socket: the exit status is 1"
check "omnibor, a socket: the output has no manifest" grep -qP '/proj/sorted\t.*\t-$' list
check "omnibor, a socket: the program that read from outside is reported" \
	grep -q '/proj/sorted: no manifest: .*/sort: read from outside the trace' err
mkdir circle
echo '{ echo 1; cp circle/x circle/y; cat circle/y; } > circle/x' > circle.sh
etrace run -q --backend=strace -o circle.fxt -- sh circle.sh
etrace db -o circle.db circle.fxt
python3 fill.py circle.db
etrace attest --omnibor bor circle.db > list 2> err
[ $? = 1 ]
result $? "omnibor, outputs made from each other: the exit status is 1"
check "omnibor, outputs made from each other: they have no manifest" \
	bash -c '[ "$(cut -f 3 list | sort | uniq -c | tr -d " ")" = 2- ]'
