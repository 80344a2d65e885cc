# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For the tests of answers: each runs in its own directory, with etrace in PATH and the recordings
# in $FIXTURES.  Each line "ok: NAME", "not ok: NAME" or "skip: NAME" is a result.

set -u

# result STATUS NAME: 0 is a pass.
result()
{
	if [ "$1" = 0 ]; then
		echo "ok: $2"
	else
		echo "not ok: $2"
	fi
}

# check NAME COMMAND...: passes if the command succeeds; otherwise prints its output.
check()
{
	local log status
	log=$("${@:2}" 2>&1)
	status=$?
	[ "$status" = 0 ] || printf '%s\n' "$log"
	result "$status" "$1"
}

# ends STATUS NAME COMMAND...: passes if the command ends with this status.
ends()
{
	local log status
	log=$("${@:3}" 2>&1)
	status=$?
	[ "$status" = "$1" ] || printf 'ended with %s, not %s\n%s\n' "$status" "$1" "$log"
	[ "$status" = "$1" ]
	result $? "$2"
}

# same NAME FILE FILE: passes if the files are equal; otherwise prints the difference.
same() { check "$1" diff "$2" "$3"; }

# until_done COMMAND...: repeat it until it succeeds, for at most about a minute.
until_done()
{
	for _ in $(seq 600); do
		"$@" && return
		sleep 0.1
	done
	return 1
}

gone() { ! kill -0 "$1" 2> /dev/null; }

# finish PID: wait for a background process, and return its status; kill it after a minute.
finish()
{
	until_done gone "$1" || kill -KILL "$1"
	wait "$1"
}

# hashed DB TRACE: make a database of TRACE with the hashes that "etrace run --hash" would record:
# only for files that still are as the trace says.
hashed()
{
	etrace db -o "$1" "$2" && python3 - "$1" <<- 'END'
		import hashlib, os, sqlite3, sys
		db = sqlite3.connect(sys.argv[1])
		last = {}
		for file, version, at in db.execute(
		        "SELECT file, id, at FROM version WHERE made < 3 UNION ALL"
		        " SELECT file, version, at FROM name ORDER BY 3, 2"):
		    last[file] = version
		for file, version in last.items():
		    path, = db.execute("SELECT path FROM file WHERE id = ?", (file,)).fetchone()
		    if version is None or not os.path.isfile(path):
		        continue
		    size, = db.execute("SELECT size FROM version WHERE id = ?", (version,)).fetchone()
		    content = open(path, "rb").read()
		    if size in (None, len(content)):
		        db.execute("INSERT INTO content VALUES (?, 0, ?, ?, NULL)", (
		            version, hashlib.sha256(content).hexdigest(),
		            hashlib.sha256(b"blob %d\0" % len(content) + content).hexdigest()))
		db.commit()
	END
}

# ---- small builds, recorded here with strace ----

begin_builds()
{
	if ! etrace doctor --backend=strace > doctor; then
		echo "skip: strace: $(head -n 1 doctor)"
		exit
	fi
	export LC_ALL=C
	builds=$(pwd -P)
}

# build NAME WHAT [OPTION]... < SCRIPT: record the script, run by sh, in a directory with a.c, b.c,
# main.c, a.cc and a.h.  Its lines "= FILE OUTPUT WORD..." are the expected entries of etrace
# compdb with these OPTIONs, as shell patterns, with paths relative to that directory; "! TEXT" is
# part of its expected messages, and without such lines it must print none.
build()
{
	local dir=$builds/${1// /-}
	mkdir "$dir"
	cd "$dir" || exit
	printf 'int a(void);\nint b(void);\n' > a.h
	printf '#include "a.h"\nint %s(void) { return 1; }\n' a > a.c
	printf '#include "a.h"\nint %s(void) { return 1; }\n' b > b.c
	printf '#include "a.h"\nint main(void) { return a() + b(); }\n' > main.c
	printf 'int c() { return 1; }\n' > a.cc
	sed -n -e '/^= /{s///p;d' -e '}' -e '/^! /{s///w '"$dir.expected-messages" -e 'd' -e '}' -e 'w build.sh' \
		> "$dir.expected"
	etrace run -q --backend=strace -o "$dir.fxt" -- sh -e build.sh > "$dir.log" 2>&1 ||
		cat "$dir.log"
	etrace compdb "${@:3}" "$dir.fxt" > "$dir.json" 2> "$dir.messages"
	check "$1: $2" python3 - "$dir" <<- 'END'
		import fnmatch, json, os, sys
		top = sys.argv[1]
		def row(entry):
		    names = [os.path.relpath(os.path.join(entry["directory"], entry[key]), top)
		             if key in entry else "-" for key in ("file", "output")]
		    return " ".join(names + entry["arguments"])
		got = sorted(map(row, json.load(open(top + ".json"))))
		want = open(top + ".expected").read().splitlines()
		fits = [[line for line in want if fnmatch.fnmatchcase(text, line)] for text in got]
		messages, expected_messages = (open(top + end).read().splitlines()
		                               for end in (".messages", ".expected-messages"))
		print("entries:", *got, "expected:", *want, "messages:", *messages, sep="\n")
		sys.exit(len(got) != len(want) or [] in fits or {w for fit in fits for w in fit} != set(want)
		         or len(messages) != len(expected_messages)
		         or any(e not in m for e, m in zip(expected_messages, messages)))
	END
	cd "$builds" || exit
}
