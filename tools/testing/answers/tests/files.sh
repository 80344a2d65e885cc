#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Output files of all programs: modes, targets that are not regular files or cannot be written; and
# secrets in arguments.

. "${0%/*}/../lib.sh"

trace=$FIXTURES/make/module.fxt.zst
umask 0
page=yes
etrace report --html page.html "$trace" > /dev/null 2>&1 || page=

# of_PROGRAM OUTPUT: run each program with that output
of_read() { etrace-read --to etrace -o "$1" "$trace"; }
of_db() { etrace db -o "$1" "$trace"; }
of_compdb() { etrace compdb -o "$1" "$trace"; }
of_report() { etrace report --html "$1" "$trace"; }

for program in read db compdb report; do
	[ $program != report ] || [ "$page" ] || { echo "skip: no page"; continue; }
	ends 0 "$program: writes" of_$program new
	check "$program: for its owner alone" test "$(stat -c '%a %F' new)" = "600 regular file"
	# again, over a file that others may read
	[ $program = db ] || echo before > new
	chmod 666 new
	mkdir -p sub
	mv new sub/old
	ln -s sub/old link
	ends 0 "$program: over one that is there" of_$program link
	check "$program: for its owner alone, too" test "$(stat -c '%a %F' sub/old)" = "600 regular file"
	check "$program: a link stays" test -L link
	mkfifo fifo
	cat fifo > through &
	ends 0 "$program: into a pipe" of_$program fifo
	finish $!
	check "$program: which is one yet" test -p fifo
	check "$program: all of it" test "$(stat -c %s through)" = "$(stat -c %s sub/old)"
	exec 9> log
	ends 0 "$program: to a descriptor" of_$program /dev/fd/9
	ends 0 "$program: and once more" of_$program /proc/self/fd/9
	exec 9>&-
	check "$program: one behind the other" test "$(stat -c %s log)" = $((2 * $(stat -c %s through)))
	# no space: the old file stays
	cp sub/old kept
	ends 2 "$program: no room" bash -c "$(declare -f of_$program)"'; trace=$2
		trap "" XFSZ; ulimit -f 1; of_'$program' "$1"' - sub/old "$trace"
	check "$program: nothing was lost" cmp sub/old kept
	check "$program: nothing is left" test "$(ls sub)" = old
	rm -rf sub link fifo new log through kept
done
ends 2 "a trace that is none costs no output" sh -c 'echo kept > a.json; etrace-read -o a.json /etc/passwd'
check "which is there" grep -q kept a.json

# ---- secrets in arguments ----

# a recording by etrace itself, if strace works here
if command -v strace > /dev/null && strace -o /dev/null true 2> /dev/null; then
	cat > curl <<'END'
#!/bin/sh
:
END
	chmod +x curl
	etrace run -q --backend=strace -o s.fxt -- ./curl -u me:hunter2 -H 'Authorization: Bearer hunter2' \
		https://me:hunter2@h/ --password=hunter2 --token hunter2
	check "the recording has them" grep -q hunter2 <(etrace-read --to etrace s.fxt)
	ends 0 "etrace-read --redact" etrace-read --redact --to etrace -o s.lines s.fxt
	check "hides them" test "$(grep -c hunter2 s.lines)" = 0
	check "and marks the places" grep -q '!A|.*me:\*\*\*$\|!A\[.*me:\*\*\*$' s.lines
	check "and what is left is whole" etrace-read --to json -o s.json s.lines
	ends 0 "etrace db --redact" etrace db --redact -o s.db s.fxt
	check "hides them in all of the file" test "$(grep -c hunter2 s.db)" = 0
	check "report shows them" grep -q hunter2 <(etrace report s.fxt)
	check "report --redact does not" test "$(etrace report --redact s.fxt | grep -c hunter2)" = 0
	if [ "$page" ]; then
		etrace report --html s.html s.fxt > /dev/null
		etrace report --no-redact --html all.html s.fxt > /dev/null
		words() { python3 -c 'import base64, re, sys, zlib
for data in re.findall(r"data-size=[^>]*>([^<]*)<", open(sys.argv[1]).read()):
	print(zlib.decompress(base64.b64decode(data)).decode(errors="replace"))' "$1"; }
		check "a page does not" test "$(words s.html | grep -c hunter2)" = 0
		check "but for --no-redact" grep -q hunter2 <(words all.html)
		etrace db -o t.db s.fxt
		etrace report --html t.html t.db > /dev/null
		check "nor does one of a database" test "$(words t.html | grep -c hunter2)" = 0
	fi
	etrace attest --root /nowhere s.fxt > s.spdx 2> /dev/null
	check "what is attested does not" test "$(grep -c hunter2 s.spdx)" = 0
else
	echo "skip: no strace to record a command with"
fi
ends 2 "what has no programs" sh -c 'etrace-read --redact --from fxt-records --to json "$1" > /dev/null' - "$trace"
ends 2 "push to another machine by http" etrace push http://db.example.com:8123 "$trace"
