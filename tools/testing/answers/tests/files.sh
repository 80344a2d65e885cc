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

# write_PROGRAM OUTPUT: run each program with that output
write_read() { etrace-read --to etrace -o "$1" "$trace"; }
write_db() { etrace db -o "$1" "$trace"; }
write_compdb() { etrace compdb -o "$1" "$trace"; }
write_report() { etrace report --html "$1" "$trace"; }

for program in read db compdb report; do
	[ $program != report ] || [ "$page" ] || { echo "skip: etrace report --html does not work here"; continue; }
	ends 0 "$program: writes a new file" write_$program new
	check "$program: a new file has mode 600" test "$(stat -c '%a %F' new)" = "600 regular file"
	# again, over a file that others may read
	[ $program = db ] || echo before > new
	chmod 666 new
	mkdir -p sub
	mv new sub/old
	ln -s sub/old link
	ends 0 "$program: replaces an existing file through a link" write_$program link
	check "$program: a replaced file has mode 600" \
		test "$(stat -c '%a %F' sub/old)" = "600 regular file"
	check "$program: the link is kept" test -L link
	mkfifo fifo
	cat fifo > received &
	ends 0 "$program: writes to a named pipe" write_$program fifo
	finish $!
	check "$program: the named pipe is kept" test -p fifo
	check "$program: a named pipe gets the whole output" \
		test "$(stat -c %s received)" = "$(stat -c %s sub/old)"
	exec 9> log
	ends 0 "$program: writes to /dev/fd" write_$program /dev/fd/9
	ends 0 "$program: writes to /proc/self/fd" write_$program /proc/self/fd/9
	exec 9>&-
	check "$program: a second output to the same descriptor is appended" \
		test "$(stat -c %s log)" = $((2 * $(stat -c %s received)))
	# no space: the old file stays
	cp sub/old kept
	ends 2 "$program: a full disk is an error" bash -c "$(declare -f write_$program)"'; trace=$2
		trap "" XFSZ; ulimit -f 1; write_'$program' "$1"' - sub/old "$trace"
	check "$program: a full disk leaves the old file unchanged" cmp sub/old kept
	check "$program: a full disk leaves no temporary files" test "$(ls sub)" = old
	rm -rf sub link fifo new log received kept
done
ends 2 "an input that is not a trace is an error" \
	sh -c 'echo kept > a.json; etrace-read -o a.json /etc/passwd'
check "an input that is not a trace leaves the output file unchanged" grep -q kept a.json

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
	check "secrets in arguments are recorded" grep -q hunter2 <(etrace-read --to etrace s.fxt)
	ends 0 "etrace-read --redact succeeds" etrace-read --redact --to etrace -o s.lines s.fxt
	check "etrace-read --redact hides secrets" test "$(grep -c hunter2 s.lines)" = 0
	check "etrace-read --redact marks hidden secrets with ***" \
		grep -q '!A|.*me:\*\*\*$\|!A\[.*me:\*\*\*$' s.lines
	check "a redacted trace can be converted" etrace-read --to json -o s.json s.lines
	ends 0 "etrace db --redact succeeds" etrace db --redact -o s.db s.fxt
	check "etrace db --redact hides secrets in the whole file" \
		test "$(grep -c hunter2 s.db)" = 0
	check "report shows secrets" grep -q hunter2 <(etrace report s.fxt)
	check "report --redact hides secrets" \
		test "$(etrace report --redact s.fxt | grep -c hunter2)" = 0
	if [ "$page" ]; then
		etrace report --html s.html s.fxt > /dev/null
		etrace report --no-redact --html all.html s.fxt > /dev/null
		page_text() { python3 -c 'import base64, re, sys, zlib
for data in re.findall(r"data-size=[^>]*>([^<]*)<", open(sys.argv[1]).read()):
	print(zlib.decompress(base64.b64decode(data)).decode(errors="replace"))' "$1"; }
		check "an HTML page hides secrets" test "$(page_text s.html | grep -c hunter2)" = 0
		check "an HTML page with --no-redact shows secrets" \
			grep -q hunter2 <(page_text all.html)
		etrace db -o t.db s.fxt
		etrace report --html t.html t.db > /dev/null
		check "an HTML page of a database hides secrets" \
			test "$(page_text t.html | grep -c hunter2)" = 0
	fi
	etrace attest --root /nowhere s.fxt > s.spdx 2> /dev/null
	check "an attestation hides secrets" test "$(grep -c hunter2 s.spdx)" = 0
else
	echo "skip: secrets in arguments: strace cannot trace here"
fi
ends 2 "--redact is refused for --from fxt-records" \
	sh -c 'etrace-read --redact --from fxt-records --to json "$1" > /dev/null' - "$trace"
ends 2 "push to another machine over plain HTTP is refused" \
	etrace push http://db.example.com:8123 "$trace"
