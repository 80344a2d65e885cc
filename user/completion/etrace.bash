# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# bash completion for etrace; installed as bash-completion/completions/etrace

# Words of --help that begin with a dash.
_etrace_options()
{
	"$1" "$2" --help 2> /dev/null | grep -oE -- '(^| )--?[a-z][a-z-]*' | tr -d ' '
}

_etrace()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local sub=${COMP_WORDS[1]} i

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W 'run attach top report db compdb deps rdeps why time diff rebuilt affected check used attest push fleet doctor --help --version' -- "$cur")
		return
	fi
	# Behind run's command everything is the command's.
	if [ "$sub" = run ]; then
		for ((i = 2; i < COMP_CWORD; i++)); do
			case ${COMP_WORDS[i]} in
			-o|-u|-b|--output|--user|--buffer|--to|--progress|--before|--backend|--record|--keep-env|--cgroup) i=$((i + 1)) ;;
			=) i=$((i + 1)) ;;
			--) i=$((i + 1)); break ;;
			-*) ;;
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
	case $prev in
	-o|--output|--before|--html|--update|--config|--explain) mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
	-u|--user) mapfile -t COMPREPLY < <(compgen -u -- "$cur"); return ;;
	--compress) mapfile -t COMPREPLY < <(compgen -W 'auto none gzip zstd' -- "$cur"); return ;;
	--since|--until|--begin) mapfile -t COMPREPLY < <(compgen -W 'today yesterday monday 7d 30d' -- "$cur"); return ;;
	-b|--buffer) mapfile -t COMPREPLY < <(compgen -W '1M 4M 16M 64M' -- "$cur"); return ;;
	--to) mapfile -t COMPREPLY < <(compgen -W 'fxt etrace json db html' -- "$cur"); return ;;
	--from) mapfile -t COMPREPLY < <(compgen -W 'fxt fxt-records etrace sp-rtrace sp-rtrace-text swap' -- "$cur"); return ;;
	--backend) mapfile -t COMPREPLY < <(compgen -W 'auto module bpf strace' -- "$cur"); return ;;
	--cgroup) mapfile -t COMPREPLY < <(compgen -d -- "${cur:-/sys/fs/cgroup/}"); return ;;
	--record) mapfile -t COMPREPLY < <(compgen -W 'probes dirs env output output=all probes,dirs,env,output' -- "$cur"); return ;;
	--progress) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur"); return ;;
	esac
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_etrace_options "${COMP_WORDS[0]}" "$sub")" -- "$cur")
		return
	fi
	case $sub in
	run) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
	attach) mapfile -t COMPREPLY < <(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur") ;;
	fleet)
		mapfile -t COMPREPLY < <(compgen -W 'builds slowest slower cache rebuilds users package flaky hosts' -- "$cur")
		[ ${#COMPREPLY[@]} -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		;;
	report|db|compdb|deps|rdeps|why|time|diff|rebuilt|affected|check|used|attest|push) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	esac
}

complete -o filenames -F _etrace etrace
