#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# description: -o FILE.db writes a database, FILE.html a page; if that fails, the recording is kept

. "$(dirname "$0")/lib.sh"

# Files for the commands to read: not in /etc, whose files do not count as data.
inputs() { echo text | tee in > in2; }

WAIT='cat in > out; echo > begun; until [ -e over ]; do sleep 0.05; done'

mode() { stat -c "%U %a" "$1"; }

# Both outputs of a recording give the same answers, and no other files are left.
database_written()
{
	inputs
	is "status" "$(status "$etrace" run --strict -o a.db -o b.fxt -- \
		sh -c 'cat in > out')" 0
	has err "; complete"
	has err "  a.db"
	hasnt err "recording.fxt"
	is "output files" "$(echo a.db* b.fxt*)" "a.db b.fxt"
	is "owner and mode of the output" "$(mode a.db)" "root 600"
	is "inputs according to the database" "$("$etrace" deps a.db out)" "$PWD/in"
	is "inputs according to the trace" "$("$etrace" deps b.fxt out)" "$PWD/in"
	is "status with --to" "$(status "$etrace" run --strict --to db -o c -- true)" 0
	is "status of the command" "$(status "$etrace" db -o copy.db c)" 2
	is "status of etrace why" "$(status "$etrace" why c /etc/ld.so.cache)" 0
}

# Print a section of a build's page.
section()	# FILE NAME
{
	python3 -c 'import base64, re, sys, zlib
text = open(sys.argv[1]).read()
data = re.search("id=\"%s\" data-size=[^>]*>([^<]*)<" % sys.argv[2], text)[1]
sys.stdout.write(zlib.decompress(base64.b64decode(data)).decode().replace("\0", "\n"))' "$@"
}

# All kinds of outputs at the same time.
page_written()
{
	inputs
	is "status" "$(status "$etrace" run --strict -o a.html -o a.db -o a.fxt -- \
		sh -c 'cat in > out')" 0
	has err "  a.html"
	hasnt err "recording.fxt"
	is "output files" "$(echo a.*)" "a.db a.fxt a.html"
	is "owner and mode of the output" "$(mode a.html)" "root 600"
	section a.html files-0 | grep -qx "$PWD/out" || fail "the page does not list the file out"
	section a.html meta | grep -q '"complete":true' || fail "the page says that it is incomplete"
	section a.html commands-0 | grep -qF 'cat in > out' || fail "the page does not show the command"
	is "status of a page in a directory" "$(status "$etrace" run -o no/a.html touch ran)" 125
	[ -e ran ] && fail "the command was run in spite of an error"
	is "status with --to" "$(status "$etrace" run --strict --to html -o c -- true)" 0
	section c meta | grep -q '"command":"true"' || fail "--to html writes no page"
}

# There is no room for the page, only for the recording that it is made from.
no_room_for_page()
{
	inputs
	mkdir small
	mount -t tmpfs -o size=128k none small || { fail "no tmpfs can be mounted"; return; }
	is "status" "$(status "$etrace" run --strict -o small/a.html -- sh -c 'cat in > out')" 123
	has err "small/a.html: not made: "
	has err "No space left on device"
	is "output files" "$(ls small)" a.html-recording.fxt.zst
	is "status of a conversion to another disk" \
		"$(status "$etrace" report --html b.html small/a.html-recording.fxt.zst)" 0
	section b.html files-0 | grep -qx "$PWD/out" || fail "the page does not list the file out"
	umount small
}

# The user who called sudo owns the database.
database_owned_by_sudo_user()
{
	mkdir own
	chown 1234 own
	(cd own && SUDO_UID=1234 SUDO_GID=1234 "$etrace" run -q --strict -o a.db true)
	is "status" $? 0
	is "owner and mode" "$(stat -c '%u %g %a' own/a.db)" "1234 1234 600"
	is "output files" "$(ls -A own)" a.db
}

# A file that is in the way is kept, and the command is not run.
existing_file_kept()
{
	inputs
	echo text > text.db
	is "status" "$(status "$etrace" run -o text.db touch ran)" 125
	has err "text.db exists and is not an etrace database"
	is "content of the file in the way" "$(cat text.db)" text
	"$etrace" run -q -o old.db -- sh -c 'cat in > out'
	is "status with an invalid second output" \
		"$(status "$etrace" run -o old.db -o no/b.fxt touch ran)" 125
	is "inputs in the old database" "$("$etrace" deps old.db out)" "$PWD/in"
	is "status with a compressed database" "$(status "$etrace" run -o a.db.gz touch ran)" 125
	[ -e ran ] && fail "the command was run in spite of an error"
	# but a database is replaced
	is "status" "$(status "$etrace" run --strict -o old.db -- sh -c 'cat in2 > out')" 0
	is "inputs in the new database" "$("$etrace" deps old.db out)" "$PWD/in2"
}

# There is no room for the database, only for the recording that it is made from.
no_room_for_database()
{
	inputs
	mkdir small
	mount -t tmpfs -o size=64k none small || { fail "no tmpfs can be mounted"; return; }
	is "status" "$(status "$etrace" run --strict -o small/a.db -- \
		sh -c 'cat in > out')" 123
	has err "NOT COMPLETE"
	has err "small/a.db: not made: "
	has err "database or disk is full"
	has err "what was recorded is in small/a.db-recording.fxt.zst"
	is "output files" "$(ls small)" a.db-recording.fxt.zst
	is "status of a conversion to another disk" \
		"$(status "$etrace" db -o b.db small/a.db-recording.fxt.zst)" 0
	is "inputs" "$("$etrace" deps b.db out)" "$PWD/in"
	umount small
}

# recorded FILE: whether it already says what "out" was made from
recorded()
{
	"$etrace" db -o early.db "$1"
	[ "$("$etrace" deps early.db out)" = "$PWD/in" ]
}

# A killed recorder leaves what it has recorded.
recorder_killed()
{
	local pid

	inputs
	"$etrace" run -q -o a.db -- sh -c "$WAIT" &
	pid=$!
	wait_for test -e begun || fail "the recording does not start"
	is "status of a second run to the same database" \
		"$(status "$etrace" run -o a.db touch ran)" 125
	wait_for recorded a.db-recording.fxt.zst || fail "nothing has been recorded"
	kill -9 "$pid"
	wait "$pid" 2> /dev/null
	touch over
	[ -e a.db ] && fail "a database exists although the recorder was killed"
	is "status" "$(status "$etrace" db -o b.db a.db-recording.fxt.zst)" 1
	is "inputs" "$("$etrace" deps b.db out 2> err)" "$PWD/in"
	has err "may be missing"
}

# Ctrl-C ends an attach, whose recording becomes a database.
attach_interrupted()
{
	local pid child

	inputs
	sh -c "until [ -e go ]; do sleep 0.05; done; cat in > out; echo > begun; exec sleep 1000" &
	child=$!
	env --default-signal=INT "$etrace" attach --strict -o a.db "$child" 2> err &
	pid=$!
	wait_for grep -q "press Ctrl-C to stop" err || fail "the recording does not start"
	touch go
	wait_for test -e begun || fail "the attached process does nothing"
	kill -INT "$pid"
	wait "$pid"
	is "status" $? 0
	is "inputs" "$("$etrace" deps a.db out)" "$PWD/in"
	kill "$child"
}

sum() { sha256sum < "$1" | cut -d' ' -f1; }

# On the build machine: files have not changed, and packages are installed.
attest_and_check()
{
	inputs
	is "status" "$(status "$etrace" run --strict -o a.db -- \
		sh -c 'cat in > out; cp -p out same; cp out old; touch -d 2001-01-01 old; touch now; cat in2 > gone; cat gone > of')" 0
	rm gone
	echo more >> in2
	"$etrace" attest a.db > spdx.json 2> err
	is "status of the command" $? 0
	for file in in out same old now of "$(realpath "$(command -v cat)")"; do
		grep -q "/$(basename "$file")\",.*$(sum "$file")" spdx.json || fail "$file: no hash, or a wrong one"
	done
	grep -q 'in2".*changed since' spdx.json || fail "in2 is not reported as changed"
	is "status of attest --in-toto" "$(status "$etrace" attest --in-toto a.db)" 0
	"$etrace" used a.db > packages
	grep -q '^coreutils .*program' packages || fail "coreutils is not among the packages used: $(head -n 3 packages)"
	is "status of etrace check" "$(status "$etrace" check a.db)" 0
	touch -d 2050-01-01 in
	"$etrace" run -q -o b.db -- sh -c 'cat in > /root/out'
	is "status of etrace check with findings" "$(status "$etrace" check b.db)" 3
	rm /root/out
}

# Install the content of packages, and nothing else, in a directory.
installed()	# TREE PACKAGE...
{
	local tree=$1 link
	shift

	mkdir -p "$tree/usr/bin" "$tree/usr/sbin" "$tree/usr/lib" "$tree/usr/lib64" "$tree/usr/lib32" \
		"$tree/tmp" "$tree/dev"
	for link in bin sbin lib lib64 lib32; do
		ln -s "usr/$link" "$tree/$link"
	done
	dpkg-query -L "$@" | sed -E 's,^/(bin|sbin|lib|lib64|lib32)/,/usr/\1/,' | sort -u |
	while read -r file; do
		[ -d "$file" ] && [ ! -L "$file" ] || [ ! -e "$file" ] || echo "${file#/}"
	done | (cd / && xargs -d '\n' cp -dl --preserve=all --parents -t "$tree")
	mknod -m 666 "$tree/dev/null" c 1 3
}

# The packages that a build used are sufficient for it.
packages_suffice_in_chroot()
{
	local tree names name

	tree=$(mktemp -d /var/tmp/chroot.XXXXXX)
	mkdir src
	printf '#include <stdio.h>\nint main(void) { return puts("it runs") < 0; }\n' > src/it.c
	printf 'it: it.c\n\tgcc -o it it.c && ./it > output\n' > src/Makefile
	"$etrace" run -q -o build.db -- make -C src
	"$etrace" used build.db > packages
	is "status of used" $? 0
	mapfile -t names < <(sed '/^no package/d; s/ .*//' packages)
	[ "${#names[@]}" -gt 5 ] || fail "too few packages were used: ${names[*]}"
	installed "$tree" "${names[@]}"
	mkdir -p "$tree$PWD"
	cp -r src "$tree$PWD/"
	rm "$tree$PWD"/src/{it,output}
	chroot "$tree" /usr/bin/make -C "$PWD/src" > log 2>&1 || { fail "the build fails in the chroot"; cat log; }
	cmp src/it "$tree$PWD/src/it" || fail "the build in the chroot gives a different program"
	is "output of the program built in the chroot" "$(cat "$tree$PWD/src/output")" "it runs"
	# the package gcc contains only links
	for name in gcc make binutils libc6-dev; do
		grep -q "^${name}[: ]" packages || { fail "package $name is not among those used"; cat packages; }
	done
	rm -rf "$tree"
}

finish database_written page_written no_room_for_page database_owned_by_sudo_user existing_file_kept no_room_for_database recorder_killed attach_interrupted attest_and_check packages_suffice_in_chroot
