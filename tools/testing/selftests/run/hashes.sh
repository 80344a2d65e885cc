#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# description: etrace run --hash: each hash matches the content that the programs saw

. "$(dirname "$0")/lib.sh"

# rows DB COLUMNS CONDITION: rows with the contents of files, sorted
rows()
{
	python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for row in sorted(db.execute("SELECT " + sys.argv[2] + " FROM version v JOIN file f ON f.id = v.file"
		" LEFT JOIN content c ON c.version = v.id WHERE " + sys.argv[3]), key=str):
	print(*(x.decode() if isinstance(x, bytes) else x for x in row))' "$@"
}

sha() { sha256sum < "$1" | cut -d' ' -f1; }
gitoid() { { printf 'blob %s\0' "$(stat -c %s "$1")"; cat "$1"; } | sha256sum | cut -d' ' -f1; }

# A small build: files that remain, and files that are removed.
built()	# BACKEND
{
	printf '#include "b.h"\nint main(void) { return B; }\n' > a.c
	echo '#define B 0' > b.h
	is "status" "$(status "$etrace" run --hash --strict --backend="$1" -o t.db -- \
		sh -c 'gcc -c a.c; gcc -o a a.o; cp a copy; echo temporary > gone; cat gone > kept; rm gone')" 0
	has err "; complete"
	for f in a.c b.h a.o a copy kept; do
		is "hashes of $f" "$(rows t.db "sha256, gitoid" "f.path = CAST('$PWD/$f' AS BLOB) AND sha256 IS NOT NULL")" \
			"$(sha "$f") $(gitoid "$f")"
	done
	grep 'contents of files hashed' err | sed 's/^/# /'
	rows t.db "f.path, c.why_not" "c.sha256 IS NULL AND v.type = 32768 AND v.size > 0" |
		sed 's/^/# no hash: /'
	is "files that still exist and have no hash, with the reason" \
		"$(rows t.db "f.path, c.why_not" "c.sha256 IS NULL AND c.why_not IS NOT NULL" |
		grep -v -e ' gone before' -e '/gone ')" ""
}

# stress BACKEND DIR [stop]: change files in all ways, also by a program that is not recorded; with
# "stop", the recorder is stopped most of the time
stress()
{
	local n

	mkdir -p "$2/truth" "$2/locks"
	for n in 0 1 2; do
		head -c 4096 /dev/urandom > "$2/outside-$n"
	done
	rm -f recorder
	"$BIN/hashed" outside "$2" &
	[ -z "${3:-}" ] || "$BIN/hashed" stop recorder &
	nap 0.1
	is "status in $2" "$(status "$etrace" run --hash --strict --backend="$1" -o t.db -- \
		sh -c "echo \$PPID > recorder
			exec '$BIN/hashed' all '$2' ${ROUNDS:-25} ${SEED:-$RANDOM}")" 0
	touch "$2/stop"
	wait
	python3 "$BIN/hashed.py" t.db "$2" > report || fail "$(cat report)"
	sed "s|^|# $2: |" report
	tail -n 1 err | sed 's/^/# /'
}

# A file that is removed while it is written, when the recorder already has it open.
removed()	# BACKEND
{
	is "status" "$(status "$etrace" run --hash --backend="$1" -o t.db -- sh -c 'exec 3> gone
		echo temporary >&3
		for i in $(seq 600); do
			readlink /proc/$PPID/fd/* | grep -qx "$PWD/gone" && break
			sleep 0.1
		done
		rm gone
		exec 3>&-')" 0
	is "hash of a file that was removed while open" \
		"$(rows t.db sha256 "f.path = CAST('$PWD/gone' AS BLOB)")" \
		"$(echo temporary | sha256sum | cut -d' ' -f1)"
}

hashes_by_module()
{
	built module
	removed module
}

hashes_by_bpf() { by_bpf built_by; }
built_by()
{
	built "$1"
	removed "$1"
}

# mounted_on KIND: mount a file system of that kind at on/, or print why it cannot
mounted_on()
{
	mkdir -p on
	case $1 in
	tmpfs) mount -t tmpfs none on ;;
	overlay)
		mkdir -p below && mount -t tmpfs none below && mkdir -p below/{lower,upper,work} &&
			mount -t overlay -o lowerdir=below/lower,upperdir=below/upper,workdir=below/work none on ;;
	btrfs | xfs)
		command -v "mkfs.$1" && rm -f disk && truncate -s 320M disk && "mkfs.$1" -q disk &&
			{ modprobe loop; modprobe "$1"; mount -o loop disk on; } ;;
	esac
} > mounted 2>&1

hashes_under_stress()
{
	local kind

	stress module "$PWD/here"
	for kind in tmpfs overlay btrfs xfs; do
		if mounted_on "$kind"; then
			stress module "$PWD/on/d" stop
			umount on
		else
			note "$kind cannot be mounted: $(tail -n 1 mounted)"
		fi
		! mountpoint -q below || umount below
	done
}

# The build can unmount what it mounts: the recorder has no file open there.
mounted_while_recording()
{
	mkdir on
	is "status" "$(status "$etrace" run --hash -o t.db -- bash -c 'for i in {1..30}; do
		mount -t tmpfs none on && head -c 2000000 /dev/zero > on/f && cat on/f > /dev/null &&
			umount on || exit 9; done')" 0
	is "hashes of files on a new mount" \
		"$(rows t.db "c.sha256" "f.path = CAST('$PWD/on/f' AS BLOB) AND c.sha256 IS NOT NULL")" ""
	rows t.db "DISTINCT c.why_not" "f.path = CAST('$PWD/on/f' AS BLOB) AND c.version" |
		grep -q "^on a file system that was mounted during the recording$" || fail "the reason for the missing hash is not recorded"
}

hashes_under_stress_by_bpf() { by_bpf stress_with; }
stress_with() { stress "$1" "$PWD/here"; }

hash_max()
{
	head -c 10000 /dev/zero > large
	echo small > small
	is "status" "$(status "$etrace" run --hash --hash-max=4096 -o t.db -- cat large small)" 0
	is "reason for no hash of the large file" \
		"$(rows t.db "c.why_not" "f.path = CAST('$PWD/large' AS BLOB)")" \
		"larger than the limit of --hash-max"
	is "hash of the small file" \
		"$(rows t.db "c.sha256" "f.path = CAST('$PWD/small' AS BLOB)")" "$(sha small)"
	is "status with an invalid --hash-max" \
		"$(status "$etrace" run --hash --hash-max=x -o t.db -- true)" 125
	has err "--hash-max=x: must be a number of bytes"
	is "status without --hash" "$(status "$etrace" run -o t.db -- cat small)" 0
	is "hashes without --hash" "$(rows t.db "c.sha256" "c.version IS NOT NULL")" ""
}

finish hashes_by_module hashes_by_bpf mounted_while_recording hashes_under_stress hashes_under_stress_by_bpf hash_max
