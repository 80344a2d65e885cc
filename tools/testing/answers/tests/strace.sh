#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Recorded here with strace: the truths of the flows, of gcc and of make; then the same from a log
# that strace wrote without etrace.

. "${0%/*}/../lib.sh"

if ! etrace doctor --backend=strace > output; then
	echo "skip: strace: $(head -n 1 output)"
	exit
fi
export LC_ALL=C TMPDIR=$PWD
top=$(pwd -P)

# record_complete NAME COMMAND...: record it completely, with the command's own status
record_complete()
{
	check "$1: the recording is complete" \
		etrace run -q --strict --backend=strace -o "$top/$1.fxt" -- "${@:2}"
}

# ---- every way in which data gets from file to file ----

mkdir flows
cp -r "$ANSWERS/projects/flows" flows/src
cp -r flows/src/in flows/in
# Inputs are older than their outputs.
find flows -exec touch -h -d 2024-01-01T00:00:00Z {} +
cd flows || exit
src/flows truth | sort > ../truth
record_complete flows src/flows run
cd ..
sed 's/^\({"output":"[^"]*",\).*/\1/' truth > outputs
etrace deps --leaves --all --json flows.fxt > all
grep -F -f outputs all | sort > ours
same "flows: the leaves of all $(wc -l < truth) outputs are right" ours truth

# The other ways: data in datagrams to a name is not seen.
mkdir ways
cp -r "$ANSWERS/projects/ways" ways/src
cp "$ANSWERS/projects/flows/flows" ways/src/
cp -r ways/src/in ways/in
find ways -exec touch -h -d 2024-01-01T00:00:00Z {} +
ln ways/in/a ways/in/hard
cd ways || exit
sed -n 's/^#> *//p' src/cases > ../truth
record_complete ways src/flows run
cd ..
etrace deps --leaves --all --json ways.fxt > ours 2> log
check "ways: the leaves of all $(wc -l < truth) outputs are right" "$ANSWERS/compare" \
	--no-output '*/lock' --no-output '*/sent1' "$top/ways" truth ours

# What comes through a terminal is not recorded: deps says so.
echo text > typed
# shellcheck disable=SC2016
record_complete pty sh -c 'python3 -c "import pty; pty.spawn([\"cat\", \"typed\"])" > shown < /dev/null'
check "the program wrote through a terminal" grep -q text shown
ends 1 "deps cannot know all inputs of what a terminal showed" sh -c 'etrace deps pty.fxt shown 2> log'
check "deps says that a device was read" grep -q 'read a device.*not known' log

# ---- variables of the environment ----

# record_variables NAME OPTION...: record two programs
record_variables()
{
	env -i PATH="$PATH" CPATH=/x CPATHS=/y HOME=/h 'CL=/DMY_TOKEN=abcdef /O2' \
		etrace run -q --strict --backend=strace -o "$1.etrace" "${@:2}" -- \
		sh -c 'unset CPATH; SDKROOT=/s exec true'
	etrace db -o "$1.db" "$1.etrace"
}

# variables NAME: all variables in its database
variables()
{
	sqlite3 "$1.db" "SELECT e.exec, CAST(n.s AS TEXT), CAST(v.s AS TEXT) FROM env AS e
		JOIN string AS n ON n.id = e.name JOIN string AS v ON v.id = e.value ORDER BY 1, 2"
}

# variables_to_record NAME: which variables were recorded, from its database
variables_to_record()
{
	sqlite3 "$1.db" "SELECT value FROM meta WHERE key = 'env'" | sed 's/^.*,CPATH,.*,CL,.*$/a list/'
}

record_variables default
variables default > ours
printf '%s\n' '1|CL|/DMY_TOKEN=abcdef /O2' '1|CPATH|/x' '2|CL|/DMY_TOKEN=abcdef /O2' '2|SDKROOT|/s' > truth
same "the default variables are recorded" ours truth
check "the trace lists the variables that were to be recorded" \
	test "$(variables_to_record default)" = "a list"
etrace-read --redact --to etrace default.etrace > ours 2> log
check "--redact hides a secret among options in a variable" \
	grep -qx '.*!EV|/DMY_TOKEN=\*\*\* /O2' ours
check "--redact hides the secret everywhere" sh -c '! grep -q abcdef ours'
record_variables none --no-env
check "--no-env records no variables" test -z "$(variables none)$(variables_to_record none)"
record_variables all --record=env
check "--record=env records all variables" test "$(variables all | grep -c 'CPATHS\|HOME')" = 4
check "the trace says that all variables were recorded" test "$(variables_to_record all)" = '*'
check "--record=env with --no-env is refused" \
	sh -c 'etrace run --record=env --no-env -o no.fxt -- true 2>&1 | grep -q "leave one out"'

# ---- where names lead ----

# The kernel follows a link before "..".
mkdir -p far/off/dir
ln -s far/off/dir near
etrace run -q --strict --backend=strace -o near.fxt -- sh -c '
	mkdir near/../made && touch near/../made/../file && mv near/../file near/../../moved &&
	ln -s x ./near/..//link && cd -P near/.. && rmdir made'
etrace-read --to etrace near.fxt | sed -n "s,.*!\(KD\|RF\|RT\|SL\|CD\|UN\)|$PWD/,\1 ,p" > ours
printf '%s\n' 'KD far/off/made' 'RF far/off/file' 'RT far/moved' 'SL far/off/link' 'CD far/off' \
	'UN far/off/made' > truth
same "'..' after a symbolic link is resolved as the kernel does" ours truth

# ---- what programs printed ----

# record_printed NAME WHAT: record a program that prints a lot and fails, and some that succeed
record_printed()
{
	etrace run -q --strict --backend=strace --record="$2" -o "$1.fxt" -- sh -c '
		cat long ./--password=hunter2 2> "$1.err" | sort -c
		echo fine
		/bin/printf "a\0\377\n"
		kill -9 $$' - "$1" > "$1.out" 2> log
	etrace db -o "$1.db" "$1.fxt"
	sqlite3 "$1.db" "SELECT e.status, e.signal, fd, bytes, hex(text) FROM printed
		JOIN exec AS e ON e.id = exec ORDER BY e.signal, bytes DESC"
}

hex() { od -An -v -tx1 "$@" | tr -d ' \n' | tr a-f A-F; }

seq 10001 13000 > long
record_printed some output > ours
{
	echo "1|0|1|18000|$(tail -c 4096 long | hex)"
	echo "1|0|2|$(wc -c < some.err)|$(hex some.err)"
	echo "0|9|1|5|$(echo fine | hex)"
} > truth
same "the output of failed programs is recorded" ours truth
record_printed all output=all > ours
sed '2a 0|0|1|4|6100FF0A' truth > all.truth
same "output=all records the output of all programs" ours all.truth
etrace-read --redact --to json some.fxt | grep '"event":"output"' > ours
check "--redact hides a secret in recorded output" grep -q 'password=\*\*\*' ours
check "--redact hides all secrets in recorded output" sh -c '! grep -q hunter2 ours'
check "the build still prints its own output" test "$(wc -l < some.out)" = 2

# ---- files from before the build that it renamed or linked ----

mkdir -p names/in/dir names/out
for file in a b c dir/d e f dir/g; do
	echo $file > names/in/$file
done
cat > names.truth <<'END'
out/of-gone: in/a
out/linked: in/b
out/of-linked: in/b
out/moved: in/c
out/of-moved: in/c
out/of-dir: in/dir/d
out/edited: in/e
out/of-edited: in/e
out/grown: in/f
out/of-grown: in/f
END
# shellcheck disable=SC2016
record_complete names env -C names sh -ec '
ln in/a gone; cat gone > out/of-gone; rm gone
ln in/b out/linked; sort out/linked > out/of-linked
mv in/c out/moved; sort out/moved > out/of-moved
cat in/dir/d > /dev/null; mv in/dir other; cat other/d > out/of-dir
ln in/e out/edited; sed -i s/e/x/ out/edited; cat out/edited > out/of-edited
ln in/f out/grown; echo more >> out/grown; cat in/f > out/of-grown
'
etrace deps --leaves --all --json names.fxt > ours 2> log
check "leaves have the names from before the build" \
	"$ANSWERS/compare" --known "$top/names" names.truth ours
etrace deps --direct names.fxt names/out/of-linked > ours
check "a hard link made by the build is an output" grep -q '/out/linked$' ours
etrace deps names.fxt names/out/of-linked > ours
check "the dependencies list the link and its old name" \
	test "$(sed "s|$top/names/||" ours | paste -sd ' ')" = "in/b out/linked"
etrace why names.fxt names/out/of-linked names/in/b > output
check "why names the command that made the link" grep -q 'made by  ln in/b out/linked' output
etrace rdeps --all names.fxt > output
check "rdeps lists files that were only linked or moved" grep -q '/names/in/b$' output

# ---- another root directory ----

mkdir -p jail/in jail/root jail/out
echo a > jail/in/a
cat > jail/change.py <<'END'
import os
os.chroot("root")
with open("/a") as a, open("/b", "w") as b:
    b.write(a.read())
END
if [ "$(id -u)" = 0 ]; then
	record_complete jail env -C jail sh -ec 'cp in/a root/a; python3 -SIB change.py; cat root/b > out/b'
	etrace deps --leaves jail.fxt jail/out/b > ours
	check "a dependency through another root directory is found" \
		test "$(cat ours)" = "$top/jail/in/a"
else
	echo "skip: another root directory: needs root"
fi

# ---- a build, compared with gcc, make and a log of strace ----

mkdir build
cd build || exit
for i in 1 2 3; do
	printf '#include <stdio.h>\n#include "part.h"\nint part%d(void) { return puts(NAME); }\n' $i > part$i.c
done
echo '#define NAME "part"' > part.h
echo 'int part1(void); int main(void) { return part1(); }' > main.c
printf 'CFLAGS = -MMD -MF $@.d\nall: main\nlibparts.a: part1.o part2.o part3.o\n\tar rc $@ $^\nmain: main.o libparts.a\n\t$(CC) -o $@ $^\n' > Makefile
printf '#!/bin/sh -e\nmake -s "$@"\n' > wrapper
chmod +x wrapper
make -n | grep -c '\-c -o' > compiled
record_complete build ./wrapper -j2
# The files that ran: for a script, its interpreter.
etrace-read --to json ../build.fxt | sed -nE \
	's/^\{"event":"exec".*"ino":([0-9]+),"size":([0-9]+),.*"interpreter":"([^"]*)".*/\1 \2 \3/p' |
	sort -u > ours
cut -d' ' -f3 ours | xargs stat -c '%i %s %n' > truth
echo "$(stat -L -c '%i %s' /bin/sh) $(realpath /bin/sh)" >> truth
sort -u -o truth truth
same "the trace has the program files that ran" ours truth
sed -e 's/^[^:]*://' -e 's/\\$//' part1.o.d | xargs realpath | grep -v '/part1.o$' | sort > gcc-sources
etrace deps --direct ../build.fxt "$top/build/part1.o" | sort > ours
sed -i '/^$/d' gcc-sources
# gcc -MMD leaves out system headers.
grep -v /usr/ ours > own-sources
same "the sources of part1.o are those that gcc -MMD lists" own-sources gcc-sources
etrace deps --leaves ../build.fxt "$top/build/main" | grep "^$top" | sort > ours
printf '%s\n' main.c part.h part1.c part2.c part3.c | sed "s|^|$top/build/|" > truth
same "the leaves of the program are its sources" ours truth
etrace compdb ../build.fxt > ../compdb.json
check "compdb has as many entries as make runs compilers" python3 -c '
import json, sys
rows = json.load(open("../compdb.json"))
print(len(rows), open("compiled").read())
sys.exit(len(rows) != int(open("compiled").read()) or
         any(r["directory"] != sys.argv[1] for r in rows))' "$top/build"
etrace-read --to json ../build.fxt > events
check "a script has the arguments of its interpreter" \
	grep -q '"argv":\["/bin/sh","-e","./wrapper","-j2"\]' events

find . -name '*.o' -delete -o -name '*.a' -delete -o -name main -delete
strace -f -y -ttt -s 131072 -o ../log ./wrapper -j2
for query in "deps --leaves" "deps --direct"; do
	# shellcheck disable=SC2086
	etrace $query ../build.fxt "$top/build/main" > live
	# shellcheck disable=SC2086
	etrace $query ../log "$top/build/main" > from-log
	same "$query is the same for a log of strace -f" from-log live
done
etrace compdb ../log > from-log
check "compdb has the same entries for a log of strace -f" python3 -c '
import json, sys
def rows(name):
    return sorted((r["directory"], r["file"]) for r in json.load(open(name)))
print(rows("from-log"), rows("../compdb.json"))
sys.exit(rows("from-log") != rows("../compdb.json"))'
find . -name '*.o' -delete -o -name '*.a' -delete -o -name main -delete
strace -ff -y -ttt -s 131072 -o ../each ./wrapper -j2
etrace-read -o ../each.fxt ../each.*
check "logs of strace -ff are read" test -s ../each.fxt
etrace deps --leaves ../each.fxt "$top/build/main" > from-logs
etrace deps --leaves ../build.fxt "$top/build/main" > live
same "the leaves are the same for logs of strace -ff" from-logs live
cd ..

# ---- no leftovers, and the command behaves as without etrace ----

check "nothing is left in TMPDIR" test -z "$(find . -maxdepth 1 -name 'etrace.*')"
ends 3 "the exit status is the command's" etrace run -q --backend=strace -o s.fxt -- sh -c 'exit 3'
ends 143 "the exit status is 143 after SIGTERM" \
	etrace run -q --backend=strace -o s.fxt -- sh -c 'kill -TERM $$'
ends 127 "the exit status is 127 if there is no such command" \
	etrace run -q --backend=strace -o s.fxt -- no-such-program
ends 126 "the exit status is 126 if the command is not executable" \
	etrace run -q --backend=strace -o s.fxt -- ./truth
ends 125 "attach refuses the strace backend" etrace attach --backend=strace -o s.fxt $$
check "the command inherits no descriptors from etrace" \
	test "$(etrace run -q --backend=strace -o s.fxt -- sh -c 'ls /proc/self/fd' | wc -l)" = \
	"$(sh -c 'ls /proc/self/fd' | wc -l)"

printf '#!/no/such/interpreter\n' > no-interpreter
printf '\177ELF\002 not really\0\0' > no-binary
chmod +x no-interpreter no-binary
ends 126 "the exit status is 126 if the command is a directory" \
	etrace run -q --backend=strace -o s.fxt -- /tmp
ends 127 "the exit status is 127 if a script's interpreter is missing" \
	etrace run -q --backend=strace -o s.fxt -- ./no-interpreter
ends 126 "the exit status is 126 if the binary is damaged" \
	etrace run -q --backend=strace -o s.fxt -- ./no-binary
ends 1 "a command that exits with 1 is not mistaken for a failed start" \
	etrace run -q --backend=strace -o s.fxt -- sh -c '/no/such/program 2> /dev/null; exit 1'
# shellcheck disable=SC2016
ends 162 "the exit status is 162 after real-time signal 34" \
	etrace run -q --backend=strace -o s.json -- sh -c 'ulimit -c 0; kill -34 $$'
check "the trace has the real-time signal" \
	grep -q '"event":"exit".*"signal":"\?[a-z ]*34"\?,' s.json

# A program that asks not to be traced works, and the trace reports that it is not complete.
for program in untraced filter; do
	gcc -pthread -o $program "$ANSWERS/projects/strace/$program.c"
done
timeout 60 etrace run --backend=strace -o s.fxt -- ./untraced 2> messages
result $? "a program whose child asks not to be traced succeeds"
check "the untraced child made its file" test -e untraced.out
check "the untraced child is reported as missing" \
	grep -q '1 task that asked not to be traced' messages

# So do programs whose AddressSanitizer looks for leaks at their end.
echo 'int main(void) { return 0; }' > nothing.c
if gcc -fsanitize=address -o nothing nothing.c 2> output && ./nothing; then
	ends 0 "a program with AddressSanitizer succeeds" \
		timeout 60 etrace run -q --backend=strace -o s.fxt -- ./nothing
	# shellcheck disable=SC2016
	check "AddressSanitizer: existing LSAN_OPTIONS are kept" \
		env LSAN_OPTIONS=verbosity=0 etrace run -q --backend=strace -o s.fxt -- \
		sh -c 'test "$LSAN_OPTIONS" = verbosity=0:detect_leaks=0'
else
	echo "skip: a program with AddressSanitizer: $(head -n 1 output)"
fi

# Privileges are as without etrace: if root traces, a set-user-ID program gets its own.
no_new_privs() { sed -n 's/^NoNewPrivs:[[:blank:]]*//p' /proc/self/status; }
check "the command's NoNewPrivs is as without etrace" \
	test "$(etrace run -q --backend=strace -o s.fxt -- \
	sed -n 's/^NoNewPrivs:[[:blank:]]*//p' /proc/self/status)" = "$(no_new_privs)"
if [ "$(id -u)" = 0 ] && cp "$(command -v id)" own-id && chown 65534 own-id &&
	chmod 4755 own-id && [ "$(./own-id -u)" = 65534 ]; then
	check "a set-user-ID program runs as its owner if root traces" \
		test "$(etrace run -q --backend=strace -o s.fxt -- ./own-id -u)" = 65534
else
	echo "skip: set-user-ID programs: need root and a file system that allows them"
fi

# System calls that a program's own seccomp filter answers: recorded as events, or as unknown.
for way in notify fake trap error; do
	rm -f in out named
	./filter $way > output 2>&1
	want=$?
	[ $want != 77 ] || { echo "skip: seccomp filters: $(head -n 1 output)"; break; }
	rm -f in out named
	ends $want "seccomp filter ($way): the program exits as without etrace" \
		etrace run --backend=strace -o s.json -- ./filter $way
	check "seccomp filter ($way): all three opens are recorded" test 3 = \
		"$(grep -c '"event":"open".*"path":"'"$top"'/\(in\|out\)",' s.json)"
	case $way in
	error) check "seccomp filter ($way): the trace is complete" grep -q '"complete":1' s.json
		check "seccomp filter ($way): the call's error is recorded" \
			grep -q '"error":"ENOSYS","failed":true' s.json ;;
	*) check "seccomp filter ($way): the trace is reported as incomplete" grep -q '"verdict":"1 seccomp filter ' s.json ;;
	esac
done

# PID namespaces: all tasks end, and files are attributed to the right task.
# shellcheck disable=SC2016
inner='for i in $(seq 40); do (: < /etc/hostname); done'
cat > collide.sh << 'END'
(for i in $(seq 8); do sleep 0.1; done; echo obj > a.o; exec mv a.o b.o) & # while the others fork
unshare -Urpf sh -c "$1"
wait
END
# tree FILE: the programs that the opener of a.o and its ancestors had run by then; and the number
# of tasks without an end.
tree()
{
	python3 - "$1" << 'END'
import json, sys
parent, program, ended = {}, {}, set()
for line in open(sys.argv[1]):
    e = json.loads(line)
    if e["event"] == "clone":
        parent[e["child"]] = e["upid"]
    elif e["event"] == "exec":
        program.setdefault(e["upid"], []).append(" ".join(e["argv"][:2]))
    elif e["event"] == "exit":
        ended.add(e["upid"])
    elif e["event"] == "open" and e["path"].endswith("/a.o") and e["flags"] & 3:
        task = e["upid"]
        while task:
            print(*program.get(task, ["-"]))
            task = parent.get(task)
print("without an end:", len(set(parent) - ended))
END
}
if unshare -Urpf true 2> output; then
	for in in "" "unshare -Urpf --mount-proc"; do
		rm -f a.o b.o
		# shellcheck disable=SC2086
		$in etrace run --backend=strace --strict -o s.json -- sh collide.sh "$inner" 2> messages
		result $? "PID namespace: the recording is complete${in:+, also inside another}" || cat messages
		tree s.json > ours
		printf '%s\n' - 'sh collide.sh' 'without an end: 0' > truth
		same "PID namespace: every task has the right parent${in:+, also inside another}" \
			ours truth
		check "PID namespace: no process outlives the command${in:+, also inside another}" \
			sh -c '! grep outlives messages'
	done
	# An older strace does not decode pids; then the parent is the task that was forking.
	mkdir old
	cat > old/strace <<- END
		#!/bin/sh
		for arg; do
			case \$arg in --decode-pids*|--pidns*) echo "strace: unrecognized option" >&2; exit 1 ;; esac
		done
		exec $(command -v strace) "\$@"
	END
	chmod +x old/strace
	# If two tasks fork at the same moment, the parent is a guess, and etrace says so: try again.
	for _ in 1 2 3 4 5 6; do
		rm -f a.o b.o
		PATH=$PWD/old:$PATH etrace run -q --backend=strace --strict -o s.json -- \
			sh collide.sh "$inner" 2> messages
		ended=$?
		grep -q 'whose parent is a guess' messages || break
	done
	result "$ended" "PID namespace: the recording is complete with an older strace" || cat messages
	tree s.json > ours
	same "PID namespace: every task has the right parent, with an older strace" ours truth
	# shellcheck disable=SC2016
	PATH=$PWD/old:$PATH etrace run --backend=strace -o s.json -- \
		unshare -Urpf sh -c 'for j in 1 2 3; do (for i in $(seq 20); do (:); done) & done; wait' 2> messages
	check "older strace: the trace is complete, or guessed parents are reported" \
		grep -q 'complete\|tasks whose parent is a guess' messages
	tree s.json > ours
	check "older strace: every task of parallel forks has an end" \
		grep -q 'without an end: 0' ours
else
	echo "skip: PID namespaces: $(head -n 1 output)"
fi

# A name that ends like those of deleted files.
mkdir 'x (deleted)'
cd 'x (deleted)' || exit
etrace run -q --backend=strace -o ../s.json -- sh -c 'echo 1 > a; mv a b; rm b'
cd ..
check "a file in a directory named 'x (deleted)' has its path" \
	grep -q '"event":"unlink".*"path":"'"$top"'/x (deleted)/b"' s.json
check "a file renamed in a directory named 'x (deleted)' has its path" \
	grep -q '"event":"rename".*"to":"'"$top"'/x (deleted)/b"' s.json

# A task has only one tracer: another one fails, and the reason is reported.
etrace run --backend=strace -o s.fxt -- strace -o log true > output 2>&1
check "strace in the build is reported" grep -q 'requests to trace a task that strace traces' output
ends 125 "etrace run --backend=strace fails within itself" \
	etrace run -q --backend=strace -o s.fxt -- etrace run --backend=strace -o t.fxt -- true
etrace run -q --backend=strace -o s.fxt -- etrace run --backend=strace -o t.fxt -- true 2> messages
check "a nested recording names the process that already traces it" \
	grep -q 'traced by process [0-9]*' messages

# The recorder is killed: the build goes on silently to its end.
mkfifo go
# shellcheck disable=SC2016
etrace run --backend=strace -o s.fxt -- sh -c 'echo $PPID > recorder; read line < go
	for i in $(seq 50); do cat collide.sh > /dev/null; done 2> /dev/null; echo done > finished' 2> messages &
until_done test -s recorder
kill -KILL "$(cat recorder)"
wait $! 2> /dev/null
timeout 60 sh -c 'echo > go'
check "a build whose recorder is killed runs to its end" until_done test -s finished
check "a build whose recorder is killed gets no messages" test ! -s messages
check "a killed recorder leaves no temporary files" \
	until_done test -z "$(find . -maxdepth 1 -name 'etrace.*')"

# strace is killed: the same, and the verdict reports it.
# shellcheck disable=SC2016
ends 5 "a build whose strace is killed keeps its exit status" \
	etrace run --backend=strace -o s.json -- sh -c '
	kill -KILL "$(sed -n "s/^TracerPid:[[:blank:]]*//p" /proc/$$/status)"; echo x > after; exit 5'
check "a build whose strace is killed makes its file" test -s after
check "the trace says that a task went on after strace ended" \
	grep -q '"verdict":"1 task that went on unrecorded after strace had ended' s.json

# A process that outlives the command is reported, and goes on undisturbed.
mkfifo end
# shellcheck disable=SC2016
etrace run --backend=strace -o s.fxt -- sh -c 'cat end > /dev/null 2>&1 & echo $! > pid
	for i in $(seq 1200); do grep -q "(cat) [SD]" /proc/$!/stat && break; sleep 0.05; done' 2> messages
check "a process that outlives the command is reported" \
	grep -q "cat \[$(cat pid)\] outlives the command" messages
check "a process that outlives the command stays alive" kill -0 "$(cat pid)"
traced() { ! grep -q '^TracerPid:[[:blank:]]*0$' "/proc/$(cat pid)/status"; }
not_traced() { ! traced; }
check "a process that outlives the command is no longer traced" until_done not_traced
echo 1<> end
check "a process that outlives the command can end by itself" until_done gone "$(cat pid)"
