#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1
#
# The page with all that it needs, but without data: what stands where its markers are.
#
#   template.sh PAGE.html STYLE.css LICENCE SCRIPT... > TEMPLATE
#
# LICENCE goes in as the text "licence", for what others wrote.  Each script, and the
# style, may run by its hash alone (Content-Security-Policy), and nothing is asked of
# any network.

set -eu
page=$1 style=$2 licence=$3
shift 3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# safe FILE: as it can stand in a script element: "</script" would end that.
safe()
{
	if grep -q '<!--' "$1"; then
		echo "template.sh: $1: <!-- cannot stand in a script: write it otherwise" >&2
		exit 1
	fi
	tr -d '\r' < "$1" | sed 's|</\(script\)|<\\/\1|gI'
}

# hash FILE: as a policy has it.
hash()
{
	printf "'sha256-%s'" "$(sha256sum "$1" | cut -c 1-64 | tr a-f A-F | basenc --base16 -d | base64)"
}

scripts=
n=0
for script; do
	n=$((n + 1))
	safe "$script" > "$dir/$n"
	scripts="$scripts $(hash "$dir/$n")"
done
if grep -qi '</' "$style"; then
	echo "template.sh: $style: </ cannot stand in a style" >&2
	exit 1
fi

while IFS= read -r line; do
	case $line in
	'<!--STYLE-->')
		printf '<meta http-equiv="Content-Security-Policy" content="%s">\n' \
			"default-src 'none'; script-src$scripts; style-src $(hash "$style"); img-src data:; base-uri 'none'; form-action 'none'"
		printf '<style>'
		cat "$style"
		printf '</style>\n'
		;;
	'<!--SCRIPTS-->')
		printf '<script type="text/plain" id="licence">\n'
		safe "$licence"
		printf '</script>\n'
		for i in $(seq "$n"); do
			printf '<script>'
			cat "$dir/$i"
			printf '</script>\n'
		done
		;;
	*)
		printf '%s\n' "$line"
		;;
	esac
done < "$page"
