#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# etrace why-different: how often it names the planted cause (../causes.sh) first.  Each build is
# recorded twice with strace.  A wrong cause is not a failure by itself: four of five must be
# right. All of ../causes_beside.sh must be right.

. "${0%/*}/../lib.sh"

# In a guest also with module or bpf.
backend=${BACKEND:-strace}
[ "$backend" != strace ] || strace -o /dev/null true 2> /dev/null ||
	{ echo "skip: strace cannot trace here"; exit; }

# Use the system's own programs: those in a home directory may be wrapper scripts.
PATH=$(dirname "$(command -v etrace)"):/usr/bin:/bin:$PATH
export XDG_CACHE_HOME=$PWD/cache
unset LC_ALL LANGUAGE TZ MAKEFLAGS MAKELEVEL CFLAGS SOURCE_DATE_EPOCH PYTHONHASHSEED PERL_HASH_SEED
export LANG=C
TOP=$(pwd -P)
export TOP
record=(etrace run --hash --hash-cache="$TOP/hashes" --backend="$backend" --strict)

server='' memory=''
trap '[ -z "$server" ] || kill "$server"; [ -z "$memory" ] || rm -rf "$memory"' EXIT

# ---- what a plant may need ----

# other_host COMMAND...: run it with another host name, which only this command sees
other_host()
{
	unshare "${namespace[@]}" sh -c 'echo other-host > /proc/sys/kernel/hostname && exec "$@"' sh "$@"
}

# with_lock LOCK FILE COMMAND...: run it while this test holds the lock until FILE is not empty, for at
# most a minute
with_lock()
{
	local status holder

	flock "$1" bash -c '
		for _ in $(seq 3000); do
			[ ! -s "$0" ] && [ ! -e "$1" ] || break
			sleep 0.02
		done' "$2" "$TOP/stop" &
	holder=$!
	until_done is_locked "$1"
	"${@:3}"
	status=$?
	touch "$TOP/stop"
	wait $holder
	rm "$TOP/stop"
	return $status
}

is_locked() { ! flock -n "$1" true; }

# with_proc COMMAND...: run it with /proc mounted at root/proc, too, in its own mount namespace
with_proc() { unshare -m sh -ec 'mount -t proc proc root/proc; exec "$@"' sh "$@"; }

# with_locales COMMAND...: run it with the locales that has() made
with_locales() { env LOCPATH="$TOP/locales" "$@"; }

# has NEED: whether a program is installed, or this test can do it
has()
{
	case $1 in
	other_host)
		for namespace in -u "-r -u"; do
			read -ra namespace <<< "$namespace"
			[ "$(other_host uname -n 2>&1)" = other-host ] && return
		done
		return 1 ;;
	other_release) [ "$(setarch --uname-2.6 uname -r 2>&1)" != "$(uname -r)" ] ;;
	two_processors) [ "$(nproc)" != "$(taskset -c 0 nproc 2>&1)" ] ;;
	english)
		# make our own: few systems have it
		mkdir -p locales
		localedef -i en_US -f UTF-8 locales/en_US.UTF-8 2> /dev/null
		[ "$(printf 'a\nB\n' | with_locales env LANG=en_US.UTF-8 sort | head -n 1)" = a ] ;;
	tmpfs) [ "$(stat -f -c %T /dev/shm 2>&1)" = tmpfs ] && [ -w /dev/shm ] ;;
	utf8) [ "$(printf '\303\251' | LC_ALL=C.UTF-8 wc -m)" = 1 ] ;;
	random_addresses) [ "$(cat /proc/sys/kernel/randomize_va_space)" = 2 ] ;;
	root) [ "$(id -u)" = 0 ] && unshare -m true 2> /dev/null ;;
	server) serve ;;
	*) command -v "$1" > /dev/null ;;
	esac
}

# serve: serve the directory served/, with the port in the file port, until this test ends
serve()
{
	[ -z "$server" ] || return 0
	mkdir served
	python3 -u -c '
import functools, http.server
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="served")
server = http.server.HTTPServer(("127.0.0.1", 0), handler)
print(server.server_port)
server.serve_forever()' > port 2> served.log &
	server=$!
	until_done test -s port
}

# ---- plants ----

names=() causes=() outputs=() asked=() works=()

# section N NAME: print that section of plant N
section() { cat "$TOP/plants/$1/$2" 2> /dev/null; }

# plant CAUSE OUTPUT ASKED NAME < SECTIONS: set it up, and record it once.
plant()
{
	local n=${#names[@]} need work

	mkdir -p "plants/$n"
	awk -v dir="plants/$n/" '/^@[a-z]+$/ { to = dir substr($0, 2); next } { print > to }'
	for need in $(section "$n" needs) $(section "$n" on); do
		if ! has "$need"; then
			echo "skip: $4: needs $need"
			rm -r "plants/$n"
			return
		fi
	done
	work=$TOP/plants/$n/work
	if [ "$(section "$n" on)" = tmpfs ]; then
		[ -n "$memory" ] || memory=$(mktemp -d /dev/shm/etrace-XXXXXX)
		work=$memory/$n
	fi
	causes+=("$1") outputs+=("$2") asked+=("$3") names+=("$4") works+=("$work")
	read -r one _ < <(section "$n" in || echo tree)
	mkdir -p "$work/$one"
	check "$4: the setup succeeds" run_section "$n" "$one" setup
	(cd "$work/$one" && find . -mindepth 1 -maxdepth 1 | sort) > "plants/$n/before"
	build "$n" "$one" first
}

control() { plant nothing "$1" build "$2"; }

# run_section N DIRECTORY NAME: run that section there, unrecorded
run_section()
{
	[ ! -e "$TOP/plants/$1/$3" ] || (cd "${works[$1]}/$2" && sh -e "$TOP/plants/$1/$3")
}

# build N DIRECTORY WHICH: record it, as the first or the second build
build()
{
	local before

	read -ra before < <(section "$1" "$3")
	cd "${works[$1]}/$2" || exit
	# The build must not get this test's previous directory.
	export -n OLDPWD
	check "${names[$1]}: the $3 recording is complete" "${before[@]}" "${record[@]}" \
		-o "$TOP/plants/$1/$3.fxt" -- sh -e "$TOP/plants/$1/build"
	cd "$TOP" || exit
}

# build_again N: move away the output of the first build, and build once more
build_again()
{
	local one two name status out=${outputs[$1]} made=${works[$1]}/made

	read -r one two < <(section "$1" in || echo tree tree)
	mkdir "$made"
	cd "${works[$1]}/$one" || exit
	find . -mindepth 1 -maxdepth 1 | sort | comm -13 "$TOP/plants/$1/before" - |
		while read -r name; do mv "$name" "$made"; done
	cd ..
	[ "$one" = "$two" ] || cp -a "$one" "$two"
	check "${names[$1]}: the step between the builds succeeds" run_section "$1" "$two" between
	build "$1" "$two" second
	cmp -s "$made/$out" "${works[$1]}/$two/$out"
	status=$?
	if [ "${causes[$1]}" = nothing ]; then
		result $status "${names[$1]}: $out is the same in both builds"
	else
		result $((status != 1)) "${names[$1]}: $out differs between the builds"
	fi
}

# first_cause N: print the answer of etrace why-different as "STATUS CAUSE"
first_cause()
{
	local about=() two

	read -r _ two < <(section "$1" in || echo tree tree)
	case ${asked[$1]} in
	file) about=("${works[$1]}/$two/${outputs[$1]}") ;;
	kept) about=(--kept "${works[$1]}/$two=${works[$1]}/made") ;;
	esac
	etrace why-different --json "plants/$1/first.fxt" "plants/$1/second.fxt" "${about[@]}" \
		> "plants/$1/answer" 2> "plants/$1/messages"
	echo "$? $(head -n 1 "plants/$1/answer" | python3 -c '
import json, sys
line = sys.stdin.readline()
causes = json.loads(line)["causes"] if line else []
print(causes[0]["cause"] if causes else "nothing")')"
}

. "${0%/*}/../causes.sh"
first_required=${#names[@]}
. "${0%/*}/../causes_beside.sh"
for n in "${!names[@]}"; do
	build_again "$n"
done

right=0 all=0
for n in "${!names[@]}"; do
	read -r status cause < <(first_cause "$n")
	printf '%-14s %-14s %s\n' "${causes[n]}" "$cause" "${names[n]}"
	if [ "${causes[n]}" = nothing ]; then
		check "${names[n]}: no cause is named" [ "$status $cause" = "3 nothing" ]
		continue
	fi
	check "${names[n]}: the exit status fits the answer" \
		test "$status" = "$([ "$cause" = nothing ] && echo 3 || echo 0)"
	cat "plants/$n/messages"
	[ "$n" -lt "$first_required" ] || check "${names[n]}: the first cause is ${causes[n]}" \
		[ "$cause" = "${causes[n]}" ]
	all=$((all + 1))
	if [ "$cause" = "${causes[n]}" ]; then
		right=$((right + 1))
	else
		head -n 1 "plants/$n/answer" | cut -c 1-1000
	fi
done
echo "$right of $all causes are named first"
check "at least 24 builds with a planted cause could be set up" [ "$all" -ge 24 ]
check "at least 4 of 5 planted causes are named first" [ $((5 * right)) -ge $((4 * all)) ]
