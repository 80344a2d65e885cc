#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace attest: the names of inputs that the build renamed or linked, directories that it renamed,
# files that it only added to, and inputs that something else edited during the build.

. "${0%/*}/../lib.sh"

cat > rows.py <<'END2'
# Print inputs, outputs and tools in a directory, each with its digest and its gitoid if recorded,
# or why it has none.
import json, sys
document = json.load(open(sys.argv[1]))
top = sys.argv[2] + "/"
build = document["predicate"]["buildDefinition"]
claim = document["predicate"]["etrace_completeness"]
rows = [("output", r) for r in document["subject"] + claim["outputs_without_hash"]]
rows += [(r["annotations"]["role"], r) for r in build["resolvedDependencies"]]
for role, r in sorted(rows, key=lambda x: (x[0], x[1]["name"])):
    if r["name"].startswith(top):
        print(role, r["name"][len(top):], r.get("digest", {}).get("sha256") or r["annotations"]["not_hashed"])
END2

# row ROLE NAME FILE: print the expected line for NAME with the content of FILE.
row() { echo "$1 $2 $(sha256sum < "$3" | cut -d ' ' -f 1)"; }

begin_builds
mkdir proj
cd proj || exit
for name in renamed back linked one two log unused touched both; do echo "what $name held" > $name; done
mkdir -p dir swap1 swap2 read pack/pack
for name in dir/sub swap1/f swap2/f read/f pack/pack/f; do echo "what $name held" > $name; done
cat > build.sh <<'END2'
mv renamed other; cat other > o1
mv back away; cat away > o2; mv away back
mkdir d; ln linked d/l; cat d/l > o3
mv one t; mv two one; mv t two; cat one > o4
mv dir dir1; mv dir1 dir2; cat dir2/sub > o5
mv swap1 t; mv swap2 swap1; mv t swap2; cat swap1/f swap2/f > o6
cat read/f > o7; mv read read2
mv pack/pack t; rmdir pack; mv t pack; cat pack/f > o10
echo more >> log
mv unused unused2
touch -d 2020-01-01 touched both; cat touched > o8
mv both both2; touch both2; cat both2 > o9
cat this/seen > o11; echo made > that/made
python3 exchange.py this that
cat this/f this/seen this/sub/f this/only-that this/made that/seen that/only-this > o12
END2
cat > exchange.py <<'END2'
# mv --exchange, which few releases of coreutils have
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
if libc.renameat2(-100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2):
    sys.exit("cannot exchange: " + os.strerror(ctypes.get_errno()))
END2
for name in this that; do
	mkdir -p $name/sub
	for file in f seen sub/f only-$name; do echo "what $name/$file held" > "$name/$file"; done
done
cp -a . ../was
check "names: the build is recorded" \
	etrace run -q --backend=strace -o ../names.fxt -- sh -e build.sh
cd .. || exit
etrace attest --slsa names.fxt > slsa.json 2> /dev/null
python3 rows.py slsa.json "$PWD/proj" > ours
{
	for name in back both dir/sub linked pack/pack/f read/f renamed swap1/f swap2/f \
		that/f that/only-that that/seen that/sub/f this/only-this this/seen touched two; do
		row input $name was/$name
	done
	echo "input log changed since"
	for name in both2 d/l dir2/sub log o1 o11 o12 o2 o3 o4 o5 o6 o7 o8 o9 o10 one other pack/f read2/f \
		swap1/f swap2/f that/only-this that/seen this/f this/made this/only-that this/seen this/sub/f \
		two unused2; do
		row output $name proj/$name
	done
	row tool build.sh was/build.sh
	row tool exchange.py was/exchange.py
} | sort > expected
sort ours > sorted
same "names: inputs have the names from before the build" \
	<(cut -d ' ' -f 1,2 sorted) <(cut -d ' ' -f 1,2 expected)
# With strace, not all sizes and times are known.
check "names: all digests are right" \
	bash -c 'grep -E " [0-9a-f]{64}$" sorted > hashed && ! grep -vxFf expected hashed'
etrace attest --spdx names.fxt 2> /dev/null | grep -o '"name":"[^"]*/proj/[^"]*"' | sort -u > in-spdx
sed 's|^[a-z]* \([^ ]*\) .*|"name":"'"$PWD"'/proj/\1"|' expected | sort -u > in-slsa
same "names: SPDX has the same names" in-spdx in-slsa

# ---- an input that is edited during the build ----

mkdir edited
cd edited || exit
echo 1 > a
echo 2 > b
# The program that edits it is not recorded.
cat > build.sh <<'END2'
cat a b > o1
touch go
for i in $(seq 600); do [ ! -e done ] || break; sleep 0.1; done
cat a > o2
cat b > o3
END2
(until_done test -e go; cat b > a; touch b 'done') &
check "edited input: the build is recorded" \
	etrace run -q --backend=strace -o ../edited.fxt -- sh -e build.sh
wait
cd .. || exit
etrace db -o edited.db edited.fxt
cat > fill.py <<'END2'
# Write what the recorder would have: two contents of a, and one content of b, seen twice.
import hashlib, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
def fill(name, data, at):
    rows = db.execute("""SELECT v.id FROM version v JOIN file f ON f.id = v.file
                         WHERE CAST(f.path AS TEXT) LIKE '%/edited/' || ?""", (name,)).fetchall()
    for version, in rows:
        db.execute("INSERT INTO content VALUES (?, ?, ?, ?, NULL)", (version, at,
                   hashlib.sha256(data).hexdigest(), hashlib.sha256(b"blob %d\0" % len(data) + data).hexdigest()))
fill("a", b"1\n", 1)
fill("a", b"2\n", 2)
fill("b", b"2\n", 1)
fill("b", b"2\n", 2)
for name in ("o1", "o2", "o3"):
    fill(name, open("edited/" + name, "rb").read(), 2)
db.commit()
END2
python3 fill.py edited.db
etrace attest --slsa edited.db > slsa.json 2> /dev/null
check "edited input: the output matches its schema" python3 -c 'import json, jsonschema, sys
schema = json.load(open(sys.argv[1]))
jsonschema.validators.validator_for(schema)(schema).validate(json.load(open("slsa.json")))' \
	"$ANSWERS/../../../Documentation/slsa.schema.json"
python3 rows.py slsa.json "$PWD/edited" | grep ^input > ours
{
	echo 1 | sha256sum | sed 's/^\([0-9a-f]*\).*/input a \1/'
	row input a edited/b
	row input b edited/b
} > expected
same "edited input: both contents are listed" ours expected
etrace attest --omnibor bor edited.db 2> err | sed 's|.*/||' | cut -f 1,3 | grep ^o > list
grep -c -P '\tgitoid' list > count
same "edited input: omnibor gives one output a manifest" count <(echo 1)
check "edited input: omnibor gives the output not made from it a manifest" \
	grep -qP '^o3\tgitoid' list
check "edited input: omnibor says why an output has no manifest" \
	grep -q '/o2: no manifest: .*/edited/a: changed by something that is not recorded' err
sqlite3 edited.db "INSERT INTO content SELECT v.id, 3, NULL, NULL, 'changed by something that is not recorded, after it was read'
	FROM version v JOIN file f ON f.id = v.file WHERE CAST(f.path AS TEXT) LIKE '%/edited/b'"
sqlite3 edited.db "UPDATE version SET size = 2, mtime = $(date -r edited/b +%s%N) WHERE id IN
	(SELECT v.id FROM version v JOIN file f ON f.id = v.file WHERE CAST(f.path AS TEXT) LIKE '%/edited/b')"
etrace attest --slsa edited.db > slsa.json 2> /dev/null
python3 rows.py slsa.json "$PWD/edited" | grep '^input b' > ours
same "edited input: it is not hashed, although its size and time match" \
	ours <(echo "input b changed since")
