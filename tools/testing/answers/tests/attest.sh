#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace attest: of a machine that is made here, with files of the sizes and times that
# the recording has.  With SPDX_SCHEMA=FILE, the JSON schema of SPDX 3.0.1, what is written is held
# against that, too.

. "${0%/*}/../lib.sh"

cat > machine.py <<'END2'
# A file for each version that the build found, or left.
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
# Each hash is that of the file; says which files are in which role, and without one.
import hashlib, json, sys
said = json.load(open(sys.argv[1]))
if "@graph" in said:
    graph = {e.get("spdxId", e.get("@id")): e for e in said["@graph"]}
    kinds = {"hasInput": "input", "usesTool": "tool", "hasOutput": "output"}
    rows = [(kinds[r["relationshipType"]], graph[t]["name"],
             graph[t].get("verifiedUsing", [{}])[0].get("hashValue"), graph[t].get("comment"))
            for r in said["@graph"] if "from" in r for t in r["to"]]
    assert len(rows) == sum(e["type"] == "software_File" for e in said["@graph"])
else:
    log = said["predicate"]["monitorLog"]
    rows = [(f["annotations"]["role"], f["name"], f.get("digest", {}).get("sha256"),
             f["annotations"].get("not_hashed")) for f in log["fileAccess"]]
    subjects = [(s["name"], s["digest"]["sha256"]) for s in said["subject"]]
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

for by in module bpf; do
	trace=$FIXTURES/make/$by.fxt.zst
	rm -rf root build.db
	mkdir root
	etrace db -o build.db "$trace"
	python3 machine.py build.db
	cc1=/usr/lib/gcc/x86_64-linux-gnu/12/cc1
	mkdir -p root/${cc1%/*}
	echo cc1 > root/$cc1
	for kind in spdx in-toto; do
		etrace attest --$kind --root root "$trace" > $kind.json 2> err
		result $? "$by, $kind: status"
		python3 truth.py $kind.json | sort > said
		result "${PIPESTATUS[0]}" "$by, $kind: each hash is the file's"
		# Of programs a trace has the name only, and these files are younger than the build.
		check "$by, $kind: all that can be are hashed" \
			bash -c "! grep -E '^(input|output) ' said | grep -v ' hashed$'"
		check "$by, $kind: as its schema says" python3 valid.py "$schemas/$kind.schema.json" $kind.json
		etrace attest --$kind --root root build.db > again.json
		same "$by, $kind: the same of a database" again.json $kind.json
		cp said said.$kind
	done
	same "$by: both say the same" said.spdx said.in-toto
	# What there is at the end, and what the objects were made from.
	sed -n 's|^[0-9a-f]* [ *]\(/build/make/out/.*\)|output \1 hashed|p' "$FIXTURES/make/sha256" |
		sort > expected
	grep '^output /build/make/out/' said > outputs
	same "$by: outputs are the files that there are in the end" outputs expected
	etrace deps --json --all --direct "$trace" | python3 -c '
import json, sys
made, read = set(), set()
for line in sys.stdin:
    row = json.loads(line)
    made.add(row["output"])
    read.update(row["inputs"])
print("\n".join(sorted("input %s hashed" % p for p in read - made)))' > expected
	check "$by: all that outputs were made from are inputs" \
		bash -c 'grep "^input" said | sort | comm -13 - <(sort expected) | { ! grep . || exit 1; }'
	check "$by: compilers are tools" grep -qx "tool $cc1 .* does not tell its size and time" said
	check "$by: libraries are" grep -qx "tool /usr/lib/x86_64-linux-gnu/libbfd.* hashed" said
	# What nobody touched since the build began is what it had: were it in 2050.
	sqlite3 build.db "UPDATE version SET mtime = mtime + 788918400000000000 WHERE made IN (1, 2)"
	etrace attest --root root build.db > spdx.json 2> /dev/null
	python3 truth.py spdx.json > said
	check "$by: old enough" grep -qx "tool $cc1 hashed" said
	check "$by: others are not" bash -c "! grep '^output .* hashed' said"
done
[ -z "${SPDX_SCHEMA:-}" ] ||
	check "as SPDX's schema says" python3 valid.py "$SPDX_SCHEMA" spdx.json

# What is no longer what the build had.
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
result $? "changed since: status"
python3 truth.py spdx.json > said
check "changed since: hashes" test -s said
for file in "output out/add.o changed since" "input src/add.c changed since" "input src/mul.c gone since" \
		"input src/size.c a link since" "input src/quick.c no regular file since" \
		"input src/left.c hashed"; do
	check "changed since: $file" grep -qx "${file/ / \/build\/make\/}" said
done
check "and it is told" grep -q 'files have no hash' err
# A link cannot lead out of the machine.
rm -rf root/build/make/src
ln -s "$PWD/outside" root/build/make/src
mkdir outside
cp root/build/make/moved/left.c outside/ && touch -r root/build/make/moved/left.c outside/left.c
etrace attest --root root "$trace" 2> /dev/null | grep -c '"name":"/build/make/src/left.c".*gone since' > count
check "a link out of the machine" grep -qx 1 count

# The same, whenever and wherever it is said; and another date on request.
etrace attest --root root "$trace" > a.json 2> /dev/null
(cd outside && etrace attest --root ../root "$trace" > ../b.json 2> /dev/null)
same "the same again" a.json b.json
check "its date" bash -c 'SOURCE_DATE_EPOCH=86400 etrace attest --root root "$1" 2> /dev/null |
	grep -q "\"created\":\"1970-01-02T00:00:00Z\""' - "$trace"
zstd -dcq "$trace" | head -c 30000 > cut.fxt
ends 1 "a trace that is cut" etrace attest --root root cut.fxt
etrace attest --root root cut.fxt 2> /dev/null > cut.json
check "says so" grep -q 'the trace is not complete' cut.json
ends 2 "no machine" etrace attest --in-toto --root none "$trace"
ends 2 "two kinds" etrace attest --spdx --in-toto --root root "$trace"
etrace db -o old.db "$trace"
sqlite3 old.db "UPDATE version SET size = NULL, mtime = NULL"
etrace attest --root root old.db > old.json 2> /dev/null
check "a trace that does not tell" bash -c '! grep -q hashValue old.json && grep -q "does not tell its size" old.json'

# What the page shows.
zstd -dqo build.fxt "$trace"
grep '^etrace attest' "$schemas/etrace-attest.1" | sed 's/\\-/-/g' > lines
while read -r line; do
	check "etrace-attest.1: $line" bash -c "$line > out.json 2> /dev/null; test -s out.json || test -s build.spdx.json"
done < lines
