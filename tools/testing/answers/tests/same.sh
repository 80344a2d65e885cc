#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A trace and its database give the same answers: the same bytes and the same status for every
# question.  LONG=y: all recordings; otherwise one of each kind.

. "${0%/*}/../lib.sh"

classes=data,pipe,program,loader,config,probe,dir
questions=(
	"deps --all" "deps --all --direct --json" "deps --all --class=$classes" "deps --all --leaves"
	"rdeps --all" "rdeps --all --direct" "rdeps --all --leaves" "rdeps --all --class=$classes"
	"check" "check --json" "time" "time --json --by=output" "report" "used" "used --json"
	"compdb" "compdb --links" "attest" "attest --format=in-toto"
)

# answer TRACE QUESTION: print the answer and the status.
answer()
{
	# drop the commands at the end of a report: their layout depends on the trace's name
	local words
	read -ra words <<< "$2"
	SOURCE_DATE_EPOCH=1 etrace "${words[0]}" "${words[@]:1}" "$1" 2>&1 | sed "s|$1|TRACE|g; /^More:\$/,\$d"
	echo "status ${PIPESTATUS[0]}"
}

# check_answers NAME TRACE: compare the answers to each question, and why for each output.
check_answers()
{
	local q bad=
	etrace db -o one.db "$2"
	for q in "${questions[@]}"; do
		answer "$2" "$q" > trace
		answer one.db "$q" > database
		cmp -s trace database || { bad+=" '$q'"; diff trace database | head -5; }
	done
	etrace deps --all --json one.db | head -20 |
		python3 -c 'import json, sys; [print(json.loads(line)["output"]) for line in sys.stdin]' > outputs
	while IFS= read -r q; do
		etrace why --json "$2" "$q" > trace 2>&1
		etrace why --json one.db "$q" > database 2>&1
		cmp -s trace database || bad+=" why '$q'"
	done < outputs
	[ -z "$bad" ] || echo "different answers:$bad"
	[ -z "$bad" ]
	result $? "$1: a trace and its database give the same answers"
}

list="ninja wrong-changes packages"
[ "${LONG:-n}" = n ] || list=$(ls "$FIXTURES")
for name in $list; do
	for trace in "$FIXTURES/$name"/*module.fxt.zst "$FIXTURES/$name"/strace.fxt.zst; do
		[ ! -e "$trace" ] || check_answers "$name" "$trace"
	done
done

# Questions about two traces.
etrace db -o a.db "$FIXTURES/jobs-4/module.fxt.zst"
etrace db -o b.db "$FIXTURES/jobs-flag/module.fxt.zst"
for question in diff "diff --json" why-different "why-different --json" rebuilt "rebuilt --json"; do
	read -ra words <<< "$question"
	etrace "${words[@]}" "$FIXTURES/jobs-4/module.fxt.zst" "$FIXTURES/jobs-flag/module.fxt.zst" > trace
	etrace "${words[@]}" a.db b.db > database
	same "$question: two traces and their databases give the same answer" trace database
done

# The view "final" has all outputs of etrace deps.
for name in flows ninja; do
	etrace db -o one.db "$FIXTURES/$name/module.fxt.zst"
	sqlite3 one.db "SELECT CAST(f.path AS TEXT) FROM final AS l JOIN version AS v ON v.id = l.version
		JOIN file AS f ON f.id = l.file WHERE v.made IN (1, 2, 8) ORDER BY f.path" > view
	etrace deps --all --json one.db |
		python3 -c 'import json, sys; [print(json.loads(line)["output"]) for line in sys.stdin]' > outputs
	check "$name: the view 'final' has all outputs" sh -c \
		"grep -vxFf view outputs > missing; ! [ -s missing ] || ! cat missing"
done
