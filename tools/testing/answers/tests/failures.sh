#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace explain, for builds that fail in a known way: which command failed first, why, and the
# output formats.

. "${0%/*}/../lib.sh"
begin_builds

if [ "${LONG:-n}" = y ]; then
	"$ANSWERS/failures" > table
	result $? "at least 98 of 100 failed builds are explained correctly"
	sed -n '/^WRONG/p; $p' table
	"$ANSWERS/failures" --no-output > table
	result $? "without recorded output, at least 98 of 100 are explained correctly"
	sed -n '/^WRONG/p; $p' table
else
	"$ANSWERS/failures" --ten > table
	result $? "ten failed builds are explained correctly"
	grep -v '^right' table
	"$ANSWERS/failures" --no-output make/tool ninja/tool sh/tool > table
	result $? "without recorded output, a missing program is named"
	grep -v '^right' table
fi

# Inferences must be certain: the script and the makefile are unchanged, and only one recipe can be
# meant.
printf 'echo a > a\nfrobnicate a\n' > tool.sh
sleep 0.02 # a file is only taken for unchanged if it is 10 ms older than its use
etrace run -q --backend=strace -o tool.fxt -- sh tool.sh 2> log
printf 'all:\n\ttouch between\n\tfrobnicate between\n' > tool.mk
sleep 0.02
etrace run -q --backend=strace -o make.fxt -- make -f tool.mk > log 2>&1
printf 'all: nothing\n\ttouch x\n\tfrobnicate x\nfirst:\n\ttouch x\n' > twice.mk
etrace run -q --backend=strace -o twice.fxt -- make -k -f twice.mk first all > log 2>&1
etrace explain tool.fxt > text
check "inference: a script's missing command is named" \
	grep -q '^sh failed first.*: frobnicate was probably not found (' text
etrace explain make.fxt > text
check "inference: a makefile's missing command is named" \
	grep -q '^make failed first.*: frobnicate was probably not found (' text
etrace explain --json make.fxt > explain.json
check "inference: the JSON marks the cause as likely" python3 -c '
import json
first = json.load(open("explain.json"))["first"]
assert first["likely"] is True and first["name"] == "frobnicate" and first["reason"] == "tool", first'
etrace explain twice.fxt > text
check "inference: no command is named if two recipes match" \
	bash -c '! grep -q frobnicate text && grep -q "^make failed first" text'
echo >> tool.sh
echo >> tool.mk
etrace explain tool.fxt > text
check "inference: no command is named if the script was changed" \
	grep -q '^sh failed first.*: a command was not found (' text
etrace explain make.fxt > text
check "inference: no command is named if the makefile was changed" \
	bash -c '! grep -q frobnicate text && grep -q "^make failed first" text'

# With -k, the makefile marks the failures that are ignored; a variable can also make make go on.
printf 'all: a b c\na:\n\t-@cat   gone;  true && false\n\t-cat gone.$@\nb:\n\tcp gone b\nc:\n\tmv gone c\n' > keep.mk
sleep 0.02
etrace run -q --backend=strace -o keep.fxt -- make -k -f keep.mk > log 2>&1
etrace run -q --backend=strace -o flags.fxt -- env MAKEFLAGS=k make -f keep.mk > log 2>&1
for trace in keep flags; do
	check "$trace: a recipe line with a minus is ignored, and the next failure is first" \
		bash -c "etrace explain $trace.fxt | grep -q '^cp failed first'"
done

# A make with -j that runs a single command: only make itself uses its jobserver.  Failures in
# $(shell) are ignored all the same.
printf 'no := $(shell cat no)\nall:\n\t$(MAKE) -f below.mk\n' > above.mk
printf 'no := $(shell cat no)\nall:\n\tcp gone there\n' > below.mk
for jobs in -j2 -rj3; do
	etrace run -q --backend=strace -o above.fxt -- make "$jobs" -f above.mk > log 2>&1
	check "make $jobs: the first failure in a recursive make is found" \
		bash -c 'etrace explain above.fxt | grep -q "^cp failed first.*; 2 more failed because of it$"'
done

# The value of an option is not a list of letters: -Cbuild does not contain -i.
mkdir build
printf 'CP = cp\nall:\n\t-$(CP) gone x\n\t$(CP) gone2 there\n' > build/Makefile
printf 'all:\n\tcp gone2 there\n' > all.in
for options in -Cbuild "-sCbuild -Oline" "-Ctask" -fall.in; do
	cp -r build task
	read -ra words <<< "$options"
	etrace run -q --backend=strace -o cluster.fxt -- make "${words[@]}" > log 2>&1
	check "make $options: failures are not taken for ignored" \
		bash -c 'etrace explain cluster.fxt | grep -q "^cp failed first.* (cp gone2 there in "'
	rm -r task
done

# Failures that make ignores without a minus.
printf '.PHONY: a b\nCP = cp\n.IGNORE: a\nall: b\na:\n\tcp gone x\nb: a\n\tcp gone2 there\n' > ignore.mk
printf '.PHONY: a b\nall: a b\na:\n\tgrep -q nothing all.in\nb:\n\tcp gone b\n' > two.mk
etrace run -q --backend=strace -o ignore.fxt -- make -f ignore.mk > log 2>&1
etrace run -q --backend=strace -o two.fxt -- make -k -f two.mk > log 2>&1
# make can no longer be asked what it ignores
touch two.mk
check "make: a failure that .IGNORE covers is not the first" \
	bash -c 'etrace explain ignore.fxt | grep -q "^cp failed first.* (cp gone2 there in "'
check "make -k: a failed grep counts as a failure" \
	bash -c 'etrace explain two.fxt | grep -q "^grep failed first"'

# A failure that make or a script ignored is the first one if a later command lacks what it should
# have made. But a command that lacked the same file itself is not.
printf 'int main(void) { return 0; }\n' > main.c
printf 'int broken(\n' > broken.c
printf 'all:\n\t-cc -c broken.c -o broken.o\n\tcc main.c broken.o -o app\n' > minus.mk
printf 'all:\n\tpython3 gen.py table.h || true\n\tcc -c table.c\n' > true.mk
printf 'all:\n\t-rm broken.o\n\tcc main.c broken.o -o app\n' > lacks.mk
printf 'raise SystemExit("broken grammar")\n' > gen.py
printf '#include "table.h"\n' > table.c
printf 'rm broken.o\ncc main.c broken.o -o app\n' > lacks.sh
for name in minus.mk true.mk lacks.mk lacks.sh; do
	case $name in *.mk) build=(make -f "$name") ;; *) build=(sh "$name") ;; esac
	etrace run -q --backend=strace --record=output -o "$name.fxt" -- "${build[@]}" > log 2>&1
done
check "a failure ignored by make is first if its output is missing later" \
	bash -c 'etrace explain minus.mk.fxt | grep -q "^cc1 failed first, on broken.c.*; 2 more failed because of it$"'
check "a failure ignored by || is first if its output is missing later" \
	bash -c 'etrace explain true.mk.fxt | grep -q "^python3 failed first.*broken grammar"'
check "a failed rm in a makefile is not first if the same file is missing later" \
	bash -c 'etrace explain lacks.mk.fxt | grep -q "^ld failed first.*: broken.o was not found"'
check "a failed rm in a script is not first if the same file is missing later" \
	bash -c 'etrace explain lacks.sh.fxt | grep -q "^ld failed first.*: broken.o was not found"'

# A failure that a script handles is not its failure, even if the same program fails later.
tell() { # SCRIPT, PROGRAM AND ARGUMENTS: that failed first
	local run=(bash text.sh)

	printf '%b' "$1" > text.sh
	chmod +x text.sh
	[[ $1 != '#!'* ]] || run=(./text.sh)
	sleep 0.02 # a file is only taken for unchanged if it is 10 ms older than its use
	etrace run -q --backend=strace --record=output -o text.fxt -- "${run[@]}" > log 2>&1
	etrace explain text.fxt > text
	check "$2 is the first failure of the script: $1" \
		grep -q "^[a-z0-9]* failed first.* ($2 in " text
}
tell 'set -e\ncp opt x || true\ncp gone y\n' 'cp gone y'
tell 'set -e\n(cd . && cp opt x 2> log) ||\n  :\ncp gone x\n' 'cp gone x'
tell 'if cp opt x; then F=-g; fi\ncp gone y\n' 'cp gone y'
tell 'N=x; cp opt$N "x y" && F=-g\ncp gone y\n' 'cp gone y'
tell 'N="$(uname)"\ncp opt x || true\ncp gone y\n' 'cp gone y'
tell 'N="$(cp opt x)"\ncp opt x || true\nfalse' 'cp opt x'
tell 'cp opt x || true\nif [ ! -f gone ]; then exit 1; fi\n' 'bash text.sh'
tell 'bad=0\nfor i in a b; do if cp gone$i x; then :; else bad=1; fi; done\nexit $bad\n' 'cp gonea x'
tell 'bad=0\nfor i in a b; do cp gone$i x || bad=1; done\nexit $bad\n' 'cp gonea x'
tell 'uname > x\ncp gone y && uname > x\n' 'cp gone y'
missing='[ -f gone ] || exit 3\n'
tell "#!/bin/sh\ncp opt x || true\n$missing" '/bin/sh ./text.sh'
tell "try() { \"\$@\" || true; }\ntry cp opt x\n$missing" 'bash text.sh'
tell "function step\n{\n\tshift\n\t\"\$@\"\n}\nstep one cp opt x || true\n$missing" 'bash text.sh'
tell 'try() { "$@" || :; }\nmust() { "$@" || bad=1; }\ntry cp opt x\nmust cp gone y\nuname > x\n[ -z "$bad" ]\n' 'cp gone y'
tell "step() { \"\$@\"; }\nstep cp gone x\n$missing" 'cp gone x'
tell "case \$HOME in /*) cp opt x || true ;; *) cp gone ;; esac\n$missing" 'bash text.sh'
# Also if many calls follow, and the script has kept the status.
many='for i in 1 2 3 4 5 6; do uname > x; done\n'
tell "cp gone x; rc=\$?\n${many}[ \$rc = 0 ] || exit 4\n" 'cp gone x'
tell "bad=0\ncp gone x || { uname; bad=\$((bad + 1)); }\n${many}if [ \$bad != 0 ]\nthen\n exit 4\nfi\n" 'cp gone x'
tell "if ! cp gone x; then bad=1; fi\n${many}exit \${bad:-0}\n" 'cp gone x'
tell "run() { \"\$@\" || bad=1; }\nrun cp gone x\n${many}exit \$bad\n" 'cp gone x'
tell "cp opt x || use=no\n${many}[ \$use = no ] && uname > x\nuname > x\n$missing" 'bash text.sh'

# The second one of two ways fails, too.
tell 'cp gone x || cp gone y\n' 'cp gone y'
# A loop that tries again, and gives up.
tell 'try() { while :; do "$@" && return 0; n=x$n; [ $n != xx ] || return 1; uname > x; done; }\ntry cp gone x\n' 'cp gone x'
tell 'n=0\nuntil cp gone x; do\n n=$((n + 1))\n [ $n -lt 2 ] || exit 1\n uname > x\ndone\n' 'cp gone x'
tell 'until cp opt x; do uname > opt; done\ncp gone y\n' 'cp gone y'
# A command that has no input, or an empty one, as what should have written it failed.
tell 'cat gone | tar tf -\n' 'cat gone'
tell 'cat gone | tar tzf -\n' 'cat gone'
tell 'set -eo pipefail\ncat gone | tar tf - | sort\nuname > x\n' 'cat gone'
reads='python3 -c "assert open(\\"x\\").read()"'
tell "cat gone > x\n$reads\n" 'cat gone'
tell "cat gone | sort > x\n$reads\n" 'cat gone'
tell "cat gone\n: > x\n$reads\n" '[^ ]*python3 -c .*'
tell "{ uname; cat gone; } > y\ncat /dev/null > x\n$reads\n" '[^ ]*python3 -c .*'
# What a trap does may fail, too.
tell 'trap "rmdir src2 gone" EXIT\nset -e\nmkdir -p src2/x\nsort gone\n' 'sort gone'
tell 'trap "rmdir src2" EXIT\nset -e\nmkdir -p src2/x\n' 'rmdir src2'
rm -r src2

# The driver of automake's tests only records that a test failed; then the summary fails.
cat > test-driver << 'END'
expected=$2
shift 3
"$@" > /dev/null 2>&1
case $?.$expected in 0.no | 77.* | [1-9]*.yes) echo PASS ;; *) echo FAIL ;; esac > "$2.trs"
END
printf 'cp gone x\n' > expected.sh
printf 'cp gone x\nexit 77\n' > skipped.sh
printf 'cp gone y\n' > fails.sh
cat > tests.mk << 'END'
all: expected.sh.trs skipped.sh.trs fails.sh.trs
	@if grep FAIL *.trs; then exit 1; fi
%.trs: %
	sh ./test-driver --expect-failure $(if $(filter expected.sh,$<),yes,no) -- sh $<
END
etrace run -q --backend=strace --record=output -o tests.fxt -- make -f tests.mk > log 2>&1
check "automake: the failed test is first, not the summary" \
	bash -c 'etrace explain tests.fxt | grep -q "^cp failed first.* (cp gone y in "'

# Which line is quoted.
quote() { # PYTHON, LINE
	printf 'import sys\nout, err = sys.stdout.write, sys.stderr.write\n%s\nsys.exit(1)\n' "$1" > quote.py
	etrace run -q --backend=strace --record=output -o quote.fxt -- python3 quote.py > log 2>&1
	check "the quoted line of the output is: $2" \
		bash -c 'etrace explain quote.fxt | grep -qF ": \"$1\" ("' - "$2"
}
quote 'err("10%\r20%\rerror: lost\n")' 'error: lost'
quote 'err("lint: no errors\nerror_list.c: good\n# ERROR: 0\nit broke\n")' 'it broke'
quote 'err("10 errors\nend\n")' '10 errors'
quote 'out("1..2\nFAIL: two\nend\n")' 'FAIL: two'
quote 'out("# main\n./main.go:3:7: undefined: x\nend\n")' './main.go:3:7: undefined: x'
printf 'if ! grep -q nothing main.c; then echo "error: it has nothing" >&2; exit 2; fi\n' > message.sh
etrace run -q --backend=strace --record=output -o message.fxt -- sh message.sh > log 2>&1
check "a script's message after a silent grep is quoted" \
	bash -c 'etrace explain message.fxt | grep -q "^grep failed first.*: \"error: it has nothing\" ("'

# A file that was not found may not have been needed.
printf 'include gone.mk\n' > include.mk
sleep 0.02
etrace run -q --backend=strace -o include.fxt -- make -f include.mk > log 2>&1
printf -- '-include gone.mk\nall: gone.c\n' > optional.mk
sleep 0.02
etrace run -q --backend=strace -o optional.fxt -- make -f optional.mk > log 2>&1
printf '\177ELF' > elf
chmod +x elf
printf 'import os\ntry:\n    os.execv("./elf", ["elf"])\nexcept OSError:\n    os._exit(127)\n' > elf.py
etrace run -q --backend=strace -o elf.fxt -- python3 elf.py > log 2>&1
printf '\177ELF\0' > foreign
chmod +x foreign
printf './foreign x\n' > foreign.sh
printf 'all:\n\t./foreign x\n' > foreign.mk
sleep 0.02
for run in 'bash foreign.sh' 'sh foreign.sh' 'make -f foreign.mk'; do
	read -ra words <<< "$run"
	etrace run -q --backend=strace -o foreign.fxt -- "${words[@]}" > log 2>&1
	check "$run: a program for another machine is named" \
		bash -c 'etrace explain foreign.fxt | grep -q " failed first.*: foreign is not a program for this machine ("'
done
printf 'import os\nos.execv("/proc/self/exe", ["tool", "gone.py"])\n' > self.py
etrace run -q --backend=strace -o self.fxt -- python3 self.py > log 2>&1
check "a program that runs itself again is named" bash -c 'etrace explain self.fxt | grep -q "^python3[.0-9]* failed first"'
if command -v busybox > /dev/null; then
	etrace run -q --backend=strace -o busybox.fxt -- bash -c 'exec -a sh busybox -ec "mkdir -p x; frobnicate"' > log 2>&1
	check "an applet of busybox is not called missing" \
		bash -c '! etrace explain busybox.fxt | grep -q mkdir.was'
fi
check "a makefile that make includes is named as missing" \
	bash -c 'etrace explain include.fxt | grep -q "^make failed first.*: gone.mk was not found ("'
check "an optional makefile is not named as missing" \
	bash -c '! etrace explain optional.fxt | grep -q gone.mk'
check "a file that cannot be executed is not called missing" \
	bash -c '! etrace explain elf.fxt | grep -q "not found"'

mkdir src
printf '#include "gone.h"\nint a;\n' > src/a.c
printf 'int b\n' > src/b.c
printf 'all: a.o b.o\n%%.o: src/%%.c\n\tcc -c $< -o $@ -DTOKEN=secret-word\n' > Makefile
touch src/gone.h
printf 'int b;\n' > src/b.c.good
cp src/b.c src/b.c.bad
cp src/b.c.good src/b.c
etrace run -q --backend=strace -o good.fxt -- make > log 2>&1
rm src/gone.h ./*.o
cp src/b.c.bad src/b.c
touch src/a.c
etrace run --backend=strace --record=output -o etrace.fxt -- make -k > log 2>&1
etrace run --backend=strace -o one.fxt -- true 2> one
check "run prints '1 process' in the singular" \
	grep -q '^etrace: .*, 1 process, [0-9,]* events; complete$' one
check "run prints the first failure at its end" \
	grep -q '^etrace: FAILED: cc1 failed first, on src/a.c, with exit status 1: gone.h was not found' log
check "run suggests etrace explain after a failure" grep -qx '  more: etrace explain etrace.fxt' log
ends 0 "explain succeeds for a failed build" etrace explain
etrace explain > text
check "explain reads ./etrace.fxt by default" grep -q '^cc1 failed first, on src/a.c' text
check "explain prints where a missing file was looked for" grep -q '^Looked for  src/gone.h$' text
check "explain prints the output of the failed command" \
	grep -q '^    src/a.c:1:10: fatal error: gone.h' text
check "explain prints the other failure" grep -q '^Also failed .*src/b.c' text
check "explain hides secrets in commands" bash -c '! grep -q secret-word text'
check "explain --no-redact shows secrets" bash -c 'etrace explain --no-redact | grep -q secret-word'
etrace explain --before good.fxt > text
check "--before: explain says that the command succeeded earlier" \
	grep -q '^Before  *the earlier build ran it, and it succeeded$' text
check "--before: explain prints an input that has changed" \
	grep -q '^ *input: .*/src/a.c: changed or touched$' text
check "--before: explain prints an input that was removed" \
	grep -q '^ *input: .*/src/gone.h, removed$' text
{
	etrace explain --json
	etrace explain --json --before good.fxt
	etrace explain --json good.fxt
} > answers.json
check "the JSON of explain matches its schema" \
	"$ANSWERS/../unit/json_schema.py" --part "$ANSWERS/../../../Documentation/answers.schema.json" answers.json
etrace report --json etrace.fxt > counts.json
etrace explain --json etrace.fxt > explain.json
check "report --json has the same failure as explain" python3 -c '
import json
counts, explain = (json.load(open(f)) for f in ("counts.json", "explain.json"))
short, first = counts["explain"], explain["first"]
assert short["failed"] and counts["recording"]["status"] == short["build_status"] == 2, short
for name in ("text", "counts", "build_status"):
    assert short[name] == explain[name], name
for name, value in short["first"].items():
    assert value == first[name], name
assert {"program", "command", "cwd", "status", "name", "on"} <= set(short["first"]), short
assert "secret-word" not in json.dumps(short)'
check "the JSON of report matches its schema" \
	"$ANSWERS/../unit/json_schema.py" --part "$ANSWERS/../../../Documentation/answers.schema.json" counts.json
ends 0 "explain succeeds for a build that did not fail" etrace explain good.fxt
etrace explain good.fxt > text
check "explain prints one line for a build that did not fail" \
	bash -c 'grep -qx "The build did not fail." text && [ "$(wc -l < text)" = 1 ]'
etrace report etrace.fxt > page
check "the report of a failed build begins with the failure" \
	bash -c 'head -n 1 page | grep -q "^FAILED: cc1 failed first, on src/a.c"'
etrace report good.fxt > page
check "the report of a successful build does not begin with a failure" \
	bash -c 'head -n 1 page | grep -qv FAILED'

# For CI: output with characters that are special in these formats, and some that are not allowed
# there.
printf '#!/bin/sh\nprintf "src/a.c:7:3: error: 50%%%%, <a> & \\"b\\" \\001\\377]]>\\n" >&2\ncat src/a.c > /dev/null\nexit 1\n' > fail.sh
etrace run -q --backend=strace --record=output -o odd.fxt -- sh fail.sh > log 2>&1
etrace explain --format=github odd.fxt > github
check "GitHub: the place and the message are escaped" \
	grep -q '^::error file=src/a.c,line=7,col=3,title=.*%2C.*::.*50%25, <a> & "b"' github
check "GitHub: there are no control characters" bash -c '! LC_ALL=C grep -q "[[:cntrl:]]" github'
check "GitHub: a failure is one line" bash -c '[ "$(wc -l < github)" = 1 ]'
etrace explain --format=gitlab odd.fxt > gitlab.json
etrace explain --format=gitlab odd.fxt | cmp -s - gitlab.json
result $? "GitLab: the output is the same each time"
check "GitLab: the JSON has all required fields" python3 -c '
import json
(f,) = json.load(open("gitlab.json"))
assert f["location"] == {"path": "src/a.c", "lines": {"begin": 7}}, f
assert f["severity"] in ("info", "minor", "major", "critical", "blocker"), f
assert f["description"] and f["check_name"] and f["fingerprint"], f'
etrace explain --format=junit odd.fxt > junit.xml
check "JUnit: the XML has the failure" python3 -c '
import xml.etree.ElementTree as xml
suite = xml.parse("junit.xml").getroot()[0]
assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
failure = suite.find("testcase/failure")
assert "50%, <a> & \"b\"" in failure.get("message"), failure.get("message")
assert "fail.sh" in failure.text, failure.text'
check "JUnit: a successful build is a test that passes" python3 -c '
import subprocess, xml.etree.ElementTree as xml
text = subprocess.run(["etrace", "explain", "--format=junit", "good.fxt"], capture_output=True).stdout
suite = xml.fromstring(text)[0]
assert suite.get("failures") == "0" and suite.find("testcase/failure") is None'
echo before > summary.md
etrace explain --summary summary.md odd.fxt > /dev/null
check "--summary appends to a file" \
	bash -c 'head -n 1 summary.md | grep -qx before && grep -q "### The build failed" summary.md'
ends 2 "an unknown --format is a usage error" etrace explain --format=frob odd.fxt

printf '#!/bin/sh\necho one two\necho PASSWORD=hush-hush\necho three\nexit 1\n' > leak.sh
etrace run -q --backend=strace --record=output -o leak.fxt -- sh leak.sh > log 2>&1
etrace explain leak.fxt > text
check "explain hides secrets in the output of commands" \
	bash -c '! grep -q hush-hush text && grep -qx "    three" text && grep -qx "    one two" text'

# At most 2,000 words, however long the output is.
{
	echo '#!/bin/sh'
	for i in $(seq 400); do echo "echo word word word word word word word word $i"; done
	echo 'exit 1'
} > many.sh
etrace run -q --backend=strace --record=output -o many.fxt -- sh many.sh $(seq 3000) > log 2>&1
for form in text json; do
	etrace explain --format=$form many.fxt > text
	check "--format=$form prints at most 2,000 words" \
		bash -c '[ "$(wc -w < text)" -le 2000 ] && [ -s text ]'
done
