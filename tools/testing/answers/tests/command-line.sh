#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The command line of each subcommand: --help, the built man page and completion agree, a wrong
# word gets a one-line message, and the trace is optional.

. "${0%/*}/../lib.sh"
man=$PROGRAMS/man
completion=$(realpath "${0%/*}/../../../../user/completion/etrace.bash")
mapfile -t commands < <(etrace --list-commands | cut -f 1)

# options COMMAND: the names of its options, from its table
options() { etrace "$1" --list-options | cut -f 1 | grep -vxE 'help|version' | sort; }

# page_options PAGE: the options that head paragraphs in OPTIONS: name, letter, value
page_options()
{
	local other

	other=$(sed -n 's/^\.so man1\///p' "$man/$1.1")
	sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/p' "$man/${other:-$1.1}" | sed 's/\\f[BIR]//g; s/\\-/-/g' |
		sed -nE '/^\.TP$/{n;s/^(-([a-zA-Z]), )?--([a-z-]+) ?(.*)/\3\t\2\t\4/p}' | sort
}

# page_agrees PAGE PROGRAM [COMMAND]: the man page has every option, and no other.
page_agrees() { diff <("${@:2}" --list-options | cut -f 1-3 | sort) <(page_options "$1"); }

# The example in --help only uses options that exist.
example_agrees()
{
	local word name words

	while read -r _ name words; do
		etrace "$name" --list-options > known || return 1
		for word in $words; do
			case $word in
			--) break ;;
			--*) word=${word%%=*} && grep -q "^${word#--}	" known || { echo "$word: not in $name"; return 1; } ;;
			esac
		done
	done < <(etrace "$1" --help | sed -n '/^Example:/,/^$/s/^  etrace/etrace/p')
}

complete_words()
{
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _etrace
		printf "%s\n" "${COMPREPLY[@]}"' bash "$completion" "$@"
}

check "there are commands" [ ${#commands[@]} -gt 15 ]
for c in etrace etrace-read; do
	check "$c: the man page has its options, and no other" page_agrees "$c" "$c"
done
for c in "${commands[@]}"; do
	etrace "$c" --help > help
	check "$c --help: usage, example, options, statuses" \
		test "$(grep -cE '^(Usage: etrace|Example:|Options:|Exit status:)' help)" = 4
	check "$c --help fits 80 columns" awk 'length > 80 { print; bad = 1 } END { exit bad }' help
	same "help $c prints the same" help <(etrace help "$c")
	check "$c: the man page has its options, and no other" page_agrees "etrace-$c" etrace "$c"
	check "$c: the example's options exist" example_agrees "$c"
	same "$c: the shell completes them all" <(options "$c" | sed 's/^/--/') \
		<(complete_words etrace "$c" -- | grep -vxE -- '--help|--version' | sort)
	etrace "$c" --frobnicate > out 2> said
	same "$c: a wrong option gets one line, which says where help is" said \
		<(echo "etrace $c: unknown option '--frobnicate' (etrace $c --help shows how)")
	check "$c: and nothing on standard output" [ ! -s out ]
done
same "an option that was almost right" <(etrace report --josn 2>&1) \
	<(echo "etrace report: unknown option '--josn'; did you mean '--json'? (etrace report --help shows how)")
same "a value is missing" <(etrace time --top 2>&1) \
	<(echo "etrace time: option '--top' needs a value: --top N (etrace time --help shows how)")
same "a value is too many" <(etrace time --longest=1 2>&1) \
	<(echo "etrace time: option '--longest' takes no value (etrace time --help shows how)")
same "a value is none of the words" <(etrace time --by size 2>&1) \
	<(echo "etrace time: --by size: must be one of program|output|directory (etrace time --help shows how)")
same "an unknown letter" <(etrace run -z true 2>&1) \
	<(echo "etrace run: unknown option '-z' (etrace run --help shows how)")
ends 125 "and its status, of run" etrace run -z true
ends 2 "and its status, of an answer" etrace time -z
same "a command that was almost right" <(etrace reprot 2>&1) \
	<(echo "etrace: unknown command 'reprot'; did you mean 'report'? (etrace --help lists all commands)")
same "an unknown command" <(etrace frobnicate 2>&1) \
	<(echo "etrace: unknown command 'frobnicate' (etrace --help lists all commands)")
ends 125 "and its status" etrace help frobnicate
check "options of the command that run runs are not its own" \
	grep -q "unknown option '-z'" <(etrace run -z true -q 2>&1)
same "words that a value can be" <(printf '%s\n' auto always never | sort) \
	<(complete_words etrace run --progress "" | sort)
same "of another command, too" <(complete_words etrace doctor --backend "" | sort) \
	<(printf '%s\n' auto bpf module strace)
same "its own options" <(printf '%s\n' --help --version) <(complete_words etrace -- | sort)
same "commands" <(printf '%s\n' rdeps rebuilt report | sort) <(complete_words etrace r | grep -v '^run$' | sort)
same "and behind help" <(echo report) <(complete_words etrace help rep)

# Without a name, the trace is ./etrace.fxt, which etrace run writes.
check "report: no trace" grep -q "no trace given, and ./etrace.fxt is not there" <(etrace report 2>&1)
check "time: no trace" grep -q "no trace given, and ./etrace.fxt is not there" <(etrace time 2>&1)
zstd -dqf "$FIXTURES/ninja/module.fxt.zst" -o etrace.fxt
same "report reads ./etrace.fxt" <(etrace report) <(etrace report etrace.fxt)
same "so do answers" <(etrace time --json) <(etrace time --json etrace.fxt)
# except for the suggested commands at the end, which name the trace
same "- is standard input" <(etrace report - < etrace.fxt | grep -v '^  etrace') \
	<(etrace report etrace.fxt | grep -v '^  etrace')
