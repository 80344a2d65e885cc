# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# bash completion for etrace; installed as bash-completion/completions/etrace.
# Commands and options come from the program: "etrace --list-commands" prints lines
# NAME<TAB>HELP, "etrace COMMAND --list-options" lines NAME<TAB>LETTER<TAB>VALUE<TAB>HELP.

# _etrace_value WORD: what --list-options says of the value of the option WORD
_etrace_value()
{
	local name letter value

	while IFS=$'\t' read -r name letter value _; do
		[ "$1" != "--$name" ] && { [ -z "$letter" ] || [ "$1" != "-$letter" ]; } ||
			{ echo "$value"; return; }
	done < <(_etrace_options "${COMP_WORDS[1]}" | sed 's/\t\t/\t \t/g')
}

# _etrace_options [COMMAND]
_etrace_options() { "${COMP_WORDS[0]}" "$@" --list-options 2> /dev/null; }

# _etrace_names [COMMAND]: options as they are typed
_etrace_names() { _etrace_options "$@" | sed 's/\t.*//; s/^/--/'; }

# _etrace_complete VALUE CURRENT
_etrace_complete()
{
	case $1 in
	*'|'*) mapfile -t COMPREPLY < <(compgen -W "${1//|/ }" -- "$2") ;;
	FILE*) mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
	DIR) mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
	USER) mapfile -t COMPREPLY < <(compgen -u -- "$2") ;;
	PATH) mapfile -t COMPREPLY < <(compgen -d -- "${2:-/sys/fs/cgroup/}") ;;
	*) return 1 ;;
	esac
}

_etrace()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local sub=${COMP_WORDS[1]} i value

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ] || { [ "$sub" = help ] && [ "$COMP_CWORD" = 2 ]; }; then
		mapfile -t COMPREPLY < <(compgen -W "$(_etrace_names)
			$("${COMP_WORDS[0]}" --list-commands 2> /dev/null | cut -f 1)" -- "$cur")
		return
	fi
	# What follows the command of run belongs to that command.
	if [ "$sub" = run ]; then
		for ((i = 2; i < COMP_CWORD; i++)); do
			case ${COMP_WORDS[i]} in
			=) i=$((i + 1)) ;;
			--) i=$((i + 1)); break ;;
			-*) value=$(_etrace_value "${COMP_WORDS[i]}"); [ -z "${value// /}" ] || i=$((i + 1)) ;;
			*) break ;;
			esac
		done
		if [ "$i" -lt "$COMP_CWORD" ] && declare -F _command_offset > /dev/null; then
			_command_offset "$i"
			return
		fi
	fi
	[ "$prev" = "=" ] && prev=${COMP_WORDS[COMP_CWORD - 2]}
	[ "$cur" = "=" ] && cur=
	if [[ $prev == -* ]]; then
		value=$(_etrace_value "$prev")
		_etrace_complete "$value" "$cur" && return
		[ -z "${value// /}" ] || [[ $value == '['* ]] || return
	fi
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_etrace_names "$sub")" -- "$cur")
		return
	fi
	case $sub in
	run) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
	attach) mapfile -t COMPREPLY < <(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur") ;;
	doctor) ;;
	*) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	esac
}

complete -o filenames -F _etrace etrace
