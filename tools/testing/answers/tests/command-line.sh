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

# page_matches PAGE PROGRAM [COMMAND]: the man page has every option, and no other.
page_matches() { diff <("${@:2}" --list-options | cut -f 1-3 | sort) <(page_options "$1"); }

# The example in --help only uses options that exist.
example_options_exist()
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

check "--list-commands lists more than 15 commands" [ ${#commands[@]} -gt 15 ]
for c in etrace etrace-read; do
	check "$c: the man page has exactly its options" page_matches "$c" "$c"
done
for c in "${commands[@]}"; do
	etrace "$c" --help > help
	check "$c --help has usage, example, options and exit statuses" \
		test "$(grep -cE '^(Usage: etrace|Example:|Options:|Exit status:)' help)" = 4
	check "$c --help fits 80 columns" awk 'length > 80 { print; bad = 1 } END { exit bad }' help
	same "help $c prints the same" help <(etrace help "$c")
	check "$c: the man page has exactly its options" page_matches "etrace-$c" etrace "$c"
	check "$c: the options in the example of --help exist" example_options_exist "$c"
	same "$c: the shell completes all options" <(options "$c" | sed 's/^/--/') \
		<(complete_words etrace "$c" -- | grep -vxE -- '--help|--version' | sort)
	etrace "$c" --frobnicate > out 2> messages
	same "$c: an unknown option prints one line that mentions --help" messages \
		<(echo "etrace $c: unknown option '--frobnicate' (etrace $c --help shows how)")
	check "$c: an unknown option prints nothing on standard output" [ ! -s out ]
done
same "a misspelled option gets a suggestion" <(etrace report --josn 2>&1) \
	<(echo "etrace report: unknown option '--josn'; did you mean '--json'? (etrace report --help shows how)")
same "a missing value is reported" <(etrace time --top 2>&1) \
	<(echo "etrace time: option '--top' needs a value: --top N (etrace time --help shows how)")
same "a value for an option that takes none is reported" <(etrace time --longest=1 2>&1) \
	<(echo "etrace time: option '--longest' takes no value (etrace time --help shows how)")
same "a value that is not allowed is reported with the allowed ones" <(etrace time --by size 2>&1) \
	<(echo "etrace time: --by size: must be one of program|output|directory (etrace time --help shows how)")
same "an unknown short option is reported" <(etrace run -z true 2>&1) \
	<(echo "etrace run: unknown option '-z' (etrace run --help shows how)")
ends 125 "run exits with 125 for an unknown option" etrace run -z true
ends 2 "time exits with 2 for an unknown option" etrace time -z
same "a misspelled command gets a suggestion" <(etrace reprot 2>&1) \
	<(echo "etrace: unknown command 'reprot'; did you mean 'report'? (etrace --help lists all commands)")
same "an unknown command is reported" <(etrace frobnicate 2>&1) \
	<(echo "etrace: unknown command 'frobnicate' (etrace --help lists all commands)")
ends 125 "help exits with 125 for an unknown command" etrace help frobnicate
check "run parses only the options before the command" \
	grep -q "unknown option '-z'" <(etrace run -z true -q 2>&1)
same "the shell completes the values of run --progress" <(printf '%s\n' auto always never | sort) \
	<(complete_words etrace run --progress "" | sort)
same "the shell completes the values of doctor --backend" \
	<(complete_words etrace doctor --backend "" | sort) \
	<(printf '%s\n' auto bpf module strace)
same "the shell completes the options of etrace" \
	<(printf '%s\n' --help --version) <(complete_words etrace -- | sort)
same "the shell completes commands" \
	<(printf '%s\n' rdeps rebuilt report | sort) <(complete_words etrace r | grep -v '^run$' | sort)
same "the shell completes commands after help" <(echo report) <(complete_words etrace help rep)

# Without a name, the trace is ./etrace.fxt, which etrace run writes.
check "report: a missing ./etrace.fxt is reported" \
	grep -q "no trace given, and ./etrace.fxt is not there" <(etrace report 2>&1)
check "time: a missing ./etrace.fxt is reported" \
	grep -q "no trace given, and ./etrace.fxt is not there" <(etrace time 2>&1)
zstd -dqf "$FIXTURES/ninja/module.fxt.zst" -o etrace.fxt
same "report reads ./etrace.fxt" <(etrace report) <(etrace report etrace.fxt)
same "time reads ./etrace.fxt" <(etrace time --json) <(etrace time --json etrace.fxt)
# except for the suggested commands at the end, which name the trace
same "report reads standard input for -" <(etrace report - < etrace.fxt | grep -v '^  etrace') \
	<(etrace report etrace.fxt | grep -v '^  etrace')
