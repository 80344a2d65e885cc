#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# --compiler-traces: the traces that this machine's clang and lld write are found, with the same
# slices in FXT and on the page.  The record of that build is made here, as lines, with the sizes
# and times of the files.

. "${0%/*}/../lib.sh"

if [ -z "$(command -v clang)" ]; then
	echo "skip: clang is not installed"
	exit 0
fi

mkdir -p src/tmp
cat > src/main.c << 'END'
#include <stdio.h>
int main(void) { return printf("hello\n") < 0; }
END

# lines UPID SECOND.NANOSECOND LINE...: print the lines, 1 ns apart.
lines()
{
	local upid=$1 s=${2%.*} ns=$((10#${2#*.})) line
	for line in "${@:3}"; do
		printf '%s,0,%s,%d!%s\n' "$upid" "$s" "$ns" "$line"
		ns=$((ns + 1))
	done
}

# record UPID FILE BEGIN END COMMAND...: a program that ran from BEGIN to END (ns since
# 1970) and wrote FILE at its end.
record()
{
	local upid=$1 file=$2 program size mtime args=() i=0 n=0 word
	program=$(command -v "$5")
	for word in "${@:5}"; do
		args+=("A[$i]$word")
		i=$((i + 1)) n=$((n + ${#word} + 1))
	done
	lines "$upid" "$(stamp "$3")" \
		"New_proc|argsize=$n,prognameisize=${#program},prognamepsize=${#program},cwdsize=${#PWD}" \
		"PI|$program" "PP|$program" "CW|$PWD" "${args[@]}" "End_of_args|"
	size=$(stat -c %s "$file") mtime=$(date -r "$file" +%s%N)
	file=$PWD/$file
	lines "$upid" "$(stamp "$mtime")" "Open|fnamesize=${#file},forigsize=${#file},flags=577,mode=438,fd=3" \
		"FN|$file" "FO|$file" "Close|fd=3" "CloseWrote|bytes=$size" "CloseFile|size=$size,mtime=$mtime"
	lines "$upid" "$(stamp "$4")" "Exit|status=0"
}

# stamp NS: on the trace's clock, which began an hour before the build
stamp()
{
	local ns=$(($1 - begin + 3600000000000))
	printf '%s.%d' $((ns / 1000000000)) $((ns % 1000000000))
}

# slices FXT: the names of the slices in each program, in its order.
slices()
{
	etrace-read --from fxt-records --to json "$1" | python3 -c '
import json, sys
rows = [r for r in map(json.loads, sys.stdin) if r.get("category") == "inside" and "end_time" in r]
rows.sort(key=lambda r: (r["thread"]["process"], r["timestamp"], -r["end_time"]))
for r in rows:
    print(r["thread"]["process"], r["name"], " ".join(a["value"] for a in r["args"]))'
}

begin=$(date +%s%N)
clang -c -ftime-trace -ftime-trace-granularity=100 src/main.c -o src/main.o
middle=$(date +%s%N)
record $((1 << 22 | 101)) src/main.json "$begin" "$middle" clang -c -ftime-trace src/main.c -o src/main.o > build.etrace
if [ -n "$(command -v ld.lld)" ]; then
	clang -fuse-ld=lld -Wl,--time-trace,--time-trace-granularity=100 src/main.o -o src/main
	record $((2 << 22 | 102)) src/main.time-trace "$middle" "$(date +%s%N)" \
		ld.lld --time-trace src/main.o -o src/main >> build.etrace
else
	echo "skip: lld is not installed"
fi

etrace-read --compiler-traces -o build.fxt build.etrace 2> messages
check "no warnings are printed for complete compiler traces" test ! -s messages
check "the FXT passes etrace-read --check" etrace-read --check build.fxt
etrace-read --to etrace build.fxt > back
same "converting the FXT back gives the same lines" build.etrace back
slices build.fxt > inside
check "the FXT has the compiler's slices" grep -qx "1 ExecuteCompiler *" inside
check "the FXT has a slice for an included header" grep -qx "1 Source /usr/include/stdio.h" inside
if [ -e src/main.time-trace ]; then
	check "the FXT has the linker's slices" grep -qx "2 ExecuteLinker *" inside
fi
check "the FXT has no slices for totals" bash -c "! grep -q ' Total ' inside"

# The same file, read by Python, without the totals.
python3 - src/main.json << 'END' | sort > expected
import json, sys
rows, open_rows = [], []
for e in json.load(open(sys.argv[1]))["traceEvents"]:
    row = (e["name"], e.get("args", {}).get("detail", ""))
    if e["ph"] == "X" and not e["name"].startswith("Total "):
        rows.append(row)
    elif e["ph"] == "b":
        open_rows.append(row)
    elif e["ph"] == "e":
        rows.append(open_rows.pop())
for name, detail in rows:
    print(1, name, detail)
END
grep '^1 ' inside | sort > got
same "the FXT has all slices of the compiler's trace" expected got

# The page has the same.
etrace report --html page.html --compiler-traces build.etrace 2> messages
check "no warnings are printed for the page" test ! -s messages
python3 - page.html << 'END' > page
import base64, json, re, sys, zlib
page = {m[1]: json.loads(zlib.decompress(base64.b64decode(m[2]))) for m in
        re.finditer(r'id="(meta|inside-0)" data-size="\d+">([^<]*)<', open(sys.argv[1]).read())}
assert all(t["fault"] is None for t in page["meta"]["compiler_traces"]), page["meta"]
for program, rows in page["inside-0"].items():
    for name, detail, _, _, _ in rows:
        print(int(program) + 1, name, detail)
END
sort inside > expected
sort page > got
same "the page has the same slices as the FXT" expected got

# Files of a build on another machine.
mkdir -p "root$PWD"
mv src "root$PWD/src"
etrace-read --compiler-traces="$PWD/root" -o other.fxt build.etrace 2> messages
check "compiler traces are found below another root directory" cmp build.fxt other.fxt
etrace-read --compiler-traces -o gone.fxt build.etrace 2> messages
check "a compiler trace that no longer exists is reported" \
	grep -q "$PWD/src/main.json no longer exists" messages
etrace report --html gone.html --compiler-traces build.etrace 2> messages
check "report reports a compiler trace that no longer exists" \
	grep -q "^etrace report: $PWD/src/main.json no longer exists" messages
touch "root$PWD/src/main.json"
etrace-read --compiler-traces="$PWD/root" -o changed.fxt build.etrace 2> messages
check "a compiler trace that was changed is reported" \
	grep -q "$PWD/src/main.json was changed after the build" messages
ends 0 "a compiler trace that was changed is not an error" \
	etrace-read --compiler-traces="$PWD/root" -o changed2.fxt build.etrace
